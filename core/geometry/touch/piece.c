#include "geometry/touch/piece.h"

#include "base/memory.h"

void geo_piece_clear(geo_piece *piece)
{
  geo_hull_clear(&piece->hull);
  mem_free(piece->sample);
  *piece = (geo_piece){0};
}
