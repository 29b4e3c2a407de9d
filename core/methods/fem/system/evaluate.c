/* Energies, forces and stiffness of all elements, colour by colour; products with block matrices. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fem/system/system.h"

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

enum { PIECES = 64 /* of the elements of a colour */ };

typedef struct evaluation {
  const fem_system *system;
  const double *displacement;
  double *mode, *gradient, *block;
  bool clamp;
  size_t from, to; /* elements of the colour */
} evaluation;

/* Value: energy of pieces of a colour; the largest negative number of an element that is folded. */
static void evaluate_pieces(const void *user, size_t begin, size_t end, double *value)
{
  const evaluation *v = user;
  const fem_system *s = v->system;
  const size_t count = v->to - v->from;
  for (size_t k = v->from + count * begin / PIECES; k < v->from + count * end / PIECES; k++) {
    size_t e = s->colour_hex[k];
    double u[FEM_CORNERS][3], energy, gradient[FEM_ELEMENT_UNKNOWNS], stiffness[FEM_ELEMENT_UNKNOWNS * FEM_ELEMENT_UNKNOWNS];
    for (int a = 0; a < FEM_CORNERS; a++) memcpy(u[a], v->displacement + 3 * (size_t)s->hex[e][a], sizeof u[a]);
    const fem_element_out out = {&energy, v->gradient ? gradient : NULL, v->block ? stiffness : NULL};
    if (!fem_element_evaluate(&s->shape[e], &s->constitutive[s->body_of_hex[e]], (const double(*)[3])u, v->mode + FEM_MODE_UNKNOWNS * e,
                              v->clamp, &out)) {
      value[1] = fmax(value[1], -(double)e);
      continue;
    }
    value[0] += energy;
    scatter(s, e, gradient, stiffness, v->gradient, v->block);
  }
}

/* NOLINTNEXTLINE(readability-non-const-parameter): evaluate_pieces writes the modes */
double fem_system_evaluate(const fem_system *s, const double *displacement, double *mode, bool clamp, double *gradient, double *block,
                           scr_execution execution, size_t *bad)
{
  double value[2] = {0, -INFINITY};
  evaluation v = {.system = s, .displacement = displacement, .mode = mode, .gradient = gradient, .block = block, .clamp = clamp};
  if (gradient) memset(gradient, 0, 3 * s->node_count * sizeof *gradient);
  if (block) memset(block, 0, 9 * s->block_count * sizeof *block);
  for (size_t c = 0; c < s->colour_count; c++) {
    v.from = s->colour_first[c], v.to = s->colour_first[c + 1];
    execution_reduce(execution_if(v.to - v.from > PIECES, execution), PIECES, 1, 1, 1, evaluate_pieces, &v, value);
  }
  *bad = isinf(value[1]) ? SIZE_MAX : (size_t)-value[1];
  return *bad == SIZE_MAX ? value[0] : INFINITY;
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
