/* Method bdem as a user meets it: same bits for any thread count and after a restart, damaged checkpoints, all problems of a scene at once.
 * */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "methods/bdem/step/stages.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

typedef struct run {
  scr_scene *scene;
  scr_sim *sim;
  double *values;
} run;

/* A brittle bar and a ball meet above a floor that comes up: bonds, breaking, contact of every kind. */
static const char bar_and_ball[] =
    "{\"scree\":1,\"name\":\"bar\",\"method\":\"bdem\","
    "\"materials\":[{\"name\":\"glass\",\"density\":1000,\"young_modulus\":1e7,\"tensile_strength\":2e4,\"shear_strength\":2e4}],"
    "\"contact\":{\"friction_coefficient\":0.4,\"damping_ratio\":0.3},"
    "\"specimens\":[{\"name\":\"bar\",\"material\":\"glass\",\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[0.14,0.07,0.05]},"
    "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.073]},\"rotation\":{\"axis\":[1,2,0.5],\"angle_deg\":20},\"velocity\":[0,0,-3]}"
    ","
    "{\"name\":\"ball\",\"material\":\"glass\",\"spacing\":0.03,\"packing\":\"body_centred\",\"shape\":{\"type\":\"sphere\",\"radius\":0."
    "04},"
    "\"placement\":{\"type\":\"single\",\"position\":[0.01,0.01,0.16]},\"velocity\":[0,0,-6],\"angular_velocity\":[5,0,3]}],"
    "\"rig\":{\"type\":\"box\",\"minimum\":[-0.2,-0.2,0],\"maximum\":[0.2,0.2,0.4],\"gravity\":[0,0,-9.81],"
    "\"walls\":{\"z_min\":{\"program\":[{\"type\":\"constant\",\"velocity\":0.3}]}}},"
    "\"time\":{\"duration\":0.03},\"options\":{\"constants_of\":\"bonds\",\"integrator\":\"%s\",\"breaking\":\"%s\",\"rolling_friction\":0."
    "05}}";

static run open_text(const char *text, unsigned threads)
{
  run r = {0};
  scr_problems problems = {0};
  scr_error error = {0};
  if (scr_scene_parse(text, strlen(text), NULL, &r.scene, &problems) != SCR_OK) {
    print_message("# %s\n", problems.count ? problems.items[0].detail : "no memory");
    fail();
  }
  scr_problems_clear(&problems);
  if (scr_sim_create(r.scene, threads, &r.sim, &error) != SCR_OK) {
    print_message("# %s\n", error.message);
    fail();
  }
  r.values = calloc(scr_sim_series_count(r.sim), sizeof *r.values);
  assert_non_null(r.values);
  return r;
}

static run open_run(const char *integrator, const char *breaking, unsigned threads)
{
  char text[2048];
  snprintf(text, sizeof text, bar_and_ball, integrator, breaking);
  return open_text(text, threads);
}

static void close_run(run *r)
{
  scr_sim_destroy(r->sim);
  scr_scene_destroy(r->scene);
  free(r->values);
}

static void steps(run *r, int count)
{
  scr_error error = {0};
  for (int k = 0; k < count; k++)
    if (scr_sim_step(r->sim, &error) != SCR_OK) {
      print_message("# %s\n", error.message);
      fail();
    }
}

static double value(const run *r, const char *name)
{
  long k = sim_find_series(r->sim, name);
  assert_true(k >= 0);
  return r->values[k];
}

/* Every curve and the whole state, compared byte for byte: none holds what a clock measured. */
static void assert_same(run *one, run *other)
{
  assert_same_state(one->sim, other->sim);
  scr_sim_observe(one->sim, one->values);
  scr_sim_observe(other->sim, other->values);
  for (size_t k = 0; k < scr_sim_series_count(one->sim); k++) assert_memory_equal(&one->values[k], &other->values[k], sizeof(double));
}

static void check_threads(const char *integrator, const char *breaking, int count)
{
  run one = open_run(integrator, breaking, 1), two = open_run(integrator, breaking, 2);
  for (int k = 0; k < 3; k++) {
    steps(&one, count / 3);
    steps(&two, count / 3);
    assert_same(&one, &two);
  }
  print_message("# %s, %s: %g bonds broken, energy balance %.2g\n", integrator, breaking, value(&one, "broken_bonds"),
                value(&one, "energy.balance_error"));
  assert_true(value(&one, "broken_bonds") > 0);
  assert_true(value(&one, "energy.friction") > 0 && value(&one, "energy.damping") > 0);
  close_run(&one);
  close_run(&two);
}

