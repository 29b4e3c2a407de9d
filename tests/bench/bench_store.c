/* The store with many jobs: how long a list, a filter, a search, a claim and a finish take, and how many submissions a second it takes, on
 * the disk when acknowledged; also while 8 threads submit. Prints a table in Markdown.
 *
 *   bench_store [JOBS [FOLDER]]      1000000 jobs; a folder made in the current directory and removed again */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server/store/store.h"

enum { rounds = 200, submitters = 8, submit_seconds = 10, page = 50 };

static double seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void require(scr_status status, const scr_error *error, const char *what)
{
  if (status == SCR_OK) return;
  fprintf(stderr, "bench_store: %s: %s\n", what, error->message);
  exit(1);
}

/* ── many jobs ────────────────────────────────────────────────────────────────────────────────────────────────── */

static void execute(sqlite3 *db, const char *sql)
{
  char *message = NULL;
  if (sqlite3_exec(db, sql, NULL, NULL, &message) == SQLITE_OK) return;
  fprintf(stderr, "bench_store: %s\n", message);
  exit(1);
}

/* Of ten jobs one is queued, one failed and eight succeeded; two methods, 97 names, tags of 100 studies of 10,000 jobs each. */
static void fill(const char *path, long jobs)
{
  sqlite3 *db;
  char sql[1600];
  if (sqlite3_open(path, &db) != SQLITE_OK) exit(1);
  execute(db, "PRAGMA synchronous = OFF; BEGIN");
  snprintf(
      sql, sizeof sql,
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %ld) "
      "INSERT INTO job (id, name, title, method, priority, state, created, started, ended, max_attempts, node_count, counts, "
      "memory_bytes, time_step, time_step_rule, total_steps, frame_count, record_bytes, estimated_seconds, tags) "
      "SELECT i, 'trial-' || (i %% 97), 'Crush sample ' || i || ' of batch ' || (i %% 1000), iif(i %% 2, 'peridem', 'bdem'), i %% 21 - 10, "
      "CASE WHEN i %% 10 = 0 THEN 'queued' WHEN i %% 10 = 1 THEN 'failed' ELSE 'succeeded' END, i, i, iif(i %% 10 = 0, 0, i), 3, 1000, "
      "'[]', "
      "1e6, 1e-6, 'bond', 1000, 10, 1e6, 10, '{\"study\":\"s' || (i %% 100) || '\"}' FROM n",
      jobs);
  execute(db, sql);
  execute(db, "INSERT INTO submission (job, scene, effective) SELECT id, '', '{}' FROM job");
  execute(db, "INSERT INTO job_tag (key, value, job) SELECT 'study', 's' || (id % 100), id FROM job");
  execute(db, "INSERT INTO job_text (job_text) VALUES ('rebuild')");
  execute(db, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  sqlite3_close(db);
  int file = open(path, O_RDONLY | O_CLOEXEC); /* on the disk: else the first checkpoint that is timed writes all of it */
  if (file < 0 || fsync(file) != 0) exit(1);
  close(file);
}

/* ── times ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void report(const char *what, double *times, int count)
{
  qsort(times, (size_t)count, sizeof *times, compare);
  printf("| %s | %.3f | %.3f | %.3f |\n", what, 1e3 * times[count / 2], 1e3 * times[(int)(0.99 * count)], 1e3 * times[count - 1]);
  fflush(stdout);
}

/* Pages on from page to page, so that deep ones are among them. */
static void time_list(job_store *store, const char *what, lab_query query)
{
  static double times[rounds];
  lab_job *jobs = calloc(page, sizeof *jobs);
  char cursor[LAB_CURSOR_BYTES] = "", at[LAB_CURSOR_BYTES];
  scr_error error = {0};
  for (int i = 0; i < rounds; i++) {
    size_t count;
    memcpy(at, cursor, sizeof at);
    query.cursor = at[0] ? at : NULL;
    double begun = seconds();
    require(store_list(store, &query, jobs, page, &count, cursor, &error), &error, what);
    times[i] = seconds() - begun;
  }
  free(jobs);
  report(what, times, rounds);
}

