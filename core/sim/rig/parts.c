/* The motion of parts and their state in checkpoints. */
#include "sim/rig/parts.h"

#include <stdio.h>

#include "sim/rig/box.h"
#include "scene/shape/shape.h"

void parts_create(sim_parts *parts, const scr_rig *rig)
{
  *parts = (sim_parts){0};
  parts->count = scr_rig_parts(rig, parts->form);
  parts->box = rig->kind == SCR_RIG_BOX;
  parts->gravity = rig->gravity;
  for (size_t p = 0; p < parts->count; p++)
    if (parts->form[p].is_free) parts->flight[p] = flight_begin(&parts->form[p]);
  parts_move(parts, 0);
}

part_motion parts_at(const sim_parts *parts, size_t p, double time)
{
  const scr_part *form = &parts->form[p];
  if (form->is_free) {
    flight_motion at = flight_at(form, &parts->flight[p], time);
    return (part_motion){.pose = at.pose, .velocity = at.velocity, .spin = at.spin};
  }
  part_motion motion = {.pose = scr_part_pose(form, time), .velocity = scr_part_velocity(form, time)};
  if (form->steers) {
    const part_servo_motion *servo_motion = &parts->servo_motion[p];
    double steered = servo_motion->steered + servo_motion->velocity * (time - servo_motion->time);
    motion.pose.position = vec3_add(motion.pose.position, vec3_scale(form->axis, steered));
    motion.velocity = vec3_add(motion.velocity, vec3_scale(form->axis, servo_motion->velocity));
  }
  if (!form->turn) return motion;
  motion.angle = scr_part_angle(form, time);
  motion.spin = vec3_scale(form->turn_axis, scr_part_angular_velocity(form, time));
  return motion;
}

void parts_move(sim_parts *parts, double time)
{
  for (size_t p = 0; p < parts->count; p++) parts->now[p] = parts_at(parts, p, time);
}

/* ── free parts ─────────────────────────────────────────────────────────────────────────────────────────────────── */

void parts_end(sim_parts *parts, double dt)
{
  for (size_t p = 0; p < parts->count; p++) {
    part_flight *flight = &parts->flight[p];
    const part_load *load = &parts->load[p];
    if (!parts->form[p].is_free) continue;
    flight_arrive(flight);
    flight_kick(&parts->form[p], flight, load->force, load->torque, parts->gravity, 0.5 * dt);
    parts->now[p] = parts_at(parts, p, flight->time);
  }
}

void parts_hit(sim_parts *parts, size_t p, scr_vec3 impulse, scr_vec3 turning)
{
  flight_kick(&parts->form[p], &parts->flight[p], impulse, turning, vec3(0, 0, 0), 1);
  parts->now[p] = parts_at(parts, p, parts->flight[p].time);
}

double parts_inverse_mass(const sim_parts *parts, size_t p, scr_vec3 point, scr_vec3 along)
{
  const scr_part *form = &parts->form[p];
  if (!form->is_free) return 0;
  scr_vec3 arm = vec3_cross(vec3_sub(point, parts->flight[p].centre), along);
  return 1 / form->mass.mass + vec3_dot(arm, flight_spin(form, parts->flight[p].rotation, arm));
}

double parts_inverse_inertia(const sim_parts *parts, size_t p, scr_vec3 axis)
{
  const scr_part *form = &parts->form[p];
  return form->is_free ? vec3_dot(axis, flight_spin(form, parts->flight[p].rotation, axis)) : 0;
}

bool parts_fly(const sim_parts *parts)
{
  for (size_t p = 0; p < parts->count; p++)
    if (parts->form[p].is_free) return true;
  return false;
}

double parts_kinetic(const sim_parts *parts)
{
  double sum = 0;
  for (size_t p = 0; p < parts->count; p++)
    if (parts->form[p].is_free) sum += flight_kinetic(&parts->form[p], &parts->flight[p]);
  return sum;
}

double parts_energy(const sim_parts *parts)
{
  double sum = parts_kinetic(parts);
  for (size_t p = 0; p < parts->count; p++) {
    const scr_part *form = &parts->form[p];
    if (!form->is_free) continue;
    scr_vec3 displacement = vec3_sub(parts->flight[p].centre, vec3_add(form->start, form->mass.centre));
    sum -= form->mass.mass * vec3_dot(parts->gravity, displacement);
  }
  return sum;
}

