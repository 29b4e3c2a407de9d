/** An elastic energy of several modes as a polynomial, fitted to energies and forces at levels of load.
 *
 *      U(eps) = sum of terms c z_a z_b ..., z_a = eps_a/s_a, s_a the largest |eps_a| of the levels     degree 2 and more: U(0) = 0,
 *      dU/deps(0) = 0 least squares of  (U(eps_l) - E_l)/E  and  s_a (dU/deps_a(eps_l) - F_la)/E,  E the largest E_l
 *
 *  by a QR factorisation of the terms that the levels can tell apart; the others are left out (levels along single modes say nothing of
 *  z_a^2 z_b^2). Forces are the derivatives of one energy, so that it is conserved. Where what comes of it is not convex at a level, or on
 *  the way to it, the squares are made least among the energies that are convex there and a fifth beyond: v . H(eps) v >= 0 for the ways v
 *  of least curvature, found anew until there is none left (cutting planes). A polynomial of one mode whose levels are all on one side of
 *  rest is of |eps|.
 *  Source: the method's specification, section 3.10, equations (56) and (58) of the paper. */
#ifndef SCREE_LSDEM_GRAIN_ENERGY_FIT_H
#define SCREE_LSDEM_GRAIN_ENERGY_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "methods/lsdem/grain/mode.h"

enum { LSDEM_FIT_DEGREE = 6, LSDEM_FIT_TERMS = 256 };

typedef struct lsdem_term {
  unsigned char degree, mode[LSDEM_FIT_DEGREE]; /**< of which modes it is the product, rising */
  double coefficient;                           /**< J */
} lsdem_term;

typedef struct lsdem_polynomial {
  size_t count;                                        /**< of modes */
  size_t term_count;                                   /**< 0: there is no polynomial */
  bool mirrored;                                       /**< one mode: U(-eps) = U(eps) */
  double scale[LSDEM_MODE_LIMIT];                      /**< m, s_a */
  double steepest[LSDEM_MODE_LIMIT][LSDEM_MODE_LIMIT]; /**< N/m, largest |d2U/deps_a deps_b| of the levels and of 1.2 times them: what a
                                                          stable step follows */
  lsdem_term term[LSDEM_FIT_TERMS];
} lsdem_polynomial;

/** What energies and forces are known: like the table of a mode basis. */
typedef struct lsdem_levels {
  size_t count, modes;     /**< modes 1 ... LSDEM_MODE_LIMIT */
  const double *amplitude; /**< [count][modes] m */
  const double *energy;    /**< [count] J */
  const double *force;     /**< [count][modes] N */
} lsdem_levels;

/** How well a fit holds: root mean squares over those of the levels' own. */
typedef struct lsdem_fit_quality {
  double energy, force;             /**< of the levels it was fitted to */
  double other_energy, other_force; /**< of every second level, by a fit to those between them; NaN: fewer than 4 levels */
  double free_energy, free_force;   /**< as energy and force, by the fit that need not be convex; the same where that is convex by itself */
  bool made_convex;                 /**< it was not */
} lsdem_fit_quality;

/** Most that a fit which had to be made convex may miss energies or forces by, over the levels' own: beyond, the levels are not of a convex
 *  energy. */
#define LSDEM_FIT_CONVEX_MISS 0.1

/** @param degree 2 ... LSDEM_FIT_DEGREE
 *  @return SCR_OK: convex at rest, on the way to each level and at it, its least curvature nowhere below -1e-6 of the largest;
 *  SCR_BAD_SCENE: no level, a mode that no level moves, more than
 *          LSDEM_FIT_TERMS terms, or levels that no convex energy comes nearer to than LSDEM_FIT_CONVEX_MISS: such a grain would snap
 *          through; SCR_NO_MEMORY; SCR_DIVERGED */
scr_status lsdem_energy_fit(const lsdem_levels *levels, size_t degree, lsdem_polynomial *fit, lsdem_fit_quality *quality, scr_error *error);

/** U, J; dU/deps, N; d2U/deps2, N/m, by rows. @param amplitude,gradient [count]    @param curvature [count][count] */
double lsdem_polynomial_value(const lsdem_polynomial *fit, const double *amplitude);
void lsdem_polynomial_gradient(const lsdem_polynomial *fit, const double *amplitude, double *gradient);
void lsdem_polynomial_curvature(const lsdem_polynomial *fit, const double *amplitude, double *curvature);

#endif
