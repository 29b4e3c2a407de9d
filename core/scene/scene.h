/** A checked scene, typed. Private to core; read by methods, the runner and the recorder. Immutable once checked.
 *
 *  JSON form (every number in SI):
 *    { "scree": 1, "name": "...", "title": "...", "description": "...", "method": "peridem", "seed": 1,
 *      "materials": [ { "name": "polymer", "density": 1200, "bulk_modulus": 2e9, "fracture_energy": 135 } ],
 *      "contact":   { "friction_coefficient": 0.9, "damping_ratio": 0.9,
 *                     "pairs": [ { "between": ["polymer", "wall"], "friction_coefficient": 0.2 } ] },
 *      "specimens": [ { "name": "grain", "material": "polymer", "spacing": 1.25e-4,
 *                       "shape": { "type": "hollow_sphere", "radius": 1e-3, "inner_radius": 5e-4 },
 *                       "placement": { "type": "single", "position": [0,0,0] },
 *                       "velocity": [0,0,0], "angular_velocity": [0,0,0] } ],
 *      "rig":       { "type": "box", "minimum": [..], "maximum": [..], "gravity": [0,0,0],
 *                     "walls": { "z_max": { "program": [ { "type": "hold", "duration": 1e-5 },
 *                                                        { "type": "ramp", "velocity": -10, "duration": 1e-6 },
 *                                                        { "type": "constant", "velocity": -10, "duration": 1e-3 },
 *                                                        { "type": "move", "displacement": -1e-4, "velocity": 10 } ] } } },
 *      "obstacles": [ { "name": "ball", "shape": { "type": "sphere", "radius": 1e-3 }, "position": [0,0,2e-3],
 *                       "direction": [0,0,-1], "program": [ { "type": "constant", "velocity": 1 } ] } ],
 *      "time":      { "duration": 6e-5, "time_step": null, "safety_factor": 0.7,
 *                     "stop": [ { "type": "force_drop", "series": "wall.z_max.force_z", "fraction": 0.5, "above": 1 } ] },
 *      "output":    { "frame_interval": 1e-6, "sample_interval": null, "positions": "quantised", "surfaces": false, "surface_cell": null,
 *                     "plots": [ { "x": "wall.z_max.displacement", "y": "wall.z_max.force_z", "scale": 1, "moving_average": 1 } ] },
 *      "options":   { ... the method's ... } }          or, by methods' names: { "peridem": { ... }, "bdem": { ... } } */
#ifndef SCREE_SCENE_SCENE_H
#define SCREE_SCENE_SCENE_H

#include "base/error.h"
#include "base/vec3.h"
#include "scene/param.h"
#include "scree.h"

typedef struct scr_material {
  char name[64];
  const void *values; /**< the method's own struct, filled from its `material` table */
} scr_material;

/** A closed triangle mesh as a scene gives it: lists, the text of a file, or a file. Read, scaled and checked once, see mesh_source.h. */
typedef struct scr_mesh_source {
  scr_vec3 *vertices; /**< [vertex_count] */
  size_t vertex_count;
  scr_vec3 *triangles; /**< [triangle_count] whole numbers: three vertices each, counter-clockwise seen from outside */
  size_t triangle_count;
  char *text;               /**< of a file in STL, PLY or OBJ format, instead of the lists; NULL or "": none */
  scr_asset_reference file; /**< a file in one of these formats, instead of both */
  double scale;             /**< > 0, turns coordinates into metres */
  struct scr_mesh *mesh;    /**< the solid, owned by the document; in a checked scene never NULL where the shape is a mesh */
} scr_mesh_source;

/** The shapes, each with a file of its name: in core/scene/shape/, or in core/scene/grains/ where a mesh is made of it. Those of the first
 *  list are what compounds may be joined from. */
#define SCR_PIECE_SHAPES(X)                                                                                                                \
  X(SPHERE, sphere)                                                                                                                        \
  X(HOLLOW_SPHERE, hollow_sphere)                                                                                                          \
  X(BOX, box)                                                                                                                              \
  X(CYLINDER, cylinder)                                                                                                                    \
  X(CAPSULE, capsule)
