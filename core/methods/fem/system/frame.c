/* Rigid motion out of nodes. */
#include "methods/fem/system/frame.h"

#include "base/memory.h"
#include "linalg/symmetric_eigen.h"

void fem_frames_clear(fem_frames *frames)
{
  mem_free(frames->body);
  mem_free(frames->lever);
  *frames = (fem_frames){0};
}

static scr_vec3 at(const double *x, size_t node)
{
  return vec3(x[3 * node], x[3 * node + 1], x[3 * node + 2]);
}

/* Masses times positions, over the mass; with `displacement` added where given. */
static scr_vec3 centre_of(const fem_system *system, size_t body, const double *displacement, double *mass)
{
  scr_vec3 sum = vec3(0, 0, 0), origin = at(system->rest, system->node_first[body]);
  *mass = 0;
  for (size_t n = system->node_first[body]; n < system->node_first[body + 1]; n++) {
    scr_vec3 x = vec3_sub(at(system->rest, n), origin);
    if (displacement) x = vec3_add(x, at(displacement, n));
    sum = vec3_add(sum, vec3_scale(x, system->node_mass[n]));
    *mass += system->node_mass[n];
  }
  return vec3_add(origin, vec3_scale(sum, 1 / *mass));
}

scr_status fem_frames_create(const fem_system *system, fem_frames *frames, scr_error *error)
{
  *frames = (fem_frames){0};
  frames->body = mem_array(system->body_count, sizeof *frames->body);
  frames->lever = mem_array(system->node_count, 3 * sizeof *frames->lever);
  double *arm = mem_array(system->node_count, 3 * sizeof *arm);
  bool memory = frames->body && frames->lever && arm;
  for (size_t b = 0; memory && b < system->body_count; b++) {
    fem_rest_frame *body = &frames->body[b];
    body->centre = centre_of(system, b, NULL, &body->mass);
    for (size_t n = system->node_first[b]; n < system->node_first[b + 1]; n++) {
      scr_vec3 x = vec3_sub(at(system->rest, n), body->centre);
      arm[3 * n] = x.x, arm[3 * n + 1] = x.y, arm[3 * n + 2] = x.z;
    }
  }
  if (memory) fem_mass_multiply(system, arm, frames->lever, execution_of(1));
  mem_free(arm);
  return memory ? SCR_OK : scr_fail_memory(error, "the bodies' frames", system->node_count * 6 * sizeof *arm);
}

/* The unit quaternion whose rotation R maximises tr(R^T S). */
static scr_quat best_rotation(double s[3][3])
{
  double trace = s[0][0] + s[1][1] + s[2][2], horn[16], values[4], vectors[16];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    for (int c = 0; c < 3; c++) horn[4 * (i + 1) + c + 1] = s[i][c] + s[c][i] - (i == c ? trace : 0);
    horn[i + 1] = horn[4 * (i + 1)] = s[k][j] - s[j][k];
  }
  horn[0] = trace;
  la_symmetric_eigen(4, horn, values, vectors);
  int best = 0;
  for (int k = 1; k < 4; k++)
    if (values[k] > values[best]) best = k;
  const double *v = vectors + 4 * best;
  double sign = v[0] < 0 ? -1 : 1;
  return quat_normalise(quat(sign * v[1], sign * v[2], sign * v[3], sign * v[0]));
}

/* S; the levers of a body add up to zero, so the centre drops out of it. */
static void moments(const fem_system *system, const fem_frames *frames, size_t body, const double *displacement, double s[3][3])
{
  size_t first = system->node_first[body];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) s[i][j] = 0;
  for (size_t n = first; n < system->node_first[body + 1]; n++)
    for (int i = 0; i < 3; i++) {
      size_t k = 3 * n + (size_t)i;
      double x = system->rest[k] - system->rest[3 * first + (size_t)i] + displacement[k] - displacement[3 * first + (size_t)i];
      for (int j = 0; j < 3; j++) s[i][j] += x * frames->lever[3 * n + (size_t)j];
    }
}

scr_quat fem_rotation(const fem_system *system, const fem_frames *frames, size_t body, const double *displacement)
{
  double s[3][3];
  moments(system, frames, body, displacement, s);
  return best_rotation(s);
}

fem_rigid fem_rigid_motion(const fem_system *system, const fem_frames *frames, size_t body, const double *displacement,
                           const double *momentum)
{
  double mass;
  fem_rigid rigid = {.centre = centre_of(system, body, displacement, &mass), .rotation = fem_rotation(system, frames, body, displacement)};
  rigid.linear = rigid.angular = vec3(0, 0, 0);
  for (size_t n = system->node_first[body]; n < system->node_first[body + 1]; n++) {
    scr_vec3 x = vec3_sub(vec3_add(at(system->rest, n), at(displacement, n)), rigid.centre), p = at(momentum, n);
    rigid.linear = vec3_add(rigid.linear, p);
    rigid.angular = vec3_add(rigid.angular, vec3_cross(x, p));
  }
  return rigid;
}
