/* The records of a run: what is written when, and read back when a directory is taken up again. All JSON here has a fixed order of keys
 * and 17 digits, so that the same run gives the same bytes. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_reader.h"
#include "base/memory.h"
#include "record/end_record.h"
#include "record/file/crc32c.h"
#include "record/file/recording.h"
#include "record/geometry_record.h"
#include "record/headlines.h"
#include "record/topology.h"
#include "run/build_id.h"
#include "run/processor.h"
#include "run/runner.h"

enum { json_flags = JSON_COMPACT | JSON_REAL_PRECISION(17) };

/* Time of a record; a state that was lost may have lost its time too, and a header's time is always finite. */
static double record_time(const runner *run)
{
  return isfinite(run->sim->time) ? run->sim->time : (double)run->sim->steps * run->sim->time_step;
}

/* Appends a JSON record; takes over `object`, which may be NULL for no memory. */
static scr_status append_json(runner *run, scr_record_type type, double time, json_t *object, scr_error *error)
{
  char *text = object ? json_dumps(object, json_flags) : NULL;
  json_decref(object);
  if (!text) return scr_fail_memory(error, "a record", 1024);
  scr_status status = recording_writer_append(run->writer, type, time, text, strlen(text), error);
  free(text);
  return status;
}

/* ── scene ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status runner_describe_scene(runner *run, scr_error *error)
{
  char family[128], vendor[32];
  processor_family(family, sizeof family);
  processor_vendor(vendor, sizeof vendor);
  char *text = scr_scene_json(run->scene);
  json_t *scene = text ? json_loads(text, 0, NULL) : NULL;
  scr_free(text);
  json_object_del(scene, "run"); /* the same bytes however a run is carried out: kernels say what computed */
  json_t *record = scene ? json_pack("{s:o, s:s, s:s, s:s, s:s}", "scene", scene, "version", SCR_VERSION, "processor", family, "vendor",
                                     vendor, "build", build_id())
                         : NULL;
  run->scene_payload = record ? json_dumps(record, json_flags) : NULL;
  json_decref(record);
  if (!run->scene_payload) return scr_fail_memory(error, "the scene's record", 4096);
  run->scene_crc = crc32c(0, run->scene_payload, strlen(run->scene_payload));
  return SCR_OK;
}

scr_status runner_record_scene(runner *run, scr_error *error)
{
  return recording_writer_append(run->writer, SCR_RECORD_SCENE, 0.0, run->scene_payload, strlen(run->scene_payload), error);
}

/* Reads a JSON record into a new reference; NULL when it cannot be read or is no JSON. Returns SCR_NO_MEMORY or SCR_OK. */
static scr_status read_json(scr_recording *recording, uint64_t seq, json_t **object, scr_error *error)
{
  void *record = NULL;
  const void *payload = NULL;
  size_t size = 0;
  *object = NULL;
  if (!seq) return SCR_OK;
  scr_status status = recording_payload(recording, seq, &record, &payload, &size, error);
  if (status == SCR_OK) status = json_read(payload, size, JSON_REJECT_DUPLICATES, object, NULL);
  free(record);
  return status == SCR_NO_MEMORY ? scr_fail_memory(error, "a record that is read back", size) : SCR_OK;
}

static const char *text_or(const json_t *object, const char *key, const char *fallback)
{
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : fallback;
}

scr_status runner_check_scene(runner *run, scr_error *error)
{
  scr_recording *found = recording_writer_found(run->writer);
  if (scr_recording_count(found) == 0) return SCR_OK;
  json_t *there = NULL;
  SCR_TRY(read_json(found, 1, &there, error));
  json_t *ours = json_loads(run->scene_payload, 0, NULL);
  scr_status status = SCR_OK;
  if (!ours)
    status = scr_fail_memory(error, "the scene's record", strlen(run->scene_payload));
  else if (!there || !json_equal(json_object_get(there, "scene"), json_object_get(ours, "scene")))
    status =
        scr_fail(error, SCR_MISMATCH, NULL, "%s is the recording of another scene: run this one in a new directory", run->recording_path);
  else if (!scr_recording_ended(found) && !json_equal(there, ours))
    status =
        scr_fail(error, SCR_MISMATCH, NULL,
                 "%s was begun by version %s (build %s) on processor '%s' of %s and can't be continued by version %s (build %s) on '%s' of "
                 "%s, which "
                 "may give other bits: continue it there, or run the scene in a new directory",
                 run->recording_path, text_or(there, "version", "?"), text_or(there, "build", "?"), text_or(there, "processor", "?"),
                 text_or(there, "vendor", "?"), SCR_VERSION, build_id(), text_or(ours, "processor", "?"), text_or(ours, "vendor", "?"));
  json_decref(there);
  json_decref(ours);
  return status;
}

