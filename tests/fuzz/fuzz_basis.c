/* Fuzzes the reader of mode bases: what it accepts is sound, can be asked at points, and reads back as it was after writing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/basis/basis.h"
#include "geometry/hexes/finder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask_places(const geo_hexes *mesh)
{
  geo_hexes_finder *finder;
  if (geo_hexes_finder_create(mesh, &finder, NULL) != SCR_OK) return;
  const double points[3][3] = {{0, 0, 0}, {1e6, -1e6, 0.5}, {mesh->node[0][0], mesh->node[0][1], mesh->node[0][2]}};
  for (int k = 0; k < 3; k++) {
    geo_hexes_place place = geo_hexes_find(finder, points[k]);
    if (place.element >= mesh->hex_count) abort();
    for (int i = 0; i < 3; i++)
      if (!(fabs(place.xi[i]) <= 1)) abort();
  }
  geo_hexes_finder_destroy(finder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  geo_basis basis = {0}, back = {0};
  text_builder text = {0};
  if (geo_basis_read(data, size, &basis, NULL) != SCR_OK) {
    if (basis.field || basis.mesh.node) abort();
    return 0;
  }
  if (geo_basis_check(&basis, NULL) != SCR_OK) abort();
  ask_places(&basis.mesh);
  geo_basis_write(&basis, &text);
  if (geo_basis_read(text.data, text.length, &back, NULL) != SCR_OK) abort();
  if (memcmp(basis.field, back.field, 3 * sizeof(double) * basis.mode_count * basis.mesh.node_count) != 0 ||
      memcmp(basis.mass, back.mass, sizeof(double) * basis.mode_count * basis.mode_count) != 0)
    abort();
  text_clear(&text);
  geo_basis_clear(&back);
  geo_basis_clear(&basis);
  return 0;
}
