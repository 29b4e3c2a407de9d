/* The automatic step of grains with modes. Reference: a linear system that is stable keeps its energy, one that is not gains it without
 * end. */
#include "tests/support/lsdem_run.h"

#include "base/random.h"
#include "geometry/basis/basis.h"
#include "geometry/hexes/blocks.h"
#include "methods/lsdem/scene/check.h"
#include "methods/lsdem/scene/patch.h"
#include "tests/support/claim.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

enum { WAVES = 4, BARS = 4 };
static const double bar[3] = {0.4, 0.1, 0.1}, frequency = 300; /* m, rad/s */

/* Modes of a soft bar: u_y and u_z = cos(2 pi n x'/L) with x' from its end, which have no momenta, all of one frequency. */
static char *write_basis(const char *folder)
{
  const uint32_t cells[3] = {16, 4, 4};
  geo_basis basis = {.density = 1000, .young_modulus = 1e6, .poisson_ratio = 0.25, .mode_count = 2 * WAVES};
  assert_int_equal(geo_hexes_box(bar, cells, &basis.mesh, NULL), SCR_OK);
  assert_int_equal(geo_basis_allocate(&basis, NULL), SCR_OK);
  for (size_t a = 0; a < basis.mode_count; a++)
    for (size_t n = 0; n < basis.mesh.node_count; n++)
      basis.field[3 * (a * basis.mesh.node_count + n) + 1 + a % 2] =
          cos(2 * M_PI * (double)(1 + a / 2) * (basis.mesh.node[n][0] / bar[0] + 0.5));
  geo_basis_integrate_mass(&basis.mesh, basis.density, basis.field, basis.mode_count, basis.mass);
  for (size_t k = 0; k < basis.mode_count * basis.mode_count; k++) basis.stiffness[k] = frequency * frequency * basis.mass[k];
  text_builder text = {0};
  geo_basis_write(&basis, &text);
  size_t length = text.length;
  char *bytes = text_take(&text), *path = folder_path(folder, "bar.basis");
  assert_int_equal(scr_write_file(path, bytes, length, NULL), SCR_OK);
  scr_free(bytes);
  geo_basis_clear(&basis);
  return path;
}

/* Bars on their broad sides between a floor and a lid, each 4 mm deep in the next: linear springs over whole faces. @param step "" or a
 * time step */
static sim_run open_column(const char *folder, const char *step)
{
  char text[2500], places[400] = "";
  const double overlap = 0.004, pitch = bar[2] - overlap;
  for (int k = 0; k < BARS; k++)
    snprintf(places + strlen(places), sizeof places - strlen(places), "%s[0, 0, %.17g]", k ? ", " : "", 0.5 * bar[2] - overlap + k * pitch);
  snprintf(text, sizeof text,
           "{\"scree\": 1, \"name\": \"column\", \"method\": \"lsdem\", \"materials\": [{\"name\": \"gel\", \"density\": 1000, "
           "\"young_modulus\": 1e6, \"poisson_ratio\": 0.25}], \"contact\": "
           "{\"contact_stiffness\": 1e8, \"friction_coefficient\": 0}, \"specimens\": [{\"name\": \"bar\", \"material\": \"gel\", "
           "\"spacing\": 0.05, \"grid_spacing\": 0.033, \"modes\": \"basis\", "
           "\"mode_basis\": \"bar.basis\", \"mode_count\": %d, \"mode_damping_ratio\": 0, \"shape\": {\"type\": \"box\", \"size\": [0.4, "
           "0.1, 0.1]}, \"placement\": {\"type\": \"list\", \"positions\": "
           "[%s]}}], \"rig\": {\"type\": \"none\"}, \"obstacles\": [{\"name\": \"floor\", \"shape\": {\"type\": \"box\", \"size\": [1, 1, "
           "0.2]}, \"position\": [0, 0, -0.1]}, {\"name\": \"lid\", \"shape\": "
           "{\"type\": \"box\", \"size\": [1, 1, 0.2]}, \"position\": [0, 0, %.17g]}], \"time\": {\"duration\": 10%s}}",
           2 * WAVES, places, BARS * pitch - overlap + 0.1, step);
  return run_open_with(text, 1, &(scr_asset_source){.beside = folder});
}

