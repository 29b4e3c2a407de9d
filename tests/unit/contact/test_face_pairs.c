/* Points below several faces each: one continuous potential, whose derivatives the forces are. */
#include "base/quat.h"
#include "contact/face_pairs.h"
#include "tests/support/claim.h"
#include "tests/support/suites.h"

static const double h = 1e-3, a = 1.5e-3, k = 1e5, central = 2e-3;

typedef struct edge {
  scr_vec3 d, n_i[CONTACT_FACES], n_j[CONTACT_FACES];
} edge;

/* All pairs of faces that look at each other; depths differ, so that no two overlaps are equal. */
static double press(const edge *e, contact_face_press *out)
{
  contact_face_pair pairs[CONTACT_FACE_PAIRS];
  size_t count = 0;
  for (int p = 0; p < CONTACT_FACES; p++)
    for (int q = 0; q < CONTACT_FACES; q++)
      if (-vec3_dot(e->n_i[p], e->n_j[q]) > CONTACT_OPPOSED) {
        double depths = h * (1 + 0.05 * p - 0.03 * q);
        pairs[count++] = (contact_face_pair){(unsigned char)p, (unsigned char)q, depths, depths, k * (1 + 0.2 * p + 0.1 * q)};
      }
  contact_press_faces(e->d, e->n_i, e->n_j, pairs, count, a, central, out);
  return out->energy + (1 - out->share) * central;
}

static scr_vec3 turned(scr_vec3 n, scr_vec3 by)
{
  return quat_rotate(quat_exp(by), n);
}

/* Corners of two cubes, the second turned by `turn`; number 0 of the first looks up, of the second down. */
static edge corner(scr_vec3 d, scr_vec3 turn)
{
  edge e = {.d = d, .n_i = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, .n_j = {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}}};
  for (int q = 0; q < CONTACT_FACES; q++) e.n_j[q] = turned(e.n_j[q], turn);
  return e;
}

/* 400 places and turns, of which most have two pairs or more: central differences of the energy by the way and by each normal's turns,
 * 1e-6 of the largest force of all. */
static void test_forces_and_pushes_are_derivatives_of_the_energy(void **state)
{
  (void)state;
  unsigned seed = 7;
  double worst = 0, worst_turn = 0, momentum = 0, largest = 0;
  int several = 0;
  for (int n = 0; n < 400; n++) {
    double u[6];
    for (int c = 0; c < 6; c++) u[c] = (double)((seed = seed * 1664525u + 1013904223u) >> 8) / 16777216.0 - 0.5;
    double height = n % 2 ? 0.7 * h + 0.8 * h * u[2] : 0.6 * h * u[2] - 0.15 * h; /* also behind each other */
    edge e = corner(vec3(1.2 * h * u[0] + 0.3 * h, 1.2 * h * u[1], height), vec3(1.2 * u[3], 1.2 * u[4], 1.2 * u[5]));
    contact_face_press was, other;
    press(&e, &was);
    int pairs = 0;
    for (int p = 0; p < CONTACT_FACES; p++) pairs += was.part_i[p] > 1e-3;
    several += pairs > 1;
    largest = fmax(largest, vec3_length(was.force));
    const double force[3] = {was.force.x, was.force.y, was.force.z};
    scr_vec3 moment = vec3_cross(e.d, was.force);
    for (int c = 0; c < 3; c++) {
      edge up = e, down = e;
      scr_vec3 step = vec3((c == 0) * 1e-9, (c == 1) * 1e-9, (c == 2) * 1e-9), angle = vec3_scale(step, 1e3);
      up.d = vec3_add(e.d, step), down.d = vec3_sub(e.d, step);
      worst = fmax(worst, fabs((press(&up, &other) - press(&down, &other)) / 2e-9 + force[c]));
      for (int p = 0; p < 2 * CONTACT_FACES; p++) {
        scr_vec3 *on_up = p < 3 ? &up.n_i[p] : &up.n_j[p - 3], *on_down = p < 3 ? &down.n_i[p] : &down.n_j[p - 3], normal = *on_up;
        up.d = down.d = e.d;
        *on_up = turned(normal, angle), *on_down = turned(normal, vec3_scale(angle, -1));
        scr_vec3 couple = vec3_cross(normal, p < 3 ? was.push_i[p] : was.push_j[p - 3]);
        const double turns[3] = {couple.x, couple.y, couple.z};
        worst_turn = fmax(worst_turn, fabs((press(&up, &other) - press(&down, &other)) / 2e-6 + turns[c]));
        *on_up = *on_down = normal;
      }
    }
    for (int p = 0; p < CONTACT_FACES; p++)
      moment = vec3_add(moment, vec3_add(vec3_cross(e.n_i[p], was.push_i[p]), vec3_cross(e.n_j[p], was.push_j[p])));
    momentum = fmax(momentum, vec3_length(moment));
  }
  assert_true(several > 200 && largest > 1);
  claim_absolute("pairs of faces: force against differences of the energy, of the largest", worst / largest, 0, 1e-6,
                 "central differences");
  claim_absolute("pairs of faces: pushes against differences of the energy", worst_turn / (largest * h), 0, 1e-6, "central differences");
  claim_absolute("pairs of faces: moment of all, over the largest", momentum / (largest * h), 0, 1e-14, "angular momentum");
}

