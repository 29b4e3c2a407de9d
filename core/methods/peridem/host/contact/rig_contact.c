/* Nodes near the parts of the rig: repulsion, friction's springs, and explicit damping.
 *
 * Each block of nodes keeps its contacts in a list that is made anew in every force pass, in the order part, node; what a contact remembers
 * is found by walking along the list of the pass before. A contact pushes while distance < zero. */
#include "methods/peridem/host/contact/rig_contact.h"

#include <string.h>

#include "base/memory.h"
#include "methods/peridem/host/contact/rig_faces.h"
#include "methods/peridem/law/wall.h"

/* Sums over nodes: heat of slipping springs, what the trapezoidal rule misses of the work of moving parts, blocks without memory; then per
 * part: force 3, torque 3, damping, friction, their torques. */
enum { PART_SUMS = 10, SUM_SLIP = 0, SUM_PUSH, SUM_FAILED, SUM_PARTS, SUM_LIMIT = SUM_PARTS + PART_SUMS * SCR_PART_LIMIT };

static scr_vec3 at(const pd_vectors *v, size_t i)
{
  return vec3(v->x[i], v->y[i], v->z[i]);
}

static void add_at(pd_vectors *v, size_t i, scr_vec3 value)
{
  v->x[i] += value.x;
  v->y[i] += value.y;
  v->z[i] += value.z;
}

/* Way of a node relative to a part since the last force pass: positions have been predicted, velocities and accelerations not yet. */
static scr_vec3 displacement_of(const pd_state *s, const pd_rig_contact *contact)
{
  const pd_host *h = s->host;
  scr_vec3 arm = vec3_sub(at(&h->position, contact->node), s->rig->now[contact->part].pose.position);
  double dt = s->time_step;
  scr_vec3 displacement =
      vec3_add(vec3_scale(at(&h->velocity, contact->node), dt), vec3_scale(at(&h->acceleration, contact->node), 0.5 * dt * dt));
  return vec3_sub(displacement, part_displacement_at(&s->parts[contact->part].displacement, arm));
}

/* A node that starts nearer than `reach` touches where it starts: bodies may lie against the rig without a force. */
static double zero_of(const pd_state *s, size_t p, size_t i, double reach)
{
  scr_part_distance from;
  if (pd_contact_begins(s->options) == PD_SURFACE_NODES) return reach;
  bool near =
      scr_part_distance_within(&s->rig->form[p], s->rig->form[p].start, at(&s->host->reference, i), reach, 3 * s->contact_radius, &from);
  return near ? from.distance : reach;
}

/* Friction by a spring with history (shared spec 3.6 of bonded spheres): it turns with the surface, follows the node, and is cut where it
 * would exceed Coulomb's limit. What the node's way does against it and is not stored is heat: exactly 0 while a contact on a plane
 * sticks. @return the heat, J */
static double move_spring(pd_rig_contact *contact, scr_vec3 displacement, double stiffness, double limit, scr_vec3 *force)
{
  scr_vec3 n = contact->normal, old = contact->spring, tried = vec3_add(old, displacement);
  tried = vec3_sub(tried, vec3_scale(n, vec3_dot(tried, n)));
  double length = vec3_length(tried), most = limit / stiffness;
  contact->spring = length > most ? vec3_scale(tried, most / length) : tried;
  *force = vec3_scale(contact->spring, -stiffness);
  return 0.5 * stiffness *
         (vec3_dot(vec3_add(old, contact->spring), displacement) + vec3_dot(old, old) - vec3_dot(contact->spring, contact->spring));
}

