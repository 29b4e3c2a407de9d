/* A direction: nodes against level sets and parts.
 *
 * Tiles of nodes are looked at first: the master's level set in the middle of a tile says how far its surface is at least, and most tiles
 * are farther than their radius. */
#include "methods/lsdem/contact/find_contacts.h"

#include <string.h>

#include "base/memory.h"
#include "methods/lsdem/contact/bond.h"
#include "methods/lsdem/contact/law.h"
#include "methods/lsdem/contact/query.h"
#include "methods/lsdem/scene/options.h"
#include "sim/fabric.h"

/* J^-T slope. @return false: det J <= 0.1 */
static bool turn_slope(const scr_matrix3 *j, scr_vec3 *slope)
{
  double det = matrix_determinant(j);
  if (!(det > 0.1)) return false;
  scr_matrix3 cofactors = matrix_cofactors(j);
  *slope = vec3_scale(matrix_times(&cofactors, *slope), 1 / det);
  return true;
}

bool lsdem_field_slope(const lsdem_view *view, scr_vec3 point, lsdem_corners *corners, scr_vec3 *slope)
{
  double f[3];
  lsdem_corners_at(view, point, corners, f);
  const scr_vec3 *v = corners->value, t = view->off_turn;
  const double s = view->grain->modes[0].per_spacing;
  scr_vec3 c00 = lsdem_between(v[0], v[1], f[2]), c01 = lsdem_between(v[2], v[3], f[2]), c10 = lsdem_between(v[4], v[5], f[2]),
           c11 = lsdem_between(v[6], v[7], f[2]);
  scr_vec3 z0 = lsdem_between(vec3_sub(v[1], v[0]), vec3_sub(v[3], v[2]), f[1]),
           z1 = lsdem_between(vec3_sub(v[5], v[4]), vec3_sub(v[7], v[6]), f[1]);
  scr_vec3 dx = vec3_scale(vec3_sub(lsdem_between(c10, c11, f[1]), lsdem_between(c00, c01, f[1])), s);
  scr_vec3 dy = vec3_scale(lsdem_between(vec3_sub(c01, c00), vec3_sub(c11, c10), f[0]), s), dz = vec3_scale(lsdem_between(z0, z1, f[0]), s);
  scr_matrix3 j = {{{1 + dx.x, dy.x + t.z, dz.x - t.y}, {dx.y - t.z, 1 + dy.y, dz.y + t.x}, {dx.z + t.y, dy.z - t.x, 1 + dz.z}}};
  for (int r = 0; r < 3; r++)
    if (fabs(j.m[r][0] - (r == 0)) + fabs(j.m[r][1] - (r == 1)) + fabs(j.m[r][2] - (r == 2)) > LSDEM_STEEPEST) return false;
  return turn_slope(&j, slope);
}

bool lsdem_deformed_slope(const lsdem_view *view, scr_vec3 point, scr_vec3 *slope)
{
  if (view->affine) {
    *slope = matrix_transposed_times(&view->unbent->back, *slope);
    return true;
  }
  scr_matrix3 j = matrix_identity();
  for (size_t a = 0; a < view->grain->mode_count; a++) {
    scr_matrix3 g;
    (void)lsdem_mode_gradient(&view->grain->modes[a], point, &g);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) j.m[r][c] += view->amplitude[a] * g.m[r][c];
  }
  return turn_slope(&j, slope);
}

enum { KEPT = 16 * LSDEM_TILE_NODES };

/* A direction under way. */
typedef struct contact_search {
  const lsdem_view *slave, *master; /* master: NULL for a part */
  const scr_part *form;
  const part_motion *motion;
  lsdem_law law;
  double weight, dt;
  int64_t iterations;
  bool exact;
  lsdem_direction *direction;
  lsdem_sums *sums;
  double *slave_modal, *master_modal;     /* [modes] or NULL */
  double *slave_dashpot, *master_dashpot; /* [modes] or NULL, the dashpots' part of them */
  lsdem_clearance_now moment;             /* as lsdem_approach; of a part likewise */
  uint64_t since;                         /* ticks, of the direction's watch */
  size_t old;                             /* touches looked at so far */
  size_t bond;                            /* bonds looked at so far */
  bool freed;                             /* the node under way lost its bond in this pass */
  double sunk;                            /* m, overlap at which its contact begins: see lsdem_bond */
  lsdem_touch *kept;                      /* [KEPT] found so far and not yet in a list */
  size_t kept_count;
} contact_search;

