/* Runs whose drawables have shapes: the geometry records stand behind the topology, and a resumed run must come to the same ones. */
#include "tests/unit/run/test_run_toy.h"

#include "record/file/recording.h"
#include "record/frame/view.h"
#include "record/geometry_record.h"
#include "tests/support/frame_mesh.h"
#include "tests/support/kinds.h"
#include "tests/support/suites.h"

enum { STONES = 1, GRAINS, SKIN };

/* How much longer the second edge of the stone is: a change of it between two attempts is another method. */
static double edge;

/* The toy's balls, as many stones that fly with them, turning, and grains of two sizes along a line, one fewer in every frame, whose pieces
 * are declared and named as nothing else is. */
static scr_status create(scr_sim *sim, scr_error *error)
{
  scr_drawable kinds[KINDS_COUNT];
  SCR_TRY(toy_create(sim, error));
  kinds_declare(kinds);
  scr_drawable *stones = &kinds[KINDS_STONES];
  stones->varying = false;
  stones->element_count = ball_count;
  stones->field_count = 2;
  stones->shapes[1].mesh.vertex[1].x += edge;
  scr_status status = scr_sim_declare_drawable(sim, stones, error);
  kinds_clear(kinds);
  scr_drawable grains = {.kind = SCR_DRAW_POINTS, .name = "grains", .varying = true, .field_count = 3, .pieces = "clump"};
  grains.fields[0] = (scr_field){"position", "m", 3, SCR_ENCODING_FLOAT32};
  grains.fields[1] = (scr_field){"radius", "m", 1, SCR_ENCODING_FLOAT32};
  grains.fields[2] = (scr_field){"clump", "1", 1, SCR_ENCODING_UINT32};
  return status == SCR_OK ? scr_sim_declare_drawable(sim, &grains, error) : status;
}

static uint32_t grains_at(uint64_t steps)
{
  return ball_count - (uint32_t)(steps / 500);
}

static scr_status draw(const scr_sim *sim, scr_frame *frame, scr_error *error)
{
  const balls *b = sim->state;
  SCR_TRY(toy_draw(sim, frame, error));
  SCR_TRY(scr_frame_field(frame, STONES, 0, b->x, b->x, b->z, error));
  SCR_TRY(scr_frame_field(frame, STONES, 1, b->z, b->x, b->speed, error));
  double x[ball_count], zero[ball_count] = {0}, radius[ball_count];
  uint32_t clump[ball_count], count = grains_at(sim->steps);
  for (uint32_t i = 0; i < count; i++) x[i] = 0.1 * i, radius[i] = i % 2 ? 0.06 : 0.08, clump[i] = i < 5 ? 70000 : 3;
  SCR_TRY(scr_frame_count(frame, GRAINS, count, error));
  SCR_TRY(scr_frame_field(frame, GRAINS, 0, x, zero, zero, error));
  SCR_TRY(scr_frame_field(frame, GRAINS, 1, radius, NULL, NULL, error));
  return scr_frame_field_u32(frame, GRAINS, 2, clump, error);
}

static const scr_method stone_method = {
    .about = {.name = "stones",
              .title = "Falling stones",
              .summary = "Stones fall and bounce.",
              .default_plot = {.x = "time", .y = "floor.force", .scale = 1, .moving_average = 1},
              .check = toy_check},
    .create = create,
    .step = toy_step,
    .observe = toy_observe,
    .draw = draw,
    .save = toy_save,
    .load = toy_load,
    .destroy = toy_destroy,
};

static const scr_method_description *list_stones(size_t index)
{
  return index == 0 ? &stone_method.about : NULL;
}

static int set_up_stones(void **state)
{
  static const char text[] = "{ \"scree\": 1, \"name\": \"fall\", \"method\": \"stones\","
                             "  \"materials\": [ { \"name\": \"rubber\" } ],"
                             "  \"specimens\": [ { \"name\": \"ball\", \"material\": \"rubber\","
                             "    \"shape\": { \"type\": \"sphere\", \"radius\": 0.01 } } ],"
                             "  \"time\": { \"duration\": 2, \"time_step\": 1e-3 },"
                             "  \"output\": { \"frame_interval\": 0.5, \"sample_interval\": 5e-3, \"surfaces\": true } }";
  if (set_up(state)) return -1;
  lab *l = *state;
  scr_problems problems = {0};
  scr_scene_destroy(l->scene);
  edge = 0;
  if (scene_parse(text, strlen(text), NULL, list_stones, &l->scene, &problems) != SCR_OK) fail_msg("%s", problems.items[0].detail);
  return 0;
}

