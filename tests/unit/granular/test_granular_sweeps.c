/* Sweeps of method granular: eight cells at a time, in double precision four, give the bits of one at a time, colours keep blocks apart,
 * sums are those of the cells, and single precision finds what double finds. */
#include <math.h>
#include <string.h>

#include "methods/granular/law/cone.h"
#include "methods/granular/step/stages.h"
#include "methods/granular/step/sweep/sweep.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

/* A block that falls apart in a box, of a size that fills blocks of cells only in part. @param material, options
 * with a comma before them, or "" */
static sim_run open_block(const char *dimension, const char *material, const char *options, unsigned threads)
{
  char text[1600];
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"sweeps\",\"method\":\"granular\",\"materials\":[{\"name\":\"sand\",\"density\":2500,\"internal_"
      "friction\":0.4%s}],\"contact\":{\"friction_coefficient\":0.5},\"specimens\":[{\"name\":\"block\",\"material\":\"sand\",\"shape\":"
      "{\"type\":\"box\",\"size\":[0.11,0.07,0.13]},\"placement\":{\"type\":\"single\",\"position\":[0.065,0.045,0.065]}}],"
      "\"rig\":{\"type\":\"box\",\"minimum\":[0,0,0],\"maximum\":[0.24,0.12,0.2],\"gravity\":[1,0,-9.81]},"
      "\"options\":{\"dimension\":\"%s\",\"cell\":0.01%s},\"time\":{\"duration\":1}}",
      material, dimension, options);
  return run_open(text, threads);
}

/* Precisions: the first is the usual one. Bounds are rounding of the few operations between numbers that are compared. */
#define IN_DOUBLE ",\"tolerance\":1e-7"
static const char *const precisions[2] = {"", IN_DOUBLE};
static const double rounding[2] = {2e-5, 1e-12};

static granular_state *state_of(const sim_run *r)
{
  return r->sim->state;
}

/* ── bits ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Batches and the law of one cell after the other take the same operations in the same order. */
static void test_batches_have_the_bits_of_single_cells(void **state)
{
  (void)state;
  for (int kind = 0; kind < 8; kind++) {
    const int space = kind % 2;
    const char *dimension = space ? "space" : "plane", *material = kind / 2 % 2 ? ",\"cohesion\":60,\"debonding\":3" : "";
    const char *options = kind / 4 ? IN_DOUBLE ",\"sweeps\":20" : "";
    sim_run batches = open_block(dimension, material, options, 1), lone = open_block(dimension, material, options, 1);
    granular_state *a = state_of(&batches), *b = state_of(&lone);
    double off = 0, moved = 0;
    b->lone_cells = true;
    run_steps(&batches, 8);
    run_steps(&lone, 8);
    assert_int_equal(a->point_count, b->point_count);
    for (size_t i = 0; i < a->point_count; i++)
      for (int k = 0; k < a->d; k++) {
        off = fmax(off, fabs(a->points[i].x[k] - b->points[i].x[k]) + fabs(a->points[i].u[k] - b->points[i].u[k]));
        moved = fmax(moved, fabs(a->points[i].u[k]));
      }
    claim_absolute(space ? "space: batches off single cells, m and m/s" : "plane: batches off single cells, m and m/s", off, 0, 0,
                   "the same operations");
    claim_absolute("their sweeps and residual", b->report.sweeps + b->report.rms_residual, a->report.sweeps + a->report.rms_residual, 0,
                   "the same operations");
    claim_between("largest speed, m/s", moved, 0.05, 10, "it falls apart");
    run_close(&batches);
    run_close(&lone);
  }
}

/* Blocks of one colour have no node in common, also where the domain goes around an odd or an even number of blocks with cells; else
 * bits would depend on threads. 0.24 m: three blocks of 8 or six of 4; 0.12 m: three of 4. */
