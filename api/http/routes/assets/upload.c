/* An upload under way, as far as HTTP has to do with it. */
#include "api/http/routes/assets/upload.h"

#include <stdlib.h>

#include "api/http/answer/reply.h"

struct http_upload {
  lab_upload *file;  /* NULL: not begun, claimed or failed */
  lab_status status; /* what went wrong so far */
  scr_error error;
};

http_upload *http_upload_create(void)
{
  return calloc(1, sizeof(http_upload));
}

void http_upload_destroy(http_upload *upload)
{
  if (!upload) return;
  lab_upload_drop(upload->file);
  free(upload);
}

void http_upload_take(const http_request *request, const char *data, size_t size)
{
  http_upload *upload = request->upload;
  if (upload->status != LAB_OK) return; /* read on and dropped, so that its sender gets to read why; the server bounds how much */
  if (!upload->file) upload->status = lab_upload_begin(request->front->lab, &upload->file, &upload->error);
  if (upload->status == LAB_OK) upload->status = lab_upload_add(upload->file, data, size, &upload->error);
  if (upload->status == LAB_OK) return;
  lab_upload_drop(upload->file);
  upload->file = NULL;
}

bool http_upload_refusal(const http_request *request, http_reply *reply)
{
  const http_upload *upload = request->upload;
  if (!upload || upload->status == LAB_OK) return false;
  *reply = upload->status == LAB_TOO_LARGE ? problem_reply(request, PROBLEM_TOO_LARGE, "%s", upload->error.message)
                                           : problem_reply_lab(request, upload->status, &upload->error);
  return true;
}

lab_upload *http_upload_claim(const http_request *request)
{
  lab_upload *file = request->upload ? request->upload->file : NULL;
  if (file) request->upload->file = NULL;
  return file;
}
