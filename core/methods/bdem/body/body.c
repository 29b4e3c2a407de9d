/** Storage of a body and sums over its bonds. */
#include "methods/bdem/body/body.h"

const sim_field bdem_body_fields[BDEM_BODY_FIELDS] = {
    FIELD_ARRAY("positions", bdem_body, position, sphere_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("orientations", bdem_body, orientation, sphere_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("velocities", bdem_body, velocity, sphere_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("spins", bdem_body, spin, sphere_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("masses", bdem_body, mass, sphere_count, 0),
    FIELD_ARRAY("radii", bdem_body, radius, sphere_count, 0),
    FIELD_ARRAY("held components", bdem_body, held, sphere_count, 0),
    FIELD_ARRAY("bonds", bdem_body, ends, bond_count, 0), /* live ones are saved by bdem_save */
    FIELD_ARRAY("beams of bonds", bdem_body, bonds, bond_count, 0),
};

scr_status bdem_body_create(size_t sphere_count, size_t bond_count, bdem_body *body, scr_error *error)
{
  *body = (bdem_body){.sphere_count = sphere_count, .bond_count = bond_count};
  scr_status status = fields_allocate(bdem_body_fields, BDEM_BODY_FIELDS, body, error);
  for (size_t k = 0; status == SCR_OK && k < sphere_count; ++k) body->orientation[k] = quat_identity();
  if (status != SCR_OK) bdem_body_destroy(body);
  return status;
}

void bdem_body_destroy(bdem_body *body)
{
  if (!body) return;
  fields_free(bdem_body_fields, BDEM_BODY_FIELDS, body);
  *body = (bdem_body){0};
}

scr_status bdem_body_bond(bdem_body *body, size_t index, uint32_t i, uint32_t j, const bdem_elasticity *elasticity, scr_error *error)
{
  if (index >= body->bond_count || i >= body->sphere_count || j >= body->sphere_count || i == j)
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "bond %zu joins spheres %u and %u; there are %zu bonds and %zu spheres, and the ends must differ", index, i, j,
                    body->bond_count, body->sphere_count);
  scr_vec3 axis = vec3_sub(body->position[j], body->position[i]);
  double ratio = vec3_length(axis) / (body->radius[i] + body->radius[j]);
  if (!(ratio >= 0.5 && ratio <= 2.0))
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "bond %zu: centres %.3g times the sum of the radii apart; allowed 0.5 to 2: change the packing or the radii", index,
                    ratio);
  body->ends[index][0] = i;
  body->ends[index][1] = j;
  body->bonds[index] = bdem_bond_make(elasticity, 0.5 * (body->radius[i] + body->radius[j]), axis);
  return SCR_OK;
}

void bdem_body_add_forces(const bdem_body *body, scr_vec3 *force, scr_vec3 *torque)
{
  for (size_t b = 0; b < body->bond_count; ++b) {
    uint32_t i = body->ends[b][0], j = body->ends[b][1];
    bdem_bond_force f =
        bdem_bond_force_of(&body->bonds[b], vec3_sub(body->position[j], body->position[i]), body->orientation[i], body->orientation[j]);
    force[i] = vec3_sub(force[i], f.force_j);
    force[j] = vec3_add(force[j], f.force_j);
    torque[i] = vec3_add(torque[i], f.torque_i);
    torque[j] = vec3_add(torque[j], f.torque_j);
  }
}

double bdem_body_kinetic(const bdem_body *body)
{
  double sum = 0.0;
  for (size_t k = 0; k < body->sphere_count; ++k) {
    double r = body->radius[k];
    sum += 0.5 * body->mass[k] * (vec3_dot(body->velocity[k], body->velocity[k]) + 0.4 * r * r * vec3_dot(body->spin[k], body->spin[k]));
  }
  return sum;
}
