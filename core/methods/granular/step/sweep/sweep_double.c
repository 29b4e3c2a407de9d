/* Sweeps in double precision, four cells at a time. */
#define REAL double
#define BITS long long
#define LANES 4
#define ROOT sqrt
#define KERNEL sweep_kernel_double
#include "methods/granular/step/sweep/sweep_body.h"
