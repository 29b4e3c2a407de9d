/* The options' and curves' tables. Help texts appear in forms and on the reference page. */
#include "methods/bdem/scene/options.h"

#include <math.h>

#include "methods/bdem/bonds/bond.h"
#include "linalg/block6/preconditioner_choice.h"
#include "scene/part.h"
#include "sim/view/contact_view.h"

static const char *const integrator_names[] = {[BDEM_INTEGRATOR_EXPLICIT] = "explicit",
                                               [BDEM_INTEGRATOR_IMPLICIT_EULER] = "implicit-euler",
                                               [BDEM_INTEGRATOR_VARIATIONAL] = "variational",
                                               NULL};
static const char *const preconditioner_names[] = {[LA_AUTOMATIC] = "automatic",
                                                   [LA_BLOCK_JACOBI] = "block-jacobi",
                                                   [LA_BLOCK_CHOLESKY] = "incomplete-cholesky",
                                                   [LA_MULTIGRID] = "multigrid",
                                                   [LA_DIRECT] = "direct",
                                                   NULL};
static const char *const calibration_names[] = {[BDEM_CALIBRATION_PHYSICAL] = "physical", [BDEM_CALIBRATION_PAPER] = "paper", NULL};
static const char *const shear_names[] = {[BDEM_SHEAR_SIMPLE] = "simple", [BDEM_SHEAR_EXACT] = "exact", NULL};
static const char *const constants_names[] = {[BDEM_CONSTANTS_OF_BODY] = "body", [BDEM_CONSTANTS_OF_BONDS] = "bonds", NULL};
static const char *const axis_names[] = {[BDEM_AXIS_AUTOMATIC] = "automatic",
                                         [BDEM_AXIS_AVERAGE] = "average",
                                         [BDEM_AXIS_X] = "x",
                                         [BDEM_AXIS_Y] = "y",
                                         [BDEM_AXIS_Z] = "z",
                                         NULL};
static const char *const mass_names[] = {[BDEM_MASS_BODY] = "body", [BDEM_MASS_BALL] = "ball", NULL};
static const char *const strength_names[] = {[BDEM_STRENGTH_GIVEN] = "given", [BDEM_STRENGTH_ENERGY_SCALED] = "energy-scaled", NULL};
static const char *const surface_names[] = {[BDEM_SURFACE_SPHERES] = "spheres", [BDEM_SURFACE_FACES] = "faces", NULL};
static const char *const lattice_names[] = {[BDEM_LATTICE_FITTED] = "fitted", [BDEM_LATTICE_REGULAR] = "regular", NULL};
static const char *const breaking_names[] = {[BDEM_BREAKING_EXPLICIT_BURSTS] = "explicit-bursts",
                                             [BDEM_BREAKING_STAGED] = "staged",
                                             [BDEM_BREAKING_SIMULTANEOUS] = "simultaneous",
                                             [BDEM_BREAKING_WORST_FIRST] = "worst-first",
                                             NULL};

static const char *const impacts_names[] = {[BDEM_IMPACTS_EXPLICIT_BURSTS] = "explicit-bursts", [BDEM_IMPACTS_IMPLICIT] = "implicit", NULL};

/* Those it was compared with are in a study now: tests/studies/optimizers. */
static const char *const optimizer_names[] = {"manifold-newton", NULL};

#define AT(field) offsetof(bdem_options, field)
#define CHOICE(name, flags, fallback, names, help)                                                                                         \
  {                                                                                                                                        \
#name, SCR_PARAM_CHOICE, flags, "", fallback, 0, 0, names, help, AT(name)                                                              \
  }
#define NUMBER(name, flags, fallback, low, high, help)                                                                                     \
  {                                                                                                                                        \
#name, SCR_PARAM_NUMBER, flags, "1", fallback, low, high, NULL, help, AT(name)                                                         \
  }
#define SWITCH(name, on, flags, help)                                                                                                      \
  {                                                                                                                                        \
#name, SCR_PARAM_BOOLEAN, flags, "", on, 0, 1, NULL, help, AT(name)                                                                    \
  }

