/* Looking up files compiled into the program. The table is made by deploy/embed.py, sorted by name, and never changes. */
#include "server/assets.h"

#include <stdint.h>
#include <string.h>

/* Defined by the generated assembly; the count is a 64-bit word so that the assembly need not know size_t. */
extern const scr_asset scr_asset_table[];
extern const uint64_t scr_asset_table_count;

/* Index of the first asset whose name is not below `path`, in byte order. */
static size_t lower_bound(const char *path)
{
  size_t low = 0, high = (size_t)scr_asset_table_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(scr_asset_table[middle].path, path) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const scr_asset *scr_asset_find(const char *path)
{
  size_t index = lower_bound(path);
  if (index == (size_t)scr_asset_table_count || strcmp(scr_asset_table[index].path, path) != 0) return NULL;
  return &scr_asset_table[index];
}

const scr_asset *scr_assets_under(const char *prefix, size_t *count)
{
  size_t length = strlen(prefix);
  size_t first = lower_bound(prefix), end = first;
  while (end < (size_t)scr_asset_table_count && strncmp(scr_asset_table[end].path, prefix, length) == 0) end++;
  *count = end - first;
  return end > first ? &scr_asset_table[first] : NULL;
}
