/* Contacts of crowds. */
#include "methods/fibre/scene/crowd.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/quat.h"
#include "geometry/search/cells.h"
#include "geometry/segment.h"
#include "methods/fibre/state/state.h"

enum { TIMES = 16 /* of a run that are looked at */, QUERIES = 4096 /* edges that are asked for their partners */ };

/* ── nodes ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A point of an arc of natural curvature from `start` on, `along` it at s, curved towards a direction at an angle about its beginning. */
static scr_vec3 arc(scr_vec3 start, scr_vec3 along, double curvature, double angle, double s)
{
  scr_vec3 u, v;
  fibre_set_tangents(along, &u, &v);
  scr_vec3 aside = vec3_add(vec3_scale(u, cos(angle)), vec3_scale(v, sin(angle)));
  return vec3_add(start,
                  vec3_add(vec3_scale(along, sin(curvature * s) / curvature), vec3_scale(aside, (1 - cos(curvature * s)) / curvature)));
}

static void add_fibre(fibre_crowd *c, size_t k, const scr_specimen *specimen, const fibre_layout *layout, size_t number, scr_vec3 position)
{
  const double golden = 2.399963229728653; /* rad: what turns each from the one before */
  const fibre_specimen *block = layout->block;
  scr_quat turn = quat_exp(vec3_scale(specimen->rotation_axis, specimen->rotation_angle));
  scr_quat phase = quat_exp(vec3(0, 0, block->random_phase ? golden * c->fibres : 0));
  scr_vec3 start = vec3(0, 0, 0), along = quat_rotate(turn, quat_rotate(phase, fibre_layout_start(layout, number)));
  double edge = fibre_layout_length(layout, number) / (double)block->edges, angle = block->random_phase ? golden * c->fibres : 0;
  for (uint32_t i = 0; i <= block->edges; i++) {
    scr_vec3 at = vec3_add(position, quat_rotate(turn, quat_rotate(phase, fibre_layout_node(layout, number, i))));
    if (i == 0) start = at;
    bool curls = fabs(block->natural_curvature) * edge > 1e-9 && block->form != FIBRE_RING;
    c->curls = c->curls || curls;
    c->node[c->count++] = (crowd_node){.laid = at,
                                       .curled = curls ? arc(start, along, block->natural_curvature, angle, edge * i) : at,
                                       .fibre = c->fibres,
                                       .specimen = (uint32_t)k,
                                       .last = i == block->edges};
  }
  c->fibres++;
}

scr_status fibre_crowd_add(fibre_crowd *c, const scr_scene *scene, size_t k, const fibre_layout *layout)
{
  const scr_specimen *specimen = &scene->specimens[k];
  size_t fibres = specimen->position_count * fibre_layout_count(layout), nodes = fibres * (size_t)(layout->block->edges + 1);
  SCR_TRY(mem_reserve(&c->node, &c->capacity, c->count + nodes, sizeof *c->node, "fibres", NULL));
  for (size_t p = 0; p < specimen->position_count; p++)
    for (size_t i = 0; i < fibre_layout_count(layout); i++) add_fibre(c, k, specimen, layout, i, specimen->positions[p]);
  return SCR_OK;
}

void fibre_crowd_clear(fibre_crowd *c)
{
  mem_free(c->node);
  *c = (fibre_crowd){0};
}

/* ── fibres on fibres ────────────────────────────────────────────────────────────────────────────────────────────── */

/* The box that flat parts leave of that around all fibres: places go with it. */
typedef struct pressing {
  double low[3], from[3]; /* m, lowest corners of the box around all and of what is left */
  double share[3];        /* sides of what is left over those of all */
} pressing;

/* Edges by their middles. */
typedef struct edges {
  const fibre_crowd *crowd;
  const pressing *box;
  bool curled;
  double *middle[3]; /* [crowd count] */
  uint32_t *number;  /* [count] nodes where edges begin */
  size_t count;
  double longest; /* m */
  geo_cells cells;
} edges;

