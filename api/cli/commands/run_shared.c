/* Starting scree-worker as a server does, and listening to it. */
#include "api/cli/commands/run_shared.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "scene/scene.h"
#include "server/executor/worker_process.h"
#include "server/worker/launch.h"

static const double default_checkpoint_seconds = 10;

static scr_status keep_scene(const scr_scene *scene, const char *directory, scr_error *error)
{
  char path[LAUNCH_PATH];
  char *text = scr_scene_json(scene);
  if (!text) return scr_fail_memory(error, "the scene", 0);
  scr_status status = snprintf(path, sizeof path, "%s/scene.json", directory) < (int)sizeof path
                          ? scr_write_file(path, text, strlen(text), error)
                          : scr_fail(error, SCR_BAD_USAGE, NULL, "the path '%s' is too long", directory);
  scr_free(text);
  return status;
}

/* Digests of the scene's files with commas between them, to be freed; NULL without memory. */
static char *names_of(const scr_scene *scene)
{
  size_t count = scr_scene_asset_count(scene), each = 80, used = 0;
  char *names = calloc(count + 1, each);
  for (size_t i = 0; names && i < count; i++)
    used += (size_t)snprintf(names + used, each, "%s%.64s", i ? "," : "", scr_scene_asset(scene, i)->digest);
  return names;
}

static scr_run_answer show(const scr_run_options *options, const control_message *message, bool *resumed, bool first)
{
  if (!options->progress) return SCR_RUN_GO_ON;
  scr_run_progress progress = {.step = message->step,
                               .step_count = message->step_count,
                               .sim_time = message->sim_time,
                               .duration = message->duration,
                               .run_seconds = message->run_seconds,
                               .steps_per_second = message->steps_per_second,
                               .time_per_second = message->time_per_second,
                               .headline_count = message->headline_count,
                               .last_seq = message->last_seq};
  *resumed = *resumed || (first && message->step > 0);
  progress.resumed = *resumed;
  memcpy(progress.headlines, message->headlines, sizeof progress.headlines);
  memcpy(progress.stage, message->stage, sizeof progress.stage);
  return options->progress(options->user, &progress);
}

/* Until it has ended. */
static scr_status listen_to(worker_process *process, const scr_run_options *options, scr_error *error)
{
  worker_exit ended;
  control_message message;
  scr_status status = SCR_IO;
  bool has_result = false, over = false, resumed = false, first = true;
  while (!over) {
    struct pollfd waits[] = {{process->pidfd, POLLIN, 0}, {process->control, POLLIN, 0}};
    poll(waits, 2, 200);
    over = worker_has_ended(process);
    while (worker_receive(process, &message)) {
      if (message.kind == CONTROL_RESULT) {
        has_result = true;
        status = (scr_status)message.status;
        scr_fail(error, status, status == SCR_BAD_SCENE ? "/run/ranks" : NULL, "%s", message.text);
      } else if (message.kind == CONTROL_HEARTBEAT) {
        scr_run_answer answer = show(options, &message, &resumed, first);
        first = false;
        if (answer != SCR_RUN_GO_ON) worker_send(process, answer == SCR_RUN_CANCEL ? CONTROL_CANCEL : CONTROL_STOP);
      }
    }
    if (waits[1].revents & POLLHUP && !over) poll(waits, 1, 200); /* it has said its last */
  }
  worker_reap(process, &ended);
  worker_hang_up(process);
  return has_result
             ? status
             : scr_fail(error, SCR_IO, NULL, "a process of the run ended with code %d: see %s/worker.log, then run the same command again",
                        ended.code, options->directory);
}

scr_status run_shared(const scr_scene *scene, const scr_run_options *options, scr_error *error)
{
  launch_programs programs;
  worker_process process;
  char why[LAUNCH_WHY_BYTES], assets[LAUNCH_PATH];
  if (!launch_find(NULL, &programs, why)) return scr_fail(error, SCR_BAD_SCENE, "/run/ranks", "%s", why);
  programs.worker[strlen(programs.worker) - strlen("-mpi")] = '\0';
  SCR_TRY(keep_scene(scene, options->directory, error));
  char *directory = realpath(options->directory, NULL), *names = names_of(scene);
  scr_status status = directory && names ? SCR_OK : scr_fail_io(error, "find", options->directory, errno);
  if (status == SCR_OK && snprintf(assets, sizeof assets, "%s/assets", directory) >= (int)sizeof assets)
    status = scr_fail(error, SCR_BAD_USAGE, NULL, "the path '%s' is too long", directory);
  if (status == SCR_OK) {
    const worker_request request = {.worker_path = programs.worker,
                                    .directory = directory,
                                    .threads = (unsigned)scene->run.ranks * (options->threads ? options->threads : 1),
                                    .checkpoint_seconds =
                                        options->checkpoint_seconds > 0 ? options->checkpoint_seconds : default_checkpoint_seconds,
                                    .assets = scr_scene_asset_count(scene) ? assets : NULL,
                                    .asset_names = names};
    status = worker_start(&request, &process, error);
  }
  free(directory);
  free(names);
  return status == SCR_OK ? listen_to(&process, options, error) : status;
}

unsigned run_processors(void)
{
  cpu_set_t set;
  int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return count > 0 ? (unsigned)count : 1;
}

void run_shared_warn(const scr_scene *scene, machine *known)
{
  char source[MACHINE_SOURCE_BYTES];
  machine_read(NULL, known);
  machine_source(known, source);
  if (scene->method->can.on_ranks)
    sharing_warn(&known->sharing, source, scr_scene_estimate(scene), (unsigned)scene->run.ranks, scene->warnings);
}
