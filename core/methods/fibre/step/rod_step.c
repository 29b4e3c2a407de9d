/* Searches for the end of a step, and for equilibria. */
#include <string.h>

#include "methods/fibre/step/rod_step.h"

enum { HALVINGS = 40 };

/* An evaluation of Phi, and the sizes of its terms, whose rounding it has. */
typedef struct potential {
  double value, size;
  rod_energies energy;
} potential;

static size_t unknowns(const rod *r)
{
  return (size_t)ROD_UNKNOWNS * r->nodes;
}

/* Vectors in the order of the band, and back. */
static void to_band(const rod *r, const double *from, double *to)
{
  for (uint32_t i = 0; i < r->nodes; i++)
    memcpy(to + (size_t)ROD_UNKNOWNS * rod_place(r, i), from + (size_t)ROD_UNKNOWNS * i, ROD_UNKNOWNS * sizeof *to);
}
static void from_band(const rod *r, const double *from, double *to)
{
  for (uint32_t i = 0; i < r->nodes; i++)
    memcpy(to + (size_t)ROD_UNKNOWNS * i, from + (size_t)ROD_UNKNOWNS * rod_place(r, i), ROD_UNKNOWNS * sizeof *to);
}

/* Rows and columns of held unknowns become those of the identity. */
static void leave_held_out(const rod_search *s, la_band *a)
{
  const rod *r = s->rod;
  for (uint32_t i = 0; i < r->nodes; i++)
    for (int k = 0; k < ROD_UNKNOWNS; k++) {
      if (!s->held[(size_t)ROD_UNKNOWNS * i + (size_t)k]) continue;
      size_t row = (size_t)ROD_UNKNOWNS * rod_place(r, i) + (size_t)k, low = row > a->width ? row - a->width : 0;
      for (size_t j = low; j < row; j++) *la_band_at(a, row, j) = 0;
      for (size_t j = row + 1; j < a->size && j <= row + a->width; j++) *la_band_at(a, j, row) = 0;
      *la_band_at(a, row, row) = 1;
    }
}

static bool is_finite(double x)
{
  return x - x == 0;
}

/* Largest coordinate: the spacing of numbers there is the least that anything can move. */
static double extent(const rod_search *s, const double *q)
{
  double most = 0;
  for (size_t k = 0, n = unknowns(s->rod); k < n; k++)
    if (k % ROD_UNKNOWNS != ROD_TWIST) most = fmax(most, fabs(q[k]));
  return most;
}

#define ROUNDING 1e-15 /* of a coordinate, with what sums of a few terms make of it */

/* ── steps ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static bool damps(const rod_search *s)
{
  return s->stiffness_damping > 0;
}

/* y = D v in natural order; uses `change` of the scratch. */
static void damper_times(const rod_search *s, rod_scratch *w, const double *v, double *y)
{
  to_band(s->rod, v, w->change);
  la_band_multiply(&w->damper, w->change, y);
  memcpy(w->change, y, unknowns(s->rod) * sizeof *y);
  from_band(s->rod, w->change, y);
}

static void set_places(const rod_search *s, const double *v, double *q)
{
  for (size_t k = 0, n = unknowns(s->rod); k < n; k++) q[k] = s->place[k] + s->h * v[k];
}

/* D where v has gone half of its way: there a turn by v stretches no edge, so that what only turns is not braked. */
static void set_damper(const rod_search *s, rod_scratch *w, const double *v, const rod_frames *frames)
{
  if (!damps(s)) return;
  for (size_t k = 0, n = unknowns(s->rod); k < n; k++) w->place[k] = s->place[k] + 0.5 * s->h * v[k];
  rod_carry_frames(s->rod, w->place, frames, &w->trial);
  rod_energy(s->rod, w->place, &w->trial, NULL, ROD_GAUSS_NEWTON, &w->damper);
}

