/* bdem's bonds on a device: every byte of forces and of checkpoints is that of the host's AVX2 kernel. On pocl in CI; skipped where there
 * is no OpenCL. */
#include <jansson.h>

#include "base/memory.h"
#include "methods/bdem/device/bond_device.h"
#include "methods/bdem/device/kernels.h"
#include "tests/support/opencl_device.h"
#include "tests/support/bdem_run.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

static double uniform(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

static scr_vec3 random_vector(uint64_t *seed, double size)
{
  double x = uniform(seed), y = uniform(seed), z = uniform(seed);
  return vec3_scale(vec3(x, y, z), size);
}

/* A cubic lattice of unit spheres, joined to their nearest neighbours, shaken. */
static bdem_body lattice(uint32_t edge, double shift, double angle, uint64_t *seed)
{
  bdem_body body;
  const bdem_elasticity material = {.young_modulus = 2, .poisson_ratio = 0.3};
  uint32_t count = edge * edge * edge, bond = 0;
  assert_int_equal(bdem_body_create(count, (size_t)3 * edge * edge * (edge - 1), &body, NULL), SCR_OK);
  for (uint32_t k = 0; k < count; k++) {
    body.radius[k] = 0.5;
    body.mass[k] = 1;
    body.position[k] = vec3(k % edge, k / edge % edge, floor(k / (double)(edge * edge)));
  }
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t axis = 0, step = 1; axis < 3; axis++, step *= edge)
      if (k / step % edge + 1 < edge) assert_int_equal(bdem_body_bond(&body, bond++, k, k + step, &material, NULL), SCR_OK);
  for (uint32_t k = 0; k < count; k++) {
    body.position[k] = vec3_add(body.position[k], random_vector(seed, shift));
    body.orientation[k] = quat_normalise(quat_exp(random_vector(seed, angle)));
  }
  return body;
}

/* Forces by the host's kernel and by the device, from batches made alike; `cut`: some bonds are taken out first. */
static void assert_same_forces(bdem_body *body, const bdem_section *section, bool cut)
{
  size_t n = body->sphere_count;
  bdem_batches host, there;
  bdem_device *device;
  const bdem_section **sections = mem_array(body->bond_count, sizeof *sections);
  scr_vec3 *force = mem_array(4 * n, sizeof *force);
  uint32_t *strained = mem_array(2 * body->bond_count, sizeof *strained);
  for (size_t b = 0; b < body->bond_count; b++) sections[b] = section;
  assert_int_equal(bdem_batches_create(body, section ? sections : NULL, execution_of(2), &host, NULL), SCR_OK);
  assert_int_equal(bdem_batches_create(body, section ? sections : NULL, execution_of(2), &there, NULL), SCR_OK);
  host.kernel = batch_kernel_of(BATCH_AVX2);
  assert_int_equal(bdem_device_open(&there, opencl_device_name(), true, &device, NULL), SCR_OK);
  assert_non_null(device);
  for (size_t b = 0; b < body->bond_count && cut; b += 7) bdem_batches_cut(&host, b), bdem_batches_cut(&there, b);
  bdem_batches_forces(&host, body, force, force + n);
  bdem_batches_forces(&there, body, force + 2 * n, force + 3 * n);
  assert_int_equal(bdem_batches_failure(&there, NULL), SCR_OK);
  assert_memory_equal(force, force + 2 * n, 2 * n * sizeof *force);
  if (section) {
    size_t by_host = bdem_batches_strained(&host, strained), by_device = bdem_batches_strained(&there, strained + body->bond_count), k = 0;
    assert_true(by_host > 0 && by_device >= by_host && by_device < by_host + 10);
    for (size_t m = 0; m < by_device; m++) k += k < by_host && strained[body->bond_count + m] == strained[k];
    assert_int_equal(k, by_host);
  }
  bdem_device_close(device);
  bdem_batches_destroy(&host);
  bdem_batches_destroy(&there);
  mem_free(sections);
  mem_free(force);
  mem_free(strained);
}

