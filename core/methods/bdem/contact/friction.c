/* The springs of contacts: what stretches them in explicit steps, what they store, and how they are kept while lists of contacts change. */
#include "methods/bdem/contact/friction.h"

#include "base/memory.h"
#include "base/quat.h"
#include "methods/bdem/contact/press.h"
#include "sim/method.h"

bool bdem_friction_acts(const bdem_contacts *contacts)
{
  for (size_t k = 0; contacts->laws && k < contacts->law_count; ++k)
    if (contacts->laws[k].friction_coefficient > 0.0) return true;
  return false;
}

scr_vec3 bdem_spring_turned(scr_vec3 spring, scr_vec3 normal, double twist)
{
  double old = vec3_dot(spring, spring);
  if (old == 0.0) return spring;
  scr_vec3 s = vec3_add(spring, vec3_scale(vec3_cross(normal, spring), twist));
  s = vec3_sub(s, vec3_scale(normal, vec3_dot(s, normal)));
  double square = vec3_dot(s, s);
  return square > 1e-12 * old ? vec3_scale(s, sqrt(old / square)) : vec3(0, 0, 0);
}

scr_vec3 bdem_spring_limited(scr_vec3 stretch, double limit)
{
  double length = vec3_length(stretch);
  return length > limit ? vec3_scale(stretch, limit / length) : stretch;
}

bdem_spring_force bdem_spring_friction(scr_vec3 *spring, bool *sticks, const bdem_slip *slip)
{
  double tangential = slip->shear * slip->stiffness, limit = slip->friction * slip->stiffness * slip->overlap / tangential;
  scr_vec3 before = bdem_spring_turned(*spring, slip->normal, slip->twist);
  double along = vec3_dot(slip->displacement, slip->normal);
  scr_vec3 x = vec3_add(before, vec3_sub(slip->displacement, vec3_scale(slip->normal, along)));
  *spring = bdem_spring_limited(x, limit);
  *sticks = vec3_length(x) <= limit;
  double slip_work = 0.5 * tangential * vec3_dot(vec3_add(before, *spring), vec3_sub(x, *spring));
  return (bdem_spring_force){vec3_scale(*spring, -tangential), fmax(0.0, slip_work)};
}

double bdem_pair_springs_energy(const bdem_contacts *contacts)
{
  double sum = 0.0;
  for (size_t k = 0; contacts->friction && k < contacts->pair_count; ++k)
    sum += 0.5 * contacts->pairs[k].shear * contacts->pairs[k].stiffness * vec3_dot(contacts->pairs[k].spring, contacts->pairs[k].spring);
  return sum;
}

double bdem_touch_springs_energy(const bdem_contacts *contacts)
{
  double sum = 0.0;
  for (size_t k = 0; contacts->friction && k < contacts->touch_count; ++k)
    sum += 0.5 * contacts->touches[k].shear * contacts->touches[k].stiffness *
           vec3_dot(contacts->touches[k].spring, contacts->touches[k].spring);
  return sum;
}

/* ── lists of springs ───────────────────────────────────────────────────────────────────────────────────────────── */

static bool stretched(scr_vec3 spring)
{
  return spring.x != 0.0 || spring.y != 0.0 || spring.z != 0.0;
}

/* All that are stretched, pairs first, in the order of the candidates. */
static scr_status gather(const bdem_contacts *contacts, bdem_spring **list, size_t *count, size_t *capacity, scr_error *error)
{
  size_t needed = 0, at = 0;
  for (size_t k = 0; k < contacts->pair_count; ++k) needed += stretched(contacts->pairs[k].spring);
  for (size_t k = 0; k < contacts->touch_count; ++k) needed += stretched(contacts->touches[k].spring);
  *count = 0;
  SCR_TRY(mem_reserve(list, capacity, needed, sizeof **list, "the contacts' friction", error));
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    const bdem_pair *pair = &contacts->pairs[k];
    if (stretched(pair->spring)) (*list)[at++] = (bdem_spring){pair->i, pair->j, pair->spring};
  }
  for (size_t k = 0; k < contacts->touch_count; ++k) {
    const bdem_touch *touch = &contacts->touches[k];
    if (stretched(touch->spring)) (*list)[at++] = (bdem_spring){BDEM_NO_SPHERE - touch->part, touch->sphere, touch->spring};
  }
  *count = at;
  return SCR_OK;
}

static int compare_ends(uint32_t i, uint32_t j, uint32_t k, uint32_t l)
{
  if (i != k) return i < k ? -1 : 1;
  return (j > l) - (j < l);
}