static void test_blocks_of_a_colour_share_no_node(void **state)
{
  (void)state;
  for (int space = 0; space < 2; space++) {
    sim_run r = open_block(space ? "space" : "plane", "", space ? ",\"periodic_x\":true,\"periodic_y\":true" : ",\"periodic_x\":true", 1);
    granular_state *s = state_of(&r);
    double shared = 0, blocks = 0;
    scr_error error = {0};
    for (size_t i = 0; i < s->point_count; i++) { /* all around */
      granular_point *p = &s->points[i];
      p->x[0] = (p->x[0] - 0.01) / 0.11 * 0.24;
      if (space) p->x[1] = (p->x[1] - 0.01) / 0.07 * 0.12;
    }
    assert_int_equal(granular_sort(s, execution_of(1), &error), SCR_OK);
    assert_int_equal(granular_list_cells(s, execution_of(1), &error), SCR_OK);
    uint32_t *owner = calloc(s->grid.cell_count, sizeof *owner);
    assert_non_null(owner);
    for (int colour = 0; colour < GRANULAR_COLOURS; colour++) {
      memset(owner, 0, s->grid.cell_count * sizeof *owner);
      for (uint32_t k = s->colour_first[colour]; k < s->colour_first[colour + 1]; k++, blocks++)
        for (uint32_t c = s->block_first[s->colour_block[k]]; c < s->block_first[s->colour_block[k] + 1]; c++)
          for (uint32_t n = 0; n < s->grid.corner_count; n++) {
            uint32_t *mine = &owner[s->cells[c].node[n]];
            shared += *mine != 0 && *mine != k + 1;
            *mine = k + 1;
          }
    }
    claim_absolute(space ? "space: nodes in two blocks of a colour" : "plane: nodes in two blocks of a colour", shared, 0, 0, "none");
    claim_absolute("blocks in colours", blocks, (double)s->grid.block_count, 0, "each once");
    free(owner);
    run_close(&r);
  }
}

/* Threads take parts of a colour one after the other, each with as many cells as the others' have, to half a block on either side. */
static void test_threads_share_the_cells_of_a_colour(void **state)
{
  (void)state;
  for (int space = 0; space < 2; space++) {
    sim_run r = open_block(space ? "space" : "plane", "", "", 1);
    const granular_state *s = state_of(&r);
    double apart = 0, off = 0;
    run_steps(&r, 1);
    for (int colour = 0; colour < GRANULAR_COLOURS; colour++)
      for (unsigned parts = 1; parts <= 5; parts++) {
        const uint32_t first = s->colour_first[colour], last = s->colour_first[colour + 1],
                       cells = s->colour_cells[last] - s->colour_cells[first];
        apart += granular_first_of_share(s, colour, 0, parts) != first || granular_first_of_share(s, colour, parts, parts) != last;
        for (unsigned part = 0; part < parts; part++) {
          uint32_t begin = granular_first_of_share(s, colour, part, parts), end = granular_first_of_share(s, colour, part + 1, parts);
          apart += end < begin;
          off = fmax(off, fabs((double)(s->colour_cells[end] - s->colour_cells[begin]) - (double)cells / parts));
        }
      }
    claim_absolute("shares that don't follow on each other", apart, 0, 0, "none");
    claim_between("cells by which a share differs from its even part", off, 0, GEO_GRID_BLOCK + 1, "a block");
    claim_absolute("cells of all colours", (double)s->colour_cells[s->grid.block_count], (double)s->cell_count, 0, "each once");
    run_close(&r);
  }
}

/* ── sums ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static double *copy_impulses(granular_state *s)
{
  double *r = calloc(s->cell_count * GRANULAR_TENSOR, sizeof *r);
  assert_non_null(r);
  granular_end_sweeps(s, execution_of(1));
  for (size_t k = 0; k < s->cell_count; k++) memcpy(r + k * GRANULAR_TENSOR, s->cells[k].r, sizeof s->cells[k].r);
  return r;
}

static double sum_of(const double *by_block, size_t count)
{
  double sum = 0;
  for (size_t b = 0; b < count; b++) sum += by_block[b];
  return sum;
}

/* Scenes as small as this one run on one thread: so the sweeps by themselves. */
static void test_sweeps_have_the_same_bits_on_threads(void **state)
{
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    double *alone = NULL, *uphill = NULL, moved = 0;
    for (unsigned threads = 1; threads <= 3; threads++) {
      sim_run r = open_block(kind % 2 ? "space" : "plane", "", precisions[kind / 2], 1);
      granular_state *s = state_of(&r);
      scr_error error = {0};
      run_steps(&r, 5);
      for (size_t n = 0; n < s->grid.cell_count; n++) s->nodes[n].u[s->d - 1] -= 0.3 * (double)(n % 7) * (s->nodes[n].inverse_mass > 0);
      assert_int_equal(granular_begin_sweeps(s, execution_of(threads), &error), SCR_OK);
      double *by_block = calloc(s->grid.block_count, sizeof *by_block), *before = copy_impulses(s), *after;
      assert_non_null(by_block);
      for (int k = 0; k < 3; k++) granular_sweep_cells(s, execution_of(threads), 0.2 * k, by_block);
      after = copy_impulses(s);
      size_t size = s->cell_count * GRANULAR_TENSOR;
      for (size_t k = 0; k < size; k++) moved = fmax(moved, fabs(after[k] - before[k]) / fabs(before[k] + (before[k] == 0)));
      if (threads > 1) {
        assert_memory_equal(after, alone, size * sizeof *after);
        assert_memory_equal(by_block, uphill, s->grid.block_count * sizeof *by_block);
        free(by_block), free(after);
      } else
        alone = after, uphill = by_block;
      free(before);
      run_close(&r);
    }
    claim_between("largest change of an impulse, of itself", moved, 0.1, 1e9, "sweeps do something");
    free(alone), free(uphill);
  }
}

