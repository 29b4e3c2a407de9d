/** The host back end's arrays of nodes, bonds and contacts.
 *
 *  Arrays are [node_count] unless said otherwise. Every force is gathered by the node it acts on, in a fixed order, and every sum over
 *  nodes runs over fixed blocks: results don't depend on threads. */
#ifndef SCREE_PERIDEM_HOST_H
#define SCREE_PERIDEM_HOST_H

#include "geometry/search/near_list.h"
#include "methods/peridem/host/bonds/bond_runs.h"
#include "methods/peridem/state/state.h"
#include "sim/fields.h"

enum { PD_BLOCK = 512 }; /**< nodes per block of a deterministic sum */

/** High bit of a contact entry: an intact bond joins the pair, so it is passed over. */
#define PD_BONDED 0x80000000u

/** Three components of one quantity. */
typedef struct pd_vectors {
  double *x, *y, *z;
} pd_vectors;

typedef struct pd_grain {
  uint32_t body;         /**< index of its template */
  size_t first;          /**< its first node */
  const pd_bonds *bonds; /**< the template's rows, or `own` */
  pd_bonds own;          /**< its own rows, made when its first bond breaks; of ranks, those that hold the grain have them */
  bool broken;           /**< a bond of it has broken */
  scr_vec3 centre;       /**< m, at t = 0 */
} pd_grain;

/** A node nearer to a part of the rig than its body's rig_zero, and the spring by which friction holds it. */
typedef struct pd_rig_contact {
  uint32_t part, node;
  double zero;                          /**< m, distance from the part at which the two touch */
  double distance;                      /**< m, in the last force pass */
  scr_vec3 face;                        /**< unit, out of the body: normal of its face that met the part; 0: none, or not asked for */
  double curvature;                     /**< 1/m, of that face (geo_face) */
  scr_vec3 straight;                    /**< unit or 0, along which it does not bend */
  scr_vec3 normal;                      /**< unit, out of the part */
  double stiffness;                     /**< N/m, of its linear law, where it meets the part by a face; 0: not asked for */
  double force;                         /**< N, repulsion, 0 when they don't touch */
  double potential;                     /**< J, of the repulsion */
  scr_vec3 spring;                      /**< m, tangential displacement that friction holds */
  double normal_damper, sliding_damper; /**< kg/s, while damping is worked out */
} pd_rig_contact;

/** Those of the nodes of one block, by part, then by node; and what they were one step before. */
typedef struct pd_rig_block {
  pd_rig_contact *now, *before;
  size_t count, capacity, before_count, before_capacity;
} pd_rig_block;

/** A pair in contact as limited damping sees it, from one of its ends. */
typedef struct pd_damped_pair {
  uint32_t other;
  bool turns;                           /**< impulses act at the middle between the two (contact/pair_faces.h) */
  double toward[3];                     /**< unit, to the other node */
  double normal_damper, sliding_damper; /**< kg/s */
} pd_damped_pair;

/** A bond that broke in the last step. It pulled in that step's force, half of which still acts in the next: the ledger books that work. */
typedef struct pd_torn_bond {
  uint32_t near, far; /**< nodes */
  double force[3];    /**< N, on `near` */
} pd_torn_bond;

