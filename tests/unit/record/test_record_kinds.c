/* Drawables of every kind: recorded and read back, refused when wrong, damaged on purpose. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "record/drawable.h"
#include "record/file/recording.h"
#include "record/frame/view.h"
#include "record/geometry_record.h"
#include "tests/support/claim.h"
#include "tests/support/folder.h"
#include "tests/support/kinds.h"
#include "tests/support/suites.h"

/* The recording of tests/support/kinds.h in a fresh folder. */
static scr_recording *open_kinds(char **folder)
{
  scr_recording *recording;
  *folder = folder_create();
  char *path = folder_path(*folder, "recording.scree");
  kinds_write(path);
  assert_int_equal(scr_recording_open(path, &recording, NULL), SCR_OK);
  free(path);
  return recording;
}

static uint64_t frame_seq(scr_recording *recording, int k)
{
  uint64_t seq = 0;
  for (int i = 0; i <= k; i++) seq = scr_recording_next(recording, seq, 1u << SCR_RECORD_FRAME);
  return seq;
}

/* What a frame holds of a field must be `meant` within half a step of 16 bits, or a rounding of float32. */
static void assert_value(const frame_array *array, uint32_t element, uint32_t component, double meant)
{
  const scr_array_header *header = &array->header;
  double back = frame_array_value(array, element, component), step = (header->high[component % 3] - header->low[component % 3]) / 131070;
  double bound = header->encoding == SCR_ENCODING_UINT16    ? step * (1 + 1e-9) + 1e-15
                 : header->encoding == SCR_ENCODING_FLOAT32 ? fabs(meant) * 0x1p-24
                                                            : 0;
  if (!(fabs(back - meant) <= bound))
    fail_msg("field %u, element %u, component %u: %.9g instead of %.9g", header->field, element, component, back, meant);
}

static void assert_vector(const frame_array *array, uint32_t element, double x, double y, double z)
{
  assert_value(array, element, 0, x);
  assert_value(array, element, 1, y);
  assert_value(array, element, 2, z);
}

static void check_grains(const drawable_view *grains, uint32_t k)
{
  assert_int_equal(grains->count, 4 + k);
  for (uint32_t i = 0; i < grains->count; i++) {
    uint32_t id = k + i;
    assert_int_equal(frame_array_whole(drawable_view_field(grains, "id"), i, 0), id);
    assert_int_equal(frame_array_whole(&grains->arrays[drawable_pieces_field(grains->drawable)], i, 0), id / 2);
    assert_vector(&grains->arrays[0], i, id / 10.0, k / 100.0, 0);
    assert_value(drawable_view_field(grains, "speed"), i, 0, id + k);
    assert_true(fabs(drawable_view_radius(grains, i) - 0.01 * (1 + id % 3)) < 1e-9);
  }
}

/* A corner c of a stone is at position + R scale (c + amplitudes . modes); turns are by right angles about z. */
static void check_stones(const drawable_view *stones, uint32_t k)
{
  assert_int_equal(stones->count, 2 + k);
  for (uint32_t i = 0; i < stones->count; i++) {
    const scr_modal_shape *shape;
    scr_vec3 vertices[8], plain;
    drawable_view_instance(stones, i, &shape, vertices);
    assert_int_equal(shape->mesh.vertex_count, i % 2 ? 8 : 4);
    assert_value(drawable_view_field(stones, "stress"), i, 0, 1000.0 * i);
    assert_value(drawable_view_field(stones, "amplitudes"), i, 0, k / 10.0);
    assert_value(drawable_view_field(stones, "amplitudes"), i, 1, -(i / 20.0));
    for (size_t v = 0; v < shape->mesh.vertex_count; v++) {
      plain = shape->mesh.vertex[v];
      if (i % 2 == 0 && v == 1) plain.x += k / 10.0;
      if (i % 2 == 0 && v == 3) plain.z -= 2 * (i / 20.0);
      plain = vec3_scale(plain, 1 + 0.5 * i);
      for (uint32_t turn = 0; turn < i % 4; turn++) plain = vec3(-plain.y, plain.x, plain.z);
      assert_true(vec3_length(vec3_sub(vertices[v], vec3_add(vec3(i, k, 1), plain))) < 1e-5);
    }
  }
}

