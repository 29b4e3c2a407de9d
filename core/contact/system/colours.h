/** An order of contacts in colours: those of one colour act on different blocks, so that they can be solved side by side. */
#ifndef SCREE_CONTACT_COLOURS_H
#define SCREE_CONTACT_COLOURS_H

#include "contact/system/system.h"

enum { CONTACT_COLOUR_MAX = 64 };

typedef struct contact_colours {
  uint32_t count;                       /**< colours in use, at most CONTACT_COLOUR_MAX */
  size_t first[CONTACT_COLOUR_MAX + 2]; /**< colour c has order[first[c]] .. order[first[c + 1]] */
  size_t serial;                        /**< from order[serial] on: those that no colour had room for, to be done one after the other */
  uint32_t *order;                      /**< [n] ascending within a colour */
} contact_colours;

/** Greedy, in the contacts' order: the least colour that no contact of the same blocks has. Bodies with more than 64 contacts leave some
 *  for the end. */
scr_status contact_colours_create(const contact_system *system, contact_colours *colours, scr_error *error);
void contact_colours_clear(contact_colours *colours);

#endif
