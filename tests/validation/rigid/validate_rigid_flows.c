/* Method rigid where many balls flow and come to rest: discharge through openings, a heap that was poured. */
#include <stdio.h>

#include <jansson.h>

#include "methods/rigid/state/state.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

#define HEAD "{\"scree\": 1, \"name\": \"flow\", \"method\": \"rigid\", \"materials\": [{\"name\": \"stone\", \"density\": 2400}], "

/* ── Beverloo ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static const double diameter = 0.01, filled_by = 0.4, counted_from = 0.5, counted_to = 0.9;

/* 800 balls of 9 to 11 mm in a box of 10 diameters, whose floor of four plates leaves a square opening of side D; a plug below it holds
 * them until they lie, then drops faster than they do. @param pack  seed of their places */
static sim_run open_hopper(double opening, int pack)
{
  char text[4000];
  double side = opening * diameter, wide = 0.07, arm = wide - side / 2, middle = side / 2 + arm / 2;
  int length = snprintf(
      text, sizeof text,
      HEAD "\"seed\": %d, \"contact\": {\"friction_coefficient\": 0.4}, \"specimens\": [{\"name\": \"balls\", \"material\": \"stone\", "
           "\"shape\": {\"type\": \"sphere\", \"radius\": 0.005}, \"smallest_scale\": 0.9, "
           "\"largest_scale\": 1.1, \"placement\": {\"type\": \"random\", \"minimum\": [-0.044, -0.044, 0.006], \"maximum\": "
           "[0.044, 0.044, 0.36], \"count\": 800, \"distance\": 0.0115}}], "
           "\"rig\": {\"type\": \"box\", \"minimum\": [-0.05, -0.05, -9], \"maximum\": [0.05, 0.05, 1], \"gravity\": [0, 0, "
           "-9.81]}, \"obstacles\": ["
           "{\"name\": \"east\", \"shape\": {\"type\": \"box\", \"size\": [%.6f, 0.14, 0.01]}, \"position\": [%.6f, 0, -0.005]},"
           "{\"name\": \"west\", \"shape\": {\"type\": \"box\", \"size\": [%.6f, 0.14, 0.01]}, \"position\": [%.6f, 0, -0.005]},"
           "{\"name\": \"north\", \"shape\": {\"type\": \"box\", \"size\": [%.6f, %.6f, 0.01]}, \"position\": [0, %.6f, -0.005]},"
           "{\"name\": \"south\", \"shape\": {\"type\": \"box\", \"size\": [%.6f, %.6f, 0.01]}, \"position\": [0, %.6f, -0.005]},"
           "{\"name\": \"plug\", \"shape\": {\"type\": \"box\", \"size\": [0.12, 0.12, 0.01]}, \"position\": [0, 0, -0.0151], "
           "\"direction\": [0, 0, -1], "
           "\"program\": [{\"type\": \"hold\", \"duration\": %.3f}, {\"type\": \"constant\", \"velocity\": 8}]}], "
           "\"time\": {\"duration\": %.3f, \"time_step\": 0.004}, \"output\": {\"frame_interval\": 0.4, \"sample_interval\": "
           "0.02}, \"options\": {\"tolerance\": 0.01}}",
      pack, arm, middle, arm, -middle, side, arm, middle, side, arm, -middle, filled_by, counted_to);
  assert_true(length > 0 && (size_t)length < sizeof text);
  return run_open(text, 1);
}

static double count_below(const sim_run *r)
{
  const rigid_state *s = r->sim->state;
  double count = 0;
  for (size_t i = 0; i < s->specimen_bodies; i++) count += s->bodies[i].centre.z < -0.005;
  return count;
}

