/* Which devices there are, their names, and the calls of one, handed on to its opener. */
#include "device/device.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* NVIDIA's GPUs are known to both openers; the first that lists any keeps them. */
static bool is_twin(const device_about *about)
{
  return about->is_gpu && (strstr(about->title, "NVIDIA") || strstr(about->version, "CUDA"));
}

static void drop_twins(device_list *list, size_t first)
{
  bool known = false;
  size_t kept = first;
  for (size_t k = 0; k < first; k++) known = known || (is_twin(&list->item[k]) && !list->item[k].reason[0]);
  for (size_t k = first; k < list->count; k++)
    if (!known || !is_twin(&list->item[k])) list->item[kept++] = list->item[k];
  list->count = kept;
}

void device_find_by(const device_opener *const *openers, size_t count, device_list *list)
{
  unsigned gpus = 0, others = 0;
  memset(list, 0, sizeof *list);
  for (size_t k = 0; k < count; k++) {
    size_t first = list->count;
    openers[k]->list(openers[k], list);
    drop_twins(list, first);
  }
  for (size_t k = 0; k < list->count; k++) {
    device_about *about = &list->item[k];
    snprintf(about->by, sizeof about->by, "%s", about->opener->name);
    snprintf(about->name, sizeof about->name, "%s:%u", about->is_gpu ? "gpu" : "opencl", about->is_gpu ? gpus++ : others++);
    if (!about->reason[0] && !about->doubles)
      snprintf(about->reason, sizeof about->reason, "it has no numbers of 64 bits that are rounded as the processor's are, or no fma");
  }
}

void device_find_all(device_list *list)
{
  const device_opener *const openers[] = {&device_opener_opencl, &device_opener_cuda};
  device_find_by(openers, sizeof openers / sizeof *openers, list);
}

/* What `scree devices` says, in short. */
static void add_all(const device_list *list, char *text, size_t capacity)
{
  size_t used = 0;
  text[0] = '\0';
  for (size_t k = 0; k < list->count && used < capacity; k++) {
    const device_about *about = &list->item[k];
    used += (size_t)snprintf(text + used, capacity - used, "%s%s (%.60s%s%.120s)", used ? ", " : "", about->name, about->title,
                             about->reason[0] ? "; can't be used: " : "", about->reason);
  }
  for (size_t k = 0; list->count == 0 && k < list->note_count && used < capacity; k++)
    used += (size_t)snprintf(text + used, capacity - used, "%s%s", used ? "; " : "", list->note[k]);
}

scr_status device_choose(const device_list *list, const char *name, const device_about **chosen, scr_error *error)
{
  char there[400];
  *chosen = NULL;
  if (strcmp(name, "cpu") == 0) return SCR_OK;
  for (size_t k = 0; k < list->count; k++) {
    const device_about *about = &list->item[k];
    bool fits = strcmp(name, "auto") == 0 ? about->is_gpu : strcmp(name, about->name) == 0;
    if (!fits || about->reason[0]) continue;
    *chosen = about;
    return SCR_OK;
  }
  if (strcmp(name, "auto") == 0) return SCR_OK;
  add_all(list, there, sizeof there);
  return scr_fail(error, SCR_BAD_SCENE, "/run/device",
                  "run.device is '%.24s', which can't be used here; `scree devices` lists: %s. Take cpu, auto or another machine", name,
                  there[0] ? there : "none");
}

scr_status device_open(const device_about *about, scr_device **opened, scr_error *error)
{
  SCR_TRY(mem_allocate(opened, 1, sizeof **opened, "a device", error));
  (*opened)->about = *about;
  scr_status status = about->opener->open(*opened, error);
  if (status == SCR_OK) return SCR_OK;
  device_close(*opened);
  *opened = NULL;
  return status;
}

void device_close(scr_device *device)
{
  if (!device) return;
  device->about.opener->close(device);
  mem_free(device);
}

scr_status device_build(scr_device *device, const char *source, const char *const *names, size_t count, scr_error *error)
{
  if (count > DEVICE_KERNELS) return scr_fail(error, SCR_BAD_USAGE, NULL, "%zu kernels; at most %d", count, DEVICE_KERNELS);
  device->kernels = 0;
  SCR_TRY(device->about.opener->build(device, source, names, count, error));
  device->kernels = count;
  return SCR_OK;
}

scr_status device_allocate(scr_device *device, device_array *array, size_t bytes, scr_error *error)
{
  *array = (device_array){.bytes = bytes ? bytes : 1};
  if (array->bytes > device->about.memory - device->allocated || array->bytes > device->about.largest) {
    *array = (device_array){0};
    return scr_fail(
        error, SCR_NO_MEMORY, "/run/device",
        "%s, %s, has %.3g GB, of which %.3g GB are taken, and arrays of at most %.3g GB; one of %.3g GB is needed: use a larger "
        "spacing, or run.device cpu",
        device->about.name, device->about.title, 1e-9 * (double)device->about.memory, 1e-9 * (double)device->allocated,
        1e-9 * (double)device->about.largest, 1e-9 * (double)bytes);
  }
  scr_status status = device->about.opener->allocate(device, array, error);
  if (status == SCR_OK)
    device->allocated += array->bytes;
  else
    *array = (device_array){0};
  return status;
}

void device_release(scr_device *device, device_array *array)
{
  if (!array->bytes) return;
  device->about.opener->release(device, array);
  device->allocated -= array->bytes;
  *array = (device_array){0};
}

static scr_status check_range(const device_array *array, size_t offset, size_t bytes, scr_error *error)
{
  if (offset <= array->bytes && bytes <= array->bytes - offset) return SCR_OK;
  return scr_fail(error, SCR_BAD_USAGE, NULL, "bytes %zu to %zu of a device's array of %zu", offset, offset + bytes, array->bytes);
}

scr_status device_write(scr_device *device, const device_array *to, size_t offset, const void *from, size_t bytes, scr_error *error)
{
  SCR_TRY(check_range(to, offset, bytes, error));
  device->copied += bytes, device->copies += bytes > 0;
  return bytes ? device->about.opener->write(device, to, offset, from, bytes, error) : SCR_OK;
}

scr_status device_read(scr_device *device, const device_array *from, size_t offset, void *to, size_t bytes, scr_error *error)
{
  SCR_TRY(check_range(from, offset, bytes, error));
  device->copied += bytes, device->copies += bytes > 0;
  return bytes ? device->about.opener->read(device, from, offset, to, bytes, error) : SCR_OK;
}

scr_status device_launch(scr_device *device, size_t kernel, size_t items, const device_argument *arguments, size_t count, scr_error *error)
{
  if (kernel >= device->kernels)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "kernel %zu of the %zu that %s has", kernel, device->kernels, device->about.name);
  return items ? device->about.opener->launch(device, kernel, items, arguments, count, error) : SCR_OK;
}

scr_status device_wait(scr_device *device, scr_error *error)
{
  return device->about.opener->wait(device, error);
}
