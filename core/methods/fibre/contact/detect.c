/* The search for touches. */
#include "methods/fibre/contact/detect.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/segment.h"
#include "methods/fibre/state/state.h"

void fibre_set_tangents(scr_vec3 n, scr_vec3 *t1, scr_vec3 *t2)
{
  double sign = copysign(1, n.z), a = -1 / (sign + n.z), b = n.x * n.y * a;
  *t1 = vec3(1 + sign * n.x * n.x * a, sign * b, -sign * n.x);
  *t2 = vec3(b, sign + n.y * n.y * a, -n.y);
}

static bool add(fibre_touches *list, const fibre_touch *touch)
{
  if (!mem_grow(&list->touch, &list->capacity, list->count + 1, sizeof *list->touch)) return false;
  fibre_touch *added = &list->touch[list->count++];
  *added = *touch;
  fibre_set_tangents(added->normal, &added->t1, &added->t2);
  return true;
}

/* The node where an edge ends: a ring's last edge ends at its first node. */
static uint32_t node_after(const fibre *f, uint32_t edge)
{
  return edge + 1 < f->nodes ? edge + 1 : 0;
}

static scr_vec3 node_of(const double *place, const fibre *f, uint32_t node)
{
  return rod_position(place, f->first + (node < f->nodes ? node : node - f->nodes));
}

static scr_vec3 node_at(const fibre_state *s, const fibre *f, uint32_t node)
{
  return node_of(s->place, f, node);
}

scr_vec3 fibre_place_at(const fibre_state *s, const double *place, fibre_point p)
{
  const fibre *f = &s->fibres[p.fibre];
  scr_vec3 a = rod_position(place, f->first + p.edge), b = rod_position(place, f->first + node_after(f, p.edge));
  return vec3_add(a, vec3_scale(vec3_sub(b, a), p.share));
}

static bool node_is_held(const fibre_state *s, const fibre *f, uint32_t node)
{
  const bool *held = s->held + ROD_UNKNOWNS * (size_t)(f->first + node % f->nodes);
  return held[0] && held[1] && held[2];
}

/* Edges of the fibre itself that may touch: those of clamps don't. */
static bool is_own_edge(const fibre *f, uint32_t edge)
{
  return edge >= f->begin && (f->ring || edge + 1 < f->end);
}

static double fastest(const fibre_state *s, const fibre *f, uint32_t edge)
{
  scr_vec3 a = rod_position(s->velocity, f->first + edge), b = rod_position(s->velocity, f->first + node_after(f, edge));
  return fmax(vec3_length(a), vec3_length(b));
}

/* ── fibres ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Whether a point of an edge is where the fibre comes nearest, `toward` pointing from it to the other. */
static bool owns(const double *place, const fibre *f, uint32_t edge, double share, scr_vec3 toward)
{
  if (share >= 1) return !f->ring && edge + 2 >= f->end; /* else the next edge has it */
  if (share > 0 || (!f->ring && edge <= f->begin)) return true;
  const double rounding = 1e-9; /* cosine: of fibres alongside each other or across at nodes, whose points nobody would have else */
  scr_vec3 back = vec3_sub(node_of(place, f, edge ? edge - 1 : f->nodes - 1), node_of(place, f, edge));
  return vec3_dot(back, toward) <= rounding * vec3_length(back) * vec3_length(toward);
}

static bool are_neighbours(const fibre *f, uint32_t a, uint32_t b)
{
  uint32_t apart = a > b ? a - b : b - a;
  return apart <= 1 || (f->ring && apart + 1 >= f->edges);
}

static bool is_immovable(const fibre_state *s, const fibre *f, uint32_t edge)
{
  return node_is_held(s, f, edge) && node_is_held(s, f, edge + 1);
}

/* Whether middles are so near that the edges may be. */
static bool are_near(const fibre_detection *d, uint32_t i, uint32_t j, double far)
{
  double x = d->middle[0][i] - d->middle[0][j], y = d->middle[1][i] - d->middle[1][j], z = d->middle[2][i] - d->middle[2][j],
         reach = d->half[i] + d->half[j] + far;
  return x * x + y * y + z * z < reach * reach;
}

