/* Filling solids with lattice nodes. Works on whole numbers: a node's doubled coordinates. */
#include "geometry/fill/lattice.h"

#include <stdlib.h>

#include "base/memory.h"
#include "geometry/mesh/mesh_distance.h"

/* First and last cell along an axis that a mesh reaches into, as cells of the grid with a border at 0. */
static void mesh_cells(const geo_solid *solid, double spacing, double first[3], double last[3])
{
  const double low[3] = {solid->box.low.x, solid->box.low.y, solid->box.low.z},
               high[3] = {solid->box.high.x, solid->box.high.y, solid->box.high.z};
  for (int a = 0; a < 3; a++) {
    first[a] = floor(low[a] / spacing);
    last[a] = fmax(first[a], ceil(high[a] / spacing) - 1);
  }
}

/* Cells of the block around a solid, per axis. Across a round section they are even in number, so that cell centres are half-odd. */
static void block_size(const geo_solid *solid, double spacing, double cells[3])
{
  const double edges[3] = {solid->size.x, solid->size.y, solid->size.z};
  if (solid->kind == GEO_SOLID_MESH) {
    double first[3], last[3];
    mesh_cells(solid, spacing, first, last);
    for (int a = 0; a < 3; a++) cells[a] = fmax(fabs(first[a]), fabs(last[a])) < 1e9 ? last[a] - first[a] + 1 : (double)INFINITY;
    return;
  }
  double half = ceil(solid->radius / spacing * (1 + GEO_LENGTH_SLACK));
  int round_axes = solid->kind == GEO_SOLID_SPHERE ? 3 : solid->kind == GEO_SOLID_CYLINDER ? 2 : 0;
  for (int a = 0; a < 3; a++) cells[a] = a < round_axes ? 2 * half : fmax(1, floor(edges[a] / spacing + 0.5));
}

double geo_lattice_block(const geo_solid *solid, double spacing)
{
  double cells[3];
  block_size(solid, spacing, cells);
  return cells[0] * cells[1] * cells[2];
}

double geo_lattice_expected(const geo_solid *solid, double spacing)
{
  if (solid->kind == GEO_SOLID_BOX) return geo_lattice_block(solid, spacing);
  if (solid->kind == GEO_SOLID_MESH) return solid->volume / (spacing * spacing * spacing);
  double outer = solid->radius / spacing, inner = solid->inner_radius / spacing;
  if (solid->kind == GEO_SOLID_CYLINDER) return M_PI * outer * outer * fmax(1, floor(solid->size.z / spacing + 0.5));
  return 4.0 / 3.0 * M_PI * (outer * outer * outer - inner * inner * inner);
}

/* Depth of a cell's centre below a mesh's surface, m. */
static double depth_of(const geo_solid *solid, double spacing, const int32_t twice[3])
{
  double half = 0.5 * spacing;
  return -geo_mesh_nearest(solid->mesh, vec3(half * twice[0], half * twice[1], half * twice[2])).distance;
}

static bool is_inside(const geo_solid *solid, geo_mesh_probe *probe, double spacing, const int32_t twice[3])
{
  double half = 0.5 * spacing;
  if (solid->kind == GEO_SOLID_MESH)
    return geo_mesh_is_deeper(probe, vec3(half * twice[0], half * twice[1], half * twice[2]), -GEO_LENGTH_SLACK * spacing);
  if (solid->kind == GEO_SOLID_BOX) {
    double notch_half = 0.5 * solid->notch_width * (1 - GEO_LENGTH_SLACK), notch_top = solid->notch_depth - 0.5 * solid->size.z;
    return !(solid->notch_width > 0) || fabs(half * twice[0]) >= notch_half || half * twice[2] >= notch_top;
  }
  double along = solid->kind == GEO_SOLID_CYLINDER ? 0 : twice[2];
  double distance = half * sqrt((double)twice[0] * twice[0] + (double)twice[1] * twice[1] + along * along);
  return distance <= solid->radius * (1 + GEO_LENGTH_SLACK) && distance >= solid->inner_radius * (1 - GEO_LENGTH_SLACK);
}

/* Spreads the low 21 bits of a number to every third bit. */
static uint64_t spread(uint64_t v)
{
  v &= 0x1fffff;
  v = (v | v << 32) & 0x1f00000000ffff;
  v = (v | v << 16) & 0x1f0000ff0000ff;
  v = (v | v << 8) & 0x100f00f00f00f00f;
  v = (v | v << 4) & 0x10c30c30c30c30c3;
  return (v | v << 2) & 0x1249249249249249;
}

typedef struct keyed_cell {
  uint64_t key;
  uint32_t cell;
} keyed_cell;

static int compare_keys(const void *a, const void *b)
{
  const keyed_cell *p = a, *q = b;
  return p->key < q->key ? -1 : p->key > q->key;
}

static void cell_coordinates(const geo_lattice *lattice, uint32_t cell, int32_t twice[3])
{
  uint32_t c[3] = {cell % lattice->cells[0], cell / lattice->cells[0] % lattice->cells[1], cell / lattice->cells[0] / lattice->cells[1]};
  for (int a = 0; a < 3; a++) twice[a] = lattice->lowest[a] + 2 * (int32_t)c[a];
}

