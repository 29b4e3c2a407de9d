/** Objective, gradient and Hessian of a step in free quaternions. */
#include "tests/studies/optimizers/euclid_problem.h"

#include <string.h>

#include "base/memory.h"
#include "linalg/symmetric_eigen.h"
#include "linalg/vector.h"
#include "tests/studies/optimizers/bond_euclid.h"
#include "methods/bdem/contact/contact.h"

enum { BLOCK = BDEM_FREE * BDEM_FREE, BOND = BDEM_EUCLID * BDEM_EUCLID };

scr_status bdem_euclid_create(const bdem_body *body, bdem_euclid_problem *problem, scr_error *error)
{
  size_t n = body->sphere_count;
  bdem_euclid_problem *p = problem;
  *p = (bdem_euclid_problem){0};
  p->quaternion = mem_array(n, sizeof *p->quaternion);
  p->base = mem_array(n, sizeof *p->base);
  p->multiplier = mem_array(n, sizeof *p->multiplier);
  p->hessians = mem_array(body->bond_count, BOND * sizeof *p->hessians);
  p->own = mem_array(n, BLOCK * sizeof *p->own);
  p->factors = mem_array(n, BLOCK * sizeof *p->factors);
  p->gradient = mem_array(n, BDEM_FREE * sizeof *p->gradient);
  p->change = mem_array(n, BDEM_FREE * sizeof *p->change);
  if (p->quaternion && p->base && p->multiplier && p->hessians && p->own && p->factors && p->gradient && p->change) return SCR_OK;
  bdem_euclid_destroy(p);
  return scr_fail_memory(error, "a step in free quaternions", n * 1000 + body->bond_count * BOND * sizeof(double));
}

void bdem_euclid_destroy(bdem_euclid_problem *p)
{
  void *arrays[] = {p->quaternion, p->base, p->multiplier, p->hessians, p->own, p->factors, p->gradient, p->change};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) mem_free(arrays[k]);
  *p = (bdem_euclid_problem){0};
}

scr_status bdem_euclid_begin(bdem_euclid_problem *p, bdem_step_problem *step, scr_error *error)
{
  const bdem_body *body = step->body;
  p->step = step;
  p->kappa = 0.0;
  for (size_t k = 0; k < body->sphere_count; ++k) {
    unsigned turns = body->held[k] >> 3;
    if (turns != 0 && turns != 7)
      return scr_fail(
          error, SCR_BAD_USAGE, NULL,
          "sphere %zu is held about some axes only (bits %u): optimizers with free quaternions hold all rotations of a sphere or "
          "none; use manifold-newton",
          k, turns);
    p->quaternion[k] = body->orientation[k];
    p->multiplier[k] = 0.0;
  }
  return SCR_OK;
}

static double constraint(scr_quat q)
{
  return 0.5 * (quat_dot(q, q) - 1.0);
}

static scr_vec3 bond_vector(const bdem_body *body, size_t b)
{
  return vec3_sub(body->position[body->ends[b][1]], body->position[body->ends[b][0]]);
}

double bdem_euclid_objective(const bdem_euclid_problem *p)
{
  const bdem_step_problem *step = p->step;
  const bdem_body *body = step->body;
  double sum = 0.0;
  if (!bdem_step_admissible(step)) return INFINITY;
  if (body->contacts) sum += bdem_pairs_energy(body->contacts, body) + bdem_touches_energy(body->contacts, body);
  for (size_t b = 0; b < body->bond_count; ++b)
    sum += bdem_bond_euclid_energy(&body->bonds[b], step->hemisphere[b], bond_vector(body, b), p->quaternion[body->ends[b][0]],
                                   p->quaternion[body->ends[b][1]]);
  for (size_t k = 0; k < body->sphere_count; ++k) {
    double mq = 1.6 * body->mass[k] * body->radius[k] * body->radius[k], c = constraint(p->quaternion[k]);
    if (step->inverse_square > 0.0) {
      scr_vec3 d = vec3_sub(body->position[k], step->predicted[k]);
      scr_quat q = quat_add(p->quaternion[k], quat_scale(step->predicted_turn[k], -1.0));
      sum += 0.5 * step->inverse_square * (body->mass[k] * vec3_dot(d, d) + mq * quat_dot(q, q));
    }
    if (step->load) sum -= vec3_dot(step->load[k], vec3_sub(body->position[k], step->start[k]));
    if (bdem_euclid_turns(p, k)) sum += c * (p->multiplier[k] + 0.5 * p->kappa * c);
  }
  return sum;
}

