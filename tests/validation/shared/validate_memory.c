/* The memory a scene is said to need before it runs, against what runs of the gallery's scenes take. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scree.h"
#include "server/embedded.h"
#include "tests/support/claim.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

#ifdef __SANITIZE_ADDRESS__
enum { sanitized = 1 };
#else
enum { sanitized = 0 };
#endif

/* Bytes that the scene's check estimates. */
static double estimated(const char *name)
{
  char path[96];
  snprintf(path, sizeof path, "gallery/%s.json", name);
  const embedded_file *file = embedded_find(path);
  assert_non_null(file);
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  assert_int_equal(scr_scene_parse((const char *)file->data, file->size, NULL, &scene, &problems), SCR_OK);
  double bytes = scr_scene_estimate(scene)->memory_bytes;
  scr_scene_destroy(scene);
  return bytes;
}

/* Most memory that `scree run` of the scene on one thread ever had, bytes, its results written. */
static double measured(const char *name, const char *folder)
{
  const char *build = getenv("SCREE_BUILD");
  char program[512], scene[96], output[512];
  snprintf(program, sizeof program, "%s/scree", build ? build : "build");
  snprintf(scene, sizeof scene, "gallery:%s", name);
  snprintf(output, sizeof output, "%s/%s", folder, name);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    if (!freopen("/dev/null", "w", stdout)) _exit(127);
    execl(program, program, "run", scene, "-q", "--threads", "1", "-o", output, (char *)NULL);
    _exit(127);
  }
  int status;
  struct rusage used;
  assert_int_equal(wait4(child, &status, 0, &used), child);
  if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 8))
    fail_msg("%s run %s ended with %d", program, scene, status);
  return 1024.0 * (double)used.ru_maxrss;
}

/* An estimate must be an upper bound, or jobs that are admitted by it fill the machine; and not much above, or the machine stands idle. */
static void check(const char *name, double most)
{
  char what[120];
  if (sanitized) skip(); /* a sanitizer's memory is its own */
  char *folder = folder_create();
  double peak = measured(name, folder);
  folder_remove(folder);
  snprintf(what, sizeof what, "estimated over measured memory, %s of %.1f MB", name, peak / 1e6);
  claim_between(what, estimated(name) / peak, 1.0, most, "getrusage of the run");
}

static void test_the_memory_of_scenes_that_break_and_bounce_is_bounded(void **state)
{
  (void)state;
  check("plate-drop", 1.3);
  check("brick-drop", 1.3);
}

/* Rigid bodies: balls that flow, blocks that lean on each other, meshes. How many contacts there are is bounded by what packs have. */
static void test_the_memory_of_rigid_bodies_is_bounded(void **state)
{
  (void)state;
  check("hopper", 1.6);
  check("card-house", 1.4);
  check("bolt-pile", 1.4);
}

/* Finite elements: a small mesh that jumps, one that lies on its whole length (contacts), a ball with contacts all around and a second
 * factor, of the masses. How many nodes touch at once is bounded by those that face a wall within an element. */
static void test_the_memory_of_finite_elements_is_bounded(void **state)
{
  (void)state;
  check("jumper", 1.6);
  check("beam-lift-off", 1.5);
  check("ball-between-walls", 1.5);
}

/* beam-drape's spheres move by radii in a step, so the search lists many pairs: how many follows from the largest speed, which is only
 * bounded by a free fall from the whole height. The clamp and the beam's own springs keep it at about half of that. Enclosed spheres are
 * not counted. */
static void test_the_memory_of_a_beam_in_large_steps_is_bounded(void **state)
{
  (void)state;
  check("beam-drape", 1.7);
}

/* Rows of tables, neighbour rows, multigrid, surfaces: all that the estimate adds up has its scene here. */
static void test_the_memory_of_every_scene_of_the_gallery_is_bounded(void **state)
{
  (void)state;
  static const char *const names[] = {
      "beam-stretch", "beam-twist",         "brazilian-disc",          "chocolate-drop",        "cloth-pull", "cloth-tear",
      "eight-grains", "notched-beam",       "three-point-bend",        "three-point-bend-low",  "ring-drop",  "hollow-sphere-crush",
      "wedge-split",  "two-hollow-spheres", "three-point-bend-middle", "three-point-bend-high", "free-ball",  "servo-column"};
  claim_slow(); /* several minutes */
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) check(names[i], 1.3);
}

SUITE(validate_memory)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_memory_of_scenes_that_break_and_bounce_is_bounded),
      cmocka_unit_test(test_the_memory_of_a_beam_in_large_steps_is_bounded),
      cmocka_unit_test(test_the_memory_of_rigid_bodies_is_bounded),
      cmocka_unit_test(test_the_memory_of_finite_elements_is_bounded),
      cmocka_unit_test(test_the_memory_of_every_scene_of_the_gallery_is_bounded),
  };
  return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
