/* A contact problem made ready. */
#include "contact/system/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/local/cone.h"
#include "contact/system/delassus.h"
#include "contact/system/workspace.h"

enum { MANY = 4096, /* contacts or blocks worth a team of threads */ COLUMNS = 24 /* right-hand sides of a sparse mass at a time */ };

/* Inverse of a symmetric positive definite block by its Cholesky factor. @return false when it is not one */
static bool invert_block(unsigned b, const double *a, double *inverse)
{
  double l[CONTACT_BLOCK_MAX][CONTACT_BLOCK_MAX] = {{0}};
  for (unsigned j = 0; j < b; ++j)
    for (unsigned i = j; i < b; ++i) {
      double sum = a[j * b + i];
      for (unsigned k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
      if (i == j && !(sum > 0.0)) return false;
      l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
    }
  for (unsigned c = 0; c < b; ++c) {
    double y[CONTACT_BLOCK_MAX] = {0};
    y[c] = 1.0;
    for (unsigned i = 0; i < b; ++i) {
      for (unsigned k = 0; k < i; ++k) y[i] -= l[i][k] * y[k];
      y[i] /= l[i][i];
    }
    for (unsigned i = b; i-- > 0;) {
      for (unsigned k = i + 1; k < b; ++k) y[i] -= l[k][i] * y[k];
      y[i] /= l[i][i];
    }
    memcpy(inverse + (size_t)c * b, y, b * sizeof *y);
  }
  for (unsigned c = 0; c < b; ++c)
    for (unsigned r = 0; r < c; ++r) inverse[r * b + c] = inverse[c * b + r] = 0.5 * (inverse[r * b + c] + inverse[c * b + r]);
  return isfinite(inverse[0]);
}

static scr_status invert_mass(contact_system *s, scr_error *error)
{
  const contact_problem *p = s->problem;
  size_t b = p->block_size;
  if (p->chain) return contact_chains_create(p, s->execution, &s->chains, error);
  if (p->mass) {
    SCR_TRY(la_factor_create(LA_FACTOR_CHOLESKY, &s->factor, error));
    scr_status status = la_factor_make(s->factor, p->mass, error);
    if (status == SCR_DIVERGED)
      return scr_fail(error, SCR_BAD_USAGE, NULL, "the mass is not positive definite: the pivot of velocity %zu is not above 0",
                      la_factor_column(s->factor));
    return status;
  }
  SCR_TRY(mem_allocate(&s->inverse_mass, p->block_count * b * b, sizeof *s->inverse_mass, "inverse masses", error));
  for (size_t k = 0; k < p->block_count; ++k)
    if (!invert_block((unsigned)b, p->mass_block + k * b * b, s->inverse_mass + k * b * b))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "the mass of block %zu is not positive definite: masses and inertias must be above 0", k);
  return SCR_OK;
}

/* Which entries act on each block. */
static scr_status list_entries(contact_system *s, scr_error *error)
{
  const contact_problem *p = s->problem;
  size_t entries = p->contact_count ? p->first[p->contact_count] : 0;
  s->of_block_first = mem_array(p->block_count + 2, sizeof *s->of_block_first);
  s->of_block = mem_array(entries, sizeof *s->of_block);
  s->contact_of = mem_array(entries, sizeof *s->contact_of);
  if (!s->of_block_first || !s->of_block || !s->contact_of) return scr_fail_memory(error, "contacts by body", entries * 12);
  for (size_t k = 0; k < entries; ++k) s->of_block_first[p->block[k] + 2]++;
  for (size_t k = 2; k <= p->block_count + 1; ++k) s->of_block_first[k] += s->of_block_first[k - 1];
  for (size_t k = 0; k < entries; ++k) s->of_block[s->of_block_first[p->block[k] + 1]++] = k;
  for (size_t i = 0; i < p->contact_count; ++i)
    for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) s->contact_of[k] = (uint32_t)i;
  return SCR_OK;
}

