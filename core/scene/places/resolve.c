/* From the scene as written to the scene as computed: names become indices, lattices become positions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "scene/check/check.h"
#include "scene/part.h"
#include "scene/places/random_places.h"
#include "scene/shape/shape.h"

/* ── the document's automatic values ────────────────────────────────────────────────────────────────────────────── */

static void resolve_program(scr_program *program)
{
  for (size_t i = 0; i < program->segment_count; i++) {
    scr_segment *segment = &program->segments[i];
    if (segment->kind == SCR_SEGMENT_MOVE)
      segment->duration = fabs(segment->displacement / segment->velocity);
    else if (isnan(segment->duration))
      segment->duration = INFINITY; /* printed as null again */
  }
}

static scr_status resolve_plots(scene_document *document)
{
  scene_output *output = &document->output;
  if (output->plot_count || !document->method) return SCR_OK;
  scr_plot plot = document->method->default_plot;
  bool shown = plot.x[0] && plot.y[0] && series_exists(document, plot.x) && series_exists(document, plot.y);
  if (!shown) shown = scr_rig_plot(&document->rig, &plot) && series_exists(document, plot.x) && series_exists(document, plot.y);
  if (!shown) { /* nothing that moves and feels a force */
    plot = (scr_plot){.x = "time", .y = "energy.kinetic", .title = "Kinetic energy", .scale = 1, .moving_average = 1};
    shown = series_exists(document, plot.x) && series_exists(document, plot.y);
  }
  if (!shown) return SCR_OK;
  output->plots = malloc(sizeof *output->plots);
  if (!output->plots) return SCR_NO_MEMORY;
  output->plots[0] = plot;
  output->plot_count = 1;
  return SCR_OK;
}

static void set_automatic(double *value, double choice)
{
  if (isnan(*value)) *value = choice;
}

double document_resolution(const scene_document *document, size_t specimen)
{
  const scr_method_description *method = document->method;
  const void *values = method ? section_values_of(&document->specimens[specimen].division, method) : NULL;
  return values && method->resolution ? method->resolution(values) : (double)NAN;
}

/* What widths in pictures are made of: how finely the first specimen is divided, or a tenth of its reach. */
static double picture_scale(const scene_document *document)
{
  if (document->specimen_count == 0) return NAN;
  const scene_specimen *first = &document->specimens[0];
  double scale = document_resolution(document, 0);
  if (document->method && document->method->resolution) return scale;
  scr_shape shape = shape_for_methods(first->variant_count ? &first->variants[0].shape : &first->shape);
  return 0.1 * shape_entry(shape.kind)->reach(&shape);
}

static void resolve_rig(scr_rig *rig, double scale)
{
  double grips = isnan(rig->high_start) ? 10 * scale : rig->high_start - rig->low_end;
  for (size_t i = 0; i < SCR_WALL_COUNT; i++) resolve_program(&rig->walls[i]);
  resolve_program(&rig->load);
  resolve_program(&rig->turn);
  set_automatic(&rig->load_radius, rig->support_radius);
  set_automatic(&rig->roller_length, rig->span);
  set_automatic(&rig->jaw_radius, 0.75 * rig->opening);
  set_automatic(&rig->width, rig->kind == SCR_RIG_GRIPS ? grips : rig->opening);
}

static void set_direction(scr_vec3 *direction)
{
  if (isnan(direction->x)) *direction = vec3(0, 0, 1);
}

static void resolve_rotations(scene_specimen *specimen)
{
  set_direction(&specimen->rotation.axis);
  for (size_t k = 0; k < specimen->shape.piece_count; k++) set_direction(&specimen->shape.pieces[k].rotation.axis);
}

static void resolve_obstacle(scr_obstacle *obstacle, double scale)
{
  set_direction(&obstacle->rotation.axis);
  set_direction(&obstacle->direction);
  set_automatic(&obstacle->shape.width, 40 * scale);
  resolve_program(&obstacle->program);
  resolve_program(&obstacle->turn);
}

/* A part of an interval, to 15 digits so that a hundredth of 1e-5 reads 1e-07 and not 1.0000000000000001e-07; the whole where the
 * part is too small for a double. */
static double part_of(double interval, double divisor)
{
  char digits[NUMBER_TEXT_BYTES];
  snprintf(digits, sizeof digits, "%.15g", interval / divisor);
  double part = strtod(digits, NULL);
  return part == 0 ? interval : part;
}

