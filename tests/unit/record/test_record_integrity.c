/* A recording that is not all there says so, and where: flipped bits, cut files, replaced records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/sha256.h"
#include "record/end_record.h"
#include "record/file/record.h"
#include "record/file/recording_writer.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

enum { record_count = 9 };

typedef struct bench {
  char *folder, recording[160], index[160];
  unsigned char *whole, *index_bytes;
  size_t size, index_size;
  size_t ends[record_count + 1]; /* [k] where record k ends; [0] where the first begins */
} bench;

static void append_records(recording_writer *writer, uint64_t from)
{
  unsigned char payload[200];
  for (uint64_t seq = from; seq < record_count; seq++) {
    for (size_t i = 0; i < sizeof payload; i++) payload[i] = (unsigned char)(seq * 31 + i * 7);
    scr_record_type type = seq == 1 ? SCR_RECORD_SCENE : seq == 2 ? SCR_RECORD_TOPOLOGY : SCR_RECORD_CURVE;
    assert_int_equal(recording_writer_append(writer, type, 0.5 * (double)seq, payload, 20 * seq, NULL), SCR_OK);
  }
}

/* As the run ends its recordings. */
static void append_end(recording_writer *writer)
{
  scr_end end = {.verdict = SCR_VERDICT_SUCCEEDED, .records = recording_writer_seq(writer) + 1};
  recording_writer_digest(writer, end.digest);
  json_t *object = end_record_json(&end);
  char *text = json_dumps(object, JSON_COMPACT);
  assert_int_equal(recording_writer_append(writer, SCR_RECORD_END, 9.0, text, strlen(text), NULL), SCR_OK);
  free(text);
  json_decref(object);
}

static int set_up(void **state)
{
  bench *b = calloc(1, sizeof *b);
  b->folder = strdup(access("/dev/shm", W_OK) == 0 ? "/dev/shm/scree-integrity-XXXXXX" : "/tmp/scree-integrity-XXXXXX");
  if (!mkdtemp(b->folder)) return -1;
  snprintf(b->recording, sizeof b->recording, "%s/recording.scree", b->folder);
  snprintf(b->index, sizeof b->index, "%s/recording.index", b->folder);
  recording_writer *writer;
  assert_int_equal(recording_writer_open(b->recording, &writer, NULL), SCR_OK);
  append_records(writer, 1);
  append_end(writer);
  recording_writer_close(writer);
  b->size = file_read(b->recording, &b->whole);
  b->index_size = file_read(b->index, &b->index_bytes);
  b->ends[0] = SCR_FILE_MAGIC_BYTES;
  for (size_t k = 1; k <= record_count; k++) {
    scr_record_header header;
    memcpy(&header, b->whole + b->ends[k - 1], sizeof header);
    b->ends[k] = b->ends[k - 1] + SCR_RECORD_BYTES(header.size);
  }
  assert_int_equal(b->ends[record_count], b->size);
  *state = b;
  return 0;
}

static int tear_down(void **state)
{
  bench *b = *state;
  unlink(b->recording);
  unlink(b->index);
  rmdir(b->folder);
  free(b->folder);
  free(b->whole);
  free(b->index_bytes);
  free(b);
  return 0;
}

/* Puts the files there and verifies. */
static scr_check verify(const bench *b, const void *bytes, size_t size, bool with_index, uint64_t expected, uint64_t *count_after)
{
  scr_recording *recording;
  scr_check check;
  file_write(b->recording, bytes, size);
  if (with_index)
    file_write(b->index, b->index_bytes, b->index_size);
  else
    unlink(b->index);
  assert_int_equal(scr_recording_open(b->recording, &recording, NULL), SCR_OK);
  assert_int_equal(scr_recording_verify(recording, expected, &check, NULL), SCR_OK);
  *count_after = scr_recording_count(recording);
  scr_recording_close(recording);
  return check;
}

/* FIPS 180-4's examples (NIST, "SHA-256 examples"): no block, one, two. */
static void test_sha256_gives_the_digests_of_the_standards_examples(void **state)
{
  (void)state;
  static const char *const examples[][2] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}};
  for (size_t k = 0; k < 3; k++)
    for (size_t cut = 0; cut <= strlen(examples[k][0]); cut++) {
      char text[SHA256_TEXT_BYTES];
      sha256 digest;
      sha256_begin(&digest);
      sha256_add(&digest, examples[k][0], cut);
      sha256_add(&digest, examples[k][0] + cut, strlen(examples[k][0]) - cut);
      sha256_text(&digest, text);
      assert_string_equal(text, examples[k][1]);
    }
}

