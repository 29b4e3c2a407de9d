/* The header of an NRRD file: lines "field: description" up to an empty one. */
#include <string.h>

#include "geometry/image/image_header.h"

/* The names of a type: all there are in the format's document. */
static const struct {
  const char *name;
  image_type type;
} type_names[] = {
    {"uchar", IMAGE_U8},
    {"unsigned char", IMAGE_U8},
    {"uint8", IMAGE_U8},
    {"uint8_t", IMAGE_U8},
    {"signed char", IMAGE_I8},
    {"int8", IMAGE_I8},
    {"int8_t", IMAGE_I8},
    {"ushort", IMAGE_U16},
    {"unsigned short", IMAGE_U16},
    {"unsigned short int", IMAGE_U16},
    {"uint16", IMAGE_U16},
    {"uint16_t", IMAGE_U16},
    {"short", IMAGE_I16},
    {"short int", IMAGE_I16},
    {"signed short", IMAGE_I16},
    {"signed short int", IMAGE_I16},
    {"int16", IMAGE_I16},
    {"int16_t", IMAGE_I16},
    {"uint", IMAGE_U32},
    {"unsigned int", IMAGE_U32},
    {"uint32", IMAGE_U32},
    {"uint32_t", IMAGE_U32},
    {"int", IMAGE_I32},
    {"signed int", IMAGE_I32},
    {"int32", IMAGE_I32},
    {"int32_t", IMAGE_I32},
    {"ulonglong", IMAGE_U64},
    {"unsigned long long", IMAGE_U64},
    {"unsigned long long int", IMAGE_U64},
    {"uint64", IMAGE_U64},
    {"uint64_t", IMAGE_U64},
    {"longlong", IMAGE_I64},
    {"long long", IMAGE_I64},
    {"long long int", IMAGE_I64},
    {"signed long long", IMAGE_I64},
    {"signed long long int", IMAGE_I64},
    {"int64", IMAGE_I64},
    {"int64_t", IMAGE_I64},
    {"float", IMAGE_F32},
    {"double", IMAGE_F64},
};

/* One line: the field before ": ", and where the description begins. */
typedef struct field {
  mesh_word name, rest;
  size_t line;
} field;

static const unsigned char *line_end(const mesh_text *text)
{
  const unsigned char *at = text->at;
  while (at < text->end && *at != '\n' && *at != '\r') at++;
  return at;
}

static scr_status read_type(const field *f, image_header *header, scr_error *error)
{
  char quote[48];
  for (size_t k = 0; k < sizeof type_names / sizeof *type_names; k++)
    if (mesh_word_is(f->rest, type_names[k].name)) {
      header->type = type_names[k].type;
      header->has_type = true;
      return SCR_OK;
    }
  return scr_fail(error, SCR_BAD_FILE, NULL,
                  "line %zu of the NRRD file: type %s holds no labels; whole numbers of 8 to 64 bits, float and double do", f->line,
                  mesh_word_quote(f->rest, quote));
}

static scr_status read_encoding(const field *f, image_header *header, scr_error *error)
{
  static const struct {
    const char *name;
    image_encoding encoding;
  } known[] = {{"raw", IMAGE_RAW},    {"gzip", IMAGE_DEFLATED}, {"gz", IMAGE_DEFLATED},
               {"ascii", IMAGE_TEXT}, {"text", IMAGE_TEXT},     {"txt", IMAGE_TEXT}};
  char quote[48];
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (mesh_word_is(f->rest, known[k].name)) {
      header->encoding = known[k].encoding;
      return SCR_OK;
    }
  return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu of the NRRD file: encoding %s is not read; use raw, gzip or ascii", f->line,
                  mesh_word_quote(f->rest, quote));
}

static scr_status wrong_numbers(const field *f, const char *what, scr_error *error)
{
  char name[48], rest[48];
  return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu of the NRRD file: %s is %s, but %s should stand there", f->line,
                  mesh_word_quote(f->name, name), mesh_word_quote(f->rest, rest), what);
}

static scr_status read_directions(const mesh_text *text, const field *f, image_header *header, scr_error *error)
{
  double d[9];
  mesh_text line = {f->rest.bytes, f->rest.bytes + f->rest.length, f->line, text->numbers};
  if (!image_read_numbers(&line, 9, d)) return wrong_numbers(f, "three vectors of three numbers, (1,0,0) (0,1,0) (0,0,1)", error);
  for (int a = 0; a < 3; a++) header->step[a] = vec3(d[3 * a], d[3 * a + 1], d[3 * a + 2]);
  return SCR_OK;
}

