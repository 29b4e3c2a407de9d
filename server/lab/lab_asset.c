/* Files that scenes refer to: taken in, looked at, given back. The bytes are in assets/DIGEST of the data directory, made whole under
 * another name first; the store knows which there are and which jobs need them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"
#include "base/text.h"
#include "server/clock.h"
#include "server/lab/lab_internal.h"

enum { UPLOADS_AT_ONCE = 8, LOOK_AT_DISK_BYTES = 8 << 20 };

struct lab_upload {
  lab *lab;
  int fd;
  char part[32]; /* name of the file while it is written */
  sha256 sum;
  uint64_t bytes, looked_at; /* looked_at: bytes when the disk was last looked at */
};

static scr_status place_file(void *user, const char *digest, scr_error *error)
{
  const lab_upload *upload = user;
  const data_directory *data = &upload->lab->data;
  /* Over one that may be there: the same bytes, unless they were damaged since. */
  if (renameat(data->assets, upload->part, data->assets, digest) != 0) return scr_fail_io(error, "name the asset", digest, errno);
  return SCR_OK;
}

static scr_status remove_file(void *user, const char *digest, scr_error *error)
{
  const lab *self = user;
  if (unlinkat(self->data.assets, digest, 0) != 0 && errno != ENOENT) return scr_fail_io(error, "remove the asset", digest, errno);
  return SCR_OK;
}

/* ── taking one in ────────────────────────────────────────────────────────────────────────────────────────────── */

/* Counted after the fact, so that for a moment it may lag behind what others do. */
static uint64_t lab_asset_bytes(lab *self)
{
  long long bytes = atomic_load(&self->asset_bytes);
  return bytes > 0 ? (uint64_t)bytes : 0;
}

/* What all there are may take, and what the disk has to keep free. */
static lab_status check_space(lab *self, uint64_t more, scr_error *error)
{
  uint64_t all = lab_asset_bytes(self) + more, available = lab_free_bytes(self);
  if (all > self->config.asset_quota) {
    scr_fail(error, SCR_IO, NULL, "all assets together would take %.3g MB; they may take %.3g MB: remove some that no job needs",
             (double)all / 1e6, (double)self->config.asset_quota / 1e6);
    return LAB_FULL;
  }
  if (available >= self->config.disk_reserve_bytes) return LAB_OK;
  scr_fail(error, SCR_IO, NULL,
           "the data directory's disk has %.3g MB free and %.3g MB are kept in reserve; delete old jobs or free some space",
           (double)available / 1e6, (double)self->config.disk_reserve_bytes / 1e6);
  return LAB_FULL;
}

