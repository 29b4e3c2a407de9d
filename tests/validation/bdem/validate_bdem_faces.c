/* Bdem's contact_surface "faces": the rig measures the specimen, from the first touch on, and not the contact. */
#include <stdlib.h>

#include "methods/bdem/contact/touch_face.h"
#include "methods/bdem/body/curved_areas.h"
#include "methods/bdem/contact/press.h"
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

/* A body of 20 mm, E = 100 MPa, of spheres of 20 mm / `across`. */
static bdem_run open_body(const char *shape, double across, const char *rig, const char *rest, const char *options)
{
  char text[2048];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"faces\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8}],"
           "\"contact\":{\"friction_coefficient\":0,\"damping_ratio\":0},"
           "\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"spacing\":%.17g,\"shape\":%s%s}],\"rig\":%s,\"time\":{\"duration\":3.2e-3},"
           "\"options\":{\"contact_surface\":\"faces\"%s}}",
           0.02 / across, shape, rest, rig, options);
  return run_open(text, 1);
}

#define CUBE "{\"type\":\"box\",\"size\":[0.02,0.02,0.02]}"
#define ROD "{\"type\":\"cylinder\",\"radius\":0.01,\"length\":0.02}"
#define PLATENS(opening, velocity)                                                                                                         \
  "{\"type\":\"platens\",\"opening\":" opening ",\"program\":[{\"type\":\"constant\",\"velocity\":" velocity "}]}"
#define SLOW ",\"local_damping\":0.7"
static const double cube_face = 4e-4, rod_face = 3.14159265358979323846 * 1e-4, modulus = 1e8, length = 0.02;

/* Secant slopes over E A / L at strains of 0.2 and 0.8 %, by the mean of both platens. */
static void press(const char *shape, double face, double across, const char *rest, double slope[2])
{
  static const double strain[2] = {0.002, 0.008};
  bdem_run c = open_body(shape, across, PLATENS("0.02", "-0.1"), rest, SLOW);
  for (int k = 0; k < 2; ++k) {
    run_until(&c, strain[k] * length / 0.1);
    run_observe(&c);
    double force = 0.5 * (fabs(run_value(&c, "platen.top.force_z")) + fabs(run_value(&c, "platen.bottom.force_z")));
    slope[k] = force / (modulus * face / length * fabs(run_value(&c, "platen.top.displacement")));
  }
  run_close(&c);
}

/* Reference: E A / L of a prism between smooth platens. Where spheres meet the rig, all these have a slope of 0: the outermost ones of the
 * close packing end up to 0.6 radii inside of the faces. Tolerance 3 %: a cylinder's staircase of spheres stands for its round section by
 * its volume. No travel is dead: a quarter of the strain has the same secant, but for what the section grows and what platens at 1/3000 of
 * the speed of sound excite; 0.5 % of the stroke, dead, would be 1.5 %. */
static void test_platens_measure_the_specimen(void **state)
{
  (void)state;
  static const struct {
    const char *name, *shape, *rest;
    double face, across;
  } cases[] = {
      {"cube, 8 across", CUBE, "", 4e-4, 8},
      {"cube, 10 across", CUBE, "", 4e-4, 10},
      {"cube, 12 across", CUBE, "", 4e-4, 12},
      {"cube, 9.37 across", CUBE, "", 4e-4, 9.37},
      {"cube on its side, 8 across", CUBE, ",\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":90}", 4e-4, 8},
      {"cube of body-centred packing, 12 across", CUBE, ",\"packing\":\"body_centred\"", 4e-4, 12},
      {"cylinder of body-centred packing, 10 across", ROD, ",\"packing\":\"body_centred\"", 0, 10},
      {"cylinder, 9 across", ROD, "", 0, 9},
      {"cylinder, 10 across", ROD, "", 0, 10},
      {"cylinder, 12 across", ROD, "", 0, 12},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    char text[120];
    double slope[2];
    press(cases[k].shape, cases[k].face > 0 ? cube_face : rod_face, cases[k].across, cases[k].rest, slope);
    snprintf(text, sizeof text, "%s, between platens: slope over E A / L", cases[k].name);
    claim_relative(text, slope[1], 1, 0.03, "E A / L");
    snprintf(text, sizeof text, "%s: secant at a quarter of the strain over the last", cases[k].name);
    claim_relative(text, slope[0] / slope[1], 1, 0.015, "no dead travel");
  }
}

