/* Pieces of the surface in rings, each given to the nearest place. */
#include "methods/bdem/body/curved_areas.h"

#include "base/memory.h"
#include "geometry/search/cells.h"

static const double pi = 3.14159265358979323846;

/* The places, and what each has so far. */
typedef struct sharing {
  geo_cells cells;
  double *const *place;
  const bool *outward;
  double *area;
  double reach;
  double given, whole; /* m^2 */
} sharing;

/* Gives a piece to the nearest place whose face is on its side; to none where all are farther than the reach. */
static void share(sharing *s, scr_vec3 at, double area, bool outward)
{
  uint32_t run[9][2], nearest = UINT32_MAX;
  double least = s->reach * s->reach;
  s->whole += area;
  for (int r = 0, runs = geo_cells_around(&s->cells, at.x, at.y, at.z, run); r < runs; ++r)
    for (uint32_t k = run[r][0]; k < run[r][1]; ++k) {
      uint32_t i = s->cells.item[k];
      scr_vec3 d = vec3_sub(vec3(s->place[0][i], s->place[1][i], s->place[2][i]), at);
      if (s->outward[i] != outward || !(vec3_dot(d, d) < least)) continue;
      least = vec3_dot(d, d);
      nearest = i;
    }
  if (nearest == UINT32_MAX) return;
  s->area[nearest] += area;
  s->given += area;
}

/* A ring about the axis, `width` wide. */
static void share_ring(sharing *s, double radius, double z, double width, double piece, bool outward)
{
  double count = fmax(6.0, ceil(2.0 * pi * radius / piece));
  for (size_t k = 0; (double)k + 0.5 < count; ++k) {
    double angle = 2.0 * pi * ((double)k + 0.5) / count;
    share(s, vec3(radius * cos(angle), radius * sin(angle), z), 2.0 * pi * radius / count * width, outward);
  }
}

static void share_mantle(sharing *s, double radius, double length, double piece)
{
  double rings = ceil(length / piece), width = length / rings;
  for (size_t k = 0; (double)k + 0.5 < rings; ++k) share_ring(s, radius, ((double)k + 0.5) * width - 0.5 * length, width, piece, true);
}

static void share_sphere(sharing *s, double radius, double piece, bool outward)
{
  double rings = fmax(3.0, ceil(pi * radius / piece)), width = pi / rings;
  for (size_t k = 0; (double)k + 0.5 < rings; ++k) {
    double from_pole = ((double)k + 0.5) * width;
    share_ring(s, radius * sin(from_pole), radius * cos(from_pole), radius * width, piece, outward);
  }
}

scr_status bdem_share_curved_faces(const geo_solid *solid, double piece, double reach, double *const place[3], const bool *outward,
                                   size_t count, double *area, scr_error *error)
{
  const double *const at[3] = {place[0], place[1], place[2]};
  sharing s = {.place = place, .outward = outward, .area = area, .reach = reach};
  for (size_t k = 0; k < count; ++k) area[k] = 0.0;
  if (count == 0) return SCR_OK;
  scr_status status = geo_cells_build(&s.cells, at, NULL, count, reach, execution_of(1), error);
  if (status == SCR_OK && solid->kind == GEO_SOLID_CYLINDER)
    share_mantle(&s, solid->radius, solid->size.z, piece);
  else if (status == SCR_OK && solid->kind == GEO_SOLID_SPHERE) {
    share_sphere(&s, solid->radius, piece, true);
    if (solid->inner_radius > 0) share_sphere(&s, solid->inner_radius, piece, false);
  }
  for (size_t k = 0; k < count && s.given > 0.0; ++k) area[k] *= s.whole / s.given;
  geo_cells_clear(&s.cells);
  return status;
}
