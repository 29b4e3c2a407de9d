/* Mats, weaves and grooms; what all patterns share. */
#include "methods/fibre/scene/pattern.h"

#include <math.h>

#include "base/quat.h"
#include "base/random.h"
#include "geometry/segment.h"

bool fibre_form_is_pattern(int form)
{
  return form == FIBRE_BUNDLE || form == FIBRE_MAT || form == FIBRE_WEAVE || form == FIBRE_GROOM;
}

/* ── mats ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A fibre that looks for a place. */
typedef struct arc {
  scr_vec3 along, across; /* unit, the tangent in its middle and the way it bends to */
  scr_vec3 middle;        /* m */
  double length, curl;    /* m, 1/m */
} arc;

static scr_vec3 arc_at(const arc *a, double share)
{
  double s = (share - 0.5) * a->length, angle = a->curl * s, x = s, y = 0.5 * a->curl * s * s;
  if (fabs(angle) > 1e-6) x = sin(angle) / a->curl, y = (1 - cos(angle)) / a->curl;
  return vec3_add(a->middle, vec3_add(vec3_scale(a->along, x), vec3_scale(a->across, y)));
}

/* Any direction is as likely as another (Archimedes: z is even). */
static scr_vec3 any_direction(uint64_t *state)
{
  double z = 2 * random_uniform(state) - 1, angle = 2 * M_PI * random_uniform(state), out = sqrt(1 - z * z);
  return vec3(out * cos(angle), out * sin(angle), z);
}

/* Draws directions, and a place where it lies in the box by a radius and half a gap. @return whether the box is wide enough for it */
static bool draw_arc(arc *a, int64_t edges, scr_vec3 size, double keep, uint64_t *state)
{
  scr_vec3 u = any_direction(state), v = any_direction(state);
  v = vec3_sub(v, vec3_scale(u, vec3_dot(u, v)));
  double length = vec3_length(v), place[3];
  if (!(length > 1e-3)) return false;
  a->along = u, a->across = vec3_scale(v, 1 / length), a->middle = vec3(0, 0, 0);
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int64_t k = 0; k <= edges; k++) {
    scr_vec3 p = arc_at(a, (double)k / (double)edges);
    const double at[3] = {p.x, p.y, p.z};
    for (int c = 0; c < 3; c++) low[c] = fmin(low[c], at[c]), high[c] = fmax(high[c], at[c]);
  }
  const double whole[3] = {size.x, size.y, size.z};
  bool fits = true;
  for (int c = 0; c < 3; c++) {
    double free = whole[c] - 2 * keep - (high[c] - low[c]);
    fits = fits && free >= 0;
    place[c] = -0.5 * whole[c] + keep - low[c] + free * random_uniform(state);
  }
  a->middle = vec3(place[0], place[1], place[2]);
  return fits;
}

/* Whether two polylines of points come nearer than `apart`; those whose chords are farther than both bulge are not looked at closely. */
static bool are_near(const scr_vec3 *p, const scr_vec3 *q, size_t edges, double bulge, double apart)
{
  double s, t;
  geo_segments_nearest(p[0], p[edges], q[0], q[edges], &s, &t);
  scr_vec3 a = vec3_along(p[0], vec3_sub(p[edges], p[0]), s), b = vec3_along(q[0], vec3_sub(q[edges], q[0]), t);
  if (vec3_length(vec3_sub(a, b)) > apart + 2 * bulge) return false;
  for (size_t i = 0; i < edges; i++)
    for (size_t j = 0; j < edges; j++) {
      geo_segments_nearest(p[i], p[i + 1], q[j], q[j + 1], &s, &t);
      a = vec3_along(p[i], vec3_sub(p[i + 1], p[i]), s), b = vec3_along(q[j], vec3_sub(q[j + 1], q[j]), t);
      if (vec3_length(vec3_sub(a, b)) < apart) return true;
    }
  return false;
}

/* Adds the arc as the last polyline where it is free, @return SCR_OK with *placed */
static scr_status try_arc(const arc *a, size_t edges, double apart, geo_lines *lines, bool *placed, scr_error *error)
{
  size_t each = edges + 1, before = lines->line_count;
  SCR_TRY(geo_lines_begin(lines, error));
  for (size_t k = 0; k <= edges; k++) SCR_TRY(geo_lines_add(lines, arc_at(a, (double)k / (double)edges), error));
  double bulge = 0.125 * a->length * a->length * a->curl;
  *placed = true;
  for (size_t i = 0; i < before && *placed; i++)
    *placed = !are_near(lines->point + i * each, lines->point + before * each, edges, bulge, apart);
  if (!*placed) lines->line_count--, lines->point_count -= each;
  return SCR_OK;
}

