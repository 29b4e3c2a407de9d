/* The two kinds of channel. By files the newest message stands for all before it: heartbeats say where the run is, not what changed. */
#include "server/worker/channel.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const double file_interval = 0.5; /* s: a network file system answers each opening */

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

worker_channel channel_open(int socket, const char *directory, int64_t token)
{
  worker_channel self = {.socket = socket, .directory = directory, .token = token};
  self.sign.token = token;
  gethostname(self.sign.host, sizeof self.sign.host - 1);
  return self;
}

static bool write_sign(worker_channel *self, const control_message *message)
{
  struct rusage usage = {0};
  getrusage(RUSAGE_SELF, &usage);
  self->sign.number++;
  self->sign.message = *message;
  self->sign.peak_memory = (uint64_t)usage.ru_maxrss * 1024;
  self->sign.cpu_seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
                           1e-6 * ((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec);
  return control_sign_write(self->directory, &self->sign) == 0;
}

bool channel_send(worker_channel *self, const control_message *message)
{
  /* A heartbeat that finds no place in the socket is followed by newer ones. */
  if (self->socket >= 0)
    return send(self->socket, message, sizeof *message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0 || errno == EAGAIN || errno == EPIPE;
  if (!self->directory || now() < self->next_sign) return true;
  self->next_sign = now() + file_interval;
  return write_sign(self, message);
}

static channel_order read_file(worker_channel *self)
{
  control_order order;
  if (now() < self->next_look) return CHANNEL_GO_ON;
  self->next_look = now() + file_interval;
  if (!control_order_read(self->directory, &order)) return CHANNEL_GO_ON; /* being written, or not to be reached: looked at again */
  if (order.token != self->token) return CHANNEL_REPLACED;
  return order.kind == CONTROL_CANCEL ? CHANNEL_CANCEL : order.kind == CONTROL_STOP ? CHANNEL_STOP : CHANNEL_GO_ON;
}

static channel_order read_socket(const worker_channel *self)
{
  for (;;) {
    control_message message;
    ssize_t size = recv(self->socket, &message, sizeof message, MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return CHANNEL_GO_ON;
    if (size <= 0) return CHANNEL_LAB_GONE;
    if (size != (ssize_t)sizeof message || message.version != CONTROL_VERSION) continue;
    if (message.kind == CONTROL_CANCEL) return CHANNEL_CANCEL;
    if (message.kind == CONTROL_STOP) return CHANNEL_STOP;
  }
}

channel_order channel_read(worker_channel *self)
{
  if (self->socket >= 0) return read_socket(self);
  return self->directory ? read_file(self) : CHANNEL_GO_ON;
}

bool channel_end(worker_channel *self, const control_message *message, int exit_code)
{
  if (self->socket >= 0 || !self->directory) return channel_send(self, message);
  /* Results are rare and precious: where the file system is in trouble it is tried again. */
  self->sign.ended = 1;
  self->sign.exit_code = exit_code;
  for (int i = 0; i < 10; i++) {
    if (write_sign(self, message)) return true;
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
  }
  return false;
}
