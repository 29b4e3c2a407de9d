/* Writing a whole file so that a reader, or a machine that loses power, sees the old content or the new, never a mixture. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static int write_all(int file, const unsigned char *data, size_t size)
{
  while (size > 0) {
    ssize_t written = write(file, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    data += written;
    size -= (size_t)written;
  }
  return 0;
}

/* Makes the rename itself durable. Some filesystems refuse to sync a directory (EINVAL): they need not be told. */
static int sync_directory_of(const char *path)
{
  char directory[PATH_MAX];
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) : 0;
  if (length >= sizeof directory) return ENAMETOOLONG;
  if (slash && length == 0) length = 1; /* a file in the root directory */
  memcpy(directory, slash ? path : ".", slash ? length : 1);
  directory[slash ? length : 1] = '\0';
  int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return errno;
  int failure = fsync(file) != 0 && errno != EINVAL ? errno : 0;
  close(file);
  return failure;
}

/* A new file with the mode that the umask leaves, which mkstemp's is not. @param temporary receives its path [PATH_MAX]. -1 with errno. */
static int create_beside(const char *path, char *temporary)
{
  for (int tries = 0; tries < 100; tries++) {
    unsigned chance = 0;
    if (getrandom(&chance, sizeof chance, 0) < 0) return -1;
    int length = snprintf(temporary, PATH_MAX, "%s.tmp-%06x", path, chance & 0xffffffu);
    if (length < 0 || length >= PATH_MAX) {
      errno = ENAMETOOLONG;
      return -1;
    }
    int file = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

scr_status scr_write_file(const char *path, const void *data, size_t size, scr_error *error)
{
  char temporary[PATH_MAX];
  int file = create_beside(path, temporary);
  if (file < 0) return scr_fail_io(error, "create a file beside", path, errno);
  int failure = write_all(file, data, size);
  if (!failure && fsync(file) != 0) failure = errno;
  if (close(file) != 0 && !failure) failure = errno;
  if (!failure && rename(temporary, path) != 0) failure = errno;
  if (failure) {
    unlink(temporary);
    return scr_fail_io(error, "write", path, failure);
  }
  failure = sync_directory_of(path);
  return failure ? scr_fail_io(error, "sync the directory of", path, failure) : SCR_OK;
}
