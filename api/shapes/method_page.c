/* What was written of a method and what its tables say, as one page: tables go before the end of the written page's <main>. */
#include "api/shapes/method_page.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "api/shapes/page.h"
#include "scree.h"

static void add_names(text_builder *out, const json_t *method, const char *key, const char *heading)
{
  const json_t *names = json_object_get(method, key);
  for (size_t i = 0; i < json_array_size(names); i++) {
    text_add_string(out, i ? ", " : heading);
    text_add_string(out, "<code>");
    page_add_escaped(out, json_string_value(json_array_get(names, i)));
    text_add_string(out, "</code>");
  }
  if (json_array_size(names)) text_add_string(out, "</p>\n");
}

/* The default as text: what is null is chosen by the program, what is missing must be given. */
static void add_default(text_builder *out, const json_t *option)
{
  const json_t *value = json_object_get(option, "default");
  if (!value || json_is_null(value)) {
    text_add_string(out, value ? "<td>chosen</td>" : "<td>required</td>");
    return;
  }
  char *dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
  text_add_string(out, "<td><code>");
  if (dump) page_add_escaped(out, dump);
  if (!dump) out->failed = true;
  text_add_string(out, "</code></td>");
  free(dump);
}

/* Options or keys of one place of a scene; each name leads to its row of the reference. `path`: as the reference names the place. */
static void add_options(text_builder *out, const json_t *method, const char *key, const char *path, const char *heading)
{
  const json_t *options = json_object_get(method, key);
  if (json_array_size(options) == 0) return;
  text_add_format(out,
                  "<h2>%s</h2>\n<div class=\"scroll\"><table><thead><tr><th>key</th><th>unit</th><th>default</th><th>meaning</th></tr>"
                  "</thead><tbody>\n",
                  heading);
  for (size_t i = 0; i < json_array_size(options); i++) {
    const json_t *option = json_array_get(options, i);
    const char *name = page_text_of(option, "name"), *unit = page_text_of(option, "unit");
    text_add_string(out, "<tr><td><a href=\"/reference#");
    page_add_key_anchor(out, path, page_text_of(method, "name"), name);
    text_add_string(out, "\"><code>");
    page_add_escaped(out, name);
    text_add_string(out, "</code></a></td><td>");
    page_add_escaped(out, strcmp(unit, "1") == 0 ? "" : unit);
    text_add_string(out, "</td>");
    add_default(out, option);
    text_add_string(out, "<td>");
    page_add_escaped(out, page_text_of(option, "help"));
    text_add_string(out, "</td></tr>\n");
  }
  text_add_string(out, "</tbody></table></div>\n");
}

static void add_tables(text_builder *out, const json_t *method)
{
  text_add_string(out, "<h2 id=\"takes\">What it takes</h2>\n");
  add_names(out, method, "shapes", "<p>Shapes: ");
  add_names(out, method, "rigs", "<p>Rigs: ");
  add_names(out, method, "lacks", "<p>Not: ");
  add_options(out, method, "options", "options", "Options");
  add_options(out, method, "material", "materials[]", "Of each material");
  add_options(out, method, "surface", "contact", "Of each contact");
  add_options(out, method, "specimen", "specimens[]", "Of each specimen");
  text_add_string(out, "<h2>Curves</h2>\n<p>");
  text_add_format(out, "%zu curves, with units: <a href=\"/reference#curves-", json_array_size(json_object_get(method, "curves")));
  page_add_escaped(out, page_text_of(method, "name"));
  text_add_string(out, "\">in the reference</a>.</p>\n");
}

/* The beginning of a page that nobody has written. */
static void add_summary(text_builder *out, const json_t *method)
{
  page_add_head(out, page_text_of(method, "name"));
  text_add_string(out, "<main>\n<h1>");
  page_add_escaped(out, page_text_of(method, "title"));
  text_add_string(out, "</h1>\n<p>");
  page_add_escaped(out, page_text_of(method, "summary"));
  text_add_string(out, "</p>\n");
}

char *method_page_html(const char *name, const char *written, size_t *length, bool *found)
{
  char *text = scr_method_json(name);
  json_t *method = text ? json_loads(text, 0, NULL) : NULL;
  const char *end = written ? strstr(written, "</main>") : NULL;
  text_builder out = {0};
  *found = text != NULL;
  scr_free(text);
  if (!method) return NULL;
  if (end)
    text_add(&out, written, (size_t)(end - written));
  else
    add_summary(&out, method);
  add_tables(&out, method);
  text_add_string(&out, end ? end : "</main>\n</body>\n</html>\n");
  json_decref(method);
  *length = out.length;
  return text_take(&out);
}
