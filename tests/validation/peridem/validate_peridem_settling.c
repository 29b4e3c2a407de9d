/* Energy of bodies that fall and come to rest. */
#include "tests/validation/peridem/peridem_case.h"
#include "tests/support/suites.h"

typedef struct scene_law {
  const char *options;
  double friction, damping; /* coefficient, ratio */
  double time_step;         /* s; 0: the default */
} scene_law;

/* Soft cubes of 4^3 nodes above a floor, turned, the second above the first. */
static sim_run open_cubes(double height, const scene_law *law)
{
  char text[1600], step[48] = "";
  if (law->time_step > 0) snprintf(step, sizeof step, ",\"time_step\":%.17g", law->time_step);
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"cubes\",\"method\":\"peridem\",\"materials\":[{\"name\":\"gel\",\"density\":1200,\"bulk_modulus\":2e6}],"
      "\"contact\":{\"friction_coefficient\":%g,\"damping_ratio\":%g},\"specimens\":[{\"name\":\"c\",\"material\":\"gel\","
      "\"spacing\":2.5e-4,\"shape\":{\"type\":\"box\",\"size\":[1e-3,1e-3,1e-3]},\"placement\":{\"type\":\"list\",\"positions\":"
      "[[0,0,%.17g],[3e-4,1e-4,%.17g]]},\"rotation\":{\"axis\":[1,2,3],\"angle_deg\":35}}],"
      "\"rig\":{\"type\":\"box\",\"minimum\":[-3e-3,-3e-3,0],\"maximum\":[3e-3,3e-3,2e-2],\"gravity\":[0,0,-9.81]},"
      "\"time\":{\"duration\":0.2%s},\"options\":{%s}}",
      law->friction, law->damping, height, height + 1.8e-3, step, law->options);
  return run_open(text, 1);
}

/* Verlet is exact under a constant force: the kinetic energy is m g^2 t^2 / 2, and nothing else holds energy. Tolerance: rounding of some
 * thousand steps. */
static void test_free_fall_is_exact(void **state)
{
  (void)state;
  static const scene_law law = {"", 0.5, 0.5, 0};
  sim_run run = open_cubes(1e-2, &law);
  run_steps(&run, 2000);
  double t = scr_sim_time(run.sim), mass = 1200 * 2 * 1e-9;
  claim_relative("kinetic energy of falling cubes, J", run_curve(&run, "energy.kinetic"), 0.5 * mass * 9.81 * 9.81 * t * t, 1e-9,
                 "free fall");
  claim_absolute("energy balance error", run_value(&run, "energy.balance_error"), 0, 1e-9, "conservation of energy");
  claim_absolute("contact and elastic energy over kinetic",
                 (run_value(&run, "energy.elastic") + run_value(&run, "energy.contact")) / run_value(&run, "energy.kinetic"), 0, 1e-9,
                 "a rigid motion");
  run_close(&run);
}

/* Two cubes fall 1 mm, hit the floor and each other, and come to rest within 150 ms. */
typedef struct settled {
  double worst, kinetic, lost; /* largest energy.balance_error; over the largest kinetic energy; over the external work */
} settled;

static settled settle(const scene_law *law, double milliseconds)
{
  sim_run run = open_cubes(2e-3, law);
  settled found = {0};
  double fastest = 0;
  for (int milli = 1; milli <= milliseconds; milli++) {
    run_until(&run, milli * 1e-3);
    run_observe(&run);
    found.worst = fmax(found.worst, fabs(run_value(&run, "energy.balance_error")));
    fastest = fmax(fastest, run_value(&run, "energy.kinetic"));
  }
  found.kinetic = run_value(&run, "energy.kinetic") / fastest;
  found.lost = (run_value(&run, "energy.damping") + run_value(&run, "energy.friction")) / run_value(&run, "energy.external");
  run_close(&run);
  return found;
}

/* All along the ledger must add up: limited damping and springs of friction are booked exactly. By faces the potential is one, whichever of
 * their faces tumbling cubes look at each other with, and friction's work is that of the forces it gives. What is left is Verlet's error
 * and what dampers take of it, of second order in the step: 1e-3 of the largest energy at half the default step, four times that at the
 * default, and without damping 1e-3 at the default. (With one face picked of several it was 1e-2 at any step, and 0.5 with friction
 * alone.) */
