/* Tables of options, materials, specimens and curves. Help texts appear in forms and on the reference page. */
#include "methods/fem/scene/options.h"

#include <math.h>

#include "scene/part.h"
#include "scene/shared_params.h"
#include "sim/view/contact_view.h"

static const char *const law_names[] = {[FEM_LINEAR] = "linear", [FEM_NEO_HOOKEAN] = "neo-hookean", NULL};
static const char *const element_names[] = {
    [FEM_PLAIN] = "plain", [FEM_INCOMPATIBLE_MODES] = "incompatible-modes", [FEM_B_BAR] = "b-bar", NULL};
static const char *const impact_names[] = {[FEM_IMPACT_STEP] = "step", [FEM_IMPACT_MASS] = "mass", [FEM_IMPACT_NONE] = "none", NULL};
static const char *const side_names[] = {
    [FEM_SIDE_NONE] = "none",   [FEM_SIDE_X_MIN] = "x_min", [FEM_SIDE_X_MAX] = "x_max", [FEM_SIDE_Y_MIN] = "y_min",
    [FEM_SIDE_Y_MAX] = "y_max", [FEM_SIDE_Z_MIN] = "z_min", [FEM_SIDE_Z_MAX] = "z_max", NULL};

static const char *const loading_names[] = {[FEM_LOADING_NONE] = "none", [FEM_LOADING_STATIC] = "static", NULL};

#define AT(field) offsetof(fem_options, field)

const scr_param fem_params[FEM_PARAMS] = {
    {"law", SCR_PARAM_CHOICE, 0, "", FEM_NEO_HOOKEAN, 0, 0, law_names,
     "Elastic law: linear, for small strains and small turns only; or compressible neo-Hookean, which is the same for small strains and "
     "right for large ones",
     AT(law)},
    {"element", SCR_PARAM_CHOICE, 0, "", FEM_INCOMPATIBLE_MODES, 0, 0, element_names,
     "Formulation of the 8-node hexahedra: plain ones are far too stiff in bending; those with incompatible modes bend well, also one "
     "layer of them; b-bar is "
     "for nearly incompressible matter",
     AT(element)},
    {"impact", SCR_PARAM_CHOICE, SCR_PARAM_ADVANCED, "", FEM_IMPACT_STEP, 0, 0, impact_names,
     "How approaching velocity is taken out at contacts that closed: in the metric of the step's matrix, which spreads the blow as far as "
     "a wave goes in a step "
     "and may add energy above CFL 1; in that of the masses, which never does; or not at all",
     AT(impact)},
    {"body_contact", SCR_PARAM_BOOLEAN, 0, "", 1, 0, 1, NULL, "Contact between specimens; without it they pass through each other",
     AT(body_contact)},
    {"loading", SCR_PARAM_CHOICE, 0, "", FEM_LOADING_NONE, 0, 0, loading_names,
     "static: the motion starts from equilibrium under gravity and the specimens' loads, on parts that only push and where nothing slides",
     AT(loading)},
    {"contact_forces", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL, SIM_CONTACT_FORCES_TEXT, AT(contact_forces)},
    {"release", SCR_PARAM_BOOLEAN, 0, "", 1, 0, 1, NULL, "With static loading: the loads end when the motion begins", AT(release)},
    {"flight", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL,
     "One body alone: without contact, and once its elastic energy and that of its vibrations are below 1e-4 of the kinetic one, it flies "
     "as a rigid body, exactly, "
     "until it meets a part",
     AT(flight)},
    {"courant_number", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED | SCR_PARAM_ABOVE, "1", 1, 0, 1e6, NULL,
     "Where no time step is given: how many times as long it is as a wave needs through the shortest edge; steps of any length are stable, "
     "but follow only what is slower "
     "than they are",
     AT(courant_number)},
    {"newton_tolerance", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED | SCR_PARAM_ABOVE, "1", 1e-8, 0, 1e-2, NULL,
     "A step is solved when an iteration moves no node by more than this share of an element's edge", AT(newton_tolerance)},
    {"newton_limit", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 30, 1, 10000, NULL,
     "Most iterations of a step before it is done in halves", AT(newton_limit)},
    {"sweep_limit", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 20000, 10, 1000000, NULL,
     "Most sweeps over the contacts in an iteration; where they converge too slowly, stronger solvers take over for a while",
     AT(sweep_limit)},
};

const scr_param fem_material_params[FEM_MATERIAL_PARAMS] = {
    SCR_DENSITY(fem_material),
    SCR_MODULUS(fem_material, young_modulus, "Young's modulus"),
    SCR_POISSON_RATIO(fem_material, "Poisson's ratio; null: 0.25"),
    {"stiffness_damping", SCR_PARAM_NUMBER, 0, "s", 0, 0, 1e9, NULL,
     "Rayleigh damping by the stiffness at rest, turned with the body, so that it does not brake what flies: mode i has the damping ratio "
     "stiffness_damping times its angular frequency over 2",
     offsetof(fem_material, stiffness_damping)},
    {"mass_damping", SCR_PARAM_NUMBER, 0, "1/s", 0, 0, 1e9, NULL,
     "Rayleigh damping by the mass: brakes all motion, flying too; mode i has the damping ratio mass_damping over twice its angular "
     "frequency",
     offsetof(fem_material, mass_damping)},
};

const scr_param fem_surface_params[FEM_SURFACE_PARAMS] = {SCR_FRICTION_COEFFICIENT(fem_surface_law)};

