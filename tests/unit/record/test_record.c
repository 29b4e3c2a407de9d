/* Writing a recording and reading it back, damaged in every way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/end_record.h"
#include "record/file/crc32c.h"
#include "record/file/record.h"
#include "record/file/recording_writer.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

/* A fresh folder for each test, removed after it; in memory where there is such a filesystem, for these tests rewrite files thousands of
 * times. */
typedef struct folder {
  char path[64], recording[128], index[128];
} folder;

static int make_folder(void **state)
{
  folder *f = calloc(1, sizeof *f);
  strcpy(f->path, access("/dev/shm", W_OK) == 0 ? "/dev/shm/scree-record-XXXXXX" : "/tmp/scree-record-XXXXXX");
  if (!mkdtemp(f->path)) return -1;
  snprintf(f->recording, sizeof f->recording, "%s/recording.scree", f->path);
  snprintf(f->index, sizeof f->index, "%s/recording.index", f->path);
  *state = f;
  return 0;
}

static int remove_folder(void **state)
{
  folder *f = *state;
  unlink(f->recording);
  unlink(f->index);
  int failed = rmdir(f->path);
  free(f);
  return failed;
}

/* A small generator of fixed-seed noise (xorshift64*, Vigna 2014): property tests must repeat. */
static uint64_t noise(uint64_t *seed)
{
  *seed ^= *seed >> 12;
  *seed ^= *seed << 25;
  *seed ^= *seed >> 27;
  return *seed * 0x2545F4914F6CDD1Du;
}

/* ── writing and reading ─────────────────────────────────────────────────────────────────────────────────────────── */

/* Appends record number `seq` of a made-up run: a payload of noise whose length and content depend on seq alone. */
static scr_status append(recording_writer *writer, uint64_t seq, scr_error *error)
{
  unsigned char payload[1000];
  uint64_t seed = seq * 77 + 1;
  size_t size = noise(&seed) % sizeof payload;
  for (size_t i = 0; i < size; i++) payload[i] = (unsigned char)noise(&seed);
  scr_record_type type = seq == 1 ? SCR_RECORD_SCENE : seq == 2 ? SCR_RECORD_TOPOLOGY : seq % 2 ? SCR_RECORD_FRAME : SCR_RECORD_EVENT;
  return recording_writer_append(writer, type, 0.25 * (double)seq, payload, size, error);
}

static void write_records(const char *path, uint64_t count)
{
  recording_writer *writer;
  assert_int_equal(recording_writer_open(path, &writer, NULL), SCR_OK);
  for (uint64_t seq = 1; seq <= count; seq++) assert_int_equal(append(writer, seq, NULL), SCR_OK);
  recording_writer_close(writer);
}

/* Opens a recording and reads every record; records that fail to read are counted in *bad. Returns how many there are. */
static uint64_t read_all(const char *path, uint64_t *bad)
{
  scr_recording *recording;
  *bad = 0;
  if (scr_recording_open(path, &recording, NULL) != SCR_OK) return 0;
  uint64_t count = scr_recording_count(recording);
  for (uint64_t seq = 1; seq <= count; seq++) {
    size_t size = SCR_RECORD_BYTES(scr_recording_header(recording, seq)->size);
    void *buffer = malloc(size);
    *bad += scr_recording_read(recording, seq, buffer, size, NULL) != SCR_OK;
    free(buffer);
  }
  scr_recording_close(recording);
  return count;
}

