/* Periodic samples of packings: cells and bars, their bonds, the matrix of their equilibrium. */
#include "methods/bdem/calibration/sample.h"

#include <string.h>

#include "base/memory.h"
#include "geometry/fill/packing.h"
#include "linalg/block6/pcg.h"
#include "linalg/block6/preconditioner_choice.h"
#include "methods/bdem/body/filling.h"

enum { ITERATION_LIMIT = 4000 };

/* Axes of the mean strain's components. */
static const int component_axes[BDEM_STRESSES][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};

/* ── spheres ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A block of whole lattice periods, of spheres of radius 1. Rows alternate along y, layers along z: two of each are a period. */
static scr_status place_lattice(int packing, const size_t counts[3], bdem_sample *s, scr_error *error)
{
  bool hexagonal = packing == BDEM_PACKING_HEXAGONAL_CLOSE;
  double cell = 4.0 / sqrt(3.0);
  const double pitch[3] = {hexagonal ? 2.0 : cell, hexagonal ? sqrt(3.0) : cell, hexagonal ? 2.0 * sqrt(2.0 / 3.0) : 0.5 * cell};
  s->sphere_count = counts[0] * counts[1] * counts[2];
  SCR_TRY(mem_allocate(&s->centre, s->sphere_count, sizeof *s->centre, "a sample of a packing", error));
  geo_packing_block(hexagonal ? GEO_PACKING_HEXAGONAL_CLOSE : GEO_PACKING_BODY_CENTRED, 1.0, counts, s->centre);
  for (int a = 0; a < 3; ++a) s->edge[a] = (double)counts[a] * pitch[a];
  return SCR_OK;
}

/* Spheres of one copy of the cell that lie between the free faces, half a radius inside as fillings have it; counts them when there is
 * nowhere to put them. */
static size_t copy_cell(const bdem_sample *s, const scr_vec3 *cell, scr_vec3 corner, scr_vec3 *to)
{
  const double margin = 0.5 * (1 - 1e-9);
  size_t kept = 0;
  for (size_t k = 0; k < BDEM_RANDOM_CELL; ++k) {
    scr_vec3 p = vec3_add(corner, vec3_scale(cell[k], 2));
    bool outside = (s->free[0] && fabs(p.x) > 0.5 * s->edge[0] - margin) || (s->free[1] && fabs(p.y) > 0.5 * s->edge[1] - margin) ||
                   (s->free[2] && fabs(p.z) > 0.5 * s->edge[2] - margin);
    if (outside) continue;
    if (to) to[kept] = p;
    ++kept;
  }
  return kept;
}

/* Copies of the cell around the middle, where fillings have a corner of it; one along an axis with a period. */
static size_t copy_cells(const bdem_sample *s, const scr_vec3 *cell, double period, scr_vec3 *to)
{
  size_t kept = 0;
  int first[3], last[3];
  for (int a = 0; a < 3; ++a) {
    int n = s->free[a] ? (int)ceil(0.5 * s->edge[a] / period) : 0;
    first[a] = -n, last[a] = s->free[a] ? n : 1;
  }
  for (int z = first[2]; z < last[2]; ++z)
    for (int y = first[1]; y < last[1]; ++y)
      for (int x = first[0]; x < last[0]; ++x) kept += copy_cell(s, cell, vec3(x * period, y * period, z * period), to ? to + kept : NULL);
  return kept;
}

/* The cell that fillings repeat; of a bar, what they keep between its free faces. */
static scr_status place_random(const scr_vec3 *cell, double edge, const double *width, bdem_sample *s, scr_error *error)
{
  for (int a = 0; a < 3; ++a) s->edge[a] = 2 * (width && s->free[a] ? width[a] : edge);
  s->sphere_count = copy_cells(s, cell, 2 * edge, NULL);
  SCR_TRY(mem_allocate(&s->centre, s->sphere_count, sizeof *s->centre, "a sample of a packing", error));
  (void)copy_cells(s, cell, 2 * edge, s->centre);
  return SCR_OK;
}

