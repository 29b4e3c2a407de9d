/** Storage, states and derivatives of a step's objective. */
#include "methods/bdem/implicit/step_problem.h"

#include <float.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/vector.h"
#include "methods/bdem/bonds/bond_batch.h"
#include "methods/bdem/contact/contact.h"

enum { FIELDS = 14 };
static const sim_field fields[FIELDS] = {
    FIELD_ARRAY("blocks of bonds", bdem_step_problem, slots, bond_count, 0),
    FIELD_ARRAY("hemispheres of bonds", bdem_step_problem, hemisphere, bond_count, 0),
    FIELD_ARRAY("corners of bonds", bdem_step_problem, corners, bond_count, 0),
    FIELD_ARRAY("forces of bonds", bdem_step_problem, bond_force, bond_count, 0),
    FIELD_ARRAY("places at the start", bdem_step_problem, start, sphere_count, 0),
    FIELD_ARRAY("predicted places", bdem_step_problem, predicted, sphere_count, 0),
    FIELD_ARRAY("places of the line search", bdem_step_problem, base, sphere_count, 0),
    FIELD_ARRAY("forces", bdem_step_problem, force, sphere_count, 0),
    FIELD_ARRAY("torques", bdem_step_problem, torque, sphere_count, 0),
    FIELD_ARRAY("orientations at the start", bdem_step_problem, turned, sphere_count, 0),
    FIELD_ARRAY("predicted orientations", bdem_step_problem, predicted_turn, sphere_count, 0),
    FIELD_ARRAY("orientations of the line search", bdem_step_problem, base_turn, sphere_count, 0),
    FIELD_ROWS("right-hand sides", bdem_step_problem, right, sphere_count, 6, 0),
    FIELD_ARRAY("vectors of the linear solver", bdem_step_problem, scratch, scratch_count, 0),
};

scr_status bdem_step_problem_create(const bdem_body *body, bdem_step_problem *problem, scr_error *error)
{
  size_t n = body->sphere_count;
  bdem_step_problem *p = problem;
  *p = (bdem_step_problem){.sphere_count = n, .bond_count = body->bond_count, .scratch_count = la_pcg_scratch(n)};
  scr_status status = fields_allocate(fields, FIELDS, p, error);
  if (status == SCR_OK) status = bdem_step_origin_create(&p->origin, n, error);
  if (status == SCR_OK) status = bdem_step_pattern_create(p, body, error);
  if (status == SCR_OK)
    status = la_preconditioner_create(p->preconditioner_kind = LA_BLOCK_CHOLESKY, execution_of(1), &p->preconditioner, error);
  if (status != SCR_OK) bdem_step_problem_destroy(p);
  return status;
}

void bdem_step_problem_destroy(bdem_step_problem *p)
{
  la_block_matrix_destroy(&p->matrix);
  la_preconditioner_destroy(&p->preconditioner);
  bdem_step_origin_clear(&p->origin);
  fields_free(fields, FIELDS, p);
  mem_free(p->modes);
  mem_free(p->bond_of);
  *p = (bdem_step_problem){0};
}

/* Held bits 0-2 for positions; shift by 3 for turns. */
static scr_vec3 released(scr_vec3 v, unsigned held)
{
  return vec3(held & 1 ? 0.0 : v.x, held & 2 ? 0.0 : v.y, held & 4 ? 0.0 : v.z);
}

/* A short step's inertia is far stiffer than bonds are, and takes the last bit of a place, or of a quaternion, for a force. */
static void largest_reach(const void *user, size_t begin, size_t end, double *worst)
{
  const bdem_body *body = user;
  for (size_t k = begin; k < end; ++k) {
    scr_vec3 at = body->position[k];
    double reach = fmax(fabs(at.x), fmax(fabs(at.y), fabs(at.z))) + 2.0 * body->radius[k];
    *worst = fmax(*worst, body->mass[k] * reach);
  }
}

static double rounding_of(const bdem_step_problem *p)
{
  double worst = 0.0;
  execution_largest(p->execution, p->body->sphere_count, 1, largest_reach, p->body, &worst);
  return 2.0 * DBL_EPSILON * p->inverse_square * worst / p->force_scale;
}

