/* `scree export`: files for other programs, made from a recording. */
#include <errno.h>
#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/cli/commands/commands.h"
#include "api/cli/console.h"
#include "api/cli/folder.h"
#include "api/cli/recording_source.h"
#include "scree.h"

/* Numbers from the options of an SVG. */
typedef struct plot_choice {
  long long plot, average;
  const char *x, *y;
} plot_choice;

static scr_status make_svg(scr_recording *recording, const plot_choice *choice, char **text, size_t *length, scr_error *error)
{
  if (!choice->y) return scr_recording_plot_svg(recording, (size_t)choice->plot, text, length, error);
  scr_curves *curves = NULL;
  scr_status status = scr_curves_read(recording, 0, &curves, error);
  const scr_curve_plot plot = {
      .title = "", .x = choice->x ? choice->x : "time", .y = choice->y, .scale = 1, .average = (unsigned)choice->average};
  if (status == SCR_OK) status = scr_curves_svg(curves, &plot, text, length, error);
  scr_curves_destroy(curves);
  return status;
}

static scr_status make_csv(scr_recording *recording, char **text, size_t *length, scr_error *error)
{
  scr_curves *curves = NULL;
  scr_status status = scr_curves_read(recording, 0, &curves, error);
  if (status == SCR_OK) status = scr_curves_csv(curves, text, length, error);
  scr_curves_destroy(curves);
  return status;
}

/* A table as the option --as says. */
static scr_status make_table(scr_recording *recording, const char *name, const char *as, char **text, size_t *length, scr_error *error)
{
  if (as && strcmp(as, "svg") == 0) return scr_table_svg(recording, name, text, length, error);
  scr_table *table = NULL;
  scr_status status = scr_table_read(recording, name, 0, &table, error);
  if (status == SCR_OK && as && strcmp(as, "json") == 0)
    status = scr_table_json(table, SCR_TABLE_WHOLE, text, length, error);
  else if (status == SCR_OK)
    status = scr_table_csv(table, SCR_TABLE_WHOLE, text, length, error);
  scr_table_destroy(table);
  return status;
}

/* Which tables there are. */
static cli_exit list_tables(const cli_call *call, scr_recording *recording)
{
  scr_table *tables = NULL;
  size_t count = 0, length = 0;
  char *text = NULL;
  scr_error error = {0};
  scr_status status = scr_tables_list(recording, &tables, &count, &error);
  if (status == SCR_OK && call->json) status = scr_tables_json(tables, count, &text, &length, &error);
  cli_exit code = CLI_DONE;
  if (status != SCR_OK)
    code = console_fail(call, CLI_FAILED, "%s", error.message);
  else if (call->json)
    code = console_json(json_loadb(text, length, 0, NULL), CLI_DONE);
  for (size_t k = 0; status == SCR_OK && !call->json && k < count; k++)
    printf("%-20s %8zu rows  %s\n", tables[k].name, tables[k].row_count, tables[k].label);
  scr_free(text);
  scr_tables_destroy(tables, count);
  return code == CLI_DONE ? console_flush(CLI_DONE) : code;
}

/* A text to stdout, or to a file with -o. With --json: where it went, or the text itself. */
static cli_exit deliver(const cli_call *call, const char *format, const char *text, size_t length)
{
  const char *path = cli_text(call, "output");
  scr_error error = {0};
  if (path && scr_write_file(path, text, length, &error) != SCR_OK) return console_fail(call, CLI_FAILED, "%s", error.message);
  if (call->json)
    return console_json(path ? json_pack("{s:s, s:s, s:I}", "format", format, "file", path, "bytes", (json_int_t)length)
                             : json_pack("{s:s, s:s}", "format", format, "text", text),
                        CLI_DONE);
  if (path)
    console_say(call, "%s", path);
  else
    fwrite(text, 1, length, stdout);
  return console_flush(CLI_DONE);
}

static cli_exit export_vtkhdf(const cli_call *call, scr_recording *recording)
{
  const char *directory = cli_text(call, "output");
  if (!directory) return console_fail(call, CLI_BAD_USAGE, "--vtkhdf writes one file per frame: say where with -o DIR");
  cli_exit code = folder_make(call, directory);
  if (code != CLI_DONE) return code;
  size_t count = 0;
  scr_error error = {0};
  if (scr_export_vtkhdf(recording, directory, "frames", &count, &error) != SCR_OK)
    return console_fail(call, CLI_FAILED, "%s", error.message);
  if (call->json)
    return console_json(json_pack("{s:s, s:s, s:o, s:I}", "format", "vtkhdf", "directory", directory, "series",
                                  json_sprintf("%s/frames.vtkhdf.series", directory), "frames", (json_int_t)count),
                        CLI_DONE);
  printf("%s/frames.vtkhdf.series: %zu frames\n", directory, count);
  return console_flush(CLI_DONE);
}

