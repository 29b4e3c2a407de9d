/** Memory for arrays that kernels touch: 64-byte aligned, sizes checked against overflow. */
#ifndef SCREE_BASE_MEMORY_H
#define SCREE_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/** count * size, or false on overflow. */
bool mem_multiply(size_t count, size_t size, size_t *bytes);

/** Zeroed, 64-byte aligned array of `count` elements, at least one cache line long; NULL on overflow or no memory. Freed with mem_free.
 *  From 1 MiB on its pages are not touched: each comes, zeroed, to the memory next to the thread that first reads or writes it, and counts
 *  as used from then on. */
void *mem_array(size_t count, size_t size);

/** Grows an array to hold `needed` elements by doubling, keeping its `*capacity` elements; new elements are zero. False (and nothing
 *  changed) on overflow or no memory. @param array address of the pointer to it, of whatever type; that may be NULL with *capacity 0. */
bool mem_grow(void *array, size_t *capacity, size_t needed, size_t size);

/** mem_array with the error: *array is NULL after SCR_NO_MEMORY. @param what it is for, as in scr_fail_memory */
scr_status mem_allocate(void *array, size_t count, size_t size, const char *what, scr_error *error);
/** mem_grow with the error. */
scr_status mem_reserve(void *array, size_t *capacity, size_t needed, size_t size, const char *what, scr_error *error);

void mem_free(void *pointer);

/** For programs, once, before they allocate: from 1 MiB on what is freed goes back to the kernel at once. The C library would raise that
 *  bound to the largest array it has seen freed, and keep the holes between those that a run makes anew all the time: beam-drape of the
 *  gallery took 86 MB instead of 63. Changes the process; nothing in the library calls it. */
void mem_return_large(void);

#endif
