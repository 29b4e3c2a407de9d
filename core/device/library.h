/** Libraries of devices' makers, found at run time. */
#ifndef SCREE_DEVICE_LIBRARY_H
#define SCREE_DEVICE_LIBRARY_H

#include <stddef.h>

#include "device/device.h"

/** A function of a library and where its address goes. */
typedef struct library_function {
  const char *name;
  size_t offset; /**< of the pointer in the caller's table */
} library_function;

/** Loads the first library of a list that ends with NULL and finds all functions. It stays loaded: makers' libraries can't be unloaded and
 *  loaded again. @param table receives addresses    @param reason [capacity] why not    @return whether all is there */
bool library_load(const char *const *libraries, const library_function *functions, size_t count, void *table, char *reason,
                  size_t capacity);

/** PTX of kernels for GPUs of a compute capability from NVRTC, to free(); needs no GPU. NULL: there is no NVRTC, or it refused them. */
char *cuda_compile(const char *source, int major, int minor, scr_error *error);

/** Adds a note to a list: formatted as printf does. */
void library_note(device_list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
