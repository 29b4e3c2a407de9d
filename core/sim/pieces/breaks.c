/* The table of broken links: its columns, and rows in and out. */
#include "sim/pieces/breaks.h"

#include <math.h>
#include <string.h>

enum { TIME, STEP, END_A, END_B, MODE, LOAD, TENSION, SHEAR, PLACE, COLUMNS = PLACE + 3 };

scr_status breaks_declare(scr_sim *sim, table_log **log, scr_error *error)
{
  scr_column columns[COLUMNS] = {
      [TIME] = {.name = "time", .unit = "s", .label = "Time"},
      [STEP] = {.name = "step", .unit = "1", .label = "Step"},
      [END_A] = {.name = "a", .unit = "1", .label = "One end"},
      [END_B] = {.name = "b", .unit = "1", .label = "Other end"},
      [MODE] = {.name = "mode", .unit = "1", .label = "Mode", .value_count = 3, .values = {"tension", "shear", "stretch"}},
      [LOAD] = {.name = "load", .unit = "1", .label = "Load over strength"},
      [TENSION] = {.name = "tension", .unit = "Pa", .label = "Tensile stress"},
      [SHEAR] = {.name = "shear", .unit = "Pa", .label = "Shear stress"},
      [PLACE] = {.name = "x", .unit = "m", .label = "Place, x"},
      {.name = "y", .unit = "m", .label = "Place, y"},
      {.name = "z", .unit = "m", .label = "Place, z"},
  };
  const scr_table table = {.name = "breaks", .label = "Broken bonds", .column_count = COLUMNS, .columns = columns};
  size_t number = sim->table_count;
  SCR_TRY(scr_sim_declare_table(sim, &table, error));
  *log = &sim->tables[number];
  return scr_sim_announce_table(sim, number, "first_break", "first bonds broke", error);
}

scr_status breaks_add(table_log *log, const break_entry *entry, scr_error *error)
{
  bool stress = entry->mode != BREAK_STRETCH;
  const double row[COLUMNS] = {[TIME] = entry->time,
                               [STEP] = (double)entry->step,
                               [END_A] = entry->a,
                               [END_B] = entry->b,
                               [MODE] = entry->mode,
                               [LOAD] = entry->load,
                               [TENSION] = stress ? entry->tension : (double)NAN,
                               [SHEAR] = stress ? entry->shear : (double)NAN,
                               [PLACE] = entry->position[0],
                               entry->position[1],
                               entry->position[2]};
  return table_log_add(log, row, error);
}

break_entry breaks_entry(const scr_table *table, size_t row)
{
  const double *cells = table->values + row * table->column_count;
  return (break_entry){.time = cells[TIME],
                       .step = (uint64_t)cells[STEP],
                       .a = (uint32_t)cells[END_A],
                       .b = (uint32_t)cells[END_B],
                       .mode = (break_mode)cells[MODE],
                       .load = cells[LOAD],
                       .tension = cells[TENSION],
                       .shear = cells[SHEAR],
                       .position = {cells[PLACE], cells[PLACE + 1], cells[PLACE + 2]}};
}

void breaks_estimate(scr_estimate *estimate, uint64_t count)
{
  estimate->step_rows += count;
  estimate->step_row_bytes += (double)count * COLUMNS * sizeof(double);
}
