/* Speed of method fibre: a groom hangs from a plate, comes to rest and is shaken, each hair a helix of 0.3 m in 20 edges, real hair twice
 * as thick to touch, with Coulomb's friction of 0.3, steps of 1 ms. Processor time of a step by stage, touches, linearisations, what was
 * left unsolved.
 *
 *     bench_fibre [-t threads] [-r at rest below, m/s] [-n frames] [-k folder] FIBRES...        prints Markdown
 *
 * A groom comes to rest by steps of 5 ms, solved to 1e-4, with dampers of 12 1/s, near what damps its slowest swing most quickly, until no
 * node is faster than a limit, or for 3 s; then it goes on without these. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "methods/fibre/state/state.h"
#include "sim/sim.h"

enum { TEXT = 32768 };

typedef struct bench {
  unsigned threads;
  double below; /* m/s, fastest node of a groom at rest */
  int frames;
  const char *kept; /* folder of grooms at rest, or NULL */
} bench;

static double now(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static scr_sim *open_groom(int fibres, bool shaken, unsigned threads, scr_scene **scene)
{
  static char text[TEXT];
  const double pitch = 0.0055;
  int across = (int)round(sqrt(fibres)), along = (fibres + across - 1) / across, at;
  at = snprintf(
      text, TEXT,
      "{\"scree\":1,\"name\":\"groom\",\"method\":\"fibre\",\"seed\":7,\"materials\":[{\"name\":\"hair\",\"density\":1300,"
      "\"young_modulus\":3.9e9,\"poisson_ratio\":0.48,\"mass_damping\":%d,\"stiffness_damping\":1e-4}],\"contact\":{\"friction_"
      "coefficient\":0.3},"
      "\"specimens\":[{\"name\":\"hair\",\"material\":\"hair\",\"shape\":{\"type\":\"cylinder\",\"radius\":5e-5,\"length\":0.3},"
      "\"edges\":20,\"contact_radius\":1e-4,\"held\":\"start\",\"held_by\":\"plate\",\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":180},"
      "\"placement\":{\"type\":\"lattice\",\"origin\":[%.6f,%.6f,-0.15],\"pitch\":[%.6f,%.6f,1],\"count\":[%d,%d,1]},"
      "\"random_phase\":true,\"form\":\"helix\",\"unloaded\":\"as_placed\",\"helix_radius\":0.0094,\"helix_pitch\":0.107}],\"rig\":{"
      "\"type\":\"none\",\"gravity\":[0,0,-9.81]},"
      "\"obstacles\":[{\"name\":\"plate\",\"shape\":{\"type\":\"box\",\"size\":[%.6f,%.6f,0.004]},\"position\":[0,0,0.006],"
      "\"direction\":[1,0,0],\"program\":[",
      shaken ? 1 : 12, -0.5 * pitch * across, -0.5 * pitch * along, pitch, pitch, across, along, pitch * across + 0.02,
      pitch * along + 0.02);
  for (int k = 0; k < 20 && shaken; k++) /* +-0.05 m at 2 Hz */
    at += snprintf(text + at, (size_t)(TEXT - at), "%s{\"type\":\"ramp\",\"velocity\":%.3f,\"duration\":0.25}", k ? "," : "",
                   k % 2 ? -0.4 : 0.4);
  snprintf(text + at, (size_t)(TEXT - at),
           "%s]}],\"time\":{\"duration\":10,\"time_step\":%g},\"options\":{\"contact_tolerance\":%g},\"output\":{\"frame_interval\":1,"
           "\"sample_interval\":1}}",
           shaken ? "" : "{\"type\":\"hold\",\"duration\":10}", shaken ? 1e-3 : 5e-3, shaken ? 1e-6 : 1e-4);
  scr_problems problems = {0};
  scr_error error = {0};
  scr_sim *sim = NULL;
  if (scr_scene_parse(text, strlen(text), NULL, scene, &problems) != SCR_OK || scr_sim_create(*scene, threads, &sim, &error) != SCR_OK) {
    fprintf(stderr, "bench_fibre: %s\n", problems.count ? problems.items[0].detail : error.message);
    exit(1);
  }
  return sim;
}

static void step(scr_sim *sim)
{
  scr_error error = {0};
  if (scr_sim_step(sim, &error) == SCR_OK) return;
  fprintf(stderr, "bench_fibre: %s\n", error.message);
  exit(1);
}

static double fastest(const fibre_state *s)
{
  double most = 0;
  for (size_t k = 0; k < s->node_count; k++) most = fmax(most, vec3_length(rod_position(s->velocity, k)));
  return most;
}

static void swap(void *a, void *b, size_t size)
{
  char kept[sizeof(warm_start)];
  memcpy(kept, a, size), memcpy(a, b, size), memcpy(b, kept, size);
}

/* How a groom came to rest. */
typedef struct rest {
  double time, speed; /* s; m/s, of the fastest node */
} rest;

static void come_to_rest(int fibres, double below, unsigned threads, fibre_state *to, rest *found)
{
  scr_scene *scene = NULL;
  scr_sim *sim = open_groom(fibres, false, threads, &scene);
  fibre_state *from = sim->state;
  do step(sim);
  while (fastest(from) > below && scr_sim_time(sim) < 3 - 1e-9);
  *found = (rest){scr_sim_time(sim), fastest(from)};
  swap(&from->place, &to->place, sizeof to->place), swap(&from->velocity, &to->velocity, sizeof to->velocity);
  swap(&from->reaction, &to->reaction, sizeof to->reaction);
  swap(&from->frames, &to->frames, sizeof to->frames), swap(&from->warm, &to->warm, sizeof to->warm);
  fibre_measure(to);
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
}

