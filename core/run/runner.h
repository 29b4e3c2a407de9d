/** One run in progress: the state shared by the run loop, its records and its checkpoints. */
#ifndef SCREE_RUN_RUNNER_H
#define SCREE_RUN_RUNNER_H

#include <limits.h>

#include "record/file/recording_writer.h"
#include "record/frame/builder.h"
#include "run/energy_monitor.h"
#include "run/rig_monitor.h"
#include "sim/sim.h"

enum { RUN_BATCH_SAMPLES = 64 };

/** What a run has counted so far. All of it is saved in checkpoints and none of it depends on the wall clock. */
typedef struct run_totals {
  uint64_t samples, frames;             /**< taken so far */
  double headlines[SCR_HEADLINE_LIMIT]; /**< as the simulation declares them; NaN: no sample was taken yet */
  uint64_t doubts_recorded;             /**< doubts whose event is recorded */
} run_totals;

typedef struct runner {
  const scr_scene *scene;
  const scr_run_options *options;
  scr_team *team; /**< who shares the run; NULL alone. Only rank 0 has files, and hears the caller */
  char recording_path[PATH_MAX], checkpoint_path[PATH_MAX], scene_path[PATH_MAX];
  scr_sim *sim;
  scr_frame *frame;
  recording_writer *writer;
  char *scene_payload;                            /**< of the scene record, JSON */
  uint32_t scene_crc;                             /**< of that payload: what a checkpoint belongs to */
  bool uneven;                                    /**< the method chooses its steps: what is due is judged by the time */
  uint64_t step_count, sample_every, frame_every; /**< in steps; 0 of an uneven clock */
  long *rule_series;                              /**< [stop_rule_count] */
  run_totals totals;
  energy_monitor watch;
  rig_monitor rig;
  double *rule_peaks; /**< [stop_rule_count] */
  double *pending;    /**< [RUN_BATCH_SAMPLES][series_count] samples not yet recorded */
  size_t pending_count;
  bool stop_met;
  char stop_reason[256];
  bool resumed;
  double begun, next_progress, next_checkpoint, next_alive_report; /**< monotonic clock, s */
  double rate_time, rate;                                          /**< start of the pace's window, s; steps/s */
  uint64_t rate_steps;
  double rate_sim_time, time_rate; /**< s, start of the pace's window; simulated s per s */
} runner;

/** Whether this process has the run's files. */
static inline bool runner_leads(const runner *run)
{
  return team_rank(run->team) == 0;
}

/** Whether a run that stands at its state has steps left to make (run.c). */
static inline bool runner_goes_on(const runner *run)
{
  return run->uneven ? !sim_due(run->sim, run->scene->time.duration) : run->sim->steps < run->step_count;
}

/* ── records (run_records.c) ── */

/** Builds scene_payload and scene_crc. */
scr_status runner_describe_scene(runner *run, scr_error *error);
/** SCR_MISMATCH when the recording found is of another scene. */
scr_status runner_check_scene(runner *run, scr_error *error);
/** SCR_MISMATCH when the recording found was begun with other kernels than the simulation has chosen. */
scr_status runner_check_kernels(runner *run, scr_error *error);
/** The verdict of a recording that ended: SCR_OK, SCR_CANCELLED or SCR_DIVERGED with its message. */
scr_status runner_read_verdict(runner *run, scr_error *error);

/** The headlines as they are now. @param headlines [SCR_HEADLINE_LIMIT]    @return how many */
size_t runner_headlines(const runner *run, scr_headline *headlines);
scr_status runner_record_scene(runner *run, scr_error *error);
/** Records the topology; needs the first frame drawn, for its bounds. */
scr_status runner_record_topology(runner *run, scr_error *error);
scr_status runner_draw(runner *run, scr_error *error);
/** Records the samples and the rows of tables pending, if any. */
scr_status runner_flush_samples(runner *run, scr_error *error);
/** Records the samples pending, then an event. */
scr_status runner_record_event(runner *run, const char *kind, const char *message, scr_error *error);
/** Records an event for every stage entered since the last call. */
scr_status runner_record_stages(runner *run, scr_error *error);
/** Records an event for every doubt raised since the last call. */
scr_status runner_record_doubts(runner *run, scr_error *error);
/** Records the samples pending, then the frame drawn last. */
scr_status runner_record_frame(runner *run, scr_error *error);
scr_status runner_record_progress(runner *run, scr_error *error);
scr_status runner_record_end(runner *run, scr_verdict verdict, const char *message, scr_error *error);
/** Ends a recording as cancelled, also while records ahead of the writer have not been computed again. */
scr_status runner_record_cancel(runner *run, scr_error *error);

/* ── files of the method (run_files.c) ── */

/** Takes a file of the method into the run's directory: sim_files.take. @param user the runner */
scr_status runner_take_file(void *user, const char *name, sim_file_writer *writer, const void *what, uint64_t *bytes, scr_error *error);

/* ── checkpoints (checkpoint.c) ── */

/** Saves the state between two steps; the recording is synced first. */
scr_status checkpoint_save(runner *run, scr_error *error);
/** Loads a checkpoint into a runner that stands at its beginning. `*loaded` is false when there is none of use; `*touched` says whether the
 *  simulation was changed all the same and has to be built anew. @return SCR_OK or SCR_NO_MEMORY */
scr_status checkpoint_load(runner *run, bool *loaded, bool *touched, scr_error *error);

#endif
