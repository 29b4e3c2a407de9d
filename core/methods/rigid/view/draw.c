/* Pictures: bodies as instances of their shapes, contacts as points, force chains as threads. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "methods/rigid/state/state.h"
#include "methods/rigid/step/sleep.h"
#include "sim/view/contact_view.h"

/* ── declared once ──────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status declare_bodies(scr_sim *sim, scr_error *error)
{
  rigid_state *s = sim->state;
  size_t count = s->scene->specimen_count;
  if (count > SCR_SHAPE_LIMIT)
    return scr_fail(error, SCR_BAD_SCENE, "/specimens",
                    "a picture has %d shapes at most, and the scene %zu lines of specimens: join those of one shape in lists",
                    SCR_SHAPE_LIMIT, count);
  scr_modal_shape *shapes = mem_array(count, sizeof *shapes);
  if (!shapes) return scr_fail_memory(error, "shapes of a picture", count * sizeof *shapes);
  for (size_t k = 0; k < count; k++) {
    snprintf(shapes[k].name, sizeof shapes[k].name, "%.31s", s->scene->specimens[k].name);
    shapes[k].mesh = s->shapes[k].picture; /* lent: declaring copies */
  }
  scr_drawable bodies = {.kind = SCR_DRAW_INSTANCES,
                         .name = "bodies",
                         .element_count = (uint32_t)s->specimen_bodies,
                         .field_count = 7,
                         .fields = {{"position", "m", 3, SCR_ENCODING_FLOAT32},
                                    {"orientation", "rad", 3, SCR_ENCODING_FLOAT32},
                                    {"shape", "1", 1, SCR_ENCODING_UINT32},
                                    {"scale", "1", 1, SCR_ENCODING_FLOAT32},
                                    {"speed", "m/s", 1, SCR_ENCODING_FLOAT32},
                                    {"load", "N", 1, SCR_ENCODING_FLOAT32},
                                    {"asleep", "1", 1, SCR_ENCODING_FLOAT32}},
                         .shape_count = (uint32_t)count,
                         .shapes = shapes};
  s->bodies_drawn = (uint32_t)sim->drawable_count;
  scr_status status = scr_sim_declare_drawable(sim, &bodies, error);
  mem_free(shapes);
  return status;
}

scr_status rigid_declare_drawables(scr_sim *sim, scr_error *error)
{
  rigid_state *s = sim->state;
  SCR_TRY(declare_bodies(sim, error));
  const scr_drawable contacts = {.kind = SCR_DRAW_POINTS,
                                 .name = "contacts",
                                 .radius = 0.06 * s->thickness,
                                 .varying = true,
                                 .field_count = 4,
                                 .fields = {{"position", "m", 3, SCR_ENCODING_FLOAT32},
                                            {"state", "1", 1, SCR_ENCODING_FLOAT32},
                                            {"force", "N", 1, SCR_ENCODING_FLOAT32},
                                            {"gap", "m", 1, SCR_ENCODING_FLOAT32}}};
  s->contacts_drawn = (uint32_t)sim->drawable_count;
  SCR_TRY(scr_sim_declare_drawable(sim, &contacts, error));
  s->contact_view = (sim_contact_view){.chains = s->options->force_chains, .forces = s->options->contact_forces};
  return contact_view_declare(sim, 0.06 * s->thickness, &s->contact_view, error);
}

/* ── a frame ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Room for `columns` rows of n numbers; NULL: no memory. */
static double *reserve_columns(rigid_state *s, size_t columns, size_t n)
{
  size_t wanted = columns * (n ? n : 1);
  return mem_grow(&s->buffer, &s->buffer_capacity, wanted, sizeof *s->buffer) ? s->buffer : NULL;
}

