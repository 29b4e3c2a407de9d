/* Blocks of nodes side by side; each part of a grain in a block has sums of its own, which are added in order, so the bits don't depend on
 * threads. */
#include "methods/peridem/host/view/stress.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "methods/peridem/host/bonds/dilatation.h"
#include "methods/peridem/host/contact/pair_faces.h"
#include "methods/peridem/host/view/touching.h"
#include "methods/peridem/host/ranks/ranks.h"
#include "sim/fabric.h"

/* sum += factor d (x) d */
static void add_square(double sum[6], const double d[3], double factor)
{
  sum[0] += factor * d[0] * d[0], sum[1] += factor * d[1] * d[1], sum[2] += factor * d[2] * d[2];
  sum[3] += factor * d[0] * d[1], sum[4] += factor * d[1] * d[2], sum[5] += factor * d[2] * d[0];
}

/* To node j from node i, m. @return the distance */
static double offset_to(const pd_host *h, size_t i, size_t j, double d[3])
{
  d[0] = h->position.x[j] - h->position.x[i], d[1] = h->position.y[j] - h->position.y[i], d[2] = h->position.z[j] - h->position.z[i];
  return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* Half of what a node's bonds carry; J. */
static void add_bonds(const pd_state *s, const pd_grain *grain, size_t i, double sum[6])
{
  const pd_host *h = s->host;
  const pd_body *body = &s->bodies[grain->body];
  const pd_bonds *bonds = grain->bonds;
  size_t row = i - grain->first;
  for (uint32_t k = bonds->first[row], end = k + bonds->count[row]; k < end; k++) {
    double d[3], r = offset_to(h, i, grain->first + bonds->other[k], d);
    double pull = body->stiffness * (bonds->weight ? bonds->weight[k] : 1) * (bonds->inverse_length[k] - 1 / r); /* force over distance */
    if (body->volumetric_modulus != 0) pull += pd_dilatation_pull(s, grain, row, k) / r;
    add_square(sum, d, -0.5 * pull);
  }
}

/* The symmetric part of a (x) b. */
static void add_product(double sum[6], scr_vec3 a, scr_vec3 b)
{
  sum[0] += a.x * b.x, sum[1] += a.y * b.y, sum[2] += a.z * b.z;
  sum[3] += 0.5 * (a.x * b.y + a.y * b.x), sum[4] += 0.5 * (a.y * b.z + a.z * b.y), sum[5] += 0.5 * (a.z * b.x + a.x * b.z);
}

/* Half of what two faces carry: the force, and what pushes the node's normals by its neighbours, whose sum of x (x) F is - g (x) n
 * (pair_faces.c). */
static void add_faces(const pd_facing *f, size_t i, double sum[6], scr_vec3 d, const pd_pair *pair)
{
  assert(f != NULL); /* a pair is pressed by faces only where bodies have them */
  scr_vec3 push = vec3_scale(vec3(pair->toward[0], pair->toward[1], pair->toward[2]), pair->force);
  add_product(sum, vec3_scale(d, 0.5), push);
  for (size_t p = 0; p < f->count[i]; p++) {
    scr_vec3 n = f->normal[i][p];
    add_product(sum, vec3_sub(pair->push[p], vec3_scale(n, vec3_dot(n, pair->push[p]))), n);
  }
}

/* Half of what its contacts with other nodes carry. */
static void add_pairs(const pd_state *s, size_t i, double sum[6])
{
  const pd_host *h = s->host;
  for (uint32_t k = h->near.first[i]; k < h->near.first[i + 1]; k++) {
    pd_pair pair;
    double d[3];
    if (h->near.other[k] & PD_BONDED || !pd_pair_touches(s, i, h->near.other[k], &pair)) continue;
    double r = offset_to(h, i, h->near.other[k], d);
    if (pair.by_faces)
      add_faces(h->facing, i, sum, vec3(d[0], d[1], d[2]), &pair);
    else
      add_square(sum, d, 0.5 * pair.force / r);
  }
}

/* What a block's contacts with the rig carry. sums: of its nodes */
static void add_rig(const pd_state *s, size_t block, double (*sums)[6])
{
  const pd_rig_block *list = &s->host->rig_blocks[block];
  for (size_t k = 0; k < list->count; k++) {
    const pd_rig_contact *contact = &list->now[k];
    if (contact->force > 0)
      fabric_add(sums[contact->node - block * PD_BLOCK], pd_rig_contact_force(s, contact), vec3_scale(contact->normal, contact->distance));
  }
}

static double mises(const double p[6])
{
  double xy = p[0] - p[1], yz = p[1] - p[2], zx = p[2] - p[0];
  return sqrt(0.5 * (xy * xy + yz * yz + zx * zx) + 3 * (p[3] * p[3] + p[4] * p[4] + p[5] * p[5]));
}

/* One block; what its part of each grain sums up to goes into `part`, whose first entry is that of the first node's grain. */
static void block_stress(const pd_state *s, size_t block, double *pressure, double *von_mises, double (*part)[6])
{
  const pd_host *h = s->host;
  size_t begin = block * PD_BLOCK, end = begin + PD_BLOCK < s->node_count ? begin + PD_BLOCK : s->node_count;
  double sums[PD_BLOCK][6];
  memset(sums, 0, sizeof sums);
  for (size_t i = begin; i < end; i++) {
    add_bonds(s, &h->grains[h->grain_of[i]], i, sums[i - begin]);
    add_pairs(s, i, sums[i - begin]);
  }
  add_rig(s, block, sums);
  for (size_t i = begin; i < end; i++) {
    double *p = sums[i - begin], volume = s->bodies[h->grains[h->grain_of[i]].body].node_volume;
    for (int k = 0; k < 6 && part; k++) part[h->grain_of[i] - h->grain_of[begin]][k] += p[k];
    for (int k = 0; k < 6; k++) p[k] /= volume;
    if (!pressure) continue;
    pressure[i] = (p[0] + p[1] + p[2]) / 3;
    von_mises[i] = mises(p);
  }
}

/* Parts of blocks and grains are numbered by the sum of both numbers, which rises along the nodes. */
static void sum_grains(const pd_state *s, double (*parts)[6], pd_grain_stress *grains)
{
  const pd_host *h = s->host;
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_body *body = &s->bodies[h->grains[g].body];
    size_t first = h->grains[g].first / PD_BLOCK, last = (h->grains[g].first + body->node_count - 1) / PD_BLOCK;
    for (size_t b = first; b <= last; b++)
      for (int k = 0; k < 6; k++) parts[b + g][k] /= body->node_volume * (double)body->node_count;
    for (int k = 0; k < 6; k++) grains[g].stress[k] = 0;
    execution_add_up(last - first + 1, 6, parts[first + g], grains[g].stress);
  }
}

