/* Super-helices beside rods and beside theory: what hangs, what swings, how fast they vibrate, and how their errors fall with elements. */
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

#include "linalg/dense.h"
#include "methods/fibre/helix/helix.h"

/* One fibre of 1 m and EI = 1e-4 N m^2, clamped where it begins at (0, 0, 0.5) and laid downwards, or along x at an angle of 90 degrees.
 * %s: of a rod or a super-helix, more of the specimen, m/s^2, s, options. */
static sim_run open_fibre(const char *specimen, int angle, double gravity, double dt, const char *options)
{
  const double radius = 5e-4, young = 1e-4 / (M_PI * pow(radius, 4) / 4);
  char text[2000];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":%.17g,"
           "\"poisson_ratio\":0.25}],\"specimens\":[{\"name\":\"f\",\"material\":\"m\",\"shape\":{\"type\":\"cylinder\",\"radius\":%g,"
           "\"length\":1},\"held\":\"start\",\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":%d}%s}],\"rig\":{\"type\":\"none\",\"gravity\":"
           "[0,0,%.17g]},\"time\":{\"duration\":100,\"time_step\":%.17g},\"options\":{%s}}",
           young, radius, angle, specimen, -gravity, dt, options);
  return run_open(text, 1);
}

static const double LINE = 1000 * M_PI * 25e-8, BENDING = 1e-4;

typedef struct tip {
  double x, y, z, steps;
} tip;

/* Where the end of a fibre hangs in equilibrium, from its root. @param weight  w L^3 / EI */
static tip hang(const char *kind, int angle, double weight)
{
  char options[100] = "\"loading\":\"static\",\"iterations\":1000";
  sim_run r = open_fibre(kind, angle, weight * BENDING / LINE, 1e-3, options);
  run_steps(&r, 1);
  run_observe(&r);
  double root = angle == 180 ? 0.5 : 0, from = angle == 180 ? 0 : -0.5;
  tip t = {run_value(&r, "end.x") - from, run_value(&r, "end.y"), run_value(&r, "end.z") - root, run_value(&r, "solver.iterations")};
  assert_true(run_value(&r, "unsolved_steps") == 0);
  run_close(&r);
  return t;
}

static tip hang_curled(const char *element, int edges, int elements)
{
  char specimen[300], count[40] = "";
  if (elements) snprintf(count, sizeof count, ",\"elements\":%d", elements);
  snprintf(specimen, sizeof specimen, ",\"element\":\"%s\",\"edges\":%d%s,\"natural_curvature\":20,\"natural_twist\":10", element, edges,
           count);
  return hang(specimen, 180, 50);
}

/* What errors of second order tend to, from two sizes. */
static double limit_of(double coarse, double fine, double ratio)
{
  return fine + (fine - coarse) / (ratio * ratio - 1);
}

/* A curl of three and a half turns (natural curvature 20, twist 10, weight 50, GJ/EI 0.8) hangs from its root. The prototype's rod of 160
 * edges ends at (0.1528, -0.0748, -0.4631), 16 super-helices at 0.1672 in x (spec 3.11b.8), in other axes. What both tend to is the same
 * point, to what an extrapolation from 16 and 20 elements leaves. */
static void test_rod_and_super_helix_hang_alike(void **state)
{
  (void)state;
  tip coarse = hang_curled("rod", 80, 0), fine = hang_curled("rod", 160, 0);
  claim_absolute("rod of 160 edges: the end of the curl, across", hypot(fine.x, fine.y), hypot(0.1528, 0.0748), 1e-3,
                 "the prototype's rod");
  claim_absolute("rod of 160 edges: the end of the curl, down", fine.z, -0.4631, 1e-3, "the prototype's rod");
  tip twelve = hang_curled("super_helix", 160, 12), sixteen = hang_curled("super_helix", 160, 16),
      twenty = hang_curled("super_helix", 160, 20);
  claim_absolute("super-helix of 16 elements: the same", fmax(fabs(sixteen.x), fabs(sixteen.y)), 0.1672, 3e-4,
                 "the prototype's super-helix");
  const double rods[] = {limit_of(coarse.x, fine.x, 2), limit_of(coarse.y, fine.y, 2), limit_of(coarse.z, fine.z, 2)},
               helices[] = {limit_of(sixteen.x, twenty.x, 1.25), limit_of(sixteen.y, twenty.y, 1.25), limit_of(sixteen.z, twenty.z, 1.25)};
  const char *const names[] = {"end of the curl in the limit, x", "end of the curl in the limit, y", "end of the curl in the limit, z"};
  double far12 = 0, far20 = 0;
  for (int c = 0; c < 3; c++) {
    claim_absolute(names[c], helices[c], rods[c], 1e-3, "rod and super-helix agree");
    far12 += pow((&twelve.x)[c] - rods[c], 2), far20 += pow((&twenty.x)[c] - rods[c], 2);
  }
  claim_between("distance of 12 elements from the rod's limit over that of 20", sqrt(far12 / far20), 2.5, 3.3, "second order: 2.78");
  claim_between("linearisations of a super-helix", sixteen.steps, 1, 12, "statics in few");
}

