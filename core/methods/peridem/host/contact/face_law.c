/* The law between two nodes of bodies that meet by faces. */
#include "methods/peridem/host/contact/pair_faces.h"

#include <stdlib.h>

#include "base/memory.h"
#include "methods/peridem/host/ranks/ranks.h"
#include "contact/face_pairs.h"
#include "methods/peridem/host/contact/rig_faces.h"

static scr_vec3 at(const pd_vectors *v, size_t i)
{
  return vec3(v->x[i], v->y[i], v->z[i]);
}

/* Two nodes of different bodies, the first with the lower number: so both see the same bits. */
typedef struct couple {
  size_t i, j; /* nodes */
  const pd_body *bi, *bj;
  size_t a, b;  /* the nodes of their bodies */
  double width; /* m */
} couple;

static couple couple_of(const pd_state *s, size_t i, size_t j)
{
  const pd_grain *gi = &s->host->grains[s->host->grain_of[i]], *gj = &s->host->grains[s->host->grain_of[j]];
  const pd_body *bi = &s->bodies[gi->body], *bj = &s->bodies[gj->body];
  return (couple){i, j, bi, bj, i - gi->first, j - gj->first, 1.5 * fmax(bi->spacing, bj->spacing)};
}

/* How far a node's body reaches beyond it: half a spacing, and no farther than to its nearest face, also when that is torn off. Else nodes
 * close below their faces, as the lattice of an irregular grain has them, would lie deep in each other the moment their bodies break: 400
 * crushed grains got three times the work that was put in. */
static double reach_of(const pd_body *body, size_t node)
{
  double reach = 0.5 * body->spacing;
  for (size_t p = 0; p < body->face_count[node]; p++) reach = fmin(reach, body->face[node][p].depth);
  return reach;
}

/* Along the line between the nodes, from where their bodies reach to, or from where they started. */
static bool touch_centrally(const pd_state *s, const couple *c, double r, pd_pair *pair)
{
  const scr_vec3 none = vec3(0, 0, 0);
  double zero = reach_of(c->bi, c->a) + reach_of(c->bj, c->b);
  if (!(r < zero)) return false;
  zero = fmin(zero, pd_reference_distance(s, c->i, c->j));
  if (!(r < zero)) return false;
  pair->stiffness = 1 / (1 / pd_node_face_stiffness(c->bi, none) + 1 / pd_node_face_stiffness(c->bj, none));
  pair->force = pair->stiffness * (zero - r);
  pair->potential = 0.5 * pair->force * (zero - r);
  return true;
}

/* Bodies that touch at the start do so where they are: the gap's zero of a pair that began nearer, by the normals of the start, so that it
 * is the same however faces turn: else the law would have no potential. */
static double started(const pd_state *s, size_t i, size_t j, scr_vec3 n, double depths)
{
  scr_vec3 D = vec3_sub(at(&s->host->reference, j), at(&s->host->reference, i));
  double size = vec3_length(n), along = size > 0 ? vec3_dot(D, n) / size : 0;
  bool nearer = vec3_dot(D, D) < s->host->touch * s->host->touch && along > 0 && along < depths * (1 - GEO_LENGTH_SLACK);
  return nearer ? along : depths;
}

/* Force per overlap of faces p of i and q of j opposite each other, N/m. */
static double stiffness_of(const couple *c, size_t p, size_t q)
{
  double areas = c->bi->section[c->a][p].area * c->bj->section[c->b][q].area;
  return areas / (c->bi->section[c->a][p].softness + c->bj->section[c->b][q].softness) * 3 / (M_PI * c->width * c->width);
}

/* Pairs of faces that look at each other. @param straight whether the last looks straight on    @return how many */
static size_t looking(const pd_state *s, const couple *c, contact_face_pair pairs[CONTACT_FACE_PAIRS], bool *straight)
{
  const pd_facing *f = s->host->facing;
  size_t count = 0;
  for (size_t p = 0; p < f->count[c->i]; p++)
    for (size_t q = 0; q < f->count[c->j]; q++) {
      double cosine = -vec3_dot(f->normal[c->i][p], f->normal[c->j][q]);
      if (!(cosine > CONTACT_OPPOSED)) continue;
      *straight = cosine >= CONTACT_FACING;
      pairs[count++] = (contact_face_pair){.i = (unsigned char)p, .j = (unsigned char)q};
    }
  return count;
}

/* Completes the pairs. */
static void measure(const pd_state *s, const couple *c, contact_face_pair *pairs, size_t count)
{
  for (size_t k = 0; k < count; k++) {
    const geo_face *face_i = &c->bi->face[c->a][pairs[k].i], *face_j = &c->bj->face[c->b][pairs[k].j];
    pairs[k].depths = face_i->depth + face_j->depth;
    pairs[k].zero = started(s, c->i, c->j, vec3_sub(face_i->normal, face_j->normal), pairs[k].depths);
    pairs[k].stiffness = stiffness_of(c, pairs[k].i, pairs[k].j);
  }
}

