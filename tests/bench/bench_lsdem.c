/* Speed of method lsdem on one thread, one case a call, as JSON; tests/comparisons/lsdem_yade.py runs them in turns with Yade.
 *
 *     bench_lsdem none|isotropic   64 balls of 2118 nodes in a close cubic pack between six walls, rigid or with that mode: processor
 *     milliseconds a step, and nanoseconds per candidate node (every
 *                                  node of a grain for each neighbour whose cube it meets, and for each wall)
 *     bench_lsdem brute            nanoseconds a node, each of a ball asked about another that it touches, without culling */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lsdem_candidates.h"
#include "methods/lsdem/contact/query.h"
#include "methods/lsdem/state/state.h"
#include "sim/sim.h"

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void measure(const char *modes, int steps)
{
  char text[2000];
  snprintf(text, sizeof text,
           "{\"scree\": 1, \"name\": \"bench\", \"method\": \"lsdem\", \"materials\": [{\"name\": \"m\", \"density\": 2600, "
           "\"young_modulus\": 1e8, \"poisson_ratio\": 0.2}], \"contact\": "
           "{\"contact_stiffness\": 1e9, \"friction_coefficient\": 0.5}, \"specimens\": [{\"name\": \"balls\", \"material\": \"m\", "
           "\"spacing\": 1e-3, \"modes\": \"%s\", \"shape\": {\"type\": "
           "\"sphere\", \"radius\": 0.01}, \"placement\": {\"type\": \"lattice\", \"origin\": [0.01, 0.01, 0.01], \"pitch\": [0.0198, "
           "0.0198, 0.0198], \"count\": [4, 4, 4]}}], \"rig\": {\"type\": "
           "\"box\", \"minimum\": [0, 0, 0], \"maximum\": [0.0794, 0.0794, 0.0794]}, \"time\": {\"duration\": 1}}",
           modes);
  scr_scene *scene = NULL;
  scr_sim *sim = NULL;
  scr_problems problems = {0};
  scr_error error = {0};
  if (scr_scene_parse(text, strlen(text), NULL, &scene, &problems) != SCR_OK || scr_sim_create(scene, 1, &sim, &error) != SCR_OK) {
    fprintf(stderr, "%s\n", problems.count ? problems.items[0].detail : error.message);
    exit(1);
  }
  const lsdem_state *s = sim->state;
  double best = 1e9, candidates = lsdem_candidates(s);
  for (int turn = 0; turn < 3; turn++) {
    double start = now();
    for (int k = 0; k < steps; k++)
      if (scr_sim_step(sim, &error) != SCR_OK) exit(1);
    double took = (now() - start) / steps;
    if (took < best) best = took;
  }
  printf("{\"nodes\": %zu, \"pairs\": %zu, \"contacts\": %zu, \"ms\": %.4f, \"candidate_ns\": %.4f}\n", s->templates[0].node_count,
         s->near.share_count - s->parts_touching, s->pairs_touching + s->parts_touching, 1e3 * best, 1e9 * best / candidates);
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
}

/* Every node of a ball asked about another that it touches, without any culling: transform, look-up, gradient where it is below. */
static void measure_brute(void)
{
  enum { TURNS = 2000 };
  scr_shape ball = {.kind = SCR_SHAPE_SPHERE, .radius = 0.01};
  lsdem_recipe recipe = {.shape = &ball,
                         .form = {.power = 2},
                         .spacing = 1e-3,
                         .grid = 1e-3,
                         .unbiased = true,
                         .density = 2600,
                         .young = NAN,
                         .stiffness = NAN,
                         .modal_mass = NAN,
                         .table = "",
                         .table_factor = 1};
  static lsdem_template grain;
  scr_error error;
  if (lsdem_template_make(&grain, &recipe, execution_of(1), &error) != SCR_OK) exit(1);
  lsdem_view view = {.grain = &grain, .rotation = matrix_identity()};
  scr_matrix3 turn = matrix_of(quat_exp(vec3(0.3, -0.7, 1.1)));
  scr_vec3 shift = vec3(0.0198, 0, 0);
  size_t below = 0;
  double best = 1e9;
  for (int turns = 0; turns < 3; turns++) {
    double start = now();
    for (int k = 0; k < TURNS; k++)
      for (size_t n = 0; n < grain.node_count; n++) {
        lsdem_answer answer;
        below += lsdem_query(&view, vec3_add(matrix_times(&turn, grain.surface.vertex[n]), shift), 3, &answer) == LSDEM_BELOW;
      }
    double took = (now() - start) / ((double)TURNS * (double)grain.node_count);
    if (took < best) best = took;
  }
  printf("{\"nodes\": %zu, \"below\": %zu, \"ns\": %.4f}\n", grain.node_count, below / (3 * TURNS), best * 1e9);
  lsdem_template_clear(&grain);
}

int main(int count, char **given)
{
  if (count != 2) {
    fprintf(stderr, "bench_lsdem: say none, isotropic or brute\n");
    return 2;
  }
  if (strcmp(given[1], "brute") == 0)
    measure_brute();
  else
    measure(given[1], 100);
  return 0;
}
