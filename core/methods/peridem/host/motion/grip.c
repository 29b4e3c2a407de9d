/* Grips: nodes whose motion a part of the rig imposes.
 *
 * A grip adds to each node it holds the force that keeps it on its course, so that the integrator sees no acceleration and moves it by the
 * velocity that leads to where the program wants it. What the nodes feel from all else, gravity included, is the specimen's force on the
 * grip; the inertia of the nodes it moves is not in that force but in the grip's work. */
#include "methods/peridem/host/motion/grip.h"

#include "methods/peridem/host/ranks/ranks.h"

static scr_vec3 node_at(const pd_vectors *v, size_t i)
{
  return vec3(v->x[i], v->y[i], v->z[i]);
}

static scr_vec3 node_place(const void *state, size_t i)
{
  return pd_node_start(state, i);
}

scr_status pd_grips_create(pd_state *s, scr_error *error)
{
  SCR_TRY(grips_create(&s->grips, s->rig, s->node_count, node_place, s, error));
  for (size_t k = 0; k < s->grips.count; k++) {
    const grip_held *held = &s->grips.held[k];
    s->parts[held->part].held_mass += s->bodies[s->host->grains[s->host->grain_of[held->element]].body].node_mass;
  }
  return SCR_OK;
}

/* Sets the components of a held node's vector that its grip rules over. */
static void impose(const scr_part *part, pd_vectors *v, size_t i, scr_vec3 value)
{
  scr_vec3 set = grip_ruled(grip_rules(part), value, node_at(v, i));
  v->x[i] = set.x;
  v->y[i] = set.y;
  v->z[i] = set.z;
}

void pd_grip_set_velocity(pd_state *s, size_t p, scr_vec3 velocity)
{
  for (size_t k = s->grips.first[p]; k < s->grips.first[p + 1]; k++)
    impose(&s->rig->form[p], &s->host->velocity, s->grips.held[k].element, velocity);
}

void pd_grip_move(pd_state *s, size_t p, scr_vec3 path)
{
  pd_host *h = s->host;
  for (size_t k = s->grips.first[p]; k < s->grips.first[p + 1]; k++) {
    size_t i = s->grips.held[k].element;
    impose(&s->rig->form[p], &h->moved, i, path);
    impose(&s->rig->form[p], &h->position, i, vec3_add(node_at(&h->reference, i), path));
  }
}

/* What part p takes from the nodes it holds. */
typedef struct grip_taking {
  pd_state *state;
  size_t part;
} grip_taking;

static void add_moment(double sum[6], scr_vec3 arm, scr_vec3 taken)
{
  scr_vec3 moment = vec3_cross(arm, taken);
  const double six[6] = {taken.x, taken.y, taken.z, moment.x, moment.y, moment.z};
  for (int k = 0; k < 6; k++) sum[k] += six[k];
}

static void hold_terms(const void *user, size_t begin, size_t end, double *sum)
{
  const grip_taking *of = user;
  pd_state *s = of->state;
  pd_host *h = s->host;
  for (size_t k = s->grips.first[of->part] + begin; k < s->grips.first[of->part] + end; k++) {
    size_t i = s->grips.held[k].element;
    if (!pd_is_own(h, i)) continue;
    scr_vec3 weight = vec3_scale(s->scene->rig.gravity, s->bodies[h->grains[h->grain_of[i]].body].node_mass);
    scr_vec3 before = vec3_add(node_at(&h->force, i), weight);
    impose(&s->rig->form[of->part], &h->force, i, vec3_scale(weight, -1));
    scr_vec3 taken = vec3_sub(before, vec3_add(node_at(&h->force, i), weight)); /* 0 along what slides */
    add_moment(sum, vec3_sub(node_at(&h->position, i), s->rig->now[of->part].pose.position), taken);
  }
}

/* Node after node, added exactly. */
static void sum_held(pd_state *s, size_t p, size_t width, execution_terms terms, double *sum)
{
  const grip_taking of = {s, p};
  execution_sum_exact(s->execution, s->grips.first[p + 1] - s->grips.first[p], 1, width, terms, &of, sum);
}

void pd_grip_hold(pd_state *s, size_t p, scr_vec3 *force, scr_vec3 *torque)
{
  double sum[6] = {0};
  sum_held(s, p, 6, hold_terms, sum);
  *force = vec3(sum[0], sum[1], sum[2]);
  *torque = vec3(sum[3], sum[4], sum[5]);
}

static void absorb_terms(const void *user, size_t begin, size_t end, double *sum)
{
  const grip_taking *of = user;
  pd_state *s = of->state;
  pd_host *h = s->host;
  for (size_t k = s->grips.first[of->part] + begin; k < s->grips.first[of->part] + end; k++) {
    size_t i = s->grips.held[k].element;
    if (!pd_is_own(h, i)) continue;
    scr_vec3 before = node_at(&h->damping, i);
    impose(&s->rig->form[of->part], &h->damping, i, vec3(0, 0, 0));
    scr_vec3 taken = vec3_sub(before, node_at(&h->damping, i));
    add_moment(sum, vec3_sub(node_at(&h->position, i), s->parts[of->part].acted.pose.position), taken);
    sum[6] -= vec3_dot(taken, node_at(&h->velocity, i));
  }
}

void pd_grip_absorb(pd_state *s, size_t p, scr_vec3 *impulse, scr_vec3 *turning, double *work)
{
  double sum[7] = {0};
  sum_held(s, p, 7, absorb_terms, sum);
  *impulse = vec3_add(*impulse, vec3(sum[0], sum[1], sum[2]));
  *turning = vec3_add(*turning, vec3(sum[3], sum[4], sum[5]));
  *work += sum[6];
}
