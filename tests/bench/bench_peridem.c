/* Speed of method peridem. Prints Markdown; see the notes it prints. Without a word all parts, else those named:
 *
 *   whole     nanoseconds per undirected bond and step, one thread and two; LAMMPS's peridynamics on the same cubes in the same run
 *   stages    where a step's time goes, timed at the seam (backend.h)
 *   kernels   bond forces by each set of instructions
 *   roofline  what bounds the bond forces: memory, vector instructions, gathers
 *   scaling   the paper's scaling case
 *   sums      what it costs that blocks' sums are added exactly, in the pass that kicks all nodes */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "methods/peridem/host/host.h"
#include "methods/peridem/host/motion/motion.h"
#include "sim/method.h"
#include "tests/bench/peridem_cases.h"
#include "tests/support/bandwidth.h"

static void give_up(const char *why)
{
  fprintf(stderr, "bench_peridem: %s\n", why);
  exit(1);
}

static scr_scene *make_scene(const bench_case *c)
{
  char text[4096];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"bench\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e9,"
           "\"fracture_energy\":135}],"
           "\"contact\":{\"friction_coefficient\":0.9,\"damping_ratio\":0.9},\"specimens\":[%s],\"rig\":%s,\"time\":{\"duration\":1e-4},"
           "\"options\":{%s}}",
           c->specimen, c->rig, c->options);
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  if (scr_scene_parse(text, strlen(text), NULL, &scene, &problems) != SCR_OK)
    give_up(problems.count ? problems.items[0].detail : "no memory");
  return scene;
}

/* Moves the nodes of a single grain at random, by up to a fifth of the spacing, with a fixed seed, and its bonds with them: a mesh that is
 * no lattice, but with as many bonds. */
static void make_irregular(pd_state *s)
{
  pd_host *h = s->host;
  pd_bonds *bonds = &s->bodies[0].bonds;
  scr_error error = {0};
  uint64_t seed = 1;
  for (size_t i = 0; i < s->node_count; i++)
    for (int a = 0; a < 3; a++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      double way = 0.4 * s->bodies[0].spacing * ((double)(seed >> 11) / 9007199254740992.0 - 0.5);
      pd_axis(&h->reference, a)[i] += way;
      pd_axis(&h->position, a)[i] += way;
    }
  for (size_t i = 0; i < s->node_count; i++)
    for (uint32_t k = bonds->first[i]; k < bonds->first[i] + bonds->count[i]; k++) {
      size_t j = bonds->other[k];
      double x = h->position.x[j] - h->position.x[i], y = h->position.y[j] - h->position.y[i], z = h->position.z[j] - h->position.z[i];
      bonds->inverse_length[k] = 1 / sqrt(x * x + y * y + z * z);
    }
  h->near.stale = true;
  pd_runs_clear(&h->runs);
  if (pd_runs_create(&h->runs, s, &error) != SCR_OK) give_up(error.message);
}

static scr_sim *open_case(const bench_case *c, const scr_scene *scene, unsigned threads)
{
  scr_sim *sim = NULL;
  scr_error error = {0};
  if (scr_sim_create(scene, threads, &sim, &error) != SCR_OK) give_up(error.message);
  if (c->irregular) make_irregular(sim->state);
  return sim;
}

static void make_steps(scr_sim *sim, unsigned steps)
{
  scr_error error = {0};
  for (unsigned i = 0; i < steps; i++)
    if (scr_sim_step(sim, &error) != SCR_OK) give_up(error.message);
}

static double bonds_of(const scr_sim *sim)
{
  const pd_state *s = sim->state;
  double slots = 0;
  for (size_t g = 0; g < s->grain_count; g++) slots += (double)s->bodies[s->host->grains[g].body].bonds.slot_count;
  return slots / 2;
}

/* Seconds of the calling thread where it is alone: what it takes even where the machine is shared. */
static double seconds_of(unsigned threads)
{
  return threads == 1 ? thread_seconds() : seconds_now();
}

/* Whole steps from the start, s per step: the best of so many stretches. */
static double time_run(const bench_case *c, const scr_scene *scene, unsigned threads, int stretches)
{
  scr_sim *sim = open_case(c, scene, threads);
  double best = INFINITY;
  for (int stretch = 0; stretch < stretches; stretch++) {
    double begun = seconds_of(threads);
    make_steps(sim, c->steps);
    best = fmin(best, seconds_of(threads) - begun);
  }
  scr_sim_destroy(sim);
  return best / c->steps;
}

