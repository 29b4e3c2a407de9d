/* Superellipsoids, jacks, tubes, voids. */
#include "geometry/shapes/simple.h"

#include "geometry/mesh/mesh_shapes.h"

/* ── superellipsoids ────────────────────────────────────────────────────────────────────────────────────────────── */

/* |x|^e with its sign. */
static double power(double x, double e)
{
  return copysign(pow(fabs(x), e), x);
}

scr_status shape_make_superellipsoid(const shape_superellipsoid *asked, unsigned cuts, geo_mesh *mesh, scr_error *error)
{
  double p = asked->p, q = asked->q;
  scr_vec3 half = asked->half;
  if (!(half.x > 0 && half.y > 0 && half.z > 0))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a superellipsoid of %g x %g x %g m can't be: all must be above 0", 2 * half.x, 2 * half.y,
                    2 * half.z);
  if (!(p >= 1 && p <= 20 && q >= 1 && q <= 20))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "exponents of a superellipsoid are %g and %g; 1 to 20 are possible", p, q);
  if (cuts < 2 || cuts > 128) return scr_fail(error, SCR_BAD_USAGE, NULL, "cuts are %u; 2 to 128 are possible", cuts);
  SCR_TRY(geo_mesh_make_ball(mesh, 1, cuts, error));
  for (size_t v = 0; v < mesh->vertex_count; v++) {
    /* A ray of a ball, bent towards edges and corners by the square root of what the surface's own angles would do, then pushed out to the
     * surface. */
    scr_vec3 n = mesh->vertex[v];
    double ex = sqrt(2 / p), ez = sqrt(2 / q);
    scr_vec3 d = vec3(power(n.x, ex), power(n.y, ex), power(n.z, ez));
    double across = pow(pow(fabs(d.x), p) + pow(fabs(d.y), p), q / p), radius = pow(across + pow(fabs(d.z), q), -1 / q);
    mesh->vertex[v] = vec3(half.x * d.x * radius, half.y * d.y * radius, half.z * d.z * radius);
  }
  return SCR_OK;
}

static double beta(double x, double y)
{
  return exp(lgamma(x) + lgamma(y) - lgamma(x + y));
}

double shape_superellipsoid_volume(const shape_superellipsoid *asked)
{
  double e1 = 2 / asked->q, e2 = 2 / asked->p;
  return 2 * asked->half.x * asked->half.y * asked->half.z * e1 * e2 * beta(e1 / 2 + 1, e1) * beta(e2 / 2, e2 / 2);
}

/* ── jacks ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Corner (i, j, k) of the four planes per axis between which the jack's cells lie. */
static uint32_t corner_of(const int at[3])
{
  return (uint32_t)((at[2] * 4 + at[1]) * 4 + at[0]);
}

static bool is_solid(const int cell[3])
{
  int off = 0;
  for (int a = 0; a < 3; a++) {
    if (cell[a] < 0 || cell[a] > 2) return false;
    off += cell[a] != 1;
  }
  return off <= 1;
}

/* The face of a cell on the low or high side of an axis, when there is nothing behind it. */
static scr_status add_face(geo_mesh *mesh, const int cell[3], int axis, int side, scr_error *error)
{
  int behind[3] = {cell[0], cell[1], cell[2]};
  uint32_t c[4];
  behind[axis] += side ? 1 : -1;
  if (is_solid(behind)) return SCR_OK;
  for (int k = 0; k < 4; k++) { /* around the face, counter-clockwise seen from the high side */
    int at[3] = {cell[0], cell[1], cell[2]};
    at[axis] += side;
    at[(axis + 1) % 3] += k == 1 || k == 2;
    at[(axis + 2) % 3] += k >= 2;
    c[side ? k : 3 - k] = corner_of(at);
  }
  SCR_TRY(geo_mesh_add_triangle(mesh, c[0], c[1], c[2], 0, error));
  return geo_mesh_add_triangle(mesh, c[0], c[2], c[3], 0, error);
}

scr_status shape_make_jack(double reach, double width, geo_mesh *mesh, scr_error *error)
{
  const double plane[4] = {-reach, -0.5 * width, 0.5 * width, reach};
  if (!(width > 0 && width < 2 * reach))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "arms of a jack are %g m wide; above 0 and below its length of %g m are possible", width,
                    2 * reach);
  for (int k = 0; k < 64; k++) SCR_TRY(geo_mesh_add_vertex(mesh, vec3(plane[k % 4], plane[k / 4 % 4], plane[k / 16]), error));
  for (int k = 0; k < 27; k++) {
    const int cell[3] = {k % 3, k / 3 % 3, k / 9};
    for (int face = 0; is_solid(cell) && face < 6; face++) SCR_TRY(add_face(mesh, cell, face / 2, face % 2, error));
  }
  return geo_mesh_merge_vertices(mesh, error); /* drops the corners that no cell has */
}

/* ── tubes and voids ────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status shape_make_tube(double outer, double inner, double length, unsigned sides, geo_mesh *mesh, scr_error *error)
{
  if (!(inner > 0 && inner < outer))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "inner_radius of a tube is %g m; above 0 and below the outer radius of %g m are possible",
                    inner, outer);
  if (!(length > 0)) return scr_fail(error, SCR_BAD_USAGE, NULL, "length of a tube is %g m; it must be above 0", length);
  if (sides < 8 || sides > 4096) return scr_fail(error, SCR_BAD_USAGE, NULL, "sides of a tube are %u; 8 to 4096 are possible", sides);
  double angle = 2 * M_PI / sides, fair = sqrt(angle / sin(angle)); /* a polygon of the circle's area */
  for (unsigned k = 0; k < sides; k++) { /* corners 4 k ...: outside below, outside above, inside below, inside above */
    double x = fair * cos(k * angle), y = fair * sin(k * angle);
    for (int c = 0; c < 4; c++) {
      double r = c < 2 ? outer : inner;
      SCR_TRY(geo_mesh_add_vertex(mesh, vec3(r * x, r * y, c % 2 ? 0.5 * length : -0.5 * length), error));
    }
  }
  for (unsigned k = 0; k < sides; k++) {
    uint32_t a = 4 * k, b = 4 * ((k + 1) % sides);
    const uint32_t quads[4][4] = {{a, b, b + 1, a + 1}, {a + 3, b + 3, b + 2, a + 2}, {a + 1, b + 1, b + 3, a + 3}, {a + 2, b + 2, b, a}};
    for (int q = 0; q < 4; q++) {
      SCR_TRY(geo_mesh_add_triangle(mesh, quads[q][0], quads[q][1], quads[q][2], 0, error));
      SCR_TRY(geo_mesh_add_triangle(mesh, quads[q][0], quads[q][2], quads[q][3], 0, error));
    }
  }
  return SCR_OK;
}

scr_status shape_add_void(double share, geo_mesh *mesh, scr_error *error)
{
  size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
  uint32_t first = (uint32_t)vertices;
  if (!(share > 0 && share < 1))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a void takes %g of a grain's size; above 0 and below 1 is possible", share);
  for (size_t v = 0; v < vertices; v++) SCR_TRY(geo_mesh_add_vertex(mesh, vec3_scale(mesh->vertex[v], share), error));
  for (size_t t = 0; t < triangles; t++) {
    const uint32_t c[3] = {mesh->triangle[t][0], mesh->triangle[t][1], mesh->triangle[t][2]};
    SCR_TRY(geo_mesh_add_triangle(mesh, first + c[0], first + c[2], first + c[1], 1, error));
  }
  return SCR_OK;
}
