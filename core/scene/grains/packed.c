/* From a shape and a container to the variants of a specimen: forms, sizes, turns, places. */
#include "scene/grains/packed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/quat.h"
#include "geometry/level_set/shell.h"
#include "geometry/packing/pack.h"
#include "scene/grains/generated.h"
#include "scene/mesh_source.h"
#include "scene/problem.h"
#include "scene/shape/shape.h"

enum { POINTER_BYTES = 128, ATTEMPTS = 4, FORM_TRIANGLES = 300000 };

/* A packing asked for by its solid fraction is done when that much of it is reached. */
static const double near_enough = 0.985;

typedef struct packer {
  scene_document *document;
  scene_specimen *specimen;
  char place[64]; /* JSON Pointer to the specimen */
  uint64_t seed;
  size_t form_count, made; /* in use; made room for */
  geo_mesh *own;           /* [form_count] surfaces as methods will have them, full size */
  geo_mesh *turned;        /* [form_count] the same, turned */
  scene_variant *variant;  /* [form_count] shape, axis and angle of each; size in `size` */
  double *size;            /* [form_count] over the shape's own */
  uint32_t *form;          /* [count] */
  scr_vec3 *centre;        /* [count] m */
  size_t count;
  scene_variant *label; /* [label_count] the grains of an image that forms are in turn, or none */
  size_t label_count;
  double fraction; /* of the container that is to be filled; NaN: a count is given */
  geo_pack_result result;
  size_t *triangles; /* of the scene's forms so far */
  size_t adopted;    /* triangles of this line's */
  size_t *grains;    /* packed for the scene so far */
  scr_problems *problems, *warnings;
} packer;

static scr_status refuse(const packer *p, const char *key, const char *allowed, const char *message)
{
  char pointer[POINTER_BYTES];
  snprintf(pointer, sizeof pointer, "%s%s", p->place, key);
  return problem_add_at(p->problems, pointer, NAN, allowed, "%s", message);
}

/* ── is it sound? ───────────────────────────────────────────────────────────────────────────────────────────────── */

static bool can_pack(const scene_specimen *specimen)
{
  const scr_shape *shape = &specimen->shape;
  if (generated_is(shape)) return shape->mesh.mesh != NULL || specimen->variant_count > 0;
  return shape_is_mesh(shape) ? shape->mesh.mesh != NULL : shape_entry(shape->kind)->outline != NULL;
}

/* @return whether to go on */
static bool is_valid(const packer *p, scr_status *status)
{
  const scene_placement *placement = &p->specimen->placement;
  scr_vec3 edge = vec3_sub(placement->maximum, placement->minimum);
  int given = !isnan(placement->solid_fraction) + (placement->number >= 0) + !isnan(placement->fill_height);
  *status = SCR_OK;
  if (given != 1)
    *status =
        refuse(p, "/placement/solid_fraction", "solid_fraction, count or fill_height",
               given > 1 ? "a packing is given by more than one of solid_fraction, count and fill_height: leave all but one out, or null"
                         : "a packing has none of solid_fraction, count and fill_height: give one of them");
  else if (!(edge.x > 0 && edge.y > 0 && edge.z > 0))
    *status = refuse(p, "/placement/maximum", "a corner above `minimum` along every axis, in m",
                     "the container's box has an edge that is 0 or less: exchange minimum and maximum there, or make it larger");
  else if (placement->fill_height > edge.z)
    *status = refuse(p, "/placement/fill_height", "at most the height of the container, in m",
                     "the bed would be higher than the box that grains are packed in: raise `maximum`; a loose packing takes about twice "
                     "the height of the bed at rest");
  else if (!can_pack(p->specimen))
    *status = refuse(p, "/shape/type", "sphere, hollow_sphere, box, cylinder, mesh, superellipsoid, grain, jack, tube, or an image",
                     "grains of this shape can't be packed: place them otherwise, or give the shape as a mesh");
  else if (p->specimen->rotation.angle_deg != 0)
    *status = refuse(p, "/rotation", "no rotation", "packed grains are turned at random: leave the rotation out");
  else
    return true;
  return false;
}

