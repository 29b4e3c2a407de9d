/* Positions and velocities of the nodes on the host: the two halves of a velocity-Verlet step.
 *
 *   u += dt v + dt^2/2 a;  x = X + u          F(x)          a_new = F/m + g;  v += dt/2 (a + a_new) */
#include "methods/peridem/host/motion/motion.h"

#include "methods/peridem/host/ranks/ranks.h"

static void predict_block(pd_state *s, size_t begin, size_t end, double dt)
{
  pd_host *h = s->host;
  for (int a = 0; a < 3; a++) {
    double *u = pd_axis(&h->moved, a), *x = pd_axis(&h->position, a);
    const double *X = pd_axis(&h->reference, a), *v = pd_axis(&h->velocity, a), *acc = pd_axis(&h->acceleration, a);
    for (size_t i = begin; i < end; i++) {
      double du = dt * v[i] + 0.5 * dt * dt * acc[i];
      u[i] += du;
      x[i] = X[i] + u[i];
    }
  }
}

/* One grain's nodes in a block, where F holds no damping. @return the work of gravity */
static double kick(pd_state *s, const pd_body *body, size_t begin, size_t end, double dt)
{
  pd_host *h = s->host;
  const double g[3] = {s->scene->rig.gravity.x, s->scene->rig.gravity.y, s->scene->rig.gravity.z};
  double per_mass = 1 / body->node_mass, gravity = 0;
  for (int a = 0; a < 3; a++) {
    double *restrict v = pd_axis(&h->velocity, a), *restrict acc = pd_axis(&h->acceleration, a), path = 0;
    const double *F = pd_axis(&h->force, a);
    if (g[a] == 0) { /* does no work: and without a sum in order the compiler takes several nodes at a time */
      for (size_t i = begin; i < end; i++) {
        double next = F[i] * per_mass;
        v[i] += 0.5 * dt * (acc[i] + next);
        acc[i] = next;
      }
      continue;
    }
    for (size_t i = begin; i < end; i++) {
      double next = F[i] * per_mass + g[a], gain = 0.5 * dt * (acc[i] + next);
      path += v[i] + 0.5 * gain;
      v[i] += gain;
      acc[i] = next;
    }
    gravity += body->node_mass * g[a] * dt * path;
  }
  return gravity;
}

/* The same where F holds explicit damping, whose work and that of friction are added up. @return the work of gravity */
static double kick_damped(pd_state *s, const pd_body *body, size_t begin, size_t end, double dt, double work[2])
{
  pd_host *h = s->host;
  const double g[3] = {s->scene->rig.gravity.x, s->scene->rig.gravity.y, s->scene->rig.gravity.z};
  double per_mass = 1 / body->node_mass, gravity = 0;
  for (int a = 0; a < 3; a++) {
    double *v = pd_axis(&h->velocity, a), *acc = pd_axis(&h->acceleration, a);
    const double *F = pd_axis(&h->force, a), *D = pd_axis(&h->damping, a), *T = pd_axis(&h->friction, a);
    const double *D_old = pd_axis(&h->last_damping, a), *T_old = pd_axis(&h->last_friction, a);
    for (size_t i = begin; i < end; i++) {
      double next = F[i] * per_mass + g[a], gain = 0.5 * dt * (acc[i] + next), path = dt * (v[i] + 0.5 * gain);
      v[i] += gain;
      acc[i] = next;
      work[0] += 0.5 * (D_old[i] + D[i]) * path;
      work[1] += 0.5 * (T_old[i] + T[i]) * path;
      gravity += body->node_mass * g[a] * path;
    }
  }
  return gravity;
}

static double kinetic_of(const pd_state *s, const pd_body *body, size_t begin, size_t end)
{
  const pd_host *h = s->host;
  double sum = 0;
  for (size_t i = begin; i < end; i++)
    sum += h->velocity.x[i] * h->velocity.x[i] + h->velocity.y[i] * h->velocity.y[i] + h->velocity.z[i] * h->velocity.z[i];
  return 0.5 * body->node_mass * sum;
}

void pd_kick_terms(const void *user, size_t begin, size_t end, double *sums)
{
  pd_state *s = *(pd_state *const *)user;
  pd_host *h = s->host;
  double work[2] = {0, 0}, gravity = 0, kinetic = 0, dt = s->time_step;
  while (begin < end) {
    const pd_grain *grain = &h->grains[h->grain_of[begin]];
    const pd_body *body = &s->bodies[grain->body];
    size_t last = grain->first + body->node_count < end ? grain->first + body->node_count : end;
    gravity += s->explicit_damping ? kick_damped(s, body, begin, last, dt, work) : kick(s, body, begin, last, dt);
    kinetic += kinetic_of(s, body, begin, last);
    begin = last;
  }
  sums[0] += work[0], sums[1] += work[1], sums[2] += gravity, sums[3] += kinetic;
}

