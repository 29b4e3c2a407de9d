/* A scene's picture before its run: frames over the whole duration, in which the rig goes its way and the specimens stay. */
#include "record/file/record.h"
#include "record/frame/reader.h"
#include "run/opening.h"
#include "tests/support/bdem_run.h"
#include "tests/support/suites.h"

enum { MOST = 1 << 20 };

/* The high grip pulls at 0.1 m/s for the whole second, from x = 0.45 m. */
static const char pulled[] =
    "{\"scree\":1,\"name\":\"pulled\",\"method\":\"bdem\",\"materials\":[{\"name\":\"silicone\",\"density\":1000,\"young_modulus\":1e7,"
    "\"poisson_ratio\":0.3}],\"specimens\":[{\"name\":\"beam\",\"material\":\"silicone\",\"spacing\":0.15,\"shape\":{\"type\":\"box\","
    "\"size\":[1.2,0.45,0.45]},\"placement\":{\"type\":\"single\",\"position\":[0,0,0]}}],\"rig\":{\"type\":\"grips\",\"axis\":\"x\","
    "\"low_end\":-0.45,\"high_start\":0.45,\"program\":[{\"type\":\"constant\",\"velocity\":0.1}]},\"time\":{\"duration\":1},"
    "\"options\":{\"constants_of\":\"bonds\"}}";

/* x of the first two elements of a drawable's positions in a frame. */
static void read_places(const scr_sim *sim, const char *drawable, const void *payload, size_t size, double x[2])
{
  frame_reader reader;
  frame_array array;
  bool more = true, found = false;
  assert_int_equal(frame_reader_begin(&reader, payload, size, NULL), SCR_OK);
  while (frame_reader_next(&reader, &array, &more, NULL) == SCR_OK && more) {
    if (strcmp(sim->drawables[array.drawable].name, drawable) != 0 || array.header.field != 0) continue;
    found = true;
    for (uint32_t i = 0; i < 2; i++) x[i] = frame_array_value(&array, i, 0);
  }
  assert_true(found);
}

/* The next frame of the records from *at on. @return false where there is none */
static bool next_frame(const unsigned char *bytes, size_t size, size_t *at, scr_record_header *header, const void **payload)
{
  while (*at < size) {
    memcpy(header, bytes + *at, sizeof *header);
    *payload = bytes + *at + sizeof *header;
    *at += SCR_RECORD_BYTES(header->size);
    if (header->type == SCR_RECORD_FRAME) return true;
  }
  return false;
}

/* The last of 25 frames is at the end of the duration, and the one that pulls has gone 0.1 m by then. Places are float32. */
static void test_the_rig_goes_its_whole_way_and_the_specimen_stays(void **state)
{
  (void)state;
  bdem_run run = run_open(pulled, 1);
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  unsigned char *bytes = NULL;
  size_t size = 0, at = 0, count = 0;
  assert_int_equal(scr_scene_parse(pulled, strlen(pulled), NULL, &scene, &problems), SCR_OK);
  assert_int_equal(run_opening(scene, MOST, &bytes, &size, NULL), SCR_OK);
  scr_record_header header;
  const void *payload;
  double first[2] = {0};
  for (; next_frame(bytes, size, &at, &header, &payload); count++) {
    double time = (double)count / 24, grips[2], beam[2];
    assert_float_equal(header.sim_time, time, 1e-12);
    read_places(run.sim, "grips", payload, header.size, grips);
    read_places(run.sim, "beam", payload, header.size, count == 0 ? first : beam);
    assert_float_equal(grips[1], 0.45 + 0.1 * time, 1e-6);
    if (count > 0) assert_memory_equal(beam, first, sizeof beam);
  }
  assert_int_equal(count, 25);
  scr_free(bytes);
  scr_scene_destroy(scene);
  run_close(&run);
}

SUITE(test_opening)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_rig_goes_its_whole_way_and_the_specimen_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
