/* Obstacles in runs of bonded spheres: forces against the formula, energy over a bounce, momentum against the force's integral, and a mesh
 * against the shape it has. */
#include "tests/support/bdem_run.h"
#include "tests/support/obstacle_scene.h"
#include "tests/support/suites.h"

static const double radius = 0.01, modulus = 1e6;

/* One sphere of radius 10 mm at `position`, and one obstacle. */
static bdem_run open_sphere(const char *shape, const char *rest, scr_vec3 position, scr_vec3 velocity, double step)
{
  char text[2400];
  snprintf(text, sizeof text,
           "{\"name\":\"sphere\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":%g}],"
           "\"specimens\":[{\"name\":\"s\",\"material\":\"m\",\"spacing\":%g,\"shape\":{\"type\":\"sphere\",\"radius\":%g},"
           "\"placement\":{\"type\":\"single\",\"position\":[%.17g,%.17g,%.17g]},\"velocity\":[%.17g,%.17g,%.17g]}],"
           "\"obstacles\":[{\"name\":\"o\",\"position\":[0.5,-0.25,0.125],\"shape\":%s%s}],\"time\":{\"duration\":10,\"time_step\":%g}}",
           modulus, 2 * radius, radius, position.x, position.y, position.z, velocity.x, velocity.y, velocity.z, shape, rest, step);
  return run_open(text, 1);
}

static scr_vec3 part_force(const bdem_run *r)
{
  return vec3(run_value(r, "obstacle.o.force_x"), run_value(r, "obstacle.o.force_y"), run_value(r, "obstacle.o.force_z"));
}

static scr_vec3 part_torque(const bdem_run *r)
{
  return vec3(run_value(r, "obstacle.o.torque_x"), run_value(r, "obstacle.o.torque_y"), run_value(r, "obstacle.o.torque_z"));
}

/* What one kind of obstacle is hit with: from where, relative to its position, and which way; and its distance written out by hand. */
typedef struct impact {
  const char *shape, *rest;
  scr_vec3 from, way;
  double (*distance)(scr_vec3 p, scr_vec3 *normal);
} impact;

static double to_plane(scr_vec3 p, scr_vec3 *normal) /* turned by 30 degrees about x */
{
  *normal = vec3(0, -0.5, sqrt(0.75));
  return -0.5 * p.y + sqrt(0.75) * p.z;
}

static double to_ball(scr_vec3 p, scr_vec3 *normal)
{
  double length = sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
  *normal = vec3_scale(p, 1 / length);
  return length - 0.05;
}

static double to_rod(scr_vec3 p, scr_vec3 *normal) /* of radius 0.03 along y */
{
  double length = sqrt(p.x * p.x + p.z * p.z);
  *normal = vec3(p.x / length, 0, p.z / length);
  return length - 0.03;
}

static double to_edge(scr_vec3 p, scr_vec3 *normal) /* of the box, at x = 0.2, z = 0.1, both beyond */
{
  double x = p.x - 0.2, z = p.z - 0.1, length = sqrt(x * x + z * z);
  *normal = vec3(x / length, 0, z / length);
  return length;
}

static double to_corner(scr_vec3 p, scr_vec3 *normal) /* of the box at (0.2, 0.15, 0.1) */
{
  scr_vec3 e = vec3(p.x - 0.2, p.y - 0.15, p.z - 0.1);
  double length = sqrt(e.x * e.x + e.y * e.y + e.z * e.z);
  *normal = vec3_scale(e, 1 / length);
  return length;
}

static const impact impacts[] = {
    {"{\"type\":\"plane\"}", ",\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":30}", {0.1, -0.006, 0.0105}, {0, 0.5, -0.8}, to_plane},
    {"{\"type\":\"sphere\",\"radius\":0.05}", "", {0.03, 0.02, 0.049}, {-0.3, -0.2, -0.5}, to_ball},
    {"{\"type\":\"cylinder\",\"radius\":0.03,\"length\":0.2}",
     ",\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":90}",
     {0.03, 0.07, 0.0275},
     {-0.5, 0.1, -0.5},
     to_rod},
    {OBSTACLE_BOX, "", {0.208, 0.03, 0.107}, {-0.5, 0.1, -0.5}, to_edge},
    {OBSTACLE_MESH_BOX, "", {0.208, 0.03, 0.107}, {-0.5, 0.1, -0.5}, to_edge},
    {OBSTACLE_BOX, "", {0.206, 0.157, 0.1065}, {-0.5, -0.5, -0.5}, to_corner},
    {OBSTACLE_MESH_BOX, "", {0.206, 0.157, 0.1065}, {-0.5, -0.5, -0.5}, to_corner},
};

