/* OBJ: lines of `v x y z` and `f a b c ...`; vertices count from 1, or backwards from the newest with -1. What else a line may say
 * (normals, textures, materials, groups) is skipped. */
#include "geometry/mesh/files/mesh_read_formats.h"
#include "geometry/mesh/files/mesh_read_limits.h"

enum { polygon_limit = 256 };

typedef struct obj {
  mesh_text *text;
  size_t triangle_limit;
  geo_mesh *mesh;
} obj;

static const char *const skipped[] = {"vn",     "vt", "vp", "o",   "g",     "s",        "usemtl",
                                      "mtllib", "l",  "p",  "lod", "bevel", "c_interp", "d_interp"};

bool mesh_read_is_obj(const unsigned char *bytes, size_t size)
{
  static const char *const openings[] = {"v", "vn", "vt", "o", "g", "mtllib", "usemtl"};
  mesh_text text = {.at = bytes, .end = bytes + size, .line = 1};
  mesh_word word = mesh_text_word(&text);
  while (word.length > 0 && word.bytes[0] == '#') {
    mesh_text_next_line(&text);
    word = mesh_text_word(&text);
  }
  for (size_t k = 0; k < sizeof openings / sizeof *openings; k++)
    if (mesh_word_is(word, openings[k])) return true;
  return false;
}

static scr_status take_vertex(obj *file, scr_error *error)
{
  double at[3];
  char quote[48];
  for (int k = 0; k < 3; k++) {
    mesh_word word = mesh_text_word_in_line(file->text);
    if (!mesh_word_number(file->text, word, &at[k]))
      return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu of the OBJ file has %s where a finite number should stand", file->text->line,
                      mesh_word_quote(word, quote));
  }
  scr_vec3 p = vec3(at[0], at[1], at[2]);
  SCR_TRY(mesh_read_check_point(p, "line", file->text->line, error));
  return geo_mesh_add_vertex(file->mesh, p, error);
}

/* The vertex of one corner: what stands before the first slash. */
static scr_status take_corner(const obj *file, mesh_word word, uint32_t *vertex, scr_error *error)
{
  double number, count = (double)file->mesh->vertex_count;
  char quote[48];
  mesh_word first = word;
  for (size_t k = 0; k < word.length; k++)
    if (word.bytes[k] == '/') {
      first.length = k;
      break;
    }
  bool read = mesh_word_number(file->text, first, &number) && number == floor(number);
  if (read && number < 0) number += count + 1;
  if (!read || number < 1 || number > count)
    return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu of the OBJ file has the corner %s; the vertices before it are 1 to %.0f",
                    file->text->line, mesh_word_quote(word, quote), count);
  *vertex = (uint32_t)number - 1;
  return SCR_OK;
}

static scr_status take_face(obj *file, scr_error *error)
{
  uint32_t first = 0, last = 0, next = 0;
  size_t corners = 0;
  for (mesh_word word = mesh_text_word_in_line(file->text); word.length; word = mesh_text_word_in_line(file->text)) {
    if (corners == polygon_limit)
      return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu of the OBJ file has a face of more than %d corners: split it", file->text->line,
                      polygon_limit);
    SCR_TRY(take_corner(file, word, &next, error));
    if (corners == 0) first = next;
    if (corners >= 2) {
      SCR_TRY(mesh_read_check_count((double)file->mesh->triangle_count + 1, file->triangle_limit, error));
      SCR_TRY(geo_mesh_add_triangle(file->mesh, first, last, next, 0, error));
    }
    last = next;
    corners++;
  }
  if (corners >= 3) return SCR_OK;
  return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu of the OBJ file has a face of %zu corners; a face needs at least 3",
                  file->text->line, corners);
}

static scr_status take_line(obj *file, mesh_word word, scr_error *error)
{
  char quote[48];
  if (mesh_word_is(word, "v")) return take_vertex(file, error);
  if (mesh_word_is(word, "f")) return take_face(file, error);
  if (word.bytes[0] == '#') return SCR_OK;
  for (size_t k = 0; k < sizeof skipped / sizeof *skipped; k++)
    if (mesh_word_is(word, skipped[k])) return SCR_OK;
  return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu of the OBJ file begins with %s, which no line of a polygon mesh does",
                  file->text->line, mesh_word_quote(word, quote));
}

scr_status mesh_read_obj(mesh_text *text, size_t triangle_limit, geo_mesh *mesh, scr_error *error)
{
  obj file = {.text = text, .triangle_limit = triangle_limit, .mesh = mesh};
  for (mesh_word word = mesh_text_word(text); word.length; word = mesh_text_word(text)) {
    SCR_TRY(take_line(&file, word, error));
    mesh_text_next_line(text);
  }
  if (mesh->triangle_count > 0) return SCR_OK;
  return scr_fail(error, SCR_BAD_FILE, NULL, "the OBJ file has no face: lines that begin with 'f' and name vertices are needed");
}
