/* Looking up files compiled into the program. The table is made by deploy/embed.py, sorted by name, and never changes. */
#include "server/embedded.h"

#include <stdint.h>
#include <string.h>

/* Defined by the generated assembly; the count is a 64-bit word so that the assembly need not know size_t. */
extern const embedded_file embedded_table[];
extern const uint64_t embedded_table_count;

/* Index of the first asset whose name is not below `path`, in byte order. */
static size_t lower_bound(const char *path)
{
  size_t low = 0, high = (size_t)embedded_table_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(embedded_table[middle].path, path) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const embedded_file *embedded_find(const char *path)
{
  size_t index = lower_bound(path);
  if (index == (size_t)embedded_table_count || strcmp(embedded_table[index].path, path) != 0) return NULL;
  return &embedded_table[index];
}

const embedded_file *embedded_under(const char *prefix, size_t *count)
{
  size_t length = strlen(prefix);
  size_t first = lower_bound(prefix), end = first;
  while (end < (size_t)embedded_table_count && strncmp(embedded_table[end].path, prefix, length) == 0) end++;
  *count = end - first;
  return end > first ? &embedded_table[first] : NULL;
}
