/* The function that the library means to call, and the one that it calls. */
#include "api/http/listen/library_answer.h"

#include <dlfcn.h>
#include <string.h>

#include "api/http/listen/watch.h"

typedef enum MHD_Result (*queue_function)(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response);

enum MHD_Result library_queue(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response)
{
  void *found = dlsym(RTLD_NEXT, "MHD_queue_response");
  queue_function queue = NULL;
  memcpy(&queue, &found, sizeof queue); /* ISO C has no cast from an object to a function; POSIX has them alike */
  return queue ? queue(connection, status, response) : MHD_NO;
}

/* Called by the library alone, of a request that it can't take apart. It closes the connection when its page was not taken. */
enum MHD_Result MHD_queue_response(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  if (!info || !info->socket_context) return library_queue(connection, status, response);
  watch_misread(info->socket_context, status, NULL);
  return MHD_NO;
}
