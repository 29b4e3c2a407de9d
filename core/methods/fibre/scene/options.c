/* The tables of options and curves. Help texts appear in forms and on the reference page. */
#include "methods/fibre/scene/options.h"

#include <math.h>

#include "methods/fibre/helix/helix.h"
#include "scene/part.h"
#include "scene/shared_params.h"
#include "sim/view/contact_view.h"

#define OPTION(field) offsetof(fibre_options, field)
#define MATERIAL(field) offsetof(fibre_material, field)
#define SPECIMEN(field) offsetof(fibre_specimen, field)

static const char *const loading_names[] = {"dynamic", "static", NULL};
static const char *const form_names[] = {"straight", "ring", "helix", "curve", "lines", "bundle", "mat", "weave", "groom", NULL};
static const char *const element_names[] = {"rod", "super_helix", NULL};
static const char *const unloaded_names[] = {"straight", "as_placed", NULL};
static const char *const held_names[] = {"none", "start", "end", "both", NULL};
static const char *const hold_names[] = {"clamped", "pinned", NULL};

const scr_param fibre_params[FIBRE_PARAMS] = {
    {"loading", SCR_PARAM_CHOICE, 0, "", FIBRE_DYNAMIC, 0, 0, loading_names,
     "dynamic: motion with inertia; static: at every step the equilibrium under the loads of that moment, in which nothing touches",
     OPTION(loading)},
    {"order", SCR_PARAM_INTEGER, 0, "1", 1, 1, 2, NULL,
     "Order of the steps in time; 2: half as fast, and what swings loses far less; steps in which something touches are of order 1",
     OPTION(order)},
    {"tolerance", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED, "1", 1e-9, 1e-13, 1e-3, NULL,
     "Last change of the velocities of a step, over the largest, at which it counts as solved; of an equilibrium the forces left over, "
     "over the loads",
     OPTION(tolerance)},
    {"iterations", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 200, 1, 100000, NULL,
     "Most linearisations of a step; static: ten times as many", OPTION(iterations)},
    {"fibre_contact", SCR_PARAM_BOOLEAN, 0, "", 1, 0, 1, NULL,
     "Whether fibres touch each other and themselves; they touch parts of the rig in any case", OPTION(fibre_contact)},
    {"contact_tolerance", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED, "1", 1e-6, 1e-12, 1e-2, NULL,
     "Largest violation of Coulomb's law, as a part of the speeds of a step, at which its contacts count as solved",
     OPTION(contact_tolerance)},
    {"linearisations", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 60, 1, 1000, NULL,
     "Most linearisations of a step in which fibres touch, each with a contact problem of its own", OPTION(linearisations)},
    {"margin", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE | SCR_PARAM_ADVANCED, "m", NAN, 0, 1e6, NULL,
     "Gaps up to which contacts take part in a step, besides the distance that fibres travel in it; null: half of the least contact radius",
     OPTION(margin)},
    {"adhesion_range", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE | SCR_PARAM_ADVANCED, "m", NAN, 0, 1e6, NULL,
     "Gap up to which adhesion holds what touches; null: a hundredth of the least contact radius", OPTION(adhesion_range)},
    {"drawn_radius", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ADVANCED, "m", NAN, 0, 1e6, NULL,
     "Least radius that fibres are drawn with, so that thin ones are seen; null: a five hundredth of the shortest fibre's length",
     OPTION(drawn_radius)},
    {"contact_forces", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL, SIM_CONTACT_FORCES_TEXT, OPTION(contact_forces)},
};

