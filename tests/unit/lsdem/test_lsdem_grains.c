/* Grains of method lsdem: inertia and surface of each shape, how a grain turns, how its modes are driven, damped and coupled, how deep
 * a deformed one is entered, against closed forms. */
#include "methods/lsdem/step/full_inertia.h"
#include "tests/support/lsdem_run.h"
#include "tests/support/suites.h"

/* One grain at rest; `more` are keys of its specimen. */
static sim_run open_grain(const char *shape, const char *more)
{
  char specimen[800];
  snprintf(specimen, sizeof specimen,
           "[{\"name\": \"grain\", \"material\": \"stone\", \"spacing\": 0.1, %s\"shape\": %s, \"placement\": {\"type\": \"single\"}}]",
           more, shape);
  return lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e5}", specimen, LSDEM_NO_RIG, "[]", "{\"duration\": 1, \"time_step\": 1e-5}", "",
                    1);
}

/* Solid cylinder, hollow ball, capsule: mass, moments of inertia and area of the surface. Formulas of any text on rigid bodies; those
 * of the capsule's inertia are of its triangles, hence 2 %. */
static void test_shapes_have_their_inertia_and_area(void **state)
{
  (void)state;
  const double r = 0.5, L = 1.6, inner = 0.3, rho = 1000;
  sim_run c = open_grain("{\"type\": \"cylinder\", \"radius\": 0.5, \"length\": 1.6}", "");
  const lsdem_template *grain = &lsdem_of(&c)->templates[0];
  double mass = rho * M_PI * r * r * L;
  claim_relative("cylinder: mass, kg", grain->mass, mass, 1e-12, "rho pi r^2 L");
  claim_relative("cylinder: moment about its axis, kg m^2", grain->inertia.z, 0.5 * mass * r * r, 1e-9, "m r^2 / 2");
  claim_relative("cylinder: moment across, kg m^2", grain->inertia.x, mass * (r * r / 4 + L * L / 12), 1e-9, "m (r^2 / 4 + L^2 / 12)");
  claim_relative("cylinder: moment across, kg m^2", grain->inertia.y, mass * (r * r / 4 + L * L / 12), 1e-9, "m (r^2 / 4 + L^2 / 12)");
  run_close(&c);
  c = open_grain("{\"type\": \"hollow_sphere\", \"radius\": 0.5, \"inner_radius\": 0.3}", "\"grid_spacing\": 0.05, ");
  grain = &lsdem_of(&c)->templates[0];
  mass = rho * 4 * M_PI / 3 * (pow(r, 3) - pow(inner, 3));
  claim_relative("hollow ball: mass, kg", grain->mass, mass, 1e-12, "a shell");
  claim_relative("hollow ball: moment, kg m^2", grain->inertia.x, 0.4 * mass * (pow(r, 5) - pow(inner, 5)) / (pow(r, 3) - pow(inner, 3)),
                 1e-9, "2/5 m (R^5 - r^5) / (R^3 - r^3)");
  run_close(&c);
  c = open_grain("{\"type\": \"capsule\", \"radius\": 0.5, \"length\": 1.6}", "");
  grain = &lsdem_of(&c)->templates[0];
  double area = 0, ends = rho * 4 * M_PI / 3 * pow(r, 3), middle = rho * M_PI * r * r * L;
  for (size_t k = 0; k < grain->node_count; k++) area += grain->area[k];
  claim_relative("capsule: area of all nodes, m^2", area, 2 * M_PI * r * L + 4 * M_PI * r * r, 1e-9, "mantle and ball");
  claim_relative("capsule: mass, kg", grain->mass, ends + middle, 0.02, "cylinder and ball");
  claim_relative("capsule: moment about its axis, kg m^2", grain->inertia.z, 0.5 * middle * r * r + 0.4 * ends * r * r, 0.02,
                 "cylinder and ball");
  run_close(&c);
}

static double turned_apart(size_t steps, scr_quat reference)
{
  scr_quat q = quat_exp(vec3(0.3, -0.4, 0.2));
  for (size_t k = 0; k < steps; k++) q = lsdem_turn(q, vec3(2, 5, -3), vec3(1, 2, 3.5), 1.0 / (double)steps);
  return fmin(quat_length(quat_add(q, quat_scale(reference, -1))), quat_length(quat_add(q, reference)));
}