/* Sums run in fixed orders and threads share out whole spheres and bonds: equality is exact, through fracture. */
static void test_two_threads_give_the_bits_of_one(void **state)
{
  (void)state;
  check_threads("explicit", "simultaneous", 240);
  check_threads("implicit-euler", "explicit-bursts", 9);
  check_threads("implicit-euler", "staged", 6);
  check_threads("implicit-euler", "simultaneous", 6);
}

static void check_restart(const char *integrator, const char *breaking, int before, int after)
{
  run through = open_run(integrator, breaking, 1), resumed = open_run(integrator, breaking, 2);
  scr_blob blob = {0};
  steps(&through, before);
  assert_int_equal(sim_save(through.sim, &blob, NULL), SCR_OK);
  const bdem_state *s = through.sim->state;
  print_message("# %s, %s: restart with %zu broken bonds, %zu unused pairs in the solver's matrix\n", integrator, breaking,
                s->fracture.broken_count, s->contacts.unused_count);
  assert_int_equal(sim_load(resumed.sim, &blob, NULL), SCR_OK);
  assert_same(&through, &resumed);
  steps(&through, after);
  steps(&resumed, after);
  assert_same(&through, &resumed);
  scr_blob_destroy(&blob);
  close_run(&through);
  close_run(&resumed);
}

/* Saved before the first contact and amid fracture, and loaded into a fresh simulation, a run goes on with the same bits. */
static void test_a_restart_gives_the_same_bits(void **state)
{
  (void)state;
  check_restart("explicit", "simultaneous", 20, 120);
  check_restart("explicit", "simultaneous", 181, 60);
  check_restart("implicit-euler", "explicit-bursts", 1, 4);
  check_restart("implicit-euler", "explicit-bursts", 4, 3);
  for (int before = 5; before < 9; before++) check_restart("implicit-euler", "simultaneous", before, 3);
}

/* Candidates of contact that grew as bonds broke are those of a search at the same places: equal in number, order and every field. Checked
 * several times in the crash, in which inner spheres lose their shield too. */
static void test_candidates_grow_as_a_new_search_would_find_them(void **state)
{
  run r = open_run("explicit", "simultaneous", 1);
  bdem_state *s = r.sim->state;
  scr_error error = {0};
  size_t grown = 0, exposed = 0;
  (void)state;
  for (int step = 0; step < 400; ++step) {
    size_t before = s->fracture.broken_count;
    if (scr_sim_step(r.sim, &error) != SCR_OK) run_fail("step", error.message);
    if (s->fracture.broken_count == before || ++grown % 4 != 0) continue; /* in between, the list grows step by step */
    size_t count = s->contacts.pair_count;
    bdem_pair *pairs = mem_array(count, sizeof *pairs);
    assert_non_null(pairs);
    memcpy(pairs, s->contacts.pairs, count * sizeof *pairs);
    exposed += s->list.added_count;
    assert_int_equal(bdem_contact_list(&s->listing, s->list.skin, true, &error), SCR_OK);
    assert_int_equal(s->contacts.pair_count, count);
    for (size_t k = 0; k < count; ++k) {
      const bdem_pair *a = &pairs[k], *b = &s->contacts.pairs[k];
      bool faces = s->model.facing_reach > 0 && s->model.grain_of[a->i] != s->model.grain_of[a->j]; /* chosen anew while they don't press */
      assert_true(a->i == b->i && a->j == b->j && a->law == b->law);
      assert_true(faces || (a->reach == b->reach && a->stiffness == b->stiffness));
    }
    mem_free(pairs);
  }
  print_message("# %zu steps with breaks, %zu spheres lost their shield\n", grown, exposed);
  assert_true(grown > 20 && exposed > 3);
  close_run(&r);
}

/* A beam of 324 spheres that is twisted while it sags: its steps hand on their matrix. */
static const char twisted_beam[] =
    "{\"scree\":1,\"name\":\"beam\",\"method\":\"bdem\",\"materials\":[{\"name\":\"foam\",\"density\":1000,\"young_modulus\":1e7}],"
    "\"specimens\":[{\"name\":\"beam\",\"material\":\"foam\",\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[0.4,0.075,0.07]},"
    "\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}}],"
    "\"rig\":{\"type\":\"grips\",\"axis\":\"x\",\"low_end\":-0.17,\"high_start\":0.17,\"gravity\":[0,0,-9.81],"
    "\"turn\":[{\"type\":\"constant\",\"angular_velocity\":3}]},\"time\":{\"duration\":1},\"options\":{\"integrator\":\"implicit-euler\"}}";

