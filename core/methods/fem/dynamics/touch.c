/* Finding contacts with parts of the rig. */
#include "methods/fem/dynamics/touch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fem/dynamics/touch_edges.h"
#include "methods/fem/dynamics/touch_faces.h"

static const double least_overlap = 2e-9; /* of the band, which is half an edge: below it is round-off */

static scr_status find_at_nodes(const fem_contact_space *space, const fem_touch_search *search, fem_touches *touches, scr_error *error)
{
  for (size_t b = 0; b < space->system->body_count; b++)
    for (size_t k = 0; k < space->surfaces[b].node_count; k++) {
      const fem_site site = {.number = space->surfaces[b].node[k], .count = 1, .node = {space->surfaces[b].node[k]}, .share = {1}};
      for (size_t p = 0; p < search->parts->count; p++) SCR_TRY(fem_touch_part(space, search, p, &site, touches, error));
    }
  return SCR_OK;
}

scr_status fem_find_touches(const fem_contact_space *space, const fem_touch_search *search, fem_touches *touches, scr_error *error)
{
  touches->count = 0;
  SCR_TRY(find_at_nodes(space, search, touches, error));
  if (space->edges) SCR_TRY(fem_find_edges(space, search, touches, error));
  if (space->bodies && space->system->body_count > 1) SCR_TRY(fem_find_faces(space, search, touches, error));
  if (touches->count) qsort(touches->item, touches->count, sizeof *touches->item, fem_touch_order);
  return SCR_OK;
}

scr_status fem_find_overlaps(const fem_contact_space *space, const sim_parts *parts, const double *nowhere, fem_overlaps *overlaps,
                             scr_error *error)
{
  fem_touches touches = {0};
  fem_contact_space parts_alone = *space;
  parts_alone.bodies = false;
  const fem_touch_search search = {.displacement = nowhere, .before = nowhere, .parts = parts, .start = parts->now, .end = parts->now};
  scr_status status = fem_find_touches(&parts_alone, &search, &touches, error);
  for (size_t k = 0; k < touches.count && status == SCR_OK; k++) {
    const fem_touch *touch = &touches.item[k];
    if (!(touch->gap < -least_overlap * space->band)) continue;
    if (mem_grow(&overlaps->item, &overlaps->capacity, overlaps->count + 1, sizeof *overlaps->item))
      overlaps->item[overlaps->count++] = (fem_overlap){touch->site, touch->partner, touch->gap};
    else
      status = scr_fail_memory(error, "contacts that are there at the start", (overlaps->count + 1) * sizeof *overlaps->item);
  }
  mem_free(touches.item);
  return status;
}

fem_lever fem_lever_of(const fem_touch *touch, const unsigned char *fixed, unsigned directions)
{
  fem_lever l = {0};
  for (uint32_t i = 0; i < touch->node_count; i++)
    for (size_t x = 0; x < 3; x++) {
      size_t unknown = 3 * (size_t)touch->node[i] + x;
      bool moves = false;
      for (unsigned a = 0; a < directions; a++) {
        l.share[l.count][a] = touch->share[i] * touch->axis[a][x];
        moves = moves || l.share[l.count][a] != 0;
      }
      if (moves && !fixed[unknown]) l.unknown[l.count++] = (uint32_t)unknown;
    }
  return l;
}
