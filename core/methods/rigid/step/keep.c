/* Contact problems of single steps kept as FCLIB files: any scene makes a set to try solvers on. */
#include <stdio.h>

#include "contact/files/fclib.h"
#include "methods/rigid/state/state.h"

/* What goes into a file. */
typedef struct kept_problem {
  const contact_problem *problem;
  const rigid_problem *solution; /* NULL: it was not solved */
  const char *title;
} kept_problem;

/* A file's own tables; then 12 bytes an entry of M and H (those of a ball: 12 and at most 2 x 18), and vectors f, v; w, u, r, mu. */
double rigid_kept_bytes(double bodies, double contacts)
{
  return 16384 + bodies * (12 * 12 + 6 * 4 + 12 * 8) + contacts * (36 * 12 + 3 * 4 + 10 * 8);
}

static scr_status write_problem(const void *what, const char *path, scr_error *error)
{
  const kept_problem *kept = what;
  const rigid_problem *solution = kept->solution;
  if (!solution) return fclib_write(path, kept->problem, NULL, NULL, NULL, kept->title, error);
  return fclib_write(path, kept->problem, solution->velocity, solution->relative, solution->impulse, kept->title, error);
}

scr_status rigid_keep_problem(scr_sim *sim, scr_error *error)
{
  rigid_state *s = sim->state;
  const contact_problem *problem = &s->problem.solved;
  const rigid_options *options = s->options;
  uint64_t step = sim->steps + 1, bytes = 0;
  char name[SIM_FILE_NAME_LENGTH], title[200];
  bool due = s->kept.count < (uint64_t)options->recorded_problems && (step - 1) % (uint64_t)options->recorded_every == 0;
  if (!due || s->report.sticking + s->report.sliding == 0) return SCR_OK;
  double size = rigid_kept_bytes((double)problem->block_count, (double)problem->contact_count);
  if ((double)s->kept.bytes + size > options->recorded_bytes) return SCR_OK;
  snprintf(name, sizeof name, "problems/step_%09llu.hdf5", (unsigned long long)step);
  snprintf(title, sizeof title, "%.80s, step %llu of %.6g s, relative residual %.3g", s->scene->name, (unsigned long long)step,
           s->contact_time, s->report.residual);
  bool solved = s->report.excess <= 1;
  const kept_problem kept = {problem, solved ? &s->problem : NULL, title};
  SCR_TRY(sim_write_file(&sim->files, name, write_problem, &kept, &bytes, error));
  s->kept.count += bytes > 0;
  s->kept.bytes += bytes;
  return SCR_OK;
}
