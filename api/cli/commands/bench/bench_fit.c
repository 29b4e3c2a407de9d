#include "api/cli/commands/bench/bench_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/cli/commands/bench/bench_ranks.h"
#include "api/cli/commands/run_shared.h"
#include "api/cli/console.h"
#include "api/cli/interrupt.h"
#include "base/error.h"
#include "scene/scene.h"
#include "server/machine.h"

enum { SIZES = 3, COUNTS = 7 /* of ranks: 1 ... 64 */, TURNS = 3 };
static const unsigned edges[SIZES] = {10, 16, 24}; /* nodes along an edge: steps of about 0.1 to 1 ms */
static const double fits = 0.5;                    /* the largest difference of a model that is kept, relative */

typedef struct fit {
  unsigned ranks[COUNTS];
  size_t counts;
  double about[SIZES]; /* s a step on one rank, by the estimate */
  ranks_timing timing[SIZES][COUNTS];
  machine found;
} fit;

/* A cube of so many nodes along an edge, at rest and free, so that every node has as much to do as any other. */
static scr_status make_cube(unsigned edge, scr_scene **scene, scr_error *error)
{
  char text[1024];
  scr_problems problems = {0};
  double spacing = 1e-3 / edge;
  int length = snprintf(text, sizeof text,
                        "{\"scree\": 1, \"name\": \"cube-%u\", \"method\": \"peridem\", \"materials\": [{\"name\": \"glass\", \"density\": "
                        "2500, \"bulk_modulus\": 4e10, \"fracture_energy\": 100}], \"specimens\": [{\"name\": \"cube\", \"material\": "
                        "\"glass\", \"spacing\": %.17g, \"shape\": {\"type\": \"box\", \"size\": [1e-3, 1e-3, 1e-3]}, \"placement\": "
                        "{\"type\": \"single\", \"position\": [0, 0, 0]}}], \"rig\": {\"type\": \"none\"}, \"time\": {\"duration\": 1e-3}, "
                        "\"options\": {\"horizon\": %.17g}}",
                        edge, spacing, 3.015 * spacing);
  scr_status status = scr_scene_parse(text, (size_t)length, NULL, scene, &problems);
  if (status != SCR_OK)
    scr_fail(error, status, NULL, "the cube of the measurement is refused: %s", problems.count ? problems.items[0].detail : "");
  scr_problems_clear(&problems);
  return status;
}

static scr_status measure_size(const cli_call *call, fit *f, size_t size, double turn_seconds, scr_error *error)
{
  scr_scene *scene = NULL;
  SCR_TRY(make_cube(edges[size], &scene, error));
  f->about[size] = sharing_step(scr_scene_estimate(scene));
  scr_status status = SCR_OK;
  for (int turn = 0; turn < TURNS && status == SCR_OK && !interrupt_came(); turn++)
    for (size_t k = 0; k < f->counts && status == SCR_OK && !interrupt_came(); k++) {
      console_say(call, "cube of %u nodes a side, turn %d of %d: %u rank%s", edges[size], turn + 1, TURNS, f->ranks[k], k ? "s" : "");
      status = bench_time_ranks(scene, f->ranks[k], f->about[size], turn_seconds, &f->timing[size][k], error);
    }
  scr_scene_destroy(scene);
  return status;
}

static void note_day(char day[11])
{
  time_t now = time(NULL);
  struct tm local;
  if (localtime_r(&now, &local)) strftime(day, 11, "%Y-%m-%d", &local);
}

/* @return whether a model fits what was measured */
static bool find_model(fit *f, unsigned processors)
{
  sharing_point points[SIZES * COUNTS];
  size_t count = 0;
  for (size_t size = 0; size < SIZES; size++)
    for (size_t k = 1; k < f->counts; k++)
      points[count++] =
          (sharing_point){.ranks = f->ranks[k], .one = f->timing[size][0].step_seconds, .several = f->timing[size][k].step_seconds};
  f->found.processors = processors;
  note_day(f->found.measured);
  return sharing_fit(points, count, &f->found.sharing, &f->found.largest_error) && f->found.largest_error <= fits;
}

