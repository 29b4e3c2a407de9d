/** The gate in front of the stream: decides which requests become viewers, and answers the others with a problem document. */
#ifndef SCREE_API_STREAM_GATE_H
#define SCREE_API_STREAM_GATE_H

#include <libwebsockets.h>

#include "api/access/access.h"
#include "api/http/parse/host.h"
#include "api/http/answer/reply.h"
#include "api/http/request_log.h"

/** Belongs to the stream's thread, as all that is done with it. */
typedef struct gate {
  request_names names;          /**< of the requests refused */
  const http_hosts *hosts;      /**< borrowed */
  const access_control *access; /**< borrowed */
  event_log *log;               /**< borrowed; NULL: none */
} gate;

/** Whether one more viewer could be let in. */
typedef enum gate_admission { GATE_OPEN, GATE_FULL, GATE_STOPPING } gate_admission;

/** What is borrowed must outlive the gate, which has nothing to be freed. */
void gate_init(gate *g, const http_hosts *hosts, const access_control *access, event_log *log);

/** Decides on a request. `upgrade`: it asks for a WebSocket. @return 0: it may go on; -1: it was refused in full, and the connection is to
 *  be closed */
int gate_judge(gate *g, struct lws *wsi, bool upgrade, gate_admission admission);

#endif
