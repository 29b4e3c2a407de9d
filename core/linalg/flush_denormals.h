/** Numbers too small for their type's full precision (below 1e-38 in single precision) count as zero between begin and end, on the calling
 *  thread: arithmetic on them is a hundred times slower, and a correction that dies out away from a load is full of them. Elsewhere than on
 *  x86 both functions do nothing. */
#ifndef SCREE_LINALG_FLUSH_DENORMALS_H
#define SCREE_LINALG_FLUSH_DENORMALS_H

#ifdef __SSE2__
#include <xmmintrin.h>

/** Returns what flush_denormals_end restores. */
static inline unsigned flush_denormals_begin(void)
{
  const unsigned results_to_zero = 0x8000, operands_to_zero = 0x0040;
  unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | results_to_zero | operands_to_zero);
  return mode;
}

static inline void flush_denormals_end(unsigned mode)
{
  _mm_setcsr(mode);
}
#else
static inline unsigned flush_denormals_begin(void)
{
  return 0;
}

static inline void flush_denormals_end(unsigned mode)
{
  (void)mode;
}
#endif

#endif
