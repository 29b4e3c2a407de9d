/* The search for contact candidates.
 *
 * A sphere that its bonded neighbours enclose is left out: nothing reaches it without touching a neighbour too. A sphere of radius rho
 * touches it alone only where its centre is R + rho away and nearer to it than to any neighbour, so within the cell of the planes midway to
 * them:
 *
 *     o     o        the cell's farthest corner is   sqrt(2) R in the close packing, twelve neighbours
 *       \ /                                          sqrt(3) R in the body-centred one, eight
 *   o -- S -- o
 *       / \          farthest corner <= R + rho: enclosed
 *     o     o
 *
 * Equal spheres, whose R + rho is 2 R, can't get at an inner one; spheres below 0.41 R can, through the squares of the close packing. Where
 * bonds are stretched, the corner lies as much further out.
 *
 * A sphere that is pressed into a body may come to lie in an inner one all the same, where it is deep in the neighbours of that. When the
 * inner sphere loses a bond their contact begins where they are (`exposed`), or a force would come from nowhere.
 *
 * The list is good while nothing has moved further than half its skin. Bonds that break in the meantime only add to it: their pairs, and
 * the neighbours of spheres that they enclose no more. The list is then the one that a search at the same places would find. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "methods/bdem/contact/friction.h"
#include "methods/bdem/contact/touch_face.h"

enum { ADDED_LIMIT = 256 }; /* spheres that are enclosed no more, each compared with each: from so many on a new search is cheaper */

/* What a search needs at hand. */
typedef struct pair_search {
  const bdem_listing *state;
  double skin;
  bdem_pair *pairs; /* [count] found so far */
  size_t count, capacity;
  const bdem_pair *before; /* [before_count] of the last list, where faces meet: sorted */
  size_t before_count;
} pair_search;

/* Bonds of an inner sphere, and the farthest corner of its cell over R, by packing. No two cells of a random packing are alike: it has
 * none. */
static const struct {
  uint32_t bonds;
  double corner;
} cells[] = {[BDEM_PACKING_HEXAGONAL_CLOSE] = {12, 1.4142135623730951},
             [BDEM_PACKING_BODY_CENTRED] = {8, 1.7320508075688772},
             [BDEM_PACKING_RANDOM_CLOSE] = {UINT32_MAX, (double)INFINITY}};

/* Between two searches bonds may stretch by so much more. */
static const double further_stretch = 1.05;

uint32_t bdem_enclosing_bonds(int packing, double stretch, double radius, double smallest)
{
  return cells[packing].corner * radius * stretch * further_stretch <= radius + smallest ? cells[packing].bonds : 0;
}

/* Whether its neighbours keep all spheres of the scene off sphere i. */
static bool enclosed(const bdem_listing *s, size_t i)
{
  int packing = bdem_substance_of(s->model, i)->packing;
  uint32_t bonds = bdem_enclosing_bonds(packing, s->list->stretch, s->body->radius[i], s->model->smallest_radius);
  if (s->model->facing_reach > 0.0 && bdem_has_faces(s->model, i)) return false;
  return bonds > 0 && s->fracture->live[i] >= bonds;
}

/* Largest length over rest length of a bond where the spheres are listed; 0 without bonds. */
static void largest_square_stretch(const void *user, size_t begin, size_t end, double *largest)
{
  const bdem_listing *s = user;
  const bdem_body *body = s->body;
  const double *x = s->list->position[0], *y = s->list->position[1], *z = s->list->position[2];
  for (size_t b = begin; b < end; ++b) {
    uint32_t i = body->ends[b][0], j = body->ends[b][1];
    double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i], square = dx * dx + dy * dy + dz * dz;
    double rest = body->bonds[b].length;
    if (!s->fracture->removed[b] && square > *largest * (rest * rest)) *largest = square / (rest * rest);
  }
}

