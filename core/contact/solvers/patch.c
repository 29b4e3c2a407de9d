/* Patches: Gauss-Seidel whose last word is not one contact but the worst contact and some hundred around it, solved together by the hybrid
 * while all others hold still. Large packs keep a few clusters that Gauss-Seidel and ADMM creep through for ten thousand rounds, and that
 * are easy once they are small problems; factors of patches cost next to nothing where a factor of the whole takes seconds.
 *
 * A round: sweeps of Gauss-Seidel; then the worst contact's patch, the worst of those not yet in one, and so on. Patches grow when rounds
 * stop paying. Where most contacts of a patch are in none of the solved ones' way, this converges as Gauss-Seidel by blocks does. One
 * thread makes the patches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "contact/local/cone.h"
#include "contact/solvers/primal.h"
#include "contact/system/workspace.h"

enum { SWEEPS = 100, FIRST_SIZE = 200, LAST_SIZE = 800, FACTORS = 40, PATCHES = 100, JUDGE_EVERY = 4 };

/* Room for patches; one at a time. */
typedef struct patch {
  const contact_system *whole;
  contact_track *track;
  size_t most;               /* contacts of a patch */
  size_t contacts, blocks;   /* of the present one */
  uint32_t *contact, *block; /* [n], [block_count] theirs, contacts ascending in the end */
  uint32_t *number;          /* [block_count] place in `block` + 1; 0: not in the patch */
  uint8_t *taken, *done;     /* [n] in this patch; in one of this round */
  double *residual;          /* [n] natural maps, m/s */
  size_t *first;             /* arrays of the small problem, with room for the whole */
  uint32_t *entry;
  double *mass, *momentum, *jacobian, *offset, *friction, *impulse;
  double share; /* of a factorisation of the whole that has not been counted yet */
} patch;

static scr_status patch_create(contact_track *track, patch *p, scr_error *error)
{
  const contact_problem *of = track->system->problem;
  size_t n = of->contact_count, m = of->block_count, b = of->block_size, d = of->dimension, entries = of->first[n];
  *p = (patch){.whole = track->system, .track = track, .most = n / 4 < FIRST_SIZE ? n / 4 + 1 : FIRST_SIZE};
  p->contact = mem_array(n, sizeof *p->contact);
  p->block = mem_array(m, sizeof *p->block);
  p->number = mem_array(m, sizeof *p->number);
  p->taken = mem_array(n, sizeof *p->taken);
  p->done = mem_array(n, sizeof *p->done);
  p->residual = mem_array(n, sizeof *p->residual);
  p->first = mem_array(n + 1, sizeof *p->first);
  p->entry = mem_array(entries, sizeof *p->entry);
  p->mass = mem_array(m * b * b, sizeof *p->mass);
  p->momentum = mem_array(m * b, sizeof *p->momentum);
  p->jacobian = mem_array(entries * b * d, sizeof *p->jacobian);
  p->offset = mem_array(n * d, sizeof *p->offset);
  p->friction = mem_array(n, sizeof *p->friction);
  p->impulse = mem_array(n * d, sizeof *p->impulse);
  if (p->contact && p->block && p->number && p->taken && p->done && p->residual && p->first && p->entry && p->mass && p->momentum &&
      p->jacobian && p->offset && p->friction && p->impulse)
    return SCR_OK;
  return no_memory(error, "patches of a contact problem", (entries + n) * b * d * sizeof *p->jacobian);
}

static void patch_clear(patch *p)
{
  mem_free(p->contact);
  mem_free(p->block);
  mem_free(p->number);
  mem_free(p->taken);
  mem_free(p->done);
  mem_free(p->residual);
  mem_free(p->first);
  mem_free(p->entry);
  mem_free(p->mass);
  mem_free(p->momentum);
  mem_free(p->jacobian);
  mem_free(p->offset);
  mem_free(p->friction);
  mem_free(p->impulse);
}

