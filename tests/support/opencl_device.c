/* A device for tests. */
#include "tests/support/opencl_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The first that can be used, one that is no GPU before others, so that results don't depend on what a machine has. */
static const device_about *usable(const device_list *list)
{
  const device_about *found = NULL;
  for (size_t k = 0; k < list->count; k++)
    if (!list->item[k].reason[0] && (!found || (found->is_gpu && !list->item[k].is_gpu))) found = &list->item[k];
  return found;
}

/* Set once: the first use of a driver reads it. */
static void keep_kernels(void)
{
  char path[4096];
  const char *build = getenv("SCREE_BUILD");
  if (getenv("POCL_CACHE_DIR")) return;
  snprintf(path, sizeof path, "%s/pocl-cache", build ? build : "build");
  mkdir(path, 0777); /* or it is there */
  char *whole = realpath(path, NULL);
  if (whole) setenv("POCL_CACHE_DIR", whole, 0);
  free(whole);
}

/* Compilers in drivers leave memory and overflow integers; what of ours runs on a device is looked at without them. */
#ifdef __SANITIZE_ADDRESS__
static const bool drivers_may_be_loaded = false;
#else
static const bool drivers_may_be_loaded = true;
#endif

const char *opencl_device_name(void)
{
  static char name[sizeof((device_about *)0)->name];
  device_list list;
  if (!drivers_may_be_loaded) {
    print_message("# no drivers of devices under sanitizers\n");
    return NULL;
  }
  keep_kernels();
  device_find_all(&list);
  const device_about *about = usable(&list);
  for (size_t k = 0; k < list.note_count && !about; k++) print_message("# %s\n", list.note[k]);
  if (about) memcpy(name, about->name, sizeof name);
  return about ? name : NULL;
}

scr_device *open_opencl_device(void)
{
  device_list list;
  scr_device *opened;
  scr_error error = {0};
  keep_kernels();
  device_find_all(&list);
  const device_about *about = usable(&list);
  assert_non_null(about);
  if (device_open(about, &opened, &error) != SCR_OK) fail_msg("%s", error.message);
  return opened;
}
