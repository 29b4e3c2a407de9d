/* Which nodes of other ranks may be near own ones: blocks whose boxes are near own blocks' boxes. Both sides find the same blocks, as all
 * ranks know all boxes, so no rank has to ask. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/search/boxes.h"
#include "geometry/search/cells.h"
#include "methods/peridem/host/ranks/halo.h"

/* A block's box: its middle, and half its edges. */
typedef struct block_boxes {
  geo_box *box;      /* [block_count] */
  double *middle[3]; /* [block_count] m */
  geo_cells cells;   /* of the middles */
  double largest;    /* m, edge of all */
} block_boxes;

static void clear_boxes(block_boxes *boxes)
{
  mem_free(boxes->box);
  for (int a = 0; a < 3; a++) mem_free(boxes->middle[a]);
  geo_cells_clear(&boxes->cells);
}

/* The boxes of all blocks, on all ranks. @return whether all nodes' places are finite */
static bool share_boxes(const pd_state *s, block_boxes *boxes)
{
  const pd_host *h = s->host;
  geo_box *mine = mem_array(h->own_count, sizeof *mine), *all = NULL;
  bool finite = true;
  if (!mine) team_abandon(h->ranks->team, 1);
  for (size_t n = 0; n < h->own_count; n++) {
    size_t end, begin = pd_own_block(s, n, &end);
    mine[n] = geo_box_empty(); /* NOLINT(clang-analyzer-core.NullDereference): without memory the team was abandoned */
    for (size_t i = begin; i < end; i++) {
      scr_vec3 at = vec3(h->position.x[i], h->position.y[i], h->position.z[i]);
      finite = finite && isfinite(at.x + at.y + at.z);
      mine[n] = geo_box_join(mine[n], (geo_box){at, at});
    }
  }
  (void)pd_ranks_join(s, mine, h->own_count, sizeof *mine, (void **)&all);
  for (unsigned q = 0, at = 0; q < h->ranks->team->size; q++)
    for (size_t b = 0; b < h->block_count; b++)
      if (h->ranks->owner[b] == q) boxes->box[b] = all[at++];
  mem_free(mine), mem_free(all);
  return !team_any(h->ranks->team, !finite);
}

static scr_status sort_boxes(const pd_state *s, block_boxes *boxes, double reach, scr_error *error)
{
  size_t count = s->host->block_count;
  for (size_t b = 0; b < count; b++) {
    const double low[] = {boxes->box[b].low.x, boxes->box[b].low.y, boxes->box[b].low.z};
    const double high[] = {boxes->box[b].high.x, boxes->box[b].high.y, boxes->box[b].high.z};
    for (int a = 0; a < 3; a++) {
      boxes->middle[a][b] = 0.5 * (low[a] + high[a]);
      boxes->largest = fmax(boxes->largest, high[a] - low[a]);
    }
  }
  const double *const at[3] = {boxes->middle[0], boxes->middle[1], boxes->middle[2]};
  return geo_cells_build(&boxes->cells, at, NULL, count, (boxes->largest + reach) * (1 + 1e-12), s->execution, error);
}

/* Notes what blocks near an own one mean: it goes to their owners, whose nodes come. send: [block_count][ranks / 8 + 1] bits */
static void look_around(const pd_state *s, const block_boxes *boxes, size_t own, double reach, unsigned char *send, unsigned char *get)
{
  const pd_ranks *r = s->host->ranks;
  uint32_t run[9][2];
  int runs = geo_cells_around(&boxes->cells, boxes->middle[0][own], boxes->middle[1][own], boxes->middle[2][own], run);
  for (int k = 0; k < runs; k++)
    for (uint32_t at = run[k][0]; at < run[k][1]; at++) {
      uint32_t b = boxes->cells.item[at], q = r->owner[b];
      if (q == r->team->rank || !geo_box_near(&boxes->box[own], &boxes->box[b], reach)) continue;
      send[own * (r->team->size / 8 + 1) + q / 8] |= (unsigned char)(1u << q % 8);
      get[b] = 1;
    }
}

