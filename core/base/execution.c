/* Sums in a fixed order. Blocks are taken in waves, so that what their sums need of memory does not grow with the problem. */
#include "base/execution.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/team/exact.h"

enum { WAVE = 4096 /* values of the blocks of a wave, 32 KiB on the stack */ };

scr_execution execution_of(unsigned threads)
{
  return execution_in(NULL, threads);
}

scr_execution execution_in(scr_team *team, unsigned threads)
{
  return (scr_execution){.threads = threads ? threads : 1, .rank = team_rank(team), .ranks = team_size(team), .team = team};
}

scr_execution execution_if(bool worth, scr_execution execution)
{
  if (!worth) execution.threads = 1;
  return execution;
}

void execution_reduce(scr_execution execution, size_t count, size_t block, size_t sums, size_t largest, execution_terms terms,
                      const void *user, double *value)
{
  double wave[WAVE];
  size_t width = sums + largest, blocks = count / block + (count % block > 0), most = WAVE / width;
  for (size_t from = 0; from < blocks; from += most) {
    size_t some = blocks - from < most ? blocks - from : most;
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (execution.threads > 1 && some > 1)
    for (size_t b = 0; b < some; b++) {
      size_t begin = (from + b) * block;
      for (size_t k = 0; k < width; k++) wave[b * width + k] = k < sums ? 0 : value[k];
      terms(user, begin, count - begin < block ? count : begin + block, wave + b * width);
    }
    for (size_t b = 0; b < some; b++)
      for (size_t k = 0; k < width; k++) value[k] = k < sums ? value[k] + wave[b * width + k] : fmax(value[k], wave[b * width + k]);
  }
}

void execution_sum(scr_execution execution, size_t count, size_t block, size_t width, execution_terms terms, const void *user, double *sum)
{
  execution_reduce(execution, count, block, width, 0, terms, user, sum);
}

void execution_sum_exact(scr_execution execution, size_t count, size_t block, size_t width, execution_terms terms, const void *user,
                         double *sum)
{
  double wave[WAVE];
  exact_sum total[EXECUTION_WIDTH];
  size_t blocks = count / block + (count % block > 0), most = WAVE / width;
  memset(total, 0, width * sizeof *total);
  for (size_t from = 0; from < blocks; from += most) {
    size_t some = blocks - from < most ? blocks - from : most;
    memset(wave, 0, some * width * sizeof *wave);
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (execution.threads > 1 && some > 1)
    for (size_t b = 0; b < some; b++) {
      size_t begin = (from + b) * block;
      terms(user, begin, count - begin < block ? count : begin + block, wave + b * width);
    }
    for (size_t b = 0; b < some; b++)
      for (size_t k = 0; k < width; k++) exact_add(&total[k], wave[b * width + k]);
  }
  static_assert(sizeof *total == EXACT_WORDS * sizeof(int64_t), "whole numbers alone");
  team_sum(execution.team, total[0].digit, width * EXACT_WORDS);
  for (size_t k = 0; k < width; k++) sum[k] += exact_value(&total[k]);
}

void execution_sum_blocks(scr_execution execution, size_t count, size_t block, execution_terms terms, const void *user, double *sum)
{
  size_t blocks = count / block + (count % block > 0);
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (execution.threads > 1 && blocks > 1)
  for (size_t b = 0; b < blocks; b++) terms(user, b * block, count - b * block < block ? count : (b + 1) * block, sum + b);
}

void execution_add_up(size_t count, size_t width, const double *value, double *sum)
{
  for (size_t n = 0; n < count; n++)
    for (size_t k = 0; k < width; k++) sum[k] += value[n * width + k];
}

/* For what is exact in any order: a block for each thread. */
static size_t share(scr_execution execution, size_t count)
{
  return count / (execution.threads ? execution.threads : 1) + 1;
}

void execution_largest(scr_execution execution, size_t count, size_t width, execution_terms terms, const void *user, double *largest)
{
  execution_reduce(execution, count, share(execution, count), 0, width, terms, user, largest);
}

size_t execution_count(scr_execution execution, size_t count, execution_terms terms, const void *user)
{
  double sum = 0;
  execution_reduce(execution, count, share(execution, count), 1, 0, terms, user, &sum);
  return (size_t)sum;
}
