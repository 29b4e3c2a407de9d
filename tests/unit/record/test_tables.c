/* Event tables: what is declared, rows in recordings, rows of recordings from before broken bonds were a table, CSV and JSON. */
#include "tests/unit/run/test_run_toy.h"

#include "record/file/recording_writer.h"
#include "sim/pieces/breaks.h"
#include "sim/sim.h"
#include "tests/support/suites.h"

static scr_table *table_in(const char *directory, const char *name, uint64_t after)
{
  scr_recording *recording;
  scr_table *table;
  scr_error error;
  assert_int_equal(scr_recording_open(file_in(directory, "recording.scree"), &recording, NULL), SCR_OK);
  if (scr_table_read(recording, name, after, &table, &error) != SCR_OK) fail_msg("%s", error.message);
  scr_recording_close(recording);
  return table;
}

/* Each bounce is one row, in the order of time, and the curve counts as many: rows come in steps, between frames and samples. */
static void test_rows_of_steps_are_recorded_once_and_in_order(void **state)
{
  lab *l = *state;
  run_whole(l->scene, l->first);
  scr_table *table = table_in(l->first, "bounces", 0);
  scr_recording *recording;
  scr_curves *curves;
  assert_int_equal(scr_recording_open(file_in(l->first, "recording.scree"), &recording, NULL), SCR_OK);
  assert_int_equal(scr_curves_read(recording, 0, &curves, NULL), SCR_OK);
  size_t bounces = 0;
  while (bounces < curves->series_count && strcmp(curves->series[bounces].name, "bounces") != 0) bounces++;
  assert_true(bounces < curves->series_count);
  assert_true(table->row_count > 20 &&
              (double)table->row_count == curves->values[(curves->sample_count - 1) * curves->series_count + bounces]);
  for (size_t r = 0; r < table->row_count; r++) {
    const double *row = table->values + 4 * r;
    assert_true(row[0] > 0 && row[0] <= 2 && row[1] >= 0 && row[1] < ball_count && row[2] > 0 && row[3] == fmod(row[1], 2));
    if (r > 0) assert_true(row[0] >= row[-4]);
  }
  scr_curves_destroy(curves);
  scr_recording_close(recording);
  scr_table_destroy(table);
}

/* Stopped in every phase of a batch of samples, also with rows that are not recorded yet. */
static void test_rows_that_wait_survive_a_stop(void **state)
{
  lab *l = *state;
  run_whole(l->scene, l->first);
  size_t waiting = 0;
  for (uint64_t step = 143; step < 1990; step += 331) {
    plan stop = {.step = step, .answer = SCR_RUN_STOP}, go_on = {0};
    empty(l->second);
    assert_int_equal(run(l->scene, l->second, &stop, NULL), SCR_STOPPED);
    scr_table *part = table_in(l->second, "bounces", 0);
    waiting += part->row_count;
    scr_table_destroy(part);
    assert_int_equal(run(l->scene, l->second, &go_on, NULL), SCR_OK);
    assert_true(go_on.resumed);
    assert_same_recording(l->first, l->second);
  }
  assert_true(waiting > 0);
}

