/* Steps and the balance of energy. */
#include "methods/lsdem/step/motion.h"

#include "methods/lsdem/contact/pass.h"
#include "methods/lsdem/contact/query.h"
#include "methods/lsdem/step/full_inertia.h"
#include "sim/rig/box.h"
#include "sim/time_step.h"

static scr_vec3 divided(scr_vec3 a, scr_vec3 b)
{
  return vec3(a.x / b.x, a.y / b.y, a.z / b.z);
}

scr_quat lsdem_turn(scr_quat q, scr_vec3 angular, scr_vec3 inertia, double dt)
{
  scr_vec3 w = divided(quat_rotate(quat_conjugate(q), angular), inertia);
  scr_quat half = quat_normalise(quat_add(q, quat_scale(quat_multiply(q, quat_pure(w)), 0.25 * dt)));
  scr_vec3 middle = divided(quat_rotate(quat_conjugate(half), angular), inertia);
  return quat_normalise(quat_multiply(q, quat_exp(vec3_scale(middle, dt))));
}

/* ── energies ────────────────────────────────────────────────────────────────────────────────────────────────────── */

double lsdem_kinetic(const lsdem_state *s)
{
  double sum = 0;
  for (size_t i = 0; i < s->grain_count; i++) {
    const lsdem_grain *g = &s->grains[i];
    const lsdem_template *shape = &s->templates[g->shape];
    scr_vec3 w = lsdem_spin(s, g);
    double turning = lsdem_has_full_inertia(s, shape)
                         ? vec3_dot(quat_rotate(g->rotation, w), g->angular)
                         : shape->inertia.x * w.x * w.x + shape->inertia.y * w.y * w.y + shape->inertia.z * w.z * w.z;
    sum += 0.5 * shape->mass * vec3_dot(g->velocity, g->velocity) + 0.5 * turning;
  }
  return sum;
}

/* sum over modes of eta_a M_ab eta_b factor_b */
static double modal_product(const lsdem_template *shape, const double *rate, const double *factor)
{
  double sum = 0;
  for (size_t a = 0; a < shape->mode_count; a++)
    for (size_t b = 0; b < shape->mode_count; b++) sum += rate[a] * shape->modal.mass[a][b] * rate[b] * (factor ? factor[b] : 1);
  return sum;
}

double lsdem_modal_kinetic(const lsdem_state *s)
{
  double sum = 0;
  for (size_t i = 0; i < s->grain_count; i++) {
    const lsdem_grain *g = &s->grains[i];
    const lsdem_template *shape = &s->templates[g->shape];
    if (lsdem_has_full_inertia(s, shape)) {
      double momentum[LSDEM_MODE_LIMIT];
      lsdem_full_momentum(shape, s->amplitude + g->first, s->rate + g->first, lsdem_spin(s, g), momentum);
      for (size_t a = 0; a < shape->mode_count; a++) sum += 0.5 * momentum[a] * s->rate[g->first + a];
    } else {
      sum += 0.5 * modal_product(shape, s->rate + g->first, NULL);
    }
  }
  return sum;
}

double lsdem_elastic(const lsdem_state *s)
{
  double sum = 0;
  for (size_t i = 0; i < s->grain_count; i++) {
    const lsdem_template *shape = &s->templates[s->grains[i].shape];
    if (shape->mode_count) sum += lsdem_energy_of(&shape->energy, &shape->modal, s->amplitude + s->grains[i].first);
  }
  return sum;
}

void lsdem_elastic_by_sort(const lsdem_state *s, double *energy)
{
  for (int k = 0; k < LSDEM_MODE_SORTS; k++) energy[k] = 0;
  for (size_t i = 0; i < s->grain_count; i++) {
    const lsdem_template *shape = &s->templates[s->grains[i].shape];
    const double *amplitude = s->amplitude + s->grains[i].first;
    if (lsdem_energy_is_given(&shape->energy)) { /* of one mode, or of modes of a basis, which are of one kind */
      energy[lsdem_mode_sort(shape, 0)] += lsdem_energy_of(&shape->energy, &shape->modal, amplitude);
      continue;
    }
    for (size_t a = 0; a < shape->mode_count; a++)
      for (size_t b = 0; b < shape->mode_count; b++)
        energy[lsdem_mode_sort(shape, a)] += 0.5 * amplitude[a] * shape->modal.stiffness[a][b] * amplitude[b];
  }
}

