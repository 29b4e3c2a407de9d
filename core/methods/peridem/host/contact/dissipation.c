/* Limited damping: what dampers and friction take from the velocities at the end of a step, stable and dissipative at any damping ratio.
 *
 * Every contact is a damper c (normal) or c_t (friction, dashpot) between two nodes, or a node and a part. In a step it gives the impulse
 *
 *   J = -dt g c v_rel,     g = min(g_i, g_j),     g_i = (1 - exp(-x_i)) / x_i,     x_i = dt (2 sum over pairs c + sum over parts c) / m_i
 *
 * For one contact of two equal nodes, or of a node and the rig, that is the exact decay of the relative velocity in a step. Many together
 * take dt v.C v - dt^2/2 |M^-1/2 C v|^2 from the kinetic energy, where C is the matrix of all g c; by |v_i - v_j|^2 <= 2 |v_i|^2 + 2
 * |v_j|^2 the largest eigenvalue of dt M^-1 C is at most 1, so they take at least half of dt v.C v >= 0: a damper never gives energy back,
 * whatever the step. As the impulse only shortens the velocity, in the norm that Verlet's own conserved quantity contains, the step's bound
 * is that of the springs alone. Where x is small the law is the printed one to first order in the step.
 *
 * The bound takes the larger of a contact's normal and sliding damper for both. So where contact is by faces friction that slides, which
 * asks for a small c_t, gets all of it: g c_t becomes min(c_t, g max(c, c_t)). By g c_t a body slides with friction that is too low by what
 * g takes for the normal damper, 21 % at half the critical damping.
 *
 * Heat is booked (step.c) as what the kinetic energy lost and the rig gave, to round-off. */
#include "methods/peridem/host/contact/dissipation.h"

#include <string.h>

#include "base/memory.h"
#include "methods/peridem/host/contact/pair_faces.h"
#include "methods/peridem/host/contact/rig_faces.h"
#include "methods/peridem/host/ranks/ranks.h"
#include "methods/peridem/law/wall.h"

enum { SUM_NORMAL, SUM_SLIDING, SUM_PARTS /* force and torque on each */, SUM_LIMIT = SUM_PARTS + 6 * SCR_PART_LIMIT };

static scr_vec3 at(const pd_vectors *v, size_t i)
{
  return vec3(v->x[i], v->y[i], v->z[i]);
}

/* (1 - exp(-x)) / x */
static double decay_share(double x)
{
  return x > 1e-8 ? -expm1(-x) / x : 1;
}

/* Of friction's spring between two bodies: with the spring it stays below Coulomb's limit. */
static double dashpot_of(const pd_pair *pair, double held, double slip)
{
  double dashpot = 2 * pair->law->damping_ratio * sqrt(0.8 * pair->stiffness * 2 * pair->reduced);
  double left = fmax(0, pair->law->friction_coefficient * pair->pressing - held);
  return dashpot * slip > left ? left / slip : dashpot;
}

/* Dampers of the node's pairs. @return their sum, the larger of the two directions of each, kg/s */
static double measure_pairs(pd_state *s, size_t i)
{
  pd_host *h = s->host;
  double sum = 0;
  for (uint32_t k = 0; k < h->met_count[i]; k++) {
    pd_damped_pair *damped = &h->damped[h->damped_first[i] + k];
    size_t j = h->pair_met[h->near.first[i] + k];
    pd_pair pair;
    double along, across[3];
    *damped = (pd_damped_pair){.other = (uint32_t)j};
    if (!pd_pair_touches(s, i, j, &pair)) continue;
    memcpy(damped->toward, pair.toward, sizeof pair.toward);
    damped->turns = pair.turns;
    double slip = pd_pair_slip(s, i, j, pair.toward, &along, across);
    pd_pair_dampers(s, &pair, along, slip, &damped->normal_damper, &damped->sliding_damper);
    if (pair.by_faces && h->facing->strip) damped->sliding_damper = dashpot_of(&pair, h->met_held[h->near.first[i] + k], slip);
    sum += fmax(damped->normal_damper, damped->sliding_damper);
  }
  return sum;
}

