/* Sources and outlets: points come and go, and the books of mass and energy stay exact. */
#include <math.h>

#include "methods/granular/scene/cost.h"
#include "methods/granular/step/stages.h"
#include "tests/support/picture.h"
#include "tests/support/suites.h"

typedef struct source {
  double size, at[2], velocity; /* m, of a square in the plane and its middle; m/s downwards */
  double interval;              /* s */
  long count;
  const char *outlet; /* options, with a comma before, or "" */
  const char *more;   /* of the scene, with a comma before, or "" */
  double gravity;     /* m/s^2, downwards */
} source;

/* A source in a box of 0.3 x 0.3 m, 0.1 m deep, with cells of 1 cm; density of the sand 1500 kg/m^3. */
static void write_source(const source *from, char text[3000])
{
  snprintf(
      text, 3000,
      "{\"scree\":1,\"name\":\"source\",\"method\":\"granular\",\"materials\":[{\"name\":\"sand\",\"density\":2500,\"packing_fraction\":"
      "0.6,\"internal_friction\":0.4}],\"contact\":{\"friction_coefficient\":0.5},\"specimens\":[{\"name\":\"stream\",\"material\":"
      "\"sand\",\"shape\":{\"type\":\"box\",\"size\":[%.17g,0.1,%.17g]},\"placement\":{\"type\":\"single\",\"position\":[%.17g,0.05,"
      "%.17g]},\"velocity\":[0,0,%.17g],\"pour_interval\":%.17g,\"pour_count\":%ld}],\"rig\":{\"type\":\"box\",\"minimum\":[0,0,0],"
      "\"maximum\":[0.3,0.1,0.3],\"gravity\":[0,0,%.17g]},\"options\":{\"dimension\":\"plane\",\"cell\":0.01%s},\"time\":{\"duration\":"
      "1000},\"output\":{\"frame_interval\":1000,\"sample_interval\":1000}%s}",
      from->size, from->size, from->at[0], from->at[1], -from->velocity, from->interval, from->count, -from->gravity, from->outlet,
      from->more);
}

static sim_run open_source(const source *from)
{
  char text[3000];
  write_source(from, text);
  return run_open(text, 1);
}

static const granular_state *state_of(const sim_run *r)
{
  return r->sim->state;
}

/* Without gravity fillings fly one behind the other: filling k has its middle at z0 - v (t - k interval), whenever the step that poured it
 * began. To rounding, though no step begins when a filling is due. */
static void test_fillings_follow_at_even_distances(void **state)
{
  (void)state;
  const source from = {.size = 0.02, .at = {0.15, 0.27}, .velocity = 1, .interval = 0.0317, .count = 6, .outlet = "", .more = ""};
  sim_run r = open_source(&from);
  run_until(&r, 0.18);
  const granular_state *s = state_of(&r);
  double time = scr_sim_time(r.sim), middle[6] = {0}, worst = 0;
  const size_t each = 36; /* 2 x 2 cells of 3 x 3 */
  assert_int_equal(s->point_count, 6 * each);
  for (size_t i = 0; i < s->point_count; i++) middle[s->points[i].number / each] += s->points[i].x[1] / (double)each;
  for (int k = 0; k < 6; k++) worst = fmax(worst, fabs(middle[k] - (0.27 - (time - k * 0.0317))));
  claim_absolute("middle of a filling off its way, m", worst, 0, 1e-12, "z0 - v (t - k interval)");
  claim_relative("kinetic energy that fillings brought, J", run_curve(&r, "energy.external"), 5 * 0.5 * 1500 * 0.02 * 0.02 * 0.1, 1e-12,
                 "five after the first, m v^2/2 each");
  run_close(&r);
}

/* A stream builds a heap on a plate and flows over its edges into an outlet: in every step mass is what there was, was poured and was taken
 * out, to rounding, and the energies balance. Once the plate is full it keeps its heap while as much is taken out as is poured. Then the
 * plate falls away, and all is taken out. */
