/* Messages about nodes: of the halo, and of all. */
#include "methods/peridem/host/ranks/halo.h"

#include <string.h>

#include "base/memory.h"

scr_status pd_node_lists_add(pd_node_lists *lists, unsigned r, uint32_t node, scr_error *error)
{
  size_t at = lists->first[r + 1] > lists->first[r] ? lists->first[r + 1] : lists->first[r];
  SCR_TRY(mem_reserve(&lists->node, &lists->capacity, at + 1, sizeof *lists->node, "what ranks share", error));
  lists->node[at] = node;
  lists->first[r + 1] = at + 1;
  return SCR_OK;
}

/* Without room for a message the run can't go on, and the others would wait for it. */
static unsigned char *workspace_for(pd_ranks *r, unsigned char **bytes, size_t *capacity, size_t size)
{
  if (!mem_grow(bytes, capacity, size, 1)) team_abandon(r->team, 1);
  return *bytes;
}

static size_t size_of(const pd_node_field *field, size_t count)
{
  size_t size = 0;
  for (size_t f = 0; f < count; f++) size += field[f].size;
  return size;
}

/* Field after field: bytes of the nodes, one behind the other. @return behind them */
static unsigned char *pack(const pd_node_field *field, size_t count, const uint32_t *node, size_t nodes, unsigned char *to)
{
  for (size_t f = 0; f < count; f++) {
    const unsigned char *array = field[f].array;
    size_t size = field[f].size;
    if (size == sizeof(double))
      for (size_t k = 0; k < nodes; k++) memcpy(to + k * sizeof(double), array + node[k] * sizeof(double), sizeof(double));
    else
      for (size_t k = 0; k < nodes; k++) memcpy(to + k * size, array + node[k] * size, size);
    to += nodes * size;
  }
  return to;
}

static const unsigned char *unpack(const pd_node_field *field, size_t count, const uint32_t *node, size_t nodes, const unsigned char *from)
{
  for (size_t f = 0; f < count; f++) {
    unsigned char *array = field[f].array;
    size_t size = field[f].size;
    if (size == sizeof(double))
      for (size_t k = 0; k < nodes; k++) memcpy(array + node[k] * sizeof(double), from + k * sizeof(double), sizeof(double));
    else
      for (size_t k = 0; k < nodes; k++) memcpy(array + node[k] * size, from + k * size, size);
    from += nodes * size;
  }
  return from;
}

/* A parcel for each rank with nodes in the list. @return how many
 * NOLINTNEXTLINE(readability-non-const-parameter): a parcel that is received is written */
static size_t parcels_of(const pd_node_lists *lists, unsigned ranks, size_t size, unsigned char *bytes, team_parcel *parcel)
{
  size_t count = 0;
  for (unsigned q = 0; q < ranks; q++)
    if (lists->first[q + 1] > lists->first[q])
      parcel[count++] = (team_parcel){q, bytes + lists->first[q] * size, (lists->first[q + 1] - lists->first[q]) * size};
  return count;
}

void pd_ranks_pass(const pd_state *s, const pd_node_lists *send, const pd_node_lists *receive, const pd_node_field *field, size_t count)
{
  pd_ranks *r = s->host->ranks;
  unsigned ranks = r->team->size;
  size_t size = size_of(field, count);
  team_parcel out[TEAM_MOST], in[TEAM_MOST];
  unsigned char *to = workspace_for(r, &r->out, &r->out_capacity, send->first[ranks] * size);
  unsigned char *from = workspace_for(r, &r->in, &r->in_capacity, receive->first[ranks] * size);
  for (unsigned q = 0; q < ranks; q++)
    pack(field, count, send->node + send->first[q], send->first[q + 1] - send->first[q], to + send->first[q] * size);
  size_t sends = parcels_of(send, ranks, size, to, out), receives = parcels_of(receive, ranks, size, from, in);
  team_exchange(r->team, out, sends, in, receives);
  for (unsigned q = 0; q < ranks; q++)
    unpack(field, count, receive->node + receive->first[q], receive->first[q + 1] - receive->first[q], from + receive->first[q] * size);
}

void pd_ranks_update(const pd_state *s, const pd_node_field *field, size_t count)
{
  const pd_ranks *r = s->host->ranks;
  if (r->team) pd_ranks_pass(s, &r->asked, &r->wanted, field, count);
}