const scr_param fibre_material_params[FIBRE_MATERIAL_PARAMS] = {
    SCR_DENSITY(fibre_material),
    {"young_modulus", SCR_PARAM_NUMBER, SCR_PARAM_REQUIRED | SCR_PARAM_ABOVE, "Pa", 0, 0, 1e15, NULL, "Young's modulus",
     MATERIAL(young_modulus)},
    SCR_POISSON_RATIO(fibre_material, "Poisson's ratio, for the stiffness against twisting; null: 0.3"),
    {"bending_factor", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "1", 1, 0, 1e3, NULL,
     "Stiffness against bending and twisting over that of a solid section: far below 1 for yarns of loose fibres",
     MATERIAL(bending_factor)},
    {"mass_damping", SCR_PARAM_NUMBER, 0, "1/s", 0, 0, 1e9, NULL, "Rayleigh damping by the mass: brakes all motion, as air does",
     MATERIAL(mass_damping)},
    {"stiffness_damping", SCR_PARAM_NUMBER, 0, "s", 0, 0, 1e9, NULL, "Rayleigh damping by the stiffness at each step: brakes what deforms",
     MATERIAL(stiffness_damping)},
};

const scr_param fibre_surface_params[FIBRE_SURFACE_PARAMS] = {
    SCR_FRICTION_COEFFICIENT(fibre_surface),
    {"adhesion", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED, "N", 0, 0, 1e12, NULL,
     "Force with which a fibre holds another, or a part, at each point where they touch, as if it pressed them together; a crossing is one "
     "point, edges alongside each other touch at two, and on a part each node does",
     offsetof(fibre_surface, adhesion)},
    {"line_adhesion", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED, "N/m", 0, 0, 1e12, NULL,
     "Force per length with which a fibre holds another alongside it, or a part that it lies on, over what of it touches, whatever its "
     "edges "
     "are; at a crossing nothing. To peel a fibre off takes this times adhesion_range for each metre",
     offsetof(fibre_surface, line_adhesion)},
};

