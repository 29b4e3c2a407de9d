/* Curves named in stop rules and plots: each must be one that the run will report. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "scene/check/check.h"
#include "scene/part.h"

enum { POINTER_BYTES = 96 };

/* Whether a part has the curve of that name; methods may have further ones of parts. */
static bool has_curve(const scr_part *part, const char *name)
{
  for (int k = 0; k < SCR_PART_CURVES; k++)
    if (strcmp(scr_part_curve_names[k], name) == 0) return scr_part_has_curve(part, k);
  return true;
}

/* The curves of pressure, where the scene asks for them. */
static bool visit_pressures(const scene_document *document, const scr_part *parts, size_t part_count,
                            bool (*visit)(void *user, const char *name), void *user)
{
  for (size_t p = 0; isfinite(document->output.pressure_time) && p < part_count; p++) {
    char full[96];
    if (!scr_part_has_pressure(&parts[p])) continue;
    snprintf(full, sizeof full, "%.47s." SCR_CURVE_PRESSURE, parts[p].name);
    if (visit(user, full)) return true;
    snprintf(full, sizeof full, "%.47s." SCR_CURVE_PRESSURE_AVERAGE, parts[p].name);
    if (visit(user, full)) return true;
  }
  return false;
}

/* Calls `visit` with the name of every curve until it returns true; parts' curves exist for each part of the rig. */
static bool visit_curves(const scene_document *document, bool (*visit)(void *user, const char *name), void *user)
{
  scr_part parts[SCR_PART_LIMIT];
  size_t part_count = scr_rig_parts(&document->rig, parts);
  if (visit(user, "time")) return true;
  for (size_t p = 0, free_count = 0; p < part_count; p++)
    if (parts[p].is_free && free_count++ == 0 && visit(user, SCR_PARTS_ENERGY)) return true;
  if (visit_pressures(document, parts, part_count, visit, user)) return true;
  const void *options = document->method ? section_values_of(&document->options, document->method) : NULL;
  for (size_t i = 0; document->method && i < document->method->curve_count; i++) {
    const char *name = document->method->curves[i].name, *mark = strstr(name, SCR_PART_MARK);
    if (!scr_method_reports(document->method, options, name)) continue;
    if (!mark) {
      if (visit(user, name)) return true;
      continue;
    }
    for (size_t p = 0; p < part_count; p++) {
      char full[128];
      if (!has_curve(&parts[p], mark + strlen(SCR_PART_MARK) + 1)) continue;
      snprintf(full, sizeof full, "%.*s%.47s%s", (int)(mark - name), name, parts[p].name, mark + strlen(SCR_PART_MARK));
      if (visit(user, full)) return true;
    }
  }
  return false;
}

static bool is_same(void *user, const char *name)
{
  return strcmp(user, name) == 0;
}

bool series_exists(const scene_document *document, const char *name)
{
  if (!document->method || document->method->curve_count == 0) return true;
  char wanted[64];
  return visit_curves(document, is_same, short_text(name, wanted, sizeof wanted));
}

/* Collects the names of all curves and the one most like a given one, which is copied: names made of a mark live only for the visit. */
typedef struct curve_search {
  text_builder names;
  suggestion search;
  char best[128];
} curve_search;

static bool collect(void *user, const char *name)
{
  curve_search *found = user;
  text_add_format(&found->names, "%s%s", found->names.length ? ", " : "", name);
  const char *before = found->search.best;
  suggestion_consider(&found->search, name);
  if (found->search.best == name) {
    snprintf(found->best, sizeof found->best, "%s", name);
    found->search.best = found->best;
  } else {
    found->search.best = before;
  }
  return false;
}

static scr_status check_name(const scene_document *document, const char *pointer, const char *name, scr_problems *problems)
{
  if (!name[0] || problems->truncated || series_exists(document, name)) return SCR_OK;
  curve_search found = {.search = suggestion_start(name)};
  visit_curves(document, collect, &found);
  char *names = text_take(&found.names), shown[400];
  if (!names) return SCR_NO_MEMORY;
  bool hint = found.search.best != NULL;
  scr_status status =
      problem_add_text(problems, pointer, name, names, "the run has no curve \"%s\"%s%s%s: give one of %s", name,
                       hint ? "; did you mean \"" : "", hint ? found.best : "", hint ? "\"?" : "", short_text(names, shown, sizeof shown));
  free(names);
  return status;
}

/* A run that ended by the clock would end elsewhere the next time. */
static scr_status refuse_clock(const char *pointer, const char *name, scr_problems *problems)
{
  if (strncmp(name, SCR_CLOCK_PREFIX, strlen(SCR_CLOCK_PREFIX)) != 0) return SCR_OK;
  return problem_add_text(
      problems, pointer, name, "a curve that is the same in every run",
      "the curve \"%s\" is measured by a clock and differs from run to run, so a run can't stop by it: give another one", name);
}

scr_status check_series(const scene_document *document, scr_problems *problems)
{
  char pointer[POINTER_BYTES];
  for (size_t i = 0; i < document->time.stop_rule_count; i++) {
    snprintf(pointer, sizeof pointer, "/time/stop/%zu/series", i);
    SCR_TRY(refuse_clock(pointer, document->time.stop_rules[i].series, problems));
    SCR_TRY(check_name(document, pointer, document->time.stop_rules[i].series, problems));
  }
  for (size_t i = 0; i < document->output.plot_count; i++) {
    snprintf(pointer, sizeof pointer, "/output/plots/%zu/x", i);
    SCR_TRY(check_name(document, pointer, document->output.plots[i].x, problems));
    snprintf(pointer, sizeof pointer, "/output/plots/%zu/y", i);
    SCR_TRY(check_name(document, pointer, document->output.plots[i].y, problems));
  }
  return SCR_OK;
}