/* ── links ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Links from sphere i to the image of sphere j that lies `shift` off; counts them when there is nowhere to put them. */
static size_t link_image(const bdem_sample *s, const int image[3], double reach, bdem_link *to)
{
  size_t count = 0;
  int order = 100 * image[0] + 10 * image[1] + image[2];
  scr_vec3 shift = vec3(image[0] * s->edge[0], image[1] * s->edge[1], image[2] * s->edge[2]);
  for (uint32_t i = 0; i < s->sphere_count; ++i)
    for (uint32_t j = i; j < s->sphere_count; ++j) {
      scr_vec3 e = vec3_add(vec3_sub(s->centre[j], s->centre[i]), shift);
      if ((i == j && order <= 0) || vec3_dot(e, e) >= reach * reach) continue;
      if (to) to[count] = (bdem_link){.i = i, .j = j, .e = e};
      ++count;
    }
  return count;
}

static size_t link_all(const bdem_sample *s, double reach, bdem_link *to)
{
  size_t count = 0;
  int most[3], image[3];
  for (int a = 0; a < 3; ++a) most[a] = s->free[a] ? 0 : (int)ceil(reach / s->edge[a]);
  for (image[0] = -most[0]; image[0] <= most[0]; ++image[0])
    for (image[1] = -most[1]; image[1] <= most[1]; ++image[1])
      for (image[2] = -most[2]; image[2] <= most[2]; ++image[2]) count += link_image(s, image, reach, to ? to + count : NULL);
  return count;
}

/* Pattern: linked spheres, and every sphere with the mean strain. */
static scr_status make_matrix(bdem_sample *s, scr_error *error)
{
  size_t n = s->sphere_count, pair_count = s->link_count + n;
  uint32_t(*pairs)[2] = mem_array(pair_count, sizeof *pairs);
  if (!pairs) return scr_fail_memory(error, "the bonds of a sample", pair_count * sizeof *pairs);
  for (size_t b = 0; b < s->link_count; ++b) pairs[b][0] = s->links[b].i, pairs[b][1] = s->links[b].j;
  for (size_t k = 0; k < n; ++k) pairs[s->link_count + k][0] = (uint32_t)k, pairs[s->link_count + k][1] = (uint32_t)n;
  scr_status status = la_block_matrix_create(n + 1, (const uint32_t(*)[2])pairs, pair_count, &s->matrix, error);
  mem_free(pairs);
  return status;
}

/* Neighbours are those of the regular lattice. */
static void stretch_all(const double stretch[3], bdem_sample *s)
{
  double f[3];
  for (int a = 0; a < 3; ++a) {
    f[a] = stretch[a] > 0 ? stretch[a] : 1;
    s->edge[a] *= f[a];
  }
  for (size_t k = 0; k < s->sphere_count; ++k) s->centre[k] = vec3(f[0] * s->centre[k].x, f[1] * s->centre[k].y, f[2] * s->centre[k].z);
  for (size_t b = 0; b < s->link_count; ++b) {
    scr_vec3 *e = &s->links[b].e;
    *e = vec3(f[0] * e->x, f[1] * e->y, f[2] * e->z);
  }
  s->volume = s->edge[0] * s->edge[1] * s->edge[2];
}

static scr_status finish(int packing, const double stretch[3], bdem_sample *s, scr_error *error)
{
  double reach = packing == BDEM_PACKING_RANDOM_CLOSE ? BDEM_RANDOM_REACH : BDEM_LATTICE_REACH;
  s->link_count = link_all(s, reach, NULL);
  s->links = mem_array(s->link_count, sizeof *s->links);
  s->scratch = mem_array(la_pcg_scratch(s->sphere_count + 1) + 2 * bdem_sample_unknowns(s), sizeof *s->scratch);
  if (!s->links || !s->scratch) return scr_fail_memory(error, "the bonds of a sample", s->link_count * sizeof *s->links);
  (void)link_all(s, reach, s->links);
  stretch_all(stretch, s);
  SCR_TRY(make_matrix(s, error));
  return la_preconditioner_create(LA_BLOCK_CHOLESKY, execution_of(1), &s->preconditioner, error);
}

scr_status bdem_sample_cell(int packing, const double stretch[3], const scr_vec3 *cell, double edge, bdem_sample *sample, scr_error *error)
{
  *sample = (bdem_sample){0};
  const size_t counts[3] = {1, packing == BDEM_PACKING_HEXAGONAL_CLOSE ? 2 : 1, 2};
  SCR_TRY(packing == BDEM_PACKING_RANDOM_CLOSE ? place_random(cell, edge, NULL, sample, error)
                                               : place_lattice(packing, counts, sample, error));
  return finish(packing, stretch, sample, error);
}

