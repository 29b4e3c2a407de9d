/** What a run is made of, counted and named by its method: "4096 spheres, 20480 bonds". Checks fill it, the store keeps it, clients show
 *  it. */
#ifndef SCREE_SCENE_COUNTS_H
#define SCREE_SCENE_COUNTS_H

#include <jansson.h>

#include "scree.h"

/** The count of that name, added with 0 unless it is there; counts beyond SCR_COUNT_LIMIT are a fault of the method.
 *  @param name lower_snake, plural: "bonds"    @param label for people: "Bonds"    @return where to write it, valid as long as the estimate
 *  */
uint64_t *scr_count_in(scr_estimate *estimate, const char *name, const char *label);

/** The count of that name; 0: there is none. */
uint64_t scr_count_of(const scr_estimate *estimate, const char *name);

/** [{"name", "label", "value"}, ...], owned by the caller; NULL: no memory. Reading back: what is no count is left out, what is beyond
 *  SCR_COUNT_LIMIT dropped. */
json_t *scr_counts_json(const scr_estimate *estimate);
void scr_counts_take(const json_t *list, scr_estimate *estimate);

/** Threads that a run should use where nobody says how many: one for each half millisecond of an estimated step, as threads that meet more
 *  often than that cost more than they do. Results never depend on it.
 *  @param run_seconds as scr_estimate has it    @param step_count 0: not known    @param most 1 or more
 *  @return 1 to `most`; `most` where step or time are not known */
unsigned scr_threads_worth(double run_seconds, uint64_t step_count, unsigned most);

#endif
