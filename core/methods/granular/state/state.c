/* The state: what lives for the run, its fields, checkpoints, the sort. */
#include "methods/granular/state/state.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/granular/bodies/shapes.h"
#include "methods/granular/wet/fluid.h"

const sim_field granular_fields[GRANULAR_FIELDS] = {
    FIELD_LIST("points", granular_state, points, point_count, point_capacity, FIELD_SAVED),
    FIELD_LIST("blocks with stresses", granular_state, warm_block, warm_block_count, warm_block_capacity, FIELD_SAVED),
    FIELD_LIST("stresses", granular_state, warm, warm_count, warm_capacity, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_LIST("contacts", granular_state, touches, touch_count, touch_capacity, FIELD_SAVED),
    FIELD_VALUE("points so far", granular_state, born, FIELD_SAVED),
    FIELD_ARRAY("fillings", granular_state, fillings, specimen_count, FIELD_SAVED),
    FIELD_VALUE("numbers of the last step", granular_state, report, FIELD_SAVED | FIELD_NUMBERS),
};

scr_status granular_state_begin(granular_state *s, const scr_scene *scene, sim_ledger *ledger, scr_error *error)
{
  granular_lay_out(s, scene);
  s->ledger = ledger;
  s->specimen_count = scene->specimen_count;
  SCR_TRY(fields_allocate(granular_fields, GRANULAR_FIELDS, s, error));
  SCR_TRY(geo_grid_create(&s->domain, &s->grid, error));
  for (size_t k = 0; k < scene->specimen_count; k++) {
    SCR_TRY(granular_fill(s, k, error));
    s->fillings[k] = 1;
  }
  s->report.poured_mass = 0;
  return SCR_OK;
}

void granular_state_clear(granular_state *s)
{
  fields_free(granular_fields, GRANULAR_FIELDS, s);
  geo_grid_clear(&s->grid);
  granular_shapes_destroy(s->shapes);
  void *scratch[] = {s->sorted,       s->position, s->cells,   s->extra,        s->corners,     s->block_first,   s->colour_first,
                     s->colour_block, s->nodes,    s->sums,    s->open,         s->contacts,    s->contact_first, s->body_contacts,
                     s->buffer,       s->halo,     s->batches, s->batch_number, s->batch_first, s->swept,         s->colour_cells};
  for (size_t k = 0; k < sizeof scratch / sizeof *scratch; k++) mem_free(scratch[k]);
}

/* ── the sort ───────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status granular_sort(granular_state *s, scr_execution execution, scr_error *error)
{
  size_t n = s->point_count;
  if (!mem_grow(&s->position, &s->position_capacity, 3 * n + 1, sizeof *s->position) ||
      !mem_grow(&s->sorted, &s->sorted_capacity, n + 1, sizeof *s->sorted))
    return scr_fail_memory(error, "the points of a step", n * sizeof *s->sorted);
  double *at[3] = {s->position, s->position + n, s->position + 2 * n};
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (size_t i = 0; i < n; i++)
    for (int a = 0; a < 3; a++) at[a][i] = s->points[i].x[a];
  return geo_grid_sort(&s->grid, (const double *const *)at, n, execution, error);
}

/* ── checkpoints ────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status granular_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  const granular_state *s = sim->state;
  SCR_TRY(fields_save(granular_fields, GRANULAR_FIELDS, s, blob, error));
  return wet_save(s->fluid, blob, error);
}

static bool is_valid(const granular_state *s, const granular_point *p)
{
  double sum = p->volume + p->cohesion + p->packing + p->fraction + p->pressure + p->mobility;
  for (int a = 0; a < 3; a++) {
    sum += p->u[a] + p->c[a][0] + p->c[a][1] + p->c[a][2] + p->x[a];
    double x = a < s->d ? p->x[a] - s->domain.origin[a] : 0;
    if (!(x >= 0 && x <= s->domain.h * s->domain.cells[a])) return false;
  }
  return isfinite(sum) && p->volume > 0 && p->packing >= 0 && p->packing <= 1 && p->material < s->scene->material_count &&
         p->number < s->born;
}

static bool is_valid_warm(const granular_state *s)
{
  size_t blocks = (size_t)s->grid.blocks[0] * s->grid.blocks[1] * s->grid.blocks[2];
  if (s->warm_count != s->warm_block_count * GEO_GRID_BLOCK * (size_t)cell_size(s->d)) return false;
  for (size_t b = 0; b < s->warm_block_count; b++)
    if (s->warm_block[b] >= blocks || (b > 0 && s->warm_block[b] <= s->warm_block[b - 1])) return false;
  return s->report.step >= 0;
}

scr_status granular_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  granular_state *s = sim->state;
  SCR_TRY(fields_load(granular_fields, GRANULAR_FIELDS, s, blob, error));
  SCR_TRY(wet_load(s->fluid, blob, error));
  for (size_t i = 0; i < s->point_count; i++)
    if (!is_valid(s, &s->points[i])) return scr_sim_damaged("points", error);
  if (!is_valid_warm(s)) return scr_sim_damaged("stresses", error);
  for (size_t k = 0; k < s->touch_count; k++) {
    const granular_touch *t = &s->touches[k];
    if (!isfinite(t->force[0] + t->force[1] + t->force[2]) || (k > 0 && t->key <= s->touches[k - 1].key))
      return scr_sim_damaged("contacts", error);
  }
  for (size_t k = 0; k < s->specimen_count; k++) {
    const granular_specimen *specimen = scr_scene_specimen(s->scene, k);
    if (s->fillings[k] < 1 || s->fillings[k] > (uint64_t)specimen->pour_count) return scr_sim_damaged("fillings", error);
  }
  return SCR_OK;
}
