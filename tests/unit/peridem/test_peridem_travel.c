/* How much a step of the gallery's scenes copies to and from a device: doubles a node, whatever the device, in steps in which nodes touch
 * the rig and each other. The host runs up to there. On pocl in CI; skipped where there is no OpenCL. */
#include <jansson.h>

#include "methods/peridem/device/device_state.h"
#include "tests/support/opencl_device.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

/* A scene of the gallery on a device, or on the host. */
static sim_run open_scene(const char *name, const char *device)
{
  char path[128];
  snprintf(path, sizeof path, "api/gallery/%s.json", name);
  json_t *scene = json_load_file(path, 0, NULL);
  assert_non_null(scene);
  json_object_set_new(scene, "run", json_pack("{s:s}", "device", device));
  char *text = json_dumps(scene, JSON_COMPACT);
  sim_run r = run_open(text, 2);
  free(text);
  json_decref(scene);
  return r;
}

/* What steps of a scene copy, doubles a node and step: the mean over `steps`, from step `from` on. */
static double copied_by(const char *name, size_t from, size_t steps)
{
  sim_run host = open_scene(name, "cpu"), device = open_scene(name, opencl_device_name());
  const pd_state *s = device.sim->state;
  scr_blob blob = {0};
  size_t contacts = 0, met = 0;
  run_steps(&host, from);
  assert_int_equal(sim_save(host.sim, &blob, NULL), SCR_OK);
  blob.cursor = 0;
  assert_int_equal(sim_load(device.sim, &blob, NULL), SCR_OK);
  run_steps(&device, 2);
  uint64_t before = s->device->device->copied, broken = s->broken_bonds;
  run_steps(&device, steps);
  double copied = (double)(s->device->device->copied - before) / (double)(sizeof(double) * s->node_count * steps);
  for (size_t b = 0; b < s->host->block_count; b++) contacts += s->host->rig_blocks[b].count;
  for (size_t i = 0; i < s->host->limited_count; i++) met += s->host->met_count[i] > 0;
  print_message("# %s: %zu nodes, %zu touch the rig, %zu each other, %llu bonds broke: %.2f doubles a node and step\n", name, s->node_count,
                contacts, met, (unsigned long long)(s->broken_bonds - broken), copied);
  scr_blob_destroy(&blob);
  run_close(&host);
  run_close(&device);
  return copied;
}

/* A scene, steps before those that are counted, and what these copy at most; what they copied before, when marks of all nodes,
 * and the motion of all that touched, were copied, is behind. */
typedef struct travel {
  const char *scene;
  size_t from;
  double most;
} travel;

static void assert_travels(const travel *list, size_t count)
{
  for (size_t k = 0; k < count; k++) {
    double copied = copied_by(list[k].scene, list[k].from, 20);
    if (!(copied > 0 && copied < list[k].most)) fail_msg("%s copies %.2f", list[k].scene, copied);
  }
}

static void test_crushing_scenes_of_the_gallery_copy_little(void **state)
{
  (void)state;
  static const travel list[] = {{"hollow-sphere-crush", 1600, 5.3}, /* 5.00; 10.40 */
                                {"eight-jacks", 1500, 2.6},         /* 2.39; 4.94 */
                                {"sand-crush", 2000, 0.3},          /* 0.08; 1.37 */
                                {"brick-drop", 1200, 3.4}};         /* 3.10; 4.20 */
  skip_without_opencl_device();
  assert_travels(list, sizeof list / sizeof *list);
}

static void test_pressed_and_bent_scenes_of_the_gallery_copy_little(void **state)
{
  (void)state;
  static const travel list[] = {{"three-point-bend", 600, 0.6}, /* 0.50; 9.89 */
                                {"brazilian-disc", 600, 1.3},   /* 1.10; 10.74 */
                                {"cube-press", 600, 4.0},       /* 3.55; 6.78 */
                                {"stacked-cubes", 600, 7.5}};   /* 6.66; 11.52 */
  skip_without_opencl_device();
  assert_travels(list, sizeof list / sizeof *list);
}

SUITE(test_peridem_travel)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_crushing_scenes_of_the_gallery_copy_little),
      cmocka_unit_test(test_pressed_and_bent_scenes_of_the_gallery_copy_little),
  };
  return cmocka_run_group_tests_name("peridem_travel", tests, NULL, NULL);
}