/* W_ii and M_b^-1 H' of the entries, mass by blocks. */
static void respond(contact_system *s)
{
  const contact_problem *p = s->problem;
  size_t d = p->dimension, b = p->block_size;
#pragma omp parallel for schedule(static) num_threads(s->execution.threads) if (s->execution.threads > 1 && p->contact_count > MANY)
  for (size_t i = 0; i < p->contact_count; ++i) {
    double *w = s->diagonal + i * d * d;
    for (size_t k = p->first[i]; k < p->first[i + 1]; ++k) {
      const double *h = p->jacobian + k * b * d, *inverse = s->inverse_mass + p->block[k] * b * b;
      double *y = s->response + k * b * d;
      for (size_t r = 0; r < d; ++r)
        for (size_t c = 0; c < b; ++c)
          for (size_t x = 0; x < b; ++x) y[r * b + c] += inverse[x * b + c] * h[x * d + r];
      for (size_t r = 0; r < d; ++r)
        for (size_t q = 0; q < d; ++q)
          for (size_t c = 0; c < b; ++c) w[r * d + q] += h[c * d + q] * y[r * b + c];
    }
  }
}

/* The same for a sparse mass: columns of M^-1 H', some at a time. */
static scr_status respond_sparse(contact_system *s, scr_error *error)
{
  const contact_problem *p = s->problem;
  size_t d = p->dimension, b = p->block_size, at_once = COLUMNS / d;
  double *columns = mem_array(s->size * COLUMNS, sizeof *columns);
  scr_status status = columns ? SCR_OK : no_memory(error, "columns of M^-1 H'", s->size * COLUMNS * sizeof *columns);
  for (size_t from = 0; status == SCR_OK && from < p->contact_count; from += at_once) {
    size_t to = from + at_once < p->contact_count ? from + at_once : p->contact_count;
    memset(columns, 0, (to - from) * d * s->size * sizeof *columns);
    for (size_t i = from; i < to; ++i)
      for (size_t k = p->first[i]; k < p->first[i + 1]; ++k)
        for (size_t c = 0; c < b; ++c)
          for (size_t r = 0; r < d; ++r) columns[((i - from) * d + r) * s->size + p->block[k] * b + c] = p->jacobian[(k * b + c) * d + r];
    status = la_factor_solve(s->factor, columns, (to - from) * d, columns, error);
    for (size_t i = from; status == SCR_OK && i < to; ++i)
      for (size_t k = p->first[i]; k < p->first[i + 1]; ++k)
        for (size_t c = 0; c < b; ++c)
          for (size_t r = 0; r < d; ++r)
            for (size_t q = 0; q < d; ++q)
              s->diagonal[(i * d + r) * d + q] +=
                  p->jacobian[(k * b + c) * d + q] * columns[((i - from) * d + r) * s->size + p->block[k] * b + c];
  }
  mem_free(columns);
  return status;
}

static scr_status take_scales(contact_system *s, scr_error *error)
{
  size_t d = s->problem->dimension;
  for (size_t i = 0; i < s->problem->contact_count; ++i) {
    for (size_t k = 0; k < d; ++k) s->scale[i] += s->diagonal[(i * d + k) * d + k] / (double)d;
    if (!(s->scale[i] > 0.0) || !isfinite(s->scale[i]))
      return scr_fail(error, SCR_BAD_USAGE, NULL,
                      "contact %zu can't be moved by any impulse (trace of its block of W: %g): its rows of H are zero; leave it out", i,
                      s->scale[i] * (double)d);
  }
  return SCR_OK;
}

/* W of chains, where it is worth having, and its diagonal blocks in any case. */
static scr_status respond_chains(contact_system *s, const contact_options *options, scr_error *error)
{
  size_t squared = (size_t)s->problem->dimension * s->problem->dimension;
  contact_chain_memory *memory = s->problem->chain_memory;
  if (options->form == CONTACT_FORM_MATRIX_FREE) return contact_chains_respond(s, error);
  if (!memory) memory = s->own = contact_chain_memory_create();
  if (!memory) return no_memory(error, "a Delassus operator", sizeof *memory);
  SCR_TRY(delassus_from_chains(s, memory, s->own != NULL, error));
  if (memory->w.contact_count == 0) return contact_chains_respond(s, error);
  s->w = &memory->w, s->stripes = &memory->stripes;
  for (size_t i = 0; i < s->w->contact_count; ++i)
    memcpy(s->diagonal + i * squared, s->w->block + s->w->diagonal[i] * squared, squared * sizeof *s->w->block);
  return SCR_OK;
}

