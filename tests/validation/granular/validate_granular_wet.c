/* Sand in a fluid, method granular in the plane: checks of its specification, sections 3.10 and 6.13, against closed forms of the two
 * momentum balances. Grains of 2500 kg/m^3 packed at 0.6 in water unless said. */
#include <math.h>

#include "methods/granular/wet/closure.h"
#include "methods/granular/wet/fluid.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

#define G 9.81
#define GRAIN 2500.0
#define WATER 1000.0
#define PACKED 0.6
#define SUBMERGED (PACKED * (GRAIN - WATER)) /* kg/m^3, of packed sand in water */

typedef struct pool {
  double friction, wall, diameter; /* mu of sand and of walls; m */
  double size[2], at[2], box[2];   /* m, of sand along x and z; its middle; of the box */
  double gravity[2];
  double density, viscosity;      /* of the fluid; 0: there is none */
  double step;                    /* s; 0: automatic */
  const char *options, *specimen; /* with a comma before each */
} pool;

static sim_run open_pool(const pool *p)
{
  char text[4000], step[60] = "", fluid[160] = "";
  if (p->step > 0) snprintf(step, sizeof step, ",\"time_step\":%.17g", p->step);
  if (p->density > 0) snprintf(fluid, sizeof fluid, ",\"fluid_density\":%.17g,\"fluid_viscosity\":%.17g", p->density, p->viscosity);
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"pool\",\"method\":\"granular\",\"materials\":[{\"name\":\"sand\",\"density\":%g,\"packing_fraction\":%g,"
      "\"internal_friction\":%g,\"grain_diameter\":%.17g}],\"contact\":{\"friction_coefficient\":%g},\"specimens\":[{\"name\":\"block\","
      "\"material\":\"sand\",\"shape\":{\"type\":\"box\",\"size\":[%.17g,0.05,%.17g]},\"placement\":{\"type\":\"single\",\"position\":"
      "[%.17g,0.025,%.17g]}%s}],\"rig\":{\"type\":\"box\",\"minimum\":[0,0,0],\"maximum\":[%.17g,0.05,%.17g],\"gravity\":[%.17g,0,%.17g]},"
      "\"options\":{\"dimension\":\"plane\",\"cell\":0.01%s%s},\"time\":{\"duration\":100%s},\"output\":{\"frame_interval\":100,"
      "\"sample_interval\":100}}",
      GRAIN, PACKED, p->friction, p->diameter, p->wall, p->size[0], p->size[1], p->at[0], p->at[1], p->specimen ? p->specimen : "",
      p->box[0], p->box[1], p->gravity[0], p->gravity[1], fluid, p->options ? p->options : "", step);
  return run_open(text, 1);
}

static granular_state *state_of(const sim_run *r)
{
  return r->sim->state;
}

static wet_fluid *fluid_of(const sim_run *r)
{
  return state_of(r)->fluid;
}

/* Sand of a fraction below the densest: its points stay where they are and hold less. */
static void thin_out(sim_run *r, double fraction)
{
  granular_state *s = state_of(r);
  for (size_t i = 0; i < s->point_count; i++) s->points[i].volume *= fraction / PACKED, s->points[i].packing = fraction / PACKED;
}

/* m/s, mean velocity of the grains along an axis between two heights. */
static double sand_velocity(const sim_run *r, int axis, double low, double high)
{
  const granular_state *s = state_of(r);
  double sum = 0, count = 0;
  for (size_t i = 0; i < s->point_count; i++)
    if (s->points[i].x[1] > low && s->points[i].x[1] < high) sum += s->points[i].u[axis], count++;
  return sum / count;
}

