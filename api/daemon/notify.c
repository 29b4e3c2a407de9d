/* sd_notify without its library. */
#include "api/daemon/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void daemon_notify(const char *message)
{
  const char *path = getenv("NOTIFY_SOCKET");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (!path || (path[0] != '/' && path[0] != '@')) return;
  size_t length = strlen(path);
  if (length >= sizeof address.sun_path) return;
  memcpy(address.sun_path, path, length);
  if (path[0] == '@') address.sun_path[0] = '\0'; /* the abstract name space */
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  (void)sendto(fd, message, strlen(message), MSG_NOSIGNAL, (const struct sockaddr *)&address, size);
  close(fd);
}

double daemon_watchdog_seconds(void)
{
  const char *text = getenv("WATCHDOG_USEC"), *process = getenv("WATCHDOG_PID");
  if (!text || (process && strtol(process, NULL, 10) != (long)getpid())) return 0.0;
  double microseconds = strtod(text, NULL);
  return microseconds > 0.0 ? microseconds / 2e6 : 0.0;
}
