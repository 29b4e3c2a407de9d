/* OpenCL 1.2, of any maker, by the loader libOpenCL.so.1. Types and numbers are those of the standard (Khronos, The OpenCL
 * Specification 1.2, and its header cl.h); no header is needed to build. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "device/library.h"

enum {
  PLATFORM_NAME = 0x0902,
  TYPE = 0x1000,
  MAX_ALLOCATION = 0x1010,
  MEMORY = 0x101F,
  AVAILABLE = 0x1027,
  COMPILER_AVAILABLE = 0x1028,
  NAME = 0x102B,
  VERSION = 0x102F,
  DOUBLE_CONFIG = 0x1032,
  BUILD_LOG = 0x1183,
  READ_WRITE = 1,
  OUT_OF_HOST_MEMORY = -6,
  ALLOCATION_FAILURE = -4,
  OUT_OF_RESOURCES = -5,
  WAIT = 1,
  PLATFORMS = 8
};
#define TYPE_ALL 0xFFFFFFFFu
#define TYPE_GPU 4u
#define DOUBLE_NEEDS (1u | 4u | 32u) /* denormals, rounding to nearest, fma */

typedef struct cl_calls {
  int (*platforms)(uint32_t, void **, uint32_t *);
  int (*platform_info)(void *, uint32_t, size_t, void *, size_t *);
  int (*devices)(void *, uint64_t, uint32_t, void **, uint32_t *);
  int (*device_info)(void *, uint32_t, size_t, void *, size_t *);
  void *(*context)(const intptr_t *, uint32_t, void *const *, void (*)(const char *, const void *, size_t, void *), void *, int *);
  void *(*queue)(void *, void *, uint64_t, int *);
  void *(*program)(void *, uint32_t, const char *const *, const size_t *, int *);
  int (*build)(void *, uint32_t, void *const *, const char *, void (*)(void *, void *), void *);
  int (*build_info)(void *, void *, uint32_t, size_t, void *, size_t *);
  void *(*kernel)(void *, const char *, int *);
  int (*argument)(void *, uint32_t, size_t, const void *);
  void *(*buffer)(void *, uint64_t, size_t, void *, int *);
  int (*write)(void *, void *, uint32_t, size_t, size_t, const void *, uint32_t, void *const *, void *);
  int (*read)(void *, void *, uint32_t, size_t, size_t, void *, uint32_t, void *const *, void *);
  int (*run)(void *, void *, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t, void *const *, void *);
  int (*finish)(void *);
  int (*release_buffer)(void *), (*release_kernel)(void *), (*release_program)(void *), (*release_queue)(void *),
      (*release_context)(void *);
} cl_calls;

#define CALL(symbol, member)                                                                                                               \
  {                                                                                                                                        \
    symbol, offsetof(cl_calls, member)                                                                                                     \
  }
static const library_function functions[] = {CALL("clGetPlatformIDs", platforms),
                                             CALL("clGetPlatformInfo", platform_info),
                                             CALL("clGetDeviceIDs", devices),
                                             CALL("clGetDeviceInfo", device_info),
                                             CALL("clCreateContext", context),
                                             CALL("clCreateCommandQueue", queue),
                                             CALL("clCreateProgramWithSource", program),
                                             CALL("clBuildProgram", build),
                                             CALL("clGetProgramBuildInfo", build_info),
                                             CALL("clCreateKernel", kernel),
                                             CALL("clSetKernelArg", argument),
                                             CALL("clCreateBuffer", buffer),
                                             CALL("clEnqueueWriteBuffer", write),
                                             CALL("clEnqueueReadBuffer", read),
                                             CALL("clEnqueueNDRangeKernel", run),
                                             CALL("clFinish", finish),
                                             CALL("clReleaseMemObject", release_buffer),
                                             CALL("clReleaseKernel", release_kernel),
                                             CALL("clReleaseProgram", release_program),
                                             CALL("clReleaseCommandQueue", release_queue),
                                             CALL("clReleaseContext", release_context)};
static const char *const libraries[] = {"libOpenCL.so.1", "libOpenCL.so", NULL};

static const char prelude[] = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                              "#pragma OPENCL FP_CONTRACT OFF\n"
                              "typedef ulong ulong_t;\n"
                              "#define KERNEL __kernel\n"
                              "#define GLOBAL __global\n"
                              "#define FUNCTION static inline\n"
                              "#define ITEM() get_global_id(0)\n"
                              "#define AS_DOUBLE(bits) as_double(bits)\n"
                              "#define AS_BITS(number) as_ulong(number)\n";

