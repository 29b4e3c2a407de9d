/* Nodes that kernels have marked. The device counts them chunk by chunk; the host says where those of each chunk go; they come side by
 * side. */
#include "methods/peridem/device/marked.h"

#include <string.h>

#include "base/memory.h"

static size_t chunks_of(const pd_state *s)
{
  return (s->node_count + PD_MARKED_CHUNK - 1) / PD_MARKED_CHUNK;
}

scr_status pd_marked_create(pd_state *s, scr_error *error)
{
  pd_device *d = s->device;
  pd_marked *m = &d->marked;
  SCR_TRY(mem_allocate(&m->found, chunks_of(s), sizeof *m->found, "the nodes that are marked", error));
  SCR_TRY(mem_allocate(&m->place, 2 * chunks_of(s), sizeof *m->place, "the nodes that are marked", error));
  SCR_TRY(device_allocate(d->device, &m->counts, chunks_of(s) * sizeof *m->found, error));
  return device_allocate(d->device, &m->places, 2 * chunks_of(s) * sizeof *m->place, error);
}

void pd_marked_clear(pd_device *d)
{
  pd_marked *m = &d->marked;
  device_array *arrays[] = {&m->counts, &m->places, &m->packed};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_release(d->device, arrays[k]);
  void *all[] = {m->found, m->place, m->list, m->past};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
}

/* Where those of each chunk go. @return how many chunks have some; `total` receives how many there are */
static size_t place_chunks(const pd_state *s, size_t *total)
{
  pd_marked *m = &s->device->marked;
  size_t chunks = 0;
  *total = 0;
  for (size_t c = 0; c < chunks_of(s); c++) {
    if (!m->found[c]) continue;
    m->place[2 * chunks] = (uint32_t)c;
    m->place[2 * chunks++ + 1] = (uint32_t)*total;
    *total += m->found[c];
  }
  return chunks;
}

static scr_status count(const pd_state *s, const device_array *words, scr_error *error)
{
  pd_device *d = s->device;
  pd_marked *m = &d->marked;
  uint64_t chunk = PD_MARKED_CHUNK, n = s->node_count;
  const device_argument arguments[] = {DEVICE_ARRAY(*words), DEVICE_ARRAY(m->counts), DEVICE_VALUE(chunk), DEVICE_VALUE(n)};
  SCR_TRY(device_launch(d->device, PD_KERNEL_COUNT_MARKED, chunks_of(s), arguments, sizeof arguments / sizeof *arguments, error));
  return device_read(d->device, &m->counts, 0, m->found, chunks_of(s) * sizeof *m->found, error);
}

static scr_status take(const pd_state *s, const device_array *words, bool taken_off, uint64_t chunks, size_t total, scr_error *error)
{
  pd_device *d = s->device;
  pd_marked *m = &d->marked;
  uint64_t chunk = PD_MARKED_CHUNK, n = s->node_count;
  int off = taken_off;
  SCR_TRY(mem_reserve(&m->list, &m->capacity, 2 * total, sizeof *m->list, "the nodes that are marked", error));
  SCR_TRY(pd_reserve(d, &m->packed, 2 * total * sizeof *m->list, error));
  SCR_TRY(device_write(d->device, &m->places, 0, m->place, 2 * chunks * sizeof *m->place, error));
  const device_argument arguments[] = {DEVICE_ARRAY(*words), DEVICE_ARRAY(m->places), DEVICE_ARRAY(m->packed), DEVICE_VALUE(off),
                                       DEVICE_VALUE(chunk),  DEVICE_VALUE(chunks),    DEVICE_VALUE(n)};
  SCR_TRY(device_launch(d->device, PD_KERNEL_TAKE_MARKED, chunks, arguments, sizeof arguments / sizeof *arguments, error));
  return device_read(d->device, &m->packed, 0, m->list, 2 * total * sizeof *m->list, error);
}

size_t pd_take_marked(const pd_state *s, const device_array *words, bool off, const uint32_t **list)
{
  pd_device *d = s->device;
  size_t total = 0, chunks = 0;
  if (d->status == SCR_OK) d->status = count(s, words, &d->error);
  if (d->status == SCR_OK) chunks = place_chunks(s, &total);
  if (d->status == SCR_OK && total) d->status = take(s, words, off, chunks, total, &d->error);
  *list = d->marked.list;
  return d->status == SCR_OK ? total : 0;
}

/* ── bonds past their limit ──────────────────────────────────────────────────────────────────────────────────────── */

size_t pd_note_past(const pd_state *s)
{
  pd_device *d = s->device;
  pd_marked *m = &d->marked;
  const uint32_t *list;
  m->past_count = pd_take_marked(s, &d->torn, true, &list);
  if (d->status == SCR_OK)
    d->status = mem_reserve(&m->past, &m->past_capacity, m->past_count, sizeof *m->past, "the bonds that break", &d->error);
  if (d->status != SCR_OK) return m->past_count = 0;
  for (size_t k = 0; k < m->past_count; k++) {
    m->past[k] = list[2 * k];
    s->host->torn[list[2 * k]] = 1;
  }
  return m->past_count;
}
