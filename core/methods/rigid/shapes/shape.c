/* From a scene's shape to pieces about the centre of mass, with mass and moments. */
#include "methods/rigid/shapes/shape.h"

#include "base/memory.h"
#include "scene/shape/shape.h"
#include "sim/rig/part_touch.h"

/* ── about the centre of mass ───────────────────────────────────────────────────────────────────────────────────── */

static double least_width(const geo_piece *piece)
{
  if (piece->kind == GEO_PIECE_HULL) return piece->hull.width;
  if (piece->kind == GEO_PIECE_MESH) {
    geo_box box = geo_mesh_tree_box(piece->tree);
    scr_vec3 edge = vec3_sub(box.high, box.low);
    return fmin(edge.x, fmin(edge.y, edge.z));
  }
  return piece->kind == GEO_PIECE_CYLINDER ? 2 * fmin(piece->radius, piece->half_length) : 2 * piece->radius;
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
  const scr_shape_form *form = shape_entry(from->kind);
  if (!form->pieces) return scr_fail(error, SCR_BAD_SCENE, NULL, "this shape is not a rigid solid: use another");
  scr_moments moments = form->moments(from);
  size_t count = form->piece_count ? form->piece_count(from) : 1;
  shape->unit = scr_mass_of(&moments, moments.volume);
  SCR_TRY(mem_allocate(&shape->pieces, count, sizeof *shape->pieces, "pieces of a shape", error));
  shape->piece_count = count;
  SCR_TRY(form->pieces(from, shape->pieces, error));
  centre_pieces(shape);
  return picture ? form->picture(from, &shape->picture, error) : SCR_OK;
}

/* ── parts ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The part's mass is in axes that it has at t = 0, so the piece's turn stays what it is there. */
scr_status rigid_shape_of_part(const scr_part *part, rigid_shape *shape, scr_error *error)
{
  SCR_TRY(mem_allocate(&shape->pieces, 1, sizeof *shape->pieces, "the shape of a part", error));
  shape->piece_count = 1;
  shape->unit = part->mass;
  SCR_TRY(part_piece(part, &shape->pieces[0], error));
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
    bytes += (piece->sample ? GEO_PIECE_SAMPLE_LIMIT * 24.0 : 0) +
             200.0 * (double)(piece->hull.corner_count + piece->hull.edge_count + piece->hull.face_count);
  }
  return bytes;
}
