/* What is seen of grains: stress against energies and loads, neighbours, lines of force, forms of pieces, tables. */
#include "base/memory.h"
#include "tests/support/picture.h"
#include "tests/support/suites.h"
#include "tests/validation/peridem/peridem_case.h"

/* Bricks of 4 mm, nodes 1 mm apart, side by side along x between walls that touch them; the last wall may move. */
static const char bricks[] =
    "{\"scree\":1,\"name\":\"bricks\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"bulk_modulus\":1e9,"
    "\"poisson_ratio\":%g%s}],\"contact\":{\"friction_coefficient\":%g,\"damping_ratio\":0.5},\"specimens\":[{\"name\":\"b\",\"material\":"
    "\"m\","
    "\"spacing\":1e-3,\"shape\":{\"type\":\"box\",\"size\":[%s]},\"placement\":{\"type\":\"lattice\",\"origin\":[2e-3,0,0],\"count\":[%d,1,"
    "1],"
    "\"pitch\":[4e-3,1,1]}}],\"rig\":{\"type\":\"box\",\"minimum\":[0,-6e-3,-6e-3],\"maximum\":[%g,6e-3,6e-3],"
    "\"walls\":{\"x_max\":{\"program\":[{\"type\":\"constant\",\"velocity\":%g,\"duration\":4e-5},{\"type\":\"hold\"}]}}},"
    "\"time\":{\"duration\":1e-3},\"options\":{\"grain_table\":true,\"piece_table\":true,\"damping_rate\":%g%s}}";

typedef struct row_of_bricks {
  double ratio;
  const char *breaks, *size, *options;
  int count;
  double friction, length, velocity, damping;
} row_of_bricks;

static sim_run open_bricks(const row_of_bricks *r, unsigned threads)
{
  char text[1600];
  snprintf(text, sizeof text, bricks, r->ratio, r->breaks, r->friction, r->size, r->count, r->length, r->velocity, r->damping, r->options);
  return run_open(text, threads);
}

/* Random numbers in -1 ... 1 from a fixed seed. */
static double draw(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};

/* Two bricks that the rig does not touch, pressed into each other by a fiftieth of the spacing, all nodes displaced at random by 0.3 % of
 * it. */
static sim_run open_ruffled(double ratio, const char *options)
{
  /* by faces the gap of bodies that touch at the start is measured along a normal that turns, against a way that does not: a strain apart
   * */
  char by_nodes[200];
  snprintf(by_nodes, sizeof by_nodes, ",\"contact_surface\":\"body\"%s%s",
           strstr(options, "surface_correction") ? "" : ",\"surface_correction\":\"none\"", options);
  row_of_bricks two = {ratio, "", "4e-3,4e-3,4e-3", by_nodes, 2, 0, 2e-2, 0, 0};
  sim_run run = open_bricks(&two, 1);
  pd_state *s = run_state(&run);
  uint64_t seed = 3;
  for (size_t i = 0; i < s->node_count; i++)
    for (int a = 0; a < 3; a++)
      pd_axis(&s->host->position, a)[i] += 3e-6 * draw(&seed) + (a == 0 ? 5e-3 - (s->host->grain_of[i] ? 2e-5 : 0) : 0);
  s->backend->bond_forces(s);
  return run;
}

/* Energy of bonds and contacts after x -> x + strain E x, E symmetric with ones at the pair of axes. */
static double energy_strained(const sim_run *run, int pair, double strain, double *const keep[3])
{
  const pd_state *s = run_state(run);
  sim_energies now = {0};
  int a = pairs[pair][0], b = pairs[pair][1];
  for (size_t i = 0; i < s->node_count; i++) {
    pd_axis(&s->host->position, a)[i] = keep[a][i] + strain * keep[b][i];
    if (a != b) pd_axis(&s->host->position, b)[i] = keep[b][i] + strain * keep[a][i];
  }
  s->backend->energies(s, &now);
  for (int c = 0; c < 3; c++) memcpy(pd_axis(&s->host->position, c), keep[c], s->node_count * sizeof(double));
  return now.elastic + now.contact;
}

