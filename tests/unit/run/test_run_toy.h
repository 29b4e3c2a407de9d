/** What the tests of runs share: a toy method, a scene for it, folders, and running in them.
 *
 *  The toy has a known law, so that a run takes milliseconds and a test can make it misbehave: balls fall under gravity and bounce on the
 *  floor; each bounce is a row of a table. Each test program gets its own copy of all this. */
#ifndef SCREE_TEST_RUN_TOY_H
#define SCREE_TEST_RUN_TOY_H

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/file/crc32c.h"
#include "record/topology.h"
#include "sim/method.h"

/* ── the toy method ──────────────────────────────────────────────────────────────────────────────────────────────── */

enum { ball_count = 20 };

/* How the toy misbehaves; set by tests. */
static struct {
  double gravity;        /* a change of it between two attempts breaks determinism */
  uint64_t diverge_step; /* 0: never */
  uint64_t lost_step;    /* from here on a curve is NaN; 0: never */
  double clock;          /* what the curve measured by a clock says: differs between attempts */
  unsigned step_delay_us;
  unsigned build_parts;    /* building takes so many times 2 ms, and beats the pulse after each */
  uint64_t doubt_step;     /* from here on every step raises the doubt "toy" with its number; 0: never */
  uint64_t balance_step;   /* from here on the balance of energy is off by 5 %; 0: never */
  uint64_t give_back_step; /* here the damper gives back a tenth of what it took; 0: never */
  uint64_t mend_step;      /* from here on a fiftieth of what fracture took is back; 0: never */
} toy = {.gravity = 9.81};

typedef struct balls {
  double x[ball_count], z[ball_count], speed[ball_count];
  uint64_t bounces;
  double force; /* N on the floor in the last step */
} balls;

static inline scr_status toy_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  (void)problems;
  estimate->node_count = ball_count;
  estimate->memory_bytes = sizeof(balls);
  estimate->time_step = isfinite(scene->time.time_step) ? scene->time.time_step : 1e-3;
  return SCR_OK;
}

static inline scr_status toy_create(scr_sim *sim, scr_error *error)
{
  balls *b = calloc(1, sizeof *b);
  sim->state = b;
  if (!b) return scr_fail_memory(error, "balls", sizeof *b);
  for (int i = 0; i < ball_count; i++) {
    b->x[i] = 0.1 * i;
    b->z[i] = 0.1 + 0.013 * i;
  }
  for (unsigned i = 0; i < toy.build_parts; i++) {
    usleep(2000);
    scr_report_alive(&sim->liveness);
  }
  sim->time_step = sim->scene->estimate.time_step;
  SCR_TRY(scr_sim_declare_series(sim, "floor.force", "N", "Floor force", error));
  SCR_TRY(scr_sim_declare_series(sim, "bounces", "1", "Bounces", error));
  SCR_TRY(scr_sim_declare_series(sim, "height", "m", "Height of ball 0", error));
  SCR_TRY(scr_sim_declare_series(sim, SCR_CLOCK_PREFIX "step", "s", "Time of a step", error));
  SCR_TRY(scr_sim_declare_dissipation(sim, "energy.damping", "Energy lost at bounces", error));
  SCR_TRY(scr_sim_declare_series(sim, "energy.balance_error", "1", "Energy not accounted for", error));
  SCR_TRY(scr_sim_declare_series(sim, "energy.fracture", "J", "Energy of breaking", error));
  scr_column columns[] = {{.name = "time", .unit = "s", .label = "Time"},
                          {.name = "ball", .unit = "1", .label = "Ball"},
                          {.name = "speed", .unit = "m/s", .label = "Speed after it"},
                          {.name = "side", .unit = "1", .label = "Side", .value_count = 2, .values = {"even", "odd"}}};
  const scr_table bounces = {.name = "bounces", .label = "Bounces", .column_count = 4, .columns = columns};
  SCR_TRY(scr_sim_declare_table(sim, &bounces, error));
  SCR_TRY(scr_sim_announce_table(sim, 0, "first_bounce", "the first balls bounced", error));
  scr_drawable drawable = {.kind = SCR_DRAW_POINTS, .name = "balls", .element_count = ball_count, .radius = 0.01, .field_count = 2};
  drawable.fields[0] = (scr_field){"position", "m", 3, SCR_ENCODING_UINT16};
  drawable.fields[1] = (scr_field){"speed", "m/s", 1, SCR_ENCODING_UINT16};
  return scr_sim_declare_drawable(sim, &drawable, error);
}