/* Phi at v, whose places and frames become those of `q` and `to`; uses `product` where there are dampers. */
static potential evaluate(const rod_search *s, rod_scratch *w, const double *v, double *q, const rod_frames *from, rod_frames *to)
{
  set_places(s, v, q);
  rod_carry_frames(s->rod, q, from, to);
  potential p = {.energy = rod_energy(s->rod, q, to, NULL, ROD_EXACT, NULL)};
  double inertia = 0, work = 0, braked = 0;
  if (damps(s)) damper_times(s, w, v, w->product);
  for (size_t k = 0, n = unknowns(s->rod); k < n; k++) {
    if (damps(s)) braked += 0.5 * s->h * s->stiffness_damping * v[k] * w->product[k]; /* what is held drags its neighbours along */
    if (s->held[k]) continue;
    double change = v[k] - s->inertial[k];
    inertia += 0.5 * s->mass[k] * change * change;
    work += s->h * s->force[k] * v[k];
    braked += 0.5 * s->h * s->mass_damping * s->mass[k] * v[k] * v[k];
  }
  double elastic = rod_total(p.energy);
  p.value = inertia + braked + elastic - work;
  p.size = inertia + braked + elastic + fabs(work);
  return p;
}

/* dPhi/dv at v from dE/dq in `gradient`, in place; of held unknowns too. */
static void slope(const rod_search *s, rod_scratch *w, const double *v, double *gradient)
{
  if (damps(s)) damper_times(s, w, v, w->product);
  for (size_t k = 0, n = unknowns(s->rod); k < n; k++) {
    gradient[k] = s->mass[k] * (v[k] - s->inertial[k]) + s->h * (gradient[k] - s->force[k] + s->mass_damping * s->mass[k] * v[k]);
    if (damps(s)) gradient[k] += s->h * s->stiffness_damping * w->product[k];
  }
}

/* M (1 + h a) + h b D + h^2 K of the kind; dE/dq into `gradient`. */
static void assemble(const rod_search *s, rod_scratch *w, const double *q, const rod_frames *frames, rod_hessian kind)
{
  rod_energy(s->rod, q, frames, w->gradient, kind, &w->matrix);
  for (size_t k = 0, n = w->matrix.size * (w->matrix.width + 1); k < n; k++) {
    w->matrix.row[k] *= s->h * s->h;
    if (damps(s)) w->matrix.row[k] += s->h * s->stiffness_damping * w->damper.row[k];
  }
  for (uint32_t i = 0; i < s->rod->nodes; i++)
    for (size_t k = 0; k < ROD_UNKNOWNS; k++) {
      size_t row = (size_t)ROD_UNKNOWNS * rod_place(s->rod, i) + k;
      *la_band_at(&w->matrix, row, row) += s->mass[(size_t)ROD_UNKNOWNS * i + k] * (1 + s->h * s->mass_damping);
    }
  leave_held_out(s, &w->matrix);
}

static bool factorise(const rod_search *s, rod_scratch *w, const double *q, const rod_frames *frames, rod_hessian kind)
{
  assemble(s, w, q, frames, kind);
  return la_band_factor(&w->matrix) == w->matrix.size;
}

/* The change of v that Newton's method wants, into `change`; its slope, < 0. `gradient` holds dPhi/dv then. */
static double direction(const rod_search *s, rod_scratch *w, const double *v, const double *q, const rod_frames *frames)
{
  if (!factorise(s, w, q, frames, ROD_EXACT)) (void)factorise(s, w, q, frames, ROD_GAUSS_NEWTON);
  slope(s, w, v, w->gradient);
  size_t n = unknowns(s->rod);
  for (size_t k = 0; k < n; k++) w->product[k] = s->held[k] ? 0 : -w->gradient[k];
  to_band(s->rod, w->product, w->change);
  la_band_solve(&w->matrix, w->change);
  from_band(s->rod, w->change, w->product);
  double sum = 0;
  for (size_t k = 0; k < n; k++) {
    w->change[k] = s->held[k] ? 0 : w->product[k];
    sum += w->change[k] * w->gradient[k];
  }
  return sum;
}

