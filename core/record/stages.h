/** What a topology tells of how a run goes: its stages, and the kernels that the method chose for this processor. */
#ifndef SCREE_RECORD_STAGES_H
#define SCREE_RECORD_STAGES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { STAGE_LIMIT = 16, KERNEL_LIMIT = 8 }; /**< of a run */

/** A part of a run with a name: loading, launch, flight, landing. */
typedef struct scr_stage {
  char name[32], label[96];
} scr_stage;

/** Which variant of a computation runs: results of another may differ in their last bits. */
typedef struct scr_kernel {
  char what[64], variant[32]; /**< "contact forces", "avx2" */
  char same_bits_as[32];      /**< a variant whose results it gives to the last bit, with which its runs may go on; "": its own alone */
} scr_kernel;

/** [ {"name", "label"} ]. New reference; NULL without memory. */
json_t *stages_json(const scr_stage *stages, size_t count);
/** [ {"what", "variant", "same_bits_as" where it has one} ]. New reference; NULL without memory. */
json_t *kernels_json(const scr_kernel *kernels, size_t count);

/** Reads such a list; NULL is an empty one. @param stages [STAGE_LIMIT]    @return false when it is none, or too long */
bool stages_take(const json_t *list, scr_stage *stages, size_t *count);
/** Whether two variants of a computation give the same bits. */
bool kernels_agree(const scr_kernel *a, const scr_kernel *b);
/** @param kernels [KERNEL_LIMIT] */
bool kernels_take(const json_t *list, scr_kernel *kernels, size_t *count);

#endif