static double largest_stretch(const bdem_listing *s)
{
  double largest = 0.0;
  execution_largest(s->model->execution, s->body->bond_count, 1, largest_square_stretch, s, &largest);
  return sqrt(largest);
}

static int compare_ends(uint32_t i, uint32_t j, uint32_t k, uint32_t l)
{
  if (i != k) return i < k ? -1 : 1;
  return (j > l) - (j < l);
}

/* Distance from which on i < j push each other; 0 while a bond joins them. Broken pairs are sorted. */
static double reach_of(const bdem_listing *s, uint32_t i, uint32_t j)
{
  double touching = s->body->radius[i] + s->body->radius[j];
  if (bdem_joined_at_start(s->model, i, j)) return bdem_reach_among(s->fracture->broken, s->fracture->broken_count, i, j, 0.0);
  double otherwise = bdem_reach_among(s->initial->pairs, s->initial->pair_count, i, j, touching);
  return bdem_reach_among(s->contacts->exposed, s->contacts->exposed_count, i, j, otherwise);
}

static int by_ends(const void *left, const void *right)
{
  const bdem_pair *a = left, *b = right;
  return compare_ends(a->i, a->j, b->i, b->j);
}

/* Lists i < j if they can touch and no bond joins them. */
static bool consider(pair_search *query, uint32_t i, uint32_t j)
{
  const bdem_listing *s = query->state;
  const double *x = s->list->position[0], *y = s->list->position[1], *z = s->list->position[2];
  double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i], square = dx * dx + dy * dy + dz * dz;
  bool apart = s->model->facing_reach > 0.0 && s->model->grain_of[i] != s->model->grain_of[j];
  double faces = apart ? bdem_faces_reach(s->model, i, j) : 0.0, far = fmax(s->body->radius[i] + s->body->radius[j], faces) + query->skin;
  if (!(square < far * far)) return true;
  double reach = reach_of(s, i, j), wide = fmax(reach, faces) + query->skin;
  if (!(reach > 0.0) || !(square < wide * wide)) return true;
  if (!mem_grow(&query->pairs, &query->capacity, query->count + 1, sizeof *query->pairs)) return false;
  const bdem_substance *a = bdem_substance_of(s->model, i), *b = bdem_substance_of(s->model, j);
  query->pairs[query->count++] = (bdem_pair){.i = i,
                                             .j = j,
                                             .reach = reach,
                                             .stiffness = bdem_contact_stiffness(s->model->options, a, b),
                                             .shear = BDEM_TANGENTIAL_RATIO,
                                             .law = (uint32_t)(a->material * (s->model->scene->material_count + 1) + b->material)};
  bdem_pair *pair = &query->pairs[query->count - 1];
  if (faces > 0.0) /* with the same pair in the last list, NULL: it was not listed */
    bdem_pair_choose_faces(s, query->before ? bsearch(pair, query->before, query->before_count, sizeof *pair, by_ends) : NULL, pair);
  return true;
}

/* Pairs of sphere i with those of higher number around it. `far`: beyond it none touch; scratch holds the items' places. */
static bool search_row(pair_search *query, uint32_t i, double far)
{
  const bdem_listing *s = query->state;
  const double *x = s->scratch->real[0], *y = s->scratch->real[1], *z = s->scratch->real[2];
  double xi = s->list->position[0][i], yi = s->list->position[1][i], zi = s->list->position[2][i];
  size_t begin = query->count;
  uint32_t run[9][2];
  int runs = geo_cells_around(&s->list->cells, s->list->position[0][i], s->list->position[1][i], s->list->position[2][i], run);
  for (int r = 0; r < runs; ++r)
    for (uint32_t k = run[r][0]; k < run[r][1]; ++k) {
      double dx = x[k] - xi, dy = y[k] - yi, dz = z[k] - zi;
      if (dx * dx + dy * dy + dz * dz < far * far && s->list->cells.item[k] > i && !consider(query, i, s->list->cells.item[k]))
        return false;
    }
  if (query->count > begin + 1) qsort(query->pairs + begin, query->count - begin, sizeof *query->pairs, by_ends);
  return true;
}

