/* From a shape's few numbers, or an image, to the mesh that methods get. */
#include "scene/grains/generated.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/memory.h"
#include "base/quat.h"
#include "geometry/image/image_read.h"
#include "geometry/points/points.h"
#include "geometry/shapes/form.h"
#include "scene/mesh_source.h"
#include "scene/problem.h"
#include "scene/shape/shape.h"

/* Bounds on what a scene may have made: what its check takes in time and memory. */
enum { POINTER_BYTES = 128, VARIANT_LIMIT = 4096, IMAGE_VOXEL_LIMIT = 1 << 25, CLOUD_LIMIT = 32 };

/* What is being made, where its problems go. */
typedef struct maker {
  scene_document *document;
  size_t index;     /* of the specimen */
  char place[64];   /* its shape's pointer */
  size_t triangles; /* made so far */
  size_t voxels;    /* read so far */
  size_t clouds;    /* of points */
  double change;    /* of the volume of an image's grain by its smoothing, the largest so far */
  uint32_t changed; /* which label that is */
  scr_problems *problems, *warnings;
} maker;

bool generated_is(const scr_shape *shape)
{
  return shape_entry(shape->kind)->source != SHAPE_AS_GIVEN;
}

static scr_status refuse(const maker *m, const char *key, double given, const char *allowed, const char *message)
{
  char pointer[POINTER_BYTES];
  snprintf(pointer, sizeof pointer, "%s%s", m->place, key);
  return problem_add_at(m->problems, pointer, given, allowed, "%s", message);
}

/* ── shapes of few numbers ──────────────────────────────────────────────────────────────────────────────────────── */

static scr_status make_simple(maker *m, scr_shape *shape)
{
  geo_mesh surface = {0};
  scr_error error = {0};
  const scr_shape_form *form = shape_entry(shape->kind);
  scr_status status = form->generate(shape, m->document->seed, &surface, &error);
  if (status == SCR_BAD_USAGE) /* at the key that the shape's table can't judge alone */
    status = refuse(m, form->doubtful_key ? form->doubtful_key : "", NAN, "what its help says", error.message);
  else if (status == SCR_OK)
    status = mesh_source_adopt(&surface, m->place, &m->triangles, &shape->mesh.mesh, m->problems);
  geo_mesh_clear(&surface);
  return status;
}

/* ── images ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The surface of one label in metres, about its centroid, which is told. */
static scr_status make_label(maker *m, const geo_image *image, const geo_image_label *label, const scr_generated_shape *made,
                             struct scr_mesh **mesh, scr_vec3 *centroid)
{
  geo_mesh surface = {0};
  scr_error error = {0};
  *mesh = NULL;
  double change = 0;
  scr_status status = geo_image_surface(image, label, made->smoothing, made->keep_volume, &surface, &change, &error);
  if (fabs(change) > fabs(m->change)) m->change = change, m->changed = label->label;
  if (status == SCR_OK) {
    scr_vec3 middle = shape_moments_of(&surface).centroid;
    for (size_t v = 0; v < surface.vertex_count; v++) surface.vertex[v] = vec3_scale(vec3_sub(surface.vertex[v], middle), made->scale);
    *centroid = vec3_scale(middle, made->scale);
    status = mesh_source_adopt(&surface, m->place, &m->triangles, mesh, m->problems);
  } else if (status == SCR_BAD_FILE) {
    status = refuse(m, "/smoothing", made->smoothing, "a number that leaves something of every grain", error.message);
  }
  geo_mesh_clear(&surface);
  return status;
}

static scr_status warn(const maker *m, const geo_image_label *label)
{
  if (label->pieces > 1)
    SCR_TRY(problem_add_at(m->warnings, m->place, label->label, "labels in one piece",
                           "label %u lies in %u pieces, of which the largest has %.3g %% of its voxels: that one is taken alone; give "
                           "pieces labels of their own",
                           label->label, label->pieces, 100.0 * (double)label->largest / (double)label->voxels));
  if (label->at_rim)
    SCR_TRY(problem_add_at(m->warnings, m->place, label->label, "grains that the image shows whole",
                           "label %u reaches the rim of the image, so it may have been cut off there: leave it out, or crop between grains",
                           label->label));
  return SCR_OK;
}

static scr_status make_one(maker *m, scr_shape *shape, const geo_image *image, const geo_image_label *labels, size_t count)
{
  scr_vec3 centroid;
  char message[160];
  for (size_t k = 0; k < count; k++) {
    if (labels[k].label != shape->made.label) continue;
    SCR_TRY(warn(m, &labels[k]));
    return make_label(m, image, &labels[k], &shape->made, &shape->mesh.mesh, &centroid);
  }
  snprintf(message, sizeof message, "the image has no label %lld: it has %zu labels from %u to %u", (long long)shape->made.label, count,
           count > 0 ? labels[0].label : 0, count > 0 ? labels[count - 1].label : 0);
  return refuse(m, "/label", (double)shape->made.label, "a label of the image", message);
}