/* Bodies that touch the rig at the start, also by curved faces and by edges: no force, no energy. */
static void test_bodies_that_touch_by_their_faces_start_without_a_force(void **state)
{
  (void)state;
  static const char *const shapes[] = {CUBE, ROD, "{\"type\":\"sphere\",\"radius\":0.01}",
                                       "{\"type\":\"hollow_sphere\",\"radius\":0.01,\"inner_radius\":0.005}"};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k) {
    bdem_run c = open_body(shapes[k], 10, PLATENS("0.02", "-1e-9"), "", "");
    run_observe(&c);
    assert_true(run_value(&c, "energy.wall") == 0);
    run_steps(&c, 20);
    run_observe(&c);
    claim_absolute("touching by faces: energy in contacts after 20 steps, J", run_value(&c, "energy.wall"), 0, 1e-12, "a specimen at rest");
    run_close(&c);
  }
}

/* A cube that falls on a platen on an edge, turns and leaves: energy balances, as every contact has a potential and a new face presses
 * nothing. */
static void test_an_impact_keeps_its_energy(void **state)
{
  (void)state;
  bdem_run c =
      open_body(CUBE, 8, PLATENS("0.06", "0"),
                ",\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":34.4},\"placement\":{\"type\":\"single\",\"position\":[0,0,-0.0155]},"
                "\"velocity\":[0,0,-3]",
                "");
  double least = INFINITY, start = 0, pressed = 0;
  run_observe(&c);
  start = run_value(&c, "energy.kinetic");
  for (int k = 1; k <= 40; k++) {
    run_until(&c, 5e-5 * k);
    run_observe(&c);
    least = fmin(least, run_value(&c, "energy.kinetic"));
    pressed = fmax(pressed, run_value(&c, "energy.wall"));
  }
  assert_true(least < 0.7 * start && pressed > 0.05 * start);
  assert_true(run_value(&c, "energy.wall") == 0); /* it has left */
  claim_absolute("cube that falls on its edge: energy balance", run_value(&c, "energy.balance_error"), 0, 2e-3, "the error of leapfrog");
  run_close(&c);
}

/* A cube that falls on an edge and slides on: interrupted or not, the same bits. */
static void test_an_interruption_keeps_the_bits(void **state)
{
  (void)state;
  scr_blob blob = {0};
  bdem_run run[2];
  for (int k = 0; k < 2; ++k)
    run[k] = open_body(CUBE, 8, PLATENS("0.06", "0"),
                       ",\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":34.4},\"placement\":{\"type\":\"single\",\"position\":[0,0,-0.0158]},"
                       "\"velocity\":[0.5,0,-3]",
                       "");
  run_until(&run[0], 2e-4);
  run_observe(&run[0]);
  assert_true(run_value(&run[0], "energy.wall") > 0);
  assert_int_equal(sim_save(run[0].sim, &blob, NULL), SCR_OK);
  assert_int_equal(sim_load(run[1].sim, &blob, NULL), SCR_OK);
  scr_blob_destroy(&blob);
  for (int k = 0; k < 2; ++k) run_steps(&run[k], 200);
  assert_same_state(run[0].sim, run[1].sim);
  for (int k = 0; k < 2; ++k) run_close(&run[k]);
}

