/* What spheres and parts of the rig meet on their way through a step: a contact acts at a step's end only, so a step must not carry
 * anything past what it meets. Ways are straight lines between two places, wider by what the path between them may bend. */
#include <string.h>

#include "methods/bdem/body/boundary_faces.h"
#include "methods/bdem/contact/press.h"
#include "methods/bdem/contact/sweep.h"

/* Longest way in one step of a sphere, relative to what it meets, over the smaller radius; and over the largest radius the longest for
 * which candidates are searched: beyond it every step is cut. */
static const double longest_travel = 0.5, longest_search = 8.0;

double bdem_longest_search(void)
{
  return longest_search;
}

bool bdem_out_of_reach(const bdem_model *model, double moved)
{
  return !(moved <= longest_search * bdem_radius_extreme(model, true));
}

double bdem_harmless_travel(const bdem_model *model)
{
  return 0.5 * longest_travel * bdem_radius_extreme(model, false);
}

/* Mean velocity of a part in dt up to `end`; `peak`: the largest speed of its position that is known of; `turn`: rad/s, the same of turning
 * that carries its surface elsewhere. */
static scr_vec3 part_velocity(const bdem_contacts *contacts, size_t p, double dt, double end, double *peak, double *turn)
{
  const part_motion *part = &contacts->parts[p], then = parts_at(contacts->all, p, end);
  scr_vec3 mean = vec3_scale(vec3_sub(then.pose.position, part->pose.position), 1.0 / dt);
  *peak = fmax(vec3_length(mean), fmax(vec3_length(part->velocity), vec3_length(then.velocity)));
  *turn = 0.0;
  if (!contacts->rig[p].pivots) return mean;
  double gone = vec3_length(part_displacement_between(&contacts->rig[p], part, &then).turn) / dt;
  *turn = fmax(gone, fmax(vec3_length(part->spin), vec3_length(then.spin)));
  return mean;
}

double bdem_parts_travel(const bdem_body *body, const bdem_contacts *contacts, double dt, double end)
{
  double worst = 0.0, peak, turn;
  for (size_t p = 0; p < contacts->part_count; ++p) {
    (void)part_velocity(contacts, p, dt, end, &peak, &turn);
    worst = fmax(worst, turn > 0.0 ? (peak + turn * bdem_part_span(contacts, body, p)) * dt : peak * dt);
  }
  return worst;
}

double bdem_expected_travel(const bdem_model *model, const bdem_body *body, const bdem_contacts *contacts, double dt, double end)
{
  double worst = 0.0;
#pragma omp parallel for schedule(static) num_threads(model->execution.threads) reduction(max : worst)
  for (size_t i = 0; i < body->sphere_count; ++i)
    worst = fmax(worst, vec3_length(vec3_add(body->velocity[i], vec3_scale(model->load[i], dt / body->mass[i]))));
  return fmax(worst * dt, bdem_parts_travel(body, contacts, dt, end));
}

/* A straight way. */
typedef struct line {
  scr_vec3 from, along;
} line;

/* Least distance from the origin of a point that goes from `from` along `along`. */
static double least_distance(scr_vec3 from, scr_vec3 along)
{
  double square = vec3_dot(along, along), share = square > 0.0 ? -vec3_dot(from, along) / square : 0.0;
  return vec3_length(vec3_add(from, vec3_scale(along, fmin(fmax(share, 0.0), 1.0))));
}

/* Seen from sphere i. `bend`: how far the path may be from the line. */
static bool pair_missed(const bdem_body *body, const bdem_pair *pair, line relative, double bend)
{
  double small = longest_travel * fmin(body->radius[pair->i], body->radius[pair->j]);
  if (vec3_length(relative.along) + bend <= small) return false;
  if (vec3_dot(relative.from, relative.along) >= 0.0 && bend <= small) return false; /* they part */
  return least_distance(relative.from, relative.along) < pair->reach + bend;
}

