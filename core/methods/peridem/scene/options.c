/* The options' and curves' tables. Help texts appear in forms and on the reference page. */
#include "methods/peridem/scene/options.h"

#include <math.h>

#include "scene/part.h"
#include "sim/view/contact_view.h"

static const char *const micromodulus_names[] = {"constant", "conic", NULL};
static const char *const weight_names[] = {"none", "partial_volume", NULL};
static const char *const wall_law_names[] = {"exact", "lumped", NULL};
static const char *const surface_names[] = {"body", "nodes", "faces", NULL};
static const char *const damping_names[] = {"limited", "explicit", NULL};
static const char *const friction_names[] = {"spring", "viscous", NULL};

static const char *const elasticity_names[] = {"bonds", "state", NULL};
static const char *const loading_names[] = {"dynamic", "quasi_static", NULL};
static const char *const correction_names[] = {"none", "volume", "direction", NULL};

#define AT(field) offsetof(pd_options, field)
#define SWITCH(name, on, flags, help)                                                                                                      \
  {                                                                                                                                        \
#name, SCR_PARAM_BOOLEAN, flags, "", on, 0, 1, NULL, help, AT(name)                                                                    \
  }

const scr_param pd_params[PD_PARAM_COUNT] = {
    {"horizon", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "m", NAN, 0, INFINITY, NULL,
     "Nodes nearer than this are joined by a bond; automatic: 3 times the spacing of each specimen", AT(horizon)},
    {"contact_radius", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "m", NAN, 0, INFINITY, NULL,
     "Nodes of different grains, and nodes and walls, repel each other when nearer than this; automatic: 1.6 times the largest spacing",
     AT(contact_radius)},
    {"contact_stiffness_factor", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED | SCR_PARAM_ABOVE, "1", 1, 0, 1e3, NULL,
     "Multiplies the contact stiffness 18 k / (pi contact_radius^5)", AT(contact_stiffness_factor)},
    {"contact_skin", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED, "1", 0.3, 0.01, 2, NULL,
     "Slack of the contact search as a part of the contact radius: a larger slack means fewer searches, among more pairs; results agree to "
     "round-off",
     AT(contact_skin)},
    {"damping_rate", SCR_PARAM_NUMBER, 0, "1/s", 0, 0, 1e12, NULL,
     "Every node is slowed by this rate times its mass and velocity: lets slow loading settle; about twice the lowest angular frequency "
     "damps "
     "best",
     AT(damping_rate)},
    {"micromodulus", SCR_PARAM_CHOICE, 0, "", PD_CONSTANT, 0, 0, micromodulus_names,
     "How bond stiffness depends on length: the same for all, or falling linearly to zero at the horizon", AT(micromodulus)},
    {"horizon_weight", SCR_PARAM_CHOICE, SCR_PARAM_ADVANCED, "", PD_WEIGHT_PARTIAL_VOLUME, 0, 0, weight_names,
     "Weight of bonds near the horizon: the part of the far cell that lies within the horizon, so that bonds reach half a spacing beyond "
     "it; or "
     "none, as in the paper",
     AT(horizon_weight)},
    {"wall_law", SCR_PARAM_CHOICE, 0, "", PD_WALL_EXACT, 0, 0, wall_law_names,
     "Wall repulsion: the exact integral of the node law over the ball's cap behind the wall, or the paper's cap lumped at its centroid",
     AT(wall_law)},
    {"contact_surface", SCR_PARAM_CHOICE, 0, "", PD_SURFACE_FACES, 0, 0, surface_names,
     "Where contact begins: at the faces of the bodies' shapes, with the stiffness of the material between them and the nodes, so that the "
     "rig "
     "measures the specimen and not the contact; at body surfaces, half a spacing outside of their outermost nodes, by the paper's soft "
     "law; or "
     "contact_radius away from the nodes, as in the paper, which needs a gap as wide",
     AT(contact_surface)},
    {"damping_step", SCR_PARAM_CHOICE, SCR_PARAM_ADVANCED, "", PD_DAMPING_LIMITED, 0, 0, damping_names,
     "How damping acts in a step: limited to what it can take, stable at any damping ratio; or by the velocity before the step, the "
     "paper's "
     "way, which needs a shorter step",
     AT(damping_step)},
    {"friction_law", SCR_PARAM_CHOICE, 0, "", PD_FRICTION_SPRING, 0, 0, friction_names,
     "Friction of nodes on the rig: a tangential spring that sticks until it slips, so that resting bodies stay; or the paper's law, by "
     "which "
     "they creep",
     AT(friction_law)},
    {"elasticity", SCR_PARAM_CHOICE, 0, "", PD_BONDS, 0, 0, elasticity_names,
     "How bodies resist: bonds, each by its own stretch, so that Poisson's ratio is 1/4; or state, by bonds and the dilatation of their "
     "ends, "
     "with the material's ratio, from 0 to 0.45, at about three times the time",
     AT(elasticity)},
    {"surface_correction", SCR_PARAM_CHOICE, 0, "", PD_CORRECT_DIRECTION, 0, 0, correction_names,
     "What is done about nodes near surfaces, which have fewer bonds and are too soft: none, as in the paper; volume, bonds as much "
     "stiffer "
     "as their ends lack neighbours (always so where elasticity is state); or direction, as much stiffer as their ends lack neighbours "
     "along "
     "them, with the stiffness of the lattice as it is instead of the continuum's. With either of them nodes have the shape's volume among "
     "them, and so its mass",
     AT(surface_correction)},
    {"loading", SCR_PARAM_CHOICE, 0, "", PD_DYNAMIC, 0, 0, loading_names,
     "How the rig loads: in time, with inertia; or quasi_static, through load_steps equilibria without any, so that only how far the rig "
     "moves "
     "counts and not how fast",
     AT(loading)},
    {"load_steps", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 100, 1, 1e6, NULL,
     "Equilibria of a quasi-static run, at even times; the curve of force over displacement has as many points", AT(load_steps)},
    {"relaxation_limit", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 20000, 10, 1e7, NULL,
     "Iterations to an equilibrium of a quasi-static run at most; a step that needs more is recorded in the table unbalanced_steps and "
     "raises a doubt",
     AT(relaxation_limit)},
    {"relaxation_tolerance", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED | SCR_PARAM_ABOVE, "1", 1e-3, 0, 0.1, NULL,
     "Sum of the forces on nodes that are out of balance over the sum of the rig's loads and the weight, below which nodes are in "
     "equilibrium",
     AT(relaxation_tolerance)},
    SWITCH(force_chains, 0, 0, SIM_FORCE_CHAINS_TEXT),
    SWITCH(contact_forces, 0, 0, SIM_CONTACT_FORCES_TEXT),
    SWITCH(grain_table, 0, 0, "Record the stress, neighbours and pieces of every grain at every frame, in the table grains"),
    SWITCH(piece_table, 0, 0, "Record mass, edges and place of every piece of 8 nodes or more at every frame, in the table pieces"),
    SWITCH(self_contact, 1, 0, "Pieces of one grain repel each other where no bond joins them"),
    SWITCH(breakable, 1, 0, "Bonds break at the critical stretch; without it, or without a fracture energy, they never do"),
    SWITCH(no_tension, 0, 0, "Contact damping never pulls: repulsion plus damping is kept at or above zero"),
    SWITCH(allow_nu_mismatch, 0, SCR_PARAM_ADVANCED,
           "Accept a Poisson ratio other than 1/4 and take only the bulk modulus; the effective ratio is still 1/4"),
    SWITCH(allow_initial_contact, 0, SCR_PARAM_ADVANCED, "Accept grains that are nearer than the contact radius at the start"),
    SWITCH(allow_unstable_step, 0, SCR_PARAM_ADVANCED, "Accept a time step above the stable bound"),
};

