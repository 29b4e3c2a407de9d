/* Nodes of a mesh moved onto a surface, and smoothed, without folding elements. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/hexes/fill.h"

static const double least_kept = 0.15; /* scaled Jacobian */
enum { fit_rounds = 20 };

/* Whom a node meets: elements first_hex[n] .. of `hex`, neighbours by edges likewise; of a node of the surface those along edges of the
 * surface alone. */
typedef struct network {
  size_t *first_hex, *first_next;
  uint32_t *hex, *next;
  bool *outer;
} network;

static const uint8_t hex_edge[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};

static void clear(network *net)
{
  mem_free(net->first_hex);
  mem_free(net->first_next);
  mem_free(net->hex);
  mem_free(net->next);
  mem_free(net->outer);
}

static void add_edge(network *net, size_t *at, uint32_t a, uint32_t b)
{
  if (at)
    net->next[at[a]++] = b, net->next[at[b]++] = a;
  else
    net->first_next[a + 1]++, net->first_next[b + 1]++;
}

/* With `at` NULL counts, else places. Edges of elements between nodes one of which is inside count for that node alone; those of the
 * surface's faces for its nodes. Twice is no harm: all edges of a kind are seen about as often. */
static void each_edge(network *net, const geo_hexes *mesh, const geo_hexes_surface *surface, size_t *at)
{
  for (size_t f = 0; f < surface->face_count; f++)
    for (int k = 0; k < 4; k++)
      if (surface->face[f][k] < surface->face[f][(k + 1) % 4]) add_edge(net, at, surface->face[f][k], surface->face[f][(k + 1) % 4]);
  for (size_t e = 0; e < mesh->hex_count; e++)
    for (int k = 0; k < 12; k++) {
      const uint32_t pair[2] = {mesh->hex[e][hex_edge[k][0]], mesh->hex[e][hex_edge[k][1]]};
      for (int i = 0; i < 2; i++) {
        if (net->outer[pair[i]]) continue;
        if (at)
          net->next[at[pair[i]]++] = pair[1 - i];
        else
          net->first_next[pair[i] + 1]++;
      }
    }
}

static bool link_edges(network *net, const geo_hexes *mesh, const geo_hexes_surface *surface)
{
  size_t nodes = mesh->node_count, *at = mem_array(nodes + 1, sizeof *at);
  each_edge(net, mesh, surface, NULL);
  for (size_t n = 0; n < nodes; n++) net->first_next[n + 1] += net->first_next[n];
  net->next = mem_array(net->first_next[nodes], sizeof *net->next);
  if (at && net->next) {
    memcpy(at, net->first_next, nodes * sizeof *at);
    each_edge(net, mesh, surface, at);
  }
  bool memory = at && net->next;
  mem_free(at);
  return memory;
}

static bool link_hexes(network *net, const geo_hexes *mesh)
{
  size_t nodes = mesh->node_count, *at = mem_array(nodes + 1, sizeof *at);
  for (size_t e = 0; e < mesh->hex_count; e++)
    for (int a = 0; a < GEO_HEX_CORNERS; a++) net->first_hex[mesh->hex[e][a] + 1]++;
  for (size_t n = 0; n < nodes; n++) net->first_hex[n + 1] += net->first_hex[n];
  net->hex = mem_array(net->first_hex[nodes], sizeof *net->hex);
  if (at && net->hex) {
    memcpy(at, net->first_hex, nodes * sizeof *at);
    for (size_t e = 0; e < mesh->hex_count; e++)
      for (int a = 0; a < GEO_HEX_CORNERS; a++) net->hex[at[mesh->hex[e][a]]++] = (uint32_t)e;
  }
  bool memory = at && net->hex;
  mem_free(at);
  return memory;
}

