/* STL and PLY, written. */
#include "geometry/mesh/files/mesh_write.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* A name as one printable word. */
static void add_name(text_builder *text, const char *name)
{
  for (const char *c = name; *c; c++) text_add_character(text, *c > ' ' && *c < 127 ? *c : '_');
}

enum { vertex_line_bytes = 3 * NUMBER_TEXT_BYTES + 16 };

/* The lines "vertex x y z" of the vertices low ... high: each is written about six times, and shortest numbers take long to find.
 * @return [high - low + 1][vertex_line_bytes] to mem_free; NULL on no memory */
static char (*vertex_lines(const geo_mesh *mesh, size_t low, size_t high))[vertex_line_bytes]
{
  char(*line)[vertex_line_bytes] = mem_array(high - low + 1, sizeof *line);
  for (size_t v = low; line && v <= high; v++) {
    char x[NUMBER_TEXT_BYTES], y[NUMBER_TEXT_BYTES], z[NUMBER_TEXT_BYTES];
    scr_vec3 p = mesh->vertex[v];
    snprintf(line[v - low], sizeof *line, "vertex %s %s %s\n", number_text(p.x, x), number_text(p.y, y), number_text(p.z, z));
  }
  return line;
}

/* Seven digits are enough for a normal, which readers recompute. */
static void add_normal(text_builder *text, scr_vec3 n)
{
  double length = vec3_length(n);
  char parts[3][NUMBER_TEXT_BYTES];
  const double values[3] = {n.x, n.y, n.z};
  for (int k = 0; k < 3; k++) number_text(length > 0 ? round(values[k] / length * 1e7) / 1e7 + 0.0 : 0.0, parts[k]);
  text_add_format(text, "facet normal %s %s %s\nouter loop\n", parts[0], parts[1], parts[2]);
}

static void add_facets(const geo_mesh *mesh, size_t first, size_t count, text_builder *text)
{
  size_t low = SIZE_MAX, high = 0;
  for (size_t t = first; t < first + count; t++)
    for (int k = 0; k < 3; k++) {
      uint32_t v = mesh->triangle[t][k];
      low = v < low ? v : low;
      high = v > high ? v : high;
    }
  char(*line)[vertex_line_bytes] = vertex_lines(mesh, low, high);
  if (!line) text->failed = true;
  for (size_t t = first; line && t < first + count; t++) {
    add_normal(text, geo_mesh_area_normal(mesh, t));
    for (int k = 0; k < 3; k++) text_add_string(text, line[mesh->triangle[t][k] - low]);
    text_add_string(text, "endloop\nendfacet\n");
  }
  mem_free(line);
}

void geo_mesh_write_stl(const geo_mesh *mesh, size_t first, size_t count, const char *name, text_builder *text)
{
  text_add_string(text, "solid ");
  add_name(text, name);
  text_add_character(text, '\n');
  if (count) add_facets(mesh, first, count, text);
  text_add_string(text, "endsolid ");
  add_name(text, name);
  text_add_character(text, '\n');
}

static void put_u32(char *to, uint32_t value)
{
  for (int k = 0; k < 4; k++) to[k] = (char)(unsigned char)(value >> (8 * k));
}

static void put_double(char *to, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_u32(to, (uint32_t)bits);
  put_u32(to + 4, (uint32_t)(bits >> 32));
}

void geo_mesh_write_ply(const geo_mesh *mesh, const char *comment, text_builder *text)
{
  text_add_string(text, "ply\nformat binary_little_endian 1.0\ncomment ");
  for (const char *c = comment; *c; c++) text_add_character(text, *c == '\n' || *c == '\r' ? ' ' : *c);
  text_add_format(text,
                  "\nelement vertex %zu\nproperty double x\nproperty double y\nproperty double z\nelement face %zu\n"
                  "property list uchar int vertex_indices\nproperty uint piece\nend_header\n",
                  mesh->vertex_count, mesh->triangle_count);
  for (size_t v = 0; v < mesh->vertex_count; v++) {
    char bytes[24];
    put_double(bytes, mesh->vertex[v].x);
    put_double(bytes + 8, mesh->vertex[v].y);
    put_double(bytes + 16, mesh->vertex[v].z);
    text_add(text, bytes, sizeof bytes);
  }
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    char bytes[17] = {3};
    for (int k = 0; k < 3; k++) put_u32(bytes + 1 + 4 * k, mesh->triangle[t][k]);
    put_u32(bytes + 13, mesh->part[t]);
    text_add(text, bytes, sizeof bytes);
  }
}
