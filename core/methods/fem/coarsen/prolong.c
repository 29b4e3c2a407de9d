/* Finding fine nodes in coarse elements. */
#include <math.h>

#include "base/memory.h"
#include "geometry/hexes/finder.h"
#include "methods/fem/coarsen/modes.h"

static const double outside_allowed = 0.25; /* of a coarse element's mean edge: what a round surface of flat faces leaves out */

void fem_prolong_clear(fem_prolongation *p)
{
  mem_free(p->node);
  mem_free(p->share);
  *p = (fem_prolongation){0};
}

static scr_status place_nodes(const fem_system *fine, const geo_hexes *coarse, const geo_hexes_finder *finder, fem_prolongation *p,
                              scr_error *error)
{
  double allowed = outside_allowed * geo_hexes_measure(coarse).mean_edge;
  for (size_t n = 0; n < p->count; n++) {
    const double *x = fine->rest + 3 * n;
    geo_hexes_place place = geo_hexes_find(finder, x);
    if (!(place.outside <= allowed))
      return scr_fail(error, SCR_BAD_USAGE, NULL,
                      "node %zu at (%g, %g, %g) m lies %.3g m outside of the coarse mesh: both meshes must fill the same space", n, x[0],
                      x[1], x[2], place.outside);
    for (int a = 0; a < GEO_HEX_CORNERS; a++) p->node[n][a] = coarse->hex[place.element][a], p->share[n][a] = place.shape[a];
  }
  return SCR_OK;
}

scr_status fem_prolong_find(const fem_system *fine, const fem_system *coarse, fem_prolongation *p, scr_error *error)
{
  const geo_hexes mesh = {coarse->node_count, coarse->hex_count, (double(*)[3])(void *)coarse->rest, coarse->hex};
  geo_hexes_finder *finder = NULL;
  *p = (fem_prolongation){.count = fine->node_count};
  p->node = mem_array(p->count, sizeof *p->node);
  p->share = mem_array(p->count, sizeof *p->share);
  scr_status status = SCR_NO_MEMORY;
  if (p->node && p->share)
    status = geo_hexes_finder_create(&mesh, &finder, error);
  else
    (void)scr_fail_memory(error, "a prolongation", fine->node_count * (sizeof *p->node + sizeof *p->share));
  if (status == SCR_OK) status = place_nodes(fine, &mesh, finder, p, error);
  geo_hexes_finder_destroy(finder);
  if (status != SCR_OK) fem_prolong_clear(p);
  return status;
}
