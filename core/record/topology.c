/* The topology record, written and read back. */
#include "record/topology.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_reader.h"
#include "base/memory.h"
#include "record/drawable.h"
#include "record/file/recording.h"
#include "record/table/table.h"
#include "record/table/table_json.h"

enum { list_limit = 4096, text_limit = 1 << 26 };

static const char *const kind_names[] = {"", "points", "planes", "cylinders", "mesh", "instances", "surface", "threads", "grid"};
static const char *const encoding_names[] = {"float32", "uint16", "uint32"};

static json_t *vector(scr_vec3 v)
{
  return json_pack("[fff]", v.x, v.y, v.z);
}

static json_t *planes_json(const scr_drawable *drawable)
{
  json_t *planes = json_array();
  for (uint32_t i = 0; i < drawable->element_count; i++) {
    const scr_plane_shape *plane = &drawable->planes[i];
    json_array_append_new(
        planes, json_pack("{s:s, s:o, s:o}", "name", plane->name, "half_u", vector(plane->half_u), "half_v", vector(plane->half_v)));
  }
  return planes;
}

static json_t *cylinders_json(const scr_drawable *drawable)
{
  json_t *cylinders = json_array();
  for (uint32_t i = 0; i < drawable->element_count; i++) {
    const scr_cylinder_shape *shape = &drawable->cylinders[i];
    json_array_append_new(cylinders, json_pack("{s:s, s:o, s:o, s:f, s:f}", "name", shape->name, "half_axis", vector(shape->half_axis),
                                               "middle", vector(shape->middle), "radius", shape->radius, "half_arc", shape->half_arc));
  }
  return cylinders;
}

/* Vertices and triangles as flat lists: x y z x y z ..., and numbers of vertices by threes. */
static json_t *body_json(const scr_mesh_shape *body)
{
  const geo_mesh *mesh = &body->mesh;
  json_t *vertices = json_array(), *triangles = json_array();
  for (size_t v = 0; v < mesh->vertex_count; v++) {
    json_array_append_new(vertices, json_real(mesh->vertex[v].x));
    json_array_append_new(vertices, json_real(mesh->vertex[v].y));
    json_array_append_new(vertices, json_real(mesh->vertex[v].z));
  }
  for (size_t t = 0; t < mesh->triangle_count; t++)
    for (int k = 0; k < 3; k++) json_array_append_new(triangles, json_integer(mesh->triangle[t][k]));
  if (json_array_size(vertices) == 3 * mesh->vertex_count && json_array_size(triangles) == 3 * mesh->triangle_count)
    return json_pack("{s:s, s:o, s:o}", "name", body->name, "vertices", vertices, "triangles", triangles);
  json_decref(vertices);
  json_decref(triangles);
  return NULL;
}

static json_t *bodies_json(const scr_drawable *drawable)
{
  json_t *bodies = json_array();
  for (uint32_t i = 0; i < drawable->element_count; i++) json_array_append_new(bodies, body_json(&drawable->meshes[i]));
  if (json_array_size(bodies) == drawable->element_count) return bodies;
  json_decref(bodies);
  return NULL;
}

/* What a reader can expect of the geometry records. */
static json_t *shapes_json(const scr_topology *topology, size_t d)
{
  const scr_drawable *drawable = &topology->drawables[d];
  json_t *shapes = json_array();
  for (uint32_t s = 0; s < drawable->shape_count; s++) {
    const scr_modal_shape *shape = &drawable->shapes[s];
    topology_shape said = {(uint32_t)shape->mesh.vertex_count, (uint32_t)shape->mesh.triangle_count, true};
    if (topology->shapes) said = topology->shapes[topology->first_shape[d] + s];
    json_array_append_new(shapes,
                          json_pack("{s:s, s:I, s:I, s:I}", "name", shape->name, "vertex_count", (json_int_t)said.vertex_count,
                                    "triangle_count", (json_int_t)said.triangle_count, "mode_count", (json_int_t)shape->mode_count));
  }
  if (json_array_size(shapes) == drawable->shape_count) return shapes;
  json_decref(shapes);
  return NULL;
}

static json_t *grid_json(const scr_grid_shape *grid)
{
  return json_pack("{s:o, s:o, s:[III]}", "origin", vector(grid->origin), "spacing", vector(grid->spacing), "counts",
                   (json_int_t)grid->counts[0], (json_int_t)grid->counts[1], (json_int_t)grid->counts[2]);
}