static int by_number(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static void take_contact(patch *p, uint32_t i)
{
  const contact_problem *of = p->whole->problem;
  p->taken[i] = p->done[i] = 1;
  p->contact[p->contacts++] = i;
  for (size_t k = of->first[i]; k < of->first[i + 1]; ++k) {
    if (p->number[of->block[k]]) continue;
    p->block[p->blocks++] = of->block[k];
    p->number[of->block[k]] = (uint32_t)p->blocks;
  }
}

/* The centre and what is nearest to it, body by body. */
static void grow(patch *p, uint32_t centre)
{
  const contact_system *s = p->whole;
  p->contacts = p->blocks = 0;
  take_contact(p, centre);
  for (size_t next = 0; next < p->blocks && p->contacts < p->most; ++next) {
    uint32_t block = p->block[next];
    for (size_t at = s->of_block_first[block]; at < s->of_block_first[block + 1] && p->contacts < p->most; ++at) {
      uint32_t i = s->contact_of[s->of_block[at]];
      if (!p->taken[i]) take_contact(p, i);
    }
  }
  qsort(p->contact, p->contacts, sizeof *p->contact, by_number);
}

static void forget(patch *p)
{
  for (size_t k = 0; k < p->contacts; ++k) p->taken[p->contact[k]] = 0;
  for (size_t k = 0; k < p->blocks; ++k) p->number[p->block[k]] = 0;
}

/* Mass and momentum of the patch's blocks, with what the contacts outside push. */
static void cut_blocks(patch *p, const double *impulse)
{
  const contact_system *s = p->whole;
  const contact_problem *of = s->problem;
  size_t b = of->block_size, d = of->dimension;
  for (size_t k = 0; k < p->blocks; ++k) {
    uint32_t block = p->block[k];
    memcpy(p->mass + k * b * b, of->mass_block + block * b * b, b * b * sizeof *p->mass);
    memcpy(p->momentum + k * b, of->momentum + block * b, b * sizeof *p->momentum);
    for (size_t at = s->of_block_first[block]; at < s->of_block_first[block + 1]; ++at) {
      size_t entry = s->of_block[at], i = s->contact_of[entry];
      for (size_t c = 0; c < b && !p->taken[i]; ++c)
        for (size_t q = 0; q < d; ++q) p->momentum[k * b + c] += of->jacobian[(entry * b + c) * d + q] * impulse[i * d + q];
    }
  }
}

/* The patch as a problem; p->impulse receives its part of the impulses. */
static contact_problem cut_out(patch *p, const double *impulse)
{
  const contact_problem *of = p->whole->problem;
  size_t b = of->block_size, d = of->dimension, entries = 0;
  cut_blocks(p, impulse);
  for (size_t k = 0; k < p->contacts; ++k) {
    size_t i = p->contact[k];
    for (size_t at = of->first[i]; at < of->first[i + 1]; ++at, ++entries) {
      p->entry[entries] = p->number[of->block[at]] - 1;
      memcpy(p->jacobian + entries * b * d, of->jacobian + at * b * d, b * d * sizeof *p->jacobian);
    }
    p->first[k + 1] = entries;
    memcpy(p->offset + k * d, of->offset + i * d, d * sizeof *p->offset);
    memcpy(p->impulse + k * d, impulse + i * d, d * sizeof *p->impulse);
    p->friction[k] = of->friction[i];
  }
  return (contact_problem){.dimension = of->dimension,
                           .contact_count = p->contacts,
                           .block_size = of->block_size,
                           .block_count = p->blocks,
                           .mass_block = p->mass,
                           .momentum = p->momentum,
                           .first = p->first,
                           .block = p->entry,
                           .jacobian = p->jacobian,
                           .offset = p->offset,
                           .friction = p->friction};
}

/* A patch's factorisations count by its share of all contacts. */
static void count_work(patch *p, const contact_track *small)
{
  p->share += (double)small->factorisations * (double)p->contacts / (double)p->whole->problem->contact_count;
  double whole = floor(p->share);
  p->track->factorisations += (unsigned)whole;
  p->share -= whole;
}

/* The patch's impulses, better or as they were. @param target residual over the whole's speed that is good enough */
static scr_status solve_small(patch *p, const contact_problem *small, double target, double *impulse, scr_error *error)
{
  contact_options options = *p->track->options;
  contact_system system;
  contact_track track;
  size_t d = small->dimension;
  options.tolerance = target;
  options.factor_limit = FACTORS;
  options.history = NULL;
  SCR_TRY(contact_system_create(small, &options, &system, error));
  system.speed = p->whole->speed;
  scr_status status = contact_track_create(&system, &options, &track, error);
  if (status == SCR_OK) {
    status = contact_track_offer(&track, p->impulse, NULL, error);
    if (status == SCR_OK && !contact_track_solved(&track)) status = contact_solve_hybrid(&track, p->impulse, error);
    if (status == SCR_BAD_USAGE) status = SCR_OK; /* too dense: it stays as it is */
    for (size_t k = 0; status == SCR_OK && k < p->contacts; ++k)
      memcpy(impulse + (size_t)p->contact[k] * d, track.best + k * d, d * sizeof *impulse);
    count_work(p, &track);
    contact_track_clear(&track);
  }
  contact_system_clear(&system);
  return status;
}

static void measure(patch *p, const double *impulse)
{
  const contact_problem *of = p->whole->problem;
  unsigned d = of->dimension;
  for (size_t i = 0; i < of->contact_count; ++i)
    p->residual[i] = cone_residual(d, of->friction[i], p->whole->scale[i], p->track->relative + i * d, impulse + i * d);
  memset(p->done, 0, of->contact_count * sizeof *p->done);
}

/* The worst contact above the tolerance that no patch of this round has; contact_count when there is none. */
static size_t find_worst(const patch *p)
{
  size_t n = p->whole->problem->contact_count, worst = n;
  double most = p->track->options->tolerance * p->whole->speed;
  for (size_t i = 0; i < n; ++i)
    if (!p->done[i] && p->residual[i] > most) {
      most = p->residual[i];
      worst = i;
    }
  return worst;
}

static scr_status run_round(patch *p, double *impulse, scr_error *error)
{
  measure(p, impulse);
  double target = fmin(1.0, fmax(0.3 * p->track->options->tolerance, 0.1 * p->track->last));
  unsigned most = PATCHES + (unsigned)(p->whole->problem->contact_count / (2 * FIRST_SIZE));
  for (unsigned k = 0; k < most && contact_track_may_factor(p->track); ++k) {
    size_t worst = find_worst(p);
    if (worst == p->whole->problem->contact_count) return SCR_OK;
    grow(p, (uint32_t)worst);
    contact_problem small = cut_out(p, impulse);
    scr_status status = solve_small(p, &small, fmax(target, 1e-14), impulse, error);
    forget(p);
    SCR_TRY(status);
  }
  return SCR_OK;
}

static scr_status run_rounds(patch *p, double *impulse, unsigned rounds, scr_error *error)
{
  contact_track *track = p->track;
  double earlier = track->residual;
  size_t largest = p->whole->problem->contact_count / 2 < LAST_SIZE ? p->whole->problem->contact_count / 2 : LAST_SIZE;
  for (unsigned k = 1; k <= rounds; ++k) {
    bool solved;
    SCR_TRY(contact_gauss_seidel_sweeps(track, impulse, SWEEPS, (contact_patience){0}, error));
    track->solver = CONTACT_HYBRID;
    SCR_TRY(contact_track_offer(track, impulse, &solved, error));
    if (solved || !isfinite(track->last) || !contact_track_may_factor(track)) return SCR_OK;
    SCR_TRY(run_round(p, impulse, error));
    SCR_TRY(contact_track_offer(track, impulse, &solved, error));
    if (solved) return SCR_OK;
    if (k % JUDGE_EVERY != 0) continue;
    if (track->residual > 0.5 * earlier && 2 * p->most > largest && k >= 6 * JUDGE_EVERY) return SCR_OK;
    if (track->residual > 0.5 * earlier && 2 * p->most <= largest) p->most *= 2;
    earlier = track->residual;
  }
  return SCR_OK;
}

scr_status contact_patch_rounds(contact_track *track, double *impulse, unsigned rounds, scr_error *error)
{
  patch p;
  if (!track->system->problem->mass_block) return SCR_OK; /* bodies that one matrix couples do not fall into patches */
  scr_status status = patch_create(track, &p, error);
  if (status == SCR_OK) status = run_rounds(&p, impulse, rounds, error);
  patch_clear(&p);
  return status;
}
