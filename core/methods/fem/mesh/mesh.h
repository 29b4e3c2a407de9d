/** Meshes of hexahedra (geometry/hexes/) by the names that the method has for them. */
#ifndef SCREE_METHODS_FEM_MESH_H
#define SCREE_METHODS_FEM_MESH_H

#include "geometry/hexes/hexes.h"
#include "methods/fem/element/hex.h"

typedef geo_hexes fem_mesh;
typedef geo_hexes_quality fem_quality;
typedef geo_hexes_surface fem_surface;

static inline void fem_mesh_clear(fem_mesh *mesh)
{
  geo_hexes_clear(mesh);
}
static inline fem_quality fem_mesh_quality(const fem_mesh *mesh)
{
  return geo_hexes_measure(mesh);
}
static inline scr_status fem_mesh_check(const fem_mesh *mesh, scr_error *error)
{
  return geo_hexes_check(mesh, error);
}
static inline scr_status fem_mesh_surface(const fem_mesh *mesh, fem_surface *surface, scr_error *error)
{
  return geo_hexes_find_surface(mesh, surface, error);
}
static inline void fem_surface_clear(fem_surface *surface)
{
  geo_hexes_surface_clear(surface);
}
static inline size_t fem_mesh_pieces(const fem_mesh *mesh, uint32_t *piece)
{
  return geo_hexes_pieces(mesh, piece);
}

#endif
