/* Cohesion of sand: it holds back what opens, and pulls nothing together. */
#include <math.h>

#include "methods/granular/law/cone.h"
#include "methods/granular/step/stages.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

/* The graph of rate over impulse: r0 = 0 while the cell opens, up to b at rest, b while it closes within its gap, more once that is used
 * up. On it the closed step stays where it is; off it, it goes back onto it. Weights and numbers are arbitrary. */
static void test_the_step_rests_on_the_graph_of_cohesion(void **state)
{
  (void)state;
  const double b = 3, gap = 0.4, inverse = 0.7;
  const struct {
    double r0, rate; /* without the gap */
    bool lawful;
  } rows[] = {{0, 0.6, true},  {1.2, 0, true},     {3, 0, true},     {3, -0.15, true},  {3, -0.4, true},
              {5, -0.4, true}, {1.2, -0.2, false}, {5, -0.1, false}, {0, -0.05, false}, {3, 0.2, false}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    double r[GRANULAR_TENSOR] = {rows[k].r0}, g[GRANULAR_TENSOR] = {rows[k].rate + gap};
    g[0] = cone_cohesive_rate(r[0], g[0], gap, inverse, b);
    cone_step(2, r, g, inverse, inverse, 0.4);
    double moved = fabs(r[0] - rows[k].r0), residual = cone_residual(2, (double[GRANULAR_TENSOR]){rows[k].r0}, g, 1 / inverse, 0.4);
    if (rows[k].r0 == 0 && rows[k].lawful) residual = 0; /* gas: the residual is asked of cells that press */
    if (rows[k].lawful ? moved > 1e-14 || residual > 1e-14 : moved < 0.03 || residual < 0.03)
      fail_msg("impulse %g, rate %g: moved by %g, residual %g", rows[k].r0, rows[k].rate, moved, residual);
  }
  claim_relative("over-full: rate", cone_cohesive_rate(5, 0.3, -0.2, inverse, b), 0.3, 1e-14, "no gap, no change");
}

/* A block of 10 x 10 cells, a twentieth short of full, that breathes at a rate in all directions, without gravity: what one step of it
 * takes out of the motion as cohesion, and into it, J. */
static double breathe(double cohesion, double rate, double *gained)
{
  char text[1200];
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"breath\",\"method\":\"granular\",\"materials\":[{\"name\":\"sand\",\"density\":2500,\"packing_fraction\":0."
      "6,"
      "\"internal_friction\":0.4,\"cohesion\":%g}],\"specimens\":[{\"name\":\"block\",\"material\":\"sand\",\"shape\":{\"type\":\"box\","
      "\"size\":[0.1,0.05,0.1]},\"placement\":{\"type\":\"single\",\"position\":[0.1,0.025,0.1]}}],\"rig\":{\"type\":\"box\",\"minimum\":"
      "[0,0,0],\"maximum\":[0.2,0.05,0.2],\"gravity\":[0,0,0]},\"options\":{\"dimension\":\"plane\",\"cell\":0.01,\"tolerance\":1e-9,"
      "\"sweeps\":200},"
      "\"time\":{\"duration\":1,\"time_step\":1e-4},\"output\":{\"frame_interval\":1,\"sample_interval\":1}}",
      cohesion);
  sim_run r = run_open(text, 1);
  granular_state *s = r.sim->state;
  for (size_t i = 0; i < s->point_count; i++) {
    granular_point *p = &s->points[i];
    p->volume *= 0.95, p->packing = 0.95;
    for (int a = 0; a < 2; a++) p->u[a] = rate * (p->x[a] - 0.1), p->c[a][a] = rate;
  }
  double before = 0, after = 0;
  for (size_t i = 0; i < s->point_count; i++) before += granular_point_energy(s, &s->points[i]);
  run_steps(&r, 1);
  for (size_t i = 0; i < s->point_count; i++) after += granular_point_energy(s, &s->points[i]);
  *gained = (after - before) / before;
  double taken = run_curve(&r, "energy.fracture");
  run_close(&r);
  return taken;
}

/* Sand at 95 % of its densest has half its cohesion (nine tenths: none). Opening at 20/s takes c/2 times the volume that opens,
 * 2 x 20/s x 1e-4 s of its sand (1 %: nodes on the surface, half as heavy, slow by c dt/(rho h) = 0.7 % of 1 m/s in the step). Closing
 * takes nothing, and is not driven: what was torn has no bond that could pull (1e-10: sweeps end at a residual of 1e-9). */
static void test_cohesion_takes_from_what_opens_alone(void **state)
{
  (void)state;
  double gained, without, volume = 0.95 * 0.1 * 0.1 * 0.05;
  claim_relative("sand that opens: work against cohesion, J", breathe(1000, 20, &gained), 0.5 * 1000 * volume * 2 * 20 * 1e-4, 1e-2,
                 "c times the volume that opens");
  claim_absolute("sand without cohesion: work against it, J", breathe(0, 20, &without), 0, 0, "there is none");
  claim_between("sand that opens: energy lost for cohesion, of all", without - gained, 1e-4, 0.1, "it is slowed down");
  claim_absolute("sand that closes: work against cohesion, J", breathe(1000, -20, &gained), 0, 0, "none is torn");
  (void)breathe(0, -20, &without);
  claim_absolute("sand that closes: energy gained by cohesion, of all", gained - without, 0, 1e-10, "nothing pulls it together");
}

SUITE(test_granular_cohesion)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_step_rests_on_the_graph_of_cohesion),
      cmocka_unit_test(test_cohesion_takes_from_what_opens_alone),
  };
  return cmocka_run_group_tests_name("granular cohesion", tests, NULL, NULL);
}
