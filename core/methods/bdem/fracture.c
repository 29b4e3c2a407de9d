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

/* Stress over strength of a live bond, the larger of tension and shear. */
static double ratio_of(const bdem_state *s, size_t b)
{
  const bdem_section *section = &bdem_substance_of(s, s->body.ends[b][0])->section;
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

/* Among those that the last force pass found strained. */
static size_t mark_strained(bdem_state *s)
{
  size_t strained = bdem_batches_strained(&s->batches, s->strained), count = 0;
  if (strained) memset(s->torn, 0, s->body.bond_count);
  for (size_t k = 0; k < strained; ++k) {
    s->torn[s->strained[k]] = ratio_of(s, s->strained[k]) > 1.0;
    count += s->torn[s->strained[k]];
  }
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
#pragma omp parallel for schedule(static) num_threads(s->threads) reduction(+ : count)
  for (size_t b = 0; b < s->body.bond_count; ++b) {
    s->torn[b] = ratio_of(s, b) > above;
    count += s->torn[b];
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
static void note_marked(bdem_state *s, size_t count)
{
  void *grown = s->notes;
  s->note_count = 0;
  if (!mem_grow(&grown, &s->note_capacity, count, sizeof *s->notes)) return;
  s->notes = grown;
  for (size_t b = 0; b < s->body.bond_count; ++b)
    if (s->torn[b]) s->notes[s->note_count++] = note_of(s, b);
}

size_t bdem_mark_bonds(bdem_state *s, bool worst_only)
{
  if (!breakable(s)) return 0;
  size_t count = worst_only ? mark_worst(s) : mark_strained(s);
  if (count && s->log) note_marked(s, count);
  return count;
}

bool bdem_jolted(const bdem_state *s, const scr_vec3 *before)
{
  for (size_t i = 0; i < s->body.sphere_count; ++i)
    if (s->live[i] && vec3_length(vec3_sub(s->body.velocity[i], before[i])) > bdem_substance_of(s, i)->jolt) return true;
  return false;
}

static int by_ends(const void *left, const void *right)
{
  const bdem_broken *a = left, *b = right;
  if (a->i != b->i) return a->i < b->i ? -1 : 1;
  return (a->j > b->j) - (a->j < b->j);
}

/* The pair of bond b joins the broken ones; its force leaves the sums. */
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
  bdem_body *body = &s->body;
  size_t kept = 0;
  void *grown = s->broken;
  if (!mem_grow(&grown, &s->broken_capacity, s->bond_capacity, sizeof *s->broken))
    return scr_fail_memory(error, "the broken bonds", s->bond_capacity * sizeof *s->broken);
  s->broken = grown;
  SCR_TRY(log_marked(s, error));
  bdem_batches_drop(&s->batches, s->torn);
  for (size_t b = 0; b < body->bond_count; ++b) {
    if (s->torn[b]) {
      release(s, b);
      continue;
    }
    memmove(body->ends[kept], body->ends[b], sizeof *body->ends);
    body->bonds[kept++] = body->bonds[b];
  }
  body->bond_count = kept;
  qsort(s->broken, s->broken_count, sizeof *s->broken, by_ends);
  s->list_stale = true; /* the list, made anew, decides whether the solver can be kept */
  return SCR_OK;
}
