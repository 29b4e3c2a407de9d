/* Contact between nodes on the device. */
#include "methods/peridem/device/pairs.h"

#include <string.h>

#include "base/memory.h"
#include "methods/peridem/device/marked.h"
#include "methods/peridem/device/subset.h"
#include "methods/peridem/host/contact/contact.h"
#include "methods/peridem/law/bounds.h"

bool pd_pairs_on_device(const pd_state *s)
{
  return !s->explicit_damping && !s->host->facing;
}

void pd_pairs_changed(const pd_state *s)
{
  pd_device_pairs *p = &s->device->pairs;
  p->rows_are_there = p->places_are_there = p->facing_is_known = p->met_is_known = s->device->watch.is_known = false;
}

static scr_status send_laws(pd_state *s, scr_error *error)
{
  pd_device *d = s->device;
  double *numbers = mem_array(s->body_count * PD_PAIR_NUMBERS + s->law_count * PD_LAW_NUMBERS, sizeof *numbers), *laws;
  if (!numbers) return scr_fail_memory(error, "the laws of contacts", s->law_count * sizeof *numbers);
  for (size_t b = 0; b < s->body_count; b++) {
    double *of = numbers + PD_PAIR_NUMBERS * b;
    of[PD_PAIR_VOLUME] = s->bodies[b].node_volume;
    of[PD_PAIR_SPACING] = s->bodies[b].spacing;
    of[PD_PAIR_MODULUS] = s->bodies[b].self_micromodulus;
    of[PD_PAIR_MATERIAL] = s->bodies[b].material;
  }
  laws = numbers + s->body_count * PD_PAIR_NUMBERS;
  for (size_t k = 0; k < s->law_count; k++) {
    laws[PD_LAW_NUMBERS * k + PD_LAW_STIFFNESS] = s->laws[k].stiffness;
    laws[PD_LAW_NUMBERS * k + PD_LAW_DAMPING] = s->laws[k].damping_ratio;
    laws[PD_LAW_NUMBERS * k + PD_LAW_FRICTION] = s->laws[k].friction_coefficient;
  }
  scr_status status = pd_send(d, &d->pairs.bodies, numbers, s->body_count * PD_PAIR_NUMBERS * sizeof *numbers, error);
  if (status == SCR_OK) status = pd_send(d, &d->pairs.laws, laws, s->law_count * PD_LAW_NUMBERS * sizeof *laws, error);
  mem_free(numbers);
  return status;
}

scr_status pd_pairs_create(pd_state *s, scr_error *error)
{
  pd_device *d = s->device;
  if (s->explicit_damping) return SCR_OK;
  SCR_TRY(device_allocate(d->device, &d->pairs.at, 3 * s->node_count * sizeof(double), error));
  if (s->host->facing)
    return mem_allocate(&d->pairs.facing, s->node_count, sizeof *d->pairs.facing, "the nodes of contacts by faces", error);
  SCR_TRY(device_allocate(d->device, &d->pairs.first, (s->node_count + 1) * sizeof(uint32_t), error));
  SCR_TRY(device_allocate(d->device, &d->pairs.met_count, s->node_count * sizeof(uint32_t), error));
  return send_laws(s, error);
}

void pd_pairs_clear(pd_device *d)
{
  pd_device_pairs *p = &d->pairs;
  device_array *arrays[] = {&p->at, &p->first, &p->other, &p->met, &p->met_count, &p->bodies, &p->laws};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_release(d->device, arrays[k]);
  mem_free(p->facing);
  mem_free(p->touching);
}

/* Whether a node has moved by half the skin since rows were made, as pd_contact_list_is_old has it. */
static bool rows_are_old(const pd_state *s)
{
  pd_device *d = s->device;
  const geo_near_list *near = &s->host->near;
  uint64_t n = s->node_count;
  double limit = 0.5 * s->options->contact_skin * s->contact_radius;
  size_t bytes = s->node_count * sizeof(double);
  const device_argument arguments[] = {DEVICE_ARRAY(d->vector[PD_POSITION]), DEVICE_ARRAY(d->pairs.at), DEVICE_VALUE(limit),
                                       DEVICE_ARRAY(d->flags), DEVICE_VALUE(n)};
  if (near->stale || !pd_to_device(s, PD_OF_POSITION)) return true;
  for (size_t a = 0; a < 3 && !d->pairs.places_are_there && d->status == SCR_OK; a++)
    d->status = device_write(d->device, &d->pairs.at, a * bytes, near->at[a], bytes, &d->error);
  d->pairs.places_are_there = true;
  pd_run_kernel(s, PD_KERNEL_MOVED, n, arguments, sizeof arguments / sizeof *arguments);
  return pd_take_flag(s, PD_FLAG_MOVED);
}

