/* Checks and copies of drawables. */
#include "record/drawable.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static scr_status check_count(const scr_drawable *drawable, scr_error *error)
{
  static const struct {
    const char *elements;
    uint32_t limit;
  } kinds[] = {[SCR_DRAW_POINTS] = {"points", UINT32_MAX},
               [SCR_DRAW_PLANES] = {"planes", SCR_PLANE_LIMIT},
               [SCR_DRAW_CYLINDERS] = {"cylinders", SCR_CYLINDER_LIMIT},
               [SCR_DRAW_MESH] = {"bodies", SCR_MESH_LIMIT}};
  if (drawable->kind < SCR_DRAW_POINTS || drawable->kind > SCR_DRAW_MESH)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "drawable '%s' has the unknown kind %u", drawable->name, drawable->kind);
  if (drawable->element_count > kinds[drawable->kind].limit)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "drawable '%s' has %u %s; at most %u are allowed", drawable->name, drawable->element_count,
                    kinds[drawable->kind].elements, kinds[drawable->kind].limit);
  return SCR_OK;
}

static bool is_place(const scr_field *field)
{
  return field->components == 3 && field->encoding != SCR_ENCODING_UINT32;
}

static scr_status check_fields(const scr_drawable *drawable, scr_error *error)
{
  const char *name = drawable->name;
  if (drawable->field_count < 1 || drawable->field_count > SCR_FIELD_LIMIT)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "drawable '%s' has %u fields; 1 to %d are allowed", name, drawable->field_count,
                    SCR_FIELD_LIMIT);
  for (uint32_t f = 0; f < drawable->field_count; f++) {
    const scr_field *field = &drawable->fields[f];
    if (field->encoding > SCR_ENCODING_UINT32 || (field->components != 1 && field->components != 3))
      return scr_fail(error, SCR_BAD_USAGE, NULL,
                      "field '%s' of drawable '%s' has encoding %u and %u components; 0 to 2 and 1 or 3 are allowed", field->name, name,
                      field->encoding, field->components);
  }
  if (!is_place(&drawable->fields[0]))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "field 0 of drawable '%s' must be its position: 3 components, float32 or uint16", name);
  if (drawable->kind == SCR_DRAW_MESH && !drawable->changing && (drawable->field_count < 2 || !is_place(&drawable->fields[1])))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "field 1 of drawable '%s' must be its orientation: 3 components, float32 or uint16", name);
  return SCR_OK;
}

/* A skin is declared by its fields; how many elements it has is up to the frames. */
static scr_status check_skin(const scr_drawable *drawable, scr_error *error)
{
  const scr_field *fragment = &drawable->fields[SCR_SKIN_FRAGMENT], *corners = &drawable->fields[SCR_SKIN_CORNERS];
  if (drawable->kind == SCR_DRAW_MESH && drawable->element_count == 0 && drawable->field_count == SCR_SKIN_FIELDS &&
      fragment->components == 1 && fragment->encoding == SCR_ENCODING_UINT32 && corners->components == 3 &&
      corners->encoding == SCR_ENCODING_UINT32)
    return SCR_OK;
  return scr_fail(error, SCR_BAD_USAGE, NULL,
                  "the changing mesh '%s' must have no elements and the fields position, fragment (uint32) and corners (3 of uint32)",
                  drawable->name);
}

static scr_status check_body(const scr_drawable *drawable, const scr_mesh_shape *body, scr_error *error)
{
  const geo_mesh *mesh = &body->mesh;
  for (size_t v = 0; v < mesh->vertex_count; v++) {
    scr_vec3 at = mesh->vertex[v];
    /* Written so that a NaN is caught too. */
    if (!(fmax(fmax(fabs(at.x), fabs(at.y)), fabs(at.z)) <= GEO_MESH_COORDINATE_LIMIT) || isnan(at.x + at.y + at.z))
      return scr_fail(error, SCR_BAD_USAGE, NULL, "vertex %zu of body '%s' of drawable '%s' is at (%g, %g, %g) m; at most %g m is allowed",
                      v, body->name, drawable->name, at.x, at.y, at.z, GEO_MESH_COORDINATE_LIMIT);
  }
  for (size_t t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++)
      if (mesh->triangle[t][k] >= mesh->vertex_count)
        return scr_fail(error, SCR_BAD_USAGE, NULL, "triangle %zu of body '%s' of drawable '%s' names vertex %u; there are %zu", t,
                        body->name, drawable->name, mesh->triangle[t][k], mesh->vertex_count);
  return SCR_OK;
}

