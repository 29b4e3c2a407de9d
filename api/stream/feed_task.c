/* A feed's work on a reader's thread. While there is a task, nobody else touches the recording. */
#include "api/stream/feed_task.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/stream/job_feed.h"
#include "base/error.h"
#include "record/frame/visible_points.h"

enum { task_bytes = 64 << 20 }; /* read at most for one task; the rest is asked for again */

struct feed_source {
  lab *lab;
  int64_t job;
  char path[PATH_MAX];      /* of the recording; "" until the lab has told */
  scr_recording *recording; /* NULL until something is recorded */
  uint32_t points;          /* most of a drawable in a frame; 0: all */
  scr_topology topology;    /* read for the first frame that is not to have all */
  bool has_topology;
};

feed_source *feed_source_new(lab *the_lab, int64_t job, uint32_t points)
{
  feed_source *source = calloc(1, sizeof *source);
  if (!source) return NULL;
  source->lab = the_lab;
  source->job = job;
  source->points = points;
  return source;
}

void feed_source_free(feed_source *source)
{
  if (!source) return;
  topology_clear(&source->topology);
  scr_recording_close(source->recording);
  free(source);
}

/* ── on the reader's thread ── */

/* The job's message, and once where its recording is. */
static void describe(feed_task *task)
{
  feed_source *source = task->source;
  task->status = LAB_OK;
  if (!source->path[0]) {
    task->status = lab_job_file(source->lab, source->job, "recording.scree", source->path, sizeof source->path, &task->error);
    if (task->status != LAB_OK) source->path[0] = '\0';
  }
  if (task->status == LAB_OK) task->job_text = job_feed_text(source->lab, source->job, &task->status);
}

/* A recording that can't be read stays as it was known. */
static void look(feed_task *task)
{
  feed_source *source = task->source;
  if (source->recording)
    (void)scr_recording_refresh(source->recording, NULL);
  else if (!source->path[0] || access(source->path, R_OK) != 0 || scr_recording_open(source->path, &source->recording, NULL) != SCR_OK)
    source->recording = NULL;
  uint64_t count = source->recording ? scr_recording_count(source->recording) : 0;
  if (count <= task->known) return;
  task->types = malloc(count - task->known);
  if (!task->types) return; /* found again by the next look */
  for (uint64_t seq = task->known + 1; seq <= count; seq++)
    task->types[task->type_count++] = (unsigned char)scr_recording_header(source->recording, seq)->type;
}

static bool add_block(feed_task *task, stream_block *block)
{
  if (task->block_count == task->block_capacity) {
    size_t capacity = task->block_capacity ? task->block_capacity * 2 : 64;
    stream_block **blocks = realloc(task->blocks, capacity * sizeof *blocks);
    if (!blocks) return false;
    task->blocks = blocks;
    task->block_capacity = capacity;
  }
  task->blocks[task->block_count++] = block;
  return true;
}

/* A frame with fewer points, where the source is to have fewer. `*block` stays NULL when the record is to be read as it is. */
static scr_status read_outside(feed_source *source, uint64_t seq, stream_block **block, scr_error *error)
{
  unsigned char *record = NULL;
  size_t size = 0;
  if (source->points == 0 || scr_recording_header(source->recording, seq)->type != SCR_RECORD_FRAME) return SCR_OK;
  if (!source->has_topology) SCR_TRY(topology_read(source->recording, &source->topology, &source->has_topology, error));
  if (!source->has_topology) return SCR_OK;
  SCR_TRY(record_read_outside(source->recording, &source->topology, seq, source->points, &record, &size, error));
  *block = malloc(sizeof **block + size);
  if (*block) {
    **block = (stream_block){.references = 1, .seq = seq, .size = size};
    memcpy((*block)->bytes, record, size);
  }
  free(record);
  return *block ? SCR_OK : scr_fail_memory(error, "a record", size);
}

