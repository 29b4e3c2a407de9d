/* The springs of contacts: what stretches them in explicit steps, what they store, and how they are kept while lists of contacts change. */
#include "methods/bdem/contact/friction.h"

#include "base/memory.h"
#include "sim/method.h"

bool bdem_friction_acts(const bdem_contacts *contacts)
{
  for (size_t k = 0; contacts->laws && k < contacts->law_count; ++k)
    if (contacts->laws[k].friction_coefficient > 0.0) return true;
  return false;
}

scr_vec3 bdem_spring_turned(scr_vec3 spring, scr_vec3 normal, double twist)
{
  double old = vec3_dot(spring, spring);
  if (old == 0.0) return spring;
  scr_vec3 s = vec3_add(spring, vec3_scale(vec3_cross(normal, spring), twist));
  s = vec3_sub(s, vec3_scale(normal, vec3_dot(s, normal)));
  double square = vec3_dot(s, s);
  return square > 1e-12 * old ? vec3_scale(s, sqrt(old / square)) : vec3(0, 0, 0);
}

scr_vec3 bdem_spring_limited(scr_vec3 stretch, double limit)
{
  double length = vec3_length(stretch);
  return length > limit ? vec3_scale(stretch, limit / length) : stretch;
}

bdem_spring_force bdem_spring_friction(scr_vec3 *spring, bool *sticks, const bdem_slip *slip)
{
  double tangential = slip->shear * slip->stiffness, limit = slip->friction * slip->stiffness * slip->overlap / tangential;
  scr_vec3 before = bdem_spring_turned(*spring, slip->normal, slip->twist);
  double along = vec3_dot(slip->displacement, slip->normal);
  scr_vec3 x = vec3_add(before, vec3_sub(slip->displacement, vec3_scale(slip->normal, along)));
  *spring = bdem_spring_limited(x, limit);
  *sticks = vec3_length(x) <= limit;
  double slip_work = 0.5 * tangential * vec3_dot(vec3_add(before, *spring), vec3_sub(x, *spring));
  return (bdem_spring_force){vec3_scale(*spring, -tangential), fmax(0.0, slip_work)};
}

double bdem_pair_springs_energy(const bdem_contacts *contacts)
{
  double sum = 0.0;
  for (size_t k = 0; contacts->friction && k < contacts->pair_count; ++k)
    sum += 0.5 * contacts->pairs[k].shear * contacts->pairs[k].stiffness * vec3_dot(contacts->pairs[k].spring, contacts->pairs[k].spring);
  return sum;
}

double bdem_touch_springs_energy(const bdem_contacts *contacts)
{
  double sum = 0.0;
  for (size_t k = 0; contacts->friction && k < contacts->touch_count; ++k)
    sum += 0.5 * contacts->touches[k].shear * contacts->touches[k].stiffness *
           vec3_dot(contacts->touches[k].spring, contacts->touches[k].spring);
  return sum;
}

/* ── lists of springs ───────────────────────────────────────────────────────────────────────────────────────────── */

static bool stretched(scr_vec3 spring)
{
  return spring.x != 0.0 || spring.y != 0.0 || spring.z != 0.0;
}

/* All that are stretched, pairs first, in the order of the candidates. */
static scr_status gather(const bdem_contacts *contacts, bdem_spring **list, size_t *count, size_t *capacity, scr_error *error)
{
  size_t needed = 0, at = 0;
  for (size_t k = 0; k < contacts->pair_count; ++k) needed += stretched(contacts->pairs[k].spring);
  for (size_t k = 0; k < contacts->touch_count; ++k) needed += stretched(contacts->touches[k].spring);
  *count = 0;
  SCR_TRY(mem_reserve(list, capacity, needed, sizeof **list, "the contacts' friction", error));
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    const bdem_pair *pair = &contacts->pairs[k];
    if (stretched(pair->spring)) (*list)[at++] = (bdem_spring){pair->i, pair->j, pair->spring};
  }
  for (size_t k = 0; k < contacts->touch_count; ++k) {
    const bdem_touch *touch = &contacts->touches[k];
    if (stretched(touch->spring)) (*list)[at++] = (bdem_spring){BDEM_NO_SPHERE - touch->part, touch->sphere, touch->spring};
  }
  *count = at;
  return SCR_OK;
}

static int compare_ends(uint32_t i, uint32_t j, uint32_t k, uint32_t l)
{
  if (i != k) return i < k ? -1 : 1;
  return (j > l) - (j < l);
}

