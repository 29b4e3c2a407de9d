/* A whole run in a directory: take the lock, take up what lies there, step to the end, record on the way.
 *
 * What is recorded is a function of the step number alone, with an uneven clock of the time reached. What the wall clock decides
 * (checkpoints, the progress call) happens between two steps and leaves no mark in the recording. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/quantity.h"
#include "run/run_team.h"
#include "run/runner.h"
#include "run/stop_rule.h"

static const double default_checkpoint_seconds = 10.0, default_progress_seconds = 0.2, rate_seconds = 2.0;
static const double most_steps = 1e18;
/* Checkpoints may take at most this share of the time, however slow the disk. */
static const double checkpoint_share = 0.05;

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ── setting up ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static bool join(char *path, const char *directory, const char *name)
{
  int length = snprintf(path, PATH_MAX, "%s/%s", directory, name);
  return length > 0 && length < PATH_MAX;
}

/* Removes what an attempt killed in the middle of scr_write_file left behind. Only called with the lock held. */
static void remove_leftovers(const char *directory)
{
  static const char *const beginnings[] = {"checkpoint.scree.tmp-", "scene.json.tmp-"};
  DIR *entries = opendir(directory);
  if (!entries) return;
  // cppcheck-suppress readdirCalled; the stream is this call's own
  for (const struct dirent *entry = readdir(entries); entry; entry = readdir(entries))
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
      if (strncmp(entry->d_name, beginnings[i], strlen(beginnings[i])) == 0) unlinkat(dirfd(entries), entry->d_name, 0);
  closedir(entries);
}

static scr_status name_files(runner *run, scr_error *error)
{
  const char *directory = run->options->directory;
  if (!join(run->recording_path, directory, "recording.scree") || !join(run->checkpoint_path, directory, "checkpoint.scree") ||
      !join(run->scene_path, directory, "scene.json"))
    return scr_fail_io(error, "use the directory", directory, ENAMETOOLONG);
  return SCR_OK;
}

static scr_status open_directory(const runner *run, int *lock, scr_error *error)
{
  const char *directory = run->options->directory;
  char lock_path[PATH_MAX];
  if (!join(lock_path, directory, "lock")) return scr_fail_io(error, "use the directory", directory, ENAMETOOLONG);
  if (mkdir(directory, 0755) != 0 && errno != EEXIST) return scr_fail_io(error, "create the directory", directory, errno);
  *lock = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
  if (*lock < 0) return scr_fail_io(error, "open the lock", lock_path, errno);
  if (flock(*lock, LOCK_EX | LOCK_NB) == 0) return SCR_OK;
  if (errno != EWOULDBLOCK) return scr_fail_io(error, "lock", lock_path, errno);
  return scr_fail(error, SCR_BUSY, NULL, "%s is in use by another process: wait for it to end, or choose another directory", directory);
}

/* Steps to reach the duration. The factor keeps 6e-5 s in steps of 2e-8 s at 3000 although the quotient is 3000.0000000000005. */
static scr_status choose_steps(runner *run, scr_error *error)
{
  run->uneven = run->scene->method->clock == SCR_CLOCK_UNEVEN;
  run->step_count = run->sample_every = run->frame_every = 0;
  if (run->uneven) return SCR_OK;
  double time_step = run->sim->time_step, steps = ceil(run->scene->time.duration / time_step * (1.0 - 1e-12));
  if (!(steps <= most_steps))
    return scr_fail(error, SCR_BAD_SCENE, "/time/duration", "%g s in steps of %g s are %g steps; at most %g are possible",
                    run->scene->time.duration, time_step, steps, most_steps);
  run->step_count = steps < 1.0 ? 1 : (uint64_t)steps;
  run->sample_every = scr_interval_steps(run->scene->output.sample_interval, time_step);
  run->frame_every = scr_interval_steps(run->scene->output.frame_interval, time_step);
  return SCR_OK;
}

static scr_status find_series(runner *run, scr_error *error)
{
  const scr_scene *scene = run->scene;
  for (size_t i = 0; i < scene->time.stop_rule_count; i++) {
    run->rule_series[i] = sim_find_series(run->sim, scene->time.stop_rules[i].series);
    if (run->rule_series[i] >= 0) continue;
    char pointer[64];
    snprintf(pointer, sizeof pointer, "/time/stop/%zu/series", i);
    return scr_fail(error, SCR_BAD_SCENE, pointer, "the run reports no curve '%s' to stop by: use one of the method's curves",
                    scene->time.stop_rules[i].series);
  }
  return SCR_OK;
}