static void test_a_heap_is_poured_and_taken_away(void **state)
{
  (void)state;
  const source from = {.size = 0.03,
                       .at = {0.155, 0.285},
                       .velocity = 1,
                       .interval = 0.04,
                       .count = 40,
                       .gravity = 9.81,
                       .outlet = ",\"outlet_minimum\":[0,0,0],\"outlet_maximum\":[0.3,0.1,0.04]",
                       .more =
                           ",\"obstacles\":[{\"name\":\"plate\",\"shape\":{\"type\":\"box\",\"size\":[0.1,0.12,0.03]},\"position\":[0.155,"
                           "0.05,0.1],\"direction\":[0,0,-1],\"program\":[{\"type\":\"hold\",\"duration\":1.7},{\"type\":\"constant\","
                           "\"velocity\":2}]}]"};
  sim_run r = open_source(&from);
  double filling = 1500 * 0.03 * 0.03 * 0.1, mass_off = 0, balance = 0, held[3] = {0}, gone[3] = {0}, highest = 0;
  const double times[3] = {0.8, 1.55, 2.4};
  for (int k = 0; k < 3; k++) {
    while (scr_sim_time(r.sim) < times[k]) {
      run_steps(&r, 1);
      double mass = run_curve(&r, "mass") + run_value(&r, "discharge");
      mass_off = fmax(mass_off, fabs(mass / (filling + run_value(&r, "poured")) - 1));
      balance = fmax(balance, fabs(run_value(&r, "energy.balance_error")));
      if (k == 1) highest = fmax(highest, run_value(&r, "height"));
    }
    held[k] = run_value(&r, "mass"), gone[k] = run_value(&r, "discharge");
  }
  claim_absolute("mass here and taken out over what there was and was poured, off 1", mass_off, 0, 1e-12, "conservation of mass");
  claim_absolute("largest error of the balance of energy", balance, 0, 1e-12, "the ledger's identity");
  claim_relative("mass poured in 0.75 s, over the fillings due", (held[1] + gone[1] - held[0] - gone[0]) / (18 * filling), 1, 0.06,
                 "18.75: 18 or 19");
  claim_relative("mass held by the plate after 1.55 s over that after 0.8 s", held[1] / held[0], 1, 0.15, "it is full");
  claim_between("height of the sand, m", highest, 0.115 + 0.5 * 0.05 * 0.4 /* half the slope of 0.4 */, 0.31, "a heap on the plate");
  claim_absolute("mass that is left once the plate has fallen, kg", held[2], 0, 1e-12, "all is taken out");
  claim_relative("mass taken out", gone[2], 40 * filling, 1e-12, "40 fillings");
  run_close(&r);
}

/* A stream that falls into an outlet for 400 fillings holds no more memory than its first: what lies in the lists is what is on its way,
 * grown by doubling. Points keep numbers of their own. */
static void test_a_long_stream_needs_no_more_memory(void **state)
{
  (void)state;
  const source from = {.size = 0.02,
                       .at = {0.15, 0.1},
                       .velocity = 2,
                       .interval = 0.012,
                       .count = 100000,
                       .gravity = 9.81,
                       .outlet = ",\"outlet_minimum\":[0,0,0],\"outlet_maximum\":[0.3,0.1,0.02]",
                       .more = ""};
  sim_run r = open_source(&from);
  const granular_state *s = state_of(&r);
  size_t most = 0, capacity = 0;
  for (int k = 1; k <= 400; k++) {
    run_until(&r, 0.012 * k);
    most = s->point_count > most ? s->point_count : most;
    if (k == 40) capacity = s->point_capacity;
  }
  claim_between("points on their way", (double)most, 36, 36 * 6, "they fall for 0.04 s, as long as three fillings");
  claim_relative("room for points after 400 fillings over that after 40", (double)s->point_capacity / (double)capacity, 1, 0, "no more");
  claim_relative("points so far", s->born, 36.0 * 401, 0.01, "36 each");
  for (size_t i = 0; i < s->point_count; i++)
    for (size_t j = 0; j < i; j++) assert_true(s->points[i].number != s->points[j].number && s->points[i].number < s->born);
  run_close(&r);
}