/* What the direction remembers of a node: its old spring. Nodes come in rising order. */
static scr_vec3 remembered(contact_search *q, const lsdem_touch *old, size_t old_count, uint32_t node)
{
  while (q->old < old_count && old[q->old].node < node) q->old++;
  return q->old < old_count && old[q->old].node == node ? old[q->old].slip : vec3(0, 0, 0);
}

scr_vec3 lsdem_node_place(const lsdem_view *view, size_t k)
{
  scr_vec3 x = view->grain->surface.vertex[k];
  const scr_vec3 *phi = view->grain->mode_at_node + k;
  for (size_t a = 0; a < view->grain->mode_count; a++, phi += view->grain->node_count)
    x = vec3_add(x, vec3_scale(*phi, view->amplitude[a]));
  return x;
}

/* Velocity of node k, at `own` in own axes. */
static scr_vec3 node_velocity(const lsdem_view *view, scr_vec3 own, size_t k)
{
  scr_vec3 v = vec3_cross(view->spin, own);
  const scr_vec3 *phi = view->grain->mode_at_node + k;
  for (size_t a = 0; a < view->grain->mode_count; a++, phi += view->grain->node_count) v = vec3_add(v, vec3_scale(*phi, view->rate[a]));
  return vec3_add(view->velocity, matrix_times(&view->rotation, v));
}

/* Phi of all modes of a grain at a reference point. Fields lie side by side there. @param phi [modes] */
static void modes_at(const lsdem_view *view, scr_vec3 reference, scr_vec3 *phi)
{
  const lsdem_template *grain = view->grain;
  if (!grain->mode_grid) {
    for (size_t a = 0; a < grain->mode_count; a++) phi[a] = lsdem_mode_at(&grain->modes[a], reference);
    return;
  }
  double f[3];
  const lsdem_mode *mode = &grain->modes[0];
  const float *first = mode->value + lsdem_field_cell(mode, reference, f) * mode->stride;
  for (size_t a = 0; a < grain->mode_count; a++)
    phi[a] = vec3_scale(vec3_add(grain->modes[a].shift, vec3_cross(grain->modes[a].turn, reference)), -1);
  for (unsigned c = 0; c < 8; c++) {
    const float *v = first + lsdem_field_corner(mode, c) * mode->stride;
    double weight = (c >> 2 ? f[0] : 1 - f[0]) * (c >> 1 & 1 ? f[1] : 1 - f[1]) * (c & 1 ? f[2] : 1 - f[2]);
    for (size_t a = 0; a < grain->mode_count; a++, v += 3) phi[a] = vec3_add(phi[a], vec3_scale(vec3(v[0], v[1], v[2]), weight));
  }
}

/* @param phi [modes] there */
static scr_vec3 place_velocity(const lsdem_view *view, scr_vec3 own, const scr_vec3 *phi)
{
  scr_vec3 v = vec3_cross(view->spin, own);
  for (size_t a = 0; a < view->grain->mode_count; a++) v = vec3_add(v, vec3_scale(phi[a], view->rate[a]));
  return vec3_add(view->velocity, matrix_times(&view->rotation, v));
}

/* Takes a force on node k at `at` into the modal forces. @param phi [modes of the master] there */
static void add_modal(const contact_search *q, size_t k, const scr_vec3 *phi, scr_vec3 force, double *on_slave, double *on_master)
{
  if (on_slave && q->slave->grain->mode_count) {
    scr_vec3 own = matrix_transposed_times(&q->slave->rotation, force);
    for (size_t a = 0; a < q->slave->grain->mode_count; a++)
      on_slave[a] += vec3_dot(q->slave->grain->mode_at_node[a * q->slave->grain->node_count + k], own);
  }
  if (on_master && q->master && q->master->grain->mode_count) {
    scr_vec3 own = matrix_transposed_times(&q->master->rotation, force);
    for (size_t a = 0; a < q->master->grain->mode_count; a++) on_master[a] -= vec3_dot(phi[a], own);
  }
}

