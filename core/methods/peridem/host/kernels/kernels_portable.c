/* kernel_body.h for any processor. */
#include "methods/peridem/host/kernels/kernels.h"

#define INLINE static inline __attribute__((always_inline))
#define WIDTH 2
typedef double vec __attribute__((vector_size(8 * WIDTH)));

/* Fused only where the processor has it: a library call per operation would be slower by far than all the rest. */
INLINE vec fused(vec a, vec b, vec c)
{
#ifdef __FP_FAST_FMA
  return (vec){__builtin_fma(a[0], b[0], c[0]), __builtin_fma(a[1], b[1], c[1])};
#else
  return a * b + c;
#endif
}

INLINE vec fused_less(vec a, vec b, vec c)
{
  return fused(-a, b, c);
}

INLINE vec gathered(const double *from, const uint32_t *index)
{
  return (vec){from[index[0]], from[index[1]]};
}

INLINE vec kept(vec a, unsigned lanes)
{
  typedef int64_t mask __attribute__((vector_size(8 * WIDTH)));
  mask keep = {-(int64_t)(lanes & 1), -(int64_t)(lanes >> 1 & 1)};
  return (vec)((mask)a & keep);
}

INLINE unsigned beyond(vec a, vec b)
{
  return (unsigned)(a[0] > b[0]) | (unsigned)(a[1] > b[1]) << 1;
}

INLINE unsigned flagged(const uint32_t *entry)
{
  unsigned lanes = 0;
  for (int c = 0; c < PD_LANES; c++) lanes |= (entry[c] >> 31) << c;
  return lanes;
}

INLINE size_t pick(const uint32_t *from, unsigned lanes, uint32_t *to)
{
  size_t count = 0;
  for (; lanes; lanes &= lanes - 1) to[count++] = from[__builtin_ctz(lanes)];
  return count;
}

#define KERNELS pd_kernels_portable
#define KERNEL_NAME "portable"
#include "methods/peridem/host/kernels/kernel_body.h"
