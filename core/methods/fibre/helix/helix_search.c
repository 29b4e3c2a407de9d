/* Searches for the end of a step, and for equilibria. */
#include "methods/fibre/helix/helix_search.h"

#include <string.h>

enum { HALVINGS = 40 };

/* Phi at some strains, and the sizes of its terms, whose rounding it has. */
typedef struct potential {
  double value, size;
  rod_energies energy;
} potential;

/* What a search moves. */
typedef struct trial {
  helix_strain strain[HELIX_ELEMENTS_MAX];
  helix_chain chain;
} trial;

static bool is_finite(double x)
{
  return x - x == 0;
}

static size_t unknowns(const helix_search *s)
{
  return (size_t)HELIX_STRAINS * s->helix->elements;
}

static double length_of_element(const helix_search *s)
{
  return s->helix->length / s->helix->elements;
}

/* Velocity of a point's unknown: of places by what they travel, of turns by themselves. */
static double velocity_of(const helix_search *s, const double *place, size_t k)
{
  return (k % ROD_UNKNOWNS == ROD_TWIST ? place[k] : place[k] - s->place[k]) / s->h;
}

/* Numbers of all points: the last node begins no edge. */
static size_t point_count(const helix_search *s)
{
  return (size_t)ROD_UNKNOWNS * (s->helix->edges + 1) - 1;
}

static void lay(const helix_search *s, trial *at, helix_scratch *w)
{
  helix_lay(s->helix, (const helix_strain *)at->strain, &s->root, &at->chain, w->place, &w->trial);
  helix_turns(s->helix, &s->before, &w->trial, w->place, w->axis);
}

/* (q - q0)' K (q - q0). */
static double strained_since(const helix_search *s, const helix_strain *strain)
{
  double sum = 0;
  for (uint32_t e = 0; e < s->helix->elements; e++)
    for (int a = 0; a < HELIX_STRAINS; a++) {
      double by = strain[e][a] - s->from[e][a];
      sum += length_of_element(s) * s->helix->stiffness[a] * by * by;
    }
  return sum;
}

/* Lays `at`, whose points become w->place and w->trial. */
static potential evaluate(const helix_search *s, trial *at, helix_scratch *w)
{
  lay(s, at, w);
  potential p = {.energy = helix_energy(s->helix, (const helix_strain *)at->strain, NULL, 0, NULL)};
  double inertia = 0, work = 0, braked = 0.5 * s->stiffness_damping / s->h * strained_since(s, (const helix_strain *)at->strain);
  for (size_t k = 0, n = point_count(s); k < n; k++) {
    double v = velocity_of(s, w->place, k), change = v - s->inertial[k];
    inertia += 0.5 * s->mass[k] * change * change;
    braked += 0.5 * s->h * s->mass_damping * s->mass[k] * v * v;
    work += s->h * s->force[k] * v;
  }
  double elastic = rod_total(p.energy);
  p.value = inertia + braked + elastic - work;
  p.size = inertia + braked + elastic + fabs(work);
  return p;
}

/* Forces that are missing at the points, into `load`: m (v - v0) / h + a m v - f. */
static void missing(const helix_search *s, const double *place, double *load)
{
  for (size_t k = 0, n = point_count(s); k < n; k++) {
    double v = velocity_of(s, place, k);
    load[k] = s->mass[k] * ((v - s->inertial[k]) / s->h + s->mass_damping * v) - s->force[k];
  }
  load[point_count(s)] = 0;
}

/* dPhi/dq and its matrix by the forces that are missing, in w->load. @param matrix NULL: not asked */
static void assemble(const helix_search *s, const trial *at, const helix_scratch *w, bool curved, double *slope, la_band *matrix)
{
  const helix_strain *strain = (const helix_strain *)at->strain;
  helix_work work = {
      .load = w->load, .axis = w->axis, .mass = s->mass, .mass_factor = 1 / (s->h * s->h) + s->mass_damping / s->h, .curved = curved};
  double damping = s->stiffness_damping / s->h;
  helix_assemble(s->helix, strain, &at->chain, w->place, &work, slope, matrix);
  (void)helix_energy(s->helix, strain, slope, 1 + damping, matrix);
  for (uint32_t e = 0; e < s->helix->elements; e++)
    for (int a = 0; a < HELIX_STRAINS; a++)
      slope[HELIX_STRAINS * e + (uint32_t)a] += damping * length_of_element(s) * s->helix->stiffness[a] * (strain[e][a] - s->from[e][a]);
}

