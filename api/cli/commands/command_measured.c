/* `scree measured`: what a testing machine wrote, as Scree reads it, and two of
 * its columns as a curve in SI units. */
#include <stdlib.h>
#include <string.h>

#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "scree.h"
#include "server/study/measured/measured.h"

/* A whole file; NULL, and why was said. */
static char *read_whole(const cli_call *call, size_t *size, cli_exit *code)
{
  FILE *file = fopen(call->words[0], "rb");
  char *bytes = file ? malloc((size_t)MEASURED_BYTES + 1) : NULL;
  *size = bytes ? fread(bytes, 1, (size_t)MEASURED_BYTES + 1, file) : 0;
  if (!file || ferror(file)) {
    *code = console_fail(call, CLI_BAD_USAGE, "the file %.200s can't be read", call->words[0]);
    free(bytes);
    bytes = NULL;
  } else if (!bytes) {
    *code = console_fail(call, CLI_FAILED, "no memory for a file");
  }
  if (file) fclose(file);
  return bytes;
}

static json_t *table_json(const measured_table *table)
{
  json_t *columns = json_array();
  for (size_t c = 0; c < table->column_count; c++) {
    const measured_column *of = &table->columns[c];
    json_t *column = json_pack("{s:s, s:s, s:s, s:f, s:I}", "name", of->name, "written", of->written, "unit", of->unit, "factor",
                               of->factor, "count", (json_int_t)of->count);
    if (of->count) json_object_update_new(column, json_pack("{s:f, s:f}", "low", of->low, "high", of->high));
    json_array_append_new(columns, column);
  }
  return json_pack("{s:s, s:I, s:o}", "how", table->how, "rows", (json_int_t)table->row_count, "columns", columns);
}

static cli_exit show(const cli_call *call, const measured_table *table)
{
  if (call->json) return console_json(table_json(table), CLI_DONE);
  printf("%s\n\n%6s  %-32s %-10s %8s  %s\n", table->how, "column", "name", "unit", "numbers", "from ... to");
  for (size_t c = 0; c < table->column_count; c++) {
    const measured_column *of = &table->columns[c];
    const char *unit = of->unit[0] ? of->unit : of->written[0] ? of->written : "?";
    printf("%6zu  %-32s %-10s %8zu  %.6g ... %.6g\n", c + 1, of->name, unit, of->count, of->low, of->high);
  }
  return console_flush(CLI_DONE);
}

static cli_exit write_curve(const cli_call *call, const measured_table *table)
{
  char message[256];
  long long x = 1, y = 2, most = (long long)table->column_count;
  measured_choice choice = {0};
  if (!cli_whole(call, "x", 1, most, &x, message, sizeof message) || !cli_whole(call, "y", 1, most, &y, message, sizeof message) ||
      !cli_number(call, "x-factor", -1e12, 1e12, &choice.x_factor, message, sizeof message) ||
      !cli_number(call, "y-factor", -1e12, 1e12, &choice.y_factor, message, sizeof message) ||
      !cli_number(call, "x-zero", -1e12, 1e12, &choice.x_zero, message, sizeof message) ||
      !cli_number(call, "y-zero", -1e12, 1e12, &choice.y_zero, message, sizeof message) ||
      !cli_number(call, "preload", 0, 1e12, &choice.preload, message, sizeof message) ||
      !cli_number(call, "compliance", 0, 1, &choice.compliance, message, sizeof message))
    return console_fail(call, CLI_BAD_USAGE, "%s", message);
  choice.x = (size_t)x - 1;
  choice.y = (size_t)y - 1;
  measured_curve curve;
  scr_error error = {0};
  if (measured_take(table, &choice, &curve, &error) != SCR_OK) return console_fail(call, CLI_BAD_USAGE, "%s", error.message);
  printf("%s [%s],%s [%s]\n", table->columns[choice.x].name, curve.x_unit, table->columns[choice.y].name, curve.y_unit);
  for (size_t i = 0; i < curve.count; i++) printf("%.17g,%.17g\n", curve.x[i], curve.y[i]);
  measured_curve_clear(&curve);
  return console_flush(CLI_DONE);
}

static cli_exit measured(const cli_call *call)
{
  cli_exit code = CLI_DONE;
  size_t size;
  const char *decimal = cli_text(call, "decimal");
  measured_reading reading = {.decimal = decimal ? decimal[0] : 0};
  measured_table table;
  scr_error error = {0};
  char *bytes = read_whole(call, &size, &code);
  if (!bytes) return code;
  if (measured_read(bytes, size, &reading, &table, &error) != SCR_OK) {
    code = console_fail(call, CLI_BAD_USAGE, "%.200s: %s", call->words[0], error.message);
  } else {
    code = cli_given(call, "y") ? write_curve(call, &table) : show(call, &table);
    measured_clear(&table);
  }
  free(bytes);
  return code;
}

const cli_command command_measured = {
    .name = "measured",
    .words = "FILE",
    .least = 1,
    .most = 1,
    .summary = "read what a testing machine wrote, as curves in SI units",
    .description = "Without --y: how the file was read, and its columns with unit and "
                   "range. With --y: columns x and y as CSV in SI units.\n"
                   "Separators, decimal sign, encoding, header and units are found from "
                   "the file; a number that can be read in two ways is\n"
                   "refused. Corrections apply in this order: factor, zero, preload "
                   "(samples before the first with that y are left out and x\n"
                   "counts from there), compliance of the machine. Needs no server.",
    .options = {{"x", 'x', "N", "column of x, from 1; default: 1"},
                {"y", 'y', "N", "column of y: write the curve"},
                {"decimal", 0, "SIGN", "decimal sign where the file leaves it open: . or ,"},
                {"x-factor", 0, "F", "factor of x, -1 to turn it round"},
                {"y-factor", 0, "F", "factor of y"},
                {"x-zero", 0, "X", "what x shows at zero, in SI"},
                {"y-zero", 0, "Y", "what y shows at zero, in SI"},
                {"preload", 0, "Y", "y where the test begins, in SI"},
                {"compliance", 0, "C", "of the machine, m/N"}},
    .examples = {{"measured press.csv", "its columns"},
                 {"measured press.csv -x 2 -y 3 --compliance 2e-9 > curve.csv", "a curve, corrected"}},
    .run = measured,
};
