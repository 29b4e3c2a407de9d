/* Two convex polyhedra: the axis of largest separation among faces and pairs of edges, then the contact polygon by clipping.
 *
 * A pair of edges counts only where the two faces at one edge and those at the other, as arcs on the sphere of directions, cross: only then
 * do they build a face of the Minkowski difference. Source: Gregorius, The separating axis test between convex polyhedra, GDC 2013. */
#include "geometry/touch/manifold.h"
#include "geometry/segment.h"

/* By how much of the thinner's width an edge axis must separate more than a face axis, and the second's face more than the first's. Two
 * axes that separate alike change places from step to step as bodies that rest move by what steps leave, and with them the normals, names
 * and impulses of all their contacts: a tenth of these in a pack of cubes, which then never rests. What it costs: bodies that an edge holds
 * apart by less than this more than a face are kept apart by the face. */
static const double prefer_faces = 2e-4;

typedef struct face_axis {
  size_t face;
  double separation; /* m */
} face_axis;

static face_axis best_face(const geo_placed *a, const geo_placed *b, double reach)
{
  face_axis best = {0, -INFINITY};
  for (size_t f = 0; f < a->piece->hull.face_count; f++) {
    double lowest = INFINITY, offset = placed_offset(a, f);
    scr_vec3 n = a->normal[f];
    for (size_t v = 0; v < b->piece->hull.corner_count; v++) lowest = fmin(lowest, vec3_dot(n, b->corner[v]));
    if (lowest - offset > best.separation) best = (face_axis){f, lowest - offset};
    if (best.separation > reach) break;
  }
  return best;
}

typedef struct edge_axis {
  size_t a, b;
  double separation; /* m */
  scr_vec3 normal;   /* from a to b */
} edge_axis;

/* Whether the arc between the normals c d crosses the arc between the negated normals of the other body's edge. */
static bool arcs_cross(scr_vec3 a, scr_vec3 b, scr_vec3 b_x_a, scr_vec3 c, scr_vec3 d, scr_vec3 d_x_c)
{
  double cba = vec3_dot(c, b_x_a), dba = vec3_dot(d, b_x_a), adc = vec3_dot(a, d_x_c), bdc = vec3_dot(b, d_x_c);
  return cba * dba < 0 && adc * bdc < 0 && cba * bdc > 0;
}

static edge_axis best_edges(const geo_placed *a, const geo_placed *b)
{
  const geo_hull *ha = &a->piece->hull, *hb = &b->piece->hull;
  edge_axis best = {.separation = -INFINITY};
  for (size_t i = 0; i < ha->edge_count; i++) {
    scr_vec3 p = a->corner[ha->edge[i][0]], along = vec3_sub(a->corner[ha->edge[i][1]], p);
    scr_vec3 na = a->normal[ha->sides[i][0]], nb = a->normal[ha->sides[i][1]];
    for (size_t j = 0; j < hb->edge_count; j++) {
      scr_vec3 q = b->corner[hb->edge[j][0]], other = vec3_sub(b->corner[hb->edge[j][1]], q);
      scr_vec3 nc = vec3_scale(b->normal[hb->sides[j][0]], -1), nd = vec3_scale(b->normal[hb->sides[j][1]], -1);
      if (!arcs_cross(na, nb, vec3_scale(along, -1), nc, nd, vec3_scale(other, -1))) continue;
      scr_vec3 n = vec3_cross(along, other);
      double size = vec3_length(n);
      if (size < 1e-9 * vec3_length(along) * vec3_length(other)) continue;
      n = vec3_scale(n, 1 / size);
      if (vec3_dot(n, na) + vec3_dot(n, nb) < 0) n = vec3_scale(n, -1);
      double separation = vec3_dot(n, vec3_sub(q, p));
      if (separation > best.separation) best = (edge_axis){i, j, separation, n};
    }
  }
  return best;
}

static void touch_edges(const geo_placed *a, const geo_placed *b, const edge_axis *axis, double reach, touch_sink *sink)
{
  const uint32_t *ea = a->piece->hull.edge[axis->a], *eb = b->piece->hull.edge[axis->b];
  scr_vec3 p = a->corner[ea[0]], q = a->corner[ea[1]], r = b->corner[eb[0]], s = b->corner[eb[1]];
  double t, u;
  if (axis->separation >= reach) return;
  geo_segments_nearest(p, q, r, s, &t, &u);
  scr_vec3 on_a = vec3_along(p, vec3_sub(q, p), t), on_b = vec3_along(r, vec3_sub(s, r), u);
  touch_add(sink, vec3_scale(vec3_add(on_a, on_b), 0.5), vec3_scale(axis->normal, -1), axis->separation,
            0x80000000u | (uint32_t)(axis->a << 15) | (uint32_t)axis->b);
}

/* The face of b that looks most against `normal`. */
static size_t facing(const geo_placed *b, scr_vec3 normal)
{
  size_t face = 0;
  double least = INFINITY;
  for (size_t f = 0; f < b->piece->hull.face_count; f++) {
    double along = vec3_dot(b->normal[f], normal);
    if (along < least) least = along, face = f;
  }
  return face;
}

/* Face f of a is the plane of contact; what lies over it of b's face that looks at it touches. Normals from b to a: against f's. */
static void touch_faces(const geo_placed *a, size_t f, const geo_placed *b, bool swapped, double reach, touch_sink *sink)
{
  const geo_hull *hb = &b->piece->hull;
  size_t g = facing(b, a->normal[f]);
  polygon other = {0};
  for (uint32_t k = hb->first[g]; k < hb->first[g + 1] && other.count < POLYGON_LIMIT; k++)
    other.point[other.count] = b->corner[hb->loop[k]], other.mark[other.count] = other.side[other.count] = k - hb->first[g], other.count++;
  touch_sink turned = *sink;
  turned.flipped = sink->flipped != swapped;
  manifold_over_face(a, f, &other, reach, (uint32_t)(f << 20 | swapped << 19), &turned);
}

void touch_hulls(const geo_placed *a, const geo_placed *b, double reach, touch_sink *sink)
{
  face_axis of_a = best_face(a, b, reach);
  if (of_a.separation > reach) return;
  face_axis of_b = best_face(b, a, reach);
  if (of_b.separation > reach) return;
  double slack = prefer_faces * fmin(a->scale * a->piece->hull.width, b->scale * b->piece->hull.width),
         faces = fmax(of_a.separation, of_b.separation);
  edge_axis edges = best_edges(a, b);
  if (edges.separation > faces + slack)
    touch_edges(a, b, &edges, reach, sink);
  else if (of_b.separation > of_a.separation + slack)
    touch_faces(b, of_b.face, a, true, reach, sink);
  else
    touch_faces(a, of_a.face, b, false, reach, sink);
}
