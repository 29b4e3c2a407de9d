/* Forces on strains, masses of pairs of strains and second derivatives of work, from the tip to the root; how points move. */
#include <string.h>

#include "methods/fibre/helix/element.h"

/* Axis in the frame of an element that a strain turns about, and its sense. */
static const int turned_axis[HELIX_STRAINS] = {2, 1, 0};
static const double sense[HELIX_STRAINS] = {1, -1, 1};

/* How an element's end moves with its own strains, and so all that lies beyond: d r = move + turn x (r - root). */
typedef struct rigid {
  scr_vec3 move[HELIX_STRAINS], turn[HELIX_STRAINS];
} rigid;

/* Sums over what lies beyond an element; places are from the root. */
typedef struct beyond {
  double mass;
  scr_vec3 first, second[3]; /* sum m r, m r_i r */
  scr_vec3 turning[3];       /* of edges, sum J a_i a by their axes */
  scr_vec3 force, torque;    /* sum g, r x g and g a of edges */
  scr_vec3 lever[3];         /* sum r_i g */
} beyond;

/* What one element's strains move: its own points and all beyond. */
typedef struct moved {
  scr_vec3 momentum[HELIX_STRAINS], spin[HELIX_STRAINS]; /* sum m d, m r x d and what turns about edges */
  scr_vec3 bend[HELIX_STRAINS];                          /* sum d x g */
  double mass[HELIX_STRAINS][HELIX_STRAINS], curve[HELIX_STRAINS][HELIX_STRAINS], slope[HELIX_STRAINS];
} moved;

/* A pass over one fibre. */
typedef struct pass {
  const helix *h;
  const helix_strain *strain;
  const helix_chain *chain;
  const double *place;
  const helix_work *work;
  bool matrix; /* is asked for */
} pass;

