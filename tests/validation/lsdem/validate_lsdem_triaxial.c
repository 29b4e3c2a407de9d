/* The gallery's triaxial tests: CT-like grains compressed alike by servo walls, then sheared. References: exact volumes, the servos'
 * targets, Coulomb's friction with the stress-dilatancy of Rowe, conservation of energy. */
#include <math.h>

#include "scene/mesh_source.h"
#include "server/embedded.h"
#include "tests/support/lsdem_run.h"
#include "tests/support/shared_scene.h"
#include "tests/support/suites.h"

static const double servo_stress = 1e4, mu = 0.5; /* Pa; 1: as the scenes say */

/* A scene of the gallery with texts replaced. */
static sim_run open_gallery(const char *name, const char *const (*changes)[2], size_t count)
{
  char path[96];
  snprintf(path, sizeof path, "gallery/%s.json", name);
  const embedded_file *asset = embedded_find(path);
  if (!asset) fail_msg("no %s", path);
  char *text = strdup(asset ? (const char *)asset->data : "");
  assert_non_null(text);
  for (size_t k = 0; k < count; k++) {
    char *changed = shared_replaced_everywhere(text, changes[k][0], changes[k][1]);
    free(text);
    text = changed;
  }
  sim_run r = run_open(text, 1);
  free(text);
  return r;
}

/* Porosity by what the scene's grains enclose and where the walls are: nothing of the method. */
static double porosity_of(sim_run *r)
{
  const scr_rig *rig = &r->scene->rig;
  const scr_vec3 edge = vec3_sub(rig->maximum, rig->minimum);
  double solid = 0;
  for (size_t k = 0; k < r->scene->specimen_count; k++)
    solid += r->scene->specimens[k].shape.mesh.mesh->volume * (double)r->scene->specimens[k].position_count;
  double x = edge.x - run_value(r, "wall.x_min.displacement") - run_value(r, "wall.x_max.displacement");
  double y = edge.y - run_value(r, "wall.y_min.displacement") - run_value(r, "wall.y_max.displacement");
  double z = edge.z - run_value(r, "wall.z_min.displacement") - run_value(r, "wall.z_max.displacement");
  return 1 - solid / (x * y * z);
}

/* What a test of a pack came to. */
typedef struct course {
  double pressed, ratio_at_rest;     /* Pa and 1, at the end of the compression */
  double dense, peak, late;          /* porosity then; largest ratio of axial to side stress; its mean over the last tenth */
  double rowe, rate;                 /* at the largest ratio, ratio over 1 - dV/V over the axial strain; that rate of widening */
  double end;                        /* Pa, deviator at the end */
  double side, widest, coordination; /* worst of the side stress over its target in shear; largest loss of volume strain from its peak; at
                                        the end of the compression */
} course;

static double side_stress(sim_run *r)
{
  return 0.5 * (run_value(r, "box.stress_x") + run_value(r, "box.stress_y"));
}

/* Runs to an axial strain. Rates of volume over axial strain are those of windows of 1 %, of as many steps of strain as the lid's speed
 * makes. */
