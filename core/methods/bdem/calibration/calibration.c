/* The virtual test: constants of a packing from six mean stresses, the skin from a bar, the bonds from both. */
#include "methods/bdem/calibration/calibration.h"

#include <string.h>

#include "base/memory.h"
#include "methods/bdem/calibration/sample.h"

enum { DIRECTIONS = 32, TURNS = 8, SEARCH_LIMIT = 40, STAGES = 200 };

static const double pi = 3.14159265358979323846;
static const double residual = 1e-8, rough = 1e-5; /* of solves: for constants, for what breaks next */
static const double found = 1e-5;                  /* in Poisson's ratio */
static const double narrowest = 4, widest = 12;    /* diameters, of bars of random packings: thinner ones may fall apart */
static const double failed = 0.6;                  /* of the peak: what is borne then has no second peak */

/* The cell, bonded, and what it does under each of the six stresses. */
typedef struct rig {
  bdem_sample sample;
  double *response[BDEM_STRESSES];
  double *mixed;                                   /* scratch of one response */
  double compliance[BDEM_STRESSES][BDEM_STRESSES]; /* strain m under stress k, symmetric but for rounding */
} rig;

/* Elastic constants over the bonds' modulus. */
typedef struct elastic {
  double young, poisson, bulk;
} elastic;

/* Largest stress in a bond over the body's. */
typedef struct load {
  double tension, shear;
} load;

/* ── stresses ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static void pull(scr_vec3 a, double stress[BDEM_STRESSES])
{
  const double s[BDEM_STRESSES] = {a.x * a.x, a.y * a.y, a.z * a.z, a.y * a.z, a.x * a.z, a.x * a.y};
  memcpy(stress, s, sizeof s);
}

static void shear(scr_vec3 a, scr_vec3 b, double stress[BDEM_STRESSES])
{
  const double s[BDEM_STRESSES] = {2 * a.x * b.x,         2 * a.y * b.y,         2 * a.z * b.z,
                                   a.y * b.z + a.z * b.y, a.x * b.z + a.z * b.x, a.x * b.y + a.y * b.x};
  memcpy(stress, s, sizeof s);
}

/* Direction k of a half sphere, evenly spread (Fibonacci's spiral). */
static scr_vec3 spread(int k)
{
  double z = (k + 0.5) / DIRECTIONS, r = sqrt(1 - z * z), turn = pi * (3 - sqrt(5.0)) * k;
  return vec3(r * cos(turn), r * sin(turn), z);
}

/* Unit vector across `a`, turned by angle k of TURNS about it. */
static scr_vec3 across(scr_vec3 a, int k)
{
  scr_vec3 u = fabs(a.x) < 0.7 ? vec3(1, 0, 0) : vec3(0, 1, 0);
  u = vec3_sub(u, vec3_scale(a, vec3_dot(u, a)));
  u = vec3_scale(u, 1 / vec3_length(u));
  double angle = 2 * pi * k / TURNS;
  return vec3_add(vec3_scale(u, cos(angle)), vec3_scale(vec3_cross(a, u), sin(angle)));
}

/* ── elastic constants ──────────────────────────────────────────────────────────────────────────────────────────── */

static double strain_along(const rig *r, const double stress[BDEM_STRESSES], double *trace)
{
  double work = 0;
  *trace = 0;
  for (int m = 0; m < BDEM_STRESSES; ++m)
    for (int k = 0; k < BDEM_STRESSES; ++k) {
      work += stress[m] * r->compliance[m][k] * stress[k];
      if (m < 3) *trace += r->compliance[m][k] * stress[k];
    }
  return work;
}

static double bulk_modulus(const rig *r)
{
  double sum = 0;
  for (int m = 0; m < 3; ++m)
    for (int k = 0; k < 3; ++k) sum += r->compliance[m][k];
  return 1 / sum;
}

