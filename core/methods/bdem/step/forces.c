/* Forces at the present positions, and how deep contacts are. */
#include "methods/bdem/step/stages.h"

void bdem_force_pass(const bdem_model *model, const bdem_body *body, bdem_contacts *contacts, bdem_total *total, bdem_rig *rig)
{
  bdem_batches_forces(body->batches, body, total->force, total->torque);
  bdem_contacts_rub(contacts, body, 0.0, total->force, total->torque);
  bdem_parts_load(contacts, body, rig->load);
  bdem_grips_load(model, body, total, contacts, rig);
}

scr_status bdem_check_depth(const bdem_model *model, const bdem_body *body, const bdem_contacts *contacts, uint64_t step, double *deepest,
                            scr_error *error)
{
  for (size_t k = 0; k < contacts->touch_count; ++k) {
    scr_vec3 normal;
    const bdem_touch *touch = &contacts->touches[k];
    double overlap = bdem_touch_overlap(contacts, touch, body, &normal), radius = body->radius[touch->sphere];
    *deepest = fmax(*deepest, overlap / radius);
    if (overlap > 3 * radius)
      return scr_fail(error, SCR_DIVERGED, NULL,
                      "step %llu: sphere %u of grain %u is %.3g m behind %s, more than two radii of %.3g m; use slower loading or a larger "
                      "contact_stiffness_factor",
                      (unsigned long long)step, touch->sphere, model->grain_of[touch->sphere], overlap - radius,
                      contacts->rig[touch->part].label, radius);
  }
  return SCR_OK;
}
