/* From a mesh as the scene says it to a solid, or to everything that is wrong with it. */
#include "scene/mesh_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/hexes/files/hexes_read.h"
#include "geometry/mesh/mesh_crossing.h"
#include "geometry/mesh/files/mesh_read.h"
#include "scene/layout/layout.h"
#include "scene/problem.h"

enum { POINTER_BYTES = 128 };

static const char allowed_surface[] = "a closed surface of triangles, counter-clockwise seen from outside";

/* ── from lists or text to a geo_mesh ───────────────────────────────────────────────────────────────────────────── */

static scr_status copy_lists(const scr_mesh_source *source, geo_mesh *surface)
{
  scr_status status = SCR_OK;
  for (size_t v = 0; v < source->vertex_count && status == SCR_OK; v++) status = geo_mesh_add_vertex(surface, source->vertices[v], NULL);
  for (size_t t = 0; t < source->triangle_count && status == SCR_OK; t++) {
    scr_vec3 corners = source->triangles[t]; /* whole numbers from 0 to 2^32 - 1: the layout says so */
    status = geo_mesh_add_triangle(surface, (uint32_t)corners.x, (uint32_t)corners.y, (uint32_t)corners.z, 0, NULL);
  }
  return status;
}

/* The key that holds a file's content; NULL: it is given by lists. */
static const char *file_key(const scr_mesh_source *source)
{
  return source->file.index >= 0 ? "file" : source->text && source->text[0] ? "text" : NULL;
}

/* Hexahedra, and their surface. */
static scr_status read_hexes(const char *content, size_t size, struct scr_mesh *mesh, scr_error *error)
{
  SCR_TRY(geo_hexes_read(content, size, GEO_HEXES_LIMIT, &mesh->hexes, error));
  SCR_TRY(geo_hexes_check(&mesh->hexes, error));
  return geo_hexes_skin(&mesh->hexes, &mesh->surface, error);
}

static scr_status read_file(const scr_mesh_source *source, const scr_asset *assets, const char *place, struct scr_mesh *mesh,
                            scr_problems *problems)
{
  char pointer[POINTER_BYTES];
  scr_error error = {0};
  const scr_asset *file = source->file.index >= 0 ? &assets[source->file.index] : NULL;
  const char *content = file ? file->bytes : source->text;
  size_t size = file ? file->size : strlen(content);
  scr_status status = geo_hexes_recognise(content, size) ? read_hexes(content, size, mesh, &error)
                                                         : geo_mesh_read(content, size, SCENE_MESH_TRIANGLE_LIMIT, &mesh->surface, &error);
  if (status != SCR_BAD_FILE) return status;
  snprintf(pointer, sizeof pointer, "%s/%s", place, file_key(source));
  return problem_add_at(problems, pointer, NAN, "an STL, PLY or OBJ file, or one of hexahedra: Abaqus .inp, VTK, VTU, Gmsh .msh", "%s",
                        error.message);
}

/* Which of the ways it is given in. @return whether there is anything to go on with */
static bool is_given(const scr_mesh_source *source, const char *place, scr_problems *problems, scr_status *status)
{
  static const char allowed[] = "vertices and triangles, or text, or file";
  bool vertices = source->vertex_count > 0, triangles = source->triangle_count > 0, lists = vertices || triangles;
  bool twice = source->file.index >= 0 && source->text && source->text[0];
  const char *key = file_key(source);
  char pointer[POINTER_BYTES];
  *status = SCR_OK;
  if (key ? !lists && !twice : vertices && triangles) return true;
  if (key) {
    snprintf(pointer, sizeof pointer, "%s/%s", place, key);
    *status = problem_add_at(problems, pointer, NAN, allowed,
                             "the mesh is given twice, by lists, by the text of a file or by a file: leave all but one of them out");
  } else {
    snprintf(pointer, sizeof pointer, "%s%s", place, !lists ? "" : vertices ? "/triangles" : "/vertices");
    *status = problem_add_at(problems, pointer, NAN, allowed, "the mesh has no %s: give both lists, the text of a file, or a file",
                             !lists     ? "vertices and triangles"
                             : vertices ? "triangles"
                                        : "vertices");
  }
  return false;
}

/* ── faults ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct fault_teller {
  const char *place;
  const char *key; /* of a file's content, where numbers of vertices mean nothing: all faults are there; NULL: lists */
  size_t count;
  scr_problems *problems;
  scr_status status;
} fault_teller;

