/* The search for contact candidates.
 *
 * A sphere with all the bonds that its packing gives an inner sphere is shielded by its neighbours and left out: only exposed spheres can
 * touch others. The list is good while nothing has moved further than half its skin. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "methods/bdem/state.h"

/* What a search needs at hand. */
typedef struct pair_search {
  bdem_state *state;
  double skin;
  const uint32_t *bond_first; /* [n + 1] bonds that begin at a sphere; they are sorted */
  size_t broken_next;         /* place in `broken`, which is sorted like the rows */
  size_t count;               /* pairs found */
} pair_search;

static bool shielded(const bdem_state *s, size_t i)
{
  const scr_specimen *specimen = &s->scene->specimens[s->grains[s->grain_of[i]].specimen];
  return s->live[i] >= (specimen->packing == SCR_PACKING_BODY_CENTRED ? 8u : 12u);
}

static bool bonded(const bdem_state *s, const uint32_t *bond_first, uint32_t i, uint32_t j)
{
  for (uint32_t b = bond_first[i]; b < bond_first[i + 1]; ++b)
    if (s->body.ends[b][1] == j) return true;
  return false;
}

/* Distance from which on i < j push each other. */
static double reach_of(pair_search *query, uint32_t i, uint32_t j)
{
  const bdem_state *s = query->state;
  size_t k = query->broken_next;
  while (k < s->broken_count && s->broken[k].i < i) ++k;
  query->broken_next = k;
  for (; k < s->broken_count && s->broken[k].i == i; ++k)
    if (s->broken[k].j == j) return s->broken[k].reach;
  return s->body.radius[i] + s->body.radius[j];
}

static bool consider(pair_search *query, uint32_t i, uint32_t j)
{
  bdem_state *s = query->state;
  const double *x = s->listed[0], *y = s->listed[1], *z = s->listed[2];
  double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i], square = dx * dx + dy * dy + dz * dz;
  double far = s->body.radius[i] + s->body.radius[j] + query->skin;
  if (!(square < far * far) || bonded(s, query->bond_first, i, j)) return true;
  double reach = reach_of(query, i, j);
  if (!(square < (reach + query->skin) * (reach + query->skin))) return true;
  void *grown = s->contacts.pairs;
  if (!mem_grow(&grown, &s->contacts.pair_capacity, query->count + 1, sizeof *s->contacts.pairs)) return false;
  s->contacts.pairs = grown;
  const bdem_substance *a = bdem_substance_of(s, i), *b = bdem_substance_of(s, j);
  s->contacts.pairs[query->count++] = (bdem_pair){i, j, reach, bdem_contact_stiffness(s->options, a, b),
                                                  (uint32_t)(a->material * (s->scene->material_count + 1) + b->material)};
  return true;
}

static int by_ends(const void *left, const void *right)
{
  const bdem_pair *a = left, *b = right;
  if (a->i != b->i) return a->i < b->i ? -1 : 1;
  return (a->j > b->j) - (a->j < b->j);
}

/* Pairs of sphere i with those of higher number in the cells around it. */
static bool search_row(pair_search *query, uint32_t i)
{
  const bdem_state *s = query->state;
  const geo_cells *cells = &s->cells;
  int32_t at[3];
  size_t begin = query->count;
  for (int a = 0; a < 3; ++a) at[a] = geo_cells_along(cells, a, s->listed[a][i]);
  for (int32_t cz = at[2] - 1; cz <= at[2] + 1; ++cz)
    for (int32_t cy = at[1] - 1; cy <= at[1] + 1; ++cy)
      for (int32_t cx = at[0] - 1; cx <= at[0] + 1; ++cx) {
        if (cx < 0 || cy < 0 || cz < 0 || cx >= cells->count[0] || cy >= cells->count[1] || cz >= cells->count[2]) continue;
        size_t cell = geo_cells_number(cells, cx, cy, cz);
        for (uint32_t k = cells->first[cell]; k < cells->first[cell + 1]; ++k)
          if (cells->item[k] > i && !consider(query, i, cells->item[k])) return false;
      }
  if (query->count > begin + 1) qsort(s->contacts.pairs + begin, query->count - begin, sizeof *s->contacts.pairs, by_ends);
  return true;
}