/* Balls a second through an opening, by a line through their number, and how straight it is: 1 - r^2. */
static double measure_rate(double opening, int pack, double *bent)
{
  sim_run r = open_hopper(opening, pack);
  double n = 0, t = 0, c = 0, tt = 0, tc = 0, cc = 0;
  while (scr_sim_time(r.sim) < counted_to - 1e-9) {
    run_steps(&r, 5);
    double time = scr_sim_time(r.sim) - counted_from, count = count_below(&r);
    if (time < -1e-9) continue;
    n++, t += time, c += count, tt += time * time, tc += time * count, cc += count * count;
  }
  assert_int_equal(((const rigid_state *)r.sim->state)->report.unsolved, 0);
  run_close(&r);
  double stt = tt - t * t / n, stc = tc - t * c / n, scc = cc - c * c / n;
  *bent = 1 - stc * stc / (stt * scc);
  return stc / stt;
}

/* Rates do not depend on how much is left above, and grow as (D - k d)^(5/2) sqrt(g) with k = 1.4. Reference: Beverloo, Leniger, van de
 * Velde 1961, by Nedderman 1992: C of 0.58 for round openings, so 4/pi times that for square ones, of a packing with 0.6 of solids.
 * Tolerances: a tenth for the exponent's constant over openings of 4 to 5.5 diameters, a fifth for C, which the packing's density and
 * friction change by as much. Means of four packs: some hundred balls are counted of each, whose rate scatters by a tenth. */
static void test_openings_discharge_as_beverloo_found(void **state)
{
  (void)state;
  enum { PACKS = 4 };
  const double opening[3] = {4, 4.75, 5.5};
  double constant[3], mean = 0;
  claim_slow();
  for (int k = 0; k < 3; k++) {
    char what[120];
    double rate = 0, volume = M_PI / 6 * pow(diameter, 3) * 1.01; /* mean of the cubes of 0.9 to 1.1 */
    for (int pack = 1; pack <= PACKS; pack++) {
      double bent;
      rate += measure_rate(opening[k], pack, &bent) / PACKS;
      claim_between("what the line through their number leaves of its variance", bent, 0, 0.03, "a constant rate");
    }
    constant[k] = rate * volume / (0.6 * sqrt(9.81) * pow(diameter * (opening[k] - 1.4), 2.5));
    mean += constant[k] / 3;
    snprintf(what, sizeof what, "balls a second through an opening of %.1f diameters", opening[k]);
    claim_shown(what, rate);
  }
  for (int k = 0; k < 3; k++)
    claim_relative("constant of the rate over its mean", constant[k] / mean, 1, 0.1, "Beverloo, Leniger, van de Velde 1961");
  claim_relative("Beverloo's constant for square openings", mean, 0.58 * 4 / M_PI, 0.2, "Nedderman 1992, section 10.2");
}

/* ── a bed ──────────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Balls that are as many as a bed of 6 cm takes rain into a box of 12 cm and lie 6 cm high: twice the height of their centre of mass.
 * Tolerance: 15 %, for the bed reckons with a solid fraction of
 * 0.56, and a box of 6 balls' width has less than that (0.52). Looked at after 0.6 s, not 0.5 as before: where the last ball rolls to hangs
 * on rounding, and one that rolled at 0.29 m/s at
 * 0.5 s lies at 0.6 s. */
static void test_rain_fills_a_box_to_the_height_asked_for(void **state)
{
  (void)state;
  sim_run r = run_open(HEAD "\"contact\": {\"friction_coefficient\": 0.3}, \"specimens\": [{\"name\": \"balls\", \"material\": \"stone\", "
                            "\"shape\": {\"type\": \"sphere\", \"radius\": 0.01}, "
                            "\"placement\": {\"type\": \"packed\", \"minimum\": [-0.06, -0.06, 0], \"maximum\": [0.06, 0.06, 0.18], "
                            "\"fill_height\": 0.06, \"gap\": 5e-4, \"smallest\": 0.7}}], "
                            "\"rig\": {\"type\": \"box\", \"minimum\": [-0.06, -0.06, 0], \"maximum\": [0.06, 0.06, 1], \"gravity\": [0, "
                            "0, -9.81]}, \"time\": {\"duration\": 0.6, \"time_step\": 0.005}, "
                            "\"output\": {\"frame_interval\": 0.6, \"sample_interval\": 0.6}, \"options\": {\"tolerance\": 0.01}}",
                       1);
  run_until(&r, 0.6);
  claim_relative("height of the bed, m", 2 * run_curve(&r, "centroid.z"), 0.06, 0.15, "what was asked for");
  claim_between("largest speed in it, m/s", run_value(&r, "speed"), 0, 0.2, "it has come to lie");
  run_close(&r);
}

