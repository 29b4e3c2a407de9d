/* `scree bench`: how fast this machine steps a scene, by threads and by GPUs, and how to share it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/cli/commands/bench/bench_fit.h"
#include "api/cli/commands/bench/bench_ranks.h"
#include "api/cli/commands/commands.h"
#include "api/cli/commands/run_shared.h"
#include "api/cli/console.h"
#include "api/cli/interrupt.h"
#include "api/cli/report.h"
#include "api/cli/scene_source.h"
#include "base/quantity.h"
#include "device/device.h"
#include "server/worker/launch.h"
#include "sim/sim.h"

enum { ROW_LIMIT = 16, WARM_STEPS = 3, TURNS = 3 };

/* Steps by so many threads, or by a device, or by ranks. */
typedef struct bench_row {
  unsigned threads;    /* of each rank */
  unsigned ranks;      /* processes; 0: this one */
  const char *device;  /* its name; NULL: threads alone */
  double step_seconds; /* of the quickest turn */
  ranks_timing timing; /* of ranks */
  char why[256];       /* a device can't step this scene, with the reason; "": it can */
} bench_row;

typedef struct bench {
  const scr_scene *scene;
  double turn_seconds;
  bench_row rows[2 * ROW_LIMIT + DEVICE_LIMIT];
  size_t count, threads_count; /* of all rows, and of those of threads, which come first */
  device_list devices;
} bench;

/* One turn: steps from the scene's start for so long, or to its end. */
static scr_status measure(const bench *b, const bench_row *row, double *step_seconds, scr_error *error)
{
  scr_execution execution = execution_of(row->threads);
  scr_sim *sim = NULL;
  uint64_t most = scr_scene_estimate(b->scene)->step_count, steps = 0;
  execution.device = row->device;
  scr_status status = sim_create_by(b->scene, execution, (scr_liveness){0}, &sim, error);
  for (int i = 0; i < WARM_STEPS && status == SCR_OK; i++) status = scr_sim_step(sim, error);
  double begun = interrupt_clock(), passed = 0;
  while (status == SCR_OK && passed < b->turn_seconds && (steps == 0 || most == 0 || steps + WARM_STEPS < most) && !interrupt_came()) {
    status = scr_sim_step(sim, error);
    steps++;
    passed = interrupt_clock() - begun;
  }
  scr_sim_destroy(sim);
  if (status == SCR_OK) *step_seconds = passed / (double)(steps ? steps : 1);
  return status;
}

/* 1, 2, 4, ..., and all. */
static void choose_rows(bench *b, unsigned most)
{
  for (unsigned threads = 1; threads < most && b->count < ROW_LIMIT - 1; threads *= 2)
    b->rows[b->count++] = (bench_row){.threads = threads, .step_seconds = INFINITY};
  b->rows[b->count++] = (bench_row){.threads = most, .step_seconds = INFINITY};
  b->threads_count = b->count;
}

/* All GPUs that can be used, and one that was asked for. */
static void choose_devices(bench *b, const char *asked, unsigned threads)
{
  if (!b->scene->method->can.on_device) return;
  device_find_all(&b->devices);
  for (size_t k = 0; k < b->devices.count; k++) {
    const device_about *about = &b->devices.item[k];
    if (about->reason[0] || !(about->is_gpu || (asked && strcmp(asked, about->name) == 0))) continue;
    b->rows[b->count++] = (bench_row){.threads = threads, .device = about->name, .step_seconds = INFINITY};
  }
}

/* 2, 4, ... ranks of one thread, behind the threads' and devices' rows. */
static void choose_ranks(bench *b, unsigned most)
{
  for (unsigned ranks = 2; ranks <= most && ranks <= RUN_RANKS_MOST && b->count < sizeof b->rows / sizeof *b->rows; ranks *= 2)
    b->rows[b->count++] = (bench_row){.threads = 1, .ranks = ranks, .step_seconds = INFINITY};
}

