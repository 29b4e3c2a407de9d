/* Pieces of parts that free parts of any shape meet. */
#include "methods/granular/bodies/shapes.h"

#include <math.h>

#include "base/memory.h"
#include "sim/rig/part_touch.h"

double granular_round(const scr_part *form, bool plane)
{
  if (form->kind == SCR_PART_SOLID) return form->solid.kind == GEO_PLACED_SPHERE ? form->solid.radius : 0;
  return plane && form->kind == SCR_PART_CYLINDER && fabs(form->along.y) > 1 - 1e-9 ? form->radius : 0;
}

static bool is_solid(const scr_part *form)
{
  return form->kind == SCR_PART_SOLID || form->kind == SCR_PART_CYLINDER;
}

scr_status granular_shapes_create(const sim_parts *parts, bool plane, struct granular_shapes **shapes, scr_error *error)
{
  size_t vectors = 0;
  bool any = false;
  *shapes = NULL;
  for (size_t p = 0; p < parts->count; p++) any = any || (parts->form[p].is_free && !(granular_round(&parts->form[p], plane) > 0));
  if (!any) return SCR_OK;
  struct granular_shapes *made = *shapes = mem_array(1, sizeof *made);
  if (!made) return scr_fail_memory(error, "shapes of parts", sizeof *made);
  for (size_t p = 0; p < parts->count; p++) {
    if (!is_solid(&parts->form[p])) continue;
    SCR_TRY(part_piece(&parts->form[p], &made->piece[p], error));
    vectors += geo_placed_vectors(&made->piece[p]);
  }
  return mem_allocate(&made->vectors, vectors + 1, sizeof *made->vectors, "shapes of parts", error);
}

void granular_shapes_destroy(struct granular_shapes *shapes)
{
  if (!shapes) return;
  for (size_t p = 0; p < SCR_PART_LIMIT; p++) geo_piece_clear(&shapes->piece[p]);
  mem_free(shapes->vectors);
  mem_free(shapes->touches.items);
  mem_free(shapes);
}

void granular_shapes_place(struct granular_shapes *shapes, const sim_parts *parts, const part_motion *motion)
{
  size_t used = 0;
  for (size_t p = 0; p < parts->count; p++) {
    const scr_pose *pose = &motion[p].pose;
    if (!is_solid(&parts->form[p])) continue;
    used += geo_place(&shapes->piece[p], pose->position, pose->rotation, 1, shapes->vectors + used, &shapes->placed[p]);
  }
}
