/* PLY: a header that lists elements and their properties, then the elements' values, as text or binary.
 *
 * Counts in the header are never believed with memory: arrays grow with the values that are really there, and every value takes at least
 * one byte of the file, so that the work is bounded by its length. */
#include <string.h>

#include "geometry/mesh/files/mesh_read_formats.h"
#include "geometry/mesh/files/mesh_read_limits.h"

enum { element_limit = 16, property_limit = 64, polygon_limit = 256 };

typedef enum value_type { no_type, int8, uint8, int16, uint16, int32, uint32, float32, float64 } value_type;

static const struct {
  const char *name, *alias;
  size_t bytes;
} types[] = {[no_type] = {"", "", 0},          [int8] = {"char", "int8", 1},        [uint8] = {"uchar", "uint8", 1},
             [int16] = {"short", "int16", 2},  [uint16] = {"ushort", "uint16", 2},  [int32] = {"int", "int32", 4},
             [uint32] = {"uint", "uint32", 4}, [float32] = {"float", "float32", 4}, [float64] = {"double", "float64", 8}};

typedef enum property_role { skipped, coordinate_x, coordinate_y, coordinate_z, corners, part } property_role;

typedef struct property {
  value_type type, count_type; /* count_type is no_type for scalars */
  property_role role;
} property;

typedef enum element_kind { other_element, vertices, faces } element_kind;

typedef struct element {
  element_kind kind;
  uint64_t count;
  size_t property_count;
  property properties[property_limit];
} element;

typedef enum encoding { ascii, little_endian, big_endian } encoding;

typedef struct ply {
  mesh_text *text;
  encoding encoding;
  size_t element_count;
  element elements[element_limit];
  size_t triangle_limit;
  bool points_only; /* faces are passed over, and may be missing; the limit is of points */
  geo_mesh *mesh;
} ply;

/* ── header ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status bad_line(const ply *file, const char *what, scr_error *error)
{
  return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu of the PLY header %s", file->text->line, what);
}

static value_type take_type(ply *file)
{
  mesh_word word = mesh_text_word_in_line(file->text);
  for (value_type t = int8; t <= float64; t++)
    if (mesh_word_is(word, types[t].name) || mesh_word_is(word, types[t].alias)) return t;
  return no_type;
}

static bool is_whole(value_type type)
{
  return type != no_type && type != float32 && type != float64;
}

static scr_status take_format(ply *file, scr_error *error)
{
  mesh_word word = mesh_text_word_in_line(file->text);
  if (mesh_word_is(word, "ascii"))
    file->encoding = ascii;
  else if (mesh_word_is(word, "binary_little_endian"))
    file->encoding = little_endian;
  else if (mesh_word_is(word, "binary_big_endian"))
    file->encoding = big_endian;
  else
    return bad_line(file, "names no format of PLY: ascii, binary_little_endian or binary_big_endian", error);
  if (!mesh_word_is(mesh_text_word_in_line(file->text), "1.0")) return bad_line(file, "names a version other than 1.0", error);
  return SCR_OK;
}

static scr_status take_element(ply *file, scr_error *error)
{
  if (file->element_count == element_limit) return bad_line(file, "begins a 17th element; at most 16 are read", error);
  element *e = &file->elements[file->element_count++];
  mesh_word name = mesh_text_word_in_line(file->text), count = mesh_text_word_in_line(file->text);
  e->kind = mesh_word_is(name, "vertex") ? vertices : mesh_word_is(name, "face") ? faces : other_element;
  double number;
  if (!mesh_word_number(file->text, count, &number) || number < 0 || number > 4294967295.0 || number != floor(number))
    return bad_line(file, "gives no whole number of elements from 0 to 4294967295", error);
  e->count = (uint64_t)number;
  return SCR_OK;
}

static property_role role_of(const element *e, mesh_word name, bool list)
{
  if (e->kind == vertices && !list)
    return mesh_word_is(name, "x")   ? coordinate_x
           : mesh_word_is(name, "y") ? coordinate_y
           : mesh_word_is(name, "z") ? coordinate_z
                                     : skipped;
  if (e->kind == faces && list) return mesh_word_is(name, "vertex_indices") || mesh_word_is(name, "vertex_index") ? corners : skipped;
  return e->kind == faces && (mesh_word_is(name, "piece") || mesh_word_is(name, "fragment")) ? part : skipped;
}

static scr_status take_property(ply *file, scr_error *error)
{
  if (file->element_count == 0) return bad_line(file, "has a property before any element", error);
  element *e = &file->elements[file->element_count - 1];
  if (e->property_count == property_limit) return bad_line(file, "has the 65th property of an element; at most 64 are read", error);
  property p = {0};
  const unsigned char *start = file->text->at;
  bool list = mesh_word_is(mesh_text_word_in_line(file->text), "list");
  if (list)
    p.count_type = take_type(file);
  else
    file->text->at = start;
  p.type = take_type(file);
  mesh_word name = mesh_text_word_in_line(file->text);
  if (p.type == no_type || (list && !is_whole(p.count_type)) || name.length == 0)
    return bad_line(file, "is not a property of a known type: 'property TYPE NAME' or 'property list COUNT_TYPE TYPE NAME'", error);
  p.role = role_of(e, name, list);
  if ((p.role == corners || p.role == part) && !is_whole(p.type))
    return bad_line(file, "gives numbers of vertices or pieces a fractional type", error);
  for (size_t k = 0; p.role != skipped && k < e->property_count; k++)
    if (e->properties[k].role == p.role) return bad_line(file, "repeats a property", error);
  e->properties[e->property_count++] = p;
  return SCR_OK;
}

/* The one element of a kind, which must have properties of all `roles` (bits); NULL if there is no such one. */
static const element *find_element(const ply *file, element_kind kind, unsigned roles)
{
  const element *found = NULL;
  unsigned have = 0;
  for (size_t k = 0; k < file->element_count; k++) {
    const element *e = &file->elements[k];
    if (e->kind != kind) continue;
    if (found) return NULL;
    found = e;
    for (size_t p = 0; p < e->property_count; p++) have |= 1u << e->properties[p].role;
  }
  return (have & roles) == roles ? found : NULL;
}