/* What a surface's file holds, for programs or people. */
static cli_exit report_surface(const cli_call *call, const char *format, const char *path, size_t bytes, const scr_surface_summary *made)
{
  if (call->json)
    return console_json(json_pack("{s:s, s:s, s:I, s:I, s:f, s:I, s:I, s:I}", "format", format, "file", path, "bytes", (json_int_t)bytes,
                                  "frame", (json_int_t)made->frame, "time", made->time, "surfaces", (json_int_t)made->surface_count,
                                  "obstacles", (json_int_t)made->obstacle_count, "triangles", (json_int_t)made->triangle_count),
                        CLI_DONE);
  char obstacles[48] = "";
  if (made->obstacle_count)
    snprintf(obstacles, sizeof obstacles, "%zu %s, ", made->obstacle_count, made->obstacle_count == 1 ? "obstacle" : "obstacles");
  console_say(call, "%s: frame %llu, %zu %s, %s%zu triangles", path, (unsigned long long)made->frame, made->surface_count,
              made->surface_count == 1 ? "surface" : "surfaces", obstacles, made->triangle_count);
  return console_flush(CLI_DONE);
}

static cli_exit export_surface(const cli_call *call, scr_recording *recording)
{
  bool stl = cli_given(call, "stl");
  const char *path = cli_text(call, "output"), *format = stl ? "stl" : "ply";
  char message[256], *bytes = NULL;
  size_t length = 0;
  long long frame = -1;
  scr_surface_options options = {.format = stl ? SCR_SURFACE_STL : SCR_SURFACE_PLY, .with_obstacles = cli_given(call, "with-obstacles")};
  scr_surface_summary made;
  scr_error error = {0};
  if (!cli_whole(call, "frame", 0, INT32_MAX, &frame, message, sizeof message) ||
      !cli_number(call, "cell", DBL_MIN, 1e9, &options.cell, message, sizeof message))
    return console_fail(call, CLI_BAD_USAGE, "%s", message);
  if (call->json && !path) return console_fail(call, CLI_BAD_USAGE, "--json tells about the file: say where to write it with -o PATH");
  options.frame = frame;
  scr_status status = scr_export_surface(recording, &options, &bytes, &length, &made, &error);
  if (status == SCR_OK && path) status = scr_write_file(path, bytes, length, &error);
  cli_exit code;
  if (status != SCR_OK)
    code = console_fail(call, status == SCR_BAD_USAGE ? CLI_BAD_USAGE : CLI_FAILED, "%s", error.message);
  else if (path)
    code = report_surface(call, format, path, length, &made);
  else {
    fwrite(bytes, 1, length, stdout);
    code = console_flush(CLI_DONE);
  }
  scr_free(bytes);
  return code;
}

static cli_exit export_from(const cli_call *call, scr_recording *recording, const plot_choice *choice)
{
  if (cli_given(call, "vtkhdf")) return export_vtkhdf(call, recording);
  if (cli_given(call, "stl") || cli_given(call, "ply")) return export_surface(call, recording);
  if (cli_given(call, "tables")) return list_tables(call, recording);
  const char *table = cli_text(call, "table"), *format = table ? table : cli_given(call, "csv") ? "csv" : "svg";
  char *text = NULL;
  size_t length = 0;
  scr_error error = {0};
  scr_status status = table                    ? make_table(recording, table, cli_text(call, "as"), &text, &length, &error)
                      : cli_given(call, "csv") ? make_csv(recording, &text, &length, &error)
                                               : make_svg(recording, choice, &text, &length, &error);
  cli_exit code = status == SCR_OK ? deliver(call, format, text, length) : console_fail(call, CLI_FAILED, "%s", error.message);
  scr_free(text);
  return code;
}

