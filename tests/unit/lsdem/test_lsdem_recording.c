/* The estimate of a recording of lsdem's grains, which are instances of their templates. */
#include "tests/unit/run/test_run_toy.h"
#include "tests/support/suites.h"

/* Soft pebbles that fall on a floor, with a row for every node in contact at each frame or none. */
static scr_scene *pebbles(bool table)
{
  char text[1400];
  scr_problems problems = {0};
  scr_scene *scene = NULL;
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"pebbles\",\"method\":\"lsdem\",\"materials\":[{\"name\":\"stone\",\"density\":2600,\"young_modulus\":"
           "1e7,\"poisson_ratio\":0.2}],"
           "\"contact\":{\"contact_stiffness\":1e9,\"friction_coefficient\":0.4},\"specimens\":[{\"name\":\"pebbles\",\"material\":"
           "\"stone\",\"spacing\":2.5e-3,\"grid_spacing\":1.5e-3,"
           "\"elongation\":0.8,\"roughness\":0.03,\"variants\":3,\"random_rotation\":true,\"modes\":\"affine\",\"velocity\":[0,0,-1],"
           "\"shape\":{\"type\":\"sphere\",\"radius\":0.01},"
           "\"placement\":{\"type\":\"lattice\",\"origin\":[-0.024,-0.024,0.0135],\"pitch\":[0.024,0.024,0.024],\"count\":[3,3,2]}}],"
           "\"rig\":{\"type\":\"box\",\"minimum\":[-0.04,-0.04,0],\"maximum\":[0.04,0.04,0.1],\"gravity\":[0,0,-9.81]},\"time\":{"
           "\"duration\":0.01},\"output\":{\"frame_interval\":2e-4},"
           "\"options\":{\"traction_table\":%s}}",
           table ? "true" : "false");
  if (scr_scene_parse(text, strlen(text), NULL, &scene, &problems) != SCR_OK)
    fail_msg("%s", problems.count ? problems.items[0].detail : "no memory");
  scr_problems_clear(&problems);
  return scene;
}

/* At least what is recorded, and less than twice that; the table's rows, whose number only the run tells, have room in it as well. Some
 * 5000 nodes would take 3 MB in these 50 frames. */
static void test_the_estimated_size_is_of_instances(void **state)
{
  lab *l = *state;
  for (int table = 0; table < 2; table++) {
    scr_scene *scene = pebbles(table);
    scr_recording *recording;
    double most = (double)scr_scene_estimate(scene)->record_bytes;
    empty(l->first);
    run_whole(scene, l->first);
    assert_int_equal(scr_recording_open(file_in(l->first, "recording.scree"), &recording, NULL), SCR_OK);
    double actual = (double)scr_recording_bytes(recording);
    print_message("# value: %s table of tractions: bytes = %.0f (reference %.0f)\n", table ? "with" : "without", actual, most);
    assert_true(actual <= most);
    assert_true(table || most < 2 * actual);
    scr_recording_close(recording);
    scr_scene_destroy(scene);
  }
}

SUITE(test_lsdem_recording)
{
  const struct CMUnitTest tests[] = {
      IN_LAB(test_the_estimated_size_is_of_instances),
  };
  return cmocka_run_group_tests_name("lsdem_recording", tests, NULL, NULL);
}