/* What a pair does not say is as in the default law. */
static void resolve_pair(const scene_document *document, scene_contact_pair *pair)
{
  const char *common = document->method ? section_values_of(&document->contact.law, document->method) : NULL;
  for (size_t i = 0; common && i < pair->law.count; i++) {
    const struct section_block *block = &pair->law.blocks[i];
    if (block->method != document->method) continue;
    for (size_t k = 0; k < block->method->surface.count; k++) {
      const scr_param *param = &block->method->surface.params[k];
      if (!block->given[k]) memcpy((char *)block->values + param->offset, common + param->offset, param_size(param));
    }
  }
}

scr_status resolve_document(scene_document *document)
{
  scene_output *output = &document->output;
  if (!document->run.device[0]) snprintf(document->run.device, sizeof document->run.device, "%s", RUN_ON_PROCESSOR);
  if (document->run.ranks == 0) document->run.ranks = 1;
  output->frame_automatic = isnan(output->frame_interval);
  output->sample_automatic = isnan(output->sample_interval);
  if (isnan(output->frame_interval)) output->frame_interval = part_of(document->time.duration, 100);
  if (isnan(output->sample_interval)) output->sample_interval = part_of(output->frame_interval, 10);
  for (size_t i = 0; i < document->contact.pair_count; i++) resolve_pair(document, &document->contact.pairs[i]);
  for (size_t i = 0; i < document->specimen_count; i++) resolve_rotations(&document->specimens[i]);
  double scale = picture_scale(document);
  resolve_rig(&document->rig, scale);
  for (size_t i = 0; i < document->obstacle_count; i++) resolve_obstacle(&document->obstacles[i], scale);
  document->rig.obstacles = document->obstacles;
  document->rig.obstacle_count = document->obstacle_count;
  return resolve_plots(document);
}

/* ── the scene ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Index of a material; material_count for the rig's walls. Names were checked. */
static size_t partner_index(const scene_document *document, const char *name)
{
  size_t index = 0;
  while (index < document->material_count && strcmp(document->materials[index].name, name) != 0) index++;
  return index;
}

static scr_status resolve_contact(scr_scene *scene)
{
  const scene_document *document = scene->document;
  size_t side = document->material_count + 1, size = document->method->surface.size;
  const void *common = section_values_of(&document->contact.law, document->method);
  char *surfaces = mem_array(side * side, size ? size : 1);
  scene->surfaces = surfaces;
  if (!surfaces) return SCR_NO_MEMORY;
  for (size_t i = 0; i < side * side; i++) memcpy(surfaces + i * size, common, size);
  for (size_t i = 0; i < document->contact.pair_count; i++) {
    const scene_contact_pair *pair = &document->contact.pairs[i];
    const void *law = section_values_of(&pair->law, document->method);
    size_t a = partner_index(document, pair->between[0]), b = partner_index(document, pair->between[1]);
    memcpy(surfaces + (a * side + b) * size, law, size);
    memcpy(surfaces + (b * side + a) * size, law, size);
  }
  return SCR_OK;
}

static scr_status resolve_materials(scr_scene *scene)
{
  const scene_document *document = scene->document;
  scene->materials = mem_array(document->material_count, sizeof *scene->materials);
  if (!scene->materials) return SCR_NO_MEMORY;
  scene->material_count = document->material_count;
  for (size_t i = 0; i < document->material_count; i++) {
    memcpy(scene->materials[i].name, document->materials[i].name, sizeof scene->materials[i].name);
    scene->materials[i].values = section_values_of(&document->materials[i].constants, document->method);
  }
  return SCR_OK;
}

static size_t grain_count(const scene_placement *placement)
{
  switch (placement->kind) {
  case SCENE_PLACEMENT_SINGLE: return 1;
  case SCENE_PLACEMENT_LATTICE: return (size_t)(placement->count[0] * placement->count[1] * placement->count[2]);
  case SCENE_PLACEMENT_LIST: return placement->position_count;
  case SCENE_PLACEMENT_RANDOM: return (size_t)placement->number;
  case SCENE_PLACEMENT_PACKED: break; /* its variants have them */
  }
  return 0;
}

/* Grains of a lattice: x runs fastest, z slowest. */
static void fill_lattice(const scene_placement *placement, scr_vec3 *positions)
{
  size_t next = 0;
  for (int64_t k = 0; k < placement->count[2]; k++)
    for (int64_t j = 0; j < placement->count[1]; j++)
      for (int64_t i = 0; i < placement->count[0]; i++)
        positions[next++] = vec3(placement->origin.x + (double)i * placement->pitch.x, placement->origin.y + (double)j * placement->pitch.y,
                                 placement->origin.z + (double)k * placement->pitch.z);
}