/* Damping and the paper's friction by the velocity before the step, as forces on the node. */
static void damp_explicitly(const pd_state *s, const pd_rig_contact *contact, const pd_law *law, double cap, double held, scr_vec3 *damping,
                            scr_vec3 *friction)
{
  const pd_host *h = s->host;
  const pd_body *body = &s->bodies[h->grains[h->grain_of[contact->node]].body];
  scr_vec3 n = contact->normal, v = vec3_sub(at(&h->velocity, contact->node), pd_part_velocity(s, contact->part, contact->node));
  double vn = vec3_dot(v, n), fn = contact->force;
  v = vec3_sub(v, vec3_scale(n, vn)); /* what is left is tangential */
  double fd = body->node_volume * 2 * law->damping_ratio * sqrt(law->stiffness * body->density * cap) * vn;
  if (s->options->no_tension && fd > fn) fd = fn;
  double speed = vec3_length(v);
  *damping = vec3_scale(n, -fd);
  *friction = vec3(0, 0, 0);
  if (!(speed > 0)) return;
  if (s->options->friction_law == PD_FRICTION_VISCOUS) {
    double ft = fmin(law->friction_coefficient * fn, speed * body->node_mass / s->time_step) / speed;
    *friction = vec3_scale(v, -ft);
    return;
  }
  double stiffness = pd_rig_spring(s, contact, body, law);
  double dashpot = 2 * law->damping_ratio * sqrt(stiffness * body->node_mass);
  double ft = fmin(dashpot, fmax(0, law->friction_coefficient * fn - held) / speed);
  *damping = vec3_sub(*damping, vec3_scale(v, ft));
}

/* What one part does to one node at the contact's distance: adds to the node's forces and to the block's sums. */
static void push_node(pd_state *s, pd_rig_contact *contact, bool known, double *sums)
{
  pd_host *h = s->host;
  size_t p = contact->part, i = contact->node;
  const pd_body *body = &s->bodies[h->grains[h->grain_of[i]].body];
  const pd_law *law = &s->laws[body->material * (s->scene->material_count + 1) + s->scene->material_count];
  double depth = s->contact_radius + contact->distance - contact->zero, *part_sums = sums + SUM_PARTS + p * PART_SUMS;
  scr_vec3 held = vec3(0, 0, 0), damping = vec3(0, 0, 0), friction = vec3(0, 0, 0);
  const pd_wall_law kind = (pd_wall_law)s->options->wall_law;
  if (pd_uses_face_contact(s)) {
    pd_rig_push_face(s, contact);
  } else {
    contact->force = body->node_volume * law->stiffness * pd_wall_repulsion(kind, s->contact_radius, depth);
    contact->potential = body->node_volume * law->stiffness * pd_wall_potential(kind, s->contact_radius, depth);
  }
  if (s->options->friction_law == PD_FRICTION_SPRING && known)
    sums[SUM_SLIP] += move_spring(contact, displacement_of(s, contact), pd_rig_spring(s, contact, body, law),
                                  law->friction_coefficient * contact->force, &held);
  if (s->explicit_damping) {
    damp_explicitly(s, contact, law, pd_cap_volume(s->contact_radius, fmax(depth, 0)), vec3_length(held), &damping, &friction);
    add_at(&h->damping, i, damping);
    add_at(&h->friction, i, friction);
  }
  scr_vec3 force = vec3_add(vec3_add(friction, damping), vec3_add(held, vec3_scale(contact->normal, contact->force)));
  add_at(&h->force, i, force);
  scr_vec3 reaction = vec3_scale(force, -1), arm = vec3_sub(at(&h->position, i), s->rig->now[p].pose.position);
  scr_vec3 torque = vec3_cross(arm, reaction);
  const double six[6] = {reaction.x, reaction.y, reaction.z, torque.x, torque.y, torque.z};
  for (int k = 0; k < 6; k++) part_sums[k] += six[k];
  part_sums[6] += vec3_dot(damping, s->rig->form[p].axis);
  part_sums[7] += vec3_dot(friction, s->rig->form[p].axis);
  if (!s->explicit_damping || !s->rig->form[p].turns) return;
  part_sums[8] += vec3_dot(vec3_cross(arm, damping), s->rig->form[p].turn_axis);
  part_sums[9] += vec3_dot(vec3_cross(arm, friction), s->rig->form[p].turn_axis);
}

/* Springs of contacts of the pass before that are open now give back, as heat, what they hold and what the last half step took. */
static double open_contact(const pd_state *s, const pd_rig_contact *contact)
{
  const pd_body *body = &s->bodies[s->host->grains[s->host->grain_of[contact->node]].body];
  const pd_law *law = &s->laws[body->material * (s->scene->material_count + 1) + s->scene->material_count];
  double stiffness = pd_rig_spring(s, contact, body, law);
  return 0.5 * stiffness * vec3_dot(contact->spring, vec3_add(displacement_of(s, contact), contact->spring));
}

