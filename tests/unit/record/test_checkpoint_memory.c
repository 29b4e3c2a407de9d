/* Checkpoints of a state that is large: what saving one takes, that it is read back, and blobs with a sink. */
#include "tests/unit/run/test_run_toy.h"
#include "tests/support/suites.h"

/* ── a method with a state of 96 MiB ─────────────────────────────────────────────────────────────────────────────── */

enum { block_count = 24, block_values = 1 << 19 };

typedef struct heavy {
  double *blocks[block_count];
} heavy;

static scr_status heavy_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  (void)scene, (void)problems;
  estimate->node_count = 1;
  estimate->memory_bytes = 8.0 * block_count * block_values;
  estimate->time_step = 1e-3;
  return SCR_OK;
}

static void heavy_destroy(scr_sim *sim)
{
  heavy *h = sim->state;
  for (int b = 0; h && b < block_count; b++) free(h->blocks[b]);
  free(h);
}

static scr_status heavy_create(scr_sim *sim, scr_error *error)
{
  heavy *h = calloc(1, sizeof *h);
  sim->state = h;
  if (!h) return scr_fail_memory(error, "a heavy state", sizeof *h);
  for (int b = 0; b < block_count; b++) {
    h->blocks[b] = malloc(block_values * sizeof(double));
    if (!h->blocks[b]) return scr_fail_memory(error, "a block", block_values * sizeof(double));
    for (size_t i = 0; i < block_values; i++) h->blocks[b][i] = (double)i * 0.5 + b;
  }
  sim->time_step = 1e-3;
  scr_drawable drawable = {.kind = SCR_DRAW_POINTS, .name = "point", .element_count = 1, .radius = 0.1, .field_count = 1};
  drawable.fields[0] = (scr_field){"position", "m", 3, SCR_ENCODING_FLOAT32};
  SCR_TRY(scr_sim_declare_series(sim, "sum", "1", "Sum", error));
  return scr_sim_declare_drawable(sim, &drawable, error);
}

static scr_status heavy_step(scr_sim *sim, scr_error *error)
{
  (void)error;
  heavy *h = sim->state;
  size_t place = (size_t)sim->steps * 7919 % block_values;
  for (int b = 0; b < block_count; b++) h->blocks[b][place] += 1.0 / (double)(sim->steps + 1);
  sim->steps++;
  sim->time = (double)sim->steps * sim->time_step;
  return SCR_OK;
}

static void heavy_observe(const scr_sim *sim, double *values)
{
  const heavy *h = sim->state;
  values[1] = 0;
  for (int b = 0; b < block_count; b++)
    for (size_t i = 0; i < block_values; i += 7919) values[1] += h->blocks[b][i];
}

static scr_status heavy_draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  static const double zero;
  (void)sim;
  return scr_frame_field(frame, 0, 0, &zero, &zero, &zero, error);
}

static scr_status heavy_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  const heavy *h = sim->state;
  for (int b = 0; b < block_count; b++) {
    SCR_TRY(scr_blob_write_u64(blob, (uint64_t)b, error));
    SCR_TRY(scr_blob_write_array(blob, h->blocks[b], block_values, sizeof(double), error));
  }
  return SCR_OK;
}

static scr_status heavy_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  heavy *h = sim->state;
  for (int b = 0; b < block_count; b++) {
    uint64_t number = 0;
    SCR_TRY(scr_blob_read_u64(blob, &number, error));
    if (number != (uint64_t)b) return scr_fail(error, SCR_BAD_FILE, NULL, "block %d is missing", b);
    SCR_TRY(scr_blob_read_array(blob, h->blocks[b], block_values, sizeof(double), "blocks", error));
  }
  return SCR_OK;
}

static const scr_method heavy_method = {
    .about = {.name = "toy",
              .title = "A heavy state",
              .summary = "It has much to save.",
              .default_plot = {.x = "time", .y = "sum", .scale = 1, .moving_average = 1},
              .check = heavy_check},
    .create = heavy_create,
    .step = heavy_step,
    .observe = heavy_observe,
    .draw = heavy_draw,
    .save = heavy_save,
    .load = heavy_load,
    .destroy = heavy_destroy,
};

static const scr_method_description *list_heavy(size_t index)
{
  return index == 0 ? &heavy_method.about : NULL;
}

static scr_scene *heavy_scene(void)
{
  static const char text[] =
      "{ \"scree\": 1, \"name\": \"heavy\", \"method\": \"toy\", \"materials\": [ { \"name\": \"lead\" } ],"
      "  \"specimens\": [ { \"name\": \"point\", \"material\": \"lead\", \"shape\": { \"type\": \"sphere\", \"radius\": 0.1 } } ],"
      "  \"time\": { \"duration\": 0.02 }, \"output\": { \"frame_interval\": 0.01 } }";
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  if (scene_parse(text, sizeof text - 1, NULL, list_heavy, &scene, &problems) != SCR_OK)
    fail_msg("%s", problems.count ? problems.items[0].detail : "no memory");
  return scene;
}

/* ── claims ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Largest resident size so far of this process, bytes. */
static double peak_bytes(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * (double)usage.ru_maxrss;
}

typedef struct watch {
  double built, saved;
} watch;

