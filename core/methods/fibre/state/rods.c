/* The rod of each fibre, its frames and energies, read from the state. */
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
