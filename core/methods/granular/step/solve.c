/* The step's problem: all cells in the law of sand, all contacts in Coulomb's, coupled by the nodes' velocities u = u* + M^-1 (B^T r
 * + contacts).
 *
 * Coloured symmetric Gauss-Seidel sweeps with the closed step of cone.h; between sweeps Nesterov's inertia, begun anew where it leads
 * uphill or where the residual rises by half: inertia makes it waver, single cells above all, and a pressure that is missing needs inertia
 * over as many sweeps as the sand is deep. Impulses and velocities are extrapolated alike, so u stays the velocity that the impulses make;
 * what rounding of sweeps leaves of that ends with the step, whose velocities follow from its impulses. A budget of sweeps ends the step:
 * flows need no more. Only where it leaves much undone, as in the first step of a heap that stands, more sweeps follow: else the sand would
 * sink into itself. Source: shared specification "granular", sections 10.10 and 10.11. */
#include <assert.h>
#include <math.h>

#include "base/execution.h"
#include "base/memory.h"
#include "methods/granular/law/cone.h"
#include "methods/granular/step/bodies.h"
#include "methods/granular/step/sweep/sweep.h"

enum { CHECK_EVERY = 10, BUDGETS = 20 /* most of a step */ };
#define ENOUGH_RMS 0.02 /* residual at which the budget ends a step */
#define RISE 1.5        /* of the least residual so far (root mean square): then inertia begins anew */

/* ── a sweep ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Coulomb's law at one node: the impulse that stops it against the part, cut to the cone. Closed: the node's matrix is 1/m, a free part's
 * is bounded by a number. @param change [d] of the impulse, set */
static void contact_change(int d, const granular_contact *c, const double *u, double *change)
{
  double mass = 1 / c->inverse, want[3], normal = 0, square = 0;
  for (int i = 0; i < d; i++) {
    want[i] = c->r[i] - mass * (u[i] - c->velocity[i]);
    normal += want[i] * c->normal[i];
  }
  double press = normal > 0 ? normal : 0, limit = c->friction * press;
  for (int i = 0; i < d; i++) {
    want[i] -= normal * c->normal[i];
    square += want[i] * want[i];
  }
  double cut = square > limit * limit ? limit / sqrt(square) : 1;
  for (int i = 0; i < d; i++) change[i] = press * c->normal[i] + cut * want[i] - c->r[i];
}

static void relax_contact(granular_state *s, granular_contact *c)
{
  const int d = s->d == 2 ? 2 : 3;
  double change[3] = {0}, u[3];
  granular_swept_velocity(s, c->node, u);
  contact_change(d, c, u, change);
  for (int i = 0; i < d; i++) {
    c->r[i] += change[i];
    granular_kick_swept(s, c->node, i, s->nodes[c->node].inverse_mass * change[i]);
  }
}

static void relax_contacts(granular_state *s, uint32_t block)
{
  for (uint32_t k = s->contact_first[block]; k < s->contact_first[block + 1]; k++)
    if (s->contacts[k].body < 0) relax_contact(s, &s->contacts[k]);
}

/* Free parts have many contacts each: one after the other. */
static void relax_bodies(granular_state *s)
{
  const int d = s->d == 2 ? 2 : 3;
  if (s->body_count == 0) return;
  for (size_t k = 0; k < s->contact_count; k++) {
    granular_contact *c = &s->contacts[k];
    double before[3] = {0}, change[3] = {0};
    if (c->body < 0) continue;
    granular_body *body = &s->bodies[c->body];
    granular_body_velocity(s, body, c->arm, c->velocity);
    for (int i = 0; i < d; i++) before[i] = c->r[i];
    relax_contact(s, c);
    for (int i = 0; i < d; i++) change[i] = c->r[i] - before[i];
    granular_push_body(s, body, c->arm, change);
  }
  granular_sweep_body_contacts(s);
}

static void sweep_contacts(granular_state *s, scr_execution execution)
{
  relax_bodies(s);
  if (s->contact_count == 0) return;
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (uint32_t b = 0; b < (uint32_t)s->grid.block_count; b++) relax_contacts(s, b);
}

