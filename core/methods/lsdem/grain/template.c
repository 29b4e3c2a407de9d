/* From a scene's shape to nodes, areas, a level set, mass and modes. */
#include "methods/lsdem/grain/template.h"

#include "base/memory.h"
#include "geometry/level_set/shell.h"
#include "geometry/mesh/mesh_distance.h"
#include "linalg/symmetric_eigen.h"
#include "methods/lsdem/grain/modes_of_shape.h"
#include "methods/lsdem/scene/thickness.h"
#include "scene/mesh_source.h"
#include "scene/shape/shape.h"

/* ── the surface ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status make_surface(geo_mesh *mesh, const lsdem_recipe *recipe, scr_error *error)
{
  const scr_shape *shape = recipe->shape;
  double spacing = recipe->spacing;
  if (recipe->is_pebble) return shell_make_star(mesh, pebble_radius, &recipe->form, recipe->form.reach, spacing, error);
  const scr_shape_form *form = shape_entry(shape->kind);
  if (!form->shell) return scr_fail(error, SCR_BAD_SCENE, NULL, "grains of this method have no such shape");
  return form->shell(shape, spacing, mesh, error);
}

/* Area and volume of the shape itself; of a mesh those of its triangles. NaN: as the triangles say. */
static double exact_area(const lsdem_recipe *recipe)
{
  const scr_shape_form *form = shape_entry(recipe->shape->kind);
  return recipe->is_pebble || !form->area ? (double)NAN : form->area(recipe->shape);
}

/* Volume and integral of r r^T of the shape; where there is a formula, by it. The void of a hollow sphere has no mass. */
static void measure_solid(const lsdem_recipe *recipe, const geo_mesh *surface, shell_solid *solid)
{
  const scr_shape *shape = recipe->shape;
  const scr_shape_form *form = shape_entry(shape->kind);
  if (recipe->is_pebble) {
    pebble_measure(&recipe->form, solid);
  } else if (form->ball) {
    double r = shape->radius, inner = shape->inner_radius, fifth = 4.0 / 15.0 * M_PI * (pow(r, 5) - pow(inner, 5));
    *solid = (shell_solid){.volume = 4.0 / 3.0 * M_PI * (pow(r, 3) - pow(inner, 3))};
    for (int k = 0; k < 3; k++) solid->second[k][k] = solid->volume * (fifth * (1 / solid->volume));
  } else if (form->fill && !shape_is_mesh(shape)) {
    scr_moments own = form->moments(shape);
    *solid = (shell_solid){.volume = own.volume};
    for (int k = 0; k < 3; k++) solid->second[k][k] = own.second[k][k];
  } else {
    *solid = shell_solid_of(surface);
  }
}

/* ── principal axes ──────────────────────────────────────────────────────────────────────────────────────────────── */

/* Unit quaternion of a rotation given by its columns (Shepperd's choice of the largest term). */
static scr_quat quat_of(scr_vec3 x, scr_vec3 y, scr_vec3 z)
{
  double trace = x.x + y.y + z.z;
  scr_quat q;
  if (trace > 0)
    q = quat(y.z - z.y, z.x - x.z, x.y - y.x, 1 + trace);
  else if (x.x >= y.y && x.x >= z.z)
    q = quat(1 + x.x - y.y - z.z, x.y + y.x, z.x + x.z, y.z - z.y);
  else if (y.y >= z.z)
    q = quat(x.y + y.x, 1 + y.y - x.x - z.z, y.z + z.y, z.x - x.z);
  else
    q = quat(z.x + x.z, y.z + z.y, 1 + z.z - x.x - y.y, x.y - y.x);
  return quat_normalise(q);
}

