/* The physics: pendulums by the Runge-Kutta method of order 4, with what they lose and gain as further unknowns, so that the balance of
 * energy is as exact as the motion; drops in free fall; a membrane that is a spring. */
#include <math.h>

#include "base/memory.h"
#include "scene/shape/shape.h"
#include "tests/showcase/state.h"

scr_vec3 showcase_bob_position(const showcase_bob *bob)
{
  return vec3_add(bob->pivot, vec3(bob->length * sin(bob->angle), 0, -bob->length * cos(bob->angle)));
}

scr_vec3 showcase_bob_direction(const showcase_bob *bob)
{
  return vec3(cos(bob->angle), 0, sin(bob->angle));
}

static double gravity(const showcase_state *s)
{
  return -s->scene->rig.gravity.z;
}

double showcase_bob_tension(const showcase_state *s, const showcase_bob *bob)
{
  return bob->mass * (gravity(s) * cos(bob->angle) + bob->length * bob->speed * bob->speed);
}

double showcase_kinetic(const showcase_state *s)
{
  double sum = 0;
  for (size_t i = 0; i < s->bob_count; i++) sum += 0.5 * s->bobs[i].mass * pow(s->bobs[i].length * s->bobs[i].speed, 2);
  return sum;
}

double showcase_potential(const showcase_state *s)
{
  double sum = 0.5 * s->options->membrane_stiffness * s->dent * s->dent;
  for (size_t i = 0; i < s->bob_count; i++) sum += s->bobs[i].mass * gravity(s) * s->bobs[i].length * (1 - cos(s->bobs[i].angle));
  return sum;
}

/* ── pendulums ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Unknowns of one pendulum: angle, its rate, and the energies that drag took, that the fan gave, and that was lost between fan and bob. */
enum { ANGLE, SPEED, DRAG, GIVEN, LOST, UNKNOWNS };

/* What acts on a bob besides its weight. */
typedef struct surroundings {
  const sim_parts *parts;
  double gravity, drag_rate, fan_coupling;
} surroundings;

static bool turns(const part_motion *motion)
{
  return motion->spin.x != 0 || motion->spin.y != 0 || motion->spin.z != 0;
}

static void rates(const showcase_bob *bob, const surroundings *around, const double y[UNKNOWNS], double dy[UNKNOWNS])
{
  showcase_bob now = *bob;
  now.angle = y[ANGLE];
  scr_vec3 place = showcase_bob_position(&now), direction = showcase_bob_direction(&now);
  double way = bob->length * y[SPEED]; /* m/s along the direction */
  dy[ANGLE] = y[SPEED];
  dy[SPEED] = -around->gravity / bob->length * sin(y[ANGLE]) - around->drag_rate * y[SPEED];
  dy[DRAG] = bob->mass * around->drag_rate * way * way;
  dy[GIVEN] = dy[LOST] = 0;
  for (size_t p = 0; p < around->parts->count; p++) {
    if (!turns(&around->parts->now[p])) continue;
    double fan = vec3_dot(part_velocity_at(&around->parts->now[p], place), direction), slip = fan - way;
    dy[SPEED] += around->fan_coupling * slip / bob->length;
    dy[GIVEN] += bob->mass * around->fan_coupling * slip * fan;
    dy[LOST] += bob->mass * around->fan_coupling * slip * slip;
  }
}

static void swing_bob(const showcase_bob *bob, const surroundings *around, double dt, double y[UNKNOWNS])
{
  double k[4][UNKNOWNS], at[UNKNOWNS];
  const double share[4] = {0, 0.5, 0.5, 1};
  for (int stage = 0; stage < 4; stage++) {
    for (int u = 0; u < UNKNOWNS; u++) at[u] = y[u] + (stage ? share[stage] * dt * k[stage - 1][u] : 0);
    rates(bob, around, at, k[stage]);
  }
  for (int u = 0; u < UNKNOWNS; u++) y[u] += dt / 6 * (k[0][u] + 2 * k[1][u] + 2 * k[2][u] + k[3][u]);
}

/* ── drops, and the table of turns ───────────────────────────────────────────────────────────────────────────────── */

