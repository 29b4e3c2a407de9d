/* The solver's life, its matrix and the damping. */
#include "methods/fem/dynamics/solver.h"

#include <math.h>
#include <string.h>

const sim_field fem_solver_fields[FEM_SOLVER_FIELDS] = {
    FIELD_LIST("contacts", fem_solver, touches.item, touches.count, touches.capacity, FIELD_SAVED),
    FIELD_LIST("former contacts", fem_solver, former.item, former.count, former.capacity, 0),
    FIELD_ROWS("stiffnesses", fem_solver, block, block_count, 9, 0),
    FIELD_ROWS("stiffnesses at rest", fem_solver, rest_block, rest_block_count, 9, FIELD_OPTIONAL),
    FIELD_ARRAY("elastic forces", fem_solver, gradient, unknown_count, 0),
    FIELD_ARRAY("displacements before", fem_solver, before, unknown_count, 0),
    FIELD_ARRAY("increments", fem_solver, delta, unknown_count, 0),
    FIELD_ARRAY("steps", fem_solver, step, unknown_count, 0),
    FIELD_ARRAY("former steps", fem_solver, former_step, unknown_count, 0),
    FIELD_ARRAY("residuals", fem_solver, residual, unknown_count, 0),
    FIELD_ARRAY("trial displacements", fem_solver, trial, unknown_count, 0),
    FIELD_ARRAY("work vectors", fem_solver, work[0], unknown_count, 0),
    FIELD_ARRAY("work vectors", fem_solver, work[1], unknown_count, 0),
    FIELD_ARRAY("work vectors", fem_solver, work[2], unknown_count, 0),
    FIELD_ARRAY("work vectors", fem_solver, work[3], unknown_count, 0),
    FIELD_ARRAY("contact forces", fem_solver, load, unknown_count, 0),
    FIELD_ARRAY("reactions", fem_solver, reaction, unknown_count, 0),
    FIELD_ROWS("modes before", fem_solver, held_mode, hex_count, FEM_MODE_UNKNOWNS, 0),
    FIELD_ARRAY("rotations", fem_solver, rotation, body_count, 0),
    FIELD_ARRAY("rotations before", fem_solver, rotation_before, body_count, 0),
    FIELD_ARRAY("displacements of the factor", fem_solver, factor_place, kept_unknown_count, FIELD_OPTIONAL | FIELD_SAVED),
    FIELD_ROWS("modes of the factor", fem_solver, factor_mode, kept_hex_count, FEM_MODE_UNKNOWNS, FIELD_OPTIONAL | FIELD_SAVED),
};

void fem_solver_clear(fem_solver *s)
{
  fields_free(fem_solver_fields, FEM_SOLVER_FIELDS, s);
  la_sparse_clear(&s->matrix);
  la_factor_destroy(s->factor);
  la_factor_destroy(s->mass_factor);
  fem_compliance_clear(&s->compliance);
  fem_compliance_clear(&s->mass_compliance);
  fem_contact_problem_clear(&s->problem);
  *s = (fem_solver){0};
}

static bool any_stiffness_damping(const fem_solver *s)
{
  for (size_t b = 0; b < s->system->body_count; b++)
    if (s->settings.stiffness_damping[b] > 0) return true;
  return false;
}

/* K(X) for damping. */
static void make_rest_block(fem_solver *s)
{
  size_t bad;
  if (!s->rest_block) return;
  memset(s->trial, 0, s->unknown_count * sizeof *s->trial);
  (void)fem_system_evaluate(s->system, s->trial, s->held_mode, false, s->work[0], s->rest_block, s->settings.execution, &bad);
}

scr_status fem_solver_create(const fem_system *system, const fem_frames *frames, const fem_contact_space *space, fem_motion *motion,
                             fem_hold *hold, const fem_settings *settings, fem_solver *s, scr_error *error)
{
  *s = (fem_solver){
      .system = system, .frames = frames, .space = space, .motion = motion, .hold = hold, .settings = *settings, .linear = true};
  for (size_t b = 0; b < system->body_count; b++) s->linear = s->linear && system->constitutive[b].law == FEM_LINEAR;
  s->unknown_count = 3 * system->node_count;
  s->hex_count = system->hex_count;
  s->body_count = system->body_count;
  s->block_count = system->block_count;
  s->rest_block_count = any_stiffness_damping(s) ? system->block_count : 0;
  s->kept_unknown_count = s->linear ? 0 : s->unknown_count;
  s->kept_hex_count = s->linear ? 0 : s->hex_count;
  SCR_TRY(fields_allocate(fem_solver_fields, FEM_SOLVER_FIELDS, s, error));
  SCR_TRY(fem_compliance_create(3 * system->node_count, &s->compliance, error));
  SCR_TRY(fem_compliance_create(3 * system->node_count, &s->mass_compliance, error));
  make_rest_block(s);
  SCR_TRY(fem_system_matrix(system, &s->matrix, error));
  SCR_TRY(la_factor_create(LA_FACTOR_CHOLESKY, &s->factor, error));
  SCR_TRY(la_factor_analyse(s->factor, &s->matrix, error));
  return fem_solver_refresh(s, error);
}

