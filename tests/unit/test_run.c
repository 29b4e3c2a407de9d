/* Whole runs in a directory: the same bytes however often a run is stopped, killed and taken up again.
 *
 * The method here is a toy of known law, so that a run takes milliseconds and a test can make it misbehave: balls fall under gravity and
 * bounce on the floor; each bounce counts as a broken bond. */
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

#include "methods/method.h"
#include "record/crc32c.h"
#include "record/topology.h"

/* ── the toy method ──────────────────────────────────────────────────────────────────────────────────────────────── */

enum { ball_count = 20 };

/* How the toy misbehaves; set by tests. */
static struct {
  double gravity;        /* a change of it between two attempts breaks determinism */
  uint64_t diverge_step; /* 0: never */
  uint64_t lost_step;    /* from here on a curve is NaN; 0: never */
  unsigned step_delay_us;
} toy = {.gravity = 9.81};

typedef struct balls {
  double x[ball_count], z[ball_count], speed[ball_count];
  uint64_t bounces;
  double force; /* N on the floor in the last step */
} balls;

static scr_status toy_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  (void)problems;
  estimate->node_count = ball_count;
  estimate->memory_bytes = sizeof(balls);
  estimate->time_step = isfinite(scene->time.time_step) ? scene->time.time_step : 1e-3;
  return SCR_OK;
}

static scr_status toy_create(scr_sim *sim, scr_error *error)
{
  balls *b = calloc(1, sizeof *b);
  sim->state = b;
  if (!b) return scr_fail_memory(error, "balls", sizeof *b);
  for (int i = 0; i < ball_count; i++) {
    b->x[i] = 0.1 * i;
    b->z[i] = 0.1 + 0.013 * i;
  }
  sim->time_step = sim->scene->estimate.time_step;
  SCR_TRY(scr_sim_declare_series(sim, "floor.force", "N", "Floor force", error));
  SCR_TRY(scr_sim_declare_series(sim, "broken_bonds", "1", "Bounces", error));
  SCR_TRY(scr_sim_declare_series(sim, "height", "m", "Height of ball 0", error));
  scr_drawable drawable = {.kind = SCR_DRAW_POINTS, .name = "balls", .element_count = ball_count, .radius = 0.01, .field_count = 2};
  drawable.fields[0] = (scr_field){"position", "m", 3, SCR_ENCODING_UINT16};
  drawable.fields[1] = (scr_field){"speed", "m/s", 1, SCR_ENCODING_UINT16};
  return scr_sim_declare_drawable(sim, &drawable, error);
}

static scr_status toy_step(scr_sim *sim, scr_error *error)
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
    }
  }
  sim->steps++;
  sim->time = (double)sim->steps * sim->time_step;
  if (toy.diverge_step && sim->steps >= toy.diverge_step)
    return scr_fail(error, SCR_DIVERGED, NULL, "ball 3 left the laboratory at step %llu", (unsigned long long)sim->steps);
  return SCR_OK;
}

static void toy_observe(const scr_sim *sim, double *values)
{
  const balls *b = sim->state;
  values[1] = b->force;
  values[2] = (double)b->bounces;
  values[3] = toy.lost_step && sim->steps >= toy.lost_step ? NAN : b->z[0];
}

static scr_status toy_draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  const balls *b = sim->state;
  SCR_TRY(scr_frame_field(frame, 0, 0, b->x, b->x, b->z, error));
  return scr_frame_field(frame, 0, 1, b->speed, NULL, NULL, error);
}

static scr_status toy_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  return scr_blob_write_array(blob, sim->state, 1, sizeof(balls), error);
}

static scr_status toy_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  return scr_blob_read_array(blob, sim->state, 1, sizeof(balls), "balls", error);
}

static void toy_destroy(scr_sim *sim)
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

static const scr_method_description *list_toy(size_t index)
{
  return index == 0 ? &toy_method.about : NULL;
}

