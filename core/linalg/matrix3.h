/** 3 x 3 matrices by value, for rotations and gradients. */
#ifndef SCREE_LINALG_MATRIX3_H
#define SCREE_LINALG_MATRIX3_H

#include "base/quat.h"

typedef struct scr_matrix3 {
  double m[3][3]; /**< rows */
} scr_matrix3;

static inline scr_matrix3 matrix_identity(void)
{
  return (scr_matrix3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

/** R(q) of a unit q. */
static inline scr_matrix3 matrix_of(scr_quat q)
{
  return (scr_matrix3){{{1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y)},
                        {2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x)},
                        {2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)}}};
}

static inline scr_vec3 matrix_times(const scr_matrix3 *a, scr_vec3 v)
{
  return vec3(a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z, a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
              a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z);
}

/** A^T v */
static inline scr_vec3 matrix_transposed_times(const scr_matrix3 *a, scr_vec3 v)
{
  return vec3(a->m[0][0] * v.x + a->m[1][0] * v.y + a->m[2][0] * v.z, a->m[0][1] * v.x + a->m[1][1] * v.y + a->m[2][1] * v.z,
              a->m[0][2] * v.x + a->m[1][2] * v.y + a->m[2][2] * v.z);
}

static inline double matrix_determinant(const scr_matrix3 *a)
{
  return a->m[0][0] * (a->m[1][1] * a->m[2][2] - a->m[1][2] * a->m[2][1]) -
         a->m[0][1] * (a->m[1][0] * a->m[2][2] - a->m[1][2] * a->m[2][0]) +
         a->m[0][2] * (a->m[1][0] * a->m[2][1] - a->m[1][1] * a->m[2][0]);
}

/** The matrix of cofactors C: A^-1 = C^T / det A, A^-T = C / det A. */
static inline scr_matrix3 matrix_cofactors(const scr_matrix3 *a)
{
  scr_matrix3 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;
      c.m[i][j] = a->m[p][r] * a->m[q][s] - a->m[p][s] * a->m[q][r];
    }
  return c;
}

#endif
