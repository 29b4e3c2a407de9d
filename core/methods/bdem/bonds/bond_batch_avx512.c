/** bond_batch_kernel.h for AVX-512. */
#include "methods/bdem/bonds/bond_batch.h"

#include <immintrin.h>
#include <string.h>

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512dq,avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512vl,avx512dq,avx2,fma")
#endif
#define BATCH_ANY(mask) _mm512_test_epi64_mask((__m512i)(mask), (__m512i)(mask))
/* The estimate for zero is zero. */
#define BATCH_ROOT_ESTIMATE(x) ((vec)_mm512_maskz_rsqrt14_pd(_mm512_test_epi64_mask((__m512i)(x), (__m512i)(x)), (__m512d)(x)))
#define BATCH_RECIPROCAL_ESTIMATE(x) ((vec)_mm512_rcp14_pd((__m512d)(x)))
#define BATCH_WIDTH 8
#define BATCH_KERNEL batch_kernel_avx512
#include "methods/bdem/bonds/bond_batch_kernel.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
