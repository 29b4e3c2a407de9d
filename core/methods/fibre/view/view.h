/** What a run shows: curves, headlines, threads. */
#ifndef SCREE_FIBRE_VIEW_H
#define SCREE_FIBRE_VIEW_H

#include "methods/fibre/state/state.h"

/** Declares curves, headlines and drawables. */
scr_status fibre_declare(scr_sim *sim, scr_error *error);
void fibre_observe(const scr_sim *sim, double *values);
void fibre_energies_of(const scr_sim *sim, sim_energies *now);
scr_status fibre_draw(const scr_sim *sim, scr_frame *frame, scr_error *error);

/** What a fibre does to what holds its start: force, N, and torque about the last held node, N m; zero where nothing holds it. */
void fibre_start_load(const fibre_state *state, const fibre *f, scr_vec3 *force, scr_vec3 *torque);

/** Numbers that every node of a thread takes in a frame: places, radius, tension, curvature, twist, load of contacts. */
enum { FIBRE_THREAD_COMPONENTS = 8 };

#endif
