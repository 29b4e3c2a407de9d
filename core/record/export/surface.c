/* Surfaces as STL or PLY: those of pieces, made from the points of any recorded frame, finer than those that frames may carry for pictures;
 * instances and surfaces as they are in that frame; and, when asked for, what of the rig and the obstacles is a closed surface. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "geometry/mesh/files/mesh_write.h"
#include "record/drawable.h"
#include "record/file/recording.h"
#include "record/frame/piece_surface.h"
#include "record/frame/solids.h"
#include "record/frame/surface.h"
#include "record/geometry_record.h"

typedef struct surface_export {
  scr_topology topology;
  void *record; /* of the frame */
  frame_view view;
  size_t *first;                        /* [topology.drawable_count + 1] a drawable's first triangle; those of obstacles follow the last */
  size_t surface_count, obstacle_count; /* the k-th obstacle is part UINT32_MAX - k */
  frame_solids solids;
  geo_mesh mesh;
  text_builder text;
} surface_export;

static void export_clear(surface_export *x)
{
  free(x->record);
  mem_free(x->first);
  frame_view_clear(&x->view);
  frame_solids_clear(&x->solids);
  geo_mesh_clear(&x->mesh);
  text_clear(&x->text);
  topology_clear(&x->topology);
}

static scr_status read_frame(scr_recording *recording, uint64_t seq, surface_export *x, scr_error *error)
{
  const void *payload;
  size_t size;
  x->first = mem_array(x->topology.drawable_count + 1, sizeof *x->first);
  if (!x->first) return scr_fail_memory(error, "the drawables of a frame", x->topology.drawable_count * sizeof *x->first);
  SCR_TRY(frame_solids_create(&x->topology, &x->solids, error));
  SCR_TRY(recording_payload(recording, seq, &x->record, &payload, &size, error));
  SCR_TRY(frame_view_read(&x->view, &x->topology, payload, size, error));
  frame_solids_take(&x->solids, &x->view);
  return SCR_OK;
}

/* ── surfaces ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Where the run of triangles of one part that begins at `first` ends, at most at `last`. */
static size_t part_end(const geo_mesh *mesh, size_t first, size_t last)
{
  size_t end = first + 1;
  while (end < last && mesh->part[end] == mesh->part[first]) end++;
  return end;
}

static scr_status add_pieces(surface_export *x, const drawable_view *view, const scr_surface_options *options, scr_error *error)
{
  uint32_t pieces = drawable_pieces_field(view->drawable);
  piece_points points = {0};
  if (view->count == 0) return SCR_OK;
  SCR_TRY(piece_points_take(&points, view->drawable, &view->arrays[0], drawable_view_field(view, "radius"),
                            pieces == DRAWABLE_NO_FIELD ? NULL : &view->arrays[pieces], error));
  piece_surface_options grid = {.cell = options->cell > 0 ? options->cell : 0.5 * piece_points_smallest(&points),
                                .threads = options->threads};
  size_t first = x->mesh.triangle_count;
  scr_status status = piece_surface(&points, &grid, &x->mesh, error);
  for (size_t at = first; status == SCR_OK && at < x->mesh.triangle_count; at = part_end(&x->mesh, at, x->mesh.triangle_count))
    x->surface_count++;
  piece_points_clear(&points);
  return status;
}

/* Instances are numbered by themselves: their `id` where they have one. */
static uint32_t number_of(const drawable_view *view, uint32_t element)
{
  const frame_array *id = drawable_view_field(view, "id");
  return id ? frame_array_whole(id, element, 0) : element;
}

static scr_status add_surfaces(surface_export *x, const drawable_view *view, scr_error *error)
{
  size_t vertices, triangles;
  bool instances = view->drawable->kind == SCR_DRAW_INSTANCES;
  SCR_TRY(frame_surface_measure(view, &vertices, &triangles, error));
  if (triangles == 0) return SCR_OK;
  for (uint32_t i = 0; i < (instances ? view->count : 1); i++)
    SCR_TRY(frame_surface_add(view, i, instances ? number_of(view, i) : 0, &x->mesh, error));
  x->surface_count += instances ? view->count : 1;
  return SCR_OK;
}