/* dPhi/dq, and factor of its matrix. @return false: it is not positive definite */
static bool linearise(const helix_search *s, const trial *at, helix_scratch *w, bool curved, double *slope, la_band *matrix)
{
  missing(s, w->place, w->load);
  assemble(s, at, w, curved, slope, matrix);
  return la_band_factor(matrix) == matrix->size;
}

static void move_by(const helix_search *s, const trial *from, double share, const double *change, trial *to)
{
  for (uint32_t e = 0; e < s->helix->elements; e++)
    for (uint32_t a = 0; a < HELIX_STRAINS; a++) to->strain[e][a] = from->strain[e][a] + share * change[HELIX_STRAINS * e + a];
}

/* Largest velocity of the points, and the largest change of one from `place` to where `to` lies. */
typedef struct motion {
  double speed, change; /* m/s */
} motion;

static motion motion_between(const helix_search *s, const double *place, const double *to)
{
  motion m = {0};
  for (size_t k = 0, n = point_count(s); k < n; k++) {
    double arm = k % ROD_UNKNOWNS == ROD_TWIST ? s->radius : 1;
    m.speed = fmax(m.speed, arm * fabs(velocity_of(s, to, k)));
    m.change = fmax(m.change, arm * fabs(velocity_of(s, to, k) - velocity_of(s, place, k)));
  }
  return m;
}

/* Goes along `change` as far as Phi falls. @param whole receives what the whole of it would change @return whether there was such a way */
static bool go(const helix_search *s, helix_scratch *w, double steep, const double *change, trial *at, potential *now, motion *whole)
{
  trial to;
  double share = 1;
  memcpy(w->kept, w->place, (point_count(s) + 1) * sizeof *w->kept);
  for (int k = 0; k < HALVINGS; k++) {
    move_by(s, at, share, change, &to);
    potential next = evaluate(s, &to, w);
    if (k == 0) *whole = motion_between(s, w->kept, w->place);
    double limit = now->value + 1e-4 * share * steep;
    share *= 0.5;
    if (!(next.value <= limit + 4e-15 * (now->size + next.size))) continue;
    *at = to;
    *now = next;
    return true;
  }
  (void)evaluate(s, at, w);
  return false;
}

static double extent(const helix_search *s, const double *place)
{
  double most = 0;
  for (size_t k = 0, n = point_count(s); k < n; k++)
    if (k % ROD_UNKNOWNS != ROD_TWIST) most = fmax(most, fabs(place[k]));
  return most;
}

/* Newton's direction. @return its slope, < 0 */
static double direction(const helix_search *s, const trial *at, helix_scratch *w, double *change)
{
  double slope[HELIX_UNKNOWNS_MAX], entries[HELIX_UNKNOWNS_MAX * HELIX_UNKNOWNS_MAX], steep = 0;
  size_t n = unknowns(s);
  la_band matrix = {n, n - 1, entries};
  if (!linearise(s, at, w, true, slope, &matrix)) (void)linearise(s, at, w, false, slope, &matrix);
  for (size_t k = 0; k < n; k++) change[k] = -slope[k];
  la_band_solve(&matrix, change);
  for (size_t k = 0; k < n; k++) steep += change[k] * slope[k];
  return steep;
}

/* ── the end ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Reactions and energies of where a search ended. */
static void finish(const helix_search *s, const trial *at, double *velocity, double *reaction, helix_scratch *w, helix_found *found)
{
  double slope[HELIX_UNKNOWNS_MAX], since = strained_since(s, (const helix_strain *)at->strain), held = 0;
  missing(s, w->place, reaction);
  helix_work work = {.load = reaction, .axis = w->axis, .mass = s->mass};
  helix_assemble(s->helix, (const helix_strain *)at->strain, &at->chain, w->place, &work, slope, NULL);
  found->damped = s->stiffness_damping / s->h * since;
  found->lost_by_itself = 0.5 * since;
  for (size_t k = 0, n = point_count(s); k < n; k++) {
    double v = velocity_of(s, w->place, k), change = v - s->inertial[k];
    found->damped += s->h * s->mass_damping * s->mass[k] * v * v;
    found->lost_by_itself += 0.5 * s->mass[k] * change * change;
    held += reaction[k] * s->h * v;
    velocity[k] = v;
  }
  for (uint32_t k = 0; k < unknowns(s); k++)
    held -= slope[k] * (at->strain[k / HELIX_STRAINS][k % HELIX_STRAINS] - s->from[k / HELIX_STRAINS][k % HELIX_STRAINS]);
  found->lost_by_itself -= held;
}