static const scr_kernel *find_kernel(const scr_kernel *kernels, size_t count, const char *what)
{
  for (size_t k = 0; k < count; k++)
    if (strcmp(kernels[k].what, what) == 0) return &kernels[k];
  return NULL;
}

scr_status runner_check_kernels(runner *run, scr_error *error)
{
  scr_topology there;
  bool found = false;
  scr_status status = topology_read(recording_writer_found(run->writer), &there, &found, error);
  if (status == SCR_NO_MEMORY) return status;
  if (status != SCR_OK || !found) return SCR_OK; /* a damaged one is a mismatch of records, found when they are compared */
  for (size_t k = 0; status == SCR_OK && k < run->sim->kernel_count; k++) {
    scr_kernel *ours = &run->sim->kernels[k];
    const scr_kernel *theirs = find_kernel(there.kernels, there.kernel_count, ours->what);
    if (!theirs) continue;
    if (kernels_agree(theirs, ours)) {
      *ours = *theirs; /* the recording names what it was begun with */
      continue;
    }
    status = scr_fail(
        error, SCR_MISMATCH, NULL,
        "%s was begun with %s computed by '%s' and can't be continued by '%s', which may give other bits: continue it on the kind of "
        "processor it was begun on, or run the scene in a new directory",
        run->recording_path, ours->what, theirs->variant, ours->variant);
  }
  topology_clear(&there);
  return status;
}

scr_status runner_read_verdict(runner *run, scr_error *error)
{
  scr_end end;
  SCR_TRY(scr_recording_end(recording_writer_found(run->writer), &end, error));
  if (end.verdict == SCR_VERDICT_CANCELLED) return scr_fail(error, SCR_CANCELLED, NULL, "%s", end.message);
  if (end.verdict == SCR_VERDICT_FAILED) return scr_fail(error, SCR_DIVERGED, NULL, "%s", end.message);
  return SCR_OK;
}

/* ── topology ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A plot as it is recorded: a title is made from the curves' labels when the scene gives none. False when a curve is not reported. */
static bool resolve_plot(const runner *run, const scr_plot *asked, topology_plot *plot)
{
  long x = sim_find_series(run->sim, asked->x), y = sim_find_series(run->sim, asked->y);
  if (x < 0 || y < 0) return false;
  memset(plot, 0, sizeof *plot);
  memcpy(plot->x, asked->x, sizeof plot->x);
  memcpy(plot->y, asked->y, sizeof plot->y);
  if (asked->title[0])
    memcpy(plot->title, asked->title, sizeof plot->title);
  else
    snprintf(plot->title, sizeof plot->title, "%.44s over %.44s", run->sim->series[y].label, run->sim->series[x].label);
  plot->scale = asked->scale;
  memcpy(plot->unit, asked->unit, sizeof plot->unit);
  plot->moving_average = asked->moving_average < 1 ? 1u : asked->moving_average > UINT_MAX ? UINT_MAX : (unsigned)asked->moving_average;
  return true;
}

/* Plots of curves that the run does not report are left out and said so in an event. */
static scr_status record_lost_plots(runner *run, const scr_plot *plots, size_t count, scr_error *error)
{
  topology_plot unused;
  for (size_t i = 0; i < count; i++) {
    if (resolve_plot(run, &plots[i], &unused)) continue;
    char message[256];
    snprintf(message, sizeof message, "plot %zu was left out: this run reports no curve '%s' or '%s'", i, plots[i].x, plots[i].y);
    SCR_TRY(runner_record_event(run, "warning", message, error));
  }
  return SCR_OK;
}

/* The shapes, right behind the topology: whoever has both can draw every frame. */
static scr_status record_geometry(runner *run, scr_error *error)
{
  for (size_t d = 0; d < run->sim->drawable_count; d++)
    for (uint32_t s = 0; s < run->sim->drawables[d].shape_count; s++) {
      unsigned char *payload = NULL;
      size_t size = 0;
      SCR_TRY(geometry_payload(&run->sim->drawables[d], (uint32_t)d, s, &payload, &size, error));
      scr_status status = recording_writer_append(run->writer, SCR_RECORD_GEOMETRY, 0.0, payload, size, error);
      mem_free(payload);
      SCR_TRY(status);
    }
  return SCR_OK;
}

