/* Packed vectors of few nodes. */
#include "methods/peridem/device/subset.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/peridem/device/marked.h"
#include "methods/peridem/device/pairs.h"
#include "methods/peridem/device/rig_watch.h"
#include "methods/peridem/host/contact/pair_faces.h"
#include "methods/peridem/host/contact/rig_faces.h"

scr_status pd_subset_create(pd_state *s, scr_error *error)
{
  pd_device *d = s->device;
  pd_subset *u = &d->subset;
  size_t n = s->node_count;
  u->node = mem_array(n, sizeof *u->node);
  u->chosen = mem_array(n, 1);
  u->fresh = mem_array(n, 1);
  u->held = mem_array(n, sizeof *u->held);
  u->wanted = mem_array(n, sizeof *u->wanted);
  u->touched = mem_array(n, sizeof *u->touched);
  u->packed = mem_array(n, 3 * sizeof *u->packed);
  if (!u->node || !u->chosen || !u->fresh || !u->held || !u->wanted || !u->touched || !u->packed)
    return scr_fail_memory(error, "the nodes of contacts", n * sizeof *u->packed);
  SCR_TRY(device_allocate(d->device, &u->marks, n * sizeof *u->touched, error));
  SCR_TRY(device_allocate(d->device, &u->known, 3 * n * sizeof(double), error));
  SCR_TRY(device_allocate(d->device, &u->nodes, n * sizeof *u->node, error));
  SCR_TRY(device_allocate(d->device, &u->some, n * sizeof *u->node, error));
  SCR_TRY(device_allocate(d->device, &u->planes, PD_PLANE_NUMBERS * SCR_PART_LIMIT * sizeof(double), error));
  return device_allocate(d->device, &u->values, 3 * n * sizeof(double), error);
}

void pd_subset_clear(pd_device *d)
{
  pd_subset *u = &d->subset;
  device_array *arrays[] = {&u->marks, &u->known, &u->nodes, &u->some, &u->planes, &u->values};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_release(d->device, arrays[k]);
  void *all[] = {u->node, u->chosen, u->fresh, u->held, u->wanted, u->touched, u->packed};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
}

/* ── choosing ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void forget(pd_subset *u)
{
  for (size_t k = 0; k < u->count; k++) u->chosen[u->node[k]] = 0, u->touched[u->node[k]] = 0;
  u->count = 0;
  u->is_sent = false;
}

static void choose(pd_subset *u, size_t node)
{
  if (u->chosen[node]) return;
  u->chosen[node] = 1;
  u->node[u->count++] = (uint32_t)node;
  u->is_sent = false;
}

/* The first of those chosen stay, the others were asked for positions alone. */
static void drop_behind(pd_subset *u, size_t count)
{
  if (count == u->count) return;
  for (size_t k = count; k < u->count; k++) u->chosen[u->node[k]] = 0;
  u->count = count;
  u->is_sent = false;
}

static void choose_rig_contacts(pd_state *s)
{
  const pd_host *h = s->host;
  pd_subset *u = &s->device->subset;
  for (size_t b = 0; b < h->block_count; b++)
    for (size_t k = 0; k < h->rig_blocks[b].count; k++) {
      const pd_rig_contact *contact = &h->rig_blocks[b].now[k];
      choose(u, contact->node);
      u->touched[contact->node] |= 1u << contact->part;
    }
}

/* Nodes at the other ends of a node's bonds: a contact that begins asks how its face is turned by them. */
static void choose_neighbours(pd_state *s, size_t node)
{
  const pd_grain *grain = &s->host->grains[s->host->grain_of[node]];
  uint32_t first = grain->bonds->first[node - grain->first];
  for (uint32_t k = first; k < first + grain->bonds->count[node - grain->first]; k++)
    choose(&s->device->subset, grain->first + grain->bonds->other[k]);
}

/* A node and its family. */
static void choose_family(pd_state *s, size_t node)
{
  const pd_grain *grain = &s->host->grains[s->host->grain_of[node]];
  const pd_bonds *bonds = grain->bonds;
  double least = pd_family_bound(&s->bodies[grain->body]);
  uint32_t first = bonds->first[node - grain->first];
  choose(&s->device->subset, node);
  for (uint32_t k = first; k < first + bonds->count[node - grain->first]; k++)
    if (bonds->inverse_length[k] >= least) choose(&s->device->subset, grain->first + bonds->other[k]);
}