static inline scr_status toy_step(scr_sim *sim, scr_error *error)
{
  balls *b = sim->state;
  if (toy.step_delay_us) usleep(toy.step_delay_us);
  b->force = 0.0;
  for (int i = 0; i < ball_count; i++) {
    b->speed[i] -= toy.gravity * sim->time_step;
    b->z[i] += b->speed[i] * sim->time_step;
    if (b->z[i] < 0.0) {
      b->z[i] = -b->z[i];
      b->force += -1.9 * b->speed[i] / sim->time_step;
      b->speed[i] *= -0.9;
      b->bounces++;
      const double row[] = {(double)(sim->steps + 1) * sim->time_step, i, b->speed[i], i % 2};
      SCR_TRY(scr_sim_add_row(sim, 0, row, error));
    }
  }
  sim->steps++;
  sim->time = (double)sim->steps * sim->time_step;
  if (toy.doubt_step && sim->steps >= toy.doubt_step)
    scr_sim_doubt(sim, "toy", "ball 7 of \xc3\x85se was seen twice, last at step %llu", (unsigned long long)sim->steps);
  if (toy.diverge_step && sim->steps >= toy.diverge_step)
    return scr_fail(error, SCR_DIVERGED, NULL, "ball 3 left the laboratory at step %llu", (unsigned long long)sim->steps);
  return SCR_OK;
}

static inline void toy_observe(const scr_sim *sim, double *values)
{
  const balls *b = sim->state;
  values[1] = b->force;
  values[2] = (double)b->bounces;
  values[3] = toy.lost_step && sim->steps >= toy.lost_step ? NAN : b->z[0];
  values[4] = toy.clock;
  values[5] = (double)sim->steps * (toy.give_back_step && sim->steps >= toy.give_back_step ? 0.9 : 1.0);
  values[6] = toy.balance_step && sim->steps >= toy.balance_step ? 0.05 : 1e-9;
  values[7] = 100 * (toy.mend_step && sim->steps >= toy.mend_step ? 0.98 : 1.0);
}

static inline scr_status toy_draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  const balls *b = sim->state;
  SCR_TRY(scr_frame_field(frame, 0, 0, b->x, b->x, b->z, error));
  return scr_frame_field(frame, 0, 1, b->speed, NULL, NULL, error);
}

static inline scr_status toy_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  return scr_blob_write_array(blob, sim->state, 1, sizeof(balls), error);
}

static inline scr_status toy_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  return scr_blob_read_array(blob, sim->state, 1, sizeof(balls), "balls", error);
}

static inline void toy_destroy(scr_sim *sim)
{
  free(sim->state);
}

static const scr_method toy_method = {
    .about = {.name = "toy",
              .title = "Falling balls",
              .summary = "Balls fall and bounce.",
              .default_plot = {.x = "time", .y = "floor.force", .scale = 1, .moving_average = 1},
              .check = toy_check},
    .create = toy_create,
    .step = toy_step,
    .observe = toy_observe,
    .draw = toy_draw,
    .save = toy_save,
    .load = toy_load,
    .destroy = toy_destroy,
};

static inline const scr_method_description *list_toy(size_t index)
{
  return index == 0 ? &toy_method.about : NULL;
}

/* 2000 steps of 1 ms, a sample every 5 steps, a frame every 500. `extra` goes into "time". */
static inline scr_scene *make_scene(const char *time_extra, const char *output_extra)
{
  char text[2048];
  snprintf(text, sizeof text,
           "{ \"scree\": 1, \"name\": \"fall\", \"method\": \"toy\","
           "  \"materials\": [ { \"name\": \"rubber\" } ],"
           "  \"specimens\": [ { \"name\": \"ball\", \"material\": \"rubber\","
           "    \"shape\": { \"type\": \"sphere\", \"radius\": 0.01 } } ],"
           "  \"time\": { \"duration\": 2, \"time_step\": 1e-3 %s },"
           "  \"output\": { \"frame_interval\": 0.5, \"sample_interval\": 5e-3 %s } }",
           time_extra, output_extra);
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  if (scene_parse(text, strlen(text), NULL, list_toy, &scene, &problems) != SCR_OK)
    fail_msg("%s: %s", problems.count ? problems.items[0].pointer : "", problems.count ? problems.items[0].detail : "");
  return scene;
}

