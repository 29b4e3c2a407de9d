/* Edges and faces of the surface against parts; sharp edges against each other. */
#include "methods/fem/dynamics/touch_edges.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { SAMPLES = 8, NARROWINGS = 30, FACE_SAMPLES = 4, FACE_STEPS = 60 };
static const double deeper = 1e-7;     /* of the band: what a point between nodes must be nearer than they are */
static const double end_margin = 1e-2; /* of an edge: nearer to a node, the node stands for the edge */
static const double least_sine = 0.05; /* between crossing edges */
static const double cone_slack = 0.05; /* sine: how far the normal may lean out of what the two faces of an edge leave it */

/* ── against parts ──────────────────────────────────────────────────────────────────────────────────────────────── */

/* A part as it is at the start or the end of the step, and nodes then. */
typedef struct view {
  const fem_system *system;
  const double *displacement;
  const scr_part *form;
  const scr_pose *pose;
  double band;
} view;

static scr_vec3 node_at(const fem_system *system, const double *displacement, uint32_t node)
{
  const double *x = system->rest + 3 * (size_t)node, *u = displacement + 3 * (size_t)node;
  return vec3(x[0] + u[0], x[1] + u[1], x[2] + u[2]);
}

static double distance_at(const view *v, scr_vec3 point)
{
  return scr_part_distance_posed(v->form, v->pose, point).distance;
}

static scr_vec3 between(scr_vec3 a, scr_vec3 b, double s)
{
  return vec3_add(vec3_scale(a, 1 - s), vec3_scale(b, s));
}

/* The nearest point of an edge; where some are as near (a flat top below it) their middle. @return its distance; *s in 0 ... 1 */
static double nearest_of_edge(const view *v, scr_vec3 a, scr_vec3 b, double *s)
{
  double d[SAMPLES + 1], least = INFINITY, low, high;
  int first = 0, last = 0;
  for (int k = 0; k <= SAMPLES; k++) {
    d[k] = distance_at(v, between(a, b, (double)k / SAMPLES));
    if (d[k] < least - deeper * v->band) least = d[k], first = k;
    if (d[k] < least + deeper * v->band) last = k;
  }
  low = fmax(first - 1, 0) / SAMPLES, high = fmin(last + 1, SAMPLES) / SAMPLES;
  if (last > first) { /* flat: narrow the middle of what is as near from both sides */
    *s = 0.5 * (first + last) / SAMPLES;
    return least;
  }
  for (int k = 0; k < NARROWINGS; k++) { /* golden section would save a third; thirds stay exact where both sides are alike */
    double left = low + (high - low) / 3, right = high - (high - low) / 3;
    double there = distance_at(v, between(a, b, left)), here = distance_at(v, between(a, b, right));
    if (there <= here) high = right;
    if (here <= there) low = left;
  }
  *s = 0.5 * (low + high);
  return distance_at(v, between(a, b, *s));
}

static scr_vec3 face_point(const scr_vec3 x[4], double s, double t)
{
  return between(between(x[0], x[1], s), between(x[3], x[2], s), t);
}

/* The nearest point of a face by ever smaller steps from the best of some. @return its distance */
static double nearest_of_face(const view *v, const scr_vec3 x[4], double place[2])
{
  double least = INFINITY, step = 0.5 / FACE_SAMPLES;
  for (int i = 1; i < 2 * FACE_SAMPLES; i += 2)
    for (int k = 1; k < 2 * FACE_SAMPLES; k += 2) {
      double s = 0.5 * i / FACE_SAMPLES, t = 0.5 * k / FACE_SAMPLES, d = distance_at(v, face_point(x, s, t));
      if (d < least) least = d, place[0] = s, place[1] = t;
    }
  for (int k = 0; k < FACE_STEPS && step > 1e-6; k++) {
    double best[2] = {place[0], place[1]}, was = least;
    for (int direction = 0; direction < 4; direction++) {
      double s = fmin(fmax(place[0] + (direction == 0   ? step
                                       : direction == 1 ? -step
                                                        : 0),
                           0),
                      1),
             t = fmin(fmax(place[1] + (direction == 2   ? step
                                       : direction == 3 ? -step
                                                        : 0),
                           0),
                      1);
      double d = distance_at(v, face_point(x, s, t));
      if (d < least) least = d, best[0] = s, best[1] = t;
    }
    memcpy(place, best, sizeof best);
    if (!(least < was)) step *= 0.5;
  }
  return least;
}

