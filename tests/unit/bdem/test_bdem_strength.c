/* Strength of bonds made from a fracture energy: cutting a plane takes that energy, whatever the size of the spheres. */
#include <stdio.h>
#include <stdlib.h>

#include "geometry/fill/packing.h"
#include "geometry/fill/random_packing.h"
#include "base/memory.h"
#include "methods/bdem/bonds/strength.h"
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

static const double modulus = 2e9, fracture_energy = 135, pi = 3.14159265358979323846;

/* Energy that cutting a plane of normal n takes per area, over Gc, when every bond that crosses it is pulled to its strength first: the sum
 * over bonds of |l . n| S l sigma^2/(2E), per volume. */
static double cut(const scr_vec3 *bonds, size_t count, double volume, double radius, double strength, scr_vec3 n)
{
  double sum = 0;
  for (size_t k = 0; k < count; k++) sum += fabs(vec3_dot(bonds[k], n)) * vec3_length(bonds[k]);
  return sum * pi * radius * radius * strength * strength / (2 * modulus) / volume / fracture_energy;
}

/* The bonds of one sphere deep in a block, each once from either end: half of them count. */
static size_t bonds_inside(geo_packing packing, double radius, scr_vec3 *bonds)
{
  const size_t counts[3] = {7, 7, 7}, n = 343, middle = 3 + 7 * (3 + 7 * 3);
  scr_vec3 centres[343];
  size_t pair_count, found = 0;
  uint32_t(*pairs)[2] = NULL;
  geo_packing_block(packing, radius, counts, centres);
  assert_int_equal(geo_packing_pairs(centres, n, 2.01 * radius, &pairs, &pair_count, NULL), SCR_OK);
  for (size_t b = 0; b < pair_count; b++)
    if (pairs[b][0] == middle || pairs[b][1] == middle) bonds[found++] = vec3_sub(centres[pairs[b][1]], centres[pairs[b][0]]);
  mem_free(pairs);
  return found;
}

/* Reference: sum of |direction . n| over a sphere's 6 bonds against its mean over all n, 3. Across the rows (x) it is 1 + 2/2 + 2/2 = 3;
 * along the layers' other axis (y) sqrt(3) + 2/sqrt(3) = 5/sqrt(3); between layers (z) 3 sqrt(2/3). Exact but for rounding. */
static void test_cutting_a_close_packing_takes_the_fracture_energy_at_every_size(void **state)
{
  (void)state;
  for (int power = -4; power < 0; power++) {
    double radius = pow(10, power);
    scr_vec3 bonds[12];
    size_t count = bonds_inside(GEO_PACKING_HEXAGONAL_CLOSE, radius, bonds);
    double strength = bdem_cutting_strength(BDEM_PACKING_HEXAGONAL_CLOSE, modulus, fracture_energy, radius);
    double volume = 2 * geo_packing_cell_volume(GEO_PACKING_HEXAGONAL_CLOSE, radius);
    assert_int_equal(count, 12);
    assert_true(fabs(cut(bonds, count, volume, radius, strength, vec3(1, 0, 0)) - 1) < 1e-9);
    assert_true(fabs(cut(bonds, count, volume, radius, strength, vec3(0, 1, 0)) - 5 / sqrt(27.0)) < 1e-9);
    assert_true(fabs(cut(bonds, count, volume, radius, strength, vec3(0, 0, 1)) - sqrt(2.0 / 3.0)) < 1e-9);
  }
}

/* {100} planes are crossed by all 8 bonds at 1/sqrt(3), the mean over directions is 1/2: 2/sqrt(3). */
static void test_cutting_a_body_centred_packing_across_its_axes_takes_a_little_more(void **state)
{
  (void)state;
  scr_vec3 bonds[12];
  double radius = 0.01;
  size_t count = bonds_inside(GEO_PACKING_BODY_CENTRED, radius, bonds);
  double strength = bdem_cutting_strength(BDEM_PACKING_BODY_CENTRED, modulus, fracture_energy, radius);
  double volume = 2 * geo_packing_cell_volume(GEO_PACKING_BODY_CENTRED, radius);
  assert_int_equal(count, 8);
  assert_true(fabs(cut(bonds, count, volume, radius, strength, vec3(1, 0, 0)) - 2 / sqrt(3.0)) < 1e-9);
}

