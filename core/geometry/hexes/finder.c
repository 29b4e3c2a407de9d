/* Points in a mesh of hexahedra.
 *
 *      grid cell c: elements item[first[c]] ... item[first[c + 1] - 1] whose boxes, a thousandth larger, reach into it */
#include "geometry/hexes/finder.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/mesh/mesh_distance.h"

static const double box_slack = 1e-3; /* of an element's box */

struct geo_hexes_finder {
  const geo_hexes *mesh;
  double lowest[3], side[3]; /* m */
  uint32_t count[3];
  size_t *first;       /* [cells + 1] */
  uint32_t *item;      /* [first[cells]] */
  geo_mesh_tree *skin; /* of the surface */
};

static void corners_of(const geo_hexes *mesh, size_t element, double corner[GEO_HEX_CORNERS][3])
{
  for (int a = 0; a < GEO_HEX_CORNERS; a++) memcpy(corner[a], mesh->node[mesh->hex[element][a]], sizeof corner[a]);
}

static void box_of(const geo_hexes *mesh, size_t element, double low[3], double high[3])
{
  double corner[GEO_HEX_CORNERS][3];
  corners_of(mesh, element, corner);
  for (int i = 0; i < 3; i++) {
    low[i] = high[i] = corner[0][i];
    for (int a = 1; a < GEO_HEX_CORNERS; a++) low[i] = fmin(low[i], corner[a][i]), high[i] = fmax(high[i], corner[a][i]);
    double slack = box_slack * (high[i] - low[i]);
    low[i] -= slack, high[i] += slack;
  }
}

/* ── building ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static uint32_t cell_along(const geo_hexes_finder *f, int axis, double x)
{
  double k = floor((x - f->lowest[axis]) / f->side[axis]);
  return (uint32_t)fmin(fmax(k, 0), f->count[axis] - 1);
}

static size_t cell_count(const geo_hexes_finder *f)
{
  return (size_t)f->count[0] * f->count[1] * f->count[2];
}

/* About one cell per element, as long along each axis as the mesh is there. */
static void lay_grid(geo_hexes_finder *f)
{
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, volume = 1;
  for (size_t n = 0; n < f->mesh->node_count; n++)
    for (int i = 0; i < 3; i++) low[i] = fmin(low[i], f->mesh->node[n][i]), high[i] = fmax(high[i], f->mesh->node[n][i]);
  for (int i = 0; i < 3; i++) volume *= high[i] - low[i];
  double edge = cbrt(volume / (double)f->mesh->hex_count);
  for (int i = 0; i < 3; i++) {
    f->count[i] = (uint32_t)fmin(fmax(round((high[i] - low[i]) / edge), 1), 200);
    f->lowest[i] = low[i];
    f->side[i] = (high[i] - low[i]) / f->count[i];
  }
}

/* Calls for every element and every cell its box is in; with `item` NULL counts into first[cell + 1], else places. */
static void sort_elements(geo_hexes_finder *f, uint32_t *item, size_t *next)
{
  for (size_t e = 0; e < f->mesh->hex_count; e++) {
    double low[3], high[3];
    uint32_t from[3], to[3];
    box_of(f->mesh, e, low, high);
    for (int i = 0; i < 3; i++) from[i] = cell_along(f, i, low[i]), to[i] = cell_along(f, i, high[i]);
    for (uint32_t z = from[2]; z <= to[2]; z++)
      for (uint32_t y = from[1]; y <= to[1]; y++)
        for (uint32_t x = from[0]; x <= to[0]; x++) {
          size_t cell = ((size_t)z * f->count[1] + y) * f->count[0] + x;
          if (item) item[next[cell]] = (uint32_t)e;
          next[cell]++;
        }
  }
}

static scr_status build_grid(geo_hexes_finder *f, scr_error *error)
{
  lay_grid(f);
  size_t cells = cell_count(f);
  size_t *next = mem_array(cells + 1, sizeof *next);
  f->first = mem_array(cells + 1, sizeof *f->first);
  if (next && f->first) {
    sort_elements(f, NULL, f->first + 1);
    for (size_t c = 0; c < cells; c++) f->first[c + 1] += f->first[c];
    memcpy(next, f->first, cells * sizeof *next);
    f->item = mem_array(f->first[cells], sizeof *f->item);
    if (f->item) sort_elements(f, f->item, next);
  }
  mem_free(next);
  return f->item ? SCR_OK : scr_fail_memory(error, "a grid over elements", cells * sizeof *next);
}

static scr_status build_skin(geo_hexes_finder *f, scr_error *error)
{
  geo_mesh triangles = {0};
  scr_status status = geo_hexes_skin(f->mesh, &triangles, error);
  if (status == SCR_OK) status = geo_mesh_tree_create(&triangles, &f->skin, error);
  geo_mesh_clear(&triangles);
  return status;
}

