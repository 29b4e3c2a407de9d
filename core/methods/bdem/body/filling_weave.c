/* Woven specimens: every yarn a chain of spheres bonded to their neighbours on it; yarns hold each other by contact alone. */
#include "base/memory.h"
#include "geometry/fill/weave.h"
#include "methods/bdem/body/filling.h"

static geo_weave weave_of(const scr_specimen *specimen)
{
  const scr_shape *shape = &specimen->shape;
  return (geo_weave){.radius = 0.5 * bdem_specimen_of(specimen)->spacing,
                     .pitch = shape->pitch,
                     .clearance = shape->clearance,
                     .wefts = (size_t)shape->wefts,
                     .warps = (size_t)shape->warps};
}

double bdem_weave_expected(const scr_specimen *specimen)
{
  /* A yarn rises and falls by a diameter and the clearance each pitch: shorter than the way along and straight up. */
  double pitch_length = specimen->shape.pitch + bdem_specimen_of(specimen)->spacing * (1 + specimen->shape.clearance);
  double wefts = (double)specimen->shape.wefts, warps = (double)specimen->shape.warps;
  return 2 * wefts * warps * pitch_length / bdem_specimen_of(specimen)->spacing + 2 * (wefts + warps);
}

double bdem_weave_misfit(const scr_specimen *specimen)
{
  geo_weave weave = weave_of(specimen);
  size_t per_weft, per_warp;
  geo_weave_counts(&weave, &per_weft, &per_warp);
  double pitches = geo_weave_pitch_length(&weave) / (2 * weave.radius);
  double weft = pitches * (double)weave.warps / (double)(per_weft - 1), warp = pitches * (double)weave.wefts / (double)(per_warp - 1);
  return fmax(fmax(weft, 1 / weft), fmax(warp, 1 / warp));
}

/* Place along a yarn of the sphere next to the plane x = 0. */
static size_t nearest_middle(const scr_vec3 *centre, size_t count)
{
  size_t nearest = 0;
  for (size_t k = 1; k < count; ++k)
    if (fabs(centre[k].x) < fabs(centre[nearest].x)) nearest = k;
  return nearest;
}

static void join(bdem_filling *filling, size_t i)
{
  filling->pairs[filling->pair_count][0] = (uint32_t)i;
  filling->pairs[filling->pair_count++][1] = (uint32_t)(i + 1);
  filling->degree[i]++;
  filling->degree[i + 1]++;
}

/* Moves a yarn of `count` spheres from place `from` down behind the ones kept so far and bonds its neighbours. A cut one loses the sphere
 * next to x = 0: its neighbours are as far apart as contact needs. */
static void string_up(bdem_filling *filling, size_t from, size_t count, bool cut)
{
  size_t gap = cut ? nearest_middle(filling->centre + from, count) : count;
  for (size_t k = 0; k < count; ++k) {
    if (k == gap) continue;
    size_t i = filling->sphere_count++;
    filling->centre[i] = filling->centre[from + k];
    if (k > 0 && k != gap + 1) join(filling, i - 1);
  }
}

scr_status bdem_weave_fill(bdem_filling *filling, const scr_specimen *specimen, double density, scr_error *error)
{
  geo_weave weave = weave_of(specimen);
  size_t per_weft, per_warp, slit = (size_t)specimen->shape.slit;
  double r = filling->radius;
  geo_weave_counts(&weave, &per_weft, &per_warp);
  size_t in_wefts = weave.wefts * per_weft, n = in_wefts + weave.warps * per_warp, yarns = weave.wefts + weave.warps;
  filling->centre = mem_array(n, sizeof *filling->centre);
  filling->degree = mem_array(n, sizeof *filling->degree);
  filling->pairs = mem_array(n - yarns, sizeof *filling->pairs);
  if (!filling->centre || !filling->degree || !filling->pairs)
    return scr_fail_memory(error, "the spheres of a specimen", n * sizeof *filling->centre);
  SCR_TRY(geo_weave_fill(&weave, filling->centre, error));
  for (size_t k = 0; k < weave.wefts; ++k) string_up(filling, k * per_weft, per_weft, k < slit);
  for (size_t k = 0; k < weave.warps; ++k) string_up(filling, in_wefts + k * per_warp, per_warp, false);
  filling->piece_count = yarns + slit;
  filling->cells = 1;
  double length = 2 * (double)(weave.wefts * weave.warps) * geo_weave_pitch_length(&weave);
  filling->mass = density * M_PI * r * r * length / (double)n;
  return SCR_OK;
}
