/* Friction's formulas: forces and curvature of the potential against differences, the law of Coulomb, what it dissipates. */
#include <stdlib.h>

#include "methods/bdem/contact/friction.h"
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

/* Spheres 0 and 1 touch each other, 2 touches a plane; all are turned and shifted from the step's start. */
typedef struct fixture {
  bdem_body body;
  bdem_pair pair;
  bdem_touch touch;
  bdem_contacts contacts;
  scr_part form;
  part_motion motion;
  bdem_friction friction;
  bdem_surface law;
  scr_vec3 start[3];
  scr_quat turned[3];
} fixture;

static double any(double scale)
{
  return scale * (2.0 * rand() / (double)RAND_MAX - 1.0);
}

static scr_vec3 any_vector(double scale)
{
  double x = any(scale), y = any(scale);
  return vec3(x, y, any(scale));
}

static void make(fixture *f, double friction, double moved, double turned)
{
  *f = (fixture){.law = {friction, 0}};
  assert_int_equal(bdem_body_create(3, 0, &f->body, NULL), SCR_OK);
  for (int k = 0; k < 3; ++k) {
    f->start[k] = vec3_add(vec3(k == 1 ? 0.0195 : 0.1 * k, 0, 0.009), any_vector(1e-4));
    f->turned[k] = quat_exp(any_vector(1));
    f->body.position[k] = vec3_add(f->start[k], any_vector(moved));
    f->body.orientation[k] = quat_normalise(quat_multiply(quat_exp(any_vector(turned)), f->turned[k]));
    f->body.radius[k] = k == 1 ? 0.012 : 0.01;
  }
  f->pair = (bdem_pair){.i = 0, .j = 1, .reach = 0.022, .stiffness = 1e4, .shear = BDEM_TANGENTIAL_RATIO, .spring = any_vector(1e-4)};
  f->touch = (bdem_touch){.sphere = 2, .reach = 0.01, .stiffness = 2e4, .shear = BDEM_TANGENTIAL_RATIO, .spring = any_vector(1e-4)};
  f->contacts = (bdem_contacts){.pairs = &f->pair,
                                .pair_count = 1,
                                .touches = &f->touch,
                                .touch_count = 1,
                                .part_count = 1,
                                .laws = &f->law,
                                .law_count = 1,
                                .friction = &f->friction};
  f->contacts.touch_first[1] = 1;
  f->form = (scr_part){.kind = SCR_PART_PLANE, .normal = {0, 0, 1}};
  f->contacts.rig = &f->form;
  f->contacts.parts = &f->motion;
  f->contacts.part_displacements[0] = (part_displacement){.displacement = any_vector(moved)};
  bdem_slide_view view = {&f->contacts, &f->body, f->start, f->turned};
  assert_int_equal(bdem_slides_list(&view, NULL), SCR_OK);
  assert_int_equal(f->friction.slide_count, 2);
}

static void clear(fixture *f)
{
  bdem_friction_clear(&f->friction);
  bdem_body_destroy(&f->body);
}

/* Energy with sphere k moved by dp and turned by y about world axes. */
static double energy_at(fixture *f, int k, scr_vec3 dp, scr_vec3 y)
{
  bdem_slide_view view = {&f->contacts, &f->body, f->start, f->turned};
  scr_vec3 p = f->body.position[k];
  scr_quat q = f->body.orientation[k];
  f->body.position[k] = vec3_add(p, dp);
  f->body.orientation[k] = quat_multiply(quat_exp(y), q);
  double energy = bdem_slides_energy(&view);
  f->body.position[k] = p;
  f->body.orientation[k] = q;
  return energy;
}

static double component(scr_vec3 v, int a)
{
  return a == 0 ? v.x : a == 1 ? v.y : v.z;
}

/* Central differences over 1e-7 m and 1e-5 rad. Sticking (mu 5) and slipping (mu 0.05), turns since the start of up to 0.05 rad: the torque
 * must be the one conjugate to them. */
static void test_forces_are_the_gradient_of_the_potential(void **state)
{
  (void)state;
  for (int trial = 0; trial < 40; ++trial) {
    fixture f;
    scr_vec3 force[3] = {{0, 0, 0}}, torque[3] = {{0, 0, 0}};
    make(&f, trial % 2 ? 5 : 0.05, 5e-4, 0.05);
    bdem_slide_view view = {&f.contacts, &f.body, f.start, f.turned};
    bdem_slides_add_forces(&view, false, force, torque);
    for (int k = 0; k < 3; ++k)
      for (int a = 0; a < 3; ++a) {
        scr_vec3 way = vec3(a == 0 ? 1e-7 : 0, a == 1 ? 1e-7 : 0, a == 2 ? 1e-7 : 0), turn = vec3_scale(way, 100), none = vec3(0, 0, 0);
        double push = (energy_at(&f, k, vec3_scale(way, -1), none) - energy_at(&f, k, way, none)) / 2e-7;
        double twist = (energy_at(&f, k, none, vec3_scale(turn, -1)) - energy_at(&f, k, none, turn)) / 2e-5;
        assert_true(fabs(push - component(force[k], a)) < 1e-5 && fabs(twist - component(torque[k], a)) < 1e-7);
      }
    clear(&f);
  }
}

/* d^T H d against second differences of the energy along geodesics; nothing is turned since the start, where H is exact. In 6 x 6 blocks of
 * metres. */
