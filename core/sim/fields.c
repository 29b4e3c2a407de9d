/* Tables of fields: every function is one walk over the table. */
#include "sim/fields.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

/* Pointers of every type lie alike; memcpy reads and writes them without caring which. */
static void *array_of(const sim_field *f, const void *state)
{
  void *array;
  memcpy(&array, (const char *)state + f->offset, sizeof array);
  return array;
}

static void set_array(const sim_field *f, void *state, void *array)
{
  memcpy((char *)state + f->offset, &array, sizeof array);
}

static size_t *number_at(const void *state, size_t offset)
{
  return (size_t *)(void *)((uintptr_t)state + offset);
}

static size_t length_of(const sim_field *f, const void *state)
{
  return f->form == FIELD_FORM_VALUE ? 1 : *number_at(state, f->count) + f->extra;
}

scr_status fields_allocate(const sim_field *fields, size_t count, void *state, scr_error *error)
{
  for (const sim_field *f = fields; f < fields + count; f++) {
    if (f->form != FIELD_FORM_ARRAY) continue;
    size_t n = length_of(f, state);
    if (n == 0 && f->flags & FIELD_OPTIONAL) continue;
    void *array = mem_array(n + f->padding, f->element);
    if (!array) return scr_fail_memory(error, f->name, n * f->element);
    set_array(f, state, array);
  }
  return SCR_OK;
}

void fields_clear(const sim_field *fields, size_t count, void *state)
{
  for (const sim_field *f = fields; f < fields + count; f++) {
    if (f->form == FIELD_FORM_LIST && f->count != f->capacity) *number_at(state, f->count) = 0;
    if (f->form == FIELD_FORM_ARRAY && array_of(f, state)) memset(array_of(f, state), 0, length_of(f, state) * f->element);
  }
}

void fields_free(const sim_field *fields, size_t count, void *state)
{
  for (const sim_field *f = fields; f < fields + count; f++) {
    if (f->form == FIELD_FORM_VALUE) continue;
    mem_free(array_of(f, state));
    set_array(f, state, NULL);
    if (f->form == FIELD_FORM_LIST) *number_at(state, f->count) = *number_at(state, f->capacity) = 0;
  }
}

double fields_bytes(const sim_field *fields, size_t count, const void *state)
{
  double sum = 0;
  for (const sim_field *f = fields; f < fields + count; f++)
    if (f->form != FIELD_FORM_VALUE && array_of(f, state))
      sum += (double)(f->form == FIELD_FORM_LIST ? *number_at(state, f->capacity) : length_of(f, state)) * (double)f->element;
  return sum;
}

scr_status fields_save(const sim_field *fields, size_t count, const void *state, scr_blob *blob, scr_error *error)
{
  for (const sim_field *f = fields; f < fields + count; f++) {
    if (!(f->flags & FIELD_SAVED)) continue;
    const void *from = f->form == FIELD_FORM_VALUE ? (const char *)state + f->offset : array_of(f, state);
    SCR_TRY(scr_blob_write_array(blob, from, length_of(f, state), f->element, error));
  }
  return SCR_OK;
}

/* Room for a list as long as the one that comes next, whose bytes must be there before any are allocated. */
static scr_status reserve(const sim_field *f, void *state, const scr_blob *blob, size_t *length, scr_error *error)
{
  SCR_TRY(scr_blob_peek_count(blob, length, error));
  if (*length > (blob->size - blob->cursor) / f->element)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint is too short for %zu of %s", *length, f->name);
  void *array = array_of(f, state);
  bool grown = mem_grow(&array, number_at(state, f->capacity), *length, f->element);
  set_array(f, state, array);
  return grown ? SCR_OK : scr_fail_memory(error, f->name, *length * f->element);
}

scr_status fields_load(const sim_field *fields, size_t count, void *state, scr_blob *blob, scr_error *error)
{
  for (const sim_field *f = fields; f < fields + count; f++) {
    if (!(f->flags & FIELD_SAVED)) continue;
    size_t length = length_of(f, state);
    if (f->form == FIELD_FORM_LIST) {
      *number_at(state, f->count) = 0;
      SCR_TRY(reserve(f, state, blob, &length, error));
    }
    void *to = f->form == FIELD_FORM_VALUE ? (char *)state + f->offset : array_of(f, state);
    if (f->flags & FIELD_TRUTH && blob->size - blob->cursor > sizeof(uint64_t) && blob->data[blob->cursor + sizeof(uint64_t)] > 1)
      return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint's %s are neither true nor false", f->name);
    SCR_TRY(f->flags & FIELD_NUMBERS ? scr_blob_read_finite(blob, to, length, f->element, f->name, error)
                                     : scr_blob_read_array(blob, to, length, f->element, f->name, error));
    if (f->form == FIELD_FORM_LIST) *number_at(state, f->count) = length;
  }
  return SCR_OK;
}
