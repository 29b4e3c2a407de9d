#include "methods/peridem/host/contact/pair_faces.h"

#include <string.h>

#include "base/memory.h"
#include "methods/peridem/host/contact/rig_faces.h"

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
  f->count = mem_array(n, 1);
  f->picked = mem_array(n, 1);
  f->turned = mem_array(n, 1);
  bool ok = vectors_create(&f->couple, n) && f->normal && f->count && f->picked && f->turned;
  if (s->options->friction_law == PD_FRICTION_SPRING && s->options->loading == PD_DYNAMIC) {
    f->strip_count = (n + PD_STRIP - 1) / PD_STRIP;
    f->strip = mem_array(f->strip_count, sizeof *f->strip);
    ok = ok && f->strip;
  }
  return ok ? SCR_OK : scr_fail_memory(error, "the faces of nodes", n * 100);
}

void pd_facing_clear(pd_facing *f)
{
  if (!f) return;
  for (size_t k = 0; f->strip && k < f->strip_count; k++) {
    mem_free(f->strip[k].now);
    mem_free(f->strip[k].before);
  }
  void *all[] = {f->normal, f->count, f->picked, f->turned, f->couple.x, f->couple.y, f->couple.z, f->strip};
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
  double least = 1 / (1.8 * fmax(body->cell.x, fmax(body->cell.y, body->cell.z)));
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

/* Whether a node has lost bonds. It then lies at a crack: the face above it may be gone, and what is left of its family does not determine
 * how it is turned. Debris that kept its faces gained twice the largest energy of a crush. */
static bool is_torn(const pd_bonds *bonds, size_t node)
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
  if (!body->face_count[node] || is_torn(grain->bonds, node)) return;
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

void pd_facing_turn(const pd_state *s)
{
  const pd_host *h = s->host;
#pragma omp parallel for schedule(static, 64) num_threads(s->threads)
  for (size_t i = 0; i < s->node_count; i++)
    if (h->near.first[i + 1] > h->near.first[i]) turn_node(s, i);
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
  const size_t i = family->node[0];
  const double mass = s->bodies[h->grains[h->grain_of[i]].body].node_mass;
  scr_vec3 centre = vec3(0, 0, 0);
  matrix J = {{{0, 0, 0}}};
  double square = 0;
  for (size_t k = 0; k < family->count; k++)
    centre = vec3_add(centre, vec3_scale(vec3_sub(at(&h->position, family->node[k]), at(&h->position, i)), 1.0 / (double)family->count));
  centre = vec3_add(centre, at(&h->position, i));
  for (size_t k = 0; k < family->count; k++) {
    scr_vec3 r = vec3_sub(at(&h->position, family->node[k]), centre);
    add_product(&J, vec3_scale(r, -mass), r);
    square += mass * vec3_dot(r, r);
  }
  J.row[0].x += square, J.row[1].y += square, J.row[2].z += square;
  matrix cofactor = cofactor_of(&J); /* J is symmetric */
  double determinant = vec3_dot(J.row[0], cofactor.row[0]);
  if (!(determinant > 0)) return;
  scr_vec3 turn = vec3_scale(times(&cofactor, couple), 1 / determinant);
  for (size_t k = 0; k < family->count; k++)
    add_force(onto, family->node[k], vec3_scale(vec3_cross(turn, vec3_sub(at(&h->position, family->node[k]), centre)), mass));
}

/* A couple n x g as what moves the normal n: n = F^-T N / |F^-T N| changes by -A^-T sum X_k (n . dx_k) across itself, A = sum x_k (x) X_k,
 * so that neighbour k gets -(A^-T X_k . g) n and the node the opposite of all. Their moment is n x g: sum x_k (X_k . A^-1 g) is g. */
static void give_tilt(const pd_state *s, const pd_family *family, scr_vec3 n, scr_vec3 g, pd_vectors *onto)
{
  const pd_host *h = s->host;
  const size_t i = family->node[0];
  matrix A = {{{0, 0, 0}}};
  scr_vec3 total = vec3(0, 0, 0);
  for (size_t k = 1; k < family->count; k++)
    add_product(&A, vec3_sub(at(&h->position, family->node[k]), at(&h->position, i)),
                vec3_sub(at(&h->reference, family->node[k]), at(&h->reference, i)));
  matrix cofactor = cofactor_of(&A);
  double scale = vec3_dot(A.row[0], cofactor.row[0]);
  if (!(scale > 0)) return; /* its neighbours have just gone, in this step */
  scale = 1 / scale;
  for (size_t k = 1; k < family->count; k++) {
    scr_vec3 X = vec3_sub(at(&h->reference, family->node[k]), at(&h->reference, i));
    scr_vec3 force = vec3_scale(n, -scale * vec3_dot(times(&cofactor, X), g));
    add_force(onto, family->node[k], force);
    total = vec3_add(total, force);
  }
  add_force(onto, i, vec3_scale(total, -1));
}

static void give_couple(const pd_state *s, size_t i, pd_vectors *onto)
{
  pd_facing *f = s->host->facing;
  scr_vec3 couple = at(&f->couple, i), n = f->normal[i][f->picked[i] < f->count[i] ? f->picked[i] : 0];
  double about = vec3_dot(couple, n);
  pd_family family;
  family_of(s, i, &family);
  give_tilt(s, &family, n, vec3_cross(couple, n), onto);
  if (about != 0) give_turn(s, &family, vec3_scale(n, about), onto);
}

/* Each grain's nodes in their order by one thread: neighbours are of the same grain. */
void pd_couples_give(const pd_state *s, pd_vectors *onto)
{
  pd_facing *f = s->host->facing;
#pragma omp parallel for schedule(dynamic) num_threads(s->threads)
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_grain *grain = &s->host->grains[g];
    for (size_t i = grain->first, end = i + s->bodies[grain->body].node_count; i < end; i++) {
      if (!f->turned[i]) continue;
      give_couple(s, i, onto);
      f->turned[i] = 0;
      f->couple.x[i] = f->couple.y[i] = f->couple.z[i] = 0;
    }
  }
}