/* ── whole steps ──────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct whole_times {
  double one, two; /* s per step */
} whole_times;

/* In turns: a machine's speed drifts, but hardly within a turn. */
static whole_times time_whole(const bench_case *c, const scr_scene *scene)
{
  whole_times best = {INFINITY, INFINITY};
  for (int turn = 0; turn < 3; turn++) {
    best.one = fmin(best.one, time_run(c, scene, 1, c->whole ? 1 : 3));
    best.two = fmin(best.two, time_run(c, scene, 2, c->whole ? 1 : 3));
  }
  return best;
}

/* ns per bond and step of LAMMPS on the same cube; NaN where it cannot be run. */
static double time_lammps(const bench_case *c, int processes)
{
  char command[256], line[512];
  snprintf(command, sizeof command, "/usr/bin/python3 tests/comparisons/lammps_peri.py %d %u %d%s 2>/dev/null", c->lattice_edge,
           c->steps / 3, processes, c->irregular ? " irregular" : "");
  FILE *pipe = popen(command, "r");
  double value = NAN;
  if (pipe && fgets(line, sizeof line, pipe)) {
    const char *at = strstr(line, "\"ns_per_bond\": ");
    if (at) value = strtod(at + 15, NULL);
  }
  if (pipe) pclose(pipe);
  return value;
}

/* Bytes of bonds that a step goes through, over the bonds. */
static double bytes_per_bond(const scr_sim *sim)
{
  const pd_state *s = sim->state;
  const pd_runs *runs = &s->host->runs;
  double bytes = 0;
  for (size_t g = 0; g < runs->group_count; g++) {
    const pd_run_plan *plan = runs->group[g].plan;
    bytes += (double)plan->entry_count * sizeof(pd_run_entry) + (double)plan->vector_count * 8;
    if (plan->lane_kind) bytes += (double)plan->kind_count * sizeof(pd_lane_class);
  }
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_bonds *bonds = &s->bodies[s->host->grains[g].body].bonds;
    if (runs->group_of[g] == PD_NO_GROUP) bytes += (double)bonds->slot_count * (bonds->weight ? 20 : 12) + (double)bonds->node_count * 8;
  }
  return bytes / bonds_of(sim);
}

static void print_whole(void)
{
  printf(
      "Whole steps with damage, best of three turns; of a crush from its start to its end, every phase in it. Bytes: of bonds, that a step "
      "goes through.\n\n"
      "| case | nodes | bonds | bytes per bond | ns per bond, 1 thread | 2 threads | 1 thread / 2 threads | LAMMPS, 1 process | LAMMPS / "
      "Scree, 1 thread | "
      "LAMMPS, 2 processes | LAMMPS / Scree, 2 threads |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (size_t k = 0; k < CASE_COUNT; k++) {
    const bench_case *c = &cases[k];
    scr_scene *scene = make_scene(c);
    scr_sim *sim = open_case(c, scene, 1);
    double bonds = bonds_of(sim), bytes = bytes_per_bond(sim);
    size_t nodes = ((pd_state *)sim->state)->node_count;
    scr_sim_destroy(sim);
    whole_times t = time_whole(c, scene);
    double one = t.one / bonds * 1e9, two = t.two / bonds * 1e9;
    printf("| %s | %zu | %.0f | %.1f | %.2f | %.2f | %.2f |", c->name, nodes, bonds, bytes, one, two, one / two);
    if (c->lattice_edge) {
      double other = time_lammps(c, 1), other_two = time_lammps(c, 2);
      printf(" %.1f | %.1f | %.1f | %.1f |\n", other, other / one, other_two, other_two / two);
    } else {
      printf(" | | | |\n");
    }
    fflush(stdout);
    scr_scene_destroy(scene);
  }
}

/* ── stages ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

enum { STAGE_BONDS, STAGE_CONTACTS, STAGE_RIG, STAGE_BREAKING, STAGE_MOTION, STAGE_DAMPING, STAGE_CHECKS, STAGES };

static double spent[STAGES]; /* s */