static course shear(sim_run *r, double prepared, double strain)
{
  enum { WINDOW = 16 };
  course c = {0};
  double axial[4000], volume[4000], ratio[4000];
  size_t n = 0;
  const scr_rig *rig = &r->scene->rig;
  const scr_program *lid = &rig->walls[SCR_WALL_Z_MAX];
  const double rate = fabs(lid->segments[lid->segment_count - 1].velocity) / (0.87 * (rig->maximum.z - rig->minimum.z)); /* 1/s */
  run_until(r, prepared);
  run_observe(r);
  c.pressed = run_value(r, "box.mean_stress");
  c.ratio_at_rest = run_value(r, "box.stress_ratio");
  c.dense = run_value(r, "porosity");
  c.coordination = run_value(r, "coordination");
  claim_relative("porosity at the end of the compression", c.dense, porosity_of(r), 1e-9,
                 "volumes of the scans' grains, places of the walls");
  double least = INFINITY, most = -INFINITY;
  while (n < 4000) {
    run_until(r, prepared + (double)n * strain / 200 / rate);
    run_observe(r);
    axial[n] = run_value(r, "box.strain_z");
    volume[n] = run_value(r, "box.volume_strain");
    ratio[n] = run_value(r, "box.stress_z") / side_stress(r);
    c.end = run_value(r, "box.deviator");
    if (axial[n] > 0.01) least = fmin(least, side_stress(r)), most = fmax(most, side_stress(r));
    if (axial[n++] > strain || r->sim->time > 0.99 * r->scene->time.duration) break;
  }
  c.side = fmax(most / servo_stress - 1, 1 - least / servo_stress);
  double top = -INFINITY;
  for (size_t k = 0; k < n; k++) {
    top = fmax(top, volume[k]);
    c.widest = fmax(c.widest, top - volume[k]);
    if (k < WINDOW / 2 || k + WINDOW / 2 >= n || !(ratio[k] > c.peak)) continue;
    double mean = 0;
    for (size_t j = k - WINDOW / 2; j < k + WINDOW / 2; j++) mean += ratio[j] / WINDOW;
    if (!(mean > c.peak)) continue;
    c.peak = mean;
    c.rate = -(volume[k + WINDOW / 2] - volume[k - WINDOW / 2]) / (axial[k + WINDOW / 2] - axial[k - WINDOW / 2]);
    c.rowe = mean / (1 + c.rate);
  }
  const size_t tail = n / 10;
  for (size_t k = n - tail; k < n; k++) c.late += ratio[k] / (double)tail;
  return c;
}

static double angle_of(double ratio)
{
  return asin((ratio - 1) / (ratio + 1)) * 180 / M_PI;
}

static void claim_compression(const course *c)
{
  claim_relative("mean pressure on the walls at the end of the compression, Pa", c->pressed, servo_stress, 0.03,
                 "target of the six servos");
  claim_absolute("deviator over mean pressure then", c->ratio_at_rest, 0, 0.03, "alike from all sides");
}

/* A part of the pack: 40 grains in a box of about 4 in each direction; its walls, of a third of the area, need more speed for a lack of
 * stress, which contacts as soft as these allow. */
static sim_run open_small(const char *name)
{
  const char *const small[][2] = {
      {"\"count\": 216", "\"count\": 40"},
      {"\"minimum\": [-0.056, -0.056, -0.056],\n        \"maximum\": [0.056, 0.056, 0.056],\n        \"count\"",
       "\"minimum\": [-0.034, -0.034, -0.034],\n        \"maximum\": [0.034, 0.034, 0.034],\n        \"count\""},
      {"\"minimum\": [-0.056, -0.056, -0.056],\n    \"maximum\": [0.056, 0.056, 0.056],\n    \"walls\"",
       "\"minimum\": [-0.034, -0.034, -0.034],\n    \"maximum\": [0.034, 0.034, 0.034],\n    \"walls\""},
      {"\"contact_stiffness\": 8000000000.0", "\"contact_stiffness\": 2000000000.0"},
      {"\"damping_time\": 1.5e-05", "\"damping_time\": 3e-05"},
      {"\"gain\": 0.0025", "\"gain\": 0.005"},
      {"\"variants\": 24", "\"variants\": 8"}};
  return open_gallery(name, small, sizeof small / sizeof *small);
}

/* Sheared to 2 %: porosity by exact volumes, walls at their servos' targets (3 % at rest, to which soft grains take longer; 15 % while side
 * walls retreat, which servos do by lagging: velocity over gain), energy kept, stress under shear between rest and what no dense sand
 * passes. Then the same of rubber: what gives way packs more densely under the same walls and is less stiff in shear, and modes hold
 * energy. */
