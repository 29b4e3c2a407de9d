/** Five ways in which a grain's level set follows its deformation, behind lsdem_query. phi0 is the level set of the reference shape, u the
 *  displacement.
 *
 *      pull_back     phi(x) = phi0(Y), Y + u(Y) = x: one look-up at the reference point; nothing is kept
 *      remap         the eight corners of x's cell are pulled back and looked up, and interpolated between: nothing is kept
 *      recompute     each grain has a level set of its own, made anew from its deformed triangles when modes moved its surface by a
 *      tolerance since advect        each grain has one of its own, carried along by the modes' velocities since, made a distance again
 *      every 20 times precomputed   the template has level sets at some amplitudes of each mode; phi = phi0 + sum over modes and samples of
 *      hat (phi_sample - phi0)
 *
 *  How they compare: tests/reports/validation/LSDEM.md, made by tests/bench/bench_lsdem_follow.c.
 *  Source: the method's specification, section 3.8. */
#ifndef SCREE_LSDEM_CONTACT_FOLLOW_H
#define SCREE_LSDEM_CONTACT_FOLLOW_H

#include "methods/lsdem/contact/directions.h"
#include "record/file/blob.h"

/** A grain's own level set, of its deformed shape in its own axes. Starts zeroed: field.value NULL until it is needed. */
typedef struct lsdem_followed {
  level_set field;
  double amplitude[LSDEM_MODE_LIMIT]; /**< m, that it is of */
  uint64_t updates;                   /**< since the start */
} lsdem_followed;

/** Makes what a template of way "precomputed" keeps: its level sets at `recipe->samples` amplitudes of each mode, from -recipe->amplitude
 *  to it, 0 in the middle. Of other ways nothing. @param recipe as the template was made by */
scr_status lsdem_follow_prepare(lsdem_template *grain, const lsdem_recipe *recipe, scr_error *error);

/** Brings a grain's own level set up to date, where its way keeps one: made anew or carried along when the modes moved a node by more than
 *  `tolerance`, m, since.
 *  @param amplitude [modes] m    @param unbiased level_set_unbias after making anew    @return SCR_OK, SCR_NO_MEMORY, SCR_DIVERGED: surface
 *  folded over */
scr_status lsdem_follow_update(lsdem_followed *followed, const lsdem_template *grain, const double *amplitude, double tolerance,
                               bool unbiased, scr_error *error);

/** Makes the level set of a grain deformed by these amplitudes, into `field`, which has the grid of grain->field. */
scr_status lsdem_follow_make(const lsdem_template *grain, const double *amplitude, bool unbiased, level_set *field, scr_error *error);

/** phi and its gradient in own axes at a place in own axes by any way but pull_back. @return false: outside of the grid, or at or above the
 *  surface */
bool lsdem_follow_at(const lsdem_view *view, scr_vec3 place, int64_t iterations, double *value, scr_vec3 *slope);

/** Bytes that a way keeps per grain, and per template. @param points of the grid */
void lsdem_follow_bytes(int following, size_t points, size_t modes, size_t samples, double *per_grain, double *per_template);

scr_status lsdem_follow_save(const lsdem_followed *followed, scr_blob *blob, scr_error *error);
scr_status lsdem_follow_load(lsdem_followed *followed, const lsdem_template *grain, scr_blob *blob, scr_error *error);

#endif
