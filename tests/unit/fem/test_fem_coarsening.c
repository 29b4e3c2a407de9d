/* The method coarsening: modes of one body, the mesh it chooses, the files it makes, what it refuses. */
#include "tests/support/fem_scene.h"

#include "geometry/basis/basis.h"
#include "methods/fem/coarsen/basis.h"
#include "methods/fem/coarsen/differences.h"
#include "methods/fem/coarsen/task/task.h"
#include "geometry/hexes/blocks.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

/* A beam of 100 x 10 x 8 mm, E = 0.1 GPa, 1000 kg/m^3, as text. */
typedef struct beam_scene {
  int cells[3];
  double angle;        /* deg, about y */
  const char *rig;     /* JSON */
  const char *options; /* JSON, inside of the braces */
} beam_scene;

static const char clamp[] = "\"type\": \"grips\", \"axis\": \"x\", \"low_end\": -0.0499999";
static const char free_rig[] = "\"type\": \"none\"";

static char *beam_text(const beam_scene *s, const char *more_specimens)
{
  static char text[3000];
  snprintf(text, sizeof text,
           "{ \"scree\": 1, \"name\": \"beam\", \"method\": \"coarsening\", \"materials\": [ { \"name\": \"m\", \"density\": 1000, "
           "\"young_modulus\": 1e8, \"poisson_ratio\": 0.3 } ], \"specimens\": [ { \"name\": \"body\", \"material\": \"m\", \"divisions\": "
           "[%d, %d, %d], \"shape\": { \"type\": \"box\", \"size\": [0.1, 0.01, 0.008] }, \"placement\": { \"type\": \"single\", "
           "\"position\": [0, 0, 0] }, \"rotation\": { \"axis\": [0, 1, 0], \"angle_deg\": %.17g } } %s ], \"rig\": { %s }, \"time\": { "
           "\"duration\": 1 }, \"options\": { %s } }",
           s->cells[0], s->cells[1], s->cells[2], s->angle, more_specimens, s->rig, s->options);
  return text;
}

/* ── files ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Where a test's files go, all into one folder. */
static scr_status take_file(void *user, const char *name, sim_file_writer *writer, const void *what, uint64_t *bytes, scr_error *error)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", (const char *)user, strchr(name, '/') + 1);
  *bytes = 1;
  return writer(what, path, error);
}

/* A whole file, to be freed; NULL: it is not there. */
static char *read_file(const char *folder, const char *name, size_t *length)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = calloc(1, 8000000);
  assert_non_null(text);
  *length = fread(text, 1, 7999999, file);
  fclose(file);
  return text;
}

/* Runs a scene to its end, with its files in `folder`. */
static sim_run run_whole(const beam_scene *scene, char *folder)
{
  sim_run run = run_open(beam_text(scene, ""), 1);
  const coarsening_state *s = run.sim->state;
  run.sim->files = (sim_files){take_file, folder};
  run_steps(&run, coarsening_steps((size_t)s->options->snapshots, s->plan.count, s->mode_count));
  return run;
}

static geo_basis read_basis(const char *folder)
{
  size_t length = 0;
  scr_error error = {0};
  geo_basis basis;
  char *text = read_file(folder, "modes.basis", &length);
  assert_non_null(text);
  if (geo_basis_read(text, length, &basis, &error) != SCR_OK) fail_msg("%s", error.message);
  free(text);
  return basis;
}

/* ── claims ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The list is tried from coarse to fine, the first that has all modes is taken, its stiffness makes the first mode right; the patch and the
 * report say so. */
static void test_the_coarsest_sufficient_mesh_is_chosen(void **state)
{
  (void)state;
  const beam_scene scene = {
      {20, 2, 2}, 0, clamp, "\"element\": \"plain\", \"modes\": 2, \"meshes\": \"10x1x1 1x1x1, 4x1x1\", \"match\": 0.99"};
  char *folder = folder_create();
  sim_run run = run_whole(&scene, folder);
  const coarsening_state *s = run.sim->state;
  size_t length = 0;
  assert_int_equal(s->plan.count, 3);
  assert_int_equal(s->rows[0].hexes, 1);
  assert_int_equal(s->rows[2].hexes, 10);
  assert_true(s->chosen == 1 && s->rows[0].refused && s->rows[1].least_match >= 0.99 && s->rows[2].least_match >= s->rows[1].least_match);
  for (size_t k = 0; k < 3; k++)
    if (s->rows[k].match_count) assert_true(fabs(coarsening_ratio(&s->rows[k], 0) - 1) < 1e-12);
  char *report = read_file(folder, "report.md", &length), *patch = read_file(folder, "coarse.patch.json", &length);
  assert_non_null(report);
  assert_non_null(patch);
  assert_non_null(strstr(report, "Chosen: 4x1x1, 4 elements"));
  assert_non_null(strstr(patch, "[4, 1, 1]"));
  assert_true(fabs(strtod(strstr(patch, "young_modulus\",") + 28, NULL) / (1e8 * s->rows[1].scale) - 1) < 1e-12);
  char *picture = read_file(folder, "mode-1.svg", &length);
  assert_non_null(strstr(picture, "<polygon"));
  assert_true(fabs(run_curve(&run, "mode.frequency") - fem_mode_frequency(&s->fine.modes, 1)) < 1e-9);
  free(report), free(patch), free(picture);
  run_close(&run);
  folder_remove(folder);
}