/* Largest difference of the stresses of all grains, times their volume, from - dE / d strain, over the largest stress. */
static double error_of_stress(const sim_run *run)
{
  pd_state *s = run_state(run);
  pd_grain_stress grains[2];
  double *keep[3], worst = 0, largest = 0, volume = s->bodies[0].node_volume * (double)s->bodies[0].node_count, step = 1e-7;
  for (int c = 0; c < 3; c++) {
    keep[c] = calloc(s->node_count, sizeof(double));
    memcpy(keep[c], pd_axis(&s->host->position, c), s->node_count * sizeof(double));
  }
  assert_int_equal(s->backend->grain_stresses(s, grains, NULL), SCR_OK);
  for (int k = 0; k < 6; k++) {
    double slope = (energy_strained(run, k, step, keep) - energy_strained(run, k, -step, keep)) / (2 * step) * (k < 3 ? 1 : 0.5);
    double stress = (grains[0].stress[k] + grains[1].stress[k]) * volume;
    largest = fmax(largest, fabs(stress));
    worst = fmax(worst, fabs(stress + slope));
  }
  for (int c = 0; c < 3; c++) free(keep[c]);
  return worst / largest;
}

/* Virial theorem: V P = - dE / d strain of bonds, dilatation and contacts together, by central differences (of second order, so 1e-14 /
 * 1e-7 of rounding rules). Nodes of two bricks meet where they start: they push from the first displacement on. */
static void test_stress_is_the_gradient_of_the_energy(void **state)
{
  (void)state;
  static const struct {
    double ratio;
    const char *options;
  } kinds[] = {{0.25, ""}, {0.25, ",\"surface_correction\":\"volume\""}, {0.4, ",\"elasticity\":\"state\""}};
  for (int k = 0; k < 3; k++) {
    sim_run run = open_ruffled(kinds[k].ratio, kinds[k].options);
    assert_true(run_state(&run)->backend->name != NULL);
    assert_float_equal(error_of_stress(&run), 0, 1e-6);
    run_close(&run);
  }
}

/* Turns and moves all nodes: x -> R x + c. */
static void turn_all(pd_state *s, const double R[3][3])
{
  pd_vectors *of[] = {&s->host->position, &s->host->reference};
  for (int v = 0; v < 2; v++)
    for (size_t i = 0; i < s->node_count; i++) {
      double x[3] = {of[v]->x[i], of[v]->y[i], of[v]->z[i]};
      for (int a = 0; a < 3; a++) pd_axis(of[v], a)[i] = R[a][0] * x[0] + R[a][1] * x[1] + R[a][2] * x[2] + 0.01 * (a + 1);
    }
}

/* Frame independence: seen from turned and moved axes the tensor is R P R^T, to rounding; pressure and von Mises' stress of nodes stay. */
static void test_stress_turns_with_the_frame(void **state)
{
  (void)state;
  sim_run run = open_ruffled(0.25, "");
  pd_state *s = run_state(&run);
  const double c = cos(0.7), d = sin(0.7), R[3][3] = {{0.6 * c, -0.8, 0.6 * d}, {0.8 * c, 0.6, 0.8 * d}, {-d, 0, c}};
  pd_grain_stress before[2], after[2];
  pd_picture seen;
  double *mises = calloc(s->node_count, sizeof *mises), largest = 0;
  assert_int_equal(s->backend->grain_stresses(s, before, NULL), SCR_OK);
  assert_int_equal(s->backend->gather(s, &seen, NULL), SCR_OK);
  memcpy(mises, seen.von_mises, s->node_count * sizeof *mises);
  turn_all(s, R);
  assert_int_equal(s->backend->grain_stresses(s, after, NULL), SCR_OK);
  assert_int_equal(s->backend->gather(s, &seen, NULL), SCR_OK);
  for (size_t i = 0; i < s->node_count; i++) largest = fmax(largest, mises[i]);
  for (size_t i = 0; i < s->node_count; i++) assert_float_equal(seen.von_mises[i] / largest, mises[i] / largest, 1e-9);
  for (int g = 0; g < 2; g++) {
    const double *p = before[g].stress, P[3][3] = {{p[0], p[3], p[5]}, {p[3], p[1], p[4]}, {p[5], p[4], p[2]}};
    for (int k = 0; k < 6; k++) {
      double turned = 0;
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) turned += R[pairs[k][0]][i] * P[i][j] * R[pairs[k][1]][j];
      assert_float_equal(after[g].stress[k] / largest, turned / largest, 1e-9);
    }
  }
  free(mises);
  run_close(&run);
}

