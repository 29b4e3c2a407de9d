/* How far and how fast parts go where spheres can meet them. */
#include "methods/bdem/contact/part_reach.h"

double bdem_part_span(const bdem_contacts *contacts, const bdem_body *body, size_t p)
{
  if (isfinite(contacts->rig[p].extent)) return contacts->rig[p].extent;
  scr_vec3 middle = contacts->parts[p].pose.position;
  double farthest = 0.0;
#pragma omp parallel for schedule(static) num_threads(contacts->threads) reduction(max : farthest) if (bdem_contacts_are_many(contacts))
  for (size_t i = 0; i < body->sphere_count; ++i)
    farthest = fmax(farthest, vec3_length(vec3_sub(body->position[i], middle)) + body->radius[i]);
  return farthest;
}

double bdem_part_travel(const bdem_contacts *contacts, const bdem_body *body, size_t p, const part_motion *before)
{
  const scr_part *rig = &contacts->rig[p];
  return part_travel(rig, before, &contacts->parts[p], rig->pivots ? bdem_part_span(contacts, body, p) : 0.0);
}

double bdem_part_speed(const bdem_contacts *contacts, const bdem_body *body, size_t p)
{
  const part_motion *part = &contacts->parts[p];
  double speed = vec3_length(part->velocity);
  return contacts->rig[p].turns ? speed + vec3_length(part->spin) * bdem_part_span(contacts, body, p) : speed;
}
