/* Words and numbers of mesh files. */
#include "geometry/mesh/files/mesh_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_line_end(unsigned char c)
{
  return c == '\n' || c == '\r';
}

static bool is_blank(unsigned char c)
{
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

mesh_word mesh_text_word_in_line(mesh_text *text)
{
  while (text->at < text->end && is_blank(*text->at)) text->at++;
  mesh_word word = {text->at, 0};
  while (text->at < text->end && !is_blank(*text->at) && !is_line_end(*text->at)) text->at++;
  word.length = (size_t)(text->at - word.bytes);
  return word;
}

static bool is_between_values(unsigned char c)
{
  return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '"';
}

mesh_word mesh_text_value_in_line(mesh_text *text)
{
  while (text->at < text->end && is_between_values(*text->at)) text->at++;
  mesh_word word = {text->at, 0};
  while (text->at < text->end && !is_between_values(*text->at) && !is_line_end(*text->at)) text->at++;
  word.length = (size_t)(text->at - word.bytes);
  return word;
}

void mesh_text_next_line(mesh_text *text)
{
  while (text->at < text->end && !is_line_end(*text->at)) text->at++;
  if (text->at == text->end) return;
  bool pair = text->at[0] == '\r' && text->end - text->at > 1 && text->at[1] == '\n';
  text->at += pair ? 2 : 1;
  text->line++;
}

mesh_word mesh_text_word(mesh_text *text)
{
  mesh_word word = mesh_text_word_in_line(text);
  while (word.length == 0 && text->at < text->end) {
    mesh_text_next_line(text);
    word = mesh_text_word_in_line(text);
  }
  return word;
}

static unsigned char lower(unsigned char c)
{
  return c >= 'A' && c <= 'Z' ? (unsigned char)(c - 'A' + 'a') : c;
}

bool mesh_word_is(mesh_word word, const char *literal)
{
  if (strlen(literal) != word.length) return false;
  for (size_t k = 0; k < word.length; k++)
    if (lower(word.bytes[k]) != lower((unsigned char)literal[k])) return false;
  return true;
}

bool mesh_word_number(const mesh_text *text, mesh_word word, double *value)
{
  char copy[64], *end;
  if (word.length == 0 || word.length >= sizeof copy) return false;
  for (size_t k = 0; k < word.length; k++) {
    copy[k] = (char)word.bytes[k];
    if (!copy[k] || !strchr("0123456789+-.eE", copy[k])) return false; /* strtod alone would take "nan" and "0x1" */
  }
  copy[word.length] = '\0';
  *value = strtod_l(copy, &end, text->numbers);
  return *end == '\0' && end != copy && isfinite(*value);
}

const char *mesh_word_quote(mesh_word word, char buffer[static 48])
{
  size_t length = word.length < 40 ? word.length : 40, at = 0;
  buffer[at++] = '\'';
  for (size_t k = 0; k < length; k++) buffer[at++] = word.bytes[k] > ' ' && word.bytes[k] < 127 ? (char)word.bytes[k] : '?';
  if (length < word.length)
    for (int k = 0; k < 3; k++) buffer[at++] = '.';
  buffer[at++] = '\'';
  buffer[at] = '\0';
  return buffer;
}