/* ── the halo ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Others' nodes that are reached, or stand in own rows, by owner. */
static scr_status list_wanted(pd_state *s, unsigned char *mark, scr_error *error)
{
  const pd_host *h = s->host;
  pd_ranks *r = h->ranks;
  memcpy(mark, r->reached, s->node_count);
  for (uint32_t k = 0; k < h->near.first[s->node_count]; k++) mark[h->near.other[k] & ~PD_BONDED] = 1;
  memset(r->wanted.first, 0, (r->team->size + 1) * sizeof *r->wanted.first);
  for (unsigned q = 0; q < r->team->size; q++) {
    r->wanted.first[q + 1] = r->wanted.first[q];
    for (size_t b = 0; b < h->block_count && q != r->team->rank; b++)
      for (size_t i = b * PD_BLOCK; r->owner[b] == q && i < (b + 1) * PD_BLOCK && i < s->node_count; i++)
        if (mark[i]) SCR_TRY(pd_node_lists_add(&r->wanted, q, (uint32_t)i, error));
  }
  for (size_t k = 0; k < r->wanted.first[r->team->size]; k++) {
    uint32_t i = r->wanted.node[k];
    scr_vec3 start = pd_node_start(s, i);
    h->reference.x[i] = start.x, h->reference.y[i] = start.y, h->reference.z[i] = start.z;
  }
  return SCR_OK;
}

static scr_status report_wanted(pd_state *s, scr_error *error)
{
  pd_ranks *r = s->host->ranks;
  unsigned ranks = r->team->size, me = r->team->rank;
  size_t *counts = mem_array((size_t)ranks * ranks, sizeof *counts), mine[TEAM_MOST], sizes[TEAM_MOST];
  if (!counts) return scr_fail_memory(error, "what ranks share", (size_t)ranks * ranks * sizeof *counts);
  for (unsigned q = 0; q < ranks; q++) mine[q] = r->wanted.first[q + 1] - r->wanted.first[q], sizes[q] = ranks * sizeof *mine;
  team_gather(r->team, mine, ranks * sizeof *mine, counts, sizes);
  for (unsigned q = 0; q < ranks; q++) r->asked.first[q + 1] = r->asked.first[q] + counts[(size_t)q * ranks + me];
  mem_free(counts);
  SCR_TRY(mem_reserve(&r->asked.node, &r->asked.capacity, r->asked.first[ranks] + 1, sizeof *r->asked.node, "what ranks share", error));
  team_parcel out[TEAM_MOST], in[TEAM_MOST];
  size_t sends = parcels_of(&r->wanted, ranks, sizeof(uint32_t), (unsigned char *)r->wanted.node, out);
  size_t receives = parcels_of(&r->asked, ranks, sizeof(uint32_t), (unsigned char *)r->asked.node, in);
  team_exchange(r->team, out, sends, in, receives);
  return SCR_OK;
}

scr_status pd_ranks_find_halo(pd_state *s, scr_error *error)
{
  pd_ranks *r = s->host->ranks;
  if (!r->team) return SCR_OK;
  unsigned char *mark = mem_array(s->node_count, 1);
  scr_status status = mark ? list_wanted(s, mark, error) : scr_fail_memory(error, "what ranks share", s->node_count);
  mem_free(mark);
  return status == SCR_OK ? report_wanted(s, error) : status;
}

/* ── all nodes ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Nodes of a rank's blocks into `node`. @return how many */
static size_t nodes_of(const pd_state *s, unsigned rank, uint32_t *node)
{
  const pd_host *h = s->host;
  size_t count = 0;
  for (size_t b = 0; b < h->block_count; b++)
    for (size_t i = b * PD_BLOCK; h->ranks->owner[b] == rank && i < (b + 1) * PD_BLOCK && i < s->node_count; i++)
      node[count++] = (uint32_t)i;
  return count;
}

void pd_ranks_collect(const pd_state *s, const pd_node_field *field, size_t count)
{
  pd_ranks *r = s->host->ranks;
  if (!r->team) return;
  uint32_t *node = mem_array(s->node_count, sizeof *node);
  if (!node) {
    team_abandon(r->team, 1);
    return;
  }
  unsigned ranks = r->team->size;
  size_t size = size_of(field, count), sizes[TEAM_MOST], mine = nodes_of(s, r->team->rank, node);
  unsigned char *to = workspace_for(r, &r->out, &r->out_capacity, mine * size),
                *from = workspace_for(r, &r->in, &r->in_capacity, s->node_count * size);
  pack(field, count, node, mine, to);
  (void)team_sizes(r->team, mine * size, sizes);
  team_gather(r->team, to, mine * size, from, sizes);
  const unsigned char *at = from;
  for (unsigned q = 0; q < ranks; q++) {
    size_t nodes = nodes_of(s, q, node);
    at = unpack(field, count, node, nodes, at);
  }
  mem_free(node);
}

