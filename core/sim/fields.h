/** The fields of a method's state, named once: from one table they are allocated, freed, saved and loaded.
 *
 *      static const sim_field fields[] = {
 *          FIELD_ARRAY("positions", my_state, position, count, FIELD_SAVED | FIELD_NUMBERS), // [count], known before fields_allocate
 *          FIELD_ARRAY("forces", my_state, force, count, 0), // scratch of a step
 *          FIELD_LIST("contacts", my_state, touches, touch_count, touch_capacity, FIELD_SAVED), // grows by mem_grow
 *          FIELD_VALUE("broken bonds", my_state, broken, FIELD_SAVED), // lies in the state itself
 *          FIELD_ROWS("loads", my_state, load, count, 3, FIELD_SAVED | FIELD_NUMBERS), // [count][3] behind a double *
 *          FIELD_STARTS("rows of contacts", my_state, first, count, 0), // [count + 1]
 *          FIELD_SCRATCH_LIST("pictures", my_state, buffer, buffer_capacity), // grows by mem_grow, holds nothing between calls
 *      };
 *
 *  Order in the checkpoint is order in the table; whoever changes the table raises the method's `layout`. */
#ifndef SCREE_SIM_FIELDS_H
#define SCREE_SIM_FIELDS_H

#include <stddef.h>

#include "record/file/blob.h"

/** What holds of a field; 0: scratch, neither saved nor looked at. */
enum {
  FIELD_SAVED = 1,    /**< belongs to checkpoints */
  FIELD_NUMBERS = 2,  /**< consists of doubles alone, which are finite in every checkpoint: others are refused */
  FIELD_OPTIONAL = 4, /**< an array that stays NULL where its count is 0; others never are */
  FIELD_TRUTH = 8     /**< a bool in every checkpoint: other bytes are refused */
};

typedef enum field_form {
  FIELD_FORM_ARRAY, /**< [count], of one length for the whole run */
  FIELD_FORM_LIST,  /**< [count] of room for [capacity], grown by whoever adds to it */
  FIELD_FORM_VALUE  /**< no array: its bytes lie in the state */
} field_form;

/** One field of a state; offsets are bytes from the state's beginning. */
typedef struct sim_field {
  const char *name; /**< plural, as messages have it: "contacts" */
  field_form form;
  unsigned flags;         /**< FIELD_SAVED, FIELD_NUMBERS, FIELD_OPTIONAL, FIELD_TRUTH */
  size_t offset;          /**< of the pointer, or of the value */
  size_t count, capacity; /**< of a size_t: length of an array or list, room of a list */
  size_t element;         /**< bytes of an element, or of the value */
  size_t extra;           /**< elements of an array beyond its count */
  size_t padding;         /**< elements behind those that are allocated for kernels to read, and neither saved nor looked at */
} sim_field;

#define FIELD_ROWS(label, type, member, counter, width, bits)                                                                              \
  {                                                                                                                                        \
    .name = (label), .form = FIELD_FORM_ARRAY, .flags = (bits), .offset = offsetof(type, member), .count = offsetof(type, counter),        \
    .element = (width) * sizeof *((type *)0)->member                                                                                       \
  }
#define FIELD_ARRAY(label, type, member, counter, bits) FIELD_ROWS(label, type, member, counter, 1, bits)
#define FIELD_STARTS(label, type, member, counter, bits)                                                                                   \
  {                                                                                                                                        \
    .name = (label), .form = FIELD_FORM_ARRAY, .flags = (bits), .offset = offsetof(type, member), .count = offsetof(type, counter),        \
    .element = sizeof *((type *)0)->member, .extra = 1                                                                                     \
  }
#define FIELD_LIST(label, type, member, counter, capacity_member, bits)                                                                    \
  {                                                                                                                                        \
    .name = (label), .form = FIELD_FORM_LIST, .flags = (bits), .offset = offsetof(type, member), .count = offsetof(type, counter),         \
    .capacity = offsetof(type, capacity_member), .element = sizeof *((type *)0)->member                                                    \
  }
#define FIELD_SCRATCH_LIST(label, type, member, capacity_member) FIELD_LIST(label, type, member, capacity_member, capacity_member, 0)
#define FIELD_VALUE(label, type, member, bits)                                                                                             \
  {                                                                                                                                        \
    .name = (label), .form = FIELD_FORM_VALUE, .flags = (bits), .offset = offsetof(type, member), .element = sizeof((type *)0)->member     \
  }

/** Number of entries of a table that is an array in sight. */
#define FIELD_COUNT(table) (sizeof(table) / sizeof *(table))

/** Zeroed memory for every array, whose counts stand in the state; lists stay as they are. On failure the rest may be there: fields_free.
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status fields_allocate(const sim_field *fields, size_t count, void *state, scr_error *error);

/** Zeroes what every array holds, and empties lists; values are left. */
void fields_clear(const sim_field *fields, size_t count, void *state);

/** Frees arrays and lists and forgets them; counts of arrays are left. A state that is half built will do. */
void fields_free(const sim_field *fields, size_t count, void *state);

/** Bytes that arrays and lists take now. */
double fields_bytes(const sim_field *fields, size_t count, const void *state);

/** Appends all that is saved. @return SCR_OK, SCR_NO_MEMORY, what the blob's sink fails with */
scr_status fields_save(const sim_field *fields, size_t count, const void *state, scr_blob *blob, scr_error *error);

/** Takes all that is saved: arrays of exactly the state's counts, lists of any length that the blob holds. What numbers mean the method
 *  checks behind it.
 *  @return SCR_OK; SCR_BAD_FILE for another length, an end too early or numbers that are not finite; SCR_NO_MEMORY */
scr_status fields_load(const sim_field *fields, size_t count, void *state, scr_blob *blob, scr_error *error);

#endif
