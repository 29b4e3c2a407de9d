/* Forces of bonds on a device: arrays there, and what is done in each sweep. */
#include "methods/bdem/device/bond_device.h"

#include <string.h>

#include "base/memory.h"
#include "device/device.h"
#include "methods/bdem/device/columns.h"
#include "methods/bdem/device/kernels.h"

struct bdem_device {
  scr_device *device;
  bdem_batches *batches;
  bdem_columns columns; /* without `entry`, once it is on the device */
  device_array near, far, rest, stiffness_of, stiffness, position, orientation, result, marks, flags;
  device_array entry, count, near_at, first_near, near_count, sums, put_lane, put_value;
  unsigned char *mark; /* [lanes] */
  double *packed;      /* [6 places] sums on their way */
  batch_sum *sum;      /* [places] */
  uint32_t *unusual;   /* lanes */
  double *value;       /* their results */
  size_t unusual_capacity, value_capacity;
  bool marked; /* the batches have strained lanes of the sweep before */
};

/* ── memory ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status send(bdem_device *d, device_array *array, const void *from, size_t bytes, scr_error *error)
{
  SCR_TRY(device_allocate(d->device, array, bytes, error));
  return device_write(d->device, array, 0, from, bytes, error);
}

/* Distinct stiffnesses are numbered from 0. */
static size_t stiffness_count(const bdem_batches *t)
{
  uint32_t last = 0;
  for (size_t batch = 0; batch < t->batch_count; batch++) last = t->stiffness_of[batch] > last ? t->stiffness_of[batch] : last;
  return t->batch_count ? last + 1 : 0;
}

static scr_status send_bonds(bdem_device *d, scr_error *error)
{
  const bdem_batches *t = d->batches;
  bdem_columns *c = &d->columns;
  SCR_TRY(send(d, &d->near, c->near, c->lanes * sizeof *c->near, error));
  SCR_TRY(send(d, &d->far, c->far, c->lanes * sizeof *c->far, error));
  SCR_TRY(send(d, &d->rest, t->rest, t->batch_count * sizeof *t->rest, error));
  SCR_TRY(send(d, &d->stiffness_of, t->stiffness_of, t->batch_count * sizeof *t->stiffness_of, error));
  SCR_TRY(send(d, &d->stiffness, t->stiffness, stiffness_count(t) * sizeof *t->stiffness, error));
  SCR_TRY(send(d, &d->entry, c->entry, c->longest * c->places * sizeof *c->entry, error));
  SCR_TRY(send(d, &d->count, c->count, c->places * sizeof *c->count, error));
  SCR_TRY(send(d, &d->near_at, c->near_at, c->places * sizeof *c->near_at, error));
  SCR_TRY(send(d, &d->first_near, c->first_near, c->places * sizeof *c->first_near, error));
  return send(d, &d->near_count, c->near_count, c->places * sizeof *c->near_count, error);
}

static scr_status make(bdem_device *d, scr_error *error)
{
  const uint32_t none = 0;
  size_t n = d->batches->sphere_count;
  SCR_TRY(bdem_columns_create(d->batches, &d->columns, error));
  SCR_TRY(send_bonds(d, error));
  SCR_TRY(send(d, &d->flags, &none, sizeof none, error));
  SCR_TRY(device_allocate(d->device, &d->position, n * sizeof(scr_vec3), error));
  SCR_TRY(device_allocate(d->device, &d->orientation, n * sizeof(scr_quat), error));
  SCR_TRY(device_allocate(d->device, &d->result, BDEM_RESULT_NUMBERS * d->columns.lanes * sizeof(double), error));
  SCR_TRY(device_allocate(d->device, &d->marks, d->columns.lanes, error));
  SCR_TRY(device_allocate(d->device, &d->sums, 6 * n * sizeof(double), error));
  SCR_TRY(mem_allocate(&d->mark, d->columns.lanes, 1, "the bonds on a device", error));
  SCR_TRY(mem_allocate(&d->packed, 6 * n, sizeof *d->packed, "the bonds on a device", error));
  return mem_allocate(&d->sum, n, sizeof *d->sum, "the bonds on a device", error);
}

void bdem_device_close(bdem_device *d)
{
  if (!d) return;
  device_array *arrays[] = {&d->near,        &d->far,        &d->rest,       &d->stiffness_of, &d->stiffness, &d->position,
                            &d->orientation, &d->result,     &d->marks,      &d->flags,        &d->entry,     &d->count,
                            &d->near_at,     &d->first_near, &d->near_count, &d->sums,         &d->put_lane,  &d->put_value};
  for (size_t k = 0; d->device && k < sizeof arrays / sizeof *arrays; k++) device_release(d->device, arrays[k]);
  device_close(d->device);
  bdem_columns_clear(&d->columns);
  void *all[] = {d->mark, d->packed, d->sum, d->unusual, d->value};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
  mem_free(d);
}

