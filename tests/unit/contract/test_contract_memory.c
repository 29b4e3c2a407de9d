/* What every method of the table promises when memory runs out, on its scenes of tests/data/contract: whichever allocation of create, of
 * the first steps, of saving or of loading fails, the call ends with SCR_NO_MEMORY and a sentence, everything is given back, and what goes
 * on without (a cache) changes no bit. Another method needs a scene there, and nothing here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/sim.h"
#include "tests/support/contract_scene.h"
#include "tests/support/failing_memory.h"
#include "tests/support/suites.h"

/* Runs that are let fail: each one allocation later than the one before, or evenly among all where there are more. */
enum { STEPS = 2, RUNS = 200, SLOW_RUNS = 500 };

/* create, STEPS steps, save, and load into another simulation.
 *  @param bytes receives what was saved; its data is 0 unless the run came so far */
static scr_status live(const scr_scene *scene, scr_blob *bytes, scr_error *error)
{
  scr_sim *sim = NULL, *other = NULL;
  *bytes = (scr_blob){0};
  scr_status status = scr_sim_create(scene, 1, &sim, error);
  for (int k = 0; status == SCR_OK && k < STEPS; k++) status = scr_sim_step(sim, error);
  if (status == SCR_OK) status = sim_save(sim, bytes, error);
  if (status == SCR_OK) status = scr_sim_create(scene, 1, &other, error);
  if (status == SCR_OK) status = sim_load(other, bytes, error);
  scr_sim_destroy(sim);
  scr_sim_destroy(other);
  return status;
}

/* A run that is granted `allowed` allocations. @return allocations it asked for, granted or not, if it was granted all */
static size_t live_with(const contract_scene *about, const scr_scene *scene, size_t allowed, const scr_blob *expected)
{
  scr_blob bytes;
  scr_error error = {0};
  failing_memory_begin(allowed);
  scr_status status = live(scene, &bytes, &error);
  size_t used = allowed - failing_memory_left();
  bool same = bytes.size == expected->size && (bytes.size == 0 || memcmp(bytes.data, expected->data, bytes.size) == 0);
  scr_blob_destroy(&bytes);
  long left = failing_memory_end();
  if (status != SCR_OK && status != SCR_NO_MEMORY)
    fail_msg("%s with %zu allocations ends with status %d: %s", about->name, allowed, (int)status, error.message);
  if (status == SCR_NO_MEMORY && error.message[0] == '\0') fail_msg("%s with %zu allocations ends without a reason", about->name, allowed);
  if (left != 0) fail_msg("%s with %zu allocations leaves %ld behind: %s", about->name, allowed, left, error.message);
  if (status == SCR_OK && expected->size > 0 && !same)
    fail_msg("%s with %zu allocations goes on, and saves other bytes", about->name, allowed);
  return used;
}

static void check_memory(const contract_scene *about, const scr_scene *scene)
{
  scr_blob expected;
  scr_error error = {0};
  if (live(scene, &expected, &error) != SCR_OK) fail_msg("%s: %s", about->name, error.message); /* and libraries have made what they keep */
  size_t count = live_with(about, scene, SIZE_MAX / 2, &expected), refused = 0, most = getenv("SCREE_SLOW") ? SLOW_RUNS : RUNS;
  for (size_t runs = count < most ? count : most; refused < runs; refused++) live_with(about, scene, refused * count / runs, &expected);
  print_message("# %s: %zu allocations, of which %zu were refused\n", about->name, count, refused);
  assert_true(refused > 20);
  scr_blob_destroy(&expected);
}

static void test_running_out_of_memory_ends_cleanly(void **state)
{
  (void)state;
  if (!failing_memory_works()) skip();
  contract_scenes scenes = contract_scenes_read();
  for (size_t k = 0; k < scenes.count; k++) {
    scr_scene *scene = contract_scene_open(&scenes.list[k]);
    check_memory(&scenes.list[k], scene);
    scr_scene_destroy(scene);
  }
  contract_scenes_clear(&scenes);
}

SUITE(test_contract_memory)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_running_out_of_memory_ends_cleanly),
  };
  return cmocka_run_group_tests_name("contract_memory", tests, NULL, NULL);
}
