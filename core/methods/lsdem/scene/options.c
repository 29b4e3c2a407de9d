/* The tables of keys and curves. Help texts appear in forms and on the reference page. */
#include "methods/lsdem/scene/options.h"

#include <math.h>

#include "methods/lsdem/contact/law.h"
#include "scene/part.h"
#include "scene/shared_params.h"
#include "sim/fabric.h"
#include "sim/rig/box.h"
#include "sim/view/contact_view.h"
#include "scene/shape/shape.h"

static const char *const pass_names[] = {"symmetric", "one_sided", NULL};
static const char *const inertia_names[] = {"standard", "full", NULL};
static const char *const mode_names[] = {"none", "isotropic", "stretch", "affine", "bending", "basis", NULL};
static const char *const follow_names[] = {"pull_back", "remap", "recompute", "advect", "precomputed", NULL};
static const char *const energy_names[] = {
    [LSDEM_BASIS_QUADRATIC] = "quadratic", [LSDEM_BASIS_TABLE] = "table", [LSDEM_BASIS_FIT] = "fit", NULL};
static const char *const automatic_names[] = {"hertz", "linear", NULL};
static const char *const table_names[] = {"per_wall", "total", NULL};

#define AT(field) offsetof(lsdem_options, field)
const scr_param lsdem_params[LSDEM_PARAMS] = {
    {"passes", SCR_PARAM_CHOICE, 0, "", LSDEM_SYMMETRIC, 0, 0, pass_names,
     "Nodes of which grain of a pair search the surface of the other: those of both, each with half the weight; or only those of the one "
     "whose nodes are closer together",
     AT(passes)},
    {"pull_back", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 3, 1, 20, NULL,
     "Iterations that find where a place in a deformed grain was before it deformed; the error falls by the strain with each",
     AT(pull_back)},
    {"local_damping", SCR_PARAM_NUMBER, SCR_PARAM_BELOW, "1", 0, 0, 1, NULL,
     "Share of every grain's force that is taken off where it speeds the grain up, and added where it slows it down: helps packs come to "
     "rest, but falsifies motion",
     AT(local_damping)},
    {"skin", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED | SCR_PARAM_ABOVE, "1", 0.1, 0, 10, NULL,
     "Slack of the search for neighbours over the smallest grain's radius; results do not depend on it", AT(skin)},
    {"bias_fix", SCR_PARAM_BOOLEAN, SCR_PARAM_ADVANCED, "", 1, 0, 1, NULL,
     "Level sets are corrected for what interpolation between grid points adds on curved surfaces", AT(bias_fix)},
    {"inertia", SCR_PARAM_CHOICE, SCR_PARAM_ADVANCED, "", LSDEM_INERTIA_STANDARD, 0, 0, inertia_names,
     "inertia of grains that deform: that of their reference shape, right for small amplitudes; or the one they have at each moment, with "
     "all couplings of turning and deforming",
     AT(inertia)},
    {"energy_exact", SCR_PARAM_BOOLEAN, SCR_PARAM_ADVANCED, "", 1, 0, 1, NULL,
     "Normal forces are the exact gradient of the overlaps' energy on the grid, so that energy is kept; without it they are by the "
     "distance to first order, along the unit normal",
     AT(energy_exact)},
    {"force_chains", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL, SIM_FORCE_CHAINS_TEXT, AT(force_chains)},
    {"contact_forces", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL, SIM_CONTACT_FORCES_TEXT, AT(contact_forces)},
    {"traction_table", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL,
     "Whether every frame adds a row to the table of tractions for each node in contact", AT(traction_table)},
};
#undef AT

const scr_param lsdem_material_params[LSDEM_MATERIAL_PARAMS] = {
    SCR_DENSITY(lsdem_material),
    SCR_MODULUS(lsdem_material, young_modulus, "Young's modulus, which the stiffness of modes follows from"),
    SCR_POISSON_RATIO(lsdem_material, "Poisson's ratio, which the stiffness of modes follows from"),
};