/* The rig's planes, behind which nodes may touch them. @return false: there are parts of other forms */
static bool planes_of(const pd_state *s, double *planes, uint64_t *count)
{
  double reach = 0;
  *count = 0;
  for (size_t b = 0; b < s->body_count; b++) reach = fmax(reach, s->bodies[b].rig_zero);
  for (size_t p = 0; p < s->rig->count; p++) {
    const scr_part *form = &s->rig->form[p];
    if (form->kind == SCR_PART_GRIP) continue;
    if (form->kind != SCR_PART_PLANE || form->pivots) return false;
    double offset = vec3_dot(s->rig->now[p].pose.position, form->normal) + reach;
    const double plane[PD_PLANE_NUMBERS] = {form->normal.x, form->normal.y, form->normal.z, offset + 1e-9 * (fabs(offset) + reach),
                                            (double)p};
    memcpy(planes + PD_PLANE_NUMBERS * (*count)++, plane, sizeof plane);
  }
  return true;
}

/* Which nodes are near a plane, where they are or where the host has them. @return how many */
static size_t mark_near(pd_state *s, const double *planes, uint64_t count, const uint32_t **marked)
{
  pd_device *d = s->device;
  pd_subset *u = &d->subset;
  uint64_t n = s->node_count;
  const device_argument arguments[] = {DEVICE_ARRAY(d->vector[PD_POSITION]),
                                       DEVICE_ARRAY(u->known),
                                       DEVICE_ARRAY(u->planes),
                                       DEVICE_VALUE(count),
                                       DEVICE_ARRAY(u->marks),
                                       DEVICE_ARRAY(d->flags),
                                       DEVICE_VALUE(n)};
  if (!count || !pd_to_device(s, PD_OF_POSITION)) return 0;
  d->status = device_write(d->device, &u->planes, 0, planes, PD_PLANE_NUMBERS * count * sizeof *planes, &d->error);
  pd_run_kernel(s, PD_KERNEL_NEAR, n, arguments, sizeof arguments / sizeof *arguments);
  return pd_take_flag(s, PD_FLAG_NEAR) ? pd_take_marked(s, &u->marks, false, marked) : 0;
}

/* Whether node i, whose position the host has, begins to touch some part in this pass, or may. */
static bool begins(const pd_state *s, size_t i)
{
  scr_part_distance from;
  double reach = s->bodies[s->host->grains[s->host->grain_of[i]].body].rig_zero;
  for (size_t p = 0; p < s->rig->count; p++)
    if (s->rig->form[p].kind != SCR_PART_GRIP && !(s->device->subset.touched[i] >> p & 1u) && pd_node_near_part(s, p, i, reach, &from))
      return true;
  return false;
}

/* Brings positions of the chosen nodes; those behind the first `count` are asked for nothing else. */
static pd_rig_reach bring_places(pd_state *s, size_t count)
{
  if (!pd_subset_to_host(s, PD_OF_POSITION)) return PD_RIG_ANYWHERE;
  drop_behind(&s->device->subset, count);
  return PD_RIG_NEAR;
}

/* Nodes that touched in the pass before, and those of a list that begin to: the others' positions alone come. Contacts that begin look at
 * neighbours where a face is to be turned. @param node [count], each `stride` after the one before */
static pd_rig_reach bring_contacts(pd_state *s, const uint32_t *node, size_t count, size_t stride)
{
  pd_subset *u = &s->device->subset;
  forget(u);
  choose_rig_contacts(s);
  size_t touching = u->count;
  for (size_t k = 0; k < count; k++) choose(u, node[stride * k]);
  if (!u->count) return PD_RIG_FAR;
  if (bring_places(s, touching) != PD_RIG_NEAR) return PD_RIG_ANYWHERE;
  for (size_t k = 0; k < count; k++)
    if (begins(s, node[stride * k])) choose(u, node[stride * k]);
  if (!u->count) return PD_RIG_FAR;
  touching = u->count;
  for (size_t k = 0; k < count && pd_uses_face_contact(s); k++)
    if (begins(s, node[stride * k])) choose_neighbours(s, node[stride * k]);
  return bring_places(s, touching);
}

/* Where parts are no planes: nodes that may come near them, of which the host says which do. */
static pd_rig_reach near_watched(pd_state *s)
{
  const pd_rig_watched *w = &s->device->watch;
  return pd_rig_watch(s) ? bring_contacts(s, w->node, w->count, 1) : PD_RIG_ANYWHERE;
}

/* Where they are: nodes near planes. */
static pd_rig_reach near_planes(pd_state *s, const double *planes, uint64_t plane_count)
{
  const uint32_t *marked = NULL;
  size_t near = mark_near(s, planes, plane_count, &marked);
  return s->device->status == SCR_OK ? bring_contacts(s, marked, near, 2) : PD_RIG_ANYWHERE;
}

pd_rig_reach pd_subset_near_rig(pd_state *s)
{
  double planes[PD_PLANE_NUMBERS * SCR_PART_LIMIT];
  uint64_t count;
  if (s->explicit_damping) return PD_RIG_ANYWHERE;
  return planes_of(s, planes, &count) ? near_planes(s, planes, count) : near_watched(s);
}

