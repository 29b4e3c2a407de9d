/* Job messages, coalesced. */
#include "api/stream/board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/shapes/job_json.h"

enum { interval_us = 200000 };

char *board_job_text(lab *the_lab, int64_t id)
{
  lab_job job;
  if (lab_get(the_lab, id, &job, NULL) != LAB_OK) return NULL;
  json_t *message = json_pack("{s:s, s:o}", "type", "job", "job", job_json(&job));
  char *text = message ? json_dumps(message, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
  json_decref(message);
  return text;
}

static char *deleted_text(int64_t job)
{
  char text[64];
  snprintf(text, sizeof text, "{\"type\":\"deleted\",\"job\":%lld}", (long long)job);
  return strdup(text);
}

static board_entry *find_or_add(board *b, int64_t job)
{
  board_entry *oldest = &b->entries[0];
  for (size_t i = 0; i < b->count; i++) {
    if (b->entries[i].job == job) return &b->entries[i];
    if (b->entries[i].change < oldest->change) oldest = &b->entries[i];
  }
  board_entry *entry = oldest;
  if (b->count < BOARD_LIMIT)
    entry = &b->entries[b->count++];
  else
    free(entry->text);
  *entry = (board_entry){.job = job, .published_us = INT64_MIN / 2};
  return entry;
}

void board_touch(board *b, int64_t job, bool deleted)
{
  board_entry *entry = find_or_add(b, job);
  entry->pending = true;
  entry->deleted = entry->deleted || deleted;
}

int64_t board_publish(board *b, lab *the_lab, int64_t now_us)
{
  int64_t next = INT64_MAX;
  for (size_t i = 0; i < b->count; i++) {
    board_entry *entry = &b->entries[i];
    if (!entry->pending) continue;
    int64_t due = entry->published_us + interval_us;
    if (due > now_us) {
      if (due < next) next = due;
      continue;
    }
    entry->pending = false;
    char *text = entry->deleted ? deleted_text(entry->job) : board_job_text(the_lab, entry->job);
    if (!text) continue; /* deleted meanwhile: that message follows */
    free(entry->text);
    entry->text = text;
    entry->published_us = now_us;
    entry->change = ++b->changes;
  }
  return next;
}

const board_entry *board_next(const board *b, uint64_t seen, bool (*wanted)(const void *user, const board_entry *entry), const void *user)
{
  const board_entry *best = NULL;
  for (size_t i = 0; i < b->count; i++) {
    const board_entry *entry = &b->entries[i];
    if (entry->change <= seen || (best && entry->change > best->change)) continue;
    if (wanted(user, entry)) best = entry;
  }
  return best;
}

void board_clear(board *b)
{
  for (size_t i = 0; i < b->count; i++) free(b->entries[i].text);
  b->count = 0;
}
