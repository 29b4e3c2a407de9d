/* Runs that go wrong: another scene's folder, damaged checkpoints, cancelling, diverging, full disks. */
#include "tests/unit/run/test_run_toy.h"
#include "tests/support/suites.h"

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

/* A kill in the middle of writing a checkpoint leaves a file under a temporary name; such files must not pile up over attempts. */
static void test_what_a_killed_attempt_left_half_written_is_removed(void **state)
{
  lab *l = *state;
  mkdir(l->first, 0755);
  write_bytes(file_in(l->first, "checkpoint.scree.tmp-aB3xYz"), (const unsigned char *)"half", 4);
  write_bytes(file_in(l->first, "scene.json.tmp-000000"), (const unsigned char *)"{", 1);
  write_bytes(file_in(l->first, "notes.txt"), (const unsigned char *)"mine", 4);
  run_whole(l->scene, l->first);
  assert_int_not_equal(access(file_in(l->first, "checkpoint.scree.tmp-aB3xYz"), F_OK), 0);
  assert_int_not_equal(access(file_in(l->first, "scene.json.tmp-000000"), F_OK), 0);
  assert_int_equal(access(file_in(l->first, "notes.txt"), F_OK), 0);
  unlink(file_in(l->first, "notes.txt"));
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

SUITE(test_run_faults)
{
  const struct CMUnitTest tests[] = {
      IN_LAB(test_a_run_that_does_not_reproduce_its_recording_is_a_mismatch),
      IN_LAB(test_a_directory_with_another_scenes_run_is_refused),
      IN_LAB(test_a_damaged_checkpoint_is_ignored),
      IN_LAB(test_a_lying_checkpoint_never_crashes),
      IN_LAB(test_a_cancelled_run_is_closed_and_stays_cancelled),
      IN_LAB(test_a_cancel_during_catching_up_keeps_what_was_recorded),
      IN_LAB(test_a_stop_rule_on_an_unknown_curve_is_refused_before_anything_runs),
      IN_LAB(test_a_run_that_diverges_ends_as_failed_with_a_last_frame),
      IN_LAB(test_a_curve_that_is_not_finite_fails_the_run),
      IN_LAB(test_a_directory_in_use_is_busy),
      IN_LAB(test_a_directory_that_cannot_be_made_is_a_clear_error),
      IN_LAB(test_what_a_killed_attempt_left_half_written_is_removed),
      IN_LAB(test_a_run_on_a_full_disk_fails_clearly_and_goes_on_when_there_is_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
