/* Curvatures and twist of a vertex.
 *
 *      c = 1 + te.tf,  kb = 2 te x tf / c,  tt = (te + tf) / c,  d~ = (d_e + d_f) / c     d: a material director, m1 or m2
 *      k1 = (m2_e + m2_f).kb / 2,   k2 = -(m1_e + m1_f).kb / 2,   twist = theta_f - theta_e + reference
 *
 *  Both curvatures are sigma (d_e + d_f).kb / 2, with d = m2, sigma = 1 and d = m1, sigma = -1, so one set of formulas serves both:
 *      dk/de = (-k tt + sigma tf x d~) / |e|,   dk/df = (-k tt - sigma te x d~) / |f|,   dk/dtheta_j = -kb.p_j / 2,  p = m1 of k1, m2 of k2
 *      dtwist/de = kb / (2 |e|),  dtwist/df = kb / (2 |f|)
 *  The derivatives hold at frames of this configuration. Source: Bergou et al. 2010, Kaldor et al. 2010 (appendix). */
#include <string.h>

#include "methods/fibre/rod/vertex.h"

typedef double unknowns[VERTEX_UNKNOWNS][VERTEX_UNKNOWNS];

/* What all formulas of a vertex share. */
typedef struct corner {
  scr_vec3 te, tf, kb, tt;      /* te, tf: tangents */
  scr_vec3 first[2], second[2]; /* material directors m1 and m2 of e and f */
  double e, f, c;               /* lengths, 1 + te.tf */
} corner;

/* One of the two curvatures. */
typedef struct bend {
  double k, sigma;
  scr_vec3 de, df, mean;   /* directors, their sum over c */
  scr_vec3 pe, pf;         /* what they turn into, up to sign */
  scr_vec3 f_mean, e_mean; /* tf x mean, te x mean */
} bend;

static void add_product(unknowns h, int row, int column, double s, scr_vec3 a, scr_vec3 b)
{
  const double x[3] = {s * a.x, s * a.y, s * a.z}, y[3] = {b.x, b.y, b.z};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) h[row + i][column + j] += x[i] * y[j];
}

static void add_both(unknowns h, int at, double s, scr_vec3 a, scr_vec3 b)
{
  add_product(h, at, at, s, a, b);
  add_product(h, at, at, s, b, a);
}

static void add_identity(unknowns h, int row, int column, double s)
{
  for (int i = 0; i < 3; i++) h[row + i][column + i] += s;
}

/* s [a]x, which takes b to s a x b. */
static void add_cross(unknowns h, int row, int column, double s, scr_vec3 a)
{
  h[row][column + 1] -= s * a.z, h[row][column + 2] += s * a.y;
  h[row + 1][column] += s * a.z, h[row + 1][column + 2] -= s * a.x;
  h[row + 2][column] -= s * a.y, h[row + 2][column + 1] += s * a.x;
}

static void set(double *slope, int at, scr_vec3 v)
{
  slope[at] = v.x, slope[at + 1] = v.y, slope[at + 2] = v.z;
}

static void mirror(unknowns h)
{
  for (int i = 0; i < VERTEX_UNKNOWNS; i++)
    for (int j = i + 1; j < VERTEX_UNKNOWNS; j++) h[j][i] = h[i][j];
}

/* Material directors of an edge. */
static void directors(const rod_frames *frames, uint32_t edge, double angle, scr_vec3 *first, scr_vec3 *second)
{
  scr_vec3 a = frames->director[edge], b = vec3_cross(frames->tangent[edge], a);
  double c = cos(angle), s = sin(angle);
  *first = vec3_add(vec3_scale(a, c), vec3_scale(b, s));
  *second = vec3_add(vec3_scale(a, -s), vec3_scale(b, c));
}

static corner corner_of(const rod *r, const double *q, const rod_frames *frames, uint32_t vertex)
{
  uint32_t before = rod_edge_before(r, vertex);
  scr_vec3 middle = rod_position(q, vertex);
  corner o = {.te = frames->tangent[before], .tf = frames->tangent[vertex]};
  o.e = vec3_length(vec3_sub(middle, rod_position(q, before)));
  o.f = vec3_length(vec3_sub(rod_position(q, rod_next(r, vertex)), middle));
  o.c = 1 + vec3_dot(o.te, o.tf);
  o.kb = vec3_scale(vec3_cross(o.te, o.tf), 2 / o.c);
  o.tt = vec3_scale(vec3_add(o.te, o.tf), 1 / o.c);
  directors(frames, before, q[ROD_UNKNOWNS * before + ROD_TWIST], &o.first[0], &o.second[0]);
  directors(frames, vertex, q[ROD_UNKNOWNS * vertex + ROD_TWIST], &o.first[1], &o.second[1]);
  return o;
}

/* @param which 0: k1, 1: k2 */
static bend bend_of(const corner *o, int which)
{
  bend b = {.sigma = which ? -1 : 1};
  b.de = which ? o->first[0] : o->second[0], b.df = which ? o->first[1] : o->second[1];
  b.pe = which ? o->second[0] : o->first[0], b.pf = which ? o->second[1] : o->first[1];
  scr_vec3 sum = vec3_add(b.de, b.df);
  b.k = 0.5 * b.sigma * vec3_dot(sum, o->kb);
  b.mean = vec3_scale(sum, 1 / o->c);
  b.f_mean = vec3_cross(o->tf, b.mean), b.e_mean = vec3_cross(o->te, b.mean);
  return b;
}