static bool carries(const run *r)
{
  const bdem_step_solver *newton = ((const bdem_state *)r->sim->state)->solver.made;
  return newton && bdem_implicit_carries(newton);
}

/* A resumed run makes the matrix again that the last step hands on, from the places that it was made from: the same bits, also after a
 * second restart, and the body is not disturbed by it. Damage to what was saved is refused, or changes numbers only. */
static void test_a_restart_makes_the_carried_matrix_again(void **state)
{
  (void)state;
  run through = open_text(twisted_beam, 1), first = open_text(twisted_beam, 2), second = open_text(twisted_beam, 2);
  scr_blob blob = {0};
  steps(&through, 7);
  assert_true(carries(&through));
  assert_int_equal(sim_save(through.sim, &blob, NULL), SCR_OK);
  assert_int_equal(sim_load(first.sim, &blob, NULL), SCR_OK);
  assert_same(&through, &first);
  blob.cursor = 0;
  for (size_t at = blob.size / 2; at < blob.size; at += blob.size / 11 + 1) {
    run fresh = open_text(twisted_beam, 1);
    unsigned char was = blob.data[at];
    blob.data[at] = 0xff;
    blob.cursor = 0;
    scr_status status = sim_load(fresh.sim, &blob, NULL);
    assert_true(status == SCR_OK || status == SCR_BAD_FILE);
    blob.data[at] = was;
    close_run(&fresh);
  }
  scr_blob_destroy(&blob);
  blob = (scr_blob){0};
  steps(&through, 2);
  steps(&first, 2);
  assert_int_equal(sim_save(first.sim, &blob, NULL), SCR_OK);
  assert_int_equal(sim_load(second.sim, &blob, NULL), SCR_OK);
  steps(&through, 5);
  steps(&second, 5);
  assert_same(&through, &second);
  scr_blob_destroy(&blob);
  close_run(&through);
  close_run(&first);
  close_run(&second);
}

/* Whatever is cut off or changed: no crash, and what can't be of this scene is refused. */
static void test_damaged_checkpoints_are_refused(void **state)
{
  (void)state;
  run r = open_run("explicit", "staged", 1);
  scr_blob blob = {0};
  steps(&r, 240);
  assert_int_equal(sim_save(r.sim, &blob, NULL), SCR_OK);
  for (size_t cut = 0; cut < blob.size; cut += blob.size / 23) {
    run fresh = open_run("explicit", "staged", 1);
    scr_blob part = {.data = blob.data, .size = cut, .capacity = cut};
    assert_int_equal(sim_load(fresh.sim, &part, NULL), SCR_BAD_FILE);
    close_run(&fresh);
  }
  size_t refused = 0, tried = 0;
  for (size_t at = 24; at < blob.size; at += blob.size / 97 + 1) { /* past steps, time and time step */
    run fresh = open_run("explicit", "staged", 1);
    unsigned char was = blob.data[at];
    blob.data[at] = 0xff;
    blob.cursor = 0;
    scr_status status = sim_load(fresh.sim, &blob, NULL);
    assert_true(status == SCR_OK || status == SCR_BAD_FILE);
    refused += status == SCR_BAD_FILE;
    tried++;
    blob.data[at] = was;
    close_run(&fresh);
  }
  print_message("# %zu of %zu single wrong bytes refused; the others are numbers that could be right\n", refused, tried);
  assert_true(refused > 0);
  scr_blob_destroy(&blob);
  close_run(&r);
}

/* The contact search looks broken pairs up by halving, so each must stand in its place, to the very last: here bonds break in three waves,
 * spread over all that is left. */