typedef struct pd_host {
  size_t node_count, grain_count, thread_count;
  size_t explicit_count, limited_count; /**< node_count with explicit damping and 0, or 0 and node_count */
  pd_grain *grains;                     /**< [grain_count] */
  uint32_t *grain_of;                   /**< grain of a node */
  pd_vectors reference;                 /**< X, m */
  pd_vectors moved;                     /**< u, m */
  pd_vectors position;                  /**< x = X + u, m */
  pd_vectors velocity;                  /**< v, m/s */
  pd_vectors acceleration;              /**< a, m/s^2 */
  pd_vectors force;                     /**< F, N, all forces but gravity */
  pd_vectors damping;                   /**< explicit damping: the damping part of F, N; limited: impulses on the nodes, N s */
  pd_vectors friction;                  /**< explicit damping: the friction part of F, N */
  pd_vectors last_damping;              /**< `damping` one step before, while a step is under way; allocated for explicit damping only */
  pd_vectors last_friction;             /**< the same of `friction` */

  /* Bonds: */
  const pd_kernels *kernels;
  pd_runs runs;             /**< the bonds of grains whose neighbours are alike; those of the others are taken from their rows */
  double *dilatation;       /**< theta of the last force pass, of bodies that have a volumetric modulus */
  unsigned char *torn;      /**< a bond of this node is near the critical stretch or beyond; 0 between force passes */
  const unsigned char *seen; /**< nodes whose places are those of now, or NULL: all. Bonds with others don't break. Borrowed */
  pd_torn_bond *torn_bonds; /**< [torn_bond_count] of the last step */
  size_t torn_bond_count, torn_bond_capacity;

  /* Contacts: */
  geo_near_list near;       /**< candidates nearer than Rc + skin, PD_BONDED where a bond still joins them */
  unsigned char *wide;      /**< a row of candidates has nodes of its own grain, which meet up to Rc */
  double touch;             /**< m, at which nodes of two grains meet at most */
  double wide_reach;        /**< m, the larger of touch and the contact radius */
  struct pd_facing *facing; /**< where bodies meet by faces (contact/pair_faces.h), or NULL */
  double *met_held;         /**< with facing: N, by friction's spring of the pairs in pair_met; else NULL */
  size_t held_capacity;
  uint32_t **stamp;         /**< [threads][stamp_count] while rows are made: i + 1 for who is bonded to node i, by number in the grain */
  size_t stamp_count;       /**< nodes of the largest grain */
  pd_rig_block *rig_blocks; /**< [block_count] */
  uint32_t *met_count;      /**< [limited_count] of the pairs in a node's row that touch */
  uint32_t *pair_met;       /**< a row's first met_count entries: the other node */
  size_t met_capacity;
  size_t *damped_first; /**< [node_count + 1] rows of `damped` */
  pd_damped_pair *damped;
  size_t damped_capacity;
  double *share; /**< [limited_count] part of the dampers' impulses that leaves a node no faster */

  /* Scratch: */
  size_t block_count, own_count;
  uint32_t *own;          /**< [own_count] blocks that this rank works on, ascending */
  struct pd_ranks *ranks; /**< who works on the others (ranks/ranks.h) */
  uint32_t *piece;        /**< piece of each node within its grain, or its number for drawing */
  double *scratch[4];     /**< of a node, for drawing */
  scr_vec3 *middle;       /**< [grain_count] m, of each grain's nodes, when contacts of grains are looked at */
  uint32_t *met_grain;    /**< [grain_count] who was met last, while they are */
  uint32_t *met_parts;    /**< [grain_count] a bit for each part met */
} pd_host;

/** Every array of nodes and blocks; checkpoints hold how nodes move, and what pd_nodes_save adds (nodes.c). */
enum { PD_HOST_FIELDS = 54 };
extern const sim_field pd_host_fields[PD_HOST_FIELDS];

/** Component `axis` of a triple of arrays. */
static inline double *pd_axis(const pd_vectors *v, int axis)
{
  return axis == 0 ? v->x : axis == 1 ? v->y : v->z;
}

/** Distance of node i from part p where it is now. No node gets three contact radii behind a surface, the run ends there.
 *  @return false where it is not less than `reach`; `from` then means nothing */
static inline bool pd_node_near_part(const pd_state *state, size_t p, size_t i, double reach, scr_part_distance *from)
{
  scr_vec3 node = vec3(state->host->position.x[i], state->host->position.y[i], state->host->position.z[i]);
  return scr_part_distance_within_posed(&state->rig->form[p], &state->rig->now[p].pose, node, reach, reach + 3 * state->contact_radius,
                                        from);
}

/** The nodes begin ... end - 1 of the rank's n-th own block. @return begin */
static inline size_t pd_own_block(const pd_state *state, size_t n, size_t *end)
{
  size_t begin = (size_t)state->host->own[n] * PD_BLOCK;
  *end = begin + PD_BLOCK < state->node_count ? begin + PD_BLOCK : state->node_count;
  return begin;
}

/** Adds terms of nodes, of each block by itself and the blocks' exactly, as execution_sum_exact does.
 *  @param terms of the nodes begin ... end - 1 of one block */
void pd_sum_nodes(const pd_state *state, size_t width, execution_terms terms, const void *user, double *sum);

/** Where node i starts, m. */
static inline scr_vec3 pd_node_start(const pd_state *state, size_t i)
{
  const pd_grain *grain = &state->host->grains[state->host->grain_of[i]];
  const pd_body *body = &state->bodies[grain->body];
  size_t k = i - grain->first;
  return vec3_add(grain->centre, vec3(body->x[k], body->y[k], body->z[k]));
}

/** Velocity of part p's surface where node i is, m/s. */
static inline scr_vec3 pd_part_velocity(const pd_state *state, size_t p, size_t i)
{
  return part_velocity_at(&state->rig->now[p], vec3(state->host->position.x[i], state->host->position.y[i], state->host->position.z[i]));
}

#endif