/* F = -k (r - phi) grad phi on the obstacle, k = E r, its torque about the obstacle's position p x F: spec 3.6. To round-off of coordinates
 * of half a metre against overlaps of millimetres. */
static void test_the_force_on_each_kind_of_obstacle_is_the_formulas(void **state)
{
  (void)state;
  const scr_vec3 place = vec3(0.5, -0.25, 0.125);
  double worst = 0;
  for (size_t k = 0; k < sizeof impacts / sizeof *impacts; k++) {
    const impact *i = &impacts[k];
    bdem_run r = open_sphere(i->shape, i->rest, vec3_add(place, i->from), i->way, 1e-4);
    double stiffness = run_state(&r)->model.options->contact_stiffness_factor * modulus * radius, deepest = 0;
    for (int step = 0; step < 60; step++) {
      run_steps(&r, 1);
      run_observe(&r);
      scr_vec3 normal, p = vec3_sub(run_state(&r)->body.position[0], place);
      double overlap = fmax(0, radius - i->distance(p, &normal));
      scr_vec3 force = vec3_scale(normal, -stiffness * overlap);
      deepest = fmax(deepest, overlap);
      worst = fmax(worst, vec3_length(vec3_sub(part_force(&r), force)) / (stiffness * radius));
      worst = fmax(worst, vec3_length(vec3_sub(part_torque(&r), vec3_cross(p, force))) / (stiffness * radius * radius));
    }
    assert_true(deepest > 0.03 * radius); /* v / omega is 0.045 r and more */
    run_close(&r);
  }
  claim_absolute("force and torque on obstacles, worst error over k r and k r^2", worst, 0, 1e-12, "penalty's formula, spec 3.6");
}

/* With w = sqrt(k / m), leapfrog takes the step in which contact begins as if it were all free or all in contact: the energy changes by
 * k (v dt)^2 / 8 at the most there, which is (w dt)^2 / 4 of all energy, and as much where contact ends. */
static void test_a_bounce_keeps_energy(void **state)
{
  (void)state;
  static const double steps[2] = {1e-4, 1e-5};
  for (int k = 0; k < 2; k++) {
    bdem_run r = open_sphere("{\"type\":\"sphere\",\"radius\":0.05}", "", vec3(0.53, -0.23, 0.185), vec3(-0.3, -0.2, -0.5), steps[k]);
    double mass = run_state(&r)->body.mass[0], bound = modulus * radius / mass * steps[k] * steps[k] / 2;
    run_observe(&r);
    double before = run_value(&r, "energy.kinetic");
    run_until(&r, 0.02);
    run_observe(&r);
    double lost = fabs(run_value(&r, "energy.kinetic") / before - 1);
    assert_true(vec3_dot(run_state(&r)->body.velocity[0], vec3(-0.3, -0.2, -0.5)) < 0); /* it came back */
    assert_true(part_force(&r).z == 0);
    claim_absolute(k ? "bounce, step 0.01 ms: energy lost" : "bounce, step 0.1 ms: energy lost", lost, 0, bound, "2 (w dt)^2 / 4");
    run_close(&r);
  }
}

/* A block of 27 bonded spheres meets a moving, turned mesh. Velocity Verlet gives momentum dt (F_0 + F_1) / 2 a step, so the trapezium rule
 * over the reported force is exact. Contacts at faces are stiff: at the step that the bonds allow, 0.24 ms, the balance is off by 7e-3
 * while the block is pressed, at half of it by 1e-3, at a quarter by 1.5e-4. The run takes half of it and is free again at its end. */