static scr_status add_drawables(surface_export *x, const scr_surface_options *options, scr_error *error)
{
  for (size_t d = 0; d < x->topology.drawable_count; d++) {
    const drawable_view *view = &x->view.drawables[d];
    uint32_t kind = view->drawable->kind;
    x->first[d] = x->mesh.triangle_count;
    if (!view->there) continue;
    if (kind == SCR_DRAW_POINTS) SCR_TRY(add_pieces(x, view, options, error));
    if (kind == SCR_DRAW_INSTANCES || kind == SCR_DRAW_SURFACE) SCR_TRY(add_surfaces(x, view, error));
  }
  x->first[x->topology.drawable_count] = x->mesh.triangle_count;
  return SCR_OK;
}

/* Rectangles and arcs have no inside, so no surface bounds them. */
static scr_status add_solids(surface_export *x, scr_error *error)
{
  for (size_t d = 0; d < x->topology.drawable_count; d++)
    for (size_t k = x->solids.first[d]; k < x->solids.first[d + 1]; k++) {
      uint32_t element = (uint32_t)(k - x->solids.first[d]);
      if (!frame_solids_closed(&x->topology.drawables[d], element)) continue;
      SCR_TRY(frame_solids_add(&x->solids, d, element, UINT32_MAX - (uint32_t)x->obstacle_count++, &x->mesh, error));
    }
  return SCR_OK;
}

/* ── files ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* What a part of a drawable is called: "grain.clump-7", "stone.12", "membrane". */
static void name_part(const scr_drawable *drawable, uint32_t part, char *name, size_t capacity)
{
  if (drawable->kind == SCR_DRAW_SURFACE)
    snprintf(name, capacity, "%s", drawable->name);
  else if (drawable->kind == SCR_DRAW_INSTANCES)
    snprintf(name, capacity, "%s.%u", drawable->name, part);
  else
    snprintf(name, capacity, "%s.%s-%u", drawable->name, drawable->pieces[0] ? drawable->pieces : "piece", part);
}

/* Where what begins at triangle `first` ends. Instances may have the same number, and so their triangles are counted. */
static size_t surface_end(const surface_export *x, const drawable_view *view, size_t first, size_t last, uint32_t *element)
{
  if (view->drawable->kind != SCR_DRAW_INSTANCES) return part_end(&x->mesh, first, last);
  const scr_modal_shape *shape = NULL;
  do drawable_view_instance(view, (*element)++, &shape, NULL);
  while (shape->mesh.triangle_count == 0);
  return first + shape->mesh.triangle_count;
}

static void write_stl(surface_export *x)
{
  for (size_t d = 0; d < x->topology.drawable_count; d++) {
    uint32_t element = 0;
    for (size_t first = x->first[d], last = x->first[d + 1], end; first < last; first = end) {
      char name[128];
      end = surface_end(x, &x->view.drawables[d], first, last, &element);
      name_part(&x->topology.drawables[d], x->mesh.part[first], name, sizeof name);
      geo_mesh_write_stl(&x->mesh, first, end - first, name, &x->text);
    }
  }
}

/* In the order of add_solids. */
static void write_stl_solids(surface_export *x)
{
  size_t first = x->first[x->topology.drawable_count], last = x->mesh.triangle_count;
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
  SCR_TRY(geometry_topology_read(recording, &x->topology, &found, error));
  if (!found) return scr_fail(error, SCR_BAD_FILE, NULL, "the recording has no topology yet: there is nothing to export");
  SCR_TRY(find_frame(recording, options->frame, &seq, summary, error));
  SCR_TRY(read_frame(recording, seq, x, error));
  SCR_TRY(add_drawables(x, options, error));
  if (x->surface_count == 0)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "frame %llu shows no points to make surfaces of, and nothing that is a surface",
                    (unsigned long long)summary->frame);
  summary->surface_count = x->surface_count;
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
