/* Gmsh's MSH files, ASCII, versions 2.2 and 4.1: sections from $Name to $EndName. Elements by Gmsh's numbers of types. */
#include "geometry/hexes/files/hexes_builder.h"

/* Nodes of Gmsh's types 1 ... 31, and whether they have volume; 0: unknown. */
static size_t nodes_of_type(uint64_t type, bool *volume)
{
  static const uint8_t nodes[32] = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                    8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};
  static const uint32_t volumes = 1u << 4 | 1u << 5 | 1u << 6 | 1u << 7 | 1u << 11 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 17 | 1u << 18 |
                                  1u << 19 | 1u << 29 | 1u << 30 | 1u << 31;
  if (type == 0 || type > 31) return 0;
  *volume = volumes >> type & 1;
  return nodes[type];
}

static scr_status take_literal(mesh_text *text, const char *literal, scr_error *error)
{
  mesh_word word = mesh_text_word(text);
  return mesh_word_is(word, literal) ? SCR_OK : hexes_bad_word(text, word, literal, error);
}

/* One element's nodes, of which hexahedra are kept. */
static scr_status take_element(mesh_text *text, uint64_t type, hexes_builder *builder, scr_error *error)
{
  bool volume = false;
  uint64_t corner[GEO_HEX_CORNERS], other;
  size_t count = nodes_of_type(type, &volume);
  if (count == 0 || (volume && type != 5))
    return scr_fail(
        error, SCR_BAD_FILE, NULL,
        "line %zu: an element of Gmsh's type %llu; volumes are to be hexahedra of 8 nodes (5): recombine the mesh into those alone",
        text->line, (unsigned long long)type);
  for (size_t k = 0; k < count; k++) SCR_TRY(hexes_take_whole(text, "the number of a node", type == 5 ? &corner[k] : &other, error));
  return type == 5 ? hexes_add_hex(builder, corner, error) : SCR_OK;
}

/* ── version 2.2 ────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status take_nodes_2(mesh_text *text, hexes_builder *builder, scr_error *error)
{
  uint64_t count, id;
  double place[3];
  SCR_TRY(hexes_take_whole(text, "the number of nodes", &count, error));
  SCR_TRY(hexes_check_count(builder, text, count, "nodes", error));
  for (uint64_t k = 0; k < count; k++) {
    SCR_TRY(hexes_take_whole(text, "the number of a node", &id, error));
    SCR_TRY(hexes_take_place(text, place, error));
    SCR_TRY(hexes_add_node(builder, id, place, error));
  }
  return take_literal(text, "$EndNodes", error);
}

static scr_status take_elements_2(mesh_text *text, hexes_builder *builder, scr_error *error)
{
  uint64_t count, id, type, tags, tag;
  SCR_TRY(hexes_take_whole(text, "the number of elements", &count, error));
  SCR_TRY(hexes_check_count(builder, text, count, "elements", error));
  for (uint64_t k = 0; k < count; k++) {
    SCR_TRY(hexes_take_whole(text, "the number of an element", &id, error));
    SCR_TRY(hexes_take_whole(text, "the type of an element", &type, error));
    SCR_TRY(hexes_take_whole(text, "the number of tags", &tags, error));
    SCR_TRY(hexes_check_count(builder, text, tags, "tags", error));
    for (uint64_t t = 0; t < tags; t++) SCR_TRY(hexes_take_whole(text, "a tag", &tag, error));
    SCR_TRY(take_element(text, type, builder, error));
  }
  return take_literal(text, "$EndElements", error);
}

/* ── version 4.1 ────────────────────────────────────────────────────────────────────────────────────────────────── */

/* blocks, count, least and largest number */
static scr_status take_heads(mesh_text *text, hexes_builder *builder, const char *what, uint64_t *blocks, scr_error *error)
{
  uint64_t count, bound;
  SCR_TRY(hexes_take_whole(text, "the number of blocks", blocks, error));
  SCR_TRY(hexes_take_whole(text, what, &count, error));
  SCR_TRY(hexes_check_count(builder, text, count, what, error));
  SCR_TRY(hexes_check_count(builder, text, *blocks, "blocks", error));
  SCR_TRY(hexes_take_whole(text, "the least number", &bound, error));
  return hexes_take_whole(text, "the largest number", &bound, error);
}

