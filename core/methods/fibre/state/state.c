/* Making the state of a run, and what can be asked of it. */
#include "methods/fibre/state/state.h"

#include "base/memory.h"
#include "methods/fibre/contact/problem.h"

static double least_contact_radius(const scr_scene *scene)
{
  double least = INFINITY;
  for (size_t k = 0; k < scene->specimen_count; k++) {
    const fibre_specimen *block = scr_scene_specimen(scene, k);
    least = fmin(least, fibre_contact_radius(&scene->specimens[k], block));
  }
  return least;
}

double fibre_margin(const scr_scene *scene)
{
  const fibre_options *options = scene->options;
  return isnan(options->margin) ? 0.5 * least_contact_radius(scene) : options->margin;
}

double fibre_adhesion_range(const scr_scene *scene)
{
  const fibre_options *options = scene->options;
  return isnan(options->adhesion_range) ? 0.01 * least_contact_radius(scene) : options->adhesion_range;
}

static void count_nodes(fibre_state *s, const fibre_layout *layouts)
{
  const scr_scene *scene = s->scene;
  for (size_t k = 0; k < scene->specimen_count; k++) {
    const fibre_specimen *block = scr_scene_specimen(scene, k);
    size_t count = scene->specimens[k].position_count * fibre_layout_count(&layouts[k]), nodes = fibre_node_count(block);
    s->fibre_count += count;
    s->node_count += count * nodes;
    s->element_count += count * fibre_elements(block);
    s->band_count += count * fibre_matrix_entries((uint32_t)nodes, block->form == FIBRE_RING, fibre_elements(block));
  }
  s->unknown_count = ROD_UNKNOWNS * s->node_count;
}

void fibre_measure(fibre_state *s)
{
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre *f = &s->fibres[k];
    size_t u = ROD_UNKNOWNS * (size_t)f->first;
    fibre_report *report = &s->reports[k];
    *report = (fibre_report){.energy = fibre_energy(s, f), .solved = true};
    for (size_t i = 0; i < (size_t)ROD_UNKNOWNS * f->nodes; i++)
      report->kinetic += 0.5 * s->mass[u + i] * s->velocity[u + i] * s->velocity[u + i];
  }
}

/* Room for all fibres, which are then laid and placed. */
static scr_status lay_fibres(fibre_state *s, fibre_layout *layouts, const sim_parts *parts, scr_error *error)
{
  for (size_t k = 0; k < s->scene->specimen_count; k++) SCR_TRY(fibre_layout_open(s->scene, k, &layouts[k], error));
  count_nodes(s, layouts);
  SCR_TRY(fields_allocate(fibre_fields, FIBRE_FIELDS, s, error));
  fibre_place_all(s, layouts, parts);
  return SCR_OK;
}

/* What no balance can tell from rounding: edges stretched by a 10^-12 part of the largest coordinate, which is some hundred roundings. */
static double least_energy(const fibre_state *s)
{
  double extent = 0, stiffness = 0;
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre *f = &s->fibres[k];
    for (uint32_t i = 0; i < f->nodes; i++) extent = fmax(extent, vec3_length(rod_position(s->place, f->first + i)));
    for (uint32_t e = 0; e < f->edges; e++) stiffness += f->stretching / s->rest[f->first + e];
  }
  return 0.5 * stiffness * 1e-24 * extent * extent;
}

scr_status fibre_state_create(const scr_scene *scene, const sim_parts *parts, sim_ledger *ledger, fibre_state **state, scr_error *error)
{
  fibre_state *s = *state = mem_array(1, sizeof *s);
  if (!s) return scr_fail_memory(error, "a simulation", sizeof *s);
  s->scene = scene;
  s->options = scene->options;
  s->ledger = ledger;
  fibre_layout *layouts;
  SCR_TRY(mem_allocate(&layouts, scene->specimen_count, sizeof *layouts, "how fibres are laid", error));
  scr_status status = lay_fibres(s, layouts, parts, error);
  for (size_t k = 0; k < scene->specimen_count; k++) fibre_layout_close(&layouts[k]);
  mem_free(layouts);
  SCR_TRY(status);
  fibre_set_loads(s, 0);
  s->margin = fibre_margin(scene);
  s->adhesion_range = fibre_adhesion_range(scene);
  SCR_TRY(fibre_bodies_create(&s->bodies, parts, error));
  SCR_TRY(fibre_joints_create(s, parts, error));
  fibre_measure(s);
  rod_energies elastic = fibre_elastic(s);
  ledger->least = least_energy(s);
  ledger_begin(ledger, parts, fibre_kinetic(s) + elastic.stretching + elastic.bending + elastic.twisting);
  return SCR_OK;
}

void fibre_state_destroy(fibre_state *s)
{
  if (!s) return;
  fields_free(fibre_fields, FIBRE_FIELDS, s);
  fibre_detection_clear(&s->detection);
  fibre_bodies_clear(&s->bodies);
  fibre_joints_clear(&s->joints);
  fibre_problem_clear(&s->problem);
  mem_free(s->buffer);
  mem_free(s);
}