/* Largest component of a velocity; that of turning about the tangent at a radius of the section. */
static double largest(const rod_search *s, const double *v)
{
  double most = 0, radius = sqrt(s->rod->twisting / s->rod->stretching);
  for (size_t k = 0, n = unknowns(s->rod); k < n; k++) most = fmax(most, fabs(v[k]) * (k % ROD_UNKNOWNS == ROD_TWIST ? radius : 1));
  return most;
}

/* Makes w->velocity, with its places and frames, v, q and frames. */
static void move_to_trial(const rod_search *s, rod_scratch *w, double *v, double *q, rod_frames *frames)
{
  size_t n = unknowns(s->rod);
  memcpy(v, w->velocity, n * sizeof *v);
  memcpy(q, w->place, n * sizeof *q);
  memcpy(frames->director, w->trial.director, s->rod->edges * sizeof *frames->director);
  memcpy(frames->tangent, w->trial.tangent, s->rod->edges * sizeof *frames->tangent);
  memcpy(frames->reference, w->trial.reference, s->rod->nodes * sizeof *frames->reference);
}

/* Goes along `change` as far as Phi falls: v, q and frames move. @return whether there was such a way */
static bool go(const rod_search *s, rod_scratch *w, double steep, double *v, double *q, rod_frames *frames, potential *now)
{
  size_t n = unknowns(s->rod);
  double *displacement = w->gradient, share = 1; /* the gradient is not needed any more, and `change` is scratch of evaluate */
  memcpy(displacement, w->change, n * sizeof *displacement);
  for (int k = 0; k < HALVINGS; k++) {
    for (size_t i = 0; i < n; i++) w->velocity[i] = v[i] + share * displacement[i];
    potential next = evaluate(s, w, w->velocity, w->place, frames, &w->trial);
    double limit = now->value + 1e-4 * share * steep;
    share *= 0.5;
    if (!(next.value <= limit + 4e-15 * (now->size + next.size))) continue;
    move_to_trial(s, w, v, q, frames);
    *now = next;
    return true;
  }
  return false;
}

/* Begins at the guess; where that is nowhere, at rest. */
static potential begin(const rod_search *s, rod_scratch *w, double *v, double *q, rod_frames *frames)
{
  size_t n = unknowns(s->rod);
  set_damper(s, w, v, frames);
  potential p = evaluate(s, w, v, q, frames, &w->trial);
  if (!is_finite(p.value)) {
    for (size_t k = 0; k < n; k++)
      if (!s->held[k]) v[k] = 0;
    set_damper(s, w, v, frames);
    p = evaluate(s, w, v, q, frames, &w->trial);
  }
  rod_carry_frames(s->rod, q, frames, frames);
  return p;
}

void rod_finish(const rod_search *s, const double *v, const double *q, const rod_frames *frames, double *reaction, rod_scratch *w,
                rod_found *found)
{
  size_t n = unknowns(s->rod);
  found->energy = rod_energy(s->rod, q, frames, reaction, ROD_EXACT, NULL);
  for (size_t k = 0; k < n; k++) found->strained += s->h * reaction[k] * v[k];
  slope(s, w, v, reaction); /* leaves D v in `product` */
  for (size_t k = 0; k < n; k++) {
    reaction[k] /= s->h;
    found->damped +=
        s->h * s->mass_damping * s->mass[k] * v[k] * v[k] + (damps(s) ? s->h * s->stiffness_damping * v[k] * w->product[k] : 0);
  }
}

static void copy_frames(const rod *r, const rod_frames *from, rod_frames *to)
{
  memcpy(to->director, from->director, r->edges * sizeof *to->director);
  memcpy(to->tangent, from->tangent, r->edges * sizeof *to->tangent);
  memcpy(to->reference, from->reference, r->nodes * sizeof *to->reference);
}

/* The best point so far, and how many whole steps there were since. */
typedef struct watch {
  potential best;
  int since;
} watch;