/* 2000 steps of 1 ms, a sample every 5 steps, a frame every 500. `extra` goes into "time". */
static scr_scene *make_scene(const char *time_extra, const char *output_extra)
{
  char text[2048];
  snprintf(text, sizeof text,
           "{ \"scree\": 1, \"name\": \"fall\", \"method\": \"toy\","
           "  \"materials\": [ { \"name\": \"rubber\", \"density\": 1200, \"bulk_modulus\": 2e9, \"fracture_energy\": 135 } ],"
           "  \"specimens\": [ { \"name\": \"ball\", \"material\": \"rubber\", \"spacing\": 1e-3,"
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

static int set_up(void **state)
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

static const char *file_in(const char *directory, const char *name)
{
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

static void empty(const char *directory)
{
  static const char *const names[] = {"recording.scree", "recording.index", "checkpoint.scree", "scene.json", "lock"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(file_in(directory, names[i]));
  rmdir(directory);
}

static int tear_down(void **state)
{
  lab *l = *state;
  empty(l->first);
  empty(l->second);
  int failed = rmdir(l->root);
  scr_scene_destroy(l->scene);
  free(l);
  return failed;
}

static size_t read_bytes(const char *path, unsigned char **bytes)
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

static void write_bytes(const char *path, const unsigned char *bytes, size_t size)
{
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(bytes, 1, size, out), size);
  fclose(out);
}

static void assert_same_recording(const char *a, const char *b)
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

static scr_run_answer follow(void *user, const scr_run_progress *progress)
{
  plan *p = user;
  p->resumed = progress->resumed;
  p->calls++;
  return p->answer != SCR_RUN_GO_ON && progress->step >= p->step ? p->answer : SCR_RUN_GO_ON;
}

static scr_status run(const scr_scene *scene, const char *directory, plan *p, scr_error *error)
{
  scr_run_options options = {
      .directory = directory, .progress_seconds = 1e-9, .checkpoint_seconds = 1e9, .progress = p ? follow : NULL, .user = p};
  return scr_run(scene, &options, error);
}

static void run_whole(const scr_scene *scene, const char *directory)
{
  scr_error error = {0};
  if (run(scene, directory, NULL, &error) != SCR_OK) fail_msg("%s", error.message);
}

/* Text of the payload of the newest record of a type; freed by the caller. */
static char *newest_text(const char *directory, scr_record_type type)
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

static void assert_newest_says(const char *directory, scr_record_type type, const char *part)
{
  char *text = newest_text(directory, type);
  if (!strstr(text, part)) fail_msg("'%s' does not say '%s'", text, part);
  free(text);
}

/* ── tests ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Samples at 0, 5, ..., 2000: 401; frames at 0, 500, ..., 2000: 5. Ball 0 falls 0.1 m and first touches after sqrt(2 h / g) = 0.1428 s. */
static void test_a_run_records_scene_topology_samples_frames_events_and_an_end(void **state)
{
  lab *l = *state;
  run_whole(l->scene, l->first);
  scr_recording *recording;
  assert_int_equal(scr_recording_open(file_in(l->first, "recording.scree"), &recording, NULL), SCR_OK);
  assert_int_equal(scr_recording_header(recording, 1)->type, SCR_RECORD_SCENE);
  assert_int_equal(scr_recording_header(recording, 2)->type, SCR_RECORD_TOPOLOGY);
  assert_true(scr_recording_ended(recording));
  assert_int_equal(scr_recording_newest(recording, 1u << SCR_RECORD_END), scr_recording_count(recording));
  size_t frames = 0;
  double last = 0.0;
  for (uint64_t seq = 1; seq <= scr_recording_count(recording); seq++) {
    const scr_record_header *header = scr_recording_header(recording, seq);
    frames += header->type == SCR_RECORD_FRAME;
    assert_true(header->sim_time >= last);
    last = header->sim_time;
  }
  assert_int_equal(frames, 5);
  scr_curves *curves;
  assert_int_equal(scr_curves_read(recording, 0, &curves, NULL), SCR_OK);
  assert_int_equal(curves->sample_count, 401);
  assert_int_equal(curves->series_count, 4);
  assert_string_equal(curves->series[0].name, "time");
  double peak = 0.0;
  for (size_t i = 0; i < curves->sample_count; i++) {
    assert_true(fabs(curves->values[i * 4] - 5e-3 * (double)i) < 1e-12);
    peak = fmax(peak, fabs(curves->values[i * 4 + 1]));
  }
  scr_topology topology;
  bool found;
  assert_int_equal(topology_read(recording, &topology, &found, NULL), SCR_OK);
  assert_true(found && topology.drawable_count == 1 && topology.plot_count == 1);
  assert_string_equal(topology.plots[0].title, "Floor force over Time");
  assert_true(fabs(topology.minimum.x + 0.01) < 1e-12 && fabs(topology.maximum.z - (0.1 + 0.013 * 19 + 0.01)) < 1e-12);
  topology_clear(&topology);
  char expected[64];
  snprintf(expected, sizeof expected, "\"frames\":5,\"samples\":401");
  assert_newest_says(l->first, SCR_RECORD_END, expected);
  assert_newest_says(l->first, SCR_RECORD_END, "\"verdict\":\"succeeded\"");
  snprintf(expected, sizeof expected, "\"peak_force\":%.17g", peak);
  assert_newest_says(l->first, SCR_RECORD_END, expected);
  assert_newest_says(l->first, SCR_RECORD_EVENT, "first_break");
  const scr_record_header *event = scr_recording_header(recording, scr_recording_next(recording, 0, 1u << SCR_RECORD_EVENT));
  assert_true(event->sim_time > 0.14 && event->sim_time < 0.15);
  assert_int_equal(access(file_in(l->first, "scene.json"), R_OK), 0);
  assert_int_not_equal(access(file_in(l->first, "checkpoint.scree"), F_OK), 0);
  scr_curves_destroy(curves);
  scr_recording_close(recording);
}

static void test_the_user_may_have_exact_positions(void **state)
{
  lab *l = *state;
  scr_scene *scene = make_scene("", ", \"positions\": \"float32\"");
  run_whole(scene, l->first);
  assert_newest_says(l->first, SCR_RECORD_TOPOLOGY, "\"name\":\"position\",\"unit\":\"m\",\"components\":3,\"encoding\":\"float32\"");
  scr_scene_destroy(scene);
}

static void test_an_ended_run_answers_with_its_verdict_and_does_not_run_again(void **state)
{
  lab *l = *state;
  run_whole(l->scene, l->first);
  plan p = {0};
  assert_int_equal(run(l->scene, l->first, &p, NULL), SCR_OK);
  assert_int_equal(p.calls, 0);
}

/* Moments: the start, around a sample (5), the 64-sample batch (315, 320), the first break (143), frames (500), the last step. */
static void test_a_run_stopped_at_any_kind_of_moment_records_the_same_bytes(void **state)
{
  lab *l = *state;
  static const uint64_t moments[] = {0, 1, 4, 5, 6, 142, 143, 145, 150, 314, 315, 316, 319, 320, 499, 500, 501, 1234, 1998, 1999};
  run_whole(l->scene, l->first);
  for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
    empty(l->second);
    plan stop = {.step = moments[i], .answer = SCR_RUN_STOP}, go_on = {0};
    assert_int_equal(run(l->scene, l->second, &stop, NULL), SCR_STOPPED);
    assert_false(stop.resumed);
    assert_int_equal(run(l->scene, l->second, &go_on, NULL), SCR_OK);
    assert_true(go_on.resumed);
    assert_same_recording(l->first, l->second);
  }
}

static void test_a_run_stopped_every_few_steps_records_the_same_bytes(void **state)
{
  lab *l = *state;
  run_whole(l->scene, l->first);
  scr_status status = SCR_STOPPED;
  for (uint64_t step = 17; status == SCR_STOPPED; step += 37) {
    plan stop = {.step = step, .answer = SCR_RUN_STOP};
    status = run(l->scene, l->second, &stop, NULL);
  }
  assert_int_equal(status, SCR_OK);
  assert_same_recording(l->first, l->second);
}

/* A checkpoint older than the recording: what lies between is computed again and compared, and the recording never shrinks. */
static void test_records_after_the_checkpoint_are_compared_not_written_again(void **state)
{
  lab *l = *state;
  run_whole(l->scene, l->first);
  plan stop = {.step = 400, .answer = SCR_RUN_STOP};
  assert_int_equal(run(l->scene, l->second, &stop, NULL), SCR_STOPPED);
  unsigned char *checkpoint, *whole;
  size_t size = read_bytes(file_in(l->second, "checkpoint.scree"), &checkpoint);
  size_t recorded = read_bytes(file_in(l->first, "recording.scree"), &whole);
  /* Every length of recording from the checkpoint's on, torn or not. */
  unsigned char *short_one;
  size_t from = read_bytes(file_in(l->second, "recording.scree"), &short_one);
  for (size_t length = from; length < recorded; length += 1 + (recorded - from) / 60) {
    write_bytes(file_in(l->second, "recording.scree"), whole, length);
    write_bytes(file_in(l->second, "checkpoint.scree"), checkpoint, size);
    plan go_on = {0};
    assert_int_equal(run(l->scene, l->second, &go_on, NULL), SCR_OK);
    assert_true(go_on.resumed);
    assert_same_recording(l->first, l->second);
  }
  /* A recording that lost what the checkpoint relies on: the run starts over. */
  write_bytes(file_in(l->second, "recording.scree"), whole, from - 1);
  write_bytes(file_in(l->second, "checkpoint.scree"), checkpoint, size);
  plan start_over = {0};
  assert_int_equal(run(l->scene, l->second, &start_over, NULL), SCR_OK);
  assert_false(start_over.resumed);
  assert_same_recording(l->first, l->second);
  free(checkpoint);
  free(whole);
  free(short_one);
}

static void test_a_run_that_does_not_reproduce_its_recording_is_a_mismatch(void **state)
{
  lab *l = *state;
  plan stop = {.step = 900, .answer = SCR_RUN_STOP};
  assert_int_equal(run(l->scene, l->first, &stop, NULL), SCR_STOPPED);
  unlink(file_in(l->first, "checkpoint.scree"));
  unsigned char *before, *after;
  size_t size = read_bytes(file_in(l->first, "recording.scree"), &before);
  toy.gravity = 9.8100001;
  scr_error error;
  assert_int_equal(run(l->scene, l->first, NULL, &error), SCR_MISMATCH);
  assert_non_null(strstr(error.message, "record "));
  assert_int_equal(read_bytes(file_in(l->first, "recording.scree"), &after), size);
  assert_memory_equal(before, after, size);
  free(before);
  free(after);
}

static void test_a_directory_with_another_scenes_run_is_refused(void **state)
{
  lab *l = *state;
  scr_scene *other = make_scene(", \"safety_factor\": 0.5", "");
  run_whole(l->scene, l->first);
  scr_error error;
  assert_int_equal(run(other, l->first, NULL, &error), SCR_MISMATCH);
  assert_non_null(strstr(error.message, "another scene"));
  scr_scene_destroy(other);
}

/* Every byte of a checkpoint counts: with any one changed, or the end missing, the run starts over and records the same bytes. */
static void test_a_damaged_checkpoint_is_ignored(void **state)
{
  lab *l = *state;
  run_whole(l->scene, l->first);
  plan stop = {.step = 700, .answer = SCR_RUN_STOP};
  assert_int_equal(run(l->scene, l->second, &stop, NULL), SCR_STOPPED);
  unsigned char *checkpoint, *recording;
  size_t size = read_bytes(file_in(l->second, "checkpoint.scree"), &checkpoint);
  size_t recorded = read_bytes(file_in(l->second, "recording.scree"), &recording);
  for (size_t i = 0; i < size; i += i < 120 ? 1 : 11) {
    checkpoint[i] ^= 0x40;
    bool cut = i % 3 == 0;
    write_bytes(file_in(l->second, "checkpoint.scree"), checkpoint, cut ? i : size);
    checkpoint[i] ^= 0x40;
    write_bytes(file_in(l->second, "recording.scree"), recording, recorded);
    plan p = {.step = 0, .answer = SCR_RUN_GO_ON};
    assert_int_equal(run(l->scene, l->second, &p, NULL), SCR_OK);
    assert_false(p.resumed);
    assert_same_recording(l->first, l->second);
  }
  free(checkpoint);
  free(recording);
}

/* Checkpoints with a right checksum whose content lies: sizes are checked all the same. Run under ASan by `make test SANITIZE=1`. */
static void test_a_lying_checkpoint_never_crashes(void **state)
{
  lab *l = *state;
  plan stop = {.step = 703, .answer = SCR_RUN_STOP};
  assert_int_equal(run(l->scene, l->first, &stop, NULL), SCR_STOPPED);
  unsigned char *checkpoint, *recording;
  size_t size = read_bytes(file_in(l->first, "checkpoint.scree"), &checkpoint);
  size_t recorded = read_bytes(file_in(l->first, "recording.scree"), &recording);
  for (size_t i = 32; i < size; i += 3) {
    unsigned char kept = checkpoint[i];
    checkpoint[i] ^= (unsigned char)(1u << i % 8);
    uint32_t crc = crc32c(0, checkpoint + 32, size - 32);
    memcpy(checkpoint + 8, &crc, sizeof crc);
    write_bytes(file_in(l->first, "checkpoint.scree"), checkpoint, size);
    write_bytes(file_in(l->first, "recording.scree"), recording, recorded);
    checkpoint[i] = kept;
    plan p = {.step = 0, .answer = SCR_RUN_STOP};
    scr_status status = run(l->scene, l->first, &p, NULL);
    assert_true(status == SCR_OK || status == SCR_STOPPED || status == SCR_MISMATCH || status == SCR_DIVERGED);
  }
  free(checkpoint);
  free(recording);
}

/* The child runs with a checkpoint every few steps and dies without warning; the next attempt goes on. */
static void test_a_run_killed_at_random_moments_records_the_same_bytes(void **state)
{
  lab *l = *state;
  run_whole(l->scene, l->first);
  uint64_t seed = 12345;
  int kills = 0;
  toy.step_delay_us = 20;
  for (;;) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      scr_run_options options = {.directory = l->second, .checkpoint_seconds = 0.004};
      scr_status status = scr_run(l->scene, &options, NULL);
      _exit(status == SCR_OK ? 0 : 1);
    }
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    usleep(2000 + (unsigned)(seed >> 40) % 25000);
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status)) {
      assert_int_equal(WEXITSTATUS(status), 0);
      break;
    }
    assert_true(++kills < 400);
  }
  print_message("# killed %d times\n", kills);
  assert_true(kills > 0);
  assert_same_recording(l->first, l->second);
}

