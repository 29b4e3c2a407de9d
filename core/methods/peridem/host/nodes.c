/* The host's arrays of nodes: their memory, and where the nodes begin. */
#include "methods/peridem/host/nodes.h"

#include "base/memory.h"
#include "methods/peridem/host/bonds/bond_force.h"
#include "methods/peridem/host/contact/pair_faces.h"
#include "methods/peridem/host/motion/grip.h"

static bool vectors_create(pd_vectors *v, size_t n)
{
  v->x = mem_array(n + PD_LANES, sizeof(double)); /* kernels read whole vectors */
  v->y = mem_array(n + PD_LANES, sizeof(double));
  v->z = mem_array(n + PD_LANES, sizeof(double));
  return v->x && v->y && v->z;
}

static void vectors_clear(pd_vectors *v)
{
  mem_free(v->x);
  mem_free(v->y);
  mem_free(v->z);
}

/* Nodes of two grains meet up to Rc, or to the mean of their spacings, by where contact begins (pair_law.h). */
static double touch_radius(const pd_state *s)
{
  double spacing = 0;
  for (size_t b = 0; b < s->body_count; b++) spacing = fmax(spacing, s->bodies[b].spacing);
  if (pd_contact_begins(s->options) == PD_SURFACE_FACES && s->grain_count > 1)
    return 1.85 * spacing; /* 1.5 aside, nearly 1 along: two faces up to a spacing above their nodes are not told from far ones */
  return pd_contact_begins(s->options) == PD_SURFACE_NODES ? s->contact_radius : fmin(s->contact_radius, spacing);
}

static scr_status allocate_nodes(pd_state *s, scr_error *error)
{
  pd_host *h = s->host;
  size_t n = s->node_count;
  pd_vectors *all[] = {&h->reference, &h->moved,   &h->position, &h->velocity,     &h->acceleration,
                       &h->force,     &h->damping, &h->friction, &h->last_damping, &h->last_friction};
  size_t needed = sizeof all / sizeof *all - (s->explicit_damping ? 0 : 3);
  bool ok = true;
  for (size_t k = 0; k < needed; k++) ok = vectors_create(all[k], n) && ok;
  if (!s->explicit_damping) {
    h->met_count = mem_array(n, sizeof *h->met_count);
    h->damped_first = mem_array(n + 1, sizeof *h->damped_first);
    h->share = mem_array(n, sizeof *h->share);
    ok = h->met_count && h->damped_first && h->share && ok;
  }
  for (size_t b = 0; b < s->body_count; b++)
    h->stamp_count = s->bodies[b].node_count > h->stamp_count ? s->bodies[b].node_count : h->stamp_count;
  h->wide = mem_array(n, 1);
  ok = h->wide && ok;
  h->stamp = mem_array(s->threads, sizeof *h->stamp);
  for (unsigned t = 0; h->stamp && t < s->threads; t++) ok = (h->stamp[t] = mem_array(h->stamp_count, sizeof **h->stamp)) && ok;
  ok = h->stamp && ok;
  h->rig_blocks = mem_array(h->block_count, sizeof *h->rig_blocks);
  h->grains = mem_array(s->grain_count, sizeof *h->grains);
  h->middle = mem_array(s->grain_count, sizeof *h->middle);
  h->met_grain = mem_array(s->grain_count, sizeof *h->met_grain);
  h->met_parts = mem_array(s->grain_count, sizeof *h->met_parts);
  h->grain_of = mem_array(n, sizeof *h->grain_of);
  h->torn = mem_array(n, 1);
  h->dilatation = mem_array(n, sizeof *h->dilatation);
  SCR_TRY(geo_near_list_create(&h->near, n, error));
  h->piece = mem_array(n, sizeof *h->piece);
  h->block_sums = mem_array(h->block_count * PD_SUMS, sizeof(double));
  for (int k = 0; k < 4; k++) ok = (h->scratch[k] = mem_array(n, sizeof(double))) && ok;
  ok = ok && h->middle && h->met_grain && h->met_parts && h->dilatation && h->rig_blocks && h->grains && h->grain_of && h->torn && h->piece && h->block_sums;
  return ok ? SCR_OK : scr_fail_memory(error, "the nodes", n * 300);
}

