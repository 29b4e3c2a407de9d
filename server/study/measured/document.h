/** What is wanted of measured curves: which files, which of their columns, how they are corrected; JSON, all problems at once.
 *
 *    { "name": "bend-3", "title": "...", "specimens": [ { "asset": "sha256:...", "label": "A1" }, ... ],
 *      "reading": { "separator": "semicolon", "decimal": "comma", "units": ["mm", "kN"] }, "x": 2, "y": "Force",
 *      "corrections": { "y_factor": -1, "compliance": 2e-9 }, "scatter": 12.5 }
 *
 *  reading, x, y and corrections may stand with a specimen too, in place of those for all. */
#ifndef SCREE_SERVER_STUDY_MEASURED_DOCUMENT_H
#define SCREE_SERVER_STUDY_MEASURED_DOCUMENT_H

#include <jansson.h>

#include "scree.h"
#include "server/study/measured/measured.h"

enum { MEASURED_SPECIMENS = 64, MEASURED_DOCUMENT_NAME_BYTES = 48 };

/** A column: its number, or its name in the file. */
typedef struct measured_pick {
  size_t number; /**< from 1; 0: by its name */
  char name[MEASURED_NAME_BYTES];
} measured_pick;

/** One specimen. Its units are borrowed from the document. */
typedef struct measured_specimen {
  char digest[SCR_ASSET_DIGEST_BYTES]; /**< of the asset that is read */
  char label[MEASURED_NAME_BYTES];     /**< "": the file's name stands for it */
  measured_reading reading;
  const char *units[MEASURED_COLUMNS];
  measured_pick x, y;
  measured_choice corrections; /**< x and y of it: not set */
} measured_specimen;

/** Starts zeroed; owned by the caller, emptied by measured_document_clear. */
typedef struct measured_document {
  json_t *json;
  char name[MEASURED_DOCUMENT_NAME_BYTES], title[128];
  double scatter; /**< standard deviation of y of one specimen; 0: not known */
  size_t specimen_count;
  measured_specimen *specimens; /**< [specimen_count] */
} measured_document;

/** @return SCR_OK; SCR_BAD_SCENE: the problems say why; SCR_NO_MEMORY */
scr_status measured_document_read(const char *text, size_t length, measured_document *out, scr_problems *problems);
void measured_document_clear(measured_document *self);

/** Reads "reading" of a part: {"separator", "decimal", "units"}. @param units [MEASURED_COLUMNS] receives them, borrowed */
void measured_reading_read(const json_t *given, const char *pointer, measured_reading *reading, const char **units, scr_problems *problems);

/** "tab", "semicolon", "comma" or "blank" of a separator; "point" or "comma" of a decimal sign. Static text. */
const char *measured_separator_name(char separator);
const char *measured_decimal_name(char decimal);

/** The number of the column that is meant, from 0; false: the table has none such. */
bool measured_pick_find(const measured_pick *pick, const measured_table *table, size_t *column);

/** Two columns that look like a test's curve: displacement or strain, and force or stress; else time and displacement; else the first two
 *  that have numbers.
 *  False: fewer than two have. */
bool measured_suggest(const measured_table *table, size_t *x, size_t *y);

#endif