/* ── a drum ─────────────────────────────────────────────────────────────────────────────────────────────────────────── */

enum { SIDES = 24 };

/* A drum of radius 0.15 `scale` whose wall is a mesh of so many sides, and 70 balls in it. */
static sim_run open_drum(double scale, double spin)
{
  static char text[20000];
  size_t used = 0, room = sizeof text;
  double inner = 0.15 * scale, outer = 0.17 * scale, half = 0.04 * scale;
  used += (size_t)snprintf(text, room,
                           HEAD "\"contact\": {\"friction_coefficient\": 0.5}, \"specimens\": [{\"name\": \"balls\", \"material\": "
                                "\"stone\", \"shape\": {\"type\": \"sphere\", \"radius\": %.9g}, \"smallest_scale\": 0.8, "
                                "\"largest_scale\": 1.1, \"placement\": {\"type\": \"random\", \"minimum\": [%.9g, %.9g, %.9g], "
                                "\"maximum\": [%.9g, %.9g, %.9g], \"count\": 70, \"distance\": %.9g}}], \"rig\": {\"type\": "
                                "\"box\", \"minimum\": [%.9g, %.9g, %.9g], \"maximum\": [%.9g, %.9g, %.9g], \"gravity\": [0, 0, -9.81]}, "
                                "\"obstacles\": [{\"name\": \"drum\", \"shape\": {\"type\": \"mesh\", \"vertices\": [",
                           0.01 * scale, -0.08 * scale, -0.028 * scale, -0.1 * scale, 0.08 * scale, 0.028 * scale, 0.1 * scale,
                           0.0225 * scale, -0.3 * scale, -half, -0.3 * scale, 0.3 * scale, half, 0.3 * scale);
  for (int ring = 0; ring < 4; ring++)
    for (int k = 0; k < SIDES; k++) {
      double radius = ring % 2 ? outer : inner, angle = 2 * M_PI * k / SIDES;
      used += (size_t)snprintf(text + used, room - used, "%s[%.9g, %.9g, %.9g]", ring + k ? "," : "", radius * cos(angle),
                               ring < 2 ? -half : half, radius * sin(angle));
    }
  used += (size_t)snprintf(text + used, room - used, "], \"triangles\": [");
  for (int k = 0, n = SIDES; k < n; k++) {
    int j = (k + 1) % n;
    used += (size_t)snprintf(text + used, room - used,
                             "%s[%d,%d,%d],[%d,%d,%d],[%d,%d,%d],[%d,%d,%d],[%d,%d,%d],[%d,%d,%d],[%d,%d,%d],[%d,%d,%d]", k ? "," : "",
                             3 * n + j, n + j, n + k, 3 * n + k, 3 * n + j, n + k, 2 * n + k, k, j, 2 * n + j, 2 * n + k, j, n + j, j, k,
                             n + k, n + j, k, 3 * n + k, 2 * n + k, 2 * n + j, 3 * n + j, 3 * n + k, 2 * n + j);
  }
  double unit = sqrt(scale);
  used += (size_t)snprintf(text + used, room - used,
                           "]}, \"axis\": [0, 1, 0], \"turn\": [{\"type\": \"constant\", \"angular_velocity\": %.9g}]}], \"time\": "
                           "{\"duration\": %.9g, \"time_step\": %.9g}, \"output\": "
                           "{\"frame_interval\": %.9g, \"sample_interval\": %.9g}, \"options\": {\"tolerance\": 0.001}}",
                           spin / unit, 3 * unit, 0.004 * unit, 3 * unit, 3 * unit);
  assert_true(used < room);
  return run_open(text, 1);
}

/* How far the centre of mass hangs back behind the lowest point, degrees: the slope of the surface; mean of the last two thirds of a run.
 * */
