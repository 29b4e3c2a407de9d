/* Breaking of bonds above their strength (spec 3.7), and what it leaves: contact pairs, booked energy. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "methods/bdem/state.h"

static bdem_bond_stress stress_of(const bdem_state *s, size_t b)
{
  const bdem_body *body = &s->body;
  uint32_t i = body->ends[b][0], j = body->ends[b][1];
  return bdem_bond_stress_of(&body->bonds[b], &bdem_substance_of(s, i)->section, vec3_sub(body->position[j], body->position[i]),
                             body->orientation[i], body->orientation[j]);
}

/* Stress over strength of a live bond, the larger of tension and shear. Under tabs: 0. */
static double ratio_of(const bdem_state *s, size_t b)
{
  const bdem_section *section = &bdem_substance_of(s, s->body.ends[b][0])->section;
  if (s->tabbed && (s->tabbed[s->body.ends[b][0]] || s->tabbed[s->body.ends[b][1]])) return 0.0;
  if (!(section->tensile_strength < INFINITY || section->shear_strength < INFINITY)) return 0.0;
  bdem_bond_stress stress = stress_of(s, b);
  return fmax(stress.tension / section->tensile_strength, stress.shear / section->shear_strength);
}

static bool breakable(const bdem_state *s)
{
  for (size_t k = 0; k < s->scene->specimen_count; ++k)
    if (fmin(s->substances[k].section.tensile_strength, s->substances[k].section.shear_strength) < INFINITY) return true;
  return false;
}

