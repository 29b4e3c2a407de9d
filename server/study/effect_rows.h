/** What the factors of a study do to one of its results: rows gathered as numbers, shares of the variance, means by level. Repetitions over
 *  seeds are no factor here: what they scatter is part of the rest. */
#ifndef SCREE_SERVER_STUDY_EFFECT_ROWS_H
#define SCREE_SERVER_STUDY_EFFECT_ROWS_H

#include "server/study/document.h"

enum { EFFECT_LEVELS = 64 /**< levels of a factor that an answer lists; of one with more, none */ };

typedef struct effect_rows effect_rows;

/** @param document borrowed until effect_rows_destroy    @return NULL without memory */
effect_rows *effect_rows_create(const study_document *document);
void effect_rows_destroy(effect_rows *self);

/** Adds a row that has a number for the result.
 *  @param factors {NAME: value}. Where a factor's first value is no number, each of its values is a level without order; else a row in
 *  which it is none is left out */
scr_status effect_rows_add(effect_rows *self, const json_t *factors, double result, scr_error *error);

/** @param result the name of the result    @param json receives the answer of GET /api/v1/studies/{id}/effects: a new reference
 *  @return SCR_OK; SCR_BAD_USAGE: no factor varies, more than EFFECTS_FACTORS do, the result does not vary, too few rows; SCR_NO_MEMORY */
scr_status effect_rows_answer(const effect_rows *self, const study_result *result, json_t **json, scr_error *error);

#endif
