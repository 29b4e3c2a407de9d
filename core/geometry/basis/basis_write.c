/* Writing the file of a mode basis; basis_read.c has the form. */
#include "geometry/basis/basis.h"

static void add_numbers(text_builder *text, const double *values, size_t count)
{
  char number[NUMBER_TEXT_BYTES];
  for (size_t k = 0; k < count; k++) {
    if (k > 0) text_add_character(text, ' ');
    text_add_string(text, number_text(values[k], number));
  }
  text_add_character(text, '\n');
}

static void add_rows(text_builder *text, const double *values, size_t rows, size_t columns)
{
  for (size_t k = 0; k < rows; k++) add_numbers(text, values + k * columns, columns);
}

static void add_quantity(text_builder *text, const char *key, double value, const char *unit)
{
  char number[NUMBER_TEXT_BYTES];
  text_add_format(text, "%s %s %s\n", key, number_text(value, number), unit);
}

void geo_basis_write(const geo_basis *basis, text_builder *text)
{
  const geo_hexes *mesh = &basis->mesh;
  size_t n = basis->mode_count;
  text_add_string(text, "scree-mode-basis 1\n");
  add_quantity(text, "density", basis->density, "kg/m^3");
  add_quantity(text, "young_modulus", basis->young_modulus, "Pa");
  add_quantity(text, "poisson_ratio", basis->poisson_ratio, "1");
  text_add_format(text, "nodes %zu m\n", mesh->node_count);
  add_rows(text, &mesh->node[0][0], mesh->node_count, 3);
  text_add_format(text, "hexahedra %zu 1\n", mesh->hex_count);
  for (size_t e = 0; e < mesh->hex_count; e++)
    for (int a = 0; a < GEO_HEX_CORNERS; a++) text_add_format(text, "%u%c", mesh->hex[e][a], a + 1 < GEO_HEX_CORNERS ? ' ' : '\n');
  text_add_format(text, "modes %zu 1\n", n);
  for (size_t m = 0; m < n; m++) {
    text_add_format(text, "mode %zu\n", m);
    add_rows(text, basis->field + 3 * m * mesh->node_count, mesh->node_count, 3);
  }
  text_add_format(text, "mass %zu kg\n", n);
  add_rows(text, basis->mass, n, n);
  text_add_format(text, "stiffness %zu N/m\n", n);
  add_rows(text, basis->stiffness, n, n);
  text_add_format(text, "levels %zu m J N\n", basis->level_count);
  for (size_t l = 0; l < basis->level_count; l++) {
    add_numbers(text, basis->amplitude + l * n, n);
    add_numbers(text, &basis->energy[l], 1);
    add_numbers(text, basis->force + l * n, n);
  }
  text_add_string(text, "end\n");
}
