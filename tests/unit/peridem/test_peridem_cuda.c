/* Runs by the opener for NVIDIA's GPUs, on a driver and a compiler that are played on this processor: whole steps, contact, rig, damping,
 * breaking, checkpoints. Bytes are the host's; what is allocated is released. */
#include "methods/peridem/device/backend_device.h"
#include "methods/peridem/device/device_state.h"
#include "tests/support/played_cuda/played_cuda.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

static played_cuda played;

static int load_all(void **state)
{
  (void)state;
  return played_cuda_load(&played, "libcuda.so.1", "libnvrtc.so.13") ? 0 : -1;
}

/* A grain falls onto a plate and breaks. */
static sim_run open_on(const char *device, const char *options)
{
  char text[2048];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"crush\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e9,"
           "\"fracture_energy\":135}],\"contact\":{\"friction_coefficient\":0.5,\"damping_ratio\":0.5},\"specimens\":[{\"name\":\"g\","
           "\"material\":\"m\",\"spacing\":2e-4,\"velocity\":[0,0,-60],\"shape\":{\"type\":\"sphere\",\"radius\":6e-4}}],\"rig\":{"
           "\"type\":\"box\",\"minimum\":[-1e-3,-1e-3,-8.5e-4],\"maximum\":[1e-3,1e-3,1e-3],\"gravity\":[0,1,-9.81]},\"time\":{"
           "\"duration\":5e-5},\"run\":{\"device\":\"%s\"},\"options\":{\"self_contact\":true%s}}",
           device, options);
  return run_open(text, 1);
}

/* The played device is the one that CUDA opens, whatever else there is. @return its name */
static const char *cuda_name(void)
{
  static char name[sizeof((device_about *)0)->name];
  device_list list;
  device_find_all(&list);
  for (size_t k = 0; k < list.count; k++)
    if (strcmp(list.item[k].by, "CUDA") == 0 && strstr(list.item[k].title, "played")) memcpy(name, list.item[k].name, sizeof name);
  assert_true(name[0] != '\0');
  return name;
}

static uint64_t assert_alike(const char *options, size_t steps)
{
  sim_run host = open_on("cpu", options), device = open_on(cuda_name(), options);
  const pd_state *of = device.sim->state;
  assert_ptr_equal(of->backend, &pd_backend_device);
  assert_string_equal(device.sim->kernels[0].variant, "cuda");
  for (size_t k = 0; k < steps; k += steps / 4) {
    run_steps(&host, steps / 4);
    run_steps(&device, steps / 4);
    assert_same_state(host.sim, device.sim);
  }
  uint64_t broken = of->broken_bonds;
  run_close(&host);
  run_close(&device);
  return broken;
}

static void assert_clean(void)
{
  played_counts left = played.counts();
  assert_int_equal(left.contexts + left.modules + left.arrays, 0);
  assert_int_equal(left.overrun + left.left, 0);
}

static void test_a_grain_that_breaks_gives_the_hosts_bytes_by_cuda(void **state)
{
  (void)state;
  assert_true(assert_alike("", 400) > 100);
  assert_true(played.counts().launches > 2000);
  assert_true(assert_alike(",\"contact_surface\":\"nodes\",\"surface_correction\":\"none\",\"damping_rate\":1e4", 200) > 0);
  assert_clean();
}

static void test_checkpoints_move_between_host_and_cuda(void **state)
{
  (void)state;
  const char *const devices[2] = {"cpu", cuda_name()};
  sim_run whole = open_on("cpu", "");
  run_steps(&whole, 300);
  for (int k = 0; k < 2; k++) {
    sim_run before = open_on(devices[k], ""), after = open_on(devices[1 - k], "");
    scr_blob blob = {0};
    run_steps(&before, 250);
    assert_int_equal(sim_save(before.sim, &blob, NULL), SCR_OK);
    blob.cursor = 0;
    assert_int_equal(sim_load(after.sim, &blob, NULL), SCR_OK);
    run_steps(&after, 50);
    assert_same_state(after.sim, whole.sim);
    scr_blob_destroy(&blob);
    run_close(&before);
    run_close(&after);
  }
  run_close(&whole);
  assert_clean();
}

static void test_a_device_that_fails_ends_the_run_with_words(void **state)
{
  (void)state;
  sim_run device = open_on(cuda_name(), "");
  scr_error error = {0};
  run_steps(&device, 5);
  played.break_at("cuLaunchKernel", 3, 700);
  assert_int_equal(scr_sim_step(device.sim, &error), SCR_IO);
  assert_non_null(strstr(error.message, "starting a kernel failed with CUDA's error 700 (CUDA_ERROR_ILLEGAL_ADDRESS)"));
  run_close(&device);
  assert_clean();
}

SUITE(test_peridem_cuda)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_grain_that_breaks_gives_the_hosts_bytes_by_cuda),
      cmocka_unit_test(test_checkpoints_move_between_host_and_cuda),
      cmocka_unit_test(test_a_device_that_fails_ends_the_run_with_words),
  };
  return cmocka_run_group_tests_name("peridem_cuda", tests, load_all, NULL);
}