/* ── a sweep ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status send_states(bdem_device *d, const bdem_body *body, scr_error *error)
{
  bdem_batches *t = d->batches;
  if (t->cut) {
    bdem_columns_follow(t, &d->columns);
    SCR_TRY(device_write(d->device, &d->far, 0, d->columns.far, d->columns.lanes * sizeof *d->columns.far, error));
    t->cut = false;
  }
  SCR_TRY(device_write(d->device, &d->position, 0, body->position, body->sphere_count * sizeof *body->position, error));
  return device_write(d->device, &d->orientation, 0, body->orientation, body->sphere_count * sizeof *body->orientation, error);
}

static scr_status compute(bdem_device *d, scr_error *error)
{
  uint64_t lanes = d->columns.lanes;
  int breakable = d->batches->breakable;
  const device_argument arguments[] = {DEVICE_ARRAY(d->near),         DEVICE_ARRAY(d->far),       DEVICE_ARRAY(d->rest),
                                       DEVICE_ARRAY(d->stiffness_of), DEVICE_ARRAY(d->stiffness), DEVICE_ARRAY(d->position),
                                       DEVICE_ARRAY(d->orientation),  DEVICE_VALUE(breakable),    DEVICE_ARRAY(d->result),
                                       DEVICE_ARRAY(d->marks),        DEVICE_ARRAY(d->flags),     DEVICE_VALUE(lanes)};
  return device_launch(d->device, BDEM_KERNEL_BONDS, lanes, arguments, sizeof arguments / sizeof *arguments, error);
}

static batch_state state_of(const bdem_body *body, uint32_t sphere)
{
  return (batch_state){.position = body->position[sphere], .orientation = body->orientation[sphere]};
}

/* The scalar formula for a lane, by the host. */
static void compute_lane(const bdem_device *d, const bdem_body *body, uint32_t lane, double *value)
{
  const bdem_batches *t = d->batches;
  size_t batch = lane / BATCH_LANES;
  batch_state near = state_of(body, d->columns.near[lane]), far = state_of(body, d->columns.far[lane]);
  bdem_bond_force f = batch_scalar_force(&t->rest[batch], &t->stiffness[t->stiffness_of[batch]], (int)(lane % BATCH_LANES), &near, &far);
  const double numbers[BDEM_RESULT_NUMBERS] = {f.force_j.x,  f.force_j.y,  f.force_j.z,  f.torque_i.x, f.torque_i.y,
                                               f.torque_i.z, f.torque_j.x, f.torque_j.y, f.torque_j.z};
  memcpy(value, numbers, sizeof numbers);
}

static scr_status put_unusual(bdem_device *d, uint64_t count, scr_error *error)
{
  uint64_t lanes = d->columns.lanes;
  device_release(d->device, &d->put_lane);
  device_release(d->device, &d->put_value);
  SCR_TRY(send(d, &d->put_lane, d->unusual, count * sizeof *d->unusual, error));
  SCR_TRY(send(d, &d->put_value, d->value, BDEM_RESULT_NUMBERS * count * sizeof *d->value, error));
  const device_argument arguments[] = {DEVICE_ARRAY(d->result), DEVICE_ARRAY(d->put_lane), DEVICE_ARRAY(d->put_value), DEVICE_VALUE(lanes),
                                       DEVICE_VALUE(count)};
  return device_launch(d->device, BDEM_KERNEL_PUT, count, arguments, sizeof arguments / sizeof *arguments, error);
}

/* Lanes that may be above their strength are the batches' to know; those that are turned too far are computed here. */
static scr_status look_at_marks(bdem_device *d, const bdem_body *body, scr_error *error)
{
  const uint32_t none = 0;
  bdem_batches *t = d->batches;
  uint32_t flag = 0;
  size_t count = 0;
  SCR_TRY(device_read(d->device, &d->flags, 0, &flag, sizeof flag, error));
  if (d->marked) memset(t->strained, 0, t->batch_count);
  d->marked = flag;
  if (!flag) return SCR_OK;
  SCR_TRY(device_write(d->device, &d->flags, 0, &none, sizeof none, error));
  SCR_TRY(device_read(d->device, &d->marks, 0, d->mark, d->columns.lanes, error));
  for (size_t k = 0; k < d->columns.lanes; k++) {
    if (d->mark[k] & BDEM_MARK_STRAINED) t->strained[k / BATCH_LANES] |= (uint8_t)(1u << k % BATCH_LANES);
    if (!(d->mark[k] & BDEM_MARK_UNUSUAL)) continue;
    SCR_TRY(mem_reserve(&d->unusual, &d->unusual_capacity, count + 1, sizeof *d->unusual, "bonds that are turned far", error));
    SCR_TRY(mem_reserve(&d->value, &d->value_capacity, BDEM_RESULT_NUMBERS * (count + 1), sizeof *d->value, "bonds that are turned far",
                        error));
    compute_lane(d, body, (uint32_t)k, d->value + BDEM_RESULT_NUMBERS * count);
    d->unusual[count++] = (uint32_t)k;
  }
  return count ? put_unusual(d, count, error) : SCR_OK;
}