#define SCR_SHAPES(X)                                                                                                                      \
  SCR_PIECE_SHAPES(X)                                                                                                                      \
  X(NOTCHED_BOX, notched_box)                                                                                                              \
  X(WEAVE, weave)                                                                                                                          \
  X(MESH, mesh)                                                                                                                            \
  X(COMPOUND, compound)                                                                                                                    \
  X(ARCH, arch)                                                                                                                            \
  X(SUPERELLIPSOID, superellipsoid)                                                                                                        \
  X(GRAIN, grain)                                                                                                                          \
  X(JACK, jack)                                                                                                                            \
  X(TUBE, tube)                                                                                                                            \
  X(IMAGE, image)                                                                                                                          \
  X(POINTS, points)
#define SCR_SHAPE_KIND(kind, name) SCR_SHAPE_##kind,
typedef enum scr_shape_kind { SCR_SHAPES(SCR_SHAPE_KIND) SCR_SHAPE_COUNT } scr_shape_kind;
#undef SCR_SHAPE_KIND

/** What shapes that are made into meshes are made by, besides the radii, lengths and sizes that they share with others. */
typedef struct scr_generated_shape {
  double elongation, flatness, roundness, roughness; /**< of a random grain, see geometry/shapes/form.h */
  int64_t number;                                    /**< which random grain of the scene's seed */
  double exponent_across, exponent_along;            /**< of a superellipsoid, in the plane of x and y, and with z */
  double width;                                      /**< m, of a jack's arms */
  double hollow;                                     /**< 0 <= hollow < 1: how large the void of the same form is over the grain */
  int64_t cuts, sides;                               /**< how finely the surface is divided: an octahedron's edges, a tube's circle */
  scr_asset_reference file;                          /**< a voxel image, or points */
  char *text;                                        /**< a voxel image's file in base64, instead of `file`; NULL or "": none */
  int64_t label;                                     /**< of the image's grain; -1: all, each where it is, or where they are packed */
  double smoothing;                                  /**< voxels, of the image's grains */
  bool keep_volume;                                  /**< smoothed grains have the volume of their voxels */
  double scale;                                      /**< > 0, turns the file's lengths into metres; NaN: points by their radius */
  int64_t points, cells; /**< how many points are kept, and cells along the longest extent of the grid that their surface is found on */
} scr_generated_shape;

struct scr_shape_piece;

typedef struct scr_shape {
  scr_shape_kind kind;
  double radius;                   /**< m, outer radius of sphere, hollow sphere and cylinder */
  double inner_radius;             /**< m, 0 < inner_radius < radius, hollow sphere only */
  scr_vec3 size;                   /**< m, full edge lengths of a box or a notched box */
  double length;                   /**< m, of a cylinder along its axis, z before rotation; of a capsule between the centres of its ends */
  double notch_width, notch_depth; /**< m, notched box: slot |x| < width / 2 through all of y, from the bottom up to the depth */
  double pitch;                    /**< m, of a weave: between neighbouring yarns, >= 2.5 times a yarn's diameter */
  double clearance;                /**< of a yarn's radius, >= 0: between crossing yarns of a weave */
  int64_t wefts, warps;            /**< >= 2, yarns of a weave along x and along y */
  int64_t slit;                    /**< 0 ... wefts - 1: lowest wefts along y of a weave that are cut at x = 0 */
  scr_mesh_source mesh;            /**< about the shape's origin, which the placement puts in place */
  double span, rise;               /**< m, of an arch: between the middles of its legs; from the ground to the crown's middle line, > leg */
  double thickness, width;         /**< m, of its strip, < span; along y */
  double leg;                      /**< m, >= 0, height of its straight legs */
  double foot, heel;               /**< m, >= thickness: length of its soles; >= 0: by how much that at x < 0 is longer, outwards */
  struct scr_shape_piece *pieces;  /**< [piece_count] of a compound */
  size_t piece_count;
  scr_generated_shape made; /**< of shapes that are made into meshes, which a checked scene has as meshes */
} scr_shape;

typedef struct scr_rotation {
  scr_vec3 axis;    /**< any length but 0; NaN while automatic */
  double angle_deg; /**< right-handed about the axis */
} scr_rotation;