static void check_frame(const frame_view *view, uint32_t k)
{
  const drawable_view *membrane = &view->drawables[KINDS_MEMBRANE], *fibres = &view->drawables[KINDS_FIBRES];
  check_grains(&view->drawables[KINDS_GRAINS], k);
  check_stones(&view->drawables[KINDS_STONES], k);
  assert_int_equal(membrane->count, 9);
  for (uint32_t v = 0; v < 9; v++) {
    assert_vector(&membrane->arrays[0], v, v % 3, v / 3, k * (v % 3) * (v / 3) / 10.0);
    assert_value(&membrane->arrays[1], v, 0, v * k);
  }
  const uint32_t nodes[KINDS_FRAMES] = {5, 4, 0}, threads[KINDS_FRAMES] = {2, 1, 0};
  assert_int_equal(fibres->count, nodes[k]);
  assert_int_equal(fibres->second_count, threads[k]);
  if (k == 0) assert_int_equal(frame_array_whole(drawable_view_field(fibres, "nodes"), 1, 0), 2);
  for (uint32_t j = 0; j < fibres->count; j++) {
    assert_vector(&fibres->arrays[0], j, j / 10.0, 0, k / 5.0);
    assert_true(fabs(drawable_view_radius(fibres, j) - (1 + j) / 1000.0) < 1e-9);
  }
  assert_int_equal(view->drawables[KINDS_SKIN].second_count, 4);
}

/* Half a step of 16 bits and the rounding of float32 bound what may differ. */
static void test_every_kind_comes_back_from_a_recording(void **state)
{
  char *folder;
  (void)state;
  scr_recording *recording = open_kinds(&folder);
  scr_topology topology;
  scr_check check;
  bool found;
  assert_int_equal(scr_recording_verify(recording, 0, &check, NULL), SCR_OK);
  assert_int_equal(check.integrity, SCR_COMPLETE);
  assert_int_equal(geometry_topology_read(recording, &topology, &found, NULL), SCR_OK);
  assert_true(found && topology.drawable_count == KINDS_COUNT && topology.shape_count == 3);
  assert_true(topology.drawables[KINDS_STONES].shapes[0].modes[7].z == 2);
  assert_int_equal(topology.drawables[KINDS_MEMBRANE].shapes[0].mesh.triangle[7][1], 8);
  for (uint64_t seq = 3; seq <= 5; seq++) assert_int_equal(scr_recording_header(recording, seq)->type, SCR_RECORD_GEOMETRY);
  frame_view view = {0};
  for (int k = 0; k < KINDS_FRAMES; k++) {
    void *record;
    const void *payload;
    size_t size;
    assert_int_equal(recording_payload(recording, frame_seq(recording, k), &record, &payload, &size, NULL), SCR_OK);
    assert_int_equal(frame_view_read(&view, &topology, payload, size, NULL), SCR_OK);
    check_frame(&view, (uint32_t)k);
    free(record);
  }
  frame_view_clear(&view);
  topology_clear(&topology);
  scr_recording_close(recording);
  folder_remove(folder);
}

/* Whoever changes the format meets this test: drawables, shapes and frames are written as they were when tests/data/kinds.scree was. */
static void test_the_format_is_that_of_the_recording_that_is_kept(void **state)
{
  char *folder;
  (void)state;
  scr_recording *now = open_kinds(&folder), *kept;
  const unsigned mask = 1u << SCR_RECORD_TOPOLOGY | 1u << SCR_RECORD_GEOMETRY | 1u << SCR_RECORD_FRAME;
  size_t count = 0;
  assert_int_equal(scr_recording_open("tests/data/kinds.scree", &kept, NULL), SCR_OK);
  for (uint64_t seq = 0; (seq = scr_recording_next(kept, seq, mask)) != 0; count++) {
    void *records[2];
    const void *payloads[2];
    size_t sizes[2];
    assert_int_equal(recording_payload(now, seq, &records[0], &payloads[0], &sizes[0], NULL), SCR_OK);
    assert_int_equal(recording_payload(kept, seq, &records[1], &payloads[1], &sizes[1], NULL), SCR_OK);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(payloads[0], payloads[1], sizes[0]);
    free(records[0]);
    free(records[1]);
  }
  assert_int_equal(count, 1 + 3 + KINDS_FRAMES);
  scr_recording_close(now);
  scr_recording_close(kept);
  folder_remove(folder);
}