const scr_param bdem_params[BDEM_PARAM_COUNT] = {
    CHOICE(integrator, 0, BDEM_INTEGRATOR_EXPLICIT, integrator_names,
           "How time advances: many small explicit steps; few large ones of which each is a minimisation (damps fast vibrations); or large "
           "ones of second order without damping (keeps vibrations, rings)"),
    CHOICE(optimizer, SCR_PARAM_RETIRED, 0, optimizer_names, "Minimiser of large steps"),
    CHOICE(preconditioner, SCR_PARAM_ADVANCED, LA_AUTOMATIC, preconditioner_names,
           "Preconditioner of the conjugate gradients in large steps; automatic: by the number of spheres and the step's length"),
    CHOICE(calibration, SCR_PARAM_ADVANCED, BDEM_CALIBRATION_PHYSICAL, calibration_names,
           "Bending stiffness of bonds: a beam's, or four times softer as the paper prints it"),
    CHOICE(shear, SCR_PARAM_ADVANCED, BDEM_SHEAR_SIMPLE, shear_names,
           "Shear stiffness of bonds: G S l0, or the one that makes chains of bonds match Timoshenko's cantilever at every length"),
    CHOICE(constants_of, 0, BDEM_CONSTANTS_OF_BODY, constants_names,
           "Whose moduli and strengths the materials give: the body's, whose bonds a virtual tension test of the packing then finds; or "
           "each bond's, as in the paper: a hexagonal close packing of bonds is 1.6 times as stiff as they are"),
    CHOICE(calibration_axis, SCR_PARAM_ADVANCED, BDEM_AXIS_AUTOMATIC, axis_names,
           "Direction in which the virtual test pulls the body as it lies; automatic: the grips' axis, z between platens, x for bent beams "
           "and split discs, else the average over all directions. Lattices differ by direction"),
    CHOICE(sphere_mass, SCR_PARAM_ADVANCED, BDEM_MASS_BODY, mass_names,
           "Mass of a sphere: its share of the body, density times the shape's volume; or that of the ball itself, as in the paper"),
    CHOICE(strength, 0, BDEM_STRENGTH_GIVEN, strength_names,
           "Strength of bonds: as the material gives it, so that a load without cracks breaks the body at the same stress at every "
           "resolution; or "
           "made from its fracture_energy, so that an edge crack grows at the toughness sqrt(E Gc) at every resolution; not for weaves. A "
           "material that gives a fracture_energy and no strength has it made in either case"),
    CHOICE(contact_surface, SCR_PARAM_ADVANCED, BDEM_SURFACE_FACES, surface_names,
           "Where packed bodies meet the rig: where their spheres do, which stick out of the shape or end inside of it; or at the faces of "
           "the shape, as stiffly as the body between a face and the centres below it, so that the rig measures the specimen"),
    CHOICE(lattice, SCR_PARAM_ADVANCED, BDEM_LATTICE_FITTED, lattice_names,
           "Regular packings in boxes, and in cylinders along their axis: stretched by less than a layer so that they end at the faces, as "
           "a body's bending stiffness asks for; or of equal distances, with part of a layer missing at the faces. They stay regular with "
           "constants_of: bonds"),
    CHOICE(
        breaking, 0, BDEM_BREAKING_EXPLICIT_BURSTS, breaking_names,
        "How bonds break in large steps: the step is done again by explicit ones; or in halves (staged); or at its end all at once; or the "
        "most loaded bonds first, and the step is solved again. In explicit runs all break at the end of the step"),
    CHOICE(impacts, SCR_PARAM_ADVANCED, BDEM_IMPACTS_EXPLICIT_BURSTS, impacts_names,
           "What large steps do where something is hit: the step is done again by explicit ones until contacts are calm; or it stays "
           "implicit, "
           "which damps the impact, or with the variational integrator makes energy: the run then ends with a doubt"),
    NUMBER(step_ratio, 0, 20, 0.01, 1000, "Implicit time step over the stable explicit step T, when the scene gives no time step"),
    NUMBER(fracture_step_ratio, SCR_PARAM_ADVANCED | SCR_PARAM_ABOVE, 5, 0, 1000,
           "Longest step in which bonds may break, over T: staged breaking halves a longer one"),
    NUMBER(tolerance, SCR_PARAM_ADVANCED | SCR_PARAM_ABOVE, 1e-8, 0, 1e-2,
           "Largest residual force of an implicit step over Young's modulus times the squared sphere radius"),
    {"newton_limit", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 60, 1, 10000, NULL,
     "Most iterations of an implicit step before it is done in halves", AT(newton_limit)},
    NUMBER(contact_stiffness_factor, SCR_PARAM_ADVANCED, 1, 1e-4, 1e4,
           "Contact stiffness over the bonds' Young's modulus times the sphere radius; 0.01 to 100 are usual"),
    NUMBER(contact_skin, SCR_PARAM_ADVANCED, 0.1, 0.001, 2,
           "Slack of the contact search over the largest sphere diameter: a larger slack means fewer searches, among more pairs"),
    NUMBER(rolling_friction, 0, 0, 0, 10, "Torque that resists rolling at a contact over normal force times radius"),
    NUMBER(
        local_damping, 0, 0, 0, 0.95,
        "Explicit runs: part of the force on a sphere that always acts against its motion, in every direction and turn (Cundall). Lets "
        "slow tests come to rest at any stiffness and size; 0.7 is usual for those. Slows flying bodies too: 0 where bodies fall or fly"),
    {"tab_length", SCR_PARAM_NUMBER, 0, "m", 0, 0, 1e3, NULL,
     "How far tabs on the specimen's ends reach out of the grips: bonds of spheres there never break, so that the specimen breaks between "
     "the grips as in the laboratory, and not at a jaw's edge; 0: no tabs. Half the specimen's width is usual",
     AT(tab_length)},
    SWITCH(breakable, 1, 0, "Bonds break at the materials' strengths; without it, or without strengths, they never do"),
    SWITCH(contact_forces, 0, 0, SIM_CONTACT_FORCES_TEXT),
    SWITCH(allow_initial_contact, 0, SCR_PARAM_ADVANCED, "Accept spheres of different grains that overlap at the start"),
    SWITCH(allow_unstable_step, 0, SCR_PARAM_ADVANCED, "Accept an explicit time step above the stable bound"),
};