/* An entry that is timed into a stage. */
#define TIMED(stage, call)                                                                                                                 \
  do {                                                                                                                                     \
    double begun = seconds_now();                                                                                                          \
    call;                                                                                                                                  \
    spent[stage] += seconds_now() - begun;                                                                                                 \
  } while (0)

static void timed_predict(pd_state *s, double *fracture)
{
  TIMED(STAGE_MOTION, pd_backend_host.predict(s, fracture));
}

static size_t timed_bonds(pd_state *s)
{
  size_t torn;
  TIMED(STAGE_BONDS, torn = pd_backend_host.bond_forces(s));
  return torn;
}

static scr_status timed_contacts(pd_state *s, double *heat, scr_error *error)
{
  scr_status status;
  TIMED(STAGE_CONTACTS, status = pd_backend_host.contact_forces(s, heat, error));
  return status;
}

static scr_status timed_rig(pd_state *s, pd_part_sums *sums, double *heat, double *push, scr_error *error)
{
  scr_status status;
  TIMED(STAGE_RIG, status = pd_backend_host.rig_forces(s, sums, heat, push, error));
  return status;
}

static scr_status timed_breaking(pd_state *s, double *fracture, uint64_t *broken, scr_error *error)
{
  scr_status status;
  TIMED(STAGE_BREAKING, status = pd_backend_host.break_bonds(s, fracture, broken, error));
  return status;
}

static void timed_kick(pd_state *s, pd_kick_sums *sums)
{
  TIMED(STAGE_MOTION, pd_backend_host.kick(s, sums));
}

static scr_status timed_count(pd_state *s, size_t *count, scr_error *error)
{
  scr_status status;
  TIMED(STAGE_DAMPING, status = pd_backend_host.count_dampers(s, count, error));
  return status;
}

static void timed_damp(pd_state *s, pd_impulse_sums *sums, scr_vec3 *impulse, scr_vec3 *turning)
{
  TIMED(STAGE_DAMPING, pd_backend_host.damp(s, sums, impulse, turning));
}

static double timed_impulses(pd_state *s)
{
  double gain;
  TIMED(STAGE_DAMPING, gain = pd_backend_host.apply_impulses(s));
  return gain;
}

static void timed_inspect(const pd_state *s, bool bonds, pd_verdict *verdict)
{
  TIMED(STAGE_CHECKS, pd_backend_host.inspect(s, bonds, verdict));
}

/* Times every stage of a case's steps in three runs, keeps the least of each. @return bonds */
static double time_stages(const bench_case *c, const scr_scene *scene, const pd_backend *timed, unsigned threads, double least[STAGES])
{
  double bonds = 1;
  for (int stage = 0; stage < STAGES; stage++) least[stage] = INFINITY;
  for (int turn = 0; turn < 3; turn++) {
    scr_sim *sim = open_case(c, scene, threads);
    bonds = bonds_of(sim);
    ((pd_state *)sim->state)->backend = timed;
    memset(spent, 0, sizeof spent);
    make_steps(sim, c->steps);
    for (int stage = 0; stage < STAGES; stage++) least[stage] = fmin(least[stage], spent[stage]);
    ((pd_state *)sim->state)->backend = &pd_backend_host;
    scr_sim_destroy(sim);
  }
  return bonds;
}

static void print_stages_of(const bench_case *c, const pd_backend *timed)
{
  scr_scene *scene = make_scene(c);
  double one[STAGES], two[STAGES], bonds = time_stages(c, scene, timed, 1, one);
  time_stages(c, scene, timed, 2, two);
  scr_scene_destroy(scene);
  printf("| %s |", c->name);
  for (int stage = 0; stage < STAGES; stage++)
    printf(" %.2f / %.2f |", one[stage] / c->steps / bonds * 1e9, two[stage] / c->steps / bonds * 1e9);
  printf("\n");
  fflush(stdout);
}

static void print_stages(void)
{
  pd_backend timed = pd_backend_host;
  timed.predict = timed_predict;
  timed.bond_forces = timed_bonds;
  timed.contact_forces = timed_contacts;
  timed.rig_forces = timed_rig;
  timed.break_bonds = timed_breaking;
  timed.kick = timed_kick;
  timed.count_dampers = timed_count;
  timed.damp = timed_damp;
  timed.apply_impulses = timed_impulses;
  timed.inspect = timed_inspect;
  printf("Where a step's time goes, ns per bond with one thread / with two, wall-clock; the least of three runs for each stage.\n\n"
         "| case | bonds | contacts and their lists | rig | breaking | motion | damping | checks |\n|---|---|---|---|---|---|---|---|\n");
  for (size_t k = 0; k <= CASE_COUNT; k++) print_stages_of(k < CASE_COUNT ? &cases[k] : &settling, &timed);
  printf("\n");
}

