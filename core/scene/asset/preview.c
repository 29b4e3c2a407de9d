/* What a file of the store looks like as a specimen, and what would be said of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/image/image_read.h"
#include "geometry/mesh/files/mesh_read.h"
#include "geometry/mesh/mesh_thin.h"
#include "geometry/points/points.h"
#include "scene/mesh_source.h"

enum { VOXEL_LIMIT = 1 << 24, GRAINS_SHOWN = 200, TRIANGLES_MADE = 1 << 20, POINTS_KEPT = 3000, CELLS = 32 };

static bool report(void *user, const geo_mesh_fault *fault)
{
  scr_preview *preview = user;
  (void)scr_problems_add(&preview->problems, "", "", "a closed surface of triangles, counter-clockwise seen from outside", "%s",
                         fault->message);
  return preview->problems.count < SCENE_MESH_FAULT_LIMIT;
}

static scr_status look_at_mesh(geo_mesh *mesh, scr_preview *preview, scr_error *error)
{
  geo_mesh_measures measures;
  strcpy(preview->kind, "mesh");
  preview->grains = 1;
  SCR_TRY(geo_mesh_find_faults(mesh, report, preview, error));
  if (preview->problems.count > 0) return SCR_OK;
  SCR_TRY(geo_mesh_measure(mesh, &measures, error));
  preview->volume = measures.volume;
  return SCR_OK;
}

/* The first grains of an image, each a part. */
static scr_status add_grains(const geo_image *image, const geo_image_label *labels, size_t count, geo_mesh *mesh, scr_preview *preview,
                             scr_error *error)
{
  for (size_t k = 0; k < count && k < GRAINS_SHOWN && mesh->triangle_count < TRIANGLES_MADE; k++) {
    size_t first = mesh->triangle_count;
    scr_error gone = {0};
    scr_status status = geo_image_surface(image, &labels[k], 1, false, mesh, NULL, &gone);
    if (status == SCR_BAD_FILE)
      (void)scr_problems_add(&preview->problems, "", "", "grains thicker than the smoothing", "%s", gone.message);
    else if (status != SCR_OK)
      return scr_fail(error, status, NULL, "%s", gone.message);
    if (labels[k].pieces > 1)
      (void)scr_problems_add(&preview->problems, "", "", "labels in one piece", "label %u lies in %u pieces, of which the largest is taken",
                             labels[k].label, labels[k].pieces);
    for (size_t t = first; t < mesh->triangle_count; t++) mesh->part[t] = (uint32_t)k;
  }
  for (size_t k = 0; k < count; k++) preview->volume += labels[k].volume;
  preview->grains = count;
  return SCR_OK;
}

static scr_status look_at_image(const void *bytes, size_t size, geo_mesh *mesh, scr_preview *preview, scr_error *error)
{
  geo_image image = {0};
  geo_image_label *labels = NULL;
  size_t count = 0;
  strcpy(preview->kind, "image");
  preview->volume = 0;
  scr_status status = geo_image_read(bytes, size, VOXEL_LIMIT, &image, error);
  if (status == SCR_OK) status = geo_image_labels(&image, &labels, &count, error);
  if (status == SCR_OK) status = add_grains(&image, labels, count, mesh, preview, error);
  mem_free(labels);
  geo_image_clear(&image);
  return status;
}

static scr_status look_at_points(geo_points *points, geo_mesh *mesh, scr_preview *preview, scr_error *error)
{
  geo_points_hole holes[GEO_POINTS_HOLE_LIMIT];
  size_t count;
  geo_mesh_measures measures;
  strcpy(preview->kind, "points");
  preview->grains = 1;
  SCR_TRY(geo_points_thin(points, POINTS_KEPT, error));
  SCR_TRY(geo_points_normals(points, error));
  SCR_TRY(geo_points_surface(points, CELLS, mesh, holes, &count, error));
  SCR_TRY(geo_mesh_measure(mesh, &measures, error));
  preview->volume = measures.volume;
  for (size_t k = 0; k < count; k++)
    (void)scr_problems_add(&preview->problems, "", "", "points all around the body",
                           "the cloud has a hole near (%.6g, %.6g, %.6g): no point within %.4g of there; the surface was closed over it",
                           holes[k].at.x, holes[k].at.y, holes[k].at.z, holes[k].radius);
  return SCR_OK;
}

