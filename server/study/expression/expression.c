/* Evaluates an expression: each node once, behind its arguments, whose values are freed as soon as they are used. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "server/study/expression/expression_internal.h"

enum { WORKSPACE_BYTES = 256 << 20 };

typedef struct evaluation {
  const expression *self;
  const expression_source *source;
  const char *text; /* of the whole, where it is one */
  size_t held;      /* bytes of series that are owned now */
  scr_error *error;
} evaluation;

static void release(evaluation *e, operand *o)
{
  if (!o->owned) return;
  mem_free(o->own);
  e->held -= e->source->sample_count * sizeof(double);
  *o = (operand){0};
}

static scr_status make_series(evaluation *e, unsigned at, operand *o)
{
  size_t bytes = e->source->sample_count * sizeof(double);
  if (e->source->sample_count > WORKSPACE_BYTES / sizeof(double) || e->held + bytes > WORKSPACE_BYTES) {
    (void)expression_fail(e->error, at, "the run has %zu samples; evaluating this takes more than the %d MB it may take",
                          e->source->sample_count, WORKSPACE_BYTES >> 20);
    return SCR_BAD_USAGE;
  }
  double *own;
  SCR_TRY(mem_allocate(&own, e->source->sample_count, sizeof *own, "a result of a study", e->error));
  *o = (operand){.is_series = true, .owned = true, .series = own, .own = own};
  e->held += bytes;
  return SCR_OK;
}

static double combine(operation op, double a, double b)
{
  switch (op) {
  case OPERATION_ADD: return a + b;
  case OPERATION_SUBTRACT: return a - b;
  case OPERATION_MULTIPLY: return a * b;
  case OPERATION_DIVIDE: return a / b;
  case OPERATION_POWER: return pow(a, b);
  case OPERATION_LESS: return a < b;
  case OPERATION_LESS_EQUAL: return a <= b;
  case OPERATION_GREATER: return a > b;
  case OPERATION_GREATER_EQUAL: return a >= b;
  case OPERATION_EQUAL: return a == b;
  case OPERATION_NOT_EQUAL: return a != b;
  case OPERATION_AND: return a != 0 && b != 0;
  case OPERATION_OR: return a != 0 || b != 0;
  case OPERATION_MAXIMUM: return a > b ? a : b;
  case OPERATION_MINIMUM: return a < b ? a : b;
  }
  return NAN;
}

static scr_status binary(evaluation *e, operation op, unsigned at, const operand *a, const operand *b, operand *out)
{
  if (!a->is_series && !b->is_series) {
    *out = (operand){.number = combine(op, a->number, b->number)};
    return SCR_OK;
  }
  SCR_TRY(make_series(e, at, out));
  for (size_t i = 0; i < e->source->sample_count; i++)
    out->own[i] = combine(op, a->is_series ? a->series[i] : a->number, b->is_series ? b->series[i] : b->number);
  return SCR_OK;
}

/* A value's negative, whether it is zero, or a function of it. */
static scr_status unary(evaluation *e, const expression_node *node, elementwise apply, const operand *a, operand *out)
{
  size_t count = a->is_series ? e->source->sample_count : 1;
  if (a->is_series) SCR_TRY(make_series(e, node->at, out));
  const double *from = a->is_series ? a->series : &a->number;
  double *to = a->is_series ? out->own : &out->number;
  for (size_t i = 0; i < count; i++) to[i] = apply ? apply(from[i]) : node->kind == NODE_NEGATE ? -from[i] : from[i] == 0;
  return SCR_OK;
}

static scr_status look_up(evaluation *e, const expression_node *node, operand *out)
{
  const char *text = NULL;
  const double *curve = NULL;
  double number = 0;
  switch (e->source->find(e->source->user, node->name_kind, node->name, &number, &curve, &text)) {
  case EXPRESSION_NUMBER: *out = (operand){.number = number}; return SCR_OK;
  case EXPRESSION_CURVE: *out = (operand){.is_series = true, .series = curve}; return SCR_OK;
  case EXPRESSION_TEXT:
    if (e->self->count > 1) return expression_fail(e->error, node->at, "'%s' is a text; nothing can be computed with it", node->name);
    e->text = text;
    return SCR_OK;
  case EXPRESSION_UNKNOWN: break;
  }
  static const char *const kinds[] = {
      [EXPRESSION_VALUE] = "curve or factor", [EXPRESSION_HEADLINE] = "headline", [EXPRESSION_TABLE] = "table"};
  char instead[360] = "";
  if (e->source->suggest) e->source->suggest(e->source->user, node->name_kind, node->name, instead, sizeof instead);
  return expression_fail(e->error, node->at, "this run has no %s '%s'%s%s", kinds[node->name_kind], node->name, instead[0] ? "; " : "",
                         instead);
}