/* One turn of a row. A device that can't step this scene, for want of memory or of what the scene asks, says so in its row. */
static scr_status measure_row(const bench *b, bench_row *row, scr_error *error)
{
  double seconds = INFINITY;
  if (row->why[0]) return SCR_OK;
  if (row->ranks) {
    SCR_TRY(bench_time_ranks(b->scene, row->ranks, b->rows[0].step_seconds, b->turn_seconds, &row->timing, error));
    row->step_seconds = row->timing.step_seconds;
    return SCR_OK;
  }
  scr_status status = measure(b, row, &seconds, error);
  if (status != SCR_OK && row->device) snprintf(row->why, sizeof row->why, "%.250s", error->message);
  row->step_seconds = row->why[0] ? INFINITY : fmin(row->step_seconds, seconds);
  return row->device ? SCR_OK : status;
}

/* In turns, so that what else the machine does meets all alike. */
static scr_status measure_all(const cli_call *call, bench *b, scr_error *error)
{
  for (int turn = 0; turn < TURNS; turn++)
    for (size_t i = 0; i < b->count && !interrupt_came(); i++) {
      if (b->rows[i].ranks)
        console_say(call, "turn %d of %d: %u ranks", turn + 1, TURNS, b->rows[i].ranks);
      else
        console_say(call, "turn %d of %d: %u thread%s%s%s", turn + 1, TURNS, b->rows[i].threads, b->rows[i].threads == 1 ? "" : "s",
                    b->rows[i].device ? " and " : "", b->rows[i].device ? b->rows[i].device : "");
      SCR_TRY(measure_row(b, &b->rows[i], error));
    }
  return SCR_OK;
}

/* The most threads that are still worth it: each doubling has to give half of what it takes. */
static const bench_row *choose_best(const bench *b)
{
  const bench_row *best = &b->rows[0];
  for (size_t i = 1; i < b->threads_count; i++) {
    double gain = best->step_seconds / b->rows[i].step_seconds, added = (double)b->rows[i].threads / best->threads;
    if (gain >= 1 + 0.5 * (added - 1)) best = &b->rows[i];
  }
  return best;
}

static void print_advice(const bench *b, unsigned processors)
{
  const bench_row *best = choose_best(b), *quickest = &b->rows[0];
  for (size_t i = 1; i < b->threads_count; i++)
    if (b->rows[i].step_seconds < quickest->step_seconds) quickest = &b->rows[i];
  char text[QUANTITY_BYTES];
  double steps = (double)scr_scene_estimate(b->scene)->step_count;
  printf("\nOne run: %u thread%s end%s it soonest", quickest->threads, quickest->threads == 1 ? "" : "s",
         quickest->threads == 1 ? "s" : "");
  if (steps > 0) {
    quantity_span(steps * quickest->step_seconds, text, sizeof text);
    printf(", in %s if it goes on as it begins", text);
  }
  printf(".\nMany runs: %u at once of %u thread%s (`screed --slots %u --threads %u`): %.3g times the steps of one run of one thread,\n"
         "as long as memory is not what bounds them.\n",
         processors / best->threads ? processors / best->threads : 1, best->threads, best->threads == 1 ? "" : "s",
         processors / best->threads ? processors / best->threads : 1, best->threads,
         (processors / best->threads ? processors / best->threads : 1) * b->rows[0].step_seconds / best->step_seconds);
}

/* What of devices is worth it, or why there is none. */
static void print_devices(const bench *b)
{
  const bench_row *quickest = &b->rows[0], *device = NULL;
  for (size_t i = 1; i < b->count; i++) {
    const bench_row *row = &b->rows[i];
    if (i < b->threads_count && row->step_seconds < quickest->step_seconds) quickest = row;
    if (i >= b->threads_count && row->device && (!device || row->step_seconds < device->step_seconds)) device = row;
  }
  if (!b->scene->method->can.on_device)
    printf("Devices: method %s runs on the processor alone.\n", scr_scene_method(b->scene));
  else if (!device)
    printf("Devices: no GPU that can be used (`scree devices`).\n");
  else if (device->why[0])
    printf("Devices: none can step this scene, for the reason in its row.\n");
  else if (device->step_seconds < quickest->step_seconds)
    printf("Devices: %s steps %.3g times as fast as the processor: \"run\": {\"device\": \"%s\"}.\n", device->device,
           quickest->step_seconds / device->step_seconds, device->device);
  else
    printf("Devices: %s takes %.3g times as long as the processor here: keep run.device cpu, or make the body finer.\n", device->device,
           device->step_seconds / quickest->step_seconds);
}

