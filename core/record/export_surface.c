/* Surfaces of fragments as STL or PLY, made from the points of any recorded frame, finer than those that frames may carry for pictures; and,
 * when asked for, what of the rig and the obstacles is a closed surface. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "geometry/mesh_write.h"
#include "record/fragment_surface.h"
#include "record/frame_solids.h"
#include "record/recording.h"

/* The points of one drawable, and the triangles made of them. */
typedef struct swarm {
  fragment_points points;
  size_t first, count; /* triangles */
} swarm;

typedef struct surface_export {
  scr_topology topology;
  swarm *swarms; /* [topology.drawable_count]; only those of SCR_DRAW_POINTS are filled */
  size_t fragment_count, obstacle_count;
  frame_solids solids;
  size_t solids_first; /* first triangle of the obstacles; the k-th of them is part UINT32_MAX - k */
  geo_mesh mesh;
  text_builder text;
} surface_export;

static void export_clear(surface_export *x)
{
  for (size_t d = 0; x->swarms && d < x->topology.drawable_count; d++) fragment_points_clear(&x->swarms[d].points);
  mem_free(x->swarms);
  frame_solids_clear(&x->solids);
  geo_mesh_clear(&x->mesh);
  text_clear(&x->text);
  topology_clear(&x->topology);
}

/* ── points ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status take_array(surface_export *x, const frame_array *array, scr_error *error)
{
  if (array->drawable >= x->topology.drawable_count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "a frame names drawable %u, the topology has %zu: the recording is damaged", array->drawable,
                    x->topology.drawable_count);
  const scr_drawable *drawable = &x->topology.drawables[array->drawable];
  if (drawable->kind != SCR_DRAW_POINTS) return frame_solids_take(&x->solids, array, error);
  return fragment_points_take(&x->swarms[array->drawable].points, drawable, array, error);
}

static scr_status read_frame(scr_recording *recording, uint64_t seq, surface_export *x, scr_error *error)
{
  void *record;
  const void *payload;
  size_t size;
  x->swarms = mem_array(x->topology.drawable_count, sizeof *x->swarms);
  if (!x->swarms) return scr_fail_memory(error, "the drawables of a frame", x->topology.drawable_count * sizeof *x->swarms);
  SCR_TRY(frame_solids_create(&x->topology, &x->solids, error));
  SCR_TRY(recording_payload(recording, seq, &record, &payload, &size, error));
  frame_reader reader;
  frame_array array;
  bool more = true;
  scr_status status = frame_reader_begin(&reader, payload, size, error);
  while (status == SCR_OK && more) {
    status = frame_reader_next(&reader, &array, &more, error);
    if (status == SCR_OK && more) status = take_array(x, &array, error);
  }
  free(record);
  return status;
}

/* ── surfaces ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Where the run of triangles of one part that begins at `first` ends, at most at `last`. */
static size_t part_end(const geo_mesh *mesh, size_t first, size_t last)
{
  size_t end = first + 1;
  while (end < last && mesh->part[end] == mesh->part[first]) end++;
  return end;
}

static scr_status add_swarm(surface_export *x, size_t d, const scr_surface_options *options, scr_error *error)
{
  swarm *s = &x->swarms[d];
  fragment_surface_options grid = {.cell = options->cell > 0 ? options->cell : 0.5 * s->points.radius, .threads = options->threads};
  s->first = x->mesh.triangle_count;
  SCR_TRY(fragment_surface(&s->points, &grid, &x->mesh, error));
  s->count = x->mesh.triangle_count - s->first;
  for (size_t at = s->first; at < x->mesh.triangle_count; at = part_end(&x->mesh, at, x->mesh.triangle_count)) x->fragment_count++;
  return SCR_OK;
}

/* Rectangles and arcs have no inside, so no surface bounds them. */
static scr_status add_solids(surface_export *x, scr_error *error)
{
  x->solids_first = x->mesh.triangle_count;
  for (size_t d = 0; d < x->topology.drawable_count; d++)
    for (size_t k = x->solids.first[d]; k < x->solids.first[d + 1]; k++) {
      uint32_t element = (uint32_t)(k - x->solids.first[d]);
      if (!frame_solids_closed(&x->topology.drawables[d], element)) continue;
      SCR_TRY(frame_solids_add(&x->solids, d, element, UINT32_MAX - (uint32_t)x->obstacle_count++, &x->mesh, error));
    }
  return SCR_OK;
}

