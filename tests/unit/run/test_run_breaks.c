/* The log of broken bonds: complete, in order, and the same however a run is interrupted. */
#include "tests/unit/run/test_run_toy.h"

#include "scene/counts.h"
#include "sim/pieces/breaks.h"
#include "tests/support/suites.h"

/* A brittle bar that falls on its end, by method, with the method's options. */
static scr_scene *bar(const char *method, const char *options, double duration)
{
  char text[1400];
  scr_problems problems = {0};
  scr_scene *scene = NULL;
  snprintf(
      text, sizeof text,
      "{\"scree\":1,\"name\":\"bar\",\"method\":\"%s\",\"materials\":[{\"name\":\"glass\",\"density\":1000,\"bulk_modulus\":6e6,"
      "\"tensile_strength\":4e3,\"shear_strength\":4e3,\"fracture_energy\":0.02}],"
      "\"contact\":{\"friction_coefficient\":0.3,\"damping_ratio\":0.2},"
      "\"specimens\":[{\"name\":\"bar\",\"material\":\"glass\",\"spacing\":0.02,\"shape\":{\"type\":\"box\",\"size\":[0.16,0.06,0.06]},"
      "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.09]},\"rotation\":{\"axis\":[0.3,1,0.1],\"angle_deg\":35},"
      "\"velocity\":[0,0,-3]}],\"rig\":{\"type\":\"box\",\"minimum\":[-0.3,-0.3,0],\"maximum\":[0.3,0.3,0.4],\"gravity\":[0,0,-9.81]},"
      "\"time\":{\"duration\":%g},\"output\":{\"frame_interval\":%g},\"options\":{%s}}",
      method, duration, duration / 7, options);
  if (scr_scene_parse(text, strlen(text), NULL, &scene, &problems) != SCR_OK)
    fail_msg("%s", problems.count ? problems.items[0].detail : "no memory");
  scr_problems_clear(&problems);
  return scene;
}

static scr_table *breaks_in(const char *directory, uint64_t after, scr_end *end)
{
  scr_recording *recording;
  scr_table *breaks;
  assert_int_equal(scr_recording_open(file_in(directory, "recording.scree"), &recording, NULL), SCR_OK);
  assert_int_equal(scr_table_read(recording, "breaks", after, &breaks, NULL), SCR_OK);
  if (end) assert_int_equal(scr_recording_end(recording, end, NULL), SCR_OK);
  scr_recording_close(recording);
  return breaks;
}