/* Dampers of one contact with the rig. Friction's spring has a dashpot, which with the spring stays below Coulomb's limit. */
static double measure_rig_contact(const pd_state *s, pd_rig_contact *contact)
{
  const pd_host *h = s->host;
  contact->normal_damper = contact->sliding_damper = 0;
  if (!pd_rig_touches(contact)) return 0;
  const pd_body *body = &s->bodies[h->grains[h->grain_of[contact->node]].body];
  const pd_law *law = &s->laws[body->material * (s->scene->material_count + 1) + s->scene->material_count];
  scr_vec3 v = vec3_sub(at(&h->velocity, contact->node), pd_part_velocity(s, contact->part, contact->node));
  double vn = vec3_dot(v, contact->normal), fn = contact->force, limit = law->friction_coefficient * fn;
  double slip = vec3_length(vec3_sub(v, vec3_scale(contact->normal, vn)));
  double depth = fmax(0, s->contact_radius + contact->distance - contact->zero), cap = pd_cap_volume(s->contact_radius, depth);
  contact->normal_damper = pd_uses_face_contact(s)
                               ? 2 * law->damping_ratio * sqrt(contact->stiffness * body->node_mass)
                               : body->node_volume * 2 * law->damping_ratio * sqrt(law->stiffness * body->density * cap);
  if (s->options->no_tension && contact->normal_damper * vn > fn) contact->normal_damper = fn / vn;
  if (s->options->friction_law == PD_FRICTION_VISCOUS) {
    contact->sliding_damper = slip > 0 ? fmin(limit, slip * body->node_mass / s->time_step) / slip : 0;
  } else {
    double stiffness = pd_rig_spring(s, contact, body, law);
    double dashpot = 2 * law->damping_ratio * sqrt(stiffness * body->node_mass);
    double left = fmax(0, limit - stiffness * vec3_length(contact->spring));
    contact->sliding_damper = dashpot * slip > left ? left / slip : dashpot;
  }
  return fmax(contact->normal_damper, contact->sliding_damper);
}

/* Of a node's dampers, kg/s, the share that acts. */
static double share_of(const pd_state *s, size_t i, double dampers)
{
  return dampers > 0 ? decay_share(dampers * s->time_step / s->bodies[s->host->grains[s->host->grain_of[i]].body].node_mass) : 1;
}

/* First pass over a block: all dampers, and from them the nodes' shares. */
static void measure_block(pd_state *s, size_t b, size_t begin, size_t end)
{
  pd_host *h = s->host;
  double *share = h->share;
  for (size_t i = begin; i < end; i++) share[i] = 2 * measure_pairs(s, i);
  for (size_t k = 0; k < h->rig_blocks[b].count; k++) {
    pd_rig_contact *contact = &h->rig_blocks[b].now[k];
    share[contact->node] += measure_rig_contact(s, contact);
  }
  for (size_t i = begin; i < end; i++) share[i] = share_of(s, i, share[i]);
}

/* Of a contact's sliding damper c_t what acts, by its nodes' share g: see above. */
static double sliding_of(const pd_state *s, double share, double normal_damper, double sliding_damper)
{
  return pd_uses_face_contact(s) ? fmin(sliding_damper, share * fmax(normal_damper, sliding_damper)) : share * sliding_damper;
}

/* Sets the node's impulse to what its pairs give it. */
static void damp_pairs_of(pd_state *s, size_t i, double *sums)
{
  pd_host *h = s->host;
  double impulse[3] = {0}, dt = s->time_step;
  for (uint32_t k = 0; k < h->met_count[i]; k++) {
    const pd_damped_pair *damped = &h->damped[h->damped_first[i] + k];
    double along, across[3], slip = pd_pair_slip(s, i, damped->other, damped->toward, &along, across);
    double share = fmin(h->share[i], h->share[damped->other]), normal = dt * share * damped->normal_damper * along;
    double sliding = dt * sliding_of(s, share, damped->normal_damper, damped->sliding_damper);
    double given[3];
    for (int a = 0; a < 3; a++) impulse[a] += given[a] = -(normal * damped->toward[a] + sliding * across[a]);
    if (damped->turns) pd_pair_couple(s, i, damped->other, given);
    sums[SUM_NORMAL] += 0.5 * normal * along; /* the other half is seen from the other node */
    sums[SUM_SLIDING] += 0.5 * sliding * slip * slip;
  }
  for (int a = 0; a < 3; a++) pd_axis(&h->damping, a)[i] = impulse[a];
}

