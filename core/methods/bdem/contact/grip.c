/* Grips: spheres whose motion a part of the rig imposes.
 *
 * What a grip clamps moves and turns with it, as one rigid body; what it lets slide keeps its place along the axis only. The specimen's force on a
 * grip is what its spheres feel from all else, their weight included; their inertia is not in that force but in the grip's work. */
#include "base/memory.h"
#include "methods/bdem/contact/grip.h"

void bdem_parts_note_way(bdem_contacts *contacts, const part_motion *before)
{
  for (size_t p = 0; p < contacts->part_count; ++p)
    contacts->part_ways[p] = part_way_between(&contacts->rig[p], &before[p], &contacts->parts[p]);
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

scr_status bdem_grips_create(const bdem_contacts *contacts, bdem_body *body, bdem_rig *rig, scr_error *error)
{
  size_t count = 0;
  for (size_t p = 0; p < contacts->part_count; ++p)
    for (size_t i = 0; i < body->sphere_count; ++i) count += scr_part_holds(&contacts->rig[p], body->position[i]);
  if (count == 0) return SCR_OK;
  rig->gripped = mem_array(count, sizeof *rig->gripped);
  if (!rig->gripped) return scr_fail_memory(error, "the spheres in grips", count * sizeof *rig->gripped);
  for (size_t p = 0; p < contacts->part_count; ++p) {
    const scr_part *part = &contacts->rig[p];
    for (size_t i = 0; i < body->sphere_count; ++i) {
      if (!scr_part_holds(part, body->position[i])) continue;
      int axis = part->axis.x != 0 ? 0 : part->axis.y != 0 ? 1 : 2;
      body->held[i] = part->slide ? (uint8_t)(1 << axis) : BDEM_HELD_ALL;
      rig->gripped[rig->gripped_count++] = (bdem_gripped){.sphere = (uint32_t)i, .part = (uint32_t)p, .start = body->position[i]};
    }
  }
  return SCR_OK;
}

/* `value` along the components that a grip rules over, `rest` along the others. */
static scr_vec3 ruled(unsigned held, scr_vec3 value, scr_vec3 rest)
{
  return vec3(held & 1 ? value.x : rest.x, held & 2 ? value.y : rest.y, held & 4 ? value.z : rest.z);
}

/* Where a part takes a sphere that it clamps, and by what it turns it. */
static scr_vec3 place_of(const bdem_contacts *contacts, const bdem_gripped *g, const part_motion *part, scr_quat *turn)
{
  const scr_part *holder = &contacts->rig[g->part];
  *turn = quat_exp(vec3_scale(holder->axis, part->angle));
  if (!holder->turns) return vec3_add(g->start, vec3_sub(part->pose.position, holder->start));
  return vec3_add(part->pose.position, quat_rotate(*turn, vec3_sub(g->start, holder->start)));
}

void bdem_grips_place(const bdem_rig *rig, const bdem_contacts *contacts, bdem_body *body)
{
  for (size_t k = 0; k < rig->gripped_count; ++k) {
    const bdem_gripped *g = &rig->gripped[k];
    scr_quat turn;
    scr_vec3 place = place_of(contacts, g, &contacts->parts[g->part], &turn);
    body->position[g->sphere] = ruled(body->held[g->sphere], place, body->position[g->sphere]);
    if (contacts->rig[g->part].turns) body->orientation[g->sphere] = turn;
  }
}

/* Velocity of a sphere that a part clamps: its own now, or with `from` the mean one from there to here within dt. */
static scr_vec3 velocity_of(const bdem_contacts *contacts, const bdem_gripped *g, const part_motion *from, double dt)
{
  const part_motion *part = &contacts->parts[g->part];
  const scr_part *holder = &contacts->rig[g->part];
  scr_quat turn;
  if (!holder->turns) return from ? vec3_scale(vec3_sub(part->pose.position, from[g->part].pose.position), 1 / dt) : part->velocity;
  scr_vec3 place = place_of(contacts, g, part, &turn);
  if (from) return vec3_scale(vec3_sub(place, place_of(contacts, g, &from[g->part], &turn)), 1 / dt);
  return vec3_add(part->velocity, vec3_cross(part->spin, vec3_sub(place, part->pose.position)));
}

void bdem_grips_set_velocity(const bdem_rig *rig, const bdem_contacts *contacts, const part_motion *from, double dt, bdem_body *body)
{
  for (size_t k = 0; k < rig->gripped_count; ++k) {
    const bdem_gripped *g = &rig->gripped[k];
    unsigned held = body->held[g->sphere];
    const part_motion *part = &contacts->parts[g->part];
    scr_vec3 spin = from ? vec3_scale(contacts->rig[g->part].axis, (part->angle - from[g->part].angle) / dt) : part->spin;
    body->velocity[g->sphere] = ruled(held, velocity_of(contacts, g, from, dt), body->velocity[g->sphere]);
    body->spin[g->sphere] = ruled(held >> 3, spin, body->spin[g->sphere]);
  }
}

void bdem_grips_load(const bdem_model *model, const bdem_body *body, const bdem_total *total, const bdem_contacts *contacts, bdem_rig *rig)
{
  for (size_t k = 0; k < rig->gripped_count; ++k) {
    const bdem_gripped *g = &rig->gripped[k];
    unsigned held = body->held[g->sphere];
    const scr_vec3 none = vec3(0, 0, 0);
    scr_vec3 taken = ruled(held, vec3_add(total->force[g->sphere], model->load[g->sphere]), none);
    scr_vec3 arm = vec3_sub(body->position[g->sphere], contacts->parts[g->part].pose.position);
    part_load *load = &rig->load[g->part];
    load->force = vec3_add(load->force, taken);
    load->torque = vec3_add(load->torque, vec3_add(ruled(held >> 3, total->torque[g->sphere], none), vec3_cross(arm, taken)));
  }
}

static double moment_of_inertia(const bdem_body *body, size_t i)
{
  return 0.4 * body->mass[i] * body->radius[i] * body->radius[i];
}

double bdem_grips_kinetic(const bdem_rig *rig, const bdem_body *body)
{
  double sum = 0;
  for (size_t k = 0; k < rig->gripped_count; ++k) {
    size_t i = rig->gripped[k].sphere;
    scr_vec3 v = ruled(body->held[i], body->velocity[i], vec3(0, 0, 0)), w = ruled(body->held[i] >> 3, body->spin[i], vec3(0, 0, 0));
    sum += 0.5 * (body->mass[i] * vec3_dot(v, v) + moment_of_inertia(body, i) * vec3_dot(w, w));
  }
  return sum;
}

double bdem_grips_inertia_work(const bdem_rig *rig, const bdem_body *body, const bdem_start *start)
{
  double sum = 0;
  for (size_t k = 0; k < rig->gripped_count; ++k) {
    size_t i = rig->gripped[k].sphere;
    scr_vec3 v = body->velocity[i], change = ruled(body->held[i], vec3_sub(v, start->velocity[i]), vec3(0, 0, 0));
    scr_vec3 w = body->spin[i], turned = ruled(body->held[i] >> 3, vec3_sub(w, start->spin[i]), vec3(0, 0, 0));
    sum += body->mass[i] * vec3_dot(change, v) + moment_of_inertia(body, i) * vec3_dot(turned, w);
  }
  return sum;
}
