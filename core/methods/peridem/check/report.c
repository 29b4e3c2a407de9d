/* Problems and warnings of the checks. */
#include <stdio.h>

#include "methods/peridem/check/checker.h"

void pd_check_add(pd_checker *c, const char *pointer, double given, const char *allowed, const char *detail)
{
  char text[40];
  snprintf(text, sizeof text, "%.6g", given);
  scr_problems_add(c->problems, pointer, isnan(given) ? "" : text, allowed, "%s", detail);
}

/* One that is lost for want of memory leaves the list marked as cut. */
void pd_check_warn(const pd_checker *c, const char *pointer, double given, const char *allowed, const char *detail)
{
  char text[40];
  snprintf(text, sizeof text, "%.6g", given);
  (void)scr_problems_add(c->scene->warnings, pointer, isnan(given) ? "" : text, allowed, "%s", detail);
}
