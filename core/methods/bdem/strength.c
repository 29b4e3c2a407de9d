/* Strengths of a specimen's bonds: as the material gives them, or scaled so that a crack takes the material's fracture energy at every
 * resolution.
 *
 *  A bond of section S pulled to its strength sigma stores S l0 sigma^2/(2E). Through a plane of unit area go N <|l0 . n|> bonds, N of them
 *  per volume; averaged over all directions n of the plane that is N l0/2. Breaking them all takes
 *      Gc = N l0^2 S sigma^2/(4E),   hence   sigma = sqrt(8/(pi q)) sqrt(E Gc/r),   q = N l0^2 times the sphere's diameter.
 *  In the close packing q is 6 sqrt(2) and the factor 0.548; planes across its close-packed rows take exactly Gc, those between its layers
 *  0.816 Gc, those across y 0.962 Gc. It is how peridynamics finds its critical stretch. What is not in it: the part of a bond's stress that
 *  is bending stores a quarter of the energy, and what the lattice sends away as waves when a bond snaps comes on top; README.md says how
 *  much was measured. */
#include "methods/bdem/state.h"

static const double pi = 3.14159265358979323846;

double bdem_energy_strength(int packing, double young_modulus, double fracture_energy, double radius)
{
  static const double bonds[] = {[SCR_PACKING_HEXAGONAL_CLOSE] = 8.48528137423857, /* 6 bonds in a volume of 4 sqrt(2) r^3 */
                                 [SCR_PACKING_BODY_CENTRED] = 5.19615242270663,    /* 4 in 32 r^3/(3 sqrt(3)) */
                                 [SCR_PACKING_RANDOM_CLOSE] = 5.23};               /* counted in five cells: 5.20 to 5.25 */
  return sqrt(8.0 / (pi * bonds[packing]) * young_modulus * fracture_energy / radius);
}

/* The shear strength keeps the ratio to the tensile strength that the material gives, 1 when it gives none. */
static double shear_ratio(const scr_material *material)
{
  double ratio = material->shear_strength / material->tensile_strength;
  return isnan(ratio) ? 1.0 : ratio;
}

static double given(double strength)
{
  return isnan(strength) ? (double)INFINITY : strength;
}

void bdem_bond_strengths(const bdem_options *options, const scr_material *material, int packing, double young_modulus, double radius,
                         double *tensile, double *shear)
{
  *tensile = *shear = INFINITY;
  if (!options->breakable) return;
  if (options->strength == BDEM_STRENGTH_ENERGY_SCALED) {
    if (isnan(material->fracture_energy)) return;
    *tensile = bdem_energy_strength(packing, young_modulus, material->fracture_energy, radius);
    *shear = *tensile * shear_ratio(material);
    return;
  }
  *tensile = given(material->tensile_strength);
  *shear = given(material->shear_strength);
}
