/** What the validation cases of method peridem share beside sim_run.h: the state behind a run, tolerances, the reference scene. */
#ifndef SCREE_VALIDATION_PERIDEM_CASE_H
#define SCREE_VALIDATION_PERIDEM_CASE_H

#include "methods/peridem/host/bonds/bond_force.h"
#include "methods/peridem/host/motion/motion.h"
#include "methods/peridem/law/wall.h"
#include "tests/support/sim_run.h"

static inline pd_state *run_state(const sim_run *c)
{
  return c->sim->state;
}

/** |value - reference| <= tolerance * |reference|, where the case's comment says where the reference comes from. */
#define check_relative(name, value, reference, tolerance) claim_relative(name, value, reference, tolerance, "above")

/** The paper's bonds, as options: all of one weight. */
#define PAPER_BONDS "\"surface_correction\":\"none\",\"horizon_weight\":\"none\""
/** Contact by nodes, with the bodies that belong to it; and with the paper's damping and friction. */
#define PAPER_NODES "\"contact_surface\":\"nodes\"," PAPER_BONDS
#define PAPER_CONTACT PAPER_NODES ",\"damping_step\":\"explicit\",\"friction_law\":\"viscous\""
/** Contact at half a spacing from the nodes, with the paper's stiffness and bonds. */
#define PAPER_BODY "\"contact_surface\":\"body\"," PAPER_BONDS

/** The reference scene: a hollow lattice sphere of R = 1 mm crushed by the top wall at 10 m/s, by the paper's contact. */
typedef struct reference_scene {
  double inner_radius;  /**< m */
  const char *wall_law; /**< "lumped", "exact" */
  double time_step;     /**< s */
  double surface;       /**< friction coefficient and damping ratio alike */
  bool breakable;
} reference_scene;

static inline void reference_text(char *text, size_t size, const reference_scene *r)
{
  snprintf(text, size,
           "{\"scree\":1,\"name\":\"reference\",\"method\":\"peridem\","
           "\"materials\":[{\"name\":\"polymer\",\"density\":1200,\"bulk_modulus\":2e9,\"fracture_energy\":135}],"
           "\"contact\":{\"friction_coefficient\":%g,\"damping_ratio\":%g},"
           "\"specimens\":[{\"name\":\"grain\",\"material\":\"polymer\",\"spacing\":1.25e-4,"
           "\"shape\":{\"type\":\"hollow_sphere\",\"radius\":1e-3,\"inner_radius\":%.17g},"
           "\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}}],"
           "\"rig\":{\"type\":\"box\",\"minimum\":[-1.2e-3,-1.2e-3,-1.2e-3],\"maximum\":[1.2e-3,1.2e-3,1.2e-3],"
           "\"walls\":{\"z_max\":{\"program\":[{\"type\":\"constant\",\"velocity\":-10}]}}},"
           "\"time\":{\"duration\":5e-5,\"time_step\":%.17g},"
           "\"options\":{\"horizon\":3.333333333333333e-4,\"contact_radius\":2e-4,\"wall_law\":\"%s\",\"self_contact\":false," PAPER_CONTACT
           ","
           "\"breakable\":%s}}",
           r->surface, r->surface, r->inner_radius, r->time_step, r->wall_law, r->breakable ? "true" : "false");
}

/** Gives a reference text the default damping: explicit damping between nodes of debris would need a tenth of the step. */
static inline void reference_limit_damping(char *text)
{
  static const char was[] = "\"explicit\"", now[] = "\"limited\" ";
  char *at = strstr(text, was);
  assert_non_null(at);
  memcpy(at, now, strlen(now));
}

static inline sim_run reference_open(const reference_scene *r, unsigned threads)
{
  char text[2048];
  reference_text(text, sizeof text, r);
  return run_open(text, threads);
}

#endif
