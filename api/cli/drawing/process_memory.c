#include "api/cli/drawing/process_memory.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The group of a process: the third number behind its name, which is in brackets and may hold anything. -1: gone */
static long group_of(const char *pid)
{
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  FILE *file = fopen(path, "r");
  if (!file) return -1;
  size_t size = fread(line, 1, sizeof line - 1, file);
  fclose(file);
  line[size] = '\0';
  char *next = strrchr(line, ')'); /* behind the program's name: " S PARENT GROUP" */
  if (!next || strlen(next) < 4) return -1;
  next += 3;
  (void)strtol(next, &next, 10);
  const char *digits = next;
  long group = strtol(digits, &next, 10);
  return next > digits ? group : -1;
}

static size_t private_pages(const char *pid)
{
  char path[64], line[128];
  snprintf(path, sizeof path, "/proc/%.20s/statm", pid);
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  size_t size = fread(line, 1, sizeof line - 1, file);
  fclose(file);
  line[size] = '\0';
  char *next = line; /* "TOTAL RESIDENT SHARED ..." */
  (void)strtoul(next, &next, 10);
  unsigned long resident = strtoul(next, &next, 10), shared = strtoul(next, &next, 10);
  return resident > shared ? resident - shared : 0;
}

size_t process_group_memory(pid_t group)
{
  DIR *folder = opendir("/proc");
  if (!folder) return 0;
  size_t pages = 0;
  // cppcheck-suppress readdirCalled; the stream is this call's own
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && group_of(entry->d_name) == (long)group) pages += private_pages(entry->d_name);
  closedir(folder);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}
