/* Forces between nodes of different grains and between broken pieces of one grain (spec 3.2, 3.3).
 *
 * A pair stands in the rows of both its nodes and each end computes the force on itself, so no two threads write one node. */
#include "methods/peridem/host/contact/contact.h"

#include <string.h>

#include "methods/peridem/host/contact/pair_faces.h"
#include "methods/peridem/host/ranks/ranks.h"

/* Forces of one node's row on that node: total, damping part, friction part. */
typedef struct gathered {
  double force[3], damping[3], friction[3];
} gathered;

enum { SOME = 128 }; /* candidates looked at together */

/* Those of the candidates [k, k + SOME) of node i's row that no bond joins with it and that are nearer than they meet at most: few are.
 * @return how many */
static size_t close_of(const pd_state *s, size_t i, uint32_t k, uint32_t end, uint32_t *close)
{
  const pd_host *h = s->host;
  const double *const position[3] = {h->position.x, h->position.y, h->position.z};
  const double at[3] = {position[0][i], position[1][i], position[2][i]};
  return h->kernels->within(h->near.other + k, end - k < SOME ? end - k : SOME, position, at, h->wide[i] ? h->wide_reach : h->touch, close);
}

static void add_damped_pair(const pd_state *s, size_t i, size_t j, gathered *sum)
{
  pd_pair pair;
  double vn, t[3], normal, sliding;
  if (!pd_pair_touches(s, i, j, &pair)) return;
  double slip = pd_pair_slip(s, i, j, pair.toward, &vn, t);
  pd_pair_dampers(s, &pair, vn, slip, &normal, &sliding);
  double fd = normal * vn;
  for (int a = 0; a < 3; a++) {
    sum->force[a] -= (pair.force + fd) * pair.toward[a] + sliding * t[a];
    sum->damping[a] -= fd * pair.toward[a];
    sum->friction[a] -= sliding * t[a];
  }
}

static void row_with_damping(pd_state *s, size_t i)
{
  pd_host *h = s->host;
  gathered sum = {0};
  uint32_t close[SOME + PD_LANES];
  for (uint32_t k = h->near.first[i], end = h->near.first[i + 1]; k < end; k += SOME)
    for (size_t n = 0, found = close_of(s, i, k, end, close); n < found; n++) add_damped_pair(s, i, close[n], &sum);
  for (int a = 0; a < 3; a++) {
    pd_axis(&h->force, a)[i] += sum.force[a];
    pd_axis(&h->damping, a)[i] = sum.damping[a];
    pd_axis(&h->friction, a)[i] = sum.friction[a];
  }
}

/* Repulsion only; notes which pairs touch, for dissipation.c. */
static void row_without_damping(pd_state *s, size_t i)
{
  pd_host *h = s->host;
  double sum[3] = {0};
  uint32_t met = 0, first = h->near.first[i], close[SOME + PD_LANES];
  for (uint32_t k = first, end = h->near.first[i + 1]; k < end; k += SOME)
    for (size_t n = 0, found = close_of(s, i, k, end, close); n < found; n++) {
      pd_pair pair;
      if (!pd_pair_touches(s, i, close[n], &pair)) continue;
      for (int a = 0; a < 3; a++) sum[a] -= pair.force * pair.toward[a];
      h->pair_met[first + met++] = close[n];
    }
  h->met_count[i] = met;
  for (int a = 0; a < 3 && met > 0; a++) pd_axis(&h->force, a)[i] += sum[a];
}

/* The same where bodies meet by faces: with couples, and friction's springs. @return false without memory */
static bool row_by_faces(pd_state *s, pd_spring_strip *strip, size_t *walk, size_t i, double *heat)
{
  pd_host *h = s->host;
  double sum[3] = {0};
  uint32_t met = 0, first = h->near.first[i], close[SOME + PD_LANES];
  for (uint32_t k = first, end = h->near.first[i + 1]; k < end; k += SOME)
    for (size_t n = 0, found = close_of(s, i, k, end, close); n < found; n++) {
      pd_pair pair;
      if (!pd_pair_touches(s, i, close[n], &pair)) continue;
      pd_pair_held held = {0};
      if (pair.by_faces && strip && !pd_pair_hold(s, strip, walk, i, close[n], &pair, &held)) return false;
      *heat += held.heat;
      if (pair.by_faces) pd_pair_push(s, i, &pair);
      if (held.size > 0) pd_pair_couple(s, i, close[n], held.friction);
      for (int a = 0; a < 3; a++) sum[a] += held.friction[a] - pair.force * pair.toward[a];
      h->met_held[first + met] = held.size;
      h->pair_met[first + met++] = close[n];
    }
  h->met_count[i] = met;
  for (int a = 0; a < 3 && met > 0; a++) pd_axis(&h->force, a)[i] += sum[a];
  return true;
}