static scr_status build(contact_system *s, const contact_options *options, scr_error *error)
{
  const contact_problem *p = s->problem;
  size_t d = p->dimension, entries = p->contact_count ? p->first[p->contact_count] : 0;
  bool in_blocks = p->mass_block != NULL;
  SCR_TRY(invert_mass(s, error));
  SCR_TRY(list_entries(s, error));
  s->free_velocity = mem_array(s->rows, sizeof *s->free_velocity);
  s->diagonal = mem_array(s->rows * d, sizeof *s->diagonal);
  s->scale = mem_array(p->contact_count, sizeof *s->scale);
  s->response = !in_blocks ? NULL : mem_array(entries * d * p->block_size, sizeof *s->response);
  double *v = mem_array(s->size, sizeof *v), *none = mem_array(s->rows, sizeof *none);
  scr_status status = SCR_OK;
  if (!s->free_velocity || !s->diagonal || !s->scale || (in_blocks && !s->response) || !v || !none)
    status = no_memory(error, "a contact problem", (entries * p->block_size + s->rows) * d * sizeof *v);
  if (status == SCR_OK && in_blocks) respond(s);
  if (status == SCR_OK && p->chain) status = respond_chains(s, options, error);
  if (status == SCR_OK && p->mass) status = respond_sparse(s, error);
  if (status == SCR_OK) status = take_scales(s, error);
  if (status == SCR_OK) status = contact_system_velocity(s, none, v, s->free_velocity, error);
  mem_free(v);
  mem_free(none);
  SCR_TRY(status);
  s->speed = options->reference_speed;
  for (size_t k = 0; k < s->rows && !options->absolute; ++k) s->speed = fmax(s->speed, fabs(s->free_velocity[k]));
  if (isfinite(s->speed)) return SCR_OK;
  return scr_fail(error, SCR_BAD_USAGE, NULL, "the velocities without contact are too large for floating-point numbers");
}

scr_status contact_system_create(const contact_problem *problem, const contact_options *options, contact_system *system, scr_error *error)
{
  *system = (contact_system){.problem = problem, .execution = execution_of(options->execution.threads)};
  SCR_TRY(contact_problem_check(problem, error));
  system->size = problem->block_count * problem->block_size;
  system->rows = problem->contact_count * problem->dimension;
  scr_status status = build(system, options, error);
  if (status != SCR_OK) contact_system_clear(system);
  return status;
}

void contact_system_clear(contact_system *s)
{
  mem_free(s->inverse_mass);
  la_factor_destroy(s->factor);
  contact_chains_clear(&s->chains);
  contact_chain_memory_destroy(s->own);
  mem_free(s->response);
  mem_free(s->free_velocity);
  mem_free(s->diagonal);
  mem_free(s->scale);
  mem_free(s->of_block_first);
  mem_free(s->of_block);
  mem_free(s->contact_of);
  *s = (contact_system){0};
}

scr_status contact_system_accelerate(const contact_system *s, const double *p, double *x, scr_error *error)
{
  size_t b = s->problem->block_size;
  if (s->factor) return la_factor_solve(s->factor, p, 1, x, error);
  if (s->chains.count > 0) {
    contact_chains_accelerate(&s->chains, p, x, s->execution);
    return SCR_OK;
  }
#pragma omp parallel for schedule(static) num_threads(s->execution.threads) if (s->execution.threads > 1 && s->problem->block_count > MANY)
  for (size_t k = 0; k < s->problem->block_count; ++k) {
    double sum[CONTACT_BLOCK_MAX] = {0};
    for (size_t c = 0; c < b; ++c)
      for (size_t r = 0; r < b; ++r) sum[r] += s->inverse_mass[(k * b + c) * b + r] * p[k * b + c];
    memcpy(x + k * b, sum, b * sizeof *sum);
  }
  return SCR_OK;
}