static scr_status add_up(bdem_device *d, scr_error *error)
{
  uint64_t lanes = d->columns.lanes, places = d->columns.places;
  const device_argument arguments[] = {DEVICE_ARRAY(d->entry),      DEVICE_ARRAY(d->count),      DEVICE_ARRAY(d->near_at),
                                       DEVICE_ARRAY(d->first_near), DEVICE_ARRAY(d->near_count), DEVICE_ARRAY(d->result),
                                       DEVICE_ARRAY(d->sums),       DEVICE_VALUE(lanes),         DEVICE_VALUE(places)};
  SCR_TRY(device_launch(d->device, BDEM_KERNEL_GATHER, places, arguments, sizeof arguments / sizeof *arguments, error));
  SCR_TRY(device_read(d->device, &d->sums, 0, d->packed, 6 * places * sizeof *d->packed, error));
  for (size_t k = 0; k < places; k++) {
    const double *from = d->packed + 6 * k;
    d->sum[k] = (batch_sum){.force = vec3(from[0], from[1], from[2]), .torque = vec3(from[3], from[4], from[5])};
  }
  return SCR_OK;
}

static scr_status sweep(bdem_device *d, const bdem_body *body, scr_error *error)
{
  SCR_TRY(send_states(d, body, error));
  SCR_TRY(compute(d, error));
  SCR_TRY(look_at_marks(d, body, error));
  return add_up(d, error);
}

/* batch_elsewhere. */
static const batch_sum *sums_of(void *where, const bdem_body *body)
{
  bdem_device *d = where;
  scr_error *failure = &d->batches->failure;
  if (failure->code == SCR_OK) failure->code = sweep(d, body, failure);
  return failure->code == SCR_OK ? d->sum : NULL;
}

/* ── opening ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status bdem_device_build(bdem_device *d, const char *source, scr_error *error)
{
  return device_build(d->device, source, bdem_kernel_names, BDEM_KERNEL_COUNT, error);
}

static scr_status open_about(const device_about *about, bdem_batches *batches, bdem_device **made, scr_error *error)
{
  if (!batch_kernel_of(BATCH_AVX2))
    return scr_fail(error, SCR_BAD_SCENE, "/run/device",
                    "this processor has no fused multiply-add, so a device would give other bits than it: use run.device cpu");
  bdem_device *d = *made = mem_array(1, sizeof *d);
  if (!d) return scr_fail_memory(error, "a device's arrays", sizeof *d);
  d->batches = batches;
  SCR_TRY(device_open(about, &d->device, error));
  SCR_TRY(bdem_device_build(d, bdem_kernel_source, error));
  SCR_TRY(make(d, error));
  batches->kernel = batch_kernel_of(BATCH_AVX2);
  batches->elsewhere = sums_of;
  batches->where = d;
  return SCR_OK;
}

scr_status bdem_device_open(bdem_batches *batches, const char *name, bool explicit_steps, bdem_device **made, scr_error *error)
{
  device_list list;
  const device_about *about = NULL;
  *made = NULL;
  if (!name || strcmp(name, "cpu") == 0 || (!explicit_steps && strcmp(name, "auto") == 0)) return SCR_OK;
  if (!explicit_steps) return scr_fail(error, SCR_BAD_SCENE, "/run/device", "implicit steps of method bdem are made on the processor");
  device_find_all(&list);
  SCR_TRY(device_choose(&list, name, &about, error));
  return about ? open_about(about, batches, made, error) : SCR_OK;
}

uint64_t bdem_device_copied(const bdem_device *d)
{
  return d->device->copied;
}

const char *bdem_device_kernel_name(const bdem_device *d)
{
  return d->device->about.opener->kernel;
}

const char *bdem_device_bits_of(void)
{
  return batch_kernel_name(batch_kernel_of(BATCH_AVX2));
}