/* The candidate pair of i and j, SIZE_MAX: none. */
static size_t find_pair(const bdem_contacts *contacts, uint32_t i, uint32_t j)
{
  size_t low = 0, high = contacts->pair_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = compare_ends(contacts->pairs[middle].i, contacts->pairs[middle].j, i, j);
    if (order == 0) return middle;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return SIZE_MAX;
}

static size_t find_touch(const bdem_contacts *contacts, uint32_t part, uint32_t sphere)
{
  if (part >= contacts->part_count) return SIZE_MAX;
  size_t low = contacts->touch_first[part], high = contacts->touch_first[part + 1];
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (contacts->touches[middle].sphere == sphere) return middle;
    if (contacts->touches[middle].sphere < sphere)
      low = middle + 1;
    else
      high = middle;
  }
  return SIZE_MAX;
}

/* The spring of a listed contact, NULL: not listed. */
static scr_vec3 *find_spring(const bdem_contacts *contacts, const bdem_spring *spring)
{
  bool touches = spring->first > BDEM_NO_SPHERE - SCR_PART_LIMIT;
  size_t k =
      touches ? find_touch(contacts, BDEM_NO_SPHERE - spring->first, spring->second) : find_pair(contacts, spring->first, spring->second);
  if (k == SIZE_MAX) return NULL;
  return touches ? &contacts->touches[k].spring : &contacts->pairs[k].spring;
}

/* Relaxes all springs, then stretches those of a list. @return how many of them have no contact any more */
static size_t scatter(bdem_contacts *contacts, const bdem_spring *list, size_t count)
{
  size_t lost = 0;
  for (size_t k = 0; k < contacts->pair_count; ++k) contacts->pairs[k].spring = vec3(0, 0, 0);
  for (size_t k = 0; k < contacts->touch_count; ++k) contacts->touches[k].spring = vec3(0, 0, 0);
  for (size_t k = 0; k < count; ++k) {
    scr_vec3 *spring = find_spring(contacts, &list[k]);
    if (spring)
      *spring = list[k].stretch;
    else
      ++lost;
  }
  return lost;
}

scr_status bdem_friction_keep(bdem_contacts *contacts, scr_error *error)
{
  bdem_friction *f = contacts->friction;
  return f ? gather(contacts, &f->kept, &f->kept_count, &f->kept_capacity, error) : SCR_OK;
}

void bdem_friction_restore(bdem_contacts *contacts)
{
  if (contacts->friction) scatter(contacts, contacts->friction->kept, contacts->friction->kept_count);
}

scr_status bdem_friction_unlist(bdem_contacts *contacts, scr_error *error)
{
  bdem_friction *f = contacts->friction;
  return f ? gather(contacts, &f->carried, &f->carried_count, &f->carried_capacity, error) : SCR_OK;
}

void bdem_friction_relist(bdem_contacts *contacts)
{
  const bdem_friction *f = contacts->friction;
  if (f) scatter(contacts, f->carried, f->carried_count);
}

scr_status bdem_friction_save(bdem_contacts *contacts, scr_blob *blob, scr_error *error)
{
  bdem_friction *f = contacts->friction;
  if (!f) return SCR_OK;
  SCR_TRY(gather(contacts, &f->carried, &f->carried_count, &f->carried_capacity, error));
  return scr_blob_write_array(blob, f->carried, f->carried_count, sizeof *f->carried, error);
}

scr_status bdem_friction_load(bdem_contacts *contacts, scr_blob *blob, scr_error *error)
{
  bdem_friction *f = contacts->friction;
  size_t count;
  double sum = 0.0;
  if (!f) return SCR_OK;
  SCR_TRY(scr_blob_peek_count(blob, &count, error));
  bool fits = count <= contacts->pair_count + contacts->touch_count;
  if (fits && !mem_grow(&f->carried, &f->carried_capacity, count, sizeof *f->carried))
    return scr_fail_memory(error, "the contacts' friction", count * sizeof *f->carried);
  if (fits) SCR_TRY(scr_blob_read_array(blob, f->carried, count, sizeof *f->carried, "springs of friction", error));
  f->carried_count = fits ? count : 0;
  for (size_t k = 0; k < f->carried_count; ++k) sum += f->carried[k].stretch.x + f->carried[k].stretch.y + f->carried[k].stretch.z;
  if (!fits || !isfinite(sum) || scatter(contacts, f->carried, f->carried_count) > 0) return scr_sim_damaged("springs of friction", error);
  return SCR_OK;
}

void bdem_friction_clear(bdem_friction *f)
{
  mem_free(f->slides);
  mem_free(f->kept);
  mem_free(f->carried);
  *f = (bdem_friction){0};
}
