/** Reports for people and programs: a scene's problems, its estimate, a job's line. All are made from the API's JSON shapes, so
 *  that what is said without a server is what a server says. */
#ifndef SCREE_API_CLI_REPORT_H
#define SCREE_API_CLI_REPORT_H

#include <jansson.h>

#include "api/cli/command.h"
#include "scree.h"

/** Writes a problem document's `errors`, one per line: pointer, then what is wrong and what to do. */
void report_errors(const json_t *errors, FILE *out);

/** Writes a checked scene's `warnings` in the same form below a heading; nothing when there are none. */
void report_warnings(const json_t *warnings, FILE *out);

/** Writes an estimate, one quantity per line. */
void report_estimate(const json_t *estimate, FILE *out);
/** What takes at least a tenth of a run of a second or more, a line each. @param costs costs_json */
void report_costs(const json_t *costs, FILE *out);

/** Writes how a job stands or ended, in one line, and a line for each of its tags and doubts. */
void report_job(const json_t *job, FILE *out);

/** Parses a scene, with files from `files`; a refused one is reported: to stdout as `{"valid": false, "errors": [..]}` with --json, else to
 *  `out`.
 *  @return CLI_DONE with a scene, CLI_REFUSED, CLI_FAILED */
cli_exit report_parse(const cli_call *call, const char *text, size_t length, const scr_asset_source *files, FILE *out, scr_scene **scene);

/** Reads the scene that the call's first word names, parses it, and hands a sound one to `answer`. @return what `answer` says, or as
 *  scene_source_read and report_parse, which have said why */
cli_exit report_scene(const cli_call *call, cli_exit (*answer)(const cli_call *call, const scr_scene *scene));

/** Reports a refused scene the same way. @return CLI_REFUSED, or CLI_FAILED when that could not be written */
cli_exit report_refusal(const cli_call *call, const scr_problems *problems, FILE *out);

/** Whether a job's or a run's JSON lists doubts. */
bool report_has_doubts(const json_t *job);

/** Writes its doubts, one per line; nothing when there are none. */
void report_doubts(const json_t *job, FILE *out);

/** A job's state for people: "succeeded, with doubts" where there are some. */
const char *report_state(const json_t *job);

/** Text or number in a JSON object; "" or NaN when it is missing, null or of another type. */
const char *report_text(const json_t *object, const char *key);
double report_number(const json_t *object, const char *key);

/** A headline in words: its label as within a line, not capitalised, and its value with unit, or as a count when it has none.
 *  @param label [sizeof headline->label]    @param value [capacity] */
void report_headline(const scr_headline *headline, char *label, char *value, size_t capacity);

/** The headlines of a job's progress. @param headlines [SCR_HEADLINE_LIMIT]    @return how many */
size_t report_headlines_of(const json_t *progress, scr_headline *headlines);

/** Prints "peak force 46 N, contacts 5120, ". Nothing when none is known. */
void report_headlines(const scr_headline *headlines, size_t count, FILE *out);

#endif