/* Own axes and moments; x, y, z where they are principal already. */
static void find_axes(lsdem_template *grain, const shell_solid *solid, double density)
{
  double a[9], values[3], rows[9], largest = 0, off = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      a[3 * i + j] = solid->second[i][j];
      largest = fmax(largest, fabs(a[3 * i + j]));
      if (i != j) off = fmax(off, fabs(a[3 * i + j]));
    }
  scr_vec3 second = vec3(a[0], a[4], a[8]);
  grain->axes = quat_identity();
  if (off > 1e-9 * largest) {
    la_symmetric_eigen(3, a, values, rows);
    scr_vec3 x = vec3(rows[0], rows[1], rows[2]), y = vec3(rows[3], rows[4], rows[5]);
    grain->axes = quat_of(x, y, vec3_cross(x, y));
    second = vec3(values[0], values[1], values[2]);
  }
  grain->inertia = vec3_scale(vec3(second.y + second.z, second.z + second.x, second.x + second.y), density);
}

static void into_own_axes(lsdem_template *grain)
{
  scr_quat back = quat_conjugate(grain->axes);
  bool turned = grain->axes.w != 1;
  for (size_t v = 0; v < grain->surface.vertex_count; v++) {
    scr_vec3 p = vec3_sub(grain->surface.vertex[v], grain->centroid);
    grain->surface.vertex[v] = turned ? quat_rotate(back, p) : p;
  }
}

/* ── nodes ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status make_nodes(lsdem_template *grain, const lsdem_recipe *recipe, scr_error *error)
{
  size_t n = grain->node_count = grain->surface.vertex_count;
  shell_node *nodes = mem_array(n, sizeof *nodes);
  grain->area = mem_array(n, sizeof *grain->area);
  grain->normal = mem_array(n, sizeof *grain->normal);
  if (!nodes || !grain->area || !grain->normal) {
    mem_free(nodes);
    return scr_fail_memory(error, "a grain's nodes", n * sizeof *nodes);
  }
  double sum = 0, exact = exact_area(recipe);
  shell_measure(&grain->surface, nodes);
  for (size_t k = 0; k < n; k++) sum += nodes[k].area;
  for (size_t k = 0; k < n; k++) {
    grain->area[k] = nodes[k].area * (isnan(exact) ? 1 : exact / sum);
    grain->normal[k] = nodes[k].normal;
    grain->reach = fmax(grain->reach, vec3_length(grain->surface.vertex[k]));
  }
  mem_free(nodes);
  return SCR_OK;
}

static scr_status make_tiles(lsdem_template *grain, scr_error *error)
{
  size_t n = grain->node_count, count = (n + LSDEM_TILE_NODES - 1) / LSDEM_TILE_NODES;
  SCR_TRY(mem_allocate(&grain->tiles, count, sizeof *grain->tiles, "a grain's tiles", error));
  grain->tile_count = count;
  for (size_t t = 0; t < count; t++) {
    size_t first = t * LSDEM_TILE_NODES, last = first + LSDEM_TILE_NODES < n ? first + LSDEM_TILE_NODES : n;
    geo_box box = geo_box_empty();
    for (size_t k = first; k < last; k++) box = geo_box_join(box, (geo_box){grain->surface.vertex[k], grain->surface.vertex[k]});
    lsdem_tile *tile = &grain->tiles[t];
    tile->centre = vec3_scale(vec3_add(box.low, box.high), 0.5);
    for (size_t k = first; k < last; k++) tile->radius = fmax(tile->radius, vec3_length(vec3_sub(grain->surface.vertex[k], tile->centre)));
  }
  return SCR_OK;
}

/* The largest area of nodes within half a grid spacing of a plane that touches the grain, over the directions to its own nodes' normals (a
 * few hundred of them) and along its axes. Contacts are meant to be thinner than that. */
static double contact_area(const lsdem_template *grain, double depth)
{
  size_t stride = 1 + grain->node_count / 200;
  double largest = 0;
  for (size_t n = 0; n < grain->node_count + 6 * stride; n += stride) {
    scr_vec3 along;
    if (n < grain->node_count) {
      along = grain->normal[n];
    } else {
      size_t axis = (n - grain->node_count) / stride;
      double sign = axis < 3 ? 1 : -1;
      along = vec3(axis % 3 == 0 ? sign : 0, axis % 3 == 1 ? sign : 0, axis % 3 == 2 ? sign : 0);
    }
    double top = -INFINITY, sum = 0;
    for (size_t k = 0; k < grain->node_count; k++) top = fmax(top, vec3_dot(along, grain->surface.vertex[k]));
    for (size_t k = 0; k < grain->node_count; k++)
      if (vec3_dot(along, grain->surface.vertex[k]) > top - depth) sum += grain->area[k];
    largest = fmax(largest, sum);
  }
  return largest;
}

