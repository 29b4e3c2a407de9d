/* Surfaces of fragments that frames carry: closed, around what they should hold, the same for any number of threads, asked for by the
 * scene. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/drawable.h"
#include "record/file/recording.h"
#include "record/frame/piece_surface.h"
#include "record/frame/view.h"
#include "record/topology.h"
#include "scene/scene.h"
#include "sim/pieces/fragment_number.h"
#include "tests/support/folder.h"
#include "tests/support/frame_mesh.h"
#include "tests/support/suites.h"

/* A brittle bar breaks on a floor. */
static const char bar[] =
    "{\"scree\":1,\"name\":\"bar\",\"method\":\"bdem\","
    "\"materials\":[{\"name\":\"glass\",\"density\":1000,\"young_modulus\":1e7,\"tensile_strength\":2e4,\"shear_strength\":2e4}],"
    "\"specimens\":[{\"name\":\"bar\",\"material\":\"glass\",\"spacing\":0.01,\"shape\":{\"type\":\"box\",\"size\":[0.14,0.07,0.05]},"
    "\"placement\":{\"type\":\"single\",\"position\":[0,0,0.06]},\"rotation\":{\"axis\":[1,2,0.5],\"angle_deg\":20},\"velocity\":[0,0,-6]}]"
    ","
    "\"rig\":{\"type\":\"box\",\"minimum\":[-0.2,-0.2,0],\"maximum\":[0.2,0.2,0.4],\"gravity\":[0,0,-9.81]},"
    "\"time\":{\"duration\":0.008},\"options\":{\"constants_of\":\"bonds\",\"contact_surface\":\"spheres\"},"
    "\"output\":{\"frame_interval\":2e-3,\"surfaces\":%s}}";

/* Runs the bar and opens its recording. */
static scr_recording *record_bar(const char *folder, const char *surfaces, unsigned threads)
{
  char text[1024], name[64];
  scr_scene *scene;
  scr_problems problems = {0};
  scr_error error = {0};
  scr_recording *recording;
  snprintf(text, sizeof text, bar, surfaces);
  if (scr_scene_parse(text, strlen(text), NULL, &scene, &problems) != SCR_OK) fail_msg("%s", problems.items[0].detail);
  scr_problems_clear(&problems);
  snprintf(name, sizeof name, "run-%s-%u", surfaces, threads);
  char *directory = folder_path(folder, name);
  if (scr_run(scene, &(scr_run_options){.directory = directory, .threads = threads}, &error) != SCR_OK) fail_msg("%s", error.message);
  char *path = folder_path(directory, "recording.scree");
  assert_int_equal(scr_recording_open(path, &recording, NULL), SCR_OK);
  scr_scene_destroy(scene);
  free(directory);
  free(path);
  return recording;
}

/* The points of drawable 0 and the mesh of the last drawable. */
static void read_frame(scr_recording *recording, uint64_t seq, const scr_topology *topology, piece_points *points, geo_mesh *mesh)
{
  void *record;
  const void *payload;
  size_t size;
  frame_view view = {0};
  const drawable_view *of;
  assert_int_equal(recording_payload(recording, seq, &record, &payload, &size, NULL), SCR_OK);
  assert_int_equal(frame_view_read(&view, topology, payload, size, NULL), SCR_OK);
  of = &view.drawables[0];
  assert_int_equal(piece_points_take(points, of->drawable, &of->arrays[0], NULL, &of->arrays[drawable_pieces_field(of->drawable)], NULL),
                   SCR_OK);
  frame_view_clear(&view);
  assert_true(frame_mesh_read(payload, size, (uint32_t)topology->drawable_count - 1, mesh));
  free(record);
}

/* The triangles of one fragment by themselves. */
static geo_mesh part_of(const geo_mesh *mesh, uint32_t fragment)
{
  geo_mesh part = {0};
  uint32_t *number = calloc(mesh->vertex_count + 1, sizeof *number);
  assert_non_null(number);
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    if (mesh->part[t] != fragment) continue;
    uint32_t corner[3];
    for (int k = 0; k < 3; k++) {
      uint32_t *known = &number[mesh->triangle[t][k]];
      if (!*known) {
        assert_int_equal(geo_mesh_add_vertex(&part, mesh->vertex[mesh->triangle[t][k]], NULL), SCR_OK);
        *known = (uint32_t)part.vertex_count;
      }
      corner[k] = *known - 1;
    }
    assert_int_equal(geo_mesh_add_triangle(&part, corner[0], corner[1], corner[2], 0, NULL), SCR_OK);
  }
  free(number);
  return part;
}