/* m/s, mean velocity of the fluid along an axis, of faces between two heights. */
static double fluid_velocity(const sim_run *r, int axis, double low, double high)
{
  const wet_fluid *f = fluid_of(r);
  double sum = 0, count = 0;
  for (size_t k = axis ? f->x_count : 0; k < (axis ? f->face_count : f->x_count); k++) {
    size_t row = axis ? (k - f->x_count) / f->columns : k / f->lines;
    double z = f->h * ((double)row + (axis ? 0 : 0.5));
    if (z > low && z < high && !wet_closed(&f->face[k])) sum += f->u[k], count++;
  }
  return sum / count;
}

/* Vertical stress of a layer of cells, Pa, on average. */
static double layer_stress(const granular_state *s, int64_t layer)
{
  double sum = 0, count = 0, scale = 1 / (s->report.step * granular_cell_volume(s));
  for (size_t k = 0; k < s->cell_count; k++) {
    int64_t at[3];
    geo_grid_place(&s->grid, s->extra[k].place, at);
    if (at[1] == layer) sum += (s->cells[k].r[0] - s->cells[k].r[1]) * scale, count++;
  }
  return sum / count;
}

/* ── rest ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Water without sand under gravity never moves, and its pressure is rho g times its depth: to rounding. */
static void test_still_water_bears_its_weight(void **state)
{
  (void)state;
  const pool still = {.friction = 0.4,
                      .wall = 0.5,
                      .diameter = 1e-3,
                      .size = {0.04, 0.04},
                      .at = {0.05, 0.02},
                      .box = {0.1, 0.2},
                      .gravity = {0, -G},
                      .density = WATER,
                      .viscosity = 1e-3};
  sim_run r = open_pool(&still);
  state_of(&r)->point_count = 0;
  run_steps(&r, 50);
  double worst = 0;
  const wet_fluid *f = fluid_of(&r);
  for (size_t c = 0; c < f->cell_count; c++)
    worst = fmax(worst, fabs(wet_pressure_at(f, c) - WATER * G * (0.2 - 0.01 * ((double)(c / f->columns) + 0.5))));
  claim_absolute("still water: pressure off rho g depth, Pa", worst, 0, 1e-9, "hydrostatic");
  claim_absolute("still water: speed, m/s", run_curve(&r, "fluid.speed"), 0, 1e-15, "at rest");
  run_close(&r);
}

/* Check 13: a bed 20 cells deep under water comes to rest; its grains press by their weight less that of the water they displace,
 * (rho_s - rho_f) phi g z, mean over a layer, and the water's pressure is hydrostatic. 0.2 % of the weight of the bed. */
static void test_a_bed_under_water_bears_its_submerged_weight(void **state)
{
  (void)state;
  const pool bed = {.friction = 0.4,
                    .wall = 1000,
                    .diameter = 1e-3,
                    .size = {0.04, 0.2},
                    .at = {0.02, 0.1},
                    .box = {0.04, 0.25},
                    .gravity = {0, -G},
                    .density = WATER,
                    .viscosity = 1e-3,
                    .step = 0.004,
                    .options = ",\"periodic_x\":true,\"tolerance\":1e-6,\"sweeps\":400"};
  double worst = 0;
  sim_run r = open_pool(&bed);
  run_steps(&r, 100);
  for (int64_t layer = 0; layer < 19; layer++)
    worst = fmax(worst, fabs(layer_stress(state_of(&r), layer) / (SUBMERGED * G) - (0.2 - 0.01 * ((double)layer + 0.5))));
  claim_absolute("bed under water: vertical stress off the submerged weight above, m of sand", worst, 0, 4e-4,
                 "(rho_s - rho_f) phi g depth");
  claim_between("bed under water: pore pressure over the hydrostatic, Pa", run_curve(&r, "fluid.excess_pressure"), 0,
                2e-3 * SUBMERGED * G * 0.2, "hydrostatic");
  claim_between("bed under water: largest speed, m/s", run_value(&r, "speed"), 0, 1e-5, "at rest");
  claim_between("bed under water: speed of the water, m/s", run_value(&r, "fluid.speed"), 0, 1e-5, "at rest");
  run_close(&r);
}