/** One of the solids that a compound is joined from. */
typedef struct scr_shape_piece {
  scr_shape shape;       /**< sphere, hollow sphere, box, cylinder or capsule */
  scr_vec3 position;     /**< m, of its centre from the compound's origin */
  scr_rotation rotation; /**< about its centre */
} scr_shape_piece;

/** A shape repeated at every position of its placement: one line of the scene's `specimens`, or one of several forms, sizes or turns that a
 *  line has (scene_variant in document.h). */
typedef struct scr_specimen {
  char name[64];     /**< of the line, and where it has variants ".1", ".2" ... behind it */
  size_t line;       /**< which of the scene's `specimens`; pointers of problems are put right by it, so methods may count specimens */
  uint32_t material; /**< index into materials */
  scr_shape shape;
  const void *values;        /**< the method's own struct, filled from its `specimen` table */
  scr_vec3 rotation_axis;    /**< unit, of the shape about its centre */
  double rotation_angle;     /**< rad */
  scr_vec3 velocity;         /**< m/s, initial */
  scr_vec3 angular_velocity; /**< rad/s, initial, about each grain's centre */
  scr_vec3 *positions;       /**< [position_count] centres, m */
  size_t position_count;     /**< >= 1 */
} scr_specimen;

typedef enum scr_segment_kind {
  SCR_SEGMENT_HOLD,     /**< velocity 0 for `duration` */
  SCR_SEGMENT_RAMP,     /**< velocity changes linearly from the current one to `velocity` during `duration` */
  SCR_SEGMENT_CONSTANT, /**< `velocity` for `duration` */
  SCR_SEGMENT_MOVE,     /**< `displacement` (signed) at speed |velocity|; its duration follows */
  SCR_SEGMENT_SERVO     /**< velocity follows the force, see scr_servo; its displacement depends on the run */
} scr_segment_kind;

/** A part under load: it presses until it feels a force P towards the specimens, by moving along its loading direction with
 *  v = gain (P - what it feels), |v| <= maximum_velocity. That is a dashpot of 1/gain between a constant force and the part. */
typedef struct scr_servo {
  double force;            /**< N, P; NaN: by the stress */
  double stress;           /**< Pa, P over the area; NaN: by the force */
  double area;             /**< m^2, > 0; NaN: of the part's rectangle */
  bool present_area;       /**< the stress is of the face of the box as it is then, between the four walls beside */
  double gain;             /**< 1/(N s/m), > 0; NaN: chosen (sim/rig/parts.h) */
  double maximum_velocity; /**< m/s, > 0; NaN: none */
  double rise_time;        /**< s, >= 0, over which P goes linearly from that of a servo segment just before, or 0, to its own */
} scr_servo;

typedef struct scr_segment {
  scr_segment_kind kind;
  double velocity;     /**< m/s along the part's axis, positive in the axis' direction; rad/s about it in a program that turns */
  double displacement; /**< m or rad, SCR_SEGMENT_MOVE only */
  double duration;     /**< s, > 0; INFINITY when the last segment goes on to the end */
  scr_servo servo;     /**< SCR_SEGMENT_SERVO only */
} scr_segment;

/** How a rig part moves or turns. After the last segment it stands still. No segments: it never moves. */
typedef struct scr_program {
  scr_segment *segments;
  size_t segment_count;
} scr_program;

/** Velocity of a program at time t >= 0, m/s or rad/s. */
double scr_program_velocity(const scr_program *program, double time);
/** Displacement of a program from its start to time t >= 0, m or rad, in closed form; without what servo segments add. */
double scr_program_displacement(const scr_program *program, double time);
/** The servo segment under way at time t >= 0; `since` receives how long, s. NULL: none is. */
const scr_segment *scr_program_servo(const scr_program *program, double time, double *since);
/** Whether any segment is one. */
bool scr_program_has_servo(const scr_program *program);
/** Largest |velocity| up to `duration`, m/s or rad/s. */
double scr_program_peak_velocity(const scr_program *program, double duration);

typedef enum scr_wall {
  SCR_WALL_X_MIN,
  SCR_WALL_X_MAX,
  SCR_WALL_Y_MIN,
  SCR_WALL_Y_MAX,
  SCR_WALL_Z_MIN,
  SCR_WALL_Z_MAX,
  SCR_WALL_COUNT
} scr_wall;

