/* The virtual test of packings: constants against the spec's table, wishes met or refused to the nearest, and what a scene makes of it. */
#include "geometry/fill/random_packing.h"
#include "methods/bdem/calibration/calibration.h"
#include "methods/bdem/calibration/sample.h"
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

static bdem_test test_of(int packing, scr_vec3 direction)
{
  return (bdem_test){
      .packing = packing,
      .extent = {1e9, 1e9, 1e9}, /* faces far away */
      .direction = direction,
      .bonds = {.young_modulus = 1, .poisson_ratio = 0.3},
      .flexion = 1,
      .wanted = {.young_modulus = 1e7, .bulk_modulus = NAN, .poisson_ratio = NAN, .tensile_strength = 1000, .shear_strength = NAN},
      .strengths = true};
}

/* Hexagonal packings of bonds of nu 0.3: E/E_bond 1.6326 along x and y, 1.7137 along z; a stress along x, y, z loads bonds by 0.6125,
 * 0.4355,
 * 0.3668 of it (spec 4.15, four digits). Bulk modulus 0.74048 E_bond for any direction. */
static void test_hexagonal_packings_have_the_constants_of_the_table(void **state)
{
  (void)state;
  static const double young[] = {1.6326, 1.6326, 1.7137}, tension[] = {0.6125, 0.4355, 0.3668}, poisson[] = {0.1325, 0.1325, 0.1143};
  for (int a = 0; a < 3; ++a) {
    bdem_test test = test_of(BDEM_PACKING_HEXAGONAL_CLOSE, vec3(a == 0, a == 1, a == 2));
    bdem_calibrated found;
    assert_int_equal(bdem_calibrate(&test, &found, NULL), SCR_OK);
    assert_true(fabs(1e7 / found.bonds.young_modulus - young[a]) < 1e-4);
    assert_true(fabs(found.bonds.tensile_strength / 1000 / found.crowd - tension[a]) < 1e-4);
    assert_true(found.crowd > 1 - 1e-3 && found.crowd < 1.2); /* faces load bonds more */
    assert_true(fabs(found.body.poisson_ratio - poisson[a]) < 1e-4);
    assert_true(fabs(found.body.bulk_modulus / found.bonds.young_modulus - 0.740480489693061) < 1e-6);
    assert_true(isinf(found.bonds.shear_strength) && found.body.young_modulus == 1e7);
    assert_true(found.young_low < 0.97 * found.young_high);
  }
}

/* Spheres of a lattice that is stretched alike along all axes by f are joined by bonds f as long and f as soft, of which 1 / f^2 as many
 * cross an area: E goes with 1/f^2 (springs' forces E S / l times strain times l, over areas of l^2). Stretched
 * along z alone, sections across x grow by 1.2 and the bonds that leave the layers turn away from x: bonds are more than 1.2 times as stiff
 * for the same E along x, less than if all of them did so. */
static void test_a_stretched_lattice_has_the_modulus_of_its_bonds(void **state)
{
  (void)state;
  bdem_test test = test_of(BDEM_PACKING_HEXAGONAL_CLOSE, vec3(1, 0, 0));
  bdem_calibrated regular, stretched;
  assert_int_equal(bdem_calibrate(&test, &regular, NULL), SCR_OK);
  for (int a = 0; a < 3; ++a) test.stretch[a] = 1.2;
  assert_int_equal(bdem_calibrate(&test, &stretched, NULL), SCR_OK);
  assert_true(fabs(stretched.bonds.young_modulus / regular.bonds.young_modulus - 1.44) < 1e-6);
  test.stretch[0] = test.stretch[1] = 1;
  assert_int_equal(bdem_calibrate(&test, &stretched, NULL), SCR_OK);
  double factor = stretched.bonds.young_modulus / regular.bonds.young_modulus;
  print_message("# stretched by 1.2 along z: bonds %.4f times as stiff for the same E along x\n", factor);
  assert_true(factor > 1.2 && factor < 1.2 * 1.3);
}

