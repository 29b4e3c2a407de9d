/* The rod or super-helix of each fibre, its frames, strains and energies, and the loads of the moment. */
#include <string.h>

#include "methods/fibre/state/state.h"

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

helix fibre_helix(const fibre_state *s, const fibre *f)
{
  return (helix){.elements = f->elements,
                 .edges = f->end - 1 - f->begin,
                 .length = f->length,
                 .stiffness = {f->bending[0], f->bending[1], f->twisting},
                 .natural = (const helix_strain *)(s->natural_strain + f->first_element)};
}

size_t fibre_matrix_entries(uint32_t nodes, bool ring, uint32_t elements)
{
  const fibre f = {.elements = elements};
  size_t of_rod = (size_t)ROD_UNKNOWNS * nodes * (rod_band(ring) + 1), of_helix = fibre_helix_stride(&f) * fibre_helix_stride(&f);
  return of_rod > of_helix ? of_rod : of_helix;
}

helix_frame fibre_root(const fibre_state *s, const fibre *f)
{
  helix_frame root = {.place = rod_position(s->place, f->first + f->begin)};
  root.axis[0] = s->frames.tangent[f->first];
  root.axis[1] = fibre_director(s, f, 0);
  root.axis[2] = vec3_cross(root.axis[0], root.axis[1]);
  return root;
}

void fibre_strain(const fibre_state *s, const fibre *f, uint32_t vertex, double strain[3], double natural[3])
{
  if (f->elements == 0) {
    rod r = fibre_rod(s, f);
    rod_frames frames = fibre_frames(&s->frames, f);
    rod_strain(&r, s->place + ROD_UNKNOWNS * (size_t)f->first, &frames, vertex, strain);
    memcpy(natural, s->natural[f->first + vertex], 3 * sizeof *natural);
    return;
  }
  helix h = fibre_helix(s, f);
  size_t e = f->first_element + helix_element_of_node(&h, vertex - f->begin);
  for (int a = 0; a < HELIX_STRAINS; a++) {
    strain[a] = s->span[f->first + vertex] * s->strain[e][a];
    natural[a] = s->span[f->first + vertex] * s->natural_strain[e][a];
  }
}

double fibre_tension(const fibre_state *s, const fibre *f, uint32_t edge)
{
  if (f->elements > 0) return s->tension[f->first + edge];
  rod r = fibre_rod(s, f);
  return rod_tension(&r, s->place + ROD_UNKNOWNS * (size_t)f->first, edge);
}

rod_energies fibre_energy(const fibre_state *s, const fibre *f)
{
  if (f->elements > 0) {
    helix h = fibre_helix(s, f);
    return helix_energy(&h, (const helix_strain *)(s->strain + f->first_element), NULL, 0, NULL);
  }
  rod r = fibre_rod(s, f);
  rod_frames frames = fibre_frames(&s->frames, f);
  return rod_energy(&r, s->place + ROD_UNKNOWNS * (size_t)f->first, &frames, NULL, ROD_EXACT, NULL);
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

void fibre_set_loads(fibre_state *s, double time)
{
  scr_vec3 g = s->scene->rig.gravity;
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre *f = &s->fibres[k];
    const fibre_specimen *block = scr_scene_specimen(s->scene, f->specimen);
    double share = block->force_rise > 0 ? fmin(1, time / block->force_rise) : 1;
    for (uint32_t i = 0; i < f->nodes; i++) {
      double *load = s->load + ROD_UNKNOWNS * (size_t)(f->first + i);
      const double *mass = s->mass + ROD_UNKNOWNS * (size_t)(f->first + i);
      load[0] = mass[0] * g.x, load[1] = mass[1] * g.y, load[2] = mass[2] * g.z;
    }
    double *last = s->load + ROD_UNKNOWNS * (size_t)(f->first + f->end - 1);
    last[0] += share * block->end_force.x, last[1] += share * block->end_force.y, last[2] += share * block->end_force.z;
  }
}