/* Bodies between platens that close at 0.3 m/s to a strain of 0.4 %, undamped. `time_step` 0: chosen. */
static bdem_run open_pressed(const char *shape, double across, double friction, double time_step)
{
  char text[2048], step[64] = "";
  if (time_step > 0) snprintf(step, sizeof step, ",\"time_step\":%.17g", time_step);
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"pressed\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8}],"
           "\"contact\":{\"friction_coefficient\":%g,\"damping_ratio\":0},"
           "\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"spacing\":%.17g,\"shape\":%s}],"
           "\"rig\":{\"type\":\"platens\",\"opening\":0.02,\"program\":[{\"type\":\"move\",\"displacement\":-8e-5,\"velocity\":-0.3}]},"
           "\"time\":{\"duration\":1e-2%s},\"options\":{\"allow_unstable_step\":true}}",
           friction, 0.02 / across, shape, step);
  return run_open(text, 1);
}

/* Distance of spheres along the axis along which the lattice is stretched most to end at the faces, over that of touching ones: 20 mm over
 * whole rows and layers of a close packing; a ball's lattice is regular. */
static double longest(size_t shape, double across)
{
  const double pitch[3] = {1, sqrt(3.0) / 2, sqrt(2.0 / 3.0)};
  double most = 1;
  for (int a = shape == 0 ? 0 : 2; a < 3 && shape < 2; ++a) {
    double layers = across / pitch[a];
    most = fmax(most, layers / floor(layers + 1e-6));
  }
  return most;
}

/* Springs of flat faces shorten no step: pressed bodies, smooth and rough, keep their energy at the very bound of their bonds (2/omega of
 * the fastest wave in the close packing), and the step that is chosen is at most 3 % shorter than that by spheres, which with friction lose
 * 6 % to debris. Below curved faces the points of a face sink into the platen as its sphere rolls, and friction's spring acts on the same
 * roll: the bound is up to a quarter shorter (a ball of 9.37 across loses energy from 1.05 times it on), and bodies keep their energy at
 * it.
 */
static void test_pressed_faces_are_stable_at_the_bound_of_bonds(void **state)
{
  (void)state;
  static const char *const shapes[] = {CUBE, ROD, "{\"type\":\"sphere\",\"radius\":0.01}"};
  static const double across[] = {8, 9.37}, friction[] = {0, 0.3}, debris[] = {1, 0.9369};
  for (size_t k = 0; k < 6; ++k)
    for (size_t f = 0; f < 2; ++f) {
      char text[160];
      bdem_run c = open_pressed(shapes[k / 2], across[k % 2], friction[f], 0);
      const bdem_substance *s = run_state(&c)->model.substances;
      double stiffness = 0.5 * 3.14159265358979323846 * s->radius * s->young_modulus,
             spheres = 2 / sqrt((20 / 1.3 + 2.5) * stiffness / s->mass), bound = spheres / sqrt(longest(k / 2, across[k % 2]));
      snprintf(text, sizeof text, "shape %zu, %g across, mu %g: stable step over that by spheres", k / 2, across[k % 2], friction[f]);
      bool curved = k >= 2, rolls = k >= 4 && f == 1; /* a ball of these shares of its surface, with friction: not as long as by spheres */
      claim_between(text, run_state(&c)->model.stable_step / fmin(debris[f] * spheres, bound), curved ? 0.75 : 0.97, rolls ? 0.95 : 1.001,
                    curved ? "at most a quarter shorter" : "at most 3 % shorter");
      if (curved) bound = run_state(&c)->model.stable_step;
      run_close(&c);
      c = open_pressed(shapes[k / 2], across[k % 2], friction[f], bound);
      run_steps(&c, 800);
      snprintf(text, sizeof text, "shape %zu, %g across, mu %g: energy balance in steps of the bound", k / 2, across[k % 2], friction[f]);
      claim_absolute(text, run_curve(&c, "energy.balance_error"), 0, 5e-3, "a stable step");
      assert_true(k >= 4 || run_value(&c, "energy.wall") > 0);
      run_close(&c);
    }
}

/* Six layers of nine balls, out of place by up to a twentieth of their diameter, fall into a box without friction or damping and roll on
 * each other, so that faces of their spheres look away from each other and come back. A contact that changes its kind there begins where
 * it is. (Where it began at the spheres' surfaces, forces came from nowhere: 14 % of all energy in these 60 ms.) */
