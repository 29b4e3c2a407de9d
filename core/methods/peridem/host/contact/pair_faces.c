#include "methods/peridem/host/contact/pair_faces.h"

#include <string.h>

#include "base/memory.h"
#include "methods/peridem/host/contact/rig_faces.h"
#include "methods/peridem/host/ranks/ranks.h"

static scr_vec3 at(const pd_vectors *v, size_t i)
{
  return vec3(v->x[i], v->y[i], v->z[i]);
}

static bool vectors_create(pd_vectors *v, size_t n)
{
  v->x = mem_array(n, sizeof(double));
  v->y = mem_array(n, sizeof(double));
  v->z = mem_array(n, sizeof(double));
  return v->x && v->y && v->z;
}

scr_status pd_facing_create(pd_state *s, scr_error *error)
{
  if (!pd_uses_face_contact(s) || s->grain_count < 2) return SCR_OK;
  size_t n = s->node_count;
  pd_facing *f = mem_array(1, sizeof *f);
  s->host->facing = f;
  if (!f) return scr_fail_memory(error, "the faces of nodes", sizeof *f);
  f->normal = mem_array(n, sizeof *f->normal);
  f->turn = mem_array(n, sizeof *f->turn);
  f->held = mem_array(n, 1);
  f->push = mem_array(n, sizeof *f->push);
  f->count = mem_array(n, 1);
  f->turned = mem_array(n, 1);
  bool ok = vectors_create(&f->couple, n) && f->normal && f->turn && f->held && f->push && f->count && f->turned;
  if (s->options->friction_law == PD_FRICTION_SPRING && s->options->loading == PD_DYNAMIC) {
    f->strip_count = (n + PD_STRIP - 1) / PD_STRIP;
    f->strip = mem_array(f->strip_count, sizeof *f->strip);
    ok = ok && f->strip;
  }
  return ok ? SCR_OK : scr_fail_memory(error, "the faces of nodes", n * 220);
}

void pd_facing_clear(pd_facing *f)
{
  if (!f) return;
  for (size_t k = 0; f->strip && k < f->strip_count; k++) {
    mem_free(f->strip[k].now);
    mem_free(f->strip[k].before);
  }
  void *all[] = {f->normal, f->turn, f->held, f->push, f->count, f->turned, f->couple.x, f->couple.y, f->couple.z, f->strip};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
  mem_free(f);
}

/* ── neighbours ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The nearest neighbours of a node that bonds still join with it, and itself: up to a cell's diagonal. */
typedef struct pd_family {
  uint32_t node[64];
  size_t count;
} pd_family;

static void family_of(const pd_state *s, size_t i, pd_family *family)
{
  const pd_grain *grain = &s->host->grains[s->host->grain_of[i]];
  const pd_body *body = &s->bodies[grain->body];
  const pd_bonds *bonds = grain->bonds;
  double least = pd_family_bound(body);
  size_t row = i - grain->first;
  family->node[0] = (uint32_t)i;
  family->count = 1;
  for (uint32_t k = bonds->first[row], end = k + bonds->count[row]; k < end && family->count < 64; k++)
    if (bonds->inverse_length[k] >= least) family->node[family->count++] = (uint32_t)grain->first + bonds->other[k];
}

typedef struct matrix {
  scr_vec3 row[3];
} matrix;

static void add_product(matrix *sum, scr_vec3 a, scr_vec3 b)
{
  sum->row[0] = vec3_add(sum->row[0], vec3_scale(b, a.x));
  sum->row[1] = vec3_add(sum->row[1], vec3_scale(b, a.y));
  sum->row[2] = vec3_add(sum->row[2], vec3_scale(b, a.z));
}

static scr_vec3 times(const matrix *m, scr_vec3 v)
{
  return vec3(vec3_dot(m->row[0], v), vec3_dot(m->row[1], v), vec3_dot(m->row[2], v));
}

/* A^-T times the determinant. */
static matrix cofactor_of(const matrix *A)
{
  return (matrix){{vec3_cross(A->row[1], A->row[2]), vec3_cross(A->row[2], A->row[0]), vec3_cross(A->row[0], A->row[1])}};
}

bool pd_node_is_torn(const pd_bonds *bonds, size_t node)
{
  return bonds->count[node] < bonds->first[node + 1] - bonds->first[node];
}