static scr_vec3 place(const edges *e, size_t node)
{
  scr_vec3 at = e->curled ? e->crowd->node[node].curled : e->crowd->node[node].laid;
  const pressing *r = e->box;
  return vec3(r->from[0] + r->share[0] * (at.x - r->low[0]), r->from[1] + r->share[1] * (at.y - r->low[1]),
              r->from[2] + r->share[2] * (at.z - r->low[2]));
}

static double radius_of(const scr_scene *scene, const crowd_node *node)
{
  return fibre_contact_radius(&scene->specimens[node->specimen], scr_scene_specimen(scene, node->specimen));
}

static bool lay_edges(edges *e)
{
  size_t n = e->crowd->count;
  bool memory = (e->number = mem_array(n, sizeof *e->number)) != NULL;
  for (int k = 0; k < 3; k++) memory = (e->middle[k] = mem_array(n, sizeof **e->middle)) && memory;
  for (size_t i = 0; memory && i < n; i++) {
    if (e->crowd->node[i].last) continue;
    scr_vec3 a = place(e, i), b = place(e, i + 1);
    e->middle[0][i] = 0.5 * (a.x + b.x), e->middle[1][i] = 0.5 * (a.y + b.y), e->middle[2][i] = 0.5 * (a.z + b.z);
    e->number[e->count++] = (uint32_t)i;
    e->longest = fmax(e->longest, vec3_length(vec3_sub(b, a)));
  }
  return memory;
}

/* Whether the edge before comes nearer at a share 0 of an edge, `toward` pointing to the other. */
static bool is_nearer_before(const edges *e, size_t i, scr_vec3 toward)
{
  const crowd_node *node = e->crowd->node;
  if (i == 0 || node[i - 1].last) return false;
  return vec3_dot(vec3_sub(place(e, i - 1), place(e, i)), toward) > 0;
}

/* Points at which two edges touch, each counted once. */
static int touches_of(const edges *e, size_t i, size_t j, double near)
{
  geo_segment_pair pair[2];
  const crowd_node *node = e->crowd->node;
  int found = 0;
  scr_vec3 a = place(e, i), u = vec3_sub(place(e, i + 1), a), b = place(e, j), v = vec3_sub(place(e, j + 1), b);
  for (int k = 0, count = geo_segment_stretch(a, u, b, v, pair); k < count; k++) {
    scr_vec3 apart = vec3_sub(vec3_add(a, vec3_scale(u, pair[k].s)), vec3_add(b, vec3_scale(v, pair[k].t)));
    bool next = (pair[k].s >= 1 && !node[i + 1].last) || (pair[k].t >= 1 && !node[j + 1].last); /* which counts it */
    if (next || vec3_dot(apart, apart) > near * near) continue;
    if (pair[k].s <= 0 && is_nearer_before(e, i, vec3_scale(apart, -1))) continue;
    found += pair[k].t > 0 || !is_nearer_before(e, j, apart);
  }
  return found;
}

/* Of one edge with all others that are no neighbours of it. Parts of one fibre that are laid a diameter apart are drawn together, as knots
 * are; a fibre that curls in a plane would lie in itself. */
static int touches_at(const edges *e, const scr_scene *scene, size_t i, double reach)
{
  uint32_t run[9][2];
  const crowd_node *node = e->crowd->node;
  double radius = radius_of(scene, &node[i]);
  int found = 0;
  for (int r = 0, runs = geo_cells_around(&e->cells, e->middle[0][i], e->middle[1][i], e->middle[2][i], run); r < runs; r++)
    for (uint32_t at = run[r][0]; at < run[r][1]; at++) {
      size_t j = e->cells.item[at];
      bool itself = node[i].fibre == node[j].fibre;
      if (itself && (e->curled || (i > j ? i - j : j - i) <= 1)) continue;
      found += touches_of(e, i, j, radius + radius_of(scene, &node[j]) + (itself ? fmax(reach, 2 * radius) : reach));
    }
  return found;
}

