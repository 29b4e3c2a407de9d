/* Recordings that a command is given. */
#include "api/cli/recording_source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/cli/console.h"
#include "api/cli/folder.h"

/* Whether a run holds the lock of the folder that the recording is in. */
static bool is_being_written(const char *path)
{
  char lock[FOLDER_PATH], folder[FOLDER_PATH];
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) : 1;
  if (length >= sizeof folder) return false;
  memcpy(folder, slash ? path : ".", length);
  folder[length] = '\0';
  if (!folder_path(slash && length == 0 ? "/" : folder, "lock", lock)) return false;
  int file = open(lock, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  bool held = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(file);
  return held;
}

cli_exit recording_source_open(const cli_call *call, const char *word, scr_recording **recording, scr_check *check, bool *going_on)
{
  char inside[FOLDER_PATH];
  struct stat about;
  scr_error error = {0};
  const char *path = word;
  *recording = NULL;
  if (stat(path, &about) != 0) return console_fail(call, CLI_BAD_USAGE, "the recording '%s' can't be opened: %s", path, strerror(errno));
  if (S_ISDIR(about.st_mode) && folder_path(path, "recording.scree", inside)) path = inside;
  if (scr_recording_open(path, recording, &error) != SCR_OK) return console_fail(call, CLI_BAD_USAGE, "%s", error.message);
  *going_on = is_being_written(path); /* before the check: a run that ends meanwhile may be taken for one that goes on, not the other way */
  if (scr_recording_verify(*recording, 0, check, &error) == SCR_OK) return CLI_DONE;
  scr_recording_close(*recording);
  *recording = NULL;
  return console_fail(call, CLI_FAILED, "%s", error.message);
}

cli_exit recording_source_verdict(const cli_call *call, const scr_check *check, bool going_on)
{
  if (check->integrity == SCR_COMPLETE) return CLI_DONE;
  if (check->integrity == SCR_UNFINISHED && going_on) {
    console_say(call, "the run is not finished: this is what it has recorded so far");
    return CLI_DONE;
  }
  fprintf(stderr, "scree: the recording is %s: %s\n", scr_integrity_name(check->integrity), check->message);
  return CLI_INCOMPLETE;
}
