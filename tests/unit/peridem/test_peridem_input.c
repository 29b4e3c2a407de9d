/* What makes no sense of a scene of method peridem: every problem where it is, by pointer; what the paper's own scenes do is a warning. */
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

static const char scene_text[] =
    "{\"scree\":1,\"name\":\"input\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,%s}],"
    "\"specimens\":[{\"name\":\"b\",\"material\":\"m\",\"spacing\":%g,\"shape\":{%s}}],"
    "\"rig\":{\"type\":\"box\",\"minimum\":[-1e-2,-1e-2,-1e-2],\"maximum\":[1e-2,1e-2,1e-2]},"
    "\"time\":{\"duration\":1e-6},\"options\":{%s}}";

typedef struct input {
  const char *material, *shape, *options, *pointer;
  double spacing;
} input;

static const char solid[] = "\"bulk_modulus\":1e9", ball[] = "\"type\":\"sphere\",\"radius\":1e-3";

static size_t count_at(const scr_problem *items, size_t count, const char *pointer)
{
  size_t found = 0;
  for (size_t k = 0; k < count; k++) found += strcmp(items[k].pointer, pointer) == 0;
  return found;
}

static void assert_refused(const input *in)
{
  char text[1200];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  snprintf(text, sizeof text, scene_text, in->material, in->spacing, in->shape, in->options);
  assert_int_not_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_OK);
  assert_int_equal(count_at(problems.items, problems.count, in->pointer), 1);
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
}

/* @return warnings at the pointer */
static size_t warnings(const input *in)
{
  char text[1200];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  snprintf(text, sizeof text, scene_text, in->material, in->spacing, in->shape, in->options);
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_OK);
  size_t found = count_at(scene->warnings->items, scene->warnings->count, in->pointer);
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
  return found;
}

/* The horizon of 3 spacings is larger than a ball of 2.9 spacings; one that is given has the blame itself. */
static void test_a_horizon_larger_than_the_grain_is_refused(void **state)
{
  (void)state;
  assert_refused(&(input){solid, ball, "", "/specimens/0/spacing", 2e-3 / 2.9});
  assert_refused(&(input){solid, ball, "\"horizon\":2.1e-3", "/options/horizon", 4e-4});
  assert_int_equal(warnings(&(input){solid, ball, "\"horizon\":1.9e-3", "/options/horizon", 4e-4}), 0);
}

/* No solid has E >= 9 k, and three moduli must agree: E = 3 k (1 - 2 nu). Otherwise each pair is fine. */
static void test_constants_of_no_solid_are_refused(void **state)
{
  (void)state;
  static const char allowed[] = "\"allow_nu_mismatch\":true";
  assert_refused(&(input){"\"bulk_modulus\":1e9,\"young_modulus\":9e9", ball, allowed, "/materials/0/young_modulus", 2e-4});
  assert_refused(
      &(input){"\"bulk_modulus\":1e9,\"young_modulus\":2e9,\"poisson_ratio\":0.25", ball, "", "/materials/0/young_modulus", 2e-4});
  assert_int_equal(warnings(&(input){"\"bulk_modulus\":1e9,\"young_modulus\":1.5e9,\"poisson_ratio\":0.25", ball, "",
                                     "/materials/0/young_modulus", 2e-4}),
                   0);
  assert_refused(&(input){"\"poisson_ratio\":0.25", ball, "", "/materials/0/bulk_modulus", 2e-4});
  assert_refused(&(input){"\"bulk_modulus\":-1", ball, "", "/materials/0/bulk_modulus", 2e-4});
  assert_refused(&(input){"\"bulk_modulus\":1e9,\"fracture_energy\":0", ball, "", "/materials/0/fracture_energy", 2e-4});
}

