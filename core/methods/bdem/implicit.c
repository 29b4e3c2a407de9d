/** Damped Newton on the product of R^3 and the unit 3-sphere. Unknowns per sphere: dp and z = r y (y half a rotation vector about
 *  world axes), so that all six have the unit metre and all residuals newtons. Steps follow geodesics. */
#include "methods/bdem/implicit.h"

#include "base/memory.h"
#include "linalg/vector.h"

struct bdem_implicit {
  la_block_matrix matrix;
  la_preconditioner preconditioner;
  size_t (*slots)[4];                /* [b] of blocks ii, jj, ij, ji */
  scr_vec3 *start, *predicted;       /* [n] p_n, p^ */
  scr_quat *turned, *predicted_turn; /* [n] q_n, q^ */
  scr_vec3 *base;                    /* [n] line search origin */
  scr_quat *base_turn;
  scr_vec3 *force, *torque; /* [n] */
  double *gradient, *right, *step, *scratch;
};

/* What one step keeps at hand. */
typedef struct newton {
  bdem_implicit *solver;
  bdem_body *body;
  const scr_vec3 *load;
  const bdem_implicit_options *options;
  double inverse_square; /* 1/dt^2 */
} newton;

scr_status bdem_implicit_create(const bdem_body *body, bdem_implicit **solver, scr_error *error)
{
  bdem_implicit *s = mem_array(1, sizeof *s);
  size_t n = body->sphere_count;
  *solver = NULL;
  if (!s) return scr_fail_memory(error, "an implicit solver", sizeof *s);
  s->slots = mem_array(body->bond_count, sizeof *s->slots);
  scr_vec3 **vectors[] = {&s->start, &s->predicted, &s->base, &s->force, &s->torque};
  scr_quat **turns[] = {&s->turned, &s->predicted_turn, &s->base_turn};
  double **reals[] = {&s->gradient, &s->right, &s->step};
  bool complete = s->slots != NULL;
  for (int k = 0; k < 5; ++k) complete = (*vectors[k] = mem_array(n, sizeof(scr_vec3))) && complete;
  for (int k = 0; k < 3; ++k) complete = (*turns[k] = mem_array(n, sizeof(scr_quat))) && complete;
  for (int k = 0; k < 3; ++k) complete = (*reals[k] = mem_array(n, 6 * sizeof(double))) && complete;
  s->scratch = mem_array(la_pcg_scratch(n), sizeof(double));
  scr_status status = complete && s->scratch ? SCR_OK : scr_fail_memory(error, "an implicit solver", n * 600);
  if (status == SCR_OK) status = la_block_matrix_create(n, (const uint32_t(*)[2])body->ends, body->bond_count, &s->matrix, error);
  if (status == SCR_OK) status = la_block_cholesky_create(&s->preconditioner, error);
  if (status != SCR_OK) {
    bdem_implicit_destroy(s);
    return status;
  }
  for (size_t b = 0; b < body->bond_count; ++b) {
    uint32_t i = body->ends[b][0], j = body->ends[b][1];
    s->slots[b][0] = s->matrix.diagonal[i];
    s->slots[b][1] = s->matrix.diagonal[j];
    s->slots[b][2] = la_block_matrix_slot(&s->matrix, i, j);
    s->slots[b][3] = la_block_matrix_slot(&s->matrix, j, i);
  }
  *solver = s;
  return SCR_OK;
}

void bdem_implicit_destroy(bdem_implicit *s)
{
  if (!s) return;
  la_block_matrix_destroy(&s->matrix);
  la_preconditioner_destroy(&s->preconditioner);
  void *arrays[] = {s->slots, s->start,  s->predicted, s->turned, s->predicted_turn, s->base,    s->base_turn,
                    s->force, s->torque, s->gradient,  s->right,  s->step,           s->scratch, s};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) mem_free(arrays[k]);
}

/* Phi up to a constant. INFINITY where a bond's ends are turned against each other by almost 180 degrees: the shear energy jumps
 * there, so the line search must not go near it. */
