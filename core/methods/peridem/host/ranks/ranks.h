/** Who owns which nodes where several ranks share a run, and what they tell each other.
 *
 *  Every rank has the arrays of all nodes, by the same numbers, and works on those of the blocks that it owns; pages that nobody touches
 *  take no memory. What another rank's nodes have is right where it was asked for: on the halo, which are the other ranks' nodes that own
 *  nodes and tiles reach by bonds and candidates of contact. Sums are exact and breaks go to all ranks in the order of nodes, so that
 *  results are those of one rank to the last bit, whoever owns what. Rows of a grain's bonds, once one has broken, are with the ranks that
 *  have nodes of it, and the same there. What is shown and saved is worked out by the nodes' owners and goes to rank 0.
 *
 *  A tile of bonds (bond_runs.h) is worked on by one rank: what its buffer has for near ends of another rank's tile goes there, and is
 * added in the order of tiles; forces on nodes of other ranks' blocks go to them. Who has which tiles and blocks follows from counts of
 * bonds, nodes and near nodes (balance.c), when rows of candidates are made; then what nodes have moves with them. */
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
  unsigned char *holds;    /**< [grain_count] has nodes of it or works on its tiles: then it has the grain's rows when they break */
  unsigned char *led;      /**< [grain_count] rank 0 holds it */
  uint32_t *known;         /**< [known_count] nodes whose places were known when rows of candidates were made, ascending */
  pd_node_lists sent, got; /**< own nodes near other ranks' blocks, and theirs near own ones, at that time */
  size_t known_count, known_capacity;
  bool shown; /**< rank 0 has the places of all nodes */
} pd_ranks;

/** Shares out tiles, blocks and the messages between them, for a host whose grains, groups and tiles are there; sets host->own. Alone all
 *  is one's own. */
scr_status pd_ranks_create(pd_state *state, scr_error *error);
void pd_ranks_clear(pd_host *host);

/** Finds the halo for the rows of candidates as they are. */
scr_status pd_ranks_find_halo(pd_state *state, scr_error *error);
/** Gives the halo what its owners have. @param count of fields, at most 16 */
void pd_ranks_update(const pd_state *state, const pd_node_field *field, size_t count);
/** Shares out work anew, when rows of candidates have just been made and the ranks' work is uneven; moves what nodes have, all that the
 * next passes of this step need included. @param moved receives whether: then rows have to be made again */
scr_status pd_ranks_balance(pd_state *state, bool *moved, scr_error *error);
/** Gets the places of other ranks' nodes that may be nearer than the reach to own ones, block by block, before rows of candidates are made
 *  of what is known. @param reach m */
scr_status pd_ranks_find_near(pd_state *state, double reach, scr_error *error);
/** Gives all ranks what all own nodes have. */
void pd_ranks_collect(const pd_state *state, const pd_node_field *field, size_t count);
/** Gives rank 0 what all own nodes have, some at a time. */
void pd_ranks_lead(const pd_state *state, const pd_node_field *field, size_t count);
/** The same of the places of nodes, once between two steps. */
void pd_ranks_show(const pd_state *state);
/** The same of all that checkpoints have of nodes, with contacts with the rig and springs of friction. */
void pd_ranks_complete(const pd_state *state);
/** The rows of a broken grain, for rank 0 to save: its own, or those of the rank that has the grain's first node, in `copy`, which the
 *  caller clears. @return NULL on other ranks, and without memory, with the status */
const pd_bonds *pd_ranks_rows(const pd_state *state, size_t grain, pd_bonds *copy, scr_status *status, scr_error *error);

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
/** The same for rank 0 alone; others get NULL and 0. */
size_t pd_ranks_join_first(const pd_state *state, const void *mine, size_t count, size_t size, void **all);

static inline bool pd_holds(const pd_host *host, size_t grain)
{
  return !host->ranks->holds || host->ranks->holds[grain];
}

/** Whether this rank shows what all have: rank 0, or alone. */
static inline bool pd_leads(const pd_state *state)
{
  return team_rank(state->host->ranks->team) == 0;
}

static inline bool pd_is_own(const pd_host *host, size_t node)
{
  return !host->ranks->foreign || !host->ranks->foreign[node];
}

#endif
