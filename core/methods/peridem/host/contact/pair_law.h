/** What acts between two nodes that touch (spec 3.2, 3.3): of different grains, or of one grain where no bond joins them. */
#ifndef SCREE_PERIDEM_PAIR_LAW_H
#define SCREE_PERIDEM_PAIR_LAW_H

#include "methods/peridem/host/host.h"

/** A pair as node i sees it; node j sees the same with the opposite direction, to the last bit. */
typedef struct pd_pair {
  double toward[3];         /**< unit, from i to j */
  double force;             /**< N, >= 0, by which they repel each other */
  double stiffness;         /**< N/m */
  double potential;         /**< J */
  bool turns;               /**< both nodes take couples, so that forces act at the middle between them */
  bool by_faces;            /**< faces look at each other; only then has what follows a meaning */
  scr_vec3 push[GEO_FACES]; /**< N m, on the normals of i's faces: -dU/dn */
  scr_vec3 normal;          /**< unit, out of i, along what presses */
  double pressing;          /**< N, the force along the faces' normals */
  const pd_law *law;
  double mass, reduced; /**< kg, of node i; m_i m_j / (m_i + m_j) */
} pd_pair;

/* Distance between two nodes at t = 0, m. */
static inline double pd_reference_distance(const pd_state *s, size_t i, size_t j)
{
  double X = s->host->reference.x[j] - s->host->reference.x[i], Y = s->host->reference.y[j] - s->host->reference.y[i],
         Z = s->host->reference.z[j] - s->host->reference.z[i];
  return sqrt(X * X + Y * Y + Z * Z);
}

bool pd_pair_by_faces(const pd_state *s, size_t i, size_t j, const double offset[3], pd_pair *pair);

/** The pair i, j at its present distance. @return false when they don't touch; `pair` then means nothing */
static inline bool pd_pair_touches(const pd_state *s, size_t i, size_t j, pd_pair *pair)
{
  double d[3] = {s->host->position.x[j] - s->host->position.x[i], s->host->position.y[j] - s->host->position.y[i],
                 s->host->position.z[j] - s->host->position.z[i]};
  double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], radius = s->contact_radius;
  bool apart = s->host->facing && s->host->grain_of[i] != s->host->grain_of[j];
  double reach = apart ? s->host->touch : radius;
  if (!(r2 < reach * reach) || r2 == 0) return false;
  const pd_grain *gi = &s->host->grains[s->host->grain_of[i]], *gj = &s->host->grains[s->host->grain_of[j]];
  const pd_body *bi = &s->bodies[gi->body], *bj = &s->bodies[gj->body];
  double r = sqrt(r2), volumes = bi->node_volume * bj->node_volume;
  bool by_nodes = pd_contact_begins(s->options) == PD_SURFACE_NODES;
  double zero = by_nodes ? radius : fmin(radius, 0.5 * (bi->spacing + bj->spacing)), near = gi == gj ? radius : by_nodes ? 0 : zero;
  pair->law = &s->laws[bi->material * (s->scene->material_count + 1) + bj->material];
  pair->mass = bi->node_mass;
  pair->reduced = bi->node_mass * bj->node_mass / (bi->node_mass + bj->node_mass);
  pair->by_faces = pair->turns = false;
  if (apart) return pd_pair_by_faces(s, i, j, d, pair);
  pair->stiffness = pair->law->stiffness * volumes;
  if (near > 0 && (gi == gj || r < zero)) {
    double L = pd_reference_distance(s, i, j);
    if (L < near) { /* the repulsive half of the bond that once joined them; nodes of two grains touch where they start */
      zero = L;
      if (gi == gj) pair->stiffness = bi->self_micromodulus * volumes / L;
    }
  }
  if (!(r < zero)) return false;
  pair->force = pair->stiffness * (zero - r);
  pair->potential = 0.5 * pair->force * (zero - r);
  for (int a = 0; a < 3; a++) pair->toward[a] = d[a] / r;
  return true;
}

/** Velocity of i relative to j, along the pair and across it, m/s. @return its length across */
static inline double pd_pair_slip(const pd_state *s, size_t i, size_t j, const double toward[3], double *along, double across[3])
{
  double v[3] = {s->host->velocity.x[i] - s->host->velocity.x[j], s->host->velocity.y[i] - s->host->velocity.y[j],
                 s->host->velocity.z[i] - s->host->velocity.z[j]};
  double vn = v[0] * toward[0] + v[1] * toward[1] + v[2] * toward[2];
  for (int a = 0; a < 3; a++) across[a] = v[a] - vn * toward[a];
  *along = vn;
  return sqrt(across[0] * across[0] + across[1] * across[1] + across[2] * across[2]);
}

/** Coefficients of the pair's dampers at these relative velocities, kg/s: along the pair, and of friction across it, which is at most what
 *  stops the slip within a step. */
static inline void pd_pair_dampers(const pd_state *s, const pd_pair *pair, double along, double slip, double *normal, double *sliding)
{
  double fn = pair->force;
  *normal = 2 * pair->law->damping_ratio * sqrt(pair->stiffness * 2 * pair->reduced);
  if (s->options->no_tension && fn + *normal * along < 0) *normal = -fn / along;
  *sliding = slip > 0 ? fmin(pair->law->friction_coefficient * fn, slip * pair->reduced / s->time_step) / slip : 0;
}

#endif
