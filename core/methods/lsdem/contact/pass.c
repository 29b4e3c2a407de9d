/* The force pass: views of grains, directions asked, sums in their order. */
#include "methods/lsdem/contact/pass.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "methods/lsdem/contact/find_contacts.h"
#include "methods/lsdem/contact/bond.h"
#include "methods/lsdem/contact/law.h"
#include "methods/lsdem/contact/query.h"
#include "methods/lsdem/scene/check.h"
#include "methods/lsdem/scene/options.h"

/* ── sums ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void clear_sums(lsdem_state *s)
{
  for (size_t i = 0; i < s->grain_count; i++) {
    s->grains[i].force = s->grains[i].torque = s->grains[i].dashpot_force = s->grains[i].dashpot_torque = vec3(0, 0, 0);
    s->touching[i] = 0;
    s->stiffness[i] = 0;
  }
  for (size_t a = 0; a < s->amplitude_count; a++) s->modal_force[a] = s->modal_dashpot[a] = 0;
  for (size_t p = 0; p < s->parts->count; p++) {
    s->parts->load[p] = (part_load){0};
    s->dashpot[p] = (lsdem_pull){0};
  }
  s->contact_energy = s->bond_energy = s->deepest = 0;
  s->pairs_touching = s->parts_touching = 0;
  s->near.share_count = 0;
  for (int k = 0; k < 6; k++) s->fabric[k] = 0;
}

/* The share of the contact between two grains whose first direction is this one; NULL: that does not touch. */
static lsdem_share *share_of(const lsdem_directions *near, uint32_t slave, uint32_t master)
{
  size_t low = 0, high = near->share_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    const lsdem_share *at = &near->shares[middle];
    if (at->slave < slave || (at->slave == slave && at->master < master))
      low = middle + 1;
    else
      high = middle;
  }
  lsdem_share *at = low < near->share_count ? &near->shares[low] : NULL;
  return at && at->slave == slave && at->master == master ? at : NULL;
}

/* Counts a direction's contact, unless the other direction has, and takes its nodes into the contact's share. Directions come in rising
 * order. */
static bool count_contact(lsdem_state *s, const lsdem_direction *direction, const lsdem_sums *sums)
{
  lsdem_directions *near = &s->near;
  bool grain = direction->master < s->grain_count;
  lsdem_share *share = grain && direction->slave > direction->master ? share_of(near, direction->master, direction->slave) : NULL;
  if (share) {
    share->area += sums->area;
    for (int k = 0; k < 6; k++) share->facing[k] += sums->facing[k];
    share->pressing += sums->pressing;
    share->middle = vec3_add(share->middle, sums->middle);
    share->push = vec3_sub(share->push, sums->push);
    return true;
  }
  if (!mem_grow(&near->shares, &near->share_capacity, near->share_count + 1, sizeof *near->shares)) return false;
  share = &near->shares[near->share_count++];
  *share = (lsdem_share){.slave = direction->slave,
                         .master = direction->master,
                         .area = sums->area,
                         .pressing = sums->pressing,
                         .middle = sums->middle,
                         .push = sums->push};
  memcpy(share->facing, sums->facing, sizeof share->facing);
  if (!grain) {
    s->parts_touching++;
    return true;
  }
  s->pairs_touching++;
  s->touching[direction->slave]++;
  s->touching[direction->master]++;
  return true;
}

/* A contact's share in the fabric: the mean over the areas of its nodes, those of both grains. */
static void add_fabric(lsdem_state *s)
{
  for (size_t c = 0; c < s->near.share_count; c++)
    for (int k = 0; k < 6; k++) s->fabric[k] += s->near.shares[c].facing[k] / s->near.shares[c].area;
}