static void test_curvature_is_the_second_derivative_of_the_potential(void **state)
{
  (void)state;
  const uint32_t pairs[1][2] = {{0, 1}};
  for (int trial = 0; trial < 40; ++trial) {
    fixture f;
    bdem_slide_curvature curvature[2];
    la_block_matrix matrix;
    make(&f, trial % 2 ? 5 : 0.05, 5e-4, 0);
    bdem_slide_view view = {&f.contacts, &f.body, f.start, f.turned};
    assert_int_equal(la_block_matrix_create(3, pairs, 1, &matrix, NULL), SCR_OK);
    memset(matrix.values, 0, 36 * matrix.block_count * sizeof *matrix.values);
    bdem_slides_curve(&view, curvature);
    bdem_slides_add_hessian(curvature, 2, &matrix);
    scr_vec3 base[3];
    memcpy(base, f.body.position, sizeof base);
    double step[18], product[18], h = 1e-6, energy[3], expected = 0;
    for (int k = 0; k < 18; ++k) step[k] = any(1);
    la_block_matrix_multiply(&matrix, step, product, execution_of(1));
    for (int k = 0; k < 18; ++k) expected += step[k] * product[k];
    for (int e = -1; e <= 1; ++e) {
      for (int k = 0; k < 3; ++k) {
        const double *d = step + 6 * k;
        f.body.position[k] = vec3_add(base[k], vec3(e * h * d[0], e * h * d[1], e * h * d[2]));
        f.body.orientation[k] = quat_multiply(quat_exp(vec3_scale(vec3(d[3], d[4], d[5]), 2 * e * h / f.body.radius[k])), f.turned[k]);
      }
      energy[e + 1] = bdem_slides_energy(&view);
    }
    double found = (energy[0] - 2 * energy[1] + energy[2]) / (h * h);
    assert_true(expected >= 0 && fabs(found - expected) < 2e-2 * (expected + 1));
    la_block_matrix_destroy(&matrix);
    clear(&f);
  }
}

/* A point is dragged to and fro: it sticks up to x0 = mu N/kt, slips beyond at mu N, and what it dissipates is mu N times the slip. */
static void test_a_contact_sticks_up_to_coulombs_limit_and_slips_beyond(void **state)
{
  (void)state;
  const double k = 1e4, mu = 0.3, overlap = 1e-4, limit = mu * overlap / BDEM_TANGENTIAL_RATIO, step = 0.1 * limit;
  scr_vec3 spring = vec3(0, 0, 0), normal = vec3(0, 0, 1);
  double dissipated = 0, work = 0, before = 0;
  bool sticks;
  const bdem_slip forth = {mu, k, BDEM_TANGENTIAL_RATIO, overlap, normal, vec3(step, 0, 0), 0};
  const bdem_slip back = {mu, k, BDEM_TANGENTIAL_RATIO, overlap, normal, vec3(-step, 0, 0), 0};
  const bdem_slip still = {mu, k, BDEM_TANGENTIAL_RATIO, 0.5 * overlap, normal, vec3(0, 0, 0), 0};
  for (int n = 1; n <= 30; ++n) {
    bdem_spring_force rub = bdem_spring_friction(&spring, &sticks, &forth);
    double force = -rub.force.x, expected = fmin(0.8 * k * n * step, mu * k * overlap);
    assert_true(fabs(force / expected - 1) < 1e-12 && sticks == (n <= 10));
    work += 0.5 * (before + force) * step;
    before = force;
    dissipated += rub.dissipated;
  }
  assert_true(fabs(dissipated / (mu * k * overlap * 20 * step) - 1) < 1e-12);
  assert_true(fabs(work - dissipated - 0.5 * 0.8 * k * limit * limit) < 1e-12 * work);
  for (int n = 1; n <= 20; ++n) { /* back: sticks over twice the limit before it slips the other way */
    bdem_spring_force rub = bdem_spring_friction(&spring, &sticks, &back);
    assert_true(rub.dissipated < 1e-9 * dissipated);
  }
  assert_true(fabs(spring.x + limit) < 1e-12 * limit);
  bdem_spring_force less = bdem_spring_friction(&spring, &sticks, &still); /* less pressure: it lets go of some */
  assert_true(less.dissipated > 0 && fabs(spring.x + 0.5 * limit) < 1e-12 * limit);
}

/* The spring turns with its contact, and keeps its length. */
static void test_a_spring_turns_with_its_contact(void **state)
{
  (void)state;
  scr_vec3 tilted = bdem_spring_turned(vec3(1, 0, 0), vec3_scale(vec3(0.1, 0, 1), 1 / sqrt(1.01)), 0);
  assert_true(fabs(vec3_length(tilted) - 1) < 1e-14 && fabs(tilted.x / -tilted.z - 10) < 1e-12);
  scr_vec3 twisted = bdem_spring_turned(vec3(1, 0, 0), vec3(0, 0, 1), 1e-3);
  assert_true(fabs(vec3_length(twisted) - 1) < 1e-14 && fabs(twisted.y / twisted.x - 1e-3) < 1e-15);
}

SUITE(test_bdem_friction)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forces_are_the_gradient_of_the_potential),
      cmocka_unit_test(test_curvature_is_the_second_derivative_of_the_potential),
      cmocka_unit_test(test_a_contact_sticks_up_to_coulombs_limit_and_slips_beyond),
      cmocka_unit_test(test_a_spring_turns_with_its_contact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
