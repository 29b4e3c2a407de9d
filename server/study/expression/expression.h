/** Results of a study as expressions: "max(wall.z_max.force_z)", "slope(force, displacement, 0.1..0.4 of peak)". A text is read once and
 *  evaluated for every run, from the curves of its recording. What the language has says api/docs/study.md. Nothing else is ever evaluated:
 *  no files, no loops, no assignments.
 *
 *  Values are numbers, or one number for each sample of the curves; conditions are 1 where they hold and 0 where they do not. A text
 *  (`stop_reason`, `state`) can be a result as it is, and nothing can be computed with it. */
#ifndef SCREE_SERVER_STUDY_EXPRESSION_H
#define SCREE_SERVER_STUDY_EXPRESSION_H

#include "scree.h"

typedef struct expression expression;

enum {
  EXPRESSION_BYTES = 1000, /**< longest text */
  EXPRESSION_NODES = 256,  /**< most operations and values in one */
  EXPRESSION_DEPTH = 48,   /**< deepest nesting */
  EXPRESSION_NAME_BYTES = 64,
  EXPRESSION_TEXT_BYTES = 320,
  EXPRESSION_UNIT_BYTES = 24
};

/** Reads an expression.
 *  @param out receives it on SCR_OK, to be destroyed
 *  @return SCR_OK; SCR_BAD_USAGE: it is none; the message says at which character and why; SCR_NO_MEMORY */
scr_status expression_parse(const char *text, expression **out, scr_error *error);
void expression_destroy(expression *self);

/** What a name in an expression stands for. */
typedef enum expression_name_kind {
  EXPRESSION_VALUE,    /**< a curve, a factor, or what else has this name */
  EXPRESSION_HEADLINE, /**< of headline(NAME) */
  EXPRESSION_TABLE     /**< of rows(NAME) */
} expression_name_kind;

/** The names that it has, each as often as it stands there. NULL past the last. */
const char *expression_name(const expression *self, size_t index, expression_name_kind *kind);

/** Its unit, as far as that follows from the units of its curves: sums, differences, extremes, means and values of a curve have the
 * curve's, slopes and quotients one over the other; a product with a number that is written out has none, as it may be turned into another
 * unit.
 *  @param find unit of a curve ("1" or "" of a bare number), NULL: there is none of that name    @param unit receives it, "" where it is
 * not known
 *  @return whether it is known */
bool expression_unit(const expression *self, const char *(*find)(void *user, const char *name), void *user,
                     char unit[static EXPRESSION_UNIT_BYTES]);

/** Whether quantities of two SI units may be compared: N m and J may, N and Pa may not; what is no unit, or "", may be with all. */
bool expression_units_agree(const char *a, const char *b);

/** What a source has for a name. */
typedef enum expression_found { EXPRESSION_UNKNOWN, EXPRESSION_NUMBER, EXPRESSION_CURVE, EXPRESSION_TEXT } expression_found;

/** Where the values of names come from. */
typedef struct expression_source {
  size_t sample_count;
  const double *time; /**< [sample_count] s, never falling */
  /** Fills what it has: `number`; or `curve` with [sample_count] borrowed values; or `text` with a borrowed text. */
  expression_found (*find)(void *user, expression_name_kind kind, const char *name, double *number, const double **curve,
                           const char **text);
  /** Says for people what there is instead of a name that it has not. text: [capacity] */
  void (*suggest)(void *user, expression_name_kind kind, const char *name, char *text, size_t capacity);
  void *user;
} expression_source;

typedef struct expression_value {
  bool is_text;
  double number; /**< finite */
  char text[EXPRESSION_TEXT_BYTES];
} expression_value;

/** Evaluates it. Takes time and memory in proportion to its nodes and the samples; fails before it takes more than 256 MB.
 *  @return SCR_OK; SCR_BAD_USAGE: it can't be computed from this source (an unknown name, a curve where a number is needed, a condition
 * that never holds, a value that is not finite); the message says at which character and why; SCR_NO_MEMORY */
scr_status expression_evaluate(const expression *self, const expression_source *source, expression_value *value, scr_error *error);

/** The same for an expression that is a curve; a number counts as one that is the same at all samples. @param values [sample_count] */
scr_status expression_evaluate_curve(const expression *self, const expression_source *source, double *values, scr_error *error);

#endif