/* Scene, topology, two shapes, then what happens; every frame can be drawn with them. */
static void test_the_shapes_are_recorded_behind_the_topology(void **state)
{
  const lab *l = *state;
  run_whole(l->scene, l->first);
  scr_recording *recording;
  scr_topology topology;
  scr_check check;
  bool found;
  frame_view view = {0};
  assert_int_equal(scr_recording_open(file_in(l->first, "recording.scree"), &recording, NULL), SCR_OK);
  assert_int_equal(scr_recording_verify(recording, 0, &check, NULL), SCR_OK);
  assert_int_equal(check.integrity, SCR_COMPLETE); /* the digest counts them */
  static const uint16_t types[4] = {SCR_RECORD_SCENE, SCR_RECORD_TOPOLOGY, SCR_RECORD_GEOMETRY, SCR_RECORD_GEOMETRY};
  for (uint64_t seq = 1; seq <= 4; seq++) assert_int_equal(scr_recording_header(recording, seq)->type, types[seq - 1]);
  assert_int_equal(scr_recording_newest(recording, 1u << SCR_RECORD_GEOMETRY), 4);
  assert_int_equal(geometry_topology_read(recording, &topology, &found, NULL), SCR_OK);
  assert_int_equal(topology.drawables[STONES].shapes[1].mesh.triangle_count, 12);
  for (uint64_t seq = 0; (seq = scr_recording_next(recording, seq, 1u << SCR_RECORD_FRAME)) != 0;) {
    void *record;
    const void *payload;
    size_t size;
    assert_int_equal(recording_payload(recording, seq, &record, &payload, &size, NULL), SCR_OK);
    assert_int_equal(frame_view_read(&view, &topology, payload, size, NULL), SCR_OK);
    assert_int_equal(view.drawables[STONES].count, ball_count);
    free(record);
  }
  frame_view_clear(&view);
  topology_clear(&topology);
  scr_recording_close(recording);
}

/* A run taken up from a checkpoint, and one computed again from its beginning, give the bytes of one that was never interrupted. */
static void test_a_resumed_run_records_the_same_shapes(void **state)
{
  const lab *l = *state;
  plan stop = {.step = 700, .answer = SCR_RUN_STOP};
  run_whole(l->scene, l->first);
  assert_int_equal(run(l->scene, l->second, &stop, NULL), SCR_STOPPED);
  run_whole(l->scene, l->second);
  assert_same_recording(l->first, l->second);
}

static void test_a_run_whose_shapes_came_out_differently_is_not_continued(void **state)
{
  const lab *l = *state;
  plan stop = {.step = 700, .answer = SCR_RUN_STOP};
  scr_error error = {0};
  assert_int_equal(run(l->scene, l->first, &stop, NULL), SCR_STOPPED);
  unlink(file_in(l->first, "checkpoint.scree")); /* so that it is computed again from its beginning */
  edge = 0.01;
  assert_int_equal(run(l->scene, l->first, NULL, &error), SCR_MISMATCH);
  assert_non_null(strstr(error.message, "record 4 "));
}

/* The skin of grains that vary in number and size: two pieces, closed, that reach as far as the grains do. Its cells are as long as the
 * smallest radius, 0.06 m, so its extent is that of the grains within a cell. */
static void test_points_that_vary_have_skins_of_the_pieces_they_declare(void **state)
{
  const lab *l = *state;
  run_whole(l->scene, l->first);
  scr_recording *recording;
  scr_topology topology;
  bool found;
  uint64_t seq = 0;
  assert_int_equal(scr_recording_open(file_in(l->first, "recording.scree"), &recording, NULL), SCR_OK);
  assert_int_equal(geometry_topology_read(recording, &topology, &found, NULL), SCR_OK);
  assert_string_equal(topology.drawables[SKIN].fields[SCR_SKIN_PIECE].name, "clump");
  for (uint32_t k = 0; k < 5; k++) {
    void *record;
    const void *payload;
    size_t size;
    geo_mesh mesh;
    double reach = 0;
    size_t of[2] = {0};
    seq = scr_recording_next(recording, seq, 1u << SCR_RECORD_FRAME);
    assert_int_equal(recording_payload(recording, seq, &record, &payload, &size, NULL), SCR_OK);
    assert_true(frame_mesh_read(payload, size, SKIN, &mesh));
    assert_int_equal(geo_mesh_check(&mesh, NULL), SCR_OK);
    for (size_t t = 0; t < mesh.triangle_count; t++) of[mesh.part[t] == 70000] += mesh.part[t] == 70000 || mesh.part[t] == 3;
    assert_true(of[0] > 0 && of[1] > 0 && of[0] + of[1] == mesh.triangle_count);
    for (size_t v = 0; v < mesh.vertex_count; v++) reach = fmax(reach, mesh.vertex[v].x);
    uint32_t last = grains_at(500 * k) - 1;
    assert_float_equal(reach, 0.1 * last + (last % 2 ? 0.06 : 0.08), 0.06);
    geo_mesh_clear(&mesh);
    free(record);
  }
  topology_clear(&topology);
  scr_recording_close(recording);
}

SUITE(test_run_geometry)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_the_shapes_are_recorded_behind_the_topology, set_up_stones, tear_down),
      cmocka_unit_test_setup_teardown(test_points_that_vary_have_skins_of_the_pieces_they_declare, set_up_stones, tear_down),
      cmocka_unit_test_setup_teardown(test_a_resumed_run_records_the_same_shapes, set_up_stones, tear_down),
      cmocka_unit_test_setup_teardown(test_a_run_whose_shapes_came_out_differently_is_not_continued, set_up_stones, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
