/* Energies, forces and curvature of listed contacts. */
#include "methods/bdem/contact/contact.h"

#include "base/memory.h"
#include "methods/bdem/contact/friction.h"
#include "methods/bdem/contact/press.h"

static const sim_field fields[] = {
    FIELD_LIST("pairs", bdem_contacts, pairs, pair_count, pair_capacity, 0),
    FIELD_LIST("exposed pairs", bdem_contacts, exposed, exposed_count, exposed_capacity, 0), /* saved with the state, as are */
    FIELD_LIST("unused pairs", bdem_contacts, unused, unused_count, unused_capacity, 0),     /* saved with the state, as the solver is */
    FIELD_LIST("touches", bdem_contacts, touches, touch_count, touch_capacity, 0),
    FIELD_SCRATCH_LIST("effects of touches", bdem_contacts, touch_effects, touch_effect_capacity),
    FIELD_SCRATCH_LIST("laws of contacts", bdem_contacts, plain, plain_capacity),
    FIELD_LIST("spheres in pairs", bdem_contacts, rows.sphere, rows.sphere_count, rows.sphere_capacity, 0),
    FIELD_SCRATCH_LIST("rows of pairs", bdem_contacts, rows.first, rows.first_capacity),
    FIELD_SCRATCH_LIST("pairs of spheres", bdem_contacts, rows.pair, rows.pair_capacity),
    FIELD_SCRATCH_LIST("overlaps", bdem_contacts, rows.overlap, rows.overlap_capacity),
    FIELD_SCRATCH_LIST("forces of pairs", bdem_contacts, rows.push, rows.push_capacity),
    FIELD_SCRATCH_LIST("torques of pairs", bdem_contacts, rows.turn, rows.turn_capacity),
    FIELD_SCRATCH_LIST("pairs in contact", bdem_contacts, rows.active, rows.active_capacity),
    FIELD_SCRATCH_LIST("pairs by colour", bdem_contacts, rows.sorted, rows.sorted_capacity),
    FIELD_SCRATCH_LIST("colours of pairs", bdem_contacts, rows.colour, rows.colour_capacity),
    FIELD_SCRATCH_LIST("losses of pairs", bdem_contacts, rows.lost, rows.lost_capacity),
    FIELD_SCRATCH_LIST("colours of spheres", bdem_contacts, rows.met, rows.met_capacity),
};

void bdem_contacts_clear(bdem_contacts *contacts)
{
  if (contacts->friction) bdem_friction_clear(contacts->friction);
  mem_free(contacts->friction);
  fields_free(fields, FIELD_COUNT(fields), contacts);
  *contacts = (bdem_contacts){0};
}

enum { PIECES = 64, PIECE = 64 /* contacts, at least */, FEW = 4096 /* contacts not worth rows and a team of threads */ };

bool bdem_contacts_are_many(const bdem_contacts *contacts)
{
  return contacts->execution.threads > 1 && contacts->rows.made;
}

/* Terms of each of the blocks in which `count` terms are summed. */
static size_t piece_length(size_t count)
{
  return count > PIECES * PIECE ? (count + PIECES - 1) / PIECES : PIECE;
}

