/* Which contacts a step has, their solution, energies. */
#include "methods/fibre/contact/problem.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/fibre/contact/rows.h"

enum { D = 3, B = ROD_UNKNOWNS, SIDES = 2, ROD_ENTRIES = 4 /* of a contact at most: two nodes of each side */ };

/* ── memory ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

void fibre_problem_clear(fibre_problem *p)
{
  mem_free(p->block_of), mem_free(p->node_of);
  mem_free(p->chain), mem_free(p->factor), mem_free(p->same);
  contact_chain_memory_destroy(p->memory);
  mem_free(p->momentum), mem_free(p->velocity);
  mem_free(p->first), mem_free(p->block), mem_free(p->jacobian);
  mem_free(p->offset), mem_free(p->impulse), mem_free(p->relative), mem_free(p->friction), mem_free(p->hold);
  mem_free(p->axes), mem_free(p->key);
  mem_free(p->moves_first), mem_free(p->moves), mem_free(p->drift), mem_free(p->pressed);
  *p = (fibre_problem){0};
}

/* Room for n contacts; what is there stays. */
static scr_status make_contacts(fibre_problem *p, size_t n, scr_error *error)
{
  if (p->first && n <= p->capacity) return SCR_OK;
  const struct {
    void *array;
    size_t each, size;
  } arrays[] = {{&p->first, 1, sizeof *p->first},
                {&p->block, p->entries, sizeof *p->block},
                {&p->jacobian, p->entries * B * D, sizeof *p->jacobian},
                {&p->offset, D, sizeof *p->offset},
                {&p->impulse, D, sizeof *p->impulse},
                {&p->relative, D, sizeof *p->relative},
                {&p->friction, 1, sizeof *p->friction},
                {&p->axes, D * D, sizeof *p->axes},
                {&p->key, 1, sizeof *p->key},
                {&p->hold, 1, sizeof *p->hold}};
  size_t capacity = n + n / 2 + 64;
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
    size_t have = p->capacity > 0 ? (p->capacity + 1) * arrays[k].each : 0;
    SCR_TRY(mem_reserve(arrays[k].array, &have, (capacity + 1) * arrays[k].each, arrays[k].size, "the contact problem", error));
  }
  p->capacity = capacity;
  return SCR_OK;
}

/* Room for how points of super-helices move. */
static scr_status make_moves(fibre_state *s, scr_error *error)
{
  fibre_problem *p = &s->problem;
  size_t size = 0;
  p->entries = ROD_ENTRIES;
  if (s->element_count == 0) return SCR_OK;
  SCR_TRY(mem_allocate(&p->moves_first, s->fibre_count, sizeof *p->moves_first, "the contact problem", error));
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre *f = &s->fibres[k];
    p->moves_first[k] = size;
    size += f->elements > 0 ? (size_t)B * (f->end - f->begin) * fibre_helix_stride(f) : 0;
    if (SIDES * fibre_helix_blocks(f) > p->entries) p->entries = SIDES * fibre_helix_blocks(f);
  }
  SCR_TRY(mem_allocate(&p->moves, size, sizeof *p->moves, "the contact problem", error));
  SCR_TRY(mem_allocate(&p->drift, s->unknown_count, sizeof *p->drift, "the contact problem", error));
  return mem_allocate(&p->pressed, s->unknown_count, sizeof *p->pressed, "the contact problem", error);
}

static scr_status make_blocks(fibre_state *s, scr_error *error)
{
  fibre_problem *p = &s->problem;
  size_t chains = s->fibre_count + s->bodies.count, unknowns = s->unknown_count + FIBRE_BODY_UNKNOWNS * s->bodies.count;
  if (p->block_capacity >= s->node_count) return SCR_OK;
  p->block_of = mem_array(s->node_count, sizeof *p->block_of);
  p->node_of = mem_array(s->node_count, sizeof *p->node_of);
  p->momentum = mem_array(unknowns, sizeof *p->momentum);
  p->velocity = mem_array(unknowns, sizeof *p->velocity);
  p->chain = mem_array(chains, sizeof *p->chain);
  p->factor = mem_array(chains, sizeof *p->factor);
  p->same = mem_array(chains, sizeof *p->same);
  p->memory = contact_chain_memory_create();
  if (!p->block_of || !p->node_of || !p->momentum || !p->velocity || !p->chain || !p->factor || !p->same || !p->memory)
    return scr_fail_memory(error, "the contact problem", unknowns * 16);
  p->block_capacity = s->node_count;
  return make_moves(s, error);
}

