/** How far and how fast parts of the rig go where spheres can meet them. */
#ifndef SCREE_METHODS_BDEM_PART_REACH_H
#define SCREE_METHODS_BDEM_PART_REACH_H

#include "methods/bdem/contact/contact.h"

/** How far from part p's position spheres can meet its surface, m: to its end, or to the farthest sphere. */
double bdem_part_span(const bdem_contacts *contacts, const bdem_body *body, size_t p);
/** Farthest that part p's surface has come from where it was at `before`, m, as far as spheres can meet it. */
double bdem_part_travel(const bdem_contacts *contacts, const bdem_body *body, size_t p, const part_motion *before);
/** Largest speed of part p's surface, m/s, as far as spheres can meet it. */
double bdem_part_speed(const bdem_contacts *contacts, const bdem_body *body, size_t p);

#endif