static void show(const helix_search *s, const trial *at, helix_strain *strain, double *place, const rod_frames *frames, helix_scratch *w)
{
  memcpy(strain, at->strain, s->helix->elements * sizeof *strain);
  for (size_t k = 0, n = point_count(s); k < n; k++)
    if (k % ROD_UNKNOWNS != ROD_TWIST) place[k] = w->place[k];
  memcpy(frames->tangent, w->trial.tangent, s->helix->edges * sizeof *frames->tangent);
  memcpy(frames->director, w->trial.director, s->helix->edges * sizeof *frames->director);
}

/* What receives the end of a search. */
typedef struct ending {
  helix_strain *strain;
  double *place, *velocity, *reaction;
  const rod_frames *frames;
} ending;

static void end_at(const helix_search *s, const trial *at, const potential *now, const ending *to, helix_scratch *w, helix_found *found)
{
  found->energy = now->energy;
  finish(s, at, to->velocity, to->reaction, w, found);
  show(s, at, to->strain, to->place, to->frames, w);
}

helix_found helix_implicit(const helix_search *s, helix_strain *strain, double *place, double *velocity, const rod_frames *frames,
                           double *reaction, helix_scratch *w)
{
  helix_found found = {0};
  trial at = {0};
  memcpy(at.strain, strain, s->helix->elements * sizeof *strain);
  potential now = evaluate(s, &at, w);
  if (!is_finite(now.value)) { /* the guess is nowhere */
    memcpy(at.strain, s->from, s->helix->elements * sizeof *strain);
    now = evaluate(s, &at, w);
  }
  found.lost = !is_finite(now.value);
  while (!found.lost && !found.solved && found.iterations < s->limit) {
    double change[HELIX_UNKNOWNS_MAX], steep = direction(s, &at, w, change), before = now.value;
    motion m;
    bool fell = go(s, w, steep, change, &at, &now, &m);
    double rounding = 1e-15 * extent(s, w->place) / s->h, scale = fmax(m.speed, s->least_speed);
    found.iterations++;
    found.residual = m.change / scale;
    found.solved = found.residual <= s->tolerance || m.change <= rounding;
    if (fell && (before - now.value > 4e-15 * now.size || found.residual > 1e3 * s->tolerance)) continue;
    found.solved = found.solved || found.residual <= 1e3 * s->tolerance; /* no way down that rounding does not hide */
    break;
  }
  if (!found.lost) end_at(s, &at, &now, &(ending){strain, place, velocity, reaction, frames}, w, &found);
  return found;
}

helix_found helix_finish(const helix_search *s, const helix_strain *strain, double *place, double *velocity, const rod_frames *frames,
                         double *reaction, helix_scratch *w)
{
  helix_found found = {0};
  trial at = {0};
  helix_strain same[HELIX_ELEMENTS_MAX];
  memcpy(at.strain, strain, s->helix->elements * sizeof *strain);
  potential now = evaluate(s, &at, w);
  found.lost = !is_finite(now.value);
  if (!found.lost) end_at(s, &at, &now, &(ending){same, place, velocity, reaction, frames}, w, &found);
  return found;
}

/* ── together with contacts ─────────────────────────────────────────────────────────────────────────────────────── */

static void velocities_of(const helix_search *s, const double *place, double *velocity)
{
  for (size_t k = 0, n = point_count(s); k < n; k++) velocity[k] = velocity_of(s, place, k);
}

double helix_potential(const helix_search *s, const helix_strain *strain, double *velocity, double *size, helix_scratch *w)
{
  trial at = {0};
  memcpy(at.strain, strain, s->helix->elements * sizeof *strain);
  potential p = evaluate(s, &at, w);
  if (velocity) velocities_of(s, w->place, velocity);
  *size = p.size;
  return p.value;
}

