/* Breaking of bonds above their strength (spec 3.7), and what it leaves: contact pairs, booked energy. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "methods/bdem/bonds/fracture.h"

static bdem_bond_stress stress_of(const bdem_model *model, const bdem_body *body, size_t b)
{
  uint32_t i = body->ends[b][0], j = body->ends[b][1];
  return bdem_bond_stress_of(&body->bonds[b], &bdem_substance_of(model, i)->section, vec3_sub(body->position[j], body->position[i]),
                             body->orientation[i], body->orientation[j]);
}

/* Stress over strength of a live bond, the larger of tension and shear. Under tabs: 0. */
static double ratio_of(const bdem_model *model, const bdem_body *body, const bdem_fracture *fracture, size_t b)
{
  const bdem_section *section = &bdem_substance_of(model, body->ends[b][0])->section;
  if (fracture->tabbed && (fracture->tabbed[body->ends[b][0]] || fracture->tabbed[body->ends[b][1]])) return 0.0;
  if (!(section->tensile_strength < INFINITY || section->shear_strength < INFINITY)) return 0.0;
  bdem_bond_stress stress = stress_of(model, body, b);
  return fmax(stress.tension / section->tensile_strength, stress.shear / section->shear_strength);
}

static bool breakable(const bdem_model *model)
{
  for (size_t k = 0; k < model->scene->specimen_count; ++k)
    if (fmin(model->substances[k].section.tensile_strength, model->substances[k].section.shear_strength) < INFINITY) return true;
  return false;
}

