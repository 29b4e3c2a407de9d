/** Who owns which nodes where several ranks share a run, and what they tell each other.
 *
 *  Every rank has the arrays of all nodes, by the same numbers, and works on those of the blocks that it owns; pages that nobody touches
 *  take no memory. What another rank's nodes have is right where it was asked for: on the halo, which are the other ranks' nodes that own
 *  nodes and tiles reach by bonds and candidates of contact. Sums are exact and breaks go to all ranks in the order of nodes, so that
 *  results are those of one rank to the last bit, whoever owns what. Rows of bonds are the same on all ranks.
 *
 *  A tile of bonds (bond_runs.h) is worked on by one rank, which owns most of its near ends: what its buffer has for near ends of another
 *  rank's tile goes there, and is added in the order of tiles; forces on nodes of other ranks' blocks go to them. */
#ifndef SCREE_PERIDEM_RANKS_H
#define SCREE_PERIDEM_RANKS_H

#include "base/team/team.h"
#include "methods/peridem/host/host.h"

/** Bytes that a node has in an array. */
typedef struct pd_node_field {
  void *array;
  size_t size;
} pd_node_field;

#define PD_NODE_FIELD(array)                                                                                                               \
  {                                                                                                                                        \
    (array), sizeof *(array)                                                                                                               \
  }
#define PD_NODE_VECTORS(v) PD_NODE_FIELD((v).x), PD_NODE_FIELD((v).y), PD_NODE_FIELD((v).z)

/** Nodes sent to each rank, or received from it: [first[r], first[r + 1]) of `node` are rank r's, ascending. */
typedef struct pd_node_lists {
  uint32_t *node;
  size_t *first; /**< [ranks + 1] */
  size_t capacity;
} pd_node_lists;

/** Elements of a tile's buffer that another rank's tile needs. */
typedef struct pd_tile_overlap {
  uint32_t from, onto; /**< tiles; from < onto */
  size_t begin, end;   /**< elements */
} pd_tile_overlap;

typedef struct pd_ranks {
  scr_team *team;
  uint16_t *owner;          /**< [block_count] rank of a block */
  uint16_t *tile_owner;     /**< [tile_count] */
  unsigned char *foreign;   /**< [node_count] another rank's */
  unsigned char *reached;   /**< [node_count] by bonds and tiles of this rank, whatever contacts there are */
  pd_node_lists wanted;     /**< the halo, by owner */
  pd_node_lists asked;      /**< own nodes, by the rank whose halo they are in */
  pd_node_lists given;      /**< nodes that own tiles give forces to, by owner */
  pd_node_lists taken;      /**< own nodes whose forces come from others' tiles, by who works on them */
  pd_tile_overlap *overlap; /**< [overlap_count] between tiles of different ranks, by `onto`, then by `from` */
  size_t overlap_count, overlap_capacity;
  unsigned char *out, *in; /**< messages */
  size_t out_capacity, in_capacity;
  bool complete; /**< all nodes have what views and checkpoints show, on every rank */
} pd_ranks;

/** Shares out tiles, blocks and the messages between them, for a host whose grains, groups and tiles are there; sets host->own. Alone all
 *  is one's own. */
scr_status pd_ranks_create(pd_state *state, scr_error *error);
void pd_ranks_clear(pd_host *host);

/** Finds the halo for the rows of candidates as they are. */
scr_status pd_ranks_find_halo(pd_state *state, scr_error *error);
/** Gives the halo what its owners have. @param count of fields, at most 16 */
void pd_ranks_update(const pd_state *state, const pd_node_field *field, size_t count);
/** Gives all ranks what all own nodes have. */
void pd_ranks_collect(const pd_state *state, const pd_node_field *field, size_t count);
/** The same of all that views and checkpoints show, with rows of candidates and contacts with the rig. Once between two steps. */
void pd_ranks_complete(const pd_state *state);

/** Between work on tiles and their joining: buffers of tiles that others' tiles need. */
void pd_ranks_send_tiles(const pd_state *state);
/** After it: forces on others' nodes. */
void pd_ranks_send_forces(const pd_state *state);

/** Largest of a value that ranks have. */
double pd_ranks_largest(const pd_state *state, double value);
/** Sum of a count that ranks have. */
size_t pd_ranks_count(const pd_state *state, size_t count);
/** What ranks have in lists, one behind the other, in the order of ranks. @param mine [count]    @param all owned by the caller, mem_free
 *  @return their number, SIZE_MAX without memory */
size_t pd_ranks_join(const pd_state *state, const void *mine, size_t count, size_t size, void **all);

static inline bool pd_is_own(const pd_host *host, size_t node)
{
  return !host->ranks->foreign || !host->ranks->foreign[node];
}

#endif
