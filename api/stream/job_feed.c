/* Job messages, coalesced. Jobs are found by hashing; a log of changes, a ring, leads from a viewer's place to what it has not read. */
#include "api/stream/job_feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/shapes/job_json.h"

enum { interval_us = 200000 };

char *job_feed_text(lab *the_lab, int64_t id, lab_status *status)
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

static unsigned *bucket_of(job_feed *b, int64_t job)
{
  return &b->buckets[(uint64_t)job * 0x9e3779b97f4a7c15u >> 32 & (JOB_FEED_BUCKETS - 1)];
}

static job_feed_entry *find(job_feed *b, int64_t job)
{
  unsigned place = *bucket_of(b, job);
  while (place && b->entries[place - 1].job != job) place = b->entries[place - 1].next;
  return place ? &b->entries[place - 1] : NULL;
}

/* Takes a job off. Who has not read its message must ask anew. */
static void take_off(job_feed *b, job_feed_entry *entry)
{
  unsigned place = (unsigned)(entry - b->entries) + 1, *link = bucket_of(b, entry->job);
  while (*link != place) link = &b->entries[*link - 1].next;
  *link = entry->next;
  if (entry->change > b->forgotten) b->forgotten = entry->change;
  free(entry->text);
  *entry = (job_feed_entry){.next = b->free_place};
  b->free_place = place;
  b->count--;
}

/* Makes room on a full feed: the job whose message was written longest ago gives way. False when all are still to be told. */
static bool reserve(job_feed *b)
{
  if (b->changes >= JOB_FEED_LOG && b->tail < b->changes - JOB_FEED_LOG + 1) b->tail = b->changes - JOB_FEED_LOG + 1;
  for (; b->tail <= b->changes; b->tail++) {
    job_feed_entry *entry = &b->entries[b->log[b->tail % JOB_FEED_LOG]];
    if (entry->change != b->tail || b->tail == 0 || entry->pending || entry->asked)
      continue; /* a pending one is put up anew, later in the log */
    take_off(b, entry);
    return true;
  }
  return false;
}

static job_feed_entry *add(job_feed *b, int64_t job)
{
  if (b->count == JOB_FEED_LIMIT && !reserve(b)) return NULL;
  unsigned place = b->free_place;
  if (place)
    b->free_place = b->entries[place - 1].next;
  else
    place = (unsigned)++b->used;
  unsigned *bucket = bucket_of(b, job);
  b->entries[place - 1] = (job_feed_entry){.job = job, .published_us = INT64_MIN / 2, .next = *bucket};
  *bucket = place;
  b->count++;
  return &b->entries[place - 1];
}

/* ── changes ── */

static void set_pending(job_feed *b, job_feed_entry *entry, bool pending)
{
  b->pending_count += (size_t)pending - (size_t)entry->pending;
  entry->pending = pending;
}

/* Numbers a new change and gives its place in the log to `entry`; NULL: to nobody. */
static uint64_t next_change(job_feed *b, const job_feed_entry *entry)
{
  uint64_t change = ++b->changes;
  unsigned *place = &b->log[change % JOB_FEED_LOG];
  job_feed_entry *past = &b->entries[*place];
  bool overtaken = change > JOB_FEED_LOG && past->job && past->change == change - JOB_FEED_LOG && past != entry;
  if (overtaken && !past->pending && !past->asked) take_off(b, past); /* the log no longer leads to it, so nobody would find it */
  if (entry) *place = (unsigned)(entry - b->entries);
  return change;
}

void job_feed_forget(job_feed *b)
{
  b->forgotten = next_change(b, NULL);
}

void job_feed_touch(job_feed *b, int64_t job, bool deleted)
{
  job_feed_entry *entry = find(b, job);
  if (!entry) entry = add(b, job);
  if (!entry) {
    job_feed_forget(b);
    return;
  }
  set_pending(b, entry, true);
  entry->deleted = entry->deleted || deleted;
}

/* Puts a message up as the newest change. */
static void put_up(job_feed *b, job_feed_entry *entry, char *text, int64_t now_us)
{
  free(entry->text);
  entry->text = text;
  entry->published_us = now_us;
  entry->change = next_change(b, entry);
}

size_t job_feed_due(job_feed *b, int64_t now_us, int64_t *jobs, size_t capacity, int64_t *next)
{
  size_t count = 0;
  *next = INT64_MAX;
  for (size_t i = 0; b->pending_count > 0 && i < b->used; i++) {
    job_feed_entry *entry = &b->entries[i];
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

void job_feed_answer(job_feed *b, int64_t job, char *text, bool again, int64_t now_us)
{
  job_feed_entry *entry = find(b, job);
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

bool job_feed_missed(const job_feed *b, uint64_t seen)
{
  return seen < b->forgotten || (b->changes > JOB_FEED_LOG && seen < b->changes - JOB_FEED_LOG);
}

const job_feed_entry *job_feed_next(const job_feed *b, uint64_t *seen, bool (*wanted)(const void *user, const job_feed_entry *entry),
                                    const void *user)
{
  while (*seen < b->changes) {
    uint64_t change = ++*seen;
    const job_feed_entry *entry = &b->entries[b->log[change % JOB_FEED_LOG]];
    if (entry->job && entry->change == change && wanted(user, entry)) return entry;
  }
  return NULL;
}

void job_feed_clear(job_feed *b)
{
  for (size_t i = 0; i < b->used; i++) free(b->entries[i].text);
  *b = (job_feed){0};
}
