/* What a run takes, from what a first pass of forces finds. */
#include <math.h>

#include "methods/lsdem/scene/check.h"
#include "methods/lsdem/scene/cost.h"
#include "methods/lsdem/view/traction.h"
#include "sim/cost.h"

/* s, measured on random scenes (tests/validation/sweep) and the gallery's. In packs of many grains, which flow, what was clear is looked at
 * again. */
enum {
  START,
  POINT,
  NODE,
  MODE_OF_NODE,
  SAMPLED_POINT,
  MADE_POINT,
  CARRIED_POINT,
  DIRECTION,
  TILE,
  CROWDED_TILE,
  ASKED_NODE,
  TOUCH,
  BOND,
  GRAIN,
  MODE,
  MODE_PAIR,
  KERNELS
};
static const sim_cost kernels[KERNELS] = {
    [START] = {"the program's start", 0.05},
    [POINT] = {"a point of a template's level set", 100e-9},
    [NODE] = {"a node of a template", 4e-6},
    [MODE_OF_NODE] = {"a mode at a node of a template", 7e-6},
    [SAMPLED_POINT] = {"a point of a template's signed distance at a sample", 1.4e-6},
    [MADE_POINT] = {"a point of a signed distance made from the deformed surface", 300e-9},
    [CARRIED_POINT] = {"a point of a signed distance carried along by a step of advection", 100e-9},
    [DIRECTION] = {"a grain beside a master, in a step", 55e-9},
    [TILE] = {"a tile of nodes near a master, in a step", 2e-9},
    [CROWDED_TILE] = {"the same in a crowd, besides", 25e-9},
    [ASKED_NODE] = {"a node in the grid of a master that follows in another way, in a step", 18e-9},
    [TOUCH] = {"a node that touches, in a step", 75e-9},
    [BOND] = {"a bond in a step", 8e-9},
    [GRAIN] = {"a grain in a step", 450e-9},
    [MODE] = {"a mode of a grain in a step", 100e-9},
    [MODE_PAIR] = {"a pair of modes of a grain whose inertia follows them, in a step", 230e-9},
};
static const double few = 20, crowd = 27; /* grains: fewer have room */
static const double rounded = 2;          /* a node's question to a part that is no plane, over one to a plane */
static const double bounced = 0.05;       /* share of a run in which free grains that meet touch */

/* A master that is soft is asked at the place that is pulled back through its modes: over what a rigid one takes. By the other ways the
 * values at the eight corners of a cell are pulled back, or blended from samples. */
static double asking(const lsdem_template *grain)
{
  static const double more[] = {[LSDEM_FOLLOW_PULL_BACK] = 1,
                                [LSDEM_FOLLOW_REMAP] = 8,
                                [LSDEM_FOLLOW_RECOMPUTE] = 0.2,
                                [LSDEM_FOLLOW_ADVECT] = 0.2,
                                [LSDEM_FOLLOW_PRECOMPUTED] = 2};
  return grain->mode_count == 0 ? 1 : 1 + more[grain->following] * (0.7 + 0.15 * (double)grain->mode_count);
}

static double points_of(const lsdem_template *grain)
{
  return (double)grain->field.count[0] * grain->field.count[1] * grain->field.count[2];
}

double lsdem_follow_updates(const lsdem_template *grain, double amplitude, double tolerance, double steps)
{
  if (grain->mode_count == 0 || (grain->following != LSDEM_FOLLOW_RECOMPUTE && grain->following != LSDEM_FOLLOW_ADVECT)) return 0;
  return fmin(steps, 2 * amplitude / tolerance);
}

/* Points of level sets that are made anew or carried along. Samples are made with their templates. */
static void count_followed(const scr_scene *scene, const lsdem_state *s, double steps, double *count)
{
  for (size_t k = 0; k < s->template_count; k++) {
    const lsdem_template *grain = &s->templates[k];
    count[SAMPLED_POINT] += 2 * points_of(grain) * (double)(grain->mode_count * grain->sample_count);
  }
  for (size_t i = 0; i < s->grain_count; i++) {
    const lsdem_template *grain = &s->templates[s->grains[i].shape];
    const lsdem_specimen *block = lsdem_specimen_of(scene, s->grains[i].specimen);
    double amplitude = isnan(block->largest_amplitude) ? 2 * grain->field.spacing : block->largest_amplitude;
    double updates = lsdem_follow_updates(grain, amplitude, block->follow_tolerance * grain->field.spacing, steps);
    count[grain->following == LSDEM_FOLLOW_ADVECT ? CARRIED_POINT : MADE_POINT] += updates * points_of(grain);
  }
}

/* Templates are made for the check and for the run. */
static void count_setup(const lsdem_state *s, double *count)
{
  count[START] = 1;
  for (size_t k = 0; k < s->template_count; k++) {
    const lsdem_template *grain = &s->templates[k];
    count[POINT] += 2 * points_of(grain);
    count[NODE] += 2 * (double)grain->node_count;
    count[MODE_OF_NODE] += 2 * (double)grain->mode_count * (double)grain->node_count;
  }
}

