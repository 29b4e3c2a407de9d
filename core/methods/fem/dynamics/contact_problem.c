/* Making and solving a contact problem. */
#include "methods/fem/dynamics/contact_problem.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "contact/contact.h"
#include "linalg/dense.h"
#include "linalg/wide.h"
#include "sim/fields.h"

enum {
  FIRST_SWEEPS = 20, /* after Newton's method has failed; twice as many where it fails again, and so on */
  LAST_SWEEPS = 1280,
  MOST_UNKNOWNS = 6000,
  FACTORS = 120 /* of the strong solvers */
};
static const double wanted = 1e-11, enough = 1e-9; /* of the relative residual: aimed at; above which sweeps go on to their limit */

void fem_contact_problem_clear(fem_contact_problem *p)
{
  mem_free(p->island);
  mem_free(p->numbers);
  mem_free(p->order);
  *p = (fem_contact_problem){0};
}

/* Adds all unknowns of the touches to C. */
static scr_status add_unknowns(const fem_contact_source *s, const fem_lever *lever, scr_error *error)
{
  size_t count = 0, most = FEM_LEVER_ENTRIES * s->touches->count;
  uint32_t *list = mem_array(most, sizeof *list);
  if (!list) return scr_fail_memory(error, "contacts' unknowns", most * sizeof *list);
  for (size_t k = 0; k < s->touches->count; k++) {
    memcpy(list + count, lever[k].unknown, lever[k].count * sizeof *list);
    count += lever[k].count;
  }
  if (s->compliance->count + count > MOST_UNKNOWNS) fem_compliance_forget(s->compliance); /* of what nothing touches any more */
  scr_status status = fem_compliance_add(s->compliance, s->factor, list, count, &s->liveness, error);
  mem_free(list);
  return status;
}

/* ── islands ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static uint32_t root_of(uint32_t *parent, uint32_t body)
{
  while (parent[body] != body) body = parent[body] = parent[parent[body]];
  return body;
}

/* Joins bodies that touch. @param parent [bodies] */
static void join_bodies(const fem_contact_source *s, uint32_t *parent)
{
  for (size_t b = 0; b < s->system->body_count; b++) parent[b] = (uint32_t)b;
  for (size_t k = 0; k < s->touches->count; k++) {
    const fem_touch *touch = &s->touches->item[k];
    uint32_t first = root_of(parent, s->system->body_of_node[touch->node[0]]);
    for (uint32_t i = 1; i < touch->node_count; i++) parent[root_of(parent, s->system->body_of_node[touch->node[i]])] = first;
  }
}

/* Islands, their numbers of contacts and which they are. */
static scr_status find_islands(fem_contact_problem *p, scr_error *error)
{
  const fem_contact_source *s = &p->source;
  size_t count = s->touches->count, bodies = s->system->body_count;
  SCR_TRY(mem_reserve(&p->order, &p->order_capacity, (2 + 1 + p->directions) * count + 2 * bodies, sizeof *p->order, "islands of contacts",
                      error));
  SCR_TRY(mem_reserve(&p->island, &p->island_capacity, bodies, sizeof *p->island, "islands of contacts", error));
  uint32_t *of_contact = p->order + count, *parent = of_contact + count, *number = parent + bodies;
  join_bodies(s, parent);
  memset(number, 0, bodies * sizeof *number);
  p->island_count = 0;
  for (size_t k = 0; k < count; k++) {
    uint32_t root = root_of(parent, s->system->body_of_node[s->touches->item[k].node[0]]);
    if (number[root] == 0) {
      p->island[p->island_count++] = (fem_island){.directions = p->directions};
      number[root] = (uint32_t)p->island_count;
    }
    of_contact[k] = number[root] - 1;
    p->island[of_contact[k]].count++;
  }
  uint32_t *next = p->order, *cases = number + bodies;
  int32_t *pivot = (int32_t *)(cases + count);
  for (size_t i = 0; i < p->island_count; i++) {
    p->island[i].contact = next, p->island[i].cases = cases, p->island[i].pivot = pivot;
    cases += p->island[i].count, pivot += p->directions * p->island[i].count;
    for (uint32_t k = 0; k < count; k++)
      if (of_contact[k] == i) *next++ = k;
  }
  return SCR_OK;
}