static void test_a_run_without_checkpoint_is_computed_again_from_the_start(void **state)
{
  lab *l = *state;
  run_whole(l->scene, l->first);
  plan stop = {.step = 1100, .answer = SCR_RUN_STOP}, go_on = {0};
  assert_int_equal(run(l->scene, l->second, &stop, NULL), SCR_STOPPED);
  unlink(file_in(l->second, "checkpoint.scree"));
  unlink(file_in(l->second, "recording.index"));
  assert_int_equal(run(l->scene, l->second, &go_on, NULL), SCR_OK);
  assert_false(go_on.resumed);
  assert_same_recording(l->first, l->second);
}

static void test_a_cancelled_run_is_closed_and_stays_cancelled(void **state)
{
  lab *l = *state;
  plan cancel = {.step = 777, .answer = SCR_RUN_CANCEL};
  assert_int_equal(run(l->scene, l->first, &cancel, NULL), SCR_CANCELLED);
  assert_newest_says(l->first, SCR_RECORD_END, "\"verdict\":\"cancelled\"");
  assert_newest_says(l->first, SCR_RECORD_END, "\"step\":777");
  assert_newest_says(l->first, SCR_RECORD_END, "\"samples\":156"); /* at 0, 5, ..., 775 */
  assert_int_equal(run(l->scene, l->first, NULL, NULL), SCR_CANCELLED);
}