/* 4,096 spheres are eight blocks, whose bonds reach into each other. */
static void test_forces_of_bonds_are_the_hosts_to_the_last_bit(void **state)
{
  (void)state;
  skip_without_opencl_device();
  uint64_t seed = 3;
  const bdem_section section = bdem_section_make(BDEM_CALIBRATION_PHYSICAL, 0.5, 0.06, 0.04);
  for (uint32_t edge = 2; edge <= 16; edge *= 2) {
    bdem_body body = lattice(edge, 0.02, 0.02, &seed);
    assert_same_forces(&body, NULL, false);
    assert_same_forces(&body, edge > 4 ? &section : NULL, true);
    bdem_body_destroy(&body);
  }
}

/* Bonds turned beyond the kernel's range, and quaternions of opposite sign, are the host's to compute. */
static void test_bonds_that_are_turned_far_have_the_hosts_bits_too(void **state)
{
  (void)state;
  skip_without_opencl_device();
  uint64_t seed = 5;
  bdem_body body = lattice(6, 0.1, 0.5, &seed);
  for (size_t k = 0; k < body.sphere_count; k += 5) body.orientation[k] = quat_scale(body.orientation[k], -1);
  assert_same_forces(&body, NULL, false);
  bdem_body_destroy(&body);
}

/* The control: without fused products the same kernels give other bits, so the comparisons can fail. All that could be contracted is fused
 * by hand, so contraction alone would change nothing. */
static void test_the_control_without_fused_products_differs_from_the_host(void **state)
{
  (void)state;
  skip_without_opencl_device();
  static const char apart[] = "#define fma(a, b, c) ((a) * (b) + (c))\n";
  uint64_t seed = 3;
  bdem_body body = lattice(8, 0.02, 0.02, &seed);
  size_t n = body.sphere_count, differ = 0;
  bdem_batches host, there;
  bdem_device *device;
  scr_vec3 *force = mem_array(4 * n, sizeof *force);
  size_t size = sizeof apart + strlen(bdem_kernel_source);
  char *source = malloc(size);
  assert_non_null(source);
  snprintf(source, size, "%s%s", apart, bdem_kernel_source);
  assert_int_equal(bdem_batches_create(&body, NULL, execution_of(1), &host, NULL), SCR_OK);
  assert_int_equal(bdem_batches_create(&body, NULL, execution_of(1), &there, NULL), SCR_OK);
  host.kernel = batch_kernel_of(BATCH_AVX2);
  assert_int_equal(bdem_device_open(&there, opencl_device_name(), true, &device, NULL), SCR_OK);
  assert_int_equal(bdem_device_build(device, source, NULL), SCR_OK);
  bdem_batches_forces(&host, &body, force, force + n);
  bdem_batches_forces(&there, &body, force + 2 * n, force + 3 * n);
  for (size_t k = 0; k < n; k++) differ += force[n + k].x != force[3 * n + k].x;
  assert_true(differ > n / 4);
  bdem_device_close(device);
  bdem_batches_destroy(&host);
  bdem_batches_destroy(&there);
  bdem_body_destroy(&body);
  mem_free(force);
  free(source);
}

/* ── runs ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A scene's run; on the processor by the AVX2 kernel, from the start. */
static bdem_run open_text(const char *text)
{
  bdem_run r = run_open(text, 2);
  bdem_state *s = run_state(&r);
  if (s->device) return r;
  s->batches.kernel = batch_kernel_of(BATCH_AVX2);
  bdem_force_pass(&s->model, &s->body, &s->contacts, &s->total, &s->rig);
  return r;
}