/* Closed forms: faces that look straight on have k w g^2 / 2 whatever others the points have; where one of two is open nothing presses;
 * what rests on one face at the corner of another body is pressed by the least overlap; of an edge on a plane both faces count alike. */
static void test_faces_press_as_separating_axes_say(void **state)
{
  (void)state;
  contact_face_press out;
  edge flat = {.d = {0.4 * h, 0, 0.98 * h}, .n_i = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, .n_j = {{0, 0, -1}, {1, 0, 0}, {0, 1, 0}}};
  double w = pow(1 - 0.16 / 2.25, 2), g = 0.02 * h;
  press(&flat, &out);
  claim_relative("straight on: energy", out.energy, 0.5 * k * w * g * g, 1e-12, "k w g^2 / 2");
  claim_relative("straight on: force along", out.force.z, k * w * g, 1e-12, "k w g");
  claim_relative("straight on: stiffness", out.stiffness, k * w, 1e-12, "k w");
  flat.d.z = -a / 6;
  press(&flat, &out);
  g = h + a / 6;
  claim_relative("half way behind: energy", out.energy, 0.25 * k * w * g * g, 1e-12, "half of k w g^2 / 2");
  claim_relative("half way behind: force along", out.force.z, 0.5 * k * w * g - 0.5 * k * w * g * g * 4.5 / a, 1e-12,
                 "the slope of a smooth step of width a/3 in the middle, 1.5 / (a / 3)");
  flat.d.z = -a / 3;
  press(&flat, &out);
  claim_absolute("a third of the width behind: energy", out.energy, 0, 0, "the top of one and the bottom of another that stands beside it");
  edge diagonal = corner(vec3(0.3 * h, 0, 1.0001 * h), vec3(0, 0, 0));
  press(&diagonal, &out);
  claim_absolute("one of two faces open: energy", out.energy, 0, 0, "a plane parts the bodies");
  assert_true(out.share == 1);
  diagonal.d.z = (1 - 1e-4) * h;
  press(&diagonal, &out);
  assert_true(out.part_i[0] > 0.999);
  claim_between("least overlap 1e-4, the other 0.7: energy over that of the least", out.energy / (0.5 * k * 1e-8 * h * h), 0.5, 4,
                "k w g^2 of the least, and no more than that of the others beside it");
  edge on = {.d = {0, 0, 0.6 * h}, .n_i = {{0, 0, 1}}, .n_j = {{0.5, 0, -sqrt(0.75)}, {0, 0, 1}, {0, 0, 1}}};
  on.n_i[1] = on.n_i[2] = vec3(0, 1, 0);
  press(&on, &out);
  claim_relative("turned by 30 degrees: in full", out.share, 1, 1e-12, "above CONTACT_FACING");
  double c = sqrt(0.5), slope;
  on.n_j[0] = vec3(c, 0, -c);
  press(&on, &out);
  claim_relative("turned by 45 degrees: share", out.share, contact_face_share(c, &slope), 1e-12, "f");
  claim_relative("share in the middle", contact_face_share(0.5 * (CONTACT_OPPOSED + CONTACT_FACING), &slope), 0.5, 1e-12, "smooth step");
}

/* An edge rolls over by a right angle between one face and the next: the energy changes by no more in a thousandth of the turn than its
 * forces say, so that it is continuous; by the face that looks straightest it jumps. */
static void test_the_energy_is_continuous_while_an_edge_rolls(void **state)
{
  (void)state;
  enum { PARTS = 20000 };
  double worst = 0, largest = 0, was = 0;
  for (int n = 0; n <= PARTS; n++) {
    contact_face_press out;
    double angle = 1.5707963267948966 * n / PARTS;
    edge e = corner(vec3(0.2 * h, 0.1 * h, 0.55 * h), vec3(0.2, angle, 0));
    double now = press(&e, &out);
    largest = fmax(largest, now);
    if (n) worst = fmax(worst, fabs(now - was));
    was = now;
  }
  claim_absolute("an edge that rolls: largest change of the energy in 1/20000 of the turn, of the largest", worst / largest, 0, 1e-3,
                 "a continuous potential");
}

SUITE(test_face_pairs)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forces_and_pushes_are_derivatives_of_the_energy),
      cmocka_unit_test(test_faces_press_as_separating_axes_say),
      cmocka_unit_test(test_the_energy_is_continuous_while_an_edge_rolls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