static double measure_slope(double scale, double spin)
{
  sim_run r = open_drum(scale, spin);
  double sum = 0;
  int count = 0;
  for (int step = 0; step < 750; step += 5) {
    run_steps(&r, 5);
    if (step < 250) continue;
    run_observe(&r);
    sum += run_value(&r, "bed.slope");
    count++;
  }
  assert_int_equal(((const rigid_state *)r.sim->state)->report.unsolved, 0);
  run_close(&r);
  return sum / count * 180 / M_PI;
}

/* The slowest drum's slope is below the angle of friction, 26.6 degrees, at which a bed that neither rolls nor tumbles would slide on the
 * wall; the slope grows with speed, and hangs on the Froude number w^2 R / g alone: everything four times as large at half the speed is the
 * same motion, but for what chaos makes of rounding. References: Mellmann 2001 (regimes of motion in drums by Froude's number); tolerance
 * of the likeness: 2 degrees, what single runs of 70 balls scatter. */
static void test_the_slope_in_a_drum_grows_with_its_speed(void **state)
{
  (void)state;
  claim_slow();
  static const double spin[4] = {0.5, 1.5, 3, 4.5};
  double slope[4];
  for (int k = 0; k < 4; k++) {
    char what[120];
    slope[k] = measure_slope(1, spin[k]);
    snprintf(what, sizeof what, "slope at Froude number %.4f, degrees", spin[k] * spin[k] * 0.15 / 9.81);
    claim_shown(what, slope[k]);
    if (k > 0)
      claim_between("its growth from the speed before, degrees", slope[k] - slope[k - 1], 0, 12,
                    "Mellmann 2001: some ten degrees from rolling to cataracting");
  }
  claim_between("slope of the slowest drum, degrees", slope[0], 10, atan(0.5) * 180 / M_PI, "Coulomb");
  claim_absolute("slope of a drum four times as large at half the speed, degrees", measure_slope(4, spin[2]), slope[2], 2, "Froude's law");
}

/* ── a shear box ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The gallery's scene; mirrored: its pack is another one to the box, which is drawn the same way. */
static sim_run open_shear_box(bool mirrored)
{
  json_error_t error;
  json_t *scene = json_load_file("api/gallery/shear-box.json", 0, &error);
  if (!scene) run_fail("api/gallery/shear-box.json", error.text);
  json_t *places = json_object_get(json_object_get(json_array_get(json_object_get(scene, "specimens"), 0), "placement"), "positions"),
         *place;
  size_t k;
  json_array_foreach(places, k, place) if (mirrored) json_array_set_new(place, 0, json_real(-json_number_value(json_array_get(place, 0))));
  char *text = json_dumps(scene, 0);
  json_decref(scene);
  sim_run r = run_open(text, 1);
  free(text);
  return r;
}

/* A dense pack resists most while it must widen to be sheared, then as much as loose grains do: the lid rises, the shear force over the
 * load peaks and falls. References: Taylor 1948, Rowe 1962; dense packs of balls with a friction of 0.5 have 0.6 to 1.0 at their peak and
 * 0.35 to 0.65 behind it; a box eight balls long has stiffer ways past each other, hence 1.4. Where the peak comes and how much it is above
 * the rest scatters among packs of a hundred balls: two here, the gallery's and its mirror image; what both have is the peak above the
 * rest, by what widening costs in the mean of both. */
