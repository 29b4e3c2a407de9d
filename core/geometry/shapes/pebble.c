/* Radii of pebbles. */
#include "geometry/shapes/pebble.h"

#include "base/random.h"

/* Real spherical harmonics of mean square 1, all up to PEBBLE_DEGREE, by the stable recursions of the associated Legendre functions (Press
 * et al., Numerical Recipes, section 6.7): value[l^2 + l + m]. */
static void harmonics(scr_vec3 n, double value[PEBBLE_TERMS])
{
  double across = sqrt(n.x * n.x + n.y * n.y), c = across > 0 ? n.x / across : 1, s = across > 0 ? n.y / across : 0;
  double start = 1, cosine = 1, sine = 0; /* P_mm over its norm; cos and sin of m phi */
  for (int m = 0; m <= PEBBLE_DEGREE; m++) {
    double before = 0, now = start;
    for (int l = m; l <= PEBBLE_DEGREE; l++) {
      double both = m ? M_SQRT2 : 1;
      value[l * l + l + m] = both * now * cosine;
      if (m) value[l * l + l - m] = both * now * sine;
      double next = l + 1, a = sqrt((4 * next * next - 1) / (next * next - m * m)), last = l;
      double b = sqrt((last * last - m * m) / (4 * last * last - 1));
      double after = a * (n.z * now - (l > m ? b * before : 0));
      before = now;
      now = after;
    }
    double k = m + 1;
    start *= -across * sqrt((2 * k + 1) / (2 * k));
    double turned = cosine * c - sine * s;
    sine = sine * c + cosine * s;
    cosine = turned;
  }
}

double pebble_radius(const void *made, scr_vec3 n)
{
  const pebble *p = made;
  double sum = pow(fabs(n.x / p->half.x), p->power) + pow(fabs(n.y / p->half.y), p->power) + pow(fabs(n.z / p->half.z), p->power),
         rough = 1;
  double value[PEBBLE_TERMS];
  harmonics(n, value);
  for (int k = 0; k < PEBBLE_TERMS; k++) rough += p->factor[k] * value[k];
  return pow(sum, -1 / p->power) * fmax(rough, 0.4);
}

/* Direction k of an even spiral of n. */
static scr_vec3 spiral(int k, int n)
{
  double z = 1 - (2 * k + 1) / (double)n, angle = k * 2.399963229728653, across = sqrt(1 - z * z);
  return vec3(across * cos(angle), across * sin(angle), z);
}

/* Volume over the sphere's directions, integral of r^3/3, and the largest radius met, by an even spiral of points. */
static double volume_of(const pebble *p, double *largest)
{
  enum { POINTS = 4000 };
  double sum = 0;
  *largest = 0;
  for (int k = 0; k < POINTS; k++) {
    double r = pebble_radius(p, spiral(k, POINTS));
    sum += r * r * r;
    *largest = fmax(*largest, r);
  }
  return 4 * M_PI / 3 * sum / POINTS;
}

void pebble_measure(const pebble *made, shell_solid *solid)
{
  enum { POINTS = 20000 };
  *solid = (shell_solid){0};
  for (int k = 0; k < POINTS; k++) {
    scr_vec3 n = spiral(k, POINTS);
    double r = pebble_radius(made, n), share = 4 * M_PI / POINTS * r * r * r, along[3] = {n.x, n.y, n.z};
    solid->volume += share / 3;
    solid->centroid = vec3_add(solid->centroid, vec3_scale(n, share * r / 4));
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) solid->second[i][j] += share * r * r / 5 * along[i] * along[j];
  }
  solid->centroid = vec3_scale(solid->centroid, 1 / solid->volume);
  const double c[3] = {solid->centroid.x, solid->centroid.y, solid->centroid.z};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) solid->second[i][j] -= solid->volume * c[i] * c[j];
}

pebble pebble_make(double radius, double elongation, double flatness, double power, double roughness, uint64_t seed, uint64_t number)
{
  pebble p = {.half = vec3(radius, radius * elongation, radius * elongation * flatness), .power = power};
  uint64_t state = seed ^ (number + 1) * 0xa0761d6478bd642fULL;
  double square = 0, largest;
  for (int l = 3; l <= PEBBLE_DEGREE; l++)
    for (int m = -l; m <= l; m++) {
      double even = 2 * random_uniform(&state) - 1;
      p.factor[l * l + l + m] = even * pow(l, -1.5);
      square += p.factor[l * l + l + m] * p.factor[l * l + l + m];
    }
  for (int l = 3; l <= PEBBLE_DEGREE; l++)
    for (int m = -l; m <= l; m++) p.factor[l * l + l + m] *= roughness / sqrt(square);
  double scale = cbrt(4 * M_PI / 3 * pow(radius, 3) / volume_of(&p, &largest));
  p.half = vec3_scale(p.half, scale);
  p.reach = 1.05 * scale * largest; /* between the points it can be a little more */
  return p;
}