static elastic pulled_along(const rig *r, scr_vec3 direction)
{
  double stress[BDEM_STRESSES], trace;
  pull(direction, stress);
  double strain = strain_along(r, stress, &trace);
  return (elastic){1 / strain, -0.5 * (trace - strain) / strain, bulk_modulus(r)};
}

/* Inverse of a symmetric positive 6 x 6 matrix, without pivots. */
static void invert(const double a[BDEM_STRESSES][BDEM_STRESSES], double out[BDEM_STRESSES][BDEM_STRESSES])
{
  enum { N = BDEM_STRESSES };
  double m[N][2 * N] = {{0}};
  for (int i = 0; i < N; ++i) {
    memcpy(m[i], a[i], sizeof a[i]);
    m[i][N + i] = 1;
  }
  for (int p = 0; p < N; ++p)
    for (int i = 0; i < N; ++i) {
      double factor = i == p ? 1 - 1 / m[p][p] : m[i][p] / m[p][p];
      for (int c = 0; c < 2 * N; ++c) m[i][c] -= factor * m[p][c];
    }
  for (int i = 0; i < N; ++i) memcpy(out[i], m[i] + N, sizeof out[i]);
}

/* The constants of many such bodies lying in all directions: Hill's mean of Voigt's and Reuss' averages (Proc. Phys. Soc. A 65, 1952). */
static elastic averaged(const rig *r)
{
  double c[BDEM_STRESSES][BDEM_STRESSES], normal[2] = {0}, cross[2] = {0}, shears[2] = {0};
  invert(r->compliance, c);
  for (int m = 0; m < 3; ++m) {
    normal[0] += c[m][m];
    normal[1] += r->compliance[m][m];
    cross[0] += c[m][(m + 1) % 3];
    cross[1] += r->compliance[m][(m + 1) % 3];
    shears[0] += c[m + 3][m + 3];
    shears[1] += r->compliance[m + 3][m + 3];
  }
  double bulk = 0.5 * ((normal[0] + 2 * cross[0]) / 9 + 1 / (normal[1] + 2 * cross[1]));
  double rigid = 0.5 * ((normal[0] - cross[0] + 3 * shears[0]) / 15 + 15 / (4 * normal[1] - 4 * cross[1] + 3 * shears[1]));
  return (elastic){9 * bulk * rigid / (3 * bulk + rigid), (3 * bulk - 2 * rigid) / (2 * (3 * bulk + rigid)), bulk};
}

static bool is_average(const bdem_test *test)
{
  return vec3_dot(test->direction, test->direction) < 0.5;
}

static scr_status bond(rig *r, const bdem_test *test, double poisson_ratio, elastic *constants, scr_error *error)
{
  bdem_elasticity bonds = test->bonds;
  bonds.poisson_ratio = poisson_ratio;
  SCR_TRY(bdem_sample_bond(&r->sample, &bonds, test->flexion, error));
  for (int k = 0; k < BDEM_STRESSES; ++k) {
    double stress[BDEM_STRESSES] = {0};
    stress[k] = 1;
    SCR_TRY(bdem_sample_solve(&r->sample, stress, residual, r->response[k], error));
    for (int m = 0; m < BDEM_STRESSES; ++m) r->compliance[m][k] = bdem_sample_strain(&r->sample, r->response[k])[m];
  }
  *constants = is_average(test) ? averaged(r) : pulled_along(r, test->direction);
  return SCR_OK;
}

/* The body's Poisson ratio grows with the bonds': false positions (Illinois' rule) between the ends of the bonds' range, or the nearer end.
 * */
