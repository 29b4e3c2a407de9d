/* sbatch and scancel. */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/clock.h"
#include "server/executor/slurm/slurm_internal.h"
#include "server/executor/worker_process.h"
#include "server/worker/launch.h"

enum { SEND_LIMIT_MS = 30000, SEND_BYTES = 4096, RETRY_MS = 5000, WORDS_LIMIT = 56, TEXT_LIMIT = 48 };

/* Arguments as they are put together; made texts are freed with it. */
typedef struct words {
  const char *list[WORDS_LIMIT];
  size_t count;
  char *made[TEXT_LIMIT];
  size_t made_count;
  bool failed;
} words;

static void add(words *w, const char *text)
{
  if (w->count + 1 < WORDS_LIMIT)
    w->list[w->count++] = text;
  else
    w->failed = true;
  w->list[w->count] = NULL;
}

__attribute__((format(printf, 2, 3))) static void add_made(words *w, const char *format, ...)
{
  va_list arguments;
  char *text = NULL;
  va_start(arguments, format);
  if (w->made_count == TEXT_LIMIT || vasprintf(&text, format, arguments) < 0) text = NULL;
  va_end(arguments);
  if (!text) {
    w->failed = true;
    return;
  }
  w->made[w->made_count++] = text;
  add(w, text);
}

static void clear_words(words *w)
{
  for (size_t i = 0; i < w->made_count; i++) free(w->made[i]);
}

/* The job's own option, else the lab's. */
static const char *choose(const char *own, const char *common)
{
  return own[0] ? own : common;
}

/* Twice the estimate and a spare: Slurm ends what takes more. Where it is not known the partition's default is taken. MB of 2^20 bytes */
static double memory_megabytes(const worker_request *request)
{
  const double spare = 256, per_thread = 64;
  return ceil(2 * request->memory_bytes / 1048576.0 + spare + per_thread * request->threads);
}

static void add_engine_words(const slurm_executor *self, const slurm_run *run, words *w)
{
  const worker_request *request = &run->request;
  const executor_options *own = &request->options, *common = &self->config.options;
  double limit = own->time_limit > 0 ? own->time_limit : common->time_limit;
  double warning = self->config.signal_seconds;
  if (limit > 0 && warning > 0.9 * limit) warning = 0.9 * limit;
  const char *partition = choose(own->partition, common->partition), *account = choose(own->account, common->account),
             *constraint = choose(own->constraint, common->constraint), *gres = choose(own->gres, common->gres);
  char name[SLURM_NAME_BYTES];
  slurm_name_write(&run->name, name);
  add(w, self->sbatch);
  add(w, "--parsable");
  add(w, "--no-requeue");
  add(w, "--open-mode=append");
  unsigned ranks = launch_ranks(request->directory); /* the worker starts them by srun */
  add_made(w, "--ntasks=%u", ranks);
  add(w, "--export=ALL"); /* of an environment made from a short list */
  add_made(w, "--job-name=%s", name);
  add_made(w, "--comment=%s", name);
  add_made(w, "--chdir=%s", request->directory);
  add_made(w, "--output=%s/worker.log", request->directory);
  add_made(w, "--cpus-per-task=%u", request->threads / ranks > 0 ? request->threads / ranks : 1);
  add_made(w, "--signal=B:USR1@%.0f", ceil(warning));
  if (isfinite(request->memory_bytes)) add_made(w, "--mem=%.0fM", memory_megabytes(request));
  if (limit > 0) add_made(w, "--time=%.0f", ceil(limit / 60));
  if (partition[0]) add_made(w, "--partition=%s", partition);
  if (account[0]) add_made(w, "--account=%s", account);
  if (constraint[0]) add_made(w, "--constraint=%s", constraint);
  if (gres[0]) add_made(w, "--gres=%s", gres);
  add(w, self->script);
}