/* The work of a part on a node is its way times the mean of the repulsion over the relative way, which the potential gives exactly. The
 * ledger books the mean of the two ends, which is far too much while a contact closes: this is the difference. `old`, `now`: of one
 * contact, or NULL where it was not or is no longer */
static double push_missed(const pd_state *s, const pd_rig_contact *old, const pd_rig_contact *now)
{
  const pd_rig_contact *known = now ? now : old;
  if (s->rig->form[known->part].is_free) return 0; /* its work is not in the ledger */
  scr_vec3 arm = vec3_sub(at(&s->host->position, known->node), s->rig->now[known->part].pose.position);
  double displacement = vec3_dot(part_displacement_at(&s->parts[known->part].displacement, arm), known->normal);
  bool both = now && old, plane = s->rig->form[known->part].kind == SCR_PART_PLANE;
  if (displacement == 0 || s->step == 0 || (!plane && pd_rig_by_facet(s, known)))
    return 0;                                                               /* many normals: what the rule misses is not known */
  if (both ? vec3_dot(now->normal, old->normal) < 0.999 : !plane) return 0; /* round an edge the relative way is not along the normal */
  double apart = both ? now->distance - old->distance : vec3_dot(displacement_of(s, known), known->normal);
  if (!(fabs(apart) > 1e-6 * s->contact_radius)) return 0; /* the two agree, and the difference of potentials would only round */
  double risen = (now ? now->potential : 0) - (old ? old->potential : 0), ends = (now ? now->force : 0) + (old ? old->force : 0);
  return (-risen / apart - 0.5 * ends) * displacement;
}

/* A block's list in the making, and how far the one before has been walked through. */
typedef struct list_walk {
  pd_rig_block *block;
  size_t old;
  double heat; /* of springs whose contact has opened */
  double push; /* work of moving parts that the trapezoidal rule misses */
} list_walk;

/* Walks on to the contact of part p and node i; those passed over have opened. @return it, or NULL when there was none */
static const pd_rig_contact *walk_to(const pd_state *s, list_walk *walk, size_t p, size_t i)
{
  const pd_rig_block *block = walk->block;
  for (; walk->old < block->before_count; walk->old++) {
    const pd_rig_contact *old = &block->before[walk->old];
    if (old->part > p || (old->part == p && old->node > i)) break;
    if (old->part == p && old->node == i) return &block->before[walk->old++];
    walk->heat += open_contact(s, old);
    walk->push += push_missed(s, old, NULL);
  }
  return NULL;
}

/* Node i is nearer to part p than `reach`. @return false without memory */
static bool touch(pd_state *s, list_walk *walk, size_t p, size_t i, double reach, const scr_part_distance *from, double *sums)
{
  pd_rig_block *block = walk->block;
  if (!mem_grow(&block->now, &block->capacity, block->count + 1, sizeof *block->now)) return false;
  const pd_rig_contact *before = walk_to(s, walk, p, i);
  pd_rig_contact *contact = &block->now[block->count++];
  *contact = before ? *before : (pd_rig_contact){.part = (uint32_t)p, .node = (uint32_t)i};
  if (!before && pd_uses_face_contact(s))
    pd_rig_choose_face(s, contact, from->normal);
  else if (!before)
    contact->zero = zero_of(s, p, i, reach);
  contact->distance = from->distance;
  contact->normal = from->normal;
  contact->force = contact->potential = 0;
  if (from->distance < contact->zero || pd_rig_by_facet(s, contact)) {
    push_node(s, contact, before != NULL, sums);
  } else if (before) {
    walk->heat += open_contact(s, contact);
    contact->spring = vec3(0, 0, 0);
  }
  if (contact->force > 0 || (before && before->force > 0)) walk->push += push_missed(s, before, contact);
  return true;
}

