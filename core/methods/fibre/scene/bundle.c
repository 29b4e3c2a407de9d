/* Bundles. */
#include "methods/fibre/scene/pattern.h"

#include <math.h>

static const double sharpest = M_PI / 3; /* turn of a bundle over an edge: of more a polygon is no screw */

/* ── bundles ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

double fibre_helix_distance(double radius, double turn, double angle)
{
  double low = 0, high = turn > 0 ? angle / turn : 0;
  for (int k = 0; k < 60 && turn > 0; k++) {
    double u = 0.5 * (low + high);
    if (u < radius * radius * turn * sin(angle - turn * u))
      low = u;
    else
      high = u;
  }
  return hypot(2 * radius * sin(0.5 * (angle - turn * low)), low);
}

/* Fibres that find room on a ring, `apart` from each other. */
static size_t ring_capacity(double radius, double turn, double apart)
{
  size_t most = (size_t)fmin(2 * M_PI * radius / apart, 1e6) + 1;
  while (most > 1 && fibre_helix_distance(radius, turn, 2 * M_PI / (double)most) < apart * (1 - 1e-9)) most--;
  return most;
}

/* A fibre at a distance from the axis that is at an angle in the middle of its length. */
static scr_status add_helix(geo_lines *lines, const fibre_specimen *block, double length, double radius, double angle, scr_error *error)
{
  SCR_TRY(geo_lines_begin(lines, error));
  for (int64_t k = 0; k <= block->edges; k++) {
    double z = length * ((double)k / (double)block->edges - 0.5), at = angle + 2 * M_PI * block->turns * z;
    SCR_TRY(geo_lines_add(lines, vec3(radius * cos(at), radius * sin(at), z), error));
  }
  return SCR_OK;
}

/* Nodes lie so far out that the middles of edges are no nearer to the axis than a ring is. */
scr_status fibre_bundle_lay(const scr_specimen *specimen, const fibre_specimen *block, geo_lines *lines, scr_error *error)
{
  double length = specimen->shape.length, turn = 2 * M_PI * fabs(block->turns), by_edge = turn * length / (double)block->edges;
  if (by_edge > sharpest)
    return scr_fail(error, SCR_BAD_SCENE, NULL,
                    "the bundle turns by %.0f degrees over each of %lld edges, but by at most 60 to look like a screw: use at least %.0f "
                    "edges, or fewer turns",
                    by_edge * 180 / M_PI, (long long)block->edges, ceil(turn * length / sharpest));
  double a = fibre_contact_radius(specimen, block), gap = block->clearance * a, out = isnan(block->core) ? a : block->core;
  size_t left = (size_t)block->fibres;
  if (isnan(block->core)) {
    SCR_TRY(add_helix(lines, block, length, 0, 0, error));
    left--;
  }
  while (left > 0) {
    double radius = (out + gap + a) / cos(0.5 * by_edge);
    size_t capacity = ring_capacity(radius, turn, 2 * a + gap), count = left < capacity ? left : capacity;
    for (size_t k = 0; k < count; k++) SCR_TRY(add_helix(lines, block, length, radius, 2 * M_PI * (double)k / (double)count, error));
    left -= count;
    out = radius + a;
  }
  return SCR_OK;
}