/* The bars' modes are cosines along them, whose mass is half the bar's, of one frequency: a mode of amplitude a holds w^2 m a^2 / 4. 3 %:
 * cosines by finite elements. */
static void test_a_mode_of_a_basis_has_its_energy(void **state)
{
  (void)state;
  char *folder = folder_create(), *path = write_basis(folder);
  sim_run r = open_column(folder, "");
  lsdem_of(&r)->amplitude[1] = 2e-3;
  claim_relative("bar of one mode of a basis: energy.mode.basis, J", run_curve(&r, "energy.mode.basis"),
                 frequency * frequency * 4 / 4 * 4e-6, 0.03, "w^2 m a^2 / 4");
  run_close(&r);
  scr_free(path);
  folder_remove(folder);
}

static double energy_of(const lsdem_state *s)
{
  return lsdem_kinetic(s) + lsdem_modal_kinetic(s) + lsdem_elastic(s) + s->contact_energy;
}

/* Pushes all degrees of freedom so little that no face opens, and steps. @return the largest energy over that of the push, both above the
 * energy at rest; INFINITY: the run failed */
static double growth(sim_run *r, int steps)
{
  lsdem_state *s = lsdem_of(r);
  uint64_t seed = 5;
  double rest = energy_of(s), most = 0;
  for (size_t i = 0; i < s->grain_count; i++)
    s->grains[i].velocity.z = 0.6 * (random_uniform(&seed) - 0.5), s->grains[i].angular.y = 0.02 * (random_uniform(&seed) - 0.5);
  for (size_t a = 0; a < s->amplitude_count; a++) s->rate[a] = 0.6 * (random_uniform(&seed) - 0.5);
  double pushed = lsdem_kinetic(s) + lsdem_modal_kinetic(s);
  for (int k = 0; k < steps; k++) {
    scr_error error = {0};
    if (sim_method(r->sim)->step(r->sim, &error) != SCR_OK) return INFINITY;
    most = fmax(most, fabs(energy_of(s) - rest) / pushed);
    if (most > 1e3) return INFINITY;
  }
  return most;
}

/* At the chosen step a column of soft bars, whose faces press each other over their whole length, keeps its energy for 10^5 steps; what
 * swings at w has an energy by Verlet's velocities that swings by (w dt/2)^2 of itself, 7 % where dt is 0.26 of the limit 2/w. The column
 * has two deep faces at each bar, with bars alike, as the bound has; the step is half of its limit for modes or less. At five times the
 * step it is past that limit, and gains: faces that open end the growth at several times the push. By the bound of before, sums over the
 * largest amplitudes of all modes and the farthest nodes, five steps were still below the limit. */
static void test_the_step_of_soft_bars_is_stable_and_not_idle(void **state)
{
  (void)state;
  char *folder = folder_create(), *path = write_basis(folder), step[80];
  sim_run r = open_column(folder, "");
  double chosen = lsdem_of(&r)->time_step;
  lsdem_limits limits;
  assert_int_equal(lsdem_step_limits(lsdem_of(&r), &limits, NULL), SCR_OK);
  double kept = growth(&r, 100000);
  run_close(&r);
  snprintf(step, sizeof step, ", \"time_step\": %.17g", 5 * chosen);
  r = open_column(folder, step);
  double grown = growth(&r, 10000);
  run_close(&r);
  print_message("step %.4g s of limits %.4g rigid, %.4g modal; energy of the push grew to %.4g, by five times the step to %.4g\n", chosen,
                limits.rigid, limits.modal, kept, grown);
  assert_true(kept < 1.1);
  assert_true(grown > 2.5);
  free(path);
  folder_remove(folder);
}

