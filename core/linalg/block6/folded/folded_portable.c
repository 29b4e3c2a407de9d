/** folded_kernel.h for any processor. */
#define KERNELS la_single_portable
#include "linalg/block6/folded/folded_kernel.h"
