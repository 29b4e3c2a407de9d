/* Contacts between grains are those of their nodes, grain after grain; those with the rig are in the lists of the last force pass. */
#include "methods/peridem/host/view/touching.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "methods/peridem/host/contact/pair_faces.h"
#include "methods/peridem/host/contact/rig_faces.h"
#include "methods/peridem/host/ranks/ranks.h"
#include "sim/fabric.h"

/* Two nodes that push each other, or a node that the rig pushes. */
typedef struct touching_pair {
  uint32_t grain, other; /* the other grain, or grain_count + number of the part */
  uint32_t place;        /* what they are visited by: the node, or its block and then the contact */
  uint32_t turn;         /* of that place */
  scr_vec3 force;        /* N, on the grain */
  scr_vec3 point;        /* m */
  bool first;            /* of these two; set as they are visited */
} touching_pair;

typedef bool (*visitor)(void *user, touching_pair *m); /* false: enough */

static scr_vec3 node_at(const pd_host *h, size_t i)
{
  return vec3(h->position.x[i], h->position.y[i], h->position.z[i]);
}

scr_vec3 pd_rig_contact_force(const pd_state *s, const pd_rig_contact *contact)
{
  const pd_body *body = &s->bodies[s->host->grains[s->host->grain_of[contact->node]].body];
  const pd_law *law = &s->laws[body->material * (s->scene->material_count + 1) + s->scene->material_count];
  double stiffness = pd_rig_spring(s, contact, body, law);
  return vec3_sub(vec3_scale(contact->normal, contact->force), vec3_scale(contact->spring, stiffness));
}

/* Pairs of own nodes with grains of higher numbers. */
static bool visit_own_pairs(const pd_state *s, visitor visit, void *user)
{
  const pd_host *h = s->host;
  for (size_t n = 0; n < h->own_count; n++) {
    size_t end, begin = pd_own_block(s, n, &end);
    for (size_t i = begin; i < end; i++)
      for (uint32_t k = h->near.first[i]; k < h->near.first[i + 1]; k++) {
        size_t j = h->near.other[k] & ~PD_BONDED;
        pd_pair pair;
        if (h->grain_of[j] <= h->grain_of[i] || !pd_pair_touches(s, i, j, &pair) || !(pair.force > 0)) continue;
        scr_vec3 force = vec3_scale(vec3(pair.toward[0], pair.toward[1], pair.toward[2]), -pair.force);
        if (pair.by_faces) force = vec3_add(force, pd_pair_friction(s, i, j));
        touching_pair m = {.grain = h->grain_of[i],
                           .other = h->grain_of[j],
                           .place = (uint32_t)i,
                           .turn = k - h->near.first[i],
                           .force = force,
                           .point = vec3_scale(vec3_add(node_at(h, i), node_at(h, j)), 0.5)};
        if (!visit(user, &m)) return false;
      }
  }
  return true;
}

static bool visit_own_rig(const pd_state *s, visitor visit, void *user)
{
  const pd_host *h = s->host;
  for (size_t n = 0; n < h->own_count; n++) {
    const pd_rig_block *block = &h->rig_blocks[h->own[n]];
    for (uint32_t k = 0; k < block->count; k++) {
      const pd_rig_contact *contact = &block->now[k];
      if (!(contact->force > 0)) continue;
      touching_pair m = {.grain = h->grain_of[contact->node],
                         .other = (uint32_t)s->grain_count + contact->part,
                         .place = h->own[n],
                         .turn = k,
                         .force = pd_rig_contact_force(s, contact),
                         .point = vec3_sub(node_at(h, contact->node), vec3_scale(contact->normal, contact->distance))};
      if (!visit(user, &m)) return false;
    }
  }
  return true;
}

/* Own pairs in a list. */
typedef struct touching_list {
  touching_pair *pair;
  size_t count, capacity;
} touching_list;

static bool add_to_list(void *user, touching_pair *m)
{
  touching_list *list = user;
  if (!mem_grow(&list->pair, &list->capacity, list->count + 1, sizeof *m)) return false;
  list->pair[list->count++] = *m;
  return true;
}

