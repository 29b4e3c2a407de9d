#include "geometry/touch/piece.h"

#include "base/memory.h"
#include "geometry/mesh/mesh_shapes.h"

scr_status geo_piece_make_box(scr_vec3 low, scr_vec3 high, geo_piece *piece, scr_error *error)
{
  geo_mesh mesh = {0};
  bool convex = false;
  scr_vec3 half = vec3_scale(vec3_sub(high, low), 0.5);
  *piece = (geo_piece){.turn = quat_identity()};
  scr_status status = geo_mesh_add_box(&mesh, half, error);
  if (status == SCR_OK) status = geo_hull_create(&mesh, &piece->hull, &convex, error);
  geo_mesh_clear(&mesh);
  piece->kind = GEO_PIECE_HULL;
  piece->place = vec3_scale(vec3_add(low, high), 0.5);
  geo_piece_set_extent(piece, vec3_length(half));
  return status;
}

/* Points on sides longer than `spacing`, and within triangles larger than it, besides the corners: none is farther from one than about
 * that. */
static scr_status add_samples(const geo_mesh *mesh, double spacing, scr_vec3 *sample, size_t *count)
{
  *count = 0;
  for (size_t v = 0; v < mesh->vertex_count && *count < GEO_PIECE_SAMPLE_LIMIT; v++) sample[(*count)++] = mesh->vertex[v];
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    scr_vec3 a = mesh->vertex[mesh->triangle[t][0]], b = mesh->vertex[mesh->triangle[t][1]], c = mesh->vertex[mesh->triangle[t][2]];
    double longest = fmax(vec3_length(vec3_sub(b, a)), fmax(vec3_length(vec3_sub(c, b)), vec3_length(vec3_sub(a, c))));
    int cuts = (int)fmin(ceil(longest / spacing), 64);
    for (int i = 0; i <= cuts; i++)
      for (int j = 0; i + j <= cuts; j++) {
        int k = cuts - i - j;
        bool corner = i == cuts || j == cuts || k == cuts;
        bool shared = (i == 0 && mesh->triangle[t][1] > mesh->triangle[t][2]) || (j == 0 && mesh->triangle[t][2] > mesh->triangle[t][0]) ||
                      (k == 0 && mesh->triangle[t][0] > mesh->triangle[t][1]); /* the side is the other triangle's to sample */
        if (corner || shared || *count >= GEO_PIECE_SAMPLE_LIMIT) continue;
        scr_vec3 p = vec3_add(vec3_scale(a, (double)i / cuts), vec3_add(vec3_scale(b, (double)j / cuts), vec3_scale(c, (double)k / cuts)));
        sample[(*count)++] = p;
      }
  }
  return SCR_OK;
}

scr_status geo_piece_make_mesh(const geo_mesh *mesh, const geo_mesh_tree *tree, geo_piece *piece, scr_error *error)
{
  bool convex = false;
  double extent = 0, area = 0;
  *piece = (geo_piece){.turn = quat_identity()};
  SCR_TRY(geo_hull_create(mesh, &piece->hull, &convex, error));
  for (size_t v = 0; v < mesh->vertex_count; v++) extent = fmax(extent, vec3_length(mesh->vertex[v]));
  geo_piece_set_extent(piece, extent);
  piece->kind = convex ? GEO_PIECE_HULL : GEO_PIECE_MESH;
  if (convex) return SCR_OK;
  for (size_t t = 0; t < mesh->triangle_count; t++) area += 0.5 * vec3_length(geo_mesh_area_normal(mesh, t));
  piece->tree = tree;
  SCR_TRY(mem_allocate(&piece->sample, GEO_PIECE_SAMPLE_LIMIT, sizeof *piece->sample, "points of a mesh", error));
  return add_samples(mesh, sqrt(area / 1000), piece->sample, &piece->sample_count);
}

void geo_piece_clear(geo_piece *piece)
{
  geo_hull_clear(&piece->hull);
  mem_free(piece->sample);
  *piece = (geo_piece){0};
}
