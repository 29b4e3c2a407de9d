/* One contact by itself: its name, velocities at its point, what its own velocity is counted from. */
#include "contact/warm_start.h"
#include "methods/rigid/state/state.h"

contact_key rigid_key(const rigid_contact *c)
{
  return (contact_key){(uint64_t)c->touch.a << 32 | c->touch.b, c->touch.key};
}

static scr_vec3 velocity_with(const rigid_body *body, scr_vec3 velocity, scr_vec3 spin, scr_vec3 point)
{
  return vec3_add(velocity, vec3_cross(spin, vec3_sub(point, body->centre)));
}

scr_vec3 rigid_velocity_at(const rigid_state *s, size_t i, scr_vec3 point)
{
  return velocity_with(&s->bodies[i], s->velocity[i], s->spin[i], point);
}

scr_vec3 rigid_driven_velocity(const rigid_state *s, const sim_parts *parts, const rigid_contact *c, double dt)
{
  if (c->touch.b < s->body_count) return vec3(0, 0, 0);
  size_t part = c->touch.b - s->body_count;
  return vec3_scale(part_displacement_at(&s->displacement[part], vec3_sub(c->touch.point, parts->now[part].pose.position)), 1 / dt);
}

/* A gap may close within the step; what meets fast enough to bounce, and meets in this step, bounces at once. */
double rigid_normal_offset(const rigid_state *s, const sim_parts *parts, const rigid_contact *c, double dt)
{
  const rigid_body *a = &s->bodies[c->touch.a];
  double restitution = rigid_law(s, c->touch.a, c->touch.b)->restitution, gap = c->touch.gap <= s->touching ? 0 : c->touch.gap / dt;
  if (restitution == 0) return gap;
  scr_vec3 other = rigid_driven_velocity(s, parts, c, dt);
  if (c->touch.b < s->body_count) {
    const rigid_body *b = &s->bodies[c->touch.b];
    other = velocity_with(b, b->velocity, b->spin, c->touch.point);
  } else if (s->servo_inverse_mass[c->touch.b - s->body_count] > 0) {
    size_t p = c->touch.b - s->body_count;
    other = vec3_along(other, parts->form[p].axis, s->servo_velocity[p]);
  }
  double approach = vec3_dot(vec3_sub(velocity_with(a, a->velocity, a->spin, c->touch.point), other), c->touch.normal);
  double bounce = contact_restitution(restitution, approach, s->restitution_speed);
  return bounce < 0 && gap + approach < 0 ? bounce : gap;
}
