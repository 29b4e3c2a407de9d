/* Stages of a part of an implicit step beside its solve: what is kept to undo it, what it did to the energy; and the checks of every step.
 */
#include "methods/bdem/contact/friction.h"
#include "methods/bdem/step/stages.h"

enum { SUM_PIECES = 64 /* of the spheres */ };

/* Speed of the rig below which it loads slowly, over a radius per stable step. */
static const double slow_loading = 1e-3;

/* Of what a fast part bears: a load that grows by more than that many times itself in one part of a step is a blow. */
static const double blow = 2.0;

bool bdem_loads_slowly(const bdem_model *model, double speed)
{
  return speed * model->stable_step < slow_loading * bdem_radius_extreme(model, false);
}

scr_status bdem_part_keep(const bdem_model *model, const bdem_body *body, bdem_contacts *contacts, bdem_start *start, scr_error *error)
{
  (void)model; /* read by the pragma only */
#pragma omp parallel for schedule(static) num_threads(model->execution.threads)
  for (size_t i = 0; i < body->sphere_count; ++i) {
    start->position[i] = body->position[i];
    start->velocity[i] = body->velocity[i];
    start->spin[i] = body->spin[i];
    start->orientation[i] = body->orientation[i];
  }
  return bdem_friction_keep(contacts, error);
}

void bdem_part_restore(const bdem_model *model, const bdem_start *start, bdem_body *body, bdem_contacts *contacts)
{
  (void)model; /* read by the pragma only */
#pragma omp parallel for schedule(static) num_threads(model->execution.threads)
  for (size_t i = 0; i < body->sphere_count; ++i) {
    body->position[i] = start->position[i];
    body->velocity[i] = start->velocity[i];
    body->spin[i] = start->spin[i];
    body->orientation[i] = start->orientation[i];
  }
  bdem_friction_restore(contacts);
}

double bdem_potential(const bdem_model *model, const bdem_body *body, const bdem_contacts *contacts, bdem_total *total)
{
  if (!total->elastic_known) total->elastic = bdem_bonds_energy(body, NULL, model->execution);
  total->elastic_known = true;
  return total->elastic + bdem_pairs_energy(contacts, body) + bdem_touches_energy(contacts, body) + bdem_pair_springs_energy(contacts) +
         bdem_touch_springs_energy(contacts);
}

/* Sums over spheres: kinetic energy of the change of velocity and its change, work of the forces by the velocities at the end, work of the
 * weight; J. */
typedef struct part_sums {
  double lost, kinetic, work, gravity;
} part_sums;

/* Of pieces of the spheres. */
static void add_part_sums(const void *user, size_t begin, size_t end, double *value)
{
  const bdem_solved_part *s = user;
  const bdem_body *body = s->body;
  part_sums sum = {0};
  for (size_t i = body->sphere_count * begin / SUM_PIECES; i < body->sphere_count * end / SUM_PIECES; ++i) {
    double inertia = 0.4 * body->mass[i] * body->radius[i] * body->radius[i];
    scr_vec3 v = vec3_sub(body->velocity[i], s->start->velocity[i]), w = vec3_sub(body->spin[i], s->start->spin[i]);
    sum.lost += 0.5 * (body->mass[i] * vec3_dot(v, v) + inertia * vec3_dot(w, w));
    sum.kinetic += body->mass[i] * vec3_dot(v, vec3_sub(body->velocity[i], vec3_scale(v, 0.5))) +
                   inertia * vec3_dot(w, vec3_sub(body->spin[i], vec3_scale(w, 0.5)));
    sum.work += s->dt * (vec3_dot(s->total->force[i], body->velocity[i]) + vec3_dot(s->total->torque[i], body->spin[i]));
    sum.gravity += vec3_dot(s->model->load[i], vec3_sub(body->position[i], s->start->position[i]));
  }
  value[0] += sum.lost, value[1] += sum.kinetic, value[2] += sum.work, value[3] += sum.gravity;
}

static part_sums sum_part(const bdem_solved_part *s)
{
  double sum[4] = {0};
  execution_sum(s->model->execution, SUM_PIECES, 1, 4, add_part_sums, s, sum);
  return (part_sums){.lost = sum[0], .kinetic = sum[1], .work = sum[2], .gravity = sum[3]};
}

/* Work of what a part bears along its displacement, J. */
static double part_work(const bdem_solved_part *s, size_t p, const part_load *load)
{
  const part_motion *now = &s->contacts->parts[p], *before = &s->before[p];
  return -vec3_dot(load->force, vec3_sub(now->pose.position, before->pose.position)) -
         (now->angle - before->angle) * vec3_dot(load->torque, s->contacts->rig[p].turn_axis);
}

