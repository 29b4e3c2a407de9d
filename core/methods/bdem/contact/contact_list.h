/** The neighbour list: candidates for contact, found anew when something has moved too far, and added to when bonds break. */
#ifndef SCREE_METHODS_BDEM_CONTACT_LIST_H
#define SCREE_METHODS_BDEM_CONTACT_LIST_H

#include "geometry/search/cells.h"
#include "methods/bdem/contact/grip.h"
#include "methods/bdem/contact/initial_overlap.h"

/** Room for whoever asks; nothing in it outlives a call. */
typedef struct bdem_scratch {
  uint32_t *index; /**< [n] */
  double *real[6]; /**< [n] */
} bdem_scratch;

typedef struct bdem_neighbour_list {
  double *position[3];              /**< [n] m, of the spheres when the candidates were listed, by component */
  part_motion part[SCR_PART_LIMIT]; /**< where the parts were then */
  double stretch;                   /**< largest length over rest length of a bond then: neighbours enclose less the wider they stand */
  double skin;                      /**< m, slack of the list; 0: there is none yet */
  size_t broken_count;              /**< broken bonds that it knows: when there are more, add their pairs before the step ends */
  uint8_t *searched;                /**< [n] 1: among the spheres that are searched; the others are enclosed by their neighbours */
  uint32_t *added;                  /**< [added_count] spheres that are since the list was made */
  size_t added_count;
  bool changed; /**< other pairs are listed than when somebody last made this false */
  geo_cells cells;
} bdem_neighbour_list;

/** What the search for candidates reads, and writes. */
typedef struct bdem_listing {
  const bdem_model *model;
  const bdem_body *body;
  const bdem_fracture *fracture;
  const bdem_initial_overlaps *initial;
  const bdem_rig *rig;
  bdem_contacts *contacts;   /**< written: pairs, touches and their rows */
  bdem_neighbour_list *list; /**< written */
  bdem_scratch *scratch;
  bool first; /**< it is the scene's first list: what overlaps did so at the start */
} bdem_listing;

/** Bonds with which a sphere of a packing is enclosed: its neighbours keep every sphere of the scene off it, and the search passes over it.
 *  @param packing bdem_packing    @param stretch length over rest length of the longest bond    @param radius, smallest of it and of the
 *  scene's finest spheres, m
 *  @return 0 when none is: random packings, bonds stretched too far, spheres so fine that they fit between others */
uint32_t bdem_enclosing_bonds(int packing, double stretch, double radius, double smallest);

/** Lists the contact candidates nearer than the touching distance plus `skin`: at the present positions, or again at those of the last
 *  list (after loading a checkpoint). */
scr_status bdem_contact_list(const bdem_listing *listing, double skin, bool from_listed, scr_error *error);
/** How far a sphere or part has moved at most since the candidates were listed, m. */
double bdem_moved_since_listed(const bdem_neighbour_list *list, const bdem_body *body, const bdem_contacts *contacts, const bdem_rig *rig);
/** The same without the spheres that no grip holds. */
double bdem_rig_moved_since_listed(const bdem_neighbour_list *list, const bdem_body *body, const bdem_contacts *contacts,
                                   const bdem_rig *rig);
/** Makes sure that the list holds every pair that can touch while nothing moves further than `travel` from here. */
scr_status bdem_contact_update(const bdem_listing *listing, double travel, scr_error *error);
/** The same when bdem_moved_since_listed is known already. */
scr_status bdem_contact_follow(const bdem_listing *listing, double moved, double travel, scr_error *error);

#endif
