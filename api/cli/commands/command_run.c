/* `scree run`: a whole run here, without a server. */
#include <math.h>
#include <signal.h>
#include <string.h>

#include "api/cli/commands/commands.h"
#include "api/cli/commands/run_here.h"
#include "api/cli/commands/run_shared.h"
#include "api/cli/console.h"
#include "api/cli/folder.h"
#include "api/cli/interrupt.h"
#include "api/cli/progress.h"
#include "base/quantity.h"
#include "api/cli/report.h"
#include "api/cli/scene_files.h"
#include "api/cli/scene_source.h"
#include "api/shapes/job_json.h"
#include "base/error.h"
#include "record/headlines.h"
#include "scene/counts.h"
#include "scene/scene.h"

/* What the progress call of a run needs, and what it leaves. */
typedef struct run_monitor {
  const cli_call *call;
  progress_view view;
  double deadline; /* clock seconds; INFINITY for none */
  bool late, greeted;
  scr_run_progress last;
} run_monitor;

static scr_run_answer watch(void *user, const scr_run_progress *progress)
{
  run_monitor *self = user;
  self->last = *progress;
  if (progress->resumed && !self->greeted)
    console_say(self->call, "continuing from a checkpoint at step %llu", (unsigned long long)progress->step);
  self->greeted = true;
  bool counted = progress->step_count > 0;
  double left = counted ? (double)(progress->step_count - progress->step) : progress->duration - progress->sim_time;
  double rate = counted ? progress->steps_per_second : progress->time_per_second;
  progress_state state = {.label = "running",
                          .fraction =
                              counted ? (double)progress->step / (double)progress->step_count : progress->sim_time / progress->duration,
                          .sim_time = progress->sim_time,
                          .duration = progress->duration,
                          .headline_count = progress->headline_count,
                          .stage = progress->stage,
                          .eta_seconds = rate > 0 ? left / rate : (double)NAN};
  memcpy(state.headlines, progress->headlines, sizeof state.headlines);
  progress_show(&self->view, &state);
  if (interrupt_came()) return SCR_RUN_STOP;
  self->late = interrupt_clock() >= self->deadline;
  return self->late ? SCR_RUN_STOP : SCR_RUN_GO_ON;
}

/* What the recording in a folder says of its end. */
static scr_status read_end(const char *directory, scr_end *end, scr_error *error)
{
  char path[FOLDER_PATH];
  scr_recording *recording = NULL;
  *end = (scr_end){0};
  if (!folder_path(directory, "recording.scree", path)) return SCR_OK;
  SCR_TRY(scr_recording_open(path, &recording, error));
  scr_status status = scr_recording_end(recording, end, error);
  scr_recording_close(recording);
  return status;
}

static cli_exit exit_of(const cli_call *call, const run_monitor *self, scr_status status, const scr_error *error, const char *directory)
{
  char now[QUANTITY_BYTES], whole[QUANTITY_BYTES];
  switch (status) {
  case SCR_OK: return CLI_DONE;
  case SCR_STOPPED:
    quantity_text(self->last.sim_time, "s", now, sizeof now);
    quantity_text(self->last.duration, "s", whole, sizeof whole);
    return console_fail(call, self->late ? CLI_TIMED_OUT : CLI_INTERRUPTED,
                        "%s at %s of %s; a checkpoint is kept: run the same command again to go on in %s",
                        self->late ? "the time limit was reached" : "interrupted", now, whole, directory);
  case SCR_CANCELLED: return console_fail(call, CLI_CANCELLED, "%s", error->message);
  case SCR_BUSY:
  case SCR_BAD_USAGE:
  case SCR_MISMATCH: return console_fail(call, CLI_BAD_USAGE, "%s", error->message);
  case SCR_BAD_SCENE: return console_fail(call, CLI_REFUSED, "%s: %s", error->pointer, error->message);
  case SCR_DIVERGED: return console_fail(call, CLI_FAILED, "the run failed: %s", error->message);
  case SCR_BAD_FILE:
  case SCR_NO_MEMORY:
  case SCR_IO: break;
  }
  return console_fail(call, CLI_FAILED, "%s", error->message);
}