static double widest_sphere(const bdem_listing *s)
{
  double widest = 0.0;
  for (size_t k = 0; k < s->model->scene->specimen_count; ++k) widest = fmax(widest, 2.0 * s->model->substances[k].radius);
  return widest;
}

enum { PIECES = 64 /* in which spheres are searched, whatever the threads */ };

/* The spheres to be searched, ascending, in s->scratch->index. @return how many */
static size_t list_searched(const bdem_listing *s)
{
  size_t searched = 0;
#pragma omp parallel for schedule(static) num_threads(s->model->execution.threads)
  for (size_t i = 0; i < s->body->sphere_count; ++i) s->list->searched[i] = !enclosed(s, i);
  for (size_t i = 0; i < s->body->sphere_count; ++i)
    if (s->list->searched[i]) s->scratch->index[searched++] = (uint32_t)i;
  s->list->added_count = 0;
  return searched;
}

/* One piece after the other: the list is that of a search in one go. */
static scr_status join_pieces(bdem_contacts *contacts, const pair_search *piece, scr_error *error)
{
  size_t count = 0, at = 0;
  for (size_t p = 0; p < PIECES; ++p) count += piece[p].count;
  if (!mem_grow(&contacts->pairs, &contacts->pair_capacity, count, sizeof *contacts->pairs))
    return scr_fail_memory(error, "the contact pairs", count * sizeof(bdem_pair));
  for (size_t p = 0; p < PIECES; ++p) {
    if (piece[p].count > 0) memcpy(contacts->pairs + at, piece[p].pairs, piece[p].count * sizeof *contacts->pairs);
    at += piece[p].count;
  }
  contacts->pair_count = count;
  return SCR_OK;
}

static scr_status search_pairs(const bdem_listing *s, double skin, const bdem_pair *before, size_t before_count, scr_error *error)
{
  double far = fmax(widest_sphere(s), s->model->facing_reach) + skin, beyond = far * (1 + 1e-12);
  size_t searched = list_searched(s), length = searched / PIECES + 1;
  pair_search piece[PIECES];
  int failed = 0;
  s->contacts->pair_count = 0;
  SCR_TRY(geo_cells_build(&s->list->cells, (const double *[]){s->list->position[0], s->list->position[1], s->list->position[2]},
                          s->scratch->index, searched, far, s->model->execution, error));
#pragma omp parallel num_threads(s->model->execution.threads)
  {
#pragma omp for schedule(static)
    for (size_t k = 0; k < searched; ++k)
      for (int a = 0; a < 3; ++a) s->scratch->real[a][k] = s->list->position[a][s->list->cells.item[k]];
#pragma omp for schedule(dynamic) reduction(| : failed)
    for (size_t p = 0; p < PIECES; ++p) {
      size_t end = searched < (p + 1) * length ? searched : (p + 1) * length;
      piece[p] = (pair_search){.state = s, .skin = skin, .before = before, .before_count = before_count};
      for (size_t k = p * length; k < end && !failed; ++k) failed |= !search_row(&piece[p], s->scratch->index[k], beyond);
    }
  }
  scr_status status =
      failed ? scr_fail_memory(error, "the contact pairs", searched * sizeof(bdem_pair)) : join_pieces(s->contacts, piece, error);
  for (size_t p = 0; p < PIECES; ++p) mem_free(piece[p].pairs);
  return status;
}