/* The gallery's jumper, with `cells` elements: a block that is pressed onto the floor and let go. */
static char *jumper_text(const char *method, const char *cells, double young, const char *options)
{
  static char text[3000];
  snprintf(text, sizeof text,
           "{ \"scree\": 1, \"name\": \"jumper\", \"method\": \"%s\", \"materials\": [ { \"name\": \"m\", \"density\": 1000, "
           "\"young_modulus\": %.17g, \"poisson_ratio\": 0.3, "
           "\"stiffness_damping\": 1e-3 } ], \"contact\": { \"friction_coefficient\": 0.5 }, \"specimens\": [ { \"name\": \"body\", "
           "\"material\": \"m\", \"divisions\": [%s], "
           "\"shape\": { \"type\": \"box\", \"size\": [0.06, 0.06, 0.04] }, \"placement\": { \"type\": \"single\", \"position\": [0, 0, "
           "0.02] }, \"load_side\": \"z_max\", "
           "\"load\": [6, 0, -80] } ], \"rig\": { \"type\": \"none\", \"gravity\": [0, 0, -9.81] }, \"obstacles\": [ { \"name\": "
           "\"floor\", \"shape\": { \"type\": \"plane\", "
           "\"width\": 0.5 }, \"position\": [0, 0, 0] } ], \"time\": { \"duration\": 0.2, \"time_step\": 1e-3 }, \"options\": { "
           "\"loading\": \"static\" %s } }",
           method, young, cells, options);
  return text;
}

/* How high a jumper's centre rises from the equilibrium, m, seen at the top of its flight. */
static double jump_of(const char *cells, double young)
{
  sim_run run = run_open(jumper_text("fem", cells, young, ""), 1);
  double start = run_curve(&run, "centre.z"), top = start;
  for (int k = 0; k < 160; k++) {
    run_steps(&run, 1);
    top = fmax(top, run_curve(&run, "centre.z"));
  }
  run_close(&run);
  return top - start;
}

/* Meshes are taken by what they do in the load case: one that has the modes jumps too high, and is refused with that; what the report says
 * of the chosen one is what whole runs of both meshes do, to 1 % of the height (the prediction ends at take-off: damping of what the body
 * still rings with, and gravity's work on it, come after). */
static void test_a_coarse_jumper_jumps_as_high_as_it_says(void **state)
{
  (void)state;
  char *folder = folder_create();
  sim_run run = run_open(
      jumper_text("coarsening", "6, 6, 4", 1e5, ", \"modes\": 2, \"match\": 0.95, \"meshes\": \"3x3x2 4x4x3\", \"load_tolerance\": 0.1"),
      1);
  const coarsening_state *s = run.sim->state;
  run.sim->files = (sim_files){take_file, folder};
  run_steps(&run, coarsening_steps(0, s->plan.count, s->mode_count));
  double rise[2] = {s->rows[0].load.rise / s->load.rise, s->rows[1].load.rise / s->load.rise};
  print_message("# jumps over the fine mesh's: 3x3x2 %.4f, 4x4x3 %.4f\n", rise[0], rise[1]);
  assert_int_equal(s->chosen, 1);
  assert_non_null(s->rows[0].refused);
  assert_string_equal(s->rows[0].refused, "it jumps to another height");
  double seen = jump_of("4, 4, 3", 1e5 * s->rows[1].scale) / jump_of("6, 6, 4", 1e5);
  print_message("# 4x4x3 in whole runs: %.4f\n", seen);
  assert_true(fabs(seen - rise[1]) < 0.01 && fabs(seen - 1) < 0.1);
  size_t length;
  char *report = read_file(folder, "report.md", &length), wanted[80];
  snprintf(wanted, sizeof wanted, "**%+.1f %%** beside the fine mesh's %.4g m", 100 * (rise[1] - 1), s->load.rise);
  assert_non_null(strstr(report, wanted));
  free(report);
  run_close(&run);
  folder_remove(folder);
}

/* The jump itself on coarse meshes, of stiffness as given: within the default load_tolerance of 5 % of that of 6 x 6 x 4 elements, and
 * nearer the finer the mesh (8 x 8 x 6: 2 x 2 x 2 4.6 % lower, 4 x 4 x 3 2.3, 6 x 6 x 4 0.9). (A stiffness scaled to the first frequency,
 * 0.92 for 4 x 4 x 3, makes it jump 10 % higher, which is why meshes are judged by the jump.) */