static void test_a_recording_gives_back_its_records_with_and_without_index(void **state)
{
  folder *f = *state;
  write_records(f->recording, 40);
  for (int round = 0; round < 2; round++) {
    scr_recording *recording;
    assert_int_equal(scr_recording_open(f->recording, &recording, NULL), SCR_OK);
    assert_int_equal(scr_recording_count(recording), 40);
    struct stat about;
    stat(f->recording, &about);
    assert_int_equal(scr_recording_bytes(recording), about.st_size);
    assert_false(scr_recording_ended(recording));
    assert_null(scr_recording_header(recording, 0));
    assert_null(scr_recording_header(recording, 41));
    assert_int_equal(scr_recording_next(recording, 0, 1u << SCR_RECORD_FRAME), 3);
    assert_int_equal(scr_recording_next(recording, 3, 1u << SCR_RECORD_FRAME), 5);
    assert_int_equal(scr_recording_next(recording, 39, 1u << SCR_RECORD_FRAME), 0);
    assert_int_equal(scr_recording_newest(recording, 1u << SCR_RECORD_FRAME), 39);
    assert_int_equal(scr_recording_newest(recording, 1u << SCR_RECORD_FRAME | 1u << SCR_RECORD_EVENT), 40);
    assert_int_equal(scr_recording_newest(recording, 1u << SCR_RECORD_CURVE), 0);
    scr_recording_close(recording);
    uint64_t bad;
    assert_int_equal(read_all(f->recording, &bad), 40);
    assert_int_equal(bad, 0);
    unlink(f->index);
  }
}

static void test_a_file_that_is_no_recording_is_refused_and_an_empty_one_is_about_to_begin(void **state)
{
  folder *f = *state;
  scr_recording *recording;
  scr_error error;
  assert_int_equal(scr_recording_open(f->recording, &recording, &error), SCR_IO);
  assert_null(recording);
  file_write(f->recording, (const unsigned char *)"PNG, not SCREE", 14);
  assert_int_equal(scr_recording_open(f->recording, &recording, &error), SCR_BAD_FILE);
  recording_writer *writer;
  assert_int_equal(recording_writer_open(f->recording, &writer, &error), SCR_BAD_FILE);
  file_write(f->recording, (const unsigned char *)"SCR", 3);
  assert_int_equal(scr_recording_open(f->recording, &recording, &error), SCR_OK);
  assert_int_equal(scr_recording_count(recording), 0);
  write_records(f->recording, 3);
  assert_int_equal(scr_recording_refresh(recording, &error), SCR_OK);
  assert_int_equal(scr_recording_count(recording), 3);
  scr_recording_close(recording);
}

/* Wherever a write is torn, a reader sees the whole records before, and a second run of the writer gives the untorn file. */
static void test_a_torn_tail_is_ignored_and_healed_at_every_byte(void **state)
{
  folder *f = *state;
  enum { records = 5 };
  write_records(f->recording, records);
  unsigned char *whole, *healed;
  size_t size = file_read(f->recording, &whole);
  uint64_t last = 0;
  for (size_t cut = 0; cut <= size; cut += cut < size - 300 ? 7 : 1) {
    unlink(f->index);
    file_write(f->recording, whole, cut);
    uint64_t bad, count = read_all(f->recording, &bad);
    assert_true(count >= last && bad == 0);
    last = count;
    write_records(f->recording, records);
    assert_int_equal(file_read(f->recording, &healed), size);
    assert_memory_equal(whole, healed, size);
    free(healed);
  }
  assert_int_equal(last, records);
  free(whole);
}

/* After a loss of power a file's end may be zeros or old bytes instead of missing. */
static void test_a_tail_of_zeros_or_noise_is_healed(void **state)
{
  folder *f = *state;
  write_records(f->recording, 8);
  unsigned char *whole, *healed;
  size_t size = file_read(f->recording, &whole);
  for (int kind = 0; kind < 2; kind++) {
    unsigned char *damaged = malloc(size + 5000);
    memcpy(damaged, whole, size);
    uint64_t seed = 3;
    for (size_t i = size - 100; i < size + 5000; i++) damaged[i] = kind ? (unsigned char)noise(&seed) : 0;
    file_write(f->recording, damaged, size + 5000);
    write_records(f->recording, 8);
    assert_int_equal(file_read(f->recording, &healed), size);
    assert_memory_equal(whole, healed, size);
    free(healed);
    free(damaged);
  }
  free(whole);
}