/* Of slipping springs of a block's strips. */
static void strips_heat(const void *user, size_t begin, size_t end, double *heat)
{
  const pd_facing *f = user;
  for (size_t k = begin / PD_STRIP; k * PD_STRIP < end; k++) *heat += f->strip[k].heat;
}

static scr_status pass_by_faces(pd_state *s, double *heat, scr_error *error)
{
  pd_host *h = s->host;
  bool enough = true;
  pd_facing_advance(s);
#pragma omp parallel for schedule(static, 1) num_threads(s->execution.threads) reduction(&& : enough)
  for (size_t begin = 0; begin < s->node_count; begin += PD_STRIP) {
    size_t end = begin + PD_STRIP < s->node_count ? begin + PD_STRIP : s->node_count, walk = 0;
    if (!pd_is_own(h, begin)) continue;
    pd_spring_strip *strip = h->facing->strip ? &h->facing->strip[begin / PD_STRIP] : NULL;
    double slipped = 0;
    if (strip) pd_strip_begin(strip);
    for (size_t i = begin; i < end; i++) enough = row_by_faces(s, strip, &walk, i, &slipped) && enough;
    if (strip) pd_strip_end(strip, &slipped);
    if (strip) strip->heat = slipped;
  }
  if (!enough) return scr_fail_memory(error, "friction between bodies", s->node_count * sizeof(pd_pair_spring));
  if (h->facing->strip) pd_sum_nodes(s, 1, strips_heat, h->facing, heat);
  pd_couples_distribute(s, &h->force);
  return SCR_OK;
}

scr_status pd_contact_pass(pd_state *s, double *heat, scr_error *error)
{
  if (pd_contact_list_is_old(s)) SCR_TRY(pd_contact_list(s, false, error));
  return pd_contact_rows(s, heat, error);
}

scr_status pd_contact_rows(pd_state *s, double *heat, scr_error *error)
{
  enum { STRIP = 64 };
  pd_host *h = s->host;
  const pd_node_field motion[] = {PD_NODE_VECTORS(h->velocity), PD_NODE_VECTORS(h->acceleration)};
  if (s->explicit_damping || h->facing) pd_ranks_update(s, motion, h->facing ? 6 : 3);
  if (h->facing) return pass_by_faces(s, heat, error);
#pragma omp parallel for schedule(static, 1) num_threads(s->execution.threads)
  for (size_t strip = 0; strip < s->node_count; strip += STRIP) {
    size_t end = strip + STRIP < s->node_count ? strip + STRIP : s->node_count;
    if (!pd_is_own(h, strip)) continue;
    if (s->explicit_damping)
      for (size_t i = strip; i < end; i++) row_with_damping(s, i);
    else if (h->near.first[end] > h->near.first[strip])
      for (size_t i = strip; i < end; i++) row_without_damping(s, i);
    else
      memset(h->met_count + strip, 0, (end - strip) * sizeof *h->met_count); /* no rows, as in the midst of a body */
  }
  return SCR_OK;
}

/* Of pairs whose lower node is one of these. */
static void block_potential(const void *user, size_t begin, size_t end, double *sum)
{
  const pd_state *s = user;
  const pd_host *h = s->host;
  for (size_t i = begin; i < end; i++)
    for (uint32_t k = h->near.first[i]; k < h->near.first[i + 1]; k++) {
      pd_pair pair;
      size_t j = h->near.other[k];
      if (j <= i || (h->near.other[k] & PD_BONDED)) continue;
      if (pd_pair_touches(s, i, j, &pair)) *sum += pair.potential;
    }
}

double pd_energy_contact(const pd_state *s)
{
  double total = 0;
  if (s->host->facing) pd_facing_turn(s);
  pd_sum_nodes(s, 1, block_potential, s, &total);
  return total + pd_pair_springs_energy(s);
}