/* ── forms ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* SplitMix64 (Steele, Lea, Flood 2014), as a number in [0, 1). */
static double draw(uint64_t *state)
{
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* An even choice among all turns, as axis and angle (Shoemake, Uniform random rotations, Graphics Gems III, 1992). */
static void draw_turn(uint64_t *state, scene_variant *variant)
{
  double u = draw(state), a = 2 * M_PI * draw(state), b = 2 * M_PI * draw(state);
  double x = sqrt(1 - u) * sin(a), y = sqrt(1 - u) * cos(a), z = sqrt(u) * sin(b), w = sqrt(u) * cos(b);
  double s = sqrt(x * x + y * y + z * z);
  variant->axis = s > 0 ? vec3(x / s, y / s, z / s) : vec3(0, 0, 1);
  variant->angle = 2 * atan2(s, w);
}

/* Size at a share u of the grains, sorted by size. By mass, as much of every size: numbers fall as size^-3. */
static double size_at(const scene_placement *placement, double u)
{
  double least = placement->smallest;
  if (placement->distribution == SCENE_SIZES_BY_NUMBER) return least + (1 - least) * u;
  double square = 1 / (least * least);
  return 1 / sqrt(square - u * (square - 1));
}

/* The surface of form k of a shape; of round ones triangles a little outside of it. */
static scr_status surface_of(const packer *p, const scr_shape *shape, size_t k, geo_mesh *surface, scr_error *error)
{
  const scr_shape_form *form = shape_entry(shape->kind);
  if (form->generate) return form->generate(shape, p->document->seed, surface, error);
  if (form->outline) return form->outline(shape, surface, error);
  const geo_mesh *mesh = p->label_count ? &p->label[k % p->label_count].shape.mesh.mesh->surface : &shape->mesh.mesh->surface;
  for (size_t v = 0; v < mesh->vertex_count; v++) SCR_TRY(geo_mesh_add_vertex(surface, mesh->vertex[v], error));
  for (size_t t = 0; t < mesh->triangle_count; t++) {
    const uint32_t *c = mesh->triangle[t];
    SCR_TRY(geo_mesh_add_triangle(surface, c[0], c[1], c[2], mesh->part[t], error));
  }
  return SCR_OK;
}

static scr_status make_form(packer *p, size_t k, uint64_t *state, scr_error *error)
{
  scene_variant *variant = &p->variant[k];
  variant->shape = p->specimen->shape;
  variant->shape.mesh.mesh = NULL;
  draw_turn(state, variant);
  p->size[k] = size_at(&p->specimen->placement, ((double)k + 0.5) / (double)p->form_count);
  if (p->form_count == 1) p->size[k] = 1;
  scr_shape shape = p->specimen->shape;
  if (shape_entry(shape.kind)->numbered) shape.made.number += (int64_t)k;
  SCR_TRY(surface_of(p, &shape, k, &p->own[k], error));
  *p->triangles += p->own[k].triangle_count;
  if (*p->triangles > FORM_TRIANGLES)
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "the %zu variants have more than %d triangles together: use fewer variants, fewer cuts or a coarser mesh",
                    p->form_count, FORM_TRIANGLES);
  SCR_TRY(shell_refine(&p->own[k], INFINITY, &p->turned[k], error)); /* a copy */
  scr_quat turn = quat_exp(vec3_scale(variant->axis, variant->angle));
  for (size_t v = 0; v < p->own[k].vertex_count; v++) {
    p->own[k].vertex[v] = vec3_scale(p->own[k].vertex[v], p->size[k]);
    p->turned[k].vertex[v] = quat_rotate(turn, p->own[k].vertex[v]);
  }
  return SCR_OK;
}

static scr_status make_forms(packer *p, scr_error *error)
{
  uint64_t state = p->seed;
  p->made = p->form_count;
  p->own = calloc(p->form_count, sizeof *p->own);
  p->turned = calloc(p->form_count, sizeof *p->turned);
  p->variant = calloc(p->form_count, sizeof *p->variant);
  p->size = calloc(p->form_count, sizeof *p->size);
  if (!p->own || !p->turned || !p->variant || !p->size)
    return scr_fail_memory(error, "the forms of a packing", p->form_count * sizeof *p->own);
  for (size_t k = 0; k < p->form_count; k++) SCR_TRY(make_form(p, k, &state, error));
  return SCR_OK;
}

