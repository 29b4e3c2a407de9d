/* From a scene's shape to pieces about the centre of mass, with mass and moments. */
#include "methods/rigid/shapes/shape.h"

#include <string.h>

#include "base/memory.h"
#include "geometry/mesh/mesh_shapes.h"
#include "methods/rigid/shapes/picture.h"
#include "scene/mesh_source.h"

enum { SAMPLE_LIMIT = 20000 }; /* points of a mesh that contacts are looked for at */

/* ── pieces in the scene's axes ─────────────────────────────────────────────────────────────────────────────────── */

static void set_extent(geo_piece *piece, double extent)
{
  piece->middle = piece->place;
  piece->extent = extent;
}

static scr_status make_box(scr_vec3 low, scr_vec3 high, geo_piece *piece, scr_error *error)
{
  geo_mesh mesh = {0};
  bool convex = false;
  scr_vec3 half = vec3_scale(vec3_sub(high, low), 0.5);
  scr_status status = geo_mesh_add_box(&mesh, half, error);
  if (status == SCR_OK) status = geo_hull_create(&mesh, &piece->hull, &convex, error);
  geo_mesh_clear(&mesh);
  piece->kind = GEO_PIECE_HULL;
  piece->place = vec3_scale(vec3_add(low, high), 0.5);
  set_extent(piece, vec3_length(half));
  return status;
}

/* Points on sides longer than `spacing`, and within triangles larger than it, besides the corners: none is farther from one than about
 * that. */
static scr_status add_samples(const geo_mesh *mesh, double spacing, scr_vec3 *sample, size_t *count)
{
  *count = 0;
  for (size_t v = 0; v < mesh->vertex_count && *count < SAMPLE_LIMIT; v++) sample[(*count)++] = mesh->vertex[v];
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    scr_vec3 a = mesh->vertex[mesh->triangle[t][0]], b = mesh->vertex[mesh->triangle[t][1]], c = mesh->vertex[mesh->triangle[t][2]];
    double longest = fmax(vec3_length(vec3_sub(b, a)), fmax(vec3_length(vec3_sub(c, b)), vec3_length(vec3_sub(a, c))));
    int cuts = (int)fmin(ceil(longest / spacing), 64);
    for (int i = 0; i <= cuts; i++)
      for (int j = 0; i + j <= cuts; j++) {
        int k = cuts - i - j;
        bool corner = i == cuts || j == cuts || k == cuts;
        bool shared = (i == 0 && mesh->triangle[t][1] > mesh->triangle[t][2]) || (j == 0 && mesh->triangle[t][2] > mesh->triangle[t][0]) ||
                      (k == 0 && mesh->triangle[t][0] > mesh->triangle[t][1]); /* the side is the other triangle's to sample */
        if (corner || shared || *count >= SAMPLE_LIMIT) continue;
        scr_vec3 p = vec3_add(vec3_scale(a, (double)i / cuts), vec3_add(vec3_scale(b, (double)j / cuts), vec3_scale(c, (double)k / cuts)));
        sample[(*count)++] = p;
      }
  }
  return SCR_OK;
}

static scr_status make_mesh(const geo_mesh *mesh, const geo_mesh_tree *tree, geo_piece *piece, scr_error *error)
{
  bool convex = false;
  double extent = 0, area = 0;
  SCR_TRY(geo_hull_create(mesh, &piece->hull, &convex, error));
  for (size_t v = 0; v < mesh->vertex_count; v++) extent = fmax(extent, vec3_length(mesh->vertex[v]));
  set_extent(piece, extent);
  piece->kind = convex ? GEO_PIECE_HULL : GEO_PIECE_MESH;
  if (convex) return SCR_OK;
  for (size_t t = 0; t < mesh->triangle_count; t++) area += 0.5 * vec3_length(geo_mesh_area_normal(mesh, t));
  piece->tree = tree;
  SCR_TRY(mem_allocate(&piece->sample, SAMPLE_LIMIT, sizeof *piece->sample, "points of a mesh", error));
  return add_samples(mesh, sqrt(area / 1000), piece->sample, &piece->sample_count);
}

static scr_status make_simple(const scr_shape *shape, geo_piece *piece, scr_error *error)
{
  *piece = (geo_piece){.turn = quat_identity(), .radius = shape->radius, .half_length = 0.5 * shape->length};
  switch (shape->kind) {
  case SCR_SHAPE_SPHERE:
  case SCR_SHAPE_HOLLOW_SPHERE:
    piece->kind = GEO_PIECE_BALL;
    piece->half_length = 0;
    set_extent(piece, shape->radius);
    return SCR_OK;
  case SCR_SHAPE_CAPSULE:
    piece->kind = GEO_PIECE_CAPSULE;
    set_extent(piece, shape->radius + piece->half_length);
    return SCR_OK;
  case SCR_SHAPE_CYLINDER:
    piece->kind = GEO_PIECE_CYLINDER;
    set_extent(piece, hypot(shape->radius, piece->half_length));
    return SCR_OK;
  case SCR_SHAPE_BOX: return make_box(vec3_scale(shape->size, -0.5), vec3_scale(shape->size, 0.5), piece, error);
  case SCR_SHAPE_MESH: return make_mesh(&shape->mesh.mesh->surface, shape->mesh.mesh->tree, piece, error);
  case SCR_SHAPE_NOTCHED_BOX:
  case SCR_SHAPE_WEAVE:
  case SCR_SHAPE_ARCH:
  case SCR_SHAPE_COMPOUND: break;
  }
  return scr_fail(error, SCR_BAD_SCENE, NULL, "this shape is no single rigid solid: use another");
}

