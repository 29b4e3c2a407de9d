/** Directions: the nodes of one grain, the slave, asked about another grain or a part, the master; and what they remember of each other.
 *
 *      grains, parts --balls with a skin--> pairs --> directions, sorted by slave and master --each by itself--> sums, in that order -->
 *      grains
 *
 *  A direction's memory is a list of its nodes in contact, in their order, each with its friction spring. */
#ifndef SCREE_LSDEM_CONTACT_DIRECTIONS_H
#define SCREE_LSDEM_CONTACT_DIRECTIONS_H

#include "base/memory.h"
#include "geometry/search/boxes.h"
#include "methods/lsdem/contact/clearance.h"
#include "methods/lsdem/grain/template.h"
#include "record/file/blob.h"
#include "sim/rig/parts.h"

/** Lists of modal forces that a direction has. */
enum { LSDEM_MODAL_SUMS = 4 };

/** The way back from a place in a grain whose modes are all affine to its reference point: Y = back (y - shift), and slopes turn by back^T.
 *  */
typedef struct lsdem_unbent {
  scr_matrix3 back; /**< 1/J */
  scr_vec3 shift;   /**< m */
} lsdem_unbent;

/** A grain as a force pass sees it. */
typedef struct lsdem_view {
  double travel, turned, bent; /**< m, rad, m: how far it has gone, turned and moved its surface by modes in all, as sums of sizes */
  const lsdem_template *grain;
  scr_vec3 position;              /**< m */
  scr_matrix3 rotation;           /**< own axes to the world's */
  scr_vec3 velocity;              /**< m/s */
  scr_vec3 spin;                  /**< rad/s, own axes */
  const double *amplitude, *rate; /**< [grain->mode_count] */
  const level_set *deformed;      /**< its own level set of the deformed shape, or NULL */
  scr_vec3 off_shift,
      off_turn;      /**< m, rad: sum eps t and sum eps theta, the rigid motion that was taken off the modes; see lsdem_view_rigid */
  double moved;      /**< m, bound of what modes move a point by */
  double most_moved; /**< m, the largest `moved` since the counting of ways began: see lsdem_approach */
  double strain;     /**< 1, bound of |grad u| */
  bool affine;       /**< all modes are: then `unbent` is set */
  bool singular;     /**< affine, and det J <= 0.1: nothing can be pulled back */
  const lsdem_unbent *unbent;
} lsdem_view;

/** A node in contact. */
typedef struct lsdem_touch {
  uint32_t node;
  float pressure; /**< Pa, what it pressed with along the normal at the last pass */
  scr_vec3 slip;  /**< m, elongation of its friction spring, world axes */
} lsdem_touch;

/** Force and torques of a direction that do work at its dashpots, the world's. */
typedef struct lsdem_wrench {
  scr_vec3 force;         /**< N, on the slave */
  scr_vec3 slave_torque;  /**< N m, about the slave's centroid */
  scr_vec3 master_torque; /**< N m, on the master, about its position */
} lsdem_wrench;

/** What a pass leaves of a direction. Vectors are the world's. */
typedef struct lsdem_sums {
  scr_vec3 force;         /**< N, on the slave */
  scr_vec3 slave_torque;  /**< N m, about the slave's centroid */
  scr_vec3 master_torque; /**< N m, on the master, about its position */
  double elastic;         /**< J */
  double friction;        /**< J, taken out in this pass */
  double bonded;          /**< J, in bonds */
  double broken; /**< J, that bonds which broke in this pass took of the grains, less what contacts of their nodes have now; see bond.h */
  lsdem_wrench dashpot;   /**< what of these is the dashpots' */
  double stiffness;       /**< N/m, of its nodes in contact */
  double area, facing[6]; /**< m^2, of its nodes in contact: areas, and areas times products of normals as sim/fabric.h has them */
  double pressing;        /**< N, of its nodes in contact: sum of the sizes of their forces, bonds left out */
  scr_vec3 middle;        /**< N m, these sizes times places */
  scr_vec3 push;          /**< N, on the slave, of its nodes in contact, bonds left out */
  double deepest;         /**< m */
  uint32_t lost;          /**< 1: a place could not be pulled back */
} lsdem_sums;

