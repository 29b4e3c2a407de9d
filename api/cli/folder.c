/* Result folders. The same function derives curves and plot for `run` and for `fetch`, so their files are the same. */
#include "api/cli/folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/cli/console.h"
#include "scree.h"

bool folder_path(const char *directory, const char *name, char *path)
{
  int length = snprintf(path, FOLDER_PATH, "%s/%s", directory, name);
  return length > 0 && length < FOLDER_PATH;
}

cli_exit folder_make(const cli_call *call, const char *directory)
{
  char path[FOLDER_PATH];
  size_t length = strlen(directory);
  if (length == 0 || length >= sizeof path)
    return console_fail(call, CLI_BAD_USAGE, "'%.100s' is not a valid name of a directory", directory);
  memcpy(path, directory, length + 1);
  for (size_t i = 1; i <= length; i++) {
    if (path[i] != '/' && path[i]) continue;
    char kept = path[i];
    path[i] = 0;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
      return console_fail(call, CLI_FAILED, "the directory '%s' can't be made: %s", path, strerror(errno));
    path[i] = kept;
  }
  struct stat status;
  if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
    return console_fail(call, CLI_FAILED, "'%s' is not a directory; choose another one with -o", path);
  return CLI_DONE;
}

static scr_status write_into(const char *directory, const char *name, const char *text, size_t length, scr_error *error)
{
  char path[FOLDER_PATH];
  if (!folder_path(directory, name, path)) {
    error->code = SCR_IO;
    snprintf(error->message, sizeof error->message, "the path of %s is too long", name);
    return SCR_IO;
  }
  return scr_write_file(path, text, length, error);
}

static scr_status write_curves(scr_recording *recording, const char *directory, scr_error *error)
{
  scr_curves *curves = NULL;
  char *text = NULL;
  size_t length = 0;
  scr_status status = scr_curves_read(recording, 0, &curves, error);
  if (status == SCR_OK) status = scr_curves_csv(curves, &text, &length, error);
  if (status == SCR_OK) status = write_into(directory, "curves.csv", text, length, error);
  scr_curves_destroy(curves);
  scr_free(text);
  if (status != SCR_OK) return status;
  text = NULL;
  status = scr_recording_plot_svg(recording, 0, &text, &length, error);
  if (status == SCR_BAD_USAGE) return SCR_OK; /* a recording without plots is complete all the same */
  if (status == SCR_OK) status = write_into(directory, "plot.svg", text, length, error);
  scr_free(text);
  return status;
}

/* NAME.svg for a table that has a picture. */
static scr_status write_picture(scr_recording *recording, const char *directory, const scr_table *table, scr_error *error)
{
  char name[sizeof table->name + 8], *text = NULL;
  size_t length = 0;
  scr_error why = {0};
  scr_status status = scr_table_svg(recording, table->name, &text, &length, &why);
  if (status == SCR_BAD_USAGE) return SCR_OK;
  if (status != SCR_OK) *error = why;
  snprintf(name, sizeof name, "%s.svg", table->name);
  if (status == SCR_OK) status = write_into(directory, name, text, length, error);
  scr_free(text);
  return status;
}

static scr_status write_pictures(scr_recording *recording, const char *directory, scr_error *error)
{
  scr_table *tables = NULL;
  size_t count = 0;
  scr_status status = scr_tables_list(recording, &tables, &count, error);
  for (size_t k = 0; status == SCR_OK && k < count; k++) status = write_picture(recording, directory, &tables[k], error);
  scr_tables_destroy(tables, count);
  return status;
}

cli_exit folder_write_results(const cli_call *call, const char *directory)
{
  char path[FOLDER_PATH];
  scr_error error = {0};
  scr_recording *recording = NULL;
  if (!folder_path(directory, "recording.scree", path)) return console_fail(call, CLI_BAD_USAGE, "the path '%s' is too long", directory);
  scr_status status = scr_recording_open(path, &recording, &error);
  if (status == SCR_OK && scr_recording_newest(recording, 1u << SCR_RECORD_CURVE) == 0)
    console_say(call, "there are no samples yet, so curves.csv and plot.svg are not written");
  else if (status == SCR_OK)
    status = write_curves(recording, directory, &error);
  if (status == SCR_OK) status = write_pictures(recording, directory, &error);
  scr_recording_close(recording);
  return status == SCR_OK ? CLI_DONE : console_fail(call, CLI_FAILED, "%s", error.message);
}

static void report_file(const char *directory, const char *name, const char *about)
{
  char path[FOLDER_PATH];
  if (folder_path(directory, name, path) && access(path, F_OK) == 0) printf("  %-40s %s\n", path, about);
}

/* Pictures of tables, by what the recording has. */
static void report_pictures(const char *directory)
{
  char path[FOLDER_PATH], name[sizeof((scr_table){0}).name + 8];
  scr_recording *recording = NULL;
  scr_table *tables = NULL;
  size_t count = 0;
  if (!folder_path(directory, "recording.scree", path) || scr_recording_open(path, &recording, NULL) != SCR_OK) return;
  (void)scr_tables_list(recording, &tables, &count, NULL);
  for (size_t k = 0; k < count; k++) {
    snprintf(name, sizeof name, "%s.svg", tables[k].name);
    report_file(directory, name, tables[k].label);
  }
  scr_tables_destroy(tables, count);
  scr_recording_close(recording);
}

void folder_report(const char *directory)
{
  report_file(directory, "curves.csv", "every curve, SI units");
  report_file(directory, "plot.svg", "the main curve as a picture");
  report_pictures(directory);
  report_file(directory, "recording.scree", "frames, curves and events");
  report_file(directory, "scene.json", "the scene with every default");
}
