/* kernel_body.h for AVX2 with fused operations. */
#include "methods/peridem/host/kernels/kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define INLINE static inline __attribute__((always_inline))
#define WIDTH 4
typedef double vec __attribute__((vector_size(8 * WIDTH)));

INLINE vec fused(vec a, vec b, vec c)
{
  return (vec)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

INLINE vec fused_less(vec a, vec b, vec c)
{
  return (vec)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

INLINE vec gathered(const double *from, const uint32_t *index)
{
  return (vec)_mm256_i32gather_pd(from, _mm_loadu_si128((const __m128i *)index), 8);
}

INLINE vec kept(vec a, unsigned lanes)
{
  const __m256i bit = _mm256_set_epi64x(8, 4, 2, 1);
  __m256i set = _mm256_and_si256(_mm256_set1_epi64x((long long)lanes), bit);
  return (vec)_mm256_and_pd((__m256d)a, _mm256_castsi256_pd(_mm256_cmpeq_epi64(set, bit)));
}

INLINE unsigned beyond(vec a, vec b)
{
  return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_GT_OQ));
}

INLINE unsigned flagged(const uint32_t *entry)
{
  return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)entry)));
}

INLINE size_t pick(const uint32_t *from, unsigned lanes, uint32_t *to)
{
  size_t count = 0;
  for (; lanes; lanes &= lanes - 1) to[count++] = from[__builtin_ctz(lanes)];
  return count;
}

#define KERNELS pd_kernels_avx2
#define KERNEL_NAME "avx2"
#include "methods/peridem/host/kernels/kernel_body.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
