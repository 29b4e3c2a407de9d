/* Several solids joined to one rigid body. */
#include "geometry/mesh/mesh_shapes.h"
#include "scene/shape/keys.h"

static const scr_param piece_params[] = {
    {"position", SCR_PARAM_VECTOR, 0, "m", 0, -LENGTH_MAX, LENGTH_MAX, NULL, "centre of the piece from the compound's origin",
     offsetof(scr_shape_piece, position)},
};
static const section_member piece_members[] = {
    {"shape", MEMBER_OBJECT, true, .section = &piece_shape_section, .offset = offsetof(scr_shape_piece, shape),
     .help = "the shape of the piece"},
    {"rotation", MEMBER_OBJECT, false, .section = &rotation_section, .offset = offsetof(scr_shape_piece, rotation),
     .help = "how the piece is turned about its centre"},
};
static const section piece_section = {
    .title = "Piece", .help = "one of the solids that a compound is joined from", PARAMS(piece_params), MEMBERS(piece_members)};
static const section_member members[] = {
    {"pieces", MEMBER_LIST, true, .section = &piece_section, LIST(scr_shape, pieces, piece_count), .element_size = sizeof(scr_shape_piece),
     .minimum_count = 1, .maximum_count = 256, .help = "the solids it is joined from; they should not overlap, or count twice in its mass"},
};

static scr_quat turn_of(const scr_rotation *rotation)
{
  return quat_exp(vec3_scale(rotation->axis, rotation->angle_deg * (M_PI / 180) / vec3_length(rotation->axis)));
}

static const scr_shape_form *form_of(const scr_shape_piece *piece)
{
  return shape_entry(piece->shape.kind);
}

/* Farthest that a piece reaches from the origin, about. */
static double reach(const scr_shape *shape)
{
  double reach = 0;
  for (const scr_shape_piece *piece = shape->pieces; piece < shape->pieces + shape->piece_count; piece++)
    reach = fmax(reach, vec3_length(piece->position) + form_of(piece)->reach(&piece->shape));
  return reach;
}

/* The same at most. */
static scr_vec3 half_extents(const scr_shape *shape, double resolution)
{
  double extent = 0;
  (void)resolution;
  for (const scr_shape_piece *piece = shape->pieces; piece < shape->pieces + shape->piece_count; piece++)
    extent = fmax(extent, vec3_length(piece->position) + form_of(piece)->extent(&piece->shape));
  return vec3(extent, extent, extent);
}

static double volume(const scr_shape *shape)
{
  double volume = 0;
  for (size_t k = 0; k < shape->piece_count; k++) volume += scr_shape_volume(&shape->pieces[k].shape);
  return volume;
}

static size_t piece_count(const scr_shape *shape)
{
  return shape->piece_count;
}

static scr_status pieces(const scr_shape *shape, geo_piece *pieces, scr_error *error)
{
  for (size_t k = 0; k < shape->piece_count; k++) {
    SCR_TRY(form_of(&shape->pieces[k])->pieces(&shape->pieces[k].shape, &pieces[k], error));
    pieces[k].turn = turn_of(&shape->pieces[k].rotation);
    pieces[k].place = pieces[k].middle = shape->pieces[k].position;
  }
  return SCR_OK;
}

static scr_moments moments(const scr_shape *shape)
{
  scr_moments sum = {0};
  for (size_t k = 0; k < shape->piece_count; k++) {
    const scr_shape_piece *piece = &shape->pieces[k];
    scr_moments own = form_of(piece)->moments(&piece->shape), placed = scr_moments_placed(&own, turn_of(&piece->rotation), piece->position);
    if (k == 0)
      sum = placed;
    else
      scr_moments_add(&sum, &placed, 1);
  }
  return sum;
}

static scr_status picture(const scr_shape *shape, geo_mesh *mesh, scr_error *error)
{
  for (size_t k = 0; k < shape->piece_count; k++) {
    const scr_shape_piece *piece = &shape->pieces[k];
    geo_mesh own = {0};
    scr_status status = form_of(piece)->picture(&piece->shape, &own, error);
    if (status == SCR_OK) status = geo_mesh_append(&own, turn_of(&piece->rotation), piece->position, mesh, error);
    geo_mesh_clear(&own);
    SCR_TRY(status);
  }
  return SCR_OK;
}

const scr_shape_form shape_form_compound = {
    .section = {.title = "Compound", .help = "several solids joined to one rigid body", MEMBERS(members)},
    .reach = reach,
    .half_extents = half_extents,
    .fits_turned = true,
    .volume = volume,
    .piece_count = piece_count,
    .pieces = pieces,
    .moments = moments,
    .picture = picture};
