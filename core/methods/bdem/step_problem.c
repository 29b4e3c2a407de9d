/** Storage, states and derivatives of a step's objective. */
#include "methods/bdem/step_problem.h"

#include <string.h>

#include "base/memory.h"
#include "linalg/vector.h"
#include "methods/bdem/contact.h"

/* The matrix's pattern: bonds, and pairs that may touch. */
static scr_status create_matrix(const bdem_body *body, la_block_matrix *matrix, scr_error *error)
{
  size_t contacts = body->contacts ? body->contacts->pair_count : 0, count = body->bond_count + contacts;
  uint32_t(*pairs)[2] = contacts ? mem_array(count, sizeof *pairs) : body->ends;
  if (!pairs) return scr_fail_memory(error, "an implicit step", count * sizeof *pairs);
  for (size_t b = 0; contacts && b < body->bond_count; ++b) memcpy(pairs[b], body->ends[b], sizeof *pairs);
  for (size_t k = 0; k < contacts; ++k) {
    pairs[body->bond_count + k][0] = body->contacts->pairs[k].i;
    pairs[body->bond_count + k][1] = body->contacts->pairs[k].j;
  }
  scr_status status = la_block_matrix_create(body->sphere_count, (const uint32_t(*)[2])pairs, count, matrix, error);
  if (pairs != body->ends) mem_free(pairs);
  return status;
}

scr_status bdem_step_problem_create(const bdem_body *body, bdem_step_problem *problem, scr_error *error)
{
  size_t n = body->sphere_count;
  bdem_step_problem *p = problem;
  *p = (bdem_step_problem){0};
  p->slots = mem_array(body->bond_count, sizeof *p->slots);
  p->hemisphere = mem_array(body->bond_count, sizeof *p->hemisphere);
  scr_vec3 **vectors[] = {&p->start, &p->predicted, &p->base, &p->force, &p->torque};
  scr_quat **turns[] = {&p->turned, &p->predicted_turn, &p->base_turn};
  bool complete = p->slots && p->hemisphere;
  for (int k = 0; k < 5; ++k) complete = (*vectors[k] = mem_array(n, sizeof(scr_vec3))) && complete;
  for (int k = 0; k < 3; ++k) complete = (*turns[k] = mem_array(n, sizeof(scr_quat))) && complete;
  p->right = mem_array(n, 6 * sizeof *p->right);
  p->scratch = mem_array(la_pcg_scratch(n), sizeof *p->scratch);
  scr_status status = complete && p->right && p->scratch ? SCR_OK : scr_fail_memory(error, "an implicit step", n * 500);
  if (status == SCR_OK) status = create_matrix(body, &p->matrix, error);
  if (status == SCR_OK) status = la_preconditioner_create(p->preconditioner_kind = LA_BLOCK_CHOLESKY, 1, &p->preconditioner, error);
  if (status != SCR_OK) {
    bdem_step_problem_destroy(p);
    return status;
  }
  for (size_t b = 0; b < body->bond_count; ++b) {
    uint32_t i = body->ends[b][0], j = body->ends[b][1];
    p->slots[b][0] = p->matrix.diagonal[i];
    p->slots[b][1] = p->matrix.diagonal[j];
    p->slots[b][2] = la_block_matrix_slot(&p->matrix, i, j);
    p->slots[b][3] = la_block_matrix_slot(&p->matrix, j, i);
  }
  return SCR_OK;
}

void bdem_step_problem_destroy(bdem_step_problem *p)
{
  la_block_matrix_destroy(&p->matrix);
  la_preconditioner_destroy(&p->preconditioner);
  void *arrays[] = {p->slots,     p->hemisphere, p->start,  p->turned, p->predicted, p->predicted_turn, p->base,
                    p->base_turn, p->force,      p->torque, p->right,  p->scratch,   p->modes};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) mem_free(arrays[k]);
  *p = (bdem_step_problem){0};
}

/* Held bits 0-2 for positions; shift by 3 for turns. */
static scr_vec3 released(scr_vec3 v, unsigned held)
{
  return vec3(held & 1 ? 0.0 : v.x, held & 2 ? 0.0 : v.y, held & 4 ? 0.0 : v.z);
}

void bdem_step_begin(bdem_step_problem *p, bdem_body *body, const scr_vec3 *load, double time_step, double force_scale, unsigned threads)
{
  bool moving = isfinite(time_step);
  p->body = body;
  p->load = load;
  p->time_step = time_step;
  p->inverse_square = moving ? 1.0 / (time_step * time_step) : 0.0;
  p->force_scale = force_scale;
  p->threads = threads;
  for (size_t b = 0; b < body->bond_count; ++b)
    p->hemisphere[b] = quat_dot(body->orientation[body->ends[b][0]], body->orientation[body->ends[b][1]]) < 0.0 ? -1 : 1;
  for (size_t k = 0; k < body->sphere_count; ++k) {
    p->start[k] = p->predicted[k] = body->position[k];
    p->turned[k] = p->predicted_turn[k] = body->orientation[k];
    if (!moving) continue;
    scr_vec3 turn = vec3_scale(released(body->spin[k], body->held[k] >> 3), time_step);
    p->predicted[k] = vec3_add(body->position[k], vec3_scale(released(body->velocity[k], body->held[k]), time_step));
    p->predicted_turn[k] = quat_normalise(quat_multiply(quat_exp(turn), body->orientation[k]));
  }
}

