/* Two ways to print one document: tables in HTML, indented lines for terminals. */
#include "api/shapes/reference_page.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "api/shapes/page.h"
#include "scree.h"

enum { COLUMNS = 100 };

static json_t *load(void)
{
  char *text = scr_reference_json();
  json_t *document = text ? json_loads(text, 0, NULL) : NULL;
  scr_free(text);
  return document;
}

static char *finish(text_builder *text, json_t *document, size_t *length)
{
  json_decref(document);
  text_add_string(text, "");
  *length = text->length;
  return text_take(text);
}

/* "materials[] of type x", "options of bdem", "the scene". */
static void add_place(text_builder *out, const json_t *section)
{
  const char *path = page_text_of(section, "path"), *type = page_text_of(section, "type"), *method = page_text_of(section, "method");
  text_add_string(out, *path ? path : "the scene");
  if (*type) text_add_format(out, ", \"type\": \"%s\"", type);
  if (*method) text_add_format(out, " of %s", method);
}

/* ── HTML ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void add_cell(text_builder *out, const char *text, bool code)
{
  text_add_string(out, "<td>");
  if (code && *text) text_add_string(out, "<code>");
  page_add_escaped(out, text);
  if (code && *text) text_add_string(out, "</code>");
  text_add_string(out, "</td>");
}

/* `more`: what tells the section from others of its path. */
static void add_key_row(text_builder *out, const json_t *key, const char *path, const char *more)
{
  const char *see = page_text_of(key, "see"), *fallback = page_text_of(key, "default");
  text_add_string(out, "<tr id=\"");
  page_add_key_anchor(out, path, more, page_text_of(key, "name"));
  text_add_string(out, "\">");
  add_cell(out, page_text_of(key, "name"), true);
  add_cell(out, page_text_of(key, "type"), false);
  add_cell(out, page_text_of(key, "unit"), false);
  add_cell(out, fallback, strcmp(fallback, "required") != 0);
  add_cell(out, page_text_of(key, "range"), false);
  text_add_string(out, "<td>");
  page_add_escaped(out, page_text_of(key, "help"));
  if (*see) {
    text_add_string(out, "; see <a href=\"#");
    page_add_anchor(out, see, "");
    text_add_string(out, "\"><code>");
    page_add_escaped(out, see);
    text_add_string(out, "</code></a>");
  }
  text_add_string(out, "</td></tr>\n");
}

/* The first section of a path carries the path's anchor, the further ones of a union the variant's. */
static void add_html_section(text_builder *out, const json_t *section, bool first)
{
  const json_t *keys = json_object_get(section, "keys");
  const char *more = *page_text_of(section, "type") ? page_text_of(section, "type") : page_text_of(section, "method");
  text_add_string(out, "<h2 id=\"");
  page_add_anchor(out, page_text_of(section, "path"), first ? "" : more);
  text_add_string(out, "\">");
  page_add_escaped(out, page_text_of(section, "title"));
  text_add_string(out, " <code>");
  text_builder place = {0};
  add_place(&place, section);
  char *shown = text_take(&place);
  if (shown) page_add_escaped(out, shown);
  if (!shown) out->failed = true;
  free(shown);
  text_add_string(out, "</code></h2>\n<p>");
  page_add_escaped(out, page_text_of(section, "help"));
  text_add_string(out, "</p>\n");
  if (json_array_size(keys) == 0) return;
  text_add_string(out, "<div class=\"scroll\"><table><thead><tr><th>key</th><th>type</th><th>unit</th><th>default</th><th>range</th>"
                       "<th>meaning</th></tr></thead><tbody>\n");
  for (size_t i = 0; i < json_array_size(keys); i++) add_key_row(out, json_array_get(keys, i), page_text_of(section, "path"), more);
  text_add_string(out, "</tbody></table></div>\n");
}

static void add_html_curves(text_builder *out, const json_t *method)
{
  const json_t *curves = json_object_get(method, "curves");
  text_add_string(out, "<h2 id=\"curves-");
  page_add_escaped(out, page_text_of(method, "method"));
  text_add_string(out, "\">Curves of ");
  page_add_escaped(out, page_text_of(method, "method"));
  text_add_string(out, "</h2>\n<div class=\"scroll\"><table><thead><tr><th>curve</th><th>unit</th><th>meaning</th></tr></thead><tbody>\n");
  for (size_t i = 0; i < json_array_size(curves); i++) {
    const json_t *curve = json_array_get(curves, i);
    text_add_string(out, "<tr>");
    add_cell(out, page_text_of(curve, "name"), true);
    add_cell(out, page_text_of(curve, "unit"), false);
    add_cell(out, page_text_of(curve, "label"), false);
    text_add_string(out, "</tr>\n");
  }
  text_add_string(out, "</tbody></table></div>\n");
}

/* Whether no section before has the same path: the forms of a union may have others between them. */
static bool begins_path(const json_t *sections, size_t index)
{
  const char *path = page_text_of(json_array_get(sections, index), "path");
  for (size_t i = 0; i < index; i++)
    if (strcmp(page_text_of(json_array_get(sections, i), "path"), path) == 0) return false;
  return true;
}

