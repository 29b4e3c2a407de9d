/* NVIDIA's GPUs by the CUDA driver (libcuda.so.1) and its run-time compiler NVRTC, without contraction (--fmad=false). Types and numbers
 * are those of NVIDIA's CUDA Driver API and NVRTC documents; no header is needed to build. Never run on a GPU: none was at hand. Tests run
 * it on a driver and a compiler that are played on the processor (tests/support/played_cuda). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "device/library.h"

enum {
  MAJOR = 75, /* attributes of a device */
  MINOR = 76,
  OUT_OF_MEMORY = 2, /* codes of the driver */
  INVALID_VALUE = 1,
  UNSUPPORTED_PTX = 222,
  NVRTC_OUT_OF_MEMORY = 1, /* codes of NVRTC */
  NVRTC_INVALID_OPTION = 5,
  GROUPS = 0x7fffffff /* of a launch */
};

typedef struct cuda_calls {
  int (*initialise)(unsigned), (*driver_version)(int *), (*error_name)(int, const char **);
  int (*count)(int *), (*get)(int *, int), (*name)(char *, int, int), (*memory)(size_t *, int), (*attribute)(int *, int, int);
  int (*create)(void **, unsigned, int), (*destroy)(void *), (*make_current)(void *);
  int (*load)(void **, const void *), (*unload)(void *), (*function)(void **, void *, const char *);
  int (*allocate)(uint64_t *, size_t), (*release)(uint64_t), (*write)(uint64_t, const void *, size_t), (*read)(void *, uint64_t, size_t);
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
  int (*wait)(void);
} cuda_calls;

typedef struct nvrtc_calls {
  int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *);
  int (*compile)(void *, int, const char *const *), (*destroy)(void **);
  int (*log_size)(void *, size_t *), (*log)(void *, char *), (*ptx_size)(void *, size_t *), (*ptx)(void *, char *);
} nvrtc_calls;

#define CALL(symbol, member)                                                                                                               \
  {                                                                                                                                        \
    symbol, offsetof(cuda_calls, member)                                                                                                   \
  }
static const library_function driver_functions[] = {CALL("cuInit", initialise),
                                                    CALL("cuDriverGetVersion", driver_version),
                                                    CALL("cuGetErrorName", error_name),
                                                    CALL("cuDeviceGetCount", count),
                                                    CALL("cuDeviceGet", get),
                                                    CALL("cuDeviceGetName", name),
                                                    CALL("cuDeviceTotalMem_v2", memory),
                                                    CALL("cuDeviceGetAttribute", attribute),
                                                    CALL("cuCtxCreate_v2", create),
                                                    CALL("cuCtxDestroy_v2", destroy),
                                                    CALL("cuCtxSetCurrent", make_current),
                                                    CALL("cuModuleLoadData", load),
                                                    CALL("cuModuleUnload", unload),
                                                    CALL("cuModuleGetFunction", function),
                                                    CALL("cuMemAlloc_v2", allocate),
                                                    CALL("cuMemFree_v2", release),
                                                    CALL("cuMemcpyHtoD_v2", write),
                                                    CALL("cuMemcpyDtoH_v2", read),
                                                    CALL("cuLaunchKernel", launch),
                                                    CALL("cuCtxSynchronize", wait)};
#undef CALL
#define CALL(symbol, member)                                                                                                               \
  {                                                                                                                                        \
    symbol, offsetof(nvrtc_calls, member)                                                                                                  \
  }
static const library_function compiler_functions[] = {CALL("nvrtcCreateProgram", create),
                                                      CALL("nvrtcCompileProgram", compile),
                                                      CALL("nvrtcDestroyProgram", destroy),
                                                      CALL("nvrtcGetProgramLogSize", log_size),
                                                      CALL("nvrtcGetProgramLog", log),
                                                      CALL("nvrtcGetPTXSize", ptx_size),
                                                      CALL("nvrtcGetPTX", ptx)};
static const char *const drivers[] = {"libcuda.so.1", NULL};
static const char *const compilers[] = {
    "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so", NULL};

static const char prelude[] = "typedef unsigned long long ulong_t;\n"
                              "#define KERNEL extern \"C\" __global__\n"
                              "#define GLOBAL\n"
                              "#define FUNCTION static __device__ inline\n"
                              "#define ITEM() ((size_t)blockIdx.x * blockDim.x + threadIdx.x)\n"
                              "#define AS_DOUBLE(bits) __longlong_as_double((long long)(bits))\n"
                              "#define AS_BITS(number) ((ulong_t)__double_as_longlong(number))\n";

typedef struct cuda {
  cuda_calls cu;
  int id;
  void *context, *module, *function[DEVICE_KERNELS];
} cuda;

static bool load_driver(cuda_calls *cu, char *reason, size_t capacity)
{
  return library_load(drivers, driver_functions, sizeof driver_functions / sizeof *driver_functions, cu, reason, capacity);
}