/* ── contacts ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Of touches from `kept` on. */
static void drop_immovable(fibre_state *s, size_t kept)
{
  for (size_t i = kept; i < s->detection.count; i++)
    if (fibre_can_move(s, &s->detection.touch[i])) s->detection.touch[kept++] = s->detection.touch[i];
  s->detection.count = kept;
}

/* The chain of a fibre, its blocks in the order of its band; of a super-helix a full matrix of all its strains. */
static void list_fibre(fibre_state *s, size_t k)
{
  fibre_problem *p = &s->problem;
  const fibre *f = &s->fibres[k];
  const rod r = fibre_rod(s, f);
  size_t blocks = f->elements > 0 ? fibre_helix_blocks(f) : f->nodes, width = f->elements > 0 ? B * blocks - 1 : rod_band(f->ring);
  for (uint32_t i = 0; i < f->nodes; i++) {
    size_t block = p->blocks + (f->elements > 0 ? 0 : rod_place(&r, i));
    p->block_of[f->first + i] = s->touched[k] ? (uint32_t)block : UINT32_MAX;
    if (s->touched[k] && f->elements == 0) p->node_of[block] = f->first + i;
  }
  if (!s->touched[k]) return;
  for (uint32_t i = 0; i < blocks && f->elements > 0; i++) p->node_of[p->blocks + i] = f->first + i;
  p->factor[p->chain_count] = (la_band){B * blocks, width, s->matrix + f->band};
  p->chain[p->chain_count++] = (la_band){B * blocks, width, s->system + f->band};
  p->blocks += blocks;
}

/* Chains of the fibres that take part. */
static void list_blocks(fibre_state *s)
{
  fibre_problem *p = &s->problem;
  for (size_t i = 0; i < s->detection.count; i++) {
    s->touched[s->detection.touch[i].a.fibre] = true;
    if (s->detection.touch[i].part == FIBRE_NO_PART) s->touched[s->detection.touch[i].b.fibre] = true;
  }
  p->blocks = p->chain_count = 0;
  for (size_t k = 0; k < s->fibre_count; k++) list_fibre(s, k);
  p->node_blocks = p->blocks;
}

/* Those of bodies with other parts, and joints. */
static size_t others(const fibre_state *s)
{
  return s->bodies.touch_count + s->joints.count;
}

/* Behind all of detection.touch. */
static void add_other_contacts(fibre_state *s, double dt)
{
  fibre_problem *p = &s->problem;
  size_t entries = fibre_bodies_add_contacts(s, dt, p->first[s->detection.count]);
  entries = fibre_joints_add_contacts(s, s->detection.count + s->bodies.touch_count, entries);
  p->count = s->detection.count + others(s);
  p->first[p->count] = entries;
}

/* ── adhesion ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* hold_i = dt (c / n_i + b l_i): c of a point, shared by the n_i points of one crossing; b of a length, l_i what point i stands for. A
 * fibre that lies along a part or another fibre touches it at points one after the other, no farther apart than an edge: each stands for
 * half of the stretch to the next on both sides, where the gap at both is within the range. A point by itself stands for no length.
 * Contacts lie in the order of the edges of their first fibre. */

static size_t edge_of(const fibre_state *s, const fibre_touch *t)
{
  return s->fibres[t->a.fibre].first + t->a.edge;
}

static bool is_within(const fibre_state *s, const fibre_touch *t)
{
  return t->gap < s->adhesion_range;
}

