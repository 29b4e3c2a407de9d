/** The elastic energy of a grain's modes: quadratic, that of one mode from a table of its force, or a polynomial fitted to the levels of a
 *  mode basis.
 *
 *      quadratic:  U = eps . K eps / 2, force K eps
 *      table:      F linear between the points, U its exact integral, so that the force is conservative; beyond the last point F goes on
 *      with the
 *                  last slope; a table that begins at rest holds for both signs, F(-eps) = -F(eps); one with points on both sides as it is
 *      polynomial: energy_fit.h */
#ifndef SCREE_LSDEM_GRAIN_ENERGY_H
#define SCREE_LSDEM_GRAIN_ENERGY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "methods/lsdem/grain/energy_fit.h"
#include "methods/lsdem/grain/mode.h"

enum { LSDEM_TABLE_LIMIT = 512, LSDEM_TABLE_TEXT = 4000 };

typedef struct lsdem_energy {
  size_t point_count;                  /**< of the table; 0: there is none */
  double amplitude[LSDEM_TABLE_LIMIT]; /**< m, rising, with 0 among them */
  double force[LSDEM_TABLE_LIMIT];     /**< N, not falling, 0 at 0 */
  double energy[LSDEM_TABLE_LIMIT];    /**< J, of each point, 0 at 0 */
  lsdem_polynomial fit;                /**< where it has terms; without it and without a table the energy is quadratic */
} lsdem_energy;

/** Reads a table: pairs "eps force", m and N, divided by blanks, commas, semicolons or line ends; the first is "0 0".
 *  @param factor multiplies the forces: 1, or the number of walls whose single force the table gives
 *  @return SCR_OK; SCR_BAD_SCENE: fewer than 2 or more than LSDEM_TABLE_LIMIT points, numbers that are none, amplitudes that don't rise, a
 *  force that falls or
 *          is not 0 at 0 */
scr_status lsdem_energy_read(lsdem_energy *table, const char *text, double factor, scr_error *error);

/** A table from points in any order, without that of rest, which is added.
 *  @param amplitude [count] m, other than 0, no two alike    @param force [count] N
 *  @return SCR_OK; SCR_BAD_SCENE: no point, too many, two of one amplitude, a force that falls */
scr_status lsdem_energy_take(lsdem_energy *table, const double *amplitude, const double *force, size_t count, scr_error *error);

/** Whether the energy is other than quadratic. */
static inline bool lsdem_energy_is_given(const lsdem_energy *energy)
{
  return energy->point_count || energy->fit.term_count;
}

/** How far `amplitude` of mode a is beyond what is known, over that: above 1 it is. 0 of a quadratic energy. */
double lsdem_energy_beyond(const lsdem_energy *energy, size_t a, double amplitude);

/** Force over amplitude of mode a alone where it is known farthest, N/m; of a quadratic energy its stiffness. */
double lsdem_energy_secant(const lsdem_energy *energy, const lsdem_modal *modal, size_t a);

/** U, J, and its derivatives, N. @param amplitude,force [modal->count] */
double lsdem_energy_of(const lsdem_energy *energy, const lsdem_modal *modal, const double *amplitude);
void lsdem_energy_force(const lsdem_energy *energy, const lsdem_modal *modal, const double *amplitude, double *force);

/** The steepest stiffness there is, N/m, which a stable step has to follow. @param stiffness [modal->count][modal->count] by rows, written
 *  */
void lsdem_energy_steepest(const lsdem_energy *energy, const lsdem_modal *modal, double *stiffness);

/** F(eps), N, and U(eps), J, of a table that has points. */
double lsdem_table_force(const lsdem_energy *table, double amplitude);
double lsdem_table_energy(const lsdem_energy *table, double amplitude);

#endif