static void clear_state(runner *run)
{
  frame_destroy(run->frame);
  scr_sim_destroy(run->sim);
  free(run->rule_series);
  free(run->rule_peaks);
  free(run->pending);
  run->frame = NULL;
  run->sim = NULL;
  run->rule_series = NULL;
  run->rule_peaks = NULL;
  run->pending = NULL;
  run->pending_count = 0;
  run->totals = (run_totals){.headlines = {NAN, NAN, NAN}};
  energy_monitor_clear(&run->watch);
}

static double progress_interval(const runner *run)
{
  return run->options->progress_seconds > 0.0 ? run->options->progress_seconds : default_progress_seconds;
}

/* Passes a sign of life on, when it is time for one. */
static void report_alive(void *user)
{
  runner *run = user;
  double time = now();
  if (!run->options->liveness || time < run->next_alive_report) return;
  run->next_alive_report = time + progress_interval(run);
  run->options->liveness(run->options->user);
}

/* Builds the simulation at t = 0 and all that is counted from there. */
static scr_status build_state(runner *run, scr_error *error)
{
  clear_state(run);
  report_alive(run);
  scr_execution execution = execution_in(run->team, run->options->threads);
  if (!run->team) execution.device = run->scene->run.device; /* ranks compute on processors */
  SCR_TRY(sim_create_by(run->scene, execution, (scr_liveness){report_alive, run}, &run->sim, error));
  run->sim->files = (sim_files){runner_take_file, run};
  report_alive(run);
  size_t rules = run->scene->time.stop_rule_count, values = RUN_BATCH_SAMPLES * run->sim->series_count;
  run->rule_series = calloc(rules + 1, sizeof *run->rule_series);
  run->rule_peaks = calloc(rules + 1, sizeof *run->rule_peaks);
  run->pending = calloc(values, sizeof *run->pending);
  if (!run->rule_series || !run->rule_peaks || !run->pending)
    return scr_fail_memory(error, "the run's samples", values * sizeof *run->pending);
  SCR_TRY(frame_create(run->sim->drawables, run->sim->drawable_count, &run->frame, error));
  SCR_TRY(choose_steps(run, error));
  SCR_TRY(energy_monitor_create(run->sim, &run->watch, error));
  run->rig = (rig_monitor){0};
  return find_series(run, error);
}

/* ── what happens at a step ──────────────────────────────────────────────────────────────────────────────────────── */

static scr_status check_sample(const runner *run, const double *values, scr_error *error)
{
  for (size_t i = 0; i < run->sim->series_count; i++)
    if (!isfinite(values[i]))
      return scr_fail(error, SCR_DIVERGED, NULL, "%s became %g at step %llu: the run lost its state; use a smaller time step",
                      run->sim->series[i].name, values[i], (unsigned long long)run->sim->steps);
  return SCR_OK;
}

/* Tables whose first rows are an event of their own. */
static scr_status announce_tables(runner *run, scr_error *error)
{
  for (size_t k = 0; k < run->sim->table_count; k++) {
    table_log *log = &run->sim->tables[k];
    uint64_t rows = log->recorded + log->table.row_count;
    if (log->announced || rows == 0 || !log->event_kind[0]) continue;
    char message[sizeof log->event_text + 2 * QUANTITY_BYTES + 16], count[QUANTITY_BYTES], time[QUANTITY_BYTES];
    quantity_count((double)rows, count, sizeof count);
    quantity_text(run->sim->time, "s", time, sizeof time);
    snprintf(message, sizeof message, "%s: %s by t = %s", log->event_text, count, time);
    log->announced = true;
    SCR_TRY(runner_record_event(run, log->event_kind, message, error));
  }
  return SCR_OK;
}

/* What is not known yet, a NaN, is less and more than anything: fmax and fmin give the other. */
static void take_headlines(runner *run, const double *values)
{
  for (size_t k = 0; k < run->sim->headline_count; k++) {
    const sim_headline *headline = &run->sim->headlines[k];
    double *total = &run->totals.headlines[k], value = values[headline->series];
    switch (headline->rule) {
    case HEADLINE_NEWEST: *total = value; break;
    case HEADLINE_LARGEST: *total = fmax(*total, fabs(value)); break;
    case HEADLINE_SMALLEST: *total = fmin(*total, value); break;
    }
  }
}

