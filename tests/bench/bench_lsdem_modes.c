/* What modes cost in method lsdem: processor time of a step over that of the same grains without modes, on one thread, as JSON.
 *
 *     bench_lsdem_modes   two cases: "pack", 27 balls of 2118 nodes in a close cubic pack between six walls; "bars", 16 bars of 0.04 x 0.01
 *     x 0.01 m face to face
 *                         each rigid, with the six affine modes, and with the first 1 and 6 modes of a mode basis on a mesh of the shape
 *
 * All are pressed alike from all sides, so that contacts stay. Steps are taken in turns by all variants, and of each the fastest of five
 * rounds counts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scree.h"
#include "geometry/basis/basis.h"
#include "geometry/hexes/blocks.h"
#include "methods/lsdem/state/state.h"
#include "sim/sim.h"
#include "tests/support/folder.h"

enum { MODES = 6, VARIANTS = 4, ROUNDS = 5, STEPS = 12 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(const char *why)
{
  fprintf(stderr, "bench_lsdem_modes: %s\n", why);
  exit(1);
}

/* Rounds a cube's mesh into a ball of its volume, nearly: faces go onto spheres, edges stay a little sharp so that elements there keep
 * their angle. */
static void round_off(geo_hexes *mesh, double radius)
{
  for (size_t n = 0; n < mesh->node_count; n++) {
    double *x = mesh->node[n], most = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2]))),
           length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int k = 0; k < 3 && length > 0; k++) x[k] *= pow(most / length, 0.9);
  }
  double scale = cbrt(4.0 / 3 * M_PI * pow(radius, 3) / geo_hexes_measure(mesh).volume);
  for (size_t n = 0; n < mesh->node_count; n++)
    for (int k = 0; k < 3; k++) mesh->node[n][k] *= scale;
}

/* Modes with the size of strains that affine ones have, and something on top that no affine mode has. */
static void write_basis(const char *path, const double size[3], double radius)
{
  const uint32_t cells[3] = {radius > 0 ? 8 : 16, radius > 0 ? 8 : 4, radius > 0 ? 8 : 4};
  geo_basis basis = {.density = 2600, .young_modulus = 1e8, .poisson_ratio = 0.2, .mode_count = MODES};
  if (geo_hexes_box(size, cells, &basis.mesh, NULL) != SCR_OK || geo_basis_allocate(&basis, NULL) != SCR_OK) stop("no mesh");
  if (radius > 0) round_off(&basis.mesh, radius);
  for (size_t a = 0; a < MODES; a++)
    for (size_t n = 0; n < basis.mesh.node_count; n++) {
      const double *x = basis.mesh.node[n];
      double along = x[a % 3] / (0.5 * size[a % 3]), across = x[(a + 1) % 3] / (0.5 * size[(a + 1) % 3]);
      basis.field[3 * (a * basis.mesh.node_count + n) + a % 3] = a < 3 ? along : along * across * across;
      basis.field[3 * (a * basis.mesh.node_count + n) + (a + 1) % 3] = 0.2 * across * (1 - along * along);
    }
  geo_basis_integrate_mass(&basis.mesh, basis.density, basis.field, MODES, basis.mass);
  for (size_t k = 0; k < (size_t)MODES * MODES; k++) basis.stiffness[k] = 1e9 * basis.mass[k];
  text_builder text = {0};
  geo_basis_write(&basis, &text);
  size_t length = text.length;
  char *bytes = text_take(&text);
  if (!bytes || scr_write_file(path, bytes, length, NULL) != SCR_OK) stop("cannot write a mode basis");
  scr_free(bytes);
  geo_basis_clear(&basis);
}

