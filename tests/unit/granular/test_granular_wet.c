/* Sand in a fluid: its closure, curves and fields against closed forms, and what scenes with a fluid are refused for. */
#include <math.h>

#include "methods/granular/wet/closure.h"
#include "methods/granular/wet/stages.h"
#include "tests/support/picture.h"
#include "tests/support/suites.h"

enum { COLUMNS = 6, ROWS = 10 };
#define H 0.01
#define THICK 0.05
#define GRAIN 2500.0
#define FLUID 1000.0
#define PHI 0.3

static const char base[] =
    "{\"scree\":1,\"name\":\"pool\",\"method\":\"granular\",\"materials\":[{\"name\":\"sand\",\"density\":2500,\"packing_fraction\":0.6,"
    "\"internal_friction\":0.4,\"grain_diameter\":0.0005},{\"name\":\"other\",\"density\":2500,\"packing_fraction\":0.5,"
    "\"internal_friction\":0.3,\"grain_diameter\":0.0005}],\"contact\":{\"friction_coefficient\":0},"
    "\"specimens\":[{\"name\":\"block\",\"material\":\"sand\",\"velocity\":[0,0,0],\"shape\":{\"type\":\"box\",\"size\":[0.06,0.05,0.1]},"
    "\"placement\":{\"type\":\"single\",\"position\":[0.03,0.025,0.05]}}],\"rig\":{\"type\":\"box\",\"minimum\":[0,0,0],\"maximum\":[0.06,"
    "0.05,0.1],\"gravity\":[0,0,0]},\"options\":{\"dimension\":\"plane\",\"cell\":0.01,\"fluid_density\":1000,\"fluid_viscosity\":0.001,"
    "\"periodic_x\":true},\"time\":{\"duration\":1,\"time_step\":0.002},\"output\":{\"frame_interval\":1,\"sample_interval\":1}}";

/* The scene with `from` put as `to`; NULL: as it is. The caller owns nothing. */
static const char *scene_with(const char *from, const char *to)
{
  static char text[4000];
  const char *at = from ? strstr(base, from) : base;
  assert_non_null(at);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - base), base, from ? to : "", at + (from ? strlen(from) : 0));
  return text;
}

static granular_state *state_of(const sim_run *r)
{
  return r->sim->state;
}

/* Grains at PHI everywhere, at a velocity along x. */
static void thin_out(sim_run *r, double u)
{
  granular_state *s = state_of(r);
  for (size_t i = 0; i < s->point_count; i++) {
    s->points[i].volume *= PHI / 0.6, s->points[i].packing = PHI / 0.6;
    s->points[i].u[0] = u;
  }
}

/* ── drag and viscosity ─────────────────────────────────────────────────────────────────────────────────────────── */

/* phi/(pi d^3/6) spheres a cubic metre, each dragged by 3 pi eta d; neighbours hinder by (1 - phi)^-n: 0.7^-3 = 2.915. */
static void test_drag_is_stokes_law_of_many_spheres(void **state)
{
  (void)state;
  double eta = 2e-3, d = 3e-4, alone = PHI / (M_PI * d * d * d / 6) * 3 * M_PI * eta * d;
  claim_relative("drag of a suspension, kg/(m^3 s)", wet_drag(eta, d, 3, PHI), alone / (0.7 * 0.7 * 0.7), 1e-14, "Stokes, hindered");
  claim_relative("without hindrance", wet_drag(eta, d, 0, PHI), alone, 1e-14, "Stokes");
  claim_absolute("without grains", wet_drag(eta, d, 3, 0), 0, 0, "nothing to drag");
}

/* Fluid at 0.3 m/s among grains at -0.1 m/s, everywhere alike: the difference falls by 1 + dt xi (1/(rho_s phi) + 1/(rho_f (1 - phi))) in
 * an implicit step, momentum stays, and drag takes dt xi slip^2 of every cubic metre. */
