/* Whether an executor can give a run the processes and the device that its scene names. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "scene/scene.h"
#include "server/lab/lab_internal.h"
#include "server/worker/launch.h"

/* A batch engine's nodes are other machines than this one. */
static bool is_elsewhere(executor *where)
{
  executor_report report = {0};
  if (where->report) where->report(where, &report);
  return report.is_engine;
}

/* What ranks would gain. The file is read anew each time: it is small, and `scree bench ranks` may have written it. */
static void estimate_ranks(executor *where, lab_scene_facts *facts)
{
  const unsigned all = where->capacity(where).threads;
  char source[MACHINE_SOURCE_BYTES];
  if (is_elsewhere(where))
    facts->machine = (machine){.sharing = sharing_usual()};
  else
    machine_read(NULL, &facts->machine);
  facts->most_ranks = all < RUN_RANKS_MOST ? all : RUN_RANKS_MOST;
  machine_source(&facts->machine, source);
  sharing_warn(&facts->machine.sharing, source, &facts->estimate, facts->ranks, &facts->warnings);
}

static void check_ranks(const lab *self, executor *where, unsigned each, lab_scene_facts *facts, scr_problems *problems)
{
  launch_programs programs = {0};
  char why[LAUNCH_WHY_BYTES], given[24];
  const unsigned all = where->capacity(where).threads;
  const bool elsewhere = is_elsewhere(where);
  snprintf(given, sizeof given, "%u", facts->ranks);
  if (!(elsewhere ? launch_find_engine : launch_find)(self->worker_path, &programs, why)) {
    if (elsewhere)
      (void)scr_problems_add(&facts->warnings, "/run/ranks", given, "1", "%s. This was looked for here, not on the nodes of %s", why,
                             where->name);
    else
      (void)scr_problems_add(problems, "/run/ranks", given, "1", "%s", why);
  }
  if (facts->ranks > all / each)
    (void)scr_problems_add(problems, "/run/ranks", given, "",
                           "%u ranks of %u %s are asked for; this lab has %u threads for all jobs together: take fewer ranks, or give "
                           "screed more --threads",
                           facts->ranks, each, each == 1 ? "thread" : "threads", all);
  facts->threads = facts->ranks * each;
}

/* What run.device may be here. */
static void list_usable(const device_list *list, char *text, size_t capacity)
{
  size_t used = (size_t)snprintf(text, capacity, "cpu, auto");
  for (size_t k = 0; k < list->count && used < capacity; k++)
    if (!list->item[k].reason[0]) used += (size_t)snprintf(text + used, capacity - used, ", %s", list->item[k].name);
}

static void check_device(lab *self, executor *where, lab_scene_facts *facts, scr_problems *problems)
{
  device_list list;
  const device_about *chosen;
  scr_error error = {0};
  char allowed[256] = "";
  const bool elsewhere = is_elsewhere(where);
  if (lab_devices(self, &list, &error) != SCR_OK) {
    (void)scr_problems_add(&facts->warnings, "/run/device", facts->device, "cpu", "%s", error.message);
    return;
  }
  if (device_choose(&list, facts->device, &chosen, &error) == SCR_OK) return;
  list_usable(&list, allowed, sizeof allowed);
  if (elsewhere)
    (void)scr_problems_add(&facts->warnings, "/run/device", facts->device, "a device of the node that runs it",
                           "run.device is '%s', which this machine does not have, but a node of %s may: choose nodes that do by "
                           "executor_options, gres (gpu:1), partition or constraint; on any other the job fails as it starts",
                           facts->device, where->name);
  else
    (void)scr_problems_add(problems, "/run/device", facts->device, allowed, "%s", error.message);
}

lab_status lab_check_place(lab *self, const char *name, unsigned threads, lab_scene_facts *facts, scr_problems *problems, scr_error *error)
{
  executor *where = lab_find_executor(self, name);
  size_t before = problems->count;
  if (!where) {
    scr_fail(error, SCR_BAD_USAGE, NULL, "the executor '%.40s' is not configured here; GET /api/v1/executors lists those that are", name);
    return LAB_BAD_REQUEST;
  }
  facts->threads = threads;
  if (facts->on_ranks) estimate_ranks(where, facts);
  if (facts->ranks > 1) check_ranks(self, where, threads ? threads : 1, facts, problems);
  if (strcmp(facts->device, "cpu") != 0 && strcmp(facts->device, "auto") != 0) check_device(self, where, facts, problems);
  if (problems->count == before) return LAB_OK;
  scr_fail(error, SCR_BAD_SCENE, problems->items[before].pointer, "the scene can't be run here");
  return LAB_REFUSED;
}
