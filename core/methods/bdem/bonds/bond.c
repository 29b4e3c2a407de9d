/** A bond's constants, energies and stresses. The force is inline in bond.h, the Hessian in bond_hessian.c. */
#include "methods/bdem/bonds/bond.h"

static const double pi = 3.14159265358979323846;

bdem_bond bdem_bond_make(const bdem_elasticity *elasticity, double radius, scr_vec3 axis)
{
  double length = vec3_length(axis), area = pi * radius * radius, inertia = 0.25 * area * radius * radius;
  double shear_modulus = elasticity->young_modulus / (2.0 * (1.0 + elasticity->poisson_ratio));
  double factor = elasticity->calibration == BDEM_CALIBRATION_PAPER ? 1.0 : 4.0;
  double shear = shear_modulus * area * length;
  scr_vec3 d0 = vec3_scale(axis, 1.0 / length);
  if (elasticity->shear == BDEM_SHEAR_EXACT) shear = 1.0 / (1.0 / shear + length / (12.0 * elasticity->young_modulus * inertia));
  return (bdem_bond){.direction = {d0.x, d0.y, d0.z},
                     .length = length,
                     .stretch = elasticity->young_modulus * area / length,
                     .shear = shear,
                     .bend = factor * elasticity->young_modulus * inertia / length,
                     .twist = factor * shear_modulus * 2.0 * inertia / length};
}

bdem_section bdem_section_make(bdem_calibration calibration, double radius, double tensile_strength, double shear_strength)
{
  double area = pi * radius * radius, inertia = 0.25 * area * radius * radius;
  double moment = calibration == BDEM_CALIBRATION_PAPER ? 1.0 : 0.5; /* 4 K u halved: 2 K sin(phi/2); paper: K sin(phi/2) */
  return (bdem_section){.area_inverse = 1.0 / area,
                        .bend_stress = moment * radius / inertia,
                        .twist_stress = moment * radius / (2.0 * inertia),
                        .tensile_strength = tensile_strength,
                        .shear_strength = shear_strength};
}

/* Direction of the rest axis turned by the mean of both orientations. */
static scr_vec3 mean_axis(const bdem_bond *bond, scr_quat qi, scr_quat qj)
{
  double s = quat_dot(qi, qj) < 0.0 ? -1.0 : 1.0;
  scr_quat c = quat_normalise(quat_add(qi, quat_scale(qj, s)));
  return quat_rotate(c, vec3(bond->direction[0], bond->direction[1], bond->direction[2]));
}

static double shear_angle(const bdem_bond *bond, scr_vec3 e, scr_quat qi, scr_quat qj)
{
  scr_vec3 d = mean_axis(bond, qi, qj), n = vec3_scale(e, 1.0 / vec3_length(e));
  double x = vec3_dot(n, d), y = vec3_length(vec3_cross(n, d));
  return y > 0.0 ? -bdem_shear_slope(x, y) * y : atan2(y, x);
}

bdem_bond_energy bdem_bond_energy_of(const bdem_bond *bond, scr_vec3 e, scr_quat qi, scr_quat qj)
{
  double extension = vec3_length(e) - bond->length, theta = shear_angle(bond, e, qi, qj);
  scr_vec3 u = quat_vector(quat_multiply(quat_conjugate(qj), qi));
  double along = u.x * bond->direction[0] + u.y * bond->direction[1] + u.z * bond->direction[2];
  return (bdem_bond_energy){.stretch = 0.5 * bond->stretch * extension * extension,
                            .shear = 0.5 * bond->shear * theta * theta,
                            .bend_twist = 0.5 * (bond->bend * vec3_dot(u, u) + (bond->twist - bond->bend) * along * along)};
}

bdem_bond_stress bdem_bond_stress_of(const bdem_bond *bond, const bdem_section *section, scr_vec3 e, scr_quat qi, scr_quat qj)
{
  double length = vec3_length(e), theta = shear_angle(bond, e, qi, qj);
  scr_vec3 u = quat_vector(quat_multiply(quat_conjugate(qj), qi));
  scr_vec3 d0 = vec3(bond->direction[0], bond->direction[1], bond->direction[2]);
  double along = vec3_dot(u, d0), across = vec3_length(vec3_sub(u, vec3_scale(d0, along)));
  return (bdem_bond_stress){
      .tension = bond->stretch * (length - bond->length) * section->area_inverse + bond->bend * across * section->bend_stress,
      .shear = bond->shear * theta / length * section->area_inverse + bond->twist * fabs(along) * section->twist_stress};
}