/* The dashpots' part of a direction's forces, by which their work is booked. */
static void add_dashpots(lsdem_state *s, const lsdem_direction *direction, const lsdem_wrench *dashpot, const double *modal)
{
  lsdem_grain *slave = &s->grains[direction->slave];
  slave->dashpot_force = vec3_add(slave->dashpot_force, dashpot->force);
  slave->dashpot_torque = vec3_add(slave->dashpot_torque, dashpot->slave_torque);
  for (size_t a = 0; modal && a < s->templates[slave->shape].mode_count; a++)
    s->modal_dashpot[slave->first + a] += modal[2 * s->near.modes + a];
  if (direction->master < s->grain_count) {
    lsdem_grain *master = &s->grains[direction->master];
    master->dashpot_force = vec3_sub(master->dashpot_force, dashpot->force);
    master->dashpot_torque = vec3_add(master->dashpot_torque, dashpot->master_torque);
    for (size_t a = 0; modal && a < s->templates[master->shape].mode_count; a++)
      s->modal_dashpot[master->first + a] += modal[3 * s->near.modes + a];
  } else {
    lsdem_pull *pull = &s->dashpot[direction->master - s->grain_count];
    pull->force = vec3_sub(pull->force, dashpot->force);
    pull->torque = vec3_add(pull->torque, dashpot->master_torque);
  }
}

/* Takes what direction d left in place `at` of those under way into grains. @return false: no memory */
static bool add_sums(lsdem_state *s, size_t d, size_t at)
{
  const lsdem_direction *direction = &s->near.list[d];
  const lsdem_sums *sums = &s->near.sums[at];
  s->ledger->fracture += sums->broken;
  if (direction->touch_count == 0 && sums->stiffness == 0) return true; /* bonds without a strain have dashpots */
  lsdem_grain *slave = &s->grains[direction->slave];
  const double *modal = s->near.modal ? s->near.modal + LSDEM_MODAL_SUMS * s->near.modes * at : NULL;
  s->stiffness[direction->slave] += sums->stiffness;
  if (direction->master < s->grain_count) s->stiffness[direction->master] += sums->stiffness;
  slave->force = vec3_add(slave->force, sums->force);
  slave->torque = vec3_add(slave->torque, sums->slave_torque);
  for (size_t a = 0; modal && a < s->templates[slave->shape].mode_count; a++) s->modal_force[slave->first + a] += modal[a];
  if (direction->master < s->grain_count) {
    lsdem_grain *master = &s->grains[direction->master];
    master->force = vec3_sub(master->force, sums->force);
    master->torque = vec3_add(master->torque, sums->master_torque);
    for (size_t a = 0; modal && a < s->templates[master->shape].mode_count; a++)
      s->modal_force[master->first + a] += modal[s->near.modes + a];
  } else {
    part_load *load = &s->parts->load[direction->master - s->grain_count];
    load->force = vec3_sub(load->force, sums->force);
    load->torque = vec3_add(load->torque, sums->master_torque);
  }
  s->contact_energy += sums->elastic;
  s->bond_energy += sums->bonded;
  s->ledger->friction += sums->friction;
  add_dashpots(s, direction, &sums->dashpot, modal);
  s->deepest = fmax(s->deepest, sums->deepest);
  double radius = s->templates[slave->shape].body.radius;
  if (direction->master < s->grain_count) radius = fmin(radius, s->templates[s->grains[direction->master].shape].body.radius);
  s->deepest_share = fmax(s->deepest_share, sums->deepest / radius);
  return direction->touch_count == 0 || count_contact(s, direction, sums);
}

/* The deepest overlap a level set can tell: a quarter of the thinner grain, and three grid spacings of a master that is a grain; two fifths
 * of a part, whose far side pushes the other way. */
