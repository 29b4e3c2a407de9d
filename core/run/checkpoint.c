/* Checkpoints: the whole state of a run between two steps, in a file of its own (see README.md for the bytes).
 *
 * A checkpoint names the record it was taken behind. It is written after the recording has been synced, as a whole or not at all; one
 * that is damaged, of another scene or of another recording is as good as none. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "record/file/crc32c.h"
#include "record/file/file_writer.h"
#include "run/runner.h"

#define CHECKPOINT_MAGIC "SCRCKPT\12"

typedef struct checkpoint_header {
  char magic[8];
  uint32_t crc32c;    /* of all that follows the header */
  uint32_t scene_crc; /* CRC-32C of the scene record's payload: scene, version and processor */
  uint64_t size;      /* bytes that follow the header */
  uint64_t reserved;  /* 0 */
} checkpoint_header;

static_assert(sizeof(checkpoint_header) == 32, "on-disk layout");

/* What was recorded of each table, and the rows that were not yet. */
static scr_status save_tables(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  for (size_t k = 0; k < sim->table_count; k++) {
    const table_log *log = &sim->tables[k];
    size_t values = log->table.row_count * log->table.column_count;
    SCR_TRY(scr_blob_write_u64(blob, log->recorded, error));
    SCR_TRY(scr_blob_write_u64(blob, log->announced, error));
    SCR_TRY(scr_blob_write_array(blob, log->table.values, values, sizeof *log->table.values, error));
  }
  return SCR_OK;
}

/* The runner's part: where the recording was, what was counted, samples and rows of tables not yet recorded. */
static scr_status save_runner(const runner *run, scr_blob *blob, scr_error *error)
{
  size_t range_count = 0;
  const double *ranges = frame_ranges(run->frame, &range_count);
  SCR_TRY(scr_blob_write_u64(blob, recording_writer_seq(run->writer), error));
  SCR_TRY(scr_blob_write_u64(blob, recording_writer_offset(run->writer), error));
  SCR_TRY(scr_blob_write_u64(blob, run->totals.samples, error));
  SCR_TRY(scr_blob_write_u64(blob, run->totals.frames, error));
  for (size_t k = 0; k < SCR_HEADLINE_LIMIT; k++) SCR_TRY(scr_blob_write_f64(blob, run->totals.headlines[k], error));
  SCR_TRY(energy_monitor_save(&run->watch, blob, error));
  SCR_TRY(rig_monitor_save(&run->rig, blob, error));
  SCR_TRY(scr_blob_write_u64(blob, run->totals.doubts_recorded, error));
  SCR_TRY(scr_blob_write_array(blob, run->sim->doubts, run->sim->doubt_count, sizeof *run->sim->doubts, error));
  SCR_TRY(scr_blob_write_array(blob, ranges, range_count, sizeof *ranges, error));
  SCR_TRY(scr_blob_write_array(blob, run->rule_peaks, run->scene->time.stop_rule_count, sizeof *run->rule_peaks, error));
  SCR_TRY(scr_blob_write_array(blob, run->pending, run->pending_count * run->sim->series_count, sizeof *run->pending, error));
  return save_tables(run->sim, blob, error);
}

static scr_status load_table(table_log *log, scr_blob *blob, scr_error *error)
{
  size_t values = 0, columns = log->table.column_count;
  uint64_t announced = 0;
  SCR_TRY(scr_blob_read_u64(blob, &log->recorded, error));
  SCR_TRY(scr_blob_read_u64(blob, &announced, error));
  SCR_TRY(scr_blob_peek_count(blob, &values, error));
  if (values % columns != 0 || values > (blob->size - blob->cursor) / sizeof(double))
    return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint is too short for %zu pending values of table '%s'", values, log->table.name);
  SCR_TRY(table_log_reserve(log, values / columns, error));
  SCR_TRY(scr_blob_read_array(blob, log->table.values, values, sizeof(double), "pending rows of a table", error));
  log->table.row_count = values / columns;
  log->announced = announced != 0;
  return SCR_OK;
}

