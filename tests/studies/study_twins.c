/* Twin experiments on real runs: how often hidden parameters lie in the intervals of a calibration. Prints a section for each model, or for
 * the one that is named: tests/reports/validation/TWINS.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/twin.h"

enum { TRIES = 10 };

static int study(const twin_model *model)
{
  size_t covered = 0, runs = 0;
  printf("\n## %s\n\n| try | parameter | hidden | found | 95 %% interval | runs |\n|---|---|---|---|---|---|\n", model->name);
  for (uint64_t seed = 1; seed <= TRIES; seed++) {
    twin_result one;
    scr_error error = {0};
    if (twin_experiment(model, seed, &one, &error) != SCR_OK) {
      fprintf(stderr, "%s, try %d: %s\n", model->name, (int)seed, error.message);
      return 1;
    }
    for (size_t i = 0; i < model->unknown_count; i++) {
      const estimate_parameter *of = &one.found.parameters[i];
      printf("| %d | %s | %.4g | %.4g | %.4g to %.4g%s | %zu |\n", (int)seed, model->unknowns[i].name, one.truth[i], of->best, of->low,
             of->high, of->low <= one.truth[i] && one.truth[i] <= of->high ? "" : ", **missed**", one.runs);
    }
    fflush(stdout);
    covered += one.covered;
    runs += one.runs;
  }
  printf("\nAll parameters in their intervals: %zu of %d tries, with %.0f runs each in the mean.\n", covered, TRIES, (double)runs / TRIES);
  return 0;
}

static void print_head(void)
{
  printf("# Twin experiments\n\nWritten by `make study-twins`. Scree makes curves with hidden parameters, noise of 5 %% of their range is "
         "added, and a\n"
         "calibration looks for the parameters: Sobol's start, BOBYQA, a star at the end, at most 60 runs (peridem 100). All of them have "
         "to lie in\n"
         "their own 95 %% intervals in at least 9 of 10 tries. Of exact intervals 9.0 tries are to be expected with two parameters, 8.6 "
         "with three.\n\n"
         "- rigid: friction and density of a block that slides to rest, from the heat of friction\n"
         "- bdem: modulus and friction from two tests at once, a beam that sags and a block that slides\n"
         "- peridem: modulus, fracture energy and friction from two tests at once, a bar that is pulled apart and a block that slides\n");
}

int main(int argc, char **argv)
{
  const twin_model *const models[] = {&twin_rigid, &twin_bdem, &twin_peridem};
  int failed = 0;
  print_head();
  for (size_t m = 0; m < sizeof models / sizeof *models; m++)
    if (argc < 2 || strcmp(argv[1], models[m]->name) == 0) failed |= study(models[m]);
  return failed;
}
