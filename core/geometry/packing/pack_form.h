/** A form made ready for packing, and the exact judgement of two grains. Private to packing/. */
#ifndef SCREE_GEOMETRY_PACK_FORM_H
#define SCREE_GEOMETRY_PACK_FORM_H

#include "geometry/level_set/level_set.h"
#include "geometry/packing/pack.h"

enum { PACK_POINTS = 160, PACK_INNER = 40 };

typedef struct pack_form {
  const geo_mesh *surface;
  geo_mesh_tree *tree;
  level_set field;                          /* distance, in a box with a margin */
  scr_vec3 point[PACK_POINTS + PACK_INNER]; /* of the surface, spread over it, and between it and the origin */
  double own[PACK_POINTS + PACK_INNER];     /* m, distance of each from the own surface, <= 0 */
  size_t point_count;
  geo_box box;
  double reach;   /* farthest corner from the origin, m */
  double longest; /* edge of a triangle, m */
  double volume;  /* m^3 */
} pack_form;

scr_status pack_form_make(pack_form *form, const geo_mesh *surface, double gap, scr_error *error);
void pack_form_clear(pack_form *form);

/** Whether grain b at `shift` from grain a keeps the gap, both at a scale. */
bool pack_keeps_apart(const pack_form *a, const pack_form *b, scr_vec3 shift, double scale, double gap);

/** How much farther a grain reaches than the wall of the container less the gap, m; <= 0: within. */
double pack_sticks_out(const geo_pack_request *request, const pack_form *form, scr_vec3 centre, double scale);

#endif