/* Seen from the part, which is where it was in `pose`. Nothing gets to the other side of a plane. What glides along a surface has not
 * missed it. `turn`: rad, by which the part may turn meanwhile. */
static bool touch_missed(const bdem_listing *s, const bdem_touch *touch, const scr_pose *pose, line relative, double bend, double turn)
{
  const scr_part *rig = &s->contacts->rig[touch->part];
  scr_vec3 place = pose->position;
  double small = longest_travel * s->body->radius[touch->sphere], length = vec3_length(relative.along);
  double radius = fmax(s->body->radius[touch->sphere], touch->reach);
  if (turn > 0.0) bend += turn * (vec3_length(relative.from) + length);
  if (rig->kind == SCR_PART_PLANE || rig->kind == SCR_PART_GRIP || length + bend <= small) return false;
  size_t count = (size_t)ceil(fmin((length + bend) / small, 1e6));
  bool apart = scr_part_distance_posed(rig, pose, vec3_add(place, relative.from)).distance >= radius;
  for (size_t k = 1; k < count; ++k) {
    scr_vec3 at = vec3_add(place, vec3_add(relative.from, vec3_scale(relative.along, (double)k / (double)count)));
    if (scr_part_distance_posed(rig, pose, at).distance < (apart ? radius : radius - small) + bend) return true;
  }
  return false;
}

/* From where spheres and parts are by their velocities, for dt. */
static bool has_contact_ahead(const bdem_listing *s, double dt, double end)
{
  const bdem_body *body = s->body;
  const bdem_contacts *contacts = s->contacts;
  int met = 0;
#pragma omp parallel for schedule(static) num_threads(s->model->execution.threads) reduction(| : met) if (bdem_contacts_are_many(contacts))
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    const bdem_pair *pair = &contacts->pairs[k];
    line relative = {vec3_sub(body->position[pair->j], body->position[pair->i]),
                     vec3_scale(vec3_sub(body->velocity[pair->j], body->velocity[pair->i]), dt)};
    met |= pair_missed(body, pair, relative, 0.0);
  }
  for (size_t k = 0; !met && k < contacts->touch_count; ++k) {
    const bdem_touch *touch = &contacts->touches[k];
    const scr_pose *pose = &contacts->parts[touch->part].pose;
    double peak, turn, fall = vec3_length(s->model->load[touch->sphere]) / body->mass[touch->sphere] * dt * dt;
    scr_vec3 mean = part_velocity(contacts, touch->part, dt, end, &peak, &turn);
    line relative = {vec3_sub(body->position[touch->sphere], pose->position),
                     vec3_scale(vec3_sub(body->velocity[touch->sphere], mean), dt)};
    met |= touch_missed(s, touch, pose, relative, fall + (peak - vec3_length(mean)) * dt, turn * dt);
  }
  return met != 0;
}

/* Longest way of the part, and longest with what the path may bend. */
typedef struct longest {
  double travel, reach;
} longest;

static longest longest_of(const bdem_listing *s, const bdem_start *start, const part_motion *parts_before, double dt)
{
  double travel = 0.0, reach = 0.0;
#pragma omp parallel for schedule(static) num_threads(s->model->execution.threads) reduction(max : travel, reach)
  for (size_t i = 0; i < s->body->sphere_count; ++i) {
    scr_vec3 gone = vec3_sub(s->body->position[i], start->position[i]);
    double length = vec3_length(gone), bend = vec3_length(vec3_sub(gone, vec3_scale(start->velocity[i], dt)));
    travel = fmax(travel, length);
    reach = fmax(reach, length + bend);
  }
  for (size_t p = 0; p < s->contacts->part_count; ++p) {
    double length = bdem_part_travel(s->contacts, s->body, p, &parts_before[p]);
    travel = fmax(travel, length);
    reach = fmax(reach, length);
  }
  return (longest){travel, reach};
}