static scr_status judge_sample(runner *run, const double *values, scr_error *error)
{
  take_headlines(run, values);
  SCR_TRY(announce_tables(run, error));
  for (size_t i = 0; i < run->scene->time.stop_rule_count; i++) {
    char reason[sizeof run->stop_reason];
    long series = run->rule_series[i];
    bool met = stop_rule_met(&run->scene->time.stop_rules[i], values[series], run->sim->series[series].unit, &run->rule_peaks[i], reason,
                             sizeof reason);
    if (!met || run->stop_met) continue;
    run->stop_met = true;
    memcpy(run->stop_reason, reason, sizeof reason);
  }
  return run->stop_met ? runner_record_event(run, "stop_rule", run->stop_reason, error) : SCR_OK;
}

static scr_status take_sample(runner *run, scr_error *error)
{
  double *values = run->pending + run->pending_count * run->sim->series_count;
  scr_sim_observe(run->sim, values);
  SCR_TRY(check_sample(run, values, error));
  run->pending_count++;
  run->totals.samples++;
  if (run->pending_count == RUN_BATCH_SAMPLES) SCR_TRY(runner_flush_samples(run, error));
  SCR_TRY(energy_monitor_sample(&run->watch, run->sim, values, error)); /* the sample that shows the fault is recorded */
  SCR_TRY(runner_record_doubts(run, error));
  return judge_sample(run, values, error); /* flushing leaves the values where they are */
}

static scr_status take_frame(runner *run, scr_error *error)
{
  SCR_TRY(runner_draw(run, error));
  SCR_TRY(runner_record_frame(run, error));
  return runner_record_progress(run, error);
}

/* When the next sample and the next frame are due by an uneven clock: each is taken once, the first at t = 0. s */
static double next_sample(const runner *run)
{
  return (double)run->totals.samples * run->scene->output.sample_interval;
}

static double next_frame(const runner *run)
{
  return (double)run->totals.frames * run->scene->output.frame_interval;
}

static bool sample_due(const runner *run)
{
  return run->uneven ? sim_due(run->sim, next_sample(run)) : run->sim->steps % run->sample_every == 0;
}

static bool frame_due(const runner *run)
{
  return run->uneven ? sim_due(run->sim, next_frame(run)) : run->sim->steps % run->frame_every == 0;
}

/* What of the specimens has failed, by the sample taken last, which flushing left where it was. */
static double failed_count(const runner *run)
{
  size_t series = run->sim->failure_series, row = run->pending_count > 0 ? run->pending_count - 1 : RUN_BATCH_SAMPLES - 1;
  return series > 0 ? run->pending[row * run->sim->series_count + series - 1] : 0;
}

/* What can be said of the whole run only; recorded with the end. */
static void judge_end(runner *run)
{
  rig_monitor_judge(&run->rig, run->sim, failed_count(run));
  for (size_t i = 0; i < run->scene->time.stop_rule_count && !run->stop_met; i++)
    stop_rule_doubt(&run->scene->time.stop_rules[i], run->sim, (size_t)run->rule_series[i], run->rule_peaks[i]);
}

/* The records of the step just made. */
static scr_status record_step(runner *run, scr_error *error)
{
  bool last = !runner_goes_on(run);
  SCR_TRY(runner_record_stages(run, error));
  rig_monitor_step(&run->rig, run->sim);
  if (last || sample_due(run)) SCR_TRY(take_sample(run, error));
  if (last || run->stop_met) judge_end(run);
  if (last || run->stop_met || frame_due(run)) SCR_TRY(take_frame(run, error));
  return SCR_OK;
}

/* One step of the method, which ends where something is due at the latest. */
static scr_status make_step(runner *run, scr_error *error)
{
  if (run->uneven) run->sim->next_output = fmin(run->scene->time.duration, fmin(next_sample(run), next_frame(run)));
  return scr_sim_step(run->sim, error);
}

static scr_status record_start(runner *run, scr_error *error)
{
  SCR_TRY(runner_record_scene(run, error));
  SCR_TRY(runner_draw(run, error));
  SCR_TRY(runner_record_topology(run, error));
  for (size_t k = 0; k < run->sim->note_count; k++) SCR_TRY(runner_record_event(run, "note", run->sim->notes[k], error));
  SCR_TRY(recording_writer_sync(run->writer, error));
  return record_step(run, error);
}

/* ── what the wall clock decides ─────────────────────────────────────────────────────────────────────────────────── */