/* ── drag ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Check 13: grains spread evenly over a closed box settle by (rho_s - rho_f) g d^2 (1 - phi)^(n + 1)/(18 eta) against the fluid, which goes
 * up: phi u1 + (1 - phi) u2 = 0; meanwhile the pore pressure bears them, (rho_s - rho_f) phi g over each metre. 2 %, of which points in
 * cells take most. */
static void test_a_suspension_settles_by_its_drag(void **state)
{
  (void)state;
  static const struct {
    double fraction, viscosity, exponent;
  } rows[] = {{0.3, 1e-3, 3}, {0.15, 1e-3, 3}, {0.3, 4e-3, 2}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    char options[60];
    snprintf(options, sizeof options, ",\"drag_exponent\":%g", rows[k].exponent);
    const pool tank = {.friction = 0.4,
                       .wall = 0,
                       .diameter = 5e-4,
                       .size = {0.1, 0.3},
                       .at = {0.05, 0.15},
                       .box = {0.1, 0.3},
                       .gravity = {0, -G},
                       .density = WATER,
                       .viscosity = rows[k].viscosity,
                       .step = 0.004,
                       .options = options};
    const double phi = rows[k].fraction;
    double slip = (GRAIN - WATER) * G * 25e-8 * pow(1 - phi, rows[k].exponent + 1) / (18 * rows[k].viscosity);
    sim_run r = open_pool(&tank);
    thin_out(&r, phi);
    run_steps(&r, 20);
    double up = fluid_velocity(&r, 1, 0.1, 0.2), down = sand_velocity(&r, 1, 0.1, 0.2);
    claim_relative("suspension: velocity of the fluid against the grains, m/s", up - down, slip, 0.02,
                   "(rho_s - rho_f) g d^2 (1 - phi)^(n + 1)/(18 eta)");
    claim_absolute("suspension: volume that rises, m/s", phi * down + (1 - phi) * up, 0, 0.01 * slip, "the box is closed");
    const wet_fluid *f = fluid_of(&r);
    double gradient = (f->pressure[10 * f->columns + 5] - f->pressure[20 * f->columns + 5]) / 0.1;
    claim_relative("suspension: gradient of the pore pressure, Pa/m", gradient, (GRAIN - WATER) * phi * G, 0.02, "it bears the grains");
    run_close(&r);
  }
}

/* Darcy: down a gentle slope without end the fluid seeps through a bed that stands, by rho_f (1 - phi) g sin = xi u. 2 %. */
static void test_water_seeps_through_a_bed_by_darcys_law(void **state)
{
  (void)state;
  double angle = 4 * M_PI / 180, diameter = 1e-3;
  const pool bed = {.friction = 0.4,
                    .wall = 1000,
                    .diameter = diameter,
                    .size = {0.04, 0.12},
                    .at = {0.02, 0.06},
                    .box = {0.04, 0.12},
                    .gravity = {G * sin(angle), -G * cos(angle)},
                    .density = WATER,
                    .viscosity = 1e-3,
                    .step = 0.004,
                    .options = ",\"periodic_x\":true,\"fluid_stream\":true,\"tolerance\":1e-6,\"sweeps\":400"};
  sim_run r = open_pool(&bed);
  run_steps(&r, 80);
  double seepage = WATER * (1 - PACKED) * G * sin(angle) / wet_drag(1e-3, diameter, 3, PACKED);
  claim_relative("seepage: velocity of the fluid, m/s", fluid_velocity(&r, 0, 0.03, 0.09), seepage, 0.02, "rho_f (1 - phi) g sin/xi");
  claim_between("seepage: largest speed of the grains, m/s", run_curve(&r, "speed"), 0, 1e-4, "they stand");
  claim_relative("seepage: slip, m/s", run_value(&r, "fluid.slip"), seepage, 0.05, "the same");
  run_close(&r);
}

