/* Sweeps in single precision, eight cells at a time. */
#define REAL float
#define BITS int
#define LANES 8
#define ROOT sqrtf
#define KERNEL sweep_kernel_single
#include "methods/granular/step/sweep/sweep_body.h"