static double component(scr_vec3 v, int i)
{
  return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

static scr_vec3 rows_times(const scr_vec3 row[3], scr_vec3 v)
{
  return vec3(vec3_dot(row[0], v), vec3_dot(row[1], v), vec3_dot(row[2], v));
}

static double trace(const scr_vec3 row[3])
{
  return row[0].x + row[1].y + row[2].z;
}

static scr_vec3 axis_of(int a)
{
  return vec3(a == 0, a == 1, a == 2);
}

/* d place and d rotation of an arc's end by its element's strain a; second derivative of the place. */
static scr_vec3 arc_move(const helix_frame *begin, const helix_arc *arc, int a)
{
  return vec3_scale(helix_to_world(begin, turn_slope(&arc->mean, turned_axis[a], axis_of(0))), sense[a] * arc->along * arc->along);
}
static scr_vec3 arc_turn(const helix_frame *begin, const helix_arc *arc, int a)
{
  return vec3_scale(helix_to_world(begin, turn_apply(&arc->mean, axis_of(turned_axis[a]))), sense[a] * arc->along);
}
static scr_vec3 arc_curve(const helix_frame *begin, const helix_arc *arc, int a, int b)
{
  scr_vec3 local = turn_curve(&arc->mean, turned_axis[a], turned_axis[b], axis_of(0));
  return vec3_scale(helix_to_world(begin, local), sense[a] * sense[b] * arc->along * arc->along * arc->along);
}

static rigid rigid_of(const pass *p, uint32_t e)
{
  helix_arc arc = helix_arc_of(p->strain[e], p->h->length / p->h->elements);
  scr_vec3 end = vec3_sub(p->chain->begin[e + 1].place, p->chain->begin[0].place);
  rigid o;
  for (int a = 0; a < HELIX_STRAINS; a++) {
    o.turn[a] = arc_turn(&p->chain->begin[e], &arc, a);
    o.move[a] = vec3_sub(arc_move(&p->chain->begin[e], &arc, a), vec3_cross(o.turn[a], end));
  }
  return o;
}

/* What lies beyond, moved by the element's strains. */
static void add_beyond(const beyond *s, const rigid *by, moved *o)
{
  for (int a = 0; a < HELIX_STRAINS; a++) {
    scr_vec3 u = by->move[a], w = by->turn[a];
    o->momentum[a] = vec3_add(vec3_scale(u, s->mass), vec3_cross(w, s->first));
    o->spin[a] = vec3_add(vec3_cross(s->first, u), vec3_sub(vec3_scale(w, trace(s->second)), rows_times(s->second, w)));
    o->spin[a] = vec3_add(o->spin[a], rows_times(s->turning, w));
    o->bend[a] = vec3_add(vec3_cross(u, s->force), vec3_sub(rows_times(s->lever, w), vec3_scale(w, trace(s->lever))));
    o->slope[a] = vec3_dot(u, s->force) + vec3_dot(w, s->torque);
  }
  for (int a = 0; a < HELIX_STRAINS; a++)
    for (int b = 0; b < HELIX_STRAINS; b++) o->mass[a][b] = vec3_dot(by->move[a], o->momentum[b]) + vec3_dot(by->turn[a], o->spin[b]);
}

/* Second derivatives of what lies beyond by the element's own strains: its end curves, and its rotation does. */
static void add_curves_beyond(const pass *p, uint32_t e, const beyond *s, moved *o)
{
  const helix_frame *begin = &p->chain->begin[e], *end = begin + 1;
  helix_arc arc = helix_arc_of(p->strain[e], p->h->length / p->h->elements);
  turn_map turn = turn_map_of(TURN_ROTATION, arc.theta, arc.series);
  scr_vec3 arm = vec3_sub(end->place, p->chain->begin[0].place), lever[3];
  for (int k = 0; k < 3; k++) { /* sum of g times what r less the end has along axis k there */
    lever[k] = vec3_scale(s->force, -vec3_dot(end->axis[k], arm));
    for (int i = 0; i < 3; i++) lever[k] = vec3_add(lever[k], vec3_scale(s->lever[i], component(end->axis[k], i)));
  }
  for (int a = 0; a < HELIX_STRAINS; a++)
    for (int b = 0; b <= a; b++) {
      double sum = vec3_dot(s->force, arc_curve(begin, &arc, a, b));
      for (int k = 0; k < 3; k++) {
        scr_vec3 local = turn_curve(&turn, turned_axis[a], turned_axis[b], axis_of(k));
        sum += sense[a] * sense[b] * arc.along * arc.along * vec3_dot(lever[k], helix_to_world(begin, local));
      }
      o->curve[a][b] += sum;
    }
}

/* A node of the element itself: moved by its strains; then it lies beyond the elements before. */
static void add_node(const pass *p, uint32_t e, uint32_t node, moved *o, beyond *s)
{
  const helix_frame *begin = &p->chain->begin[e];
  helix_arc arc = helix_arc_of(p->strain[e], p->h->length / p->h->edges * node - p->h->length / p->h->elements * e);
  const double *g = p->work->load + (size_t)ROD_UNKNOWNS * node;
  double mass = p->work->mass[(size_t)ROD_UNKNOWNS * node];
  scr_vec3 force = vec3(g[0], g[1], g[2]), r = vec3_sub(rod_position(p->place, node), p->chain->begin[0].place), d[HELIX_STRAINS];
  for (int a = 0; a < HELIX_STRAINS; a++) {
    d[a] = arc_move(begin, &arc, a);
    o->slope[a] += vec3_dot(force, d[a]);
    o->momentum[a] = vec3_add(o->momentum[a], vec3_scale(d[a], mass));
    o->spin[a] = vec3_add(o->spin[a], vec3_scale(vec3_cross(r, d[a]), mass));
    o->bend[a] = vec3_add(o->bend[a], vec3_cross(d[a], force));
  }
  for (int a = 0; p->matrix && a < HELIX_STRAINS; a++)
    for (int b = 0; b <= a; b++) {
      o->mass[a][b] += mass * vec3_dot(d[a], d[b]);
      if (p->work->curved) o->curve[a][b] += vec3_dot(force, arc_curve(begin, &arc, a, b));
    }
  s->mass += mass;
  s->first = vec3_add(s->first, vec3_scale(r, mass));
  s->force = vec3_add(s->force, force);
  s->torque = vec3_add(s->torque, vec3_cross(r, force));
  for (int i = 0; i < 3; i++) {
    s->second[i] = vec3_add(s->second[i], vec3_scale(r, mass * component(r, i)));
    s->lever[i] = vec3_add(s->lever[i], vec3_scale(force, component(r, i)));
  }
}

/* The middle of an edge: it turns about its axis. */
static void add_edge(const pass *p, uint32_t e, uint32_t edge, moved *o, beyond *s)
{
  helix_arc arc = helix_arc_of(p->strain[e], p->h->length / p->h->edges * (edge + 0.5) - p->h->length / p->h->elements * e);
  double load = p->work->load[(size_t)ROD_UNKNOWNS * edge + ROD_TWIST], inertia = p->work->mass[(size_t)ROD_UNKNOWNS * edge + ROD_TWIST];
  scr_vec3 axis = p->work->axis[edge];
  double turn[HELIX_STRAINS];
  for (int a = 0; a < HELIX_STRAINS; a++) {
    turn[a] = vec3_dot(axis, arc_turn(&p->chain->begin[e], &arc, a));
    o->slope[a] += load * turn[a];
    o->spin[a] = vec3_add(o->spin[a], vec3_scale(axis, inertia * turn[a]));
  }
  for (int a = 0; a < HELIX_STRAINS; a++)
    for (int b = 0; b <= a; b++) o->mass[a][b] += inertia * turn[a] * turn[b];
  s->torque = vec3_add(s->torque, vec3_scale(axis, load));
  for (int i = 0; i < 3; i++) s->turning[i] = vec3_add(s->turning[i], vec3_scale(axis, inertia * component(axis, i)));
}

/* Rows of an element's strains: with its own, and with those of the elements before, which turn all that they move. */
static void write_rows(const pass *p, uint32_t e, const rigid *by, const moved *o, la_band *matrix)
{
  double factor = p->work->mass_factor;
  for (int b = 0; b < HELIX_STRAINS; b++) {
    size_t row = HELIX_STRAINS * (size_t)e + (size_t)b;
    for (int a = 0; a <= b; a++) *la_band_at(matrix, row, HELIX_STRAINS * (size_t)e + (size_t)a) = factor * o->mass[b][a] + o->curve[b][a];
    for (uint32_t i = 0; i < e; i++)
      for (int a = 0; a < HELIX_STRAINS; a++) {
        double mass = vec3_dot(by[i].move[a], o->momentum[b]) + vec3_dot(by[i].turn[a], o->spin[b]);
        double curve = p->work->curved ? vec3_dot(by[i].turn[a], o->bend[b]) : 0;
        *la_band_at(matrix, row, HELIX_STRAINS * (size_t)i + (size_t)a) = factor * mass + curve;
      }
  }
}

void helix_assemble(const helix *h, const helix_strain *strain, const helix_chain *chain, const double *place, const helix_work *work,
                    double *slope, la_band *matrix)
{
  const pass p = {h, strain, chain, place, work, matrix != NULL};
  rigid by[HELIX_ELEMENTS_MAX];
  beyond s = {0};
  uint32_t node = h->edges + 1, edge = h->edges;
  for (uint32_t e = 0; e < h->elements; e++) by[e] = rigid_of(&p, e);
  for (uint32_t e = h->elements; e-- > 0;) {
    moved o = {0};
    add_beyond(&s, &by[e], &o);
    if (matrix && work->curved) add_curves_beyond(&p, e, &s, &o);
    while (node > 0 && helix_element_of_node(h, node - 1) == e) add_node(&p, e, --node, &o, &s);
    while (edge > 0 && helix_element_of_edge(h, edge - 1) == e) add_edge(&p, e, --edge, &o, &s);
    memcpy(slope + (size_t)HELIX_STRAINS * e, o.slope, sizeof o.slope);
    if (matrix) write_rows(&p, e, by, &o, matrix);
  }
}

/* ── points ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Column of a point's numbers: its place by strain a of element e. */
static void write_move(double *moves, size_t stride, uint32_t point, uint32_t e, int a, scr_vec3 d)
{
  double *to = moves + (size_t)ROD_UNKNOWNS * point * stride + (size_t)HELIX_STRAINS * e + (size_t)a;
  to[0] = d.x, to[stride] = d.y, to[2 * stride] = d.z;
}

static void move_node(const pass *p, const rigid *by, uint32_t node, size_t stride, double *moves)
{
  uint32_t own = helix_element_of_node(p->h, node);
  helix_arc arc = helix_arc_of(p->strain[own], p->h->length / p->h->edges * node - p->h->length / p->h->elements * own);
  scr_vec3 r = vec3_sub(rod_position(p->place, node), p->chain->begin[0].place);
  for (int a = 0; a < HELIX_STRAINS; a++) {
    write_move(moves, stride, node, own, a, arc_move(&p->chain->begin[own], &arc, a));
    for (uint32_t e = 0; e < own; e++) write_move(moves, stride, node, e, a, vec3_add(by[e].move[a], vec3_cross(by[e].turn[a], r)));
  }
}

static void move_edge(const pass *p, const rigid *by, uint32_t edge, size_t stride, double *moves)
{
  uint32_t own = helix_element_of_edge(p->h, edge);
  helix_arc arc = helix_arc_of(p->strain[own], p->h->length / p->h->edges * (edge + 0.5) - p->h->length / p->h->elements * own);
  double *to = moves + ((size_t)ROD_UNKNOWNS * edge + ROD_TWIST) * stride;
  for (int a = 0; a < HELIX_STRAINS; a++) {
    to[(size_t)HELIX_STRAINS * own + (size_t)a] = vec3_dot(p->work->axis[edge], arc_turn(&p->chain->begin[own], &arc, a));
    for (uint32_t e = 0; e < own; e++) to[(size_t)HELIX_STRAINS * e + (size_t)a] = vec3_dot(p->work->axis[edge], by[e].turn[a]);
  }
}

void helix_moves(const helix *h, const helix_strain *strain, const helix_chain *chain, const double *place, const scr_vec3 *axis,
                 size_t stride, double *moves)
{
  const helix_work work = {.axis = axis};
  const pass p = {h, strain, chain, place, &work, false};
  rigid by[HELIX_ELEMENTS_MAX];
  memset(moves, 0, (size_t)ROD_UNKNOWNS * (h->edges + 1) * stride * sizeof *moves);
  for (uint32_t e = 0; e < h->elements; e++) by[e] = rigid_of(&p, e);
  for (uint32_t k = 0; k <= h->edges; k++) move_node(&p, by, k, stride, moves);
  for (uint32_t k = 0; k < h->edges; k++) move_edge(&p, by, k, stride, moves);
}
