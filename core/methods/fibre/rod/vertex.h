/** Strains of one vertex of a rod and their derivatives, by the two edges e and f that meet there and their twist angles. */
#ifndef SCREE_FIBRE_VERTEX_H
#define SCREE_FIBRE_VERTEX_H

#include "methods/fibre/rod/rod.h"

/** Where the unknowns of a vertex stand: edge vectors e and f, then the angles. */
enum { VERTEX_E = 0, VERTEX_F = 3, VERTEX_ANGLE_E = 6, VERTEX_ANGLE_F = 7, VERTEX_UNKNOWNS = 8 };

typedef struct vertex_strains {
  double value[3];                                   /**< k1, k2, twist */
  double slope[3][VERTEX_UNKNOWNS];                  /**< first derivatives */
  double curve[3][VERTEX_UNKNOWNS][VERTEX_UNKNOWNS]; /**< second ones, where asked */
} vertex_strains;

/** @param second  second derivatives too */
void vertex_strain(const rod *r, const double *q, const rod_frames *frames, uint32_t vertex, bool second, vertex_strains *out);

#endif