static void test_the_list_counts_rows_and_the_text_names_values(void **state)
{
  lab *l = *state;
  run_whole(l->scene, l->first);
  scr_table *table = table_in(l->first, "bounces", 0), *tables;
  scr_recording *recording;
  size_t count, length;
  char *text;
  assert_int_equal(scr_recording_open(file_in(l->first, "recording.scree"), &recording, NULL), SCR_OK);
  assert_int_equal(scr_tables_list(recording, &tables, &count, NULL), SCR_OK);
  assert_true(count == 1 && tables[0].row_count == table->row_count && !tables[0].values);
  scr_tables_destroy(tables, count);
  assert_int_equal(scr_table_csv(table, SCR_TABLE_WHOLE, &text, &length, NULL), SCR_OK);
  static const char head[] = "time [s],ball [1],speed [m/s],side\r\n0.14";
  assert_memory_equal(text, head, sizeof head - 1);
  assert_non_null(strstr(text, ",even\r\n"));
  scr_free(text);
  assert_int_equal(scr_table_json(table, SCR_TABLE_WHOLE, &text, &length, NULL), SCR_OK);
  static const char object[] =
      "{\"name\":\"bounces\",\"label\":\"Bounces\",\"columns\":[{\"name\":\"time\",\"unit\":\"s\",\"label\":\"Time\"},";
  assert_memory_equal(text, object, sizeof object - 1);
  assert_non_null(strstr(text, "\"values\":[\"even\",\"odd\"]}],\"rows\":[[0.14"));
  assert_non_null(strstr(text, ",\"odd\"],["));
  scr_free(text);
  scr_error error;
  assert_int_equal(scr_table_open(recording, "fragments", &tables, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "no table 'fragments'"));
  assert_int_equal(scr_table_svg(recording, "bounces", &text, &length, &error), SCR_BAD_USAGE);
  scr_recording_close(recording);
  scr_table_destroy(table);
}

/* What is written piece by piece is what is written at once. */
static void test_pieces_make_the_whole_text(void **state)
{
  static scr_status (*const writers[])(const scr_table *, scr_table_part, char **, size_t *, scr_error *) = {scr_table_csv, scr_table_json};
  lab *l = *state;
  run_whole(l->scene, l->first);
  scr_recording *recording;
  scr_table *whole = table_in(l->first, "bounces", 0), *piece;
  assert_int_equal(scr_recording_open(file_in(l->first, "recording.scree"), &recording, NULL), SCR_OK);
  for (size_t w = 0; w < 2; w++) {
    char *text, *part, *joined = calloc(1, 1 << 20);
    size_t length, used = 0, pieces = 0;
    uint64_t seq = 0;
    assert_non_null(joined);
    assert_int_equal(writers[w](whole, SCR_TABLE_WHOLE, &text, &length, NULL), SCR_OK);
    assert_int_equal(scr_table_open(recording, "bounces", &piece, NULL), SCR_OK);
    scr_table_part next = SCR_TABLE_HEAD;
    while (true) {
      size_t bytes;
      assert_int_equal(writers[w](piece, next, &part, &bytes, NULL), SCR_OK);
      memcpy(joined + used, part, bytes);
      used += bytes;
      scr_free(part);
      if (next == SCR_TABLE_TAIL) break;
      assert_int_equal(scr_table_next(recording, piece, &seq, NULL), SCR_OK);
      next = piece->row_count == 0 ? SCR_TABLE_TAIL : next == SCR_TABLE_HEAD ? SCR_TABLE_ROWS : SCR_TABLE_MORE;
      pieces += piece->row_count > 0;
    }
    assert_true(pieces > 3);
    assert_int_equal(used, length);
    assert_memory_equal(joined, text, length);
    scr_table_destroy(piece);
    scr_free(text);
    free(joined);
  }
  scr_table_destroy(whole);
  scr_recording_close(recording);
}

/* ── old recordings ──────────────────────────────────────────────────────────────────────────────────────────────── */

/* One as version 0.1.0 wrote it until November 2026: its topology has no table "breaks", its broken bonds lie in records of type 8. The
 * bytes are laid out here by hand, from the description of that time. */
