/** Numbers for people: with a prefix and a unit, in groups of digits, or as a span of time. UTF-8: micro is µ. */
#ifndef SCREE_BASE_QUANTITY_H
#define SCREE_BASE_QUANTITY_H

#include <stddef.h>

/** Enough for any text below with a unit of up to 12 bytes. */
enum { QUANTITY_BYTES = 40 };

/** "23.1 µs", "46.0 N", "9.10 MB": three digits and the decimal prefix that suits, f to T. A unit that begins with none of m, s, N, Pa, J,
 *  W, Hz, V, A, rad, B, or raises it to a power ("m^2"), takes no prefix: "1.23e-06 m^2", "0.25" for the unit "1". "-" when not finite.
 *  @param text [capacity], cut to fit; QUANTITY_BYTES suffices */
void quantity_text(double value, const char *unit, char *text, size_t capacity);

/** "under 0.1 s", "4.0 s", "1 min 05 s", "2 h 10 min"; "?" when not finite or negative. seconds: s */
void quantity_span(double seconds, char *text, size_t capacity);

/** "55 516": a whole number in groups of three; "-" when not finite. */
void quantity_count(double value, char *text, size_t capacity);

#endif