/* The candidate pair of i and j, SIZE_MAX: none. */
static size_t find_pair(const bdem_contacts *contacts, uint32_t i, uint32_t j)
{
  size_t low = 0, high = contacts->pair_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = compare_ends(contacts->pairs[middle].i, contacts->pairs[middle].j, i, j);
    if (order == 0) return middle;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return SIZE_MAX;
}

static size_t find_touch(const bdem_contacts *contacts, uint32_t part, uint32_t sphere)
{
  if (part >= contacts->part_count) return SIZE_MAX;
  size_t low = contacts->touch_first[part], high = contacts->touch_first[part + 1];
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (contacts->touches[middle].sphere == sphere) return middle;
    if (contacts->touches[middle].sphere < sphere)
      low = middle + 1;
    else
      high = middle;
  }
  return SIZE_MAX;
}

/* The spring of a listed contact, NULL: not listed. */
static scr_vec3 *find_spring(const bdem_contacts *contacts, const bdem_spring *spring)
{
  bool touches = spring->first > BDEM_NO_SPHERE - SCR_PART_LIMIT;
  size_t k =
      touches ? find_touch(contacts, BDEM_NO_SPHERE - spring->first, spring->second) : find_pair(contacts, spring->first, spring->second);
  if (k == SIZE_MAX) return NULL;
  return touches ? &contacts->touches[k].spring : &contacts->pairs[k].spring;
}

/* Relaxes all springs, then stretches those of a list. @return how many of them have no contact any more */
static size_t scatter(bdem_contacts *contacts, const bdem_spring *list, size_t count)
{
  size_t lost = 0;
  for (size_t k = 0; k < contacts->pair_count; ++k) contacts->pairs[k].spring = vec3(0, 0, 0);
  for (size_t k = 0; k < contacts->touch_count; ++k) contacts->touches[k].spring = vec3(0, 0, 0);
  for (size_t k = 0; k < count; ++k) {
    scr_vec3 *spring = find_spring(contacts, &list[k]);
    if (spring)
      *spring = list[k].stretch;
    else
      ++lost;
  }
  return lost;
}

scr_status bdem_friction_keep(bdem_contacts *contacts, scr_error *error)
{
  bdem_friction *f = contacts->friction;
  return f ? gather(contacts, &f->kept, &f->kept_count, &f->kept_capacity, error) : SCR_OK;
}

void bdem_friction_restore(bdem_contacts *contacts)
{
  if (contacts->friction) scatter(contacts, contacts->friction->kept, contacts->friction->kept_count);
}

scr_status bdem_friction_unlist(bdem_contacts *contacts, scr_error *error)
{
  bdem_friction *f = contacts->friction;
  return f ? gather(contacts, &f->carried, &f->carried_count, &f->carried_capacity, error) : SCR_OK;
}

void bdem_friction_relist(bdem_contacts *contacts)
{
  const bdem_friction *f = contacts->friction;
  if (f) scatter(contacts, f->carried, f->carried_count);
}

scr_status bdem_friction_save(bdem_contacts *contacts, scr_blob *blob, scr_error *error)
{
  bdem_friction *f = contacts->friction;
  if (!f) return SCR_OK;
  SCR_TRY(gather(contacts, &f->carried, &f->carried_count, &f->carried_capacity, error));
  return scr_blob_write_array(blob, f->carried, f->carried_count, sizeof *f->carried, error);
}

scr_status bdem_friction_load(bdem_contacts *contacts, scr_blob *blob, scr_error *error)
{
  bdem_friction *f = contacts->friction;
  size_t count;
  double sum = 0.0;
  if (!f) return SCR_OK;
  SCR_TRY(scr_blob_peek_count(blob, &count, error));
  bool fits = count <= contacts->pair_count + contacts->touch_count;
  if (fits && !mem_grow(&f->carried, &f->carried_capacity, count, sizeof *f->carried))
    return scr_fail_memory(error, "the contacts' friction", count * sizeof *f->carried);
  if (fits) SCR_TRY(scr_blob_read_array(blob, f->carried, count, sizeof *f->carried, "springs of friction", error));
  f->carried_count = fits ? count : 0;
  for (size_t k = 0; k < f->carried_count; ++k) sum += f->carried[k].stretch.x + f->carried[k].stretch.y + f->carried[k].stretch.z;
  if (!fits || !isfinite(sum) || scatter(contacts, f->carried, f->carried_count) > 0) return scr_sim_damaged("springs of friction", error);
  return SCR_OK;
}

void bdem_friction_clear(bdem_friction *f)
{
  mem_free(f->slides);
  mem_free(f->kept);
  mem_free(f->carried);
  *f = (bdem_friction){0};
}