/* One fibre after the other is drawn until it finds a free place (random sequential addition). */
static scr_status lay_mat(const scr_scene *scene, size_t k, geo_lines *lines, scr_error *error)
{
  enum { TRIES = 400 }; /* for a fibre, of all together */
  const scr_specimen *specimen = &scene->specimens[k];
  const fibre_specimen *block = scr_scene_specimen(scene, k);
  double radius = fibre_contact_radius(specimen, block), gap = block->clearance * radius, turn = block->curl * specimen->shape.length;
  if (turn > M_PI)
    return scr_fail(error, SCR_BAD_SCENE, NULL,
                    "arcs of %.3g m with a curl of %.3g 1/m turn by %.3g rad, but by at most half a turn: use at most %.3g",
                    specimen->shape.length, block->curl, turn, M_PI / specimen->shape.length);
  uint64_t state = (uint64_t)scene->seed + (k + 1) * 0xd1342543de82ef95ULL;
  arc a = {.length = specimen->shape.length, .curl = block->curl};
  for (size_t tries = TRIES * (size_t)block->fibres; lines->line_count < (size_t)block->fibres; tries--) {
    bool placed;
    if (tries == 0)
      return scr_fail(
          error, SCR_BAD_SCENE, NULL,
          "only %zu of %lld fibres found a place in the box of %.3g x %.3g x %.3g m without overlap: use fewer, shorter or thinner "
          "ones, or a larger size",
          lines->line_count, (long long)block->fibres, block->size.x, block->size.y, block->size.z);
    if (draw_arc(&a, block->edges, block->size, radius + 0.5 * gap, &state))
      SCR_TRY(try_arc(&a, (size_t)block->edges, 2 * radius + gap, lines, &placed, error));
  }
  return SCR_OK;
}

/* ── weaves ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A yarn's middle line z = sign a cos(pi x / pitch), x from the first yarn that it crosses, half a pitch from its end. */
static scr_status add_yarn(geo_lines *lines, const fibre_specimen *block, double height, int64_t crossings, double across, double sign,
                           bool weft, scr_error *error)
{
  int64_t points = 8 * block->edges;
  double length = block->pitch * (double)crossings;
  SCR_TRY(geo_lines_begin(lines, error));
  for (int64_t k = 0; k <= points; k++) {
    double x = length * ((double)k / (double)points - 0.5), z = sign * height * cos(M_PI * ((x + 0.5 * length) / block->pitch - 0.5));
    SCR_TRY(geo_lines_add(lines, weft ? vec3(x, across, z) : vec3(across, x, z), error));
  }
  return SCR_OK;
}

static double middle_of(int64_t k, int64_t count, double pitch)
{
  return ((double)k + 0.5 - 0.5 * (double)count) * pitch;
}

/* Yarns are so high that chords over crests are no lower than layers and the clearance need. */
static scr_status lay_weave(const scr_specimen *specimen, const fibre_specimen *block, geo_lines *lines, scr_error *error)
{
  enum { LEAST = 4 }; /* edges over a pitch */
  double radius = fibre_contact_radius(specimen, block), most = fmax((double)block->wefts, (double)block->warps),
         height = radius * (1 + 0.5 * block->clearance) / cos(0.5 * M_PI * most / (double)block->edges);
  if (block->pitch < 5 * radius)
    return scr_fail(
        error, SCR_BAD_SCENE, NULL,
        "yarns of a contact radius of %.3g m overlap on the slopes of a weave whose pitch is %.3g m: use a pitch of at least %.3g m",
        radius, block->pitch, 5 * radius);
  if ((double)block->edges < LEAST * most)
    return scr_fail(error, SCR_BAD_SCENE, NULL, "%lld edges are too few for yarns that cross %.0f others: use at least %.0f",
                    (long long)block->edges, most, LEAST * most);
  for (int64_t j = 0; j < block->wefts; j++)
    SCR_TRY(add_yarn(lines, block, height, block->warps, middle_of(j, block->wefts, block->pitch), j % 2 ? -1 : 1, true, error));
  for (int64_t i = 0; i < block->warps; i++)
    SCR_TRY(add_yarn(lines, block, height, block->wefts, middle_of(i, block->warps, block->pitch), i % 2 ? 1 : -1, false, error));
  return SCR_OK;
}

/* ── grooms ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Roots of a spiral of equal areas (Vogel 1979, on a sphere), which are evenly apart; hairs straight out of the ball. */
static scr_status lay_groom(const scr_specimen *specimen, const fibre_specimen *block, geo_lines *lines, scr_error *error)
{
  const double golden = M_PI * (3 - sqrt(5));
  double low = cos(block->cap * M_PI / 180), radius = block->head_radius;
  for (int64_t k = 0; k < block->fibres; k++) {
    double z = 1 - (1 - low) * ((double)k + 0.5) / (double)block->fibres, out = sqrt(1 - z * z), angle = golden * (double)k;
    scr_vec3 n = vec3(out * cos(angle), out * sin(angle), z);
    SCR_TRY(geo_lines_begin(lines, error));
    SCR_TRY(geo_lines_add(lines, vec3_scale(n, radius), error));
    SCR_TRY(geo_lines_add(lines, vec3_scale(n, radius + specimen->shape.length), error));
  }
  return SCR_OK;
}

/* ── all of them ─────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status fibre_pattern_lay(const scr_scene *scene, size_t k, geo_lines *lines, scr_error *error)
{
  const scr_specimen *specimen = &scene->specimens[k];
  const fibre_specimen *block = scr_scene_specimen(scene, k);
  scr_status status = block->form == FIBRE_BUNDLE  ? fibre_bundle_lay(specimen, block, lines, error)
                      : block->form == FIBRE_MAT   ? lay_mat(scene, k, lines, error)
                      : block->form == FIBRE_WEAVE ? lay_weave(specimen, block, lines, error)
                                                   : lay_groom(specimen, block, lines, error);
  if (status == SCR_OK) status = geo_lines_finish(lines, error);
  if (status != SCR_OK) geo_lines_clear(lines);
  return status;
}
