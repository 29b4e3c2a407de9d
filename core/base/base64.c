/* Four letters of six bits each are three bytes. */
#include "base/base64.h"

#include <stdint.h>
#include <string.h>

static int sextet(char c)
{
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

size_t base64_decode(const char *text, size_t length, unsigned char *bytes, size_t most, size_t *read)
{
  size_t count = 0, at = 0;
  unsigned letters = 0, padding = 0;
  uint32_t group = 0;
  for (; at < length && count < most; at++) {
    if (text[at] && strchr(" \t\r\n", text[at])) continue;
    int value = text[at] == '=' ? 0 : sextet(text[at]);
    if (value < 0) break;
    padding += text[at] == '=';
    group = group << 6 | (uint32_t)value;
    if (++letters < 4) continue;
    const unsigned char triple[3] = {(unsigned char)(group >> 16), (unsigned char)(group >> 8), (unsigned char)group};
    for (unsigned k = 0; k < 3 && k + padding < 3 && count < most; k++) bytes[count++] = triple[k];
    letters = padding = 0;
    group = 0;
  }
  if (read) *read = at;
  return count;
}
