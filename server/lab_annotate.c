/* What people write on jobs, and what is told of them: names, tags, notes, priority; attempts, events, the scene. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/clock.h"
#include "server/lab_internal.h"

/* ── checks ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* UTF-8 without control characters; line breaks only where they are allowed. */
static bool is_clean(const char *text, bool lines)
{
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    if ((*c < 32 && !(lines && (*c == '\n' || *c == '\t' || *c == '\r'))) || *c == 127) return false;
  json_t *value = json_string(text); /* checks the UTF-8 */
  json_decref(value);
  return value != NULL;
}

static void check_name(const char *name, scr_problems *problems)
{
  static const char allowed[] = "1 to 63 bytes of text without control characters or '/'";
  size_t length = strlen(name);
  if (length < 1 || length >= LAB_NAME_BYTES || strchr(name, '/') || name[0] == '.' || !is_clean(name, false))
    (void)scr_problems_add(problems, "/name", "", allowed, "the name has %zu bytes; it must be %s, and not begin with a dot", length,
                           allowed);
}

static void check_notes(const char *notes, scr_problems *problems)
{
  size_t length = strlen(notes);
  if (length >= LAB_NOTES_BYTES || !is_clean(notes, true))
    (void)scr_problems_add(problems, "/notes", "", "at most 2047 bytes of text",
                           "the notes have %zu bytes; they must be at most %d bytes of text", length, LAB_NOTES_BYTES - 1);
}

static void check_tag(const char *key, const json_t *value, scr_problems *problems)
{
  char pointer[LAB_TAG_KEY_BYTES + 16];
  const char *text = json_string_value(value);
  size_t length = strlen(key);
  bool fine = length >= 1 && length < LAB_TAG_KEY_BYTES &&
              strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-") == length;
  snprintf(pointer, sizeof pointer, "/tags/%.60s", key);
  if (!fine)
    (void)scr_problems_add(problems, pointer, "", "1 to 63 letters, digits, '_', '.' or '-'",
                           "'%.60s' is no name of a tag; it must be 1 to 63 letters, digits, '_', '.' or '-'", key);
  if (!text || strlen(text) >= LAB_TAG_VALUE_BYTES || !is_clean(text, false))
    (void)scr_problems_add(problems, pointer, "", "a text of at most 255 bytes",
                           "the tag '%.60s' must be a text of at most %d bytes on one line", key, LAB_TAG_VALUE_BYTES - 1);
}

static void check_tags(const char *tags, scr_problems *problems)
{
  json_t *object = json_loads(tags, JSON_REJECT_DUPLICATES, NULL);
  size_t count = json_object_size(object);
  const char *key;
  json_t *value;
  if (!json_is_object(object))
    (void)scr_problems_add(problems, "/tags", "", "an object of texts", "the tags must be an object of texts");
  else if (count > LAB_TAG_LIMIT || strlen(tags) >= LAB_TAGS_BYTES)
    (void)scr_problems_add(problems, "/tags", "", "at most 16 tags of 1023 bytes together",
                           "%zu tags take %zu bytes; at most %d tags of %d bytes together are allowed", count, strlen(tags), LAB_TAG_LIMIT,
                           LAB_TAGS_BYTES - 1);
  json_object_foreach(object, key, value)
  {
    check_tag(key, value, problems);
  }
  json_decref(object);
}

void lab_check_change(const lab_change *change, scr_problems *problems)
{
  if (change->name) check_name(change->name, problems);
  if (change->tags) check_tags(change->tags, problems);
  if (change->notes) check_notes(change->notes, problems);
  if (change->priority && (*change->priority < -LAB_PRIORITY_LIMIT || *change->priority > LAB_PRIORITY_LIMIT)) {
    char given[24];
    snprintf(given, sizeof given, "%d", *change->priority);
    (void)scr_problems_add(problems, "/priority", given, "-100 to 100", "the priority is %d; it must be -%d to %d", *change->priority,
                           LAB_PRIORITY_LIMIT, LAB_PRIORITY_LIMIT);
  }
}

/* ── changes and looks ────────────────────────────────────────────────────────────────────────────────────────── */

static lab_status no_such_job(int64_t id, scr_error *error)
{
  scr_fail(error, SCR_BAD_USAGE, NULL, "job %lld does not exist", (long long)id);
  return LAB_NOT_FOUND;
}

lab_status lab_edit(lab *self, int64_t id, const lab_change *change, lab_job *job, scr_problems *problems, scr_error *error)
{
  size_t before = problems->count;
  bool found;
  lab_check_change(change, problems);
  if (problems->count > before) {
    scr_fail(error, SCR_BAD_USAGE, NULL, "%s", problems->items[before].detail);
    return LAB_BAD_REQUEST;
  }
  if (store_edit(self->store, id, change, clock_wall_ms(), &found, job, error) != SCR_OK) return LAB_FAILED;
  if (!found) return no_such_job(id, error);
  supervisor_notice(self->supervisor, id, LAB_EVENT_JOB);
  return lab_get(self, id, job, error);
}

static lab_status check_there(lab *self, int64_t id, scr_error *error)
{
  lab_job job;
  bool found;
  if (store_get(self->store, id, &job, &found, error) != SCR_OK) return LAB_FAILED;
  return found ? LAB_OK : no_such_job(id, error);
}

lab_status lab_attempts(lab *self, int64_t id, lab_attempt *attempts, size_t capacity, size_t *count, scr_error *error)
{
  lab_status there = check_there(self, id, error);
  if (there != LAB_OK) return there;
  return store_attempts(self->store, id, attempts, capacity, count, error) == SCR_OK ? LAB_OK : LAB_FAILED;
}

lab_status lab_events(lab *self, int64_t job, int64_t after, lab_happening *events, size_t capacity, size_t *count, bool *more,
                      scr_error *error)
{
  lab_status there = job > 0 ? check_there(self, job, error) : LAB_OK;
  if (there != LAB_OK) return there;
  return store_events(self->store, job, after, events, capacity, count, more, error) == SCR_OK ? LAB_OK : LAB_FAILED;
}

/* ── the scene ────────────────────────────────────────────────────────────────────────────────────────────────── */

static lab_status read_scene_file(lab *self, int64_t id, char **text, size_t *length, scr_error *error)
{
  char path[DATA_PATH_BYTES + 64] = "";
  struct stat about;
  int fd =
      data_job_path(&self->data, id, "scene.json", path, sizeof path) ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
  if (fd < 0) return scr_fail_io(error, "open the scene", path, errno) == SCR_OK ? LAB_OK : LAB_FAILED;
  ssize_t got = -1;
  if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && (*text = malloc((size_t)about.st_size + 1))) got = pread(fd, *text, (size_t)about.st_size, 0);
  close(fd);
  if (got >= 0) {
    (*text)[got] = 0;
    *length = (size_t)got;
    return LAB_OK;
  }
  free(*text);
  *text = NULL;
  scr_fail(error, SCR_IO, NULL, "the scene of job %lld can't be read", (long long)id);
  return LAB_FAILED;
}

lab_status lab_scene(lab *self, int64_t id, char **text, size_t *length, scr_error *error)
{
  bool found;
  lab_status there = check_there(self, id, error);
  *text = NULL;
  if (there != LAB_OK) return there;
  if (store_scene(self->store, id, text, length, &found, error) != SCR_OK) return LAB_FAILED;
  return *text ? LAB_OK : read_scene_file(self, id, text, length, error);
}
