/* Grids of cells and what they are bent into. */
#include "geometry/hexes/blocks.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static const double core = 0.7;

/* Number of node (i, j, k) of the full grid. */
static size_t grid_node(const uint32_t cells[3], size_t i, size_t j, size_t k)
{
  return (k * (cells[1] + 1) + j) * (cells[0] + 1) + i;
}

/* Grid nodes of a cell in the order of a hexahedron's corners. */
static void cell_corners(const uint32_t cells[3], size_t cell, size_t corner[GEO_HEX_CORNERS])
{
  size_t i = cell % cells[0], j = cell / cells[0] % cells[1], k = cell / cells[0] / cells[1];
  for (int a = 0; a < GEO_HEX_CORNERS; a++) {
    const double *s = geo_hex_sign[a];
    corner[a] = grid_node(cells, i + (s[0] > 0), j + (s[1] > 0), k + (s[2] > 0));
  }
}

scr_status geo_hexes_grid(const uint32_t cells[3], const bool *keep, const double *const place[3], geo_hexes *mesh, scr_error *error)
{
  size_t total = (size_t)cells[0] * cells[1] * cells[2], nodes = (size_t)(cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1);
  size_t corner[GEO_HEX_CORNERS];
  uint32_t *number = mem_array(nodes, sizeof *number); /* of a grid node that is used, + 1 */
  *mesh = (geo_hexes){0};
  if (!number) return scr_fail_memory(error, "a mesh", nodes * sizeof *number);
  for (size_t c = 0; c < total; c++) {
    if (keep && !keep[c]) continue;
    cell_corners(cells, c, corner);
    for (int a = 0; a < GEO_HEX_CORNERS; a++) number[corner[a]] = 1;
    mesh->hex_count++;
  }
  for (size_t n = 0; n < nodes; n++)
    if (number[n]) number[n] = (uint32_t)++mesh->node_count;
  mesh->node = mem_array(mesh->node_count, sizeof *mesh->node);
  mesh->hex = mem_array(mesh->hex_count, sizeof *mesh->hex);
  bool memory = mesh->node && mesh->hex;
  for (size_t n = 0; n < nodes && memory; n++) {
    if (!number[n]) continue;
    double *x = mesh->node[number[n] - 1];
    x[0] = place[0][n % (cells[0] + 1)];
    x[1] = place[1][n / (cells[0] + 1) % (cells[1] + 1)];
    x[2] = place[2][n / (cells[0] + 1) / (cells[1] + 1)];
  }
  for (size_t c = 0, e = 0; c < total && memory; c++) {
    if (keep && !keep[c]) continue;
    cell_corners(cells, c, corner);
    for (int a = 0; a < GEO_HEX_CORNERS; a++) mesh->hex[e][a] = number[corner[a]] - 1;
    e++;
  }
  mem_free(number);
  if (memory) return SCR_OK;
  geo_hexes_clear(mesh);
  return scr_fail_memory(error, "a mesh", nodes * sizeof *mesh->node + total * sizeof *mesh->hex);
}

/* count + 1 coordinates from `from` to `to`, evenly, symmetric to the last bit about the middle. */
static void even(double from, double to, uint32_t count, double *place)
{
  for (uint32_t i = 0; i <= count; i++) {
    double t = (2.0 * i - count) / count;
    place[i] = 0.5 * (from + to) + 0.5 * (to - from) * t;
  }
}

/* Three arrays of coordinates in one. @return false: no memory */
static bool axes(const uint32_t cells[3], double *place[3])
{
  place[0] = mem_array((size_t)cells[0] + cells[1] + cells[2] + 3, sizeof *place[0]);
  if (!place[0]) return false;
  place[1] = place[0] + cells[0] + 1;
  place[2] = place[1] + cells[1] + 1;
  return true;
}

static scr_status from_axes(const uint32_t cells[3], const bool *keep, double *place[3], geo_hexes *mesh, scr_error *error)
{
  const double *const given[3] = {place[0], place[1], place[2]};
  scr_status status = geo_hexes_grid(cells, keep, given, mesh, error);
  mem_free(place[0]);
  return status;
}

scr_status geo_hexes_box(const double size[3], const uint32_t cells[3], geo_hexes *mesh, scr_error *error)
{
  double *place[3];
  *mesh = (geo_hexes){0};
  if (!axes(cells, place)) return scr_fail_memory(error, "a mesh", 3 * sizeof(double) * (cells[0] + cells[1] + cells[2]));
  for (int k = 0; k < 3; k++) even(-0.5 * size[k], 0.5 * size[k], cells[k], place[k]);
  return from_axes(cells, NULL, place, mesh, error);
}

