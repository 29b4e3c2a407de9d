/** Grains of any form at random places in a container, none nearer to another than a gap.
 *
 *      random places --grown from half size to full, pushed apart where surfaces are too near--> places --shrunk until all gaps hold-->
 *      scale
 *
 *  Grains are pushed along the normal at the deepest point of each pair, as Jodrey and Tory do with spheres (Phys. Rev. A 32 (1985) 2347);
 *  depths come from level sets of the forms. What overlap is left is taken away by shrinking all grains alike, each about its own origin,
 *  as Bhattacharya, Damircheli, Lipton 2025 do with grains of a scan: judged on the triangles themselves. */
#ifndef SCREE_GEOMETRY_PACK_H
#define SCREE_GEOMETRY_PACK_H

#include "geometry/mesh/mesh_distance.h"

enum { GEO_PACK_GRAIN_LIMIT = 2000, GEO_PACK_FORM_LIMIT = 256 };

/** What is asked for; nothing is kept. */
typedef struct geo_pack_request {
  const geo_mesh *forms;     /**< [form_count] closed surfaces as they lie, about the point that is placed, which is within them */
  size_t form_count;         /**< 1 ... GEO_PACK_FORM_LIMIT */
  const uint32_t *form;      /**< [count] which form each grain has */
  size_t count;              /**< 1 ... GEO_PACK_GRAIN_LIMIT */
  scr_vec3 minimum, maximum; /**< m, of the box */
  bool round;                /**< only the upright cylinder within it, whose diameter is the shorter of the edges along x and y */
  double gap;                /**< m, >= 0, least distance of any two surfaces, and to the container */
  uint64_t seed;
} geo_pack_request;

/** What came of it. */
typedef struct geo_pack_result {
  double scale;    /**< 0 < scale <= 1: what all grains are to be shrunk by about their own origins */
  double fraction; /**< of the container that the shrunk grains fill */
  int sweeps;      /**< how often all pairs were pushed apart */
} geo_pack_result;

/** Packs. The same question gives the same answer, bit for bit.
 *  @param centres [count] receives the places of the forms' origins, m
 *  @return SCR_OK; SCR_BAD_USAGE for what is out of range, a form that does not fit into the container, or a packing so dense that grains
 *  would have to be
 *          shrunk below half their size; SCR_BAD_FILE for a form that bounds no solid; SCR_NO_MEMORY */
scr_status geo_pack(const geo_pack_request *request, scr_vec3 *centres, geo_pack_result *result, scr_error *error);

/** Whether no two grains of a packing come nearer than `gap` and none leaves the container, at a scale: corners of each against the surface
 *  of the other, and no edge through a surface. For tests and for whoever moved grains since. */
scr_status geo_pack_holds(const geo_pack_request *request, const scr_vec3 *centres, double scale, bool *holds, scr_error *error);

/** Volume of the container, m^3. */
double geo_pack_volume(scr_vec3 minimum, scr_vec3 maximum, bool round);

#endif
