/* One contact after the other: they are few beside what a solve costs. */
#include "methods/bdem/implicit/stabilised_contact.h"

#include "base/memory.h"
#include "methods/bdem/contact/press.h"

/* Share a / (1 + a) by which the start is drawn back. */
static double anticipation(double damping_ratio, double stiffness, double inverse_mass, double dt)
{
  return -expm1(-2.0 * damping_ratio * sqrt(stiffness * inverse_mass) * dt);
}

static double inverse_mass(const bdem_body *body, uint32_t i)
{
  return body->held[i] ? 0.0 : 1.0 / body->mass[i];
}

/* Overlap of a pair, m, negative apart; `weight` receives the share of its stiffness that acts. False: faces are not opposite. */
static bool signed_overlap(const bdem_pair *pair, const bdem_body *body, double *overlap, double *weight)
{
  bdem_pair longer = *pair;
  bdem_press press;
  longer.reach += pair->face_i ? pair->width : 0.0;
  scr_vec3 d = vec3_sub(body->position[pair->j], body->position[pair->i]);
  *weight = 1.0;
  *overlap = pair->reach - vec3_length(d);
  if (!pair->face_i) return true;
  if (!bdem_pair_press(&longer, body, &press)) return false;
  *weight = press.stiffness / longer.stiffness;
  *overlap = press.overlap / *weight - pair->width;
  return true;
}

static double touch_overlap(const bdem_contacts *contacts, const bdem_touch *touch, const bdem_body *body)
{
  return touch->reach -
         scr_part_distance_posed(&contacts->rig[touch->part], &contacts->parts[touch->part].pose, body->position[touch->sphere]).distance;
}

/* Changes a law that begins at `overlap`. */
static void stabilise(bdem_contact_law *kept, double a, double overlap, double *reach, double *stiffness, double *shear)
{
  *kept = (bdem_contact_law){.reach = *reach, .stiffness = *stiffness, .shear = *shear, .overlap = overlap, .anticipation = a};
  *reach -= a / (1.0 + a) * overlap;
  *stiffness *= 1.0 + a;
  *shear /= 1.0 + a;
}

/* Energy that a step took out of one contact, J: what its force did less what its spring stores. */
static double taken_out(const bdem_contact_law *law, double weight, double end)
{
  double k = weight * law->stiffness, start = law->overlap, middle = 0.5 * (start + end);
  double force = k * fmax(0.0, middle + law->anticipation * (middle - start)), held = fmax(0.0, middle) * k;
  return (force - held) * (end - start);
}

static double damping_of(const bdem_contacts *contacts, uint32_t law)
{
  return contacts->laws ? contacts->laws[law].damping_ratio : 0.0;
}

scr_status bdem_contacts_stabilise(bdem_contacts *contacts, const bdem_body *body, double dt, scr_error *error)
{
  size_t count = contacts->pair_count + contacts->touch_count;
  SCR_TRY(mem_reserve(&contacts->plain, &contacts->plain_capacity, count, sizeof *contacts->plain, "the contacts of a step", error));
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    bdem_pair *pair = &contacts->pairs[k];
    double overlap = 0.0, weight = 0.0, inverse = inverse_mass(body, pair->i) + inverse_mass(body, pair->j);
    bool near = signed_overlap(pair, body, &overlap, &weight);
    double a = near ? anticipation(damping_of(contacts, pair->law), weight * pair->stiffness, inverse, dt) : 0.0;
    stabilise(&contacts->plain[k], a, overlap, &pair->reach, &pair->stiffness, &pair->shear);
  }
  for (size_t k = 0; k < contacts->touch_count; ++k) {
    bdem_touch *touch = &contacts->touches[k];
    bool facet = touch->facet;
    double inverse = inverse_mass(body, touch->sphere);
    double a = facet ? 0.0 : anticipation(damping_of(contacts, touch->law), touch->stiffness, inverse, dt);
    stabilise(&contacts->plain[contacts->pair_count + k], a, touch_overlap(contacts, touch, body), &touch->reach, &touch->stiffness,
              &touch->shear);
  }
  return SCR_OK;
}

double bdem_contacts_release(bdem_contacts *contacts, const bdem_body *body)
{
  double sum = 0.0, overlap, weight;
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    bdem_pair *pair = &contacts->pairs[k];
    const bdem_contact_law *law = &contacts->plain[k];
    pair->reach = law->reach;
    pair->stiffness = law->stiffness;
    pair->shear = law->shear;
    if (law->anticipation > 0.0 && signed_overlap(pair, body, &overlap, &weight)) sum += taken_out(law, weight, overlap);
  }
  for (size_t k = 0; k < contacts->touch_count; ++k) {
    bdem_touch *touch = &contacts->touches[k];
    const bdem_contact_law *law = &contacts->plain[contacts->pair_count + k];
    touch->reach = law->reach;
    touch->stiffness = law->stiffness;
    touch->shear = law->shear;
    if (law->anticipation > 0.0) sum += taken_out(law, 1.0, touch_overlap(contacts, touch, body));
  }
  return sum;
}
