/** The state of a run of granular, sorted by life. Vectors have the grid's axes: x, z, (0) in the plane, x, y, z in space.
 *
 * points (material points, the state) --transfer--> nodes (mass, velocity) and cells (stress) --solve--> nodes --transfer--> points
 */
#ifndef SCREE_GRANULAR_STATE_H
#define SCREE_GRANULAR_STATE_H

#include "base/execution.h"
#include "geometry/grid/grid.h"
#include "methods/granular/law/hourglass.h"
#include "methods/granular/scene/options.h"
#include "sim/fields.h"
#include "sim/method.h"

struct wet_fluid; /* wet/fluid.h */

enum { GRANULAR_EDGES = 12, GRANULAR_COLOURS = 27 };

/** A material point, of 128 bytes: what steps read and write of points bounds the speed of transfers. So what is read off the grid each
 * step, and nothing sums up, is in single precision. */
typedef struct granular_point {
  double x[3];   /**< m */
  double u[3];   /**< m/s */
  double volume; /**< m^3, of its sand at the densest */
  uint32_t material;
  uint32_t number; /**< in order of birth */
  double cohesion; /**< Pa */
  double packing;  /**< 1, of the sand around it over the densest, at most 1: law/packing.h */
  float c[3][3];   /**< 1/s, c[a][i] = d u_i/d x_a around it */
  float fraction;  /**< 1, of its cell in the last step */
  float pressure;  /**< Pa, of its cell then */
  float mobility;  /**< 1, of its cell then: shear stress over what friction allows; 1: it yields */
} granular_point;

/** A node of the grid. */
typedef struct granular_node {
  double u[3];         /**< m/s */
  double inverse_mass; /**< 1/kg; 0: no sand near */
} granular_node;

/** A cell with sand, as the sweeps see it. The gradient of a velocity in the cell, weighted by the volume of its points, is along axis a
 * sum over the edges e along a of edge[4 a + e] (u at the far end - u at the near end); edge e of axis a lies at bits e of the axes a
 * + 1, a + 2. */
typedef struct granular_cell {
  double edge[GRANULAR_EDGES];            /**< 1/m; in the plane 2 per axis, at 4 a and 4 a + 1 */
  double gap;                             /**< 1/s, k of the law */
  double inverse_normal, inverse_tangent; /**< kg m^2, 1/wN, 1/wT */
  double friction;                        /**< 1, of the cone */
  double r[GRANULAR_TENSOR];              /**< N s m, coordinates of stress times volume times step: hourglass.h */
  uint32_t node[GEO_GRID_CORNERS];
} granular_cell;

/** What cells know besides; means are over the volume of their points. */
typedef struct granular_extra {
  uint32_t place;                                                    /**< number of the cell in the grid */
  double volume;                                                     /**< m^3, of sand */
  double fraction;                                                   /**< 1, what it counts as filled */
  double counted;                                                    /**< 1, the same by volumes alone */
  double packing;                                                    /**< 1, that of its points */
  bool surface;                                                      /**< the sand's surface cuts it */
  double friction, increment, constant, diameter, density, cohesion; /**< mu_s, dmu, I0, d_g (m), kg/m^3 of grains, Pa */
  double cohesion_impulse;                                           /**< N s m, normal coordinate of the cohesion's impulse */
  double energy, removed;                                            /**< J, kinetic, of its points; of those taken out */
  uint32_t removed_count;
} granular_extra;

/** A node that touches a part. */
typedef struct granular_contact {
  double normal[3];   /**< unit, out of the part */
  double velocity[3]; /**< m/s, of the part's surface there */
  double r[3];        /**< N s, on the node */
  double friction;
  double inverse; /**< 1/kg, of the node, and of a free part from above */
  scr_vec3 arm;   /**< m, from a free part's centre of mass, in the scene's axes */
  uint32_t node, part;
  int body; /**< a free part's number among them; -1: it is driven or stands */
} granular_contact;

/** A part that moves freely, in a step. Vectors have the scene's axes. */
typedef struct granular_body {
  uint32_t part;
  const scr_part *form;
  scr_quat rotation;
  scr_vec3 centre;                      /**< m, of mass */
  scr_vec3 velocity, spin;              /**< m/s, rad/s: unknowns of the step */
  scr_vec3 impulse, turning;            /**< N s, N m s about the centre of mass, so far */
  double inverse_mass, inverse_inertia; /**< 1/kg, 1/(kg m^2), the largest */
  double radius;                        /**< m, of a ball, in the plane of a disc; 0: another shape */
} granular_body;

/** Where a free part is near another part. */
typedef struct granular_body_contact {
  uint32_t body, part;
  scr_vec3 normal, point;         /**< out of the other part; m */
  scr_vec3 arm, other_arm;        /**< m, from the centres of mass; the other's only where it is free */
  scr_vec3 velocity;              /**< m/s, of the other's surface, where it is not free */
  scr_vec3 r;                     /**< N s, on the body */
  double rate, friction, inverse; /**< m/s that the gap allows, 1, 1/kg from above */
} granular_body_contact;

