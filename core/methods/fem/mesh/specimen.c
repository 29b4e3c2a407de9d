/* From shapes to meshes. */
#include "methods/fem/mesh/specimen.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/quat.h"
#include "scene/mesh_source.h"

bool fem_has_elements(const scr_shape *shape)
{
  return shape_is_mesh(shape) && shape->mesh.mesh && shape->mesh.mesh->hexes.hex_count > 0;
}

shape_division fem_divide(const scr_shape *shape, const fem_specimen *block)
{
  const double given[3] = {block->divisions.x, block->divisions.y, block->divisions.z};
  return shape_divide(shape, block->spacing, given);
}

double fem_filled_share(const scr_shape *shape, double mesh_volume)
{
  const double rounding = 1e-9;
  const scr_shape_form *form = shape_entry(shape->kind);
  double r = shape->radius, inner = shape->inner_radius, volume = scr_shape_volume(shape);
  if (!form->curved) return 1;
  if (form->ball) volume = inner > 0 ? 4 * M_PI / 3 * (r * r * r - inner * inner * inner) : 4 * M_PI / 3 * r * r * r; /* rounded as ever */
  double share = mesh_volume / volume;
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