/* Pictures name points: what has a name in one frame has moved by the next as its point has, though points are sorted by cells in between;
 * names that come or go are those of points that were poured or taken out. Drawing leaves a run as it is, to the last bit. */
static void test_pictures_name_points(void **state)
{
  (void)state;
  const source from = {.size = 0.02,
                       .at = {0.15, 0.12},
                       .velocity = 1,
                       .interval = 0.03,
                       .count = 10,
                       .gravity = 9.81,
                       .outlet = ",\"outlet_minimum\":[0,0,0],\"outlet_maximum\":[0.3,0.1,0.02]",
                       .more = ""};
  sim_run r = open_source(&from), undrawn = open_source(&from);
  double place[400][2], worst = 0, followed = 0;
  const granular_state *s = state_of(&r);
  while (scr_sim_time(r.sim) < 0.25) {
    bool known[400] = {false};
    picture before = take(&r);
    look(&before);
    assert_int_equal(drawable(&before, "sand")->count, s->point_count);
    for (uint32_t k = 0; k < s->point_count; k++) {
      uint32_t id = (uint32_t)field(&before, "sand", "id", k, 0);
      known[id] = true;
      place[id][0] = field(&before, "sand", "position", k, 0), place[id][1] = field(&before, "sand", "position", k, 2);
    }
    put_away(&before);
    run_steps(&r, 1), run_steps(&undrawn, 1);
    picture after = take(&r);
    look(&after);
    double step = scr_sim_time_step(r.sim);
    for (uint32_t k = 0; k < s->point_count; k++) {
      uint32_t id = (uint32_t)field(&after, "sand", "id", k, 0);
      if (!known[id]) continue;
      double x = field(&after, "sand", "position", k, 0) - place[id][0], z = field(&after, "sand", "position", k, 2) - place[id][1];
      worst = fmax(worst, fabs(hypot(x, z) - step * field(&after, "sand", "speed", k, 0))), followed++;
    }
    put_away(&after);
  }
  claim_between("points followed from step to step", followed, 1000, 1e6, "many");
  claim_absolute("displacement of a name off speed times step, m", worst, 0, 2e-5, "positions of 16 bits over at most 0.3 m, twice");
  assert_same_state(r.sim, undrawn.sim);
  run_close(&r);
  run_close(&undrawn);
}

/* What a check foresees of memory does not grow with what is poured beyond what the domain can hold. */
static void test_estimates_of_long_streams_are_bounded(void **state)
{
  (void)state;
  double memory[2], points[2];
  for (int k = 0; k < 2; k++) {
    const source from = {.size = 0.02,
                         .at = {0.15, 0.1},
                         .velocity = 2,
                         .interval = 0.012,
                         .count = k ? 1000000 : 100000,
                         .gravity = 9.81,
                         .outlet = ",\"outlet_minimum\":[0,0,0],\"outlet_maximum\":[0.3,0.1,0.02]",
                         .more = ""};
    sim_run r = open_source(&from);
    memory[k] = (double)r.scene->estimate.memory_bytes, points[k] = (double)r.scene->estimate.node_count;
    run_close(&r);
  }
  claim_relative("memory of ten times as many fillings", memory[1] / memory[0], 1, 1e-12, "the domain can hold no more");
  claim_between("points that are foreseen", points[0], 36 * 6, 30 * 30 * 9 * 1.5, "at most half as many again as fill the domain");
}

/* The time that a check foresees counts points of a filling from when it comes in: of fillings at 200, 400, ... 1000 s of a run of 1000 s
 * there are two on average, so three with the first. */