/* Cuts arrays out of one piece of memory. */
static scr_status cut_arrays(fem_contact_problem *p, scr_error *error)
{
  size_t all = p->directions * p->source.touches->count, needed = 2 * all;
  for (size_t i = 0; i < p->island_count; i++) {
    size_t size = p->directions * p->island[i].count;
    needed += size * size + 3 * size + 2 * p->island[i].count + FEM_ISLAND_WORK(size);
  }
  SCR_TRY(mem_reserve(&p->numbers, &p->number_capacity, needed, sizeof *p->numbers, "a contact problem", error));
  p->q = p->numbers, p->force = p->q + all;
  double *next = p->force + all;
  for (size_t i = 0; i < p->island_count; i++) {
    fem_island *l = &p->island[i];
    size_t size = p->directions * l->count;
    l->w = next, l->q = l->w + size * size, l->force = l->q + size, l->relative = l->force + size;
    l->friction = l->relative + size, l->scale = l->friction + l->count, l->work = l->scale + l->count;
    next = l->work + FEM_ISLAND_WORK(size);
  }
  return SCR_OK;
}

/* ── W ──────────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* What the rows of an island's W are summed over. */
typedef struct island_levers {
  size_t count;     /* unknowns of the island */
  uint32_t *place;  /* [count] of each in C */
  fem_lever *lever; /* [contacts] whose unknowns are numbers in `place` */
  double *value;    /* [count][count] C of them; then rows of a contact, [count][directions] */
  size_t value_capacity;
} island_levers;

/* Numbers the unknowns of an island. @param number [unknowns of C] zeros, and zeros afterwards */
static void number_unknowns(const fem_island *l, const fem_compliance *c, const fem_lever *all, uint32_t *number, island_levers *own)
{
  own->count = 0;
  for (size_t k = 0; k < l->count; k++) {
    own->lever[k] = all[l->contact[k]];
    for (size_t e = 0; e < own->lever[k].count; e++) {
      uint32_t at = c->place[own->lever[k].unknown[e]] - 1;
      if (number[at] == 0) own->place[own->count++] = at, number[at] = (uint32_t)own->count;
      own->lever[k].unknown[e] = number[at] - 1;
    }
  }
  for (size_t x = 0; x < own->count; x++) number[own->place[x]] = 0;
}

/* C of the island's unknowns alone, and room for a contact's rows. */
static scr_status copy_compliance(const fem_compliance *c, island_levers *own, scr_error *error)
{
  size_t n = own->count;
  SCR_TRY(mem_reserve(&own->value, &own->value_capacity, n * (n + 3), sizeof *own->value, "the compliance of an island", error));
  for (size_t r = 0; r < n; r++) {
    const double *from = c->value + (size_t)own->place[r] * c->stride;
    for (size_t x = 0; x < n; x++) own->value[r * n + x] = from[own->place[x]];
  }
  return SCR_OK;
}

/* row += share * c */
WIDE static void add_share(const double *restrict c, size_t count, double share, double *restrict row)
{
  for (size_t x = 0; x < count; x++) row[x] += share * c[x];
}

/* Rows of contact k up to its own: first A_k^T C, then times A. */
static void fill_rows(fem_island *l, const island_levers *own, size_t k)
{
  size_t d = l->directions, size = d * l->count, n = own->count;
  const fem_lever *mine = &own->lever[k];
  for (size_t a = 0; a < d; a++) {
    double *row = own->value + n * n + a * n;
    memset(row, 0, n * sizeof *row);
    for (size_t e = 0; e < mine->count; e++) add_share(own->value + mine->unknown[e] * n, n, mine->share[e][a], row);
    for (size_t j = 0; j <= k; j++) {
      const fem_lever *other = &own->lever[j];
      double sum[3] = {0};
      for (size_t e = 0; e < other->count; e++) {
        double x = row[other->unknown[e]];
        for (size_t b = 0; b < 3; b++) sum[b] += other->share[e][b] * x;
      }
      for (size_t b = 0; b < d; b++) l->w[(d * k + a) * size + d * j + b] = sum[b];
    }
  }
}