/* ── bond forces alone ────────────────────────────────────────────────────────────────────────────────────────────── */

/* s per pass over all bonds: the best of many. */
static double time_bonds(const bench_case *c, const scr_scene *scene, const pd_kernels *kernels)
{
  scr_sim *sim = open_case(c, scene, 1);
  pd_state *s = sim->state;
  double best = INFINITY;
  s->host->kernels = kernels;
  for (int turn = 0; turn < 12; turn++) {
    unsigned passes = c->steps / 6 + 1;
    double begun = thread_seconds();
    for (unsigned k = 0; k < passes; k++) s->backend->bond_forces(s);
    best = fmin(best, (thread_seconds() - begun) / passes);
  }
  scr_sim_destroy(sim);
  return best;
}

static void print_kernels(void)
{
  const char *const names[] = {"avx512", "avx2", "portable"};
  const bench_case *const some[] = {&cases[CASE_CUBE_12],
                                    &cases[CASE_PAPER_12],
                                    &cases[CASE_CUBE_24],
                                    &cases[CASE_PAPER_24],
                                    &conic,
                                    &ball,
                                    &volume_24,
                                    &cases[CASE_CUBE_56],
                                    &paper_56,
                                    &cases[CASE_IRREGULAR_24],
                                    &cases[CASE_CRUSH],
                                    &cases[CASE_EIGHT]};
  printf("Bond forces of an unbroken body alone, ns per bond, one thread, by the kernel for each set of instructions.\n\n"
         "| case | AVX-512 | AVX2 | any processor | AVX2 / AVX-512 |\n|---|---|---|---|---|\n");
  for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
    scr_scene *scene = make_scene(some[k]);
    scr_sim *sim = open_case(some[k], scene, 1);
    double ns[3], bonds = bonds_of(sim);
    scr_sim_destroy(sim);
    for (int n = 0; n < 3; n++) {
      const pd_kernels *kernels = pd_kernels_named(names[n]);
      ns[n] = kernels ? time_bonds(some[k], scene, kernels) / bonds * 1e9 : NAN;
    }
    printf("| %s | %.2f | %.2f | %.2f | %.2f |\n", some[k]->name, ns[0], ns[1], ns[2], ns[1] / ns[0]);
    fflush(stdout);
    scr_scene_destroy(scene);
  }
}

/* ── roofline ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

#if defined(__x86_64__)
/* s per vector instruction of eight doubles, when nothing has to wait: sixteen independent chains of fused operations. */
__attribute__((target("avx512f"))) static double time_instruction(void)
{
  enum { CHAINS = 16, ROUNDS = 200000 };
  __m512d chain[CHAINS], step = _mm512_set1_pd(1e-9);
  double best = INFINITY;
  for (int turn = 0; turn < 20; turn++) {
    for (int k = 0; k < CHAINS; k++) chain[k] = _mm512_set1_pd(k);
    double begun = thread_seconds();
    for (int n = 0; n < ROUNDS; n++) {
#pragma GCC unroll 16
      for (int k = 0; k < CHAINS; k++) chain[k] = _mm512_fmadd_pd(chain[k], step, step);
#pragma GCC unroll 16
      for (int k = 0; k < CHAINS; k++) __asm__ volatile("" : "+v"(chain[k]));
    }
    best = fmin(best, (thread_seconds() - begun) / ((double)ROUNDS * CHAINS));
  }
  return best;
}

/* s per gather of eight doubles that are in the nearest cache. */
__attribute__((target("avx512f"))) static double time_gather(void)
{
  enum { COUNT = 1024, ROUNDS = 400000 };
  static double from[COUNT];
  double best = INFINITY;
  for (int turn = 0; turn < 20; turn++) {
    __m256i index = _mm256_setr_epi32(1, 90, 30, 140, 500, 20, 700, 300);
    double begun = thread_seconds();
    for (int n = 0; n < ROUNDS; n++) {
      __m512d got = _mm512_i32gather_pd(index, from, 8);
      __asm__ volatile("" : "+v"(got), "+v"(index));
    }
    best = fmin(best, (thread_seconds() - begun) / ROUNDS);
  }
  return best;
}