static scr_status search_poisson(rig *r, const bdem_test *test, bdem_calibrated *out, double *bonds, scr_error *error)
{
  double wanted = test->wanted.poisson_ratio, low = BDEM_BOND_POISSON_LOW, high = BDEM_BOND_POISSON_HIGH;
  elastic constants;
  SCR_TRY(bond(r, test, low, &constants, error));
  out->poisson_low = constants.poisson;
  SCR_TRY(bond(r, test, high, &constants, error));
  out->poisson_high = constants.poisson;
  double at_low = out->poisson_low - wanted, at_high = out->poisson_high - wanted, miss = INFINITY;
  if (at_low >= 0 || at_high <= 0) {
    *bonds = at_low >= 0 ? low : high;
    return SCR_OK;
  }
  for (int k = 0; fabs(miss) > found && k < SEARCH_LIMIT; ++k) {
    *bonds = (low * at_high - high * at_low) / (at_high - at_low);
    SCR_TRY(bond(r, test, *bonds, &constants, error));
    miss = constants.poisson - wanted;
    if (miss < 0)
      low = *bonds, at_low = miss, at_high *= 0.5;
    else
      high = *bonds, at_high = miss, at_low *= 0.5;
  }
  return SCR_OK;
}

static scr_status find_poisson(rig *r, const bdem_test *test, bdem_calibrated *out, elastic *constants, double *bonds, scr_error *error)
{
  *bonds = test->bonds.poisson_ratio;
  out->poisson_low = out->poisson_high = NAN;
  if (!isnan(test->wanted.poisson_ratio)) SCR_TRY(search_poisson(r, test, out, bonds, error));
  return bond(r, test, *bonds, constants, error);
}

/* ── loads of bonds ─────────────────────────────────────────────────────────────────────────────────────────────── */

static load worst_of(const bdem_sample *sample, const double *response)
{
  load w = {0, 0};
  for (size_t b = 0; b < sample->link_count; ++b) {
    bdem_bond_stress s = bdem_sample_stress(sample, &sample->links[b], response);
    w.tension = fmax(w.tension, s.tension);
    w.shear = fmax(w.shear, s.shear);
  }
  return w;
}

static load worst(rig *r, const double stress[BDEM_STRESSES])
{
  size_t n = bdem_sample_unknowns(&r->sample);
  for (size_t i = 0; i < n; ++i) {
    r->mixed[i] = 0;
    for (int k = 0; k < BDEM_STRESSES; ++k) r->mixed[i] += stress[k] * r->response[k][i];
  }
  return worst_of(&r->sample, r->mixed);
}

/* Sums of inverse loads: the mean of strengths. */
static void add_inverse(load *sum, load w)
{
  sum->tension += 1 / w.tension;
  sum->shear += 1 / w.shear;
}

static load mean(load sum, int count)
{
  return (load){count / sum.tension, count / sum.shear};
}

static void loads(rig *r, const bdem_test *test, load *pulling, load *shearing)
{
  double stress[BDEM_STRESSES];
  load pulls = {0, 0}, shears = {0, 0};
  bool average = is_average(test);
  int directions = average ? DIRECTIONS : 1, step = average ? 2 : 1;
  for (int d = 0; d < directions; ++d) {
    scr_vec3 a = average ? spread(d) : test->direction;
    pull(a, stress);
    add_inverse(&pulls, worst(r, stress));
    for (int k = 0; k < TURNS; k += step) {
      shear(a, across(a, k), stress);
      add_inverse(&shears, worst(r, stress));
    }
  }
  *pulling = mean(pulls, directions);
  *shearing = mean(shears, directions * TURNS / step);
}

/* Largest share of a bond's strength that a response takes. */
static double utilisation(const bdem_sample *sample, const bdem_link *link, const bdem_constants *bonds, const double *response)
{
  if (link->broken) return 0;
  bdem_bond_stress s = bdem_sample_stress(sample, link, response);
  return fmax(s.tension / bonds->tensile_strength, s.shear / bonds->shear_strength);
}

/* The slow pull to failure: at the stress at which the most loaded bond breaks it is taken out, with those within a hundredth of it, and
 * the packing finds its equilibrium without. Ends when it bears little more than half of what it bore. Gives the peak, in units of
 * `stress`. */