/* Zeroes what a sphere's held components take part in. */
static void hold(const bdem_euclid_problem *p, size_t k, double *x)
{
  unsigned held = p->step->body->held[k];
  for (int d = 0; d < 3; ++d)
    if (held >> d & 1) x[d] = 0.0;
  for (int d = 3; d < BDEM_FREE; ++d)
    if (held >> 3) x[d] = 0.0;
}

double bdem_euclid_gradient(bdem_euclid_problem *p)
{
  const bdem_step_problem *step = p->step;
  const bdem_body *body = step->body;
  memset(p->gradient, 0, body->sphere_count * BDEM_FREE * sizeof *p->gradient);
  for (size_t b = 0; b < body->bond_count; ++b) {
    uint32_t i = body->ends[b][0], j = body->ends[b][1];
    double g[BDEM_EUCLID], *gi = p->gradient + (size_t)BDEM_FREE * i, *gj = p->gradient + (size_t)BDEM_FREE * j;
    bdem_bond_euclid_derivatives(&body->bonds[b], step->hemisphere[b], bond_vector(body, b), p->quaternion[i], p->quaternion[j], g, NULL);
    for (int d = 0; d < 3; ++d) {
      gi[d] -= g[d];
      gj[d] += g[d];
    }
    for (int d = 0; d < 4; ++d) {
      gi[3 + d] += g[3 + d] / body->radius[i];
      gj[3 + d] += g[7 + d] / body->radius[j];
    }
  }
  for (size_t k = 0; k < body->sphere_count; ++k) step->force[k] = vec3(0, 0, 0);
  if (body->contacts) bdem_contacts_add_forces(body->contacts, body, step->force, step->torque); /* of spheres: no torques */
  for (size_t k = 0; k < body->sphere_count; ++k) {
    double *g = p->gradient + BDEM_FREE * k, m = body->mass[k] * step->inverse_square, mq = 1.6 * m * body->radius[k];
    scr_vec3 d = vec3_scale(vec3_sub(body->position[k], step->predicted[k]), m);
    scr_quat q = quat_scale(quat_add(p->quaternion[k], quat_scale(step->predicted_turn[k], -1.0)), mq);
    d = vec3_sub(d, step->force[k]);
    if (step->load) d = vec3_sub(d, step->load[k]);
    q = quat_add(q, quat_scale(p->quaternion[k], (p->multiplier[k] + p->kappa * constraint(p->quaternion[k])) / body->radius[k]));
    double own[BDEM_FREE] = {d.x, d.y, d.z, q.x, q.y, q.z, q.w};
    for (int c = 0; c < BDEM_FREE; ++c) g[c] += own[c];
    hold(p, k, g);
  }
  return la_largest(p->gradient, BDEM_FREE * body->sphere_count, step->execution) / step->force_scale;
}

double bdem_euclid_violation(const bdem_euclid_problem *p)
{
  double largest = 0.0;
  for (size_t k = 0; k < p->step->body->sphere_count; ++k)
    if (bdem_euclid_turns(p, k)) largest = fmax(largest, fabs(constraint(p->quaternion[k])));
  return largest;
}