/* Where two edges are nearer than their neighbours are. */
typedef struct nearness {
  fibre_point a, b;
  scr_vec3 apart; /* m, from b to a */
  double distance;
  uint64_t number;
} nearness;

/* @param i, j  numbers among all nodes    @param near  receives whether the edges are nearer than `far` anywhere    @return how many, 0 to
 * 2
 */
static int find_nearest(const fibre_state *s, const double *place, uint32_t i, uint32_t j, double far, nearness found[2], bool *near)
{
  uint32_t of_i = s->detection.owner[i], of_j = s->detection.owner[j];
  const fibre *f = &s->fibres[of_i], *g = &s->fibres[of_j];
  uint32_t a = i - f->first, b = j - g->first;
  geo_segment_pair pair[2];
  scr_vec3 x = node_of(place, f, a), u = vec3_sub(node_of(place, f, a + 1), x), y = node_of(place, g, b),
           v = vec3_sub(node_of(place, g, b + 1), y);
  int kept = 0;
  *near = false;
  for (int k = 0, count = geo_segment_stretch(x, u, y, v, pair); k < count; k++) {
    scr_vec3 apart = vec3_sub(vec3_add(x, vec3_scale(u, pair[k].s)), vec3_add(y, vec3_scale(v, pair[k].t)));
    double distance = vec3_length(apart);
    if (!(distance < far) || !(distance > 0)) continue;
    *near = true;
    if (!owns(place, f, a, pair[k].s, vec3_scale(apart, -1)) || !owns(place, g, b, pair[k].t, apart)) continue;
    found[kept++] = (nearness){{of_i, a, pair[k].s}, {of_j, b, pair[k].t}, apart, distance, (uint64_t)k};
  }
  return kept;
}

/* A touch of two points of edges i and j, `along` apart in the direction of the normal as the step begins. */
static fibre_touch touch_at(const fibre_state *s, const double *place, const nearness *at, scr_vec3 normal, double gap)
{
  fibre_touch touch = {.a = at->a, .b = at->b, .part = FIBRE_NO_PART, .gap = gap, .normal = normal};
  const fibre *f = &s->fibres[at->a.fibre], *g = &s->fibres[at->b.fibre];
  touch.place = vec3_add(fibre_place_at(s, place, at->b), vec3_scale(normal, g->contact_radius));
  touch.key = (contact_key){(uint64_t)(f->first + at->a.edge) << 32 | (g->first + at->b.edge), at->number};
  return touch;
}

/* Numbers of two edges of fibres, ids among all nodes, j > i. @return false: no memory */
static bool try_edges(const fibre_state *s, uint32_t i, uint32_t j, double reach, double dt, fibre_touches *list)
{
  const fibre_detection *d = &s->detection;
  const fibre *f = &s->fibres[d->owner[i]], *g = &s->fibres[d->owner[j]];
  uint32_t a = i - f->first, b = j - g->first;
  double thick = f->contact_radius + g->contact_radius, far = fmin(reach, thick + s->margin + dt * (d->speed[i] + d->speed[j]));
  if (!are_near(d, i, j, far) || (f == g && are_neighbours(f, a, b))) return true;
  if (is_immovable(s, f, a) && is_immovable(s, g, b)) return true;
  nearness found[2];
  bool near;
  int count = find_nearest(s, s->place, i, j, far, found, &near);
  if (!near) return true;
  if (!mem_grow(&list->pair, &list->pair_capacity, list->pair_count + 1, sizeof *list->pair)) return false;
  list->pair[list->pair_count][0] = i, list->pair[list->pair_count++][1] = j;
  for (int k = 0; k < count; k++) {
    fibre_touch touch = touch_at(s, s->place, &found[k], vec3_scale(found[k].apart, 1 / found[k].distance), found[k].distance - thick);
    if (!add(list, &touch)) return false;
  }
  return true;
}

