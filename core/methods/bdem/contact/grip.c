/* Grips: spheres whose motion a part of the rig imposes.
 *
 * What a grip clamps moves and turns with it, as one rigid body; what it lets slide keeps its place along the axis only. The specimen's force on a
 * grip is what its spheres feel from all else, their weight included; their inertia is not in that force but in the grip's work. */
#include "base/memory.h"
#include "methods/bdem/state.h"

bool bdem_is_grip(const bdem_state *s, size_t p)
{
  return s->contacts.rig[p].kind == SCR_PART_GRIP;
}

/* Tabs reach as far into the specimen as the option says, from the face of their grip. */
static scr_status mark_tabbed(bdem_state *s, scr_error *error)
{
  const bdem_body *body = &s->body;
  if (!(s->options->tab_length > 0)) return SCR_OK;
  s->tabbed = mem_array(body->sphere_count, sizeof *s->tabbed);
  if (!s->tabbed) return scr_fail_memory(error, "the spheres under tabs", body->sphere_count * sizeof *s->tabbed);
  for (size_t p = 0; p < s->contacts.part_count; ++p) {
    const scr_part *part = &s->contacts.rig[p];
    if (part->kind != SCR_PART_GRIP) continue;
    for (size_t i = 0; i < body->sphere_count; ++i)
      if (vec3_dot(vec3_sub(body->position[i], part->start), part->normal) <= s->options->tab_length) s->tabbed[i] = 1;
  }
  return SCR_OK;
}

scr_status bdem_grips_create(bdem_state *s, scr_error *error)
{
  size_t count = 0;
  bdem_body *body = &s->body;
  SCR_TRY(mark_tabbed(s, error));
  for (size_t p = 0; p < s->contacts.part_count; ++p)
    for (size_t i = 0; i < body->sphere_count; ++i) count += scr_part_holds(&s->contacts.rig[p], body->position[i]);
  if (count == 0) return SCR_OK;
  s->gripped = mem_array(count, sizeof *s->gripped);
  if (!s->gripped) return scr_fail_memory(error, "the spheres in grips", count * sizeof *s->gripped);
  for (size_t p = 0; p < s->contacts.part_count; ++p) {
    const scr_part *part = &s->contacts.rig[p];
    for (size_t i = 0; i < body->sphere_count; ++i) {
      if (!scr_part_holds(part, body->position[i])) continue;
      int axis = part->axis.x != 0 ? 0 : part->axis.y != 0 ? 1 : 2;
      body->held[i] = part->slide ? (uint8_t)(1 << axis) : BDEM_HELD_ALL;
      s->gripped[s->gripped_count++] = (bdem_gripped){.sphere = (uint32_t)i, .part = (uint32_t)p, .start = body->position[i]};
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
static scr_vec3 place_of(const bdem_state *s, const bdem_gripped *g, const bdem_part *part, scr_quat *turn)
{
  const scr_part *rig = &s->contacts.rig[g->part];
  *turn = quat_exp(vec3_scale(rig->axis, part->angle));
  if (!rig->turn) return vec3_add(g->start, vec3_sub(part->position, rig->start));
  return vec3_add(part->position, quat_rotate(*turn, vec3_sub(g->start, rig->start)));
}

void bdem_grips_place(bdem_state *s)
{
  bdem_body *body = &s->body;
  for (size_t k = 0; k < s->gripped_count; ++k) {
    const bdem_gripped *g = &s->gripped[k];
    scr_quat turn;
    scr_vec3 place = place_of(s, g, &s->contacts.parts[g->part], &turn);
    body->position[g->sphere] = ruled(body->held[g->sphere], place, body->position[g->sphere]);
    if (s->contacts.rig[g->part].turn) body->orientation[g->sphere] = turn;
  }
}

/* Velocity of a sphere that a part clamps: its own now, or with `from` the mean one from there to here within dt. */
static scr_vec3 velocity_of(const bdem_state *s, const bdem_gripped *g, const bdem_part *from, double dt)
{
  const bdem_part *part = &s->contacts.parts[g->part];
  const scr_part *rig = &s->contacts.rig[g->part];
  scr_quat turn;
  if (!rig->turn) return from ? vec3_scale(vec3_sub(part->position, from[g->part].position), 1 / dt) : part->velocity;
  scr_vec3 place = place_of(s, g, part, &turn);
  if (from) return vec3_scale(vec3_sub(place, place_of(s, g, &from[g->part], &turn)), 1 / dt);
  return vec3_add(part->velocity, vec3_cross(vec3_scale(rig->axis, part->spin), vec3_sub(place, part->position)));
}

void bdem_grips_set_velocity(bdem_state *s, const bdem_part *from, double dt)
{
  bdem_body *body = &s->body;
  for (size_t k = 0; k < s->gripped_count; ++k) {
    const bdem_gripped *g = &s->gripped[k];
    unsigned held = body->held[g->sphere];
    const bdem_part *part = &s->contacts.parts[g->part];
    double spin = from ? (part->angle - from[g->part].angle) / dt : part->spin;
    body->velocity[g->sphere] = ruled(held, velocity_of(s, g, from, dt), body->velocity[g->sphere]);
    body->spin[g->sphere] = ruled(held >> 3, vec3_scale(s->contacts.rig[g->part].axis, spin), body->spin[g->sphere]);
  }
}

void bdem_grips_load(bdem_state *s)
{
  const bdem_body *body = &s->body;
  for (size_t k = 0; k < s->gripped_count; ++k) {
    const bdem_gripped *g = &s->gripped[k];
    unsigned held = body->held[g->sphere];
    const scr_vec3 none = vec3(0, 0, 0);
    scr_vec3 taken = ruled(held, vec3_add(s->force[g->sphere], s->load[g->sphere]), none);
    scr_vec3 arm = vec3_sub(body->position[g->sphere], s->contacts.parts[g->part].position);
    s->part_force[g->part] = vec3_add(s->part_force[g->part], taken);
    s->part_torque[g->part] =
        vec3_add(s->part_torque[g->part], vec3_add(ruled(held >> 3, s->torque[g->sphere], none), vec3_cross(arm, taken)));
  }
}

static double moment_of_inertia(const bdem_body *body, size_t i)
{
  return 0.4 * body->mass[i] * body->radius[i] * body->radius[i];
}

double bdem_grips_kinetic(const bdem_state *s)
{
  double sum = 0;
  for (size_t k = 0; k < s->gripped_count; ++k) {
    size_t i = s->gripped[k].sphere;
    scr_vec3 v = ruled(s->body.held[i], s->body.velocity[i], vec3(0, 0, 0)),
             w = ruled(s->body.held[i] >> 3, s->body.spin[i], vec3(0, 0, 0));
    sum += 0.5 * (s->body.mass[i] * vec3_dot(v, v) + moment_of_inertia(&s->body, i) * vec3_dot(w, w));
  }
  return sum;
}

double bdem_grips_inertia_work(const bdem_state *s)
{
  double sum = 0;
  for (size_t k = 0; k < s->gripped_count; ++k) {
    size_t i = s->gripped[k].sphere;
    scr_vec3 v = s->body.velocity[i], change = ruled(s->body.held[i], vec3_sub(v, s->kept_vectors[1][i]), vec3(0, 0, 0));
    scr_vec3 w = s->body.spin[i], turned = ruled(s->body.held[i] >> 3, vec3_sub(w, s->kept_vectors[2][i]), vec3(0, 0, 0));
    sum += s->body.mass[i] * vec3_dot(change, v) + moment_of_inertia(&s->body, i) * vec3_dot(turned, w);
  }
  return sum;
}