/** "x_min" ... "z_max", indexed by scr_wall. */
extern const char *const scr_wall_names[SCR_WALL_COUNT];

typedef enum scr_rig_kind {
  SCR_RIG_NONE,
  SCR_RIG_BOX,
  SCR_RIG_THREE_POINT_BEND,
  SCR_RIG_BRAZILIAN,
  SCR_RIG_PLATENS,
  SCR_RIG_GRIPS,
  SCR_RIG_COUNT
} scr_rig_kind;

/** "none", "box", ..., indexed by scr_rig_kind. */
extern const char *const scr_rig_names[SCR_RIG_COUNT];

typedef enum scr_obstacle_kind {
  SCR_OBSTACLE_PLANE, /**< everything below the own plane z = 0 */
  SCR_OBSTACLE_BOX,
  SCR_OBSTACLE_SPHERE,
  SCR_OBSTACLE_CYLINDER, /**< axis along own z, with flat ends */
  SCR_OBSTACLE_MESH
} scr_obstacle_kind;

/** How an obstacle moves that nothing drives: what presses it, and gravity. */
typedef struct scr_flight {
  double mass;               /**< kg, > 0; NaN: density times volume */
  double density;            /**< kg/m^3, > 0; NaN: by the mass */
  scr_vec3 inertia;          /**< kg m^2, > 0, about its own axes through its centre of mass; NaN: of a solid of even density */
  scr_vec3 velocity;         /**< m/s, at t = 0, of the centre of mass */
  scr_vec3 angular_velocity; /**< rad/s, at t = 0 */
} scr_flight;

/** A solid that stands, moves or turns among the specimens and pushes what comes near it: one line of the scene's `obstacles`. */
typedef struct scr_obstacle {
  char name[32];
  struct {
    scr_obstacle_kind kind;
    double radius; /**< m, sphere and cylinder */
    double length; /**< m, cylinder */
    double width;  /**< m, edges of a plane in pictures */
    scr_vec3 size; /**< m, full edges of a box */
    scr_mesh_source mesh;
  } shape;
  scr_vec3 position;     /**< m, at t = 0: a point of the plane, the centre of the others */
  scr_rotation rotation; /**< about the position */
  scr_vec3 direction;    /**< any length but 0: what velocities of the program are along; NaN while automatic */
  scr_program program;
  scr_vec3 axis;    /**< any length but 0: what it turns about, through its position; NaN: its own z */
  scr_program turn; /**< right-handed about the axis: rad, rad/s */
  bool is_free;     /**< `free` says how it moves; it then has neither program nor turn */
  scr_flight free;
} scr_obstacle;

/** Most obstacles of a scene: they are parts beside those of the rig, see SCR_PART_LIMIT. */
enum { SCR_OBSTACLE_LIMIT = 24 };

typedef enum scr_jaw { SCR_JAW_FLAT, SCR_JAW_CURVED } scr_jaw;

/** The machine, as the scene says it, and the obstacles that stand about. Methods take it apart by scr_rig_parts (part.h); each kind uses
 *  some of the fields. */
typedef struct scr_rig {
  scr_rig_kind kind;
  scr_vec3 gravity; /**< m/s^2 */
  /* box */
  scr_vec3 minimum, maximum; /**< m, inner corners of the box at t = 0 */
  scr_program walls[SCR_WALL_COUNT];
  /* all but the box: what the one moving part does */
  scr_program load;
  /* three-point bend, Brazilian, platens */
  scr_vec3 position; /**< m, middle: of the supports' tops, of the opening between jaws or platens */
  double opening;    /**< m, > 0, along z between what presses from below and from above, at t = 0 */
  /* three-point bend: beam along x, rollers along y, load along z */
  double span;                                       /**< m, between the axes of the supports */
  double support_radius, load_radius, roller_length; /**< m */
  /* Brazilian */
  int jaw;            /**< scr_jaw */
  double jaw_radius;  /**< m, curved */
  double jaw_arc_deg; /**< half of the arc of a curved jaw */
  /* grips */
  int axis;                   /**< 0, 1, 2 */
  double low_end, high_start; /**< m, coordinates at t = 0: held at or below the one, moved at or above the other (NaN: no high grip) */
  bool slide;                 /**< motion across the axis is free */
  scr_program turn;           /**< of the high grip about the axis through `position`, right-handed: rad, rad/s */
  double width;               /**< m, of jaws, platens and grips in pictures */
  /* all */
  const scr_obstacle *obstacles; /**< [obstacle_count] the document's */
  size_t obstacle_count;
} scr_rig;

