/** Forces of bonds on a device, in the words of device/device.h, with the bits of the host's AVX2 kernel (bonds/bond_batch_kernel.h): its
 *  operations in its order, fused where they are fused there, its sums in their order. */
#ifndef SCREE_BDEM_DEVICE_KERNELS_H
#define SCREE_BDEM_DEVICE_KERNELS_H

/** The kernels, by their place in bdem_kernel_names. */
typedef enum bdem_device_kernel { BDEM_KERNEL_BONDS, BDEM_KERNEL_PUT, BDEM_KERNEL_GATHER, BDEM_KERNEL_COUNT } bdem_device_kernel;

extern const char *const bdem_kernel_names[BDEM_KERNEL_COUNT];
/** Their source. */
extern const char bdem_kernel_source[];

/** Numbers of a lane's result: force on the far end, torques on the near and the far one. */
enum { BDEM_RESULT_NUMBERS = 9 };

/** Marks of lanes: the bond may be above its strength; it is turned too far for the kernel, and the host computes it. */
enum { BDEM_MARK_STRAINED = 1, BDEM_MARK_UNUSUAL = 2 };

#endif
