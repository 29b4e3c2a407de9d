/** A scene before its run, as the records that its recording would begin with. */
#ifndef SCREE_RUN_OPENING_H
#define SCREE_RUN_OPENING_H

#include "scree.h"

/** What the recording of a scene's run begins with, made without a run: the records of the topology and the shapes, a frame at t = 0 and,
 * where the rig has parts, up to 24 more over the run's duration in which those stand where their programs bring them and the specimens as
 * at t = 0. Takes what building the simulation takes.
 *  @param most bytes of all of them, which limits how many frames there are    @param bytes receives [*size] records, one behind another
 *  as in a recording but without its first 8 bytes, to scr_free
 *  @return SCR_OK; SCR_BAD_USAGE: more than `most`; what building says; SCR_NO_MEMORY */
scr_status run_opening(const scr_scene *scene, size_t most, unsigned char **bytes, size_t *size, scr_error *error);

#endif