static void test_coarse_jumpers_jump_as_high_as_a_fine_one(void **state)
{
  (void)state;
  static const char *const meshes[] = {"2, 2, 2", "4, 4, 3"};
  double fine = jump_of("6, 6, 4", 1e5), off[2];
  for (size_t k = 0; k < 2; k++) {
    off[k] = fabs(jump_of(meshes[k], 1e5) / fine - 1);
    print_message("# jump with %s elements: %.4f off\n", meshes[k], off[k]);
  }
  assert_true(off[0] < 0.05 && off[1] < off[0]);
}

/* Two close modes whose partners in the coarse mesh have others between them are found there. A beam against itself, whose modes are put in
 * another order: the pair of first bending modes, 0 and 1, then is 0 and
 * 4. (Neighbours alone were tried: a match of 0.) */
static void test_close_modes_need_no_neighbours(void **state)
{
  (void)state;
  const beam_scene scene = {{10, 2, 2}, 0, clamp, "\"modes\": 4"};
  sim_run run = run_open(beam_text(&scene, ""), 1);
  coarsening_state *s = run.sim->state;
  fem_model *fine = &s->fine;
  fem_modes other = {0};
  fem_prolongation p;
  fem_match match[10];
  size_t count;
  assert_int_equal(fem_modes_find(&fine->system, fine->fixed, 8, &fine->modes, NULL), SCR_OK);
  assert_int_equal(fem_modes_find(&fine->system, fine->fixed, 8, &other, NULL), SCR_OK);
  fine->modes.value[1] = 1.01 * fine->modes.value[0]; /* close, as in a square section */
  for (size_t k = 0; k < other.size; k++) {
    double kept = other.shape[other.size + k];
    other.shape[other.size + k] = other.shape[4 * other.size + k];
    other.shape[4 * other.size + k] = kept;
  }
  assert_int_equal(fem_prolong_find(&fine->system, &fine->system, &p, NULL), SCR_OK);
  assert_int_equal(fem_match_modes(&fine->system, &fine->modes, &other, &p, match, &count, NULL), SCR_OK);
  assert_int_equal(match[0].count, 2);
  assert_true(fabs(match[0].mac - 1) < 1e-9 && match[0].coarse[0] == 0 && match[0].coarse[1] == 4);
  fem_prolong_clear(&p);
  fem_modes_clear(&other);
  run_close(&run);
}

/* A free beam: rigid motions are left out, and the first modes bend at 22.3733 sqrt(EI/(rho A L^4))/(2 pi) (Euler and Bernoulli; shear and
 * turning inertia take 3 % at this thickness). */
static void test_a_free_body_has_no_rigid_modes(void **state)
{
  (void)state;
  const beam_scene scene = {{20, 2, 2}, 0, free_rig, "\"modes\": 2, \"meshes\": \"10x1x1\", \"basis\": true"};
  char *folder = folder_create();
  sim_run run = run_whole(&scene, folder);
  const coarsening_state *s = run.sim->state;
  for (int k = 0; k < 2; k++) {
    double h = k ? 0.01 : 0.008, f = 22.3733 * sqrt(1e8 * h * h / (12 * 1000)) / (0.1 * 0.1) / (2 * 3.14159265358979);
    assert_true(fem_mode_frequency(&s->fine.modes, (size_t)k) / f > 0.955 && fem_mode_frequency(&s->fine.modes, (size_t)k) / f < 1);
  }
  geo_basis basis = read_basis(folder);
  for (size_t a = 0; a < 2; a++) /* stiffness over mass is the frequency */
    assert_true(fabs(basis.stiffness[3 * a] / basis.mass[3 * a] / s->fine.modes.value[a] - 1) < 1e-9);
  geo_basis_clear(&basis);
  run_close(&run);
  folder_remove(folder);
}

/* Momenta of a basis' mode, int rho Phi dV and int rho X x Phi dV about the centroid, over its mass and size: by the mass with rigid
 * motions. */
static double largest_momentum(const geo_basis *basis, size_t mode)
{
  size_t n = basis->mesh.node_count;
  double *fields = calloc(7 * n, 3 * sizeof *fields), *mass = calloc(49, sizeof *mass), most = 0;
  assert_true(fields && mass);
  memcpy(fields, basis->field + 3 * n * mode, 3 * n * sizeof *fields);
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < 3; i++) {
      fields[3 * n * (1 + i) + 3 * k + i] = 1;
      fields[3 * n * (4 + i) + 3 * k + (i + 1) % 3] = -basis->mesh.node[k][(i + 2) % 3] / 0.05;
      fields[3 * n * (4 + i) + 3 * k + (i + 2) % 3] = basis->mesh.node[k][(i + 1) % 3] / 0.05;
    }
  geo_basis_integrate_mass(&basis->mesh, basis->density, fields, 7, mass);
  for (int k = 1; k < 7; k++) most = fmax(most, fabs(mass[k]) / sqrt(mass[0] * mass[8 * k]));
  free(fields), free(mass);
  return most;
}

/* A clamped body's basis, too, has fields without momenta, in the shape's own axes whatever the body's place: turned by 90 degrees with its
 * clamp it gives the same basis. */
