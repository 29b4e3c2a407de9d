/* Shape functions and Jacobians of the hexahedron. */
#include "methods/fem/element/hex.h"

#include <math.h>

const double fem_corner_sign[FEM_CORNERS][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                                {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
const uint8_t fem_face_corner[FEM_FACES][4] = {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}};

void fem_hex_shape(const double xi[3], double shape[FEM_CORNERS])
{
  for (int a = 0; a < FEM_CORNERS; a++) {
    const double *s = fem_corner_sign[a];
    shape[a] = 0.125 * (1 + s[0] * xi[0]) * (1 + s[1] * xi[1]) * (1 + s[2] * xi[2]);
  }
}

/* dN_a/dxi */
static void local_gradient(const double xi[3], double gradient[FEM_CORNERS][3])
{
  for (int a = 0; a < FEM_CORNERS; a++) {
    const double *s = fem_corner_sign[a], f[3] = {1 + s[0] * xi[0], 1 + s[1] * xi[1], 1 + s[2] * xi[2]};
    gradient[a][0] = 0.125 * s[0] * f[1] * f[2];
    gradient[a][1] = 0.125 * f[0] * s[1] * f[2];
    gradient[a][2] = 0.125 * f[0] * f[1] * s[2];
  }
}

/* J = dX/dxi at xi, row-major. */
static void jacobian_at(const double corner[FEM_CORNERS][3], const double xi[3], double jacobian[3][3])
{
  double gradient[FEM_CORNERS][3];
  local_gradient(xi, gradient);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      jacobian[i][j] = 0;
      for (int a = 0; a < FEM_CORNERS; a++) jacobian[i][j] += corner[a][i] * gradient[a][j];
    }
}

/* J^-1 and det J. */
static double invert(double m[3][3], double inverse[3][3])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      inverse[j][i] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
    }
  double determinant = m[0][0] * inverse[0][0] + m[0][1] * inverse[1][0] + m[0][2] * inverse[2][0];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) inverse[i][j] /= determinant;
  return determinant;
}

void fem_hex_prepare(const double corner[FEM_CORNERS][3], fem_hex *hex)
{
  const double centre[3] = {0, 0, 0}, at = 1 / sqrt(3.0);
  double jacobian[3][3], middle[3][3], inverse[3][3], local[FEM_CORNERS][3];
  jacobian_at(corner, centre, jacobian);
  double volume = invert(jacobian, middle);
  hex->volume = 0;
  for (int g = 0; g < FEM_GAUSS; g++) {
    fem_gauss *point = &hex->gauss[g];
    const double *s = fem_corner_sign[g], xi[3] = {at * s[0], at * s[1], at * s[2]};
    jacobian_at(corner, xi, jacobian);
    local_gradient(xi, local);
    point->weight = invert(jacobian, inverse);
    hex->volume += point->weight;
    for (int i = 0; i < 3; i++) {
      for (int a = 0; a < FEM_CORNERS; a++)
        point->gradient[a][i] = inverse[0][i] * local[a][0] + inverse[1][i] * local[a][1] + inverse[2][i] * local[a][2];
      for (int k = 0; k < FEM_MODES; k++) point->gradient[FEM_CORNERS + k][i] = volume / point->weight * xi[k] * middle[k][i];
    }
  }
}

double fem_hex_least_jacobian(const double corner[FEM_CORNERS][3])
{
  const double at[2] = {1 / sqrt(3.0), 1};
  double least = INFINITY, most = 0, jacobian[3][3], inverse[3][3];
  for (int k = 0; k < 2; k++)
    for (int g = 0; g < FEM_CORNERS; g++) {
      const double *s = fem_corner_sign[g], xi[3] = {at[k] * s[0], at[k] * s[1], at[k] * s[2]};
      jacobian_at(corner, xi, jacobian);
      double determinant = invert(jacobian, inverse);
      least = fmin(least, determinant);
      most = fmax(most, fabs(determinant));
      if (isnan(determinant)) return -1;
    }
  return most > 0 ? least / most : 0;
}

void fem_hex_mass(const fem_hex *hex, double mass[FEM_CORNERS][FEM_CORNERS])
{
  const double at = 1 / sqrt(3.0);
  for (int a = 0; a < FEM_CORNERS; a++)
    for (int b = 0; b < FEM_CORNERS; b++) mass[a][b] = 0;
  for (int g = 0; g < FEM_GAUSS; g++) {
    const double *s = fem_corner_sign[g], xi[3] = {at * s[0], at * s[1], at * s[2]};
    double shape[FEM_CORNERS];
    fem_hex_shape(xi, shape);
    for (int a = 0; a < FEM_CORNERS; a++)
      for (int b = 0; b < FEM_CORNERS; b++) mass[a][b] += hex->gauss[g].weight * shape[a] * shape[b];
  }
}
