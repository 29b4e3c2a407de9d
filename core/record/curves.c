/* Curves gathered from a recording, and their CSV form. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/file/recording.h"
#include "record/topology.h"

/* Appends the samples of one curve record. */
static scr_status take_record(scr_curves *curves, size_t *capacity, const void *payload, size_t size, uint64_t *next_sample,
                              scr_error *error)
{
  scr_curve_header header;
  if (size < sizeof header) return scr_fail(error, SCR_BAD_FILE, NULL, "a curve record of %zu bytes is shorter than its header", size);
  memcpy(&header, payload, sizeof header);
  size_t row = curves->series_count * sizeof(double);
  if (header.series_count != curves->series_count || row == 0 || (size - sizeof header) / row != header.sample_count ||
      (size - sizeof header) % row != 0)
    return scr_fail(error, SCR_BAD_FILE, NULL, "a curve record holds %u samples of %u series in %zu bytes; the topology has %zu series",
                    header.sample_count, header.series_count, size, curves->series_count);
  if (*next_sample != UINT64_MAX && header.first_sample != *next_sample)
    return scr_fail(error, SCR_BAD_FILE, NULL, "a curve record begins with sample %llu where %llu was due",
                    (unsigned long long)header.first_sample, (unsigned long long)*next_sample);
  *next_sample = header.first_sample + header.sample_count;
  size_t needed = curves->sample_count + header.sample_count;
  if (needed > *capacity) {
    size_t wanted = needed + needed / 2;
    double *values = realloc(curves->values, wanted * row);
    if (!values) return scr_fail_memory(error, "curve samples", wanted * row);
    curves->values = values;
    *capacity = wanted;
  }
  if (header.sample_count && curves->values)
    memcpy(curves->values + curves->sample_count * curves->series_count, (const unsigned char *)payload + sizeof header,
           size - sizeof header);
  curves->sample_count = needed;
  return SCR_OK;
}

static scr_status take_records(scr_recording *recording, uint64_t after, scr_curves *curves, scr_error *error)
{
  size_t capacity = 0;
  uint64_t next_sample = after == 0 ? 0 : UINT64_MAX; /* UINT64_MAX: whatever comes first */
  for (uint64_t seq = after; (seq = scr_recording_next(recording, seq, 1u << SCR_RECORD_CURVE)) != 0;) {
    void *record = NULL;
    const void *payload = NULL;
    size_t size = 0;
    SCR_TRY(recording_payload(recording, seq, &record, &payload, &size, error));
    scr_status status = take_record(curves, &capacity, payload, size, &next_sample, error);
    free(record);
    SCR_TRY(status);
  }
  return SCR_OK;
}

scr_status scr_samples_read(scr_recording *recording, uint64_t seq, size_t series_count, double **values, size_t *sample_count,
                            scr_error *error)
{
  void *record = NULL;
  const void *payload = NULL;
  size_t size = 0, capacity = 0;
  uint64_t next_sample = UINT64_MAX;
  scr_curves one = {.series_count = series_count};
  *values = NULL;
  *sample_count = 0;
  SCR_TRY(recording_payload(recording, seq, &record, &payload, &size, error));
  scr_status status = take_record(&one, &capacity, payload, size, &next_sample, error);
  free(record);
  if (status != SCR_OK) {
    free(one.values);
    return status;
  }
  *values = one.values;
  *sample_count = one.sample_count;
  return SCR_OK;
}

scr_status scr_curves_read(scr_recording *recording, uint64_t after, scr_curves **curves, scr_error *error)
{
  *curves = NULL;
  scr_curves *gathered = calloc(1, sizeof *gathered);
  if (!gathered) return scr_fail_memory(error, "curves", sizeof *gathered);
  scr_topology about;
  bool found = false;
  scr_status status = topology_read(recording, &about, &found, error);
  if (status == SCR_OK) {
    gathered->series = about.series; /* handed over; the rest of the topology is not needed */
    gathered->series_count = about.series_count;
    about.series = NULL;
    topology_clear(&about);
    if (found) status = take_records(recording, after, gathered, error);
  }
  if (status != SCR_OK) {
    scr_curves_destroy(gathered);
    return status;
  }
  *curves = gathered;
  return SCR_OK;
}

void scr_curves_destroy(scr_curves *curves)
{
  if (!curves) return;
  free(curves->series);
  free(curves->values);
  free(curves);
}

/* A field of a header line; quoted when it has to be (RFC 4180, section 2). */
static void write_heading(FILE *out, const scr_series *series)
{
  char text[sizeof series->name + sizeof series->unit + 4];
  snprintf(text, sizeof text, "%s [%s]", series->name, series->unit);
  if (!strpbrk(text, ",\"\r\n")) {
    fputs(text, out);
    return;
  }
  fputc('"', out);
  for (const char *c = text; *c; c++) {
    if (*c == '"') fputc('"', out);
    fputc(*c, out);
  }
  fputc('"', out);
}

scr_status scr_curves_csv(const scr_curves *curves, char **text, size_t *length, scr_error *error)
{
  *text = NULL;
  *length = 0;
  FILE *out = open_memstream(text, length);
  if (!out) return scr_fail_memory(error, "a CSV file", curves->sample_count * curves->series_count * 24);
  for (size_t i = 0; i < curves->series_count; i++) {
    if (i) fputc(',', out);
    write_heading(out, &curves->series[i]);
  }
  fputs("\r\n", out);
  for (size_t s = 0; s < curves->sample_count; s++) {
    for (size_t i = 0; i < curves->series_count; i++) fprintf(out, i ? ",%.17g" : "%.17g", curves->values[s * curves->series_count + i]);
    fputs("\r\n", out);
  }
  bool failed = ferror(out) != 0;
  if (fclose(out) != 0 || failed) {
    free(*text);
    *text = NULL;
    *length = 0;
    return scr_fail_memory(error, "a CSV file", curves->sample_count * curves->series_count * 24);
  }
  return SCR_OK;
}