/* A ratio within the packing's range is met, one out of it gives the range's end; the modulus is met in both cases. */
static void test_poissons_ratio_is_met_or_as_near_as_it_can_be(void **state)
{
  (void)state;
  for (int packing = BDEM_PACKING_HEXAGONAL_CLOSE; packing <= BDEM_PACKING_BODY_CENTRED; ++packing) {
    bdem_test test = test_of(packing, vec3(1, 0, 0));
    bdem_calibrated found;
    test.wanted.poisson_ratio = 0.1;
    assert_int_equal(bdem_calibrate(&test, &found, NULL), SCR_OK);
    assert_true(fabs(found.body.poisson_ratio - 0.1) < 1e-4 && fabs(found.body.young_modulus - 1e7) < 1);
    assert_true(found.poisson_low < 0.01 && found.poisson_high > 0.14);
    test.wanted.poisson_ratio = 0.4;
    assert_int_equal(bdem_calibrate(&test, &found, NULL), SCR_OK);
    assert_true(found.body.poisson_ratio == found.poisson_high && found.bonds.poisson_ratio == BDEM_BOND_POISSON_HIGH);
    test.wanted.poisson_ratio = -0.2;
    assert_int_equal(bdem_calibrate(&test, &found, NULL), SCR_OK);
    assert_true(found.body.poisson_ratio == found.poisson_low && found.bonds.poisson_ratio == BDEM_BOND_POISSON_LOW);
  }
}

/* Asked for the bulk modulus alone, the body has it; E follows by K = E/(3 (1 - 2 nu)) in a cubic packing. */
static void test_the_bulk_modulus_can_be_asked_for(void **state)
{
  (void)state;
  bdem_test test = test_of(BDEM_PACKING_BODY_CENTRED, vec3(0, 0, 1));
  bdem_calibrated found;
  test.wanted.young_modulus = NAN;
  test.wanted.bulk_modulus = 5e6;
  assert_int_equal(bdem_calibrate(&test, &found, NULL), SCR_OK);
  assert_true(fabs(found.body.bulk_modulus / 5e6 - 1) < 1e-9);
  assert_true(fabs(found.body.young_modulus / (3 * 5e6 * (1 - 2 * found.body.poisson_ratio)) - 1) < 1e-6);
  assert_true(fabs(found.bonds.young_modulus * 0.453449841058554 / 5e6 - 1) < 1e-6);
}

/* Both strengths are met where the packing allows it; otherwise the tensile one, and the shear strength is told. */
static void test_strengths_are_met_or_told(void **state)
{
  (void)state;
  bdem_test test = test_of(BDEM_PACKING_HEXAGONAL_CLOSE, vec3(1, 0, 0));
  bdem_calibrated found;
  test.wanted.shear_strength = 500;
  assert_int_equal(bdem_calibrate(&test, &found, NULL), SCR_OK);
  assert_true(fabs(found.body.tensile_strength - 1000) < 1 && fabs(found.body.shear_strength - 500) < 1);
  test.wanted.shear_strength = 5000; /* bonds would break in tension long before */
  assert_int_equal(bdem_calibrate(&test, &found, NULL), SCR_OK);
  assert_true(fabs(found.body.tensile_strength - 1000) < 1 && found.body.shear_strength < 2500);
  test.wanted.shear_strength = 10; /* a pull would shear bonds off long before */
  assert_int_equal(bdem_calibrate(&test, &found, NULL), SCR_OK);
  assert_true(fabs(found.body.tensile_strength - 1000) < 1 && found.body.shear_strength > 50);
}

/* Along its axes a body-centred packing's bonds carry a pull by shear, and their tension is a third of the pull in every direction: bonds
 * break by shear there, so that what raises the mean stress (jaws, notches) does not break them first; tension breaks them where it is
 * largest, along the bonds. Pulled along a bond, they carry it by tension: the shear strength stays away. */
