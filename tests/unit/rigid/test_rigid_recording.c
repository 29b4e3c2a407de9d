/* The estimate of a recording of rigid bodies: instances, contact points, and lines of force for those who want them. */
#include "tests/unit/run/test_run_toy.h"
#include "tests/support/suites.h"

/* Balls and bricks close to each other that settle in a box, recorded as often as their frames are most of the recording. */
static scr_scene *settling(bool chains)
{
  char text[1800];
  scr_problems problems = {0};
  scr_scene *scene = NULL;
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"settling\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":1000}],\"contact\":{"
           "\"friction_coefficient\":0.4},\"specimens\":["
           "{\"name\":\"balls\",\"material\":\"m\",\"shape\":{\"type\":\"sphere\",\"radius\":0.02},\"placement\":{\"type\":\"lattice\","
           "\"origin\":[-0.0605,-0.0605,0.0205],\"pitch\":[0.0403,0.0403,0.0403],"
           "\"count\":[4,4,4]}},{\"name\":\"bricks\",\"material\":\"m\",\"shape\":{\"type\":\"box\",\"size\":[0.06,0.06,0.03]},"
           "\"placement\":{\"type\":\"lattice\",\"origin\":[-0.04,-0.04,0.18],\"pitch\":"
           "[0.08,0.08,0.031],\"count\":[2,2,4]}}],\"rig\":{\"type\":\"box\",\"minimum\":[-0.081,-0.081,0],\"maximum\":[0.081,0.081,0.5],"
           "\"gravity\":[0,0,-9.81]},"
           "\"time\":{\"duration\":0.3,\"time_step\":0.003},\"output\":{\"frame_interval\":0.006,\"sample_interval\":0.06},\"options\":{"
           "\"tolerance\":1e-3,\"force_chains\":%s}}",
           chains ? "true" : "false");
  if (scr_scene_parse(text, strlen(text), NULL, &scene, &problems) != SCR_OK)
    fail_msg("%s", problems.count ? problems.items[0].detail : "no memory");
  scr_problems_clear(&problems);
  return scene;
}

static bool draws_chains(const scr_scene *scene)
{
  scr_sim *sim;
  bool drawn = false;
  assert_int_equal(scr_sim_create(scene, 1, &sim, NULL), SCR_OK);
  for (size_t d = 0; d < sim->drawable_count; d++) drawn = drawn || strcmp(sim->drawables[d].name, "force_chains") == 0;
  scr_sim_destroy(sim);
  return drawn;
}

/* With lines of force and without at least what is recorded, and less than twice that; and so the lines by themselves. Without them there
 * is no such drawable. */
static void test_the_estimated_size_has_contacts_and_lines(void **state)
{
  lab *l = *state;
  double most[2], actual[2];
  for (int chains = 0; chains < 2; chains++) {
    scr_scene *scene = settling(chains);
    scr_recording *recording;
    most[chains] = (double)scr_scene_estimate(scene)->record_bytes;
    empty(l->first);
    run_whole(scene, l->first);
    assert_int_equal(scr_recording_open(file_in(l->first, "recording.scree"), &recording, NULL), SCR_OK);
    actual[chains] = (double)scr_recording_bytes(recording);
    print_message("# value: %s lines of force: bytes = %.0f (reference %.0f)\n", chains ? "with" : "without", actual[chains], most[chains]);
    assert_true(draws_chains(scene) == (chains != 0));
    assert_true(actual[chains] <= most[chains] && most[chains] < 2 * actual[chains]);
    scr_recording_close(recording);
    scr_scene_destroy(scene);
  }
  double lines = actual[1] - actual[0], foreseen = most[1] - most[0];
  print_message("# value: lines of force: bytes = %.0f (reference %.0f)\n", lines, foreseen);
  assert_true(lines > 0.2 * actual[1] && lines <= foreseen && foreseen < 2.5 * lines);
}

SUITE(test_rigid_recording)
{
  const struct CMUnitTest tests[] = {
      IN_LAB(test_the_estimated_size_has_contacts_and_lines),
  };
  return cmocka_run_group_tests_name("rigid_recording", tests, NULL, NULL);
}