static void test_fields_are_free_of_momenta_and_of_the_place(void **state)
{
  (void)state;
  static const char options[] = "\"modes\": 3, \"meshes\": \"10x1x1\", \"basis\": true";
  const beam_scene straight = {{20, 2, 2}, 0, clamp, options},
                   turned = {{20, 2, 2}, -90, "\"type\": \"grips\", \"axis\": \"z\", \"low_end\": -0.0499999", options};
  char *folders[2] = {folder_create(), folder_create()};
  sim_run runs[2] = {run_whole(&straight, folders[0]), run_whole(&turned, folders[1])};
  geo_basis one = read_basis(folders[0]), other = read_basis(folders[1]);
  assert_memory_equal(one.mesh.node, other.mesh.node, one.mesh.node_count * sizeof *one.mesh.node);
  for (size_t a = 0; a < 3; a++) {
    size_t at = 3 * a * one.mesh.node_count;
    double same = 0, opposite = 0, most = 0;
    assert_true(largest_momentum(&one, a) < 1e-12);
    assert_true(fabs(one.stiffness[4 * a] / other.stiffness[4 * a] - 1) < 1e-8);
    for (size_t k = at; k < at + 3 * one.mesh.node_count; k++) {
      same = fmax(same, fabs(one.field[k] - other.field[k]));
      opposite = fmax(opposite, fabs(one.field[k] + other.field[k]));
      most = fmax(most, fabs(one.field[k]));
    }
    assert_true(fmin(same, opposite) < 1e-6 && most <= 1 + 1e-12 && most > 0.5);
  }
  geo_basis_clear(&one), geo_basis_clear(&other);
  for (int k = 0; k < 2; k++) run_close(&runs[k]), folder_remove(folders[k]);
}

/* Levels of the table: under the linear law U = K eps^2/2 and dU/deps = K eps exactly; under the neo-Hookean one the forces are the slopes
 * of the energies, by central differences of neighbouring levels, which err by the step squared. */
static void test_forces_of_the_table_are_slopes_of_its_energies(void **state)
{
  (void)state;
  for (int law = 0; law < 2; law++) {
    const beam_scene scene = {
        {10, 1, 1},
        0,
        clamp,
        law ? "\"modes\": 2, \"meshes\": \"5x1x1\", \"basis\": true, \"levels\": 40, \"amplitude\": 0.004"
            : "\"law\": \"linear\", \"modes\": 2, \"meshes\": \"5x1x1\", \"basis\": true, \"levels\": 2, \"amplitude\": 0.004"};
    char *folder = folder_create();
    sim_run run = run_whole(&scene, folder);
    geo_basis basis = read_basis(folder);
    size_t per_mode = law ? 80 : 4;
    assert_int_equal(basis.level_count, 2 * per_mode);
    for (size_t l = 0; l < basis.level_count; l++) {
      size_t a = l / per_mode;
      double eps = basis.amplitude[2 * l + a], stiffness = basis.stiffness[3 * a];
      if (!law) {
        assert_true(fabs(basis.energy[l] / (0.5 * stiffness * eps * eps) - 1) < 1e-9);
        assert_true(fabs(basis.force[2 * l + a] / (stiffness * eps) - 1) < 1e-9);
      } else if (l % per_mode > 0 && l % per_mode + 1 < per_mode &&
                 fabs(eps) > 1.5e-4) { /* rest is no level: its neighbours are two steps apart */
        double slope = (basis.energy[l + 1] - basis.energy[l - 1]) / (basis.amplitude[2 * l + 2 + a] - basis.amplitude[2 * l - 2 + a]);
        assert_true(fabs(slope / basis.force[2 * l + a] - 1) < 5e-3);
      }
    }
    geo_basis_clear(&basis);
    run_close(&run);
    folder_remove(folder);
  }
}

/* The reduced stiffness of a uniform strain e is e : C : e V exactly, for every formulation, on a distorted mesh; here a stretch along x
 * without contraction: (lambda + 2 mu) V. Spec, section 9. */