static scr_status inspect(const lsdem_state *s, const lsdem_direction *direction, const lsdem_sums *sums, scr_error *error)
{
  const lsdem_template *slave = s->views[direction->slave].grain;
  bool grain = direction->master < s->grain_count;
  if (sums->lost)
    return scr_fail(error, SCR_DIVERGED, NULL,
                    "grain %u is deformed so far that a place where it is touched has no reference point, or a strain beyond 0.7: use "
                    "stiffer modes, softer contacts or slower loading",
                    direction->master);
  double most = 0.5 * slave->depth;
  if (grain) {
    const lsdem_template *master = s->views[direction->master].grain;
    most = fmin(most, fmin(0.5 * master->depth, 3 * master->field.spacing));
  } else {
    most = fmin(most, 0.4 * s->thickness[direction->master - s->grain_count]);
  }
  if (sums->deepest <= most) return SCR_OK;
  char other[64];
  if (grain)
    snprintf(other, sizeof other, "grain %u", direction->master);
  else
    snprintf(other, sizeof other, "%s", s->parts->form[direction->master - s->grain_count].name);
  return scr_fail(error, SCR_DIVERGED, NULL,
                  "grain %u is %.3g m deep in %s; at most %.3g m can be resolved (a quarter of the thickness of the grain, two fifths of a "
                  "part's, or three grid spacings): use a larger contact_stiffness, slower "
                  "loading, or a smaller time step",
                  direction->slave, sums->deepest, other, most);
}

/* Own level sets of grains that have them: each by itself. */
static scr_status follow(lsdem_state *s, scr_error *error)
{
  scr_status status = SCR_OK;
  if (!s->followed) return SCR_OK;
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->execution.threads)
  for (size_t i = 0; i < s->grain_count; i++) {
    const lsdem_template *shape = &s->templates[s->grains[i].shape];
    double tolerance = lsdem_specimen_of(s->scene, s->grains[i].specimen)->follow_tolerance * shape->field.spacing;
    scr_error own = {0};
    scr_status made = lsdem_follow_update(&s->followed[i], shape, s->amplitude + s->grains[i].first, tolerance, s->options->bias_fix, &own);
    if (made == SCR_OK) continue;
#pragma omp critical
    {
      status = made;
      if (error) *error = own;
    }
  }
  return status;
}

/* Asks the directions from `first` on that are asked at once, each by itself, and takes their sums in their order.
 * @return SCR_DIVERGED: of the first of them that is too deep; all are taken */
static scr_status find_some(lsdem_state *s, size_t first, double dt, scr_error *error)
{
  size_t count = s->near.count - first < LSDEM_AT_ONCE ? s->near.count - first : LSDEM_AT_ONCE;
  int missing = 0;
#pragma omp parallel for schedule(dynamic, 8) num_threads(s->execution.threads) reduction(| : missing)
  for (size_t k = 0; k < count; k++) missing |= !lsdem_find_contacts(s, first + k, k, dt);
  for (size_t k = 0; k < count && !missing; k++) missing = !add_sums(s, first + k, k);
  if (missing) return scr_fail_memory(error, "contacts", s->near.count * sizeof(lsdem_touch));
  for (size_t k = 0; k < count; k++) SCR_TRY(inspect(s, &s->near.list[first + k], &s->near.sums[k], error));
  return SCR_OK;
}

scr_status lsdem_force_pass(lsdem_state *s, double dt, scr_error *error)
{
  SCR_TRY(follow(s, error));
  lsdem_make_views(s);
  lsdem_search search = {.views = s->views,
                         .grains = s->grain_count,
                         .parts = s->parts,
                         .part_travelled = s->part_travelled,
                         .one_sided = s->options->passes == LSDEM_ONE_SIDED,
                         .modes = lsdem_most_modes(s)};
  SCR_TRY(lsdem_directions_update(&s->near, &search, error));
  if (!s->glued) {
    SCR_TRY(lsdem_bonds_make(s, error));
    s->glued = true;
  }
  if (s->bond_count) SCR_TRY(lsdem_bonds_attach(s, error));
  clear_sums(s);
  scr_status status = SCR_OK;
  for (size_t first = 0; first < s->near.count && status != SCR_NO_MEMORY; first += LSDEM_AT_ONCE) {
    scr_error own = {0};
    scr_status found = find_some(s, first, dt, &own);
    if (found == SCR_OK || (status != SCR_OK && found != SCR_NO_MEMORY)) continue;
    status = found;
    if (error) *error = own;
  }
  add_fabric(s);
  return status;
}
