/* Room for what must be written on a full disk: how attempts ended, what was cancelled and deleted. There is some in the write-ahead log,
 * whose blocks are taken in advance and nobody else's; and there is the reserve's file, a file that takes up room and is given up when that
 * is not enough. Writing thread only, but for the count of bytes. */
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

bool reserve_release(job_store *store)
{
  if (atomic_load(&store->reserve_bytes) == 0) return false;
  bool gone = truncate(store->reserve_path, 0) == 0;
  atomic_store(&store->reserve_bytes, 0);
  store->reserve_at = clock_monotonic_ms() + LOOK_AGAIN_MS;
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
    (void)fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, LOG_BYTES); /* where that can't be done there is still the reserve's file */
  close(fd);
}

void reserve_renew(job_store *store)
{
  int64_t now = clock_monotonic_ms();
  if (store->reserve_wanted == 0 || now < store->reserve_at) return;
  store->reserve_at = now + LOOK_AGAIN_MS;
  extend_log(store);
  if (atomic_load(&store->reserve_bytes) > 0) return;
  int fd = open(store->reserve_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (take_blocks(fd, store->reserve_wanted)) atomic_store(&store->reserve_bytes, store->reserve_wanted);
  close(fd);
}

uint64_t store_reserve_bytes(const job_store *store)
{
  return atomic_load(&store->reserve_bytes);
}
