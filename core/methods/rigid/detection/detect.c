#include "methods/rigid/detection/detect.h"

#include <string.h>

#include "base/memory.h"
#include "sim/rig/part_touch.h"

/* ── memory ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static double radius_of(const detect_scene *scene, size_t i)
{
  return scene->shapes[scene->bodies[i].shape].extent * scene->bodies[i].scale;
}

/* Level of a body: how often the largest radius can be halved before it is reached. */
static void sort_levels(detection *d, const detect_scene *scene)
{
  double largest = 0;
  size_t count[DETECT_LEVELS] = {0};
  for (size_t i = 0; i < scene->body_count; i++) largest = fmax(largest, radius_of(scene, i));
  for (size_t i = 0; i < scene->body_count; i++) {
    int level = 0;
    double radius = radius_of(scene, i);
    while (level < DETECT_LEVELS - 1 && radius <= 0.5 * largest / (double)(1u << level)) level++;
    d->level[i] = (uint8_t)level;
    count[level]++;
  }
  for (int k = 0; k < DETECT_LEVELS; k++) d->level_first[k + 1] = d->level_first[k] + count[k];
  memset(count, 0, sizeof count);
  for (size_t i = 0; i < scene->body_count; i++) d->by_level[d->level_first[d->level[i]] + count[d->level[i]]++] = (uint32_t)i;
}

scr_status detect_create(detection *d, const detect_scene *scene, scr_error *error)
{
  size_t n = scene->body_count, pieces = 0;
  *d = (detection){.chunk_count = (n + DETECT_CHUNK - 1) / DETECT_CHUNK};
  d->placed_first = mem_array(n + 1, sizeof *d->placed_first);
  if (!d->placed_first) return scr_fail_memory(error, "contact detection", n * sizeof *d->placed_first);
  for (size_t i = 0; i < n; i++) {
    const rigid_shape *shape = &scene->shapes[scene->bodies[i].shape];
    d->placed_first[i] = pieces;
    pieces += shape->piece_count;
    for (size_t k = 0; k < shape->piece_count; k++) d->vector_count += geo_placed_vectors(&shape->pieces[k]);
  }
  d->placed_first[n] = pieces;
  for (size_t p = 0; p < scene->parts->count; p++) d->vector_count += geo_placed_vectors(&scene->part_pieces[p]);
  d->placed = mem_array(pieces + SCR_PART_LIMIT, sizeof *d->placed);
  d->vectors = mem_array(d->vector_count + 1, sizeof *d->vectors);
  d->bound = mem_array(n, sizeof *d->bound);
  d->by_level = mem_array(n, sizeof *d->by_level);
  d->level = mem_array(n, sizeof *d->level);
  d->chunks = mem_array(d->chunk_count, sizeof *d->chunks);
  for (int a = 0; a < 3; a++) d->at[a] = mem_array(n, sizeof *d->at[a]);
  if (!d->placed || !d->vectors || !d->bound || !d->by_level || !d->level || !d->chunks || !d->at[0] || !d->at[1] || !d->at[2])
    return scr_fail_memory(error, "contact detection", pieces * sizeof *d->placed + d->vector_count * sizeof *d->vectors);
  sort_levels(d, scene);
  return SCR_OK;
}

void detect_clear(detection *d)
{
  mem_free(d->placed_first);
  mem_free(d->placed);
  mem_free(d->vectors);
  mem_free(d->bound);
  mem_free(d->by_level);
  mem_free(d->level);
  for (size_t k = 0; d->chunks && k < d->chunk_count; k++) mem_free(d->chunks[k].items);
  mem_free(d->chunks);
  mem_free(d->touches.items);
  for (int a = 0; a < 3; a++) mem_free(d->at[a]);
  for (int k = 0; k < DETECT_LEVELS; k++) geo_cells_clear(&d->cells[k]);
  *d = (detection){0};
}

/* ── pieces in place ────────────────────────────────────────────────────────────────────────────────────────────── */