/* Nodes of one grain: its body moved to `centre`, with the specimen's initial velocity and spin. */
static void place_grain(pd_state *s, size_t g, size_t b, size_t first, scr_vec3 centre)
{
  pd_host *h = s->host;
  const pd_body *body = &s->bodies[b];
  const scr_specimen *specimen = &s->scene->specimens[b];
  h->grains[g] = (pd_grain){.body = (uint32_t)b, .first = first, .bonds = &body->bonds, .centre = centre};
  for (size_t k = 0; k < body->node_count; k++) {
    size_t i = first + k;
    scr_vec3 arm = vec3(body->x[k], body->y[k], body->z[k]);
    scr_vec3 v = vec3_add(specimen->velocity, vec3_cross(specimen->angular_velocity, arm));
    h->grain_of[i] = (uint32_t)g;
    h->position.x[i] = h->reference.x[i] = centre.x + arm.x;
    h->position.y[i] = h->reference.y[i] = centre.y + arm.y;
    h->position.z[i] = h->reference.z[i] = centre.z + arm.z;
    h->velocity.x[i] = v.x;
    h->velocity.y[i] = v.y;
    h->velocity.z[i] = v.z;
  }
}

static void place_grains(pd_state *s)
{
  size_t g = 0, first = 0;
  for (size_t b = 0; b < s->body_count; b++)
    for (size_t k = 0; k < s->scene->specimens[b].position_count; k++) {
      place_grain(s, g++, b, first, s->scene->specimens[b].positions[k]);
      first += s->bodies[b].node_count;
    }
}

scr_status pd_nodes_create(pd_state *s, scr_error *error)
{
  if (s->node_count >= PD_BONDED)
    return scr_fail(error, SCR_BAD_SCENE, "/specimens", "the scene has %zu nodes; at most 2147483647: use a larger spacing", s->node_count);
  s->host = mem_array(1, sizeof *s->host);
  if (!s->host) return scr_fail_memory(error, "the nodes", sizeof *s->host);
  s->host->block_count = (s->node_count + PD_BLOCK - 1) / PD_BLOCK;
  s->host->kernels = pd_kernels_best();
  s->host->touch = touch_radius(s);
  s->host->wide_reach = fmax(s->host->touch, s->contact_radius);
  SCR_TRY(allocate_nodes(s, error));
  place_grains(s);
  SCR_TRY(pd_facing_create(s, error));
  SCR_TRY(pd_runs_create(&s->host->runs, s, error));
  return pd_grips_create(s, error);
}

void pd_nodes_destroy(pd_state *s)
{
  pd_host *h = s->host;
  grips_clear(&s->grips);
  if (!h) return;
  for (size_t g = 0; h->grains && g < s->grain_count; g++) pd_bonds_clear(&h->grains[g].own);
  for (size_t b = 0; h->rig_blocks && b < h->block_count; b++) {
    mem_free(h->rig_blocks[b].now);
    mem_free(h->rig_blocks[b].before);
  }
  for (unsigned t = 0; h->stamp && t < s->threads; t++) mem_free(h->stamp[t]);
  pd_vectors *all[] = {&h->reference, &h->moved,   &h->position, &h->velocity,     &h->acceleration,
                       &h->force,     &h->damping, &h->friction, &h->last_damping, &h->last_friction};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) vectors_clear(all[k]);
  void *arrays[] = {h->grains,     h->stamp,      h->wide,       h->grain_of, h->torn,         h->block_sums,
                    h->torn_bonds, h->piece,      h->scratch[0], h->share,    h->dilatation,   h->scratch[1],
                    h->scratch[2], h->scratch[3],   h->middle,     h->met_grain, h->met_parts,    h->rig_blocks, h->met_count,  h->pair_met, h->damped_first, h->damped};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(arrays[k]);
  mem_free(h->met_held);
  pd_facing_clear(h->facing);
  geo_near_list_clear(&h->near);
  pd_runs_clear(&h->runs);
  mem_free(h);
  s->host = NULL;
}
