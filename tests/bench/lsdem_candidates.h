/** What a naive level-set DEM would ask: shared by the benches of method lsdem. */
#ifndef SCREE_BENCH_LSDEM_CANDIDATES_H
#define SCREE_BENCH_LSDEM_CANDIDATES_H

#include "methods/lsdem/state/state.h"

/** Nodes of every grain for each neighbour whose cube (of the farthest node's half width) its own meets, both ways, and for each part it is
 *  listed with. Looks at all pairs. */
static inline double lsdem_candidates(const lsdem_state *s)
{
  double nodes = 0;
  for (size_t i = 0; i < s->grain_count; i++)
    for (size_t j = i + 1; j < s->grain_count; j++) {
      const lsdem_view *a = &s->views[i], *b = &s->views[j];
      double both = a->grain->reach + b->grain->reach;
      if (fabs(a->position.x - b->position.x) > both || fabs(a->position.y - b->position.y) > both ||
          fabs(a->position.z - b->position.z) > both)
        continue;
      nodes += (double)(a->grain->node_count + b->grain->node_count);
    }
  for (size_t d = 0; d < s->near.count; d++)
    if (s->near.list[d].master >= s->grain_count) nodes += (double)s->views[s->near.list[d].slave].grain->node_count;
  return nodes;
}

#endif