static int by_number(const void *left, const void *right)
{
  const uint32_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

/* Among those that the last force pass found strained. */
static size_t mark_strained(bdem_state *s)
{
  size_t strained = bdem_batches_strained(&s->batches, s->marked), count = 0;
  for (size_t k = 0; k < strained; ++k)
    if (ratio_of(s, s->marked[k]) > 1.0) s->marked[count++] = s->marked[k];
  if (count > 1) qsort(s->marked, count, sizeof *s->marked, by_number);
  return count;
}

/* Those within 1 % of the most loaded one. */
static size_t mark_worst(bdem_state *s)
{
  size_t count = 0;
  double worst = 0.0;
#pragma omp parallel for schedule(static) num_threads(s->threads) reduction(max : worst)
  for (size_t b = 0; b < s->body.bond_count; ++b) worst = fmax(worst, ratio_of(s, b));
  double above = fmax(1.0, 0.99 * worst);
#pragma omp parallel for schedule(static) num_threads(s->threads)
  for (size_t b = 0; b < s->body.bond_count; ++b) s->torn[b] = ratio_of(s, b) > above; /* no place is waiting to be closed up */
  for (size_t b = 0; b < s->body.bond_count; ++b) {
    if (s->torn[b]) s->marked[count++] = (uint32_t)b;
    s->torn[b] = 0;
  }
  return count;
}

/* What the log will say of a marked bond. Noted now: worst-first breaking takes marked bonds out where the step began. */
static scr_break note_of(const bdem_state *s, size_t b)
{
  const bdem_body *body = &s->body;
  uint32_t i = body->ends[b][0], j = body->ends[b][1];
  const bdem_section *section = &bdem_substance_of(s, i)->section;
  bdem_bond_stress stress = stress_of(s, b);
  double tension = stress.tension / section->tensile_strength, shear = stress.shear / section->shear_strength;
  scr_vec3 middle = vec3_scale(vec3_add(body->position[i], body->position[j]), 0.5);
  return (scr_break){.time = fmax(s->clock, s->noted),
                     .step = s->step,
                     .a = i < j ? i : j,
                     .b = i < j ? j : i,
                     .mode = tension >= shear ? SCR_BREAK_TENSION : SCR_BREAK_SHEAR,
                     .tension = stress.tension,
                     .shear = stress.shear,
                     .load = fmax(tension, shear),
                     .position = {middle.x, middle.y, middle.z}};
}

/* In the bonds' order, which is that of their spheres. Without memory there are no notes, and bdem_break_marked says so. */
static void note_marked(bdem_state *s)
{
  void *grown = s->notes;
  s->note_count = 0;
  if (!mem_grow(&grown, &s->note_capacity, s->marked_count, sizeof *s->notes)) return;
  s->notes = grown;
  for (size_t k = 0; k < s->marked_count; ++k) s->notes[s->note_count++] = note_of(s, s->marked[k]);
}

size_t bdem_mark_bonds(bdem_state *s, bool worst_only)
{
  s->marked_count = !breakable(s) ? 0 : worst_only ? mark_worst(s) : mark_strained(s);
  if (s->marked_count && s->log) note_marked(s);
  return s->marked_count;
}

bool bdem_jolted(const bdem_state *s, const scr_vec3 *before)
{
  int jolted = 0;
#pragma omp parallel for schedule(static) num_threads(s->threads) reduction(| : jolted)
  for (size_t i = 0; i < s->body.sphere_count; ++i)
    jolted |= s->live[i] && vec3_length(vec3_sub(s->body.velocity[i], before[i])) > bdem_substance_of(s, i)->jolt;
  return jolted != 0;
}

static int by_ends(const void *left, const void *right)
{
  const bdem_broken *a = left, *b = right;
  if (a->i != b->i) return a->i < b->i ? -1 : 1;
  return (a->j > b->j) - (a->j < b->j);
}

/* Bond b breaks: its pair joins the broken ones, its force leaves the sums. */
static void release(bdem_state *s, size_t b)
{
  const bdem_body *body = &s->body;
  const bdem_bond *bond = &body->bonds[b];
  uint32_t i = body->ends[b][0], j = body->ends[b][1];
  scr_vec3 e = vec3_sub(body->position[j], body->position[i]);
  bdem_bond_energy energy = bdem_bond_energy_of(bond, e, body->orientation[i], body->orientation[j]);
  bdem_bond_force force = bdem_bond_force_of(bond, e, body->orientation[i], body->orientation[j]);
  s->ledger.fracture += energy.stretch + energy.shear + energy.bend_twist;
  s->force[i] = vec3_add(s->force[i], force.force_j);
  s->force[j] = vec3_sub(s->force[j], force.force_j);
  s->torque[i] = vec3_sub(s->torque[i], force.torque_i);
  s->torque[j] = vec3_sub(s->torque[j], force.torque_j);
  s->live[i]--;
  s->live[j]--;
  s->broken[s->broken_count++] = (bdem_broken){i, j, fmin(vec3_length(e), body->radius[i] + body->radius[j])};
  s->torn[b] = 1;
  bdem_batches_cut(&s->batches, b);
}

/* Puts the broken pairs behind the first `sorted` ones in their places. They wait beyond the array's end, where there is room for them. */
static void sort_broken(bdem_state *s, size_t sorted)
{
  size_t count = s->broken_count - sorted;
  bdem_broken *all = s->broken, *tail = all + s->broken_count;
  memcpy(tail, all + sorted, count * sizeof *tail);
  qsort(tail, count, sizeof *tail, by_ends);
  for (size_t to = s->broken_count; count > 0; --to) {
    bool old = sorted > 0 && by_ends(&all[sorted - 1], &tail[count - 1]) > 0;
    all[to - 1] = old ? all[--sorted] : tail[--count];
  }
}

/* Hands the notes on the marked bonds to the log. */
static scr_status log_marked(bdem_state *s, scr_error *error)
{
  if (!s->log) return SCR_OK;
  if (s->note_count == 0) return scr_fail_memory(error, "the log of broken bonds", sizeof *s->notes);
  for (size_t k = 0; k < s->note_count; ++k) SCR_TRY(break_log_add(s->log, &s->notes[k], error));
  s->noted = s->notes[0].time;
  return SCR_OK;
}

scr_status bdem_break_marked(bdem_state *s, scr_error *error)
{
  size_t before = s->broken_count, needed = before + 2 * s->marked_count;
  void *grown = s->broken;
  if (!mem_grow(&grown, &s->broken_capacity, needed, sizeof *s->broken))
    return scr_fail_memory(error, "the broken bonds", needed * sizeof *s->broken);
  s->broken = grown;
  SCR_TRY(log_marked(s, error));
  for (size_t k = 0; k < s->marked_count; ++k) release(s, s->marked[k]);
  s->elastic_known = false;
  s->torn_count += s->marked_count;
  s->marked_count = 0;
  sort_broken(s, before);
  s->list_stale = true; /* the list, made anew, decides whether the solver can be kept */
  return SCR_OK;
}

void bdem_bonds_close(bdem_state *s)
{
  bdem_body *body = &s->body;
  size_t kept = 0;
  if (s->torn_count == 0) return;
  bdem_batches_drop(&s->batches, s->torn);
  for (size_t b = 0; b < body->bond_count;) {
    const unsigned char *next = memchr(s->torn + b, 1, body->bond_count - b);
    size_t end = next ? (size_t)(next - s->torn) : body->bond_count;
    if (kept < b) {
      memmove(body->ends + kept, body->ends + b, (end - b) * sizeof *body->ends);
      memmove(body->bonds + kept, body->bonds + b, (end - b) * sizeof *body->bonds);
    }
    kept += end - b;
    b = end + 1;
  }
  memset(s->torn, 0, body->bond_count);
  body->bond_count = kept;
  s->torn_count = 0;
}
