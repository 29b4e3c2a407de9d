/* A text is split in each way that machines write, and read in the one that gives the most numbers. */
#include "server/study/measured/measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "server/study/measured/cells.h"

enum { LOOKED_AT = 20000, HEADER_LINES = 6 }; /* lines that a way is chosen by; lines above the table that may name its columns */

/* A way of writing, and the longest table that the text has in it. */
typedef struct table_layout {
  char separator, decimal;
  size_t columns, rows; /* of the longest run */
  size_t first, last;   /* its lines, from 0 */
  double score;         /* numbers less cells of text */
  size_t runs;          /* tables of two rows or more, the longest included */
} table_layout;

typedef struct lines {
  cell *items;
  size_t count;
} lines;

/* ── finding the table ──────────────────────────────────────────────────────────────────────────────────────────── */

/* Cells of a line by kind; 0 for a blank line. */
static size_t count_cells(cell line, const table_layout *layout, size_t *numbers, size_t *others)
{
  cell cells[MEASURED_COLUMNS + 1];
  size_t count = cells_split(line, layout->separator, cells, MEASURED_COLUMNS);
  *numbers = *others = 0;
  if (count > MEASURED_COLUMNS) return 0;
  for (size_t c = 0; c < count; c++) {
    double value;
    cell_kind kind = cells_read(cells[c], layout->decimal, &value, NULL);
    *numbers += kind == CELL_NUMBER;
    *others += kind == CELL_TEXT;
  }
  return count;
}

/* The longest run of lines of one number of cells, two numbers at least in the first, one in all. */
static void find_run(const lines *text, size_t looked_at, table_layout *layout)
{
  table_layout run = {0};
  for (size_t l = 0; l < text->count && l < looked_at; l++) {
    size_t numbers, others, count = count_cells(text->items[l], layout, &numbers, &others);
    if (count == 0) continue;
    if (run.rows == 0 || count != run.columns || numbers == 0) {
      run = (table_layout){0};
      if (numbers < 2) continue;
      run.first = l;
      run.columns = count;
    }
    run.rows++;
    layout->runs += run.rows == 2;
    run.last = l;
    run.score += (double)numbers - (double)others;
    if (run.rows < 2 || run.score <= layout->score) continue;
    layout->columns = run.columns;
    layout->rows = run.rows;
    layout->first = run.first;
    layout->last = run.last;
    layout->score = run.score;
  }
}

static table_layout choose_layout(const lines *text, const measured_reading *reading)
{
  static const char separators[] = {'\t', ';', ',', ' '}, decimals[] = {'.', ','};
  table_layout best = {0};
  for (size_t s = 0; s < sizeof separators; s++) {
    for (size_t d = 0; d < sizeof decimals; d++) {
      table_layout found = {.separator = separators[s], .decimal = decimals[d]};
      if (reading->separator && reading->separator != found.separator) continue;
      if (reading->decimal && reading->decimal != found.decimal) continue;
      find_run(text, LOOKED_AT, &found);
      if (found.score > best.score) best = found;
    }
  }
  if (best.rows < 2) return (table_layout){0};
  table_layout whole = {.separator = best.separator, .decimal = best.decimal};
  find_run(text, text->count, &whole);
  return whole;
}

/* ── names and units ────────────────────────────────────────────────────────────────────────────────────────────── */

static void copy_cell(cell of, char *out, size_t capacity)
{
  size_t length = text_cut(of.text, of.length, capacity - 1);
  memcpy(out, of.text, length);
  out[length] = 0;
}

/* A unit in brackets or alone. */
static bool cell_is_unit(cell of, char written[static MEASURED_UNIT_BYTES])
{
  char unit[MEASURED_UNIT_BYTES];
  double factor;
  if (of.length >= 2 && ((of.text[0] == '(' && of.text[of.length - 1] == ')') || (of.text[0] == '[' && of.text[of.length - 1] == ']'))) {
    of = cells_trim((cell){of.text + 1, of.length - 2, false});
    copy_cell(of, written, MEASURED_UNIT_BYTES);
    return of.length > 0;
  }
  copy_cell(of, written, MEASURED_UNIT_BYTES);
  return of.length > 0 && of.length < MEASURED_UNIT_BYTES && measured_unit(written, unit, &factor);
}

/* Takes the unit off a name: "Force (kN)", "Kraft [N]", "Load, kN", "Force / kN", "Force in kN". */
static cell split_unit(cell name, char written[static MEASURED_UNIT_BYTES])
{
  written[0] = 0;
  char close = name.length ? name.text[name.length - 1] : 0;
  if (close == ')' || close == ']') {
    for (size_t i = name.length - 1; i-- > 1;) {
      if (name.text[i] != (close == ')' ? '(' : '[')) continue;
      cell unit = {name.text + i, name.length - i, false};
      if (cell_is_unit(unit, written)) return cells_trim((cell){name.text, i, false});
    }
    written[0] = 0;
    return name;
  }
  for (size_t i = 1; i + 1 < name.length; i++) {
    bool in = i + 4 < name.length && memcmp(name.text + i, " in ", 4) == 0;
    if (name.text[i] != ',' && name.text[i] != '/' && !in) continue;
    size_t skip = in ? 4 : 1;
    cell unit = cells_trim((cell){name.text + i + skip, name.length - i - skip, false});
    if (cell_is_unit(unit, written)) return cells_trim((cell){name.text, i, false});
  }
  written[0] = 0;
  return name;
}