static json_t *doubts_json(const scr_end *end)
{
  json_t *list = json_array();
  for (size_t i = 0; i < end->doubt_count; i++)
    json_array_append_new(list, json_pack("{s:s, s:s}", "kind", end->doubts[i].kind, "message", end->doubts[i].message));
  return list;
}

/* @param seconds what the run took; NaN when it was finished before */
static cli_exit report_end(const cli_call *call, const char *directory, double seconds, const run_more *more)
{
  scr_end end;
  scr_error error = {0};
  if (read_end(directory, &end, &error) != SCR_OK) return console_fail(call, CLI_FAILED, "%s", error.message);
  cli_exit code = end.doubt_count ? CLI_DOUBTED : CLI_DONE;
  json_t *doubts = doubts_json(&end);
  if (call->json) {
    json_t *verdict =
        json_pack("{s:s, s:s, s:I, s:f, s:o, s:I, s:I}", "verdict", scr_verdict_name(end.verdict), "message", end.message, "step",
                  (json_int_t)end.step, "sim_time", end.sim_time, "headlines", headlines_json(end.headlines, end.headline_count), "frames",
                  (json_int_t)end.frames, "samples", (json_int_t)end.samples);
    json_t *files = json_pack("{s:o, s:o, s:o, s:o}", "curves", json_sprintf("%s/curves.csv", directory), "plot",
                              json_sprintf("%s/plot.svg", directory), "recording", json_sprintf("%s/recording.scree", directory), "scene",
                              json_sprintf("%s/scene.json", directory));
    for (size_t k = 0; more && k < more->count; k++) json_object_set_new(files, more->files[k].key, json_string(more->files[k].path));
    json_object_set_new(verdict, "directory", json_string(directory));
    json_object_set_new(verdict, "run_seconds", json_real(isfinite(seconds) ? seconds : 0));
    json_object_set_new(verdict, "doubts", doubts);
    json_object_set_new(verdict, "files", files);
    return console_json(verdict, code);
  }
  char sim_time[32], span[32];
  quantity_text(end.sim_time, "s", sim_time, sizeof sim_time);
  quantity_span(seconds, span, sizeof span);
  printf("succeeded%s: ", end.doubt_count ? ", with doubts" : "");
  report_headlines(end.headlines, end.headline_count, stdout);
  printf("%s simulated %s%s\n", sim_time, isfinite(seconds) ? "in " : "before", isfinite(seconds) ? span : "");
  if (end.message[0]) printf("  %s\n", end.message);
  json_t *ended = json_pack("{s:o}", "doubts", doubts);
  report_doubts(ended, stdout);
  json_decref(ended);
  folder_report(directory);
  for (size_t k = 0; more && k < more->count; k++) printf("  %-40s %s\n", more->files[k].path, more->files[k].what);
  return console_flush(code);
}

static cli_exit run_scene(const cli_call *call, const scr_scene *scene, const char *directory, unsigned threads, double timeout,
                          run_more *more)
{
  double begun = interrupt_clock();
  run_monitor self = {.call = call, .deadline = begun + timeout};
  scr_error error = {0};
  cli_exit code = folder_make(call, directory);
  if (code == CLI_DONE) code = scene_files_keep(call, scene, directory);
  if (code != CLI_DONE) return code;
  interrupt_catch();
  signal(SIGXFSZ, SIG_IGN); /* a file too large is an error of the write, which ends the run in good order */
  progress_begin(&self.view, call->quiet);
  scr_run_options options = {.directory = directory, .threads = threads, .progress_seconds = 0.1, .progress = watch, .user = &self};
  scr_status status = scene->run.ranks > 1 ? run_shared(scene, &options, &error) : scr_run(scene, &options, &error);
  progress_end(&self.view);
  bool recorded = status == SCR_OK || status == SCR_STOPPED || status == SCR_CANCELLED || status == SCR_DIVERGED;
  if (recorded) code = folder_write_results(call, directory);
  if (status != SCR_OK) return exit_of(call, &self, status, &error, directory);
  if (code == CLI_DONE && more && more->make) code = more->make(call, more->user, directory);
  return code == CLI_DONE ? report_end(call, directory, self.greeted ? interrupt_clock() - begun : (double)NAN, more) : code;
}

