/* Energies, forces and stiffness of all elements, colour by colour; products with block matrices. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fem/system/system.h"

/* Number of an element's unknown r among all. */
static inline size_t unknown_of(const fem_system *s, size_t e, int r)
{
  return 3 * (size_t)s->hex[e][r / 3] + (size_t)r % 3;
}

/* Adds one element's results to those of its nodes. */
static void scatter(const fem_system *s, size_t e, const double *from_gradient, const double *from_block, double *gradient, double *block)
{
  for (int a = 0; a < FEM_CORNERS; a++) {
    double *to = gradient ? gradient + 3 * (size_t)s->hex[e][a] : NULL;
    for (int i = 0; to && i < 3; i++) to[i] += from_gradient[3 * a + i];
    for (int b = 0; block && b < FEM_CORNERS; b++) {
      double *cell = block + 9 * (size_t)s->slot[e][FEM_CORNERS * a + b];
      for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) cell[3 * i + k] += from_block[FEM_ELEMENT_UNKNOWNS * (3 * a + i) + 3 * b + k];
    }
  }
}

enum { FEW = 16 /* batches of a colour that are not worth a team of threads */ };

typedef struct evaluation {
  const fem_system *system;
  const double *displacement;
  double *mode, *gradient, *block;
  bool clamp;
  const fem_batch *batch; /* the first of the colour */
} evaluation;

/* One element. Value: see evaluate_batches. */
static void evaluate_alone(const evaluation *v, size_t e, double *value)
{
  const fem_system *s = v->system;
  double u[FEM_CORNERS][3], energy, gradient[FEM_ELEMENT_UNKNOWNS], stiffness[FEM_ELEMENT_UNKNOWNS * FEM_ELEMENT_UNKNOWNS];
  for (int a = 0; a < FEM_CORNERS; a++) memcpy(u[a], v->displacement + 3 * (size_t)s->hex[e][a], sizeof u[a]);
  const fem_element_out out = {&energy, v->gradient ? gradient : NULL, v->block ? stiffness : NULL};
  if (!fem_element_evaluate(&s->shape[e], &s->constitutive[s->body_of_hex[e]], (const double(*)[3])u, v->mode + FEM_MODE_UNKNOWNS * e,
                            v->clamp, &out)) {
    value[1] = fmax(value[1], -(double)e);
    return;
  }
  value[0] += energy;
  scatter(s, e, gradient, stiffness, v->gradient, v->block);
}

/* Those of a batch that nothing keeps from being evaluated side by side. @return their lanes' bits */
static unsigned evaluate_together(const evaluation *v, const fem_batch *batch, double *value)
{
  const fem_system *s = v->system;
  fem_batch_values values;
  for (int l = 0; l < FEM_LANES; l++) {
    size_t e = batch->hex[l];
    for (int r = 0; r < FEM_ELEMENT_UNKNOWNS; r++) values.displacement[r][l] = v->displacement[unknown_of(s, e, r)];
    for (int r = 0; r < FEM_MODE_UNKNOWNS; r++) values.mode[r][l] = v->mode[FEM_MODE_UNKNOWNS * e + (size_t)r];
  }
  unsigned good = fem_batch_evaluate(batch, &values);
  for (uint32_t l = 0; l < batch->count; l++) {
    size_t e = batch->hex[l];
    if (!(good >> l & 1)) continue;
    value[0] += values.energy[l];
    for (int r = 0; r < FEM_MODE_UNKNOWNS; r++) v->mode[FEM_MODE_UNKNOWNS * e + (size_t)r] = values.mode[r][l];
    for (int r = 0; v->gradient && r < FEM_ELEMENT_UNKNOWNS; r++) v->gradient[unknown_of(s, e, r)] += values.gradient[r][l];
  }
  return good;
}

/* Value: energy of batches of a colour; the largest negative number of an element that is folded. */
static void evaluate_batches(const void *user, size_t begin, size_t end, double *value)
{
  const evaluation *v = user;
  for (const fem_batch *batch = v->batch + begin; batch < v->batch + end; batch++) {
    bool together = !v->block && !v->clamp && fem_batch_takes(batch->formulation);
    unsigned good = together ? evaluate_together(v, batch, value) : 0;
    for (uint32_t l = 0; l < batch->count; l++)
      if (!(good >> l & 1)) evaluate_alone(v, batch->hex[l], value);
  }
}