static void mirror(fem_island *l)
{
  size_t size = l->directions * l->count;
  for (size_t r = 0; r < size; r++)
    for (size_t k = 0; k < r; k++) l->w[k * size + r] = l->w[r * size + k];
}

/* W of every island. @param number [unknowns of C] zeros */
static scr_status fill(fem_contact_problem *p, const fem_lever *all, uint32_t *number, island_levers *own, scr_error *error)
{
  const fem_contact_source *s = &p->source;
  for (size_t i = 0; i < p->island_count; i++) {
    fem_island *l = &p->island[i];
    number_unknowns(l, s->compliance, all, number, own);
    SCR_TRY(copy_compliance(s->compliance, own, error));
    for (size_t k = 0; k < l->count; k++) {
      fill_rows(l, own, k);
      l->friction[k] = s->impact ? 0 : s->touches->item[l->contact[k]].friction;
    }
    mirror(l);
    fem_island_scale(l);
  }
  return SCR_OK;
}

static scr_status fill_islands(fem_contact_problem *p, const fem_lever *all, scr_error *error)
{
  size_t unknowns = p->source.compliance->count, contacts = p->source.touches->count;
  island_levers own = {.place = mem_array(unknowns, sizeof *own.place), .lever = mem_array(contacts, sizeof *own.lever)};
  uint32_t *number = mem_array(unknowns, sizeof *number);
  scr_status status = own.place && own.lever && number
                          ? fill(p, all, number, &own, error)
                          : scr_fail_memory(error, "contacts' levers", contacts * sizeof *own.lever + 2 * unknowns * sizeof *number);
  mem_free(own.place);
  mem_free(own.lever);
  mem_free(own.value);
  mem_free(number);
  return status;
}

scr_status fem_contact_problem_make(fem_contact_problem *p, const fem_contact_source *source, scr_error *error)
{
  const fem_touches *touches = source->touches;
  p->source = *source;
  p->directions = 1;
  for (size_t k = 0; k < touches->count && !source->impact; k++)
    if (touches->item[k].friction > 0) p->directions = 3;
  fem_lever *lever = mem_array(touches->count, sizeof *lever);
  if (!lever) return scr_fail_memory(error, "contacts' levers", touches->count * sizeof *lever);
  for (size_t k = 0; k < touches->count; k++) lever[k] = fem_lever_of(&touches->item[k], source->fixed, p->directions);
  scr_status status = add_unknowns(source, lever, error);
  if (status == SCR_OK) status = find_islands(p, error);
  if (status == SCR_OK) status = cut_arrays(p, error);
  if (status == SCR_OK) status = fill_islands(p, lever, error);
  mem_free(lever);
  return status;
}

/* ── the strong solvers ─────────────────────────────────────────────────────────────────────────────────────────────── */

/* A problem of contact/ and what it borrows. */
typedef struct borrowed {
  contact_problem problem;
  uint32_t *number;               /* [C's count] 1 + number of the unknown here; 0: none */
  uint32_t *unknown;              /* [count] of C */
  size_t known, square, contacts; /* unknowns of C; that squared; contacts: lengths of the arrays */
  size_t count, entries;
  la_sparse mass;
  size_t *first;
  uint32_t *block;
  double *jacobian, *momentum, *offset, *friction, *impulse, *velocity, *relative;
} borrowed;

enum { FIELDS = 14 };
static const sim_field fields[FIELDS] = {
    FIELD_ARRAY("numbers of unknowns", borrowed, number, known, 0),
    FIELD_ARRAY("unknowns", borrowed, unknown, known, 0),
    FIELD_STARTS("columns of the mass", borrowed, mass.first, known, 0),
    FIELD_ARRAY("rows of the mass", borrowed, mass.row, square, 0),
    FIELD_ARRAY("the mass", borrowed, mass.value, square, 0),
    FIELD_ARRAY("momenta", borrowed, momentum, known, 0),
    FIELD_ARRAY("velocities", borrowed, velocity, known, 0),
    FIELD_STARTS("blocks of contacts", borrowed, first, contacts, 0),
    FIELD_ROWS("blocks", borrowed, block, contacts, FEM_LEVER_ENTRIES, 0),
    FIELD_ROWS("Jacobians", borrowed, jacobian, contacts, 3 * FEM_LEVER_ENTRIES, 0),
    FIELD_ARRAY("frictions", borrowed, friction, contacts, 0),
    FIELD_ROWS("offsets", borrowed, offset, contacts, 3, 0),
    FIELD_ROWS("impulses", borrowed, impulse, contacts, 3, 0),
    FIELD_ROWS("relative velocities", borrowed, relative, contacts, 3, 0),
};