static void drag_block(pd_state *s, size_t begin, size_t end, double rate)
{
  pd_host *h = s->host;
  for (size_t i = begin; i < end; i++) {
    double factor = -rate * s->bodies[h->grains[h->grain_of[i]].body].node_mass;
    for (int a = 0; a < 3; a++) {
      double drag = factor * pd_axis(&h->velocity, a)[i];
      pd_axis(&h->damping, a)[i] += drag;
      pd_axis(&h->force, a)[i] += drag;
    }
  }
}

/* `factor`: the time step, or what the work needs instead. */
static void for_blocks(pd_state *s, double factor, void (*work)(pd_state *, size_t, size_t, double))
{
#pragma omp parallel for schedule(static) num_threads(s->execution.threads)
  for (size_t n = 0; n < s->host->own_count; n++) {
    size_t end, begin = pd_own_block(s, n, &end);
    work(s, begin, end, factor);
  }
}

void pd_drag_pass(pd_state *s)
{
  for_blocks(s, s->options->damping_rate, drag_block);
}

enum { SOME_BONDS = 64 };

/* Velocities and accelerations of both ends of bonds that broke, which any rank may own: to all. ends: [count][2][6] */
static void spread_ends(const pd_state *s, const pd_torn_bond *bond, size_t count, double *ends)
{
  const pd_host *h = s->host;
  for (size_t k = 0; k < 12 * count; k++) ends[k] = 0;
  for (size_t k = 0; k < 2 * count; k++) {
    size_t i = k % 2 ? bond[k / 2].far : bond[k / 2].near;
    for (int a = 0; a < 3 && pd_is_own(h, i); a++) {
      ends[6 * k + (size_t)a] = pd_axis(&h->velocity, a)[i];
      ends[6 * k + 3 + (size_t)a] = pd_axis(&h->acceleration, a)[i];
    }
  }
  team_sum_bits(h->ranks->team, ends, 12 * count);
}

/* Half of a broken bond's last force acts over the step after; u has just been predicted, so v dt + a dt^2 / 2 is how far each node went.
 * */
void pd_book_torn_bonds(pd_state *s, double *fracture)
{
  pd_host *h = s->host;
  double dt = s->time_step;
  for (size_t from = 0, some; from < h->torn_bond_count; from += some) {
    const pd_torn_bond *bond = h->torn_bonds + from;
    double ends[12 * SOME_BONDS];
    some = h->torn_bond_count - from < SOME_BONDS ? h->torn_bond_count - from : SOME_BONDS;
    spread_ends(s, bond, some, ends);
    for (size_t k = 0; k < some; k++)
      for (int a = 0; a < 3; a++) {
        const double *near = ends + 12 * k + a, *far = near + 6;
        double apart = dt * (far[0] - near[0]) + 0.5 * dt * dt * (far[3] - near[3]);
        *fracture += 0.5 * bond[k].force[a] * apart;
      }
  }
  h->torn_bond_count = 0;
}

static void swap_vectors(pd_vectors *a, pd_vectors *b)
{
  pd_vectors keep = *a;
  *a = *b;
  *b = keep;
}

void pd_begin_damping(pd_state *s)
{
  pd_host *h = s->host;
  if (!s->explicit_damping) return;
  swap_vectors(&h->damping, &h->last_damping); /* the contact pass sets the new ones anew */
  swap_vectors(&h->friction, &h->last_friction);
}

void pd_predict(pd_state *s, double *fracture)
{
  pd_begin_damping(s);
  s->host->ranks->shown = false;
  for_blocks(s, s->time_step, predict_block);
  pd_book_torn_bonds(s, fracture);
}

void pd_kick(pd_state *s, pd_kick_sums *sums)
{
  double value[PD_KICK_SUMS] = {0};
  pd_sum_nodes(s, PD_KICK_SUMS, pd_kick_terms, &s, value);
  *sums = (pd_kick_sums){.damping = value[0], .friction = value[1], .gravity = value[2], .kinetic = value[3]};
}

void pd_accelerate(pd_state *s)
{
  pd_host *h = s->host;
  const scr_vec3 g = s->scene->rig.gravity;
  for (size_t i = 0; i < s->node_count; i++) {
    if (!pd_is_own(h, i)) continue;
    double per_mass = 1 / s->bodies[h->grains[h->grain_of[i]].body].node_mass;
    h->acceleration.x[i] = h->force.x[i] * per_mass + g.x;
    h->acceleration.y[i] = h->force.y[i] * per_mass + g.y;
    h->acceleration.z[i] = h->force.z[i] * per_mass + g.z;
  }
}

/* Energy of motion of a block. */
static void block_kinetic(const void *user, size_t begin, size_t end, double *sum)
{
  const pd_state *s = user;
  const pd_host *h = s->host;
  while (begin < end) {
    const pd_grain *grain = &h->grains[h->grain_of[begin]];
    const pd_body *body = &s->bodies[grain->body];
    size_t last = grain->first + body->node_count < end ? grain->first + body->node_count : end;
    *sum += kinetic_of(s, body, begin, last);
    begin = last;
  }
}

double pd_energy_kinetic(const pd_state *s)
{
  double total = 0;
  pd_sum_nodes(s, 1, block_kinetic, s, &total);
  return total;
}
