/* Each run is a worker_process. It is reaped by the poll that finds it ended; its control socket stays open until the run is closed. */
#include "server/executor/local.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/executor/worker_process.h"
#include "server/worker/control_file.h"

typedef struct local_executor {
  executor calls; /* first: the two are one object */
  executor_capacity capacity;
} local_executor;

typedef struct local_run {
  executor_run run; /* first: the two are one object */
  worker_process process;
  bool ended;
  worker_exit how;
} local_run;

static const char prefix[] = "local:";

/* An attempt before may live on at a batch engine that this lab does not have any more: it ends when it sees that another has the
 * directory. */
static void take_over(const worker_request *request)
{
  control_order order;
  if (!control_order_read(request->directory, &order)) return;
  order = (control_order){.token = request->token};
  control_order_write(request->directory, &order);
}

static scr_status start(executor *self, const worker_request *request, executor_run **out, scr_error *error)
{
  (void)self;
  local_run *r = calloc(1, sizeof *r);
  *out = NULL;
  if (!r) return scr_fail_memory(error, "an attempt", sizeof *r);
  take_over(request);
  scr_status status = worker_start(request, &r->process, error);
  if (status != SCR_OK) {
    free(r);
    return status;
  }
  snprintf(r->run.handle, sizeof r->run.handle, "%s%lld", prefix, (long long)r->process.pid);
  r->run.pid = r->process.pid;
  r->run.descriptors[0] = r->process.pidfd;
  r->run.descriptors[1] = r->process.control;
  *out = &r->run;
  return SCR_OK;
}

static void poll_run(executor_run *run, executor_state *state)
{
  local_run *r = (local_run *)run;
  if (!r->ended && worker_has_ended(&r->process)) {
    worker_reap(&r->process, &r->how);
    r->ended = true;
    run->descriptors[0] = -1;
  }
  *state = (executor_state){.phase = r->ended ? EXECUTOR_ENDED : EXECUTOR_RUNNING, .ended = r->how};
}

static bool receive(executor_run *run, control_message *message)
{
  return worker_receive(&((local_run *)run)->process, message);
}

static void signal_run(executor_run *run, executor_signal signal)
{
  const local_run *r = (const local_run *)run;
  if (r->ended) return; /* its number may be another's by now */
  switch (signal) {
  case EXECUTOR_STOP: worker_send(&r->process, CONTROL_STOP); break;
  case EXECUTOR_CANCEL: worker_send(&r->process, CONTROL_CANCEL); break;
  case EXECUTOR_TERMINATE: worker_signal(&r->process, SIGTERM); break;
  case EXECUTOR_KILL: worker_signal(&r->process, SIGKILL); break;
  }
}

static bool cancel(executor *self, const char *handle, const char *directory)
{
  (void)self;
  if (strncmp(handle, prefix, sizeof prefix - 1) != 0) return false;
  char *end = NULL;
  long long pid = strtoll(handle + sizeof prefix - 1, &end, 10);
  return *end == '\0' && pid > 1 && pid == (pid_t)pid && worker_kill_orphan((pid_t)pid, directory);
}

static void close_run(executor_run *run)
{
  if (!run) return;
  local_run *r = (local_run *)run;
  if (!r->ended) {
    worker_signal(&r->process, SIGKILL);
    worker_reap(&r->process, &r->how);
  }
  worker_hang_up(&r->process);
  free(r);
}

static executor_capacity capacity_of(executor *self)
{
  return ((local_executor *)self)->capacity;
}

static void fill_report(executor *self, executor_report *report)
{
  *report = (executor_report){.available = true, .capacity = capacity_of(self)};
}

static void destroy(executor *self)
{
  free(self);
}

executor *executor_local_create(const executor_capacity *capacity)
{
  local_executor *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->capacity = *capacity;
  self->calls = (executor){.name = "local",
                           .start = start,
                           .poll = poll_run,
                           .receive = receive,
                           .signal = signal_run,
                           .cancel = cancel,
                           .close = close_run,
                           .capacity = capacity_of,
                           .report = fill_report,
                           .destroy = destroy};
  return &self->calls;
}
