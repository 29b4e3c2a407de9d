/* Abaqus input: keyword lines that begin with *, data lines behind them; comments begin with **. Commas and equal signs are blanks here.
 *
 *      *NODE                         1, 0.0, 0.0, 0.0
 *      *ELEMENT, TYPE=C3D8, ELSET=E  1, 1, 2, 3, 4, 5, 6, 7, 8        (may go on over lines)
 *
 *  All else that describes no mesh (sets, materials, steps) is passed over. */
#include <string.h>

#include "geometry/hexes/files/hexes_builder.h"

/* Goes to the next line that is no comment and not empty. @return whether it is a data line; false: a keyword, or the end */
static bool at_data(mesh_text *text)
{
  for (;;) {
    mesh_text probe = *text;
    mesh_word word = mesh_text_word_in_line(&probe);
    if (word.length == 0) {
      if (probe.at == probe.end) return false;
      mesh_text_next_line(text);
      continue;
    }
    if (word.bytes[0] != '*') return true;
    if (word.length < 2 || word.bytes[1] != '*') return false;
    mesh_text_next_line(text);
  }
}

/* Numbers of one node: what is missing at the end of the line is an error, more is passed over. */
static scr_status take_nodes(mesh_text *text, hexes_builder *builder, scr_error *error)
{
  while (at_data(text)) {
    uint64_t id;
    double place[3];
    size_t line = text->line;
    SCR_TRY(hexes_take_whole(text, "the number of a node", &id, error));
    SCR_TRY(hexes_take_place(text, place, error));
    if (text->line != line)
      return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: a node is its number and three coordinates on one line", line);
    SCR_TRY(hexes_add_node(builder, id, place, error));
    mesh_text_next_line(text);
  }
  return SCR_OK;
}

static scr_status take_hexes(mesh_text *text, hexes_builder *builder, scr_error *error)
{
  while (at_data(text)) {
    uint64_t id, corner[GEO_HEX_CORNERS];
    SCR_TRY(hexes_take_whole(text, "the number of an element", &id, error));
    for (int a = 0; a < GEO_HEX_CORNERS; a++) SCR_TRY(hexes_take_whole(text, "the number of a node", &corner[a], error));
    SCR_TRY(hexes_add_hex(builder, corner, error));
    mesh_text_next_line(text);
  }
  return SCR_OK;
}

/* Whether a type is one of C3D8, C3D8R, C3D8I, C3D8H ... */
static bool is_hexahedron(mesh_word type)
{
  char copy[5] = "";
  if (type.length < 4) return false;
  memcpy(copy, type.bytes, 4);
  bool more_digits = type.length > 4 && type.bytes[4] >= '0' && type.bytes[4] <= '9';
  return mesh_word_is((mesh_word){type.bytes, 4}, "C3D8") && !more_digits;
}

/* Elements that fill no volume: shells, membranes, surfaces, trusses, beams, springs, masses, plane and axisymmetric ones. */
static bool is_flat(mesh_word type)
{
  static const char *const beginnings[] = {"S3",     "S4",   "S6",  "S8",      "STRI",    "M3D",  "SFM3D", "T3D", "B3",  "B2",
                                           "SPRING", "MASS", "R3D", "DASHPOT", "ROTARYI", "CONN", "CAX",   "CPE", "CPS", "SAX"};
  for (size_t k = 0; k < sizeof beginnings / sizeof *beginnings; k++) {
    size_t length = strlen(beginnings[k]);
    if (type.length >= length && mesh_word_is((mesh_word){type.bytes, length}, beginnings[k])) return true;
  }
  return false;
}

static scr_status take_elements(mesh_text *text, mesh_word type, hexes_builder *builder, scr_error *error)
{
  char quote[48];
  if (is_hexahedron(type)) return take_hexes(text, builder, error);
  if (!is_flat(type))
    return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: elements of type %s; volumes are to be hexahedra of 8 nodes (C3D8)", text->line,
                    mesh_word_quote(type, quote));
  while (at_data(text)) mesh_text_next_line(text);
  return SCR_OK;
}

/* The value of TYPE on a keyword line; empty: there is none. */
static mesh_word type_on_line(mesh_text *text)
{
  for (mesh_word word = mesh_text_word_in_line(text); word.length > 0; word = mesh_text_word_in_line(text))
    if (mesh_word_is(word, "TYPE")) return mesh_text_word_in_line(text);
  return (mesh_word){0};
}

/* Keywords that make nodes or elements in ways that are not read: passing over them would leave holes. */
static scr_status refuse_makers(const mesh_text *text, mesh_word keyword, scr_error *error)
{
  static const char *const makers[] = {"*INCLUDE", "*NGEN", "*NFILL", "*NCOPY", "*NMAP", "*ELGEN", "*ELCOPY", "*SYSTEM", "*TRANSLATION"};
  char quote[48];
  for (size_t k = 0; k < sizeof makers / sizeof *makers; k++)
    if (mesh_word_is(keyword, makers[k]))
      return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: %s is not read: write all nodes and elements out in one file", text->line,
                      mesh_word_quote(keyword, quote));
  return SCR_OK;
}

/* Whether a keyword such as *NODE is the first of two: *NODE OUTPUT, *ELEMENT PRINT ask for results. */
static bool requests_results(const mesh_text *text)
{
  static const char *const words[] = {"OUTPUT", "PRINT", "FILE", "RESPONSE", "MATRIX"};
  mesh_text probe = *text;
  mesh_word word = mesh_text_word_in_line(&probe);
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (mesh_word_is(word, words[k])) return true;
  return false;
}

scr_status hexes_read_abaqus(mesh_text *text, hexes_builder *builder, scr_error *error)
{
  while (true) {
    while (at_data(text)) mesh_text_next_line(text);
    mesh_word keyword = mesh_text_word_in_line(text);
    if (keyword.length == 0) return SCR_OK;
    SCR_TRY(refuse_makers(text, keyword, error));
    if (requests_results(text)) {
      mesh_text_next_line(text);
    } else if (mesh_word_is(keyword, "*NODE")) {
      mesh_text_next_line(text);
      SCR_TRY(take_nodes(text, builder, error));
    } else if (mesh_word_is(keyword, "*ELEMENT")) {
      mesh_word type = type_on_line(text);
      mesh_text_next_line(text);
      SCR_TRY(take_elements(text, type, builder, error));
    } else {
      bool instance = mesh_word_is(keyword, "*INSTANCE");
      mesh_text_next_line(text);
      if (instance && at_data(text))
        return scr_fail(error, SCR_BAD_FILE, NULL,
                        "line %zu: an instance that is moved or turned is not read: write its nodes where they are", text->line);
    }
  }
}
