/* kernel_body.h for AVX-512. */
#include "methods/peridem/host/kernels/kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512dq,avx2,fma,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512vl,avx512dq,avx2,fma,popcnt,prefer-vector-width=512")
#endif
#define INLINE static inline __attribute__((always_inline))
#define WIDTH 8
typedef double vec __attribute__((vector_size(8 * WIDTH)));

INLINE vec fused(vec a, vec b, vec c)
{
  return (vec)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

INLINE vec fused_less(vec a, vec b, vec c)
{
  return (vec)_mm512_fnmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

INLINE vec gathered(const double *from, const uint32_t *index)
{
  return (vec)_mm512_i32gather_pd(_mm256_loadu_si256((const __m256i *)index), from, 8);
}

INLINE vec kept(vec a, unsigned lanes)
{
  return (vec)_mm512_maskz_mov_pd((__mmask8)lanes, (__m512d)a);
}

INLINE unsigned beyond(vec a, vec b)
{
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_GT_OQ);
}

INLINE unsigned flagged(const uint32_t *entry)
{
  return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)entry)));
}

INLINE size_t pick(const uint32_t *from, unsigned lanes, uint32_t *to)
{
  _mm256_storeu_si256((__m256i *)to, _mm256_maskz_compress_epi32((__mmask8)lanes, _mm256_loadu_si256((const __m256i *)from)));
  return (size_t)__builtin_popcount(lanes);
}

#define KERNELS pd_kernels_avx512
#define KERNEL_NAME "avx512"
#include "methods/peridem/host/kernels/kernel_body.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