/* Marks the cells inside by 0 in node_at. @return how many */
static size_t mark_inside(geo_lattice *lattice, const geo_solid *solid, size_t cell_count)
{
  size_t inside = 0;
  geo_mesh_probe probe = {.tree = solid->mesh};
  for (size_t cell = 0; cell < cell_count; cell++) {
    int32_t twice[3];
    cell_coordinates(lattice, (uint32_t)cell, twice);
    bool in = is_inside(solid, &probe, lattice->spacing, twice);
    lattice->node_at[cell] = in ? 0 : GEO_NO_NODE;
    inside += in;
  }
  return inside;
}

/* Numbers the inside cells in curve order and enters them into twice[] and node_at[]. */
static scr_status number_nodes(geo_lattice *lattice, const geo_solid *solid, size_t cell_count, scr_error *error)
{
  bool mesh = solid->kind == GEO_SOLID_MESH;
  size_t inside = mark_inside(lattice, solid, cell_count);
  keyed_cell *order = mem_array(inside, sizeof *order);
  lattice->twice = mem_array(inside, sizeof *lattice->twice);
  if (mesh) lattice->depth = mem_array(inside, sizeof *lattice->depth);
  if (!order || !lattice->twice || (mesh && !lattice->depth)) {
    mem_free(order);
    return scr_fail_memory(error, "the nodes of a specimen", inside * sizeof *order);
  }
  size_t filled = 0;
  for (size_t cell = 0; cell < cell_count; cell++) {
    int32_t twice[3];
    if (lattice->node_at[cell] == GEO_NO_NODE) continue;
    cell_coordinates(lattice, (uint32_t)cell, twice);
    uint64_t c[3];
    for (int a = 0; a < 3; a++) c[a] = (uint64_t)((twice[a] - lattice->lowest[a]) / 2);
    order[filled++] = (keyed_cell){spread(c[0]) | spread(c[1]) << 1 | spread(c[2]) << 2, (uint32_t)cell};
  }
  qsort(order, filled, sizeof *order, compare_keys);
  for (size_t n = 0; n < filled; n++) {
    cell_coordinates(lattice, order[n].cell, lattice->twice[n]);
    lattice->node_at[order[n].cell] = (uint32_t)n;
    if (mesh) lattice->depth[n] = depth_of(solid, lattice->spacing, lattice->twice[n]);
  }
  lattice->node_count = filled;
  mem_free(order);
  return SCR_OK;
}

scr_status geo_lattice_fill(geo_lattice *lattice, const geo_solid *solid, double spacing, scr_error *error)
{
  *lattice = (geo_lattice){.spacing = spacing};
  double block = geo_lattice_block(solid, spacing);
  if (!(block < 2147483648.0))
    return scr_fail(error, SCR_BAD_USAGE, NULL, "a lattice of %.3g cells is too large; at most 2^31: use a larger spacing", block);
  double cells[3], first[3] = {0}, last[3] = {0};
  block_size(solid, spacing, cells);
  if (solid->kind == GEO_SOLID_MESH) mesh_cells(solid, spacing, first, last);
  size_t cell_count = 1;
  for (int a = 0; a < 3; a++) {
    lattice->cells[a] = (uint32_t)cells[a];
    lattice->lowest[a] = solid->kind == GEO_SOLID_MESH ? 2 * (int32_t)first[a] + 1 : 1 - (int32_t)cells[a];
    cell_count *= lattice->cells[a];
  }
  SCR_TRY(mem_allocate(&lattice->node_at, cell_count, sizeof *lattice->node_at, "the lattice of a specimen", error));
  return number_nodes(lattice, solid, cell_count, error);
}

void geo_lattice_clear(geo_lattice *lattice)
{
  mem_free(lattice->twice);
  mem_free(lattice->depth);
  mem_free(lattice->node_at);
  *lattice = (geo_lattice){0};
}

uint32_t geo_lattice_neighbour(const geo_lattice *lattice, size_t node, const int32_t offset[3])
{
  size_t cell = 0;
  for (int a = 2; a >= 0; a--) {
    int64_t c = (int64_t)(lattice->twice[node][a] - lattice->lowest[a]) / 2 + offset[a];
    if (c < 0 || c >= (int64_t)lattice->cells[a]) return GEO_NO_NODE;
    cell = cell * lattice->cells[a] + (size_t)c;
  }
  return lattice->node_at[cell];
}

void geo_lattice_neighbours(const geo_lattice *lattice, size_t node, const int32_t (*offset)[3], size_t count, uint32_t *neighbour)
{
  const int32_t *twice = lattice->twice[node], *lowest = lattice->lowest;
  const uint32_t *cells = lattice->cells;
  int32_t x = (twice[0] - lowest[0]) / 2, y = (twice[1] - lowest[1]) / 2, z = (twice[2] - lowest[2]) / 2;
  for (size_t k = 0; k < count; k++) {
    uint32_t a = (uint32_t)(x + offset[k][0]), b = (uint32_t)(y + offset[k][1]), c = (uint32_t)(z + offset[k][2]); /* below 0: huge */
    bool in = a < cells[0] && b < cells[1] && c < cells[2];
    neighbour[k] = in ? lattice->node_at[((size_t)c * cells[1] + b) * cells[0] + a] : GEO_NO_NODE;
  }
}

