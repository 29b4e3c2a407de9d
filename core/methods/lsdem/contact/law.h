/** The contact of a node with a surface: pressure over its tributary area A, with friction that remembers.
 *
 *      f_n = k_n A (d + T d') n, never tensile;  spring s of friction turned along with the normal, stretched by the slip; f_t = -k_t A s, at most mu f_n
 *
 *  Source: the method's specification, section 3.5; the area's weight after Feldfogel et al. 2024. */
#ifndef SCREE_LSDEM_CONTACT_LAW_H
#define SCREE_LSDEM_CONTACT_LAW_H

#include <stdbool.h>

#include "base/vec3.h"
#include "methods/lsdem/contact/bond.h"

/** A contact's law, for one square metre. */
typedef struct lsdem_law {
  double normal;   /**< k_n, N/m^3; NaN: automatic, by the bodies that touch */
  double shear;    /**< k_t, N/m^3; over k_n where that is automatic */
  double friction; /**< mu */
  double damping;  /**< c_n, N s/m^3; over k_n, s, where that is automatic */
  lsdem_glue glue; /**< of grains; normal 0: none */
} lsdem_law;

/** What a node in contact meets. */
typedef struct lsdem_meeting {
  double area;       /**< m^2 */
  double depth;      /**< m, > 0 */
  double push;       /**< N/m^3 m = Pa over k_n times m: what the spring presses by, k_n push A; the depth, or the exact gradient's |phi grad phi| */
  scr_vec3 normal;   /**< unit, out of the master */
  scr_vec3 velocity; /**< m/s, of the node relative to the master there */
} lsdem_meeting;

/** What comes of it. */
typedef struct lsdem_push {
  scr_vec3 force;  /**< N, on the slave */
  double elastic;  /**< J */
  double friction; /**< J, taken out: the mean of the forces before and after times the slip that the spring does not keep */
  double dashpot;  /**< N, the dashpot's part of `force`, along the normal */
} lsdem_push;

/** @param slip the friction spring, m: in as it was before the step, out as it is now    @param dt s, since then; 0: nothing slips */
static inline lsdem_push lsdem_contact(const lsdem_law *law, const lsdem_meeting *m, double dt, scr_vec3 *slip)
{
  double kn = law->normal * m->area, kt = law->shear * m->area, along = vec3_dot(m->velocity, m->normal);
  double spring = kn * m->push, dashpot = -law->damping * m->area * along;
  if (spring + dashpot < 0) dashpot = -spring;
  double normal = spring + dashpot, before = vec3_length(*slip);
  scr_vec3 s = vec3_sub(*slip, vec3_scale(m->normal, vec3_dot(*slip, m->normal)));
  double left = vec3_length(s);
  if (left > 0) s = vec3_scale(s, before / left);
  s = vec3_add(s, vec3_scale(vec3_sub(m->velocity, vec3_scale(m->normal, along)), dt));
  double stretch = vec3_length(s), limit = law->friction * normal, kept = stretch;
  if (kt * stretch > limit) {
    kept = limit / kt;
    s = vec3_scale(s, kept / stretch);
  }
  lsdem_push push = {.force = vec3_sub(vec3_scale(m->normal, normal), vec3_scale(s, kt)),
                     .elastic = 0.5 * kn * m->depth * m->depth + 0.5 * kt * kept * kept,
                     .friction = 0.5 * kt * (before + kept) * (stretch - kept),
                     .dashpot = dashpot};
  *slip = s;
  return push;
}

#endif