static size_t least(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* All items that a team of threads takes where they are many. */
static scr_execution team(const bdem_contacts *contacts)
{
  return execution_if(bdem_contacts_are_many(contacts), contacts->execution);
}

typedef struct contact_terms {
  const bdem_contacts *contacts;
  const bdem_body *body;
  size_t first, part; /* of the touches of a part */
} contact_terms;

static void pair_energies(const void *user, size_t begin, size_t end, double *energy)
{
  const contact_terms *of = user;
  bdem_press press;
  for (size_t k = begin; k < end; ++k) *energy += bdem_pair_press(&of->contacts->pairs[k], of->body, &press) ? press.energy : 0.0;
}

static void touch_energies(const void *user, size_t begin, size_t end, double *energy)
{
  const contact_terms *of = user;
  bdem_press press;
  for (size_t k = begin; k < end; ++k)
    *energy += bdem_touch_press(of->contacts, &of->contacts->touches[k], of->body, &press) ? press.energy : 0.0;
}

double bdem_pairs_energy(const bdem_contacts *contacts, const bdem_body *body)
{
  const contact_terms of = {.contacts = contacts, .body = body};
  double sum = 0.0;
  execution_sum(team(contacts), contacts->pair_count, piece_length(contacts->pair_count), 1, pair_energies, &of, &sum);
  return sum;
}

double bdem_touches_energy(const bdem_contacts *contacts, const bdem_body *body)
{
  const contact_terms of = {.contacts = contacts, .body = body};
  double sum = 0.0;
  execution_sum(team(contacts), contacts->touch_count, piece_length(contacts->touch_count), 1, touch_energies, &of, &sum);
  return sum;
}

/* ── forces ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* What a pair does: its push on j and the torques on both. @return what it dissipated, J */
static double push_of_pair(bdem_pair *pair, const bdem_contacts *contacts, const bdem_body *body, const double *dt, double *overlap,
                           scr_vec3 *push, scr_vec3 turn[2])
{
  bdem_press press = {.overlap = 0.0};
  *overlap = bdem_pair_press(pair, body, &press) ? press.overlap : 0.0;
  turn[0] = press.turn[0];
  turn[1] = press.turn[1];
  if (!(*overlap > 0.0)) {
    double lost = 0.5 * pair->shear * pair->stiffness * vec3_dot(pair->spring, pair->spring);
    if (dt) pair->sticks = false;
    if (dt && lost > 0.0) pair->spring = vec3(0, 0, 0);
    return dt ? lost : 0.0;
  }
  *push = press.push;
  double friction = contacts->laws ? contacts->laws[pair->law].friction_coefficient : 0.0;
  if (!dt || !(friction > 0.0)) return 0.0;
  uint32_t i = pair->i, j = pair->j;
  bdem_spring_force spring = {.force = vec3_scale(pair->spring, -pair->shear * pair->stiffness)};
  if (*dt > 0.0) {
    scr_vec3 of_i = vec3_add(body->velocity[i], vec3_cross(body->spin[i], press.arm_i));
    scr_vec3 of_j = vec3_add(body->velocity[j], vec3_cross(body->spin[j], press.arm_j));
    double twist = 0.5 * *dt * vec3_dot(vec3_add(body->spin[i], body->spin[j]), press.normal);
    scr_vec3 gone = vec3_scale(vec3_sub(of_i, of_j), *dt);
    const bdem_slip slip = {friction, pair->stiffness, pair->shear, *overlap, press.normal, gone, twist};
    spring = bdem_spring_friction(&pair->spring, &pair->sticks, &slip);
  }
  *push = vec3_sub(*push, spring.force);
  turn[0] = vec3_add(turn[0], vec3_cross(press.arm_i, spring.force));
  turn[1] = vec3_sub(turn[1], vec3_cross(press.arm_j, spring.force));
  return spring.dissipated;
}

/* The same of a touch, on its sphere. */
static double add_touch(const bdem_contacts *contacts, const bdem_body *body, size_t k, const double *dt, scr_vec3 *force, scr_vec3 *torque)
{
  bdem_press press;
  bdem_touch *touch = &contacts->touches[k];
  uint32_t i = touch->sphere;
  if (!bdem_touch_press(contacts, touch, body, &press)) {
    double lost = 0.5 * touch->shear * touch->stiffness * vec3_dot(touch->spring, touch->spring);
    if (dt) touch->sticks = false;
    if (dt && lost > 0.0) touch->spring = vec3(0, 0, 0);
    return dt ? lost : 0.0;
  }
  force[i] = vec3_add(force[i], press.push);
  torque[i] = vec3_add(torque[i], press.turn[0]);
  double friction = contacts->laws ? contacts->laws[touch->law].friction_coefficient : 0.0;
  if (!dt || !(friction > 0.0)) return 0.0;
  bdem_spring_force spring = {.force = vec3_scale(touch->spring, -touch->shear * touch->stiffness)};
  if (*dt > 0.0) {
    scr_vec3 u = vec3_add(body->velocity[i], vec3_cross(body->spin[i], press.arm_i));
    double twist = 0.5 * *dt * vec3_dot(body->spin[i], press.normal);
    const part_displacement *displacement = &contacts->part_displacements[touch->part];
    scr_vec3 from = vec3_add(vec3_sub(body->position[i], contacts->parts[touch->part].pose.position), press.arm_i);
    if (contacts->rig[touch->part].turns) twist += 0.5 * vec3_dot(displacement->turn, press.normal);
    scr_vec3 gone = vec3_sub(vec3_scale(u, *dt), part_displacement_at(displacement, from));
    const bdem_slip slip = {friction, touch->stiffness, touch->shear, press.overlap, press.normal, gone, twist};
    spring = bdem_spring_friction(&touch->spring, &touch->sticks, &slip);
  }
  force[i] = vec3_add(force[i], spring.force);
  torque[i] = vec3_add(torque[i], vec3_cross(press.arm_i, spring.force));
  return spring.dissipated;
}

/* Forces are added to spheres as pairs are met, by one thread, or kept in rows, which are gathered for each sphere. */
typedef struct force_terms {
  const bdem_contacts *contacts;
  const bdem_body *body;
  const double *dt; /* NULL: without friction */
  scr_vec3 *force, *torque;
  size_t first; /* of the touches of a part */
} force_terms;

static void add_pairs(const void *user, size_t begin, size_t end, double *dissipated)
{
  const force_terms *of = user;
  scr_vec3 push = vec3(0, 0, 0), turn[2], *force = of->force, *torque = of->torque;
  double overlap;
  for (size_t k = begin; k < end; ++k) {
    bdem_pair *pair = &of->contacts->pairs[k];
    *dissipated += push_of_pair(pair, of->contacts, of->body, of->dt, &overlap, &push, turn);
    if (!(overlap > 0.0)) continue;
    force[pair->i] = vec3_sub(force[pair->i], push);
    force[pair->j] = vec3_add(force[pair->j], push);
    if (!of->dt && !pair->face_i) continue;
    torque[pair->i] = vec3_add(torque[pair->i], turn[0]);
    torque[pair->j] = vec3_add(torque[pair->j], turn[1]);
  }
}

static void keep_pairs(const void *user, size_t begin, size_t end, double *dissipated)
{
  const force_terms *of = user;
  const bdem_contact_rows *rows = &of->contacts->rows;
  for (size_t k = begin; k < end; ++k)
    *dissipated += push_of_pair(&of->contacts->pairs[k], of->contacts, of->body, of->dt, &rows->overlap[k], &rows->push[k], rows->turn[k]);
}

static void add_touches(const void *user, size_t begin, size_t end, double *dissipated)
{
  const force_terms *of = user;
  for (size_t k = of->first + begin; k < of->first + end; ++k)
    *dissipated += add_touch(of->contacts, of->body, k, of->dt, of->force, of->torque);
}

/* What the pairs of the sphere in a row push and turn it by, in the order of the pairs. */
static void gather_row(const bdem_contact_rows *rows, size_t row, scr_vec3 *force, scr_vec3 *torque)
{
  uint32_t i = rows->sphere[row];
  scr_vec3 sum = force[i], turn = torque[i];
  for (uint32_t e = rows->first[row]; e < rows->first[row + 1]; ++e) {
    uint32_t k = rows->pair[e] / 2;
    if (!(rows->overlap[k] > 0.0)) continue;
    sum = rows->pair[e] & 1 ? vec3_add(sum, rows->push[k]) : vec3_sub(sum, rows->push[k]);
    turn = vec3_add(turn, rows->turn[k][rows->pair[e] & 1]);
  }
  force[i] = sum;
  torque[i] = turn;
}

/* dt = NULL: without friction. Pairs and touches share the sums of blocks: the forces of all pairs come before those of touches.
 * @return what is dissipated, J */
static double add_all(const bdem_contacts *contacts, const bdem_body *body, const double *dt, scr_vec3 *force, scr_vec3 *torque)
{
  const bool many = bdem_contacts_are_many(contacts);
  const bdem_contact_rows *rows = &contacts->rows;
  const scr_execution execution = team(contacts);
  force_terms of = {contacts, body, dt, force, torque, 0};
  double block[PIECES] = {0}, sum = 0.0;
  execution_sum_blocks(execution, contacts->pair_count, piece_length(contacts->pair_count), many ? keep_pairs : add_pairs, &of, block);
#pragma omp parallel for schedule(static) num_threads(execution.threads) if (many)
  for (size_t row = 0; row < (many ? rows->sphere_count : 0); ++row) gather_row(rows, row, force, torque);
  for (size_t part = 0; part < contacts->part_count; ++part) { /* a part touches a sphere once */
    size_t count = contacts->touch_first[part + 1] - contacts->touch_first[part];
    of.first = contacts->touch_first[part];
    execution_sum_blocks(execution, count, piece_length(count), add_touches, &of, block);
  }
  execution_add_up(PIECES, 1, block, &sum);
  return sum;
}

void bdem_contacts_add_forces(const bdem_contacts *contacts, const bdem_body *body, scr_vec3 *force, scr_vec3 *torque)
{
  add_all(contacts, body, NULL, force, torque);
}

double bdem_contacts_add_friction(bdem_contacts *contacts, const bdem_body *body, double dt, scr_vec3 *force, scr_vec3 *torque)
{
  return add_all(contacts, body, contacts->friction ? &dt : NULL, force, torque);
}

void bdem_pairs_measure(const bdem_contacts *contacts, const bdem_body *body)
{
#pragma omp parallel for schedule(static) num_threads(contacts->execution.threads) if (bdem_contacts_are_many(contacts))
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    scr_vec3 normal;
    contacts->rows.overlap[k] = bdem_pair_overlap(&contacts->pairs[k], body, &normal);
  }
}