scr_status bdem_sample_bar(int packing, const double stretch[3], int axis, const scr_vec3 *cell, double edge, const double width[3],
                           bdem_sample *sample, scr_error *error)
{
  *sample = (bdem_sample){.free = {axis != 0, axis != 1, axis != 2}};
  bool hexagonal = packing == BDEM_PACKING_HEXAGONAL_CLOSE;
  const size_t counts[3] = {axis == 0 ? 1 : 8, axis == 1 ? (hexagonal ? 2 : 1) : 8, axis == 2 ? 2 : hexagonal ? 8 : 16};
  SCR_TRY(packing == BDEM_PACKING_RANDOM_CLOSE ? place_random(cell, edge, width, sample, error)
                                               : place_lattice(packing, counts, sample, error));
  return finish(packing, stretch, sample, error);
}

void bdem_sample_destroy(bdem_sample *sample)
{
  mem_free(sample->centre);
  mem_free(sample->links);
  mem_free(sample->scratch);
  la_block_matrix_destroy(&sample->matrix);
  la_preconditioner_destroy(&sample->preconditioner);
  *sample = (bdem_sample){0};
}

/* ── the matrix ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A free face leaves strains across it to the spheres. */
static bool bears(const bdem_sample *s, int component)
{
  return !s->free[component_axes[component][0]] && !s->free[component_axes[component][1]];
}

enum { LOCAL = 9, ENDS = 3 }; /* (e, y_i, y_j); block rows i, j and the mean strain */

/* Derivatives of (e, y_i, y_j) in the unknowns of sphere i, sphere j and the mean strain. */
static void derivatives(const bdem_sample *s, const bdem_link *link, double b[LOCAL][6 * ENDS])
{
  const double e[3] = {link->e.x, link->e.y, link->e.z};
  memset(b, 0, LOCAL * sizeof *b);
  for (int d = 0; d < 3; ++d) {
    b[d][d] = -1.0;
    b[d][6 + d] = 1.0;
    b[3 + d][3 + d] = b[6 + d][9 + d] = 1.0;
  }
  for (int m = 0; m < BDEM_STRESSES; ++m) {
    int p = component_axes[m][0], q = component_axes[m][1];
    if (!bears(s, m)) continue;
    b[p][12 + m] += p == q ? e[q] : 0.5 * e[q];
    if (p != q) b[q][12 + m] += 0.5 * e[p];
  }
}

/* Adds `sign` times a link's part. */
static void add_link(bdem_sample *s, const bdem_link *link, double sign)
{
  double b[LOCAL][6 * ENDS], hb[LOCAL][6 * ENDS];
  bdem_bond_hessian h;
  const uint32_t row[ENDS] = {link->i, link->j, (uint32_t)s->sphere_count};
  bdem_bond_hessian_of(&link->bond, link->e, quat_identity(), quat_identity(), BDEM_CURVATURE_GAUSS_NEWTON, &h);
  const double *blocks[3][3] = {{h.ee, h.ei, h.ej}, {h.ei, h.ii, h.ij}, {h.ej, h.ij, h.jj}};
  derivatives(s, link, b);
  for (int r = 0; r < LOCAL; ++r)
    for (int c = 0; c < 6 * ENDS; ++c) {
      hb[r][c] = 0.0;
      for (int k = 0; k < LOCAL; ++k) {
        bool upper = r / 3 <= k / 3;
        hb[r][c] += blocks[r / 3][k / 3][upper ? 3 * (r % 3) + k % 3 : 3 * (k % 3) + r % 3] * b[k][c];
      }
    }
  for (int p = 0; p < ENDS; ++p)
    for (int q = 0; q < ENDS; ++q) {
      double *to = s->matrix.values + LA_BLOCK_SIZE * la_block_matrix_slot(&s->matrix, row[p], row[q]);
      for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c)
          for (int k = 0; k < LOCAL; ++k) to[6 * r + c] += sign * b[k][6 * p + r] * hb[k][6 * q + c];
    }
}

/* Sphere 0 is held where it is, by a spring that no equilibrium loads; so are spheres without a bond and strains that no stress goes with.
 * */