scr_status geo_lattice_offsets(double spacing, double reach, int32_t (**offsets)[3], size_t *count, scr_error *error)
{
  double ratio = reach / spacing * (1 + GEO_LENGTH_SLACK);
  int32_t most = (int32_t)ratio;
  size_t side = 2 * (size_t)most + 1;
  int32_t(*list)[3] = mem_array(side * side * side, sizeof *list);
  if (!list) return scr_fail_memory(error, "the neighbour offsets of a lattice", side * side * side * sizeof *list);
  size_t n = 0;
  for (int32_t z = -most; z <= most; z++)
    for (int32_t y = -most; y <= most; y++)
      for (int32_t x = -most; x <= most; x++) {
        double square = (double)x * x + (double)y * y + (double)z * z;
        if (square == 0 || square > ratio * ratio) continue;
        list[n][0] = x;
        list[n][1] = y;
        list[n++][2] = z;
      }
  *offsets = list;
  *count = n;
  return SCR_OK;
}

double geo_segment_distance(scr_vec3 a, scr_vec3 b)
{
  scr_vec3 d = vec3_sub(b, a);
  double square = vec3_dot(d, d);
  double t = square > 0 ? -vec3_dot(a, d) / square : 0;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  return vec3_length(vec3_add(a, vec3_scale(d, t)));
}

/* Cuts the stretch [*from, *to] of a segment down to where `value`, going linearly from a to b, is below `limit`. */
static void keep_below(double a, double b, double limit, double *from, double *to)
{
  if (a == b) {
    if (!(a < limit)) *to = -1;
    return;
  }
  double t = (limit - a) / (b - a);
  if (b > a)
    *to = fmin(*to, t);
  else
    *from = fmax(*from, t);
}

/* Around each node there is a ball as large as its depth that the surface stays out of: where two balls cover the line, it stays inside. */
bool geo_lattice_joins(const geo_lattice *lattice, const geo_solid *solid, size_t node, size_t other)
{
  scr_vec3 a = geo_lattice_position(lattice, node), b = geo_lattice_position(lattice, other);
  if (lattice->depth && lattice->depth[node] + lattice->depth[other] > vec3_length(vec3_sub(b, a))) return true;
  return geo_solid_joins(solid, a, b);
}

/* Of a box, less its notch: the nearest of its faces, or of the notch's two sides and roof. */
static double box_depth(const geo_solid *solid, scr_vec3 p)
{
  double depth = fmin(0.5 * solid->size.x - fabs(p.x), fmin(0.5 * solid->size.y - fabs(p.y), 0.5 * solid->size.z - fabs(p.z)));
  if (!(solid->notch_width > 0)) return depth;
  double aside = fabs(p.x) - 0.5 * solid->notch_width, above = p.z - (solid->notch_depth - 0.5 * solid->size.z);
  double from_notch = aside > 0 && above > 0 ? hypot(aside, above) : fmax(aside, above);
  return fmin(depth, from_notch);
}

double geo_solid_depth(const geo_solid *solid, scr_vec3 p)
{
  double across = hypot(p.x, p.y), from_centre = vec3_length(p);
  switch (solid->kind) {
  case GEO_SOLID_MESH: return -geo_mesh_nearest(solid->mesh, p).distance;
  case GEO_SOLID_BOX: return box_depth(solid, p);
  case GEO_SOLID_CYLINDER: return fmin(solid->radius - across, 0.5 * solid->size.z - fabs(p.z));
  case GEO_SOLID_SPHERE: break;
  }
  return solid->inner_radius > 0 ? fmin(solid->radius - from_centre, from_centre - solid->inner_radius) : solid->radius - from_centre;
}

bool geo_solid_is_convex(const geo_solid *solid)
{
  return solid->kind != GEO_SOLID_MESH && !(solid->inner_radius > 0) && !(solid->notch_width > 0);
}

bool geo_solid_joins(const geo_solid *solid, scr_vec3 a, scr_vec3 b)
{
  if (solid->kind == GEO_SOLID_MESH) return !geo_mesh_crosses(solid->mesh, a, b);
  if (solid->inner_radius > 0) return geo_segment_distance(a, b) >= solid->inner_radius * (1 - GEO_LENGTH_SLACK);
  if (!(solid->notch_width > 0)) return true;
  double half = 0.5 * solid->notch_width * (1 - GEO_LENGTH_SLACK), from = 0, to = 1;
  keep_below(a.x, b.x, half, &from, &to);
  keep_below(-a.x, -b.x, half, &from, &to);
  keep_below(a.z, b.z, solid->notch_depth - 0.5 * solid->size.z, &from, &to);
  return !(from < to);
}