static void place_all(detection *d, const detect_scene *scene)
{
  size_t used = 0;
  for (size_t i = 0; i < scene->body_count; i++) {
    const rigid_body *body = &scene->bodies[i];
    const rigid_shape *shape = &scene->shapes[body->shape];
    double travel =
        vec3_length(body->velocity) + vec3_length(body->spin) * radius_of(scene, i) + vec3_length(scene->gravity) * scene->time_step;
    d->at[0][i] = body->centre.x, d->at[1][i] = body->centre.y, d->at[2][i] = body->centre.z;
    d->bound[i] = radius_of(scene, i) + 0.5 * scene->margin + travel * scene->time_step;
    for (size_t k = 0; k < shape->piece_count; k++)
      used +=
          geo_place(&shape->pieces[k], body->centre, body->attitude, body->scale, d->vectors + used, &d->placed[d->placed_first[i] + k]);
  }
  for (size_t p = 0; p < scene->parts->count; p++) {
    const scr_pose *pose = &scene->parts->now[p].pose;
    geo_placed *placed = &d->placed[d->placed_first[scene->body_count] + p];
    used += geo_place(&scene->part_pieces[p], pose->position, pose->rotation, 1, d->vectors + used, placed);
  }
}

static scr_status fill_cells(detection *d, const detect_scene *scene, scr_execution execution, scr_error *error)
{
  double bound[DETECT_LEVELS] = {0}, finer = 0;
  for (size_t i = 0; i < scene->body_count; i++) bound[d->level[i]] = fmax(bound[d->level[i]], d->bound[i]);
  for (int k = DETECT_LEVELS - 1; k >= 0; k--) {
    size_t first = d->level_first[k], count = d->level_first[k + 1] - first;
    finer = fmax(finer, bound[k]);
    if (count == 0) continue;
    SCR_TRY(geo_cells_build(&d->cells[k], (const double *[]){d->at[0], d->at[1], d->at[2]}, d->by_level + first, count,
                            (bound[k] + finer) * (1 + 1e-12), execution, error));
  }
  return SCR_OK;
}

/* ── pairs ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* How near the surfaces of two bodies must be for their contacts to matter in this step. */
static double reach_of(const detection *d, const detect_scene *scene, size_t i)
{
  return d->bound[i] - radius_of(scene, i);
}

static void touch_bodies(const detection *d, const detect_scene *scene, size_t i, size_t j, touch_list *list)
{
  double reach = reach_of(d, scene, i) + reach_of(d, scene, j);
  for (size_t k = d->placed_first[i]; k < d->placed_first[i + 1]; k++)
    for (size_t l = d->placed_first[j]; l < d->placed_first[j + 1]; l++) {
      touch_sink sink = {list, (uint32_t)i, (uint32_t)j, (uint64_t)(k - d->placed_first[i]) << 16 | (l - d->placed_first[j]), false};
      touch_pair(&d->placed[k], &d->placed[l], reach, &sink);
    }
}

static void touch_part(const detection *d, const detect_scene *scene, size_t i, size_t p, touch_list *list)
{
  const scr_part *form = &scene->parts->form[p];
  const part_motion *now = &scene->parts->now[p];
  if (form->kind == SCR_PART_GRIP || form->is_free) return;
  double reach = reach_of(d, scene, i) + 0.5 * scene->margin + scene->part_speed[p] * scene->time_step;
  for (size_t k = d->placed_first[i]; k < d->placed_first[i + 1]; k++) {
    touch_sink sink = {list, (uint32_t)i, (uint32_t)(scene->body_count + p), (uint64_t)(k - d->placed_first[i]) << 16, false};
    part_touch(form, &now->pose, &d->placed[d->placed_first[scene->body_count] + p], &d->placed[k], reach, &sink);
  }
}

/* Distances looked at for a body's pieces against a piece, about. */
static double effort_of(const detect_scene *scene, size_t i)
{
  const rigid_shape *shape = &scene->shapes[scene->bodies[i].shape];
  return shape->pieces[0].kind == GEO_PIECE_MESH ? (double)shape->pieces[0].sample_count : 16.0 * (double)shape->piece_count;
}

static double effort_of_pair(const detect_scene *scene, size_t i, size_t j)
{
  double pieces_i = (double)scene->shapes[scene->bodies[i].shape].piece_count,
         pieces_j = (double)scene->shapes[scene->bodies[j].shape].piece_count;
  return effort_of(scene, i) * pieces_j + effort_of(scene, j) * pieces_i;
}

/* What may be spent on a chunk, or a body. */
typedef struct allowance {
  double distances; /* about */
  size_t touches;   /* in its list */
} allowance;

