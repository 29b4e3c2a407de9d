/* Fuzzes the readers of hexahedral meshes: what is read has numbers in range and finite places, and can be checked, measured and skinned.
 * */
#include <math.h>
#include <stdlib.h>

#include "geometry/hexes/files/hexes_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  geo_hexes mesh = {0};
  geo_hexes_surface surface = {0};
  if (geo_hexes_read(data, size, 20000, &mesh, NULL) != SCR_OK) {
    if (mesh.node || mesh.hex) abort();
    return 0;
  }
  if (!geo_hexes_recognise(data, size) || mesh.hex_count == 0) abort();
  for (size_t e = 0; e < mesh.hex_count; e++)
    for (int a = 0; a < GEO_HEX_CORNERS; a++)
      if (mesh.hex[e][a] >= mesh.node_count) abort();
  for (size_t n = 0; n < mesh.node_count; n++)
    for (int k = 0; k < 3; k++)
      if (!isfinite(mesh.node[n][k])) abort();
  if (geo_hexes_check(&mesh, NULL) == SCR_OK && geo_hexes_find_surface(&mesh, &surface, NULL) != SCR_OK) abort();
  geo_hexes_surface_clear(&surface);
  geo_hexes_clear(&mesh);
  return 0;
}