scr_vec3 showcase_drop_position(const showcase_state *s, const showcase_drop *drop, double time)
{
  double age = time - drop->born;
  return vec3_add(drop->from, vec3_scale(s->scene->rig.gravity, 0.5 * age * age));
}

double showcase_drop_radius(const showcase_state *s, const showcase_drop *drop, double time)
{
  return drop->radius * fmax(1 - (time - drop->born) / s->options->drop_life, 1e-3);
}

static void dry_up(showcase_state *s, double time)
{
  size_t gone = 0;
  while (gone < s->drop_count && time - s->drops[gone].born >= s->options->drop_life) gone++;
  for (size_t k = gone; k < s->drop_count; k++) s->drops[k - gone] = s->drops[k];
  s->drop_count -= gone;
}

/* Bob i turned back within the step that ends at `time`: it loses a drop, and the table a row. */
static scr_status turn_back(scr_sim *sim, size_t i, double time, scr_error *error)
{
  showcase_state *s = sim->state;
  const showcase_bob *bob = &s->bobs[i];
  scr_vec3 place = showcase_bob_position(bob);
  if (!mem_grow(&s->drops, &s->drop_capacity, s->drop_count + 1, sizeof *s->drops))
    return scr_fail_memory(error, "the drops", (s->drop_count + 1) * sizeof *s->drops);
  double radius = 0.3 * s->scene->specimens[bob->specimen].shape.radius;
  s->drops[s->drop_count++] =
      (showcase_drop){.id = s->drops_so_far++, .born = time, .radius = radius > 0 ? radius : 1e-2 * bob->length, .from = place};
  const double row[] = {
      time, (double)i, bob->angle > 0, place.x, place.y, place.z, bob->mass * gravity(s) * bob->length * (1 - cos(bob->angle))};
  return scr_sim_add_row(sim, s->turns_table, row, error);
}

/* ── a step ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status swing(scr_sim *sim, double dt, scr_error *error)
{
  showcase_state *s = sim->state;
  for (size_t i = 0; i < s->bob_count; i++) {
    showcase_bob *bob = &s->bobs[i];
    uint32_t material = s->scene->specimens[bob->specimen].material;
    const showcase_material *of = scr_scene_material(s->scene, material);
    const showcase_surface *law = scr_scene_surface(s->scene, material, s->scene->material_count);
    surroundings around = {&sim->parts, gravity(s), of->drag_rate, law->fan_coupling};
    double y[UNKNOWNS] = {[ANGLE] = bob->angle, [SPEED] = bob->speed}, before = bob->speed;
    swing_bob(bob, &around, dt, y);
    bob->angle = y[ANGLE];
    bob->speed = y[SPEED];
    s->ledger->damping += y[DRAG];
    s->ledger->rig += y[GIVEN];
    s->ledger->friction += y[LOST];
    if (!isfinite(bob->angle))
      return scr_fail(error, SCR_DIVERGED, NULL, "bob %zu is no longer anywhere after a step of %.3g s: use a smaller step_fraction", i,
                      dt);
    if (before * bob->speed < 0) SCR_TRY(turn_back(sim, i, sim->time + dt, error));
  }
  return SCR_OK;
}

/* Draws all bobs aside: smoothly from rest to rest. */
static void pull(showcase_state *s, double time)
{
  double before = showcase_kinetic(s) + showcase_potential(s), x = fmin(time / s->options->pull_time, 1);
  for (size_t i = 0; i < s->bob_count; i++) {
    const showcase_specimen *block = scr_scene_specimen(s->scene, s->bobs[i].specimen);
    s->bobs[i].angle = block->start_angle * x * x * (3 - 2 * x);
    s->bobs[i].speed = block->start_angle * 6 * x * (1 - x) / s->options->pull_time;
  }
  s->ledger->rig += showcase_kinetic(s) + showcase_potential(s) - before;
}