static void test_a_dense_pack_peaks_widens_and_weakens(void **state)
{
  (void)state;
  double over = 0;
  claim_slow();
  for (int mirrored = 0; mirrored < 2; mirrored++) {
    sim_run r = open_shear_box(mirrored);
    double peak = 0, peak_at = 0, rest = 0, rest_count = 0, rise = 0, mean[5] = {0};
    for (int step = 0; step < 100; step++) {
      run_steps(&r, 1);
      run_observe(&r);
      mean[step % 5] = fabs(run_value(&r, "obstacle.upper.force_x")) / 20;
      double smooth = (mean[0] + mean[1] + mean[2] + mean[3] + mean[4]) / 5;
      if (step >= 5 && smooth > peak) peak = smooth, peak_at = step;
      if (step >= 70) rest += mean[step % 5], rest_count++;
      rise = -run_value(&r, "wall.z_max.displacement");
    }
    claim_between("largest shear force over the load, mean of 10 ms", peak, 0.6, 1.4, "dense balls");
    claim_between("mean of the last 60 ms", rest / rest_count, 0.35, 0.65, "loose balls");
    claim_between("the one over the other", peak * rest_count / rest, 1.05, 4, "Taylor 1948: widening against the load is work");
    over += peak * rest_count / rest / 2;
    claim_shown("step of the peak", peak_at);
    claim_between("rise of the lid, m", rise, 5e-4, 3e-3, "it widens");
    claim_absolute("steps that were not solved", (double)((const rigid_state *)r.sim->state)->report.unsolved, 0, 0.5,
                   "the tolerance is reached");
    run_close(&r);
  }
  claim_between("the same in the mean of both packs", over, 1.2, 4, "Taylor 1948");
}

/* ── rest ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Balls poured into a box come to rest, once rolling is resisted: by Coulomb's law alone one of them would roll on for ever. Tolerance:
 * what a heap may creep, 1e-6 m in half a second. */
static void test_a_poured_heap_comes_to_rest(void **state)
{
  (void)state;
  sim_run r = run_open(
      HEAD "\"contact\": {\"friction_coefficient\": 0.5, \"rolling_resistance\": 2e-4}, \"specimens\": [{\"name\": \"balls\", "
           "\"material\": \"stone\", \"shape\": {\"type\": \"sphere\", \"radius\": "
           "0.01}, \"smallest_scale\": 0.8, \"largest_scale\": 1.1, \"placement\": {\"type\": \"random\", \"minimum\": [-0.013, -0.013, "
           "0.012], \"maximum\": [0.013, 0.013, 0.3], \"count\": 12, "
           "\"distance\": 0.0225}}], \"rig\": {\"type\": \"box\", \"minimum\": [-0.025, -0.025, 0], \"maximum\": [0.025, 0.025, 1], "
           "\"gravity\": [0, 0, -9.81]}, \"time\": {\"duration\": 2, "
           "\"time_step\": 0.004}, \"output\": {\"frame_interval\": 2, \"sample_interval\": 2}, \"options\": {\"tolerance\": 1e-6}}",
      1);
  const rigid_state *s = r.sim->state;
  scr_vec3 before[12];
  double way = 0;
  run_until(&r, 1);
  for (size_t i = 0; i < 12; i++) before[i] = s->bodies[i].centre;
  run_until(&r, 1.5);
  for (size_t i = 0; i < 12; i++) way = fmax(way, vec3_length(vec3_sub(s->bodies[i].centre, before[i])));
  claim_absolute("way of a poured ball in the half second behind the first, m", way, 0, 1e-6, "rest");
  claim_absolute("steps that were not solved", (double)s->report.unsolved, 0, 0.5, "the tolerance is reached");
  run_close(&r);
}

enum { POURED = 120 };

/* Balls rain into a box of 10 cm by Coulomb's law alone. Landing needs no more than a hundredth as tolerance. */
static sim_run pour(void)
{
  char text[1200];
  snprintf(text, sizeof text,
           HEAD "\"contact\": {\"friction_coefficient\": 0.5}, \"specimens\": [{\"name\": \"balls\", \"material\": \"stone\", \"shape\": "
                "{\"type\": \"sphere\", \"radius\": 0.01}, \"smallest_scale\": 0.8, \"largest_scale\": 1.1, "
                "\"placement\": {\"type\": \"random\", \"minimum\": [-0.038, -0.038, 0.012], \"maximum\": [0.038, 0.038, 0.6], \"count\": "
                "%d, \"distance\": 0.0225}}], \"rig\": {\"type\": \"box\", \"minimum\": [-0.05, -0.05, 0], "
                "\"maximum\": [0.05, 0.05, 1], \"gravity\": [0, 0, -9.81]}, \"time\": {\"duration\": 4, \"time_step\": 0.004}, \"output\": "
                "{\"frame_interval\": 4, \"sample_interval\": 4}, \"options\": {\"tolerance\": 0.01}}",
           POURED);
  return run_open(text, 1);
}

