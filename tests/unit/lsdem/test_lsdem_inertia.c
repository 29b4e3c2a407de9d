/* The motion of grains whose inertia follows their modes. References: the method's specification, sections 3.3 and 6.8; momenta and energy
 * are kept. */
#include "methods/lsdem/step/full_inertia.h"
#include "tests/support/lsdem_run.h"
#include "tests/support/suites.h"

/* What moves: w in own axes, so that nothing is kept by construction. */
typedef struct tumble {
  double v[4 + 3 + 12]; /* q, w, eps, eta of six modes */
} tumble;

static scr_vec3 row(double m[3][3], scr_vec3 v)
{
  return vec3(m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z, m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
              m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z);
}

/* L in own axes, and d I/d eps_b. */
static scr_vec3 own_momentum(const lsdem_template *g, const tumble *s, scr_vec3 w)
{
  double inertia[3][3];
  const double *eps = s->v + 7, *eta = s->v + 13;
  lsdem_full_inertia(g, eps, inertia);
  scr_vec3 sum = row(inertia, w);
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++) sum = vec3_add(sum, vec3_scale(g->modal.gyro[a][b], eps[a] * eta[b]));
  return sum;
}

/* Section 3.3 as it is printed: [I G^T; G M] (w', eta') = (-I' w - w x L, -K eps - 2 w.(g_ab eta_a) + w.(dI/deps_b) w/2), solved by
 * elimination. */
static tumble rates(const lsdem_template *g, const tumble *s)
{
  enum { N = 9 };
  const double *eps = s->v + 7, *eta = s->v + 13;
  scr_vec3 w = vec3(s->v[4], s->v[5], s->v[6]);
  double a[N][N + 1] = {{0}}, inertia[3][3], moving[3][3] = {{0}};
  lsdem_full_inertia(g, eps, inertia);
  for (int b = 0; b < 6; b++) {
    double change[3][3], half = 0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        change[i][j] = g->modal.shape[b][i][j];
        for (int c = 0; c < 6; c++) change[i][j] += 2 * eps[c] * g->modal.pair[c][b][i][j];
        moving[i][j] += eta[b] * change[i][j];
      }
    half = 0.5 * vec3_dot(w, row(change, w));
    scr_vec3 twist = vec3(0, 0, 0), still = twist;
    for (int c = 0; c < 6; c++) {
      twist = vec3_add(twist, vec3_scale(g->modal.gyro[c][b], eta[c]));
      still = vec3_add(still, vec3_scale(g->modal.gyro[c][b], eps[c]));
      a[3 + b][3 + c] = g->modal.mass[b][c];
      a[3 + b][N] -= g->modal.stiffness[b][c] * eps[c];
    }
    a[3 + b][N] += half - 2 * vec3_dot(w, twist);
    a[0][3 + b] = a[3 + b][0] = still.x, a[1][3 + b] = a[3 + b][1] = still.y, a[2][3 + b] = a[3 + b][2] = still.z;
  }
  scr_vec3 right = vec3_scale(vec3_add(row(moving, w), vec3_cross(w, own_momentum(g, s, w))), -1);
  a[0][N] = right.x, a[1][N] = right.y, a[2][N] = right.z;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a[i][j] = inertia[i][j];
  for (int k = 0; k < N; k++) /* positive definite: no pivots are needed */
    for (int i = 0; i < N; i++) {
      double share = i == k ? 0 : a[i][k] / a[k][k];
      for (int j = k; j <= N; j++) a[i][j] -= share * a[k][j];
    }
  scr_quat turn = quat_scale(quat_multiply(quat(s->v[0], s->v[1], s->v[2], s->v[3]), quat_pure(w)), 0.5);
  tumble d = {{turn.x, turn.y, turn.z, turn.w}};
  for (int k = 0; k < 3; k++) d.v[4 + k] = a[k][N] / a[k][k];
  for (int b = 0; b < 6; b++) d.v[7 + b] = eta[b], d.v[13 + b] = a[3 + b][N] / a[3 + b][3 + b];
  return d;
}

static tumble moved(const tumble *s, const tumble *d, double by)
{
  tumble t = *s;
  for (int k = 0; k < 19; k++) t.v[k] += by * d->v[k];
  return t;
}

static void runge_kutta(const lsdem_template *g, tumble *s, double dt)
{
  tumble a = rates(g, s), m = moved(s, &a, 0.5 * dt), b = rates(g, &m);
  m = moved(s, &b, 0.5 * dt);
  tumble c = rates(g, &m);
  m = moved(s, &c, dt);
  tumble d = rates(g, &m);
  for (int k = 0; k < 19; k++) s->v[k] += dt / 6 * (a.v[k] + 2 * b.v[k] + 2 * c.v[k] + d.v[k]);
}

static scr_quat turn_of(const tumble *s)
{
  return quat_normalise(quat(s->v[0], s->v[1], s->v[2], s->v[3]));
}

static scr_vec3 momentum_of(const lsdem_template *g, const tumble *s)
{
  return quat_rotate(turn_of(s), own_momentum(g, s, vec3(s->v[4], s->v[5], s->v[6])));
}

