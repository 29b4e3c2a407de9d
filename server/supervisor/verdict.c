/* Judging an attempt. The recording's `end` record is the truth: when it is there, it stands however the worker's process went. Without one
 * the exit code says whether the worker stopped as asked, could not begin, would fail again, or died. Runs on the supervisor's thread. */
#include "server/supervisor/verdict.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void take_end(const scr_end *said, recording_end *end)
{
  static const attempt_outcome outcomes[] = {
      [SCR_VERDICT_SUCCEEDED] = ATTEMPT_SUCCEEDED, [SCR_VERDICT_FAILED] = ATTEMPT_FAILED, [SCR_VERDICT_CANCELLED] = ATTEMPT_CANCELLED};
  end->ended = said->verdict != SCR_VERDICT_NONE;
  if (!end->ended) return;
  end->outcome = outcomes[said->verdict];
  snprintf(end->message, sizeof end->message, "%s", said->message);
  end->step = said->step;
  end->sim_time = said->sim_time;
  end->headline_count = said->headline_count;
  memcpy(end->headlines, said->headlines, sizeof end->headlines);
  memcpy(end->digest, said->digest, sizeof end->digest);
  end->doubt_count = said->doubt_count;
  memcpy(end->doubts, said->doubts, sizeof end->doubts);
}

scr_status recording_end_read(const char *directory, recording_end *end, scr_error *error)
{
  *end = (recording_end){0};
  char path[4200];
  scr_end said;
  snprintf(path, sizeof path, "%s/recording.scree", directory);
  if (access(path, R_OK) != 0) return SCR_OK;
  scr_recording *recording = NULL;
  scr_status status = scr_recording_open(path, &recording, error);
  if (status == SCR_OK) {
    end->last_seq = scr_recording_count(recording);
    status = scr_recording_end(recording, &said, error);
    if (status == SCR_OK) take_end(&said, end);
  }
  scr_recording_close(recording);
  return status == SCR_NO_MEMORY ? status : SCR_OK;
}

/* Length of the valid UTF-8 sequence at `text`, 0 when there is none. Overlong forms and surrogates are not told apart: the longest harm
 * is an odd character in an error text. */
static size_t sequence_length(const unsigned char *text)
{
  size_t length = text[0] < 0x80                      ? 1
                  : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
                  : (text[0] & 0xf0) == 0xe0          ? 3
                  : text[0] >= 0xf0 && text[0] < 0xf5 ? 4
                                                      : 0;
  for (size_t i = 1; i < length; i++)
    if ((text[i] & 0xc0) != 0x80) return 0;
  return length;
}

/* Appends `text`, which may hold anything, as one line of clean text. */
static void append_clean(char *message, size_t capacity, const char *text)
{
  size_t used = strlen(message);
  const unsigned char *from = (const unsigned char *)text;
  while (*from) {
    size_t length = sequence_length(from);
    if (used + (length ? length : 1) >= capacity) break;
    bool plain = length > 0 && *from >= 32 && *from != 127;
    if (plain)
      memcpy(message + used, from, length);
    else
      message[used] = *from == '\n' ? '|' : ' ';
    used += plain ? length : 1;
    from += length ? length : 1;
  }
  message[used] = 0;
}

/* Appends the last lines of worker.log, whole lines and about 300 bytes at most. */
static void append_log(const char *directory, char *message, size_t capacity)
{
  char path[4200], tail[301];
  snprintf(path, sizeof path, "%s/worker.log", directory);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return;
  off_t size = lseek(fd, 0, SEEK_END);
  off_t from = size > (off_t)sizeof tail - 1 ? size - (off_t)sizeof tail + 1 : 0;
  ssize_t length = pread(fd, tail, sizeof tail - 1, from);
  close(fd);
  while (length > 0 && tail[length - 1] == '\n') length--;
  if (length <= 0) return;
  tail[length] = 0;
  const char *line = from > 0 ? strchr(tail, '\n') : NULL;
  append_clean(message, capacity, "; last log lines: ");
  append_clean(message, capacity, line ? line + 1 : tail);
}

static void explain_death(const attempt_facts *facts, char *message, size_t capacity)
{
  char text[300];
  double megabytes = (double)facts->ended.peak_memory / 1e6;
  int code = facts->ended.code;
  const char *name = facts->ended.by_signal ? sigabbrev_np(code) : NULL;
  if (facts->silent)
    snprintf(text, sizeof text, "the worker did not respond for %g s and was killed", facts->lease_seconds);
  else if (facts->ended.by_signal && code == SIGKILL)
    snprintf(text, sizeof text, "the worker was killed by SIGKILL, by someone or by the system for lack of memory (it had used %.0f MB)",
             megabytes);
  else if (facts->ended.by_signal)
    snprintf(text, sizeof text, "the worker was killed by signal %d (SIG%s; it had used %.0f MB)", code, name ? name : "?", megabytes);
  else if (code == WORKER_NO_MEMORY)
    snprintf(text, sizeof text, "the worker ran out of memory (it had used %.0f MB)", megabytes);
  else if (code == WORKER_IO)
    snprintf(text, sizeof text, "the worker could not read or write a file");
  else if (code == WORKER_SUCCEEDED || code == WORKER_FAILED || code == WORKER_CANCELLED)
    snprintf(text, sizeof text, "the worker ended with exit code %d but left a recording without an end", code);
  else
    snprintf(text, sizeof text, "the worker ended with exit code %d", code);
  append_clean(message, capacity, text);
}