#define AT(field) offsetof(lsdem_surface, field)
const scr_param lsdem_surface_params[LSDEM_SURFACE_PARAMS] = {
    {"contact_stiffness", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "N/m^3", NAN, 0, 1e30, NULL,
     "pressure between two surfaces over their overlap; automatic: as stiff as the grains that touch, by automatic_stiffness",
     AT(contact_stiffness)},
    {"automatic_stiffness", SCR_PARAM_CHOICE, 0, "", LSDEM_HERTZ, 0, 0, automatic_names,
     "pressure of contacts without a contact_stiffness, 1/E* the sum of (1 - nu^2)/E of the grains that touch: E*/pi sqrt(overlap/R), 1/R "
     "the sum of 1/radius of balls of their volumes, so that balls press "
     "each other by Hertz's force, and modes that strain whole grains are taken account of; or 2.5 E*/R times the overlap, R the smaller "
     "radius",
     AT(automatic_stiffness)},
    {"shear_ratio", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "1", 0.8, 0, 10, NULL, "shear stiffness of a contact over its normal stiffness",
     AT(shear_ratio)},
    SCR_FRICTION_COEFFICIENT(lsdem_surface),
    {"friction_before", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC, "1", NAN, 0, 10, NULL,
     "friction coefficient until friction_since: with less friction, a pack is compressed more densely before its test; automatic: "
     "friction_coefficient",
     AT(friction_before)},
    {"friction_since", SCR_PARAM_NUMBER, 0, "s", 0, 0, 1e6, NULL,
     "time from which friction_coefficient applies, where friction_before is given", AT(friction_since)},
    {"damping_time", SCR_PARAM_NUMBER, 0, "s", 0, 0, 1e6, NULL,
     "pressure of a contact's dashpot over the rate of the overlap, as a part of contact_stiffness: the larger, the more is lost in "
     "impacts",
     AT(damping_time)},
    {"bond_stiffness", SCR_PARAM_NUMBER, 0, "N/m^3", 0, 0, 1e30, NULL,
     "glues grains that are near at the start: tension over the distance that they part by; 0: no bonds", AT(bond_stiffness)},
    {"bond_shear_ratio", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "1", 1, 0, 10, NULL, "shear stiffness of bonds over their stiffness",
     AT(bond_shear_ratio)},
    {"bond_reach", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "m", NAN, 0, 1e6, NULL,
     "how near the node of one grain must be to another's surface at the start to be glued to it; automatic: half the smallest grid "
     "spacing",
     AT(bond_reach)},
    {"bond_strength", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "Pa", 1e30, 0, 1e30, NULL,
     "tension that breaks a bond without shear; both shares add", AT(bond_strength)},
    {"bond_shear_strength", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "Pa", NAN, 0, 1e30, NULL,
     "shear that breaks a bond without tension; automatic: bond_strength", AT(bond_shear_strength)},
    {"bond_energy", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "J/m^2", NAN, 0, 1e30, NULL,
     "elastic energy of an area that breaks a bond, instead of strengths; automatic: strengths do", AT(bond_energy)},
    {"bond_damping_time", SCR_PARAM_NUMBER, 0, "s", 0, 0, 1e6, NULL,
     "traction of a bond's dashpot over its velocity, as a part of bond_stiffness", AT(bond_damping_time)},
};
#undef AT