/* A cancel while old records are being computed again: they stay, and the end comes behind them and speaks of them. */
static void test_a_cancel_during_catching_up_keeps_what_was_recorded(void **state)
{
  lab *l = *state;
  plan stop = {.step = 1700, .answer = SCR_RUN_STOP}, cancel = {.step = 3, .answer = SCR_RUN_CANCEL};
  assert_int_equal(run(l->scene, l->first, &stop, NULL), SCR_STOPPED);
  unlink(file_in(l->first, "checkpoint.scree"));
  unsigned char *before, *after;
  size_t size = read_bytes(file_in(l->first, "recording.scree"), &before);
  assert_int_equal(run(l->scene, l->first, &cancel, NULL), SCR_CANCELLED);
  assert_true(read_bytes(file_in(l->first, "recording.scree"), &after) > size);
  assert_memory_equal(before, after, size);
  assert_newest_says(l->first, SCR_RECORD_END, "\"step\":1500");
  assert_newest_says(l->first, SCR_RECORD_END, "\"frames\":4");
  free(before);
  free(after);
}

static void test_a_stop_rule_ends_a_run_early_and_says_why(void **state)
{
  lab *l = *state;
  scr_scene *scene = make_scene(", \"stop\": [ { \"type\": \"above\", \"series\": \"broken_bonds\", \"above\": 25 } ]", "");
  run_whole(scene, l->first);
  assert_newest_says(l->first, SCR_RECORD_EVENT, "stop_rule");
  assert_newest_says(l->first, SCR_RECORD_END, "broken_bonds reached 2");
  assert_newest_says(l->first, SCR_RECORD_END, "succeeded");
  for (uint64_t step = 50; step < 600; step += 97) {
    empty(l->second);
    plan stop = {.step = step, .answer = SCR_RUN_STOP};
    scr_status status = run(scene, l->second, &stop, NULL);
    if (status == SCR_STOPPED) status = run(scene, l->second, NULL, NULL);
    assert_int_equal(status, SCR_OK);
    assert_same_recording(l->first, l->second);
  }
  scr_scene_destroy(scene);
}

