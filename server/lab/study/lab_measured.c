/* Measured curves: files of assets are read here, on the caller's thread, and what they hold goes into the store. */
#include "server/lab/study/lab_measured.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "server/clock.h"
#include "server/lab/lab_internal.h"
#include "server/store/study/store_measured.h"

/* ── files ── */

/* An asset's bytes; `asset` and `bytes` to be freed on LAB_OK. */
static lab_status read_asset(lab *self, const char *digest, lab_asset *asset, char **bytes, scr_error *error)
{
  int fd = -1;
  size_t done = 0;
  lab_status status = lab_asset_open(self, digest, &fd, asset, error);
  if (status != LAB_OK) return status;
  if (asset->bytes > CURVE_SET_FILE_BYTES) {
    scr_fail(error, SCR_BAD_FILE, NULL, "the file has %llu bytes; of a measured curve at most %d are read: export fewer samples",
             (unsigned long long)asset->bytes, CURVE_SET_FILE_BYTES);
    close(fd);
    return LAB_TOO_LARGE;
  }
  *bytes = malloc(asset->bytes + 1);
  while (*bytes && done < asset->bytes) {
    ssize_t part = read(fd, *bytes + done, asset->bytes - done);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) break;
    done += (size_t)part;
  }
  close(fd);
  if (*bytes && done == asset->bytes) return LAB_OK;
  scr_fail(error, *bytes ? SCR_IO : SCR_NO_MEMORY, NULL, *bytes ? "the asset %.64s can't be read" : "no memory for the asset %.64s",
           digest);
  free(*bytes);
  *bytes = NULL;
  return LAB_FAILED;
}

lab_status lab_measured_table(lab *self, const char *digest, const measured_reading *reading, size_t rows, json_t **json, scr_error *error)
{
  lab_asset asset;
  char *bytes = NULL;
  measured_table table;
  *json = NULL;
  lab_status status = read_asset(self, digest, &asset, &bytes, error);
  if (status != LAB_OK) return status;
  scr_status read = measured_read(bytes, asset.bytes, reading, &table, error);
  free(bytes);
  if (read != SCR_OK) return read == SCR_NO_MEMORY ? LAB_FAILED : LAB_BAD_REQUEST;
  *json = measured_table_json(&table, rows);
  measured_clear(&table);
  json_t *about =
      json_pack("{s:o, s:s, s:I}", "asset", json_sprintf("sha256:%s", asset.digest), "file", asset.name, "bytes", (json_int_t)asset.bytes);
  if (*json && about && json_object_update(*json, about) == 0) {
    json_decref(about);
    return LAB_OK;
  }
  json_decref(about);
  json_decref(*json);
  *json = NULL;
  scr_fail(error, SCR_NO_MEMORY, NULL, "no memory for a table");
  return LAB_FAILED;
}

/* ── reading what a document describes ── */

static lab_status read_specimens(lab *self, const measured_document *document, curve_set *set, scr_problems *problems, scr_error *error)
{
  for (size_t i = 0; i < document->specimen_count; i++) {
    lab_asset asset;
    char *bytes = NULL;
    scr_error why = {0};
    char pointer[40];
    snprintf(pointer, sizeof pointer, "/specimens/%zu/asset", i);
    lab_status status = read_asset(self, document->specimens[i].digest, &asset, &bytes, &why);
    if (status == LAB_NOT_FOUND || status == LAB_TOO_LARGE) {
      (void)scr_problems_add(problems, pointer, NULL, "an uploaded file of at most 16 MiB", "%s", why.message);
      set->count++; /* its place stays empty */
      continue;
    }
    if (status != LAB_OK) {
      if (error) *error = why;
      return status;
    }
    const curve_file file = {asset.name, bytes, asset.bytes};
    scr_status read = curve_set_read(set, document, &file, problems);
    free(bytes);
    if (read != SCR_OK) {
      scr_fail_memory(error, "a measured curve", asset.bytes);
      return LAB_FAILED;
    }
  }
  return problems->count ? LAB_REFUSED : LAB_OK;
}

/* @param document, set to be cleared in any case */
static lab_status read_document(lab *self, const char *text, size_t length, measured_document *document, curve_set *set,
                                scr_problems *problems, scr_error *error)
{
  scr_status read = measured_document_read(text, length, document, problems);
  if (read == SCR_OK) return read_specimens(self, document, set, problems, error);
  if (read == SCR_NO_MEMORY) scr_fail(error, read, NULL, "no memory for measured curves");
  return read == SCR_NO_MEMORY ? LAB_FAILED : LAB_REFUSED;
}

lab_status lab_measured_check(lab *self, const char *text, size_t length, size_t points, json_t **json, scr_problems *problems,
                              scr_error *error)
{
  measured_document document = {0};
  curve_set set = {0};
  *json = NULL;
  lab_status status = read_document(self, text, length, &document, &set, problems, error);
  if (status == LAB_OK) {
    *json = curve_set_json(&set, points);
    if (!*json) scr_fail(error, SCR_NO_MEMORY, NULL, "no memory for measured curves");
    if (!*json) status = LAB_FAILED;
  }
  curve_set_clear(&set);
  measured_document_clear(&document);
  return status;
}