/* First call: all is built; then a checkpoint is asked for. */
static scr_run_answer see(void *user, const scr_run_progress *progress)
{
  (void)progress;
  ((watch *)user)->built = peak_bytes();
  return SCR_RUN_STOP;
}

/* In a process of its own, whose peak is not another test's: exits with the growth in MiB. Saving 96 MiB grew it by 192 when checkpoints
 * were made in a buffer that doubled. Bound: 8 MiB for the buffer, the file's pages are the system's. */
static void test_saving_takes_no_memory_in_proportion_to_the_state(void **state)
{
  lab *l = *state;
#if defined(__SANITIZE_ADDRESS__)
  (void)l;
  skip(); /* the sanitizer's shadow grows with the pages it sees, and it keeps what was freed */
#endif
  pid_t child = fork();
  if (child == 0) {
    scr_scene *scene = heavy_scene();
    watch w = {0};
    scr_run_options options = {.directory = l->first, .progress_seconds = 1e-9, .checkpoint_seconds = 1e9, .progress = see, .user = &w};
    if (scr_run(scene, &options, NULL) != SCR_STOPPED) _exit(255);
    double grown = (peak_bytes() - w.built) / 1048576;
    _exit(grown < 0 ? 0 : grown > 250 ? 250 : (int)ceil(grown));
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  struct stat about;
  assert_int_equal(stat(file_in(l->first, "checkpoint.scree"), &about), 0);
  print_message("# a checkpoint of %.0f MiB grew the process by at most %d MiB\n", (double)about.st_size / 1048576, WEXITSTATUS(status));
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 8);
  assert_true(about.st_size > 96 << 20);
}

static void test_what_was_streamed_is_read_back(void **state)
{
  lab *l = *state;
  scr_scene *scene = heavy_scene();
  run_whole(scene, l->first);
  plan stop = {.step = 9, .answer = SCR_RUN_STOP}, go_on = {0};
  assert_int_equal(run(scene, l->second, &stop, NULL), SCR_STOPPED);
  assert_int_equal(run(scene, l->second, &go_on, NULL), SCR_OK);
  assert_true(go_on.resumed);
  assert_same_recording(l->first, l->second);
  scr_scene_destroy(scene);
}

/* ── blobs with a sink ── */

typedef struct bucket {
  unsigned char *bytes;
  size_t size, calls, refuse_at;
} bucket;

static scr_status pour(void *user, const void *bytes, size_t size, scr_error *error)
{
  bucket *b = user;
  if (++b->calls == b->refuse_at) return scr_fail(error, SCR_IO, NULL, "the bucket is full");
  memcpy(b->bytes + b->size, bytes, size);
  b->size += size;
  return SCR_OK;
}

/* Pieces of every size around the buffer's, against a blob that keeps all. */
static void test_a_sink_gets_the_same_bytes_in_order(void **state)
{
  (void)state;
  enum { most = 1 << 20 };
  bucket b = {.bytes = malloc(64 << 20)};
  scr_blob kept = {0}, streamed = {.sink = pour, .sink_user = &b};
  unsigned char *piece = malloc(most);
  uint32_t random = 7;
  assert_true(b.bytes && piece);
  for (int k = 0; k < 200; k++) {
    random = random * 1664525u + 1013904223u;
    size_t size = k % 9 == 0 ? random % most : k % 5 == 0 ? (1u << 18) - 1 + random % 3 : random % 5000;
    memset(piece, k, size);
    assert_int_equal(scr_blob_write(&kept, piece, size, NULL), SCR_OK);
    assert_int_equal(scr_blob_write(&streamed, piece, size, NULL), SCR_OK);
    assert_true(streamed.capacity <= 1u << 18);
  }
  assert_int_equal(scr_blob_flush(&streamed, NULL), SCR_OK);
  assert_true(b.size == kept.size && streamed.size == kept.size && b.calls < 120);
  assert_memory_equal(b.bytes, kept.data, kept.size);
  scr_blob_destroy(&kept), scr_blob_destroy(&streamed);
  free(b.bytes), free(piece);
}

static void test_a_sink_that_fails_fails_the_write(void **state)
{
  (void)state;
  static const unsigned char piece[1 << 18];
  unsigned char room[1 << 10];
  bucket b = {.bytes = room, .refuse_at = 1};
  scr_blob blob = {.sink = pour, .sink_user = &b};
  scr_error error;
  assert_int_equal(scr_blob_write(&blob, piece, 100, &error), SCR_OK);
  assert_int_equal(scr_blob_write(&blob, piece, sizeof piece, &error), SCR_IO);
  assert_string_equal(error.message, "the bucket is full");
  scr_blob_destroy(&blob);
}

SUITE(test_checkpoint_memory)
{
  const struct CMUnitTest tests[] = {
      IN_LAB(test_saving_takes_no_memory_in_proportion_to_the_state),
      IN_LAB(test_what_was_streamed_is_read_back),
      cmocka_unit_test(test_a_sink_gets_the_same_bytes_in_order),
      cmocka_unit_test(test_a_sink_that_fails_fails_the_write),
  };
  return cmocka_run_group_tests_name("checkpoint_memory", tests, NULL, NULL);
}
