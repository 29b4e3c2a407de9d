/** Forces of bonds of explicit steps on a device: states of spheres go there, sums of forces and torques come back; all else of a step is
 * the host's. The bits are those of the host's AVX2 kernel, which also does the few bonds that are turned beyond 0.45 rad. */
#ifndef SCREE_BDEM_BOND_DEVICE_H
#define SCREE_BDEM_BOND_DEVICE_H

#include "methods/bdem/bonds/bond_batch.h"

typedef struct bdem_device bdem_device;

/** Opens what a run's choice means, for explicit steps, and lets the batches' forces be computed there from now on. The batches are as they
 *  were created, and outlive the device.
 *  @param name  execution.device: NULL and "cpu" are the processor, "auto" is it where there is no GPU or the steps are not explicit
 *  @param made  receives the device, bdem_device_close frees it; NULL: the processor
 *  @return SCR_BAD_SCENE at /run/device for one that is not there, or where the processor could not give the same bits; SCR_NO_MEMORY,
 * errors of the device */
scr_status bdem_device_open(bdem_batches *batches, const char *name, bool explicit_steps, bdem_device **made, scr_error *error);
void bdem_device_close(bdem_device *device);

/** What recordings call its kernels, "opencl", and the host's kernel whose bits those are. Static text. */
const char *bdem_device_kernel_name(const bdem_device *device);
const char *bdem_device_bits_of(void);

/** Compiles other kernels of the same names in the place of those that there are: for tests. */
scr_status bdem_device_build(bdem_device *device, const char *source, scr_error *error);

/** Bytes copied to and from the device so far. */
uint64_t bdem_device_copied(const bdem_device *device);

#endif