/* @return whether it was there */
static bool take_kept(const char *path, scr_sim *sim, rest *found)
{
  scr_blob blob = {0};
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  bool read = fread(found, sizeof *found, 1, file) == 1 && fread(&blob.size, sizeof blob.size, 1, file) == 1;
  blob.data = read ? malloc(blob.size) : NULL;
  read = blob.data && fread(blob.data, 1, blob.size, file) == blob.size && sim_load(sim, &blob, NULL) == SCR_OK;
  free(blob.data);
  fclose(file);
  return read;
}

static void keep(const char *path, const scr_sim *sim, const rest *found)
{
  scr_blob blob = {0};
  FILE *file = fopen(path, "wb");
  if (!file || sim_save(sim, &blob, NULL) != SCR_OK) exit(1);
  fwrite(found, sizeof *found, 1, file), fwrite(&blob.size, sizeof blob.size, 1, file), fwrite(blob.data, 1, blob.size, file);
  fclose(file);
  scr_blob_destroy(&blob);
}

/* A groom at rest, hung from a plate that is about to be shaken. */
static scr_sim *open_at_rest(int fibres, const bench *b, scr_scene **scene, rest *found)
{
  char path[512];
  scr_sim *sim = open_groom(fibres, true, b->threads, scene);
  snprintf(path, sizeof path, "%s/groom-%d", b->kept ? b->kept : "", fibres);
  if (b->kept && take_kept(path, sim, found)) return sim;
  come_to_rest(fibres, b->below, b->threads, sim->state, found);
  if (b->kept) keep(path, sim, found);
  return sim;
}

/* Counts and times, of which rows have differences. */
typedef struct reading {
  fibre_times times;
  double processor, clock; /* s */
  uint64_t unsolved;
} reading;

static reading read_all(const fibre_state *s)
{
  return (reading){s->times, now(CLOCK_PROCESS_CPUTIME_ID), now(CLOCK_MONOTONIC), s->counts.unsolved_contacts + s->counts.unsolved};
}

static void print_row(const fibre_state *s, const char *when, const reading *a, const reading *b, int count)
{
  const double each = 1e3 / count, steps = count;
  const fibre_times *t = &b->times, *u = &a->times;
  printf("| %zu | %s | %zu | %.0f | %.1f | %.0f | %.2f | %.2f | %.2f | %.2f | %.1f | %.2f | %llu of %d |\n", s->fibre_count, when,
         s->problem.count, (double)s->counts.contacts, (double)(t->linearisations - u->linearisations) / steps,
         (double)(t->iterations - u->iterations) / steps, (t->search - u->search) * each, (t->linearise - u->linearise) * each,
         (t->contacts - u->contacts) * each, (b->processor - a->processor) * each, (b->clock - a->clock) * each,
         (b->processor - a->processor) * each * 40e-3, (unsigned long long)(b->unsolved - a->unsolved), count);
  fflush(stdout);
}

static void measure(int fibres, const bench *b)
{
  enum { FRAME = 40 };
  scr_scene *scene = NULL;
  rest at_rest;
  char when[64];
  struct rusage usage;
  int frames = b->frames;
  scr_sim *sim = open_at_rest(fibres, b, &scene, &at_rest);
  const fibre_state *s = sim->state;
  double slowest = 0; /* s of processor time of a frame */
  reading begun = read_all(s), before = begun, after = begun;
  for (int frame = 0; frame < frames; frame++, before = after) {
    for (int k = 0; k < FRAME; k++) step(sim);
    after = read_all(s);
    snprintf(when, sizeof when, "%.2f s to %.2f s", frame * 0.04, (frame + 1) * 0.04);
    slowest = fmax(slowest, after.processor - before.processor);
    if (frame < 3 || frame % 6 == 0 || after.unsolved != before.unsolved) print_row(s, when, &before, &after, FRAME);
  }
  getrusage(RUSAGE_SELF, &usage);
  snprintf(when, sizeof when, "all of %.2f s", frames * 0.04);
  print_row(s, when, &begun, &after, frames * FRAME);
  printf("<!-- at rest after %.2f s: fastest node %.2g m/s; slowest of %d frames %.2f s; %.0f MiB -->\n", at_rest.time, at_rest.speed,
         frames, slowest, (double)usage.ru_maxrss / 1024);
  fflush(stdout);
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
}

int main(int argc, char **argv)
{
  static const int sizes[] = {10, 30, 100, 300, 1000, 2000};
  bench b = {.threads = 1, .below = 1e-3, .frames = 2};
  int at = 1;
  for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
    if (argv[at][1] == 't') b.threads = (unsigned)atoi(argv[at + 1]);
    if (argv[at][1] == 'r') b.below = atof(argv[at + 1]);
    if (argv[at][1] == 'n') b.frames = atoi(argv[at + 1]);
    if (argv[at][1] == 'k') b.kept = argv[at + 1];
  }
  printf(
      "# Method fibre: a groom that is shaken\n\nHair of 0.3 m in 20 edges, a root each 30 mm^2 of a plate that goes +-0.05 m at 2 Hz, "
      "after it has come to rest to %.2g m/s or for 3 s; friction 0.3, contacts to 1e-6, steps of 1 ms. Means of the steps of a frame of "
      "40, and of all, ms of processor time, %u thread%s.\n\n| fibres | when | touches | that press | linearisations | sweeps, iterations "
      "| search | linearise | contacts | whole step | by the clock | a frame, s | steps unsolved "
      "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
      b.below, b.threads, b.threads == 1 ? "" : "s");
  if (at == argc)
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) measure(sizes[k], &b);
  for (; at < argc; at++) measure(atoi(argv[at]), &b);
  return 0;
}