const scr_series pd_curves[PD_CURVE_COUNT] = {
    SCR_PART_SERIES,
    SCR_FREE_PART_SERIES,
    {"energy.kinetic", "J", "Kinetic energy"},
    {"energy.elastic", "J", "Elastic energy of the intact bonds"},
    {"energy.contact", "J", "Energy stored in contacts between grains and pieces"},
    {"energy.wall", "J", "Energy stored in contacts with the rig, friction's springs included"},
    {"energy.damping", "J", "Energy dissipated by damping"},
    {"energy.friction", "J", "Energy dissipated by friction"},
    {"energy.fracture", "J", "Energy of the bonds at the moment they broke"},
    {"energy.external", "J", "Work of the walls and of gravity"},
    {"energy.balance_error", "1", "Energy not accounted for, as a part of the largest energy so far"},
    {"broken_bonds", "1", "Broken bonds"},
    {"fragments", "1", "Pieces joined by intact bonds"},
    {"largest_fragment_mass", "kg", "Mass of the heaviest piece"},
    {"fragments_per_grain", "1", "Pieces over grains at the start"},
    {"fragment_elongation", "1", "Middle over longest edge of pieces, mean by mass; 1: as long as broad"},
    {"fragment_flatness", "1", "Shortest over middle edge of pieces, mean by mass; 1: as thick as broad"},
    {"coordination", "1", "Grains, and parts of the rig, that a grain touches with a force, on average"},
    {"stress.xx", "Pa", "Mean stress that contacts carry in the box around all nodes, xx; pressure is positive"},
    {"stress.yy", "Pa", "Mean stress, yy"},
    {"stress.zz", "Pa", "Mean stress, zz"},
    {"stress.xy", "Pa", "Mean stress, xy"},
    {"stress.yz", "Pa", "Mean stress, yz"},
    {"stress.zx", "Pa", "Mean stress, zx"},
};

const scr_substitute pd_substitutes[] = {
    {"tensile_strength", "bonds break by fracture_energy"},
    {"shear_strength", "bonds break by fracture_energy"},
    {"bending_factor", "bonds do not bend"},
    {"stiffness_damping", "the option damping_rate slows nodes"},
    {"mass_damping", "the option damping_rate slows nodes"},
    {"restitution", "damping_ratio takes energy out of contacts"},
    {"damping_time", "damping_ratio takes energy out of contacts"},
    {"contact_stiffness", "the option contact_stiffness_factor changes the stiffness of contacts"},
    {"rolling_resistance", "only the shape of a body resists rolling"},
    {NULL, NULL},
};

const scr_need pd_needs[] = {
    {SCR_KEY_OPTION, "load_steps", "loading", "quasi_static"},
    {SCR_KEY_OPTION, "relaxation_limit", "loading", "quasi_static"},
    {SCR_KEY_OPTION, "relaxation_tolerance", "loading", "quasi_static"},
    {SCR_KEY_MATERIAL, "weibull_scope", "weibull_modulus", NULL},
    {SCR_KEY_MATERIAL, "weibull_seed", "weibull_modulus", NULL},
    {SCR_KEY_SPECIMEN, "crack_along", "crack_corner", NULL},
    {SCR_KEY_SPECIMEN, "crack_across", "crack_corner", NULL},
    {SCR_KEY_SPECIMEN, "crack_form", "crack_corner", NULL},
    {SCR_KEY_OPTION, NULL, NULL, NULL},
};