static void test_a_small_pack_is_compressed_and_sheared_rigid_and_soft(void **state)
{
  (void)state;
  course c[2];
  const int kinds = claim_slow_part("the pack of soft grains") ? 2 : 1;
  for (int soft = 0; soft < kinds; soft++) {
    sim_run r = open_small(soft ? "deformable-triaxial" : "triaxial");
    c[soft] = shear(&r, soft ? 0.1 : 0.07, 0.02);
    claim_compression(&c[soft]);
    claim_between("worst share by which side stress misses its target in shear", c[soft].side, 0, 0.15,
                  "target of the servos, and what walls lag by");
    claim_shown("largest ratio of axial to side stress", c[soft].peak); /* so few grains on a lattice have no friction angle */
    claim_absolute("balance of energy", run_curve(&r, "energy.balance_error"), 0, 1e-3, "conservation of energy");
    if (soft)
      claim_between("energy in modes over that in contacts", run_value(&r, "energy.elastic") / run_value(&r, "energy.contact"), 0.1,
                    INFINITY, "grains give way as well as contacts");
    run_close(&r);
  }
  if (kinds < 2) return;
  claim_between("porosity of soft over that of rigid grains", c[1].dense / c[0].dense, 0.5, 0.99, "soft grains pack more densely");
  claim_between("deviator of soft over that of rigid grains at an axial strain of 2 %", c[1].end / c[0].end, 0, 0.8,
                "soft grains are less stiff");
}

/* All 216 grains to 12 %. A pack made dense with little friction first contracts, then widens while its stress passes a peak: the friction
 * angle then is what dense, angular sands and numerical packs of friction 0.5 have, 32 to 48 degrees, and later less. Rowe (1962), from
 * energy alone: the ratio of principal stresses is K times 1 + the rate of widening, K at least tan^2(45 + phi/2) of the grains' own
 * friction (2.62 for 0.5, 26.6 degrees) and at most that of flow at constant volume, some 38 degrees (4.2). 5 % for means over windows,
 * and 5 % less at the lower end: a third of these grains lie at walls, along which they slide without friction. */
static void test_ct_like_grains_dilate_and_pass_a_peak(void **state)
{
  (void)state;
  claim_slow();
  sim_run r = open_gallery("triaxial", NULL, 0);
  course c = shear(&r, 0.07, 0.12);
  claim_compression(&c);
  double own = atan(mu) * 180 / M_PI, least = pow(tan((45 + own / 2) * M_PI / 180), 2);
  claim_between("porosity at the end of the compression", c.dense, 0.31, 0.42,
                "dense random packs of irregular grains, 0.58 to 0.69 solid with their overlaps");
  claim_between("contacts per grain then", c.coordination, 5, 9,
                "packs of frictionless bodies of no symmetry carry up to 12, of friction at least 4");
  claim_between("worst share by which side stress misses its target in shear", c.side, 0, 0.15,
                "target of the servos, and what walls lag by: velocity over gain");
  claim_between("friction angle at the peak, degrees", angle_of(c.peak), 32, 48, "dense angular sands");
  claim_between("friction angle at the end over that at the peak", angle_of(c.late) / angle_of(c.peak), 0.7, 0.99, "dense packs soften");
  claim_between("widening of the box from where it is smallest, share of its volume", c.widest, 0.01, 0.15, "dense packs dilate");
  claim_between("ratio of stresses over 1 + rate of widening, at the peak", c.rowe, 0.9 * least, 1.05 * 4.2, "stress-dilatancy, Rowe 1962");
  claim_shown("rate of widening at the peak, of the axial strain", c.rate);
  claim_absolute("balance of energy", run_curve(&r, "energy.balance_error"), 0, 1e-3, "conservation of energy");
  run_close(&r);
}

/* All 216 grains, rigid and of rubber (E = 1 MPa, six affine modes each), to an axial strain of 1 %. The soft pack must rest at its servos'
 * pressure before it is sheared, to 0.1 %. It is softer than the rigid one, and no stiffer than its solid share times Young's modulus:
 * Voigt's bound of a mixture with voids, which affine modes keep, as they hold all even strains. */