/* Takes a force on node k at `at`, and the part of it that a dashpot has, into the sums. @param phi [modes of the master] there */
static void add_push(contact_search *q, size_t k, scr_vec3 at, const scr_vec3 *phi, scr_vec3 force, scr_vec3 dashpot)
{
  lsdem_sums *sums = q->sums;
  scr_vec3 centre = q->master ? q->master->position : q->motion->pose.position;
  scr_vec3 slave_arm = vec3_sub(at, q->slave->position), master_arm = vec3_sub(at, centre);
  sums->force = vec3_add(sums->force, force);
  sums->slave_torque = vec3_add(sums->slave_torque, vec3_cross(slave_arm, force));
  sums->master_torque = vec3_sub(sums->master_torque, vec3_cross(master_arm, force));
  add_modal(q, k, phi, force, q->slave_modal, q->master_modal);
  if (vec3_dot(dashpot, dashpot) == 0) return;
  sums->dashpot.force = vec3_add(sums->dashpot.force, dashpot);
  sums->dashpot.slave_torque = vec3_add(sums->dashpot.slave_torque, vec3_cross(slave_arm, dashpot));
  sums->dashpot.master_torque = vec3_sub(sums->dashpot.master_torque, vec3_cross(master_arm, dashpot));
  add_modal(q, k, phi, dashpot, q->slave_dashpot, q->master_dashpot);
}

static void add_contact_point(contact_search *q, size_t k, scr_vec3 at, scr_vec3 own, const scr_vec3 *phi, scr_vec3 slip,
                              lsdem_contact_kinematics *kinematics)
{
  lsdem_sums *sums = q->sums;
  kinematics->area = q->weight * q->slave->grain->area[k];
  kinematics->velocity = vec3_sub(node_velocity(q->slave, own, k), kinematics->velocity);
  lsdem_push push = lsdem_contact(&q->law, kinematics, q->dt, &slip);
  add_push(q, k, at, phi, push.force, vec3_scale(kinematics->normal, push.dashpot));
  sums->elastic += push.elastic;
  sums->friction += push.friction;
  if (q->freed) { /* what the contact holds of the bond's energy, and what it gives in the half step that follows its first pass */
    scr_vec3 spring = vec3_sub(push.force, vec3_scale(kinematics->normal, push.dashpot));
    sums->broken -= push.elastic + 0.5 * q->dt * vec3_dot(spring, kinematics->velocity);
  }
  sums->stiffness += lsdem_law_slope(&q->law, kinematics->depth) * kinematics->area;
  if (kinematics->depth > sums->deepest) sums->deepest = kinematics->depth;
  sums->area += kinematics->area;
  fabric_add(sums->facing, vec3_scale(kinematics->normal, kinematics->area), kinematics->normal);
  const double size = vec3_length(push.force);
  sums->pressing += size;
  sums->middle = vec3_add(sums->middle, vec3_scale(at, size));
  sums->push = vec3_add(sums->push, push.force);
  q->kept[q->kept_count++] =
      (lsdem_touch){.node = (uint32_t)k, .pressure = (float)(vec3_dot(push.force, kinematics->normal) / kinematics->area), .slip = slip};
}

/* ── grain against grain ─────────────────────────────────────────────────────────────────────────────────────────── */

/* From the slave's own axes to the master's. */
typedef struct passage {
  scr_matrix3 turn;
  scr_vec3 shift;
} passage;

static passage passage_of(const lsdem_view *slave, const lsdem_view *master)
{
  passage p;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      p.turn.m[i][j] = 0;
      for (int k = 0; k < 3; k++) p.turn.m[i][j] += master->rotation.m[k][i] * slave->rotation.m[k][j];
    }
  p.shift = matrix_transposed_times(&master->rotation, vec3_sub(slave->position, master->position));
  return p;
}

static scr_vec3 pass_over(const passage *p, scr_vec3 v)
{
  return vec3_add(matrix_times(&p->turn, v), p->shift);
}

static double excess(double low, double at, double high)
{
  return at < low ? low - at : at > high ? at - high : 0;
}

/* How far a place is outside of the grid's box, m; 0: in it. */
static double off_grid(const level_set *field, scr_vec3 at)
{
  scr_vec3 far = level_set_point(field, field->count[0] - 1, field->count[1] - 1, field->count[2] - 1), low = field->origin;
  double x = excess(low.x, at.x, far.x), y = excess(low.y, at.y, far.y), z = excess(low.z, at.z, far.z);
  return sqrt(x * x + y * y + z * z);
}

/* How far a place outside of a grain's grid is from its surface at least, m: that is two spacings inside of the grid's box, and in the ball
 * of its nodes. One spacing is left for what the function between samples may be off. */
