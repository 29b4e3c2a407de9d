/** The scene as its JSON form says it: names instead of indices, lattices instead of positions, degrees instead of radians.
 *
 *  text --bind--> scene_document --resolve--> scr_scene. The document keeps every list that both share; scr_scene points into it. */
#ifndef SCREE_SCENE_DOCUMENT_H
#define SCREE_SCENE_DOCUMENT_H

#include "scene/asset/asset.h"
#include "scene/bind/section.h"

typedef enum scene_placement_kind {
  SCENE_PLACEMENT_SINGLE,
  SCENE_PLACEMENT_LATTICE,
  SCENE_PLACEMENT_LIST,
  SCENE_PLACEMENT_RANDOM,
  SCENE_PLACEMENT_PACKED
} scene_placement_kind;

typedef enum scene_container { SCENE_CONTAINER_BOX, SCENE_CONTAINER_CYLINDER } scene_container;
typedef enum scene_sizes { SCENE_SIZES_BY_NUMBER, SCENE_SIZES_BY_MASS } scene_sizes;

typedef struct scene_placement {
  scene_placement_kind kind;
  scr_vec3 position;      /**< m, single */
  scr_vec3 origin, pitch; /**< m, lattice: grain (i, j, k) sits at origin + (i pitch.x, j pitch.y, k pitch.z) */
  int64_t *count;         /**< [3] lattice: grains along x, y, z */
  size_t count_length;    /**< 3, or 0 when it was refused */
  scr_vec3 *positions;    /**< [position_count] m, list */
  size_t position_count;
  scr_vec3 minimum, maximum; /**< m, random: corners of the box that centres lie in */
  int64_t number;            /**< random: how many */
  double distance;           /**< m, > 0, random: least between two centres */
  int container;             /**< scene_container, packed: of that box, or the upright cylinder within it */
  double solid_fraction;     /**< packed: of the container; NaN: `number`, -1 where it does not, or fill_height says how much there is */
  double fill_height;        /**< m, packed: of the bed at rest; NaN: one of the two before says how much there is */
  double settled_fraction;   /**< packed: solid fraction of the bed at rest that fill_height assumes */
  double gap;                /**< m, packed: least between two surfaces */
  int64_t variants;          /**< packed: how many different turns, sizes and random grains there are */
  double smallest;           /**< packed: size of the smallest grain over the shape's own, which the largest has */
  int distribution;          /**< scene_sizes, packed: in between, as many grains or as much mass of every size */
} scene_placement;

typedef struct scene_material {
  char name[64];
  section_blocks constants;
} scene_material;

/** One of the forms, sizes or turns that the grains of a specimen have; a line with any becomes that many specimens of the scene. */
typedef struct scene_variant {
  scr_shape shape;     /**< as methods see it; its mesh is owned */
  scr_vec3 axis;       /**< unit */
  double angle;        /**< rad, about it */
  scr_vec3 *positions; /**< [position_count] m, owned */
  size_t position_count;
} scene_variant;

typedef struct scene_specimen {
  char name[64], material[64];
  section_blocks division; /**< what the method asks for, its discretisation above all */
  scr_shape shape;
  scene_placement placement;
  scr_rotation rotation;
  scr_vec3 velocity, angular_velocity;
  scene_variant *variants; /**< [variant_count] made by the checks, owned; no part of the form */
  size_t variant_count;    /**< 0: grains are all alike */
} scene_specimen;

/** Contact law of two named partners; what is not given is as in the default law. */
typedef struct scene_contact_pair {
  char (*between)[64]; /**< [2] material names, or "wall" */
  size_t between_count;
  section_blocks law;
} scene_contact_pair;

typedef struct scene_contact {
  section_blocks law; /**< of every pair not listed */
  scene_contact_pair *pairs;
  size_t pair_count;
} scene_contact;

typedef struct scene_time {
  double duration, time_step, safety_factor;
  scr_stop_rule *stop_rules;
  size_t stop_rule_count;
} scene_time;

typedef struct scene_output {
  double frame_interval, sample_interval;
  bool frame_automatic, sample_automatic; /**< not given: raised to the time step where that is longer */
  int positions;                          /**< scr_position_encoding */
  bool surfaces;
  double surface_cell;
  double pressure_time; /**< s, or NaN */
  scr_plot *plots;
  size_t plot_count;
} scene_output;

struct scene_document {
  int64_t format; /**< the key "scree": version of the scene's form, 1 */
  char name[64], title[128], description[1024];
  const scr_method_description *method;
  int64_t seed;
  scene_material *materials;
  size_t material_count;
  scene_contact contact;
  scene_specimen *specimens;
  size_t specimen_count;
  scr_rig rig; /**< its `obstacles` are those below */
  scr_obstacle *obstacles;
  size_t obstacle_count;
  scene_time time;
  scene_output output;
  scr_run_choice run;
  bool run_given; /**< the scene has the object `run` */
  section_blocks options;
  scene_assets assets; /**< files it refers to; no part of the form */
};

/** The form of a whole scene: a scene_document. */
extern const section scene_section;

/** How finely a specimen is divided, m, as its method says; NaN where it does not say, or could not be read. */
double document_resolution(const scene_document *document, size_t specimen);

/** The name that stands for the rig's walls in contact pairs; no material may have it. */
#define SCENE_WALL_NAME "wall"

/** Most grains one scene may place. */
enum { SCENE_GRAIN_LIMIT = 1000000 };

#endif