static void write_old_recording(const char *path, const void *breaks, size_t size)
{
  static const char scene[] = "{\"scene\":{}}",
                    topology[] =
                        "{\"drawables\":[],\"series\":[{\"name\":\"time\",\"unit\":\"s\",\"label\":\"Time\"},"
                        "{\"name\":\"broken_bonds\",\"unit\":\"1\",\"label\":\"Broken bonds\"}],\"plots\":[],"
                        "\"bounds\":{\"minimum\":[0,0,0],\"maximum\":[1,1,1]},\"tables\":[{\"name\":\"fragments\",\"label\":\"Fragments by "
                        "mass\",\"columns\":[{\"name\":\"time\",\"unit\":\"s\",\"label\":\"Time\"}]}]}";
  recording_writer *writer;
  assert_int_equal(recording_writer_open(path, &writer, NULL), SCR_OK);
  assert_int_equal(recording_writer_append(writer, SCR_RECORD_SCENE, 0, scene, sizeof scene - 1, NULL), SCR_OK);
  assert_int_equal(recording_writer_append(writer, SCR_RECORD_TOPOLOGY, 0, topology, sizeof topology - 1, NULL), SCR_OK);
  if (size > 0) assert_int_equal(recording_writer_append(writer, SCR_RECORD_BREAKS, 0.5, breaks, size, NULL), SCR_OK);
  recording_writer_close(writer);
}

static void put(unsigned char **at, const void *value, size_t size)
{
  memcpy(*at, value, size);
  *at += size;
}

static size_t lay_out(unsigned char *bytes)
{
  unsigned char *at = bytes;
  put(&at, &(uint64_t){0}, 8), put(&at, &(uint32_t){2}, 4), put(&at, &(uint32_t){0}, 4);
  for (uint32_t k = 0; k < 2; k++) {
    put(&at, &(double){0.25}, 8), put(&at, &(uint64_t){7}, 8);
    put(&at, &(uint32_t){3 + k}, 4), put(&at, &(uint32_t){9}, 4), put(&at, &(uint32_t){k == 0 ? 1 : 2}, 4), put(&at, &(uint32_t){0}, 4);
    put(&at, &(double){k == 0 ? 1e6 : 0}, 8), put(&at, &(double){k == 0 ? 2e6 : 0}, 8), put(&at, &(double){1.5}, 8);
    for (int c = 0; c < 3; c++) put(&at, &(double){0.125 * c}, 8);
  }
  return (size_t)(at - bytes);
}

static void test_old_records_are_rows_of_the_table(void **state)
{
  lab *l = *state;
  unsigned char bytes[256];
  size_t size = lay_out(bytes), length;
  char *text;
  assert_int_equal(size, 16 + 2 * 80);
  assert_int_equal(mkdir(l->first, 0700), 0);
  write_old_recording(file_in(l->first, "recording.scree"), bytes, size);
  scr_table *table = table_in(l->first, "breaks", 0);
  assert_int_equal(scr_table_csv(table, SCR_TABLE_WHOLE, &text, &length, NULL), SCR_OK);
  assert_string_equal(text, "time [s],step [1],a [1],b [1],mode,load [1],tension [Pa],shear [Pa],x [m],y [m],z [m]\r\n"
                            "0.25,7,3,9,shear,1.5,1000000,2000000,0,0.125,0.25\r\n0.25,7,4,9,stretch,1.5,,,0,0.125,0.25\r\n");
  scr_free(text);
  scr_table_destroy(table);
  scr_recording *recording;
  scr_table *tables;
  size_t count;
  assert_int_equal(scr_recording_open(file_in(l->first, "recording.scree"), &recording, NULL), SCR_OK);
  assert_int_equal(scr_tables_list(recording, &tables, &count, NULL), SCR_OK);
  assert_true(count == 2 && tables[0].row_count == 0 && tables[1].row_count == 2);
  scr_tables_destroy(tables, count);
  scr_recording_close(recording);
}

static void test_an_old_recording_without_broken_bonds_has_an_empty_table(void **state)
{
  lab *l = *state;
  assert_int_equal(mkdir(l->first, 0700), 0);
  write_old_recording(file_in(l->first, "recording.scree"), NULL, 0);
  scr_table *table = table_in(l->first, "breaks", 0);
  assert_int_equal(table->row_count, 0);
  scr_table_destroy(table);
}

