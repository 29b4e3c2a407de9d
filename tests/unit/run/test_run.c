/* Whole runs in a directory: what they record, and that it is the same however often a run is stopped, killed and taken up again. */
#include "tests/unit/run/test_run_toy.h"
#include "tests/support/suites.h"

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
  assert_int_equal(curves->series_count, 8);
  assert_string_equal(curves->series[0].name, "time");
  double peak = 0.0;
  for (size_t i = 0; i < curves->sample_count; i++) {
    assert_true(fabs(curves->values[i * curves->series_count] - 5e-3 * (double)i) < 1e-12);
    peak = fmax(peak, fabs(curves->values[i * curves->series_count + 1]));
  }
  scr_topology topology;
  bool found;
  assert_int_equal(topology_read(recording, &topology, &found, NULL), SCR_OK);
  assert_true(found && topology.drawable_count == 1 && topology.plot_count == 1);
  assert_string_equal(topology.plots[0].title, "Floor force over Time");
  assert_true(fabs(topology.minimum.x + 0.01) < 1e-12 && fabs(topology.maximum.z - (0.1 + 0.013 * 19 + 0.01)) < 1e-12);
  topology_clear(&topology);
  char expected[128];
  snprintf(expected, sizeof expected, "\"frames\":5,\"samples\":401");
  assert_newest_says(l->first, SCR_RECORD_END, expected);
  assert_newest_says(l->first, SCR_RECORD_END, "\"verdict\":\"succeeded\"");
  snprintf(expected, sizeof expected, "{\"name\":\"floor.force\",\"label\":\"Peak force\",\"unit\":\"N\",\"value\":%.17g}", peak);
  assert_newest_says(l->first, SCR_RECORD_END, expected);
  assert_newest_says(l->first, SCR_RECORD_EVENT, "first_bounce");
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

/* Half a run, its checkpoint lost, computed again by a slower machine: the first half keeps its clock, the second has the new one. */
static void test_what_a_clock_said_is_kept_and_not_compared(void **state)
{
  lab *l = *state;
  plan stop = {.step = 900, .answer = SCR_RUN_STOP};
  toy.clock = 0.25;
  assert_int_equal(run(l->scene, l->first, &stop, NULL), SCR_STOPPED);
  unlink(file_in(l->first, "checkpoint.scree"));
  toy.clock = 0.5;
  assert_int_equal(run(l->scene, l->first, NULL, NULL), SCR_OK);
  scr_recording *recording;
  scr_curves *curves;
  assert_int_equal(scr_recording_open(file_in(l->first, "recording.scree"), &recording, NULL), SCR_OK);
  assert_int_equal(scr_curves_read(recording, 0, &curves, NULL), SCR_OK);
  size_t old = 0;
  for (size_t i = 0; i < curves->sample_count; i++) {
    double said = curves->values[i * curves->series_count + 4];
    assert_true(said == 0.25 || said == 0.5);
    assert_true(i == 0 || said >= curves->values[(i - 1) * curves->series_count + 4]);
    old += said == 0.25;
  }
  assert_true(old > 100 && old < 250); /* 900 of 2000 steps, a sample every 5, to the end of a batch */
  scr_curves_destroy(curves);
  scr_recording_close(recording);
}