static json_t *rows_json(const fit *f)
{
  json_t *rows = json_array();
  for (size_t size = 0; size < SIZES; size++)
    for (size_t k = 0; k < f->counts; k++)
      json_array_append_new(rows, json_pack("{s:i, s:i, s:f, s:f}", "edge", (int)edges[size], "ranks", (int)f->ranks[k], "step_seconds",
                                            f->timing[size][k].step_seconds, "speedup",
                                            f->timing[size][0].step_seconds / f->timing[size][k].step_seconds));
  return rows;
}

static void print_rows(const fit *f, bool good)
{
  printf("nodes a side   ranks   ms a step   speed-up   of the model\n");
  for (size_t size = 0; size < SIZES; size++)
    for (size_t k = 0; k < f->counts; k++) {
      double one = f->timing[size][0].step_seconds, step = f->timing[size][k].step_seconds;
      printf("%12u   %5u   %9.4g   %8.3g", edges[size], f->ranks[k], 1e3 * step, one / step);
      if (good)
        printf("   %12.3g\n", sharing_gain(&f->found.sharing, one, f->ranks[k]));
      else
        printf("\n");
    }
}

static cli_exit print_fit(const cli_call *call, const fit *f, bool good, const char *path)
{
  const sharing_model *m = &f->found.sharing;
  if (call->json)
    return console_json(json_pack("{s:b, s:s, s:f, s:f, s:f, s:i, s:o}", "kept", (int)good, "file", good ? path : "", "unevenness",
                                  m->unevenness, "message_seconds", m->message_seconds, "largest_error", f->found.largest_error,
                                  "processors", (int)f->found.processors, "rows", rows_json(f)),
                        good ? CLI_DONE : CLI_FAILED);
  print_rows(f, good);
  if (!good) {
    console_flush(CLI_DONE);
    return console_fail(
        call, CLI_FAILED,
        "no model fits this to within %.0f %%, so nothing is kept: other work disturbed the measurement; repeat it on a quiet "
        "machine, with a larger --seconds",
        100 * fits);
  }
  printf("\nA step on P ranks takes %.3g / P of one on one rank, and messages of %.3g us for each doubling of ranks, to within %.0f %%.\n"
         "Kept in %s: checks on this machine say by it what run.ranks would gain.\n",
         m->unevenness, 1e6 * m->message_seconds, 100 * f->found.largest_error, path);
  return console_flush(CLI_DONE);
}

cli_exit bench_fit_ranks(const cli_call *call)
{
  char message[256], own[4096];
  const unsigned processors = run_processors();
  long long most = processors < RUN_RANKS_MOST ? processors : RUN_RANKS_MOST;
  double turn_seconds = 1;
  scr_error error = {0};
  fit f = {.counts = 0};
  if (!cli_whole(call, "ranks", 2, RUN_RANKS_MOST, &most, message, sizeof message) ||
      !cli_number(call, "seconds", 0.01, 600, &turn_seconds, message, sizeof message))
    return console_fail(call, CLI_BAD_USAGE, "%s", message);
  const char *path = cli_text(call, "keep");
  if (!path) path = machine_path(own, sizeof own) ? own : NULL;
  if (!path) return console_fail(call, CLI_BAD_USAGE, "there is no home folder to keep the measurement in: give --keep FILE");
  if (most < 2) return console_fail(call, CLI_BAD_USAGE, "there is one processor here, so ranks gain nothing: nothing is measured");
  for (unsigned ranks = 1; ranks <= (unsigned)most && f.counts < COUNTS; ranks *= 2) f.ranks[f.counts++] = ranks;
  scr_status status = SCR_OK;
  for (size_t size = 0; size < SIZES && status == SCR_OK; size++) status = measure_size(call, &f, size, turn_seconds, &error);
  if (interrupt_came()) return console_fail(call, CLI_INTERRUPTED, "interrupted");
  if (status != SCR_OK) return console_fail(call, CLI_FAILED, "%s", error.message);
  bool good = find_model(&f, processors);
  if (good && machine_write(path, &f.found, &error) != SCR_OK) return console_fail(call, CLI_FAILED, "%s", error.message);
  return print_fit(call, &f, good, path);
}
