/** The tables of a run. Their first rows are events on its timeline: `first_impact` (`impact_above_cfl_1` where the step's metric may add
 *  energy) and `clamped_tangents`. */
#ifndef SCREE_METHODS_FEM_TABLES_H
#define SCREE_METHODS_FEM_TABLES_H

#include "sim/method.h"

struct fem_state;

/** Numbers of the tables. */
typedef struct fem_tables {
  size_t impacts; /**< change of kinetic energy of every projection */
  size_t clamped; /**< steps whose matrix was not positive definite; static loading's at time 0 */
  size_t meshes;  /**< a row a specimen */
} fem_tables;

/** Declares them, in create. */
scr_status fem_declare_tables(scr_sim *sim, scr_error *error);

/** The rows that are known before the first step: of meshes and of static loading. To be called in that step: rows of create would be lost.
 *  */
scr_status fem_tabulate_start(scr_sim *sim, scr_error *error);
/** A row where `count`, of factorisations, is not 0.  @param time s */
scr_status fem_tabulate_clamped(scr_sim *sim, double time, unsigned count, scr_error *error);
/** A row where `energy`, J, is not 0. */
scr_status fem_tabulate_impact(scr_sim *sim, unsigned contacts, double energy, scr_error *error);

/** s, that a wave needs through the shortest edge of all bodies: the least of edges over speeds of pressure waves. */
double fem_wave_time(const struct fem_state *state);

#endif