/* The peak that a force-drop rule remembers survives a stop: without it the resumed run would go on longer. */
static void test_a_force_drop_is_judged_by_the_peak_before_the_stop(void **state)
{
  lab *l = *state;
  scr_scene *scene =
      make_scene(", \"stop\": [ { \"type\": \"force_drop\", \"series\": \"height\", \"fraction\": 0.3, \"above\": 0.05 } ]", "");
  run_whole(scene, l->first);
  assert_newest_says(l->first, SCR_RECORD_END, "below 0.3 of its peak of 0.1");
  plan stop = {.step = 110, .answer = SCR_RUN_STOP}, go_on = {0};
  assert_int_equal(run(scene, l->second, &stop, NULL), SCR_STOPPED);
  assert_int_equal(run(scene, l->second, &go_on, NULL), SCR_OK);
  assert_true(go_on.resumed);
  assert_same_recording(l->first, l->second);
  scr_scene_destroy(scene);
}

static void test_a_stop_rule_on_an_unknown_curve_is_refused_before_anything_runs(void **state)
{
  lab *l = *state;
  scr_scene *scene = make_scene(", \"stop\": [ { \"type\": \"above\", \"series\": \"torque\", \"above\": 25 } ]", "");
  scr_error error;
  assert_int_equal(run(scene, l->first, NULL, &error), SCR_BAD_SCENE);
  assert_string_equal(error.pointer, "/time/stop/0/series");
  scr_scene_destroy(scene);
}

