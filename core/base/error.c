/* Errors and problem lists: fixed-size errors so that reporting never allocates, and growable lists of scene problems. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *scr_status_name(scr_status status)
{
  switch (status) {
  case SCR_OK: return "ok";
  case SCR_BAD_USAGE: return "bad usage";
  case SCR_BAD_SCENE: return "bad scene";
  case SCR_BAD_FILE: return "bad file";
  case SCR_NO_MEMORY: return "out of memory";
  case SCR_IO: return "file error";
  case SCR_DIVERGED: return "diverged";
  case SCR_STOPPED: return "stopped";
  case SCR_CANCELLED: return "cancelled";
  case SCR_BUSY: return "busy";
  case SCR_MISMATCH: return "mismatch";
  }
  return "unknown";
}

scr_status scr_fail(scr_error *error, scr_status code, const char *pointer, const char *format, ...)
{
  if (!error) return code;
  error->code = code;
  snprintf(error->pointer, sizeof error->pointer, "%s", pointer ? pointer : "");
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return code;
}

scr_status scr_fail_memory(scr_error *error, const char *what, size_t bytes)
{
  return scr_fail(error, SCR_NO_MEMORY, NULL, "no memory for %s: %zu bytes could not be had; use a smaller scene or a larger machine", what,
                  bytes);
}

scr_status scr_fail_io(scr_error *error, const char *action, const char *path, int error_number)
{
  return scr_fail(error, SCR_IO, NULL, "could not %s %s: %s", action, path, strerror(error_number));
}

void scr_free(void *pointer)
{
  free(pointer);
}

static char *copy_text(const char *text)
{
  return strdup(text ? text : "");
}

scr_status scr_problems_add(scr_problems *problems, const char *pointer, const char *given, const char *allowed, const char *format, ...)
{
  if (problems->count >= SCR_PROBLEM_LIMIT) {
    problems->truncated = true;
    return SCR_OK;
  }
  if (problems->count == problems->capacity) {
    size_t capacity = problems->capacity ? problems->capacity * 2 : 8;
    scr_problem *items = realloc(problems->items, capacity * sizeof *items);
    if (!items) {
      problems->truncated = true;
      return SCR_NO_MEMORY;
    }
    problems->items = items;
    problems->capacity = capacity;
  }
  char detail[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  scr_problem *problem = &problems->items[problems->count];
  *problem = (scr_problem){0};
  problem->pointer = copy_text(pointer);
  problem->given = copy_text(given);
  problem->allowed = copy_text(allowed);
  problem->detail = copy_text(detail);
  if (!problem->pointer || !problem->given || !problem->allowed || !problem->detail) {
    free(problem->pointer);
    free(problem->given);
    free(problem->allowed);
    free(problem->detail);
    problems->truncated = true;
    return SCR_NO_MEMORY;
  }
  problems->count++;
  return SCR_OK;
}

void scr_problems_clear(scr_problems *problems)
{
  if (!problems) return;
  for (size_t i = 0; i < problems->count; i++) {
    free(problems->items[i].pointer);
    free(problems->items[i].given);
    free(problems->items[i].allowed);
    free(problems->items[i].detail);
  }
  free(problems->items);
  *problems = (scr_problems){0};
}