static cli_exit run(const cli_call *call)
{
  plot_choice choice = {.average = 1, .x = cli_text(call, "x"), .y = cli_text(call, "y")};
  char message[256];
  int surfaces = cli_given(call, "stl") + cli_given(call, "ply");
  int formats = cli_given(call, "csv") + cli_given(call, "tables") + cli_given(call, "table") + cli_given(call, "svg") +
                cli_given(call, "vtkhdf") + surfaces;
  const char *as = cli_text(call, "as");
  if (formats != 1) return console_fail(call, CLI_BAD_USAGE, "choose one of --csv, --tables, --table NAME, --svg, --vtkhdf, --stl, --ply");
  if (as && (!cli_given(call, "table") || (strcmp(as, "csv") != 0 && strcmp(as, "json") != 0 && strcmp(as, "svg") != 0)))
    return console_fail(call, CLI_BAD_USAGE, "--as is csv, json or svg, and goes with --table");
  if (!surfaces && (cli_given(call, "frame") || cli_given(call, "cell") || cli_given(call, "with-obstacles")))
    return console_fail(call, CLI_BAD_USAGE, "--frame, --cell and --with-obstacles go with --stl or --ply");
  if (!cli_whole(call, "plot", 0, 1000, &choice.plot, message, sizeof message) ||
      !cli_whole(call, "moving-average", 1, 1000000, &choice.average, message, sizeof message))
    return console_fail(call, CLI_BAD_USAGE, "%s", message);
  scr_recording *recording;
  scr_check check;
  bool going_on;
  cli_exit code = recording_source_open(call, call->words[0], &recording, &check, &going_on);
  if (code != CLI_DONE) return code;
  cli_exit whole = recording_source_verdict(call, &check, going_on); /* said first: what follows may fail because of it */
  if (check.records == 0 && !going_on) {
    scr_recording_close(recording);
    return whole;
  }
  code = export_from(call, recording, &choice);
  scr_recording_close(recording);
  return code == CLI_DONE ? whole : code;
}

const cli_command command_export = {
    .name = "export",
    .words = "RECORDING --csv|--tables|--table NAME|--svg|--vtkhdf|--stl|--ply [-o PATH]",
    .least = 1,
    .most = 1,
    .summary = "turn a recording into files for other programs",
    .description =
        "RECORDING is a recording.scree or a folder that holds one; the run may still be going on. Needs no server.\n"
        "Of a damaged or truncated recording the intact part is exported; the command says what is missing and ends with 7.\n\n"
        "--csv, --table and --svg go to stdout or into the file PATH. --vtkhdf writes frames-000000.vtkhdf ... and\n"
        "frames.vtkhdf.series into the folder PATH, for ParaView 5.11 and later: points as vertices, walls as outlines, threads\n"
        "as polylines, all else as triangles. Their field kind is 1 for points, 2 for walls, 3 for rollers and jaws, 4 for solids and\n"
        "meshes, 5 for bodies of shapes that repeat, 6 for meshes that deform, 7 for threads.\n\n"
        "--stl and --ply write the surfaces of one frame: a closed mesh around the points of every piece, and the bodies and meshes\n"
        "that move or deform; in STL one solid each, in PLY with a number on every face. --with-obstacles adds rollers and obstacles where "
        "they are\n"
        "in that frame: in STL as solids of their names, in PLY with the numbers 4294967295, 4294967294, ...",
    .options = {{"csv", 0, NULL, "all curves, a line of names and units first"},
                {"tables", 0, NULL, "which event tables there are, and how many rows each has"},
                {"table", 0, "NAME", "the rows of one event table"},
                {"as", 0, "FORMAT", "--table: csv, json, or svg for a picture of the newest histogram; default csv"},
                {"svg", 0, NULL, "a picture of one curve"},
                {"vtkhdf", 0, NULL, "all frames, for ParaView"},
                {"stl", 0, NULL, "surfaces of one frame, as text"},
                {"ply", 0, NULL, "surfaces of one frame, binary"},
                {"output", 'o', "PATH", "file, or folder (vtkhdf)"},
                {"frame", 0, "N", "--stl, --ply: frame number N, 0 for the first; default the newest"},
                {"cell", 0, "METRES", "--stl, --ply: how finely surfaces are cut; default half the points' radius"},
                {"with-obstacles", 0, NULL, "--stl, --ply: rollers and obstacles too"},
                {"plot", 0, "N", "--svg: the scene's plot number N; default 0, the main one"},
                {"x", 0, "SERIES", "--svg: horizontal axis, with --y; default time"},
                {"y", 0, "SERIES", "--svg: vertical axis, any curve by name"},
                {"moving-average", 0, "N", "--svg: smooth --y over N samples"}},
    .examples = {{"export out --csv > curves.csv", "all curves"},
                 {"export out --table breaks", "every link that broke: when, where, why"},
                 {"export out --svg --y energy.kinetic > e.svg", "one curve over time"},
                 {"export out --vtkhdf -o frames", "for ParaView"},
                 {"export out --stl --frame 20 -o pieces.stl", "surfaces of frame 20"}},
    .run = run,
};