static void test_a_finished_recording_is_complete_and_knows_its_count_and_digest(void **state)
{
  const bench *b = *state;
  uint64_t count;
  scr_check check = verify(b, b->whole, b->size, false, 0, &count);
  assert_int_equal(check.integrity, SCR_COMPLETE);
  assert_int_equal(check.records, record_count);
  assert_int_equal(check.damaged, 0);
  assert_int_equal(strlen(check.digest), 64);
}

/* Wherever a bit flips, the record it is in is named, and all whole ones behind it are found. Only a flip in the end record of a recording
 * nobody knows the length of looks like a run that goes on. */
static void test_a_flipped_bit_anywhere_is_found_and_placed(void **state)
{
  const bench *b = *state;
  for (int with_index = 0; with_index < 2; with_index++)
    for (size_t i = SCR_FILE_MAGIC_BYTES; i < b->size; i++) {
      uint64_t record = 1, count;
      while (b->ends[record] <= i) record++;
      b->whole[i] ^= (unsigned char)(1u << i % 8);
      for (uint64_t expected = 0; expected <= record_count; expected += record_count) {
        scr_check check = verify(b, b->whole, b->size, with_index != 0, expected, &count);
        bool like_going_on =
            record == record_count && expected == 0 && (!with_index || i < b->ends[record - 1] + sizeof(scr_record_header));
        if (like_going_on) {
          assert_int_equal(check.integrity, SCR_UNFINISHED);
          continue;
        }
        assert_int_equal(check.integrity, SCR_DAMAGED);
        assert_int_equal(check.damaged, record);
        assert_int_equal(check.offset, b->ends[record - 1]);
        assert_int_equal(check.records, record - 1);
        assert_int_equal(check.behind, record_count - record);
        assert_int_equal(count, record - 1); /* what is read from now on is sound */
        if (record < record_count) assert_int_equal(check.expected, record_count);
        char named[32];
        snprintf(named, sizeof named, "ecord %llu", (unsigned long long)record);
        if (record > 1 && record < record_count) assert_non_null(strstr(check.message, named));
      }
      b->whole[i] ^= (unsigned char)(1u << i % 8);
    }
}

static void test_several_damaged_records_are_counted(void **state)
{
  const bench *b = *state;
  uint64_t count;
  for (uint64_t record = 3; record <= 7; record += 2) b->whole[b->ends[record - 1] + 40] ^= 1;
  for (size_t i = 0; i < 32; i++) b->whole[b->ends[3] + i] ^= 0x5a; /* record 4 has no header any more */
  scr_check check = verify(b, b->whole, b->size, false, 0, &count);
  assert_int_equal(check.damaged, 3);
  assert_int_equal(check.behind, 3); /* 6, 8 and 9 */
  assert_non_null(strstr(check.message, "records 3 to 5 of 9"));
  assert_non_null(strstr(check.message, "1 more"));
}

static void test_a_file_cut_anywhere_is_unfinished_or_damaged_when_its_length_is_known(void **state)
{
  const bench *b = *state;
  for (int with_index = 0; with_index < 2; with_index++)
    for (size_t size = 0; size < b->size; size++) {
      uint64_t whole = 0, count;
      while (whole < record_count && b->ends[whole + 1] <= size) whole++;
      scr_check check = verify(b, b->whole, size, with_index != 0, 0, &count);
      assert_int_equal(check.integrity, SCR_UNFINISHED);
      assert_int_equal(check.records, whole);
      check = verify(b, b->whole, size, with_index != 0, record_count, &count);
      assert_int_equal(check.integrity, SCR_DAMAGED);
      assert_int_equal(check.damaged, whole + 1);
    }
}

/* Bytes within a damaged record may look like headers; the search passes over all of them. */
static void test_false_headers_within_a_damaged_record_hold_nothing_up(void **state)
{
  const bench *b = *state;
  uint64_t count;
  for (size_t place = 0; place + sizeof(scr_record_header) <= 128; place += 40) { /* record 8 has 160 bytes of payload */
    scr_record_header fake = {.size = 8, .type = SCR_RECORD_CURVE, .seq = 9 + place};
    memcpy(b->whole + b->ends[7] + sizeof fake + place, &fake, sizeof fake);
  }
  for (int header_too = 0; header_too < 2; header_too++) {
    if (header_too) b->whole[b->ends[7] + 9] ^= 1;
    scr_check check = verify(b, b->whole, b->size, false, 0, &count);
    assert_int_equal(check.integrity, SCR_DAMAGED);
    assert_int_equal(check.damaged, 8);
    assert_int_equal(check.behind, 1);
  }
}