void bdem_step_guess(bdem_step_problem *p, bool prediction_only)
{
  bdem_body *body = p->body;
  if (!isfinite(p->time_step)) return;
  double still = bdem_step_objective(p);
  for (size_t k = 0; k < body->sphere_count; ++k) {
    body->position[k] = p->predicted[k];
    body->orientation[k] = p->predicted_turn[k];
  }
  double predicted = bdem_step_objective(p);
  if (!(prediction_only ? isfinite(predicted) : predicted <= still)) bdem_step_restore(p);
}

bool bdem_step_admissible(const bdem_step_problem *p)
{
  const bdem_body *body = p->body;
  for (size_t b = 0; b < body->bond_count; ++b)
    if (!(p->hemisphere[b] * quat_dot(body->orientation[body->ends[b][0]], body->orientation[body->ends[b][1]]) >= 0.1)) return false;
  return true;
}

double bdem_step_objective(const bdem_step_problem *p)
{
  const bdem_body *body = p->body;
  double sum = 0.0;
  if (!bdem_step_admissible(p)) return INFINITY;
  for (size_t k = 0; k < body->sphere_count; ++k) {
    if (p->inverse_square > 0.0) {
      double mq = 1.6 * body->mass[k] * body->radius[k] * body->radius[k];
      scr_vec3 d = vec3_sub(body->position[k], p->predicted[k]);
      scr_quat q = quat_add(body->orientation[k], quat_scale(p->predicted_turn[k], -1.0));
      sum += 0.5 * p->inverse_square * (body->mass[k] * vec3_dot(d, d) + mq * quat_dot(q, q));
    }
    if (p->load) sum -= vec3_dot(p->load[k], vec3_sub(body->position[k], p->start[k]));
  }
  if (body->contacts) sum += bdem_pairs_energy(body->contacts, body) + bdem_touches_energy(body->contacts, body);
  return sum + bdem_body_energy(body);
}

static void put(double *g, scr_vec3 v)
{
  g[0] = v.x;
  g[1] = v.y;
  g[2] = v.z;
}

double bdem_step_gradient(const bdem_step_problem *p, double *gradient)
{
  const bdem_body *body = p->body;
  for (size_t k = 0; k < body->sphere_count; ++k) p->force[k] = p->torque[k] = vec3(0, 0, 0);
  bdem_body_add_forces(body, p->force, p->torque);
  if (body->contacts) bdem_contacts_add_forces(body->contacts, body, p->force);
  for (size_t k = 0; k < body->sphere_count; ++k) {
    scr_vec3 gp = vec3_scale(p->force[k], -1.0), gy = vec3_scale(p->torque[k], -2.0);
    if (p->load) gp = vec3_sub(gp, p->load[k]);
    if (p->inverse_square > 0.0) {
      double mq = 1.6 * body->mass[k] * body->radius[k] * body->radius[k];
      scr_quat lag = quat_multiply(p->predicted_turn[k], quat_conjugate(body->orientation[k]));
      gp = vec3_add(gp, vec3_scale(vec3_sub(body->position[k], p->predicted[k]), body->mass[k] * p->inverse_square));
      gy = vec3_sub(gy, vec3_scale(quat_vector(lag), mq * p->inverse_square));
    }
    put(gradient + 6 * k, released(gp, body->held[k]));
    put(gradient + 6 * k + 3, released(vec3_scale(gy, 1.0 / body->radius[k]), body->held[k] >> 3));
  }
  return la_largest(gradient, 6 * body->sphere_count) / p->force_scale;
}

/* block += scale a, or scale a^T, at a 3 x 3 corner of a 6 x 6 block. */
static void add_corner(double *block, int row, int column, const double *a, double scale, bool transposed)
{
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) block[6 * (3 * row + r) + 3 * column + c] += scale * (transposed ? a[3 * c + r] : a[3 * r + c]);
}