/* ── folders ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct lab {
  char root[64], first[96], second[96];
  scr_scene *scene;
} lab;

static inline int set_up(void **state)
{
  lab *l = calloc(1, sizeof *l);
  /* In memory where there is such a filesystem: runs sync their files often. */
  strcpy(l->root, access("/dev/shm", W_OK) == 0 ? "/dev/shm/scree-run-XXXXXX" : "/tmp/scree-run-XXXXXX");
  if (!mkdtemp(l->root)) return -1;
  snprintf(l->first, sizeof l->first, "%s/first", l->root);
  snprintf(l->second, sizeof l->second, "%s/second", l->root);
  l->scene = make_scene("", "");
  memset(&toy, 0, sizeof toy);
  toy.gravity = 9.81;
  *state = l;
  return 0;
}

static inline const char *file_in(const char *directory, const char *name)
{
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

static inline void empty(const char *directory)
{
  static const char *const names[] = {"recording.scree", "recording.index", "checkpoint.scree", "scene.json", "lock"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(file_in(directory, names[i]));
  rmdir(directory);
}

static inline int tear_down(void **state)
{
  lab *l = *state;
  empty(l->first);
  empty(l->second);
  int failed = rmdir(l->root);
  scr_scene_destroy(l->scene);
  free(l);
  return failed;
}

static inline size_t read_bytes(const char *path, unsigned char **bytes)
{
  FILE *in = fopen(path, "rb");
  *bytes = NULL;
  if (!in) return 0;
  fseek(in, 0, SEEK_END);
  size_t size = (size_t)ftell(in);
  rewind(in);
  *bytes = malloc(size + 1);
  assert_int_equal(fread(*bytes, 1, size, in), size);
  fclose(in);
  return size;
}

static inline void write_bytes(const char *path, const unsigned char *bytes, size_t size)
{
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(bytes, 1, size, out), size);
  fclose(out);
}

static inline void assert_same_recording(const char *a, const char *b)
{
  unsigned char *in_a, *in_b;
  size_t size_a = read_bytes(file_in(a, "recording.scree"), &in_a), size_b = read_bytes(file_in(b, "recording.scree"), &in_b);
  assert_true(size_a > 0);
  assert_int_equal(size_a, size_b);
  assert_memory_equal(in_a, in_b, size_a);
  free(in_a);
  free(in_b);
}

/* ── running ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Answers of the progress call: at the first call at or past `step`, `answer`. */
typedef struct plan {
  uint64_t step;
  scr_run_answer answer;
  bool resumed;
  size_t calls;
} plan;

static inline scr_run_answer follow(void *user, const scr_run_progress *progress)
{
  plan *p = user;
  p->resumed = progress->resumed;
  p->calls++;
  return p->answer != SCR_RUN_GO_ON && progress->step >= p->step ? p->answer : SCR_RUN_GO_ON;
}

static inline scr_status run(const scr_scene *scene, const char *directory, plan *p, scr_error *error)
{
  scr_run_options options = {
      .directory = directory, .progress_seconds = 1e-9, .checkpoint_seconds = 1e9, .progress = p ? follow : NULL, .user = p};
  return scr_run(scene, &options, error);
}

static inline void run_whole(const scr_scene *scene, const char *directory)
{
  scr_error error = {0};
  if (run(scene, directory, NULL, &error) != SCR_OK) fail_msg("%s", error.message);
}

/* Text of the payload of the newest record of a type; freed by the caller. */
static inline char *newest_text(const char *directory, scr_record_type type)
{
  scr_recording *recording;
  assert_int_equal(scr_recording_open(file_in(directory, "recording.scree"), &recording, NULL), SCR_OK);
  uint64_t seq = scr_recording_newest(recording, 1u << type);
  assert_true(seq > 0);
  uint32_t size = scr_recording_header(recording, seq)->size;
  char *buffer = malloc(SCR_RECORD_BYTES(size) + 1);
  assert_int_equal(scr_recording_read(recording, seq, buffer, SCR_RECORD_BYTES(size), NULL), SCR_OK);
  memmove(buffer, buffer + sizeof(scr_record_header), size);
  buffer[size] = '\0';
  scr_recording_close(recording);
  return buffer;
}

static inline void assert_newest_says(const char *directory, scr_record_type type, const char *part)
{
  char *text = newest_text(directory, type);
  if (!strstr(text, part)) fail_msg("'%s' does not say '%s'", text, part);
  free(text);
}

#define IN_LAB(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
