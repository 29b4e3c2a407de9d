/* `scree measured`: what a testing machine wrote, as Scree reads it, and two of its columns as a curve in SI units; such curves kept by a
 * server. */
#include <stdlib.h>
#include <string.h>

#include "api/cli/commands/commands.h"
#include "api/cli/commands/server/measured_kept.h"
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

static cli_exit read_corrections(const cli_call *call, measured_choice *choice)
{
  char message[256];
  if (!cli_number(call, "x-factor", -1e12, 1e12, &choice->x_factor, message, sizeof message) ||
      !cli_number(call, "y-factor", -1e12, 1e12, &choice->y_factor, message, sizeof message) ||
      !cli_number(call, "x-zero", -1e12, 1e12, &choice->x_zero, message, sizeof message) ||
      !cli_number(call, "y-zero", -1e12, 1e12, &choice->y_zero, message, sizeof message) ||
      !cli_number(call, "preload", 0, 1e12, &choice->preload, message, sizeof message) ||
      !cli_number(call, "compliance", 0, 1, &choice->compliance, message, sizeof message))
    return console_fail(call, CLI_BAD_USAGE, "%s", message);
  return CLI_DONE;
}

static cli_exit write_curve(const cli_call *call, const measured_table *table, measured_choice choice)
{
  char message[256];
  long long x = 1, y = 2, most = (long long)table->column_count;
  if (!cli_whole(call, "x", 1, most, &x, message, sizeof message) || !cli_whole(call, "y", 1, most, &y, message, sizeof message))
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

/* "mm,kN" as a list; cuts `text`. */
static size_t split_units(char *text, const char **units)
{
  size_t count = 0;
  while (text && count < MEASURED_COLUMNS) {
    units[count++] = text;
    text = strchr(text, ',');
    if (text) *text++ = '\0';
  }
  return count;
}

static cli_exit read_file(const cli_call *call, const measured_choice *corrections)
{
  cli_exit code = CLI_DONE;
  size_t size;
  const char *decimal = cli_text(call, "decimal"), *units[MEASURED_COLUMNS];
  char *given = cli_text(call, "units") ? strdup(cli_text(call, "units")) : NULL;
  measured_reading reading = {.decimal = decimal ? decimal[0] : 0, .units = units, .unit_count = split_units(given, units)};
  measured_table table;
  scr_error error = {0};
  char *bytes = read_whole(call, &size, &code);
  if (bytes && measured_read(bytes, size, &reading, &table, &error) != SCR_OK) {
    code = console_fail(call, CLI_BAD_USAGE, "%.200s: %s", call->words[0], error.message);
  } else if (bytes) {
    code = cli_given(call, "y") ? write_curve(call, &table, *corrections) : show(call, &table);
    measured_clear(&table);
  }
  free(bytes);
  free(given);
  return code;
}

static cli_exit measured(const cli_call *call)
{
  measured_choice corrections = {0};
  cli_exit code = read_corrections(call, &corrections);
  if (code != CLI_DONE) return code;
  if (measured_kept_is(call)) return measured_kept(call, &corrections);
  if (call->word_count != 1)
    return console_fail(call, CLI_BAD_USAGE, "unknown action '%.60s': give one FILE, or add, list, show or remove", call->words[0]);
  return read_file(call, &corrections);
}

const cli_command command_measured = {
    .name = "measured",
    .words = "FILE | add NAME FILE.. | list | show NAME | remove NAME..",
    .least = 1,
    .most = CLI_WORD_LIMIT,
    .needs_server = true,
    .summary = "read what a testing machine wrote, and keep curves in SI units",
    .description =
        "FILE without --y: how the file was read, and its columns with unit and range; with --y: columns x and y as CSV in SI units.\n"
        "Neither needs a server. add uploads files, one for each specimen of a test, and has the server keep two columns of them;\n"
        "without -x and -y two that look like a curve. show prints their mean as CSV. A calibration's target names such curves.\n"
        "Separators, decimal sign, encoding, header and units are found from the file; a number that can be read in two ways is\n"
        "refused. Corrections apply in this order: factor, zero, preload (samples before the first with that y are left out and x\n"
        "counts from there), compliance of the machine.",
    .options = {{"x", 'x', "N", "column of x, from 1; default: 1. Of add: a number or a name"},
                {"y", 'y', "N", "column of y. Of FILE: write the curve"},
                {"decimal", 0, "SIGN", "decimal sign where the file leaves it open: . or ,"},
                {"units", 0, "LIST", "units of the columns with commas between, such as mm,kN; empty ones as in the file"},
                {"x-factor", 0, "F", "factor of x; -1 reverses it"},
                {"y-factor", 0, "F", "factor of y"},
                {"x-zero", 0, "X", "what x shows at zero, in SI"},
                {"y-zero", 0, "Y", "what y shows at zero, in SI"},
                {"preload", 0, "Y", "y where the test begins, in SI"},
                {"compliance", 0, "C", "of the machine, m/N"},
                {"scatter", 0, "S", "of add: standard deviation of y of one specimen, in SI"},
                {"title", 0, "TEXT", "of add: title"}},
    .examples = {{"measured press.csv", "its columns"},
                 {"measured press.csv -x 2 -y 3 --compliance 2e-9 > curve.csv", "a curve, corrected"},
                 {"measured add bend a1.csv a2.csv a3.csv", "keep curves of three specimens"},
                 {"measured show bend > bend.csv", "their mean and deviation"}},
    .run = measured,
};
