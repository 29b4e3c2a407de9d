/** A contact problem that owns its arrays, as readers make it, and a solution that may have come with it. */
#ifndef SCREE_CONTACT_CONTACT_FILE_H
#define SCREE_CONTACT_CONTACT_FILE_H

#include "contact/contact.h"

typedef struct contact_file {
  contact_problem problem; /**< its arrays belong to this */
  la_sparse mass;          /**< what problem.mass points at, when mass does not come in blocks */
  bool dual;               /**< only W and q were given: mass 1, H the pivoted Cholesky factor of W, velocities without meaning */
  double *impulse, *relative, *velocity; /**< solution r [n d], u [n d], v [m]; each NULL when there was none */
} contact_file;

/** Takes scalar matrices: the mass in the largest blocks (6, 3, 2, 1) that it falls into, else sparse.
 *  @param mass m x m, both triangles    @param columns_of_h' [m x n d]: column k is H's row k    @param momentum [m], offset [n d],
 *  friction [n]: copied
 *  @return SCR_OK; SCR_BAD_FILE for sizes that do not fit, no contact, a friction that is not a number; SCR_NO_MEMORY */
scr_status contact_file_from_matrices(unsigned dimension, const la_sparse *mass, const la_sparse *columns_of_h, const double *momentum,
                                      const double *offset, const double *friction, contact_file *file, scr_error *error);

/** Takes the dual form u = W r + q. W is factorised densely: at most CONTACT_DUAL_ROWS_MAX rows.
 *  @param w n d x n d, both triangles    @return SCR_OK; SCR_BAD_FILE also for a W that is not symmetric or not positive semi-definite;
 *  SCR_NO_MEMORY */
scr_status contact_file_from_dual(unsigned dimension, const la_sparse *w, const double *q, const double *friction, contact_file *file,
                                  scr_error *error);
enum { CONTACT_DUAL_ROWS_MAX = 6000 };

/** Reads a problem of either form, told apart by its first bytes. @return SCR_OK; SCR_IO when it can't be opened; SCR_BAD_FILE,
 *  SCR_NO_MEMORY */
scr_status contact_file_read(const char *path, contact_file *file, scr_error *error);

void contact_file_clear(contact_file *file);

/** What FCLIB's own residual gives, sqrt(sum |r - proj(r - u~)|^2)/(1 + |q|): not scaled, so it depends on units.
 *  @param as_coded with the square root taken twice in the denominator, 1 + sqrt(|q|), as the library has it
 *  @param relative u [n d] of the impulse    @param free_velocity q [n d] */
double contact_merit(const contact_problem *problem, const double *free_velocity, const double *impulse, const double *relative,
                     bool as_coded);

#endif