static void point_at(const fault_teller *to, const geo_mesh_fault *fault, char pointer[static POINTER_BYTES])
{
  if (to->key) {
    snprintf(pointer, POINTER_BYTES, "%s/%s", to->place, to->key);
    return;
  }
  switch (fault->place) {
  case GEO_MESH_WHOLE: snprintf(pointer, POINTER_BYTES, "%s/triangles", to->place); break;
  case GEO_MESH_VERTEX: snprintf(pointer, POINTER_BYTES, "%s/vertices/%zu", to->place, fault->number); break;
  case GEO_MESH_TRIANGLE: snprintf(pointer, POINTER_BYTES, "%s/triangles/%zu", to->place, fault->number); break;
  case GEO_MESH_CORNER: snprintf(pointer, POINTER_BYTES, "%s/triangles/%zu/%d", to->place, fault->number, fault->corner); break;
  }
}

static bool report(void *user, const geo_mesh_fault *fault)
{
  fault_teller *to = user;
  char pointer[POINTER_BYTES];
  if (to->count == SCENE_MESH_FAULT_LIMIT) {
    to->status = problem_add_at(to->problems, to->place, NAN, allowed_surface,
                                "the mesh has more faults than the %d that are listed: repair these first", SCENE_MESH_FAULT_LIMIT);
    return false;
  }
  to->count++;
  point_at(to, fault, pointer);
  to->status = problem_add_at(to->problems, pointer, NAN, allowed_surface, "%s", fault->message);
  return to->status == SCR_OK;
}

/* ── the solid ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static double largest(scr_vec3 v)
{
  return fmax(fmax(fabs(v.x), fabs(v.y)), fabs(v.z));
}

/* Adds what is wrong with a scaled surface. @return whether it is sound */
static bool is_valid(const geo_mesh *surface, const scr_mesh_source *source, const char *place, scr_problems *problems, scr_status *status)
{
  fault_teller teller = {.place = place, .key = file_key(source), .problems = problems};
  *status = geo_mesh_find_faults(surface, report, &teller, NULL);
  if (*status == SCR_OK) *status = teller.status;
  if (*status != SCR_OK || teller.count > 0) return false;
  double reach = 0;
  for (size_t v = 0; v < surface->vertex_count; v++) reach = fmax(reach, largest(surface->vertex[v]));
  if (reach <= LENGTH_MAX) return true;
  char pointer[POINTER_BYTES], text[64];
  snprintf(pointer, sizeof pointer, "%s/scale", place);
  snprintf(text, sizeof text, "coordinates up to %g m", LENGTH_MAX);
  *status =
      problem_add_at(problems, pointer, source->scale, text,
                     "a vertex is %.6g m from the origin along an axis; at most %g m is allowed: use a smaller scale", reach, LENGTH_MAX);
  return false;
}

static scr_status count_triangles(const geo_mesh *surface, const char *place, size_t *triangles, bool *few, scr_problems *problems)
{
  *triangles += surface->triangle_count;
  *few = *triangles <= SCENE_MESH_TRIANGLE_LIMIT;
  if (*few) return SCR_OK;
  char allowed[64];
  snprintf(allowed, sizeof allowed, "at most %d triangles in a scene", SCENE_MESH_TRIANGLE_LIMIT);
  return problem_add_at(problems, place, (double)surface->triangle_count, allowed,
                        "the scene's meshes have %zu triangles up to this one, but at most %d are allowed: use coarser meshes", *triangles,
                        SCENE_MESH_TRIANGLE_LIMIT);
}

/* ── crossings ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* What a surface that crosses itself does to whoever asks for distances from it: the sign is the nearest sheet's. */
static scr_status report_crossing(const geo_mesh_crossings *found, const char *pointer, scr_problems *to)
{
  char more[64] = "";
  if (found->count > 1) snprintf(more, sizeof more, ", as do %zu%s other pairs", found->count - 1, found->exhausted ? " or more" : "");
  return problem_add_at(to, pointer, NAN, "a surface that does not cross itself",
                        "triangles %u and %u, counted from 0, pass through each other near (%.6g, %.6g, %.6g) m%s: inside and outside "
                        "can't be told apart there; cut the surface where it crosses and keep its outer parts (the union of solids that "
                        "overlap), or give the parts as meshes of their own",
                        found->a, found->b, found->at.x, found->at.y, found->at.z, more);
}