/* ── residuals ──────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct residual {
  double largest, rms; /* of cells and contacts that press, over g dt/h */
} residual;

/* By how much a contact would change its node's velocity, over a cell: 1/s, as rates. */
static double contact_residual(const granular_state *s, const granular_contact *c)
{
  granular_contact now = *c;
  const int d = s->d == 2 ? 2 : 3;
  double change[3] = {0}, u[3], square = 0;
  if (c->body >= 0) granular_body_velocity(s, &s->bodies[c->body], c->arm, now.velocity);
  granular_swept_velocity(s, c->node, u);
  contact_change(d, &now, u, change);
  for (int i = 0; i < d; i++) square += change[i] * change[i];
  return sqrt(square) * c->inverse / s->domain.h;
}

/* Of the contacts of blocks: sum of squares, number of those that press, largest. */
static void contact_residuals(const void *user, size_t begin, size_t end, double *value)
{
  const granular_state *s = user;
  for (uint32_t k = s->contact_first[begin]; k < s->contact_first[end]; k++) {
    const double *held = s->contacts[k].r;
    double r = contact_residual(s, &s->contacts[k]);
    value[0] += r * r, value[1] += held[0] != 0 || held[1] != 0 || held[2] != 0, value[2] = fmax(value[2], r);
  }
}

/* What residuals are measured by, 1/s: g dt/h. */
static double scale_of(const granular_state *s, const granular_pass *pass)
{
  double square = 0;
  for (int i = 0; i < s->d; i++) square += s->gravity[i] * s->gravity[i];
  return square > 0 ? sqrt(square) * pass->step / s->domain.h : 1e-3 / pass->step;
}

/* @param share  by which impulses of cells are to be extrapolated; velocities and contacts are already */
static residual measure(const granular_state *s, const granular_pass *pass, double share)
{
  double scale = scale_of(s, pass), value[3] = {0};
  granular_measure_cells(s, pass->execution, share, value);
  execution_reduce(pass->execution, s->grid.block_count, 1, 2, 1, contact_residuals, s, value);
  residual found = {.largest = value[2] / scale, .rms = value[1] > 0 ? sqrt(value[0] / value[1]) / scale : 0};
  found.largest = fmax(found.largest, granular_body_contacts_residual(s) / s->domain.h / scale);
  return found;
}

static double cell_violation(const granular_state *s, size_t k)
{
  const granular_cell *c = &s->cells[k];
  double rate[GRANULAR_TENSOR];
  granular_rate(s->d, c, s->nodes, rate);
  rate[0] += c->gap;
  if (s->cohesive) rate[0] = cone_cohesive_rate(c->r[0], rate[0], c->gap, c->inverse_normal, s->extra[k].cohesion_impulse);
  return c->r[0] == 0 && rate[0] >= 0 ? 0 : cone_residual(s->d, c->r, rate, 1 / c->inverse_normal, c->friction);
}

/* The rms once the step is solved, each cell and contact weighted with its sand, at most a cell full, and counted as 1 at most, as if
 * nothing held it: what doubts look at. Two or three points that are squeezed between others, in cells that are nearly empty, may miss the
 * law by many times gravity, as their cells find no common solution in any number of sweeps, and move nothing. */
static double weighted_rms(const granular_state *s, const granular_pass *pass)
{
  double scale = scale_of(s, pass), full = granular_cell_volume(s), sum = 0, weights = 0;
  for (size_t k = 0; k < s->cell_count; k++) {
    double one = fmin(cell_violation(s, k) / scale, 1), weight = fmin(s->extra[k].volume / full, 1);
    sum += weight * one * one;
    if (s->cells[k].r[0] > 0) weights += weight;
  }
  for (size_t k = 0; k < s->contact_count; k++) {
    const granular_contact *c = &s->contacts[k];
    double density = granular_bulk_density(scr_scene_material(s->scene, 0)), inverse = s->nodes[c->node].inverse_mass;
    double one = fmin(contact_residual(s, c) / scale, 1), weight = fmin(1 / (inverse * density * full), 1);
    sum += weight * one * one;
    if (c->r[0] != 0 || c->r[1] != 0 || c->r[2] != 0) weights += weight;
  }
  return weights > 0 ? sqrt(sum / weights) : 0;
}