/* ── what it costs ───────────────────────────────────────────────────────────────────────────────────────────────── */

enum { many = 100000 };

static const double *spread(void)
{
  static double values[many];
  for (int i = 0; i < many; i++) values[i] = sin(i);
  return values;
}

static size_t bytes_of(const scr_drawable *drawable, const uint32_t *nodes)
{
  scr_frame *frame;
  const void *payload;
  size_t size;
  const double *v = spread();
  assert_int_equal(frame_create(drawable, 1, &frame, NULL), SCR_OK);
  frame_begin(frame);
  if (drawable->varying) assert_int_equal(scr_frame_count(frame, 0, many, NULL), SCR_OK);
  if (nodes) assert_int_equal(scr_frame_threads(frame, 0, many / 100, nodes, NULL), SCR_OK);
  for (uint32_t f = 0; f < (nodes ? 1 : drawable->field_count); f++) assert_int_equal(scr_frame_field(frame, 0, f, v, v, v, NULL), SCR_OK);
  assert_int_equal(frame_finish(frame, &payload, &size, NULL), SCR_OK);
  frame_destroy(frame);
  return size;
}

/* 16 bits for each of three coordinates and, of instances, for each of three numbers of the turn: 6 and 12 bytes an element; a thread takes
 * 4 on top. Headers are 8 a frame, 16 a block, 64 an array, and data are padded to 8. A shape's triangles are recorded once, not with every
 * frame. */
static void test_a_hundred_thousand_elements_take_the_bytes_of_their_numbers(void **state)
{
  (void)state;
  scr_drawable kinds[KINDS_COUNT];
  static uint32_t nodes[many / 100];
  for (size_t i = 0; i < many / 100; i++) nodes[i] = 100;
  kinds_declare(kinds);
  scr_drawable *points = &kinds[KINDS_GRAINS], *instances = &kinds[KINDS_STONES], *fibres = &kinds[KINDS_FIBRES];
  points->field_count = 1, points->radius = 0.01, points->pieces[0] = '\0';
  instances->field_count = 2;
  instances->fields[0].encoding = instances->fields[1].encoding = SCR_ENCODING_UINT16;
  fibres->fields[1] = fibres->fields[3];
  fibres->field_count = 2, fibres->radius = 0.01;
  claim_absolute("bytes of a frame of 100000 points", (double)bytes_of(points, NULL), 600000 + 8 + 16 + 64, 0, "the format: 6 each");
  claim_absolute("bytes of a frame of 100000 instances", (double)bytes_of(instances, NULL), 1200000 + 8 + 16 + 2 * 64, 0,
                 "the format: 6 + 6 each");
  claim_absolute("bytes of a frame of 1000 threads of 100 nodes", (double)bytes_of(fibres, nodes), 600000 + 4000 + 8 + 2 * 16 + 2 * 64, 0,
                 "the format: 6 a node, 4 a thread");
  scr_drawable surface = {.kind = SCR_DRAW_SURFACE, .name = "sheet", .element_count = many, .field_count = 1, .shape_count = 1};
  surface.fields[0] = points->fields[0];
  surface.shapes = mem_array(1, sizeof *surface.shapes);
  assert_non_null(surface.shapes);
  for (int v = 0; v < many; v++) assert_int_equal(geo_mesh_add_vertex(&surface.shapes[0].mesh, vec3(v, 0, 0), NULL), SCR_OK);
  claim_absolute("bytes of a frame of a surface of 100000 vertices", (double)bytes_of(&surface, NULL), 600000 + 8 + 16 + 64, 0,
                 "the format: 6 each");
  drawable_clear(&surface);
  kinds_clear(kinds);
}

