/* Candidates for contact between nodes.
 *
 * Every node keeps a row of candidates nearer than Rc + skin; rows are made anew when a node has moved by half the skin. A pair stands in
 * both rows. */
#include "methods/peridem/state.h"

#include <string.h>

#include "base/memory.h"

/* Whether j belongs into i's row now, and how. */
static bool candidate(const pd_state *s, size_t i, size_t j, double reach_squared, uint32_t *entry)
{
  if (i == j) return false;
  double dx = s->listed.x[j] - s->listed.x[i], dy = s->listed.y[j] - s->listed.y[i], dz = s->listed.z[j] - s->listed.z[i];
  if (!(dx * dx + dy * dy + dz * dz < reach_squared)) return false;
  *entry = (uint32_t)j;
  if (s->grain_of[i] != s->grain_of[j]) return true;
  if (!s->options->self_contact) return false;
  const pd_grain *grain = &s->grains[s->grain_of[i]];
  if (!pd_bonded(grain, i, j)) return true;
  *entry |= PD_BONDED;
  return grain->bonds == &grain->own; /* bonds of an unbroken grain: its first break makes the list stale */
}

/* Walks node i's surroundings; writes its row when `row` is given. Returns the row's length. */
static size_t scan_row(const pd_state *s, size_t i, double reach_squared, uint32_t *row)
{
  const geo_cells *cells = &s->cells;
  int32_t at[3] = {geo_cells_along(cells, 0, s->listed.x[i]), geo_cells_along(cells, 1, s->listed.y[i]),
                   geo_cells_along(cells, 2, s->listed.z[i])};
  size_t length = 0;
  for (int32_t cz = at[2] - 1; cz <= at[2] + 1; cz++)
    for (int32_t cy = at[1] - 1; cy <= at[1] + 1; cy++)
      for (int32_t cx = at[0] - 1; cx <= at[0] + 1; cx++) {
        if (cx < 0 || cy < 0 || cz < 0 || cx >= cells->count[0] || cy >= cells->count[1] || cz >= cells->count[2]) continue;
        size_t cell = geo_cells_number(cells, cx, cy, cz);
        for (uint32_t k = cells->first[cell]; k < cells->first[cell + 1]; k++) {
          uint32_t entry;
          if (!candidate(s, i, cells->item[k], reach_squared, &entry)) continue;
          if (row) row[length] = entry;
          length++;
        }
      }
  return length;
}

/* Makes the rows from the positions in `listed`. */
static scr_status make_rows(pd_state *s, scr_error *error)
{
  double reach = s->contact_radius * (1 + s->options->contact_skin);
  size_t n = s->node_count, total = 0;
  SCR_TRY(geo_cells_build(&s->cells, s->listed.x, s->listed.y, s->listed.z, s->all_nodes, n, reach, error));
#pragma omp parallel for schedule(static, 64) num_threads(s->threads)
  for (size_t i = 0; i < n; i++) s->pair_first[i + 1] = (uint32_t)scan_row(s, i, reach * reach, NULL);
  for (size_t i = 0; i < n; i++) total += s->pair_first[i + 1];
  if (total > UINT32_MAX)
    return scr_fail(error, SCR_NO_MEMORY, NULL, "%zu contact pairs; at most 4294967295: use a larger spacing or a smaller contact_radius",
                    total);
  for (size_t i = 0; i < n; i++) s->pair_first[i + 1] += s->pair_first[i];
  if (!mem_grow(&s->pair_other, &s->pair_capacity, total, sizeof *s->pair_other) ||
      (!s->explicit_damping && !mem_grow(&s->pair_met, &s->met_capacity, total, sizeof *s->pair_met)))
    return scr_fail_memory(error, "the contact pairs", 2 * total * sizeof *s->pair_other);
  s->list_stale = false;
  if (total == 0) return SCR_OK;
#pragma omp parallel for schedule(static, 64) num_threads(s->threads)
  for (size_t i = 0; i < n; i++) scan_row(s, i, reach * reach, s->pair_other + s->pair_first[i]);
  return SCR_OK;
}

scr_status pd_contact_list(pd_state *s, bool from_listed, scr_error *error)
{
  if (!from_listed) {
    memcpy(s->listed.x, s->position.x, s->node_count * sizeof(double));
    memcpy(s->listed.y, s->position.y, s->node_count * sizeof(double));
    memcpy(s->listed.z, s->position.z, s->node_count * sizeof(double));
  }
  return make_rows(s, error);
}

/* Whether some node has moved by half the skin since the rows were made. */
bool pd_contact_list_is_old(const pd_state *s)
{
  if (s->list_stale) return true;
  double limit = 0.5 * s->options->contact_skin * s->contact_radius, worst = 0;
#pragma omp parallel for schedule(static) num_threads(s->threads) reduction(max : worst)
  for (size_t i = 0; i < s->node_count; i++) {
    double dx = s->position.x[i] - s->listed.x[i], dy = s->position.y[i] - s->listed.y[i], dz = s->position.z[i] - s->listed.z[i];
    worst = fmax(worst, dx * dx + dy * dy + dz * dz);
  }
  return !(worst <= limit * limit);
}