/* Inertia, and of lambda C + kappa/2 C^2: (lambda + kappa C) I + kappa q q^T, in r dq. */
static void own_terms(bdem_euclid_problem *p, size_t k, bool definite)
{
  const bdem_body *body = p->step->body;
  double *own = p->own + BLOCK * k, inertia = body->mass[k] * p->step->inverse_square, square = body->radius[k] * body->radius[k];
  double q[4] = {p->quaternion[k].x, p->quaternion[k].y, p->quaternion[k].z, p->quaternion[k].w};
  double stress = p->multiplier[k] + p->kappa * constraint(p->quaternion[k]);
  if (definite && stress < 0.0) stress = 0.0;
  memset(own, 0, BLOCK * sizeof *own);
  for (int d = 0; d < 3; ++d) own[8 * d] = inertia;
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c)
      own[BDEM_FREE * (r + 3) + c + 3] = (r == c) * (1.6 * inertia + stress / square) + p->kappa * q[r] * q[c] / square;
}

void bdem_euclid_hessian(bdem_euclid_problem *p, bool definite)
{
  const bdem_body *body = p->step->body;
  for (size_t b = 0; b < body->bond_count; ++b) {
    double gradient[BDEM_EUCLID], *h = p->hessians + BOND * b, length = body->bonds[b].length;
    bdem_bond_euclid_derivatives(&body->bonds[b], p->step->hemisphere[b], bond_vector(body, b), p->quaternion[body->ends[b][0]],
                                 p->quaternion[body->ends[b][1]], gradient, h);
    if (!definite) continue;
    for (int r = 0; r < BDEM_EUCLID; ++r) /* in (e, l0 q_i, l0 q_j) all entries have one unit */
      for (int c = 0; c < BDEM_EUCLID; ++c) h[BDEM_EUCLID * r + c] /= (r < 3 ? 1.0 : length) * (c < 3 ? 1.0 : length);
    la_symmetric_clip(BDEM_EUCLID, h);
    for (int r = 0; r < BDEM_EUCLID; ++r)
      for (int c = 0; c < BDEM_EUCLID; ++c) h[BDEM_EUCLID * r + c] *= (r < 3 ? 1.0 : length) * (c < 3 ? 1.0 : length);
  }
  for (size_t k = 0; k < body->sphere_count; ++k) own_terms(p, k, definite);
}

/* The active contacts one by one, as k n n^T: pairs first, then the rig's parts. False past the last; stiffness 0 when apart. */
static bool contact_at(const bdem_body *body, size_t index, size_t *i, size_t *j, double *stiffness, scr_vec3 *normal)
{
  const bdem_contacts *contacts = body->contacts;
  if (!contacts || index >= contacts->pair_count + contacts->touch_count) return false;
  if (index < contacts->pair_count) {
    const bdem_pair *pair = &contacts->pairs[index];
    *i = pair->i;
    *j = pair->j;
    *stiffness = bdem_pair_overlap(pair, body, normal) > 0.0 ? pair->stiffness : 0.0;
  } else {
    const bdem_touch *touch = &contacts->touches[index - contacts->pair_count];
    *i = *j = touch->sphere;
    *stiffness = bdem_touch_overlap(contacts, touch, body, normal) > 0.0 ? touch->stiffness : 0.0;
  }
  return true;
}

/* Adds the contacts' k n n^T to the diagonal blocks. */
static void add_contact_blocks(const bdem_body *body, double *blocks)
{
  size_t i, j;
  double stiffness;
  scr_vec3 normal;
  for (size_t index = 0; contact_at(body, index, &i, &j, &stiffness, &normal); ++index) {
    if (stiffness == 0.0) continue;
    double n[3] = {normal.x, normal.y, normal.z};
    for (size_t r = 0; r < 3; ++r)
      for (size_t c = 0; c < 3; ++c) {
        blocks[BLOCK * i + BDEM_FREE * r + c] += stiffness * n[r] * n[c];
        if (j != i) blocks[BLOCK * j + BDEM_FREE * r + c] += stiffness * n[r] * n[c];
      }
  }
}