/* One crossing of two fibres near a node has a point on each of up to four pairs of edges, by rounding. */
static bool same_crossing(const fibre_state *s, const fibre_touch *t, const fibre_touch *u)
{
  if (t->part != FIBRE_NO_PART || u->part != FIBRE_NO_PART || t->a.fibre != u->a.fibre || t->b.fibre != u->b.fibre) return false;
  return vec3_length(vec3_sub(t->place, u->place)) < s->fibres[t->a.fibre].contact_radius;
}

/* Of points, shared by those of one crossing, which are near each other in the list. */
static void hold_points(fibre_state *s, double dt)
{
  fibre_problem *p = &s->problem;
  for (size_t i = 0; i < s->detection.count; i++) {
    const fibre_touch *t = &s->detection.touch[i];
    p->hold[i] = is_within(s, t) ? dt * fibre_surface_at(s, t)->adhesion : 0;
    p->relative[i] = 1; /* points of its crossing; velocities are written there later */
  }
  for (size_t i = 0; i < s->detection.count; i++) {
    const fibre_touch *t = &s->detection.touch[i];
    for (size_t j = i + 1; p->hold[i] > 0 && j < s->detection.count && edge_of(s, &s->detection.touch[j]) <= edge_of(s, t) + 1; j++)
      if (p->hold[j] > 0 && same_crossing(s, t, &s->detection.touch[j])) p->relative[i]++, p->relative[j]++;
  }
  for (size_t i = 0; i < s->detection.count; i++) p->hold[i] /= p->relative[i];
}

/* Edges from t on to u, shares counted; < 0: u lies before it. A ring's first edge follows its last. */
static double edges_to(const fibre_state *s, const fibre_touch *t, const fibre_touch *u)
{
  const fibre *f = &s->fibres[t->a.fibre];
  double apart = (double)u->a.edge + u->a.share - (double)t->a.edge - t->a.share;
  return f->ring && apart < -1 ? apart + f->edges : apart;
}

static bool same_partner(const fibre_touch *t, const fibre_touch *u)
{
  return t->a.fibre == u->a.fibre && t->part == u->part && (t->part != FIBRE_NO_PART || t->b.fibre == u->b.fibre);
}

/* The next point along the same fibre with the same partner, no farther than an edge; i: there is none.
 * @param from the first contact that may be it */
static size_t next_along(const fibre_state *s, size_t i, size_t from, size_t to, double *edges)
{
  const double same = 1e-9; /* edges: points of one node */
  size_t next = i;
  *edges = 1 + same;
  for (size_t j = from; j < to; j++) {
    const fibre_touch *t = &s->detection.touch[i], *u = &s->detection.touch[j];
    if (j == i || !same_partner(t, u) || !is_within(s, u)) continue;
    double apart = edges_to(s, t, u);
    if (apart > same && apart < *edges) *edges = apart, next = j;
  }
  return next;
}

static void hold_stretches(fibre_state *s, double dt)
{
  size_t from = 0, to = 0, count = s->detection.count, of_fibre = 0;
  for (size_t i = 0; i < count; i++) {
    const fibre_touch *t = &s->detection.touch[i];
    const fibre *f = &s->fibres[t->a.fibre];
    double strength = fibre_surface_at(s, t)->line_adhesion, edges;
    if (i > 0 && s->detection.touch[i - 1].a.fibre != t->a.fibre) of_fibre = i;
    while (edge_of(s, &s->detection.touch[from]) < edge_of(s, t)) from++;
    for (to = to > i ? to : i; to < count && edge_of(s, &s->detection.touch[to]) <= edge_of(s, t) + 1; to++) {
    }
    if (!(strength > 0) || !is_within(s, t)) continue;
    size_t next = next_along(s, i, from, to, &edges);
    if (next == i && f->ring && t->a.edge + 1 == f->edges) next = next_along(s, i, of_fibre, to, &edges);
    if (next == i) continue;
    double half = 0.5 * dt * strength * edges * s->rest[edge_of(s, t)];
    s->problem.hold[i] += half;
    s->problem.hold[next] += half;
  }
}

static void set_adhesion(fibre_state *s, double dt)
{
  hold_points(s, dt);
  hold_stretches(s, dt);
}

