/* Rows of H of contacts of fibres with each other and with parts. */
#include "methods/fibre/contact/rows.h"

#include <math.h>
#include <string.h>

#include "methods/fibre/contact/bodies.h"

enum { D = 3, B = ROD_UNKNOWNS, SIDES = 2 };

fibre_side fibre_side_of(const fibre_state *s, const fibre_touch *t, bool other)
{
  const fibre_point *p = other ? &t->b : &t->a;
  const fibre *f = &s->fibres[p->fibre];
  fibre_side o = {.node = {f->first + p->edge, f->first + (p->edge + 1) % f->nodes}, .weight = {1 - p->share, p->share}};
  scr_vec3 arm = vec3_scale(t->normal, other ? f->contact_radius : -f->contact_radius);
  o.tangent = s->frames.tangent[f->first + p->edge];
  o.spin = vec3_cross(o.tangent, arm);
  if (t->part == FIBRE_NO_PART || s->bodies.of[t->part] == FIBRE_NO_BODY) return o;
  scr_vec3 edge = vec3_sub(rod_position(s->place, (uint32_t)o.node[1]), rod_position(s->place, (uint32_t)o.node[0]));
  o.tilt = vec3_scale(arm, 1 / vec3_length(edge));
  return o;
}

double fibre_side_entry(const fibre_side *side, int node, int unknown, scr_vec3 axis)
{
  const double along[3] = {axis.x, axis.y, axis.z}, tilt[3] = {side->tilt.x, side->tilt.y, side->tilt.z};
  if (unknown < ROD_TWIST) return side->weight[node] * along[unknown] + (node ? -1 : 1) * vec3_dot(side->tangent, axis) * tilt[unknown];
  return node == 0 ? vec3_dot(side->spin, axis) : 0;
}

fibre_body *fibre_body_at(fibre_state *s, const fibre_touch *t)
{
  int32_t number = t->part == FIBRE_NO_PART ? FIBRE_NO_BODY : s->bodies.of[t->part];
  return number == FIBRE_NO_BODY ? NULL : &s->bodies.body[number];
}

static int sides_of(const fibre_touch *t)
{
  return t->part == FIBRE_NO_PART ? SIDES : 1;
}

scr_vec3 fibre_part_velocity(const fibre_state *s, const fibre_touch *t, double dt)
{
  if (t->part == FIBRE_NO_PART || s->bodies.of[t->part] != FIBRE_NO_BODY) return vec3(0, 0, 0);
  return vec3_scale(part_displacement_at(&s->displacement[t->part], vec3_sub(t->place, s->before[t->part].pose.position)), 1 / dt);
}

const fibre_surface *fibre_surface_at(const fibre_state *s, const fibre_touch *t)
{
  uint32_t a = s->fibres[t->a.fibre].material,
           b = t->part == FIBRE_NO_PART ? s->fibres[t->b.fibre].material : (uint32_t)s->scene->material_count;
  return scr_scene_surface(s->scene, a, b);
}

/* Adds one side's entries on a rod from `at` on. @param offset [3] receives what held unknowns do    @return the next free entry */
static size_t add_rod_side(fibre_state *s, const fibre_touch *t, bool other, size_t at, double *offset)
{
  fibre_problem *p = &s->problem;
  fibre_side o = fibre_side_of(s, t, other);
  const scr_vec3 axis[D] = {t->normal, t->t1, t->t2};
  double sign = other ? -1 : 1;
  for (int node = 0; node < 2; node++) {
    double *h = p->jacobian + at * B * D;
    bool any = false;
    memset(h, 0, B * D * sizeof *h);
    for (int k = 0; k < B; k++)
      for (int row = 0; row < D; row++) {
        size_t u = B * o.node[node] + (size_t)k;
        double value = sign * fibre_side_entry(&o, node, k, axis[row]);
        if (s->held[u]) {
          offset[row] += value * s->velocity[u];
          continue;
        }
        h[k * D + row] = value;
        any = any || value != 0;
      }
    if (any) p->block[at++] = p->block_of[o.node[node]];
  }
  return at;
}

/* Blocks of a super-helix up to the strains of the element that a node, or the edge behind it, lies in: others do not move it. */
static size_t blocks_up_to(const fibre_state *s, const fibre *f, size_t node)
{
  const helix h = fibre_helix(s, f);
  uint32_t point = (uint32_t)(node - f->first - f->begin), e = helix_element_of_node(&h, point);
  return (HELIX_STRAINS * ((size_t)e + 1) + B - 1) / B;
}

/* The same on a super-helix, whose points move with its strains and drift. @param have  entries that its other side, where it touches
 * itself, has from `at` on: both act on the same blocks */
