/** folded_kernel.h for AVX2, without fused multiply-add: the same bits as on any processor. */
#include <immintrin.h>
#include <string.h>

#include "linalg/block6/folded/folded.h"

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
/* Two instructions, where compilers make seven of the portable form. */
#define ENTRIES(block, r)                                                                                                                  \
  (lanes) _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)((block)->entry + (ptrdiff_t)6 * (r)))))
#define KERNELS la_single_avx2
#include "linalg/block6/folded/folded_kernel.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