static bool is_used_up(const allowance *most, double looked, const touch_list *list)
{
  return looked > most->distances || list->count > most->touches;
}

/* @return distances looked at */
static double touch_neighbours(const detection *d, const detect_scene *scene, size_t i, const allowance *most, touch_list *list)
{
  double looked = 0;
  for (int level = d->level[i]; level >= 0; level--) {
    const geo_cells *cells = &d->cells[level];
    uint32_t run[9][2];
    if (d->level_first[level] == d->level_first[level + 1]) continue;
    int runs = geo_cells_around(cells, d->at[0][i], d->at[1][i], d->at[2][i], run);
    for (int r = 0; r < runs; r++) {
      looked += run[r][1] - run[r][0];
      for (uint32_t k = run[r][0]; k < run[r][1]; k++) {
        size_t j = cells->item[k];
        if (level == d->level[i] && j <= i) continue;
        if (i >= scene->specimen_bodies && j >= scene->specimen_bodies) continue;
        double x = d->at[0][i] - d->at[0][j], y = d->at[1][i] - d->at[1][j], z = d->at[2][i] - d->at[2][j],
               near = d->bound[i] + d->bound[j];
        if (!(x * x + y * y + z * z < near * near)) continue;
        looked += effort_of_pair(scene, i, j);
        if (is_used_up(most, looked, list)) return looked;
        touch_bodies(d, scene, i, j, list);
      }
    }
  }
  return looked;
}

/* @return distances looked at, but for those to parts */
static double run_chunk(detection *d, const detect_scene *scene, size_t chunk, const allowance *most)
{
  touch_list *list = &d->chunks[chunk];
  size_t first = chunk * DETECT_CHUNK, last = first + DETECT_CHUNK < scene->body_count ? first + DETECT_CHUNK : scene->body_count;
  double looked = 0;
  list->count = 0;
  list->failed = false;
  for (size_t i = first; i < last && !is_used_up(most, looked, list); i++) {
    const allowance left = {most->distances - looked, most->touches};
    looked += touch_neighbours(d, scene, i, &left, list);
    for (size_t p = 0; p < scene->parts->count && i < scene->specimen_bodies; p++) touch_part(d, scene, i, p, list);
  }
  return looked;
}

/* One chunk behind the other, so that what is looked at does not hang on threads. */
static void run_within_budget(detection *d, const detect_scene *scene)
{
  const size_t touches_of_body = 40, spare = 1000; /* boxes in a pack have half of these */
  allowance left = {scene->budget, touches_of_body * scene->body_count + spare};
  for (size_t c = 0; c < d->chunk_count; c++) {
    touch_list *list = &d->chunks[c];
    list->count = 0;
    list->failed = false;
    if (d->exhausted) continue;
    double looked = run_chunk(d, scene, c, &left);
    d->exhausted = is_used_up(&left, looked, list);
    left.distances -= looked;
    left.touches -= list->count < left.touches ? list->count : left.touches;
  }
}

scr_status detect_run(detection *d, const detect_scene *scene, scr_execution execution, scr_error *error)
{
  size_t count = 0;
  place_all(d, scene);
  SCR_TRY(fill_cells(d, scene, execution, error));
  d->exhausted = false;
  if (scene->budget > 0)
    run_within_budget(d, scene);
  else {
    const allowance any = {INFINITY, SIZE_MAX};
#pragma omp parallel for num_threads(execution.threads) schedule(dynamic)
    for (size_t c = 0; c < d->chunk_count; c++) (void)run_chunk(d, scene, c, &any);
  }
  for (size_t c = 0; c < d->chunk_count; c++) {
    if (d->chunks[c].failed) return scr_fail_memory(error, "contacts", d->chunks[c].count * sizeof(geo_touch));
    count += d->chunks[c].count;
  }
  if (!mem_grow(&d->touches.items, &d->touches.capacity, count, sizeof *d->touches.items))
    return scr_fail_memory(error, "contacts", count * sizeof(geo_touch));
  d->touches.count = 0;
  for (size_t c = 0; c < d->chunk_count; c++) {
    if (d->chunks[c].count) memcpy(d->touches.items + d->touches.count, d->chunks[c].items, d->chunks[c].count * sizeof(geo_touch));
    d->touches.count += d->chunks[c].count;
  }
  return SCR_OK;
}