const scr_param fibre_specimen_params[FIBRE_SPECIMEN_PARAMS] = {
    {"edges", SCR_PARAM_INTEGER, 0, "1", 20, 2, 100000, NULL, "Straight edges that a fibre is divided into", SPECIMEN(edges)},
    {"element", SCR_PARAM_CHOICE, 0, "", FIBRE_ROD, 0, 0, element_names,
     "rod: a chain of edges that stretch, bend and twist; super_helix: pieces of helices, of constant curvatures and twist each, as long "
     "as they are, exactly, for single fibres, small tufts and equilibria, clamped at their start; steps are of order 1",
     SPECIMEN(element)},
    {"elements", SCR_PARAM_INTEGER, 0, "1", 6, 1, HELIX_ELEMENTS_MAX, NULL,
     "Pieces of helices that a super-helix is made of; its edges, at least as many, carry its mass and are drawn", SPECIMEN(elements)},
    {"form", SCR_PARAM_CHOICE, 0, "", FIBRE_STRAIGHT, 0, 0, form_names,
     "How the cylinder's length is laid: straight along its own z axis, as a ring in its own x y plane, as a helix about its own z axis, "
     "along a curve, or along the polylines of a file, each of which is a fibre; or a pattern of several fibres at every place: a bundle "
     "that is twisted about its own z axis, a mat of arcs at random in a box, a plain weave in its own x y plane, or a groom on a ball",
     SPECIMEN(form)},
    {"unloaded", SCR_PARAM_CHOICE, 0, "", FIBRE_UNLOADED_STRAIGHT, 0, 0, unloaded_names,
     "What a fibre would be without loads: straight and not twisted, or as it is placed", SPECIMEN(unloaded)},
    {"helix_radius", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "m", 0.01, 0, 1e6, NULL, "Radius of a helix, of its middle line",
     SPECIMEN(helix_radius)},
    {"helix_pitch", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "m", 0.01, 0, 1e6, NULL, "Rise of a helix in a turn", SPECIMEN(helix_pitch)},
    {"curve", SCR_PARAM_TEXT, 0, "", 0, 0, FIBRE_CURVE_TEXT, NULL,
     "Points of form curve in the specimen's own axes, m: x y z, x y z, ... Straight pieces join them, and the nodes lie on these at even "
     "distances along: give bends several points. The cylinder's length must be theirs, to 1 %",
     SPECIMEN(curve)},
    {"lines", SCR_PARAM_ASSET, SCR_PARAM_AUTOMATIC, "", 0, 0, 0, NULL,
     "File of form lines, by its path beside the scene or as an uploaded asset: CSV (rows of fibre, x, y, z), OBJ (v and l) or HAIR. Each "
     "polyline is a fibre at every place of the specimen, of as many edges; the cylinder's length must be that of the longest, to 1 %",
     SPECIMEN(lines)},
    {"lines_scale", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "m", 1, 0, 1e9, NULL, "Length of the unit of the coordinates in that file",
     SPECIMEN(lines_scale)},
    {"fibres", SCR_PARAM_INTEGER, 0, "1", 7, 1, 100000, NULL, "Fibres of a pattern, at every place of the specimen", SPECIMEN(fibres)},
    {"turns", SCR_PARAM_NUMBER, 0, "1/m", 0, -1e6, 1e6, NULL,
     "Turns of a bundle in a metre, as yarns are twisted: a right-handed screw, below 0 a left-handed one; 0: its fibres lie side by side",
     SPECIMEN(turns)},
    {"core", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC, "m", NAN, 0, 1e6, NULL,
     "Radius that a bundle leaves free in its middle, for a core of its own; null: a fibre lies there", SPECIMEN(core)},
    {"clearance", SCR_PARAM_NUMBER, 0, "1", 0.02, 0, 10, NULL,
     "Gap between neighbouring layers of a pattern at the start, over a fibre's contact radius", SPECIMEN(clearance)},
    {"size", SCR_PARAM_VECTOR, 0, "m", 0, 0, 1e6, NULL,
     "Box about the specimen's position that a mat lies in, whole: places and directions are drawn by the seed, each direction as likely "
     "as "
     "another, and none overlap; drawn anew where the box is too narrow",
     SPECIMEN(size)},
    {"curl", SCR_PARAM_NUMBER, 0, "1/m", 0, 0, 1e9, NULL, "Curvature of the arcs that a mat is made of; 0: straight", SPECIMEN(curl)},
    {"wefts", SCR_PARAM_INTEGER, 0, "1", 8, 2, 10000, NULL, "Yarns of a weave along x, one above the other along y", SPECIMEN(wefts)},
    {"warps", SCR_PARAM_INTEGER, 0, "1", 8, 2, 10000, NULL, "Yarns of a weave along y, side by side along x", SPECIMEN(warps)},
    {"pitch", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "m", 0.01, 0, 1e6, NULL,
     "Distance between neighbouring yarns of a weave, at least 5 contact radii: closer ones overlap on the slopes", SPECIMEN(pitch)},
    {"head_radius", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "m", 0.1, 0, 1e6, NULL,
     "Radius of the ball about the specimen's position on which a groom grows, straight out of it", SPECIMEN(head_radius)},
    {"cap", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "deg", 90, 0, 180, NULL,
     "Angle from the top of that ball, z, to the outermost roots of a groom, which lie evenly over the cap; 180: the whole ball",
     SPECIMEN(cap)},
    {"flatness", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "1", 1, 0, 1, NULL,
     "Second half axis of an elliptical section over the first, which is the radius; 1: round", SPECIMEN(flatness)},
    {"contact_radius", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "m", NAN, 0, 1e6, NULL,
     "Radius of the round tube that touches, whatever the section is; null: the radius", SPECIMEN(contact_radius)},
    {"natural_curvature", SCR_PARAM_NUMBER, 0, "1/m", 0, -1e9, 1e9, NULL,
     "Curvature without loads, about the section's second axis, besides that of `unloaded`", SPECIMEN(natural_curvature)},
    {"natural_twist", SCR_PARAM_NUMBER, 0, "rad/m", 0, -1e9, 1e9, NULL, "Twist without loads, besides that of `unloaded`",
     SPECIMEN(natural_twist)},
    {"twist", SCR_PARAM_NUMBER, 0, "1", 0, -1e6, 1e6, NULL,
     "Turns by which a fibre is twisted at the start, evenly: a ring's is glued in, an open fibre keeps it between ends that are clamped",
     SPECIMEN(twist)},
    {"disturbance", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED, "m", 0, 0, 1e6, NULL,
     "Largest smooth displacement of the nodes at the start, drawn by the seed: what stands in unstable equilibrium needs one to leave it",
     SPECIMEN(disturbance)},
    {"random_phase", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL,
     "Whether each fibre is turned by an angle of its own, drawn by the seed, about its own z axis through its first node, which stays; of "
     "patterns the section alone, about the fibre",
     SPECIMEN(random_phase)},
    {"held", SCR_PARAM_CHOICE, 0, "", FIBRE_FREE, 0, 0, held_names, "Which ends of a fibre are held", SPECIMEN(held)},
    {"hold", SCR_PARAM_CHOICE, 0, "", FIBRE_CLAMPED, 0, 0, hold_names,
     "How: clamped keeps place, direction and twist, pinned the place alone", SPECIMEN(hold)},
    {"held_by", SCR_PARAM_TEXT, 0, "", 0, 0, FIBRE_NAME_MAX, NULL,
     "Name of the obstacle that carries the held ends along, or that hangs on them where it moves freely; empty: they stand still",
     SPECIMEN(held_by)},
    {"end_held_by", SCR_PARAM_TEXT, 0, "", 0, 0, FIBRE_NAME_MAX, NULL,
     "Where both ends are held: the name of another obstacle, for the end alone; empty: what `held_by` says", SPECIMEN(end_held_by)},
    {"end_force", SCR_PARAM_VECTOR, 0, "N", 0, -1e12, 1e12, NULL, "Force on the last node of each fibre", SPECIMEN(end_force)},
    {"force_rise", SCR_PARAM_NUMBER, 0, "s", 0, 0, 1e12, NULL, "Time in which that force grows from 0", SPECIMEN(force_rise)},
};

