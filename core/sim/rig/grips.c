/* Elements in grips: which they are, where they are taken. */
#include "sim/rig/grips.h"

#include "base/memory.h"

scr_status grips_create(sim_grips *grips, const sim_parts *parts, size_t count, grip_place_of place, const void *bodies, scr_error *error)
{
  size_t all = 0;
  for (size_t p = 0; p < parts->count; p++) {
    for (size_t i = 0; parts->form[p].kind == SCR_PART_GRIP && i < count; i++) all += scr_part_holds(&parts->form[p], place(bodies, i));
    grips->first[p + 1] = all;
  }
  if (all == 0) return SCR_OK;
  SCR_TRY(mem_allocate(&grips->held, all, sizeof *grips->held, "what grips hold", error));
  for (size_t p = 0; p < parts->count; p++)
    for (size_t i = 0; parts->form[p].kind == SCR_PART_GRIP && i < count; i++)
      if (scr_part_holds(&parts->form[p], place(bodies, i)))
        grips->held[grips->count++] = (grip_held){(uint32_t)i, (uint32_t)p, place(bodies, i)};
  return SCR_OK;
}

void grips_clear(sim_grips *grips)
{
  mem_free(grips->held);
  *grips = (sim_grips){0};
}

grip_mask grip_rules(const scr_part *form)
{
  if (!form->slide) return GRIP_ALL;
  return form->axis.x != 0 ? 1 : form->axis.y != 0 ? 2 : 4;
}

scr_vec3 grip_place(const scr_part *form, const part_motion *motion, scr_vec3 start, scr_quat *turn)
{
  scr_quat turned = quat_exp(vec3_scale(form->axis, motion->angle));
  if (turn) *turn = turned;
  if (!form->turns) return vec3_add(start, vec3_sub(motion->pose.position, form->start));
  return vec3_add(motion->pose.position, quat_rotate(turned, vec3_sub(start, form->start)));
}

scr_vec3 grip_velocity(const scr_part *form, const part_motion *now, const part_motion *from, double dt, scr_vec3 start)
{
  if (!form->turns) return from ? vec3_scale(vec3_sub(now->pose.position, from->pose.position), 1 / dt) : now->velocity;
  scr_vec3 place = grip_place(form, now, start, NULL);
  if (from) return vec3_scale(vec3_sub(place, grip_place(form, from, start, NULL)), 1 / dt);
  return vec3_add(now->velocity, vec3_cross(now->spin, vec3_sub(place, now->pose.position)));
}