static double outer_distance(const lsdem_template *grain, scr_vec3 at)
{
  double box = off_grid(&grain->field, at) + grain->field.spacing, ball = vec3_length(at) - grain->reach - grain->field.spacing;
  return box > ball ? box : ball;
}

/* Whether its level set, now or later, may lie elsewhere than the deformed reference shape: then nothing is surely clear of it for long but
 * what is off its grid, which stays. */
static bool follows_otherwise(const lsdem_view *master)
{
  return master->grain->mode_count > 0 && master->grain->following != LSDEM_FOLLOW_PULL_BACK;
}

/* How far a ball, in the master's axes, is outside of it at least; negative: it may touch. The function between samples may lie above the
 * distance by a cell's size. A deformed grain's reference points are no farther apart than the places over 1 - |grad u|; so are the ball's
 * from its centre's. */
static double clearance(const lsdem_view *master, scr_vec3 centre, double radius)
{
  double value, shrunk = 1;
  if (follows_otherwise(master)) return off_grid(&master->grain->field, centre) - radius;
  if (master->moved > 0) {
    if (master->strain >= 0.5 || master->singular) return -1;
    centre = lsdem_pull_back(master, centre, 2);
    if (!master->affine) radius += master->strain * master->strain * master->moved; /* two iterations leave that */
    shrunk = 1 - master->strain;
  }
  radius /= shrunk;
  if (level_set_at(&master->grain->field, centre, &value)) return shrunk * (value - radius - master->grain->field.spacing);
  return shrunk * (outer_distance(master->grain, centre) - radius);
}

/* Whether node k is bonded to the master; nodes come in rising order. */
static bool is_bonded(contact_search *q, uint32_t k)
{
  const lsdem_direction *direction = q->direction;
  while (q->bond < direction->bond_count && direction->bonds[q->bond].node < k) q->bond++;
  bool found = q->bond < direction->bond_count && direction->bonds[q->bond].node == k;
  q->freed = found && direction->bonds[q->bond].broken == LSDEM_BOND_BREAKS;
  q->sunk = found ? direction->bonds[q->bond].sunk : 0;
  return found && direction->bonds[q->bond].broken == LSDEM_BOND_HOLDS;
}

/* How far a node, at a place in the master's axes where phi is `value`, NaN outside of the grid, must go at least until it touches; 0: not
 * known. Along an axis samples differ by a spacing times 7/6 at most, with the curvature that is taken off them, so the trilinear
 * function's slope is below 2.1. Outside of the grid the surface is two spacings away. */
static double node_clearance(const lsdem_view *master, scr_vec3 place, double value)
{
  if (follows_otherwise(master)) return isnan(value) ? off_grid(&master->grain->field, place) : 0;
  if (master->moved == 0 && isnan(value)) return outer_distance(master->grain, place);
  if (master->moved == 0) return value / 2.1;
  if (!(value > 0) || master->strain >= 0.5 || master->singular) return 0;
  return value / 2.1 * (1 - master->strain) - (master->affine ? 0 : master->strain * master->strain * master->moved);
}

/* Where the contact of a node whose bond broke begins: so deep that it holds no more energy than the bond did by being pressed together. */
static void take_over(contact_search *q, lsdem_bond *bond, double depth)
{
  double low = 0, high = fmax(depth - bond->sunk, 0);
  if (!(lsdem_law_energy(&q->law, high) > bond->pressed)) return;
  for (int k = 0; k < 60; k++) {
    double middle = 0.5 * (low + high);
    if (lsdem_law_energy(&q->law, middle) > bond->pressed)
      high = middle;
    else
      low = middle;
  }
  q->sunk = bond->sunk = depth - low;
}

