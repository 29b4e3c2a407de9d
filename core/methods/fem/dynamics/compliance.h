/** What the step's matrix answers where bodies touch: the columns of its inverse at the unknowns that contacts push, and of these the rows
 *  there.
 *
 *      C_ij = e_i . H^-1 e_j,   i, j among `unknown`;    W = A^T C A,  A the contacts' directions
 *
 *  H is of thousands of unknowns, C of the few dozens that contacts have. It is kept as long as the factor is, and grows by what new
 *  contacts need: bodies of a linear law are factorised once, so each of their unknowns is solved for once. Columns are solved in batches
 *  of one width, whatever stands beside them, and the batches of a kept C can be made again after an interruption (fem_compliance_redo):
 *  its bits do not depend on it. */
#ifndef SCREE_METHODS_FEM_COMPLIANCE_H
#define SCREE_METHODS_FEM_COMPLIANCE_H

#include "base/liveness.h"
#include "linalg/sparse.h"
#include "record/file/blob.h"

typedef struct fem_compliance {
  size_t size;       /**< unknowns of the matrix, 3 n */
  size_t count;      /**< of them here */
  size_t stride;     /**< of `value`, >= count */
  uint32_t *place;   /**< [size] 1 + where in `unknown`; 0: not here */
  uint32_t *unknown; /**< [count] in the order they came */
  double *value;     /**< [count][stride] C, symmetric, m/N times the matrix' unit */
  double *column;    /**< [batch][size] right-hand sides and solutions */
  size_t group_count;
  uint32_t *group; /**< [group_count] `count` after each call that added some */
  size_t unknown_capacity, group_capacity, column_capacity;
} fem_compliance;

/** @param size  unknowns of the matrix    @return SCR_OK, SCR_NO_MEMORY; what fem_compliance_clear accepts */
scr_status fem_compliance_create(size_t size, fem_compliance *c, scr_error *error);
void fem_compliance_clear(fem_compliance *c);

/** Forgets all columns: the factor is another one now. */
void fem_compliance_forget(fem_compliance *c);

/** Adds the columns of the unknowns in `wanted` that are not there yet.
 *  @param wanted [count]; of one twice the second is skipped    @return SCR_OK, SCR_NO_MEMORY, or what la_factor_solve says */
scr_status fem_compliance_add(fem_compliance *c, la_factor *factor, const uint32_t *wanted, size_t count, const scr_liveness *liveness,
                              scr_error *error);

/** Makes all columns again, group by group, with a factor of the same bits. */
scr_status fem_compliance_redo(fem_compliance *c, la_factor *factor, const scr_liveness *liveness, scr_error *error);

/** Which columns there are, group by group; none unless `kept`. After a load they are there but for their numbers: fem_compliance_redo.
 *  @return of load SCR_BAD_FILE too */
scr_status fem_compliance_save(const fem_compliance *c, bool kept, scr_blob *blob, scr_error *error);
scr_status fem_compliance_load(fem_compliance *c, scr_blob *blob, scr_error *error);

/** C at two unknowns, both there. */
static inline double fem_compliance_at(const fem_compliance *c, uint32_t row, uint32_t column)
{
  return c->value[(size_t)(c->place[row] - 1) * c->stride + (c->place[column] - 1)];
}

#endif