static scr_status check_crossings(const struct scr_mesh *mesh, const scr_mesh_source *source, const char *place, scr_problems *to,
                                  scr_problems *warnings)
{
  geo_mesh_crossings found;
  char pointer[POINTER_BYTES];
  SCR_TRY(geo_mesh_find_crossings(&mesh->surface, mesh->tree, &found, NULL));
  if (file_key(source))
    snprintf(pointer, sizeof pointer, "%s/%s", place, file_key(source));
  else
    snprintf(pointer, sizeof pointer, "%s/triangles/%u", place, found.a);
  if (found.count > 0) return report_crossing(&found, pointer, to);
  if (!found.exhausted) return SCR_OK;
  return problem_add_at(warnings, place, NAN, "triangles of ordinary shape",
                        "whether the surface crosses itself could not be determined: its triangles are so long and thin that too many "
                        "pairs lie near each other; split long triangles");
}

/* Makes the solid of a surface that was read. */
static scr_status make_solid(scr_mesh_source *source, const char *place, size_t *triangles, struct scr_mesh *mesh, bool *valid,
                             scr_problems *problems)
{
  geo_mesh *surface = &mesh->surface;
  bool few;
  scr_status status;
  SCR_TRY(count_triangles(surface, place, triangles, &few, problems));
  for (size_t v = 0; v < surface->vertex_count; v++) surface->vertex[v] = vec3_scale(surface->vertex[v], source->scale);
  for (size_t n = 0; n < mesh->hexes.node_count; n++)
    for (int k = 0; k < 3; k++) mesh->hexes.node[n][k] *= source->scale;
  *valid = few && is_valid(surface, source, place, problems, &status);
  if (!few) return SCR_OK;
  if (!*valid) return status;
  geo_mesh_measures measures;
  SCR_TRY(geo_mesh_tree_create(surface, &mesh->tree, NULL));
  SCR_TRY(geo_mesh_measure(surface, &measures, NULL));
  mesh->volume = measures.volume;
  mesh->box = geo_mesh_tree_box(mesh->tree);
  return SCR_OK;
}

void mesh_solid_destroy(struct scr_mesh *mesh)
{
  if (!mesh) return;
  geo_mesh_clear(&mesh->surface);
  geo_mesh_tree_destroy(mesh->tree);
  geo_hexes_clear(&mesh->hexes);
  free(mesh);
}

scr_status mesh_source_make(scr_mesh_source *source, const scr_asset *assets, const char *place, size_t *triangles, scr_problems *problems,
                            scr_problems *crossings, scr_problems *warnings)
{
  scr_status status;
  bool valid = false;
  if (!is_given(source, place, problems, &status)) return status;
  struct scr_mesh *mesh = calloc(1, sizeof *mesh);
  if (!mesh) return SCR_NO_MEMORY;
  size_t before = problems->count;
  status = file_key(source) ? read_file(source, assets, place, mesh, problems) : copy_lists(source, &mesh->surface);
  if (status == SCR_OK && problems->count == before && !problems->truncated)
    status = make_solid(source, place, triangles, mesh, &valid, problems);
  if (status == SCR_OK && valid) status = check_crossings(mesh, source, place, crossings, warnings);
  if (status == SCR_OK && valid)
    source->mesh = mesh;
  else
    mesh_solid_destroy(mesh);
  return status;
}

/* What was made is closed by construction; what can go wrong is its size, and triangles of coordinates that rounding takes together. */
scr_status mesh_source_adopt(geo_mesh *surface, const char *place, size_t *triangles, struct scr_mesh **made, scr_problems *problems)
{
  scr_error error = {0};
  geo_mesh_measures measures;
  struct scr_mesh *mesh = calloc(1, sizeof *mesh);
  *made = NULL;
  if (!mesh) return SCR_NO_MEMORY;
  mesh->surface = *surface;
  *surface = (geo_mesh){0};
  *triangles += mesh->surface.triangle_count;
  bool many = *triangles > SCENE_MADE_TRIANGLE_LIMIT;
  if (many)
    scr_fail(
        &error, SCR_BAD_FILE, NULL,
        "the grains made up to this one have %zu triangles, but at most %d are allowed: use fewer cuts, fewer variants or a coarser image",
        *triangles, SCENE_MADE_TRIANGLE_LIMIT);
  scr_status status = many ? SCR_BAD_FILE : geo_mesh_tree_create(&mesh->surface, &mesh->tree, &error);
  if (status == SCR_OK) status = geo_mesh_measure(&mesh->surface, &measures, &error);
  if (status == SCR_OK) {
    mesh->volume = measures.volume;
    mesh->box = geo_mesh_tree_box(mesh->tree);
    *made = mesh;
    return SCR_OK;
  }
  mesh_solid_destroy(mesh);
  return status == SCR_NO_MEMORY ? status : problem_add_at(problems, place, NAN, "a shape that bounds a solid", "%s", error.message);
}

void mesh_source_release(scr_mesh_source *source)
{
  mesh_solid_destroy(source->mesh);
  source->mesh = NULL;
}