/* Too short, a wrong count, and a mode that has no name. */
static void test_damaged_old_records_are_refused(void **state)
{
  lab *l = *state;
  for (int k = 0; k < 3; k++) {
    unsigned char bytes[256];
    size_t size = lay_out(bytes);
    if (k == 0) size = 12;
    if (k == 1) bytes[8] = 3;
    if (k == 2) bytes[16 + 24] = 9;
    empty(l->first);
    assert_int_equal(mkdir(l->first, 0700), 0);
    write_old_recording(file_in(l->first, "recording.scree"), bytes, size);
    scr_recording *recording;
    scr_table *table;
    assert_int_equal(scr_recording_open(file_in(l->first, "recording.scree"), &recording, NULL), SCR_OK);
    assert_int_equal(scr_table_read(recording, "breaks", 0, &table, NULL), SCR_BAD_FILE);
    scr_recording_close(recording);
  }
}

/* The methods' table and the one that old records are read as have the same columns. */
static void test_old_and_new_tables_have_the_same_columns(void **state)
{
  lab *l = *state;
  scr_sim *sim;
  table_log *log;
  assert_int_equal(mkdir(l->first, 0700), 0);
  write_old_recording(file_in(l->first, "recording.scree"), NULL, 0);
  scr_table *old = table_in(l->first, "breaks", 0);
  assert_int_equal(sim_create(l->scene, 1, (scr_liveness){0}, &sim, NULL), SCR_OK);
  assert_int_equal(breaks_declare(sim, &log, NULL), SCR_OK);
  assert_int_equal(old->column_count, log->table.column_count);
  assert_memory_equal(old->columns, log->table.columns, old->column_count * sizeof *old->columns);
  scr_sim_destroy(sim);
  scr_table_destroy(old);
}

static void test_tables_that_could_not_be_told_are_refused(void **state)
{
  lab *l = *state;
  scr_sim *sim;
  scr_error error;
  scr_column column = {.name = "time", .unit = "s", .label = "Time"}, odd = {.name = "a,b", .unit = "1", .label = ""},
             crowded = {.name = "mode", .unit = "1", .label = "", .value_count = SCR_COLUMN_VALUES + 1},
             unnamed = {.name = "mode", .unit = "1", .label = "", .value_count = 1, .values = {"two words"}};
  const scr_table bad[] = {{.name = "Breaks", .column_count = 1, .columns = &column},
                           {.name = "t", .column_count = 0, .columns = &column},
                           {.name = "t", .column_count = 1, .columns = &odd},
                           {.name = "t", .column_count = 1, .columns = &crowded},
                           {.name = "t", .column_count = 1, .columns = &unnamed}};
  assert_int_equal(sim_create(l->scene, 1, (scr_liveness){0}, &sim, NULL), SCR_OK);
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) assert_int_equal(scr_sim_declare_table(sim, &bad[k], &error), SCR_BAD_USAGE);
  assert_int_equal(scr_sim_announce_table(sim, 0, "a_kind_that_is_longer_than_31_bytes", "it happened", &error), SCR_BAD_USAGE);
  scr_sim_destroy(sim);
}

SUITE(test_tables)
{
  const struct CMUnitTest tests[] = {
      IN_LAB(test_rows_of_steps_are_recorded_once_and_in_order),
      IN_LAB(test_rows_that_wait_survive_a_stop),
      IN_LAB(test_the_list_counts_rows_and_the_text_names_values),
      IN_LAB(test_pieces_make_the_whole_text),
      IN_LAB(test_old_records_are_rows_of_the_table),
      IN_LAB(test_an_old_recording_without_broken_bonds_has_an_empty_table),
      IN_LAB(test_damaged_old_records_are_refused),
      IN_LAB(test_old_and_new_tables_have_the_same_columns),
      IN_LAB(test_tables_that_could_not_be_told_are_refused),
  };
  return cmocka_run_group_tests_name("tables", tests, NULL, NULL);
}
