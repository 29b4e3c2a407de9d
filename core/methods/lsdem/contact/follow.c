/* Level sets that follow modes. */
#include "methods/lsdem/contact/follow.h"

#include <string.h>

#include "base/memory.h"
#include "geometry/level_set/redistance.h"
#include "geometry/mesh/mesh_distance.h"
#include "methods/lsdem/contact/query.h"
#include "sim/method.h"

enum { REDISTANCE_EVERY = 20, BAND = 4, INVERSE_STEPS = 8 };

static size_t points_of(const level_set *field)
{
  return (size_t)field->count[0] * field->count[1] * field->count[2];
}

/* A view that can only be pulled back in. */
static lsdem_view bare_view(const lsdem_template *grain, const double *amplitude)
{
  lsdem_view view = {.grain = grain, .amplitude = amplitude, .moved = 1};
  lsdem_view_rigid(&view);
  return view;
}

/* ── made anew ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status deformed_tree(const lsdem_template *grain, const double *amplitude, geo_mesh_tree **tree, scr_error *error)
{
  geo_mesh mesh = grain->surface;
  SCR_TRY(mem_allocate(&mesh.vertex, grain->node_count, sizeof *mesh.vertex, "a deformed surface", error));
  for (size_t k = 0; k < grain->node_count; k++) {
    mesh.vertex[k] = grain->surface.vertex[k];
    for (size_t a = 0; a < grain->mode_count; a++)
      mesh.vertex[k] = vec3_add(mesh.vertex[k], vec3_scale(grain->mode_at_node[a * grain->node_count + k], amplitude[a]));
  }
  scr_status status = geo_mesh_tree_create(&mesh, tree, error);
  mem_free(mesh.vertex);
  return status == SCR_BAD_FILE ? SCR_DIVERGED : status;
}

/* The distance to the deformed triangles where that is below BAND spacings; elsewhere the reference shape's at the reference point, at
 * least as far as that. */
scr_status lsdem_follow_make(const lsdem_template *grain, const double *amplitude, bool unbiased, level_set *field, scr_error *error)
{
  geo_mesh_tree *tree = NULL;
  lsdem_view view = bare_view(grain, amplitude);
  double reach = BAND * field->spacing;
  SCR_TRY(deformed_tree(grain, amplitude, &tree, error));
  for (uint32_t i = 0; i < field->count[0]; i++)
    for (uint32_t j = 0; j < field->count[1]; j++)
      for (uint32_t k = 0; k < field->count[2]; k++) {
        scr_vec3 place = level_set_point(field, i, j, k);
        double value = 2 * reach;
        geo_nearest nearest;
        if (!level_set_at(&grain->field, lsdem_pull_back(&view, place, INVERSE_STEPS), &value) || fabs(value) < 2 * reach) {
          if (geo_mesh_nearest_within(tree, place, reach, &nearest))
            value = nearest.distance;
          else
            value = copysign(fmax(reach, fabs(value)), value);
        }
        field->value[((size_t)i * field->count[1] + j) * field->count[2] + k] = (float)value;
      }
  geo_mesh_tree_destroy(tree);
  return unbiased ? level_set_unbias(field, error) : SCR_OK;
}

/* ── carried along ───────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct change {
  const lsdem_template *grain;
  const double *from, *to; /* [modes] m */
} change;

/* Of a material point that is at `place` at a share of the way: the modes' change at its reference point. */
static scr_vec3 change_at(const void *user, scr_vec3 place, double share)
{
  const change *c = user;
  double now[LSDEM_MODE_LIMIT];
  for (size_t a = 0; a < c->grain->mode_count; a++) now[a] = c->from[a] + share * (c->to[a] - c->from[a]);
  lsdem_view view = bare_view(c->grain, now);
  scr_vec3 reference = lsdem_pull_back(&view, place, INVERSE_STEPS), sum = vec3(0, 0, 0);
  for (size_t a = 0; a < c->grain->mode_count; a++)
    sum = vec3_add(sum, vec3_scale(lsdem_mode_at(&c->grain->modes[a], reference), c->to[a] - c->from[a]));
  return sum;
}