static void hold(bdem_sample *s)
{
  double *first = s->matrix.values + LA_BLOCK_SIZE * s->matrix.diagonal[0];
  double *last = s->matrix.values + LA_BLOCK_SIZE * s->matrix.diagonal[s->sphere_count];
  for (int d = 0; d < 3; ++d) first[7 * d] += 1.0;
  for (size_t k = 1; k < s->sphere_count; ++k) {
    double *own = s->matrix.values + LA_BLOCK_SIZE * s->matrix.diagonal[k];
    for (int d = 0; d < 6; ++d)
      if (!(own[7 * d] > 0)) own[7 * d] = 1.0;
  }
  for (int m = 0; m < BDEM_STRESSES; ++m)
    if (!bears(s, m)) last[7 * m] += s->volume;
}

scr_status bdem_sample_bond(bdem_sample *sample, const bdem_elasticity *elasticity, double flexion, scr_error *error)
{
  bdem_elasticity unit = *elasticity;
  unit.young_modulus = 1.0;
  sample->section = bdem_section_make(unit.calibration, 1.0, INFINITY, INFINITY);
  la_block_matrix_clear(&sample->matrix);
  for (size_t b = 0; b < sample->link_count; ++b) {
    sample->links[b].bond = bdem_bond_make(&unit, 1.0, sample->links[b].e);
    sample->links[b].bond.bend *= flexion;
    sample->links[b].bond.twist *= flexion;
    sample->links[b].broken = false;
    add_link(sample, &sample->links[b], 1.0);
  }
  hold(sample);
  return sample->preconditioner.update(sample->preconditioner.state, &sample->matrix, error);
}

void bdem_sample_break(bdem_sample *sample, size_t link)
{
  sample->links[link].broken = true;
  add_link(sample, &sample->links[link], -1.0);
}

/* ── equilibrium ────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status bdem_sample_solve(bdem_sample *s, const double stress[BDEM_STRESSES], double tolerance, double *response, scr_error *error)
{
  size_t n = bdem_sample_unknowns(s), rows = s->sphere_count + 1;
  double *residual = s->scratch + la_pcg_scratch(rows), *change = residual + n, load = 0.0, left = 0.0;
  la_block_matrix_multiply(&s->matrix, response, residual, execution_of(1));
  for (size_t k = 0; k < n; ++k) residual[k] = -residual[k];
  for (int m = 0; m < BDEM_STRESSES; ++m) {
    double f = bears(s, m) ? s->volume * stress[m] : 0.0;
    residual[n - 6 + (size_t)m] += f;
    load += f * f;
  }
  for (size_t k = 0; k < n; ++k) left += residual[k] * residual[k];
  if (left <= tolerance * tolerance * load) return SCR_OK;
  la_pcg_options options = {.tolerance = tolerance * sqrt(load / left), .iteration_limit = ITERATION_LIMIT, .execution = execution_of(1)};
  la_pcg_report report = la_pcg(&s->matrix, &s->preconditioner, &options, residual, change, s->scratch);
  for (size_t k = 0; k < n; ++k) response[k] += change[k];
  if (report.outcome == LA_PCG_CONVERGED && isfinite(response[n - 6])) return SCR_OK;
  return scr_fail(error, SCR_DIVERGED, NULL, "the virtual test of a packing found no equilibrium: residual %.3g after %zu iterations",
                  report.residual, report.iterations);
}

bdem_bond_stress bdem_sample_stress(const bdem_sample *sample, const bdem_link *link, const double *response)
{
  double b[LOCAL][6 * ENDS], z[LOCAL] = {0}, largest = 0.0;
  const double *x[ENDS] = {response + 6 * (size_t)link->i, response + 6 * (size_t)link->j, bdem_sample_strain(sample, response)};
  derivatives(sample, link, b);
  for (int r = 0; r < LOCAL; ++r) {
    for (int c = 0; c < 6 * ENDS; ++c) z[r] += b[r][c] * x[c / 6][c % 6];
    largest = fmax(largest, fabs(z[r]));
  }
  if (!(largest > 0)) return (bdem_bond_stress){0, 0};
  double small = 1e-7 / largest; /* so small that the bond's own formulas are linear */
  scr_vec3 e = vec3_add(link->e, vec3_scale(vec3(z[0], z[1], z[2]), small));
  scr_quat qi = quat_normalise((scr_quat){small * z[3], small * z[4], small * z[5], 1}),
           qj = quat_normalise((scr_quat){small * z[6], small * z[7], small * z[8], 1});
  bdem_bond_stress stress = bdem_bond_stress_of(&link->bond, &sample->section, e, qi, qj);
  return (bdem_bond_stress){stress.tension / small, stress.shear / small};
}
