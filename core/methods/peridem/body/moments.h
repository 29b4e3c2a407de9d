/** Weighted volumes of nodes, by which bonds near a surface are corrected and Poisson's ratio becomes free.
 *
 *      m_i = sum_j phi_ij L_ij V,     phi = w(L) / w(0) times the part of the far cell that counts
 *
 *  In the whole space and with the constant law m = pi eps^4. Volume correction (Le, Bobaru 2018 compare the kinds): the bond's constant c
 *  phi becomes
 *
 *      phi (9 k) (1 / m_i + 1 / m_j),      so that a uniform expansion s stores 9 k s^2 / 2 at a node all of whose neighbours have its m
 *
 *  Ordinary state-based elasticity (Silling et al. 2007, linear peridynamic solid with the influence function phi / L):
 *
 *      theta_i = (3 / m_i) sum_j phi L s V        f_ij = V^2 [ phi (A_i + A_j) + 15 G phi (1 / m_i + 1 / m_j) s ],   A = 3 (k - 5 G / 3)
 *      theta / m E = sum_i (k - 5 G / 3) theta_i^2 V / 2  +  sum over bonds 15 G phi (1 / m_i + 1 / m_j) s^2 L V^2 / 2
 *
 *  The second term is that of bonds with a weight; the first is added by host/dilatation.c. Where nu = 1/4, k = 5 G / 3: nothing is added,
 *  and 15 G is 9 k, so that both laws are the same. m stays that of the unbroken body. */
#ifndef SCREE_PERIDEM_MOMENTS_H
#define SCREE_PERIDEM_MOMENTS_H

#include "methods/peridem/body/body.h"

/** Whether a scene's bodies need them. */
bool pd_uses_moments(const pd_options *options);

/** From rows whose weights are phi: sets body->moment and the corrected weights, which are those of the body's micromodulus. The body's
 *  modulus_rate must be set.
 *  @param worst receives the largest row sum that bounds the step, as pd_step_bound_bond wants it, N/m^4
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status pd_moments_apply(pd_body *body, double *worst, scr_error *error);

/** phi of a bond from its weight. */
static inline double pd_bond_share(const pd_body *body, double weight, size_t i, size_t j)
{
  return weight * body->micromodulus / (body->modulus_rate * (1 / body->moment[i] + 1 / body->moment[j]));
}

#endif