/* One pair of faces that looks straight on, as nearly all do: contact_press_faces for it. */
static bool press_straight(const pd_state *s, const couple *c, const contact_face_pair *only, scr_vec3 d, bool second, pd_pair *pair)
{
  const pd_facing *f = s->host->facing;
  const geo_face *face_i = &c->bi->face[c->a][only->i], *face_j = &c->bj->face[c->b][only->j];
  scr_vec3 apart = vec3_sub(f->normal[c->i][only->i], f->normal[c->j][only->j]);
  double size = vec3_length(apart), depths = face_i->depth + face_j->depth;
  scr_vec3 n = vec3_scale(apart, 1 / size);
  double along = vec3_dot(d, n), share = 1 - fmax(0, vec3_dot(d, d) - along * along) / (c->width * c->width);
  if (!(along < depths) || !(share > 0)) return false;
  double overlap = started(s, c->i, c->j, vec3_sub(face_i->normal, face_j->normal), depths) - along;
  if (!(overlap > 0)) return false;
  double slope, ahead = contact_face_ahead(along, c->width / 3, &slope);
  if (!(ahead > 0)) return false;
  double K = stiffness_of(c, only->i, only->j), aside = 2 * K * share * ahead / (c->width * c->width) * overlap * overlap;
  double sign = second ? -1 : 1;
  pair->stiffness = K * share * share * ahead;
  pair->potential = 0.5 * pair->stiffness * overlap * overlap;
  double pressing = pair->stiffness * overlap - 0.5 * K * share * share * slope * overlap * overlap;
  pair->pressing = fmax(0, pressing);
  scr_vec3 across = vec3_sub(d, vec3_scale(n, along)), force = vec3_add(vec3_scale(n, pressing), vec3_scale(across, aside));
  pair->normal = vec3_scale(n, sign);
  pair->force = vec3_length(force);
  if (!(pair->force > 0)) return false;
  scr_vec3 toward = vec3_scale(force, sign / pair->force);
  pair->toward[0] = toward.x, pair->toward[1] = toward.y, pair->toward[2] = toward.z;
  for (size_t p = 0; p < GEO_FACES; p++) pair->push[p] = vec3(0, 0, 0);
  pair->push[second ? only->j : only->i] = vec3_scale(across, sign * (pressing - aside * along) / size);
  return pair->by_faces = true;
}

/* Sets what the pair is beside its central part, as the first or the second node sees it. */
static void set_pair(const contact_face_press *press, bool second, scr_vec3 force, pd_pair *pair)
{
  double sign = second ? -1 : 1;
  const scr_vec3 *push = second ? press->push_j : press->push_i;
  for (size_t p = 0; p < GEO_FACES; p++) pair->push[p] = push[p];
  pair->pressing = vec3_length(press->pressing);
  pair->normal = pair->pressing > 0 ? vec3_scale(press->pressing, sign / pair->pressing) : vec3(0, 0, 0);
  pair->force = vec3_length(force);
  scr_vec3 toward = pair->force > 0 ? vec3_scale(force, sign / pair->force) : pair->normal;
  pair->toward[0] = toward.x, pair->toward[1] = toward.y, pair->toward[2] = toward.z;
}

bool pd_pair_by_faces(const pd_state *s, size_t i, size_t j, const double offset[3], pd_pair *pair)
{
  const pd_facing *f = s->host->facing;
  const bool second = i > j;
  const couple c = second ? couple_of(s, j, i) : couple_of(s, i, j);
  const scr_vec3 d = vec3_scale(vec3(offset[0], offset[1], offset[2]), second ? -1 : 1);
  contact_face_pair pairs[CONTACT_FACE_PAIRS];
  contact_face_press press;
  bool straight = false;
  size_t count = looking(s, &c, pairs, &straight);
  pair->turns = f->count[i] && f->count[j];
  if (count == 1 && straight) return press_straight(s, &c, pairs, d, second, pair);
  double r = vec3_length(d);
  pair->force = pair->stiffness = pair->potential = 0;
  bool near = touch_centrally(s, &c, r, pair);
  measure(s, &c, pairs, count);
  if (count == 0 || !contact_press_faces(d, f->normal[c.i], f->normal[c.j], pairs, count, c.width, pair->potential, &press)) {
    for (int k = 0; k < 3; k++) pair->toward[k] = offset[k] / r;
    return near;
  }
  double rest = 1 - press.share;
  scr_vec3 force = vec3_add(press.force, vec3_scale(d, rest * pair->force / r));
  pair->stiffness = press.stiffness + rest * pair->stiffness;
  pair->potential = press.energy + rest * pair->potential;
  if (!(pair->potential > 0)) return false;
  pair->by_faces = true;
  set_pair(&press, second, force, pair);
  return true;
}

/* ── torn nodes ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* What a pair loses as node `near` loses its faces. */
typedef struct torn_pair {
  pd_torn_bond bond;
  double energy; /* J */
} torn_pair;

