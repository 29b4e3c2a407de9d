/* `scree check`: all of a scene's problems, or what its run will cost. */
#include <stdlib.h>

#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/report.h"
#include "api/cli/scene_source.h"
#include "api/cli/commands/run_shared.h"
#include "api/shapes/job_json.h"
#include "api/shapes/sharing_json.h"
#include "scene/scene.h"
#include "server/worker/launch.h"
#include "sim/sim.h"

/* A device, and MPI, is looked for here and now: a server's worker may have another machine. */
static cli_exit find_device(const cli_call *call, const scr_scene *scene)
{
  scr_error error = {0};
  scr_problems problems = {0};
  launch_programs programs;
  char why[LAUNCH_WHY_BYTES];
  scr_status status = SCR_OK;
  if (scene->run.ranks > 1 && !launch_find(NULL, &programs, why))
    status = scr_problems_add(&problems, "/run/ranks", "", "1", "%s", why);
  else if (sim_find_device(scene, &error) != SCR_OK)
    status = scr_problems_add(&problems, error.pointer, "", "cpu, auto, or a device that `scree devices` lists", "%s", error.message);
  else
    return CLI_DONE;
  cli_exit code = status == SCR_OK ? report_refusal(call, &problems, stdout) : console_fail(call, CLI_FAILED, "%s", error.message);
  scr_problems_clear(&problems);
  return code;
}

/* The value of a text that the core made; frees it. */
static json_t *taken(char *text)
{
  json_t *value = text ? json_loads(text, 0, NULL) : NULL;
  scr_free(text);
  return value;
}

/* As many as the machine has processors. */
static json_t *sharing_of(const scr_scene *scene, const machine *known)
{
  unsigned processors = run_processors(), most = processors < RUN_RANKS_MOST ? processors : RUN_RANKS_MOST;
  return sharing_json(known, scr_scene_estimate(scene), scene->method->can.on_ranks ? most : 0);
}

static cli_exit answer(const cli_call *call, const scr_scene *scene)
{
  cli_exit code = find_device(call, scene);
  if (code != CLI_DONE) return code;
  machine known;
  run_shared_warn(scene, &known);
  json_t *estimate = estimate_json(scr_scene_estimate(scene)), *costs = costs_json(scr_scene_estimate(scene)),
         *warnings = problems_json(scr_scene_warnings(scene));
  if (call->json) {
    json_t *effective = taken(scr_scene_json(scene)), *gaps = taken(scr_scene_gaps_json(scene));
    return console_json(json_pack("{s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "valid", 1, "scene", effective, "estimate", estimate, "warnings",
                                  warnings, "gaps", gaps, "costs", costs, "sharing", sharing_of(scene, &known)),
                        CLI_DONE);
  }
  printf("The scene '%s' can run.\n", scr_scene_name(scene));
  report_estimate(estimate, stdout);
  report_costs(costs, stdout);
  report_warnings(warnings, stdout);
  json_decref(estimate);
  json_decref(costs);
  json_decref(warnings);
  return console_flush(CLI_DONE);
}

static cli_exit run(const cli_call *call)
{
  return report_scene(call, answer);
}

const cli_command command_check = {
    .name = "check",
    .words = "SCENE",
    .least = 1,
    .most = 1,
    .summary = "find every problem of a scene, or estimate its run",
    .description =
        CLI_SCENE_HELP " Needs no server.\n\n"
                       "A scene that can run: prints what it is made of, memory, time step, steps, run time and warnings; ends with 0.\n"
                       "A scene that can't: prints every problem with its JSON Pointer; ends with 4.\n"
                       "With --json: the same document as POST /api/v1/scenes/check, and \"costs\", which parts take the run's time; or "
                       "{\"valid\": false, \"errors\": [..]}.",
    .examples = {{"check scene.json", "every problem at once, or the cost"},
                 {"check gallery:brick-drop", "a scene of the gallery"},
                 {"check scene.json --json", "for programs"}},
    .run = run,
};
