/* Which finder a pair of pieces goes to. */
#include "methods/rigid/detection/manifold.h"

static bool is_round(rigid_kind kind)
{
  return kind == RIGID_BALL || kind == RIGID_CAPSULE;
}

/* The finder's order: meshes before cylinders before rounds before hulls. */
static int rank(rigid_kind kind)
{
  switch (kind) {
  case RIGID_MESH: return 0;
  case RIGID_CYLINDER: return 1;
  case RIGID_CAPSULE:
  case RIGID_BALL: return 2;
  case RIGID_HULL: break;
  }
  return 3;
}

void touch_pair(const rigid_placed *a, const rigid_placed *b, double reach, touch_sink *sink)
{
  double apart = vec3_length(vec3_sub(a->middle, b->middle));
  if (apart > a->extent + b->extent + reach) return;
  touch_sink own = *sink;
  if (rank(b->piece->kind) < rank(a->piece->kind)) {
    const rigid_placed *first = a;
    a = b;
    b = first;
    own.flipped = !own.flipped;
  }
  if (a->piece->kind == RIGID_MESH)
    touch_mesh(a, b, reach, &own);
  else if (a->piece->kind == RIGID_CYLINDER)
    touch_cylinder(a, b, reach, &own);
  else if (!is_round(a->piece->kind))
    touch_hulls(a, b, reach, &own);
  else if (is_round(b->piece->kind))
    touch_rounds(a, b, reach, &own);
  else
    touch_round_hull(a, b, reach, &own);
}
