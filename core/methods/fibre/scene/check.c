/* What only the method can check: sizes, ends, holders; the time step; what a run costs. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/quat.h"
#include "methods/fibre/rod/rod.h"
#include "methods/fibre/scene/crowd.h"
#include "methods/fibre/scene/element.h"
#include "methods/fibre/scene/layout.h"
#include "methods/fibre/scene/pattern.h"
#include "methods/fibre/state/state.h"
#include "methods/fibre/view/view.h"
#include "scene/check/abilities.h"
#include "scene/check/checker.h"
#include "scene/counts.h"
#include "sim/cost.h"
#include "sim/time_step.h"

/* ── what curves and files say ───────────────────────────────────────────────────────────────────────────────────── */

/* Lengths of the fibres of a specimen, m. */
typedef struct length_range {
  double least, most;
} length_range;

static length_range lengths_of(const fibre_layout *layout)
{
  length_range range = {INFINITY, 0};
  for (size_t i = 0; i < fibre_layout_count(layout); i++) {
    double length = fibre_layout_length(layout, i);
    range.least = fmin(range.least, length);
    range.most = fmax(range.most, length);
  }
  return range;
}

static check_place place_of_layout(const fibre_layout *layout, size_t k)
{
  int form = layout->block->form;
  return check_at("/specimens/%zu/%s", k, form == FIBRE_CURVE ? "curve" : form == FIBRE_LINES ? "lines" : "form");
}

static void check_length(const scr_checker *c, size_t k, const fibre_layout *layout)
{
  double given = c->scene->specimens[k].shape.length, own = lengths_of(layout).most;
  if (fabs(own - given) <= 0.01 * own) return;
  check_refuse(c, check_at("/specimens/%zu/shape/length", k), given, "the length of the curve, to 1 %",
               "the %s is %.6g m long, but the cylinder's length is %.6g m: give it the length %.6g",
               layout->block->form == FIBRE_CURVE   ? "curve"
               : layout->block->form == FIBRE_WEAVE ? "longest yarn"
                                                    : "longest fibre of the file",
               own, given, own);
}

/* One crossing is enough. */
static scr_status check_crossings(const scr_checker *c, size_t k, const fibre_layout *layout)
{
  double radius = fibre_contact_radius(&c->scene->specimens[k], layout->block);
  for (size_t i = 0; i < fibre_layout_count(layout); i++) {
    fibre_crossing crossing;
    bool found;
    SCR_TRY(fibre_layout_crossing(layout, i, radius, &crossing, &found, NULL));
    if (!found) continue;
    check_refuse(
        c, place_of_layout(layout, k), NAN, "a curve whose parts are two contact radii from each other, or farther",
        "fibre %zu overlaps itself: its edges %u and %u come as near as %.3g m at (%.4g, %.4g, %.4g), but it is %.3g m thick; lead "
        "them apart, or use a smaller contact_radius",
        i + 1, crossing.a + 1, crossing.b + 1, crossing.distance, crossing.at.x, crossing.at.y, crossing.at.z, 2 * radius);
    return SCR_OK;
  }
  return SCR_OK;
}

/* Deepest node of a specimen's fibres in a part as the run begins, ends aside, which the part may hold. */
typedef struct intrusion {
  double depth; /**< m, > 0: inside */
  size_t part;
  scr_vec3 at;
} intrusion;

static void find_intrusion(const scr_scene *scene, size_t k, const fibre_layout *layout, scr_vec3 position, intrusion *deepest)
{
  const scr_specimen *specimen = &scene->specimens[k];
  scr_quat turn = quat_exp(vec3_scale(specimen->rotation_axis, specimen->rotation_angle));
  double radius = fibre_contact_radius(specimen, layout->block);
  scr_part parts[SCR_PART_LIMIT];
  size_t count = scr_rig_parts(&scene->rig, parts);
  for (size_t p = 0; p < count; p++) {
    if (parts[p].kind == SCR_PART_GRIP) continue;
    scr_pose pose = scr_part_pose(&parts[p], 0);
    for (size_t i = 0; i < fibre_layout_count(layout); i++)
      for (uint32_t e = 1; e < layout->block->edges; e++) {
        scr_vec3 at = vec3_add(position, quat_rotate(turn, fibre_layout_node(layout, i, e)));
        double depth = radius - scr_part_distance_posed(&parts[p], &pose, at).distance;
        if (depth > deepest->depth) *deepest = (intrusion){depth, p, at};
      }
  }
}