static void test_momentum_lost_is_the_integral_of_the_parts_force(void **state)
{
  (void)state;
  char text[3000];
  snprintf(text, sizeof text,
           "{\"name\":\"block\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e6}],"
           "\"specimens\":[{\"name\":\"s\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[0.06,0.06,0.06]},"
           "\"placement\":{\"type\":\"single\",\"position\":[0.02,0,0.2]},\"velocity\":[0.1,0,-1]}],"
           "\"obstacles\":[{\"name\":\"o\",\"position\":[0,0,0],\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":10},\"direction\":[0.1,0,1],"
           "\"program\":[{\"type\":\"constant\",\"velocity\":0.5}],\"shape\":%s}],\"time\":{\"duration\":10,\"time_step\":1.2e-4}}",
           OBSTACLE_MESH_BOX);
  bdem_run r = run_open(text, 1);
  scr_vec3 start, now, angular, integral = vec3(0, 0, 0), last = vec3(0, 0, 0);
  double dt = scr_sim_time_step(r.sim), most = 0;
  run_momenta(&r, &start, &angular);
  for (int k = 0; k < 3000; k++) {
    run_steps(&r, 1);
    run_observe(&r);
    scr_vec3 force = part_force(&r);
    integral = vec3_add(integral, vec3_scale(vec3_add(last, force), 0.5 * dt));
    most = fmax(most, vec3_length(force));
    last = force;
  }
  run_momenta(&r, &now, &angular);
  double error = vec3_length(vec3_add(vec3_sub(now, start), integral)) / vec3_length(start);
  assert_true(most > 1 && vec3_length(vec3_sub(now, start)) > 0.5 * vec3_length(start));
  claim_absolute("momentum taken by a moving mesh: error over the start's", error, 0, 1e-12, "integral of the force");
  claim_absolute("energy balance error with a moving mesh", run_value(&r, "energy.balance_error"), 0, 1e-3, "conservation of energy");
  run_close(&r);
}

/* The same run against a box and against its twelve triangles: their distances differ by round-off, and so does all that follows. */
static void test_a_mesh_of_a_box_does_what_the_box_does(void **state)
{
  (void)state;
  static const char *const shapes[2] = {OBSTACLE_BOX, OBSTACLE_MESH_BOX};
  bdem_run runs[2];
  double worst = 0;
  for (int k = 0; k < 2; k++) {
    char text[3000];
    snprintf(text, sizeof text,
             "{\"name\":\"block\",\"method\":\"bdem\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e6}],"
             "\"contact\":{\"friction_coefficient\":0.3,\"damping_ratio\":0.1},"
             "\"specimens\":[{\"name\":\"s\",\"material\":\"m\",\"spacing\":0.02,\"shape\":{\"type\":\"sphere\",\"radius\":0.05},"
             "\"placement\":{\"type\":\"single\",\"position\":[0.19,0.01,0.17]},\"velocity\":[0,0,-1]}],"
             "\"obstacles\":[{\"name\":\"o\",\"position\":[0.01,0,0],\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":5},\"shape\":%s}],"
             "\"time\":{\"duration\":10}}",
             shapes[k]);
    runs[k] = run_open(text, 1);
    run_steps(&runs[k], 600);
    run_observe(&runs[k]);
  }
  const bdem_body *a = &run_state(&runs[0])->body, *b = &run_state(&runs[1])->body;
  for (size_t i = 0; i < a->sphere_count; i++) worst = fmax(worst, vec3_length(vec3_sub(a->position[i], b->position[i])) / radius);
  assert_true(run_value(&runs[0], "energy.friction") > 0);
  claim_absolute("sphere on box and on its mesh after 600 steps: positions apart over r", worst, 0, 1e-12, "the box");
  for (int k = 0; k < 2; k++) run_close(&runs[k]);
}

SUITE(validate_obstacles)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_force_on_each_kind_of_obstacle_is_the_formulas),
      cmocka_unit_test(test_a_bounce_keeps_energy),
      cmocka_unit_test(test_momentum_lost_is_the_integral_of_the_parts_force),
      cmocka_unit_test(test_a_mesh_of_a_box_does_what_the_box_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
