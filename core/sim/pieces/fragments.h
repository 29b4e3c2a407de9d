/** Fragments by mass: what methods whose bodies fall to pieces count and record alike.
 *
 *  Classes of masses halve from the heaviest body's mass M at the start: class k holds masses above M 2^-(k+1) up to M 2^-k, so a whole
 *  body is in the first, and classes are the same at every time. Dust, single points broken off a body of several, is counted apart. */
#ifndef SCREE_SIM_FRAGMENTS_H
#define SCREE_SIM_FRAGMENTS_H

#include "sim/method.h"

enum { FRAGMENT_CLASSES = 64 };

typedef struct fragment_class {
  double count, mass; /**< pieces, kg of all of them */
} fragment_class;

/** The pieces of all bodies. Starts as {.whole = M}. */
typedef struct fragment_summary {
  double whole;   /**< M, kg, > 0 */
  double largest; /**< mass of the heaviest piece, kg */
  double grit;    /**< mass of the heaviest piece of dust, kg */
  size_t count;   /**< of all pieces, dust too */
  fragment_class dust, classes[FRAGMENT_CLASSES];
} fragment_summary;

/** Adds one piece. @param dust a single point of a body that has more */
void fragments_add(fragment_summary *summary, double mass, bool dust);

/** Adds the pieces of one body.
 *  @param piece   [count] numbers of the points' pieces, from the first point's number on without gaps
 *  @param mass    [count] kg    @param uniform all weigh mass[0], which alone is read
 *  @param sum,points [count] scratch */
void fragments_add_body(fragment_summary *summary, size_t count, const uint32_t *piece, const double *mass, bool uniform, double *sum,
                        double *points);

/** Declares the table "fragments": the pieces of all bodies by mass, counted at every frame. Each row is a class of masses that is not
 *  empty; single points broken off are the class of dust. Columns: time [s], dust [1] (1: the row of dust), lower_mass [kg], upper_mass
 *  [kg] (above the lower, up to the upper), count [1], mass [kg] (of all)
 *  @param number receives its number */
scr_status fragments_declare(scr_sim *sim, size_t *number, scr_error *error);

/** Adds the rows of a summary, heaviest class first, dust last; classes without pieces are left out. */
scr_status fragments_add_rows(scr_sim *sim, size_t number, const fragment_summary *summary, scr_error *error);

/** Adds to an estimate, which must have its node_count, the rows that come with every frame. */
void fragments_estimate(scr_estimate *estimate);

#endif