/* dimension (which may be followed by parameters of curves and surfaces), tag, a flag or type, count */
static scr_status take_block(mesh_text *text, hexes_builder *builder, uint64_t *dimension, uint64_t *kind, uint64_t *count,
                             scr_error *error)
{
  double tag;
  SCR_TRY(hexes_take_whole(text, "the dimension of a block", dimension, error));
  SCR_TRY(hexes_take_number(text, "the tag of a block", &tag, error));
  SCR_TRY(hexes_take_whole(text, "a flag or a type", kind, error));
  SCR_TRY(hexes_take_whole(text, "the number in a block", count, error));
  return hexes_check_count(builder, text, *count, "members of a block", error);
}

static scr_status take_nodes_4(mesh_text *text, hexes_builder *builder, scr_error *error)
{
  uint64_t blocks, dimension, parametric, count, id;
  double place[3], parameter;
  SCR_TRY(take_heads(text, builder, "nodes", &blocks, error));
  for (uint64_t b = 0; b < blocks; b++) {
    SCR_TRY(take_block(text, builder, &dimension, &parametric, &count, error));
    if (parametric > 1 || dimension > 3)
      return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: a block of nodes has dimension %llu and flag %llu; 0 to 3 and 0 or 1 are known",
                      text->line, (unsigned long long)dimension, (unsigned long long)parametric);
    size_t first = builder->node_count;
    for (uint64_t k = 0; k < count; k++) {
      const double nowhere[3] = {0, 0, 0};
      SCR_TRY(hexes_take_whole(text, "the number of a node", &id, error));
      SCR_TRY(hexes_add_node(builder, id, nowhere, error));
    }
    for (uint64_t k = 0; k < count; k++) {
      SCR_TRY(hexes_take_place(text, place, error));
      for (uint64_t p = 0; parametric && p < dimension; p++) SCR_TRY(hexes_take_number(text, "a parameter", &parameter, error));
      SCR_TRY(hexes_put_place(builder, first + k, place, error));
    }
  }
  return take_literal(text, "$EndNodes", error);
}

static scr_status take_elements_4(mesh_text *text, hexes_builder *builder, scr_error *error)
{
  uint64_t blocks, dimension, type, count, id;
  SCR_TRY(take_heads(text, builder, "elements", &blocks, error));
  for (uint64_t b = 0; b < blocks; b++) {
    SCR_TRY(take_block(text, builder, &dimension, &type, &count, error));
    for (uint64_t k = 0; k < count; k++) {
      SCR_TRY(hexes_take_whole(text, "the number of an element", &id, error));
      SCR_TRY(take_element(text, type, builder, error));
    }
  }
  return take_literal(text, "$EndElements", error);
}

/* ── the file ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status take_format(mesh_text *text, bool *fourth, scr_error *error)
{
  double version;
  uint64_t binary, size;
  SCR_TRY(take_literal(text, "$MeshFormat", error));
  SCR_TRY(hexes_take_number(text, "the version", &version, error));
  SCR_TRY(hexes_take_whole(text, "the kind of file", &binary, error));
  SCR_TRY(hexes_take_whole(text, "the size of numbers", &size, error));
  *fourth = version == 4.1;
  if (version != 2.2 && version != 4.1)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the file is of version %g of Gmsh's format; 2.2 and 4.1 are read", version);
  if (binary != 0) return scr_fail(error, SCR_BAD_FILE, NULL, "the file is binary; save it as ASCII: Mesh.Binary = 0");
  return take_literal(text, "$EndMeshFormat", error);
}

scr_status hexes_read_gmsh(mesh_text *text, hexes_builder *builder, scr_error *error)
{
  bool fourth;
  SCR_TRY(take_format(text, &fourth, error));
  for (mesh_word word = mesh_text_word(text); word.length > 0; word = mesh_text_word(text)) {
    if (mesh_word_is(word, "$Nodes")) {
      SCR_TRY(fourth ? take_nodes_4(text, builder, error) : take_nodes_2(text, builder, error));
    } else if (mesh_word_is(word, "$Elements")) {
      SCR_TRY(fourth ? take_elements_4(text, builder, error) : take_elements_2(text, builder, error));
    } else if (word.bytes[0] == '$') { /* physical names, entities, periodic, data: to their end */
      for (word = mesh_text_word(text); word.length > 0 && (word.length < 4 || !mesh_word_is((mesh_word){word.bytes, 4}, "$End"));)
        word = mesh_text_word(text);
    } else {
      return hexes_bad_word(text, word, "a section such as $Nodes", error);
    }
  }
  return SCR_OK;
}
