/* Patches of a grain's surface. */
#include "methods/lsdem/scene/patch.h"

#include <stdlib.h>

#include "base/memory.h"
#include "linalg/dense.h"

enum { NORMALS = 200, AXES = 6, RIGID = 6, LARGEST = 24 };

/* Nodes within a depth of the plane. */
typedef struct patch {
  size_t count;
  uint32_t *node;   /* [count] */
  double *below;    /* [count] m, below the plane */
  double overlap;   /* m, at which the sum of stiffness is largest */
  double stiffness; /* N/m, that sum */
} patch;

/* A direction and what bounds the eigenvalue of its patch. */
typedef struct candidate {
  double bound; /* 1/s^2, the trace */
  uint32_t direction;
} candidate;

/* Memory of a search over all directions. */
typedef struct workspace {
  patch patch;
  candidate *list; /* [directions] */
  double *matrix;  /* two of (6 + modes)^2, or [nodes] */
} workspace;

/* The steeper of normal and friction's springs, N/m^3. */
static double slope_at(const lsdem_law *law, double overlap)
{
  return fmax(lsdem_law_slope(law, overlap), law->shear);
}

static size_t stride_of(const lsdem_template *grain)
{
  return 1 + grain->node_count / NORMALS;
}

static size_t direction_count(const lsdem_template *grain)
{
  size_t stride = stride_of(grain);
  return (grain->node_count + stride - 1) / stride + AXES;
}

static scr_vec3 direction_of(const lsdem_template *grain, size_t number)
{
  if (number >= AXES) return grain->normal[(number - AXES) * stride_of(grain)];
  double sign = number < 3 ? 1 : -1;
  return vec3(number % 3 == 0 ? sign : 0, number % 3 == 1 ? sign : 0, number % 3 == 2 ? sign : 0);
}

static double stiffness_at(const patch *p, const lsdem_template *grain, const lsdem_law *law, double overlap)
{
  double sum = 0;
  for (size_t k = 0; k < p->count; k++)
    if (p->below[k] < overlap) sum += grain->area[p->node[k]] * slope_at(law, overlap - p->below[k]);
  return sum;
}

/* Fills a patch whose arrays have room for all nodes. Of a linear law the deepest overlap is the stiffest; a root is steepest at first
 * touch, so overlaps are tried from its knee on, each twice as deep. */
static void take_patch(patch *p, const lsdem_template *grain, const lsdem_law *law, size_t number, double depth)
{
  scr_vec3 along = direction_of(grain, number);
  double top = -INFINITY;
  for (size_t k = 0; k < grain->node_count; k++) top = fmax(top, vec3_dot(along, grain->surface.vertex[k]));
  p->count = 0;
  for (size_t k = 0; k < grain->node_count; k++) {
    double below = top - vec3_dot(along, grain->surface.vertex[k]);
    if (!(below < depth)) continue;
    p->node[p->count] = (uint32_t)k;
    p->below[p->count++] = below;
  }
  p->overlap = depth;
  p->stiffness = stiffness_at(p, grain, law, depth);
  double overlap = law->knee * (1 - 1e-9);
  while (law->root > 0 && overlap < depth) {
    double stiffness = stiffness_at(p, grain, law, overlap);
    if (stiffness > p->stiffness) p->stiffness = stiffness, p->overlap = overlap;
    overlap *= 2;
  }
}

static scr_status reserve(patch *p, size_t nodes, scr_error *error)
{
  *p = (patch){.node = mem_array(nodes, sizeof *p->node), .below = mem_array(nodes, sizeof *p->below)};
  return p->node && p->below ? SCR_OK : scr_fail_memory(error, "a grain's patches", nodes * sizeof *p->below);
}

static void clear(patch *p)
{
  mem_free(p->node);
  mem_free(p->below);
}

double lsdem_patch_stiffness(const lsdem_template *grain, const lsdem_law *law, double depth)
{
  patch p;
  double largest = 0;
  if (reserve(&p, grain->node_count, NULL) == SCR_OK)
    for (size_t d = 0; d < direction_count(grain); d++) {
      take_patch(&p, grain, law, d, depth);
      largest = fmax(largest, p.stiffness);
    }
  clear(&p);
  return largest;
}

/* ── frequencies ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* How node k moves along a unit vector by each degree of freedom: 3 of moving, 3 of turning, the modes. */
static void node_row(const lsdem_template *grain, size_t modes, uint32_t k, scr_vec3 along, double *row)
{
  scr_vec3 turning = vec3_cross(grain->surface.vertex[k], along);
  row[0] = along.x, row[1] = along.y, row[2] = along.z;
  row[3] = turning.x, row[4] = turning.y, row[5] = turning.z;
  for (size_t a = 0; a < modes; a++) row[RIGID + a] = vec3_dot(grain->mode_at_node[a * grain->node_count + k], along);
}

