/* What overlaps at the start. A packed body's spheres stick out of its surface by up to half a radius, so bodies that just touch each other or
 * the rig begin with overlaps that are none of theirs: a sphere of 3 mm between platens 3 mm apart would break at once. Their distance at the start is
 * the zero of their gaps instead, for good: nothing pushes until they come nearer. A sphere that is a specimen by itself, and a yarn, have the
 * surfaces that they seem to have, and push as deep as they are put. */
#include "base/memory.h"
#include "methods/bdem/state.h"

bool bdem_is_packed(const bdem_filling *filling, const scr_specimen *specimen)
{
  return filling->pair_count > 0 && specimen->shape.kind != SCR_SHAPE_WEAVE;
}

/* The same of a sphere in a run. */
static bool packed(const bdem_state *s, size_t i)
{
  const bdem_grain *grain = &s->grains[s->grain_of[i]];
  return s->degree[grain->first] > 0 && s->scene->specimens[grain->specimen].shape.kind != SCR_SHAPE_WEAVE;
}

static scr_status seat_pair(bdem_state *s, bdem_pair *pair, scr_error *error)
{
  scr_vec3 normal;
  double overlap = bdem_pair_overlap(pair, &s->body, &normal);
  bool bodies = packed(s, pair->i) || packed(s, pair->j), apart = s->grain_of[pair->i] != s->grain_of[pair->j];
  if (!(overlap > 0.0) || !bodies || (apart && s->options->allow_initial_contact)) return SCR_OK;
  if (!mem_grow(&s->seated, &s->seated_capacity, s->seated_count + 1, sizeof *s->seated))
    return scr_fail_memory(error, "the contacts at the start", (s->seated_count + 1) * sizeof *s->seated);
  pair->reach -= overlap;
  s->seated[s->seated_count++] = (bdem_broken){pair->i, pair->j, pair->reach};
  s->deepest_seat = fmax(s->deepest_seat, overlap);
  return SCR_OK;
}

static scr_status seat_touch(bdem_state *s, bdem_touch *touch, scr_error *error)
{
  scr_vec3 normal;
  double overlap = bdem_touch_overlap(&s->contacts, touch, &s->body, &normal);
  if (!(overlap > 0.0) || !packed(s, touch->sphere)) return SCR_OK;
  if (!mem_grow(&s->seats, &s->seat_capacity, s->seat_count + 1, sizeof *s->seats))
    return scr_fail_memory(error, "the contacts at the start", (s->seat_count + 1) * sizeof *s->seats);
  touch->reach -= overlap;
  s->seats[s->seat_count++] = (bdem_seat){touch->part, touch->sphere, touch->reach};
  s->deepest_seat = fmax(s->deepest_seat, overlap);
  return SCR_OK;
}

scr_status bdem_seats_create(bdem_state *s, scr_error *error)
{
  for (size_t k = 0; k < s->contacts.pair_count; ++k) SCR_TRY(seat_pair(s, &s->contacts.pairs[k], error));
  for (size_t k = 0; k < s->contacts.touch_count; ++k) SCR_TRY(seat_touch(s, &s->contacts.touches[k], error));
  return SCR_OK;
}

/* Order of (a, b) and (c, d). */
static int compare(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
  if (a != c) return a < c ? -1 : 1;
  return (b > d) - (b < d);
}

double bdem_seated_pair_reach(const bdem_state *s, uint32_t i, uint32_t j, double reach)
{
  size_t low = 0, high = s->seated_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = compare(s->seated[middle].i, s->seated[middle].j, i, j);
    if (order == 0) return s->seated[middle].reach;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return reach;
}

double bdem_seated_touch_reach(const bdem_state *s, uint32_t part, uint32_t sphere, double reach)
{
  size_t low = 0, high = s->seat_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = compare(s->seats[middle].part, s->seats[middle].sphere, part, sphere);
    if (order == 0) return s->seats[middle].reach;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return reach;
}
