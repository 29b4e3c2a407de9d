/** GPUs and the like: which there are, and one table of calls for all of them.
 *
 *      device.c      names, choice, lists                     knows no maker
 *      ---------------- device_opener: ten functions ----------------
 *      opencl.c      any maker's, by libOpenCL.so.1           found at run time by dlopen:
 *      cuda.c        NVIDIA's, by libcuda.so.1 and NVRTC      nothing of it is needed to build or to run without
 *
 *  Kernels are written once, in what OpenCL C and CUDA C share, with the words below for the rest; each opener begins the source with its
 *  meaning of them. Products and sums are never contracted: `fma` alone fuses, so that the bits are those of the host.
 *      KERNEL void name(...)   GLOBAL   FUNCTION   ITEM() number of this item, size_t   AS_DOUBLE(ulong_t)   AS_BITS(double)   ulong_t
 *  A device is used by one thread at a time. */
#ifndef SCREE_DEVICE_H
#define SCREE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
  DEVICE_LIMIT = 16,     /**< devices listed at most */
  DEVICE_ITEMS = 64,     /**< items of a group: launches are rounded up to a multiple, so kernels ask whether there is such an item */
  DEVICE_ARGUMENTS = 24, /**< of a kernel, at most */
  DEVICE_KERNELS = 32    /**< of a source, at most */
};

typedef struct device_opener device_opener;

/** What there is. */
typedef struct device_about {
  char name[24];               /**< by which scenes name it: "gpu:0", or "opencl:0" for what is no GPU */
  char title[96];              /**< the maker's: "NVIDIA H100 80GB HBM3" */
  char version[64];            /**< of the driver or platform */
  char by[16];                 /**< what opens it: "OpenCL", "CUDA" */
  const device_opener *opener; /**< static; NULL in a list that another process made, whose devices can't be opened */
  bool is_gpu;
  bool doubles;     /**< numbers of 64 bits, rounded to nearest, with denormals and fma */
  uint64_t memory;  /**< bytes */
  uint64_t largest; /**< bytes of one array */
  size_t number;    /**< the opener's own */
  char reason[192]; /**< why it can't be used; "": it can */
} device_about;

typedef struct device_list {
  size_t count;
  device_about item[DEVICE_LIMIT];
  size_t note_count;
  char note[4][192]; /**< what openers say: "no OpenCL: libOpenCL.so.1 is not there" */
} device_list;

/** An array on a device. Zeroed: none. */
typedef struct device_array {
  uint64_t handle;
  size_t bytes;
} device_array;

/** An argument of a kernel: a plain value, or an array by its handle. */
typedef struct device_argument {
  size_t size;
  const void *at;
} device_argument;
#define DEVICE_VALUE(value)                                                                                                                \
  {                                                                                                                                        \
    sizeof(value), &(value)                                                                                                                \
  }
#define DEVICE_ARRAY(array)                                                                                                                \
  {                                                                                                                                        \
    sizeof((array).handle), &(array).handle                                                                                                \
  }

typedef struct scr_device scr_device;

/** What an opener gives. Errors are sentences for people. */
struct device_opener {
  const char *name;   /**< "OpenCL" */
  const char *kernel; /**< "opencl": what recordings call its kernels, at most 31 bytes */
  /** Adds the devices it finds, without names, up to the limit; or a note why there are none. */
  void (*list)(const device_opener *opener, device_list *list);
  scr_status (*open)(scr_device *device, scr_error *error);
  /** Compiles a source and finds its kernels. @param names [count] of kernels */
  scr_status (*build)(scr_device *device, const char *source, const char *const *names, size_t count, scr_error *error);
  scr_status (*allocate)(scr_device *device, device_array *array, scr_error *error); /**< array->bytes are set, > 0 */
  void (*release)(scr_device *device, device_array *array);
  scr_status (*write)(scr_device *device, const device_array *to, size_t offset, const void *from, size_t bytes, scr_error *error);
  scr_status (*read)(scr_device *device, const device_array *from, size_t offset, void *to, size_t bytes, scr_error *error);
  scr_status (*launch)(scr_device *device, size_t kernel, size_t items, const device_argument *arguments, size_t count, scr_error *error);
  scr_status (*wait)(scr_device *device, scr_error *error);
  void (*close)(scr_device *device);
};

struct scr_device {
  device_about about;
  void *own;          /**< the opener's */
  size_t kernels;     /**< built last; 0 after a build that failed */
  uint64_t allocated; /**< bytes */
  uint64_t copied;    /**< bytes written and read so far, and how often: what a GPU behind a bus waits for */
  uint64_t copies;
};

extern const device_opener device_opener_opencl, device_opener_cuda;

/** Finds all devices: GPUs are gpu:0, gpu:1 ..., others opencl:0 ...; one that two openers know is listed once. Takes some tenths of a
 *  second where a driver has to be loaded, and its memory. */
void device_find_all(device_list *list);

/** The same by given openers, for tests. */
void device_find_by(const device_opener *const *openers, size_t count, device_list *list);

/** The device that a run's choice means. "auto": the first GPU that can be used; `chosen` is NULL where there is none, and for "cpu".
 *  @return SCR_BAD_SCENE at /run/device where a name has no device, or one that can't be used: what there is instead is in the message */
scr_status device_choose(const device_list *list, const char *name, const device_about **chosen, scr_error *error);

/** Opens a device. device_close frees it; NULL after a failure. */
scr_status device_open(const device_about *about, scr_device **opened, scr_error *error);
void device_close(scr_device *device);

/** Compiles kernels, in the place of those built before. @param names [count], which device_launch counts in */
scr_status device_build(scr_device *device, const char *source, const char *const *names, size_t count, scr_error *error);
/** Makes an array of so many bytes, at least one; contents are undefined. device_release frees it, also a zeroed one. */
scr_status device_allocate(scr_device *device, device_array *array, size_t bytes, scr_error *error);
void device_release(scr_device *device, device_array *array);
/** Copies, done when it returns. Nothing for 0 bytes. */
scr_status device_write(scr_device *device, const device_array *to, size_t offset, const void *from, size_t bytes, scr_error *error);
scr_status device_read(scr_device *device, const device_array *from, size_t offset, void *to, size_t bytes, scr_error *error);
/** Starts a kernel, by its place in the names built, over so many items, in the order of calls. Nothing for 0 items. */
scr_status device_launch(scr_device *device, size_t kernel, size_t items, const device_argument *arguments, size_t count, scr_error *error);
/** Waits for all that was started. */
scr_status device_wait(scr_device *device, scr_error *error);

#endif