static void test_balls_that_roll_on_each_other_give_no_energy_back(void **state)
{
  (void)state;
  static char text[8192];
  int written = 0;
  uint32_t drawn = 7;
  for (int k = 0; k < 54; ++k) {
    double at[3];
    for (int a = 0; a < 3; ++a) {
      drawn = drawn * 1664525u + 1013904223u;
      at[a] = 0.0112 * (a == 0 ? k % 3 - 1 : a == 1 ? k / 3 % 3 - 1 : k / 9 + 0.5) + 1e-3 * ((double)drawn / 4294967296.0 - 0.5);
    }
    written += snprintf(text + written, sizeof text - (size_t)written, "%s[%.9g,%.9g,%.9g]", k ? "," : "", at[0], at[1], at[2]);
  }
  static char scene[10240];
  snprintf(
      scene, sizeof scene,
      "{\"scree\":1,\"name\":\"balls\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e6}],"
      "\"contact\":{\"friction_coefficient\":0,\"damping_ratio\":0},\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"spacing\":0.0025,"
      "\"shape\":{\"type\":\"sphere\",\"radius\":0.005},\"placement\":{\"type\":\"list\",\"positions\":[%s]}}],"
      "\"rig\":{\"type\":\"box\",\"minimum\":[-0.017,-0.017,0],\"maximum\":[0.017,0.017,0.08],\"gravity\":[0,0,-9.81]},"
      "\"time\":{\"duration\":0.06}}",
      text);
  bdem_run c = run_open(scene, 1);
  run_until(&c, 0.06);
  claim_absolute("balls that roll on each other: energy balance", run_curve(&c, "energy.balance_error"), 0, 0.01,
                 "all contacts are potentials");
  run_close(&c);
}

/* A cube and a rod fly into each other and shatter, without friction or damping. A sphere that has lost all its bonds has no faces; it lies
 * nearer to its neighbour of the other body than their surfaces, since faces lie inside of these, and begins to push where it is. (Where it
 * began at the spheres' surfaces, this run had 4.4 times the energy that was put in.) */
static void test_bodies_that_shatter_on_each_other_give_no_energy_back(void **state)
{
  (void)state;
  bdem_run c = run_open("{\"scree\":1,\"name\":\"shatter\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":3000,\"young_"
                        "modulus\":4e5,\"poisson_ratio\":0.25,"
                        "\"tensile_strength\":600,\"shear_strength\":600}],\"contact\":{\"friction_coefficient\":0,\"damping_ratio\":0},"
                        "\"specimens\":[{\"name\":\"left\","
                        "\"material\":\"m\",\"spacing\":1.8e-4,\"shape\":{\"type\":\"box\",\"size\":[0.00105,0.00105,0.00105]},"
                        "\"placement\":{\"type\":\"single\",\"position\":"
                        "[-0.00055,0,2e-5]},\"velocity\":[0.058,0,0]},{\"name\":\"right\",\"material\":\"m\",\"spacing\":1.7e-4,\"shape\":{"
                        "\"type\":\"cylinder\",\"radius\":5.2e-4,"
                        "\"length\":0.00105},\"placement\":{\"type\":\"single\",\"position\":[0.00055,0,-1e-4]},\"velocity\":[-0.058,0,0]}]"
                        ",\"rig\":{\"type\":\"none\"},"
                        "\"time\":{\"duration\":0.003}}",
                        1);
  run_until(&c, 0.003);
  assert_true(run_curve(&c, "broken_bonds") > 500);
  claim_absolute("bodies that shatter on each other: energy balance", run_curve(&c, "energy.balance_error"), 0, 0.01,
                 "all contacts are potentials");
  run_close(&c);
}

/* A bar whirls past a block, in steps of 140 T and bursts: as it turns, faces of the two that lie back to back look at each other by their
 * normals. (Where they pressed as if they had gone all through, this run had 8 times the energy that was put in.) */
