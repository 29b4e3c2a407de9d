/* Broken bonds: the log a simulation fills, records of them read back, and their CSV form. */
#include "record/breaks.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/recording.h"

static_assert(sizeof(scr_break) == 80 && offsetof(scr_break, tension) == 32 && offsetof(scr_break, position) == 56, "on-disk layout");
static_assert(sizeof(break_header) == 16, "on-disk layout");

scr_status break_log_add(break_log *log, const scr_break *entry, scr_error *error)
{
  void *grown = log->items;
  if (!mem_grow(&grown, &log->capacity, log->count + 1, sizeof *log->items))
    return scr_fail_memory(error, "the log of broken bonds", (log->count + 1) * sizeof *log->items);
  log->items = grown;
  log->items[log->count++] = *entry;
  return SCR_OK;
}

void break_log_clear(break_log *log)
{
  mem_free(log->items);
  *log = (break_log){0};
}

/* Appends the entries of one record to what was gathered. */
static scr_status take_record(scr_breaks *breaks, size_t *capacity, const void *payload, size_t size, scr_error *error)
{
  break_header header;
  if (size < sizeof header)
    return scr_fail(error, SCR_BAD_FILE, NULL, "a record of %zu bytes of broken bonds is shorter than its header", size);
  memcpy(&header, payload, sizeof header);
  if ((size - sizeof header) % sizeof(scr_break) != 0 || (size - sizeof header) / sizeof(scr_break) != header.count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "a record holds %u broken bonds in %zu bytes", header.count, size);
  if (breaks->count == 0) breaks->first = header.first;
  uint64_t due = breaks->first + breaks->count;
  if (header.first != due)
    return scr_fail(error, SCR_BAD_FILE, NULL, "a record of broken bonds begins with number %llu where %llu was due",
                    (unsigned long long)header.first, (unsigned long long)due);
  void *grown = breaks->items;
  if (!mem_grow(&grown, capacity, breaks->count + header.count, sizeof *breaks->items))
    return scr_fail_memory(error, "broken bonds", (breaks->count + header.count) * sizeof *breaks->items);
  breaks->items = grown;
  if (header.count) memcpy(breaks->items + breaks->count, (const unsigned char *)payload + sizeof header, size - sizeof header);
  breaks->count += header.count;
  return SCR_OK;
}

scr_status scr_breaks_read(scr_recording *recording, uint64_t after, scr_breaks **breaks, scr_error *error)
{
  size_t capacity = 0;
  scr_breaks *gathered = *breaks = NULL;
  gathered = mem_array(1, sizeof *gathered);
  if (!gathered) return scr_fail_memory(error, "broken bonds", sizeof *gathered);
  scr_status status = SCR_OK;
  for (uint64_t seq = after; status == SCR_OK && (seq = scr_recording_next(recording, seq, 1u << SCR_RECORD_BREAKS)) != 0;) {
    void *record = NULL;
    const void *payload = NULL;
    size_t size = 0;
    status = recording_payload(recording, seq, &record, &payload, &size, error);
    if (status == SCR_OK) status = take_record(gathered, &capacity, payload, size, error);
    free(record);
  }
  if (status != SCR_OK) {
    scr_breaks_destroy(gathered);
    return status;
  }
  *breaks = gathered;
  return SCR_OK;
}

scr_status scr_breaks_read_record(scr_recording *recording, uint64_t seq, scr_breaks **breaks, scr_error *error)
{
  void *record = NULL;
  const void *payload = NULL;
  size_t size = 0, capacity = 0;
  scr_breaks *gathered = *breaks = NULL;
  SCR_TRY(recording_payload(recording, seq, &record, &payload, &size, error));
  gathered = mem_array(1, sizeof *gathered);
  scr_status status =
      gathered ? take_record(gathered, &capacity, payload, size, error) : scr_fail_memory(error, "broken bonds", sizeof *gathered);
  free(record);
  if (status != SCR_OK)
    scr_breaks_destroy(gathered);
  else
    *breaks = gathered;
  return status;
}

void scr_breaks_destroy(scr_breaks *breaks)
{
  if (!breaks) return;
  mem_free(breaks->items);
  mem_free(breaks);
}

const char *scr_break_mode_name(uint32_t mode)
{
  static const char *const names[] = {[SCR_BREAK_TENSION] = "tension", [SCR_BREAK_SHEAR] = "shear", [SCR_BREAK_STRETCH] = "stretch"};
  return mode < sizeof names / sizeof *names ? names[mode] : "unknown";
}

/* Stresses are left empty where the method judges by the stretch alone. */
static void write_break(FILE *out, const scr_break *b)
{
  fprintf(out, "%.17g,%llu,%u,%u,%s,%.17g,", b->time, (unsigned long long)b->step, b->a, b->b, scr_break_mode_name(b->mode), b->load);
  if (b->mode != SCR_BREAK_STRETCH) fprintf(out, "%.17g", b->tension);
  fputc(',', out);
  if (b->mode != SCR_BREAK_STRETCH) fprintf(out, "%.17g", b->shear);
  fprintf(out, ",%.17g,%.17g,%.17g\r\n", b->position[0], b->position[1], b->position[2]);
}

scr_status scr_breaks_csv(const scr_breaks *breaks, char **text, size_t *length, scr_error *error)
{
  *text = NULL;
  *length = 0;
  FILE *out = open_memstream(text, length);
  if (!out) return scr_fail_memory(error, "a CSV file", breaks->count * 160);
  fputs("time [s],step [1],a [1],b [1],mode,load [1],tension [Pa],shear [Pa],x [m],y [m],z [m]\r\n", out);
  for (size_t k = 0; k < breaks->count; k++) write_break(out, &breaks->items[k]);
  bool failed = ferror(out) != 0;
  if (fclose(out) == 0 && !failed) return SCR_OK;
  free(*text);
  *text = NULL;
  *length = 0;
  return scr_fail_memory(error, "a CSV file", breaks->count * 160);
}