static void test_uniform_strain_has_its_stiffness(void **state)
{
  (void)state;
  const double size[3] = {2, 1, 1};
  const uint32_t cells[3] = {4, 3, 2};
  for (int element = FEM_PLAIN; element <= FEM_B_BAR; element++) {
    geo_hexes mesh;
    uint64_t seed = 5;
    assert_int_equal(geo_hexes_box(size, cells, &mesh, NULL), SCR_OK);
    for (size_t n = 0; n < mesh.node_count; n++)
      for (int k = 0; k < 3; k++)
        if (fabs(fabs(mesh.node[n][k]) - 0.5 * size[k]) > 1e-9)
          seed = seed * 6364136223846793005u + 1442695040888963407u, mesh.node[n][k] += 0.05 * ((double)(seed >> 40) / 16777216 - 0.5);
    const fem_moduli moduli = fem_moduli_of(1e6, 0.3);
    const fem_body body = {&mesh, {FEM_LINEAR, (fem_formulation)element, moduli}, 1000};
    fem_system system;
    geo_basis basis = {0};
    scr_error error = {0};
    assert_int_equal(fem_system_create(&body, 1, &system, NULL), SCR_OK);
    fem_modes modes = {.count = 1, .size = 3 * mesh.node_count, .shape = calloc(3 * mesh.node_count, sizeof(double))};
    assert_non_null(modes.shape);
    for (size_t n = 0; n < mesh.node_count; n++) modes.shape[3 * n] = 7 + mesh.node[n][0];
    const scr_specimen specimen = {.rotation_axis = {0, 0, 1}};
    const fem_basis_request wish = {.system = &system,
                                    .mesh = &mesh,
                                    .specimen = &specimen,
                                    .modes = &modes,
                                    .mode_count = 1,
                                    .young_modulus = 1e6,
                                    .poisson_ratio = 0.3,
                                    .execution = execution_of(1)};
    if (fem_basis_make(&wish, &basis, &error) != SCR_OK) fail_msg("%s", error.message);
    double strain = 0; /* of the normalised field, from which rigid motions were taken: between two corners along x */
    for (size_t n = 0; n < mesh.node_count; n++)
      if (mesh.node[n][0] > 1 - 1e-9 && mesh.node[n][1] == mesh.node[0][1] && mesh.node[n][2] == mesh.node[0][2])
        strain = (basis.field[3 * n] - basis.field[0]) / 2;
    assert_true(fabs(strain - 1) < 1e-4); /* the mesh's own centroid is off by what Gauss points miss on distorted elements */
    assert_true(fabs(basis.stiffness[0] / ((moduli.lambda + 2 * moduli.mu) * 2 * strain * strain) - 1) < 1e-12);
    geo_basis_clear(&basis);
    fem_system_clear(&system);
    geo_hexes_clear(&mesh);
    free(modes.shape);
  }
}

/* A box whose snapshots are known: `count` sums of three fields, stretches along x, y and a shear, weighted by `weight`; the fourth is like
 * the third. */
typedef struct known_motion {
  geo_hexes mesh;
  fem_system system;
  double *snapshots;
} known_motion;

static known_motion move_box(size_t count, const double weight[][3])
{
  static const double size[3] = {2, 1, 1};
  static const uint32_t cells[3] = {4, 2, 2};
  known_motion m;
  assert_int_equal(geo_hexes_box(size, cells, &m.mesh, NULL), SCR_OK);
  const fem_body body = {&m.mesh, {FEM_LINEAR, FEM_PLAIN, fem_moduli_of(1e6, 0.3)}, 1000};
  assert_int_equal(fem_system_create(&body, 1, &m.system, NULL), SCR_OK);
  m.snapshots = calloc(count * m.mesh.node_count, 3 * sizeof(double));
  assert_non_null(m.snapshots);
  for (size_t l = 0; l < count; l++)
    for (size_t n = 0; n < m.mesh.node_count; n++) {
      double *u = m.snapshots + 3 * (l * m.mesh.node_count + n);
      const double *x = m.mesh.node[n];
      u[0] = weight[l][0] * x[0] + weight[l][2] * x[1], u[1] = weight[l][1] * x[1] + weight[l][2] * x[0];
    }
  return m;
}

static void end_motion(known_motion *m)
{
  fem_system_clear(&m->system);
  geo_hexes_clear(&m->mesh);
  free(m->snapshots);
}

/* Differences of snapshots: as many modes as there are ways in which the snapshots differ, though there are more snapshots; M-normal, of
 * diagonal stiffness, and all of the motion in them. Where only two are asked for, less of it. Snapshots that do not move are refused. */
