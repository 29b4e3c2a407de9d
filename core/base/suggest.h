/** "Did you mean": the known name that takes the fewest typing errors to become the given one.
 *
 *      suggestion search = suggestion_start("raduis");
 *      for (...) suggestion_consider(&search, name);
 *      if (search.best) ... */
#ifndef SCREE_BASE_SUGGEST_H
#define SCREE_BASE_SUGGEST_H

#include <stddef.h>

/** Finds the name most like a given one. Both are borrowed. */
typedef struct suggestion {
  const char *given;
  const char *best; /**< NULL: nothing is near */
  size_t distance;  /**< typing errors between the two; a name must have fewer to become the best */
} suggestion;

/** @param given  the name that is not known; of more than 63 bytes nothing is near */
suggestion suggestion_start(const char *given);
void suggestion_consider(suggestion *search, const char *name);

#endif