/* What decides on inertia is sum wN (y - r) . (r - last), with y = last + 0.7 (last - the r before it). */
static void test_sweeps_tell_whether_inertia_leads_uphill(void **state)
{
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    const int space = kind % 2;
    char options[60];
    snprintf(options, sizeof options, ",\"sweeps\":6%s", precisions[kind / 2]);
    sim_run r = open_block(space ? "space" : "plane", "", options, 1);
    granular_state *s = state_of(&r);
    scr_error error = {0};
    double expected = 0, *by_block;
    run_steps(&r, 5);
    for (size_t n = 0; n < s->grid.cell_count; n++) s->nodes[n].u[s->d - 1] -= 0.3 * (double)(n % 7) * (s->nodes[n].inverse_mass > 0);
    assert_int_equal(granular_begin_sweeps(s, execution_of(1), &error), SCR_OK);
    by_block = calloc(s->grid.block_count, sizeof *by_block);
    assert_non_null(by_block);
    double *first = copy_impulses(s);
    granular_sweep_cells(s, execution_of(1), 0, by_block);
    double *second = copy_impulses(s);
    granular_sweep_cells(s, execution_of(1), 0.7, by_block);
    double *third = copy_impulses(s);
    for (size_t k = 0; k < s->cell_count; k++)
      for (int i = 0; i < cell_size(s->d); i++) {
        double r0 = first[k * GRANULAR_TENSOR + (size_t)i], r1 = second[k * GRANULAR_TENSOR + (size_t)i],
               r2 = third[k * GRANULAR_TENSOR + (size_t)i];
        expected += (r1 + 0.7 * (r1 - r0) - r2) * (r2 - r1) / s->cells[k].inverse_normal;
      }
    claim_relative(space ? "space: uphill, J/s" : "plane: uphill, J/s", sum_of(by_block, s->grid.block_count), expected,
                   1e3 * rounding[kind / 2], "the sum over cells, of which each is a product of differences");
    free(by_block), free(first), free(second), free(third);
    run_close(&r);
  }
}

/* The residual is that of cone.h of every cell that is no gas. */
static void test_residuals_are_those_of_the_law(void **state)
{
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    const int space = kind % 2;
    const double near = rounding[kind / 2];
    char options[60];
    snprintf(options, sizeof options, ",\"sweeps\":6%s", precisions[kind / 2]);
    sim_run r = open_block(space ? "space" : "plane", "", options, 1);
    granular_state *s = state_of(&r);
    scr_error error = {0};
    double largest = 0, square = 0, pressed = 0, found[3] = {0};
    run_steps(&r, 5);
    assert_int_equal(granular_begin_sweeps(s, execution_of(1), &error), SCR_OK);
    granular_measure_cells(s, execution_of(1), 0, found);
    for (size_t k = 0; k < s->cell_count; k++) {
      const granular_cell *c = &s->cells[k];
      double rate[GRANULAR_TENSOR];
      granular_rate(s->d, c, s->nodes, rate);
      rate[0] += c->gap;
      pressed += c->r[0] > 0;
      if (c->r[0] == 0 && rate[0] >= 0) continue;
      double residual = cone_residual(s->d, c->r, rate, 1 / c->inverse_normal, c->friction);
      largest = fmax(largest, residual), square += residual * residual;
    }
    claim_relative(space ? "space: largest residual, 1/s" : "plane: largest residual, 1/s", found[2], largest, near, "cone_residual");
    claim_relative("sum of squares, 1/s^2", found[0], square, near, "cone_residual");
    claim_absolute("cells that press", found[1], pressed, 0, "counted");
    claim_between("cells that press", pressed, 20, 2000, "there are some");
    run_close(&r);
  }
}