/* The block above the notch and those beside it. */
static scr_status make_notched(const scr_shape *s, rigid_shape *shape, scr_error *error)
{
  scr_vec3 h = vec3_scale(s->size, 0.5);
  double top = s->notch_depth - h.z, side = 0.5 * s->notch_width;
  for (int k = 0; k < 3; k++) shape->pieces[k] = (geo_piece){.turn = quat_identity()};
  SCR_TRY(make_box(vec3(-h.x, -h.y, top), h, &shape->pieces[0], error));
  SCR_TRY(make_box(vec3(-h.x, -h.y, -h.z), vec3(-side, h.y, top), &shape->pieces[1], error));
  return make_box(vec3(side, -h.y, -h.z), vec3(h.x, h.y, top), &shape->pieces[2], error);
}

static scr_quat turn_of(const scr_rotation *rotation)
{
  return quat_exp(vec3_scale(rotation->axis, rotation->angle_deg * (M_PI / 180) / vec3_length(rotation->axis)));
}

static scr_status make_pieces(const scr_shape *from, rigid_shape *shape, scr_error *error)
{
  size_t count = from->kind == SCR_SHAPE_COMPOUND ? from->piece_count : from->kind == SCR_SHAPE_NOTCHED_BOX ? 3 : 1;
  SCR_TRY(mem_allocate(&shape->pieces, count, sizeof *shape->pieces, "pieces of a shape", error));
  shape->piece_count = count;
  if (from->kind == SCR_SHAPE_NOTCHED_BOX) return make_notched(from, shape, error);
  if (from->kind != SCR_SHAPE_COMPOUND) return make_simple(from, &shape->pieces[0], error);
  for (size_t k = 0; k < count; k++) {
    geo_piece *piece = &shape->pieces[k];
    SCR_TRY(make_simple(&from->pieces[k].shape, piece, error));
    piece->turn = turn_of(&from->pieces[k].rotation);
    piece->place = piece->middle = from->pieces[k].position;
  }
  return SCR_OK;
}

/* ── mass ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A rod between two half balls: each half ball's centre of mass lies 3/8 r from its flat side. */
static scr_moments capsule_moments(double r, double length)
{
  scr_moments sum = scr_moments_of_cylinder(r, length), ball = scr_moments_of_ball(r), half = ball;
  double offset = 0.375 * r;
  half.volume = 0.5 * ball.volume;
  for (int a = 0; a < 3; a++) half.second[a][a] = 0.5 * ball.second[a][a];
  half.second[2][2] -= half.volume * offset * offset;
  for (int side = -1; side <= 1; side += 2) {
    half.centre = vec3(0, 0, side * (0.5 * length + offset));
    scr_moments_add(&sum, &half, 1);
  }
  return sum;
}

static scr_moments simple_moments(const scr_shape *shape)
{
  scr_moments m = scr_moments_of_ball(shape->radius), inner = scr_moments_of_ball(shape->inner_radius);
  scr_moments notch = scr_moments_of_box(vec3(shape->notch_width, shape->size.y, shape->notch_depth));
  switch (shape->kind) {
  case SCR_SHAPE_HOLLOW_SPHERE: scr_moments_add(&m, &inner, -1); return m;
  case SCR_SHAPE_BOX: return scr_moments_of_box(shape->size);
  case SCR_SHAPE_CYLINDER: return scr_moments_of_cylinder(shape->radius, shape->length);
  case SCR_SHAPE_CAPSULE: return capsule_moments(shape->radius, shape->length);
  case SCR_SHAPE_MESH: return scr_moments_of_mesh(&shape->mesh.mesh->surface);
  case SCR_SHAPE_NOTCHED_BOX:
    m = scr_moments_of_box(shape->size);
    notch.centre.z = 0.5 * (shape->notch_depth - shape->size.z);
    scr_moments_add(&m, &notch, -1);
    return m;
  case SCR_SHAPE_SPHERE:
  case SCR_SHAPE_WEAVE:
  case SCR_SHAPE_ARCH:
  case SCR_SHAPE_COMPOUND: break;
  }
  return m;
}

