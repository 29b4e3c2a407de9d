/* The host's arrays of nodes: their memory, and where the nodes begin. */
#include "methods/peridem/host/nodes.h"

#include "base/memory.h"
#include "methods/peridem/host/bonds/bond_force.h"
#include "methods/peridem/host/contact/pair_faces.h"
#include "methods/peridem/host/motion/grip.h"
#include "methods/peridem/host/ranks/ranks.h"
#include "methods/peridem/law/wall.h"

/* Three components, which kernels read by whole vectors. */
#define COMPONENT(label, member, counter, bits)                                                                                            \
  {                                                                                                                                        \
    .name = (label), .form = FIELD_FORM_ARRAY, .flags = (bits), .offset = offsetof(pd_host, member), .count = offsetof(pd_host, counter),  \
    .element = sizeof(double), .padding = PD_LANES                                                                                         \
  }
#define VECTORS(label, member, counter, bits)                                                                                              \
  COMPONENT(label, member.x, counter, bits), COMPONENT(label, member.y, counter, bits), COMPONENT(label, member.z, counter, bits)

const sim_field pd_host_fields[PD_HOST_FIELDS] = {
    VECTORS("displacements of nodes", moved, node_count, FIELD_SAVED | FIELD_NUMBERS),
    VECTORS("positions of nodes", position, node_count, FIELD_SAVED | FIELD_NUMBERS),
    VECTORS("velocities of nodes", velocity, node_count, FIELD_SAVED | FIELD_NUMBERS),
    VECTORS("accelerations of nodes", acceleration, node_count, FIELD_SAVED | FIELD_NUMBERS),
    VECTORS("forces", force, node_count, 0),
    VECTORS("places of nodes", reference, node_count, 0),
    VECTORS("damping", damping, node_count, 0), /* explicit damping's is saved by pd_nodes_save */
    VECTORS("friction", friction, explicit_count, FIELD_SAVED | FIELD_NUMBERS | FIELD_OPTIONAL),
    VECTORS("damping before", last_damping, explicit_count, FIELD_OPTIONAL),
    VECTORS("friction before", last_friction, explicit_count, FIELD_OPTIONAL),
    FIELD_LIST("broken bonds", pd_host, torn_bonds, torn_bond_count, torn_bond_capacity, FIELD_SAVED),
    FIELD_VALUE("lists of contacts", pd_host, near.stale, FIELD_SAVED | FIELD_TRUTH),
    FIELD_ARRAY("numbers of pairs", pd_host, met_count, limited_count, FIELD_OPTIONAL),
    FIELD_STARTS("rows of damped pairs", pd_host, damped_first, limited_count, 0),
    FIELD_ARRAY("shares of dampers", pd_host, share, limited_count, FIELD_OPTIONAL),
    FIELD_SCRATCH_LIST("pairs in contact", pd_host, pair_met, met_capacity),
    FIELD_SCRATCH_LIST("springs of pairs", pd_host, met_held, held_capacity),
    FIELD_SCRATCH_LIST("damped pairs", pd_host, damped, damped_capacity),
    FIELD_ARRAY("wide rows", pd_host, wide, node_count, 0),
    FIELD_ARRAY("marks of threads", pd_host, stamp, thread_count, 0),
    FIELD_ARRAY("contacts with the rig", pd_host, rig_blocks, block_count, 0),
    FIELD_ARRAY("own blocks", pd_host, own, block_count, 0),
    FIELD_ARRAY("grains", pd_host, grains, grain_count, 0),
    FIELD_ARRAY("middles of grains", pd_host, middle, grain_count, 0),
    FIELD_ARRAY("grains that met", pd_host, met_grain, grain_count, 0),
    FIELD_ARRAY("parts that met", pd_host, met_parts, grain_count, 0),
    FIELD_ARRAY("grains of nodes", pd_host, grain_of, node_count, 0),
    FIELD_ARRAY("marks of bonds", pd_host, torn, node_count, 0),
    FIELD_ARRAY("dilatations", pd_host, dilatation, node_count, 0),
    FIELD_ARRAY("pieces", pd_host, piece, node_count, 0),
    FIELD_ARRAY("scratch", pd_host, scratch[0], node_count, 0),
    FIELD_ARRAY("scratch", pd_host, scratch[1], node_count, 0),
    FIELD_ARRAY("scratch", pd_host, scratch[2], node_count, 0),
    FIELD_ARRAY("scratch", pd_host, scratch[3], node_count, 0),
};

/* No pair may touch from farther: its force would be there at once as it came within. Nodes of irregular grains lie up to a spacing below
 * their faces; two of those press each other from 2.5 spacings on. */
static double touch_radius(const pd_state *s)
{
  double spacing = 0, deepest = 0;
  for (size_t b = 0; b < s->body_count; b++) {
    spacing = fmax(spacing, s->bodies[b].spacing);
    deepest = fmax(deepest, pd_deepest_node(&s->bodies[b]));
  }
  double radius = pd_touch_radius(s->options, s->contact_radius, spacing, s->grain_count > 1);
  return s->grain_count > 1 && deepest > 0 ? fmax(radius, pd_face_touch_radius(spacing, deepest)) : radius;
}

