/* Which nodes are asked about what. */
#include "methods/lsdem/contact/directions.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/method.h"

scr_status lsdem_directions_create(lsdem_directions *near, size_t grains, double skin, scr_error *error)
{
  near->skin = skin;
  near->searched = mem_array(grains, sizeof *near->searched);
  near->reached = mem_array(grains, sizeof *near->reached);
  if (!near->searched || !near->reached) return scr_fail_memory(error, "the search for neighbours", grains * sizeof *near->searched);
  return SCR_OK;
}

static void clear_list(lsdem_direction *list, size_t count)
{
  for (size_t d = 0; d < count; d++) {
    mem_free(list[d].touches);
    lsdem_direction_unsure(&list[d]);
  }
  mem_free(list);
}

void lsdem_directions_clear(lsdem_directions *near)
{
  clear_list(near->list, near->count);
  mem_free(near->sums);
  mem_free(near->modal);
  mem_free(near->shares);
  geo_box_pairs_clear(&near->pairs);
  mem_free(near->searched);
  mem_free(near->reached);
  *near = (lsdem_directions){0};
}

static int compare_directions(const void *a, const void *b)
{
  const lsdem_direction *p = a, *q = b;
  if (p->slave != q->slave) return p->slave < q->slave ? -1 : 1;
  return p->master < q->master ? -1 : p->master > q->master;
}

static bool still_valid(const lsdem_directions *near, const lsdem_search *search)
{
  if (!near->valid) return false;
  for (size_t p = 0; p < search->parts->count; p++)
    if (!(search->part_travelled[p] - near->part_searched[p] <= 0.5 * near->skin)) return false;
  for (size_t i = 0; i < search->grains; i++) {
    const lsdem_view *view = &search->views[i];
    double travel = vec3_length(vec3_sub(view->position, near->searched[i])) + fmax(0, view->moved - near->reached[i]);
    if (!(travel <= 0.5 * near->skin)) return false;
  }
  return true;
}

/* Of pairs whose boxes are near, those whose balls are. */
static void keep_near_balls(lsdem_directions *near, const lsdem_view *views)
{
  size_t kept = 0;
  for (size_t k = 0; k < near->pairs.count; k++) {
    geo_box_pair pair = near->pairs.pairs[k];
    double both =
        views[pair.a].grain->field_reach + views[pair.a].moved + views[pair.b].grain->field_reach + views[pair.b].moved + near->skin;
    scr_vec3 travel = vec3_sub(views[pair.a].position, views[pair.b].position);
    if (vec3_dot(travel, travel) <= both * both * (1 + 1e-12)) near->pairs.pairs[kept++] = pair;
  }
  near->pairs.count = kept;
}

static scr_status find_pairs(lsdem_directions *near, const lsdem_search *search, scr_error *error)
{
  const lsdem_view *views = search->views;
  geo_box *boxes = mem_array(search->grains, sizeof *boxes);
  if (!boxes) return scr_fail_memory(error, "the search for neighbours", search->grains * sizeof *boxes);
  for (size_t i = 0; i < search->grains; i++) {
    double r = views[i].grain->field_reach + views[i].moved;
    scr_vec3 half = vec3(r, r, r);
    boxes[i] = (geo_box){vec3_sub(views[i].position, half), vec3_add(views[i].position, half)};
    near->searched[i] = views[i].position;
    near->reached[i] = views[i].moved;
  }
  for (size_t p = 0; p < search->parts->count; p++) near->part_searched[p] = search->part_travelled[p];
  scr_status status = geo_box_pairs_find(&near->pairs, boxes, search->grains, near->skin, error);
  mem_free(boxes);
  if (status == SCR_OK) keep_near_balls(near, views);
  return status;
}

double lsdem_part_distance_bound(const scr_part *form, const part_motion *motion, scr_vec3 centre, double radius, double depth, double most)
{
  scr_part_distance from;
  double reach = radius + most;
  if (!scr_part_distance_within_posed(form, &motion->pose, centre, reach, 4 * depth + reach, &from)) return most;
  return from.distance - radius;
}

