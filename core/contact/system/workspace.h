/** Memory of solvers: several arrays out of one allocation, and the status of one that failed. */
#ifndef SCREE_CONTACT_WORKSPACE_H
#define SCREE_CONTACT_WORKSPACE_H

#include <stddef.h>

#include "base/error.h"

enum { WORKSPACE_LINE = 8 /* doubles of a cache line */ };

/** Doubles that an array of `count` takes in a room: whole cache lines. */
static inline size_t workspace_size(size_t count)
{
  return (count + WORKSPACE_LINE - 1) / WORKSPACE_LINE * WORKSPACE_LINE;
}

/** The next array of a room; moves the room on. */
static inline double *workspace_take(double **workspace, size_t count)
{
  double *array = *workspace;
  *workspace += workspace_size(count);
  return array;
}

/** scr_fail_memory where the status is looked at again: a reader, and a static analyser, can see that it is not SCR_OK. */
static inline scr_status no_memory(scr_error *error, const char *what, size_t bytes)
{
  scr_fail_memory(error, what, bytes);
  return SCR_NO_MEMORY;
}

#endif