/* ── keeping ── */

static lab_status insert(lab *self, const measured_document *document, const curve_set *set, lab_measured *measured, scr_error *error)
{
  store_specimen specimens[MEASURED_SPECIMENS];
  char *about = json_dumps(set->about, JSON_COMPACT | JSON_REAL_PRECISION(17));
  store_measured_insertion insertion = MEASURED_INSERTED;
  if (!about) {
    scr_fail(error, SCR_NO_MEMORY, NULL, "no memory for measured curves");
    return LAB_FAILED;
  }
  for (size_t i = 0; i < set->count; i++)
    specimens[i] = (store_specimen){document->specimens[i].digest, set->curves[i].x, set->curves[i].count};
  const store_measured wanted = {.name = document->name,
                                 .title = document->title,
                                 .about = about,
                                 .specimens = specimens,
                                 .specimen_count = set->count,
                                 .now_ms = clock_wall_ms()};
  scr_status status = store_insert_measured(self->store, &wanted, &insertion, measured, error);
  free(about);
  if (status != SCR_OK) return LAB_FAILED;
  if (insertion == MEASURED_NAME_TAKEN)
    scr_fail(error, SCR_BAD_USAGE, NULL, "there are measured curves named '%s' already: choose another name, or remove those first",
             document->name);
  if (insertion == MEASURED_ASSET_GONE) scr_fail(error, SCR_BAD_USAGE, NULL, "a file was removed meanwhile: upload it again");
  return insertion == MEASURED_INSERTED ? LAB_OK : LAB_CONFLICT;
}

lab_status lab_measured_add(lab *self, const char *text, size_t length, lab_measured *measured, scr_problems *problems, scr_error *error)
{
  measured_document document = {0};
  curve_set set = {0};
  if (atomic_load(&self->draining)) {
    scr_fail(error, SCR_BUSY, NULL, "the server is shutting down and takes nothing new; try again when it is back");
    return LAB_DRAINING;
  }
  if (lab_free_bytes(self) < self->config.disk_reserve_bytes) {
    scr_fail(error, SCR_IO, NULL, "the data directory's disk has less free than its reserve; delete old jobs or free some space");
    return LAB_FULL;
  }
  lab_status status = read_document(self, text, length, &document, &set, problems, error);
  if (status == LAB_OK) status = insert(self, &document, &set, measured, error);
  if (status == LAB_OK)
    log_write(self->config.log, LOG_LEVEL_INFO, "measured_added",
              LOG_FIELDS(log_integer("measured", measured->id), log_text("name", measured->name)));
  curve_set_clear(&set);
  measured_document_clear(&document);
  return status;
}

/* ── looking ── */

static lab_status fail_missing(int64_t id, scr_error *error)
{
  scr_fail(error, SCR_BAD_USAGE, NULL, "there are no measured curves %lld", (long long)id);
  return LAB_NOT_FOUND;
}

lab_status lab_measured_list(lab *self, int64_t before, lab_measured *measured, size_t capacity, size_t *count, scr_error *error)
{
  return store_measured_list(self->store, before, measured, capacity, count, error) == SCR_OK ? LAB_OK : LAB_FAILED;
}

static scr_status take_curve(void *user, const double *samples, size_t count, scr_error *error)
{
  scr_status status = curve_set_add(user, samples, count);
  return status == SCR_OK ? status : scr_fail(error, status, NULL, "a measured curve of %zu samples can't be read from the store", count);
}

lab_status lab_measured_get(lab *self, int64_t id, lab_measured *measured, curve_set *set, scr_error *error)
{
  bool found = false;
  *set = (curve_set){0};
  if (store_measured_get(self->store, id, measured, &found, error) != SCR_OK) return LAB_FAILED;
  if (!found) return fail_missing(id, error);
  set->about = json_loads(measured->about, 0, NULL);
  scr_status status = set->about ? store_measured_curves(self->store, id, take_curve, set, error)
                                 : scr_fail(error, SCR_NO_MEMORY, NULL, "no memory for measured curves");
  if (status == SCR_OK) return LAB_OK;
  curve_set_clear(set);
  lab_measured_clear(measured);
  return LAB_FAILED;
}

lab_status lab_measured_named(lab *self, const char *name, int64_t *id, scr_error *error)
{
  if (store_measured_named(self->store, name, id, error) != SCR_OK) return LAB_FAILED;
  if (*id) return LAB_OK;
  scr_fail(error, SCR_BAD_USAGE, NULL, "there are no measured curves named '%.48s'", name);
  return LAB_NOT_FOUND;
}

lab_status lab_measured_remove(lab *self, int64_t id, scr_error *error)
{
  bool found = false;
  if (store_remove_measured(self->store, id, clock_wall_ms(), &found, error) != SCR_OK) return LAB_FAILED;
  if (!found) return fail_missing(id, error);
  log_write(self->config.log, LOG_LEVEL_INFO, "measured_removed", LOG_FIELDS(log_integer("measured", id)));
  return LAB_OK;
}
