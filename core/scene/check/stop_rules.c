/* Stop rules that can't hold, whatever the specimens do. */
#include "scene/check/stop_rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "scene/check/check.h"
#include "scene/places/reach.h"
#include "scene/problem.h"

static bool ends_with(const char *name, const char *end)
{
  size_t length = strlen(name), tail = strlen(end);
  return length >= tail && strcmp(name + length - tail, end) == 0;
}

bool stop_rule_is_target(const scr_stop_rule *rule)
{
  return ends_with(rule->series, ".displacement") || ends_with(rule->series, ".rotation") || strcmp(rule->series, "time") == 0;
}

/* The curve's name behind that of the part; NULL: it is none of the part's. */
static const char *curve_of(const char *series, const scr_part *part)
{
  size_t length = strlen(part->name);
  return strncmp(series, part->name, length) == 0 && series[length] == '.' ? series + length + 1 : NULL;
}

/* What the rule has to pass, or pass before it waits for a drop, against the most that the curve can reach. */
static scr_status judge_most(const scr_scene *scene, size_t rule, const char *unit, double most, const char *why)
{
  const scr_stop_rule *given = &scene->time.stop_rules[rule];
  if (!(most <= given->above)) return SCR_OK;
  char pointer[64], bound[QUANTITY_BYTES], reached[QUANTITY_BYTES];
  snprintf(pointer, sizeof pointer, "/time/stop/%zu/above", rule);
  quantity_text(given->above, unit, bound, sizeof bound);
  quantity_text(most, unit, reached, sizeof reached);
  return problem_add_at(
      scene->warnings, pointer, given->above, "a limit that the run can pass",
      "%s would have to pass %s, but %s gives it %s at most: the rule can't end the run; choose a lower limit, or a longer run",
      given->series, bound, why, reached);
}

/* Largest |displacement| or |angle| that a program gives, m or rad. */
static double most_of(const scr_program *program, double duration)
{
  scr_part forth = {.program = program, .sign = 1}, back = {.program = program, .sign = -1};
  return program ? fmax(scene_travel(&forth, duration), scene_travel(&back, duration)) : 0;
}

static scr_status check_part_rule(const scr_scene *scene, size_t rule, const scr_part *parts, size_t count, size_t p, const char *curve)
{
  double duration = scene->time.duration, most = 0;
  if (parts[p].is_free || parts[p].steers) return SCR_OK;
  if (strcmp(curve, "displacement") == 0) return judge_most(scene, rule, "m", most_of(parts[p].program, duration), "the part's program");
  if (strcmp(curve, "rotation") == 0) return judge_most(scene, rule, "rad", most_of(parts[p].turn, duration), "the part's program");
  if (strncmp(curve, "force_", 6) != 0 || !check_misses(scene, parts, count, p)) return SCR_OK;
  return judge_most(scene, rule, "N", most, "a part that reaches no specimen");
}

/* ── what waits for something to break ──────────────────────────────────────────────────────────────────────────── */

static bool is_of_breaking(const char *series)
{
  static const char *const names[] = {"fragments", "fragments_per_grain", "broken_bonds", "energy.fracture"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(series, names[i]) == 0) return true;
  return false;
}

/* What of the scene is about breaking: the name of a curve that a stop rule or a plot names; NULL: nothing. */
static const char *asked_for_breaking(const scr_scene *scene)
{
  for (size_t i = 0; i < scene->time.stop_rule_count; i++) {
    const scr_stop_rule *rule = &scene->time.stop_rules[i];
    if (is_of_breaking(rule->series) || rule->kind == SCR_STOP_FORCE_DROP) return rule->series;
  }
  for (size_t i = 0; i < scene->output.plot_count; i++)
    if (is_of_breaking(scene->output.plots[i].y)) return scene->output.plots[i].y;
  return NULL;
}

static bool can_break(const scr_scene *scene, size_t specimen)
{
  static const char *const keys[] = {"fracture_energy", "tensile_strength", "shear_strength"};
  uint32_t material = scene->specimens[specimen].material;
  if (scene_specimen_number(scene, specimen, "breakable") == 0) return false;
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    if (isfinite(scene_material_number(scene, material, keys[k]))) return true;
  return false;
}

scr_status check_breaking(const scr_scene *scene)
{
  const char *series = asked_for_breaking(scene);
  if (!series || !section_table_param(&scene->method->material, "fracture_energy")) return SCR_OK; /* nothing of it breaks by a material */
  for (size_t i = 0; i < scene->specimen_count; i++)
    if (can_break(scene, i)) return SCR_OK;
  if (scene_specimen_number(scene, 0, "breakable") == 0) {
    return problem_add_text(scene->warnings, "/specimens/0/breakable", "false", "a specimen that can break",
                            "no specimen can break, and %.63s is asked for: make '%.63s' breakable if it is to break", series,
                            scene->specimens[0].name);
  }
  char pointer[64];
  uint32_t material = scene->specimens[0].material;
  snprintf(pointer, sizeof pointer, "/materials/%u/fracture_energy", (unsigned)material);
  return problem_add_text(
      scene->warnings, pointer, "null", "a material that can break",
      "material '%.63s' has nothing that would break it, and %.63s is asked for: give it a fracture_energy, in J/m^2, or a "
      "strength",
      scene->materials[material].name, series);
}

scr_status check_stop_rules(const scr_scene *scene)
{
  scr_part parts[SCR_PART_LIMIT];
  size_t count = scr_rig_parts(&scene->rig, parts);
  for (size_t i = 0; i < scene->time.stop_rule_count; i++) {
    const char *series = scene->time.stop_rules[i].series;
    if (strcmp(series, "time") == 0) SCR_TRY(judge_most(scene, i, "s", scene->time.duration, "the duration"));
    for (size_t p = 0; p < count; p++) {
      const char *curve = curve_of(series, &parts[p]);
      if (curve) SCR_TRY(check_part_rule(scene, i, parts, count, p, curve));
    }
  }
  return SCR_OK;
}