static void test_drag_slows_slip_by_its_law(void **state)
{
  (void)state;
  sim_run r = run_open(scene_with("\"fluid_viscosity\":0.001", "\"fluid_viscosity\":1e-9"), 1);
  wet_fluid *f = state_of(&r)->fluid;
  f->diameter = 1e-6; /* fine grains, so that a fluid that hardly rubs at the walls drags all the same */
  thin_out(&r, -0.1);
  for (size_t k = 0; k < f->x_count; k++) f->u[k] = 0.3;
  double volume = COLUMNS * ROWS * H * H * THICK, xi = wet_drag(1e-9, 1e-6, 3, PHI);
  r.sim->ledger.start = 0.5 * volume * (FLUID * (1 - PHI) * 0.09 + GRAIN * PHI * 0.01);
  run_steps(&r, 1);
  double dt = r.sim->time_step;
  double slip = 0.4 / (1 + dt * xi * (1 / (GRAIN * PHI) + 1 / (FLUID * (1 - PHI))));
  double mean = (0.3 * FLUID * (1 - PHI) - 0.1 * GRAIN * PHI) / (FLUID * (1 - PHI) + GRAIN * PHI);
  double u = mean + slip * GRAIN * PHI / (FLUID * (1 - PHI) + GRAIN * PHI);
  run_observe(&r);
  claim_relative("fluid.slip, m/s", run_value(&r, "fluid.slip"), slip, 1e-6, "implicit drag");
  claim_relative("fluid.speed, m/s", run_value(&r, "fluid.speed"), fabs(u), 1e-6, "momentum stays");
  claim_relative("fluid.momentum_x, N s", run_value(&r, "fluid.momentum_x"), FLUID * (1 - PHI) * u * volume, 1e-6, "mass times velocity");
  claim_relative("momentum of both, N s", run_value(&r, "momentum.x") + run_value(&r, "fluid.momentum_x"),
                 (0.3 * FLUID * (1 - PHI) - 0.1 * GRAIN * PHI) * volume, 1e-9, "nothing acts from outside");
  claim_relative("energy.fluid, J", run_value(&r, "energy.fluid"), 0.5 * FLUID * (1 - PHI) * u * u * volume, 1e-6, "m u^2/2");
  claim_relative("energy.drag, J", run_value(&r, "energy.drag"), dt * xi * slip * slip * volume, 1e-6, "dt xi slip^2");
  claim_absolute("energy not accounted for", run_value(&r, "energy.balance_error"), 0, 1e-12, "every share is summed up by itself");
  run_close(&r);
}

/* Fluid alone between walls, u = sin(pi z/H): viscosity slows it by exp(-nu (pi/H)^2 t), and takes the square of that. Ten cells: 1 %. */
static void test_viscosity_slows_a_fluid_between_walls(void **state)
{
  (void)state;
  sim_run r = run_open(scene_with("\"fluid_viscosity\":0.001", "\"fluid_viscosity\":0.3"), 1);
  wet_fluid *f = state_of(&r)->fluid;
  double depth = ROWS * H, rate = 0.3 / FLUID * pow(M_PI / depth, 2), energy = 0;
  state_of(&r)->point_count = 0;
  for (size_t k = 0; k < f->x_count; k++) {
    f->u[k] = 0.01 * sin(M_PI * ((double)(k / f->lines) + 0.5) * H / depth);
    energy += 0.5 * FLUID * f->volume * f->u[k] * f->u[k];
  }
  r.sim->ledger.start = energy;
  run_until(&r, 0.9);
  run_observe(&r);
  double t = scr_sim_time(r.sim);
  claim_relative("fluid.speed between walls, m/s", run_value(&r, "fluid.speed"), 0.01 * sin(M_PI * 4.5 / 10) * exp(-rate * t), 0.01,
                 "exp(-nu (pi/H)^2 t)");
  claim_relative("energy.viscous, J", run_value(&r, "energy.viscous"), energy * (1 - exp(-2 * rate * t)), 0.01, "what the fluid lost");
  claim_absolute("energy not accounted for", run_value(&r, "energy.balance_error"), 0, 1e-12, "every share is summed up by itself");
  run_close(&r);
}

/* A suspension that settles is borne by the pore pressure, (rho_s - rho_f) phi g a metre, from the middle of the highest row of cells to
 * that of the lowest; the settling grains push water up. */
static void test_pore_pressure_bears_a_suspension(void **state)
{
  (void)state;
  sim_run r = run_open(scene_with("\"gravity\":[0,0,0]", "\"gravity\":[0,0,-9.81]"), 1);
  state_of(&r)->fluid->viscosity = 0.01; /* steady within a millisecond, before anything has settled */
  thin_out(&r, 0);
  run_steps(&r, 10);
  run_observe(&r);
  claim_relative("fluid.excess_pressure, Pa", run_value(&r, "fluid.excess_pressure"), (GRAIN - FLUID) * PHI * 9.81 * (ROWS - 1) * H, 0.02,
                 "the grains' weight in water");
  double momentum = run_value(&r, "momentum.z") / (GRAIN * PHI) * (FLUID * PHI);
  claim_relative("fluid.momentum_z, N s", run_value(&r, "fluid.momentum_z"), -momentum, 0.02, "rho_f (1 - phi) u2 = -rho_f phi u1");
  assert_true(momentum < 0);
  run_close(&r);
}

