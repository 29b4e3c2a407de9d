/* Methods that choose their steps: what is recorded when, stages, and runs taken up again. */
#include "tests/unit/run/test_run_toy.h"

#include "sim/sim.h"
#include "tests/support/suites.h"

/* ── a made-up method with a clock of its own ────────────────────────────────────────────────────────────────────── */

/* A bob on a spring, x'' = -x, by leaps of an angle that halves and doubles as it likes. Exact for any step, so its law is known at every
 * time. */
typedef struct bob {
  double x, v, wish; /* m, m/s, s: the step it would take */
  uint64_t halvings;
} bob;

/* How it misbehaves; set by tests. */
static struct {
  double shrink_from; /* s: from here on each step is a tenth of the one before */
  bool overshoots;    /* it takes no notice of outputs */
  const char *kernel, *matches;
} odd;

static scr_status bob_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  (void)scene, (void)problems;
  estimate->node_count = 1;
  estimate->memory_bytes = sizeof(bob);
  estimate->time_step = 0.05;
  return SCR_OK;
}

static scr_status bob_create(scr_sim *sim, scr_error *error)
{
  bob *b = calloc(1, sizeof *b);
  sim->state = b;
  if (!b) return scr_fail_memory(error, "a bob", sizeof *b);
  *b = (bob){.x = 1, .wish = 0.05};
  sim->time_step = sim->scene->estimate.time_step;
  SCR_TRY(scr_sim_declare_series(sim, "x", "m", "Place", error));
  SCR_TRY(scr_sim_declare_stage(sim, "right", "On the right", error));
  SCR_TRY(scr_sim_declare_stage(sim, "left", "On the left", error));
  if (odd.kernel) SCR_TRY(scr_sim_declare_kernel(sim, "swing", odd.kernel, error));
  if (odd.kernel && odd.matches) scr_sim_kernel_matches(sim, odd.matches);
  scr_column columns[] = {{.name = "time", .unit = "s", .label = "Time"}, {.name = "step", .unit = "s", .label = "Step after it"}};
  const scr_table table = {.name = "halvings", .label = "Steps halved", .column_count = 2, .columns = columns};
  SCR_TRY(scr_sim_declare_table(sim, &table, error));
  SCR_TRY(scr_sim_announce_table(sim, 0, "step_halved", "steps were halved", error));
  scr_drawable drawable = {.kind = SCR_DRAW_POINTS, .name = "bob", .element_count = 1, .radius = 0.1, .field_count = 1};
  drawable.fields[0] = (scr_field){"position", "m", 3, SCR_ENCODING_FLOAT32};
  SCR_TRY(scr_sim_declare_drawable(sim, &drawable, error));
  return scr_sim_enter_stage(sim, 0, error);
}

static scr_status bob_step(scr_sim *sim, scr_error *error)
{
  bob *b = sim->state;
  if (odd.shrink_from > 0 && sim->time >= odd.shrink_from) b->wish *= 0.1;
  double left = sim->next_output - sim->time, dt = odd.overshoots || b->wish < left ? b->wish : left;
  double x = b->x * cos(dt) + b->v * sin(dt), v = b->v * cos(dt) - b->x * sin(dt);
  b->x = x, b->v = v;
  sim->time_step = dt;
  sim->time = dt == left ? sim->next_output : sim->time + dt;
  sim->steps++;
  if (sim->steps % 14 == 3) {
    const double row[] = {sim->time, b->wish *= 0.5};
    SCR_TRY(scr_sim_add_row(sim, 0, row, error));
    b->halvings++;
  }
  if (sim->steps % 14 == 10) b->wish *= 2;
  return scr_sim_enter_stage(sim, b->x < 0, error);
}

static void bob_observe(const scr_sim *sim, double *values)
{
  values[1] = ((const bob *)sim->state)->x;
}

static scr_status bob_draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  static const double zero;
  return scr_frame_field(frame, 0, 0, &((const bob *)sim->state)->x, &zero, &zero, error);
}

static scr_status bob_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  return scr_blob_write_array(blob, sim->state, 1, sizeof(bob), error);
}

static scr_status bob_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  return scr_blob_read_array(blob, sim->state, 1, sizeof(bob), "bobs", error);
}

static const scr_method bob_method = {
    .about = {.name = "toy",
              .title = "A bob on a spring",
              .summary = "It swings by steps of its own.",
              .clock = SCR_CLOCK_UNEVEN,
              .default_plot = {.x = "time", .y = "x", .scale = 1, .moving_average = 1},
              .check = bob_check},
    .create = bob_create,
    .step = bob_step,
    .observe = bob_observe,
    .draw = bob_draw,
    .save = bob_save,
    .load = bob_load,
    .destroy = toy_destroy,
};

