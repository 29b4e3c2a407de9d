/* The actor, see actor.h. */
#include "tests/support/actor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/file/recording_writer.h"
#include "server/worker/control.h"

typedef struct actor {
  const char *directory;
  char name[64];
  uint64_t step;
  bool again; /* a second attempt */
} actor;

static void path_of(const actor *a, const char *file, char path[4200])
{
  snprintf(path, 4200, "%s/%s", a->directory, file);
}

/* Finds "name": "..." in scene.json. */
static void read_name(actor *a)
{
  char path[4200], text[4096] = "";
  path_of(a, "scene.json", path);
  FILE *file = fopen(path, "rb");
  if (!file || fread(text, 1, sizeof text - 1, file) == 0) _exit(WORKER_BAD_INPUT);
  fclose(file);
  const char *at = strstr(text, "\"name\"");
  if (!at || sscanf(at, "\"name\" : \"%63[^\"]", a->name) + sscanf(at, "\"name\":\"%63[^\"]", a->name) < 1) _exit(WORKER_BAD_INPUT);
}

static void touch(const actor *a, const char *file, bool *was_there)
{
  char path[4200];
  path_of(a, file, path);
  *was_there = access(path, F_OK) == 0;
  int fd = open(path, O_WRONLY | O_CREAT, 0644);
  if (fd >= 0) close(fd);
}

static void take_lock(const actor *a)
{
  char path[4200];
  bool ignored;
  path_of(a, "lock", path);
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) return;
  touch(a, "met-another", &ignored);
  _exit(WORKER_BUSY);
}

/* Sends a heartbeat, waits 10 ms and returns what the lab says: a control_kind, 0 for nothing, -1 when it is gone. */
static int beat(actor *a)
{
  control_message message = {.version = CONTROL_VERSION,
                             .kind = CONTROL_HEARTBEAT,
                             .step = ++a->step,
                             .step_count = 1000,
                             .steps_per_second = 50,
                             .run_seconds = 0.01 * (double)(a->step),
                             .last_seq = a->step};
  send(CONTROL_FD, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
  usleep(10000);
  ssize_t size = recv(CONTROL_FD, &message, sizeof message, MSG_DONTWAIT);
  if (size == 0) return -1;
  return size == (ssize_t)sizeof message ? (int)message.kind : 0;
}

static void write_recording(const actor *a, const char *verdict)
{
  char path[4200], end[300];
  recording_writer *writer;
  path_of(a, "recording.scree", path);
  snprintf(end, sizeof end,
           "{\"verdict\":\"%s\",\"message\":\"as the play has "
           "it\",\"step\":%d,\"sim_time\":1.5,\"headlines\":[{\"name\":\"f\",\"label\":\"Force\",\"unit\":\"N\",\"value\":2}]%s}",
           verdict, 77, strcmp(a->name, "doubt") == 0 ? ",\"doubts\":[{\"kind\":\"stage\",\"message\":\"The stage \\\"shook\\\".\"}]" : "");
  if (recording_writer_open(path, &writer, NULL) != SCR_OK ||
      recording_writer_append(writer, SCR_RECORD_SCENE, 0, "{}", 2, NULL) != SCR_OK ||
      recording_writer_append(writer, SCR_RECORD_END, 1.5, end, strlen(end), NULL) != SCR_OK ||
      recording_writer_sync(writer, NULL) != SCR_OK)
    _exit(WORKER_IO);
  recording_writer_close(writer);
}

static _Noreturn void end_with(const actor *a, const char *verdict)
{
  write_recording(a, verdict);
  _exit(strcmp(verdict, "succeeded") == 0 ? WORKER_SUCCEEDED : strcmp(verdict, "failed") == 0 ? WORKER_FAILED : WORKER_CANCELLED);
}

static _Noreturn void beat_until_told(actor *a)
{
  for (;;) {
    int told = beat(a);
    if (told == CONTROL_CANCEL) end_with(a, "cancelled");
    if (told == CONTROL_STOP || told < 0) _exit(WORKER_STOPPED);
  }
}

static _Noreturn void beat_deaf(actor *a)
{
  signal(SIGTERM, SIG_IGN);
  for (;;) beat(a);
}

static _Noreturn void die(actor *a)
{
  beat(a);
  fputs("the stage is on fire \xff\n", stderr);
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

static void build(void)
{
  for (int i = 0; i < 250; i++) {
    control_message message = {.version = CONTROL_VERSION, .kind = CONTROL_ALIVE};
    send(CONTROL_FD, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
    usleep(20000);
  }
}

_Noreturn void actor_play(const char *directory)
{
  actor a = {.directory = directory};
  alarm(60); /* none outlives a test program that was killed */
  read_name(&a);
  take_lock(&a);
  touch(&a, "played", &a.again);
  const char *name = a.name;
  if (strcmp(name, "beat") == 0 || (strcmp(name, "beat-once") == 0 && !a.again)) beat_until_told(&a);
  if (strcmp(name, "deaf") == 0) beat_deaf(&a);
  if (strcmp(name, "die") == 0 || (strcmp(name, "die-once") == 0 && !a.again)) die(&a);
  if (strcmp(name, "build") == 0) build();
  if (strcmp(name, "disk-full") == 0 && !a.again) _exit(WORKER_DISK_FULL);
  if (strcmp(name, "limit") == 0) _exit(WORKER_LIMIT);
  if (strcmp(name, "liar") == 0) _exit(WORKER_SUCCEEDED);
  if (strcmp(name, "refuse") == 0) {
    control_message message = {
        .version = CONTROL_VERSION, .kind = CONTROL_RESULT, .status = SCR_BAD_FILE, .text = "the checkpoint is damaged"};
    send(CONTROL_FD, &message, sizeof message, MSG_NOSIGNAL);
    _exit(WORKER_BAD_INPUT);
  }
  if (strcmp(name, "hang") == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a stopped process hears no alarm */
    beat(&a);
    kill(getpid(), SIGSTOP);
    for (;;) pause();
  }
  for (int i = 0; i < 3; i++) beat(&a);
  if (strcmp(name, "last-gasp") == 0) {
    write_recording(&a, "succeeded");
    kill(getpid(), SIGKILL);
  }
  end_with(&a, strcmp(name, "fail") == 0 ? "failed" : "succeeded");
}

lab_config actor_config(const char *data)
{
  static char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  self[length > 0 ? length : 0] = 0;
  lab_config config = lab_config_default();
  config.data_directory = data;
  config.worker_path = self;
  config.slots = 2;
  config.max_attempts = 2;
  config.lease_seconds = 10;
  config.checkpoint_seconds = 1;
  config.disk_reserve_bytes = 0;
  return config;
}

char *actor_scene(const char *name)
{
  static const char format[] =
      "{\"scree\":1,\"name\":\"%s\",\"method\":\"act\","
      "\"materials\":[{\"name\":\"polymer\"}],"
      "\"specimens\":[{\"name\":\"grain\",\"material\":\"polymer\",\"shape\":{\"type\":\"sphere\",\"radius\":1e-3},"
      "\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}}],"
      "\"rig\":{\"type\":\"box\",\"minimum\":[-2e-3,-2e-3,-2e-3],\"maximum\":[2e-3,2e-3,2e-3]},"
      "\"time\":{\"duration\":1e-5}}";
  char *scene = NULL;
  if (asprintf(&scene, format, name) < 0) exit(1);
  return scene;
}