/* What only some drawables have. */
static bool add_special(json_t *object, const scr_topology *topology, size_t d)
{
  const scr_drawable *drawable = &topology->drawables[d];
  bool whole = true;
  if (drawable->kind == SCR_DRAW_POINTS || drawable->kind == SCR_DRAW_THREADS)
    whole = json_object_set_new(object, "radius", json_real(drawable->radius)) == 0;
  if (drawable->kind == SCR_DRAW_PLANES) whole = json_object_set_new(object, "planes", planes_json(drawable)) == 0;
  if (drawable->kind == SCR_DRAW_CYLINDERS) whole = json_object_set_new(object, "cylinders", cylinders_json(drawable)) == 0;
  if (drawable->kind == SCR_DRAW_GRID) whole = json_object_set_new(object, "grid", grid_json(&drawable->grid)) == 0;
  if (drawable->changing)
    whole = json_object_set_new(object, "changing", json_true()) == 0 &&
            json_object_set_new(object, "skin_of", json_integer(drawable->skin_of)) == 0;
  else if (drawable->kind == SCR_DRAW_MESH)
    whole = json_object_set_new(object, "bodies", bodies_json(drawable)) == 0;
  if (drawable->shape_count) whole = whole && json_object_set_new(object, "shapes", shapes_json(topology, d)) == 0;
  if (drawable->varying || drawable->kind == SCR_DRAW_THREADS) whole = whole && json_object_set_new(object, "varying", json_true()) == 0;
  if (drawable->pieces[0]) whole = whole && json_object_set_new(object, "pieces", json_string(drawable->pieces)) == 0;
  return whole;
}

static json_t *drawable_json(const scr_topology *topology, size_t id)
{
  const scr_drawable *drawable = &topology->drawables[id];
  json_t *fields = json_array();
  for (uint32_t f = 0; f < drawable->field_count; f++) {
    const scr_field *field = &drawable->fields[f];
    json_array_append_new(fields, json_pack("{s:s, s:s, s:i, s:s}", "name", field->name, "unit", field->unit, "components",
                                            (int)field->components, "encoding", encoding_names[field->encoding]));
  }
  json_t *object = json_pack("{s:I, s:s, s:s, s:I}", "id", (json_int_t)id, "kind", kind_names[drawable->kind], "name", drawable->name,
                             "element_count", (json_int_t)drawable->element_count);
  bool whole = add_special(object, topology, id);
  if (json_object_set_new(object, "fields", fields) == 0 && whole) return object;
  json_decref(object);
  return NULL;
}

static json_t *series_json(const scr_series *series, size_t count)
{
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", series[i].name, "unit", series[i].unit, "label", series[i].label));
  if (json_array_size(list) == count) return list;
  json_decref(list);
  return NULL;
}

/* Keys of lists that are empty are left out, as in recordings from before there were any. */
static bool add_lists(json_t *root, const scr_topology *topology)
{
  return (topology->table_count == 0 || json_object_set_new(root, "tables", tables_json(topology->tables, topology->table_count)) == 0) &&
         (topology->stage_count == 0 || json_object_set_new(root, "stages", stages_json(topology->stages, topology->stage_count)) == 0) &&
         (topology->kernel_count == 0 ||
          json_object_set_new(root, "kernels", kernels_json(topology->kernels, topology->kernel_count)) == 0);
}

/* Jansson's setters accept NULL for an object that could not be made and then fail; so one check at the end of each list is enough: a
 * list that lost an element is shorter than it should be. */
char *topology_json(const scr_topology *topology)
{
  json_t *drawables = json_array(), *series = series_json(topology->series, topology->series_count), *plots = json_array();
  for (size_t i = 0; i < topology->drawable_count; i++) json_array_append_new(drawables, drawable_json(topology, i));
  for (size_t i = 0; i < topology->plot_count; i++) {
    const topology_plot *plot = &topology->plots[i];
    json_array_append_new(plots, json_pack("{s:s, s:s, s:s, s:f, s:s*, s:I}", "x", plot->x, "y", plot->y, "title", plot->title, "scale",
                                           plot->scale, "unit", plot->unit[0] ? plot->unit : NULL, "moving_average",
                                           (json_int_t)plot->moving_average));
  }
  bool whole = json_array_size(drawables) == topology->drawable_count && series && json_array_size(plots) == topology->plot_count;
  json_t *root = json_pack("{s:o, s:o, s:o, s:{s:o, s:o}}", "drawables", drawables, "series", series, "plots", plots, "bounds", "minimum",
                           vector(topology->minimum), "maximum", vector(topology->maximum));
  whole = whole && root && add_lists(root, topology);
  char *text = whole ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(root);
  return text;
}

/* ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Copies a text that must fit. */
static bool take_text(const json_t *object, const char *key, char *into, size_t capacity)
{
  const char *text = json_string_value(json_object_get(object, key));
  if (!text || strlen(text) >= capacity) return false;
  snprintf(into, capacity, "%s", text);
  return true;
}

static bool take_count(const json_t *object, const char *key, uint64_t limit, uint32_t *into)
{
  const json_t *value = json_object_get(object, key);
  json_int_t number = json_integer_value(value);
  if (!json_is_integer(value) || number < 0 || (uint64_t)number > limit) return false;
  *into = (uint32_t)number;
  return true;
}

static bool take_number(const json_t *object, const char *key, double *into)
{
  const json_t *value = json_object_get(object, key);
  *into = json_number_value(value);
  return json_is_number(value);
}

static bool take_vector(const json_t *object, const char *key, scr_vec3 *into)
{
  const json_t *array = json_object_get(object, key);
  double components[3];
  if (json_array_size(array) != 3) return false;
  for (size_t i = 0; i < 3; i++) {
    if (!json_is_number(json_array_get(array, i))) return false;
    components[i] = json_number_value(json_array_get(array, i));
  }
  *into = vec3(components[0], components[1], components[2]);
  return true;
}

static bool take_name(const json_t *object, const char *key, const char *const *names, size_t count, uint32_t *into)
{
  const char *text = json_string_value(json_object_get(object, key));
  for (size_t i = 0; text && i < count; i++)
    if (strcmp(text, names[i]) == 0) {
      *into = (uint32_t)i;
      return true;
    }
  return false;
}

static bool take_planes(const json_t *object, scr_drawable *drawable)
{
  const json_t *planes = json_object_get(object, "planes");
  if (json_array_size(planes) != drawable->element_count) return false;
  for (size_t i = 0; i < drawable->element_count; i++) {
    const json_t *from = json_array_get(planes, i);
    scr_plane_shape *plane = &drawable->planes[i];
    if (!take_text(from, "name", plane->name, sizeof plane->name) || !take_vector(from, "half_u", &plane->half_u) ||
        !take_vector(from, "half_v", &plane->half_v))
      return false;
  }
  return true;
}

static bool take_cylinders(const json_t *object, scr_drawable *drawable)
{
  const json_t *cylinders = json_object_get(object, "cylinders");
  if (json_array_size(cylinders) != drawable->element_count) return false;
  for (size_t i = 0; i < drawable->element_count; i++) {
    const json_t *from = json_array_get(cylinders, i);
    scr_cylinder_shape *shape = &drawable->cylinders[i];
    if (!take_text(from, "name", shape->name, sizeof shape->name) || !take_vector(from, "half_axis", &shape->half_axis) ||
        !take_vector(from, "middle", &shape->middle) || !take_number(from, "radius", &shape->radius) ||
        !take_number(from, "half_arc", &shape->half_arc))
      return false;
  }
  return true;
}

static bool take_vertices(const json_t *list, geo_mesh *mesh)
{
  size_t count = json_array_size(list);
  if (!json_is_array(list) || count % 3 || count / 3 > SCR_MESH_TRIANGLE_LIMIT) return false;
  for (size_t v = 0; v < count; v += 3) {
    const json_t *one[3] = {json_array_get(list, v), json_array_get(list, v + 1), json_array_get(list, v + 2)};
    if (!json_is_number(one[0]) || !json_is_number(one[1]) || !json_is_number(one[2])) return false;
    scr_vec3 at = vec3(json_number_value(one[0]), json_number_value(one[1]), json_number_value(one[2]));
    if (geo_mesh_add_vertex(mesh, at, NULL) != SCR_OK) return false;
  }
  return true;
}

