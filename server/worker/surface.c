/* A surface for the lab: see server/lab/lab_surface.c for the other side. */
#include "server/worker/surface.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server/worker/control.h"

/* Behind running jobs, and never longer or larger than the lab would wait for. */
static void limit_cost(void)
{
  struct rlimit seconds = {SURFACE_CPU_SECONDS, SURFACE_CPU_SECONDS}, bytes = {SURFACE_FILE_LIMIT, SURFACE_FILE_LIMIT};
  setrlimit(RLIMIT_CPU, &seconds);
  setrlimit(RLIMIT_FSIZE, &bytes);
  setpriority(PRIO_PROCESS, 0, 10);
}

static scr_status write_all(const char *bytes, size_t length, scr_error *error)
{
  for (size_t at = 0; at < length;) {
    ssize_t wrote = write(STDOUT_FILENO, bytes + at, length - at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote >= 0) {
      at += (size_t)wrote;
      continue;
    }
    bool long_file = errno == EFBIG;
    error->code = long_file ? SCR_NO_MEMORY : SCR_IO;
    if (long_file)
      snprintf(error->message, sizeof error->message,
               "the surface takes %zu bytes, more than the %d that are served: use format ply, or `scree export` on the recording", length,
               SURFACE_FILE_LIMIT);
    else
      snprintf(error->message, sizeof error->message, "the surface could not be written: %s", strerror(errno));
    return error->code;
  }
  return SCR_OK;
}

static scr_status make(const char *directory, const char *format, int64_t frame, scr_error *error)
{
  char path[4200];
  char *bytes = NULL;
  size_t length = 0;
  scr_recording *recording = NULL;
  scr_surface_options options = {.format = strcmp(format, "stl") == 0 ? SCR_SURFACE_STL : SCR_SURFACE_PLY, .frame = frame};
  if (snprintf(path, sizeof path, "%s/recording.scree", directory) >= (int)sizeof path) {
    snprintf(error->message, sizeof error->message, "the path of the job's directory is too long");
    return SCR_IO;
  }
  scr_status status = scr_recording_open(path, &recording, error);
  if (status == SCR_OK) status = scr_export_surface(recording, &options, &bytes, &length, NULL, error);
  if (status == SCR_OK) status = write_all(bytes, length, error);
  scr_free(bytes);
  scr_recording_close(recording);
  return status;
}

int surface_make(const char *directory, const char *format, int64_t frame)
{
  scr_error error = {0}, unsaid = {0};
  limit_cost();
  scr_status status = make(directory, format, frame, &error);
  if (status != SCR_OK && ftruncate(STDOUT_FILENO, 0) == 0 && lseek(STDOUT_FILENO, 0, SEEK_SET) == 0)
    (void)write_all(error.message, strlen(error.message), &unsaid);
  return worker_exit_code_of(status);
}
