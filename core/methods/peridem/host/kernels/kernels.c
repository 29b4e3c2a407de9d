/* Which kernels this processor runs. */
#include "methods/peridem/host/kernels/kernels.h"

#include <string.h>

const pd_kernels *pd_kernels_named(const char *name)
{
#if defined(__x86_64__)
  bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  bool half = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (strcmp(name, "avx512") == 0) return wide ? &pd_kernels_avx512 : NULL;
  if (strcmp(name, "avx2") == 0) return half ? &pd_kernels_avx2 : NULL;
#endif
  return strcmp(name, "portable") == 0 ? &pd_kernels_portable : NULL;
}

const pd_kernels *pd_kernels_best(void)
{
  const char *const order[] = {"avx512", "avx2"};
  for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
    const pd_kernels *found = pd_kernels_named(order[k]);
    if (found) return found;
  }
  return &pd_kernels_portable;
}
