/* Numbers of an image's header. */
#include "geometry/image/image_header.h"

static bool is_between(unsigned char c)
{
  return c == ' ' || c == '\t' || c == ',' || c == '(' || c == ')' || c == '\r' || c == '\n';
}

bool image_read_numbers(mesh_text *text, size_t count, double *values)
{
  size_t found = 0;
  for (;;) {
    while (text->at < text->end && is_between(*text->at) && *text->at != '\n' && *text->at != '\r') text->at++;
    mesh_word word = {text->at, 0};
    while (text->at < text->end && !is_between(*text->at)) text->at++;
    word.length = (size_t)(text->at - word.bytes);
    if (word.length == 0) return found == count;
    if (found == count || !mesh_word_number(text, word, &values[found++])) return false;
  }
}