static scr_status read_field(const mesh_text *text, const field *f, image_header *header, scr_error *error)
{
  double n[3];
  mesh_text line = {f->rest.bytes, f->rest.bytes + f->rest.length, f->line, text->numbers};
  if (mesh_word_is(f->name, "type")) return read_type(f, header, error);
  if (mesh_word_is(f->name, "encoding")) return read_encoding(f, header, error);
  if (mesh_word_is(f->name, "dimension"))
    return image_read_numbers(&line, 1, n) && n[0] == 3 ? SCR_OK : wrong_numbers(f, "3 (one label per voxel of a volume)", error);
  if (mesh_word_is(f->name, "sizes"))
    return image_read_numbers(&line, 3, header->count) ? SCR_OK : wrong_numbers(f, "three whole numbers", error);
  if (mesh_word_is(f->name, "spacings")) {
    if (!image_read_numbers(&line, 3, n)) return wrong_numbers(f, "three numbers above 0", error);
    for (int a = 0; a < 3; a++) header->step[a] = vec3(a == 0 ? n[0] : 0, a == 1 ? n[1] : 0, a == 2 ? n[2] : 0);
    return SCR_OK;
  }
  if (mesh_word_is(f->name, "space directions")) return read_directions(text, f, header, error);
  if (mesh_word_is(f->name, "space origin")) {
    if (!image_read_numbers(&line, 3, n)) return wrong_numbers(f, "three numbers", error);
    header->origin = vec3(n[0], n[1], n[2]);
    return SCR_OK;
  }
  if (mesh_word_is(f->name, "endian")) {
    header->big_endian = mesh_word_is(f->rest, "big");
    header->has_order = true;
    return header->big_endian || mesh_word_is(f->rest, "little") ? SCR_OK : wrong_numbers(f, "little or big", error);
  }
  if (mesh_word_is(f->name, "data file") || mesh_word_is(f->name, "datafile"))
    return scr_fail(
        error, SCR_BAD_FILE, NULL,
        "line %zu of the NRRD file: its voxels are in another file; one file must hold both (unu save -i FILE.nhdr -o FILE.nrrd)", f->line);
  if (mesh_word_is(f->name, "byte skip") || mesh_word_is(f->name, "byteskip")) {
    if (!image_read_numbers(&line, 1, n) || (n[0] != 0 && n[0] != -1)) return wrong_numbers(f, "0 or -1", error);
    header->from_end = n[0] < 0;
  }
  if ((mesh_word_is(f->name, "line skip") || mesh_word_is(f->name, "lineskip")) && !(image_read_numbers(&line, 1, n) && n[0] == 0))
    return wrong_numbers(f, "0", error);
  return SCR_OK; /* names, kinds, units: nothing that changes the grains */
}

/* Splits a line at its first colon. @return false: a comment, or a key of the user's own ("key:=value") */
static bool split(const mesh_text *text, field *f)
{
  const unsigned char *end = line_end(text), *colon = text->at;
  while (colon < end && *colon != ':') colon++;
  f->line = text->line;
  f->name = (mesh_word){text->at, (size_t)(colon - text->at)};
  if (*text->at == '#' || (colon + 1 < end && colon[1] == '=')) return false;
  const unsigned char *rest = colon < end ? colon + 1 : end;
  while (rest < end && (*rest == ' ' || *rest == '\t')) rest++;
  while (end > rest && (end[-1] == ' ' || end[-1] == '\t')) end--;
  f->rest = (mesh_word){rest, (size_t)(end - rest)};
  return true;
}

scr_status image_read_nrrd(mesh_text *text, image_header *header, scr_error *error)
{
  mesh_text_next_line(text);
  while (text->at < text->end) {
    field f;
    char quote[48];
    bool empty = line_end(text) == text->at;
    if (!empty && split(text, &f)) {
      if (f.rest.bytes == f.name.bytes + f.name.length)
        return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu of the NRRD file is %s where \"field: value\" should stand", f.line,
                        mesh_word_quote(f.name, quote));
      SCR_TRY(read_field(text, &f, header, error));
    }
    mesh_text_next_line(text);
    if (empty) return SCR_OK;
  }
  return scr_fail(error, SCR_BAD_FILE, NULL,
                  "the NRRD file ends within its header, in line %zu: an empty line and the voxels should follow", text->line);
}