/* The elastica under its own weight, 10 and 25 EI/L^3, clamped level: 16 super-helices sag as the solution of Euler's equation. */
static void test_a_super_helix_sags_as_the_elastica(void **state)
{
  (void)state;
  const double weight[] = {10, 25}, along[] = {0.656354, 0.386160}, drop[] = {0.700200, 0.855900};
  for (int k = 0; k < 2; k++) {
    tip eight = hang(",\"element\":\"super_helix\",\"edges\":128,\"elements\":8", 90, weight[k]),
        sixteen = hang(",\"element\":\"super_helix\",\"edges\":128,\"elements\":16", 90, weight[k]);
    claim_absolute("elastica: end along, in the limit", limit_of(eight.x, sixteen.x, 2), along[k], 3e-4, "Euler's elastica by integration");
    claim_absolute("elastica: its drop, in the limit", -limit_of(eight.z, sixteen.z, 2), drop[k], 3e-4, "the same");
    claim_between("elastica: linearisations", fmax(eight.steps, sixteen.steps), 1, 8, "the prototype's 4 to 7");
    claim_between("elastica: error of 8 elements over that of 16", (-eight.z - drop[k]) / (-sixteen.z - drop[k]), 3.3, 4.7, "second order");
  }
}

/* The first two frequencies of a clamped one, 3.516015 and 22.03449 sqrt(EI / rho A) / L^2, by K v = w^2 M v of its strains. Of the strains
 * of a beam's mode those that are constant along elements are too stiff by the second order. */
static void test_the_frequencies_of_a_super_helix(void **state)
{
  (void)state;
  enum { N = 16, EDGES = 320, M = HELIX_STRAINS * N };
  static double place[4 * (EDGES + 1)], load[4 * (EDGES + 1)], mass[4 * (EDGES + 1)], k[M * M], m[M * M], entries[M * M], slope[M],
      value[M];
  static scr_vec3 tangent[EDGES], director[EDGES];
  static helix_strain strain[N];
  double ratio[2][2];
  for (int c = 0; c < 2; c++) {
    uint32_t n = c ? N : N / 2, size = HELIX_STRAINS * n;
    const helix h = {n, EDGES, 1, {1, 1, 0.8}, (const helix_strain *)strain};
    const helix_frame root = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const rod_frames frames = {director, tangent, NULL};
    helix_chain chain;
    la_band band = {size, size - 1, entries};
    for (int i = 0; i <= EDGES; i++) {
      for (int a = 0; a < 3; a++) mass[4 * i + a] = (i == EDGES || i == 0 ? 0.5 : 1) / EDGES;
      mass[4 * i + 3] = 1e-8 / EDGES;
    }
    helix_lay(&h, (const helix_strain *)strain, &root, &chain, place, &frames);
    const helix_work work = {.load = load, .axis = tangent, .mass = mass, .mass_factor = 1};
    helix_assemble(&h, (const helix_strain *)strain, &chain, place, &work, slope, &band);
    for (size_t i = 0; i < size; i++)
      for (size_t j = 0; j < size; j++) {
        m[i * size + j] = *la_band_at(&band, i > j ? i : j, i > j ? j : i);
        k[i * size + j] = i == j ? h.stiffness[i % 3] / n : 0;
      }
    assert_int_equal(la_dense_pencil_eigen(size, k, m, value, NULL), SCR_OK);
    ratio[c][0] = sqrt(value[0]) / 3.516015, ratio[c][1] = sqrt(value[2]) / 22.03449; /* each twice: both ways across */
  }
  claim_absolute("super-helix of 16 elements: first frequency over theory", ratio[1][0], 1, 2e-3, "Euler and Bernoulli's beam");
  claim_absolute("super-helix of 16 elements: second frequency over theory", ratio[1][1], 1, 1e-2, "Euler and Bernoulli's beam");
  claim_between("error of the first with 8 elements over that with 16", (ratio[0][0] - 1) / (ratio[1][0] - 1), 3.3, 4.7, "second order");
}

