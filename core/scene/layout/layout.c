/* The form of a scene: every key, its type, unit, default, range and help. Read from the bottom up: scene_section is the root. */
#include "scene/layout/layout.h"

#include <math.h>

#include "geometry/packing/pack.h"
#include "scene/shape/shape.h"

/* ── materials ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static const scr_param material_params[] = {
    {"name", SCR_PARAM_TEXT, SCR_PARAM_REQUIRED | SCR_PARAM_NAME, "", 0, 1, NAME_MAX_BYTES, NULL,
     "name that specimens and contact pairs refer to", offsetof(scene_material, name)},
};
static const section material_section = {.title = "Material",
                                         .help = "one material and its constants",
                                         PARAMS(material_params),
                                         BLOCK(BLOCK_MATERIAL, scene_material, constants)};

/* ── contact ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static const scr_param partner_value = {
    "", SCR_PARAM_TEXT, SCR_PARAM_NAME, "", 0, 1, NAME_MAX_BYTES, NULL, "a material's name, or \"wall\"", 0};
static const section_member pair_members[] = {
    {"between", MEMBER_VALUES, true, .value = &partner_value, LIST(scene_contact_pair, between, between_count), .minimum_count = 2,
     .maximum_count = 2, .help = "the two partners: material names, or \"wall\" for the rig and obstacles"},
};
static const section pair_section = {.title = "Contact pair",
                                     .help = "the surface law of two partners",
                                     BLOCK(BLOCK_SURFACE, scene_contact_pair, law),
                                     .block_inherits = true,
                                     MEMBERS(pair_members)};
static const section_member contact_members[] = {
    {"pairs", MEMBER_LIST, false, .section = &pair_section, LIST(scene_contact, pairs, pair_count),
     .element_size = sizeof(scene_contact_pair), .maximum_count = 1000, .help = "surface laws of particular pairs"},
};
static const section contact_section = {
    .title = "Contact",
    .help = "surface laws: the default, of every pair that has no entry in pairs, and those of particular pairs",
    BLOCK(BLOCK_SURFACE, scene_contact, law),
    MEMBERS(contact_members)};

/* ── specimens ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static const scr_param single_params[] = {
    {"position", SCR_PARAM_VECTOR, 0, "m", 0, -LENGTH_MAX, LENGTH_MAX, NULL, "centre of the grain", offsetof(scene_placement, position)},
};
static const scr_param lattice_params[] = {
    {"origin", SCR_PARAM_VECTOR, 0, "m", 0, -LENGTH_MAX, LENGTH_MAX, NULL, "centre of the first grain", offsetof(scene_placement, origin)},
    {"pitch", SCR_PARAM_VECTOR, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL, "distance of neighbouring centres along x, y, z",
     offsetof(scene_placement, pitch)},
};
static const scr_param count_value = {"", SCR_PARAM_INTEGER, 0, "1", 1, 1, SCENE_GRAIN_LIMIT, NULL, "grains along one axis", 0};
static const section_member lattice_members[] = {
    {"count", MEMBER_VALUES, true, .value = &count_value, LIST(scene_placement, count, count_length), .minimum_count = 3,
     .maximum_count = 3, .help = "grains along x, y, z"},
};
static const scr_param position_value = {"", SCR_PARAM_VECTOR, 0, "m", 0, -LENGTH_MAX, LENGTH_MAX, NULL, "centre of one grain", 0};
static const section_member list_members[] = {
    {"positions", MEMBER_VALUES, true, .value = &position_value, LIST(scene_placement, positions, position_count), .minimum_count = 1,
     .maximum_count = SCENE_GRAIN_LIMIT, .help = "centres of the grains"},
};
static const scr_param random_params[] = {
    {"minimum", SCR_PARAM_VECTOR, SCR_PARAM_REQUIRED, "m", 0, -LENGTH_MAX, LENGTH_MAX, NULL, "lowest corner of the box that centres lie in",
     offsetof(scene_placement, minimum)},
    {"maximum", SCR_PARAM_VECTOR, SCR_PARAM_REQUIRED, "m", 0, -LENGTH_MAX, LENGTH_MAX, NULL, "highest corner of it",
     offsetof(scene_placement, maximum)},
    {"count", SCR_PARAM_INTEGER, SCR_PARAM_REQUIRED, "1", 1, 1, SCENE_GRAIN_LIMIT, NULL, "how many grains",
     offsetof(scene_placement, number)},
    {"distance", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "m", 0, 0, LENGTH_MAX, NULL,
     "least distance between two centres: the grains' longest extent, so that none overlap", offsetof(scene_placement, distance)},
};
static const char *const containers[] = {"box", "cylinder", NULL}, *const distributions[] = {"number", "mass", NULL};
static const scr_param packed_params[] = {
    {"minimum", SCR_PARAM_VECTOR, SCR_PARAM_REQUIRED, "m", 0, -LENGTH_MAX, LENGTH_MAX, NULL, "lowest corner of the box that grains lie in",
     offsetof(scene_placement, minimum)},
    {"maximum", SCR_PARAM_VECTOR, SCR_PARAM_REQUIRED, "m", 0, -LENGTH_MAX, LENGTH_MAX, NULL, "highest corner of it",
     offsetof(scene_placement, maximum)},
    {"container", SCR_PARAM_CHOICE, 0, "", 0, 0, 0, containers, "the box, or the upright cylinder that fits into it",
     offsetof(scene_placement, container)},
    {"solid_fraction", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "1", NAN, 0, 0.6, NULL,
     "share of the container that grains are to fill, up to about 0.45 for irregular ones; null: count or fill_height says how many there "
     "are",
     offsetof(scene_placement, solid_fraction)},
    {"count", SCR_PARAM_INTEGER, SCR_PARAM_AUTOMATIC, "1", 0, 1, GEO_PACK_GRAIN_LIMIT, NULL,
     "how many grains; null: as solid_fraction or fill_height asks for", offsetof(scene_placement, number)},
    {"fill_height", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "m", NAN, 0, LENGTH_MAX, NULL,
     "height that the bed will have once the grains have rained down to the container's floor and rest; null: solid_fraction or count says "
     "how many there are",
     offsetof(scene_placement, fill_height)},
    {"settled_fraction", SCR_PARAM_NUMBER, SCR_PARAM_ADVANCED, "1", 0.56, 0.2, 0.9, NULL,
     "solid fraction of a bed at rest that fill_height assumes: 0.55 to 0.6 of round grains with friction, less in a box few grains "
     "wide",
     offsetof(scene_placement, settled_fraction)},
    {"gap", SCR_PARAM_NUMBER, 0, "m", 0, 0, LENGTH_MAX, NULL,
     "least distance of two surfaces, and to the container: peridem needs its contact radius. Grains are shrunk alike until all gaps hold",
     offsetof(scene_placement, gap)},
    {"variants", SCR_PARAM_INTEGER, 0, "1", 12, 1, GEO_PACK_FORM_LIMIT, NULL,
     "how many different grains there are: turns, sizes, random grains by their numbers from the shape's on, and all labels of an image in "
     "turn",
     offsetof(scene_placement, variants)},
    {"smallest", SCR_PARAM_NUMBER, 0, "1", 1, 0.2, 1, NULL, "size of the smallest grain over the shape's own, which is the largest",
     offsetof(scene_placement, smallest)},
    {"distribution", SCR_PARAM_CHOICE, 0, "", 0, 0, 0, distributions, "between them, as many grains of every size or as much mass",
     offsetof(scene_placement, distribution)},
};
static const section packed_section = {.title = "Packed",
                                       .help = "grains turned at random, packed without overlap by the scene's seed to a solid fraction, a "
                                               "count, or the height of their bed at rest",
                                       PARAMS(packed_params)};
static const section random_section = {.title = "Random",
                                       .help = "grains at random places, drawn by the scene's seed, none nearer to another than a distance",
                                       PARAMS(random_params)};
static const section single_section = {.title = "Single", .help = "one grain", PARAMS(single_params)};
static const section lattice_section = {
    .title = "Lattice", .help = "grains on a rectangular lattice", PARAMS(lattice_params), MEMBERS(lattice_members)};
static const section list_section = {.title = "List", .help = "grains at given places", MEMBERS(list_members)};
static const section_variant placement_variants[] = {
    [SCENE_PLACEMENT_SINGLE] = {"single", &single_section}, [SCENE_PLACEMENT_LATTICE] = {"lattice", &lattice_section},
    [SCENE_PLACEMENT_LIST] = {"list", &list_section},       [SCENE_PLACEMENT_RANDOM] = {"random", &random_section},
    [SCENE_PLACEMENT_PACKED] = {"packed", &packed_section},
};
static const section placement_section = {.title = "Placement",
                                          .help = "where the grains are; one at the origin when absent",
                                          .variants = placement_variants,
                                          .variant_count = COUNT(placement_variants),
                                          .tag_offset = offsetof(scene_placement, kind),
                                          .default_variant = SCENE_PLACEMENT_SINGLE};

static const scr_param specimen_params[] = {
    {"name", SCR_PARAM_TEXT, SCR_PARAM_REQUIRED | SCR_PARAM_NAME, "", 0, 1, NAME_MAX_BYTES, NULL,
     "name of this line of specimens in pictures and curves", offsetof(scene_specimen, name)},
    {"material", SCR_PARAM_TEXT, SCR_PARAM_REQUIRED | SCR_PARAM_NAME, "", 0, 1, NAME_MAX_BYTES, NULL, "name of one of the materials",
     offsetof(scene_specimen, material)},
    {"velocity", SCR_PARAM_VECTOR, 0, "m/s", 0, -SPEED_MAX, SPEED_MAX, NULL, "initial velocity", offsetof(scene_specimen, velocity)},
    {"angular_velocity", SCR_PARAM_VECTOR, 0, "rad/s", 0, -1e12, 1e12, NULL, "initial angular velocity about each grain's centre",
     offsetof(scene_specimen, angular_velocity)},
};
static const section_member specimen_members[] = {
    {"shape", MEMBER_OBJECT, true, .section = &shape_section, .offset = offsetof(scene_specimen, shape), .help = "the shape of one grain"},
    {"placement", MEMBER_OBJECT, false, .section = &placement_section, .offset = offsetof(scene_specimen, placement),
     .help = "where the grains are; one at the origin when absent"},
    {"rotation", MEMBER_OBJECT, false, .section = &rotation_section, .offset = offsetof(scene_specimen, rotation),
     .help = "how each grain is turned about its centre"},
};
static const section specimen_section = {.title = "Specimen",
                                         .help = "a shape of one material, repeated at every place of its placement",
                                         PARAMS(specimen_params),
                                         BLOCK(BLOCK_SPECIMEN, scene_specimen, division),
                                         MEMBERS(specimen_members)};

/* ── time and output ────────────────────────────────────────────────────────────────────────────────────────────── */