/* Numbers of vertices, whatever they are: drawable_check compares them with the vertices. */
static bool take_triangles(const json_t *list, geo_mesh *mesh)
{
  size_t count = json_array_size(list);
  if (!json_is_array(list) || count % 3 || count / 3 > SCR_MESH_TRIANGLE_LIMIT) return false;
  for (size_t t = 0; t < count; t += 3) {
    uint32_t corner[3];
    for (size_t k = 0; k < 3; k++) {
      json_int_t number = json_integer_value(json_array_get(list, t + k));
      if (!json_is_integer(json_array_get(list, t + k)) || number < 0 || number >= SCR_MESH_TRIANGLE_LIMIT) return false;
      corner[k] = (uint32_t)number;
    }
    if (geo_mesh_add_triangle(mesh, corner[0], corner[1], corner[2], 0, NULL) != SCR_OK) return false;
  }
  return true;
}

static bool take_bodies(const json_t *object, scr_drawable *drawable)
{
  const json_t *bodies = json_object_get(object, "bodies");
  if (json_array_size(bodies) != drawable->element_count) return false;
  drawable->meshes = mem_array(drawable->element_count, sizeof *drawable->meshes);
  if (!drawable->meshes) return false;
  for (size_t i = 0; i < drawable->element_count; i++) {
    const json_t *from = json_array_get(bodies, i);
    scr_mesh_shape *body = &drawable->meshes[i];
    if (!take_text(from, "name", body->name, sizeof body->name) || !take_vertices(json_object_get(from, "vertices"), &body->mesh) ||
        !take_triangles(json_object_get(from, "triangles"), &body->mesh))
      return false;
  }
  return true;
}

static bool take_fields(const json_t *object, scr_drawable *drawable)
{
  const json_t *fields = json_object_get(object, "fields");
  size_t field_count = json_array_size(fields);
  if (field_count < 1 || field_count > SCR_FIELD_LIMIT) return false;
  for (size_t f = 0; f < field_count; f++) {
    const json_t *from = json_array_get(fields, f);
    scr_field *field = &drawable->fields[f];
    if (!take_text(from, "name", field->name, sizeof field->name) || !take_text(from, "unit", field->unit, sizeof field->unit) ||
        !take_count(from, "components", SCR_COMPONENT_LIMIT, &field->components) ||
        !take_name(from, "encoding", encoding_names, 3, &field->encoding))
      return false;
  }
  drawable->field_count = (uint32_t)field_count;
  return true;
}

/* Recordings from before pieces were declared have them in the points' field "fragment". */
static void take_old_pieces(scr_drawable *drawable)
{
  uint32_t field = drawable->kind == SCR_DRAW_POINTS ? drawable_field(drawable, "fragment") : DRAWABLE_NO_FIELD;
  if (field == DRAWABLE_NO_FIELD || drawable->fields[field].encoding != SCR_ENCODING_UINT32 || drawable->fields[field].components != 1)
    return;
  memcpy(drawable->pieces, drawable->fields[field].name, sizeof drawable->pieces);
}

/* Names and sizes of shapes; the rest comes with the geometry records. */
static bool take_shapes(const json_t *object, scr_topology *topology, size_t d)
{
  scr_drawable *drawable = &topology->drawables[d];
  const json_t *shapes = json_object_get(object, "shapes");
  size_t count = json_array_size(shapes);
  topology->first_shape[d] = topology->shape_count;
  if (drawable->kind != SCR_DRAW_INSTANCES && (drawable->kind != SCR_DRAW_SURFACE || drawable->varying)) return true;
  if (count < 1 || count > SCR_SHAPE_LIMIT ||
      !mem_grow(&topology->shapes, &topology->shape_capacity, topology->shape_count + count, sizeof *topology->shapes))
    return false;
  drawable->shapes = mem_array(count, sizeof *drawable->shapes);
  if (!drawable->shapes) return false;
  drawable->shape_count = (uint32_t)count;
  for (size_t s = 0; s < count; s++) {
    const json_t *from = json_array_get(shapes, s);
    scr_modal_shape *shape = &drawable->shapes[s];
    topology_shape *said = &topology->shapes[topology->shape_count++];
    if (!take_text(from, "name", shape->name, sizeof shape->name) ||
        !take_count(from, "vertex_count", SCR_SHAPE_TRIANGLE_LIMIT, &said->vertex_count) ||
        !take_count(from, "triangle_count", SCR_SHAPE_TRIANGLE_LIMIT, &said->triangle_count) ||
        !take_count(from, "mode_count", SCR_MODE_LIMIT, &shape->mode_count))
      return false;
  }
  return true;
}