/* ── inertia ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Impulses of contacts, and bodies, after the last sweep; batches and the nodes of sweeps hold those of cells and velocities. */
typedef struct inertia {
  double *contact;      /* [contact_count][d] */
  double *by_block;     /* [block_count] */
  double *body_contact; /* [body_contact_count][3] */
  granular_body bodies[SCR_PART_LIMIT];
  double theta, share; /* share: by which the next sweep forwards extrapolates the impulses of cells, as all else already is */
  double last;         /* least residual (root mean square) so far */
  int calm;            /* sweeps without inertia that are left */
} inertia;

static scr_status inertia_begin(granular_state *s, inertia *m, scr_error *error)
{
  const size_t d = (size_t)s->d;
  size_t wanted = s->contact_count * d + s->grid.block_count + 3 * s->body_contact_count + 1;
  if (!mem_grow(&s->buffer, &s->buffer_capacity, wanted, sizeof *s->buffer))
    return scr_fail_memory(error, "sweeps", wanted * sizeof *s->buffer);
  m->contact = s->buffer;
  m->by_block = m->contact + s->contact_count * d;
  m->body_contact = m->by_block + s->grid.block_count;
  m->theta = 1, m->share = 0, m->last = INFINITY, m->calm = 0;
  return SCR_OK;
}

/* Keeps contacts and bodies as they are. */
static void remember_contacts(const granular_state *s, inertia *m)
{
  for (size_t k = 0; k < s->contact_count; k++)
    for (int i = 0; i < s->d; i++) m->contact[k * (size_t)s->d + (size_t)i] = s->contacts[k].r[i];
}

static void remember_bodies(const granular_state *s, inertia *m)
{
  for (size_t b = 0; b < s->body_count; b++) m->bodies[b] = s->bodies[b];
  for (size_t k = 0; k < s->body_contact_count; k++) {
    scr_vec3 r = s->body_contacts[k].r;
    m->body_contact[3 * k] = r.x, m->body_contact[3 * k + 1] = r.y, m->body_contact[3 * k + 2] = r.z;
  }
}

static void extrapolate_one(double *now, double *last, double share)
{
  double value = *now;
  *now = value + share * (value - *last);
  *last = value;
}

static void extrapolate_vector(scr_vec3 *now, scr_vec3 *last, double share)
{
  extrapolate_one(&now->x, &last->x, share);
  extrapolate_one(&now->y, &last->y, share);
  extrapolate_one(&now->z, &last->z, share);
}

static void extrapolate_bodies(granular_state *s, inertia *m, double share)
{
  for (size_t b = 0; b < s->body_count; b++) {
    granular_body *now = &s->bodies[b], *last = &m->bodies[b];
    extrapolate_vector(&now->velocity, &last->velocity, share);
    extrapolate_vector(&now->spin, &last->spin, share);
    extrapolate_vector(&now->impulse, &last->impulse, share);
    extrapolate_vector(&now->turning, &last->turning, share);
  }
  for (size_t k = 0; k < s->body_contact_count; k++) {
    scr_vec3 *r = &s->body_contacts[k].r;
    extrapolate_one(&r->x, &m->body_contact[3 * k], share);
    extrapolate_one(&r->y, &m->body_contact[3 * k + 1], share);
    extrapolate_one(&r->z, &m->body_contact[3 * k + 2], share);
  }
}

static void extrapolate_contacts(granular_state *s, inertia *m, uint32_t block, double share)
{
  const size_t d = (size_t)s->d;
  for (size_t k = s->contact_first[block]; k < s->contact_first[block + 1]; k++)
    for (size_t i = 0; i < d; i++) extrapolate_one(&s->contacts[k].r[i], &m->contact[k * d + i], share);
}

