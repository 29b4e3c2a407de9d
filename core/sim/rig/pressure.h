/** Pressure on the flat parts of a rig, as it is and as an exponential moving average: curves of the shell for scenes that ask for them by
 *  output.pressure_time.
 *
 *      p = - force . normal / A        A: the part's rectangle at the start, normal: towards the specimens, so that pushing is positive
 *      a <- a + (1 - exp(-dt / T)) (p - a)        after every step of dt; T: output.pressure_time; a = p before the first
 *
 *  The average is of every step, not of samples, so that it does not depend on what is recorded. */
#ifndef SCREE_SIM_PRESSURE_H
#define SCREE_SIM_PRESSURE_H

#include "sim/method.h"

/** Declares NAME.pressure and NAME.pressure_average [Pa] of every part that has them; nothing where the scene does not ask. */
scr_status pressure_declare(scr_sim *sim, scr_error *error);

/** At t = 0, with the loads of then: averages begin there. */
void pressure_begin(scr_sim *sim);

/** After a step of dt, s: the averages follow. */
void pressure_step(scr_sim *sim, double dt);

/** Their values, in the order of declaration. values: [sim->pressure_series] */
void pressure_observe(const scr_sim *sim, double *values);

/** The averages. @return SCR_OK, SCR_NO_MEMORY; SCR_BAD_FILE: not of this scene */
scr_status pressure_save(const scr_sim *sim, scr_blob *blob, scr_error *error);
scr_status pressure_load(scr_sim *sim, scr_blob *blob, scr_error *error);

#endif
