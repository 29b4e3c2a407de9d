/** Parts of a document that users write: each function reads one key of an object and adds a problem for what is wrong with it, so that all
 *  problems are found at once. */
#ifndef SCREE_SERVER_STUDY_DOCUMENT_PART_H
#define SCREE_SERVER_STUDY_DOCUMENT_PART_H

#include <jansson.h>

#include "scree.h"

/** An object of a document and the JSON Pointer to it. Borrowed. */
typedef struct document_part {
  const json_t *json; /**< NULL or no object: nothing is given */
  const char *pointer;
  scr_problems *problems;
} document_part;

/** Adds a problem: what is given at `pointer` must be `allowed`. @param given NULL: it is missing */
void part_refuse(scr_problems *problems, const char *pointer, const json_t *given, const char *allowed);

/** The JSON Pointer to a key. */
enum { PART_POINTER_BYTES = 320 };
const char *part_pointer(const document_part *part, const char *key, char pointer[static PART_POINTER_BYTES]);

/** Refuses keys that are not listed. @param keys ended by NULL    @param allowed them for people: "x, y, weight" */
void part_keys(const document_part *part, const char *const *keys, const char *allowed);

/** A number from `low` to `high`; absent: `*value` stays. @return whether a fit one is given */
bool part_number(const document_part *part, const char *key, double low, double high, double *value);

/** A whole number likewise. */
bool part_whole(const document_part *part, const char *key, json_int_t low, json_int_t high, json_int_t *value);

/** A text of 1 to capacity - 1 bytes. @param needed whether its absence is a problem    @return whether a fit one is given */
bool part_text(const document_part *part, const char *key, char *text, size_t capacity, bool needed);

/** One of `names`, ended by NULL; absent: `*choice` stays. */
bool part_choice(const document_part *part, const char *key, const char *const *names, size_t *choice);

/** Refuses a name that is not of letters, digits, '-', '_' and '.', a letter or digit first. */
void part_check_name(const document_part *part, const char *name);

#endif
