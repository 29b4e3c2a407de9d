/* Places, frames, energies. What is summed over points lies in assemble.c. */
#include "methods/fibre/helix/helix.h"

#include "methods/fibre/helix/element.h"

helix_arc helix_arc_of(const helix_strain strain, double along)
{
  helix_arc o = {.along = along, .theta = vec3(strain[2] * along, -strain[1] * along, strain[0] * along)};
  turn_series(vec3_dot(o.theta, o.theta), o.series);
  o.mean = turn_map_of(TURN_MEAN, o.theta, o.series);
  return o;
}

static scr_vec3 axis_of(int a)
{
  return vec3(a == 0, a == 1, a == 2);
}

scr_vec3 helix_to_world(const helix_frame *frame, scr_vec3 v)
{
  return vec3_add(vec3_scale(frame->axis[0], v.x), vec3_add(vec3_scale(frame->axis[1], v.y), vec3_scale(frame->axis[2], v.z)));
}

scr_vec3 helix_arc_place(const helix_frame *begin, const helix_arc *arc)
{
  return vec3_along(begin->place, helix_to_world(begin, turn_apply(&arc->mean, axis_of(0))), arc->along);
}

static scr_vec3 unit(scr_vec3 v)
{
  return vec3_scale(v, 1 / vec3_length(v));
}

/* Orthonormal again, to rounding. */
static void turn_frame(const helix_frame *begin, const helix_arc *arc, scr_vec3 axis[3])
{
  turn_map turn = turn_map_of(TURN_ROTATION, arc->theta, arc->series);
  scr_vec3 t = unit(helix_to_world(begin, turn_apply(&turn, axis_of(0)))), m = helix_to_world(begin, turn_apply(&turn, axis_of(1)));
  axis[0] = t;
  axis[1] = unit(vec3_sub(m, vec3_scale(t, vec3_dot(m, t))));
  axis[2] = vec3_cross(axis[0], axis[1]);
}

void helix_lay(const helix *h, const helix_strain *strain, const helix_frame *root, helix_chain *chain, double *place,
               const rod_frames *frames)
{
  double element = h->length / h->elements, edge = h->length / h->edges;
  chain->begin[0] = *root;
  for (uint32_t e = 0; e < h->elements; e++) {
    helix_arc arc = helix_arc_of(strain[e], element);
    chain->begin[e + 1].place = helix_arc_place(&chain->begin[e], &arc);
    turn_frame(&chain->begin[e], &arc, chain->begin[e + 1].axis);
  }
  for (uint32_t k = 0; k <= h->edges; k++) {
    uint32_t e = helix_element_of_node(h, k);
    helix_arc arc = helix_arc_of(strain[e], edge * k - element * e);
    scr_vec3 at = helix_arc_place(&chain->begin[e], &arc);
    double *q = place + (size_t)ROD_UNKNOWNS * k;
    q[0] = at.x, q[1] = at.y, q[2] = at.z;
  }
  for (uint32_t k = 0; k < h->edges; k++) {
    uint32_t e = helix_element_of_edge(h, k);
    helix_arc arc = helix_arc_of(strain[e], edge * (k + 0.5) - element * e);
    scr_vec3 axis[3];
    turn_frame(&chain->begin[e], &arc, axis);
    frames->tangent[k] = axis[0], frames->director[k] = axis[1];
  }
}

void helix_turns(const helix *h, const rod_frames *from, const rod_frames *to, double *place, scr_vec3 *axis)
{
  for (uint32_t k = 0; k < h->edges; k++) {
    scr_vec3 t = to->tangent[k], carried = rod_transport(from->director[k], from->tangent[k], t);
    place[(size_t)ROD_UNKNOWNS * k + ROD_TWIST] =
        atan2(vec3_dot(vec3_cross(carried, to->director[k]), t), vec3_dot(carried, to->director[k]));
    double sum = 1 + vec3_dot(from->tangent[k], t);
    axis[k] = sum > 1e-12 ? vec3_scale(vec3_add(from->tangent[k], t), 1 / sum) : t;
  }
}

rod_energies helix_energy(const helix *h, const helix_strain *strain, double *slope, double factor, la_band *matrix)
{
  double length = h->length / h->elements;
  rod_energies sum = {0};
  for (uint32_t e = 0; e < h->elements; e++)
    for (size_t a = 0; a < HELIX_STRAINS; a++) {
      double by = strain[e][a] - h->natural[e][a], stiffness = length * h->stiffness[a];
      *(a == 2 ? &sum.twisting : &sum.bending) += 0.5 * stiffness * by * by;
      size_t row = HELIX_STRAINS * (size_t)e + a;
      if (slope) slope[row] += stiffness * by;
      if (matrix) *la_band_at(matrix, row, row) += factor * stiffness;
    }
  return sum;
}