/* ── implicit steps: the potential D of springs, its forces and curvature, and what a solved step leaves ─────────────────── */

/* Turn of a sphere since the step's start, rad. */
static scr_vec3 turn_of(const bdem_slide_view *view, size_t i)
{
  return quat_log(quat_multiply(view->body->orientation[i], quat_conjugate(view->turned[i])));
}

static scr_vec3 moved(const bdem_slide_view *view, size_t i)
{
  return vec3_sub(view->body->position[i], view->start[i]);
}

/* x of a contact. @param turns receives the turns of i and j */
static scr_vec3 stretch_of(const bdem_slide_view *view, const bdem_slide *slide, scr_vec3 turns[2])
{
  turns[0] = turn_of(view, slide->i);
  turns[1] = vec3(0, 0, 0);
  scr_vec3 displacement = vec3_sub(moved(view, slide->i), slide->displacement), lever = vec3_cross(turns[0], slide->arm_i);
  if (slide->j != BDEM_NO_SPHERE) {
    turns[1] = turn_of(view, slide->j);
    displacement = vec3_sub(displacement, moved(view, slide->j));
    lever = vec3_sub(lever, vec3_cross(turns[1], slide->arm_j));
  }
  displacement = vec3_add(displacement, lever);
  return vec3_add(slide->spring, vec3_sub(displacement, vec3_scale(slide->normal, vec3_dot(displacement, slide->normal))));
}

/* ── listing ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Puts a contact on the list; its stiffness is the normal one so far. */
static scr_status add_slide(const bdem_slide_view *view, bdem_slide slide, double shear, double friction, double overlap, scr_vec3 spring,
                            scr_error *error)
{
  bdem_friction *f = view->contacts->friction;
  SCR_TRY(mem_reserve(&f->slides, &f->slide_capacity, f->slide_count + 1, sizeof *f->slides, "the contacts' friction", error));
  scr_vec3 turn = turn_of(view, slide.i);
  if (slide.j != BDEM_NO_SPHERE)
    turn = vec3_add(turn, turn_of(view, slide.j));
  else if (view->contacts->rig[view->contacts->touches[slide.contact].part].turns)
    turn = vec3_add(turn, view->contacts->part_displacements[view->contacts->touches[slide.contact].part].turn);
  slide.stiffness *= shear;
  slide.limit = friction * overlap / shear;
  slide.spring = bdem_spring_turned(spring, slide.normal, 0.5 * vec3_dot(turn, slide.normal));
  if (!f->middle) slide.spring = bdem_spring_limited(slide.spring, slide.limit);
  slide.returned = fmax(0.0, 0.5 * slide.stiffness * (vec3_dot(spring, spring) - vec3_dot(slide.spring, slide.spring)));
  f->slides[f->slide_count++] = slide;
  return SCR_OK;
}

scr_status bdem_slides_list(const bdem_slide_view *view, scr_error *error)
{
  const bdem_contacts *contacts = view->contacts;
  const bdem_body *body = view->body;
  contacts->friction->slide_count = 0;
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    const bdem_pair *pair = &contacts->pairs[k];
    double friction = contacts->laws[pair->law].friction_coefficient;
    bdem_slide slide = {.i = pair->i, .j = pair->j, .contact = (uint32_t)k, .stiffness = pair->stiffness};
    bdem_press press;
    if (!(friction > 0.0) || !bdem_pair_press(pair, body, &press)) continue;
    slide.normal = press.normal;
    slide.arm_i = press.arm_i;
    slide.arm_j = press.arm_j;
    SCR_TRY(add_slide(view, slide, pair->shear, friction, press.overlap, pair->spring, error));
  }
  for (size_t k = 0; k < contacts->touch_count; ++k) {
    const bdem_touch *touch = &contacts->touches[k];
    double friction = contacts->laws[touch->law].friction_coefficient;
    bdem_slide slide = {.i = touch->sphere, .j = BDEM_NO_SPHERE, .contact = (uint32_t)k, .stiffness = touch->stiffness};
    bdem_press press;
    if (!(friction > 0.0) || !bdem_touch_press(contacts, touch, body, &press)) continue;
    slide.normal = vec3_scale(press.normal, -1.0);
    slide.arm_i = press.arm_i;
    scr_vec3 from = vec3_sub(body->position[touch->sphere], contacts->parts[touch->part].pose.position);
    slide.displacement = part_displacement_at(&contacts->part_displacements[touch->part], vec3_add(from, slide.arm_i));
    SCR_TRY(add_slide(view, slide, touch->shear, friction, press.overlap, touch->spring, error));
  }
  return SCR_OK;
}

