/* Gauss points of the hexahedron. */
#include "methods/fem/element/hex.h"

#include <math.h>

void fem_hex_prepare(const double corner[FEM_CORNERS][3], fem_hex *hex)
{
  const double centre[3] = {0, 0, 0}, at = 1 / sqrt(3.0);
  double jacobian[3][3], middle[3][3], inverse[3][3], local[FEM_CORNERS][3];
  geo_hex_jacobian(corner, centre, jacobian);
  double volume = geo_hex_invert(jacobian, middle);
  hex->volume = 0;
  for (int g = 0; g < FEM_GAUSS; g++) {
    fem_gauss *point = &hex->gauss[g];
    const double *s = geo_hex_sign[g], xi[3] = {at * s[0], at * s[1], at * s[2]};
    geo_hex_jacobian(corner, xi, jacobian);
    geo_hex_slope(xi, local);
    point->weight = geo_hex_invert(jacobian, inverse);
    hex->volume += point->weight;
    for (int i = 0; i < 3; i++) {
      for (int a = 0; a < FEM_CORNERS; a++)
        point->gradient[a][i] = inverse[0][i] * local[a][0] + inverse[1][i] * local[a][1] + inverse[2][i] * local[a][2];
      for (int k = 0; k < FEM_MODES; k++) point->gradient[FEM_CORNERS + k][i] = volume / point->weight * xi[k] * middle[k][i];
    }
  }
}

void fem_hex_mass(const fem_hex *hex, double mass[FEM_CORNERS][FEM_CORNERS])
{
  const double at = 1 / sqrt(3.0);
  for (int a = 0; a < FEM_CORNERS; a++)
    for (int b = 0; b < FEM_CORNERS; b++) mass[a][b] = 0;
  for (int g = 0; g < FEM_GAUSS; g++) {
    const double *s = geo_hex_sign[g], xi[3] = {at * s[0], at * s[1], at * s[2]};
    double shape[FEM_CORNERS];
    geo_hex_shape(xi, shape);
    for (int a = 0; a < FEM_CORNERS; a++)
      for (int b = 0; b < FEM_CORNERS; b++) mass[a][b] += hex->gauss[g].weight * shape[a] * shape[b];
  }
}