/* A block of sand and the fluid around it that move as one along x go on as one: while points cross faces of cells, fluid makes way for
 * them by the velocity that it has. 40 steps of 0.1 cells; to rounding. */
static void test_what_moves_as_one_goes_on(void **state)
{
  (void)state;
  sim_run r = run_open(scene_with("\"size\":[0.06,0.05,0.1]", "\"size\":[0.03,0.05,0.05]"), 1);
  granular_state *s = state_of(&r);
  wet_fluid *f = s->fluid;
  f->viscosity = 1e-12;
  for (size_t i = 0; i < s->point_count; i++) s->points[i].u[0] = 0.5;
  for (size_t k = 0; k < f->x_count; k++) f->u[k] = 0.5;
  run_steps(&r, 40);
  double worst = 0;
  for (size_t k = 0; k < f->x_count; k++) worst = fmax(worst, fabs(f->u[k] - 0.5));
  for (size_t k = f->x_count; k < f->face_count; k++) worst = fmax(worst, fabs(f->u[k]));
  for (size_t i = 0; i < s->point_count; i++) worst = fmax(worst, fabs(s->points[i].u[0] - 0.5));
  claim_absolute("sand and fluid that move as one: off their velocity, m/s", worst, 0, 1e-9, "no force");
  run_close(&r);
}

/* ── what is shown ──────────────────────────────────────────────────────────────────────────────────────────────── */

/* One face that the fluid goes through at 2 m/s gives the cell behind it 2 dt/h of its volume in a step. */
static void test_divergence_is_volume_gained(void **state)
{
  (void)state;
  sim_run r = run_open(scene_with(NULL, NULL), 1);
  wet_fluid *f = state_of(&r)->fluid;
  state_of(&r)->point_count = 0;
  run_steps(&r, 1);
  claim_absolute("fluid.rounds of a fluid alone", run_curve(&r, "fluid.rounds"), 1, 0, "no sand to sweep");
  f->u[3] = 2;
  f->report.divergence = wet_divergence(f, state_of(&r), 1e-3);
  claim_relative("fluid.divergence", run_curve(&r, "fluid.divergence"), 2 * 1e-3 / H, 1e-12, "u dt/h");
  run_close(&r);
}

/* Faces and cells that get values by hand. Cell (2, 4) lies 0.045 m above the floor, 0.055 m below the lid; its faces across x are 2 and 3
 * of row 4, those across z are above and below it. 16 bits. */
static void test_fields_of_the_fluid(void **state)
{
  (void)state;
  sim_run r = run_open(scene_with("\"gravity\":[0,0,0]", "\"gravity\":[0,0,-9.81]"), 1);
  wet_fluid *f = state_of(&r)->fluid;
  const size_t cell = 4 * COLUMNS + 2, left = 4 * COLUMNS + 2, below = f->x_count + 4 * COLUMNS + 2;
  for (size_t k = 0; k < f->face_count; k++) f->share[k] = 1;
  f->report.begun = 1;
  f->u[left] = 0.2, f->u[left + 1] = 0.4, f->u[below] = -0.7, f->u[below + COLUMNS] = -0.1;
  f->share[left] = 0.4, f->share[below] = 0.6;
  f->pressure[cell] = 300;
  picture p = take(&r);
  look(&p);
  claim_relative("pore_pressure, Pa", field(&p, "fluid", "pore_pressure", (uint32_t)cell, 0), 300 + FLUID * 9.81 * 0.055, 1e-4,
                 "rho g depth, and what is over it");
  claim_relative("excess_pressure, Pa", field(&p, "fluid", "excess_pressure", (uint32_t)cell, 0), 300, 1e-4, "as given");
  claim_relative("fluid_velocity along x, m/s", field(&p, "fluid", "fluid_velocity", (uint32_t)cell, 0), 0.3, 1e-4, "mean of two faces");
  claim_absolute("fluid_velocity along y, m/s", field(&p, "fluid", "fluid_velocity", (uint32_t)cell, 1), 0, 1e-4, "in the plane");
  claim_relative("fluid_velocity along z, m/s", field(&p, "fluid", "fluid_velocity", (uint32_t)cell, 2), -0.4, 1e-4, "mean of two faces");
  claim_relative("fluid_speed, m/s", field(&p, "fluid", "fluid_speed", (uint32_t)cell, 0), 0.5, 1e-4, "3, 4, 5");
  claim_relative("fluid_fraction", field(&p, "fluid", "fluid_fraction", (uint32_t)cell, 0), 0.75, 1e-4, "(0.4 + 1 + 0.6 + 1)/4");
  put_away(&p);
  run_close(&r);
}