/* The 9 x 9 Hessian in (e, y_i, y_j) spread over the unknowns of both ends: e = p_j - p_i, y = z / r. */
static void add_bond(const bdem_step_problem *p, size_t b, bdem_curvature curvature)
{
  const bdem_body *body = p->body;
  uint32_t i = body->ends[b][0], j = body->ends[b][1];
  double si = 1.0 / body->radius[i], sj = 1.0 / body->radius[j], *values = p->matrix.values;
  const size_t *slot = p->slots[b];
  double *ii = values + 36 * slot[0], *jj = values + 36 * slot[1], *ij = values + 36 * slot[2], *ji = values + 36 * slot[3];
  bdem_bond_hessian h;
  bdem_bond_hessian_of(&body->bonds[b], vec3_sub(body->position[j], body->position[i]), body->orientation[i], body->orientation[j],
                       curvature, &h);
  add_corner(ii, 0, 0, h.ee, 1.0, false);
  add_corner(ii, 0, 1, h.ei, -si, false);
  add_corner(ii, 1, 0, h.ei, -si, true);
  add_corner(ii, 1, 1, h.ii, si * si, false);
  add_corner(jj, 0, 0, h.ee, 1.0, false);
  add_corner(jj, 0, 1, h.ej, sj, false);
  add_corner(jj, 1, 0, h.ej, sj, true);
  add_corner(jj, 1, 1, h.jj, sj * sj, false);
  add_corner(ij, 0, 0, h.ee, -1.0, false);
  add_corner(ij, 0, 1, h.ej, -sj, false);
  add_corner(ij, 1, 0, h.ei, si, true);
  add_corner(ij, 1, 1, h.ij, si * sj, false);
  add_corner(ji, 0, 0, h.ee, -1.0, false);
  add_corner(ji, 1, 0, h.ej, -sj, true);
  add_corner(ji, 0, 1, h.ei, si, false);
  add_corner(ji, 1, 1, h.ij, si * sj, true);
}

void bdem_step_bond_hessian(bdem_step_problem *p, bdem_curvature curvature)
{
  la_block_matrix_clear(&p->matrix);
  for (size_t b = 0; b < p->body->bond_count; ++b) add_bond(p, b, curvature);
  if (p->body->contacts) bdem_contacts_add_hessian(p->body->contacts, p->body, &p->matrix);
}

void bdem_step_hessian(bdem_step_problem *p, bdem_curvature curvature)
{
  const bdem_body *body = p->body;
  bdem_step_bond_hessian(p, curvature);
  for (size_t k = 0; k < body->sphere_count; ++k) {
    double *block = p->matrix.values + 36 * p->matrix.diagonal[k], inertia = body->mass[k] * p->inverse_square;
    double turn = 1.6 * inertia * quat_dot(body->orientation[k], p->predicted_turn[k]);
    if (curvature != BDEM_CURVATURE_EXACT && turn < 0.0) turn = 0.0;
    for (int d = 0; d < 3; ++d) {
      block[7 * d] += inertia;
      block[7 * (d + 3)] += turn;
    }
  }
  bdem_step_hold(p);
}

void bdem_step_hold(bdem_step_problem *p)
{
  la_block_matrix *matrix = &p->matrix;
  for (size_t row = 0; row < matrix->row_count; ++row)
    for (size_t k = matrix->first[row]; k < matrix->first[row + 1]; ++k) {
      unsigned held_row = p->body->held[row], held_column = p->body->held[matrix->column[k]];
      if (!(held_row | held_column)) continue;
      for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c)
          if ((held_row >> r | held_column >> c) & 1) matrix->values[36 * k + (size_t)(6 * r + c)] = k == matrix->diagonal[row] && r == c;
    }
}

double bdem_step_largest_turn(const bdem_step_problem *p, const double *step)
{
  double largest = 0.0;
  for (size_t k = 0; k < p->body->sphere_count; ++k)
    for (size_t d = 3; d < 6; ++d) largest = fmax(largest, fabs(step[6 * k + d]) / p->body->radius[k]);
  return largest;
}

void bdem_step_set_base(bdem_step_problem *p)
{
  for (size_t k = 0; k < p->body->sphere_count; ++k) {
    p->base[k] = p->body->position[k];
    p->base_turn[k] = p->body->orientation[k];
  }
}

void bdem_step_move(const bdem_step_problem *p, const double *step, double alpha)
{
  bdem_body *body = p->body;
  for (size_t k = 0; k < body->sphere_count; ++k) {
    const double *d = step + 6 * k;
    body->position[k] = vec3_add(p->base[k], vec3(alpha * d[0], alpha * d[1], alpha * d[2]));
    scr_vec3 turn = vec3_scale(vec3(d[3], d[4], d[5]), 2.0 * alpha / body->radius[k]);
    body->orientation[k] = quat_normalise(quat_multiply(quat_exp(turn), p->base_turn[k]));
  }
}

void bdem_step_finish(const bdem_step_problem *p)
{
  bdem_body *body = p->body;
  if (!isfinite(p->time_step)) return;
  for (size_t k = 0; k < body->sphere_count; ++k) {
    body->velocity[k] = vec3_scale(vec3_sub(body->position[k], p->start[k]), 1.0 / p->time_step);
    body->spin[k] = vec3_scale(quat_log(quat_multiply(body->orientation[k], quat_conjugate(p->turned[k]))), 1.0 / p->time_step);
  }
}

void bdem_step_restore(const bdem_step_problem *p)
{
  for (size_t k = 0; k < p->body->sphere_count; ++k) {
    p->body->position[k] = p->start[k];
    p->body->orientation[k] = p->turned[k];
  }
}