void bdem_step_begin(bdem_step_problem *p, bdem_body *body, const scr_vec3 *load, double time_step, double force_scale,
                     scr_execution execution)
{
  bool moving = isfinite(time_step);
  p->body = body;
  p->load = load;
  p->time_step = time_step;
  p->inverse_square = moving ? 1.0 / (time_step * time_step) : 0.0;
  p->force_scale = force_scale;
  p->execution = execution;
  p->rounding = rounding_of(p);
#pragma omp parallel for schedule(static) num_threads(execution.threads)
  for (size_t b = 0; b < body->bond_count; ++b)
    p->hemisphere[b] = quat_dot(body->orientation[body->ends[b][0]], body->orientation[body->ends[b][1]]) < 0.0 ? -1 : 1;
#pragma omp parallel for schedule(static) num_threads(execution.threads)
  for (size_t k = 0; k < body->sphere_count; ++k) {
    p->start[k] = p->predicted[k] = body->position[k];
    p->turned[k] = p->predicted_turn[k] = body->orientation[k];
    if (!moving) continue;
    scr_vec3 turn = vec3_scale(released(body->spin[k], body->held[k] >> 3), time_step);
    p->predicted[k] = vec3_add(body->position[k], vec3_scale(released(body->velocity[k], body->held[k]), time_step));
    p->predicted_turn[k] = quat_normalise(quat_multiply(quat_exp(turn), body->orientation[k]));
  }
}

double bdem_step_guess(bdem_step_problem *p, bool prediction_only)
{
  bdem_body *body = p->body;
  double still = bdem_step_objective(p);
  if (!isfinite(p->time_step)) return still;
  memcpy(body->position, p->predicted, body->sphere_count * sizeof *p->predicted);
  memcpy(body->orientation, p->predicted_turn, body->sphere_count * sizeof *p->predicted_turn);
  double predicted = bdem_step_objective(p);
  if (prediction_only ? isfinite(predicted) : predicted <= still) return predicted;
  bdem_step_restore(p);
  return still;
}

enum { BLOCK = 512 /* spheres of a sum */ };

/* Inertia and load of spheres, J. */
static void spheres_energy(const void *user, size_t begin, size_t end, double *energy)
{
  const bdem_step_problem *p = user;
  const bdem_body *body = p->body;
  double sum = 0.0;
  for (size_t k = begin; k < end; ++k) {
    if (p->inverse_square > 0.0) {
      double mq = 1.6 * body->mass[k] * body->radius[k] * body->radius[k];
      scr_vec3 d = vec3_sub(body->position[k], p->predicted[k]);
      scr_quat q = quat_add(body->orientation[k], quat_scale(p->predicted_turn[k], -1.0));
      sum += 0.5 * p->inverse_square * (body->mass[k] * vec3_dot(d, d) + mq * quat_dot(q, q));
    }
    if (p->load) sum -= vec3_dot(p->load[k], vec3_sub(body->position[k], p->start[k]));
  }
  *energy += sum;
}

double bdem_step_elastic(const bdem_step_problem *p)
{
  return bdem_bonds_energy(p->body, p->hemisphere, p->execution);
}

static void count_turned(const void *user, size_t begin, size_t end, double *count)
{
  const bdem_step_problem *p = user;
  const bdem_body *body = p->body;
  for (size_t b = begin; b < end; ++b) {
    double cosine = quat_dot(body->orientation[body->ends[b][0]], body->orientation[body->ends[b][1]]);
    *count += !(p->hemisphere[b] * cosine >= BDEM_LEAST_COSINE);
  }
}

bool bdem_step_admissible(const bdem_step_problem *p)
{
  return execution_count(p->execution, p->body->bond_count, count_turned, p) == 0;
}

double bdem_step_objective(const bdem_step_problem *p)
{
  const bdem_body *body = p->body;
  double elastic = bdem_step_elastic(p), sum = 0.0;
  if (isinf(elastic)) return INFINITY;
  execution_sum(p->execution, body->sphere_count, BLOCK, 1, spheres_energy, p, &sum);
  if (body->contacts) sum += bdem_pairs_energy(body->contacts, body) + bdem_touches_energy(body->contacts, body);
  if (bdem_step_has_friction(p)) {
    bdem_slide_view view = bdem_step_slide_view(p);
    sum += bdem_slides_energy(&view);
  }
  return sum + elastic;
}