scr_status runner_record_topology(runner *run, scr_error *error)
{
  const scr_plot *asked = run->scene->output.plots;
  size_t asked_count = run->scene->output.plot_count;
  if (asked_count == 0 && run->scene->method->default_plot.y[0]) {
    asked = &run->scene->method->default_plot;
    asked_count = 1;
  }
  topology_plot *plots = calloc(asked_count + 1, sizeof *plots);
  if (!plots) return scr_fail_memory(error, "the list of plots", asked_count * sizeof *plots);
  size_t plot_count = 0;
  for (size_t i = 0; i < asked_count; i++) plot_count += resolve_plot(run, &asked[i], &plots[plot_count]);
  scr_table tables[TABLE_LIMIT];
  scr_topology topology = {.drawables = run->sim->drawables,
                           .drawable_count = run->sim->drawable_count,
                           .series = run->sim->series,
                           .series_count = run->sim->series_count,
                           .plots = plots,
                           .plot_count = plot_count,
                           .tables = tables,
                           .table_count = run->sim->table_count,
                           .stage_count = run->sim->stage_count,
                           .kernel_count = run->sim->kernel_count};
  memcpy(topology.stages, run->sim->stages, sizeof topology.stages);
  memcpy(topology.kernels, run->sim->kernels, sizeof topology.kernels);
  for (size_t k = 0; k < run->sim->table_count; k++) tables[k] = run->sim->tables[k].table;
  frame_bounds(run->frame, &topology.minimum, &topology.maximum);
  char *text = topology_json(&topology);
  free(plots);
  if (!text) return scr_fail_memory(error, "the topology's record", 65536);
  scr_status status = recording_writer_append(run->writer, SCR_RECORD_TOPOLOGY, 0.0, text, strlen(text), error);
  free(text);
  SCR_TRY(status);
  SCR_TRY(record_geometry(run, error));
  return record_lost_plots(run, asked, asked_count, error);
}

/* ── curves, frames, events ──────────────────────────────────────────────────────────────────────────────────────── */

/* Samples recorded before are computed again to be compared; what a clock said of them stays what it was. */
static scr_status keep_recorded_clocks(const runner *run, unsigned char *payload, size_t size, scr_error *error)
{
  scr_recording *found = recording_writer_found(run->writer);
  if (!found) return SCR_OK; /* nothing is written here */
  uint64_t seq = recording_writer_seq(run->writer) + 1;
  const scr_record_header *header = scr_recording_header(found, seq);
  bool there = seq <= recording_writer_newest(run->writer) && header && header->type == SCR_RECORD_CURVE && header->size == size;
  if (!there) return SCR_OK; /* new, or a mismatch for the writer to report */
  unsigned char *record = malloc(SCR_RECORD_BYTES(size));
  if (!record) return scr_fail_memory(error, "a curve record", size);
  size_t columns = run->sim->series_count, rows = run->pending_count;
  scr_status status = scr_recording_read(found, seq, record, SCR_RECORD_BYTES(size), error);
  for (size_t c = 0; status == SCR_OK && c < columns; c++) {
    if (strncmp(run->sim->series[c].name, SCR_CLOCK_PREFIX, strlen(SCR_CLOCK_PREFIX)) != 0) continue;
    for (size_t r = 0; r < rows; r++) {
      size_t at = sizeof(scr_curve_header) + (r * columns + c) * sizeof(double);
      memcpy(payload + at, record + sizeof *header + at, sizeof(double));
    }
  }
  free(record);
  return status;
}

/* Rows wait for the samples' records, so that a crack is not a record per step; each table has its own records. */
static scr_status flush_table(runner *run, size_t index, scr_error *error)
{
  table_log *log = &run->sim->tables[index];
  scr_table *table = &log->table;
  if (table->row_count == 0) return SCR_OK;
  size_t row = table->column_count * sizeof(double), size = sizeof(table_header) + table->row_count * row;
  if (table->row_count > UINT32_MAX / row)
    return scr_fail(error, SCR_DIVERGED, NULL, "table '%s' got %zu rows within one interval of samples: use a shorter sample_interval",
                    table->name, table->row_count);
  table_header header = {(uint32_t)index, (uint32_t)table->row_count, (uint32_t)table->column_count, 0};
  unsigned char *payload = malloc(size);
  if (!payload) return scr_fail_memory(error, "a record of a table", size);
  memcpy(payload, &header, sizeof header);
  memcpy(payload + sizeof header, table->values, table->row_count * row);
  scr_status status = recording_writer_append(run->writer, SCR_RECORD_TABLE, record_time(run), payload, size, error);
  free(payload);
  log->recorded += table->row_count;
  table->row_count = 0;
  return status;
}

