/* Judging an attempt. The recording's `end` record is the truth: when it is there, it stands however the worker's process went. Without one
 * the exit code says whether the worker stopped as asked, could not begin, would fail again, or died. Runs on the supervisor's thread. */
#include "server/verdict.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The one piece of JSON the server reads: the payload of an `end` record (core/record/README.md). */
static bool read_end_record(scr_recording *recording, uint64_t seq, recording_end *end)
{
  const scr_record_header *header = scr_recording_header(recording, seq);
  if (!header) return false;
  size_t payload_size = header->size, capacity = SCR_RECORD_BYTES(payload_size);
  char *record = aligned_alloc(8, capacity);
  if (!record) return false;
  json_t *object = NULL;
  if (scr_recording_read(recording, seq, record, capacity, NULL) == SCR_OK)
    object = json_loadb(record + sizeof(scr_record_header), payload_size, JSON_REJECT_DUPLICATES, NULL);
  free(record);
  const char *verdict = json_string_value(json_object_get(object, "verdict"));
  const char *message = json_string_value(json_object_get(object, "message"));
  bool known = true;
  if (verdict && strcmp(verdict, "succeeded") == 0)
    end->outcome = ATTEMPT_SUCCEEDED;
  else if (verdict && strcmp(verdict, "failed") == 0)
    end->outcome = ATTEMPT_FAILED;
  else if (verdict && strcmp(verdict, "cancelled") == 0)
    end->outcome = ATTEMPT_CANCELLED;
  else
    known = false;
  snprintf(end->message, sizeof end->message, "%s", message ? message : "");
  end->step = (uint64_t)json_integer_value(json_object_get(object, "step"));
  end->sim_time = json_number_value(json_object_get(object, "sim_time"));
  end->peak_force = json_number_value(json_object_get(object, "peak_force"));
  end->broken_bonds = json_number_value(json_object_get(object, "broken_bonds"));
  json_decref(object);
  return known;
}

void recording_end_read(const char *directory, recording_end *end)
{
  *end = (recording_end){0};
  char path[4200];
  snprintf(path, sizeof path, "%s/recording.scree", directory);
  scr_recording *recording = NULL;
  if (access(path, R_OK) != 0 || scr_recording_open(path, &recording, NULL) != SCR_OK) return;
  end->last_seq = scr_recording_count(recording);
  if (scr_recording_ended(recording)) end->ended = read_end_record(recording, end->last_seq, end);
  scr_recording_close(recording);
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
  int fd = open(path, O_RDONLY | O_CLOEXEC);
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
    snprintf(text, sizeof text, "the worker gave no sign of life for %g s and was killed", facts->lease_seconds);
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

attempt_outcome attempt_judge(const attempt_facts *facts, char *message, size_t capacity)
{
  message[0] = 0;
  if (facts->recording->ended) {
    if (facts->recording->outcome == ATTEMPT_FAILED) append_clean(message, capacity, facts->recording->message);
    return facts->recording->outcome;
  }
  bool exited = !facts->ended.by_signal;
  attempt_outcome outcome = ATTEMPT_DIED;
  if (exited && facts->ended.code == WORKER_STOPPED) return ATTEMPT_STOPPED;
  if (facts->asked && !exited) return ATTEMPT_STOPPED; /* it did not obey in time and was killed: its last checkpoint counts */
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