/* Whether all cells of a line that are not empty are units. */
static bool is_unit_line(const cell *cells, size_t count)
{
  size_t units = 0, filled = 0;
  for (size_t c = 0; c < count; c++) {
    char written[MEASURED_UNIT_BYTES];
    filled += cells[c].length > 0;
    units += cells[c].length > 0 && cell_is_unit(cells[c], written);
  }
  return filled > 0 && units == filled;
}

static size_t text_cells(const cell *cells, size_t count)
{
  size_t texts = 0;
  for (size_t c = 0; c < count; c++) texts += cells[c].length > 0;
  return texts;
}

/* Reads the lines above the table, nearest first, until names are found. */
static void read_header(const lines *text, const table_layout *layout, measured_table *table)
{
  for (size_t l = layout->first, looked = 0; l-- > 0 && looked < HEADER_LINES;) {
    cell cells[MEASURED_COLUMNS + 1];
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where there is a layout there are lines */
    size_t count = cells_split(text->items[l], layout->separator, cells, MEASURED_COLUMNS);
    if (count == 0) continue;
    looked++;
    size_t most = layout->columns + 1; /* names may lack the separator at the end, or have one more */
    if (count > most || count + 1 < layout->columns || 2 * text_cells(cells, count) < layout->columns) continue;
    if (count > layout->columns) count = layout->columns;
    if (!table->unit_line && is_unit_line(cells, count)) {
      table->unit_line = l + 1;
      for (size_t c = 0; c < count; c++) cell_is_unit(cells[c], table->columns[c].written);
      continue;
    }
    table->name_line = l + 1;
    for (size_t c = 0; c < count; c++) {
      char written[MEASURED_UNIT_BYTES];
      cell name = split_unit(cells[c], written);
      copy_cell(name, table->columns[c].name, MEASURED_NAME_BYTES);
      if (!table->columns[c].written[0]) memcpy(table->columns[c].written, written, sizeof written);
    }
    return;
  }
}

static scr_status settle_units(const measured_reading *reading, measured_table *table, scr_error *error)
{
  if (reading->unit_count > table->column_count)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "units of %zu columns are given; the table has %zu", reading->unit_count,
                    table->column_count);
  for (size_t c = 0; c < table->column_count; c++) {
    measured_column *column = &table->columns[c];
    const char *given = c < reading->unit_count && reading->units[c] ? reading->units[c] : "";
    if (given[0]) {
      if (!measured_unit(given, column->unit, &column->factor))
        return scr_fail(error, SCR_BAD_USAGE, NULL, "column %zu: the unit '%.40s' is not known; write it as kN, mm, MPa, s or %%", c + 1,
                        given);
      snprintf(column->written, sizeof column->written, "%s", given);
    } else {
      measured_unit(column->written, column->unit, &column->factor);
    }
    if (!column->name[0]) snprintf(column->name, sizeof column->name, "column %zu", c + 1);
  }
  return SCR_OK;
}

/* ── rows ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status refuse_grouped(cell of, size_t line, size_t column, char decimal, scr_error *error)
{
  return scr_fail(
      error, SCR_BAD_FILE, NULL,
      "line %zu, column %zu: '%.*s' has separators of thousands, or another decimal sign than the other numbers ('%c'): export the "
      "curve without separators of thousands",
      line + 1, column + 1, (int)(of.length < 40 ? of.length : 40), of.text, decimal);
}

static scr_status read_rows(const lines *text, const table_layout *layout, cell_evidence *evidence, measured_table *table, scr_error *error)
{
  size_t row = 0;
  for (size_t l = layout->first; l <= layout->last; l++) {
    cell cells[MEASURED_COLUMNS + 1];
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where there is a layout there are lines */
    size_t count = cells_split(text->items[l], layout->separator, cells, MEASURED_COLUMNS);
    if (count != layout->columns) continue; /* a blank line */
    for (size_t c = 0; c < count; c++) {
      double value = NAN, *to = &table->values[row * count + c];
      cell_kind kind = cells_read(cells[c], layout->decimal, &value, evidence);
      if (kind == CELL_GROUPED) return refuse_grouped(cells[c], l, c, layout->decimal, error);
      *to = kind == CELL_NUMBER ? value * table->columns[c].factor : NAN;
      if (!isfinite(*to)) continue;
      measured_column *column = &table->columns[c];
      column->low = column->count ? fmin(column->low, *to) : *to;
      column->high = column->count ? fmax(column->high, *to) : *to;
      column->count++;
    }
    row++;
  }
  return SCR_OK;
}