/* Whether any of `count` points, all of which lie within `size` of the first, can be nearer than the band at the end of the step, or go
 * through the part in it. */
static bool may_touch(const fem_contact_space *space, const fem_touch_search *search, size_t p, uint32_t node, double size)
{
  scr_vec3 now = node_at(space->system, search->displacement, node), before = node_at(space->system, search->before, node);
  double gone = vec3_length(vec3_sub(now, before)) +
                part_travel(&search->parts->form[p], &search->start[p], &search->end[p], search->parts->form[p].extent);
  return !scr_part_is_far_posed(&search->parts->form[p], &search->end[p].pose, now, space->band + size + gone);
}

/* What the distance of any point of an edge is at least, by those of its ends: it changes by no more than the way along the edge. */
static double least_of_edge(const view *v, scr_vec3 a, scr_vec3 b)
{
  return 0.5 * (distance_at(v, a) + distance_at(v, b) - vec3_length(vec3_sub(b, a)));
}

/* The same of a face, by its middle. */
static double least_of_face(const view *v, const scr_vec3 x[4])
{
  scr_vec3 middle = face_point(x, 0.5, 0.5);
  double radius = 0;
  for (int k = 0; k < 4; k++) radius = fmax(radius, vec3_length(vec3_sub(x[k], middle)));
  return distance_at(v, middle) - radius;
}

/* Farthest that a point of an edge and the part's surface come nearer to each other in the step, m. */
static double approach_of_edge(const fem_contact_space *space, const fem_touch_search *search, size_t p, const fem_edge *edge)
{
  double gone = 0;
  for (int k = 0; k < 2; k++)
    gone = fmax(gone, vec3_length(vec3_sub(node_at(space->system, search->displacement, edge->node[k]),
                                           node_at(space->system, search->before, edge->node[k]))));
  return gone + part_travel(&search->parts->form[p], &search->start[p], &search->end[p], search->parts->form[p].extent);
}

static double view_edge(const view *v, const fem_edge *edge, double *s)
{
  return nearest_of_edge(v, node_at(v->system, v->displacement, edge->node[0]), node_at(v->system, v->displacement, edge->node[1]), s);
}

static fem_site edge_site(const fem_contact_space *space, uint32_t e, double s)
{
  const fem_edge *edge = &space->edges->item[e];
  return (fem_site){
      .number = (uint32_t)space->system->node_count + e, .count = 2, .node = {edge->node[0], edge->node[1]}, .share = {1 - s, s}};
}

/* The nearest point of an edge, as it is at the end or, where that goes through the part on its way, as it was at the start. */
static scr_status touch_edge(const fem_contact_space *space, const fem_touch_search *search, size_t p, uint32_t e, fem_touches *touches,
                             scr_error *error)
{
  const fem_edge *edge = &space->edges->item[e];
  const view end = {space->system, search->displacement, &search->parts->form[p], &search->end[p].pose, space->band};
  const view start = {space->system, search->before, end.form, &search->start[p].pose, space->band};
  scr_vec3 a = node_at(space->system, search->displacement, edge->node[0]), b = node_at(space->system, search->displacement, edge->node[1]);
  /* What goes through the part in the step comes at least as near to where it will be as it goes. */
  if (least_of_edge(&end, a, b) > space->band + 2 * approach_of_edge(space, search, p, edge)) return SCR_OK;
  double s, ends = fmin(distance_at(&end, a), distance_at(&end, b)), nearest = view_edge(&end, edge, &s);
  size_t found = touches->count;
  if (nearest < space->band && nearest < ends - deeper * space->band && s > end_margin && s < 1 - end_margin) {
    const fem_site site = edge_site(space, e, s);
    SCR_TRY(fem_touch_part(space, search, p, &site, touches, error));
  }
  if (touches->count > found || search->displacement == search->before) return SCR_OK;
  view_edge(&start, edge, &s);
  scr_part_distance from;
  scr_vec3 before =
      between(node_at(space->system, search->before, edge->node[0]), node_at(space->system, search->before, edge->node[1]), s);
  scr_vec3 now =
      between(node_at(space->system, search->displacement, edge->node[0]), node_at(space->system, search->displacement, edge->node[1]), s);
  if (s < end_margin || s > 1 - end_margin ||
      !fem_passes_through(end.form, &search->start[p], &search->end[p], before, now, deeper * space->band, &from))
    return SCR_OK;
  const fem_site site = edge_site(space, e, s);
  return fem_touch_part(space, search, p, &site, touches, error);
}

