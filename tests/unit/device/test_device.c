/* Devices: their names and choice by openers made up here, and one through OpenCL where there is one (pocl in CI). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/library.h"
#include "tests/support/opencl_device.h"
#include "tests/support/suites.h"

/* ── names and choice ────────────────────────────────────────────────────────────────────────────────────────────── */

static void add(const device_opener *opener, device_list *list, const char *title, bool is_gpu, bool doubles, const char *reason)
{
  device_about *about = &list->item[list->count++];
  *about = (device_about){.opener = opener, .is_gpu = is_gpu, .doubles = doubles, .memory = 8000000000u, .largest = 2000000000u};
  snprintf(about->title, sizeof about->title, "%s", title);
  snprintf(about->reason, sizeof about->reason, "%s", reason);
}

static void list_many(const device_opener *opener, device_list *list)
{
  add(opener, list, "pocl on a processor", false, true, "");
  add(opener, list, "Small GPU", true, false, "");
  add(opener, list, "NVIDIA Large", true, true, "");
}

static void list_broken(const device_opener *opener, device_list *list)
{
  add(opener, list, "NVIDIA Large", true, true, "its driver (x) has no compiler");
}

static void list_nvidia(const device_opener *opener, device_list *list)
{
  add(opener, list, "NVIDIA Large", true, true, "");
}

static void list_none(const device_opener *opener, device_list *list)
{
  library_note(list, "no %s: nothing there", opener->name);
}

static const device_opener many = {.name = "Many", .list = list_many}, broken = {.name = "Broken", .list = list_broken},
                           nvidia = {.name = "Nvidia", .list = list_nvidia}, none = {.name = "None", .list = list_none};

static void find(device_list *list, const device_opener *first, const device_opener *second)
{
  const device_opener *const openers[] = {first, second};
  device_find_by(openers, 2, list);
}

static void test_gpus_are_numbered_apart_from_other_devices_and_twins_are_listed_once(void **state)
{
  (void)state;
  device_list list;
  find(&list, &many, &nvidia);
  assert_int_equal(list.count, 3);
  assert_string_equal(list.item[0].name, "opencl:0");
  assert_string_equal(list.item[1].name, "gpu:0");
  assert_string_equal(list.item[2].name, "gpu:1");
  assert_ptr_equal(list.item[2].opener, &many);
  assert_non_null(strstr(list.item[1].reason, "no numbers of 64 bits"));
  find(&list, &broken, &nvidia); /* one that the first opener can't use is the second's */
  assert_int_equal(list.count, 2);
  assert_ptr_equal(list.item[1].opener, &nvidia);
}

static void test_auto_takes_the_first_gpu_that_is_fit_and_never_a_processor(void **state)
{
  (void)state;
  device_list list;
  const device_about *chosen;
  find(&list, &many, &none);
  assert_int_equal(device_choose(&list, "auto", &chosen, NULL), SCR_OK);
  assert_string_equal(chosen->name, "gpu:1");
  assert_int_equal(device_choose(&list, "cpu", &chosen, NULL), SCR_OK);
  assert_null(chosen);
  assert_int_equal(device_choose(&list, "opencl:0", &chosen, NULL), SCR_OK);
  assert_string_equal(chosen->title, "pocl on a processor");
  list.count = 1; /* the processor alone */
  assert_int_equal(device_choose(&list, "auto", &chosen, NULL), SCR_OK);
  assert_null(chosen);
}

static void test_a_device_that_can_not_be_used_is_refused_with_what_there_is(void **state)
{
  (void)state;
  device_list list;
  const device_about *chosen;
  scr_error error = {0};
  find(&list, &broken, &none);
  assert_int_equal(device_choose(&list, "gpu:0", &chosen, &error), SCR_BAD_SCENE);
  assert_null(chosen);
  assert_string_equal(error.pointer, "/run/device");
  assert_non_null(strstr(error.message,
                         "run.device is 'gpu:0', which can't be used here; `scree devices` lists: gpu:0 (NVIDIA Large; can't be "
                         "used: its driver (x) has no compiler)"));
  assert_int_equal(device_choose(&list, "gpu:3", &chosen, &error), SCR_BAD_SCENE);
  find(&list, &none, &none);
  assert_int_equal(device_choose(&list, "gpu:0", &chosen, &error), SCR_BAD_SCENE);
  assert_non_null(strstr(error.message, "no None: nothing there"));
  find(&list, &many, &none);
  assert_string_equal(list.item[2].name, "gpu:1");
  assert_string_equal(list.item[2].by, "Many");
}

