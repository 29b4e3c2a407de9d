/* The data directory: lock, checks at the start, and the directories of jobs. No state but what data_open fills in.
 *
 * Deleting never loses what it should not: a job's directory is first renamed into trash/, then its row is deleted, then the files are
 * removed. After a crash in between, a directory in the trash whose row is still there goes back. */
#include "server/data_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* ── opening ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* mkdir -p */
static int make_path(const char *path)
{
  char part[DATA_PATH_BYTES];
  snprintf(part, sizeof part, "%s", path);
  for (char *slash = part + 1; *slash; slash++) {
    if (*slash != '/') continue;
    *slash = 0;
    if (mkdir(part, 0755) != 0 && errno != EEXIST) return -1;
    *slash = '/';
  }
  return mkdir(part, 0755) != 0 && errno != EEXIST ? -1 : 0;
}

/* SQLite's write-ahead log needs memory shared between processes, which these can't give. */
static const char *network_filesystem(const char *path)
{
  static const struct {
    unsigned long magic;
    const char *name;
  } kinds[] = {{0x6969, "NFS"},        {0x517b, "SMB"},        {0xff534d42, "CIFS"}, {0xfe534d42, "SMB2"},
               {0x0bd00bd0, "Lustre"}, {0x5346414f, "AFS"},    {0x00c36400, "Ceph"}, {0x01021997, "9P"},
               {0x47504653, "GPFS"},   {0x19830326, "BeeGFS"}, {0x73757245, "Coda"}, {0x564c, "NCP"}};
  struct statfs about;
  if (statfs(path, &about) != 0) return NULL;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (((unsigned long)about.f_type & 0xffffffffUL) == kinds[i].magic) return kinds[i].name;
  return NULL;
}

static scr_status refuse_second(int lock, const char *path, scr_error *error)
{
  char holder[32] = "";
  ssize_t size = pread(lock, holder, sizeof holder - 1, 0);
  long pid = size > 0 ? strtol(holder, NULL, 10) : 0;
  char who[48] = "another screed";
  if (pid > 0) snprintf(who, sizeof who, "another screed (process %ld)", pid);
  return scr_fail(error, SCR_BUSY, NULL, "the data directory %s is in use by %s; stop that one, or choose another data directory", path,
                  who);
}