/** What a contact leaves for the next step. */
typedef struct granular_touch {
  double force[3]; /**< N */
  uint64_t key;    /**< place of the node, and part: ascending */
} granular_touch;

/** Numbers of the last step, for curves. */
typedef struct granular_report {
  double largest_residual, rms_residual; /**< 1 */
  double sweeps;
  double largest_fraction, mean_fraction;
  double unsolved_steps;            /**< so far: residual above the tolerance at the end of the budget */
  double undone_energy;             /**< J so far, put in by undoing over-filling */
  double most_taken, gained_energy; /**< J: the most that all losses took together; by how much they fell below that at most */
  double removed_mass, poured_mass; /**< kg so far */
  double removed_volume;            /**< m^3 so far */
  double weighted_rms;              /**< 1, as doubts weight it (solve.c) */
  double worst_rms, worst_fraction; /**< 1, so far: largest weighted_rms, largest mean_fraction */
  double step;                      /**< s, of the last step: what the stresses are over */
} granular_report;

typedef struct granular_state {
  /* for the run */
  const scr_scene *scene;
  const granular_options *options;
  int d;               /**< 2 or 3 */
  double thickness;    /**< m, of the slice; 1 in space */
  double middle;       /**< m, y of the slice's middle plane */
  double gravity[3];   /**< m/s^2 */
  double longest_step; /**< s */
  bool periodic[3];
  bool walls_stand; /**< no part but walls of the box that never move */
  bool cohesive;    /**< a material has cohesion */
  bool single;      /**< sweeps take single precision */
  bool lone_cells;  /**< sweeps take cells one by one: the domain goes around within one block, so that a block's cells share nodes */
  geo_grid_domain domain;
  sim_ledger *ledger;
  uint32_t points_drawn, cells_drawn, fluid_drawn; /**< numbers of drawables */
  /* the state: checkpoints hold it */
  granular_point *points;
  size_t point_count, point_capacity;
  uint32_t *warm_block; /**< places of blocks with stresses of the last step, ascending */
  size_t warm_block_count, warm_block_capacity;
  double *warm; /**< [warm_block_count][GEO_GRID_BLOCK][cell_size(d)] Pa m^3 */
  size_t warm_count, warm_capacity;
  granular_touch *touches;
  size_t touch_count, touch_capacity;
  uint32_t born;      /**< points so far */
  uint64_t *fillings; /**< [specimen_count] so far, that at the start counted */
  size_t specimen_count;
  granular_report report;
  struct wet_fluid *fluid; /**< around the grains; NULL: the sand is dry */
  /* of a step */
  geo_grid grid;
  granular_point *sorted; /**< points as they leave the step, in the order of its cells */
  size_t sorted_capacity;
  double *position; /**< [3][point_count] for the sort */
  size_t position_capacity;
  granular_cell *cells;
  size_t cell_count, cell_capacity;
  granular_extra *extra;
  size_t extra_capacity;
  double *corners; /**< [cell_count][2^d][6] */
  size_t corner_capacity;
  uint32_t *block_first; /**< [block_count + 1] first cell of a block */
  size_t block_first_capacity;
  uint32_t *colour_first, *colour_block; /**< [GRANULAR_COLOURS + 1], [block_count]: blocks of a colour touch no common node */
  size_t colour_first_capacity, colour_block_capacity;
  uint32_t *colour_cells; /**< [block_count + 1] cells of the blocks before one in colour_block */
  size_t colour_cells_capacity;
  uint32_t *halo; /**< [block_count][granular_halo(d)] nodes of a block, those on its far faces too: x first; grid.cell_count: no sand */
  size_t halo_capacity;
  unsigned char *batches; /**< cells as sweeps take them, blocks as in colour_block: step/sweep/sweep.h */
  uint8_t *batch_number;  /**< [batch] in a block full of sand */
  uint32_t *batch_first;  /**< [block_count + 1] first batch of a block of colour_block */
  size_t batch_capacity, batch_number_capacity, batch_first_capacity;
  void *swept; /**< [2][grid.cell_count + 1][4] floats or doubles: nodes of sweeps, and after the last sweep: velocity, 1/mass */
  size_t swept_capacity;
  granular_node *nodes; /**< [grid.cell_count + 1], the last: none */
  size_t node_capacity;
  double *sums; /**< [grid.cell_count][6] mass, momentum, volume, volume times friction of parts */
  size_t sum_capacity;
  float *open; /**< [grid.cell_count] share of a cell that parts leave free; only where they move or lie inside */
  size_t open_capacity;
  granular_contact *contacts;
  size_t contact_count, contact_capacity;
  uint32_t *contact_first; /**< [block_count + 1] */
  size_t contact_first_capacity;
  granular_body bodies[SCR_PART_LIMIT];
  size_t body_count;
  int body_of[SCR_PART_LIMIT];    /**< number of a part among the bodies; -1: none */
  struct granular_shapes *shapes; /**< bodies/shapes.h: where a free part is neither ball nor disc; else NULL */
  granular_body_contact *body_contacts;
  size_t body_contact_count, body_contact_capacity;
  double *buffer; /**< for pictures and the inertia of sweeps */
  size_t buffer_capacity;
} granular_state;

