/** What a run of granular shows. */
#ifndef SCREE_GRANULAR_VIEW_H
#define SCREE_GRANULAR_VIEW_H

#include "methods/granular/law/inertial.h"
#include "methods/granular/state/state.h"

enum { GRANULAR_CURVES = 46, GRANULAR_FLUID_CURVES = 10 /* the last ones */ };
extern const scr_series granular_curves[GRANULAR_CURVES];
/** Whether a run with these options reports a curve: those of the fluid only where there is one. */
bool granular_reports(const void *options, const char *curve);

/** Declares curves, headlines and drawables. */
scr_status granular_declare(scr_sim *sim, scr_error *error);

/** Shear rate of a point, 2 |Dev D| with |T| = sqrt(T:T/2), 1/s. */
static inline double granular_shear_rate(const granular_state *s, const granular_point *p)
{
  double rate[GRANULAR_TENSOR] = {0};
  granular_point_strain(s->d, p, rate);
  return tensor_deviator(s->d, rate);
}
/** Inertial number of a point that is sheared at `rate`, 1; 0 without pressure or grains. */
static inline double granular_inertial_number(const granular_state *s, const granular_point *p, double rate)
{
  const granular_material *m = scr_scene_material(s->scene, p->material);
  return isnan(m->grain_diameter) || !(p->pressure > 0) ? 0 : inertial_number(rate, p->pressure, m->grain_diameter, m->density);
}

/** Declares and draws the cells with sand. */
scr_status granular_declare_cells(scr_sim *sim, scr_error *error);
scr_status granular_draw_cells(granular_state *state, scr_frame *frame, scr_error *error);
/** Declares, fills and draws what scenes with a fluid show besides. @param values of its curves */
scr_status granular_declare_fluid(scr_sim *sim, scr_error *error);
void granular_observe_fluid(const granular_state *state, double *values);
scr_status granular_draw_fluid(granular_state *state, scr_frame *frame, scr_error *error);
void granular_observe(const scr_sim *sim, double *values);
void granular_energies(const scr_sim *sim, sim_energies *now);
scr_status granular_draw(const scr_sim *sim, scr_frame *frame, scr_error *error);

/** Fields of a drawn point, for estimates of recordings. */
enum { GRANULAR_DRAWN_BYTES = 3 * 2 + 6 * 2 + 4 };

#endif
