/* Uses arrays that limited damping has and quasi-static loading does not need: `share` has the fictitious masses, `damping` the forces
 * before the last increment. */
#include "methods/peridem/host/motion/relaxation.h"

#include <string.h>

#include "methods/peridem/host/contact/pair_law.h"
#include "methods/peridem/host/contact/rig_faces.h"
#include "methods/peridem/host/ranks/ranks.h"
#include "methods/peridem/law/wall.h"

/* Fictitious mass over what is just stable. */
static const double safety = 1.2;

/* N/m, of all contacts that node i has or may have with other nodes before rows are made anew. */
static double pair_stiffness(const pd_state *s, size_t i)
{
  const pd_host *h = s->host;
  double sum = 0;
  bool pressed = false; /* by another body's faces: all together as stiff as the rig, and couples */
  for (uint32_t k = h->near.first[i]; k < h->near.first[i + 1]; k++) {
    size_t j = h->near.other[k] & ~PD_BONDED;
    const pd_body *bi = &s->bodies[h->grains[h->grain_of[i]].body], *bj = &s->bodies[h->grains[h->grain_of[j]].body];
    double volumes = bi->node_volume * bj->node_volume, L = pd_reference_distance(s, i, j);
    if (h->near.other[k] & PD_BONDED) continue;
    if (h->facing && h->grain_of[i] != h->grain_of[j]) {
      pressed = true;
      continue;
    }
    double stiffness = s->laws[bi->material * (s->scene->material_count + 1) + bj->material].stiffness * volumes;
    if (h->grain_of[i] == h->grain_of[j] && L < s->contact_radius) stiffness = fmax(stiffness, bi->self_micromodulus * volumes / L);
    double d[3] = {h->position.x[j] - h->position.x[i], h->position.y[j] - h->position.y[i], h->position.z[j] - h->position.z[i]};
    bool may_touch = h->grain_of[i] == h->grain_of[j] || d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < 1.21 * h->touch * h->touch;
    if (may_touch) sum += stiffness;
  }
  return pressed ? sum + 2.5 * pd_node_face_stiffness(&s->bodies[h->grains[h->grain_of[i]].body], vec3(0, 0, 0)) : sum;
}

/* N/m, of a contact with the rig: the slope of the exact law's repulsion where the node is, or a tenth of the contact radius deeper, five
 * times as much for the lumped law, and friction's spring. */
static double rig_stiffness(const pd_state *s, const pd_rig_contact *contact)
{
  const pd_body *body = &s->bodies[s->host->grains[s->host->grain_of[contact->node]].body];
  const pd_law *law = &s->laws[body->material * (s->scene->material_count + 1) + s->scene->material_count];
  if (pd_uses_face_contact(s)) return contact->stiffness + pd_rig_spring(s, contact, body, law);
  double Rc = s->contact_radius, depth = Rc + contact->distance - contact->zero - 0.1 * Rc, step = 1e-3 * Rc;
  const pd_wall_law kind = (pd_wall_law)s->options->wall_law;
  double slope = (pd_wall_repulsion(kind, Rc, depth) - pd_wall_repulsion(kind, Rc, depth + step)) / step;
  return body->node_volume * law->stiffness * fmax(slope, 0) + pd_rig_spring(s, contact, body, law);
}

void pd_set_relaxation_masses(pd_state *s)
{
  pd_host *h = s->host;
#pragma omp parallel for schedule(static) num_threads(s->execution.threads)
  for (size_t n = 0; n < h->own_count; n++) {
    size_t b = h->own[n], end, begin = pd_own_block(s, n, &end);
    for (size_t i = begin; i < end; i++) {
      const pd_body *body = &s->bodies[h->grains[h->grain_of[i]].body];
      h->share[i] = safety * (body->node_mass / (body->step_bound * body->step_bound) + 0.5 * pair_stiffness(s, i));
    }
    for (size_t k = 0; k < h->rig_blocks[b].count; k++)
      h->share[h->rig_blocks[b].now[k].node] += safety * 0.25 * rig_stiffness(s, &h->rig_blocks[b].now[k]);
  }
}