/* A sphere that is enclosed no more: with all that are searched, those that were when the list was made and those since. */
static bool search_added(pair_search *query, uint32_t i)
{
  const bdem_listing *s = query->state;
  uint32_t run[9][2];
  int runs = geo_cells_around(&s->list->cells, s->list->position[0][i], s->list->position[1][i], s->list->position[2][i], run);
  for (int r = 0; r < runs; ++r)
    for (uint32_t k = run[r][0]; k < run[r][1]; ++k) {
      uint32_t j = s->list->cells.item[k];
      if (!consider(query, i < j ? i : j, i < j ? j : i)) return false;
    }
  for (size_t k = 0; k < s->list->added_count; ++k) {
    uint32_t j = s->list->added[k];
    if (j != i && !consider(query, i < j ? i : j, i < j ? j : i)) return false;
  }
  return true;
}

static void add_searched(const bdem_listing *s, uint32_t i)
{
  if (s->list->searched[i] || enclosed(s, i) || s->list->added_count == ADDED_LIMIT) return;
  s->list->searched[i] = 1;
  s->list->added[s->list->added_count++] = i;
}

/* Broken pairs that are not among the first `listed` ones, and the spheres that they enclose no more. */
static bool search_broken(pair_search *query, size_t listed)
{
  const bdem_listing *s = query->state;
  for (size_t k = 0, at = 0; k < s->fracture->broken_count; ++k) {
    const bdem_pair_reach *pair = &s->fracture->broken[k];
    while (at < listed && compare_ends(query->pairs[at].i, query->pairs[at].j, pair->i, pair->j) < 0) ++at;
    if (at < listed && query->pairs[at].i == pair->i && query->pairs[at].j == pair->j) continue;
    add_searched(s, pair->i);
    add_searched(s, pair->j);
    if (s->list->searched[pair->i] && s->list->searched[pair->j] && !consider(query, pair->i, pair->j)) return false;
  }
  return true;
}

/* Puts the pairs found after the first `listed` ones in their places, each once. */
static scr_status merge_pairs(const bdem_listing *s, size_t listed, size_t count, scr_error *error)
{
  size_t added = 0, from = listed;
  bdem_pair *pairs = s->contacts->pairs, *tail = mem_array(count - listed, sizeof *tail);
  if (!tail) return scr_fail_memory(error, "the contact pairs", (count - listed) * sizeof *tail);
  memcpy(tail, pairs + listed, (count - listed) * sizeof *tail);
  qsort(tail, count - listed, sizeof *tail, by_ends);
  for (size_t k = 0; k < count - listed; ++k)
    if (added == 0 || by_ends(&tail[added - 1], &tail[k]) != 0) tail[added++] = tail[k];
  s->contacts->pair_count = listed + added;
  for (size_t to = listed + added; added > 0; --to) {
    bool old = from > 0 && by_ends(&pairs[from - 1], &tail[added - 1]) > 0;
    pairs[to - 1] = old ? pairs[--from] : tail[--added];
  }
  mem_free(tail);
  return SCR_OK;
}

static int by_spheres(const void *left, const void *right)
{
  const bdem_pair_reach *a = left, *b = right;
  return compare_ends(a->i, a->j, b->i, b->j);
}

/* Spheres that press where they are listed for the first time, though nothing has gone past the last list's slack: their contact begins
 * here. Not bonds that broke, which know where they do, and not faces (touch_face.h).
 * @param before [before_count] of the last list, sorted; NULL: none */
static scr_status begin_exposed(const bdem_listing *s, bdem_pair *pairs, size_t count, const bdem_pair *before, size_t before_count,
                                scr_error *error)
{
  bdem_contacts *contacts = s->contacts;
  size_t known = contacts->exposed_count;
  scr_vec3 normal;
  for (size_t k = 0; k < count; ++k) {
    bdem_pair *pair = &pairs[k];
    double overlap = pair->face_i ? 0.0 : bdem_pair_overlap(pair, s->body, &normal);
    if (!(overlap > 0.0) || bdem_joined_at_start(s->model, pair->i, pair->j)) continue;
    if (before && bsearch(pair, before, before_count, sizeof *pair, by_ends)) continue;
    pair->reach = fmax(0.0, pair->reach - overlap);
    if (k > 0 && by_ends(&pairs[k - 1], pair) == 0) continue; /* found from both sides */
    SCR_TRY(mem_reserve(&contacts->exposed, &contacts->exposed_capacity, contacts->exposed_count + 1, sizeof *contacts->exposed,
                        "the contacts of inner spheres", error));
    contacts->exposed[contacts->exposed_count++] = (bdem_pair_reach){pair->i, pair->j, pair->reach};
  }
  if (contacts->exposed_count > known) qsort(contacts->exposed, contacts->exposed_count, sizeof *contacts->exposed, by_spheres);
  return SCR_OK;
}

