/* Lists of meshes. */
#include "methods/fem/coarsen/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/hexes/blocks.h"
#include "scene/mesh_source.h"
#include "scene/shape/shape.h"

char *fem_plan_name(const fem_specimen *mesh, char text[48])
{
  if (isnan(mesh->divisions.x))
    snprintf(text, 48, "spacing %.4g m", mesh->spacing);
  else
    snprintf(text, 48, "%.0fx%.0fx%.0f", mesh->divisions.x, mesh->divisions.y, mesh->divisions.z);
  return text;
}

/* Puts a mesh in its place by numbers of elements; one of as many elements as another is left out. @return whether there was room */
static bool insert(fem_plan *plan, const scr_shape *shape, const fem_specimen *mesh)
{
  double hexes = fem_divide(shape, mesh).hexes;
  size_t at = 0;
  while (at < plan->count && plan->hexes[at] < hexes) at++;
  if (at < plan->count && plan->hexes[at] == hexes) return true;
  if (plan->count == FEM_PLAN_LIMIT) return false;
  for (size_t k = plan->count; k > at; k--) plan->mesh[k] = plan->mesh[k - 1], plan->hexes[k] = plan->hexes[k - 1];
  plan->mesh[at] = *mesh;
  plan->hexes[at] = hexes;
  plan->count++;
  return true;
}

static scr_status refuse(const char *word, const char *why, scr_error *error)
{
  return scr_fail(error, SCR_BAD_SCENE, NULL,
                  "\"%.40s\" %s: meshes are divisions of a box, such as 4x1x1, or spacings in m, such as 0.01, separated by blanks", word,
                  why);
}

/* A whole number of 1 ... GEO_HEXES_CELL_LIMIT; `at` goes behind it. */
static bool take_division(const char **at, double *value)
{
  if (**at < '1' || **at > '9') return false;
  char *end;
  unsigned long number = strtoul(*at, &end, 10);
  *at = end;
  *value = (double)number;
  return number <= GEO_HEXES_CELL_LIMIT;
}

static scr_status take_mesh(const char *word, const scr_shape *shape, fem_specimen *mesh, scr_error *error)
{
  const char *at = word;
  mesh->divisions = vec3(NAN, NAN, NAN);
  mesh->spacing = NAN;
  if (strchr(word, 'x')) {
    double n[3];
    if (!shape_entry(shape->kind)->divisible) return refuse(word, "gives divisions, but the specimen is not a box", error);
    for (int k = 0; k < 3; k++) {
      if (!take_division(&at, &n[k]) || *at != (k < 2 ? 'x' : '\0')) return refuse(word, "is not a mesh", error);
      at++;
    }
    mesh->divisions = vec3(n[0], n[1], n[2]);
    return SCR_OK;
  }
  if (strspn(word, "0123456789.e-+") != strlen(word)) return refuse(word, "is not a mesh", error);
  char *end;
  mesh->spacing = strtod(word, &end);
  return *end || !(mesh->spacing > 0) || isinf(mesh->spacing) ? refuse(word, "is not a mesh", error) : SCR_OK;
}

static scr_status read_list(const char *text, const scr_shape *shape, const fem_specimen *fine, fem_plan *plan, scr_error *error)
{
  static const char blanks[] = " ,\t\n";
  double most = fem_divide(shape, fine).hexes;
  for (const char *at = text + strspn(text, blanks); *at; at += strspn(at, blanks)) {
    char word[48];
    size_t length = strcspn(at, blanks);
    snprintf(word, sizeof word, "%.*s", (int)length, at);
    fem_specimen mesh = *fine;
    SCR_TRY(take_mesh(word, shape, &mesh, error));
    if (!(fem_divide(shape, &mesh).hexes < most)) return refuse(word, "has as many elements as the fine mesh, or more", error);
    if (!insert(plan, shape, &mesh)) return refuse(word, "is one mesh too many; 16 are allowed", error);
    at += length;
  }
  return SCR_OK;
}

static void make_list(const scr_shape *shape, const fem_specimen *fine, fem_plan *plan)
{
  static const double factors[] = {2, 3, 4, 6, 8, 12, 16, 24, 32};
  double most = fem_divide(shape, fine).hexes, spacing = fine->spacing;
  if (fem_has_elements(shape) && isnan(spacing)) spacing = cbrt(shape->mesh.mesh->volume / most);
  for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
    fem_specimen mesh = *fine;
    if (!isnan(fine->divisions.x))
      mesh.divisions = vec3(fmax(1, round(fine->divisions.x / factors[k])), fmax(1, round(fine->divisions.y / factors[k])),
                            fmax(1, round(fine->divisions.z / factors[k])));
    else
      mesh.spacing = spacing * factors[k];
    if (fem_divide(shape, &mesh).hexes < most) (void)insert(plan, shape, &mesh);
  }
}

scr_status fem_plan_make(const char *text, const scr_shape *shape, const fem_specimen *fine, fem_plan *plan, scr_error *error)
{
  *plan = (fem_plan){0};
  if (text[0])
    SCR_TRY(read_list(text, shape, fine, plan, error));
  else
    make_list(shape, fine, plan);
  if (plan->count > 0) return SCR_OK;
  return scr_fail(error, SCR_BAD_SCENE, NULL, "no mesh is coarser than the scene's own: give the scene the fine mesh to be compared with");
}