/* Random packings have no such directions. Tolerance: cells of 512 spheres differ by 1 % in their bonds and 4 % in direction. */
static void test_cutting_a_random_packing_takes_the_fracture_energy_in_every_direction(void **state)
{
  (void)state;
  enum { spheres = 512 };
  static scr_vec3 centres[spheres], bonds[8 * spheres];
  double edge, radius = 0.01;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    size_t count = 0;
    assert_int_equal(geo_random_packing(spheres, seed, &edge, centres, NULL), SCR_OK);
    for (size_t i = 0; i < spheres; i++)
      for (size_t j = i + 1; j < spheres; j++) {
        scr_vec3 e = vec3_sub(centres[j], centres[i]);
        e = vec3(e.x - edge * round(e.x / edge), e.y - edge * round(e.y / edge), e.z - edge * round(e.z / edge));
        if (vec3_length(e) < 1.1) bonds[count++] = vec3_scale(e, 2 * radius);
      }
    double strength = bdem_cutting_strength(BDEM_PACKING_RANDOM_CLOSE, modulus, fracture_energy, radius),
           volume = pow(2 * radius * edge, 3);
    const scr_vec3 normals[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6, 0, 0.8}};
    for (size_t k = 0; k < 4; k++) assert_true(fabs(cut(bonds, count, volume, radius, strength, normals[k]) - 1) < 0.04);
  }
}

#define MATERIAL "{\"name\":\"m\",\"density\":1000,\"young_modulus\":2e9,%s}"

/* The section of the only specimen's bonds, of a bar with the material's `rest` and option `strength`. */
static bdem_section section_of(const char *rest, const char *strength)
{
  char named[256], text[1024];
  snprintf(named, sizeof named, MATERIAL, rest);
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"bar\",\"method\":\"bdem\",\"materials\":[%s],\"specimens\":[{\"name\":\"bar\",\"material\":\"m\","
           "\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[0.2,0.1,0.1]}}],\"time\":{\"duration\":1e-3},\"options\":{\"constants_"
           "of\":\"bonds\",%s}}",
           named, strength);
  bdem_run run = run_open(text, 1);
  bdem_section section = run_state(&run)->model.substances[0].section;
  run_close(&run);
  return section;
}

static void test_the_option_chooses_where_the_strength_comes_from(void **state)
{
  (void)state;
  static const char *const both = "\"fracture_energy\":135,\"tensile_strength\":4e6,\"shear_strength\":2e6";
  double scaled = bdem_energy_strength(BDEM_PACKING_HEXAGONAL_CLOSE, vec3(0, 0, 0), 2e9, 135, 0.01);
  bdem_section given = section_of(both, "\"strength\":\"given\""), made = section_of(both, "\"strength\":\"energy-scaled\"");
  bdem_section alone = section_of("\"fracture_energy\":135", "\"strength\":\"energy-scaled\"");
  bdem_section neither = section_of("\"fracture_energy\":135", "\"strength\":\"given\"");
  bdem_section shear = section_of("\"fracture_energy\":135,\"shear_strength\":2e6", "\"strength\":\"given\"");
  bdem_section unbreakable = section_of("\"fracture_energy\":135", "\"breakable\":false");
  bdem_section never = section_of(both, "\"strength\":\"energy-scaled\",\"breakable\":false");
  assert_true(given.tensile_strength == 4e6 && given.shear_strength == 2e6);
  assert_true(made.tensile_strength == scaled && fabs(made.shear_strength - 0.5 * scaled) < 1e-9 * scaled);
  assert_true(alone.tensile_strength == scaled && alone.shear_strength == scaled);
  assert_true(neither.tensile_strength == scaled && neither.shear_strength == scaled);
  assert_true(isinf(shear.tensile_strength) && shear.shear_strength == 2e6);
  assert_true(isinf(unbreakable.tensile_strength) && isinf(unbreakable.shear_strength));
  assert_true(isinf(never.tensile_strength) && isinf(never.shear_strength));
}

