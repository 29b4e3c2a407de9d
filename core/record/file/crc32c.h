/** CRC-32C (Castagnoli): the checksum of records, index entries and checkpoints. */
#ifndef SCREE_RECORD_CRC32C_H
#define SCREE_RECORD_CRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** CRC of `size` bytes following what gave `crc` (0 at the start): crc32c(crc32c(0, a), b) = crc32c(0, a then b).
 *  Reflected polynomial 0x82F63B78; the check value of "123456789" is 0xE3069283 (RFC 3720, appendix B.4). */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t size);

/** The two ways it is computed; they always agree. The second needs crc32c_hardware_present(). */
uint32_t crc32c_by_table(uint32_t crc, const void *bytes, size_t size);
uint32_t crc32c_by_hardware(uint32_t crc, const void *bytes, size_t size);
bool crc32c_hardware_present(void);

#endif
