/* From shapes to meshes. */
#include "methods/fem/mesh/specimen.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/quat.h"
#include "geometry/hexes/fill.h"
#include "geometry/hexes/blocks.h"
#include "scene/mesh_source.h"

bool fem_has_elements(const scr_shape *shape)
{
  return shape->kind == SCR_SHAPE_MESH && shape->mesh.mesh && shape->mesh.mesh->hexes.hex_count > 0;
}

/* Whole number of cells along a length, at least `least`. */
static double cells_along(double length, double spacing, double least)
{
  return fmax(least, round(length / spacing));
}

/* An even number of cells across a round section, at least as many as fit: nodes then lie at the ends of its diameters, where flat parts
 * touch it first. Between an odd number of them a face cuts off what touches. */
static double cells_across(double length, double spacing)
{
  return 2 * ceil(0.5 * cells_along(length, spacing, 2));
}

static uint32_t limited(double count)
{
  return (uint32_t)fmin(count, GEO_HEXES_CELL_LIMIT);
}

fem_division fem_divide(const scr_shape *shape, const fem_specimen *block)
{
  fem_division d = {.cells = {1, 1, 1}, .spacing = NAN};
  double h = block->spacing, n[3] = {1, 1, 1}, slot[2] = {0, 0};
  const double size[3] = {shape->size.x, shape->size.y, shape->size.z},
               given[3] = {block->divisions.x, block->divisions.y, block->divisions.z};
  switch (shape->kind) {
  case SCR_SHAPE_BOX:
    for (int k = 0; k < 3; k++) n[k] = isnan(given[k]) ? cells_along(size[k], h, 1) : given[k];
    d.hexes = n[0] * n[1] * n[2];
    d.nodes = (n[0] + 1) * (n[1] + 1) * (n[2] + 1);
    break;
  case SCR_SHAPE_NOTCHED_BOX:
    n[0] = cells_along(0.5 * (size[0] - shape->notch_width), h, 1);
    n[1] = cells_along(size[1], h, 1);
    n[2] = cells_along(size[2] - shape->notch_depth, h, 1);
    slot[0] = cells_along(shape->notch_width, h, 1);
    slot[1] = cells_along(shape->notch_depth, h, 1);
    d.hexes = n[1] * (2 * n[0] * (n[2] + slot[1]) + slot[0] * n[2]);
    d.nodes = (2 * n[0] + slot[0] + 1) * (n[1] + 1) * (n[2] + slot[1] + 1);
    break;
  case SCR_SHAPE_CYLINDER:
    n[0] = n[1] = cells_across(sqrt(3.14159265358979323846) * shape->radius, h); /* as many elements as the section's area has squares */
    n[2] = cells_along(shape->length, h, 1);
    d.hexes = n[0] * n[1] * n[2];
    d.nodes = (n[0] + 1) * (n[1] + 1) * (n[2] + 1);
    break;
  case SCR_SHAPE_HOLLOW_SPHERE: {
    double middle = 0.5 * (shape->radius + shape->inner_radius);
    n[0] = n[1] = cells_across(0.5 * 3.14159265358979323846 * middle, h); /* a quarter of the way round */
    n[2] = cells_along(shape->radius - shape->inner_radius, h, 1);
    d.hexes = 6 * n[0] * n[0] * n[2];
    d.nodes = (6 * n[0] * n[0] + 2) * (n[2] + 1);
    break;
  }
  case SCR_SHAPE_MESH:
    d.spacing = h;
    if (isnan(h)) { /* the file's own */
      d.hexes = (double)shape->mesh.mesh->hexes.hex_count;
      d.nodes = (double)shape->mesh.mesh->hexes.node_count;
    } else {
      geo_box box = shape->mesh.mesh->box;
      scr_vec3 edges = vec3_sub(box.high, box.low);
      d.hexes = fmin(shape->mesh.mesh->volume / (h * h * h) + 8,
                     cells_along(edges.x, h, 1) * cells_along(edges.y, h, 1) * cells_along(edges.z, h, 1) * 1.5 + 8);
      d.nodes = 1.3 * d.hexes + 20;
    }
    break;
  case SCR_SHAPE_ARCH: {
    double a = 0.5 * shape->span, b = shape->rise - shape->leg;
    n[0] = 2 * round(0.5 * (3.14159265358979323846 * sqrt(0.5 * (a * a + b * b)) / h - 1)) + 1; /* odd: the one at the crown is level */
    n[0] = fmax(3, n[0]);
    n[1] = cells_along(shape->width, h, 1);
    n[2] = cells_along(shape->thickness, h, 1);
    slot[0] = shape->leg > 0 ? cells_along(shape->leg, h, 1) : 0;
    d.hexes = (n[0] + 2 * slot[0]) * n[1] * n[2];
    d.nodes = (n[0] + 2 * slot[0] + 1) * (n[1] + 1) * (n[2] + 1);
    break;
  }
  default:
    n[0] = n[1] = n[2] = cells_across(cbrt(4 * 3.14159265358979323846 / 3) * shape->radius, h);
    d.hexes = n[0] * n[1] * n[2];
    d.nodes = (n[0] + 1) * (n[1] + 1) * (n[2] + 1);
  }
  for (int k = 0; k < 3; k++) d.cells[k] = limited(n[k]);
  for (int k = 0; k < 2; k++) d.slot[k] = limited(slot[k]);
  return d;
}

