/* Edge cracks in plates of bonds with the energy-scaled strength, against linear elastic fracture mechanics: how the load that they bear goes
 * with the crack's length, and what it converges to as the spheres become small against it.
 *
 * Reference: Tada, Paris, Irwin, The Stress Analysis of Cracks Handbook (2000), single edge crack under remote tension: K = s sqrt(pi a) F(a/W),
 * within 0.5 % at any a/W; it breaks at K = sqrt(E Gc). Plane stress and strain differ by 1 % at this packing's Poisson ratio of 0.13. */
#include <math.h>

#include "methods/bdem/implicit.h"
#include "tests/support/bdem_run.h"

static const double pi = 3.14159265358979323846;
static const double fracture_energy = 135, bond_modulus = 2e9, height = 0.1; /* of the plate, along z */
static const double pull = 1e4;                                              /* Pa: small, so that all is linear */
enum {
  ROWS = 4,
  STAGES = 7,
  LENGTHS = 3
}; /* the plate is ROWS rows thick and LENGTHS heights long; breaks until the front has moved a layer */

typedef struct plate {
  bdem_run run;
  bdem_body *body;
  const bdem_section *section;
  scr_vec3 *start, *load; /* where spheres were, what pulls at them */
  double young;           /* of a plate so thick */
} plate;

/* Young's modulus along the rows of a body as thick as the plate. */
static double plate_modulus(void)
{
  bdem_test test = {.packing = SCR_PACKING_HEXAGONAL_CLOSE,
                    .extent = {1e9, ROWS * sqrt(0.75), 1e9},
                    .direction = {1, 0, 0},
                    .bonds = {.young_modulus = 1, .poisson_ratio = 0.3},
                    .flexion = 1,
                    .wanted = {1, NAN, NAN, NAN, NAN}};
  bdem_calibrated found;
  assert_int_equal(bdem_calibrate(&test, &found, NULL), SCR_OK);
  return bond_modulus / found.bonds.young_modulus;
}

/* Pulls at the spheres of both ends; one sphere of the low end is held, and feels nothing. */
static void load_ends(plate *p, double length, double r)
{
  const bdem_body *body = p->body;
  size_t count[2] = {0, 0}, held = 0;
  for (int pass = 0; pass < 2; ++pass)
    for (size_t i = 0; i < body->sphere_count; ++i) {
      bool low = p->start[i].x<2.5 * r - 0.5 * length, high = p->start[i].x> 0.5 * length - 2.5 * r;
      if (!low && !high) continue;
      if (pass == 0) count[high]++;
      if (pass == 1) p->load[i].x = (high ? 1 : -1) * pull * height * ROWS * sqrt(3.0) * r / (double)count[high];
      if (low && fabs(p->start[i].z) < fabs(p->start[held].z)) held = i;
    }
  body->held[held] = BDEM_HELD_ALL;
}

/* A plate of so many layers, so many of them cut through in the middle. */
static plate open_plate(int layers, int cut)
{
  char text[1024];
  double pitch = height / layers, r = pitch / (2 * sqrt(2.0 / 3.0)), length = floor(LENGTHS * height / (2 * r)) * 2 * r;
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"plate\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":%g,"
           "\"poisson_ratio\":0.3,\"fracture_energy\":%g}],\"specimens\":[{\"name\":\"s\",\"material\":\"m\",\"spacing\":%.17g,"
           "\"shape\":{\"type\":\"notched_box\",\"size\":[%.17g,%.17g,%.17g],\"notch_depth\":%.17g,\"notch_width\":%.9g}}],"
           "\"time\":{\"duration\":1e-9,\"time_step\":1e-9},\"options\":{\"constants_of\":\"bonds\",\"strength\":\"energy-scaled\"}}",
           bond_modulus, fracture_energy, 2 * r, length, ROWS * sqrt(3.0) * r, height, cut * pitch, 0.02 * r);
  plate p = {.run = run_open(text, 1), .young = plate_modulus()};
  p.body = &run_state(&p.run)->body;
  p.body->batches = NULL; /* forces go bond by bond: broken ones are made soft in place */
  p.body->contacts = NULL;
  p.section = &run_state(&p.run)->substances[0].section;
  p.start = malloc(p.body->sphere_count * sizeof *p.start);
  p.load = calloc(p.body->sphere_count, sizeof *p.load);
  assert_true(p.start && p.load);
  memcpy(p.start, p.body->position, p.body->sphere_count * sizeof *p.start);
  load_ends(&p, length, r);
  return p;
}

static void close_plate(plate *p)
{
  free(p->start);
  free(p->load);
  run_close(&p->run);
}