static size_t add_helix_side(fibre_state *s, const fibre_touch *t, bool other, size_t at, size_t have, double *offset)
{
  fibre_problem *p = &s->problem;
  uint32_t number = other ? t->b.fibre : t->a.fibre;
  const fibre *f = &s->fibres[number];
  fibre_side o = fibre_side_of(s, t, other);
  const scr_vec3 axis[D] = {t->normal, t->t1, t->t2};
  size_t stride = fibre_helix_stride(f), blocks = blocks_up_to(s, f, o.node[1]);
  double sign = other ? -1 : 1, *h = p->jacobian + at * B * D;
  for (size_t k = have; k < blocks; k++) {
    memset(h + k * B * D, 0, B * D * sizeof *h);
    p->block[at + k] = p->block_of[f->first] + (uint32_t)k;
  }
  for (int node = 0; node < 2; node++)
    for (int k = 0; k < B; k++) {
      size_t u = B * o.node[node] + (size_t)k;
      const double *move = p->moves + p->moves_first[number] + (u - B * ((size_t)f->first + f->begin)) * stride;
      for (int row = 0; row < D; row++) {
        double value = sign * fibre_side_entry(&o, node, k, axis[row]);
        offset[row] += value * (s->held[u] ? s->velocity[u] : p->drift[u]);
        for (size_t x = 0; x < blocks * B && value != 0 && !s->held[u]; x++) h[x * D + (size_t)row] += value * move[x];
      }
    }
  return at + (have > blocks ? have : blocks);
}

static bool is_on_helix(const fibre_state *s, const fibre_touch *t, bool other)
{
  return s->fibres[other ? t->b.fibre : t->a.fibre].elements > 0;
}

bool fibre_can_move(const fibre_state *s, const fibre_touch *t)
{
  if (t->part != FIBRE_NO_PART && s->bodies.of[t->part] != FIBRE_NO_BODY) return true;
  for (int k = 0; k < sides_of(t); k++) {
    fibre_side o = fibre_side_of(s, t, k > 0);
    for (int node = 0; node < 2; node++)
      for (size_t c = 0; c < D; c++)
        if (o.weight[node] > 0 && !s->held[B * o.node[node] + c]) return true;
  }
  return false;
}

void fibre_rows_add(fibre_state *s, size_t i, double dt)
{
  fibre_problem *p = &s->problem;
  const fibre_touch *t = &s->detection.touch[i];
  double *w = p->offset + i * D;
  scr_vec3 driven = fibre_part_velocity(s, t, dt);
  size_t entries = p->first[i];
  w[0] = fmax(t->gap, 0) / dt - vec3_dot(driven, t->normal), w[1] = -vec3_dot(driven, t->t1), w[2] = -vec3_dot(driven, t->t2);
  for (int k = 0; k < sides_of(t); k++) {
    size_t have = k > 0 && t->b.fibre == t->a.fibre ? entries - p->first[i] : 0;
    entries = is_on_helix(s, t, k > 0) ? add_helix_side(s, t, k > 0, entries - have, have, w) : add_rod_side(s, t, k > 0, entries, w);
  }
  const scr_vec3 axis[D] = {t->normal, t->t1, t->t2};
  if (fibre_body_at(s, t)) entries = fibre_body_add_rows(s, fibre_body_at(s, t), t->place, axis, -1, entries);
  p->first[i + 1] = entries;
  for (int row = 0; row < D; row++) {
    double *a = p->axes + (i * D + (size_t)row) * D;
    a[0] = axis[row].x, a[1] = axis[row].y, a[2] = axis[row].z;
  }
  p->friction[i] = fibre_surface_at(s, t)->friction_coefficient;
  p->key[i] = t->key;
}

void fibre_rows_follow(fibre_state *s, double dt)
{
  for (size_t i = 0; i < s->detection.count && s->element_count > 0; i++) {
    const fibre_touch *t = &s->detection.touch[i];
    for (int k = 0; k < sides_of(t); k++)
      if (is_on_helix(s, t, k > 0)) {
        fibre_rows_add(s, i, dt);
        break;
      }
  }
}

scr_vec3 fibre_rows_impulse(const fibre_state *s, size_t i)
{
  const fibre_touch *t = &s->detection.touch[i];
  const double *r = s->problem.impulse + D * i;
  return vec3_add(vec3_scale(t->normal, r[0] - s->problem.hold[i]), vec3_add(vec3_scale(t->t1, r[1]), vec3_scale(t->t2, r[2])));
}

/* Adds what an impulse in the world pushes the points of a side with. */
static void press_side(fibre_state *s, const fibre_touch *t, bool other, scr_vec3 impulse, double dt)
{
  fibre_side o = fibre_side_of(s, t, other);
  for (int node = 0; node < 2; node++)
    for (int k = 0; k < B; k++)
      s->problem.pressed[B * o.node[node] + (size_t)k] += (other ? -1 : 1) * fibre_side_entry(&o, node, k, impulse) / dt;
}

void fibre_rows_press(fibre_state *s, double dt)
{
  if (s->element_count == 0) return;
  memset(s->problem.pressed, 0, s->unknown_count * sizeof *s->problem.pressed);
  for (size_t i = 0; i < s->detection.count; i++) {
    const fibre_touch *t = &s->detection.touch[i];
    scr_vec3 impulse = fibre_rows_impulse(s, i);
    for (int k = 0; k < sides_of(t); k++)
      if (is_on_helix(s, t, k > 0)) press_side(s, t, k > 0, impulse, dt);
  }
}
