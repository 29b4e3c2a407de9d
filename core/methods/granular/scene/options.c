/* The tables of options. Help texts appear in forms and on the reference page. */
#include "methods/granular/scene/options.h"

#include <math.h>
#include <stddef.h>

#include "scene/shared_params.h"

static const char *const dimension_names[] = {[GRANULAR_SPACE] = "space", [GRANULAR_PLANE] = "plane", NULL};

#define AT(field) offsetof(granular_options, field)
const scr_param granular_params[GRANULAR_PARAMS] = {
    {"dimension", SCR_PARAM_CHOICE, 0, "", GRANULAR_SPACE, 0, 0, dimension_names,
     "Whether sand moves in space, or in the plane of x and z alone: then the domain's depth along y is that of a slice, whose middle "
     "plane cuts the specimens",
     AT(dimension)},
    {"cell", SCR_PARAM_NUMBER, SCR_PARAM_REQUIRED | SCR_PARAM_ABOVE, "m", 0, 0, 1e6, NULL,
     "Edge of the cells of the grid on which the sand is solved; the domain is a whole number of cells along each axis. An opening should "
     "be 16 cells wide, and must be at least 6",
     AT(cell)},
    {"domain_minimum", SCR_PARAM_VECTOR, SCR_PARAM_AUTOMATIC, "m", NAN, -1e6, 1e6, NULL,
     "Lowest corner of the space that sand may be in, in a scene without a box; what leaves it is taken out", AT(domain_minimum)},
    {"domain_maximum", SCR_PARAM_VECTOR, SCR_PARAM_AUTOMATIC, "m", NAN, -1e6, 1e6, NULL, "Highest corner of that space",
     AT(domain_maximum)},
    {"periodic_x", SCR_PARAM_BOOLEAN, SCR_PARAM_ADVANCED, "", 0, 0, 1, NULL,
     "What leaves the domain along x comes in on the other side, and walls there do nothing: a slope without end", AT(periodic_x)},
    {"periodic_y", SCR_PARAM_BOOLEAN, SCR_PARAM_ADVANCED, "", 0, 0, 1, NULL, "The same along y, in space", AT(periodic_y)},
    {"outlet_minimum", SCR_PARAM_VECTOR, SCR_PARAM_AUTOMATIC, "m", NAN, -1e6, 1e6, NULL,
     "Lowest corner of a box in the domain: sand that comes into it is taken out, and counted by the curve `discharge`",
     AT(outlet_minimum)},
    {"outlet_maximum", SCR_PARAM_VECTOR, SCR_PARAM_AUTOMATIC, "m", NAN, -1e6, 1e6, NULL, "Highest corner of that box", AT(outlet_maximum)},
    {"floor_friction", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC, "1", NAN, 0, 1000, NULL,
     "Friction of sand on the lower wall of the box; null: as the contact has it", AT(floor_friction)},
    {"side_friction", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC, "1", NAN, 0, 1000, NULL,
     "Friction of sand on the other walls of the box; null: as the contact has it", AT(side_friction)},
    {"sweeps", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 50, 2, 100000, NULL,
     "Most sweeps over all cells in a step: a budget that flows need no more of, see the curves residual.*", AT(sweeps)},
    {"tolerance", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED | SCR_PARAM_ABOVE, "1", 1e-4, 0, 1, NULL,
     "Largest violation of the law of sand at which a step ends before that, as a part of gravity times the step over a cell",
     AT(tolerance)},
    {"show_cells", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL,
     "Whether frames also have the cells with sand: their volume fraction, and means of pressure, velocity, shear rate and inertial number",
     AT(show_cells)},
    {"fluid_density", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "kg/m^3", NAN, 0, 1e6, NULL,
     "Density of a fluid that fills the whole box, between the grains and above them, in the plane; null: the sand is dry",
     AT(fluid_density)},
    {"fluid_viscosity", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "Pa s", NAN, 0, 1e6, NULL,
     "Viscosity of the fluid: with the diameter of the grains it also says how strongly it drags them", AT(fluid_viscosity)},
    {"drag_exponent", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED, "1", 3, 0, 10, NULL,
     "How much grains hinder the fluid between them: drag is that of single grains times the share of fluid to the power of minus this",
     AT(drag_exponent)},
    {"fluid_stream", SCR_PARAM_BOOLEAN, SCR_PARAM_ADVANCED, "", 0, 0, 1, NULL,
     "With periodic_x: whether gravity moves the fluid along x, as a stream; else ends far away hold it by their pressure",
     AT(fluid_stream)},
};
#undef AT