static scr_status touch_face(const fem_contact_space *space, const fem_touch_search *search, size_t p, const uint32_t face[4],
                             uint32_t number, fem_touches *touches, scr_error *error)
{
  const view end = {space->system, search->displacement, &search->parts->form[p], &search->end[p].pose, space->band};
  scr_vec3 x[4];
  double rim = INFINITY, place[2], s;
  for (int k = 0; k < 4; k++) x[k] = node_at(space->system, search->displacement, face[k]);
  if (!(least_of_face(&end, x) < space->band)) return SCR_OK;
  double nearest = nearest_of_face(&end, x, place);
  if (!(nearest < space->band)) return SCR_OK;
  for (int k = 0; k < 4; k++) rim = fmin(rim, nearest_of_edge(&end, x[k], x[(k + 1) % 4], &s));
  if (!(nearest < rim - deeper * space->band)) return SCR_OK;
  fem_site site = {.number = number,
                   .count = 4,
                   .share = {(1 - place[0]) * (1 - place[1]), place[0] * (1 - place[1]), place[0] * place[1], (1 - place[0]) * place[1]}};
  memcpy(site.node, face, sizeof site.node);
  return fem_touch_part(space, search, p, &site, touches, error);
}

/* Edges and faces of body b against part p. */
static scr_status find_on_part(const fem_contact_space *space, const fem_touch_search *search, size_t b, size_t p, fem_touches *touches,
                               scr_error *error)
{
  const fem_edges *edges = space->edges;
  const geo_hexes_surface *surface = &space->surfaces[b];
  uint32_t faces = (uint32_t)(space->system->node_count + edges->first[space->system->body_count] + edges->first_face[b]);
  double size = edges->length[b];
  for (size_t e = edges->first[b]; e < edges->first[b + 1]; e++)
    if (may_touch(space, search, p, edges->item[e].node[0], 1.5 * size)) SCR_TRY(touch_edge(space, search, p, (uint32_t)e, touches, error));
  for (uint32_t f = 0; f < surface->face_count; f++)
    if (may_touch(space, search, p, surface->face[f][0], 2 * size))
      SCR_TRY(touch_face(space, search, p, surface->face[f], faces + f, touches, error));
  return SCR_OK;
}

/* The same points of edges and faces, where they are now. */
static scr_status keep_sites(const fem_contact_space *space, const fem_touch_search *search, fem_touches *touches, scr_error *error)
{
  for (size_t k = 0; k < search->former->count; k++) {
    const fem_touch *touch = &search->former->item[k];
    if (touch->site < space->system->node_count || touch->partner >= search->parts->count) continue;
    fem_site site = {.number = touch->site, .count = touch->node_count};
    memcpy(site.node, touch->node, sizeof site.node);
    memcpy(site.share, touch->share, sizeof site.share);
    SCR_TRY(fem_touch_part(space, search, touch->partner, &site, touches, error));
  }
  return SCR_OK;
}

/* ── against each other ─────────────────────────────────────────────────────────────────────────────────────────── */

