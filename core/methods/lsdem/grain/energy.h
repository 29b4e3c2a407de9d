/** The elastic energy of a grain's modes: quadratic, or that of one mode from a table of its force.
 *
 *      quadratic: U = eps . K eps / 2, force K eps
 *      table:     F linear between the points, U its exact integral, so that the force is conservative; beyond the last point F goes on with the
 *                 last slope; F(-eps) = -F(eps) */
#ifndef SCREE_LSDEM_GRAIN_ENERGY_H
#define SCREE_LSDEM_GRAIN_ENERGY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "methods/lsdem/grain/mode.h"

enum { LSDEM_TABLE_LIMIT = 128, LSDEM_TABLE_TEXT = 4000 };

typedef struct lsdem_energy {
  size_t point_count;                  /**< 0: quadratic */
  double amplitude[LSDEM_TABLE_LIMIT]; /**< m, rising from 0 */
  double force[LSDEM_TABLE_LIMIT];     /**< N, not falling, from 0 */
  double energy[LSDEM_TABLE_LIMIT];    /**< J, up to each point */
} lsdem_energy;

/** Reads a table: pairs "eps force", m and N, divided by blanks, commas, semicolons or line ends; the first is "0 0".
 *  @param factor multiplies the forces: 1, or the number of walls whose single force the table gives
 *  @return SCR_OK; SCR_BAD_SCENE: fewer than 2 or more than LSDEM_TABLE_LIMIT points, numbers that are none, amplitudes that don't rise, a force that falls or
 *          is not 0 at 0 */
scr_status lsdem_energy_read(lsdem_energy *table, const char *text, double factor, scr_error *error);

/** U, J, and its derivatives, N. @param amplitude,force [modal->count] */
double lsdem_energy_of(const lsdem_energy *table, const lsdem_modal *modal, const double *amplitude);
void lsdem_energy_force(const lsdem_energy *table, const lsdem_modal *modal, const double *amplitude, double *force);

/** Steepest slope of the table, N/m: what a stable step has to follow; of the quadratic energy 0. */
double lsdem_energy_slope(const lsdem_energy *table);

/** F(eps), N, and U(eps), J, of a table that has points. */
double lsdem_table_force(const lsdem_energy *table, double amplitude);
double lsdem_table_energy(const lsdem_energy *table, double amplitude);

#endif