static const struct {
  const char *method, *options;
  double duration;
} kinds[] = {
    {"bdem", "\"constants_of\":\"bonds\",\"integrator\":\"explicit\"", 0.014},
    {"bdem", "\"constants_of\":\"bonds\",\"integrator\":\"implicit-euler\",\"breaking\":\"explicit-bursts\"", 0.014},
    {"bdem", "\"constants_of\":\"bonds\",\"integrator\":\"implicit-euler\",\"breaking\":\"worst-first\"", 0.014},
    {"peridem", "\"contact_radius\":0.03,\"horizon\":0.05", 0.014},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* As many as the curve of broken bonds counts at the end; each above its strength, once, and no earlier than the one before. */
static void test_every_broken_bond_is_in_the_log_once(void **state)
{
  lab *l = *state;
  for (size_t k = 0; k < KINDS; k++) {
    scr_scene *scene = bar(kinds[k].method, kinds[k].options, kinds[k].duration);
    scr_end end;
    empty(l->first);
    run_whole(scene, l->first);
    scr_table *breaks = breaks_in(l->first, 0, &end);
    print_message("# value: %s %s: broken bonds = %zu (reference %g)\n", kinds[k].method, kinds[k].options, breaks->row_count,
                  end.headlines[end.headline_count - 1].value);
    assert_true(breaks->row_count > 20);
    assert_true((double)breaks->row_count == end.headlines[end.headline_count - 1].value);
    for (size_t i = 0; i < breaks->row_count; i++) {
      const break_entry entry = breaks_entry(breaks, i), *b = &entry;
      assert_true(b->a < b->b && b->load > 1 && b->time > 0 && b->time <= end.sim_time && b->step <= end.step);
      assert_true(fabs(b->position[0]) < 0.31 && fabs(b->position[1]) < 0.31 && b->position[2] > -0.01 && b->position[2] < 0.41);
      bool strain = strcmp(kinds[k].method, "peridem") == 0;
      assert_true(strain == (b->mode == BREAK_STRETCH));
      if (b->mode == BREAK_TENSION) assert_true(fabs(b->tension / 4e3 - b->load) < 1e-12 * b->load);
      if (b->mode == BREAK_SHEAR) assert_true(fabs(b->shear / 4e3 - b->load) < 1e-12 * b->load);
      if (i > 0) assert_true(b->time >= breaks_entry(breaks, i - 1).time && b->step >= breaks_entry(breaks, i - 1).step);
      if (strain) assert_true(isnan(b->tension) && isnan(b->shear));
      for (size_t j = 0; j < i; j++) assert_false(breaks_entry(breaks, j).a == b->a && breaks_entry(breaks, j).b == b->b);
    }
    scr_table_destroy(breaks);
    scr_scene_destroy(scene);
  }
}

/* The estimate counts every bond that may break, so a run that breaks a part of them stays below it, and not by more than what was not
 * broken and the rounding of a frame's headers; where nothing can break, the log costs nothing. */
static void test_the_estimated_size_has_room_for_the_log(void **state)
{
  lab *l = *state;
  for (size_t k = 0; k < KINDS; k += 3) { /* explicit bdem, peridem */
    char options[160];
    snprintf(options, sizeof options, "%s,\"breakable\":false", kinds[k].options);
    scr_scene *scene = bar(kinds[k].method, kinds[k].options, kinds[k].duration), *whole = bar(kinds[k].method, options, kinds[k].duration);
    const scr_estimate *with = scr_scene_estimate(scene), *without = scr_scene_estimate(whole);
    scr_recording *recording;
    scr_end end;
    assert_true(with->step_rows == scr_count_of(with, "bonds") && without->step_rows == 0);
    assert_true(with->record_bytes >= without->record_bytes + 88.0 * (double)scr_count_of(with, "bonds"));
    empty(l->first);
    run_whole(scene, l->first);
    assert_int_equal(scr_recording_open(file_in(l->first, "recording.scree"), &recording, NULL), SCR_OK);
    assert_int_equal(scr_recording_end(recording, &end, NULL), SCR_OK);
    double actual = (double)scr_recording_bytes(recording),
           left = 88 * ((double)scr_count_of(with, "bonds") - end.headlines[end.headline_count - 1].value);
    print_message("# value: %s: bytes = %.0f (reference %.0f)\n", kinds[k].method, actual, with->record_bytes);
    assert_true(actual <= with->record_bytes && with->record_bytes - left < 2.5 * actual);
    scr_recording_close(recording);
    scr_scene_destroy(scene), scr_scene_destroy(whole);
  }
}

static void test_an_interrupted_run_logs_the_same_bytes(void **state)
{
  lab *l = *state;
  for (size_t k = 0; k < KINDS; k++) {
    scr_scene *scene = bar(kinds[k].method, kinds[k].options, kinds[k].duration);
    empty(l->first), empty(l->second);
    run_whole(scene, l->first);
    scr_table *breaks = breaks_in(l->first, 0, NULL);
    assert_true(breaks->row_count > 0);
    /* Stopped right behind the first break, when the log is not yet recorded, and in the middle of it. */
    const uint64_t moments[] = {breaks_entry(breaks, 0).step, breaks_entry(breaks, breaks->row_count / 2).step};
    for (size_t m = 0; m < 2; m++) {
      plan stop = {.step = moments[m], .answer = SCR_RUN_STOP};
      assert_int_equal(run(scene, l->second, &stop, NULL), SCR_STOPPED);
    }
    run_whole(scene, l->second);
    scr_table *again = breaks_in(l->second, 0, NULL);
    assert_int_equal(again->row_count, breaks->row_count);
    assert_memory_equal(again->values, breaks->values, breaks->row_count * breaks->column_count * sizeof *breaks->values);
    scr_table_destroy(again);
    scr_table_destroy(breaks);
    scr_scene_destroy(scene);
  }
}

static void test_the_log_is_read_from_any_record_on_and_written_as_csv(void **state)
{
  lab *l = *state;
  scr_scene *scene = bar("bdem", "\"constants_of\":\"bonds\"", 0.014);
  run_whole(scene, l->first);
  scr_table *all = breaks_in(l->first, 0, NULL);
  size_t lines = 0, length;
  char *text;
  uint64_t seq = 0;
  scr_recording *recording;
  assert_int_equal(scr_recording_open(file_in(l->first, "recording.scree"), &recording, NULL), SCR_OK);
  scr_table *piece;
  assert_int_equal(scr_table_open(recording, "breaks", &piece, NULL), SCR_OK);
  assert_int_equal(scr_table_next(recording, piece, &seq, NULL), SCR_OK);
  assert_true(seq > 0 && piece->row_count > 0);
  scr_recording_close(recording);
  scr_table *rest = breaks_in(l->first, seq, NULL);
  assert_true(rest->row_count > 0 && piece->row_count + rest->row_count == all->row_count);
  size_t before = piece->row_count * all->column_count;
  assert_memory_equal(piece->values, all->values, before * sizeof *all->values);
  assert_memory_equal(rest->values, all->values + before, rest->row_count * all->column_count * sizeof *rest->values);
  assert_int_equal(scr_table_csv(all, SCR_TABLE_WHOLE, &text, &length, NULL), SCR_OK);
  static const char names[] = "time [s],step [1],a [1],b [1],mode,load [1],tension [Pa],shear [Pa],x [m],y [m],z [m]\r\n";
  assert_memory_equal(text, names, sizeof names - 1);
  for (size_t i = 0; i < length; i++) lines += text[i] == '\n';
  assert_int_equal(lines, all->row_count + 1);
  scr_free(text);
  scr_table_destroy(all), scr_table_destroy(rest), scr_table_destroy(piece);
  scr_scene_destroy(scene);
}

SUITE(test_run_breaks)
{
  const struct CMUnitTest tests[] = {
      IN_LAB(test_every_broken_bond_is_in_the_log_once),
      IN_LAB(test_the_estimated_size_has_room_for_the_log),
      IN_LAB(test_an_interrupted_run_logs_the_same_bytes),
      IN_LAB(test_the_log_is_read_from_any_record_on_and_written_as_csv),
  };
  return cmocka_run_group_tests_name("run_breaks", tests, NULL, NULL);
}