static void test_a_run_that_diverges_ends_as_failed_with_a_last_frame(void **state)
{
  lab *l = *state;
  scr_error error;
  toy.diverge_step = 1203;
  assert_int_equal(run(l->scene, l->first, NULL, &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "ball 3"));
  assert_newest_says(l->first, SCR_RECORD_END, "\"verdict\":\"failed\"");
  assert_newest_says(l->first, SCR_RECORD_END, "ball 3 left the laboratory at step 1203");
  assert_newest_says(l->first, SCR_RECORD_END, "\"frames\":4"); /* at 0, 500, 1000 and the last one */
  error.message[0] = '\0';
  assert_int_equal(run(l->scene, l->first, NULL, &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "ball 3"));
  plan stop = {.step = 1150, .answer = SCR_RUN_STOP};
  assert_int_equal(run(l->scene, l->second, &stop, NULL), SCR_STOPPED);
  assert_int_equal(run(l->scene, l->second, NULL, NULL), SCR_DIVERGED);
  assert_same_recording(l->first, l->second);
}

/* A NaN that a method did not notice never gets into a recording. */
static void test_a_curve_that_is_not_finite_fails_the_run(void **state)
{
  lab *l = *state;
  scr_error error;
  toy.lost_step = 303;
  assert_int_equal(run(l->scene, l->first, NULL, &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "height became nan at step 305"));
  assert_newest_says(l->first, SCR_RECORD_END, "\"samples\":61"); /* at 0, 5, ..., 300 */
}