/* ── wrong use ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static void test_what_is_drawn_wrongly_is_refused_with_what_is_wrong(void **state)
{
  (void)state;
  scr_drawable kinds[KINDS_COUNT];
  scr_frame *frame;
  scr_error error;
  const void *payload;
  size_t size;
  double one[2] = {1, 1}, bad[2] = {1, NAN}, zero[2] = {1, 0}, pairs[4] = {0, 0, 0, INFINITY};
  uint32_t shapes[2] = {0, 2}, nodes[2] = {UINT32_MAX, 1};
  kinds_declare(kinds);
  assert_int_equal(frame_create(kinds, KINDS_COUNT, &frame, NULL), SCR_OK);
  frame_begin(frame);
  assert_int_equal(scr_frame_field(frame, KINDS_STONES, 0, one, one, one, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "before it was said how many"));
  assert_int_equal(frame_finish(frame, &payload, &size, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "scr_frame_count"));
  assert_int_equal(scr_frame_count(frame, KINDS_MEMBRANE, 9, &error), SCR_BAD_USAGE);
  assert_int_equal(scr_frame_count(frame, KINDS_FIBRES, 9, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "scr_frame_threads"));
  assert_int_equal(scr_frame_threads(frame, KINDS_STONES, 1, nodes, &error), SCR_BAD_USAGE);
  assert_int_equal(scr_frame_threads(frame, KINDS_FIBRES, 2, nodes, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "4294967296 nodes"));
  assert_int_equal(scr_frame_count(frame, KINDS_STONES, 2, &error), SCR_OK);
  assert_int_equal(scr_frame_count(frame, KINDS_STONES, 2, &error), SCR_BAD_USAGE);
  assert_int_equal(scr_frame_field_u32(frame, KINDS_STONES, 2, shapes, &error), SCR_BAD_USAGE);
  assert_non_null(strstr(error.message, "shape 2; there are 2"));
  assert_int_equal(scr_frame_field(frame, KINDS_STONES, 3, zero, NULL, NULL, &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "scale"));
  assert_int_equal(scr_frame_field_n(frame, KINDS_STONES, 4, pairs, &error), SCR_DIVERGED);
  assert_int_equal(scr_frame_field(frame, KINDS_STONES, 6, bad, NULL, NULL, &error), SCR_DIVERGED);
  assert_int_equal(scr_frame_count(frame, KINDS_GRAINS, 2, &error), SCR_OK);
  assert_int_equal(scr_frame_field(frame, KINDS_GRAINS, 1, zero, NULL, NULL, &error), SCR_DIVERGED);
  assert_non_null(strstr(error.message, "radius"));
  frame_begin(frame); /* what was counted is forgotten */
  assert_int_equal(scr_frame_count(frame, KINDS_STONES, 0, &error), SCR_OK);
  frame_destroy(frame);
  kinds_clear(kinds);
}

typedef void (*spoiler)(scr_drawable *drawables);

static void spoil_amplitudes(scr_drawable *d)
{
  d[KINDS_STONES].fields[4].components = 3;
}
static void spoil_amplitude_encoding(scr_drawable *d)
{
  d[KINDS_STONES].fields[4].encoding = SCR_ENCODING_UINT16;
}
static void spoil_orientation(scr_drawable *d)
{
  d[KINDS_STONES].fields[1].components = 1;
}
static void spoil_shape_field(scr_drawable *d)
{
  d[KINDS_STONES].fields[2].encoding = SCR_ENCODING_UINT16;
}
static void spoil_shape_count(scr_drawable *d)
{
  d[KINDS_STONES].shape_count = SCR_SHAPE_LIMIT + 1;
}
static void spoil_shapes(scr_drawable *d)
{
  d[KINDS_MEMBRANE].shape_count = 0;
}
static void spoil_vertex_count(scr_drawable *d)
{
  d[KINDS_MEMBRANE].element_count = 8;
}
static void spoil_corner(scr_drawable *d)
{
  d[KINDS_STONES].shapes[1].mesh.triangle[3][1] = 8;
}
static void spoil_mode(scr_drawable *d)
{
  d[KINDS_STONES].shapes[0].modes[2].y = NAN;
}
static void spoil_nodes(scr_drawable *d)
{
  snprintf(d[KINDS_FIBRES].fields[3].name, 32, "knots");
}
static void spoil_radius(scr_drawable *d)
{
  d[KINDS_GRAINS].radius = 1;
}
static void spoil_pieces(scr_drawable *d)
{
  snprintf(d[KINDS_GRAINS].pieces, 32, "speed");
}
static void spoil_varying(scr_drawable *d)
{
  d[KINDS_FLOOR].varying = true;
}
static void spoil_id(scr_drawable *d)
{
  d[KINDS_GRAINS].fields[2].encoding = SCR_ENCODING_FLOAT32;
}

