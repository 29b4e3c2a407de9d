/* Fuzzes what reads scenes: the scan, the parser, the binder, every check, the methods' own checks, and the writer.
 *
 * Beyond not crashing it must hold that text gives either a scene or at least one problem, that problems are whole (valid JSON text of
 * UTF-8), and that a scene's effective text is read back to exactly the same text. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "scree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
  if (!holds) abort();
}

static void check_problems(const scr_problems *problems)
{
  for (size_t i = 0; i < problems->count; i++) {
    const scr_problem *problem = &problems->items[i];
    json_t *texts = json_pack("[ssss]", problem->pointer, problem->given, problem->allowed, problem->detail);
    demand(texts != NULL); /* refuses what is not UTF-8 */
    demand(problem->detail[0] != '\0');
    demand(problem->pointer[0] == '\0' || problem->pointer[0] == '/');
    json_decref(texts);
  }
}

static void check_scene(const scr_scene *scene, const scr_limits *limits)
{
  scr_scene *again = NULL;
  scr_problems problems = {0};
  scr_limits wide = *limits;
  char *text = scr_scene_json(scene);
  wide.text_bytes *= 16; /* defaults and escapes take more room than the text that was given */
  demand(text != NULL);
  demand(scr_scene_parse(text, strlen(text), &wide, &again, &problems) == SCR_OK);
  char *text_again = scr_scene_json(again);
  demand(text_again && strcmp(text, text_again) == 0);
  demand(scr_scene_estimate(scene)->step_count <= limits->step_count);
  scr_free(text);
  scr_free(text_again);
  scr_scene_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  scr_limits limits = scr_limits_default();
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  limits.memory_bytes =
      (size_t)20 << 20; /* of which the program itself counts 14: bodies of a few thousand elements, built in milliseconds */
  limits.text_bytes = 65536;
  scr_status status = scr_scene_parse((const char *)data, size, &limits, &scene, &problems);
  demand((status == SCR_OK) == (scene != NULL));
  demand(status == SCR_OK ? problems.count == 0 : status == SCR_BAD_SCENE && problems.count > 0);
  check_problems(&problems);
  if (scene) check_scene(scene, &limits);
  scr_scene_destroy(scene);
  scr_problems_clear(&problems);
  return 0;
}
