/** What the makers of contact problems share: random numbers, axes, rows; and the kinds that have files of their own. */
#ifndef SCREE_SUPPORT_CONTACT_MAKER_PARTS_H
#define SCREE_SUPPORT_CONTACT_MAKER_PARTS_H

#include "tests/support/contact_maker.h"

#define maker_gravity 9.81
#define maker_pi 3.14159265358979323846

/** From low to high, the seed moving on. */
double maker_uniform(uint64_t *seed, double low, double high);
/** A whole number, both ends possible. */
size_t maker_choose(uint64_t *seed, size_t low, size_t high);
/** Ends the program with that reason. */
_Noreturn void maker_give_up(const char *why);

/** Two tangents to a unit normal, into axes [3][3]. */
void maker_axes(const double *normal, double *axes);
/** A row of nodes or bodies: velocity of the point (NULL: of the node itself) times `sign`. */
void maker_entry(contact_maker *m, uint32_t body, const double *point, const double *axes, double sign);

void maker_make_rods(uint64_t *seed, contact_maker *m);
void maker_make_hair(uint64_t *seed, contact_maker *m);
void maker_make_brush(uint64_t *seed, contact_maker *m);
void maker_make_needles(uint64_t *seed, contact_maker *m);
void maker_make_pack(uint64_t *seed, bool mixed, contact_maker *m);

#endif
