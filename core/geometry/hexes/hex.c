/* Shape functions and Jacobians of the hexahedron. */
#include "geometry/hexes/hex.h"

#include <math.h>

const double geo_hex_sign[GEO_HEX_CORNERS][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                                 {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
const uint8_t geo_hex_face[GEO_HEX_FACES][4] = {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}};

void geo_hex_shape(const double xi[3], double shape[GEO_HEX_CORNERS])
{
  for (int a = 0; a < GEO_HEX_CORNERS; a++) {
    const double *s = geo_hex_sign[a];
    shape[a] = 0.125 * (1 + s[0] * xi[0]) * (1 + s[1] * xi[1]) * (1 + s[2] * xi[2]);
  }
}

void geo_hex_slope(const double xi[3], double slope[GEO_HEX_CORNERS][3])
{
  for (int a = 0; a < GEO_HEX_CORNERS; a++) {
    const double *s = geo_hex_sign[a], f[3] = {1 + s[0] * xi[0], 1 + s[1] * xi[1], 1 + s[2] * xi[2]};
    slope[a][0] = 0.125 * s[0] * f[1] * f[2];
    slope[a][1] = 0.125 * f[0] * s[1] * f[2];
    slope[a][2] = 0.125 * f[0] * f[1] * s[2];
  }
}

void geo_hex_jacobian(const double corner[GEO_HEX_CORNERS][3], const double xi[3], double jacobian[3][3])
{
  double slope[GEO_HEX_CORNERS][3];
  geo_hex_slope(xi, slope);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      jacobian[i][j] = 0;
      for (int a = 0; a < GEO_HEX_CORNERS; a++) jacobian[i][j] += corner[a][i] * slope[a][j];
    }
}

double geo_hex_invert(double m[3][3], double inverse[3][3])
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

double geo_hex_least_jacobian(const double corner[GEO_HEX_CORNERS][3])
{
  const double at[2] = {1 / sqrt(3.0), 1};
  double least = INFINITY, most = 0, jacobian[3][3], inverse[3][3];
  for (int k = 0; k < 2; k++)
    for (int g = 0; g < GEO_HEX_CORNERS; g++) {
      const double *s = geo_hex_sign[g], xi[3] = {at[k] * s[0], at[k] * s[1], at[k] * s[2]};
      geo_hex_jacobian(corner, xi, jacobian);
      double determinant = geo_hex_invert(jacobian, inverse);
      least = fmin(least, determinant);
      most = fmax(most, fabs(determinant));
      if (isnan(determinant)) return -1;
    }
  return most > 0 ? least / most : 0;
}

double geo_hex_scaled_jacobian(const double corner[GEO_HEX_CORNERS][3])
{
  double least = 1;
  for (int g = 0; g < GEO_HEX_CORNERS; g++) {
    double jacobian[3][3], inverse[3][3], lengths = 1;
    geo_hex_jacobian(corner, geo_hex_sign[g], jacobian); /* at a corner its columns are half the edges */
    for (int j = 0; j < 3; j++)
      lengths *= sqrt(jacobian[0][j] * jacobian[0][j] + jacobian[1][j] * jacobian[1][j] + jacobian[2][j] * jacobian[2][j]);
    double determinant = geo_hex_invert(jacobian, inverse);
    if (!(lengths > 0) || isnan(determinant)) return -1;
    least = fmin(least, determinant / lengths);
  }
  return least;
}

double geo_hex_volume(const double corner[GEO_HEX_CORNERS][3])
{
  double volume = 0;
  for (int g = 0; g < GEO_HEX_CORNERS; g++) {
    const double at = 1 / sqrt(3.0), *s = geo_hex_sign[g], xi[3] = {at * s[0], at * s[1], at * s[2]};
    double jacobian[3][3], inverse[3][3];
    geo_hex_jacobian(corner, xi, jacobian);
    volume += geo_hex_invert(jacobian, inverse);
  }
  return volume;
}

double geo_hex_locate(const double corner[GEO_HEX_CORNERS][3], const double point[3], double xi[3])
{
  xi[0] = xi[1] = xi[2] = 0;
  for (int k = 0; k < 25; k++) {
    double off[3], jacobian[3][3], inverse[3][3], shape[GEO_HEX_CORNERS], change = 0;
    geo_hex_shape(xi, shape);
    geo_hex_jacobian(corner, xi, jacobian);
    (void)geo_hex_invert(jacobian, inverse);
    for (int i = 0; i < 3; i++) {
      off[i] = -point[i];
      for (int a = 0; a < GEO_HEX_CORNERS; a++) off[i] += shape[a] * corner[a][i];
    }
    for (int j = 0; j < 3; j++) {
      double step = inverse[j][0] * off[0] + inverse[j][1] * off[1] + inverse[j][2] * off[2];
      xi[j] -= step;
      change = fmax(change, fabs(step));
      if (isnan(step)) return INFINITY;
    }
    if (!(change < 1e3)) return INFINITY;
    if (change < 1e-13) break;
  }
  double outside = -1;
  for (int j = 0; j < 3; j++) outside = fmax(outside, fabs(xi[j]) - 1);
  return outside;
}
