/* The threads that read recordings for the stream: what takes long holds up nothing else, and nothing put in is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "api/stream/readers.h"
#include "tests/support/suites.h"

enum { thread_count = 3, slow_count = 10 };

typedef struct test_task {
  reader_task base;
  sem_t *gate; /* waited for, if there is one */
  atomic_int *running, *most;
} test_task;

static void run(reader_task *base)
{
  test_task *task = (test_task *)base;
  int now = atomic_fetch_add(task->running, 1) + 1;
  if (now > atomic_load(task->most)) atomic_store(task->most, now);
  if (task->gate)
    while (sem_wait(task->gate) != 0) continue;
  atomic_fetch_sub(task->running, 1);
}

static void done(void *user)
{
  sem_post(user);
}

static void wait_for(sem_t *semaphore)
{
  while (sem_wait(semaphore) != 0) continue;
}

static void test_openings_leave_a_thread_to_what_is_open(void **state)
{
  (void)state;
  sem_t gate, ended;
  atomic_int running = 0, most = 0, quick_running = 0, quick_most = 0;
  readers *pool = NULL;
  sem_init(&gate, 0, 0);
  sem_init(&ended, 0, 0);
  assert_int_equal(readers_start(thread_count, done, &ended, &pool, NULL), SCR_OK);
  test_task slow[slow_count], quick = {.base.run = run, .running = &quick_running, .most = &quick_most};
  for (int i = 0; i < slow_count; i++) {
    slow[i] = (test_task){.base = {.run = run, .slow = true}, .gate = &gate, .running = &running, .most = &most};
    readers_put(pool, &slow[i].base);
  }
  readers_put(pool, &quick.base); /* behind ten that never end by themselves */
  wait_for(&ended);
  reader_task *first = readers_take_done(pool);
  assert_ptr_equal(first, &quick.base);
  assert_null(first->next);
  for (int i = 0; i < slow_count; i++) sem_post(&gate);
  size_t taken = 0;
  while (taken < slow_count) {
    wait_for(&ended);
    for (reader_task *task = readers_take_done(pool); task; task = task->next) taken++;
  }
  assert_int_equal(atomic_load(&most), thread_count - 1);
  assert_null(readers_stop(pool));
  sem_destroy(&gate);
  sem_destroy(&ended);
}

static void test_what_was_not_done_is_given_back_at_the_end(void **state)
{
  (void)state;
  sem_t gate, ended;
  atomic_int running = 0, most = 0;
  readers *pool = NULL;
  sem_init(&gate, 0, 0);
  sem_init(&ended, 0, 0);
  assert_int_equal(readers_start(thread_count, done, &ended, &pool, NULL), SCR_OK);
  test_task tasks[slow_count];
  for (int i = 0; i < slow_count; i++) {
    tasks[i] = (test_task){.base = {.run = run, .slow = i % 2 == 0}, .gate = &gate, .running = &running, .most = &most};
    readers_put(pool, &tasks[i].base);
  }
  for (int i = 0; i < slow_count; i++) sem_post(&gate); /* so that those that run can end */
  size_t left = 0;
  for (reader_task *task = readers_stop(pool); task; task = task->next) left++;
  assert_int_equal(left, slow_count);
  sem_destroy(&gate);
  sem_destroy(&ended);
}

/* Of two threads one does what is slow: such tasks begin one after the other, in the order they came, and are given back in the order they
 * ended. */
static void test_tasks_begin_and_end_in_the_order_they_came(void **state)
{
  (void)state;
  sem_t gate, ended;
  atomic_int running = 0, most = 0;
  readers *pool = NULL;
  sem_init(&gate, 0, 0);
  sem_init(&ended, 0, 0);
  assert_int_equal(readers_start(2, done, &ended, &pool, NULL), SCR_OK);
  test_task tasks[slow_count];
  for (int i = 0; i < slow_count; i++) {
    tasks[i] = (test_task){.base = {.run = run, .slow = true}, .gate = &gate, .running = &running, .most = &most};
    readers_put(pool, &tasks[i].base);
  }
  for (int i = 0; i < slow_count; i++) sem_post(&gate);
  for (int i = 0; i < slow_count; i++) wait_for(&ended);
  reader_task *task = readers_take_done(pool);
  for (int i = 0; i < slow_count; i++, task = task->next) assert_ptr_equal(task, &tasks[i].base);
  assert_null(task);
  assert_int_equal(atomic_load(&most), 1);
  assert_null(readers_stop(pool));
  sem_destroy(&gate);
  sem_destroy(&ended);
}

SUITE(test_stream_readers)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_openings_leave_a_thread_to_what_is_open),
      cmocka_unit_test(test_what_was_not_done_is_given_back_at_the_end),
      cmocka_unit_test(test_tasks_begin_and_end_in_the_order_they_came),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
