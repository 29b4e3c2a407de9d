/* One super-helix over a step, by itself and among others: its root goes where what holds it takes it, then the search; what its root
 * bears, and its tensions. */
#include <string.h>

#include "methods/fibre/helix/helix_search.h"
#include "methods/fibre/step/slices.h"
#include "methods/fibre/step/step.h"

/* Slices of a fibre's points, which begin behind the node of its clamp. */
typedef struct helix_slices {
  fibre_slices all;
  helix helix;
  rod_frames frames;
  helix_strain *strain, *rate, *before;
  helix_search search;
  helix_scratch scratch;
  double *place, *velocity, *reaction;
} helix_slices;

static rod_frames frames_from(const rod_frames *all, size_t edge)
{
  return (rod_frames){all->director + edge, all->tangent + edge, all->reference + edge};
}

static helix_slices helix_slices_of(fibre_state *s, size_t number, double h)
{
  helix_slices o = {.all = fibre_slices_of(s, number, h)};
  const fibre *f = o.all.f;
  size_t skip = (size_t)ROD_UNKNOWNS * f->begin;
  o.helix = fibre_helix(s, f);
  o.frames = frames_from(&o.all.frames, f->begin);
  o.strain = s->strain + f->first_element, o.rate = s->strain_rate + f->first_element, o.before = s->strain_before + f->first_element;
  o.place = o.all.place + skip, o.velocity = o.all.velocity + skip, o.reaction = o.all.reaction + skip;
  o.scratch = (helix_scratch){.place = o.all.scratch.place + skip,
                              .kept = o.all.scratch.best + skip,
                              .load = o.all.scratch.gradient + skip,
                              .trial = frames_from(&o.all.scratch.trial, f->begin),
                              .axis = o.all.scratch.best_frames.tangent + f->begin};
  o.search = (helix_search){.from = (const helix_strain *)o.before,
                            .mass = o.all.mass + skip,
                            .force = o.all.load + skip,
                            .place = o.all.base_place + skip,
                            .inertial = o.all.base_velocity + skip,
                            .before = o.frames,
                            .h = h,
                            .mass_damping = f->mass_damping,
                            .stiffness_damping = f->stiffness_damping,
                            .radius = f->radius,
                            .tolerance = o.all.search.tolerance,
                            .least_speed = o.all.search.least_speed,
                            .limit = o.all.search.limit};
  return o;
}

/* The root as it has been moved. */
static void find_root(const fibre_state *s, helix_slices *o)
{
  o->search.root = fibre_root(s, o->all.f);
  o->search.helix = &o->helix;
}

/* What is held goes on with its velocity, and the frame of the clamp's edge goes along. */
static void move_root(fibre_state *s, helix_slices *o, double dt)
{
  const fibre *f = o->all.f;
  memcpy(o->all.base_place, o->all.place, o->all.unknowns * sizeof *o->all.place);
  memcpy(o->before, o->strain, f->elements * sizeof *o->strain);
  for (size_t k = 0; k <= f->begin; k++)
    for (size_t c = 0; c < ROD_UNKNOWNS; c++)
      if (o->all.search.held[ROD_UNKNOWNS * k + c]) o->all.place[ROD_UNKNOWNS * k + c] += dt * o->all.velocity[ROD_UNKNOWNS * k + c];
  scr_vec3 clamp = vec3_sub(rod_position(o->all.place, 1), rod_position(o->all.place, 0)),
           tangent = vec3_scale(clamp, 1 / vec3_length(clamp)),
           carried = rod_transport(o->all.frames.director[0], o->all.frames.tangent[0], tangent);
  carried = vec3_sub(carried, vec3_scale(tangent, vec3_dot(carried, tangent)));
  o->all.frames.director[0] = vec3_scale(carried, 1 / vec3_length(carried));
  o->all.frames.tangent[0] = tangent;
  find_root(s, o);
}

/* Tensions of edges, which hold what lies beyond; then the force and the torque of all, which what holds the root bears: at both ends of
 * the clamp's edge and about it. */