static const scr_method_description *list_bob(size_t index)
{
  return index == 0 ? &bob_method.about : NULL;
}

/* Samples every 0.03 s, of which 3 s hold 100, frames every 0.9 s, which do not divide the duration. */
static scr_scene *bob_scene(const char *time_extra)
{
  char text[1024];
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  snprintf(text, sizeof text,
           "{ \"scree\": 1, \"name\": \"swing\", \"method\": \"toy\", \"materials\": [ { \"name\": \"steel\" } ],"
           "  \"specimens\": [ { \"name\": \"bob\", \"material\": \"steel\", \"shape\": { \"type\": \"sphere\", \"radius\": 0.1 } } ],"
           "  \"time\": { \"duration\": 3 %s }, \"output\": { \"frame_interval\": 0.9, \"sample_interval\": 0.03 } }",
           time_extra);
  if (scene_parse(text, strlen(text), NULL, list_bob, &scene, &problems) != SCR_OK)
    fail_msg("%s: %s", problems.count ? problems.items[0].pointer : "", problems.count ? problems.items[0].detail : "");
  memset(&odd, 0, sizeof odd);
  return scene;
}

/* ── claims ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* 101 samples at the multiples of 0.03 s, whatever the steps between; frames at the multiples of 0.9 s and at the end; and the law of the
 * spring holds at each: x = cos t. Tolerance: round-off of some 200 turns. */
static void test_samples_and_frames_are_at_their_times(void **state)
{
  lab *l = *state;
  scr_scene *scene = bob_scene("");
  run_whole(scene, l->first);
  scr_recording *recording;
  scr_curves *curves;
  scr_end end;
  assert_int_equal(scr_recording_open(file_in(l->first, "recording.scree"), &recording, NULL), SCR_OK);
  assert_int_equal(scr_curves_read(recording, 0, &curves, NULL), SCR_OK);
  assert_int_equal(curves->sample_count, 101);
  for (size_t k = 0; k < 101; k++) {
    double time = curves->values[2 * k];
    assert_true(time == (k < 100 ? 0.03 * (double)k : 3.0));
    assert_true(fabs(curves->values[2 * k + 1] - cos(time)) < 1e-13);
  }
  size_t frames = 0;
  for (uint64_t seq = 0; (seq = scr_recording_next(recording, seq, 1u << SCR_RECORD_FRAME)) != 0; frames++)
    assert_true(fabs(scr_recording_header(recording, seq)->sim_time - (frames < 4 ? 0.9 * (double)frames : 3.0)) < 1e-12);
  assert_int_equal(frames, 5);
  assert_int_equal(scr_recording_end(recording, &end, NULL), SCR_OK);
  assert_true(end.sim_time == 3.0 && end.step > 100);
  assert_true(scr_scene_estimate(scene)->frame_count == 5);
  scr_curves_destroy(curves);
  scr_recording_close(recording);
  scr_scene_destroy(scene);
}

/* cos t changes its sign at pi/2; 3 s end before it does so again. Each stage is an event at the end of the step that entered it, and the
 * topology lists them. */
static void test_stages_are_events_in_their_order(void **state)
{
  lab *l = *state;
  scr_scene *scene = bob_scene("");
  run_whole(scene, l->first);
  scr_recording *recording;
  scr_topology topology;
  bool found;
  double times[4] = {0};
  size_t count = 0;
  assert_int_equal(scr_recording_open(file_in(l->first, "recording.scree"), &recording, NULL), SCR_OK);
  for (uint64_t seq = 0; (seq = scr_recording_next(recording, seq, 1u << SCR_RECORD_EVENT)) != 0;) {
    char buffer[1024] = "";
    assert_int_equal(scr_recording_read(recording, seq, buffer, sizeof buffer - 1, NULL), SCR_OK);
    const char *text = buffer + sizeof(scr_record_header);
    if (!strstr(text, "\"kind\":\"stage\"")) continue;
    assert_non_null(
        strstr(text, count == 0 ? "\"message\":\"On the right\",\"name\":\"right\"" : "\"name\":\"left\",\"label\":\"On the left\""));
    assert_true(count < 2);
    times[count++] = scr_recording_header(recording, seq)->sim_time;
  }
  assert_true(count == 2 && times[0] == 0 && times[1] >= M_PI / 2 && times[1] < M_PI / 2 + 0.1);
  assert_int_equal(topology_read(recording, &topology, &found, NULL), SCR_OK);
  assert_true(topology.stage_count == 2 && strcmp(topology.stages[1].label, "On the left") == 0);
  topology_clear(&topology);
  scr_recording_close(recording);
  assert_newest_says(l->first, SCR_RECORD_END, "\"verdict\":\"succeeded\"");
  scr_scene_destroy(scene);
}