static scr_status send_rows(pd_state *s, scr_error *error)
{
  pd_device *d = s->device;
  const geo_near_list *near = &s->host->near;
  size_t bytes = near->first[s->node_count] * sizeof *near->other;
  if (d->pairs.rows_are_there) return SCR_OK;
  SCR_TRY(pd_reserve(d, &d->pairs.other, bytes, error));
  SCR_TRY(pd_reserve(d, &d->pairs.met, bytes, error));
  SCR_TRY(device_write(d->device, &d->pairs.first, 0, near->first, (s->node_count + 1) * sizeof *near->first, error));
  SCR_TRY(device_write(d->device, &d->pairs.other, 0, near->other, bytes, error));
  d->pairs.rows_are_there = true;
  return SCR_OK;
}

/* No pair touches, as far as the host knows. */
static void forget_touching(pd_state *s)
{
  pd_device_pairs *p = &s->device->pairs;
  uint32_t *met_count = s->host->met_count;
  if (!p->met_is_known) memset(met_count, 0, s->node_count * sizeof *met_count);
  for (size_t k = 0; p->met_is_known && k < p->touching_count; k++) met_count[p->touching[2 * k]] = 0;
  p->touching_count = p->met_total = 0;
  p->met_is_known = true;
}

/* Which rows have a pair that touches goes to the host, which counts dampers; which pairs, the device keeps to itself. */
static scr_status take_met(pd_state *s, scr_error *error)
{
  pd_device_pairs *p = &s->device->pairs;
  const uint32_t *marked;
  forget_touching(s);
  if (!pd_take_flag(s, PD_FLAG_MET)) return pd_device_failure(s, error);
  size_t rows = pd_take_marked(s, &p->met_count, false, &marked);
  SCR_TRY(pd_device_failure(s, error));
  SCR_TRY(mem_reserve(&p->touching, &p->touching_capacity, 2 * rows, sizeof *p->touching, "the pairs that touch", error));
  for (size_t k = 0; k < rows; k++) {
    p->touching[2 * k] = marked[2 * k];
    p->touching[2 * k + 1] = (uint32_t)p->met_total;
    s->host->met_count[marked[2 * k]] = marked[2 * k + 1];
    p->met_total += marked[2 * k + 1];
  }
  p->touching_count = rows;
  return SCR_OK;
}

/* Entries of rows as the host has them now. */
typedef struct row_patch {
  uint64_t *slot;  /* [count] */
  uint32_t *value; /* [count] */
  uint64_t count;
} row_patch;

/* The entry of node j in node i's row, which no bond marks any more; pairs farther apart than rows reach have none. */
static void note_unmarked(const pd_state *s, size_t i, size_t j, row_patch *patch)
{
  const geo_near_list *near = &s->host->near;
  for (uint32_t k = near->first[i]; k < near->first[i + 1]; k++)
    if (near->other[k] == j) {
      patch->slot[patch->count] = k;
      patch->value[patch->count++] = (uint32_t)j;
      return;
    }
}

static scr_status send_patch(pd_device *d, const row_patch *patch, scr_error *error)
{
  device_array slot = {0}, value = {0};
  scr_status status = pd_send(d, &slot, patch->slot, patch->count * sizeof *patch->slot, error);
  if (status == SCR_OK) status = pd_send(d, &value, patch->value, patch->count * sizeof *patch->value, error);
  const device_argument arguments[] = {DEVICE_ARRAY(d->pairs.other), DEVICE_ARRAY(slot), DEVICE_ARRAY(value), DEVICE_VALUE(patch->count)};
  if (status == SCR_OK) status = device_launch(d->device, PD_KERNEL_PUT, patch->count, arguments, 4, error);
  if (status == SCR_OK) status = device_wait(d->device, error);
  device_release(d->device, &slot);
  device_release(d->device, &value);
  return status;
}

