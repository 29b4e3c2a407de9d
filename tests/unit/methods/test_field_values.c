/* Fields of drawables, as a viewer gets them in a frame, against closed forms: where bodies are and how fast, which grain and piece a point
 * belongs to, stresses of even strains, loads of what rests. */
#include "methods/bdem/step/stages.h"
#include "methods/fem/state/state.h"
#include "methods/lsdem/step/motion.h"
#include "methods/peridem/host/host.h"
#include "tests/support/picture.h"
#include "tests/support/suites.h"

static double mean(const picture *p, const char *of, const char *name, uint32_t component)
{
  double sum = 0;
  uint32_t count = drawable(p, of)->count;
  for (uint32_t k = 0; k < count; k++) sum += field(p, of, name, k, component);
  return sum / count;
}

/* Cubes of 0.2 m at (1, 2, 3) and, with two, half a metre further along x. %s: method, material, specimen, more of the specimen, step,
 * options */
static sim_run open_cubes(const char *method, const char *material, const char *specimen, int count, const char *options)
{
  char text[2400];
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"fields\",\"method\":\"%s\",\"materials\":[{\"name\":\"m\",\"density\":1000%s}],\"specimens\":[{\"name\":"
      "\"cube\","
      "\"material\":\"m\"%s,\"shape\":{\"type\":\"box\",\"size\":[0.2,0.2,0.2]},\"placement\":{\"type\":\"lattice\",\"origin\":[1,2,3],"
      "\"pitch\":[0.5,1,1],\"count\":[%d,1,1]}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1},\"options\":{%s}}",
      method, material, specimen, count, options);
  print_message("# %s\n", method);
  return run_open(text, 1);
}

#define FLIES ",\"velocity\":[0.3,-0.4,1.2]"
static const struct maker {
  const char *method, *material, *specimen, *options, *drawn;
  bool turns, grains; /* has the fields orientation; grain and fragment */
} makers[] = {
    {"peridem", ",\"bulk_modulus\":1e6", ",\"spacing\":0.05" FLIES, "\"breakable\":false", "cube", false, true},
    {"bdem", ",\"young_modulus\":1e6", ",\"spacing\":0.05" FLIES, "\"breakable\":false", "cube", false, true},
    {"fem", ",\"young_modulus\":1e6,\"poisson_ratio\":0.25", ",\"divisions\":[2,2,2]" FLIES, "\"law\":\"linear\"", "cube", false, false},
    {"lsdem", ",\"young_modulus\":1e6,\"poisson_ratio\":0.25", ",\"spacing\":0.05,\"angular_velocity\":[0,0,5]" FLIES, "", "grains", true,
     false},
    {"rigid", "", ",\"angular_velocity\":[0,0,5],\"smallest_scale\":1.5,\"largest_scale\":1.5" FLIES, "", "bodies", true, false},
};
enum { MAKERS = sizeof makers / sizeof *makers };

/* Cubes that fly at 1.3 m/s: positions, by their mean, are place + v t; speed is 1.3 m/s everywhere; those that turn have turned by w t
 * about z. Points lie evenly about the middle but for bonded spheres, whose packing is let be 0.05 m off it. 16 bits of the range of what
 * is drawn. */
static void test_flying_bodies_are_drawn_where_they_are(void **state)
{
  (void)state;
  for (int k = 0; k < MAKERS; k++) {
    const struct maker *m = &makers[k];
    sim_run r = open_cubes(m->method, m->material, m->specimen, 1, m->options);
    run_steps(&r, 30);
    double t = scr_sim_time(r.sim), off = strcmp(m->method, "bdem") == 0 ? 0.05 : 1e-4;
    picture p = take(&r);
    look(&p);
    claim_absolute("flying cube: position x, m", mean(&p, m->drawn, "position", 0), 1 + 0.3 * t, off, "place + v t");
    claim_absolute("flying cube: position y, m", mean(&p, m->drawn, "position", 1), 2 - 0.4 * t, off, "place + v t");
    claim_absolute("flying cube: position z, m", mean(&p, m->drawn, "position", 2), 3 + 1.2 * t, off, "place + v t");
    if (m->turns) {
      claim_relative("flying cube: orientation about z, rad", field(&p, m->drawn, "orientation", 0, 2), 5 * t, 2e-3, "w t");
      assert_int_equal(field(&p, m->drawn, "shape", 0, 0), 0);
    }
    claim_relative("flying cube: speed, m/s", mean(&p, m->drawn, "speed", 0), 1.3, 2e-3, "sqrt(0.09 + 0.16 + 1.44)");
    if (strcmp(m->method, "rigid") == 0) claim_relative("flying cube: scale", field(&p, m->drawn, "scale", 0, 0), 1.5, 1e-6, "as given");
    put_away(&p);
    run_close(&r);
  }
}