static int by_place(const void *a, const void *b)
{
  const touching_pair *p = a, *q = b;
  if (p->place != q->place) return p->place < q->place ? -1 : 1;
  return p->turn < q->turn ? -1 : p->turn > q->turn;
}

/* Visits what all ranks have in the order of one, on rank 0. */
static bool visit_on_first(const pd_state *s, bool (*own)(const pd_state *s, visitor visit, void *user), visitor visit, void *user)
{
  if (!s->host->ranks->team) return own(s, visit, user);
  touching_list list = {NULL, 0, 0};
  touching_pair *all = NULL;
  if (!own(s, add_to_list, &list)) team_abandon(s->host->ranks->team, 1);
  size_t count = pd_ranks_join_first(s, list.pair, list.count, sizeof *all, (void **)&all);
  if (count) qsort(all, count, sizeof *all, by_place);
  bool wanted = true;
  for (size_t k = 0; k < count && wanted; k++) wanted = visit(user, &all[k]);
  mem_free(list.pair), mem_free(all);
  return wanted;
}

/* Who is visited in the end, and who has met. */
typedef struct visiting {
  const pd_state *state;
  visitor visit;
  void *user;
} visiting;

static bool visit_grain(void *user, touching_pair *m)
{
  const visiting *of = user;
  uint32_t *met = &of->state->host->met_grain[m->other];
  m->first = *met != m->grain + 1;
  *met = m->grain + 1;
  return of->visit(of->user, m);
}

static bool visit_part(void *user, touching_pair *m)
{
  const visiting *of = user;
  uint32_t *met = &of->state->host->met_parts[m->grain], bit = UINT32_C(1) << (m->other - of->state->grain_count);
  m->first = !(*met & bit);
  *met |= bit;
  return of->visit(of->user, m);
}

/* Calls `visit` for all that touches, by grain, then the rig's; of ranks on the first. @return whether it wanted all */
static bool visit_all(const pd_state *s, visitor visit, void *user)
{
  static_assert(SCR_PART_LIMIT <= 32, "a bit each");
  const pd_host *h = s->host;
  visiting of = {s, visit, user};
  memset(h->met_grain, 0, s->grain_count * sizeof *h->met_grain);
  memset(h->met_parts, 0, s->grain_count * sizeof *h->met_parts);
  bool wanted = visit_on_first(s, visit_own_pairs, visit_grain, &of);
  if (!wanted && !h->ranks->team) return false;
  return visit_on_first(s, visit_own_rig, visit_part, &of) && wanted; /* all ranks send both lists */
}

/* Middles of grains into the host's room, and the box around all nodes. */
static geo_box find_middles(const pd_state *s)
{
  const pd_host *h = s->host;
  geo_box box = geo_box_empty();
  for (size_t g = 0; g < s->grain_count; g++) {
    size_t begin = h->grains[g].first, count = s->bodies[h->grains[g].body].node_count;
    double half = 0.5 * s->bodies[h->grains[g].body].spacing;
    scr_vec3 sum = vec3(0, 0, 0), edge = vec3(half, half, half);
    for (size_t i = begin; i < begin + count; i++) {
      scr_vec3 at = node_at(h, i);
      sum = vec3_add(sum, at);
      box = geo_box_join(box, (geo_box){vec3_sub(at, edge), vec3_add(at, edge)});
    }
    h->middle[g] = vec3_scale(sum, 1 / (double)count);
  }
  return box;
}

typedef struct summing {
  const pd_state *state;
  pd_bearing *bearing;
} summing;

static bool sum_pair(void *user, touching_pair *m)
{
  const summing *all = user;
  const pd_state *s = all->state;
  bool two = m->other < s->grain_count;
  if (m->first) all->bearing->coordination += two ? 2 : 1;
  fabric_add(all->bearing->stress, m->force, vec3_sub(s->host->middle[m->grain], two ? s->host->middle[m->other] : m->point));
  return true;
}