static void test_settling_keeps_the_balance(void **state)
{
  (void)state;
  static const scene_law faces = {"", 0.5, 0.5, 0}, half = {"", 0.5, 0.5, 1e-6}, rough = {"", 0.5, 0, 0}, smooth = {"", 0, 0, 0},
                         body = {PAPER_BODY, 0.5, 0.5, 0};
  settled found = settle(&faces, 150);
  claim_absolute("by faces: largest energy balance error", found.worst, 0, 4e-3, "second order in the step");
  claim_between("by faces: kinetic energy at 150 ms over the largest", found.kinetic, 0, 0.02, "they rest, all but");
  claim_between("by faces: dissipated over external work", found.lost, 0.9, 1, "what fell and rests has lost it");
  claim_absolute("by faces, friction alone: largest energy balance error", settle(&rough, 60).worst, 0, 1e-3, "conservation of energy");
  claim_absolute("by faces, neither: largest energy balance error", settle(&smooth, 60).worst, 0, 1e-3, "conservation of energy");
  if (!claim_slow_part("half the step, and contact by half a spacing")) return;
  claim_absolute("by faces, half the step: largest energy balance error", settle(&half, 150).worst, 0, 1e-3, "conservation of energy");
  found = settle(&body, 150);
  claim_absolute("by half a spacing: largest energy balance error", found.worst, 0, 1e-3, "conservation of energy");
  claim_between("by half a spacing: kinetic energy at 150 ms over the largest", found.kinetic, 0, 0.02, "they rest, all but");
  claim_between("by half a spacing: dissipated over external work", found.lost, 0.9, 1, "what fell and rests has lost it");
}

/* A bar breaks on a cube that breaks too: nodes that lose bonds lose their faces, and from then on press as debris does. What that changes
 * of the energy of contacts, and half of their force over the step after, is fracture's. As without breaking only Verlet's error is left,
 * of second order: 1e-3 of the largest energy at 10 ns, a quarter of it at 5 ns. (Unbooked it was 1.5e-2 at any step.) */
static double break_bar(const char *contact, double time_step, double *fracture)
{
  char text[2048];
  double worst = 0, speed = 60;
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"bar\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e9,"
           "\"fracture_energy\":20}],\"contact\":{%s},\"specimens\":[{\"name\":\"a\",\"material\":\"m\",\"spacing\":1e-4,"
           "\"shape\":{\"type\":\"box\",\"size\":[8e-4,8e-4,8e-4]},\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}},"
           "{\"name\":\"b\",\"material\":\"m\",\"spacing\":1e-4,\"shape\":{\"type\":\"box\",\"size\":[4e-4,4e-4,8e-4]},"
           "\"placement\":{\"type\":\"single\",\"position\":[1e-4,0,8.05e-4]},\"velocity\":[0,0,%g]}],\"rig\":{\"type\":\"none\"},"
           "\"time\":{\"duration\":5e-6,\"time_step\":%.17g},\"options\":{\"self_contact\":false}}",
           contact, -speed, time_step);
  sim_run run = run_open(text, 1);
  for (int k = 1; k <= 50; k++) {
    run_until(&run, k * 1e-7);
    run_observe(&run);
    worst = fmax(worst, fabs(run_value(&run, "energy.balance_error")));
  }
  *fracture = run_value(&run, "energy.fracture") / (0.5 * 1200 * 128e-12 * speed * speed);
  run_close(&run);
  return worst;
}

static void test_nodes_that_lose_their_faces_keep_the_balance(void **state)
{
  (void)state;
  static const char smooth[] = "\"friction_coefficient\":0,\"damping_ratio\":0",
                    rough[] = "\"friction_coefficient\":0.5,\"damping_ratio\":0.5";
  double fracture, worst = break_bar(smooth, 1e-8, &fracture);
  claim_between("a bar breaks on a cube: fracture over its kinetic energy", fracture, 0.1, 0.5, "both break widely");
  claim_absolute("a bar breaks on a cube: largest energy balance error", worst, 0, 1e-3, "conservation of energy");
  claim_absolute("the same at half the step", break_bar(smooth, 5e-9, &fracture), 0, 2.5e-4, "second order");
  claim_absolute("the same with friction and damping", break_bar(rough, 1e-8, &fracture), 0, 1e-3, "conservation of energy");
}

SUITE(validate_peridem_settling)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_free_fall_is_exact),
      cmocka_unit_test(test_settling_keeps_the_balance),
      cmocka_unit_test(test_nodes_that_lose_their_faces_keep_the_balance),
  };
  return cmocka_run_group_tests_name("peridem settling", tests, NULL, NULL);
}