/* The paper's thin shell, R / 4 thick at R / 8, has 2 nodes across and runs, with a warning; a plate of 3 has none. */
static void test_few_nodes_across_are_warned_of(void **state)
{
  (void)state;
  static const char shell[] = "\"type\":\"hollow_sphere\",\"radius\":1e-3,\"inner_radius\":7.5e-4",
                    plate[] = "\"type\":\"box\",\"size\":[4e-3,4e-3,6e-4]";
  assert_int_equal(warnings(&(input){solid, shell, "", "/specimens/0/spacing", 1.25e-4}), 1);
  assert_int_equal(warnings(&(input){solid, plate, "", "/specimens/0/spacing", 3e-4}), 1);
  assert_int_equal(warnings(&(input){solid, plate, "", "/specimens/0/spacing", 2e-4}), 0);
}

/* s0 = sqrt(5 Gc / (9 k eps)): 0.5 at Gc = 0.45 k eps = 2.7e5 J/m2 with k = 1e9, eps = 6e-4. */
static void test_bonds_that_break_beyond_reason_are_warned_of(void **state)
{
  (void)state;
  assert_int_equal(warnings(&(input){"\"bulk_modulus\":1e9,\"fracture_energy\":2.69e5", ball, "", "/materials/0/fracture_energy", 2e-4}),
                   0);
  assert_int_equal(warnings(&(input){"\"bulk_modulus\":1e9,\"fracture_energy\":2.71e5", ball, "", "/materials/0/fracture_energy", 2e-4}),
                   1);
}

/* Contact at faces needs limited damping: that it falls back to "body" is said, and only then. */
static void test_contact_that_falls_back_is_warned_of(void **state)
{
  (void)state;
  static const char at[] = "/options/contact_surface";
  assert_int_equal(warnings(&(input){solid, ball, "\"damping_step\":\"explicit\"", at, 2e-4}), 1);
  assert_int_equal(warnings(&(input){solid, ball, "\"damping_step\":\"explicit\",\"contact_surface\":\"body\"", at, 2e-4}), 0);
  assert_int_equal(warnings(&(input){solid, ball, "", at, 2e-4}), 0);
}

/* A plate of four layers keeps 0.74 of its fracture energy by the paper's bonds, 0.96 by the default's; a bar of 2.5 cells is filled to
 * 0.64 by two, and wholly where cells are stretched. Both are said with the number. */
static void test_what_a_lattice_lacks_is_warned_of(void **state)
{
  (void)state;
  static const char breaks[] = "\"bulk_modulus\":1e9,\"fracture_energy\":10", energy[] = "/materials/0/fracture_energy";
  static const char plate[] = "\"type\":\"box\",\"size\":[4e-3,4e-3,8e-4]", bar[] = "\"type\":\"box\",\"size\":[5e-4,5e-4,2e-3]";
  assert_int_equal(warnings(&(input){breaks, plate, PAPER_BONDS, energy, 2e-4}), 1);
  assert_int_equal(warnings(&(input){breaks, plate, "", energy, 2e-4}), 0);
  assert_int_equal(warnings(&(input){solid, plate, PAPER_BONDS, energy, 2e-4}), 0); /* does not break */
  /* of fewer than three nodes across, too: */
  assert_int_equal(warnings(&(input){solid, bar, PAPER_BONDS, "/specimens/0/spacing", 2e-4}), 2);
  assert_int_equal(warnings(&(input){solid, bar, "", "/specimens/0/spacing", 2e-4}), 1);
}

SUITE(test_peridem_input)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_horizon_larger_than_the_grain_is_refused),
      cmocka_unit_test(test_constants_of_no_solid_are_refused),
      cmocka_unit_test(test_few_nodes_across_are_warned_of),
      cmocka_unit_test(test_contact_that_falls_back_is_warned_of),
      cmocka_unit_test(test_what_a_lattice_lacks_is_warned_of),
      cmocka_unit_test(test_bonds_that_break_beyond_reason_are_warned_of),
  };
  return cmocka_run_group_tests_name("peridem input", tests, NULL, NULL);
}