/* ── packing ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static scr_status pack(packer *p, size_t count, scr_error *error)
{
  const scene_placement *placement = &p->specimen->placement;
  if (*p->grains + count > GEO_PACK_GRAIN_LIMIT)
    return scr_fail(error, SCR_BAD_USAGE, NULL,
                    "the scene packs %zu grains up to here; at most %d are possible: use fewer, larger ones or a smaller container",
                    *p->grains + count, GEO_PACK_GRAIN_LIMIT);
  mem_free(p->form);
  mem_free(p->centre);
  p->count = count;
  p->form = mem_array(count, sizeof *p->form);
  p->centre = mem_array(count, sizeof *p->centre);
  if (!p->form || !p->centre || p->form_count == 0) return scr_fail_memory(error, "a packing", count * sizeof *p->centre);
  for (size_t i = 0; i < count; i++) p->form[i] = (uint32_t)(i % p->form_count);
  geo_pack_request request = {.forms = p->turned,
                              .form_count = p->form_count,
                              .form = p->form,
                              .count = count,
                              .minimum = placement->minimum,
                              .maximum = placement->maximum,
                              .round = placement->container == SCENE_CONTAINER_CYLINDER,
                              .gap = placement->gap,
                              .seed = p->seed};
  return geo_pack(&request, p->centre, &p->result, error);
}

/* The share of the container that is to be filled: of a bed, what lies in it at rest. */
static double fraction_of(const scene_placement *placement)
{
  if (isnan(placement->fill_height)) return placement->solid_fraction;
  return placement->settled_fraction * placement->fill_height / (placement->maximum.z - placement->minimum.z);
}

/* How many grains of full size fill that share; more are taken in further attempts for what shrinking takes off. */
static scr_status pack_to_fraction(packer *p, scr_error *error)
{
  const scene_placement *placement = &p->specimen->placement;
  double volume = 0, capacity = geo_pack_volume(placement->minimum, placement->maximum, placement->container == SCENE_CONTAINER_CYLINDER);
  for (size_t k = 0; k < p->form_count; k++) volume += shell_solid_of(&p->own[k]).volume / (double)p->form_count;
  double wanted = fmax(1, round(p->fraction * capacity / volume)), best = 0;
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (wanted > GEO_PACK_GRAIN_LIMIT)
      return scr_fail(
          error, SCR_BAD_USAGE, NULL,
          "a solid fraction of %.3g in the container asks for %.6g grains; at most %d are packed: use larger grains or a smaller container",
          p->fraction, wanted, GEO_PACK_GRAIN_LIMIT);
    scr_status status = pack(p, (size_t)wanted, error);
    if (status == SCR_BAD_USAGE && best > 0) break;
    SCR_TRY(status);
    double reached = p->result.fraction;
    if (reached >= near_enough * p->fraction || 0.5 * volume > (p->fraction - reached) * capacity) return SCR_OK;
    best = fmax(best, reached);
    wanted = ceil(wanted * p->fraction / fmax(reached, 1e-9));
  }
  return scr_fail(error, SCR_BAD_USAGE, NULL,
                  "a solid fraction of %.3g in the container was not reached, only %.3f: use rounder grains, a smaller gap or a larger "
                  "container, or ask for less",
                  p->fraction, best);
}

/* ── variants ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A variant's shape at its final size. */
static scr_status finish_shape(packer *p, size_t k)
{
  scr_shape *shape = &p->variant[k].shape;
  double scale = p->size[k] * p->result.scale;
  shape->radius *= scale;
  shape->inner_radius *= scale;
  shape->length *= scale;
  shape->size = vec3_scale(shape->size, scale);
  if (!generated_is(shape) && !shape_is_mesh(shape)) return SCR_OK;
  char place[96];
  shape_set_mesh(shape, NULL);
  for (size_t v = 0; v < p->own[k].vertex_count; v++) p->own[k].vertex[v] = vec3_scale(p->own[k].vertex[v], p->result.scale);
  snprintf(place, sizeof place, "%s/shape", p->place);
  return mesh_source_adopt(&p->own[k], place, &p->adopted, &shape->mesh.mesh, p->problems);
}

