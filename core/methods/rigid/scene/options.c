/* The tables of options and curves. Help texts appear in forms and on the reference page. */
#include "methods/rigid/scene/options.h"

#include <assert.h>

#include "contact/contact.h"
#include "scene/part.h"
#include "scene/shared_params.h"
#include "sim/fabric.h"
#include "sim/view/contact_view.h"

#define AT(field) offsetof(rigid_options, field)

/* In the order of contact_solver. */
static const char *const solver_names[] = {"auto",        "gauss-seidel", "admm",   "fixed-point", "descent", "conjugate",
                                           "accelerated", "spectral",     "newton", "interior",    "hybrid",  NULL};
static const char *const accuracy_names[] = {"draft", "usual", "exact", NULL};
static const char *const axis_names[] = {"x", "y", "z", NULL};
static_assert(sizeof solver_names / sizeof *solver_names == CONTACT_SOLVER_COUNT + 1, "a name for each solver");

const scr_param rigid_params[RIGID_PARAMS] = {
    {"accuracy", SCR_PARAM_CHOICE, 0, "", RIGID_USUAL, 0, 0, accuracy_names,
     "How exactly contacts are solved. exact: to a part in a million of the speeds of a step. usual is the same but for packs of a hundred "
     "bodies and more. Those of balls of like size it sweeps: speeds are wrong by a hundredth of what gravity gives in a step where 50 "
     "sweeps get so far, and by no more than the whole of it; overlaps stay within 2 % of a ball's radius. Packs of any bodies have the "
     "same "
     "measure while more than one in a hundred of them move, or three, and are solved like everything else where they stand, lie or are "
     "hit at one "
     "place. draft is for first looks: a tenth, 20 sweeps, five times, 5 %, and a part in a thousand for everything else. A run that "
     "exceeds "
     "these ends with a doubt; the curves solver.pack, solver.speed_left and solver.above say what was solved so and what it left. Balls "
     "of "
     "a pack that are slower than 5 % of what gravity gives in a step for 50 steps sleep until their forces would give them a thousandth "
     "of "
     "it (curve and field asleep)",
     AT(accuracy)},
    {"solver", SCR_PARAM_CHOICE, SCR_PARAM_ADVANCED, "", CONTACT_AUTO, 0, 0, solver_names,
     "Solver of the contact problem of a step; auto: the cheap ones first, then the strong ones for what they leave", AT(solver)},
    {"tolerance", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ADVANCED, "1", NAN, 1e-14, 1e-2, NULL,
     "Largest violation of Coulomb's law, as a part of the speeds of a step, at which the step counts as solved, packs like "
     "everything else; null: as `accuracy` says",
     AT(tolerance)},
    {"iterations", SCR_PARAM_INTEGER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ADVANCED, "1", -1, 1, 1000000, NULL,
     "Most iterations of one solver in a step; null: as many as suit it; a step that needs more goes on with the best found, and is "
     "recorded in the table "
     "unsolved_steps. Under auto each of the first solvers keeps to it, and factorising solvers then solve what is left",
     AT(iterations)},
    {"margin", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE | SCR_PARAM_ADVANCED, "m", NAN, 0, 1e6, NULL,
     "Gaps up to which contacts take part in a step, beyond what bodies travel in it; null: 2 % of the least thickness of a body",
     AT(margin)},
    {"penetration", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE | SCR_PARAM_ADVANCED, "m", NAN, 0, 1e6, NULL,
     "Overlap above which bodies are moved apart without giving them speed; null: a part in 100000 of the least thickness of a body",
     AT(penetration)},
    {"restitution_speed", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ADVANCED, "m/s", NAN, 0, 1e6, NULL,
     "Closing speed below which nothing bounces; null: what gravity gives in two steps", AT(restitution_speed)},
    {"recorded_problems", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 0, 0, 100000, NULL,
     "Most contact problems of single steps to keep as FCLIB files, in the folder `problems` of the run: sets for `scree contact bench`",
     AT(recorded_problems)},
    {"recorded_every", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 1, 1, 1000000000, NULL,
     "Steps from one problem that is kept to the next", AT(recorded_every)},
    {"recorded_bytes", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED, "B", 1e9, 0, 1e12, NULL,
     "Most bytes of all problems that are kept; one that would pass it is left out", AT(recorded_bytes)},
    {"force_chains", SCR_PARAM_BOOLEAN, 0, "", 1, 0, 1, NULL, SIM_FORCE_CHAINS_TEXT ": half of a recording or more", AT(force_chains)},
    {"contact_forces", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL, SIM_CONTACT_FORCES_TEXT, AT(contact_forces)},
    {"contact_table", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL,
     "Whether every frame adds a row to the table of contacts for each contact that carries a force", AT(contact_table)},
    {"porosity_layers", SCR_PARAM_INTEGER, 0, "1", 0, 0, RIGID_LAYER_LIMIT, NULL,
     "Layers of the box around all bodies whose porosity every frame adds to the table `porosity`; 0: no table", AT(porosity_layers)},
    {"discharge_level", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC, "m", NAN, -1e6, 1e6, NULL,
     "Height z below which bodies have run out, for the curve `discharge`; null: none has", AT(discharge_level)},
    {"porosity_axis", SCR_PARAM_CHOICE, SCR_PARAM_ADVANCED, "", 2, 0, 0, axis_names, "What these layers lie across", AT(porosity_axis)},
};

