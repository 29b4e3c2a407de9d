/* The opener for NVIDIA's GPUs on a driver and a compiler that are played (tests/support/played_cuda): order of calls, sizes, arguments,
 * contexts, codes of errors, what is left behind; and the bits that --fmad=false keeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/library.h"
#include "tests/support/played_cuda/played_cuda.h"
#include "tests/support/suites.h"

static played_cuda played;

static void find(device_list *list)
{
  const device_opener *const openers[] = {&device_opener_cuda};
  device_find_by(openers, 1, list);
}

static scr_device *open_number(size_t number)
{
  device_list list;
  scr_device *device;
  scr_error error = {0};
  find(&list);
  assert_true(number < list.count);
  if (device_open(&list.item[number], &device, &error) != SCR_OK) fail_msg("%s", error.message);
  return device;
}

/* ── what a process of its own looks at: each begins with no library ─────────────────────────────────────────────── */

/* @return what the process ended with: 0, or the number of what was not so */
static int in_process(int (*body)(void))
{
  int status;
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(body());
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int list_with_an_old_driver(void)
{
  device_list list;
  played_cuda old;
  if (!played_cuda_load(&old, "libcuda-old.so.1", "libnvrtc.so.13")) return 1;
  find(&list);
  if (list.count != 0 || list.note_count != 1) return 2;
  return strcmp(list.note[0], "no CUDA: libcuda.so.1 has no cuCtxCreate_v2: it is too old") == 0 ? 0 : 3;
}

static int list_without_a_gpu(void)
{
  device_list list;
  played_cuda here;
  if (!played_cuda_load(&here, "libcuda.so.1", "libnvrtc.so.13")) return 1;
  here.have(0, 90);
  find(&list);
  if (list.count != 0 || list.note_count != 1) return 2;
  return strstr(list.note[0], "the driver is there, but has no GPU (error 100)") ? 0 : 3;
}

/* Where a machine has an NVRTC, it is found. */
static int list_without_a_compiler(void)
{
  device_list list;
  played_cuda here;
  if (!played_cuda_load(&here, "libcuda.so.1", NULL)) return 1;
  find(&list);
  if (list.count != 1) return 2;
  return !list.item[0].reason[0] || strstr(list.item[0].reason, "kernels can't be compiled for it: no NVRTC:") ? 0 : 3;
}

static void test_drivers_that_can_not_be_used_are_said_in_words(void **state)
{
  (void)state;
  assert_int_equal(in_process(list_with_an_old_driver), 0);
  assert_int_equal(in_process(list_without_a_gpu), 0);
  assert_int_equal(in_process(list_without_a_compiler), 0);
}

/* ── the played driver ───────────────────────────────────────────────────────────────────────────────────────────── */

static int load_all(void **state)
{
  (void)state;
  return played_cuda_load(&played, "libcuda.so.1", "libnvrtc.so.13") ? 0 : -1;
}

/* Between cases nothing may be alive, nor written past its end, nor be left to a context's end. */
static int look_clean(void **state)
{
  (void)state;
  played_counts left = played.counts();
  played.break_at(NULL, 0, 0);
  played.have(1, 90);
  played.compile_for(90);
  return left.contexts || left.modules || left.arrays || left.overrun || left.left ? -1 : 0;
}

static void test_devices_are_listed_as_the_driver_has_them(void **state)
{
  (void)state;
  device_list list;
  played.have(2, 90);
  find(&list);
  assert_int_equal(list.count, 2);
  for (size_t k = 0; k < 2; k++) {
    char name[16], title[32];
    snprintf(name, sizeof name, "gpu:%zu", k);
    snprintf(title, sizeof title, "NVIDIA played %zu", k);
    assert_string_equal(list.item[k].name, name);
    assert_string_equal(list.item[k].title, title);
    assert_string_equal(list.item[k].version, "CUDA 12.4");
    assert_string_equal(list.item[k].by, "CUDA");
    assert_string_equal(list.item[k].reason, "");
    assert_true(list.item[k].is_gpu && list.item[k].doubles && list.item[k].memory == (size_t)1 << 30);
  }
  played.break_at("cuDeviceTotalMem_v2", 2, 999);
  find(&list);
  assert_string_equal(list.item[0].reason, "");
  assert_string_equal(list.item[1].reason, "its driver does not say what it is");
}

static const char source[] =
    "KERNEL void mixed(GLOBAL const double *a, int flag, GLOBAL double *out, double factor, unsigned int word, ulong_t n)"
    "{"
    "  size_t i = ITEM();"
    "  if (i >= n) return;"
    "  out[i] = a[i] * factor - a[i];"
    "  out[n + i] = fma(a[i], factor, -a[i]);"
    "  out[2 * n + i] = AS_DOUBLE(AS_BITS(a[i]) ^ 1) + flag + word;"
    "}"
    "KERNEL void none(ulong_t n) { }";
static const char *const names[] = {"none", "mixed"};

enum { N = 1000 }; /* no multiple of a group */

/* Results are the processor's: an argument of the wrong size or order, or a product that is fused, changes them. */
static void assert_runs(scr_device *device)
{
  static double a[N], out[3 * N], half[N];
  device_array in = {0}, result = {0};
  uint64_t n = N;
  int flag = -7;
  unsigned word = 4000000000u;
  double factor = 1 + 1.0 / 3072;
  for (size_t i = 0; i < N; i++) a[i] = 1 + (double)i / 7;
  assert_int_equal(device_build(device, source, names, 2, NULL), SCR_OK);
  assert_int_equal(device_allocate(device, &in, sizeof a, NULL), SCR_OK);
  assert_int_equal(device_allocate(device, &result, sizeof out, NULL), SCR_OK);
  assert_int_equal(device_write(device, &in, 0, a, sizeof a / 2, NULL), SCR_OK);
  assert_int_equal(device_write(device, &in, sizeof a / 2, a + N / 2, sizeof a / 2, NULL), SCR_OK);
  const device_argument arguments[] = {DEVICE_ARRAY(in),     DEVICE_VALUE(flag), DEVICE_ARRAY(result),
                                       DEVICE_VALUE(factor), DEVICE_VALUE(word), DEVICE_VALUE(n)};
  assert_int_equal(device_launch(device, 1, N, arguments, 6, NULL), SCR_OK);
  assert_int_equal(device_wait(device, NULL), SCR_OK);
  assert_int_equal(device_read(device, &result, 0, out, sizeof out, NULL), SCR_OK);
  assert_int_equal(device_read(device, &result, N * sizeof(double), half, sizeof half, NULL), SCR_OK);
  assert_memory_equal(half, out + N, sizeof half);
  size_t fused = 0;
  for (size_t i = 0; i < N; i++) {
    uint64_t bits;
    double flipped, product = a[i] * factor;
    memcpy(&bits, &a[i], sizeof bits);
    bits ^= 1;
    memcpy(&flipped, &bits, sizeof bits);
    assert_true(out[i] == product - a[i]);
    assert_true(out[N + i] == fma(a[i], factor, -a[i]));
    assert_true(out[2 * N + i] == flipped + flag + word);
    fused += out[i] != out[N + i];
  }
  assert_true(fused > N / 10); /* the two differ, so fusing would be seen */
  device_release(device, &in);
  device_release(device, &result);
  assert_int_equal(device->allocated, 0);
}

static void test_kernels_get_their_arguments_and_fuse_nothing(void **state)
{
  (void)state;
  scr_device *device = open_number(0);
  played_counts before = played.counts();
  assert_runs(device);
  assert_int_equal(played.counts().launches - before.launches, 1);
  assert_int_equal(played.counts().copies - before.copies, 4);
  assert_runs(device); /* other kernels in the place of those before */
  assert_int_equal(played.counts().modules, 1);
  assert_string_equal(played.architecture(), "compute_90");
  device_close(device);
}

static void test_calls_come_in_the_order_that_the_api_asks_for(void **state)
{
  (void)state;
  device_list list;
  scr_device *device;
  device_array array;
  double value = 1;
  find(&list);
  played.forget();
  assert_int_equal(device_open(&list.item[0], &device, NULL), SCR_OK);
  assert_string_equal(played.log(), "cuInit cuDeviceGet cuCtxCreate_v2 ");
  assert_int_equal(device_build(device, source, names, 2, NULL), SCR_OK);
  played.forget();
  assert_int_equal(device_allocate(device, &array, sizeof value, NULL), SCR_OK);
  assert_int_equal(device_write(device, &array, 0, &value, sizeof value, NULL), SCR_OK);
  assert_int_equal(device_wait(device, NULL), SCR_OK);
  device_release(device, &array);
  assert_string_equal(played.log(), "cuCtxSetCurrent cuMemAlloc_v2 cuCtxSetCurrent cuMemcpyHtoD_v2 cuCtxSetCurrent cuCtxSynchronize "
                                    "cuCtxSetCurrent cuMemFree_v2 ");
  played.forget();
  device_close(device);
  assert_string_equal(played.log(), "cuCtxSetCurrent cuModuleUnload cuCtxDestroy_v2 ");
}

/* Two at once: each call is made in its own device's context, and so are those that close it. */
static void test_two_devices_do_not_take_each_others_context(void **state)
{
  (void)state;
  played.have(2, 90);
  scr_device *one = open_number(0), *two = open_number(1);
  device_array first, second;
  double value = 3, back = 0;
  assert_runs(one);
  assert_runs(two);
  assert_int_equal(device_allocate(one, &first, sizeof value, NULL), SCR_OK);
  assert_int_equal(device_allocate(two, &second, sizeof value, NULL), SCR_OK);
  assert_int_equal(device_write(one, &first, 0, &value, sizeof value, NULL), SCR_OK);
  assert_int_equal(device_write(two, &second, 0, &value, sizeof value, NULL), SCR_OK);
  assert_int_equal(device_read(one, &first, 0, &back, sizeof back, NULL), SCR_OK);
  assert_true(back == 3);
  device_release(one, &first);
  device_release(two, &second);
  played.forget();
  device_close(one); /* while the other's context is current */
  assert_non_null(strstr(played.log(), "cuModuleUnload"));
  assert_int_equal(played.counts().modules, 1);
  assert_runs(two);
  device_close(two);
}

/* A call of the driver that fails once, and what follows: a status, words with the code, and nothing left behind. */
static void assert_fails(const char *call, size_t nth, int code, scr_status wanted, const char *words)
{
  device_list list;
  scr_device *device = NULL;
  device_array array = {0};
  scr_error error = {0};
  double value = 1;
  uint64_t n = 1;
  const device_argument argument[] = {DEVICE_VALUE(n)};
  find(&list);
  played.break_at(call, nth, code);
  scr_status status = device_open(&list.item[0], &device, &error);
  if (status == SCR_OK) status = device_build(device, source, names, 2, &error);
  if (status == SCR_OK) status = device_allocate(device, &array, sizeof value, &error);
  if (status == SCR_OK) status = device_write(device, &array, 0, &value, sizeof value, &error);
  if (status == SCR_OK) status = device_launch(device, 0, 1, argument, 1, &error);
  if (status == SCR_OK) status = device_wait(device, &error);
  if (status == SCR_OK) status = device_read(device, &array, 0, &value, sizeof value, &error);
  if (status != wanted || !strstr(error.message, words)) fail_msg("%s: status %d, '%s'", call, (int)status, error.message);
  if (device) device_release(device, &array);
  device_close(device);
  assert_int_equal(played.counts().contexts, 0);
  assert_int_equal(played.counts().arrays, 0);
}

static void test_every_call_that_fails_ends_with_words(void **state)
{
  (void)state;
  assert_fails("cuInit", 1, 999, SCR_IO, "opening it failed with CUDA's error 999 (no name of it is known)");
  assert_fails("cuDeviceGet", 1, 101, SCR_IO, "opening it failed with CUDA's error 101");
  assert_fails("cuCtxCreate_v2", 1, 2, SCR_NO_MEMORY, "error 2 (CUDA_ERROR_OUT_OF_MEMORY), for want of memory: use a larger spacing");
  assert_fails("cuDeviceGetAttribute", 1, 1, SCR_IO, "asking for its architecture failed");
  assert_fails("cuDeviceGetAttribute", 2, 1, SCR_IO, "asking for its architecture failed");
  assert_fails("cuModuleLoadData", 1, 222, SCR_IO, "the driver is older than NVRTC");
  assert_fails("cuModuleGetFunction", 2, 500, SCR_IO, "loading the kernels failed with CUDA's error 500 (CUDA_ERROR_NOT_FOUND)");
  assert_fails("cuMemAlloc_v2", 1, 2, SCR_NO_MEMORY, "an array failed with CUDA's error 2");
  assert_fails("cuMemcpyHtoD_v2", 1, 700, SCR_IO, "copying to it failed with CUDA's error 700 (CUDA_ERROR_ILLEGAL_ADDRESS)");
  assert_fails("cuLaunchKernel", 1, 701, SCR_IO, "starting a kernel failed with CUDA's error 701");
  assert_fails("cuCtxSynchronize", 1, 700, SCR_IO, "a kernel failed with CUDA's error 700");
  assert_fails("cuMemcpyDtoH_v2", 1, 700, SCR_IO, "copying from it failed");
}

static void test_what_the_compiler_refuses_is_said(void **state)
{
  (void)state;
  scr_device *device = open_number(0);
  scr_error error = {0};
  assert_int_equal(device_build(device, "KERNEL void wrong(ulong_t n) { no such word; }", names, 1, &error), SCR_IO);
  assert_non_null(strstr(error.message, "NVRTC refused the kernels with error 6: "));
  assert_non_null(strstr(error.message, "no"));
  assert_int_equal(device_build(device, "KERNEL void mixed(ulong_t n) { }", names, 2, &error), SCR_IO);
  assert_non_null(strstr(error.message, "CUDA_ERROR_NOT_FOUND")); /* a kernel that is not in the source */
  played.break_compiler(1);
  assert_int_equal(device_build(device, source, names, 2, &error), SCR_NO_MEMORY);
  assert_int_equal(device_launch(device, 0, 1, NULL, 0, &error), SCR_BAD_USAGE);
  assert_runs(device);
  device_close(device);
}

/* A GPU newer than NVRTC gets PTX of the newest architecture that NVRTC has; one that is older than all has none. */
static void test_a_gpu_newer_than_the_compiler_gets_what_there_is(void **state)
{
  (void)state;
  scr_error error = {0};
  played.have(1, 120);
  played.compile_for(89);
  scr_device *device = open_number(0);
  assert_runs(device);
  assert_string_equal(played.architecture(), "compute_80");
  device_close(device);
  played.have(1, 35);
  device = open_number(0);
  assert_int_equal(device_build(device, source, names, 2, &error), SCR_IO);
  assert_non_null(strstr(error.message, "error 5: nvrtc: error: invalid value for --gpu-architecture"));
  device_close(device);
}

static void test_arrays_of_more_than_a_device_has_are_refused_before_the_driver(void **state)
{
  (void)state;
  scr_device *device = open_number(0);
  device_array array;
  scr_error error = {0};
  played.forget();
  assert_int_equal(device_allocate(device, &array, ((size_t)1 << 30) + 1, &error), SCR_NO_MEMORY);
  assert_string_equal(played.log(), "");
  device_close(device);
}

#define WITH_PLAYED(test) cmocka_unit_test_setup_teardown(test, load_all, look_clean)

SUITE(test_cuda)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_drivers_that_can_not_be_used_are_said_in_words), /* the first: while nothing is loaded */
      WITH_PLAYED(test_devices_are_listed_as_the_driver_has_them),
      WITH_PLAYED(test_kernels_get_their_arguments_and_fuse_nothing),
      WITH_PLAYED(test_calls_come_in_the_order_that_the_api_asks_for),
      WITH_PLAYED(test_two_devices_do_not_take_each_others_context),
      WITH_PLAYED(test_every_call_that_fails_ends_with_words),
      WITH_PLAYED(test_what_the_compiler_refuses_is_said),
      WITH_PLAYED(test_a_gpu_newer_than_the_compiler_gets_what_there_is),
      WITH_PLAYED(test_arrays_of_more_than_a_device_has_are_refused_before_the_driver),
  };
  return cmocka_run_group_tests_name("cuda", tests, NULL, NULL);
}