#define STOP_SERIES                                                                                                                        \
  {                                                                                                                                        \
    "series", SCR_PARAM_TEXT, SCR_PARAM_REQUIRED, "", 0, 1, NAME_MAX_BYTES, NULL, "name of a curve of the run",                            \
        offsetof(scr_stop_rule, series)                                                                                                    \
  }
static const scr_param force_drop_params[] = {
    STOP_SERIES,
    {"fraction", SCR_PARAM_NUMBER, 0, "1", 0.5, 0, 1, NULL, "stop when the magnitude falls below this share of its peak",
     offsetof(scr_stop_rule, fraction)},
    {"above", SCR_PARAM_NUMBER, 0, "unit of the series", 0, 0, INFINITY, NULL, "only once the peak has passed this magnitude",
     offsetof(scr_stop_rule, above)},
};
static const scr_param above_params[] = {
    STOP_SERIES,
    {"above", SCR_PARAM_NUMBER, SCR_PARAM_REQUIRED, "unit of the series", 0, 0, INFINITY, NULL, "stop when the magnitude exceeds this",
     offsetof(scr_stop_rule, above)},
};
static const section force_drop_section = {.title = "Force drop", .help = "stop after the peak of a curve", PARAMS(force_drop_params)};
static const section above_section = {.title = "Above", .help = "stop when a curve exceeds a value", PARAMS(above_params)};
static const section_variant stop_variants[] = {
    [SCR_STOP_FORCE_DROP] = {"force_drop", &force_drop_section},
    [SCR_STOP_ABOVE] = {"above", &above_section},
};
static const section stop_section = {.title = "Stop rule",
                                     .help = "a reason to end the run early",
                                     .variants = stop_variants,
                                     .variant_count = COUNT(stop_variants),
                                     .tag_offset = offsetof(scr_stop_rule, kind),
                                     .default_variant = -1};