const scr_param rigid_material_params[RIGID_MATERIAL_PARAMS] = {SCR_DENSITY(rigid_material)};

const scr_param rigid_surface_params[RIGID_SURFACE_PARAMS] = {
    SCR_FRICTION_COEFFICIENT(rigid_surface),
    {"restitution", SCR_PARAM_NUMBER, 0, "1", 0, 0, 1, NULL,
     "Newton's: speed at which two bodies part over the speed at which they met, along the normal", offsetof(rigid_surface, restitution)},
    {"adhesion", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED, "N", 0, 0, 1e12, NULL,
     "Force with which two bodies that touch hold each other, shared by their contact points", offsetof(rigid_surface, adhesion)},
    {"rolling_resistance", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED, "m", 0, 0, 1e6, NULL,
     "Largest couple against rolling, and against turning about the normal, over the normal force: a ball begins to roll down a slope "
     "whose tangent is this over its radius",
     offsetof(rigid_surface, rolling_resistance)},
};

const scr_param rigid_specimen_params[RIGID_SPECIMEN_PARAMS] = {
    {"random_rotation", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL,
     "Whether each body of this line begins in an attitude of its own, drawn by the seed", offsetof(rigid_specimen, random_rotation)},
    {"smallest_scale", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "1", 1, 0, 1e6, NULL, "Least size of the bodies over that of the shape",
     offsetof(rigid_specimen, smallest_scale)},
    {"largest_scale", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "1", 1, 0, 1e6, NULL,
     "Largest size of the bodies over that of the shape; sizes are drawn evenly between both", offsetof(rigid_specimen, largest_scale)},
};

