/* Bringing a job's results home.
 *
 * A recording is a function of its scene, version and processor family, and those stand in its first record. So a partial download
 * may be continued exactly when its first record is the server's first record; what was put together is checked record by record. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/cli/console.h"
#include "api/cli/folder.h"
#include "api/cli/interrupt.h"
#include "api/cli/server_job.h"
#include "scree.h"

enum { most_tries = 5 };

typedef struct download {
  const cli_call *call;
  http_client *client;
  long long id;
  char part[FOLDER_PATH], whole[FOLDER_PATH];
} download;

/* Whether the partial file begins with the job's first record. */
static bool same_beginning(const download *self, FILE *file)
{
  char path[80];
  snprintf(path, sizeof path, "/api/v1/jobs/%lld/records/1", self->id);
  http_answer answer;
  bool same = false;
  if (http_exchange(self->client, &(http_call){.path = path}, &answer) == CLI_DONE && answer.status == 200) {
    char *ours = malloc(answer.size + SCR_FILE_MAGIC_BYTES);
    rewind(file);
    same = ours && fread(ours, 1, answer.size + SCR_FILE_MAGIC_BYTES, file) == answer.size + SCR_FILE_MAGIC_BYTES &&
           memcmp(ours, SCR_FILE_MAGIC, SCR_FILE_MAGIC_BYTES) == 0 && memcmp(ours + SCR_FILE_MAGIC_BYTES, answer.body, answer.size) == 0;
    free(ours);
  }
  http_answer_clear(&answer);
  return same;
}

/* Reads every record, which checks its CRC. */
static bool is_valid(const char *path, scr_error *error)
{
  scr_recording *recording = NULL;
  bool valid = scr_recording_open(path, &recording, error) == SCR_OK;
  struct stat status;
  if (valid && (stat(path, &status) != 0 || (uint64_t)status.st_size != scr_recording_bytes(recording))) {
    snprintf(error->message, sizeof error->message, "%s ends within a record", path);
    valid = false;
  }
  for (uint64_t seq = 1; valid && seq <= scr_recording_count(recording); seq++) {
    size_t size = SCR_RECORD_BYTES(scr_recording_header(recording, seq)->size);
    void *buffer = aligned_alloc(8, size);
    valid = buffer && scr_recording_read(recording, seq, buffer, size, error) == SCR_OK;
    free(buffer);
  }
  scr_recording_close(recording);
  return valid;
}

static cli_exit file_failure(const download *self, const char *action, const char *path)
{
  return console_fail(self->call, CLI_FAILED, "%s %s failed: %s", action, path, strerror(errno));
}

/* Receives what is missing into the open partial file. A connection that breaks is taken up again where it broke. */
static cli_exit receive(const download *self, FILE *file)
{
  char path[80];
  snprintf(path, sizeof path, "/api/v1/jobs/%lld/recording", self->id);
  for (int tries = 1;; tries++) {
    if (fseeko(file, 0, SEEK_END) != 0) return file_failure(self, "seeking in", self->part);
    http_answer answer;
    http_call request = {.path = path, .file = file, .offset = (long long)ftello(file)};
    cli_exit code = http_exchange(self->client, &request, &answer);
    long status = answer.status;
    if (fflush(file) != 0)
      code = file_failure(self, "writing", self->part);
    else if (code == CLI_FAILED)
      code = console_fail(self->call, code, "%s", answer.error);
    else if (code == CLI_INTERRUPTED)
      code = console_fail(self->call, code, "interrupted; run the same command again to continue");
    else if (code == CLI_UNREACHABLE && tries >= most_tries)
      code = console_fail(self->call, code, "%s; run the same command again to continue", answer.error);
    else if (code == CLI_DONE && status != 200 && status != 206 && status != 416)
      code = http_refusal(self->call, &answer);
    http_answer_clear(&answer);
    if (code != CLI_UNREACHABLE || tries >= most_tries) return code; /* 416: nothing is missing, or the check below finds out */
    console_say(self->call, "the connection was lost; continuing the download");
    interrupt_sleep(1);
  }
}

static cli_exit finish(const download *self, FILE *file)
{
  if (fsync(fileno(file)) != 0) return file_failure(self, "writing", self->part);
  if (rename(self->part, self->whole) != 0) return file_failure(self, "renaming", self->part);
  return CLI_DONE;
}

static cli_exit fetch_recording(const download *self)
{
  int fd = open(self->part, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  FILE *file = fd >= 0 ? fdopen(fd, "r+b") : NULL;
  if (!file) {
    cli_exit failed = file_failure(self, "opening", self->part);
    if (fd >= 0) close(fd);
    return failed;
  }
  bool continued = same_beginning(self, file);
  if (!continued && ftruncate(fd, 0) != 0) {
    fclose(file);
    return file_failure(self, "emptying", self->part);
  }
  scr_error error = {0};
  cli_exit code = receive(self, file);
  bool valid = code == CLI_DONE && is_valid(self->part, &error);
  if (code == CLI_DONE && !valid && continued && ftruncate(fd, 0) == 0) {
    code = receive(self, file); /* what was there was not what its beginning promised: all of it anew */
    valid = code == CLI_DONE && is_valid(self->part, &error);
  }
  if (code == CLI_DONE)
    code = valid ? finish(self, file) : console_fail(self->call, CLI_FAILED, "the download is damaged: %s", error.message);
  if (code != CLI_DONE && fseeko(file, 0, SEEK_END) == 0 && ftello(file) == 0)
    unlink(self->part); /* nothing came that could be continued */
  fclose(file);
  return code;
}

static cli_exit fetch_scene(const download *self, const char *directory)
{
  char path[80], file[FOLDER_PATH];
  snprintf(path, sizeof path, "/api/v1/jobs/%lld/scene", self->id);
  if (!folder_path(directory, "scene.json", file)) return console_fail(self->call, CLI_BAD_USAGE, "the path '%s' is too long", directory);
  http_answer answer;
  scr_error error = {0};
  cli_exit code = http_expect(self->call, self->client, &(http_call){.path = path}, &answer);
  if (code == CLI_DONE && scr_write_file(file, answer.body, answer.size, &error) != SCR_OK)
    code = console_fail(self->call, CLI_FAILED, "%s", error.message);
  http_answer_clear(&answer);
  return code;
}

cli_exit server_job_fetch(const cli_call *call, http_client *client, long long id, const char *directory)
{
  download self = {.call = call, .client = client, .id = id};
  cli_exit code = folder_make(call, directory);
  if (code != CLI_DONE) return code;
  if (!folder_path(directory, "recording.scree.part", self.part) || !folder_path(directory, "recording.scree", self.whole))
    return console_fail(call, CLI_BAD_USAGE, "the path '%s' is too long", directory);
  interrupt_catch();
  code = fetch_scene(&self, directory);
  if (code == CLI_DONE) code = fetch_recording(&self);
  if (code == CLI_DONE) code = folder_write_results(call, directory);
  if (code == CLI_DONE) code = server_job_files(call, client, id, directory);
  return code;
}
