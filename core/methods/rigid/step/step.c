/* One step, from free motion to loads of parts. */
#include <float.h>

#include "base/memory.h"
#include "methods/rigid/state/state.h"
#include "methods/rigid/step/islands.h"
#include "methods/rigid/step/sleep.h"
#include "sim/time_step.h"

/* ── before: parts and free motion ──────────────────────────────────────────────────────────────────────────────── */

/* Where a program alone takes a part, without what its servo does. */
static part_motion programmed(const scr_part *form, double time)
{
  return (part_motion){.pose = scr_part_pose(form, time), .angle = form->turn ? scr_part_angle(form, time) : 0};
}

/* Over the step, without what the part's servo does in it: exactly zero where a servo alone moves it, as packs are swept only then. */
static part_displacement driven_displacement(const sim_parts *parts, size_t p, double start, double end)
{
  const scr_part *form = &parts->form[p];
  part_motion before = form->steers ? programmed(form, start) : parts->now[p];
  part_motion after = form->steers ? programmed(form, end) : parts_at(parts, p, end);
  return part_displacement_between(form, &before, &after);
}

/* Where parts go in the step. A servo is a dashpot of 1 / gain in series with its force: in the contact problem a body of one freedom that
 * yields by gain / dt to impulses, so that it never swings however hard what it presses. */
static void plan_parts(rigid_state *s, const sim_parts *parts, double start, double end, double *speed)
{
  double dt = end - start;
  for (size_t p = 0; p < parts->count; p++) {
    const scr_part *form = &parts->form[p];
    double target, gain, most;
    s->displacement[p] = (part_displacement){0};
    s->servo_inverse_mass[p] = s->servo_velocity[p] = speed[p] = 0;
    if (form->is_free) continue;
    s->displacement[p] = driven_displacement(parts, p, start, end);
    if (parts_servo(parts, p, start, &target, &gain, &most)) {
      s->servo_inverse_mass[p] = gain / dt;
      s->servo_velocity[p] = form->sign * fmax(-most, fmin(most, gain * target));
    }
    double extent = isfinite(form->extent) ? form->extent : 0;
    speed[p] =
        vec3_length(s->displacement[p].displacement) / dt + vec3_length(s->displacement[p].turn) * extent / dt + fabs(s->servo_velocity[p]);
  }
}

/* A plane that turns moves as fast as the farthest body is from its position. */
static double reach_from(const rigid_state *s, scr_vec3 point)
{
  double farthest = 0;
  for (size_t i = 0; i < s->body_count; i++)
    farthest =
        fmax(farthest, vec3_length(vec3_sub(s->bodies[i].centre, point)) + s->shapes[s->bodies[i].shape].extent * s->bodies[i].scale);
  return farthest;
}

static void prepare_bodies(rigid_state *s, double dt, scr_execution execution)
{
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (size_t i = 0; i < s->body_count; i++) s->free[i] = rigid_body_free(&s->bodies[i], s->scene->rig.gravity, dt);
}

static scr_status find_contacts(rigid_state *s, const sim_parts *parts, const double *speed, double dt, scr_execution execution,
                                scr_error *error)
{
  const detect_scene view = {.shapes = s->shapes,
                             .bodies = s->bodies,
                             .body_count = s->body_count,
                             .specimen_bodies = s->specimen_bodies,
                             .parts = parts,
                             .part_pieces = s->part_pieces,
                             .margin = s->margin,
                             .time_step = dt,
                             .gravity = s->scene->rig.gravity,
                             .part_speed = speed};
  return detect_run(&s->detection, &view, execution, error);
}

/* ── after: energies, places, loads ─────────────────────────────────────────────────────────────────────────────── */

/* 1/2 dv M dv of what contacts may touch, whose places follow with the velocity of the end, and what the gyroscopic rule took: their part
 * of what is lost. */