#define AT(field) offsetof(lsdem_specimen, field)
const scr_param lsdem_specimen_params[LSDEM_SPECIMEN_PARAMS] = {
    SCR_SPACING(lsdem_specimen, "distance between the nodes of a grain's surface"),
    {"grid_spacing", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "m", NAN, 0, 1e6, NULL,
     "distance between the points at which the signed distance of the shape is known, at most a third of its thickness; automatic: the "
     "spacing of nodes",
     AT(grid_spacing)},
    {"elongation", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "1", 1, 0.1, 1, NULL,
     "makes pebbles of spheres: middle over longest axis, at the volume of the sphere", AT(elongation)},
    {"flatness", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "1", 1, 0.1, 1, NULL,
     "makes pebbles of spheres: shortest over middle axis, at the volume of the sphere", AT(flatness)},
    {"exponent", SCR_PARAM_NUMBER, 0, "1", 2, 1.2, 12, NULL,
     "makes superellipsoids of spheres: 2 is round, more is boxier, less is more pointed", AT(exponent)},
    {"roughness", SCR_PARAM_NUMBER, 0, "1", 0, 0, 0.2, NULL,
     "makes pebbles of spheres: mean height of random bumps over the radius, by the scene's seed", AT(roughness)},
    {"variants", SCR_PARAM_INTEGER, 0, "1", 1, 1, 64, NULL, "how many different rough pebbles there are, which the grains are in turn",
     AT(variants)},
    {"random_rotation", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL, "each grain is turned at random, by the scene's seed",
     AT(random_rotation)},
    {"modes", SCR_PARAM_CHOICE, 0, "", 0, 0, 0, mode_names,
     "how a grain deforms: not at all; shrinking alike in all directions; stretching along its three axes; these and three shears; bending "
     "of a bar along its longest "
     "axis; by the modes of a mode basis",
     AT(modes)},
    {"mode_basis", SCR_PARAM_ASSET, SCR_PARAM_AUTOMATIC, "", 0, 0, 0, NULL,
     "a mode basis of the grain's shape, as scree coarsen --basis makes it of finite elements (of vibrations, or with --snapshots of a "
     "motion such as a slow press), by its path beside the scene or as an "
     "uploaded asset",
     AT(mode_basis)},
    {"mode_count", SCR_PARAM_INTEGER, 0, "1", 1, 1, LSDEM_MODE_LIMIT, NULL, "how many modes of the mode basis, from the first, are used",
     AT(mode_count)},
    {"mode_energy", SCR_PARAM_CHOICE, 0, "", LSDEM_BASIS_QUADRATIC, 0, 0, energy_names,
     "elastic energy of the modes of a mode basis: by its stiffness at rest; of one mode, by the table of forces in the basis, which are "
     "those of all walls together; a "
     "polynomial fitted to the energies and forces of its levels",
     AT(mode_energy)},
    {"fit_degree", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 4, 2, LSDEM_FIT_DEGREE, NULL,
     "degree of the polynomial where mode_energy is fit", AT(fit_degree)},
    {"contraction", SCR_PARAM_BOOLEAN, SCR_PARAM_ADVANCED, "", 1, 0, 1, NULL,
     "a bending mode contracts and widens across the bar as the Poisson ratio says; without it the bar is too stiff", AT(contraction)},
    {"largest_amplitude", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "m", NAN, 0, 1e6, NULL,
     "how far modes may move the surface; automatic: two grid spacings", AT(largest_amplitude)},
    {"mode_damping_ratio", SCR_PARAM_NUMBER, 0, "1", 0.1, 0, 10, NULL, "damping of each mode, as a part of critical damping",
     AT(mode_damping_ratio)},
    {"mode_stiffness", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE | SCR_PARAM_ADVANCED, "N/m", NAN, 0, 1e30, NULL,
     "stiffness of the only mode; automatic: of its field and the material", AT(mode_stiffness)},
    {"mode_mass", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE | SCR_PARAM_ADVANCED, "kg", NAN, 0, 1e30, NULL,
     "mass of the only mode; automatic: of its field and the density", AT(mode_mass)},
    {"follow", SCR_PARAM_CHOICE, SCR_PARAM_ADVANCED, "", LSDEM_FOLLOW_PULL_BACK, 0, 0, follow_names,
     "how the signed distance follows the modes: looked up where a place was in the reference shape; the corners of its grid cell looked "
     "up there; made anew for each grain; "
     "carried along for each grain; between shapes that the template keeps. The first is the most exact and keeps nothing; the others are "
     "for comparison",
     AT(follow)},
    {"follow_samples", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 9, 3, 65, NULL,
     "how many shapes the template keeps of each mode where follow is precomputed, the reference shape in their middle; an even number is "
     "raised by one",
     AT(follow_samples)},
    {"follow_tolerance", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED | SCR_PARAM_ABOVE, "1", 0.05, 0, 1, NULL,
     "how far modes may move the surface, over the grid spacing, before the signed distance is made anew or carried along",
     AT(follow_tolerance)},
    {"table_is", SCR_PARAM_CHOICE, 0, "", LSDEM_TABLE_PER_WALL, 0, 0, table_names,
     "what the forces of mode_table (not those of a mode basis) are: of one of the walls that press the grain alike, or of all together, "
     "which the mode feels",
     AT(table_is)},
    {"table_walls", SCR_PARAM_INTEGER, 0, "1", 6, 1, 1000, NULL, "how many walls press the grain where the table is of one",
     AT(table_walls)},
    {"mode_table", SCR_PARAM_TEXT, 0, "", 0, 0, LSDEM_TABLE_TEXT, NULL,
     "force of the only mode over its amplitude, instead of a stiffness: pairs of m and N, from 0 0 on", AT(mode_table)},
};

lsdem_body lsdem_body_of(const scr_scene *scene, size_t specimen)
{
  if (specimen == scene->specimen_count) return (lsdem_body){.modulus = INFINITY, .radius = INFINITY};
  int modes = lsdem_specimen_of(scene, specimen)->modes;
  const lsdem_material *material = lsdem_material_of(scene, scene->specimens[specimen].material);
  double poisson = isnan(material->poisson_ratio) ? 0 : material->poisson_ratio;
  return (lsdem_body){.modulus = isnan(material->young_modulus) ? INFINITY : material->young_modulus / (1 - poisson * poisson),
                      .radius = cbrt(0.75 * scr_shape_volume(&scene->specimens[specimen].shape) / M_PI),
                      .strained = modes == LSDEM_MODES_STRETCH || modes == LSDEM_MODES_AFFINE || modes == LSDEM_MODES_BASIS};
}

double lsdem_automatic_stiffness(lsdem_body a, lsdem_body b)
{
  double compliance = 1 / a.modulus + 1 / b.modulus;
  return compliance > 0 ? 2.5 / (compliance * fmin(a.radius, b.radius)) : NAN;
}