/* Vector instructions that a kernel issues for eight lanes, counted in kernel_body.h (loads and stores go beside them, gathers are counted
 * apart). */
enum { RUN_INSTRUCTIONS = 3 + 3 + 13 + 3 + 3 + 3, ROW_INSTRUCTIONS = 3 + 3 + 13 + 4 + 3, ROW_GATHERS = 3 };

/* One line: bounds, ns per bond, of memory, instructions and gathers. `from_memory`: the body is larger than the caches. */
static void print_roof(const bench_case *c, bool from_memory, double bandwidth, double instruction, double gather)
{
  scr_scene *scene = make_scene(c);
  scr_sim *sim = open_case(c, scene, 1);
  const pd_state *s = sim->state;
  const pd_runs *runs = &s->host->runs;
  double bonds = bonds_of(sim), bytes = bytes_per_bond(sim) + 72.0 * (double)s->node_count / bonds, vectors = 0, gathers = 0;
  for (size_t g = 0; g < runs->group_count; g++) vectors += RUN_INSTRUCTIONS * (double)runs->group[g].plan->entry_count;
  for (size_t g = 0; g < s->grain_count; g++) {
    const pd_bonds *rows = &s->bodies[s->host->grains[g].body].bonds;
    for (size_t i = 0; runs->group_of[g] == PD_NO_GROUP && i < rows->node_count; i++) {
      double eights = (rows->count[i] + PD_LANES - 1) / PD_LANES;
      vectors += ROW_INSTRUCTIONS * eights;
      gathers += ROW_GATHERS * eights;
    }
  }
  scr_sim_destroy(sim);
  double memory = from_memory ? bytes / bandwidth * 1e9 : 0, issue = vectors * instruction / bonds * 1e9,
         fetch = gathers * gather / bonds * 1e9;
  double took = time_bonds(c, scene, pd_kernels_named("avx512")) / bonds * 1e9, bound = fmax(memory, fmax(issue, fetch));
  printf("| %s | %.1f | %.2f | %.2f | %.2f | %.2f | %s | %.0f %% |\n", c->name, bytes, memory, issue, fetch, took,
         bound == memory  ? "memory"
         : bound == issue ? "vector instructions"
                          : "gathers",
         bound / took * 100);
  fflush(stdout);
  scr_scene_destroy(scene);
}

static void print_roofline(double bandwidth)
{
  if (!pd_kernels_named("avx512")) {
    printf("No roofline: this processor has no AVX-512.\n");
    return;
  }
  double instruction = time_instruction(), gather = time_gather();
  printf("What bounds the bond forces (AVX-512, one thread): least ns per bond by the bytes that come from memory (bonds, and 72 a node: "
         "positions read, "
         "forces read and written), by the vector instructions of eight lanes with empty lanes counted, and by gathers. Measured here: "
         "triad %.1f GB/s, %.3f ns "
         "an instruction, %.2f ns a gather of eight. Share: of what was taken, by the largest bound; what is over it waits for loads and "
         "stores that overlap, and "
         "brings nodes into order.\n\n"
         "| case | bytes per bond | memory | instructions | gathers | taken | bound by | share |\n|---|---|---|---|---|---|---|---|\n",
         bandwidth / 1e9, instruction * 1e9, gather * 1e9);
  print_roof(&cases[CASE_CUBE_12], false, bandwidth, instruction, gather);
  print_roof(&cases[CASE_CUBE_24], false, bandwidth, instruction, gather);
  print_roof(&cases[CASE_CUBE_56], true, bandwidth, instruction, gather);
  print_roof(&cases[CASE_IRREGULAR_12], false, bandwidth, instruction, gather);
  print_roof(&cases[CASE_IRREGULAR_24], true, bandwidth, instruction, gather);
  print_roof(&cases[CASE_CRUSH], false, bandwidth, instruction, gather);
  print_roof(&cases[CASE_EIGHT], false, bandwidth, instruction, gather);
}
#else
static void print_roofline(double bandwidth)
{
  printf("No roofline on this kind of processor; triad %.1f GB/s.\n", bandwidth / 1e9);
}
#endif

