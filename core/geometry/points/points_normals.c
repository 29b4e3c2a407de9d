/* Normals of a cloud: planes through neighbours, one direction for all. */
#include "base/memory.h"
#include "geometry/points/points.h"
#include "linalg/symmetric_eigen.h"

enum { NEIGHBOURS = GEO_POINTS_NEIGHBOURS };

typedef struct neighbourhood {
  uint32_t near[NEIGHBOURS]; /* nearest first */
  double square[NEIGHBOURS]; /* of their distances */
} neighbourhood;

static void find_neighbours(const geo_points *points, size_t of, neighbourhood *n)
{
  int found = 0;
  for (size_t k = 0; k < points->count; k++) {
    if (k == of) continue;
    scr_vec3 d = vec3_sub(points->point[k], points->point[of]);
    double square = vec3_dot(d, d);
    if (found == NEIGHBOURS && square >= n->square[NEIGHBOURS - 1]) continue;
    int at = found < NEIGHBOURS ? found++ : NEIGHBOURS - 1;
    for (; at > 0 && n->square[at - 1] > square; at--) n->square[at] = n->square[at - 1], n->near[at] = n->near[at - 1];
    n->square[at] = square;
    n->near[at] = (uint32_t)k;
  }
}

/* ── planes ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Across the plane nearest to a point and its neighbours: the direction in which they scatter least. */
static scr_vec3 normal_at(const geo_points *points, size_t of, const neighbourhood *n)
{
  double a[3][3] = {{0}}, value[3], axis[3][3];
  scr_vec3 mean = vec3(0, 0, 0), from = points->point[of];
  for (int k = 0; k < NEIGHBOURS; k++) mean = vec3_add(mean, vec3_scale(vec3_sub(points->point[n->near[k]], from), 1.0 / (NEIGHBOURS + 1)));
  for (int k = -1; k < NEIGHBOURS; k++) {
    scr_vec3 d = vec3_sub(k < 0 ? vec3(0, 0, 0) : vec3_sub(points->point[n->near[k]], from), mean);
    const double x[3] = {d.x, d.y, d.z};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) a[i][j] += x[i] * x[j];
  }
  la_symmetric_eigen(3, a[0], value, axis[0]);
  int least = 0;
  for (int k = 1; k < 3; k++)
    if (value[k] < value[least]) least = k;
  return vec3(axis[least][0], axis[least][1], axis[least][2]);
}

/* ── direction ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* How a point that is not turned yet would best be reached: the cost, 1 - |n n'|, and from where. */
typedef struct link {
  double cost;
  uint32_t from;
  bool done;
} link;

/* Offers a point the way over another. */
static void offer(const geo_points *points, uint32_t at, uint32_t to, link *links)
{
  double cost = 1 - fabs(vec3_dot(points->normal[at], points->normal[to]));
  if (!links[to].done && cost < links[to].cost) links[to].cost = cost, links[to].from = at;
}

/* Prim's tree of least cost, from the highest point on. @return how many points it reaches */
static size_t turn_outward(geo_points *points, const neighbourhood *near, link *links, size_t *missed)
{
  size_t n = points->count, top = 0, reached = 0;
  for (size_t k = 0; k < n; k++) {
    links[k] = (link){.cost = INFINITY};
    if (points->point[k].z > points->point[top].z) top = k;
  }
  if (points->normal[top].z < 0) points->normal[top] = vec3_scale(points->normal[top], -1);
  links[top] = (link){.cost = -1, .from = (uint32_t)top};
  for (;;) {
    size_t best = n;
    for (size_t k = 0; k < n; k++)
      if (!links[k].done && links[k].cost < INFINITY && (best == n || links[k].cost < links[best].cost)) best = k;
    if (best == n) break;
    links[best].done = true;
    reached++;
    if (vec3_dot(points->normal[best], points->normal[links[best].from]) < 0) points->normal[best] = vec3_scale(points->normal[best], -1);
    for (int k = 0; k < NEIGHBOURS; k++) offer(points, (uint32_t)best, near[best].near[k], links);
  }
  *missed = 0;
  for (size_t k = 0; k < n; k++)
    if (!links[k].done) *missed = k;
  return reached;
}

/* ── all ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status check(const geo_points *points, scr_error *error)
{
  double flat = 0;
  scr_vec3 first = points->normal[0];
  for (size_t k = 0; k < points->count; k++) flat = fmax(flat, vec3_length(vec3_cross(first, points->normal[k])));
  if (flat > 1e-3) return SCR_OK;
  return scr_fail(error, SCR_BAD_FILE, NULL, "all %zu points lie in one plane, across (%.3g, %.3g, %.3g): a body has points all around it",
                  points->count, first.x, first.y, first.z);
}

static scr_status make_normals(geo_points *points, neighbourhood *near, link *links, scr_error *error)
{
  size_t n = points->count, missed;
  for (size_t k = 0; k < n; k++) {
    find_neighbours(points, k, &near[k]);
    points->normal[k] = normal_at(points, k, &near[k]);
    points->area[k] = M_PI * near[k].square[NEIGHBOURS - 1] / (NEIGHBOURS + 0.5); /* the disc of the farthest holds about so many */
    points->spacing += sqrt(near[k].square[0]) / (double)n;
  }
  SCR_TRY(check(points, error));
  size_t reached = turn_outward(points, near, links, &missed);
  if (reached == n) return SCR_OK;
  scr_vec3 at = points->point[missed];
  return scr_fail(error, SCR_BAD_FILE, NULL,
                  "the cloud lies in parts that no neighbours join: from its highest point %zu of %zu points can be reached, the point at "
                  "(%.6g, %.6g, %.6g) for example "
                  "not; give one body per file, without stray points",
                  reached, n, at.x, at.y, at.z);
}

scr_status geo_points_normals(geo_points *points, scr_error *error)
{
  size_t n = points->count;
  if (n < GEO_POINTS_LEAST || n > GEO_POINTS_MOST)
    return scr_fail(error, SCR_BAD_FILE, NULL, "normals of %zu points were asked for; %d to %d are possible", n, GEO_POINTS_LEAST,
                    GEO_POINTS_MOST);
  neighbourhood *near = mem_array(n, sizeof *near);
  link *links = mem_array(n, sizeof *links);
  points->normal = mem_array(n, sizeof *points->normal);
  points->area = mem_array(n, sizeof *points->area);
  bool memory = near && links && points->normal && points->area;
  scr_status status =
      memory ? make_normals(points, near, links, error) : scr_fail_memory(error, "the neighbours of points", n * sizeof *near);
  mem_free(near);
  mem_free(links);
  return status;
}
