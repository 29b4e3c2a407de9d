/** SHA-256 (FIPS 180-4), for telling recordings and other files apart. */
#ifndef SCREE_BASE_SHA256_H
#define SCREE_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct sha256 {
  uint32_t state[8];
  uint64_t bytes; /**< taken in so far */
  unsigned char block[64];
} sha256;

enum { SHA256_TEXT_BYTES = 65 };

void sha256_begin(sha256 *self);
void sha256_add(sha256 *self, const void *bytes, size_t size);

/** The digest of what was added so far as 64 hexadecimal digits; more may be added after. @param text [SHA256_TEXT_BYTES] */
void sha256_text(const sha256 *self, char *text);

#endif
