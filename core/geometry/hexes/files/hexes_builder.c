/* Nodes and elements as files number them, made into a mesh; words of files. */
#include "geometry/hexes/files/hexes_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/mesh/mesh.h"

static scr_status refuse_count(const hexes_builder *b, const char *what, scr_error *error)
{
  return scr_fail(error, SCR_BAD_FILE, NULL, "the mesh has more than %zu %s, the limit: use a coarser one", b->limit, what);
}

scr_status hexes_put_place(hexes_builder *b, size_t node, const double place[3], scr_error *error)
{
  for (int k = 0; k < 3; k++)
    if (!(fabs(place[k]) <= GEO_MESH_COORDINATE_LIMIT))
      return scr_fail(error, SCR_BAD_FILE, NULL, "node %llu is at (%g, %g, %g); coordinates must be finite and at most %g m",
                      (unsigned long long)b->nodes[node].id, place[0], place[1], place[2], GEO_MESH_COORDINATE_LIMIT);
  memcpy(b->nodes[node].place, place, sizeof b->nodes->place);
  return SCR_OK;
}

scr_status hexes_add_node(hexes_builder *b, uint64_t id, const double place[3], scr_error *error)
{
  if (b->node_count >= b->limit) return refuse_count(b, "nodes", error);
  if (!mem_grow(&b->nodes, &b->node_capacity, b->node_count + 1, sizeof *b->nodes))
    return scr_fail_memory(error, "the nodes of a mesh", b->node_count * sizeof *b->nodes);
  b->nodes[b->node_count] = (hexes_node){.id = id, .order = (uint32_t)b->node_count};
  return hexes_put_place(b, b->node_count++, place, error);
}

scr_status hexes_add_hex(hexes_builder *b, const uint64_t corner[GEO_HEX_CORNERS], scr_error *error)
{
  if (b->hex_count >= b->limit) return refuse_count(b, "elements", error);
  if (!mem_grow(&b->hexes, &b->hex_capacity, b->hex_count + 1, sizeof *b->hexes))
    return scr_fail_memory(error, "the elements of a mesh", b->hex_count * sizeof *b->hexes);
  memcpy(b->hexes[b->hex_count++], corner, sizeof *b->hexes);
  return SCR_OK;
}

void hexes_builder_clear(hexes_builder *b)
{
  mem_free(b->nodes);
  mem_free(b->hexes);
  *b = (hexes_builder){.limit = b->limit};
}

/* ── the mesh ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static int by_id(const void *left, const void *right)
{
  const hexes_node *a = left, *b = right;
  return (a->id > b->id) - (a->id < b->id);
}

/* Place of an id among the sorted nodes; NULL: there is none. */
static const hexes_node *find_node(const hexes_builder *b, uint64_t id)
{
  const hexes_node key = {.id = id};
  return bsearch(&key, b->nodes, b->node_count, sizeof *b->nodes, by_id);
}

/* Fills number[order] for nodes in use, in the file's order. @return SCR_BAD_FILE for an id that is missing */
static scr_status number_nodes(const hexes_builder *b, uint32_t *number, size_t *count, scr_error *error)
{
  for (size_t k = 1; k < b->node_count; k++)
    if (b->nodes[k].id == b->nodes[k - 1].id)
      return scr_fail(error, SCR_BAD_FILE, NULL, "two nodes have the number %llu: give each its own, and one part to a file",
                      (unsigned long long)b->nodes[k].id);
  for (size_t e = 0; e < b->hex_count; e++)
    for (int a = 0; a < GEO_HEX_CORNERS; a++) {
      const hexes_node *node = find_node(b, b->hexes[e][a]);
      if (!node)
        return scr_fail(error, SCR_BAD_FILE, NULL, "hexahedron %zu, counted from 1, has the node %llu, which the file does not have", e + 1,
                        (unsigned long long)b->hexes[e][a]);
      number[node->order] = 1;
    }
  *count = 0;
  for (size_t k = 0; k < b->node_count; k++)
    if (number[k]) number[k] = (uint32_t)++ * count; /* from 1 */
  return SCR_OK;
}

static scr_status build(const hexes_builder *b, uint32_t *number, geo_hexes *mesh, scr_error *error)
{
  size_t count = 0;
  SCR_TRY(number_nodes(b, number, &count, error));
  SCR_TRY(geo_hexes_create(count, b->hex_count, mesh, error));
  for (size_t k = 0; k < b->node_count; k++)
    if (number[b->nodes[k].order]) memcpy(mesh->node[number[b->nodes[k].order] - 1], b->nodes[k].place, sizeof *mesh->node);
  for (size_t e = 0; e < b->hex_count; e++)
    for (int a = 0; a < GEO_HEX_CORNERS; a++) mesh->hex[e][a] = number[find_node(b, b->hexes[e][a])->order] - 1;
  return SCR_OK;
}