static double energy_of(const lsdem_template *g, const tumble *s)
{
  const double *eps = s->v + 7, *eta = s->v + 13;
  double inertia[3][3], sum = 0;
  scr_vec3 w = vec3(s->v[4], s->v[5], s->v[6]);
  lsdem_full_inertia(g, eps, inertia);
  sum = 0.5 * vec3_dot(w, row(inertia, w));
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++)
      sum += 0.5 * eta[a] * g->modal.mass[a][b] * eta[b] + 0.5 * eps[a] * g->modal.stiffness[a][b] * eps[b] +
             eps[a] * eta[b] * vec3_dot(g->modal.gyro[a][b], w);
  return sum;
}

#define TUMBLING_BOX(time)                                                                                                                 \
  lsdem_open("[{\"name\": \"jelly\", \"density\": 1, \"young_modulus\": 0.4, \"poisson_ratio\": 0.2}]", "{\"contact_stiffness\": 1}",      \
             "[{\"name\": \"box\", \"material\": \"jelly\", \"spacing\": 0.25, \"modes\": \"affine\", \"mode_damping_ratio\": 0, "         \
             "\"shape\": {\"type\": \"box\", "                                                                                             \
             "\"size\": [1, 1.4, 0.8]}, \"placement\": {\"type\": \"single\"}}]",                                                          \
             LSDEM_NO_RIG, "[]", time, "\"inertia\": \"full\"", 1)

static const tumble start = {{0, 0, 0, 1, 0.5, 0.3, -0.4, 0.05, -0.03, 0.02, 0.04, -0.02, 0.03, 0.01, 0.02, -0.03, 0.02, 0.01, -0.02}};

/* Check 8 with all six affine modes: Runge and Kutta's rule in the printed equations, 5000 steps, keeps angular momentum and energy to
 * 1e-11, which it does only if all tensors are right (with the inertia of the reference shape the momentum's error is 2e-2). */
static void test_the_full_equations_keep_momentum_and_energy(void **state)
{
  (void)state;
  sim_run r = TUMBLING_BOX("{\"duration\": 1}");
  const lsdem_template *g = &lsdem_of(&r)->templates[0];
  double coupled = 0;
  for (int a = 0; a < 6; a++)
    for (int b = 0; b < 6; b++) coupled = fmax(coupled, vec3_length(g->modal.gyro[a][b]));
  assert_true(coupled > 0.01 * g->mass);
  tumble s = start;
  scr_vec3 before = momentum_of(g, &s);
  double energy = energy_of(g, &s);
  for (int k = 0; k < 5000; k++) runge_kutta(g, &s, 0.002);
  double off = vec3_length(vec3_sub(momentum_of(g, &s), before)) / vec3_length(before), lost = fabs(energy_of(g, &s) / energy - 1);
  print_message("# tumbling for 10 s: momentum off by %.2g, energy by %.2g\n", off, lost);
  assert_true(off < 1e-11);
  assert_true(lost < 1e-11);
  run_close(&r);
}

/* How far the method's own steps are from that solution after 3 s; its angular momentum stays by construction, its energy is shown by the
 * curves. */
static double steps_off(double dt, double *lost)
{
  char time[100];
  snprintf(time, sizeof time, "{\"duration\": 10, \"time_step\": %g}", dt);
  sim_run r = TUMBLING_BOX(time);
  lsdem_state *s = lsdem_of(&r);
  const lsdem_template *g = &s->templates[0];
  tumble exact = start;
  for (int a = 0; a < 6; a++) s->amplitude[a] = exact.v[7 + a], s->rate[a] = exact.v[13 + a];
  s->grains[0].angular = momentum_of(g, &exact);
  s->grains[0].rotation = turn_of(&exact);
  double before = energy_of(g, &exact), off = 0;
  run_observe(&r);
  assert_float_equal(run_value(&r, "energy.kinetic") + run_value(&r, "energy.modal") + run_value(&r, "energy.elastic"), before,
                     1e-12 * before);
  run_until(&r, 3);
  for (int k = 0; k < 1500; k++) runge_kutta(g, &exact, 0.002);
  run_observe(&r);
  *lost = fabs((run_value(&r, "energy.kinetic") + run_value(&r, "energy.modal") + run_value(&r, "energy.elastic")) / before - 1);
  for (int a = 0; a < 6; a++) off = fmax(off, fabs(s->amplitude[a] - exact.v[7 + a]));
  scr_quat turn = turn_of(&exact), own = s->grains[0].rotation;
  off = fmax(off, 1 - fabs(quat_dot(turn, own)));
  scr_vec3 x = vec3_sub(quat_rotate(turn, vec3(1, 1, 0)), quat_rotate(own, vec3(1, 1, 0)));
  run_close(&r);
  return fmax(off, vec3_length(x));
}

/* The method's steps come to the solution of the printed equations with the square of the step. */
static void test_steps_with_full_inertia_are_of_second_order(void **state)
{
  (void)state;
  double lost[2], coarse = steps_off(0.02, &lost[0]), fine = steps_off(0.01, &lost[1]);
  print_message("# off by %.3g and %.3g at half the step; energy by %.2g and %.2g\n", coarse, fine, lost[0], lost[1]);
  assert_true(coarse < 2e-3);
  assert_true(coarse / fine > 3.6 && coarse / fine < 4.4);
  assert_true(lost[0] < 1e-3 && lost[1] < 0.5 * lost[0]);
}

SUITE(test_lsdem_inertia)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_full_equations_keep_momentum_and_energy),
      cmocka_unit_test(test_steps_with_full_inertia_are_of_second_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
