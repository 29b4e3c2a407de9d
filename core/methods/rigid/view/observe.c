/* Curves, tables, headlines. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "methods/rigid/step/sleep.h"
#include "methods/rigid/view/profile.h"
#include "sim/fabric.h"

static scr_status declare_tables(scr_sim *sim, scr_error *error)
{
  rigid_state *s = sim->state;
  scr_column unsolved[] = {
      {.name = "time", .unit = "s", .label = "Time"},
      {.name = "step", .unit = "1", .label = "Step"},
      {.name = "residual", .unit = "1", .label = "Relative residual that was left"},
      {.name = "iterations", .unit = "1", .label = "Iterations done"},
      {.name = "contacts", .unit = "1", .label = "Contacts of the step"},
  };
  scr_column contacts[] = {
      {.name = "time", .unit = "s", .label = "Time"},
      {.name = "a", .unit = "1", .label = "Number of the first body"},
      {.name = "b", .unit = "1", .label = "Number of the second body; none: a part of the rig"},
      {.name = "part", .unit = "1", .label = "Number of the part; none: a body"},
      {.name = "state", .unit = "1", .label = "What it does", .value_count = 2, .values = {"sticking", "sliding"}},
      {.name = "x", .unit = "m", .label = "Place, x"},
      {.name = "y", .unit = "m", .label = "Place, y"},
      {.name = "z", .unit = "m", .label = "Place, z"},
      {.name = "normal_x", .unit = "1", .label = "Normal towards the first body, x"},
      {.name = "normal_y", .unit = "1", .label = "Normal, y"},
      {.name = "normal_z", .unit = "1", .label = "Normal, z"},
      {.name = "force_x", .unit = "N", .label = "Force on the first body, x"},
      {.name = "force_y", .unit = "N", .label = "Force on the first body, y"},
      {.name = "force_z", .unit = "N", .label = "Force on the first body, z"},
  };
  scr_column profile[] = {
      {.name = "time", .unit = "s", .label = "Time"},
      {.name = "layer", .unit = "1", .label = "Layer, from the lowest on"},
      {.name = "from", .unit = "m", .label = "Where the layer begins, along the axis"},
      {.name = "to", .unit = "m", .label = "Where it ends"},
      {.name = "porosity", .unit = "1", .label = "Share of voids in the layer"},
  };
  const scr_table of_layers = {
      .name = "porosity", .label = "Porosity of layers of the box around all bodies", .column_count = 5, .columns = profile};
  const scr_table of_unsolved = {
      .name = "unsolved_steps", .label = "Steps not solved to the tolerance", .column_count = 5, .columns = unsolved};
  const scr_table of_contacts = {.name = "contacts", .label = "Contacts that carry a force", .column_count = 14, .columns = contacts};
  s->unsolved_table = sim->table_count;
  SCR_TRY(scr_sim_declare_table(sim, &of_unsolved, error));
  SCR_TRY(scr_sim_announce_table(sim, s->unsolved_table, "first_unsolved_step", "first steps were not solved to the tolerance", error));
  s->contacts_table = sim->table_count;
  if (s->options->contact_table) SCR_TRY(scr_sim_declare_table(sim, &of_contacts, error));
  s->porosity_table = sim->table_count;
  return s->options->porosity_layers > 0 ? scr_sim_declare_table(sim, &of_layers, error) : SCR_OK;
}

scr_status rigid_declare(scr_sim *sim, scr_error *error)
{
  SCR_TRY(scr_sim_declare_curves(sim, error));
  SCR_TRY(declare_tables(sim, error));
  SCR_TRY(scr_sim_declare_headline(sim, "contacts", "Contacts", HEADLINE_NEWEST, error));
  SCR_TRY(scr_sim_declare_headline(sim, "speed", "Largest speed", HEADLINE_NEWEST, error));
  return scr_sim_declare_headline(sim, "unsolved_steps", "Unsolved steps", HEADLINE_NEWEST, error);
}

/* ── what is measured ───────────────────────────────────────────────────────────────────────────────────────────── */

/* Sums over the contacts that carry a force. */
typedef struct contact_sums {
  double loaded, leaning;      /* contacts; ends of them at bodies, those of two bodies counted once */
  double stress[6], fabric[6]; /* xx yy zz xy yz zx: J; 1 */
} contact_sums;