static void solve(plate *p)
{
  bdem_implicit *solver = NULL;
  bdem_implicit_report report;
  scr_error error = {0};
  double largest = 0;
  for (size_t i = 0; i < p->body->sphere_count; ++i) largest = fmax(largest, p->load[i].x);
  bdem_implicit_options options = {.time_step = INFINITY, .force_scale = largest, .tolerance = 1e-4, .iteration_limit = 20, .threads = 1};
  assert_int_equal(bdem_implicit_create(p->body, &solver, &error), SCR_OK);
  if (bdem_implicit_step(solver, p->body, p->load, &options, &report, &error) != SCR_OK) run_fail("equilibrium", error.message);
  bdem_implicit_destroy(solver);
}

/* Share of its strength that a bond near the crack bears; 0 for what is broken. */
static double ratio_of(const plate *p, size_t b)
{
  const bdem_body *body = p->body;
  uint32_t i = body->ends[b][0], j = body->ends[b][1];
  if (!(body->bonds[b].stretch > 0) || fabs(p->start[i].x) > 0.5 * height) return 0;
  bdem_bond_stress w = bdem_bond_stress_of(&body->bonds[b], p->section, vec3_sub(body->position[j], body->position[i]),
                                           body->orientation[i], body->orientation[j]);
  return fmax(w.tension / p->section->tensile_strength, w.shear / p->section->shear_strength);
}

/* Largest stress at which the plate is in equilibrium while the crack goes through its first layers, bond by bond, the most loaded first. */
static double peak_stress(plate *p)
{
  bdem_body *body = p->body;
  double peak = 0;
  for (int stage = 0; stage < STAGES; ++stage) {
    double worst = 0;
    solve(p);
    for (size_t b = 0; b < body->bond_count; ++b) worst = fmax(worst, ratio_of(p, b));
    if (pull / worst < 0.9 * peak) break;
    peak = fmax(peak, pull / worst);
    for (size_t b = 0; b < body->bond_count; ++b)
      if (ratio_of(p, b) > 0.99 * worst) body->bonds[b].stretch = body->bonds[b].shear = body->bonds[b].bend = body->bonds[b].twist = 0;
  }
  return peak;
}

static double peak_over_reference(int layers, int cut)
{
  plate p = open_plate(layers, cut);
  double x = (double)cut / layers, angle = 0.5 * pi * x;
  double factor = sqrt(tan(angle) / angle) * (0.752 + 2.02 * x + 0.37 * pow(1 - sin(angle), 3)) / cos(angle);
  double reference = sqrt(p.young * fracture_energy) / (sqrt(pi * x * height) * factor);
  double peak = peak_stress(&p) / reference;
  char name[96];
  snprintf(name, sizeof name, "%d of %d layers cut: load over that of fracture mechanics", cut, layers);
  show(name, peak, 1.28);
  close_plate(&p);
  return peak;
}

/* Tolerance: cracks in layers are as long as they are to half a layer, of 4 or more: 1/8 of the length, 1/16 of the load. */
static void test_the_load_falls_with_the_cracks_length_as_fracture_mechanics_has_it(void **state)
{
  (void)state;
  bool slow = getenv("SCREE_SLOW") != NULL;
  int layers = slow ? 24 : 16;
  double low = INFINITY, high = 0;
  for (int cut = 4; cut <= layers / 2; cut += 4) {
    double found = peak_over_reference(layers, cut);
    low = fmin(low, found), high = fmax(high, found);
  }
  assert_true(high / low < 1 + 1.0 / 16);
}

/* A third of the height cut through: what one halving of the spheres adds to the load halves with the next (first order in r/a; a third more for
 * slack), so that it has a limit. That is no 1: a lattice holds a crack until the tip's bonds break, which takes more than it gives back.
 * The limit is this packing's own (crack across its rows, through its layers), and kept here to be noticed when it changes. */
static void test_the_load_of_a_crack_converges_to_more_than_that_of_fracture_mechanics(void **state)
{
  (void)state;
  double coarse = peak_over_reference(12, 4), middle = peak_over_reference(24, 8);
  assert_true(middle > coarse && middle / coarse < 1.13);
  if (!getenv("SCREE_SLOW")) return;
  double fine = peak_over_reference(48, 16), limit = 2 * fine - middle;
  show("limit of the load over that of fracture mechanics", limit, 1.28);
  assert_true(fine > middle && fine - middle < 0.67 * (middle - coarse));
  assert_true(fabs(limit / 1.28 - 1) < 0.05);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_load_falls_with_the_cracks_length_as_fracture_mechanics_has_it),
      cmocka_unit_test(test_the_load_of_a_crack_converges_to_more_than_that_of_fracture_mechanics),
  };
  return cmocka_run_group_tests_name("bdem_lefm", tests, NULL, NULL);
}