static void test_broken_pairs_are_sorted_until_no_bond_is_left(void **state)
{
  (void)state;
  run r = open_run("explicit", "simultaneous", 1);
  bdem_state *s = r.sim->state;
  scr_error error;
  size_t bonds = s->body.bond_count;
  assert_true(bonds > 100);
  s->fracture.log = NULL; /* it takes notes made with the marks */
  for (size_t wave = 3; wave-- > 0;) {
    bdem_bonds_close(&s->body, &s->batches, &s->fracture);
    s->fracture.marked_count = 0;
    for (size_t b = 0; b < s->body.bond_count; ++b)
      if (b % (wave + 1) == wave / 2) s->fracture.marked[s->fracture.marked_count++] = (uint32_t)b;
    assert_int_equal(bdem_break_marked(&s->body, &s->batches, &s->fracture, &s->total, s->ledger, &error), SCR_OK);
  }
  assert_int_equal(s->fracture.broken_count, bonds);
  for (size_t k = 1; k < bonds; ++k) {
    const bdem_pair_reach *a = &s->fracture.broken[k - 1], *b = &s->fracture.broken[k];
    assert_true(a->i < b->i || (a->i == b->i && a->j < b->j));
  }
  close_run(&r);
}

static const scr_problem *problem_at(const scr_problems *problems, const char *pointer)
{
  for (size_t k = 0; k < problems->count; k++)
    if (strcmp(problems->items[k].pointer, pointer) == 0) return &problems->items[k];
  print_message("# no problem at %s\n", pointer);
  fail();
  return NULL;
}

static void refuse(const char *text, const char *const *pointers, size_t count)
{
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_BAD_SCENE);
  assert_null(scene);
  for (size_t k = 0; k < count; k++) assert_true(strlen(problem_at(&problems, pointers[k])->detail) > 40);
  assert_int_equal(problems.count, count);
  scr_problems_clear(&problems);
}

/* Section 8 of the spec: everything wrong is listed at once, each with its place. */
static void test_all_problems_of_a_scene_are_listed(void **state)
{
  (void)state;
  static const char *const of_forms[] = {"/materials/0/tensile_strength",
                                         "/materials/0/poisson_ratio",
                                         "/specimens/0/spacing",
                                         "/options/integrator",
                                         "/options/step_ratio",
                                         "/options/contact_stiffness_factor",
                                         "/options/optimizer"}; /* those compared are not scenes' to choose */
  refuse("{\"scree\":1,\"name\":\"x\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1,\"young_modulus\":1e6,"
         "\"tensile_strength\":0,\"poisson_ratio\":0.5}],\"specimens\":[{\"name\":\"s\",\"material\":\"m\",\"spacing\":0,"
         "\"shape\":{\"type\":\"box\",\"size\":[1,1,1]}}],\"time\":{\"duration\":1},"
         "\"options\":{\"integrator\":\"verlet\",\"step_ratio\":2000,\"contact_stiffness_factor\":0.00001,\"optimizer\":\"lagrange\"}}",
         of_forms, 7);
  static const char *const of_moduli[] = {"/materials/0/young_modulus", "/materials/1/young_modulus"};
  refuse("{\"scree\":1,\"name\":\"x\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1},{\"name\":\"o\",\"density\":1}],"
         "\"specimens\":[{\"name\":\"s\",\"material\":\"m\",\"spacing\":0.1,\"shape\":{\"type\":\"box\",\"size\":[1,1,1]}}],"
         "\"time\":{\"duration\":1}}",
         of_moduli, 2);
  static const char *const of_places[] = {"/specimens/0/placement", "/specimens/1/spacing", "/specimens/2/placement", "/time/time_step",
                                          "/rig/walls/z_max/program"};
  refuse(
      "{\"scree\":1,\"name\":\"x\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e6}],"
      "\"specimens\":[{\"name\":\"out\",\"material\":\"m\",\"spacing\":0.1,\"shape\":{\"type\":\"box\",\"size\":[1,1,1]},"
      "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.6]}},"
      "{\"name\":\"hollow\",\"material\":\"m\",\"spacing\":0.1,\"shape\":{\"type\":\"hollow_sphere\",\"radius\":0.3,\"inner_radius\":0.29},"
      "\"placement\":{\"type\":\"single\",\"position\":[2,2,2]}},"
      "{\"name\":\"twin\",\"material\":\"m\",\"spacing\":0.1,\"shape\":{\"type\":\"sphere\",\"radius\":0.2},"
      "\"placement\":{\"type\":\"list\",\"positions\":[[-2,-2,2],[-2,-2,2.1]]}}],"
      "\"rig\":{\"type\":\"box\",\"minimum\":[-3,-3,0.2],\"maximum\":[3,3,4],"
      "\"walls\":{\"z_max\":{\"program\":[{\"type\":\"constant\",\"velocity\":-10}]}}},"
      "\"time\":{\"duration\":0.1,\"time_step\":0.01}}",
      of_places, 5);
}