/* A free body of three different moments: the error after a second falls by four when the step is halved, as it does of a rule of the
 * second order. The reference is 64 times finer than the finer of the two. */
static void test_turning_is_of_the_second_order(void **state)
{
  (void)state;
  scr_quat fine = quat_exp(vec3(0.3, -0.4, 0.2));
  for (int k = 0; k < 6400; k++) fine = lsdem_turn(fine, vec3(2, 5, -3), vec3(1, 2, 3.5), 1.0 / 6400);
  double coarse = turned_apart(50, fine), half = turned_apart(100, fine);
  claim_between("free turning: error over that of half the step", coarse / half, 3.8, 4.2, "second order: 4");
  claim_between("free turning: error of 50 steps a second, rad", coarse, 0, 5e-3, "second order of 0.1 rad a step");
}

/* A box of one mode that swings without a force decays as exp(-zeta w t), to the order of zeta^2, at each half of a step alike: the
 * energy of its modes, counted over whole periods, by the square of that, and what they lost is damping's. 500 steps a period. */
static void test_a_mode_decays_by_its_damping_ratio(void **state)
{
  (void)state;
  sim_run c = open_grain("{\"type\": \"box\", \"size\": [1, 0.8, 1.2]}", "\"modes\": \"isotropic\", \"mode_damping_ratio\": 0.05, ");
  lsdem_state *s = lsdem_of(&c);
  const lsdem_template *grain = &s->templates[0];
  double K = grain->modal.stiffness[0][0], M = grain->modal.mass[0][0], w = sqrt(K / M), zeta = 0.05, start = 1e-3;
  s->time_step = 2 * M_PI / w / 500;
  s->amplitude[0] = start;
  s->rate[0] = -zeta * w * start; /* then the amplitude is start exp(-zeta w t) cos(w' t) */
  double before = 0.5 * K * start * start + 0.5 * M * s->rate[0] * s->rate[0], booked = s->ledger->damping;
  double period = 2 * M_PI / (w * sqrt(1 - zeta * zeta));
  s->time_step = period / 500;
  scr_error error = {0};
  for (uint64_t k = 0; k < 2000; k++) assert_int_equal(lsdem_advance(s, (double)(k + 1) * s->time_step, k, &error), SCR_OK);
  double after = 0.5 * K * s->amplitude[0] * s->amplitude[0] + 0.5 * M * s->rate[0] * s->rate[0];
  claim_relative("mode that swings: amplitude after four periods", s->amplitude[0] / start, exp(-zeta * w * 4 * period), 1e-3,
                 "exp(-zeta w t)");
  claim_relative("mode that swings: energy.damping, J", s->ledger->damping - booked, before - after, 1e-3, "what its modes lost");
  run_close(&c);
}

/* Rates of six modes after a step from rest: M rate = -dt K eps, whichever modes are strained. The two halves of a step see forces of
 * amplitudes that differ by the second order of the step. */
static void test_modes_are_driven_by_their_own_forces(void **state)
{
  (void)state;
  for (int strained = 0; strained < 7; strained++) {
    sim_run c = open_grain("{\"type\": \"box\", \"size\": [1, 0.8, 1.2]}", "\"modes\": \"affine\", \"mode_damping_ratio\": 0, ");
    lsdem_state *s = lsdem_of(&c);
    const lsdem_modal *modal = &s->templates[0].modal;
    double eps[6] = {0}, size = 0;
    for (int a = 0; a < 6; a++)
      if (a == strained || strained == 6) s->amplitude[a] = eps[a] = 1e-3 * (a + 1);
    double dt = s->time_step;
    run_steps(&c, 1);
    for (int a = 0; a < 6; a++) {
      double momentum = 0, force = 0;
      for (int b = 0; b < 6; b++) momentum += modal->mass[a][b] * s->rate[b], force -= modal->stiffness[a][b] * eps[b];
      size = fmax(size, fabs(dt * force));
      claim_absolute("strained box: momentum of a mode over the largest impulse", (momentum - dt * force) / fmax(size, 1e-9), 0, 1e-3,
                     "M rate = -K eps dt");
    }
    run_close(&c);
  }
}

