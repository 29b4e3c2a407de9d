/* Energies, forces and curvature of listed contacts. */
#include "methods/bdem/contact.h"

#include "base/memory.h"

void bdem_contacts_clear(bdem_contacts *contacts)
{
  mem_free(contacts->pairs);
  mem_free(contacts->spare);
  mem_free(contacts->touches);
  *contacts = (bdem_contacts){0};
}

double bdem_pair_overlap(const bdem_pair *pair, const bdem_body *body, scr_vec3 *normal)
{
  scr_vec3 e = vec3_sub(body->position[pair->j], body->position[pair->i]);
  double square = vec3_dot(e, e);
  if (!(square < pair->reach * pair->reach) || square == 0.0) return 0.0;
  double length = sqrt(square);
  *normal = vec3_scale(e, 1.0 / length);
  return pair->reach - length;
}

double bdem_touch_overlap(const bdem_contacts *contacts, const bdem_touch *touch, const bdem_body *body, scr_vec3 *normal)
{
  scr_part_distance from =
      scr_part_distance_at(&contacts->rig[touch->part], contacts->parts[touch->part].position, body->position[touch->sphere]);
  *normal = from.normal;
  return fmax(0.0, body->radius[touch->sphere] - from.distance);
}

double bdem_pairs_energy(const bdem_contacts *contacts, const bdem_body *body)
{
  double sum = 0.0;
  scr_vec3 normal;
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    double overlap = bdem_pair_overlap(&contacts->pairs[k], body, &normal);
    sum += 0.5 * contacts->pairs[k].stiffness * overlap * overlap;
  }
  return sum;
}

double bdem_touches_energy(const bdem_contacts *contacts, const bdem_body *body)
{
  double sum = 0.0;
  scr_vec3 normal;
  for (size_t k = 0; k < contacts->touch_count; ++k) {
    double overlap = bdem_touch_overlap(contacts, &contacts->touches[k], body, &normal);
    sum += 0.5 * contacts->touches[k].stiffness * overlap * overlap;
  }
  return sum;
}

void bdem_contacts_add_forces(const bdem_contacts *contacts, const bdem_body *body, scr_vec3 *force)
{
  scr_vec3 normal;
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    const bdem_pair *pair = &contacts->pairs[k];
    double overlap = bdem_pair_overlap(pair, body, &normal);
    if (!(overlap > 0.0)) continue;
    scr_vec3 push = vec3_scale(normal, pair->stiffness * overlap);
    force[pair->i] = vec3_sub(force[pair->i], push);
    force[pair->j] = vec3_add(force[pair->j], push);
  }
  for (size_t k = 0; k < contacts->touch_count; ++k) {
    const bdem_touch *touch = &contacts->touches[k];
    double overlap = bdem_touch_overlap(contacts, touch, body, &normal);
    if (overlap > 0.0) force[touch->sphere] = vec3_add(force[touch->sphere], vec3_scale(normal, touch->stiffness * overlap));
  }
}

void bdem_parts_load(const bdem_contacts *contacts, const bdem_body *body, scr_vec3 *force, scr_vec3 *torque)
{
  for (size_t p = 0; p < contacts->part_count; ++p) force[p] = torque[p] = vec3(0, 0, 0);
  for (size_t k = 0; k < contacts->touch_count; ++k) {
    const bdem_touch *touch = &contacts->touches[k];
    scr_vec3 normal, arm = vec3_sub(body->position[touch->sphere], contacts->parts[touch->part].position);
    double overlap = bdem_touch_overlap(contacts, touch, body, &normal);
    if (!(overlap > 0.0)) continue;
    scr_vec3 push = vec3_scale(normal, -touch->stiffness * overlap);
    force[touch->part] = vec3_add(force[touch->part], push);
    torque[touch->part] = vec3_add(torque[touch->part], vec3_cross(arm, push));
  }
}

/* The position corner of one block += scale n n^T. */
static void add_outer(double *block, scr_vec3 n, double scale)
{
  const double v[3] = {n.x, n.y, n.z};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) block[6 * r + c] += scale * v[r] * v[c];
}

void bdem_contacts_add_hessian(const bdem_contacts *contacts, const bdem_body *body, la_block_matrix *matrix)
{
  scr_vec3 normal;
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    const bdem_pair *pair = &contacts->pairs[k];
    if (!(bdem_pair_overlap(pair, body, &normal) > 0.0)) continue;
    add_outer(matrix->values + 36 * matrix->diagonal[pair->i], normal, pair->stiffness);
    add_outer(matrix->values + 36 * matrix->diagonal[pair->j], normal, pair->stiffness);
    add_outer(matrix->values + 36 * la_block_matrix_slot(matrix, pair->i, pair->j), normal, -pair->stiffness);
    add_outer(matrix->values + 36 * la_block_matrix_slot(matrix, pair->j, pair->i), normal, -pair->stiffness);
  }
  for (size_t k = 0; k < contacts->touch_count; ++k) {
    const bdem_touch *touch = &contacts->touches[k];
    if (!(bdem_touch_overlap(contacts, touch, body, &normal) > 0.0)) continue;
    add_outer(matrix->values + 36 * matrix->diagonal[touch->sphere], normal, touch->stiffness);
  }
}
