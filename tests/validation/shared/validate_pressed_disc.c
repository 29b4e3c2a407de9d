/* The Brazilian test: the rig measures the disc, under every method that can model it, and the disc splits where elasticity says. */
#include "methods/bdem/contact/press.h"
#include "tests/support/bdem_run.h"
#include "tests/support/pressed_disc.h"
#include "tests/support/shared_scene.h"
#include "tests/support/suites.h"

/* The gallery's disc at one and a half times its spacing, and as much thicker. */
static const pressed_disc coarse = {0.01, 0.003813, 0.0105, 3e9, 0.146};
#define SPACING                                                                                                                            \
  {                                                                                                                                        \
    "\"spacing\": 6.2e-4", "\"spacing\": 9.3e-4"                                                                                           \
  }
#define THICKNESS                                                                                                                          \
  {                                                                                                                                        \
    "\"length\": 0.002542", "\"length\": 0.003813"                                                                                         \
  }

static sim_run open_disc(const char *method, const char *const (*changes)[2], size_t count)
{
  sim_run r = {.scene = shared_scene_changed("brazilian-disc", method, changes, count)};
  scr_error error = {0};
  if (scr_sim_create(r.scene, 1, &r.sim, &error) != SCR_OK) run_fail("simulation", error.message);
  r.values = calloc(scr_sim_series_count(r.sim), sizeof *r.values);
  assert_non_null(r.values);
  return r;
}

/* Mean of the forces of both jaws, N. */
static double force_of(sim_run *r)
{
  run_observe(r);
  return 0.5 * (fabs(run_value(r, "jaw.top.force_z")) + fabs(run_value(r, "jaw.bottom.force_z")));
}

/* Mean force over Johnson's while the jaws go from one displacement to another, by every so many steps. */
static double force_over_theory(sim_run *r, size_t every, double from, double to)
{
  double sum = 0, count = 0, travel = 0;
  while (travel < to) {
    run_steps(r, every);
    double force = force_of(r);
    travel = run_value(r, "jaw.top.displacement");
    if (travel >= from) sum += force / disc_force(&coarse, travel), count++;
  }
  return sum / count;
}

/* Half of the contact's width that has the rms distance of the upper jaw's forces from the middle: twice it for Hertz's half ellipse. */
static double pressed_half_width(const bdem_run *r)
{
  const bdem_state *s = run_state(r);
  double force = 0, moment = 0;
  for (size_t k = 0; k < s->contacts.touch_count; k++) {
    const bdem_touch *touch = &s->contacts.touches[k];
    bdem_press press;
    double x = s->body.position[touch->sphere].x;
    if (s->body.position[touch->sphere].z < 0 || !bdem_touch_press(&s->contacts, touch, &s->body, &press)) continue;
    force -= press.push.z;
    moment -= press.push.z * x * x;
  }
  return 2 * sqrt(moment / force);
}

/* Mean strain of the bonds across the loaded diameter within a tenth of the radius from the middle. */
static double strain_in_the_middle(const bdem_run *r)
{
  const bdem_body *body = &run_state(r)->body;
  double sum = 0, count = 0, reach = 0.1 * coarse.radius;
  for (size_t b = 0; b < body->bond_count; b++) {
    scr_vec3 i = body->position[body->ends[b][0]], j = body->position[body->ends[b][1]], d = vec3_sub(j, i);
    double length = body->bonds[b].length;
    if (fabs(d.x) < 0.95 * length || fabs(i.x + j.x) > 2 * reach || fabs(i.z + j.z) > 2 * reach) continue;
    sum += vec3_length(d) / length - 1, count++;
  }
  return sum / count;
}

/* First force at which a bond breaks on the loaded diameter, N: in the middle four fifths of it. */
static double first_split(bdem_run *r)
{
  double force = 0;
  while (scr_sim_time(r->sim) < r->scene->time.duration) {
    run_steps(r, 20);
    force = force_of(r);
    const scr_table *breaks = shared_breaks(r->sim);
    for (size_t k = 0; k < breaks->row_count; k++) {
      const break_entry entry = breaks_entry(breaks, k);
      if (fabs(entry.position[0]) < 0.1 * coarse.radius && fabs(entry.position[2]) < 0.8 * coarse.radius) return force;
    }
  }
  return NAN;
}

/* Jaws load a disc on the width that elasticity says, and it splits where the outer fibre of a bond across the diameter reaches the strain
 * at which a pulled bar breaks. Tolerances: rows of spheres lie a spacing apart, a sixth of the contact's width at 0.09 mm; the disc rings
 * by 3 %. Where the spheres themselves meet the jaws, they do so late, and all of a row at once: 0.61 of the force, 1.4 times the width. */
