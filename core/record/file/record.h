/** One record: sealing and checking its header and checksum, and the sidecar index's entries. */
#ifndef SCREE_RECORD_RECORD_H
#define SCREE_RECORD_RECORD_H

#include <assert.h>

#include "scree.h"

/** Checksum of a record: header with flags, crc32c and stream taken as 0, then the padded payload.
 *  @param padded_payload [SCR_RECORD_BYTES(header->size) - sizeof *header] */
uint32_t record_crc(const scr_record_header *header, const void *padded_payload);

/** The part of record_crc that covers the header; crc32c of the padded payload goes on from it. */
uint32_t record_header_crc(const scr_record_header *header);

/** Whether two headers are the same. */
bool record_header_same(const scr_record_header *a, const scr_record_header *b);

/** Whether a header can stand in a file as record `seq`: known type, right seq, finite time, flags and stream 0. */
bool record_header_valid(const scr_record_header *header, uint64_t seq);

/** The sidecar `recording.index`: index_head, then one index_entry per record, in order. It only saves reading the whole recording: each
 *  entry's header is compared with the recording's before it is believed. */
#define RECORD_INDEX_MAGIC "SCRINDX\1"

typedef struct index_entry {
  scr_record_header header; /**< the record's own */
  uint64_t offset;          /**< of the record in the recording, bytes */
  uint32_t crc32c;          /**< of the 40 bytes before */
  uint32_t reserved;        /**< 0 */
} index_entry;

static_assert(sizeof(index_entry) == 48, "on-disk layout");

index_entry index_entry_make(const scr_record_header *header, uint64_t offset);
bool index_entry_valid(const index_entry *entry);

/** Path of the sidecar of a recording into `path`: its name with `.scree` replaced by `.index`, or with `.index` appended. False when it
 *  does not fit. */
bool index_path(const char *recording, char *path, size_t capacity);

#endif
