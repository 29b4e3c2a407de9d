/* Forces between nodes of different grains and between broken pieces of one grain (spec 3.2, 3.3).
 *
 * Every node keeps a row of candidates nearer than Rc + skin; rows are made anew when a node has moved by half the skin. A pair stands in
 * both rows and each end computes the force on itself, so no two threads write one node. */
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
  if (!mem_grow(&s->pair_other, &s->pair_capacity, total, sizeof *s->pair_other))
    return scr_fail_memory(error, "the contact pairs", total * sizeof *s->pair_other);
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
static bool moved_too_far(const pd_state *s)
{
  double limit = 0.5 * s->options->contact_skin * s->contact_radius, worst = 0;
#pragma omp parallel for schedule(static) num_threads(s->threads) reduction(max : worst)
  for (size_t i = 0; i < s->node_count; i++) {
    double dx = s->position.x[i] - s->listed.x[i], dy = s->position.y[i] - s->listed.y[i], dz = s->position.z[i] - s->listed.z[i];
    worst = fmax(worst, dx * dx + dy * dy + dz * dz);
  }
  return !(worst <= limit * limit);
}

/* Repulsion of a pair at distance r < Rc: force and stiffness, both >= 0; false when the pair doesn't repel. */
static bool repulsion(const pd_state *s, size_t i, size_t j, double r, double *force, double *stiffness)
{
  const pd_grain *gi = &s->grains[s->grain_of[i]], *gj = &s->grains[s->grain_of[j]];
  const pd_body *bi = &s->bodies[gi->body], *bj = &s->bodies[gj->body];
  double volumes = bi->node_volume * bj->node_volume;
  if (gi == gj) {
    double X = s->reference.x[j] - s->reference.x[i], Y = s->reference.y[j] - s->reference.y[i], Z = s->reference.z[j] - s->reference.z[i];
    double L = sqrt(X * X + Y * Y + Z * Z);
    if (L < s->contact_radius) { /* the repulsive half of the bond that once joined them */
      *stiffness = bi->self_micromodulus * volumes / L;
      *force = *stiffness * (L - r);
      return r < L;
    }
  }
  *stiffness = s->laws[bi->material * (s->scene->material_count + 1) + bj->material].stiffness * volumes;
  *force = *stiffness * (s->contact_radius - r);
  return true;
}

/* Forces of one node's row on that node: total, damping part, friction part. */
typedef struct gathered {
  double force[3], damping[3], friction[3];
} gathered;

static void add_pair(const pd_state *s, size_t i, size_t j, gathered *sum)
{
  double d[3] = {s->position.x[j] - s->position.x[i], s->position.y[j] - s->position.y[i], s->position.z[j] - s->position.z[i]};
  double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], radius = s->contact_radius;
  if (!(r2 < radius * radius) || r2 == 0) return;
  double r = sqrt(r2), fn, stiffness;
  if (!repulsion(s, i, j, r, &fn, &stiffness)) return;
  const pd_body *bi = &s->bodies[s->grains[s->grain_of[i]].body], *bj = &s->bodies[s->grains[s->grain_of[j]].body];
  const pd_law *law = &s->laws[bi->material * (s->scene->material_count + 1) + bj->material];
  double mi = bi->node_mass, mj = bj->node_mass, reduced = mi * mj / (mi + mj);
  double v[3] = {s->velocity.x[i] - s->velocity.x[j], s->velocity.y[i] - s->velocity.y[j], s->velocity.z[i] - s->velocity.z[j]};
  double e[3] = {d[0] / r, d[1] / r, d[2] / r}, vn = v[0] * e[0] + v[1] * e[1] + v[2] * e[2];
  double fd = 2 * law->damping_ratio * sqrt(stiffness * 2 * reduced) * vn;
  if (s->options->no_tension && fn + fd < 0) fd = -fn;
  double t[3] = {v[0] - vn * e[0], v[1] - vn * e[1], v[2] - vn * e[2]};
  double speed = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
  double ft = speed > 0 ? fmin(law->friction_coefficient * fn, speed * reduced / s->time_step) / speed : 0;
  for (int a = 0; a < 3; a++) {
    sum->force[a] -= (fn + fd) * e[a] + ft * t[a];
    sum->damping[a] -= fd * e[a];
    sum->friction[a] -= ft * t[a];
  }
}

scr_status pd_contact_pass(pd_state *s, scr_error *error)
{
  if (s->list_stale || moved_too_far(s)) SCR_TRY(pd_contact_list(s, false, error));
#pragma omp parallel for schedule(static, 64) num_threads(s->threads)
  for (size_t i = 0; i < s->node_count; i++) {
    gathered sum = {0};
    for (uint32_t k = s->pair_first[i]; k < s->pair_first[i + 1]; k++)
      if (!(s->pair_other[k] & PD_BONDED)) add_pair(s, i, s->pair_other[k], &sum);
    s->force.x[i] += sum.force[0];
    s->force.y[i] += sum.force[1];
    s->force.z[i] += sum.force[2];
    for (int a = 0; a < 3; a++) {
      pd_axis(&s->damping, a)[i] = sum.damping[a];
      pd_axis(&s->friction, a)[i] = sum.friction[a];
    }
  }
  return SCR_OK;
}

double pd_energy_contact(const pd_state *s)
{
  double total = 0, radius = s->contact_radius;
  for (size_t i = 0; i < s->node_count; i++)
    for (uint32_t k = s->pair_first[i]; k < s->pair_first[i + 1]; k++) {
      size_t j = s->pair_other[k];
      if (j <= i || (s->pair_other[k] & PD_BONDED)) continue;
      double dx = s->position.x[j] - s->position.x[i], dy = s->position.y[j] - s->position.y[i], dz = s->position.z[j] - s->position.z[i];
      double r = sqrt(dx * dx + dy * dy + dz * dz), fn, stiffness;
      if (r < radius && r > 0 && repulsion(s, i, j, r, &fn, &stiffness)) total += 0.5 * fn * fn / stiffness;
    }
  return total;
}
