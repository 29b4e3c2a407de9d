/* Reads an expression by recursive descent, one function for each level of precedence, lowest first:
 *
 *   or, and, not, comparison (one, not chained), + -, * /, unary -, ^ (to the right), value
 *
 * A value is a number, a name ("..." around one that is not plain), a call, or an expression in parentheses. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/study/expression/expression_internal.h"

typedef struct parser {
  const char *text;
  size_t at; /* next character */
  unsigned depth;
  expression *made;
  scr_error *error;
} parser;

static unsigned place(const parser *p)
{
  return (unsigned)p->at + 1;
}

static void skip_blanks(parser *p)
{
  while (p->text[p->at] == ' ' || p->text[p->at] == '\t' || p->text[p->at] == '\n') p->at++;
}

static bool accept(parser *p, const char *sign)
{
  skip_blanks(p);
  size_t length = strlen(sign);
  if (strncmp(p->text + p->at, sign, length) != 0) return false;
  p->at += length;
  return true;
}

static bool is_name_start(char c)
{
  return isalpha((unsigned char)c) || c == '_';
}

static bool is_name_part(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

/* Bytes of the plain name at the next character: words with single dots between them. */
static size_t name_length(const parser *p)
{
  const char *from = p->text + p->at;
  size_t n = 0;
  if (!is_name_start(from[0])) return 0;
  while (is_name_part(from[n]) || (from[n] == '.' && is_name_part(from[n + 1]))) n++;
  return n;
}

static bool accept_word(parser *p, const char *word)
{
  skip_blanks(p);
  size_t length = strlen(word);
  if (name_length(p) != length || strncmp(p->text + p->at, word, length) != 0) return false;
  p->at += length;
  return true;
}

static scr_status add_node(parser *p, const expression_node *node, uint16_t *number)
{
  if (p->made->count == EXPRESSION_NODES)
    return expression_fail(p->error, node->at, "it has more than %d operations and values, the most there may be", EXPRESSION_NODES);
  p->made->nodes[p->made->count] = *node;
  *number = (uint16_t)p->made->count++;
  return SCR_OK;
}

static scr_status enter(parser *p)
{
  if (p->depth++ < EXPRESSION_DEPTH) return SCR_OK;
  return expression_fail(p->error, place(p), "it is nested more than %d deep", EXPRESSION_DEPTH);
}

static scr_status parse_any(parser *p, uint16_t *number);

/* Digits with a point and an exponent, where two points are a range and no part of a number: "0.1..0.4". No sign, no hexadecimal. */
static scr_status read_number(parser *p, double *value)
{
  skip_blanks(p);
  const char *from = p->text + p->at;
  size_t n = 0, digits = 0;
  while (isdigit((unsigned char)from[n])) n++, digits++;
  if (from[n] == '.' && from[n + 1] != '.') {
    n++;
    while (isdigit((unsigned char)from[n])) n++, digits++;
  }
  if (digits == 0) return expression_fail(p->error, place(p), "a number is needed here");
  if (from[n] == 'e' || from[n] == 'E') {
    size_t e = n + 1;
    if (from[e] == '+' || from[e] == '-') e++;
    if (isdigit((unsigned char)from[e])) {
      while (isdigit((unsigned char)from[e])) e++;
      n = e;
    }
  }
  char digits_text[64];
  if (n >= sizeof digits_text) return expression_fail(p->error, place(p), "this number has %zu characters; at most 63 are read", n);
  memcpy(digits_text, from, n);
  digits_text[n] = '\0';
  *value = strtod(digits_text, NULL);
  if (!isfinite(*value)) return expression_fail(p->error, place(p), "the number %s is too large", digits_text);
  p->at += n;
  return SCR_OK;
}

static scr_status read_signed(parser *p, double *value)
{
  bool negative = accept(p, "-");
  SCR_TRY(read_number(p, value));
  if (negative) *value = -*value;
  return SCR_OK;
}

/* A name, plain or in quotes. */
static scr_status read_name(parser *p, char name[EXPRESSION_NAME_BYTES])
{
  skip_blanks(p);
  const char *from = p->text + p->at;
  size_t length, whole;
  if (from[0] == '"') {
    const char *end = strchr(from + 1, '"');
    if (!end) return expression_fail(p->error, place(p), "the quotes that begin here are not closed");
    from++;
    length = (size_t)(end - from);
    whole = length + 2;
  } else
    whole = length = name_length(p);
  if (length == 0) return expression_fail(p->error, place(p), "a name is needed here");
  if (length >= EXPRESSION_NAME_BYTES)
    return expression_fail(p->error, place(p), "this name has %zu characters; names have at most %d", length, EXPRESSION_NAME_BYTES - 1);
  memcpy(name, from, length);
  name[length] = '\0';
  p->at += whole;
  return SCR_OK;
}

/* Whether FROM..TO begins here: a number with two points behind it. */
static bool is_range(parser *p)
{
  parser ahead = *p;
  double number = 0;
  ahead.error = NULL;
  return read_signed(&ahead, &number) == SCR_OK && accept(&ahead, "..");
}

static scr_status read_range(parser *p, expression_node *node)
{
  unsigned at = place(p);
  SCR_TRY(read_signed(p, &node->range_from));
  (void)accept(p, "..");
  SCR_TRY(read_signed(p, &node->range_to));
  node->has_range = true;
  if (!(node->range_from < node->range_to)) return expression_fail(p->error, at, "the range must go from a smaller to a larger number");
  if (!accept_word(p, "of")) return SCR_OK;
  if (!accept_word(p, "peak")) return expression_fail(p->error, place(p), "'of' must be followed by 'peak'");
  node->of_peak = true;
  if (node->range_from < 0 || node->range_to > 1) return expression_fail(p->error, at, "a range of the peak lies within 0..1");
  return SCR_OK;
}

static scr_status parse_named(parser *p, expression_name_kind kind, uint16_t *number)
{
  skip_blanks(p);
  expression_node node = {.kind = NODE_NAME, .name_kind = kind, .at = (uint16_t)place(p)};
  SCR_TRY(read_name(p, node.name));
  return add_node(p, &node, number);
}

static scr_status parse_argument(parser *p, const expression_function *f, expression_node *node)
{
  skip_blanks(p);
  if (f->takes_range && node->argument_count > 0 && is_range(p)) return read_range(p, node);
  if (node->has_range) return expression_fail(p->error, place(p), "the range is the last argument of %s", f->name);
  if (node->argument_count == f->most)
    return expression_fail(p->error, place(p), "%s takes at most %u argument%s", f->name, f->most, f->most == 1 ? "" : "s");
  uint16_t *argument = &node->argument[node->argument_count++];
  return f->takes_name ? parse_named(p, f->name_kind, argument) : parse_any(p, argument);
}

static scr_status unknown_function(const parser *p, size_t length)
{
  char names[400] = "";
  size_t count;
  const expression_function *functions = expression_functions(&count);
  for (size_t i = 0; i < count; i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", functions[i].name);
  return expression_fail(p->error, place(p), "there is no function '%.*s'; the functions are %s", (int)(length < 40 ? length : 40),
                         p->text + p->at, names);
}

/* NAME(ARGUMENT, ...), at its name. */
static scr_status parse_call(parser *p, size_t length, uint16_t *number)
{
  int found = expression_function_find(p->text + p->at, length);
  if (found < 0) return unknown_function(p, length);
  size_t count;
  const expression_function *f = &expression_functions(&count)[found];
  expression_node node = {.kind = NODE_CALL, .function = found, .at = (uint16_t)place(p)};
  p->at += length;
  (void)accept(p, "(");
  SCR_TRY(enter(p));
  if (!accept(p, ")")) {
    do SCR_TRY(parse_argument(p, f, &node));
    while (accept(p, ","));
    if (!accept(p, ")")) return expression_fail(p->error, place(p), "a ',' or the ')' that ends %s is needed here", f->name);
  }
  p->depth--;
  if (node.argument_count < f->least)
    return expression_fail(p->error, node.at, "%s needs %u argument%s and has %u", f->name, f->least, f->least == 1 ? "" : "s",
                           node.argument_count);
  return add_node(p, &node, number);
}

static scr_status parse_value(parser *p, uint16_t *number)
{
  skip_blanks(p);
  char next = p->text[p->at];
  if (next == '(') {
    p->at++;
    SCR_TRY(enter(p));
    SCR_TRY(parse_any(p, number));
    p->depth--;
    return accept(p, ")") ? SCR_OK : expression_fail(p->error, place(p), "a ')' is missing here");
  }
  if (next == '"') return parse_named(p, EXPRESSION_VALUE, number);
  size_t length = name_length(p);
  if (length > 0) {
    const char *behind = p->text + p->at + length;
    while (*behind == ' ') behind++;
    return *behind == '(' ? parse_call(p, length, number) : parse_named(p, EXPRESSION_VALUE, number);
  }
  if (next == '\0') return expression_fail(p->error, place(p), "the expression ends where a value is needed");
  if (!isdigit((unsigned char)next) && next != '.')
    return expression_fail(p->error, place(p), "'%c' is not understood here; a number, a name, a function or '(' is needed",
                           isprint((unsigned char)next) ? next : '?');
  expression_node node = {.kind = NODE_NUMBER, .at = (uint16_t)place(p)};
  SCR_TRY(read_number(p, &node.number));
  return add_node(p, &node, number);
}

static scr_status add_binary(parser *p, operation op, unsigned at, uint16_t left, uint16_t right, uint16_t *number)
{
  expression_node node = {.kind = NODE_BINARY, .operation = op, .argument = {left, right}, .argument_count = 2, .at = (uint16_t)at};
  return add_node(p, &node, number);
}

static scr_status parse_unary(parser *p, uint16_t *number);

static scr_status parse_power(parser *p, uint16_t *number)
{
  SCR_TRY(parse_value(p, number));
  unsigned at = place(p);
  if (!accept(p, "^")) return SCR_OK;
  uint16_t exponent = 0;
  SCR_TRY(enter(p));
  SCR_TRY(parse_unary(p, &exponent));
  p->depth--;
  return add_binary(p, OPERATION_POWER, at, *number, exponent, number);
}

static scr_status parse_unary(parser *p, uint16_t *number)
{
  skip_blanks(p);
  expression_node node = {.kind = NODE_NEGATE, .argument_count = 1, .at = (uint16_t)place(p)};
  if (!accept(p, "-")) return parse_power(p, number);
  SCR_TRY(enter(p));
  SCR_TRY(parse_unary(p, &node.argument[0]));
  p->depth--;
  return add_node(p, &node, number);
}

static scr_status parse_product(parser *p, uint16_t *number)
{
  SCR_TRY(parse_unary(p, number));
  for (;;) {
    skip_blanks(p);
    unsigned at = place(p);
    bool times = accept(p, "*");
    if (!times && !accept(p, "/")) return SCR_OK;
    uint16_t right = 0;
    SCR_TRY(parse_unary(p, &right));
    SCR_TRY(add_binary(p, times ? OPERATION_MULTIPLY : OPERATION_DIVIDE, at, *number, right, number));
  }
}

static scr_status parse_sum(parser *p, uint16_t *number)
{
  SCR_TRY(parse_product(p, number));
  for (;;) {
    skip_blanks(p);
    unsigned at = place(p);
    bool plus = accept(p, "+");
    if (!plus && !accept(p, "-")) return SCR_OK;
    uint16_t right = 0;
    SCR_TRY(parse_product(p, &right));
    SCR_TRY(add_binary(p, plus ? OPERATION_ADD : OPERATION_SUBTRACT, at, *number, right, number));
  }
}

static bool accept_comparison(parser *p, operation *op)
{
  static const struct {
    const char *sign;
    operation operation;
  } signs[] = {{"<=", OPERATION_LESS_EQUAL}, {">=", OPERATION_GREATER_EQUAL}, {"==", OPERATION_EQUAL},
               {"!=", OPERATION_NOT_EQUAL},  {"<", OPERATION_LESS},           {">", OPERATION_GREATER}};
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (accept(p, signs[i].sign)) {
      *op = signs[i].operation;
      return true;
    }
  return false;
}

static scr_status parse_comparison(parser *p, uint16_t *number)
{
  operation op, further;
  SCR_TRY(parse_sum(p, number));
  skip_blanks(p);
  unsigned at = place(p);
  if (!accept_comparison(p, &op)) return SCR_OK;
  uint16_t right = 0;
  SCR_TRY(parse_sum(p, &right));
  SCR_TRY(add_binary(p, op, at, *number, right, number));
  at = place(p);
  if (accept_comparison(p, &further)) return expression_fail(p->error, at, "comparisons can't be chained; use 'and': a < b and b < c");
  return SCR_OK;
}

static scr_status parse_not(parser *p, uint16_t *number)
{
  skip_blanks(p);
  expression_node node = {.kind = NODE_NOT, .argument_count = 1, .at = (uint16_t)place(p)};
  if (!accept_word(p, "not")) return parse_comparison(p, number);
  SCR_TRY(enter(p));
  SCR_TRY(parse_not(p, &node.argument[0]));
  p->depth--;
  return add_node(p, &node, number);
}

static scr_status parse_and(parser *p, uint16_t *number)
{
  SCR_TRY(parse_not(p, number));
  for (;;) {
    skip_blanks(p);
    unsigned at = place(p);
    if (!accept_word(p, "and")) return SCR_OK;
    uint16_t right = 0;
    SCR_TRY(parse_not(p, &right));
    SCR_TRY(add_binary(p, OPERATION_AND, at, *number, right, number));
  }
}

static scr_status parse_any(parser *p, uint16_t *number)
{
  SCR_TRY(parse_and(p, number));
  for (;;) {
    skip_blanks(p);
    unsigned at = place(p);
    if (!accept_word(p, "or")) return SCR_OK;
    uint16_t right = 0;
    SCR_TRY(parse_and(p, &right));
    SCR_TRY(add_binary(p, OPERATION_OR, at, *number, right, number));
  }
}

scr_status expression_parse(const char *text, expression **out, scr_error *error)
{
  *out = NULL;
  size_t length = strlen(text);
  if (length > EXPRESSION_BYTES)
    return expression_fail(error, EXPRESSION_BYTES + 1, "the expression has %zu characters; at most %d are read", length, EXPRESSION_BYTES);
  expression *made = calloc(1, sizeof *made);
  if (!made) return scr_fail_memory(error, "an expression", sizeof *made);
  parser p = {.text = text, .made = made, .error = error};
  uint16_t whole;
  scr_status status = parse_any(&p, &whole);
  skip_blanks(&p);
  if (status == SCR_OK && text[p.at])
    status = expression_fail(error, place(&p), "'%c' is not understood here; an operator or the end is needed",
                             isprint((unsigned char)text[p.at]) ? text[p.at] : '?');
  if (status != SCR_OK) {
    free(made);
    return status;
  }
  *out = made;
  return SCR_OK;
}

void expression_destroy(expression *self)
{
  free(self);
}

const char *expression_name(const expression *self, size_t index, expression_name_kind *kind)
{
  for (size_t i = 0; i < self->count; i++)
    if (self->nodes[i].kind == NODE_NAME && index-- == 0) {
      *kind = self->nodes[i].name_kind;
      return self->nodes[i].name;
    }
  return NULL;
}
