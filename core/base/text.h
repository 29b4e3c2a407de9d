/** Text that grows: built piece by piece, checked for memory once at the end. */
#ifndef SCREE_BASE_TEXT_H
#define SCREE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/** Starts zeroed. `data` is NUL-terminated as soon as something was added. After a failed allocation every call does nothing and
 *  `failed` stays set, so callers check once, in text_take. */
typedef struct text_builder {
  char *data;      /**< owned; NULL while empty */
  size_t length;   /**< bytes, without the NUL */
  size_t capacity; /**< bytes allocated */
  bool failed;     /**< an allocation failed; the text is incomplete */
} text_builder;

void text_add(text_builder *text, const char *bytes, size_t count);
void text_add_string(text_builder *text, const char *string);
/** Adds text for XML and SVG, with & < > and " as entities. */
void text_add_escaped(text_builder *text, const char *string);
void text_add_character(text_builder *text, char character);
void text_add_format(text_builder *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Hands the text over to the caller (freed with free or scr_free) and empties the builder. NULL if an allocation failed. */
char *text_take(text_builder *text);

/** Frees what was built. */
void text_clear(text_builder *text);

/** Largest prefix of the `length` bytes at `bytes` that is at most `limit` bytes long and does not cut a UTF-8 character. */
size_t text_cut(const char *bytes, size_t length, size_t limit);

/** Longest text number_text writes, with the NUL. */
enum { NUMBER_TEXT_BYTES = 32 };

/** Writes the shortest of %.15g, %.16g and %.17g that reads back as the same double: 0.9 is "0.9". The decimal point is '.' in every
 *  locale. `value` must be finite. Returns `buffer`. */
char *number_text(double value, char buffer[static NUMBER_TEXT_BYTES]);

#endif
