/* Fuzzes documents of studies and their expressions: text up to the first zero byte as an expression, evaluated on a small run, all of it
 * as a document, whose first rows and their scenes are made. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/study/design/design.h"
#include "server/study/measured/document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SAMPLES = 5 };
static const double samples[SAMPLES] = {0, 1, 2, 3, -4};

static expression_found find(void *user, expression_name_kind kind, const char *name, double *number, const double **curve,
                             const char **text)
{
  (void)user, (void)kind;
  *number = 2, *curve = samples, *text = "text";
  return name[0] < 'h' ? EXPRESSION_CURVE : name[0] < 'n' ? EXPRESSION_NUMBER : name[0] < 't' ? EXPRESSION_TEXT : EXPRESSION_UNKNOWN;
}

static void evaluate(const char *text)
{
  const expression_source source = {.sample_count = SAMPLES, .time = samples, .find = find};
  expression *made = NULL;
  expression_value value;
  scr_error error = {0};
  if (expression_parse(text, &made, &error) != SCR_OK) {
    if (made || !error.message[0]) abort();
    return;
  }
  if (expression_evaluate(made, &source, &value, NULL) == SCR_OK && !value.is_text && !isfinite(value.number)) abort();
  expression_destroy(made);
}

static void read_document(const char *text, size_t size)
{
  study_document document;
  design_rows rows;
  scr_problems problems = {0};
  if (study_document_read(text, size, &document, &problems) == SCR_OK) {
    if (design_rows_make(&document, &rows, &problems) == SCR_OK) {
      for (size_t i = 0; i < rows.count && i < 3; i++) {
        json_t *row = design_row(&rows, i), *scene = NULL;
        if (row && study_row_scene(&document, row, &scene, &problems) == SCR_OK) json_decref(scene);
        json_decref(row);
      }
      design_rows_clear(&rows);
    }
    study_document_clear(&document);
  } else if (problems.count == 0)
    abort();
  scr_problems_clear(&problems);
}

/* What is wanted of measured curves is read from text too. */
static void read_measured(const char *text, size_t size)
{
  measured_document document;
  scr_problems problems = {0};
  if (measured_document_read(text, size, &document, &problems) == SCR_OK)
    measured_document_clear(&document);
  else if (problems.count == 0)
    abort();
  scr_problems_clear(&problems);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1);
  if (!text) return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  evaluate(text);
  read_document(text, size);
  read_measured(text, size);
  free(text);
  return 0;
}