static void test_estimates_count_what_is_poured_from_when_it_comes(void **state)
{
  (void)state;
  const source from = {.size = 0.02, .at = {0.15, 0.1}, .velocity = 1, .interval = 200, .count = 100, .outlet = "", .more = ""};
  sim_run r = open_source(&from);
  granular_found found = {0};
  granular_measure(state_of(&r), &found);
  claim_relative("points there are, averaged over the run", found.present, 36 * 3, 1e-12, "1 + 0.8 + 0.6 + 0.4 + 0.2 fillings");
  run_close(&r);
}

#define MESH                                                                                                                               \
  "{\"name\":\"%s\",\"shape\":{\"type\":\"mesh\",\"vertices\":[[0.02,0,-0.02],[-0.02,0,-0.02],[0,0.03,-0.02],[0,0,0.02]],\"triangles\":["  \
  "[0,1,2],[0,3,1],[1,3,2],[2,3,0]]},\"position\":[%s]}"

/* Looking for the nearest triangle takes the drum of the gallery, which turns 190 cells of sand, 3 us a cell and step (0.32 of 0.71 s):
 * that is what a check foresees for each obstacle that is a mesh. */
static void test_estimates_count_obstacles_of_triangles(void **state)
{
  (void)state;
  double seconds[3], cells = 0, steps = 0;
  for (int k = 0; k < 3; k++) {
    char one[600], other[600], more[1400] = "";
    snprintf(one, sizeof one, MESH, "one", "0.05,0.05,0.05"), snprintf(other, sizeof other, MESH, "other", "0.25,0.05,0.05");
    if (k) snprintf(more, sizeof more, ",\"obstacles\":[%s%s%s]", one, k == 2 ? "," : "", k == 2 ? other : "");
    const source from = {.size = 0.06, .at = {0.15, 0.2}, .velocity = 1, .interval = 900, .count = 1, .outlet = "", .more = more};
    sim_run r = open_source(&from);
    seconds[k] = r.scene->estimate.run_seconds, cells = 36, steps = 1000 / r.scene->estimate.time_step;
    run_close(&r);
  }
  claim_relative("seconds for a mesh, a cell and step", (seconds[1] - seconds[0]) / cells / steps, 3e-6, 0.1, "drum-of-sand, measured");
  claim_relative("for two, over one", (seconds[2] - seconds[0]) / (seconds[1] - seconds[0]), 2, 1e-9, "each");
}

/* A block that flies out of a domain without walls is taken out with its mass and its energy. */
static void test_open_sides_take_out_what_leaves(void **state)
{
  (void)state;
  sim_run r = run_open(
      "{\"scree\":1,\"name\":\"open\",\"method\":\"granular\",\"materials\":[{\"name\":\"sand\",\"density\":2500,\"packing_fraction\":0.6,"
      "\"internal_friction\":0.4}],\"specimens\":[{\"name\":\"block\",\"material\":\"sand\",\"shape\":{\"type\":\"box\",\"size\":[0.04,0."
      "04,"
      "0.04]},\"placement\":{\"type\":\"single\",\"position\":[0,0,0]},\"velocity\":[1,0,0.5]}],\"rig\":{\"type\":\"none\",\"gravity\":[0,"
      "0,"
      "0]},\"options\":{\"cell\":0.01,\"domain_minimum\":[-0.1,-0.1,-0.1],\"domain_maximum\":[0.1,0.1,0.1]},\"time\":{\"duration\":1},"
      "\"output\":{\"frame_interval\":1,\"sample_interval\":1}}",
      1);
  double mass = 1500 * 0.04 * 0.04 * 0.04;
  run_until(&r, 0.1);
  claim_relative("half of it is out, kg", run_curve(&r, "discharge"), 0.5 * mass, 0.13, "1 m/s for 0.1 s; a layer of points is an eighth");
  claim_relative("mass and discharge, kg", run_value(&r, "mass") + run_value(&r, "discharge"), mass, 1e-12, "conservation of mass");
  claim_absolute("balance of energy", run_value(&r, "energy.balance_error"), 0, 1e-12, "what left took its energy along");
  run_until(&r, 0.2);
  claim_relative("all of it is out, kg", run_curve(&r, "discharge"), mass, 1e-12, "all");
  claim_relative("energy it took along, J", -run_value(&r, "energy.external"), 0.5 * mass * 1.25, 2e-4,
                 "m v^2/2; what is left in cells at the side may count as too full, and that is undone");
  run_close(&r);
}