/* ── up to date ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* An own level set like the template's. */
static scr_status begin(lsdem_followed *followed, const lsdem_template *grain, scr_error *error)
{
  size_t points = points_of(&grain->field);
  followed->field = grain->field;
  SCR_TRY(mem_allocate(&followed->field.value, points, sizeof(float), "a grain's own level set", error));
  memcpy(followed->field.value, grain->field.value, points * sizeof(float));
  return SCR_OK;
}

scr_status lsdem_follow_update(lsdem_followed *followed, const lsdem_template *grain, const double *amplitude, double tolerance,
                               bool unbiased, scr_error *error)
{
  if (grain->following != LSDEM_FOLLOW_RECOMPUTE && grain->following != LSDEM_FOLLOW_ADVECT) return SCR_OK;
  double moved = 0;
  for (size_t a = 0; a < grain->mode_count; a++) moved += fabs(amplitude[a] - followed->amplitude[a]) * grain->mode_peak[a];
  if (!(moved > tolerance)) return SCR_OK;
  if (!followed->field.value) SCR_TRY(begin(followed, grain, error));
  followed->updates++;
  if (grain->following == LSDEM_FOLLOW_RECOMPUTE) {
    SCR_TRY(lsdem_follow_make(grain, amplitude, unbiased, &followed->field, error));
  } else {
    change c = {grain, followed->amplitude, amplitude};
    SCR_TRY(level_set_advect(&followed->field, change_at, &c, error));
    if (followed->updates % REDISTANCE_EVERY == 0) SCR_TRY(level_set_redistance(&followed->field, error));
  }
  memcpy(followed->amplitude, amplitude, grain->mode_count * sizeof *amplitude);
  return SCR_OK;
}

/* ── samples ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status lsdem_follow_prepare(lsdem_template *grain, const lsdem_recipe *recipe, scr_error *error)
{
  grain->following = recipe->following;
  if (recipe->following != LSDEM_FOLLOW_PRECOMPUTED || grain->mode_count == 0) return SCR_OK;
  size_t count = grain->mode_count * recipe->samples, points = points_of(&grain->field);
  SCR_TRY(mem_allocate(&grain->samples, count * points, sizeof *grain->samples, "a template's level sets at its samples", error));
  grain->sample_count = recipe->samples;
  grain->sample_step = 2 * recipe->amplitude / (double)(recipe->samples - 1);
  for (size_t a = 0; a < grain->mode_count; a++)
    for (size_t p = 0; p < recipe->samples; p++) {
      double amplitude[LSDEM_MODE_LIMIT] = {0};
      level_set field = grain->field;
      amplitude[a] = grain->sample_step * ((double)p - 0.5 * (double)(recipe->samples - 1)) / grain->mode_peak[a];
      field.value = grain->samples + (a * recipe->samples + p) * points;
      if (2 * p + 1 == recipe->samples)
        memcpy(field.value, grain->field.value, points * sizeof *field.value);
      else
        SCR_TRY(lsdem_follow_make(grain, amplitude, recipe->unbiased, &field, error));
    }
  return SCR_OK;
}

/* Values at the corners of a cell by the samples: beyond the outermost ones by these. */
static void blend_samples(const lsdem_view *view, const size_t corner[8], double value[8])
{
  const lsdem_template *grain = view->grain;
  size_t points = points_of(&grain->field);
  for (size_t a = 0; a < grain->mode_count; a++) {
    double at = view->amplitude[a] * grain->mode_peak[a] / grain->sample_step + 0.5 * (double)(grain->sample_count - 1);
    at = fmin(fmax(at, 0), (double)(grain->sample_count - 1) * (1 - 1e-15));
    size_t low = (size_t)at < grain->sample_count - 1 ? (size_t)at : grain->sample_count - 2;
    const float *below = grain->samples + (a * grain->sample_count + low) * points, *above = below + points;
    double share = at - (double)low;
    for (int c = 0; c < 8; c++)
      value[c] += (1 - share) * ((double)below[corner[c]] - grain->field.value[corner[c]]) +
                  share * ((double)above[corner[c]] - grain->field.value[corner[c]]);
  }
}

