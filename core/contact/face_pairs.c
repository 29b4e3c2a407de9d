#include "contact/face_pairs.h"

#include <math.h>

double contact_face_share(double cosine, double *slope)
{
  const double reach = CONTACT_FACING - CONTACT_OPPOSED;
  double x = (cosine - CONTACT_OPPOSED) / reach;
  *slope = 0;
  if (!(x > 0)) return 0;
  if (x >= 1) return 1;
  *slope = 6 * x * (1 - x) / reach;
  return x * x * (3 - 2 * x);
}

/* One pair of faces: its potential and what that and its weight depend on. */
typedef struct evaluated {
  scr_vec3 n;            /* (n_i - n_j) / size */
  double size;           /* |n_i - n_j| */
  double along, overlap; /* d.n, g, m */
  double face, slope;    /* f, f' */
  double stiffness;      /* K w h, N/m */
  double ahead;          /* dU_k/d(d.n) by h, N */
  double across;         /* - dU_k/d(t^2), N/m */
  double energy;         /* U_k */
  double square;         /* g+^2 + b^2 (1 - f), m^2 */
  double weight;         /* W */
} evaluated;

static evaluated evaluate(scr_vec3 d, scr_vec3 n_i, scr_vec3 n_j, const contact_face_pair *pair, double width)
{
  evaluated m;
  m.face = contact_face_share(-vec3_dot(n_i, n_j), &m.slope);
  scr_vec3 apart = vec3_sub(n_i, n_j);
  m.size = vec3_length(apart);
  m.n = vec3_scale(apart, 1 / m.size);
  m.along = vec3_dot(d, m.n);
  m.overlap = pair->zero - m.along;
  double touching = fmax(m.overlap, 0), share = fmax(0, 1 - fmax(0, vec3_dot(d, d) - m.along * m.along) / (width * width));
  double slope, ahead = contact_face_ahead(m.along, width / 3, &slope);
  m.stiffness = pair->stiffness * share * share * ahead;
  m.energy = 0.5 * m.stiffness * touching * touching;
  m.across = pair->stiffness * share * ahead * touching * touching / (width * width);
  m.ahead = 0.5 * pair->stiffness * share * share * slope * touching * touching;
  m.square = touching * touching + pair->depths * pair->depths * (1 - m.face);
  m.weight = 0;
  return m;
}

/* What a pair's derivatives take from all pairs together. */
typedef struct pairs_sum {
  double V;       /* sum of W U */
  double total;   /* sum of a */
  double others;  /* product of 1 - f of the other pairs */
  double central; /* U_c */
} pairs_sum;

/* Derivatives of S V + (1 - S) U_c by what the pair depends on, added up. */
static void add_pair(scr_vec3 d, scr_vec3 n_i, scr_vec3 n_j, const contact_face_pair *pair, const evaluated *m, const pairs_sum *sum,
                     contact_face_press *press)
{
  const double V = sum->V, total = sum->total, others = sum->others, central = sum->central;
  double S = press->share, P = S * m->weight, touching = fmax(m->overlap, 0), excess = S * (m->energy - V) / total;
  double by_overlap = -2 * excess * m->face * touching / (m->square * m->square);
  double by_face = excess * (1 / m->square + m->face * pair->depths * pair->depths / (m->square * m->square)) + (V - central) * others;
  double pressing = P * (m->stiffness * touching - m->ahead) + by_overlap, aside = 2 * P * m->across;
  scr_vec3 across = vec3_sub(d, vec3_scale(m->n, m->along));
  press->force = vec3_add(press->force, vec3_add(vec3_scale(m->n, pressing), vec3_scale(across, aside)));
  press->pressing = vec3_add(press->pressing, vec3_scale(m->n, pressing));
  press->stiffness += P * m->stiffness;
  scr_vec3 tilt = vec3_scale(across, (pressing - aside * m->along) / m->size);
  press->push_i[pair->i] = vec3_add(press->push_i[pair->i], vec3_add(tilt, vec3_scale(n_j, by_face * m->slope)));
  press->push_j[pair->j] = vec3_add(press->push_j[pair->j], vec3_sub(vec3_scale(n_i, by_face * m->slope), tilt));
  press->part_i[pair->i] += m->weight;
  press->part_j[pair->j] += m->weight;
}

bool contact_press_faces(scr_vec3 d, const scr_vec3 *n_i, const scr_vec3 *n_j, const contact_face_pair *pairs, size_t count, double width,
                         double central, contact_face_press *press)
{
  evaluated all[CONTACT_FACE_PAIRS];
  double left = 1, total = 0, V = 0;
  size_t parting = count;
  *press = (contact_face_press){0};
  for (size_t k = 0; k < count; k++) {
    all[k] = evaluate(d, n_i[pairs[k].i], n_j[pairs[k].j], &pairs[k], width);
    left *= 1 - all[k].face;
    if (all[k].square > 0)
      total += all[k].face / all[k].square;
    else
      parting = k;
  }
  press->share = 1 - left;
  if (!(press->share > 0) || parting < count) return press->share > 0;
  for (size_t k = 0; k < count; k++) {
    all[k].weight = all[k].face / all[k].square / total;
    V += all[k].weight * all[k].energy;
  }
  press->energy = press->share * V;
  for (size_t k = 0; k < count; k++) {
    double others = 1;
    for (size_t l = 0; l < count; l++)
      if (l != k) others *= 1 - all[l].face;
    const pairs_sum sum = {V, total, others, central};
    add_pair(d, n_i[pairs[k].i], n_j[pairs[k].j], &pairs[k], &all[k], &sum, press);
  }
  return true;
}