double lsdem_normal_stiffness(const scr_scene *scene, size_t a, size_t b)
{
  size_t of_a = a < scene->specimen_count ? scene->specimens[a].material : scene->material_count,
         of_b = b < scene->specimen_count ? scene->specimens[b].material : scene->material_count;
  double given = lsdem_surface_of(scene, of_a, of_b)->contact_stiffness;
  return isnan(given) ? lsdem_automatic_stiffness(lsdem_body_of(scene, a), lsdem_body_of(scene, b)) : given;
}

double lsdem_resolution(const void *specimen)
{
  return ((const lsdem_specimen *)specimen)->spacing;
}

const scr_series lsdem_curves[LSDEM_CURVES] = {
    SCR_PART_SERIES,
    SCR_FREE_PART_SERIES,
    {"energy.kinetic", "J", "Kinetic energy"},
    {"energy.modal", "J", "Kinetic energy of modes"},
    {"energy.elastic", "J", "Elastic energy of modes"},
    {"energy.contact", "J", "Energy stored in contacts"},
    {"energy.bonds", "J", "Energy stored in bonds"},
    {"energy.fracture", "J", "Energy lost in broken bonds"},
    {"energy.damping", "J", "Energy dissipated by damping"},
    {"energy.friction", "J", "Energy dissipated by friction"},
    {"energy.external", "J", "Work of the rig and of gravity"},
    {"energy.balance_error", "1", "Energy not accounted for, over the largest"},
    {"contacts", "1", "Contacts"},
    {"coordination", "1", "Contacts per grain"},
    {"overlap", "m", "Largest overlap"},
    {"amplitude", "m", "Mean amplitude of first modes"},
    {"largest_amplitude", "m", "Largest amplitude of any mode"},
    {"bonds", "1", "Bonds that hold"},
    {"fragments", "1", "Pieces of bonded grains"},
    {"porosity", "1", "Porosity of the box"},
    {"energy.mode.isotropic", "J", "Elastic energy of grains that shrink alike in all directions"},
    {"energy.mode.stretch", "J", "Elastic energy of stretching modes; what couples two modes is shared"},
    {"energy.mode.shear", "J", "Elastic energy of shear modes"},
    {"energy.mode.bending", "J", "Elastic energy of bending modes"},
    {"energy.mode.basis", "J", "Elastic energy of modes of a mode basis"},
    SIM_FABRIC_CURVES,
    SIM_BOX_CURVES,
};

const scr_substitute lsdem_substitutes[] = {
    {"bulk_modulus", "young_modulus and poisson_ratio say how stiff it is"},
    {"fracture_energy", "grains do not break; bonds between them do, by bond_energy of the contact"},
    {"tensile_strength", "grains do not break; bonds between them do, by bond_strength of the contact"},
    {"shear_strength", "grains do not break; bonds between them do, by bond_shear_strength of the contact"},
    {"stiffness_damping", "mode_damping_ratio of the specimen damps its modes"},
    {"mass_damping", "the option local_damping slows grains"},
    {"damping_ratio", "damping_time takes energy out of contacts"},
    {"restitution", "damping_time takes energy out of contacts"},
    {"rolling_resistance", "only the shape of a grain resists rolling"},
    {NULL, NULL},
};

const scr_need lsdem_needs[] = {
    {SCR_KEY_CONTACT, "bond_shear_ratio", "bond_stiffness", NULL},
    {SCR_KEY_CONTACT, "bond_reach", "bond_stiffness", NULL},
    {SCR_KEY_CONTACT, "bond_strength", "bond_stiffness", NULL},
    {SCR_KEY_CONTACT, "bond_shear_strength", "bond_stiffness", NULL},
    {SCR_KEY_CONTACT, "bond_energy", "bond_stiffness", NULL},
    {SCR_KEY_CONTACT, "bond_damping_time", "bond_stiffness", NULL},
    {SCR_KEY_SPECIMEN, "largest_amplitude", "modes", NULL},
    {SCR_KEY_SPECIMEN, "mode_damping_ratio", "modes", NULL},
    {SCR_KEY_SPECIMEN, "follow", "modes", NULL},
    {SCR_KEY_SPECIMEN, "mode_basis", "modes", "basis"},
    {SCR_KEY_SPECIMEN, "mode_count", "modes", "basis"},
    {SCR_KEY_SPECIMEN, "contraction", "modes", "bending"},
    {SCR_KEY_SPECIMEN, "fit_degree", "mode_energy", "fit"},
    {SCR_KEY_SPECIMEN, "follow_samples", "follow", "precomputed"},
    {SCR_KEY_SPECIMEN, "follow_tolerance", "follow", "recompute|advect"},
    {SCR_KEY_SPECIMEN, "table_is", "mode_table", NULL},
    {SCR_KEY_SPECIMEN, "variants", "roughness", NULL},
    {SCR_KEY_OPTION, NULL, NULL, NULL},
};