scr_status pd_pairs_break(pd_state *s, size_t first, scr_error *error)
{
  const pd_host *h = s->host;
  pd_device *d = s->device;
  if (h->near.stale) d->pairs.rows_are_there = false; /* they are made anew */
  if (!d->pairs.rows_are_there) return SCR_OK;
  size_t most = 2 * (h->torn_bond_count - first);
  row_patch patch = {0};
  scr_status status = mem_allocate(&patch.slot, most, sizeof *patch.slot, "the bonds that broke", error);
  if (status == SCR_OK) status = mem_allocate(&patch.value, most, sizeof *patch.value, "the bonds that broke", error);
  for (size_t k = first; k < h->torn_bond_count && status == SCR_OK; k++) {
    note_unmarked(s, h->torn_bonds[k].near, h->torn_bonds[k].far, &patch);
    note_unmarked(s, h->torn_bonds[k].far, h->torn_bonds[k].near, &patch);
  }
  if (status == SCR_OK && patch.count) status = send_patch(d, &patch, error);
  mem_free(patch.slot);
  mem_free(patch.value);
  return status;
}

static void push(pd_state *s)
{
  pd_device *d = s->device;
  uint64_t n = s->node_count, materials = s->scene->material_count + 1;
  double radius = s->contact_radius;
  int by_nodes = pd_contact_begins(s->options) == PD_SURFACE_NODES;
  const device_argument arguments[] = {DEVICE_ARRAY(d->pairs.first),
                                       DEVICE_ARRAY(d->pairs.other),
                                       DEVICE_ARRAY(d->vector[PD_POSITION]),
                                       DEVICE_ARRAY(d->reference),
                                       DEVICE_ARRAY(d->grain),
                                       DEVICE_ARRAY(d->body),
                                       DEVICE_ARRAY(d->pairs.bodies),
                                       DEVICE_ARRAY(d->pairs.laws),
                                       DEVICE_VALUE(radius),
                                       DEVICE_VALUE(by_nodes),
                                       DEVICE_VALUE(materials),
                                       DEVICE_ARRAY(d->vector[PD_FORCE]),
                                       DEVICE_ARRAY(d->pairs.met_count),
                                       DEVICE_ARRAY(d->pairs.met),
                                       DEVICE_ARRAY(d->flags),
                                       DEVICE_VALUE(n)};
  pd_run_kernel(s, PD_KERNEL_PAIRS, n, arguments, sizeof arguments / sizeof *arguments);
  pd_device_wrote(s, PD_OF_FORCE);
}

/* Rows anew where they are old. */
static scr_status follow(pd_state *s, scr_error *error)
{
  if (!rows_are_old(s)) return SCR_OK;
  if (!pd_to_host(s, PD_OF_POSITION)) return pd_device_failure(s, error);
  SCR_TRY(pd_contact_list(s, false, error));
  pd_pairs_changed(s);
  return SCR_OK;
}

scr_status pd_pairs_pass_by_faces(pd_state *s, double *heat, scr_error *error)
{
  SCR_TRY(follow(s, error));
  unsigned motion = pd_subset_of_facing(s) ? PD_OF_VELOCITY | PD_OF_ACCELERATION : 0;
  if (!pd_subset_to_host(s, PD_OF_POSITION | PD_OF_FORCE | motion)) return pd_device_failure(s, error);
  SCR_TRY(pd_contact_rows(s, heat, error));
  return pd_subset_to_device(s, PD_OF_FORCE) ? SCR_OK : pd_device_failure(s, error);
}

scr_status pd_pairs_pass(pd_state *s, scr_error *error)
{
  pd_device *d = s->device;
  pd_host *h = s->host;
  SCR_TRY(follow(s, error));
  if (h->near.first[s->node_count] == 0) {
    forget_touching(s);
    return pd_device_failure(s, error);
  }
  SCR_TRY(send_rows(s, error));
  if (!pd_to_device(s, PD_OF_POSITION | PD_OF_FORCE)) return pd_device_failure(s, error);
  push(s);
  SCR_TRY(pd_device_failure(s, error));
  scr_status status = take_met(s, error);
  return status == SCR_OK ? pd_device_failure(s, error) : d->status != SCR_OK ? pd_device_failure(s, error) : status;
}
