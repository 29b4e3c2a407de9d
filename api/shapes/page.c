/* Shared by the reference and the pages of methods. */
#include "api/shapes/page.h"

const char *page_text_of(const json_t *object, const char *key)
{
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

void page_add_escaped(text_builder *out, const char *text)
{
  for (; *text; text++) {
    if (*text == '<')
      text_add_string(out, "&lt;");
    else if (*text == '>')
      text_add_string(out, "&gt;");
    else if (*text == '&')
      text_add_string(out, "&amp;");
    else if (*text == '"')
      text_add_string(out, "&quot;");
    else
      text_add_character(out, *text);
  }
}

static void add_identifier(text_builder *out, const char *text)
{
  for (const char *c = text; *c; c++) text_add_character(out, (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '_' ? *c : '-');
}

void page_add_anchor(text_builder *out, const char *path, const char *more)
{
  text_add_string(out, "at-");
  add_identifier(out, path);
  add_identifier(out, more);
}

void page_add_key_anchor(text_builder *out, const char *path, const char *more, const char *key)
{
  const char *const parts[] = {path, more, key};
  text_add_string(out, "key");
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    text_add_character(out, '.');
    add_identifier(out, parts[i]);
  }
}

void page_add_head(text_builder *out, const char *title)
{
  text_add_string(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
  page_add_escaped(out, title);
  text_add_string(out, " \u00b7 Scree</title>\n<link rel=\"icon\" href=\"/assets/icon.svg\" type=\"image/svg+xml\">\n"
                       "<link rel=\"stylesheet\" href=\"/assets/pages.css\">\n</head>\n<body>\n<nav><a href=\"/\">Scree</a> "
                       "<a href=\"/guide\">A scene, explained</a> <a href=\"/guide/methods\">Methods</a> "
                       "<a href=\"/guide/study\">Studies</a> <a href=\"/guide/calibration\">Calibration</a> "
                       "<a href=\"/reference\">Reference</a></nav>\n");
}