/* Three bricks in a row, pressed by 1e-3 and brought to rest: every grain and all together bear F / A along the row, the walls' force over
 * the bricks' 16 mm2, within 1 % (the walls push contacts in by 0.6 % of the row, which the box around the nodes does not), and 2 % of it
 * at most across. Two neighbours each; lines wall, brick, brick, brick, wall, all with that force. */
static void test_pressed_bricks_bear_the_walls_force(void **state)
{
  (void)state;
  row_of_bricks three = {0.25, "", "4e-3,4e-3,4e-3", ",\"contact_stiffness_factor\":30", 3, 0, 1.2e-2, -2, 3e5};
  sim_run run = open_bricks(&three, 1);
  pd_state *s = run_state(&run);
  pd_grain_stress grains[3];
  sim_contact *contacts = NULL;
  size_t count = 0;
  run_until(&run, 3e-4);
  run_observe(&run);
  double force = run_value(&run, "wall.x_max.force_x"), pressure = force / 1.6e-5;
  assert_true(run_value(&run, "energy.kinetic") < 1e-6 * run_value(&run, "energy.elastic"));
  assert_true(pressure > 5e5);
  assert_float_equal(run_value(&run, "coordination"), 2, 0);
  assert_float_equal(run_value(&run, "stress.xx") / pressure, 1, 0.01);
  assert_float_equal(run_value(&run, "stress.yy") / pressure, 0, 0.02);
  assert_float_equal(run_value(&run, "stress.xy") / pressure, 0, 0.02);
  assert_int_equal(s->backend->grain_stresses(s, grains, NULL), SCR_OK);
  for (int g = 0; g < 3; g++) {
    assert_int_equal(grains[g].neighbours, 2);
    assert_int_equal(grains[g].pieces, 1);
    assert_float_equal(grains[g].stress[0] / pressure, 1, 0.01);
    for (int k = 1; k < 6; k++) assert_float_equal(grains[g].stress[k] / pressure, 0, 0.02);
  }
  assert_int_equal(s->backend->contacts(s, &contacts, &count, NULL), SCR_OK);
  assert_int_equal(count, 4);
  for (size_t k = 0; k < count; k++) {
    assert_float_equal(contacts[k].force / force, 1, 0.01);
    assert_int_equal(contacts[k].node_count, k < 2 ? 3 : 2);
    assert_float_equal(contacts[k].node[1].y, 0, 1e-6);
  }
  assert_float_equal(contacts[0].node[1].x, 4e-3, 8e-5);
  mem_free(contacts);
  run_close(&run);
}

/* Two balls that meet along n, about (1, 2, 2)/3: the force f between them is what a step changes in the first one's momentum, and the
 * stress is in proportion to f b^T, b from one middle to the other. Over the trace, as the volume is a box around both; 0.5 %: the force is
 * the end's of a step, not its mean, and not quite along n. */
static void test_curves_of_stress_are_force_and_branch(void **state)
{
  (void)state;
  sim_run run = run_open(
      "{\"scree\":1,\"name\":\"balls\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"bulk_modulus\":1e9}],"
      "\"contact\":{\"friction_coefficient\":0},"
      "\"specimens\":[{\"name\":\"b\",\"material\":\"m\",\"spacing\":1e-3,\"shape\":{\"type\":\"sphere\",\"radius\":2.5e-3},\"placement\":{"
      "\"type\":\"list\",\"positions\":"
      "[[0,0,0],[1.8e-3,3.6e-3,3.6e-3]]}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1e-3},\"options\":{\"breakable\":false}}",
      1);
  pd_state *s = run_state(&run);
  const pd_host *h = s->host;
  const size_t half = s->node_count / 2;
  for (size_t i = 0; i < half; i++) h->velocity.x[i] = 1, h->velocity.y[i] = h->velocity.z[i] = 2;
  double most = 0, energy = 0;
  while ((energy = run_curve(&run, "energy.contact")) >= most) {
    most = energy;
    run_steps(&run, 1);
  }
  assert_true(most > 0);
  double f[3] = {0}, b[3] = {0}, fb = 0;
  for (int side = -1; side <= 1; side += 2) { /* momentum before and after a step, and where the middles are at its end */
    if (side > 0) run_steps(&run, 1);
    for (size_t i = 0; i < half; i++) f[0] -= side * h->velocity.x[i], f[1] -= side * h->velocity.y[i], f[2] -= side * h->velocity.z[i];
  }
  for (size_t i = 0; i < 2 * half; i++) {
    double sign = i < half ? -1 : 1;
    b[0] += sign * h->position.x[i], b[1] += sign * h->position.y[i], b[2] += sign * h->position.z[i];
  }
  for (int k = 0; k < 3; k++) fb += f[k] * b[k];
  static const char *const curves[6] = {"stress.xx", "stress.yy", "stress.zz", "stress.xy", "stress.yz", "stress.zx"};
  static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
  run_observe(&run);
  double trace = run_value(&run, curves[0]) + run_value(&run, curves[1]) + run_value(&run, curves[2]);
  for (int k = 0; k < 6; k++)
    claim_absolute("balls that meet askew: stress over its trace", run_value(&run, curves[k]) / trace,
                   0.5 * (f[row[k]] * b[column[k]] + f[column[k]] * b[row[k]]) / fb, 5e-3, "force and branch");
  run_close(&run);
}

