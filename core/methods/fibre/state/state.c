/* Making the state of a run, and what can be asked of it. */
#include "methods/fibre/state/state.h"

#include "base/memory.h"
#include "methods/fibre/contact/problem.h"

uint32_t fibre_node_count(const fibre_specimen *block)
{
  uint32_t edges = (uint32_t)block->edges;
  if (block->form == FIBRE_RING) return edges;
  bool clamped = block->hold == FIBRE_CLAMPED;
  bool start = block->held == FIBRE_HELD_START || block->held == FIBRE_HELD_BOTH,
       end = block->held == FIBRE_HELD_END || block->held == FIBRE_HELD_BOTH;
  return edges + 1 + (clamped && start) + (clamped && end);
}

rod fibre_rod(const fibre_state *s, const fibre *f)
{
  return (rod){.nodes = f->nodes,
               .edges = f->edges,
               .ring = f->ring,
               .stretching = f->stretching,
               .bending = {f->bending[0], f->bending[1]},
               .twisting = f->twisting,
               .rest = s->rest + f->first,
               .span = s->span + f->first,
               .natural = (const double(*)[3])(s->natural + f->first)};
}

rod_frames fibre_frames(const rod_frames *all, const fibre *f)
{
  return (rod_frames){all->director + f->first, all->tangent + f->first, all->reference + f->first};
}

scr_vec3 fibre_director(const fibre_state *s, const fibre *f, uint32_t edge)
{
  size_t i = f->first + edge;
  double angle = s->place[ROD_UNKNOWNS * i + ROD_TWIST];
  scr_vec3 a = s->frames.director[i], b = vec3_cross(s->frames.tangent[i], a);
  return vec3_add(vec3_scale(a, cos(angle)), vec3_scale(b, sin(angle)));
}

rod_energies fibre_elastic(const fibre_state *s)
{
  rod_energies sum = {0};
  for (size_t k = 0; k < s->fibre_count; k++) {
    const rod_energies *of = &s->reports[k].energy;
    sum.stretching += of->stretching;
    sum.bending += of->bending;
    sum.twisting += of->twisting;
  }
  return sum;
}

double fibre_kinetic(const fibre_state *s)
{
  double sum = 0;
  for (size_t k = 0; k < s->fibre_count; k++) sum += s->reports[k].kinetic;
  return sum;
}

double fibre_margin(const scr_scene *scene)
{
  const fibre_options *options = scene->options;
  double least = INFINITY;
  for (size_t k = 0; k < scene->specimen_count; k++) {
    const fibre_specimen *block = scr_scene_specimen(scene, k);
    least = fmin(least, isnan(block->contact_radius) ? scene->specimens[k].shape.radius : block->contact_radius);
  }
  return isnan(options->margin) ? 0.5 * least : options->margin;
}

static void count_nodes(fibre_state *s)
{
  const scr_scene *scene = s->scene;
  for (size_t k = 0; k < scene->specimen_count; k++) {
    const fibre_specimen *block = scr_scene_specimen(scene, k);
    size_t count = scene->specimens[k].position_count, nodes = fibre_node_count(block);
    s->fibre_count += count;
    s->node_count += count * nodes;
    s->band_count += count * nodes * ROD_UNKNOWNS * (rod_band(block->form == FIBRE_RING) + 1);
  }
  s->unknown_count = ROD_UNKNOWNS * s->node_count;
}

void fibre_measure(fibre_state *s)
{
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre *f = &s->fibres[k];
    rod r = fibre_rod(s, f);
    rod_frames frames = fibre_frames(&s->frames, f);
    size_t u = ROD_UNKNOWNS * (size_t)f->first;
    fibre_report *report = &s->reports[k];
    *report = (fibre_report){.energy = rod_energy(&r, s->place + u, &frames, NULL, ROD_EXACT, NULL), .solved = true};
    for (size_t i = 0; i < (size_t)ROD_UNKNOWNS * f->nodes; i++)
      report->kinetic += 0.5 * s->mass[u + i] * s->velocity[u + i] * s->velocity[u + i];
  }
}

scr_status fibre_state_create(const scr_scene *scene, const sim_parts *parts, sim_ledger *ledger, fibre_state **state, scr_error *error)
{
  fibre_state *s = *state = mem_array(1, sizeof *s);
  if (!s) return scr_fail_memory(error, "a simulation", sizeof *s);
  s->scene = scene;
  s->options = scene->options;
  s->ledger = ledger;
  count_nodes(s);
  SCR_TRY(fields_allocate(fibre_fields, FIBRE_FIELDS, s, error));
  fibre_place_all(s, parts);
  fibre_set_loads(s, 0);
  s->margin = fibre_margin(scene);
  fibre_measure(s);
  rod_energies elastic = fibre_elastic(s);
  ledger_begin(ledger, parts, fibre_kinetic(s) + elastic.stretching + elastic.bending + elastic.twisting);
  return SCR_OK;
}

void fibre_state_destroy(fibre_state *s)
{
  if (!s) return;
  fields_free(fibre_fields, FIBRE_FIELDS, s);
  fibre_detection_clear(&s->detection);
  fibre_problem_clear(&s->problem);
  mem_free(s->buffer);
  mem_free(s);
}