/* ── files ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void write_stl(surface_export *x)
{
  for (size_t d = 0; d < x->topology.drawable_count; d++) {
    size_t last = x->swarms[d].first + x->swarms[d].count;
    for (size_t first = x->swarms[d].first, end; first < last; first = end) {
      char name[96];
      end = part_end(&x->mesh, first, last);
      snprintf(name, sizeof name, "%s.fragment-%u", x->topology.drawables[d].name, x->mesh.part[first]);
      geo_mesh_write_stl(&x->mesh, first, end - first, name, &x->text);
    }
  }
}

/* In the order of add_solids. */
static void write_stl_solids(surface_export *x)
{
  size_t first = x->solids_first, last = x->mesh.triangle_count;
  for (size_t d = 0; d < x->topology.drawable_count && first < last; d++)
    for (size_t k = x->solids.first[d]; k < x->solids.first[d + 1] && first < last; k++) {
      const scr_drawable *drawable = &x->topology.drawables[d];
      uint32_t element = (uint32_t)(k - x->solids.first[d]);
      if (!frame_solids_closed(drawable, element)) continue;
      char name[100];
      size_t end = part_end(&x->mesh, first, last);
      snprintf(name, sizeof name, "%s.%s", drawable->name, frame_solids_name(drawable, element));
      geo_mesh_write_stl(&x->mesh, first, end - first, name, &x->text);
      first = end;
    }
}

static void write_ply(surface_export *x, const scr_surface_summary *summary)
{
  char comment[96], number[NUMBER_TEXT_BYTES];
  snprintf(comment, sizeof comment, "Scree " SCR_VERSION ", frame %llu at %s s", (unsigned long long)summary->frame,
           number_text(summary->time, number));
  geo_mesh_write_ply(&x->mesh, comment, &x->text);
}

/* Sequence number of the frame that is asked for; its number and time go into the summary. */
static scr_status find_frame(scr_recording *recording, int64_t wanted, uint64_t *found, scr_surface_summary *summary, scr_error *error)
{
  const unsigned frames = 1u << SCR_RECORD_FRAME;
  uint64_t count = 0;
  *found = 0;
  for (uint64_t seq = scr_recording_next(recording, 0, frames); seq; seq = scr_recording_next(recording, seq, frames), count++)
    if (wanted < 0 || count == (uint64_t)wanted) {
      *found = seq;
      summary->frame = count;
      summary->time = scr_recording_header(recording, seq)->sim_time;
    }
  if (*found) return SCR_OK;
  if (count == 0) return scr_fail(error, SCR_BAD_USAGE, NULL, "the recording has no frames yet: there is nothing to export");
  return scr_fail(error, SCR_BAD_USAGE, NULL, "frame %lld is not there; the recording has frames 0 to %llu", (long long)wanted,
                  (unsigned long long)(count - 1));
}

static scr_status make_file(scr_recording *recording, const scr_surface_options *options, surface_export *x, scr_surface_summary *summary,
                            scr_error *error)
{
  bool found = false;
  uint64_t seq;
  SCR_TRY(topology_read(recording, &x->topology, &found, error));
  if (!found) return scr_fail(error, SCR_BAD_FILE, NULL, "the recording has no topology yet: there is nothing to export");
  SCR_TRY(find_frame(recording, options->frame, &seq, summary, error));
  SCR_TRY(read_frame(recording, seq, x, error));
  for (size_t d = 0; d < x->topology.drawable_count; d++)
    if (x->swarms[d].points.centre) SCR_TRY(add_swarm(x, d, options, error));
  if (x->fragment_count == 0)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "frame %llu shows no points to make surfaces of", (unsigned long long)summary->frame);
  summary->fragment_count = x->fragment_count;
  if (options->with_obstacles) SCR_TRY(add_solids(x, error));
  summary->obstacle_count = x->obstacle_count;
  summary->triangle_count = x->mesh.triangle_count;
  if (options->format == SCR_SURFACE_PLY) {
    write_ply(x, summary);
    return SCR_OK;
  }
  write_stl(x);
  if (options->with_obstacles) write_stl_solids(x);
  return SCR_OK;
}

scr_status scr_export_surface(scr_recording *recording, const scr_surface_options *options, char **bytes, size_t *length,
                              scr_surface_summary *summary, scr_error *error)
{
  surface_export x = {0};
  scr_surface_summary made = {0};
  *bytes = NULL;
  *length = 0;
  if (options->cell != 0 && !(options->cell > 0 && isfinite(options->cell)))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "cells of %g m are not possible; give a length > 0, or 0 for half the points' radius",
                    options->cell);
  scr_status status = make_file(recording, options, &x, &made, error);
  if (status == SCR_OK) {
    size_t written = x.text.length;
    *bytes = text_take(&x.text);
    if (*bytes)
      *length = written;
    else
      status = scr_fail_memory(error, "the exported surface", written);
  }
  if (summary) *summary = made;
  export_clear(&x);
  return status;
}