/* h^2 d2Phi/dq2 into the rows of strains, by rates; rows beyond are by themselves. */
static void write_matrix(const helix_search *s, const la_band *hessian, la_band *matrix)
{
  double square = s->h * s->h;
  memset(matrix->row, 0, matrix->size * (matrix->width + 1) * sizeof *matrix->row);
  for (size_t i = 0; i < matrix->size; i++)
    for (size_t j = 0; j <= i && i < hessian->size; j++) *la_band_at(matrix, i, j) = square * *la_band_at(hessian, i, j);
  for (size_t i = hessian->size; i < matrix->size; i++) *la_band_at(matrix, i, i) = square * *la_band_at(hessian, 0, 0);
}

/* b = A x - h dPhi/dq, and the drift, at the rates x that strains have come by. */
static void write_momentum(const helix_search *s, const trial *at, const double *slope, const double *velocity, const helix_linear *out)
{
  double rate[HELIX_UNKNOWNS_MAX + ROD_UNKNOWNS] = {0};
  for (uint32_t k = 0; k < unknowns(s); k++)
    rate[k] = (at->strain[k / HELIX_STRAINS][k % HELIX_STRAINS] - s->from[k / HELIX_STRAINS][k % HELIX_STRAINS]) / s->h;
  la_band_multiply(&out->matrix, rate, out->momentum);
  for (size_t k = 0; k < unknowns(s); k++) out->momentum[k] -= s->h * slope[k];
  for (size_t k = 0, n = point_count(s); k < n; k++) {
    double moved = 0;
    for (size_t x = 0; x < unknowns(s); x++) moved += out->moves[k * out->stride + x] * rate[x];
    out->drift[k] = velocity[k] - moved;
  }
}

bool helix_linearise(const helix_search *s, const helix_strain *strain, const double *pressed, double *velocity, helix_linear *out,
                     helix_scratch *w)
{
  double slope[HELIX_UNKNOWNS_MAX], same[HELIX_UNKNOWNS_MAX], entries[HELIX_UNKNOWNS_MAX * HELIX_UNKNOWNS_MAX];
  trial at = {0};
  size_t n = unknowns(s);
  la_band hessian = {n, n - 1, entries};
  bool definite = false;
  memcpy(at.strain, strain, s->helix->elements * sizeof *strain);
  lay(s, &at, w);
  velocities_of(s, w->place, velocity);
  missing(s, w->place, w->load);
  assemble(s, &at, w, false, slope, NULL);
  for (size_t k = 0, count = point_count(s); k < count; k++) w->load[k] -= pressed[k];
  for (int curved = 1; curved >= 0 && !definite; curved--) {
    assemble(s, &at, w, curved, same, &hessian);
    write_matrix(s, &hessian, &out->matrix);
    memcpy(out->factor.row, out->matrix.row, out->matrix.size * (out->matrix.width + 1) * sizeof *out->matrix.row);
    definite = la_band_factor(&out->factor) == out->factor.size;
  }
  helix_moves(s->helix, strain, &at.chain, w->place, w->axis, out->stride, out->moves);
  write_momentum(s, &at, slope, velocity, out);
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += out->momentum[k];
  return definite && is_finite(sum);
}

/* ── equilibria ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static double work_of(const helix_search *s, const double *place)
{
  double sum = 0;
  for (size_t k = 0, n = point_count(s); k < n; k++)
    if (k % ROD_UNKNOWNS != ROD_TWIST) sum += s->force[k] * (place[k] - s->place[k]);
  return sum;
}

static potential evaluate_still(const helix_search *s, trial *at, helix_scratch *w)
{
  lay(s, at, w);
  potential p = {.energy = helix_energy(s->helix, (const helix_strain *)at->strain, NULL, 0, NULL)};
  double elastic = rod_total(p.energy), work = work_of(s, w->place);
  p.value = elastic - work;
  p.size = elastic + fabs(work);
  return p;
}

/* dE/dq - df . r/dq and second derivatives. */
static void linearise_still(const helix_search *s, const trial *at, helix_scratch *w, double *slope, la_band *matrix)
{
  helix_work work = {.load = w->load, .axis = w->axis, .mass = s->mass, .curved = true};
  for (size_t k = 0, n = point_count(s) + 1; k < n; k++) w->load[k] = -s->force[k];
  helix_assemble(s->helix, (const helix_strain *)at->strain, &at->chain, w->place, &work, slope, matrix);
  (void)helix_energy(s->helix, (const helix_strain *)at->strain, slope, 1, matrix);
}