/* A bar of 12 x 4 x 6 spheres (x, rows along y, layers) with a notch through its lower third, of a material without strengths, pulled along
 * x until it is in two: energy of the bonds at the moment they broke, per area of the ligament, J/m^2. */
static double torn(const char *constants_of)
{
  double d = 2.5e-3, length = 12 * d, width = 4 * 0.8661 * d, height = 4.9 * d, ligament = 4 * sqrt(0.75) * d * 4 * sqrt(2.0 / 3.0) * d;
  char text[2048];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"bar\",\"method\":\"bdem\",\"materials\":[{\"name\":\"p\",\"density\":1200,\"young_modulus\":1.8376e9,"
           "\"fracture_energy\":%g}],\"specimens\":[{\"name\":\"bar\",\"material\":\"p\",\"spacing\":%g,\"shape\":{\"type\":"
           "\"notched_box\",\"size\":[%.17g,%.17g,%.17g],\"notch_depth\":%.17g,\"notch_width\":%g}}],"
           "\"rig\":{\"type\":\"grips\",\"axis\":\"x\",\"low_end\":%.17g,\"high_start\":%.17g,"
           "\"program\":[{\"type\":\"ramp\",\"velocity\":0.05,\"duration\":3e-4},{\"type\":\"constant\",\"velocity\":0.05}]},"
           "\"time\":{\"duration\":4e-3},\"options\":{\"constants_of\":\"%s\"}}",
           fracture_energy, d, length, width, height, height / 3, d, d - length / 2, length / 2 - d, constants_of);
  return run_tear(text, 4e-3) / ligament;
}

/* A fracture energy alone breaks a body. Reference: what bonds hold at the strength that makes edge cracks across x show Gc, 1/1.62 of what
 * cutting takes, times the 20 of 24 bonds that four layers have across the cut, times 3/4, since the rest of the stress that breaks them is
 * bending (validate_bdem_fracture.c). Tolerance 5 %, as there. */
static void test_a_bar_of_a_fracture_energy_alone_breaks_at_its_cost(void **state)
{
  (void)state;
  double released = torn("bonds") / fracture_energy;
  assert_true(fabs(released / (0.75 * 20.0 / 24.0 / 1.62) - 1) < 0.05);
}

static void test_a_scaled_strength_without_a_fracture_energy_is_refused(void **state)
{
  (void)state;
  static const char text[] =
      "{\"scree\":1,\"name\":\"bar\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":2e9,"
      "\"tensile_strength\":1e6}],\"specimens\":[{\"name\":\"bar\",\"material\":\"m\",\"spacing\":0.02,"
      "\"shape\":{\"type\":\"box\",\"size\":[0.2,0.1,0.1]}}],\"time\":{\"duration\":1e-3},\"options\":{\"strength\":\"energy-scaled\"}}";
  scr_problems problems = {0};
  scr_scene *scene = NULL;
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_BAD_SCENE);
  assert_int_equal(problems.count, 1);
  assert_string_equal(problems.items[0].pointer, "/materials/0/fracture_energy");
  scr_problems_clear(&problems);
}

SUITE(test_bdem_strength)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cutting_a_close_packing_takes_the_fracture_energy_at_every_size),
      cmocka_unit_test(test_cutting_a_body_centred_packing_across_its_axes_takes_a_little_more),
      cmocka_unit_test(test_cutting_a_random_packing_takes_the_fracture_energy_in_every_direction),
      cmocka_unit_test(test_the_option_chooses_where_the_strength_comes_from),
      cmocka_unit_test(test_a_bar_of_a_fracture_energy_alone_breaks_at_its_cost),
      cmocka_unit_test(test_a_scaled_strength_without_a_fracture_energy_is_refused),
  };
  return cmocka_run_group_tests_name("bdem_strength", tests, NULL, NULL);
}