static double lost_by_steps(const rigid_body *body, const rigid_free *free, scr_vec3 velocity, scr_vec3 spin, double dt)
{
  scr_vec3 dv = vec3_sub(velocity, body->velocity), dw = vec3_sub(spin, free->turning.spin);
  scr_quat middle = quat_multiply(quat_exp(vec3_scale(free->turning.spin, 0.5 * dt)), body->attitude);
  scr_vec3 own = quat_rotate(quat_conjugate(middle), dw);
  double turning = body->moments.x * own.x * own.x + body->moments.y * own.y * own.y + body->moments.z * own.z * own.z;
  double falling = free->untouched ? 0 : 0.5 * body->mass * vec3_dot(dv, dv);
  return falling + 0.5 * turning + 0.5 * vec3_dot(vec3_sub(body->spin, free->turning.spin), body->momentum);
}

/* Velocity of b, or of a part, at a contact. */
static scr_vec3 velocity_of_other(const rigid_state *s, const sim_parts *parts, const rigid_contact *c, double dt)
{
  if (c->touch.b < s->body_count) return rigid_velocity_at(s, c->touch.b, c->touch.point);
  size_t p = c->touch.b - s->body_count;
  scr_vec3 driven = vec3_scale(part_displacement_at(&s->displacement[p], vec3_sub(c->touch.point, parts->now[p].pose.position)), 1 / dt);
  return s->servo_inverse_mass[p] > 0 ? vec3_along(driven, parts->form[p].axis, s->servo_velocity[p]) : driven;
}

static void book_contacts(rigid_state *s, sim_parts *parts, double dt)
{
  sim_ledger *ledger = s->ledger;
  for (size_t k = 0; k < s->contact_count; k++) {
    const rigid_contact *c = &s->contacts[k];
    scr_vec3 impulse = rigid_impulse(c), other = velocity_of_other(s, parts, c, dt);
    scr_vec3 u = vec3_sub(rigid_velocity_at(s, c->touch.a, c->touch.point), other);
    double along = vec3_dot(u, c->touch.normal), normal = vec3_dot(impulse, c->touch.normal), slid = vec3_dot(impulse, u) - normal * along;
    ledger->friction -= fmin(slid, 0); /* what a contact at rest gives is what the solver left, and no friction */
    ledger->impact -= normal * along + fmax(slid, 0);
    scr_vec3 couple = rigid_couple(c), turning = rigid_other_spin(s, c, dt);
    double rolled = vec3_dot(couple, vec3_sub(s->spin[c->touch.a], turning));
    ledger->friction -= fmin(rolled, 0);
    ledger->impact -= fmax(rolled, 0);
    if (c->touch.b < s->body_count) continue;
    size_t p = c->touch.b - s->body_count;
    part_load *load = &parts->load[p];
    load->impulse = vec3_sub(load->impulse, impulse);
    load->turning = vec3_sub(load->turning, vec3_add(couple, vec3_cross(vec3_sub(c->touch.point, parts->now[p].pose.position), impulse)));
    ledger->rig += vec3_dot(impulse, other) + vec3_dot(couple, turning);
  }
}

/* Free parts are bodies here: sim->parts is told where they are. */
static void set_free_parts(const rigid_state *s, sim_parts *parts, double end)
{
  for (size_t p = 0; p < parts->count; p++) {
    if (s->part_body[p] == UINT32_MAX) continue;
    const rigid_body *body = &s->bodies[s->part_body[p]];
    scr_quat rotation = quat_normalise(quat_multiply(body->attitude, quat_conjugate(parts->form[p].mass.axes)));
    parts->flight[p] = (part_flight){.time = end,
                                     .centre = body->centre,
                                     .velocity = body->velocity,
                                     .momentum = body->momentum,
                                     .rotation = rotation,
                                     .end = end,
                                     .arrival = {body->centre, rotation}};
  }
}

/* What contacts do to free parts, for their curves. */
static void load_free_parts(const rigid_state *s, sim_parts *parts)
{
  for (size_t k = 0; k < s->contact_count; k++) {
    const rigid_contact *c = &s->contacts[k];
    for (size_t p = 0; p < parts->count; p++) {
      bool as_a = c->touch.a == s->part_body[p], as_b = c->touch.b == s->part_body[p];
      if (!as_a && !as_b) continue;
      double sign = as_a ? 1 : -1;
      scr_vec3 impulse = vec3_scale(rigid_impulse(c), sign), couple = vec3_scale(rigid_couple(c), sign);
      part_load *load = &parts->load[p];
      load->impulse = vec3_add(load->impulse, impulse);
      load->turning = vec3_add(load->turning, vec3_add(couple, vec3_cross(vec3_sub(c->touch.point, parts->now[p].pose.position), impulse)));
    }
  }
}