lab_status lab_upload_begin(lab *self, lab_upload **out, scr_error *error)
{
  *out = NULL;
  if (atomic_load(&self->draining)) {
    scr_fail(error, SCR_BUSY, NULL, "the server is shutting down; upload again when it is back");
    return LAB_DRAINING;
  }
  lab_status space = check_space(self, 0, error);
  if (space != LAB_OK) return space;
  if (atomic_fetch_add(&self->uploads, 1) >= UPLOADS_AT_ONCE) {
    atomic_fetch_sub(&self->uploads, 1);
    scr_fail(error, SCR_BUSY, NULL, "%d files are being uploaded already, the most at once; upload again later", UPLOADS_AT_ONCE);
    return LAB_FULL;
  }
  lab_upload *upload = calloc(1, sizeof *upload);
  if (upload) {
    upload->lab = self;
    sha256_begin(&upload->sum);
    snprintf(upload->part, sizeof upload->part, ".part-%llu", (unsigned long long)atomic_fetch_add(&self->next_upload, 1));
    upload->fd = openat(self->data.assets, upload->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (upload->fd >= 0) {
      *out = upload;
      return LAB_OK;
    }
    scr_fail_io(error, "make", "a file for an upload", errno);
  } else
    scr_fail_memory(error, "an upload", sizeof *upload);
  free(upload);
  atomic_fetch_sub(&self->uploads, 1);
  return LAB_FAILED;
}

static lab_status fail_write(int reason, scr_error *error)
{
  scr_fail_io(error, "write", "an asset", reason);
  return reason == ENOSPC || reason == EDQUOT ? LAB_FULL : LAB_FAILED;
}

lab_status lab_upload_add(lab_upload *upload, const void *bytes, size_t size, scr_error *error)
{
  const lab_config *config = &upload->lab->config;
  const char *from = bytes;
  if (size > config->limits.asset_bytes - upload->bytes) {
    scr_fail(error, SCR_BAD_USAGE, NULL, "the file is longer than %.3g MB, the most an asset may have",
             (double)config->limits.asset_bytes / 1e6);
    return LAB_TOO_LARGE;
  }
  sha256_add(&upload->sum, bytes, size);
  for (size_t done = 0; done < size;) {
    ssize_t part = write(upload->fd, from + done, size - done);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return fail_write(errno, error);
    done += (size_t)part;
  }
  upload->bytes += size;
  if (upload->bytes - upload->looked_at < LOOK_AT_DISK_BYTES) return LAB_OK;
  upload->looked_at = upload->bytes;
  return check_space(upload->lab, upload->bytes, error);
}

void lab_upload_drop(lab_upload *upload)
{
  if (!upload) return;
  lab *self = upload->lab;
  unlinkat(self->data.assets, upload->part, 0); /* gone already when it got its name */
  close(upload->fd);
  free(upload);
  atomic_fetch_sub(&self->uploads, 1);
}

lab_status lab_upload_end(lab_upload *upload, const char *name, const char *media, lab_asset *asset, bool *created, scr_error *error)
{
  lab *self = upload->lab;
  lab_asset made = {.bytes = upload->bytes, .created_ms = clock_wall_ms()};
  lab_status answer = LAB_FAILED;
  made.used_ms = made.created_ms;
  *created = false;
  sha256_text(&upload->sum, made.digest);
  snprintf(made.name, sizeof made.name, "%.*s", (int)text_cut(name, strlen(name), sizeof made.name - 1), name);
  snprintf(made.media, sizeof made.media, "%.*s", (int)text_cut(media, strlen(media), sizeof made.media - 1), media);
  bool found = false;
  if (upload->bytes == 0) {
    scr_fail(error, SCR_BAD_USAGE, NULL, "the file is empty; an asset has one byte at least");
    answer = LAB_BAD_REQUEST;
  } else if (fchmod(upload->fd, 0400) != 0 || fsync(upload->fd) != 0) {
    answer = fail_write(errno, error);
  } else if (store_asset(self->store, made.digest, asset, &found, error) == SCR_OK &&
             (found || (answer = check_space(self, upload->bytes, error)) == LAB_OK)) {
    answer = LAB_FAILED;
    if (store_put_asset(self->store, &made, place_file, upload, created, error) == SCR_OK &&
        store_asset(self->store, made.digest, asset, &found, error) == SCR_OK) {
      if (!found) *asset = made; /* removed again by somebody else meanwhile */
      answer = fsync(self->data.assets) == 0 ? LAB_OK : fail_write(errno, error);
      if (*created) atomic_fetch_add(&self->asset_bytes, (long long)upload->bytes);
    }
  }
  lab_upload_drop(upload);
  if (answer == LAB_OK && *created)
    log_write(self->config.log, LOG_LEVEL_INFO, "asset_uploaded",
              LOG_FIELDS(log_text("asset", asset->digest), log_text("name", asset->name), log_integer("bytes", (int64_t)asset->bytes)));
  return answer;
}

/* ── looking ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static lab_status fail_missing(const char *digest, scr_error *error)
{
  scr_fail(error, SCR_BAD_USAGE, NULL, "there is no asset %.64s; upload the file: `scree assets upload FILE`", digest);
  return LAB_NOT_FOUND;
}

lab_status lab_asset_get(lab *self, const char *digest, lab_asset *asset, scr_error *error)
{
  bool found;
  if (store_asset(self->store, digest, asset, &found, error) != SCR_OK) return LAB_FAILED;
  return found ? LAB_OK : fail_missing(digest, error);
}

lab_status lab_assets(lab *self, const char *after, lab_asset *assets, size_t capacity, size_t *count, uint64_t *bytes, scr_error *error)
{
  *bytes = lab_asset_bytes(self);
  return store_assets(self->store, after, assets, capacity, count, error) == SCR_OK ? LAB_OK : LAB_FAILED;
}

lab_status lab_asset_jobs(lab *self, const char *digest, int64_t *jobs, size_t capacity, size_t *count, scr_error *error)
{
  return store_asset_jobs(self->store, digest, jobs, capacity, count, error) == SCR_OK ? LAB_OK : LAB_FAILED;
}

lab_status lab_asset_open(lab *self, const char *digest, int *fd, lab_asset *asset, scr_error *error)
{
  lab_status status = lab_asset_get(self, digest, asset, error);
  if (status != LAB_OK) return status;
  *fd = openat(self->data.assets, asset->digest, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (*fd >= 0) return LAB_OK;
  scr_fail_io(error, "open the asset", asset->digest, errno);
  return LAB_FAILED;
}

uint64_t lab_asset_quota(const lab *self)
{
  return self->config.asset_quota;
}

/* ── giving back ──────────────────────────────────────────────────────────────────────────────────────────────── */

/* @param before_ms only one that was not used since */
static scr_status drop(lab *self, const char *digest, int64_t before_ms, const char *why, store_dropped *dropped, scr_error *error)
{
  const lab_asset *asset = &dropped->asset;
  SCR_TRY(store_drop_asset(self->store, digest, before_ms, remove_file, self, dropped, error));
  if (!dropped->gone) return SCR_OK;
  atomic_fetch_sub(&self->asset_bytes, (long long)asset->bytes);
  log_write(self->config.log, LOG_LEVEL_INFO, "asset_removed",
            LOG_FIELDS(log_text("asset", asset->digest), log_text("name", asset->name), log_integer("bytes", (int64_t)asset->bytes),
                       log_text("reason", why)));
  return SCR_OK;
}

lab_status lab_asset_delete(lab *self, const char *digest, scr_error *error)
{
  enum { SHOWN = 10 };
  store_dropped dropped = {0};
  const lab_asset *asset = &dropped.asset;
  int64_t jobs[SHOWN];
  size_t count = 0, used = 0;
  char list[SHOWN * 22] = "";
  if (drop(self, digest, INT64_MAX, "asked for", &dropped, error) != SCR_OK) return LAB_FAILED;
  if (!dropped.found) return fail_missing(digest, error);
  if (dropped.gone) return LAB_OK;
  if (asset->measured_count > 0) {
    scr_fail(error, SCR_BAD_USAGE, NULL, "measured curves were read from this asset: `scree measured list` names them; remove them first");
    return LAB_CONFLICT;
  }
  (void)store_asset_jobs(self->store, digest, jobs, SHOWN, &count, error);
  for (size_t i = 0; i < count; i++) used += (size_t)snprintf(list + used, sizeof list - used, "%s%lld", i ? ", " : "", (long long)jobs[i]);
  scr_fail(error, SCR_BAD_USAGE, NULL, "%zu job%s need%s this asset (%s%s): delete %s first", asset->job_count,
           asset->job_count == 1 ? "" : "s", asset->job_count == 1 ? "s" : "", list, asset->job_count > count ? ", ..." : "",
           asset->job_count == 1 ? "it" : "them");
  return LAB_CONFLICT;
}

void lab_asset_sweep(lab *self)
{
  enum { AT_ONCE = 16 };
  lab_digest digests[AT_ONCE];
  size_t count = 0;
  store_dropped dropped = {0};
  if (!(self->config.asset_days > 0)) return;
  int64_t before = clock_wall_ms() - (int64_t)(self->config.asset_days * 86400e3);
  if (store_unneeded_assets(self->store, before, digests, AT_ONCE, &count, NULL) != SCR_OK) return;
  for (size_t i = 0; i < count; i++)
    (void)drop(self, digests[i].text, before, "no job has needed it for long", &dropped, NULL);
}

/* ── at the start ─────────────────────────────────────────────────────────────────────────────────────────────── */

static void remove_unknown_file(void *user, const char *name)
{
  lab *self = user;
  lab_asset asset = {0};
  bool found = false;
  if (store_asset(self->store, name, &asset, &found, NULL) == SCR_OK && !found) unlinkat(self->data.assets, name, 0);
}

scr_status lab_asset_recover(lab *self, scr_error *error)
{
  int64_t bytes = 0;
  data_each_asset(&self->data, remove_unknown_file, self); /* uploads that were cut off, and what was removed while the power went */
  SCR_TRY(store_asset_bytes(self->store, &bytes, error));
  atomic_store(&self->asset_bytes, bytes);
  return SCR_OK;
}
