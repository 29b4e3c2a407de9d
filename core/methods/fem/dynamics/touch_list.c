/* Lists of contacts: their order, what a contact inherits from the step before, its tangents. */
#include <stdlib.h>
#include <string.h>

#include "methods/fem/dynamics/touch.h"

int fem_touch_order(const void *left, const void *right)
{
  const fem_touch *a = left, *b = right;
  if (a->site != b->site) return a->site < b->site ? -1 : 1;
  if (a->partner != b->partner) return a->partner < b->partner ? -1 : 1;
  return (a->other > b->other) - (a->other < b->other);
}

void fem_inherit_forces(const fem_touches *from, fem_touches *to)
{
  for (size_t k = 0, j = 0; k < to->count; k++) {
    while (j < from->count && fem_touch_order(&from->item[j], &to->item[k]) < 0) j++;
    if (j < from->count && fem_touch_order(&from->item[j], &to->item[k]) == 0)
      memcpy(to->item[k].force, from->item[j].force, sizeof to->item[k].force);
  }
}

const fem_touch *fem_find_touch(const fem_touches *list, uint32_t site, uint32_t partner)
{
  const fem_touch key = {.site = site, .partner = partner};
  return list->count ? bsearch(&key, list->item, list->count, sizeof *list->item, fem_touch_order) : NULL;
}

/* t1 is across n and the coordinate axis that n is farthest from. */
void fem_touch_tangents(fem_touch *touch)
{
  const double *n = touch->axis[0];
  int least = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(n[k]) < fabs(n[least])) least = k;
  scr_vec3 normal = vec3(n[0], n[1], n[2]), axis = vec3(least == 0, least == 1, least == 2), first = vec3_cross(normal, axis);
  first = vec3_scale(first, 1 / vec3_length(first));
  scr_vec3 second = vec3_cross(normal, first);
  const double both[2][3] = {{first.x, first.y, first.z}, {second.x, second.y, second.z}};
  memcpy(touch->axis[1], both, sizeof both);
}