static bool take_grid(const json_t *object, scr_grid_shape *grid)
{
  const json_t *from = json_object_get(object, "grid"), *counts = json_object_get(from, "counts");
  if (!take_vector(from, "origin", &grid->origin) || !take_vector(from, "spacing", &grid->spacing) || json_array_size(counts) != 3)
    return false;
  for (size_t axis = 0; axis < 3; axis++) {
    const json_t *value = json_array_get(counts, axis);
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || number > UINT32_MAX) return false;
    grid->counts[axis] = (uint32_t)number;
  }
  return true;
}

/* What only some drawables have. */
static bool take_special(const json_t *object, scr_drawable *drawable)
{
  switch (drawable->kind) {
  case SCR_DRAW_POINTS:
  case SCR_DRAW_THREADS: return take_number(object, "radius", &drawable->radius);
  case SCR_DRAW_PLANES: return take_planes(object, drawable);
  case SCR_DRAW_GRID: return take_grid(object, &drawable->grid);
  case SCR_DRAW_CYLINDERS: return take_cylinders(object, drawable);
  case SCR_DRAW_MESH:
    drawable->changing = json_is_true(json_object_get(object, "changing"));
    return drawable->changing ? take_count(object, "skin_of", list_limit, &drawable->skin_of) : take_bodies(object, drawable);
  default: return true;
  }
}

static bool take_drawable(const json_t *object, scr_topology *topology, size_t d)
{
  static const uint64_t limits[] = {
      0, UINT32_MAX, SCR_PLANE_LIMIT, SCR_CYLINDER_LIMIT, SCR_MESH_LIMIT, UINT32_MAX, SCR_SHAPE_TRIANGLE_LIMIT, 0, SCR_GRID_CELL_LIMIT};
  scr_drawable *drawable = &topology->drawables[d];
  if (!take_name(object, "kind", kind_names + 1, sizeof kind_names / sizeof *kind_names - 1, &drawable->kind)) return false;
  drawable->kind += 1;
  drawable->varying = json_is_true(json_object_get(object, "varying"));
  if (!take_text(object, "name", drawable->name, sizeof drawable->name) ||
      !take_count(object, "element_count", limits[drawable->kind], &drawable->element_count) || !take_fields(object, drawable) ||
      !take_shapes(object, topology, d) || !take_special(object, drawable))
    return false;
  if (json_object_get(object, "pieces")) {
    if (!take_text(object, "pieces", drawable->pieces, sizeof drawable->pieces)) return false;
  } else {
    take_old_pieces(drawable);
  }
  return drawable_check_declared(drawable, NULL) == SCR_OK;
}

static bool take_series(const json_t *object, scr_series *series)
{
  return take_text(object, "name", series->name, sizeof series->name) && take_text(object, "unit", series->unit, sizeof series->unit) &&
         take_text(object, "label", series->label, sizeof series->label);
}

static bool take_plot(const json_t *object, topology_plot *plot)
{
  uint32_t average = 0;
  bool good = take_text(object, "x", plot->x, sizeof plot->x) && take_text(object, "y", plot->y, sizeof plot->y) &&
              take_text(object, "title", plot->title, sizeof plot->title) && take_number(object, "scale", &plot->scale) &&
              (!json_object_get(object, "unit") || take_text(object, "unit", plot->unit, sizeof plot->unit)) &&
              take_count(object, "moving_average", UINT32_MAX, &average) && average >= 1;
  plot->moving_average = average;
  return good;
}

/* Allocates the lists by their lengths, which are bounded by the text's. */
static bool allocate(scr_topology *topology, const json_t *root)
{
  topology->drawable_count = json_array_size(json_object_get(root, "drawables"));
  topology->series_count = json_array_size(json_object_get(root, "series"));
  topology->plot_count = json_array_size(json_object_get(root, "plots"));
  topology->table_count = json_array_size(json_object_get(root, "tables"));
  topology->drawables = calloc(topology->drawable_count + 1, sizeof *topology->drawables);
  topology->first_shape = calloc(topology->drawable_count + 1, sizeof *topology->first_shape);
  topology->series = calloc(topology->series_count + 1, sizeof *topology->series);
  topology->plots = calloc(topology->plot_count + 1, sizeof *topology->plots);
  topology->tables = calloc(topology->table_count + 1, sizeof *topology->tables);
  return topology->drawables && topology->first_shape && topology->series && topology->plots && topology->tables;
}

