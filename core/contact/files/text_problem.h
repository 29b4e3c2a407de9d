/** A contact problem as text: what a person or a script writes without HDF5, and the form for problems of dimension 6.
 *
 *      scree contact problem 1
 *      dimension 3
 *      velocities 6
 *      contacts 1
 *      mass 6                 so many lines `row column value`, both triangles
 *      0 0 2.5
 *      ...
 *      momentum               one number for each velocity
 *      ...
 *      jacobian 18            so many lines `row column value`: row = component of a contact, 3 i + k; column = velocity
 *      ...
 *      offset                 one number for each component
 *      friction               one number for each contact; below 0: fixed
 *      solution               optional; then velocity, relative, impulse with their numbers
 *      end
 *
 *  Words and numbers are separated by blanks or line ends; `#` begins a comment that lasts to the line's end. The order is fixed, every
 *  section but the solution must be there, no place may be given twice, and nothing may follow `end`: a mistake is refused with its line.
 *  SI units. */
#ifndef SCREE_CONTACT_TEXT_PROBLEM_H
#define SCREE_CONTACT_TEXT_PROBLEM_H

#include "contact/files/contact_file.h"

/** @return SCR_OK; SCR_IO; SCR_BAD_FILE with the line, what stands there and what should; SCR_NO_MEMORY */
scr_status text_problem_read(const char *path, contact_file *file, scr_error *error);
/** The same from memory. */
scr_status text_problem_parse(const char *text, size_t length, contact_file *file, scr_error *error);

/** Writes one with 17 digits, so that reading it back gives the same numbers. Solution parts: NULL for none. An existing file is replaced,
 *  once the new one is whole. @return SCR_OK, SCR_IO */
scr_status text_problem_write(const char *path, const contact_problem *problem, const double *velocity, const double *relative,
                              const double *impulse, scr_error *error);

#endif