/* Two cubes of one specimen: the first half of the points is of grain and piece 0, the second of 1, and no bond is broken. */
static void test_points_know_their_grain_and_piece(void **state)
{
  (void)state;
  for (int k = 0; k < MAKERS; k++) {
    if (!makers[k].grains) continue;
    sim_run r = open_cubes(makers[k].method, makers[k].material, makers[k].specimen, 2, makers[k].options);
    picture p = take(&r);
    look(&p);
    uint32_t n = drawable(&p, "cube")->count;
    double first = field(&p, "cube", "fragment", 0, 0), second = field(&p, "cube", "fragment", n - 1, 0);
    assert_true(first != second);
    for (uint32_t i = 0; i < n; i++) {
      assert_true(field(&p, "cube", "grain", i, 0) == (i >= n / 2));
      assert_true(field(&p, "cube", "fragment", i, 0) == (i < n / 2 ? first : second));
      assert_true(field(&p, "cube", "damage", i, 0) == 0);
    }
    put_away(&p);
    run_close(&r);
  }
}

/* Eight nodes of which each is bonded to the seven others; one flies off by far more than bonds bear, in one step. It has lost all of its
 * bonds, each other node one of seven. Nodes have one volume. */
static void test_nodes_show_the_share_of_their_bonds_that_broke(void **state)
{
  (void)state;
  sim_run r = open_cubes("peridem", ",\"bulk_modulus\":1e6,\"fracture_energy\":1e-3", ",\"spacing\":0.1", 1, "\"breakable\":true");
  pd_state *s = r.sim->state;
  assert_int_equal(s->node_count, 8);
  s->host->velocity.x[0] = -100;
  run_steps(&r, 1);
  picture p = take(&r);
  look(&p);
  for (uint32_t k = 0; k < 8; k++)
    claim_absolute("node, one torn away: damage", field(&p, "cube", "damage", k, 0), k == 0 ? 1 : 1.0 / 7, 1e-4, "broken bonds over all");
  put_away(&p);
  run_close(&r);
}

/* A cube of 12 x 12 x 12 nodes evenly compressed by 1e-4 along each axis, and one evenly sheared: a node in the middle shows the pressure 3
 * k e, and the von Mises stress sqrt(3) G gamma, G = 3 k / 5. 15 % and 25 %: sums over a lattice for the integrals over the horizon, which
 * are stiffest in shear along the axes. */
static void test_nodes_show_the_stress_of_even_strains(void **state)
{
  (void)state;
  for (int sheared = 0; sheared < 2; sheared++) {
    sim_run r = open_cubes("peridem", ",\"bulk_modulus\":1e6", ",\"spacing\":0.0166666666666667", 1, "\"breakable\":false");
    pd_state *s = r.sim->state;
    assert_int_equal(s->node_count, 1728);
    uint32_t middle = 0;
    double least = INFINITY;
    for (size_t i = 0; i < s->node_count; i++) {
      pd_host *h = s->host;
      double x = h->reference.x[i] - 1, y = h->reference.y[i] - 2, z = h->reference.z[i] - 3;
      if (sheared) {
        h->position.x[i] = h->reference.x[i] + 1e-4 * y;
      } else {
        h->position.x[i] = h->reference.x[i] - 1e-4 * x;
        h->position.y[i] = h->reference.y[i] - 1e-4 * y;
        h->position.z[i] = h->reference.z[i] - 1e-4 * z;
      }
      if (x * x + y * y + z * z < least) least = x * x + y * y + z * z, middle = (uint32_t)i;
    }
    picture p = take(&r);
    look(&p);
    if (sheared) {
      claim_relative("evenly sheared cube: von_mises, Pa", field(&p, "cube", "von_mises", middle, 0), sqrt(3) * 6e5 * 1e-4, 0.25,
                     "sqrt(3) G gamma");
      claim_absolute("evenly sheared cube: pressure, Pa", field(&p, "cube", "pressure", middle, 0), 0, 1, "there is none");
    } else {
      claim_relative("evenly compressed cube: pressure, Pa", field(&p, "cube", "pressure", middle, 0), 3e-4 * 1e6, 0.15, "3 k e");
      claim_absolute("evenly compressed cube: von_mises, Pa", field(&p, "cube", "von_mises", middle, 0), 0, 3, "there is none");
    }
    put_away(&p);
    run_close(&r);
  }
}

