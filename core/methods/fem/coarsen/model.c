/* A body at one fineness. */
#include "methods/fem/coarsen/model.h"

#include "base/memory.h"
#include "methods/fem/mesh/specimen.h"
#include "scene/part.h"

void fem_model_clear(fem_model *model)
{
  geo_hexes_clear(&model->own);
  geo_hexes_clear(&model->placed);
  fem_system_clear(&model->system);
  mem_free(model->fixed);
  fem_modes_clear(&model->modes);
  *model = (fem_model){0};
}

/* As fem_state does: a grip that slides holds what is along its axis. */
static void hold(const scr_scene *scene, fem_model *model)
{
  scr_part parts[SCR_PART_LIMIT];
  size_t count = scr_rig_parts(&scene->rig, parts);
  for (size_t n = 0; n < model->system.node_count; n++) {
    const double *x = model->system.rest + 3 * n;
    for (size_t p = 0; p < count; p++) {
      const double axis[3] = {parts[p].axis.x, parts[p].axis.y, parts[p].axis.z};
      if (!scr_part_holds(&parts[p], vec3(x[0], x[1], x[2]))) continue;
      for (size_t k = 0; k < 3; k++)
        if (!parts[p].slide || axis[k] != 0) model->fixed[3 * n + k] = 1;
    }
  }
  for (size_t k = 0; k < 3 * model->system.node_count; k++) model->free_count += !model->fixed[k];
}

scr_status fem_model_make(const scr_scene *scene, const fem_specimen *block, fem_law law, fem_formulation element, fem_model *model,
                          scr_error *error)
{
  const scr_specimen *specimen = &scene->specimens[0];
  const fem_material *material = fem_material_of(scene, specimen->material);
  shape_division division = fem_divide(&specimen->shape, block);
  SCR_TRY(shape_hexes(&specimen->shape, &division, &model->own, error));
  SCR_TRY(fem_mesh_place(&model->own, specimen, specimen->positions[0], &model->placed, error));
  const fem_constitutive constitutive = {law, element, fem_moduli_of(material->young_modulus, fem_poisson_ratio(material))};
  const fem_body body = {&model->placed, constitutive, material->density};
  SCR_TRY(fem_system_create(&body, 1, &model->system, error));
  model->fixed = mem_array(model->system.node_count, 3);
  if (!model->fixed) return scr_fail_memory(error, "what is held", 3 * model->system.node_count);
  hold(scene, model);
  model->rigid = fem_modes_rigid(&model->system, model->fixed);
  return SCR_OK;
}
