/* Contacts foreseen before a run: against those that the first step finds, the law for curves at random, and rooms that grow smaller; times
 * of runs against what they count. */
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

#include "methods/fibre/scene/crowd.h"
#include "methods/fibre/state/state.h"

/* @param specimen, rig  the rest of their keys */
static scr_scene *open_scene(const char *specimen, const char *more, double duration)
{
  char text[4000];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"seed\":4,\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e7}"
      "],\"specimens\":[{\"name\":\"f\",\"material\":\"m\"%s}]%s,\"time\":{\"duration\":%g,\"time_step\":1e-4}}",
      specimen, more, duration);
  if (scr_scene_parse(text, strlen(text), NULL, &scene, &problems) != SCR_OK) fail_msg("%s", problems.items[0].detail);
  scr_problems_clear(&problems);
  return scene;
}

/* Foreseen contacts of a step, on the mean. */
static double foresee(const scr_scene *scene)
{
  fibre_crowd crowd = {.count = 0};
  crowd_touches found;
  for (size_t k = 0; k < scene->specimen_count; k++) {
    fibre_layout layout;
    assert_int_equal(fibre_layout_open(scene, k, &layout, NULL), SCR_OK);
    assert_int_equal(fibre_crowd_add(&crowd, scene, k, &layout), SCR_OK);
    fibre_layout_close(&layout);
  }
  assert_int_equal(fibre_crowd_touches(&crowd, scene, scene->time.time_step, &found), SCR_OK);
  fibre_crowd_clear(&crowd);
  return found.touches;
}

#define MAT                                                                                                                                \
  ",\"shape\":{\"type\":\"cylinder\",\"radius\":1e-4,\"length\":0.012},\"edges\":15,\"form\":\"mat\",\"fibres\":50,\"size\":[0.0096,0."    \
  "0096,"                                                                                                                                  \
  "0.0056],\"curl\":100,\"unloaded\":\"as_placed\",\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}"

/* As many as a step finds, of a mat and of strands that lie along each other. */
static void test_as_many_as_the_first_step_finds(void **state)
{
  (void)state;
  static const char *const specimen[] = {
      MAT,
      ",\"shape\":{\"type\":\"cylinder\",\"radius\":0.0025,\"length\":0.575},\"edges\":40,\"form\":\"bundle\",\"fibres\":5,\"turns\":4."
      "3478,"
      "\"core\":0.0025,\"clearance\":0.005,\"unloaded\":\"as_placed\",\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}"};
  for (int k = 0; k < 2; k++) {
    scr_scene *scene = open_scene(specimen[k], ",\"rig\":{\"type\":\"none\"}", 1e-3);
    scr_sim *sim = NULL;
    scr_error error = {0};
    assert_int_equal(scr_sim_create(scene, 1, &sim, &error), SCR_OK);
    assert_int_equal(scr_sim_step(sim, &error), SCR_OK);
    double found = (double)((const fibre_state *)sim->state)->problem.count;
    claim_between(k ? "strand: contacts that the first step finds" : "mat: contacts that the first step finds", found, 20, INFINITY,
                  "many");
    claim_relative(k ? "strand: contacts foreseen" : "mat: contacts foreseen", foresee(scene), found, 0.05, "those of the first step");
    scr_sim_destroy(sim);
    scr_scene_destroy(scene);
  }
}

/* Straight fibres at random in a box, none nearer than a diameter d: what lies nearer than D is in the excluded volume of two rods of that
 * thickness, pi/2 l^2 D + 2 pi l D^2 + 4/3 pi D^3, and not in that of d (van Wyk 1946; Onsager 1949). They stay within the box, so that
 * middles have less room by half of |cos| l on each side. */
