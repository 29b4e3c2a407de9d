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

double fem_system_evaluate(const fem_system *s, const double *displacement, double *mode, bool clamp, double *gradient, double *block,
                           unsigned threads, size_t *bad)
{
  double total = 0;
  size_t first_bad = SIZE_MAX;
  if (gradient) memset(gradient, 0, 3 * s->node_count * sizeof *gradient);
  if (block) memset(block, 0, 9 * s->block_count * sizeof *block);
  for (size_t c = 0; c < s->colour_count; c++) {
    size_t from = s->colour_first[c], to = s->colour_first[c + 1], worst = SIZE_MAX;
    double part[64] = {0}; /* energies in a fixed number of pieces, summed in order: the same bits for any number of threads */
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : worst) if (to - from > 64)
    for (size_t piece = 0; piece < 64; piece++)
      for (size_t k = from + (to - from) * piece / 64; k < from + (to - from) * (piece + 1) / 64; k++) {
        size_t e = s->colour_hex[k];
        double u[FEM_CORNERS][3], energy, element_gradient[FEM_ELEMENT_UNKNOWNS], stiffness[FEM_ELEMENT_UNKNOWNS * FEM_ELEMENT_UNKNOWNS];
        for (int a = 0; a < FEM_CORNERS; a++) memcpy(u[a], displacement + 3 * (size_t)s->hex[e][a], sizeof u[a]);
        const fem_element_out out = {&energy, gradient ? element_gradient : NULL, block ? stiffness : NULL};
        if (!fem_element_evaluate(&s->shape[e], &s->constitutive[s->body_of_hex[e]], (const double(*)[3])u, mode + FEM_MODE_UNKNOWNS * e,
                                  clamp, &out)) {
          worst = e < worst ? e : worst;
          continue;
        }
        part[piece] += energy;
        scatter(s, e, element_gradient, stiffness, gradient, block);
      }
    for (size_t piece = 0; piece < 64; piece++) total += part[piece];
    if (worst < first_bad) first_bad = worst;
  }
  *bad = first_bad;
  return first_bad == SIZE_MAX ? total : INFINITY;
}

void fem_mass_multiply(const fem_system *s, const double *x, double *y, unsigned threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
  for (size_t c = 0; c < s->node_count; c++) {
    double sum[3] = {0};
    for (size_t k = s->first[c]; k < s->first[c + 1]; k++)
      for (int i = 0; i < 3; i++) sum[i] += s->mass[k] * x[3 * (size_t)s->row[k] + (size_t)i];
    memcpy(y + 3 * c, sum, sizeof sum);
  }
}

void fem_block_multiply(const fem_system *s, const double *block, const double *x, double *y, unsigned threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
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
