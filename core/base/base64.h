/** Bytes written as letters: base64, RFC 4648, section 4. */
#ifndef SCREE_BASE_BASE64_H
#define SCREE_BASE_BASE64_H

#include <stddef.h>

/** Decodes groups of four letters; white space between them is passed over, and a padded group may be followed by others.
 *  @param bytes [most] receives them; 3/4 of the text's length is enough
 *  @param read receives how much of the text was gone through: less than `length` where something is no letter, or more than `most` bytes
 *  would come; may be NULL
 *  @return how many bytes were written; a last group of fewer than four letters gives none */
size_t base64_decode(const char *text, size_t length, unsigned char *bytes, size_t most, size_t *read);

#endif