static void move_parts(rigid_state *s, sim_parts *parts, double end, double dt)
{
  parts_begin(parts, end, dt);
  for (size_t p = 0; p < parts->count; p++)
    if (parts->form[p].steers) parts->servo_motion[p].velocity = s->servo_inverse_mass[p] > 0 ? s->servo_velocity[p] : 0;
  set_free_parts(s, parts, end);
  parts_move(parts, end);
}

static void move_bodies(rigid_state *s, double dt)
{
  scr_vec3 gravity = s->scene->rig.gravity;
  for (size_t i = 0; i < s->body_count; i++) {
    rigid_body *body = &s->bodies[i];
    s->ledger->impact += lost_by_steps(body, &s->free[i], s->velocity[i], s->spin[i], dt);
    scr_vec3 mean = s->free[i].untouched ? vec3_scale(vec3_add(body->velocity, s->velocity[i]), 0.5) : s->velocity[i];
    if (i < s->specimen_bodies) s->ledger->gravity += body->mass * dt * vec3_dot(gravity, mean);
    rigid_body_move(body, &s->free[i], s->velocity[i], s->spin[i], dt);
  }
}

/* What is lifted has no energy here: the work of its weight and of what lifts it are sizes by themselves. */
static void close_ledger(const rigid_state *s, const sim_parts *parts)
{
  double works = fmax(fabs(s->ledger->rig), fabs(s->ledger->gravity)), given = fabs(s->ledger->start + ledger_external(s->ledger));
  ledger_close(s->ledger, parts, fmax(rigid_kinetic(s), fmax(works, given)));
}

static scr_status check_bodies(const rigid_state *s, const scr_sim *sim, scr_error *error)
{
  for (size_t i = 0; i < s->body_count; i++) {
    const rigid_body *body = &s->bodies[i];
    double sum = body->centre.x + body->centre.y + body->centre.z + vec3_length(body->momentum) + body->attitude.w;
    if (isfinite(sum) && vec3_length(body->centre) < 1e12) continue;
    return sim_not_finite(error, sim->steps + 1, sim->time_step, "body %zu", i);
  }
  return SCR_OK;
}

static void doubt_unsolved(scr_sim *sim)
{
  const rigid_report *report = &((const rigid_state *)sim->state)->report;
  const char *advice = report->pack ? "balls move by more than sweeps can follow: use smaller steps, or accuracy exact"
                                    : "use smaller steps, more iterations or solver auto, and drive nothing into a place too small for it";
  scr_sim_doubt(sim, "unsolved_steps",
                "%llu of %llu steps were not solved to %s %.3g (worst relative residual %.3g, deepest overlap since %.3g m): motion and "
                "forces of these are wrong by about that; %s",
                (unsigned long long)report->unsolved, (unsigned long long)sim->steps + 1,
                report->pack ? "the share of what gravity gives in a step that accuracy promises," : "the tolerance of", report->limit,
                report->worst_residual, report->deepest, advice);
}

static scr_status report_unsolved(scr_sim *sim, double end, scr_error *error)
{
  rigid_state *s = sim->state;
  if (s->report.unsolved > 0 && s->report.penetration > s->report.deepest) {
    s->report.deepest = s->report.penetration;
    doubt_unsolved(sim);
  }
  s->report.in_a_row = s->report.excess <= 1 ? 0 : s->report.in_a_row + 1;
  if (s->report.in_a_row == 0) return SCR_OK;
  const double row[] = {end, (double)sim->steps + 1, s->report.residual, (double)s->report.iterations, (double)s->contact_count};
  s->report.unsolved++;
  s->report.worst_residual = fmax(s->report.worst_residual, s->report.residual);
  s->report.deepest = fmax(s->report.deepest, s->report.penetration);
  doubt_unsolved(sim);
  return scr_sim_add_row(sim, s->unsolved_table, row, error);
}