static void test_a_record_that_comes_out_differently_is_a_mismatch_that_names_it(void **state)
{
  folder *f = *state;
  write_records(f->recording, 8);
  unsigned char *before, *after;
  size_t size = file_read(f->recording, &before);
  recording_writer *writer;
  scr_error error;
  assert_int_equal(recording_writer_open(f->recording, &writer, &error), SCR_OK);
  for (uint64_t seq = 1; seq <= 4; seq++) assert_int_equal(append(writer, seq, &error), SCR_OK);
  assert_int_equal(recording_writer_append(writer, SCR_RECORD_FRAME, 1.25, "other", 5, &error), SCR_MISMATCH);
  assert_non_null(strstr(error.message, "record 5 "));
  recording_writer_close(writer);
  assert_int_equal(file_read(f->recording, &after), size);
  assert_memory_equal(before, after, size);
  free(before);
  free(after);
}

/* Two payloads with one checksum are still two: they differ by the checksum's own polynomial, x^32 + 0x1EDC6F41, least bit first. */
static void test_records_are_compared_by_their_bytes_not_their_checksums(void **state)
{
  folder *f = *state;
  uint64_t payload[2] = {0x0123456789abcdef, 42};
  recording_writer *writer;
  assert_int_equal(recording_writer_open(f->recording, &writer, NULL), SCR_OK);
  assert_int_equal(recording_writer_append(writer, SCR_RECORD_FRAME, 1.0, payload, sizeof payload, NULL), SCR_OK);
  recording_writer_close(writer);
  uint32_t before = crc32c(0, payload, sizeof payload);
  payload[0] ^= 1u | (uint64_t)0x82F63B78u << 1;
  assert_int_equal(crc32c(0, payload, sizeof payload), before);
  assert_int_equal(recording_writer_open(f->recording, &writer, NULL), SCR_OK);
  assert_int_equal(recording_writer_append(writer, SCR_RECORD_FRAME, 1.0, payload, sizeof payload, NULL), SCR_MISMATCH);
  recording_writer_close(writer);
}

/* Every single-byte change is either noticed or lies behind what is read: no record of wrong content is ever handed out. */
static void test_any_damaged_byte_is_noticed_and_never_crashes(void **state)
{
  folder *f = *state;
  write_records(f->recording, 4);
  unsigned char *whole, *index;
  size_t size = file_read(f->recording, &whole), index_size = file_read(f->index, &index);
  for (int with_index = 0; with_index < 2; with_index++)
    for (size_t i = 0; i < size; i++) {
      whole[i] ^= 0x10;
      file_write(f->recording, whole, size);
      if (with_index)
        file_write(f->index, index, index_size);
      else
        unlink(f->index);
      uint64_t bad, count = read_all(f->recording, &bad);
      assert_true(count < 4 || bad > 0);
      whole[i] ^= 0x10;
    }
  free(whole);
  free(index);
}

/* A damaged, foreign or lying index costs time, never records. */
static void test_a_damaged_index_never_costs_a_record(void **state)
{
  folder *f = *state;
  write_records(f->recording, 6);
  unsigned char *index;
  size_t size = file_read(f->index, &index);
  uint64_t bad;
  for (size_t i = 0; i < size; i++) {
    index[i] ^= 0x81;
    file_write(f->index, index, size);
    assert_int_equal(read_all(f->recording, &bad), 6);
    assert_int_equal(bad, 0);
    index[i] ^= 0x81;
    file_write(f->index, index, i);
    assert_int_equal(read_all(f->recording, &bad), 6);
    assert_int_equal(bad, 0);
  }
  /* Entries with right checksums that say what is not so: a record that is not there, a size that is not its. */
  for (int lie = 0; lie < 3; lie++) {
    index_entry entry;
    memcpy(&entry, index + size - sizeof entry, sizeof entry);
    if (lie == 0) entry.header.size = UINT32_MAX;
    if (lie == 1) entry.header.size += 8;
    if (lie == 2) entry.header.sim_time = 99;
    entry = index_entry_make(&entry.header, entry.offset);
    file_write(f->index, index, size - sizeof entry);
    FILE *out = fopen(f->index, "ab");
    fwrite(&entry, sizeof entry, 1, out);
    fclose(out);
    assert_int_equal(read_all(f->recording, &bad), 6);
    assert_int_equal(bad, 0);
  }
  free(index);
}