/* The mass of what touches: C of these unknowns alone, turned around. */
static scr_status make_mass(borrowed *b, const fem_compliance *c, scr_error *error)
{
  size_t n = b->count;
  for (size_t k = 0; k < n; k++) {
    b->mass.first[k + 1] = (k + 1) * n;
    for (size_t r = 0; r < n; r++) {
      b->mass.row[k * n + r] = (uint32_t)r;
      b->mass.value[k * n + r] = fem_compliance_at(c, b->unknown[r], b->unknown[k]);
    }
  }
  b->mass.row_count = b->mass.column_count = n;
  return la_dense_positive_inverse(n, b->mass.value, error);
}

/* Contacts that something moves, with their levers. */
static void list_contacts(borrowed *b, const fem_contact_source *s, const fem_island *p, unsigned d)
{
  for (size_t k = 0; k < p->count; k++) {
    fem_lever l = fem_lever_of(&s->touches->item[p->contact[k]], s->fixed, p->directions);
    for (size_t e = 0; e < l.count; e++) {
      uint32_t at = s->compliance->place[l.unknown[e]] - 1;
      if (b->number[at] == 0) b->unknown[b->count++] = l.unknown[e], b->number[at] = (uint32_t)b->count;
      b->block[b->entries] = b->number[at] - 1;
      for (unsigned a = 0; a < d; a++) b->jacobian[d * b->entries + a] = a < p->directions ? l.share[e][a] : 0;
      b->entries++;
    }
    b->first[k + 1] = b->entries;
    b->friction[k] = p->friction[k];
    for (unsigned a = 0; a < d; a++) {
      b->offset[d * k + a] = a < p->directions ? p->q[p->directions * k + a] : 0;
      b->impulse[d * k + a] = a < p->directions ? p->force[p->directions * k + a] : 0;
    }
  }
}

static scr_status borrow(borrowed *b, const fem_contact_source *s, const fem_island *p, unsigned d, scr_error *error)
{
  size_t most = FEM_LEVER_ENTRIES * p->count; /* unknowns */
  b->known = s->compliance->count;
  b->square = b->known < most ? b->known * b->known : most * most;
  b->contacts = p->count;
  SCR_TRY(fields_allocate(fields, FIELDS, b, error));
  list_contacts(b, s, p, d);
  SCR_TRY(make_mass(b, s->compliance, error));
  b->problem = (contact_problem){.dimension = d,
                                 .contact_count = b->contacts,
                                 .block_size = 1,
                                 .block_count = b->count,
                                 .mass = &b->mass,
                                 .momentum = b->momentum,
                                 .first = b->first,
                                 .block = b->block,
                                 .jacobian = b->jacobian,
                                 .offset = b->offset,
                                 .friction = b->friction};
  return SCR_OK;
}

/* Trades the forces of the island for the other ones. */
static void trade_borrowed(const fem_island *p, borrowed *b, unsigned d)
{
  for (size_t k = 0; k < p->count; k++)
    for (unsigned a = 0; a < p->directions; a++) {
      double was = p->force[p->directions * k + a];
      p->force[p->directions * k + a] = b->impulse[d * k + a];
      b->impulse[d * k + a] = was;
    }
}

/* From the forces there are to better ones, by the solvers of contact/, which are given C^-1 as the mass of what touches. What they can't
 * do leaves them as they are. */
