/** Answers of libmicrohttpd's own: it writes a page of HTML where it can't take a request apart, by its public MHD_queue_response. The
 *  dynamic linker finds library_answer.c's function of that name first, so that such a request gets a problem document like any other. */
#ifndef SCREE_API_HTTP_LIBRARY_ANSWER_H
#define SCREE_API_HTTP_LIBRARY_ANSWER_H

#include <microhttpd.h>

/** What MHD_queue_response does, for answers of ours. MHD_NO also where the library can't be found behind us. */
enum MHD_Result library_queue(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response);

#endif