/* Each random specimen costs a packing, each calibrated one a virtual test: a text of some kilobytes must not hold a laboratory for hours.
 * */
static void test_thousands_of_specimens_with_packings_of_their_own_are_refused_at_once(void **state)
{
  (void)state;
  enum { SPECIMENS = 401, TEXT_BYTES = 200 * SPECIMENS };
  static const char *const of_number[] = {"/specimens"};
  char *text = mem_array(TEXT_BYTES, 1);
  assert_non_null(text);
  for (int random = 0; random < 2; ++random) {
    size_t used =
        (size_t)snprintf(text, TEXT_BYTES,
                         "{\"scree\":1,\"name\":\"x\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,"
                         "\"young_modulus\":1e6}],\"time\":{\"duration\":1},\"options\":{\"constants_of\":\"%s\"},\"specimens\":[",
                         random ? "bonds" : "body");
    for (int k = 0, count = random ? 17 : SPECIMENS; k < count; ++k)
      used += (size_t)snprintf(text + used, TEXT_BYTES - used,
                               "%s{\"name\":\"s%d\",\"material\":\"m\",\"spacing\":0.1,\"packing\":\"%s\",\"shape\":{\"type\":\"sphere\","
                               "\"radius\":0.2},\"placement\":{\"type\":\"single\",\"position\":[%d,0,1]}}",
                               k ? "," : "", k, random ? "random_close" : "hexagonal_close", k);
    snprintf(text + used, TEXT_BYTES - used, "]}");
    refuse(text, of_number, 1);
  }
  mem_free(text);
}

/* Whether the scene can run with a warning at `pointer`. */
static bool warned(const char *text, const char *pointer)
{
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_OK);
  assert_int_equal(problems.count, 0);
  const scr_problems *warnings = scr_scene_warnings(scene);
  bool found = false;
  for (size_t i = 0; i < warnings->count; ++i) {
    print_message("# %s\n", warnings->items[i].detail);
    found = found || strcmp(warnings->items[i].pointer, pointer) == 0;
  }
  scr_scene_destroy(scene);
  return found;
}

/* What is unusual is told without refusing the scene, what is usual is not: explicit steps above 0.9 T, contacts much softer or stiffer
 * than bonds, spheres of very different sizes, a body whose lattice
 * cells miss its volume, one whose 3.8 layers became 3 stretched by 1.27. */
static void test_unusual_scenes_run_with_warnings(void **state)
{
  (void)state;
  char text[1400];
  static const char form[] =
      "{\"scree\":1,\"name\":\"x\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e6}],"
      "\"specimens\":[{\"name\":\"s\",\"material\":\"m\",\"spacing\":%g,\"shape\":{\"type\":\"box\",\"size\":[0.4,0.34641017,0.32659864]}},"
      "{\"name\":\"t\",\"material\":\"m\",\"spacing\":0.1,\"shape\":{\"type\":\"box\",\"size\":[0.4,0.34641017,0.32659864]},"
      "\"placement\":{\"type\":\"single\",\"position\":[1,0,0]}},"
      "{\"name\":\"u\",\"material\":\"m\",\"spacing\":0.1,\"shape\":{\"type\":\"box\",\"size\":[0.4,0.34641017,%g]},"
      "\"placement\":{\"type\":\"single\",\"position\":[2,0,0]}}],\"time\":{\"duration\":0.01%s},\"options\":{%s}}";
  snprintf(text, sizeof text, form, 0.1, 0.32659864, "", "");
  scr_scene *scene = NULL;
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, NULL), SCR_OK);
  assert_int_equal(scr_scene_warnings(scene)->count, 0);
  double T = scr_scene_estimate(scene)->time_step / 0.7; /* the default safety factor */
  scr_scene_destroy(scene);
  static const struct {
    double spacing, steps;
    const char *options, *pointer;
  } cases[] = {{0.1, 0.95, "", "/time/time_step"},
               {0.1, 0, "\"contact_stiffness_factor\":0.005", "/options/contact_stiffness_factor"},
               {0.1, 0, "\"contact_stiffness_factor\":200", "/options/contact_stiffness_factor"},
               {0.1, 0, "\"local_damping\":0.7,\"integrator\":\"implicit-euler\"", "/options/local_damping"},
               {0.009, 0, "", "/specimens/1/spacing"},
               {0.15, 0, "\"lattice\":\"regular\"", "/specimens/0/spacing"},
               {0.05, 0, "", "/specimens/2/spacing"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    char given[64] = "";
    if (cases[k].steps > 0) snprintf(given, sizeof given, ",\"time_step\":%.9g", cases[k].steps * T);
    snprintf(text, sizeof text, form, cases[k].spacing, strstr(cases[k].pointer, "/2/") ? 0.31 : 0.32659864, given, cases[k].options);
    assert_true(warned(text, cases[k].pointer));
  }
}

