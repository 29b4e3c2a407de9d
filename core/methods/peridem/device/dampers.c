/* The device measures the dampers of pairs, row by row; the host adds those of the rig and says what share of each node's acts; the device
 * gives impulses, and adds up heat in the host's order. */
#include "methods/peridem/device/dampers.h"

#include <string.h>

#include "base/memory.h"
#include "methods/peridem/device/subset.h"
#include "methods/peridem/host/contact/contact.h"
#include "methods/peridem/host/contact/dissipation.h"
#include "methods/peridem/host/contact/rig_faces.h"

static bool are_of_nodes(const pd_state *s)
{
  return !s->explicit_damping && !s->host->facing;
}

bool pd_dampers_on_device(const pd_state *s)
{
  return are_of_nodes(s) && (s->device->pairs.touching_count > 0 || s->options->damping_rate > 0);
}

scr_status pd_dampers_create(pd_state *s, scr_error *error)
{
  pd_device *d = s->device;
  pd_device_dampers *m = &d->dampers;
  size_t blocks = s->host->block_count, bytes = 3 * s->node_count * sizeof(double);
  if (!are_of_nodes(s)) return SCR_OK;
  double *none = mem_array(3 * s->node_count, sizeof *none);
  if (!none) return scr_fail_memory(error, "the impulses of damping", bytes);
  scr_status status = pd_send(d, &m->impulse, none, bytes, error);
  mem_free(none);
  if (status != SCR_OK) return status;
  SCR_TRY(device_allocate(d->device, &m->share, s->node_count * sizeof(double), error));
  SCR_TRY(device_allocate(d->device, &m->partial, 2 * blocks * sizeof(double), error));
  SCR_TRY(device_allocate(d->device, &m->ends, (blocks + 1) * sizeof *m->end, error));
  SCR_TRY(mem_allocate(&m->end, blocks + 1, sizeof *m->end, "the sums of blocks", error));
  SCR_TRY(mem_allocate(&m->heat, 2 * blocks, sizeof *m->heat, "the sums of blocks", error));
  return mem_allocate(&m->sums, blocks * pd_damp_width(s), sizeof *m->sums, "the sums of blocks", error);
}

void pd_dampers_clear(pd_device *d)
{
  pd_device_dampers *m = &d->dampers;
  device_array *arrays[] = {&m->impulse, &m->share, &m->partial, &m->ends, &m->list, &m->rows, &m->heats};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_release(d->device, arrays[k]);
  void *all[] = {m->end, m->heat, m->sums, m->row};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
}

/* ── pairs ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Dampers of the pairs in the rows that touch, summed row by row; or, with the nodes' shares, their impulses and heat. */
static void run_rows(pd_state *s, pd_device_kernel kernel)
{
  pd_device *d = s->device;
  pd_device_dampers *m = &d->dampers;
  uint64_t n = s->node_count, materials = s->scene->material_count + 1, rows = d->pairs.touching_count;
  double radius = s->contact_radius, dt = s->time_step;
  int by_nodes = pd_contact_begins(s->options) == PD_SURFACE_NODES, no_tension = s->options->no_tension, by_faces = pd_uses_face_contact(s);
  const device_argument arguments[] = {DEVICE_ARRAY(m->list),
                                       DEVICE_ARRAY(d->pairs.first),
                                       DEVICE_ARRAY(d->pairs.met_count),
                                       DEVICE_ARRAY(d->pairs.met),
                                       DEVICE_ARRAY(d->vector[PD_POSITION]),
                                       DEVICE_ARRAY(d->vector[PD_VELOCITY]),
                                       DEVICE_ARRAY(d->reference),
                                       DEVICE_ARRAY(d->grain),
                                       DEVICE_ARRAY(d->body),
                                       DEVICE_ARRAY(d->bodies),
                                       DEVICE_ARRAY(d->pairs.bodies),
                                       DEVICE_ARRAY(d->pairs.laws),
                                       DEVICE_VALUE(radius),
                                       DEVICE_VALUE(by_nodes),
                                       DEVICE_VALUE(materials),
                                       DEVICE_VALUE(no_tension),
                                       DEVICE_VALUE(dt),
                                       DEVICE_ARRAY(m->rows),
                                       DEVICE_VALUE(rows),
                                       DEVICE_VALUE(n),
                                       DEVICE_VALUE(by_faces),
                                       DEVICE_ARRAY(m->share),
                                       DEVICE_ARRAY(m->impulse),
                                       DEVICE_ARRAY(m->heats)};
  size_t count = sizeof arguments / sizeof *arguments;
  pd_run_kernel(s, kernel, rows, arguments, kernel == PD_KERNEL_PAIR_DAMPERS ? count - 4 : count);
}

