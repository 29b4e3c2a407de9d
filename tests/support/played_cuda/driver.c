/* The driver. Handles are addresses of structures; arrays lie in memory of this processor, each with a guard behind it. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/played_cuda/played_cuda.h"

enum {
  INVALID_VALUE = 1,
  NOT_INITIALISED = 3,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_CONTEXT = 201,
  INVALID_PTX = 218,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  ILLEGAL_ADDRESS = 700,
  LIMIT = 256, /* of each kind of object */
  GUARD = 64
};

typedef struct context {
  bool alive;
  int device;
} context;

typedef struct module {
  bool alive;
  context *of;
  void *library;
} module;

typedef struct function {
  module *of;
  void (*run)(void **arguments, unsigned grid, unsigned block);
  const char *kinds; /* of its arguments: p an array, 4 or 8 bytes of a value */
} function;

typedef struct array {
  bool alive;
  context *of;
  unsigned char *at;
  size_t bytes;
} array;

static context contexts[LIMIT];
static module modules[LIMIT];
static function functions[LIMIT];
static array arrays[1024];
static context *current;
static bool initialised;
static int device_count = 1, device_capability = 90;
static char calls[65536];
static size_t calls_used;
static const char *failing;
static size_t failing_in;
static int failing_code;
static played_counts counted;

/* ── what tests ask for ──────────────────────────────────────────────────────────────────────────────────────────── */

void played_break_at(const char *call, size_t nth, int code)
{
  failing = call, failing_in = nth, failing_code = code;
}

void played_have(int devices, int capability)
{
  device_count = devices, device_capability = capability;
}

const char *played_log(void)
{
  return calls;
}

void played_forget(void)
{
  calls_used = 0;
  calls[0] = '\0';
}

static bool is_overrun(const array *a)
{
  for (size_t k = 0; k < GUARD; k++)
    if (a->at[a->bytes + k] != 0xA5) return true;
  return false;
}

played_counts played_count(void)
{
  played_counts now = counted;
  for (size_t k = 0; k < LIMIT; k++) now.contexts += contexts[k].alive, now.modules += modules[k].alive;
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    now.arrays += arrays[k].alive, now.overrun += arrays[k].alive && is_overrun(&arrays[k]);
  return now;
}

/* Notes a call. @return the code that it fails with, by the test's wish or since nothing is initialised; 0 */
static int enter(const char *call)
{
  size_t length = strlen(call);
  if (calls_used + length + 2 < sizeof calls) calls_used += (size_t)sprintf(calls + calls_used, "%s ", call);
  if (failing && strcmp(failing, call) == 0 && failing_in-- <= 1) {
    failing = NULL;
    return failing_code;
  }
  return initialised || strcmp(call, "cuInit") == 0 || strcmp(call, "cuDriverGetVersion") == 0 ? 0 : NOT_INITIALISED;
}

#define ENTER(call)                                                                                                                        \
  do {                                                                                                                                     \
    int code_ = enter(call);                                                                                                               \
    if (code_) return code_;                                                                                                               \
  } while (0)
#define ENTER_IN_CONTEXT(call)                                                                                                             \
  do {                                                                                                                                     \
    ENTER(call);                                                                                                                           \
    if (!current || !current->alive) return INVALID_CONTEXT;                                                                               \
  } while (0)

/* ── devices and contexts ────────────────────────────────────────────────────────────────────────────────────────── */

int cuInit(unsigned flags)
{
  ENTER("cuInit");
  if (flags != 0) return INVALID_VALUE;
  if (device_count == 0) return NO_DEVICE;
  initialised = true;
  return 0;
}

int cuDriverGetVersion(int *version)
{
  ENTER("cuDriverGetVersion");
  *version = 12040;
  return 0;
}

int cuGetErrorName(int code, const char **name)
{
  *name = code == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == 222 ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"
          : code == 500 ? "CUDA_ERROR_NOT_FOUND"
          : code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                        : NULL;
  return *name ? 0 : INVALID_VALUE;
}