/* What lies in a part by half a radius or more, which the run would doubt. */
static void check_intrusions(const scr_checker *c, size_t k, const fibre_layout *layout)
{
  const scr_specimen *specimen = &c->scene->specimens[k];
  intrusion deepest = {.depth = 0.5 * fibre_contact_radius(specimen, layout->block)};
  double least = deepest.depth;
  for (size_t i = 0; i < specimen->position_count; i++) find_intrusion(c->scene, k, layout, specimen->positions[i], &deepest);
  if (!(deepest.depth > least)) return;
  scr_part parts[SCR_PART_LIMIT];
  (void)scr_rig_parts(&c->scene->rig, parts);
  check_warn(c, check_at("/specimens/%zu/placement", k), NAN, "a place where fibres lie outside of all parts",
             "a fibre reaches %.3g m into '%s' at (%.4g, %.4g, %.4g) as the run begins, where it stays: move one of them", deepest.depth,
             parts[deepest.part].name, deepest.at.x, deepest.at.y, deepest.at.z);
}

/* @param lengths receives those of the specimen's fibres    @param count how many lie at each place    @param crowd  they are added */
static scr_status check_layout(const scr_checker *c, size_t k, length_range *lengths, size_t *count, fibre_crowd *crowd)
{
  fibre_layout layout;
  scr_error error = {0};
  scr_status status = fibre_layout_open(c->scene, k, &layout, &error);
  if (status == SCR_BAD_SCENE) {
    char *point = strrchr(error.message, '.');
    if (point && !point[1]) *point = 0;
    check_refuse(c, place_of_layout(&layout, k), NAN, "a curve that a fibre can lie along", "%s", error.message);
    return SCR_OK;
  }
  SCR_TRY(status);
  *lengths = lengths_of(&layout);
  *count = fibre_layout_count(&layout);
  status = fibre_crowd_add(crowd, c->scene, k, &layout);
  if (status == SCR_OK && layout.lines.line_count) {
    if (!fibre_form_is_pattern(layout.block->form) || layout.block->form == FIBRE_WEAVE) check_length(c, k, &layout);
    status = check_crossings(c, k, &layout);
    check_intrusions(c, k, &layout);
  }
  fibre_layout_close(&layout);
  return status;
}

static void check_division(const scr_checker *c, size_t k, double length)
{
  const scr_specimen *specimen = &c->scene->specimens[k];
  const fibre_specimen *block = scr_scene_specimen(c->scene, k);
  double edge = length / (double)block->edges;
  if (specimen->shape.radius >= 0.5 * edge)
    check_refuse(c, check_at("/specimens/%zu/edges", k), (double)block->edges, "edges that are longer than the fibre is thick",
                 "an edge of %.3g m is not longer than the diameter of the fibre, whose radius is %.3g m, but a rod must be thin: use at "
                 "most %.0f edges, or a longer or thinner fibre",
                 edge, specimen->shape.radius, fmax(2, floor(0.5 * length / specimen->shape.radius - 1e-9)));
  if (fibre_contact_radius(specimen, block) >= 0.5 * edge && specimen->shape.radius < 0.5 * edge)
    check_refuse(c, check_at("/specimens/%zu/contact_radius", k), block->contact_radius, "less than half of an edge",
                 "a contact radius of %.3g m must be less than half of an edge of %.3g m: use a smaller one, or fewer edges",
                 block->contact_radius, edge);
  if (block->form == FIBRE_RING && block->edges < 8)
    check_refuse(c, check_at("/specimens/%zu/edges", k), (double)block->edges, "at least 8 edges of a ring",
                 "a ring of %lld edges is too coarse for a circle: use at least 8", (long long)block->edges);
  if (block->disturbance > edge)
    check_refuse(c, check_at("/specimens/%zu/disturbance", k), block->disturbance, "at most the length of an edge",
                 "a disturbance of %.3g m is longer than an edge of %.3g m: use less", block->disturbance, edge);
}

static bool has_obstacle(const scr_scene *scene, const char *name)
{
  for (size_t i = 0; i < scene->rig.obstacle_count; i++)
    if (strcmp(scene->rig.obstacles[i].name, name) == 0) return true;
  return false;
}

