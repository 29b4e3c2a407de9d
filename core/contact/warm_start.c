/* Impulses by contact keys: a sorted array, searched by halving. */
#include "contact/warm_start.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int compare_keys(contact_key a, contact_key b)
{
  if (a.first != b.first) return a.first < b.first ? -1 : 1;
  return (a.second > b.second) - (a.second < b.second);
}

/* A key with its place, so that equal keys stay in the order given. */
typedef struct numbered_key {
  contact_key key;
  size_t place;
} numbered_key;

static int by_key(const void *a, const void *b)
{
  const numbered_key *x = a, *y = b;
  int order = compare_keys(x->key, y->key);
  return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* r in world axes, or as it is. */
static void to_world(unsigned d, const double *axes, const double *r, double *world)
{
  if (!axes) {
    memcpy(world, r, d * sizeof *world);
    return;
  }
  for (unsigned k = 0; k < d; ++k)
    for (unsigned c = 0; c < 3; ++c) world[c] += axes[3 * k + c] * r[k];
}

scr_status warm_start_keep(warm_start *self, unsigned d, size_t n, const contact_key *key, const double *axes, const double *impulse,
                           double time_step, scr_error *error)
{
  self->count = 0;
  self->time_step = 0.0;
  if (d > CONE_DIMENSION_MAX || (axes && d > 3))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "impulses of dimension %u can't be kept %s: axes are for 2 and 3 dimensions", d,
                    axes ? "by axes in space" : "at all");
  if (n == 0) return SCR_OK;
  numbered_key *sorted = mem_array(n, sizeof *sorted);
  if (!sorted || !mem_grow(&self->entry, &self->capacity, n, sizeof *self->entry)) {
    mem_free(sorted);
    return scr_fail_memory(error, "impulses kept for the next step", n * sizeof *self->entry);
  }
  for (size_t i = 0; i < n; ++i) sorted[i] = (numbered_key){key[i], i};
  qsort(sorted, n, sizeof *sorted, by_key);
  for (size_t k = 0; k < n; ++k) {
    size_t i = sorted[k].place;
    if (self->count > 0 && compare_keys(self->entry[self->count - 1].key, sorted[k].key) == 0) continue;
    warm_start_entry *entry = &self->entry[self->count++];
    *entry = (warm_start_entry){.key = sorted[k].key};
    to_world(d, axes ? axes + 3 * d * i : NULL, impulse + d * i, entry->impulse);
  }
  self->time_step = time_step;
  mem_free(sorted);
  return SCR_OK;
}

static const warm_start_entry *find(const warm_start *self, contact_key key)
{
  size_t low = 0, high = self->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = compare_keys(self->entry[middle].key, key);
    if (order == 0) return &self->entry[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

size_t warm_start_recall(const warm_start *self, unsigned d, size_t n, const contact_key *key, const double *axes, double time_step,
                         double *impulse)
{
  double share = self->time_step > 0.0 ? time_step / self->time_step : 0.0;
  size_t found = 0;
  for (size_t i = 0; i < n; ++i) {
    const warm_start_entry *entry = find(self, key[i]);
    double *r = impulse + d * i;
    found += entry != NULL;
    for (unsigned k = 0; k < d; ++k) {
      const double *e = axes ? axes + 3 * (d * i + k) : NULL;
      double along = !entry ? 0.0 : !e ? entry->impulse[k] : e[0] * entry->impulse[0] + e[1] * entry->impulse[1] + e[2] * entry->impulse[2];
      r[k] = share * along;
    }
  }
  return found;
}

void warm_start_clear(warm_start *self)
{
  mem_free(self->entry);
  *self = (warm_start){0};
}

double contact_restitution(double restitution, double approach, double threshold)
{
  return approach < -threshold ? restitution * approach : 0.0;
}