static void test_differences_of_snapshots_are_pruned(void **state)
{
  (void)state;
  static const double weight[6][3] = {{1e-3, 0, 0},       {2e-3, 1e-3, 0},    {2e-3, 1e-3, 0},
                                      {2e-3, 2e-3, 3e-3}, {2e-3, 2e-3, 5e-3}, {4e-3, 1e-3, 5e-3}},
                      rest[2][3] = {{0}, {0}};
  known_motion m = move_box(6, weight), still = move_box(2, rest);
  fem_modes modes;
  double share = 0, less = 0, *heavy = calloc(m.mesh.node_count, 3 * sizeof *heavy);
  scr_error error = {0};
  assert_non_null(heavy);
  if (fem_differences_find(&m.system, m.snapshots, 6, 6, execution_of(1), &modes, &share, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_int_equal(modes.count, 3);
  assert_true(fabs(share - 1) < 1e-12);
  for (size_t a = 0; a < 3; a++) {
    assert_true(modes.value[a] > 0 && (a == 0 || modes.value[a] >= modes.value[a - 1]));
    fem_mass_multiply(&m.system, modes.shape + a * modes.size, heavy, execution_of(1));
    for (size_t b = 0; b < 3; b++) {
      double dot = 0;
      for (size_t k = 0; k < modes.size; k++) dot += heavy[k] * modes.shape[b * modes.size + k];
      assert_true(fabs(dot - (a == b)) < 1e-11);
    }
  }
  fem_modes_clear(&modes);
  assert_int_equal(fem_differences_find(&m.system, m.snapshots, 6, 2, execution_of(1), &modes, &less, &error), SCR_OK);
  assert_true(modes.count == 2 && less < share - 1e-3);
  fem_modes_clear(&modes);
  assert_int_equal(fem_differences_find(&still.system, still.snapshots, 2, 2, execution_of(1), &modes, &less, &error), SCR_DIVERGED);
  assert_int_equal(fem_last_snapshot_mode(&still.system, still.snapshots, 2, &modes, &error), SCR_DIVERGED);
  free(heavy);
  end_motion(&m), end_motion(&still);
}

/* The table of one load, in closed form: stretches by e and by e + 40 e^2 of a linear box are one field, whose energy is quadratic in how
 * far its end went, so that the forces along the motion are exact, whatever the spacing of the levels: U = F eps/2 = K eps^2/2. A load that
 * turns back is refused. */
static void test_a_load_is_told_by_how_far_it_went(void **state)
{
  (void)state;
  double weight[5][3] = {{0}};
  for (int l = 0; l < 5; l++) weight[l][0] = 1e-3 * (l + 1) + 4e-4 * (l + 1) * (l + 1);
  known_motion m = move_box(5, (const double(*)[3])weight);
  const scr_specimen specimen = {.rotation_axis = {0, 0, 1}};
  fem_modes modes;
  geo_basis basis = {0};
  scr_error error = {0};
  assert_int_equal(fem_last_snapshot_mode(&m.system, m.snapshots, 5, &modes, &error), SCR_OK);
  fem_basis_request wish = {.system = &m.system,
                            .mesh = &m.mesh,
                            .specimen = &specimen,
                            .modes = &modes,
                            .mode_count = 1,
                            .young_modulus = 1e6,
                            .poisson_ratio = 0.3,
                            .snapshot_count = 5,
                            .snapshots = m.snapshots,
                            .travel = true,
                            .execution = execution_of(1)};
  if (fem_basis_make(&wish, &basis, &error) != SCR_OK) fail_msg("%s", error.message);
  for (size_t l = 0; l < 5; l++) {
    double eps = weight[l][0]; /* of the end at x = 1 */
    assert_true(fabs(basis.amplitude[l] / eps - 1) < 1e-12);
    assert_true(fabs(basis.energy[l] / (0.5 * basis.stiffness[0] * eps * eps) - 1) < 1e-10);
    assert_true(fabs(basis.force[l] / (basis.stiffness[0] * eps) - 1) < 1e-10);
  }
  geo_basis_clear(&basis);
  memset(m.snapshots + 3 * modes.size, 0, modes.size * sizeof(double));
  assert_int_equal(fem_basis_make(&wish, &basis, &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "grows from snapshot to snapshot"));
  fem_modes_clear(&modes);
  end_motion(&m);
}

/* A ball of radius 1 cm between six walls that come in by 1.6 mm in 0.1 s. */
static char *pressed_ball(const char *method, const char *options)
{
  static char text[2000];
  char walls[600] = "";
  for (int k = 0; k < 6; k++)
    snprintf(walls + strlen(walls), sizeof walls - strlen(walls),
             "%s\"%c_%s\": { \"program\": [ { \"type\": \"constant\", \"velocity\": %g } ] }", k ? ", " : "", "xyz"[k / 2],
             k % 2 ? "max" : "min", k % 2 ? -0.016 : 0.016);
  snprintf(text, sizeof text,
           "{ \"scree\": 1, \"name\": \"press\", \"method\": \"%s\", \"options\": { \"law\": \"linear\", \"impact\": \"mass\" %s }, "
           "\"materials\": [ { \"name\": \"m\", \"density\": 1000, \"young_modulus\": 1e6, \"poisson_ratio\": 0.3, \"stiffness_damping\": "
           "2e-4 } ], "
           "\"contact\": { \"friction_coefficient\": 0 }, \"specimens\": [ { \"name\": \"ball\", \"material\": \"m\", \"spacing\": 0.004, "
           "\"shape\": { "
           "\"type\": \"sphere\", \"radius\": 0.01 }, \"placement\": { \"type\": \"single\", \"position\": [0, 0, 0] } } ], \"rig\": { "
           "\"type\": "
           "\"box\", \"minimum\": [-0.01, -0.01, -0.01], \"maximum\": [0.01, 0.01, 0.01], \"gravity\": [0, 0, 0], \"walls\": { %s } }, "
           "\"time\": { "
           "\"duration\": 0.1, \"time_step\": 5e-3 } }",
           method, options, walls);
  return text;
}

/* The last snapshot as a mode: its table is what the six walls do, over how far they went (spec, table 5.7 of the level-set grains): F = 6
 * F_wall. The walls' own run says F_wall. Tolerance: of differences over a tenth of the way at the end of a motion, and what damping takes.
 * */
static void test_the_last_snapshot_has_the_walls_force(void **state)
{
  (void)state;
  char *folder = folder_create();
  sim_run run = run_open(pressed_ball("coarsening", ", \"basis\": true, \"snapshots\": 10, \"snapshot_modes\": \"last\", \"modes\": 2"), 1);
  run.sim->files = (sim_files){take_file, folder};
  const coarsening_state *s = run.sim->state;
  run_steps(&run, 10 + 2 + s->plan.count);
  geo_basis basis = read_basis(folder);
  sim_run walls = run_open(pressed_ball("fem", ""), 1);
  assert_true(basis.level_count == 10 && basis.mode_count == 1);
  run_steps(&walls, 1);
  for (size_t l = 0; l < 9; l++) { /* a wall's force is that of the middle of a step: at the end of one it is the mean of two */
    run_steps(&walls, 1);
    double before = run_curve(&walls, "wall.z_max.force_z"), way = 1.6e-4 * (double)(l + 1);
    run_steps(&walls, 1);
    double force = 3 * fabs(before + run_curve(&walls, "wall.z_max.force_z"));
    print_message("# walls went %.3g mm: place of the mode %.4g mm, six walls %.5g N, table %.5g N\n", 1e3 * way, 1e3 * basis.amplitude[l],
                  force, basis.force[l]);
    assert_true(fabs(basis.amplitude[l] / way - 1) < 0.01);
    assert_true(fabs(basis.force[l] / force - 1) <
                (l < 5 ? 0.03 : 0.1)); /* from level 5 on more nodes touch, one ring after the other: the parabola rounds such kinks */
  }
  geo_basis_clear(&basis);
  run_close(&run), run_close(&walls);
  folder_remove(folder);
}

/* A basis of snapshots: of the pressed ball one mode holds nearly all of the motion, and its generalised force is the work of the six
 * walls: F dU/deps deps = 6 F_wall ddelta (spec, section 9; table 5.7 of the level-set grains). The walls' own run says F_wall. Tolerance:
 * differences over a tenth of the way, and what damping takes. */
static void test_snapshots_of_a_pressed_ball_make_its_table(void **state)
{
  (void)state;
  char *folder = folder_create();
  sim_run run = run_open(pressed_ball("coarsening", ", \"basis\": true, \"snapshots\": 10, \"modes\": 1"), 1);
  run.sim->files = (sim_files){take_file, folder};
  const coarsening_state *s = run.sim->state;
  run_steps(&run, 10 + 2 + s->plan.count);
  geo_basis basis = read_basis(folder);
  sim_run walls = run_open(pressed_ball("fem", ""), 1);
  run_steps(&walls, 19);
  double before = run_curve(&walls, "wall.z_max.force_z");
  run_steps(&walls, 1);
  double force = 0.5 * (before + run_curve(&walls, "wall.z_max.force_z"));
  assert_true(basis.level_count == 10 && basis.mode_count == 1);
  for (size_t l = 1; l < 10; l++)
    assert_true(basis.amplitude[l] > basis.amplitude[l - 1] && basis.energy[l] > basis.energy[l - 1] &&
                basis.force[l] > basis.force[l - 1]);
  assert_true(fabs(basis.energy[9] / run_value(&walls, "energy.elastic") - 1) < 1e-6);
  double slope = (basis.energy[9] - basis.energy[8]) / (basis.amplitude[9] - basis.amplitude[8]);
  double middle = 0.5 * (basis.force[8] + basis.force[9]), way = (basis.amplitude[9] - basis.amplitude[8]) / 1.6e-4;
  print_message("# work of walls %.5g, energy %.5g, generalised force %.5g N\n", 6 * fabs(force), slope * way, middle * way);
  assert_true(fabs(slope * way / (6 * fabs(force)) - 1) < 0.02);
  assert_true(fabs(middle / slope - 1) < 0.02);
  geo_basis_clear(&basis);
  run_close(&run), run_close(&walls);
  folder_remove(folder);
}

/* A list that has no sufficient mesh fails with what was best. */
static void test_no_sufficient_mesh_fails_with_the_reason(void **state)
{
  (void)state;
  const beam_scene scene = {{20, 2, 2}, 0, clamp, "\"modes\": 4, \"meshes\": \"1x1x1 2x1x1\", \"match\": 0.999"};
  sim_run run = run_open(beam_text(&scene, ""), 1);
  scr_error error = {0};
  run_steps(&run, 3);
  assert_int_equal(scr_sim_step(run.sim, &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "no mesh of the 2 tried moves like the fine one (4 modes)"));
  run_close(&run);
}

/* Two elements for the whole cantilever, 3 mm high, bend so stiffly (a/h = 17: 1 + (a/h)^2/2 = 140 times by static bending) that their
 * Young's modulus would have to be below 0.02 of the fine one's: no such mesh is taken, though its mode looks right. */
static void test_a_mesh_that_is_another_body_is_not_taken(void **state)
{
  (void)state;
  const beam_scene scene = {{40, 1, 1}, 0, clamp, "\"element\": \"plain\", \"modes\": 1, \"meshes\": \"2x1x1\", \"match\": 0.9"};
  char *text = beam_text(&scene, "");
  memcpy(strstr(text, "0.008"), "0.003", 5);
  sim_run run = run_open(text, 1);
  const coarsening_state *s = run.sim->state;
  scr_error error = {0};
  run_steps(&run, 2);
  print_message("# scale %.4g, match %.3g: %s\n", s->rows[0].scale, s->rows[0].least_match,
                s->rows[0].refused ? s->rows[0].refused : "taken");
  assert_int_equal(scr_sim_step(run.sim, &error), SCR_DIVERGED);
  assert_true(s->rows[0].least_match > 0.9 && s->rows[0].scale < 0.02);
  assert_non_null(strstr(s->rows[0].refused, "scaled beyond 0.02 ... 1.05"));
  run_close(&run);
}

/* The basis is what such a run is for: it ends with it, and with a doubt. */
static void test_a_basis_is_made_though_no_mesh_is_sufficient(void **state)
{
  (void)state;
  char *folder = folder_create();
  const beam_scene scene = {{20, 2, 2}, 0, clamp, "\"modes\": 4, \"meshes\": \"1x1x1\", \"match\": 0.999, \"basis\": true"};
  sim_run run = run_open(beam_text(&scene, ""), 1);
  run.sim->files = (sim_files){take_file, folder};
  const coarsening_state *s = run.sim->state;
  run_steps(&run, 2 + s->plan.count);
  assert_true(s->chosen == SIZE_MAX);
  assert_int_equal(run.sim->doubt_count, 1);
  assert_string_equal(run.sim->doubts[0].kind, "no_coarse_mesh");
  geo_basis basis = read_basis(folder);
  assert_int_equal(basis.mode_count, 4);
  geo_basis_clear(&basis);
  run_close(&run);
  folder_remove(folder);
}

static void test_bad_scenes_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *options, *pointer, *word;
  } cases[] = {
      {"\"meshes\": \"4x1\"", "/options/meshes", "is not a mesh"},
      {"\"meshes\": \"4x1x1y\"", "/options/meshes", "is not a mesh"},
      {"\"meshes\": \"4x0x1\"", "/options/meshes", "is not a mesh"},
      {"\"meshes\": \"-0.1\"", "/options/meshes", "is not a mesh"},
      {"\"meshes\": \"20x2x2\"", "/options/meshes", "as many elements"},
      {"\"basis\": true, \"levels\": 3", "/options/amplitude", "no amplitude"},
      {"\"basis\": true, \"levels\": 90, \"amplitude\": 0.001", "/options/levels", "1024"},
      {"\"snapshots\": 5", "/options/snapshots", "ask for the basis"},
      {"\"modes\": 61", "/options/modes", "modes"},
      {"\"basis\": true, \"snapshot_modes\": \"last\"", "/options/snapshot_modes", "no snapshots"},
  };
  for (size_t k = 0; k <= sizeof cases / sizeof *cases; k++) {
    bool second = k == sizeof cases / sizeof *cases;
    const beam_scene scene = {{20, 2, 2}, 0, clamp, second ? "" : cases[k].options};
    const char *text =
        beam_text(&scene, second ? ", { \"name\": \"other\", \"material\": \"m\", \"divisions\": [2, 1, 1], \"shape\": { \"type\": "
                                   "\"box\", \"size\": [0.1, 0.1, 0.1] }, \"placement\": { \"type\": \"single\", \"position\": "
                                   "[0, 1, 0] } }"
                                 : "");
    scr_scene *parsed = NULL;
    scr_problems problems = {0};
    assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &parsed, &problems), SCR_BAD_SCENE);
    const char *pointer = second ? "/specimens" : cases[k].pointer, *word = second ? "one body" : cases[k].word;
    if (strcmp(problems.items[0].pointer, pointer) != 0 || !strstr(problems.items[0].detail, word))
      fail_msg("%s: %s", problems.items[0].pointer, problems.items[0].detail);
    scr_problems_clear(&problems);
  }
}