/* Takes the whole step to w->velocity, whatever Phi is there, as long as it is a number. */
static bool leap(const rod_search *s, rod_scratch *w, double *v, double *q, rod_frames *frames, potential *now)
{
  size_t n = unknowns(s->rod);
  memcpy(w->gradient, w->change, n * sizeof *w->gradient); /* `change` is scratch of evaluate */
  for (size_t i = 0; i < n; i++) w->velocity[i] = v[i] + w->gradient[i];
  potential next = evaluate(s, w, w->velocity, w->place, frames, &w->trial);
  memcpy(w->change, w->gradient, n * sizeof *w->change);
  if (!is_finite(next.value)) return false;
  move_to_trial(s, w, v, q, frames);
  *now = next;
  return true;
}

static void keep_best(const rod_search *s, rod_scratch *w, const double *v, const rod_frames *frames, const potential *now, watch *dog)
{
  dog->best = *now;
  dog->since = 0;
  memcpy(w->best, v, unknowns(s->rod) * sizeof *v);
  copy_frames(s->rod, frames, &w->best_frames);
}

static void return_to_best(const rod_search *s, rod_scratch *w, double *v, double *q, rod_frames *frames, potential *now, const watch *dog)
{
  *now = dog->best;
  memcpy(v, w->best, unknowns(s->rod) * sizeof *v);
  copy_frames(s->rod, &w->best_frames, frames);
  set_places(s, v, q);
}

static rod_found search_from(const rod_search *s, double *v, double *q, rod_frames *frames, double *reaction, rod_scratch *w)
{
  enum { LEAPS = 6 };
  rod_found found = {0};
  watch dog = {.since = 0};
  potential now = begin(s, w, v, q, frames);
  if (!is_finite(now.value)) {
    found.lost = true;
    return found;
  }
  keep_best(s, w, v, frames, &now, &dog);
  while (!found.solved && found.iterations < s->limit) {
    double steep = direction(s, w, v, q, frames), wanted = largest(s, w->change), before = now.value;
    double scale = fmax(largest(s, v), s->least_speed), rounding = ROUNDING * extent(s, q) / s->h;
    bool at_best = dog.since == 0, fell;
    found.iterations++;
    found.residual = scale > 0 ? wanted / scale : 0;
    if (dog.since < LEAPS && leap(s, w, v, q, frames, &now)) {
      fell = true;
      if (now.value <= dog.best.value + (at_best ? 1e-4 * steep : 0))
        keep_best(s, w, v, frames, &now, &dog);
      else
        dog.since++;
    } else if (!at_best) {
      return_to_best(s, w, v, q, frames, &now, &dog);
      dog.since = LEAPS; /* until a search has made it fall */
      steep = direction(s, w, v, q, frames);
      fell = go(s, w, steep, v, q, frames, &now);
      if (fell) keep_best(s, w, v, frames, &now, &dog);
    } else
      fell = go(s, w, steep, v, q, frames, &now);
    found.solved = found.residual <= s->tolerance || wanted <= rounding;
    if (fell && (before - now.value > 4e-15 * now.size || found.residual > 1e3 * s->tolerance)) continue;
    found.solved = found.solved || found.residual <= 1e3 * s->tolerance; /* no way down that rounding does not hide */
    break;
  }
  if (now.value > dog.best.value + 4e-15 * (now.size + dog.best.size)) return_to_best(s, w, v, q, frames, &now, &dog);
  rod_finish(s, v, q, frames, reaction, w, &found);
  return found;
}

/* Along the floor of a stiff fibre's valley edges turn, and each turn stretches them, so that Newton's method creeps where it has far to go
 * there. A softer fibre goes that way in some steps, to where the stiff one ends but for what the edges are stretched by: continuation in
 * the stiffness, for what the search by itself leaves. */
rod_found rod_implicit(const rod_search *s, double *v, double *q, rod_frames *frames, double *reaction, rod_scratch *w)
{
  enum { PATIENCE = 100 };
  static const double share[] = {1e-3, 1e-2, 0.1, 1};
  rod_search part = *s;
  part.limit = s->limit < PATIENCE ? s->limit : PATIENCE;
  rod_found found = search_from(&part, v, q, frames, reaction, w);
  for (size_t k = 0; k < sizeof share / sizeof *share && !found.solved && !found.lost && found.iterations < s->limit; k++) {
    rod softer = *s->rod;
    uint32_t before = found.iterations;
    softer.stretching *= share[k];
    part.rod = &softer;
    part.limit = s->limit - before;
    found = search_from(&part, v, q, frames, reaction, w);
    found.iterations += before;
    found.solved = found.solved && share[k] == 1;
  }
  return found;
}

