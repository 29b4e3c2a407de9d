/* Surfaces of fragments as STL or PLY. A frame's drawables have as many elements throughout a run (topology.h), which triangles of a surface
 * that breaks don't; so surfaces are made from the points of a recorded frame when somebody asks for them, and no frame carries them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "geometry/mesh_write.h"
#include "geometry/surface.h"
#include "record/frame_reader.h"
#include "record/recording.h"
#include "record/topology.h"

/* The points of one drawable in one frame. */
typedef struct swarm {
  const scr_drawable *drawable; /* borrowed */
  size_t count;
  scr_vec3 *centre;   /* [count] NULL until the frame gave it */
  uint32_t *fragment; /* [count] NULL for none */
} swarm;

/* A run of triangles of one fragment. */
typedef struct shell {
  const scr_drawable *drawable;
  uint32_t fragment;
  size_t first, count;
} shell;

typedef struct surface_export {
  scr_topology topology;
  swarm *swarms; /* [topology.drawable_count] */
  shell *shells; /* [shell_count] */
  size_t shell_count, shell_capacity;
  geo_mesh mesh;
  text_builder text;
} surface_export;

static void export_clear(surface_export *x)
{
  for (size_t d = 0; x->swarms && d < x->topology.drawable_count; d++) {
    mem_free(x->swarms[d].centre);
    mem_free(x->swarms[d].fragment);
  }
  mem_free(x->swarms);
  mem_free(x->shells);
  geo_mesh_clear(&x->mesh);
  text_clear(&x->text);
  topology_clear(&x->topology);
}

/* ── points ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static bool is_fragment_field(const scr_drawable *drawable, uint32_t field)
{
  return field < drawable->field_count && strcmp(drawable->fields[field].name, "fragment") == 0;
}

static scr_status take_array(surface_export *x, const frame_array *array, scr_error *error)
{
  if (array->drawable >= x->topology.drawable_count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "a frame names drawable %u, the topology has %zu: the recording is damaged", array->drawable,
                    x->topology.drawable_count);
  swarm *s = &x->swarms[array->drawable];
  s->drawable = &x->topology.drawables[array->drawable];
  if (s->drawable->kind != SCR_DRAW_POINTS) return SCR_OK;
  size_t n = array->element_count;
  if (n != s->drawable->element_count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "a frame has %zu elements of drawable %u, the topology %u: the recording is damaged", n,
                    array->drawable, s->drawable->element_count);
  bool fragments = is_fragment_field(s->drawable, array->header.field) && array->header.encoding == SCR_ENCODING_UINT32 && !s->fragment;
  if (array->header.field == 0 && array->header.components == 3 && !s->centre) {
    s->count = n;
    s->centre = mem_array(n, sizeof *s->centre);
    if (!s->centre) return scr_fail_memory(error, "the points of a frame", n * sizeof *s->centre);
    for (uint32_t i = 0; i < n; i++)
      s->centre[i] = vec3(frame_array_value(array, i, 0), frame_array_value(array, i, 1), frame_array_value(array, i, 2));
  } else if (fragments) {
    s->fragment = mem_array(n, sizeof *s->fragment);
    if (!s->fragment) return scr_fail_memory(error, "the fragments of a frame", n * sizeof *s->fragment);
    for (uint32_t i = 0; i < n; i++) s->fragment[i] = (uint32_t)frame_array_value(array, i, 0);
  }
  return SCR_OK;
}

static scr_status read_points(scr_recording *recording, uint64_t seq, surface_export *x, scr_error *error)
{
  void *record;
  const void *payload;
  size_t size;
  x->swarms = mem_array(x->topology.drawable_count, sizeof *x->swarms);
  if (!x->swarms) return scr_fail_memory(error, "the drawables of a frame", x->topology.drawable_count * sizeof *x->swarms);
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

typedef struct member {
  uint32_t fragment, point;
} member;

static int compare_members(const void *left, const void *right)
{
  const member *a = left, *b = right;
  if (a->fragment != b->fragment) return a->fragment < b->fragment ? -1 : 1;
  return (a->point > b->point) - (a->point < b->point);
}

static scr_status add_shell(surface_export *x, const swarm *s, uint32_t fragment, const scr_vec3 *centre, const double *radius,
                            size_t count, const scr_surface_options *options, scr_error *error)
{
  geo_surface_options grid = {.cell = options->cell > 0 ? options->cell : 0.5 * s->drawable->radius, .threads = options->threads};
  void *array = x->shells;
  if (!mem_grow(&array, &x->shell_capacity, x->shell_count + 1, sizeof *x->shells))
    return scr_fail_memory(error, "the list of fragments", (x->shell_count + 1) * sizeof *x->shells);
  x->shells = array;
  size_t first = x->mesh.triangle_count;
  SCR_TRY(geo_surface_of_spheres(centre, radius, count, &grid, fragment, &x->mesh, error));
  x->shells[x->shell_count++] = (shell){s->drawable, fragment, first, x->mesh.triangle_count - first};
  return SCR_OK;
}

/* The fragments of a drawable, by rising number. The arrays are scratch of [s->count]. */
static scr_status add_fragments(surface_export *x, const swarm *s, const scr_surface_options *options, member *members, scr_vec3 *centre,
                                double *radius, scr_error *error)
{
  for (size_t i = 0; i < s->count; i++) {
    members[i] = (member){s->fragment ? s->fragment[i] : 0, (uint32_t)i};
    radius[i] = s->drawable->radius;
  }
  qsort(members, s->count, sizeof *members, compare_members);
  for (size_t i = 0; i < s->count; i++) centre[i] = s->centre[members[i].point];
  for (size_t first = 0, end; first < s->count; first = end) {
    for (end = first + 1; end < s->count && members[end].fragment == members[first].fragment;) end++;
    SCR_TRY(add_shell(x, s, members[first].fragment, centre + first, radius, end - first, options, error));
  }
  return SCR_OK;
}

static scr_status add_swarm(surface_export *x, const swarm *s, const scr_surface_options *options, scr_error *error)
{
  member *members = mem_array(s->count, sizeof *members);
  scr_vec3 *centre = mem_array(s->count, sizeof *centre);
  double *radius = mem_array(s->count, sizeof *radius);
  scr_status status;
  if (members && centre && radius)
    status = add_fragments(x, s, options, members, centre, radius, error);
  else
    status = scr_fail_memory(error, "the fragments of a frame", s->count * (sizeof *members + sizeof *centre + sizeof *radius));
  mem_free(members);
  mem_free(centre);
  mem_free(radius);
  return status;
}

/* ── files ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void write_stl(surface_export *x)
{
  for (size_t k = 0; k < x->shell_count; k++) {
    char name[96];
    snprintf(name, sizeof name, "%s.fragment-%u", x->shells[k].drawable->name, x->shells[k].fragment);
    geo_mesh_write_stl(&x->mesh, x->shells[k].first, x->shells[k].count, name, &x->text);
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
  SCR_TRY(read_points(recording, seq, x, error));
  for (size_t d = 0; d < x->topology.drawable_count; d++)
    if (x->swarms[d].centre) SCR_TRY(add_swarm(x, &x->swarms[d], options, error));
  if (x->shell_count == 0)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "frame %llu shows no points to make surfaces of", (unsigned long long)summary->frame);
  summary->fragment_count = x->shell_count;
  summary->triangle_count = x->mesh.triangle_count;
  if (options->format == SCR_SURFACE_STL)
    write_stl(x);
  else
    write_ply(x, summary);
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
