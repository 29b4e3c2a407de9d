/** Inside expressions: their nodes and functions. Included by files of this folder only. */
#ifndef SCREE_SERVER_STUDY_EXPRESSION_INTERNAL_H
#define SCREE_SERVER_STUDY_EXPRESSION_INTERNAL_H

#include "base/error.h"
#include "server/study/expression/expression.h"

typedef enum node_kind { NODE_NUMBER, NODE_NAME, NODE_CALL, NODE_NEGATE, NODE_NOT, NODE_BINARY } node_kind;

typedef enum operation {
  OPERATION_ADD,
  OPERATION_SUBTRACT,
  OPERATION_MULTIPLY,
  OPERATION_DIVIDE,
  OPERATION_POWER,
  OPERATION_LESS,
  OPERATION_LESS_EQUAL,
  OPERATION_GREATER,
  OPERATION_GREATER_EQUAL,
  OPERATION_EQUAL,
  OPERATION_NOT_EQUAL,
  OPERATION_AND,
  OPERATION_OR,
  OPERATION_MAXIMUM, /**< of max(a, b) */
  OPERATION_MINIMUM
} operation;

enum { ARGUMENT_LIMIT = 4 };

/** One operation or value. Nodes stand in one array, each behind its arguments; the last is the whole. */
typedef struct expression_node {
  node_kind kind;
  operation operation; /**< of NODE_BINARY */
  expression_name_kind name_kind;
  int function;                      /**< of NODE_CALL: its place in the table of functions */
  double number;                     /**< of NODE_NUMBER */
  char name[EXPRESSION_NAME_BYTES];  /**< of NODE_NAME */
  uint16_t argument[ARGUMENT_LIMIT]; /**< numbers of nodes */
  uint16_t argument_count;
  uint16_t at;    /**< where it stands in the text: character number, from 1 */
  bool has_range; /**< NODE_CALL with FROM..TO behind its arguments */
  bool of_peak;   /**< the range is of the peak of the first argument */
  double range_from, range_to;
} expression_node;

struct expression {
  size_t count;
  expression_node nodes[EXPRESSION_NODES];
};

/** A value while an expression is evaluated: a number, or one for each sample. */
typedef struct operand {
  bool is_series;
  bool owned; /**< `own` is to be freed */
  double number;
  const double *series; /**< [samples] */
  double *own;          /**< the same array where it is owned */
} operand;

/** What a function sees of its call. */
typedef struct call {
  const expression_node *node;
  const expression_source *source;
  operand *arguments; /**< [node->argument_count] */
  scr_error *error;
} call;

typedef scr_status (*reduction)(const call *c, double *result);
typedef double (*elementwise)(double value);

/** A function of the language: one that gives a number from its arguments, or one applied to each value. */
typedef struct expression_function {
  const char *name;
  unsigned least, most; /**< arguments */
  bool takes_range;     /**< FROM..TO may follow the arguments */
  bool takes_name;      /**< its argument is a name of another kind than curves */
  expression_name_kind name_kind;
  reduction reduce;
  elementwise apply;
} expression_function;

/** The table, [*count]. */
const expression_function *expression_functions(size_t *count);

/** Its place in the table, -1: there is none. */
int expression_function_find(const char *name, size_t length);

/** scr_fail with the place in the text. */
scr_status expression_fail(scr_error *error, unsigned at, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