static void test_a_drawable_that_is_not_sound_is_refused_when_it_is_declared(void **state)
{
  (void)state;
  static const struct {
    spoiler spoil;
    const char *says;
  } cases[] = {{spoil_amplitudes, "amplitudes"},
               {spoil_amplitude_encoding, "amplitudes"},
               {spoil_orientation, "orientation"},
               {spoil_shape_field, "'shape'"},
               {spoil_shape_count, "257 shapes"},
               {spoil_shapes, "0 shapes"},
               {spoil_vertex_count, "8 elements"},
               {spoil_corner, "names vertex 8"},
               {spoil_mode, "mode 0"},
               {spoil_nodes, "'nodes'"},
               {spoil_radius, "'radius'"},
               {spoil_pieces, "'speed'"},
               {spoil_varying, "vary in number"},
               {spoil_id, "'id'"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    scr_drawable kinds[KINDS_COUNT];
    scr_error error = {0};
    scr_frame *frame;
    kinds_declare(kinds);
    uint32_t shape_count = kinds[KINDS_STONES].shape_count;
    cases[k].spoil(kinds);
    assert_int_equal(frame_create(kinds, KINDS_COUNT, &frame, &error), SCR_BAD_USAGE);
    if (!strstr(error.message, cases[k].says)) fail_msg("case %zu says: %s", k, error.message);
    kinds[KINDS_STONES].shape_count = shape_count;
    kinds[KINDS_MEMBRANE].shape_count = 1;
    kinds_clear(kinds);
  }
}

/* ── damage ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The topology as read, its shapes not taken yet, and the payload of geometry record `number`. */
static void read_bare(scr_recording *recording, scr_topology *topology, unsigned number, void **record, void **payload, size_t *size)
{
  void *text_record;
  const void *text, *bytes;
  size_t length;
  assert_int_equal(recording_payload(recording, 2, &text_record, &text, &length, NULL), SCR_OK);
  assert_int_equal(topology_parse(text, length, topology, NULL), SCR_OK);
  free(text_record);
  assert_int_equal(recording_payload(recording, 3 + number, record, &bytes, size, NULL), SCR_OK);
  *payload = (char *)*record + ((const char *)bytes - (const char *)*record);
}

static void test_a_geometry_record_that_does_not_fit_is_refused(void **state)
{
  char *folder;
  (void)state;
  scr_recording *recording = open_kinds(&folder);
  for (int damage = 0; damage < 9; damage++) {
    scr_topology topology;
    void *record, *payload;
    size_t size;
    read_bare(recording, &topology, 0, &record, &payload, &size);
    scr_geometry_header header;
    memcpy(&header, payload, sizeof header);
    unsigned char *triangles = (unsigned char *)payload + sizeof header + 12u * header.vertex_count;
    const uint32_t far = 4;
    const float nan = NAN;
    switch (damage) {
    case 1: size -= 4; break;
    case 2: size = sizeof header - 1; break;
    case 3: header.drawable = KINDS_COUNT; break;
    case 4: header.drawable = KINDS_GRAINS; break;
    case 5: header.shape = 2; break;
    case 6: header.vertex_count = 5; break;
    case 7: memcpy(triangles, &far, sizeof far); break;
    case 8: memcpy((unsigned char *)payload + sizeof header, &nan, sizeof nan); break;
    default: break;
    }
    memcpy(payload, &header, sizeof header);
    scr_error error = {0};
    assert_int_equal(geometry_take(&topology, payload, size, &error), damage ? SCR_BAD_FILE : SCR_OK);
    if (damage == 0) assert_int_equal(geometry_take(&topology, payload, size, &error), SCR_BAD_FILE); /* a second time */
    assert_int_equal(error.code, SCR_BAD_FILE);
    free(record);
    topology_clear(&topology);
  }
  scr_recording_close(recording);
  folder_remove(folder);
}

/* Copies the first `count` records of one recording into another; `left_out` is not copied. */
static scr_recording *copy_records(scr_recording *from, const char *path, uint64_t count, uint64_t left_out)
{
  recording_writer *writer;
  scr_recording *copy;
  assert_int_equal(recording_writer_open(path, &writer, NULL), SCR_OK);
  for (uint64_t seq = 1; seq <= count; seq++) {
    void *record;
    const void *payload;
    size_t size;
    const scr_record_header *header = scr_recording_header(from, seq);
    assert_int_equal(recording_payload(from, seq, &record, &payload, &size, NULL), SCR_OK);
    if (seq != left_out)
      assert_int_equal(recording_writer_append(writer, (scr_record_type)header->type, header->sim_time, payload, size, NULL), SCR_OK);
    free(record);
  }
  recording_writer_close(writer);
  assert_int_equal(scr_recording_open(path, &copy, NULL), SCR_OK);
  return copy;
}

/* As long as a recording has no frame its shapes may be on their way; then one that is missing is damage. */
static void test_a_topology_is_there_once_all_its_shapes_are(void **state)
{
  char *folder;
  (void)state;
  scr_recording *recording = open_kinds(&folder);
  for (uint64_t count = 1; count <= 6; count++) {
    char name[16];
    scr_topology topology;
    bool found;
    snprintf(name, sizeof name, "%d.scree", (int)count);
    char *path = folder_path(folder, name);
    scr_recording *copy = copy_records(recording, path, count, 0);
    assert_int_equal(geometry_topology_read(copy, &topology, &found, NULL), SCR_OK);
    assert_int_equal(found, count >= 5);
    topology_clear(&topology);
    scr_recording_close(copy);
    free(path);
  }
  scr_topology topology;
  scr_error error;
  bool found;
  char *path = folder_path(folder, "without.scree");
  scr_recording *copy = copy_records(recording, path, 6, 4);
  assert_int_equal(geometry_topology_read(copy, &topology, &found, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "1 geometry records are missing"));
  scr_recording_close(copy);
  scr_recording_close(recording);
  free(path);
  folder_remove(folder);
}

/* Where array `field` of a drawable's frame begins. */
static unsigned char *array_in(unsigned char *payload, size_t size, uint32_t drawable, uint32_t field)
{
  frame_reader reader;
  frame_array array;
  bool more = true;
  assert_int_equal(frame_reader_begin(&reader, payload, size, NULL), SCR_OK);
  while (frame_reader_next(&reader, &array, &more, NULL) == SCR_OK && more)
    if (array.drawable == drawable && array.header.field == field) return payload + (array.data - payload);
  fail();
  return NULL;
}

/* Each damage keeps the sizes right, so that only the meaning is wrong. */
static void test_a_frame_that_does_not_fit_its_topology_is_refused(void **state)
{
  char *folder;
  (void)state;
  scr_recording *recording = open_kinds(&folder);
  static const struct {
    uint32_t drawable, field, value;
    const char *says;
  } cases[] = {{KINDS_STONES, 2, 2, "a shape that is not there"},
               {KINDS_FIBRES, 3, 4, "another number of nodes"},
               {KINDS_SKIN, 2, 4, "a vertex that is not there"}};
  scr_topology topology;
  bool found;
  frame_view view = {0};
  assert_int_equal(geometry_topology_read(recording, &topology, &found, NULL), SCR_OK);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    void *record;
    const void *payload;
    size_t size;
    scr_error error = {0};
    assert_int_equal(recording_payload(recording, frame_seq(recording, 0), &record, &payload, &size, NULL), SCR_OK);
    unsigned char *bytes = (unsigned char *)record + ((const unsigned char *)payload - (const unsigned char *)record);
    memcpy(array_in(bytes, size, cases[k].drawable, cases[k].field), &cases[k].value, cases[k].drawable == KINDS_SKIN ? 2 : 4);
    assert_int_equal(frame_view_read(&view, &topology, bytes, size, &error), SCR_BAD_FILE);
    if (!strstr(error.message, cases[k].says)) fail_msg("%s", error.message);
    free(record);
  }
  frame_view_clear(&view);
  topology_clear(&topology);
  scr_recording_close(recording);
  folder_remove(folder);
}