/* ── energy and forces ──────────────────────────────────────────────────────────────────────────────────────────── */

double bdem_slides_energy(const bdem_slide_view *view)
{
  const bdem_friction *f = view->contacts->friction;
  double sum = 0.0;
  scr_vec3 turns[2];
  for (size_t k = 0; k < f->slide_count; ++k) {
    const bdem_slide *slide = &f->slides[k];
    double x = vec3_length(stretch_of(view, slide, turns));
    sum += x <= slide->limit ? 0.5 * slide->stiffness * x * x : slide->stiffness * slide->limit * (x - 0.5 * slide->limit);
  }
  return sum;
}

/* The torque conjugate to a turn y about world axes, when `torque` is conjugate to the rotation vector `turn` so far: J(turn)^-T torque,
 * with log(exp(y) exp(turn)) = turn + J^-1 y + ..., and J(turn)^T = J(-turn). */
static scr_vec3 conjugate(scr_vec3 turn, scr_vec3 torque)
{
  return rotation_left_jacobian_inverse(vec3_scale(turn, -1.0), torque);
}

void bdem_slides_add_forces(const bdem_slide_view *view, bool exact_torque, scr_vec3 *force, scr_vec3 *torque)
{
  const bdem_friction *f = view->contacts->friction;
  for (size_t k = 0; k < f->slide_count; ++k) {
    const bdem_slide *slide = &f->slides[k];
    scr_vec3 turns[2], x = stretch_of(view, slide, turns);
    scr_vec3 on_i = vec3_scale(bdem_spring_limited(x, slide->limit), -slide->stiffness);
    scr_vec3 of_i = vec3_cross(slide->arm_i, on_i), of_j = vec3_scale(vec3_cross(slide->arm_j, on_i), -1.0);
    force[slide->i] = vec3_add(force[slide->i], on_i);
    torque[slide->i] = vec3_add(torque[slide->i], exact_torque ? of_i : conjugate(turns[0], of_i));
    if (slide->j == BDEM_NO_SPHERE) continue;
    force[slide->j] = vec3_sub(force[slide->j], on_i);
    torque[slide->j] = vec3_add(torque[slide->j], exact_torque ? of_j : conjugate(turns[1], of_j));
  }
}

/* ── curvature ──────────────────────────────────────────────────────────────────────────────────────────────────── */

void bdem_slides_curve(const bdem_slide_view *view, bdem_slide_curvature *curvature)
{
  const bdem_friction *f = view->contacts->friction;
  const double *radius = view->body->radius;
  for (size_t k = 0; k < f->slide_count; ++k) {
    const bdem_slide *slide = &f->slides[k];
    scr_vec3 turns[2], x = stretch_of(view, slide, turns);
    double length = vec3_length(x), n[3] = {slide->normal.x, slide->normal.y, slide->normal.z}, along[3] = {0, 0, 0};
    bool slips = length > slide->limit;
    double scale = slips ? slide->stiffness * slide->limit / length : slide->stiffness;
    if (slips) along[0] = x.x / length, along[1] = x.y / length, along[2] = x.z / length;
    bdem_slide_curvature *c = &curvature[k];
    *c = (bdem_slide_curvature){.i = slide->i, .j = slide->j, .arm_i = vec3_scale(slide->arm_i, 2.0 / radius[slide->i])};
    if (slide->j != BDEM_NO_SPHERE) c->arm_j = vec3_scale(slide->arm_j, 2.0 / radius[slide->j]);
    for (int r = 0, at = 0; r < 3; ++r)
      for (int s = r; s < 3; ++s) c->tangent[at++] = scale * ((r == s) - n[r] * n[s] - along[r] * along[s]);
  }
}

/* What a sphere's unknowns do to the displacement at the point of contact. */
typedef struct displacement {
  double map[3][6];
} displacement;

/* d du / d(dp, z): sign (I, and z x arm). */
static displacement displacement_of(double sign, scr_vec3 arm)
{
  scr_vec3 a = vec3_scale(arm, sign);
  return (displacement){{{sign, 0, 0, 0, a.z, -a.y}, {0, sign, 0, -a.z, 0, a.x}, {0, 0, sign, a.y, -a.x, 0}}};
}

/* block += left^T T right, T symmetric: xx, xy, xz, yy, yz, zz. */
static void add_product(double *block, const displacement *left, const double t[6], const displacement *right)
{
  for (int c = 0; c < 6; ++c) {
    double x = right->map[0][c], y = right->map[1][c], z = right->map[2][c];
    double pulled[3] = {t[0] * x + t[1] * y + t[2] * z, t[1] * x + t[3] * y + t[4] * z, t[2] * x + t[4] * y + t[5] * z};
    for (int r = 0; r < 6; ++r) block[6 * r + c] += left->map[0][r] * pulled[0] + left->map[1][r] * pulled[1] + left->map[2][r] * pulled[2];
  }
}

