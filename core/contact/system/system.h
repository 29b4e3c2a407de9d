/** A contact problem made ready: checked, mass inverted, diagonal blocks of W, free velocities. What every solver starts from.
 *
 *      response   M_b^-1 H'  of each entry of H, where mass comes in blocks: an impulse's effect on the body it acts on
 *      diagonal   W_ii = sum over a contact's entries of H M^-1 H'
 *      of block   which entries act on each block: H' r is a gather, the same bits for any number of threads */
#ifndef SCREE_CONTACT_SYSTEM_H
#define SCREE_CONTACT_SYSTEM_H

#include "base/execution.h"
#include "contact/contact.h"
#include "contact/system/chains.h"

struct contact_stripes;
struct delassus;

typedef struct contact_system {
  const contact_problem *problem;        /**< borrowed */
  scr_execution execution;               /**< of the solver */
  size_t size;                           /**< m: velocities */
  size_t rows;                           /**< n d: components of contacts */
  double *inverse_mass;                  /**< [block_count][b][b]; NULL when mass is sparse or in chains */
  la_factor *factor;                     /**< of the sparse mass, else NULL */
  contact_chains chains;                 /**< of a mass in chains, else empty */
  const struct delassus *w;              /**< W of a mass in chains, where it is worth having (delassus_from_chains), else NULL */
  const struct contact_stripes *stripes; /**< the order of its rows, else NULL */
  contact_chain_memory *own;             /**< that has it, where the problem brings none, else NULL */
  double *response;                      /**< [first[n]][d][b] by columns of H': v += response dr; NULL when mass is sparse or in chains */
  double *free_velocity;                 /**< q [n d] m/s */
  double *diagonal;                      /**< W_ii [n][d][d] 1/kg, column-major */
  double *scale;                         /**< s [n] = trace(W_ii)/d, 1/kg, > 0 */
  double speed;                          /**< what residuals are relative to, m/s >= 0 */
  size_t *of_block_first;                /**< [block_count + 1] */
  size_t *of_block;                      /**< [first[n]] entries of H that act on a block, ascending */
  uint32_t *contact_of;                  /**< [first[n]] the contact of an entry */
} contact_system;

/** Checks a problem and makes it ready. @return SCR_OK; SCR_BAD_USAGE, SCR_NO_MEMORY as contact_solve */
scr_status contact_system_create(const contact_problem *problem, const contact_options *options, contact_system *system, scr_error *error);
void contact_system_clear(contact_system *system);

/** x = M^-1 p.    x, p: [m], may be the same */
scr_status contact_system_accelerate(const contact_system *system, const double *p, double *x, scr_error *error);
/** p = H' r, added to `p` [m] */
void contact_system_gather(const contact_system *system, const double *r, double *p);
/** u = H v.    u: [n d] */
void contact_system_relative(const contact_system *system, const double *v, double *u);
/** v = M^-1 (f + H' r), u = H v + w. */
scr_status contact_system_velocity(const contact_system *system, const double *r, double *v, double *u, scr_error *error);

/** The same u alone, by W where there is one; else v too. */
scr_status contact_system_speeds(const contact_system *system, const double *r, double *v, double *u, scr_error *error);

/** Natural map of contact i, or its violation of the law along the normal alone where that is larger, m/s. @param r, u [n d] */
double contact_system_residual_of(const contact_system *system, size_t i, const double *r, const double *u);

/** Largest natural map, or violation of the law along the normal alone, over `speed`; HUGE_VAL when a number is not finite. @param u [n d]
 *  of r */
double contact_system_residual(const contact_system *system, const double *r, const double *u);

/** What rounding leaves uncertain of the residual at r: the spacing of numbers at the largest |s r|, over `speed`. A residual below it says
 *  nothing. */
double contact_system_rounding(const contact_system *system, const double *r);

/** Checks alone: what contact_system_create would refuse of the problem's arrays (not of what follows from them). */
scr_status contact_problem_check(const contact_problem *problem, scr_error *error);

#endif