scr_status fem_solver_refresh(fem_solver *s, scr_error *error)
{
  size_t bad;
  s->energy =
      fem_system_evaluate(s->system, s->motion->displacement, s->motion->mode, false, s->gradient, NULL, s->settings.execution, &bad);
  if (bad == SIZE_MAX) return SCR_OK;
  return scr_fail(error, SCR_DIVERGED, NULL,
                  "element %zu is folded or turned inside out where it is now; use a smaller time step or larger elements", bad);
}

double fem_kinetic(const fem_solver *s)
{
  double sum = 0;
  fem_mass_multiply(s->system, s->motion->velocity, s->work[0], s->settings.execution);
  for (size_t k = 0; k < 3 * s->system->node_count; k++) sum += s->motion->velocity[k] * s->work[0][k];
  return 0.5 * sum;
}

/* ── damping ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_quat frame_of(const fem_solver *s, const scr_quat *rotation, size_t body)
{
  return s->system->constitutive[body].law == FEM_LINEAR ? quat_identity() : rotation[body];
}

static void turn(const fem_solver *s, const scr_quat *rotation, bool back, const double *x, double *y)
{
  for (size_t n = 0; n < s->system->node_count; n++) {
    scr_quat q = frame_of(s, rotation, s->system->body_of_node[n]);
    scr_vec3 v = quat_rotate(back ? quat_conjugate(q) : q, vec3(x[3 * n], x[3 * n + 1], x[3 * n + 2]));
    y[3 * n] = v.x, y[3 * n + 1] = v.y, y[3 * n + 2] = v.z;
  }
}

void fem_rotations(const fem_solver *s, const double *displacement, scr_quat *rotation)
{
  for (size_t b = 0; b < s->system->body_count; b++)
    rotation[b] = s->system->constitutive[b].law == FEM_LINEAR ? quat_identity() : fem_rotation(s->system, s->frames, b, displacement);
}

void fem_damping_multiply(const fem_solver *s, const scr_quat *rotation, const double *x, double *y)
{
  const fem_system *system = s->system;
  double *turned = s->work[2], *product = s->work[3];
  fem_mass_multiply(system, x, y, s->settings.execution);
  if (s->rest_block) {
    turn(s, rotation, true, x, turned);
    fem_block_multiply(system, s->rest_block, turned, product, s->settings.execution);
    turn(s, rotation, false, product, turned);
  }
  for (size_t n = 0; n < system->node_count; n++) {
    size_t b = system->body_of_node[n];
    for (size_t k = 3 * n; k < 3 * n + 3; k++)
      y[k] = s->settings.mass_damping[b] * y[k] + (s->rest_block ? s->settings.stiffness_damping[b] * turned[k] : 0);
  }
}

/* R B R^T */
static void turn_block(scr_quat q, const double *block, double *turned)
{
  double half[3][3];
  for (int j = 0; j < 3; j++) {
    scr_vec3 v = quat_rotate(q, vec3(block[j], block[3 + j], block[6 + j]));
    half[0][j] = v.x, half[1][j] = v.y, half[2][j] = v.z;
  }
  for (int i = 0; i < 3; i++) {
    scr_vec3 v = quat_rotate(q, vec3(half[i][0], half[i][1], half[i][2]));
    turned[3 * i] = v.x, turned[3 * i + 1] = v.y, turned[3 * i + 2] = v.z;
  }
}

/* ── the matrix ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static void fill_column(fem_solver *s, size_t c, double mass_share, double stiffness_share, double damping_share, double diagonal)
{
  const fem_system *system = s->system;
  size_t body = system->body_of_node[c];
  scr_quat q = frame_of(s, s->rotation, body);
  double mass = mass_share + damping_share * s->settings.mass_damping[body];
  double viscous = s->rest_block ? damping_share * s->settings.stiffness_damping[body] : 0;
  for (size_t k = system->first[c]; k < system->first[c + 1]; k++) {
    size_t r = system->row[k];
    double turned[9] = {0};
    if (s->rest_block && viscous != 0) turn_block(q, s->rest_block + 9 * k, turned);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double value =
            (i == j ? mass * system->mass[k] : 0) + stiffness_share * s->block[9 * k + (size_t)(3 * i + j)] + viscous * turned[3 * i + j];
        bool fixed = s->hold->fixed[3 * r + (size_t)i] || s->hold->fixed[3 * c + (size_t)j];
        if (fixed) value = r == c && i == j ? diagonal : 0;
        s->matrix.value[fem_matrix_slot(system, c, k, i, j)] = value;
      }
  }
}

void fem_fill_matrix(fem_solver *s, double mass_share, double stiffness_share, double damping_share)
{
  const fem_system *system = s->system;
  double diagonal = 0;
  for (size_t b = 0; b < system->body_count; b++) diagonal = fmax(diagonal, stiffness_share * system->modulus[b] * s->settings.edge);
  diagonal += mass_share * system->total_mass / (double)system->node_count;
#pragma omp parallel for num_threads(s->settings.execution.threads) schedule(static)
  for (size_t c = 0; c < system->node_count; c++) fill_column(s, c, mass_share, stiffness_share, damping_share, diagonal);
}

/* Shares of the matrix of a step: of the statics where time is infinite. */
static void fill_for(fem_solver *s, double time)
{
  if (isinf(time))
    fem_fill_matrix(s, 0, 1, 0);
  else
    fem_fill_matrix(s, 1, 0.25 * time * time, 0.5 * time);
}