static bool load_compiler(nvrtc_calls *rtc, char *reason, size_t capacity)
{
  return library_load(compilers, compiler_functions, sizeof compiler_functions / sizeof *compiler_functions, rtc, reason, capacity);
}

static scr_status fail(const scr_device *device, int code, const char *what, scr_error *error)
{
  const cuda *own = device->own;
  const char *name = NULL, *advice = "look at the driver's log, or use run.device cpu";
  bool memory = code == OUT_OF_MEMORY;
  if (own->cu.error_name(code, &name) || !name) name = "no name of it is known";
  if (memory) advice = "use a larger spacing, or run.device cpu";
  if (code == UNSUPPORTED_PTX) advice = "the driver is older than NVRTC: renew it, or install the NVRTC of its version (`scree devices`)";
  return scr_fail(error, memory ? SCR_NO_MEMORY : SCR_IO, NULL, "%s, %s: %s failed with CUDA's error %d (%s)%s: %s", device->about.name,
                  device->about.title, what, code, name, memory ? ", for want of memory" : "", advice);
}

/* ── what there is ───────────────────────────────────────────────────────────────────────────────────────────────── */

static void list_devices(const device_opener *opener, device_list *list)
{
  cuda_calls cu;
  nvrtc_calls rtc;
  char reason[160];
  int count = 0, version = 0, id;
  if (!load_driver(&cu, reason, sizeof reason)) {
    library_note(list, "no CUDA: %s", reason);
    return;
  }
  int code = cu.initialise(0);
  if (!code) code = cu.count(&count);
  if (code || count == 0) {
    library_note(list, "no CUDA: the driver is there, but has no GPU (error %d)", code);
    return;
  }
  bool compiles = load_compiler(&rtc, reason, sizeof reason);
  cu.driver_version(&version);
  for (int n = 0; n < count && list->count < DEVICE_LIMIT; n++) {
    device_about *about = &list->item[list->count++];
    size_t memory = 0;
    *about = (device_about){.opener = opener, .number = (size_t)n, .is_gpu = true, .doubles = true};
    if (cu.get(&id, n) || cu.name(about->title, sizeof about->title, id) || cu.memory(&memory, id))
      snprintf(about->reason, sizeof about->reason, "its driver does not say what it is");
    about->memory = about->largest = memory;
    snprintf(about->version, sizeof about->version, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    if (!compiles) snprintf(about->reason, sizeof about->reason, "kernels can't be compiled for it: no NVRTC: %.140s", reason);
  }
}

/* ── one device ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status open_device(scr_device *device, scr_error *error)
{
  char reason[160];
  cuda *own;
  SCR_TRY(mem_allocate(&device->own, 1, sizeof *own, "a device", error));
  own = device->own;
  if (!load_driver(&own->cu, reason, sizeof reason)) return scr_fail(error, SCR_IO, NULL, "no CUDA: %s", reason);
  int code = own->cu.initialise(0);
  if (!code) code = own->cu.get(&own->id, (int)device->about.number);
  if (!code) code = own->cu.create(&own->context, 0, own->id);
  return code ? fail(device, code, "opening it", error) : SCR_OK;
}

/* What a compiler of NVRTC can't compile for it can for an older architecture, whose PTX the driver translates. @return NVRTC's code */
static int compile_for(const nvrtc_calls *rtc, void *program, int architecture)
{
  const int known[] = {architecture, 120, 100, 90, 80, 75, 70, 60};
  int code = NVRTC_INVALID_OPTION;
  for (size_t k = 0; k < sizeof known / sizeof *known && code == NVRTC_INVALID_OPTION; k++) {
    char option[64];
    const char *const options[] = {option, "--fmad=false"};
    if (known[k] > architecture) continue;
    snprintf(option, sizeof option, "--gpu-architecture=compute_%d", known[k]);
    code = rtc->compile(program, 2, options);
  }
  return code;
}

/* PTX of a program, to free(). @param code receives NVRTC's */
static char *compile_program(const nvrtc_calls *rtc, void *program, int architecture, int *code)
{
  size_t size = 0;
  char *ptx = NULL;
  *code = compile_for(rtc, program, architecture);
  if (!*code) *code = rtc->ptx_size(program, &size);
  if (!*code && !(ptx = calloc(size + 1, 1))) *code = NVRTC_OUT_OF_MEMORY;
  if (!*code) *code = rtc->ptx(program, ptx);
  if (!*code) return ptx;
  free(ptx);
  return NULL;
}

static void fail_to_compile(const nvrtc_calls *rtc, void *program, int code, scr_error *error)
{
  size_t size = 0;
  char *log = program && rtc->log_size(program, &size) == 0 ? calloc(size + 1, 1) : NULL;
  if (log) rtc->log(program, log);
  if (code == NVRTC_OUT_OF_MEMORY)
    scr_fail_memory(error, "compiling kernels for CUDA", size);
  else
    scr_fail(error, SCR_IO, NULL, "NVRTC refused the kernels with error %d: %.400s", code, log ? log : "");
  free(log);
}

char *cuda_compile(const char *source, int major, int minor, scr_error *error)
{
  nvrtc_calls rtc;
  char reason[160], *ptx = NULL;
  void *program = NULL;
  if (!load_compiler(&rtc, reason, sizeof reason)) {
    scr_fail(error, SCR_IO, NULL, "kernels can't be compiled for CUDA: no NVRTC: %s", reason);
    return NULL;
  }
  text_builder text = {0};
  text_add_string(&text, prelude);
  text_add_string(&text, source);
  char *whole = text_take(&text);
  int code = whole ? rtc.create(&program, whole, "scree", 0, NULL, NULL) : NVRTC_OUT_OF_MEMORY;
  if (!code) ptx = compile_program(&rtc, program, 10 * major + minor, &code);
  if (!ptx) fail_to_compile(&rtc, program, code, error);
  if (program) rtc.destroy(&program);
  free(whole);
  return ptx;
}

static scr_status build(scr_device *device, const char *source, const char *const *names, size_t count, scr_error *error)
{
  cuda *own = device->own;
  int major = 0, minor = 0, code = own->cu.attribute(&major, MAJOR, own->id);
  scr_error failure = {0};
  if (!code) code = own->cu.attribute(&minor, MINOR, own->id);
  if (code) return fail(device, code, "asking for its architecture", error);
  char *ptx = cuda_compile(source, major, minor, &failure);
  if (!ptx) {
    if (error) *error = failure;
    return failure.code;
  }
  own->cu.make_current(own->context);
  if (own->module) own->cu.unload(own->module);
  own->module = NULL;
  code = own->cu.load(&own->module, ptx);
  free(ptx);
  for (size_t k = 0; k < count && !code; k++) code = own->cu.function(&own->function[k], own->module, names[k]);
  return code ? fail(device, code, "loading the kernels", error) : SCR_OK;
}

static scr_status allocate(scr_device *device, device_array *array, scr_error *error)
{
  cuda *own = device->own;
  own->cu.make_current(own->context);
  int code = own->cu.allocate(&array->handle, array->bytes);
  return code ? fail(device, code, "an array", error) : SCR_OK;
}

static void release(scr_device *device, device_array *array)
{
  cuda *own = device->own;
  own->cu.make_current(own->context);
  own->cu.release(array->handle);
}

static scr_status write_bytes(scr_device *device, const device_array *to, size_t offset, const void *from, size_t bytes, scr_error *error)
{
  cuda *own = device->own;
  own->cu.make_current(own->context);
  int code = own->cu.write(to->handle + offset, from, bytes);
  return code ? fail(device, code, "copying to it", error) : SCR_OK;
}

static scr_status read_bytes(scr_device *device, const device_array *from, size_t offset, void *to, size_t bytes, scr_error *error)
{
  cuda *own = device->own;
  own->cu.make_current(own->context);
  int code = own->cu.read(to, from->handle + offset, bytes);
  return code ? fail(device, code, "copying from it", error) : SCR_OK;
}

static scr_status launch(scr_device *device, size_t kernel, size_t items, const device_argument *arguments, size_t count, scr_error *error)
{
  cuda *own = device->own;
  uint64_t value[DEVICE_ARGUMENTS] = {0};
  void *at[DEVICE_ARGUMENTS];
  size_t groups = (items + DEVICE_ITEMS - 1) / DEVICE_ITEMS;
  if (count > DEVICE_ARGUMENTS) return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu arguments; at most %d", count, DEVICE_ARGUMENTS);
  if (groups > GROUPS) return fail(device, INVALID_VALUE, "starting a kernel over so many items", error);
  for (size_t k = 0; k < count; k++) {
    memcpy(&value[k], arguments[k].at, arguments[k].size <= sizeof *value ? arguments[k].size : sizeof *value);
    at[k] = &value[k];
  }
  own->cu.make_current(own->context);
  int code = own->cu.launch(own->function[kernel], (unsigned)groups, 1, 1, DEVICE_ITEMS, 1, 1, 0, NULL, at, NULL);
  return code ? fail(device, code, "starting a kernel", error) : SCR_OK;
}

static scr_status wait_for_all(scr_device *device, scr_error *error)
{
  cuda *own = device->own;
  own->cu.make_current(own->context);
  int code = own->cu.wait();
  return code ? fail(device, code, "a kernel", error) : SCR_OK;
}

static void close_device(scr_device *device)
{
  cuda *own = device->own;
  if (!own) return;
  if (own->context) own->cu.make_current(own->context); /* modules belong to contexts; another device's may be current */
  if (own->module) own->cu.unload(own->module);
  if (own->context) own->cu.destroy(own->context);
  mem_free(own);
}

const device_opener device_opener_cuda = {.name = "CUDA",
                                          .kernel = "cuda",
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