static bool missed(const bdem_listing *s, const bdem_start *start, const part_motion *parts_before, double dt)
{
  const bdem_body *body = s->body;
  const bdem_contacts *contacts = s->contacts;
  const scr_vec3 *from = start->position, *velocity = start->velocity;
  int met = 0;
#pragma omp parallel for schedule(static) num_threads(s->model->execution.threads) reduction(| : met) if (bdem_contacts_are_many(contacts))
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    uint32_t i = contacts->pairs[k].i, j = contacts->pairs[k].j;
    scr_vec3 first = vec3_sub(from[j], from[i]), gone = vec3_sub(vec3_sub(body->position[j], body->position[i]), first);
    scr_vec3 expected = vec3_scale(vec3_sub(velocity[j], velocity[i]), dt);
    met |= pair_missed(body, &contacts->pairs[k], (line){first, gone}, vec3_length(vec3_sub(expected, gone)));
  }
  for (size_t k = 0; !met && k < contacts->touch_count; ++k) {
    const bdem_touch *touch = &contacts->touches[k];
    uint32_t i = touch->sphere;
    const scr_part *rig = &contacts->rig[touch->part];
    const part_motion *before = &parts_before[touch->part];
    part_displacement went = part_displacement_between(rig, before, &contacts->parts[touch->part]);
    scr_vec3 place = before->pose.position, moved = went.displacement;
    double turn = rig->pivots ? vec3_length(went.turn) : 0.0;
    scr_vec3 gone = vec3_sub(vec3_sub(body->position[i], from[i]), moved);
    scr_vec3 expected = vec3_sub(vec3_scale(velocity[i], dt), moved);
    met |= touch_missed(s, touch, &before->pose, (line){vec3_sub(from[i], place), gone}, vec3_length(vec3_sub(expected, gone)), turn);
  }
  return met != 0;
}

/* Lists what a solved part may have met from where it began: faces are chosen at places where the spheres have been, also if it is undone.
 * */
static scr_status list_from_start(const bdem_listing *listing, const bdem_start *start, const part_motion *parts_before, double travel,
                                  scr_error *error)
{
  part_motion parts[SCR_PART_LIMIT], *now = listing->contacts->parts;
  bdem_body body = *listing->body;
  bdem_listing then = *listing;
  memcpy(parts, parts_before, listing->contacts->part_count * sizeof *parts);
  body.position = start->position;
  body.orientation = start->orientation;
  then.body = &body;
  listing->contacts->parts = parts;
  scr_status status = bdem_contact_update(&then, travel, error);
  listing->contacts->parts = now;
  return status;
}

scr_status bdem_find_missed_contact(const bdem_listing *listing, const bdem_start *start, const part_motion *parts_before, double dt,
                                    bool *anything, scr_error *error)
{
  longest gone = longest_of(listing, start, parts_before, dt);
  *anything = false;
  if (gone.travel <= bdem_harmless_travel(listing->model)) return SCR_OK;
  *anything = bdem_out_of_reach(listing->model, gone.reach);
  if (*anything) return SCR_OK;
  SCR_TRY(list_from_start(listing, start, parts_before, gone.reach, error));
  *anything = missed(listing, start, parts_before, dt);
  return SCR_OK;
}

scr_status bdem_look_ahead(const bdem_listing *listing, double dt, double end, bool *contact_ahead, scr_error *error)
{
  double travel = bdem_expected_travel(listing->model, listing->body, listing->contacts, dt, end);
  *contact_ahead = false;
  if (travel <= bdem_harmless_travel(listing->model)) return SCR_OK;
  *contact_ahead = bdem_out_of_reach(listing->model, travel);
  if (*contact_ahead) return SCR_OK;
  SCR_TRY(bdem_contact_update(listing, travel, error));
  *contact_ahead = has_contact_ahead(listing, dt, end);
  return SCR_OK;
}