static void test_a_directory_in_use_is_busy(void **state)
{
  lab *l = *state;
  mkdir(l->first, 0755);
  int lock = open(file_in(l->first, "lock"), O_RDWR | O_CREAT, 0644);
  assert_int_equal(flock(lock, LOCK_EX | LOCK_NB), 0);
  scr_error error;
  assert_int_equal(run(l->scene, l->first, NULL, &error), SCR_BUSY);
  assert_non_null(strstr(error.message, "in use"));
  close(lock);
  run_whole(l->scene, l->first);
}

static void test_a_directory_that_cannot_be_made_is_a_clear_error(void **state)
{
  lab *l = *state;
  scr_error error;
  assert_int_equal(run(l->scene, file_in(l->root, "missing/deeper"), NULL, &error), SCR_IO);
  assert_non_null(strstr(error.message, "missing/deeper"));
  write_bytes(l->first, (const unsigned char *)"x", 1);
  assert_int_equal(run(l->scene, l->first, NULL, &error), SCR_IO);
  unlink(l->first);
  assert_int_equal(scr_run(l->scene, NULL, &error), SCR_BAD_USAGE);
}

/* A limit on the file's size stands in for a full disk. Each round gives a little more room; the last has enough. */
static void test_a_run_on_a_full_disk_fails_clearly_and_goes_on_when_there_is_room(void **state)
{
  lab *l = *state;
  run_whole(l->scene, l->first);
  unsigned char *whole;
  size_t size = read_bytes(file_in(l->first, "recording.scree"), &whole);
  free(whole);
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit before, limit;
  getrlimit(RLIMIT_FSIZE, &before);
  int refused = 0;
  for (size_t room = size / 3; room < size; room += size / 5) {
    limit = before;
    limit.rlim_cur = room;
    setrlimit(RLIMIT_FSIZE, &limit);
    scr_error error = {0};
    scr_status status = run(l->scene, l->second, NULL, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, SCR_IO);
    assert_non_null(strstr(error.message, "could not be written"));
    refused++;
  }
  assert_true(refused >= 3);
  run_whole(l->scene, l->second);
  assert_same_recording(l->first, l->second);
}

static void test_the_progress_call_is_told_the_truth(void **state)
{
  lab *l = *state;
  plan p = {0};
  assert_int_equal(run(l->scene, l->first, &p, NULL), SCR_OK);
  assert_true(p.calls > 2 && p.calls <= 2001); /* at most between all steps and once at the end */
}

#define IN_LAB(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_LAB(test_a_run_records_scene_topology_samples_frames_events_and_an_end),
      IN_LAB(test_the_user_may_have_exact_positions),
      IN_LAB(test_an_ended_run_answers_with_its_verdict_and_does_not_run_again),
      IN_LAB(test_a_run_stopped_at_any_kind_of_moment_records_the_same_bytes),
      IN_LAB(test_a_run_stopped_every_few_steps_records_the_same_bytes),
      IN_LAB(test_records_after_the_checkpoint_are_compared_not_written_again),
      IN_LAB(test_a_run_that_does_not_reproduce_its_recording_is_a_mismatch),
      IN_LAB(test_a_directory_with_another_scenes_run_is_refused),
      IN_LAB(test_a_damaged_checkpoint_is_ignored),
      IN_LAB(test_a_lying_checkpoint_never_crashes),
      IN_LAB(test_a_run_killed_at_random_moments_records_the_same_bytes),
      IN_LAB(test_a_run_without_checkpoint_is_computed_again_from_the_start),
      IN_LAB(test_a_cancelled_run_is_closed_and_stays_cancelled),
      IN_LAB(test_a_cancel_during_catching_up_keeps_what_was_recorded),
      IN_LAB(test_a_stop_rule_ends_a_run_early_and_says_why),
      IN_LAB(test_a_force_drop_is_judged_by_the_peak_before_the_stop),
      IN_LAB(test_a_stop_rule_on_an_unknown_curve_is_refused_before_anything_runs),
      IN_LAB(test_a_run_that_diverges_ends_as_failed_with_a_last_frame),
      IN_LAB(test_a_curve_that_is_not_finite_fails_the_run),
      IN_LAB(test_a_directory_in_use_is_busy),
      IN_LAB(test_a_directory_that_cannot_be_made_is_a_clear_error),
      IN_LAB(test_a_run_on_a_full_disk_fails_clearly_and_goes_on_when_there_is_room),
      IN_LAB(test_the_progress_call_is_told_the_truth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