/* ── asking ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

bool lsdem_follow_at(const lsdem_view *view, scr_vec3 place, int64_t iterations, double *value, scr_vec3 *slope)
{
  const level_set *field = &view->grain->field;
  if (view->deformed) return level_set_gradient_at(view->deformed, place, value, slope) && *value < 0;
  size_t low, along_y = field->count[2], along_x = along_y * field->count[1];
  double part[3], at[8];
  if (!level_set_cell(field, place, &low, part)) return false;
  bool samples = view->grain->following == LSDEM_FOLLOW_PRECOMPUTED;
  if (!samples && view->grain->following != LSDEM_FOLLOW_REMAP) /* an own level set that is not made yet: nothing moved by the tolerance */
    return level_set_gradient_at(field, place, value, slope) && *value < 0;
  size_t corner[8];
  for (size_t c = 0; c < 8; c++) corner[c] = low + (c >> 2) * along_x + (c >> 1 & 1) * along_y + (c & 1);
  for (size_t c = 0; c < 8 && samples; c++) at[c] = field->value[corner[c]];
  if (samples) blend_samples(view, corner, at);
  scr_vec3 first = vec3_sub(place, vec3_scale(vec3(part[0], part[1], part[2]), field->spacing));
  for (unsigned c = 0; c < 8 && !samples; c++) {
    scr_vec3 grid_point = vec3_add(first, vec3_scale(vec3(c >> 2, c >> 1 & 1, c & 1), field->spacing));
    if (!level_set_at(field, lsdem_pull_back(view, grid_point, iterations), &at[c])) return false;
  }
  level_set_blend(at, part, field->per_spacing, value, slope);
  return *value < 0;
}

void lsdem_follow_bytes(int following, size_t points, size_t modes, size_t samples, double *per_grain, double *per_template)
{
  bool own = following == LSDEM_FOLLOW_RECOMPUTE || following == LSDEM_FOLLOW_ADVECT;
  *per_grain = sizeof(lsdem_followed) + (own ? (double)points * sizeof(float) : 0);
  *per_template = following == LSDEM_FOLLOW_PRECOMPUTED ? (double)(modes * samples * points) * sizeof(float) : 0;
}

/* ── checkpoints ─────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status lsdem_follow_save(const lsdem_followed *followed, scr_blob *blob, scr_error *error)
{
  SCR_TRY(scr_blob_write_u64(blob, followed->updates, error));
  SCR_TRY(scr_blob_write(blob, followed->amplitude, sizeof followed->amplitude, error));
  if (!followed->field.value) return SCR_OK;
  return scr_blob_write_array(blob, followed->field.value, points_of(&followed->field), sizeof(float), error);
}

scr_status lsdem_follow_load(lsdem_followed *followed, const lsdem_template *grain, scr_blob *blob, scr_error *error)
{
  SCR_TRY(scr_blob_read_u64(blob, &followed->updates, error));
  SCR_TRY(scr_blob_read(blob, followed->amplitude, sizeof followed->amplitude, error));
  double sum = 0;
  for (size_t a = 0; a < LSDEM_MODE_LIMIT; a++) sum += followed->amplitude[a];
  if (!isfinite(sum)) return scr_sim_damaged("amplitudes of level sets", error);
  if (followed->updates == 0) return SCR_OK;
  if (!followed->field.value) SCR_TRY(begin(followed, grain, error));
  size_t points = points_of(&grain->field);
  SCR_TRY(scr_blob_read_array(blob, followed->field.value, points, sizeof(float), "a grain's own level set", error));
  for (size_t n = 0; n < points; n++)
    if (!isfinite(followed->field.value[n])) return scr_sim_damaged("level sets", error);
  return SCR_OK;
}