/* The file's own elements, or the solid filled anew. */
static scr_status mesh_solid(const struct scr_mesh *solid, double spacing, geo_hexes *mesh, scr_error *error)
{
  const geo_hexes *from = &solid->hexes;
  if (!isnan(spacing)) return geo_hexes_fill(solid->tree, spacing, mesh, error);
  SCR_TRY(geo_hexes_create(from->node_count, from->hex_count, mesh, error));
  memcpy(mesh->node, from->node, from->node_count * sizeof *mesh->node);
  memcpy(mesh->hex, from->hex, from->hex_count * sizeof *mesh->hex);
  return SCR_OK;
}

scr_status fem_mesh_specimen(const scr_shape *shape, const fem_division *d, geo_hexes *mesh, scr_error *error)
{
  const double size[3] = {shape->size.x, shape->size.y, shape->size.z};
  switch (shape->kind) {
  case SCR_SHAPE_BOX: return geo_hexes_box(size, d->cells, mesh, error);
  case SCR_SHAPE_NOTCHED_BOX: return geo_hexes_notched_box(size, shape->notch_width, shape->notch_depth, d->cells, d->slot, mesh, error);
  case SCR_SHAPE_CYLINDER: return geo_hexes_cylinder(shape->radius, shape->length, d->cells[0], d->cells[2], mesh, error);
  case SCR_SHAPE_HOLLOW_SPHERE: return geo_hexes_hollow_ball(shape->radius, shape->inner_radius, d->cells[0], d->cells[2], mesh, error);
  case SCR_SHAPE_MESH: return mesh_solid(shape->mesh.mesh, d->spacing, mesh, error);
  case SCR_SHAPE_ARCH: {
    const geo_arch arch = {shape->span,  shape->rise, shape->thickness,
                           shape->width, shape->leg,  isnan(shape->foot) ? shape->thickness : shape->foot,
                           shape->heel};
    return geo_hexes_arch(&arch, d->cells[0], d->slot[0], d->cells + 1, mesh, error);
  }
  default: return geo_hexes_ball(shape->radius, d->cells[0], mesh, error);
  }
}

/* Of a shape with curved faces, m^3; NAN of others, which their elements fill. */
static double volume_of(const scr_shape *shape)
{
  const double pi = 3.14159265358979323846, r = shape->radius, inner = shape->inner_radius;
  switch (shape->kind) {
  case SCR_SHAPE_CYLINDER: return pi * r * r * shape->length;
  case SCR_SHAPE_SPHERE: return 4 * pi / 3 * r * r * r;
  case SCR_SHAPE_HOLLOW_SPHERE: return 4 * pi / 3 * (r * r * r - inner * inner * inner);
  case SCR_SHAPE_MESH: return shape->mesh.mesh->volume;
  default: return NAN;
  }
}

double fem_filled_share(const scr_shape *shape, double mesh_volume)
{
  const double rounding = 1e-9;
  double share = mesh_volume / volume_of(shape);
  return fabs(share - 1) > rounding ? share : 1;
}