static void test_a_run_with_its_own_clock_is_the_same_however_it_is_interrupted(void **state)
{
  lab *l = *state;
  scr_scene *scene = bob_scene("");
  run_whole(scene, l->first);
  for (uint64_t step = 1; step < 130; step += 9) {
    plan stop = {.step = step, .answer = SCR_RUN_STOP}, go_on = {0};
    empty(l->second);
    assert_int_equal(run(scene, l->second, &stop, NULL), SCR_STOPPED);
    assert_int_equal(run(scene, l->second, &go_on, NULL), SCR_OK);
    assert_true(go_on.resumed);
    assert_same_recording(l->first, l->second);
  }
  scr_scene_destroy(scene);
}

typedef struct seen {
  size_t calls;
  bool left, right;
} seen;

static scr_run_answer look(void *user, const scr_run_progress *progress)
{
  seen *s = user;
  s->calls++;
  assert_int_equal(progress->step_count, 0);
  assert_true(progress->sim_time <= progress->duration && progress->duration == 3);
  assert_true(strcmp(progress->stage, "On the right") == 0 || strcmp(progress->stage, "On the left") == 0);
  s->left |= strcmp(progress->stage, "On the left") == 0;
  s->right |= strcmp(progress->stage, "On the right") == 0;
  return SCR_RUN_GO_ON;
}

static void test_progress_tells_the_stage_and_no_count_of_steps(void **state)
{
  lab *l = *state;
  scr_scene *scene = bob_scene("");
  seen s = {0};
  scr_run_options options = {.directory = l->first, .progress_seconds = 1e-9, .progress = look, .user = &s};
  assert_int_equal(scr_run(scene, &options, NULL), SCR_OK);
  assert_true(s.calls > 3 && s.left);
  scr_scene_destroy(scene);
}

/* The stage of a run is part of its state, and the first row of a table that announces itself is told once. */
static void test_a_stage_survives_a_stop(void **state)
{
  lab *l = *state;
  scr_scene *scene = bob_scene("");
  plan stop = {.step = 90, .answer = SCR_RUN_STOP};
  assert_int_equal(run(scene, l->first, &stop, NULL), SCR_STOPPED);
  seen s = {0};
  scr_run_options options = {.directory = l->first, .progress_seconds = 1e-9, .progress = look, .user = &s};
  assert_int_equal(scr_run(scene, &options, NULL), SCR_OK);
  assert_true(s.left && !s.right);
  char *text = newest_text(l->first, SCR_RECORD_EVENT);
  assert_non_null(strstr(text, "stage"));
  free(text);
  scr_scene_destroy(scene);
}

static void test_steps_that_shrink_to_nothing_fail_with_a_sentence(void **state)
{
  lab *l = *state;
  scr_scene *scene = bob_scene("");
  scr_error error = {0};
  odd.shrink_from = 1.0;
  assert_int_equal(run(scene, l->first, NULL, &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "shrank to"));
  assert_non_null(strstr(error.message, "less than a part in 1e12 of the duration of 3 s"));
  assert_newest_says(l->first, SCR_RECORD_END, "\"verdict\":\"failed\"");
  scr_scene_destroy(scene);
}

static void test_a_step_past_an_output_is_the_methods_fault(void **state)
{
  lab *l = *state;
  scr_scene *scene = bob_scene("");
  scr_error error = {0};
  odd.overshoots = true;
  assert_int_equal(run(scene, l->first, NULL, &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "past the next output"));
  scr_scene_destroy(scene);
}

static void test_stop_rules_are_judged_on_samples(void **state)
{
  lab *l = *state;
  scr_scene *scene = bob_scene(", \"stop\": [ { \"type\": \"force_drop\", \"series\": \"x\", \"fraction\": 0.5, \"above\": 0.1 } ]");
  run_whole(scene, l->first);
  scr_recording *recording;
  scr_end end;
  assert_int_equal(scr_recording_open(file_in(l->first, "recording.scree"), &recording, NULL), SCR_OK);
  assert_int_equal(scr_recording_end(recording, &end, NULL), SCR_OK);
  assert_true(fabs(end.sim_time - 1.05) < 1e-12); /* the first multiple of 0.03 s past pi/3 */
  scr_recording_close(recording);
  scr_scene_destroy(scene);
}