/* ── kicks ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Takes the share `damping` of a force's size off each component along the motion. `power` counts up what that takes, W. */
static scr_vec3 damped(scr_vec3 force, scr_vec3 velocity, double damping, double *power)
{
  const double f[3] = {force.x, force.y, force.z}, v[3] = {velocity.x, velocity.y, velocity.z};
  double left[3];
  for (int k = 0; k < 3; k++) {
    left[k] = v[k] == 0 ? f[k] : f[k] - damping * copysign(f[k], v[k]);
    *power += damping * fabs(f[k] * v[k]);
  }
  return vec3(left[0], left[1], left[2]);
}

/* Half a step of a grain's modes. The dashpots are taken before or after the forces, so that two halves make a centred step.
 * @return what they take, W, at the end that they act at */
static double kick_modes(lsdem_state *s, const lsdem_grain *g, double half, bool after)
{
  const lsdem_template *shape = &s->templates[g->shape];
  size_t n = shape->mode_count;
  double inner[LSDEM_MODE_LIMIT], *rate = s->rate + g->first, power = 0;
  if (!after) {
    power = modal_product(shape, rate, shape->damping);
    for (size_t a = 0; a < n; a++) rate[a] -= half * shape->damping[a] * rate[a];
  }
  lsdem_energy_force(&shape->energy, &shape->modal, s->amplitude + g->first, inner);
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) rate[a] += half * shape->mass_inverse[a * n + b] * (s->modal_force[g->first + b] - inner[b]);
  if (!after) return power;
  for (size_t a = 0; a < n; a++) rate[a] /= 1 + half * shape->damping[a];
  return modal_product(shape, rate, shape->damping);
}

/* Half a step of the turning and the modes together, where the inertia follows them; otherwise as kick_modes. */
static double kick_full(lsdem_state *s, lsdem_grain *g, scr_vec3 torque, double half, bool after)
{
  const lsdem_template *shape = &s->templates[g->shape];
  size_t n = shape->mode_count;
  double inner[LSDEM_MODE_LIMIT], momentum[LSDEM_MODE_LIMIT], *rate = s->rate + g->first, *amplitude = s->amplitude + g->first, power = 0;
  scr_vec3 spin = lsdem_spin(s, g);
  lsdem_full_momentum(shape, amplitude, rate, spin, momentum);
  lsdem_energy_force(&shape->energy, &shape->modal, amplitude, inner);
  if (!after) power = modal_product(shape, rate, shape->damping);
  for (size_t a = 0; a < n; a++) {
    momentum[a] += half * (s->modal_force[g->first + a] - inner[a]);
    for (size_t b = 0; b < n && !after; b++) momentum[a] -= half * shape->modal.mass[a][b] * shape->damping[b] * rate[b];
  }
  g->angular = vec3_add(g->angular, vec3_scale(torque, half));
  lsdem_full_rates(shape, amplitude, quat_rotate(quat_conjugate(g->rotation), g->angular), momentum, after ? half : 0, &spin, rate);
  return after ? modal_product(shape, rate, shape->damping) : power;
}

/* Half a step of all velocities. */
static void kick(lsdem_state *s, bool after)
{
  double half = 0.5 * s->time_step, power = 0;
  scr_vec3 gravity = s->scene->rig.gravity;
  for (size_t i = 0; i < s->grain_count; i++) {
    lsdem_grain *g = &s->grains[i];
    const lsdem_template *shape = &s->templates[g->shape];
    scr_vec3 force = vec3_add(g->force, vec3_scale(gravity, shape->mass)), torque = g->torque;
    if (s->options->local_damping > 0) {
      force = damped(force, g->velocity, s->options->local_damping, &power);
      torque = damped(torque, quat_rotate(g->rotation, lsdem_spin(s, g)), s->options->local_damping, &power);
    }
    g->velocity = vec3_add(g->velocity, vec3_scale(force, half / shape->mass));
    if (lsdem_has_full_inertia(s, shape)) {
      power += kick_full(s, g, torque, half, after);
      continue;
    }
    g->angular = vec3_add(g->angular, vec3_scale(torque, half));
    if (shape->mode_count) power += kick_modes(s, g, half, after);
  }
  s->ledger->damping += half * power;
}