/* ── the paper's scaling case ─────────────────────────────────────────────────────────────────────────────────────── */

static void print_scaling(void)
{
  scr_scene *scene = make_scene(&settling);
  scr_sim *sim = open_case(&settling, scene, 1);
  const pd_state *s = sim->state;
  double bonds = bonds_of(sim), step = 2e-8, hours[] = {369.31, 699.07};
  size_t nodes = s->node_count, grains = s->grain_count;
  scr_sim_destroy(sim);
  whole_times t = time_whole(&settling, scene);
  scr_scene_destroy(scene);
  printf("The paper's strong scaling: 225 cubes, 272,475 nodes, 5.36 million bonds, 369 to 699 hours of processor time on 20 to 80 cores "
         "(its table 4). Here %zu cubes, "
         "%zu nodes, %.2f million bonds, all in contact with their neighbours: **%.4f s a step** with one thread (%.2f ns per bond), %.4f "
         "s with two.\n"
         "How many steps it made is not printed. In %.0f hours one core makes %.0f million of these steps, %.1f s of motion at its step of "
         "%.0e s; in %.0f hours %.1f s. "
         "A fall of 10 mm takes 45 ms, %.2f million steps: %.0f hours of one core here, a %.0fth of the least that it printed.\n",
         grains, nodes, bonds / 1e6, t.one, t.one / bonds * 1e9, t.two, hours[0], hours[0] * 3600 / t.one / 1e6,
         hours[0] * 3600 / t.one * step, step, hours[1], hours[1] * 3600 / t.one * step, 0.045 / step / 1e6, 0.045 / step * t.one / 3600,
         hours[0] / (0.045 / step * t.one / 3600));
}

/* ── exact sums ───────────────────────────────────────────────────────────────────────────────────────────────────── */

enum { SUM_TURNS = 2001, SUM_NODES = 200000 }; /* of a turn, at least: passes are too short to time one by one */

/* As runs have it. */
static void kick_exactly(pd_state *s)
{
  pd_kick_sums sums;
  pd_kick(s, &sums);
}

/* The same, but for how blocks' sums are added. */
static void kick_in_order(pd_state *s)
{
  double sum[PD_KICK_SUMS] = {0};
  execution_sum(s->execution, s->node_count, PD_BLOCK, PD_KICK_SUMS, pd_kick_terms, &s, sum);
}

/* s of one kick of all nodes. */
static double time_kick(pd_state *s, void (*kick)(pd_state *), unsigned passes)
{
  double begun = thread_seconds();
  for (unsigned k = 0; k < passes; k++) kick(s);
  return (thread_seconds() - begun) / passes;
}

