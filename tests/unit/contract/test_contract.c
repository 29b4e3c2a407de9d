/* What every method of the table promises, on its scenes of tests/data/contract: the same bits for any number of threads and after an
 * interruption,
 * damaged checkpoints refused, a balanced ledger, runs that can be cancelled. Another method needs a scene there, and nothing here. */
#include "tests/unit/run/test_run_toy.h"

#include "sim/sim.h"
#include "tests/support/contract_scene.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

enum { STEPS_MOST = 100000 };

/* With the files that the method made in it. */
static void remove_folder(const char *path)
{
  folder_remove(strdup(path));
}

static scr_sim *create(const contract_scene *about, const scr_scene *scene, unsigned threads)
{
  scr_sim *sim = NULL;
  scr_error error = {0};
  if (scr_sim_create(scene, threads, &sim, &error) != SCR_OK) fail_msg("%s: %s", about->name, error.message);
  return sim;
}

static void steps(const contract_scene *about, scr_sim *sim, uint64_t count)
{
  scr_error error = {0};
  for (uint64_t k = 0; k < count; k++)
    if (scr_sim_step(sim, &error) != SCR_OK) fail_msg("%s, step %llu: %s", about->name, (unsigned long long)sim->steps, error.message);
}

/* Takes all steps of the scene. @return how many there are */
static uint64_t steps_to_the_end(const contract_scene *about, const scr_scene *scene, scr_sim *sim)
{
  while (!sim_due(sim, scene->time.duration) && sim->steps < STEPS_MOST) steps(about, sim, 1);
  uint64_t count = sim->steps;
  if (count < 4 || count == STEPS_MOST) fail_msg("%s takes %llu steps: too few or too many", about->name, (unsigned long long)count);
  return count;
}

/* Steps of a scene, counted once for all contracts: a simulation that goes to the end. */
static uint64_t count_steps(const contract_scene *about, const scr_scene *scene)
{
  enum { KNOWN_MOST = 64 };
  static struct {
    char name[sizeof about->name];
    uint64_t count;
  } known[KNOWN_MOST];
  static size_t known_count;
  for (size_t k = 0; k < known_count; k++)
    if (strcmp(known[k].name, about->name) == 0) return known[k].count;
  scr_sim *sim = create(about, scene, 1);
  uint64_t count = steps_to_the_end(about, scene, sim);
  scr_sim_destroy(sim);
  assert_true(known_count < KNOWN_MOST);
  memcpy(known[known_count].name, about->name, sizeof about->name);
  known[known_count++].count = count;
  return count;
}

static scr_blob saved(const contract_scene *about, const scr_sim *sim)
{
  scr_blob blob = {0};
  scr_error error = {0};
  if (sim_save(sim, &blob, &error) != SCR_OK) fail_msg("%s: %s", about->name, error.message);
  return blob;
}

static void assert_same_bytes(const contract_scene *about, const char *when, const scr_blob *a, const scr_blob *b)
{
  if (a->size != b->size) fail_msg("%s, %s: %zu bytes, then %zu", about->name, when, a->size, b->size);
  for (size_t k = 0; k < a->size; k++)
    if (a->data[k] != b->data[k]) fail_msg("%s, %s: byte %zu of %zu differs", about->name, when, k, a->size);
}

/* Everything saved of two simulations, and every curve, has the same bits. */
static void assert_same(const contract_scene *about, const char *when, const scr_sim *a, const scr_sim *b)
{
  scr_blob one = saved(about, a), other = saved(about, b);
  assert_same_bytes(about, when, &one, &other);
  scr_blob_destroy(&one), scr_blob_destroy(&other);
  size_t count = scr_sim_series_count(a);
  double *values = calloc(2 * count, sizeof *values);
  assert_non_null(values);
  scr_sim_observe(a, values);
  scr_sim_observe(b, values + count);
  for (size_t k = 0; k < count; k++)
    if (memcmp(&values[k], &values[count + k], sizeof *values) != 0 &&
        strncmp(scr_sim_series(a, k)->name, SCR_CLOCK_PREFIX, strlen(SCR_CLOCK_PREFIX)) != 0)
      fail_msg("%s, %s: curve %s is %.17g, then %.17g", about->name, when, scr_sim_series(a, k)->name, values[k], values[count + k]);
  free(values);
}

typedef void (*contract)(const lab *l, const contract_scene *about, const scr_scene *scene);

static void for_every_method(void **state, contract check)
{
  contract_scenes scenes = contract_scenes_read();
  for (size_t k = 0; k < scenes.count; k++) {
    scr_scene *scene = contract_scene_open(&scenes.list[k]);
    check(*state, &scenes.list[k], scene);
    scr_scene_destroy(scene);
  }
  contract_scenes_clear(&scenes);
}

/* ── the same bits ───────────────────────────────────────────────────────────────────────────────────────────────── */

