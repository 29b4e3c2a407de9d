/* Counts brackets and commas outside strings, in one pass and without memory. */
#include "scene/bind/scan.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct scan {
  size_t line, line_start; /* number of the line, from 1, and where it begins */
  size_t depth, objects, values;
  bool in_string;
} scan;

static scr_status refuse(const scan *seen, size_t at, scr_problems *problems, const char *what, int limit)
{
  char allowed[64];
  snprintf(allowed, sizeof allowed, "at most %d %s", limit, what);
  SCR_TRY(problem_add_at(problems, "", NAN, allowed, "line %zu, column %zu: the text has more than %d %s: make the scene smaller",
                         seen->line, at - seen->line_start + 1, limit, what));
  return SCR_BAD_SCENE;
}

scr_status scan_text(const char *text, size_t length, size_t longest, scr_problems *problems)
{
  scan seen = {.line = 1, .values = 1};
  if (length > longest) {
    char allowed[64];
    snprintf(allowed, sizeof allowed, "at most %zu bytes of text", longest);
    SCR_TRY(problem_add_at(problems, "", NAN, allowed, "the scene's text has %zu bytes but at most %zu are allowed: make it shorter",
                           length, longest));
    return SCR_BAD_SCENE;
  }
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    if (c == '\n') {
      seen.line++;
      seen.line_start = i + 1;
    }
    if (seen.in_string) {
      if (c == '\\')
        i++; /* whatever follows does not end the string */
      else if (c == '"')
        seen.in_string = false;
      continue;
    }
    if (c == '"') seen.in_string = true;
    if (c == '{' || c == '[') seen.depth++;
    if (c == '{') seen.objects++;
    if (c == '{' || c == '[' || c == ',') seen.values++;
    if ((c == '}' || c == ']') && seen.depth > 0) seen.depth--;
    if (seen.depth > SCENE_DEPTH_LIMIT) return refuse(&seen, i, problems, "levels of nesting", SCENE_DEPTH_LIMIT);
    if (seen.objects > SCENE_OBJECT_LIMIT) return refuse(&seen, i, problems, "objects", SCENE_OBJECT_LIMIT);
    if (seen.values > SCENE_VALUE_LIMIT) return refuse(&seen, i, problems, "values", SCENE_VALUE_LIMIT);
  }
  return SCR_OK;
}