/* ── servos ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Of the specimens across the load, m^2, about: as if all were one cube; INFINITY: they are no solids. */
static double section_of(const scr_scene *scene)
{
  double volume = 0;
  for (size_t i = 0; i < scene->specimen_count; i++)
    volume += scr_shape_volume(&scene->specimens[i].shape) * (double)scene->specimens[i].position_count;
  return volume > 0 ? cbrt(volume * volume) : INFINITY;
}

void parts_tune(sim_parts *parts, const scr_scene *scene, part_response response)
{
  parts->response = response;
  parts->section = section_of(scene);
}

static double target_of(const sim_parts *parts, size_t p, const scr_servo *servo)
{
  if (!isnan(servo->force)) return servo->force;
  if (servo->present_area) return servo->stress * sim_box_face(parts, p);
  return servo->stress * (isnan(servo->area) ? scr_part_area(&parts->form[p]) : servo->area);
}

bool parts_servo(const sim_parts *parts, size_t p, double time, double *force, double *gain, double *most)
{
  const scr_part *form = &parts->form[p];
  double since;
  const scr_segment *segment = form->program ? scr_program_servo(form->program, time, &since) : NULL;
  if (!segment) return false;
  const scr_servo *servo = &segment->servo;
  double target = target_of(parts, p, servo), before = 0;
  if (segment > form->program->segments && segment[-1].kind == SCR_SEGMENT_SERVO) before = target_of(parts, p, &segment[-1].servo);
  if (since < servo->rise_time) target = before + (target - before) * (since / servo->rise_time);
  *force = target;
  *gain = servo->gain;
  *most = isnan(servo->maximum_velocity) ? (double)INFINITY : servo->maximum_velocity;
  return true;
}

/* Half of the velocity at which the force grows in one step by what is missing, and no more than waves carry away. An explicit step has the
 * contact's spring alone; in an implicit one what lies behind gives way too, in series: as far as a wave goes, or as a whole. */
static double automatic_gain(const part_response *response, double area, double dt)
{
  double gain = 0.5 / (response->stiffness * area * dt), behind = fmax(response->impedance, response->bodies * dt);
  if (response->bodies > 0) gain += 0.5 / (behind * area);
  return fmin(1 / (response->impedance * area), gain);
}

/* Velocity along the part's axis that its program's servo asks for at `time`; 0 when none is under way. */
static double servo_velocity(const sim_parts *parts, size_t p, double time, double dt)
{
  const scr_part *form = &parts->form[p];
  const part_load *load = &parts->load[p];
  double target, gain, most, area = fmin(scr_part_area(form), parts->section);
  if (!parts_servo(parts, p, time, &target, &gain, &most)) return 0;
  if (isnan(gain)) gain = automatic_gain(&parts->response, area, dt);
  scr_vec3 felt = vec3_add(load->force, vec3_scale(load->impulse, 1 / dt));
  double velocity = gain * (target + vec3_dot(felt, form->axis) * form->sign);
  if (isfinite(most)) velocity = fmax(-most, fmin(most, velocity));
  return velocity * form->sign;
}

void parts_begin(sim_parts *parts, double end, double dt)
{
  double start = end - dt;
  for (size_t p = 0; p < parts->count; p++) {
    const part_load *load = &parts->load[p];
    if (parts->form[p].is_free) {
      flight_kick(&parts->form[p], &parts->flight[p], load->force, load->torque, parts->gravity, 0.5 * dt);
      flight_drift(&parts->form[p], &parts->flight[p], dt, end);
    }
    if (!parts->form[p].steers) continue;
    part_servo_motion *servo_motion = &parts->servo_motion[p];
    servo_motion->steered += servo_motion->velocity * (start - servo_motion->time);
    servo_motion->time = start;
    servo_motion->velocity = servo_velocity(parts, p, start, dt);
  }
}

