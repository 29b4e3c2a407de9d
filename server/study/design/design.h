/** Rows of a study: which values its factors take together. The same document gives the same rows on every machine. */
#ifndef SCREE_SERVER_STUDY_DESIGN_H
#define SCREE_SERVER_STUDY_DESIGN_H

#include "server/study/document.h"

/** The rows that a document gives; of a calibration those of its first points, which a start of Sobol's runs. Borrows the document. */
typedef struct design_rows {
  const study_document *document;
  size_t count;          /**< with repetitions */
  size_t repetitions;    /**< of each row before seeds, one after the other */
  uint32_t *permutation; /**< [factors][runs] of a Latin hypercube: which cell a row takes; owned */
} design_rows;

/** @param problems receives the reason on SCR_BAD_SCENE: more rows than STUDY_ROW_LIMIT
 *  @return SCR_OK, SCR_BAD_SCENE, SCR_NO_MEMORY */
scr_status design_rows_make(const study_document *document, design_rows *out, scr_problems *problems);
void design_rows_clear(design_rows *self);

/** Row `index`, from 0: {FACTOR: value}, a new reference; NULL without memory. */
json_t *design_row(const design_rows *self, size_t index);

#endif