/* One of the variants that the checks made of a line. */
static scr_status resolve_variant(const scene_specimen *from, size_t number, scr_specimen *to)
{
  const scene_variant *variant = &from->variants[number];
  to->shape = variant->shape;
  to->rotation_axis = variant->axis;
  to->rotation_angle = variant->angle;
  to->position_count = variant->position_count;
  snprintf(to->name, sizeof to->name, "%.52s.%zu", from->name, number + 1);
  to->positions = mem_array(to->position_count, sizeof *to->positions);
  if (!to->positions) return SCR_NO_MEMORY;
  memcpy(to->positions, variant->positions, to->position_count * sizeof *to->positions);
  return SCR_OK;
}

/* @param variant which of the line's; those without have one */
static scr_status resolve_specimen(const scene_document *document, const scene_specimen *from, size_t variant, scr_specimen *to)
{
  double length = vec3_length(from->rotation.axis);
  size_t placed; /* of random places: all, for the checks have tried */
  *to = (scr_specimen){.line = (size_t)(from - document->specimens),
                       .material = (uint32_t)partner_index(document, from->material),
                       .shape = shape_for_methods(&from->shape),
                       .values = section_values_of(&from->division, document->method),
                       .rotation_axis = vec3_scale(from->rotation.axis, 1 / length),
                       .rotation_angle = from->rotation.angle_deg * (3.14159265358979323846 / 180),
                       .velocity = from->velocity,
                       .angular_velocity = from->angular_velocity,
                       .position_count = grain_count(&from->placement)};
  if (from->variant_count) return resolve_variant(from, variant, to);
  memcpy(to->name, from->name, sizeof to->name);
  to->positions = mem_array(to->position_count, sizeof *to->positions);
  if (!to->positions) return SCR_NO_MEMORY;
  if (from->placement.kind == SCENE_PLACEMENT_SINGLE)
    to->positions[0] = from->placement.position;
  else if (from->placement.kind == SCENE_PLACEMENT_LATTICE)
    fill_lattice(&from->placement, to->positions);
  else if (from->placement.kind == SCENE_PLACEMENT_RANDOM)
    return random_places(&from->placement, random_places_seed(document, from), to->positions, &placed);
  else
    memcpy(to->positions, from->placement.positions, to->position_count * sizeof *to->positions);
  return SCR_OK;
}

static size_t forms_of(const scene_specimen *specimen)
{
  return specimen->variant_count ? specimen->variant_count : 1;
}

static scr_status resolve_specimens(scr_scene *scene)
{
  const scene_document *document = scene->document;
  size_t count = 0, at = 0;
  for (size_t i = 0; i < document->specimen_count; i++) count += forms_of(&document->specimens[i]);
  scene->specimens = mem_array(count, sizeof *scene->specimens);
  if (!scene->specimens) return SCR_NO_MEMORY;
  scene->specimen_count = count;
  for (size_t i = 0; i < document->specimen_count; i++)
    for (size_t k = 0; k < forms_of(&document->specimens[i]); k++, at++)
      SCR_TRY(resolve_specimen(document, &document->specimens[i], k, &scene->specimens[at]));
  return SCR_OK;
}

scr_status resolve_scene(scr_scene *scene)
{
  const scene_document *document = scene->document;
  memcpy(scene->name, document->name, sizeof scene->name);
  memcpy(scene->title, document->title, sizeof scene->title);
  memcpy(scene->description, document->description, sizeof scene->description);
  scene->method = document->method;
  scene->seed = document->seed;
  scene->rig = document->rig;
  scene->time.duration = document->time.duration;
  scene->time.time_step = document->time.time_step;
  scene->time.safety_factor = document->time.safety_factor;
  scene->time.stop_rules = document->time.stop_rules;
  scene->time.stop_rule_count = document->time.stop_rule_count;
  scene->output.frame_interval = document->output.frame_interval;
  scene->output.sample_interval = document->output.sample_interval;
  scene->output.frame_automatic = document->output.frame_automatic;
  scene->output.sample_automatic = document->output.sample_automatic;
  scene->output.positions = document->output.positions;
  scene->output.surfaces = document->output.surfaces;
  scene->output.surface_cell = document->output.surface_cell;
  scene->output.pressure_time = document->output.pressure_time;
  scene->output.plots = document->output.plots;
  scene->output.plot_count = document->output.plot_count;
  scene->run = document->run;
  scene->options = section_values_of(&document->options, document->method);
  SCR_TRY(resolve_materials(scene));
  SCR_TRY(resolve_contact(scene));
  return resolve_specimens(scene);
}