/* NOLINTNEXTLINE(readability-non-const-parameter): evaluate_batches writes the modes */
double fem_system_evaluate(const fem_system *s, const double *displacement, double *mode, bool clamp, double *gradient, double *block,
                           scr_execution execution, size_t *bad)
{
  double value[2] = {0, -INFINITY};
  evaluation v = {.system = s, .displacement = displacement, .mode = mode, .gradient = gradient, .block = block, .clamp = clamp};
  if (gradient) memset(gradient, 0, 3 * s->node_count * sizeof *gradient);
  if (block) memset(block, 0, 9 * s->block_count * sizeof *block);
  for (size_t c = 0; c < s->colour_count; c++) {
    size_t count = s->colour_batch[c + 1] - s->colour_batch[c];
    v.batch = s->batch + s->colour_batch[c];
    execution_reduce(execution_if(count > FEW, execution), count, 1, 1, 1, evaluate_batches, &v, value);
  }
  *bad = isinf(value[1]) ? SIZE_MAX : (size_t)-value[1];
  return *bad == SIZE_MAX ? value[0] : INFINITY;
}

/* ── products ───────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct multiplication {
  const fem_system *system;
  const double *displacement, *mode, *x;
  double *y;
} multiplication;

static void multiply_alone(const multiplication *m, size_t e)
{
  const fem_system *s = m->system;
  double u[FEM_CORNERS][3], mode[FEM_MODE_UNKNOWNS], stiffness[FEM_ELEMENT_UNKNOWNS * FEM_ELEMENT_UNKNOWNS];
  const fem_element_out out = {NULL, NULL, stiffness};
  for (int a = 0; a < FEM_CORNERS; a++) memcpy(u[a], m->displacement + 3 * (size_t)s->hex[e][a], sizeof u[a]);
  memcpy(mode, m->mode + FEM_MODE_UNKNOWNS * e, sizeof mode);
  if (!fem_element_evaluate(&s->shape[e], &s->constitutive[s->body_of_hex[e]], (const double(*)[3])u, mode, false, &out)) return;
  for (int r = 0; r < FEM_ELEMENT_UNKNOWNS; r++) {
    double sum = 0;
    for (int c = 0; c < FEM_ELEMENT_UNKNOWNS; c++) sum += stiffness[FEM_ELEMENT_UNKNOWNS * r + c] * m->x[unknown_of(s, e, c)];
    m->y[unknown_of(s, e, r)] += sum;
  }
}

static void multiply_batch(const multiplication *m, const fem_batch *batch)
{
  const fem_system *s = m->system;
  unsigned good = 0;
  fem_batch_product product;
  if (fem_batch_takes(batch->formulation)) {
    for (int l = 0; l < FEM_LANES; l++) {
      size_t e = batch->hex[l];
      for (int r = 0; r < FEM_ELEMENT_UNKNOWNS; r++) {
        product.displacement[r][l] = m->displacement[unknown_of(s, e, r)];
        product.x[r][l] = m->x[unknown_of(s, e, r)];
      }
      for (int r = 0; r < FEM_MODE_UNKNOWNS; r++) product.mode[r][l] = m->mode[FEM_MODE_UNKNOWNS * e + (size_t)r];
    }
    good = fem_batch_multiply(batch, &product);
  }
  for (uint32_t l = 0; l < batch->count; l++) {
    if (good >> l & 1)
      for (int r = 0; r < FEM_ELEMENT_UNKNOWNS; r++) m->y[unknown_of(s, batch->hex[l], r)] += product.y[r][l];
    else
      multiply_alone(m, batch->hex[l]);
  }
}

void fem_system_multiply(const fem_system *s, const double *displacement, const double *mode, const double *x, double *y,
                         scr_execution execution)
{
  const multiplication m = {s, displacement, mode, x, y};
  memset(y, 0, 3 * s->node_count * sizeof *y);
  for (size_t c = 0; c < s->colour_count; c++) {
    uint32_t first = s->colour_batch[c], end = s->colour_batch[c + 1];
#pragma omp parallel for num_threads(execution.threads) schedule(static) if (execution.threads > 1 && end - first > FEW)
    for (uint32_t k = first; k < end; k++) multiply_batch(&m, &s->batch[k]);
  }
}

void fem_mass_multiply(const fem_system *s, const double *x, double *y, scr_execution execution)
{
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (size_t c = 0; c < s->node_count; c++) {
    double sum[3] = {0};
    for (size_t k = s->first[c]; k < s->first[c + 1]; k++)
      for (int i = 0; i < 3; i++) sum[i] += s->mass[k] * x[3 * (size_t)s->row[k] + (size_t)i];
    memcpy(y + 3 * c, sum, sizeof sum);
  }
}

void fem_block_multiply(const fem_system *s, const double *block, const double *x, double *y, scr_execution execution)
{
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (size_t c = 0; c < s->node_count; c++) {
    double sum[3] = {0};
    for (size_t k = s->first[c]; k < s->first[c + 1]; k++) {
      const double *cell = block + 9 * k, *at = x + 3 * (size_t)s->row[k];
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum[j] += cell[3 * i + j] * at[i];
    }
    memcpy(y + 3 * c, sum, sizeof sum);
  }
}