static void check_threads(const lab *l, const contract_scene *about, const scr_scene *scene)
{
  (void)l;
  scr_sim *one = create(about, scene, 1);
  uint64_t count = steps_to_the_end(about, scene, one);
  for (unsigned threads = 2; threads <= 3; threads++) {
    scr_sim *more = create(about, scene, threads);
    steps(about, more, count);
    assert_same(about, threads == 2 ? "two threads for one" : "three threads for one", one, more);
    scr_sim_destroy(more);
  }
  scr_sim_destroy(one);
}

static void test_the_number_of_threads_changes_no_bit(void **state)
{
  for_every_method(state, check_threads);
}

/* Saved at a third and at two thirds of the scene, each time loaded into a fresh simulation, and saved again: the same bytes; then every
 * later bit is the same as of one that nobody has saved. */
static void check_state(const lab *l, const contract_scene *about, const scr_scene *scene)
{
  (void)l;
  scr_sim *alone = create(about, scene, 1);
  uint64_t count = steps_to_the_end(about, scene, alone);
  scr_sim *whole = create(about, scene, 1);
  for (uint64_t third = 1; third <= 2; third++) {
    scr_sim *later = create(about, scene, 2);
    scr_error error = {0};
    steps(about, whole, third * count / 3 - whole->steps);
    scr_blob blob = saved(about, whole);
    if (sim_load(later, &blob, &error) != SCR_OK) fail_msg("%s: %s", about->name, error.message);
    if (blob.cursor != blob.size) fail_msg("%s: load leaves %zu bytes", about->name, blob.size - blob.cursor);
    assert_same(about, "saved, loaded and saved", whole, later);
    steps(about, later, count - later->steps);
    assert_same(about, "after a load, at the end", alone, later);
    scr_blob_destroy(&blob);
    scr_sim_destroy(later);
  }
  scr_sim_destroy(alone), scr_sim_destroy(whole);
}

static void test_a_loaded_checkpoint_changes_no_bit(void **state)
{
  for_every_method(state, check_state);
}

/* A run interrupted twice, each attempt on another number of threads, leaves the recording of a run that was left alone: frames, curves,
 * tables, doubts. */
static void check_resume(const lab *l, const contract_scene *about, const scr_scene *scene)
{
  uint64_t count = count_steps(about, scene);
  scr_run_options options = {.directory = l->first, .threads = 1, .progress_seconds = 1e-9, .checkpoint_seconds = 1e9};
  scr_error error = {0};
  if (scr_run(scene, &options, &error) != SCR_OK) fail_msg("%s: %s", about->name, error.message);
  for (unsigned attempt = 0; attempt < 3; attempt++) {
    plan p = {.step = (attempt + 1) * count / 3, .answer = attempt < 2 ? SCR_RUN_STOP : SCR_RUN_GO_ON};
    options = (scr_run_options){l->second, 3 - attempt, 1e9, 1e-9, .progress = follow, .user = &p};
    scr_status status = scr_run(scene, &options, &error);
    if (status != (attempt < 2 ? SCR_STOPPED : SCR_OK))
      fail_msg("%s: attempt %u ended with %d: %s", about->name, attempt, (int)status, error.message);
    assert_true(p.resumed == (attempt > 0));
  }
  assert_same_recording(l->first, l->second);
  remove_folder(l->first), remove_folder(l->second);
}

static void test_an_interrupted_run_records_the_same(void **state)
{
  for_every_method(state, check_resume);
}

/* ── damaged checkpoints ─────────────────────────────────────────────────────────────────────────────────────────── */

/* Loads bytes into a fresh simulation, and goes on from there where they are accepted; whatever they are, that ends, and the simulation can
 * be destroyed. @return what load says */
static scr_status try_load(const contract_scene *about, const scr_scene *scene, scr_blob bytes)
{
  scr_sim *sim = create(about, scene, 1);
  scr_error error = {0};
  scr_status status = sim_load(sim, &bytes, &error);
  if (status != SCR_OK && error.message[0] == '\0') fail_msg("%s: a damaged checkpoint is refused without a reason", about->name);
  scr_status going = status;
  for (int k = 0; going == SCR_OK && k < 2; k++) going = scr_sim_step(sim, &error);
  if (going != SCR_OK && error.message[0] == '\0') fail_msg("%s: after a damaged checkpoint a step fails without a reason", about->name);
  if (status == SCR_OK && going != SCR_OK && going != SCR_DIVERGED && going != SCR_NO_MEMORY)
    fail_msg("%s: after a damaged checkpoint a step ends with status %d: %s", about->name, (int)going, error.message);
  scr_sim_destroy(sim);
  return status;
}

/* Cut anywhere it is refused as damaged. With bytes changed it is refused, or a number was another number: never followed beyond what
 * there is (which
 * sanitizers see), never anything but SCR_BAD_FILE; steps from there go on, or end as a lost state does. Sizes in the blob are met by
 * changing every eighth byte of its beginning. */