scr_status geo_hexes_notched_box(const double size[3], double width, double depth, const uint32_t cells[3], const uint32_t slot[2],
                                 geo_hexes *mesh, scr_error *error)
{
  const uint32_t all[3] = {2 * cells[0] + slot[0], cells[1], slot[1] + cells[2]};
  double *place[3], low = -0.5 * size[2];
  size_t total = (size_t)all[0] * all[1] * all[2];
  *mesh = (geo_hexes){0};
  bool *keep = mem_array(total, sizeof *keep);
  if (!keep || !axes(all, place)) {
    mem_free(keep);
    return scr_fail_memory(error, "a mesh", total);
  }
  even(-0.5 * size[0], -0.5 * width, cells[0], place[0]);
  even(-0.5 * width, 0.5 * width, slot[0], place[0] + cells[0]);
  even(0.5 * width, 0.5 * size[0], cells[0], place[0] + cells[0] + slot[0]);
  even(-0.5 * size[1], 0.5 * size[1], all[1], place[1]);
  even(low, low + depth, slot[1], place[2]);
  even(low + depth, 0.5 * size[2], cells[2], place[2] + slot[1]);
  for (size_t c = 0; c < total; c++) {
    size_t i = c % all[0], k = c / all[0] / all[1];
    keep[c] = !(i >= cells[0] && i < cells[0] + slot[0] && k < slot[1]);
  }
  scr_status status = from_axes(all, keep, place, mesh, error);
  mem_free(keep);
  return status;
}

/* p of the cube (or square) |p_i| <= 1 to the unit ball (or disc): the spec's map. */
static void round_out(double *p, int dimensions)
{
  double largest = 0, square = 0;
  for (int k = 0; k < dimensions; k++) largest = fmax(largest, fabs(p[k])), square += p[k] * p[k];
  if (!(square > 0)) return;
  double factor = (1 - largest) * core + largest * largest / sqrt(square);
  for (int k = 0; k < dimensions; k++) p[k] *= factor;
}

scr_status geo_hexes_cylinder(double radius, double length, uint32_t across, uint32_t layers, geo_hexes *mesh, scr_error *error)
{
  const double size[3] = {2, 2, length};
  const uint32_t cells[3] = {across, across, layers};
  SCR_TRY(geo_hexes_box(size, cells, mesh, error));
  for (size_t n = 0; n < mesh->node_count; n++) {
    round_out(mesh->node[n], 2);
    for (int k = 0; k < 2; k++) mesh->node[n][k] *= radius;
  }
  return SCR_OK;
}

scr_status geo_hexes_ball(double radius, uint32_t across, geo_hexes *mesh, scr_error *error)
{
  const double size[3] = {2, 2, 2};
  const uint32_t cells[3] = {across, across, across};
  SCR_TRY(geo_hexes_box(size, cells, mesh, error));
  for (size_t n = 0; n < mesh->node_count; n++) {
    round_out(mesh->node[n], 3);
    for (int k = 0; k < 3; k++) mesh->node[n][k] *= radius;
  }
  return SCR_OK;
}

/* Number, among the nodes of a cube's surface of `across` cells, of grid node n. */
static bool on_surface(const uint32_t cells[3], size_t n)
{
  size_t edge = cells[0] + 1, i = n % edge, j = n / edge % edge, k = n / edge / edge;
  return i == 0 || j == 0 || k == 0 || i == cells[0] || j == cells[0] || k == cells[0];
}

/* The outermost faces of the solid cube's cells, each times the layers. */
static void stack_layers(const geo_hexes_surface *faces, const uint32_t *number, size_t shell, uint32_t layers, geo_hexes *mesh)
{
  for (size_t f = 0; f < faces->face_count; f++)
    for (uint32_t l = 0; l < layers; l++) {
      uint32_t *hex = mesh->hex[f * layers + l];
      for (int k = 0; k < 4;
           k++) { /* faces are counter-clockwise from outside: with the inner four first, the hexahedron is right-handed */
        hex[k] = (uint32_t)(number[faces->face[f][k]] + shell * l);
        hex[4 + k] = (uint32_t)(hex[k] + shell);
      }
    }
}

