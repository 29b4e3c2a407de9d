/* The host's arrays of nodes: their memory, and where the nodes begin. */
#include "methods/peridem/host/nodes.h"

#include "base/memory.h"
#include "methods/peridem/host/bond_force.h"
#include "methods/peridem/host/grip.h"

static bool vectors_create(pd_vectors *v, size_t n)
{
  v->x = mem_array(n, sizeof(double));
  v->y = mem_array(n, sizeof(double));
  v->z = mem_array(n, sizeof(double));
  return v->x && v->y && v->z;
}

static void vectors_clear(pd_vectors *v)
{
  mem_free(v->x);
  mem_free(v->y);
  mem_free(v->z);
}

static scr_status allocate_nodes(pd_state *s, scr_error *error)
{
  size_t n = s->node_count;
  pd_vectors *all[] = {&s->reference, &s->moved,   &s->position, &s->velocity,     &s->acceleration,
                       &s->force,     &s->damping, &s->friction, &s->last_damping, &s->last_friction};
  size_t needed = sizeof all / sizeof *all - (s->explicit_damping ? 0 : 3);
  bool ok = true;
  for (size_t k = 0; k < needed; k++) ok = vectors_create(all[k], n) && ok;
  if (!s->explicit_damping) {
    s->met_count = mem_array(n, sizeof *s->met_count);
    s->damped_first = mem_array(n + 1, sizeof *s->damped_first);
    s->share = mem_array(n, sizeof *s->share);
    ok = s->met_count && s->damped_first && s->share && ok;
  }
  s->rig_blocks = mem_array(s->block_count, sizeof *s->rig_blocks);
  s->grains = mem_array(s->grain_count, sizeof *s->grains);
  s->grain_of = mem_array(n, sizeof *s->grain_of);
  s->torn = mem_array(n, 1);
  SCR_TRY(geo_near_list_create(&s->near, n, error));
  s->piece = mem_array(n, sizeof *s->piece);
  s->block_sums = mem_array(s->block_count * PD_SUMS, sizeof(double));
  for (int k = 0; k < 3; k++) ok = (s->scratch[k] = mem_array(n, sizeof(double))) && ok;
  ok = ok && s->rig_blocks && s->grains && s->grain_of && s->torn && s->piece && s->block_sums;
  return ok ? SCR_OK : scr_fail_memory(error, "the nodes", n * 300);
}

/* Nodes of one grain: its body moved to `centre`, with the specimen's initial velocity and spin. */
static void place_grain(pd_state *s, size_t g, size_t b, size_t first, scr_vec3 centre)
{
  const pd_body *body = &s->bodies[b];
  const scr_specimen *specimen = &s->scene->specimens[b];
  s->grains[g] = (pd_grain){.body = (uint32_t)b, .first = first, .bonds = &body->bonds, .centre = centre};
  for (size_t k = 0; k < body->node_count; k++) {
    size_t i = first + k;
    scr_vec3 arm = vec3(body->x[k], body->y[k], body->z[k]);
    scr_vec3 v = vec3_add(specimen->velocity, vec3_cross(specimen->angular_velocity, arm));
    s->grain_of[i] = (uint32_t)g;
    s->position.x[i] = s->reference.x[i] = centre.x + arm.x;
    s->position.y[i] = s->reference.y[i] = centre.y + arm.y;
    s->position.z[i] = s->reference.z[i] = centre.z + arm.z;
    s->velocity.x[i] = v.x;
    s->velocity.y[i] = v.y;
    s->velocity.z[i] = v.z;
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
  s->row_kernel = pd_row_kernel_best();
  SCR_TRY(allocate_nodes(s, error));
  place_grains(s);
  return pd_grips_create(s, error);
}

void pd_nodes_destroy(pd_state *s)
{
  for (size_t g = 0; s->grains && g < s->grain_count; g++) pd_bonds_clear(&s->grains[g].own);
  for (size_t b = 0; s->rig_blocks && b < s->block_count; b++) {
    mem_free(s->rig_blocks[b].now);
    mem_free(s->rig_blocks[b].before);
  }
  pd_vectors *all[] = {&s->reference, &s->moved,   &s->position, &s->velocity,     &s->acceleration,
                       &s->force,     &s->damping, &s->friction, &s->last_damping, &s->last_friction};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) vectors_clear(all[k]);
  void *arrays[] = {s->grains,     s->grain_of,   s->torn,       s->block_sums, s->torn_bonds, s->piece,        s->scratch[0],
                    s->share, s->scratch[1], s->scratch[2], s->rig_blocks, s->met_count,  s->pair_met,   s->damped_first, s->damped};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(arrays[k]);
  geo_near_list_clear(&s->near);
  grips_clear(&s->grips);
}