/* Force and torque of touches of one part on it. */
static void add_loads(const void *user, size_t begin, size_t end, double *value)
{
  const contact_terms *of = user;
  const scr_pose *pose = &of->contacts->parts[of->part].pose;
  scr_vec3 force = vec3(0, 0, 0), torque = force;
  for (size_t k = of->first + begin; k < of->first + end; ++k) {
    const bdem_touch *touch = &of->contacts->touches[k];
    bdem_press press;
    scr_vec3 arm = vec3_sub(of->body->position[touch->sphere], pose->position);
    if (!bdem_touch_press(of->contacts, touch, of->body, &press)) continue;
    scr_vec3 spring = vec3_scale(touch->spring, touch->shear * touch->stiffness);
    force = vec3_add(force, vec3_sub(spring, press.push));
    torque = vec3_sub(torque, vec3_add(vec3_cross(arm, press.push), press.turn[0]));
    torque = vec3_add(torque, vec3_cross(vec3_add(arm, press.arm_i), spring));
  }
  value[0] += force.x, value[1] += force.y, value[2] += force.z;
  value[3] += torque.x, value[4] += torque.y, value[5] += torque.z;
}

void bdem_parts_load(const bdem_contacts *contacts, const bdem_body *body, part_load *load)
{
  for (size_t part = 0; part < contacts->part_count; ++part) {
    const contact_terms of = {contacts, body, contacts->touch_first[part], part};
    size_t count = contacts->touch_first[part + 1] - of.first;
    double sum[6] = {0};
    execution_sum(team(contacts), count, piece_length(count), 6, add_loads, &of, sum);
    load[part].force = vec3(sum[0], sum[1], sum[2]);
    load[part].torque = vec3(sum[3], sum[4], sum[5]);
  }
}