/* A file that is no image: a mesh, or else points. */
static scr_status look_at_other(const void *bytes, size_t size, geo_mesh *mesh, scr_preview *preview, scr_error *error)
{
  geo_points points = {0};
  scr_error no_mesh = {0}, no_points = {0};
  scr_status status = geo_mesh_read(bytes, size, SCENE_MESH_TRIANGLE_LIMIT, mesh, &no_mesh);
  if (status == SCR_OK) return look_at_mesh(mesh, preview, error);
  if (status == SCR_BAD_FILE) status = geo_points_read(bytes, size, &points, &no_points);
  if (status == SCR_OK)
    status = look_at_points(&points, mesh, preview, error);
  else if (status == SCR_BAD_FILE)
    scr_fail(error, status, NULL, "the file is not a mesh (%.180s), a cloud of points (%.120s) or a voxel image", no_mesh.message,
             no_points.message);
  geo_points_clear(&points);
  return status;
}

/* Hands the triangles over and says where they lie. */
static scr_status show(const geo_mesh *mesh, scr_preview *preview, scr_error *error)
{
  preview->vertex_count = mesh->vertex_count;
  preview->triangle_count = mesh->triangle_count;
  preview->vertices = malloc(3 * (mesh->vertex_count + 1) * sizeof *preview->vertices);
  preview->triangles = malloc(3 * (mesh->triangle_count + 1) * sizeof *preview->triangles);
  preview->parts = malloc((mesh->triangle_count + 1) * sizeof *preview->parts);
  if (!preview->vertices || !preview->triangles || !preview->parts) return scr_fail_memory(error, "a preview", mesh->triangle_count * 16);
  for (size_t v = 0; v < mesh->vertex_count; v++) {
    const double at[3] = {mesh->vertex[v].x, mesh->vertex[v].y, mesh->vertex[v].z};
    for (int a = 0; a < 3; a++) {
      preview->vertices[3 * v + (size_t)a] = (float)at[a];
      preview->low[a] = v ? fmin(preview->low[a], at[a]) : at[a];
      preview->high[a] = v ? fmax(preview->high[a], at[a]) : at[a];
    }
  }
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    for (size_t k = 0; k < 3; k++) preview->triangles[3 * t + k] = mesh->triangle[t][k];
    preview->parts[t] = mesh->part[t];
  }
  return SCR_OK;
}

/* Thinning walks through corners and coordinates: a mesh with others is told of and not drawn. */
static bool can_be_drawn(const geo_mesh *mesh)
{
  for (size_t v = 0; v < mesh->vertex_count; v++)
    if (!isfinite(mesh->vertex[v].x + mesh->vertex[v].y + mesh->vertex[v].z)) return false;
  for (size_t t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++)
      if (mesh->triangle[t][k] >= mesh->vertex_count) return false;
  return true;
}

scr_status scr_asset_preview(const void *bytes, size_t size, size_t triangle_limit, scr_preview *preview, scr_error *error)
{
  geo_mesh mesh = {0};
  *preview = (scr_preview){.volume = NAN};
  scr_status status = geo_image_is_known(bytes, size) ? look_at_image(bytes, size, &mesh, preview, error)
                                                      : look_at_other(bytes, size, &mesh, preview, error);
  preview->whole_count = mesh.triangle_count;
  if (status == SCR_OK && can_be_drawn(&mesh)) {
    status = geo_mesh_thin(&mesh, triangle_limit, error);
    if (status == SCR_OK) status = show(&mesh, preview, error);
  }
  geo_mesh_clear(&mesh);
  if (status != SCR_OK) scr_preview_clear(preview);
  return status;
}

void scr_preview_clear(scr_preview *preview)
{
  free(preview->vertices);
  free(preview->triangles);
  free(preview->parts);
  scr_problems_clear(&preview->problems);
  *preview = (scr_preview){0};
}