enum { GRANULAR_SUMS = 6, GRANULAR_FIELDS = 7 };
extern const sim_field granular_fields[GRANULAR_FIELDS];

/** Nodes of a block and of its far faces: 9 x 9 in the plane, 5 x 5 x 5 in space. */
static inline int granular_halo(int d)
{
  return d == 2 ? 81 : 125;
}

/** Axis of the scene that is axis a of the grid. */
static inline int granular_axis(const granular_state *s, int a)
{
  return s->d == 2 && a == 1 ? 2 : a;
}

static inline double granular_component(scr_vec3 v, int axis)
{
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/** A vector of the scene in the grid's axes, and back. */
static inline void granular_to_grid(const granular_state *s, scr_vec3 v, double out[3])
{
  out[0] = v.x, out[1] = s->d == 2 ? v.z : v.y, out[2] = s->d == 2 ? 0 : v.z;
}
static inline scr_vec3 granular_from_grid(const granular_state *s, const double v[3])
{
  return s->d == 2 ? vec3(v[0], 0, v[1]) : vec3(v[0], v[1], v[2]);
}
/** A place of the grid in the scene: in the plane, on the slice's middle. */
static inline scr_vec3 granular_place(const granular_state *s, const double x[3])
{
  return s->d == 2 ? vec3(x[0], s->middle, x[1]) : vec3(x[0], x[1], x[2]);
}

/** m^3, of a cell. */
static inline double granular_cell_volume(const granular_state *s)
{
  double h = s->domain.h;
  return s->d == 2 ? h * h * s->thickness : h * h * h;
}

/** kg/m^3, of the densest sand. */
static inline double granular_bulk_density(const granular_material *m)
{
  return m->density * m->packing_fraction;
}

static inline double granular_mass(const granular_state *s, const granular_point *p)
{
  return granular_bulk_density(scr_scene_material(s->scene, p->material)) * p->volume;
}

/** Orders contacts from step to step: by the place of the node, then the part. */
static inline uint64_t granular_contact_key(const granular_state *s, const granular_contact *c)
{
  uint64_t place = (uint64_t)s->grid.block[c->node / GEO_GRID_BLOCK] * GEO_GRID_BLOCK + c->node % GEO_GRID_BLOCK;
  return place * SCR_PART_LIMIT + c->part;
}

/** 2 l(sym C) of a point: tensor_strain. @param rate [tensor_size(d)] set, 1/s */
static inline void granular_point_strain(int d, const granular_point *p, double *rate)
{
  double c[3][3];
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 3; i++) c[a][i] = p->c[a][i];
  tensor_strain(d, c, rate);
}

/** Work of gravity on all points over the height of a cell, J: what energies are measured by at least. */
static inline double granular_cell_fall(const granular_state *s)
{
  const double *g = s->gravity;
  double mass = 0;
  for (size_t i = 0; i < s->point_count; i++) mass += granular_mass(s, &s->points[i]);
  return mass * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * s->domain.h;
}

/** Fills what lives for the run from a checked scene: domain, axes, gravity. Allocates nothing. */
void granular_lay_out(granular_state *state, const scr_scene *scene);

/** The domain's cells, as they are shown: in the plane rectangles in the slice's middle. */
scr_grid_shape granular_grid(const granular_state *state);

/** Builds the state of a scene at t = 0; on failure it is what granular_state_clear accepts. */
scr_status granular_state_begin(granular_state *state, const scr_scene *scene, sim_ledger *ledger, scr_error *error);
void granular_state_clear(granular_state *state);

/** Adds the points that fill specimen `k`, with its velocity. @return SCR_OK, SCR_NO_MEMORY */
scr_status granular_fill(granular_state *state, size_t k, scr_error *error);
/** The same, and how many sites of the lattice in its shapes lie just outside of the domain. @param outside added to */
scr_status granular_fill_count(granular_state *state, size_t k, double *outside, scr_error *error);
/** How many those are, from above. */
double granular_fill_bound(const scr_scene *scene, size_t k);

/** Sorts points into the grid's cells: those of a cell are points[grid.item[...]]. The points themselves stay where they are. */
scr_status granular_sort(granular_state *state, scr_execution execution, scr_error *error);

scr_status granular_save(const scr_sim *sim, scr_blob *blob, scr_error *error);
scr_status granular_load(scr_sim *sim, scr_blob *blob, scr_error *error);

#endif