static void check_holder(const scr_checker *c, size_t k, const char *key, const char *name)
{
  if (!name[0] || has_obstacle(c->scene, name)) return;
  check_refuse_words(c, check_at("/specimens/%zu/%s", k, key), name, "the name of an obstacle of this scene, or nothing",
                     "there is no obstacle '%s' that could hold ends of fibres: give the name of one, or nothing for what stands still",
                     name);
}

static void check_ends(const scr_checker *c, size_t k)
{
  const fibre_specimen *block = scr_scene_specimen(c->scene, k);
  bool end_held = block->held == FIBRE_HELD_END || block->held == FIBRE_HELD_BOTH;
  if (block->form == FIBRE_RING && block->held != FIBRE_FREE)
    check_refuse(c, check_at("/specimens/%zu/held", k), NAN, "none, of a ring",
                 "a ring has no ends that could be held: use held none, or another form");
  check_holder(c, k, "held_by", block->held_by);
  check_holder(c, k, "end_held_by", block->end_held_by);
  if (end_held && vec3_length(block->end_force) > 0)
    check_refuse(c, check_at("/specimens/%zu/end_force", k), vec3_length(block->end_force), "0 where the end is held",
                 "a force on an end that is held moves nothing: hold the start alone, or leave the force out");
}

/* What grips hold is not the root of a super-helix. */
static void check_grips(const scr_checker *c)
{
  scr_rig_kind kind = c->scene->rig.kind;
  if (kind != SCR_RIG_GRIPS || !fibre_any_helix(c->scene)) return;
  check_refuse_words(c, check_at("/rig/type"), scr_rig_names[kind], "any but grips, with super-helices",
                     "super-helices are held at their roots alone, which the rig '%s' does not know: name an obstacle in held_by, or use "
                     "element rod",
                     scr_rig_names[kind]);
}

/* In equilibrium nothing touches: parts that are there to be touched would be passed through. */
static void check_parts(const scr_checker *c)
{
  const scr_scene *scene = c->scene;
  const fibre_options *options = scene->options;
  check_grips(c);
  if (options->loading != FIBRE_STATIC) return;
  if (scene->rig.kind != SCR_RIG_NONE && scene->rig.kind != SCR_RIG_GRIPS)
    check_refuse_words(c, check_at("/rig/type"), scr_rig_names[scene->rig.kind], "none or grips, under static loading",
                       "in equilibrium fibres touch nothing, so that the rig '%s' would do nothing: use loading dynamic, or hold ends",
                       scr_rig_names[scene->rig.kind]);
  for (size_t i = 0; i < scene->rig.obstacle_count; i++) {
    bool named = false;
    for (size_t k = 0; k < scene->specimen_count; k++) {
      const fibre_specimen *block = scr_scene_specimen(scene, k);
      const char *name = scene->rig.obstacles[i].name;
      named = named || (block->held != FIBRE_FREE && strcmp(block->held_by, name) == 0) ||
              (block->held == FIBRE_HELD_BOTH && strcmp(block->end_held_by, name) == 0);
    }
    if (!named)
      check_refuse_words(
          c, check_at("/obstacles/%zu", i), scene->rig.obstacles[i].name, "obstacles that hold ends of fibres, under static loading",
          "in equilibrium fibres touch nothing, and obstacle '%s' holds none of them: name it in held_by of a specimen, take "
          "it out, or use loading dynamic",
          scene->rig.obstacles[i].name);
  }
}

/* What is farther away than the margin is not looked at. */
static void check_adhesion(const scr_checker *c)
{
  const fibre_options *options = c->scene->options;
  double margin = fibre_margin(c->scene);
  if (!(options->adhesion_range > margin)) return;
  check_refuse(
      c, check_at("/options/adhesion_range"), options->adhesion_range, "at most the margin",
      "adhesion up to a gap of %.3g m needs contacts up to there, but the margin is %.3g m: use a larger margin or a shorter range",
      options->adhesion_range, margin);
}

/* What moves freely does so by contacts and joints. */
static void check_free(const scr_checker *c)
{
  const fibre_options *options = c->scene->options;
  scr_part parts[SCR_PART_LIMIT];
  for (size_t p = 0, count = scr_rig_parts(&c->scene->rig, parts); p < count; p++) {
    if (!parts[p].is_free) continue;
    if (options->loading == FIBRE_STATIC)
      check_refuse_words(c, check_at("%s/free", parts[p].pointer), "a free part", "loading dynamic",
                         "in equilibrium fibres touch nothing, so that nothing would hold %s: use loading dynamic", parts[p].name);
  }
}