/* A ball falls onto a plate and shatters: bonds, breaking, debris, friction, gravity, dampers. */
static void write_ball(char *text, size_t capacity, const char *device, const char *options)
{
  snprintf(text, capacity,
           "{\"scree\":1,\"name\":\"ball\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e7,"
           "\"tensile_strength\":4e4,\"shear_strength\":4e4}],\"contact\":{\"friction_coefficient\":0.4,\"damping_ratio\":0.2},"
           "\"specimens\":[{\"name\":\"b\",\"material\":\"m\",\"spacing\":0.02,\"velocity\":[1,0,-8],\"shape\":{\"type\":\"sphere\","
           "\"radius\":0.1}}],\"rig\":{\"type\":\"box\",\"minimum\":[-0.5,-0.5,-0.105],\"maximum\":[0.5,0.5,0.5],\"gravity\":[0,0,-9.81]},"
           "\"time\":{\"duration\":0.1},\"run\":{\"device\":\"%s\"},\"options\":{\"constants_of\":\"bonds\"%s}}",
           device, options);
}

static bdem_run open_ball(const char *device, const char *options)
{
  char text[2048];
  write_ball(text, sizeof text, device, options);
  return open_text(text);
}

static void test_a_ball_that_shatters_gives_the_hosts_bytes(void **state)
{
  (void)state;
  skip_without_opencl_device();
  bdem_run host = open_ball("cpu", ""), device = open_ball(opencl_device_name(), "");
  assert_null(run_state(&host)->device);
  assert_non_null(run_state(&device)->device);
  for (int k = 0; k < 4; k++) {
    run_steps(&host, 60);
    run_steps(&device, 60);
    assert_same_state(host.sim, device.sim);
  }
  assert_true(run_state(&host)->fracture.broken_count > 50);
  run_close(&host);
  run_close(&device);
}

/* A checkpoint of the one, taken after bonds have broken, is gone on with by the other, both ways, with the bits of an unbroken run. */
static void test_checkpoints_move_between_host_and_device(void **state)
{
  (void)state;
  skip_without_opencl_device();
  const char *const devices[2] = {"cpu", opencl_device_name()};
  bdem_run whole = open_ball("cpu", "");
  run_steps(&whole, 240);
  for (int k = 0; k < 2; k++) {
    bdem_run before = open_ball(devices[k], ""), after = open_ball(devices[1 - k], "");
    scr_blob blob = {0};
    run_steps(&before, 200);
    assert_true(run_state(&before)->fracture.broken_count > 50);
    assert_int_equal(sim_save(before.sim, &blob, NULL), SCR_OK);
    blob.cursor = 0;
    assert_int_equal(sim_load(after.sim, &blob, NULL), SCR_OK);
    run_steps(&after, 40);
    assert_same_state(after.sim, whole.sim);
    scr_blob_destroy(&blob);
    run_close(&before);
    run_close(&after);
  }
  run_close(&whole);
}

/* What a step moves over the bus: the states of spheres there, the sums back, and a flag; four bytes a lane where bonds break. */
static void test_a_step_copies_states_and_sums_alone(void **state)
{
  (void)state;
  skip_without_opencl_device();
  bdem_run r = open_ball(opencl_device_name(), "");
  const bdem_state *s = run_state(&r);
  uint64_t before = bdem_device_copied(s->device);
  run_steps(&r, 10);
  assert_int_equal(s->fracture.broken_count, 0);
  assert_int_equal(bdem_device_copied(s->device) - before, 10 * (s->body.sphere_count * 13 * sizeof(double) + 4));
  run_close(&r);
}

/* A device that fails in a run: the processor has the forces of that step, and the run ends with what failed. */
static void test_a_device_that_fails_ends_the_run(void **state)
{
  (void)state;
  skip_without_opencl_device();
  bdem_run r = open_ball(opencl_device_name(), "");
  scr_error error = {0};
  run_steps(&r, 3);
  assert_int_not_equal(bdem_device_build(run_state(&r)->device, "KERNEL void none(", &error), SCR_OK);
  assert_int_not_equal(scr_sim_step(r.sim, &error), SCR_OK);
  assert_true(strlen(error.message) > 0 && run_state(&r)->step.finite);
  run_close(&r);
}