static bool take_lists(scr_topology *topology, const json_t *root)
{
  const json_t *bounds = json_object_get(root, "bounds");
  if (!take_vector(bounds, "minimum", &topology->minimum) || !take_vector(bounds, "maximum", &topology->maximum)) return false;
  for (size_t i = 0; i < topology->drawable_count; i++) {
    const scr_drawable *drawable = &topology->drawables[i];
    if (!take_drawable(json_array_get(json_object_get(root, "drawables"), i), topology, i)) return false;
    if (drawable->changing && (drawable->skin_of >= i || topology->drawables[drawable->skin_of].kind != SCR_DRAW_POINTS)) return false;
  }
  for (size_t i = 0; i < topology->series_count; i++)
    if (!take_series(json_array_get(json_object_get(root, "series"), i), &topology->series[i])) return false;
  for (size_t i = 0; i < topology->plot_count; i++)
    if (!take_plot(json_array_get(json_object_get(root, "plots"), i), &topology->plots[i])) return false;
  for (size_t i = 0; i < topology->table_count; i++)
    if (!table_take(json_array_get(json_object_get(root, "tables"), i), &topology->tables[i])) return false;
  return stages_take(json_object_get(root, "stages"), topology->stages, &topology->stage_count) &&
         kernels_take(json_object_get(root, "kernels"), topology->kernels, &topology->kernel_count);
}

scr_status topology_parse(const char *text, size_t length, scr_topology *topology, scr_error *error)
{
  *topology = (scr_topology){0};
  json_t *root = NULL;
  scr_status status = length <= text_limit ? json_read(text, length, JSON_REJECT_DUPLICATES, &root, NULL) : SCR_OK;
  if (status == SCR_NO_MEMORY) return scr_fail_memory(error, "a recording's topology", length);
  status = SCR_OK;
  if (!json_is_object(root) || json_array_size(json_object_get(root, "drawables")) > list_limit ||
      json_array_size(json_object_get(root, "series")) > list_limit || json_array_size(json_object_get(root, "plots")) > list_limit ||
      json_array_size(json_object_get(root, "tables")) > TABLE_LIMIT)
    status = scr_fail(error, SCR_BAD_FILE, NULL,
                      "the recording's topology is not a JSON object with at most %d drawables, series and plots and %d tables", list_limit,
                      TABLE_LIMIT);
  else if (!allocate(topology, root))
    status = scr_fail_memory(error, "a recording's topology", length);
  else if (!take_lists(topology, root))
    status = scr_fail(error, SCR_BAD_FILE, NULL,
                      "the recording's topology lacks a value or has one of the wrong type (see core/record/FORMAT.md)");
  json_decref(root);
  if (status != SCR_OK) topology_clear(topology);
  return status;
}

scr_status topology_read(scr_recording *recording, scr_topology *topology, bool *found, scr_error *error)
{
  *topology = (scr_topology){0};
  uint64_t seq = scr_recording_next(recording, 0, 1u << SCR_RECORD_TOPOLOGY);
  *found = seq != 0;
  if (!seq) return SCR_OK;
  void *record = NULL;
  const void *payload = NULL;
  size_t size = 0;
  SCR_TRY(recording_payload(recording, seq, &record, &payload, &size, error));
  scr_status status = topology_parse(payload, size, topology, error);
  free(record);
  return status;
}

void topology_clear(scr_topology *topology)
{
  for (size_t d = 0; topology->drawables && d < topology->drawable_count; d++) drawable_clear(&topology->drawables[d]);
  for (size_t t = 0; topology->tables && t < topology->table_count; t++) table_clear(&topology->tables[t]);
  mem_free(topology->shapes);
  free(topology->first_shape);
  free(topology->tables);
  free(topology->drawables);
  free(topology->series);
  free(topology->plots);
  *topology = (scr_topology){0};
}

long series_find(const scr_series *series, size_t count, const char *name)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(series[i].name, name) == 0) return (long)i;
  return -1;
}