/* max(a, b, ...): of each sample's values. */
static scr_status extremes(evaluation *e, const expression_node *node, operation op, const operand *arguments, operand *out)
{
  *out = arguments[0];
  out->owned = false;
  for (size_t i = 1; i < node->argument_count; i++) {
    operand before = *out, after = {0};
    scr_status status = binary(e, op, node->at, &before, &arguments[i], &after);
    release(e, &before);
    *out = after;
    if (status != SCR_OK) return status;
  }
  return SCR_OK;
}

static scr_status apply_call(evaluation *e, const expression_node *node, operand *arguments, operand *out)
{
  size_t count;
  const expression_function *f = &expression_functions(&count)[node->function];
  if (f->apply) return unary(e, node, f->apply, &arguments[0], out);
  bool is_max = strcmp(f->name, "max") == 0;
  if (node->argument_count > 1 && (is_max || strcmp(f->name, "min") == 0))
    return extremes(e, node, is_max ? OPERATION_MAXIMUM : OPERATION_MINIMUM, arguments, out);
  const call c = {.node = node, .source = e->source, .arguments = arguments, .error = e->error};
  return f->reduce(&c, &out->number);
}

static scr_status apply_node(evaluation *e, const expression_node *node, operand *arguments, operand *out)
{
  switch (node->kind) {
  case NODE_NUMBER: out->number = node->number; return SCR_OK;
  case NODE_NAME: return look_up(e, node, out);
  case NODE_CALL: return apply_call(e, node, arguments, out);
  case NODE_NEGATE:
  case NODE_NOT: return unary(e, node, NULL, &arguments[0], out);
  case NODE_BINARY: return binary(e, node->operation, node->at, &arguments[0], &arguments[1], out);
  }
  return SCR_BAD_USAGE;
}

/* Recursion is as deep as the text is nested, which the parser bounds, and as its sums are long: at most EXPRESSION_NODES. */
static scr_status evaluate_node(evaluation *e, uint16_t number, operand *out)
{
  const expression_node *node = &e->self->nodes[number];
  operand arguments[ARGUMENT_LIMIT] = {{0}};
  scr_status status = SCR_OK;
  *out = (operand){0};
  for (size_t i = 0; i < node->argument_count && status == SCR_OK; i++) status = evaluate_node(e, node->argument[i], &arguments[i]);
  if (status == SCR_OK) status = apply_node(e, node, arguments, out);
  for (size_t i = 0; i < node->argument_count; i++) release(e, &arguments[i]);
  return status;
}

scr_status expression_evaluate_curve(const expression *self, const expression_source *source, double *values, scr_error *error)
{
  evaluation e = {.self = self, .source = source, .error = error};
  operand whole;
  scr_status status = evaluate_node(&e, (uint16_t)(self->count - 1), &whole);
  if (status == SCR_OK && e.text) status = expression_fail(error, 1, "this is a text, and a curve is needed");
  for (size_t i = 0; status == SCR_OK && i < source->sample_count; i++) values[i] = whole.is_series ? whole.series[i] : whole.number;
  release(&e, &whole);
  return status;
}

scr_status expression_evaluate(const expression *self, const expression_source *source, expression_value *value, scr_error *error)
{
  evaluation e = {.self = self, .source = source, .error = error};
  operand whole;
  *value = (expression_value){0};
  scr_status status = evaluate_node(&e, (uint16_t)(self->count - 1), &whole);
  if (status == SCR_OK && whole.is_series)
    status = expression_fail(error, 1, "this is a curve, and a result is one number: use max, final, mean or another function of it");
  if (status == SCR_OK && e.text) {
    value->is_text = true;
    snprintf(value->text, sizeof value->text, "%s", e.text);
  } else if (status == SCR_OK && !isfinite(whole.number))
    status = expression_fail(
        error, 1, "its value is not a finite number: it divides by zero, or takes a root or logarithm of a number that has none");
  else
    value->number = whole.number;
  release(&e, &whole);
  return status;
}
