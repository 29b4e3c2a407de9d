/* Contacts as stiff as the bodies that touch. */
#include "methods/lsdem/contact/law.h"

#include "methods/lsdem/scene/options.h"

void lsdem_law_by_bodies(lsdem_law *law, lsdem_body a, lsdem_body b)
{
  const double strain = 2.5; /* b of the header */
  double linear = lsdem_automatic_stiffness(a, b);
  law->normal = linear;
  law->shear *= linear;
  law->damping *= linear;
  if (law->automatic == LSDEM_LINEAR || isnan(linear)) return;
  double modulus = 1 / (1 / a.modulus + 1 / b.modulus), radius = 1 / (1 / a.radius + 1 / b.radius);
  double modes = (a.strained ? 1 / (a.modulus * a.radius) : 0) + (b.strained ? 1 / (b.modulus * b.radius) : 0);
  law->root = modulus / (M_PI * sqrt(radius));
  law->knee = LSDEM_KNEE * radius;
  law->normal = strain * modulus * modulus * modes / M_PI;
}