static scr_status solve_strongly(fem_contact_problem *p, fem_island *island, double most, double *left, scr_error *error)
{
  borrowed b = {0};
  unsigned d = island->directions == 3 ? 3 : 2;
  contact_options options = contact_options_default();
  contact_result result;
  options.solver = CONTACT_HYBRID;
  options.tolerance = wanted;
  options.reference_speed = most;
  options.execution = p->source.execution;
  options.factor_limit = FACTORS;
  scr_status status = borrow(&b, &p->source, island, d, error);
  if (status == SCR_OK) status = contact_solve(&b.problem, &options, b.impulse, b.velocity, b.relative, &result, error);
  if (status == SCR_OK) {
    trade_borrowed(island, &b, d);
    double now = fem_island_residual(island, most);
    if (!(now < *left)) trade_borrowed(island, &b, d);
    *left = fmin(*left, now);
  }
  fields_free(fields, FIELDS, &b);
  return status == SCR_NO_MEMORY ? status : SCR_OK;
}

/* ── solution ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Newton's method, with care where that fails. */
static scr_status run_newton(fem_island *l, double most, double *left, scr_error *error)
{
  SCR_TRY(fem_contact_newton(l, most, wanted, false, left, error));
  return *left <= wanted ? SCR_OK : fem_contact_newton(l, most, wanted, true, left, error);
}

/* One island. @param most the largest |q| of all */
static scr_status solve_island(fem_contact_problem *p, fem_island *l, double most, unsigned sweep_limit, double *left, scr_error *error)
{
  SCR_TRY(run_newton(l, most, left, error));
  for (unsigned sweeps = FIRST_SWEEPS; !(*left <= wanted) && sweeps <= LAST_SWEEPS; sweeps *= 2) {
    *left = fem_island_sweep(l, most, wanted, sweeps < sweep_limit ? sweeps : sweep_limit);
    if (!(*left <= wanted)) SCR_TRY(run_newton(l, most, left, error));
  }
  if (*left <= wanted) return SCR_OK;
  p->strong++;
  SCR_TRY(solve_strongly(p, l, most, left, error));
  if (!(*left <= enough)) *left = fem_island_sweep(l, most, wanted, sweep_limit);
  return SCR_OK;
}

/* Values of the problem's contacts to those of an island's, or back. */
static void trade(const fem_island *l, double *all, double *own, bool back)
{
  size_t d = l->directions;
  for (size_t k = 0; k < l->count; k++)
    for (size_t a = 0; a < d; a++) {
      double *outer = &all[d * l->contact[k] + a], *inner = &own[d * k + a];
      *(back ? outer : inner) = *(back ? inner : outer);
    }
}

/* What the tolerance lets a force be outside of Coulomb's cone by is cut off. */
static void cut_forces(fem_island *l)
{
  for (size_t k = 0; k < l->count; k++) {
    double *f = l->force + l->directions * k;
    f[0] = fmax(f[0], 0);
    double most = l->friction[k] * f[0], pull = l->directions == 3 ? hypot(f[1], f[2]) : 0;
    for (size_t a = 1; a < l->directions && pull > most; a++) f[a] *= most / pull;
  }
}

void fem_contact_problem_subtract(fem_contact_problem *p)
{
  for (size_t i = 0; i < p->island_count; i++) {
    fem_island *l = &p->island[i];
    memset(l->q, 0, p->directions * l->count * sizeof *l->q);
    trade(l, p->force, l->force, false);
    fem_island_velocities(l); /* W f */
    for (size_t k = 0; k < l->count; k++)
      for (size_t a = 0; a < p->directions; a++) p->q[p->directions * l->contact[k] + a] -= l->relative[p->directions * k + a];
  }
}

scr_status fem_contact_problem_solve(fem_contact_problem *p, unsigned sweep_limit, double *residual, scr_error *error)
{
  double most = 0;
  for (size_t k = 0; k < p->directions * p->source.touches->count; k++) most = fmax(most, fabs(p->q[k]));
  *residual = 0;
  for (size_t i = 0; i < p->island_count; i++) {
    fem_island *l = &p->island[i];
    double left;
    trade(l, p->q, l->q, false);
    trade(l, p->force, l->force, false);
    l->steps = l->sweeps = 0;
    SCR_TRY(solve_island(p, l, most, sweep_limit, &left, error));
    cut_forces(l);
    trade(l, p->force, l->force, true);
    p->steps += l->steps, p->sweeps += l->sweeps;
    *residual = fmax(*residual, left);
  }
  return SCR_OK;
}