static scr_status make_shells(const geo_hexes *cube, const geo_hexes_surface *faces, const uint32_t cells[3], double radius, double inner,
                              uint32_t layers, geo_hexes *mesh, scr_error *error)
{
  size_t shell = faces->node_count;
  uint32_t *number = mem_array(cube->node_count, sizeof *number);
  mesh->node_count = shell * (layers + 1);
  mesh->hex_count = faces->face_count * layers;
  mesh->node = mem_array(mesh->node_count, sizeof *mesh->node);
  mesh->hex = mem_array(mesh->hex_count, sizeof *mesh->hex);
  if (!number || !mesh->node || !mesh->hex) {
    mem_free(number);
    geo_hexes_clear(mesh);
    return scr_fail_memory(error, "a mesh", shell * (layers + 1) * sizeof *mesh->node);
  }
  uint32_t at = 0;
  for (size_t n = 0; n < cube->node_count; n++) {
    if (!on_surface(cells, n)) continue;
    const double *p = cube->node[n];
    double q[3], length = 0; /* angles, not lengths, are even along the cube's edges: squares of about the same size */
    for (int k = 0; k < 3; k++) q[k] = tan(0.25 * 3.14159265358979323846 * p[k]), length += q[k] * q[k];
    for (uint32_t l = 0; l <= layers; l++)
      for (int k = 0; k < 3; k++) mesh->node[at + shell * l][k] = q[k] / sqrt(length) * (inner + (radius - inner) * l / layers);
    number[n] = at++;
  }
  stack_layers(faces, number, shell, layers, mesh);
  mem_free(number);
  return SCR_OK;
}

scr_status geo_hexes_hollow_ball(double radius, double inner_radius, uint32_t across, uint32_t layers, geo_hexes *mesh, scr_error *error)
{
  const double size[3] = {2, 2, 2};
  const uint32_t cells[3] = {across, across, across};
  geo_hexes cube;
  geo_hexes_surface faces = {0};
  *mesh = (geo_hexes){0};
  SCR_TRY(geo_hexes_box(size, cells, &cube, error));
  scr_status status = geo_hexes_find_surface(&cube, &faces, error);
  if (status == SCR_OK) status = make_shells(&cube, &faces, cells, radius, inner_radius, layers, mesh, error);
  geo_hexes_surface_clear(&faces);
  geo_hexes_clear(&cube);
  return status;
}

/* Where station i of an arch's middle line is, x and z, the way outwards there, and how far the strip goes that way. */
static void arch_station(const geo_arch *form, uint32_t along, uint32_t up, uint32_t i, double place[2], double out[2], double *outer)
{
  uint32_t last = along + 2 * up;
  double a = 0.5 * form->span, b = form->rise - form->leg;
  *outer = 0.5 * form->thickness;
  if (i < up || i > last - up) { /* in a leg */
    bool left = i < up;
    double share = 1 - (double)(left ? i : last - i) / up;
    place[0] = left ? -a : a, place[1] = form->leg * (1 - share);
    out[0] = left ? -1 : 1, out[1] = 0;
    *outer += share * (form->foot - form->thickness + (left ? form->heel : 0));
    return;
  }
  double turned = 0.5 * 3.14159265358979323846 * (2.0 * (i - up) - along) / along; /* from the crown, < 0 at x < 0 */
  double x = sin(turned), z = cos(turned), length = sqrt(b * x * b * x + a * z * a * z);
  place[0] = a * x, place[1] = form->leg + b * z;
  out[0] = b * x / length, out[1] = a * z / length;
}

scr_status geo_hexes_arch(const geo_arch *form, uint32_t along, uint32_t up, const uint32_t cells[2], geo_hexes *mesh, scr_error *error)
{
  const uint32_t all[3] = {along + 2 * up, cells[0], cells[1]};
  const double size[3] = {all[0], form->width, 1};
  SCR_TRY(geo_hexes_box(size, all, mesh, error));
  for (size_t n = 0; n < mesh->node_count; n++) {
    double place[2], out[2], outer, *x = mesh->node[n], inner = -0.5 * form->thickness;
    arch_station(form, along, up, (uint32_t)lround(x[0] + 0.5 * all[0]), place, out, &outer);
    double off = inner + (x[2] + 0.5) * (outer - inner);
    x[0] = place[0] + off * out[0];
    x[2] = place[1] + off * out[1];
  }
  return SCR_OK;
}