static void test_touches_of_curves_at_random(void **state)
{
  (void)state;
  const double l = 0.004, side = 0.06, fibres = 2000, near[2] = {1e-4, 1.1e-3};
  scr_scene *scene = open_scene(",\"shape\":{\"type\":\"cylinder\",\"radius\":5e-5,\"length\":0.004},\"edges\":2,\"form\":\"mat\","
                                "\"fibres\":2000,\"size\":[0.06,0.06,"
                                "0.06],\"unloaded\":\"as_placed\",\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}",
                                ",\"rig\":{\"type\":\"none\"},\"options\":{\"margin\":1e-3}", 1e-3);
  double excluded[2];
  for (int k = 0; k < 2; k++)
    excluded[k] = M_PI / 2 * l * l * near[k] + 2 * M_PI * l * near[k] * near[k] + 4.0 / 3 * M_PI * pow(near[k], 3);
  double expected = 0.5 * fibres * fibres * (excluded[1] - excluded[0]) / pow(side - 0.5 * l, 3);
  claim_relative("curves at random: contacts foreseen", foresee(scene), expected, 0.15, "excluded volumes; 25 pairs are a twentieth");
  scr_scene_destroy(scene);
}

/* A mat pressed to half and to a third of its height: curves at random would be pi/4 D L^2 / V; of those as they are laid what is nearer
 * than a diameter is missing. */
static void test_touches_grow_as_a_mat_is_pressed(void **state)
{
  (void)state;
  const double total = 50 * 0.012, near = 2.5e-4, room = 0.0096 * 0.0096 * 0.0056;
  double found[3];
  for (int k = 0; k < 3; k++) {
    char rig[400];
    snprintf(
        rig, sizeof rig,
        ",\"rig\":{\"type\":\"platens\",\"opening\":0.0056,\"program\":[{\"type\":\"constant\",\"velocity\":%g,\"duration\":1},{\"type\":"
        "\"hold\"}]}",
        -0.0056 * k / (1 + k));
    scr_scene *scene = open_scene(MAT, rig, 100);
    found[k] = foresee(scene);
    scr_scene_destroy(scene);
  }
  claim_between("mat pressed to half: contacts foreseen, over pi/4 D L^2 / V", found[1] / (M_PI / 4 * near * total * total / (0.5 * room)),
                0.4, 1, "as many, but for those whose sides still keep them apart, and as fibres lie flatter");
  claim_relative("mat pressed to a third, over half: contacts foreseen", found[2] / found[1], 1.5, 0.25, "as the room is smaller");
  claim_between("mat pressed to half, over as laid: contacts foreseen", found[1] / found[0], 2, INFINITY, "more than the room is smaller");
}

/* Eleven nodes of a level fibre come to a floor 5 mm below it after 32 ms: of 64 ms they lie there for half. What a hand lets down comes
 * node by node: half of them on the mean. */
static void test_touches_of_a_floor(void **state)
{
  (void)state;
#define FLOOR "\"obstacles\":[{\"name\":\"floor\",\"shape\":{\"type\":\"plane\",\"width\":1},\"position\":[0,0,0]}"
#define FIBRE ",\"shape\":{\"type\":\"cylinder\",\"radius\":1e-3,\"length\":0.2},\"edges\":10"
  scr_scene *falls =
      open_scene(FIBRE ",\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":90},\"placement\":{\"type\":\"single\",\"position\":[0,0,0.0065]}",
                 ",\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-9.81]}," FLOOR "]", 0.064);
  claim_relative("falling fibre: contacts foreseen", foresee(falls), 5.5, 0.1, "eleven nodes for half of the time");
  scr_scene_destroy(falls);
  scr_scene *let_down =
      open_scene(FIBRE ",\"held\":\"end\",\"held_by\":\"hand\",\"placement\":{\"type\":\"single\",\"position\":[0,0,0.11]}",
                 ",\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-9.81]}," FLOOR
                 ",{\"name\":\"hand\",\"shape\":{\"type\":\"sphere\",\"radius\":1e-3},\"position\":[0,0,0.215],\"direction\":[0,0,-1],"
                 "\"program\":[{\"type\":\"constant\",\"velocity\":0.2}]}]",
                 1);
  claim_relative("fibre that is let down: contacts foreseen", foresee(let_down), 5.5, 0.1, "node by node");
  scr_scene_destroy(let_down);
}

SUITE(test_fibre_crowd)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_as_many_as_the_first_step_finds),
      cmocka_unit_test(test_touches_of_curves_at_random),
      cmocka_unit_test(test_touches_grow_as_a_mat_is_pressed),
      cmocka_unit_test(test_touches_of_a_floor),
  };
  return cmocka_run_group_tests_name("fibre crowd", tests, NULL, NULL);
}