static const scr_param time_params[] = {
    {"duration", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "s", 0, 0, TIME_MAX, NULL, "simulated time of the run", offsetof(scene_time, duration)},
    {"time_step", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "s", NAN, 0, TIME_MAX, NULL,
     "length of a step; null: the stable step times the safety factor", offsetof(scene_time, time_step)},
    {"safety_factor", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE | SCR_PARAM_ADVANCED, "1", 0.7, 0, 1, NULL,
     "share of the stable step that an automatic time step takes", offsetof(scene_time, safety_factor)},
};
static const section_member time_members[] = {
    {"stop", MEMBER_LIST, false, .section = &stop_section, LIST(scene_time, stop_rules, stop_rule_count),
     .element_size = sizeof(scr_stop_rule), .maximum_count = 64, .help = "reasons to end the run early; the first that holds ends it"},
};
static const section time_section = {
    .title = "Time", .help = "how long the run is and in what steps", PARAMS(time_params), MEMBERS(time_members)};

static const char *const position_choices[] = {[SCR_POSITIONS_QUANTISED] = "quantised", [SCR_POSITIONS_FLOAT32] = "float32", NULL};
static const scr_param plot_params[] = {
    {"x", SCR_PARAM_TEXT, SCR_PARAM_REQUIRED, "", 0, 1, NAME_MAX_BYTES, NULL, "curve along the horizontal axis", offsetof(scr_plot, x)},
    {"y", SCR_PARAM_TEXT, SCR_PARAM_REQUIRED, "", 0, 1, NAME_MAX_BYTES, NULL, "curve along the vertical axis", offsetof(scr_plot, y)},
    {"title", SCR_PARAM_TEXT, 0, "", 0, 0, 95, NULL, "heading; made from the curves' labels when empty", offsetof(scr_plot, title)},
    {"scale", SCR_PARAM_NUMBER, 0, "1", 1, -1e30, 1e30, NULL, "factor on y; -1 turns a push downward into a positive force",
     offsetof(scr_plot, scale)},
    {"unit", SCR_PARAM_TEXT, 0, "", 0, 0, 15, NULL,
     "unit of y times scale, such as deg or MPa, 1 for a ratio; when empty the curve's own, or what scale makes of it",
     offsetof(scr_plot, unit)},
    {"moving_average", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 1, 1, 100000, NULL, "samples that y is averaged over; 1: none",
     offsetof(scr_plot, moving_average)},
};
static const section plot_section = {.title = "Plot", .help = "one curve against another", PARAMS(plot_params)};
static const scr_param output_params[] = {
    {"frame_interval", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "s", NAN, 0, TIME_MAX, NULL,
     "simulated time between pictures, at least a time step; null: a hundredth of the duration", offsetof(scene_output, frame_interval)},
    {"sample_interval", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "s", NAN, 0, TIME_MAX, NULL,
     "simulated time between samples of the curves, at least a time step; null: a tenth of the frame interval",
     offsetof(scene_output, sample_interval)},
    {"positions", SCR_PARAM_CHOICE, SCR_PARAM_ADVANCED, "", SCR_POSITIONS_QUANTISED, 0, 0, position_choices,
     "how pictures store positions: 16 bits per axis, or single precision", offsetof(scene_output, positions)},
    {"surfaces", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL,
     "whether pictures carry the surfaces of fragments beside the points; for methods that report fragments",
     offsetof(scene_output, surfaces)},
    {"surface_cell", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE | SCR_PARAM_ADVANCED, "m", NAN, 0, LENGTH_MAX, NULL,
     "how finely surfaces are cut, 0.2 to 1 times the points' radius; null: 1", offsetof(scene_output, surface_cell)},
    {"pressure_time", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "s", NAN, 0, TIME_MAX, NULL,
     "flat parts of the rig also have the curves pressure, the force against them over their area at the start, and pressure_average, its "
     "exponential moving average with this time constant; null: no such curves",
     offsetof(scene_output, pressure_time)},
};
static const section_member output_members[] = {
    {"plots", MEMBER_LIST, false, .section = &plot_section, LIST(scene_output, plots, plot_count), .element_size = sizeof(scr_plot),
     .maximum_count = 64, .help = "plots to show, the main one first; the method's own when empty"},
};
static const section output_section = {
    .title = "Output", .help = "what is recorded and how often", PARAMS(output_params), MEMBERS(output_members)};

