/** Asks a grain about a place: how deep it lies below the deformed surface, and which way is out.
 *
 *  y = R^T (x - x_c); its reference point Y obeys Y + u(Y) = y and is found by Y <- y - u(Y), the error falling by |grad u| each time. It
 *  starts where Y would be by the rigid motion alone that modes are free of: at y the error would be that motion where a bar's end turns
 *  most. Then
 *
 *      phi(x) = phi0(Y) and grad phi = J^-T grad phi0(Y) in own axes, J = 1 + grad u(Y)
 *
 *  Where all modes are affine Y is a matrix times y, and exact. That is the way pull_back; the four others (follow.h) have phi and its
 *  gradient elsewhere, and Y only where it is needed: for what a master's modes feel. */
#ifndef SCREE_LSDEM_CONTACT_QUERY_H
#define SCREE_LSDEM_CONTACT_QUERY_H

#include "methods/lsdem/contact/follow.h"

/** The displacement of a grain whose modes are fields, at the corners of the cell that was looked at last. */
typedef struct lsdem_corners {
  size_t cell;       /**< SIZE_MAX: none yet */
  scr_vec3 value[8]; /**< m, sum eps Phi without the rigid motion; corner (i, j, k) is number 4 i + 2 j + k */
} lsdem_corners;

/** Takes up the corners of the cell of a point. @param part where in the cell */
static inline void lsdem_corners_at(const lsdem_view *view, scr_vec3 point, lsdem_corners *corners, double part[static 3])
{
  const lsdem_mode *mode = &view->grain->modes[0];
  size_t cell = lsdem_field_cell(mode, point, part);
  if (cell == corners->cell) return;
  corners->cell = cell;
  for (unsigned c = 0; c < 8; c++) {
    const float *v = mode->value + (cell + lsdem_field_corner(mode, c)) * mode->stride;
    double x = 0, y = 0, z = 0;
    for (size_t a = 0; a < view->grain->mode_count; a++, v += 3) {
      double eps = view->amplitude[a];
      x += eps * (double)v[0], y += eps * (double)v[1], z += eps * (double)v[2];
    }
    corners->value[c] = vec3(x, y, z);
  }
}

static inline scr_vec3 lsdem_between(scr_vec3 a, scr_vec3 b, double share)
{
  return vec3_add(a, vec3_scale(vec3_sub(b, a), share));
}

/** The trilinear function of the corners. */
static inline scr_vec3 lsdem_corners_value(const lsdem_corners *corners, const double f[static 3])
{
  const scr_vec3 *v = corners->value;
  scr_vec3 low = lsdem_between(lsdem_between(v[0], v[1], f[2]), lsdem_between(v[2], v[3], f[2]), f[1]);
  scr_vec3 high = lsdem_between(lsdem_between(v[4], v[5], f[2]), lsdem_between(v[6], v[7], f[2]), f[1]);
  return lsdem_between(low, high, f[0]);
}

typedef struct lsdem_answer {
  scr_vec3 reference; /**< Y, m */
  double value;       /**< phi, m; also set where the place is in the grid and not below the surface */
  scr_vec3 slope;     /**< grad phi, own axes, 1 */
} lsdem_answer;

/** |grad u| up to which modes mean something. */
#define LSDEM_STEEPEST 0.7

typedef enum lsdem_found {
  LSDEM_OUTSIDE, /**< not below the surface; the answer means nothing */
  LSDEM_BELOW,
  LSDEM_LOST /**< deformed beyond what has an inverse: det J <= 0.1, or beyond what a mode basis means */
} lsdem_found;

/** u(Y), m. */
static inline scr_vec3 lsdem_displacement(const lsdem_view *view, scr_vec3 point)
{
  scr_vec3 u = vec3(0, 0, 0);
  for (size_t a = 0; a < view->grain->mode_count; a++)
    u = vec3_add(u, vec3_scale(lsdem_mode_at(&view->grain->modes[a], point), view->amplitude[a]));
  return u;
}

/** Sets what lsdem_pull_back starts by, from view->grain and view->amplitude. */
static inline void lsdem_view_rigid(lsdem_view *view)
{
  view->off_shift = view->off_turn = vec3(0, 0, 0);
  for (size_t a = 0; a < view->grain->mode_count; a++) {
    const lsdem_mode *mode = &view->grain->modes[a];
    view->off_shift = vec3_add(view->off_shift, vec3_scale(mode->shift, view->amplitude[a]));
    view->off_turn = vec3_add(view->off_turn, vec3_scale(mode->turn, view->amplitude[a]));
  }
}