/* Their lines of force as drawn: two from brick to brick by the contact, two to the walls; each has the wall's force, and as the largest
 * all are a fiftieth of a brick's thickness thick. */
static void test_lines_of_force_are_drawn_with_the_walls_force(void **state)
{
  (void)state;
  row_of_bricks three = {0.25, "", "4e-3,4e-3,4e-3", ",\"contact_stiffness_factor\":30,\"force_chains\":true", 3, 0, 1.2e-2, -2, 3e5};
  sim_run run = open_bricks(&three, 1);
  run_until(&run, 3e-4);
  double wall = run_curve(&run, "wall.x_max.force_x"), nodes = 0;
  picture p = take(&run);
  look(&p);
  const drawable_view *lines = drawable(&p, "force_chains");
  assert_int_equal(lines->second_count, 4);
  for (uint32_t k = 0; k < 4; k++) nodes += field(&p, "force_chains", "nodes", k, 0);
  assert_true(nodes == 10 && lines->count == 10);
  for (uint32_t k = 0; k < 10; k++) {
    claim_relative("pressed bricks: force of a line, N", field(&p, "force_chains", "force", k, 0), wall, 0.01, "the wall's");
    claim_relative("pressed bricks: radius of a line, m", field(&p, "force_chains", "radius", k, 0), 0.02 * 4e-3, 0.01,
                   "a fiftieth of the thickness");
  }
  put_away(&p);
  run_close(&run);
}

/* Bytes of a picture of the run as it is. */
static size_t frame_bytes(const sim_run *run)
{
  scr_frame *frame = NULL;
  const void *payload;
  size_t size = 0;
  assert_int_equal(frame_create(run->sim->drawables, run->sim->drawable_count, &frame, NULL), SCR_OK);
  frame_begin(frame);
  assert_int_equal(sim_draw(run->sim, frame, NULL), SCR_OK);
  assert_int_equal(frame_finish(frame, &payload, &size, NULL), SCR_OK);
  frame_destroy(frame);
  return size;
}

/* Lines of force are drawn on request only. Four lines of 3, 3, 2 and 2 nodes of 20 bytes, and how many each has, are foreseen, from above.
 * */
static void test_lines_of_force_are_drawn_on_request(void **state)
{
  (void)state;
  row_of_bricks three = {0.25, "", "4e-3,4e-3,4e-3", "", 3, 0, 1.2e-2, -2, 3e5};
  sim_run without = open_bricks(&three, 1);
  three.options = ",\"force_chains\":true";
  sim_run with = open_bricks(&three, 1);
  const scr_drawable *lines = &with.sim->drawables[with.sim->drawable_count - 1];
  assert_int_equal(with.sim->drawable_count, without.sim->drawable_count + 1);
  for (size_t d = 0; d < with.sim->drawable_count; d++)
    if (strcmp(with.sim->drawables[d].name, "force_chains") == 0) lines = &with.sim->drawables[d];
  for (size_t d = 0; d < without.sim->drawable_count; d++) assert_string_not_equal(without.sim->drawables[d].name, "force_chains");
  assert_string_equal(lines->name, "force_chains");
  assert_int_equal(lines->kind, SCR_DRAW_THREADS);
  run_until(&without, 1e-4);
  run_until(&with, 1e-4);
  assert_in_range(frame_bytes(&with) - frame_bytes(&without), 10 * 20 + 4 * 4,
                  10 * 20 + 4 * 4 + 2 * 16 + 4 * 80); /* and headers of blocks and arrays */
  assert_float_equal(scr_scene_estimate(without.scene)->frame_line_bytes, 0, 0);
  assert_true(scr_scene_estimate(with.scene)->frame_line_bytes >= 10 * 20 + 4 * 4);
  assert_true(scr_scene_estimate(with.scene)->record_bytes > scr_scene_estimate(without.scene)->record_bytes);
  run_close(&without);
  run_close(&with);
}

