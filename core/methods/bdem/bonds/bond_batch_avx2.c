/** bond_batch_kernel.h for AVX2. */
#include "methods/bdem/bonds/bond_batch.h"

#include <immintrin.h>
#include <string.h>

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define BATCH_ANY(mask) !_mm256_testz_si256((__m256i)(mask), (__m256i)(mask))
#define BATCH_WIDTH 4
#define BATCH_KERNEL batch_kernel_avx2
#include "methods/bdem/bonds/bond_batch_kernel.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
