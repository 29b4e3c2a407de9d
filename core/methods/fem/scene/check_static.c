/* What static loading needs: every piece of a body is held against all rigid motions by grips and by the parts that it touches at the
 * start, where nothing slides. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fem/mesh/specimen.h"
#include "methods/fem/scene/check_bodies.h"
#include "methods/fem/system/held.h"

static const double touching = 1e-9; /* of an element's edge: as the equilibrium begins */

/* Which components grips and parts hold.  @param fixed zeroed */
static void find_held(const geo_hexes *placed, const scr_part *parts, size_t part_count, unsigned char *fixed)
{
  double reach = touching * geo_hexes_measure(placed).mean_edge;
  for (size_t p = 0; p < part_count; p++) {
    scr_pose pose = scr_part_pose(&parts[p], 0);
    const double axis[3] = {parts[p].axis.x, parts[p].axis.y, parts[p].axis.z};
    for (size_t n = 0; n < placed->node_count; n++) {
      scr_vec3 x = vec3(placed->node[n][0], placed->node[n][1], placed->node[n][2]);
      bool grip = parts[p].kind == SCR_PART_GRIP;
      if (grip ? !scr_part_holds(&parts[p], x) : scr_part_distance_posed(&parts[p], &pose, x).distance > reach) continue;
      for (size_t k = 0; k < 3; k++)
        if (!grip || !parts[p].slide || axis[k] != 0) fixed[3 * n + k] = 1;
    }
  }
}

static void refuse(const scr_checker *c, size_t k, size_t grain, size_t left, const char *motion)
{
  char given[40];
  snprintf(given, sizeof given, "%zu free motions", left);
  check_refuse_words(
      c, check_at("/options/loading"), given, "bodies that parts and grips hold against moving as a whole",
      "nothing holds grain %zu of specimen '%.60s' in static equilibrium from %s%s: place it on a part (nodes that touch one at the "
      "start hold by friction), hold it by a grip, or load it in time",
      grain, c->scene->specimens[k].name, motion, left > 1 ? ", and more" : "");
}

/* One piece of the body, gathered.  @param room [node_count][3] and fixed's [3 node_count] for it */
static size_t free_piece(const geo_hexes *placed, const uint32_t *piece, size_t wanted, const unsigned char *fixed, double *place,
                         unsigned char *held, char *motion)
{
  size_t count = 0;
  for (size_t n = 0; n < placed->node_count; n++) {
    if (piece[n] != wanted) continue;
    memcpy(place + 3 * count, placed->node[n], 3 * sizeof *place);
    memcpy(held + 3 * count, fixed + 3 * n, 3);
    count++;
  }
  return fem_free_motions(place, count, held, motion);
}

scr_status fem_check_held(const scr_checker *c, size_t k, size_t grain, const geo_hexes *placed, const scr_part *parts, size_t part_count)
{
  size_t n = placed->node_count, left = 0;
  uint32_t *piece = mem_array(n, sizeof *piece);
  unsigned char *fixed = mem_array(2 * n, 3), *held = fixed ? fixed + 3 * n : NULL;
  double *place = mem_array(n, 3 * sizeof *place);
  bool memory = piece && fixed && place;
  if (memory) {
    char motion[FEM_HELD_TEXT];
    size_t count = geo_hexes_pieces(placed, piece);
    find_held(placed, parts, part_count, fixed);
    for (size_t p = 0; p < count && left == 0; p++) left = free_piece(placed, piece, p, fixed, place, held, motion);
    if (left) refuse(c, k, grain, left, motion);
  }
  mem_free(piece);
  mem_free(fixed);
  mem_free(place);
  return memory ? SCR_OK : SCR_NO_MEMORY;
}
