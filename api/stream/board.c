/* Job messages, coalesced. Jobs are found by hashing; a log of changes, a ring, leads from a viewer's place to what it has not read. */
#include "api/stream/board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/shapes/job_json.h"

enum { interval_us = 200000 };

char *board_job_text(lab *the_lab, int64_t id, lab_status *status)
{
  lab_job job;
  *status = lab_get(the_lab, id, &job, NULL);
  if (*status != LAB_OK) return NULL;
  json_t *message = json_pack("{s:s, s:o}", "type", "job", "job", job_json(&job));
  char *text = message ? json_dumps(message, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
  json_decref(message);
  if (!text) *status = LAB_FAILED;
  return text;
}

static char *deleted_text(int64_t job)
{
  char text[64];
  snprintf(text, sizeof text, "{\"type\":\"deleted\",\"job\":%lld}", (long long)job);
  return strdup(text);
}

/* ── places ── */

static unsigned *bucket_of(board *b, int64_t job)
{
  return &b->buckets[(uint64_t)job * 0x9e3779b97f4a7c15u >> 32 & (BOARD_BUCKETS - 1)];
}

static board_entry *find(board *b, int64_t job)
{
  unsigned place = *bucket_of(b, job);
  while (place && b->entries[place - 1].job != job) place = b->entries[place - 1].next;
  return place ? &b->entries[place - 1] : NULL;
}

/* Takes a job off. Who has not read its message must ask anew. */
static void take_off(board *b, board_entry *entry)
{
  unsigned place = (unsigned)(entry - b->entries) + 1, *link = bucket_of(b, entry->job);
  while (*link != place) link = &b->entries[*link - 1].next;
  *link = entry->next;
  if (entry->change > b->forgotten) b->forgotten = entry->change;
  free(entry->text);
  *entry = (board_entry){.next = b->free_place};
  b->free_place = place;
  b->count--;
}

/* Makes room on a full board: the job whose message was put up longest ago gives way. False when all are still to be told. */
static bool make_room(board *b)
{
  if (b->changes >= BOARD_LOG && b->tail < b->changes - BOARD_LOG + 1) b->tail = b->changes - BOARD_LOG + 1;
  for (; b->tail <= b->changes; b->tail++) {
    board_entry *entry = &b->entries[b->log[b->tail % BOARD_LOG]];
    if (entry->change != b->tail || b->tail == 0 || entry->pending || entry->asked)
      continue; /* a pending one is put up anew, later in the log */
    take_off(b, entry);
    return true;
  }
  return false;
}

static board_entry *add(board *b, int64_t job)
{
  if (b->count == BOARD_LIMIT && !make_room(b)) return NULL;
  unsigned place = b->free_place;
  if (place)
    b->free_place = b->entries[place - 1].next;
  else
    place = (unsigned)++b->used;
  unsigned *bucket = bucket_of(b, job);
  b->entries[place - 1] = (board_entry){.job = job, .published_us = INT64_MIN / 2, .next = *bucket};
  *bucket = place;
  b->count++;
  return &b->entries[place - 1];
}

/* ── changes ── */

static void set_pending(board *b, board_entry *entry, bool pending)
{
  b->pending_count += (size_t)pending - (size_t)entry->pending;
  entry->pending = pending;
}

/* Numbers a new change and gives its place in the log to `entry`; NULL: to nobody. */
static uint64_t next_change(board *b, const board_entry *entry)
{
  uint64_t change = ++b->changes;
  unsigned *place = &b->log[change % BOARD_LOG];
  board_entry *past = &b->entries[*place];
  bool overtaken = change > BOARD_LOG && past->job && past->change == change - BOARD_LOG && past != entry;
  if (overtaken && !past->pending && !past->asked) take_off(b, past); /* the log no longer leads to it, so nobody would find it */
  if (entry) *place = (unsigned)(entry - b->entries);
  return change;
}

void board_forget(board *b)
{
  b->forgotten = next_change(b, NULL);
}

void board_touch(board *b, int64_t job, bool deleted)
{
  board_entry *entry = find(b, job);
  if (!entry) entry = add(b, job);
  if (!entry) {
    board_forget(b);
    return;
  }
  set_pending(b, entry, true);
  entry->deleted = entry->deleted || deleted;
}

/* Puts a message up as the newest change. */
static void put_up(board *b, board_entry *entry, char *text, int64_t now_us)
{
  free(entry->text);
  entry->text = text;
  entry->published_us = now_us;
  entry->change = next_change(b, entry);
}

size_t board_due(board *b, int64_t now_us, int64_t *jobs, size_t capacity, int64_t *next)
{
  size_t count = 0;
  *next = INT64_MAX;
  for (size_t i = 0; b->pending_count > 0 && i < b->used; i++) {
    board_entry *entry = &b->entries[i];
    if (!entry->pending || entry->asked) continue;
    int64_t due = entry->published_us + interval_us;
    if (due <= now_us && entry->deleted) {
      char *text = deleted_text(entry->job);
      if (text) {
        set_pending(b, entry, false);
        put_up(b, entry, text, now_us);
        continue;
      }
      due = now_us + interval_us; /* no memory: later */
    } else if (due <= now_us && count < capacity) {
      set_pending(b, entry, false);
      entry->asked = true;
      jobs[count++] = entry->job;
      continue;
    } else if (due <= now_us) {
      due = now_us;
    }
    if (due < *next) *next = due;
  }
  return count;
}

void board_answer(board *b, int64_t job, char *text, bool again, int64_t now_us)
{
  board_entry *entry = find(b, job);
  if (!entry || !entry->asked) {
    free(text);
    return;
  }
  entry->asked = false;
  if (text)
    put_up(b, entry, text, now_us);
  else if (again) {
    entry->published_us = now_us;
    set_pending(b, entry, true);
  }
}

/* ── reading ── */

bool board_missed(const board *b, uint64_t seen)
{
  return seen < b->forgotten || (b->changes > BOARD_LOG && seen < b->changes - BOARD_LOG);
}

const board_entry *board_next(const board *b, uint64_t *seen, bool (*wanted)(const void *user, const board_entry *entry), const void *user)
{
  while (*seen < b->changes) {
    uint64_t change = ++*seen;
    const board_entry *entry = &b->entries[b->log[change % BOARD_LOG]];
    if (entry->job && entry->change == change && wanted(user, entry)) return entry;
  }
  return NULL;
}

void board_clear(board *b)
{
  for (size_t i = 0; i < b->used; i++) free(b->entries[i].text);
  *b = (board){0};
}
