/** The contact problem of a pack of balls, in the least memory: bodies whose mass is the same in all directions, contacts whose arms lie
 *  along their normals.
 *
 *      W_ii = (1/m_a + 1/m_b) n n' + (1/m_a + 1/m_b + l_a^2/I_a + l_b^2/I_b) (1 - n n')
 *
 *  It is diagonal with two equal tangential entries, so one contact is solved by a clip:
 *
 *      r_N = max(0, r_N - u_N/W_N),    r_T = r_T - u_T/W_T, cut to mu r_N
 *
 *  and nothing of the general problem (contact/contact.h) is built: no rows of H, no responses, no blocks of masses. 128 bytes a contact,
 *  64 a body. The law, the measure of what is left and the solutions are those of contact_solve.
 *
 *  What is driven is a body of no inverse mass, one for each velocity that it has at a contact; what stands is one such body for all. What
 * a force presses along the normal of its contacts, and nothing moves across it, is a steered body: contacts with these come last.
 *
 *      ball_pack pack = {0};
 *      ball_pack_reserve(&pack, bodies, contacts, &error);   fill pack.body, pack.contact, pack.rolling and the counts
 *      ball_pack_solve(&pack, &options, &result);            velocities and impulses of the solution in place */
#ifndef SCREE_CONTACT_BALL_PACK_H
#define SCREE_CONTACT_BALL_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** A ball, or what is driven. */
typedef struct ball_body {
  double velocity[3];     /**< m/s, without contact; receives that of the solution */
  double inverse_mass;    /**< 1/kg; 0: driven */
  double spin[3];         /**< rad/s, likewise */
  double inverse_inertia; /**< 1/(kg m^2); 0: driven */
} ball_body;

/** A contact of two bodies, of which one at least has a mass. */
typedef struct ball_contact {
  uint32_t a, b;       /**< indices of bodies, not the same */
  double normal[3];    /**< unit, towards a */
  double arm_a, arm_b; /**< m: the contact lies at -arm_a n from the centre of a, at arm_b n from that of b */
  double offset;       /**< m/s, of the normal velocity: max(gap, 0)/dt, or restitution */
  double friction;     /**< 1, >= 0 */
  double give_normal;  /**< kg, 1/W_N; set by ball_pack_solve */
  double give_tangent; /**< kg, 1/W_T; likewise */
  double impulse[3];   /**< N s on a, in the world: where to start, then the solution */
  double before[3];    /**< of the sweep before */
} ball_contact;

/** Rolling resistance of a contact: couples against the relative spin in its plane and about its normal, each of a given size at most. */
typedef struct ball_rolling {
  uint32_t a, b;
  double normal[3];
  double limit;     /**< N m s, >= 0 */
  double arm;       /**< m > 0: what its residual, a spin, is multiplied by */
  double couple[3]; /**< N m s on a, in the world: where to start, then the solution */
  double before[3];
} ball_rolling;

/** A problem, and room from one to the next. Starts zeroed. */
typedef struct ball_pack {
  size_t body_count, contact_count, rolling_count;
  size_t steered_count;  /**< of the contacts, the last: b has a mass along their normal alone */
  ball_body *body;       /**< [body_count] */
  ball_contact *contact; /**< [contact_count] */
  ball_rolling *rolling; /**< [rolling_count] */
  /* its own */
  size_t body_capacity, contact_capacity, rolling_capacity, free_capacity, before_capacity, best_capacity;
  double *free;   /**< [body_count][6] velocities without contact */
  double *before; /**< [body_count][6] of the sweep before */
  double *best;   /**< [contact_count + rolling_count][3] impulses and couples of the best point */
} ball_pack;

typedef struct ball_options {
  double speed;     /**< m/s > 0: what residuals are relative to */
  double tolerance; /**< 1, of the relative residual */
  unsigned sweeps;  /**< most of them */
  unsigned least;   /**< sweeps of a start that is within the tolerance, unless it is within a ten thousandth of it */
} ball_options;

typedef struct ball_result {
  double residual; /**< 1, relative, of what is returned */
  unsigned sweeps; /**< done */
} ball_result;

/** Room for so many. What was in it is lost where it grows. @return SCR_OK, SCR_NO_MEMORY */
scr_status ball_pack_reserve(ball_pack *pack, size_t bodies, size_t contacts, size_t rolling, scr_error *error);
void ball_pack_clear(ball_pack *pack);

/** Sweeps of Gauss-Seidel with momentum and its guard (solvers/momentum.h), from the impulses given, until the residual is within the
 *  tolerance (and `least` of them were done) or the sweeps are done. The point with the least residual of those measured every ten sweeps
 * is returned, the start only where it is a solution or sweeps were given up for it. Velocities are exactly M^-1 (f + H' r) of the impulses
 *  returned. One order of contacts, whatever the threads. */
void ball_pack_solve(ball_pack *pack, const ball_options *options, ball_result *result);

/** Sweeps on from the solution of the last call, under other options. */
void ball_pack_go_on(ball_pack *pack, const ball_options *options, ball_result *result);

/** Velocity of a contact's a relative to b in the world, m/s, by the bodies' velocities; the offset is not in it. */
void ball_pack_relative(const ball_pack *pack, size_t contact, double velocity[3]);

/** Velocities of the impulses that there are, from the free ones. */
void ball_pack_set_velocities(ball_pack *pack);

/** Largest residual of a contact, m/s, of the velocities and impulses that there are: contact_measure's, and for couples their natural map
 *  times the arm of body a. HUGE_VAL where a number is not finite. */
double ball_pack_residual(const ball_pack *pack);

#endif
