/* Strengths of a specimen's bonds: as the material gives them, or scaled so that an edge crack shows the material's toughness at every
 * resolution.
 *
 *  A bond of section S pulled to its strength sigma stores S l0 sigma^2/(2E). Through a plane of unit area go N <|l0 . n|> bonds, N of them
 *  per volume; averaged over all directions n of the plane that is N l0/2. Breaking them all takes
 *      Gc = N l0^2 S sigma^2/(4E),   hence   sigma = sqrt(8/(pi q)) sqrt(E Gc/r),   q = N l0^2 times the sphere's diameter.
 *  In the close packing q is 6 sqrt(2) and the factor 0.548. It is how peridynamics finds its critical stretch.
 *
 *  A crack that runs through the packing does not take that: a part of the stress that breaks its tip's bonds is bending, the lattice holds
 *  the crack until they reach their strength, and not all of them break alike. What it takes follows from the load that plates with edge
 *  cracks bear (validate_bdem_lefm.c): K^2 = R E Gc, with E of the body along the pull. The table has R, the strength is less by its root.
 *  */
#include "methods/bdem/bonds/strength.h"

static const double pi = 3.14159265358979323846;

/* R of cracks across a pull along x, y, z, for spheres small against the crack: the mean of roots over both directions in which such a
 * crack can run, which lie 4 % (x), 5 % (y), 10 % (z) to either side. Random packings: two of them, 0.73 and 1.18. */
static const double crack_toughness[][3] = {[BDEM_PACKING_HEXAGONAL_CLOSE] = {1.62, 0.80, 0.81},
                                            [BDEM_PACKING_BODY_CENTRED] = {2.5, 2.5, 2.5},
                                            [BDEM_PACKING_RANDOM_CLOSE] = {1, 1, 1}};

double bdem_cutting_strength(int packing, double young_modulus, double fracture_energy, double radius)
{
  static const double bonds[] = {[BDEM_PACKING_HEXAGONAL_CLOSE] = 8.48528137423857, /* 6 bonds in a volume of 4 sqrt(2) r^3 */
                                 [BDEM_PACKING_BODY_CENTRED] = 5.19615242270663,    /* 4 in 32 r^3/(3 sqrt(3)) */
                                 [BDEM_PACKING_RANDOM_CLOSE] = 5.23};               /* counted in five cells: 5.20 to 5.25 */
  return sqrt(8.0 / (pi * bonds[packing]) * young_modulus * fracture_energy / radius);
}

double bdem_energy_strength(int packing, scr_vec3 pull, double young_modulus, double fracture_energy, double radius)
{
  const double along[3] = {pull.x * pull.x, pull.y * pull.y, pull.z * pull.z};
  double root = 0, sum = along[0] + along[1] + along[2];
  for (int a = 0; a < 3; ++a) root += (sum > 0.5 ? along[a] : 1.0 / 3.0) * sqrt(crack_toughness[packing][a]);
  return bdem_cutting_strength(packing, young_modulus, fracture_energy, radius) / root;
}

/* The shear strength keeps the ratio to the tensile strength that the material gives, 1 when it gives none. */
static double shear_ratio(const bdem_material *material)
{
  double ratio = material->shear_strength / material->tensile_strength;
  return isnan(ratio) ? 1.0 : ratio;
}

static double given(double strength)
{
  return isnan(strength) ? (double)INFINITY : strength;
}

bool bdem_strength_is_generated(const bdem_options *options, const bdem_material *material, bool packed)
{
  bool strong = !isnan(material->tensile_strength) || !isnan(material->shear_strength);
  if (!options->breakable || isnan(material->fracture_energy)) return false;
  return options->strength == BDEM_STRENGTH_ENERGY_SCALED || (packed && !strong);
}

bdem_strengths bdem_bond_strengths(const bdem_options *options, const bdem_material *material, bool made, int packing, scr_vec3 pull,
                                   double young_modulus, double radius)
{
  if (!options->breakable) return (bdem_strengths){INFINITY, INFINITY};
  if (!made) return (bdem_strengths){given(material->tensile_strength), given(material->shear_strength)};
  double tensile = bdem_energy_strength(packing, pull, young_modulus, material->fracture_energy, radius);
  return (bdem_strengths){tensile, tensile * shear_ratio(material)};
}