static scr_status allocate_nodes(pd_state *s, scr_error *error)
{
  pd_host *h = s->host;
  bool ok = true;
  h->node_count = s->node_count;
  h->grain_count = s->grain_count;
  h->thread_count = s->execution.threads;
  *(s->explicit_damping ? &h->explicit_count : &h->limited_count) = s->node_count;
  for (size_t b = 0; b < s->body_count; b++)
    h->stamp_count = s->bodies[b].node_count > h->stamp_count ? s->bodies[b].node_count : h->stamp_count;
  SCR_TRY(fields_allocate(pd_host_fields, PD_HOST_FIELDS, h, error));
  for (size_t t = 0; t < h->thread_count; t++) ok = (h->stamp[t] = mem_array(h->stamp_count, sizeof **h->stamp)) && ok;
  return ok ? geo_near_list_create(&h->near, s->node_count, error)
            : scr_fail_memory(error, "the nodes", h->thread_count * h->stamp_count * sizeof **h->stamp);
}

/* A node of its grain's body moved to the grain's place, with the specimen's initial velocity and spin. */
static void place_node(pd_state *s, size_t i)
{
  pd_host *h = s->host;
  const pd_grain *grain = &h->grains[h->grain_of[i]];
  const scr_specimen *specimen = &s->scene->specimens[grain->body];
  const pd_body *body = &s->bodies[grain->body];
  size_t k = i - grain->first;
  scr_vec3 v = vec3_add(specimen->velocity, vec3_cross(specimen->angular_velocity, vec3(body->x[k], body->y[k], body->z[k])));
  scr_vec3 start = pd_node_start(s, i);
  h->position.x[i] = h->reference.x[i] = start.x;
  h->position.y[i] = h->reference.y[i] = start.y;
  h->position.z[i] = h->reference.z[i] = start.z;
  h->velocity.x[i] = v.x;
  h->velocity.y[i] = v.y;
  h->velocity.z[i] = v.z;
}

/* Those that this rank works on, and those that they are bonded to; all of them alone. */
static void place_nodes(pd_state *s)
{
  for (size_t i = 0; i < s->node_count; i++)
    if (pd_is_own(s->host, i) || s->host->ranks->reached[i]) place_node(s, i);
}

static void place_grain(pd_state *s, size_t g, size_t b, size_t first, scr_vec3 centre)
{
  pd_host *h = s->host;
  h->grains[g] = (pd_grain){.body = (uint32_t)b, .first = first, .bonds = &s->bodies[b].bonds, .centre = centre};
  for (size_t i = first; i < first + s->bodies[b].node_count; i++) h->grain_of[i] = (uint32_t)g;
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
  SCR_TRY(mem_allocate(&s->host, 1, sizeof *s->host, "the nodes", error));
  s->host->block_count = (s->node_count + PD_BLOCK - 1) / PD_BLOCK;
  s->host->kernels = pd_kernels_best();
  s->host->touch = touch_radius(s);
  s->host->wide_reach = fmax(s->host->touch, s->contact_radius);
  SCR_TRY(allocate_nodes(s, error));
  place_grains(s);
  SCR_TRY(pd_facing_create(s, error));
  SCR_TRY(pd_runs_create(&s->host->runs, s, error));
  SCR_TRY(pd_ranks_create(s, error));
  place_nodes(s);
  return pd_grips_create(s, error);
}

/* Terms of own blocks. */
typedef struct own_terms {
  const pd_state *state;
  execution_terms terms;
  const void *user;
} own_terms;

static void terms_of_own(const void *user, size_t from, size_t to, double *sum)
{
  const own_terms *of = user;
  for (size_t n = from; n < to; n++) {
    size_t end, begin = pd_own_block(of->state, n, &end);
    of->terms(of->user, begin, end, sum);
  }
}

void pd_sum_nodes(const pd_state *s, size_t width, execution_terms terms, const void *user, double *sum)
{
  const own_terms of = {s, terms, user};
  if (s->host->own_count == s->host->block_count) /* no list to ask: the pass of a kick is 5 % quicker from memory */
    execution_sum_exact(s->execution, s->node_count, PD_BLOCK, width, terms, user, sum);
  else
    execution_sum_exact(s->execution, s->host->own_count, 1, width, terms_of_own, &of, sum);
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
  for (size_t t = 0; h->stamp && t < h->thread_count; t++) mem_free(h->stamp[t]);
  pd_ranks_clear(h);
  fields_free(pd_host_fields, PD_HOST_FIELDS, h);
  pd_facing_clear(h->facing);
  geo_near_list_clear(&h->near);
  pd_runs_clear(&h->runs);
  mem_free(h);
  s->host = NULL;
}