/* @return as node_clearance; 0: it touches */
static double find_with_grain(contact_search *q, const passage *p, size_t k, const lsdem_touch *old, size_t old_count)
{
  if (q->direction->bond_count && is_bonded(q, (uint32_t)k)) return 0;
  scr_vec3 own = lsdem_node_place(q->slave, k), place = pass_over(p, own);
  lsdem_answer answer = {.value = NAN}; /* stays so outside of the grid */
  lsdem_found found = lsdem_query(q->master, place, q->iterations, &answer);
  if (found == LSDEM_LOST) q->sums->lost = 1;
  if (found != LSDEM_BELOW) return found == LSDEM_OUTSIDE ? node_clearance(q->master, place, answer.value) : 0;
  double slope = vec3_length(answer.slope);
  if (q->freed) take_over(q, &q->direction->bonds[q->bond], -answer.value);
  if (!(-answer.value > q->sunk)) return 0;
  if (!(slope > 1e-6)) return 0; /* on the medial axis there is no way out: what lies so deep is told by the depth elsewhere */
  scr_vec3 phi[LSDEM_MODE_LIMIT];
  modes_at(q->master, answer.reference, phi);
  lsdem_contact_kinematics kinematics = {.depth = (q->exact ? 1 : 1 / slope) * (-answer.value - q->sunk),
                                         .push = (q->exact ? slope : 1 / slope) * (-answer.value - q->sunk),
                                         .normal = vec3_scale(matrix_times(&q->master->rotation, answer.slope), 1 / slope),
                                         .velocity = place_velocity(q->master, place, phi)};
  scr_vec3 at = vec3_add(q->slave->position, matrix_times(&q->slave->rotation, own));
  add_contact_point(q, k, at, own, phi, remembered(q, old, old_count, (uint32_t)k), &kinematics);
  return 0;
}

/* ── grain against part ──────────────────────────────────────────────────────────────────────────────────────────── */

/* @return how far a node is off the part at least; 0: it touches */
static double find_with_part(contact_search *q, size_t k, const lsdem_touch *old, size_t old_count)
{
  scr_vec3 own = lsdem_node_place(q->slave, k), at = vec3_add(q->slave->position, matrix_times(&q->slave->rotation, own));
  scr_part_distance from;
  double reach = q->slave->grain->field.spacing;
  if (!scr_part_distance_within_posed(q->form, &q->motion->pose, at, reach, 4 * q->slave->grain->depth + reach, &from)) return reach;
  if (!(from.distance < 0)) return from.distance;
  lsdem_contact_kinematics kinematics = {
      .depth = -from.distance, .push = -from.distance, .normal = from.normal, .velocity = part_velocity_at(q->motion, at)};
  add_contact_point(q, k, at, own, NULL, remembered(q, old, old_count, (uint32_t)k), &kinematics);
  return 0;
}

static double off_by(const contact_search *q, scr_vec3 centre, double radius, double most)
{
  return lsdem_part_distance_bound(q->form, q->motion, centre, radius, q->slave->grain->depth, most);
}

/* ── bonds ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void pull(contact_search *q, lsdem_bond *bond)
{
  const lsdem_glue *glue = &q->law.glue;
  lsdem_sums *sums = q->sums;
  scr_vec3 own = lsdem_node_place(q->slave, bond->node), at = vec3_add(q->slave->position, matrix_times(&q->slave->rotation, own));
  scr_vec3 there = vec3_add(bond->anchor, bond->offset);
  if (q->master->grain->mode_count) there = vec3_add(there, lsdem_displacement(q->master, bond->anchor));
  scr_vec3 normal = matrix_times(&q->master->rotation, bond->normal);
  scr_vec3 delta = vec3_sub(vec3_sub(at, q->master->position), matrix_times(&q->master->rotation, there));
  lsdem_strain strain = lsdem_bond_strain(glue, delta, normal);
  scr_vec3 place = matrix_transposed_times(
      &q->master->rotation, vec3_sub(at, q->master->position)); /* the force acts where the node is: so are velocities taken */
  scr_vec3 phi[LSDEM_MODE_LIMIT];
  modes_at(q->master, bond->anchor, phi);
  scr_vec3 velocity = vec3_sub(node_velocity(q->slave, own, bond->node), place_velocity(q->master, place, phi));
  if (strain.load >= 1) {
    double along = vec3_dot(delta, normal);
    bond->pressed = along < 0 ? 0.5 * glue->normal * along * along : 0;
    /* without its pull, grains keep what half of the step's way would have taken of them */
    bond->broken = LSDEM_BOND_BREAKS;
    sums->broken += bond->area * (strain.energy - 0.5 * q->dt * vec3_dot(strain.traction, velocity));
    return;
  }
  scr_vec3 dashpot = vec3_scale(velocity, -glue->damping * bond->area);
  add_push(q, bond->node, at, phi, vec3_add(vec3_scale(strain.traction, -bond->area), dashpot), dashpot);
  sums->bonded += bond->area * strain.energy;
  sums->stiffness += bond->area * fmax(glue->normal, glue->shear);
}

