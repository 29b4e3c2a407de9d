/** Symmetric sums of products of vectors over contacts: stresses, and the fabric tensor, the mean of n (x) n over contacts' normals n,
 *  whose trace is 1 and whose deviation from 1/3 tells which way contacts face (Oda 1982). Six numbers xx, yy, zz, xy, yz, zx. */
#ifndef SCREE_SIM_FABRIC_H
#define SCREE_SIM_FABRIC_H

#include "base/vec3.h"

/** sum += the symmetric part of a (x) b */
static inline void fabric_add(double sum[6], scr_vec3 a, scr_vec3 b)
{
  sum[0] += a.x * b.x, sum[1] += a.y * b.y, sum[2] += a.z * b.z;
  sum[3] += 0.5 * (a.x * b.y + a.y * b.x), sum[4] += 0.5 * (a.y * b.z + a.z * b.y), sum[5] += 0.5 * (a.z * b.x + a.x * b.z);
}

/** The six curves of a fabric tensor, in that order, in a method's list of curves. */
#define SIM_FABRIC_CURVES                                                                                                                  \
  {"fabric.xx", "1", "Mean of the normals' squares of contacts that carry a force, xx"},                                                   \
      {"fabric.yy", "1", "Mean of the normals' squares, yy"}, {"fabric.zz", "1", "Mean of the normals' squares, zz"},                      \
      {"fabric.xy", "1", "Mean of the normals' products, xy"}, {"fabric.yz", "1", "Mean of the normals' products, yz"},                    \
  {                                                                                                                                        \
    "fabric.zx", "1", "Mean of the normals' products, zx"                                                                                  \
  }

#endif
