/* The bonds' stiffness in the unloaded state, from their strains: with de = dp_j - dp_i and half rotations y = z/r,
 *   stretch n.de, shear (n x de)/l - (I - n n^T)(y_i + y_j), bending and twist y_i - y_j. */
#include "tests/support/cantilever.h"

#include "base/memory.h"
#include "geometry/fill/packing.h"

static const double pi = 3.14159265358979323846, young = 1e7, poisson = 0.3, density = 1000.0;

static double radius_of(size_t length_count)
{
  return 0.4 / (2.0 * (double)length_count + 1.0);
}

static double mass_of(double r)
{
  return density * geo_packing_cell_volume(GEO_PACKING_HEXAGONAL_CLOSE, r);
}

double cantilever_stable_step(size_t length_count)
{
  double r = radius_of(length_count), stretch = young * pi * r * r / (2.0 * r);
  return 2.0 / sqrt(17.885 * stretch / mass_of(r));
}

/* Seven strains of a bond along n of length 2 r, each over the twelve unknowns of its ends, and their stiffnesses. */
static void strains_of(scr_vec3 n, double r, double rows[7][12], double stiffness[7])
{
  double l = 2.0 * r, area = pi * r * r, inertia = 0.25 * area * r * r, g = young / (2.0 * (1.0 + poisson));
  double a[3] = {n.x, n.y, n.z}, cross[3][3] = {{0, -n.z, n.y}, {n.z, 0, -n.x}, {-n.y, n.x, 0}};
  memset(rows, 0, 7 * sizeof *rows);
  stiffness[0] = young * area / l;
  for (int k = 0; k < 3; ++k) {
    rows[0][6 + k] = a[k];
    rows[0][k] = -a[k];
    stiffness[1 + k] = g * area * l;
    stiffness[4 + k] = 1.0;
    for (int m = 0; m < 3; ++m) {
      double across = (k == m) - a[k] * a[m];
      rows[1 + k][6 + m] = cross[k][m] / l;
      rows[1 + k][m] = -cross[k][m] / l;
      rows[1 + k][3 + m] = rows[1 + k][9 + m] = -across / r;
      /* the root of 4 (kb across + kw n n^T) */
      double root = 2.0 * (sqrt(young * inertia / l) * across + sqrt(g * 2.0 * inertia / l) * a[k] * a[m]);
      rows[4 + k][3 + m] = root / r;
      rows[4 + k][9 + m] = -root / r;
    }
  }
}

static void add_bond(la_block_matrix *matrix, const uint32_t ends[2], scr_vec3 n, double r, size_t length_count)
{
  double rows[7][12], stiffness[7];
  strains_of(n, r, rows, stiffness);
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b) {
      double *block = matrix->values + 36 * la_block_matrix_slot(matrix, ends[a], ends[b]);
      if (ends[a] % length_count == 0 || ends[b] % length_count == 0) {
        if (a != b || ends[a] % length_count == 0) continue;
      }
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
          for (int k = 0; k < 7; ++k) block[6 * i + j] += stiffness[k] * rows[k][6 * a + i] * rows[k][6 * b + j];
    }
}

/* Columns: shifts along the axes, then turns about them by a small rotation vector: dp = turn x p, z = r turn / 2. */
static void set_modes(double *modes, scr_vec3 p, double r)
{
  double spin[3][3] = {{0, p.z, -p.y}, {-p.z, 0, p.x}, {p.y, -p.x, 0}};
  for (int k = 0; k < 3; ++k) {
    modes[7 * k] = 1.0;
    modes[7 * (k + 3)] = 0.5 * r;
    for (int m = 0; m < 3; ++m) modes[6 * k + 3 + m] = spin[k][m];
  }
}

static void fill(cantilever *c, const scr_vec3 *centres, const uint32_t (*pairs)[2], size_t pair_count, size_t length_count, double dt)
{
  double r = radius_of(length_count), m = mass_of(r);
  for (size_t k = 0; k < c->count; ++k) {
    bool held = k % length_count == 0;
    double inertia = isfinite(dt) ? m / (dt * dt) : 0.0;
    for (size_t d = 0; d < 6; ++d) c->matrix.values[36 * c->matrix.diagonal[k] + 7 * d] = held ? 1.0 : d < 3 ? inertia : 1.6 * inertia;
    if (held) continue;
    c->free_count++;
    c->right[6 * k + 2] = -9.81 * m;
    set_modes(c->modes + 36 * k, centres[k], r);
  }
  for (size_t b = 0; b < pair_count; ++b) {
    scr_vec3 e = vec3_sub(centres[pairs[b][1]], centres[pairs[b][0]]);
    add_bond(&c->matrix, pairs[b], vec3_scale(e, 1.0 / vec3_length(e)), r, length_count);
  }
}

bool cantilever_create(const size_t counts[3], double time_step, cantilever *c)
{
  size_t n = counts[0] * counts[1] * counts[2], pair_count = 0;
  double r = radius_of(counts[0]);
  uint32_t(*pairs)[2] = NULL;
  *c = (cantilever){.count = n, .right = mem_array(n, 6 * sizeof(double)), .modes = mem_array(n, 36 * sizeof(double))};
  scr_vec3 *centres = mem_array(n, sizeof *centres);
  bool done = c->right && c->modes && centres;
  if (done) geo_packing_block(GEO_PACKING_HEXAGONAL_CLOSE, r, counts, centres);
  done = done && geo_packing_pairs(centres, n, 2.02 * r, &pairs, &pair_count, NULL) == SCR_OK &&
         la_block_matrix_create(n, (const uint32_t(*)[2])pairs, pair_count, &c->matrix, NULL) == SCR_OK;
  if (done)
    fill(c, centres, (const uint32_t(*)[2])pairs, pair_count, counts[0], time_step);
  else
    cantilever_destroy(c);
  mem_free(centres);
  mem_free(pairs);
  return done;
}

void cantilever_destroy(cantilever *c)
{
  la_block_matrix_destroy(&c->matrix);
  mem_free(c->right);
  mem_free(c->modes);
  *c = (cantilever){0};
}