static void bend_slope(const corner *o, const bend *b, double *slope)
{
  set(slope, VERTEX_E, vec3_scale(vec3_sub(vec3_scale(b->f_mean, b->sigma), vec3_scale(o->tt, b->k)), 1 / o->e));
  set(slope, VERTEX_F, vec3_scale(vec3_add(vec3_scale(b->e_mean, b->sigma), vec3_scale(o->tt, b->k)), -1 / o->f));
  slope[VERTEX_ANGLE_E] = -0.5 * vec3_dot(o->kb, b->pe);
  slope[VERTEX_ANGLE_F] = -0.5 * vec3_dot(o->kb, b->pf);
}

/* d2k/d(angle of an edge)d(edge vectors); p: what its director turns into */
static void bend_angle(const corner *o, scr_vec3 p, int angle, unknowns h)
{
  double k = 0.5 * vec3_dot(o->kb, p);
  scr_vec3 by_e = vec3_sub(vec3_scale(o->tt, k), vec3_scale(vec3_cross(o->tf, p), 1 / o->c));
  scr_vec3 by_f = vec3_add(vec3_scale(o->tt, k), vec3_scale(vec3_cross(o->te, p), 1 / o->c));
  const double e[3] = {by_e.x / o->e, by_e.y / o->e, by_e.z / o->e}, f[3] = {by_f.x / o->f, by_f.y / o->f, by_f.z / o->f};
  for (int i = 0; i < 3; i++) h[VERTEX_E + i][angle] = e[i], h[VERTEX_F + i][angle] = f[i];
}

static void bend_curve(const corner *o, const bend *b, unknowns h)
{
  double ee = o->e * o->e, ff = o->f * o->f, ef = o->e * o->f, s = b->sigma;
  add_product(h, VERTEX_E, VERTEX_E, 2 * b->k / ee, o->tt, o->tt);
  add_both(h, VERTEX_E, -s / ee, b->f_mean, o->tt);
  add_identity(h, VERTEX_E, VERTEX_E, -b->k / (o->c * ee));
  add_product(h, VERTEX_E, VERTEX_E, b->k / (o->c * ee), o->te, o->te);
  add_both(h, VERTEX_E, s / (4 * ee), o->kb, b->de);
  add_product(h, VERTEX_F, VERTEX_F, 2 * b->k / ff, o->tt, o->tt);
  add_both(h, VERTEX_F, s / ff, b->e_mean, o->tt);
  add_identity(h, VERTEX_F, VERTEX_F, -b->k / (o->c * ff));
  add_product(h, VERTEX_F, VERTEX_F, b->k / (o->c * ff), o->tf, o->tf);
  add_both(h, VERTEX_F, s / (4 * ff), o->kb, b->df);
  add_product(h, VERTEX_E, VERTEX_F, 2 * b->k / ef, o->tt, o->tt);
  add_identity(h, VERTEX_E, VERTEX_F, -b->k / (o->c * ef));
  add_product(h, VERTEX_E, VERTEX_F, -b->k / (o->c * ef), o->te, o->tf);
  add_product(h, VERTEX_E, VERTEX_F, -s / ef, b->f_mean, o->tt);
  add_product(h, VERTEX_E, VERTEX_F, s / ef, o->tt, b->e_mean);
  add_cross(h, VERTEX_E, VERTEX_F, -s / ef, b->mean);
  bend_angle(o, b->pe, VERTEX_ANGLE_E, h);
  bend_angle(o, b->pf, VERTEX_ANGLE_F, h);
  h[VERTEX_ANGLE_E][VERTEX_ANGLE_E] = -0.5 * s * vec3_dot(o->kb, b->de);
  h[VERTEX_ANGLE_F][VERTEX_ANGLE_F] = -0.5 * s * vec3_dot(o->kb, b->df);
}

static void twist_curve(const corner *o, unknowns h)
{
  add_both(h, VERTEX_E, -0.25 / (o->e * o->e), o->kb, vec3_add(o->te, o->tt));
  add_both(h, VERTEX_F, -0.25 / (o->f * o->f), o->kb, vec3_add(o->tf, o->tt));
  add_cross(h, VERTEX_E, VERTEX_F, 1 / (o->e * o->f * o->c), o->te);
  add_product(h, VERTEX_E, VERTEX_F, -0.5 / (o->e * o->f), o->kb, o->tt);
}

void vertex_strain(const rod *r, const double *q, const rod_frames *frames, uint32_t vertex, bool second, vertex_strains *out)
{
  corner o = corner_of(r, q, frames, vertex);
  if (second) memset(out->curve, 0, sizeof out->curve);
  for (int which = 0; which < 2; which++) {
    bend b = bend_of(&o, which);
    out->value[which] = b.k;
    bend_slope(&o, &b, out->slope[which]);
    if (second) bend_curve(&o, &b, out->curve[which]);
  }
  double angle = q[ROD_UNKNOWNS * vertex + ROD_TWIST] - q[ROD_UNKNOWNS * rod_edge_before(r, vertex) + ROD_TWIST];
  out->value[2] = angle + frames->reference[vertex];
  set(out->slope[2], VERTEX_E, vec3_scale(o.kb, 0.5 / o.e));
  set(out->slope[2], VERTEX_F, vec3_scale(o.kb, 0.5 / o.f));
  out->slope[2][VERTEX_ANGLE_E] = -1, out->slope[2][VERTEX_ANGLE_F] = 1;
  if (!second) return;
  twist_curve(&o, out->curve[2]);
  for (int which = 0; which < 3; which++) mirror(out->curve[which]);
}