/* Before others are chosen. As long as rows are the same, springs hold none but nodes with rows. */
static void choose_facing(pd_state *s)
{
  const pd_host *h = s->host;
  pd_device_pairs *p = &s->device->pairs;
  pd_subset *u = &s->device->subset;
  for (size_t k = 0; h->facing && p->facing_is_known && k < p->facing_count; k++) choose(u, p->facing[k]);
  if (!h->facing || p->facing_is_known) return;
  for (size_t i = 0; i < s->node_count; i++)
    if (h->near.first[i] < h->near.first[i + 1] || h->facing->held[i]) choose_family(s, i);
  memcpy(p->facing, u->node, u->count * sizeof *p->facing);
  p->facing_count = u->count;
  p->facing_is_known = true;
}

bool pd_subset_of_facing(pd_state *s)
{
  const pd_device_pairs *p = &s->device->pairs;
  bool held = false;
  forget(&s->device->subset);
  choose_facing(s);
  for (size_t k = 0; k < p->facing_count && !held; k++) held = s->host->facing->held[p->facing[k]];
  return held;
}

static void choose_held(pd_state *s, size_t p)
{
  for (size_t k = s->grips.first[p]; k < s->grips.first[p + 1]; k++) choose(&s->device->subset, s->grips.held[k].element);
}

void pd_subset_of_held(pd_state *s, size_t p)
{
  forget(&s->device->subset);
  choose_held(s, p);
}

/* Behind those that are chosen. */
static void choose_rig(pd_state *s)
{
  choose_rig_contacts(s);
  for (size_t p = 0; p < s->rig->count; p++) choose_held(s, p);
}

void pd_subset_of_rig(pd_state *s)
{
  forget(&s->device->subset);
  choose_rig(s);
}

void pd_subset_of_dampers(pd_state *s)
{
  forget(&s->device->subset);
  choose_facing(s);
  choose_rig(s);
}

void pd_subset_of_past(pd_state *s)
{
  const pd_marked *m = &s->device->marked;
  forget(&s->device->subset);
  choose_facing(s);
  for (size_t k = 0; k < m->past_count; k++) choose(&s->device->subset, m->past[k]);
}

void pd_subset_of_torn(pd_state *s)
{
  const pd_host *h = s->host;
  forget(&s->device->subset);
  for (size_t k = 0; k < h->torn_bond_count; k++) {
    choose(&s->device->subset, h->torn_bonds[k].near);
    choose(&s->device->subset, h->torn_bonds[k].far);
  }
}

/* ── copies ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static bool send_choice(const pd_state *s)
{
  pd_device *d = s->device;
  pd_subset *u = &d->subset;
  if (d->status == SCR_OK && !u->is_sent) d->status = device_write(d->device, &u->nodes, 0, u->node, u->count * sizeof *u->node, &d->error);
  u->is_sent = d->status == SCR_OK;
  return d->status == SCR_OK;
}

/* One vector of some nodes, between its place on the device and what travels. */
static void run_packing(const pd_state *s, pd_device_kernel kernel, const device_array *vector, const device_array *nodes, uint64_t count)
{
  pd_device *d = s->device;
  uint64_t n = s->node_count;
  const device_argument arguments[] = {DEVICE_ARRAY(*vector), DEVICE_ARRAY(*nodes), DEVICE_ARRAY(d->subset.values), DEVICE_VALUE(count),
                                       DEVICE_VALUE(n)};
  pd_run_kernel(s, kernel, count, arguments, sizeof arguments / sizeof *arguments);
}

/* Of the chosen nodes those of which the host's vector is old; it will not be. @return how many */
static size_t want(pd_subset *u, pd_side_vector v)
{
  size_t count = 0;
  for (size_t k = 0; k < u->count; k++) {
    uint32_t node = u->node[k];
    if (u->fresh[node] >> v & 1u) continue;
    if (!u->fresh[node]) u->held[u->held_count++] = node;
    u->fresh[node] |= (unsigned char)(1u << v);
    u->wanted[count++] = node;
  }
  return count;
}

/* The nodes wanted, on the device: all that are chosen, or some. */
static const device_array *send_wanted(const pd_state *s, size_t count)
{
  pd_device *d = s->device;
  pd_subset *u = &d->subset;
  if (count == u->count) return send_choice(s) ? &u->nodes : NULL;
  if (d->status == SCR_OK) d->status = device_write(d->device, &u->some, 0, u->wanted, count * sizeof *u->wanted, &d->error);
  return d->status == SCR_OK ? &u->some : NULL;
}