void fem_discard_factor(fem_solver *s)
{
  s->factor_time = 0;
  if (s->redo_time == 0) fem_compliance_forget(&s->compliance);
}

/* Fills the matrix where the factor is to be, and factorises it. */
static scr_status make_factor(fem_solver *s, double time, unsigned *clamped, scr_error *error)
{
  size_t bad, modes = s->hex_count * FEM_MODE_UNKNOWNS;
  const double *place = s->factor_place ? s->factor_place : s->trial, *from = s->factor_mode ? s->factor_mode : s->motion->mode;
  scr_status status = SCR_DIVERGED;
  fem_rotations(s, place, s->rotation);
  for (int clamp = 0; clamp < 2 && status == SCR_DIVERGED; clamp++) {
    memcpy(s->held_mode, from, modes * sizeof *s->held_mode);
    (void)fem_system_evaluate(s->system, place, s->held_mode, clamp, NULL, s->block, s->settings.execution, &bad);
    fill_for(s, time);
    *clamped += clamp > 0;
    status = la_factor_make(s->factor, &s->matrix, error);
    s->factor_count++;
  }
  scr_report_alive(&s->settings.liveness);
  return status;
}

scr_status fem_factorise(fem_solver *s, double time, unsigned *clamped, bool *anew, scr_error *error)
{
  bool again = s->redo_time == time;
  unsigned counted = 0;
  *anew = !again;
  if (!again && !s->linear) {
    memcpy(s->factor_place, s->trial, s->unknown_count * sizeof *s->trial);
    memcpy(s->factor_mode, s->motion->mode, s->hex_count * FEM_MODE_UNKNOWNS * sizeof *s->factor_mode);
  }
  if (!again) s->redo_time = 0;
  fem_discard_factor(s);
  s->redo_time = 0;
  SCR_TRY(make_factor(s, time, again ? &counted : clamped, error));
  s->factor_time = time;
  return again ? fem_compliance_redo(&s->compliance, s->factor, &s->settings.liveness, error) : SCR_OK;
}

/* ── what contacts and held nodes press the parts of the rig with ────────────────────────────────────────────────────────── */

/* Adds a share of a force on a node, and an impulse on it, to what its partner feels. */
static void load_part(const sim_parts *parts, size_t p, scr_vec3 point, scr_vec3 force, scr_vec3 impulse, part_load *loads)
{
  scr_vec3 arm = vec3_sub(point, parts->now[p].pose.position);
  part_load *load = &loads[p];
  load->force = vec3_sub(load->force, force);
  load->torque = vec3_sub(load->torque, vec3_cross(arm, force));
  load->impulse = vec3_sub(load->impulse, impulse);
  load->turning = vec3_sub(load->turning, vec3_cross(arm, impulse));
}

static scr_vec3 node_at(const fem_solver *s, size_t n)
{
  const double *x = s->system->rest + 3 * n, *u = s->motion->displacement + 3 * n;
  return vec3(x[0] + u[0], x[1] + u[1], x[2] + u[2]);
}

double fem_add_part_loads(const fem_solver *s, const sim_parts *parts, double share, part_load *load)
{
  double normal = 0;
  for (size_t k = 0; k < s->touches.count; k++) {
    const fem_touch *touch = &s->touches.item[k];
    normal += share * touch->force[0];
    if (touch->partner >= parts->count) continue;
    double f[3] = {0};
    for (int i = 0; i < 3; i++)
      for (int a = 0; a < 3; a++) f[i] += share * touch->force[a] * touch->axis[a][i];
    scr_vec3 impulse = vec3(touch->impulse * touch->axis[0][0], touch->impulse * touch->axis[0][1], touch->impulse * touch->axis[0][2]);
    load_part(parts, touch->partner, touch->point, vec3(f[0], f[1], f[2]), impulse, load);
  }
  for (size_t n = 0; n < s->system->node_count && s->hold->count; n++) {
    const unsigned char *fixed = s->hold->fixed + 3 * n;
    const double *r = s->reaction + 3 * n;
    if (fixed[0] || fixed[1] || fixed[2])
      load_part(parts, s->hold->part[n], node_at(s, n), vec3(share * r[0], share * r[1], share * r[2]), vec3(0, 0, 0), load);
  }
  return normal;
}