static scr_run_answer report(runner *run, double time)
{
  const scr_run_options *options = run->options;
  if (!options->progress) return SCR_RUN_GO_ON;
  if (time - run->rate_time >= rate_seconds || run->rate == 0.0) {
    double passed = time - run->rate_time;
    if (passed > 0.0) {
      run->rate = (double)(run->sim->steps - run->rate_steps) / passed;
      run->time_rate = (run->sim->time - run->rate_sim_time) / passed;
    }
    if (passed >= rate_seconds) {
      run->rate_time = time;
      run->rate_steps = run->sim->steps;
      run->rate_sim_time = run->sim->time;
    }
  }
  scr_run_progress progress = {.step = run->sim->steps,
                               .step_count = run->step_count,
                               .sim_time = run->sim->time,
                               .duration = run->scene->time.duration,
                               .run_seconds = time - run->begun,
                               .steps_per_second = run->rate,
                               .time_per_second = run->time_rate,
                               .last_seq = recording_writer_newest(run->writer),
                               .resumed = run->resumed};
  progress.headline_count = runner_headlines(run, progress.headlines);
  if (run->sim->stage != STAGE_NONE) snprintf(progress.stage, sizeof progress.stage, "%s", run->sim->stages[run->sim->stage].label);
  run->next_progress = run->next_alive_report = time + progress_interval(run);
  return options->progress(options->user, &progress);
}

static scr_status save_checkpoint(runner *run, scr_error *error)
{
  double begun = now(), interval = run->options->checkpoint_seconds;
  SCR_TRY(checkpoint_save(run, error));
  double ended = now();
  run->next_checkpoint = ended + fmax(interval > 0.0 ? interval : default_checkpoint_seconds, (ended - begun) / checkpoint_share);
  return SCR_OK;
}

/* What the clock and the caller of rank 0 want, to all ranks. */
enum { WANT_SAVE = 100 };

static int what_is_wanted(runner *run)
{
  int wanted = SCR_RUN_GO_ON;
  double time = now();
  if (runner_leads(run)) {
    wanted = time >= run->next_progress ? (int)report(run, time) : SCR_RUN_GO_ON;
    if (wanted == SCR_RUN_GO_ON && time >= run->next_checkpoint) wanted = WANT_SAVE;
  }
  team_share(run->team, &wanted, sizeof wanted);
  return wanted;
}

/* Between two steps: SCR_OK to go on, SCR_STOPPED or SCR_CANCELLED when the caller said so and all is put away. */
static scr_status poll_caller(runner *run, scr_error *error)
{
  int wanted = what_is_wanted(run);
  if (wanted == SCR_RUN_STOP) {
    SCR_TRY(save_checkpoint(run, error));
    return scr_fail(error, SCR_STOPPED, NULL, "stopped at step %llu with a checkpoint; run the same directory again to go on",
                    (unsigned long long)run->sim->steps);
  }
  if (wanted == SCR_RUN_CANCEL) {
    SCR_TRY(runner_record_cancel(run, error));
    return scr_fail(error, SCR_CANCELLED, NULL, "cancelled at step %llu", (unsigned long long)run->sim->steps);
  }
  return wanted == WANT_SAVE ? save_checkpoint(run, error) : SCR_OK;
}

/* ── the run ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static bool is_finished(const runner *run)
{
  return run->stop_met || !runner_goes_on(run);
}

static scr_status run_loop(runner *run, scr_error *error)
{
  if (!run->resumed) SCR_TRY(record_start(run, error));
  while (!is_finished(run)) {
    SCR_TRY(poll_caller(run, error));
    SCR_TRY(make_step(run, error));
    SCR_TRY(record_step(run, error));
  }
  SCR_TRY(runner_record_end(run, SCR_VERDICT_SUCCEEDED, run->stop_reason, error));
  if (runner_leads(run)) report(run, now());
  return SCR_OK;
}

/* Closes the recording of a run that lost its state, with a last picture when there is one to draw. Keeps the reason in `error`. */
static scr_status end_diverged(runner *run, const scr_error *reason, scr_error *error)
{
  SCR_TRY(runner_record_stages(run, error));
  if (runner_draw(run, NULL) == SCR_OK) SCR_TRY(runner_record_frame(run, error));
  SCR_TRY(runner_record_end(run, SCR_VERDICT_FAILED, reason->message, error));
  if (error) *error = *reason;
  return SCR_DIVERGED;
}

