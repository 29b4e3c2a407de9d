/* Bodies made by the virtual test (constants_of: body), pulled in the laboratory's grips: stiffness, contraction and strength are what the
 * materials say. The rig's bars have ends and faces; the virtual test has neither. */
#include "methods/bdem/sample.h"
#include "tests/support/bdem_run.h"

static const double r = 0.01, young = 1e7, tensile = 1000, shear = 500;

/* Box of whole pitches, `wide` spheres across each way and four times as long, along `axis`. */
static void box_of(int packing, int wide, int axis, double size[3])
{
  bool hexagonal = packing == SCR_PACKING_HEXAGONAL_CLOSE, centred = packing == SCR_PACKING_BODY_CENTRED;
  const double cell = 4 * r / sqrt(3.0);
  const double pitch[3] = {centred ? cell : 2 * r,
                           hexagonal ? sqrt(3.0) * r
                           : centred ? cell
                                     : 2 * r,
                           hexagonal ? 2 * r * sqrt(2.0 / 3.0)
                           : centred ? cell
                                     : 2 * r};
  for (int a = 0; a < 3; ++a) size[a] = pitch[a] * wide * (a == axis ? 4 : 1);
}

typedef struct bar {
  bdem_run run;
  scr_vec3 *start; /* where the spheres were */
  double size[3];
  int axis;
} bar;

/* A bar in sliding grips that pull it by the strain `speed` in a second; `properties`: further ones of the material. */
static bar open_bar(int packing, int wide, int axis, const char *properties, const char *time, const char *options, double speed)
{
  static const char *const names[] = {"hexagonal_close", "body_centred", "random_close"}, axes[] = "xyz";
  char text[2048];
  bar b = {.axis = axis};
  box_of(packing, wide, axis, b.size);
  double border = 0.5 * b.size[axis] - 0.1 * b.size[axis];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"bar\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":%g%s}],"
           "\"specimens\":[{\"name\":\"bar\",\"material\":\"m\",\"spacing\":%.17g,\"packing\":\"%s\","
           "\"shape\":{\"type\":\"box\",\"size\":[%.9g,%.9g,%.9g]}}],"
           "\"rig\":{\"type\":\"grips\",\"axis\":\"%c\",\"low_end\":%.9g,\"high_start\":%.9g,\"slide\":true,"
           "\"program\":[{\"type\":\"constant\",\"velocity\":%.9g}]},\"time\":{\"duration\":1%s},"
           "\"options\":{\"constants_of\":\"body\"%s}}",
           young, properties, 2 * r, names[packing], b.size[0], b.size[1], b.size[2], axes[axis], -border, border, 2 * border * speed, time,
           options);
  b.run = run_open(text, 1);
  const bdem_body *body = &run_state(&b.run)->body;
  b.start = malloc(body->sphere_count * sizeof *b.start);
  assert_non_null(b.start);
  memcpy(b.start, body->position, body->sphere_count * sizeof *b.start);
  return b;
}

static void close_bar(bar *b)
{
  run_close(&b->run);
  free(b->start);
}

