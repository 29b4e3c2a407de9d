/* The file of a mode basis: words and numbers separated by blanks and line ends, every quantity with its unit.
 *
 *      scree-mode-basis 1
 *      density 1000 kg/m^3
 *      young_modulus 1e8 Pa
 *      poisson_ratio 0.3 1
 *      nodes 27 m                     then x y z of each
 *      hexahedra 8 1                  then the eight nodes of each, numbers from 0, in the order of hexes/hex.h
 *      modes 2 1                      then per mode `mode NUMBER`, from 0, and the field's x y z at each node
 *      mass 2 kg                      then 2 x 2 numbers
 *      stiffness 2 N/m                then 2 x 2 numbers
 *      levels 3 m J N                 then per level: 2 amplitudes, the energy, 2 forces
 *      end
 *
 *  All of it in this order, units exactly so, nothing behind `end`. */
#include <locale.h>
#include <math.h>
#include <stdbool.h>

#include "base/memory.h"
#include "geometry/basis/basis.h"
#include "geometry/mesh/files/mesh_text.h"

static scr_status bad_word(const mesh_text *text, mesh_word word, const char *wanted, scr_error *error)
{
  char quote[48];
  if (word.length == 0)
    return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: the file ends where %s is wanted; it is cut off", text->line, wanted);
  return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: %s where %s is wanted", text->line, mesh_word_quote(word, quote), wanted);
}

static scr_status take_word(mesh_text *text, const char *literal, scr_error *error)
{
  mesh_word word = mesh_text_word(text);
  return mesh_word_is(word, literal) ? SCR_OK : bad_word(text, word, literal, error);
}

static scr_status take_number(mesh_text *text, double *value, scr_error *error)
{
  mesh_word word = mesh_text_word(text);
  return mesh_word_number(text, word, value) ? SCR_OK : bad_word(text, word, "a finite number", error);
}

static scr_status take_numbers(mesh_text *text, double *values, size_t count, scr_error *error)
{
  for (size_t k = 0; k < count; k++) SCR_TRY(take_number(text, &values[k], error));
  return SCR_OK;
}

/* A whole number up to `most`. */
static scr_status take_whole(mesh_text *text, const char *what, double most, size_t *value, scr_error *error)
{
  mesh_word word = mesh_text_word(text);
  double number;
  *value = 0;
  if (!mesh_word_number(text, word, &number)) return bad_word(text, word, what, error);
  if (!(number >= 0 && number <= most && number == floor(number)))
    return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: %s is %.10g; it must be a whole number from 0 to %.0f", text->line, what, number,
                    most);
  *value = (size_t)number;
  return SCR_OK;
}

/* "KEY COUNT", where `each` numbers per count must still fit into the file: memory is in proportion to it. */
static scr_status take_count(mesh_text *text, const char *key, double most, double each, size_t *count, scr_error *error)
{
  SCR_TRY(take_word(text, key, error));
  SCR_TRY(take_whole(text, key, most, count, error));
  if ((double)*count * each * 2 <= (double)(text->end - text->at) + 1) return SCR_OK;
  return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: the file is too short for %s %zu; it is cut off", text->line, key, *count);
}

static scr_status take_quantity(mesh_text *text, const char *key, const char *unit, double *value, scr_error *error)
{
  SCR_TRY(take_word(text, key, error));
  SCR_TRY(take_number(text, value, error));
  return take_word(text, unit, error);
}

static scr_status take_mesh(mesh_text *text, geo_hexes *mesh, scr_error *error)
{
  size_t nodes, hexes, node;
  SCR_TRY(take_count(text, "nodes", GEO_BASIS_NODE_LIMIT, 3, &nodes, error));
  SCR_TRY(take_word(text, "m", error));
  SCR_TRY(geo_hexes_create(nodes, 0, mesh, error));
  SCR_TRY(take_numbers(text, &mesh->node[0][0], 3 * nodes, error));
  SCR_TRY(take_count(text, "hexahedra", GEO_BASIS_NODE_LIMIT, GEO_HEX_CORNERS, &hexes, error));
  SCR_TRY(take_word(text, "1", error));
  mem_free(mesh->hex);
  SCR_TRY(mem_allocate(&mesh->hex, hexes, sizeof *mesh->hex, "the elements of a basis", error));
  mesh->hex_count = hexes;
  for (size_t e = 0; e < hexes; e++)
    for (int a = 0; a < GEO_HEX_CORNERS; a++) {
      SCR_TRY(take_whole(text, "a number of a node", nodes ? (double)nodes - 1 : 0, &node, error));
      mesh->hex[e][a] = (uint32_t)node;
    }
  return SCR_OK;
}

