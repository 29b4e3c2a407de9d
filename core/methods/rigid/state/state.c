/* Bodies of a scene: shapes, masses, places, random sizes and attitudes. */
#include "methods/rigid/state/state.h"

#include "base/memory.h"
#include "sim/rig/part_touch.h"

const sim_field rigid_fields[RIGID_FIELDS] = {
    FIELD_ARRAY("shapes", rigid_state, shapes, shape_count, 0),
    FIELD_ARRAY("bodies", rigid_state, bodies, body_count, FIELD_SAVED),
    FIELD_ARRAY("free motions", rigid_state, free, body_count, 0),
    FIELD_ARRAY("velocities", rigid_state, velocity, body_count, 0),
    FIELD_ARRAY("spins", rigid_state, spin, body_count, 0),
    FIELD_ARRAY("rests", rigid_state, calm, body_count, FIELD_SAVED),
    FIELD_ARRAY("impulses on sleepers", rigid_state, push, body_count, 0),
    FIELD_ARRAY("couples on sleepers", rigid_state, twist, body_count, 0),
    FIELD_ARRAY("islands", rigid_state, island, body_count, 0),
    FIELD_ARRAY("sleepers woken", rigid_state, woken, body_count, 0),
    FIELD_LIST("contacts", rigid_state, contacts, contact_count, contact_capacity, FIELD_SAVED),
    FIELD_LIST("impulses", rigid_state, warm.entry, warm.count, warm.capacity, FIELD_SAVED),
    FIELD_VALUE("times", rigid_state, warm.time_step, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("times", rigid_state, contact_time, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("reports", rigid_state, report, FIELD_SAVED),
    FIELD_VALUE("kept problems", rigid_state, kept, FIELD_SAVED),
};

/* SplitMix64 (Steele, Lea, Flood 2014), as a number in [0, 1). */
static double draw(uint64_t *state)
{
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* A rotation, evenly among all (Shoemake 1992). */
static scr_quat draw_rotation(uint64_t *state)
{
  double u = draw(state), v = 2 * M_PI * draw(state), w = 2 * M_PI * draw(state), r = sqrt(1 - u), s = sqrt(u);
  return quat(r * sin(v), r * cos(v), s * sin(w), s * cos(w));
}

static void make_body(const rigid_state *s, size_t k, size_t place, uint64_t *random, rigid_body *body)
{
  const scr_specimen *specimen = &s->scene->specimens[k];
  const rigid_specimen *block = scr_scene_specimen(s->scene, k);
  const rigid_material *material = scr_scene_material(s->scene, specimen->material);
  const rigid_shape *shape = &s->shapes[k];
  scr_quat turn = quat_exp(vec3_scale(specimen->rotation_axis, specimen->rotation_angle));
  double scale = block->smallest_scale;
  if (block->largest_scale > block->smallest_scale) scale += (block->largest_scale - block->smallest_scale) * draw(random);
  if (block->random_rotation) turn = quat_multiply(draw_rotation(random), turn);
  double mass = material->density * scale * scale * scale;
  *body = (rigid_body){.shape = (uint32_t)k, .material = specimen->material, .scale = scale, .mass = mass * shape->unit.mass};
  body->moments = vec3_scale(shape->unit.moments, mass * scale * scale);
  scr_vec3 arm = vec3_scale(quat_rotate(turn, shape->unit.centre), scale);
  body->centre = vec3_add(specimen->positions[place], arm);
  body->attitude = quat_normalise(quat_multiply(turn, shape->unit.axes));
  body->velocity = vec3_add(specimen->velocity, vec3_cross(specimen->angular_velocity, arm)); /* turning is about the position */
  body->spin = specimen->angular_velocity;
  body->momentum = rigid_body_momentum(body, body->spin);
}

static void make_bodies(rigid_state *s)
{
  size_t at = 0;
  s->thickness = INFINITY;
  for (size_t k = 0; k < s->scene->specimen_count; k++) {
    uint64_t random = (uint64_t)s->scene->seed * 0xD1342543DE82EF95u + k;
    for (size_t i = 0; i < s->scene->specimens[k].position_count; i++, at++) {
      make_body(s, k, i, &random, &s->bodies[at]);
      s->thickness = fmin(s->thickness, s->shapes[k].thickness * s->bodies[at].scale);
      s->solid_volume += s->shapes[k].unit.mass * pow(s->bodies[at].scale, 3);
    }
  }
}

static void make_free_bodies(rigid_state *s, const sim_parts *parts)
{
  uint32_t shape = (uint32_t)s->scene->specimen_count, at = (uint32_t)s->specimen_bodies;
  for (size_t p = 0; p < parts->count; p++) {
    const part_flight *flight = &parts->flight[p];
    s->part_body[p] = UINT32_MAX;
    if (!parts->form[p].is_free) continue;
    const scr_mass *mass = &parts->form[p].mass;
    s->part_body[p] = at;
    s->bodies[at++] = (rigid_body){.shape = shape,
                                   .material = (uint32_t)s->scene->material_count,
                                   .scale = 1,
                                   .mass = mass->mass,
                                   .moments = mass->moments,
                                   .centre = flight->centre,
                                   .attitude = quat_normalise(quat_multiply(flight->rotation, mass->axes)),
                                   .velocity = flight->velocity,
                                   .spin = parts->now[p].spin,
                                   .momentum = flight->momentum};
    shape++;
  }
}

static scr_status make_shapes(rigid_state *s, const sim_parts *parts, scr_error *error)
{
  size_t k = s->scene->specimen_count;
  for (size_t i = 0; i < k; i++) SCR_TRY(rigid_shape_create(&s->scene->specimens[i].shape, true, &s->shapes[i], error));
  for (size_t p = 0; p < parts->count; p++) {
    bool solid = parts->form[p].kind == SCR_PART_SOLID || parts->form[p].kind == SCR_PART_CYLINDER;
    if (parts->form[p].is_free)
      SCR_TRY(rigid_shape_of_part(&parts->form[p], &s->shapes[k++], error));
    else if (solid)
      SCR_TRY(part_piece(&parts->form[p], &s->part_pieces[p], error));
  }
  return SCR_OK;
}

static scr_status build(rigid_state *s, const sim_parts *parts, double time_step, scr_error *error)
{
  const scr_scene *scene = s->scene;
  double gravity = vec3_length(scene->rig.gravity);
  s->shape_count = scene->specimen_count;
  for (size_t k = 0; k < scene->specimen_count; k++) s->specimen_bodies += scene->specimens[k].position_count;
  s->body_count = s->specimen_bodies;
  for (size_t p = 0; p < parts->count; p++) s->shape_count += parts->form[p].is_free, s->body_count += parts->form[p].is_free;
  SCR_TRY(fields_allocate(rigid_fields, RIGID_FIELDS, s, error));
  SCR_TRY(make_shapes(s, parts, error));
  make_bodies(s);
  make_free_bodies(s, parts);
  s->time_step = time_step;
  s->margin = isnan(s->options->margin) ? RIGID_MARGIN * s->thickness : s->options->margin;
  s->penetration = isnan(s->options->penetration) ? RIGID_PENETRATION * s->thickness : s->options->penetration;
  s->restitution_speed = isnan(s->options->restitution_speed) ? 2 * gravity * time_step : s->options->restitution_speed;
  for (uint32_t a = 0; a <= scene->material_count; a++)
    for (uint32_t b = 0; b <= scene->material_count; b++) {
      const rigid_surface *law = scr_scene_surface(scene, a, b);
      s->rolls = s->rolls || law->rolling_resistance > 0;
    }
  ledger_begin(s->ledger, parts, rigid_kinetic(s));
  const detect_scene view = {
      .shapes = s->shapes, .bodies = s->bodies, .body_count = s->body_count, .parts = parts, .part_pieces = s->part_pieces};
  return detect_create(&s->detection, &view, error);
}

scr_status rigid_state_create(const scr_scene *scene, const sim_parts *parts, sim_ledger *ledger, double time_step, rigid_state **state,
                              scr_error *error)
{
  rigid_state *s = *state = mem_array(1, sizeof *s);
  if (!s) return scr_fail_memory(error, "a simulation", sizeof *s);
  s->scene = scene;
  s->ledger = ledger;
  s->options = scene->options;
  return build(s, parts, time_step, error);
}

void rigid_state_destroy(rigid_state *s)
{
  if (!s) return;
  for (size_t k = 0; s->shapes && k < s->shape_count; k++) rigid_shape_clear(&s->shapes[k]);
  for (size_t p = 0; p < SCR_PART_LIMIT; p++) geo_piece_clear(&s->part_pieces[p]);
  detect_clear(&s->detection);
  rigid_problem_clear(&s->problem);
  ball_pack_clear(&s->pack);
  mem_free(s->buffer);
  fields_free(rigid_fields, RIGID_FIELDS, s);
  mem_free(s);
}
