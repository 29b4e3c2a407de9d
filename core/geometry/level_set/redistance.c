/* Distances from next to the surface outwards. */
#include "geometry/level_set/redistance.h"

#include "base/memory.h"

/* One redistancing: sizes of values, signs apart. */
typedef struct eikonal {
  const level_set *field;
  double *size;  /* [points] m, >= 0 */
  uint8_t *kept; /* [points] 1: next to the surface */
} eikonal;

static size_t index_of(const level_set *field, uint32_t i, uint32_t j, uint32_t k)
{
  return ((size_t)i * field->count[1] + j) * field->count[2] + k;
}

/* Differences of values with the two neighbours along an axis: between them over 2, and the larger one where the sign changes, m; 0: it
 * does not. At the rim the one neighbour counts for both. */
static void differences(const level_set *field, const uint32_t at[3], int axis, double *central, double *crossing)
{
  double value = level_set_value(field, at[0], at[1], at[2]), other[2] = {value, value};
  *crossing = 0;
  for (int side = 0; side < 2; side++) {
    uint32_t to[3] = {at[0], at[1], at[2]};
    if (side ? to[axis] + 1 == field->count[axis] : to[axis] == 0) continue;
    to[axis] = side ? to[axis] + 1 : to[axis] - 1;
    other[side] = level_set_value(field, to[0], to[1], to[2]);
    if ((value < 0) != (other[side] < 0)) *crossing = fmax(*crossing, fabs(other[side] - value));
  }
  *central = 0.5 * (other[1] - other[0]);
}

/* Sets the points next to the surface: value over slope, the slope that of central differences, but at least that along any line that
 * crosses. @return false: none is */
static bool freeze(eikonal *e)
{
  const level_set *f = e->field;
  bool any = false;
  for (uint32_t i = 0; i < f->count[0]; i++)
    for (uint32_t j = 0; j < f->count[1]; j++)
      for (uint32_t k = 0; k < f->count[2]; k++) {
        const uint32_t at[3] = {i, j, k};
        size_t n = index_of(f, i, j, k);
        double squares = 0, steepest = 0;
        for (int a = 0; a < 3; a++) {
          double central, crossing;
          differences(f, at, a, &central, &crossing);
          squares += central * central;
          steepest = fmax(steepest, crossing);
        }
        bool near = steepest > 0;
        e->kept[n] = near;
        e->size[n] = near ? f->spacing * fabs((double)level_set_value(f, i, j, k)) / fmax(sqrt(squares), steepest)
                          : 1e6 * f->spacing * (f->count[0] + f->count[1] + f->count[2]);
        any = any || near;
      }
  return any;
}

/* Godunov's update: the least u with sum over axes of max(u - a, 0)^2 = h^2, a the smaller neighbour along each. */
static double godunov(double a, double b, double c, double h)
{
  double low = fmin(a, fmin(b, c)), high = fmax(a, fmax(b, c)), middle = a + b + c - low - high;
  if (high > 1e300) high = fmax(middle, low) + 2 * h;
  double u = low + h;
  if (u <= middle) return u;
  u = 0.5 * (low + middle + sqrt(fmax(0, 2 * h * h - (low - middle) * (low - middle))));
  if (u <= high) return u;
  double sum = low + middle + high, squares = low * low + middle * middle + high * high;
  return (sum + sqrt(fmax(0, sum * sum - 3 * (squares - h * h)))) / 3;
}

static double neighbour(const eikonal *e, size_t n, uint32_t at, uint32_t count, size_t stride)
{
  double low = at > 0 ? e->size[n - stride] : INFINITY, high = at + 1 < count ? e->size[n + stride] : INFINITY;
  return fmin(low, high);
}

/* One sweep. @return the largest change */
static double sweep(eikonal *e, int order)
{
  const level_set *f = e->field;
  size_t along_y = f->count[2], along_x = along_y * f->count[1];
  double largest = 0;
  for (uint32_t p = 0; p < f->count[0]; p++)
    for (uint32_t q = 0; q < f->count[1]; q++)
      for (uint32_t r = 0; r < f->count[2]; r++) {
        uint32_t i = order & 1 ? f->count[0] - 1 - p : p, j = order & 2 ? f->count[1] - 1 - q : q, k = order & 4 ? f->count[2] - 1 - r : r;
        size_t n = index_of(f, i, j, k);
        if (e->kept[n]) continue;
        double u = godunov(neighbour(e, n, i, f->count[0], along_x), neighbour(e, n, j, f->count[1], along_y),
                           neighbour(e, n, k, f->count[2], 1), f->spacing);
        if (!(u < e->size[n])) continue;
        largest = fmax(largest, e->size[n] - u);
        e->size[n] = u;
      }
  return largest;
}

scr_status level_set_redistance(level_set *field, scr_error *error)
{
  size_t points = (size_t)field->count[0] * field->count[1] * field->count[2];
  eikonal e = {field, mem_array(points, sizeof *e.size), mem_array(points, sizeof *e.kept)};
  scr_status status = SCR_OK;
  if (!e.size || !e.kept) {
    mem_free(e.size);
    mem_free(e.kept);
    return scr_fail_memory(error, "the distances of a level set", points * (sizeof *e.size + 1));
  }
  if (!freeze(&e)) status = scr_fail(error, SCR_BAD_USAGE, NULL, "a level set without a surface: its values all have the same sign");
  if (status == SCR_OK) {
    double change = INFINITY;
    while (change > 1e-6 * field->spacing) {
      change = 0;
      for (int order = 0; order < 8; order++) change = fmax(change, sweep(&e, order));
    }
    for (size_t n = 0; n < points; n++) field->value[n] = (float)copysign(e.size[n], field->value[n]);
  }
  mem_free(e.size);
  mem_free(e.kept);
  return status;
}