static void add_contents(text_builder *out, const json_t *sections)
{
  text_add_string(out, "<ul class=\"contents\">\n");
  for (size_t i = 0; i < json_array_size(sections); i++) {
    const char *path = page_text_of(json_array_get(sections, i), "path");
    if (!begins_path(sections, i)) continue;
    text_add_string(out, "<li><a href=\"#");
    page_add_anchor(out, path, "");
    text_add_string(out, "\"><code>");
    page_add_escaped(out, *path ? path : "the scene");
    text_add_string(out, "</code></a></li>\n");
  }
  text_add_string(out, "</ul>\n");
}

char *reference_html(size_t *length)
{
  json_t *document = load();
  text_builder out = {0};
  if (!document) return NULL;
  const json_t *sections = json_object_get(document, "sections"), *methods = json_object_get(document, "methods");
  page_add_head(&out, "Reference");
  text_add_string(
      &out, "<main>\n<h1>Reference of scenes</h1>\n<p>Every key, from the tables that scenes are read by. Numbers are in the unit given "
            "here, or text with a unit of the same kind, such as <code>\"1 mm\"</code>, <code>\"20 us\"</code> or "
            "<code>\"2.5 g/cm^3\"</code>. A default of <code>null</code> means that the value is chosen; the meaning says how. "
            "A path in brackets, <code>materials[]</code>, is a list.</p>\n");
  add_contents(&out, sections);
  for (size_t i = 0; i < json_array_size(sections); i++) add_html_section(&out, json_array_get(sections, i), begins_path(sections, i));
  for (size_t i = 0; i < json_array_size(methods); i++) add_html_curves(&out, json_array_get(methods, i));
  text_add_string(&out, "</main>\n</body>\n</html>\n");
  return finish(&out, document, length);
}

/* ── text ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Text broken between words, each line indented. */
static void wrapped(text_builder *out, const char *text, size_t indent)
{
  size_t column = 0;
  while (*text) {
    size_t word = strcspn(text, " ");
    if (column == 0 || column + 1 + word > COLUMNS) {
      if (column) text_add_character(out, '\n');
      text_add_format(out, "%*s", (int)indent, "");
      column = indent;
    } else {
      text_add_character(out, ' ');
      column++;
    }
    text_add(out, text, word);
    column += word;
    text += word + strspn(text + word, " ");
  }
  text_add_character(out, '\n');
}

static void add_key_text(text_builder *out, const json_t *key)
{
  const char *unit = page_text_of(key, "unit"), *range = page_text_of(key, "range"), *fallback = page_text_of(key, "default"),
             *see = page_text_of(key, "see");
  text_builder head = {0};
  text_add_format(&head, "%s: %s", page_text_of(key, "name"), page_text_of(key, "type"));
  if (*range) text_add_format(&head, " %s", range);
  if (*unit) text_add_format(&head, ", in %s", unit);
  if (strcmp(fallback, "required") == 0)
    text_add_string(&head, "; required");
  else if (*fallback)
    text_add_format(&head, "; default %s", fallback);
  char *line = text_take(&head);
  if (line) wrapped(out, line, 2);
  if (!line) out->failed = true;
  free(line);
  wrapped(out, page_text_of(key, "help"), 6);
  if (*see) text_add_format(out, "      see %s\n", see);
}

static void add_text_section(text_builder *out, const json_t *section, const char *only)
{
  const json_t *keys = json_object_get(section, "keys");
  add_place(out, section);
  text_add_character(out, '\n');
  wrapped(out, page_text_of(section, "help"), 2);
  for (size_t i = 0; i < json_array_size(keys); i++) {
    const json_t *key = json_array_get(keys, i);
    if (!only || strcmp(page_text_of(key, "name"), only) == 0) add_key_text(out, key);
  }
  text_add_character(out, '\n');
}

/* Whether `about`, written without "[]", is the beginning of a path up to one of its dots or its end. */
static bool path_begins(const char *path, const char *about)
{
  while (*about && *path) {
    if (strncmp(path, "[]", 2) == 0 && strncmp(about, "[]", 2) != 0)
      path += 2;
    else if (*path++ != *about++)
      return false;
  }
  return !*about && (!*path || *path == '.' || *path == '[');
}

static bool names_section(const json_t *section, const char *about)
{
  return !about || path_begins(page_text_of(section, "path"), about) || strcmp(page_text_of(section, "method"), about) == 0 ||
         strcmp(page_text_of(section, "type"), about) == 0;
}

static bool has_key(const json_t *section, const char *name)
{
  const json_t *keys = json_object_get(section, "keys");
  for (size_t i = 0; i < json_array_size(keys); i++)
    if (strcmp(page_text_of(json_array_get(keys, i), "name"), name) == 0) return true;
  return false;
}

char *reference_text(const char *about, size_t *length)
{
  json_t *document = load();
  text_builder out = {0};
  if (!document) return NULL;
  const json_t *sections = json_object_get(document, "sections");
  for (size_t i = 0; i < json_array_size(sections); i++)
    if (names_section(json_array_get(sections, i), about)) add_text_section(&out, json_array_get(sections, i), NULL);
  bool named = out.length > 0;
  for (size_t i = 0; about && !named && i < json_array_size(sections); i++)
    if (has_key(json_array_get(sections, i), about)) add_text_section(&out, json_array_get(sections, i), about);
  return finish(&out, document, length);
}
