/** Event tables with rows at every frame: fragments by mass; with the options grain_table and piece_table, each grain and each larger
 *  piece. */
#ifndef SCREE_PERIDEM_TABLES_H
#define SCREE_PERIDEM_TABLES_H

#include "methods/peridem/state/state.h"

/** Declares "grains" and "pieces" where the options ask for them. */
scr_status pd_tables_declare(scr_sim *sim, pd_state *state, scr_error *error);

/** Counts all pieces by mass. @param forms zero but for `each`, added to */
fragment_summary pd_count_fragments(const pd_state *state, pd_forms *forms);

/** The entry of scr_method. */
scr_status pd_tabulate(scr_sim *sim, scr_error *error);

/** Adds to an estimate, which must have its node_count, the rows of "grains" and "pieces", and lines of force. */
void pd_tables_estimate(const scr_scene *scene, scr_estimate *estimate);

#endif
