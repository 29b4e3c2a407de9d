/* Fibres laid and placed as a scene says: curves, frames, what is unloaded, masses, what holds ends. */
#include <string.h>

#include "methods/fibre/scene/pattern.h"
#include "methods/fibre/state/state.h"

/* SplitMix64 (Steele, Lea, Flood 2014), as a number in [-1, 1). */
static double draw(uint64_t *state)
{
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

/* Numbers of a fibre's own. */
static uint64_t seed_of(const fibre_state *s, size_t number, uint64_t what)
{
  return ((uint64_t)s->scene->seed + (2 * number + what) * 0xd1342543de82ef95ULL) ^ what;
}

/* ── curves ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void set_place(fibre_state *s, size_t node, scr_vec3 at)
{
  double *q = s->place + ROD_UNKNOWNS * node;
  q[0] = at.x, q[1] = at.y, q[2] = at.z;
}

static scr_vec3 place_of(const fibre_state *s, size_t node)
{
  return rod_position(s->place, (uint32_t)node);
}

/* A clamp's edge lies on in the direction of the fibre's last one. */
static void lay_clamp(fibre_state *s, size_t clamp, size_t held, size_t next)
{
  set_place(s, clamp, vec3_sub(vec3_scale(place_of(s, held), 2), place_of(s, next)));
}

static void lay(fibre_state *s, const fibre *f, const fibre_layout *layout, scr_vec3 position, scr_quat turn)
{
  for (uint32_t i = f->begin; i < f->end; i++)
    set_place(s, f->first + i, vec3_add(position, quat_rotate(turn, fibre_layout_node(layout, f->layout, i - f->begin))));
  if (f->begin > 0) lay_clamp(s, f->first, f->first + 1, f->first + 2);
  if (f->elements > 0) { /* its curve begins as the clamp's edge ends */
    scr_vec3 start = quat_rotate(turn, fibre_layout_start(layout, f->layout));
    double edge = fibre_layout_length(layout, f->layout) / (f->end - 1 - f->begin);
    set_place(s, f->first, vec3_along(place_of(s, f->first + 1), start, -edge));
  }
  if (f->end < f->nodes) lay_clamp(s, f->first + f->end, f->first + f->end - 1, f->first + f->end - 2);
}

/* ── what holds them ─────────────────────────────────────────────────────────────────────────────────────────────── */

static int32_t holder_named(const fibre_state *s, const sim_parts *parts, const char *name)
{
  const scr_rig *rig = &s->scene->rig;
  for (size_t k = 0; k < rig->obstacle_count; k++)
    if (strcmp(rig->obstacles[k].name, name) == 0) return (int32_t)(parts->count - rig->obstacle_count + k);
  return FIBRE_STILL;
}

/* What moves freely holds by joints, in which nothing is known beforehand (contact/joints.h). */
static bool moves_freely(const sim_parts *parts, int32_t holder)
{
  return holder >= 0 && parts->form[holder].is_free;
}

static void hold_node(fibre_state *s, fibre *f, uint32_t node, int32_t holder, grip_mask mask)
{
  f->is_held = true;
  s->node_holder[f->first + node] = holder;
  for (uint32_t k = 0; k < 3; k++)
    if (mask & 1u << k) s->held[ROD_UNKNOWNS * (f->first + node) + k] = true;
}

static void hold_edge(fibre_state *s, const fibre *f, uint32_t edge, int32_t holder, bool joined)
{
  s->edge_holder[f->first + edge] = holder;
  s->held[ROD_UNKNOWNS * (f->first + edge) + ROD_TWIST] = !joined;
}

static void hold_end(fibre_state *s, fibre *f, bool start, int32_t holder, const sim_parts *parts)
{
  bool clamped = start ? f->begin > 0 : f->end < f->nodes, joined = moves_freely(parts, holder);
  grip_mask mask = joined ? 0 : GRIP_ALL;
  uint32_t last = start ? f->begin : f->end - 1;
  hold_node(s, f, last, holder, mask);
  if (!clamped) return;
  hold_node(s, f, start ? last - 1 : last + 1, holder, mask);
  hold_edge(s, f, start ? last - 1 : last, holder, joined);
}

static void hold_in_grips(fibre_state *s, fibre *f, const sim_parts *parts)
{
  for (size_t p = 0; p < parts->count; p++) {
    if (parts->form[p].kind != SCR_PART_GRIP) continue;
    for (uint32_t i = f->begin; i < f->end; i++)
      if (s->node_holder[f->first + i] == FIBRE_LOOSE && scr_part_holds(&parts->form[p], place_of(s, f->first + i)))
        hold_node(s, f, i, (int32_t)p, grip_rules(&parts->form[p]));
    for (uint32_t e = f->begin; e < f->edges && !parts->form[p].slide; e++)
      if (s->node_holder[f->first + e] == (int32_t)p && s->node_holder[f->first + (e + 1) % f->nodes] == (int32_t)p)
        hold_edge(s, f, e, (int32_t)p, false);
  }
}

static void hold(fibre_state *s, fibre *f, const sim_parts *parts)
{
  const fibre_specimen *block = scr_scene_specimen(s->scene, f->specimen);
  for (uint32_t i = 0; i < f->nodes; i++) s->node_holder[f->first + i] = s->edge_holder[f->first + i] = FIBRE_LOOSE;
  if (!f->ring) s->held[ROD_UNKNOWNS * (f->first + f->nodes) - 1] = true; /* the last node begins no edge */
  int32_t holder = holder_named(s, parts, block->held_by),
          of_end = block->end_held_by[0] ? holder_named(s, parts, block->end_held_by) : holder;
  if (block->held == FIBRE_HELD_START || block->held == FIBRE_HELD_BOTH) hold_end(s, f, true, holder, parts);
  if (block->held == FIBRE_HELD_END || block->held == FIBRE_HELD_BOTH) hold_end(s, f, false, of_end, parts);
  hold_in_grips(s, f, parts);
}

/* ── lengths, what is unloaded, masses ───────────────────────────────────────────────────────────────────────────── */

static bool is_clamp_edge(const fibre *f, uint32_t edge)
{
  return edge < f->begin || (!f->ring && edge + 1 >= f->end);
}

/* @param length m, of the whole fibre: a super-helix is as long as its curve, and not as its chords */
static void set_lengths(fibre_state *s, const fibre *f, double length)
{
  for (uint32_t e = 0; e < f->edges; e++)
    s->rest[f->first + e] = f->elements > 0 ? length / (f->end - 1 - f->begin)
                                            : vec3_length(vec3_sub(place_of(s, f->first + (e + 1) % f->nodes), place_of(s, f->first + e)));
  for (uint32_t i = 0; i < f->nodes; i++) { /* of two edges of which one is held the other bends alone */
    uint32_t before = i ? i - 1 : f->nodes - 1;
    bool has_before = f->ring || i > 0, has_after = f->ring || i < f->edges;
    bool held_before = has_before && s->edge_holder[f->first + before] != FIBRE_LOOSE,
         held_after = has_after && s->edge_holder[f->first + i] != FIBRE_LOOSE;
    double sum = 0;
    if (has_before && (!held_before || held_after)) sum += 0.5 * s->rest[f->first + before];
    if (has_after && (!held_after || held_before)) sum += 0.5 * s->rest[f->first + i];
    s->span[f->first + i] = sum;
  }
}

static void set_natural(fibre_state *s, const fibre *f)
{
  const fibre_specimen *block = scr_scene_specimen(s->scene, f->specimen);
  rod r = fibre_rod(s, f);
  rod_frames frames = fibre_frames(&s->frames, f);
  for (uint32_t i = rod_first_vertex(&r); i < f->edges; i++) {
    double *natural = s->natural[f->first + i], span = s->span[f->first + i];
    if (block->unloaded == FIBRE_UNLOADED_AS_PLACED) rod_strain(&r, s->place + ROD_UNKNOWNS * (size_t)f->first, &frames, i, natural);
    natural[0] += block->natural_curvature * span;
    natural[2] += block->natural_twist * span;
    if (f->ring) natural[2] -= 2 * M_PI * block->twist / f->edges; /* cut, twisted and glued */
  }
  if (f->ring) return;
  uint32_t own = f->end - 1 - f->begin; /* edges of the fibre itself */
  for (uint32_t e = 0; e < f->edges; e++) {
    uint32_t k = e < f->begin ? 0 : e - f->begin < own ? e - f->begin : own - 1;
    s->place[ROD_UNKNOWNS * (f->first + e) + ROD_TWIST] = 2 * M_PI * block->twist * k / (own > 1 ? own - 1 : 1);
  }
}

static void set_masses(fibre_state *s, fibre *f)
{
  const fibre_material *material = scr_scene_material(s->scene, f->material);
  double axis[2];
  fibre_section(&s->scene->specimens[f->specimen], scr_scene_specimen(s->scene, f->specimen), axis);
  double area = M_PI * axis[0] * axis[1], polar = area / 4 * (axis[0] * axis[0] + axis[1] * axis[1]);
  for (uint32_t e = 0; e < f->edges; e++) {
    double length = s->rest[f->first + e], mass = is_clamp_edge(f, e) ? 0 : material->density * area * length;
    for (uint32_t k = 0; k < 3; k++) {
      s->mass[ROD_UNKNOWNS * (f->first + e) + k] += 0.5 * mass;
      s->mass[ROD_UNKNOWNS * (f->first + (e + 1) % f->nodes) + k] += 0.5 * mass;
    }
    s->mass[ROD_UNKNOWNS * (f->first + e) + ROD_TWIST] = material->density * polar * length;
    f->mass += mass;
    if (!is_clamp_edge(f, e)) f->length += length;
  }
}

/* Of an elliptical section: A = pi a b, I = pi a^3 b / 4 and pi a b^3 / 4, J = pi a^3 b^3 / (a^2 + b^2). */
static void set_stiffness(fibre_state *s, fibre *f)
{
  const fibre_material *material = scr_scene_material(s->scene, f->material);
  double axis[2], poisson = isnan(material->poisson_ratio) ? 0.3 : material->poisson_ratio;
  fibre_section(&s->scene->specimens[f->specimen], scr_scene_specimen(s->scene, f->specimen), axis);
  double a = axis[0], b = axis[1], young = material->young_modulus, shear = young / (2 * (1 + poisson)), factor = material->bending_factor;
  f->stretching = young * M_PI * a * b;
  f->bending[0] = factor * young * M_PI * a * a * a * b / 4;
  f->bending[1] = factor * young * M_PI * a * b * b * b / 4;
  f->twisting = factor * shear * M_PI * a * a * a * b * b * b / (a * a + b * b);
  const fibre_specimen *block = scr_scene_specimen(s->scene, f->specimen);
  f->radius = a;
  f->contact_radius = fibre_contact_radius(&s->scene->specimens[f->specimen], block);
  f->mass_damping = material->mass_damping;
  f->stiffness_damping = material->stiffness_damping;
}

/* ── the start ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Four waves along the length with random directions; none at the ends of an open fibre. */
static void disturb(fibre_state *s, const fibre *f, uint64_t seed)
{
  enum { WAVES = 4 };
  const fibre_specimen *block = scr_scene_specimen(s->scene, f->specimen);
  if (!(block->disturbance > 0)) return;
  scr_vec3 wave[WAVES];
  double phase[WAVES];
  for (int w = 0; w < WAVES; w++) {
    double x = draw(&seed), y = draw(&seed), z = draw(&seed);
    wave[w] = vec3(x, y, z);
    phase[w] = M_PI * draw(&seed);
  }
  double own = f->ring ? f->edges : f->end - 1 - f->begin, most = block->disturbance / (WAVES * sqrt(3));
  for (uint32_t i = f->begin; i < f->end; i++) {
    double u = (double)(i - f->begin) / own;
    scr_vec3 at = place_of(s, f->first + i);
    for (int w = 0; w < WAVES; w++)
      at = vec3_add(at, vec3_scale(wave[w], most * (f->ring ? sin(2 * M_PI * (w + 2) * u + phase[w]) : sin(M_PI * (w + 1) * u))));
    if (s->node_holder[f->first + i] == FIBRE_LOOSE) set_place(s, f->first + i, at);
  }
}

static void set_motion(fibre_state *s, const fibre *f, scr_vec3 position, const sim_parts *parts)
{
  const scr_specimen *specimen = &s->scene->specimens[f->specimen];
  for (uint32_t i = 0; i < f->nodes; i++) {
    scr_vec3 v = vec3_add(specimen->velocity, vec3_cross(specimen->angular_velocity, vec3_sub(place_of(s, f->first + i), position)));
    double *to = s->velocity + ROD_UNKNOWNS * (size_t)(f->first + i);
    int32_t holder = s->node_holder[f->first + i];
    bool held = holder != FIBRE_LOOSE && !moves_freely(parts, holder);
    if (moves_freely(parts, holder)) v = part_velocity_at(&parts->now[holder], place_of(s, f->first + i));
    to[0] = held ? 0 : v.x, to[1] = held ? 0 : v.y, to[2] = held ? 0 : v.z;
  }
}

static void keep_start(fibre_state *s, const fibre *f)
{
  for (uint32_t i = 0; i < f->nodes; i++) {
    s->start[f->first + i] = place_of(s, f->first + i);
    if (i < f->edges) s->start_director[f->first + i] = fibre_director(s, f, i);
  }
}

/* About the fibre, whose nodes stay. */
static void turn_section(const fibre *f, double angle, rod_frames *frames)
{
  for (uint32_t e = 0; e < f->edges; e++) {
    scr_vec3 a = frames->director[e], b = vec3_cross(frames->tangent[e], a);
    frames->director[e] = vec3_add(vec3_scale(a, cos(angle)), vec3_scale(b, sin(angle)));
  }
}

static void place_fibre(fibre_state *s, fibre *f, const fibre_layout *layout, size_t number, scr_vec3 position, const sim_parts *parts)
{
  const scr_specimen *specimen = &s->scene->specimens[f->specimen];
  scr_quat turn = quat_exp(vec3_scale(specimen->rotation_axis, specimen->rotation_angle));
  const fibre_specimen *block = scr_scene_specimen(s->scene, f->specimen);
  bool of_pattern = fibre_form_is_pattern(block->form);
  uint64_t state = seed_of(s, number, 1);
  if (block->random_phase && !of_pattern) {
    scr_vec3 first = fibre_layout_node(layout, f->layout, 0);
    scr_quat phase = quat_multiply(turn, quat_exp(vec3(0, 0, M_PI * draw(&state))));
    position = vec3_add(position, vec3_sub(quat_rotate(turn, first), quat_rotate(phase, first)));
    turn = phase;
  }
  set_stiffness(s, f);
  lay(s, f, layout, position, turn);
  hold(s, f, parts);
  set_lengths(s, f, fibre_layout_length(layout, f->layout));
  set_masses(s, f);
  rod r = fibre_rod(s, f);
  rod_frames frames = fibre_frames(&s->frames, f);
  double *q = s->place + ROD_UNKNOWNS * (size_t)f->first;
  rod_begin_frames(&r, q, quat_rotate(turn, f->ring ? vec3(0, 0, 1) : vec3(1, 0, 0)), &frames);
  if (block->random_phase && of_pattern) turn_section(f, M_PI * draw(&state), &frames);
  if (f->elements > 0) {
    fibre_place_helix(s, f);
    set_motion(s, f, position, parts);
    keep_start(s, f);
    return;
  }
  set_natural(s, f);
  disturb(s, f, seed_of(s, number, 0));
  rod_carry_frames(&r, q, &frames, &frames);
  set_motion(s, f, position, parts);
  keep_start(s, f);
}

/* A fibre of the scene, as yet without places. @param node, band, element  where its nodes, its rows of bands and its elements begin */
static fibre begin_fibre(const scr_scene *scene, size_t specimen, size_t layout, size_t node, size_t band, size_t element)
{
  const fibre_specimen *block = scr_scene_specimen(scene, specimen);
  bool ring = block->form == FIBRE_RING, clamped = block->hold == FIBRE_CLAMPED && !ring;
  fibre f = {.first = (uint32_t)node,
             .nodes = fibre_node_count(block),
             .specimen = (uint32_t)specimen,
             .layout = (uint32_t)layout,
             .material = scene->specimens[specimen].material,
             .elements = fibre_elements(block),
             .first_element = element,
             .ring = ring,
             .band = band};
  f.edges = ring ? f.nodes : f.nodes - 1;
  f.begin = clamped && (block->held == FIBRE_HELD_START || block->held == FIBRE_HELD_BOTH);
  f.end = f.begin + (uint32_t)block->edges + !ring;
  return f;
}

void fibre_place_all(fibre_state *s, const fibre_layout *layouts, const sim_parts *parts)
{
  const scr_scene *scene = s->scene;
  size_t number = 0, node = 0, band = 0, element = 0;
  for (size_t k = 0; k < scene->specimen_count; k++) {
    size_t each = fibre_layout_count(&layouts[k]);
    for (size_t i = 0; i < scene->specimens[k].position_count * each; i++, number++) {
      fibre *f = &s->fibres[number];
      *f = begin_fibre(scene, k, i % each, node, band, element);
      place_fibre(s, f, &layouts[k], number, scene->specimens[k].positions[i / each], parts);
      node += f->nodes;
      element += f->elements;
      band += fibre_matrix_entries(f->nodes, f->ring, f->elements);
    }
  }
}