/* A cube stretched evenly by 1e-3 along x, with Poisson's contraction: von Mises and principal stress are E e at every node and Gauss
 * point, and the displacement of a node is the strain times its place. Exact for linear elements; 16 bits of the range, which is that of
 * one value. */
static void test_elements_show_the_stress_of_an_even_stretch(void **state)
{
  (void)state;
  sim_run r = open_cubes("fem", ",\"young_modulus\":1e6,\"poisson_ratio\":0.25", ",\"divisions\":[2,2,2]", 1, "\"law\":\"linear\"");
  fem_state *s = r.sim->state;
  double farthest = 0;
  for (size_t n = 0; n < s->system.node_count; n++) {
    const double *rest = s->system.rest + 3 * n;
    double *u = s->motion.displacement + 3 * n;
    u[0] = 1e-3 * (rest[0] - 1), u[1] = -0.25e-3 * (rest[1] - 2), u[2] = -0.25e-3 * (rest[2] - 3);
    farthest = fmax(farthest, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
  }
  assert_int_equal(fem_solver_refresh(&s->solver, NULL), SCR_OK);
  claim_relative("stretched cube: energy.elastic, J", run_curve(&r, "energy.elastic"), 0.5 * 1e6 * 1e-6 * 8e-3, 1e-9,
                 "E e^2 / 2 of its volume");
  claim_relative("stretched cube: largest_stress, Pa", run_curve(&r, "largest_stress"), 1000, 1e-9, "E e");
  claim_relative("stretched cube: largest_displacement, m", run_value(&r, "largest_displacement"), farthest, 1e-9, "at a corner");
  claim_relative("stretched cube: displacement of a corner, m", farthest, 1e-4 * sqrt(1 + 2 * 0.0625), 1e-9, "e times half the edge");
  picture p = take(&r);
  look(&p);
  uint32_t count = drawable(&p, "cube")->count;
  double most = 0;
  for (uint32_t v = 0; v < count; v++) {
    assert_float_equal(field(&p, "cube", "mises_stress", v, 0) / 1000, 1, 1e-3);
    assert_float_equal(field(&p, "cube", "principal", v, 0) / 1000, 1, 1e-3);
    most = fmax(most, field(&p, "cube", "displacement", v, 0));
  }
  claim_relative("stretched cube: largest displacement drawn, m", most, farthest, 1e-4, "as the curve");
  put_away(&p);
  run_close(&r);
}

/* The cube evenly sheared by 1e-3 in one plane after the other: von Mises stress sqrt(3) G gamma, principal stress G gamma. And with one
 * corner of its only element pulled out: by symmetry the largest stress is the same for all eight. */
static void test_elements_show_shear_in_every_plane_and_corner(void **state)
{
  (void)state;
  const double G = 1e6 / 2.5;
  for (size_t plane = 0; plane < 3; plane++) {
    sim_run r = open_cubes("fem", ",\"young_modulus\":1e6,\"poisson_ratio\":0.25", ",\"divisions\":[2,2,2]", 1, "\"law\":\"linear\"");
    fem_state *s = r.sim->state;
    for (size_t n = 0; n < s->system.node_count; n++)
      s->motion.displacement[3 * n + plane] = 1e-3 * s->system.rest[3 * n + (plane + 1) % 3];
    claim_relative("sheared cube: largest_stress, Pa", run_curve(&r, "largest_stress"), sqrt(3) * G * 1e-3, 1e-9, "sqrt(3) G gamma");
    picture p = take(&r);
    look(&p);
    claim_relative("sheared cube: mises_stress, Pa", field(&p, "cube", "mises_stress", 0, 0), sqrt(3) * G * 1e-3, 1e-3, "sqrt(3) G gamma");
    claim_relative("sheared cube: principal, Pa", field(&p, "cube", "principal", 0, 0), G * 1e-3, 1e-3, "G gamma");
    put_away(&p);
    run_close(&r);
  }
  double first = 0;
  for (int corner = 0; corner < 8; corner++) {
    sim_run r = open_cubes("fem", ",\"young_modulus\":1e6,\"poisson_ratio\":0.25", ",\"divisions\":[1,1,1]", 1,
                           "\"law\":\"linear\",\"element\":\"plain\"");
    fem_state *s = r.sim->state;
    for (size_t n = 0; n < 8; n++) {
      const double *x = s->system.rest + 3 * n;
      if ((x[0] > 1) != (corner & 1) || (x[1] > 2) != (corner >> 1 & 1) || (x[2] > 3) != (corner >> 2)) continue;
      for (int a = 0; a < 3; a++) s->motion.displacement[3 * n + (size_t)a] = corner >> a & 1 ? 1e-4 : -1e-4;
    }
    double stress = run_curve(&r, "largest_stress");
    if (corner == 0) first = stress;
    assert_true(stress > 0);
    claim_relative("cube with a corner pulled out: largest_stress, Pa", stress, first, 1e-9, "as of the first corner");
    run_close(&r);
  }
}

/* Two spheres at a time: one bond of a sphere is stretched by moving the sphere along it; the larger tension of its bonds is E_bond d / l.
 * One of its bonds counted as broken is 1 / degree of damage. */
static void test_spheres_show_their_bonds(void **state)
{
  (void)state;
  sim_run r = open_cubes("bdem", ",\"young_modulus\":1e6", ",\"spacing\":0.05", 1, "\"breakable\":false,\"constants_of\":\"bonds\"");
  bdem_state *s = r.sim->state;
  const bdem_bond *bond = &s->body.bonds[0];
  uint32_t i = s->body.ends[0][0], j = s->body.ends[0][1];
  scr_vec3 d0 = vec3(bond->direction[0], bond->direction[1], bond->direction[2]);
  for (size_t k = 0; k < s->body.sphere_count;
       k++) /* all beyond the plane across the bond's middle move away: every bond that crosses it is stretched */
    if (vec3_dot(vec3_sub(s->body.position[k], vec3_scale(vec3_add(s->body.position[i], s->body.position[j]), 0.5)), d0) > 0)
      s->body.position[k] = vec3_add(s->body.position[k], vec3_scale(d0, 1e-5));
  s->fracture.live[j]--;
  picture p = take(&r);
  look(&p);
  claim_relative("spheres pulled apart: stress of an end, Pa", field(&p, "cube", "stress", i, 0), 1e6 * 1e-5 / bond->length, 0.01,
                 "E d / l of the bond along the pull");
  claim_relative("spheres pulled apart: stress of the other, Pa", field(&p, "cube", "stress", j, 0), 1e6 * 1e-5 / bond->length, 0.01,
                 "E d / l of the bond along the pull");
  claim_relative("sphere that lost a bond: damage", field(&p, "cube", "damage", j, 0), 1.0 / s->model.degree[j], 1e-3, "one of its bonds");
  put_away(&p);
  run_close(&r);
}

/* A cube at rest on a floor: what contacts press it by is its weight, and so is the sum over the contacts drawn, which have no gap. Without
 * friction, by which corners could spread each other. */
static void test_bodies_show_their_loads(void **state)
{
  (void)state;
  sim_run r =
      run_open("{\"scree\":1,\"name\":\"load\",\"method\":\"rigid\",\"materials\":[{\"name\":\"m\",\"density\":1000}],\"contact\":{"
               "\"friction_coefficient\":0},"
               "\"specimens\":[{\"name\":\"cube\",\"material\":\"m\",\"shape\":{\"type\":\"box\",\"size\":[0.2,0.2,0.2]},\"placement\":{"
               "\"type\":\"single\","
               "\"position\":[0,0,0.1]}}],\"rig\":{\"type\":\"box\",\"minimum\":[-1,-1,0],\"maximum\":[1,1,1],\"gravity\":[0,0,-9.81]},"
               "\"time\":{\"duration\":1,\"time_step\":1e-3},\"options\":{\"tolerance\":1e-9,\"force_chains\":true}}",
               1);
  run_steps(&r, 10);
  picture p = take(&r);
  look(&p);
  claim_relative("cube on a floor: load, N", field(&p, "bodies", "load", 0, 0), 8 * 9.81, 1e-5, "its weight");
  double sum = 0, chains = 0;
  for (uint32_t k = 0; k < drawable(&p, "contacts")->count; k++) {
    sum += field(&p, "contacts", "force", k, 0);
    assert_float_equal(field(&p, "contacts", "gap", k, 0), 0, 1e-6);
    assert_float_equal(field(&p, "contacts", "position", k, 2), 0, 1e-6);
  }
  claim_relative("cube on a floor: force of all contacts drawn, N", sum, 8 * 9.81, 1e-5, "its weight");
  uint32_t lines = drawable(&p, "force_chains")->second_count;
  assert_int_equal(lines, 4);
  for (uint32_t k = 0; k < lines; k++) {
    assert_int_equal(field(&p, "force_chains", "nodes", k, 0), 2);
    chains += field(&p, "force_chains", "force", 2 * k, 0);
  }
  claim_relative("cube on a floor: force of all chains, N", chains, 8 * 9.81, 1e-5, "its weight");
  put_away(&p);
  run_close(&r);
}

/* Two glued balls of one mode that touch a third: pieces, contacts of each, amplitudes as they are, and the pressure k_n times the deepest
 * overlap. */
static void test_grains_show_contacts_pieces_and_modes(void **state)
{
  (void)state;
  sim_run r = run_open(
      "{\"scree\":1,\"name\":\"grains\",\"method\":\"lsdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e6,"
      "\"poisson_ratio\":0.25},"
      "{\"name\":\"n\",\"density\":1000,\"young_modulus\":1e6,\"poisson_ratio\":0.25}],\"contact\":{\"contact_stiffness\":1e6,"
      "\"pairs\":[{\"between\":[\"m\",\"m\"],\"contact_stiffness\":1e6,\"bond_stiffness\":1e5,\"bond_reach\":0.05}]},\"specimens\":["
      "{\"name\":\"glued\",\"material\":\"m\",\"spacing\":0.2,\"modes\":\"isotropic\",\"shape\":{\"type\":\"box\",\"size\":[1,1,1]},"
      "\"placement\":{\"type\":\"list\","
      "\"positions\":[[0,0,0],[1.01,0,0]]}},{\"name\":\"other\",\"material\":\"n\",\"spacing\":0.2,\"shape\":{\"type\":\"box\",\"size\":[1,"
      "1,1]},"
      "\"placement\":{\"type\":\"list\",\"positions\":[[0,0,0.98]]}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1}}",
      1);
  lsdem_state *s = r.sim->state;
  s->amplitude[0] = 1e-3, s->amplitude[1] = -2e-3;
  picture p = take(&r);
  look(&p);
  assert_true(field(&p, "grains", "fragment", 0, 0) == field(&p, "grains", "fragment", 1, 0));
  assert_true(field(&p, "grains", "fragment", 0, 0) != field(&p, "grains", "fragment", 2, 0));
  assert_int_equal(field(&p, "grains", "contacts", 0, 0), 1);
  assert_int_equal(field(&p, "grains", "contacts", 1, 0), 0);
  assert_int_equal(field(&p, "grains", "contacts", 2, 0), 1);
  claim_relative("glued boxes: amplitude of the first", field(&p, "grains", "amplitudes", 0, 0), 1e-3, 1e-6, "as set");
  claim_relative("glued boxes: amplitude of the second", field(&p, "grains", "amplitudes", 1, 0), -2e-3, 1e-6, "as set");
  claim_relative("box 0.02 m deep in another: pressure, Pa", field(&p, "grains", "pressure", 2, 0), 1e6 * 0.02, 0.02,
                 "k_n times the overlap");
  put_away(&p);
  run_close(&r);
}

SUITE(test_field_values)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flying_bodies_are_drawn_where_they_are),
      cmocka_unit_test(test_points_know_their_grain_and_piece),
      cmocka_unit_test(test_nodes_show_the_share_of_their_bonds_that_broke),
      cmocka_unit_test(test_nodes_show_the_stress_of_even_strains),
      cmocka_unit_test(test_elements_show_the_stress_of_an_even_stretch),
      cmocka_unit_test(test_elements_show_shear_in_every_plane_and_corner),
      cmocka_unit_test(test_spheres_show_their_bonds),
      cmocka_unit_test(test_bodies_show_their_loads),
      cmocka_unit_test(test_grains_show_contacts_pieces_and_modes),
  };
  return cmocka_run_group_tests_name("field values", tests, NULL, NULL);
}