/* The last sweep over contacts, and inertia. Contacts touch the nodes of their own block alone: so each block is done at once. */
static void sweep_contacts_and_extrapolate(granular_state *s, inertia *m, double share, scr_execution execution)
{
  relax_bodies(s);
#pragma omp parallel for num_threads(execution.threads) schedule(static)
  for (uint32_t b = 0; b < (uint32_t)s->grid.block_count; b++) {
    relax_contacts(s, b);
    extrapolate_contacts(s, m, b, share);
    granular_extrapolate_nodes(s, b, share);
  }
  extrapolate_bodies(s, m, share);
  m->share = share;
}

/* Back to the last swept state, which lies in the cones; velocities are those that its impulses make. */
static void take_swept(granular_state *s, inertia *m, const granular_pass *pass)
{
  for (size_t k = 0; k < s->contact_count; k++)
    for (int i = 0; i < s->d; i++) s->contacts[k].r[i] = m->contact[k * (size_t)s->d + (size_t)i];
  for (size_t b = 0; b < s->body_count; b++) s->bodies[b] = m->bodies[b];
  for (size_t k = 0; k < s->body_contact_count; k++)
    s->body_contacts[k].r = vec3(m->body_contact[3 * k], m->body_contact[3 * k + 1], m->body_contact[3 * k + 2]);
  m->share = 0;
  granular_end_sweeps(s, pass->execution);
  granular_move_nodes(s, pass);
  granular_take_nodes(s, pass->execution);
}

static void double_sweep(granular_state *s, inertia *m, scr_execution execution)
{
  double uphill = 0;
  sweep_contacts(s, execution);
  granular_sweep_cells(s, execution, m->share, m->by_block);
  execution_add_up(s->grid.block_count, 1, m->by_block, &uphill);
  double next = 0.5 * (1 + sqrt(1 + 4 * m->theta * m->theta)), share = (m->theta - 1) / next;
  m->theta = next;
  if (m->calm > 0 || uphill > 0) m->theta = 1, share = 0;
  sweep_contacts_and_extrapolate(s, m, share, execution);
}

static void report_residual(granular_state *s, const granular_pass *pass)
{
  residual found = measure(s, pass, 0);
  s->report.largest_residual = found.largest, s->report.rms_residual = found.rms;
  s->report.weighted_rms = found.rms > ENOUGH_RMS ? fmin(found.rms, weighted_rms(s, pass)) : found.rms;
}

scr_status granular_measure_law(granular_state *s, const granular_pass *pass, scr_error *error)
{
  SCR_TRY(granular_begin_sweeps(s, pass->execution, error));
  report_residual(s, pass);
  return SCR_OK;
}

scr_status granular_solve(granular_state *s, const granular_pass *pass, const scr_liveness *liveness, scr_error *error)
{
  const int64_t budget = pass->sweeps > 0 ? pass->sweeps : s->options->sweeps;
  const double tolerance = pass->tolerance > 0 ? pass->tolerance : s->options->tolerance;
  inertia m = {0};
  residual found = {0, 0};
  int64_t sweeps = 0;
  SCR_TRY(inertia_begin(s, &m, error));
  assert(m.contact != NULL);
  SCR_TRY(granular_begin_sweeps(s, pass->execution, error));
  remember_contacts(s, &m);
  remember_bodies(s, &m);
  for (;; sweeps += 2) {
    if (sweeps % CHECK_EVERY == 0) {
      scr_report_alive(liveness);
      found = measure(s, pass, m.share);
      if (found.largest <= tolerance || sweeps >= BUDGETS * budget) break;
      if (sweeps >= budget && found.rms <= ENOUGH_RMS) break;
      if (found.rms > RISE * m.last && m.calm <= 0)
        m.theta = 1, m.calm = 20, m.last = found.rms;
      else
        m.last = fmin(m.last, found.rms);
    }
    double_sweep(s, &m, pass->execution);
    m.calm -= 2;
  }
  take_swept(s, &m, pass);
  report_residual(s, pass);
  s->report.sweeps = (double)sweeps;
  s->report.unsolved_steps += s->report.largest_residual > s->options->tolerance;
  return SCR_OK;
}