static void test_faces_back_to_back_give_no_energy(void **state)
{
  (void)state;
  bdem_run c = run_open("{\"scree\":1,\"name\":\"whirl\",\"method\":\"bdem\",\"materials\":[{\"name\":\"a\",\"density\":1428.6,\"young_"
                        "modulus\":147764060,\"poisson_ratio\":0.25},"
                        "{\"name\":\"b\",\"density\":3257.926,\"young_modulus\":5839203990,\"poisson_ratio\":0.25}],\"contact\":{"
                        "\"friction_coefficient\":1.2514730215,"
                        "\"damping_ratio\":0.60341},\"specimens\":[{\"name\":\"bar\",\"material\":\"a\",\"spacing\":3.6299859944e-4,"
                        "\"shape\":{\"type\":\"box\",\"size\":"
                        "[0.00605339740746,0.00191781986894,0.00191781986894]},\"angular_velocity\":[0,0,12716.14231]},{\"name\":\"block\","
                        "\"material\":\"b\",\"spacing\":6.462829563e-4,"
                        "\"shape\":{\"type\":\"box\",\"size\":[0.00302669870373,0.00302669870373,0.00302669870373]},\"placement\":{"
                        "\"type\":\"single\",\"position\":"
                        "[0.00211868909261,0.0037618739702,0]}}],\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":6e-5},\"options\":{"
                        "\"integrator\":\"variational\","
                        "\"step_ratio\":140.5453,\"contact_stiffness_factor\":2.34833,\"breakable\":false}}",
                        1);
  run_until(&c, 6e-5);
  assert_true(run_curve(&c, "energy.damping") > 0.0);
  claim_absolute("faces back to back: energy balance", run_curve(&c, "energy.balance_error"), 0, 0.01, "all contacts are potentials");
  run_close(&c);
}

/* Two cubes that were listed apart, their faces looking away, and are in each other by more than their outer layers: what is chosen there
 * begins where it is, without a force. */
static void test_faces_chosen_in_each_other_begin_without_a_force(void **state)
{
  (void)state;
  bdem_run c = run_open("{\"scree\":1,\"name\":\"cubes\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_"
                        "modulus\":1e6}],\"specimens\":[{\"name\":\"a\","
                        "\"material\":\"m\",\"spacing\":0.003,\"shape\":{\"type\":\"box\",\"size\":[0.012,0.012,0.012]},\"placement\":{"
                        "\"type\":\"list\",\"positions\":[[0,0,0],[0.014,0,0]]}}],"
                        "\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":0.001}}",
                        1);
  bdem_state *s = run_state(&c);
  size_t half = s->body.sphere_count / 2, faces = 0;
  double energy = 0.0, behind = 0.0;
  for (size_t i = half; i < 2 * half; ++i) s->body.orientation[i] = quat_exp(vec3(0, 0, 3.14159265358979323846));
  assert_int_equal(bdem_contact_list(&s->listing, 0.02, false, NULL), SCR_OK);
  for (size_t i = half; i < 2 * half; ++i) {
    s->body.orientation[i] = quat_identity();
    s->body.position[i].x -= 0.0055;
  }
  size_t listed = s->contacts.pair_count, at = 0;
  bdem_pair *old = malloc(listed * sizeof *old);
  bdem_press press;
  assert_non_null(old);
  memcpy(old, s->contacts.pairs, listed * sizeof *old);
  assert_int_equal(bdem_contact_list(&s->listing, 0.02, false, NULL), SCR_OK);
  for (size_t k = 0; k < s->contacts.pair_count; ++k) {
    const bdem_pair *pair = &s->contacts.pairs[k];
    while (at < listed && (old[at].i < pair->i || (old[at].i == pair->i && old[at].j < pair->j))) ++at;
    bool known = at < listed && old[at].i == pair->i && old[at].j == pair->j && bdem_pair_press(&old[at], &s->body, &press);
    if (pair->i < half && pair->j >= half) behind = fmin(behind, s->body.position[pair->j].x - s->body.position[pair->i].x);
    if (!pair->face_i || known) continue; /* what pressed by faces chosen before goes on */
    ++faces;
    if (bdem_pair_press(pair, &s->body, &press)) energy += press.energy;
  }
  free(old);
  assert_true(faces > 0 && behind < -0.0005); /* some lie behind others */
  claim_absolute("faces chosen in each other: energy, J", energy, 0, 1e-30, "a contact begins where it is");
  run_close(&c);
}