/* ── friction ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

void pd_strip_begin(pd_spring_strip *strip)
{
  pd_spring_strip was = *strip;
  *strip = (pd_spring_strip){was.before, was.now, 0, was.before_capacity, was.count, was.capacity, 0};
}

/* Each pair is seen from both ends: half the heat. */
void pd_strip_end(const pd_spring_strip *strip, double *heat)
{
  for (size_t k = 0; k < strip->before_count; k++) {
    const pd_pair_spring *old = &strip->before[k];
    if (old->stiffness > 0) *heat += 0.25 * old->stiffness * vec3_dot(old->stretched, old->stretched); /* not found again: it has parted */
  }
}

static pd_pair_spring *find(pd_spring_strip *strip, size_t *walk, size_t i, size_t j)
{
  while (*walk < strip->before_count && strip->before[*walk].near < i) ++*walk;
  for (size_t k = *walk; k < strip->before_count && strip->before[k].near == i; k++)
    if (strip->before[k].far == j) return &strip->before[k];
  return NULL;
}

static scr_vec3 predicted(const pd_state *s, size_t i)
{
  double dt = s->time_step;
  return vec3_add(vec3_scale(at(&s->host->velocity, i), dt), vec3_scale(at(&s->host->acceleration, i), 0.5 * dt * dt));
}

/* Way of i relative to j since the force pass before, of their bodies at the middle: faces that turn carry it along. */
static scr_vec3 displacement_of(const pd_state *s, size_t i, size_t j, const pd_pair *pair, const pd_pair_spring *old)
{
  scr_vec3 turn_i = vec3_scale(vec3_sub(pair->face[0], old->face[0]), 0.5 * pair->along);
  scr_vec3 turn_j = vec3_scale(vec3_sub(pair->face[1], old->face[1]), 0.5 * pair->along);
  return vec3_sub(vec3_add(predicted(s, i), turn_i), vec3_add(predicted(s, j), turn_j));
}

bool pd_pair_hold(pd_state *s, pd_spring_strip *strip, size_t *walk, size_t i, size_t j, const pd_pair *pair, double force[3], double *held,
                  double *heat)
{
  *held = 0;
  if (!mem_grow(&strip->now, &strip->capacity, strip->count + 1, sizeof *strip->now)) return false;
  pd_pair_spring *spring = &strip->now[strip->count++], *old = find(strip, walk, i, j);
  *spring = (pd_pair_spring){.near = (uint32_t)i,
                             .far = (uint32_t)j,
                             .stiffness = 0.8 * pair->stiffness,
                             .face = {pair->face[0], pair->face[1]},
                             .picked = {pair->picked, pair->picked_far}};
  if (!old || old->picked[0] != pair->picked || old->picked[1] != pair->picked_far) return true; /* what other faces held goes into heat */
  scr_vec3 n = pair->normal, displacement = displacement_of(s, i, j, pair, old), tried = vec3_add(old->stretched, displacement);
  tried = vec3_sub(tried, vec3_scale(n, vec3_dot(tried, n)));
  double length = vec3_length(tried), most = pair->law->friction_coefficient * pair->pressing / spring->stiffness;
  spring->stretched = length > most ? vec3_scale(tried, most / length) : tried;
  scr_vec3 acts = vec3_scale(spring->stretched, -spring->stiffness);
  scr_vec3 mean = vec3_scale(vec3_sub(acts, vec3_scale(old->stretched, old->stiffness)), 0.5);
  *heat += 0.5 * (-vec3_dot(mean, displacement) + 0.5 * old->stiffness * vec3_dot(old->stretched, old->stretched) -
                  0.5 * spring->stiffness * vec3_dot(spring->stretched, spring->stretched));
  old->stiffness = 0; /* found */
  *held = spring->stiffness * vec3_length(spring->stretched);
  force[0] += acts.x, force[1] += acts.y, force[2] += acts.z;
  return true;
}

