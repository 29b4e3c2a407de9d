/* Factors: read from a study's document, and their values. */
#include "server/study/design/factor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "server/study/statistics/sample.h"

/* ── reading ── */

static void refuse(scr_problems *problems, const char *pointer, const char *key, const json_t *given, const char *allowed)
{
  char place[FACTOR_PLACE_BYTES + 160];
  snprintf(place, sizeof place, "%s%s%s", pointer, key ? "/" : "", key ? key : "");
  char *text = given ? json_dumps(given, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
  if (text && strlen(text) > 120) memcpy(text + 116, "...", 4);
  (void)scr_problems_add(problems, place, text, allowed, "%s is %s; it must be %s", place, text ? text : "missing", allowed);
  free(text);
}

static bool read_number(const json_t *from, const char *key, double low, const char *pointer, const char *allowed, double *value,
                        scr_problems *problems)
{
  const json_t *given = json_object_get(from, key);
  *value = json_number_value(given);
  if (json_is_number(given) && isfinite(*value) && *value > low) return true;
  refuse(problems, pointer, key, given, allowed);
  return false;
}

static void read_steps(const json_t *from, const char *pointer, factor *out, scr_problems *problems)
{
  const json_t *given = json_object_get(from, "steps");
  if (!given) return;
  json_int_t steps = json_integer_value(given);
  if (!json_is_integer(given) || steps < 1 || steps > FACTOR_VALUE_LIMIT)
    refuse(problems, pointer, "steps", given, "a whole number from 1 to 1000");
  else
    out->steps = (size_t)steps;
}

static void add_place(factor *out, const char *scene, const json_t *given, const char *pointer, scr_problems *problems)
{
  const char *text = json_string_value(given);
  bool fits = text && strlen(text) < FACTOR_PLACE_BYTES && (text[0] == '/' || (text[0] && text[0] != '.' && strchr(text, '.')));
  if (!fits) {
    refuse(problems, pointer, "pointer", given,
           "a JSON Pointer into the scene of at most 255 bytes, such as \"/materials/0/density\", or a short name, such as "
           "\"steel.density\"");
    return;
  }
  if (out->place_count == FACTOR_PLACE_LIMIT || strlen(scene) >= sizeof out->places->scene) {
    refuse(problems, pointer, "pointer", given, "at most 16 places");
    return;
  }
  factor_place *place = &out->places[out->place_count++];
  snprintf(place->scene, sizeof place->scene, "%s", scene);
  snprintf(place->pointer, sizeof place->pointer, "%s", text);
}

static void add_places(factor *out, const char *scene, const json_t *given, const char *pointer, scr_problems *problems)
{
  if (!json_is_array(given)) {
    add_place(out, scene, given, pointer, problems);
    return;
  }
  size_t index;
  const json_t *each;
  json_array_foreach(given, index, each)
  {
    add_place(out, scene, each, pointer, problems);
  }
}

static void read_places(const json_t *from, const char *pointer, factor *out, scr_problems *problems)
{
  const char *scene;
  json_t *each, *given = json_object_get(from, "pointer");
  if (!json_is_object(given)) add_places(out, "", given, pointer, problems);
  json_object_foreach(given, scene, each)
  {
    add_places(out, scene, each, pointer, problems);
  }
  if (out->place_count == 0 && json_is_object(given)) refuse(problems, pointer, "pointer", given, "a pointer for each scene it is in");
}

static void read_values(json_t *given, const char *pointer, factor *out, scr_problems *problems)
{
  size_t index, count = json_array_size(given);
  json_t *each;
  out->kind = FACTOR_VALUES;
  out->values = given;
  if (count < 1 || count > FACTOR_VALUE_LIMIT) refuse(problems, pointer, "values", given, "a list of 1 to 1000 values");
  json_array_foreach(given, index, each)
  {
    char key[40];
    snprintf(key, sizeof key, "values/%zu", index);
    if (json_is_null(each)) refuse(problems, pointer, key, each, "a value, not null");
  }
}

static void read_range(const json_t *given, const char *pointer, factor *out, scr_problems *problems)
{
  char place[FACTOR_PLACE_BYTES + 80];
  const json_t *scale = json_object_get(given, "scale");
  const char *scale_text = scale ? json_string_value(scale) : "linear";
  snprintf(place, sizeof place, "%s/range", pointer);
  out->kind = FACTOR_RANGE;
  bool both = read_number(given, "from", -HUGE_VAL, place, "a number", &out->from, problems);
  both = read_number(given, "to", -HUGE_VAL, place, "a number", &out->to, problems) && both;
  out->logarithmic = scale_text && strcmp(scale_text, "logarithmic") == 0;
  if (!scale_text || (!out->logarithmic && strcmp(scale_text, "linear") != 0))
    refuse(problems, place, "scale", scale, "\"linear\" or \"logarithmic\"");
  if (both && !(out->from < out->to)) refuse(problems, place, "to", json_object_get(given, "to"), "a number above from");
  if (both && out->logarithmic && !(out->from > 0))
    refuse(problems, place, "from", json_object_get(given, "from"), "a number above 0 on a logarithmic scale");
  read_steps(given, place, out, problems);
}

static void read_distribution(const json_t *given, const char *pointer, factor *out, scr_problems *problems)
{
  char place[FACTOR_PLACE_BYTES + 80];
  const json_t *kind = json_object_get(given, "kind");
  const char *name = json_string_value(kind);
  snprintf(place, sizeof place, "%s/distribution", pointer);
  if (name && strcmp(name, "uniform") == 0) {
    read_range(given, pointer, out, problems);
    return;
  }
  if (name && strcmp(name, "normal") == 0) {
    out->kind = FACTOR_NORMAL;
    (void)read_number(given, "mean", -HUGE_VAL, place, "a number", &out->mean, problems);
    (void)read_number(given, "deviation", 0, place, "a number > 0", &out->deviation, problems);
  } else if (name && strcmp(name, "log_normal") == 0) {
    out->kind = FACTOR_LOG_NORMAL;
    if (read_number(given, "median", 0, place, "a number > 0", &out->mean, problems)) out->mean = log(out->mean);
    (void)read_number(given, "deviation", 0, place, "a number > 0, of the logarithm", &out->deviation, problems);
  } else if (name && strcmp(name, "weibull") == 0) {
    out->kind = FACTOR_WEIBULL;
    (void)read_number(given, "modulus", 0, place, "a number > 0", &out->shape, problems);
    (void)read_number(given, "scale", 0, place, "a number > 0", &out->scale, problems);
  } else
    refuse(problems, place, "kind", kind, "\"uniform\", \"normal\", \"log_normal\" or \"weibull\"");
  read_steps(given, place, out, problems);
}

static void read_seeds(const json_t *given, const char *pointer, factor *out, scr_problems *problems)
{
  json_int_t count = json_integer_value(given);
  out->kind = FACTOR_SEEDS;
  out->first_seed = 1;
  if (!json_is_integer(given) || count < 1 || count > FACTOR_VALUE_LIMIT)
    refuse(problems, pointer, "seeds", given, "how many repetitions, a whole number from 1 to 1000");
  else
    out->steps = (size_t)count;
}

static void check_name(const char *name, const char *pointer, scr_problems *problems)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_", digits[] = "0123456789";
  char all[80];
  snprintf(all, sizeof all, "%s%s", letters, digits);
  if (name[0] && strchr(letters, name[0]) && strspn(name, all) == strlen(name) && strlen(name) < FACTOR_NAME_BYTES) return;
  (void)scr_problems_add(problems, pointer, name, "1 to 63 letters, digits and _, a letter first",
                         "the factor '%.80s' must have a name of 1 to 63 letters, digits and _, a letter first", name);
}

