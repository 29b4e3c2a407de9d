/* Static solves for comparisons. */
#include "tests/support/fem_static.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "geometry/hexes/blocks.h"
#include "tests/support/folder.h"

static double processor_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

fem_static fem_static_cantilever(const double size[3], const uint32_t cells[3], const double force[3], fem_constitutive matter)
{
  fem_static c = {.matter = matter};
  if (geo_hexes_box(size, cells, &c.mesh, NULL) != SCR_OK) abort();
  size_t n = c.mesh.node_count;
  c.fixed = mem_array(3 * n, sizeof *c.fixed);
  c.load = mem_array(3 * n, sizeof *c.load);
  if (!c.fixed || !c.load) abort();
  double cell = 0.25 / (cells[1] * cells[2]);
  for (size_t k = 0; k < n; k++) {
    c.mesh.node[k][0] += 0.5 * size[0];
    for (size_t i = 0; i < 3; i++) c.fixed[3 * k + i] = c.mesh.node[k][0] < 1e-9 * size[0];
  }
  for (size_t e = 0; e < c.mesh.hex_count; e++)
    for (int a = 0; a < FEM_CORNERS; a++) {
      size_t k = c.mesh.hex[e][a];
      for (size_t i = 0; i < 3 && c.mesh.node[k][0] > size[0] * (1 - 1e-9); i++) c.load[3 * k + i] += cell * force[i];
    }
  return c;
}

void fem_static_clear(fem_static *c)
{
  geo_hexes_clear(&c->mesh);
  mem_free(c->fixed);
  mem_free(c->load);
  *c = (fem_static){0};
}

/* The stiffness with clamped unknowns on the diagonal alone. */
static scr_status make_matrix(const fem_static *c, const fem_system *s, la_sparse *matrix, scr_error *error)
{
  size_t bad;
  double *u = mem_array(3 * s->node_count, sizeof *u), *mode = mem_array(FEM_MODE_UNKNOWNS * s->hex_count, sizeof *mode);
  double *block = mem_array(9 * s->block_count, sizeof *block);
  scr_status status = u && mode && block ? fem_system_matrix(s, matrix, error) : SCR_NO_MEMORY;
  if (status == SCR_OK) (void)fem_system_evaluate(s, u, mode, false, NULL, block, execution_of(1), &bad);
  for (size_t n = 0; n < s->node_count && status == SCR_OK; n++)
    for (size_t k = s->first[n]; k < s->first[n + 1]; k++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          size_t row = 3 * (size_t)s->row[k] + (size_t)i, column = 3 * n + (size_t)j;
          double value = block[9 * k + (size_t)(3 * i + j)];
          matrix->value[fem_matrix_slot(s, n, k, i, j)] = !c->fixed[row] && !c->fixed[column] ? value : row == column ? s->modulus[0] : 0;
        }
  mem_free(u), mem_free(mode), mem_free(block);
  return status;
}

/* Seconds since *since, which moves on. */
static double lap(double *since)
{
  double now = processor_now(), gone = now - *since;
  *since = now;
  return gone;
}

static scr_status solve_columns(la_factor *factor, const double *b, size_t n, size_t columns, double *time, scr_error *error)
{
  double since = processor_now(), *x = mem_array(columns, n * sizeof *x);
  if (!x) return SCR_NO_MEMORY;
  for (size_t k = 0; k < columns; k++) memcpy(x + k * n, b, n * sizeof *x);
  scr_status status = la_factor_solve(factor, x, columns, x, error);
  *time = lap(&since);
  mem_free(x);
  return status;
}

scr_status fem_static_solve(const fem_static *c, double *displacement, fem_static_cost *cost, size_t columns, double *columns_time,
                            scr_error *error)
{
  const fem_body body = {&c->mesh, c->matter, 1};
  fem_system system = {0};
  la_sparse matrix = {0};
  la_factor *factor = NULL;
  double begun = processor_now(), since = begun;
  scr_status status = fem_system_create(&body, 1, &system, error);
  cost->system = lap(&since);
  if (status == SCR_OK) status = make_matrix(c, &system, &matrix, error);
  cost->matrix = lap(&since);
  if (status == SCR_OK) status = la_factor_create(LA_FACTOR_CHOLESKY, &factor, error);
  if (status == SCR_OK) status = la_factor_analyse(factor, &matrix, error);
  cost->analyse = lap(&since);
  if (status == SCR_OK) status = la_factor_make(factor, &matrix, error);
  cost->factor = lap(&since);
  if (status == SCR_OK) status = la_factor_solve(factor, c->load, 1, displacement, error);
  cost->solve = lap(&since);
  cost->whole = since - begun;
  if (factor) cost->foreseen = la_factor_estimate(factor);
  if (status == SCR_OK && columns) status = solve_columns(factor, c->load, 3 * c->mesh.node_count, columns, columns_time, error);
  la_factor_destroy(factor);
  la_sparse_clear(&matrix);
  fem_system_clear(&system);
  return status;
}