static size_t size_of(const piece_points *points, uint32_t fragment)
{
  size_t count = 0;
  for (size_t i = 0; i < points->count; i++) count += points->piece[i] == fragment;
  return count;
}

/* Every fragment of four balls or more is there and bounds a solid; smaller ones are not. A ball of a hexagonal close packing takes up
 * 4 sqrt 2 r^3 of its body, itself 0.74 of that. The skin of a large piece passes near the border of its cells: 0.93 of their volume was
 * measured for the bar of 672 balls. Cells of the grid as long as a radius cut the corners of small pieces, which shrinks those of 4 to 22
 * balls to 0.55 to 0.67: less than the balls themselves, the price of a coarse grid. Bounds: 0.9 and 0.5 below, 1.05 above, as nothing may
 * be counted twice. Positions are float32 here, as 16 bits may turn a sliver over. */
static void test_every_recorded_fragment_has_a_closed_skin_of_about_its_volume(void **state)
{
  char *folder = folder_create();
  (void)state;
  scr_recording *recording = record_bar(folder, "true,\"positions\":\"float32\"", 2);
  scr_topology topology;
  bool found;
  size_t most = 0;
  assert_int_equal(topology_read(recording, &topology, &found, NULL), SCR_OK);
  assert_true(found && topology.drawables[topology.drawable_count - 1].changing);
  for (uint64_t seq = 0; (seq = scr_recording_next(recording, seq, 1u << SCR_RECORD_FRAME)) != 0;) {
    piece_points points;
    geo_mesh mesh;
    size_t fragments = 0;
    read_frame(recording, seq, &topology, &points, &mesh);
    double cell = 4 * sqrt(2.0) * pow(points.radius[0], 3);
    for (size_t i = 0; i < points.count; i++) {
      bool first = true;
      for (size_t j = 0; j < i && first; j++) first = points.piece[j] != points.piece[i];
      if (!first) continue;
      size_t balls = size_of(&points, points.piece[i]);
      geo_mesh part = part_of(&mesh, points.piece[i]);
      geo_mesh_measures measures = {0};
      assert_int_equal(part.triangle_count > 0, balls >= SCR_SURFACE_LEAST);
      if (part.triangle_count) {
        scr_error error;
        fragments++;
        if (geo_mesh_check(&part, &error) != SCR_OK) fail_msg("fragment %u: %s", points.piece[i], error.message);
        assert_int_equal(geo_mesh_measure(&part, &measures, NULL), SCR_OK);
        double ratio = measures.volume / (cell * (double)balls);
        if (!(ratio > (balls > 100 ? 0.9 : 0.5) && ratio < 1.05))
          fail_msg("a fragment of %zu balls has a skin of %.3f of their cells", balls, ratio);
      }
      geo_mesh_clear(&part);
    }
    most = fragments > most ? fragments : most;
    piece_points_clear(&points);
    geo_mesh_clear(&mesh);
  }
  assert_true(most >= 3);
  topology_clear(&topology);
  scr_recording_close(recording);
  folder_remove(folder);
}

/* Recordings are compared as whole files: scene, topology, frames with their meshes, end. */
static void test_the_recording_is_the_same_for_any_number_of_threads(void **state)
{
  char *folder = folder_create();
  (void)state;
  scr_recording *one = record_bar(folder, "true", 1);
  for (unsigned threads = 2; threads <= 3; threads++) {
    scr_recording *more = record_bar(folder, "true", threads);
    size_t frames = 0;
    for (uint64_t seq = 0; (seq = scr_recording_next(one, seq, 1u << SCR_RECORD_FRAME)) != 0; frames++) {
      assert_non_null(scr_recording_header(more, seq));
      assert_memory_equal(scr_recording_header(one, seq), scr_recording_header(more, seq),
                          sizeof(scr_record_header)); /* with the checksum */
    }
    assert_true(frames == 5);
    scr_recording_close(more);
  }
  scr_recording_close(one);
  folder_remove(folder);
}