static scr_status take_lock(data_directory *data, scr_error *error)
{
  char path[DATA_PATH_BYTES + 16], pid[32];
  snprintf(path, sizeof path, "%s/lock", data->path);
  data->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (data->lock < 0) return scr_fail_io(error, "write to the data directory: open", path, errno);
  if (flock(data->lock, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return refuse_second(data->lock, data->path, error);
    return scr_fail_io(error, "lock", path, errno);
  }
  int length = snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
  if (ftruncate(data->lock, 0) != 0 || pwrite(data->lock, pid, (size_t)length, 0) != length)
    return scr_fail_io(error, "write", path, errno);
  return SCR_OK;
}

static scr_status open_folder(const data_directory *data, const char *name, int *fd, scr_error *error)
{
  char path[DATA_PATH_BYTES + 16];
  snprintf(path, sizeof path, "%s/%s", data->path, name);
  if (mkdir(path, 0755) != 0 && errno != EEXIST) return scr_fail_io(error, "create", path, errno);
  *fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return *fd >= 0 ? SCR_OK : scr_fail_io(error, "open", path, errno);
}

scr_status data_open(data_directory *data, const char *path, bool allow_network_filesystem, scr_error *error)
{
  *data = (data_directory){.lock = -1, .jobs = -1, .trash = -1, .assets = -1};
  char resolved[PATH_MAX];
  if (!path || !*path || strlen(path) >= sizeof data->path)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the data directory's path must have 1 to %d bytes", DATA_PATH_BYTES - 1);
  if (make_path(path) != 0) return scr_fail_io(error, "create the data directory", path, errno);
  struct stat about;
  if (stat(path, &about) != 0) return scr_fail_io(error, "look at the data directory", path, errno);
  if (!S_ISDIR(about.st_mode))
    return scr_fail(error, SCR_IO, NULL, "the data directory %s is not a directory; choose another, or move it away", path);
  if (!realpath(path, resolved)) return scr_fail_io(error, "find the data directory", path, errno);
  if (strlen(resolved) >= sizeof data->path)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the data directory's path must have at most %d bytes", DATA_PATH_BYTES - 1);
  snprintf(data->path, sizeof data->path, "%.*s", DATA_PATH_BYTES - 1, resolved);
  /* Whatever it was before: what jobs record is its owner's alone. One of somebody else's is left as it is. */
  if (about.st_uid == geteuid() && (about.st_mode & 077) != 0 && chmod(resolved, 0700) != 0)
    return scr_fail_io(error, "restrict the data directory", resolved, errno);
  const char *network = network_filesystem(resolved);
  if (network && !allow_network_filesystem)
    return scr_fail(
        error, SCR_BAD_USAGE, NULL,
        "the data directory %s is on a network filesystem (%s), where the store could be damaged; choose a local directory, or allow it "
        "explicitly",
        data->path, network);
  scr_status status = take_lock(data, error);
  if (status == SCR_OK) status = open_folder(data, "jobs", &data->jobs, error);
  if (status == SCR_OK) status = open_folder(data, "trash", &data->trash, error);
  if (status == SCR_OK) status = open_folder(data, "assets", &data->assets, error);
  snprintf(data->assets_path, sizeof data->assets_path, "%s/assets", data->path);
  if (status != SCR_OK) data_close(data);
  return status;
}

void data_close(data_directory *data)
{
  if (data->assets >= 0) close(data->assets);
  if (data->trash >= 0) close(data->trash);
  if (data->jobs >= 0) close(data->jobs);
  if (data->lock >= 0) close(data->lock); /* gives the lock back */
  data->lock = data->jobs = data->trash = data->assets = -1;
}

uint64_t data_free_bytes(const data_directory *data)
{
  struct statvfs about;
  return fstatvfs(data->jobs, &about) == 0 ? (uint64_t)about.f_bavail * about.f_frsize : 0;
}

/* ── directories of jobs ──────────────────────────────────────────────────────────────────────────────────────── */

static void job_name(int64_t id, char name[24])
{
  snprintf(name, 24, "%lld", (long long)id);
}

bool data_job_path(const data_directory *data, int64_t id, const char *file, char *path, size_t capacity)
{
  int length = snprintf(path, capacity, "%s/jobs/%lld%s%s", data->path, (long long)id, file ? "/" : "", file ? file : "");
  return length > 0 && (size_t)length < capacity;
}

enum { TRASH_DEPTH = 10 }; /* of what is removed: what a driver's compiler leaves of a worker that was killed lies deepest */

static void remove_tree(int parent, const char *name, int depth);

/* Removes all that is in the directory `name` below `parent`. */
static void empty_directory(int parent, const char *name, int depth)
{
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
  if (!folder) {
    if (fd >= 0) close(fd);
    return;
  }
  // cppcheck-suppress readdirCalled; the stream is this call's own
  for (struct dirent *entry; (entry = readdir(folder));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) remove_tree(fd, entry->d_name, depth);
  closedir(folder);
}

/* Removes `name` below `parent` with all in it, never following links. `depth` bounds the recursion: nothing of ours is deeper. */
static void remove_tree(int parent, const char *name, int depth)
{
  if (unlinkat(parent, name, 0) == 0 || (errno != EISDIR && errno != EPERM) || depth == 0) return;
  empty_directory(parent, name, depth - 1);
  unlinkat(parent, name, AT_REMOVEDIR);
}

scr_status data_job_create(const data_directory *data, int64_t id, const char *scene, scr_error *error)
{
  char name[24], path[DATA_PATH_BYTES + 64];
  job_name(id, name);
  if (!data_job_path(data, id, "scene.json", path, sizeof path))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "the path of job %s does not fit into %zu bytes", name, sizeof path);
  if (mkdirat(data->jobs, name, 0755) != 0 && errno != EEXIST) return scr_fail_io(error, "create the directory of", path, errno);
  return scr_write_file(path, scene, strlen(scene), error);
}