/* Force and torque of a row's bonds on its sphere. */
static void gather_row(const bdem_step_problem *p, size_t row)
{
  scr_vec3 force = vec3(0, 0, 0), torque = force;
  for (size_t k = p->matrix.first[row]; k < p->matrix.first[row + 1]; ++k) {
    uint32_t b = p->bond_of[k];
    if (b == BDEM_NO_BOND) continue;
    const bdem_bond_force *f = &p->bond_force[b];
    bool first = p->body->ends[b][0] == row;
    force = first ? vec3_sub(force, f->force_j) : vec3_add(force, f->force_j);
    torque = vec3_add(torque, first ? f->torque_i : f->torque_j);
  }
  p->force[row] = force;
  p->torque[row] = torque;
}

/* Bond by bond, then sphere by sphere. */
static void scalar_forces(const bdem_step_problem *p)
{
  const bdem_body *body = p->body;
#pragma omp parallel num_threads(p->execution.threads)
  {
#pragma omp for schedule(static)
    for (size_t b = 0; b < body->bond_count; ++b) {
      uint32_t i = body->ends[b][0], j = body->ends[b][1];
      p->bond_force[b] =
          bdem_bond_force_of(&body->bonds[b], vec3_sub(body->position[j], body->position[i]), body->orientation[i], body->orientation[j]);
    }
#pragma omp for schedule(static)
    for (size_t row = 0; row < body->sphere_count; ++row) gather_row(p, row);
  }
}

void bdem_step_forces(const bdem_step_problem *p)
{
  const bdem_body *body = p->body;
  if (body->batches)
    bdem_batches_forces(body->batches, body, p->force, p->torque);
  else
    scalar_forces(p);
  if (body->contacts) bdem_contacts_add_forces(body->contacts, body, p->force, p->torque);
  if (bdem_step_has_friction(p)) {
    bdem_slide_view view = bdem_step_slide_view(p);
    bdem_slides_add_forces(&view, p->exact_torque, p->force, p->torque);
  }
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
  bdem_step_forces(p);
#pragma omp parallel for schedule(static) num_threads(p->execution.threads)
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
  return la_largest(gradient, 6 * body->sphere_count, p->execution) / p->force_scale;
}

typedef struct turns {
  const bdem_body *body;
  const double *step;
} turns;

static void largest_turn(const void *user, size_t begin, size_t end, double *largest)
{
  const turns *t = user;
  for (size_t k = begin; k < end; ++k)
    for (size_t d = 3; d < 6; ++d) *largest = fmax(*largest, fabs(t->step[6 * k + d]) / t->body->radius[k]);
}

double bdem_step_largest_turn(const bdem_step_problem *p, const double *step)
{
  const turns t = {p->body, step};
  double largest = 0.0;
  execution_largest(p->execution, p->body->sphere_count, 1, largest_turn, &t, &largest);
  return largest;
}

void bdem_step_set_base(bdem_step_problem *p)
{
  memcpy(p->base, p->body->position, p->body->sphere_count * sizeof *p->base);
  memcpy(p->base_turn, p->body->orientation, p->body->sphere_count * sizeof *p->base_turn);
}

void bdem_step_move(const bdem_step_problem *p, const double *step, double alpha)
{
  bdem_body *body = p->body;
#pragma omp parallel for schedule(static) num_threads(p->execution.threads)
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
#pragma omp parallel for schedule(static) num_threads(p->execution.threads)
  for (size_t k = 0; k < body->sphere_count; ++k) {
    body->velocity[k] = vec3_scale(vec3_sub(body->position[k], p->start[k]), 1.0 / p->time_step);
    body->spin[k] = vec3_scale(quat_log(quat_multiply(body->orientation[k], quat_conjugate(p->turned[k]))), 1.0 / p->time_step);
  }
}

void bdem_step_restore(const bdem_step_problem *p)
{
  memcpy(p->body->position, p->start, p->body->sphere_count * sizeof *p->start);
  memcpy(p->body->orientation, p->turned, p->body->sphere_count * sizeof *p->turned);
}