/* Which balls are rattlers: fewer than three contacts with parts, or with balls that are none themselves, carry a force. Two contacts
 * still leave a ball a way to roll, about the line through both, and Coulomb's law has nothing against it. @return how many */
static int find_rattlers(const rigid_state *s, bool rattler[POURED])
{
  int count = 0;
  for (size_t i = 0; i < POURED; i++) rattler[i] = false;
  for (bool changed = true; changed;) {
    int carried[POURED] = {0};
    changed = false;
    for (size_t k = 0; k < s->contact_count; k++) {
      const geo_touch *touch = &s->contacts[k].touch;
      if (!(s->contacts[k].impulse[0] > 0)) continue;
      if (touch->a < POURED && !(touch->b < POURED && rattler[touch->b])) carried[touch->a]++;
      if (touch->b < POURED && !(touch->a < POURED && rattler[touch->a])) carried[touch->b]++;
    }
    for (size_t i = 0; i < POURED; i++)
      if (!rattler[i] && carried[i] < 3) rattler[i] = changed = true, count++;
  }
  return count;
}

/* A heap that was poured lies still: within a second no ball that three contacts hold goes by 1e-6 m, nor is ever faster than 1e-5 m/s,
 * check 13 of the specification (there for 1000 balls, which took too long to be seen through). Rattlers may roll on for ever. Tolerances
 * are tightened on the way, so that the steps that find the rest are few: what is still moved by them at 0.01 moves by the solver's
 * tolerance times the speed of a step. */
static void test_a_heap_poured_without_rolling_resistance_lies_still(void **state)
{
  (void)state;
  static const double until[4] = {1.1, 1.2, 1.3, 1.6}, tolerance[4] = {1e-3, 1e-4, 1e-5, 1e-6};
  static scr_vec3 before[POURED];
  static bool rattler[POURED];
  double way = 0, fastest = 0;
  claim_slow();
  sim_run r = pour();
  const rigid_state *s = r.sim->state;
  run_until(&r, 0.9);
  for (int k = 0; k < 4; k++) {
    ((rigid_options *)r.scene->options)->tolerance = tolerance[k];
    run_until(&r, until[k]);
  }
  for (size_t i = 0; i < POURED; i++) before[i] = s->bodies[i].centre;
  uint64_t unsolved = s->report.unsolved;
  claim_between("rattlers", find_rattlers(s, rattler), 0, 0.15 * POURED, "the others are a heap");
  for (int step = 0; step < 250; step++) {
    run_steps(&r, 1);
    for (size_t i = 0; i < POURED; i++)
      if (!rattler[i]) fastest = fmax(fastest, vec3_length(s->bodies[i].velocity));
  }
  for (size_t i = 0; i < POURED; i++)
    if (!rattler[i]) way = fmax(way, vec3_length(vec3_sub(s->bodies[i].centre, before[i])));
  claim_absolute("way of a ball of the heap in a second, m", way, 0, 1e-6, "rest");
  claim_absolute("its largest speed meanwhile, m/s", fastest, 0, 1e-5, "rest");
  claim_between("contacts of a ball that carry a force", run_curve(&r, "contacts") / POURED, 1.5, 4, "they lie on each other");
  claim_absolute("steps of it that were not solved", (double)(s->report.unsolved - unsolved), 0, 0.5, "the tolerance is reached");
  run_close(&r);
}

SUITE(validate_rigid_flows)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_openings_discharge_as_beverloo_found),
      cmocka_unit_test(test_rain_fills_a_box_to_the_height_asked_for),
      cmocka_unit_test(test_the_slope_in_a_drum_grows_with_its_speed),
      cmocka_unit_test(test_a_dense_pack_peaks_widens_and_weakens),
      cmocka_unit_test(test_a_poured_heap_comes_to_rest),
      cmocka_unit_test(test_a_heap_poured_without_rolling_resistance_lies_still),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