static void damp_rig_contact(pd_state *s, const pd_rig_contact *contact, double *sums)
{
  pd_host *h = s->host;
  size_t i = contact->node;
  scr_vec3 n = contact->normal, v = vec3_sub(at(&h->velocity, i), pd_part_velocity(s, contact->part, i));
  double vn = vec3_dot(v, n), dt = s->time_step, share = h->share[i], *part_sums = sums + SUM_PARTS + 6 * contact->part;
  scr_vec3 across = vec3_sub(v, vec3_scale(n, vn));
  double normal = dt * share * contact->normal_damper * vn;
  double sliding = dt * sliding_of(s, share, contact->normal_damper, contact->sliding_damper);
  scr_vec3 taken = vec3_add(vec3_scale(n, normal), vec3_scale(across, sliding));
  sums[SUM_NORMAL] += normal * vn;
  double heat = sliding * vec3_dot(across, across);
  sums[s->options->friction_law == PD_FRICTION_VISCOUS ? SUM_SLIDING : SUM_NORMAL] += heat;
  h->damping.x[i] -= taken.x;
  h->damping.y[i] -= taken.y;
  h->damping.z[i] -= taken.z;
  scr_vec3 torque = vec3_cross(vec3_sub(at(&h->position, i), s->parts[contact->part].acted.pose.position), taken);
  const double six[6] = {taken.x, taken.y, taken.z, torque.x, torque.y, torque.z};
  for (int k = 0; k < 6; k++) part_sums[k] += six[k];
}

static void damp_rig_contacts(pd_state *s, size_t b, double *sums)
{
  const pd_rig_block *block = &s->host->rig_blocks[b];
  for (size_t k = 0; k < block->count; k++)
    if (pd_rig_touches(&block->now[k])) damp_rig_contact(s, &block->now[k], sums);
}

/* What `damping_rate` adds to them. */
static void drag_nodes(pd_state *s, size_t begin, size_t end, double *sums)
{
  pd_host *h = s->host;
  double part = expm1(-s->options->damping_rate * s->time_step);
  for (size_t i = begin; i < end; i++) {
    double mass = s->bodies[h->grains[h->grain_of[i]].body].node_mass;
    scr_vec3 v = at(&h->velocity, i), drag = vec3_scale(v, part * mass);
    h->damping.x[i] += drag.x;
    h->damping.y[i] += drag.y;
    h->damping.z[i] += drag.z;
    sums[SUM_NORMAL] -= vec3_dot(drag, v);
  }
}

/* Second pass: impulses on the block's nodes, kept apart until all are known. */
static void damp_block(const void *user, size_t begin, size_t end, double *sums)
{
  pd_state *s = *(pd_state *const *)user;
  for (size_t i = begin; i < end; i++) damp_pairs_of(s, i, sums);
  damp_rig_contacts(s, begin / PD_BLOCK, sums);
  if (s->options->damping_rate > 0) drag_nodes(s, begin, end, sums);
}

/* Last pass: the impulses change the velocities; how much kinetic energy that takes. */
static void apply_block(const void *user, size_t begin, size_t end, double *kinetic)
{
  const pd_state *s = user;
  pd_host *h = s->host;
  double gained = 0;
  for (int a = 0; a < 3; a++) {
    double *v = pd_axis(&h->velocity, a);
    const double *impulse = pd_axis(&h->damping, a);
    for (size_t i = begin; i < end; i++) {
      if (impulse[i] == 0) continue;
      double change = impulse[i] / s->bodies[h->grains[h->grain_of[i]].body].node_mass;
      gained += impulse[i] * (v[i] + 0.5 * change);
      v[i] += change;
    }
  }
  *kinetic += gained;
}

/* Rows of the pairs that touch. @return their number, or SIZE_MAX without memory */
static size_t lay_rows(pd_state *s)
{
  pd_host *h = s->host;
  size_t total = 0;
  for (size_t n = 0; n < h->own_count; n++) {
    size_t end, begin = pd_own_block(s, n, &end);
    for (size_t i = begin; i < end; i++) {
      h->damped_first[i] = total;
      total += h->met_count[i];
    }
  }
  return mem_grow(&h->damped, &h->damped_capacity, total, sizeof *h->damped) ? total : SIZE_MAX;
}

scr_status pd_count_dampers(pd_state *s, size_t *count, scr_error *error)
{
  pd_host *h = s->host;
  *count = lay_rows(s);
  if (*count == SIZE_MAX) return scr_fail_memory(error, "the pairs that touch", s->node_count * sizeof *h->damped);
  for (size_t n = 0; n < h->own_count; n++) *count += h->rig_blocks[h->own[n]].count;
  *count = pd_ranks_count(s, *count);
  return SCR_OK;
}

/* Dampers of all contacts, and the nodes' shares. */
static void measure(pd_state *s)
{
  const pd_node_field motion[] = {PD_NODE_VECTORS(s->host->velocity)}, shares[] = {PD_NODE_FIELD(s->host->share)};
  pd_ranks_update(s, motion, 3);
#pragma omp parallel for schedule(static) num_threads(s->execution.threads)
  for (size_t n = 0; n < s->host->own_count; n++) {
    size_t end, begin = pd_own_block(s, n, &end);
    measure_block(s, s->host->own[n], begin, end);
  }
  pd_ranks_update(s, shares, 1);
}