int cuDeviceGetCount(int *count)
{
  ENTER("cuDeviceGetCount");
  *count = device_count;
  return 0;
}

/* A device is its number, and 40: an opener that takes the number for the device is found out. */
int cuDeviceGet(int *device, int number)
{
  ENTER("cuDeviceGet");
  if (number < 0 || number >= device_count) return INVALID_DEVICE;
  *device = 40 + number;
  return 0;
}

static bool is_device(int device)
{
  return device >= 40 && device < 40 + device_count;
}

int cuDeviceGetName(char *name, int capacity, int device)
{
  ENTER("cuDeviceGetName");
  if (!is_device(device)) return INVALID_DEVICE;
  snprintf(name, (size_t)capacity, "NVIDIA played %d", device - 40);
  return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
  ENTER("cuDeviceTotalMem_v2");
  if (!is_device(device)) return INVALID_DEVICE;
  *bytes = (size_t)1 << 30;
  return 0;
}

int cuDeviceGetAttribute(int *value, int which, int device)
{
  ENTER("cuDeviceGetAttribute");
  if (!is_device(device)) return INVALID_DEVICE;
  if (which != 75 && which != 76) return INVALID_VALUE;
  *value = which == 75 ? device_capability / 10 : device_capability % 10;
  return 0;
}

/* The first place of an array of objects that is not alive; NULL: all are. */
#define FREE_PLACE(objects)                                                                                                                \
  ({                                                                                                                                       \
    size_t place_ = 0;                                                                                                                     \
    while (place_ < sizeof(objects) / sizeof *(objects) && (objects)[place_].alive) place_++;                                              \
    place_ < sizeof(objects) / sizeof *(objects) ? &(objects)[place_] : NULL;                                                              \
  })

#ifndef PLAYED_OLD
int cuCtxCreate_v2(context **made, unsigned flags, int device)
{
  ENTER("cuCtxCreate_v2");
  if (!is_device(device)) return INVALID_DEVICE;
  context *place = FREE_PLACE(contexts);
  if (flags != 0 || !place) return INVALID_VALUE;
  *place = (context){true, device};
  *made = current = place;
  return 0;
}
#endif

int cuCtxSetCurrent(context *wanted)
{
  ENTER("cuCtxSetCurrent");
  if (wanted && !wanted->alive) return INVALID_CONTEXT;
  current = wanted;
  return 0;
}

static void free_array(array *a)
{
  counted.overrun += is_overrun(a);
  free(a->at);
  a->alive = false;
}

static void unload(module *m)
{
  dlclose(m->library);
  m->alive = false;
}

/* What belongs to a context ends with it. */
int cuCtxDestroy_v2(context *ended)
{
  ENTER("cuCtxDestroy_v2");
  if (!ended || !ended->alive) return INVALID_CONTEXT;
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    if (arrays[k].alive && arrays[k].of == ended) free_array(&arrays[k]), counted.left++;
  for (size_t k = 0; k < LIMIT; k++)
    if (modules[k].alive && modules[k].of == ended) unload(&modules[k]);
  ended->alive = false;
  if (current == ended) current = NULL;
  return 0;
}

int cuCtxSynchronize(void)
{
  ENTER_IN_CONTEXT("cuCtxSynchronize");
  return 0;
}

/* ── modules ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The played compiler's image is a comment with the path of a library. */
int cuModuleLoadData(module **made, const void *image)
{
  ENTER_IN_CONTEXT("cuModuleLoadData");
  char path[512];
  module *place = FREE_PLACE(modules);
  if (!image || !place) return INVALID_VALUE;
  if (sscanf(image, "// played %511s", path) != 1) return INVALID_PTX;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  unlink(path);
  if (!library) return INVALID_PTX;
  *place = (module){true, current, library};
  *made = place;
  return 0;
}

int cuModuleUnload(module *ended)
{
  ENTER_IN_CONTEXT("cuModuleUnload");
  if (!ended || !ended->alive) return INVALID_HANDLE;
  if (ended->of != current) return INVALID_CONTEXT;
  unload(ended);
  return 0;
}