/* A limit that was set far above the estimate: another attempt would reach it too. */
static bool reached_limit(const attempt_facts *facts, char *message, size_t capacity)
{
  char text[300];
  if (facts->ended.by_signal && facts->ended.code == SIGXCPU)
    snprintf(text, sizeof text,
             "the worker took %.0f s of processor time, more than the %.0f s allowed, which are 50 times the estimate and an hour: the run "
             "hangs or its estimate is wrong",
             facts->ended.cpu_seconds, facts->cpu_limit);
  else if (!facts->ended.by_signal && facts->ended.code == WORKER_LIMIT)
    snprintf(text, sizeof text,
             "a file grew beyond the %.0f MB allowed, which are 4 times the estimate and 268 MB: write fewer frames or samples",
             facts->file_limit / 1e6);
  else
    return false;
  append_clean(message, capacity, text);
  return true;
}

/* What its engine did to an attempt is no fault of the job, as long as the job gets on: a time limit too short for a single checkpoint
 * would be met for ever. */
static bool judge_cause(const attempt_facts *facts, attempt_outcome *outcome, char *message, size_t capacity)
{
  const worker_exit *ended = &facts->ended;
  switch (ended->cause) {
  case EXECUTOR_ITSELF: return false;
  case EXECUTOR_DIED: *outcome = ATTEMPT_DIED; break;
  case EXECUTOR_REFUSED: *outcome = ATTEMPT_REFUSED; break;
  case EXECUTOR_CANCELLED: *outcome = facts->asked ? ATTEMPT_STOPPED : ATTEMPT_CANCELLED; break;
  case EXECUTOR_INTERRUPTED: *outcome = facts->asked || facts->progressed ? ATTEMPT_STOPPED : ATTEMPT_DIED; break;
  case EXECUTOR_LOST: *outcome = ATTEMPT_STOPPED; break;
  }
  append_clean(message, capacity, ended->why);
  if (ended->cause == EXECUTOR_INTERRUPTED && *outcome == ATTEMPT_DIED) append_clean(message, capacity, "; this attempt made no progress");
  if (ended->cause == EXECUTOR_DIED) append_log(facts->directory, message, capacity);
  return true;
}

attempt_outcome attempt_judge(const attempt_facts *facts, char *message, size_t capacity)
{
  message[0] = 0;
  if (facts->recording->ended) {
    if (facts->recording->outcome == ATTEMPT_FAILED) append_clean(message, capacity, facts->recording->message);
    return facts->recording->outcome;
  }
  bool exited = !facts->ended.by_signal;
  attempt_outcome outcome = ATTEMPT_DIED;
  bool full = exited && facts->ended.code == WORKER_DISK_FULL;
  if (full || (facts->for_disk && (!exited || facts->ended.code == WORKER_STOPPED))) {
    append_clean(message, capacity, "waiting for free disk space");
    append_clean(message, capacity, full && facts->has_result && facts->text[0] ? ": " : "; it continues when there is enough");
    if (full && facts->has_result) append_clean(message, capacity, facts->text);
    return ATTEMPT_DISK_FULL;
  }
  if (judge_cause(facts, &outcome, message, capacity)) return outcome;
  if (exited && facts->ended.code == WORKER_STOPPED) return ATTEMPT_STOPPED;
  if (facts->asked && !exited) return ATTEMPT_STOPPED; /* it did not obey in time and was killed: its last checkpoint counts */
  if (reached_limit(facts, message, capacity)) return ATTEMPT_REFUSED;
  if (exited && facts->ended.code == WORKER_BUSY) {
    append_clean(message, capacity, "waiting: ");
    outcome = ATTEMPT_BLOCKED;
  } else if (exited && (facts->ended.code == WORKER_BAD_INPUT || facts->ended.code == WORKER_BAD_USAGE)) {
    outcome = ATTEMPT_REFUSED;
  }
  if (outcome == ATTEMPT_DIED || !facts->has_result) explain_death(facts, message, capacity);
  if (facts->has_result && facts->text[0]) {
    if (outcome == ATTEMPT_DIED) append_clean(message, capacity, ": ");
    append_clean(message, capacity, facts->text);
  } else if (outcome != ATTEMPT_BLOCKED)
    append_log(facts->directory, message, capacity);
  return outcome;
}
