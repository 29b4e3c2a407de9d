/* The recording of all kinds. Positions and turns of stones are float32, so that a test can compare them closely. */
#include "tests/support/kinds.h"

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
#include "record/end_record.h"
#include "record/file/recording.h"
#include "record/geometry_record.h"

enum { most = 16 };

static void add_corners(geo_mesh *mesh, const double (*vertices)[3], size_t vertex_count, const uint32_t (*triangles)[3],
                        size_t triangle_count)
{
  for (size_t v = 0; v < vertex_count; v++)
    assert_int_equal(geo_mesh_add_vertex(mesh, vec3(vertices[v][0], vertices[v][1], vertices[v][2]), NULL), SCR_OK);
  for (size_t t = 0; t < triangle_count; t++)
    assert_int_equal(geo_mesh_add_triangle(mesh, triangles[t][0], triangles[t][1], triangles[t][2], 0, NULL), SCR_OK);
}

void kinds_tetrahedron(geo_mesh *mesh)
{
  static const double vertices[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  static const uint32_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  add_corners(mesh, vertices, 4, triangles, 4);
}

void kinds_cube(geo_mesh *mesh)
{
  static const double vertices[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
  static const uint32_t triangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                            {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  add_corners(mesh, vertices, 8, triangles, 12);
}

static void add_patch(geo_mesh *mesh)
{
  for (int v = 0; v < 9; v++) assert_int_equal(geo_mesh_add_vertex(mesh, vec3(v % 3, v / 3, 0), NULL), SCR_OK);
  for (uint32_t y = 0; y < 2; y++)
    for (uint32_t x = 0; x < 2; x++) {
      uint32_t at = 3 * y + x;
      assert_int_equal(geo_mesh_add_triangle(mesh, at, at + 1, at + 4, 0, NULL), SCR_OK);
      assert_int_equal(geo_mesh_add_triangle(mesh, at, at + 4, at + 3, 0, NULL), SCR_OK);
    }
}

static void add_field(scr_drawable *drawable, const char *name, const char *unit, uint32_t components, uint32_t encoding)
{
  scr_field *field = &drawable->fields[drawable->field_count++];
  snprintf(field->name, sizeof field->name, "%s", name);
  snprintf(field->unit, sizeof field->unit, "%s", unit);
  field->components = components;
  field->encoding = encoding;
}

static scr_modal_shape *add_shapes(scr_drawable *drawable, uint32_t count)
{
  drawable->shape_count = count;
  drawable->shapes = mem_array(count, sizeof *drawable->shapes);
  assert_non_null(drawable->shapes);
  return drawable->shapes;
}

static void declare_grains(scr_drawable *grains)
{
  *grains = (scr_drawable){.kind = SCR_DRAW_POINTS, .name = "grains", .varying = true, .pieces = "clump"};
  add_field(grains, "position", "m", 3, SCR_ENCODING_UINT16);
  add_field(grains, "radius", "m", 1, SCR_ENCODING_FLOAT32);
  add_field(grains, "id", "1", 1, SCR_ENCODING_UINT32);
  add_field(grains, "clump", "1", 1, SCR_ENCODING_UINT32);
  add_field(grains, "speed", "m/s", 1, SCR_ENCODING_UINT16);
}

static void declare_stones(scr_drawable *stones)
{
  *stones = (scr_drawable){.kind = SCR_DRAW_INSTANCES, .name = "stones", .varying = true};
  add_field(stones, "position", "m", 3, SCR_ENCODING_FLOAT32);
  add_field(stones, "orientation", "rad", 3, SCR_ENCODING_FLOAT32);
  add_field(stones, "shape", "1", 1, SCR_ENCODING_UINT32);
  add_field(stones, "scale", "1", 1, SCR_ENCODING_FLOAT32);
  add_field(stones, "amplitudes", "1", 2, SCR_ENCODING_FLOAT32);
  add_field(stones, "id", "1", 1, SCR_ENCODING_UINT32);
  add_field(stones, "stress", "Pa", 1, SCR_ENCODING_UINT16);
  scr_modal_shape *shapes = add_shapes(stones, 2);
  snprintf(shapes[0].name, sizeof shapes[0].name, "tetrahedron");
  snprintf(shapes[1].name, sizeof shapes[1].name, "cube");
  kinds_tetrahedron(&shapes[0].mesh);
  kinds_cube(&shapes[1].mesh);
  shapes[0].mode_count = 2;
  shapes[0].modes = mem_array(8, sizeof *shapes[0].modes);
  assert_non_null(shapes[0].modes);
  shapes[0].modes[1] = vec3(1, 0, 0);     /* mode 0 lengthens the edge along x */
  shapes[0].modes[4 + 3] = vec3(0, 0, 2); /* mode 1 lengthens that along z, doubly */
}

static void declare_grids(scr_drawable *cells, scr_drawable *slab)
{
  *cells = (scr_drawable){.kind = SCR_DRAW_GRID, .name = "cells", .varying = true};
  cells->grid = (scr_grid_shape){.origin = {0.1, 0.2, -0.5}, .spacing = {0.1, 0.2, 0.3}, .counts = {3, 2, 2}};
  add_field(cells, "cell", "1", 1, SCR_ENCODING_UINT32);
  add_field(cells, "temperature", "K", 1, SCR_ENCODING_UINT16);
  add_field(cells, "velocity", "m/s", 3, SCR_ENCODING_FLOAT32);
  *slab = (scr_drawable){.kind = SCR_DRAW_GRID, .name = "slab", .element_count = 12};
  slab->grid = (scr_grid_shape){.origin = {0.5, 1, 0}, .spacing = {0.25, 0, 0.125}, .counts = {4, 1, 3}};
  add_field(slab, "level", "m", 1, SCR_ENCODING_FLOAT32);
  add_field(slab, "owner", "1", 1, SCR_ENCODING_UINT32);
}

void kinds_declare(scr_drawable drawables[KINDS_COUNT])
{
  declare_grains(&drawables[KINDS_GRAINS]);
  declare_stones(&drawables[KINDS_STONES]);
  scr_drawable *membrane = &drawables[KINDS_MEMBRANE], *fibres = &drawables[KINDS_FIBRES];
  *membrane = (scr_drawable){.kind = SCR_DRAW_SURFACE, .name = "membrane", .element_count = 9};
  add_field(membrane, "position", "m", 3, SCR_ENCODING_UINT16);
  add_field(membrane, "pressure", "Pa", 1, SCR_ENCODING_FLOAT32);
  scr_modal_shape *patch = add_shapes(membrane, 1);
  snprintf(patch->name, sizeof patch->name, "patch");
  add_patch(&patch->mesh);
  *fibres = (scr_drawable){.kind = SCR_DRAW_THREADS, .name = "fibres"};
  add_field(fibres, "position", "m", 3, SCR_ENCODING_UINT16);
  add_field(fibres, "radius", "m", 1, SCR_ENCODING_FLOAT32);
  add_field(fibres, "tension", "N", 1, SCR_ENCODING_UINT16);
  add_field(fibres, "nodes", "1", 1, SCR_ENCODING_UINT32);
  declare_grids(&drawables[KINDS_CELLS], &drawables[KINDS_SLAB]);
  scr_drawable *floor_plane = &drawables[KINDS_FLOOR], *skin = &drawables[KINDS_SKIN];
  *floor_plane = (scr_drawable){.kind = SCR_DRAW_PLANES, .name = "floor", .element_count = 1};
  add_field(floor_plane, "position", "m", 3, SCR_ENCODING_FLOAT32);
  floor_plane->planes[0] = (scr_plane_shape){.name = "floor", .half_u = {3, 0, 0}, .half_v = {0, 3, 0}};
  *skin = (scr_drawable){.kind = SCR_DRAW_MESH, .name = "grains", .changing = true, .skin_of = KINDS_GRAINS};
  add_field(skin, "position", "m", 3, SCR_ENCODING_UINT16);
  add_field(skin, "clump", "1", 1, SCR_ENCODING_UINT32);
  add_field(skin, "corners", "1", 3, SCR_ENCODING_UINT32);
}

void kinds_clear(scr_drawable drawables[KINDS_COUNT])
{
  for (int d = 0; d < KINDS_COUNT; d++) drawable_clear(&drawables[d]);
}

/* ── frames ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void draw_grains(scr_frame *frame, int k)
{
  double x[most], y[most], z[most] = {0}, radius[most], speed[most];
  uint32_t id[most], clump[most], count = 4 + (uint32_t)k;
  for (uint32_t i = 0; i < count; i++) {
    id[i] = (uint32_t)k + i;
    clump[i] = id[i] / 2;
    x[i] = id[i] / 10.0, y[i] = k / 100.0, radius[i] = 0.01 * (1 + id[i] % 3), speed[i] = id[i] + k;
  }
  assert_int_equal(scr_frame_count(frame, KINDS_GRAINS, count, NULL), SCR_OK);
  assert_int_equal(scr_frame_field_u32(frame, KINDS_GRAINS, 3, clump, NULL), SCR_OK);
  assert_int_equal(scr_frame_field_u32(frame, KINDS_GRAINS, 2, id, NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, KINDS_GRAINS, 1, radius, NULL, NULL, NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, KINDS_GRAINS, 0, x, y, z, NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, KINDS_GRAINS, 4, speed, NULL, NULL, NULL), SCR_OK);
}

static void draw_stones(scr_frame *frame, int k)
{
  double x[most], y[most], z[most], angle[most], zero[most] = {0}, scale[most], stress[most], amplitudes[most][2];
  uint32_t shape[most], id[most], count = 2 + (uint32_t)k;
  for (uint32_t i = 0; i < count; i++) {
    x[i] = i, y[i] = k, z[i] = 1, angle[i] = i * acos(0), scale[i] = 1 + 0.5 * i, stress[i] = 1000.0 * i;
    amplitudes[i][0] = k / 10.0, amplitudes[i][1] = -(i / 20.0);
    shape[i] = i % 2, id[i] = 100 + i;
  }
  assert_int_equal(scr_frame_count(frame, KINDS_STONES, count, NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, KINDS_STONES, 0, x, y, z, NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, KINDS_STONES, 1, zero, zero, angle, NULL), SCR_OK);
  assert_int_equal(scr_frame_field_u32(frame, KINDS_STONES, 2, shape, NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, KINDS_STONES, 3, scale, NULL, NULL, NULL), SCR_OK);
  assert_int_equal(scr_frame_field_n(frame, KINDS_STONES, 4, &amplitudes[0][0], NULL), SCR_OK);
  assert_int_equal(scr_frame_field_u32(frame, KINDS_STONES, 5, id, NULL), SCR_OK);
  assert_int_equal(scr_frame_field_n(frame, KINDS_STONES, 6, stress, NULL), SCR_OK);
}

static void draw_membrane(scr_frame *frame, int k)
{
  double place[9][3], pressure[9];
  for (int v = 0; v < 9; v++) {
    int x = v % 3, y = v / 3;
    place[v][0] = x, place[v][1] = y, place[v][2] = k * x * y / 10.0, pressure[v] = v * k;
  }
  assert_int_equal(scr_frame_field_n(frame, KINDS_MEMBRANE, 0, &place[0][0], NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, KINDS_MEMBRANE, 1, pressure, NULL, NULL, NULL), SCR_OK);
}

static void draw_fibres(scr_frame *frame, int k)
{
  static const uint32_t nodes[KINDS_FRAMES][2] = {{3, 2}, {4, 0}, {0, 0}}, counts[KINDS_FRAMES] = {2, 1, 0};
  double x[5], zero[5] = {0}, z[5], radius[5], tension[5];
  for (int j = 0; j < 5; j++) x[j] = j / 10.0, z[j] = k / 5.0, radius[j] = (1 + j) / 1000.0, tension[j] = j;
  assert_int_equal(scr_frame_threads(frame, KINDS_FIBRES, counts[k], nodes[k], NULL), SCR_OK);
  if (k == 2) return; /* of none no field need be given */
  assert_int_equal(scr_frame_field(frame, KINDS_FIBRES, 0, x, zero, z, NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, KINDS_FIBRES, 1, radius, NULL, NULL, NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, KINDS_FIBRES, 2, tension, NULL, NULL, NULL), SCR_OK);
}

static void draw_grids(scr_frame *frame, int k)
{
  uint32_t cell[most], owner[most], count = 3 + (uint32_t)k;
  double temperature[most], velocity[most][3], level[most];
  for (uint32_t i = 0; i < count; i++) {
    cell[i] = (uint32_t)k + 2 * i;
    temperature[i] = 300 + cell[i];
    velocity[i][0] = cell[i], velocity[i][1] = k, velocity[i][2] = -(double)cell[i];
  }
  for (uint32_t i = 0; i < 12; i++) level[i] = i / 4.0 + k, owner[i] = i % 5;
  assert_int_equal(scr_frame_count(frame, KINDS_CELLS, count, NULL), SCR_OK);
  assert_int_equal(scr_frame_field_u32(frame, KINDS_CELLS, 0, cell, NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, KINDS_CELLS, 1, temperature, NULL, NULL, NULL), SCR_OK);
  assert_int_equal(scr_frame_field_n(frame, KINDS_CELLS, 2, &velocity[0][0], NULL), SCR_OK);
  assert_int_equal(scr_frame_field(frame, KINDS_SLAB, 0, level, NULL, NULL, NULL), SCR_OK);
  assert_int_equal(scr_frame_field_u32(frame, KINDS_SLAB, 1, owner, NULL), SCR_OK);
}

void kinds_draw(scr_frame *frame, int k)
{
  const double floor_at[3] = {0, 0, -1};
  geo_mesh skin = {0};
  kinds_tetrahedron(&skin);
  for (size_t t = 0; t < skin.triangle_count; t++) skin.part[t] = 7;
  draw_fibres(frame, k);
  draw_grids(frame, k);
  draw_grains(frame, k);
  draw_membrane(frame, k);
  draw_stones(frame, k);
  assert_int_equal(scr_frame_field_n(frame, KINDS_FLOOR, 0, floor_at, NULL), SCR_OK);
  assert_int_equal(scr_frame_mesh(frame, KINDS_SKIN, &skin, NULL), SCR_OK);
  geo_mesh_clear(&skin);
}

/* ── the recording ───────────────────────────────────────────────────────────────────────────────────────────────── */

static void append(recording_writer *writer, scr_record_type type, double time, const void *payload, size_t size)
{
  assert_int_equal(recording_writer_append(writer, type, time, payload, size, NULL), SCR_OK);
}

static void append_head(recording_writer *writer, const scr_drawable *drawables, const scr_frame *frame)
{
  scr_series time = {"time", "s", "Time"};
  scr_drawable copies[KINDS_COUNT];
  memcpy(copies, drawables, sizeof copies);
  scr_topology topology = {.drawables = copies, .drawable_count = KINDS_COUNT, .series = &time, .series_count = 1};
  assert_true(frame_bounds(frame, &topology.minimum, &topology.maximum));
  char *text = topology_json(&topology);
  assert_non_null(text);
  append(writer, SCR_RECORD_SCENE, 0, "{\"scene\":{\"name\":\"kinds\"}}", strlen("{\"scene\":{\"name\":\"kinds\"}}"));
  append(writer, SCR_RECORD_TOPOLOGY, 0, text, strlen(text));
  free(text);
  for (uint32_t d = 0; d < KINDS_COUNT; d++)
    for (uint32_t s = 0; s < drawables[d].shape_count; s++) {
      unsigned char *payload;
      size_t size;
      assert_int_equal(geometry_payload(&drawables[d], d, s, &payload, &size, NULL), SCR_OK);
      append(writer, SCR_RECORD_GEOMETRY, 0, payload, size);
      mem_free(payload);
    }
}

static void append_end(recording_writer *writer)
{
  scr_end end = {.verdict = SCR_VERDICT_SUCCEEDED, .sim_time = 2, .frames = KINDS_FRAMES, .records = recording_writer_seq(writer) + 1};
  recording_writer_digest(writer, end.digest);
  json_t *object = end_record_json(&end);
  char *text = json_dumps(object, JSON_COMPACT);
  assert_non_null(text);
  append(writer, SCR_RECORD_END, 2, text, strlen(text));
  free(text);
  json_decref(object);
}

void kinds_write(const char *path)
{
  scr_drawable drawables[KINDS_COUNT];
  recording_writer *writer;
  scr_frame *frame;
  kinds_declare(drawables);
  assert_int_equal(recording_writer_open(path, &writer, NULL), SCR_OK);
  assert_int_equal(frame_create(drawables, KINDS_COUNT, &frame, NULL), SCR_OK);
  for (int k = 0; k < KINDS_FRAMES; k++) {
    const void *payload;
    size_t size;
    frame_begin(frame);
    kinds_draw(frame, k);
    if (k == 0) append_head(writer, drawables, frame);
    assert_int_equal(frame_finish(frame, &payload, &size, NULL), SCR_OK);
    append(writer, SCR_RECORD_FRAME, k, payload, size);
  }
  append_end(writer);
  frame_destroy(frame);
  recording_writer_close(writer);
  kinds_clear(drawables);
}