int cuModuleGetFunction(function **found, module *of, const char *name)
{
  ENTER_IN_CONTEXT("cuModuleGetFunction");
  char symbol[128];
  static size_t used;
  if (!of || !of->alive || of->of != current) return INVALID_HANDLE;
  function *place = &functions[used++ % LIMIT];
  snprintf(symbol, sizeof symbol, "played_run_%s", name);
  *(void **)&place->run = dlsym(of->library, symbol);
  snprintf(symbol, sizeof symbol, "played_kinds_%s", name);
  const char *const *kinds = dlsym(of->library, symbol);
  if (!place->run || !kinds) return NOT_FOUND;
  place->kinds = *kinds;
  place->of = of;
  *found = place;
  return 0;
}

/* ── arrays ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

int cuMemAlloc_v2(uint64_t *at, size_t bytes)
{
  ENTER_IN_CONTEXT("cuMemAlloc_v2");
  array *place = FREE_PLACE(arrays);
  if (bytes == 0 || !place) return INVALID_VALUE;
  unsigned char *memory = malloc(bytes + GUARD);
  if (!memory) return 2;
  memset(memory, 0xC3, bytes); /* contents are undefined */
  memset(memory + bytes, 0xA5, GUARD);
  *place = (array){true, current, memory, bytes};
  *at = (uint64_t)(uintptr_t)memory;
  return 0;
}

/* The current context's array that has these bytes. */
static array *array_with(uint64_t at, size_t bytes)
{
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
    array *a = &arrays[k];
    uint64_t begin = (uint64_t)(uintptr_t)a->at;
    if (a->alive && a->of == current && at >= begin && at <= begin + a->bytes && bytes <= a->bytes - (at - begin)) return a;
  }
  return NULL;
}

int cuMemFree_v2(uint64_t at)
{
  ENTER_IN_CONTEXT("cuMemFree_v2");
  array *a = array_with(at, 0);
  if (!a || (uint64_t)(uintptr_t)a->at != at) return INVALID_VALUE;
  free_array(a);
  return 0;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
  ENTER_IN_CONTEXT("cuMemcpyHtoD_v2");
  if (!array_with(to, bytes)) return INVALID_VALUE;
  memcpy((void *)(uintptr_t)to, from, bytes);
  counted.copies++;
  return 0;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
  ENTER_IN_CONTEXT("cuMemcpyDtoH_v2");
  if (!array_with(from, bytes)) return INVALID_VALUE;
  memcpy(to, (const void *)(uintptr_t)from, bytes);
  counted.copies++;
  return 0;
}

/* ── launches ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Arrays are the current context's, or none. */
static bool arguments_are_valid(const char *kinds, void **arguments)
{
  for (size_t k = 0; kinds[k]; k++) {
    uint64_t handle;
    if (!arguments[k]) return false;
    if (kinds[k] != 'p') continue;
    memcpy(&handle, arguments[k], sizeof handle);
    const array *a = handle ? array_with(handle, 0) : NULL;
    if (handle && (!a || (uint64_t)(uintptr_t)a->at != handle)) return false;
  }
  return true;
}

int cuLaunchKernel(function *f, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                   unsigned shared, void *stream, void **arguments, void **extra)
{
  ENTER_IN_CONTEXT("cuLaunchKernel");
  bool listed = f >= functions && f < functions + LIMIT;
  if (!listed || !f->of || !f->of->alive || f->of->of != current) return INVALID_HANDLE;
  if (grid_x == 0 || grid_x > 0x7fffffff || grid_y != 1 || grid_z != 1) return INVALID_VALUE;
  if (block_x == 0 || block_x > 1024 || block_y != 1 || block_z != 1 || shared != 0 || stream || extra) return INVALID_VALUE;
  if (!arguments) return INVALID_VALUE;
  if (!arguments_are_valid(f->kinds, arguments)) return ILLEGAL_ADDRESS;
  f->run(arguments, grid_x, block_x);
  counted.launches++;
  return 0;
}
