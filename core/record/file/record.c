/* The bytes of one record, checked. */
#include "record/file/record.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "record/file/crc32c.h"

static_assert(offsetof(scr_record_header, type) == 4 && offsetof(scr_record_header, seq) == 8 &&
                  offsetof(scr_record_header, sim_time) == 16 && offsetof(scr_record_header, crc32c) == 24 &&
                  offsetof(scr_record_header, stream) == 28,
              "on-disk layout");
static_assert(offsetof(index_entry, offset) == 32 && offsetof(index_entry, crc32c) == 40, "on-disk layout");
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "recordings are little-endian and written as they lie in memory");

uint32_t record_header_crc(const scr_record_header *header)
{
  scr_record_header plain = *header;
  plain.flags = 0;
  plain.crc32c = 0;
  plain.stream = 0;
  return crc32c(0, &plain, sizeof plain);
}

uint32_t record_crc(const scr_record_header *header, const void *padded_payload)
{
  return crc32c(record_header_crc(header), padded_payload, SCR_RECORD_BYTES(header->size) - sizeof *header);
}

bool record_header_same(const scr_record_header *a, const scr_record_header *b)
{
  return a->size == b->size && a->type == b->type && a->flags == b->flags && a->seq == b->seq && a->sim_time == b->sim_time &&
         a->crc32c == b->crc32c && a->stream == b->stream;
}

bool record_header_valid(const scr_record_header *header, uint64_t seq)
{
  return header->seq == seq && header->type >= SCR_RECORD_SCENE && header->type < SCR_RECORD_TYPE_COUNT && header->flags == 0 &&
         header->stream == 0 && isfinite(header->sim_time);
}

index_entry index_entry_make(const scr_record_header *header, uint64_t offset)
{
  index_entry entry = {.header = *header, .offset = offset};
  entry.crc32c = crc32c(0, &entry, offsetof(index_entry, crc32c));
  return entry;
}

bool index_entry_valid(const index_entry *entry)
{
  return entry->reserved == 0 && entry->crc32c == crc32c(0, entry, offsetof(index_entry, crc32c));
}

bool index_path(const char *recording, char *path, size_t capacity)
{
  static const char ending[] = ".scree";
  size_t length = strlen(recording), cut = sizeof ending - 1;
  if (length > cut && strcmp(recording + length - cut, ending) == 0) length -= cut;
  int written = snprintf(path, capacity, "%.*s.index", (int)length, recording);
  return written > 0 && (size_t)written < capacity;
}