/* The bound of one patch, by hand: a cube of side L whose face of area A is held by k per area against motion along its normal has k A/m
 * for that motion, and about axes in the face, where the second moment of the face's area is A L^2/12 and the cube's inertia m L^2/6, k
 * A/2m. With friction's springs across, turning about such an axis has an arm of L/2 as well, coupled to moving across: the largest root of
 * (a - x)(b - x) = c^2 with a = k' A/m, b = (k A L^2/12 + k' A L^2/4)/(m L^2/6), c^2 = (k' A L/2)^2/(m m L^2/6). Tolerance: nodes of a face
 * stand for a little more or less than it. */
static void test_a_faces_frequency_is_that_of_the_formula(void **state)
{
  (void)state;
  const double k = 1e7, side = 0.1, mass = 1000 * side * side * side;
  const scr_shape cube = {.kind = SCR_SHAPE_BOX, .size = {side, side, side}};
  const lsdem_recipe recipe = {.shape = &cube,
                               .spacing = 0.005,
                               .grid = 0.01,
                               .density = 1000,
                               .young = 1e6,
                               .poisson = 0,
                               .modes = LSDEM_MODES_NONE,
                               .stiffness = NAN,
                               .modal_mass = NAN,
                               .table = ""};
  lsdem_template grain = {0};
  assert_int_equal(lsdem_template_make(&grain, &recipe, execution_of(1), NULL), SCR_OK);
  for (int slides = 0; slides < 2; slides++) {
    const lsdem_law law = {.normal = k, .shear = slides ? 0.8 * k : 0};
    double across = law.shear * side * side / mass, turning = 0.5 * k * side * side / mass + 1.5 * across, coupled = 1.5 * across * across;
    double expected =
               fmax(k * side * side / mass, 0.5 * (across + turning) + sqrt(0.25 * (across - turning) * (across - turning) + coupled)),
           rigid, modal;
    assert_int_equal(lsdem_patch_frequency(&grain, &law, 1e-6, &rigid, &modal, NULL), SCR_OK);
    print_message("%.5g 1/s^2, formula %.5g\n", rigid, expected);
    assert_float_equal(rigid, expected, 0.1 * expected);
    assert_float_equal(modal, rigid, 1e-12 * rigid);
  }
  lsdem_template_clear(&grain);
}

/* A mode of a basis whose slope passes 0.7 where nothing touches the grain is a doubt; a lone grain that swings so goes on. A face of
 * another bar on it there ends the run. */
static void test_a_steep_place_of_a_basis_matters_where_it_is_touched(void **state)
{
  (void)state;
  char *folder = folder_create(), *path = write_basis(folder);
  for (int touched = 0; touched < 2; touched++) {
    sim_run r = open_column(folder, ", \"time_step\": 1e-6");
    lsdem_state *s = lsdem_of(&r);
    scr_error error = {0};
    for (size_t i = touched ? 2 : 1; i < s->grain_count; i++) s->grains[i].position = vec3(0, 3 * (double)i, 0.05);
    for (size_t d = 0; d < s->near.count; d++) lsdem_direction_unsure(&s->near.list[d]);
    s->near.valid = false;
    s->grains[0].position.z += 0.01; /* off the floor */
    s->amplitude[0] = 0.05;          /* of cos(2 pi x/L) along y: 0.79 */
    scr_status status = sim_method(r.sim)->step(r.sim, &error);
    if (touched) {
      assert_int_equal(status, SCR_DIVERGED);
      if (!strstr(error.message, "strain beyond 0.7")) fail_msg("'%s'", error.message);
    } else {
      if (status != SCR_OK) fail_msg("'%s'", error.message);
      assert_int_equal(r.sim->doubt_count, 1);
      assert_string_equal(r.sim->doubts[0].kind, "strain");
    }
    run_close(&r);
  }
  free(path);
  folder_remove(folder);
}