static void test_nothing_after_an_end_record_is_read(void **state)
{
  folder *f = *state;
  recording_writer *writer;
  assert_int_equal(recording_writer_open(f->recording, &writer, NULL), SCR_OK);
  assert_int_equal(recording_writer_append(writer, SCR_RECORD_END, 0, "{}", 2, NULL), SCR_OK);
  assert_int_equal(append(writer, 2, NULL), SCR_OK);
  recording_writer_close(writer);
  for (int round = 0; round < 2; round++) {
    scr_recording *recording;
    assert_int_equal(scr_recording_open(f->recording, &recording, NULL), SCR_OK);
    assert_int_equal(scr_recording_count(recording), 1);
    assert_true(scr_recording_ended(recording));
    scr_recording_close(recording);
    unlink(f->index);
  }
}

/* Three readers need it: a run taken up again, the lab's judge and the command line. */
static void test_the_end_record_gives_back_the_verdict_and_totals_and_none_is_made_up(void **state)
{
  folder *f = *state;
  static const scr_end said = {SCR_VERDICT_FAILED,
                               "a \"reason\"",
                               12,
                               3.5e-6,
                               2,
                               {{"f", "Force", "N", 41.25}, {"b", "Breaks", "1", 7}},
                               3,
                               9,
                               1,
                               {{"balance", "off by \"5 %\""}},
                               4,
                               "0badc0de"};
  for (int round = 0; round < 4; round++) { /* nothing recorded; a good end; a verdict nobody knows; no JSON */
    recording_writer *writer;
    unlink(f->recording);
    unlink(f->index);
    assert_int_equal(recording_writer_open(f->recording, &writer, NULL), SCR_OK);
    json_t *object = end_record_json(&said);
    if (round == 2) json_object_set_new(object, "verdict", json_string("none"));
    char *text = round == 3 ? strdup("{\"verdict\":") : json_dumps(object, 0);
    json_decref(object);
    if (round > 0) assert_int_equal(recording_writer_append(writer, SCR_RECORD_END, 3.5e-6, text, strlen(text), NULL), SCR_OK);
    free(text);
    recording_writer_close(writer);
    scr_recording *recording;
    scr_end end;
    assert_int_equal(scr_recording_open(f->recording, &recording, NULL), SCR_OK);
    assert_int_equal(scr_recording_end(recording, &end, NULL), round < 2 ? SCR_OK : SCR_BAD_FILE);
    scr_recording_close(recording);
    assert_int_equal(end.verdict, round == 1 ? SCR_VERDICT_FAILED : SCR_VERDICT_NONE);
    if (round != 1) continue;
    assert_int_equal(end.doubt_count, 1);
    assert_string_equal(end.doubts[0].kind, "balance");
    assert_string_equal(end.doubts[0].message, "off by \"5 %\"");
    assert_string_equal(end.message, said.message);
    assert_int_equal(end.step, 12);
    assert_int_equal(end.frames, 3);
    assert_int_equal(end.samples, 9);
    assert_true(end.sim_time == said.sim_time && end.headline_count == said.headline_count &&
                memcmp(end.headlines, said.headlines, sizeof end.headlines) == 0);
  }
}

/* A limit on the file's size stands in for a full disk: pwrite fails in the middle of a record in the same way. The file that is left
 * reads as whole records, and once there is room the same run completes it. */
