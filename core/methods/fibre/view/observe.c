/* Curves. */
#include <string.h>

#include "methods/fibre/view/view.h"

static scr_vec3 place_of(const fibre_state *s, size_t node)
{
  return rod_position(s->place, (uint32_t)node);
}

void fibre_start_load(const fibre_state *s, const fibre *f, scr_vec3 *force, scr_vec3 *torque)
{
  uint32_t count = 0;
  *force = *torque = vec3(0, 0, 0);
  while (count < f->nodes && s->node_holder[f->first + count] != FIBRE_LOOSE) count++;
  if (count == 0) return;
  scr_vec3 about = place_of(s, f->first + count - 1);
  for (uint32_t i = 0; i < count; i++) {
    size_t node = f->first + i;
    const double *r = s->reaction + ROD_UNKNOWNS * node;
    scr_vec3 pull = vec3(-r[0], -r[1], -r[2]);
    *force = vec3_add(*force, pull);
    *torque = vec3_add(*torque, vec3_cross(vec3_sub(place_of(s, node), about), pull));
    if (s->edge_holder[node] != FIBRE_LOOSE) *torque = vec3_add(*torque, vec3_scale(s->frames.tangent[node], -r[ROD_TWIST]));
  }
}

/* Elastic twist of a fibre, in turns. */
static double twist_of(const fibre_state *s, const fibre *f)
{
  rod r = fibre_rod(s, f);
  double sum = 0, strain[3], natural[3];
  for (size_t e = 0; e < f->elements; e++)
    sum += f->length / f->elements * (s->strain[f->first_element + e][2] - s->natural_strain[f->first_element + e][2]);
  for (uint32_t i = rod_first_vertex(&r); f->elements == 0 && i < f->edges; i++) {
    fibre_strain(s, f, i, strain, natural);
    sum += strain[2] - natural[2];
  }
  return sum / (2 * M_PI);
}

typedef struct extremes {
  double tension, strain, curvature, speed;
  scr_vec3 momentum;
} extremes;

static void look_at(const fibre_state *s, const fibre *f, extremes *most)
{
  rod r = fibre_rod(s, f);
  double strain[3], natural[3];
  for (uint32_t e = 0; e < f->edges; e++) {
    double tension = fibre_tension(s, f, e);
    most->tension = fmax(most->tension, tension);
    if (f->elements == 0) most->strain = fmax(most->strain, fabs(tension / r.stretching)); /* a super-helix does not stretch */
  }
  for (uint32_t i = rod_first_vertex(&r); i < f->edges; i++) {
    fibre_strain(s, f, i, strain, natural);
    most->curvature = fmax(most->curvature, hypot(strain[0], strain[1]) / r.span[i]);
  }
  for (uint32_t i = 0; i < f->nodes; i++) {
    size_t u = ROD_UNKNOWNS * (size_t)(f->first + i);
    scr_vec3 v = rod_position(s->velocity, f->first + i);
    most->speed = fmax(most->speed, vec3_length(v));
    most->momentum = vec3_add(most->momentum, vec3_scale(v, s->mass[u]));
  }
}

void fibre_energies_of(const scr_sim *sim, sim_energies *now)
{
  const fibre_state *s = sim->state;
  rod_energies elastic = fibre_elastic(s);
  now->kinetic = fibre_kinetic(s);
  now->elastic = elastic.stretching + elastic.bending + elastic.twisting;
}

void fibre_observe(const scr_sim *sim, double *values)
{
  const fibre_state *s = sim->state;
  const fibre *first = &s->fibres[0];
  rod r = fibre_rod(s, first);
  rod_energies elastic = fibre_elastic(s);
  scr_vec3 end = place_of(s, first->first + first->end - 1), force, torque;
  extremes most = {0};
  for (size_t k = 0; k < s->fibre_count; k++) look_at(s, &s->fibres[k], &most);
  fibre_start_load(s, first, &force, &torque);
  const double all[] = {elastic.stretching,
                        elastic.bending,
                        elastic.twisting,
                        end.x,
                        end.y,
                        end.z,
                        force.x,
                        force.y,
                        force.z,
                        torque.x,
                        torque.y,
                        torque.z,
                        twist_of(s, first),
                        rod_writhe(&r, s->place + ROD_UNKNOWNS * (size_t)first->first),
                        most.tension,
                        most.strain,
                        most.curvature,
                        most.speed,
                        vec3_length(most.momentum),
                        (double)s->counts.iterations,
                        (double)s->counts.first_order,
                        (double)s->counts.unsolved,
                        (double)s->fibre_count,
                        (double)s->counts.contacts,
                        (double)s->counts.sticking,
                        (double)s->counts.sliding,
                        s->counts.penetration,
                        s->counts.residual,
                        (double)s->counts.unsolved_contacts};
  memcpy(values + 1, all, sizeof all);
}
