/** Numbers for people: with a prefix and a unit, or as a span of time. */
#ifndef SCREE_API_CLI_QUANTITY_H
#define SCREE_API_CLI_QUANTITY_H

#include <stddef.h>

/** "25.8 us", "46.0 N", "9.10 MB": three digits and the decimal prefix that suits, n to G; "-" when not finite.
 *  @param text [capacity], 24 suffices */
void quantity_text(double value, const char *unit, char *text, size_t capacity);

/** "4 s", "1 min 05 s", "2 h 10 min"; "?" when not finite or negative. seconds: s */
void quantity_span(double seconds, char *text, size_t capacity);

/** "55 516": a whole number in groups of three. */
void quantity_count(double value, char *text, size_t capacity);

#endif