/* ── curvature ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A block += scale a b^T: all of it, or its corner of positions where spheres meet. */
static void add_outer(double *block, const double a[6], const double b[6], double scale, int size)
{
  for (int r = 0; r < size; ++r)
    for (int c = 0; c < size; ++c) block[6 * r + c] += scale * a[r] * b[c];
}

static int slope_size(const bdem_pair *pair)
{
  return pair->face_i ? 6 : 3;
}

/* The blocks off the diagonal of a pair in contact. */
static void add_pair_blocks(const bdem_contacts *contacts, const bdem_body *body, size_t k, la_block_matrix *matrix)
{
  const bdem_pair *pair = &contacts->pairs[k];
  bdem_press_slope s;
  contacts->rows.overlap[k] = (double)bdem_pair_slopes(pair, body, &s);
  if (!(contacts->rows.overlap[k] > 0.0)) return;
  add_outer(matrix->values + 36 * la_block_matrix_slot(matrix, pair->i, pair->j), s.along[0], s.along[1], s.stiffness, slope_size(pair));
  add_outer(matrix->values + 36 * la_block_matrix_slot(matrix, pair->j, pair->i), s.along[1], s.along[0], s.stiffness, slope_size(pair));
}

/* The diagonal block of the sphere in a row, from its pairs in their order. */
static void add_row_block(const bdem_contacts *contacts, const bdem_body *body, size_t row, la_block_matrix *matrix)
{
  const bdem_contact_rows *rows = &contacts->rows;
  double *block = matrix->values + 36 * matrix->diagonal[rows->sphere[row]];
  for (uint32_t e = rows->first[row]; e < rows->first[row + 1]; ++e) {
    const bdem_pair *pair = &contacts->pairs[rows->pair[e] / 2];
    bdem_press_slope s;
    if (!(rows->overlap[rows->pair[e] / 2] > 0.0) || !bdem_pair_slopes(pair, body, &s)) continue;
    const double *along = s.along[rows->pair[e] & 1];
    add_outer(block, along, along, s.stiffness, slope_size(pair));
  }
}