/* ── run ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

static const scr_param run_params[] = {
    {"device", SCR_PARAM_TEXT, 0, "", 0, 0, NAME_MAX_BYTES, NULL,
     "what computes: \"cpu\", this machine's processor, as when empty; \"auto\", the first GPU that is fit, else the processor; or a "
     "device's "
     "name as `scree devices` lists it, such as \"gpu:0\". Results are the same to the last bit",
     offsetof(scr_run_choice, device)},
    {"ranks", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 1, 1, RUN_RANKS_MOST, NULL,
     "processes that share the run by messages (MPI), each with threads of its own: worth it above some 10^7 nodes, or where threads share "
     "a memory too slow for them. Methods that can: peridem, on the processor. Results are the same to the last bit",
     offsetof(scr_run_choice, ranks)},
};
static const section run_section = {
    .title = "Run", .help = "how the run is carried out, which changes none of its results", PARAMS(run_params)};

/* ── the scene ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static const scr_param scene_params[] = {
    {"scree", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 1, 1, 1, NULL, "version of the scene's form", offsetof(scene_document, format)},
    {"name", SCR_PARAM_TEXT, SCR_PARAM_REQUIRED | SCR_PARAM_NAME, "", 0, 1, NAME_MAX_BYTES, NULL, "short name, used in file names",
     offsetof(scene_document, name)},
    {"title", SCR_PARAM_TEXT, 0, "", 0, 0, 127, NULL, "heading; the name when empty", offsetof(scene_document, title)},
    {"description", SCR_PARAM_TEXT, 0, "", 0, 0, 1023, NULL, "what the scene shows and where it comes from",
     offsetof(scene_document, description)},
    {"seed", SCR_PARAM_INTEGER, SCR_PARAM_ADVANCED, "1", 1, 0, 9007199254740991.0, NULL, "start of every random choice",
     offsetof(scene_document, seed)},
};
static const section_member scene_members[] = {
    {"method", MEMBER_METHOD, true, .offset = offsetof(scene_document, method), .help = "the simulation method"},
    {"materials", MEMBER_LIST, true, .section = &material_section, LIST(scene_document, materials, material_count),
     .element_size = sizeof(scene_material), .minimum_count = 1, .maximum_count = 256, .help = "the materials that specimens are made of"},
    {"contact", MEMBER_OBJECT, false, .section = &contact_section, .offset = offsetof(scene_document, contact),
     .help = "surface laws; the method's defaults when absent"},
    {"specimens", MEMBER_LIST, true, .section = &specimen_section, LIST(scene_document, specimens, specimen_count),
     .element_size = sizeof(scene_specimen), .minimum_count = 1, .maximum_count = 4096, .help = "what is tested"},
    {"rig", MEMBER_OBJECT, false, .section = &rig_section, .offset = offsetof(scene_document, rig),
     .help = "the machine that loads the specimens; none when absent"},
    {"obstacles", MEMBER_LIST, false, .section = &obstacle_section, LIST(scene_document, obstacles, obstacle_count),
     .element_size = sizeof(scr_obstacle), .maximum_count = SCR_OBSTACLE_LIMIT,
     .help = "solids that stand or move among the specimens, beside the rig"},
    {"time", MEMBER_OBJECT, true, .section = &time_section, .offset = offsetof(scene_document, time),
     .help = "how long the run is and in what steps"},
    {"output", MEMBER_OBJECT, false, .section = &output_section, .offset = offsetof(scene_document, output),
     .help = "what is recorded and how often"},
    {"run", MEMBER_OBJECT, false, .section = &run_section, .offset = offsetof(scene_document, run),
     .count_offset = offsetof(scene_document, run_given), .help = "how the run is carried out, which changes none of its results"},
    {"options", MEMBER_OPTIONS, false, .offset = offsetof(scene_document, options),
     .help = "options of the method, or of several methods by their names"},
};
const section scene_section = {.title = "Scene",
                               .help = "an experiment: specimens of given materials, the rig that loads them, and what is recorded",
                               PARAMS(scene_params),
                               MEMBERS(scene_members)};