/* Integral of rho (A x) x (B x) over a box of edges s: rho V sum of s_l^2 / 12 of columns' products. */
static scr_vec3 box_gyro(const scr_matrix3 *a, const scr_matrix3 *b, const double s[3], double mass)
{
  scr_vec3 sum = vec3(0, 0, 0);
  for (int l = 0; l < 3; l++)
    sum = vec3_add(sum, vec3_scale(vec3_cross(vec3(a->m[0][l], a->m[1][l], a->m[2][l]), vec3(b->m[0][l], b->m[1][l], b->m[2][l])),
                                   mass * s[l] * s[l] / 12));
  return sum;
}

/* Momenta of modes of a box that turns without a change of its shape: p_b = w . integral of rho u x Phi_b, here in closed form. 1 %:
 * volumes are summed over points. */
static void test_turning_gives_modes_momenta(void **state)
{
  (void)state;
  sim_run c = open_grain("{\"type\": \"box\", \"size\": [1, 0.8, 1.2]}", "\"modes\": \"affine\", ");
  const lsdem_template *grain = &lsdem_of(&c)->templates[0];
  const double s[3] = {1, 0.8, 1.2}, eps[6] = {1e-2, -2e-2, 3e-2, 1e-2, 2e-2, -1e-2}, rest[6] = {0};
  const scr_vec3 spin = {3, -2, 5};
  double momentum[6], expected[6], size = 0;
  lsdem_full_momentum(grain, eps, rest, spin, momentum);
  scr_matrix3 gradient[6]; /* with the turn that keeps a shear of unequal edges free of momentum */
  for (int a = 0; a < 6; a++) (void)lsdem_mode_gradient(&grain->modes[a], vec3(0, 0, 0), &gradient[a]);
  for (int b = 0; b < 6; b++) {
    expected[b] = 0;
    for (int a = 0; a < 6; a++) expected[b] += eps[a] * vec3_dot(spin, box_gyro(&gradient[a], &gradient[b], s, grain->mass));
    size = fmax(size, fabs(expected[b]));
  }
  assert_true(size > 1e-3 * grain->mass);
  for (int b = 0; b < 6; b++)
    claim_absolute("turning box: momentum of a mode over the largest", momentum[b] / size, expected[b] / size, 0.01,
                   "w . integral of rho u x Phi");
  run_close(&c);
}

/* A ball blown up from 1 m to 1.2 m, entered by a rigid ball of 0.5 m by d = 0.06 m, asked by the nodes of the small one alone: pressed
 * by k d without `energy_exact`, a force of pi k d^2 R*, 1/R* = 1/1.2 + 1/0.5. With it by k phi |grad phi|, where phi = d / 1.2 in the
 * ball's own measure and its slope 1 / 1.2, which is a 1/1.44 of it. 4 %: first order of d / R, and nodes every 0.03 m. */
static void test_a_deformed_grain_is_entered_by_its_present_surface(void **state)
{
  (void)state;
  for (int exact = 0; exact < 2; exact++) {
    sim_run r = lsdem_open(
        LSDEM_STONE, "{\"contact_stiffness\": 1e5}",
        "[{\"name\": \"a\", \"material\": \"stone\", \"spacing\": 0.1, \"modes\": \"isotropic\", \"largest_amplitude\": 0.3, \"shape\": "
        "{\"type\": \"sphere\", \"radius\": 1}, \"placement\": {\"type\": \"single\"}}, "
        "{\"name\": \"b\", \"material\": \"stone\", \"spacing\": 0.03, \"grid_spacing\": 0.1, \"shape\": {\"type\": \"sphere\", "
        "\"radius\": "
        "0.5}, \"placement\": {\"type\": \"single\", \"position\": [0, 0, 1.8]}}]",
        LSDEM_NO_RIG, "[]", "{\"duration\": 1, \"time_step\": 1e-5}",
        exact ? "\"passes\": \"one_sided\"" : "\"passes\": \"one_sided\", \"energy_exact\": false", 1);
    lsdem_state *s = lsdem_of(&r);
    const double d = 0.06, larger = 1.2, reduced = larger * 0.5 / (larger + 0.5);
    s->amplitude[0] = -0.2 / s->templates[0].mode_peak[0]; /* the mode shrinks */
    lsdem_place(s, 1, vec3(0, 0, larger + 0.5 - d), quat_identity());
    lsdem_forces(s);
    double expected = M_PI * 1e5 * d * d * reduced * (exact ? 1 / 1.44 : 1);
    claim_relative(exact ? "blown-up ball, energy_exact: force on what enters it, N" : "blown-up ball: force on what enters it, N",
                   s->grains[1].force.z, expected, 0.04, "pi k d^2 R*");
    claim_relative("blown-up ball: force on it, N", s->grains[0].force.z, -s->grains[1].force.z, 1e-12, "third law");
    run_close(&r);
  }
}