/* Velocities of a step follow from its impulses, by the balance of momentum of each node and in double precision, whatever rounding sweeps
 * have: over the nodes to 1e-13 of the largest. Momentum of all together changes by gravity and contacts alone. */
static void test_velocities_follow_from_impulses(void **state)
{
  (void)state;
  for (int space = 0; space < 2; space++) {
    sim_run r = open_block(space ? "space" : "plane", "", "", 1);
    granular_state *s = state_of(&r);
    double worst = 0, fastest = 0, sum[3] = {0}, scale = 0;
    run_steps(&r, 5);
    double *push = calloc(s->grid.cell_count * 3, sizeof *push);
    assert_non_null(push);
    for (size_t k = 0; k < s->cell_count; k++) { /* B^T r, corner by corner */
      const granular_cell *c = &s->cells[k];
      granular_node *alone = calloc(s->grid.cell_count + 1, sizeof *alone);
      assert_non_null(alone);
      for (uint32_t n = 0; n < s->grid.corner_count; n++) alone[c->node[n]].inverse_mass = 1;
      granular_push(s->d, c, alone, c->r);
      for (uint32_t n = 0; n < s->grid.corner_count; n++)
        for (int i = 0; i < s->d; i++) push[3 * c->node[n] + (uint32_t)i] += alone[c->node[n]].u[i];
      free(alone);
    }
    for (size_t k = 0; k < s->contact_count; k++)
      for (int i = 0; i < s->d; i++) push[3 * s->contacts[k].node + (uint32_t)i] += s->contacts[k].r[i];
    for (size_t n = 0; n < s->grid.cell_count; n++) {
      const double *before = s->sums + n * GRANULAR_SUMS, mass = before[0];
      for (int i = 0; i < s->d && mass > 0; i++) {
        double u = before[1 + i] + r.sim->time_step * s->gravity[i] + push[3 * n + (size_t)i] / mass;
        worst = fmax(worst, fabs(u - s->nodes[n].u[i]) * mass), fastest = fmax(fastest, fabs(u) * mass);
        sum[i] += mass * (s->nodes[n].u[i] - before[1 + i] - r.sim->time_step * s->gravity[i]), scale += mass;
      }
    }
    for (size_t k = 0; k < s->contact_count; k++)
      for (int i = 0; i < s->d; i++) sum[i] -= s->contacts[k].r[i];
    claim_absolute(space ? "space: momentum of nodes off that of impulses" : "plane: momentum of nodes off that of impulses",
                   worst / fastest, 0, 1e-13, "m (u - u0 - g dt) = B^T r + contacts");
    claim_absolute("momentum that cells give, over that of gravity", fmax(fabs(sum[0]), fmax(fabs(sum[1]), fabs(sum[2]))) / scale / 0.01, 0,
                   1e-12, "stress is internal");
    free(push);
    run_close(&r);
  }
}

/* ── the start ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Two blocks, one on the floor and one above it that falls: the first step begins with the weight of what stands, rho g times the depth
 * below the lower block's top at the middle of each cell, and with no stress in the other; to rounding. */
