/** Frictional contact problems in FCLIB's HDF5 files: the collection's exchange format.
 *
 *      fclib_global/{spacedim; M, H matrices; vectors/{f, w, mu}}   M v = f + H r,  u = H' v + w    (H is the transpose of ours)
 *      fclib_local/{spacedim; W matrix; vectors/{q, mu}}            u = W r + q
 *      solution/{v (global only), u, r}                             optional
 *      matrix: m, n, nz (1) int; p, i int; x real                   nz = -2: compressed rows, -1: compressed columns, >= 0: that many
 *      triplets
 *
 *  Component order: normal, first tangent, second tangent. A matrix with p all zero and m n entries is stored densely, as old files have
 *  it. The global form is read when both are there. Equality rows (G, b; V, R, s) are refused: here they are fixed contacts. */
#ifndef SCREE_CONTACT_FCLIB_H
#define SCREE_CONTACT_FCLIB_H

#include "contact/files/contact_file.h"

/** @return SCR_OK; SCR_BAD_FILE naming the dataset, what it holds and what it should; SCR_NO_MEMORY */
scr_status fclib_read(const char *path, contact_file *file, scr_error *error);

/** Writes a problem of 2 or 3 dimensions as fclib_global, and its solution. An existing file is replaced, once the new one is whole.
 *  @param velocity [m], relative [n d], impulse [n d]: the solution; NULL each for none    @param title one line
 *  @return SCR_OK; SCR_BAD_USAGE for d = 6, which the format lacks; SCR_IO, SCR_NO_MEMORY */
scr_status fclib_write(const char *path, const contact_problem *problem, const double *velocity, const double *relative,
                       const double *impulse, const char *title, scr_error *error);

/** Copies an FCLIB file's problem groups and guesses as they are, with this solution in place of its own. @param velocity NULL: none, as
 *  for a local form */
scr_status fclib_copy(const char *from, const char *path, const contact_problem *problem, const double *velocity, const double *relative,
                      const double *impulse, scr_error *error);

#endif