/* Moments that are left, over what loads make at the root and what it bends and twists with. */
static double imbalance(const helix_search *s, const trial *at, const double *slope)
{
  double most = 0, scale = 0, load = 0;
  for (size_t k = 0, n = point_count(s); k < n; k++)
    if (k % ROD_UNKNOWNS != ROD_TWIST) load += fabs(s->force[k]);
  for (uint32_t k = 0; k < unknowns(s); k++) {
    uint32_t e = k / HELIX_STRAINS, a = k % HELIX_STRAINS;
    most = fmax(most, fabs(slope[k]) / length_of_element(s));
    scale = fmax(scale, s->helix->stiffness[a] * fabs(at->strain[e][a] - s->helix->natural[e][a]));
    scale = fmax(scale, 1e-6 * s->helix->stiffness[a] / s->helix->length);
  }
  return most / fmax(scale, load * s->helix->length);
}

/* Newton's direction by the exact second derivatives, shifted until they are positive definite; no strain turns an element by more than
 * some 60 degrees. */
static void still_direction(const helix_search *s, const double *slope, const la_band *exact, double *shift, double *change)
{
  double entries[HELIX_UNKNOWNS_MAX * HELIX_UNKNOWNS_MAX], most = 0;
  size_t n = unknowns(s);
  for (int tries = 0; tries < 60; tries++) {
    la_band matrix = {n, n - 1, entries};
    memcpy(entries, exact->row, n * n * sizeof *entries);
    for (size_t k = 0; k < n; k++) *la_band_at(&matrix, k, k) += *shift * length_of_element(s) * s->helix->stiffness[k % HELIX_STRAINS];
    if (la_band_factor(&matrix) == n) break;
    *shift = *shift > 0 ? 4 * *shift : 1e-6;
  }
  la_band matrix = {n, n - 1, entries};
  for (size_t k = 0; k < n; k++) change[k] = -slope[k];
  la_band_solve(&matrix, change);
  for (size_t k = 0; k < n; k++) most = fmax(most, fabs(change[k]));
  for (size_t k = 0; k < n; k++) change[k] *= fmin(1, 1 / (most * length_of_element(s)));
}

static bool fall(const helix_search *s, helix_scratch *w, const double *change, trial *at, potential *now)
{
  trial to;
  double share = 1;
  for (int k = 0; k < HALVINGS; k++) {
    move_by(s, at, share, change, &to);
    potential next = evaluate_still(s, &to, w);
    share *= 0.5;
    if (!(next.value <= now->value + 1e-14 * now->size)) continue;
    *at = to;
    *now = next;
    return true;
  }
  (void)evaluate_still(s, at, w);
  return false;
}

helix_found helix_equilibrium(const helix_search *s, helix_strain *strain, double *place, const rod_frames *frames, double *reaction,
                              helix_scratch *w)
{
  helix_found found = {0};
  trial at = {0};
  double shift = 0, slope[HELIX_UNKNOWNS_MAX], change[HELIX_UNKNOWNS_MAX], entries[HELIX_UNKNOWNS_MAX * HELIX_UNKNOWNS_MAX];
  la_band exact = {unknowns(s), unknowns(s) - 1, entries};
  memcpy(at.strain, strain, s->helix->elements * sizeof *strain);
  potential now = evaluate_still(s, &at, w);
  for (;;) {
    linearise_still(s, &at, w, slope, &exact);
    found.residual = imbalance(s, &at, slope);
    found.lost = !is_finite(now.value);
    found.solved = found.residual <= s->tolerance;
    if (found.solved || found.lost || found.iterations == s->limit) break;
    found.iterations++;
    still_direction(s, slope, &exact, &shift, change);
    if (fall(s, w, change, &at, &now))
      shift = shift > 1e-9 ? shift / 8 : 0;
    else if (shift > 1e8) {
      found.solved = found.residual <= 1e3 * s->tolerance;
      break;
    } else
      shift = shift > 0 ? 10 * shift : 1e-6;
  }
  found.energy = now.energy;
  memcpy(reaction, w->load, (point_count(s) + 1) * sizeof *reaction);
  show(s, &at, strain, place, frames, w);
  return found;
}