void factor_read(const char *name, json_t *given, const char *pointer, factor *out, scr_problems *problems)
{
  static const char forms[] = "an object with pointer, and one of values, range, distribution, seeds";
  *out = (factor){0};
  snprintf(out->name, sizeof out->name, "%s", name);
  check_name(name, pointer, problems);
  if (!json_is_object(given)) {
    refuse(problems, pointer, NULL, given, forms);
    return;
  }
  const char *key, *unit = json_string_value(json_object_get(given, "unit"));
  json_t *each;
  unsigned count = 0;
  snprintf(out->unit, sizeof out->unit, "%s", unit ? unit : "");
  read_places(given, pointer, out, problems);
  json_object_foreach(given, key, each)
  {
    bool form = strcmp(key, "values") == 0 || strcmp(key, "range") == 0 || strcmp(key, "distribution") == 0 || strcmp(key, "seeds") == 0;
    count += form;
    if (strcmp(key, "values") == 0) read_values(each, pointer, out, problems);
    if (strcmp(key, "range") == 0) read_range(each, pointer, out, problems);
    if (strcmp(key, "distribution") == 0) read_distribution(each, pointer, out, problems);
    if (strcmp(key, "seeds") == 0) read_seeds(each, pointer, out, problems);
    if (!form && strcmp(key, "pointer") != 0 && strcmp(key, "unit") != 0)
      refuse(problems, pointer, key, each, "absent: a factor has pointer, unit, and one of values, range, distribution, seeds");
  }
  if (count > 1) refuse(problems, pointer, NULL, given, forms); /* none is for a design of rows; the document looks */
}

/* ── values ── */

static json_t *rounded(double value)
{
  char text[40];
  snprintf(text, sizeof text, "%.12g", value);
  return json_real(strtod(text, NULL));
}

static double between(const factor *self, double share)
{
  if (self->logarithmic) return exp(log(self->from) + share * (log(self->to) - log(self->from)));
  return self->from + share * (self->to - self->from);
}

size_t factor_levels(const factor *self)
{
  return self->kind == FACTOR_VALUES ? json_array_size(self->values) : self->steps;
}

json_t *factor_level(const factor *self, size_t level)
{
  if (self->kind == FACTOR_VALUES) return json_incref(json_array_get(self->values, level));
  if (self->kind == FACTOR_SEEDS) return json_integer(self->first_seed + (json_int_t)level);
  if (self->kind == FACTOR_RANGE) return rounded(between(self, self->steps > 1 ? (double)level / (double)(self->steps - 1) : 0.5));
  return factor_quantile(self, ((double)level + 0.5) / (double)self->steps);
}

json_t *factor_quantile(const factor *self, double u)
{
  switch (self->kind) {
  case FACTOR_VALUES:
  case FACTOR_SEEDS: {
    size_t levels = factor_levels(self), level = (size_t)(u * (double)levels);
    return factor_level(self, level < levels ? level : levels - 1);
  }
  case FACTOR_RANGE: return rounded(between(self, u));
  case FACTOR_NORMAL: return rounded(self->mean + self->deviation * normal_quantile(u));
  case FACTOR_LOG_NORMAL: return rounded(exp(self->mean + self->deviation * normal_quantile(u)));
  case FACTOR_WEIBULL: return rounded(self->scale * pow(-log1p(-u), 1 / self->shape));
  }
  return NULL;
}