double pd_pair_springs_energy(const pd_state *s)
{
  const pd_facing *f = s->host->facing;
  double total = 0;
  if (!f) return 0;
  for (size_t k = 0; k < f->strip_count; k++)
    for (size_t n = 0; n < f->strip[k].count; n++) {
      const pd_pair_spring *spring = &f->strip[k].now[n];
      total += 0.25 * spring->stiffness * vec3_dot(spring->stretched, spring->stretched);
    }
  return total;
}

/* ── the law ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The two faces that look at each other most: their numbers. @return false where none do */
static bool opposed_faces(const pd_facing *f, size_t i, size_t j, size_t *face_i, size_t *face_j)
{
  double most = 0.5;
  for (size_t p = 0; p < f->count[i]; p++)
    for (size_t q = 0; q < f->count[j]; q++) {
      double facing = -vec3_dot(f->normal[i][p], f->normal[j][q]);
      if (!(facing > most + 1e-9)) continue;
      most = facing;
      *face_i = p;
      *face_j = q;
    }
  return most > 0.5;
}

/* Along the line between the nodes, from the mean of their spacings on, or from where they started. */
static bool touch_centrally(const pd_state *s, size_t i, size_t j, double r, const pd_body *bi, const pd_body *bj, pd_pair *pair)
{
  const scr_vec3 none = vec3(0, 0, 0);
  double zero = 0.5 * (bi->spacing + bj->spacing);
  if (!(r < zero)) return false;
  zero = fmin(zero, pd_reference_distance(s, i, j));
  if (!(r < zero)) return false;
  pair->stiffness = 1 / (1 / pd_node_face_stiffness(bi, none) + 1 / pd_node_face_stiffness(bj, none));
  pair->force = pair->stiffness * (zero - r);
  pair->potential = 0.5 * pair->force * (zero - r);
  return true;
}

/* Bodies that touch at the start do so where they are: the gap's zero of a pair that began nearer, by the normals of the start, so that it
 * is the same however faces turn: else the law would have no potential. */
static double started(const pd_state *s, size_t i, size_t j, scr_vec3 n, double depths)
{
  scr_vec3 D = vec3_sub(at(&s->host->reference, j), at(&s->host->reference, i));
  double along = vec3_dot(D, n) / vec3_length(n);
  bool nearer = vec3_dot(D, D) < s->host->touch * s->host->touch && along > 0 && along < depths * (1 - GEO_LENGTH_SLACK);
  return nearer ? along : depths;
}

bool pd_pair_by_faces(const pd_state *s, size_t i, size_t j, const double d[3], pd_pair *pair)
{
  const pd_facing *f = s->host->facing;
  const pd_grain *gi = &s->host->grains[s->host->grain_of[i]], *gj = &s->host->grains[s->host->grain_of[j]];
  const pd_body *bi = &s->bodies[gi->body], *bj = &s->bodies[gj->body];
  size_t a = i - gi->first, b = j - gj->first, p = 0, q = 0;
  double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  pair->turns = f->count[i] && f->count[j];
  if (!opposed_faces(f, i, j, &p, &q)) {
    for (int k = 0; k < 3; k++) pair->toward[k] = d[k] / sqrt(r2);
    return touch_centrally(s, i, j, sqrt(r2), bi, bj, pair);
  }
  pair->picked = (unsigned char)p;
  pair->picked_far = (unsigned char)q;
  pair->face[0] = f->normal[i][p], pair->face[1] = f->normal[j][q];
  scr_vec3 n = vec3_sub(pair->face[0], pair->face[1]);
  pair->normal = n = vec3_scale(n, 1 / vec3_length(n));
  double along = pair->along = d[0] * n.x + d[1] * n.y + d[2] * n.z, depths = bi->face[a][p].depth + bj->face[b][q].depth;
  double width = 1.5 * fmax(bi->spacing, bj->spacing), share = 1 - fmax(0, r2 - along * along) / (width * width);
  if (!(along < depths) || !(share > 0)) return false;
  scr_vec3 first = vec3_sub(bi->face[a][p].normal, bj->face[b][q].normal);
  double overlap = started(s, i, j, first, depths) - along;
  if (!(overlap > 0)) return false;
  double K = bi->section[a][p].area * bj->section[b][q].area / (bi->section[a][p].softness + bj->section[b][q].softness);
  K *= 3 / (M_PI * width * width);
  pair->stiffness = K * share * share;
  pair->potential = 0.5 * pair->stiffness * overlap * overlap;
  pair->pressing = pair->stiffness * overlap;
  double aside = 2 * K * share / (width * width) * overlap * overlap;
  scr_vec3 force = vec3_add(vec3_scale(n, pair->pressing - aside * along), vec3_scale(vec3(d[0], d[1], d[2]), aside));
  pair->force = vec3_length(force);
  pair->toward[0] = force.x / pair->force, pair->toward[1] = force.y / pair->force, pair->toward[2] = force.z / pair->force;
  pair->by_faces = true;
  return true;
}