static bool part_is_near(const lsdem_directions *near, const lsdem_view *view, const scr_part *form, const part_motion *motion)
{
  double most = near->skin * (1 + 1e-9);
  if (form->kind == SCR_PART_GRIP) return false;
  return lsdem_part_distance_bound(form, motion, view->position, view->grain->reach + view->moved, view->grain->depth, most) < most;
}

/* The one whose nodes are asked, of a pair of which only one's are: the finer, by the mean area of a node; of alike ones the first. */
static uint32_t finer_of(const lsdem_view *views, geo_box_pair pair)
{
  const lsdem_template *a = views[pair.a].grain, *b = views[pair.b].grain;
  double fine_a = a->reach * a->reach / (double)a->node_count, fine_b = b->reach * b->reach / (double)b->node_count;
  return fine_b < fine_a ? pair.b : pair.a;
}

/* Gives the new list what the old one remembers; both are sorted. */
static void hand_over(lsdem_direction *old, size_t old_count, lsdem_direction *list, size_t count)
{
  size_t k = 0;
  for (size_t d = 0; d < count; d++) {
    while (k < old_count && compare_directions(&old[k], &list[d]) < 0) k++;
    if (k == old_count) return;
    if (compare_directions(&old[k], &list[d]) != 0) continue;
    list[d].touches = old[k].touches;
    list[d].touch_count = old[k].touch_count;
    list[d].touch_capacity = old[k].touch_capacity;
    list[d].watch = old[k].watch;
    old[k].touches = NULL;
    old[k].watch = NULL;
  }
}

static scr_status make_list(const lsdem_directions *near, const lsdem_search *search, lsdem_direction **list, size_t *count,
                            size_t *capacity, scr_error *error)
{
  size_t most = 2 * near->pairs.count + 1, n = 0;
  for (size_t i = 0; i < search->grains; i++)
    for (size_t p = 0; p < search->parts->count; p++)
      most += part_is_near(near, &search->views[i], &search->parts->form[p], &search->parts->now[p]);
  *list = mem_array(most, sizeof **list);
  if (!*list) return scr_fail_memory(error, "the directions of contacts", most * sizeof **list);
  *capacity = most;
  lsdem_direction *to = *list;
  float weight = search->one_sided ? 1.0F : 0.5F;
  for (size_t k = 0; k < near->pairs.count; k++) {
    geo_box_pair pair = near->pairs.pairs[k];
    uint32_t finer = finer_of(search->views, pair), coarser = finer == pair.a ? pair.b : pair.a;
    to[n++] = (lsdem_direction){.slave = finer, .master = coarser, .weight = weight};
    if (!search->one_sided) to[n++] = (lsdem_direction){.slave = coarser, .master = finer, .weight = weight};
  }
  for (size_t i = 0; i < search->grains; i++)
    for (size_t p = 0; p < search->parts->count; p++)
      if (part_is_near(near, &search->views[i], &search->parts->form[p], &search->parts->now[p]))
        to[n++] = (lsdem_direction){.slave = (uint32_t)i, .master = (uint32_t)(search->grains + p), .weight = 1};
  if (n) qsort(to, n, sizeof *to, compare_directions);
  *count = n;
  return SCR_OK;
}

/* Room for the sums of directions under way. */
static scr_status reserve(lsdem_directions *near, size_t modes, size_t count, scr_error *error)
{
  size_t at_once = count < LSDEM_AT_ONCE ? count : LSDEM_AT_ONCE, numbers = LSDEM_MODAL_SUMS * modes * at_once;
  SCR_TRY(mem_reserve(&near->sums, &near->sums_capacity, at_once, sizeof *near->sums, "sums of contacts", error));
  if (modes && !mem_grow(&near->modal, &near->modal_capacity, numbers, sizeof *near->modal))
    return scr_fail_memory(error, "modal forces", numbers * sizeof *near->modal);
  return SCR_OK;
}