static void test_a_library_that_is_missing_or_too_old_is_said_in_words(void **state)
{
  (void)state;
  static const char *const missing[] = {"libscree-nowhere.so.1", NULL}, *const there[] = {"libm.so.6", NULL};
  const library_function absent = {"cosine_of_everything", 0}, present = {"cos", 0};
  double (*function)(double) = NULL;
  char reason[160] = "";
  assert_false(library_load(missing, &present, 1, &function, reason, sizeof reason));
  assert_non_null(strstr(reason, "libscree-nowhere.so.1"));
  assert_false(library_load(there, &absent, 1, &function, reason, sizeof reason));
  assert_string_equal(reason, "libm.so.6 has no cosine_of_everything: it is too old");
  assert_true(library_load(there, &present, 1, &function, reason, sizeof reason));
  assert_true(function(0) == 1);
}

/* The opener of NVIDIA's has never run on a GPU; here it has none to run on. */
static void test_cuda_without_its_driver_is_a_note(void **state)
{
  (void)state;
  device_list list;
  void *driver = NULL;
  char reason[160];
  static const char *const libraries[] = {"libcuda.so.1", NULL};
  const library_function first = {"cuInit", 0};
  if (library_load(libraries, &first, 1, &driver, reason, sizeof reason)) skip();
  find(&list, &device_opener_cuda, &none);
  assert_int_equal(list.count, 0);
  assert_non_null(strstr(list.note[0], "no CUDA: libcuda.so.1"));
  device_about about = {.opener = &device_opener_cuda, .name = "gpu:0"};
  scr_device *opened;
  scr_error error = {0};
  assert_int_equal(device_open(&about, &opened, &error), SCR_IO);
  assert_null(opened);
  assert_non_null(strstr(error.message, "no CUDA: libcuda.so.1"));
}

/* ── a real one ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static const char source[] = "KERNEL void operations(GLOBAL const double *a, GLOBAL const double *b, GLOBAL double *out, ulong_t n)\n"
                             "{\n"
                             "  size_t i = ITEM();\n"
                             "  if (i >= n) return;\n"
                             "  out[i] = a[i] / b[i];\n"
                             "  out[n + i] = sqrt(a[i]);\n"
                             "  out[2 * n + i] = fma(a[i], b[i], -a[i]);\n"
                             "  out[3 * n + i] = a[i] * b[i] - a[i];\n"
                             "  out[4 * n + i] = AS_DOUBLE(AS_BITS(a[i]) ^ 1);\n"
                             "}\n";

/* Quotients, roots, fused and separate products of 10,000 numbers between 2^-60 and 2^60 are those of the processor (IEEE 754), to the last
 * bit; with contraction allowed, the separate ones are not. */
static size_t differing(const char *before, size_t which)
{
  enum { N = 9999 }; /* no multiple of a group */
  scr_device *device = open_opencl_device();
  static double a[N], b[N], out[5 * N];
  uint64_t s = 7, n = N;
  for (size_t i = 0; i < 2 * N; i++) {
    s = s * 6364136223846793005u + 1442695040888963407u;
    uint64_t bits = (s >> 12) | (1023 - 60 + (s >> 5) % 120) << 52;
    memcpy(i < N ? &a[i] : &b[i - N], &bits, sizeof bits);
  }
  char text[sizeof source + 64];
  snprintf(text, sizeof text, "%s%s", before, source);
  static const char *const names[] = {"operations"};
  device_array arrays[3];
  assert_int_equal(device_build(device, text, names, 1, NULL), SCR_OK);
  for (int k = 0; k < 3; k++) assert_int_equal(device_allocate(device, &arrays[k], k < 2 ? sizeof a : sizeof out, NULL), SCR_OK);
  assert_int_equal(device_write(device, &arrays[0], 0, a, sizeof a, NULL), SCR_OK);
  assert_int_equal(device_write(device, &arrays[1], 0, b, sizeof b, NULL), SCR_OK);
  const device_argument arguments[] = {DEVICE_ARRAY(arrays[0]), DEVICE_ARRAY(arrays[1]), DEVICE_ARRAY(arrays[2]), DEVICE_VALUE(n)};
  assert_int_equal(device_launch(device, 0, N, arguments, 4, NULL), SCR_OK);
  assert_int_equal(device_wait(device, NULL), SCR_OK);
  assert_int_equal(device_read(device, &arrays[2], 0, out, sizeof out, NULL), SCR_OK);
  size_t count = 0;
  for (size_t i = 0; i < N; i++) {
    uint64_t bits;
    memcpy(&bits, &a[i], sizeof bits);
    bits ^= 1;
    double flipped, product = a[i] * b[i];
    memcpy(&flipped, &bits, sizeof bits);
    const double expected[5] = {a[i] / b[i], sqrt(a[i]), fma(a[i], b[i], -a[i]), product - a[i], flipped};
    count += memcmp(&expected[which], &out[which * N + i], sizeof(double)) != 0;
  }
  for (int k = 0; k < 3; k++) device_release(device, &arrays[k]);
  assert_int_equal(device->allocated, 0);
  device_close(device);
  return count;
}

