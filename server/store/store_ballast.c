/* Room for what must be written on a full disk: how attempts ended, what was cancelled and deleted. There is some in the write-ahead log, whose
 * blocks are taken in advance and nobody else's; and there is the ballast, a file that takes up room and is given up when that is not enough.
 * Writing thread only, but for the count of bytes. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "server/clock.h"
#include "server/store/store_internal.h"

/* The log is begun anew when it has 1000 pages: so many blocks are all it ever needs. */
enum { LOOK_AGAIN_MS = 1000, LOG_BYTES = 1000 * 4120 + 65536 };

bool ballast_release(job_store *store)
{
  if (atomic_load(&store->ballast_bytes) == 0) return false;
  bool gone = truncate(store->ballast_path, 0) == 0;
  atomic_store(&store->ballast_bytes, 0);
  store->ballast_at = clock_monotonic_ms() + LOOK_AGAIN_MS;
  return gone;
}

/* posix_fallocate takes the blocks, which zeros would not where holes are left. */
static bool take_blocks(int fd, uint64_t bytes)
{
  struct stat file;
  struct statvfs disk;
  if (fstat(fd, &file) != 0 || fstatvfs(fd, &disk) != 0) return false;
  if ((uint64_t)file.st_size == bytes) return true; /* from an earlier life */
  if ((uint64_t)disk.f_bavail * disk.f_frsize < 2 * bytes) return false;
  bool taken = posix_fallocate(fd, 0, (off_t)bytes) == 0;
  if (!taken) (void)!ftruncate(fd, 0); /* what it got of them is wanted elsewhere */
  return taken;
}

/* Blocks beyond the log's end are no part of the file, so that SQLite knows nothing of them until it writes there. */
static void extend_log(const job_store *store)
{
  struct stat file;
  struct statvfs disk;
  int fd = open(store->log_path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (fstat(fd, &file) == 0 && fstatvfs(fd, &disk) == 0 && (uint64_t)file.st_blocks * 512 < LOG_BYTES &&
      (uint64_t)disk.f_bavail * disk.f_frsize >= 2 * (uint64_t)LOG_BYTES)
    (void)fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, LOG_BYTES); /* where that can't be done there is still the ballast */
  close(fd);
}

void ballast_tend(job_store *store)
{
  int64_t now = clock_monotonic_ms();
  if (store->ballast_wanted == 0 || now < store->ballast_at) return;
  store->ballast_at = now + LOOK_AGAIN_MS;
  extend_log(store);
  if (atomic_load(&store->ballast_bytes) > 0) return;
  int fd = open(store->ballast_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (take_blocks(fd, store->ballast_wanted)) atomic_store(&store->ballast_bytes, store->ballast_wanted);
  close(fd);
}

typedef struct ballast_context {
  job_store *store;
  uint64_t bytes;
} ballast_context;

static scr_status want_ballast(store_connection *writer, void *argument, scr_error *error)
{
  (void)writer;
  (void)error;
  const ballast_context *context = argument;
  context->store->ballast_wanted = context->bytes;
  context->store->ballast_at = 0;
  return SCR_OK;
}

void store_keep_ballast(job_store *store, uint64_t bytes)
{
  ballast_context context = {store, bytes};
  (void)store_write(store, STORE_NORMAL, want_ballast, &context, NULL);
}

uint64_t store_ballast_bytes(const job_store *store)
{
  return atomic_load(&store->ballast_bytes);
}