/* Where sphere i was one explicit step of dt ago: its velocity half-way was the one before the last kick. */
static scr_vec3 place_before(const bdem_model *model, const bdem_body *body, const bdem_total *total, uint32_t i, double dt)
{
  scr_vec3 kick = vec3_scale(vec3_add(total->force[i], model->load[i]), 0.5 * dt / body->mass[i]);
  return vec3_sub(body->position[i], vec3_scale(vec3_sub(body->velocity[i], kick), dt));
}

scr_status bdem_check_passed(const bdem_model *model, const bdem_body *body, const bdem_contacts *contacts, const bdem_total *total,
                             const part_motion *parts_before, uint64_t step, double dt, scr_error *error)
{
  scr_vec3 normal;
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    const bdem_pair *pair = &contacts->pairs[k];
    double overlap = bdem_pair_overlap(pair, body, &normal), radius = fmin(body->radius[pair->i], body->radius[pair->j]);
    if (overlap <= longest_travel * radius) continue;
    scr_vec3 before = vec3_sub(place_before(model, body, total, pair->j, dt), place_before(model, body, total, pair->i, dt));
    scr_vec3 speed = vec3_sub(body->velocity[pair->j], body->velocity[pair->i]);
    double mass = 1.0 / (1.0 / body->mass[pair->i] + 1.0 / body->mass[pair->j]);
    bool through =
        mass * vec3_dot(speed, speed) > bdem_pair_stiffness_together(pair) * pair->reach * pair->reach; /* however they are squeezed */
    if (!through && vec3_dot(before, normal) >= 0.0) continue;
    return scr_fail(error, SCR_DIVERGED, NULL,
                    "step %llu: sphere %u of grain %u and sphere %u of grain %u pass through each other: their contact can't bear an "
                    "impact at %.3g m/s; use slower or stiffer bodies, or a larger contact_stiffness_factor",
                    (unsigned long long)step, pair->i, model->grain_of[pair->i], pair->j, model->grain_of[pair->j], vec3_length(speed));
  }
  for (size_t k = 0; k < contacts->touch_count; ++k) {
    const bdem_touch *touch = &contacts->touches[k];
    const scr_part *rig = &contacts->rig[touch->part];
    if (rig->kind == SCR_PART_PLANE) continue;
    double overlap = bdem_touch_overlap(contacts, touch, body, &normal);
    if (overlap <= longest_travel * body->radius[touch->sphere]) continue;
    scr_part_distance was =
        scr_part_distance_posed(rig, &parts_before[touch->part].pose, place_before(model, body, total, touch->sphere, dt));
    if (vec3_dot(was.normal, normal) >= 0.0) continue;
    return scr_fail(error, SCR_DIVERGED, NULL,
                    "step %llu: sphere %u of grain %u was pushed through %s: their contact can't bear an impact at %.3g m/s; use slower "
                    "bodies, a thicker obstacle or a larger contact_stiffness_factor",
                    (unsigned long long)step, touch->sphere, model->grain_of[touch->sphere], rig->label,
                    vec3_length(vec3_sub(body->velocity[touch->sphere],
                                         part_velocity_at(&contacts->parts[touch->part], body->position[touch->sphere]))));
  }
  return SCR_OK;
}

double bdem_deepest_pair(const bdem_body *body, const bdem_contacts *contacts)
{
  double deepest = 0.0;
#pragma omp parallel for schedule(static) num_threads(contacts->execution.threads)                                                         \
    reduction(max                                                                                                                          \
              : deepest) if (bdem_contacts_are_many(contacts))
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    scr_vec3 normal;
    const bdem_pair *pair = &contacts->pairs[k];
    deepest = fmax(deepest, bdem_pair_overlap(pair, body, &normal) / fmin(body->radius[pair->i], body->radius[pair->j]));
  }
  return deepest;
}