static scr_status pull_apart(bdem_sample *sample, const double stress[BDEM_STRESSES], const bdem_constants *bonds, double *response,
                             double *peak, scr_error *error)
{
  memset(response, 0, bdem_sample_unknowns(sample) * sizeof *response);
  *peak = 0;
  for (int stage = 0; stage < STAGES; ++stage) {
    scr_status status = bdem_sample_solve(sample, stress, rough, response, error);
    if (status == SCR_DIVERGED) break; /* it has come apart */
    SCR_TRY(status);
    double most = 0;
    for (size_t b = 0; b < sample->link_count; ++b) most = fmax(most, utilisation(sample, &sample->links[b], bonds, response));
    *peak = fmax(*peak, 1 / most);
    if (!(1 / most > failed * *peak)) break;
    for (size_t b = 0; b < sample->link_count; ++b)
      if (utilisation(sample, &sample->links[b], bonds, response) > 0.99 * most) bdem_sample_break(sample, b);
  }
  return SCR_OK;
}

/* ── faces ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* An endless bar of the packing along an axis, and room for its response. */
typedef struct bar {
  bdem_sample sample;
  double *response, stress[BDEM_STRESSES]; /* unit pull */
} bar;

static void destroy_bar(bar *b)
{
  mem_free(b->response);
  bdem_sample_destroy(&b->sample);
}

/* Destroy it whatever this returns. */
static scr_status create_bar(const bdem_test *test, int axis, double bond_poisson_ratio, bar *b, scr_error *error)
{
  bdem_elasticity bonds = test->bonds;
  bonds.poisson_ratio = bond_poisson_ratio;
  double width[3];
  for (int k = 0; k < 3; ++k) width[k] = fmin(fmax(test->extent[k], narrowest), widest);
  *b = (bar){.response = NULL};
  b->stress[axis] = 1;
  SCR_TRY(bdem_sample_bar(test->packing, test->stretch, axis, test->cell, test->cell_edge, width, &b->sample, error));
  SCR_TRY(bdem_sample_bond(&b->sample, &bonds, test->flexion, error));
  size_t n = bdem_sample_unknowns(&b->sample);
  b->response = mem_array(n, sizeof *b->response);
  return b->response ? SCR_OK : scr_fail_memory(error, "a virtual test", n * sizeof *b->response);
}

/* What faces do to a pull along an axis. */
typedef struct faces {
  double skin;  /* diameters: share of a section = (1 - 2 skin/edge) (1 - 2 skin/other edge) */
  double share; /* of the bar's section */
  load crowd;   /* largest stress in a bond over that deep inside, where the section's share carries */
} faces;

static scr_status test_bar(const rig *r, const bdem_test *test, int axis, double bond_poisson_ratio, faces *result, scr_error *error)
{
  bar b;
  scr_status status = create_bar(test, axis, bond_poisson_ratio, &b, error);
  if (status == SCR_OK) status = bdem_sample_solve(&b.sample, b.stress, residual, b.response, error);
  if (status == SCR_OK) {
    load at_faces = worst_of(&b.sample, b.response), inside = worst_of(&r->sample, r->response[axis]);
    double young = pulled_along(r, vec3(axis == 0, axis == 1, axis == 2)).young;
    double y = 2 / b.sample.edge[(axis + 1) % 3], z = 2 / b.sample.edge[(axis + 2) % 3]; /* edges are in radii */
    double sum = y + z, product = y * z;                                                 /* share = 1 - 2 skin sum + 4 skin^2 product */
    result->share = 1 / bdem_sample_strain(&b.sample, b.response)[axis] / young;
    result->skin = 0.25 * (sum - sqrt(sum * sum - 4 * product * (1 - result->share))) / product;
    result->crowd = (load){result->share * at_faces.tension / inside.tension, result->share * at_faces.shear / inside.shear};
  }
  destroy_bar(&b);
  return status;
}

static bool is_random(const bdem_test *test)
{
  return test->packing == BDEM_PACKING_RANDOM_CLOSE;
}