/* What an accuracy promises of overlaps in packs, and a run has not kept; overlaps that the scene begins with are its own. */
static void doubt_pack(scr_sim *sim, double share)
{
  rigid_state *s = sim->state;
  double promised = fmax(rigid_promised(s->options)->overlap, 1.01 * s->report.start_share);
  if (share <= promised || share <= s->report.pack_overlap) return;
  s->report.pack_overlap = share;
  scr_sim_doubt(
      sim, "pack_overlap",
      "balls overlap each other or the rig by %.3g of their radius, but accuracy promises %.3g: use a smaller time_step, or accuracy exact",
      share, promised);
}

/* Of bodies deeper in each other than is allowed, though each step was solved. */
static void doubt_overlap(scr_sim *sim, double share, double allowed)
{
  rigid_state *s = sim->state;
  if (share <= fmax(allowed, s->report.overlap)) return;
  s->report.overlap = share;
  scr_sim_doubt(sim, "overlap",
                "bodies overlap each other or the rig by %.3g of the extent of the smaller, more than %.3g: in a step they go or turn "
                "farther than contacts foresee by what is near at its start; use a smaller time_step",
                share, allowed);
}

/* Bodies deeper in each other than a tenth of the smaller, and deeper than the scene put them, are a doubt; once a step was left unsolved,
 * or that of a pack of balls above its measure, no result any more. */
static scr_status check_overlaps(scr_sim *sim, scr_error *error)
{
  const double refused = 0.1;
  rigid_state *s = sim->state;
  double share = 0, deep = 0;
  for (size_t k = 0; k < s->contact_count; k++) {
    double extent;
    (void)rigid_lies_in(s, &s->contacts[k].touch, &extent);
    if (-s->contacts[k].touch.gap <= share * extent) continue;
    deep = -s->contacts[k].touch.gap;
    share = deep / extent;
  }
  if (sim->steps == 0) s->report.start_share = share;
  double allowed = fmax(refused, 1.01 * s->report.start_share);
  if (s->report.pack == RIGID_SWEPT)
    doubt_pack(sim, share);
  else
    doubt_overlap(sim, share, allowed);
  uint64_t failed = s->report.unsolved + (s->report.pack == RIGID_SWEPT ? s->report.above : 0);
  if (failed == 0 || share <= allowed) return SCR_OK;
  return scr_fail(error, SCR_DIVERGED, NULL,
                  "bodies overlap each other or the rig by %.3g m at step %llu (%.3g of the extent of the smaller; %g is allowed) after "
                  "%llu steps that the contact solver left unsolved, by up to %.3g: use a smaller time_step, more iterations or solver "
                  "auto, and drive nothing into a place too small for it",
                  deep, (unsigned long long)sim->steps + 1, share, refused, (unsigned long long)failed,
                  fmax(s->report.worst_residual, s->report.residual));
}

/* Overlaps of the start are removed without a trace in speeds and energies: a person who typed a length wrong would not see it. */
static void doubt_start(scr_sim *sim)
{
  const rigid_state *s = sim->state;
  double worst = 0;
  if (sim->steps > 0) return;
  for (size_t k = 0; k < s->contact_count; k++) {
    double deep = -s->contacts[k].touch.gap, extent;
    if (!rigid_lies_in(s, &s->contacts[k].touch, &extent) || deep <= worst * extent) continue;
    worst = deep / extent;
    scr_sim_doubt(sim, "start_overlap",
                  "at the start a body is %.3g m inside another, or in the rig, and reaches no farther than %.3g m from its own middle: "
                  "they were moved apart without gaining speed, so the run does not begin as the scene says; place them without overlap, "
                  "and check that sizes and places are in one unit",
                  deep, extent);
  }
}