/* A brick of 4 x 4 x 2 nodes has edges 4 : 4 : 2; pulled apart across x it is two of 4 : 2 : 2, to rounding. Rows say so, and whose they
 * are. */
static void test_pieces_have_the_forms_of_their_blocks(void **state)
{
  (void)state;
  row_of_bricks one = {0.25, ",\"fracture_energy\":10", "4e-3,4e-3,2e-3", "", 1, 0, 2e-2, 0, 0};
  sim_run run = open_bricks(&one, 1);
  pd_state *s = run_state(&run);
  double fracture = 0;
  run_observe(&run);
  assert_float_equal(run_value(&run, "fragment_elongation"), 1, 1e-12);
  assert_float_equal(run_value(&run, "fragment_flatness"), 0.5, 1e-12);
  for (size_t i = 0; i < s->node_count; i++)
    if (s->host->position.x[i] > 2e-3) s->host->position.x[i] += 8e-3;
  s->backend->bond_forces(s);
  assert_int_equal(s->backend->break_bonds(s, &fracture, &s->broken_bonds, NULL), SCR_OK);
  run_observe(&run);
  assert_float_equal(run_value(&run, "fragments_per_grain"), 2, 0);
  assert_float_equal(run_value(&run, "fragment_elongation"), 0.5, 1e-12);
  assert_float_equal(run_value(&run, "fragment_flatness"), 1, 1e-12);
  const scr_table *pieces = &run.sim->tables[s->piece_table].table, *grains = &run.sim->tables[s->grain_table].table;
  assert_int_equal(sim_method(run.sim)->tabulate(run.sim, NULL), SCR_OK);
  assert_int_equal(pieces->row_count, 2);
  assert_int_equal(grains->row_count, 1);
  static const double edges[] = {4e-3, 2e-3, 2e-3};
  for (int k = 0; k < 2; k++) {
    const double *row = pieces->values + 7 * k;
    assert_float_equal(row[1], 0, 0);
    assert_float_equal(row[2], 16, 0);
    assert_float_equal(row[3], 16 * 1000 * 1e-9, 1e-18);
    for (int a = 0; a < 3; a++) assert_float_equal(row[4 + a], edges[a], 1e-14);
  }
  assert_float_equal(grains->values[3], 2, 0);
  run_close(&run);
}

/* Curves are sums in a fixed order, also where grains share blocks of nodes: the same bits for one thread and two. */
static void test_bits_do_not_depend_on_threads(void **state)
{
  (void)state;
  row_of_bricks nine = {0.25, "", "4e-3,4e-3,4e-3", "", 20, 0.3, 8e-2, -3, 0};
  sim_run one = open_bricks(&nine, 1), two = open_bricks(&nine, 2);
  pd_grain_stress of_one[20], of_two[20];
  run_steps(&one, 80);
  run_steps(&two, 80);
  run_observe(&one);
  run_observe(&two);
  assert_memory_equal(one.values, two.values, scr_sim_series_count(one.sim) * sizeof *one.values);
  assert_int_equal(run_state(&one)->backend->grain_stresses(run_state(&one), of_one, NULL), SCR_OK);
  assert_int_equal(run_state(&two)->backend->grain_stresses(run_state(&two), of_two, NULL), SCR_OK);
  assert_memory_equal(of_one, of_two, sizeof of_one);
  assert_true(of_one[19].stress[0] > 0);
  run_close(&one);
  run_close(&two);
}

SUITE(test_peridem_observe)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stress_is_the_gradient_of_the_energy),          cmocka_unit_test(test_stress_turns_with_the_frame),
      cmocka_unit_test(test_pressed_bricks_bear_the_walls_force),           cmocka_unit_test(test_curves_of_stress_are_force_and_branch),
      cmocka_unit_test(test_lines_of_force_are_drawn_with_the_walls_force), cmocka_unit_test(test_lines_of_force_are_drawn_on_request),
      cmocka_unit_test(test_pieces_have_the_forms_of_their_blocks),         cmocka_unit_test(test_bits_do_not_depend_on_threads),
  };
  return cmocka_run_group_tests_name("peridem observe", tests, NULL, NULL);
}
