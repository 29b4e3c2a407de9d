/* The energies of a step, what parts feel, and what the next step begins with.
 *
 * With m (u1 - u0) = dt m g + B^T (r - c) + contacts: E1 - E0 = sum m (u1 - u0) . u1 - sum m |u1 - u0|^2/2, and the first sum is work
 * of gravity (points
 * fall by dt u1), of stresses r . B u1, of cohesion, and of contacts: against sliding, and of parts that move. Each is summed up by
 * itself.
 * Friction never gives energy: where a cell or contact does, for want of sweeps, that is the solver's error. */
#include <math.h>

#include "base/memory.h"
#include "methods/granular/step/bodies.h"

typedef struct node_energy {
  double before, after, implicit, gravity;
} node_energy;

static node_energy account_node(const granular_state *s, uint32_t n, double step)
{
  node_energy e = {0, 0, 0, 0};
  const double *before = s->sums + (size_t)n * GRANULAR_SUMS, mass = before[0];
  for (int i = 0; i < s->d && mass > 0; i++) {
    double u0 = before[1 + i], u1 = s->nodes[n].u[i];
    e.before += 0.5 * mass * u0 * u0;
    e.after += 0.5 * mass * u1 * u1;
    e.implicit += 0.5 * mass * (u1 - u0) * (u1 - u0);
    e.gravity += mass * s->gravity[i] * u1 * step;
  }
  return e;
}

static void account_cells(const granular_state *s, granular_energy *energy)
{
  const int size = cell_size(s->d);
  for (size_t k = 0; k < s->cell_count; k++) {
    const granular_cell *c = &s->cells[k];
    double rate[GRANULAR_TENSOR], normal;
    if (c->r[0] == 0 && s->extra[k].cohesion_impulse == 0) continue;
    granular_rate(s->d, c, s->nodes, rate);
    double shear = 0;
    for (int i = 1; i < size; i++) shear -= c->r[i] * rate[i];
    *(shear > 0 ? &energy->friction : &energy->unsolved) += shear;
    double pull = s->extra[k].cohesion_impulse - c->r[0]; /* > 0: the cell is under tension */
    normal = pull * rate[0];
    *(!(pull > 0) ? &energy->compaction : normal > 0 ? &energy->cohesion : &energy->unsolved) += normal;
    if (c->gap < 0 && normal < 0) energy->undone -= normal;
  }
}

static void account_contacts(granular_state *s, const granular_pass *pass, sim_parts *parts, const part_motion *before,
                             granular_energy *energy)
{
  for (size_t p = 0; p < parts->count; p++) parts->load[p] = (part_load){.force = {0, 0, 0}};
  for (size_t k = 0; k < s->contact_count; k++) {
    granular_contact *c = &s->contacts[k];
    int64_t at[3];
    double x[3] = {0};
    if (c->body >= 0) granular_body_velocity(s, &s->bodies[c->body], c->arm, c->velocity);
    part_load *load = &parts->load[c->part];
    double sliding = 0;
    for (int i = 0; i < s->d; i++) {
      sliding -= c->r[i] * (s->nodes[c->node].u[i] - c->velocity[i]);
      *(c->body < 0 ? &energy->rig : &energy->to_bodies) += c->r[i] * c->velocity[i];
    }
    *(sliding > 0 ? &energy->sliding : &energy->unsolved) += sliding;
    geo_grid_place(&s->grid, c->node, at);
    for (int a = 0; a < s->d; a++) x[a] = s->domain.origin[a] + s->domain.h * (double)at[a];
    scr_vec3 force = vec3_scale(granular_from_grid(s, c->r), -1 / pass->step);
    scr_vec3 arm = vec3_sub(granular_place(s, x), before[c->part].pose.position);
    load->force = vec3_add(load->force, force);
    load->torque = vec3_add(load->torque, vec3_cross(arm, force));
  }
}

void granular_account(granular_state *s, const granular_pass *pass, sim_parts *parts, const part_motion *before, granular_energy *energy)
{
  for (uint32_t n = 0; n < (uint32_t)s->grid.cell_count; n++) {
    node_energy e = account_node(s, n, pass->step);
    energy->nodes_before += e.before, energy->nodes_after += e.after, energy->implicit += e.implicit, energy->gravity += e.gravity;
  }
  account_cells(s, energy);
  account_contacts(s, pass, parts, before, energy);
  granular_account_body_contacts(s, pass, parts, before, energy);
}

/* ── for the next step ──────────────────────────────────────────────────────────────────────────────────────────── */

scr_status granular_keep_warm(granular_state *s, const granular_pass *pass, scr_error *error)
{
  const size_t size = (size_t)cell_size(s->d), blocks = s->grid.block_count, count = blocks * GEO_GRID_BLOCK * size;
  if (!mem_grow(&s->warm_block, &s->warm_block_capacity, blocks + 1, sizeof *s->warm_block) ||
      !mem_grow(&s->warm, &s->warm_capacity, count + 1, sizeof *s->warm) ||
      !mem_grow(&s->touches, &s->touch_capacity, s->contact_count + 1, sizeof *s->touches))
    return scr_fail_memory(error, "stresses", count * sizeof *s->warm);
  s->warm_block_count = blocks, s->warm_count = count, s->touch_count = s->contact_count;
  for (size_t b = 0; b < blocks; b++) s->warm_block[b] = s->grid.block[b];
  for (size_t k = 0; k < count; k++) s->warm[k] = 0;
  for (size_t k = 0; k < s->cell_count; k++)
    for (size_t i = 0; i < size; i++) s->warm[s->extra[k].place * size + i] = s->cells[k].r[i] / pass->step;
  for (size_t k = 0; k < s->contact_count; k++) {
    const granular_contact *c = &s->contacts[k];
    s->touches[k] = (granular_touch){.key = granular_contact_key(s, c)};
    for (int i = 0; i < s->d; i++) s->touches[k].force[i] = c->r[i] / pass->step;
  }
  return SCR_OK;
}