/* Which of the nodes [begin, end) may be nearer to part p than what they touch it at: of a plane's most are not. @return how many */
static size_t near_of(const pd_state *s, size_t p, size_t begin, size_t end, uint32_t *near)
{
  const pd_host *h = s->host;
  const scr_part *form = &s->rig->form[p];
  if (form->kind == SCR_PART_PLANE && !form->pivots) {
    const double *const position[3] = {h->position.x, h->position.y, h->position.z};
    const double normal[3] = {form->normal.x, form->normal.y, form->normal.z};
    double reach = 0;
    for (size_t b = 0; b < s->body_count; b++) reach = fmax(reach, s->bodies[b].rig_zero);
    return h->kernels->below(position, begin, end, normal, vec3_dot(s->rig->now[p].pose.position, form->normal), reach, near);
  }
  for (size_t i = begin; i < end; i++) near[i - begin] = (uint32_t)i;
  return end - begin;
}

/* @return false without memory */
static bool block_pass(pd_state *s, size_t begin, size_t end, double *sums)
{
  pd_host *h = s->host;
  pd_rig_block *block = &h->rig_blocks[begin / PD_BLOCK], was = *block;
  list_walk walk = {.block = block};
  *block = (pd_rig_block){was.before, was.now, 0, was.before_capacity, was.count, was.capacity};
  for (size_t p = 0; p < s->rig->count; p++) {
    if (s->rig->form[p].kind == SCR_PART_GRIP) continue; /* a grip pushes nothing */
    uint32_t near[PD_BLOCK + PD_LANES];
    size_t count = near_of(s, p, begin, end, near);
    for (size_t k = 0; k < count; k++) {
      /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): written by the kernel behind a pointer */
      size_t i = near[k];
      scr_part_distance from;
      double reach = s->bodies[h->grains[h->grain_of[i]].body].rig_zero;
      if (!pd_node_near_part(s, p, i, reach, &from)) continue;
      if (!touch(s, &walk, p, i, reach, &from, sums)) return false;
    }
  }
  (void)walk_to(s, &walk, SCR_PART_LIMIT, 0);
  sums[SUM_SLIP] += walk.heat;
  sums[SUM_PUSH] += walk.push;
  return true;
}

static void add_block(const void *user, size_t begin, size_t end, double *sums)
{
  sums[SUM_FAILED] += !block_pass(*(pd_state *const *)user, begin, end, sums);
}

scr_status pd_rig_pass(pd_state *s, pd_part_sums *sums, double *heat, double *push, scr_error *error)
{
  double sum[SUM_LIMIT] = {[SUM_SLIP] = *heat, [SUM_PUSH] = *push};
  pd_sum_nodes(s, SUM_PARTS + PART_SUMS * s->rig->count, add_block, &s, sum);
  if (sum[SUM_FAILED] > 0) return scr_fail_memory(error, "the contacts with the rig", s->node_count * sizeof(pd_rig_contact));
  *heat = sum[SUM_SLIP];
  *push = sum[SUM_PUSH];
  for (size_t p = 0; p < s->rig->count; p++) {
    const double *total = sum + SUM_PARTS + PART_SUMS * p;
    sums[p] = (pd_part_sums){.force = vec3(total[0], total[1], total[2]),
                             .torque = vec3(total[3], total[4], total[5]),
                             .damping = total[6],
                             .friction = total[7],
                             .damping_torque = total[8],
                             .friction_torque = total[9]};
  }
  return SCR_OK;
}

/* What a block's contacts hold. */
static void block_wall_energy(const void *user, size_t begin, size_t end, double *sum)
{
  const pd_state *s = user;
  const pd_host *h = s->host;
  const pd_rig_block *block = &h->rig_blocks[begin / PD_BLOCK];
  (void)end;
  for (size_t k = 0; k < block->count; k++) {
    const pd_rig_contact *contact = &block->now[k];
    const pd_body *body = &s->bodies[h->grains[h->grain_of[contact->node]].body];
    const pd_law *law = &s->laws[body->material * (s->scene->material_count + 1) + s->scene->material_count];
    double stiffness = pd_rig_spring(s, contact, body, law);
    *sum += contact->potential + 0.5 * stiffness * vec3_dot(contact->spring, contact->spring);
  }
}

double pd_energy_wall(const pd_state *s)
{
  double total = 0;
  pd_sum_nodes(s, 1, block_wall_energy, s, &total);
  return total;
}
