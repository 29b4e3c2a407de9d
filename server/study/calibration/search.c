#include "server/study/calibration/search.h"

#include <math.h>

size_t search_find(const search_state *known, const double *z, size_t from)
{
  for (size_t k = 0; k < known->count; k++) {
    size_t at = (from + k) % known->count, i = 0;
    while (i < known->unknown_count && fabs(known->points[at].z[i] - z[i]) <= SEARCH_SAME) i++;
    if (i == known->unknown_count) return at;
  }
  return known->count;
}

bool search_range(const search_state *known, double *low, double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  for (size_t k = 0; k < known->count; k++) {
    if (!known->points[k].known || known->points[k].failed) continue;
    *low = fmin(*low, known->points[k].value);
    *high = fmax(*high, known->points[k].value);
  }
  return *low <= *high;
}