static scr_status load_tables(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  for (size_t k = 0; k < sim->table_count; k++) SCR_TRY(load_table(&sim->tables[k], blob, error));
  return SCR_OK;
}

static scr_status load_doubts(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  size_t count = 0;
  SCR_TRY(scr_blob_peek_count(blob, &count, error));
  if (count > SCR_DOUBT_LIMIT)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint holds %zu doubts; at most %d are possible", count, SCR_DOUBT_LIMIT);
  SCR_TRY(scr_blob_read_array(blob, sim->doubts, count, sizeof *sim->doubts, "doubts", error));
  sim->doubt_count = count;
  for (size_t k = 0; k < count; k++) {
    sim->doubts[k].kind[sizeof sim->doubts[k].kind - 1] = '\0';
    sim->doubts[k].message[sizeof sim->doubts[k].message - 1] = '\0';
  }
  return SCR_OK;
}

static scr_status load_runner(runner *run, scr_blob *blob, uint64_t *seq, uint64_t *offset, scr_error *error)
{
  SCR_TRY(scr_blob_read_u64(blob, seq, error));
  SCR_TRY(scr_blob_read_u64(blob, offset, error));
  SCR_TRY(scr_blob_read_u64(blob, &run->totals.samples, error));
  SCR_TRY(scr_blob_read_u64(blob, &run->totals.frames, error));
  for (size_t k = 0; k < SCR_HEADLINE_LIMIT; k++) SCR_TRY(scr_blob_read_f64(blob, &run->totals.headlines[k], error));
  SCR_TRY(energy_monitor_load(&run->watch, blob, error));
  SCR_TRY(rig_monitor_load(&run->rig, blob, error));
  SCR_TRY(scr_blob_read_u64(blob, &run->totals.doubts_recorded, error));
  SCR_TRY(load_doubts(run->sim, blob, error));
  size_t range_count = 0;
  double *ranges = frame_ranges(run->frame, &range_count);
  SCR_TRY(scr_blob_read_array(blob, ranges, range_count, sizeof *ranges, "ranges of fields", error));
  SCR_TRY(scr_blob_read_array(blob, run->rule_peaks, run->scene->time.stop_rule_count, sizeof *run->rule_peaks, "stop rules", error));
  size_t values = 0, row = run->sim->series_count;
  SCR_TRY(scr_blob_peek_count(blob, &values, error));
  if (values % row != 0 || values / row >= RUN_BATCH_SAMPLES)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint holds %zu pending values for %zu curves", values, row);
  SCR_TRY(scr_blob_read_array(blob, run->pending, values, sizeof *run->pending, "pending samples", error));
  run->pending_count = values / row;
  return load_tables(run->sim, blob, error);
}

/* Where a checkpoint's bytes go: the file, and their checksum. */
typedef struct checkpoint_sink {
  file_writer writer;
  uint32_t crc32c;
} checkpoint_sink;

static scr_status take_bytes(void *user, const void *bytes, size_t size, scr_error *error)
{
  checkpoint_sink *sink = user;
  sink->crc32c = crc32c(sink->crc32c, bytes, size);
  return file_writer_write(&sink->writer, bytes, size, error);
}

/* The header comes first and is known last: its place is kept. */
static scr_status write_checkpoint(runner *run, checkpoint_sink *sink, scr_blob *blob, scr_error *error)
{
  checkpoint_header header = {.magic = CHECKPOINT_MAGIC, .scene_crc = run->scene_crc};
  SCR_TRY(file_writer_write(&sink->writer, &header, sizeof header, error));
  SCR_TRY(save_runner(run, blob, error));
  SCR_TRY(sim_save(run->sim, blob, error));
  SCR_TRY(scr_blob_flush(blob, error));
  header.size = blob->size;
  header.crc32c = sink->crc32c;
  SCR_TRY(file_writer_rewrite_head(&sink->writer, &header, sizeof header, error));
  return recording_writer_sync(run->writer, error);
}

