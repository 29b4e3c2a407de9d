/* Broken bonds as old recordings hold them: 80 bytes each, behind a header. */
#include "record/table/old_breaks.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "record/table/table.h"

typedef struct old_header {
  uint64_t first; /* how many were recorded before */
  uint32_t count;
  uint32_t reserved; /* 0 */
} old_header;

typedef struct old_break {
  double time; /* s */
  uint64_t step;
  uint32_t a, b, mode, reserved;
  double tension, shear; /* Pa; 0 for mode STRETCH */
  double load;
  double position[3]; /* m */
} old_break;

enum { STRETCH = 2 };

static_assert(sizeof(old_header) == 16, "on-disk layout");
static_assert(sizeof(old_break) == 80 && offsetof(old_break, tension) == 32 && offsetof(old_break, position) == 56, "on-disk layout");

static const scr_column columns[] = {
    {.name = "time", .unit = "s", .label = "Time"},
    {.name = "step", .unit = "1", .label = "Step"},
    {.name = "a", .unit = "1", .label = "One end"},
    {.name = "b", .unit = "1", .label = "Other end"},
    {.name = "mode", .unit = "1", .label = "Mode", .value_count = 3, .values = {"tension", "shear", "stretch"}},
    {.name = "load", .unit = "1", .label = "Load over strength"},
    {.name = "tension", .unit = "Pa", .label = "Tensile stress"},
    {.name = "shear", .unit = "Pa", .label = "Shear stress"},
    {.name = "x", .unit = "m", .label = "Place, x"},
    {.name = "y", .unit = "m", .label = "Place, y"},
    {.name = "z", .unit = "m", .label = "Place, z"},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static bool has_curve(const scr_topology *topology, const char *name)
{
  for (size_t k = 0; k < topology->series_count; k++)
    if (strcmp(topology->series[k].name, name) == 0) return true;
  return false;
}

/* Methods that wrote such records counted them by a curve, whether or not any broke. */
scr_status old_breaks_declare(scr_topology *topology, scr_error *error)
{
  for (size_t k = 0; k < topology->table_count; k++)
    if (strcmp(topology->tables[k].name, "breaks") == 0) return SCR_OK;
  if (!has_curve(topology, "broken_bonds")) return SCR_OK;
  scr_column copied[COLUMNS];
  memcpy(copied, columns, sizeof copied);
  const scr_table about = {
      .name = "breaks", .label = "Broken bonds", .column_count = COLUMNS, .columns = copied, .number = OLD_BREAKS_NUMBER};
  /* The list has room for one more than it holds. */
  SCR_TRY(table_copy(&topology->tables[topology->table_count], &about, error));
  topology->table_count++;
  return SCR_OK;
}

scr_status old_breaks_count(const void *payload, size_t size, size_t *count, scr_error *error)
{
  old_header header;
  if (size < sizeof header)
    return scr_fail(error, SCR_BAD_FILE, NULL, "a record of %zu bytes of broken bonds is shorter than its header", size);
  memcpy(&header, payload, sizeof header);
  if ((size - sizeof header) % sizeof(old_break) != 0 || (size - sizeof header) / sizeof(old_break) != header.count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "a record holds %u broken bonds in %zu bytes", header.count, size);
  *count = header.count;
  return SCR_OK;
}

void old_breaks_rows(const void *payload, size_t count, double *rows)
{
  const unsigned char *at = (const unsigned char *)payload + sizeof(old_header);
  for (size_t k = 0; k < count; k++, at += sizeof(old_break), rows += COLUMNS) {
    old_break b;
    memcpy(&b, at, sizeof b);
    bool stress = b.mode != STRETCH;
    const double row[COLUMNS] = {
        b.time,        (double)b.step, b.a,          b.b, b.mode, b.load, stress ? b.tension : (double)NAN, stress ? b.shear : (double)NAN,
        b.position[0], b.position[1],  b.position[2]};
    memcpy(rows, row, sizeof row);
  }
}