static void test_bonds_that_carry_a_pull_by_shear_break_by_shear(void **state)
{
  (void)state;
  bdem_test test = test_of(BDEM_PACKING_BODY_CENTRED, vec3(1, 0, 0));
  bdem_calibrated found;
  assert_int_equal(bdem_calibrate(&test, &found, NULL), SCR_OK);
  assert_true(fabs(found.body.tensile_strength - 1000) < 1e-6);
  assert_true(isfinite(found.bonds.shear_strength) && found.bonds.tensile_strength > 2 * found.bonds.shear_strength);
  test.wanted.shear_strength = 500; /* tension may break them as early as that asks for, and no earlier than the pull lets */
  assert_int_equal(bdem_calibrate(&test, &found, NULL), SCR_OK);
  assert_true(fabs(found.body.tensile_strength - 1000) < 1e-6 && fabs(found.body.shear_strength - 500) < 1e-6);
  test.wanted.shear_strength = NAN;
  test.direction = vec3(sqrt(1.0 / 3.0), sqrt(1.0 / 3.0), sqrt(1.0 / 3.0));
  assert_int_equal(bdem_calibrate(&test, &found, NULL), SCR_OK);
  assert_true(fabs(found.body.tensile_strength - 1000) < 1e-6 && isinf(found.bonds.shear_strength));
}

/* The same test gives the same bits, as a resumed run needs; its cost allows it at every start (a random packing, all asked for). */
static void test_a_test_of_a_random_packing_repeats_to_the_bit(void **state)
{
  (void)state;
  double edge;
  scr_vec3 *cell = malloc(BDEM_RANDOM_CELL * sizeof *cell);
  assert_non_null(cell);
  assert_int_equal(geo_random_packing(BDEM_RANDOM_CELL, 3, &edge, cell, NULL), SCR_OK);
  bdem_test test = test_of(BDEM_PACKING_RANDOM_CLOSE, vec3(0, 0, 0));
  test.cell = cell;
  test.cell_edge = edge;
  test.wanted.shear_strength = 400;
  bdem_calibrated first, second;
  assert_int_equal(bdem_calibrate(&test, &first, NULL), SCR_OK);
  assert_int_equal(bdem_calibrate(&test, &second, NULL), SCR_OK);
  assert_memory_equal(&first, &second, sizeof first);
  assert_true(first.young_high / first.young_low < 1.1); /* no direction of its own */
  test.extent[1] = 0.5, test.extent[2] = 3;              /* a bar so thin would fall apart */
  assert_int_equal(bdem_calibrate(&test, &second, NULL), SCR_OK);
  assert_true(isfinite(second.bonds.tensile_strength) && second.bonds.tensile_strength > first.bonds.tensile_strength);
  free(cell);
}

static const char scene_form[] =
    "{\"scree\":1,\"name\":\"x\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e6%s}],"
    "\"specimens\":[{\"name\":\"s\",\"material\":\"m\",\"spacing\":0.1,\"shape\":{\"type\":\"box\",\"size\":[1,0.86602540,0.81649658]}%s}],"
    "\"time\":{\"duration\":0.01},\"options\":{\"constants_of\":\"%s\"%s}}";

/* The body's constants make bonds softer by the packing's factor, the stable step follows, and the run says which bonds it has. A specimen
 * that lies turned by 90 degrees about y is pulled along its layers' axis where its twin is pulled along its rows. */
static void test_a_scene_gives_the_constants_of_its_body(void **state)
{
  (void)state;
  char text[1024];
  double modulus[4], share[4];
  static const char *const turned[] = {"", "", "", ",\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":90}"};
  static const char *const options[] = {"", "", ",\"calibration_axis\":\"x\"", ",\"calibration_axis\":\"x\""};
  for (int k = 0; k < 4; ++k) {
    snprintf(text, sizeof text, scene_form, "", turned[k], k ? "body" : "bonds", options[k]);
    bdem_run r = run_open(text, 1);
    modulus[k] = run_state(&r)->model.substances[0].young_modulus;
    share[k] = run_state(&r)->model.substances[0].calibrated.share;
    assert_int_equal(r.sim->note_count, k ? 1 : 0);
    assert_true(fabs(scr_sim_time_step(r.sim) / (0.7 * run_state(&r)->model.stable_step) - 1) < 1e-12);
    run_close(&r);
  }
  assert_true(modulus[0] == 1e6);
  assert_true(modulus[1] * share[1] < 1e6 / 1.5 && modulus[1] * share[1] > 1e6 / 1.7);
  assert_true(fabs(modulus[2] * share[2] / (modulus[3] * share[3]) - 1.7137 / 1.6326) < 1e-4);
}