static void load_root(fibre_state *s, helix_slices *o)
{
  const fibre *f = o->all.f;
  scr_vec3 force = vec3(0, 0, 0), torque = vec3(0, 0, 0), root = rod_position(o->place, 0), tangent = o->search.root.axis[0];
  for (uint32_t k = o->helix.edges + 1; k-- > 0;) {
    double *r = o->reaction + (size_t)ROD_UNKNOWNS * k;
    if (k < o->helix.edges) {
      s->tension[f->first + f->begin + k] = -vec3_dot(o->frames.tangent[k], force);
      torque = vec3_add(torque, vec3_scale(o->scratch.axis[k], r[ROD_TWIST]));
    }
    scr_vec3 own = vec3(r[0], r[1], r[2]);
    force = vec3_add(force, own);
    torque = vec3_add(torque, vec3_cross(vec3_sub(rod_position(o->place, k), root), own));
    memset(r, 0, ROD_UNKNOWNS * sizeof *r);
  }
  scr_vec3 couple = vec3_scale(vec3_cross(tangent, torque), 1 / s->rest[f->first]), rest = vec3_sub(force, couple);
  double *at = o->all.reaction;
  at[0] = couple.x, at[1] = couple.y, at[2] = couple.z, at[ROD_TWIST] = vec3_dot(tangent, torque);
  at[4] = rest.x, at[5] = rest.y, at[6] = rest.z;
}

static fibre_report report_of(const helix_found *found)
{
  fibre_report report = {.solved = true};
  const rod_found as_rod = {.solved = found->solved,
                            .lost = found->lost,
                            .iterations = found->iterations,
                            .residual = found->residual,
                            .energy = found->energy,
                            .damped = found->damped};
  fibre_slices_take(&report, &as_rod, 1);
  return report;
}

/* Forces that hold points on the helix work where they push along it, and a step of such a motion may gain: what they do is of second order
 * in dt, and always less than the motion that is left, as Phi is less at the end than where the step began. It is taken out of that. */
static void take_back(helix_slices *o, double elastic, fibre_report *report)
{
  double size = report->kinetic + elastic + fabs(report->loads) + fabs(report->held);
  if (report->numerical < -FIBRE_ROUNDING * size) (void)fibre_slices_take_back(&o->all, report->numerical, 1, report);
}

/* What a step has come to: rates of strains, what the root bears, energies. */
static void close_step(fibre_state *s, helix_slices *o, double dt, const helix_found *found, fibre_report *report)
{
  double elastic = rod_total(report->energy);
  *report = report_of(found);
  if (found->lost) return;
  for (uint32_t e = 0; e < o->all.f->elements; e++)
    for (int a = 0; a < HELIX_STRAINS; a++) o->rate[e][a] = (o->strain[e][a] - o->before[e][a]) / dt;
  load_root(s, o);
  double spin = o->all.velocity[ROD_TWIST], faster = spin - o->all.base_velocity[ROD_TWIST], inertia = o->all.mass[ROD_TWIST];
  o->all.reaction[ROD_TWIST] += inertia * faster / dt; /* of the clamp's edge itself */
  fibre_slices_add_works(&o->all, dt, 1, report);
  report->numerical = found->lost_by_itself + report->held + 0.5 * inertia * faster * faster - inertia * faster * spin;
  report->kinetic = fibre_slices_kinetic(&o->all, o->all.velocity);
  take_back(o, elastic, report);
}

static void set_strains(const helix_slices *o, double dt, helix_strain *strain)
{
  for (uint32_t e = 0; e < o->all.f->elements; e++)
    for (int a = 0; a < HELIX_STRAINS; a++) strain[e][a] = o->before[e][a] + dt * o->rate[e][a];
}

void fibre_step_helix(fibre_state *s, size_t number, double dt)
{
  helix_slices o = helix_slices_of(s, number, dt);
  move_root(s, &o, dt);
  set_strains(&o, dt, o.strain);
  helix_found found = helix_implicit(&o.search, o.strain, o.place, o.velocity, &o.frames, o.reaction, &o.scratch);
  close_step(s, &o, dt, &found, &s->reports[number]);
}