static scr_status check_header(const ply *file, scr_error *error)
{
  const element *face = find_element(file, faces, 1u << corners);
  if (!find_element(file, vertices, 1u << coordinate_x | 1u << coordinate_y | 1u << coordinate_z))
    return scr_fail(error, SCR_BAD_FILE, NULL, "the PLY header needs exactly one element 'vertex' with properties x, y and z");
  if (!face && !file->points_only)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the PLY header needs exactly one element 'face' with a property list vertex_indices");
  for (size_t k = 0; k < file->element_count; k++)
    if (file->elements[k].property_count == 0 && file->elements[k].count > 0)
      return scr_fail(error, SCR_BAD_FILE, NULL, "element %zu of the PLY header has %llu items but no property", k,
                      (unsigned long long)file->elements[k].count);
  return file->points_only ? SCR_OK : mesh_read_check_count((double)face->count, file->triangle_limit, error);
}

static scr_status read_header(ply *file, scr_error *error)
{
  bool has_format = false;
  for (;;) {
    mesh_text_next_line(file->text);
    mesh_word word = mesh_text_word_in_line(file->text);
    if (mesh_word_is(word, "end_header")) break;
    if (file->text->at == file->text->end) return bad_line(file, "is the last of the file: it was cut off", error);
    if (word.length == 0 || mesh_word_is(word, "comment") || mesh_word_is(word, "obj_info")) continue;
    if (mesh_word_is(word, "format")) {
      SCR_TRY(take_format(file, error));
      has_format = true;
    } else if (mesh_word_is(word, "element"))
      SCR_TRY(take_element(file, error));
    else if (mesh_word_is(word, "property"))
      SCR_TRY(take_property(file, error));
    else
      return bad_line(file, "begins with none of format, comment, obj_info, element, property, end_header", error);
  }
  if (!has_format) return bad_line(file, "ends it without a format", error);
  mesh_text_next_line(file->text);
  return check_header(file, error);
}

/* ── values ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static double binary_value(const unsigned char *from, value_type type, bool big)
{
  uint64_t bits = 0;
  size_t n = types[type].bytes;
  for (size_t k = 0; k < n; k++) bits |= (uint64_t)from[big ? n - 1 - k : k] << (8 * k);
  uint32_t half = (uint32_t)bits;
  float single;
  double whole;
  switch (type) {
  case int8: return (int8_t)(uint8_t)bits;
  case int16: return (int16_t)(uint16_t)bits;
  case int32: return (int32_t)half;
  case float32: memcpy(&single, &half, sizeof single); return single;
  case float64: memcpy(&whole, &bits, sizeof whole); return whole;
  default: return half;
  }
}

/* One value. As text it only has to be a number when somebody `wants` it: skipped normals may be "nan". */
static scr_status take_value(ply *file, value_type type, bool wants, double *value, scr_error *error)
{
  char quote[48];
  *value = 0.0;
  if (file->encoding == ascii) {
    mesh_word word = mesh_text_word(file->text);
    if (word.length == 0) return scr_fail(error, SCR_BAD_FILE, NULL, "the PLY file ends in line %zu: it was cut off", file->text->line);
    if (!wants || mesh_word_number(file->text, word, value)) return SCR_OK;
    return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu of the PLY file has %s where a finite number should stand", file->text->line,
                    mesh_word_quote(word, quote));
  }
  if ((size_t)(file->text->end - file->text->at) < types[type].bytes)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the PLY file ends within its values: it was cut off");
  *value = binary_value(file->text->at, type, file->encoding == big_endian);
  file->text->at += types[type].bytes;
  return SCR_OK;
}

