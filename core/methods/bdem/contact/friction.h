/** Friction of contacts: a tangential spring with history and a Coulomb slider, in explicit steps and inside implicit ones.
 *
 *  A contact keeps a spring s, m, across its normal, stretched by what the surfaces have slid on each other; it is gone when the contact
 *  opens. Over a step, with the relative displacement du of the surfaces at the point of contact, kt a part of k and x0 = mu N / kt, s <- s
 *  turned with the normal and the contact,   x = s + du |x| <= x0: sticks, s = x        |x| > x0: slips, s = x0 x/|x|        force on i:
 *  -kt s, at the point of contact Explicit steps take N of the same force pass. An implicit step minimises with D(x) = kt |x|^2 / 2 for |x|
 *  <= x0,   mu N (|x| - x0/2) beyond, convex and once differentiable, whose force is the law above. N, normal and levers are those of the
 *  pass before: a step is solved again, from its solution, until they agree (BDEM_FRICTION_PASSES at most).
 *
 *  What slips is dissipated, never less than nothing: the slip times the mean of the forces before and after in explicit steps, times the
 *  force at the end in implicit ones. Source: Cundall and Strack (1979), Geotechnique 29; the potential: spec 3.6. */
#ifndef SCREE_METHODS_BDEM_FRICTION_H
#define SCREE_METHODS_BDEM_FRICTION_H

#include "methods/bdem/contact/contact.h"
#include "record/file/blob.h"

/** Times that an implicit step is solved at most until the normal forces of its friction are those at its end. */
enum { BDEM_FRICTION_PASSES = 4 };

/** A contact with friction as a pass of an implicit step sees it. */
typedef struct bdem_slide {
  uint32_t i, j;         /**< spheres; j = BDEM_NO_SPHERE: i touches a part */
  uint32_t contact;      /**< number of the pair or touch */
  scr_vec3 normal;       /**< unit, from i to j or into the part */
  scr_vec3 arm_i, arm_j; /**< m, from the centres to the point of contact */
  scr_vec3 spring;       /**< m, at the step's start, turned and no longer than x0 */
  scr_vec3 displacement; /**< m, of the part since the step's start */
  double stiffness;      /**< kt, N/m */
  double limit;          /**< x0, m */
  double returned;       /**< J, dissipated when the spring was cut to x0 */
  scr_vec3 reached;      /**< m, x of the solution */
} bdem_slide;

#define BDEM_NO_SPHERE UINT32_MAX

/** What a contact with friction adds to a step's matrix. */
typedef struct bdem_slide_curvature {
  uint32_t i, j;
  scr_vec3 arm_i, arm_j; /**< 2 arm / radius: metres at the point of contact per metre of the unknown z */
  double tangent[6];     /**< N/m, xx, xy, xz, yy, yz, zz of dD2/dx2 across the normal */
} bdem_slide_curvature;

/** A spring that is stretched. */
typedef struct bdem_spring {
  uint32_t first, second; /**< spheres i < j; or BDEM_NO_SPHERE - part, sphere: those come last */
  scr_vec3 stretch;       /**< s, m */
} bdem_spring;

/** What friction works with; a part of bdem_contacts, which may be read-only where this is written to. */
typedef struct bdem_friction {
  bdem_slide *slides; /**< [slide_count] of the pass */
  size_t slide_count, slide_capacity;
  const scr_vec3 *start;  /**< [n] where the spheres were at the step's start, m; borrowed; NULL: where the solver began */
  const scr_quat *turned; /**< [n] */
  bool middle;            /**< forces are those half-way through the step: the ends of springs swing about it, and may be longer than x0 */
  bdem_spring *kept;      /**< [kept_count] as at bdem_friction_keep */
  size_t kept_count, kept_capacity;
  bdem_spring *carried; /**< [carried_count] from an old list of candidates to a new one */
  size_t carried_count, carried_capacity;
} bdem_friction;

/** Tangential over normal stiffness of a contact of spheres; 2/7 to 1 are usual. */
#define BDEM_TANGENTIAL_RATIO 0.8
/** The same of a contact by a face: the column of the body below it in shear, G / E at a Poisson's ratio of a quarter. */
#define BDEM_FACE_TANGENTIAL_RATIO 0.4
/** The same of one of the pairs by which two faces meet, over its stiffness when right opposite: all within the width hold alike, a third
 *  of that. */