/* Curves of the fluid are those of scenes that have one: dry ones neither have them nor may plot them. */
static void test_dry_sand_has_no_curves_of_a_fluid(void **state)
{
  (void)state;
  sim_run r = run_open(scene_with(",\"fluid_density\":1000,\"fluid_viscosity\":0.001", ""), 1);
  assert_true(sim_find_series(r.sim, "fluid.slip") < 0 && sim_find_series(r.sim, "energy.drag") < 0);
  assert_true(sim_find_series(r.sim, "sweeps") > 0);
  run_close(&r);
}

/* ── refusals ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Whether the scene with `from` put as `to` is refused at `pointer`. */
static bool refused(const char *from, const char *to, const char *pointer)
{
  const char *text = scene_with(from, to);
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  bool ok = scr_scene_parse(text, strlen(text), NULL, &scene, &problems) == SCR_OK, found = false;
  for (size_t k = 0; k < problems.count; k++) found = found || strcmp(problems.items[k].pointer, pointer) == 0;
  if (!found) print_message("# %s -> %s: %s\n", from, to, problems.count ? problems.items[0].detail : "nothing said");
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
  return !ok && found;
}

static void test_what_a_fluid_can_not_do_is_refused_at_its_place(void **state)
{
  (void)state;
  static const char *const rows[][3] = {
      {"\"fluid_density\":1000", "\"fluid_density\":0", "/options/fluid_density"},
      {"\"fluid_density\":1000", "\"fluid_density\":-1", "/options/fluid_density"},
      {"\"fluid_viscosity\":0.001", "\"fluid_viscosity\":0", "/options/fluid_viscosity"},
      {",\"fluid_viscosity\":0.001", "", "/options/fluid_viscosity"},
      {"\"fluid_viscosity\":0.001", "\"fluid_viscosity\":1e6,\"drag_exponent\":10", "/options/fluid_viscosity"},
      {",\"grain_diameter\":0.0005},{\"name\":\"other\"", "},{\"name\":\"other\"", "/materials/0/grain_diameter"},
      {"\"grain_diameter\":0.0005}],", "\"grain_diameter\":0.001}],", "/materials/1/grain_diameter"},
      {"\"density\":2500,\"packing_fraction\":0.5", "\"density\":2600,\"packing_fraction\":0.5", "/materials/1/density"},
      {"\"packing_fraction\":0.6", "\"packing_fraction\":0.8", "/materials/0/packing_fraction"},
      {"\"dimension\":\"plane\"", "\"dimension\":\"space\"", "/options/dimension"},
      {"\"velocity\":[0,0,0]", "\"velocity\":[0,0,-1],\"pour_interval\":1,\"pour_count\":2", "/specimens/0/pour_interval"},
      {"\"periodic_x\":true", "\"periodic_x\":true,\"outlet_minimum\":[0,0,0],\"outlet_maximum\":[0.01,0.05,0.01]",
       "/options/outlet_minimum"},
      {"\"gravity\":[0,0,0]}", "\"gravity\":[0,0,0],\"walls\":{\"z_max\":{\"program\":[{\"type\":\"constant\",\"velocity\":-0.01}]}}}",
       "/rig"},
      {"\"gravity\":[0,0,0]}",
       "\"gravity\":[0,0,0]},\"obstacles\":[{\"name\":\"stone\",\"shape\":{\"type\":\"sphere\",\"radius\":0.02},\"position\":[0.03,0.025,0]"
       "}]",
       "/obstacles"},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (!refused(rows[k][0], rows[k][1], rows[k][2])) fail_msg("%s is not refused at %s", rows[k][1], rows[k][2]);
}

SUITE(test_granular_wet)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_drag_is_stokes_law_of_many_spheres),
      cmocka_unit_test(test_drag_slows_slip_by_its_law),
      cmocka_unit_test(test_viscosity_slows_a_fluid_between_walls),
      cmocka_unit_test(test_pore_pressure_bears_a_suspension),
      cmocka_unit_test(test_what_moves_as_one_goes_on),
      cmocka_unit_test(test_divergence_is_volume_gained),
      cmocka_unit_test(test_fields_of_the_fluid),
      cmocka_unit_test(test_dry_sand_has_no_curves_of_a_fluid),
      cmocka_unit_test(test_what_a_fluid_can_not_do_is_refused_at_its_place),
  };
  return cmocka_run_group_tests_name("granular: sand in a fluid", tests, NULL, NULL);
}
