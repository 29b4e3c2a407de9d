/** Four elements at a time: energy and forces where nothing folds, which is what a step asks for most.
 *
 *  Numbers of four elements lie side by side in vectors that any processor's compiler splits into what it has, lane by lane: what an
 * element gets depends neither on the processor nor on the elements beside it. The formulas are those of element.h, but that stresses of
 * the last iteration of the modes serve the corners too, and that the modes' Hessian is put together from t_k = F^-T G_k,
 *
 *      d2W/d alpha_ki d alpha_lj = sum_g w (mu G_k.G_l delta_ij + (mu - lambda ln J) t_li t_kj + lambda t_ki t_lj)
 *
 *  (of the linear law F = 1, ln J = 0). An element that folds, whose modes' energy is not convex or is braced (bracing.h), or whose modes
 *  need steps shorter than Newton's, is left to fem_element_evaluate.
 *
 *  An element takes 2.2 KB of geometry and, with modes, some 13,000 operations, in a third of the time that registers of 32 bytes need at
 * best: they hold a quarter of a Gauss point's numbers. */
#ifndef SCREE_METHODS_FEM_BATCH_H
#define SCREE_METHODS_FEM_BATCH_H

#include "methods/fem/element/element.h"

enum { FEM_LANES = 4, FEM_MODE_PAIRS = FEM_MODES * (FEM_MODES + 1) / 2 };

/** A number of each element of a batch. */
typedef double fem_lanes __attribute__((vector_size(FEM_LANES * sizeof(double))));

/** Elements of one law and formulation, at rest. */
typedef struct fem_batch {
  uint32_t count;                                  /**< 1 ... FEM_LANES; lanes beyond hold the last element again */
  uint32_t hex[FEM_LANES];                         /**< numbers of the elements */
  fem_law law;                                     /**< of all */
  fem_formulation formulation;                     /**< of all */
  fem_lanes mu, lambda;                            /**< Pa */
  fem_lanes weight[FEM_GAUSS];                     /**< m^3 */
  fem_lanes gradient[FEM_GAUSS][FEM_FUNCTIONS][3]; /**< 1/m */
  fem_lanes volume;                                /**< m^3 */
  fem_lanes rounding, spare;                       /**< N, J: fem_mode_rounding and fem_mode_spare of each */
  fem_lanes gram[FEM_MODE_PAIRS];                  /**< m: sum_g w G_k.G_l of the modes' gradients, l = 0 .. k for k = 0 .. 2 */
} fem_batch;

/** What a batch is evaluated at, and what comes of it. */
typedef struct fem_batch_values {
  fem_lanes displacement[FEM_ELEMENT_UNKNOWNS]; /**< m, of the corners */
  fem_lanes mode[FEM_MODE_UNKNOWNS];            /**< m: where the modes start, then the solution; of plain elements untouched */
  fem_lanes energy;                             /**< J */
  fem_lanes gradient[FEM_ELEMENT_UNKNOWNS];     /**< dW/du, N */
} fem_batch_values;

/** Whether elements of this kind can be in a batch. */
bool fem_batch_takes(fem_formulation formulation);

/** Fills a batch, but for `hex`, from its elements. @param shape, constitutive [FEM_LANES] each, of one law and formulation */
void fem_batch_prepare(const fem_hex *const *shape, const fem_constitutive *const *constitutive, uint32_t count, fem_batch *batch);

/** What a stiffness is multiplied by, and what comes of it. */
typedef struct fem_batch_product {
  fem_lanes displacement[FEM_ELEMENT_UNKNOWNS]; /**< m, of the corners: where the elements are */
  fem_lanes mode[FEM_MODE_UNKNOWNS];            /**< m, in equilibrium there */
  fem_lanes x[FEM_ELEMENT_UNKNOWNS];            /**< of the corners */
  fem_lanes y[FEM_ELEMENT_UNKNOWNS];            /**< d2W/du2 x, N/m times the unit of x */
} fem_batch_product;

/** @return bit l set: values of lane l are good; else they mean nothing, and the element is to be evaluated by itself */
unsigned fem_batch_evaluate(const fem_batch *batch, fem_batch_values *values);

/** The stiffness of every element times a vector, modes condensed, without putting it together.  @return as fem_batch_evaluate */
unsigned fem_batch_multiply(const fem_batch *batch, fem_batch_product *product);

#endif
