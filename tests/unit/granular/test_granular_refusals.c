/* What the method granular refuses or warns of: section 8 of its specification, as far as a scene can say it. */
#include <math.h>

#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

static const char base[] =
    "{\"scree\":1,\"name\":\"sand\",\"method\":\"granular\",\"materials\":[{\"name\":\"sand\",\"density\":2500,\"packing_fraction\":0.6,"
    "\"internal_friction\":0.4,"
    "\"cohesion\":0,\"friction_increment\":0}],\"contact\":{\"friction_coefficient\":0.3},"
    "\"specimens\":[{\"name\":\"block\",\"material\":\"sand\",\"velocity\":[0,0,-1],\"points_per_cell\":3,\"shape\":{\"type\":\"box\","
    "\"size\":[0.1,0.1,0.1]},"
    "\"placement\":{\"type\":\"single\",\"position\":[0.1,0.1,0.2]}}],"
    "\"rig\":{\"type\":\"box\",\"minimum\":[0,0,0],\"maximum\":[0.2,0.2,0.3],\"gravity\":[0,0,-9.81]},"
    "\"obstacles\":[{\"name\":\"stone\",\"shape\":{\"type\":\"sphere\",\"radius\":0.03},\"position\":[0.1,0.1,0.05]}],"
    "\"options\":{\"dimension\":\"plane\",\"cell\":0.01},\"time\":{\"duration\":1}}";

/* The scene with `from` put as `to`: whether it is refused, or warned of, at `pointer`. */
static bool said(const char *from, const char *to, const char *pointer, bool warning)
{
  char text[4000];
  const char *at = strstr(base, from);
  assert_non_null(at);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - base), base, to, at + strlen(from));
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  bool ok = scr_scene_parse(text, strlen(text), NULL, &scene, &problems) == SCR_OK, found = false;
  const scr_problems *list = warning && ok ? scene->warnings : &problems;
  for (size_t k = 0; k < list->count; k++) found = found || strcmp(list->items[k].pointer, pointer) == 0;
  if (!found) print_message("# %s -> %s: %s\n", from, to, list->count ? list->items[0].detail : "nothing said");
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
  return found && ok == warning;
}

static void test_the_scene_itself_is_sound(void **state)
{
  (void)state;
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  if (scr_scene_parse(base, strlen(base), NULL, &scene, &problems) != SCR_OK) fail_msg("%s", problems.items[0].detail);
  assert_int_equal(scene->warnings->count, 0);
  claim_relative("points", (double)scene->estimate.node_count, 900, 1e-12, "100 cells of 3 x 3");
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
}