/* y += the contacts' part of H x. */
static void multiply_contacts(const bdem_body *body, const double *x, double *y)
{
  size_t i, j;
  double stiffness;
  scr_vec3 normal;
  for (size_t index = 0; contact_at(body, index, &i, &j, &stiffness, &normal); ++index) {
    if (stiffness == 0.0) continue;
    double n[3] = {normal.x, normal.y, normal.z}, closing = 0.0;
    for (size_t d = 0; d < 3; ++d) closing += stiffness * n[d] * (x[BDEM_FREE * i + d] - (j != i ? x[BDEM_FREE * j + d] : 0.0));
    for (size_t d = 0; d < 3; ++d) {
      y[BDEM_FREE * i + d] += n[d] * closing;
      if (j != i) y[BDEM_FREE * j + d] -= n[d] * closing;
    }
  }
}

/* Lower Cholesky factor with inverted diagonal; false when not positive definite. */
static bool factor_block(const double *a, double *l)
{
  memset(l, 0, BLOCK * sizeof *l);
  for (int r = 0; r < BDEM_FREE; ++r) {
    for (int c = 0; c < r; ++c) {
      double sum = a[BDEM_FREE * r + c];
      for (int k = 0; k < c; ++k) sum -= l[BDEM_FREE * r + k] * l[BDEM_FREE * c + k];
      l[BDEM_FREE * r + c] = sum * l[8 * c];
    }
    double pivot = a[8 * r];
    for (int k = 0; k < r; ++k) pivot -= l[BDEM_FREE * r + k] * l[BDEM_FREE * r + k];
    if (!(pivot > 1e-12 * fabs(a[8 * r]))) return false;
    l[8 * r] = 1.0 / sqrt(pivot);
  }
  return true;
}

/* Adds a bond's part of the diagonal block of one end. */
static void add_end(const double *h, int first, double radius, double *block)
{
  const int index[BDEM_FREE] = {0, 1, 2, first, first + 1, first + 2, first + 3};
  double sign = first == 3 ? -1.0 : 1.0; /* e = p_j - p_i */
  for (int r = 0; r < BDEM_FREE; ++r)
    for (int c = 0; c < BDEM_FREE; ++c)
      block[BDEM_FREE * r + c] += h[BDEM_EUCLID * index[r] + index[c]] * (r < 3 ? sign : 1.0 / radius) * (c < 3 ? sign : 1.0 / radius);
}

void bdem_euclid_factor(bdem_euclid_problem *p, double radial)
{
  const bdem_body *body = p->step->body;
  double *blocks = p->factors; /* whole blocks first, factored in place */
  memcpy(blocks, p->own, body->sphere_count * BLOCK * sizeof *blocks);
  for (size_t b = 0; b < body->bond_count; ++b) {
    uint32_t i = body->ends[b][0], j = body->ends[b][1];
    add_end(p->hessians + BOND * b, 3, body->radius[i], blocks + (size_t)BLOCK * i);
    add_end(p->hessians + BOND * b, 7, body->radius[j], blocks + (size_t)BLOCK * j);
  }
  add_contact_blocks(body, blocks);
  for (size_t k = 0; k < body->sphere_count; ++k) {
    double block[BLOCK], largest = 0.0, q[4] = {p->quaternion[k].x, p->quaternion[k].y, p->quaternion[k].z, p->quaternion[k].w};
    memcpy(block, blocks + BLOCK * k, sizeof block);
    for (int d = 0; d < BDEM_FREE; ++d) largest = fmax(largest, fabs(block[8 * d]));
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c) block[BDEM_FREE * (r + 3) + c + 3] += radial * largest * q[r] * q[c];
    if (factor_block(block, blocks + BLOCK * k)) continue;
    memset(blocks + BLOCK * k, 0, BLOCK * sizeof *blocks);
    for (int d = 0; d < BDEM_FREE; ++d) blocks[BLOCK * k + (size_t)(8 * d)] = block[8 * d] != 0.0 ? 1.0 / sqrt(fabs(block[8 * d])) : 1.0;
  }
}

