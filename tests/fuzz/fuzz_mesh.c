/* Fuzzes the readers of mesh files and all that a mesh goes through after them: check, measures, distances, and writing and reading again,
 * which must give the same triangles. */
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh/mesh_distance.h"
#include "geometry/mesh/files/mesh_read.h"
#include "geometry/mesh/files/mesh_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { triangle_limit = 20000 };

static void must_read_back(const geo_mesh *mesh, text_builder *text)
{
  geo_mesh back = {0};
  size_t length = text->length;
  char *bytes = text_take(text);
  if (!bytes || geo_mesh_read(bytes, length, triangle_limit, &back, NULL) != SCR_OK) abort();
  if (back.triangle_count != mesh->triangle_count) abort();
  for (size_t t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      scr_vec3 a = mesh->vertex[mesh->triangle[t][k]], b = back.vertex[back.triangle[t][k]];
      if (a.x != b.x || a.y != b.y || a.z != b.z) abort();
    }
  geo_mesh_clear(&back);
  free(bytes);
}

static void ask_distances(const geo_mesh *mesh)
{
  geo_mesh_tree *tree;
  if (geo_mesh_tree_create(mesh, &tree, NULL) != SCR_OK) return;
  const scr_vec3 points[] = {{0, 0, 0}, {0.1, 0.2, 0.3}, mesh->vertex[0], {1e9, -1e9, 1e-300}};
  for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
    geo_nearest nearest = geo_mesh_nearest(tree, points[k]);
    if (!isfinite(nearest.distance) || !(fabs(vec3_length(nearest.gradient) - 1.0) < 1e-6)) abort();
  }
  geo_mesh_tree_destroy(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  geo_mesh mesh = {0};
  geo_mesh_measures measures;
  text_builder text = {0};
  if (geo_mesh_read(data, size, triangle_limit, &mesh, NULL) != SCR_OK) {
    if (mesh.vertex || mesh.triangle) abort();
    return 0;
  }
  if (geo_mesh_measure(&mesh, &measures, NULL) != SCR_OK) abort();
  ask_distances(&mesh);
  geo_mesh_write_stl(&mesh, 0, mesh.triangle_count, "fuzz", &text);
  must_read_back(&mesh, &text);
  geo_mesh_write_ply(&mesh, "fuzz", &text);
  must_read_back(&mesh, &text);
  geo_mesh_clear(&mesh);
  return 0;
}
