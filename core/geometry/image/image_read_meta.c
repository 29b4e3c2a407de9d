/* The header of a MetaImage: lines "Key = value", the last of them ElementDataFile. */
#include <string.h>

#include "geometry/image/image_header.h"

static const struct {
  const char *name;
  image_type type;
} type_names[] = {
    {"MET_UCHAR", IMAGE_U8},       {"MET_CHAR", IMAGE_I8},       {"MET_USHORT", IMAGE_U16}, {"MET_SHORT", IMAGE_I16},
    {"MET_UINT", IMAGE_U32},       {"MET_INT", IMAGE_I32},       {"MET_ULONG", IMAGE_U32},  {"MET_LONG", IMAGE_I32},
    {"MET_ULONG_LONG", IMAGE_U64}, {"MET_LONG_LONG", IMAGE_I64}, {"MET_FLOAT", IMAGE_F32},  {"MET_DOUBLE", IMAGE_F64},
};

static scr_status wrong(const mesh_text *text, mesh_word key, mesh_word value, const char *what, scr_error *error)
{
  char name[48], given[48];
  return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu of the MetaImage: %s begins with %s, but %s should stand there", text->line,
                  mesh_word_quote(key, name), mesh_word_quote(value, given), what);
}

static bool is_true(mesh_word word)
{
  return mesh_word_is(word, "true") || mesh_word_is(word, "1");
}

static scr_status read_numbers(mesh_text *text, mesh_word key, mesh_text line, image_header *header, scr_error *error)
{
  double n[9];
  mesh_word first = {line.at, 0};
  bool matrix = mesh_word_is(key, "TransformMatrix") || mesh_word_is(key, "Rotation") || mesh_word_is(key, "Orientation");
  if (!image_read_numbers(&line, matrix ? 9 : 3, n)) return wrong(text, key, first, matrix ? "nine numbers" : "three numbers", error);
  if (mesh_word_is(key, "DimSize")) memcpy(header->count, n, sizeof header->count);
  if (mesh_word_is(key, "Offset") || mesh_word_is(key, "Origin") || mesh_word_is(key, "Position")) header->origin = vec3(n[0], n[1], n[2]);
  for (int a = 0; a < 3; a++) {
    double length = vec3_length(header->step[a]);
    if (matrix) header->step[a] = vec3_scale(vec3(n[3 * a], n[3 * a + 1], n[3 * a + 2]), length);
    if (mesh_word_is(key, "ElementSpacing")) header->step[a] = vec3_scale(header->step[a], n[a] / length);
  }
  return SCR_OK;
}

static scr_status read_value(mesh_text *text, mesh_word key, mesh_text line, image_header *header, scr_error *error)
{
  static const char *const triples[] = {"DimSize",  "ElementSpacing",  "Offset",   "Origin",
                                        "Position", "TransformMatrix", "Rotation", "Orientation"};
  mesh_text rest = line;
  mesh_word value = mesh_text_word_in_line(&line);
  for (size_t k = 0; k < sizeof triples / sizeof *triples; k++)
    if (mesh_word_is(key, triples[k])) return read_numbers(text, key, rest, header, error);
  if (mesh_word_is(key, "NDims") && !mesh_word_is(value, "3")) return wrong(text, key, value, "3", error);
  if (mesh_word_is(key, "ElementNumberOfChannels") && !mesh_word_is(value, "1")) return wrong(text, key, value, "1 (a label)", error);
  if (mesh_word_is(key, "ElementByteOrderMSB") || mesh_word_is(key, "BinaryDataByteOrderMSB")) {
    header->big_endian = is_true(value);
    header->has_order = true;
  }
  if (mesh_word_is(key, "CompressedData") && is_true(value)) header->encoding = IMAGE_DEFLATED;
  if (mesh_word_is(key, "BinaryData") && !is_true(value)) header->encoding = IMAGE_TEXT;
  if (mesh_word_is(key, "HeaderSize") && !mesh_word_is(value, "0")) return wrong(text, key, value, "0", error);
  if (!mesh_word_is(key, "ElementType")) return SCR_OK;
  for (size_t k = 0; k < sizeof type_names / sizeof *type_names; k++)
    if (mesh_word_is(value, type_names[k].name)) {
      header->type = type_names[k].type;
      header->has_type = true;
      return SCR_OK;
    }
  return wrong(text, key, value, "MET_UCHAR, MET_USHORT, MET_UINT or another type of whole numbers", error);
}

scr_status image_read_meta(mesh_text *text, image_header *header, scr_error *error)
{
  header->has_order = true; /* little-endian where the file does not say */
  while (text->at < text->end) {
    char quote[48];
    mesh_word key = mesh_text_word_in_line(text), sign = mesh_text_word_in_line(text);
    if (!mesh_word_is(sign, "="))
      return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu of the MetaImage begins with %s where \"Key = value\" should stand", text->line,
                      mesh_word_quote(key, quote));
    bool last = mesh_word_is(key, "ElementDataFile");
    if (last) {
      mesh_word where = mesh_text_word_in_line(text);
      if (!mesh_word_is(where, "LOCAL")) return wrong(text, key, where, "LOCAL: one file must hold header and voxels (.mha)", error);
    } else {
      SCR_TRY(read_value(text, key, *text, header, error));
    }
    mesh_text_next_line(text);
    if (last) return SCR_OK;
  }
  return scr_fail(error, SCR_BAD_FILE, NULL, "the MetaImage ends within its header: ElementDataFile = LOCAL and the voxels should follow");
}
