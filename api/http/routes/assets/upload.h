/** The body of a request that goes to a file while it comes, instead of into memory. */
#ifndef SCREE_API_HTTP_UPLOAD_H
#define SCREE_API_HTTP_UPLOAD_H

#include "api/http/request.h"

/** What a request of a route that takes a file has. NULL: no memory. */
http_upload *http_upload_create(void);
/** Ends it without an asset, if it was not claimed. NULL is fine. */
void http_upload_destroy(http_upload *upload);

/** Adds a piece of the body to the file of request->upload, which it begins. What goes wrong is kept for the answer; what comes
 *  after that is dropped. */
void http_upload_take(const http_request *request, const char *data, size_t size);

/** Whether the body could not be taken; `reply` says why. */
bool http_upload_refusal(const http_request *request, http_reply *reply);

/** The file that was received whole, for lab_upload_end; the caller's from then on. NULL: there was no body. */
lab_upload *http_upload_claim(const http_request *request);

#endif