/* Normals of a node's faces, as its family has been moved: along F^-T N, as in rig_faces.c. */
static void turn_node(const pd_state *s, size_t i)
{
  const pd_host *h = s->host;
  pd_facing *f = h->facing;
  const pd_grain *grain = &h->grains[h->grain_of[i]];
  const pd_body *body = &s->bodies[grain->body];
  size_t node = i - grain->first;
  f->count[i] = 0;
  if (!body->face_count[node] || pd_node_is_torn(grain->bonds, node)) return;
  pd_family family;
  family_of(s, i, &family);
  matrix A = {{{0, 0, 0}}}, B = {{{0, 0, 0}}};
  double size = 0;
  for (size_t k = 1; k < family.count; k++) {
    scr_vec3 X = vec3_sub(at(&h->reference, family.node[k]), at(&h->reference, i)),
             x = vec3_sub(at(&h->position, family.node[k]), at(&h->position, i));
    add_product(&A, x, X);
    add_product(&B, X, X);
    size += vec3_dot(X, X);
  }
  matrix cofactor = cofactor_of(&A);
  if (!(vec3_dot(A.row[0], cofactor.row[0]) > 1e-4 * size * size * size)) return; /* too few neighbours to turn it */
  for (size_t k = 0; k < body->face_count[node]; k++) {
    scr_vec3 moved = times(&cofactor, times(&B, body->face[node][k].normal));
    f->normal[i][k] = vec3_scale(moved, 1 / vec3_length(moved));
  }
  f->count[i] = body->face_count[node];
}

static void turn_node_with_row(const pd_state *s, size_t i)
{
  if (s->host->near.first[i + 1] > s->host->near.first[i]) turn_node(s, i);
}

void pd_facing_turn(const pd_state *s)
{
  const pd_host *h = s->host;
#pragma omp parallel for schedule(static, 64) num_threads(s->execution.threads)
  for (size_t i = 0; i < s->node_count; i++)
    if (pd_is_own(h, i)) turn_node_with_row(s, i);
  const pd_node_field faces[] = {PD_NODE_FIELD(h->facing->normal), PD_NODE_FIELD(h->facing->count)};
  pd_ranks_update(s, faces, 2);
}

scr_vec3 pd_predicted_displacement(const pd_state *s, size_t i)
{
  double dt = s->time_step;
  return vec3_add(vec3_scale(at(&s->host->velocity, i), dt), vec3_scale(at(&s->host->acceleration, i), 0.5 * dt * dt));
}

/* A family about its centre. */
typedef struct inertia {
  scr_vec3 centre;
  matrix cofactor; /* of J, which is symmetric */
  double determinant;
} inertia;

/* Over the mass of a node. */
static inertia inertia_of(const pd_state *s, const pd_family *family)
{
  const pd_host *h = s->host;
  const size_t i = family->node[0];
  inertia J = {.centre = vec3(0, 0, 0)};
  matrix sum = {{{0, 0, 0}}};
  double square = 0;
  for (size_t k = 0; k < family->count; k++)
    J.centre =
        vec3_add(J.centre, vec3_scale(vec3_sub(at(&h->position, family->node[k]), at(&h->position, i)), 1.0 / (double)family->count));
  J.centre = vec3_add(J.centre, at(&h->position, i));
  for (size_t k = 0; k < family->count; k++) {
    scr_vec3 r = vec3_sub(at(&h->position, family->node[k]), J.centre);
    add_product(&sum, vec3_scale(r, -1), r);
    square += vec3_dot(r, r);
  }
  sum.row[0].x += square, sum.row[1].y += square, sum.row[2].z += square;
  J.cofactor = cofactor_of(&sum);
  J.determinant = vec3_dot(sum.row[0], J.cofactor.row[0]);
  return J;
}

/* Turn of a node's family in the step that leads here. */
static scr_vec3 turn_of(const pd_state *s, size_t i)
{
  pd_family family;
  family_of(s, i, &family);
  inertia J = inertia_of(s, &family);
  scr_vec3 sum = vec3(0, 0, 0);
  if (!(J.determinant > 0)) return sum;
  for (size_t k = 0; k < family.count; k++)
    sum =
        vec3_add(sum, vec3_cross(vec3_sub(at(&s->host->position, family.node[k]), J.centre), pd_predicted_displacement(s, family.node[k])));
  return vec3_scale(times(&J.cofactor, sum), 1 / J.determinant);
}

void pd_facing_advance(const pd_state *s)
{
  pd_facing *f = s->host->facing;
  pd_facing_turn(s);
#pragma omp parallel for schedule(static, 64) num_threads(s->execution.threads)
  for (size_t i = 0; i < s->node_count; i++) {
    if (f->held[i] && pd_is_own(s->host, i)) f->turn[i] = turn_of(s, i);
    f->held[i] = 0;
  }
  const pd_node_field turns[] = {PD_NODE_FIELD(f->turn)};
  pd_ranks_update(s, turns, 1);
}