/* What of ranks is worth it. */
static void print_ranks(const bench *b)
{
  const bench_row *quickest = &b->rows[0], *ranks = NULL;
  for (size_t i = 1; i < b->count; i++) {
    const bench_row *row = &b->rows[i];
    if (i < b->threads_count && row->step_seconds < quickest->step_seconds) quickest = row;
    if (row->ranks && (!ranks || row->step_seconds < ranks->step_seconds)) ranks = row;
  }
  if (!ranks) return;
  double gain = quickest->step_seconds / ranks->step_seconds;
  if (gain > 1)
    printf("Ranks: %u step %.3g times as fast as %u thread%s: \"run\": {\"ranks\": %u}.\n", ranks->ranks, gain, quickest->threads,
           quickest->threads == 1 ? "" : "s", ranks->ranks);
  else
    printf("Ranks: %u take %.3g times as long as %u thread%s here: leave run.ranks out on this machine.\n", ranks->ranks, 1 / gain,
           quickest->threads, quickest->threads == 1 ? "" : "s");
}

static json_t *rows_json(const bench *b)
{
  json_t *rows = json_array();
  for (size_t i = 0; i < b->count; i++) {
    const bench_row *of = &b->rows[i];
    json_t *row = of->why[0] ? json_pack("{s:i, s:s}", "threads", (int)of->threads, "reason", of->why)
                             : json_pack("{s:i, s:f, s:f}", "threads", (int)of->threads, "step_seconds", of->step_seconds, "speedup",
                                         b->rows[0].step_seconds / of->step_seconds);
    if (b->rows[i].ranks) json_object_set_new(row, "ranks", json_integer(b->rows[i].ranks));
    if (b->rows[i].device) json_object_set_new(row, "device", json_string(b->rows[i].device));
    json_array_append_new(rows, row);
  }
  return rows;
}

static cli_exit print_result(const cli_call *call, const bench *b, unsigned processors)
{
  if (call->json)
    return console_json(json_pack("{s:s, s:i, s:o, s:{s:i, s:i}}", "scene", scr_scene_name(b->scene), "processors", (int)processors, "rows",
                                  rows_json(b), "many_runs", "threads", (int)choose_best(b)->threads, "slots",
                                  (int)(processors / choose_best(b)->threads ? processors / choose_best(b)->threads : 1)),
                        CLI_DONE);
  printf("%s, method %s, on %u processor%s; quickest of %d turns of %g s\n\n", scr_scene_name(b->scene), scr_scene_method(b->scene),
         processors, processors == 1 ? "" : "s", TURNS, b->turn_seconds);
  printf("threads   ms a step   speed-up   of what the threads could give\n");
  for (size_t i = 0; i < b->count; i++) {
    double speedup = b->rows[0].step_seconds / b->rows[i].step_seconds;
    if (b->rows[i].ranks) {
      printf("%u ranks   %9.4g   %8.3g   %4.0f %%\n", b->rows[i].ranks, 1e3 * b->rows[i].step_seconds, speedup,
             100 * speedup / b->rows[i].ranks);
      continue;
    }
    if (b->rows[i].why[0]) {
      printf("%7s   %s\n", b->rows[i].device, b->rows[i].why);
      continue;
    }
    if (b->rows[i].device) {
      printf("%7s   %9.4g   %8.3g\n", b->rows[i].device, 1e3 * b->rows[i].step_seconds, speedup);
      continue;
    }
    printf("%7u   %9.4g   %8.3g   %4.0f %%\n", b->rows[i].threads, 1e3 * b->rows[i].step_seconds, speedup,
           100 * speedup / b->rows[i].threads);
  }
  print_advice(b, processors);
  print_devices(b);
  print_ranks(b);
  return console_flush(CLI_DONE);
}