static void time_lists(job_store *store)
{
  const unsigned failed = 1U << JOB_FAILED, queued = 1U << JOB_QUEUED;
  time_list(store, "list, newest first", (lab_query){.descending = true});
  time_list(store, "list by name", (lab_query){.order = LAB_BY_NAME});
  time_list(store, "list by end, newest first", (lab_query){.order = LAB_BY_END, .descending = true});
  time_list(store, "list by priority, highest first", (lab_query){.order = LAB_BY_PRIORITY, .descending = true});
  time_list(store, "filter: failed or queued", (lab_query){.descending = true, .states = failed | queued});
  time_list(store, "filter: failed, of one method", (lab_query){.descending = true, .states = failed, .method = "peridem"});
  time_list(store, "filter: failed, of the method that never fails", (lab_query){.descending = true, .states = failed, .method = "bdem"});
  time_list(store, "filter: a tag of 1 % of the jobs", (lab_query){.descending = true, .tags = {{"study", "s7"}}, .tag_count = 1});
  time_list(store, "filter: that tag, and a state it never has",
            (lab_query){.descending = true, .tags = {{"study", "s7"}}, .tag_count = 1, .states = 1U << JOB_PAUSED});
  time_list(store, "search: a word of every title", (lab_query){.descending = true, .text = "crush"});
  time_list(store, "search: two words, one of 0.1 %", (lab_query){.descending = true, .text = "batch 77"});
  time_list(store, "search: a word of one title", (lab_query){.descending = true, .text = "777777"});
  time_list(store, "search: a word of every title, by name", (lab_query){.order = LAB_BY_NAME, .text = "crush"});
  time_list(store, "search: a word of every title, in a state no job has",
            (lab_query){.descending = true, .text = "crush", .states = 1U << JOB_PAUSED});
}

static void time_counts(job_store *store)
{
  static double times[rounds];
  scr_error error = {0};
  for (int i = 0; i < rounds; i++) {
    size_t counts[JOB_CANCELLED + 1];
    double begun = seconds();
    require(store_count(store, counts, &error), &error, "count");
    times[i] = seconds() - begun;
  }
  report("counts by state", times, rounds);
}

static void time_claims(job_store *store, const char *when)
{
  char line[80];
  static double claims[rounds], ends[rounds];
  scr_error error = {0};
  for (int i = 0; i < rounds; i++) {
    store_capacity room = {.now_ms = 1000, .threads = 8, .threads_per_job = 1, .memory = 1e12, .memory_per_job = 1, .disk = 1e12};
    store_claim claim;
    store_outlook outlook;
    size_t count;
    bool held;
    lab_job job;
    double begun = seconds();
    require(store_claim_jobs(store, &room, &claim, 1, &count, &outlook, &error), &error, "claim");
    claims[i] = seconds() - begun;
    if (count != 1) exit(1);
    store_ending ending = {.outcome = ATTEMPT_SUCCEEDED, .message = "", .need_bytes = -1, .now_ms = 2000};
    begun = seconds();
    require(store_finish(store, claim.id, claim.token, &ending, &held, &job, &error), &error, "finish");
    ends[i] = seconds() - begun;
  }
  snprintf(line, sizeof line, "claim, on the disk%s", when);
  report(line, claims, rounds);
  snprintf(line, sizeof line, "finish, on the disk%s", when);
  report(line, ends, rounds);
}

/* As many attempts as may share a commit, again and again. */
static void time_finishing_together(job_store *store)
{
  enum { many = 16, times = 50 };
  static double ends[times];
  store_claim claims[many];
  store_outlook outlook;
  scr_error error = {0};
  store_finishing *all = calloc(many, sizeof *all);
  if (!all) exit(1);
  for (int i = 0; i < times; i++) {
    store_capacity room = {.now_ms = 1000, .threads = 64, .threads_per_job = 1, .memory = 1e12, .memory_per_job = 1, .disk = 1e12};
    size_t count;
    require(store_claim_jobs(store, &room, claims, many, &count, &outlook, &error), &error, "claim");
    if (count != many) exit(1);
    for (int k = 0; k < many; k++)
      all[k] = (store_finishing){.id = claims[k].id,
                                 .token = claims[k].token,
                                 .ending = {.outcome = ATTEMPT_SUCCEEDED, .message = "", .need_bytes = -1, .now_ms = 2000}};
    double begun = seconds();
    store_finish_all(store, all, many);
    ends[i] = seconds() - begun;
    for (int k = 0; k < many; k++) require(all[k].status, &all[k].error, "finish");
  }
  free(all);
  report("finish of 16 together, on the disk", ends, times);
}

