/* Readers of recordings, and the records read last: ten viewers of one run cost one read per frame. */
#include "api/stream/feed.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

void block_release(stream_block *block)
{
  if (block && --block->references == 0) free(block);
}

lab_status feed_take(feed **feeds, lab *the_lab, int64_t job, feed **out, scr_error *error)
{
  for (feed *f = *feeds; f; f = f->next)
    if (f->job == job) {
      f->viewers++;
      *out = f;
      return LAB_OK;
    }
  char path[PATH_MAX];
  lab_status status = lab_job_file(the_lab, job, "recording.scree", path, sizeof path, error);
  if (status != LAB_OK) return status;
  feed *f = calloc(1, sizeof *f + strlen(path) + 1);
  if (!f) {
    (void)scr_fail_memory(error, "a viewer", sizeof *f);
    return LAB_FAILED;
  }
  memcpy(f->path, path, strlen(path) + 1);
  f->job = job;
  f->viewers = 1;
  f->next = *feeds;
  *feeds = f;
  feed_refresh(f);
  *out = f;
  return LAB_OK;
}

void feed_give(feed **feeds, feed *f)
{
  if (--f->viewers > 0) return;
  for (feed **link = feeds; *link; link = &(*link)->next)
    if (*link == f) {
      *link = f->next;
      break;
    }
  block_release(f->recent[0]);
  block_release(f->recent[1]);
  scr_recording_close(f->recording);
  free(f);
}

void feed_refresh(feed *f)
{
  if (!f->recording) {
    if (access(f->path, R_OK) != 0 || scr_recording_open(f->path, &f->recording, NULL) != SCR_OK) f->recording = NULL;
  } else {
    (void)scr_recording_refresh(f->recording, NULL);
  }
}

uint64_t feed_count(const feed *f)
{
  return f->recording ? scr_recording_count(f->recording) : 0;
}

bool feed_ended(const feed *f)
{
  return f->recording && scr_recording_ended(f->recording);
}

uint64_t feed_next(const feed *f, uint64_t seq, unsigned mask)
{
  return f->recording ? scr_recording_next(f->recording, seq, mask) : 0;
}

uint64_t feed_newest(const feed *f, unsigned mask)
{
  return f->recording ? scr_recording_newest(f->recording, mask) : 0;
}

unsigned feed_type(const feed *f, uint64_t seq)
{
  const scr_record_header *header = f->recording ? scr_recording_header(f->recording, seq) : NULL;
  return header ? header->type : 0;
}

stream_block *feed_read(feed *f, uint64_t seq, scr_error *error)
{
  const scr_record_header *header = f->recording ? scr_recording_header(f->recording, seq) : NULL;
  if (!header) {
    (void)scr_fail(error, SCR_BAD_FILE, NULL, "record %llu is not there", (unsigned long long)seq);
    return NULL;
  }
  stream_block **recent = &f->recent[header->type == SCR_RECORD_FRAME ? 0 : 1];
  if (*recent && (*recent)->seq == seq) {
    (*recent)->references++;
    return *recent;
  }
  size_t size = SCR_RECORD_BYTES(header->size);
  stream_block *block = malloc(sizeof *block + size);
  if (!block) {
    (void)scr_fail_memory(error, "a record", size);
    return NULL;
  }
  *block = (stream_block){.references = 2, .seq = seq, .size = size}; /* the caller's and ours */
  if (scr_recording_read(f->recording, seq, block->bytes, size, error) != SCR_OK) {
    free(block);
    return NULL;
  }
  block_release(*recent);
  *recent = block;
  return block;
}
