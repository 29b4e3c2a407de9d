/** bond_batch_kernel.h for any processor. */
#include "methods/bdem/bonds/bond_batch.h"

#include <string.h>

#define BATCH_WIDTH 2
#define BATCH_KERNEL batch_kernel_portable
#include "methods/bdem/bonds/bond_batch_kernel.h"
