/** Impulses of the last step, kept by what touches what, and Newton's restitution: what a method needs around contact_solve.
 *
 *  A key names a contact over time: the two bodies and the features that touch (faces, edges, nodes), packed by the method as it likes.
 *  Impulses are kept in world axes, so that a contact's own axes may turn or be chosen anew each step. */
#ifndef SCREE_CONTACT_WARM_START_H
#define SCREE_CONTACT_WARM_START_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "contact/local/cone.h"

typedef struct contact_key {
  uint64_t first, second;
} contact_key;

typedef struct warm_start_entry {
  contact_key key;
  double impulse[CONE_DIMENSION_MAX]; /**< N s; x, y, z in world axes, or the contact's own components where axes were not given */
} warm_start_entry;

/** What is kept; plain data, so that a method's checkpoint can hold the entries as they are. Zero-initialised: empty. */
typedef struct warm_start {
  size_t count, capacity;
  warm_start_entry *entry; /**< [count] ascending by key */
  double time_step;        /**< s, that the impulses belong to; 0 while empty */
} warm_start;

/** Keeps a step's impulses, and forgets those before.
 *  @param d    dimension    @param key [n], of one key twice the first counts
 *  @param axes [n][d][3] unit vectors normal, tangents; NULL: components are kept as they are (d = 2 with turning axes, and 6)
 *  @return SCR_OK; SCR_BAD_USAGE for axes with d = 6; SCR_NO_MEMORY, then nothing is kept */
scr_status warm_start_keep(warm_start *self, unsigned d, size_t n, const contact_key *key, const double *axes, const double *impulse,
                           double time_step, scr_error *error);

/** Starting impulses of a step: those kept under the same keys, turned into its axes and scaled by the ratio of time steps; zero for new
 *  contacts.
 *  @param impulse [n d] written    @return how many were found */
size_t warm_start_recall(const warm_start *self, unsigned d, size_t n, const contact_key *key, const double *axes, double time_step,
                         double *impulse);

void warm_start_clear(warm_start *self);

/** Newton's restitution as a term of w's normal component: the law then holds for u_N(end) + e u_N(start) instead of u_N(end).
 *  @param restitution e, 0 to 1    @param approach u_N at the start of the step, m/s, < 0 when closing
 *  @param threshold speed below which a contact does not bounce, m/s    @return m/s, <= 0 */
double contact_restitution(double restitution, double approach, double threshold);

#endif