#define OF(field) offsetof(fem_specimen, field)
const scr_param fem_specimen_params[FEM_SPECIMEN_PARAMS] = {
    {"spacing", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "m", NAN, 0, 1e6, NULL,
     "edge of the elements, about: each dimension is divided into the nearest whole number of them; null: by the divisions", OF(spacing)},
    {"divisions", SCR_PARAM_VECTOR, SCR_PARAM_AUTOMATIC | SCR_PARAM_WHOLE, "1", NAN, 1, 1000, NULL,
     "numbers of elements along x, y and z of a box, instead of the spacing", OF(divisions)},
    {"load_side", SCR_PARAM_CHOICE, 0, "", FEM_SIDE_NONE, 0, 0, side_names,
     "side of the specimen, before it is turned, on which a load acts: what of the surface lies in the plane of its smallest or largest x, "
     "y or z",
     OF(load_side)},
    {"load", SCR_PARAM_VECTOR, 0, "N", 0, -1e15, 1e15, NULL, "that load on each grain, spread evenly over the side; it keeps its direction",
     OF(load)},
    {"load_rise_time", SCR_PARAM_NUMBER, 0, "s", 0, 0, 1e9, NULL, "time over which the load grows evenly from 0; then it stays",
     OF(load_rise_time)},
};

const scr_series fem_curves[FEM_CURVES] = {
    SCR_PART_SERIES,
    {"energy.kinetic", "J", "Kinetic energy"},
    {"energy.elastic", "J", "Elastic energy"},
    {"energy.external", "J", "Work of gravity, loads and the rig"},
    {"energy.damping", "J", "Energy dissipated by damping"},
    {"energy.friction", "J", "Energy dissipated by friction"},
    {"energy.impact", "J", "Energy taken out where contacts closed"},
    {"energy.balance_error", "1", "Energy not accounted for, over the largest so far"},
    {"momentum.x", "kg m/s", "Momentum of all bodies, x"},
    {"momentum.y", "kg m/s", "Momentum of all bodies, y"},
    {"momentum.z", "kg m/s", "Momentum of all bodies, z"},
    {"angular_momentum.x", "kg m^2/s", "Angular momentum of the first body about its centre, x"},
    {"angular_momentum.y", "kg m^2/s", "Angular momentum of the first body about its centre, y"},
    {"angular_momentum.z", "kg m^2/s", "Angular momentum of the first body about its centre, z"},
    {"centre.x", "m", "Centre of mass of the first body, x"},
    {"centre.y", "m", "Centre of mass of the first body, y"},
    {"centre.z", "m", "Centre of mass of the first body, z"},
    {"rotation", "rad", "Angle by which the first body has turned from where it lay, at most half a turn"},
    {"largest_displacement", "m", "Largest displacement of a node"},
    {"largest_stress", "Pa", "Largest von Mises stress at a Gauss point"},
    {"contacts", "1", "Nodes in contact"},
    {"contact_area", "m^2", "Area of the surface in contact, as it was at rest"},
    {"contact_force", "N", "Sum of the normal forces of all contacts"},
    {"newton_iterations", "1", "Newton iterations of the last step"},
    {"halved_steps", "1", "Steps so far that were done in halves"},
    {"clamped_tangents", "1", "Factorisations so far that needed clamped tangents"},
};

double fem_poisson_ratio(const fem_material *material)
{
  return isnan(material->poisson_ratio) ? 0.25 : material->poisson_ratio;
}

fem_constitutive fem_constitutive_of(const scr_scene *scene, size_t specimen)
{
  const fem_options *options = scene->options;
  const fem_material *material = fem_material_of(scene, scene->specimens[specimen].material);
  return (fem_constitutive){(fem_law)options->law, (fem_formulation)options->element,
                            fem_moduli_of(material->young_modulus, fem_poisson_ratio(material))};
}

double fem_wave_speed(const scr_scene *scene, size_t specimen)
{
  fem_moduli moduli = fem_constitutive_of(scene, specimen).moduli;
  return sqrt((moduli.lambda + 2 * moduli.mu) / fem_material_of(scene, scene->specimens[specimen].material)->density);
}

const scr_substitute fem_substitutes[] = {
    {"bulk_modulus", "young_modulus and poisson_ratio say how stiff it is"},
    {"fracture_energy", "bodies of finite elements do not break"},
    {"tensile_strength", "bodies of finite elements do not break"},
    {"shear_strength", "bodies of finite elements do not break"},
    {"damping_ratio", "stiffness_damping of the material damps bodies, and the option impact sets what an impact loses"},
    {"restitution", "stiffness_damping of the material damps bodies, and the option impact sets what an impact loses"},
    {"damping_time", "stiffness_damping of the material damps bodies, and the option impact sets what an impact loses"},
    {"contact_stiffness", "contacts are exact and have no springs"},
    {"rolling_resistance", "only the shape of a body resists rolling"},
    {NULL, NULL},
};

const scr_need fem_needs[] = {
    {SCR_KEY_OPTION, "release", "loading", "static"},
    {SCR_KEY_OPTION, "courant_number", "time_step", NULL},
    {SCR_KEY_SPECIMEN, "load", "load_side", NULL},
    {SCR_KEY_SPECIMEN, "load_rise_time", "load_side", NULL},
    {SCR_KEY_OPTION, NULL, NULL, NULL},
};
