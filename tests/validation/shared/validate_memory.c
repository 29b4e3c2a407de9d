/* The memory a scene is said to need before it runs, against what runs of the gallery's scenes take. */
#include <malloc.h>
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

/* Bytes that the check of a scene's text estimates. */
static double estimated_of(const char *text, size_t size)
{
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  assert_int_equal(scr_scene_parse(text, size, NULL, &scene, &problems), SCR_OK);
  double bytes = scr_scene_estimate(scene)->memory_bytes;
  scr_scene_destroy(scene);
  return bytes;
}

static double estimated(const char *name)
{
  char path[96];
  snprintf(path, sizeof path, "gallery/%s.json", name);
  const embedded_file *file = embedded_find(path);
  assert_non_null(file);
  return estimated_of((const char *)file->data, file->size);
}

/* Most memory that `scree run` of the scene on one thread ever had, bytes, its results written. */
static double measured(const char *scene, const char *folder)
{
  const char *build = getenv("SCREE_BUILD");
  char program[512], output[512];
  snprintf(program, sizeof program, "%s/scree", build ? build : "build");
  snprintf(output, sizeof output, "%s/run", folder);
  malloc_trim(0); /* what this process holds when it forks counts as the child's most, also after exec */
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
  char what[120], scene[96];
  snprintf(scene, sizeof scene, "gallery:%s", name);
  if (sanitized) skip(); /* a sanitizer's memory is its own */
  char *folder = folder_create();
  double peak = measured(scene, folder);
  folder_remove(folder);
  snprintf(what, sizeof what, "estimated over measured memory, %s of %.1f MB", name, peak / 1e6);
  claim_between(what, estimated(name) / peak, 1.0, most, "getrusage of the run");
}

/* A lattice of cubes of peridem that fall onto each other and the floor, `nodes` along an edge, `across` along each axis. */
typedef struct cubes {
  const char *name;
  int nodes, across;
  const char *material; /* more members of it */
  double gap;           /* spacings */
  double speed, duration, most;
} cubes;

static int cubes_text(const cubes *of, char *text, size_t size)
{
  const double h = 1e-3, a = of->nodes * h, pitch = a + of->gap * h, end = of->across * pitch + a;
  return snprintf(
      text, size,
      "{\"name\":\"cubes\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":2400,\"bulk_modulus\":2e10%s}],"
      "\"specimens\":[{\"name\":\"g\",\"material\":\"m\",\"spacing\":%g,\"velocity\":[0,0,%g],\"shape\":{\"type\":\"box\","
      "\"size\":[%g,%g,%g]},\"placement\":{\"type\":\"lattice\",\"origin\":[0,0,0],\"count\":[%d,%d,%d],\"pitch\":[%g,%g,%g]}}],"
      "\"rig\":{\"type\":\"box\",\"minimum\":[%g,%g,%g],\"maximum\":[%g,%g,%g]},\"time\":{\"duration\":%g}}",
      of->material, h, -of->speed, a, a, a, of->across, of->across, of->across, pitch, pitch, pitch, -a, -a, -0.5 * a - of->gap * h, end,
      end, end, of->duration);
}

static void check_cubes(const cubes *of)
{
  char text[1200], what[120];
  if (sanitized) skip();
  int length = cubes_text(of, text, sizeof text);
  char *folder = folder_create(), *scene = folder_path(folder, "scene.json");
  FILE *file = fopen(scene, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, (size_t)length, file), length);
  assert_int_equal(fclose(file), 0);
  double peak = measured(scene, folder);
  free(scene);
  folder_remove(folder);
  snprintf(what, sizeof what, "estimated over measured memory, %s of %.1f MB", of->name, peak / 1e6);
  claim_between(what, estimated_of(text, (size_t)length) / peak, 1.0, of->most, "getrusage of the run");
}

/* Bodies of a size at which arrays outweigh the program: one that can't break, whose bonds are put in order; small ones that lie on each
 * other by all their faces and share their bonds; some that shatter. How many pairs touch and which grains break are bounds. Cubes that may
 * break and don't have up to 7 times what they take: each would get rows of its own with its first broken bond. */
static void test_the_memory_of_bodies_whole_touching_and_shattered_is_bounded(void **state)
{
  (void)state;
  static const cubes all[] = {{"a cube that cannot break", 24, 1, "", 1, 1, 2e-6, 1.5},
                              {"cubes face to face", 6, 4, "", 0, 5, 2e-6, 1.5},
                              {"cubes that shatter", 8, 2, ",\"fracture_energy\":10", 1, 200, 3e-5, 1.5},
                              {"more cubes face to face", 6, 5, "", 0, 5, 5e-6, 1.5},
                              {"larger cubes face to face", 12, 2, "", 0, 5, 4e-6, 1.5},
                              {"larger cubes that shatter", 10, 2, ",\"fracture_energy\":10", 1, 200, 3e-5, 1.5}};
  size_t count = claim_slow_part("larger cubes") ? sizeof all / sizeof *all : 3;
  for (size_t i = 0; i < count; i++) check_cubes(&all[i]);
}

static void test_the_memory_of_scenes_that_break_and_bounce_is_bounded(void **state)
{
  (void)state;
  check("brick-drop", 1.3);
  if (claim_slow_part("plate-drop")) check("plate-drop", 1.3);
}

/* Rigid bodies: balls that flow, blocks that lean on each other, meshes. How many contacts there are is bounded by what packs have. */
static void test_the_memory_of_rigid_bodies_is_bounded(void **state)
{
  (void)state;
  check("hopper", 1.6);
  check("card-house", 1.4);
  if (claim_slow_part("bolt-pile")) check("bolt-pile", 1.4);
}

/* Finite elements: a small mesh that jumps, one that lies on its whole length (contacts), a ball with contacts all around and a second
 * factor, of the masses. How many nodes touch at once is bounded by those that face a wall within an element. */
static void test_the_memory_of_finite_elements_is_bounded(void **state)
{
  (void)state;
  check("jumper", 1.6);
  if (!claim_slow_part("ball-between-walls and beam-lift-off")) return;
  check("ball-between-walls", 1.5);
  check("beam-lift-off", 1.5);
}

/* beam-drape's spheres move by radii in a step, so the search lists many pairs: how many follows from the largest speed, which is only
 * bounded by a free fall from the whole height. The clamp and the beam's own springs keep it at about half of that. Enclosed spheres are
 * not counted. */
static void test_the_memory_of_a_beam_in_large_steps_is_bounded(void **state)
{
  (void)state;
  claim_slow(); /* half a minute */
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
      cmocka_unit_test(test_the_memory_of_bodies_whole_touching_and_shattered_is_bounded),
      cmocka_unit_test(test_the_memory_of_scenes_that_break_and_bounce_is_bounded),
      cmocka_unit_test(test_the_memory_of_a_beam_in_large_steps_is_bounded),
      cmocka_unit_test(test_the_memory_of_rigid_bodies_is_bounded),
      cmocka_unit_test(test_the_memory_of_finite_elements_is_bounded),
      cmocka_unit_test(test_the_memory_of_every_scene_of_the_gallery_is_bounded),
  };
  return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
