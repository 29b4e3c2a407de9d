/** The state of peridem on a device: arrays of its own beside the host's, copied when one side needs what the other has changed. */
#ifndef SCREE_PERIDEM_DEVICE_STATE_H
#define SCREE_PERIDEM_DEVICE_STATE_H

#include "device/device.h"
#include "methods/peridem/device/kernels.h"
#include "methods/peridem/host/host.h"

/** Vectors of nodes that both sides have. */
typedef enum pd_side_vector { PD_MOVED, PD_POSITION, PD_VELOCITY, PD_ACCELERATION, PD_FORCE, PD_SIDE_VECTORS } pd_side_vector;

/** Sets of them: bits. */
enum {
  PD_OF_MOVED = 1 << PD_MOVED,
  PD_OF_POSITION = 1 << PD_POSITION,
  PD_OF_VELOCITY = 1 << PD_VELOCITY,
  PD_OF_ACCELERATION = 1 << PD_ACCELERATION,
  PD_OF_FORCE = 1 << PD_FORCE,
  PD_OF_ALL = (1 << PD_SIDE_VECTORS) - 1
};

/** Bonds in runs, gathered: a column of entries for each node, in the order in which the host adds. A column's parts (its own tile's lower
 *  nodes; its own bonds; tiles before, one after the other) are each summed from zero; bit 0 of a kind begins a part, the rest is the
 * class. */
typedef struct pd_run_columns {
  size_t node_count, longest, kind_count; /**< columns, entries of the longest, classes with the last, which does nothing */
  uint32_t *node, *count, *column_of;     /**< [node_count] node of a column, entries of it; [nodes] column of a node, or UINT32_MAX */
  uint32_t *other;                        /**< [longest][node_count] as the device has it, for finding entries of bonds that break */
  device_array nodes, counts, others, kinds, classes;
} pd_run_columns;

/** Bonds in rows: a column of slots for each node. */
typedef struct pd_row_columns {
  size_t node_count, longest;
  uint32_t *column_of; /**< [nodes] column of a node, or UINT32_MAX */
  bool weighted;
  device_array nodes, counts, others, inverse, weights;
} pd_row_columns;

/** Nodes that kernels have marked (marked.h). */
typedef struct pd_marked {
  uint32_t *found, *place; /**< [chunks] of each; [2 chunks] those with some, and where they go */
  uint32_t *list;          /**< [2 of what was found] node and word */
  uint32_t *past;          /**< [past_count] nodes with bonds past their limit */
  size_t capacity, past_count, past_capacity;
  device_array counts, places, packed;
} pd_marked;

/** Contact between nodes (pairs.h). */
typedef struct pd_device_pairs {
  uint32_t *facing; /**< [facing_count] where bodies meet by faces: nodes of candidates and of springs, and those by which faces turn */
  size_t facing_count;
  bool facing_is_known;                          /**< of the rows that there are */
  device_array at, first, other, met, met_count; /**< the near list's places, rows; those of each row that touch, and how many */
  device_array bodies, laws;
  uint32_t *touching; /**< [2 touching_count] rows of which some pair touches: node, and pairs before its own; met_total of all */
  size_t touching_count, touching_capacity, met_total;
  bool met_is_known;                     /**< the host's numbers of pairs that touch are 0 but for those rows */
  bool rows_are_there, places_are_there; /**< on the device as on the host */
} pd_device_pairs;

/** Nodes of contacts (subset.h). */
typedef struct pd_subset {
  uint32_t *node;        /**< [count] of room for all */
  unsigned char *chosen; /**< [nodes] is one of them */
  uint32_t *touched;     /**< [nodes] parts that it touched in the pass before: bits */
  double *packed;        /**< [3 count] on its way */
  size_t count;
  bool is_sent;            /**< `node` is on the device */
  unsigned char *fresh;    /**< [nodes] bits of the vectors of which the host has what the device has */
  uint32_t *held, *wanted; /**< [held_count] nodes with such bits; those that a copy lacks */
  size_t held_count;
  device_array marks, known, nodes, some, planes, values; /**< known: the positions that the host's array has */
} pd_subset;

/** Limited damping by the device (dampers.h). Rows: those of which some pair touches. */
typedef struct pd_device_dampers {
  double *sums, *heat; /**< [blocks][sums of dissipation.c]; [2 blocks] J, of pairs along and across, or what else the device adds up */
  double *row;         /**< [rows] kg/s, of pairs; then shares */
  uint32_t *end;       /**< [blocks + 1] pairs before a block's */
  size_t row_capacity;
  device_array impulse, share, partial, ends, list, rows, heats;
} pd_device_dampers;

/** Nodes that may come near parts that are no planes (rig_watch.h). */
typedef struct pd_rig_watched {
  uint32_t *node; /**< [count] of room for all */
  size_t count;
  scr_pose pose[SCR_PART_LIMIT]; /**< of the parts, as they were looked for */
  double far[SCR_PART_LIMIT];    /**< m, how far nodes are from a part's position at most */
  bool is_known;
} pd_rig_watched;

/** Bonds of uneven strength (sieve.h). */
typedef struct pd_device_sieve {
  device_array laws, grains;
  bool is_used; /**< strength scatters in some body */
} pd_device_sieve;

typedef struct pd_device {
  scr_device *device;
  device_array vector[PD_SIDE_VECTORS], reference, path, torn, flags, body, bodies, grain, sums;
  unsigned on_host, on_device; /**< which vectors are up to date there */
  pd_run_columns runs;
  pd_row_columns rows;
  pd_device_pairs pairs;
  pd_marked marked;
  pd_subset subset;
  pd_device_dampers dampers;
  pd_rig_watched watch;
  pd_device_sieve sieve;
  double *block_sums; /**< [2 blocks] */
  scr_status status;  /**< SCR_OK, or what an entry without a status met: all further ones do nothing */
  scr_error error;
} pd_device;

/** Brings vectors up to date on the host, or on the device. Errors stay in the state. @return whether the state is whole */
bool pd_to_host(const pd_state *state, unsigned vectors);
bool pd_to_device(const pd_state *state, unsigned vectors);
/** Notes what one side has changed. */
void pd_host_wrote(const pd_state *state, unsigned vectors);
void pd_device_wrote(const pd_state *state, unsigned vectors);
/** Starts a kernel, unless something has failed before. @return whether the state is whole */
bool pd_run_kernel(const pd_state *state, pd_device_kernel kernel, size_t items, const device_argument *arguments, size_t count);

/** The host's vector of nodes. */
pd_vectors *pd_host_vector(struct pd_host *host, pd_side_vector which);
/** Whether a flag was raised, which is then lowered. */
bool pd_take_flag(const pd_state *state, size_t flag);
/** What has failed before; SCR_OK: nothing. */
scr_status pd_device_failure(const pd_state *state, scr_error *error);
/** Room for so many bytes, half as many again where it grows, so that it seldom does. What was in it is lost then. */
scr_status pd_reserve(pd_device *device, device_array *array, size_t bytes, scr_error *error);
/** An array with these bytes. */
scr_status pd_send(pd_device *device, device_array *array, const void *from, size_t bytes, scr_error *error);

/** Makes the columns of all bonds as the host's runs and rows have them. Columns that were there are freed. */
scr_status pd_columns_create(pd_state *state, scr_error *error);
void pd_columns_clear(pd_device *device);
/** After the host has broken bonds: those from number `first` of torn_bonds on leave the columns. */
scr_status pd_columns_break(pd_state *state, size_t first, scr_error *error);
/** Sets the forces of all nodes to those of their bonds. */
void pd_columns_force(const pd_state *state);

#endif