static scr_status search_pairs(bdem_state *s, double skin, scr_error *error)
{
  size_t n = s->body.sphere_count, exposed = 0;
  double widest = 0.0;
  for (size_t k = 0; k < s->scene->specimen_count; ++k) widest = fmax(widest, 2.0 * s->substances[k].radius);
  uint32_t *bond_first = mem_array(n + 1, sizeof *bond_first);
  if (!bond_first) return scr_fail_memory(error, "the contact search", n * sizeof *bond_first);
  for (size_t b = 0; b < s->body.bond_count; ++b) bond_first[s->body.ends[b][0] + 1]++;
  for (size_t i = 0; i < n; ++i) bond_first[i + 1] += bond_first[i];
  for (size_t i = 0; i < n; ++i)
    if (!shielded(s, i)) s->piece[exposed++] = (uint32_t)i;
  scr_status status = geo_cells_build(&s->cells, s->listed[0], s->listed[1], s->listed[2], s->piece, exposed, widest + skin, error);
  pair_search found = {.state = s, .skin = skin, .bond_first = bond_first};
  for (size_t k = 0; status == SCR_OK && k < exposed; ++k)
    if (!search_row(&found, s->piece[k])) status = scr_fail_memory(error, "the contact pairs", found.count * sizeof(bdem_pair));
  s->contacts.pair_count = status == SCR_OK ? found.count : 0;
  mem_free(bond_first);
  return status;
}

static scr_status search_touches(bdem_state *s, double skin, scr_error *error)
{
  bdem_contacts *contacts = &s->contacts;
  contacts->touch_count = 0;
  for (uint32_t part = 0; part < contacts->part_count; ++part)
    for (size_t i = 0; i < s->body.sphere_count; ++i) {
      scr_vec3 p = vec3(s->listed[0][i], s->listed[1][i], s->listed[2][i]);
      if (scr_part_is_far(&contacts->rig[part], s->part_listed[part], p, s->body.radius[i] + skin)) continue;
      if (!(scr_part_distance_at(&contacts->rig[part], s->part_listed[part], p).distance < s->body.radius[i] + skin)) continue;
      void *grown = contacts->touches;
      if (!mem_grow(&grown, &contacts->touch_capacity, contacts->touch_count + 1, sizeof *contacts->touches))
        return scr_fail_memory(error, "the contacts with the rig", contacts->touch_count * sizeof *contacts->touches);
      contacts->touches = grown;
      const bdem_substance *a = bdem_substance_of(s, i);
      contacts->touches[contacts->touch_count++] =
          (bdem_touch){(uint32_t)i, part, bdem_contact_stiffness(s->options, a, NULL),
                       (uint32_t)(a->material * (s->scene->material_count + 1) + s->scene->material_count)};
    }
  return SCR_OK;
}

scr_status bdem_contact_list(bdem_state *s, double skin, bool from_listed, scr_error *error)
{
  size_t before = s->contacts.pair_count, bytes = before * sizeof *s->contacts.pairs;
  bdem_pair *old = NULL;
  if ((s->optimizer || s->variational) && before) {
    old = mem_array(before, sizeof *old);
    if (!old) return scr_fail_memory(error, "the contact pairs", bytes);
    memcpy(old, s->contacts.pairs, bytes);
  }
  for (size_t i = 0; !from_listed && i < s->body.sphere_count; ++i) {
    s->listed[0][i] = s->body.position[i].x;
    s->listed[1][i] = s->body.position[i].y;
    s->listed[2][i] = s->body.position[i].z;
  }
  for (size_t p = 0; !from_listed && p < s->contacts.part_count; ++p) s->part_listed[p] = s->contacts.parts[p].position;
  s->list_skin = skin;
  s->list_stale = false;
  scr_status status = search_pairs(s, skin, error);
  if (status == SCR_OK) status = search_touches(s, skin, error);
  bool same = s->contacts.pair_count == before;
  for (size_t k = 0; same && old && k < before; ++k) same = by_ends(&old[k], &s->contacts.pairs[k]) == 0;
  if (!same) bdem_solver_drop(s);
  mem_free(old);
  return status;
}

double bdem_moved_since_listed(const bdem_state *s)
{
  double worst = 0.0;
#pragma omp parallel for schedule(static) num_threads(s->threads) reduction(max : worst)
  for (size_t i = 0; i < s->body.sphere_count; ++i) {
    scr_vec3 p = s->body.position[i];
    double dx = p.x - s->listed[0][i], dy = p.y - s->listed[1][i], dz = p.z - s->listed[2][i];
    worst = fmax(worst, dx * dx + dy * dy + dz * dz);
  }
  worst = sqrt(worst);
  for (size_t p = 0; p < s->contacts.part_count; ++p)
    worst = fmax(worst, vec3_length(vec3_sub(s->contacts.parts[p].position, s->part_listed[p])));
  return worst;
}

scr_status bdem_contact_update(bdem_state *s, double travel, scr_error *error)
{
  double widest = 0.0;
  if (!s->list_stale && bdem_moved_since_listed(s) + travel <= 0.5 * s->list_skin) return SCR_OK;
  for (size_t k = 0; k < s->scene->specimen_count; ++k) widest = fmax(widest, 2.0 * s->substances[k].radius);
  return bdem_contact_list(s, fmax(s->options->contact_skin * widest, 4.0 * travel), false, error);
}
