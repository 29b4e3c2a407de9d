/* A run that went to its end but can't be fully trusted says so: in its recording, and by every way of reading it. Nothing that was
 * dissipated comes back unnoticed. The toy method of test_run_toy.h misbehaves on request. */
#include "tests/unit/run/test_run_toy.h"
#include "tests/support/suites.h"

static scr_end end_of(const char *directory)
{
  scr_recording *recording;
  scr_end end;
  assert_int_equal(scr_recording_open(file_in(directory, "recording.scree"), &recording, NULL), SCR_OK);
  assert_int_equal(scr_recording_end(recording, &end, NULL), SCR_OK);
  scr_recording_close(recording);
  return end;
}

static void test_a_plain_success_has_no_doubts(void **state)
{
  lab *l = *state;
  run_whole(l->scene, l->first);
  assert_newest_says(l->first, SCR_RECORD_END, "\"doubts\":[]");
  assert_int_equal(end_of(l->first).doubt_count, 0);
}

/* The event is recorded when the doubt first arises, the end record has its newest sentence. */
static void test_a_doubt_of_the_method_is_recorded_once_and_ends_with_its_newest_words(void **state)
{
  lab *l = *state;
  toy.doubt_step = 703;
  run_whole(l->scene, l->first);
  scr_end end = end_of(l->first);
  assert_int_equal(end.verdict, SCR_VERDICT_SUCCEEDED);
  assert_int_equal(end.doubt_count, 1);
  assert_string_equal(end.doubts[0].kind, "toy");
  assert_string_equal(end.doubts[0].message, "ball 7 of \xc3\x85se was seen twice, last at step 2000");
  scr_recording *recording;
  assert_int_equal(scr_recording_open(file_in(l->first, "recording.scree"), &recording, NULL), SCR_OK);
  size_t told = 0;
  for (uint64_t seq = 0; (seq = scr_recording_next(recording, seq, 1u << SCR_RECORD_EVENT)) != 0;) {
    unsigned char bytes[1024] = {0};
    assert_int_equal(scr_recording_read(recording, seq, bytes, sizeof bytes - 1, NULL), SCR_OK);
    const char *text = (const char *)bytes + sizeof(scr_record_header);
    if (!strstr(text, "\"doubt\":\"toy\"")) continue;
    told++;
    assert_non_null(strstr(text, "last at step 705")); /* samples are taken every five steps */
  }
  assert_int_equal(told, 1);
  scr_recording_close(recording);
}

static void test_an_energy_balance_beyond_a_hundredth_is_doubted_with_its_value(void **state)
{
  lab *l = *state;
  toy.balance_step = 1200;
  run_whole(l->scene, l->first);
  scr_end end = end_of(l->first);
  assert_int_equal(end.verdict, SCR_VERDICT_SUCCEEDED);
  assert_int_equal(end.doubt_count, 1);
  assert_string_equal(end.doubts[0].kind, "energy_balance");
  assert_non_null(strstr(end.doubts[0].message, "off by 5 % of the largest energy at t = 1.20 s (tolerance 1 %)"));
}

/* Cubes of which one tore under the other's faces ended as a plain success with half of the largest energy made by breaking. Here the
 * largest energy is 1200 J of damping when 2 of fracture's 100 J come back; a thousandth is what sums may be off by. */
static void test_fracture_that_gives_energy_back_is_doubted_with_its_value(void **state)
{
  lab *l = *state;
  toy.mend_step = 1200;
  run_whole(l->scene, l->first);
  scr_end end = end_of(l->first);
  assert_int_equal(end.verdict, SCR_VERDICT_SUCCEEDED);
  assert_int_equal(end.doubt_count, 1);
  assert_string_equal(end.doubts[0].kind, "energy_from_fracture");
  assert_non_null(
      strstr(end.doubts[0].message, "breaking gave 2.00 J to the motion by t = 1.20 s, 0.17 % of the largest energy (tolerance 0.1 %)"));
}

static void test_dissipation_that_gives_energy_back_fails_the_run_with_advice(void **state)
{
  lab *l = *state;
  scr_error error = {0};
  toy.give_back_step = 1000;
  assert_int_equal(run(l->scene, l->first, NULL, &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "energy.damping gave back 95.0 J by t = 1.00 s"));
  assert_non_null(strstr(error.message, "smaller time step"));
  assert_int_equal(end_of(l->first).verdict, SCR_VERDICT_FAILED);
}

static void test_doubts_and_watched_energies_survive_an_interruption(void **state)
{
  lab *l = *state;
  toy.doubt_step = 703;
  toy.balance_step = 1200;
  toy.mend_step = 800;
  run_whole(l->scene, l->first);
  for (uint64_t step = 690; step < 1300; step += 101) {
    empty(l->second);
    plan stop = {.step = step, .answer = SCR_RUN_STOP}, go_on = {0};
    assert_int_equal(run(l->scene, l->second, &stop, NULL), SCR_STOPPED);
    assert_int_equal(run(l->scene, l->second, &go_on, NULL), SCR_OK);
    assert_true(go_on.resumed);
    assert_same_recording(l->first, l->second);
  }
}

/* The peak of the damper's energy is part of the checkpoint: what was lost before the interruption can't come back after it. */
static void test_energy_given_back_after_an_interruption_is_noticed(void **state)
{
  lab *l = *state;
  plan stop = {.step = 1000, .answer = SCR_RUN_STOP}, go_on = {0};
  assert_int_equal(run(l->scene, l->first, &stop, NULL), SCR_STOPPED);
  toy.give_back_step = 1001;
  assert_int_equal(run(l->scene, l->first, &go_on, NULL), SCR_DIVERGED);
  assert_true(go_on.resumed);
}

static void test_a_cancelled_run_keeps_the_doubts_it_had(void **state)
{
  lab *l = *state;
  toy.doubt_step = 703;
  plan cancel = {.step = 1500, .answer = SCR_RUN_CANCEL};
  assert_int_equal(run(l->scene, l->first, &cancel, NULL), SCR_CANCELLED);
  assert_int_equal(end_of(l->first).doubt_count, 1);
}

static void test_more_kinds_of_doubts_than_there_is_room_for_do_no_harm(void **state)
{
  (void)state;
  scr_sim *sim = calloc(1, sizeof *sim);
  for (int k = 0; k < 3 * SCR_DOUBT_LIMIT; k++) {
    char kind[32];
    snprintf(kind, sizeof kind, "kind_%d", k);
    scr_sim_doubt(sim, kind, "%0*d", 2000, k);
  }
  assert_int_equal(sim->doubt_count, SCR_DOUBT_LIMIT);
  assert_int_equal(strlen(sim->doubts[3].message), sizeof sim->doubts[3].message - 1);
  free(sim);
}

SUITE(test_run_doubts)
{
  const struct CMUnitTest tests[] = {
      IN_LAB(test_a_plain_success_has_no_doubts),
      IN_LAB(test_a_doubt_of_the_method_is_recorded_once_and_ends_with_its_newest_words),
      IN_LAB(test_an_energy_balance_beyond_a_hundredth_is_doubted_with_its_value),
      IN_LAB(test_fracture_that_gives_energy_back_is_doubted_with_its_value),
      IN_LAB(test_dissipation_that_gives_energy_back_fails_the_run_with_advice),
      IN_LAB(test_doubts_and_watched_energies_survive_an_interruption),
      IN_LAB(test_energy_given_back_after_an_interruption_is_noticed),
      IN_LAB(test_a_cancelled_run_keeps_the_doubts_it_had),
      cmocka_unit_test(test_more_kinds_of_doubts_than_there_is_room_for_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