bool pd_subset_to_host(const pd_state *s, unsigned vectors)
{
  pd_device *d = s->device;
  pd_subset *u = &d->subset;
  if (!pd_to_device(s, vectors)) return false;
  for (pd_side_vector v = 0; v < PD_SIDE_VECTORS; v++) {
    if (!(vectors & ~d->on_host & 1u << v)) continue; /* the host has all of what it has */
    pd_vectors *to = pd_host_vector(s->host, v);
    size_t count = want(u, v);
    const device_array *nodes = send_wanted(s, count);
    if (!nodes) return false;
    run_packing(s, PD_KERNEL_PACK, &d->vector[v], nodes, count);
    if (v == PD_POSITION) run_packing(s, PD_KERNEL_UNPACK, &u->known, nodes, count);
    if (d->status == SCR_OK) d->status = device_read(d->device, &u->values, 0, u->packed, 3 * count * sizeof *u->packed, &d->error);
    if (d->status != SCR_OK) return false;
    for (size_t k = 0; k < count; k++)
      for (int a = 0; a < 3; a++) pd_axis(to, a)[u->wanted[k]] = u->packed[3 * k + (size_t)a];
  }
  return d->status == SCR_OK;
}

bool pd_subset_take(const pd_state *s, const device_array *from, const pd_vectors *to)
{
  pd_device *d = s->device;
  pd_subset *u = &d->subset;
  if (!send_choice(s)) return false;
  run_packing(s, PD_KERNEL_PACK, from, &u->nodes, u->count);
  if (d->status == SCR_OK) d->status = device_read(d->device, &u->values, 0, u->packed, 3 * u->count * sizeof *u->packed, &d->error);
  for (size_t k = 0; k < u->count && d->status == SCR_OK; k++)
    for (int a = 0; a < 3; a++) pd_axis(to, a)[u->node[k]] = u->packed[3 * k + (size_t)a];
  return d->status == SCR_OK;
}

bool pd_subset_put(const pd_state *s, const pd_vectors *from, const device_array *to)
{
  pd_device *d = s->device;
  pd_subset *u = &d->subset;
  if (!send_choice(s)) return false;
  for (size_t k = 0; k < u->count; k++)
    for (int a = 0; a < 3; a++) u->packed[3 * k + (size_t)a] = pd_axis(from, a)[u->node[k]];
  d->status = device_write(d->device, &u->values, 0, u->packed, 3 * u->count * sizeof *u->packed, &d->error);
  run_packing(s, PD_KERNEL_UNPACK, to, &u->nodes, u->count);
  return d->status == SCR_OK;
}

bool pd_subset_to_device(const pd_state *s, unsigned vectors)
{
  pd_device *d = s->device;
  for (pd_side_vector v = 0; v < PD_SIDE_VECTORS && d->status == SCR_OK; v++) {
    if (!(vectors >> v & 1u)) continue;
    pd_subset_put(s, pd_host_vector(s->host, v), &d->vector[v]);
    (void)want(&d->subset, v); /* both have the same */
    if (v == PD_POSITION) run_packing(s, PD_KERNEL_UNPACK, &d->subset.known, &d->subset.nodes, d->subset.count);
  }
  return d->status == SCR_OK;
}

/* ── what the host works out itself ──────────────────────────────────────────────────────────────────────────────── */

/* As the host's kick, and the device's. */
static void kick_node(const pd_state *s, size_t i)
{
  pd_host *h = s->host;
  const double g[3] = {s->scene->rig.gravity.x, s->scene->rig.gravity.y, s->scene->rig.gravity.z}, dt = s->time_step;
  double per_mass = 1 / s->bodies[h->grains[h->grain_of[i]].body].node_mass;
  for (int a = 0; a < 3; a++) {
    double *v = pd_axis(&h->velocity, a) + i, *acc = pd_axis(&h->acceleration, a) + i, next = pd_axis(&h->force, a)[i] * per_mass;
    if (g[a] != 0) next += g[a];
    *v += 0.5 * dt * (*acc + next);
    *acc = next;
  }
}

void pd_subset_kicked(const pd_state *s)
{
  enum { MOTION = PD_OF_VELOCITY | PD_OF_ACCELERATION };
  pd_subset *u = &s->device->subset;
  size_t count = 0;
  for (size_t k = 0; k < u->held_count; k++)
    if ((u->fresh[u->held[k]] & (MOTION | PD_OF_FORCE)) == (MOTION | PD_OF_FORCE)) u->wanted[count++] = u->held[k];
  pd_device_wrote(s, MOTION);
  for (size_t k = 0; k < count; k++) {
    kick_node(s, u->wanted[k]);
    u->fresh[u->wanted[k]] |= MOTION; /* which their forces still are, so they are among those held */
  }
}