/* Distance of a node from the master, m; `far` where it is at least that. */
static double node_distance(const lsdem_state *s, const lsdem_direction *direction, size_t node, double far)
{
  const lsdem_view *slave = &s->views[direction->slave];
  scr_vec3 at = vec3_add(slave->position, matrix_times(&slave->rotation, slave->grain->surface.vertex[node]));
  if (direction->master < s->grain_count) {
    const lsdem_view *master = &s->views[direction->master];
    double value = far;
    return level_set_at(&master->grain->field, matrix_transposed_times(&master->rotation, vec3_sub(at, master->position)), &value)
               ? fmin(value, far)
               : far;
  }
  size_t p = direction->master - s->grain_count;
  scr_part_distance from = {.distance = far};
  bool near = scr_part_distance_within_posed(&s->parts->form[p], &s->parts->now[p].pose, at, far, 4 * slave->grain->depth + far, &from);
  return near ? fmin(from.distance, far) : far;
}

/* How many nodes of a direction touch, on the mean over a run in which things go `way`, m: those that face the master where the two begin
 * in contact or just at it; half of them where they come to it, few where nothing holds them there.
 * @param near  true: some are within two spacings at the start */
static double facing_nodes(const lsdem_state *s, const lsdem_direction *direction, double travel, bool *near)
{
  const lsdem_template *grain = s->views[direction->slave].grain;
  double spacing = grain->field.spacing, far = 2 * spacing, nearest = far, count = 0;
  for (size_t k = 0; k < grain->node_count; k++) nearest = fmin(nearest, node_distance(s, direction, k, far));
  *near = nearest < far;
  if (nearest > fmin(travel, 1.5 * spacing)) return 0;
  for (size_t k = 0; k < grain->node_count; k++) count += node_distance(s, direction, k, far) < fmax(nearest, 0) + 0.1 * spacing;
  bool held = vec3_length(s->scene->rig.gravity) > 0 || s->parts->count > 0;
  return count * (nearest < 0.02 * spacing ? 1 : held ? 0.5 : bounced);
}

/* How many nodes of a direction are in the grid of a master whose level set is not pulled back, on the mean over a run: there no node is
 * surely clear (find_contacts). Half of the way that things go, at most, they are so near. */
static double nodes_in_grid(const lsdem_state *s, const lsdem_direction *direction, double travel)
{
  const lsdem_view *slave = &s->views[direction->slave], *master = &s->views[direction->master];
  if (master->grain->mode_count == 0 || master->grain->following == LSDEM_FOLLOW_PULL_BACK) return 0;
  double gap = vec3_length(vec3_sub(slave->position, master->position)) - slave->grain->reach - master->grain->reach;
  return travel < gap ? 0 : 0.5 * (double)slave->grain->node_count;
}

void lsdem_estimate_run(const scr_scene *scene, const lsdem_state *s, scr_estimate *estimate)
{
  double divided = ceil(lsdem_fastest(s) * estimate->time_step / lsdem_step_travel(s)); /* as lsdem_advance does */
  double steps = scene->time.duration / estimate->time_step * fmin(fmax(divided, 1), 1000),
         travel = lsdem_fastest(s) * scene->time.duration;
  double crowded = fmin(1, fmax(0, ((double)s->grain_count - few) / (crowd - few))), count[KERNELS] = {0};
  count_setup(s, count);
  count_followed(scene, s, steps, count);
  for (size_t d = 0; d < s->near.count; d++) {
    const lsdem_direction *direction = &s->near.list[d];
    bool part = direction->master >= s->grain_count;
    double asked = steps * (part ? 1 : asking(&s->templates[s->grains[direction->master].shape]));
    if (part && s->parts->form[direction->master - s->grain_count].kind != SCR_PART_PLANE) asked *= rounded;
    double tiles = (double)s->templates[s->grains[direction->slave].shape].tile_count;
    bool near = false;
    count[TOUCH] += asked * fmax((double)direction->touch_count, facing_nodes(s, direction, travel, &near));
    count[BOND] += asked * (double)direction->bond_count;
    count[DIRECTION] += steps;
    if (!part) count[ASKED_NODE] += asked * nodes_in_grid(s, direction, travel);
    if (near) count[TILE] += asked * tiles;
    count[CROWDED_TILE] += asked * tiles * crowded;
  }
  count[GRAIN] = steps * (double)s->grain_count;
  for (size_t i = 0; i < s->grain_count; i++) {
    const lsdem_template *grain = &s->templates[s->grains[i].shape];
    double modes = (double)grain->mode_count;
    count[MODE] += steps * modes;
    if (lsdem_has_full_inertia(s, grain)) count[MODE_PAIR] += steps * modes * modes;
  }
  sim_cost_add(kernels, KERNELS, count, estimate);
}

/* What grains take in a recording: view.c. Of each in a frame position, orientation, speed and pressure in 16 bits a number, shape,
 * contacts and fragment in 32, and amplitudes as floats; once the nodes of templates, with their modes, as floats, and their triangles. */
void lsdem_estimate_recording(const lsdem_state *s, scr_estimate *estimate)
{
  size_t modes = 0;
  for (size_t k = 0; k < s->template_count; k++) {
    const lsdem_template *shape = &s->templates[k];
    size_t shown = shape->mode_count < SCR_MODE_LIMIT ? shape->mode_count : SCR_MODE_LIMIT;
    if (shown > modes) modes = shown;
    estimate->shape_bytes += (double)shape->node_count * (12 + 12 * (double)shown) + 12 * (double)shape->surface.triangle_count;
  }
  estimate->frame_body_bytes = (double)s->grain_count * (8 * 2 + 3 * 4 + 4 * (double)modes);
  /* From above: a grain touches twelve others and three parts. */
  contact_view_estimate(s->options->force_chains, s->options->contact_forces, 9 * (double)s->grain_count, estimate);
  if (s->options->traction_table) estimate->frame_row_bytes += lsdem_traction_bytes(s);
}