/* Adds what bonds broken since the list was made have brought. */
static scr_status add_broken(const bdem_listing *s, scr_error *error)
{
  size_t listed = s->contacts->pair_count, added = s->list->added_count;
  pair_search found = {
      .state = s, .skin = s->list->skin, .pairs = s->contacts->pairs, .count = listed, .capacity = s->contacts->pair_capacity};
  bool ok = search_broken(&found, listed), many = s->list->added_count == ADDED_LIMIT;
  for (size_t k = added; ok && !many && k < s->list->added_count; ++k) ok = search_added(&found, s->list->added[k]);
  s->contacts->pairs = found.pairs;
  s->contacts->pair_capacity = found.capacity;
  if (ok && many) return bdem_contact_list(s, s->list->skin, true, error);
  s->list->broken_count = s->fracture->broken_count;
  s->list->changed = true;
  if (!ok) return scr_fail_memory(error, "the contact pairs", found.count * sizeof(bdem_pair));
  if (found.count == listed) return SCR_OK;
  qsort(found.pairs + listed, found.count - listed, sizeof *found.pairs, by_ends);
  SCR_TRY(begin_exposed(s, found.pairs + listed, found.count - listed, NULL, 0, error));
  SCR_TRY(merge_pairs(s, listed, found.count, error));
  return bdem_contacts_index(s->contacts, s->body->sphere_count, error);
}

/* Whether sphere i may touch a part before the list is made anew. */
static bool near_part(const bdem_listing *s, size_t part, size_t i, double skin)
{
  const scr_part *rig = &s->contacts->rig[part];
  scr_vec3 p = vec3(s->list->position[0][i], s->list->position[1][i], s->list->position[2][i]);
  double near = bdem_farthest_reach(s->model, i, s->body->radius[i], rig->kind) + skin;
  return !scr_part_is_far_posed(rig, &s->list->part[part].pose, p, near) &&
         scr_part_distance_posed(rig, &s->list->part[part].pose, p).distance < near;
}

/* Where the touches of a part that are listed anew were among those listed before. */
typedef struct touch_history {
  bdem_touch *touch; /* [count] by part, then sphere */
  size_t count, at;
} touch_history;

/* The same touch as before, NULL: there was none. Asked for in their order. */
static const bdem_touch *touch_before(touch_history *history, const bdem_touch *touch)
{
  while (history->at < history->count &&
         compare_ends(history->touch[history->at].part, history->touch[history->at].sphere, touch->part, touch->sphere) < 0)
    ++history->at;
  if (history->at == history->count) return NULL;
  const bdem_touch *before = &history->touch[history->at];
  return before->part == touch->part && before->sphere == touch->sphere ? before : NULL;
}

typedef struct touch_search {
  const bdem_listing *listing;
  uint32_t part;
  double skin;
} touch_search;

/* Marks and counts the spheres that are near a part. */
static void mark_near(const void *user, size_t begin, size_t end, double *count)
{
  const touch_search *of = user;
  const bdem_listing *s = of->listing;
  for (size_t i = begin; i < end; ++i) *count += s->scratch->index[i] = near_part(s, of->part, i, of->skin);
}