void bdem_slides_add_hessian(const bdem_slide_curvature *curvature, size_t count, la_block_matrix *matrix)
{
  for (size_t k = 0; k < count; ++k) {
    const bdem_slide_curvature *c = &curvature[k];
    displacement of_i = displacement_of(1.0, c->arm_i), of_j = displacement_of(-1.0, c->arm_j);
    add_product(matrix->values + 36 * matrix->diagonal[c->i], &of_i, c->tangent, &of_i);
    if (c->j == BDEM_NO_SPHERE) continue;
    add_product(matrix->values + 36 * matrix->diagonal[c->j], &of_j, c->tangent, &of_j);
    add_product(matrix->values + 36 * la_block_matrix_slot(matrix, c->i, c->j), &of_i, c->tangent, &of_j);
    add_product(matrix->values + 36 * la_block_matrix_slot(matrix, c->j, c->i), &of_j, c->tangent, &of_i);
  }
}

/* ── after the step ─────────────────────────────────────────────────────────────────────────────────────────────── */

void bdem_slides_reach(const bdem_slide_view *view)
{
  bdem_friction *f = view->contacts->friction;
  scr_vec3 turns[2];
  for (size_t k = 0; k < f->slide_count; ++k) f->slides[k].reached = stretch_of(view, &f->slides[k], turns);
}

/* The spring at the end of a step, and what its friction dissipated. The middle rule takes the force at half the way for all of it: what
 * holds there has not slipped, wherever its end swings to. */
static scr_vec3 spring_at_end(const bdem_slide *slide, bool middle, double *dissipated)
{
  scr_vec3 held = bdem_spring_limited(slide->reached, slide->limit), slipped = vec3_sub(slide->reached, held);
  *dissipated = slide->returned;
  if (!middle) {
    *dissipated += slide->stiffness * vec3_dot(held, slipped);
    return held;
  }
  scr_vec3 slid = vec3_scale(vec3_sub(slide->reached, slide->spring), 2.0);
  scr_vec3 end = vec3_add(slide->spring, slid);
  if (slipped.x == 0.0 && slipped.y == 0.0 && slipped.z == 0.0) return end;
  end = bdem_spring_limited(end, slide->limit);
  double stored = 0.5 * (vec3_dot(end, end) - vec3_dot(slide->spring, slide->spring));
  *dissipated += fmax(0.0, slide->stiffness * (vec3_dot(held, slid) - stored));
  return end;
}

/* One contact: `slide` is NULL when it has none. @return what is dissipated, J */
static double commit(scr_vec3 *spring, bool *sticks, const bdem_slide *slide, double tangential, double overlap, bool middle)
{
  double dissipated = 0.0;
  *sticks = slide && overlap > 0.0 && vec3_length(slide->reached) <= slide->limit;
  if (slide) *spring = spring_at_end(slide, middle, &dissipated);
  if (slide && overlap > 0.0) return dissipated;
  dissipated += 0.5 * tangential * vec3_dot(*spring, *spring); /* it has opened */
  *spring = vec3(0, 0, 0);
  return dissipated;
}

double bdem_friction_commit(bdem_contacts *contacts, const bdem_body *body, bool middle)
{
  const bdem_friction *f = contacts->friction;
  double sum = 0.0;
  size_t at = 0;
  scr_vec3 normal = vec3(0, 0, 0);
  if (!f) return 0.0;
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    bdem_pair *pair = &contacts->pairs[k];
    const bdem_slide *slide =
        at < f->slide_count && f->slides[at].j != BDEM_NO_SPHERE && f->slides[at].contact == k ? &f->slides[at++] : NULL;
    sum += commit(&pair->spring, &pair->sticks, slide, pair->shear * pair->stiffness, slide ? bdem_pair_overlap(pair, body, &normal) : 0.0,
                  middle);
  }
  for (size_t k = 0; k < contacts->touch_count; ++k) {
    bdem_touch *touch = &contacts->touches[k];
    const bdem_slide *slide = at < f->slide_count && f->slides[at].contact == k ? &f->slides[at++] : NULL;
    sum += commit(&touch->spring, &touch->sticks, slide, touch->shear * touch->stiffness,
                  slide ? bdem_touch_overlap(contacts, touch, body, &normal) : 0.0, middle);
  }
  return sum;
}
