/* The rig's parts: how far and how fast they go; and grips, spheres whose motion a part imposes.
 *
 * What a grip clamps moves and turns with it, as one rigid body; what it lets slide keeps its place along the axis only. The specimen's
 * force on a grip is what its spheres feel from all else, their weight included; their inertia is not in that force but in the grip's work.
 * */
#include "methods/bdem/contact/grip.h"

void bdem_parts_record_displacement(bdem_contacts *contacts, const part_motion *before)
{
  for (size_t p = 0; p < contacts->part_count; ++p)
    contacts->part_displacements[p] = part_displacement_between(&contacts->rig[p], &before[p], &contacts->parts[p]);
}

double bdem_part_span(const bdem_contacts *contacts, const bdem_body *body, size_t p)
{
  if (isfinite(contacts->rig[p].extent)) return contacts->rig[p].extent;
  scr_vec3 middle = contacts->parts[p].pose.position;
  double farthest = 0.0;
#pragma omp parallel for schedule(static) num_threads(contacts->execution.threads)                                                         \
    reduction(max                                                                                                                          \
              : farthest) if (bdem_contacts_are_many(contacts))
  for (size_t i = 0; i < body->sphere_count; ++i)
    farthest = fmax(farthest, vec3_length(vec3_sub(body->position[i], middle)) + body->radius[i]);
  return farthest;
}

double bdem_part_travel(const bdem_contacts *contacts, const bdem_body *body, size_t p, const part_motion *before)
{
  const scr_part *rig = &contacts->rig[p];
  return part_travel(rig, before, &contacts->parts[p], rig->pivots ? bdem_part_span(contacts, body, p) : 0.0);
}

double bdem_part_speed(const bdem_contacts *contacts, const bdem_body *body, size_t p)
{
  const part_motion *part = &contacts->parts[p];
  double speed = vec3_length(part->velocity);
  return contacts->rig[p].turns ? speed + vec3_length(part->spin) * bdem_part_span(contacts, body, p) : speed;
}

bool bdem_is_grip(const bdem_contacts *contacts, size_t p)
{
  return contacts->rig[p].kind == SCR_PART_GRIP;
}

void bdem_tabs_mark(const bdem_contacts *contacts, const bdem_body *body, double length, uint8_t *tabbed)
{
  for (size_t p = 0; p < contacts->part_count; ++p) {
    const scr_part *part = &contacts->rig[p];
    if (part->kind != SCR_PART_GRIP) continue;
    for (size_t i = 0; i < body->sphere_count; ++i)
      if (vec3_dot(vec3_sub(body->position[i], part->start), part->normal) <= length) tabbed[i] = 1;
  }
}

static scr_vec3 sphere_place(const void *body, size_t i)
{
  return ((const bdem_body *)body)->position[i];
}

scr_status bdem_grips_create(const bdem_contacts *contacts, bdem_body *body, bdem_rig *rig, scr_error *error)
{
  SCR_TRY(grips_create(&rig->grips, contacts->all, body->sphere_count, sphere_place, body, error));
  for (size_t k = 0; k < rig->grips.count; ++k) {
    const grip_held *g = &rig->grips.held[k];
    body->held[g->element] = grip_rules(&contacts->rig[g->part]);
  }
  return SCR_OK;
}

void bdem_grips_place(const bdem_rig *rig, const bdem_contacts *contacts, bdem_body *body)
{
  for (size_t k = 0; k < rig->grips.count; ++k) {
    const grip_held *g = &rig->grips.held[k];
    scr_quat turn;
    scr_vec3 place = grip_place(&contacts->rig[g->part], &contacts->parts[g->part], g->start, &turn);
    body->position[g->element] = grip_ruled(body->held[g->element], place, body->position[g->element]);
    if (contacts->rig[g->part].turns) body->orientation[g->element] = turn;
  }
}

void bdem_grips_set_velocity(const bdem_rig *rig, const bdem_contacts *contacts, const part_motion *from, double dt, bdem_body *body)
{
  for (size_t k = 0; k < rig->grips.count; ++k) {
    const grip_held *g = &rig->grips.held[k];
    unsigned held = body->held[g->element];
    const scr_part *form = &contacts->rig[g->part];
    const part_motion *part = &contacts->parts[g->part], *before = from ? &from[g->part] : NULL;
    scr_vec3 velocity = grip_velocity(form, part, before, dt, g->start);
    scr_vec3 spin = before ? vec3_scale(form->axis, (part->angle - before->angle) / dt) : part->spin;
    body->velocity[g->element] = grip_ruled(held, velocity, body->velocity[g->element]);
    body->spin[g->element] = grip_ruled(held >> 3, spin, body->spin[g->element]);
  }
}

void bdem_grips_load(const bdem_model *model, const bdem_body *body, const bdem_total *total, const bdem_contacts *contacts, bdem_rig *rig)
{
  for (size_t k = 0; k < rig->grips.count; ++k) {
    const grip_held *g = &rig->grips.held[k];
    unsigned held = body->held[g->element];
    const scr_vec3 none = vec3(0, 0, 0);
    scr_vec3 taken = grip_ruled(held, vec3_add(total->force[g->element], model->load[g->element]), none);
    scr_vec3 arm = vec3_sub(body->position[g->element], contacts->parts[g->part].pose.position);
    part_load *load = &rig->load[g->part];
    load->force = vec3_add(load->force, taken);
    load->torque = vec3_add(load->torque, vec3_add(grip_ruled(held >> 3, total->torque[g->element], none), vec3_cross(arm, taken)));
  }
}

static double moment_of_inertia(const bdem_body *body, size_t i)
{
  return 0.4 * body->mass[i] * body->radius[i] * body->radius[i];
}

double bdem_grips_kinetic(const bdem_rig *rig, const bdem_body *body)
{
  double sum = 0;
  for (size_t k = 0; k < rig->grips.count; ++k) {
    size_t i = rig->grips.held[k].element;
    scr_vec3 v = grip_ruled(body->held[i], body->velocity[i], vec3(0, 0, 0)),
             w = grip_ruled(body->held[i] >> 3, body->spin[i], vec3(0, 0, 0));
    sum += 0.5 * (body->mass[i] * vec3_dot(v, v) + moment_of_inertia(body, i) * vec3_dot(w, w));
  }
  return sum;
}

double bdem_grips_inertia_work(const bdem_rig *rig, const bdem_body *body, const bdem_start *start)
{
  double sum = 0;
  for (size_t k = 0; k < rig->grips.count; ++k) {
    size_t i = rig->grips.held[k].element;
    scr_vec3 v = body->velocity[i], change = grip_ruled(body->held[i], vec3_sub(v, start->velocity[i]), vec3(0, 0, 0));
    scr_vec3 w = body->spin[i], turned = grip_ruled(body->held[i] >> 3, vec3_sub(w, start->spin[i]), vec3(0, 0, 0));
    sum += body->mass[i] * vec3_dot(change, v) + moment_of_inertia(body, i) * vec3_dot(turned, w);
  }
  return sum;
}
