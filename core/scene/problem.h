/** Problems of a scene: where in the text, what was given, what is allowed. */
#ifndef SCREE_SCENE_PROBLEM_H
#define SCREE_SCENE_PROBLEM_H

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "scene/param.h"

/** A place in the scene, kept on the stack of the walk: a key (or an index, when `key` is NULL) below its parent. */
typedef struct path {
  const struct path *parent; /**< NULL: the whole document */
  const char *key;
  size_t index;
} path;

/** A place as a JSON Pointer, to free(); NULL: no memory. */
char *path_pointer(const path *place);

/** Adds a problem at a place. `given` may be NULL: something is missing. The detail is a sentence without its full stop, which is
 *  added. SCR_NO_MEMORY when the problem was lost. */
scr_status problem_add(scr_problems *problems, const path *place, const json_t *given, const char *allowed, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** The same with the pointer as text and nothing to show as given but a number; NaN: nothing. */
scr_status problem_add_at(scr_problems *problems, const char *pointer, double given, const char *allowed, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** The same with a text as given. */
scr_status problem_add_text(scr_problems *problems, const char *pointer, const char *given, const char *allowed, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** The same with `given` as it is shown, "" for nothing, and the arguments as a list. */
scr_status problem_add_list(scr_problems *problems, const char *pointer, const char *given, const char *allowed, const char *format,
                            va_list arguments) __attribute__((format(printf, 5, 0)));

/** Whether problems were lost for want of memory: a list that was cut although it is not as long as a list may be. */
bool problems_were_lost(const scr_problems *problems);

/** The problem at "/specimens" of a scene that needs more memory than it may have, in bytes. A need that no number holds (infinite or NaN,
 *  from a spacing of 1e-300 m) is told in words. `remedy`: what to do, "use a larger spacing or fewer grains". */
scr_status problem_add_memory(scr_problems *problems, double bytes, double allowed, const char *remedy);

/** Whether any problem from number `first` on lies at `pointer` or below it. */
bool problems_below(const scr_problems *problems, size_t first, const char *pointer);

/** What a value may be, as a phrase: "a number > 0, in m". */
void allowed_text(text_builder *text, const scr_param *param);

/** A number's range as a phrase that begins with a blank: " > 0 and <= 1"; "" for none. */
void range_text(text_builder *text, const scr_param *param);

/** A JSON value as short JSON text for people, cut with "..." after about `limit` bytes. */
void given_text(text_builder *text, const json_t *value, size_t limit);

/** `source` copied into a small buffer for a message, cut at a UTF-8 border with "..." when longer. Returns `buffer`. */
char *short_text(const char *source, char *buffer, size_t capacity);

#endif