static scr_status flush_curves(runner *run, scr_error *error)
{
  if (run->pending_count == 0) return SCR_OK;
  size_t row = run->sim->series_count * sizeof(double), size = sizeof(scr_curve_header) + run->pending_count * row;
  scr_curve_header header = {run->totals.samples - run->pending_count, (uint32_t)run->pending_count, (uint32_t)run->sim->series_count};
  unsigned char *payload = malloc(size);
  if (!payload) return scr_fail_memory(error, "a curve record", size);
  memcpy(payload, &header, sizeof header);
  memcpy(payload + sizeof header, run->pending, run->pending_count * row);
  double newest = run->pending[(run->pending_count - 1) * run->sim->series_count];
  scr_status status = keep_recorded_clocks(run, payload, size, error);
  if (status == SCR_OK) status = recording_writer_append(run->writer, SCR_RECORD_CURVE, newest, payload, size, error);
  free(payload);
  SCR_TRY(status);
  run->pending_count = 0;
  return SCR_OK;
}

scr_status runner_flush_samples(runner *run, scr_error *error)
{
  SCR_TRY(flush_curves(run, error));
  for (size_t k = 0; k < run->sim->table_count; k++) SCR_TRY(flush_table(run, k, error));
  return SCR_OK;
}

scr_status runner_draw(runner *run, scr_error *error)
{
  if (!runner_leads(run)) return sim_method(run->sim)->draw(run->sim, NULL, error);
  frame_begin(run->frame);
  return sim_draw(run->sim, run->frame, error);
}

scr_status runner_record_frame(runner *run, scr_error *error)
{
  const scr_method *method = sim_method(run->sim);
  if (method->tabulate) SCR_TRY(method->tabulate(run->sim, error));
  SCR_TRY(runner_flush_samples(run, error));
  const void *payload = NULL;
  size_t size = 0;
  run->totals.frames++;
  if (!runner_leads(run)) return SCR_OK; /* drawn by the first rank alone */
  SCR_TRY(frame_finish(run->frame, &payload, &size, error));
  return recording_writer_append(run->writer, SCR_RECORD_FRAME, record_time(run), payload, size, error);
}

scr_status runner_record_event(runner *run, const char *kind, const char *message, scr_error *error)
{
  SCR_TRY(runner_flush_samples(run, error));
  return append_json(run, SCR_RECORD_EVENT, record_time(run), json_pack("{s:s, s:s}", "kind", kind, "message", message), error);
}

scr_status runner_record_stages(runner *run, scr_error *error)
{
  scr_sim *sim = run->sim;
  if (sim->entered_count > 0) SCR_TRY(runner_flush_samples(run, error));
  for (size_t k = 0; k < sim->entered_count; k++) {
    const scr_stage *stage = &sim->stages[sim->entered[k]];
    json_t *event = json_pack("{s:s, s:s, s:s, s:s}", "kind", "stage", "message", stage->label, "name", stage->name, "label", stage->label);
    SCR_TRY(append_json(run, SCR_RECORD_EVENT, record_time(run), event, error));
  }
  sim->entered_count = 0;
  return SCR_OK;
}

scr_status runner_record_doubts(runner *run, scr_error *error)
{
  while (run->totals.doubts_recorded < run->sim->doubt_count) {
    const scr_doubt *doubt = &run->sim->doubts[run->totals.doubts_recorded++];
    SCR_TRY(runner_flush_samples(run, error));
    json_t *event = json_pack("{s:s, s:s, s:s}", "kind", "doubt", "message", doubt->message, "doubt", doubt->kind);
    SCR_TRY(append_json(run, SCR_RECORD_EVENT, record_time(run), event, error));
  }
  return SCR_OK;
}

size_t runner_headlines(const runner *run, scr_headline *headlines)
{
  for (size_t k = 0; k < run->sim->headline_count; k++) {
    const sim_headline *declared = &run->sim->headlines[k];
    const scr_series *series = &run->sim->series[declared->series];
    memset(&headlines[k], 0, sizeof headlines[k]);
    memcpy(headlines[k].name, series->name, sizeof headlines[k].name);
    memcpy(headlines[k].label, declared->label, sizeof headlines[k].label);
    memcpy(headlines[k].unit, series->unit, sizeof headlines[k].unit);
    headlines[k].value = run->totals.headlines[k];
  }
  return run->sim->headline_count;
}

