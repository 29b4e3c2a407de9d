/* Free solids. Principal axes in space: rotation * mass.axes. */
#include "sim/rig/flight.h"

scr_vec3 flight_spin(const scr_part *form, scr_quat rotation, scr_vec3 momentum)
{
  scr_quat axes = quat_multiply(rotation, form->mass.axes);
  scr_vec3 own = quat_rotate(quat_conjugate(axes), momentum), i = form->mass.moments;
  return quat_rotate(axes, vec3(own.x / i.x, own.y / i.y, own.z / i.z));
}

part_flight flight_begin(const scr_part *form)
{
  part_flight flight = {
      .centre = vec3_add(form->start, form->mass.centre), .velocity = form->flight->velocity, .rotation = quat_identity()};
  scr_vec3 own = quat_rotate(quat_conjugate(form->mass.axes), form->flight->angular_velocity), i = form->mass.moments;
  flight.momentum = quat_rotate(form->mass.axes, vec3(own.x * i.x, own.y * i.y, own.z * i.z));
  flight.arrival = (scr_pose){flight.centre, flight.rotation};
  return flight;
}

/* From the centre of mass to the part's position, m. */
static scr_vec3 offset_of(const scr_part *form, scr_quat rotation)
{
  return vec3_scale(quat_rotate(rotation, form->mass.centre), -1);
}

void flight_kick(const scr_part *form, part_flight *flight, scr_vec3 force, scr_vec3 torque, scr_vec3 gravity, double dt)
{
  scr_vec3 about_centre = vec3_add(torque, vec3_cross(offset_of(form, flight->rotation), force));
  flight->velocity = vec3_add(flight->velocity, vec3_scale(vec3_add(vec3_scale(force, 1 / form->mass.mass), gravity), dt));
  flight->momentum = vec3_add(flight->momentum, vec3_scale(about_centre, dt));
}

/* Turns a body about its principal axis k by its momentum about it. */
static void turn_about(scr_quat *axes, double own[3], const double moments[3], int k, double dt)
{
  int a = (k + 1) % 3, b = (k + 2) % 3;
  double angle = dt * own[k] / moments[k], c = cos(angle), s = sin(angle), at_a = own[a], at_b = own[b];
  scr_vec3 turn = vec3(k == 0 ? angle : 0, k == 1 ? angle : 0, k == 2 ? angle : 0);
  own[a] = c * at_a + s * at_b; /* what is fixed in space turns back in the body */
  own[b] = c * at_b - s * at_a;
  *axes = quat_multiply(*axes, quat_exp(turn));
}

/* The rotation after dt with a constant angular momentum. */
static scr_quat turned(const scr_part *form, const part_flight *flight, double dt)
{
  const double moments[3] = {form->mass.moments.x, form->mass.moments.y, form->mass.moments.z};
  if (moments[0] == moments[1] && moments[1] == moments[2])
    return quat_normalise(quat_multiply(quat_exp(vec3_scale(flight->momentum, dt / moments[0])), flight->rotation));
  scr_quat axes = quat_multiply(flight->rotation, form->mass.axes);
  scr_vec3 in_body = quat_rotate(quat_conjugate(axes), flight->momentum);
  double own[3] = {in_body.x, in_body.y, in_body.z};
  turn_about(&axes, own, moments, 0, 0.5 * dt);
  turn_about(&axes, own, moments, 1, 0.5 * dt);
  turn_about(&axes, own, moments, 2, dt);
  turn_about(&axes, own, moments, 1, 0.5 * dt);
  turn_about(&axes, own, moments, 0, 0.5 * dt);
  return quat_normalise(quat_multiply(axes, quat_conjugate(form->mass.axes)));
}

void flight_drift(const scr_part *form, part_flight *flight, double dt, double end)
{
  flight->end = end;
  flight->arrival.position = vec3_add(flight->centre, vec3_scale(flight->velocity, dt));
  flight->arrival.rotation = turned(form, flight, dt);
}

void flight_arrive(part_flight *flight)
{
  flight->time = flight->end;
  flight->centre = flight->arrival.position;
  flight->rotation = flight->arrival.rotation;
}

flight_motion flight_at(const scr_part *form, const part_flight *flight, double time)
{
  double since = time - flight->time;
  scr_pose at = {flight->centre, flight->rotation};
  if (time == flight->end)
    at = flight->arrival;
  else if (since != 0)
    at = (scr_pose){vec3_add(flight->centre, vec3_scale(flight->velocity, since)), turned(form, flight, since)};
  scr_vec3 offset = offset_of(form, at.rotation), spin = flight_spin(form, at.rotation, flight->momentum);
  return (flight_motion){
      .pose = {vec3_add(at.position, offset), at.rotation}, .velocity = vec3_add(flight->velocity, vec3_cross(spin, offset)), .spin = spin};
}

double flight_kinetic(const scr_part *form, const part_flight *flight)
{
  double turning = vec3_dot(flight->momentum, flight_spin(form, flight->rotation, flight->momentum));
  return 0.5 * (form->mass.mass * vec3_dot(flight->velocity, flight->velocity) + turning);
}