static void test_jaws_load_and_split_a_disc_of_spheres_as_elasticity_says(void **state)
{
  (void)state;
  static const char *const changes[2][2] = {SPACING, THICKNESS};
  bdem_run r = open_disc("bdem", changes, 2);
  claim_relative("bdem: force between 60 and 90 um over Johnson's", force_over_theory(&r, 20, 6e-5, 9e-5), 1, 0.1,
                 "Johnson, Contact Mechanics, 5.6");
  double force = force_of(&r);
  claim_relative("bdem: half of the contact's width, m", pressed_half_width(&r), disc_half_width(&coarse, force), 0.2, "Hertz");
  claim_relative("bdem: strain across the middle", strain_in_the_middle(&r), disc_strain(&coarse, force, 0), 0.05, "plane elasticity");
  double strength = 7.4e6 / coarse.young_modulus;
  claim_relative("bdem: force when the diameter begins to split, N", first_split(&r), disc_splitting_force(&coarse, strength, 0.5 * 9.3e-4),
                 0.1, "plane elasticity, bent bonds");
  run_close(&r);
}

/* Bonds that break within a tenth of the radius from the jaws before the first that breaks on the middle of the loaded diameter. */
static size_t crushed_before_it_splits(bdem_run *r)
{
  size_t crushed = 0;
  while (scr_sim_time(r->sim) < r->scene->time.duration) {
    run_steps(r, 20);
    const scr_table *breaks = shared_breaks(r->sim);
    crushed = 0;
    for (size_t k = 0; k < breaks->row_count; k++) {
      const break_entry entry = breaks_entry(breaks, k);
      if (fabs(entry.position[2]) < 0.6 * coarse.radius && fabs(entry.position[0]) < 0.1 * coarse.radius) return crushed;
      crushed += fabs(entry.position[2]) > 0.9 * coarse.radius;
    }
  }
  return crushed;
}

/* What the check says of a disc between jaws, it does: between flat ones it is crushed below them, with a warning; between the gallery's it
 * splits first, without one. */
static void test_discs_are_crushed_below_jaws_that_the_check_warns_of(void **state)
{
  (void)state;
  static const char *const changes[2][3][2] = {
      {SPACING, THICKNESS, {"\"jaw\": \"curved\"", "\"jaw\": \"curved\""}},
      {SPACING, THICKNESS, {"\"jaw\": \"curved\"", "\"jaw\": \"flat\""}},
  };
  for (size_t flat = claim_slow_part("hollow jaws") ? 0 : 1; flat < 2; flat++) {
    bdem_run r = open_disc("bdem", changes[flat], 3);
    bool warned = false;
    const scr_problems *warnings = scr_scene_warnings(r.scene);
    for (size_t k = 0; k < warnings->count; k++) warned = warned || strstr(warnings->items[k].detail, "crushed there");
    assert_int_equal(warned, flat);
    double crushed = (double)crushed_before_it_splits(&r);
    if (flat)
      claim_between("flat jaws: bonds that break below them before the middle does", crushed, 10, INFINITY, "Hertz's pressure");
    else
      claim_absolute("hollow jaws: bonds that break below them before the middle does", crushed, 0, 0, "Hertz's pressure");
    run_close(&r);
  }
}

static void expect_the_curve(const char *method, size_t every)
{
  static const char *const changes[2][2] = {SPACING, THICKNESS};
  char text[96];
  sim_run r = open_disc(method, changes, 2);
  snprintf(text, sizeof text, "%s: force between 60 and 90 um over Johnson's", method);
  claim_relative(text, force_over_theory(&r, every, 6e-5, 9e-5), 1, 0.06, "Johnson, Contact Mechanics, 5.6");
  run_close(&r);
}

/* Tolerance: nodes half a spacing below the mantle stand for it, 2 % of the diameter, and so does the mean of both contacts. */
static void test_a_disc_has_the_same_curve_under_other_methods(void **state)
{
  (void)state;
  expect_the_curve("peridem", 20);
  if (claim_slow_part("the curve under fem")) expect_the_curve("fem", 1);
}

SUITE(validate_pressed_disc)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_jaws_load_and_split_a_disc_of_spheres_as_elasticity_says),
      cmocka_unit_test(test_discs_are_crushed_below_jaws_that_the_check_warns_of),
      cmocka_unit_test(test_a_disc_has_the_same_curve_under_other_methods),
  };
  return cmocka_run_group_tests_name("pressed disc", tests, NULL, NULL);
}