scr_status runner_record_progress(runner *run, scr_error *error)
{
  scr_headline headlines[SCR_HEADLINE_LIMIT];
  size_t count = runner_headlines(run, headlines);
  json_t *object =
      json_pack("{s:I, s:I, s:f, s:f, s:o}", "step", (json_int_t)run->sim->steps, "step_count", (json_int_t)run->step_count, "sim_time",
                record_time(run), "duration", run->scene->time.duration, "headlines", headlines_json(headlines, count));
  return append_json(run, SCR_RECORD_PROGRESS, record_time(run), object, error);
}

/* ── the end ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Appends the end record: `totals` with the verdict and its message put in. */
static scr_status append_end(runner *run, scr_end *totals, scr_verdict verdict, const char *message, scr_error *error)
{
  totals->verdict = verdict;
  snprintf(totals->message, sizeof totals->message, "%s", message);
  totals->records = recording_writer_seq(run->writer) + 1;
  recording_writer_digest(run->writer, totals->digest);
  SCR_TRY(append_json(run, SCR_RECORD_END, totals->sim_time, end_record_json(totals), error));
  return recording_writer_sync(run->writer, error);
}

scr_status runner_record_end(runner *run, scr_verdict verdict, const char *message, scr_error *error)
{
  SCR_TRY(runner_flush_samples(run, error));
  SCR_TRY(runner_record_doubts(run, error));
  scr_end totals = {.step = run->sim->steps,
                    .sim_time = record_time(run),
                    .frames = run->totals.frames,
                    .samples = run->totals.samples,
                    .doubt_count = run->sim->doubt_count};
  totals.headline_count = runner_headlines(run, totals.headlines);
  memcpy(totals.doubts, run->sim->doubts, sizeof totals.doubts);
  return append_end(run, &totals, verdict, message, error);
}

/* The doubts whose events are recorded. */
static scr_status describe_doubts(scr_recording *found, scr_end *at, scr_error *error)
{
  for (uint64_t seq = 0; (seq = scr_recording_next(found, seq, 1u << SCR_RECORD_EVENT)) != 0;) {
    json_t *event = NULL;
    SCR_TRY(read_json(found, seq, &event, error));
    const char *kind = json_string_value(json_object_get(event, "doubt"));
    if (kind && at->doubt_count < SCR_DOUBT_LIMIT) {
      scr_doubt *doubt = &at->doubts[at->doubt_count++];
      snprintf(doubt->kind, sizeof doubt->kind, "%s", kind);
      snprintf(doubt->message, sizeof doubt->message, "%s", text_or(event, "message", ""));
    }
    json_decref(event);
  }
  return SCR_OK;
}

/* What the records found say of themselves: the newest progress record, and what there is of frames and samples. */
static scr_status describe_found(scr_recording *found, scr_end *at, scr_error *error)
{
  *at = (scr_end){0};
  json_t *progress = NULL;
  SCR_TRY(read_json(found, scr_recording_newest(found, 1u << SCR_RECORD_PROGRESS), &progress, error));
  at->step = (uint64_t)json_integer_value(json_object_get(progress, "step"));
  at->headline_count = headlines_take(progress, at->headlines);
  json_decref(progress);
  for (uint64_t seq = 0; (seq = scr_recording_next(found, seq, 1u << SCR_RECORD_FRAME)) != 0;) at->frames++;
  void *record = NULL;
  const void *payload = NULL;
  size_t size = 0;
  uint64_t curve = scr_recording_newest(found, 1u << SCR_RECORD_CURVE);
  if (curve && recording_payload(found, curve, &record, &payload, &size, NULL) == SCR_OK && size >= sizeof(scr_curve_header)) {
    scr_curve_header header;
    memcpy(&header, payload, sizeof header);
    at->samples = header.first_sample + header.sample_count;
  }
  free(record);
  const scr_record_header *newest = scr_recording_header(found, scr_recording_count(found));
  at->sim_time = newest ? newest->sim_time : 0.0;
  return describe_doubts(found, at, error);
}

scr_status runner_record_cancel(runner *run, scr_error *error)
{
  static const char message[] = "cancelled by the user";
  if (recording_writer_seq(run->writer) == recording_writer_newest(run->writer))
    return runner_record_end(run, SCR_VERDICT_CANCELLED, message, error);
  /* Records that an earlier attempt made lie ahead. They stay, so the end speaks of them, not of where this attempt got to. */
  scr_end totals;
  SCR_TRY(describe_found(recording_writer_found(run->writer), &totals, error));
  recording_writer_seek_end(run->writer);
  return append_end(run, &totals, SCR_VERDICT_CANCELLED, message, error);
}