/* ── colours, bounds, copies ─────────────────────────────────────────────────────────────────────────────────────── */

/* The stress of stones is 0 ... 1000 i, their number grows: the range so far is that of the newest frame; the pressure of the membrane
 * likewise. */
static void test_scalars_of_all_kinds_have_their_range_so_far(void **state)
{
  (void)state;
  scr_drawable kinds[KINDS_COUNT];
  scr_frame *frame;
  kinds_declare(kinds);
  assert_int_equal(frame_create(kinds, KINDS_COUNT, &frame, NULL), SCR_OK);
  for (int k = KINDS_FRAMES - 1; k >= 0; k--) { /* the last first: ranges stay as wide as they were */
    const void *payload;
    size_t size;
    frame_array stress, pressure;
    frame_begin(frame);
    kinds_draw(frame, k);
    assert_int_equal(frame_finish(frame, &payload, &size, NULL), SCR_OK);
    assert_true(frame_given(frame, KINDS_STONES, 6, &stress) && frame_given(frame, KINDS_MEMBRANE, 1, &pressure));
    assert_true(stress.header.high[0] == 1000.0 * (1 + k) && stress.header.high[SCR_SO_FAR] == 3000);
    assert_true(pressure.header.high[SCR_SO_FAR] == 16 && pressure.header.high[SCR_SO_FAR_KNOWN] == 1);
  }
  frame_destroy(frame);
  kinds_clear(kinds);
}