static contact_sums sum_contacts(const rigid_state *s, double dt)
{
  contact_sums sums = {0};
  uint64_t before = UINT64_MAX;
  for (size_t k = 0; k < s->contact_count; k++) {
    const rigid_contact *c = &s->contacts[k];
    uint64_t pair = (uint64_t)c->touch.a << 32 | c->touch.b;
    bool two = c->touch.b < s->specimen_bodies;
    if (c->state == RIGID_OPEN) continue;
    sums.loaded++;
    if (pair != before) sums.leaning += two ? 2 : 1;
    before = pair;
    scr_vec3 branch = vec3_sub(s->bodies[c->touch.a].centre, two ? s->bodies[c->touch.b].centre : c->touch.point);
    fabric_add(sums.stress, vec3_scale(rigid_impulse(c), 1 / dt), branch);
    fabric_add(sums.fabric, c->touch.normal, c->touch.normal);
  }
  return sums;
}

/* Angle between the first body's own z axis, as its shape is given, and the vertical. */
static double tilt_of(const rigid_state *s)
{
  scr_quat turn = quat_multiply(s->bodies[0].attitude, quat_conjugate(s->shapes[s->bodies[0].shape].unit.axes));
  scr_vec3 z = quat_rotate(turn, vec3(0, 0, 1));
  return atan2(hypot(z.x, z.y), z.z);
}

typedef struct body_sums {
  double mass, fastest;
  scr_vec3 centroid, momentum;
} body_sums;

static body_sums sum_bodies(const rigid_state *s)
{
  body_sums sums = {0};
  for (size_t i = 0; i < s->specimen_bodies; i++) {
    const rigid_body *body = &s->bodies[i];
    sums.mass += body->mass;
    sums.fastest = fmax(sums.fastest, vec3_length(body->velocity));
    sums.centroid = vec3_along(sums.centroid, body->centre, body->mass);
    sums.momentum = vec3_along(sums.momentum, body->velocity, body->mass);
  }
  sums.centroid = vec3_scale(sums.centroid, 1 / sums.mass);
  return sums;
}

/* How far bodies have got: as one would see of sand. */
typedef struct spread {
  double height, front, discharge;
} spread;

enum { SPREAD_COLUMNS = 1024 };

/* End of the columns along x that are half a layer deep, from the fullest on, m. A body of mean volume counts as a ball as wide. */
static double front_of(const rigid_state *s, const geo_box *box)
{
  uint32_t count[SPREAD_COLUMNS] = {0};
  double end[SPREAD_COLUMNS] = {0}, length = box->high.x - box->low.x, deep = box->high.y - box->low.y;
  double diameter = cbrt(6 * s->solid_volume / (M_PI * (double)s->specimen_bodies)), wide = fmax(2 * diameter, length / SPREAD_COLUMNS);
  double least = 0.5 * wide / diameter * fmax(1, round(deep / diameter)), front = box->low.x;
  for (size_t i = 0; i < s->specimen_bodies; i++) {
    const rigid_body *body = &s->bodies[i];
    size_t column = (size_t)fmin(fmax((body->centre.x - box->low.x) / wide, 0), SPREAD_COLUMNS - 1);
    double reach = body->centre.x + s->shapes[body->shape].extent * body->scale;
    end[column] = count[column]++ == 0 ? reach : fmax(end[column], reach);
  }
  size_t k = 0;
  for (size_t column = 1; column < SPREAD_COLUMNS; column++)
    if (count[column] > count[k]) k = column;
  for (; k < SPREAD_COLUMNS && count[k] >= least; k++) front = end[k];
  return front;
}

static spread spread_of(const rigid_state *s, const geo_box *box)
{
  spread found = {.height = -INFINITY, .front = front_of(s, box)};
  for (size_t i = 0; i < s->specimen_bodies; i++) {
    const rigid_body *body = &s->bodies[i];
    found.height = fmax(found.height, body->centre.z + s->shapes[body->shape].extent * body->scale);
    if (body->centre.z < s->options->discharge_level) found.discharge += body->mass;
  }
  return found;
}

/* Right-handed about the axis of the first part that is turned, from what is straight below it to the centre of mass; 0: nothing is turned,
 * or there is no below. A bed with a plane surface in a round drum has its centre of mass straight under the middle of the surface, along
 * the surface's normal. */
static double slope_of(const rigid_state *s, const sim_parts *parts, scr_vec3 centroid)
{
  for (size_t p = 0; p < parts->count; p++) {
    const scr_part *form = &parts->form[p];
    if (form->is_free || !form->turn || form->turn->segment_count == 0) continue;
    scr_vec3 down = s->scene->rig.gravity, arm = vec3_sub(centroid, parts->now[p].pose.position);
    down = vec3_along(down, form->turn_axis, -vec3_dot(down, form->turn_axis));
    arm = vec3_along(arm, form->turn_axis, -vec3_dot(arm, form->turn_axis));
    return atan2(vec3_dot(form->turn_axis, vec3_cross(down, arm)), vec3_dot(down, arm));
  }
  return 0;
}