static void warn(const cli_call *call, const scr_scene *scene)
{
  json_t *warnings = problems_json(scr_scene_warnings(scene));
  if (!call->json && !call->quiet) report_warnings(warnings, stderr);
  json_decref(warnings);
}

/* Ranks have one thread each. */
static unsigned threads_for(const scr_scene *scene)
{
  if (scene->run.ranks > 1) return 1;
  const scr_estimate *estimate = scr_scene_estimate(scene);
  return scr_threads_worth(estimate->run_seconds, estimate->step_count, run_processors());
}

cli_exit run_here(const cli_call *call, const scene_source *source, run_more *more)
{
  char message[256];
  long long threads = 0;
  double timeout = INFINITY;
  const char *directory = cli_text(call, "output");
  if (!directory) return console_fail(call, CLI_BAD_USAGE, "-o DIR is missing: give a folder for the recording and the curves");
  if (!cli_whole(call, "threads", 1, 1024, &threads, message, sizeof message) ||
      !cli_number(call, "timeout", 0, 1e9, &timeout, message, sizeof message))
    return console_fail(call, CLI_BAD_USAGE, "%s", message);
  scr_scene *scene = NULL;
  scr_asset_source files = scene_source_files(source);
  cli_exit code = report_parse(call, source->text, source->length, &files, stderr, &scene);
  machine known;
  if (code == CLI_DONE) run_shared_warn(scene, &known);
  if (code == CLI_DONE) warn(call, scene);
  if (code == CLI_DONE) code = run_scene(call, scene, directory, threads ? (unsigned)threads : threads_for(scene), timeout, more);
  scr_scene_destroy(scene);
  return code;
}

static cli_exit run(const cli_call *call)
{
  scene_source source;
  cli_exit code = scene_source_read(call, call->words[0], &source);
  if (code == CLI_DONE) code = run_here(call, &source, NULL);
  scene_source_clear(&source);
  return code;
}

const cli_command command_run = {
    .name = "run",
    .words = "SCENE -o DIR",
    .least = 1,
    .most = 1,
    .summary = "run a scene here, without a server",
    .description = CLI_SCENE_HELP
    "\n\nWrites curves.csv, plot.svg, pictures of tables, recording.scree and scene.json into DIR. The same files as submit and fetch "
    "give.\n"
    "Ctrl-C or --timeout keep a checkpoint; the same command goes on from there, also after a crash.\n"
    "A DIR that already holds a finished run of this scene is not changed.\n\n"
    "A run that ended but can't be fully trusted (its energies don't add up, a step was too long for an impact) succeeds with\n"
    "doubts: each is a sentence that says what to do, and the command ends with 8 instead of 0.",
    .options = {{"output", 'o', "DIR", "folder for the files; created if missing"},
                {"threads", 't', "N",
                 "processors to use, of each rank where the scene has run.ranks; default: as many as its steps are worth. Results don't "
                 "depend on it"},
                {"timeout", 0, "S", "stop after S seconds, with a checkpoint; ends with 6"}},
    .examples = {{"run gallery:hollow-sphere-crush -o out", "a first run"},
                 {"run scene.json -o out --threads 2", "leave processors free"},
                 {"run scene.json -o out --timeout 3600", "continue later with the same command"}},
    .run = run,
};