scr_status pd_stress_pass(const pd_state *s, double *pressure, double *von_mises, pd_grain_stress *grains, scr_error *error)
{
  const pd_host *h = s->host;
  size_t count = h->block_count + s->grain_count;
  if (h->facing) pd_facing_turn(s);
  double(*parts)[6] = grains ? mem_array(count, sizeof *parts) : NULL; /* zeroed */
  if (grains && !parts) return scr_fail_memory(error, "the stresses of grains", count * sizeof *parts);
#pragma omp parallel for schedule(static) num_threads(s->execution.threads)
  for (size_t n = 0; n < h->own_count; n++) {
    size_t b = h->own[n];
    block_stress(s, b, pressure, von_mises, parts ? parts + b + h->grain_of[b * PD_BLOCK] : NULL);
  }
  if (parts) team_sum_bits(h->ranks->team, *parts, 6 * count); /* each has one rank's block */
  if (parts) sum_grains(s, parts, grains);
  mem_free(parts);
  return SCR_OK;
}

/* A broken grain's nodes have the numbers of their pieces, from 0, since they were counted. */
static uint32_t pieces_of(const pd_state *s, const pd_grain *grain)
{
  uint32_t most = 0;
  if (!grain->broken) return 1;
  for (size_t i = grain->first; i < grain->first + s->bodies[grain->body].node_count; i++)
    most = s->host->piece[i] > most ? s->host->piece[i] : most;
  return most + 1;
}

scr_status pd_grain_stresses(const pd_state *s, pd_grain_stress *grains, scr_error *error)
{
  pd_count_neighbours(s, grains);
  for (size_t g = 0; g < s->grain_count; g++) grains[g].pieces = pieces_of(s, &s->host->grains[g]);
  return pd_stress_pass(s, NULL, NULL, grains, error);
}