static void test_a_recording_says_whose_bits_a_devices_are(void **state)
{
  (void)state;
  skip_without_opencl_device();
  bdem_run r = open_ball(opencl_device_name(), "");
  assert_string_equal(r.sim->kernels[0].variant, "opencl");
  assert_string_equal(r.sim->kernels[0].same_bits_as, "avx2");
  run_close(&r);
}

/* ── a processor with AVX-512 ────────────────────────────────────────────────────────────────────────────────────── */

/* Its kernel's roots are estimates made exact to a unit in the last place: other bits than a device's, and hardly other numbers. */
static void test_the_avx512_kernel_differs_from_a_device_by_rounding_alone(void **state)
{
  (void)state;
  skip_without_opencl_device();
  if (!batch_kernel_of(BATCH_AVX512)) skip();
  uint64_t seed = 3;
  bdem_body body = lattice(8, 0.02, 0.02, &seed);
  size_t n = body.sphere_count, differ = 0;
  bdem_batches host, there;
  bdem_device *device;
  scr_vec3 *force = mem_array(4 * n, sizeof *force);
  double largest = 0, apart = 0;
  assert_int_equal(bdem_batches_create(&body, NULL, execution_of(1), &host, NULL), SCR_OK);
  assert_int_equal(bdem_batches_create(&body, NULL, execution_of(1), &there, NULL), SCR_OK);
  host.kernel = batch_kernel_of(BATCH_AVX512);
  assert_int_equal(bdem_device_open(&there, opencl_device_name(), true, &device, NULL), SCR_OK);
  bdem_batches_forces(&host, &body, force, force + n);
  bdem_batches_forces(&there, &body, force + 2 * n, force + 3 * n);
  for (size_t k = 0; k < n; k++) {
    double size = vec3_length(vec3_sub(force[k], force[2 * n + k]));
    differ += size > 0;
    apart = fmax(apart, size);
    largest = fmax(largest, vec3_length(force[k]));
  }
  assert_true(differ > n / 10);
  assert_true(apart < 1e-13 * largest); /* some roundings of the numbers, 1, whose differences the forces are */
  bdem_device_close(device);
  bdem_batches_destroy(&host);
  bdem_batches_destroy(&there);
  bdem_body_destroy(&body);
  mem_free(force);
}

static scr_run_answer stop_at_step(void *user, const scr_run_progress *progress)
{
  return progress->step >= *(const uint64_t *)user ? SCR_RUN_STOP : SCR_RUN_GO_ON;
}

/* A run of the ball in a folder, until a step. */
static scr_status run_ball(const char *folder, const char *device, uint64_t until, scr_error *error)
{
  char text[2048];
  scr_scene *scene;
  write_ball(text, sizeof text, device, "");
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &(scr_problems){0}), SCR_OK);
  scr_run_options options = {.directory = folder, .threads = 1, .progress = stop_at_step, .user = &until, .progress_seconds = 1e-9};
  scr_status status = scr_run(scene, &options, error);
  scr_scene_destroy(scene);
  return status;
}

/* So a run begun by it is not gone on with by a device, nor one of a device by it; by a processor whose best kernel is AVX2 it is. */
static void test_runs_move_between_a_device_and_a_processor_of_the_same_bits_alone(void **state)
{
  (void)state;
  skip_without_opencl_device();
  const char *const devices[2] = {"cpu", opencl_device_name()};
  bool same = batch_kernel_best() == batch_kernel_of(BATCH_AVX2);
  for (int k = 0; k < 2; k++) {
    char *folder = folder_create();
    scr_error error = {0};
    assert_int_equal(run_ball(folder, devices[k], 40, &error), SCR_STOPPED);
    scr_status status = run_ball(folder, devices[1 - k], 80, &error);
    assert_int_equal(status, same ? SCR_STOPPED : SCR_MISMATCH);
    if (!same) {
      char words[96];
      snprintf(words, sizeof words, "bond forces computed by '%s' and can't be continued by '%s', which may give other bits",
               k ? "opencl" : "avx512", k ? "avx512" : "opencl");
      assert_non_null(strstr(error.message, words));
    }
    assert_int_equal(run_ball(folder, devices[k], 80, &error), SCR_STOPPED); /* as it was begun it goes on */
    folder_remove(folder);
  }
}