static scr_status add_block(const pd_state *s, pd_node_lists *lists, unsigned q, size_t b, scr_error *error)
{
  for (size_t i = b * PD_BLOCK; i < (b + 1) * PD_BLOCK && i < s->node_count; i++) SCR_TRY(pd_node_lists_add(lists, q, (uint32_t)i, error));
  return SCR_OK;
}

/* Lists of nodes by rank, from marks of blocks. */
static scr_status list_near(pd_state *s, const unsigned char *send, const unsigned char *get, scr_error *error)
{
  pd_host *h = s->host;
  pd_ranks *r = h->ranks;
  size_t row = r->team->size / 8 + 1;
  memset(r->sent.first, 0, (r->team->size + 1) * sizeof *r->sent.first);
  memset(r->got.first, 0, (r->team->size + 1) * sizeof *r->got.first);
  for (unsigned q = 0; q < r->team->size; q++) {
    r->sent.first[q + 1] = r->sent.first[q];
    r->got.first[q + 1] = r->got.first[q];
    for (size_t b = 0; b < h->block_count; b++) {
      if (send[b * row + q / 8] >> q % 8 & 1) SCR_TRY(add_block(s, &r->sent, q, b, error));
      if (get[b] && r->owner[b] == q) SCR_TRY(add_block(s, &r->got, q, b, error));
    }
  }
  return SCR_OK;
}

/* Own nodes and those that come, ascending. */
static scr_status list_known(pd_state *s, const unsigned char *get, scr_error *error)
{
  pd_host *h = s->host;
  pd_ranks *r = h->ranks;
  SCR_TRY(mem_reserve(&r->known, &r->known_capacity, h->own_count * PD_BLOCK + r->got.first[r->team->size] + 1, sizeof *r->known,
                      "what ranks share", error));
  r->known_count = 0;
  for (size_t b = 0; b < h->block_count; b++)
    for (size_t i = b * PD_BLOCK; (get[b] || r->owner[b] == r->team->rank) && i < (b + 1) * PD_BLOCK && i < s->node_count; i++)
      r->known[r->known_count++] = (uint32_t)i;
  if (r->known_count == 0) r->known[r->known_count++] = 0; /* a search among none has no bounds */
  h->near.known = r->known;
  h->near.known_count = r->known_count;
  return SCR_OK;
}

static scr_status find_near(pd_state *s, double reach, block_boxes *boxes, scr_error *error)
{
  const pd_host *h = s->host;
  const pd_node_field places[] = {PD_NODE_VECTORS(h->position)};
  pd_ranks *r = h->ranks;
  bool finite = share_boxes(s, boxes);
  s->host->near.known = NULL;
  if (!finite) { /* the search says so, on all ranks */
    pd_ranks_collect(s, places, 3);
    return SCR_OK;
  }
  SCR_TRY(sort_boxes(s, boxes, reach, error));
  unsigned char *send = mem_array(h->block_count, r->team->size / 8 + 1), *get = mem_array(h->block_count, 1);
  scr_status status = send && get ? SCR_OK : scr_fail_memory(error, "what ranks share", h->block_count * (r->team->size / 8 + 2));
  for (size_t n = 0; n < h->own_count && status == SCR_OK; n++) look_around(s, boxes, h->own[n], reach, send, get);
  if (status == SCR_OK) status = list_near(s, send, get, error);
  if (status == SCR_OK) status = list_known(s, get, error);
  mem_free(send), mem_free(get);
  if (status == SCR_OK) pd_ranks_pass(s, &r->sent, &r->got, places, 3);
  return status;
}

scr_status pd_ranks_find_near(pd_state *s, double reach, scr_error *error)
{
  size_t count = s->host->block_count;
  if (!s->host->ranks->team) return SCR_OK;
  block_boxes boxes = {.box = mem_array(count, sizeof *boxes.box)};
  bool enough = boxes.box;
  for (int a = 0; a < 3; a++) enough = (boxes.middle[a] = mem_array(count, sizeof(double))) && enough;
  scr_status status = enough ? find_near(s, reach, &boxes, error) : scr_fail_memory(error, "what ranks share", count * sizeof *boxes.box);
  clear_boxes(&boxes);
  return status;
}
