/* What a feed knows and keeps. The files are feed_task.c's. */
#include "api/stream/feed.h"

#include <stdlib.h>
#include <string.h>

#include "api/stream/feed_task.h"

/* ── life ── */

feed *feed_take(feed_set *set, int64_t job, uint32_t points)
{
  feed *f = set->first;
  while (f && (f->job != job || f->points != points)) f = f->next;
  if (!f) {
    f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->set = set;
    f->job = job;
    f->points = points;
    f->source = feed_source_new(set->lab, job, points);
    if (!f->source) {
      free(f);
      return NULL;
    }
    f->next = set->first;
    set->first = f;
  }
  f->viewers++;
  f->asked++;
  return f;
}

static void destroy(feed *f)
{
  for (feed **link = &f->set->first; *link; link = &(*link)->next)
    if (*link == f) {
      *link = f->next;
      break;
    }
  for (size_t i = 0; i < FEED_KEPT; i++) block_release(f->kept[i]);
  block_release(f->frames[0]);
  block_release(f->frames[1]);
  for (size_t type = 0; type < SCR_RECORD_TYPE_COUNT; type++) free(f->lists[type].seqs);
  feed_source_free(f->source);
  free(f->job_text);
  free(f);
}

void feed_give(feed *f)
{
  if (--f->viewers == 0 && f->source) destroy(f);
}

void feed_hold(feed *f)
{
  f->viewers++;
}

/* ── tasks ── */

reader_task *feed_make_task(feed *f, int64_t now_us, int64_t *wait_until_us)
{
  if (!f->source) return NULL;
  bool describe = f->asked > f->answered, look = describe || (f->look && now_us >= f->look_us);
  if (f->look && !look && f->look_us < *wait_until_us) *wait_until_us = f->look_us;
  if (!look && f->wanted_count == 0) return NULL;
  reader_task *task = feed_task_new(f, look, describe);
  if (!task) {
    if (now_us + FEED_LOOK_US < *wait_until_us) *wait_until_us = now_us + FEED_LOOK_US; /* no memory: later */
    return NULL;
  }
  if (look) {
    f->look = false;
    f->look_us = now_us + FEED_LOOK_US;
  }
  f->wanted_count = 0;
  f->source = NULL;
  return task;
}

/* Notes what new records there are. False when there is no memory; what was noted stays, and the rest is found again. */
static bool note_records(feed *f, const unsigned char *types, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    seq_list *list = &f->lists[types[i]];
    if (list->count == list->capacity) {
      size_t capacity = list->capacity ? list->capacity * 2 : 16;
      uint64_t *seqs = realloc(list->seqs, capacity * sizeof *seqs);
      if (!seqs) return false;
      list->seqs = seqs;
      list->capacity = capacity;
    }
    list->seqs[list->count++] = ++f->count;
  }
  return true;
}

/* Keeps a record for the next viewer. Of the frames the two newest read: the others are rarely asked for twice. */
static void keep(feed *f, stream_block *block)
{
  bool frame = ((const scr_record_header *)(const void *)block->bytes)->type == SCR_RECORD_FRAME;
  stream_block **place = frame ? &f->frames[0] : &f->kept[block->seq % FEED_KEPT];
  if (!frame && (block->size > FEED_KEPT_BYTES || f->set->held > f->set->kept_limit)) return;
  if (frame) {
    block_release(f->frames[1]);
    f->frames[1] = f->frames[0];
    f->frames[0] = NULL;
  }
  block_release(*place);
  block->references++;
  *place = block;
}

feed *feed_take_over(feed_set *set, reader_task *base)
{
  feed_task *task = (feed_task *)base;
  feed *f = task->feed;
  for (size_t i = 0; i < task->block_count; i++) {
    task->blocks[i]->held = &set->held;
    set->held += task->blocks[i]->size;
  }
  f->source = task->source;
  task->source = NULL;
  if (f->viewers == 0) {
    destroy(f);
    return NULL;
  }
  if (!note_records(f, task->types, task->type_count)) f->look = true;
  for (size_t i = 0; i < task->block_count; i++) keep(f, task->blocks[i]);
  if (!task->describe) return f;
  f->answered = task->asked;
  f->status = task->status;
  memcpy(f->detail, task->error.message, sizeof f->detail < sizeof task->error.message ? sizeof f->detail : sizeof task->error.message);
  f->detail[sizeof f->detail - 1] = '\0';
  free(f->job_text);
  f->job_text = task->job_text;
  task->job_text = NULL;
  return f;
}

/* ── records ── */

/* How many seqs of a list are at most `seq`. Most who ask stand at its end. */
static size_t rank(const seq_list *list, uint64_t seq)
{
  size_t low = 0, high = list->count;
  if (high > 0 && list->seqs[high - 1] <= seq) return high;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (list->seqs[middle] <= seq)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

uint64_t feed_count(const feed *f)
{
  return f->count;
}

bool feed_ended(const feed *f)
{
  return f->lists[SCR_RECORD_END].count > 0;
}

uint64_t feed_next(const feed *f, uint64_t seq, unsigned mask)
{
  uint64_t found = 0;
  for (size_t type = 0; type < SCR_RECORD_TYPE_COUNT; type++) {
    const seq_list *list = &f->lists[type];
    if (!(mask & 1u << type) || list->count == 0) continue;
    size_t at = rank(list, seq);
    if (at < list->count && (found == 0 || list->seqs[at] < found)) found = list->seqs[at];
  }
  return found;
}

uint64_t feed_newest(const feed *f, unsigned mask)
{
  uint64_t newest = 0;
  for (size_t type = 0; type < SCR_RECORD_TYPE_COUNT; type++) {
    const seq_list *list = &f->lists[type];
    if (mask & 1u << type && list->count > 0 && list->seqs[list->count - 1] > newest) newest = list->seqs[list->count - 1];
  }
  return newest;
}

size_t feed_between(const feed *f, uint64_t after, uint64_t before, unsigned type)
{
  if (before <= after + 1) return 0;
  return rank(&f->lists[type], before - 1) - rank(&f->lists[type], after);
}

stream_block *feed_block(feed *f, uint64_t seq, unsigned mask)
{
  stream_block *const places[] = {f->kept[seq % FEED_KEPT], f->frames[0], f->frames[1]};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (places[i] && places[i]->seq == seq) {
      places[i]->references++;
      return places[i];
    }
  for (size_t i = 0; i < f->wanted_count; i++)
    if (f->wanted[i].seq == seq) return NULL;
  if (f->set->held > f->set->limit)
    f->set->limit_reached = true;
  else if (f->wanted_count < FEED_WANTED)
    f->wanted[f->wanted_count++] = (feed_read){.seq = seq, .mask = mask};
  return NULL;
}

stream_block *feed_newest_frame(feed *f, uint64_t seq)
{
  stream_block *newest = NULL;
  for (size_t i = 0; i < 2; i++)
    if (f->frames[i] && f->frames[i]->seq > seq && (!newest || f->frames[i]->seq > newest->seq)) newest = f->frames[i];
  if (newest) newest->references++;
  return newest;
}