typedef enum scr_stop_kind {
  SCR_STOP_FORCE_DROP, /**< |series| fell below `fraction` of its peak, once the peak passed `above` */
  SCR_STOP_ABOVE,      /**< |series| > `above` */
} scr_stop_kind;

typedef struct scr_stop_rule {
  scr_stop_kind kind;
  char series[64]; /**< a curve of the run, e.g. "fragments", "wall.z_max.displacement" */
  double fraction; /**< 0 ... 1 */
  double above;    /**< in the series' unit, >= 0 */
} scr_stop_rule;

typedef struct scr_plot {
  char x[64], y[64];      /**< series names */
  char title[96];         /**< "" = made from the labels */
  double scale;           /**< y is multiplied by it */
  char unit[16];          /**< of y times scale; "" = that of y where scale leaves it */
  int64_t moving_average; /**< samples, 1 = none */
} scr_plot;

typedef enum scr_position_encoding { SCR_POSITIONS_QUANTISED, SCR_POSITIONS_FLOAT32 } scr_position_encoding;

/** Whose clock steps follow. */
typedef enum scr_clock {
  SCR_CLOCK_EVEN,  /**< all steps are as long as the estimate's time_step; samples and frames are taken every so many steps */
  SCR_CLOCK_UNEVEN /**< every step is as long as the method wants; samples and frames are taken at their times, which no step may pass */
} scr_clock;

/** What does for one method what a key of others does for them: said where a scene gives that key to the method in vain. */
typedef struct scr_substitute {
  const char *key;     /**< of a material or a contact, that other methods declare; NULL ends a list */
  const char *instead; /**< a clause for people: "give restitution instead", "rigid bodies do not break" */
} scr_substitute;

/** Which object a key stands in. */
typedef enum scr_key_place { SCR_KEY_OPTION, SCR_KEY_MATERIAL, SCR_KEY_CONTACT, SCR_KEY_SPECIMEN } scr_key_place;

/** A key that counts only while another one has a certain value: said where a scene gives it in vain. */
typedef struct scr_need {
  scr_key_place place;
  const char *key;   /**< of the method's own; NULL ends a list */
  const char *on;    /**< the other key: of the same object, or else of the options; "time_step": that of the scene's time */
  const char *value; /**< what that must be: names of a choice, "a|b"; "true"; "null"; NULL: anything but absent, zero or none */
} scr_need;

/** How a run is carried out, which changes none of its results. Recordings leave it out of their scene. */
typedef struct scr_run_choice {
  char device[64]; /**< "cpu", "auto", or a device's name (device/device.h); never empty in a checked scene */
  int64_t ranks;   /**< processes that share it, 1 to RUN_RANKS_MOST */
} scr_run_choice;

enum { RUN_RANKS_MOST = 64 };

#define RUN_ON_PROCESSOR "cpu" /**< scr_run_choice.device: this machine's processor, the default */
#define RUN_ON_ANY "auto"      /**< the first GPU that is fit, else the processor */

/** What a method can't do with parts: bits. */
enum {
  SCR_LACKS_FREE_PARTS = 1, /**< obstacles that move by what presses them */
  SCR_LACKS_GRIP_TURN = 2   /**< grips that turn what they hold */
};

/** Representations of shapes that methods compute with (scene/shape/shape.h): bits. */
enum {
  SCR_SHAPES_THAT_FILL = 1,  /**< solids that are filled by nodes, spheres or particles */
  SCR_SHAPES_OF_HEXES = 2,   /**< divided into hexahedra */
  SCR_SHAPES_WITH_SHELL = 4, /**< surfaces of points, and their distance */
  SCR_SHAPES_OF_PIECES = 8   /**< pieces that contacts are found between, of known mass */
};

/** What a method can do. Schema, reference, the dashboard's composer and the refusals follow from it (check/abilities.h), so no method
 *  refuses what it does not declare; it refuses what it can't do under some of its options alone. All zero: everything. */
