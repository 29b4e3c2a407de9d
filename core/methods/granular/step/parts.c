/* Where sand meets parts: contacts of nodes, and how much of a cell parts leave free.
 *
 * A node nearer than half a cell to a part, or inside it, may not move into it: a contact along the gradient of the part's distance,
 * with Coulomb friction.
 * A wall along the grid's lines has its nodes on it, so that it is where it is; other surfaces are felt up to half a cell farther out. */
#include <math.h>

#include "base/memory.h"
#include "methods/granular/step/bodies.h"

/* How parts went in the step. */
typedef struct part_paths {
  const sim_parts *parts;
  const part_motion *before;
  part_displacement displacement[SCR_PART_LIMIT];
  double step, reach, depth;
} part_paths;

static scr_vec3 node_place(const granular_state *s, uint32_t node)
{
  int64_t at[3];
  double x[3];
  geo_grid_place(&s->grid, node, at);
  for (int a = 0; a < 3; a++) x[a] = a < s->d ? s->domain.origin[a] + s->domain.h * (double)at[a] : 0;
  return granular_place(s, x);
}

/* Whether a part is a wall that does nothing: one across the slice, or where the domain goes around. */
static bool is_idle(const granular_state *s, const sim_parts *parts, size_t p)
{
  if (!parts->box || p >= SCR_WALL_COUNT) return false;
  if (p == SCR_WALL_Y_MIN || p == SCR_WALL_Y_MAX) return s->d == 2 || s->periodic[1];
  return (p == SCR_WALL_X_MIN || p == SCR_WALL_X_MAX) && s->periodic[0];
}

static double friction_at(const granular_state *s, const sim_parts *parts, size_t p, uint32_t node)
{
  const double *sum = s->sums + (size_t)node * GRANULAR_SUMS;
  if (parts->box && p < SCR_WALL_COUNT) {
    double own = p == SCR_WALL_Z_MIN ? s->options->floor_friction : s->options->side_friction;
    if (!isnan(own)) return own;
  }
  return sum[5] / sum[4];
}

/* Where a node lies on an edge of a part, rounding decides which way out the distance's gradient points, and a face that it leaves out lets
 * sand through for a cell's length beside the edge. So the gradient is taken a little upstream, where the sand comes from that would run
 * into the part. */
static void look_upstream(const granular_state *s, const part_paths *paths, size_t p, uint32_t node, scr_vec3 place,
                          granular_contact *contact)
{
  const double near = 1e-6 * s->domain.h, ahead = 1e-3 * s->domain.h;
  double flow[3], square = 0;
  scr_part_distance from;
  for (int i = 0; i < 3; i++) {
    flow[i] = i < s->d ? s->nodes[node].u[i] + paths->step * s->gravity[i] - contact->velocity[i] : 0;
    square += flow[i] * flow[i];
  }
  if (!(square > 0)) return;
  scr_vec3 upstream = vec3_sub(place, vec3_scale(granular_from_grid(s, flow), ahead / sqrt(square)));
  if (scr_part_distance_within_posed(&paths->parts->form[p], &paths->before[p].pose, upstream, ahead + near, paths->depth, &from))
    granular_to_grid(s, from.normal, contact->normal);
}

/* @return whether the part touches the node */
static bool touch(const granular_state *s, const part_paths *paths, size_t p, uint32_t node, scr_vec3 place, granular_contact *contact)
{
  const sim_parts *parts = paths->parts;
  scr_part_distance from;
  if (!scr_part_distance_within_posed(&parts->form[p], &paths->before[p].pose, place, paths->reach, paths->depth, &from)) return false;
  scr_vec3 arm = vec3_sub(place, paths->before[p].pose.position);
  scr_vec3 displacement = part_displacement_at(&paths->displacement[p], arm);
  granular_to_grid(s, from.normal, contact->normal);
  granular_to_grid(s, vec3_scale(displacement, 1 / paths->step), contact->velocity);
  if (fabs(from.distance) < 1e-6 * s->domain.h) look_upstream(s, paths, p, node, place, contact);
  double length =
      sqrt(contact->normal[0] * contact->normal[0] + contact->normal[1] * contact->normal[1] + contact->normal[2] * contact->normal[2]);
  if (length < 0.5) return false; /* across the slice */
  for (int i = 0; i < 3; i++) contact->normal[i] /= length, contact->r[i] = 0;
  contact->friction = friction_at(s, parts, p, node);
  contact->body = s->body_of[p];
  contact->inverse = s->nodes[node].inverse_mass;
  if (contact->body >= 0) {
    const granular_body *body = &s->bodies[contact->body];
    contact->arm = vec3_sub(place, body->centre);
    contact->inverse += body->inverse_mass + vec3_dot(contact->arm, contact->arm) * body->inverse_inertia;
    granular_body_velocity(s, body, contact->arm, contact->velocity);
  }
  contact->node = node, contact->part = (uint32_t)p;
  return true;
}

