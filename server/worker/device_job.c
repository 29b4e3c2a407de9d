/* Jobs on a device. */
#include "server/worker/device_job.h"

#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"
#include "server/worker/control.h"

enum { PATH_BYTES = 4200, NESTED = 16 };

bool device_job(const char *directory)
{
  char path[PATH_BYTES];
  if (snprintf(path, sizeof path, "%s/scene.json", directory) >= (int)sizeof path) return false;
  json_t *scene = json_load_file(path, 0, NULL);
  const char *name = json_string_value(json_object_get(json_object_get(scene, "run"), "device"));
  bool named = name && *name && strcmp(name, "cpu") != 0;
  json_decref(scene);
  return named;
}

uint64_t device_job_memory(uint64_t memory_limit)
{
  const uint64_t drivers = 4294967296u; /* of libraries, compilers and their buffers */
  return memory_limit ? memory_limit + drivers : 0;
}

static bool kernels_in(const char *directory, char path[PATH_BYTES])
{
  return snprintf(path, PATH_BYTES, "%s/kernels", directory) < PATH_BYTES;
}

void device_job_prepare(const char *directory)
{
  char path[PATH_BYTES];
  if (!kernels_in(directory, path)) return;
  setenv("POCL_CACHE_DIR", path, 1);
  setenv("CUDA_CACHE_PATH", path, 1);
  setenv("TMPDIR", directory, 1);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place)
{
  (void)about, (void)kind, (void)place;
  remove(path); /* what stays is the lab's to remove with the job */
  return 0;
}

void device_job_clean(const char *directory)
{
  char path[PATH_BYTES];
  if (kernels_in(directory, path)) nftw(path, remove_one, NESTED, FTW_DEPTH | FTW_PHYS);
}

int device_job_list(int descriptor)
{
  device_list list;
  device_find_all(&list);
  for (size_t k = 0; k < list.count; k++) list.item[k].opener = NULL;
  return write(descriptor, &list, sizeof list) == (ssize_t)sizeof list ? WORKER_SUCCEEDED : WORKER_BAD_USAGE;
}
