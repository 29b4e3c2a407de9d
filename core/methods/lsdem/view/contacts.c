/* A contact is at the middle of its nodes, weighted by their forces, and pushes with all of them. */
#include "methods/lsdem/view/contacts.h"

#include "base/memory.h"

/* Radius of the thread with the largest force, and of points of contact, over the least radius of a grain. */
static const double thread_share = 0.1, point_share = 0.03;

static double least_radius(const lsdem_state *s)
{
  double least = INFINITY;
  for (size_t k = 0; k < s->template_count; k++) least = fmin(least, s->templates[k].body.radius);
  return least;
}

scr_status lsdem_declare_contacts(scr_sim *sim, scr_error *error)
{
  lsdem_state *s = sim->state;
  s->contact_view = (sim_contact_view){.chains = s->options->force_chains, .forces = s->options->contact_forces};
  return contact_view_declare(sim, point_share * least_radius(s), &s->contact_view, error);
}

static sim_contact contact_of(const lsdem_state *s, const lsdem_share *share)
{
  scr_vec3 at = share->pressing > 0 ? vec3_scale(share->middle, 1 / share->pressing) : s->grains[share->slave].position;
  bool two = share->master < s->grain_count;
  return (sim_contact){.node = {s->grains[share->slave].position, at, two ? s->grains[share->master].position : at},
                       .node_count = two ? 3 : 2,
                       .force = vec3_length(share->push),
                       .push = share->push};
}

scr_status lsdem_draw_contacts(const lsdem_state *s, scr_frame *frame, scr_error *error)
{
  size_t count = s->near.share_count;
  if (!s->contact_view.chains && !s->contact_view.forces) return SCR_OK;
  sim_contact *contacts = mem_array(count ? count : 1, sizeof *contacts);
  if (!contacts) return scr_fail_memory(error, "a picture of contacts", count * sizeof *contacts);
  for (size_t c = 0; c < count; c++) contacts[c] = contact_of(s, &s->near.shares[c]);
  scr_status status = contact_view_draw(&s->contact_view, frame, contacts, count, thread_share * least_radius(s), error);
  mem_free(contacts);
  return status;
}