static void check_damage(const lab *l, const contract_scene *about, const scr_scene *scene)
{
  (void)l;
  scr_sim *sim = create(about, scene, 1);
  steps(about, sim, count_steps(about, scene) / 2);
  scr_blob blob = saved(about, sim);
  size_t refused = 0;
  for (size_t k = 0; k < 40; k++) {
    size_t at = k < 20 ? 8 * k * (k + 1) / 2 % blob.size : (k - 20) * blob.size / 20 / 8 * 8;
    scr_blob cut = {.data = blob.data, .size = at};
    if (try_load(about, scene, cut) != SCR_BAD_FILE)
      fail_msg("%s: cut at byte %zu of %zu it is not refused as damaged", about->name, at, blob.size);
    unsigned char kept[8];
    size_t size = blob.size - at < sizeof kept ? blob.size - at : sizeof kept;
    memcpy(kept, blob.data + at, size);
    memset(blob.data + at, 0xff, size); /* a huge count, or a NaN */
    scr_status status = try_load(about, scene, (scr_blob){.data = blob.data, .size = blob.size});
    if (status != SCR_OK && status != SCR_BAD_FILE) fail_msg("%s: with 8 bytes of ff at %zu load gives %d", about->name, at, (int)status);
    refused += status == SCR_BAD_FILE;
    memcpy(blob.data + at, kept, size);
  }
  if (refused < 5) fail_msg("%s: of 40 damaged checkpoints only %zu are refused", about->name, refused);
  scr_blob_destroy(&blob);
  scr_sim_destroy(sim);
}

static void test_damaged_checkpoints_are_refused(void **state)
{
  for_every_method(state, check_damage);
}

/* ── energy ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The balance of a method that keeps a ledger stays within the 1 % beyond which a run is doubted, at every twentieth of the scene, while
 * dampers, friction or
 * breaking take more than 2 % of the largest energy: else the scene says nothing. The curve is the balance of the one ledger. */
static void check_ledger(const lab *l, const contract_scene *about, const scr_scene *scene)
{
  (void)l;
  scr_sim *sim = create(about, scene, 1);
  long curve = sim_find_series(sim, "energy.balance_error");
  if (sim_method(sim)->energies) {
    uint64_t count = count_steps(about, scene);
    double *values = calloc(scr_sim_series_count(sim), sizeof *values), most = 0;
    assert_non_null(values);
    if (curve < 0) fail_msg("%s keeps a ledger and has no curve energy.balance_error", about->name);
    for (int k = 1; k <= 20; k++) {
      while (sim->steps < (uint64_t)k * count / 20) steps(about, sim, 1);
      scr_sim_observe(sim, values);
      sim_energies held = {0};
      sim_method(sim)->energies(sim, &held);
      double error = ledger_balance_error(&sim->ledger, &sim->parts, &held);
      if (error != values[curve]) fail_msg("%s: the ledger is off by %.17g, its curve says %.17g", about->name, error, values[curve]);
      if (!(fabs(error) < 0.01))
        fail_msg("%s: the balance of energy is off by %.3g at step %llu", about->name, error, (unsigned long long)sim->steps);
      const sim_ledger *ledger = &sim->ledger;
      most = fmax(most, (ledger->damping + ledger->friction + ledger->fracture + ledger->impact) / ledger->largest);
    }
    print_message("# %s: %.0f %% of the largest energy dissipated\n", about->name, 100 * most);
    if (!(most > 0.02)) fail_msg("%s: nothing is dissipated, so that its balance says little", about->name);
    free(values);
  } else if (curve >= 0)
    fail_msg("%s has a balance of energy that is not the ledger's", about->name);
  scr_sim_destroy(sim);
}

static void test_every_ledger_balances(void **state)
{
  for_every_method(state, check_ledger);
}

/* ── cancelling ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Cancelled in the middle: the recording is closed with that verdict, and stays as it is when it is run again. */
static void check_cancel(const lab *l, const contract_scene *about, const scr_scene *scene)
{
  plan cancel = {.step = count_steps(about, scene) / 2, .answer = SCR_RUN_CANCEL};
  unsigned char *before, *after;
  if (run(scene, l->first, &cancel, NULL) != SCR_CANCELLED) fail_msg("%s: is not cancelled", about->name);
  assert_newest_says(l->first, SCR_RECORD_END, "\"cancelled\"");
  size_t size = read_bytes(file_in(l->first, "recording.scree"), &before);
  assert_int_equal(run(scene, l->first, NULL, NULL), SCR_CANCELLED);
  assert_int_equal(read_bytes(file_in(l->first, "recording.scree"), &after), size);
  assert_memory_equal(before, after, size);
  free(before), free(after);
  remove_folder(l->first);
}

static void test_a_cancelled_run_ends_and_stays_cancelled(void **state)
{
  for_every_method(state, check_cancel);
}

SUITE(test_contract)
{
  const struct CMUnitTest tests[] = {
      IN_LAB(test_the_number_of_threads_changes_no_bit),
      IN_LAB(test_a_loaded_checkpoint_changes_no_bit),
      IN_LAB(test_an_interrupted_run_records_the_same),
      IN_LAB(test_damaged_checkpoints_are_refused),
      IN_LAB(test_every_ledger_balances),
      IN_LAB(test_a_cancelled_run_ends_and_stays_cancelled),
  };
  return cmocka_run_group_tests_name("contract", tests, NULL, NULL);
}
