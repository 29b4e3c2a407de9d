/** A device for tests: OpenCL on the processor (pocl), or whatever there is. */
#ifndef SCREE_TESTS_OPENCL_DEVICE_H
#define SCREE_TESTS_OPENCL_DEVICE_H

#include "device/device.h"

/** The name by which scenes choose it, or NULL, after printing why there is none. Kernels that pocl compiles are kept in build/pocl-cache.
 */
const char *opencl_device_name(void);

/** That device, open; to be closed. Fails the test without one. */
scr_device *open_opencl_device(void);

/** Skips the test where there is none. */
#define skip_without_opencl_device()                                                                                                       \
  do {                                                                                                                                     \
    if (!opencl_device_name()) skip();                                                                                                     \
  } while (0)

#endif