static void test_wrong_scenes_are_refused_at_their_place(void **state)
{
  (void)state;
  static const char *const rows[][3] = {
      {"\"density\":2500", "\"density\":0", "/materials/0/density"},
      {"\"packing_fraction\":0.6", "\"packing_fraction\":0", "/materials/0/packing_fraction"},
      {"\"packing_fraction\":0.6", "\"packing_fraction\":1.1", "/materials/0/packing_fraction"},
      {"\"internal_friction\":0.4", "\"internal_friction\":-0.1", "/materials/0/internal_friction"},
      {"\"internal_friction\":0.4", "\"internal_friction\":1", "/materials/0/internal_friction"},
      {"\"internal_friction\":0.4,", "", "/materials/0/internal_friction"},
      {"\"friction_increment\":0", "\"friction_increment\":0.7,\"grain_diameter\":0.001", "/materials/0/internal_friction"},
      {"\"friction_increment\":0", "\"friction_increment\":0.2", "/materials/0/grain_diameter"},
      {"\"friction_increment\":0", "\"friction_increment\":0.2,\"grain_diameter\":0.001,\"inertial_constant\":0",
       "/materials/0/inertial_constant"},
      {"\"cohesion\":0", "\"cohesion\":-1", "/materials/0/cohesion"},
      {"\"points_per_cell\":3", "\"points_per_cell\":1", "/specimens/0/points_per_cell"},
      {"\"points_per_cell\":3", "\"pour_interval\":0.01,\"pour_count\":3", "/specimens/0/pour_interval"},
      {"\"velocity\":[0,0,-1]", "\"pour_interval\":1,\"pour_count\":3", "/specimens/0/velocity"},
      {"\"velocity\":[0,0,-1]", "\"velocity\":[0,1,0]", "/specimens/0/velocity"},
      {"\"position\":[0.1,0.1,0.2]", "\"position\":[0.16,0.1,0.2]", "/specimens/0/placement"},
      {"\"position\":[0.1,0.1,0.2]", "\"position\":[0.1,0.3,0.2]", "/specimens/0/shape"},
      {"\"cell\":0.01", "\"cell\":0", "/options/cell"},
      {"\"cell\":0.01", "\"cell\":0.0133", "/options/cell"},
      {"\"cell\":0.01", "\"cell\":1e-7", "/specimens"},
      {"\"dimension\":\"plane\",\"cell\":0.01", "\"cell\":1.25e-4,\"show_cells\":true", "/options/show_cells"}, /* 6e9 */
      {"\"cell\":0.01", "\"cell\":0.01,\"periodic_y\":true", "/options/periodic_y"},
      {"\"cell\":0.01", "\"cell\":0.01,\"outlet_minimum\":[0,0,0]", "/options/outlet_maximum"},
      {"\"gravity\":[0,0,-9.81]", "\"gravity\":[0,1,-9.81]", "/rig/gravity"},
      {"\"radius\":0.03}", "\"radius\":0.009}", "/obstacles/0/shape"},
      {"{\"type\":\"sphere\",\"radius\":0.03},\"position\":[0.1,0.1,0.05]",
       "{\"type\":\"box\",\"size\":[0.04,0.2,0.06]},\"position\":[0.1,0.1,0.05],\"rotation\":{\"axis\":[0,0,1],\"angle_deg\":20},"
       "\"free\":{\"density\":1000}",
       "/obstacles/0/shape"}, /* it would turn out of the plane */
      {"{\"type\":\"sphere\",\"radius\":0.03},\"position\":[0.1,0.1,0.05]",
       "{\"type\":\"cylinder\",\"radius\":0.03,\"length\":0.1},\"position\":[0.1,0.1,0.05],\"free\":{\"density\":1000}",
       "/obstacles/0/shape"}, /* a rod upright in the plane */
      {"\"position\":[0.1,0.1,0.05]", "\"position\":[0.1,0.1,0.05],\"free\":{\"density\":1000,\"velocity\":[0,1,0]}", "/obstacles/0/free"},
      {"\"position\":[0.1,0.1,0.05]",
       "\"position\":[0.1,0.1,0.05],\"direction\":[1,0,0],\"program\":[{\"type\":\"servo\",\"force\":1,\"gain\":1}]",
       "/obstacles/0/program/0/gain"},
      {"\"type\":\"box\",\"minimum\":[0,0,0],\"maximum\":[0.2,0.2,0.3]", "\"type\":\"none\"", "/options/domain_minimum"},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (!said(rows[k][0], rows[k][1], rows[k][2], false)) fail_msg("%s is not refused at %s", rows[k][1], rows[k][2]);
}

static void test_doubtful_scenes_are_warned_of(void **state)
{
  (void)state;
  static const char *const rows[][3] = {
      {"\"internal_friction\":0.4", "\"internal_friction\":0.95", "/materials/0/internal_friction"},
      {"\"friction_increment\":0", "\"friction_increment\":0.2,\"grain_diameter\":0.02", "/materials/0/grain_diameter"},
      {"\"cell\":0.01", "\"cell\":0.01,\"domain_minimum\":[0,0,0],\"domain_maximum\":[1,1,1]", "/options/domain_minimum"},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (!said(rows[k][0], rows[k][1], rows[k][2], true)) fail_msg("%s is not warned of at %s", rows[k][1], rows[k][2]);
}

/* Two blocks in one place fill cells twice. */
static void test_specimens_must_not_overlap(void **state)
{
  (void)state;
  assert_true(said("\"specimens\":[",
                   "\"specimens\":[{\"name\":\"other\",\"material\":\"sand\",\"shape\":{\"type\":\"box\",\"size\":[0.05,0.1,0.05]},"
                   "\"placement\":{\"type\":\"single\",\"position\":[0.1,0.1,0.2]}},",
                   "/specimens", false));
}

SUITE(test_granular_refusals)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_scene_itself_is_sound),
      cmocka_unit_test(test_wrong_scenes_are_refused_at_their_place),
      cmocka_unit_test(test_doubtful_scenes_are_warned_of),
      cmocka_unit_test(test_specimens_must_not_overlap),
  };
  return cmocka_run_group_tests_name("granular refusals", tests, NULL, NULL);
}