static void add_touch_block(const bdem_contacts *contacts, const bdem_body *body, size_t k, la_block_matrix *matrix)
{
  bdem_press_slope s[BDEM_SLOPES];
  const bdem_touch *touch = &contacts->touches[k];
  int size = touch->facet ? 6 : 3;
  for (size_t n = 0, count = bdem_touch_slopes(contacts, touch, body, s); n < count; ++n)
    add_outer(matrix->values + 36 * matrix->diagonal[touch->sphere], s[n].along[0], s[n].along[0], s[n].stiffness, size);
}

/* By one thread, without rows. */
static void add_few_blocks(const bdem_contacts *contacts, const bdem_body *body, la_block_matrix *matrix)
{
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    const bdem_pair *pair = &contacts->pairs[k];
    bdem_press_slope s;
    int size = slope_size(pair);
    if (!bdem_pair_slopes(pair, body, &s)) continue;
    add_outer(matrix->values + 36 * matrix->diagonal[pair->i], s.along[0], s.along[0], s.stiffness, size);
    add_outer(matrix->values + 36 * matrix->diagonal[pair->j], s.along[1], s.along[1], s.stiffness, size);
    add_outer(matrix->values + 36 * la_block_matrix_slot(matrix, pair->i, pair->j), s.along[0], s.along[1], s.stiffness, size);
    add_outer(matrix->values + 36 * la_block_matrix_slot(matrix, pair->j, pair->i), s.along[1], s.along[0], s.stiffness, size);
  }
  for (size_t k = 0; k < contacts->touch_count; ++k) add_touch_block(contacts, body, k, matrix);
}