typedef struct torn_list {
  torn_pair *pair;
  size_t count, capacity;
} torn_list;

/* Energy; and the pair's force goes to those of broken bonds, half of which acts once more. @return false without memory */
static bool tear_pair(pd_state *s, size_t i, size_t j, torn_list *list)
{
  pd_host *h = s->host;
  pd_pair was, now;
  unsigned char *count = &h->facing->count[i], faces = *count;
  bool touched = pd_pair_touches(s, i, j, &was);
  *count = 0;
  bool touches = pd_pair_touches(s, i, j, &now);
  *count = faces;
  if (!touched && !touches) return true;
  if (!mem_grow(&list->pair, &list->capacity, list->count + 1, sizeof *list->pair)) return false;
  torn_pair *torn = &list->pair[list->count++];
  *torn = (torn_pair){.bond = {.near = (uint32_t)i, .far = (uint32_t)j},
                      .energy = (touched ? was.potential : 0) - (touches ? now.potential : 0)};
  for (int a = 0; a < 3; a++) torn->bond.force[a] = (touches ? now.force * now.toward[a] : 0) - (touched ? was.force * was.toward[a] : 0);
  return true;
}

/* All pairs of a node whose faces go now. */
static bool tear_node(pd_state *s, size_t i, torn_list *list)
{
  pd_host *h = s->host;
  bool enough = true;
  for (uint32_t k = h->near.first[i]; k < h->near.first[i + 1] && enough; k++)
    if (!(h->near.other[k] & PD_BONDED) && h->grain_of[h->near.other[k]] != h->grain_of[i])
      enough = tear_pair(s, i, h->near.other[k], list);
  return enough;
}

/* Own nodes with faces that have lost bonds. @return their number, SIZE_MAX without memory */
static size_t find_torn(const pd_state *s, uint32_t **nodes)
{
  const pd_host *h = s->host;
  size_t count = 0, capacity = 0;
  *nodes = NULL;
  for (size_t i = 0; i < s->node_count; i++) {
    const pd_grain *grain = &h->grains[h->grain_of[i]];
    if (!h->facing->count[i] || !pd_is_own(h, i) || !pd_node_is_torn(grain->bonds, i - grain->first)) continue;
    if (!mem_grow(nodes, &capacity, count + 1, sizeof **nodes)) return SIZE_MAX;
    (*nodes)[count++] = (uint32_t)i;
  }
  return count;
}

static int by_number(const void *a, const void *b)
{
  uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
  return p < q ? -1 : p > q;
}

static int by_near(const void *a, const void *b)
{
  const torn_pair *p = a, *q = b;
  if (p->bond.near != q->bond.near) return p->bond.near < q->bond.near ? -1 : 1;
  return p->bond.far < q->bond.far ? -1 : p->bond.far > q->bond.far;
}

/* Nodes one after the other: pairs of those torn before have lost the faces of one end. All ranks go through all nodes, each with its rows.
 * @return false without memory */
static bool tear_all(pd_state *s, uint32_t *mine, size_t count, torn_list *list)
{
  const pd_host *h = s->host;
  uint32_t *all = mine;
  bool enough = true;
  if (h->ranks->team) {
    count = pd_ranks_join(s, mine, count, sizeof *mine, (void **)&all);
    qsort(all, count, sizeof *all, by_number);
  }
  for (size_t k = 0; k < count && enough; k++) {
    if (pd_is_own(h, all[k])) enough = tear_node(s, all[k], list);
    h->facing->count[all[k]] = 0;
  }
  if (all != mine) mem_free(all);
  if (!h->ranks->team) return enough;
  torn_pair *joined = NULL;
  size_t pairs = pd_ranks_join(s, list->pair, list->count, sizeof *joined, (void **)&joined);
  qsort(joined, pairs, sizeof *joined, by_near);
  mem_free(list->pair);
  *list = (torn_list){joined, pairs, pairs};
  return enough;
}

scr_status pd_facing_tear(pd_state *s, double *fracture, scr_error *error)
{
  pd_host *h = s->host;
  torn_list list = {NULL, 0, 0};
  uint32_t *mine = NULL;
  if (!h->facing) return SCR_OK;
  size_t count = find_torn(s, &mine);
  bool enough = count != SIZE_MAX && tear_all(s, mine, count, &list);
  enough = enough && mem_grow(&h->torn_bonds, &h->torn_bond_capacity, h->torn_bond_count + list.count, sizeof *h->torn_bonds);
  for (size_t k = 0; k < list.count && enough; k++) {
    *fracture += list.pair[k].energy;
    h->torn_bonds[h->torn_bond_count++] = list.pair[k].bond;
  }
  mem_free(mine), mem_free(list.pair);
  return enough ? SCR_OK : scr_fail_memory(error, "the bonds that broke", (h->torn_bond_count + list.count) * sizeof *h->torn_bonds);
}