typedef struct scr_abilities {
  unsigned shapes_as; /**< bits SCR_SHAPES_...: every shape with one of these representations */
  unsigned shapes;    /**< bits 1 << scr_shape_kind: and these; a mesh stands for all that are made into meshes. Both 0: every one */
  unsigned rigs;      /**< bits 1 << scr_rig_kind. 0: every one */
  unsigned lacks;     /**< bits SCR_LACKS_...; outputs: surfaces need `resolution` */
  bool on_device;     /**< a GPU can compute its runs, with the same bits: scr_run_choice.device */
  bool on_ranks;      /**< several processes can share its runs, with the same bits: scr_run_choice.ranks */
  const scr_substitute
      *reasons; /**< what to do instead, by name of a shape, of a rig, "free" or "grip_turn"; ends with a NULL key; NULL: none */
} scr_abilities;

/** What the scene layer knows of a method. */
typedef struct scr_method_description {
  const char *name;                  /**< "peridem" */
  const char *title;                 /**< "PeriDEM: breakable grains by bond-based peridynamics" */
  const char *summary;               /**< two sentences for the reference page */
  const struct sim_preview *preview; /**< shows before a run what bodies of a specimen are made into (sim/preview.h); NULL: it can not */
  const char *scenes_of; /**< name of the method whose scenes it takes, to find out something about them; NULL: it has scenes of its own */
  const scr_param *params; /**< [param_count] options, offsets into the options struct */
  size_t param_count;
  size_t options_size; /**< bytes of the options struct; zero-filled, then filled from params */
  scr_block material;  /**< keys of each of the scene's materials besides `name` */
  scr_block surface;   /**< keys of the contact law of two partners: of `contact`, and of each of its pairs besides `between` */
  scr_block specimen;  /**< keys of each specimen besides those that all methods share */
  /** How finely a specimen is divided, m: the distance between its nodes, the diameter of its spheres, the edge of its elements. Pictures
   *  are laid out by it, and surfaces cut. `specimen`: the method's own struct. NULL: by the specimen's size alone; then it has no
   *  surfaces. */
  double (*resolution)(const void *specimen);
  const scr_substitute *substitutes; /**< ends with a NULL key; NULL: none */
  const scr_need *needs;             /**< ends with a NULL key; NULL: none */
  scr_abilities can;
  scr_clock clock;
  scr_plot default_plot; /**< used when the scene names none */
  const scr_series
      *curves; /**< [curve_count] the curves a run reports, for the reference page; "<part>" stands for the name of each part of the rig */
  size_t curve_count;
  /** Whether a run with these options reports the curve of that name among `curves`. NULL: it reports all of them. */
  bool (*reports)(const void *options, const char *curve);
  /** Checks what only the method can (needed material constants, overlap, resolution, stable step, memory), adds every problem
   *  found and fills the estimate. Must not allocate in proportion to a scene beyond scene->limits. The scene is complete
   *  otherwise: automatic `output.frame_interval` is duration / 100 and `sample_interval` frame_interval / 10. An automatic
   *  `time.time_step` is NaN; the step a run will use goes into estimate->time_step either way.
   *  The caller fills frame_count, record_bytes and step_count, and checks them and memory_bytes against the limits.
   *  @return SCR_OK also when problems were added; SCR_NO_MEMORY */
  scr_status (*check)(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems);
} scr_method_description;

/** Whether a run of the method reports its curve of that name. @param options  the method's own struct; NULL: not known, all are reported
 */
static inline bool scr_method_reports(const scr_method_description *method, const void *options, const char *curve)
{
  return !method->reports || !options || method->reports(options, curve);
}

/** The methods there are: number `index`, NULL past the last. Passed in, so that the scene layer stays below the methods. */
typedef const scr_method_description *(*scr_method_list)(size_t index);

/** Parses and checks; scr_scene_parse_with is this with the list of methods/registry.c. */
scr_status scene_parse_with(const char *text, size_t length, const scr_limits *limits, const scr_asset_source *source,
                            scr_method_list methods, scr_scene **scene, scr_problems *problems);

/** The same for scenes that refer to no files; scr_scene_parse is this with the list of methods/registry.c. */
scr_status scene_parse(const char *text, size_t length, const scr_limits *limits, scr_method_list methods, scr_scene **scene,
                       scr_problems *problems);