void bdem_contacts_add_hessian(const bdem_contacts *contacts, const bdem_body *body, la_block_matrix *matrix)
{
  if (!bdem_contacts_are_many(contacts)) {
    add_few_blocks(contacts, body, matrix);
    return;
  }
#pragma omp parallel num_threads(contacts->execution.threads)
  {
#pragma omp for schedule(static)
    for (size_t k = 0; k < contacts->pair_count; ++k) add_pair_blocks(contacts, body, k, matrix);
#pragma omp for schedule(static)
    for (size_t row = 0; row < contacts->rows.sphere_count; ++row) add_row_block(contacts, body, row, matrix);
    for (size_t p = 0; p < contacts->part_count; ++p) {
#pragma omp for schedule(static)
      for (size_t k = contacts->touch_first[p]; k < contacts->touch_first[p + 1]; ++k) add_touch_block(contacts, body, k, matrix);
    }
  }
}

/* ── rows ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status reserve(bdem_contacts *contacts, size_t sphere_count, scr_error *error)
{
  bdem_contact_rows *rows = &contacts->rows;
  size_t pairs = contacts->pair_count, spheres = least(sphere_count, 2 * pairs);
  bool ok = mem_grow(&rows->met, &rows->met_capacity, sphere_count, sizeof *rows->met) &&
            mem_grow(&rows->sphere, &rows->sphere_capacity, spheres + 1, sizeof *rows->sphere) &&
            mem_grow(&rows->first, &rows->first_capacity, spheres + 2, sizeof *rows->first) &&
            mem_grow(&rows->pair, &rows->pair_capacity, 2 * pairs + 1, sizeof *rows->pair) &&
            mem_grow(&rows->overlap, &rows->overlap_capacity, pairs, sizeof *rows->overlap) &&
            mem_grow(&rows->push, &rows->push_capacity, pairs, sizeof *rows->push) &&
            mem_grow(&rows->turn, &rows->turn_capacity, pairs, sizeof *rows->turn) &&
            mem_grow(&rows->active, &rows->active_capacity, pairs, sizeof *rows->active) &&
            mem_grow(&rows->sorted, &rows->sorted_capacity, pairs, sizeof *rows->sorted) &&
            mem_grow(&rows->colour, &rows->colour_capacity, pairs, sizeof *rows->colour) &&
            mem_grow(&rows->lost, &rows->lost_capacity, pairs, sizeof *rows->lost);
  return ok ? SCR_OK : scr_fail_memory(error, "the contact pairs", pairs * 80 + sphere_count * sizeof *rows->met);
}

scr_status bdem_contacts_index(bdem_contacts *contacts, size_t sphere_count, scr_error *error)
{
  bdem_contact_rows *rows = &contacts->rows;
  rows->sphere_count = 0;
  rows->made = false;
  if (contacts->pair_count > INT32_MAX)
    return scr_fail(error, SCR_DIVERGED, NULL, "%zu pairs of spheres are near each other; at most %d: use fewer spheres",
                    contacts->pair_count, INT32_MAX);
  SCR_TRY(reserve(contacts, sphere_count, error));
  if (contacts->pair_count + contacts->touch_count <= FEW) return SCR_OK;
  rows->made = true;
  uint64_t *met = rows->met; /* counts, then where the next entry goes; zero again at the end */
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    ++met[contacts->pairs[k].i];
    ++met[contacts->pairs[k].j];
  }
  uint32_t at = 0;
  for (size_t i = 0; i < sphere_count; ++i) {
    if (met[i] == 0) continue;
    uint32_t count = (uint32_t)met[i];
    rows->first[rows->sphere_count] = at;
    rows->sphere[rows->sphere_count++] = (uint32_t)i;
    met[i] = at;
    at += count;
  }
  rows->first[rows->sphere_count] = at;
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    rows->pair[met[contacts->pairs[k].i]++] = (uint32_t)(2 * k);
    rows->pair[met[contacts->pairs[k].j]++] = (uint32_t)(2 * k + 1);
  }
  for (size_t row = 0; row < rows->sphere_count; ++row) met[rows->sphere[row]] = 0;
  return SCR_OK;
}