static void measure_tensions(const rod_search *s, const double *q, double *pull)
{
  for (uint32_t e = 0; e < s->rod->edges; e++) pull[e] = rod_tension(s->rod, q, e);
}

static scr_vec3 edge_of(const rod *r, const double *q, uint32_t edge)
{
  return vec3_sub(rod_position(q, rod_next(r, edge)), rod_position(q, edge));
}

/* Tensions at q0 + h v by the linear system about q0 + h last. */
static void predict_tensions(const rod_search *s, const double *v, const double *last, double *pull)
{
  const rod *r = s->rod;
  for (uint32_t e = 0; e < r->edges; e++) {
    scr_vec3 edge = vec3_add(edge_of(r, s->place, e), vec3_scale(edge_of(r, last, e), s->h));
    scr_vec3 change = vec3_scale(vec3_sub(edge_of(r, v, e), edge_of(r, last, e)), s->h);
    double length = vec3_length(edge);
    pull[e] = r->stretching / r->rest[e] * (length - r->rest[e] + vec3_dot(edge, change) / length);
  }
}

bool rod_linearise(const rod_search *s, const double *v, const double *last, double *q, rod_frames *frames, la_band *matrix, double *rhs,
                   rod_scratch *w)
{
  size_t n = unknowns(s->rod), bytes = matrix->size * (matrix->width + 1) * sizeof *matrix->row;
  rod stiffened = *s->rod;
  rod_search mixed = *s;
  stiffened.pull = w->pull;
  mixed.rod = &stiffened;
  if (!last) set_damper(s, w, v, frames);
  if (last)
    predict_tensions(s, v, last, w->pull);
  else
    measure_tensions(s, q, w->pull);
  set_places(s, v, q);
  rod_carry_frames(s->rod, q, frames, frames);
  bool definite = false;
  for (int kind = 0; kind < 2 && !definite; kind++) {
    assemble(&mixed, w, q, frames, kind ? ROD_GAUSS_NEWTON : ROD_EXACT);
    memcpy(matrix->row, w->matrix.row, bytes);
    definite = la_band_factor(&w->matrix) == n;
  }
  slope(s, w, v, w->gradient);
  to_band(s->rod, v, w->change);
  la_band_multiply(matrix, w->change, w->product);
  from_band(s->rod, w->product, rhs);
  double sum = 0;
  for (size_t k = 0; k < n; k++) {
    rhs[k] = s->held[k] ? v[k] : rhs[k] - w->gradient[k];
    sum += rhs[k];
  }
  return definite && is_finite(sum);
}

rod_potential rod_potential_at(const rod_search *s, const double *v, const rod_frames *frames, rod_scratch *w)
{
  potential p = evaluate(s, w, v, w->place, frames, &w->trial);
  return (rod_potential){p.value, p.size};
}

/* ── equilibria ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static double work_of(const rod_search *s, const double *q)
{
  double sum = 0;
  for (size_t k = 0, n = unknowns(s->rod); k < n; k++) sum += s->held[k] ? 0 : s->force[k] * (q[k] - s->place[k]);
  return sum;
}

/* What is left of the forces, into `gradient`, over the largest of loads and tensions; what rounding of places does to tensions counts
 * as nothing. */
static double imbalance(const rod_search *s, const double *q, double *gradient)
{
  double most = 0, scale = 0;
  for (uint32_t e = 0; e < s->rod->edges; e++) scale = fmax(scale, fabs(rod_tension(s->rod, q, e)));
  scale = fmax(scale, fmin(s->rod->bending[0], s->rod->bending[1]) / (s->rod->rest[0] * s->rod->rest[0]) * 1e-6);
  for (size_t k = 0, n = unknowns(s->rod); k < n; k++) {
    gradient[k] -= s->force[k];
    bool turn = k % ROD_UNKNOWNS == ROD_TWIST;
    if (!turn) scale = fmax(scale, fabs(s->force[k]));
    if (!s->held[k]) most = fmax(most, fabs(gradient[k]) / (turn ? s->rod->rest[0] : 1));
  }
  double rounding = s->rod->stretching / s->rod->rest[0] * ROUNDING * extent(s, q);
  return fmax(0, most - rounding) / scale;
}

