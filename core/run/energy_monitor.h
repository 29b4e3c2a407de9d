/** Watches the energies that a run reports: their balance, and that nothing dissipated comes back.
 *
 *  Knows no method: it goes by the curve `energy.balance_error` (the energy not accounted for, as a part of the largest seen so far), by
 *  the unit J, by the curve `energy.fracture`, and by what was declared with scr_sim_declare_dissipation. Judged at every sample, so by the
 *  step's number alone. */
#ifndef SCREE_RUN_ENERGY_MONITOR_H
#define SCREE_RUN_ENERGY_MONITOR_H

#include "sim/method.h"

typedef struct energy_monitor {
  long balance;      /**< index of `energy.balance_error`; -1: not reported */
  double worst;      /**< largest magnitude of it so far */
  long fracture;     /**< index of `energy.fracture`; -1: not reported */
  double torn;       /**< J, largest value of it so far, 0 at least */
  double returned;   /**< J, by how much it lay below that at most */
  double scale;      /**< J, largest magnitude of any energy so far */
  size_t peak_count; /**< the simulation's dissipation_count */
  double *peaks;     /**< [peak_count] J, largest value of each dissipation so far; owned */
} energy_monitor;

/** Starts watching a simulation at its beginning. @return SCR_OK, SCR_NO_MEMORY */
scr_status energy_monitor_create(const scr_sim *sim, energy_monitor *watch, scr_error *error);
void energy_monitor_clear(energy_monitor *watch);

/** Takes one sample. Raises the doubt `energy_balance` when the balance is off by more than 1 %, `energy_from_fracture` when breaking has
 *  given back more than 0.1 % of the largest energy.
 *  @param values [series_count], finite    @return SCR_OK; SCR_DIVERGED when dissipated energy came back */
scr_status energy_monitor_sample(energy_monitor *watch, scr_sim *sim, const double *values, scr_error *error);

/** Part of a checkpoint; load goes into a watch created for the same simulation. */
scr_status energy_monitor_save(const energy_monitor *watch, scr_blob *blob, scr_error *error);
scr_status energy_monitor_load(energy_monitor *watch, scr_blob *blob, scr_error *error);

#endif