void rigid_energies(const scr_sim *sim, sim_energies *now)
{
  now->kinetic = rigid_kinetic(sim->state);
}

void rigid_observe(const scr_sim *sim, double *values)
{
  rigid_state *s = sim->state;
  const rigid_body *first = &s->bodies[0];
  body_sums bodies = sum_bodies(s);
  contact_sums sums = sum_contacts(s, s->contact_time);
  scr_vec3 own = quat_rotate(quat_conjugate(first->attitude), first->momentum); /* the spin of the end of the step, not of its middle */
  own = vec3(own.x / first->moments.x, own.y / first->moments.y, own.z / first->moments.z);
  geo_box box = rigid_bed_box(s);
  spread lie = spread_of(s, &box);
  scr_vec3 edge = vec3_sub(box.high, box.low);
  double volume = edge.x * edge.y * edge.z, per = sums.loaded > 0 ? 1 / sums.loaded : 0;
  const double rest[] = {sums.loaded,
                         (double)s->report.sticking,
                         (double)s->report.sliding,
                         sums.leaning / (double)s->specimen_bodies,
                         1 - s->solid_volume / volume,
                         s->report.penetration,
                         bodies.fastest,
                         bodies.centroid.x,
                         bodies.centroid.y,
                         bodies.centroid.z,
                         first->centre.x,
                         first->centre.y,
                         first->centre.z,
                         first->velocity.x,
                         first->velocity.y,
                         first->velocity.z,
                         own.x,
                         own.y,
                         own.z,
                         tilt_of(s),
                         sums.stress[0] / volume,
                         sums.stress[1] / volume,
                         sums.stress[2] / volume,
                         sums.stress[3] / volume,
                         sums.stress[4] / volume,
                         sums.stress[5] / volume,
                         sums.fabric[0] * per,
                         sums.fabric[1] * per,
                         sums.fabric[2] * per,
                         sums.fabric[3] * per,
                         sums.fabric[4] * per,
                         sums.fabric[5] * per,
                         s->report.residual,
                         (double)s->report.iterations,
                         (double)s->report.unsolved,
                         (double)s->report.pack,
                         s->report.pack ? s->report.left : 0,
                         (double)s->report.above,
                         (double)rigid_count_asleep(s),
                         vec3_length(bodies.momentum),
                         lie.height,
                         lie.front,
                         lie.discharge,
                         slope_of(s, &sim->parts, bodies.centroid)};
  memcpy(values + 1, rest, sizeof rest);
}

static scr_status tabulate_layers(scr_sim *sim, scr_error *error)
{
  const rigid_state *s = sim->state;
  double porosity[RIGID_LAYER_LIMIT], low, thickness;
  size_t layers = (size_t)s->options->porosity_layers;
  if (layers == 0 || s->specimen_bodies == 0) return SCR_OK;
  rigid_porosity(s, s->options->porosity_axis, layers, &low, &thickness, porosity);
  for (size_t k = 0; k < layers; k++) {
    const double row[] = {sim->time, (double)k, low + (double)k * thickness, low + (double)(k + 1) * thickness, porosity[k]};
    SCR_TRY(scr_sim_add_row(sim, s->porosity_table, row, error));
  }
  return SCR_OK;
}

scr_status rigid_tabulate(scr_sim *sim, scr_error *error)
{
  const rigid_state *s = sim->state;
  SCR_TRY(tabulate_layers(sim, error));
  for (size_t k = 0; k < s->contact_count && s->options->contact_table; k++) {
    const rigid_contact *c = &s->contacts[k];
    if (c->state == RIGID_OPEN) continue;
    bool body = c->touch.b < s->body_count;
    scr_vec3 force = vec3_scale(rigid_impulse(c), 1 / s->contact_time), n = c->touch.normal, p = c->touch.point;
    const double row[] = {sim->time,
                          c->touch.a,
                          body ? c->touch.b : (double)NAN,
                          body ? (double)NAN : (double)(c->touch.b - s->body_count),
                          c->state == RIGID_SLIDING,
                          p.x,
                          p.y,
                          p.z,
                          n.x,
                          n.y,
                          n.z,
                          force.x,
                          force.y,
                          force.z};
    SCR_TRY(scr_sim_add_row(sim, s->contacts_table, row, error));
  }
  return SCR_OK;
}