typedef struct opencl {
  cl_calls cl;
  void *id, *context, *queue, *program, *kernel[DEVICE_KERNELS];
  size_t kernel_count;
} opencl;

static bool load(cl_calls *cl, char *reason, size_t capacity)
{
  return library_load(libraries, functions, sizeof functions / sizeof *functions, cl, reason, capacity);
}

static scr_status fail(const scr_device *device, int code, const char *what, scr_error *error)
{
  bool memory = code == ALLOCATION_FAILURE || code == OUT_OF_RESOURCES || code == OUT_OF_HOST_MEMORY;
  return scr_fail(error, memory ? SCR_NO_MEMORY : SCR_IO, NULL, "%s, %s: %s failed with OpenCL's error %d%s", device->about.name,
                  device->about.title, what, code,
                  memory ? ", for want of memory: use a larger spacing, or run.device cpu"
                         : "; look at the driver's log, or use run.device cpu");
}

/* ── what there is ───────────────────────────────────────────────────────────────────────────────────────────────── */

/* Device number `wanted` over all platforms, and the number of its platform; NULL past the last. */
static void *find(const cl_calls *cl, size_t wanted, void **platform)
{
  void *platforms[PLATFORMS], *ids[DEVICE_LIMIT];
  uint32_t platform_count = 0, count;
  if (cl->platforms(PLATFORMS, platforms, &platform_count)) return NULL;
  for (uint32_t p = 0; p < platform_count && p < PLATFORMS; p++, wanted -= count) {
    count = 0;
    if (cl->devices(platforms[p], TYPE_ALL, DEVICE_LIMIT, ids, &count)) count = 0;
    count = count < DEVICE_LIMIT ? count : DEVICE_LIMIT;
    *platform = platforms[p];
    if (wanted < count) return ids[wanted];
  }
  return NULL;
}

/* A text about a device, cut to the room that there is: asked for with less room than it takes, OpenCL gives none of it. */
static void take_text(const cl_calls *cl, void *id, uint32_t what, char *text, size_t capacity)
{
  char whole[1024] = "";
  cl->device_info(id, what, sizeof whole - 1, whole, NULL);
  snprintf(text, capacity, "%.*s", (int)capacity - 1, whole);
}

static void describe(const cl_calls *cl, void *platform, void *id, device_about *about)
{
  uint64_t type = 0, config = 0;
  uint32_t available = 0, compiler = 0;
  char name[48] = "?";
  cl->platform_info(platform, PLATFORM_NAME, sizeof name - 1, name, NULL);
  take_text(cl, id, NAME, about->title, sizeof about->title);
  take_text(cl, id, VERSION, about->version, sizeof about->version);
  cl->device_info(id, TYPE, sizeof type, &type, NULL);
  cl->device_info(id, MEMORY, sizeof about->memory, &about->memory, NULL);
  cl->device_info(id, MAX_ALLOCATION, sizeof about->largest, &about->largest, NULL);
  cl->device_info(id, DOUBLE_CONFIG, sizeof config, &config, NULL);
  cl->device_info(id, AVAILABLE, sizeof available, &available, NULL);
  cl->device_info(id, COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL);
  about->is_gpu = type & TYPE_GPU;
  about->doubles = (config & DOUBLE_NEEDS) == DOUBLE_NEEDS;
  if (!available) snprintf(about->reason, sizeof about->reason, "its driver (%s) says that it isn't available", name);
  if (available && !compiler) snprintf(about->reason, sizeof about->reason, "its driver (%s) has no compiler", name);
}

static void list_devices(const device_opener *opener, device_list *list)
{
  cl_calls cl;
  void *platform, *id;
  char reason[160];
  size_t before = list->count;
  if (!load(&cl, reason, sizeof reason)) {
    library_note(list, "no OpenCL: %s", reason);
    return;
  }
  for (size_t n = 0; list->count < DEVICE_LIMIT && (id = find(&cl, n, &platform)) != NULL; n++) {
    device_about *about = &list->item[list->count++];
    *about = (device_about){.opener = opener, .number = n};
    describe(&cl, platform, id, about);
  }
  if (list->count == before) library_note(list, "no OpenCL: its loader is there, but no driver of a device");
}