/* @param reach  m, gaps that count */
static scr_status count_touches(const fibre_crowd *c, const scr_scene *scene, const pressing *box, bool curled, double reach,
                                double *touches)
{
  edges e = {.crowd = c, .box = box, .curled = curled};
  double thickest = 0, sum = 0;
  scr_status status = lay_edges(&e) ? SCR_OK : SCR_NO_MEMORY;
  for (size_t k = 0; k < scene->specimen_count; k++)
    thickest = fmax(thickest, 2 * fibre_contact_radius(&scene->specimens[k], scr_scene_specimen(scene, k)));
  *touches = 0;
  if (status == SCR_OK && e.count > 0) {
    const double *const at[3] = {e.middle[0], e.middle[1], e.middle[2]};
    size_t stride = e.count / QUERIES + 1;
    status = geo_cells_build(&e.cells, at, e.number, e.count, e.longest + 2 * thickest + reach, execution_of(1), NULL);
    for (size_t k = 0; status == SCR_OK && k < e.count; k += stride) sum += touches_at(&e, scene, e.number[k], reach);
    *touches = 0.5 * sum * (double)stride; /* both ways round */
  }
  geo_cells_clear(&e.cells);
  mem_free(e.number);
  for (int k = 0; k < 3; k++) mem_free(e.middle[k]);
  return status == SCR_NO_MEMORY ? status : SCR_OK; /* what lies nowhere is refused elsewhere */
}

static pressing pressed_box(const fibre_crowd *c, const scr_part *parts, size_t count, double time)
{
  const double least = 1e-3;
  double high[3] = {-INFINITY, -INFINITY, -INFINITY};
  pressing box = {.low = {INFINITY, INFINITY, INFINITY}};
  for (size_t i = 0; i < c->count; i++) {
    const double at[3] = {c->node[i].laid.x, c->node[i].laid.y, c->node[i].laid.z};
    for (int k = 0; k < 3; k++) box.low[k] = fmin(box.low[k], at[k]), high[k] = fmax(high[k], at[k]);
  }
  for (int k = 0; k < 3; k++) {
    double from = box.low[k], to = high[k];
    for (size_t p = 0; p < count; p++) {
      if (parts[p].kind != SCR_PART_PLANE) continue;
      scr_vec3 at = scr_part_position(&parts[p], time), n = parts[p].normal;
      const double normal[3] = {n.x, n.y, n.z}, face[3] = {at.x, at.y, at.z};
      if (normal[k] > 0.9) from = fmax(from, face[k]);
      if (normal[k] < -0.9) to = fmin(to, face[k]);
    }
    double side = high[k] - box.low[k];
    box.from[k] = from;
    box.share[k] = side > 0 ? fmax((to - from) / side, least) : 1;
  }
  return box;
}

/* ── fibres on parts ─────────────────────────────────────────────────────────────────────────────────────────────── */

/* How far fibres of a specimen have come at a time: with what holds them, or thrown and fallen. */
static scr_vec3 displacement_of(const scr_scene *scene, size_t k, const scr_part *parts, size_t count, double time)
{
  const fibre_specimen *block = scr_scene_specimen(scene, k);
  size_t first = count - scene->rig.obstacle_count;
  for (size_t p = first; p < count && block->held != FIBRE_FREE; p++)
    if (strcmp(scene->rig.obstacles[p - first].name, block->held_by) == 0)
      return vec3_sub(scr_part_position(&parts[p], time), parts[p].start);
  if (block->held != FIBRE_FREE) return vec3(0, 0, 0);
  return vec3_add(vec3_scale(scene->specimens[k].velocity, time), vec3_scale(scene->rig.gravity, 0.5 * time * time));
}

/* Nodes that are laid at a part, or have come to it by then, and the edges between them: added to what they are and to what they take,
 * which is half as much on flat parts. */
