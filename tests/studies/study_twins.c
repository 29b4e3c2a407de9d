/* Twin experiments on real runs: how often hidden parameters lie in the intervals of a calibration. Prints a section for each model, or for
 * the one that is named, with other seeds if a first one is given: tests/reports/validation/TWINS.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/twin.h"

enum { SHOWN = 10 }; /* tries in a table */

/* The tries of one model, as a table; false: one of them could not be made. */
static bool study(const twin_model *model, uint64_t first_seed)
{
  size_t covered = 0, undetermined = 0, runs = 0, most = 0;
  printf("\n## %s\n\n| try | parameter | hidden | found | interval | runs |\n|---|---|---|---|---|---|\n", model->name);
  for (uint64_t try = 0; try < model->tries; try++) {
    twin_result one;
    scr_error error = {0};
    if (twin_experiment(model, first_seed + try, &one, &error) != SCR_OK) {
      fprintf(stderr, "%s, try %d: %s\n", model->name, (int)try + 1, error.message);
      return false;
    }
    for (size_t i = 0; try < SHOWN && i < model->unknown_count; i++) {
      const estimate_parameter *of = &one.found.parameters[i];
      printf("| %d | %s | %.4g | %.4g | %.4g to %.4g%s%s | %zu |\n", (int)try + 1, model->unknowns[i].name, one.truth[i], of->best, of->low,
             of->high, of->undetermined ? ", undetermined" : "", of->low <= one.truth[i] && one.truth[i] <= of->high ? "" : ", **missed**",
             one.runs);
    }
    fflush(stdout);
    covered += one.covered;
    undetermined += one.undetermined;
    runs += one.runs;
    most = one.runs > most ? one.runs : most;
  }
  printf("\nAll parameters in their intervals: %zu of %zu tries, with %.0f runs each in the mean and %zu at most. ", covered, model->tries,
         (double)runs / (double)model->tries, most);
  if (model->idle)
    printf("%s is called undetermined, and no other: %zu of %zu.\n", model->unknowns[model->idle - 1].name, undetermined, model->tries);
  else
    printf("None is called undetermined: %zu of %zu.\n", undetermined, model->tries);
  return true;
}

static void print_head(uint64_t first_seed)
{
  printf(
      "# Twin experiments\n\nWritten by `make study-twins`. Scree makes curves with hidden parameters, noise of 5 %% of their range is "
      "added, and a\n"
      "calibration looks for the parameters: Sobol's start, BOBYQA with the fit of the residuals as a model, a star at the end. At most 60 "
      "runs, of\n"
      "peridem 120; a point of two tests is two runs. All parameters have to lie in their intervals, which hold together at 95 %% (each at "
      "1 - 0.05 /\n"
      "parameters), in at least 9 of 10 tries: 9.5 of 10 are to be expected of exact ones. Tables show the first ten tries; seeds from "
      "%d on. Intervals of each parameter alone at 95 %% were tried first: of two parameters both lay in theirs in 89 of 100 tries of "
      "rigid,\n"
      "and in 7 of the first 10 of these seeds; so intervals were made to hold together.\n\n"
      "- rigid: friction and density of a block that slides to rest, from the heat of friction\n"
      "- idle: the same two from how far the block slides, on which its density has no effect\n"
      "- bdem: modulus and friction from two tests at once, a beam that sags and a block that slides\n"
      "- peridem: modulus, fracture energy and friction from two tests at once, a bar that is pulled apart and a block that slides\n",
      (int)first_seed);
}

/* study_twins [MODEL [FIRST_SEED]] */
int main(int argc, char **argv)
{
  const twin_model *const models[] = {&twin_rigid, &twin_idle, &twin_bdem, &twin_peridem};
  uint64_t first_seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 201;
  bool whole = true;
  if (argc < 2) print_head(first_seed);
  for (size_t m = 0; m < sizeof models / sizeof *models; m++)
    if (argc < 2 || strcmp(argv[1], models[m]->name) == 0) whole &= study(models[m], first_seed);
  return whole ? 0 : 1;
}