/* A clamped fibre's first frequency is 3.516 / L^2 sqrt(EI / (rho A)); a two-hundredth of its period, and of what a hanging fibre
 * swings with. */
static double bending_period(const scr_scene *scene, size_t k)
{
  const scr_specimen *specimen = &scene->specimens[k];
  const fibre_material *material = scr_scene_material(scene, specimen->material);
  double axis[2], length = specimen->shape.length;
  fibre_section(specimen, scr_scene_specimen(scene, k), axis);
  double wave = 0.5 * axis[0] * sqrt(material->bending_factor * material->young_modulus / material->density); /* sqrt(EI / (rho A)) */
  return 2 * M_PI * length * length / (3.516 * wave);
}

double fibre_resolving_step(const scr_scene *scene)
{
  double gravity = vec3_length(scene->rig.gravity), least = INFINITY;
  for (size_t k = 0; k < scene->specimen_count; k++) {
    least = fmin(least, bending_period(scene, k) / 200);
    if (gravity > 0) least = fmin(least, sqrt(scene->specimens[k].shape.length / gravity) / 100);
  }
  return least;
}

/* 100 steps in the time in which a fibre falls half its length; 200 in the period in which a clamped one swings. */
static void choose_step(const scr_scene *scene, scr_estimate *estimate)
{
  double gravity = vec3_length(scene->rig.gravity), bend = INFINITY, fall = INFINITY, duration = scene->time.duration / 200;
  for (size_t k = 0; k < scene->specimen_count; k++) {
    bend = fmin(bend, bending_period(scene, k) / 200);
    if (gravity > 0) fall = fmin(fall, sqrt(scene->specimens[k].shape.length / gravity) / 100);
  }
  const fibre_options *options = scene->options;
  const sim_bound dynamic[] = {{bend, "bending"}, {fall, "fall"}}, at_rest[] = {{duration, "duration"}};
  if (options->loading == FIBRE_STATIC)
    sim_choose_step(scene, at_rest, 1, 1, estimate);
  else
    sim_choose_step(scene, dynamic, 2, 1, estimate);
}

/* s; by the gallery's scenes, in which a step solves the contacts of three to five linear systems; super-helices that may touch take three
 * times as long, by tufts of 16 and 49 that are pressed. */
enum { START, NODE, LINEARISED_NODE, RING_NODE, TOUCH, HELIX_PAIR, KERNELS };
static const sim_cost kernels[KERNELS] = {[START] = {"the program's start", 0.02},
                                          [NODE] = {"a node in a step", 1e-6},
                                          [LINEARISED_NODE] = {"a node in a linearisation", 0.5e-6},
                                          [RING_NODE] = {"a ring's node in a linearisation, besides", 1.3e-6},
                                          [TOUCH] = {"a contact in a step", 3.7e-5},
                                          [HELIX_PAIR] = {"a pair of elements in a linearisation", 2e-7}};

/* Full matrices of super-helices that touch, how their points move, and their rows. */
static double helix_bytes(const scr_scene *scene, const size_t *at_place, double contacts)
{
  double numbers = 0, widest = 0;
  for (size_t k = 0; k < scene->specimen_count; k++) {
    const fibre_specimen *block = scr_scene_specimen(scene, k);
    double count = (double)scene->specimens[k].position_count * (double)at_place[k],
           stride = fibre_elements(block) > 0 ? (double)(HELIX_STRAINS * fibre_elements(block) + ROD_UNKNOWNS) : 0;
    numbers += count * (3 * stride * stride + ROD_UNKNOWNS * (double)fibre_node_count(block) * stride);
    widest = fmax(widest, stride);
  }
  return sizeof(double) * (numbers + contacts * 2 * widest * 4);
}