static scr_status search_touches(const bdem_listing *s, double skin, touch_history *history, scr_error *error)
{
  bdem_contacts *contacts = s->contacts;
  bool faces = bdem_uses_face_contact(s->model);
  contacts->touch_count = contacts->touch_first[0] = 0;
  for (uint32_t part = 0; part < contacts->part_count; ++part) {
    const touch_search of = {s, part, skin};
    size_t count = execution_count(s->model->execution, s->body->sphere_count, mark_near, &of);
    if (!mem_grow(&contacts->touches, &contacts->touch_capacity, contacts->touch_count + count, sizeof *contacts->touches) ||
        !mem_grow(&contacts->touch_effects, &contacts->touch_effect_capacity, contacts->touch_count + count,
                  sizeof *contacts->touch_effects))
      return scr_fail_memory(error, "the contacts with the rig", (contacts->touch_count + count) * sizeof *contacts->touches);
    for (size_t i = 0; count > 0 && i < s->body->sphere_count; ++i) {
      const bdem_substance *a = bdem_substance_of(s->model, i);
      if (!s->scratch->index[i]) continue;
      contacts->touches[contacts->touch_count++] =
          (bdem_touch){.sphere = (uint32_t)i,
                       .part = part,
                       .reach = bdem_reach_among(s->initial->touches, s->initial->touch_count, part, (uint32_t)i, s->body->radius[i]),
                       .stiffness = bdem_contact_stiffness(s->model->options, a, NULL),
                       .shear = BDEM_TANGENTIAL_RATIO,
                       .law = (uint32_t)(a->material * (s->model->scene->material_count + 1) + s->model->scene->material_count)};
      bdem_touch *touch = &contacts->touches[contacts->touch_count - 1];
      if (faces) bdem_touch_choose_face(s, touch_before(history, touch), touch);
    }
    contacts->touch_first[part + 1] = contacts->touch_count;
  }
  return SCR_OK;
}

/* The touches listed so far, where what they do depends on it. */
static scr_status keep_touches(const bdem_listing *s, touch_history *history, scr_error *error)
{
  const bdem_contacts *contacts = s->contacts;
  if (!bdem_uses_face_contact(s->model) || contacts->touch_count == 0) return SCR_OK;
  SCR_TRY(mem_allocate(&history->touch, contacts->touch_count, sizeof *history->touch, "the contacts with the rig", error));
  memcpy(history->touch, contacts->touches, contacts->touch_count * sizeof *history->touch);
  history->count = contacts->touch_count;
  return SCR_OK;
}

scr_status bdem_contact_list(const bdem_listing *listing, double skin, bool from_listed, scr_error *error)
{
  bdem_listing own = *listing;
  const bdem_listing *s = &own;
  SCR_TRY(bdem_friction_unlist(s->contacts, error));
  size_t before = s->contacts->pair_count, bytes = before * sizeof *s->contacts->pairs;
  bdem_pair *old = NULL;
  bool compares = !s->list->changed && before;
  own.first = !(s->list->skin > 0.0);
  if (before) {
    old = mem_array(before, sizeof *old);
    if (!old) return scr_fail_memory(error, "the contact pairs", bytes);
    memcpy(old, s->contacts->pairs, bytes);
  }
#pragma omp parallel for schedule(static) num_threads(s->model->execution.threads) if (!from_listed)
  for (size_t i = 0; i < (from_listed ? 0 : s->body->sphere_count); ++i) {
    s->list->position[0][i] = s->body->position[i].x;
    s->list->position[1][i] = s->body->position[i].y;
    s->list->position[2][i] = s->body->position[i].z;
  }
  for (size_t p = 0; !from_listed && p < s->contacts->part_count; ++p) s->list->part[p] = s->contacts->parts[p];
  if (!from_listed) s->list->stretch = largest_stretch(s);
  s->list->skin = skin;
  s->list->changed = s->list->changed || s->list->broken_count != s->fracture->broken_count;
  s->list->broken_count = s->fracture->broken_count;
  touch_history history = {0};
  bool faces = s->model->facing_reach > 0.0;
  scr_status status = search_pairs(s, skin, faces ? old : NULL, faces ? before : 0, error);
  if (status == SCR_OK && !own.first && (before || !from_listed)) /* not of a checkpoint, whose last list is not known */
    status = begin_exposed(s, s->contacts->pairs, s->contacts->pair_count, old, before, error);
  if (status == SCR_OK) status = keep_touches(s, &history, error);
  if (status == SCR_OK) status = search_touches(s, skin, &history, error);
  mem_free(history.touch);
  if (status == SCR_OK) status = bdem_contacts_index(s->contacts, s->body->sphere_count, error);
  if (status == SCR_OK) bdem_friction_relist(s->contacts);
  bool same = s->contacts->pair_count == before;
  for (size_t k = 0; same && compares && k < before; ++k) same = by_ends(&old[k], &s->contacts->pairs[k]) == 0;
  mem_free(old);
  s->list->changed = s->list->changed || !same;
  return status;
}