void pd_relax(pd_state *s, double damping, bool first)
{
  pd_host *h = s->host;
  const double g[3] = {s->scene->rig.gravity.x, s->scene->rig.gravity.y, s->scene->rig.gravity.z}, dt = s->time_step;
  const double keep = first ? 0 : (2 - damping) / (2 + damping), gain = first ? 0.5 : 2 / (2 + damping);
  h->ranks->shown = false;
#pragma omp parallel for schedule(static) num_threads(s->execution.threads)
  for (size_t i = 0; i < s->node_count; i++) {
    if (!pd_is_own(h, i)) continue;
    const double mass = s->bodies[h->grains[h->grain_of[i]].body].node_mass;
    for (int a = 0; a < 3; a++) {
      double *v = pd_axis(&h->velocity, a), *u = pd_axis(&h->moved, a), force = pd_axis(&h->force, a)[i] + mass * g[a];
      double increment = (first ? 0 : keep * v[i] * dt) + gain * force / h->share[i];
      pd_axis(&h->damping, a)[i] = force;
      pd_axis(&h->acceleration, a)[i] = 0;
      v[i] = increment / dt;
      u[i] += increment;
      pd_axis(&h->position, a)[i] = pd_axis(&h->reference, a)[i] + u[i];
    }
  }
}

enum { UNBALANCED, WEIGHT, CURVATURE, INERTIA, GRAVITY, WORK, BALANCE_SUMS };

static void block_balance(const void *user, size_t begin, size_t end, double *sums)
{
  const pd_state *s = user;
  const pd_host *h = s->host;
  const double g[3] = {s->scene->rig.gravity.x, s->scene->rig.gravity.y, s->scene->rig.gravity.z};
  for (size_t i = begin; i < end; i++) {
    double mass = s->bodies[h->grains[h->grain_of[i]].body].node_mass, square = 0;
    for (int a = 0; a < 3; a++) {
      double force = pd_axis(&h->force, a)[i] + mass * g[a], increment = pd_axis(&h->velocity, a)[i] * s->time_step;
      square += force * force;
      sums[CURVATURE] -= increment * (force - pd_axis(&h->damping, a)[i]);
      sums[WORK] += 0.5 * increment * (force + pd_axis(&h->damping, a)[i]);
      sums[INERTIA] += increment * h->share[i] * increment;
      sums[GRAVITY] += mass * g[a] * increment;
    }
    sums[UNBALANCED] += sqrt(square);
    sums[WEIGHT] += mass * vec3_length(s->scene->rig.gravity);
  }
}

void pd_measure_balance(const pd_state *s, pd_balance *sums)
{
  double sum[BALANCE_SUMS] = {0};
  pd_sum_nodes(s, BALANCE_SUMS, block_balance, s, sum);
  *sums = (pd_balance){.unbalanced = sum[UNBALANCED],
                       .weight = sum[WEIGHT],
                       .curvature = sum[CURVATURE],
                       .inertia = sum[INERTIA],
                       .gravity = sum[GRAVITY],
                       .work = sum[WORK]};
}

double pd_net_force(const pd_state *s, size_t *grain)
{
  const pd_host *h = s->host;
  const pd_node_field forces[] = {PD_NODE_VECTORS(h->force)};
  double most = 0;
  pd_ranks_collect(s, forces, 3);
  *grain = 0;
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_body *body = &s->bodies[h->grains[g].body];
    scr_vec3 sum = vec3_scale(s->scene->rig.gravity, body->node_mass * (double)body->node_count);
    for (size_t i = h->grains[g].first, end = i + body->node_count; i < end; i++)
      sum = vec3_add(sum, vec3(h->force.x[i], h->force.y[i], h->force.z[i]));
    if (!(vec3_length(sum) > most)) continue;
    most = vec3_length(sum);
    *grain = g;
  }
  return most;
}

void pd_rest(pd_state *s)
{
  pd_host *h = s->host;
  h->torn_bond_count = 0;
  for (int a = 0; a < 3; a++) {
    memset(pd_axis(&h->velocity, a), 0, s->node_count * sizeof(double));
    memset(pd_axis(&h->acceleration, a), 0, s->node_count * sizeof(double));
  }
}