const scr_series fibre_curves[FIBRE_CURVES] = {
    SCR_PART_SERIES,
    SCR_FREE_PART_SERIES,
    {"energy.kinetic", "J", "Kinetic energy"},
    {"energy.elastic", "J", "Elastic energy"},
    {"energy.damping", "J", "Energy taken out by damping"},
    {"energy.friction", "J", "Energy dissipated by sliding"},
    {"energy.impact", "J", "Energy that contacts take while gaps close, and adhesion while they open"},
    {"energy.numerical", "J", "Energy taken out by the steps themselves"},
    {"energy.external", "J", "Work of the rig, of gravity and of forces on ends"},
    {"energy.balance_error", "1", "Energy not accounted for, over the largest so far"},
    {"energy.stretching", "J", "Elastic energy of stretching"},
    {"energy.bending", "J", "Elastic energy of bending"},
    {"energy.twisting", "J", "Elastic energy of twisting"},
    {"end.x", "m", "Last node of the first fibre, x"},
    {"end.y", "m", "Last node of the first fibre, y"},
    {"end.z", "m", "Last node of the first fibre, z"},
    {"start.force_x", "N", "Force of the first fibre on what holds its start, x"},
    {"start.force_y", "N", "Force of the first fibre on what holds its start, y"},
    {"start.force_z", "N", "Force of the first fibre on what holds its start, z"},
    {"start.torque_x", "N m", "Torque of the first fibre on what holds its start, about its first free node, x"},
    {"start.torque_y", "N m", "Torque of the first fibre on what holds its start, y"},
    {"start.torque_z", "N m", "Torque of the first fibre on what holds its start, z"},
    {"twist", "1", "Turns by which the first fibre is twisted"},
    {"writhe", "1", "Writhe of the first fibre: how often it crosses itself, signed"},
    {"tension", "N", "Largest tension of an edge"},
    {"strain", "1", "Largest stretch or shortening of an edge"},
    {"curvature", "1/m", "Largest curvature of a vertex"},
    {"speed", "m/s", "Largest speed of a node"},
    {"momentum", "N s", "Momentum of all fibres, its length"},
    {"solver.iterations", "1", "Linearisations in the last step, of the fibre that took most"},
    {"first_order_steps", "1", "Steps of fibres so far that order 2 made anew with order 1"},
    {"unsolved_steps", "1", "Steps of fibres so far that were not solved to the tolerance"},
    {"fibres", "1", "Fibres"},
    {"contacts", "1", "Contacts that carry a force"},
    {"contacts.sticking", "1", "Contacts that stick"},
    {"contacts.sliding", "1", "Contacts that slide"},
    {"penetration", "m", "Largest overlap of surfaces at the start of the last step"},
    {"solver.residual", "1", "Relative residual of the contacts of the last step"},
    {"unsolved_contacts", "1", "Steps so far whose contacts were not solved to the tolerance"},
};