/* ── the gallery ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A scene of the gallery, on a device or by the AVX2 kernel. */
static bdem_run open_gallery(const char *name, const char *device)
{
  char path[128];
  snprintf(path, sizeof path, "api/gallery/%s.json", name);
  json_t *scene = json_load_file(path, 0, NULL);
  assert_non_null(scene);
  json_object_set_new(scene, "run", json_pack("{s:s}", "device", device));
  char *text = json_dumps(scene, JSON_COMPACT);
  bdem_run r = open_text(text);
  free(text);
  json_decref(scene);
  return r;
}

/* Whole states after 60 steps of every scene that steps explicitly: grips, cloth and yarn, servos, faces, meshes. */
static void test_scenes_of_the_gallery_give_the_hosts_bytes(void **state)
{
  (void)state;
  skip_without_opencl_device();
  static const char *const names[] = {"chocolate-drop", "cloth-pull",  "cloth-tear",
                                      "free-ball",      "plate-drop",  "ring-drop",
                                      "servo-column",   "wedge-split", "woven-yarn-pullout-bonded"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    bdem_run host = open_gallery(names[k], "cpu"), device = open_gallery(names[k], opencl_device_name());
    assert_non_null(run_state(&device)->device);
    run_steps(&host, 60);
    run_steps(&device, 60);
    assert_same_state(host.sim, device.sim);
    run_close(&host);
    run_close(&device);
  }
}

static void test_implicit_steps_on_a_device_are_refused_and_auto_takes_the_processor(void **state)
{
  (void)state;
  static const char text[] = "{\"scree\":1,\"name\":\"b\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,"
                             "\"young_modulus\":1e7}],\"specimens\":[{\"name\":\"b\",\"material\":\"m\",\"spacing\":0.02,\"shape\":"
                             "{\"type\":\"sphere\",\"radius\":0.05}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":0.1},"
                             "\"run\":{\"device\":\"gpu:0\"},\"options\":{\"integrator\":\"implicit-euler\"}}";
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_BAD_SCENE);
  assert_string_equal(problems.items[0].pointer, "/run/device");
  scr_problems_clear(&problems);
  bdem_run r = open_ball("auto", ",\"integrator\":\"implicit-euler\"");
  assert_null(run_state(&r)->device);
  run_close(&r);
}

SUITE(test_bdem_device)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forces_of_bonds_are_the_hosts_to_the_last_bit),
      cmocka_unit_test(test_bonds_that_are_turned_far_have_the_hosts_bits_too),
      cmocka_unit_test(test_the_control_without_fused_products_differs_from_the_host),
      cmocka_unit_test(test_a_ball_that_shatters_gives_the_hosts_bytes),
      cmocka_unit_test(test_checkpoints_move_between_host_and_device),
      cmocka_unit_test(test_a_step_copies_states_and_sums_alone),
      cmocka_unit_test(test_a_device_that_fails_ends_the_run),
      cmocka_unit_test(test_a_recording_says_whose_bits_a_devices_are),
      cmocka_unit_test(test_the_avx512_kernel_differs_from_a_device_by_rounding_alone),
      cmocka_unit_test(test_runs_move_between_a_device_and_a_processor_of_the_same_bits_alone),
      cmocka_unit_test(test_scenes_of_the_gallery_give_the_hosts_bytes),
      cmocka_unit_test(test_implicit_steps_on_a_device_are_refused_and_auto_takes_the_processor),
  };
  return cmocka_run_group_tests_name("bdem_device", tests, NULL, NULL);
}