/* What carries of the nominal extent between two faces: as far as whole pitches of the lattice reach, less the skins. */
static double carrying(const bdem_test *test, int face, double skin)
{
  double packed = test->packed[face] > 0 ? test->packed[face] : test->extent[face];
  return fmax(0.5 * packed, packed - 2 * skin) / test->extent[face];
}

/* Faces weaken the section across the pull, and load lattices' bonds there more. Between the axes, and on average, what is found along the
 * axes is mixed by the squares of the direction's components. Skins take at most half of an extent. A random packing's faces are all alike.
 * */
static scr_status find_faces(const rig *r, const bdem_test *test, double bonds, bdem_calibrated *out, load *crowd, scr_error *error)
{
  const double a[3] = {test->direction.x, test->direction.y, test->direction.z};
  faces one = {0};
  out->share = 1;
  *crowd = (load){1, 1};
  for (int k = 0; k < 3; ++k) {
    double weight = is_average(test) ? 1.0 / 3.0 : a[k] * a[k];
    if (!is_random(test) || k == 0) SCR_TRY(test_bar(r, test, k, bonds, &one, error));
    out->skin[k] = one.skin;
    for (int face = 0; face < 3; ++face)
      if (face != k) out->share *= pow(carrying(test, face, one.skin), weight);
    if (is_random(test)) continue; /* a bar pulled apart tells */
    crowd->tension *= pow(one.crowd.tension, weight);
    crowd->shear *= pow(one.crowd.shear, weight);
  }
  return SCR_OK;
}

/* ── strengths ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The largest tension in a bond that a unit pull makes, along any of the directions or an axis. */
static double worst_tension(rig *r)
{
  double stress[BDEM_STRESSES], most = 0;
  for (int k = 0; k < DIRECTIONS + 3; ++k) {
    int axis = k - DIRECTIONS;
    pull(axis < 0 ? spread(k) : vec3(axis == 0, axis == 1, axis == 2), stress);
    most = fmax(most, worst(r, stress).tension);
  }
  return most;
}

/* Strengths of bonds over those of a body whose section carries all of it. The tensile one comes first: no other may spoil it.
 *
 * Bonds that lie across the pull, as a body-centred packing's do along its axes, carry it by shear: their tension is a third of it, and
 * measures the mean stress rather than the pull; a tensile strength made from it lets the body break wherever a clamp or a notch raises the
 * mean stress. There bonds break in shear under the pull, and in tension at a pull along the direction in which that is largest, or before,
 * as far as a wanted shear strength asks for it. */
static void choose_strengths(rig *r, const bdem_test *test, load pulling, load shearing, bdem_constants *bonds)
{
  double tensile = test->wanted.tensile_strength, across_it = test->wanted.shear_strength;
  bool pulls = isfinite(tensile), shears = isfinite(across_it);
  bonds->tensile_strength = pulls ? tensile * pulling.tension : (double)INFINITY;
  bonds->shear_strength = shears ? across_it * shearing.shear : (double)INFINITY;
  if (!pulls) return;
  if (is_average(test) || pulling.shear <= pulling.tension) {
    if (shears) bonds->shear_strength = fmax(bonds->shear_strength, tensile * pulling.shear);
    return;
  }
  double most = tensile * fmax(pulling.tension, worst_tension(r));
  if (shears) most = fmin(most, across_it * shearing.tension);
  bonds->shear_strength = tensile * pulling.shear;
  bonds->tensile_strength = fmax(bonds->tensile_strength, most);
}

/* A random packing bears more than the stress of its first break, deep inside, and its faces break before: a bar pulled apart tells. */
static scr_status find_peak(const bdem_test *test, double bond_poisson_ratio, bdem_calibrated *out, scr_error *error)
{
  const double a[3] = {fabs(test->direction.x), fabs(test->direction.y), fabs(test->direction.z)};
  int axis = a[1] > a[0] && a[1] >= a[2] ? 1 : a[2] > a[0] ? 2 : 0;
  double share = 1, peak;
  bar b;
  scr_status status = create_bar(test, axis, bond_poisson_ratio, &b, error);
  for (int k = 0; k < 3; ++k)
    if (k != axis) share *= 1 - 2 * out->skin[axis] / (0.5 * b.sample.edge[k]);
  if (status == SCR_OK) status = pull_apart(&b.sample, b.stress, &out->bonds, b.response, &peak, error);
  if (status == SCR_OK) out->peak = peak / share * out->share / test->wanted.tensile_strength;
  destroy_bar(&b);
  return status;
}