/* Of ranks that write none, what they say of their state is for rank 0's. */
static scr_status drop_bytes(void *user, const void *bytes, size_t size, scr_error *error)
{
  (void)user, (void)bytes, (void)size, (void)error;
  return SCR_OK;
}

static scr_status give_to_leader(const runner *run, scr_error *error)
{
  scr_blob blob = {.sink = drop_bytes};
  scr_status status = sim_save(run->sim, &blob, error);
  scr_blob_destroy(&blob);
  return status;
}

scr_status checkpoint_save(runner *run, scr_error *error)
{
  if (!runner_leads(run)) return give_to_leader(run, error);
  checkpoint_sink sink = {.crc32c = 0};
  scr_blob blob = {.sink = take_bytes, .sink_user = &sink};
  SCR_TRY(file_writer_begin(&sink.writer, run->checkpoint_path, error));
  scr_status status = write_checkpoint(run, &sink, &blob, error);
  scr_blob_destroy(&blob);
  if (status == SCR_OK) return file_writer_commit(&sink.writer, error);
  file_writer_abandon(&sink.writer);
  return status;
}

static bool read_whole(int file, void *bytes, size_t size)
{
  unsigned char *at = bytes;
  while (size > 0) {
    ssize_t got = read(file, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= (size_t)got;
  }
  return true;
}

/* A checkpoint that lies in memory as the system maps its file: pages come as they are read, and go when memory is short. */
typedef struct mapped_file {
  unsigned char *bytes;
  size_t size;
} mapped_file;

/* Maps the file, so that the blob is a view of what follows its header; false when it is not a whole checkpoint of this scene. */
static bool map_checkpoint(const runner *run, int file, mapped_file *mapped, scr_blob *view)
{
  checkpoint_header header;
  struct stat about;
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || !read_whole(file, &header, sizeof header)) return false;
  if (memcmp(header.magic, CHECKPOINT_MAGIC, sizeof header.magic) != 0 || header.scene_crc != run->scene_crc || header.reserved != 0 ||
      header.size == 0 || header.size != (uint64_t)about.st_size - sizeof header)
    return false;
  void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (bytes == MAP_FAILED) return false;
  *mapped = (mapped_file){bytes, (size_t)about.st_size};
  *view = (scr_blob){.data = mapped->bytes + sizeof header, .size = (size_t)header.size, .capacity = (size_t)header.size};
  // cppcheck-suppress memleak; unmapped by whoever loads
  return crc32c(0, view->data, view->size) == header.crc32c;
}

scr_status checkpoint_load(runner *run, bool *loaded, bool *touched, scr_error *error)
{
  *loaded = *touched = false;
  int file = open(run->checkpoint_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return SCR_OK;
  scr_blob blob = {0};
  mapped_file mapped = {0};
  scr_status status = SCR_OK;
  bool whole = map_checkpoint(run, file, &mapped, &blob);
  close(file);
  if (whole) {
    uint64_t seq = 0, offset = 0;
    *touched = true;
    scr_error why; /* only a lack of memory is the caller's business */
    scr_status reading = load_runner(run, &blob, &seq, &offset, &why);
    if (reading == SCR_OK) reading = sim_load(run->sim, &blob, &why);
    if (reading == SCR_OK && blob.cursor == blob.size && runner_goes_on(run))
      reading = recording_writer_seek(run->writer, seq, offset, &why);
    else if (reading == SCR_OK)
      reading = SCR_BAD_FILE;
    *loaded = reading == SCR_OK;
    if (reading == SCR_NO_MEMORY) {
      status = reading;
      if (error) *error = why;
    }
  }
  if (mapped.bytes) munmap(mapped.bytes, mapped.size);
  return status;
}