/* The faces themselves: every centre moved by its depth along the normal lies on the shape's face, and the areas of a face add up to it. */
static void test_areas_of_a_face_add_up(void **state)
{
  (void)state;
  static const char *const shapes[] = {CUBE, ROD,
                                       "{\"type\":\"notched_box\",\"size\":[0.02,0.02,0.02],\"notch_width\":0.004,\"notch_depth\":0.006}"};
  for (size_t k = 0; k < 3; ++k) {
    bdem_run c = open_body(shapes[k], 9.37, PLATENS("0.02", "0"), "", "");
    const bdem_state *s = run_state(&c);
    const bdem_faces *faces = &s->model.faces[0];
    double top = 0, bottom = 0, side = 0;
    for (size_t i = 0; i < s->body.sphere_count; ++i)
      for (size_t f = faces->first[i]; f < faces->first[i + 1]; ++f) {
        const bdem_face *face = &faces->face[f];
        scr_vec3 at = vec3_add(s->body.position[i], vec3_scale(face->normal, face->depth));
        if (face->normal.z > 0.9) assert_true(fabs(at.z - 0.01) < 1e-12);
        if (k == 1 && fabs(face->normal.z) < 0.5) assert_true(fabs(hypot(at.x, at.y) - 0.01) < 1e-12);
        top += face->normal.z > 0.9 ? face->area : 0;
        bottom += face->normal.z < -0.9 && at.z < -0.0099 ? face->area : 0;
        side += face->normal.y > 0.9 ? face->area : 0;
      }
    claim_relative("faces: area of the top", top, k == 1 ? rod_face : cube_face, 1e-12, "the shape's");
    claim_relative("faces: area of the bottom", bottom,
                   k == 1   ? rod_face
                   : k == 2 ? cube_face - 0.004 * 0.02
                            : cube_face,
                   1e-12, "the shape's");
    if (k != 1) claim_relative("faces: area of a side", side, k == 2 ? cube_face - 0.004 * 0.006 : cube_face, 1e-12, "the shape's");
    run_close(&c);
  }
}

/* Curved faces are shared by what is nearest: the shares of points on a circle or about a ball add up to mantle, surface and void, and a
 * regular ring has equal ones (six points of a mantle: a sixth each, to the pieces' width). */
static void test_areas_of_curved_faces_add_up(void **state)
{
  (void)state;
  enum { COUNT = 6 };
  const double pi = 3.14159265358979323846;
  double x[COUNT], y[COUNT], z[COUNT] = {0}, area[COUNT], *const place[3] = {x, y, z};
  bool outward[COUNT];
  scr_error error = {0};
  for (int k = 0; k < COUNT; ++k) x[k] = 0.009 * cos(pi * k / 3), y[k] = 0.009 * sin(pi * k / 3), outward[k] = true;
  geo_solid rod = {.kind = GEO_SOLID_CYLINDER, .radius = 0.01, .size = {0, 0, 0.005}};
  assert_int_equal(bdem_share_curved_faces(&rod, 1e-4, 0.01, place, outward, COUNT, area, &error), SCR_OK);
  double sum = 0;
  for (int k = 0; k < COUNT; ++k)
    sum += area[k], claim_relative("mantle: a sixth", area[k], 2 * pi * 0.01 * 0.005 / COUNT, 0.02, "symmetry");
  claim_relative("mantle: all shares", sum, 2 * pi * 0.01 * 0.005, 1e-12, "2 pi R L");
  geo_solid shell = {.kind = GEO_SOLID_SPHERE, .radius = 0.01, .inner_radius = 0.004};
  double out = 0, in = 0;
  for (int k = 0; k < COUNT; ++k) outward[k] = k % 2 == 0, x[k] *= outward[k] ? 1 : 0.5, y[k] *= outward[k] ? 1 : 0.5;
  assert_int_equal(bdem_share_curved_faces(&shell, 1e-4, 0.05, place, outward, COUNT, area, &error), SCR_OK);
  for (int k = 0; k < COUNT; ++k) *(outward[k] ? &out : &in) += area[k];
  claim_relative("shell: shares of its outside", out, 4 * pi * 1e-4, 0.01, "4 pi R^2");
  claim_relative("shell: shares of its void", in, 4 * pi * 1.6e-5, 0.01, "4 pi r^2");
}

