/** folded_kernel.h for AVX2, without fused multiply-add: the same bits as on any processor. */
#include <string.h>

#include "linalg/folded.h"

#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#define KERNELS la_single_avx2
#include "linalg/folded_kernel.h"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