/* x'' = -w^2 x - (tau w_c^2) x' in the order of a step: a kick of springs and dashpots by the velocity before it, then a drift. Its
 * amplitude over 2000 steps from rest at x = 1, by direct iteration: bounded just below the stable step of the formula, without end just
 * above, for dashpots from none to ten times critical, where contacts make all of the stiffness or a third of it. */
static void test_dashpots_shorten_the_stable_step_by_the_formula(void **state)
{
  (void)state;
  const double whole = 4e6, shares[] = {1, 1.0 / 3}, ratios[] = {0, 0.1, 1, 10};
  for (size_t a = 0; a < 2; a++)
    for (size_t b = 0; b < 4; b++)
      for (int above = 0; above < 2; above++) {
        double contacts = shares[a] * whole, damping = 2 * ratios[b] * sqrt(whole) / contacts;
        double step = (above ? 1.01 : 0.99) * 2 / sqrt(whole) * lsdem_dashpot_factor(damping, contacts, whole), x = 1, v = 0, most = 0;
        for (int k = 0; k < 2000; k++) {
          v -= step * (whole * x + damping * contacts * v);
          x += step * v;
          most = fmax(most, fabs(x));
        }
        if (above ? most < 1e6 : most > 20)
          fail_msg("share %g, ratio %g: grows to %g at %s the step", shares[a], ratios[b], most, above ? "1.01" : "0.99");
      }
}

#define STONE "[{\"name\": \"stone\", \"density\": 6022.83, \"young_modulus\": 62770560, \"poisson_ratio\": 0.25}]"

/* A ball that meets a floor at the automatic step: with a damping time of 5000 steps its dashpots come to more than is stable, and the run
 * says so; with one of ten steps it does not. */
static void test_dashpots_that_are_too_long_for_the_step_are_a_doubt(void **state)
{
  (void)state;
  static const char ball[] =
      "[{\"name\": \"ball\", \"material\": \"stone\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.003}, "
      "\"spacing\": 0.0009, \"placement\": {\"type\": \"single\", \"position\": [0, 0, 0.00301]}, \"velocity\": [0, 0, -0.5]}]",
                    box[] = "{\"type\": \"box\", \"minimum\": [-0.01, -0.01, 0], \"maximum\": [0.01, 0.01, 0.02]}";
  double step = 0;
  for (int k = 0; k < 3; k++) {
    const double steps[] = {0, 10, 5000};
    char contact[100];
    snprintf(contact, sizeof contact, "{\"friction_coefficient\": 0, \"damping_time\": %.17g}", steps[k] * step);
    sim_run r = lsdem_open(STONE, contact, ball, box, "[]", "{\"duration\": 1e-4}", "", 1);
    step = r.scene->estimate.time_step;
    run_until(&r, 1e-4);
    bool doubted = false;
    for (size_t d = 0; d < r.sim->doubt_count; d++) doubted = doubted || strcmp(r.sim->doubts[d].kind, "time_step") == 0;
    assert_true(lsdem_of(&r)->fastest > 0); /* it touched */
    assert_int_equal(doubted, k == 2);
    run_close(&r);
  }
}

/* Sixteen stretchable balls settle in a box, turned at random. A level set of a ball whose samples are unbiased bulges between them, by 13
 * um here; pairs that were looked at only when the balls of their nodes met had that depth at once: 12 % of the largest energy came from
 * nowhere in one touch. Now the balance closes to 0.2 % of it (0.05 % measured). */