static void add_worker_words(const slurm_run *run, words *w)
{
  const worker_request *request = &run->request;
  add(w, request->worker_path);
  add(w, "--directory");
  add(w, request->directory);
  add(w, "--threads");
  add_made(w, "%u", request->threads);
  add(w, "--checkpoint-seconds");
  add_made(w, "%g", request->checkpoint_seconds);
  add(w, "--token");
  add_made(w, "%" PRId64, run->name.token);
  add(w, "--memory-limit");
  add_made(w, "%" PRIu64, request->memory_limit);
  add(w, "--file-limit");
  add_made(w, "%" PRIu64, request->file_limit);
  add(w, "--cpu-limit");
  add_made(w, "%" PRIu64, request->cpu_limit);
  if (!request->assets) return;
  add(w, "--assets");
  add(w, request->assets);
  add(w, "--asset-names");
  add(w, request->asset_names);
}

static void refuse(slurm_run *run, const char *errors)
{
  worker_exit how = {.by_signal = true, .code = SIGKILL, .cause = EXECUTOR_REFUSED};
  snprintf(how.why, sizeof how.why, "Slurm refuses the job: %.260s", errors);
  slurm_set_ended(run, &how);
}

/* What sbatch said. False: there is no use in sending others now. */
static bool take_answer(slurm_executor *self, slurm_run *run, const command_result *result, int64_t now)
{
  char reason[EXECUTOR_REASON_BYTES];
  int64_t id = result->code == 0 ? slurm_number_read(result->output) : 0;
  if (id > 0) {
    run->stage = STAGE_SENT;
    run->id = id;
    run->unsure_round = self->round;
    log_write(self->config.log, LOG_LEVEL_DEBUG, "slurm_sent", LOG_FIELDS(log_integer("job", run->name.job), log_integer("slurm", id)));
    slurm_set_state(run, EXECUTOR_QUEUED, "waits for its turn at Slurm");
    return true;
  }
  slurm_refusal refusal = result->timed_out ? SLURM_AWAY : slurm_refusal_of(result->errors);
  if (refusal == SLURM_REFUSED) {
    refuse(run, result->errors);
    return true;
  }
  run->send_at = now + RETRY_MS;
  if (refusal == SLURM_LATER) {
    snprintf(reason, sizeof reason, "Slurm accepts no more jobs at present: %.50s", result->errors);
    slurm_set_state(run, EXECUTOR_QUEUED, reason);
    return false;
  }
  run->stage = STAGE_UNSURE;
  run->unsure_round = self->round;
  slurm_set_state(run, EXECUTOR_UNKNOWN, "Slurm does not answer; the job is sent when it does");
  slurm_note_answer(self, false, result->timed_out ? "sbatch took too long" : result->errors);
  return false;
}

bool slurm_send(slurm_executor *self, slurm_run *run, int64_t now)
{
  words w = {.count = 0};
  command_result result;
  scr_error error = {0};
  add_engine_words(self, run, &w);
  add_worker_words(run, &w);
  scr_status status = w.failed ? scr_fail_memory(&error, "the arguments of sbatch", WORDS_LIMIT) : SCR_OK;
  if (status == SCR_OK) status = worker_prepare_log(run->request.directory, &error);
  if (status == SCR_OK) status = command_execute(w.list, run->request.threads, SEND_LIMIT_MS, SEND_BYTES, &self->waiter, &result, &error);
  clear_words(&w);
  if (status != SCR_OK) {
    run->send_at = now + RETRY_MS;
    slurm_set_state(run, EXECUTOR_QUEUED, error.message);
    return false;
  }
  bool goes_on = take_answer(self, run, &result, now);
  free(result.output);
  return goes_on;
}

void slurm_cancel(slurm_executor *self, const slurm_target *target, const char *batch_signal)
{
  words w = {.count = 0};
  command_result result;
  char name[SLURM_NAME_BYTES];
  slurm_name_write(&target->name, name);
  add(&w, self->scancel);
  add_made(&w, "--name=%s", name);
  if (batch_signal) {
    add_made(&w, "--signal=%s", batch_signal);
    add(&w, "--batch");
  }
  add_made(&w, "%" PRId64, target->id);
  if (!w.failed && command_execute(w.list, 1, SEND_LIMIT_MS, SEND_BYTES, &self->waiter, &result, NULL) == SCR_OK) free(result.output);
  clear_words(&w);
}