/* What can't be reached is told by the check, which goes on. */
static void test_the_check_warns_of_what_a_packing_cant_have(void **state)
{
  (void)state;
  char text[1024];
  scr_scene *scene = NULL;
  snprintf(text, sizeof text, scene_form, ",\"poisson_ratio\":0.35,\"tensile_strength\":1000,\"shear_strength\":9000", "", "body", "");
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, NULL), SCR_OK);
  const scr_problems *warnings = scr_scene_warnings(scene);
  for (size_t k = 0; k < warnings->count; ++k) print_message("# %s\n", warnings->items[k].detail);
  assert_int_equal(warnings->count, 2);
  assert_string_equal(warnings->items[0].pointer, "/materials/0/poisson_ratio");
  assert_string_equal(warnings->items[1].pointer, "/materials/0/shear_strength");
  scr_scene_destroy(scene);
}

/* A fracture energy without strengths has them made from it: the check tells, and only where the option strength does not say so. */
static void test_the_check_warns_of_strengths_made_from_a_fracture_energy(void **state)
{
  (void)state;
  static const struct {
    const char *strengths, *options;
    size_t warnings;
  } cases[] = {{"", "", 1},
               {",\"tensile_strength\":1000", "", 0},
               {",\"shear_strength\":1000", "", 0},
               {"", ",\"strength\":\"energy-scaled\"", 0},
               {"", ",\"breakable\":false", 0}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    char text[1024], material[128];
    scr_scene *scene = NULL;
    snprintf(material, sizeof material, ",\"fracture_energy\":10%s", cases[k].strengths);
    snprintf(text, sizeof text, scene_form, material, "", "bonds", cases[k].options);
    assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, NULL), SCR_OK);
    const scr_problems *warnings = scr_scene_warnings(scene);
    assert_int_equal(warnings->count, cases[k].warnings);
    if (cases[k].warnings) assert_string_equal(warnings->items[0].pointer, "/materials/0/fracture_energy");
    scr_scene_destroy(scene);
  }
}

/* Body-centred packings with exact shear find their Poisson ratio: the coupling of spheres and mean strain cancels there but for rounding,
 * which the preconditioner took for a lack of memory. A ratio in the middle of what the packing reaches is met. */
static void test_a_body_centred_packing_with_exact_shear_finds_its_bonds(void **state)
{
  (void)state;
  bdem_calibrated found;
  scr_error error;
  bdem_test test = {.packing = BDEM_PACKING_BODY_CENTRED,
                    .extent = {10, 10, 10},
                    .bonds = {1, 0.3, BDEM_CALIBRATION_PHYSICAL, BDEM_SHEAR_EXACT},
                    .flexion = 1,
                    .wanted = {1e6, NAN, 0.25, NAN, NAN}};
  assert_int_equal(bdem_calibrate(&test, &found, &error), SCR_OK);
  print_message("# body-centred, exact shear: Poisson's ratios %.3f to %.3f\n", found.poisson_low, found.poisson_high);
  assert_true(found.poisson_low < found.poisson_high);
  test.wanted.poisson_ratio = 0.5 * (found.poisson_low + found.poisson_high);
  assert_int_equal(bdem_calibrate(&test, &found, &error), SCR_OK);
  assert_true(fabs(found.body.poisson_ratio - test.wanted.poisson_ratio) < 2e-5); /* the search ends at 1e-5 */
}