static scr_status reserve_rows(pd_state *s, scr_error *error)
{
  pd_device *d = s->device;
  pd_device_dampers *m = &d->dampers;
  const pd_device_pairs *p = &d->pairs;
  size_t rows = p->touching_count;
  SCR_TRY(mem_reserve(&m->row, &m->row_capacity, rows, sizeof *m->row, "the dampers of pairs", error));
  SCR_TRY(pd_reserve(d, &m->list, 2 * rows * sizeof *p->touching, error));
  SCR_TRY(pd_reserve(d, &m->rows, rows * sizeof *m->row, error));
  SCR_TRY(pd_reserve(d, &m->heats, 2 * p->met_total * sizeof(double), error));
  return device_write(d->device, &m->list, 0, p->touching, 2 * rows * sizeof *p->touching, error);
}

/* Shares of the nodes with rows, on the device. */
static void scatter_shares(pd_state *s)
{
  pd_device *d = s->device;
  pd_device_dampers *m = &d->dampers;
  uint64_t rows = d->pairs.touching_count;
  const device_argument arguments[] = {DEVICE_ARRAY(m->list), DEVICE_ARRAY(m->rows), DEVICE_ARRAY(m->share), DEVICE_VALUE(rows)};
  if (d->status == SCR_OK) d->status = device_write(d->device, &m->rows, 0, m->row, rows * sizeof *m->row, &d->error);
  pd_run_kernel(s, PD_KERNEL_SCATTER, rows, arguments, sizeof arguments / sizeof *arguments);
}

/* Rows are in the order of nodes, so that those of a block lie together: where its pairs end. */
static void find_ends(const pd_state *s)
{
  pd_device_dampers *m = &s->device->dampers;
  const pd_device_pairs *p = &s->device->pairs;
  size_t row = 0;
  m->end[0] = 0;
  for (size_t b = 0; b < s->host->block_count; b++) {
    while (row < p->touching_count && p->touching[2 * row] < (b + 1) * PD_BLOCK) row++;
    m->end[b + 1] = row < p->touching_count ? p->touching[2 * row + 1] : (uint32_t)p->met_total;
  }
}

/* Heat of the blocks' pairs, as the host adds it. */
static void add_heat(pd_state *s)
{
  pd_device *d = s->device;
  pd_device_dampers *m = &d->dampers;
  uint64_t blocks = s->host->block_count;
  const device_argument arguments[] = {DEVICE_ARRAY(m->heats), DEVICE_ARRAY(m->ends), DEVICE_ARRAY(m->partial), DEVICE_VALUE(blocks)};
  find_ends(s);
  if (d->status == SCR_OK) d->status = device_write(d->device, &m->ends, 0, m->end, (blocks + 1) * sizeof *m->end, &d->error);
  pd_run_kernel(s, PD_KERNEL_PAIR_HEAT, blocks, arguments, sizeof arguments / sizeof *arguments);
  if (d->status == SCR_OK) d->status = device_read(d->device, &m->partial, 0, m->heat, 2 * blocks * sizeof *m->heat, &d->error);
}

/* Impulses of all pairs, on the device; d->dampers.heat: of each block. @return whether the state is whole */
static bool damp_pairs(pd_state *s)
{
  pd_device *d = s->device;
  pd_device_dampers *m = &d->dampers;
  const pd_device_pairs *p = &d->pairs;
  size_t rows = p->touching_count;
  memset(m->heat, 0, 2 * s->host->block_count * sizeof *m->heat);
  if (rows && d->status == SCR_OK) d->status = reserve_rows(s, &d->error);
  run_rows(s, PD_KERNEL_PAIR_DAMPERS);
  if (d->status == SCR_OK) d->status = device_read(d->device, &m->rows, 0, m->row, rows * sizeof *m->row, &d->error);
  if (d->status != SCR_OK) return false;
  pd_damp_shares(s, p->touching, m->row, rows);
  if (!rows) return true;
  scatter_shares(s);
  run_rows(s, PD_KERNEL_DAMP_PAIRS);
  add_heat(s);
  return d->status == SCR_OK;
}