fem_crossing fem_cross_edges(const scr_vec3 a[2], const scr_vec3 b[2])
{
  fem_crossing c = {.crossed = false};
  scr_vec3 u = vec3_sub(a[1], a[0]), v = vec3_sub(b[1], b[0]), w = vec3_sub(b[0], a[0]), n = vec3_cross(u, v);
  double uu = vec3_dot(u, u), vv = vec3_dot(v, v), uv = vec3_dot(u, v), det = vec3_dot(n, n), length = sqrt(det);
  if (!(length > least_sine * sqrt(uu * vv))) return c;
  double uw = vec3_dot(u, w), vw = vec3_dot(v, w), s = (vv * uw - uv * vw) / det, t = (uv * uw - uu * vw) / det;
  c.crossed = true;
  c.share[0][0] = 1 - s, c.share[0][1] = s, c.share[1][0] = 1 - t, c.share[1][1] = t;
  c.normal[0] = n.x / length, c.normal[1] = n.y / length, c.normal[2] = n.z / length;
  return c;
}

/* What crosses: an edge, its body, where its ends are. */
typedef struct line {
  const fem_edge *edge;
  size_t body;
  scr_vec3 x[2];
} line;

static line line_at(const fem_contact_space *space, const double *displacement, size_t body, size_t e)
{
  const fem_edge *edge = &space->edges->item[e];
  return (line){edge, body, {node_at(space->system, displacement, edge->node[0]), node_at(space->system, displacement, edge->node[1])}};
}

/* Whether a body may be pushed along -n at this edge: n leads out of it between its two faces. */
static bool leads_out(const fem_contact_space *space, const double *displacement, const line *l, scr_vec3 n)
{
  for (int k = 0; k < 2; k++) {
    const uint32_t *face = space->surfaces[l->body].face[l->edge->face[k]];
    scr_vec3 centre = vec3(0, 0, 0), along = vec3_sub(l->x[1], l->x[0]);
    for (int i = 0; i < 4; i++) centre = vec3_add(centre, vec3_scale(node_at(space->system, displacement, face[i]), 0.25));
    scr_vec3 in = vec3_sub(centre, l->x[0]);
    in = vec3_sub(in, vec3_scale(along, vec3_dot(in, along) / vec3_dot(along, along)));
    if (vec3_dot(in, n) > cone_slack * vec3_length(in)) return false;
  }
  return true;
}

/* Whether the lines are nearest between their ends. */
static bool within(const fem_crossing *c)
{
  return c->crossed && c->share[0][0] >= 0 && c->share[0][1] >= 0 && c->share[1][0] >= 0 && c->share[1][1] >= 0;
}

/* The crossing of two edges with its normal out of b, where both bodies allow that. @return the gap, m; NAN: none */
static double cross(const fem_contact_space *space, const double *displacement, const line *a, const line *b, fem_crossing *c)
{
  *c = fem_cross_edges(a->x, b->x);
  if (!within(c)) return NAN;
  scr_vec3 n = vec3(c->normal[0], c->normal[1], c->normal[2]), back = vec3_scale(n, -1);
  bool up = leads_out(space, displacement, b, n) && leads_out(space, displacement, a, back);
  if (!up && !(leads_out(space, displacement, b, back) && leads_out(space, displacement, a, n))) return NAN;
  if (!up) n = back;
  c->normal[0] = n.x, c->normal[1] = n.y, c->normal[2] = n.z;
  return vec3_dot(n, vec3_sub(between(a->x[0], a->x[1], c->share[0][1]), between(b->x[0], b->x[1], c->share[1][1])));
}

/* Two edges where they are nearest to each other. */
typedef struct met_edges {
  const line *a, *b;
  const fem_crossing *at;
  double gap, floor; /* m */
} met_edges;

