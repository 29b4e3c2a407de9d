/* What contacts push with as they are: their overlaps, and friction's springs. */
#include "methods/bdem/view/contacts.h"

#include "base/memory.h"
#include "methods/bdem/contact/press.h"

static const double point_share = 0.2; /* radius of points of contact over that of the finest spheres */

static double least_radius(const bdem_state *s)
{
  double least = INFINITY;
  for (size_t k = 0; k < s->model.scene->specimen_count; ++k) least = fmin(least, s->model.substances[k].radius);
  return least;
}

scr_status bdem_declare_contacts(scr_sim *sim, bdem_state *s, scr_error *error)
{
  s->contact_view = (sim_contact_view){.forces = s->model.options->contact_forces};
  return contact_view_declare(sim, point_share * least_radius(s), &s->contact_view, error);
}

static sim_contact between(scr_vec3 from, scr_vec3 arm, const scr_vec3 *to, scr_vec3 push)
{
  scr_vec3 at = vec3_add(from, arm);
  return (sim_contact){.node = {from, at, to ? *to : at}, .node_count = to ? 3 : 2, .force = vec3_length(push), .push = push};
}

/* @param list [pair_count + touch_count] @return how many press */
static size_t collect(const bdem_contacts *contacts, const bdem_body *body, sim_contact *list)
{
  size_t count = 0;
  bdem_press press;
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    const bdem_pair *pair = &contacts->pairs[k];
    if (!bdem_pair_press(pair, body, &press)) continue;
    scr_vec3 held = vec3_scale(pair->spring, -pair->shear * pair->stiffness);
    list[count++] = between(body->position[pair->i], press.arm_i, &body->position[pair->j], vec3_sub(held, press.push));
  }
  for (size_t k = 0; k < contacts->touch_count; ++k) {
    const bdem_touch *touch = &contacts->touches[k];
    if (!bdem_touch_press(contacts, touch, body, &press)) continue;
    scr_vec3 held = vec3_scale(touch->spring, -touch->shear * touch->stiffness);
    list[count++] = between(body->position[touch->sphere], press.arm_i, NULL, vec3_add(press.push, held));
  }
  return count;
}

scr_status bdem_draw_contacts(const bdem_state *s, scr_frame *frame, scr_error *error)
{
  if (!s->contact_view.forces) return SCR_OK;
  size_t most = s->contacts.pair_count + s->contacts.touch_count;
  sim_contact *list = mem_array(most ? most : 1, sizeof *list);
  if (!list) return scr_fail_memory(error, "a picture of contacts", most * sizeof *list);
  size_t count = collect(&s->contacts, &s->body, list);
  scr_status status = contact_view_draw(&s->contact_view, frame, list, count, 0, error);
  mem_free(list);
  return status;
}