/* From the sums of all blocks. */
static void set_impulses(const pd_state *s, const double *sum, pd_impulse_sums *sums, scr_vec3 *impulse, scr_vec3 *turning)
{
  for (size_t p = 0; p < s->rig->count; p++) {
    const double *six = sum + SUM_PARTS + 6 * p;
    impulse[p] = vec3(six[0], six[1], six[2]);
    turning[p] = vec3(six[3], six[4], six[5]);
  }
  *sums = (pd_impulse_sums){sum[SUM_NORMAL], sum[SUM_SLIDING]};
}

void pd_damp(pd_state *s, pd_impulse_sums *sums, scr_vec3 *impulse, scr_vec3 *turning)
{
  double sum[SUM_LIMIT] = {0};
  measure(s);
  pd_sum_nodes(s, SUM_PARTS + 6 * s->rig->count, damp_block, &s, sum);
  if (s->host->facing) pd_couples_distribute(s, &s->host->damping);
  set_impulses(s, sum, sums, impulse, turning);
}

size_t pd_damp_width(const pd_state *s)
{
  return SUM_PARTS + 6 * s->rig->count;
}

double *pd_damp_heat(double *sums)
{
  return &sums[SUM_NORMAL];
}

/* Calls for each contact with the rig. */
static void for_rig_contacts(pd_state *s, void (*call)(pd_state *, pd_rig_contact *))
{
  const pd_host *h = s->host;
  for (size_t b = 0; b < h->block_count; b++)
    for (size_t k = 0; k < h->rig_blocks[b].count; k++) call(s, &h->rig_blocks[b].now[k]);
}

static void begin_share(pd_state *s, pd_rig_contact *contact)
{
  s->host->share[contact->node] = 0;
}

static void add_to_share(pd_state *s, pd_rig_contact *contact)
{
  s->host->share[contact->node] += measure_rig_contact(s, contact);
}

/* Once, however many contacts a node has: those that are ready are below 0. */
static void ready_share(pd_state *s, pd_rig_contact *contact)
{
  double *share = &s->host->share[contact->node];
  if (*share >= 0) *share = -share_of(s, contact->node, *share);
}

static void end_share(pd_state *s, pd_rig_contact *contact)
{
  s->host->share[contact->node] = fabs(s->host->share[contact->node]);
}

void pd_damp_shares(pd_state *s, const uint32_t *row, double *value, size_t count)
{
  double *share = s->host->share;
  for_rig_contacts(s, begin_share);
  for (size_t k = 0; k < count; k++) share[row[2 * k]] = 2 * value[k];
  for_rig_contacts(s, add_to_share);
  for (size_t k = 0; k < count; k++) value[k] = share_of(s, row[2 * k], share[row[2 * k]]);
  for_rig_contacts(s, ready_share);
  for_rig_contacts(s, end_share);
}

void pd_damp_rig(pd_state *s, const double *heat, double *sums)
{
  size_t width = pd_damp_width(s), blocks = s->host->block_count;
  memset(sums, 0, blocks * width * sizeof *sums);
  for (size_t b = 0; b < blocks; b++) {
    sums[b * width + SUM_NORMAL] = heat[2 * b];
    sums[b * width + SUM_SLIDING] = heat[2 * b + 1];
    damp_rig_contacts(s, b, sums + b * width);
  }
}

/* Sums of blocks that there are. */
typedef struct block_values {
  const double *value; /* [blocks][width] */
  size_t width;
} block_values;

static void add_values(const void *user, size_t begin, size_t end, double *sums)
{
  const block_values *of = user;
  (void)end;
  for (size_t k = 0; k < of->width; k++) sums[k] += of->value[begin / PD_BLOCK * of->width + k];
}

void pd_damp_add_up(const pd_state *s, const double *block_sums, pd_impulse_sums *sums, scr_vec3 *impulse, scr_vec3 *turning)
{
  const block_values of = {block_sums, pd_damp_width(s)};
  double sum[SUM_LIMIT] = {0};
  pd_sum_nodes(s, of.width, add_values, &of, sum);
  set_impulses(s, sum, sums, impulse, turning);
}

double pd_apply_impulses(pd_state *s)
{
  double kinetic = 0;
  pd_sum_nodes(s, 1, apply_block, s, &kinetic);
  return kinetic;
}