/* Two balls on a floor, one pressed by 20 mm, one by 5 mm, in either order: `overlap` is the deeper. */
static void test_the_overlap_is_the_deepest(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    char balls[400];
    snprintf(balls, sizeof balls,
             "[{\"name\": \"balls\", \"material\": \"stone\", \"spacing\": 0.1, \"shape\": {\"type\": \"sphere\", \"radius\": 1}, "
             "\"placement\": {\"type\": \"list\", \"positions\": [[0, 0, %g], [3, 0, %g]]}}]",
             k ? 0.98 : 0.995, k ? 0.995 : 0.98);
    sim_run r = lsdem_open(LSDEM_STONE, "{\"contact_stiffness\": 1e6}", balls, LSDEM_NO_RIG,
                           "[{\"name\": \"floor\", \"shape\": {\"type\": \"plane\"}}]", "{\"duration\": 1}", "", 1);
    lsdem_forces(lsdem_of(&r));
    claim_relative("two pressed balls: overlap, m", run_curve(&r, "overlap"), 0.02, 0.05, "the deeper one's");
    run_close(&r);
  }
}

/* A ball that falls on a floor at 1 m/s with dashpots in its contact: what it has lost when it has left is energy.damping's, to 1 % for
 * the ends of steps. */
static void test_dashpots_of_contacts_take_what_a_ball_loses(void **state)
{
  (void)state;
  sim_run r = lsdem_open(
      LSDEM_STONE, "{\"contact_stiffness\": 1e6, \"damping_time\": 2e-3}",
      "[{\"name\": \"ball\", \"material\": \"stone\", \"spacing\": 0.1, \"shape\": {\"type\": \"sphere\", \"radius\": 1}, "
      "\"velocity\": [0, 0, -1], \"placement\": {\"type\": \"single\", \"position\": [0, 0, 1.001]}}]",
      LSDEM_NO_RIG, "[{\"name\": \"floor\", \"shape\": {\"type\": \"plane\"}}]", "{\"duration\": 1, \"time_step\": 1e-4}", "", 1);
  const lsdem_state *s = lsdem_of(&r);
  double start = run_curve(&r, "energy.kinetic");
  for (int k = 0; k < 9000 && !(s->grains[0].velocity.z > 0 && run_curve(&r, "contacts") == 0); k++) run_steps(&r, 1);
  double lost = start - run_curve(&r, "energy.kinetic");
  assert_true(s->grains[0].velocity.z > 0 && lost > 0.02 * start);
  claim_relative("ball that fell on a floor: energy.damping, J", run_value(&r, "energy.damping"), lost, 0.01, "what it lost");
  run_close(&r);
}

SUITE(test_lsdem_grains)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shapes_have_their_inertia_and_area), cmocka_unit_test(test_turning_is_of_the_second_order),
      cmocka_unit_test(test_a_mode_decays_by_its_damping_ratio), cmocka_unit_test(test_modes_are_driven_by_their_own_forces),
      cmocka_unit_test(test_turning_gives_modes_momenta),        cmocka_unit_test(test_a_deformed_grain_is_entered_by_its_present_surface),
      cmocka_unit_test(test_the_overlap_is_the_deepest),         cmocka_unit_test(test_dashpots_of_contacts_take_what_a_ball_loses),
  };
  return cmocka_run_group_tests_name("lsdem grains", tests, NULL, NULL);
}
