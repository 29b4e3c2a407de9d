/* Impulses of contacts come from the host, as few numbers; the device adds those of the drag, in the host's order, and applies all. */
#include "methods/peridem/device/drag.h"

#include "base/memory.h"
#include "methods/peridem/device/subset.h"
#include "methods/peridem/host/contact/dissipation.h"

bool pd_drags_on_device(const pd_state *s)
{
  return s->options->damping_rate > 0 && !s->explicit_damping && !s->host->facing && s->grips.count == 0;
}

scr_status pd_drag_create(pd_state *s, scr_error *error)
{
  pd_device *d = s->device;
  size_t blocks = s->host->block_count, bytes = 3 * s->node_count * sizeof(double);
  if (!pd_drags_on_device(s)) return SCR_OK;
  double *none = mem_array(3 * s->node_count, sizeof *none);
  if (!none) return scr_fail_memory(error, "the impulses of damping", bytes);
  scr_status status = pd_send(d, &d->drag.impulse, none, bytes, error);
  mem_free(none);
  if (status != SCR_OK) return status;
  SCR_TRY(device_allocate(d->device, &d->drag.partial, blocks * sizeof(double), error));
  SCR_TRY(mem_allocate(&d->drag.sums, blocks, sizeof *d->drag.sums, "the sums of blocks", error));
  return mem_allocate(&d->drag.contacts, blocks * pd_damp_width(s), sizeof *d->drag.contacts, "the sums of blocks", error);
}

void pd_drag_clear(pd_device *d)
{
  device_release(d->device, &d->drag.impulse);
  device_release(d->device, &d->drag.partial);
  mem_free(d->drag.sums);
  mem_free(d->drag.contacts);
}

static bool take_sums(pd_state *s)
{
  pd_device *d = s->device;
  if (d->status == SCR_OK)
    d->status = device_read(d->device, &d->drag.partial, 0, d->drag.sums, s->host->block_count * sizeof *d->drag.sums, &d->error);
  return d->status == SCR_OK;
}

/* The drag of all nodes; d->drag.sums: the heat of contacts, block by block, and after it of both. */
static bool drag_all(pd_state *s)
{
  pd_device *d = s->device;
  uint64_t n = s->node_count, block = PD_BLOCK;
  size_t blocks = s->host->block_count;
  double part = expm1(-s->options->damping_rate * s->time_step);
  const device_argument arguments[] = {DEVICE_ARRAY(d->vector[PD_VELOCITY]),
                                       DEVICE_ARRAY(d->drag.impulse),
                                       DEVICE_ARRAY(d->body),
                                       DEVICE_ARRAY(d->bodies),
                                       DEVICE_VALUE(part),
                                       DEVICE_ARRAY(d->drag.partial),
                                       DEVICE_VALUE(block),
                                       DEVICE_VALUE(n)};
  if (d->status == SCR_OK) d->status = device_write(d->device, &d->drag.partial, 0, d->drag.sums, blocks * sizeof(double), &d->error);
  pd_run_kernel(s, PD_KERNEL_DRAG, blocks, arguments, sizeof arguments / sizeof *arguments);
  return take_sums(s);
}

void pd_drag_damp(pd_state *s, pd_impulse_sums *sums, scr_vec3 *impulse, scr_vec3 *turning)
{
  pd_device *d = s->device;
  size_t blocks = s->host->block_count, width = pd_damp_width(s);
  pd_damp_contacts(s, d->drag.contacts);
  if (!pd_to_device(s, PD_OF_VELOCITY) || !pd_subset_put(s, &s->host->damping, &d->drag.impulse)) return;
  for (size_t b = 0; b < blocks; b++) d->drag.sums[b] = *pd_damp_heat(d->drag.contacts + b * width);
  if (!drag_all(s)) return;
  for (size_t b = 0; b < blocks; b++) *pd_damp_heat(d->drag.contacts + b * width) = d->drag.sums[b];
  pd_damp_add_up(s, d->drag.contacts, sums, impulse, turning);
}

/* Of a block, what the device has added up. */
static void gained(const void *user, size_t begin, size_t end, double *value)
{
  const double *sums = user;
  (void)end;
  *value += sums[begin / PD_BLOCK];
}

double pd_drag_apply(pd_state *s)
{
  pd_device *d = s->device;
  uint64_t n = s->node_count, block = PD_BLOCK;
  double kinetic = 0;
  const device_argument arguments[] = {
      DEVICE_ARRAY(d->vector[PD_VELOCITY]), DEVICE_ARRAY(d->drag.impulse), DEVICE_ARRAY(d->body), DEVICE_ARRAY(d->bodies),
      DEVICE_ARRAY(d->drag.partial),        DEVICE_VALUE(block),           DEVICE_VALUE(n)};
  pd_run_kernel(s, PD_KERNEL_APPLY, s->host->block_count, arguments, sizeof arguments / sizeof *arguments);
  pd_device_wrote(s, PD_OF_VELOCITY);
  if (!take_sums(s)) return 0;
  pd_sum_nodes(s, 1, gained, d->drag.sums, &kinetic);
  return kinetic;
}