int fibre_touches_beside(const fibre_state *s, contact_key key, size_t found[FIBRE_BESIDE])
{
  static const int beside[9][2] = {{0, 0}, {0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
  const fibre_detection *d = &s->detection;
  int count = 0;
  for (int k = 0; k < 9; k++) {
    uint64_t edge = (key.first >> 32) + (uint64_t)beside[k][0], other = (key.first & UINT32_MAX) + (uint64_t)beside[k][1];
    uint64_t wanted = edge << 32 | other;
    size_t low = 0, high = d->sorted;
    while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (d->touch[middle].key.first < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    for (; low < d->sorted && d->touch[low].key.first == wanted && count < FIBRE_BESIDE; low++)
      if (d->touch[low].part == FIBRE_NO_PART) found[count++] = low;
  }
  return count;
}

/* How far apart fibres may come at a place, m: to half of FIBRE_SINK, or as near as they were beside it. */
static double least_apart(const fibre_state *s, const fibre_touch *t, double thick, double unit)
{
  size_t beside[FIBRE_BESIDE];
  double least = thick - 0.5 * FIBRE_SINK * unit;
  for (int k = 0, count = fibre_touches_beside(s, t->key, beside); k < count; k++)
    least = fmin(least, thick + s->detection.touch[beside[k]].gap);
  return least;
}

/* Adds where two edges sink into each other. @return false: no memory */
static bool try_sinking(const fibre_state *s, const double *end, const uint32_t pair[2], double left, uint64_t round, fibre_touches *list)
{
  const double rounding = 1e-4; /* radii: what an overlap that there was may grow by */
  nearness found[2];
  bool near;
  for (int k = 0, count = find_nearest(s, end, pair[0], pair[1], INFINITY, found, &near); k < count; k++) {
    const fibre *f = &s->fibres[found[k].a.fibre], *g = &s->fibres[found[k].b.fibre];
    double thick = f->contact_radius + g->contact_radius, unit = fmin(f->contact_radius, g->contact_radius);
    if (found[k].distance > thick - FIBRE_SINK * unit) continue;
    scr_vec3 normal = vec3_scale(found[k].apart, 1 / found[k].distance),
             begun = vec3_sub(fibre_place_at(s, s->base_place, found[k].a), fibre_place_at(s, s->base_place, found[k].b));
    found[k].number += 2 + 2 * round;
    fibre_touch touch = touch_at(s, s->base_place, &found[k], normal, vec3_dot(begun, normal));
    double least = fmin(touch.gap, least_apart(s, &touch, thick, unit));
    if (found[k].distance > least - fmax(rounding * unit, left)) continue;
    touch.gap -= least;
    if (!add(list, &touch)) return false;
  }
  return true;
}

static bool grow(fibre_detection *d, size_t n)
{
  for (int k = 0; k < 3; k++)
    if (!mem_grow(&d->middle[k], &d->edge_capacity[k], n, sizeof *d->middle[k])) return false;
  return mem_grow(&d->owner, &d->edge_capacity[3], n, sizeof *d->owner) && mem_grow(&d->half, &d->edge_capacity[4], n, sizeof *d->half) &&
         mem_grow(&d->speed, &d->edge_capacity[5], n, sizeof *d->speed);
}

/* Middles of all edges by the number of the node where they begin, one past the scene's where there is none; @return how far apart
 * middles of edges that may touch are at most */
static double lay_middles(fibre_state *s, double dt)
{
  fibre_detection *d = &s->detection;
  double longest = 0, thickest = 0, speed = 0;
  d->edges = 0;
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre *f = &s->fibres[k];
    for (uint32_t e = 0; e < f->nodes; e++) d->owner[f->first + e] = (uint32_t)k;
    for (uint32_t e = 0; e < f->edges; e++) {
      if (!is_own_edge(f, e)) continue;
      scr_vec3 a = node_at(s, f, e), b = node_at(s, f, e + 1), m = vec3_scale(vec3_add(a, b), 0.5);
      d->middle[0][f->first + e] = m.x, d->middle[1][f->first + e] = m.y, d->middle[2][f->first + e] = m.z;
      s->edge_ids[d->edges++] = f->first + e;
      d->half[f->first + e] = 0.5 * vec3_length(vec3_sub(b, a));
      d->speed[f->first + e] = fastest(s, f, e);
      longest = fmax(longest, 2 * d->half[f->first + e]);
      thickest = fmax(thickest, f->contact_radius);
      speed = fmax(speed, d->speed[f->first + e]);
    }
  }
  return longest + 2 * thickest + s->margin + fmin(2 * dt * speed, longest);
}

static scr_status search_fibres(fibre_state *s, double dt, scr_execution execution, scr_error *error)
{
  fibre_detection *d = &s->detection;
  if (!grow(d, s->node_count)) return scr_fail_memory(error, "edges", s->node_count * 28);
  double side = lay_middles(s, dt);
  SCR_TRY(geo_cells_build(&d->cells, (const double *[]){d->middle[0], d->middle[1], d->middle[2]}, s->edge_ids, d->edges, side, execution,
                          error));
  bool memory = true;
#pragma omp parallel for num_threads(execution.threads) schedule(static) reduction(&& : memory) if (execution.threads > 1)
  for (size_t part = 0; part < FIBRE_SEARCHES; part++)
    for (size_t k = part * d->edges / FIBRE_SEARCHES; memory && k < (part + 1) * d->edges / FIBRE_SEARCHES; k++) {
      uint32_t i = s->edge_ids[k], run[9][2];
      for (int r = 0, runs = geo_cells_around(&d->cells, d->middle[0][i], d->middle[1][i], d->middle[2][i], run); r < runs; r++)
        for (uint32_t at = run[r][0]; at < run[r][1]; at++)
          if (d->cells.item[at] > i) memory = try_edges(s, i, d->cells.item[at], side, dt, &d->list[part]) && memory;
    }
  return memory ? SCR_OK : scr_fail_memory(error, "contacts", s->node_count * sizeof(fibre_touch));
}

/* ── parts ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A part at the start of the step. */
typedef struct obstacle {
  const scr_part *form;
  const part_motion *at;
  int32_t number;
} obstacle;

static scr_part_distance distance_of(const obstacle *o, scr_vec3 point)
{
  return scr_part_distance_posed(o->form, &o->at->pose, point);
}

/* @param second 1: of the two ends of a stretch along one edge the farther, else 0 */
static bool touch_part(const fibre_state *s, const obstacle *o, fibre_point point, unsigned second, scr_part_distance from,
                       fibre_touches *list)
{
  const fibre *f = &s->fibres[point.fibre];
  fibre_touch touch = {.a = point, .part = o->number, .gap = from.distance - f->contact_radius, .normal = from.normal};
  scr_vec3 p = fibre_place_at(s, s->place, point);
  touch.place = vec3_sub(p, vec3_scale(from.normal, from.distance));
  uint64_t place = point.share > 0 && point.share < 1 ? 1 + 2 * second : point.share >= 1 ? 2 : 0;
  touch.key = (contact_key){(uint64_t)(f->first + point.edge) << 32 | 0xffffffffu, (uint64_t)o->number << 2 | place};
  return add(list, &touch);
}

/* The point of an edge nearest to a part whose distance is convex along it, by golden sections. */
static double nearest_share(const obstacle *o, scr_vec3 a, scr_vec3 u)
{
  const double golden = 0.6180339887498949;
  double low = 0, high = 1, s = high - golden, t = golden, at_s = distance_of(o, vec3_add(a, vec3_scale(u, s))).distance,
         at_t = distance_of(o, vec3_add(a, vec3_scale(u, t))).distance;
  for (int k = 0; k < 40; k++) {
    if (at_s < at_t) {
      high = t, t = s, at_t = at_s, s = high - golden * (high - low);
      at_s = distance_of(o, vec3_add(a, vec3_scale(u, s))).distance;
    } else {
      low = s, s = t, at_s = at_t, t = low + golden * (high - low);
      at_t = distance_of(o, vec3_add(a, vec3_scale(u, t))).distance;
    }
  }
  return 0.5 * (low + high);
}

/* Whether a part may touch an edge along a stretch: it has flat faces, or straight lines. */
static bool has_stretches(const scr_part *form)
{
  return form->kind == SCR_PART_CYLINDER || (form->kind == SCR_PART_SOLID && form->solid.kind != GEO_PLACED_SPHERE);
}

/* How far along an edge, from `share` towards its node at `end`, a part pushes in the direction that it does at `share`: to where its face
 * ends. */
static double stretch_end(const obstacle *o, scr_vec3 a, scr_vec3 u, double share, double end)
{
  const double same = 1 - 1e-9; /* cosine: to 5e-5 rad */
  scr_vec3 normal = distance_of(o, vec3_add(a, vec3_scale(u, share))).normal;
  double in = share, out = share + 0.02 * (end > share ? 1 : -1);
  if ((out - end) * (end - share) >= 0) return end;
  if (vec3_dot(normal, distance_of(o, vec3_add(a, vec3_scale(u, out))).normal) < same) return share;
  in = out, out = end;
  if (vec3_dot(normal, distance_of(o, vec3_add(a, vec3_scale(u, out))).normal) >= same) return end;
  for (int k = 0; k < 40; k++) {
    double middle = 0.5 * (in + out);
    if (vec3_dot(normal, distance_of(o, vec3_add(a, vec3_scale(u, middle))).normal) >= same)
      in = middle;
    else
      out = middle;
  }
  return in;
}

/* Whether the part holds the node, and moves freely: the end of a fibre touches nothing of what it is joined to. */
static bool node_is_joined(const fibre_state *s, const fibre *f, uint32_t node, const obstacle *o)
{
  return o->form->is_free && s->node_holder[f->first + node % f->nodes] == o->number;
}

/* Whether an impulse between a node and a part moves either. */
static bool can_push(const fibre_state *s, const fibre *f, uint32_t node, const obstacle *o)
{
  return !node_is_joined(s, f, node, o) && (o->form->is_free || !node_is_held(s, f, node));
}

/* Between the nodes of an edge: where a part is nearest, if that is nearer than at both, and where its face ends, if the edge runs along
 * it.
 * @return false: no memory */
static bool try_between(const fibre_state *s, const obstacle *o, fibre_point edge, scr_vec3 a, scr_vec3 u, double at_nodes, double far,
                        fibre_touches *list)
{
  double share = nearest_share(o, a, u), low = share, high = share;
  if (has_stretches(o->form)) low = stretch_end(o, a, u, share, 0), high = stretch_end(o, a, u, share, 1);
  bool stretch = high - low > 0.02;
  const double ends[2] = {low, high};
  for (unsigned i = 0; i < (stretch ? 2u : 1u); i++) {
    edge.share = ends[i];
    if (ends[i] < 0.02 || ends[i] > 0.98) continue;
    scr_part_distance at = distance_of(o, vec3_add(a, vec3_scale(u, ends[i])));
    if (!(at.distance < far) || (!stretch && !(at.distance < at_nodes - 1e-6 * vec3_length(u)))) continue;
    if (!touch_part(s, o, edge, i, at, list)) return false;
  }
  return true;
}

/* Nodes near a part, and edges whose middles are nearer than their ends. @return false: no memory */
static bool try_part(const fibre_state *s, uint32_t k, const obstacle *o, double speed, double dt, fibre_touches *list)
{
  const fibre *f = &s->fibres[k];
  for (uint32_t e = f->begin; e < f->edges && is_own_edge(f, e); e++) {
    scr_vec3 a = node_at(s, f, e), b = node_at(s, f, e + 1), u = vec3_sub(b, a);
    double far = f->contact_radius + s->margin + dt * (fastest(s, f, e) + speed), length = vec3_length(u);
    scr_part_distance middle = distance_of(o, vec3_add(a, vec3_scale(u, 0.5)));
    if (!(middle.distance < far + 0.5 * length)) continue;
    scr_part_distance at_a = distance_of(o, a), at_b = distance_of(o, b);
    if (at_a.distance < far && can_push(s, f, e, o)) {
      if (!touch_part(s, o, (fibre_point){k, e, 0}, 0, at_a, list)) return false;
    }
    bool last = !f->ring && e + 2 == f->end;
    if (last && at_b.distance < far && can_push(s, f, e + 1, o)) {
      if (!touch_part(s, o, (fibre_point){k, e, 1}, 0, at_b, list)) return false;
    }
    if (node_is_joined(s, f, e, o) || node_is_joined(s, f, e + 1, o)) continue;
    if ((is_immovable(s, f, e) && !o->form->is_free) || o->form->kind == SCR_PART_PLANE || o->form->kind == SCR_PART_TROUGH) continue;
    if (!try_between(s, o, (fibre_point){k, e, 0}, a, u, fmin(at_a.distance, at_b.distance), far, list)) return false;
  }
  return true;
}

static scr_status search_part(fibre_state *s, const obstacle *o, double speed, double dt, scr_execution execution, scr_error *error)
{
  bool memory = true;
#pragma omp parallel for num_threads(execution.threads) schedule(static) reduction(&& : memory) if (execution.threads > 1)
  for (size_t part = 0; part < FIBRE_SEARCHES; part++)
    for (size_t k = part * s->fibre_count / FIBRE_SEARCHES; memory && k < (part + 1) * s->fibre_count / FIBRE_SEARCHES; k++)
      memory = try_part(s, (uint32_t)k, o, speed, dt, &s->detection.list[part]) && memory;
  return memory ? SCR_OK : scr_fail_memory(error, "contacts", s->node_count * sizeof(fibre_touch));
}

/* All lists behind what there is. */
static scr_status gather(fibre_detection *d, scr_error *error)
{
  size_t count = d->count;
  for (int part = 0; part < FIBRE_SEARCHES; part++) count += d->list[part].count;
  if (!mem_grow(&d->touch, &d->capacity, count, sizeof *d->touch)) return scr_fail_memory(error, "contacts", count * sizeof *d->touch);
  for (int part = 0; part < FIBRE_SEARCHES; part++) {
    if (d->list[part].count > 0) memcpy(d->touch + d->count, d->list[part].touch, d->list[part].count * sizeof *d->touch);
    d->count += d->list[part].count;
  }
  return SCR_OK;
}

static int by_key(const void *x, const void *y)
{
  const fibre_touch *a = x, *b = y;
  if (a->key.first != b->key.first) return a->key.first < b->key.first ? -1 : 1;
  return (a->key.second > b->key.second) - (a->key.second < b->key.second);
}

scr_status fibre_detect(fibre_state *s, const sim_parts *parts, const double *speed, double dt, scr_execution execution, scr_error *error)
{
  s->detection.count = 0;
  for (int part = 0; part < FIBRE_SEARCHES; part++) s->detection.list[part].count = s->detection.list[part].pair_count = 0;
  if (s->options->fibre_contact) SCR_TRY(search_fibres(s, dt, execution, error));
  for (size_t p = 0; p < parts->count; p++) {
    if (parts->form[p].kind == SCR_PART_GRIP) continue;
    obstacle o = {&parts->form[p], &s->before[p], (int32_t)p};
    SCR_TRY(search_part(s, &o, speed[p], dt, execution, error));
  }
  SCR_TRY(gather(&s->detection, error));
  if (s->detection.count > 1) qsort(s->detection.touch, s->detection.count, sizeof *s->detection.touch, by_key);
  return SCR_OK;
}

/* Of the pairs that one part of the search found. @return false: no memory */
static bool search_sinking(const fibre_state *s, const double *end, double left, uint64_t round, fibre_touches *list)
{
  list->count = 0;
  for (size_t k = 0; k < list->pair_count; k++) {
    const uint32_t *pair = list->pair[k], *owner = s->detection.owner;
    if (s->touched[owner[pair[0]]] && s->touched[owner[pair[1]]] && !try_sinking(s, end, pair, left, round, list)) return false;
  }
  return true;
}

scr_status fibre_detect_sinking(fibre_state *s, const double *end, double left, uint64_t round, scr_execution execution, scr_error *error)
{
  bool memory = true;
#pragma omp parallel for num_threads(execution.threads) schedule(static) reduction(&& : memory) if (execution.threads > 1)
  for (size_t part = 0; part < FIBRE_SEARCHES; part++) memory = search_sinking(s, end, left, round, &s->detection.list[part]) && memory;
  return memory ? gather(&s->detection, error) : scr_fail_memory(error, "contacts", s->node_count * sizeof(fibre_touch));
}

void fibre_detection_clear(fibre_detection *d)
{
  mem_free(d->touch);
  for (int part = 0; part < FIBRE_SEARCHES; part++) mem_free(d->list[part].touch), mem_free(d->list[part].pair);
  mem_free(d->half), mem_free(d->speed);
  geo_cells_clear(&d->cells);
  for (int k = 0; k < 3; k++) mem_free(d->middle[k]);
  mem_free(d->owner);
  *d = (fibre_detection){0};
}
