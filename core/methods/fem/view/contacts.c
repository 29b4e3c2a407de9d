#include "methods/fem/view/contacts.h"

#include <math.h>

#include "base/memory.h"

static const double point_share = 0.05; /* radius of points of contact over the mean edge of elements */

scr_status fem_declare_contacts(scr_sim *sim, scr_error *error)
{
  fem_state *s = sim->state;
  s->contact_view = (sim_contact_view){.forces = s->options->contact_forces};
  return contact_view_declare(sim, point_share * s->solver.settings.edge, &s->contact_view, error);
}

/* The body that a touch's site is of. */
static size_t body_of(const fem_system *system, const fem_touch *touch)
{
  size_t low = 0, high = system->body_count;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (system->node_first[middle] <= touch->node[0])
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Between two bodies sites of either touch faces of the other: the force on the first of the bodies is the site's, or that reversed. */
static sim_contact contact_of(const fem_state *s, size_t parts, const fem_touch *touch)
{
  scr_vec3 push = vec3(0, 0, 0);
  for (int a = 0; a < 3; a++)
    push = vec3_add(push, vec3_scale(vec3(touch->axis[a][0], touch->axis[a][1], touch->axis[a][2]), touch->force[a]));
  if (touch->partner >= parts && body_of(&s->system, touch) > touch->partner - parts) push = vec3_scale(push, -1);
  return (sim_contact){.node = {touch->point, touch->point, touch->point}, .node_count = 2, .force = vec3_length(push), .push = push};
}

scr_status fem_draw_contacts(const fem_state *s, size_t parts, scr_frame *frame, scr_error *error)
{
  const fem_touches *touches = &s->solver.touches;
  if (!s->contact_view.forces) return SCR_OK;
  sim_contact *list = mem_array(touches->count ? touches->count : 1, sizeof *list);
  if (!list) return scr_fail_memory(error, "a picture of contacts", touches->count * sizeof *list);
  for (size_t k = 0; k < touches->count; k++) list[k] = contact_of(s, parts, &touches->item[k]);
  scr_status status = contact_view_draw(&s->contact_view, frame, list, touches->count, 0, error);
  mem_free(list);
  return status;
}

/* A body touches by three sides at most: of n nodes in a cube, by n^(2/3) each. */
void fem_estimate_contacts(const fem_options *options, double nodes, scr_estimate *estimate)
{
  contact_view_estimate(false, options->contact_forces, fmin(nodes, 3 * pow(nodes, 2.0 / 3)), estimate);
}
