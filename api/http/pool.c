/* A bounded queue and the threads that empty it. One lock guards all; it is never held while a task runs. */
#include "api/http/pool.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct pool_task {
  void (*run)(void *argument);
  void *argument;
} pool_task;

struct http_pool {
  pthread_mutex_t lock;
  pthread_cond_t filled;
  pool_task *tasks; /* ring of `capacity` */
  size_t capacity, first, count;
  bool ending;
  pthread_t *threads;
  size_t thread_count;
};

static void *pool_thread(void *user)
{
  http_pool *pool = user;
  pthread_mutex_lock(&pool->lock);
  for (;;) {
    while (pool->count == 0 && !pool->ending) pthread_cond_wait(&pool->filled, &pool->lock);
    if (pool->count == 0) break;
    pool_task task = pool->tasks[pool->first];
    pool->first = (pool->first + 1) % pool->capacity;
    pool->count--;
    pthread_mutex_unlock(&pool->lock);
    task.run(task.argument);
    pthread_mutex_lock(&pool->lock);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

http_pool *pool_create(size_t threads, size_t capacity)
{
  http_pool *pool = calloc(1, sizeof *pool);
  if (!pool) return NULL;
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->filled, NULL);
  pool->capacity = capacity;
  pool->tasks = calloc(capacity, sizeof *pool->tasks);
  pool->threads = calloc(threads, sizeof *pool->threads);
  while (pool->tasks && pool->threads && pool->thread_count < threads) {
    if (pthread_create(&pool->threads[pool->thread_count], NULL, pool_thread, pool) != 0) break;
    pool->thread_count++;
  }
  if (pool->thread_count == threads) return pool;
  pool_destroy(pool);
  return NULL;
}

bool pool_submit(http_pool *pool, void (*run)(void *argument), void *argument)
{
  pthread_mutex_lock(&pool->lock);
  bool has_space = !pool->ending && pool->count < pool->capacity;
  if (has_space) {
    pool->tasks[(pool->first + pool->count) % pool->capacity] = (pool_task){.run = run, .argument = argument};
    pool->count++;
    pthread_cond_signal(&pool->filled);
  }
  pthread_mutex_unlock(&pool->lock);
  return has_space;
}

void pool_end(http_pool *pool)
{
  pthread_mutex_lock(&pool->lock);
  pool->ending = true;
  pthread_cond_broadcast(&pool->filled);
  pthread_mutex_unlock(&pool->lock);
  for (size_t i = 0; i < pool->thread_count; i++) pthread_join(pool->threads[i], NULL);
  pool->thread_count = 0;
}

void pool_destroy(http_pool *pool)
{
  if (!pool) return;
  pool_end(pool);
  pthread_cond_destroy(&pool->filled);
  pthread_mutex_destroy(&pool->lock);
  free(pool->tasks);
  free(pool->threads);
  free(pool);
}