/* ── a direction ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* How far tile t is outside of the master at least, m. */
static double tile_clearance(const contact_search *q, const passage *p, size_t t)
{
  const lsdem_template *grain = q->slave->grain;
  scr_vec3 centre = grain->tiles[t].centre;
  double radius = grain->tiles[t].radius;
  if (q->slave->moved > 0) {
    for (size_t a = 0; a < grain->mode_count; a++)
      centre = vec3_add(centre, vec3_scale(grain->mode_at_tile[a * grain->tile_count + t], q->slave->amplitude[a]));
    radius *= 1 + q->slave->strain;
  }
  if (q->master) return clearance(q->master, pass_over(p, centre), radius);
  return off_by(q, vec3_add(q->slave->position, matrix_times(&q->slave->rotation, centre)), radius, grain->reach);
}

/* Whether no node of a tile can touch; remembers how long that holds. Of a tile that is off by more than a spacing the nodes are forgotten.
 * Something is left for rounding.
 * @param block  blocks that tiles before it have */
static bool skip_tile(contact_search *q, const passage *p, size_t t, size_t block)
{
  lsdem_clearance *watch = q->direction->watch;
  if (watch && q->since < watch->bytes[t]) return true;
  double clear = tile_clearance(q, p, t);
  if (watch) watch->bytes[t] = clear > 0 ? lsdem_clearance_byte(watch, q->moment, clear * (1 - 1e-6)) : 0;
  if (watch && clear > 0.25 * q->slave->grain->field.spacing && lsdem_clearance_has(watch, t))
    lsdem_clearance_drop(&q->direction->watch, t, block);
  return clear > 0;
}

/* How long the nodes of a tile are clear, all not known at first. NULL: no room, each is asked. */
static uint8_t *budgets_of(lsdem_direction *direction, size_t t, size_t block)
{
  if (!direction->watch) return NULL;
  if (!lsdem_clearance_has(direction->watch, t) && !lsdem_clearance_add(&direction->watch, t, block)) return NULL;
  return lsdem_clearance_block(direction->watch, block);
}

/* Asks the nodes of a tile that are not known to be clear. Where all come to be, so is the tile. */
static void find_in_tile(contact_search *q, const passage *p, size_t t, size_t block, const lsdem_touch *old, size_t old_count)
{
  const lsdem_template *grain = q->slave->grain;
  size_t first = t * LSDEM_TILE_NODES, last = first + LSDEM_TILE_NODES < grain->node_count ? first + LSDEM_TILE_NODES : grain->node_count;
  uint8_t *until = budgets_of(q->direction, t, block), all = UINT8_MAX;
  double slack = 1e-6 * grain->field.spacing; /* far above rounding of places */
  for (size_t k = first; k < last; k++) {
    if (!until || !(q->since < until[k - first])) {
      double clear = q->master ? find_with_grain(q, p, k, old, old_count) : find_with_part(q, k, old, old_count);
      if (until) until[k - first] = clear > slack ? lsdem_clearance_byte(q->direction->watch, q->moment, clear - slack) : 0;
    }
    if (until && until[k - first] < all) all = until[k - first];
  }
  if (until) q->direction->watch->bytes[t] = all;
}

/* Moves what was found to the end of a list of its own. */
static bool spill(contact_search *q, lsdem_touch **list, size_t *count, size_t *capacity)
{
  if (!mem_grow(list, capacity, *count + q->kept_count, sizeof **list)) return false;
  memcpy(*list + *count, q->kept, q->kept_count * sizeof **list);
  *count += q->kept_count;
  q->kept_count = 0;
  return true;
}

/* What was found becomes what the direction remembers: few in the room of what it was, many as their own list. */
static bool remember(contact_search *q, lsdem_touch *list, size_t count, size_t capacity)
{
  lsdem_direction *direction = q->direction;
  bool has_space;
  if (list) {
    has_space = spill(q, &list, &count, &capacity);
    mem_free(direction->touches);
    direction->touches = list;
  } else {
    count = 0, capacity = direction->touch_capacity;
    has_space = q->kept_count == 0 || spill(q, &direction->touches, &count, &capacity);
  }
  direction->touch_capacity = (uint32_t)capacity; /* twice the nodes at most, whose numbers have 32 bits */
  direction->touch_count = (uint32_t)count;
  return has_space;
}

