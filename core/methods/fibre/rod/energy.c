/* Energies of a rod, assembled from edges and vertices. */
#include <string.h>

#include "methods/fibre/rod/vertex.h"

/* Row of the band that an unknown of a node has. */
static size_t row_of(const rod *r, uint32_t node, int unknown)
{
  return (size_t)ROD_UNKNOWNS * rod_place(r, node) + (size_t)unknown;
}

/* Adds what two unknowns have in common: of a pair only the lower one lies in the band. */
static void add(la_band *h, size_t i, size_t j, double value)
{
  if (i >= j) *la_band_at(h, i, j) += value;
}

double rod_tension(const rod *r, const double *q, uint32_t edge)
{
  return r->stretching * (vec3_length(vec3_sub(rod_position(q, rod_next(r, edge)), rod_position(q, edge))) / r->rest[edge] - 1);
}

/* Tension T: dE = T t.de;  d2E = EA/l t t' + T/L (1 - t t'), of which Gauss and Newton's keeps a pull alone. */
static double stretch_edge(const rod *r, const double *q, uint32_t edge, double *gradient, rod_hessian kind, la_band *hessian)
{
  uint32_t a = edge, b = rod_next(r, edge);
  scr_vec3 d = vec3_sub(rod_position(q, b), rod_position(q, a));
  double length = vec3_length(d), strain = length / r->rest[edge] - 1, tension = r->stretching * strain;
  const double t[3] = {d.x / length, d.y / length, d.z / length};
  for (int k = 0; gradient && k < 3; k++) {
    gradient[ROD_UNKNOWNS * a + (uint32_t)k] -= tension * t[k];
    gradient[ROD_UNKNOWNS * b + (uint32_t)k] += tension * t[k];
  }
  double pull = r->pull ? r->pull[edge] : tension, geometric = (kind == ROD_EXACT ? pull : fmax(pull, 0)) / length;
  for (int i = 0; hessian && i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double value = (r->stretching / r->rest[edge] - geometric) * t[i] * t[j] + (i == j ? geometric : 0);
      add(hessian, row_of(r, a, i), row_of(r, a, j), value);
      add(hessian, row_of(r, b, i), row_of(r, b, j), value);
      add(hessian, row_of(r, a, i), row_of(r, b, j), -value);
      add(hessian, row_of(r, b, i), row_of(r, a, j), -value);
    }
  return 0.5 * r->stretching * r->rest[edge] * strain * strain;
}

/* ── vertices ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Where a vertex' unknowns belong: an edge vector is its end less its beginning. */
typedef struct target {
  size_t place[2]; /* in q, or in the band */
  double sign[2];
  int count;
} target;

static void targets_of(const rod *r, uint32_t vertex, bool band, target targets[VERTEX_UNKNOWNS])
{
  uint32_t before = rod_edge_before(r, vertex), after = rod_next(r, vertex);
  for (int k = 0; k < VERTEX_UNKNOWNS; k++) {
    bool angle = k >= VERTEX_ANGLE_E, of_f = angle ? k == VERTEX_ANGLE_F : k >= VERTEX_F;
    int unknown = angle ? ROD_TWIST : k % 3;
    uint32_t from = of_f ? vertex : before, to = of_f ? after : vertex;
    targets[k].count = angle ? 1 : 2;
    targets[k].place[0] = band ? row_of(r, from, unknown) : (size_t)ROD_UNKNOWNS * from + (size_t)unknown;
    targets[k].place[1] = band ? row_of(r, to, unknown) : (size_t)ROD_UNKNOWNS * to + (size_t)unknown;
    targets[k].sign[0] = angle ? 1 : -1, targets[k].sign[1] = 1;
  }
}

/* Second derivatives of a vertex: stiffness times products of slopes, and moments times what strains bend themselves. */
static void vertex_hessian(const vertex_strains *s, const double stiffness[3], const double moment[3], rod_hessian kind,
                           double h[VERTEX_UNKNOWNS][VERTEX_UNKNOWNS])
{
  for (int i = 0; i < VERTEX_UNKNOWNS; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int w = 0; w < 3; w++) sum += stiffness[w] * s->slope[w][i] * s->slope[w][j];
      for (int w = 0; w < 3 && kind == ROD_EXACT; w++) sum += moment[w] * s->curve[w][i][j];
      h[i][j] = h[j][i] = sum;
    }
}

static void add_vertex_hessian(const rod *r, uint32_t vertex, double h[VERTEX_UNKNOWNS][VERTEX_UNKNOWNS], la_band *hessian)
{
  target targets[VERTEX_UNKNOWNS];
  targets_of(r, vertex, true, targets);
  for (int i = 0; i < VERTEX_UNKNOWNS; i++)
    for (int j = 0; j < VERTEX_UNKNOWNS; j++)
      for (int a = 0; a < targets[i].count; a++)
        for (int b = 0; b < targets[j].count; b++)
          add(hessian, targets[i].place[a], targets[j].place[b], targets[i].sign[a] * targets[j].sign[b] * h[i][j]);
}

static void bend_vertex(const rod *r, const double *q, const rod_frames *frames, uint32_t vertex, double *gradient, rod_hessian kind,
                        la_band *hessian, rod_energies *sum)
{
  vertex_strains s;
  vertex_strain(r, q, frames, vertex, hessian && kind == ROD_EXACT, &s);
  const double stiffness[3] = {r->bending[0] / r->span[vertex], r->bending[1] / r->span[vertex], r->twisting / r->span[vertex]};
  double moment[3], energy[3];
  for (int w = 0; w < 3; w++) {
    double strain = s.value[w] - r->natural[vertex][w];
    moment[w] = stiffness[w] * strain;
    energy[w] = 0.5 * moment[w] * strain;
  }
  sum->bending += energy[0] + energy[1];
  sum->twisting += energy[2];
  if (gradient) {
    target targets[VERTEX_UNKNOWNS];
    targets_of(r, vertex, false, targets);
    for (int k = 0; k < VERTEX_UNKNOWNS; k++) {
      double slope = moment[0] * s.slope[0][k] + moment[1] * s.slope[1][k] + moment[2] * s.slope[2][k];
      for (int a = 0; a < targets[k].count; a++) gradient[targets[k].place[a]] += targets[k].sign[a] * slope;
    }
  }
  if (!hessian) return;
  double h[VERTEX_UNKNOWNS][VERTEX_UNKNOWNS];
  vertex_hessian(&s, stiffness, moment, kind, h);
  add_vertex_hessian(r, vertex, h, hessian);
}

void rod_strain(const rod *r, const double *q, const rod_frames *frames, uint32_t vertex, double strain[3])
{
  vertex_strains s;
  vertex_strain(r, q, frames, vertex, false, &s);
  memcpy(strain, s.value, sizeof s.value);
}

rod_energies rod_energy(const rod *r, const double *q, const rod_frames *frames, double *gradient, rod_hessian kind, la_band *hessian)
{
  rod_energies sum = {0};
  if (gradient) memset(gradient, 0, (size_t)ROD_UNKNOWNS * r->nodes * sizeof *gradient);
  if (hessian) memset(hessian->row, 0, hessian->size * (hessian->width + 1) * sizeof *hessian->row);
  for (uint32_t e = 0; e < r->edges; e++) sum.stretching += stretch_edge(r, q, e, gradient, kind, hessian);
  for (uint32_t i = rod_first_vertex(r); i < r->edges; i++) bend_vertex(r, q, frames, i, gradient, kind, hessian, &sum);
  return sum;
}
