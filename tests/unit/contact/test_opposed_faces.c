/* Faces of two bodies that look at each other: forces and couples are derivatives of their energy, and keep momentum; bdem's contacts of
 * all kinds likewise. */
#include "base/quat.h"
#include "contact/opposed_faces.h"
#include "methods/bdem/body/boundary_faces.h"
#include "methods/bdem/contact/press.h"
#include "tests/support/claim.h"
#include "tests/support/suites.h"

static const double a = 0.01, k = 1e5;

/* A pair that overlaps by some percent of its width, its faces tilted by some degrees. */
static bool meet(scr_vec3 d, scr_vec3 n_i, scr_vec3 n_j, contact_opposed_faces *faces)
{
  return contact_opposed_faces_touch(d, n_i, n_j, 0.008, a, k, faces);
}

static scr_vec3 turned(scr_vec3 n, int axis, double angle)
{
  const double e[3] = {axis == 0, axis == 1, axis == 2};
  return quat_rotate(quat_exp(vec3(angle * e[0], angle * e[1], angle * e[2])), n);
}

static double energy(scr_vec3 d, scr_vec3 n_i, scr_vec3 n_j)
{
  contact_opposed_faces faces;
  return meet(d, n_i, n_j, &faces) ? faces.energy : 0;
}

/* Central differences of the energy, 1e-7 of the largest. */
static void check_derivatives(scr_vec3 d, double rounding)
{
  scr_vec3 n_i = turned(turned(vec3(0, 0, 1), 0, 0.1), 1, -0.15), n_j = turned(turned(vec3(0, 0, -1), 0, -0.05), 1, -0.2);
  contact_opposed_faces faces;
  assert_true(meet(d, n_i, n_j, &faces));
  scr_vec3 middle = vec3_scale(vec3_cross(d, faces.force), -0.5), on_i = vec3_add(middle, faces.spin), on_j = vec3_sub(middle, faces.spin);
  const double force[3] = {faces.force.x, faces.force.y, faces.force.z}, of_i[3] = {on_i.x, on_i.y, on_i.z},
               of_j[3] = {on_j.x, on_j.y, on_j.z};
  double step = 1e-8, angle = 1e-6, worst = 0, largest = vec3_length(faces.force), worst_turn = 0;
  assert_true(vec3_length(faces.spin) > 1e-3 * vec3_length(middle));
  for (int c = 0; c < 3; c++) {
    scr_vec3 e = vec3((c == 0) * step, (c == 1) * step, (c == 2) * step);
    worst = fmax(worst, fabs((energy(vec3_add(d, e), n_i, n_j) - energy(vec3_sub(d, e), n_i, n_j)) / (2 * step) + force[c]));
    worst_turn =
        fmax(worst_turn, fabs((energy(d, turned(n_i, c, angle), n_j) - energy(d, turned(n_i, c, -angle), n_j)) / (2 * angle) + of_i[c]));
    worst_turn =
        fmax(worst_turn, fabs((energy(d, n_i, turned(n_j, c, angle)) - energy(d, n_i, turned(n_j, c, -angle))) / (2 * angle) + of_j[c]));
  }
  claim_absolute("opposed faces: force against differences of the energy, of it", worst / largest, 0, 1e-7, "central differences");
  claim_absolute("opposed faces: couples against differences of the energy, of it", worst_turn / vec3_length(middle), 0, 1e-7,
                 "central differences");
  scr_vec3 sum = vec3_add(vec3_add(on_i, on_j), vec3_cross(d, faces.force));
  claim_absolute("opposed faces: couples and moment of the forces, over the largest", vec3_length(sum) / vec3_length(middle), 0, rounding,
                 "angular momentum");
}

/* Where one lies ahead of the other, and where it lies behind and its faces fade. */
static void test_forces_and_couples_are_derivatives_of_the_energy(void **state)
{
  (void)state;
  check_derivatives(vec3(0.002, -0.003, 0.0072), 1e-14);
  check_derivatives(vec3(0.002, -0.003, -0.0015), 1e-13); /* of a force that is the difference of two */
}

/* Faces of pieces that lie back to back look away from each other although their normals are opposite: they do nothing, and what comes from
 * behind meets no step of the energy. */
static void test_faces_back_to_back_do_nothing(void **state)
{
  (void)state;
  contact_opposed_faces faces;
  assert_false(meet(vec3(0.001, 0, -0.0101), vec3(0, 0, 1), vec3(0, 0, -1), &faces));
  double before = 0, worst = 0, step = 1e-6;
  for (double z = -0.03; z < 0.009; z += step) {
    double now = energy(vec3(0.003, 0.002, z), vec3(0, 0, 1), vec3(0, 0, -1));
    worst = fmax(worst, fabs(now - before));
    before = now;
  }
  /* slopes lie below k g^2 h' / 2 + k g, with h' < 1.5 over the width and g < zero + a */
  double g = 0.018, steepest = 0.5 * k * g * g * 1.5 / a + k * g;
  claim_between("largest step of the energy over that of its steepest slope", worst / (steepest * step), 0, 1,
                "the potential is continuous");
}

/* The weights over a plane of the other's points, one to each cell of their lattice, add up to 1 over their area: 5 % at the width of
 * 1.61 lattice cells of
 * bdem's close-packed layers, wherever they lie. */
