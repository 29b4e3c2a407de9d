/** Reads the heads of all requests of a connection beside libmicrohttpd, as their bytes come, and finds what that library lets pass and
 * other programs in between may read in another way (RFC 9112, sections 2.2, 5 and 6.3): zero bytes, lines that end without CR LF, CR by
 * itself, folded lines, lines without a name, spaces in names, and a Content-Length that is no plain number.
 *
 *  Bodies are passed over by their Content-Length. After a head with a Transfer-Encoding nothing is looked at any more: the server ends the
 *  connection with the answer to such a request. So it does with a request of two Content-Length headers. */
#ifndef SCREE_API_HTTP_HEAD_SCREEN_H
#define SCREE_API_HTTP_HEAD_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HEAD_SCREEN_NAME_BYTES = 18 }; /**< "transfer-encoding" and a zero byte: longer names are of no interest */

/** Where a connection is. Zeroed: at its beginning. */
typedef struct head_screen {
  enum {
    HEAD_SCREEN_START,
    HEAD_SCREEN_REQUEST_LINE,
    HEAD_SCREEN_LINE,
    HEAD_SCREEN_NAME,
    HEAD_SCREEN_VALUE,
    HEAD_SCREEN_BODY,
    HEAD_SCREEN_PAST
  } state;
  bool after_cr;                     /**< the last byte was a CR */
  bool is_length;                    /**< the line is a Content-Length */
  bool is_coding;                    /**< the line is a Transfer-Encoding */
  bool has_coding;                   /**< the head had one */
  bool number_over;                  /**< white space came after the digits of the length */
  char name[HEAD_SCREEN_NAME_BYTES]; /**< of the line, in lower case, cut to fit */
  size_t name_bytes;
  unsigned digits; /**< of the Content-Length so far */
  uint64_t length; /**< of the body that follows the head; while it comes, what is left of it */
} head_screen;

/** Takes the next bytes of a connection. After it has found something wrong it must not be asked again.
 *  @return NULL, or what is wrong, for the client: static text */
const char *head_screen_take(head_screen *screen, const char *bytes, size_t count);

#endif