static bool build(network *net, const geo_hexes *mesh, const geo_hexes_surface *surface)
{
  net->first_hex = mem_array(mesh->node_count + 1, sizeof *net->first_hex);
  net->first_next = mem_array(mesh->node_count + 1, sizeof *net->first_next);
  net->outer = mem_array(mesh->node_count, sizeof *net->outer);
  if (!net->first_hex || !net->first_next || !net->outer) return false;
  for (size_t k = 0; k < surface->node_count; k++) net->outer[surface->node[k]] = true;
  return link_hexes(net, mesh) && link_edges(net, mesh, surface);
}

/* Smallest scaled Jacobian of the elements around a node. */
static double worst_around(const network *net, const geo_hexes *mesh, size_t n)
{
  double worst = 1;
  for (size_t k = net->first_hex[n]; k < net->first_hex[n + 1]; k++) {
    double corner[GEO_HEX_CORNERS][3];
    for (int a = 0; a < GEO_HEX_CORNERS; a++) memcpy(corner[a], mesh->node[mesh->hex[net->hex[k]][a]], sizeof corner[a]);
    worst = fmin(worst, geo_hex_scaled_jacobian((const double(*)[3])corner));
  }
  return worst;
}

/* Moves a node towards a place, as far as elements allow: all the way, or a half, a quarter, an eighth of it. */
static void move_towards(const network *net, geo_hexes *mesh, size_t n, const double place[3])
{
  double old[3], before = worst_around(net, mesh, n);
  memcpy(old, mesh->node[n], sizeof old);
  for (int part = 1; part <= 8; part *= 2) {
    for (int k = 0; k < 3; k++) mesh->node[n][k] = old[k] + (place[k] - old[k]) / part;
    double after = worst_around(net, mesh, n);
    if (after >= least_kept || after >= before) return;
  }
  memcpy(mesh->node[n], old, sizeof old);
}

/* Half way to the mean of the neighbours; of the surface then to its nearest point. */
static void smooth(const geo_mesh_tree *solid, const network *net, geo_hexes *mesh, size_t n)
{
  size_t count = net->first_next[n + 1] - net->first_next[n];
  double place[3];
  for (size_t k = 0; k < 3; k++) {
    double sum = 0;
    for (size_t i = net->first_next[n]; i < net->first_next[n + 1]; i++) sum += mesh->node[net->next[i]][k];
    place[k] = count ? 0.5 * mesh->node[n][k] + 0.5 * sum / (double)count : mesh->node[n][k];
  }
  if (net->outer[n]) {
    scr_vec3 on = geo_mesh_nearest(solid, vec3(place[0], place[1], place[2])).point;
    place[0] = on.x, place[1] = on.y, place[2] = on.z;
  }
  move_towards(net, mesh, n, place);
}

/* A node of the surface straight to its nearest point. */
static double project_to_surface(const geo_mesh_tree *solid, const network *net, geo_hexes *mesh, size_t n)
{
  const double *x = mesh->node[n];
  scr_vec3 on = geo_mesh_nearest(solid, vec3(x[0], x[1], x[2])).point;
  const double place[3] = {on.x, on.y, on.z};
  move_towards(net, mesh, n, place);
  return fabs(geo_mesh_nearest(solid, vec3(x[0], x[1], x[2])).distance);
}

double geo_hexes_fit(const geo_mesh_tree *solid, geo_hexes *mesh)
{
  geo_hexes_surface surface;
  network net = {0};
  double most = -1;
  if (geo_hexes_find_surface(mesh, &surface, NULL) != SCR_OK) return -1;
  if (build(&net, mesh, &surface)) {
    for (int round = 0; round < fit_rounds; round++)
      for (size_t n = mesh->node_count; n-- > 0;) smooth(solid, &net, mesh, n);
    most = 0;
    for (size_t k = 0; k < surface.node_count; k++) most = fmax(most, project_to_surface(solid, &net, mesh, surface.node[k]));
  }
  clear(&net);
  geo_hexes_surface_clear(&surface);
  return most;
}
