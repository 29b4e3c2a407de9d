/* Previews of specimens as texts, files and arrays. */
#include "sim/preview.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/mesh/files/mesh_write.h"
#include "scree.h"

static scr_status find(const scr_scene *scene, const char *name, size_t *number, scr_error *error)
{
  *number = 0;
  if (!name) return SCR_OK;
  for (; *number < scene->specimen_count; ++*number)
    if (strcmp(scene->specimens[*number].name, name) == 0) return SCR_OK;
  return scr_fail(error, SCR_BAD_USAGE, NULL, "the scene has no specimen '%.60s'", name);
}

scr_status sim_preview_json(const scr_scene *scene, const char *specimen, char **json, scr_error *error)
{
  json_writer writer = {0};
  size_t number;
  *json = NULL;
  SCR_TRY(find(scene, specimen, &number, error));
  scr_status status = scene->method->preview->describe(scene, number, &writer, error);
  char *text = jw_take(&writer);
  if (status == SCR_OK && !text) status = scr_fail_memory(error, "a description", 0);
  if (status == SCR_OK)
    *json = text;
  else
    scr_free(text);
  return status;
}

/* The surface of a specimen and its modes' fields. */
static scr_status take_surface(const scr_scene *scene, const char *specimen, geo_mesh *mesh, scr_vec3 **fields, size_t *modes,
                               scr_error *error)
{
  size_t number;
  *fields = NULL;
  *modes = 0;
  SCR_TRY(find(scene, specimen, &number, error));
  return scene->method->preview->surface(scene, number, mesh, fields, modes, error);
}

/* Moves the surface by a mode and writes it. */
static scr_status write_moved(geo_mesh *mesh, const scr_vec3 *fields, size_t modes, size_t mode, double amplitude, text_builder *text,
                              scr_error *error)
{
  if (mode > modes) return scr_fail(error, SCR_BAD_USAGE, NULL, "the specimen has %zu modes; there is no mode %zu", modes, mode);
  for (size_t v = 0; v < mesh->vertex_count && mode; v++)
    mesh->vertex[v] = vec3_add(mesh->vertex[v], vec3_scale(fields[(mode - 1) * mesh->vertex_count + v], amplitude));
  geo_mesh_write_ply(mesh, "template", text);
  return SCR_OK;
}

scr_status sim_preview_surface(const scr_scene *scene, const char *specimen, size_t mode, double amplitude, char **ply, size_t *size,
                               scr_error *error)
{
  geo_mesh mesh = {0};
  text_builder text = {0};
  scr_vec3 *fields;
  size_t modes;
  *ply = NULL;
  scr_status status = take_surface(scene, specimen, &mesh, &fields, &modes, error);
  if (status == SCR_OK) status = write_moved(&mesh, fields, modes, mode, amplitude, &text, error);
  geo_mesh_clear(&mesh);
  mem_free(fields);
  if (status != SCR_OK) return status;
  *size = text.length;
  *ply = text_take(&text);
  return *ply ? SCR_OK : scr_fail_memory(error, "a surface", *size);
}

static scr_status copy_shape(const geo_mesh *mesh, const scr_vec3 *fields, scr_preview_shape *shape, scr_error *error)
{
  size_t n = mesh->vertex_count;
  shape->vertices = malloc((3 * n + 1) * sizeof *shape->vertices);
  shape->triangles = malloc((3 * mesh->triangle_count + 1) * sizeof *shape->triangles);
  shape->fields = malloc((3 * n * shape->mode_count + 1) * sizeof *shape->fields);
  if (!shape->vertices || !shape->triangles || !shape->fields)
    return scr_fail_memory(error, "a template's picture", 3 * n * (shape->mode_count + 2) * sizeof(float));
  shape->vertex_count = n;
  shape->triangle_count = mesh->triangle_count;
  for (size_t v = 0; v < n; v++) {
    const double at[3] = {mesh->vertex[v].x, mesh->vertex[v].y, mesh->vertex[v].z};
    for (size_t a = 0; a < 3; a++) shape->vertices[3 * v + a] = (float)at[a];
  }
  for (size_t t = 0; t < mesh->triangle_count; t++)
    for (size_t k = 0; k < 3; k++) shape->triangles[3 * t + k] = mesh->triangle[t][k];
  for (size_t k = 0; k < n * shape->mode_count; k++) {
    const double by[3] = {fields[k].x, fields[k].y, fields[k].z};
    for (size_t a = 0; a < 3; a++) shape->fields[3 * k + a] = (float)by[a];
  }
  return SCR_OK;
}

scr_status sim_preview_shape(const scr_scene *scene, const char *specimen, scr_preview_shape *shape, scr_error *error)
{
  geo_mesh mesh = {0};
  scr_vec3 *fields;
  *shape = (scr_preview_shape){0};
  scr_status status = take_surface(scene, specimen, &mesh, &fields, &shape->mode_count, error);
  if (status == SCR_OK) status = copy_shape(&mesh, fields, shape, error);
  geo_mesh_clear(&mesh);
  mem_free(fields);
  if (status != SCR_OK) scr_preview_shape_clear(shape);
  return status;
}

void scr_preview_shape_clear(scr_preview_shape *shape)
{
  free(shape->vertices);
  free(shape->triangles);
  free(shape->fields);
  *shape = (scr_preview_shape){0};
}