/* Reads one record. @return its bytes; 0: it could not be read */
static size_t read_one(feed_task *task, uint64_t seq, scr_error *error)
{
  scr_recording *recording = task->source->recording;
  const scr_record_header *header = recording ? scr_recording_header(recording, seq) : NULL;
  if (!header) {
    (void)scr_fail(error, SCR_BAD_FILE, NULL, "record %llu is not there", (unsigned long long)seq);
    return 0;
  }
  stream_block *less = NULL;
  if (read_outside(task->source, seq, &less, error) != SCR_OK) return 0;
  if (less) {
    if (add_block(task, less)) return less->size;
    free(less);
    (void)scr_fail_memory(error, "a record", sizeof *less);
    return 0;
  }
  size_t size = SCR_RECORD_BYTES(header->size);
  stream_block *block = malloc(sizeof *block + size);
  if (!block) {
    (void)scr_fail_memory(error, "a record", size);
    return 0;
  }
  *block = (stream_block){.references = 1, .seq = seq, .size = size};
  if (scr_recording_read(recording, seq, block->bytes, size, error) == SCR_OK && add_block(task, block)) return size;
  free(block);
  return 0;
}

static bool has_block(const feed_task *task, uint64_t seq)
{
  for (size_t i = 0; i < task->block_count; i++)
    if (task->blocks[i]->seq == seq) return true;
  return false;
}

/* Reads a wanted record and, as whoever wants it will want those next, some of those after it. @return bytes */
static size_t read_run(feed_task *task, const feed_read *wanted)
{
  if (has_block(task, wanted->seq)) return 0;
  size_t bytes = read_one(task, wanted->seq, &task->read_error);
  if (bytes == 0) {
    task->failed[task->failed_count++] = wanted->seq;
    return 0;
  }
  uint64_t seq = wanted->seq;
  for (size_t i = 1; wanted->mask && i < FEED_RUN_RECORDS && bytes < FEED_RUN_BYTES; i++) {
    seq = scr_recording_next(task->source->recording, seq, wanted->mask);
    if (seq == 0 || has_block(task, seq)) break;
    size_t size = read_one(task, seq, NULL); /* a damaged one is complained about when it is wanted */
    if (size == 0) break;
    bytes += size;
  }
  return bytes;
}

static void run(reader_task *base)
{
  feed_task *task = (feed_task *)base;
  if (task->describe) describe(task);
  if (task->look) look(task);
  size_t bytes = 0;
  for (size_t i = 0; i < task->read_count && bytes < task_bytes; i++) bytes += read_run(task, &task->reads[i]);
}

/* ── on the stream's thread ── */

reader_task *feed_task_new(feed *f, bool looks, bool describes)
{
  feed_task *task = calloc(1, sizeof *task);
  if (!task) return NULL;
  task->base.run = run;
  task->base.slow = looks && !f->source->recording;
  task->feed = f;
  task->source = f->source;
  task->look = looks;
  task->describe = describes;
  task->asked = f->asked;
  task->known = f->count;
  task->read_count = f->wanted_count;
  memcpy(task->reads, f->wanted, f->wanted_count * sizeof *f->wanted);
  return &task->base;
}

bool feed_task_is(const reader_task *task)
{
  return task->run == run;
}

void feed_task_free(reader_task *base)
{
  feed_task *task = (feed_task *)base;
  for (size_t i = 0; i < task->block_count; i++)
    if (task->blocks[i]->held)
      block_release(task->blocks[i]);
    else
      free(task->blocks[i]); /* never taken over */
  feed_source_free(task->source);
  free(task->blocks);
  free(task->types);
  free(task->job_text);
  free(task);
}

stream_block *feed_task_block(const reader_task *base, uint64_t seq, bool *failed, scr_error *error)
{
  const feed_task *task = (const feed_task *)base;
  *failed = false;
  for (size_t i = 0; i < task->block_count; i++)
    if (task->blocks[i]->seq == seq) {
      task->blocks[i]->references++;
      return task->blocks[i];
    }
  for (size_t i = 0; i < task->failed_count; i++)
    if (task->failed[i] == seq) {
      *failed = true;
      *error = task->read_error;
    }
  return NULL;
}