/** Nearest whole number of steps to an interval between frames or samples, at least 1 and at most 1e15: a run records by step number, which
 *  needs no comparison of times. interval, time_step: s, > 0 */
uint64_t scr_interval_steps(double interval, double time_step);

/** How often a run of so many steps records at an interval of `every` steps: at step 0, at every such step, and at the last. every > 0 */
uint64_t scr_recorded_count(uint64_t step_count, uint64_t every);

/** scr_scene_schema over a list of methods. */
char *scene_schema(scr_method_list methods, const char *name);

/** scr_reference_json over a list of methods. */
char *scene_reference(scr_method_list methods);

/** scr_method_json over a list of methods. */
char *scene_method_json(scr_method_list methods, const char *name);

/** The scene as its JSON form says it, every default filled in; what scr_scene_json prints. Private to core/scene. */
typedef struct scene_document scene_document;

struct scr_scene {
  scene_document *document; /**< owned; the lists below point into it unless they say otherwise */
  char name[64], title[128], description[1024];
  const scr_method_description *method;
  scr_method_list methods; /**< those that there are */
  int64_t seed;
  scr_material *materials; /**< [material_count] */
  size_t material_count;
  void *surfaces; /**< [(material_count + 1)^2] of the method's own struct, row-major and symmetric; index material_count is
                     the rig and the obstacles */
  scr_specimen *specimens;
  size_t specimen_count;
  scr_rig rig;
  struct {
    double duration;      /**< s, > 0 */
    double time_step;     /**< s, > 0, or NaN: chosen by the method */
    double safety_factor; /**< 0 < f <= 1, of the stable step when chosen */
    scr_stop_rule *stop_rules;
    size_t stop_rule_count;
  } time;
  struct {
    double frame_interval;                  /**< s; effective scenes hold the number chosen */
    double sample_interval;                 /**< s */
    bool frame_automatic, sample_automatic; /**< not given: raised to the time step where that is longer. A method that
                             chooses the time step keeps it within the intervals that were given */
    int positions;                          /**< scr_position_encoding */
    bool surfaces;                          /**< frames carry the surfaces of fragments */
    double surface_cell;                    /**< m, > 0, or NaN: SCR_SURFACE_CELL of the points' radius */
    double pressure_time; /**< s, > 0: flat parts of the rig have curves of pressure, averaged over about this; NaN: they have none */
    scr_plot *plots;
    size_t plot_count;
  } output;
  scr_run_choice run;
  const scr_asset *assets; /**< [asset_count] the files it refers to, what a scr_asset_reference counts in; the document's */
  size_t asset_count;
  void *options;     /**< the method's own struct, filled from its params */
  scr_limits limits; /**< the limits it was checked against */
  scr_estimate estimate;
  scr_problems *warnings; /**< owned; checks add to it by scr_problems_add, also those that only read the scene */
};

/** Cell of recorded surfaces over the radius of the points: the coarsest there is (geometry/surface.h), as every frame has such a surface.
 *  */
#define SCR_SURFACE_CELL 1.0

/** Fragments of fewer points get no surface in frames: they stay balls. */
enum { SCR_SURFACE_LEAST = 4 };

/** The method's own struct of material number `index`, filled from its `material` table. */
static inline const void *scr_scene_material(const scr_scene *scene, size_t index)
{
  return scene->materials[index].values;
}

/** The method's own struct of specimen number `index`, filled from its `specimen` table. */
static inline const void *scr_scene_specimen(const scr_scene *scene, size_t index)
{
  return scene->specimens[index].values;
}

/** How finely specimen number `index` is divided, m; 0 where the method does not say. */
static inline double scr_scene_resolution(const scr_scene *scene, size_t index)
{
  return scene->method->resolution ? scene->method->resolution(scene->specimens[index].values) : 0;
}

/** The method's own struct of the contact between two materials, filled from its `surface` table; `a` or `b` may be scene->material_count
 *  for the rig and the obstacles. */
static inline const void *scr_scene_surface(const scr_scene *scene, size_t a, size_t b)
{
  return (const char *)scene->surfaces + (a * (scene->material_count + 1) + b) * scene->method->surface.size;
}

#endif
