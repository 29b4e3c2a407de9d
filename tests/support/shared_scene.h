/** The gallery's scenes that run under two methods, opened with the word `method` changed. */
#ifndef SCREE_SUPPORT_SHARED_SCENE_H
#define SCREE_SUPPORT_SHARED_SCENE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scree.h"
#include "server/embedded.h"
#include "sim/pieces/breaks.h"

enum { SHARED_SCENES = 3 };

static const struct {
  const char *name, *part; /**< the part whose force and displacement are compared */
} shared_scenes[SHARED_SCENES] = {{"three-point-bend", "roller.load"}, {"notched-beam", "roller.load"}, {"brazilian-disc", "jaw.top"}};

static const char *const shared_methods[2] = {"peridem", "bdem"};

/** `text` with its only `old` replaced, to be freed; fails the test when there is none or more than one. */
static inline char *shared_replaced(const char *text, const char *old, const char *new)
{
  const char *at = strstr(text, old);
  if (!at || strstr(at + 1, old)) fail_msg("%s is there %s", old, at ? "twice" : "nowhere");
  size_t before = (size_t)(at - text), size = strlen(text) - strlen(old) + strlen(new) + 1;
  char *result = malloc(size);
  assert_non_null(result);
  snprintf(result, size, "%.*s%s%s", (int)before, text, new, at + strlen(old));
  return result;
}

/** The text with `old` replaced wherever it is, at least once; the caller frees. `new` does not hold `old`. */
static inline char *shared_replaced_everywhere(const char *text, const char *old, const char *new)
{
  char *result = strdup(text);
  assert_non_null(result);
  if (!strstr(result, old)) fail_msg("%s is there nowhere", old);
  for (const char *at; (at = strstr(result, old));) {
    size_t size = strlen(result) - strlen(old) + strlen(new) + 1;
    char *changed = malloc(size);
    assert_non_null(changed);
    snprintf(changed, size, "%.*s%s%s", (int)(at - result), result, new, at + strlen(old));
    free(result);
    result = changed;
  }
  return result;
}

/** A scene of the gallery under a method, with texts replaced: changes[k][0] by changes[k][1]. Fails the test when it is refused. */
static inline scr_scene *shared_scene_changed(const char *name, const char *method, const char *const (*changes)[2], size_t count)
{
  char path[96], word[64];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  snprintf(path, sizeof path, "gallery/%s.json", name);
  snprintf(word, sizeof word, "\"method\": \"%s\"", method);
  const embedded_file *asset = embedded_find(path);
  if (!asset) fail_msg("no %s", path);
  char *text = shared_replaced(asset ? (const char *)asset->data : "", "\"method\": \"peridem\"", word);
  for (size_t k = 0; k < count; k++) {
    char *changed = shared_replaced(text, changes[k][0], changes[k][1]);
    free(text);
    text = changed;
  }
  if (scr_scene_parse(text, strlen(text), NULL, &scene, &problems) != SCR_OK)
    fail_msg("%s under %s: %s", name, method, problems.count ? problems.items[0].detail : "no memory");
  scr_problems_clear(&problems);
  free(text);
  return scene;
}

/** A scene of the gallery under a method; with `old`, that text is replaced by `new`. */
static inline scr_scene *shared_scene(const char *name, const char *method, const char *old, const char *new)
{
  const char *const change[1][2] = {{old, new}};
  return shared_scene_changed(name, method, change, old ? 1 : 0);
}

/* The table of broken bonds, with the rows that nobody took yet. */
static inline const scr_table *shared_breaks(const scr_sim *sim)
{
  size_t k = 0;
  while (k + 1 < sim->table_count && strcmp(sim->tables[k].table.name, "breaks") != 0) k++;
  return &sim->tables[k].table;
}

/* When a disc loaded along z has split: a tenth of the bonds that break in its middle half, |z| < radius/2, have broken. Infinity when none
 * has. The log keeps them in the order of breaking as long as nobody empties it. */
static inline double shared_splitting_time(const scr_sim *sim, double radius)
{
  const scr_table *breaks = shared_breaks(sim);
  size_t middle = 0, seen = 0;
  for (size_t k = 0; k < breaks->row_count; k++) middle += fabs(breaks_entry(breaks, k).position[2]) < 0.5 * radius;
  for (size_t k = 0; k < breaks->row_count; k++) {
    seen += fabs(breaks_entry(breaks, k).position[2]) < 0.5 * radius;
    if (middle > 0 && 10 * seen >= middle) return breaks_entry(breaks, k).time;
  }
  return INFINITY;
}

#endif