/* An implicit step of more than 1000 T is warned of, one of 1000 T is not. T follows from what a sphere weighs: the box' mass over its
 * 4 x 4 x 4 spheres. */
static void test_implicit_steps_have_a_bound(void **state)
{
  (void)state;
  char text[1024];
  static const char form[] = "{\"scree\":1,\"name\":\"x\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,"
                             "\"young_modulus\":1e6}],\"specimens\":[{\"name\":\"s\",\"material\":\"m\",\"spacing\":0.1,"
                             "\"shape\":{\"type\":\"box\",\"size\":[0.4,0.4,0.4]}}],\"time\":{\"duration\":%g%s},"
                             "\"options\":{\"constants_of\":\"bonds\",\"integrator\":\"implicit-euler\",\"step_ratio\":1000}}";
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  snprintf(text, sizeof text, form, 100.0, "");
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_OK);
  double step = scr_scene_estimate(scene)->time_step, r = 0.05, mass = 1000 * 0.4 * 0.4 * 0.4 / 64;
  double T = 2 / sqrt((20 / 1.3 + 2.5) * 0.5 * 3.14159265358979323846 * r * 1e6 / mass);
  assert_true(fabs(step / T - 1000) < 1e-9);
  scr_scene_destroy(scene);
  assert_false(warned(text, "/time/time_step"));
  char given[64];
  snprintf(given, sizeof given, ",\"time_step\":%.17g", 1.01 * step);
  snprintf(text, sizeof text, form, 100.0, given);
  assert_true(warned(text, "/time/time_step"));
}

/* A step that the method chooses is no longer than the intervals of samples and frames that a scene gives; one that the scene gives is
 * refused where it is longer. */
static void test_steps_keep_within_the_output(void **state)
{
  (void)state;
  char text[1024];
  static const char form[] = "{\"scree\":1,\"name\":\"x\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,"
                             "\"young_modulus\":1e6}],\"specimens\":[{\"name\":\"s\",\"material\":\"m\",\"spacing\":0.1,"
                             "\"shape\":{\"type\":\"box\",\"size\":[0.4,0.4,0.4]}}],\"time\":{\"duration\":1%s},"
                             "\"output\":{\"sample_interval\":%s},\"options\":{\"integrator\":\"implicit-euler\"}}";
  static const char *const samples[] = {"null", "1e-3"};
  scr_scene *scene = NULL;
  for (int k = 0; k < 2; ++k) {
    snprintf(text, sizeof text, form, "", samples[k]);
    assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, NULL), SCR_OK);
    const scr_estimate *estimate = scr_scene_estimate(scene);
    if (k == 0)
      assert_true(estimate->time_step > 2e-3 && scene->output.sample_interval == estimate->time_step);
    else
      assert_true(estimate->time_step == 1e-3 && strcmp(estimate->time_step_rule, "output") == 0);
    scr_scene_destroy(scene);
  }
  snprintf(text, sizeof text, form, ",\"time_step\":0.002", "1e-3");
  static const char *const pointers[] = {"/output/sample_interval"};
  refuse(text, pointers, 1);
}

SUITE(test_bdem_method)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_threads_give_the_bits_of_one),
      cmocka_unit_test(test_a_restart_gives_the_same_bits),
      cmocka_unit_test(test_a_restart_makes_the_carried_matrix_again),
      cmocka_unit_test(test_candidates_grow_as_a_new_search_would_find_them),
      cmocka_unit_test(test_damaged_checkpoints_are_refused),
      cmocka_unit_test(test_broken_pairs_are_sorted_until_no_bond_is_left),
      cmocka_unit_test(test_all_problems_of_a_scene_are_listed),
      cmocka_unit_test(test_thousands_of_specimens_with_packings_of_their_own_are_refused_at_once),
      cmocka_unit_test(test_implicit_steps_have_a_bound),
      cmocka_unit_test(test_steps_keep_within_the_output),
      cmocka_unit_test(test_unusual_scenes_run_with_warnings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