/* ── couples ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

void pd_pair_couple(const pd_state *s, size_t i, size_t j, const double force[3])
{
  pd_facing *f = s->host->facing;
  scr_vec3 arm = vec3_scale(vec3_sub(at(&s->host->position, j), at(&s->host->position, i)), 0.5);
  scr_vec3 couple = vec3_cross(arm, vec3(force[0], force[1], force[2]));
  f->couple.x[i] += couple.x;
  f->couple.y[i] += couple.y;
  f->couple.z[i] += couple.z;
  f->turned[i] = 1;
}

void pd_pair_push(const pd_state *s, size_t i, const pd_pair *pair)
{
  pd_facing *f = s->host->facing;
  for (size_t p = 0; p < f->count[i]; p++) f->push[i][p] = vec3_add(f->push[i][p], pair->push[p]);
  f->turned[i] = 1;
}

static void add_force(pd_vectors *onto, size_t i, scr_vec3 force)
{
  onto->x[i] += force.x;
  onto->y[i] += force.y;
  onto->z[i] += force.z;
}

/* A couple as forces on the family, those of a turn: m w x r about its centre, with J w the couple. Their sum is 0. */
static void give_turn(const pd_state *s, const pd_family *family, scr_vec3 couple, pd_vectors *onto)
{
  const pd_host *h = s->host;
  inertia J = inertia_of(s, family);
  if (!(J.determinant > 0)) return;
  scr_vec3 turn = vec3_scale(times(&J.cofactor, couple), 1 / J.determinant);
  for (size_t k = 0; k < family->count; k++)
    add_force(onto, family->node[k], vec3_cross(turn, vec3_sub(at(&h->position, family->node[k]), J.centre)));
}

/* What pushes the normal n as forces: n = F^-T N / |F^-T N| changes by -A^-T sum X_k (n . dx_k) across itself, A = sum x_k (x) X_k, so that
 * neighbour k gets -(A^-T X_k . g) n of the part g of the push across n, and the node the opposite of all. Their moment is n x g:
 * sum x_k (X_k . A^-1 g) is g. @param cofactor of A; scale: 1 / det A */
static void give_tilt(const pd_state *s, const pd_family *family, const matrix *cofactor, double scale, scr_vec3 n, scr_vec3 push,
                      pd_vectors *onto)
{
  const pd_host *h = s->host;
  const size_t i = family->node[0];
  scr_vec3 total = vec3(0, 0, 0), g = vec3_sub(push, vec3_scale(n, vec3_dot(n, push)));
  for (size_t k = 1; k < family->count; k++) {
    scr_vec3 X = vec3_sub(at(&h->reference, family->node[k]), at(&h->reference, i));
    scr_vec3 force = vec3_scale(n, -scale * vec3_dot(times(cofactor, X), g));
    add_force(onto, family->node[k], force);
    total = vec3_add(total, force);
  }
  add_force(onto, i, vec3_scale(total, -1));
}

static void give_all(const pd_state *s, size_t i, pd_vectors *onto)
{
  const pd_host *h = s->host;
  pd_facing *f = h->facing;
  pd_family family;
  matrix A = {{{0, 0, 0}}};
  family_of(s, i, &family);
  for (size_t k = 1; k < family.count; k++)
    add_product(&A, vec3_sub(at(&h->position, family.node[k]), at(&h->position, i)),
                vec3_sub(at(&h->reference, family.node[k]), at(&h->reference, i)));
  matrix cofactor = cofactor_of(&A);
  double scale = vec3_dot(A.row[0], cofactor.row[0]);
  scr_vec3 couple = at(&f->couple, i);
  for (size_t p = 0; p < f->count[i] && scale > 0; p++) /* else its neighbours have just gone, in this step */
    if (vec3_dot(f->push[i][p], f->push[i][p]) > 0) give_tilt(s, &family, &cofactor, 1 / scale, f->normal[i][p], f->push[i][p], onto);
  if (vec3_dot(couple, couple) > 0) give_turn(s, &family, couple, onto);
}

/* Each grain's nodes in their order by one thread: neighbours are of the same grain. Those of the halo too, for own neighbours. */
void pd_couples_distribute(const pd_state *s, pd_vectors *onto)
{
  pd_facing *f = s->host->facing;
  if (!pd_ranks_count(s, memchr(f->turned, 1, s->node_count) != NULL)) return; /* on any rank: most of what is sent would be zeros */
  const pd_node_field couples[] = {PD_NODE_VECTORS(f->couple), PD_NODE_FIELD(f->push), PD_NODE_FIELD(f->turned)};
  pd_ranks_update(s, couples, sizeof couples / sizeof *couples);
#pragma omp parallel for schedule(dynamic) num_threads(s->execution.threads)
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_grain *grain = &s->host->grains[g];
    for (size_t i = grain->first, end = i + s->bodies[grain->body].node_count; i < end; i++) {
      if (!f->turned[i]) continue;
      give_all(s, i, onto);
      f->turned[i] = 0;
      for (size_t p = 0; p < GEO_FACES; p++) f->push[i][p] = vec3(0, 0, 0);
      f->couple.x[i] = f->couple.y[i] = f->couple.z[i] = 0;
    }
  }
}