/* ── together with what it touches ──────────────────────────────────────────────────────────────────────────────── */

bool fibre_linearise_helix(fibre_state *s, size_t number, double dt, bool first)
{
  helix_slices o = helix_slices_of(s, number, dt);
  const fibre *f = o.all.f;
  if (first)
    move_root(s, &o, dt);
  else
    find_root(s, &o);
  const size_t u = ROD_UNKNOWNS * (size_t)f->first, skip = (size_t)ROD_UNKNOWNS * f->begin, stride = fibre_helix_stride(f);
  helix_linear linear = {.stride = stride,
                         .matrix = {stride, stride - 1, s->system + f->band},
                         .factor = {stride, stride - 1, s->matrix + f->band},
                         .momentum = s->rhs + u,
                         .moves = s->problem.moves + s->problem.moves_first[number],
                         .drift = s->problem.drift + u + skip};
  helix_strain strain[HELIX_ELEMENTS_MAX];
  set_strains(&o, dt, strain);
  return helix_linearise(&o.search, (const helix_strain *)strain, s->problem.pressed + u + skip, o.velocity, &linear, &o.scratch);
}

double fibre_helix_potential(fibre_state *s, size_t number, double dt, const double *rate, double *velocity, double *size)
{
  helix_slices o = helix_slices_of(s, number, dt);
  find_root(s, &o);
  helix_strain strain[HELIX_ELEMENTS_MAX];
  for (uint32_t e = 0; e < o.all.f->elements; e++)
    for (uint32_t a = 0; a < HELIX_STRAINS; a++) strain[e][a] = o.before[e][a] + dt * rate[HELIX_STRAINS * e + a];
  if (velocity) velocity += (size_t)ROD_UNKNOWNS * o.all.f->begin;
  return helix_potential(&o.search, (const helix_strain *)strain, velocity, size, &o.scratch);
}

void fibre_finish_helix(fibre_state *s, size_t number, double dt, uint32_t iterations, double left, bool solved)
{
  helix_slices o = helix_slices_of(s, number, dt);
  find_root(s, &o);
  const double *pressed = s->problem.pressed + ROD_UNKNOWNS * (size_t)o.all.f->first;
  double *force = o.all.scratch.product;
  for (size_t k = 0; k < o.all.unknowns; k++) force[k] = o.all.load[k] + pressed[k];
  o.search.force = force + (size_t)ROD_UNKNOWNS * o.all.f->begin;
  set_strains(&o, dt, o.strain);
  helix_found found = helix_finish(&o.search, (const helix_strain *)o.strain, o.place, o.velocity, &o.frames, o.reaction, &o.scratch);
  found.iterations = iterations, found.residual = left, found.solved = solved;
  close_step(s, &o, dt, &found, &s->reports[number]);
}

/* ── statics ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

void fibre_find_helix_equilibrium(fibre_state *s, size_t number, double dt)
{
  helix_slices o = helix_slices_of(s, number, dt);
  fibre_report *report = &s->reports[number];
  double elastic = rod_total(report->energy), held = 0;
  for (size_t k = 0; k < o.all.unknowns; k++)
    if (o.all.search.held[k]) held += 0.5 * o.all.reaction[k] * dt * o.all.velocity[k];
  move_root(s, &o, dt);
  o.search.limit *= 10;
  helix_found found = helix_equilibrium(&o.search, o.strain, o.place, &o.frames, o.reaction, &o.scratch);
  *report = report_of(&found);
  load_root(s, &o);
  memset(o.rate, 0, o.all.f->elements * sizeof *o.rate);
  for (size_t k = 0; k < o.all.unknowns; k++) {
    double displacement = o.all.place[k] - o.all.base_place[k];
    report->loads += o.all.load[k] * displacement;
    if (o.all.search.held[k]) held += 0.5 * o.all.reaction[k] * displacement;
    o.all.velocity[k] = 0;
  }
  report->held = held;
  report->numerical = elastic + report->loads + held - rod_total(report->energy);
}
