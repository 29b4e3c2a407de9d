/* The energies of a step, what parts feel, and what the next step begins with.
 *
 * With m (u1 - u0) = dt m g + B^T (r - c) + contacts: E1 - E0 = sum m (u1 - u0) . u1 - sum m |u1 - u0|^2/2, and the first sum is work
 * of gravity (points
 * fall by dt u1), of stresses r . B u1, of cohesion, and of contacts: against sliding, and of parts that move. Each is summed up by
 * itself.
 * Friction never gives energy: where a cell or contact does, for want of sweeps, that is the solver's error. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/granular/step/bodies.h"

enum { TERMS_AT_A_TIME = 4096 };
enum { BEFORE, AFTER, IMPLICIT, GRAVITY, NODE_TERMS };

typedef struct node_sums {
  const granular_state *state;
  double step;
} node_sums;

static void account_nodes(const void *user, size_t begin, size_t end, double *sum)
{
  const granular_state *s = ((const node_sums *)user)->state;
  const double step = ((const node_sums *)user)->step;
  for (size_t n = begin; n < end; n++) {
    const double *before = s->sums + n * GRANULAR_SUMS, mass = before[0];
    for (int i = 0; i < s->d && mass > 0; i++) {
      double u0 = before[1 + i], u1 = s->nodes[n].u[i];
      sum[BEFORE] += 0.5 * mass * u0 * u0;
      sum[AFTER] += 0.5 * mass * u1 * u1;
      sum[IMPLICIT] += 0.5 * mass * (u1 - u0) * (u1 - u0);
      sum[GRAVITY] += mass * s->gravity[i] * u1 * step;
    }
  }
}

enum { FRICTION, COMPACTION, COHESION, UNSOLVED, UNDONE, CELL_TERMS };

static inline __attribute__((always_inline)) void account_cells_of(int d, const granular_state *s, size_t begin, size_t end, double *sum)
{
  for (size_t k = begin; k < end; k++) {
    const granular_cell *c = &s->cells[k];
    double rate[GRANULAR_TENSOR], normal;
    if (c->r[0] == 0 && s->extra[k].cohesion_impulse == 0) continue;
    granular_rate(d, c, s->nodes, rate);
    double shear = 0;
    for (int i = 1; i < cell_size(d); i++) shear -= c->r[i] * rate[i];
    sum[shear > 0 ? FRICTION : UNSOLVED] += shear;
    double pull = s->extra[k].cohesion_impulse - c->r[0]; /* > 0: the cell is under tension */
    normal = pull * rate[0];
    sum[!(pull > 0) ? COMPACTION : normal > 0 ? COHESION : UNSOLVED] += normal;
    if (c->gap < 0 && normal < 0) sum[UNDONE] -= normal;
  }
}

__attribute__((target_clones("avx2", "default"))) static void account_cells(const void *user, size_t begin, size_t end, double *sum)
{
  const granular_state *s = user;
  if (s->d == 2)
    account_cells_of(2, s, begin, end, sum);
  else
    account_cells_of(3, s, begin, end, sum);
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
  double node[NODE_TERMS] = {0}, cell[CELL_TERMS] = {0};
  const node_sums sums = {s, pass->step};
  execution_sum(pass->execution, s->grid.cell_count, TERMS_AT_A_TIME, NODE_TERMS, account_nodes, &sums, node);
  execution_sum(pass->execution, s->cell_count, TERMS_AT_A_TIME, CELL_TERMS, account_cells, s, cell);
  energy->nodes_before += node[BEFORE], energy->nodes_after += node[AFTER];
  energy->implicit += node[IMPLICIT], energy->gravity += node[GRAVITY];
  energy->friction += cell[FRICTION], energy->compaction += cell[COMPACTION], energy->cohesion += cell[COHESION];
  energy->unsolved += cell[UNSOLVED], energy->undone += cell[UNDONE];
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
#pragma omp parallel for num_threads(pass->execution.threads) schedule(static)
  for (size_t b = 0; b < blocks; b++) {
    s->warm_block[b] = s->grid.block[b];
    memset(s->warm + b * GEO_GRID_BLOCK * size, 0, GEO_GRID_BLOCK * size * sizeof *s->warm);
    for (size_t k = s->block_first[b]; k < s->block_first[b + 1]; k++)
      for (size_t i = 0; i < size; i++) s->warm[s->extra[k].place * size + i] = s->cells[k].r[i] / pass->step;
  }
  for (size_t k = 0; k < s->contact_count; k++) {
    const granular_contact *c = &s->contacts[k];
    s->touches[k] = (granular_touch){.key = granular_contact_key(s, c)};
    for (int i = 0; i < s->d; i++) s->touches[k].force[i] = c->r[i] / pass->step;
  }
  return SCR_OK;
}