void pd_measure_touching(const pd_state *s, pd_bearing *bearing)
{
  summing all = {s, bearing};
  pd_ranks_show(s);
  *bearing = (pd_bearing){.coordination = 0};
  if (pd_leads(s)) bearing->box = find_middles(s);
  (void)visit_all(s, sum_pair, &all);
  bearing->coordination /= (double)s->grain_count;
  team_share(s->host->ranks->team, bearing, sizeof *bearing);
}

typedef struct counting {
  const pd_state *state;
  pd_grain_stress *grains;
} counting;

static bool count_pair(void *user, touching_pair *m)
{
  const counting *all = user;
  if (!m->first) return true;
  all->grains[m->grain].neighbours++;
  if (m->other < all->state->grain_count) all->grains[m->other].neighbours++;
  return true;
}

void pd_count_neighbours(const pd_state *s, pd_grain_stress *grains)
{
  counting all = {s, grains};
  for (size_t g = 0; g < s->grain_count; g++) grains[g].neighbours = 0;
  (void)visit_all(s, count_pair, &all);
}

/* Contacts of grains in the making: their pushes are sums of nodes' forces, their points sums weighted by force until the end. */
typedef struct gathering {
  const pd_state *state;
  sim_contact *contacts;
  double *weight; /* [count] */
  size_t count, capacity, weight_capacity;
  uint32_t *of_grain; /* [grain_count] contact with it, where it was met last */
  uint32_t *of_part;  /* [grain_count][parts] */
} gathering;

static bool grow(gathering *all)
{
  size_t wanted = all->count + 1;
  return mem_grow(&all->contacts, &all->capacity, wanted, sizeof *all->contacts) &&
         mem_grow(&all->weight, &all->weight_capacity, wanted, sizeof *all->weight);
}

static bool gather_pair(void *user, touching_pair *m)
{
  gathering *all = user;
  const pd_state *s = all->state;
  bool two = m->other < s->grain_count;
  uint32_t *slot = two ? &all->of_grain[m->other] : &all->of_part[m->grain * s->rig->count + m->other - s->grain_count];
  if (m->first) {
    if (!grow(all)) return false;
    scr_vec3 zero = vec3(0, 0, 0);
    all->weight[all->count] = 0;
    all->contacts[all->count] =
        (sim_contact){.node = {s->host->middle[m->grain], zero, two ? s->host->middle[m->other] : zero}, .node_count = two ? 3 : 2};
    *slot = (uint32_t)all->count++;
  }
  double weight = vec3_length(m->force);
  sim_contact *contact = &all->contacts[*slot];
  /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the first of a pair has made room */
  contact->node[1] = vec3_add(contact->node[1], vec3_scale(m->point, weight));
  contact->push = vec3_add(contact->push, m->force);
  all->weight[*slot] += weight;
  return true;
}

scr_status pd_contacts(const pd_state *s, sim_contact **contacts, size_t *count, scr_error *error)
{
  gathering all = {.state = s};
  pd_ranks_show(s);
  size_t grains = s->grain_count, parts = s->rig->count;
  all.of_grain = mem_array(grains, sizeof *all.of_grain);
  all.of_part = mem_array(grains * (parts ? parts : 1), sizeof *all.of_part);
  if (pd_leads(s)) (void)find_middles(s);
  bool ok = all.of_grain && all.of_part && visit_all(s, gather_pair, &all);
  for (size_t k = 0; ok && k < all.count; k++) {
    all.contacts[k].force = vec3_length(all.contacts[k].push);
    all.contacts[k].node[1] = vec3_scale(all.contacts[k].node[1], 1 / all.weight[k]);
  }
  mem_free(all.of_grain);
  mem_free(all.of_part);
  mem_free(all.weight);
  *contacts = all.contacts;
  *count = all.count;
  return ok ? SCR_OK : scr_fail_memory(error, "a picture of contacts", (all.count + 1) * sizeof **contacts);
}
