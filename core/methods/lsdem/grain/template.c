/* From a scene's shape to nodes, areas, a level set, mass and modes. */
#include "methods/lsdem/grain/template.h"

#include "base/memory.h"
#include "geometry/level_set/shell.h"
#include "geometry/mesh/mesh_distance.h"
#include "geometry/solid.h"
#include "linalg/symmetric_eigen.h"
#include "methods/lsdem/grain/modes_of_shape.h"
#include "methods/lsdem/scene/thickness.h"
#include "scene/mesh_source.h"
#include "sim/view/shape.h"

/* ── the surface ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* How far the surface of a capsule about z is in a direction: of its mantle, or of the ball at its end. */
static double capsule_radius(const void *user, scr_vec3 direction)
{
  const scr_shape *shape = user;
  double across = sqrt(direction.x * direction.x + direction.y * direction.y), half = 0.5 * shape->length, r = shape->radius;
  if (across > 0 && fabs(direction.z) * r <= half * across) return r / across;
  double along = half * fabs(direction.z); /* t^2 - 2 t along + half^2 = r^2 */
  return along + sqrt(along * along - half * half + r * r);
}

static scr_status make_surface(geo_mesh *mesh, const lsdem_recipe *recipe, scr_error *error)
{
  const scr_shape *shape = recipe->shape;
  double spacing = recipe->spacing;
  if (recipe->is_pebble) return shell_make_star(mesh, pebble_radius, &recipe->form, recipe->form.reach, spacing, error);
  switch (shape->kind) {
  case SCR_SHAPE_SPHERE:
  case SCR_SHAPE_HOLLOW_SPHERE: return shell_make_ball(mesh, shape->radius, spacing, error);
  case SCR_SHAPE_BOX: return shell_make_box(mesh, vec3_scale(shape->size, 0.5), spacing, error);
  case SCR_SHAPE_CYLINDER: return shell_make_cylinder(mesh, shape->radius, 0.5 * shape->length, spacing, error);
  case SCR_SHAPE_CAPSULE: return shell_make_star(mesh, capsule_radius, shape, shape->radius + 0.5 * shape->length, spacing, error);
  case SCR_SHAPE_MESH: return shell_refine(&shape->mesh.mesh->surface, spacing, mesh, error);
  case SCR_SHAPE_NOTCHED_BOX:
  case SCR_SHAPE_COMPOUND:
  case SCR_SHAPE_ARCH:
  case SCR_SHAPE_WEAVE: break;
  }
  return scr_fail(error, SCR_BAD_SCENE, NULL, "grains of this method have no such shape");
}

/* Area and volume of the shape itself; of a mesh those of its triangles. NaN: as the triangles say. */
static double exact_area(const lsdem_recipe *recipe)
{
  const scr_shape *shape = recipe->shape;
  if (recipe->is_pebble) return NAN;
  double r = shape->radius;
  scr_vec3 s = shape->size;
  switch (shape->kind) {
  case SCR_SHAPE_SPHERE:
  case SCR_SHAPE_HOLLOW_SPHERE: return 4 * M_PI * r * r;
  case SCR_SHAPE_BOX: return 2 * (s.x * s.y + s.y * s.z + s.z * s.x);
  case SCR_SHAPE_CYLINDER: return 2 * M_PI * r * (r + shape->length);
  case SCR_SHAPE_CAPSULE: return 2 * M_PI * r * (2 * r + shape->length);
  case SCR_SHAPE_MESH:
  case SCR_SHAPE_NOTCHED_BOX:
  case SCR_SHAPE_COMPOUND:
  case SCR_SHAPE_ARCH:
  case SCR_SHAPE_WEAVE: break;
  }
  return NAN;
}