static scr_status resume_or_build(runner *run, scr_error *error)
{
  SCR_TRY(build_state(run, error));
  if (runner_leads(run)) SCR_TRY(runner_check_kernels(run, error));
  bool touched = false;
  SCR_TRY(checkpoint_load(run, &run->resumed, &touched, error));
  run->resumed = !team_any(run->team, !run->resumed);
  if (touched && !run->resumed) SCR_TRY(build_state(run, error));
  run->begun = run->rate_time = now();
  run->rate_steps = run->sim->steps;
  run->rate_sim_time = run->sim->time;
  run->next_checkpoint =
      run->begun + (run->options->checkpoint_seconds > 0.0 ? run->options->checkpoint_seconds : default_checkpoint_seconds);
  return SCR_OK;
}

/* The effective scene, for people and for whoever runs the directory again. */
static scr_status write_scene(const runner *run, scr_error *error)
{
  char *text = scr_scene_json(run->scene);
  if (!text) return scr_fail_memory(error, "the scene's text", 4096);
  scr_status status = scr_write_file(run->scene_path, text, strlen(text), error);
  scr_free(text);
  return status;
}

/* Opens the recording. `*ended`: the run was made before, and the status is its verdict. */
static scr_status open_recording(runner *run, bool *ended, scr_error *error)
{
  SCR_TRY(runner_describe_scene(run, error));
  SCR_TRY(recording_writer_open(run->recording_path, &run->writer, error));
  SCR_TRY(runner_check_scene(run, error));
  *ended = scr_recording_ended(recording_writer_found(run->writer));
  return *ended ? runner_read_verdict(run, error) : write_scene(run, error);
}

/* The same of a team: rank 0 opens, the others hear whether they are needed. */
static scr_status open_with_team(runner *run, bool *ended, scr_error *error)
{
  int goes_on = 0;
  scr_status status = SCR_OK;
  if (runner_leads(run)) {
    status = open_recording(run, ended, error);
    goes_on = status == SCR_OK && !*ended;
  }
  team_share(run->team, &goes_on, sizeof goes_on);
  *ended = !goes_on;
  if (runner_leads(run) || !goes_on) return status;
  SCR_TRY(runner_describe_scene(run, error));
  return recording_writer_open(NULL, &run->writer, error);
}

static scr_status run_in_directory(runner *run, scr_error *error)
{
  bool ended = false;
  SCR_TRY(open_with_team(run, &ended, error));
  if (ended) return SCR_OK;
  SCR_TRY(resume_or_build(run, error));
  scr_error reason = {0};
  scr_status status = run_loop(run, &reason);
  if (status == SCR_DIVERGED) return end_diverged(run, &reason, error);
  if (error && status != SCR_OK) *error = reason;
  return status;
}

scr_status scr_run(const scr_scene *scene, const scr_run_options *options, scr_error *error)
{
  return run_with_team(NULL, scene, options, error);
}

scr_status run_with_team(scr_team *team, const scr_scene *scene, const scr_run_options *options, scr_error *error)
{
  if (!scene || !options || !options->directory || !options->directory[0])
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a run needs a scene and a directory");
  if (team_size(team) > 1 && !scene->method->can.on_ranks)
    return scr_fail(error, SCR_BAD_SCENE, "/run/ranks",
                    "there are %u ranks, but runs of method %s can't be shared among processes: start it with scree-worker, without mpirun",
                    team_size(team), scene->method->name);
  runner *run = calloc(1, sizeof *run);
  if (!run) return scr_fail_memory(error, "a run", sizeof *run);
  run->scene = scene;
  run->options = options;
  run->team = team;
  int lock = -1;
  scr_status status = name_files(run, error);
  if (status == SCR_OK && runner_leads(run)) status = open_directory(run, &lock, error);
  int opened = status == SCR_OK;
  team_share(team, &opened, sizeof opened);
  if (opened && status == SCR_OK) {
    if (runner_leads(run)) remove_leftovers(options->directory);
    status = run_in_directory(run, error);
  }
  /* An ended run needs no checkpoint; one that failed keeps its last for whoever looks into it. */
  if (runner_leads(run) && (status == SCR_OK || status == SCR_CANCELLED)) unlink(run->checkpoint_path);
  clear_state(run);
  recording_writer_close(run->writer);
  free(run->scene_payload);
  free(run);
  if (lock >= 0) close(lock);
  return status;
}