static double component(scr_vec3 v, int axis)
{
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* Strain along `axis` of the bar's middle half: slope of the spheres' displacement, by least squares, as an extensometer has it. */
static double strain_of(const bar *b, int axis)
{
  const bdem_body *body = &run_state(&b->run)->body;
  double n = 0, x = 0, u = 0, xx = 0, xu = 0;
  for (size_t i = 0; i < body->sphere_count; ++i) {
    if (fabs(component(b->start[i], b->axis)) > 0.25 * b->size[b->axis]) continue;
    double place = component(b->start[i], axis), moved = component(body->position[i], axis) - place;
    n += 1, x += place, u += moved, xx += place * place, xu += place * moved;
  }
  return (n * xu - x * u) / (n * xx - x * x);
}

/* Force of the grips over the nominal section. */
static double stress_of(bar *b)
{
  char low[32], high[32];
  static const char axes[] = "xyz";
  snprintf(low, sizeof low, "grip.low.force_%c", axes[b->axis]);
  snprintf(high, sizeof high, "grip.high.force_%c", axes[b->axis]);
  run_observe(&b->run);
  return 0.5 * (run_value(&b->run, low) - run_value(&b->run, high)) / (b->size[(b->axis + 1) % 3] * b->size[(b->axis + 2) % 3]);
}

/* Largest ratio of stress to strength among the bonds of the bar's middle half, deep: only of those a quarter of the width inside. */
static double utilisation(const bar *b, bool deep)
{
  const bdem_state *s = run_state(&b->run);
  double worst = 0;
  for (size_t k = 0; k < s->body.bond_count; ++k) {
    uint32_t i = s->body.ends[k][0], j = s->body.ends[k][1];
    const bdem_section *section = &bdem_substance_of(s, i)->section;
    bool inside = fabs(component(b->start[i], b->axis)) < 0.25 * b->size[b->axis];
    for (int a = 0; deep && a < 3; ++a) inside = inside && (a == b->axis || fabs(component(b->start[i], a)) < 0.25 * b->size[a]);
    if (!inside) continue;
    bdem_bond_stress w = bdem_bond_stress_of(&s->body.bonds[k], section, vec3_sub(s->body.position[j], s->body.position[i]),
                                             s->body.orientation[i], s->body.orientation[j]);
    worst = fmax(worst, fmax(w.tension / section->tensile_strength, w.shear / section->shear_strength));
  }
  return worst;
}

static void report(const char *packing, int axis, const char *what, double value, double reference)
{
  char name[128];
  snprintf(name, sizeof name, "%s, pulled along %c: %s", packing, "xyz"[axis], what);
  show(name, value, reference);
}

/* Young's modulus within 5 % of what was asked, the contraction within 10 % (three quarters of a bar's width are near a face). Where the
 * first bond breaks inside, away from faces and clamps, is the virtual test's own stress of the first break, within 10 %. */
static void check_bar(const char *name, int packing, int wide, int axis)
{
  char properties[96];
  snprintf(properties, sizeof properties, ",\"tensile_strength\":%g,\"shear_strength\":%g", 1e3 * tensile, 1e3 * shear);
  bar b = open_bar(packing, wide, axis, properties, ",\"time_step\":0.1", ",\"integrator\":\"implicit-euler\"", 1e-6);
  run_steps(&b.run, 10);
  const bdem_calibrated *found = &run_state(&b.run)->substances[0].calibrated;
  double stress = stress_of(&b), strain = strain_of(&b, axis);
  double contraction = -0.5 * (strain_of(&b, (axis + 1) % 3) + strain_of(&b, (axis + 2) % 3)) / strain;
  double broken_at = stress / utilisation(&b, false) / 1e3, inside = stress / utilisation(&b, true) / 1e3;
  report(name, axis, "Young's modulus, Pa", stress / strain, young);
  report(name, axis, "Poisson's ratio", contraction, found->body.poisson_ratio);
  report(name, axis, "stress at the first break between the grips, Pa", broken_at, tensile / found->peak);
  report(name, axis, "the same, a quarter of the width inside, Pa", inside, tensile / found->peak);
  assert_true(fabs(stress / strain / young - 1) < 0.05);
  assert_true(fabs(contraction / found->body.poisson_ratio - 1) < 0.1);
  assert_true(fabs(inside * found->peak / tensile - 1) < 0.1);
  close_bar(&b);
}

static void test_a_body_has_the_stiffness_it_was_asked_for(void **state)
{
  (void)state;
  for (int axis = 0; axis < 3; ++axis) check_bar("hexagonal", SCR_PACKING_HEXAGONAL_CLOSE, 8, axis);
  check_bar("body-centred", SCR_PACKING_BODY_CENTRED, 8, 0);
  check_bar("random", SCR_PACKING_RANDOM_CLOSE, 8, 0);
  check_bar("random", SCR_PACKING_RANDOM_CLOSE, 12, 2);
}

/* Pulled by 6e-4 a second, slow against its waves (a dozen of them cross the bar until it breaks), to failure. @return the largest stress */
static double peak_stress(int packing, int wide, const char *properties)
{
  bar b = open_bar(packing, wide, 0, properties, "", "", 6e-4);
  double peak = 0, stress = 0;
  while (stress > 0.5 * peak || peak < 0.2 * tensile) {
    run_steps(&b.run, 25);
    stress = stress_of(&b);
    peak = fmax(peak, stress);
    if (scr_sim_time(b.run.sim) > 0.9) break;
  }
  close_bar(&b);
  return peak;
}

/* A bar of a random packing bears what its material says, within 10 %: the peak of the rig's curve. Bars of lattices break where the clamps
 * hold their straight rows, at four fifths of it: rows end half a pitch apart there and are stretched unequally. (Tested so that a change
 * of the clamps is noticed; between the clamps they hold, as the test before says.) */
static void test_a_body_has_the_strength_it_was_asked_for(void **state)
{
  (void)state;
  double random = peak_stress(SCR_PACKING_RANDOM_CLOSE, 8, ",\"tensile_strength\":1000");
  report("random", 0, "peak stress, Pa", random, tensile);
  double both = peak_stress(SCR_PACKING_RANDOM_CLOSE, 8, ",\"tensile_strength\":1000,\"shear_strength\":500");
  report("random, with a shear strength", 0, "peak stress, Pa", both, tensile);
  double hexagonal = peak_stress(SCR_PACKING_HEXAGONAL_CLOSE, 8, ",\"tensile_strength\":1000");
  report("hexagonal, in clamps", 0, "peak stress, Pa", hexagonal, 0.8 * tensile);
  assert_true(fabs(random / tensile - 1) < 0.1);
  assert_true(fabs(both / tensile - 1) < 0.1);
  assert_true(fabs(hexagonal / (0.8 * tensile) - 1) < 0.05);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_body_has_the_stiffness_it_was_asked_for),
      cmocka_unit_test(test_a_body_has_the_strength_it_was_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