/** The same as lsdem_pull_back of a grain whose modes are fields; leaves the corners that it looked at last. */
static inline scr_vec3 lsdem_pull_back_field(const lsdem_view *view, scr_vec3 place, scr_vec3 point, int64_t iterations,
                                             lsdem_corners *corners)
{
  const double least = 1e-16 * view->grain->field.spacing * view->grain->field.spacing;
  corners->cell = SIZE_MAX;
  for (int64_t k = 0; k < iterations; k++) {
    double part[3];
    lsdem_corners_at(view, point, corners, part);
    scr_vec3 rigid = vec3_add(view->off_shift, vec3_cross(view->off_turn, point));
    scr_vec3 next = vec3_add(vec3_sub(place, lsdem_corners_value(corners, part)), rigid), displacement = vec3_sub(next, point);
    point = next;
    if (vec3_dot(displacement, displacement) < least) break;
  }
  return point;
}

/** Y of a place in own axes. @param iterations >= 1 */
static inline scr_vec3 lsdem_pull_back(const lsdem_view *view, scr_vec3 place, int64_t iterations)
{
  if (view->affine) return matrix_times(&view->unbent->back, vec3_sub(place, view->unbent->shift));
  scr_vec3 point = vec3_add(place, vec3_add(view->off_shift, vec3_cross(view->off_turn, place)));
  if (view->grain->mode_grid) {
    lsdem_corners corners;
    return lsdem_pull_back_field(view, place, point, iterations, &corners);
  }
  for (int64_t k = 0; k < iterations; k++) {
    scr_vec3 next = vec3_sub(place, lsdem_displacement(view, point)), displacement = vec3_sub(next, point);
    point = next;
    if (vec3_dot(displacement, displacement) < 1e-16 * view->grain->field.spacing * view->grain->field.spacing)
      break; /* forces are the gradient of energies by so much */
  }
  return point;
}

/** The slope of a deformed level set from that of the reference one at a point of a grain whose modes are fields. @param corners those
 *  looked at last    @return false: det J <= 0.1, or |grad u| > LSDEM_STEEPEST there */
bool lsdem_field_slope(const lsdem_view *view, scr_vec3 point, lsdem_corners *corners, scr_vec3 *slope);

/** The slope of a deformed level set from that of the reference one. @return false: det J <= 0.1 */
bool lsdem_deformed_slope(const lsdem_view *view, scr_vec3 point, scr_vec3 *slope);

/** @param place own axes, m */
static inline lsdem_found lsdem_query(const lsdem_view *view, scr_vec3 place, int64_t iterations, lsdem_answer *answer)
{
  bool rigid = view->moved == 0;
  if (!rigid && view->singular) return LSDEM_LOST;
  if (!rigid && view->grain->following != LSDEM_FOLLOW_PULL_BACK) {
    if (!lsdem_follow_at(view, place, iterations, &answer->value, &answer->slope)) return LSDEM_OUTSIDE;
    answer->reference = lsdem_pull_back(view, place, iterations);
    return LSDEM_BELOW;
  }
  if (!rigid && view->grain->mode_grid) {
    lsdem_corners corners;
    scr_vec3 start = vec3_add(place, vec3_add(view->off_shift, vec3_cross(view->off_turn, place)));
    answer->reference = lsdem_pull_back_field(view, place, start, iterations, &corners);
    if (!level_set_below_at(&view->grain->field, answer->reference, &answer->value, &answer->slope)) return LSDEM_OUTSIDE;
    return lsdem_field_slope(view, answer->reference, &corners, &answer->slope) ? LSDEM_BELOW : LSDEM_LOST;
  }
  answer->reference = rigid ? place : lsdem_pull_back(view, place, iterations);
  if (!level_set_below_at(&view->grain->field, answer->reference, &answer->value, &answer->slope)) return LSDEM_OUTSIDE;
  if (!rigid && !lsdem_deformed_slope(view, answer->reference, &answer->slope)) return LSDEM_LOST;
  return LSDEM_BELOW;
}

#endif
