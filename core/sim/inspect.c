/* What a method makes of a scene's specimens, for programs that only have the public header. */
#include <string.h>

#include "geometry/mesh/files/mesh_write.h"
#include "sim/method.h"

static const scr_method *method_of(const scr_scene *scene)
{
  return (const scr_method *)(const void *)scene->method;
}

static scr_status find(const scr_scene *scene, const char *name, size_t *number, scr_error *error)
{
  *number = 0;
  if (!name) return SCR_OK;
  for (; *number < scene->specimen_count; ++*number)
    if (strcmp(scene->specimens[*number].name, name) == 0) return SCR_OK;
  return scr_fail(error, SCR_BAD_USAGE, NULL, "the scene has no specimen '%.60s'", name);
}

scr_status scr_template_json(const scr_scene *scene, const char *specimen, char **json, scr_error *error)
{
  json_writer writer = {0};
  size_t number;
  *json = NULL;
  if (!method_of(scene)->inspect)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "method '%s' makes no templates of specimens; lsdem does", scene->method->name);
  SCR_TRY(find(scene, specimen, &number, error));
  scr_status status = method_of(scene)->inspect(scene, number, &writer, error);
  char *text = jw_take(&writer);
  if (status == SCR_OK && !text) status = scr_fail_memory(error, "a description", 0);
  if (status == SCR_OK)
    *json = text;
  else
    scr_free(text);
  return status;
}

scr_status scr_template_surface(const scr_scene *scene, const char *specimen, size_t mode, double amplitude, char **ply, size_t *size, scr_error *error)
{
  geo_mesh mesh = {0};
  text_builder text = {0};
  size_t number;
  *ply = NULL;
  if (!method_of(scene)->surface)
    return scr_fail(error, SCR_BAD_USAGE, NULL, "method '%s' makes no templates of specimens; lsdem does", scene->method->name);
  SCR_TRY(find(scene, specimen, &number, error));
  scr_status status = method_of(scene)->surface(scene, number, mode, amplitude, &mesh, error);
  if (status == SCR_OK) geo_mesh_write_ply(&mesh, scene->specimens[number].name, &text);
  geo_mesh_clear(&mesh);
  if (status != SCR_OK) return status;
  *size = text.length;
  *ply = text_take(&text);
  return *ply ? SCR_OK : scr_fail_memory(error, "a surface", *size);
}