/* Masses of strains near the root are those of the whole fibre that swings, near the end of next to nothing: of 20 elements, of real hair
 * 0.3 m long with strains of 10 to 69, the largest eigenvalue of M over the least is 8e10 (spec 3.11b.8, with exact integrals and no
 * inertia of sections): which contact solvers that need M's inverse would meet. */
static void test_the_condition_of_its_masses(void **state)
{
  (void)state;
  enum { N = 20, EDGES = 240, M = HELIX_STRAINS * N };
  static double place[4 * (EDGES + 1)], load[4 * (EDGES + 1)], mass[4 * (EDGES + 1)], m[M * M], entries[M * M], slope[M], value[M];
  static scr_vec3 tangent[EDGES], director[EDGES];
  static helix_strain strain[N], natural[N];
  const helix h = {N, EDGES, 0.3, {1.9e-8, 1.9e-8, 1.3e-8}, (const helix_strain *)natural};
  const helix_frame root = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const rod_frames frames = {director, tangent, NULL};
  helix_chain chain;
  la_band band = {M, M - 1, entries};
  for (int e = 0; e < N; e++) strain[e][0] = 12 + 3 * e, strain[e][1] = -11 - 3 * e, strain[e][2] = 10 + 3 * e;
  for (int i = 0; i <= EDGES; i++)
    for (int a = 0; a < 3; a++) mass[4 * i + a] = 1.02e-5 * 0.3 / EDGES * (i == EDGES || i == 0 ? 0.5 : 1);
  helix_lay(&h, (const helix_strain *)strain, &root, &chain, place, &frames);
  const helix_work work = {.load = load, .axis = tangent, .mass = mass, .mass_factor = 1};
  helix_assemble(&h, (const helix_strain *)strain, &chain, place, &work, slope, &band);
  for (size_t i = 0; i < M; i++)
    for (size_t j = 0; j < M; j++) m[i * M + j] = *la_band_at(&band, i > j ? i : j, i > j ? j : i);
  assert_int_equal(la_dense_symmetric_eigen(M, m, value, NULL), SCR_OK);
  claim_relative("condition of the masses of 20 elements", value[M - 1] / value[0], 8e10, 0.3, "the prototype, 8e10");
}

/* Distance of two fibres' ends, the largest over half a second of their swing from level, over their length. */
static double apart(const char *one, const char *other, double dt)
{
  sim_run a = open_fibre(one, 90, 9.81, dt, "\"fibre_contact\":false"), b = open_fibre(other, 90, 9.81, dt, "\"fibre_contact\":false");
  double most = 0, path = 0;
  for (int k = 0; k < (int)(0.8 / dt); k++) {
    run_steps(&a, 1), run_steps(&b, 1);
    run_observe(&a), run_observe(&b);
    scr_vec3 at = vec3(run_value(&a, "end.x"), run_value(&a, "end.y"), run_value(&a, "end.z")),
             to = vec3(run_value(&b, "end.x"), run_value(&b, "end.y"), run_value(&b, "end.z"));
    most = fmax(most, vec3_length(vec3_sub(at, to)));
    path = fmax(path, vec3_length(vec3_sub(at, vec3(0.5, 0, 0))));
  }
  assert_true(path > 1); /* it swings through, to the other side */
  run_close(&a), run_close(&b);
  return most;
}

static double apart_from_rod(int elements)
{
  char specimen[200];
  snprintf(specimen, sizeof specimen,
           ",\"element\":\"super_helix\",\"elements\":%d,\"edges\":96,\"natural_curvature\":4,\"natural_twist\":3", elements);
  return apart(",\"edges\":96,\"natural_curvature\":4,\"natural_twist\":3", specimen, 2e-3);
}