/* What a commit costs on this disk: the least that anything acknowledged can take. */
static void time_sync(const char *folder)
{
  static double times[rounds];
  static const char block[4096];
  char path[4200];
  snprintf(path, sizeof path, "%s/sync", folder);
  FILE *file = fopen(path, "wbe");
  for (int i = 0; i < rounds && file; i++) {
    double begun = seconds();
    if (fwrite(block, sizeof block, 1, file) != 1 || fflush(file) != 0 || fdatasync(fileno(file)) != 0) exit(1);
    times[i] = seconds() - begun;
  }
  if (file) fclose(file);
  unlink(path);
  report("for comparison: 4 KiB appended to a file and synced", times, rounds);
}

/* ── submissions ──────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct submitter {
  job_store *store;
  atomic_llong *next;
  atomic_bool *over;
  long done;
  double slowest;
} submitter;

static void *submit(void *argument)
{
  submitter *s = argument;
  scr_error error = {0};
  while (!atomic_load(s->over)) {
    store_insertion insertion;
    lab_job job;
    int64_t id = atomic_fetch_add(s->next, 1);
    char key[40], name[40];
    snprintf(key, sizeof key, "key-%lld", (long long)id);
    snprintf(name, sizeof name, "sweep-%lld", (long long)(id % 100));
    store_submission submission = {.id = id,
                                   .name = name,
                                   .title = "Crush a sample of the sweep",
                                   .method = "peridem",
                                   .request = "{\"scree\": 1}",
                                   .request_length = 12,
                                   .effective = "{\"scree\": 1}",
                                   .key = key,
                                   .tags = "{\"study\":\"sweep\"}",
                                   .max_attempts = 3,
                                   .estimate = {.memory_bytes = 1e6, .record_bytes = 1e6, .time_step = 1e-6, .time_step_rule = "bond"},
                                   .queue_limit = (size_t)-1,
                                   .now_ms = 3000};
    double begun = seconds();
    require(store_insert(s->store, &submission, &insertion, &job, &error), &error, "submit");
    s->slowest = fmax(s->slowest, seconds() - begun);
    s->done++;
  }
  return NULL;
}

typedef struct crowd {
  atomic_llong next;
  atomic_bool over;
  pthread_t threads[submitters];
  submitter parts[submitters];
} crowd;

static void crowd_begin(crowd *c, job_store *store, long long first)
{
  atomic_store(&c->next, first);
  atomic_store(&c->over, false);
  for (int i = 0; i < submitters; i++) {
    c->parts[i] = (submitter){.store = store, .next = &c->next, .over = &c->over};
    if (pthread_create(&c->threads[i], NULL, submit, &c->parts[i]) != 0) exit(1);
  }
}

static long crowd_end(crowd *c, double *slowest)
{
  long done = 0;
  atomic_store(&c->over, true);
  for (int i = 0; i < submitters; i++) {
    pthread_join(c->threads[i], NULL);
    done += c->parts[i].done;
    *slowest = fmax(*slowest, c->parts[i].slowest);
  }
  return done;
}

static void time_claims_beside_submissions(job_store *store, long jobs)
{
  static crowd c;
  double slowest = 0;
  crowd_begin(&c, store, 2LL * jobs);
  time_claims(store, ", beside 8 threads that submit");
  (void)crowd_end(&c, &slowest);
}

static void time_submissions(job_store *store, long jobs)
{
  static crowd c;
  double begun = seconds(), slowest = 0;
  crowd_begin(&c, store, 3LL * jobs);
  sleep(submit_seconds);
  long done = crowd_end(&c, &slowest);
  printf("\n%d threads that submit one job after another for %d s, with key and tag: **%.0f submissions/s**, each on the disk before it is "
         "acknowledged, the slowest after %.0f ms.\n",
         submitters, submit_seconds, (double)done / (seconds() - begun), 1e3 * slowest);
}

int main(int argc, char **argv)
{
  long jobs = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
  char folder[] = "bench-store-XXXXXX", path[64], command[200];
  scr_error error = {0};
  job_store *store;
  if (jobs < 1000 || !mkdtemp(folder)) return 1;
  snprintf(path, sizeof path, "%s/scree.db", folder);
  require(store_open(path, &store, &error), &error, "open");
  store_close(store);
  fill(path, jobs);
  require(store_open(path, &store, &error), &error, "open");
  printf("# The store with %ld jobs\n\nMilliseconds of %d calls each; lists and searches go on from page to page of %d jobs.\n\n", jobs,
         rounds, page);
  printf("| | median | 99 %% | slowest |\n|---|---|---|---|\n");
  time_lists(store);
  time_counts(store);
  time_claims(store, "");
  time_finishing_together(store);
  time_claims_beside_submissions(store, jobs);
  time_sync(folder);
  time_submissions(store, jobs);
  store_close(store);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command) == 0 ? 0 : 1;
}