/* Parts planned and bodies prepared for a piece of a step, and what may touch in it. */
static scr_status look_ahead(scr_sim *sim, double start, double end, scr_error *error)
{
  rigid_state *s = sim->state;
  double dt = end - start, speed[SCR_PART_LIMIT];
  plan_parts(s, &sim->parts, start, end, speed);
  for (size_t p = 0; p < sim->parts.count; p++)
    if (isinf(sim->parts.form[p].extent) && vec3_length(s->displacement[p].turn) > 0)
      speed[p] += vec3_length(s->displacement[p].turn) / dt * reach_from(s, sim->parts.now[p].pose.position);
  prepare_bodies(s, dt, sim->execution);
  return find_contacts(s, &sim->parts, speed, dt, sim->execution, error);
}

/* A piece of a step, or the whole, once look_ahead has looked at it. What the solver did in all pieces is summed up in `total`. */
static scr_status run_piece(scr_sim *sim, double start, double end, rigid_report *total, scr_error *error)
{
  rigid_state *s = sim->state;
  double dt = end - start;
  SCR_TRY(rigid_contacts(sim, dt, error));
  s->contact_time = dt;
  total->residual = fmax(total->residual, s->report.residual);
  total->excess = fmax(total->excess, s->report.excess);
  total->is_above |= s->report.is_above;
  total->iterations += s->report.iterations;
  total->factorisations += s->report.factorisations;
  total->penetration = fmax(total->penetration, s->report.penetration);
  if (start == sim->time) doubt_start(sim);
  book_contacts(s, &sim->parts, dt);
  load_free_parts(s, &sim->parts);
  move_bodies(s, dt);
  SCR_TRY(rigid_separate(s, &sim->parts, dt, sim->execution, error));
  move_parts(s, &sim->parts, end, dt);
  return SCR_OK;
}

/* Pieces up to each fast impact, and over it, until none is left in the step; @param start receives where its last piece begins, which has
 * been looked at. */
static scr_status run_up_to_impacts(scr_sim *sim, double *start, double end, rigid_report *total, scr_error *error)
{
  enum { FEW = 8, ROUNDS = 24 };
  double least = 1e-6 * sim->time_step, speed[SCR_PART_LIMIT];
  rigid_state *s = sim->state;
  bool many = false;
  SCR_TRY(look_ahead(sim, *start, end, error));
  for (unsigned round = 0; round < ROUNDS; round++) {
    rigid_impact next = rigid_next_impact(s, &sim->parts, end - *start, round == 0, many);
    if (!many && (next.pairs > FEW || round >= FEW * 2)) {
      many = true;
      next = rigid_next_impact(s, &sim->parts, end - *start, round == 0, many);
    }
    if (next.pairs == 0 || end - *start < 10 * least) break;
    double until = *start + fmax(next.time, least);
    if (until > end - least) break;
    s->touching = next.touching;
    plan_parts(s, &sim->parts, *start, until, speed);
    prepare_bodies(s, until - *start, sim->execution);
    rigid_narrow_touches(s, &sim->parts, until - *start);
    scr_status status = run_piece(sim, *start, until, total, error);
    s->touching = 0;
    SCR_TRY(status);
    *start = until;
    SCR_TRY(look_ahead(sim, *start, end, error));
  }
  if (*start > sim->time) rigid_narrow_touches(s, &sim->parts, end - *start);
  return SCR_OK;
}

scr_status rigid_advance(scr_sim *sim, double end, scr_error *error)
{
  rigid_state *s = sim->state;
  rigid_report total = {0};
  double start = sim->time;
  for (size_t p = 0; p < sim->parts.count; p++) sim->parts.load[p] = (part_load){0};
  SCR_TRY(run_up_to_impacts(sim, &start, end, &total, error));
  SCR_TRY(run_piece(sim, start, end, &total, error));
  s->report.residual = total.residual;
  s->report.excess = total.excess;
  s->report.above += total.is_above;
  s->report.iterations = total.iterations;
  s->report.factorisations = total.factorisations;
  s->report.penetration = total.penetration;
  if (s->report.pack != RIGID_SWEPT && rigid_islands_sleep(s))
    rigid_islands_fall_asleep(s);
  else
    rigid_fall_asleep(s);
  SCR_TRY(rigid_keep_problem(sim, error));
  close_ledger(s, &sim->parts);
  SCR_TRY(check_bodies(s, sim, error));
  SCR_TRY(report_unsolved(sim, end, error));
  return check_overlaps(sim, error);
}
