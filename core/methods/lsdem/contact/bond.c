/* Making bonds, and what hangs together by them. */
#include "methods/lsdem/contact/bond.h"

#include "base/memory.h"
#include "methods/lsdem/state/state.h"

static const lsdem_law *law_of(const lsdem_state *s, const lsdem_direction *direction)
{
  return &s->laws[s->grains[direction->slave].material * (s->scene->material_count + 1) + s->grains[direction->master].material];
}

/* The bond of a node, if it is near enough. Modes are at rest. */
static bool glue_node(const lsdem_state *s, const lsdem_direction *direction, double reach, uint32_t node, lsdem_bond *bond)
{
  const lsdem_view *slave = &s->views[direction->slave], *master = &s->views[direction->master];
  scr_vec3 at = vec3_add(slave->position, matrix_times(&slave->rotation, slave->grain->surface.vertex[node])), slope;
  scr_vec3 place = matrix_transposed_times(&master->rotation, vec3_sub(at, master->position));
  double value;
  if (!level_set_gradient_at(&master->grain->field, place, &value, &slope) || !(value < reach)) return false;
  double size = vec3_length(slope);
  if (!(size > 1e-6)) return false;
  scr_vec3 normal = vec3_scale(slope, 1 / size), anchor = vec3_sub(place, vec3_scale(normal, value / size));
  *bond = (lsdem_bond){.slave = direction->slave,
                       .master = direction->master,
                       .node = node,
                       .area = direction->weight * slave->grain->area[node],
                       .anchor = anchor,
                       .offset = vec3_sub(place, anchor),
                       .normal = normal,
                       .sunk = fmax(-value, 0)};
  return true;
}

scr_status lsdem_bonds_make(lsdem_state *s, scr_error *error)
{
  for (size_t d = 0; d < s->near.count; d++) {
    const lsdem_direction *direction = &s->near.list[d];
    if (direction->master >= s->grain_count) continue;
    const lsdem_glue *glue = &law_of(s, direction)->glue;
    if (!(glue->normal > 0)) continue;
    const lsdem_template *grain = s->views[direction->slave].grain;
    for (uint32_t k = 0; k < grain->node_count; k++) {
      lsdem_bond bond;
      if (!glue_node(s, direction, glue->reach, k, &bond)) continue;
      SCR_TRY(mem_reserve(&s->bonds, &s->bond_capacity, s->bond_count + 1, sizeof *s->bonds, "bonds", error));
      s->bonds[s->bond_count++] = bond;
    }
  }
  return SCR_OK;
}

static bool any_holds(const lsdem_bond *bonds, size_t count)
{
  for (size_t k = 0; k < count; k++)
    if (bonds[k].broken == LSDEM_BOND_HOLDS) return true;
  return false;
}

/* Whether contacts of nodes that lost their bonds begin below the surface. */
static bool any_sunk(const lsdem_bond *bonds, size_t count)
{
  for (size_t k = 0; k < count; k++)
    if (bonds[k].sunk > 0) return true;
  return false;
}

scr_status lsdem_bonds_attach(lsdem_state *s, scr_error *error)
{
  size_t d = 0;
  for (size_t k = 0; k < s->bond_count; k++)
    if (s->bonds[k].broken == LSDEM_BOND_BREAKS) s->bonds[k].broken = LSDEM_BOND_BROKEN;
  for (size_t k = 0; k < s->near.count; k++) s->near.list[k].bonds = NULL, s->near.list[k].bond_count = 0;
  for (size_t k = 0, next; k < s->bond_count; k = next) {
    lsdem_bond *first = &s->bonds[k];
    for (next = k; next < s->bond_count && s->bonds[next].slave == first->slave && s->bonds[next].master == first->master;) next++;
    bool holds = any_holds(first, next - k);
    if (!holds && !any_sunk(first, next - k)) continue;
    while (d < s->near.count &&
           (s->near.list[d].slave < first->slave || (s->near.list[d].slave == first->slave && s->near.list[d].master < first->master)))
      d++;
    bool found = d < s->near.count && s->near.list[d].slave == first->slave && s->near.list[d].master == first->master;
    if (!found && !holds) continue;
    if (!found)
      return scr_fail(error, SCR_DIVERGED, NULL,
                      "grains %u and %u are glued to each other and so far apart that neighbours are not searched for there: give the "
                      "bonds a lower strength",
                      first->slave, first->master);
    s->near.list[d].bonds = first;
    s->near.list[d].bond_count = (uint32_t)(next - k);
  }
  return SCR_OK;
}

size_t lsdem_bonds_holding(const lsdem_state *s)
{
  size_t count = 0;
  for (size_t k = 0; k < s->bond_count; k++) count += s->bonds[k].broken == LSDEM_BOND_HOLDS;
  return count;
}

static uint32_t root_of(uint32_t *piece, uint32_t k)
{
  while (piece[k] != k) k = piece[k] = piece[piece[k]];
  return k;
}

size_t lsdem_bonds_pieces(const lsdem_state *s, uint32_t *piece)
{
  size_t count = 0;
  for (uint32_t i = 0; i < s->grain_count; i++) piece[i] = i;
  for (size_t k = 0; k < s->bond_count; k++) {
    if (s->bonds[k].broken != LSDEM_BOND_HOLDS) continue;
    uint32_t a = root_of(piece, s->bonds[k].slave), b = root_of(piece, s->bonds[k].master);
    if (a < b)
      piece[b] = a;
    else
      piece[a] = b;
  }
  for (uint32_t i = 0; i < s->grain_count; i++) count += root_of(piece, i) == i;
  for (uint32_t i = 0; i < s->grain_count; i++) piece[i] = root_of(piece, i);
  return count;
}
