/* Units go up the nodes as far as rules for them are plain; what has none is not known, and is not compared with anything. */
#include <stdio.h>
#include <string.h>

#include "base/unit.h"
#include "server/study/expression/expression_internal.h"

typedef enum unit_kind { UNIT_NOT_KNOWN, UNIT_ANY, UNIT_GIVEN } unit_kind; /* any: of a number that is written out */

typedef struct node_unit {
  unit_kind kind;
  char text[EXPRESSION_UNIT_BYTES];
} node_unit;

static node_unit given(const char *text)
{
  node_unit made = {.kind = UNIT_GIVEN};
  int length = snprintf(made.text, sizeof made.text, "%s", text[0] ? text : "1");
  return length < (int)sizeof made.text ? made : (node_unit){0};
}

static bool is(const node_unit *of, const char *text)
{
  return of->kind == UNIT_GIVEN && strcmp(of->text, text) == 0;
}

/* Of a sum, or the greater of two. */
static node_unit common(const node_unit *a, const node_unit *b)
{
  if (a->kind == UNIT_ANY) return *b;
  if (b->kind == UNIT_ANY) return *a;
  return a->kind == UNIT_GIVEN && b->kind == UNIT_GIVEN && strcmp(a->text, b->text) == 0 ? *a : (node_unit){0};
}

static node_unit quotient(const node_unit *a, const node_unit *b)
{
  char text[2 * EXPRESSION_UNIT_BYTES + 2];
  if (a->kind != UNIT_GIVEN || b->kind != UNIT_GIVEN) return (node_unit){0};
  if (strcmp(a->text, b->text) == 0) return given("1");
  if (is(b, "1")) return *a;
  if (strpbrk(a->text, "/ ") || strpbrk(b->text, "/ ") || is(a, "1")) return (node_unit){0};
  snprintf(text, sizeof text, "%s/%s", a->text, b->text);
  return given(text);
}

static node_unit of_binary(operation what, const node_unit *a, const node_unit *b)
{
  switch (what) {
  case OPERATION_ADD:
  case OPERATION_SUBTRACT:
  case OPERATION_MAXIMUM:
  case OPERATION_MINIMUM: return common(a, b);
  case OPERATION_MULTIPLY: /* by a number that is written out it may be turned into another unit */
    if (is(a, "1")) return *b;
    return is(b, "1") ? *a : (node_unit){0};
  case OPERATION_DIVIDE: return quotient(a, b);
  case OPERATION_POWER: return is(a, "1") ? *a : (node_unit){0};
  default: return given("1");
  }
}

static node_unit of_call(const char *name, const expression_node *node, const node_unit *units)
{
  static const char *const kept[] = {"max", "min", "peak", "mean", "deviation", "initial", "final", "last", "at", "abs"};
  const node_unit none = {0}, *first = node->argument_count ? &units[node->argument[0]] : &none;
  if (strcmp(name, "first") == 0) return given("s");
  if (strcmp(name, "count") == 0 || strcmp(name, "rows") == 0) return given("1");
  if (strcmp(name, "slope") == 0) return quotient(first, &units[node->argument[1]]);
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (strcmp(kept[i], name) == 0) return *first;
  return is(first, "1") ? *first : none;
}

bool expression_unit(const expression *self, const char *(*find)(void *user, const char *name), void *user,
                     char unit[static EXPRESSION_UNIT_BYTES])
{
  node_unit units[EXPRESSION_NODES] = {0};
  size_t count;
  const expression_function *functions = expression_functions(&count);
  unit[0] = 0;
  for (size_t i = 0; i < self->count; i++) {
    const expression_node *node = &self->nodes[i];
    const char *found;
    switch (node->kind) {
    case NODE_NUMBER: units[i].kind = UNIT_ANY; break;
    case NODE_NAME:
      found = node->name_kind == EXPRESSION_VALUE ? find(user, node->name) : NULL;
      if (found) units[i] = given(found);
      break;
    case NODE_CALL: units[i] = of_call(functions[node->function].name, node, units); break;
    case NODE_NEGATE: units[i] = units[node->argument[0]]; break;
    case NODE_NOT: units[i] = given("1"); break;
    case NODE_BINARY: units[i] = of_binary(node->operation, &units[node->argument[0]], &units[node->argument[1]]); break;
    }
  }
  const node_unit *whole = &units[self->count - 1];
  if (whole->kind == UNIT_GIVEN) memcpy(unit, whole->text, sizeof whole->text);
  return whole->kind == UNIT_GIVEN;
}

bool expression_units_agree(const char *a, const char *b)
{
  char text[EXPRESSION_UNIT_BYTES + 2];
  double factor;
  bool bare_a = strcmp(a, "1") == 0, bare_b = strcmp(b, "1") == 0;
  if (!a[0] || !b[0] || strcmp(a, b) == 0) return true;
  if (bare_a || bare_b) return !unit_can_be_given(bare_a ? b : a);
  if (!unit_can_be_given(a) || !unit_can_be_given(b)) return true;
  snprintf(text, sizeof text, "1 %s", a);
  return unit_read(text, b, &factor) == UNIT_READ;
}
