/** Values packed one behind another, for messages between the lab and its task processes. Both come from one build, so that numbers keep
 *  the machine's layout; what a reader finds is checked all the same. */
#ifndef SCREE_SERVER_TASK_PARCEL_H
#define SCREE_SERVER_TASK_PARCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scree.h"

/** What is being packed. Zero-initialise it; parcel_clear frees it. After a failed allocation `failed` is set and nothing more is added. */
typedef struct parcel {
  unsigned char *bytes; /**< [size] */
  size_t size, capacity;
  bool failed;
} parcel;

void parcel_put_number(parcel *p, uint64_t value);
/** Its length and its bytes. */
void parcel_put_block(parcel *p, const void *bytes, size_t size);
/** A text, NULL too. */
void parcel_put_text(parcel *p, const char *text);
void parcel_put_problems(parcel *p, const scr_problems *problems);
void parcel_clear(parcel *p);

/** What is being unpacked. `failed` is set by the first value that is not there, or for which there is no memory; those behind it are then
 *  empty. */
typedef struct parcel_reader {
  const unsigned char *bytes; /**< [size], borrowed */
  size_t size, at;
  bool failed;
} parcel_reader;

uint64_t parcel_take_number(parcel_reader *r);
/** A copy of a block to be freed, followed by a zero byte; NULL when it is empty or not there. @param size receives its bytes; NULL: not
 *  asked for */
void *parcel_take_block(parcel_reader *r, size_t *size);
/** Fills `into` from a block of exactly that size. */
void parcel_take_exactly(parcel_reader *r, void *into, size_t size);
/** A text to be freed; NULL where NULL was put. */
char *parcel_take_text(parcel_reader *r);
/** Adds to `problems`. */
void parcel_take_problems(parcel_reader *r, scr_problems *problems);

#endif
