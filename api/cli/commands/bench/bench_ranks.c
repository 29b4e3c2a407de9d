#define _XOPEN_SOURCE 700 /* nftw */
#include "api/cli/commands/bench/bench_ranks.h"

#include <ftw.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/commands/run_shared.h"
#include "api/cli/interrupt.h"
#include "base/error.h"

/* The scene with so many steps and ranks, and nothing in between recorded. */
static char *text_of(const scr_scene *scene, unsigned ranks, uint64_t steps)
{
  char *whole = scr_scene_json(scene);
  json_t *root = whole ? json_loads(whole, 0, NULL) : NULL, *time = json_object_get(root, "time");
  double step = scr_scene_estimate(scene)->time_step, duration = step * (double)steps;
  free(whole);
  if (!time) {
    json_decref(root);
    return NULL;
  }
  json_object_del(time, "stop");
  json_object_set_new(time, "time_step", json_real(step));
  json_object_set_new(time, "duration", json_real(duration));
  json_object_set_new(root, "output", json_pack("{s:f, s:f}", "frame_interval", duration, "sample_interval", duration));
  json_object_set_new(root, "run", json_pack("{s:i}", "ranks", (int)ranks));
  char *text = json_dumps(root, JSON_REAL_PRECISION(17));
  json_decref(root);
  return text;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
  (void)about, (void)kind, (void)where;
  return remove(path);
}

static scr_run_answer look(void *user, const scr_run_progress *progress)
{
  (void)user, (void)progress;
  return interrupt_came() ? SCR_RUN_CANCEL : SCR_RUN_GO_ON;
}

static scr_status time_run(const scr_scene *scene, unsigned ranks, uint64_t steps, double *seconds, scr_error *error)
{
  char folder[] = "/tmp/scree-bench-XXXXXX";
  char *text = text_of(scene, ranks, steps);
  scr_scene *shared = NULL;
  scr_problems problems = {0};
  if (!text) return scr_fail(error, SCR_NO_MEMORY, NULL, "no memory for the scene's text");
  scr_status status = scr_scene_parse(text, strlen(text), NULL, &shared, &problems);
  free(text);
  if (status != SCR_OK)
    scr_fail(error, status, "/run/ranks", "the scene can't be measured over ranks: %s", problems.count ? problems.items[0].detail : "");
  scr_problems_clear(&problems);
  if (status != SCR_OK) return status;
  if (!mkdtemp(folder)) {
    scr_scene_destroy(shared);
    return scr_fail(error, SCR_IO, NULL, "could not make a folder in /tmp");
  }
  const scr_run_options options = {.directory = folder, .threads = 1, .checkpoint_seconds = 1e6, .progress_seconds = 0.2, .progress = look};
  double begun = interrupt_clock();
  status = run_shared(shared, &options, error);
  *seconds = interrupt_clock() - begun;
  if (status != SCR_IO) nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS); /* else the message names the log in it */
  scr_scene_destroy(shared);
  return status;
}

scr_status bench_time_ranks(const scr_scene *scene, unsigned ranks, double about, double turn_seconds, ranks_timing *timing,
                            scr_error *error)
{
  if (timing->few == 0) timing->few = (uint64_t)fmin(fmax(0.5 * turn_seconds / about, 10), 1e6);
  for (int k = 0; k < 2 && !interrupt_came(); k++) {
    double seconds = INFINITY;
    SCR_TRY(time_run(scene, ranks, k ? 3 * timing->few : timing->few, &seconds, error));
    timing->least[k] = timing->least[k] > 0 ? fmin(timing->least[k], seconds) : seconds;
  }
  double apart = timing->least[1] - timing->least[0];
  timing->step_seconds = apart > 0 ? apart / (double)(2 * timing->few) : timing->least[1] / (double)(3 * timing->few);
  return SCR_OK;
}