scr_status parts_check_servos(const scr_scene *scene, double time_step, part_response response, scr_problems *problems)
{
  scr_part parts[SCR_PART_LIMIT];
  double across = section_of(scene);
  for (size_t p = 0, count = scr_rig_parts(&scene->rig, parts); p < count; p++)
    for (size_t i = 0; parts[p].steers && i < parts[p].program->segment_count; i++) {
      const scr_segment *segment = &parts[p].program->segments[i];
      double stiffness = response.stiffness * fmin(scr_part_area(&parts[p]), across), bound = 1 / (stiffness * time_step);
      char pointer[96], given[40], allowed[60];
      snprintf(pointer, sizeof pointer, "%s/%zu/gain", parts[p].program_pointer, i);
      if (segment->kind == SCR_SEGMENT_SERVO && isnan(segment->servo.gain) && isinf(stiffness))
        SCR_TRY(scr_problems_add(problems, pointer, "", "a number > 0, in m/(N s)",
                                 "%s has no rectangle and the specimens are no solids, so no gain can be chosen: give one", parts[p].name));
      if (segment->kind != SCR_SEGMENT_SERVO || !(segment->servo.gain > bound)) continue;
      snprintf(given, sizeof given, "%.6g", segment->servo.gain);
      snprintf(allowed, sizeof allowed, "at most %.6g m/(N s)", bound);
      SCR_TRY(scr_problems_add(problems, pointer, given, allowed,
                               "in one step of %.3g s the servo of %s would answer to a lack of force by more than that lack, as contacts "
                               "are as stiff as %.3g N/m there, and swing ever more: use a gain of at most %.4g m/(N s), or null to have "
                               "it chosen",
                               time_step, parts[p].name, stiffness, bound));
    }
  return SCR_OK;
}

/* Of a free part across the load, m^2, at most. */
static double section_of_free(const scr_part *form)
{
  return 3.14159265358979323846 * form->extent * form->extent;
}

scr_status parts_check_free(const scr_scene *scene, double time_step, part_response response, scr_problems *problems)
{
  scr_part parts[SCR_PART_LIMIT];
  double across = section_of(scene);
  for (size_t p = 0, count = scr_rig_parts(&scene->rig, parts); p < count; p++) {
    double stiffness = response.stiffness * fmin(section_of_free(&parts[p]), across), least = stiffness * time_step * time_step;
    char pointer[64], given[40], allowed[60];
    if (!parts[p].is_free || !(parts[p].mass.mass < least)) continue;
    snprintf(pointer, sizeof pointer, "%s/free", parts[p].pointer);
    snprintf(given, sizeof given, "%.6g kg", parts[p].mass.mass);
    snprintf(allowed, sizeof allowed, "at least %.6g kg", least);
    SCR_TRY(scr_problems_add(problems, pointer, given, allowed,
                             "%s is too light: contacts as stiff as %.3g N/m could throw it about in a step of %.3g s; make it heavier, or "
                             "time_step at most %.4g s",
                             parts[p].name, stiffness, time_step, time_step * sqrt(parts[p].mass.mass / least)));
  }
  return SCR_OK;
}

/* ── ways ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

part_displacement part_displacement_between(const scr_part *form, const part_motion *before, const part_motion *after)
{
  part_displacement displacement = {.displacement = vec3_sub(after->pose.position, before->pose.position)};
  if (form->is_free) displacement.turn = quat_log(quat_multiply(after->pose.rotation, quat_conjugate(before->pose.rotation)));
  if (form->turn) displacement.turn = vec3_scale(form->turn_axis, after->angle - before->angle);
  return displacement;
}

double part_travel(const scr_part *form, const part_motion *before, const part_motion *after, double span)
{
  part_displacement displacement = part_displacement_between(form, before, after);
  double gone = vec3_length(displacement.displacement);
  if (!form->pivots) return gone;
  return gone + vec3_length(displacement.turn) * fmin(span, form->extent); /* a chord is never longer than its arc */
}

scr_status parts_save(const sim_parts *parts, scr_blob *blob, scr_error *error)
{
  SCR_TRY(scr_blob_write_array(blob, parts->now, parts->count, sizeof *parts->now, error));
  SCR_TRY(scr_blob_write_array(blob, parts->load, parts->count, sizeof *parts->load, error));
  SCR_TRY(scr_blob_write_array(blob, parts->servo_motion, parts->count, sizeof *parts->servo_motion, error));
  return parts_fly(parts) ? scr_blob_write_array(blob, parts->flight, parts->count, sizeof *parts->flight, error) : SCR_OK;
}

scr_status parts_load(sim_parts *parts, scr_blob *blob, scr_error *error)
{
  SCR_TRY(scr_blob_read_finite(blob, parts->now, parts->count, sizeof *parts->now, "parts of the rig", error));
  SCR_TRY(scr_blob_read_finite(blob, parts->load, parts->count, sizeof *parts->load, "parts of the rig", error));
  SCR_TRY(scr_blob_read_array(blob, parts->servo_motion, parts->count, sizeof *parts->servo_motion, "parts of the rig", error));
  if (!parts_fly(parts)) return SCR_OK;
  return scr_blob_read_array(blob, parts->flight, parts->count, sizeof *parts->flight, "free parts", error);
}