static void test_touches_of_balls_begin_without_depth(void **state)
{
  (void)state;
  static const char grains[] =
      "[{\"name\": \"grains\", \"material\": \"stone\", \"shape\": {\"type\": \"sphere\", \"radius\": "
      "0.003215545146467953}, \"spacing\": 0.000889572663497937, \"modes\": \"stretch\", \"random_rotation\": true, "
      "\"placement\": {\"type\": \"lattice\", \"origin\": [-0.003279856049397312, -0.003279856049397312, "
      "0.003279856049397312], \"pitch\": [0.006559712098794624, 0.006559712098794624, 0.006559712098794624], "
      "\"count\": [2, 2, 4]}}]",
                    box[] = "{\"type\": \"box\", \"minimum\": [-0.006559712098794624, -0.006559712098794624, 0], \"maximum\": "
                            "[0.006559712098794624, 0.006559712098794624, 0.027583781659555235], \"gravity\": [0, 0, -0.4797156448691314]}";
  sim_run r = lsdem_open(STONE, "{\"friction_coefficient\": 4.654880905154119, \"damping_time\": 0.00045550961045670384}", grains, box,
                         "[]", "{\"duration\": 0.045, \"time_step\": 5.3e-6}", "\"pull_back\": 1", 1);
  double worst = 0;
  while (r.sim->time < 0.045) {
    run_steps(&r, 20);
    const sim_ledger *ledger = lsdem_of(&r)->ledger;
    worst = fmax(worst, fabs(run_curve(&r, "energy.balance_error")) * fmax(ledger->largest, ledger->least) / fmax(ledger->largest, 1e-30));
  }
  claim_absolute("balls that settle: balance over their largest energy", worst, 0, 2e-3, "conservation of energy");
  run_close(&r);
}

/* No place beyond field_reach is below the level set, of a ball whose samples are unbiased and of a box; the ball's own radius would not
 * do. */
static void test_nothing_is_below_beyond_the_reach_of_the_field(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    const scr_shape shape = {.kind = k ? SCR_SHAPE_BOX : SCR_SHAPE_SPHERE, .radius = 0.05, .size = {0.1, 0.06, 0.08}};
    const lsdem_recipe recipe = {.shape = &shape,
                                 .spacing = 0.01,
                                 .grid = 0.014,
                                 .density = 1000,
                                 .young = 1e6,
                                 .poisson = 0,
                                 .modes = LSDEM_MODES_NONE,
                                 .stiffness = NAN,
                                 .modal_mass = NAN,
                                 .unbiased = true,
                                 .table = ""};
    lsdem_template grain = {0};
    assert_int_equal(lsdem_template_make(&grain, &recipe, execution_of(1), NULL), SCR_OK);
    double farthest = 0, value;
    uint64_t seed = 11;
    for (int n = 0; n < 400000; n++) {
      scr_vec3 at = vec3(0.14 * (random_uniform(&seed) - 0.5), 0.14 * (random_uniform(&seed) - 0.5), 0.14 * (random_uniform(&seed) - 0.5)),
               slope;
      if (level_set_below_at(&grain.field, at, &value, &slope)) farthest = fmax(farthest, vec3_length(at));
    }
    print_message("below up to %.6g m, reach of nodes %.6g, of the field %.6g\n", farthest, grain.reach, grain.field_reach);
    assert_true(farthest <= grain.field_reach);
    if (!k) assert_true(farthest > grain.reach);
    lsdem_template_clear(&grain);
  }
}

SUITE(test_lsdem_step)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_mode_of_a_basis_has_its_energy),
                                     cmocka_unit_test(test_a_faces_frequency_is_that_of_the_formula),
                                     cmocka_unit_test(test_a_steep_place_of_a_basis_matters_where_it_is_touched),
                                     cmocka_unit_test(test_dashpots_shorten_the_stable_step_by_the_formula),
                                     cmocka_unit_test(test_dashpots_that_are_too_long_for_the_step_are_a_doubt),
                                     cmocka_unit_test(test_touches_of_balls_begin_without_depth),
                                     cmocka_unit_test(test_nothing_is_below_beyond_the_reach_of_the_field),
                                     cmocka_unit_test(test_the_step_of_soft_bars_is_stable_and_not_idle)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
