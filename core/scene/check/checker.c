/* Problems and warnings of the checks of scenes. */
#include "scene/check/checker.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "scene/problem.h"

bool check_is_clean(const scr_checker *c)
{
  return c->problems->count == c->before;
}

check_place check_at(const char *format, ...)
{
  check_place place;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(place.pointer, sizeof place.pointer, format, arguments);
  va_end(arguments);
  return place;
}

/* Lost for want of memory: the list is then marked. Nine digits show what a person typed, and not the rounding of what was computed. */
static void add(scr_problems *problems, const check_place *place, double given, const char *allowed, const char *format, va_list arguments)
{
  char number[32] = "";
  if (isfinite(given)) snprintf(number, sizeof number, "%.9g", given);
  (void)problem_add_list(problems, place->pointer, number, allowed, format, arguments);
}

void check_refuse(const scr_checker *c, check_place place, double given, const char *allowed, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  add(c->problems, &place, given, allowed, format, arguments);
  va_end(arguments);
}

void check_warn(const scr_checker *c, check_place place, double given, const char *allowed, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  add(c->scene->warnings, &place, given, allowed, format, arguments);
  va_end(arguments);
}

void check_report(const scr_checker *c, bool hard, check_place place, double given, const char *allowed, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  add(hard ? c->problems : c->scene->warnings, &place, given, allowed, format, arguments);
  va_end(arguments);
}

void check_refuse_words(const scr_checker *c, check_place place, const char *given, const char *allowed, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  (void)problem_add_list(c->problems, place.pointer, given, allowed, format, arguments);
  va_end(arguments);
}

bool check_fits_memory(const scr_checker *c, double bytes, const char *remedy)
{
  double allowed = (double)c->scene->limits.memory_bytes;
  if (bytes <= allowed) return true;
  (void)problem_add_memory(c->problems, bytes, allowed, remedy);
  return false;
}