/* ── one device ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status open_device(scr_device *device, scr_error *error)
{
  char reason[160];
  void *platform;
  int code = 0;
  opencl *own;
  SCR_TRY(mem_allocate(&device->own, 1, sizeof *own, "a device", error));
  own = device->own;
  if (!load(&own->cl, reason, sizeof reason)) return scr_fail(error, SCR_IO, NULL, "no OpenCL: %s", reason);
  own->id = find(&own->cl, device->about.number, &platform);
  if (!own->id) return scr_fail(error, SCR_IO, "/run/device", "%s is there no longer", device->about.name);
  own->context = own->cl.context(NULL, 1, &own->id, NULL, NULL, &code);
  if (code) return fail(device, code, "opening it", error);
  own->queue = own->cl.queue(own->context, own->id, 0, &code);
  return code ? fail(device, code, "making a queue", error) : SCR_OK;
}

static void release_program(opencl *own)
{
  for (size_t k = 0; k < own->kernel_count; k++) own->cl.release_kernel(own->kernel[k]);
  if (own->program) own->cl.release_program(own->program);
  own->kernel_count = 0;
  own->program = NULL;
}

static scr_status build(scr_device *device, const char *source, const char *const *names, size_t count, scr_error *error)
{
  opencl *own = device->own;
  const char *const parts[] = {prelude, source};
  int code = 0;
  release_program(own);
  own->program = own->cl.program(own->context, 2, parts, NULL, &code);
  if (code) return fail(device, code, "reading the kernels", error);
  code = own->cl.build(own->program, 1, &own->id, "-cl-std=CL1.2", NULL, NULL);
  if (code) {
    char log[400] = "";
    own->cl.build_info(own->program, own->id, BUILD_LOG, sizeof log - 1, log, NULL);
    return scr_fail(error, SCR_IO, NULL, "%s, %s: its compiler refused the kernels with error %d: %.360s", device->about.name,
                    device->about.title, code, log);
  }
  for (size_t k = 0; k < count; k++) {
    own->kernel[k] = own->cl.kernel(own->program, names[k], &code);
    if (code) return fail(device, code, names[k], error);
    own->kernel_count++;
  }
  return SCR_OK;
}

static void *memory_of(const device_array *array)
{
  return (void *)(uintptr_t)array->handle;
}

static scr_status allocate(scr_device *device, device_array *array, scr_error *error)
{
  opencl *own = device->own;
  int code = 0;
  array->handle = (uintptr_t)own->cl.buffer(own->context, READ_WRITE, array->bytes, NULL, &code);
  return code ? fail(device, code, "an array", error) : SCR_OK;
}

static void release(scr_device *device, device_array *array)
{
  opencl *own = device->own;
  own->cl.release_buffer(memory_of(array));
}

static scr_status write_bytes(scr_device *device, const device_array *to, size_t offset, const void *from, size_t bytes, scr_error *error)
{
  opencl *own = device->own;
  int code = own->cl.write(own->queue, memory_of(to), WAIT, offset, bytes, from, 0, NULL, NULL);
  return code ? fail(device, code, "copying to it", error) : SCR_OK;
}

static scr_status read_bytes(scr_device *device, const device_array *from, size_t offset, void *to, size_t bytes, scr_error *error)
{
  opencl *own = device->own;
  int code = own->cl.read(own->queue, memory_of(from), WAIT, offset, bytes, to, 0, NULL, NULL);
  return code ? fail(device, code, "copying from it", error) : SCR_OK;
}

static scr_status launch(scr_device *device, size_t kernel, size_t items, const device_argument *arguments, size_t count, scr_error *error)
{
  opencl *own = device->own;
  size_t local = DEVICE_ITEMS, global = (items + DEVICE_ITEMS - 1) / DEVICE_ITEMS * DEVICE_ITEMS;
  int code = 0;
  for (size_t k = 0; k < count && !code; k++) code = own->cl.argument(own->kernel[kernel], (uint32_t)k, arguments[k].size, arguments[k].at);
  if (!code) code = own->cl.run(own->queue, own->kernel[kernel], 1, NULL, &global, &local, 0, NULL, NULL);
  return code ? fail(device, code, "starting a kernel", error) : SCR_OK;
}

static scr_status wait_for_all(scr_device *device, scr_error *error)
{
  opencl *own = device->own;
  int code = own->cl.finish(own->queue);
  return code ? fail(device, code, "a kernel", error) : SCR_OK;
}

static void close_device(scr_device *device)
{
  opencl *own = device->own;
  if (!own) return;
  release_program(own);
  if (own->queue) own->cl.release_queue(own->queue);
  if (own->context) own->cl.release_context(own->context);
  mem_free(own);
}

const device_opener device_opener_opencl = {.name = "OpenCL",
                                            .kernel = "opencl",
                                            .list = list_devices,
                                            .open = open_device,
                                            .build = build,
                                            .allocate = allocate,
                                            .release = release,
                                            .write = write_bytes,
                                            .read = read_bytes,
                                            .launch = launch,
                                            .wait = wait_for_all,
                                            .close = close_device};