/* Factor of the exact Hessian, shifted until it is positive definite. */
static void factorise_shifted(const rod_search *s, rod_scratch *w, const double *q, const rod_frames *frames, double *shift)
{
  double l = s->rod->rest[0], unit = fmin(s->rod->bending[0], s->rod->bending[1]) / (l * l * l);
  for (int tries = 0; tries < 60; tries++) {
    rod_energy(s->rod, q, frames, NULL, ROD_EXACT, &w->matrix);
    for (size_t row = 0; row < w->matrix.size; row++)
      *la_band_at(&w->matrix, row, row) += *shift * unit * (row % ROD_UNKNOWNS == ROD_TWIST ? l * l : 1);
    leave_held_out(s, &w->matrix);
    if (la_band_factor(&w->matrix) == w->matrix.size) return;
    *shift = *shift > 0 ? 4 * *shift : 1e-8;
  }
}

/* The change of places, into `change`, no node farther than an edge is long. */
static void static_direction(const rod_search *s, rod_scratch *w)
{
  size_t n = unknowns(s->rod);
  for (size_t k = 0; k < n; k++) w->product[k] = s->held[k] ? 0 : -w->gradient[k];
  to_band(s->rod, w->product, w->change);
  la_band_solve(&w->matrix, w->change);
  from_band(s->rod, w->change, w->product);
  double most = fmax(largest(s, w->product), 1e-300), share = fmin(1, s->rod->rest[0] / most);
  for (size_t k = 0; k < n; k++) w->change[k] = s->held[k] ? 0 : share * w->product[k];
}

static bool fall(const rod_search *s, rod_scratch *w, double *q, rod_frames *frames, double before, double size)
{
  size_t n = unknowns(s->rod);
  double share = 1;
  for (int k = 0; k < HALVINGS; k++) {
    for (size_t i = 0; i < n; i++) w->place[i] = q[i] + share * w->change[i];
    share *= 0.5;
    rod_carry_frames(s->rod, w->place, frames, &w->trial);
    double after = rod_total(rod_energy(s->rod, w->place, &w->trial, NULL, ROD_EXACT, NULL)) - work_of(s, w->place);
    if (!(after <= before + 1e-14 * size)) continue;
    memcpy(q, w->place, n * sizeof *q);
    rod_carry_frames(s->rod, q, frames, frames);
    return true;
  }
  return false;
}

rod_found rod_equilibrium(const rod_search *s, double *q, rod_frames *frames, double *reaction, rod_scratch *w)
{
  rod_found found = {0};
  double shift = 0;
  rod_carry_frames(s->rod, q, frames, frames);
  for (;;) {
    found.energy = rod_energy(s->rod, q, frames, w->gradient, ROD_EXACT, NULL);
    double elastic = rod_total(found.energy), work = work_of(s, q);
    found.residual = imbalance(s, q, w->gradient);
    found.lost = !is_finite(elastic);
    found.solved = found.residual <= s->tolerance;
    if (found.solved || found.lost || found.iterations == s->limit) break;
    found.iterations++;
    factorise_shifted(s, w, q, frames, &shift);
    static_direction(s, w);
    if (fall(s, w, q, frames, elastic - work, elastic + fabs(work)))
      shift = shift > 1e-9 ? shift / 8 : 0;
    else if (shift > 1e8) {
      found.solved = found.residual <= 1e3 * s->tolerance;
      break;
    } else
      shift = shift > 0 ? 10 * shift : 1e-6;
  }
  memcpy(reaction, w->gradient, unknowns(s->rod) * sizeof *reaction);
  return found;
}