static void test_a_run_cannot_stop_by_a_clock(void **state)
{
  (void)state;
  static const char text[] =
      "{\"scree\":1,\"name\":\"fall\",\"method\":\"toy\",\"materials\":[{\"name\":\"rubber\"}],"
      "\"specimens\":[{\"name\":\"ball\",\"material\":\"rubber\",\"shape\":{\"type\":\"sphere\",\"radius\":0.01}}],"
      "\"time\":{\"duration\":0.01,\"time_step\":1e-3,\"stop\":[{\"type\":\"above\",\"series\":\"clock.step\",\"above\":1}]}}";
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  assert_int_equal(scene_parse(text, strlen(text), NULL, list_toy, &scene, &problems), SCR_BAD_SCENE);
  assert_int_equal(problems.count, 1);
  assert_string_equal(problems.items[0].pointer, "/time/stop/0/series");
  assert_non_null(strstr(problems.items[0].detail, "clock"));
  scr_problems_clear(&problems);
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
    /* Longer with every twenty kills: on a busy machine a run may otherwise never live to its next checkpoint. */
    usleep((2000 + (unsigned)(seed >> 40) % 25000) * (unsigned)(1 + kills / 20));
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

static void count_beat(void *user)
{
  ++*(int *)user;
}

/* No more often than asked for, and never by a clock: a build that hangs between two parts is silent. */
static void test_building_a_simulation_gives_signs_of_life(void **state)
{
  lab *l = *state;
  int beats = 0;
  scr_run_options options = {.directory = l->first, .progress_seconds = 0.02, .liveness = count_beat, .user = &beats};
  toy.build_parts = 50; /* 100 ms at least */
  assert_int_equal(scr_run(l->scene, &options, NULL), SCR_OK);
  toy.build_parts = 0;
  print_message("# %d signs of life\n", beats);
  assert_true(beats >= 4);
  int often = beats;
  beats = 0;
  options = (scr_run_options){.directory = l->second, .progress_seconds = 1000, .liveness = count_beat, .user = &beats};
  toy.build_parts = 50;
  assert_int_equal(scr_run(l->scene, &options, NULL), SCR_OK);
  toy.build_parts = 0;
  assert_true(beats == 1 && often > beats);
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

static void test_a_stop_rule_ends_a_run_early_and_says_why(void **state)
{
  lab *l = *state;
  scr_scene *scene = make_scene(", \"stop\": [ { \"type\": \"above\", \"series\": \"bounces\", \"above\": 25 } ]", "");
  run_whole(scene, l->first);
  assert_newest_says(l->first, SCR_RECORD_EVENT, "stop_rule");
  assert_newest_says(l->first, SCR_RECORD_END, "bounces reached 26, above the limit of 25");
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
/* A ball let go at 0.1 m touches the floor after sqrt(2 h/g) = 142.8 ms; the first sample after that is at 145 ms. */
static void test_the_first_row_of_a_table_is_told_once_with_a_time_people_can_read(void **state)
{
  lab *l = *state;
  run_whole(l->scene, l->first);
  assert_newest_says(l->first, SCR_RECORD_EVENT, "\"the first balls bounced: 1 by t = 145 ms\"");
}

static void test_a_force_drop_is_judged_by_the_peak_before_the_stop(void **state)
{
  lab *l = *state;
  scr_scene *scene =
      make_scene(", \"stop\": [ { \"type\": \"force_drop\", \"series\": \"height\", \"fraction\": 0.3, \"above\": 0.05 } ]", "");
  run_whole(scene, l->first);
  assert_newest_says(l->first, SCR_RECORD_END, "below 0.3 of its peak of 100 mm");
  plan stop = {.step = 110, .answer = SCR_RUN_STOP}, go_on = {0};
  assert_int_equal(run(scene, l->second, &stop, NULL), SCR_STOPPED);
  assert_int_equal(run(scene, l->second, &go_on, NULL), SCR_OK);
  assert_true(go_on.resumed);
  assert_same_recording(l->first, l->second);
  scr_scene_destroy(scene);
}

static void test_the_progress_call_is_told_the_truth(void **state)
{
  lab *l = *state;
  plan p = {0};
  assert_int_equal(run(l->scene, l->first, &p, NULL), SCR_OK);
  assert_true(p.calls > 2 && p.calls <= 2001); /* at most between all steps and once at the end */
}

SUITE(test_run)
{
  const struct CMUnitTest tests[] = {
      IN_LAB(test_a_run_records_scene_topology_samples_frames_events_and_an_end),
      IN_LAB(test_the_user_may_have_exact_positions),
      IN_LAB(test_an_ended_run_answers_with_its_verdict_and_does_not_run_again),
      IN_LAB(test_building_a_simulation_gives_signs_of_life),
      IN_LAB(test_a_run_stopped_at_any_kind_of_moment_records_the_same_bytes),
      IN_LAB(test_a_run_stopped_every_few_steps_records_the_same_bytes),
      IN_LAB(test_records_after_the_checkpoint_are_compared_not_written_again),
      IN_LAB(test_what_a_clock_said_is_kept_and_not_compared),
      cmocka_unit_test(test_a_run_cannot_stop_by_a_clock),
      IN_LAB(test_a_run_killed_at_random_moments_records_the_same_bytes),
      IN_LAB(test_a_run_without_checkpoint_is_computed_again_from_the_start),
      IN_LAB(test_a_stop_rule_ends_a_run_early_and_says_why),
      IN_LAB(test_the_first_row_of_a_table_is_told_once_with_a_time_people_can_read),
      IN_LAB(test_a_force_drop_is_judged_by_the_peak_before_the_stop),
      IN_LAB(test_the_progress_call_is_told_the_truth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