enum { LED_BLOCKS = 64 }; /* of each rank in one message */

/* Nodes of the next blocks of a rank, from block *at on, which moves behind them. @return how many */
static size_t next_nodes(const pd_state *s, unsigned rank, size_t *at, uint32_t *node)
{
  const pd_host *h = s->host;
  size_t count = 0, blocks = 0;
  for (; *at < h->block_count && blocks < LED_BLOCKS; ++*at) {
    if (h->ranks->owner[*at] != rank) continue;
    blocks++;
    for (size_t i = *at * PD_BLOCK; i < (*at + 1) * PD_BLOCK && i < s->node_count; i++) node[count++] = (uint32_t)i;
  }
  return count;
}

/* One rank's nodes to rank 0, some blocks after the other. */
static void lead_from(const pd_state *s, unsigned q, const pd_node_field *field, size_t count)
{
  pd_ranks *r = s->host->ranks;
  uint32_t node[LED_BLOCKS * PD_BLOCK];
  size_t size = size_of(field, count);
  for (size_t at = 0, nodes; (nodes = next_nodes(s, q, &at, node)) > 0;) {
    bool sends = r->team->rank == q;
    unsigned char *message =
        sends ? workspace_for(r, &r->out, &r->out_capacity, nodes * size) : workspace_for(r, &r->in, &r->in_capacity, nodes * size);
    const team_parcel parcel = {sends ? 0 : q, message, nodes * size};
    if (sends) pack(field, count, node, nodes, message);
    team_exchange(r->team, &parcel, sends, &parcel, !sends);
    if (!sends) (void)unpack(field, count, node, nodes, message);
  }
}

void pd_ranks_lead(const pd_state *s, const pd_node_field *field, size_t count)
{
  const pd_ranks *r = s->host->ranks;
  if (!r->team) return;
  for (unsigned q = 1; q < r->team->size; q++)
    if (r->team->rank == q || r->team->rank == 0) lead_from(s, q, field, count);
}

void pd_ranks_show(const pd_state *s)
{
  pd_host *h = s->host;
  if (h->ranks->shown) return;
  const pd_node_field places[] = {PD_NODE_VECTORS(h->position)};
  pd_ranks_lead(s, places, 3);
  h->ranks->shown = true;
}

double pd_ranks_largest(const pd_state *s, double value)
{
  team_largest(s->host->ranks->team, &value, 1);
  return value;
}

size_t pd_ranks_count(const pd_state *s, size_t count)
{
  int64_t sum = (int64_t)count;
  team_sum(s->host->ranks->team, &sum, 1);
  return (size_t)sum;
}

size_t pd_ranks_join(const pd_state *s, const void *mine, size_t count, size_t size, void **all)
{
  scr_team *team = s->host->ranks->team;
  size_t sizes[TEAM_MOST], total = team_sizes(team, count * size, sizes);
  *all = mem_array(total, 1);
  if (!*all) {
    team_abandon(team, 1);
    return SIZE_MAX;
  }
  team_gather(team, mine, count * size, *all, sizes);
  return total / size;
}

size_t pd_ranks_join_first(const pd_state *s, const void *mine, size_t count, size_t size, void **all)
{
  scr_team *team = s->host->ranks->team;
  size_t sizes[TEAM_MOST], total = team_sizes(team, count * size, sizes), at = sizes[0];
  team_parcel parcel[TEAM_MOST] = {{0, (void *)(uintptr_t)mine, count * size}};
  *all = NULL;
  if (team->rank > 0) {
    team_exchange(team, parcel, count > 0, NULL, 0);
    return 0;
  }
  unsigned char *joined = *all = mem_array(total, 1);
  if (!joined) {
    team_abandon(team, 1);
    return SIZE_MAX;
  }
  if (count) memcpy(joined, mine, count * size);
  size_t receives = 0;
  for (unsigned q = 1; q < team->size; at += sizes[q++])
    if (sizes[q]) parcel[receives++] = (team_parcel){q, joined + at, sizes[q]};
  team_exchange(team, NULL, 0, parcel, receives);
  return total / size;
}
