/** folded_kernel.h for any processor. */
#define KERNELS la_single_portable
#include "linalg/folded_kernel.h"
