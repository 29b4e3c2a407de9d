/** Constants and stresses of a bond, energies of one and of many. The force is inline in bond.h, the Hessian in bond_hessian.c. */
#include "methods/bdem/body/body.h"

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

/* ── energies of many bonds ─────────────────────────────────────────────────────────────────────────────────────────
 * Eight at a time, in vectors that any processor's compiler splits into what it has, lane by lane, so that the bits depend on neither
 * processor nor threads. */

enum { LANES = 8, PIECES = 64 /* blocks of a sum */, FEW = 4096 /* bonds not worth a team of threads */ };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* Both ends and the constants of eight bonds; the last one is repeated where there are fewer. */
typedef struct batch {
  lanes e[3], qi[4], qj[4], direction[3], length, stretch, shear, bend, twist;
} batch;

static void gather(const bdem_body *body, size_t begin, size_t count, batch *to)
{
  for (size_t m = 0; m < LANES; ++m) {
    size_t b = begin + (m < count ? m : count - 1);
    uint32_t i = body->ends[b][0], j = body->ends[b][1];
    const bdem_bond *bond = &body->bonds[b];
    scr_vec3 xi = body->position[i], xj = body->position[j];
    scr_quat qi = body->orientation[i], qj = body->orientation[j];
    to->e[0][m] = xj.x - xi.x, to->e[1][m] = xj.y - xi.y, to->e[2][m] = xj.z - xi.z;
    to->qi[0][m] = qi.x, to->qi[1][m] = qi.y, to->qi[2][m] = qi.z, to->qi[3][m] = qi.w;
    to->qj[0][m] = qj.x, to->qj[1][m] = qj.y, to->qj[2][m] = qj.z, to->qj[3][m] = qj.w;
    for (int d = 0; d < 3; ++d) to->direction[d][m] = bond->direction[d];
    to->length[m] = bond->length, to->stretch[m] = bond->stretch, to->shear[m] = bond->shear;
    to->bend[m] = bond->bend, to->twist[m] = bond->twist;
  }
}

/* to = a x b */
static inline __attribute__((always_inline)) void cross(const lanes a[3], const lanes b[3], lanes to[3])
{
  to[0] = a[1] * b[2] - a[2] * b[1];
  to[1] = a[2] * b[0] - a[0] * b[2];
  to[2] = a[0] * b[1] - a[1] * b[0];
}

/* asin(y)^2 in t = y^2 <= 0.01: half the sum of (4 t)^n/(n^2 C(2n, n)); what is left out is below 1e-17 of it. */
static inline __attribute__((always_inline)) void angle_square(const lanes *square, lanes *to)
{
  lanes t = *square;
  lanes high = 128.0 / 2079.0 + t * (1024.0 / 21021.0 + t * (256.0 / 6435.0 + t * (32768.0 / 984555.0)));
  *to = t * (1.0 + t * (1.0 / 3.0 + t * (8.0 / 45.0 + t * (4.0 / 35.0 + t * (128.0 / 1575.0 + t * high)))));
}

/* Energies, J. `cosine` receives q_i . q_j, `usual` zero for bonds beyond the series: sheared by more than 0.1 rad, or with quaternions of
 * opposite sign. d = d0 + 2/|a|^2 (w (v x d0) + v x (v x d0)), v and w the parts of a = q_i + q_j, |a|^2 = 2 (1 + q_i . q_j). */
static void energies(const batch *b, lanes *energy, lanes *cosine, int64_t usual[LANES])
{
  lanes angle, sum[4], across[3], twice[3], d[3], normal[3], turn[3], u[3];
  *cosine = b->qi[0] * b->qj[0] + b->qi[1] * b->qj[1] + b->qi[2] * b->qj[2] + b->qi[3] * b->qj[3];
  for (int k = 0; k < 4; ++k) sum[k] = b->qi[k] + b->qj[k];
  cross(sum, b->direction, across);
  cross(sum, across, twice);
  for (int k = 0; k < 3; ++k) d[k] = b->direction[k] + (sum[3] * across[k] + twice[k]) / (1.0 + *cosine);
  cross(b->e, d, normal);
  lanes square = b->e[0] * b->e[0] + b->e[1] * b->e[1] + b->e[2] * b->e[2], along = b->e[0] * d[0] + b->e[1] * d[1] + b->e[2] * d[2];
  lanes t = (normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]) / square, extension = square;
  for (int m = 0; m < LANES; ++m) {
    extension[m] = sqrt(square[m]);
    usual[m] = t[m] <= 0.01 && along[m] > 0.0 && (*cosine)[m] > 0.0;
  }
  extension -= b->length;
  cross(b->qj, b->qi, turn);
  for (int k = 0; k < 3; ++k) u[k] = b->qj[3] * b->qi[k] - b->qi[3] * b->qj[k] - turn[k];
  lanes twist = u[0] * b->direction[0] + u[1] * b->direction[1] + u[2] * b->direction[2];
  lanes bend = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  angle_square(&t, &angle);
  *energy = 0.5 * (b->stretch * extension * extension + b->shear * angle + b->bend * bend + (b->twist - b->bend) * twist * twist);
}

static double scalar_energy(const bdem_body *body, size_t b)
{
  uint32_t i = body->ends[b][0], j = body->ends[b][1];
  bdem_bond_energy v =
      bdem_bond_energy_of(&body->bonds[b], vec3_sub(body->position[j], body->position[i]), body->orientation[i], body->orientation[j]);
  return v.stretch + v.shear + v.bend_twist;
}

typedef struct bond_terms {
  const bdem_body *body;
  const signed char *hemisphere;
} bond_terms;

static void add_energies(const void *user, size_t begin, size_t end, double *total)
{
  const bond_terms *of = user;
  const bdem_body *body = of->body;
  double sum = 0.0;
  for (size_t b = begin; b < end; b += LANES) {
    size_t count = end - b < LANES ? end - b : LANES;
    int64_t usual[LANES];
    batch ends;
    lanes energy, cosine;
    gather(body, b, count, &ends);
    energies(&ends, &energy, &cosine, usual);
    for (size_t m = 0; m < count; ++m) {
      if (of->hemisphere && !(of->hemisphere[b + m] * cosine[m] >= BDEM_LEAST_COSINE)) {
        *total = INFINITY;
        return;
      }
      sum += usual[m] ? energy[m] : scalar_energy(body, b + m);
    }
  }
  *total += sum;
}

double bdem_bonds_energy(const bdem_body *body, const signed char *hemisphere, scr_execution execution)
{
  const bond_terms of = {body, hemisphere};
  double total = 0.0;
  execution_sum(execution_if(body->bond_count > FEW, execution), body->bond_count, (body->bond_count / PIECES / LANES + 1) * LANES, 1,
                add_energies, &of, &total);
  return total;
}

double bdem_body_energy(const bdem_body *body)
{
  return bdem_bonds_energy(body, NULL, execution_of(1));
}