#define BDEM_FACES_TANGENTIAL_RATIO (BDEM_FACE_TANGENTIAL_RATIO / 3)

/** What two surfaces do to each other in a contact. */
typedef struct bdem_spring_force {
  scr_vec3 force;    /**< on i, N */
  double dissipated; /**< J */
} bdem_spring_force;

/** A spring turned with its contact: by the twist about the normal, rad, into the plane across it, its length kept. */
scr_vec3 bdem_spring_turned(scr_vec3 spring, scr_vec3 normal, double twist);
/** x, or x0 x/|x| where that is shorter. */
scr_vec3 bdem_spring_limited(scr_vec3 stretch, double limit);

/** Whether any contact of the rig's and materials' laws has friction. */
bool bdem_friction_acts(const bdem_contacts *contacts);

/** What the surfaces of a contact do in an explicit step, and by which law. */
typedef struct bdem_slip {
  double friction;       /**< coefficient */
  double stiffness;      /**< k, N/m */
  double shear;          /**< tangential over normal stiffness */
  double overlap;        /**< m */
  scr_vec3 normal;       /**< unit */
  scr_vec3 displacement; /**< m, of i's surface against the other's */
  double twist;          /**< rad, of the contact about its normal */
} bdem_slip;

/** Stretches the spring of a contact over an explicit step and returns its force on i. @param sticks receives whether it holds */
bdem_spring_force bdem_spring_friction(scr_vec3 *spring, bool *sticks, const bdem_slip *slip);

/** Energy stored in the springs of all pairs, of all touches, J. */
double bdem_pair_springs_energy(const bdem_contacts *contacts);
double bdem_touch_springs_energy(const bdem_contacts *contacts);

/** Keeps a copy of all springs, so that what follows can be undone; puts it back, whatever list there is now.
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status bdem_friction_keep(bdem_contacts *contacts, scr_error *error);
void bdem_friction_restore(bdem_contacts *contacts);

/** Before and after the candidates are listed anew: springs go with their contacts. Contacts that are listed no more are open. */
scr_status bdem_friction_unlist(bdem_contacts *contacts, scr_error *error);
void bdem_friction_relist(bdem_contacts *contacts);

/** Springs in a checkpoint. Loading sets those of the present list. SCR_BAD_FILE: not springs of this list. */
scr_status bdem_friction_save(bdem_contacts *contacts, scr_blob *blob, scr_error *error);
scr_status bdem_friction_load(bdem_contacts *contacts, scr_blob *blob, scr_error *error);

void bdem_friction_clear(bdem_friction *friction);

/* ── implicit steps ────────────────────────────────────────────────────────────────────────────────────────────── */

/** Where a trial state is seen from: the spheres at the step's start. */
typedef struct bdem_slide_view {
  const bdem_contacts *contacts;
  const bdem_body *body; /**< at the trial state */
  const scr_vec3 *start; /**< [n] m */
  const scr_quat *turned;
} bdem_slide_view;

/** Lists the contacts with friction of the trial state: normals, levers and limits as they are there, springs as at the step's start. */
scr_status bdem_slides_list(const bdem_slide_view *view, scr_error *error);
/** Sum of D, J. */
double bdem_slides_energy(const bdem_slide_view *view);
/** Adds the forces and torques of D.
 *  @param exact_torque lever times force: angular momentum is kept. Else what is conjugate to the turn since the start: the gradient of D
 *  */
void bdem_slides_add_forces(const bdem_slide_view *view, bool exact_torque, scr_vec3 *force, scr_vec3 *torque);
/** Second derivatives, positive semi-definite. @param curvature [slide_count] */
void bdem_slides_curve(const bdem_slide_view *view, bdem_slide_curvature *curvature);
/** Adds them to a matrix whose pattern has the pairs. */
void bdem_slides_add_hessian(const bdem_slide_curvature *curvature, size_t count, la_block_matrix *matrix);
/** Notes how far the solution has stretched the springs. */
void bdem_slides_reach(const bdem_slide_view *view);

/** Takes over the springs of a solved step: the body is at its end. @param middle the solution was that of half a step
 *  @return what friction dissipated, J */
double bdem_friction_commit(bdem_contacts *contacts, const bdem_body *body, bool middle);

#endif