scr_status fem_mesh_place(const geo_hexes *mesh, const scr_specimen *specimen, scr_vec3 position, geo_hexes *placed, scr_error *error)
{
  scr_quat turn = quat_exp(vec3_scale(specimen->rotation_axis, specimen->rotation_angle));
  *placed = (geo_hexes){.node_count = mesh->node_count, .hex_count = mesh->hex_count};
  placed->node = mem_array(mesh->node_count, sizeof *placed->node);
  placed->hex = mem_array(mesh->hex_count, sizeof *placed->hex);
  if (!placed->node || !placed->hex) {
    geo_hexes_clear(placed);
    return scr_fail_memory(error, "a mesh", mesh->node_count * sizeof *placed->node + mesh->hex_count * sizeof *placed->hex);
  }
  memcpy(placed->hex, mesh->hex, mesh->hex_count * sizeof *placed->hex);
  for (size_t n = 0; n < mesh->node_count; n++) {
    scr_vec3 x = vec3(mesh->node[n][0], mesh->node[n][1], mesh->node[n][2]);
    if (specimen->rotation_angle != 0) x = quat_rotate(turn, x);
    x = vec3_add(x, position);
    placed->node[n][0] = x.x, placed->node[n][1] = x.y, placed->node[n][2] = x.z;
  }
  return SCR_OK;
}

/* ── sides and areas ────────────────────────────────────────────────────────────────────────────────────────────── */

/* Integral of each corner's shape function over a face, m^2, by 2 x 2 Gauss points. @return its area */
static double face_shares(const geo_hexes *mesh, const uint32_t face[4], double share[4])
{
  const double at[2] = {0.5 - 0.5 / sqrt(3.0), 0.5 + 0.5 / sqrt(3.0)};
  double area = 0;
  for (int k = 0; k < 4; k++) share[k] = 0;
  for (int g = 0; g < 4; g++) {
    double s = at[g % 2], t = at[g / 2], b[4] = {(1 - s) * (1 - t), s * (1 - t), s * t, (1 - s) * t}, p[3], q[3];
    for (int i = 0; i < 3; i++) {
      double x[4];
      for (int k = 0; k < 4; k++) x[k] = mesh->node[face[k]][i];
      p[i] = (1 - t) * (x[1] - x[0]) + t * (x[2] - x[3]);
      q[i] = (1 - s) * (x[3] - x[0]) + s * (x[2] - x[1]);
    }
    double patch = 0.25 * vec3_length(vec3_cross(vec3(p[0], p[1], p[2]), vec3(q[0], q[1], q[2])));
    for (int k = 0; k < 4; k++) share[k] += patch * b[k];
    area += patch;
  }
  return area;
}

double fem_side_shares(const geo_hexes *mesh, const geo_hexes_surface *surface, fem_side side, double *share)
{
  memset(share, 0, mesh->node_count * sizeof *share);
  if (side == FEM_SIDE_NONE) return 0;
  int axis = ((int)side - 1) / 2;
  double sign = ((int)side - 1) % 2 ? 1 : -1, farthest = -INFINITY, nearest = INFINITY, total = 0;
  for (size_t n = 0; n < mesh->node_count; n++) {
    farthest = fmax(farthest, sign * mesh->node[n][axis]);
    nearest = fmin(nearest, sign * mesh->node[n][axis]);
  }
  for (size_t f = 0; f < surface->face_count; f++) {
    double of[4];
    bool on = true;
    for (int k = 0; k < 4; k++) on = on && sign * mesh->node[surface->face[f][k]][axis] >= farthest - 1e-9 * (farthest - nearest);
    if (!on) continue;
    total += face_shares(mesh, surface->face[f], of);
    for (int k = 0; k < 4; k++) share[surface->face[f][k]] += of[k];
  }
  for (size_t n = 0; total > 0 && n < mesh->node_count; n++) share[n] /= total;
  return total;
}

void fem_quarter_areas(const geo_hexes *mesh, const geo_hexes_surface *surface, double (*area)[4])
{
  for (size_t f = 0; f < surface->face_count; f++) (void)face_shares(mesh, surface->face[f], area[f]);
}