/* ── CalculiX ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Numbers of at most 20 characters: it reads no more of a field. */
static bool write_input(const fem_static *c, const char *path)
{
  FILE *f = fopen(path, "w");
  if (!f) return false;
  double mu = c->matter.moduli.mu, lambda = c->matter.moduli.lambda, nu = lambda / (2 * (lambda + mu));
  fprintf(f, "*NODE, NSET=ALL\n");
  for (size_t n = 0; n < c->mesh.node_count; n++)
    fprintf(f, "%zu, %.12e, %.12e, %.12e\n", n + 1, c->mesh.node[n][0], c->mesh.node[n][1], c->mesh.node[n][2]);
  fprintf(f, "*ELEMENT, TYPE=%s, ELSET=BODY\n", c->matter.formulation == FEM_INCOMPATIBLE_MODES ? "C3D8I" : "C3D8");
  for (size_t e = 0; e < c->mesh.hex_count; e++) {
    const uint32_t *h = c->mesh.hex[e];
    fprintf(f, "%zu, %u, %u, %u, %u, %u, %u, %u, %u\n", e + 1, h[0] + 1, h[1] + 1, h[2] + 1, h[3] + 1, h[4] + 1, h[5] + 1, h[6] + 1,
            h[7] + 1);
  }
  fprintf(f, "*BOUNDARY\n");
  for (size_t k = 0; k < 3 * c->mesh.node_count; k++)
    if (c->fixed[k]) fprintf(f, "%zu, %zu, %zu\n", k / 3 + 1, k % 3 + 1, k % 3 + 1);
  fprintf(f, "*MATERIAL, NAME=M\n*ELASTIC\n%.12e, %.12e\n*SOLID SECTION, ELSET=BODY, MATERIAL=M\n*STEP\n*STATIC\n*CLOAD\n",
          2 * mu * (1 + nu), nu);
  for (size_t k = 0; k < 3 * c->mesh.node_count; k++)
    if (c->load[k] != 0) fprintf(f, "%zu, %zu, %.12e\n", k / 3 + 1, k % 3 + 1, c->load[k]);
  fprintf(f, "*NODE PRINT, NSET=ALL\nU\n*END STEP\n");
  return fclose(f) == 0;
}

/* Runs ccx on `job` in a folder, what it says thrown away. @return whether it ended well */
static bool run(const char *folder, const char *job, double *seconds)
{
  struct rusage used;
  int status;
  pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere < 0 || chdir(folder) != 0 || setenv("OMP_NUM_THREADS", "1", 1) != 0 || setenv("CCX_NPROC_EQUATION_SOLVER", "1", 1) != 0)
      _exit(127);
    dup2(nowhere, 0), dup2(nowhere, 1), dup2(nowhere, 2);
    if (job)
      execlp("ccx", "ccx", "-i", job, (char *)NULL);
    else
      execlp("ccx", "ccx", "-v", (char *)NULL);
    _exit(127);
  }
  if (wait4(child, &status, 0, &used) != child) return false;
  *seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  return WIFEXITED(status) && WEXITSTATUS(status) != 127;
}

bool calculix_there(void)
{
  double seconds;
  return run("/tmp", NULL, &seconds);
}

static size_t read_displacements(const char *path, size_t nodes, double *u)
{
  char line[256];
  size_t found = 0;
  FILE *f = fopen(path, "r");
  if (!f) return 0;
  while (fgets(line, sizeof line, f)) {
    char *at = line, *end = NULL;
    double x[3] = {0, 0, 0};
    unsigned long node = strtoul(at, &end, 10);
    int read = end != at;
    for (int k = 0; k < 3 && read == k + 1; k++) {
      at = end;
      x[k] = strtod(at, &end);
      read += end != at;
    }
    if (read != 4 || node < 1 || node > nodes) continue;
    memcpy(u + 3 * (node - 1), x, sizeof x);
    found++;
  }
  fclose(f);
  return found;
}

bool calculix_solve(const fem_static *c, double *displacement, double *seconds)
{
  char *folder = folder_create(), *input = folder_path(folder, "job.inp"), *output = folder_path(folder, "job.dat");
  bool ok = write_input(c, input) && run(folder, "job", seconds) &&
            read_displacements(output, c->mesh.node_count, displacement) == c->mesh.node_count;
  free(input);
  free(output);
  folder_remove(folder);
  return ok;
}