/* In frame 1 the second stone is a cube of edge 1.5 turned about z by a right angle at (1, 1, 1): x from -0.5, z up to 2.5; the third a
 * tetrahedron of edge 2 turned by two of them at (2, 1, 1): y down to -1, and its mode adds up to 0.2. The floor reaches 3 m each way. */
static void test_the_box_of_a_frame_holds_instances_as_they_are_posed(void **state)
{
  (void)state;
  scr_drawable kinds[KINDS_COUNT];
  scr_frame *frame;
  scr_vec3 low, high;
  kinds_declare(kinds);
  kinds[KINDS_FLOOR].planes[0].half_u = kinds[KINDS_FLOOR].planes[0].half_v = vec3(0, 0, 0);
  assert_int_equal(frame_create(kinds, KINDS_COUNT, &frame, NULL), SCR_OK);
  frame_begin(frame);
  kinds_draw(frame, 1);
  assert_true(frame_bounds(frame, &low, &high));
  assert_true(low.y <= -1 + 1e-6 && low.y > -1.7 && high.z >= 3 - 1e-6 && high.z < 3.7);
  assert_true(low.x <= -0.5 + 1e-6 && low.x > -1.2 && high.x >= 2 && high.x < 2.8 && low.z == -1);
  frame_destroy(frame);
  kinds_clear(kinds);
}

static void test_a_copy_of_a_drawable_has_shapes_of_its_own(void **state)
{
  (void)state;
  scr_drawable kinds[KINDS_COUNT], copy;
  kinds_declare(kinds);
  assert_int_equal(drawable_copy(&kinds[KINDS_STONES], &copy, NULL), SCR_OK);
  kinds_clear(kinds);
  assert_int_equal(drawable_check(&copy, NULL), SCR_OK);
  assert_true(copy.shapes[0].mode_count == 2 && copy.shapes[0].modes[7].z == 2 && copy.shapes[1].mesh.triangle_count == 12);
  drawable_clear(&copy);
}

SUITE(test_record_kinds)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_kind_comes_back_from_a_recording),
      cmocka_unit_test(test_the_format_is_that_of_the_recording_that_is_kept),
      cmocka_unit_test(test_a_hundred_thousand_elements_take_the_bytes_of_their_numbers),
      cmocka_unit_test(test_what_is_drawn_wrongly_is_refused_with_what_is_wrong),
      cmocka_unit_test(test_a_drawable_that_is_not_sound_is_refused_when_it_is_declared),
      cmocka_unit_test(test_a_geometry_record_that_does_not_fit_is_refused),
      cmocka_unit_test(test_a_topology_is_there_once_all_its_shapes_are),
      cmocka_unit_test(test_a_frame_that_does_not_fit_its_topology_is_refused),
      cmocka_unit_test(test_scalars_of_all_kinds_have_their_range_so_far),
      cmocka_unit_test(test_the_box_of_a_frame_holds_instances_as_they_are_posed),
      cmocka_unit_test(test_a_copy_of_a_drawable_has_shapes_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