static void describe(const table_layout *layout, const char *encoding, measured_table *table)
{
  const char *separator = layout->separator == '\t'  ? "tabs"
                          : layout->separator == ';' ? "semicolons"
                          : layout->separator == ',' ? "commas"
                                                     : "blanks";
  char others[96] = "";
  if (layout->runs > 1) snprintf(others, sizeof others, "; %zu shorter tables in the file are left out", layout->runs - 1);
  snprintf(table->how, sizeof table->how,
           "%s, cells between %s, decimal %s, names of columns in line %zu, units %s, %zu rows from line %zu on%s", encoding, separator,
           layout->decimal == '.' ? "point" : "comma", table->name_line,
           table->unit_line   ? "in a line of their own"
           : table->name_line ? "beside the names"
                              : "not given",
           table->row_count, table->first_line, others);
}

static scr_status read_table(const lines *text, const table_layout *layout, const measured_reading *reading, const char *encoding,
                             measured_table *table, scr_error *error)
{
  if (layout->rows > MEASURED_ROWS || layout->rows * layout->columns > MEASURED_CELLS)
    return scr_fail(error, SCR_BAD_FILE, NULL, "%zu rows of %zu columns: at most %d rows and %d cells are read; export fewer samples",
                    layout->rows, layout->columns, MEASURED_ROWS, MEASURED_CELLS);
  table->column_count = layout->columns;
  table->row_count = layout->rows;
  table->separator = layout->separator;
  table->decimal = layout->decimal;
  table->first_line = layout->first + 1;
  SCR_TRY(mem_allocate(&table->columns, layout->columns, sizeof *table->columns, "columns of a measured curve", error));
  SCR_TRY(mem_allocate(&table->values, layout->rows * layout->columns, sizeof(double), "values of a measured curve", error));
  for (size_t c = 0; c < layout->columns; c++) table->columns[c].low = table->columns[c].high = NAN;
  read_header(text, layout, table);
  SCR_TRY(settle_units(reading, table, error));
  cell_evidence evidence = {0};
  SCR_TRY(read_rows(text, layout, &evidence, table, error));
  bool either = layout->separator == '\t' || layout->separator == ';'; /* a comma between cells separates no thousands */
  if (either && !reading->decimal && evidence.unsure > 0 && evidence.sure == 0)
    return scr_fail(error, SCR_BAD_FILE, NULL,
                    "all %zu numbers with a '%c' have three digits behind it: it may be the decimal sign or separate thousands; say which "
                    "sign is the decimal one",
                    evidence.unsure, layout->decimal);
  describe(layout, encoding, table);
  return SCR_OK;
}

/* ── the whole ──────────────────────────────────────────────────────────────────────────────────────────────────── */

void measured_clear(measured_table *table)
{
  mem_free(table->columns);
  mem_free(table->values);
  memset(table, 0, sizeof *table);
}

static scr_status split_lines(const char *text, size_t length, lines *out, scr_error *error)
{
  size_t capacity = 0;
  const char *at = text;
  cell line;
  while (cells_line(&at, text + length, &line)) {
    if (out->count > 2 * (size_t)MEASURED_ROWS)
      return scr_fail(error, SCR_BAD_FILE, NULL, "more than %d lines: at most %d rows are read", 2 * MEASURED_ROWS, MEASURED_ROWS);
    SCR_TRY(mem_reserve(&out->items, &capacity, out->count + 1, sizeof line, "lines of a measured curve", error));
    out->items[out->count++] = line;
  }
  return SCR_OK;
}

static scr_status check_reading(const measured_reading *reading, size_t size, scr_error *error)
{
  char s = reading->separator, d = reading->decimal;
  if ((s && s != '\t' && s != ';' && s != ',' && s != ' ') || (d && d != '.' && d != ','))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a separator is a tab, ';', ',' or a blank; a decimal sign is '.' or ','");
  if (size > MEASURED_BYTES)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the file has %zu bytes: at most %d are read; export fewer samples", size, MEASURED_BYTES);
  return SCR_OK;
}

scr_status measured_read(const void *text, size_t size, const measured_reading *reading, measured_table *table, scr_error *error)
{
  static const measured_reading find_out = {0};
  char *decoded = NULL;
  const char *encoding = "";
  size_t length = 0;
  lines all = {0};
  memset(table, 0, sizeof *table);
  if (!reading) reading = &find_out;
  SCR_TRY(check_reading(reading, size, error));
  SCR_TRY(cells_decode(text, size, &decoded, &length, &encoding, error));
  scr_status status = split_lines(decoded, length, &all, error);
  if (status == SCR_OK) {
    table_layout found = choose_layout(&all, reading);
    status = found.rows < 2
                 ? scr_fail(error, SCR_BAD_FILE, NULL,
                            "there is no table in the file: two lines or more with as many cells, two of them numbers, between tabs, "
                            "semicolons, commas or blanks")
                 : read_table(&all, &found, reading, encoding, table, error);
  }
  mem_free(all.items);
  free(decoded);
  if (status != SCR_OK) measured_clear(table);
  return status;
}