/* ── the problem ─────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status fibre_problem_begin(fibre_state *s, const sim_parts *parts, double dt, scr_error *error)
{
  fibre_problem *p = &s->problem;
  SCR_TRY(make_blocks(s, error));
  SCR_TRY(make_contacts(p, s->detection.count + others(s), error));
  drop_immovable(s, 0);
  memset(s->touched, 0, s->fibre_count * sizeof *s->touched);
  fibre_joints_begin(s, dt);
  list_blocks(s);
  fibre_bodies_list(s, parts, dt);
  p->first[0] = 0;
  for (size_t i = 0; i < s->detection.count; i++) fibre_rows_add(s, i, dt);
  add_other_contacts(s, dt);
  s->detection.sorted = s->detection.count;
  set_adhesion(s, dt);
  p->fresh = true;
  return SCR_OK;
}

bool fibre_problem_is_finite(const fibre_state *s)
{
  const fibre_problem *p = &s->problem;
  double sum = 0;
  for (size_t k = 0; k < s->bodies.count; k++) {
    const fibre_body *body = &s->bodies.body[k];
    sum += vec3_length(body->push);
    for (size_t i = 0; i < FIBRE_BODY_UNKNOWNS; i++)
      for (size_t j = 0; j <= FIBRE_BODY_BAND; j++) sum += fabs(body->mass[i][j]);
    sum += vec3_length(body->spin.spin);
  }
  for (size_t k = 0; k < B * D * p->first[p->count]; k++) sum += fabs(p->jacobian[k]);
  for (size_t k = 0; k < D * p->count; k++) sum += fabs(p->offset[k]);
  return isfinite(sum);
}

/* Gives contact i the impulse of what pressed beside it: it is there now that they press. */
static void take_over(fibre_state *s, size_t i)
{
  const fibre_touch *t = &s->detection.touch[i];
  double *mine = s->problem.impulse + D * i;
  size_t beside[FIBRE_BESIDE];
  memset(mine, 0, D * sizeof *mine);
  for (int k = 0, count = fibre_touches_beside(s, t->key, beside); k < count; k++) {
    double *theirs = s->problem.impulse + D * beside[k];
    if (!(theirs[0] > 0)) continue;
    memcpy(mine, theirs, D * sizeof *mine);
    memset(theirs, 0, D * sizeof *theirs);
    return;
  }
}

scr_status fibre_problem_extend(fibre_state *s, double dt, scr_error *error)
{
  fibre_problem *p = &s->problem;
  size_t before = p->count - others(s);
  SCR_TRY(make_contacts(p, s->detection.count + others(s), error));
  drop_immovable(s, before);
  if (s->detection.count == before) return SCR_OK;
  memmove(p->impulse + D * s->detection.count, p->impulse + D * before, D * others(s) * sizeof *p->impulse);
  for (size_t i = before; i < s->detection.count; i++) {
    fibre_rows_add(s, i, dt);
    take_over(s, i);
    p->hold[i] = 0; /* what pulls is beside it */
  }
  add_other_contacts(s, dt);
  return SCR_OK;
}

/* ── solution ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Adhesion is an impulse that is known, f - H' of it: so the impulses that Coulomb's law is about are those that press, and a contact bears
 * friction until what pulls it apart is as much as adhesion. */
static void add_adhesion(fibre_problem *p)
{
  for (size_t i = 0; i < p->count; i++)
    for (size_t e = p->first[i]; e < p->first[i + 1] && p->hold[i] > 0; e++)
      for (size_t k = 0; k < B; k++) p->momentum[B * p->block[e] + k] -= p->jacobian[(e * B + k) * D] * p->hold[i];
}

contact_problem fibre_problem_of(const fibre_state *s)
{
  const fibre_problem *p = &s->problem;
  return (contact_problem){.dimension = D,
                           .contact_count = p->count,
                           .block_size = B,
                           .block_count = p->blocks,
                           .chain = p->chain,
                           .chain_count = p->chain_count,
                           .momentum = p->momentum,
                           .first = p->first,
                           .block = p->block,
                           .jacobian = p->jacobian,
                           .offset = p->offset,
                           .friction = p->friction};
}