/* ── the level set ───────────────────────────────────────────────────────────────────────────────────────────────── */

/* A shape in the scene's coordinates, whose distance is asked for in the grain's own. */
typedef struct own_shape {
  const scr_shape *shape;
  scr_vec3 centroid;
  scr_quat axes;
  geo_mesh_tree *pebble; /* a pebble's surface in its own coordinates; NULL: it is none */
} own_shape;

static double own_distance(const void *user, scr_vec3 point)
{
  const own_shape *own = user;
  if (own->pebble) return geo_mesh_nearest(own->pebble, point).distance;
  return shape_entry(own->shape->kind)->distance(own->shape, vec3_add(own->centroid, quat_rotate(own->axes, point)));
}

/* A pebble's surface in its own coordinates, finer than its nodes: between facets as large as these, the distance would have kinks that
 * cost energy. */
static scr_status make_smooth(const lsdem_template *grain, const lsdem_recipe *recipe, geo_mesh_tree **tree, scr_error *error)
{
  geo_mesh fine = {0};
  scr_status status =
      shell_make_star(&fine, pebble_radius, &recipe->form, recipe->form.reach, 0.6 * fmin(recipe->spacing, recipe->grid), error);
  for (size_t v = 0; v < fine.vertex_count; v++)
    fine.vertex[v] = quat_rotate(quat_conjugate(grain->axes), vec3_sub(fine.vertex[v], grain->centroid));
  if (status == SCR_OK) status = geo_mesh_tree_create(&fine, tree, error);
  geo_mesh_clear(&fine);
  return status;
}

static scr_status sample_field(lsdem_template *grain, const lsdem_recipe *recipe, scr_execution execution, scr_error *error)
{
  own_shape own = {recipe->shape, grain->centroid, grain->axes, NULL};
  geo_box box = geo_box_empty();
  for (size_t k = 0; k < grain->node_count; k++) box = geo_box_join(box, (geo_box){grain->surface.vertex[k], grain->surface.vertex[k]});
  SCR_TRY(level_set_create(&grain->field, &box, recipe->grid, 2 * recipe->grid + recipe->amplitude, error));
  if (recipe->is_pebble) SCR_TRY(make_smooth(grain, recipe, &own.pebble, error));
  level_set_sample(&grain->field, own_distance, &own, execution);
  geo_mesh_tree_destroy(own.pebble);
  return SCR_OK;
}

/* Where phi >= |x| - r at the points of the grid, it is so between them, as |x| is convex and trilinear weights are positive. Samples that
 * are less than the distance, such as unbiased ones, would otherwise press from a moment on when balls of nodes meet, at once and deep. */
static double field_reach(const lsdem_template *grain)
{
  const level_set *field = &grain->field;
  double reach = grain->reach;
  for (size_t i = 0; i < field->count[0]; i++)
    for (size_t j = 0; j < field->count[1]; j++)
      for (size_t k = 0; k < field->count[2]; k++) {
        double value = (double)field->value[(i * field->count[1] + j) * field->count[2] + k];
        reach = fmax(reach, vec3_length(level_set_point(field, i, j, k)) - value);
      }
  return reach;
}

static scr_status make_field(lsdem_template *grain, const lsdem_recipe *recipe, scr_execution execution, scr_error *error)
{
  SCR_TRY(sample_field(grain, recipe, execution, error));
  level_set_quality quality = level_set_measure(&grain->field);
  grain->depth = quality.depth;
  if (!quality.bounded || 2 * quality.depth < 3 * recipe->grid * (1 - 1e-9))
    return scr_fail(error, SCR_BAD_SCENE, NULL,
                    "a grid spacing of %.4g m is more than a third of the grain's thickness of about %.4g m, which its level set can't "
                    "resolve: use grid_spacing at most %.4g m",
                    recipe->grid, 2 * quality.depth, 2 * quality.depth / 3);
  if (shape_is_mesh(recipe->shape)) {
    double thin = lsdem_mesh_thickness(&recipe->shape->mesh.mesh->surface, recipe->shape->mesh.mesh->tree);
    if (thin < 2 * recipe->grid * (1 - 1e-9))
      return scr_fail(error, SCR_BAD_SCENE, NULL,
                      "a part of the grain is a fin of %.4g m, which its level set of %.4g m between points does not resolve: others would "
                      "pass through it; use grid_spacing at most %.4g m, or a shape without it",
                      thin, recipe->grid, thin / 2);
  }
  if (recipe->unbiased) SCR_TRY(level_set_unbias(&grain->field, error));
  grain->field_reach = field_reach(grain);
  return SCR_OK;
}