const scr_series bdem_curves[BDEM_CURVE_COUNT] = {
    SCR_PART_SERIES,
    SCR_FREE_PART_SERIES,
    {"energy.kinetic", "J", "Kinetic energy"},
    {"energy.elastic", "J", "Elastic energy of the intact bonds"},
    {"energy.contact", "J", "Energy stored in contacts between spheres"},
    {"energy.wall", "J", "Energy stored in contacts with the rig"},
    {"energy.damping", "J", "Energy dissipated by damping of contacts and by local damping"},
    {"energy.friction", "J", "Energy dissipated by sliding and rolling friction"},
    {"energy.fracture", "J", "Energy of the bonds at the moment they broke"},
    {"energy.numerical", "J", "Energy that the implicit steps took out of fast vibrations"},
    {"energy.external", "J", "Work of the rig and of gravity"},
    {"energy.balance_error", "1", "Energy not accounted for, over the largest so far; implicit-euler: what its solver left"},
    {"broken_bonds", "1", "Broken bonds"},
    {"fragments", "1", "Pieces joined by intact bonds"},
    {"largest_fragment_mass", "kg", "Mass of the heaviest piece"},
    {"newton_iterations", "1", "Newton iterations of the last implicit step"},
    {"cg_iterations", "1", "Conjugate gradient iterations of the last implicit step"},
    {"line_search_steps", "1", "Trial points of the line searches of the last implicit step"},
    {"residual", "1", "Largest residual of the last step's implicit parts over E r^2"},
    {"substeps", "1", "Parts in which the last implicit step was done"},
};

const scr_substitute bdem_substitutes[] = {
    {"stiffness_damping", "the option local_damping slows spheres in explicit runs"},
    {"mass_damping", "the option local_damping slows spheres in explicit runs"},
    {"restitution", "damping_ratio takes energy out of contacts"},
    {"damping_time", "damping_ratio takes energy out of contacts"},
    {"contact_stiffness", "the option contact_stiffness_factor changes the stiffness of contacts"},
    {"rolling_resistance", "the option rolling_friction resists rolling"},
    {NULL, NULL},
};

const scr_need bdem_needs[] = {
    {SCR_KEY_OPTION, "step_ratio", "integrator", "implicit-euler|variational"},
    {SCR_KEY_OPTION, "step_ratio", "time_step", NULL},
    {SCR_KEY_OPTION, "fracture_step_ratio", "integrator", "implicit-euler|variational"},
    {SCR_KEY_OPTION, "tolerance", "integrator", "implicit-euler|variational"},
    {SCR_KEY_OPTION, "newton_limit", "integrator", "implicit-euler|variational"},
    {SCR_KEY_OPTION, "preconditioner", "integrator", "implicit-euler|variational"},
    {SCR_KEY_OPTION, "breaking", "integrator", "implicit-euler|variational"},
    {SCR_KEY_OPTION, "impacts", "integrator", "implicit-euler|variational"},
    {SCR_KEY_OPTION, "local_damping", "integrator", "explicit"},
    {SCR_KEY_OPTION, NULL, NULL, NULL},
};