scr_status lsdem_directions_update(lsdem_directions *near, const lsdem_search *search, scr_error *error)
{
  if (still_valid(near, search)) return SCR_OK;
  lsdem_direction *list = NULL;
  size_t count = 0, capacity = 0;
  SCR_TRY(find_pairs(near, search, error));
  SCR_TRY(make_list(near, search, &list, &count, &capacity, error));
  geo_box_pairs_clear(&near->pairs); /* searches are rare; until the next one their pairs would only take room */
  scr_status status = reserve(near, search->modes, count, error);
  if (status != SCR_OK) {
    mem_free(list);
    return status;
  }
  hand_over(near->list, near->count, list, count);
  clear_list(near->list, near->count);
  near->list = list;
  near->modes = search->modes;
  near->count = count;
  near->capacity = capacity;
  near->valid = true;
  return SCR_OK;
}

/* ── checkpoints ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Only what is in contact: which directions there are otherwise follows from the next search, and those without contact add nothing. */
scr_status lsdem_directions_save(const lsdem_directions *near, scr_blob *blob, scr_error *error)
{
  uint64_t touching = 0;
  for (size_t d = 0; d < near->count; d++) touching += near->list[d].touch_count > 0;
  SCR_TRY(scr_blob_write_u64(blob, touching, error));
  for (size_t d = 0; d < near->count; d++) {
    const lsdem_direction *direction = &near->list[d];
    if (direction->touch_count == 0) continue;
    SCR_TRY(scr_blob_write_u64(blob, direction->slave, error));
    SCR_TRY(scr_blob_write_u64(blob, direction->master, error));
    SCR_TRY(scr_blob_write_array(blob, direction->touches, direction->touch_count, sizeof *direction->touches, error));
  }
  return SCR_OK;
}

static scr_status load_direction(lsdem_direction *direction, const lsdem_view *views, size_t grains, size_t parts, scr_blob *blob,
                                 scr_error *error)
{
  uint64_t slave, master;
  size_t count;
  SCR_TRY(scr_blob_read_u64(blob, &slave, error));
  SCR_TRY(scr_blob_read_u64(blob, &master, error));
  if (slave >= grains || master >= grains + parts || slave == master) return scr_sim_damaged("contacts", error);
  size_t nodes = views[slave].grain->node_count;
  SCR_TRY(scr_blob_peek_count(blob, &count, error));
  if (count == 0 || count > nodes) return scr_sim_damaged("contacts", error);
  direction->slave = (uint32_t)slave, direction->master = (uint32_t)master;
  size_t capacity = 0;
  SCR_TRY(mem_reserve(&direction->touches, &capacity, count, sizeof *direction->touches, "contacts", error));
  direction->touch_capacity = (uint32_t)capacity; /* twice the nodes at most, whose numbers have 32 bits */
  direction->touch_count = (uint32_t)count;
  SCR_TRY(scr_blob_read_array(blob, direction->touches, count, sizeof *direction->touches, "contacts", error));
  for (size_t k = 0; k < count; k++) {
    const lsdem_touch *touch = &direction->touches[k];
    if (touch->node >= nodes || (k && touch->node <= touch[-1].node) || !isfinite(touch->slip.x + touch->slip.y + touch->slip.z) ||
        !isfinite(touch->pressure))
      return scr_sim_damaged("contacts", error);
  }
  return SCR_OK;
}

scr_status lsdem_directions_load(lsdem_directions *near, const lsdem_view *views, size_t grains, size_t parts, scr_blob *blob,
                                 scr_error *error)
{
  uint64_t touching;
  clear_list(near->list, near->count);
  near->list = NULL;
  near->count = near->capacity = 0;
  near->valid = false;
  SCR_TRY(scr_blob_read_u64(blob, &touching, error));
  if (touching > grains * (grains + parts)) return scr_sim_damaged("contacts", error);
  for (uint64_t d = 0; d < touching; d++) {
    if (!mem_grow(&near->list, &near->capacity, near->count + 1, sizeof *near->list))
      return scr_fail_memory(error, "contacts", near->count * sizeof *near->list);
    lsdem_direction *direction = &near->list[near->count++];
    SCR_TRY(load_direction(direction, views, grains, parts, blob, error));
    if (d && compare_directions(direction - 1, direction) >= 0) return scr_sim_damaged("contacts", error);
  }
  return SCR_OK;
}
