/* One lane of a batch, as a bond by itself. */
#include "methods/bdem/bonds/bond_batch.h"

bdem_bond_force batch_scalar_force(const batch_rest *rest, const batch_stiffness *k, int lane, const batch_state *near,
                                   const batch_state *far)
{
  bdem_bond bond = {.direction = {rest->direction[0][lane], rest->direction[1][lane], rest->direction[2][lane]},
                    .length = rest->length[lane],
                    .stretch = k->stretch[lane],
                    .shear = k->shear[lane],
                    .bend = 2.0 * k->bend[lane],
                    .twist = 2.0 * (k->bend[lane] + k->excess[lane])};
  return bdem_bond_force_of(&bond, vec3_sub(far->position, near->position), near->orientation, far->orientation);
}