/* Each record is whole, but one is another run's. */
static void test_a_replaced_record_is_found_by_the_digest(void **state)
{
  const bench *b = *state;
  uint64_t count;
  scr_record_header header;
  unsigned char *at = b->whole + b->ends[3];
  memcpy(&header, at, sizeof header);
  at[40] ^= 1;
  header.crc32c = record_crc(&header, at + sizeof header);
  memcpy(at, &header, sizeof header);
  scr_check check = verify(b, b->whole, b->size, false, 0, &count);
  assert_int_equal(check.integrity, SCR_DAMAGED);
  assert_non_null(strstr(check.message, "another digest"));
}

/* The digest goes on over an interruption: a writer that stands anywhere among what was recorded ends with the same bytes. */
static void test_a_resumed_writer_gives_the_same_digest(void **state)
{
  const bench *b = *state;
  for (uint64_t resume = 0; resume < record_count; resume++) {
    unsigned char *again;
    recording_writer *writer;
    file_write(b->recording, b->whole, b->ends[resume] + (resume ? 13 : 0)); /* and a torn tail */
    unlink(b->index);
    assert_int_equal(recording_writer_open(b->recording, &writer, NULL), SCR_OK);
    uint64_t back = resume / 2; /* the checkpoint lies before what was recorded last */
    assert_int_equal(recording_writer_seek(writer, back, b->ends[back], NULL), SCR_OK);
    append_records(writer, back + 1);
    append_end(writer);
    recording_writer_close(writer);
    size_t size = file_read(b->recording, &again);
    assert_int_equal(size, b->size);
    assert_memory_equal(again, b->whole, size);
    free(again);
  }
}

/* From before recordings were counted: its end record has neither count nor digest. */
static void test_an_old_recording_is_complete_without_a_digest(void **state)
{
  const bench *b = *state;
  static const char old[] =
      "{\"verdict\":\"succeeded\",\"message\":\"\",\"step\":1,\"sim_time\":1.0,\"peak_force\":41.5,\"broken_bonds\":7.0,"
      "\"frames\":0,\"samples\":0}";
  recording_writer *writer;
  unlink(b->recording);
  unlink(b->index);
  assert_int_equal(recording_writer_open(b->recording, &writer, NULL), SCR_OK);
  append_records(writer, 1);
  assert_int_equal(recording_writer_append(writer, SCR_RECORD_END, 9.0, old, sizeof old - 1, NULL), SCR_OK);
  recording_writer_close(writer);
  scr_recording *recording;
  scr_check check;
  scr_end *end = calloc(1, sizeof *end);
  assert_int_equal(scr_recording_open(b->recording, &recording, NULL), SCR_OK);
  assert_int_equal(scr_recording_verify(recording, 0, &check, NULL), SCR_OK);
  assert_int_equal(scr_recording_end(recording, end, NULL), SCR_OK);
  assert_int_equal(check.integrity, SCR_COMPLETE);
  assert_string_equal(check.digest, "");
  assert_int_equal(end->records, 0);
  assert_true(end->headline_count == 2 && end->headlines[0].value == 41.5 && end->headlines[1].value == 7);
  assert_string_equal(end->headlines[0].label, "Peak force");
  assert_string_equal(end->headlines[1].unit, "1");
  free(end);
  scr_recording_close(recording);
}

#define BENCH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

SUITE(test_record_integrity)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sha256_gives_the_digests_of_the_standards_examples),
      BENCH(test_a_finished_recording_is_complete_and_knows_its_count_and_digest),
      BENCH(test_a_flipped_bit_anywhere_is_found_and_placed),
      BENCH(test_several_damaged_records_are_counted),
      BENCH(test_a_file_cut_anywhere_is_unfinished_or_damaged_when_its_length_is_known),
      BENCH(test_false_headers_within_a_damaged_record_hold_nothing_up),
      BENCH(test_a_replaced_record_is_found_by_the_digest),
      BENCH(test_a_resumed_writer_gives_the_same_digest),
      BENCH(test_an_old_recording_is_complete_without_a_digest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
