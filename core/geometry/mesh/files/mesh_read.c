/* Which format a mesh file has, and STL. */
#include "geometry/mesh/files/mesh_read.h"

#include <string.h>

#include "geometry/mesh/files/little_endian.h"
#include "geometry/mesh/files/mesh_read_formats.h"
#include "geometry/mesh/files/mesh_read_limits.h"

enum { stl_header = 80, stl_facet = 50 };

/* Adds a triangle with three vertices of its own, to be merged later. */
static scr_status add_facet(geo_mesh *mesh, const scr_vec3 corners[3], uint32_t part, size_t limit, scr_error *error)
{
  uint32_t first = (uint32_t)mesh->vertex_count;
  SCR_TRY(mesh_read_check_count((double)mesh->triangle_count + 1, limit, error));
  for (int k = 0; k < 3; k++) {
    SCR_TRY(mesh_read_check_point(corners[k], "facet", mesh->triangle_count, error));
    SCR_TRY(geo_mesh_add_vertex(mesh, corners[k], error));
  }
  return geo_mesh_add_triangle(mesh, first, first + 1, first + 2, part, error);
}

/* ── binary STL: 80 bytes of anything, u32 count, then per facet 12 float32 (normal, three corners) and u16 ───────────── */

static scr_status read_binary_stl(const unsigned char *bytes, uint32_t count, size_t limit, geo_mesh *mesh, scr_error *error)
{
  for (uint32_t t = 0; t < count; t++) {
    const unsigned char *facet = bytes + stl_header + 4 + (size_t)t * stl_facet + 12;
    scr_vec3 corners[3];
    for (size_t k = 0; k < 3; k++)
      corners[k] = vec3(little_float(facet + 12 * k), little_float(facet + 12 * k + 4), little_float(facet + 12 * k + 8));
    SCR_TRY(add_facet(mesh, corners, 0, limit, error));
  }
  return geo_mesh_merge_vertices(mesh, error);
}

/* ── ASCII STL ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status expect(mesh_text *text, mesh_word word, const char *literal, scr_error *error)
{
  char quote[48];
  if (mesh_word_is(word, literal)) return SCR_OK;
  if (word.length == 0)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the STL file ends in line %zu where '%s' should stand: it was cut off", text->line,
                    literal);
  return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu of the STL file has %s where '%s' should stand", text->line,
                  mesh_word_quote(word, quote), literal);
}

static scr_status expect_next(mesh_text *text, const char *literal, scr_error *error)
{
  return expect(text, mesh_text_word(text), literal, error);
}

static scr_status read_point(mesh_text *text, scr_vec3 *point, scr_error *error)
{
  double values[3];
  char quote[48];
  for (int k = 0; k < 3; k++) {
    mesh_word word = mesh_text_word(text);
    if (!mesh_word_number(text, word, &values[k]))
      return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu of the STL file has %s where a finite number should stand", text->line,
                      mesh_word_quote(word, quote));
  }
  *point = vec3(values[0], values[1], values[2]);
  return SCR_OK;
}

/* The rest of a facet after its first word. The three words of its normal may be anything, programs write "nan" there. */
static scr_status read_facet(mesh_text *text, uint32_t part, size_t limit, geo_mesh *mesh, scr_error *error)
{
  scr_vec3 corners[3] = {{0}};
  SCR_TRY(expect_next(text, "normal", error));
  for (int k = 0; k < 3; k++) mesh_text_word(text);
  SCR_TRY(expect_next(text, "outer", error));
  SCR_TRY(expect_next(text, "loop", error));
  for (int k = 0; k < 3; k++) {
    SCR_TRY(expect_next(text, "vertex", error));
    SCR_TRY(read_point(text, &corners[k], error));
  }
  SCR_TRY(expect_next(text, "endloop", error));
  SCR_TRY(expect_next(text, "endfacet", error));
  return add_facet(mesh, corners, part, limit, error);
}

static scr_status read_ascii_stl(mesh_text *text, size_t limit, geo_mesh *mesh, scr_error *error)
{
  mesh_word word = mesh_text_word(text);
  for (uint32_t part = 0; word.length; part++) {
    SCR_TRY(expect(text, word, "solid", error));
    mesh_text_next_line(text); /* the name is the rest of the line */
    for (word = mesh_text_word(text); mesh_word_is(word, "facet"); word = mesh_text_word(text))
      SCR_TRY(read_facet(text, part, limit, mesh, error));
    SCR_TRY(expect(text, word, "endsolid", error));
    mesh_text_next_line(text);
    word = mesh_text_word(text);
  }
  return geo_mesh_merge_vertices(mesh, error);
}

/* ── telling them apart ──────────────────────────────────────────────────────────────────────────────────────────── */

/* Reads a whole file of one text format. */
typedef scr_status (*text_reader)(mesh_text *text, size_t limit, geo_mesh *mesh, scr_error *error);

static scr_status read_text(const unsigned char *bytes, size_t size, text_reader reader, size_t limit, geo_mesh *mesh, scr_error *error)
{
  mesh_text text = {.at = bytes, .end = bytes + size, .line = 1, .numbers = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
  if (!text.numbers) return scr_fail_memory(error, "a locale to read numbers in", sizeof text);
  scr_status status = reader(&text, limit, mesh, error);
  freelocale(text.numbers);
  return status;
}

scr_status geo_mesh_read(const void *bytes, size_t size, size_t triangle_limit, geo_mesh *mesh, scr_error *error)
{
  const unsigned char *b = bytes;
  bool headed = size >= stl_header + 4;
  uint32_t count = headed ? little_u32(b + stl_header) : 0;
  double implied = stl_header + 4 + (double)count * stl_facet;
  scr_status status;
  if (size >= 4 && memcmp(b, "ply", 3) == 0 && (b[3] == '\n' || b[3] == '\r'))
    status = read_text(b, size, mesh_read_ply, triangle_limit, mesh, error);
  else if (headed && (double)size == implied) /* first: binary files may begin with "solid", too */
    status = read_binary_stl(b, count, triangle_limit, mesh, error);
  else if (size >= 6 && mesh_word_is((mesh_word){b, 5}, "solid"))
    status = read_text(b, size, read_ascii_stl, triangle_limit, mesh, error);
  else if (mesh_read_is_obj(b, size))
    status = read_text(b, size, mesh_read_obj, triangle_limit, mesh, error);
  else if (headed)
    status = scr_fail(
        error, SCR_BAD_FILE, NULL,
        "the mesh is neither PLY nor OBJ nor ASCII STL, and as a binary STL of %u facets it would have %.0f bytes, not %zu: it was cut "
        "off or is something else",
        count, implied, size);
  else
    status = scr_fail(error, SCR_BAD_FILE, NULL, "%zu bytes are not a mesh: a file in STL, PLY or OBJ format is needed", size);
  if (status != SCR_OK) geo_mesh_clear(mesh);
  return status;
}
