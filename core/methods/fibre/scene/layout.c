/* Forms by formulas, along polylines, and patterns. */
#include "methods/fibre/scene/layout.h"

#include <math.h>

#include "base/execution.h"
#include "base/memory.h"
#include "geometry/search/cells.h"
#include "geometry/segment.h"
#include "methods/fibre/scene/pattern.h"

static void scale_lines(geo_lines *lines, double scale)
{
  for (size_t k = 0; k < lines->point_count; k++) {
    lines->point[k] = vec3_scale(lines->point[k], scale);
    lines->along[k] *= scale;
  }
}

scr_status fibre_layout_open(const scr_scene *scene, size_t specimen, fibre_layout *layout, scr_error *error)
{
  const fibre_specimen *block = scr_scene_specimen(scene, specimen);
  scr_status status = SCR_OK;
  *layout = (fibre_layout){.block = block, .length = scene->specimens[specimen].shape.length};
  if (block->form == FIBRE_CURVE) status = geo_lines_read_text(block->curve, &layout->lines, error);
  if (fibre_form_is_pattern(block->form)) status = fibre_pattern_lay(scene, specimen, &layout->lines, error);
  if (block->form == FIBRE_LINES) {
    if (block->lines.index < 0)
      return scr_fail(error, SCR_BAD_SCENE, NULL, "form lines takes fibres from a file: name it in lines, or use another form");
    const scr_asset *file = &scene->assets[block->lines.index];
    status = geo_lines_read(file->bytes, file->size, &layout->lines, error);
    if (status == SCR_OK) scale_lines(&layout->lines, block->lines_scale);
  }
  return status == SCR_BAD_FILE ? SCR_BAD_SCENE : status;
}

void fibre_layout_close(fibre_layout *layout)
{
  geo_lines_clear(&layout->lines);
}

size_t fibre_layout_count(const fibre_layout *layout)
{
  return layout->lines.line_count ? layout->lines.line_count : 1;
}

double fibre_layout_length(const fibre_layout *layout, size_t fibre)
{
  return layout->lines.line_count ? geo_line_length(&layout->lines, fibre) : layout->length;
}

scr_vec3 fibre_layout_node(const fibre_layout *layout, size_t fibre, uint32_t k)
{
  const fibre_specimen *block = layout->block;
  double edges = (double)block->edges, length = fibre_layout_length(layout, fibre), s = length * k / edges;
  if (layout->lines.line_count) return geo_line_at(&layout->lines, fibre, k < block->edges ? s : length);
  if (block->form == FIBRE_RING) {
    double radius = 0.5 * length / edges / sin(M_PI / edges), angle = 2 * M_PI * k / edges;
    return vec3(radius * cos(angle), radius * sin(angle), 0);
  }
  if (block->form == FIBRE_HELIX) {
    double turn = 2 * M_PI / hypot(2 * M_PI * block->helix_radius, block->helix_pitch), rise = block->helix_pitch * turn / (2 * M_PI);
    return vec3(block->helix_radius * cos(turn * s), block->helix_radius * sin(turn * s), rise * (s - 0.5 * length));
  }
  return vec3(0, 0, s - 0.5 * length);
}

scr_vec3 fibre_layout_start(const fibre_layout *layout, size_t fibre)
{
  const fibre_specimen *block = layout->block;
  scr_vec3 d = vec3_sub(fibre_layout_node(layout, fibre, 1), fibre_layout_node(layout, fibre, 0));
  if (block->form == FIBRE_HELIX) d = vec3(0, 2 * M_PI * block->helix_radius, block->helix_pitch);
  return vec3_scale(d, 1 / vec3_length(d));
}

/* ── a fibre that crosses itself ─────────────────────────────────────────────────────────────────────────────────── */

/* Edges of one fibre by their middles. */
typedef struct edge_search {
  scr_vec3 *node;    /**< [edges + 1] */
  double *middle[3]; /**< [edges] */
  geo_cells cells;
  uint32_t edges;
} edge_search;

static void clear_search(edge_search *search)
{
  mem_free(search->node);
  for (int a = 0; a < 3; a++) mem_free(search->middle[a]);
  geo_cells_clear(&search->cells);
}

/* @param longest receives the length of the longest edge, m */
static scr_status lay_search(const fibre_layout *layout, size_t fibre, edge_search *search, double *longest, scr_error *error)
{
  uint32_t edges = search->edges = (uint32_t)layout->block->edges;
  SCR_TRY(mem_allocate(&search->node, edges + (size_t)1, sizeof *search->node, "nodes of a fibre", error));
  for (int a = 0; a < 3; a++) SCR_TRY(mem_allocate(&search->middle[a], edges, sizeof(double), "edges of a fibre", error));
  for (uint32_t k = 0; k <= edges; k++) search->node[k] = fibre_layout_node(layout, fibre, k);
  *longest = 0;
  for (uint32_t k = 0; k < edges; k++) {
    scr_vec3 m = vec3_scale(vec3_add(search->node[k], search->node[k + 1]), 0.5);
    search->middle[0][k] = m.x, search->middle[1][k] = m.y, search->middle[2][k] = m.z;
    *longest = fmax(*longest, vec3_length(vec3_sub(search->node[k + 1], search->node[k])));
  }
  return SCR_OK;
}

static bool overlap(const edge_search *search, uint32_t a, uint32_t b, double pitch, double radius, fibre_crossing *crossing)
{
  double s, t;
  const scr_vec3 *node = search->node;
  geo_segments_nearest(node[a], node[a + 1], node[b], node[b + 1], &s, &t);
  scr_vec3 p = vec3_add(node[a], vec3_scale(vec3_sub(node[a + 1], node[a]), s)),
           q = vec3_add(node[b], vec3_scale(vec3_sub(node[b + 1], node[b]), t));
  double apart = pitch * (b + t - a - s), distance = vec3_length(vec3_sub(p, q));
  if (!(apart > M_PI * radius) || !(distance < 2 * radius * (1 - 1e-9))) return false;
  *crossing = (fibre_crossing){a, b, distance, p};
  return true;
}

scr_status fibre_layout_crossing(const fibre_layout *layout, size_t fibre, double radius, fibre_crossing *crossing, bool *found,
                                 scr_error *error)
{
  edge_search search = {0};
  double longest, pitch = fibre_layout_length(layout, fibre) / (double)layout->block->edges;
  scr_status status = lay_search(layout, fibre, &search, &longest, error);
  *found = false;
  if (status == SCR_OK)
    status = geo_cells_build(&search.cells, (const double *const[]){search.middle[0], search.middle[1], search.middle[2]}, NULL,
                             search.edges, longest + 2 * radius, execution_of(1), error);
  for (uint32_t a = 0; status == SCR_OK && a < search.edges && !*found; a++) {
    uint32_t run[9][2];
    for (int r = 0, runs = geo_cells_around(&search.cells, search.middle[0][a], search.middle[1][a], search.middle[2][a], run); r < runs;
         r++)
      for (uint32_t at = run[r][0]; at < run[r][1] && !*found; at++)
        if (search.cells.item[at] > a) *found = overlap(&search, a, search.cells.item[at], pitch, radius, crossing);
  }
  clear_search(&search);
  return status;
}
