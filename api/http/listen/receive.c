/* recv() for the whole program, and for each thread who looks on. A socket is all that recv() is told, so who looks on has to be known to
 * the thread: its own variable, which no other can see. */
#include "api/http/listen/receive.h"

#include <errno.h>
#include <sys/socket.h>

static _Thread_local const receive_watch *watch_of_thread;

void receive_watched_by(const receive_watch *watch)
{
  watch_of_thread = watch;
}

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): takes the place of the C library's */
ssize_t recv(int socket, void *buffer, size_t size, int flags)
{
  ssize_t got = recvfrom(socket, buffer, size, flags, NULL, NULL); /* by POSIX the same */
  const receive_watch *watch = watch_of_thread;
  if (got <= 0 || !watch || (flags & MSG_PEEK) || watch->take(watch->user, socket, buffer, (size_t)got)) return got;
  errno = ECONNRESET;
  return -1;
}
