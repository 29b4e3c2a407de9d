/* Packing and unpacking. */
#include "server/task/parcel.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static void put(parcel *p, const void *bytes, size_t size)
{
  if (p->failed || size == 0) return;
  if (size > p->capacity - p->size) {
    size_t wanted = p->capacity ? p->capacity * 2 : 4096;
    if (wanted < p->size + size) wanted = p->size + size;
    unsigned char *grown = realloc(p->bytes, wanted);
    if (!grown) {
      p->failed = true;
      return;
    }
    p->bytes = grown;
    p->capacity = wanted;
  }
  memcpy(p->bytes + p->size, bytes, size);
  p->size += size;
}

void parcel_put_number(parcel *p, uint64_t value)
{
  put(p, &value, sizeof value);
}

void parcel_put_block(parcel *p, const void *bytes, size_t size)
{
  parcel_put_number(p, size);
  put(p, bytes, size);
}

void parcel_put_text(parcel *p, const char *text)
{
  parcel_put_number(p, text != NULL);
  if (text) parcel_put_block(p, text, strlen(text));
}

void parcel_put_problems(parcel *p, const scr_problems *problems)
{
  parcel_put_number(p, problems->count);
  parcel_put_number(p, problems->truncated);
  for (size_t i = 0; i < problems->count; i++) {
    const scr_problem *one = &problems->items[i];
    parcel_put_text(p, one->pointer);
    parcel_put_text(p, one->given);
    parcel_put_text(p, one->allowed);
    parcel_put_text(p, one->detail);
  }
}

void parcel_clear(parcel *p)
{
  free(p->bytes);
  *p = (parcel){0};
}

/* The next bytes, where there are so many. */
static const unsigned char *take(parcel_reader *r, size_t size)
{
  if (r->failed || size > r->size - r->at) {
    r->failed = true;
    return NULL;
  }
  const unsigned char *from = r->bytes + r->at;
  r->at += size;
  return from;
}

uint64_t parcel_take_number(parcel_reader *r)
{
  uint64_t value = 0;
  const unsigned char *from = take(r, sizeof value);
  if (from) memcpy(&value, from, sizeof value);
  return value;
}

/* A copy of `size` bytes and a zero byte. */
static void *copy_of(parcel_reader *r, size_t size)
{
  const unsigned char *from = take(r, size);
  unsigned char *copy = from ? malloc(size + 1) : NULL;
  if (!copy) {
    r->failed = true;
    return NULL;
  }
  memcpy(copy, from, size);
  copy[size] = 0;
  return copy;
}

void *parcel_take_block(parcel_reader *r, size_t *size)
{
  uint64_t length = parcel_take_number(r);
  void *copy = length > 0 ? copy_of(r, (size_t)length) : NULL;
  if (size) *size = copy ? (size_t)length : 0;
  return copy;
}

void parcel_take_exactly(parcel_reader *r, void *into, size_t size)
{
  if (parcel_take_number(r) != size) r->failed = true;
  const unsigned char *from = take(r, size);
  if (from) memcpy(into, from, size);
}

char *parcel_take_text(parcel_reader *r)
{
  return parcel_take_number(r) == 1 ? copy_of(r, (size_t)parcel_take_number(r)) : NULL;
}

void parcel_take_problems(parcel_reader *r, scr_problems *problems)
{
  uint64_t count = parcel_take_number(r);
  bool truncated = parcel_take_number(r) != 0;
  for (uint64_t i = 0; i < count && !r->failed; i++) {
    char *pointer = parcel_take_text(r), *given = parcel_take_text(r), *allowed = parcel_take_text(r), *detail = parcel_take_text(r);
    if (pointer && given && allowed && detail) (void)scr_problems_add(problems, pointer, given, allowed, "%s", detail);
    free(pointer);
    free(given);
    free(allowed);
    free(detail);
  }
  problems->truncated = problems->truncated || truncated;
}
