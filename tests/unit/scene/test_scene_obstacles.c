/* Obstacles as scenes say them: the parts they become, how far points are from them, how they move, and what is refused. */
#include "tests/unit/scene/test_scene_fake.h"

#include "scene/part.h"
#include "tests/support/suites.h"

#define OBSTACLES                                                                                                                          \
  "\"obstacles\": [ "                                                                                                                      \
  "{ \"name\": \"floor\", \"shape\": { \"type\": \"plane\" }, \"position\": [0, 0, -2], "                                                  \
  "\"rotation\": { \"axis\": [0, 1, 0], \"angle_deg\": 30 } }, "                                                                           \
  "{ \"name\": \"ram\", \"shape\": { \"type\": \"box\", \"size\": [2, 1, 0.5] }, \"position\": [0, 0, 3], "                                \
  "\"rotation\": { \"axis\": [0, 0, 2], \"angle_deg\": 90 }, \"direction\": [0, 0, -5], "                                                  \
  "\"program\": [ { \"type\": \"constant\", \"velocity\": 4 } ] }, "                                                                       \
  "{ \"name\": \"ball\", \"shape\": { \"type\": \"sphere\", \"radius\": 0.5 }, \"position\": [4, 0, 0] }, "                                \
  "{ \"name\": \"rod\", \"shape\": { \"type\": \"cylinder\", \"radius\": 0.25, \"length\": 2 }, \"position\": [0, 5, 0], "                 \
  "\"rotation\": { \"axis\": [1, 0, 0], \"angle_deg\": 90 } } ], "

static char *with_obstacles(const char *before)
{
  char both[1600];
  snprintf(both, sizeof both, "%s%s\"time\":", before, OBSTACLES);
  return edited(small_scene, "\"time\":", both);
}

static void assert_near(double value, double expected)
{
  if (!(fabs(value - expected) <= 1e-12)) fail_msg("%.17g is not %.17g", value, expected);
}

static void assert_distance(const scr_part *part, scr_vec3 point, double distance, scr_vec3 normal)
{
  scr_part_distance from = scr_part_distance_at(part, part->start, point);
  assert_near(from.distance, distance);
  assert_near(from.normal.x, normal.x);
  assert_near(from.normal.y, normal.y);
  assert_near(from.normal.z, normal.z);
}

static void test_obstacles_are_parts_after_those_of_the_rig(void **state)
{
  (void)state;
  char *text = with_obstacles("\"rig\": { \"type\": \"platens\", \"opening\": 2.2 }, ");
  scr_scene *scene = parsed(text);
  scr_part parts[SCR_PART_LIMIT];
  static const char *const names[] = {"platen.bottom", "platen.top", "obstacle.floor", "obstacle.ram", "obstacle.ball", "obstacle.rod"};
  assert_int_equal(scr_rig_parts(&scene->rig, parts), 6);
  for (size_t p = 0; p < 6; p++) assert_string_equal(parts[p].name, names[p]);
  assert_string_equal(parts[3].program_pointer, "/obstacles/1/program");
  assert_string_equal(parts[3].pointer, "/obstacles/1");
  assert_near(scr_part_position(&parts[3], 0.25).z, 3 - 4 * 0.25); /* along its direction, whose length does not matter */
  assert_near(scr_part_velocity(&parts[3], 0.25).z, -4);
  assert_near(scr_part_velocity(&parts[4], 0.25).z, 0);
  scr_scene_destroy(scene);
  free(text);
}

/* By hand: the floor's normal is z turned by 30 degrees about y, (1/2, 0, sqrt(3)/2); the ram's x and y edges change places; the rod
 * lies along y. */
static void test_distances_are_those_of_the_turned_shapes(void **state)
{
  (void)state;
  char *text = with_obstacles("");
  scr_scene *scene = parsed(text);
  scr_part parts[SCR_PART_LIMIT];
  const double h = sqrt(0.75);
  assert_int_equal(scr_rig_parts(&scene->rig, parts), 4);
  assert_distance(&parts[0], vec3(0, 7, 0), 2 * h, vec3(0.5, 0, h));
  assert_distance(&parts[1], vec3(0.9, 0.9, 3.1), 0.4, vec3(1, 0, 0));
  assert_distance(&parts[1], vec3(0.1, 1.5, 3), 0.5, vec3(0, 1, 0));
  assert_distance(&parts[1], vec3(0, 0, 3.2), -0.05, vec3(0, 0, 1));
  assert_distance(&parts[2], vec3(4, 0, 2), 1.5, vec3(0, 0, 1));
  assert_distance(&parts[3], vec3(1, 5.5, 0), 0.75, vec3(1, 0, 0));
  assert_distance(&parts[3], vec3(0.1, 6.5, 0), 0.5, vec3(0, 1, 0));
  scr_scene_destroy(scene);
  free(text);
}