void bdem_euclid_multiply(const bdem_euclid_problem *p, const double *x, double *y)
{
  const bdem_body *body = p->step->body;
  for (size_t k = 0; k < body->sphere_count; ++k)
    for (size_t r = 0; r < BDEM_FREE; ++r) {
      double sum = 0.0;
      for (size_t c = 0; c < BDEM_FREE; ++c) sum += p->own[BLOCK * k + BDEM_FREE * r + c] * x[BDEM_FREE * k + c];
      y[BDEM_FREE * k + r] = sum;
    }
  for (size_t b = 0; b < body->bond_count; ++b) {
    const double *h = p->hessians + BOND * b;
    size_t i = (size_t)BDEM_FREE * body->ends[b][0], j = (size_t)BDEM_FREE * body->ends[b][1];
    double ri = 1.0 / body->radius[body->ends[b][0]], rj = 1.0 / body->radius[body->ends[b][1]], in[BDEM_EUCLID], out[BDEM_EUCLID];
    for (size_t d = 0; d < 3; ++d) in[d] = x[j + d] - x[i + d];
    for (size_t d = 0; d < 4; ++d) {
      in[3 + d] = ri * x[i + 3 + d];
      in[7 + d] = rj * x[j + 3 + d];
    }
    for (int r = 0; r < BDEM_EUCLID; ++r) {
      out[r] = 0.0;
      for (int c = 0; c < BDEM_EUCLID; ++c) out[r] += h[BDEM_EUCLID * r + c] * in[c];
    }
    for (size_t d = 0; d < 3; ++d) {
      y[i + d] -= out[d];
      y[j + d] += out[d];
    }
    for (size_t d = 0; d < 4; ++d) {
      y[i + 3 + d] += ri * out[3 + d];
      y[j + 3 + d] += rj * out[7 + d];
    }
  }
  multiply_contacts(body, x, y);
  for (size_t k = 0; k < body->sphere_count; ++k) hold(p, k, y + BDEM_FREE * k);
}

void bdem_euclid_precondition(const bdem_euclid_problem *p, const double *r, double *z)
{
  for (size_t k = 0; k < p->step->body->sphere_count; ++k) {
    const double *l = p->factors + BLOCK * k;
    double *x = z + BDEM_FREE * k;
    memcpy(x, r + BDEM_FREE * k, BDEM_FREE * sizeof *x);
    for (int row = 0; row < BDEM_FREE; ++row) {
      for (int c = 0; c < row; ++c) x[row] -= l[BDEM_FREE * row + c] * x[c];
      x[row] *= l[8 * row];
    }
    for (int row = BDEM_FREE - 1; row >= 0; --row) {
      for (int c = row + 1; c < BDEM_FREE; ++c) x[row] -= l[BDEM_FREE * c + row] * x[c];
      x[row] *= l[8 * row];
    }
    hold(p, k, x);
  }
}

void bdem_euclid_set_base(bdem_euclid_problem *p)
{
  bdem_step_set_base(p->step);
  memcpy(p->base, p->quaternion, p->step->body->sphere_count * sizeof *p->base);
}

void bdem_euclid_move(bdem_euclid_problem *p, double alpha)
{
  bdem_body *body = p->step->body;
  for (size_t k = 0; k < body->sphere_count; ++k) {
    const double *d = p->change + BDEM_FREE * k;
    double turn = alpha / body->radius[k];
    body->position[k] = vec3_add(p->step->base[k], vec3(alpha * d[0], alpha * d[1], alpha * d[2]));
    p->quaternion[k] = quat_add(p->base[k], quat(turn * d[3], turn * d[4], turn * d[5], turn * d[6]));
    body->orientation[k] = bdem_euclid_turns(p, k) ? quat_normalise(p->quaternion[k]) : p->quaternion[k];
  }
}

double bdem_euclid_largest_turn(const bdem_euclid_problem *p)
{
  double largest = 0.0;
  for (size_t k = 0; k < p->step->body->sphere_count; ++k)
    for (size_t d = 3; d < BDEM_FREE; ++d) largest = fmax(largest, fabs(p->change[BDEM_FREE * k + d]) / p->step->body->radius[k]);
  return largest;
}
