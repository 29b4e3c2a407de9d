/* Previews of specimens, of the methods that offer them. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "methods/methods.h"

/* Refuses methods without a preview, naming those that have one. */
static scr_status check_preview(const scr_scene *scene, scr_error *error)
{
  char names[256] = "";
  if (scene->method->preview) return SCR_OK;
  for (size_t k = 0; scr_methods[k]; k++)
    if (scr_methods[k]->about.preview)
      snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", names[0] ? ", " : "", scr_methods[k]->about.name);
  return scr_fail(error, SCR_BAD_USAGE, NULL, "method '%s' shows nothing of specimens before a run; methods that do: %s",
                  scene->method->name, names[0] ? names : "none");
}

scr_status scr_specimen_preview_json(const scr_scene *scene, const char *specimen, char **json, scr_error *error)
{
  *json = NULL;
  SCR_TRY(check_preview(scene, error));
  return sim_preview_json(scene, specimen, json, error);
}

scr_status scr_specimen_preview_surface(const scr_scene *scene, const char *specimen, size_t mode, double amplitude, char **ply,
                                        size_t *size, scr_error *error)
{
  *ply = NULL;
  SCR_TRY(check_preview(scene, error));
  return sim_preview_surface(scene, specimen, mode, amplitude, ply, size, error);
}

scr_status scr_specimen_preview_shape(const scr_scene *scene, const char *specimen, scr_preview_shape *shape, scr_error *error)
{
  *shape = (scr_preview_shape){0};
  SCR_TRY(check_preview(scene, error));
  return sim_preview_shape(scene, specimen, shape, error);
}
