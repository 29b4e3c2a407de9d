/** What a viewer may say in the stream, from its JSON text to checked values. */
#ifndef SCREE_API_STREAM_MESSAGE_H
#define SCREE_API_STREAM_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STREAM_MESSAGE_BYTES = 4096, STREAM_SUBSCRIPTION_LIMIT = 16, STREAM_WINDOW_LIMIT = 8, STREAM_FPS_LIMIT = 60 };

typedef enum stream_message_kind { STREAM_SUBSCRIBE, STREAM_ACK, STREAM_UNSUBSCRIBE, STREAM_WATCH } stream_message_kind;

typedef struct stream_message {
  stream_message_kind kind;
  uint32_t stream;   /**< > 0; 0 for watch */
  int64_t job;       /**< subscribe: >= 1 */
  uint64_t from;     /**< subscribe: records after this seq */
  bool live;         /**< subscribe: from now on */
  unsigned channels; /**< subscribe: bits 1u << scr_record_type of frame, curve, event, progress */
  double max_fps;    /**< subscribe: 0 < max_fps <= STREAM_FPS_LIMIT */
  unsigned window;   /**< subscribe: 1 ... STREAM_WINDOW_LIMIT */
  uint32_t points;   /**< subscribe: most of each drawable in a frame, a frame_points_level; 0: all */
  uint64_t seq;      /**< ack */
} stream_message;

/** Reads one text message.
 *  @param message  receives it; its `stream` is set also on failure when the text named a valid one
 *  @param detail   receives why not, for the viewer
 *  @return false when it is not understood */
bool stream_message_parse(const char *text, size_t length, stream_message *message, char *detail, size_t capacity);

#endif