static scr_status add_crossing(const fem_contact_space *space, const fem_touch_search *search, const met_edges *met, fem_touches *touches,
                               scr_error *error)
{
  const line *a = met->a, *b = met->b;
  const fem_crossing *c = met->at;
  const fem_system *system = space->system;
  SCR_TRY(mem_reserve(&touches->item, &touches->capacity, touches->count + 1, sizeof *touches->item, "contacts", error));
  fem_touch *touch = &touches->item[touches->count++];
  *touch = (fem_touch){.site = (uint32_t)(system->node_count + (size_t)(a->edge - space->edges->item)),
                       .other = (uint32_t)(b->edge - space->edges->item)};
  touch->partner = (uint32_t)(search->parts->count + b->body);
  touch->node_count = 4;
  for (int k = 0; k < 2; k++) {
    touch->node[k] = a->edge->node[k], touch->share[k] = c->share[0][k];
    touch->node[2 + k] = b->edge->node[k], touch->share[2 + k] = -c->share[1][k];
  }
  memcpy(touch->axis[0], c->normal, sizeof c->normal);
  fem_touch_tangents(touch);
  touch->gap = met->gap;
  touch->floor = met->floor;
  touch->point = between(b->x[0], b->x[1], c->share[1][1]);
  touch->friction = space->friction[a->body * (system->body_count + 1) + b->body];
  return SCR_OK;
}

/* How deep edges may lie in each other and still be known for which side they are on: half of the thinnest element there. */
static double known_depth(const fem_contact_space *space, const line *l)
{
  const double *thickness = space->edges->thickness + space->edges->first_face[l->body];
  return 0.5 * fmin(thickness[l->edge->face[0]], thickness[l->edge->face[1]]);
}

/* Two edges at the end of the step; where they are too deep in each other for that, or have passed, by the moment at which they crossed. */
static scr_status touch_edges(const fem_contact_space *space, const fem_touch_search *search, size_t bodies[2], size_t e, size_t f,
                              fem_touches *touches, scr_error *error)
{
  const line a = line_at(space, search->displacement, bodies[0], e), b = line_at(space, search->displacement, bodies[1], f);
  fem_crossing now, then;
  double gap = cross(space, search->displacement, &a, &b, &now), depth = fmin(known_depth(space, &a), known_depth(space, &b));
  const line c = line_at(space, search->before, bodies[0], e), d = line_at(space, search->before, bodies[1], f);
  double before = cross(space, search->before, &c, &d, &then);
  if (gap < space->band && gap > -depth) {
    const met_edges met = {&a, &b, &now, gap, isnan(before) ? 0 : fmin(fmax(before, -depth), 0)};
    return add_crossing(space, search, &met, touches, error);
  }
  if (!(before >= -1e-6 * space->band)) return SCR_OK;
  scr_vec3 n = vec3(then.normal[0], then.normal[1], then.normal[2]);
  double end = vec3_dot(n, vec3_sub(between(a.x[0], a.x[1], then.share[0][1]), between(b.x[0], b.x[1], then.share[1][1])));
  if (end >= 0) return SCR_OK;
  double t = before > 0 ? before / (before - end) : 0;
  line at[2] = {a, b};
  for (int k = 0; k < 2; k++) at[0].x[k] = between(c.x[k], a.x[k], t), at[1].x[k] = between(d.x[k], b.x[k], t);
  fem_crossing crossing = fem_cross_edges(at[0].x, at[1].x);
  if (!within(&crossing)) return SCR_OK;
  memcpy(crossing.normal, then.normal, sizeof then.normal);
  end = vec3_dot(n, vec3_sub(between(a.x[0], a.x[1], crossing.share[0][1]), between(b.x[0], b.x[1], crossing.share[1][1])));
  const met_edges met = {&a, &b, &crossing, end, 0};
  return end < 0 ? add_crossing(space, search, &met, touches, error) : SCR_OK;
}

/* The box around an edge, over the whole step. */
static geo_box swept(const fem_contact_space *space, const fem_touch_search *search, const fem_edge *edge)
{
  geo_box box = geo_box_empty();
  for (int k = 0; k < 2; k++) {
    scr_vec3 x = node_at(space->system, search->displacement, edge->node[k]), y = node_at(space->system, search->before, edge->node[k]);
    box = geo_box_join(box, geo_box_join((geo_box){x, x}, (geo_box){y, y}));
  }
  return box;
}