/* Whether a source is refused at `pointer`. */
static bool is_refused(const source *from, const char *pointer)
{
  char text[3000];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  bool found = false;
  write_source(from, text);
  bool ok = scr_scene_parse(text, strlen(text), NULL, &scene, &problems) == SCR_OK;
  for (size_t k = 0; k < problems.count; k++) found = found || strcmp(problems.items[k].pointer, pointer) == 0;
  if (!found) print_message("# %s: %s\n", pointer, problems.count ? problems.items[0].detail : "nothing said");
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
  return found && !ok;
}

/* Sources that would lie on themselves or have no end, and outlets that are none, are refused where they are given. */
static void test_bad_sources_and_outlets_are_refused(void **state)
{
  (void)state;
  const source sound = {.size = 0.02, .at = {0.15, 0.2}, .velocity = 1, .interval = 0.05, .count = 3, .outlet = "", .more = ""};
  source bad = sound;
  bad.interval = 0.0199;
  assert_true(is_refused(&bad, "/specimens/0/pour_interval")); /* 2 cm each 1.99 cm */
  bad = sound, bad.interval = 0;
  assert_true(is_refused(&bad, "/specimens/0/pour_interval"));
  bad = sound, bad.interval = -1;
  assert_true(is_refused(&bad, "/specimens/0/pour_interval"));
  bad = sound, bad.velocity = 0;
  assert_true(is_refused(&bad, "/specimens/0/velocity"));
  bad = sound, bad.count = 0;
  assert_true(is_refused(&bad, "/specimens/0/pour_count"));
  bad = sound, bad.at[1] = 0.295;
  assert_true(is_refused(&bad, "/specimens/0/placement"));
  bad = sound, bad.size = 0.2, bad.at[1] = 0.15, bad.velocity = 1e4, bad.interval = 1e-4, bad.count = 1000000000;
  assert_true(is_refused(&bad, "/specimens")); /* 3600 points 1e7 times in 1000 s */
  bad = sound, bad.outlet = ",\"outlet_minimum\":[0,0,0.4],\"outlet_maximum\":[0.3,0.1,0.5]";
  assert_true(is_refused(&bad, "/options/outlet_minimum"));
  bad = sound, bad.outlet = ",\"outlet_minimum\":[0,0,0.1],\"outlet_maximum\":[0.3,0.1,0.1]";
  assert_true(is_refused(&bad, "/options/outlet_maximum"));
}

SUITE(test_granular_sources)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_estimates_count_what_is_poured_from_when_it_comes),
      cmocka_unit_test(test_estimates_count_obstacles_of_triangles),
      cmocka_unit_test(test_fillings_follow_at_even_distances),
      cmocka_unit_test(test_a_heap_is_poured_and_taken_away),
      cmocka_unit_test(test_a_long_stream_needs_no_more_memory),
      cmocka_unit_test(test_pictures_name_points),
      cmocka_unit_test(test_estimates_of_long_streams_are_bounded),
      cmocka_unit_test(test_open_sides_take_out_what_leaves),
      cmocka_unit_test(test_bad_sources_and_outlets_are_refused),
  };
  return cmocka_run_group_tests_name("granular sources", tests, NULL, NULL);
}
