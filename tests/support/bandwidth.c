/* The triad, and the clock it is timed with. */
#include "tests/support/bandwidth.h"

#include <stdlib.h>
#include <time.h>

static double clock_seconds(clockid_t id)
{
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double seconds_now(void)
{
  return clock_seconds(CLOCK_MONOTONIC);
}

double thread_seconds(void)
{
  return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

double triad_bandwidth(int threads)
{
  size_t n = 12u << 20;
  double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c), best = 0;
  for (size_t i = 0; a && b && c && i < n; i++) a[i] = 0, b[i] = 1, c[i] = 2;
  for (int pass = 0; a && b && c && pass < 5; pass++) {
    double begun = threads == 1 ? thread_seconds() : seconds_now();
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t i = 0; i < n; i++) a[i] = b[i] + 0.5 * c[i];
    double taken = (threads == 1 ? thread_seconds() : seconds_now()) - begun, rate = 3.0 * (double)n * sizeof *a / taken;
    if (a[n / 2] == 2 && rate > best) best = rate;
  }
  free(a);
  free(b);
  free(c);
  return best;
}