static scr_status find_between(const fem_contact_space *space, const fem_touch_search *search, size_t bodies[2], const geo_box *box,
                               fem_touches *touches, scr_error *error)
{
  const fem_edges *edges = space->edges;
  for (size_t e = edges->first[bodies[0]]; e < edges->first[bodies[0] + 1]; e++) {
    if (!edges->item[e].sharp) continue;
    geo_box own = swept(space, search, &edges->item[e]);
    if (!geo_box_near(&own, &box[bodies[1]], space->band)) continue;
    for (size_t f = edges->first[bodies[1]]; f < edges->first[bodies[1] + 1]; f++) {
      if (!edges->item[f].sharp) continue;
      geo_box other = swept(space, search, &edges->item[f]);
      if (geo_box_near(&own, &other, space->band)) SCR_TRY(touch_edges(space, search, bodies, e, f, touches, error));
    }
  }
  return SCR_OK;
}

/* The same crossings, where they are now. */
static scr_status keep_crossings(const fem_contact_space *space, const fem_touch_search *search, fem_touches *touches, scr_error *error)
{
  const fem_system *system = space->system;
  for (size_t k = 0; k < search->former->count; k++) {
    const fem_touch *was = &search->former->item[k];
    if (was->site < system->node_count || was->partner < search->parts->count) continue;
    const line a = line_at(space, search->displacement, system->body_of_node[was->node[0]], was->site - system->node_count);
    const line b = line_at(space, search->displacement, was->partner - search->parts->count, was->other);
    fem_crossing c = fem_cross_edges(a.x, b.x);
    if (!c.crossed) continue;
    double side = c.normal[0] * was->axis[0][0] + c.normal[1] * was->axis[0][1] + c.normal[2] * was->axis[0][2];
    for (int i = 0; i < 3 && side < 0; i++) c.normal[i] = -c.normal[i];
    for (int i = 0; i < 2; i++) c.share[0][i] = was->share[i], c.share[1][i] = -was->share[2 + i];
    double gap = vec3_dot(vec3(c.normal[0], c.normal[1], c.normal[2]),
                          vec3_sub(between(a.x[0], a.x[1], c.share[0][1]), between(b.x[0], b.x[1], c.share[1][1])));
    const met_edges met = {&a, &b, &c, gap, was->floor};
    SCR_TRY(add_crossing(space, search, &met, touches, error));
  }
  return SCR_OK;
}

static scr_status find_crossings(const fem_contact_space *space, const fem_touch_search *search, fem_touches *touches, scr_error *error)
{
  size_t bodies = space->system->body_count;
  geo_box *box = mem_array(bodies, sizeof *box);
  scr_status status = SCR_OK;
  if (!box) return scr_fail_memory(error, "boxes of bodies", bodies * sizeof *box);
  for (size_t b = 0; b < bodies; b++) {
    box[b] = geo_box_empty();
    for (size_t e = space->edges->first[b]; e < space->edges->first[b + 1]; e++)
      if (space->edges->item[e].sharp) box[b] = geo_box_join(box[b], swept(space, search, &space->edges->item[e]));
  }
  for (size_t a = 0; a < bodies && status == SCR_OK; a++)
    for (size_t b = a + 1; b < bodies && status == SCR_OK; b++)
      if (geo_box_near(&box[a], &box[b], space->band)) status = find_between(space, search, (size_t[]){a, b}, box, touches, error);
  mem_free(box);
  return status;
}

scr_status fem_find_edges(const fem_contact_space *space, const fem_touch_search *search, fem_touches *touches, scr_error *error)
{
  bool keep = search->settled && search->former, touch = space->bodies && space->system->body_count > 1;
  if (keep) {
    SCR_TRY(keep_sites(space, search, touches, error));
    return touch ? keep_crossings(space, search, touches, error) : SCR_OK;
  }
  for (size_t p = 0; p < search->parts->count; p++) {
    scr_part_kind kind = search->parts->form[p].kind;
    for (size_t b = 0; b < space->system->body_count && kind != SCR_PART_GRIP && kind != SCR_PART_PLANE; b++)
      SCR_TRY(find_on_part(space, search, b, p, touches, error));
  }
  return touch ? find_crossings(space, search, touches, error) : SCR_OK;
}