/* Without a word: as many as there are processors, where the method's runs can be shared and what starts them is there. */
static unsigned usual_ranks(const scr_scene *scene)
{
  launch_programs programs;
  char why[LAUNCH_WHY_BYTES];
  return scene->method->can.on_ranks && launch_find(NULL, &programs, why) ? run_processors() : 1;
}

static cli_exit bench_scene(const cli_call *call, const scr_scene *scene)
{
  char message[256];
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  long long most = online > 0 ? online : 1, ranks = usual_ranks(scene);
  unsigned processors = (unsigned)most;
  bench b = {.scene = scene, .turn_seconds = 2};
  scr_error error = {0};
  if (!cli_whole(call, "threads", 1, 1024, &most, message, sizeof message) ||
      !cli_whole(call, "ranks", 1, RUN_RANKS_MOST, &ranks, message, sizeof message) ||
      !cli_number(call, "seconds", 0.01, 600, &b.turn_seconds, message, sizeof message))
    return console_fail(call, CLI_BAD_USAGE, "%s", message);
  choose_rows(&b, (unsigned)most);
  choose_devices(&b, cli_text(call, "device"), (unsigned)most);
  if (ranks > 1 && !scene->method->can.on_ranks)
    return console_fail(call, CLI_BAD_USAGE, "runs of method %s can't be shared among processes: leave --ranks out",
                        scr_scene_method(scene));
  choose_ranks(&b, (unsigned)ranks);
  scr_status status = measure_all(call, &b, &error);
  if (interrupt_came()) return console_fail(call, CLI_INTERRUPTED, "interrupted");
  if (status != SCR_OK) return console_fail(call, CLI_FAILED, "%s", error.message);
  return print_result(call, &b, processors);
}

static cli_exit run(const cli_call *call)
{
  static const char ordinary[] = "gallery:hollow-sphere-crush";
  cli_call named = *call;
  if (named.word_count == 1 && strcmp(named.words[0], "ranks") == 0) {
    interrupt_catch();
    return bench_fit_ranks(call);
  }
  if (named.word_count == 0) named.words[named.word_count++] = ordinary;
  if (cli_text(call, "keep")) return console_fail(call, CLI_BAD_USAGE, "--keep is for `scree bench ranks`: leave it out");
  interrupt_catch();
  return report_scene(&named, bench_scene);
}

const cli_command command_bench = {
    .name = "bench",
    .words = "[SCENE | ranks]",
    .least = 0,
    .most = 1,
    .summary = "measure how fast this machine steps a scene, by threads, GPUs and ranks",
    .description = "Steps from the scene's start with 1, 2, 4, ... threads, on GPUs and by ranks, in turns, and says how long a step takes "
                   "and how to\n"
                   "share the machine among runs. Needs no server. Without SCENE: gallery:hollow-sphere-crush, a body of 2000 nodes; "
                   "measure your own\n"
                   "scene, as small ones gain little. Other work on the machine makes all numbers worse: look at the ratios.\n\n"
                   "`scree bench ranks` measures cubes of several sizes on 1, 2, 4, ... processes, fits what sharing and messages take, "
                   "and keeps it in\n"
                   "the user's state folder: from then on `scree check`, `scree run` and a server of the same user say by it what "
                   "run.ranks would gain.",
    .options = {{"threads", 0, "N", "the most threads; default: as many as there are processors"},
                {"seconds", 0, "S", "length of a turn, of which there are three; default 2"},
                {"ranks", 0, "N",
                 "the most processes that share the run; 1: none; default: as many as processors (peridem, with Open MPI)"},
                {"keep", 0, "FILE", "of `bench ranks`: keep what was measured in this file instead"},
                {"device", 0, "NAME", "also measure a device that is no GPU, by its name of `scree devices`"}},
    .examples = {{"bench", "a first look"},
                 {"bench scene.json --seconds 10", "your own scene, measured longer"},
                 {"bench scene.json --ranks 4", "what ranks would gain"},
                 {"bench ranks", "what ranks gain on this machine, for checks"}},
    .run = run,
};