#define AT(field) offsetof(granular_material, field)
const scr_param granular_material_params[GRANULAR_MATERIAL_PARAMS] = {
    SCR_DENSITY(granular_material),
    {"packing_fraction", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "1", 0.6, 0, 1, NULL,
     "Share of grains in the volume of the densest sand; 1: density is that of the sand", AT(packing_fraction)},
    {"internal_friction", SCR_PARAM_NUMBER, SCR_PARAM_REQUIRED, "1", 0, 0, 10, NULL,
     "Friction of sand on sand: largest shear stress over pressure, in slow flow; below 1 in the plane, where it is the sine of the "
     "friction angle",
     AT(internal_friction)},
    {"friction_increment", SCR_PARAM_NUMBER, 0, "1", 0, 0, 10, NULL, "What fast flow adds to it at most, by mu(I); 0: friction is constant",
     AT(friction_increment)},
    {"inertial_constant", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "1", 0.3, 0, 1e6, NULL, "Inertial number at which half of that is added",
     AT(inertial_constant)},
    {"grain_diameter", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "m", NAN, 0, 1e6, NULL,
     "Diameter of the grains, for inertial numbers; null: there are no inertial numbers", AT(grain_diameter)},
    {"cohesion", SCR_PARAM_NUMBER, 0, "Pa", 0, 0, 1e12, NULL,
     "Tension that packed sand bears: shear stress is at most internal_friction times pressure plus cohesion", AT(cohesion)},
    {"debonding", SCR_PARAM_NUMBER, 0, "1", 0, 0, 1e9, NULL,
     "How fast shear breaks cohesion: it is halved by a shear strain of about 1 over this", AT(debonding)},
};
#undef AT

const scr_param granular_surface_params[GRANULAR_SURFACE_PARAMS] = {SCR_FRICTION_COEFFICIENT(granular_surface)};

#define AT(field) offsetof(granular_specimen, field)
const scr_param granular_specimen_params[GRANULAR_SPECIMEN_PARAMS] = {
    {"points_per_cell", SCR_PARAM_INTEGER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ADVANCED, "1", -1, 1, 8, NULL,
     "Material points along each edge of a cell; null: 3 in the plane, 2 in space", AT(points_per_cell)},
    {"pour_interval", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "s", NAN, 0, 1e9, NULL,
     "Time after which the shape is filled again, with the specimen's velocity: a source of sand", AT(pour_interval)},
    {"pour_count", SCR_PARAM_INTEGER, 0, "1", 1, 1, 1000000000, NULL, "How often the shape is filled, the start counted", AT(pour_count)},
};
#undef AT

const scr_substitute granular_substitutes[] = {
    {"young_modulus", "sand here neither compresses nor stores elastic energy"},
    {"bulk_modulus", "sand here neither compresses nor stores elastic energy"},
    {"poisson_ratio", "sand here neither compresses nor stores elastic energy"},
    {"fracture_energy", "cohesion is what holds sand together"},
    {"tensile_strength", "cohesion is what holds sand together"},
    {"restitution", "sand does not bounce"},
    {"damping_ratio", "sand does not bounce"},
    {"contact_stiffness", "contact with parts is exact and has no springs"},
    {NULL, NULL},
};

const scr_need granular_needs[] = {
    {SCR_KEY_MATERIAL, "inertial_constant", "friction_increment", NULL},
    {SCR_KEY_MATERIAL, "debonding", "cohesion", NULL},
    {SCR_KEY_SPECIMEN, "pour_count", "pour_interval", NULL},
    {SCR_KEY_OPTION, "fluid_viscosity", "fluid_density", NULL},
    {SCR_KEY_OPTION, "drag_exponent", "fluid_density", NULL},
    {SCR_KEY_OPTION, "fluid_stream", "periodic_x", NULL},
    {SCR_KEY_OPTION, NULL, NULL, NULL},
};