static scr_moments shape_moments(const scr_shape *shape)
{
  if (shape->kind != SCR_SHAPE_COMPOUND) return simple_moments(shape);
  scr_moments sum = {0};
  for (size_t k = 0; k < shape->piece_count; k++) {
    const scr_shape_piece *piece = &shape->pieces[k];
    scr_moments own = simple_moments(&piece->shape), placed = scr_moments_placed(&own, turn_of(&piece->rotation), piece->position);
    if (k == 0)
      sum = placed;
    else
      scr_moments_add(&sum, &placed, 1);
  }
  return sum;
}

/* ── about the centre of mass ───────────────────────────────────────────────────────────────────────────────────── */

static double least_width(const geo_piece *piece)
{
  if (piece->kind != GEO_PIECE_HULL) {
    if (piece->kind == GEO_PIECE_MESH) {
      geo_box box = geo_mesh_tree_box(piece->tree);
      scr_vec3 edge = vec3_sub(box.high, box.low);
      return fmin(edge.x, fmin(edge.y, edge.z));
    }
    return piece->kind == GEO_PIECE_CYLINDER ? 2 * fmin(piece->radius, piece->half_length) : 2 * piece->radius;
  }
  double least = INFINITY;
  for (size_t f = 0; f < piece->hull.face_count; f++) {
    double deepest = 0;
    for (size_t v = 0; v < piece->hull.corner_count; v++)
      deepest = fmax(deepest, piece->hull.offset[f] - vec3_dot(piece->hull.normal[f], piece->hull.corner[v]));
    least = fmin(least, deepest);
  }
  return least;
}

/* Moves pieces from the scene's axes to the body's. */
static void centre_pieces(rigid_shape *shape)
{
  scr_quat back = quat_conjugate(shape->unit.axes);
  shape->thickness = INFINITY;
  for (size_t k = 0; k < shape->piece_count; k++) {
    geo_piece *piece = &shape->pieces[k];
    piece->place = quat_rotate(back, vec3_sub(piece->place, shape->unit.centre));
    piece->middle = quat_rotate(back, vec3_sub(piece->middle, shape->unit.centre));
    piece->turn = quat_multiply(back, piece->turn);
    shape->extent = fmax(shape->extent, vec3_length(piece->middle) + piece->extent);
    shape->thickness = fmin(shape->thickness, least_width(piece));
  }
}

scr_status rigid_shape_create(const scr_shape *from, bool picture, rigid_shape *shape, scr_error *error)
{
  scr_moments moments = shape_moments(from);
  shape->unit = scr_mass_of(&moments, moments.volume);
  SCR_TRY(make_pieces(from, shape, error));
  centre_pieces(shape);
  return picture ? rigid_picture(from, &shape->picture, error) : SCR_OK;
}

/* ── parts ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status rigid_piece_of_part(const scr_part *part, geo_piece *piece, scr_error *error)
{
  *piece = (geo_piece){.turn = part->solid.rotation, .radius = part->radius, .half_length = part->half_length};
  switch (part->solid.kind) {
  case GEO_PLACED_SPHERE:
    piece->kind = GEO_PIECE_BALL;
    set_extent(piece, part->radius);
    return SCR_OK;
  case GEO_PLACED_CYLINDER:
    piece->kind = GEO_PIECE_CYLINDER;
    set_extent(piece, part->extent);
    return SCR_OK;
  case GEO_PLACED_BOX: return make_box(vec3_scale(part->solid.half_size, -1), part->solid.half_size, piece, error);
  case GEO_PLACED_MESH: return make_mesh(part->surface, part->solid.mesh, piece, error);
  case GEO_PLACED_PLANE: break;
  }
  return scr_fail(error, SCR_BAD_SCENE, part->pointer, "%s is no solid that contacts are found with", part->name);
}

/* The part's mass is in axes that it has at t = 0, so the piece's turn stays what it is there. */
scr_status rigid_shape_of_part(const scr_part *part, rigid_shape *shape, scr_error *error)
{
  SCR_TRY(mem_allocate(&shape->pieces, 1, sizeof *shape->pieces, "the shape of a part", error));
  shape->piece_count = 1;
  shape->unit = part->mass;
  SCR_TRY(rigid_piece_of_part(part, &shape->pieces[0], error));
  centre_pieces(shape);
  return SCR_OK;
}

void rigid_shape_clear(rigid_shape *shape)
{
  for (size_t k = 0; k < shape->piece_count; k++) geo_piece_clear(&shape->pieces[k]);
  mem_free(shape->pieces);
  geo_mesh_clear(&shape->picture);
  *shape = (rigid_shape){0};
}

double rigid_shape_bytes(const rigid_shape *shape)
{
  double bytes = (double)shape->piece_count * sizeof *shape->pieces + (double)shape->picture.vertex_count * 2 * sizeof(scr_vec3) +
                 (double)shape->picture.triangle_count * 2 * 16;
  for (size_t k = 0; k < shape->piece_count; k++) {
    const geo_piece *piece = &shape->pieces[k];
    bytes += (piece->sample ? SAMPLE_LIMIT * 24.0 : 0) +
             200.0 * (double)(piece->hull.corner_count + piece->hull.edge_count + piece->hull.face_count);
  }
  return bytes;
}