/* Axes of a plane: its normal, and two across. */
static void plane_axes(scr_vec3 normal, scr_vec3 axis[static 3])
{
  scr_vec3 other = fabs(normal.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
  axis[0] = normal;
  scr_vec3 across = vec3_cross(normal, other);
  axis[1] = vec3_scale(across, 1 / vec3_length(across));
  axis[2] = vec3_cross(normal, axis[1]);
}

/* What a unit spring at node k of a grain that moves, turns and has n modes, along all axes, brings into the trace of M^-1 C. */
static double node_trace(const lsdem_template *grain, size_t n, uint32_t k)
{
  const double rigid[RIGID] = {1 / grain->mass,      1 / grain->mass,      1 / grain->mass,
                               1 / grain->inertia.x, 1 / grain->inertia.y, 1 / grain->inertia.z};
  double row[RIGID + LSDEM_MODE_LIMIT], sum = 0;
  for (int e = 0; e < 3; e++) {
    node_row(grain, n, k, vec3(e == 0, e == 1, e == 2), row);
    for (int j = 0; j < RIGID; j++) sum += row[j] * row[j] * rigid[j];
    for (size_t a = 0; a < n; a++)
      for (size_t b = 0; b < n; b++) sum += row[RIGID + a] * grain->mass_inverse[a * n + b] * row[RIGID + b];
  }
  return sum;
}

/* The largest eigenvalue of one patch of direction number `number`: along its normal by dp/dd, across by friction's springs. @param matrix
 * [2][(RIGID + modes)^2] scratch */
static scr_status patch_eigenvalue(const lsdem_template *grain, const lsdem_law *law, size_t modes, size_t number, const patch *p,
                                   double *matrix, double *value, scr_error *error)
{
  const size_t n = RIGID + modes;
  const double rigid[RIGID] = {grain->mass, grain->mass, grain->mass, grain->inertia.x, grain->inertia.y, grain->inertia.z};
  double *c = matrix, *m = matrix + n * n, row[RIGID + LSDEM_MODE_LIMIT], values[RIGID + LSDEM_MODE_LIMIT];
  scr_vec3 axis[3];
  plane_axes(direction_of(grain, number), axis);
  for (size_t k = 0; k < 2 * n * n; k++) matrix[k] = 0;
  for (size_t j = 0; j < RIGID; j++) m[j * n + j] = rigid[j];
  for (size_t a = 0; a < modes; a++)
    for (size_t b = 0; b < modes; b++) m[(RIGID + a) * n + RIGID + b] = grain->modal.mass[a][b];
  for (size_t k = 0; k < p->count; k++) {
    if (!(p->below[k] < p->overlap)) continue;
    for (int e = 0; e < 3; e++) {
      double stiffness = grain->area[p->node[k]] * (e == 0 ? lsdem_law_slope(law, p->overlap - p->below[k]) : law->shear);
      if (stiffness == 0) continue;
      node_row(grain, modes, p->node[k], axis[e], row);
      for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++) c[i * n + j] += stiffness * row[i] * row[j]; /* by columns: the lower triangle */
    }
  }
  SCR_TRY(la_dense_pencil_eigen(n, c, m, values, error));
  *value = values[n - 1];
  return SCR_OK;
}

static int by_bound(const void *a, const void *b)
{
  const candidate *p = a, *q = b;
  if (p->bound != q->bound) return p->bound > q->bound ? -1 : 1;
  return p->direction < q->direction ? -1 : p->direction > q->direction;
}

/* An eigenvalue is below its patch's trace: patches are gone through from the largest trace on until no other can have a larger one,
 * LARGEST at most: those of a ball are all alike. */
static scr_status largest_eigenvalue(const lsdem_template *grain, const lsdem_law *law, double depth, size_t modes, workspace *w,
                                     double *square, scr_error *error)
{
  patch *p = &w->patch;
  candidate *list = w->list;
  size_t count = direction_count(grain);
  *square = 0;
  double *trace = w->matrix; /* [nodes], before matrices need the room */
  for (size_t k = 0; k < grain->node_count; k++) trace[k] = node_trace(grain, modes, (uint32_t)k);
  for (size_t d = 0; d < count; d++) {
    take_patch(p, grain, law, d, depth);
    list[d] = (candidate){0, (uint32_t)d};
    for (size_t k = 0; k < p->count; k++)
      if (p->below[k] < p->overlap) list[d].bound += trace[p->node[k]] * grain->area[p->node[k]] * slope_at(law, p->overlap - p->below[k]);
  }
  qsort(list, count, sizeof *list, by_bound);
  for (size_t d = 0; d < count && d < LARGEST && list[d].bound > *square; d++) {
    double value = 0;
    take_patch(p, grain, law, list[d].direction, depth);
    SCR_TRY(patch_eigenvalue(grain, law, modes, list[d].direction, p, w->matrix, &value, error));
    *square = fmax(*square, value);
  }
  return SCR_OK;
}

scr_status lsdem_patch_frequency(const lsdem_template *grain, const lsdem_law *law, double depth, double *rigid, double *modal,
                                 scr_error *error)
{
  size_t n = RIGID + grain->mode_count, capacity = 2 * n * n > grain->node_count ? 2 * n * n : grain->node_count;
  workspace w = {.list = mem_array(direction_count(grain), sizeof *w.list), .matrix = mem_array(capacity, sizeof *w.matrix)};
  scr_status status = reserve(&w.patch, grain->node_count, error);
  if (!w.list || !w.matrix) {
    status = scr_fail_memory(error, "a grain's patches", capacity * sizeof *w.matrix);
  } else {
    if (status == SCR_OK) status = largest_eigenvalue(grain, law, depth, 0, &w, rigid, error);
    if (status == SCR_OK) status = largest_eigenvalue(grain, law, depth, grain->mode_count, &w, modal, error);
  }
  mem_free(w.list);
  mem_free(w.matrix);
  clear(&w.patch);
  return status;
}