const scr_series rigid_curves[RIGID_CURVES] = {
    SCR_PART_SERIES,
    SCR_FREE_PART_SERIES,
    {"energy.kinetic", "J", "Kinetic energy"},
    {"energy.friction", "J", "Energy dissipated by sliding"},
    {"energy.impact", "J", "Energy lost in impacts, and by the steps themselves"},
    {"energy.external", "J", "Work of the rig and of gravity"},
    {"energy.balance_error", "1", "Energy not accounted for, over the largest so far"},
    {"contacts", "1", "Contacts that carry a force"},
    {"contacts.sticking", "1", "Contacts that stick"},
    {"contacts.sliding", "1", "Contacts that slide"},
    {"coordination", "1", "Bodies that a body leans on, on average"},
    {"porosity", "1", "Share of voids in the box around all bodies"},
    {"penetration", "m", "Largest overlap of two bodies at the start of the last step"},
    {"speed", "m/s", "Largest speed of a body"},
    {"centroid.x", "m", "Centre of mass of all bodies, x"},
    {"centroid.y", "m", "Centre of mass of all bodies, y"},
    {"centroid.z", "m", "Centre of mass of all bodies, z"},
    {"first.x", "m", "Centre of mass of the first body, x"},
    {"first.y", "m", "Centre of mass of the first body, y"},
    {"first.z", "m", "Centre of mass of the first body, z"},
    {"first.velocity_x", "m/s", "Velocity of the first body, x"},
    {"first.velocity_y", "m/s", "Velocity of the first body, y"},
    {"first.velocity_z", "m/s", "Velocity of the first body, z"},
    {"first.spin_1", "rad/s", "Spin of the first body about its first principal axis"},
    {"first.spin_2", "rad/s", "Spin of the first body about its second principal axis"},
    {"first.spin_3", "rad/s", "Spin of the first body about its third principal axis"},
    {"first.tilt", "rad", "Angle between the first body's own z axis and the vertical"},
    {"stress.xx", "Pa", "Mean stress of the contacts in the box around all bodies, xx; pressure is positive"},
    {"stress.yy", "Pa", "Mean stress, yy"},
    {"stress.zz", "Pa", "Mean stress, zz"},
    {"stress.xy", "Pa", "Mean stress, xy"},
    {"stress.yz", "Pa", "Mean stress, yz"},
    {"stress.zx", "Pa", "Mean stress, zx"},
    SIM_FABRIC_CURVES,
    {"solver.residual", "1", "Relative residual of the last step"},
    {"solver.iterations", "1", "Iterations of the solver in the last step"},
    {"unsolved_steps", "1", "Steps so far that were not solved to the tolerance"},
    {"solver.pack", "1", "How the last step was solved: 0 to the tolerance; as a pack: 1 of balls, swept, 2 in motion"},
    {"solver.speed_left", "m/s", "Largest error in speed of a contact in the last step, of a pack"},
    {"solver.above", "1", "Steps so far of a pack that sweeps left above their measure"},
    {"asleep", "1", "Bodies of a pack that rest, and are left as they are until something wakes them"},
    {"momentum", "N s", "Momentum of all bodies, its length"},
    {"height", "m", "Height of the bodies: top of the highest ball around one, z"},
    {"front", "m", "Front along x: end of the columns that hold half a layer or more, from the fullest on"},
    {"discharge", "kg", "Mass of the bodies whose centre lies below discharge_level"},
    {"bed.slope", "rad", "Angle of the centre of mass from the lowest point, about what turns"},
};

const scr_substitute rigid_substitutes[] = {
    {"young_modulus", "rigid bodies do not deform"},
    {"bulk_modulus", "rigid bodies do not deform"},
    {"poisson_ratio", "rigid bodies do not deform"},
    {"fracture_energy", "rigid bodies do not break"},
    {"tensile_strength", "rigid bodies do not break"},
    {"shear_strength", "rigid bodies do not break"},
    {"stiffness_damping", "rigid bodies do not deform; restitution of the contact sets what an impact loses"},
    {"mass_damping", "nothing slows bodies that fly"},
    {"damping_ratio", "restitution sets what an impact loses"},
    {"damping_time", "restitution sets what an impact loses"},
    {"contact_stiffness", "contacts are exact and have no springs"},
    {NULL, NULL},
};

const scr_need rigid_needs[] = {
    {SCR_KEY_OPTION, "recorded_every", "recorded_problems", NULL},
    {SCR_KEY_OPTION, "recorded_bytes", "recorded_problems", NULL},
    {SCR_KEY_OPTION, "porosity_axis", "porosity_layers", NULL},
    {SCR_KEY_OPTION, NULL, NULL, NULL},
};

/* What accuracies ask of packs. Sweeps are with momentum; pours on the bench keep within a third of the overlaps
 * (tests/reports/bench/PACKS.md). */
static const rigid_promise promises[] = {
    [RIGID_DRAFT] = {.residual = 0.1, .sweeps = 20, .most = 5, .overlap = 0.05},
    [RIGID_USUAL] = {.residual = 0.01, .sweeps = 50, .most = 1, .overlap = 0.02},
    [RIGID_EXACT] = {0},
};

const rigid_promise *rigid_promised(const rigid_options *options)
{
  return &promises[options->accuracy];
}

double rigid_tolerance(const rigid_options *options)
{
  return !isnan(options->tolerance) ? options->tolerance : options->accuracy == RIGID_DRAFT ? 1e-3 : 1e-6;
}

bool rigid_may_sweep(const rigid_options *options)
{
  return options->accuracy != RIGID_EXACT && isnan(options->tolerance) && options->solver == CONTACT_AUTO;
}