static void test_a_full_disk_is_a_clear_error_and_heals_when_there_is_room(void **state)
{
  folder *f = *state;
  enum { records = 20 };
  write_records(f->recording, records);
  unsigned char *whole, *healed;
  size_t size = file_read(f->recording, &whole);
  unlink(f->recording);
  unlink(f->index);
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit before, small;
  getrlimit(RLIMIT_FSIZE, &before);
  small = before;
  small.rlim_cur = size / 2;
  recording_writer *writer;
  scr_error error = {0};
  assert_int_equal(recording_writer_open(f->recording, &writer, &error), SCR_OK);
  setrlimit(RLIMIT_FSIZE, &small);
  scr_status status = SCR_OK;
  for (uint64_t seq = 1; seq <= records && status == SCR_OK; seq++) status = append(writer, seq, &error);
  setrlimit(RLIMIT_FSIZE, &before);
  assert_int_equal(status, SCR_IO);
  assert_non_null(strstr(error.message, "could not be written"));
  assert_non_null(strstr(error.message, "File too large"));
  recording_writer_close(writer);
  uint64_t bad, count = read_all(f->recording, &bad);
  assert_true(count > 2 && count < records && bad == 0);
  write_records(f->recording, records);
  assert_int_equal(file_read(f->recording, &healed), size);
  assert_memory_equal(whole, healed, size);
  free(whole);
  free(healed);
}

/* A reader beside a writing process never meets a record that is not whole, and in the end has them all. */
static void test_a_reader_beside_a_writer_sees_only_whole_records(void **state)
{
  folder *f = *state;
  enum { records = 4000 };
  recording_writer *writer;
  assert_int_equal(recording_writer_open(f->recording, &writer, NULL), SCR_OK);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    for (uint64_t seq = 1; seq <= records; seq++)
      if (append(writer, seq, NULL) != SCR_OK) _exit(1);
    _exit(0);
  }
  recording_writer_close(writer);
  scr_recording *recording;
  assert_int_equal(scr_recording_open(f->recording, &recording, NULL), SCR_OK);
  _Alignas(8) unsigned char buffer[2048];
  uint64_t seen = 0;
  int ended = 0, exit_status = 0;
  while (seen < records) {
    if (!ended) ended = waitpid(child, &exit_status, WNOHANG) == child;
    assert_int_equal(scr_recording_refresh(recording, NULL), SCR_OK);
    uint64_t count = scr_recording_count(recording);
    assert_true(count >= seen);
    for (; seen < count; seen++) assert_int_equal(scr_recording_read(recording, seen + 1, buffer, sizeof buffer, NULL), SCR_OK);
    if (ended && count < records) break;
  }
  if (!ended) waitpid(child, &exit_status, 0);
  assert_int_equal(exit_status, 0);
  assert_int_equal(seen, records);
  scr_recording_close(recording);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

SUITE(test_record)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_a_recording_gives_back_its_records_with_and_without_index),
      IN_FOLDER(test_a_file_that_is_no_recording_is_refused_and_an_empty_one_is_about_to_begin),
      IN_FOLDER(test_a_torn_tail_is_ignored_and_healed_at_every_byte),
      IN_FOLDER(test_a_tail_of_zeros_or_noise_is_healed),
      IN_FOLDER(test_a_record_that_comes_out_differently_is_a_mismatch_that_names_it),
      IN_FOLDER(test_records_are_compared_by_their_bytes_not_their_checksums),
      IN_FOLDER(test_any_damaged_byte_is_noticed_and_never_crashes),
      IN_FOLDER(test_a_damaged_index_never_costs_a_record),
      IN_FOLDER(test_the_end_record_gives_back_the_verdict_and_totals_and_none_is_made_up),
      IN_FOLDER(test_nothing_after_an_end_record_is_read),
      IN_FOLDER(test_a_full_disk_is_a_clear_error_and_heals_when_there_is_room),
      IN_FOLDER(test_a_reader_beside_a_writer_sees_only_whole_records),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