static void test_sand_that_stands_begins_with_its_weight(void **state)
{
  (void)state;
  for (int space = 0; space < 2; space++) {
    char text[1600];
    snprintf(text, sizeof text,
             "{\"scree\":1,\"name\":\"stands\",\"method\":\"granular\",\"materials\":[{\"name\":\"sand\",\"density\":2500,\"packing_"
             "fraction\":0.6,\"internal_friction\":0.4}],\"specimens\":[{\"name\":\"low\",\"material\":\"sand\",\"shape\":{\"type\":"
             "\"box\",\"size\":[0.08,0.06,0.11]},\"placement\":{\"type\":\"single\",\"position\":[0.06,0.06,0.055]}},{\"name\":\"high\","
             "\"material\":\"sand\",\"shape\":{\"type\":\"box\",\"size\":[0.04,0.04,0.05]},\"placement\":{\"type\":\"single\","
             "\"position\":[0.06,0.06,0.165]}}],\"rig\":{\"type\":\"box\",\"minimum\":[0,0,0],\"maximum\":[0.12,0.12,0.2],\"gravity\":"
             "[0,0,-9.81]},\"options\":{\"dimension\":\"%s\",\"cell\":0.01},\"time\":{\"duration\":1}}",
             space ? "space" : "plane");
    sim_run r = run_open(text, 1);
    granular_state *s = state_of(&r);
    const granular_pass pass = {.step = 1e-3, .execution = execution_of(1)};
    granular_energy energy = {0};
    scr_error error = {0};
    double worst = 0, pressed = 0, hanging = 0;
    assert_int_equal(granular_sort(s, pass.execution, &error), SCR_OK);
    assert_int_equal(granular_list_cells(s, pass.execution, &error), SCR_OK);
    assert_int_equal(granular_to_nodes(s, &pass, &energy, &error), SCR_OK);
    assert_int_equal(granular_find_parts(s, &pass, &r.sim->parts, r.sim->parts.now, &error), SCR_OK);
    granular_make_rows(s, &pass);
    assert_int_equal(granular_warm_start(s, &pass, &error), SCR_OK);
    for (size_t k = 0; k < s->cell_count; k++) {
      int64_t at[3];
      geo_grid_place(&s->grid, s->extra[k].place, at);
      double height = 0.01 * ((double)at[s->d - 1] + 0.5), scale = 1 / (pass.step * granular_cell_volume(s) * tensor_pressure_scale(s->d));
      double pressure = s->cells[k].r[0] * scale, expected = height < 0.11 ? 1500 * 9.81 * (0.11 - height) : 0;
      worst = fmax(worst, fabs(pressure - expected)), pressed += height<0.11, hanging += height> 0.11;
      for (int i = 1; i < cell_size(s->d); i++) worst = fmax(worst, fabs(s->cells[k].r[i] * scale));
    }
    claim_absolute(space ? "space: stress at the start off the weight, Pa" : "plane: stress at the start off the weight, Pa", worst, 0,
                   1e-8, "rho g depth below a block that stands, none in one that falls");
    claim_absolute("cells that stand", pressed, space ? 8 * 6 * 11 : 8 * 11, 0, "the lower block");
    claim_absolute("cells that fall", hanging, space ? 4 * 4 * 5 : 4 * 5, 0, "the upper block");
    run_close(&r);
  }
}

/* A column 60 cells deep that collapses takes the sweeps of the budget, 50 a step, once the first step is solved, and that with some
 * hundred: inertia reaches through the sand where it goes on. Begun anew all the time it leaves the first step unsolved after 1000. */
static void test_inertia_reaches_through_deep_sand(void **state)
{
  (void)state;
  sim_run r = run_open(
      "{\"scree\":1,\"name\":\"deep\",\"method\":\"granular\",\"materials\":[{\"name\":\"sand\",\"density\":2500,\"internal_friction\":"
      "0.4}],\"contact\":{\"friction_coefficient\":0.5},\"specimens\":[{\"name\":\"column\",\"material\":\"sand\",\"shape\":{\"type\":"
      "\"box\",\"size\":[0.6,0.05,0.6]},\"placement\":{\"type\":\"single\",\"position\":[0.3,0.025,0.3]}}],\"rig\":{\"type\":\"box\","
      "\"minimum\":[0,0,0],\"maximum\":[1.2,0.05,0.64],\"gravity\":[0,0,-9.81]},\"options\":{\"dimension\":\"plane\",\"cell\":0.01},"
      "\"time\":{\"duration\":1}}",
      1);
  double sweeps = 0;
  run_steps(&r, 1);
  claim_between("column of 60 cells: sweeps of its first step", state_of(&r)->report.sweeps, 50, 300, "some times its depth");
  for (int k = 0; k < 6; k++) {
    run_steps(&r, 1);
    sweeps += state_of(&r)->report.sweeps / 6;
  }
  claim_between("column of 60 cells: sweeps of a step after that", sweeps, 50, 60, "the budget");
  run_close(&r);
}

SUITE(test_granular_sweeps)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_batches_have_the_bits_of_single_cells),    cmocka_unit_test(test_blocks_of_a_colour_share_no_node),
      cmocka_unit_test(test_sweeps_tell_whether_inertia_leads_uphill), cmocka_unit_test(test_residuals_are_those_of_the_law),
      cmocka_unit_test(test_velocities_follow_from_impulses),          cmocka_unit_test(test_sand_that_stands_begins_with_its_weight),
      cmocka_unit_test(test_inertia_reaches_through_deep_sand),        cmocka_unit_test(test_threads_share_the_cells_of_a_colour),
      cmocka_unit_test(test_sweeps_have_the_same_bits_on_threads),
  };
  return cmocka_run_group_tests_name("granular sweeps", tests, NULL, NULL);
}