static double objective(const newton *t)
{
  const bdem_body *body = t->body;
  double sum = 0.0;
  for (size_t b = 0; b < body->bond_count; ++b)
    if (!(fabs(quat_dot(body->orientation[body->ends[b][0]], body->orientation[body->ends[b][1]])) >= 0.1)) return INFINITY;
  for (size_t k = 0; k < body->sphere_count; ++k) {
    double mq = 1.6 * body->mass[k] * body->radius[k] * body->radius[k];
    if (t->inverse_square > 0.0) {
      scr_vec3 d = vec3_sub(body->position[k], t->solver->predicted[k]);
      scr_quat q = quat_add(body->orientation[k], quat_scale(t->solver->predicted_turn[k], -1.0));
      sum += 0.5 * t->inverse_square * (body->mass[k] * vec3_dot(d, d) + mq * quat_dot(q, q));
    }
    if (t->load) sum -= vec3_dot(t->load[k], vec3_sub(body->position[k], t->solver->start[k]));
  }
  return sum + bdem_body_energy(body);
}

static void put(double *g, scr_vec3 v, double scale, unsigned held)
{
  g[0] = held & 1 ? 0.0 : scale * v.x;
  g[1] = held & 2 ? 0.0 : scale * v.y;
  g[2] = held & 4 ? 0.0 : scale * v.z;
}

/* The reduced gradient (dp, z); zero where held. Returns its largest entry over the force scale. */
static double gradient(const newton *t)
{
  bdem_implicit *s = t->solver;
  bdem_body *body = t->body;
  for (size_t k = 0; k < body->sphere_count; ++k) s->force[k] = s->torque[k] = vec3(0, 0, 0);
  bdem_body_add_forces(body, s->force, s->torque);
  for (size_t k = 0; k < body->sphere_count; ++k) {
    scr_vec3 gp = vec3_scale(s->force[k], -1.0), gy = vec3_scale(s->torque[k], -2.0);
    if (t->load) gp = vec3_sub(gp, t->load[k]);
    if (t->inverse_square > 0.0) {
      double mq = 1.6 * body->mass[k] * body->radius[k] * body->radius[k];
      scr_quat lag = quat_multiply(s->predicted_turn[k], quat_conjugate(body->orientation[k]));
      gp = vec3_add(gp, vec3_scale(vec3_sub(body->position[k], s->predicted[k]), body->mass[k] * t->inverse_square));
      gy = vec3_sub(gy, vec3_scale(quat_vector(lag), mq * t->inverse_square));
    }
    put(s->gradient + 6 * k, gp, 1.0, body->held[k]);
    put(s->gradient + 6 * k + 3, gy, 1.0 / body->radius[k], body->held[k] >> 3);
  }
  return la_largest(s->gradient, 6 * body->sphere_count) / t->options->force_scale;
}

/* block += scale a, or scale a^T, at a 3 x 3 corner of a 6 x 6 block. */
static void add_corner(double *block, int row, int column, const double *a, double scale, bool transposed)
{
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) block[6 * (3 * row + r) + 3 * column + c] += scale * (transposed ? a[3 * c + r] : a[3 * r + c]);
}

/* The 9 x 9 Hessian in (e, y_i, y_j) spread over the unknowns of both ends: e = p_j - p_i, y = z / r. */
static void add_bond(const newton *t, size_t b, bdem_curvature curvature)
{
  const bdem_body *body = t->body;
  uint32_t i = body->ends[b][0], j = body->ends[b][1];
  double si = 1.0 / body->radius[i], sj = 1.0 / body->radius[j], *values = t->solver->matrix.values;
  const size_t *slot = t->solver->slots[b];
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

/* Rows and columns of held unknowns become those of the identity. */
static void hold(const newton *t)
{
  la_block_matrix *matrix = &t->solver->matrix;
  for (size_t row = 0; row < matrix->row_count; ++row)
    for (size_t k = matrix->first[row]; k < matrix->first[row + 1]; ++k) {
      unsigned held_row = t->body->held[row], held_column = t->body->held[matrix->column[k]];
      if (!(held_row | held_column)) continue;
      for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c)
          if ((held_row >> r | held_column >> c) & 1) matrix->values[36 * k + (size_t)(6 * r + c)] = k == matrix->diagonal[row] && r == c;
    }
}