static void add_touches_of_parts(const fibre_crowd *c, const scr_scene *scene, const scr_part *parts, size_t count, double time,
                                 double reach, crowd_touches *sum)
{
  double flat = 0, curved = 0;
  size_t stride = c->count / QUERIES + 1;
  for (size_t p = 0; p < count; p++) {
    scr_pose pose = scr_part_pose(&parts[p], time), begun = scr_part_pose(&parts[p], 0);
    if (parts[p].kind == SCR_PART_GRIP || parts[p].is_free) continue;
    for (size_t i = 0; i < c->count; i += stride) {
      scr_vec3 at = c->node[i].laid, displacement = displacement_of(scene, c->node[i].specimen, parts, count, time);
      double far = radius_of(scene, &c->node[i]) + reach;
      bool near = scr_part_distance_posed(&parts[p], &begun, at).distance < far;
      near = near || (vec3_dot(displacement, displacement) > 0 &&
                      scr_part_distance_posed(&parts[p], &pose, vec3_add(at, displacement)).distance < far);
      if (near) *(parts[p].kind == SCR_PART_PLANE ? &flat : &curved) += (double)stride;
    }
  }
  sum->touches += flat + 2 * curved;
  sum->effort += 0.5 * flat + 2 * curved;
}

/* ── all ─────────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* How much nearer two may come in a step, m, by the largest speed at which parts drive what they hold or press, or fibres are thrown. */
static double displacement_in_a_step(const scr_scene *scene, const scr_part *parts, size_t count, double time_step)
{
  double most = 0;
  for (size_t p = 0; p < count; p++) most = fmax(most, scr_part_peak_speed(&parts[p], scene->time.duration, 0));
  for (size_t k = 0; k < scene->specimen_count; k++) most = fmax(most, vec3_length(scene->specimens[k].velocity));
  return most * time_step;
}

static bool are_alike(const pressing *a, const pressing *b)
{
  bool alike = true;
  for (int k = 0; k < 3; k++) alike = alike && a->low[k] == b->low[k] && a->from[k] == b->from[k] && a->share[k] == b->share[k];
  return alike;
}

/* Contacts of fibres with each other, half-way between laid and curled. */
static scr_status own_touches(const fibre_crowd *c, const scr_scene *scene, const pressing *box, double reach, double *touches)
{
  double laid, curled;
  SCR_TRY(count_touches(c, scene, box, false, reach, &laid));
  curled = laid;
  if (c->curls) SCR_TRY(count_touches(c, scene, box, true, reach, &curled));
  *touches = 0.5 * (laid + curled);
  return SCR_OK;
}

scr_status fibre_crowd_touches(const fibre_crowd *c, const scr_scene *scene, double time_step, crowd_touches *touches)
{
  const fibre_options *options = scene->options;
  const double most = 4; /* of a node, with fibres */
  scr_part parts[SCR_PART_LIMIT];
  size_t count = scr_rig_parts(&scene->rig, parts);
  double reach = fibre_margin(scene) + displacement_in_a_step(scene, parts, count, time_step), own = 0;
  pressing before = {.low = {NAN}};
  crowd_touches sum = {0};
  for (int k = 0; k < TIMES; k++) {
    double time = scene->time.duration * (k + 0.5) / TIMES;
    pressing box = pressed_box(c, parts, count, time);
    if (options->fibre_contact && !are_alike(&box, &before)) SCR_TRY(own_touches(c, scene, &box, reach, &own));
    before = box;
    own = fmin(own, most * (double)c->count);
    sum.touches += own;
    sum.effort += own / (box.share[0] * box.share[1] * box.share[2]);
    add_touches_of_parts(c, scene, parts, count, time, fibre_margin(scene), &sum);
  }
  *touches = (crowd_touches){sum.touches / TIMES, fmin(sum.effort / TIMES, 4 * most * (double)c->count)};
  return SCR_OK;
}