static scr_status take_fields(mesh_text *text, geo_basis *basis, scr_error *error)
{
  for (size_t m = 0; m < basis->mode_count; m++) {
    size_t number = 0;
    SCR_TRY(take_word(text, "mode", error));
    SCR_TRY(take_whole(text, "the number of a mode", GEO_BASIS_MODE_LIMIT, &number, error));
    if (number != m) return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: mode %zu where mode %zu is wanted", text->line, number, m);
    SCR_TRY(take_numbers(text, basis->field + 3 * m * basis->mesh.node_count, 3 * basis->mesh.node_count, error));
  }
  return SCR_OK;
}

static scr_status take_matrix(mesh_text *text, const char *key, const char *unit, size_t modes, double *matrix, scr_error *error)
{
  size_t count = 0;
  SCR_TRY(take_count(text, key, GEO_BASIS_MODE_LIMIT, 1, &count, error));
  SCR_TRY(take_word(text, unit, error));
  if (count != modes)
    return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu: the %s matrix is for %zu modes; the basis has %zu", text->line, key, count,
                    modes);
  return take_numbers(text, matrix, modes * modes, error);
}

/* The arrays' sizes are all known before the fields; the table's is not, and gets room when it comes. */
static scr_status take_levels(mesh_text *text, geo_basis *basis, scr_error *error)
{
  size_t n = basis->mode_count, levels;
  SCR_TRY(take_count(text, "levels", GEO_BASIS_LEVEL_LIMIT, 2 * (double)n + 1, &levels, error));
  SCR_TRY(take_word(text, "m", error));
  SCR_TRY(take_word(text, "J", error));
  SCR_TRY(take_word(text, "N", error));
  mem_free(basis->amplitude);
  mem_free(basis->energy);
  mem_free(basis->force);
  basis->amplitude = mem_array(levels * n, sizeof *basis->amplitude);
  basis->energy = mem_array(levels, sizeof *basis->energy);
  basis->force = mem_array(levels * n, sizeof *basis->force);
  if (!basis->amplitude || !basis->energy || !basis->force)
    return scr_fail_memory(error, "the levels of a basis", levels * (2 * n + 1) * sizeof(double));
  basis->level_count = levels;
  for (size_t l = 0; l < levels; l++) {
    SCR_TRY(take_numbers(text, basis->amplitude + l * n, n, error));
    SCR_TRY(take_number(text, &basis->energy[l], error));
    SCR_TRY(take_numbers(text, basis->force + l * n, n, error));
  }
  return SCR_OK;
}

static scr_status take_all(mesh_text *text, geo_basis *basis, scr_error *error)
{
  SCR_TRY(take_word(text, "scree-mode-basis", error));
  SCR_TRY(take_word(text, "1", error));
  SCR_TRY(take_quantity(text, "density", "kg/m^3", &basis->density, error));
  SCR_TRY(take_quantity(text, "young_modulus", "Pa", &basis->young_modulus, error));
  SCR_TRY(take_quantity(text, "poisson_ratio", "1", &basis->poisson_ratio, error));
  SCR_TRY(take_mesh(text, &basis->mesh, error));
  SCR_TRY(take_count(text, "modes", GEO_BASIS_MODE_LIMIT, 3 * (double)basis->mesh.node_count, &basis->mode_count, error));
  SCR_TRY(take_word(text, "1", error));
  SCR_TRY(geo_basis_allocate(basis, error));
  SCR_TRY(take_fields(text, basis, error));
  SCR_TRY(take_matrix(text, "mass", "kg", basis->mode_count, basis->mass, error));
  SCR_TRY(take_matrix(text, "stiffness", "N/m", basis->mode_count, basis->stiffness, error));
  SCR_TRY(take_levels(text, basis, error));
  SCR_TRY(take_word(text, "end", error));
  mesh_word rest = mesh_text_word(text);
  return rest.length == 0 ? SCR_OK : bad_word(text, rest, "the end of the file", error);
}

scr_status geo_basis_read(const void *bytes, size_t size, geo_basis *basis, scr_error *error)
{
  mesh_text text = {.at = bytes, .end = (const unsigned char *)bytes + size, .line = 1};
  *basis = (geo_basis){0};
  text.numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (!text.numbers) return scr_fail_memory(error, "a locale", 0);
  scr_status status = take_all(&text, basis, error);
  if (status == SCR_OK) status = geo_basis_check(basis, error);
  freelocale(text.numbers);
  if (status != SCR_OK) geo_basis_clear(basis);
  return status;
}