const scr_substitute fibre_substitutes[] = {
    {"bulk_modulus", "young_modulus and poisson_ratio say how stiff a fibre is"},
    {"fracture_energy", "fibres do not break"},
    {"tensile_strength", "fibres do not break"},
    {"shear_strength", "fibres do not break"},
    {"spacing", "edges says how finely a fibre is divided"},
    {"restitution", "fibres that touch do not bounce by a law; their deformation springs back"},
    {"damping_ratio", "mass_damping and stiffness_damping of the material damp fibres"},
    {"damping_time", "mass_damping and stiffness_damping of the material damp fibres"},
    {"contact_stiffness", "contacts are exact and have no springs"},
    {NULL, NULL},
};

const scr_need fibre_needs[] = {
    {SCR_KEY_SPECIMEN, "elements", "element", "super_helix"},
    {SCR_KEY_SPECIMEN, "helix_radius", "form", "helix"},
    {SCR_KEY_SPECIMEN, "helix_pitch", "form", "helix"},
    {SCR_KEY_SPECIMEN, "curve", "form", "curve"},
    {SCR_KEY_SPECIMEN, "lines", "form", "lines"},
    {SCR_KEY_SPECIMEN, "lines_scale", "form", "lines"},
    {SCR_KEY_SPECIMEN, "fibres", "form", "bundle|mat|groom"},
    {SCR_KEY_SPECIMEN, "turns", "form", "bundle"},
    {SCR_KEY_SPECIMEN, "core", "form", "bundle"},
    {SCR_KEY_SPECIMEN, "clearance", "form", "bundle|mat|weave"},
    {SCR_KEY_SPECIMEN, "size", "form", "mat"},
    {SCR_KEY_SPECIMEN, "curl", "form", "mat"},
    {SCR_KEY_SPECIMEN, "wefts", "form", "weave"},
    {SCR_KEY_SPECIMEN, "warps", "form", "weave"},
    {SCR_KEY_SPECIMEN, "pitch", "form", "weave"},
    {SCR_KEY_SPECIMEN, "head_radius", "form", "groom"},
    {SCR_KEY_SPECIMEN, "cap", "form", "groom"},
    {SCR_KEY_SPECIMEN, "hold", "held", "start|end|both"},
    {SCR_KEY_SPECIMEN, "held_by", "held", "start|end|both"},
    {SCR_KEY_SPECIMEN, "end_held_by", "held", "both"},
    {SCR_KEY_OPTION, "order", "loading", "dynamic"},
    {SCR_KEY_OPTION, "contact_tolerance", "loading", "dynamic"},
    {SCR_KEY_OPTION, "linearisations", "loading", "dynamic"},
    {SCR_KEY_OPTION, "margin", "loading", "dynamic"},
    {SCR_KEY_OPTION, "adhesion_range", "loading", "dynamic"},
    {SCR_KEY_OPTION, "fibre_contact", "loading", "dynamic"},
    {SCR_KEY_OPTION, NULL, NULL, NULL},
};

void fibre_section(const scr_specimen *specimen, const fibre_specimen *block, double half_axis[2])
{
  half_axis[0] = specimen->shape.radius;
  half_axis[1] = specimen->shape.radius * block->flatness;
}

uint32_t fibre_elements(const fibre_specimen *block)
{
  return block->element == FIBRE_SUPER_HELIX ? (uint32_t)block->elements : 0;
}

double fibre_contact_radius(const scr_specimen *specimen, const fibre_specimen *block)
{
  return isnan(block->contact_radius) ? specimen->shape.radius : block->contact_radius;
}
