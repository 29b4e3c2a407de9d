/* The five ways in which level sets follow modes, on a thin bar and on a ball: error, time of a query, time of an update, bytes. One
 * thread. Prints rows "grain|way|largest|rms|ns a query|ms an update|bytes a grain|bytes a template" for tests/studies/study_lsdem.py. */
#include "tests/support/follow_case.h"

/* The amplitude of the first mode half way between the two samples that hold it. */
static double between(const follow_grain *what, size_t samples)
{
  lsdem_template *grain = follow_template(what, what->spacing, LSDEM_FOLLOW_PULL_BACK, 0);
  double step = 2 * what->largest / (double)(samples - 1) / grain->mode_peak[0],
         half = step * (floor(fabs(what->amplitude[0]) / step) + 0.5);
  follow_end(grain);
  return copysign(half, what->amplitude[0]);
}

static void compare(const char *name, const follow_grain *what)
{
  geo_mesh_tree *exact = follow_exact(what, 0.25 * what->spacing);
  const follow_way ways[] = {
      {"pull_back, 3 iterations", LSDEM_FOLLOW_PULL_BACK, 3, 0, 0},
      {"remap, 1 iteration", LSDEM_FOLLOW_REMAP, 1, 0, 0},
      {"remap, 3 iterations", LSDEM_FOLLOW_REMAP, 3, 0, 0},
      {"recompute", LSDEM_FOLLOW_RECOMPUTE, 3, 0, 1},
      {"advect, 20 updates", LSDEM_FOLLOW_ADVECT, 3, 0, 20},
      {"advect, 100 updates", LSDEM_FOLLOW_ADVECT, 3, 0, 100},
      {"precomputed, 3 shapes a mode", LSDEM_FOLLOW_PRECOMPUTED, 3, 3, 0},
      {"precomputed, 5 shapes a mode", LSDEM_FOLLOW_PRECOMPUTED, 3, 5, 0},
      {"precomputed, 9 shapes a mode", LSDEM_FOLLOW_PRECOMPUTED, 3, 9, 0},
      {"precomputed, 17 shapes a mode", LSDEM_FOLLOW_PRECOMPUTED, 3, 17, 0},
  };
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    follow_grain now = *what;
    geo_mesh_tree *there = NULL;
    if (ways[k].following == LSDEM_FOLLOW_PRECOMPUTED) { /* at its worst */
      now.amplitude[0] = between(what, ways[k].samples);
      there = follow_exact(&now, 0.25 * what->spacing);
    }
    follow_result r = follow_measure(&now, &ways[k], there ? there : exact, 60000, 20);
    geo_mesh_tree_destroy(there);
    printf("%s|%s|%.4g|%.4g|%.0f|%.1f|%.0f|%.0f\n", name, ways[k].name, r.largest, r.rms, 1e9 * r.query, 1e3 * r.update, r.per_grain,
           r.per_template);
    fflush(stdout);
  }
  geo_mesh_tree_destroy(exact);
}

int main(void)
{
  compare("bar", &follow_bar);
  compare("ball", &follow_ball);
  return 0;
}