/* @return false: no memory */
static bool find_all(contact_search *q)
{
  lsdem_direction *direction = q->direction;
  const lsdem_template *grain = q->slave->grain;
  passage p = {0};
  if (q->master) p = passage_of(q->slave, q->master);
  const lsdem_touch *old = direction->touches;
  size_t old_count = direction->touch_count, count = 0, capacity = 0;
  lsdem_touch *list = NULL, found[KEPT];
  bool has_space = true;
  q->kept = found;
  if (!direction->watch)
    direction->watch = lsdem_clearance_create(grain->tile_count); /* without it every tile, or every node of one, is looked at */
  if (direction->watch) {
    lsdem_clearance_advance(direction->watch, q->moment);
    q->since = lsdem_clearance_since(direction->watch, q->moment);
  }
  uint8_t clear = UINT8_MAX;
  for (size_t t = 0, block = 0; t < grain->tile_count && has_space; t++) {
    if (!skip_tile(q, &p, t, block)) {
      find_in_tile(q, &p, t, block, old, old_count);
      if (q->kept_count + LSDEM_TILE_NODES > KEPT) has_space = spill(q, &list, &count, &capacity);
    }
    if (direction->watch && direction->watch->bytes[t] < clear) clear = direction->watch->bytes[t];
    block += direction->watch && lsdem_clearance_has(direction->watch, t);
  }
  if (direction->watch) direction->watch->clear = clear;
  bool kept = remember(q, list, count, capacity);
  q->kept = NULL; /* `found` ends here */
  return kept && has_space;
}

static bool are_apart(const contact_search *q)
{
  double reach = q->slave->grain->reach + q->slave->moved;
  if (!q->master) return off_by(q, q->slave->position, reach, 0.1 * reach) > 0;
  double both = reach + q->master->grain->field_reach + q->master->moved;
  scr_vec3 travel = vec3_sub(q->slave->position, q->master->position);
  return vec3_dot(travel, travel) > both * both;
}

static void forget(lsdem_direction *direction)
{
  mem_free(direction->touches);
  lsdem_direction_unsure(direction);
  direction->touches = NULL;
  direction->touch_count = direction->touch_capacity = 0;
}

bool lsdem_find_contacts(lsdem_state *s, size_t d, size_t at, double dt)
{
  lsdem_direction *direction = &s->near.list[d];
  size_t part = direction->master - s->grain_count;
  bool grain = direction->master < s->grain_count;
  contact_search q = {.slave = &s->views[direction->slave],
                      .master = grain ? &s->views[direction->master] : NULL,
                      .weight = direction->weight,
                      .dt = dt,
                      .iterations = s->options->pull_back,
                      .exact = s->options->energy_exact,
                      .direction = direction,
                      .sums = &s->near.sums[at]};
  if (!grain) q.form = &s->parts->form[part], q.motion = &s->parts->now[part];
  q.law = lsdem_law_between(s, direction->slave, direction->master);
  q.moment.tick = q.slave->grain->field.spacing / LSDEM_TICKS;
  if (grain)
    q.moment.gone = lsdem_approach(q.slave, q.master, s->near.skin);
  else
    q.moment.gone =
        q.slave->travel + q.slave->turned * (q.slave->grain->reach + q.slave->most_moved) + q.slave->bent + s->part_travelled[part];
  *q.sums = (lsdem_sums){0};
  if (s->near.modal) {
    const size_t modes = s->near.modes;
    q.slave_modal = s->near.modal + LSDEM_MODAL_SUMS * modes * at;
    q.master_modal = q.slave_modal + modes;
    q.slave_dashpot = q.master_modal + modes;
    q.master_dashpot = q.slave_dashpot + modes;
    for (size_t a = 0; a < LSDEM_MODAL_SUMS * modes; a++) q.slave_modal[a] = 0;
  }
  for (size_t k = 0; k < direction->bond_count && q.master; k++)
    if (direction->bonds[k].broken == LSDEM_BOND_HOLDS) pull(&q, &direction->bonds[k]);
  if (direction->watch && direction->touch_count == 0 && lsdem_clearance_since(direction->watch, q.moment) < direction->watch->clear)
    return true;
  if (are_apart(&q)) {
    if (direction->touches || direction->watch) forget(direction);
    return true;
  }
  return find_all(&q);
}