/* @param at_place  fibres at every place of each specimen */
static scr_status estimate_cost(const scr_scene *scene, const size_t *at_place, const fibre_crowd *crowd, scr_estimate *estimate)
{
  const fibre_options *options = scene->options;
  const double node_bytes = 24 * ROD_UNKNOWNS * sizeof(double) + 260;
  double nodes = 0, rings = 0, fibres = 0, elements = 0, pairs = 0;
  for (size_t k = 0; k < scene->specimen_count; k++) {
    const fibre_specimen *block = scr_scene_specimen(scene, k);
    double count = (double)scene->specimens[k].position_count * (double)at_place[k], each = (double)fibre_node_count(block);
    nodes += count * each;
    fibres += count;
    elements += count * fibre_elements(block);
    pairs += count * fibre_elements(block) * fibre_elements(block);
    if (block->form == FIBRE_RING) rings += count * each;
  }
  double bands = 2 * ROD_UNKNOWNS * sizeof(double) * (nodes * (ROD_BAND + 1) + rings * (ROD_RING_BAND - ROD_BAND));
  double steps = scene->time.duration / estimate->time_step, linearisations = options->loading == FIBRE_STATIC ? 8
                                                                              : options->order == 2            ? 8
                                                                                                               : 4;
  *scr_count_in(estimate, "fibres", "Fibres") = (uint64_t)fibres;
  *scr_count_in(estimate, "nodes", "Nodes") = estimate->node_count = (uint64_t)nodes;
  double contacts = options->loading == FIBRE_DYNAMIC && (options->fibre_contact || scene->rig.obstacle_count > 0) ? 2 * nodes + 64 : 0;
  estimate->state_bytes = 4096 + (nodes * (4 * 3 + 9) + elements * 6) * sizeof(double) + contacts * sizeof(warm_start_entry);
  estimate->memory_bytes = 1e6 + nodes * node_bytes + fibres * (sizeof(fibre) + sizeof(fibre_report)) + 1.5 * bands +
                           elements * 12 * sizeof(double) + contacts * 2400 + nodes * 1200 + estimate->state_bytes;
  if (contacts > 0) estimate->memory_bytes += helix_bytes(scene, at_place, contacts);
  bool touches = contacts > 0 && (scene->rig.kind != SCR_RIG_NONE || scene->rig.obstacle_count > 0 || fibres > 1);
  crowd_touches found = {0};
  if (touches) SCR_TRY(fibre_crowd_touches(crowd, scene, estimate->time_step, &found));
  const double count[KERNELS] = {[START] = 1,
                                 [NODE] = steps * nodes,
                                 [LINEARISED_NODE] = steps * linearisations * nodes,
                                 [RING_NODE] = steps * linearisations * rings,
                                 [TOUCH] = steps * found.effort,
                                 [HELIX_PAIR] = steps * linearisations * pairs * (touches ? 3 : 1)};
  sim_cost_add(kernels, KERNELS, count, estimate);
  estimate->frame_body_bytes = (nodes + fibres) * FIBRE_THREAD_COMPONENTS * sizeof(float) + fibres * sizeof(uint32_t) + 500;
  contact_view_estimate(false, options->contact_forces, nodes, estimate);
  return SCR_OK;
}

/* @param at_place [specimen_count] receives how many fibres lie at each place */
static scr_status check_specimens(const scr_checker *c, size_t *at_place, fibre_crowd *crowd)
{
  for (size_t k = 0; k < c->scene->specimen_count; k++) {
    at_place[k] = 1;
    if (!abilities_offer(c->scene->method, CHOICE_SHAPE, (int)c->scene->specimens[k].shape.kind)) continue;
    length_range lengths = {c->scene->specimens[k].shape.length, 0};
    SCR_TRY(check_layout(c, k, &lengths, &at_place[k], crowd));
    check_division(c, k, lengths.least);
    check_ends(c, k);
    fibre_check_element(c, k);
  }
  return SCR_OK;
}

scr_status fibre_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  scr_checker c = check_begin(scene, problems);
  size_t *at_place = mem_array(scene->specimen_count, sizeof *at_place);
  fibre_crowd crowd = {.count = 0};
  if (!at_place) return SCR_NO_MEMORY;
  scr_status status = check_specimens(&c, at_place, &crowd);
  check_parts(&c);
  fibre_check_elements(&c);
  check_adhesion(&c);
  check_free(&c);
  choose_step(scene, estimate);
  if (status == SCR_OK) status = estimate_cost(scene, at_place, &crowd, estimate);
  fibre_crowd_clear(&crowd);
  mem_free(at_place);
  (void)check_fits_memory(&c, estimate->memory_bytes, "use fewer edges or fewer fibres");
  return status;
}