/* The key that the image is given by. */
static const char *image_key(const scr_generated_shape *made)
{
  return made->file.index >= 0 ? "/file" : "/text";
}

static scr_status make_all(maker *m, const geo_image *image, const geo_image_label *labels, size_t count)
{
  scene_specimen *specimen = &m->document->specimens[m->index];
  char message[160];
  if (specimen->placement.kind != SCENE_PLACEMENT_SINGLE && specimen->placement.kind != SCENE_PLACEMENT_PACKED)
    return refuse(m, "/label", NAN, "a label, or a single or packed placement",
                  "all grains of an image lie where it has them or are packed, so they can't be placed otherwise: give one label, or a "
                  "single or packed placement");
  if (count > VARIANT_LIMIT) {
    snprintf(message, sizeof message, "the image has %zu grains; at most %d of an image can be taken at once: crop it", count,
             VARIANT_LIMIT);
    return refuse(m, image_key(&specimen->shape.made), NAN, "an image with fewer grains", message);
  }
  specimen->variants = calloc(count, sizeof *specimen->variants);
  if (!specimen->variants) return SCR_NO_MEMORY;
  specimen->variant_count = count;
  scr_vec3 axis = specimen->rotation.axis; /* NaN while automatic: then z */
  if (isnan(axis.x) || vec3_length(axis) <= 0) axis = vec3(0, 0, 1);
  axis = vec3_scale(axis, 1 / vec3_length(axis));
  double angle = specimen->rotation.angle_deg * (3.14159265358979323846 / 180);
  scr_quat turn = quat_exp(vec3_scale(axis, angle));
  size_t before = m->problems->count;
  for (size_t k = 0; k < count && m->problems->count == before && !m->problems->truncated; k++) {
    scene_variant *variant = &specimen->variants[k];
    scr_vec3 centroid = vec3(0, 0, 0);
    *variant = (scene_variant){.shape = specimen->shape, .axis = axis, .angle = angle, .position_count = 1};
    shape_set_mesh(&variant->shape, NULL);
    variant->positions = mem_array(1, sizeof *variant->positions);
    if (!variant->positions) return SCR_NO_MEMORY;
    SCR_TRY(warn(m, &labels[k]));
    SCR_TRY(make_label(m, image, &labels[k], &specimen->shape.made, &variant->shape.mesh.mesh, &centroid));
    variant->positions[0] = vec3_add(specimen->placement.position, quat_rotate(turn, centroid));
  }
  return SCR_OK;
}

/* Smoothing draws round surfaces in: by three squares of the deviation over the radius. */
static scr_status warn_of_change(const maker *m, const scr_generated_shape *made)
{
  const double most = 0.005;
  char pointer[POINTER_BYTES];
  if (!(fabs(m->change) > most)) return SCR_OK;
  snprintf(pointer, sizeof pointer, "%s/keep_volume", m->place);
  return problem_add_at(m->warnings, pointer, made->keep_volume, "grains whose volume smoothing changes by less than 0.5 %",
                        "the surface of label %u encloses %.3g %% %s than its voxels have, the most of all grains taken: %s", m->changed,
                        100 * fabs(m->change), m->change < 0 ? "less" : "more",
                        made->keep_volume ? "smooth less" : "use keep_volume, or smooth less");
}

static scr_status read_text(const char *text, size_t capacity, geo_image *image, scr_error *error)
{
  size_t length = strlen(text), read = 0;
  unsigned char *bytes = mem_array(length, 1);
  if (!bytes) return scr_fail_memory(error, "the file of an image", length);
  size_t size = base64_decode(text, length, bytes, length, &read);
  scr_status status =
      read == length
          ? geo_image_read(bytes, size, capacity, image, error)
          : scr_fail(
                error, SCR_BAD_FILE, NULL,
                "character %zu of the image's text is not base64: give the bytes of an NRRD or MetaImage file, as base64 FILE prints them",
                read + 1);
  mem_free(bytes);
  return status;
}

static bool has_text(const scr_generated_shape *made)
{
  return made->text && made->text[0];
}

static scr_status read_image(const maker *m, const scr_generated_shape *made, geo_image *image, scr_error *error)
{
  size_t capacity = IMAGE_VOXEL_LIMIT - m->voxels;
  if (has_text(made)) return read_text(made->text, capacity, image, error);
  const scr_asset *file = &m->document->assets.items[made->file.index];
  return geo_image_read(file->bytes, file->size, capacity, image, error);
}

static scr_status make_image(maker *m, scr_shape *shape)
{
  geo_image image = {0};
  geo_image_label *labels = NULL;
  size_t count = 0;
  m->change = 0;
  scr_error error = {0};
  if (has_text(&shape->made) == (shape->made.file.index >= 0))
    return refuse(m, "/file", NAN, "file or text",
                  has_text(&shape->made) ? "the image is given twice, by a file and by text: leave one of them out"
                                         : "the image is missing: give a file, or the text of one in base64");
  scr_status status = read_image(m, &shape->made, &image, &error);
  if (status == SCR_OK) m->voxels += (size_t)image.count[0] * image.count[1] * image.count[2];
  if (status == SCR_OK) status = geo_image_labels(&image, &labels, &count, &error);
  if (status == SCR_BAD_FILE)
    status = refuse(m, image_key(&shape->made), NAN, "a voxel image with a label per grain", error.message);
  else if (status == SCR_OK)
    status = shape->made.label >= 0 ? make_one(m, shape, &image, labels, count) : make_all(m, &image, labels, count);
  if (status == SCR_OK) status = warn_of_change(m, &shape->made);
  mem_free(labels);
  geo_image_clear(&image);
  return status;
}

