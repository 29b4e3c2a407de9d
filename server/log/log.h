/** The log: a line for each thing that happened, as text for people or as JSON for programs.
 *
 *      2026-01-31T12:00:00.000Z info job_failed job=3 attempt=1 reason="the step is too large"
 *      {"time":"2026-01-31T12:00:00.000Z","level":"info","event":"job_failed","job":3,"attempt":1,"reason":"the step is too large"}
 *
 *  An event is a lower_snake name; fields say the rest. Tokens, cookies and keys of links never belong into one.
 *
 *  Writing never waits and never fails: lines go through a bounded buffer to a thread of the log's own, which alone meets a full disk, a
 *  pipe that nobody reads or a closed descriptor. Lines that can't be written are left out, and how many is said when writing works again.
 *
 *  Threads: any. A NULL log takes everything and writes nothing. */
#ifndef SCREE_SERVER_LOG_H
#define SCREE_SERVER_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct event_log event_log;

typedef enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARNING, LOG_LEVEL_ERROR, LOG_LEVEL_COUNT } log_level;
typedef enum log_format { LOG_FORMAT_TEXT, LOG_FORMAT_JSON, LOG_FORMAT_COUNT } log_format;

/** "debug", "info", "warning", "error"; NULL beyond. */
const char *log_level_name(log_level level);
/** "text", "json"; NULL beyond. */
const char *log_format_name(log_format format);

enum {
  LOG_LINE_BYTES = 4096, /**< longest line with its end; no more than a pipe takes at once, so that lines of several programs never mix */
  LOG_VALUE_BYTES = 1024 /**< longest text of a field as it is written; a longer one is cut and ends in "..." */
};

typedef enum log_field_kind { LOG_FIELD_TEXT, LOG_FIELD_INTEGER, LOG_FIELD_REAL } log_field_kind;

/** A key, a plain lower_snake name, and its value. Borrowed. */
typedef struct log_field {
  const char *key;
  log_field_kind kind;
  const char *text; /**< any bytes; NULL or "": the field is left out */
  int64_t integer;
  double real; /**< not finite: null */
} log_field;

static inline log_field log_text(const char *key, const char *text)
{
  return (log_field){.key = key, .kind = LOG_FIELD_TEXT, .text = text};
}

static inline log_field log_integer(const char *key, int64_t value)
{
  return (log_field){.key = key, .kind = LOG_FIELD_INTEGER, .integer = value};
}

static inline log_field log_real(const char *key, double value)
{
  return (log_field){.key = key, .kind = LOG_FIELD_REAL, .real = value};
}

typedef struct log_config {
  int descriptor; /**< borrowed; open until log_close returns */
  log_format format;
  log_level least;          /**< lines below are not written */
  unsigned burst;           /**< lines of one event that log_write_bounded lets through at once */
  double lines_per_second;  /**< and in the long run */
  unsigned summary_seconds; /**< lines left out are told so often at most */
} log_config;

/** Standard error, text, info; 60 lines at once, one a second: 30 MB of one event in a day at most; a summary every 10 s. */
log_config log_config_default(void);

/** Starts the log and its thread. NULL without memory or threads. */
event_log *log_open(const log_config *config);

/** Writes what is left, for at most `seconds`, and ends. NULL is fine. */
void log_close(event_log *log, double seconds);

/** Whether lines of this level are written: where making one costs something. */
bool log_takes(const event_log *log, log_level level);

/** Writes a line. @param fields up to one whose key is NULL */
void log_write(event_log *log, log_level level, const char *event, const log_field *fields);

/** As log_write, but of an event that others can cause as often as they like only so many as the configuration allows: a flood must not
 *  fill the disk. A line "lines_left_out" with `of` and `count` tells how many were not written. */
void log_write_bounded(event_log *log, log_level level, const char *event, const log_field *fields);

/** The fields of a line, in their order. */
#define LOG_FIELDS(...) ((const log_field[]){__VA_ARGS__, {.key = NULL}})

/** The text of one line, its end included, always a whole one: fields for which there is no room are left out.
 *  Every control character, also those of U+0080 to U+009F and those that turn the direction of text, is escaped as in JSON; bytes that are
 *  not UTF-8 become U+FFFD. In text format a value is bare when it is plain, else it is a JSON string.
 *  @param time_ms since 1970 UTC    @param line [LOG_LINE_BYTES], not terminated    @return its length */
size_t log_line(char *line, log_format format, int64_t time_ms, log_level level, const char *event, const log_field *fields);

#endif
