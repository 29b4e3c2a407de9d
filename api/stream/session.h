/** One viewer's connection: what it asked for and what it is to be sent next. Knows nothing of sockets. Used by the stream's thread alone.
 *  */
#ifndef SCREE_API_STREAM_SESSION_H
#define SCREE_API_STREAM_SESSION_H

#include "api/stream/job_feed.h"
#include "api/stream/feed.h"
#include "api/stream/message.h"

enum { SESSION_TEXT_LIMIT = 64 };

/** A record that is being read for a subscription. */
typedef struct reading {
  uint64_t awaited;    /**< 0: none */
  stream_block *block; /**< it, once it is read; then awaited is 0 */
} reading;

/** A job a viewer follows.
 *
 *  Records that must all arrive (curves, events, progress, end) are sent by a cursor into the recording, so a slow viewer costs no
 *  memory. Of the frames the newest is sent, when the viewer has room: fewer than `window` not acknowledged, and not before
 *  `next_frame_us`. */
typedef struct subscription {
  uint32_t number; /**< the viewer's; 0: unused */
  bool open;       /**< the job was found, and the viewer told so */
  bool live;       /**< while not open: from the newest record on, else ... */
  uint64_t from;   /**< ... after this one */
  feed *feed;
  uint64_t ticket;       /**< which of the feed's subscriptions it is */
  uint64_t reported;     /**< change of the job feed when it began: the viewer is told the job's state of then, or a newer one */
  unsigned ordered_mask; /**< types sent by the cursor, `end` among them */
  bool frames;
  uint64_t head_cursor;                        /**< the last record sent of the head: scene, topology, geometry */
  uint64_t cursor;                             /**< ordered records up to here are sent */
  uint64_t frame_sent;                         /**< frames up to here are sent or skipped */
  uint64_t in_flight[STREAM_WINDOW_LIMIT + 1]; /**< seqs of frames sent and not acknowledged, ascending */
  size_t in_flight_count;
  unsigned window;
  int64_t frame_interval_us, next_frame_us;
  size_t ordered_bytes;   /**< sent since the last frame */
  bool ended;             /**< `end` was sent: nothing follows */
  reading ordered, frame; /**< what is being read for it, of the ordered records and of the frames */
} subscription;

typedef struct session {
  feed_set *feeds; /**< the stream's */
  const job_feed *job_feed;
  subscription subscriptions[STREAM_SUBSCRIPTION_LIMIT];
  size_t turn; /**< subscription to be served next */
  bool watching;
  uint64_t seen;                   /**< change of the job feed seen last */
  char *texts[SESSION_TEXT_LIMIT]; /**< answers to be sent, a ring */
  size_t text_first, text_count;
  unsigned close_code; /**< not 0: the connection is to be closed with it */
  const char *close_reason;
} session;

/** What to send next. */
typedef struct outgoing {
  char *text;               /**< a text message, owned by the receiver; else NULL */
  stream_block *block;      /**< a record, a reference owned by the receiver; else NULL */
  scr_record_header header; /**< its header as this viewer gets it */
  int64_t wait_until_us;    /**< when neither: look again then; INT64_MAX: when something happens */
  bool frame_waits;         /**< when neither: a frame could be sent if frames were allowed */
} outgoing;

/** Starts a zeroed session with its hello message. */
void session_begin(session *s, feed_set *feeds, const job_feed *b);
/** Gives everything back. */
void session_end(session *s);

/** Follows one text message of the viewer. */
void session_receive(session *s, const char *text, size_t length, int64_t now_us);
/** Answers that a message was not understood. stream 0: none named. */
void session_report_error(session *s, uint32_t stream, const char *detail);

/** Picks what to send next: answers, then job messages, then records, the subscriptions taking turns. A record that is not in memory is
 *  wanted of its feed, whose task is to be made. @param frames whether it may be a frame */
outgoing session_next(session *s, int64_t now_us, bool frames);

/** A feed took a task over: answers subscriptions that waited for it, and takes the records they waited for. */
void session_feed_changed(session *s, feed *f, const reader_task *task);

/** Whether there may be job messages for it. */
bool session_has_news(const session *s);

/** Whether it follows this job. */
bool session_follows(const session *s, int64_t job);

#endif