static int by_size(const void *a, const void *b)
{
  const double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

/* Of blocks, sums that there are. */
static void stored_terms(const void *user, size_t begin, size_t end, double *sums)
{
  const double *value = user;
  for (size_t b = begin; b < end; b++)
    for (int k = 0; k < PD_KICK_SUMS; k++) sums[k] += value[PD_KICK_SUMS * b + (size_t)k];
}

/* s of adding up what the blocks of a pass have, exactly less in order: the least of each. What other programs take of the memory's pace,
 * of which the whole pass has its part, hardly touches it. */
static double time_sums_alone(const pd_state *s)
{
  enum { PASSES = 2000, TURNS = 30 };
  size_t blocks = s->host->block_count, passes = PASSES / blocks + 1;
  double *value = calloc(blocks * PD_KICK_SUMS, sizeof *value), best[2] = {INFINITY, INFINITY};
  if (!value) give_up("no memory");
  for (size_t b = 0; b < blocks; b++)
    value[PD_KICK_SUMS * b + PD_KICK_SUMS - 1] = 1e-9 * (1 + (double)(b % 17)); /* no gravity, no dampers */
  for (int turn = 0; turn < 2 * TURNS; turn++) {
    double sum[PD_KICK_SUMS] = {0}, begun = thread_seconds();
    for (size_t k = 0; k < passes; k++)
      (turn % 2 ? execution_sum_exact : execution_sum)(s->execution, blocks, 1, PD_KICK_SUMS, stored_terms, value, sum);
    best[turn % 2] = fmin(best[turn % 2], (thread_seconds() - begun) / (double)passes);
  }
  free(value);
  return best[1] - best[0];
}

/* One turn: in order, exactly, exactly, in order, or the other way round. What drifts evenly within it leaves the ratio as it is. */
static double take_turn(pd_state *s, bool exactly_first, unsigned passes, double *plain, double *exact)
{
  *plain = *exact = 0;
  for (int k = 0; k < 4; k++) {
    bool exactly = (k == 1 || k == 2) != exactly_first;
    *(exactly ? exact : plain) += 0.5 * time_kick(s, exactly ? kick_exactly : kick_in_order, passes);
  }
  return *exact / *plain;
}

/* Many short turns: other programs spoil some, and hardly move the medians. The median of all turns lies between the limits with a
 * probability of 95 % (order statistics). */
static void print_sums_of(const bench_case *c)
{
  scr_scene *scene = make_scene(c);
  scr_sim *sim = open_case(c, scene, 1);
  pd_state *s = sim->state;
  double *exact = calloc(3 * SUM_TURNS, sizeof *exact), nodes = (double)s->node_count;
  if (!exact) give_up("no memory");
  double *plain = exact + SUM_TURNS, *ratio = plain + SUM_TURNS;
  unsigned passes = (unsigned)(SUM_NODES / nodes) + 1;
  make_steps(sim, 3);
  for (int turn = 0; turn < SUM_TURNS; turn++) ratio[turn] = take_turn(s, turn % 2, passes, &plain[turn], &exact[turn]);
  double alone = time_sums_alone(s);
  int middle = SUM_TURNS / 2, off = (int)(0.98 * sqrt(SUM_TURNS));
  qsort(exact, SUM_TURNS, sizeof *exact, by_size);
  qsort(plain, SUM_TURNS, sizeof *plain, by_size);
  qsort(ratio, SUM_TURNS, sizeof *ratio, by_size);
  printf("| %s | %.0f | %.3f | %.3f | %+.2f %% | %+.2f to %+.2f %% | %+.2f %% |\n", c->name, nodes, plain[middle] / nodes * 1e9,
         exact[middle] / nodes * 1e9, 100 * (ratio[middle] - 1), 100 * (ratio[middle - off] - 1), 100 * (ratio[middle + off] - 1),
         100 * alone / plain[middle]);
  fflush(stdout);
  free(exact);
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
}

static void print_sums(void)
{
  printf(
      "The pass that kicks all nodes and adds up what the ledger needs, one thread, processor time, ns a node: sums of blocks of %d nodes "
      "added one after the other, and exactly, so that who has which block changes no bit. Medians of %d turns, each in order, exactly, "
      "exactly, in order, or the other way round. At most 3 %% more is allowed. The last: the difference of the sums alone, without the "
      "nodes, over the pass in order.\n\n"
      "| case | nodes | in order | exactly | more, median of turns | which is with 95 %% within | more, by the sums alone "
      "|\n|---|---|---|---|---|---|---|\n",
      PD_BLOCK, SUM_TURNS);
  print_sums_of(&cases[CASE_CUBE_12]);
  print_sums_of(&cases[CASE_CUBE_24]);
  print_sums_of(&cases[CASE_CUBE_56]);
  print_sums_of(&cases[CASE_EIGHT]);
  print_sums_of(&large);
}

int main(int argc, char **argv)
{
  const char *const parts[] = {"whole", "stages", "kernels", "roofline", "scaling", "sums"};
  double bandwidth = triad_bandwidth(1);
  printf("# Speed of method peridem\n\nWritten by `make bench-peridem`. One thread: processor time; two: wall-clock. Machines are shared "
         "and noisy: compare the "
         "ratios. Kernels here: %s. Triad bandwidth: %.1f GB/s with one thread.\n",
         pd_kernels_best()->name, bandwidth / 1e9);
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    bool wanted = argc == 1;
    for (int a = 1; a < argc; a++) wanted = wanted || strcmp(argv[a], parts[k]) == 0;
    if (!wanted) continue;
    printf("\n");
    if (k == 0) print_whole();
    if (k == 1) print_stages();
    if (k == 2) print_kernels();
    if (k == 3) print_roofline(bandwidth);
    if (k == 4) print_scaling();
    if (k == 5) print_sums();
    fflush(stdout);
  }
  return 0;
}