/* A whole number from 0 to `most`, named for the message. */
static scr_status take_whole(ply *file, value_type type, double most, const char *what, uint32_t *number, scr_error *error)
{
  double value;
  SCR_TRY(take_value(file, type, true, &value, error));
  if (!(value >= 0 && value <= most && value == floor(value)))
    return scr_fail(error, SCR_BAD_FILE, NULL,
                    "%s is %g in the PLY file after vertex %zu and triangle %zu; a whole number from 0 to %.0f is allowed", what, value,
                    file->mesh->vertex_count, file->mesh->triangle_count, most);
  *number = (uint32_t)value;
  return SCR_OK;
}

static scr_status skip_property(ply *file, const property *p, scr_error *error)
{
  double value;
  uint32_t count = 1;
  if (p->count_type != no_type) SCR_TRY(take_whole(file, p->count_type, 4294967295.0, "the length of a list", &count, error));
  for (uint32_t k = 0; k < count; k++) SCR_TRY(take_value(file, p->type, false, &value, error));
  return SCR_OK;
}

static scr_status read_vertex(ply *file, const element *e, scr_error *error)
{
  double at[3] = {0, 0, 0};
  for (size_t k = 0; k < e->property_count; k++) {
    const property *p = &e->properties[k];
    if (p->role == skipped)
      SCR_TRY(skip_property(file, p, error));
    else
      SCR_TRY(take_value(file, p->type, true, &at[p->role - coordinate_x], error));
  }
  scr_vec3 point = vec3(at[0], at[1], at[2]);
  SCR_TRY(mesh_read_check_point(point, "vertex", file->mesh->vertex_count, error));
  return geo_mesh_add_vertex(file->mesh, point, error);
}

static scr_status read_face(ply *file, const element *e, uint64_t vertex_count, scr_error *error)
{
  uint32_t polygon[polygon_limit], count = 0, piece = 0;
  for (size_t k = 0; k < e->property_count; k++) {
    const property *p = &e->properties[k];
    if (p->role == part)
      SCR_TRY(take_whole(file, p->type, 4294967295.0, "the piece", &piece, error));
    else if (p->role == skipped)
      SCR_TRY(skip_property(file, p, error));
    else {
      SCR_TRY(take_whole(file, p->count_type, polygon_limit, "the number of corners", &count, error));
      if (count < 3) return scr_fail(error, SCR_BAD_FILE, NULL, "a face of the PLY file has %u corners; at least 3 are needed", count);
      for (uint32_t c = 0; c < count; c++)
        SCR_TRY(take_whole(file, p->type, (double)vertex_count - 1, "the number of a vertex", &polygon[c], error));
    }
  }
  SCR_TRY(mesh_read_check_count((double)file->mesh->triangle_count + count - 2, file->triangle_limit, error));
  for (uint32_t c = 2; c < count; c++) SCR_TRY(geo_mesh_add_triangle(file->mesh, polygon[0], polygon[c - 1], polygon[c], piece, error));
  return SCR_OK;
}

static scr_status read_item(ply *file, const element *e, uint64_t vertex_count, scr_error *error)
{
  if (e->kind == vertices) return read_vertex(file, e, error);
  if (e->kind == faces && !file->points_only) return read_face(file, e, vertex_count, error);
  for (size_t k = 0; k < e->property_count; k++) SCR_TRY(skip_property(file, &e->properties[k], error));
  return SCR_OK;
}

static scr_status read_items(ply *file, scr_error *error)
{
  uint64_t vertex_count = 0; /* as announced: faces may stand before vertices; more than announced are never read */
  for (size_t k = 0; k < file->element_count; k++)
    if (file->elements[k].kind == vertices) vertex_count = file->elements[k].count;
  if (file->points_only && vertex_count > file->triangle_limit)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the PLY file has %llu points; at most %zu are allowed: thin it out",
                    (unsigned long long)vertex_count, file->triangle_limit);
  for (size_t k = 0; k < file->element_count; k++)
    for (uint64_t item = 0; item < file->elements[k].count; item++) SCR_TRY(read_item(file, &file->elements[k], vertex_count, error));
  return SCR_OK;
}

scr_status mesh_read_ply(mesh_text *text, size_t triangle_limit, geo_mesh *mesh, scr_error *error)
{
  ply file = {.text = text, .triangle_limit = triangle_limit, .mesh = mesh};
  SCR_TRY(read_header(&file, error));
  return read_items(&file, error);
}

scr_status mesh_read_ply_points(mesh_text *text, size_t point_limit, geo_mesh *mesh, scr_error *error)
{
  ply file = {.text = text, .triangle_limit = point_limit, .points_only = true, .mesh = mesh};
  SCR_TRY(read_header(&file, error));
  return read_items(&file, error);
}
