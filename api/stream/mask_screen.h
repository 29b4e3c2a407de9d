/** Reads what a viewer sends beside libwebsockets, as its bytes come, and finds frames without a mask, which that library takes and
 *  RFC 6455, section 5.1, tells a server to close the connection for. */
#ifndef SCREE_API_STREAM_MASK_SCREEN_H
#define SCREE_API_STREAM_MASK_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/http/listen/receive.h"

/** Where a connection is. Zeroed: at its beginning, before the head of the upgrade. */
typedef struct mask_screen {
  enum { MASK_SCREEN_HEAD, MASK_SCREEN_FIRST, MASK_SCREEN_SECOND, MASK_SCREEN_LENGTH, MASK_SCREEN_REST } state;
  unsigned matched; /**< bytes of the CR LF CR LF that ends the head */
  unsigned bytes;   /**< of the length that are to come */
  uint64_t left;    /**< of a frame after its head: mask and payload */
} mask_screen;

/** Takes the next bytes of a connection. @return false at a frame without a mask; it must not be asked again then */
bool mask_screen_take(mask_screen *screen, const unsigned char *bytes, size_t count);

/** Those of all sockets of a thread. */
typedef struct mask_screens {
  mask_screen *sockets; /**< [count], by descriptor */
  size_t count;
  receive_watch watch; /**< for receive_watched_by; what comes from a frame without a mask on is not read */
} mask_screens;

/** @param screens  stays where it is until mask_screens_clear */
void mask_screens_init(mask_screens *screens);
/** Begins to look at a socket that was accepted. @return false without memory */
bool mask_screens_begin(mask_screens *screens, size_t socket);
/** After the thread has ended. */
void mask_screens_clear(mask_screens *screens);

#endif