static int by_number(const void *left, const void *right)
{
  const uint32_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

/* Among those that the last force pass found strained. */
static size_t mark_strained(const bdem_model *model, const bdem_body *body, const bdem_batches *batches, bdem_fracture *fracture)
{
  size_t strained = bdem_batches_strained(batches, fracture->marked), count = 0;
  for (size_t k = 0; k < strained; ++k)
    if (ratio_of(model, body, fracture, fracture->marked[k]) > 1.0) fracture->marked[count++] = fracture->marked[k];
  if (count > 1) qsort(fracture->marked, count, sizeof *fracture->marked, by_number);
  return count;
}

typedef struct ratio_terms {
  const bdem_model *model;
  const bdem_body *body;
  const bdem_fracture *fracture;
  const scr_vec3 *before;
} ratio_terms;

static void worst_ratio(const void *user, size_t begin, size_t end, double *worst)
{
  const ratio_terms *of = user;
  for (size_t b = begin; b < end; ++b) *worst = fmax(*worst, ratio_of(of->model, of->body, of->fracture, b));
}

/* Those within 1 % of the most loaded one. */
static size_t mark_worst(const bdem_model *model, const bdem_body *body, bdem_fracture *fracture)
{
  size_t count = 0;
  const ratio_terms of = {.model = model, .body = body, .fracture = fracture};
  double worst = 0.0;
  execution_largest(model->execution, body->bond_count, 1, worst_ratio, &of, &worst);
  double above = fmax(1.0, 0.99 * worst);
#pragma omp parallel for schedule(static) num_threads(model->execution.threads)
  for (size_t b = 0; b < body->bond_count; ++b)
    fracture->removed[b] = ratio_of(model, body, fracture, b) > above; /* no place is waiting to be closed up */
  for (size_t b = 0; b < body->bond_count; ++b) {
    if (fracture->removed[b]) fracture->marked[count++] = (uint32_t)b;
    fracture->removed[b] = 0;
  }
  return count;
}

/* What the log will say of a marked bond. Noted now: worst-first breaking takes marked bonds out where the step began. */
static break_entry note_of(const bdem_model *model, const bdem_body *body, bdem_moment moment, size_t b)
{
  uint32_t i = body->ends[b][0], j = body->ends[b][1];
  const bdem_section *section = &bdem_substance_of(model, i)->section;
  bdem_bond_stress stress = stress_of(model, body, b);
  double tension = stress.tension / section->tensile_strength, shear = stress.shear / section->shear_strength;
  scr_vec3 middle = vec3_scale(vec3_add(body->position[i], body->position[j]), 0.5);
  return (break_entry){.time = moment.time,
                       .step = moment.step,
                       .a = i < j ? i : j,
                       .b = i < j ? j : i,
                       .mode = tension >= shear ? BREAK_TENSION : BREAK_SHEAR,
                       .tension = stress.tension,
                       .shear = stress.shear,
                       .load = fmax(tension, shear),
                       .position = {middle.x, middle.y, middle.z}};
}

/* In the bonds' order, which is that of their spheres. Without memory there are no notes, and bdem_break_marked says so. */
static void note_marked(const bdem_model *model, const bdem_body *body, bdem_fracture *fracture, bdem_moment moment)
{
  void *grown = fracture->notes;
  fracture->note_count = 0;
  if (!mem_grow(&grown, &fracture->note_capacity, fracture->marked_count, sizeof *fracture->notes)) return;
  fracture->notes = grown;
  for (size_t k = 0; k < fracture->marked_count; ++k)
    fracture->notes[fracture->note_count++] = note_of(model, body, moment, fracture->marked[k]);
}

size_t bdem_mark_bonds(const bdem_model *model, const bdem_body *body, const bdem_batches *batches, bdem_fracture *fracture,
                       bdem_moment moment, bool worst_only)
{
  moment.time = fmax(moment.time, fracture->noted);
  fracture->marked_count = !breakable(model) ? 0
                           : worst_only      ? mark_worst(model, body, fracture)
                                             : mark_strained(model, body, batches, fracture);
  if (fracture->marked_count && fracture->log) note_marked(model, body, fracture, moment);
  return fracture->marked_count;
}

static void count_jumped(const void *user, size_t begin, size_t end, double *count)
{
  const ratio_terms *of = user;
  for (size_t i = begin; i < end; ++i)
    *count += of->fracture->live[i] &&
              vec3_length(vec3_sub(of->body->velocity[i], of->before[i])) > bdem_substance_of(of->model, i)->velocity_jump;
}

bool bdem_velocity_jumped(const bdem_model *model, const bdem_body *body, const bdem_fracture *fracture, const scr_vec3 *before)
{
  const ratio_terms of = {model, body, fracture, before};
  return execution_count(model->execution, body->sphere_count, count_jumped, &of) > 0;
}

static int by_ends(const void *left, const void *right)
{
  const bdem_pair_reach *a = left, *b = right;
  if (a->i != b->i) return a->i < b->i ? -1 : 1;
  return (a->j > b->j) - (a->j < b->j);
}

double bdem_reach_among(const bdem_pair_reach *pairs, size_t count, uint32_t i, uint32_t j, double otherwise)
{
  const bdem_pair_reach key = {i, j, 0};
  const bdem_pair_reach *found = count ? bsearch(&key, pairs, count, sizeof key, by_ends) : NULL;
  return found ? found->reach : otherwise;
}

/* Bond b breaks: its pair joins the broken ones, its force leaves the sums. */
static void release(const bdem_body *body, bdem_batches *batches, bdem_fracture *fracture, bdem_total *total, sim_ledger *ledger, size_t b)
{
  const bdem_bond *bond = &body->bonds[b];
  uint32_t i = body->ends[b][0], j = body->ends[b][1];
  scr_vec3 e = vec3_sub(body->position[j], body->position[i]);
  bdem_bond_energy energy = bdem_bond_energy_of(bond, e, body->orientation[i], body->orientation[j]);
  bdem_bond_force force = bdem_bond_force_of(bond, e, body->orientation[i], body->orientation[j]);
  ledger->fracture += energy.stretch + energy.shear + energy.bend_twist;
  total->force[i] = vec3_add(total->force[i], force.force_j);
  total->force[j] = vec3_sub(total->force[j], force.force_j);
  total->torque[i] = vec3_sub(total->torque[i], force.torque_i);
  total->torque[j] = vec3_sub(total->torque[j], force.torque_j);
  fracture->live[i]--;
  fracture->live[j]--;
  fracture->broken[fracture->broken_count++] = (bdem_pair_reach){i, j, fmin(vec3_length(e), body->radius[i] + body->radius[j])};
  fracture->removed[b] = 1;
  bdem_batches_cut(batches, b);
}

/* Puts the broken pairs behind the first `sorted` ones in their places. They wait beyond the array's end, where there is room for them. */
static void sort_broken(bdem_fracture *fracture, size_t sorted)
{
  size_t count = fracture->broken_count - sorted;
  bdem_pair_reach *all = fracture->broken, *tail = all + fracture->broken_count;
  memcpy(tail, all + sorted, count * sizeof *tail);
  qsort(tail, count, sizeof *tail, by_ends);
  for (size_t to = fracture->broken_count; count > 0; --to) {
    bool old = sorted > 0 && by_ends(&all[sorted - 1], &tail[count - 1]) > 0;
    all[to - 1] = old ? all[--sorted] : tail[--count];
  }
}

/* Hands the notes on the marked bonds to the log. */
static scr_status log_marked(bdem_fracture *fracture, scr_error *error)
{
  if (!fracture->log) return SCR_OK;
  if (fracture->note_count == 0) return scr_fail_memory(error, "the log of broken bonds", sizeof *fracture->notes);
  for (size_t k = 0; k < fracture->note_count; ++k) SCR_TRY(breaks_add(fracture->log, &fracture->notes[k], error));
  fracture->noted = fracture->notes[0].time;
  return SCR_OK;
}

scr_status bdem_break_marked(const bdem_body *body, bdem_batches *batches, bdem_fracture *fracture, bdem_total *total, sim_ledger *ledger,
                             scr_error *error)
{
  size_t before = fracture->broken_count, needed = before + 2 * fracture->marked_count;
  void *grown = fracture->broken;
  SCR_TRY(mem_reserve(&grown, &fracture->broken_capacity, needed, sizeof *fracture->broken, "the broken bonds", error));
  fracture->broken = grown;
  SCR_TRY(log_marked(fracture, error));
  for (size_t k = 0; k < fracture->marked_count; ++k) release(body, batches, fracture, total, ledger, fracture->marked[k]);
  total->elastic_known = false;
  fracture->removed_count += fracture->marked_count;
  fracture->marked_count = 0;
  sort_broken(fracture, before);
  return SCR_OK;
}

void bdem_bonds_close(bdem_body *body, bdem_batches *batches, bdem_fracture *fracture)
{
  size_t kept = 0;
  if (fracture->removed_count == 0) return;
  bdem_batches_drop(batches, fracture->removed);
  for (size_t b = 0; b < body->bond_count;) {
    const unsigned char *next = memchr(fracture->removed + b, 1, body->bond_count - b);
    size_t end = next ? (size_t)(next - fracture->removed) : body->bond_count;
    if (kept < b) {
      memmove(body->ends + kept, body->ends + b, (end - b) * sizeof *body->ends);
      memmove(body->bonds + kept, body->bonds + b, (end - b) * sizeof *body->bonds);
    }
    kept += end - b;
    b = end + 1;
  }
  memset(fracture->removed, 0, body->bond_count);
  body->bond_count = kept;
  fracture->removed_count = 0;
}