static scr_status make_variants(packer *p)
{
  scene_specimen *specimen = p->specimen;
  specimen->variants = p->variant; /* owned by the specimen from here on */
  specimen->variant_count = p->form_count;
  p->variant = NULL;
  for (size_t k = 0; k < p->form_count; k++) {
    scene_variant *variant = &specimen->variants[k];
    variant->positions = mem_array((p->count + p->form_count - 1) / p->form_count, sizeof *variant->positions);
    if (!variant->positions) return SCR_NO_MEMORY;
    for (size_t i = k; i < p->count; i += p->form_count) variant->positions[variant->position_count++] = p->centre[i];
  }
  p->variant = specimen->variants;
  scr_status status = SCR_OK;
  for (size_t k = 0; k < p->form_count && status == SCR_OK; k++) status = finish_shape(p, k);
  p->variant = NULL;
  return status;
}

/* What came of it: no fault, but nothing to be passed over. */
static scr_status report(const packer *p)
{
  char pointer[POINTER_BYTES];
  snprintf(pointer, sizeof pointer, "%s/placement", p->place);
  if (p->result.scale == 1) return SCR_OK;
  return problem_add_at(p->warnings, pointer, p->result.scale, "grains of full size",
                        "%zu grains were packed to a solid fraction of %.4f, shrunk to %.4f of their size so that none are nearer than "
                        "%.4g m to each other or to "
                        "the container: a larger container or a smaller gap leaves them larger",
                        p->count, p->result.fraction, p->result.scale, p->specimen->placement.gap);
}

/* ── one specimen ───────────────────────────────────────────────────────────────────────────────────────────────── */

static void clear(packer *p)
{
  for (size_t k = 0; k < p->made; k++) {
    if (p->own) geo_mesh_clear(&p->own[k]);
    if (p->turned) geo_mesh_clear(&p->turned[k]);
  }
  free(p->own);
  free(p->turned);
  free(p->variant);
  free(p->size);
  scene_specimen labels = {.variants = p->label, .variant_count = p->label_count};
  generated_release(&labels);
  mem_free(p->form);
  mem_free(p->centre);
}

static scr_status pack_specimen(packer *p)
{
  const scene_placement *placement = &p->specimen->placement;
  scr_error error = {0};
  scr_status status;
  if (!is_valid(p, &status)) return status;
  bool by_count = placement->number >= 0;
  const char *key = by_count ? "/placement/count" : isnan(placement->fill_height) ? "/placement/solid_fraction" : "/placement/fill_height";
  p->fraction = fraction_of(placement);
  p->form_count = (size_t)placement->variants;
  p->label = p->specimen->variants, p->label_count = p->specimen->variant_count;
  p->specimen->variants = NULL, p->specimen->variant_count = 0;
  if (by_count && p->form_count > (size_t)placement->number) p->form_count = (size_t)placement->number;
  status = make_forms(p, &error);
  if (status == SCR_OK) status = by_count ? pack(p, (size_t)placement->number, &error) : pack_to_fraction(p, &error);
  if (status == SCR_BAD_USAGE || status == SCR_BAD_FILE) return refuse(p, key, "what finds room", error.message);
  if (status == SCR_OK && p->count < p->form_count) p->form_count = p->count;
  if (status == SCR_OK) status = make_variants(p);
  return status == SCR_OK ? report(p) : status;
}

scr_status packed_places(scene_document *document, size_t first, scr_problems *problems, scr_problems *warnings)
{
  size_t triangles = 0, grains = 0;
  for (size_t i = 0; i < document->specimen_count; i++) {
    scene_specimen *specimen = &document->specimens[i];
    if (specimen->placement.kind != SCENE_PLACEMENT_PACKED) continue;
    packer p = {
        .document = document, .specimen = specimen, .triangles = &triangles, .grains = &grains, .problems = problems, .warnings = warnings};
    snprintf(p.place, sizeof p.place, "/specimens/%zu", i);
    if (problems->truncated || problems_below(problems, first, p.place)) continue;
    p.seed = (uint64_t)document->seed * 0xD1B54A32D192ED03u + i + 1;
    scr_status status = pack_specimen(&p);
    grains += p.count;
    clear(&p);
    SCR_TRY(status);
  }
  return SCR_OK;
}