/* Chains whose matrices and rows are those of the solve before in this step: of bodies all. Rows of joints follow the spins of bodies. */
static void list_same(fibre_state *s)
{
  fibre_problem *p = &s->problem;
  size_t chain = 0;
  for (size_t k = 0; k < s->joints.count; k++) s->linearised[s->joints.joint[k].fibre].fresh = true;
  for (size_t k = 0; k < s->fibre_count; k++)
    if (s->touched[k]) {
      p->same[chain++] = !p->fresh && !s->linearised[k].fresh;
      s->linearised[k].fresh = false;
    }
  while (chain < p->chain_count) p->same[chain++] = !p->fresh && s->joints.count == 0;
  p->fresh = false;
}

/* Velocities of nodes, and rates of strains. */
static void take_velocities(fibre_state *s)
{
  const fibre_problem *p = &s->problem;
  size_t block = 0;
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre *f = &s->fibres[k];
    if (!s->touched[k]) continue;
    if (f->elements > 0) memcpy(s->strain_rate + f->first_element, p->velocity + B * block, f->elements * sizeof *s->strain_rate);
    for (size_t i = block; i < block + f->nodes && f->elements == 0; i++)
      memcpy(s->velocity + B * (size_t)p->node_of[i], p->velocity + B * i, B * sizeof(double));
    block += f->elements > 0 ? fibre_helix_blocks(f) : f->nodes;
  }
}

static scr_status solve(fibre_state *s, const contact_options *options, contact_result *result, scr_error *error)
{
  fibre_problem *p = &s->problem;
  for (size_t k = 0; k < p->node_blocks; k++) memcpy(p->momentum + B * k, s->rhs + B * (size_t)p->node_of[k], B * sizeof(double));
  fibre_bodies_set_momenta(s);
  fibre_joints_follow(s);
  add_adhesion(p);
  contact_problem problem = fibre_problem_of(s);
  list_same(s);
  problem.chain_factor = p->factor;
  problem.chain_memory = p->memory, problem.chain_same = p->same;
  SCR_TRY(contact_solve(&problem, options, p->impulse, p->velocity, p->relative, result, error));
  fibre_bodies_take(s);
  take_velocities(s);
  return SCR_OK;
}

static contact_options options_of(double tolerance, double reference_speed, scr_execution execution)
{
  contact_options options = contact_options_default();
  options.tolerance = tolerance;
  options.reference_speed = reference_speed;
  options.execution = execution;
  options.factor_limit = 200;
  return options;
}

scr_status fibre_problem_solve(fibre_state *s, double tolerance, double reference_speed, scr_execution execution, contact_result *result,
                               scr_error *error)
{
  contact_options options = options_of(tolerance, reference_speed, execution);
  return solve(s, &options, result, error);
}

scr_status fibre_problem_refine(fibre_state *s, double tolerance, double reference_speed, scr_execution execution, scr_error *error)
{
  enum { SWEEPS = 200 };
  contact_result result;
  contact_options options = options_of(tolerance, reference_speed, execution);
  options.solver = CONTACT_GAUSS_SEIDEL, options.iteration_limit = SWEEPS, options.momentum = true;
  return solve(s, &options, &result, error);
}

double fibre_problem_merit(const fibre_state *s, const double *v)
{
  const fibre_problem *p = &s->problem;
  double sum = 0;
  for (size_t i = 0; i < p->count; i++) {
    double u[D] = {p->offset[D * i], p->offset[D * i + 1], p->offset[D * i + 2]};
    if (!(p->impulse[D * i] > 0) && !(p->hold[i] > 0)) continue;
    for (size_t k = p->first[i]; k < p->first[i + 1]; k++)
      for (size_t x = 0; x < B; x++)
        for (size_t row = 0; row < D; row++) u[row] += p->jacobian[(k * B + x) * D + row] * v[B * (size_t)p->node_of[p->block[k]] + x];
    sum += p->impulse[D * i] * (p->friction[i] * hypot(u[1], u[2]) + 2 * fmax(-u[0], 0)) + p->hold[i] * u[0];
  }
  return sum;
}

