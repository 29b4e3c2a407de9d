/* Products of folded matrices against the same blocks multiplied one by one. Graphs and values are drawn from a fixed seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "linalg/block6/folded/folded.h"
#include "tests/support/suites.h"

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

/* A matrix in which each row is coupled with a few up to `reach` rows later, and its graph. */
typedef struct coupled {
  la_block_matrix matrix;
  la_block_graph graph;
} coupled;

static coupled make(size_t rows, size_t reach)
{
  coupled c = {0};
  uint64_t seed = rows;
  size_t count = 0;
  uint32_t(*pairs)[2] = mem_array(4 * rows, sizeof *pairs);
  assert_non_null(pairs);
  for (uint32_t row = 0; row < rows; ++row)
    for (int k = 0; k < 4; ++k) {
      size_t other = row + 1 + (size_t)(0.5 * (1.0 + uniform(&seed)) * (double)reach);
      if (other >= rows || row % 11 == 3) continue;
      pairs[count][0] = row;
      pairs[count++][1] = (uint32_t)other;
    }
  assert_int_equal(la_block_matrix_create(rows, (const uint32_t(*)[2])pairs, count, &c.matrix, NULL), SCR_OK);
  for (size_t k = 0; k < 36 * c.matrix.block_count; ++k) c.matrix.values[k] = 1.0;
  assert_int_equal(la_block_graph_take(&c.graph, &c.matrix, NULL), SCR_OK);
  mem_free(pairs);
  return c;
}

static void clear(coupled *c)
{
  la_block_matrix_destroy(&c->matrix);
  la_block_graph_clear(&c->graph);
}

static void fill(la_folded *f, uint64_t seed)
{
  for (size_t k = 0; k < f->block_count; ++k) {
    double block[36];
    for (int e = 0; e < 36; ++e) block[e] = uniform(&seed);
    la_round_block(block, &f->values[k]);
  }
}

static float *vector(size_t rows, uint64_t seed)
{
  float *x = mem_array(rows, FOLDED_ROW * sizeof *x);
  assert_non_null(x);
  for (size_t k = 0; k < FOLDED_ROW * rows; ++k) x[k] = k % FOLDED_ROW < 6 ? (float)uniform(&seed) : 0.0f;
  return x;
}

/* Both phases; chunks go round the threads' scratch. */
static void product(const la_folded *f, const float *x, float *y)
{
  for (size_t chunk = 0; chunk < f->chunk_count; ++chunk) la_folded_evaluate(f, chunk, x, y, (unsigned)(chunk % f->execution.threads));
  for (size_t chunk = f->chunk_count; chunk-- > 0;) la_folded_collect(f, chunk, y);
}

/* x plus every block above the diagonal once as it is and once transposed. Single precision's roundings of some fifty terms of size 1. */
static void test_a_product_is_that_of_both_halves(void **state)
{
  static const size_t rows[] = {1, 5, 511, 512, 513, 2100}, reaches[] = {1, 30, 2000};
  (void)state;
  for (size_t a = 0; a < sizeof rows / sizeof *rows; ++a)
    for (size_t b = 0; b < sizeof reaches / sizeof *reaches; ++b) {
      coupled c = make(rows[a], reaches[b]);
      la_folded f = {0};
      assert_int_equal(la_folded_create(&f, &c.graph, execution_of(3), NULL), SCR_OK);
      assert_int_equal(2 * f.block_count, c.graph.edge_count);
      fill(&f, 5);
      float *x = vector(rows[a], 6), *y = vector(rows[a], 7);
      double *wanted = mem_array(rows[a], 6 * sizeof *wanted);
      size_t block = 0;
      product(&f, x, y);
      for (size_t row = 0; row < rows[a]; ++row) {
        for (size_t d = 0; d < 6; ++d) wanted[6 * row + d] += (double)x[FOLDED_ROW * row + d];
        for (size_t k = c.graph.first[row]; k < c.graph.first[row + 1]; ++k) {
          size_t column = c.graph.column[k];
          if (column < row) continue;
          const la_rounded_block *values = &f.values[block++];
          for (size_t e = 0; e < 36; ++e) {
            double value = (double)values->scale * (double)values->entry[e];
            wanted[6 * row + e / 6] += value * (double)x[FOLDED_ROW * column + e % 6];
            wanted[6 * column + e % 6] += value * (double)x[FOLDED_ROW * row + e / 6];
          }
        }
      }
      for (size_t k = 0; k < 6 * rows[a]; ++k) assert_true(fabs((double)y[FOLDED_ROW * (k / 6) + k % 6] - wanted[k]) < 2e-5);
      la_folded_clear(&f);
      clear(&c);
      mem_free(x);
      mem_free(y);
      mem_free(wanted);
    }
}

/* To half a unit of the largest entry over 32767. Zeros stay zeros; what is not finite counts as zero. */
static void test_a_block_is_rounded_to_its_largest_entry(void **state)
{
  (void)state;
  uint64_t seed = 3;
  la_rounded_block rounded;
  for (int size = -20; size <= 20; size += 4) {
    double block[36], largest = 0.0;
    for (int e = 0; e < 36; ++e) {
      block[e] = uniform(&seed) * pow(10.0, size);
      largest = fmax(largest, fabs(block[e]));
    }
    la_round_block(block, &rounded);
    for (int e = 0; e < 36; ++e) assert_true(fabs((double)rounded.scale * (double)rounded.entry[e] - block[e]) <= 0.51 * largest / 32767.0);
    block[7] = size % 8 == 0 ? (double)NAN : (double)INFINITY;
    la_round_block(block, &rounded);
    for (int e = 0; e < 36; ++e) assert_true(rounded.entry[e] == 0 && rounded.scale == 0.0f);
  }
  const double zeros[36] = {0};
  la_round_block(zeros, &rounded);
  for (int e = 0; e < 36; ++e) assert_int_equal(rounded.entry[e], 0);
  assert_true(rounded.scale == 0.0f);
}

/* Wider vectors do the same operations on each number, in the same order. */
static void test_every_processor_gives_the_same_bits(void **state)
{
  (void)state;
  coupled c = make(400, 20);
  la_folded f = {0};
  assert_int_equal(la_folded_create(&f, &c.graph, execution_of(1), NULL), SCR_OK);
  fill(&f, 5);
  float *x = vector(400, 6), *y[2] = {vector(400, 7), vector(400, 7)}, *z[2] = {vector(400, 8), vector(400, 8)},
        *w[2] = {vector(400, 9), vector(400, 9)};
  const la_single_kernels *kernels[2] = {&la_single_portable, la_single_best()};
  for (int k = 0; k < 2; ++k) {
    kernels[k]->fold(f.values, f.first, f.local, 400, x, y[k]);
    kernels[k]->gather(f.values, f.first, f.local, 0, 400, x, z[k]);
    kernels[k]->gather_transposed(f.values, f.first, f.local, 0, 400, x, w[k]);
  }
  assert_memory_equal(y[0], y[1], 400 * FOLDED_ROW * sizeof(float));
  assert_memory_equal(z[0], z[1], 400 * FOLDED_ROW * sizeof(float));
  assert_memory_equal(w[0], w[1], 400 * FOLDED_ROW * sizeof(float));
  for (int k = 0; k < 2; ++k) {
    mem_free(y[k]);
    mem_free(z[k]);
    mem_free(w[k]);
  }
  mem_free(x);
  la_folded_clear(&f);
  clear(&c);
}

SUITE(test_linalg_folded)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_block_is_rounded_to_its_largest_entry),
      cmocka_unit_test(test_a_product_is_that_of_both_halves),
      cmocka_unit_test(test_every_processor_gives_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