/* ── all of it ───────────────────────────────────────────────────────────────────────────────────────────────────── */

void lsdem_template_expected(const lsdem_recipe *recipe, double *nodes, double *points)
{
  const scr_shape *shape = recipe->shape;
  bool mesh_given = shape_is_mesh(shape);
  double area = exact_area(recipe), r = recipe->form.reach;
  scr_vec3 half = recipe->is_pebble ? vec3(r, r, r) : shape_entry(shape->kind)->half_extents(shape, NAN);
  geo_box box = {vec3_scale(half, -1), half};
  if (recipe->is_pebble) area = 4 * M_PI * r * r;
  *nodes = 0;
  if (mesh_given) {
    geo_mesh_measures measures = {0};
    const struct scr_mesh *mesh = shape->mesh.mesh;
    if (geo_mesh_measure(&mesh->surface, &measures, NULL) == SCR_OK) area = measures.area;
    *nodes = (double)mesh->surface.vertex_count;
    scr_vec3 size = vec3_sub(mesh->box.high, mesh->box.low); /* its own axes may lie otherwise: the box may grow to its diagonal */
    double diagonal = 0.5 * vec3_length(size);
    box = (geo_box){vec3(-diagonal, -diagonal, -diagonal), vec3(diagonal, diagonal, diagonal)};
  }
  *nodes += (mesh_given ? 2 : 1) * shell_expected(area, recipe->spacing);
  *points = level_set_points(&box, recipe->grid, 2 * recipe->grid + recipe->amplitude);
}

double lsdem_template_bytes(double nodes, double points, size_t modes)
{
  const double surface = 2 * (24 + 4) + 4 * (12 + 4), node = 8 + 24 + 3, picture = 24 + 24;
  return sizeof(lsdem_template) + nodes * (surface + node + picture + (double)modes * 48) + 8 * points;
}

scr_status lsdem_template_make(lsdem_template *grain, const lsdem_recipe *recipe, scr_execution execution, scr_error *error)
{
  shell_solid solid;
  SCR_TRY(make_surface(&grain->surface, recipe, error));
  measure_solid(recipe, &grain->surface, &solid);
  grain->volume = solid.volume;
  grain->enclosed = shape_entry(recipe->shape->kind)->ball && recipe->shape->inner_radius > 0
                        ? 4.0 / 3.0 * M_PI * pow(recipe->shape->radius, 3)
                        : solid.volume;
  grain->mass = recipe->density * solid.volume;
  grain->centroid = solid.centroid;
  find_axes(grain, &solid, recipe->density);
  into_own_axes(grain);
  SCR_TRY(shell_sort(&grain->surface, error));
  SCR_TRY(make_nodes(grain, recipe, error));
  SCR_TRY(make_tiles(grain, error));
  SCR_TRY(make_field(grain, recipe, execution, error));
  grain->contact_area = contact_area(grain, 0.5 * recipe->grid);
  return lsdem_modes_make(grain, recipe, error);
}

void lsdem_template_clear(lsdem_template *grain)
{
  geo_mesh_clear(&grain->surface);
  mem_free(grain->area);
  mem_free(grain->normal);
  mem_free(grain->tiles);
  mem_free(grain->mode_at_node);
  mem_free(grain->mode_at_tile);
  mem_free(grain->samples);
  mem_free(grain->mode_grid);
  level_set_clear(&grain->field);
  *grain = (lsdem_template){0};
}