static void test_ct_like_grains_of_rubber_rest_and_are_softer(void **state)
{
  (void)state;
  const double strain = 0.01, young = 1e6;
  course c[2];
  claim_slow();
  for (int soft = 0; soft < 2; soft++) {
    sim_run r = open_gallery(soft ? "deformable-triaxial" : "triaxial", NULL, 0);
    c[soft] = shear(&r, soft ? 0.1 : 0.07, strain);
    claim_compression(&c[soft]);
    claim_absolute("balance of energy", run_curve(&r, "energy.balance_error"), 0, 1e-3, "conservation of energy");
    run_close(&r);
  }
  claim_relative("mean pressure on the walls of the soft pack before it is sheared, Pa", c[1].pressed, servo_stress, 1e-3,
                 "target of the six servos, at rest");
  claim_absolute("its deviator over mean pressure then", c[1].ratio_at_rest, 0, 1e-3, "alike from all sides");
  claim_between("porosity of soft over that of rigid grains", c[1].dense / c[0].dense, 0.5, 0.99, "soft grains pack more densely");
  claim_between("deviator of soft over that of rigid grains at an axial strain of 1 %", c[1].end / c[0].end, 0, 0.6,
                "soft grains are less stiff");
  claim_between("deviator of soft grains over Young's modulus times their solid share times the strain",
                c[1].end / (young * (1 - c[1].dense) * strain), 0.05, 1, "Voigt's bound");
}

/* Friction begins when the scene says so: a brick on a level floor that comes in at 0.2 m/s keeps its speed until 0.1 s and loses g mu t
 * afterwards, 0.3 g 0.04 s = 0.1177 m/s. Tolerance 2 %: the shear springs take up g mu for a moment first, as in check 16. */
static void test_friction_begins_when_it_is_said_to(void **state)
{
  (void)state;
  const double g = 9.81, stiffness = 1e8;
  char specimens[600];
  snprintf(specimens, sizeof specimens,
           "[{\"name\": \"brick\", \"material\": \"stone\", \"spacing\": 0.02, \"grid_spacing\": 0.0125, \"shape\": {\"type\": \"box\", "
           "\"size\": [0.1, 0.1, 0.05]}, \"velocity\": [0.2, 0, 0], "
           "\"placement\": {\"type\": \"single\", \"position\": [0, 0, %.12g]}}]",
           0.025 - 1000 * 0.05 * g / stiffness);
  sim_run r = lsdem_open(LSDEM_STONE,
                         "{\"contact_stiffness\": 1e8, \"friction_coefficient\": 0.3, \"friction_before\": 0, \"friction_since\": 0.1, "
                         "\"damping_time\": 2e-4}",
                         specimens, "{\"type\": \"none\", \"gravity\": [0, 0, -9.81]}",
                         "[{\"name\": \"floor\", \"shape\": {\"type\": \"plane\"}}]", "{\"duration\": 1}", "", 1);
  run_until(&r, 0.0999);
  claim_relative("speed of a brick before its friction begins, m/s", lsdem_of(&r)->grains[0].velocity.x, 0.2, 1e-6, "nothing slows it");
  run_until(&r, 0.14);
  claim_relative("speed that it lost 0.04 s later, m/s", 0.2 - lsdem_of(&r)->grains[0].velocity.x, 0.3 * g * (r.sim->time - 0.1), 0.02,
                 "Coulomb");
  claim_absolute("balance of energy", run_curve(&r, "energy.balance_error"), 0, 1e-3, "conservation of energy");
  run_close(&r);
}

SUITE(validate_lsdem_triaxial)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_small_pack_is_compressed_and_sheared_rigid_and_soft),
      cmocka_unit_test(test_ct_like_grains_dilate_and_pass_a_peak),
      cmocka_unit_test(test_ct_like_grains_of_rubber_rest_and_are_softer),
      cmocka_unit_test(test_friction_begins_when_it_is_said_to),
  };
  return cmocka_run_group_tests_name("lsdem_triaxial", tests, NULL, NULL);
}