static scr_sim *open_scene(const char *folder, const char *shape, const char *placement, const char *rig, const char *modes,
                           scr_scene **scene)
{
  char text[3000];
  snprintf(text, sizeof text,
           "{\"scree\": 1, \"name\": \"bench\", \"method\": \"lsdem\", \"materials\": [{\"name\": \"m\", \"density\": 2600, "
           "\"young_modulus\": 1e8, \"poisson_ratio\": 0.2}], \"contact\": "
           "{\"contact_stiffness\": 1e10, \"friction_coefficient\": 0.5}, \"specimens\": [{\"name\": \"grains\", \"material\": \"m\", "
           "\"spacing\": 1e-3, %s, \"shape\": %s, \"placement\": %s}], "
           "\"rig\": %s, \"time\": {\"duration\": 1, \"time_step\": 2e-6}}",
           modes, shape, placement, rig);
  const scr_asset_source source = {.beside = folder};
  scr_problems problems = {0};
  scr_error error = {0};
  scr_sim *sim = NULL;
  if (scr_scene_parse_with(text, strlen(text), NULL, &source, scene, &problems) != SCR_OK)
    stop(problems.count ? problems.items[0].detail : "no memory");
  scr_problems_clear(&problems);
  if (scr_sim_create(*scene, 1, &sim, &error) != SCR_OK) stop(error.message);
  return sim;
}

static void measure(const char *name, const char *folder, const char *shape, const char *placement, const char *rig)
{
  static const char *const modes[VARIANTS] = {"\"modes\": \"none\"", "\"modes\": \"affine\"",
                                              "\"modes\": \"basis\", \"mode_basis\": \"grain.basis\"",
                                              "\"modes\": \"basis\", \"mode_basis\": \"grain.basis\", \"mode_count\": 6"};
  static const char *const called[VARIANTS] = {"rigid", "affine", "basis_1", "basis_6"};
  scr_scene *scene[VARIANTS];
  scr_sim *sim[VARIANTS];
  double best[VARIANTS];
  scr_error error = {0};
  for (int v = 0; v < VARIANTS; v++) sim[v] = open_scene(folder, shape, placement, rig, modes[v], &scene[v]), best[v] = INFINITY;
  for (int round = 0; round < ROUNDS; round++)
    for (int v = 0; v < VARIANTS; v++) {
      double start = now();
      for (int k = 0; k < STEPS; k++)
        if (scr_sim_step(sim[v], &error) != SCR_OK) stop(error.message);
      best[v] = fmin(best[v], (now() - start) / STEPS);
    }
  const lsdem_state *s = sim[0]->state;
  printf("{\"case\": \"%s\", \"contacts\": %zu, \"rigid_ms\": %.4f", name, s->pairs_touching + s->parts_touching, 1e3 * best[0]);
  for (int v = 1; v < VARIANTS; v++) printf(", \"%s\": %.2f", called[v], best[v] / best[0]);
  printf("}\n");
  for (int v = 0; v < VARIANTS; v++) {
    scr_sim_destroy(sim[v]);
    scr_scene_destroy(scene[v]);
  }
}

int main(void)
{
  char *folder = folder_create(), *path = folder_path(folder, "grain.basis");
  const double cube[3] = {0.02, 0.02, 0.02}, bar[3] = {0.04, 0.01, 0.01};
  write_basis(path, cube, 0.01);
  measure("pack", folder, "{\"type\": \"sphere\", \"radius\": 0.01}",
          "{\"type\": \"lattice\", \"origin\": [0.01, 0.01, 0.01], \"pitch\": [0.0198, 0.0198, 0.0198], \"count\": [3, 3, 3]}",
          "{\"type\": \"box\", \"minimum\": [0.0001, 0.0001, 0.0001], \"maximum\": [0.0595, 0.0595, 0.0595]}");
  write_basis(path, bar, 0);
  measure("bars", folder, "{\"type\": \"box\", \"size\": [0.04, 0.01, 0.01]}",
          "{\"type\": \"lattice\", \"origin\": [0.02, 0.005, 0.005], \"pitch\": [0.0399, 0.0099, 0.0099], \"count\": [1, 4, 4]}",
          "{\"type\": \"box\", \"minimum\": [0.0001, 0.0001, 0.0001], \"maximum\": [0.0399, 0.0396, 0.0396]}");
  free(path);
  folder_remove(folder);
  return 0;
}
