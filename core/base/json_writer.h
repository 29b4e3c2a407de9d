/** Writes JSON text, two spaces a level; lists of plain values stay on one line. Numbers in their shortest faithful form.
 *
 *    jw_begin_object(&w);
 *    jw_key(&w, "radius"), jw_number(&w, 0.9);
 *    jw_end_object(&w);
 *    char *text = jw_take(&w);
 *
 *  The writer places commas, line breaks and escapes; balancing begin and end is the caller's. */
#ifndef SCREE_BASE_JSON_WRITER_H
#define SCREE_BASE_JSON_WRITER_H

#include <stdint.h>

#include "base/text.h"

/** Starts zeroed. */
typedef struct json_writer {
  text_builder text;
  unsigned depth;
  unsigned inline_depth; /**< > 0: inside a list that stays on one line */
  bool has_item;         /**< the innermost object or list has an item already */
  bool after_key;        /**< a key was written; its value comes next */
} json_writer;

void jw_begin_object(json_writer *writer);
void jw_end_object(json_writer *writer);
void jw_begin_list(json_writer *writer);
void jw_end_list(json_writer *writer);
/** A list on one line: "[0, 0, 1]". */
void jw_begin_row(json_writer *writer);
void jw_end_row(json_writer *writer);

void jw_key(json_writer *writer, const char *key);
/** `string` must be UTF-8. */
void jw_string(json_writer *writer, const char *string);
/** Not a number and infinity, which JSON lacks, become null. */
void jw_number(json_writer *writer, double value);
void jw_integer(json_writer *writer, int64_t value);
void jw_boolean(json_writer *writer, bool value);
void jw_null(json_writer *writer);
/** A value that is JSON text already. */
void jw_raw(json_writer *writer, const char *json);

/** The text, to be freed by the caller; NULL if memory ran out. Ends without a line break. */
char *jw_take(json_writer *writer);

#endif
