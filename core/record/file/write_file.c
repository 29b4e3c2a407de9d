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
#include "record/file/file_writer.h"

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

static scr_status fail(const file_writer *writer, int failure, scr_error *error)
{
  return scr_fail_io(error, "write", writer->path, failure);
}

scr_status file_writer_begin(file_writer *writer, const char *path, scr_error *error)
{
  writer->file = -1;
  if (strlen(path) >= sizeof writer->path) return scr_fail_io(error, "create a file beside", path, ENAMETOOLONG);
  memcpy(writer->path, path, strlen(path) + 1);
  writer->file = create_beside(path, writer->temporary);
  return writer->file < 0 ? scr_fail_io(error, "create a file beside", path, errno) : SCR_OK;
}

scr_status file_writer_write(file_writer *writer, const void *bytes, size_t size, scr_error *error)
{
  int failure = write_all(writer->file, bytes, size);
  return failure ? fail(writer, failure, error) : SCR_OK;
}

scr_status file_writer_rewrite_head(file_writer *writer, const void *bytes, size_t size, scr_error *error)
{
  if (lseek(writer->file, 0, SEEK_SET) < 0) return fail(writer, errno, error);
  return file_writer_write(writer, bytes, size, error);
}

void file_writer_abandon(file_writer *writer)
{
  if (writer->file >= 0) close(writer->file);
  writer->file = -1;
  unlink(writer->temporary);
}

scr_status file_writer_commit(file_writer *writer, scr_error *error)
{
  int failure = fsync(writer->file) != 0 ? errno : 0;
  if (close(writer->file) != 0 && !failure) failure = errno;
  writer->file = -1;
  if (!failure && rename(writer->temporary, writer->path) != 0) failure = errno;
  if (failure) {
    unlink(writer->temporary);
    return fail(writer, failure, error);
  }
  failure = sync_directory_of(writer->path);
  return failure ? scr_fail_io(error, "sync the directory of", writer->path, failure) : SCR_OK;
}

scr_status scr_write_file(const char *path, const void *data, size_t size, scr_error *error)
{
  file_writer writer;
  SCR_TRY(file_writer_begin(&writer, path, error));
  scr_status status = file_writer_write(&writer, data, size, error);
  if (status == SCR_OK) return file_writer_commit(&writer, error);
  file_writer_abandon(&writer);
  return status;
}