void contact_system_gather(const contact_system *s, const double *r, double *p)
{
  const contact_problem *of = s->problem;
  size_t b = of->block_size, d = of->dimension;
#pragma omp parallel for schedule(static) num_threads(s->execution.threads) if (s->execution.threads > 1 && of->block_count > MANY)
  for (size_t k = 0; k < of->block_count; ++k)
    for (size_t at = s->of_block_first[k]; at < s->of_block_first[k + 1]; ++at) {
      size_t entry = s->of_block[at];
      const double *h = of->jacobian + entry * b * d, *impulse = r + s->contact_of[entry] * d;
      for (size_t c = 0; c < b; ++c) {
        double sum = 0.0;
        for (size_t q = 0; q < d; ++q) sum += h[c * d + q] * impulse[q];
        p[k * b + c] += sum;
      }
    }
}

void contact_system_relative(const contact_system *s, const double *v, double *u)
{
  const contact_problem *p = s->problem;
  size_t b = p->block_size, d = p->dimension;
#pragma omp parallel for schedule(static) num_threads(s->execution.threads) if (s->execution.threads > 1 && p->contact_count > MANY)
  for (size_t i = 0; i < p->contact_count; ++i) {
    double sum[CONE_DIMENSION_MAX] = {0};
    for (size_t k = p->first[i]; k < p->first[i + 1]; ++k)
      for (size_t c = 0; c < b; ++c)
        for (size_t q = 0; q < d; ++q) sum[q] += p->jacobian[(k * b + c) * d + q] * v[p->block[k] * b + c];
    memcpy(u + i * d, sum, d * sizeof *sum);
  }
}

scr_status contact_system_velocity(const contact_system *s, const double *r, double *v, double *u, scr_error *error)
{
  memcpy(v, s->problem->momentum, s->size * sizeof *v);
  contact_system_gather(s, r, v);
  SCR_TRY(contact_system_accelerate(s, v, v, error));
  contact_system_relative(s, v, u);
  for (size_t k = 0; k < s->rows; ++k) u[k] += s->problem->offset[k];
  return SCR_OK;
}

scr_status contact_system_speeds(const contact_system *s, const double *r, double *v, double *u, scr_error *error)
{
  if (!s->w) return contact_system_velocity(s, r, v, u, error);
  delassus_velocity(s->w, s->execution, r, s->free_velocity, u);
  return SCR_OK;
}

/* The law's two parts along the normal by themselves: closing, and pressing while parting. The natural map bounds both, but where s r is
 * 10^16 times u it is their difference in rounded numbers, and 0. */
static double normal_violation(double friction, double scale, const double *u, const double *r)
{
  if (friction < 0.0) return fabs(u[0]);
  double slope = friction > 1.0 ? 1.0 : 1.0 + friction; /* of wide cones the map has both as they are */
  return fmax(-u[0] / slope, fmin(scale * r[0], u[0]) / (slope * slope));
}

double contact_system_rounding(const contact_system *s, const double *r)
{
  size_t d = s->problem->dimension;
  double largest = 0.0;
  for (size_t k = 0; k < s->rows; ++k) largest = fmax(largest, fabs(r[k]) * s->scale[k / d]);
  return s->speed > 0.0 ? DBL_EPSILON * largest / s->speed : 0.0;
}

double contact_system_residual_of(const contact_system *s, size_t i, const double *r, const double *u)
{
  unsigned d = s->problem->dimension;
  double friction = s->problem->friction[i], residual = cone_residual(d, friction, s->scale[i], u + i * d, r + i * d);
  return fmax(residual, normal_violation(friction, s->scale[i], u + i * d, r + i * d));
}

double contact_system_residual(const contact_system *s, const double *r, const double *u)
{
  double largest = 0.0;
  for (size_t i = 0; i < s->problem->contact_count; ++i) {
    double residual = contact_system_residual_of(s, i, r, u);
    if (!isfinite(residual)) return HUGE_VAL;
    largest = fmax(largest, residual);
  }
  if (largest == 0.0) return 0.0;
  return s->speed > 0.0 ? largest / s->speed : HUGE_VAL; /* without speed no impulse at all is the solution */
}