double bdem_rig_moved_since_listed(const bdem_neighbour_list *list, const bdem_body *body, const bdem_contacts *contacts,
                                   const bdem_rig *rig)
{
  double worst = 0.0;
  for (size_t k = 0; k < rig->grips.count; ++k) {
    size_t i = rig->grips.held[k].element;
    scr_vec3 listed = vec3(list->position[0][i], list->position[1][i], list->position[2][i]);
    worst = fmax(worst, vec3_length(vec3_sub(body->position[i], listed)));
  }
  for (size_t p = 0; p < contacts->part_count; ++p) worst = fmax(worst, bdem_part_travel(contacts, body, p, &list->part[p]));
  return worst;
}

typedef struct moved_terms {
  const bdem_neighbour_list *list;
  const bdem_body *body;
} moved_terms;

static void largest_square_displacement(const void *user, size_t begin, size_t end, double *worst)
{
  const moved_terms *of = user;
  const double *x = of->list->position[0], *y = of->list->position[1], *z = of->list->position[2];
  for (size_t i = begin; i < end; ++i) {
    scr_vec3 p = of->body->position[i];
    double dx = p.x - x[i], dy = p.y - y[i], dz = p.z - z[i];
    *worst = fmax(*worst, dx * dx + dy * dy + dz * dz);
  }
}

double bdem_moved_since_listed(const bdem_neighbour_list *list, const bdem_body *body, const bdem_contacts *contacts, const bdem_rig *rig)
{
  const moved_terms of = {list, body};
  double worst = 0.0;
  execution_largest(contacts->execution, body->sphere_count, 1, largest_square_displacement, &of, &worst);
  return fmax(sqrt(worst), bdem_rig_moved_since_listed(list, body, contacts, rig));
}

scr_status bdem_contact_follow(const bdem_listing *listing, double moved, double travel, scr_error *error)
{
  double widest = widest_sphere(listing), slack = travel <= 2.0 * widest ? 4.0 : 2.2; /* long ways: candidates grow with the square of it */
  double skin = fmax(listing->model->options->contact_skin * widest, slack * travel);
  /* faces of two bodies are chosen when they are listed: in short steps after a long one, not from far off */
  bool far_off = listing->model->facing_reach > 0.0 && listing->list->skin > 2.0 * skin;
  if (listing->list->skin > 0 && moved + travel <= 0.5 * listing->list->skin && !far_off)
    return listing->list->broken_count != listing->fracture->broken_count ? add_broken(listing, error) : SCR_OK;
  return bdem_contact_list(listing, skin, false, error);
}

scr_status bdem_contact_update(const bdem_listing *listing, double travel, scr_error *error)
{
  return bdem_contact_follow(listing, bdem_moved_since_listed(listing->list, listing->body, listing->contacts, listing->rig), travel,
                             error);
}