/* Which parts may be nearer than `reach` to a node of a block, or inside which it may lie; `reach` > 0. @return how many */
static size_t parts_near(const granular_state *s, const part_paths *paths, uint32_t block, double reach, size_t near[SCR_PART_LIMIT])
{
  const uint32_t last = (block + 1) * GEO_GRID_BLOCK - 1;
  scr_vec3 low = node_place(s, block * GEO_GRID_BLOCK), high = node_place(s, last), centre = vec3_scale(vec3_add(low, high), 0.5);
  double around = 0.5 * vec3_length(vec3_sub(high, low)) * (1 + 1e-9) + reach;
  size_t count = 0;
  for (size_t p = 0; p < paths->parts->count; p++) {
    const scr_part *part = &paths->parts->form[p];
    const scr_pose *pose = &paths->before[p].pose;
    bool far = part->kind == SCR_PART_PLANE ? scr_part_distance_posed(part, pose, centre).distance >= around
                                            : scr_part_is_far_posed(part, pose, centre, around);
    if (!far && !is_idle(s, paths->parts, p)) near[count++] = p;
  }
  return count;
}

static scr_status find_contacts(granular_state *s, const part_paths *paths, scr_error *error)
{
  size_t near[SCR_PART_LIMIT];
  s->contact_count = 0;
  for (uint32_t block = 0; block < s->grid.block_count; block++) {
    const size_t count = parts_near(s, paths, block, paths->reach, near);
    s->contact_first[block] = (uint32_t)s->contact_count;
    for (uint32_t node = block * GEO_GRID_BLOCK; node < (block + 1) * GEO_GRID_BLOCK; node++) {
      if (count == 0 || s->nodes[node].inverse_mass == 0) continue;
      scr_vec3 place = node_place(s, node);
      for (size_t k = 0; k < count; k++) {
        SCR_TRY(mem_reserve(&s->contacts, &s->contact_capacity, s->contact_count + 1, sizeof *s->contacts, "contacts", error));
        s->contact_count += touch(s, paths, near[k], node, place, &s->contacts[s->contact_count]);
      }
    }
  }
  s->contact_first[s->grid.block_count] = (uint32_t)s->contact_count;
  return SCR_OK;
}

/* ── room that parts leave ──────────────────────────────────────────────────────────────────────────────────────── */

/* Share of a cell on the free side of the nearest part, by the distance of the cell's middle: exact for planes along the grid, and
 * for the others as a plane
 * would cut it, to first order. */
static float open_share(const granular_state *s, const part_paths *paths, const size_t *near, size_t count, uint32_t cell)
{
  double h = s->domain.h, reach = 0.5 * h * sqrt((double)s->d), share = 1, x[3] = {0};
  int64_t at[3];
  geo_grid_place(&s->grid, cell, at);
  for (int a = 0; a < s->d; a++) x[a] = s->domain.origin[a] + h * ((double)at[a] + 0.5);
  scr_vec3 middle = granular_place(s, x);
  for (size_t k = 0; k < count; k++) {
    const size_t p = near[k];
    scr_part_distance from;
    if (!scr_part_distance_within_posed(&paths->parts->form[p], &paths->before[p].pose, middle, reach, paths->depth, &from)) continue;
    double normal[3];
    granular_to_grid(s, from.normal, normal);
    double half = 0.5 * h * (fabs(normal[0]) + fabs(normal[1]) + fabs(normal[2]));
    share = fmin(share, fmin(fmax(0.5 + 0.5 * from.distance / half, 0), 1));
  }
  return (float)share;
}

scr_status granular_find_parts(granular_state *s, const granular_pass *pass, const sim_parts *parts, const part_motion *before,
                               scr_error *error)
{
  part_paths paths = {
      .parts = parts, .before = before, .step = pass->step, .reach = 0.5 * s->domain.h * (1 - 1e-9), .depth = 1e3 * s->domain.h};
  size_t places = s->grid.cell_count;
  for (size_t p = 0; p < parts->count; p++) paths.displacement[p] = part_displacement_between(&parts->form[p], &before[p], &parts->now[p]);
  if (!mem_grow(&s->contact_first, &s->contact_first_capacity, s->grid.block_count + 1, sizeof *s->contact_first))
    return scr_fail_memory(error, "contacts", s->grid.block_count * sizeof *s->contact_first);
  granular_begin_bodies(s, parts);
  SCR_TRY(find_contacts(s, &paths, error));
  SCR_TRY(granular_find_body_contacts(s, pass, parts, before, error));
  if (s->walls_stand) return SCR_OK;
  if (!mem_grow(&s->open, &s->open_capacity, places + 1, sizeof *s->open)) return scr_fail_memory(error, "cells", places * sizeof *s->open);
#pragma omp parallel for num_threads(pass->execution.threads) schedule(static)
  for (uint32_t block = 0; block < s->grid.block_count; block++) {
    size_t near[SCR_PART_LIMIT], count = parts_near(s, &paths, block, 2 * s->domain.h, near); /* a cell's middle is within h of its node */
    for (uint32_t c = block * GEO_GRID_BLOCK; c < (block + 1) * GEO_GRID_BLOCK; c++) s->open[c] = open_share(s, &paths, near, count, c);
  }
  return SCR_OK;
}
