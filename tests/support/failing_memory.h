/** Allocations that fail on purpose: the program's own malloc and its kin, in front of glibc's. The programs of folders that include this
 * have them. Under ASan, which brings its own, failing_memory_works() is false and nothing fails. */
#ifndef SCREE_TESTS_SUPPORT_FAILING_MEMORY_H
#define SCREE_TESTS_SUPPORT_FAILING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

bool failing_memory_works(void);

/** From here on `allowed` allocations are granted and all further ones fail. */
void failing_memory_begin(size_t allowed);

/** Back to normal. @return allocations less frees since failing_memory_begin */
long failing_memory_end(void);

/** How many allocations are still granted. */
size_t failing_memory_left(void);

/** Grants everything and counts nothing while paused; has no effect outside failing_memory_begin ... end. */
void failing_memory_pause(bool pause);

#endif