/* A wavy fibre (natural curvature 4, twist 3) let go from level swings through. Ends of rod and super-helix stay together, the better the
 * more elements it has, to a rod of 96 edges; one of 48 is as far from 12 elements, to 1 % of that. Steps are of 2 ms. */
static void test_rod_and_super_helix_swing_alike(void **state)
{
  (void)state;
  const double six = apart_from_rod(6), twelve = apart_from_rod(12), twenty = apart_from_rod(20);
  claim_between("ends of a swinging rod and of 20 super-helices: most apart, of their length", twenty, 0, 0.02,
                "rod and super-helix agree");
  claim_between("of 6 over of 12 elements", six / twelve, 2.5, 5, "second order: 4");
  claim_between("of 12 over of 20 elements", twelve / twenty, 2.3, 3.5, "second order: 2.78");
}

/* The same fibre, level, falls across a smooth bar 0.1 m under it, and comes to rest there. */
typedef struct draped {
  scr_vec3 end; /* m */
  double bar;   /* N, what the bar bears */
} draped;

static draped drape(const char *kind)
{
  const double radius = 5e-4, young = BENDING / (M_PI * pow(radius, 4) / 4);
  char text[2000];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":%.17g,"
           "\"poisson_ratio\":0.25,\"mass_damping\":10}],\"contact\":{\"friction_coefficient\":0},\"specimens\":[{\"name\":\"f\","
           "\"material\":\"m\",\"shape\":{\"type\":\"cylinder\",\"radius\":%g,\"length\":1},\"held\":\"start\",\"rotation\":{\"axis\":"
           "[0,1,0],\"angle_deg\":90}%s}],\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-9.81]},\"obstacles\":[{\"name\":\"bar\",\"shape\":{"
           "\"type\":\"cylinder\",\"radius\":0.02,\"length\":1},\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":90},\"position\":[0,0,-0.1]}],"
           "\"time\":{\"duration\":100,\"time_step\":2e-3}}",
           young, radius, kind);
  sim_run r = run_open(text, 1);
  run_steps(&r, 2000);
  run_observe(&r);
  assert_true(run_value(&r, "speed") < 1e-3 && run_value(&r, "unsolved_steps") == 0);
  draped d = {vec3(run_value(&r, "end.x"), run_value(&r, "end.y"), run_value(&r, "end.z")), run_value(&r, "obstacle.bar.force_z")};
  run_close(&r);
  return d;
}

static draped drape_helix(int elements)
{
  char kind[100];
  snprintf(kind, sizeof kind, ",\"element\":\"super_helix\",\"elements\":%d,\"edges\":96", elements);
  return drape(kind);
}

/* Contact alone holds it there, in both by the same rows: what is left is how finely the fibre bends. */
static void test_rod_and_super_helix_drape_alike(void **state)
{
  (void)state;
  const draped chain = drape(",\"edges\":96"), six = drape_helix(6), twelve = drape_helix(12), twenty = drape_helix(20);
  double by_six = vec3_length(vec3_sub(six.end, chain.end)), by_twelve = vec3_length(vec3_sub(twelve.end, chain.end)),
         by_twenty = vec3_length(vec3_sub(twenty.end, chain.end));
  claim_between("ends of a rod and of 20 super-helices over a bar: apart, of their length", by_twenty, 0, 0.02,
                "rod and super-helix agree");
  claim_between("of 6 over of 12 elements", by_six / by_twelve, 2, 6, "second order: 4");
  claim_between("of 12 over of 20 elements", by_twelve / by_twenty, 1.5, 5, "second order: 2.78");
  claim_relative("what the bar bears of 20 super-helices, N", twenty.bar, chain.bar, 0.02, "that of the rod");
}

SUITE(validate_fibre_helix)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rod_and_super_helix_hang_alike),   cmocka_unit_test(test_a_super_helix_sags_as_the_elastica),
      cmocka_unit_test(test_the_frequencies_of_a_super_helix), cmocka_unit_test(test_the_condition_of_its_masses),
      cmocka_unit_test(test_rod_and_super_helix_swing_alike),  cmocka_unit_test(test_rod_and_super_helix_drape_alike),
  };
  return cmocka_run_group_tests_name("super-helices beside rods", tests, NULL, NULL);
}