SUITE(test_fem_coarsening)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_coarsest_sufficient_mesh_is_chosen),
      cmocka_unit_test(test_a_coarse_jumper_jumps_as_high_as_it_says),
      cmocka_unit_test(test_coarse_jumpers_jump_as_high_as_a_fine_one),
      cmocka_unit_test(test_close_modes_need_no_neighbours),
      cmocka_unit_test(test_a_free_body_has_no_rigid_modes),
      cmocka_unit_test(test_fields_are_free_of_momenta_and_of_the_place),
      cmocka_unit_test(test_forces_of_the_table_are_slopes_of_its_energies),
      cmocka_unit_test(test_uniform_strain_has_its_stiffness),
      cmocka_unit_test(test_differences_of_snapshots_are_pruned),
      cmocka_unit_test(test_a_load_is_told_by_how_far_it_went),
      cmocka_unit_test(test_snapshots_of_a_pressed_ball_make_its_table),
      cmocka_unit_test(test_the_last_snapshot_has_the_walls_force),
      cmocka_unit_test(test_no_sufficient_mesh_fails_with_the_reason),
      cmocka_unit_test(test_a_mesh_that_is_another_body_is_not_taken),
      cmocka_unit_test(test_a_basis_is_made_though_no_mesh_is_sufficient),
      cmocka_unit_test(test_bad_scenes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
