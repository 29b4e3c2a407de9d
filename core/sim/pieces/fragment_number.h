/** Numbers of fragments for pictures: the same piece should keep its number, and so its colour, while others break. */
#ifndef SCREE_SIM_FRAGMENT_NUMBER_H
#define SCREE_SIM_FRAGMENT_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/** Turns numbers of pieces, which count up and shift when one more appears before them, into numbers that depend on a piece's own points
 *  only: each grain ranks its points outward from the middle of its list, and a piece is called after its first in that ranking. So a grain
 *  that is whole has the number of its first point, 0 for the first grain, and what remains of it keeps that number as long as the middle
 *  holds.
 *  @param grain_of [count] the points of a grain follow one another    @param piece [count] numbers < count, replaced
 *  @param scratch [count] */
void fragment_numbers(const uint32_t *grain_of, size_t count, uint32_t *piece, double *scratch);

#endif
