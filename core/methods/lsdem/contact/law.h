/** The contact of a node with a surface: pressure over its tributary area A, with friction that remembers.
 *
 *      f_n = A (p(d) + c_n d') n, never tensile;  spring s of friction turned along with the normal, stretched by the slip; f_t = -k_t A s,
 *      at most mu f_n
 *
 *  with p = k_n d where a stiffness is given. Where it is automatic, by moduli and sizes of the bodies that touch (1/E = 1/E_1 + 1/E_2 of
 *  the moduli E/(1 - nu^2), 1/R = 1/R_1 + 1/R_2),
 *
 *      p = E/pi sqrt(d/R)
 *
 *  Of balls the overlap is d - r^2/2R at r from the contact's middle, an area 2 pi R for each metre of overlap, so that the sum of p A is
 *  Hertz's force 4/3 E sqrt(R) d^(3/2). Of other surfaces the areas bring the curvatures there, and R is of balls of the same volumes: the
 *  force is Hertz's times sqrt(r/R), r^2 the product of the radii of curvature; within a fifth for r of
 *  0.7 R to 1.4 R. A flat face, whose r has no end, gets sqrt(d/R) E A/pi, which is more than the material has, and the less the deeper.
 *
 *  Hertz's way d holds the strain of a ball as a whole, which modes have as well: between two plates affine modes of a ball give c F, c =
 *  0.48/(E_1 (1 - nu^2) R). A contact with d = H(F) - c F, H Hertz's way, leaves the sum Hertz's; that is, with b = 2.5, to 4 % of the
 *  force up to 0.2 R,
 *
 *      p = E/pi (sqrt(d/R) + B d/R),  B = b E R (sum over such bodies of 1/(E_i R_i))
 *
 *  Below an overlap of LSDEM_KNEE R the square root is replaced by its line through 0, so that a node has a largest stiffness: a ball's
 *  force is Hertz's less (LSDEM_KNEE R/d)^(3/2)/4 of it.
 *
 *  Source: the method's specification, section 3.5; the area's weight after Feldfogel et al. 2024; K. L. Johnson, Contact Mechanics,
 *  sections 4.2 and 4.3. */
#ifndef SCREE_LSDEM_CONTACT_LAW_H
#define SCREE_LSDEM_CONTACT_LAW_H

#include <stdbool.h>

#include "base/vec3.h"
#include "methods/lsdem/contact/bond.h"
#include "methods/lsdem/grain/template.h"

/** Overlap below which an automatic contact is linear, over R. */
#define LSDEM_KNEE 1e-3

/** How p(d) is where no stiffness is given: sqrt(d), or 2.5 E/R_1 d, R_1 the smaller radius. */
typedef enum lsdem_automatic { LSDEM_HERTZ, LSDEM_LINEAR } lsdem_automatic;

/** A contact's law, for one square metre. */
typedef struct lsdem_law {
  double normal;   /**< k_n, N/m^3: of p's linear part; NaN: automatic, by the bodies that touch */
  double root;     /**< Pa/m^(1/2), of its square root; 0: it has none */
  double knee;     /**< m, > 0 where `root` is */
  int automatic;   /**< lsdem_automatic */
  double shear;    /**< k_t, N/m^3; over the linear law's k_n where that is automatic */
  double friction; /**< mu */
  double damping;  /**< c_n, N s/m^3; over the linear law's k_n, s, where that is automatic */
  lsdem_glue glue; /**< of grains; normal 0: none */
} lsdem_law;

/** What a node in contact meets. */
typedef struct lsdem_contact_kinematics {
  double area;       /**< m^2 */
  double depth;      /**< m, > 0 */
  double push;       /**< m: p(depth) A push/depth is what presses; the depth, or the exact gradient's |phi grad phi| */
  scr_vec3 normal;   /**< unit, out of the master */
  scr_vec3 velocity; /**< m/s, of the node relative to the master there */
} lsdem_contact_kinematics;

/** What comes of it. */
typedef struct lsdem_push {
  scr_vec3 force;  /**< N, on the slave */
  double elastic;  /**< J */
  double friction; /**< J, taken out: the mean of the forces before and after times the slip that the spring does not keep */
  double dashpot;  /**< N, the dashpot's part of `force`, along the normal */
} lsdem_push;

/** Sets an automatic law, NaN in `normal`, by the bodies that touch; shear and damping become those of the linear law, whichever it is.
 *  Without any modulus `normal` stays NaN. */
void lsdem_law_by_bodies(lsdem_law *law, lsdem_body a, lsdem_body b);

/** The root's share of p, Pa. */
static inline double lsdem_root_pressure(const lsdem_law *law, double depth)
{
  return law->root * (depth < law->knee ? depth / sqrt(law->knee) : sqrt(depth));
}

/** Its energy per area, J/m^2. */
static inline double lsdem_root_energy(const lsdem_law *law, double depth)
{
  if (depth < law->knee) return 0.5 * law->root * depth * depth / sqrt(law->knee);
  return law->root * (2.0 / 3 * depth * sqrt(depth) - law->knee * sqrt(law->knee) / 6);
}

/** Integral of p, J/m^2. @param depth m, >= 0 */
static inline double lsdem_law_energy(const lsdem_law *law, double depth)
{
  return 0.5 * law->normal * depth * depth + (law->root > 0 ? lsdem_root_energy(law, depth) : 0);
}

/** dp/dd, N/m^3. */
static inline double lsdem_law_slope(const lsdem_law *law, double depth)
{
  if (!(law->root > 0)) return law->normal;
  return law->normal + law->root * (depth < law->knee ? 1 / sqrt(law->knee) : 0.5 / sqrt(depth));
}

/** @param slip the friction spring, m: in as it was before the step, out as it is now    @param dt s, since then; 0: nothing slips */
static inline lsdem_push lsdem_contact(const lsdem_law *law, const lsdem_contact_kinematics *m, double dt, scr_vec3 *slip)
{
  double kn = law->normal * m->area, kt = law->shear * m->area, along = vec3_dot(m->velocity, m->normal);
  double spring = kn * m->push, dashpot = -law->damping * m->area * along;
  if (law->root > 0) spring += m->area * lsdem_root_pressure(law, m->depth) * (m->push / m->depth);
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
  if (law->root > 0) push.elastic += m->area * lsdem_root_energy(law, m->depth);
  *slip = s;
  return push;
}

#endif