static scr_status draw_bodies(rigid_state *s, double dt, scr_frame *frame, scr_error *error)
{
  size_t n = s->specimen_bodies;
  double *b = reserve_columns(s, 11, n);
  if (!b) return scr_fail_memory(error, "a picture", 11 * n * sizeof *b);
  double *x = b, *y = b + n, *z = b + 2 * n, *scale = b + 6 * n, *speed = b + 7 * n, *load = b + 8 * n;
  uint32_t *shape = (uint32_t *)(void *)(b + 9 * n);
  memset(load, 0, n * sizeof *load);
  for (size_t k = 0; k < s->contact_count; k++) {
    const geo_touch *touch = &s->contacts[k].touch;
    double force = s->contacts[k].impulse[0] / dt;
    if (touch->a < n) load[touch->a] += force;
    if (touch->b < n) load[touch->b] += force;
  }
  double *asleep = b + 10 * n;
  for (size_t i = 0; i < n; i++) {
    const rigid_body *body = &s->bodies[i];
    asleep[i] = rigid_is_asleep(s, i);
    const scr_mass *unit = &s->shapes[body->shape].unit;
    scr_quat turn = quat_normalise(quat_multiply(body->attitude, quat_conjugate(unit->axes)));
    scr_vec3 at = vec3_sub(body->centre, quat_rotate(turn, vec3_scale(unit->centre, body->scale))), axis = quat_log(turn);
    x[i] = at.x, y[i] = at.y, z[i] = at.z;
    b[3 * n + i] = axis.x, b[4 * n + i] = axis.y, b[5 * n + i] = axis.z;
    scale[i] = body->scale, speed[i] = vec3_length(body->velocity), shape[i] = body->shape;
  }
  SCR_TRY(scr_frame_field(frame, s->bodies_drawn, 0, x, y, z, error));
  SCR_TRY(scr_frame_field(frame, s->bodies_drawn, 1, b + 3 * n, b + 4 * n, b + 5 * n, error));
  SCR_TRY(scr_frame_field_u32(frame, s->bodies_drawn, 2, shape, error));
  SCR_TRY(scr_frame_field(frame, s->bodies_drawn, 3, scale, NULL, NULL, error));
  SCR_TRY(scr_frame_field(frame, s->bodies_drawn, 4, speed, NULL, NULL, error));
  SCR_TRY(scr_frame_field(frame, s->bodies_drawn, 5, load, NULL, NULL, error));
  return scr_frame_field(frame, s->bodies_drawn, 6, asleep, NULL, NULL, error);
}

static scr_status draw_contacts(rigid_state *s, double dt, scr_frame *frame, scr_error *error)
{
  size_t n = s->contact_count;
  double *b = reserve_columns(s, 6, n);
  if (!b) return scr_fail_memory(error, "a picture", 6 * n * sizeof *b);
  for (size_t k = 0; k < n; k++) {
    const rigid_contact *c = &s->contacts[k];
    b[k] = c->touch.point.x, b[n + k] = c->touch.point.y, b[2 * n + k] = c->touch.point.z;
    b[3 * n + k] = (double)c->state, b[4 * n + k] = vec3_length(rigid_impulse(c)) / dt, b[5 * n + k] = c->touch.gap;
  }
  SCR_TRY(scr_frame_count(frame, s->contacts_drawn, (uint32_t)n, error));
  if (n == 0) return SCR_OK;
  SCR_TRY(scr_frame_field(frame, s->contacts_drawn, 0, b, b + n, b + 2 * n, error));
  for (uint32_t f = 0; f < 3; f++) SCR_TRY(scr_frame_field(frame, s->contacts_drawn, 1 + f, b + (3 + f) * n, NULL, NULL, error));
  return SCR_OK;
}

/* From centre to contact to centre; a fifth of the least thickness for the largest force. */
static scr_status draw_loads(rigid_state *s, double dt, scr_frame *frame, scr_error *error)
{
  size_t count = 0;
  sim_contact *loads = mem_array(s->contact_count ? s->contact_count : 1, sizeof *loads);
  if (!loads) return scr_fail_memory(error, "a picture", s->contact_count * sizeof *loads);
  for (size_t k = 0; k < s->contact_count; k++) {
    const rigid_contact *c = &s->contacts[k];
    bool two = c->touch.b < s->body_count;
    if (c->state == RIGID_OPEN) continue;
    loads[count++] = (sim_contact){{s->bodies[c->touch.a].centre, c->touch.point, two ? s->bodies[c->touch.b].centre : c->touch.point},
                                   two ? 3 : 2,
                                   vec3_length(rigid_impulse(c)) / dt,
                                   vec3_scale(rigid_impulse(c), 1 / dt)};
  }
  scr_status status = contact_view_draw(&s->contact_view, frame, loads, count, 0.2 * s->thickness, error);
  mem_free(loads);
  return status;
}

scr_status rigid_draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  rigid_state *s = sim->state;
  SCR_TRY(draw_bodies(s, sim->time_step, frame, error));
  SCR_TRY(draw_contacts(s, s->contact_time, frame, error));
  return s->contact_view.chains || s->contact_view.forces ? draw_loads(s, s->contact_time, frame, error) : SCR_OK;
}