/* ── what it comes to ────────────────────────────────────────────────────────────────────────────────────────────── */

scr_vec3 fibre_contact_impulse(const fibre_state *s, size_t k, scr_vec3 *place)
{
  if (k < s->detection.count) {
    *place = s->detection.touch[k].place;
    return fibre_rows_impulse(s, k);
  }
  *place = s->bodies.touch[k - s->detection.count].place;
  return fibre_body_impulse(s, k - s->detection.count);
}

/* Gives an impulse to what a side stands on: forces on nodes for pictures, and what held unknowns pass on to their holders; the root of a
 * super-helix bears what its points do, contacts too (step/super_helix.c). */
static void pass_on(fibre_state *s, const fibre_side *o, bool on_helix, scr_vec3 impulse, double dt)
{
  for (int node = 0; node < 2; node++) {
    size_t u = B * o->node[node];
    s->node_force[o->node[node]] += o->weight[node] * vec3_length(impulse) / dt;
    for (size_t k = 0; k < D; k++)
      if (!on_helix && (s->held[u + k] || fibre_is_joined(s, o->node[node])))
        s->reaction[u + k] -= fibre_side_entry(o, node, (int)k, impulse) / dt;
  }
  size_t turn = B * o->node[0] + ROD_TWIST;
  if (!on_helix && s->held[turn]) s->reaction[turn] -= fibre_side_entry(o, 0, ROD_TWIST, impulse) / dt;
}

static void load_part(const fibre_state *s, sim_parts *parts, const fibre_touch *t, scr_vec3 impulse)
{
  part_load *load = &parts->load[t->part];
  scr_vec3 arm = vec3_sub(t->place, s->before[t->part].pose.position);
  load->impulse = vec3_sub(load->impulse, impulse);
  load->turning = vec3_sub(load->turning, vec3_cross(arm, impulse));
}

void fibre_problem_book(fibre_state *s, sim_parts *parts, double dt)
{
  fibre_problem *p = &s->problem;
  for (size_t i = 0; i < s->detection.count; i++) {
    const fibre_touch *t = &s->detection.touch[i];
    const double *r = p->impulse + i * D;
    cone_state state = cone_state_of(D, p->friction[i], r, 1e-6);
    s->counts.penetration = fmax(s->counts.penetration, -t->gap);
    if (state == CONE_OPEN && !(p->hold[i] > 0)) continue;
    s->counts.contacts++, s->counts.sticking += state == CONE_STICKING, s->counts.sliding += state == CONE_SLIDING;
    scr_vec3 impulse = fibre_rows_impulse(s, i);
    fibre_body *body = fibre_body_at(s, t);
    fibre_side a = fibre_side_of(s, t, false);
    pass_on(s, &a, s->fibres[t->a.fibre].elements > 0, impulse, dt);
    if (t->part == FIBRE_NO_PART) {
      fibre_side b = fibre_side_of(s, t, true);
      pass_on(s, &b, s->fibres[t->b.fibre].elements > 0, vec3_scale(impulse, -1), dt);
    } else {
      load_part(s, parts, t, impulse);
      if (body)
        fibre_body_push(body, t->place, vec3_scale(impulse, -1));
      else
        s->ledger->rig += vec3_dot(impulse, fibre_part_velocity(s, t, dt));
    }
    /* velocities of the problem itself: edges have turned since, and their arms with them */
    const double *u = p->relative + i * D;
    double along = u[0] - fmax(t->gap, 0) / dt, slid = r[1] * u[1] + r[2] * u[2];
    s->ledger->friction -= fmin(slid, 0); /* what a contact at rest gives is what the solver left, and no friction */
    s->ledger->impact -= (r[0] - p->hold[i]) * along + fmax(slid, 0);
  }
  fibre_bodies_book(s, parts, dt);
  fibre_joints_book(s, parts);
}