static void drift(lsdem_state *s)
{
  double dt = s->time_step;
  for (size_t i = 0; i < s->grain_count; i++) {
    lsdem_grain *g = &s->grains[i];
    const lsdem_template *shape = &s->templates[g->shape];
    scr_vec3 travel = vec3_scale(g->velocity, dt);
    g->position = vec3_add(g->position, travel);
    s->ledger->rig += shape->mass * vec3_dot(s->scene->rig.gravity, travel);
    scr_quat before = g->rotation;
    double *amplitude = s->amplitude + g->first, *rate = s->rate + g->first, was[LSDEM_MODE_LIMIT] = {0};
    for (size_t a = 0; a < shape->mode_count; a++) was[a] = amplitude[a];
    if (lsdem_has_full_inertia(s, shape)) {
      lsdem_full_drift(shape, g->angular, dt, &g->rotation, amplitude, rate);
    } else {
      g->rotation = lsdem_turn(g->rotation, g->angular, shape->inertia, dt);
      for (size_t a = 0; a < shape->mode_count; a++) amplitude[a] += dt * rate[a];
    }
    for (size_t a = 0; a < shape->mode_count; a++) g->bent += 1.2 * (1 + 1e-9) * fabs(amplitude[a] - was[a]) * shape->mode_peak[a];
    g->travel += vec3_length(travel);
    g->turned += M_PI * quat_length(quat_add(g->rotation, quat_scale(before, -1))); /* the angle is at most pi/2 times twice the chord */
  }
}

/* ── the ledger ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* How far parts may have moved where grains are. */
static void count_parts(lsdem_state *s)
{
  for (size_t p = 0; p < s->parts->count; p++) {
    double span = 0;
    for (size_t i = 0; i < s->grain_count; i++) {
      const lsdem_view *view = &s->views[i];
      span = fmax(span, vec3_length(vec3_sub(view->position, s->before[p].pose.position)) + 1.5 * (view->grain->reach + view->moved));
    }
    s->part_travelled[p] += part_travel(&s->parts->form[p], &s->before[p], &s->parts->now[p], span);
  }
}

static void remember_parts(lsdem_state *s)
{
  for (size_t p = 0; p < s->parts->count; p++) {
    s->before[p] = s->parts->now[p];
    s->load_before[p] = s->parts->load[p];
    s->dashpot_before[p] = s->dashpot[p];
  }
}

/* What contacts' dashpots of the last pass take of the grains at their velocities now, W. */
static double dashpot_power(const lsdem_state *s)
{
  double power = 0;
  for (size_t i = 0; i < s->grain_count; i++) {
    const lsdem_grain *g = &s->grains[i];
    power -= vec3_dot(g->dashpot_force, g->velocity) + vec3_dot(g->dashpot_torque, quat_rotate(g->rotation, lsdem_spin(s, g)));
  }
  for (size_t a = 0; a < s->amplitude_count; a++) power -= s->modal_dashpot[a] * s->rate[a];
  return power;
}

/* What dashpots take of the parts on their way of a step, by the mean of their pulls before and after, J. */
static double dashpot_work_on_parts(const lsdem_state *s)
{
  double work = 0;
  for (size_t p = 0; p < s->parts->count; p++) {
    part_displacement travel = part_displacement_between(&s->parts->form[p], &s->before[p], &s->parts->now[p]);
    const lsdem_pull *before = &s->dashpot_before[p], *after = &s->dashpot[p];
    work -= 0.5 * (vec3_dot(vec3_add(before->force, after->force), travel.displacement) +
                   vec3_dot(vec3_add(before->torque, after->torque), travel.turn));
  }
  return work;
}

