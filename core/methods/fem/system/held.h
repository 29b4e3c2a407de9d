/** How a body that is held here and there can still move without deforming. */
#ifndef SCREE_METHODS_FEM_HELD_H
#define SCREE_METHODS_FEM_HELD_H

#include <stddef.h>

enum { FEM_HELD_TEXT = 120 };

/** Counts its free rigid motions: 6 less the rank of the six motions' values where it is held.
 *  @param place [count][3] m    @param fixed [3 count] components that are held
 *  @param text  [FEM_HELD_TEXT] receives one of the motions in words, "moving along (0, 0, 1)" or "turning about (0, 1, 0)", "" where there
 *  is none; NULL: not wanted
 *  @return 0 ... 6 */
size_t fem_free_motions(const double *place, size_t count, const unsigned char *fixed, char *text);

#endif