static void test_a_face_is_shared_out_whole(void **state)
{
  (void)state;
  const double r = a / 3, cell = 2 * sqrt(3) * r * r;
  double least = INFINITY, most = 0;
  for (int shift = 0; shift < 16; shift++) {
    double sum = 0, x0 = shift % 4 * 0.5 * r, y0 = shift / 4 * 0.433 * r;
    for (int row = -6; row <= 6; row++)
      for (int column = -8; column <= 8; column++) {
        contact_opposed_faces faces;
        scr_vec3 d = vec3(x0 + (2 * column + (row & 1)) * r, y0 + row * sqrt(3) * r, 0.007);
        if (contact_opposed_faces_touch(d, vec3(0, 0, 1), vec3(0, 0, -1), 0.008, a, 1, &faces)) sum += faces.weight;
      }
    sum *= cell * 3 / (3.14159265358979323846 * a * a);
    least = fmin(least, sum);
    most = fmax(most, sum);
  }
  claim_between("weights of a close-packed layer, least", least, 0.95, 1.05, "1 over the cell");
  claim_between("weights of a close-packed layer, largest", most, 0.95, 1.05, "1 over the cell");
}

/* ── bdem's contacts ────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct bodies {
  scr_vec3 position[2], velocity[2], spin[2];
  scr_quat orientation[2];
  double radius[2], mass[2];
  bdem_face face[2];
  bdem_pair pair;
  bdem_body body;
} bodies;

static void make(bodies *b)
{
  *b = (bodies){.position = {{0, 0, 0}, {0.003, -0.002, 0.0072}}, .radius = {0.004, 0.003}, .mass = {1, 1}};
  b->orientation[0] = quat_exp(vec3(0.1, 0.05, 0.3));
  b->orientation[1] = quat_exp(vec3(-0.05, 0.1, -0.2));
  b->face[0] = (bdem_face){.normal = vec3(0, 0, 1), .depth = 0.0045, .area = 4e-5};
  b->face[1] = (bdem_face){.normal = vec3(0, 0, -1), .depth = 0.0035, .area = 3e-5};
  b->body = (bdem_body){.sphere_count = 2,
                        .position = b->position,
                        .orientation = b->orientation,
                        .velocity = b->velocity,
                        .spin = b->spin,
                        .mass = b->mass,
                        .radius = b->radius};
  b->pair = (bdem_pair){
      .i = 0, .j = 1, .reach = 0.008, .stiffness = k, .shear = 0.1, .face_i = &b->face[0], .face_j = &b->face[1], .width = 0.012};
}

/* What a contact does against differences of its energy: by moves and turns of both spheres. */
static double energy_of_pair(bodies *b)
{
  bdem_press press;
  return bdem_pair_press(&b->pair, &b->body, &press) ? press.energy : 0;
}

static double difference(bodies *b, int sphere, int component)
{
  double step = component < 3 ? 1e-8 : 1e-6, value[2];
  scr_vec3 e = vec3((component % 3 == 0) * step, (component % 3 == 1) * step, (component % 3 == 2) * step);
  for (int side = 0; side < 2; side++) {
    scr_vec3 position = b->position[sphere];
    scr_quat orientation = b->orientation[sphere];
    scr_vec3 by = vec3_scale(e, side ? -1 : 1);
    if (component < 3)
      b->position[sphere] = vec3_add(position, by);
    else
      b->orientation[sphere] = quat_multiply(quat_exp(by), orientation);
    value[side] = energy_of_pair(b);
    b->position[sphere] = position;
    b->orientation[sphere] = orientation;
  }
  return (value[0] - value[1]) / (2 * step);
}

static void test_a_pair_of_faces_follows_its_energy(void **state)
{
  (void)state;
  bodies b;
  bdem_press press;
  bdem_press_slope slope;
  make(&b);
  assert_true(bdem_pair_press(&b.pair, &b.body, &press) && bdem_pair_slopes(&b.pair, &b.body, &slope) == 1);
  const double push[3] = {press.push.x, press.push.y, press.push.z};
  double size = vec3_length(press.push), worst = 0, worst_turn = 0;
  for (int sphere = 0; sphere < 2; sphere++) {
    const double turn[3] = {press.turn[sphere].x, press.turn[sphere].y, press.turn[sphere].z};
    for (int c = 0; c < 3; c++) {
      worst = fmax(worst, fabs(difference(&b, sphere, c) + (sphere ? push[c] : -push[c])) / size);
      worst_turn = fmax(worst_turn, fabs(difference(&b, sphere, 3 + c) + turn[c]) / (size * 0.004));
      /* the slope is that of the overlap: its force, but for what the width adds */
      double along = slope.along[sphere][c] * (sphere ? 1 : -1), n[3] = {press.normal.x, press.normal.y, press.normal.z};
      assert_true(fabs(along - n[c]) < 1e-15);
    }
  }
  claim_absolute("pair of faces: push against differences of its energy", worst, 0, 1e-6, "central differences");
  claim_absolute("pair of faces: torques against differences of its energy", worst_turn, 0, 1e-6, "central differences");
}

SUITE(test_opposed_faces)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forces_and_couples_are_derivatives_of_the_energy),
      cmocka_unit_test(test_faces_back_to_back_do_nothing),
      cmocka_unit_test(test_a_face_is_shared_out_whole),
      cmocka_unit_test(test_a_pair_of_faces_follows_its_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