static void assemble(const newton *t, bdem_curvature curvature)
{
  bdem_implicit *s = t->solver;
  const bdem_body *body = t->body;
  la_block_matrix_clear(&s->matrix);
  for (size_t k = 0; k < body->sphere_count; ++k) {
    double *block = s->matrix.values + 36 * s->matrix.diagonal[k], inertia = body->mass[k] * t->inverse_square;
    double turn = 1.6 * inertia * quat_dot(body->orientation[k], s->predicted_turn[k]);
    if (curvature == BDEM_CURVATURE_GAUSS_NEWTON && turn < 0.0) turn = 0.0;
    for (int d = 0; d < 3; ++d) {
      block[7 * d] = inertia;
      block[7 * (d + 3)] = turn;
    }
  }
  for (size_t b = 0; b < body->bond_count; ++b) add_bond(t, b, curvature);
  hold(t);
}

/* A descent direction into solver->step; returns its product with the gradient (< 0), or >= 0 when there is none. */
static scr_status direction(const newton *t, bdem_curvature curvature, double tolerance, double *slope, la_pcg_outcome *outcome,
                            bdem_implicit_report *report, scr_error *error)
{
  bdem_implicit *s = t->solver;
  size_t n = t->body->sphere_count;
  la_pcg_options options = {.tolerance = tolerance, .iteration_limit = 20 * n + 1000, .threads = t->options->threads};
  assemble(t, curvature);
  SCR_TRY(s->preconditioner.update(s->preconditioner.state, &s->matrix, error));
  for (size_t k = 0; k < 6 * n; ++k) s->right[k] = -s->gradient[k];
  la_pcg_report cg = la_pcg(&s->matrix, &s->preconditioner, &options, s->right, s->step, s->scratch);
  report->cg_iterations += cg.iterations;
  *outcome = cg.outcome;
  *slope = la_dot(s->gradient, s->step, 6 * n, s->scratch, 1);
  return SCR_OK;
}

/* body = base moved by alpha times the step, along geodesics. */
static void move(const newton *t, double alpha)
{
  bdem_implicit *s = t->solver;
  bdem_body *body = t->body;
  for (size_t k = 0; k < body->sphere_count; ++k) {
    const double *d = s->step + 6 * k;
    body->position[k] = vec3_add(s->base[k], vec3(alpha * d[0], alpha * d[1], alpha * d[2]));
    scr_vec3 turn = vec3_scale(vec3(d[3], d[4], d[5]), 2.0 * alpha / body->radius[k]);
    body->orientation[k] = quat_normalise(quat_multiply(quat_exp(turn), s->base_turn[k]));
  }
}

/* Armijo's rule with halving from a first step that turns no sphere by more than 1 rad. False after 40 halvings. The allowance
 * for rounding is needed close to the minimum, where Phi's decrease is below its last digits. */
static bool line_search(const newton *t, double slope, double *phi)
{
  bdem_implicit *s = t->solver;
  bdem_body *body = t->body;
  double largest = 0.0, rounding = 1e-13 * (fabs(*phi) + bdem_body_energy(body));
  for (size_t k = 0; k < body->sphere_count; ++k) {
    s->base[k] = body->position[k];
    s->base_turn[k] = body->orientation[k];
    for (size_t d = 3; d < 6; ++d) largest = fmax(largest, fabs(s->step[6 * k + d]) / body->radius[k]);
  }
  double alpha = largest > 0.5 ? 0.5 / largest : 1.0;
  for (int halving = 0; halving <= 40; ++halving) {
    move(t, alpha);
    double next = objective(t);
    if (next <= *phi + 1e-4 * alpha * slope + rounding) {
      *phi = next;
      return true;
    }
    alpha *= 0.5;
  }
  return false;
}

static scr_status diverged(const newton *t, const bdem_implicit_report *report, const char *what, scr_error *error)
{
  bdem_body *body = t->body;
  for (size_t k = 0; k < body->sphere_count; ++k) {
    body->position[k] = t->solver->start[k];
    body->orientation[k] = t->solver->turned[k];
  }
  return scr_fail(
      error, SCR_DIVERGED, NULL,
      "the implicit step of %.3g s %s after %zu Newton iterations; the residual is %.3g of the force scale and must reach %.3g: "
      "use a smaller time step or a coarser tolerance",
      t->options->time_step, what, report->newton_iterations, report->residual, t->options->tolerance);
}

