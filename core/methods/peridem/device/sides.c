/* Vectors of nodes that host and device both have: copied when one side needs what the other has changed. */
#include <string.h>

#include "base/memory.h"
#include "methods/peridem/device/device_state.h"

pd_vectors *pd_host_vector(pd_host *h, pd_side_vector which)
{
  switch (which) {
  case PD_MOVED: return &h->moved;
  case PD_POSITION: return &h->position;
  case PD_VELOCITY: return &h->velocity;
  case PD_ACCELERATION: return &h->acceleration;
  default: return &h->force;
  }
}

/* All of the host's positions are the device's now (subset.h). */
static void know_positions(const pd_state *s)
{
  pd_device *d = s->device;
  uint64_t count = 3 * s->node_count;
  const device_argument arguments[] = {DEVICE_ARRAY(d->vector[PD_POSITION]), DEVICE_ARRAY(d->subset.known), DEVICE_VALUE(count)};
  pd_run_kernel(s, PD_KERNEL_COPY, count, arguments, sizeof arguments / sizeof *arguments);
}

/* One vector, either way. */
static scr_status copy(const pd_state *s, pd_side_vector which, bool to_device, scr_error *error)
{
  pd_device *d = s->device;
  const pd_vectors *vector = pd_host_vector(s->host, which);
  size_t bytes = s->node_count * sizeof(double);
  for (int a = 0; a < 3; a++)
    SCR_TRY(to_device ? device_write(d->device, &d->vector[which], (size_t)a * bytes, pd_axis(vector, a), bytes, error)
                      : device_read(d->device, &d->vector[which], (size_t)a * bytes, pd_axis(vector, a), bytes, error));
  if (which == PD_POSITION) know_positions(s);
  return SCR_OK;
}

static bool bring(const pd_state *s, unsigned vectors, bool to_device)
{
  pd_device *d = s->device;
  unsigned *there = to_device ? &d->on_device : &d->on_host;
  for (pd_side_vector v = 0; v < PD_SIDE_VECTORS && d->status == SCR_OK; v++) {
    if (!(vectors & ~*there & 1u << v)) continue;
    d->status = copy(s, v, to_device, &d->error);
    if (d->status == SCR_OK) *there |= 1u << v;
  }
  return d->status == SCR_OK;
}

bool pd_to_host(const pd_state *s, unsigned vectors)
{
  return bring(s, vectors, false);
}

bool pd_to_device(const pd_state *s, unsigned vectors)
{
  return bring(s, vectors, true);
}

void pd_host_wrote(const pd_state *s, unsigned vectors)
{
  s->device->on_host |= vectors;
  s->device->on_device &= ~vectors;
}

/* What the host has of single nodes is old. */
static void make_old(pd_subset *u, unsigned vectors)
{
  size_t left = 0;
  for (size_t k = 0; k < u->held_count; k++) {
    uint32_t node = u->held[k];
    u->fresh[node] &= (unsigned char)~vectors;
    if (u->fresh[node]) u->held[left++] = node;
  }
  u->held_count = left;
}

void pd_device_wrote(const pd_state *s, unsigned vectors)
{
  make_old(&s->device->subset, vectors);
  s->device->on_device |= vectors;
  s->device->on_host &= ~vectors;
}

bool pd_run_kernel(const pd_state *s, pd_device_kernel kernel, size_t items, const device_argument *arguments, size_t count)
{
  pd_device *d = s->device;
  if (d->status == SCR_OK) d->status = device_launch(d->device, kernel, items, arguments, count, &d->error);
  return d->status == SCR_OK;
}

/* Whether a flag was raised, which is then lowered. */
bool pd_take_flag(const pd_state *s, size_t which)
{
  pd_device *d = s->device;
  const uint32_t none = 0;
  uint32_t flag = 0;
  if (d->status == SCR_OK) d->status = device_read(d->device, &d->flags, which * sizeof flag, &flag, sizeof flag, &d->error);
  if (flag && d->status == SCR_OK) d->status = device_write(d->device, &d->flags, which * sizeof flag, &none, sizeof none, &d->error);
  return flag != 0;
}

scr_status pd_device_failure(const pd_state *s, scr_error *error)
{
  if (s->device->status != SCR_OK && error) *error = s->device->error;
  return s->device->status;
}

scr_status pd_reserve(pd_device *d, device_array *array, size_t bytes, scr_error *error)
{
  if (array->bytes >= bytes) return SCR_OK;
  device_release(d->device, array);
  return device_allocate(d->device, array, bytes + bytes / 2, error);
}

scr_status pd_send(pd_device *d, device_array *array, const void *from, size_t bytes, scr_error *error)
{
  SCR_TRY(device_allocate(d->device, array, bytes, error));
  return device_write(d->device, array, 0, from, bytes, error);
}