/* Volume and integral of r r^T of the shape; where there is a formula, by it. The void of a hollow sphere has no mass. */
static void measure_solid(const lsdem_recipe *recipe, const geo_mesh *surface, shell_solid *solid)
{
  const scr_shape *shape = recipe->shape;
  double r = shape->radius, inner = shape->kind == SCR_SHAPE_HOLLOW_SPHERE ? shape->inner_radius : 0;
  scr_vec3 s = shape->size, mean;
  if (recipe->is_pebble) {
    pebble_measure(&recipe->form, solid);
    return;
  }
  *solid = shell_solid_of(surface);
  switch (shape->kind) {
  case SCR_SHAPE_SPHERE:
  case SCR_SHAPE_HOLLOW_SPHERE: {
    double fifth = 4.0 / 15.0 * M_PI * (pow(r, 5) - pow(inner, 5));
    solid->volume = 4.0 / 3.0 * M_PI * (pow(r, 3) - pow(inner, 3));
    mean = vec3_scale(vec3(fifth, fifth, fifth), 1 / solid->volume);
    break;
  }
  case SCR_SHAPE_BOX:
    solid->volume = s.x * s.y * s.z;
    mean = vec3(s.x * s.x / 12, s.y * s.y / 12, s.z * s.z / 12);
    break;
  case SCR_SHAPE_CYLINDER:
    solid->volume = M_PI * r * r * shape->length;
    mean = vec3(r * r / 4, r * r / 4, shape->length * shape->length / 12);
    break;
  default: return;
  }
  *solid = (shell_solid){.volume = solid->volume};
  solid->second[0][0] = solid->volume * mean.x, solid->second[1][1] = solid->volume * mean.y, solid->second[2][2] = solid->volume * mean.z;
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

/* A solid in the scene's coordinates, asked in the grain's own. */
typedef struct own_solid {
  geo_placed_solid solid;
  scr_vec3 centroid;
  scr_quat axes;
  const scr_shape *capsule; /* NULL: it is none */
  geo_mesh_tree *pebble;    /* a pebble's surface in its own coordinates; NULL: it is none */
} own_solid;

static double own_distance(const void *user, scr_vec3 point)
{
  const own_solid *own = user;
  if (own->pebble) return geo_mesh_nearest(own->pebble, point).distance;
  scr_vec3 at = vec3_add(own->centroid, quat_rotate(own->axes, point));
  if (!own->capsule) return geo_placed_distance(&own->solid, at);
  double above = fmax(fabs(at.z) - 0.5 * own->capsule->length, 0);
  return sqrt(at.x * at.x + at.y * at.y + above * above) - own->capsule->radius;
}

static geo_placed_solid placed_of(const scr_shape *shape)
{
  geo_placed_solid solid = {.kind = GEO_PLACED_SPHERE, .rotation = quat_identity(), .radius = shape->radius};
  if (shape->kind == SCR_SHAPE_BOX) {
    solid.kind = GEO_PLACED_BOX;
    solid.half_size = vec3_scale(shape->size, 0.5);
  } else if (shape->kind == SCR_SHAPE_CYLINDER) {
    solid.kind = GEO_PLACED_CYLINDER;
    solid.half_height = 0.5 * shape->length;
  } else if (shape->kind == SCR_SHAPE_MESH) {
    solid.kind = GEO_PLACED_MESH;
    solid.mesh = shape->mesh.mesh->tree;
  }
  return solid;
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
  own_solid own = {placed_of(recipe->shape), grain->centroid, grain->axes, recipe->shape->kind == SCR_SHAPE_CAPSULE ? recipe->shape : NULL,
                   NULL};
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
  if (recipe->shape->kind == SCR_SHAPE_MESH) {
    double thin = lsdem_mesh_thickness(&recipe->shape->mesh.mesh->surface, recipe->shape->mesh.mesh->tree);
    if (thin < 2 * recipe->grid * (1 - 1e-9))
      return scr_fail(error, SCR_BAD_SCENE, NULL,
                      "a part of the grain is a fin of %.4g m, which its level set of %.4g m between points does not see as a body: others "
                      "would pass it; use grid_spacing at most %.4g m, or a shape without it",
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
  geo_box box = {vec3_scale(shape->size, -0.5), vec3_scale(shape->size, 0.5)};
  double area = exact_area(recipe), r = recipe->is_pebble ? recipe->form.reach : shape->radius,
         half = shape->kind == SCR_SHAPE_CYLINDER ? 0.5 * shape->length : r;
  if (recipe->is_pebble) area = 4 * M_PI * r * r;
  if (shape->kind == SCR_SHAPE_CAPSULE) half = r + 0.5 * shape->length;
  if (shape->kind == SCR_SHAPE_CAPSULE) half = r + 0.5 * shape->length;
  if (shape->kind != SCR_SHAPE_BOX) box = (geo_box){vec3(-r, -r, -half), vec3(r, r, half)};
  *nodes = 0;
  if (shape->kind == SCR_SHAPE_MESH) {
    geo_mesh_measures measures = {0};
    const struct scr_mesh *mesh = shape->mesh.mesh;
    if (geo_mesh_measure(&mesh->surface, &measures, NULL) == SCR_OK) area = measures.area;
    *nodes = (double)mesh->surface.vertex_count;
    scr_vec3 size = vec3_sub(mesh->box.high, mesh->box.low); /* its own axes may lie otherwise: the box may grow to its diagonal */
    double diagonal = 0.5 * vec3_length(size);
    box = (geo_box){vec3(-diagonal, -diagonal, -diagonal), vec3(diagonal, diagonal, diagonal)};
  }
  *nodes += (shape->kind == SCR_SHAPE_MESH ? 2 : 1) * shell_expected(area, recipe->spacing);
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
  grain->enclosed = recipe->shape->kind == SCR_SHAPE_HOLLOW_SPHERE ? 4.0 / 3.0 * M_PI * pow(recipe->shape->radius, 3) : solid.volume;
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