bool data_job_exists(const data_directory *data, int64_t id)
{
  char path[64];
  snprintf(path, sizeof path, "%lld/scene.json", (long long)id);
  return faccessat(data->jobs, path, F_OK, 0) == 0;
}

uint64_t data_job_bytes(const data_directory *data, int64_t id)
{
  char name[24];
  uint64_t bytes = 0;
  job_name(id, name);
  int fd = openat(data->jobs, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
  if (!folder) {
    if (fd >= 0) close(fd);
    return 0;
  }
  // cppcheck-suppress readdirCalled; the stream is this call's own
  for (const struct dirent *entry; (entry = readdir(folder));) {
    struct stat about;
    if (fstatat(fd, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode)) bytes += (uint64_t)about.st_blocks * 512;
  }
  closedir(folder);
  return bytes;
}

/* Both directories are synced: a row whose deletion is on the disk must not find its files back in place. */
scr_status data_job_to_trash(const data_directory *data, int64_t id, scr_error *error)
{
  char name[24];
  job_name(id, name);
  if (renameat(data->jobs, name, data->trash, name) != 0)
    return errno == ENOENT ? SCR_OK : scr_fail_io(error, "move to the trash the files of job", name, errno);
  if (fsync(data->trash) == 0 && fsync(data->jobs) == 0) return SCR_OK;
  return scr_fail_io(error, "move to the trash the files of job", name, errno);
}

bool data_in_trash(const data_directory *data, int64_t id)
{
  char name[24];
  job_name(id, name);
  return faccessat(data->trash, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

void data_job_from_trash(const data_directory *data, int64_t id)
{
  char name[24];
  job_name(id, name);
  renameat(data->trash, name, data->jobs, name);
}

void data_trash_empty(const data_directory *data, int64_t id)
{
  char scene[64], name[24];
  job_name(id, name);
  snprintf(scene, sizeof scene, "%s/scene.json", name);
  unlinkat(data->trash, scene, 0);
  empty_directory(data->trash, name, TRASH_DEPTH); /* the directory stays and says that the row is to go, should it outlive this */
}

void data_trash_remove(const data_directory *data, int64_t id)
{
  char name[24];
  job_name(id, name);
  remove_tree(data->trash, name, TRASH_DEPTH);
}

void data_each(const data_directory *data, bool in_trash, void (*visit)(void *user, int64_t id, data_content content), void *user)
{
  int parent = in_trash ? data->trash : data->jobs;
  int fd = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
  if (!folder) {
    if (fd >= 0) close(fd);
    return;
  }
  // cppcheck-suppress readdirCalled; the stream is this call's own
  for (struct dirent *entry; (entry = readdir(folder));) {
    char *end;
    char path[300], canonical[24];
    long long id = strtoll(entry->d_name, &end, 10);
    job_name(id, canonical);
    if (id <= 0 || id > DATA_JOB_MOST || strcmp(canonical, entry->d_name) != 0) continue; /* not one of ours: left alone */
    struct stat about;
    if (fstatat(parent, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(about.st_mode)) continue;
    data_content content;
    snprintf(path, sizeof path, "%s/recording.scree", entry->d_name);
    content.recording = faccessat(parent, path, F_OK, 0) == 0;
    snprintf(path, sizeof path, "%s/scene.json", entry->d_name);
    content.scene = faccessat(parent, path, F_OK, 0) == 0;
    visit(user, id, content);
  }
  closedir(folder);
}

void data_each_asset(const data_directory *data, void (*visit)(void *user, const char *name), void *user)
{
  int fd = openat(data->assets, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
  if (!folder) {
    if (fd >= 0) close(fd);
    return;
  }
  // cppcheck-suppress readdirCalled; the stream is this call's own
  for (const struct dirent *entry; (entry = readdir(folder));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) visit(user, entry->d_name);
  closedir(folder);
}