/* What the parts' works by the load at the end exceed those by the mean of start and end by. */
static double loading_work(const bdem_solved_part *s)
{
  double sum = 0.0;
  for (size_t p = 0; p < s->contacts->part_count; ++p) {
    double at_start = part_work(s, p, &s->start->load[p]), more = part_work(s, p, &s->rig->load[p]) - at_start;
    if (fabs(more) <= blow * fabs(at_start) || bdem_loads_slowly(s->model, bdem_part_speed(s->contacts, s->body, p))) sum += 0.5 * more;
  }
  return sum;
}

/* How much of the lost energy an impact may have lost. */
static double lost_in_impact(const bdem_solved_part *s, double lost)
{
  const bdem_contacts *contacts = s->contacts;
  if ((lost == 0.0 && !(s->contact_damping > 0.0)) || (contacts->pair_count == 0 && contacts->touch_count == 0)) return 0.0;
  return fmin(fabs(lost) + s->contact_damping, bdem_impact_energy(s->body, contacts, s->start, s->before, s->dt));
}

/* What implicit Euler takes out is the kinetic energy of the change of velocity and the potential's excess over its tangent at the end:
 * 1/2 m |v1 - v0|^2 + V0 - V1 - grad V1 . (x0 - x1), the parts' ways included. The variational step should take out nothing: what it does
 * is an error. */
bdem_part_works bdem_part_measure(const bdem_solved_part *part)
{
  const bdem_contacts *contacts = part->contacts;
  part_sums sum = sum_part(part);
  double parts = 0.0, potential_after = bdem_potential(part->model, part->body, contacts, part->total);
  double grips = bdem_grips_inertia_work(part->rig, part->body, part->start);
  bool middle = part->model->options->integrator == BDEM_INTEGRATOR_VARIATIONAL;
  for (size_t p = 0; p < contacts->part_count; ++p) {
    double at_end = part_work(part, p, &part->rig->load[p]);
    *(bdem_is_grip(contacts, p) ? &grips : &parts) += middle ? 0.5 * (at_end + part_work(part, p, &part->start->load[p])) : at_end;
  }
  /* what grips move is among the spheres of `work` */
  bdem_part_works works = {.gravity = sum.gravity, .parts = parts + grips, .loading = loading_work(part)};
  if (part->model->options->integrator == BDEM_INTEGRATOR_IMPLICIT_EULER)
    works.lost = sum.lost + part->potential_before - potential_after - sum.work + parts - part->friction;
  else
    works.lost =
        works.gravity + works.parts - sum.kinetic - (potential_after - part->potential_before) - part->friction - part->contact_damping;
  works.impact = lost_in_impact(part, works.lost);
  works.impact_motion = fmin(works.impact, fabs(works.lost - works.loading) + part->contact_damping);
  return works;
}

/* ── what every step is checked for ─────────────────────────────────────────────────────────────────────────────── */

size_t bdem_first_not_finite(const bdem_model *model, const bdem_body *body)
{
  size_t first = SIZE_MAX;
  (void)model; /* read by the pragma only */
#pragma omp parallel for schedule(static) num_threads(model->execution.threads) reduction(min : first)
  for (size_t i = 0; i < body->sphere_count; ++i) {
    scr_vec3 sum = vec3_add(vec3_add(body->position[i], body->velocity[i]), body->spin[i]);
    if (!isfinite(sum.x + sum.y + sum.z + body->orientation[i].w) && i < first) first = i;
  }
  return first;
}

scr_status bdem_check_depth(const bdem_model *model, const bdem_body *body, const bdem_contacts *contacts, uint64_t step, double *deepest,
                            scr_error *error)
{
  for (size_t k = 0; k < contacts->touch_count; ++k) {
    scr_vec3 normal;
    const bdem_touch *touch = &contacts->touches[k];
    double overlap = bdem_touch_overlap(contacts, touch, body, &normal), radius = body->radius[touch->sphere];
    *deepest = fmax(*deepest, overlap / radius);
    if (overlap > 3 * radius)
      return scr_fail(error, SCR_DIVERGED, NULL,
                      "step %llu: sphere %u of grain %u is %.3g m behind %s, more than two radii of %.3g m; use slower loading or a larger "
                      "contact_stiffness_factor",
                      (unsigned long long)step, touch->sphere, model->grain_of[touch->sphere], overlap - radius,
                      contacts->rig[touch->part].label, radius);
  }
  return SCR_OK;
}