scr_status geo_hexes_finder_create(const geo_hexes *mesh, geo_hexes_finder **finder, scr_error *error)
{
  geo_hexes_finder *f = mem_array(1, sizeof *f);
  *finder = NULL;
  if (!f) return scr_fail_memory(error, "a grid over elements", sizeof *f);
  f->mesh = mesh;
  scr_status status = build_grid(f, error);
  if (status == SCR_OK) status = build_skin(f, error);
  if (status == SCR_OK)
    *finder = f;
  else
    geo_hexes_finder_destroy(f);
  return status;
}

void geo_hexes_finder_destroy(geo_hexes_finder *finder)
{
  if (!finder) return;
  mem_free(finder->first);
  mem_free(finder->item);
  geo_mesh_tree_destroy(finder->skin);
  mem_free(finder);
}

/* ── asking ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static bool in_box(const geo_hexes *mesh, size_t element, const double point[3])
{
  double low[3], high[3];
  box_of(mesh, element, low, high);
  for (int i = 0; i < 3; i++)
    if (point[i] < low[i] || point[i] > high[i]) return false;
  return true;
}

/* The first element that has the point, or the one it is least outside of. @return how far outside, in local coordinates; INFINITY: none
 * near */
static double find_element(const geo_hexes_finder *f, const double point[3], geo_hexes_place *place)
{
  size_t cell = 0;
  for (int i = 2; i >= 0; i--) cell = cell * f->count[i] + cell_along(f, i, point[i]);
  double least = INFINITY;
  for (size_t k = f->first[cell]; k < f->first[cell + 1] && least > 0; k++) {
    double corner[GEO_HEX_CORNERS][3], xi[3];
    if (!in_box(f->mesh, f->item[k], point)) continue;
    corners_of(f->mesh, f->item[k], corner);
    double outside = geo_hex_locate((const double(*)[3])corner, point, xi);
    if (!(outside < least)) continue;
    least = outside;
    place->element = f->item[k];
    memcpy(place->xi, xi, sizeof xi);
  }
  return least;
}

/* Of all elements the one whose clamped place is nearest: for what no grid cell's elements hold, which a sound mesh hardly has. */
static void find_slowly(const geo_hexes_finder *f, const double point[3], geo_hexes_place *place)
{
  double nearest = INFINITY;
  for (size_t e = 0; e < f->mesh->hex_count; e++) {
    const double middle[3] = {0, 0, 0};
    double corner[GEO_HEX_CORNERS][3], shape[GEO_HEX_CORNERS], distance = 0;
    corners_of(f->mesh, e, corner);
    geo_hex_shape(middle, shape);
    for (int i = 0; i < 3; i++) {
      double x = -point[i];
      for (int a = 0; a < GEO_HEX_CORNERS; a++) x += shape[a] * corner[a][i];
      distance += x * x;
    }
    if (!(distance < nearest)) continue;
    nearest = distance;
    place->element = (uint32_t)e;
    if (!isfinite(geo_hex_locate((const double(*)[3])corner, point, place->xi))) memset(place->xi, 0, sizeof place->xi);
  }
}

geo_hexes_place geo_hexes_find(const geo_hexes_finder *finder, const double point[3])
{
  geo_hexes_place place = {0};
  double outside = find_element(finder, point, &place);
  if (!(outside <= 1e-9)) {
    scr_vec3 on = geo_mesh_nearest(finder->skin, vec3(point[0], point[1], point[2])).point;
    const double nearest[3] = {on.x, on.y, on.z};
    if (isinf(find_element(finder, nearest, &place))) find_slowly(finder, nearest, &place);
  }
  for (int i = 0; i < 3; i++) place.xi[i] = fmin(fmax(place.xi[i], -1), 1);
  geo_hex_shape(place.xi, place.shape);
  double square = 0;
  for (int i = 0; i < 3; i++) {
    double x = -point[i];
    for (int a = 0; a < GEO_HEX_CORNERS; a++) x += place.shape[a] * finder->mesh->node[finder->mesh->hex[place.element][a]][i];
    square += x * x;
  }
  place.outside = sqrt(square);
  return place;
}

void geo_hexes_gradients(const geo_hexes *mesh, const geo_hexes_place *place, double gradient[GEO_HEX_CORNERS][3])
{
  double corner[GEO_HEX_CORNERS][3], jacobian[3][3], inverse[3][3], slope[GEO_HEX_CORNERS][3];
  corners_of(mesh, place->element, corner);
  geo_hex_jacobian((const double(*)[3])corner, place->xi, jacobian);
  (void)geo_hex_invert(jacobian, inverse);
  geo_hex_slope(place->xi, slope);
  for (int a = 0; a < GEO_HEX_CORNERS; a++)
    for (int j = 0; j < 3; j++) {
      gradient[a][j] = 0;
      for (int k = 0; k < 3; k++) gradient[a][j] += slope[a][k] * inverse[k][j];
    }
}
