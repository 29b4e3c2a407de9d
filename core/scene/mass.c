/* Volume, centre and moments of solids of density 1. Of a mesh: sums over the tetrahedra between its triangles and its origin. */
#include "scene/mass.h"

#include <math.h>

#include "scene/mesh_source.h"

static const double pi = 3.14159265358979323846;

static scr_moments of_diagonal(double volume, double x, double y, double z)
{
  return (scr_moments){.volume = volume, .second = {{x * volume, 0, 0}, {0, y * volume, 0}, {0, 0, z * volume}}};
}

scr_moments scr_moments_of_box(scr_vec3 size)
{
  return of_diagonal(size.x * size.y * size.z, size.x * size.x / 12, size.y * size.y / 12, size.z * size.z / 12);
}

scr_moments scr_moments_of_ball(double r)
{
  return of_diagonal(4.0 / 3 * pi * r * r * r, r * r / 5, r * r / 5, r * r / 5);
}

scr_moments scr_moments_of_cylinder(double r, double length)
{
  return of_diagonal(pi * r * r * length, r * r / 4, r * r / 4, length * length / 12);
}

/* Of a tetrahedron with a corner at the origin, about the origin: V/20 (sum of corners' r r^T + s s^T), s their sum. */
scr_moments scr_moments_of_mesh(const geo_mesh *mesh)
{
  scr_moments m = {0};
  double first[3] = {0};
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    scr_vec3 corner[3];
    for (int k = 0; k < 3; k++) corner[k] = mesh->vertex[mesh->triangle[t][k]];
    double v = vec3_dot(corner[0], vec3_cross(corner[1], corner[2])) / 6, c[4][3] = {{0}};
    for (int k = 0; k < 3; k++) {
      const double at[3] = {corner[k].x, corner[k].y, corner[k].z};
      for (int a = 0; a < 3; a++) c[k][a] = at[a], c[3][a] += at[a];
    }
    m.volume += v;
    for (int a = 0; a < 3; a++) {
      first[a] += v * c[3][a] / 4;
      for (int b = 0; b < 3; b++)
        for (int k = 0; k < 4; k++) m.second[a][b] += v * c[k][a] * c[k][b] / 20;
    }
  }
  for (int a = 0; a < 3 && m.volume > 0; a++)
    for (int b = 0; b < 3; b++) m.second[a][b] -= first[a] * first[b] / m.volume;
  if (m.volume > 0) m.centre = vec3(first[0] / m.volume, first[1] / m.volume, first[2] / m.volume);
  return m;
}

scr_moments scr_moments_placed(const scr_moments *own, scr_quat turn, scr_vec3 place)
{
  scr_vec3 axis[3] = {quat_rotate(turn, vec3(1, 0, 0)), quat_rotate(turn, vec3(0, 1, 0)), quat_rotate(turn, vec3(0, 0, 1))};
  double r[3][3]; /* rows: world, columns: own axes */
  for (int k = 0; k < 3; k++) r[0][k] = axis[k].x, r[1][k] = axis[k].y, r[2][k] = axis[k].z;
  scr_moments placed = {.volume = own->volume, .centre = vec3_add(place, quat_rotate(turn, own->centre))};
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) placed.second[a][b] += r[a][i] * own->second[i][j] * r[b][j];
  return placed;
}

/* Steiner's rule: both are brought to the common centre. */
void scr_moments_add(scr_moments *sum, const scr_moments *other, double share)
{
  double volume = sum->volume + share * other->volume;
  const scr_moments *both[2] = {sum, other};
  const double weight[2] = {1, share};
  scr_moments joined = {.volume = volume};
  for (int k = 0; k < 2; k++) joined.centre = vec3_add(joined.centre, vec3_scale(both[k]->centre, weight[k] * both[k]->volume / volume));
  for (int k = 0; k < 2; k++) {
    scr_vec3 arm = vec3_sub(both[k]->centre, joined.centre);
    const double at[3] = {arm.x, arm.y, arm.z};
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) joined.second[a][b] += weight[k] * (both[k]->second[a][b] + both[k]->volume * at[a] * at[b]);
  }
  *sum = joined;
}

static scr_moments moments_of(const scr_obstacle *obstacle)
{
  switch (obstacle->shape.kind) {
  case SCR_OBSTACLE_PLANE: return (scr_moments){.volume = INFINITY};
  case SCR_OBSTACLE_BOX: return scr_moments_of_box(obstacle->shape.size);
  case SCR_OBSTACLE_SPHERE: return scr_moments_of_ball(obstacle->shape.radius);
  case SCR_OBSTACLE_CYLINDER: return scr_moments_of_cylinder(obstacle->shape.radius, obstacle->shape.length);
  case SCR_OBSTACLE_MESH: break;
  }
  return obstacle->shape.mesh.mesh ? scr_moments_of_mesh(&obstacle->shape.mesh.mesh->surface) : (scr_moments){0};
}

double scr_obstacle_volume(const scr_obstacle *obstacle)
{
  return moments_of(obstacle).volume;
}

/* Turns a symmetric matrix to its principal axes by Jacobi's rotations. @return q, which takes x, y, z to them; the matrix is left diagonal
 * */
static scr_quat principal_axes(double m[3][3])
{
  scr_quat q = quat_identity();
  for (int sweep = 0; sweep < 60; sweep++) {
    int a = 0, b = 1;
    if (fabs(m[0][2]) > fabs(m[a][b])) a = 0, b = 2;
    if (fabs(m[1][2]) > fabs(m[a][b])) a = 1, b = 2;
    if (!(fabs(m[a][b]) > 1e-15 * (fabs(m[0][0]) + fabs(m[1][1]) + fabs(m[2][2])))) break;
    double angle = 0.5 * atan2(2 * m[a][b], m[a][a] - m[b][b]), c = cos(angle), s = sin(angle), axis[3] = {0};
    for (int k = 0; k < 3; k++) {
      double at_a = m[k][a], at_b = m[k][b];
      m[k][a] = c * at_a + s * at_b;
      m[k][b] = c * at_b - s * at_a;
    }
    for (int k = 0; k < 3; k++) {
      double at_a = m[a][k], at_b = m[b][k];
      m[a][k] = c * at_a + s * at_b;
      m[b][k] = c * at_b - s * at_a;
    }
    axis[3 - a - b] = b - a == 1 ? angle : -angle; /* x to y, y to z, but z to x */
    q = quat_multiply(q, quat_exp(vec3(axis[0], axis[1], axis[2])));
  }
  return quat_normalise(q);
}

scr_mass scr_mass_of(const scr_moments *solid, double mass)
{
  double second[3][3], density = mass / solid->volume;
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) second[a][b] = solid->second[a][b];
  scr_mass made = {.mass = mass, .centre = solid->centre, .axes = principal_axes(second)};
  double xx = second[0][0] * density, yy = second[1][1] * density, zz = second[2][2] * density;
  made.moments = vec3(yy + zz, zz + xx, xx + yy);
  return made;
}

scr_mass scr_free_mass(const scr_obstacle *obstacle, scr_quat rotation)
{
  const scr_flight *given = &obstacle->free;
  scr_moments m = moments_of(obstacle);
  double kilograms = isnan(given->mass) ? given->density * m.volume : given->mass;
  scr_mass mass = {.mass = kilograms, .moments = given->inertia, .axes = rotation};
  if (isnan(given->inertia.x)) {
    mass = scr_mass_of(&m, kilograms);
    mass.axes = quat_normalise(quat_multiply(rotation, mass.axes));
  }
  mass.centre = quat_rotate(rotation, m.centre);
  return mass;
}