/* Begun with one kernel, gone on with another: refused, whether there is a checkpoint or not, and nothing is changed. */
static void test_a_run_is_not_taken_up_with_other_kernels(void **state)
{
  lab *l = *state;
  scr_scene *scene = bob_scene("");
  scr_error error = {0};
  plan stop = {.step = 40, .answer = SCR_RUN_STOP};
  odd.kernel = "wide";
  assert_int_equal(run(scene, l->first, &stop, NULL), SCR_STOPPED);
  odd.kernel = "narrow";
  for (int k = 0; k < 2; k++) {
    assert_int_equal(run(scene, l->first, NULL, &error), SCR_MISMATCH);
    assert_non_null(strstr(error.message, "swing computed by 'wide' and can't be continued by 'narrow'"));
    if (k == 0) unlink(file_in(l->first, "checkpoint.scree"));
  }
  odd.kernel = "wide";
  assert_int_equal(run(scene, l->first, NULL, &error), SCR_OK);
  scr_scene_destroy(scene);
}

/* Begun on a device that gives the bits of "wide", stopped, gone on with by "wide", from the checkpoint or from nothing: the recording is
 * that of the device alone. */
static void test_a_run_goes_on_with_a_kernel_of_the_same_bits(void **state)
{
  lab *l = *state;
  scr_scene *scene = bob_scene("");
  plan stop = {.step = 40, .answer = SCR_RUN_STOP};
  odd.kernel = "device", odd.matches = "wide";
  run_whole(scene, l->second);
  assert_newest_says(l->second, SCR_RECORD_TOPOLOGY, "\"variant\":\"device\",\"same_bits_as\":\"wide\"");
  for (int k = 0; k < 2; k++) {
    empty(l->first);
    odd.kernel = "device", odd.matches = "wide";
    assert_int_equal(run(scene, l->first, &stop, NULL), SCR_STOPPED);
    odd.kernel = "wide", odd.matches = NULL;
    if (k == 1) unlink(file_in(l->first, "checkpoint.scree"));
    assert_int_equal(run(scene, l->first, NULL, NULL), SCR_OK);
    assert_same_recording(l->first, l->second);
  }
  scr_scene_destroy(scene);
}

static void test_declarations_that_do_not_fit_are_refused(void **state)
{
  lab *l = *state;
  scr_scene *scene = bob_scene("");
  scr_sim *sim;
  (void)l;
  assert_int_equal(sim_create(scene, 1, (scr_liveness){0}, &sim, NULL), SCR_OK);
  assert_int_equal(scr_sim_enter_stage(sim, 2, NULL), SCR_BAD_USAGE);
  assert_int_equal(scr_sim_declare_stage(sim, "", "Nothing", NULL), SCR_BAD_USAGE);
  assert_int_equal(scr_sim_declare_stage(sim, "a_name_that_is_longer_than_31_bytes", "Long", NULL), SCR_BAD_USAGE);
  for (int k = 2; k < STAGE_LIMIT; k++) assert_int_equal(scr_sim_declare_stage(sim, "more", "More", NULL), SCR_OK);
  assert_int_equal(scr_sim_declare_stage(sim, "more", "More", NULL), SCR_BAD_USAGE);
  for (int k = 0; k < KERNEL_LIMIT; k++) assert_int_equal(scr_sim_declare_kernel(sim, "a", "b", NULL), SCR_OK);
  assert_int_equal(scr_sim_declare_kernel(sim, "a", "b", NULL), SCR_BAD_USAGE);
  scr_sim_destroy(sim);
  scr_scene_destroy(scene);
}

SUITE(test_run_clock)
{
  const struct CMUnitTest tests[] = {
      IN_LAB(test_samples_and_frames_are_at_their_times),
      IN_LAB(test_stages_are_events_in_their_order),
      IN_LAB(test_a_run_with_its_own_clock_is_the_same_however_it_is_interrupted),
      IN_LAB(test_progress_tells_the_stage_and_no_count_of_steps),
      IN_LAB(test_a_stage_survives_a_stop),
      IN_LAB(test_steps_that_shrink_to_nothing_fail_with_a_sentence),
      IN_LAB(test_a_step_past_an_output_is_the_methods_fault),
      IN_LAB(test_stop_rules_are_judged_on_samples),
      IN_LAB(test_a_run_is_not_taken_up_with_other_kernels),
      IN_LAB(test_a_run_goes_on_with_a_kernel_of_the_same_bits),
      IN_LAB(test_declarations_that_do_not_fit_are_refused),
  };
  return cmocka_run_group_tests_name("run_clock", tests, NULL, NULL);
}