/* ── slopes ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* m/s^2, acceleration of a layer 12 cells deep on a rough slope, over the second half of so many steps of 4 ms. */
static double slope(double degrees, double density, size_t steps, double *speed)
{
  double angle = degrees * M_PI / 180;
  const pool layer = {.friction = 0.4,
                      .wall = 1000,
                      .diameter = 2e-4,
                      .size = {0.04, 0.12},
                      .at = {0.02, 0.06},
                      .box = {0.04, 0.16},
                      .gravity = {G * sin(angle), -G * cos(angle)},
                      .density = density,
                      .viscosity = 1e-3,
                      .step = 0.004,
                      .options = ",\"periodic_x\":true,\"tolerance\":1e-6,\"sweeps\":300"};
  sim_run r = open_pool(&layer);
  run_steps(&r, steps / 2);
  double before = sand_velocity(&r, 0, 0.03, 0.12), time = scr_sim_time(r.sim);
  run_steps(&r, steps / 2);
  double rate = (sand_velocity(&r, 0, 0.03, 0.12) - before) / (scr_sim_time(r.sim) - time);
  *speed = run_curve(&r, "speed");
  run_close(&r);
  return rate;
}

/* A slope in still water stands where a dry one does, for water bears its share of weight and of friction alike; above that angle the
 * submerged weight drives grains and the water between them, which fine grains take along:
 * (rho_s - rho_f) phi g (sin - mu cos)/(rho_s phi + rho_f (1 - phi)). The layer's upper part, which moves as one; 3 %: water above is
 * dragged along a little. */
static void test_a_slope_under_water_rests_or_flows_as_a_dry_one(void **state)
{
  (void)state;
  double speed, angle = 25.58 * M_PI / 180;
  (void)slope(19.8, WATER, 200, &speed);
  claim_between("slope of 19.8 degrees under water: largest speed, m/s", speed, 0, 1e-4, "it stands");
  double driven = SUBMERGED / (GRAIN * PACKED + WATER * (1 - PACKED));
  claim_relative("slope of 25.58 degrees under water: acceleration, m/s^2", slope(25.58, WATER, 60, &speed),
                 driven * G * (sin(angle) - 0.4 * cos(angle)), 0.03, "submerged weight over the mass of both");
}

/* ── limits and sums ────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct column_end {
  double front, height, centre, balance, gained;
} column_end;

static column_end collapse(double density, double viscosity, double duration)
{
  const pool column = {.friction = 0.4,
                       .wall = 0.5,
                       .diameter = 1e-3,
                       .size = {0.12, 0.12},
                       .at = {0.06, 0.06},
                       .box = {0.5, 0.2},
                       .gravity = {0, -G},
                       .density = density,
                       .viscosity = viscosity};
  sim_run r = open_pool(&column);
  double taken = 0, most = 0, gained = 0;
  while (scr_sim_time(r.sim) < duration) {
    run_steps(&r, 1);
    const sim_ledger *l = &r.sim->ledger;
    taken = l->damping + l->friction + l->fracture + l->impact + l->numerical;
    most = fmax(most, taken);
    gained = fmax(gained, most - taken);
  }
  run_observe(&r);
  column_end end = {.front = run_value(&r, "front"),
                    .height = run_value(&r, "height"),
                    .centre = run_value(&r, "centroid.x"),
                    .balance = run_value(&r, "energy.balance_error"),
                    .gained = gained / r.sim->ledger.largest};
  run_close(&r);
  return end;
}

/* A fluid of next to no mass and viscosity changes nothing: the column collapses as a dry one. 1 %. */
static void test_a_thin_fluid_does_nothing(void **state)
{
  (void)state;
  column_end dry = collapse(0, 0, 0.25), thin = collapse(1e-4, 1e-11, 0.25);
  claim_relative("column in a thin fluid: centroid.x, m", thin.centre, dry.centre, 2e-3, "as a dry one");
  claim_relative("column in a thin fluid: height, m", thin.height, dry.height, 0.01, "as a dry one");
}