static scr_status minimise(const newton *t, bdem_implicit_report *report, scr_error *error)
{
  double phi = objective(t), first = 0.0, start = phi;
  report->residual = gradient(t);
  while (report->newton_iterations == 0 || report->residual > t->options->tolerance) {
    if (!isfinite(report->residual) || !isfinite(phi)) return diverged(t, report, "lost its state to non-finite numbers", error);
    if (report->newton_iterations >= t->options->iteration_limit) return diverged(t, report, "did not converge", error);
    double norm = sqrt(la_dot(t->solver->gradient, t->solver->gradient, 6 * t->body->sphere_count, t->solver->scratch, 1)), slope;
    la_pcg_outcome outcome;
    if (report->newton_iterations == 0) first = norm;
    ++report->newton_iterations;
    if (norm == 0.0) break;
    double tolerance = fmin(0.5, sqrt(norm / first));
    SCR_TRY(direction(t, BDEM_CURVATURE_EXACT, fmin(tolerance, 0.1), &slope, &outcome, report, error));
    if (outcome == LA_PCG_NEGATIVE_CURVATURE || !(slope < 0.0)) {
      ++report->fallbacks;
      SCR_TRY(direction(t, BDEM_CURVATURE_GAUSS_NEWTON, fmin(tolerance, 0.1), &slope, &outcome, report, error));
      if (!(slope < 0.0)) return diverged(t, report, "found no direction of descent", error);
    }
    if (!line_search(t, slope, &phi)) return diverged(t, report, "failed in its line search", error);
    report->residual = gradient(t);
  }
  report->decrease = start - phi;
  return SCR_OK;
}

scr_status bdem_implicit_step(bdem_implicit *solver, bdem_body *body, const scr_vec3 *load, const bdem_implicit_options *options,
                              bdem_implicit_report *report, scr_error *error)
{
  double dt = options->time_step;
  *report = (bdem_implicit_report){0};
  if (!(dt > 0.0) || !(options->force_scale > 0.0) || !(options->tolerance > 0.0) || options->iteration_limit < 1)
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "time step %.3g s, force scale %.3g N and tolerance %.3g must be > 0, and the iteration limit %zu at least 1", dt,
                    options->force_scale, options->tolerance, options->iteration_limit);
  bool moving = isfinite(dt);
  newton t = {.solver = solver, .body = body, .load = load, .options = options, .inverse_square = moving ? 1.0 / (dt * dt) : 0.0};
  for (size_t k = 0; k < body->sphere_count; ++k) {
    unsigned held = body->held[k];
    scr_vec3 v = body->velocity[k], w = body->spin[k];
    if (!moving) v = w = vec3(0, 0, 0);
    v = vec3(held & 1 ? 0 : v.x, held & 2 ? 0 : v.y, held & 4 ? 0 : v.z);
    w = vec3(held & 8 ? 0 : w.x, held & 16 ? 0 : w.y, held & 32 ? 0 : w.z);
    solver->start[k] = body->position[k];
    solver->turned[k] = body->orientation[k];
    if (moving) {
      body->position[k] = vec3_add(body->position[k], vec3_scale(v, dt));
      body->orientation[k] = quat_normalise(quat_multiply(quat_exp(vec3_scale(w, dt)), body->orientation[k]));
    }
    solver->predicted[k] = body->position[k];
    solver->predicted_turn[k] = body->orientation[k];
  }
  scr_status status = minimise(&t, report, error);
  if (status != SCR_OK || !moving) return status;
  for (size_t k = 0; k < body->sphere_count; ++k) {
    body->velocity[k] = vec3_scale(vec3_sub(body->position[k], solver->start[k]), 1.0 / dt);
    body->spin[k] = vec3_scale(quat_log(quat_multiply(body->orientation[k], quat_conjugate(solver->turned[k]))), 1.0 / dt);
  }
  return SCR_OK;
}