/* ── impacts ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The largest overlap of a pair at the part's start, middle and end, and its normal there. */
static double largest_pair_overlap(const bdem_body *body, const bdem_start *began, const bdem_pair *pair, scr_vec3 *normal)
{
  const scr_vec3 *to = body->position, *from = began->position;
  scr_vec3 start = vec3_sub(from[pair->j], from[pair->i]), end = vec3_sub(to[pair->j], to[pair->i]);
  double largest = 0.0;
  for (int k = 0; k < 3; ++k) {
    scr_vec3 e = vec3_add(vec3_scale(start, 1.0 - 0.5 * k), vec3_scale(end, 0.5 * k));
    scr_vec3 out;
    double overlap = bdem_pair_overlap_apart(pair, body, e, &out);
    if (overlap <= largest) continue;
    largest = overlap;
    *normal = out;
  }
  return largest;
}

/* How much more the corner of a facet overlaps than its middle at most, m: one that faces a plane squarely does not. */
static double beyond_middle(const bdem_touch *touch, scr_part_kind kind, scr_quat turned, scr_vec3 normal)
{
  double corner = bdem_face_corner(touch->face);
  return kind == SCR_PART_PLANE ? corner * vec3_length(vec3_cross(quat_rotate(turned, touch->face->normal), normal)) : corner;
}

static double largest_touch_overlap(const bdem_body *body, const bdem_contacts *contacts, const bdem_start *began, const bdem_touch *touch,
                                    const part_motion *before, scr_vec3 *normal)
{
  const scr_part *rig = &contacts->rig[touch->part];
  scr_vec3 to = body->position[touch->sphere], from = began->position[touch->sphere];
  const part_motion *now = &contacts->parts[touch->part];
  scr_vec3 place = now->pose.position, place_before = before->pose.position, turn = part_displacement_between(rig, before, now).turn;
  double largest = 0.0;
  for (int k = 0; k < 3; ++k) {
    scr_vec3 at = vec3_add(vec3_scale(from, 1.0 - 0.5 * k), vec3_scale(to, 0.5 * k));
    scr_pose pose = {vec3_add(vec3_scale(place_before, 1.0 - 0.5 * k), vec3_scale(place, 0.5 * k)), before->pose.rotation};
    if (rig->pivots) pose.rotation = quat_multiply(quat_exp(vec3_scale(turn, 0.5 * k)), pose.rotation);
    scr_part_distance away = scr_part_distance_posed(rig, &pose, at);
    double overlap = touch->reach - away.distance;
    if (touch->facet) overlap += beyond_middle(touch, rig->kind, body->orientation[touch->sphere], away.normal);
    if (overlap <= largest) continue;
    largest = overlap;
    *normal = away.normal;
  }
  return largest;
}

double bdem_impact_energy(const bdem_body *body, const bdem_contacts *contacts, const bdem_start *began, const part_motion *parts_before,
                          double dt)
{
  const scr_vec3 *velocity = began->velocity;
  double sum = 0.0;
  scr_vec3 normal = {0, 0, 0};
  for (size_t k = 0; k < contacts->pair_count; ++k) {
    const bdem_pair *pair = &contacts->pairs[k];
    double overlap = largest_pair_overlap(body, began, pair, &normal);
    if (overlap > 0.0) sum += pair->stiffness * overlap * fabs(vec3_dot(normal, vec3_sub(velocity[pair->j], velocity[pair->i])));
  }
  for (size_t k = 0; k < contacts->touch_count; ++k) {
    const bdem_touch *touch = &contacts->touches[k];
    const part_motion *before = &parts_before[touch->part], *now = &contacts->parts[touch->part];
    double overlap = largest_touch_overlap(body, contacts, began, touch, before, &normal);
    if (!(overlap > 0.0)) continue;
    part_displacement went = part_displacement_between(&contacts->rig[touch->part], before, now);
    scr_vec3 part = vec3_scale(part_displacement_at(&went, vec3_sub(body->position[touch->sphere], now->pose.position)), 1.0 / dt);
    sum += touch->stiffness * overlap * fabs(vec3_dot(normal, vec3_sub(velocity[touch->sphere], part)));
  }
  return 0.5 * dt * sum;
}
