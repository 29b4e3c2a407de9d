/* Room of a pack, its velocities, and how far it is from the law. */
#include "contact/balls/ball_pack.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/balls/ball_vector.h"

scr_status ball_pack_reserve(ball_pack *p, size_t bodies, size_t contacts, size_t rolling, scr_error *error)
{
  SCR_TRY(mem_reserve(&p->body, &p->body_capacity, bodies, sizeof *p->body, "bodies of a pack", error));
  SCR_TRY(mem_reserve(&p->contact, &p->contact_capacity, contacts, sizeof *p->contact, "contacts of a pack", error));
  SCR_TRY(mem_reserve(&p->rolling, &p->rolling_capacity, rolling, sizeof *p->rolling, "rolling contacts of a pack", error));
  SCR_TRY(mem_reserve(&p->free, &p->free_capacity, 6 * bodies, sizeof *p->free, "velocities of a pack", error));
  SCR_TRY(mem_reserve(&p->before, &p->before_capacity, 6 * bodies, sizeof *p->before, "velocities of a pack", error));
  return mem_reserve(&p->best, &p->best_capacity, 3 * (contacts + rolling), sizeof *p->best, "impulses of a pack", error);
}

void ball_pack_clear(ball_pack *p)
{
  mem_free(p->body);
  mem_free(p->contact);
  mem_free(p->rolling);
  mem_free(p->free);
  mem_free(p->before);
  mem_free(p->best);
  *p = (ball_pack){0};
}

void ball_pack_set_velocities(ball_pack *p)
{
  for (size_t i = 0; i < p->body_count; ++i) {
    memcpy(p->body[i].velocity, p->free + 6 * i, 3 * sizeof(double));
    memcpy(p->body[i].spin, p->free + 6 * i + 3, 3 * sizeof(double));
  }
  size_t free = p->contact_count - p->steered_count;
  for (size_t k = 0; k < free; ++k) ball_push(&p->contact[k], p->contact[k].impulse, false, p->body);
  for (size_t k = free; k < p->contact_count; ++k) ball_push(&p->contact[k], p->contact[k].impulse, true, p->body);
  for (size_t k = 0; k < p->rolling_count; ++k) ball_turn(&p->rolling[k], p->rolling[k].couple, p->body);
}

void ball_pack_relative(const ball_pack *p, size_t contact, double velocity[3])
{
  ball_relative(&p->contact[contact], p->body, velocity);
}

/* The natural map of De Saxcé's change of variable, where mu > 1 that of Alart and Curnier, and what the law says of the normal alone
 * (system/system.c). */
static double residual_of(const ball_contact *c, const ball_body *body)
{
  double u[3], rn, un, ut[3], rt[3], point[3], slip, t, size = 0.0;
  double across = c->give_tangent > 0.0 ? 1.0 / c->give_tangent : 0.0, scale = (1.0 / c->give_normal + 2.0 * across) / 3.0,
         mu = c->friction;
  ball_relative(c, body, u);
  ball_split(c->normal, u, &un, ut);
  ball_split(c->normal, c->impulse, &rn, rt);
  un += c->offset;
  slip = sqrt(ball_dot(ut, ut));
  double normal = scale * rn - un - (mu > 1.0 ? 0.0 : mu * slip), along = normal, share = 1.0;
  for (int k = 0; k < 3; ++k) point[k] = scale * rt[k] - ut[k];
  t = sqrt(ball_dot(point, point));
  if (mu > 1.0) {
    along = fmax(normal, 0.0);
    share = t > mu * along ? mu * along / t : 1.0;
  } else if (mu * t <= -normal) {
    along = share = 0.0;
  } else if (normal < 0.0 || t > mu * normal) {
    along = (normal + mu * t) / (1.0 + mu * mu);
    share = t > 0.0 ? mu * along / t : 0.0;
  }
  for (int k = 0; k < 3; ++k) size += (scale * rt[k] - share * point[k]) * (scale * rt[k] - share * point[k]);
  double map = sqrt(size + (scale * rn - along) * (scale * rn - along)), slope = mu > 1.0 ? 1.0 : 1.0 + mu;
  return fmax(map, fmax(-un / slope, fmin(scale * rn, un) / (slope * slope)));
}

static double residual_of_rolling(const ball_rolling *c, const ball_body *body)
{
  double give = body[c->a].inverse_inertia + body[c->b].inverse_inertia, w[3], tangent[3], about, own, couple[3], normal;
  double error[3], limit = give * c->limit;
  ball_difference(body[c->a].spin, body[c->b].spin, w);
  ball_split(c->normal, w, &about, tangent);
  ball_split(c->normal, c->couple, &own, couple);
  normal = give * own - about;
  normal = fmax(-limit, fmin(limit, normal)) - give * own;
  for (int k = 0; k < 3; ++k) error[k] = give * couple[k] - tangent[k];
  double size = sqrt(ball_dot(error, error)), share = size > limit ? limit / size : 1.0;
  for (int k = 0; k < 3; ++k) error[k] = share * error[k] - give * couple[k];
  return c->arm * sqrt(ball_dot(error, error) + normal * normal);
}

double ball_pack_residual(const ball_pack *p)
{
  double largest = 0.0;
  for (size_t k = 0; k < p->contact_count; ++k) {
    double residual = residual_of(&p->contact[k], p->body);
    if (!(residual <= largest)) largest = residual;
    if (!isfinite(residual)) return HUGE_VAL;
  }
  for (size_t k = 0; k < p->rolling_count; ++k) {
    double residual = residual_of_rolling(&p->rolling[k], p->body);
    if (!(residual <= largest)) largest = residual;
    if (!isfinite(residual)) return HUGE_VAL;
  }
  return largest;
}