/* Tabs that cover all between the grips, or are under no grips, are told. */
static void test_the_check_warns_of_tabs_that_make_no_sense(void **state)
{
  (void)state;
  static const char *const rigs[] = {"", ",\"rig\":{\"type\":\"grips\",\"axis\":\"x\",\"low_end\":-0.4,\"high_start\":0.4}",
                                     ",\"rig\":{\"type\":\"grips\",\"axis\":\"x\",\"low_end\":-0.4,\"high_start\":0.4}"};
  static const char *const tabs[] = {"0.1", "0.4", "0.3"};
  for (int k = 0; k < 3; ++k) {
    char text[1024], options[256];
    scr_scene *scene = NULL;
    snprintf(options, sizeof options, ",\"tab_length\":%s}%s,\"output\":{", tabs[k], rigs[k]);
    snprintf(text, sizeof text, scene_form, "", "", "bonds", options);
    assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, NULL), SCR_OK);
    const scr_problems *warnings = scr_scene_warnings(scene);
    assert_int_equal(warnings->count, k < 2);
    if (k < 2) assert_string_equal(warnings->items[0].pointer, "/options/tab_length");
    scr_scene_destroy(scene);
  }
}

/* A bar is pulled to twice its strength: under tabs every bond is left, between them it breaks. */
static void test_bonds_under_tabs_never_break(void **state)
{
  (void)state;
  static const char form[] =
      "{\"scree\":1,\"name\":\"x\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e6,"
      "\"tensile_strength\":1000}],\"specimens\":[{\"name\":\"s\",\"material\":\"m\",\"spacing\":0.1,\"shape\":{\"type\":\"box\","
      "\"size\":[1,0.35,0.33]}}],\"rig\":{\"type\":\"grips\",\"axis\":\"x\",\"low_end\":-0.41,\"high_start\":0.41,"
      "\"program\":[{\"type\":\"constant\",\"velocity\":0.016}]},\"time\":{\"duration\":0.1},"
      "\"options\":{\"constants_of\":\"body\",\"tab_length\":%g}}";
  for (int k = 0; k < 2; ++k) { /* tabs that leave 0.22 m, and 0.02 m: less than a bond, all of which reach under one */
    char text[1024];
    snprintf(text, sizeof text, form, k ? 0.4 : 0.3);
    bdem_run run = run_open(text, 1);
    const bdem_state *s = run_state(&run);
    size_t whole = s->body.bond_count, under = 0, left = 0;
    for (size_t b = 0; b < whole; ++b) under += s->fracture.tabbed[s->body.ends[b][0]] || s->fracture.tabbed[s->body.ends[b][1]];
    run_until(&run, 0.1);
    bdem_bonds_close(&run_state(&run)->body, &run_state(&run)->batches, &run_state(&run)->fracture);
    for (size_t b = 0; b < s->body.bond_count; ++b)
      left += s->fracture.tabbed[s->body.ends[b][0]] || s->fracture.tabbed[s->body.ends[b][1]];
    assert_int_equal(left, under);
    assert_true(k ? under == whole && s->body.bond_count == whole : s->body.bond_count < whole);
    run_close(&run);
  }
}

SUITE(test_bdem_calibration)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hexagonal_packings_have_the_constants_of_the_table),
      cmocka_unit_test(test_a_stretched_lattice_has_the_modulus_of_its_bonds),
      cmocka_unit_test(test_poissons_ratio_is_met_or_as_near_as_it_can_be),
      cmocka_unit_test(test_the_bulk_modulus_can_be_asked_for),
      cmocka_unit_test(test_strengths_are_met_or_told),
      cmocka_unit_test(test_bonds_that_carry_a_pull_by_shear_break_by_shear),
      cmocka_unit_test(test_a_test_of_a_random_packing_repeats_to_the_bit),
      cmocka_unit_test(test_a_scene_gives_the_constants_of_its_body),
      cmocka_unit_test(test_the_check_warns_of_what_a_packing_cant_have),
      cmocka_unit_test(test_the_check_warns_of_strengths_made_from_a_fracture_energy),
      cmocka_unit_test(test_a_body_centred_packing_with_exact_shear_finds_its_bonds),
      cmocka_unit_test(test_the_check_warns_of_tabs_that_make_no_sense),
      cmocka_unit_test(test_bonds_under_tabs_never_break),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
