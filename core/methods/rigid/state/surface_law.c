/* The law of contact between two bodies, or a body and a part of the rig. */
#include "methods/rigid/state/state.h"

static uint32_t partner_of(const rigid_state *s, uint32_t body)
{
  return body < s->body_count ? s->bodies[body].material : (uint32_t)s->scene->material_count;
}

const rigid_surface *rigid_law(const rigid_state *s, uint32_t a, uint32_t b)
{
  return scr_scene_surface(s->scene, partner_of(s, a), partner_of(s, b));
}