/* What parts feel: the press the membrane, the fan the bobs. */
static void load_parts(scr_sim *sim)
{
  showcase_state *s = sim->state;
  double dent = 0;
  for (size_t p = 0; p < sim->parts.count; p++) {
    const part_motion *now = &sim->parts.now[p];
    scr_vec3 force = vec3(0, 0, 0), torque = force;
    if (!turns(now)) {
      double depth = fmax(0, -scr_part_distance_posed(&sim->parts.form[p], &now->pose, s->options->membrane_centre).distance);
      force.z = s->options->membrane_stiffness * depth;
      dent = fmax(dent, depth);
    }
    for (size_t i = 0; turns(now) && i < s->bob_count; i++) {
      const showcase_bob *bob = &s->bobs[i];
      const showcase_surface *law = scr_scene_surface(s->scene, s->scene->specimens[bob->specimen].material, s->scene->material_count);
      scr_vec3 place = showcase_bob_position(bob), direction = showcase_bob_direction(bob);
      double slip = vec3_dot(part_velocity_at(now, place), direction) - bob->length * bob->speed;
      scr_vec3 push = vec3_scale(direction, -bob->mass * law->fan_coupling * slip);
      force = vec3_add(force, push);
      torque = vec3_add(torque, vec3_cross(vec3_sub(place, now->pose.position), push));
    }
    sim->parts.load[p] = (part_load){.force = force, .torque = torque};
  }
  s->ledger->rig += 0.5 * s->options->membrane_stiffness * (dent + s->dent) * (dent - s->dent); /* exact: the force is linear in the dent */
  s->dent = dent;
}

/* The step that the motion allows: a share of the shortest thread's time, less while something is fast; cut so that it ends where the stage
 * or the next output is due. */
static double choose_step(const scr_sim *sim)
{
  const showcase_state *s = sim->state;
  double shortest = INFINITY, fastest = 0;
  for (size_t i = 0; i < s->bob_count; i++) {
    shortest = fmin(shortest, sqrt(s->bobs[i].length / gravity(s)));
    fastest = fmax(fastest, fabs(s->bobs[i].speed));
  }
  double dt = s->options->step_fraction * shortest / (1 + fastest * shortest), end = sim->next_output;
  if (sim->time < s->options->pull_time) end = fmin(end, s->options->pull_time);
  double left = end - sim->time;
  return left <= dt ? left : left < 2 * dt ? 0.5 * left : dt;
}

scr_status showcase_advance(scr_sim *sim, scr_error *error)
{
  showcase_state *s = sim->state;
  double dt = choose_step(sim), end = sim->time + dt;
  if (end > sim->next_output) end = sim->next_output; /* rounding */
  bool pulling = sim->time < s->options->pull_time;
  if (pulling)
    pull(s, end);
  else
    SCR_TRY(swing(sim, dt, error));
  dry_up(s, end);
  parts_begin(&sim->parts, end, dt);
  parts_move(&sim->parts, end);
  load_parts(sim);
  ledger_close(s->ledger, &sim->parts, fmax(showcase_kinetic(s) + showcase_potential(s), fabs(ledger_external(s->ledger))));
  sim->time_step = dt;
  sim->time = end;
  sim->steps++;
  if (pulling && end >= s->options->pull_time) SCR_TRY(scr_sim_enter_stage(sim, SHOWCASE_STAGE_SWING, error));
  return SCR_OK;
}

/* ── the beginning ───────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status showcase_place(showcase_state *s, const sim_parts *parts, scr_error *error)
{
  const scr_scene *scene = s->scene;
  for (size_t k = 0; k < scene->specimen_count; k++) s->bob_count += scene->specimens[k].position_count;
  SCR_TRY(fields_allocate(showcase_fields, SHOWCASE_FIELDS, s, error));
  size_t at = 0;
  for (size_t k = 0; k < scene->specimen_count; k++) {
    const scr_specimen *specimen = &scene->specimens[k];
    const showcase_specimen *block = scr_scene_specimen(scene, k);
    const showcase_material *material = scr_scene_material(scene, specimen->material);
    for (size_t i = 0; i < specimen->position_count; i++)
      s->bobs[at++] = (showcase_bob){.specimen = (uint32_t)k,
                                     .pivot = specimen->positions[i],
                                     .length = block->thread_length + (double)i * block->length_step,
                                     .mass = material->density * scr_shape_volume(&specimen->shape)};
  }
  ledger_begin(s->ledger, parts, showcase_kinetic(s) + showcase_potential(s));
  return SCR_OK;
}
