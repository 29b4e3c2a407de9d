/** What core itself needs of a recording's reader beyond scree.h. */
#ifndef SCREE_RECORD_RECORDING_H
#define SCREE_RECORD_RECORDING_H

#include "scree.h"

/** scr_recording_open, with or without the help of the sidecar index. Without it every record's checksum is checked. */
scr_status recording_open(const char *path, bool use_index, scr_recording **out, scr_error *error);

/** Where record `seq` begins in the file, bytes; for a seq past the last one where the next record would begin. */
uint64_t recording_offset(const scr_recording *recording, uint64_t seq);

/** Reads record `seq` into memory of its own. `*record` is freed by the caller with free; `*payload` points into it and has `*size` bytes.
 *  */
scr_status recording_payload(scr_recording *recording, uint64_t seq, void **record, const void **payload, size_t *size, scr_error *error);

/** Bytes of the file as it is now, and `size` of them from `offset` on; `*there` tells whether there are so many. */
scr_status recording_file_size(const scr_recording *recording, uint64_t *size, scr_error *error);
scr_status recording_bytes_at(scr_recording *recording, uint64_t offset, void *bytes, size_t size, bool *there, scr_error *error);

/** Whether record `seq`'s payload fits its checksum; looks only once, where that is not known yet. */
scr_status recording_check_record(scr_recording *recording, uint64_t seq, bool *whole, scr_error *error);

/** Forgets all records behind the first `count`, and that there could be more. */
void recording_cut(scr_recording *recording, uint64_t count);

#endif