/* Under water a column falls by its submerged weight and must take water along and push it away: by the time a dry one has run out it is
 * behind. Its energy is accounted for to rounding, and no step gives any. */
static void test_a_column_under_water_collapses_slower(void **state)
{
  (void)state;
  column_end dry = collapse(0, 0, 0.3), wet = collapse(WATER, 1e-3, 0.3);
  claim_between("column under water: its centre's way over that of a dry one", (wet.centre - 0.06) / (dry.centre - 0.06), 0.2, 0.8,
                "driven by 0.6 of the weight, against more mass and drag");
  claim_absolute("column under water: energy not accounted for", wet.balance, 0, 1e-9, "every share is summed up by itself");
  claim_between("column under water: energy gained in steps", wet.gained, 0, 5e-3, "only undoing of over-filling gives any");
}

/* Without gravity and walls along x the momentum of both together stays, to rounding, while drag passes it from the sand to the fluid.
 * The viscosity at walls is 1e-9 of water's; fine grains drag all the same. */
static void test_momentum_passes_from_sand_to_fluid(void **state)
{
  (void)state;
  const pool box = {.friction = 0.4,
                    .wall = 0,
                    .diameter = 1e-6,
                    .size = {0.1, 0.06},
                    .at = {0.1, 0.1},
                    .box = {0.2, 0.2},
                    .gravity = {0, 0},
                    .density = WATER,
                    .viscosity = 1e-12,
                    .step = 0.004,
                    .options = ",\"periodic_x\":true",
                    .specimen = ",\"velocity\":[0.5,0,0]"};
  sim_run r = open_pool(&box);
  double before = run_curve(&r, "momentum.x");
  run_steps(&r, 60);
  double sand = run_curve(&r, "momentum.x"), water = run_value(&r, "fluid.momentum_x");
  claim_relative("momentum of sand and fluid, N s", sand + water, before, 1e-11, "nothing acts from outside");
  claim_between("share of it that went to the fluid", water / before, 0.02, 0.9, "drag takes the fluid along");
  run_close(&r);
}

/* The volume of both that goes into any cell comes out of it, in every step of a collapse: to WET_TOLERANCE of a cell. */
static void test_sand_and_fluid_together_keep_their_volume(void **state)
{
  (void)state;
  const pool column = {.friction = 0.4,
                       .wall = 0.5,
                       .diameter = 1e-4,
                       .size = {0.12, 0.12},
                       .at = {0.06, 0.06},
                       .box = {0.5, 0.2},
                       .gravity = {0, -G},
                       .density = WATER,
                       .viscosity = 1e-3};
  sim_run r = open_pool(&column);
  run_steps(&r, 40);
  claim_between("column of fine grains: volume gained by a cell in a step", fluid_of(&r)->report.worst, 0, WET_TOLERANCE, "div um = 0");
  claim_between("the same in the last step, as the curve has it", run_curve(&r, "fluid.divergence"), 0, WET_TOLERANCE, "div um = 0");
  run_close(&r);
}

SUITE(validate_granular_wet)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_still_water_bears_its_weight),
      cmocka_unit_test(test_a_bed_under_water_bears_its_submerged_weight),
      cmocka_unit_test(test_a_suspension_settles_by_its_drag),
      cmocka_unit_test(test_water_seeps_through_a_bed_by_darcys_law),
      cmocka_unit_test(test_a_slope_under_water_rests_or_flows_as_a_dry_one),
      cmocka_unit_test(test_a_thin_fluid_does_nothing),
      cmocka_unit_test(test_a_column_under_water_collapses_slower),
      cmocka_unit_test(test_momentum_passes_from_sand_to_fluid),
      cmocka_unit_test(test_sand_and_fluid_together_keep_their_volume),
  };
  return cmocka_run_group_tests_name("granular: sand in a fluid", tests, NULL, NULL);
}