/* A disc 16 spheres across whose topmost row lies half a diameter beside its top: flat jaws that touch its shape load it from the first
 * micrometres on, by Johnson's formula for a cylinder between two flats, and on Hertz's width. Where jaws met the middles of spheres'
 * faces, the first 20 of 60 um were dead. Tolerance: in 60 um a disc of two layers of spheres is loaded to 0.63 of that. */
static void test_flat_jaws_load_a_disc_beside_its_rows(void **state)
{
  (void)state;
  static const double share[2] = {0.2, 1};
  bdem_run c = run_open("{\"scree\":1,\"name\":\"disc\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1200,"
                        "\"young_modulus\":3e9}],\"specimens\":[{\"name\":\"d\",\"material\":\"m\",\"spacing\":0.00125,\"shape\":"
                        "{\"type\":\"cylinder\",\"radius\":0.01,\"length\":0.0025},\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":90}}],"
                        "\"rig\":{\"type\":\"brazilian\",\"opening\":0.02,\"width\":0.008,\"program\":[{\"type\":\"ramp\","
                        "\"velocity\":-0.3,\"duration\":1e-4},{\"type\":\"constant\",\"velocity\":-0.3}]},\"time\":{\"duration\":2.5e-4}}",
                        1);
  for (int k = 0; k < 2; ++k) {
    char text[100];
    run_until(&c, 0.5e-4 + share[k] * 2e-4);
    run_observe(&c);
    double force = 0.5 * (fabs(run_value(&c, "jaw.top.force_z")) + fabs(run_value(&c, "jaw.bottom.force_z")));
    double load = 0, approach = fabs(run_value(&c, "jaw.top.displacement"));
    for (int n = 0; n < 100; ++n) { /* u = 4 P / (pi E) (ln(4 R / a) - 1/2), a^2 = 4 P R / (pi E) */
      double half_width = sqrt(4 * fmax(load, 1) * 0.01 / (3.14159265358979323846 * 3e9));
      load = approach * 3.14159265358979323846 * 3e9 / 4 / (log(0.04 / half_width) - 0.5);
    }
    snprintf(text, sizeof text, "disc 16 across, %g of the stroke: force over Johnson's", share[k]);
    claim_between(text, force / (load * 0.0025), 0.55, 1.1, "Johnson, Contact Mechanics, 5.6");
  }
  run_close(&c);
}

SUITE(validate_bdem_faces)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_platens_measure_the_specimen),
      cmocka_unit_test(test_bodies_that_touch_by_their_faces_start_without_a_force),
      cmocka_unit_test(test_an_impact_keeps_its_energy),
      cmocka_unit_test(test_an_interruption_keeps_the_bits),
      cmocka_unit_test(test_pressed_faces_are_stable_at_the_bound_of_bonds),
      cmocka_unit_test(test_balls_that_roll_on_each_other_give_no_energy_back),
      cmocka_unit_test(test_bodies_that_shatter_on_each_other_give_no_energy_back),
      cmocka_unit_test(test_faces_back_to_back_give_no_energy),
      cmocka_unit_test(test_faces_chosen_in_each_other_begin_without_a_force),
      cmocka_unit_test(test_areas_of_a_face_add_up),
      cmocka_unit_test(test_areas_of_curved_faces_add_up),
      cmocka_unit_test(test_flat_jaws_load_a_disc_beside_its_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
