/* Threads of BLAS and of OpenMP loops inside libraries. */
#include "linalg/one_thread.h"

#include <omp.h>

/* Present in every OpenBLAS; absent, and then not needed, in other implementations of BLAS. */
void openblas_set_num_threads(int count) __attribute__((weak));

int la_one_thread_begin(void)
{
  int before = omp_get_max_active_levels();
  omp_set_max_active_levels(0);
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  return before;
}

void la_one_thread_end(int before)
{
  omp_set_max_active_levels(before);
}
