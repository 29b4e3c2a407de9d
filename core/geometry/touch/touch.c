/* Which finder a pair of pieces goes to. */
#include "geometry/touch/manifold.h"

static bool is_round(geo_piece_kind kind)
{
  return kind == GEO_PIECE_BALL || kind == GEO_PIECE_CAPSULE;
}

/* The finder's order: meshes before cylinders before rounds before hulls. */
static int rank(geo_piece_kind kind)
{
  switch (kind) {
  case GEO_PIECE_MESH: return 0;
  case GEO_PIECE_CYLINDER: return 1;
  case GEO_PIECE_CAPSULE:
  case GEO_PIECE_BALL: return 2;
  case GEO_PIECE_HULL: break;
  }
  return 3;
}

void touch_pair(const geo_placed *a, const geo_placed *b, double reach, touch_sink *sink)
{
  double apart = vec3_length(vec3_sub(a->middle, b->middle));
  if (apart > a->extent + b->extent + reach) return;
  touch_sink own = *sink;
  if (rank(b->piece->kind) < rank(a->piece->kind)) {
    const geo_placed *first = a;
    a = b;
    b = first;
    own.flipped = !own.flipped;
  }
  if (a->piece->kind == GEO_PIECE_MESH)
    touch_mesh(a, b, reach, &own);
  else if (a->piece->kind == GEO_PIECE_CYLINDER)
    touch_cylinder(a, b, reach, &own);
  else if (!is_round(a->piece->kind))
    touch_hulls(a, b, reach, &own);
  else if (is_round(b->piece->kind))
    touch_rounds(a, b, reach, &own);
  else
    touch_round_hull(a, b, reach, &own);
}
