/* The matrix and preconditioner that a step hands on to the next: when they may be, and how a resumed run makes them again.
 *
 * A step's matrix serves the next ones as long as Newton's method converges fast with it (implicit.c). A run that is resumed must do the
 * same with the same bits, so what the matrix was made from is kept beside it and goes into the checkpoint: the spheres' places, and where
 * the rig's parts were. */
#include "methods/bdem/implicit/step_problem.h"

#include "sim/method.h"

static const sim_field fields[] = {
    FIELD_VALUE("time steps of the matrix", bdem_matrix_origin, time_step, FIELD_SAVED),
    FIELD_VALUE("parts of the matrix", bdem_matrix_origin, parts, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_VALUE("curvatures of the matrix", bdem_matrix_origin, curvature, FIELD_SAVED),
    FIELD_ARRAY("places of the matrix", bdem_matrix_origin, position, sphere_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("orientations of the matrix", bdem_matrix_origin, orientation, sphere_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_ARRAY("predicted orientations", bdem_matrix_origin, predicted_turn, sphere_count, FIELD_SAVED | FIELD_NUMBERS),
    FIELD_LIST("friction of the matrix", bdem_matrix_origin, slides, slide_count, slide_capacity, FIELD_SAVED),
};

scr_status bdem_step_origin_create(bdem_matrix_origin *origin, size_t sphere_count, scr_error *error)
{
  origin->sphere_count = sphere_count;
  return fields_allocate(fields, FIELD_COUNT(fields), origin, error);
}

void bdem_step_origin_clear(bdem_matrix_origin *origin)
{
  fields_free(fields, FIELD_COUNT(fields), origin);
}

/* Remembers that problem->matrix is being made from the present state. */
static void note(bdem_step_problem *p, bdem_curvature curvature)
{
  bdem_matrix_origin *origin = &p->origin;
  size_t n = p->body->sphere_count;
  memcpy(origin->position, p->body->position, n * sizeof *origin->position);
  memcpy(origin->orientation, p->body->orientation, n * sizeof *origin->orientation);
  memcpy(origin->predicted_turn, p->predicted_turn, n * sizeof *origin->predicted_turn);
  memset(origin->parts, 0, sizeof origin->parts);
  size_t parts = p->body->contacts ? p->body->contacts->part_count : 0;
  if (parts > 0) memcpy(origin->parts, p->body->contacts->parts, parts * sizeof *origin->parts);
  origin->time_step = p->time_step;
  origin->curvature = curvature;
  bdem_step_friction_curve(p);
}

void bdem_step_hessian(bdem_step_problem *p, bdem_curvature curvature)
{
  note(p, curvature);
  bdem_step_assemble(p, curvature);
}

bool bdem_step_carries(const bdem_step_problem *p)
{
  return p->factored && p->origin.curvature != BDEM_CURVATURE_CLIPPED;
}

scr_status bdem_step_origin_save(const bdem_step_problem *p, scr_blob *blob, scr_error *error)
{
  return fields_save(fields, FIELD_COUNT(fields), &p->origin, blob, error);
}

/* Whether the matrix had friction only where its pattern has pairs. */
static bool slides_fit(const bdem_step_problem *p)
{
  size_t n = p->sphere_count;
  if (p->origin.slide_count > n + p->matrix.block_count + n * SCR_PART_LIMIT) return false;
  for (size_t k = 0; k < p->origin.slide_count; ++k) {
    const bdem_slide_curvature *c = &p->origin.slides[k];
    double sum = c->arm_i.x + c->arm_i.y + c->arm_i.z + c->arm_j.x + c->arm_j.y + c->arm_j.z;
    for (int t = 0; t < 6; ++t) sum += c->tangent[t];
    if (c->i >= n || !isfinite(sum)) return false;
    if (c->j == BDEM_NO_SPHERE) continue;
    if (c->j >= n || c->i == c->j || la_block_matrix_slot(&p->matrix, c->i, c->j) == SIZE_MAX) return false;
  }
  return true;
}

/* Swaps the body's places, and those of the parts, for the origin's. */
static void exchange(bdem_matrix_origin *origin, bdem_body *body, bdem_contacts *contacts)
{
  scr_vec3 *position = body->position;
  scr_quat *orientation = body->orientation;
  body->position = origin->position;
  body->orientation = origin->orientation;
  origin->position = position;
  origin->orientation = orientation;
  for (size_t k = 0; contacts && k < contacts->part_count; ++k) {
    part_motion part = contacts->parts[k];
    contacts->parts[k] = origin->parts[k];
    origin->parts[k] = part;
  }
}

/* The matrix and its preconditioner at the places that the body has for the moment. */
static scr_status make_again(bdem_step_problem *p, la_preconditioner_kind kind, scr_error *error)
{
  SCR_TRY(bdem_step_precondition(p, kind, error));
  memcpy(p->predicted_turn, p->origin.predicted_turn, p->body->sphere_count * sizeof *p->predicted_turn);
  bdem_step_assemble(p, p->origin.curvature);
  return bdem_step_factor(p, error);
}

scr_status bdem_step_origin_load(bdem_step_problem *p, bdem_body *body, bdem_contacts *contacts, scr_execution execution,
                                 la_preconditioner_kind kind, scr_blob *blob, scr_error *error)
{
  SCR_TRY(fields_load(fields, FIELD_COUNT(fields), &p->origin, blob, error));
  if (p->origin.curvature >= BDEM_CURVATURE_CLIPPED || !(p->origin.time_step > 0.0) || !slides_fit(p))
    return scr_sim_damaged("matrices", error);
  p->body = body;
  p->execution = execution;
  p->time_step = p->origin.time_step;
  p->inverse_square = isfinite(p->time_step) ? 1.0 / (p->time_step * p->time_step) : 0.0;
  exchange(&p->origin, body, contacts);
  scr_status status = make_again(p, kind, error);
  exchange(&p->origin, body, contacts);
  return status;
}