static scr_status check_bodies(const scr_drawable *drawable, scr_error *error)
{
  size_t vertices = 0, triangles = 0;
  if (drawable->element_count && !drawable->meshes)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "drawable '%s' has %u bodies without triangles", drawable->name, drawable->element_count);
  for (uint32_t i = 0; i < drawable->element_count; i++) {
    const geo_mesh *mesh = &drawable->meshes[i].mesh;
    if (mesh->vertex_count > SCR_MESH_TRIANGLE_LIMIT || mesh->triangle_count > SCR_MESH_TRIANGLE_LIMIT ||
        (vertices += mesh->vertex_count) > SCR_MESH_TRIANGLE_LIMIT || (triangles += mesh->triangle_count) > SCR_MESH_TRIANGLE_LIMIT)
      return scr_fail(error, SCR_BAD_USAGE, NULL,
                      "the bodies of drawable '%s' have more than %d vertices or triangles: give coarser meshes, or fewer", drawable->name,
                      SCR_MESH_TRIANGLE_LIMIT);
  }
  for (uint32_t i = 0; i < drawable->element_count; i++) SCR_TRY(check_body(drawable, &drawable->meshes[i], error));
  return SCR_OK;
}

scr_status drawable_check(const scr_drawable *drawable, scr_error *error)
{
  SCR_TRY(check_count(drawable, error));
  SCR_TRY(check_fields(drawable, error));
  if (drawable->changing) return check_skin(drawable, error);
  return drawable->kind == SCR_DRAW_MESH ? check_bodies(drawable, error) : SCR_OK;
}

uint32_t drawable_fragment_field(const scr_drawable *drawable)
{
  for (uint32_t f = 1; drawable->kind == SCR_DRAW_POINTS && f < drawable->field_count; f++)
    if (strcmp(drawable->fields[f].name, "fragment") == 0 && drawable->fields[f].encoding == SCR_ENCODING_UINT32) return f;
  return UINT32_MAX;
}

static scr_status copy_body(const scr_mesh_shape *from, scr_mesh_shape *to, scr_error *error)
{
  memcpy(to->name, from->name, sizeof to->name);
  for (size_t v = 0; v < from->mesh.vertex_count; v++) SCR_TRY(geo_mesh_add_vertex(&to->mesh, from->mesh.vertex[v], error));
  for (size_t t = 0; t < from->mesh.triangle_count; t++) {
    const uint32_t *corner = from->mesh.triangle[t];
    SCR_TRY(geo_mesh_add_triangle(&to->mesh, corner[0], corner[1], corner[2], 0, error));
  }
  return SCR_OK;
}

scr_status drawable_copy(const scr_drawable *drawable, scr_drawable *copy, scr_error *error)
{
  *copy = *drawable;
  copy->meshes = NULL;
  if (drawable->kind != SCR_DRAW_MESH) return SCR_OK;
  copy->meshes = mem_array(drawable->element_count, sizeof *copy->meshes);
  if (!copy->meshes) return scr_fail_memory(error, "the bodies of a drawable", drawable->element_count * sizeof *copy->meshes);
  scr_status status = SCR_OK;
  for (uint32_t i = 0; i < drawable->element_count && status == SCR_OK; i++)
    status = copy_body(&drawable->meshes[i], &copy->meshes[i], error);
  if (status != SCR_OK) drawable_clear(copy);
  return status;
}

void drawable_clear(scr_drawable *drawable)
{
  for (uint32_t i = 0; drawable->meshes && i < drawable->element_count; i++) geo_mesh_clear(&drawable->meshes[i].mesh);
  mem_free(drawable->meshes);
  drawable->meshes = NULL;
}