/* Each kind of energy that there is or was is a size to measure by. */
static void close_ledger(lsdem_state *s)
{
  sim_ledger *ledger = s->ledger;
  const double sizes[] = {lsdem_elastic(s),
                          s->contact_energy,
                          s->bond_energy,
                          ledger->fracture,
                          ledger->friction,
                          ledger->damping,
                          fabs(ledger->start + ledger_external(ledger))};
  double largest = lsdem_kinetic(s) + lsdem_modal_kinetic(s);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) largest = fmax(largest, sizes[k]);
  ledger_close(ledger, s->parts, largest);
}

static scr_status check_finite(const lsdem_state *s, uint64_t step, scr_error *error)
{
  for (size_t i = 0; i < s->grain_count; i++) {
    const lsdem_grain *g = &s->grains[i];
    double sum = g->position.x + g->position.y + g->position.z + g->rotation.w + vec3_dot(g->velocity, g->velocity);
    for (size_t a = 0; a < s->templates[g->shape].mode_count; a++) sum += s->amplitude[g->first + a];
    if (!isfinite(sum)) return sim_not_finite(error, step, s->time_step, "grain %zu", i);
  }
  return SCR_OK;
}

/* Grains that deform farther than their modes and grids were made for. A mode of a basis may be steep at one place, where a contact
 * flattened the body it was made of: what is looked up there fails by itself (lsdem_field_slope), the rest is told. */
static scr_status check_modes(lsdem_state *s, uint64_t step, scr_error *error)
{
  for (size_t i = 0; i < s->grain_count; i++) {
    const lsdem_grain *g = &s->grains[i];
    const lsdem_template *shape = &s->templates[g->shape];
    double slope = 0;
    for (size_t a = 0; a < shape->mode_count; a++) slope += fabs(s->amplitude[g->first + a]) * shape->mode_slope[a];
    if (shape->mode_grid) s->steepest = fmax(s->steepest, slope);
    if (slope > LSDEM_STEEPEST && !shape->mode_grid)
      return scr_fail(error, SCR_DIVERGED, NULL,
                      "step %llu: grain %zu is strained by up to %.2g; modes are valid up to 0.7: use stiffer modes or less load",
                      (unsigned long long)step, i, slope);
    for (size_t a = 0; a < shape->mode_count; a++) {
      double beyond = lsdem_energy_beyond(&shape->energy, a, s->amplitude[g->first + a]);
      if (beyond > 1.2)
        return scr_fail(error, SCR_DIVERGED, NULL,
                        "step %llu: mode %zu of grain %zu has an amplitude of %.4g m, %.3g times the largest for which its energy is "
                        "known: give a longer table, or load less (units?)",
                        (unsigned long long)step, a + 1, i, s->amplitude[g->first + a], beyond);
    }
  }
  return SCR_OK;
}

double lsdem_step_ratio(const lsdem_state *s)
{
  double largest = 0;
  for (size_t i = 0; i < s->grain_count; i++) {
    const lsdem_template *shape = &s->templates[s->grains[i].shape];
    double square = s->stiffness[i] / shape->mass;
    for (size_t a = 0; a < shape->mode_count; a++)
      square += s->stiffness[i] * shape->mode_peak[a] * shape->mode_peak[a] / shape->modal.mass[a][a];
    double whole = square + shape->frequency * shape->frequency;
    double factor = lsdem_dashpot_factor(lsdem_damping_time(s->scene, s->grains[i].material), square, whole);
    largest = fmax(largest, sqrt(whole) / factor);
  }
  return 0.5 * s->time_step * largest;
}

/* ── steps ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* What the balance is measured by at least: one node pressed by 0.03 of a grid spacing, below which energies tell which nodes are in
 * contact; and what the first touch of the rig may put in. */
