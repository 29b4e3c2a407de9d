/* Bodies that start in each other. */
#include "methods/fem/scene/check_bodies.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/hexes/finder.h"
#include "geometry/search/boxes.h"
#include "methods/fem/dynamics/touch_faces.h"
#include "methods/fem/mesh/specimen.h"

static const double accepted = 1e-2; /* of an element's edge */

/* A body in its place. */
typedef struct placed {
  geo_hexes mesh;
  geo_hexes_surface surface;
  geo_box box;
  double edge;
  size_t specimen, number; /* of the specimen's positions */
} placed;

static void clear_bodies(placed *body, size_t count)
{
  for (size_t b = 0; body && b < count; b++) {
    geo_hexes_clear(&body[b].mesh);
    geo_hexes_surface_clear(&body[b].surface);
  }
  mem_free(body);
}

static scr_status place_specimen(const scr_scene *scene, size_t k, placed *body)
{
  const scr_specimen *specimen = &scene->specimens[k];
  shape_division division = fem_divide(&specimen->shape, fem_specimen_of(scene, k));
  geo_hexes mesh;
  SCR_TRY(shape_hexes(&specimen->shape, &division, &mesh, NULL));
  scr_status status = SCR_OK;
  for (size_t i = 0; i < specimen->position_count && status == SCR_OK; i++) {
    placed *b = &body[i];
    status = fem_mesh_place(&mesh, specimen, specimen->positions[i], &b->mesh, NULL);
    if (status == SCR_OK) status = geo_hexes_find_surface(&b->mesh, &b->surface, NULL);
    b->edge = geo_hexes_measure(&b->mesh).mean_edge, b->specimen = k, b->number = i, b->box = geo_box_empty();
    for (size_t n = 0; n < b->mesh.node_count; n++) {
      scr_vec3 x = vec3(b->mesh.node[n][0], b->mesh.node[n][1], b->mesh.node[n][2]);
      b->box = geo_box_join(b->box, (geo_box){x, x});
    }
  }
  geo_hexes_clear(&mesh);
  return status;
}

/* Whether a face of the body is within `reach` of the point. */
static bool near_surface(const placed *b, const double point[3], double reach)
{
  for (size_t f = 0; f < b->surface.face_count; f++) {
    double corner[4][3], low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    bool far = false;
    fem_face_nearest at;
    for (int k = 0; k < 4; k++)
      for (int i = 0; i < 3; i++) {
        corner[k][i] = b->mesh.node[b->surface.face[f][k]][i];
        low[i] = fmin(low[i], corner[k][i]), high[i] = fmax(high[i], corner[k][i]);
      }
    for (int i = 0; i < 3; i++) far = far || point[i] < low[i] - reach || point[i] > high[i] + reach;
    if (!far && fem_face_nearest_point((const double(*)[3])corner, point, &at) && at.distance <= reach) return true;
  }
  return false;
}

/* Whether a place of one body is in the other, and not just below its surface. */
static bool is_inside(const double x[3], const placed *other, const geo_hexes_finder *finder, double reach)
{
  scr_vec3 point = vec3(x[0], x[1], x[2]);
  return geo_box_near(&(geo_box){point, point}, &other->box, 0) && geo_hexes_find(finder, x).outside <= reach &&
         !near_surface(other, x, reach);
}

/* A place of one body that is inside the other: the first such node of its surface, or the first middle of an element, by which those are
 * found whose sides lie in each other's. */
static bool find_inside(const placed *one, const placed *other, const geo_hexes_finder *finder, double place[3])
{
  double reach = accepted * fmin(one->edge, other->edge);
  for (size_t k = 0; k < one->surface.node_count; k++) {
    memcpy(place, one->mesh.node[one->surface.node[k]], 3 * sizeof *place);
    if (is_inside(place, other, finder, reach)) return true;
  }
  for (size_t e = 0; e < one->mesh.hex_count; e++) {
    for (int i = 0; i < 3; i++) {
      place[i] = 0;
      for (int a = 0; a < GEO_HEX_CORNERS; a++) place[i] += one->mesh.node[one->mesh.hex[e][a]][i] / GEO_HEX_CORNERS;
    }
    if (is_inside(place, other, finder, reach)) return true;
  }
  return false;
}

static void refuse(const scr_checker *c, const placed *one, const placed *other, const double x[3])
{
  const scr_specimen *specimens = c->scene->specimens;
  check_refuse(
      c, check_at("/specimens/%zu/placement", one->specimen), NAN, "a place outside of the other bodies",
      "grain %zu of specimen '%s' starts inside grain %zu of '%s', at (%.4g, %.4g, %.4g) m, by more than a hundredth of an element: move "
      "one of them, or let bodies pass through each other (body_contact false)",
      one->number, specimens[one->specimen].name, other->number, specimens[other->specimen].name, x[0], x[1], x[2]);
}

/* Nodes of one body that face the other's box count as contacts. */
static scr_status count_facing(const placed *one, const placed *other, fem_cost *cost)
{
  double *distance = mem_array(one->surface.node_count, sizeof *distance);
  scr_vec3 edges = vec3_sub(one->box.high, one->box.low);
  if (!distance) return SCR_NO_MEMORY;
  for (size_t k = 0; k < one->surface.node_count; k++) {
    const double *x = one->mesh.node[one->surface.node[k]], low[3] = {other->box.low.x, other->box.low.y, other->box.low.z},
                 high[3] = {other->box.high.x, other->box.high.y, other->box.high.z};
    for (int i = 0; i < 3; i++) distance[k] += pow(fmax(0, fmax(low[i] - x[i], x[i] - high[i])), 2);
    distance[k] = sqrt(distance[k]);
  }
  (void)fem_cost_face(cost, distance, one->surface.node_count, one->edge, cbrt(edges.x * edges.y * edges.z));
  mem_free(distance);
  return SCR_OK;
}

/* All other bodies against one. */
static scr_status check_against(const scr_checker *c, const placed *body, size_t count, size_t b, fem_cost *cost)
{
  geo_hexes_finder *finder = NULL;
  for (size_t a = 0; a < count; a++) {
    scr_vec3 edges = vec3_sub(body[a].box.high, body[a].box.low);
    double reach = fmax(edges.x, fmax(edges.y, edges.z));
    if (a != b && geo_box_near(&body[a].box, &body[b].box, reach)) SCR_TRY(count_facing(&body[a], &body[b], cost));
  }
  for (size_t a = 0; a < count; a++) {
    if (a == b || !geo_box_near(&body[a].box, &body[b].box, 0)) continue;
    if (!finder) SCR_TRY(geo_hexes_finder_create(&body[b].mesh, &finder, NULL));
    double place[3];
    if (find_inside(&body[a], &body[b], finder, place)) refuse(c, &body[a], &body[b], place);
  }
  geo_hexes_finder_destroy(finder);
  return SCR_OK;
}

scr_status fem_check_overlaps(const scr_checker *c, fem_cost *cost)
{
  const scr_scene *scene = c->scene;
  size_t count = 0, at = 0;
  for (size_t k = 0; k < scene->specimen_count; k++) count += scene->specimens[k].position_count;
  if (count < 2) return SCR_OK;
  placed *body = mem_array(count, sizeof *body);
  scr_status status = body ? SCR_OK : SCR_NO_MEMORY;
  for (size_t k = 0; k < scene->specimen_count && status == SCR_OK; k++) {
    status = place_specimen(scene, k, body + at);
    at += scene->specimens[k].position_count;
  }
  for (size_t b = 0; b < count && status == SCR_OK; b++) status = check_against(c, body, count, b, cost);
  clear_bodies(body, count);
  return status;
}