static void test_without_being_asked_no_frame_carries_a_surface(void **state)
{
  char *folder = folder_create();
  (void)state;
  scr_recording *recording = record_bar(folder, "false", 1);
  scr_topology topology;
  bool found;
  assert_int_equal(topology_read(recording, &topology, &found, NULL), SCR_OK);
  for (size_t d = 0; d < topology.drawable_count; d++) assert_false(topology.drawables[d].changing);
  topology_clear(&topology);
  scr_recording_close(recording);
  folder_remove(folder);
}

/* Two grains of 7 and 4 points. Whole, each is called after its first point; what breaks off elsewhere leaves the number of the piece in
 * the middle alone, although the pieces that are counted before it shift its count. */
static void test_a_fragment_keeps_its_number_while_others_break(void **state)
{
  static const uint32_t grain[11] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
  double scratch[11];
  (void)state;
  uint32_t whole[11] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
  fragment_numbers(grain, 11, whole, scratch);
  for (int i = 0; i < 11; i++) assert_int_equal(whole[i], i < 7 ? 0 : 7);
  uint32_t broken[11] = {0, 1, 2, 2, 2, 1, 3, 4, 5, 5, 5}; /* 0, 1 with 5, and 6 have come off; so has 7 of the second grain */
  fragment_numbers(grain, 11, broken, scratch);
  static const uint32_t meant[11] = {5, 3, 0, 0, 0, 3, 6, 10, 7, 7, 7};
  for (int i = 0; i < 11; i++)
    if (broken[i] != meant[i]) fail_msg("point %d is of fragment %u, not %u", i, broken[i], meant[i]);
}

static void assert_refused(const char *output, const char *pointer, const char *word)
{
  char text[1200];
  scr_scene *scene;
  scr_problems problems = {0};
  snprintf(text, sizeof text, bar, output);
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_BAD_SCENE);
  assert_int_equal(problems.count, 1);
  assert_string_equal(problems.items[0].pointer, pointer);
  if (!strstr(problems.items[0].detail, word)) fail_msg("'%s' does not say '%s'", problems.items[0].detail, word);
  scr_problems_clear(&problems);
}

static double record_bytes(const char *output)
{
  char text[1200];
  scr_scene *scene;
  scr_problems problems = {0};
  snprintf(text, sizeof text, bar, output);
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), SCR_OK);
  double bytes = scr_scene_estimate(scene)->record_bytes;
  scr_scene_destroy(scene);
  return bytes;
}

static void test_cells_that_do_not_fit_are_refused_and_bytes_are_counted(void **state)
{
  (void)state;
  assert_refused("true,\"surface_cell\":5.1e-3", "/output/surface_cell", "too coarse");
  assert_refused("true,\"surface_cell\":9e-4", "/output/surface_cell", "too finely");
  assert_refused("1", "/output/surfaces", "true");
  /* The estimate is meant to be on the safe side, and not by an order of magnitude. */
  char *folder = folder_create();
  scr_recording *with = record_bar(folder, "true", 2);
  double actual = (double)scr_recording_bytes(with), estimated = record_bytes("true");
  if (!(estimated > 0.9 * actual && estimated < 4 * actual)) fail_msg("%.3g bytes were estimated, %.3g recorded", estimated, actual);
  scr_recording_close(with);
  folder_remove(folder);
  double coarse = record_bytes("true"), fine = record_bytes("true,\"surface_cell\":2.5e-3"), none = record_bytes("false");
  assert_true(fabs((fine - none) / (coarse - none) - 4) < 0.01 || (fine - none) / (coarse - none) > 4); /* four times the triangles */
}

SUITE(test_run_skin)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_recorded_fragment_has_a_closed_skin_of_about_its_volume),
      cmocka_unit_test(test_the_recording_is_the_same_for_any_number_of_threads),
      cmocka_unit_test(test_without_being_asked_no_frame_carries_a_surface),
      cmocka_unit_test(test_a_fragment_keeps_its_number_while_others_break),
      cmocka_unit_test(test_cells_that_do_not_fit_are_refused_and_bytes_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
