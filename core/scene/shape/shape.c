/* The table of shapes. */
#include "scene/shape/shape.h"

#include <math.h>

#include "geometry/hexes/blocks.h"
#include "scene/layout/layout.h"

#define DECLARE(kind, name) extern const scr_shape_form shape_form_##name;
SCR_SHAPES(DECLARE)

#define ENTRY(kind, name) [SCR_SHAPE_##kind] = &shape_form_##name,
static const scr_shape_form *const forms[] = {SCR_SHAPES(ENTRY)};

#define VARIANT(kind, name) [SCR_SHAPE_##kind] = {#name, &shape_form_##name.section},
static const section_variant variants[] = {SCR_SHAPES(VARIANT)}, piece_variants[] = {SCR_PIECE_SHAPES(VARIANT)};

const section shape_section = {.title = "Shape",
                               .help = "the shape of one grain",
                               .variants = variants,
                               .variant_count = COUNT(variants),
                               .tag_offset = offsetof(scr_shape, kind),
                               .choice = CHOICE_SHAPE,
                               .default_variant = -1};
const section piece_shape_section = {.title = "Piece's shape",
                                     .help = "the shape of one piece",
                                     .variants = piece_variants,
                                     .variant_count = COUNT(piece_variants),
                                     .tag_offset = offsetof(scr_shape, kind),
                                     .default_variant = -1};

const scr_shape_form *shape_entry(scr_shape_kind kind)
{
  return forms[(unsigned)kind < SCR_SHAPE_COUNT ? kind : SCR_SHAPE_SPHERE];
}

bool shape_is_full_ball(const scr_shape *shape)
{
  return forms[shape->kind]->ball && !(shape->inner_radius > 0);
}

bool shape_is_mesh(const scr_shape *shape)
{
  return shape->kind == SCR_SHAPE_MESH;
}

void shape_set_mesh(scr_shape *shape, struct scr_mesh *mesh)
{
  shape->kind = SCR_SHAPE_MESH;
  shape->mesh.mesh = mesh;
}

scr_shape shape_for_methods(const scr_shape *shape)
{
  scr_shape seen = *shape;
  if (forms[shape->kind]->source != SHAPE_AS_GIVEN) seen.kind = SCR_SHAPE_MESH;
  return seen;
}

bool shape_is_taken(scr_shape_kind kind, unsigned kinds, unsigned as)
{
  if (forms[kind]->source != SHAPE_AS_GIVEN) kind = SCR_SHAPE_MESH;
  const scr_shape_form *form = forms[kind];
  unsigned has = (form->fill ? SCR_SHAPES_THAT_FILL : 0) | (form->hexes ? SCR_SHAPES_OF_HEXES : 0) |
                 (form->shell ? SCR_SHAPES_WITH_SHELL : 0) | (form->pieces ? SCR_SHAPES_OF_PIECES : 0);
  return (kinds == 0 && as == 0) || (kinds >> kind & 1u) || (has & as);
}

geo_solid scr_shape_solid(const scr_shape *shape)
{
  const scr_shape_form *form = forms[shape->kind];
  return form->fill ? form->fill(shape) : (geo_solid){.kind = GEO_SOLID_SPHERE, .radius = shape->radius};
}

double scr_shape_volume(const scr_shape *shape)
{
  return forms[shape->kind]->volume(shape);
}

static uint32_t limited(double count)
{
  return (uint32_t)fmin(count, GEO_HEXES_CELL_LIMIT);
}

shape_division shape_divide(const scr_shape *shape, double spacing, const double given[3])
{
  shape_cells cells = {.n = {1, 1, 1}, .spacing = NAN};
  forms[shape->kind]->divide(shape, spacing, given, &cells);
  shape_division d = {.spacing = cells.spacing, .hexes = cells.hexes, .nodes = cells.nodes};
  for (int k = 0; k < 3; k++) d.cells[k] = limited(cells.n[k]);
  for (int k = 0; k < 2; k++) d.slot[k] = limited(cells.slot[k]);
  return d;
}

scr_status shape_hexes(const scr_shape *shape, const shape_division *division, geo_hexes *mesh, scr_error *error)
{
  return forms[shape->kind]->hexes(shape, division, mesh, error);
}