/** A slave and a master: what lives from pass to pass. What a pass finds is in lsdem_sums. */
typedef struct lsdem_direction {
  uint32_t slave, master; /**< grains; master >= the number of grains: part master - that number */
  lsdem_touch *touches;   /**< [touch_count] sorted by node */
  uint32_t touch_count, touch_capacity;
  struct lsdem_bond *bonds; /**< [bond_count] sorted by node, in lsdem_state.bonds; set by lsdem_bonds_attach */
  uint32_t bond_count;
  float weight;           /**< 1, or 1/2 where the other direction is asked as well: both are floats exactly */
  lsdem_clearance *watch; /**< how long its tiles and nodes are clear; NULL: nothing known */
} lsdem_direction;

/** Forgets how long tiles and nodes are clear. */
static inline void lsdem_direction_unsure(lsdem_direction *direction)
{
  mem_free(direction->watch);
  direction->watch = NULL;
}

/** What the nodes of a contact have together, those of both directions. */
typedef struct lsdem_share {
  uint32_t slave, master; /**< of the first direction that touches */
  double area, facing[6]; /**< m^2, see lsdem_sums */
  double pressing;        /**< N, see lsdem_sums */
  scr_vec3 middle;        /**< N m */
  scr_vec3 push;          /**< N, on the slave of the first direction */
} lsdem_share;

/** Directions that are asked at a time; their sums are taken into grains before the next come. */
enum { LSDEM_AT_ONCE = 2048 };

typedef struct lsdem_directions {
  lsdem_direction *list; /**< [count] sorted by slave, then master */
  size_t count, capacity;
  size_t modes;     /**< most modes of a grain */
  lsdem_sums *sums; /**< [LSDEM_AT_ONCE at most] of directions under way */
  size_t sums_capacity;
  double *modal; /**< [sums_capacity at least][LSDEM_MODAL_SUMS][modes] or NULL where no grain has modes: their modal forces on slave and
                    master, then the dashpots' part of these */
  size_t modal_capacity;
  lsdem_share *shares; /**< [share_count] of contacts, in the order of their first directions, at the last pass */
  size_t share_count, share_capacity;
  geo_box_pairs pairs;                  /**< of a search under way */
  scr_vec3 *searched;                   /**< [grains] m, positions at the last search */
  double *reached;                      /**< [grains] m, what modes moved points by then */
  double part_searched[SCR_PART_LIMIT]; /**< m, how far parts had gone then */
  double skin;                          /**< m */
  bool valid;                           /**< a search was made */
} lsdem_directions;

/** How far, at most, a slave and a master have moved towards each other since the counting began, m: what is clear by a length stays so
 *  until that has grown by as much. All turns since the beginning are taken at the largest lever there was: at the present one, what was
 *  gone would become less as a grain springs back. */
static inline double lsdem_approach(const lsdem_view *slave, const lsdem_view *master, double skin)
{
  double span = master->grain->reach + 2 * slave->grain->reach + master->most_moved + 2 * slave->most_moved + skin;
  return slave->travel + slave->turned * (slave->grain->reach + slave->most_moved) + slave->bent + master->travel + master->turned * span +
         master->bent;
}

/** Starts empty. @param skin m, > 0 */
scr_status lsdem_directions_create(lsdem_directions *near, size_t grains, double skin, scr_error *error);
void lsdem_directions_clear(lsdem_directions *near);

/** What a search for neighbours looks at. */
typedef struct lsdem_search {
  const lsdem_view *views; /**< [grains] */
  size_t grains;
  const sim_parts *parts;       /**< where they are now */
  const double *part_travelled; /**< [parts] m, see lsdem_state */
  bool one_sided;               /**< lsdem_passes */
  size_t modes;                 /**< most modes of a grain; 0: none has any */
} lsdem_search;

/** How far a ball is off a part at least, m; negative: it may touch. What is farther than `most` is that far. @param depth m, half the
 *  ball's thickness: what lies four times as deep is not in the part, but on a far side of it */
double lsdem_part_distance_bound(const scr_part *form, const part_motion *motion, scr_vec3 centre, double radius, double depth,
                                 double most);

/** Searches anew where grains and parts may have come nearer to each other than the last search allowed for: the balls around grains
 *  against each other, and against parts that push. What directions remember stays with them. */
scr_status lsdem_directions_update(lsdem_directions *near, const lsdem_search *search, scr_error *error);

/** What directions remember. @return SCR_BAD_FILE: not of this scene */
scr_status lsdem_directions_save(const lsdem_directions *near, scr_blob *blob, scr_error *error);
scr_status lsdem_directions_load(lsdem_directions *near, const lsdem_view *views, size_t grains, size_t parts, scr_blob *blob,
                                 scr_error *error);

#endif
