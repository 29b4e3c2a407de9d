/* The matrix and preconditioner that a step hands on to the next: when they may be, and how a resumed run makes them again.
 *
 * A step's matrix serves the next ones as long as Newton's method converges fast with it (implicit.c). A run that is resumed must do the same
 * with the same bits, so what the matrix was made from is kept beside it and goes into the checkpoint: the spheres' places, and where the
 * rig's parts were. */
#include "base/memory.h"
#include "methods/bdem/implicit/step_problem.h"

scr_status bdem_step_origin_create(bdem_matrix_origin *origin, size_t sphere_count, scr_error *error)
{
  origin->position = mem_array(sphere_count, sizeof *origin->position);
  origin->orientation = mem_array(sphere_count, sizeof *origin->orientation);
  origin->predicted_turn = mem_array(sphere_count, sizeof *origin->predicted_turn);
  bool complete = origin->position && origin->orientation && origin->predicted_turn;
  return complete ? SCR_OK : scr_fail_memory(error, "an implicit step", sphere_count * 88);
}

void bdem_step_origin_clear(bdem_matrix_origin *origin)
{
  mem_free(origin->position);
  mem_free(origin->orientation);
  mem_free(origin->predicted_turn);
  mem_free(origin->slides);
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
  const bdem_matrix_origin *origin = &p->origin;
  size_t n = p->matrix.row_count;
  SCR_TRY(scr_blob_write_f64(blob, origin->time_step, error));
  SCR_TRY(scr_blob_write_u64(blob, (uint64_t)origin->curvature, error));
  SCR_TRY(scr_blob_write(blob, origin->parts, sizeof origin->parts, error));
  SCR_TRY(scr_blob_write_array(blob, origin->position, n, sizeof *origin->position, error));
  SCR_TRY(scr_blob_write_array(blob, origin->orientation, n, sizeof *origin->orientation, error));
  SCR_TRY(scr_blob_write_array(blob, origin->predicted_turn, n, sizeof *origin->predicted_turn, error));
  return scr_blob_write_array(blob, origin->slides, origin->slide_count, sizeof *origin->slides, error);
}

/* The friction that the matrix had. Its pairs must be in the pattern. */
static scr_status read_slides(bdem_step_problem *p, scr_blob *blob, scr_error *error)
{
  bdem_matrix_origin *origin = &p->origin;
  size_t count, n = p->matrix.row_count;
  SCR_TRY(scr_blob_peek_count(blob, &count, error));
  bool fits = count <= n + p->matrix.block_count + n * SCR_PART_LIMIT;
  if (fits && !mem_grow(&origin->slides, &origin->slide_capacity, count, sizeof *origin->slides))
    return scr_fail_memory(error, "the contacts' friction", count * sizeof *origin->slides);
  if (fits) SCR_TRY(scr_blob_read_array(blob, origin->slides, count, sizeof *origin->slides, "matrix", error));
  for (size_t k = 0; fits && k < count; ++k) {
    const bdem_slide_curvature *c = &origin->slides[k];
    double sum = c->scale_i + c->scale_j + c->normal.x + c->normal.y + c->normal.z;
    for (int t = 0; t < 6; ++t) sum += c->tangent[t];
    fits = c->i < n && isfinite(sum);
    if (fits && c->j != BDEM_NO_SPHERE) fits = c->j < n && c->i != c->j && la_block_matrix_slot(&p->matrix, c->i, c->j) != SIZE_MAX;
  }
  origin->slide_count = fits ? count : 0;
  return fits ? SCR_OK : scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint's matrix has friction that this scene has not; it is damaged");
}

static scr_status read(bdem_step_problem *p, scr_blob *blob, scr_error *error)
{
  bdem_matrix_origin *origin = &p->origin;
  size_t n = p->matrix.row_count;
  uint64_t curvature;
  double sum = 0.0;
  SCR_TRY(scr_blob_read_f64(blob, &origin->time_step, error));
  SCR_TRY(scr_blob_read_u64(blob, &curvature, error));
  SCR_TRY(scr_blob_read(blob, origin->parts, sizeof origin->parts, error));
  SCR_TRY(scr_blob_read_array(blob, origin->position, n, sizeof *origin->position, "matrix", error));
  SCR_TRY(scr_blob_read_array(blob, origin->orientation, n, sizeof *origin->orientation, "matrix", error));
  SCR_TRY(scr_blob_read_array(blob, origin->predicted_turn, n, sizeof *origin->predicted_turn, "matrix", error));
  for (size_t k = 0; k < n; ++k) {
    scr_vec3 x = origin->position[k];
    scr_quat q = origin->orientation[k], t = origin->predicted_turn[k];
    sum += x.x + x.y + x.z + q.x + q.y + q.z + q.w + t.x + t.y + t.z + t.w;
  }
  if (curvature >= BDEM_CURVATURE_CLIPPED || !(origin->time_step > 0.0) || !isfinite(sum))
    return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint's matrix is not that of an implicit step; it is damaged");
  origin->curvature = (bdem_curvature)curvature;
  return SCR_OK;
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

scr_status bdem_step_origin_load(bdem_step_problem *p, bdem_body *body, bdem_contacts *contacts, unsigned threads,
                                 la_preconditioner_kind kind, scr_blob *blob, scr_error *error)
{
  SCR_TRY(read(p, blob, error));
  SCR_TRY(read_slides(p, blob, error));
  p->body = body;
  p->threads = threads;
  p->time_step = p->origin.time_step;
  p->inverse_square = isfinite(p->time_step) ? 1.0 / (p->time_step * p->time_step) : 0.0;
  exchange(&p->origin, body, contacts);
  scr_status status = make_again(p, kind, error);
  exchange(&p->origin, body, contacts);
  return status;
}
