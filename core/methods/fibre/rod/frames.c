/* Frames of a rod, and its writhe. */
#include "methods/fibre/rod/rod.h"

scr_vec3 rod_transport(scr_vec3 a, scr_vec3 from, scr_vec3 to)
{
  scr_vec3 b = vec3_cross(from, to);
  double c = vec3_dot(from, to);
  if (c < -1 + 1e-12) return a; /* turned right back: no way is shorter than another */
  scr_vec3 turned = vec3_add(vec3_scale(a, c), vec3_cross(b, a));
  return vec3_add(turned, vec3_scale(b, vec3_dot(b, a) / (1 + c)));
}

static scr_vec3 unit(scr_vec3 v)
{
  return vec3_scale(v, 1 / vec3_length(v));
}

static scr_vec3 across(scr_vec3 a, scr_vec3 tangent)
{
  return unit(vec3_sub(a, vec3_scale(tangent, vec3_dot(a, tangent))));
}

static scr_vec3 tangent_of(const rod *r, const double *q, uint32_t edge)
{
  return unit(vec3_sub(rod_position(q, rod_next(r, edge)), rod_position(q, edge)));
}

/* Angle about the tangent of the edge behind a vertex, from the director of the edge before it, carried over, to its own. */
static double turn_at(const rod *r, const rod_frames *f, uint32_t vertex)
{
  uint32_t before = rod_edge_before(r, vertex);
  scr_vec3 carried = rod_transport(f->director[before], f->tangent[before], f->tangent[vertex]);
  return atan2(vec3_dot(vec3_cross(carried, f->director[vertex]), f->tangent[vertex]), vec3_dot(carried, f->director[vertex]));
}

void rod_begin_frames(const rod *r, const double *q, scr_vec3 first, rod_frames *f)
{
  for (uint32_t e = 0; e < r->edges; e++) f->tangent[e] = tangent_of(r, q, e);
  if (vec3_length(vec3_cross(first, f->tangent[0])) < 1e-3) first = fabs(f->tangent[0].z) > 0.9 ? vec3(1, 0, 0) : vec3(0, 0, 1);
  f->director[0] = across(first, f->tangent[0]);
  for (uint32_t e = 1; e < r->edges; e++)
    f->director[e] = across(rod_transport(f->director[e - 1], f->tangent[e - 1], f->tangent[e]), f->tangent[e]);
  for (uint32_t i = 0; i < r->nodes; i++) f->reference[i] = 0;
  for (uint32_t i = rod_first_vertex(r); i < r->edges; i++) f->reference[i] = turn_at(r, f, i);
}

void rod_carry_frames(const rod *r, const double *q, const rod_frames *from, rod_frames *to)
{
  for (uint32_t e = 0; e < r->edges; e++) {
    scr_vec3 tangent = tangent_of(r, q, e);
    to->director[e] = across(rod_transport(from->director[e], from->tangent[e], tangent), tangent);
    to->tangent[e] = tangent;
  }
  for (uint32_t i = rod_first_vertex(r); i < r->edges; i++) {
    double turn = turn_at(r, to, i);
    to->reference[i] = turn + 2 * M_PI * round((from->reference[i] - turn) / (2 * M_PI));
  }
}

/* Solid angle over 2 pi of two edges a b and c d seen from each other, signed. */
static double crossing(scr_vec3 a, scr_vec3 b, scr_vec3 c, scr_vec3 d)
{
  scr_vec3 ac = vec3_sub(c, a), ad = vec3_sub(d, a), bc = vec3_sub(c, b), bd = vec3_sub(d, b);
  scr_vec3 normal[4] = {vec3_cross(ac, ad), vec3_cross(ad, bd), vec3_cross(bd, bc), vec3_cross(bc, ac)};
  double sum = 0, side = vec3_dot(vec3_cross(vec3_sub(d, c), vec3_sub(b, a)), ac);
  double size = vec3_length(ac) + vec3_length(bd);
  if (!(fabs(side) > 1e-14 * size * size * size)) return 0; /* in one plane */
  for (int k = 0; k < 4; k++) {
    double length = vec3_length(normal[k]);
    if (!(length > 1e-15 * size * size)) return 0;
    normal[k] = vec3_scale(normal[k], 1 / length);
  }
  for (int k = 0; k < 4; k++) { /* the arc sine of their product, without its loss of digits near 1 */
    scr_vec3 a1 = normal[k], a2 = normal[(k + 1) % 4];
    sum += atan2(vec3_dot(a1, a2), vec3_length(vec3_cross(a1, a2)));
  }
  return (side > 0 ? sum : -sum) / (2 * M_PI);
}

double rod_writhe(const rod *r, const double *q)
{
  double sum = 0;
  for (uint32_t i = 2; i < r->edges; i++)
    for (uint32_t j = 0; j + 1 < i; j++) {
      if (r->ring && j == 0 && i + 1 == r->edges) continue; /* neighbours */
      sum += crossing(rod_position(q, i), rod_position(q, rod_next(r, i)), rod_position(q, j), rod_position(q, rod_next(r, j)));
    }
  return sum;
}