static scr_status find_strengths(rig *r, const bdem_test *test, load crowd, bdem_calibrated *out, scr_error *error)
{
  load pulling, shearing;
  loads(r, test, &pulling, &shearing);
  pulling.tension *= crowd.tension;
  pulling.shear *= crowd.shear;
  choose_strengths(r, test, pulling, shearing, &out->bonds);
  double tension = out->bonds.tensile_strength, shear_off = out->bonds.shear_strength;
  out->body.tensile_strength = fmin(tension / pulling.tension, shear_off / pulling.shear);
  out->body.shear_strength = fmin(tension / shearing.tension, shear_off / shearing.shear);
  out->bonds.tensile_strength /= out->share;
  out->bonds.shear_strength /= out->share;
  if (!isfinite(test->wanted.tensile_strength) || !is_random(test)) return SCR_OK; /* a lattice's bonds of a kind break at once */
  SCR_TRY(find_peak(test, out->bonds.poisson_ratio, out, error));
  out->bonds.tensile_strength /= out->peak;
  out->bonds.shear_strength /= out->peak;
  out->body.shear_strength /= out->peak;
  return SCR_OK;
}

/* ── the test ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status run(rig *r, const bdem_test *test, bdem_calibrated *out, scr_error *error)
{
  elastic constants;
  load crowd;
  double bonds;
  SCR_TRY(find_poisson(r, test, out, &constants, &bonds, error));
  SCR_TRY(find_faces(r, test, bonds, out, &crowd, error));
  double wanted =
      isnan(test->wanted.young_modulus) ? test->wanted.bulk_modulus / constants.bulk : test->wanted.young_modulus / constants.young;
  double unit = wanted / out->share;
  out->crowd = crowd.tension;
  out->bonds = (bdem_constants){unit, NAN, bonds, INFINITY, INFINITY};
  out->body = (bdem_constants){wanted * constants.young, wanted * constants.bulk, constants.poisson, INFINITY, INFINITY};
  out->young_low = out->young_high = out->body.young_modulus;
  for (int k = 0; k < DIRECTIONS; ++k) {
    double young = wanted * pulled_along(r, spread(k)).young;
    out->young_low = fmin(out->young_low, young);
    out->young_high = fmax(out->young_high, young);
  }
  return test->strengths ? find_strengths(r, test, crowd, out, error) : SCR_OK;
}

scr_status bdem_calibrate(const bdem_test *test, bdem_calibrated *result, scr_error *error)
{
  rig r = {.mixed = NULL};
  *result = (bdem_calibrated){.share = 1, .crowd = 1, .peak = 1};
  scr_status status = bdem_sample_cell(test->packing, test->stretch, test->cell, test->cell_edge, &r.sample, error);
  size_t n = bdem_sample_unknowns(&r.sample);
  bool ok = status == SCR_OK && (r.mixed = mem_array(n, sizeof *r.mixed)) != NULL;
  for (int k = 0; ok && k < BDEM_STRESSES; ++k) ok = (r.response[k] = mem_array(n, sizeof **r.response)) != NULL;
  if (status == SCR_OK) status = ok ? run(&r, test, result, error) : scr_fail_memory(error, "a virtual test", 7 * n * sizeof *r.mixed);
  for (int k = 0; k < BDEM_STRESSES; ++k) mem_free(r.response[k]);
  mem_free(r.mixed);
  bdem_sample_destroy(&r.sample);
  return status;
}