/* What is told with little work must never leave out a point that is near. Points on a grid through and around the obstacles. */
static void test_far_is_never_near(void **state)
{
  (void)state;
  char *text = with_obstacles("");
  scr_scene *scene = parsed(text);
  scr_part parts[SCR_PART_LIMIT];
  size_t count = scr_rig_parts(&scene->rig, parts), far = 0;
  for (size_t p = 0; p < count; p++)
    for (int k = 0; k < 21 * 21 * 21; k++) {
      scr_vec3 point = vec3_add(parts[p].start, vec3(0.2 * (k % 21 - 10), 0.2 * (k / 21 % 21 - 10), 0.2 * (k / 441 - 10)));
      if (!scr_part_is_far(&parts[p], parts[p].start, point, 0.3)) continue;
      far++;
      assert_true(scr_part_distance_at(&parts[p], parts[p].start, point).distance > 0.3);
    }
  assert_true(far > 15000); /* the box, the ball and the rod are small against the grid */
  scr_scene_destroy(scene);
  free(text);
}

static void test_a_moving_obstacle_is_plotted_along_its_way(void **state)
{
  (void)state;
  char *text = with_obstacles("");
  scr_scene *scene = parsed(text);
  assert_int_equal(scene->output.plot_count, 1);
  assert_string_equal(scene->output.plots[0].x, "obstacle.ram.displacement");
  assert_string_equal(scene->output.plots[0].y, "obstacle.ram.force_z");
  assert_near(scene->output.plots[0].scale, 1); /* it goes down, so the specimen's force is upward */
  scr_scene_destroy(scene);
  free(text);
}

static void test_effective_obstacles_read_back_as_themselves(void **state)
{
  (void)state;
  char *text = with_obstacles("");
  scr_scene *scene = parsed(text);
  char *effective = scr_scene_json(scene);
  scr_scene *again = parsed(effective);
  char *twice = scr_scene_json(again);
  assert_string_equal(effective, twice);
  assert_non_null(strstr(effective, "\"obstacles\""));
  free(twice);
  free(effective);
  scr_scene_destroy(again);
  scr_scene_destroy(scene);
  free(text);
}

/* `free` is written only where it was given, with what was given; it makes the part free. */
static void test_a_free_obstacle_reads_back_as_itself(void **state)
{
  (void)state;
  char *text = with_obstacles(""), *at = strstr(text, "\"name\": \"ball\""), *with = NULL;
  assert_non_null(at);
  assert_true(asprintf(&with, "%.*s\"free\": {\"density\": 3, \"velocity\": [0, 0, 7]}, %s", (int)(at - text), text, at) > 0);
  scr_scene *scene = parsed(with);
  assert_true(scene->rig.obstacles[2].is_free && !scene->rig.obstacles[1].is_free);
  assert_true(scene->rig.obstacles[2].free.density == 3 && scene->rig.obstacles[2].free.velocity.z == 7);
  char *effective = scr_scene_json(scene);
  const char *first = strstr(effective, "\"free\"");
  assert_non_null(first);
  assert_null(strstr(first + 1, "\"free\""));
  scr_scene *again = parsed(effective);
  char *twice = scr_scene_json(again);
  assert_string_equal(effective, twice);
  free(twice);
  free(effective);
  scr_scene_destroy(again);
  scr_scene_destroy(scene);
  free(with);
  free(text);
}

static void test_obstacles_that_make_no_sense_are_refused(void **state)
{
  (void)state;
  char *text = with_obstacles("");
  assert_refused(text, "\"name\": \"rod\"", "\"name\": \"ball\"", "/obstacles/3/name", "taken by /obstacles/2");
  assert_refused(text, "[0, 0, -5]", "[0, 0, 0]", "/obstacles/1/direction", "no direction");
  assert_refused(text, "[0, 0, 2]", "[0, 0, 0]", "/obstacles/1/rotation/axis", "no direction");
  assert_refused(text, "\"radius\": 0.5", "\"radius\": 0", "/obstacles/2/shape/radius", "a number > 0");
  assert_refused(text, "\"plane\"", "\"torus\"", "/obstacles/0/shape/type", "there is no such type");
  assert_refused(text, "\"constant\", \"velocity\": 4", "\"move\", \"velocity\": 0, \"displacement\": 1", "/obstacles/1/program/0/velocity",
                 "never end");
  assert_refused(text, "\"name\": \"floor\"", "\"name\": \"a-name-of-thirty-two-characters-\"", "/obstacles/0/name", "1 to 31");
  free(text);
}

SUITE(test_scene_obstacles)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_obstacles_are_parts_after_those_of_the_rig),
      cmocka_unit_test(test_distances_are_those_of_the_turned_shapes),
      cmocka_unit_test(test_far_is_never_near),
      cmocka_unit_test(test_a_moving_obstacle_is_plotted_along_its_way),
      cmocka_unit_test(test_effective_obstacles_read_back_as_themselves),
      cmocka_unit_test(test_a_free_obstacle_reads_back_as_itself),
      cmocka_unit_test(test_obstacles_that_make_no_sense_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