/* ── all ─────────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The drag of all nodes; sums[2 b]: the heat of dampers of block b before, and after. */
static bool drag_all(pd_state *s, double *sums)
{
  pd_device *d = s->device;
  pd_device_dampers *m = &d->dampers;
  uint64_t n = s->node_count, block = PD_BLOCK;
  size_t blocks = s->host->block_count;
  double part = expm1(-s->options->damping_rate * s->time_step);
  const device_argument arguments[] = {DEVICE_ARRAY(d->vector[PD_VELOCITY]),
                                       DEVICE_ARRAY(m->impulse),
                                       DEVICE_ARRAY(d->body),
                                       DEVICE_ARRAY(d->bodies),
                                       DEVICE_VALUE(part),
                                       DEVICE_ARRAY(m->partial),
                                       DEVICE_VALUE(block),
                                       DEVICE_VALUE(n)};
  if (d->status == SCR_OK) d->status = device_write(d->device, &m->partial, 0, sums, 2 * blocks * sizeof *sums, &d->error);
  pd_run_kernel(s, PD_KERNEL_DRAG, blocks, arguments, sizeof arguments / sizeof *arguments);
  if (d->status == SCR_OK) d->status = device_read(d->device, &m->partial, 0, sums, 2 * blocks * sizeof *sums, &d->error);
  return d->status == SCR_OK;
}

static bool drag(pd_state *s)
{
  pd_device_dampers *m = &s->device->dampers;
  size_t blocks = s->host->block_count, width = pd_damp_width(s);
  for (size_t b = 0; b < blocks; b++) m->heat[2 * b] = *pd_damp_heat(m->sums + b * width);
  if (!drag_all(s, m->heat)) return false;
  for (size_t b = 0; b < blocks; b++) *pd_damp_heat(m->sums + b * width) = m->heat[2 * b];
  return s->grips.count == 0 || pd_subset_take(s, &s->device->dampers.impulse, &s->host->damping); /* from which grips take */
}

/* Of pairs, on the chosen nodes, to the host. */
static bool take_impulses(pd_state *s)
{
  const pd_device *d = s->device;
  if (d->pairs.touching_count) return pd_subset_take(s, &d->dampers.impulse, &s->host->damping);
  for (size_t k = 0; k < d->subset.count; k++)
    for (int a = 0; a < 3; a++) pd_axis(&s->host->damping, a)[d->subset.node[k]] = 0;
  return true;
}

void pd_dampers_damp(pd_state *s, pd_impulse_sums *sums, scr_vec3 *impulse, scr_vec3 *turning)
{
  pd_device_dampers *m = &s->device->dampers;
  pd_subset_of_rig(s);
  if (!pd_to_device(s, PD_OF_VELOCITY) || !pd_subset_to_host(s, PD_OF_POSITION | PD_OF_VELOCITY) || !damp_pairs(s)) return;
  if (!take_impulses(s)) return;
  pd_damp_rig(s, m->heat, m->sums);
  if (!pd_subset_put(s, &s->host->damping, &m->impulse)) return;
  if (s->options->damping_rate > 0 && !drag(s)) return;
  pd_damp_add_up(s, m->sums, sums, impulse, turning);
}

/* Of a block, what the device has added up. */
static void gained(const void *user, size_t begin, size_t end, double *value)
{
  const double *sums = user;
  (void)end;
  *value += sums[2 * (begin / PD_BLOCK)];
}

double pd_dampers_apply(pd_state *s)
{
  pd_device *d = s->device;
  pd_device_dampers *m = &d->dampers;
  uint64_t n = s->node_count, block = PD_BLOCK;
  size_t blocks = s->host->block_count;
  double kinetic = 0;
  const device_argument arguments[] = {DEVICE_ARRAY(d->vector[PD_VELOCITY]),
                                       DEVICE_ARRAY(m->impulse),
                                       DEVICE_ARRAY(d->body),
                                       DEVICE_ARRAY(d->bodies),
                                       DEVICE_ARRAY(m->partial),
                                       DEVICE_VALUE(block),
                                       DEVICE_VALUE(n)};
  if (s->grips.count && !pd_subset_put(s, &s->host->damping, &m->impulse)) return 0; /* less what they took */
  pd_run_kernel(s, PD_KERNEL_APPLY, blocks, arguments, sizeof arguments / sizeof *arguments);
  pd_device_wrote(s, PD_OF_VELOCITY);
  if (d->status == SCR_OK) d->status = device_read(d->device, &m->partial, 0, m->heat, 2 * blocks * sizeof *m->heat, &d->error);
  if (d->status == SCR_OK) pd_sum_nodes(s, 1, gained, m->heat, &kinetic);
  return kinetic;
}
