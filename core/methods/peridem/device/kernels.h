/** Peridem's passes on a device, in the words of device/device.h, with the bits of the host: its operations in its order, fused only where
 * the host's kernels fuse (host/kernels/kernel_body.h). Vectors are three rows of n: x[i], x[n + i], x[2 n + i]. */
#ifndef SCREE_PERIDEM_DEVICE_KERNELS_H
#define SCREE_PERIDEM_DEVICE_KERNELS_H

/** The kernels, by their place in pd_kernel_names. */
typedef enum pd_device_kernel {
  PD_KERNEL_PREDICT,
  PD_KERNEL_KICK,
  PD_KERNEL_SUMS,
  PD_KERNEL_RUNS,
  PD_KERNEL_ROWS,
  PD_KERNEL_DROP,
  PD_KERNEL_REWRITE,
  PD_KERNEL_INSPECT,
  PD_KERNEL_MOVED,
  PD_KERNEL_PAIRS,
  PD_KERNEL_NEAR,
  PD_KERNEL_COPY,
  PD_KERNEL_PACK,
  PD_KERNEL_UNPACK,
  PD_KERNEL_PUT,
  PD_KERNEL_PAIR_DAMPERS,
  PD_KERNEL_SCATTER,
  PD_KERNEL_DAMP_PAIRS,
  PD_KERNEL_PAIR_HEAT,
  PD_KERNEL_COUNT_MARKED,
  PD_KERNEL_TAKE_MARKED,
  PD_KERNEL_DRAG,
  PD_KERNEL_APPLY,
  PD_KERNEL_SIEVE_RUNS,
  PD_KERNEL_SIEVE_ROWS,
  PD_KERNEL_COUNT
} pd_device_kernel;

extern const char *const pd_kernel_names[PD_KERNEL_COUNT];
/** Their source. */
extern const char pd_kernel_source[];

/** Words that kernels mark nodes by are looked through in chunks of so many. */
enum { PD_MARKED_CHUNK = 64 };

/** Words of the array `flags`. */
enum { PD_FLAG_TORN, PD_FLAG_NOT_FINITE, PD_FLAG_MOVED, PD_FLAG_MET, PD_FLAG_NEAR, PD_FLAG_PAST, PD_FLAG_COUNT };

/** Numbers of a body: stiffness (N), limit of its rows' r / L, mass (kg) and its inverse, as the source reads them. */
enum { PD_BODY_STIFFNESS, PD_BODY_LIMIT, PD_BODY_MASS, PD_BODY_PER_MASS, PD_BODY_NUMBERS };

/** Numbers of a body for contact: volume of a node (m^3), spacing (m), stiffness of self-contact (N/m^6), material. */
enum { PD_PAIR_VOLUME, PD_PAIR_SPACING, PD_PAIR_MODULUS, PD_PAIR_MATERIAL, PD_PAIR_NUMBERS };

/** Numbers of a law of contact: stiffness (N/m^7), damping ratio, friction coefficient. */
enum { PD_LAW_STIFFNESS, PD_LAW_DAMPING, PD_LAW_FRICTION, PD_LAW_NUMBERS };

/** Numbers of a body for the strength of its bonds: critical stretch of mean strength, Weibull's scale, inverse modulus (0: none scatters),
 *  whether a grain's bonds have one factor. */
enum { PD_STRENGTH_CRITICAL, PD_STRENGTH_SCALE, PD_STRENGTH_PER_MODULUS, PD_STRENGTH_OF_GRAINS, PD_STRENGTH_NUMBERS };

/** Words of a grain for the same: key of its factors, first node. */
enum { PD_GRAIN_KEY, PD_GRAIN_FIRST, PD_GRAIN_WORDS };

/** Numbers of a plane: unit normal, offset along it (m), number of the part. */
enum { PD_PLANE_NUMBERS = 5 };

/** Numbers of a class of bonds: limit of r^2 (m^2), weight, w / L or 1 / L (1/m), and 0, or 1 where the weight multiplies last. */
enum { PD_CLASS_NUMBERS = 4 };

#endif
