/* Edges of surfaces, from their faces. */
#include "methods/fem/dynamics/edges.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec3.h"
#include "sim/fields.h"

static const double sharp_cosine =
    0.866; /* of the angle between faces: flatter ones are a curved surface in facets, which nodes and faces describe */

static int edge_order(const void *left, const void *right)
{
  const fem_edge *a = left, *b = right;
  for (int k = 0; k < 2; k++)
    if (a->node[k] != b->node[k]) return a->node[k] < b->node[k] ? -1 : 1;
  return (a->face[0] > b->face[0]) - (a->face[0] < b->face[0]);
}

static scr_vec3 at_rest(const fem_system *system, uint32_t node)
{
  const double *x = system->rest + 3 * (size_t)node;
  return vec3(x[0], x[1], x[2]);
}

/* Twice the area, along the normal. */
static scr_vec3 across(const fem_system *system, const uint32_t face[4])
{
  return vec3_cross(vec3_sub(at_rest(system, face[2]), at_rest(system, face[0])),
                    vec3_sub(at_rest(system, face[3]), at_rest(system, face[1])));
}

static scr_vec3 middle(const fem_system *system, const uint32_t face[4])
{
  scr_vec3 sum = vec3(0, 0, 0);
  for (int k = 0; k < 4; k++) sum = vec3_add(sum, at_rest(system, face[k]));
  return vec3_scale(sum, 0.25);
}

static bool is_sharp(const fem_system *system, const geo_hexes_surface *surface, const fem_edge *e)
{
  if (e->face[0] == e->face[1]) return false;
  const uint32_t *f = surface->face[e->face[0]], *g = surface->face[e->face[1]];
  scr_vec3 n = across(system, f), m = across(system, g);
  bool convex = vec3_dot(n, vec3_sub(middle(system, g), at_rest(system, e->node[0]))) < 0;
  return convex && vec3_dot(n, m) < sharp_cosine * vec3_length(n) * vec3_length(m);
}

/* Edges of one body into its room, one for each pair of nodes. @return how many */
static size_t list_edges(const fem_system *system, const geo_hexes_surface *surface, fem_edge *list)
{
  size_t count = 0, kept = 0;
  for (uint32_t f = 0; f < surface->face_count; f++)
    for (int k = 0; k < 4; k++) {
      uint32_t a = surface->face[f][k], b = surface->face[f][(k + 1) % 4];
      list[count++] = (fem_edge){.node = {a < b ? a : b, a < b ? b : a}, .face = {f, f}};
    }
  qsort(list, count, sizeof *list, edge_order);
  for (size_t k = 0; k < count; k++) {
    bool again = kept > 0 && list[kept - 1].node[0] == list[k].node[0] && list[kept - 1].node[1] == list[k].node[1];
    if (again)
      list[kept - 1].face[1] = list[k].face[0];
    else
      list[kept++] = list[k];
  }
  for (size_t k = 0; k < kept; k++) list[k].sharp = is_sharp(system, surface, &list[k]);
  return kept;
}

enum { FIELDS = 5 };
static const sim_field fields[FIELDS] = {
    FIELD_ROWS("edges of surfaces", fem_edges, item, face_count, 4, 0), /* at most so many */
    FIELD_STARTS("edges of bodies", fem_edges, first, body_count, 0),
    FIELD_STARTS("faces of bodies", fem_edges, first_face, body_count, 0),
    FIELD_ARRAY("thicknesses", fem_edges, thickness, face_count, 0),
    FIELD_ARRAY("longest edges", fem_edges, length, body_count, 0),
};

scr_status fem_edges_create(const fem_system *system, const geo_hexes_surface *surfaces, fem_edges *edges, scr_error *error)
{
  size_t bodies = edges->body_count = system->body_count;
  for (size_t b = 0; b < bodies; b++) edges->face_count += surfaces[b].face_count;
  SCR_TRY(fields_allocate(fields, FIELDS, edges, error));
  for (size_t b = 0; b < bodies; b++) {
    size_t first = edges->first[b];
    edges->first[b + 1] = first + list_edges(system, &surfaces[b], edges->item + first);
    edges->first_face[b + 1] = edges->first_face[b] + surfaces[b].face_count;
    for (size_t e = first; e < edges->first[b + 1]; e++)
      edges->length[b] =
          fmax(edges->length[b], vec3_length(vec3_sub(at_rest(system, edges->item[e].node[1]), at_rest(system, edges->item[e].node[0]))));
    for (size_t f = 0; f < surfaces[b].face_count; f++)
      edges->thickness[edges->first_face[b] + f] =
          2 * system->shape[surfaces[b].element[f]].volume / vec3_length(across(system, surfaces[b].face[f]));
  }
  return SCR_OK;
}

void fem_edges_clear(fem_edges *edges)
{
  fields_free(fields, FIELDS, edges);
  *edges = (fem_edges){0};
}
