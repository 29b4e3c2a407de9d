/** Words and numbers of mesh files, read from bytes that need not end in NUL and may hold anything. */
#ifndef SCREE_GEOMETRY_MESH_TEXT_H
#define SCREE_GEOMETRY_MESH_TEXT_H

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/** A place in a file. Starts with `line` 1; `numbers` is a "C" locale of the caller, so that '.' is the decimal point everywhere. */
typedef struct mesh_text {
  const unsigned char *at, *end;
  size_t line;
  locale_t numbers;
} mesh_text;

/** A word: bytes without blanks, pointing into the file. */
typedef struct mesh_word {
  const unsigned char *bytes;
  size_t length; /**< 0 when the line, or the file, has no more */
} mesh_word;

/** Next word of the file, over line ends. */
mesh_word mesh_text_word(mesh_text *text);

/** Next word of the current line; empty at its end, which is not passed. */
mesh_word mesh_text_word_in_line(mesh_text *text);

/** Next value of the current line, in rows whose values have blanks, commas, semicolons or quotes between them; empty at its end. */
mesh_word mesh_text_value_in_line(mesh_text *text);

/** Goes to the start of the next line, whatever is left of this one. A line ends in LF, CR LF or CR. */
void mesh_text_next_line(mesh_text *text);

/** Whether a word is `literal`, letter case aside for ASCII letters. */
bool mesh_word_is(mesh_word word, const char *literal);

/** The word as a finite number in decimal notation ("1", "-.5", "2e-3"); false for anything else, "nan", "inf" and "0x1" included. */
bool mesh_word_number(const mesh_text *text, mesh_word word, double *value);

/** At most 40 bytes of a word in quotes for messages, bytes outside printable ASCII as '?'. `buffer` [48] is returned. */
const char *mesh_word_quote(mesh_word word, char buffer[static 48]);

#endif