scr_status hexes_finish(hexes_builder *b, geo_hexes *mesh, scr_error *error)
{
  *mesh = (geo_hexes){0};
  if (b->hex_count == 0) return scr_fail(error, SCR_BAD_FILE, NULL, "the file has no hexahedra of 8 nodes: only those are taken");
  if (b->node_count == 0) return scr_fail(error, SCR_BAD_FILE, NULL, "the file has hexahedra and no nodes");
  uint32_t *number = mem_array(b->node_count, sizeof *number);
  if (!number) return scr_fail_memory(error, "numbers of nodes", b->node_count * sizeof *number);
  qsort(b->nodes, b->node_count, sizeof *b->nodes, by_id);
  scr_status status = build(b, number, mesh, error);
  mem_free(number);
  hexes_builder_clear(b);
  return status;
}

/* ── cells of VTK ───────────────────────────────────────────────────────────────────────────────────────────────── */

hexes_cell hexes_vtk_cell(uint64_t type)
{
  switch (type) {
  case 1:
  case 2:
  case 3:
  case 4:
  case 5:
  case 6:
  case 7:
  case 8:
  case 9: /* vertices, lines, triangles, polygons, quadrilaterals */
  case 21:
  case 22:
  case 23: return HEXES_CELL_PASS; /* quadratic edge, triangle, quadrilateral */
  case 11: return HEXES_CELL_VOXEL;
  case 12: return HEXES_CELL_HEX;
  default: return HEXES_CELL_REFUSE;
  }
}

scr_status hexes_add_vtk_cell(hexes_builder *b, uint64_t type, const uint64_t *points, size_t count, scr_error *error)
{
  static const int of_voxel[GEO_HEX_CORNERS] = {0, 1, 3, 2, 4, 5, 7, 6};
  hexes_cell cell = hexes_vtk_cell(type);
  uint64_t corner[GEO_HEX_CORNERS];
  if (cell == HEXES_CELL_PASS) return SCR_OK;
  if (cell == HEXES_CELL_REFUSE)
    return scr_fail(
        error, SCR_BAD_FILE, NULL,
        "a cell has the VTK type %llu; volumes are to be hexahedra of 8 nodes (12) or voxels (11): mesh the body with those alone",
        (unsigned long long)type);
  if (count != GEO_HEX_CORNERS) return scr_fail(error, SCR_BAD_FILE, NULL, "a hexahedron has %zu points; it has 8", count);
  for (int a = 0; a < GEO_HEX_CORNERS; a++) corner[a] = points[cell == HEXES_CELL_VOXEL ? of_voxel[a] : a];
  return hexes_add_hex(b, corner, error);
}

/* ── words ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status hexes_bad_word(const mesh_text *text, mesh_word word, const char *what, scr_error *error)
{
  char quote[48];
  if (word.length == 0)
    return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: the file ends where %s is wanted; it is cut off", text->line, what);
  return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: %s where %s is wanted", text->line, mesh_word_quote(word, quote), what);
}

scr_status hexes_take_number(mesh_text *text, const char *what, double *value, scr_error *error)
{
  mesh_word word = mesh_text_word(text);
  return mesh_word_number(text, word, value) ? SCR_OK : hexes_bad_word(text, word, what, error);
}

scr_status hexes_take_whole(mesh_text *text, const char *what, uint64_t *value, scr_error *error)
{
  mesh_word word = mesh_text_word(text);
  double number;
  if (!mesh_word_number(text, word, &number) || !(number >= 0 && number <= 9007199254740992.0) || number != floor(number))
    return hexes_bad_word(text, word, what, error);
  *value = (uint64_t)number;
  return SCR_OK;
}

scr_status hexes_take_place(mesh_text *text, double place[3], scr_error *error)
{
  for (int k = 0; k < 3; k++) SCR_TRY(hexes_take_number(text, "a coordinate", &place[k], error));
  return SCR_OK;
}

scr_status hexes_check_count(const hexes_builder *b, const mesh_text *text, uint64_t count, const char *what, scr_error *error)
{
  if (count > b->limit) return refuse_count(b, what, error);
  if (count <= ((uint64_t)(text->end - text->at) + 1) / 2) return SCR_OK;
  return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: the file is too short for %llu %s; it is cut off", text->line,
                  (unsigned long long)count, what);
}

double hexes_number(uint64_t bits, int size)
{
  if (size == -4) {
    uint32_t half = (uint32_t)bits;
    float value;
    memcpy(&value, &half, sizeof value);
    return (double)value;
  }
  if (size == -8) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  return (double)bits;
}