static void test_operations_of_a_device_are_those_of_the_processor_to_the_last_bit(void **state)
{
  (void)state;
  skip_without_opencl_device();
  for (size_t which = 0; which < 5; which++) assert_int_equal(differing("", which), 0);
}

static void test_the_control_with_contraction_differs(void **state)
{
  (void)state;
  skip_without_opencl_device();
  assert_true(differing("#pragma OPENCL FP_CONTRACT ON\n", 3) > 1000);
}

/* However long the driver's words are: pocl's version for a processor with a long name is beyond the 63 bytes that are kept. */
static void test_a_device_is_listed_with_its_title_and_version(void **state)
{
  (void)state;
  skip_without_opencl_device();
  scr_device *device = open_opencl_device();
  assert_true(strlen(device->about.title) > 0);
  if (strcmp(device->about.by, "OpenCL") == 0) assert_int_equal(strncmp(device->about.version, "OpenCL ", 7), 0);
  device_close(device);
}

static void test_what_a_device_can_not_do_is_refused(void **state)
{
  (void)state;
  skip_without_opencl_device();
  scr_device *device = open_opencl_device();
  device_array array;
  scr_error error = {0};
  char bytes[8] = {0};
  static const char *const names[] = {"nothing"};
  assert_int_equal(device_allocate(device, &array, (size_t)1 << 62, &error), SCR_NO_MEMORY);
  assert_non_null(strstr(error.message, "use a larger spacing, or run.device cpu"));
  assert_int_equal(array.bytes, 0);
  device_release(device, &array);
  assert_int_equal(device_allocate(device, &array, 4, NULL), SCR_OK);
  assert_int_equal(device_write(device, &array, 0, bytes, 5, &error), SCR_BAD_USAGE);
  assert_int_equal(device_read(device, &array, 5, bytes, 0, &error), SCR_BAD_USAGE);
  assert_int_equal(device_write(device, &array, 2, bytes, 2, &error), SCR_OK);
  device_release(device, &array);
  assert_int_equal(device_build(device, "KERNEL void nothing(", names, 1, &error), SCR_IO);
  assert_non_null(strstr(error.message, "its compiler refused the kernels"));
  assert_int_equal(device_launch(device, 0, 1, NULL, 0, &error), SCR_BAD_USAGE);
  device_close(device);
}

SUITE(test_device)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gpus_are_numbered_apart_from_other_devices_and_twins_are_listed_once),
      cmocka_unit_test(test_auto_takes_the_first_gpu_that_is_fit_and_never_a_processor),
      cmocka_unit_test(test_a_device_that_can_not_be_used_is_refused_with_what_there_is),
      cmocka_unit_test(test_a_library_that_is_missing_or_too_old_is_said_in_words),
      cmocka_unit_test(test_cuda_without_its_driver_is_a_note),
      cmocka_unit_test(test_operations_of_a_device_are_those_of_the_processor_to_the_last_bit),
      cmocka_unit_test(test_the_control_with_contraction_differs),
      cmocka_unit_test(test_a_device_is_listed_with_its_title_and_version),
      cmocka_unit_test(test_what_a_device_can_not_do_is_refused),
  };
  return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
