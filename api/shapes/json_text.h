/** Values that JSON can't hold as they are: text that may not be UTF-8, numbers that may not be finite. */
#ifndef SCREE_API_SHAPES_JSON_TEXT_H
#define SCREE_API_SHAPES_JSON_TEXT_H

#include <jansson.h>
#include <stdint.h>

/** A string; bytes that are no UTF-8 become '?'. NULL stands for "". New reference, NULL: no memory. */
json_t *json_text(const char *text);

/** A number, or null when it is not finite. */
json_t *json_finite(double value);

/** A whole number; values above INT64_MAX become INT64_MAX. */
json_t *json_count(uint64_t value);

/** A finite number with the seven digits that single precision has, so that long lists stay short. */
json_t *json_short(double value);

/** Lists of such numbers, and of whole ones. @param values [count] */
json_t *json_floats(const float *values, size_t count);
json_t *json_indices(const uint32_t *values, size_t count);

/** A list of what `json_of` makes of each item, NULL when one is NULL. New reference. @param items [count], `size` bytes each */
json_t *json_list(const void *items, size_t count, size_t size, json_t *(*json_of)(const void *item));

/** "2026-01-31T12:00:00.000Z" of milliseconds since 1970; null for 0. */
json_t *json_time(int64_t milliseconds);

#endif