static double least_energy(const lsdem_state *s)
{
  double least = 0;
  for (size_t k = 0; k < s->template_count; k++) {
    const lsdem_template *shape = &s->templates[k];
    double area = 0, depth = 0.03 * shape->field.spacing;
    for (size_t n = 0; n < shape->node_count; n++) area = fmax(area, shape->area[n]);
    least = fmax(least, 0.5 * lsdem_normal_stiffness(s->scene, shape->specimen, s->scene->specimen_count) * area * depth * depth);
  }
  double mass = 0;
  for (size_t i = 0; i < s->grain_count; i++) mass += s->templates[s->grains[i].shape].mass;
  return fmax(least, ledger_first_touch(s->parts, mass, s->scene->time.duration));
}

/* Strains of the box count from here on, if they did not already. */
static void mark_box(lsdem_state *s, double time)
{
  if (s->box_zero[0] == 0 && time >= sim_box_zero(s->parts)) (void)sim_box_edges(s->parts, s->box_zero);
}

scr_status lsdem_start(lsdem_state *s, scr_error *error)
{
  s->ledger->least = least_energy(s);
  SCR_TRY(lsdem_force_pass(s, 0, error));
  ledger_begin(s->ledger, s->parts, lsdem_kinetic(s) + s->contact_energy);
  close_ledger(s);
  mark_box(s, 0);
  return SCR_OK;
}

/* A step of s->time_step that ends at `end`, s. */
static scr_status advance_once(lsdem_state *s, double end, uint64_t step, scr_error *error)
{
  double dt = s->time_step;
  remember_parts(s);
  lsdem_laws_at(s, end);
  parts_begin(s->parts, end, dt);
  kick(s, false);
  double power = dashpot_power(s);
  drift(s);
  parts_move(s->parts, end);
  count_parts(s);
  SCR_TRY(check_finite(s, step, error));
  SCR_TRY(lsdem_force_pass(s, dt, error));
  power +=
      dashpot_power(s); /* a force acts half a step before and half a step after its pass: its work is that of the middles of both steps */
  kick(s, true);
  parts_end(s->parts, dt);
  mark_box(s, end);
  ledger_book_parts(s->ledger, s->parts, s->before, s->load_before);
  s->ledger->damping += 0.5 * dt * power + dashpot_work_on_parts(s);
  close_ledger(s);
  s->fastest = fmax(s->fastest, lsdem_step_ratio(s));
  return check_modes(s, step, error);
}

/* Into how many the step that ends at `end` is divided, so that nothing goes farther than the travel that contacts can follow: see
 * lsdem_step_travel. */
static unsigned divisions(lsdem_state *s, double end)
{
  enum { MOST = 1000 };
  double dt = s->time_step, gravity = vec3_length(s->scene->rig.gravity) * dt, speed = 0, driven = 0;
  for (size_t i = 0; i < s->grain_count; i++) {
    const lsdem_grain *g = &s->grains[i];
    speed = fmax(speed, vec3_length(g->velocity) + vec3_length(lsdem_spin(s, g)) * s->templates[g->shape].reach);
  }
  for (size_t p = 0; p < s->parts->count; p++) {
    const scr_part *form = &s->parts->form[p];
    part_motion there = parts_at(s->parts, p, end);
    driven = fmax(driven, fmax(vec3_length(s->parts->now[p].velocity), vec3_length(there.velocity)));
    if (form->pivots && isfinite(form->extent))
      driven = fmax(driven, vec3_length(there.velocity) + fmax(vec3_length(s->parts->now[p].spin), vec3_length(there.spin)) * form->extent);
  }
  double needed = ceil((speed + gravity + driven) * dt / s->travel * (1 - 1e-9));
  if (needed > MOST) s->undivided = fmax(s->undivided, needed / MOST);
  return needed > MOST ? MOST : needed > 1 ? (unsigned)needed : 1;
}

scr_status lsdem_advance(lsdem_state *s, double end, uint64_t step, scr_error *error)
{
  double whole = s->time_step;
  unsigned count = divisions(s, end);
  scr_status status = SCR_OK;
  s->time_step = whole / count;
  for (unsigned k = 1; k <= count && status == SCR_OK; k++)
    status = advance_once(s, k == count ? end : end - whole + k * s->time_step, step, error);
  s->time_step = whole;
  return status;
}