/* ── points ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Where the cloud had no points: the surface is closed there by what is around. */
static scr_status report_holes(const maker *m, const geo_points_hole *holes, size_t count, double scale)
{
  char pointer[POINTER_BYTES];
  snprintf(pointer, sizeof pointer, "%s/file", m->place);
  for (size_t k = 0; k < count; k++)
    SCR_TRY(problem_add_at(
        m->warnings, pointer, NAN, "points all around the body",
        "the cloud has a hole near (%.6g, %.6g, %.6g) in the file's unit: no point within %.4g m of there; the surface was closed over it",
        holes[k].at.x, holes[k].at.y, holes[k].at.z, holes[k].radius * scale));
  return SCR_OK;
}

static scr_status take_points(maker *m, scr_shape *shape, geo_mesh *surface, const geo_points_hole *holes, size_t count)
{
  scr_vec3 middle = shape_moments_of(surface).centroid;
  double reach = 0;
  for (size_t v = 0; v < surface->vertex_count; v++) {
    surface->vertex[v] = vec3_sub(surface->vertex[v], middle);
    reach = fmax(reach, vec3_length(surface->vertex[v]));
  }
  double scale = isnan(shape->made.scale) ? shape->radius / reach : shape->made.scale;
  for (size_t v = 0; v < surface->vertex_count; v++) surface->vertex[v] = vec3_scale(surface->vertex[v], scale);
  SCR_TRY(report_holes(m, holes, count, scale));
  return mesh_source_adopt(surface, m->place, &m->triangles, &shape->mesh.mesh, m->problems);
}

static scr_status make_points(maker *m, scr_shape *shape)
{
  geo_points points = {0};
  geo_mesh surface = {0};
  geo_points_hole holes[GEO_POINTS_HOLE_LIMIT];
  size_t count = 0;
  scr_error error = {0};
  const scr_asset *file = &m->document->assets.items[shape->made.file.index];
  if (isnan(shape->made.scale) == isnan(shape->radius))
    return refuse(m, "/scale", shape->made.scale, "scale or radius",
                  "the size of the body is given by scale or by radius: give only one of them");
  if (m->clouds++ == CLOUD_LIMIT)
    return refuse(m, "/file", NAN, "at most 32 clouds of points in a scene",
                  "a scene takes at most 32 clouds of points: give further bodies as meshes");
  scr_status status = geo_points_read(file->bytes, file->size, &points, &error);
  if (status == SCR_OK) status = geo_points_thin(&points, (size_t)shape->made.points, &error);
  if (status == SCR_OK) status = geo_points_normals(&points, &error);
  if (status == SCR_OK) status = geo_points_surface(&points, (unsigned)shape->made.cells, &surface, holes, &count, &error);
  if (status == SCR_BAD_FILE)
    status = refuse(m, "/file", NAN, "points on the surface of one body", error.message);
  else if (status == SCR_OK)
    status = take_points(m, shape, &surface, holes, count);
  geo_mesh_clear(&surface);
  geo_points_clear(&points);
  return status;
}

/* ── all specimens ──────────────────────────────────────────────────────────────────────────────────────────────── */

scr_status generated_shapes(scene_document *document, size_t first, scr_problems *problems, scr_problems *warnings)
{
  maker m = {.document = document, .problems = problems, .warnings = warnings};
  for (size_t i = 0; i < document->specimen_count; i++) {
    scr_shape *shape = &document->specimens[i].shape;
    if (!generated_is(shape)) continue;
    m.index = i;
    snprintf(m.place, sizeof m.place, "/specimens/%zu/shape", i);
    if (problems->truncated || problems_below(problems, first, m.place) || m.triangles > SCENE_MADE_TRIANGLE_LIMIT ||
        m.clouds > CLOUD_LIMIT)
      continue;
    bool image = shape_entry(shape->kind)->source == SHAPE_BY_IMAGE, points = shape_entry(shape->kind)->source == SHAPE_BY_POINTS;
    if (points && shape->made.file.index < 0) continue; /* told */
    SCR_TRY(image ? make_image(&m, shape) : points ? make_points(&m, shape) : make_simple(&m, shape));
  }
  return SCR_OK;
}

void generated_release(scene_specimen *specimen)
{
  for (size_t k = 0; k < specimen->variant_count; k++) {
    mesh_solid_destroy(specimen->variants[k].shape.mesh.mesh);
    mem_free(specimen->variants[k].positions);
  }
  free(specimen->variants);
  specimen->variants = NULL;
  specimen->variant_count = 0;
}
