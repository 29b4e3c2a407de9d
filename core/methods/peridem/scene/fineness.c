/* Whether grains are divided finely enough to mean anything. */
#include <stdio.h>

#include "methods/peridem/body/crack.h"
#include "methods/peridem/law/material.h"
#include "methods/peridem/scene/checker.h"
#include "scene/places/crushing.h"
#include "scene/shape/shape.h"

/* The thinnest and the longest of a solid, m: of a hollow sphere its shell; of a mesh, the box around it. */
static void extents(const geo_solid *solid, double *thinnest, double *longest)
{
  scr_vec3 edge = solid->size;
  switch (solid->kind) {
  case GEO_SOLID_SPHERE:
    *thinnest = solid->inner_radius > 0 ? solid->radius - solid->inner_radius : 2 * solid->radius;
    *longest = 2 * solid->radius;
    return;
  case GEO_SOLID_CYLINDER:
    *thinnest = fmin(2 * solid->radius, solid->size.z);
    *longest = fmax(2 * solid->radius, solid->size.z);
    return;
  case GEO_SOLID_MESH: edge = vec3_sub(solid->box.high, solid->box.low); break;
  case GEO_SOLID_BOX: break;
  }
  *thinnest = fmin(edge.x, fmin(edge.y, edge.z));
  *longest = fmax(edge.x, fmax(edge.y, edge.z));
}

/* Fewer than 3 nodes across bend and break as their lattice does; the paper's thin shells have 2, so it is only said. */
static void check_thickness(const pd_checker *c, size_t i, double thinnest)
{
  double spacing = pd_specimen_of(&c->scene->specimens[i])->spacing, across = thinnest / spacing;
  if (across >= 3 * (1 - GEO_LENGTH_SLACK)) return;
  check_warn(&c->report, check_at("/specimens/%zu/spacing", i), spacing, "a third of the thickness at most, in m",
             "specimen '%s' is %.4g m thick where it is thinnest, %.2g spacings: with fewer than 3 nodes across, bending and breaking "
             "follow its lattice: use at most %.4g m",
             c->scene->specimens[i].name, thinnest, across, thinnest / 3);
}

/* Where every node is joined to every other the horizon says nothing of the material. */
static void check_horizon(pd_checker *c, size_t i, double longest)
{
  const scr_specimen *specimen = &c->scene->specimens[i];
  double horizon = pd_horizon(c->options, specimen), spacing = pd_specimen_of(specimen)->spacing;
  bool given = !isnan(c->options->horizon);
  if (!(horizon > longest * (1 + GEO_LENGTH_SLACK)) || longest < 1.5 * spacing) return; /* a single node has no bonds */
  check_place place = check_at(given ? "/options/horizon" : "/specimens/%zu/spacing", i);
  bool few = longest < 2.5 * spacing; /* nodes: a mass with a contact */
  check_report(
      &c->report, !few, place, given ? horizon : spacing, "a horizon below the specimen's size, in m",
      "the horizon of %.4g m is larger than specimen '%s', whose longest extent is %.4g m, so that each node is joined to all others: use "
      "a spacing of at most %.4g m and a horizon of about 3 spacings",
      horizon, specimen->name, longest, longest / 4);
}

/* A bond that breaks at more than half its length again never does in a solid. */
static void check_strength(const pd_checker *c, size_t i)
{
  const scr_specimen *specimen = &c->scene->specimens[i];
  const pd_material *material = pd_material_of(c->scene, specimen->material);
  const double most = 0.5;
  if (isnan(material->fracture_energy) || !c->options->breakable) return;
  double k = pd_bulk_modulus(material), horizon = pd_horizon(c->options, specimen);
  double stretch = pd_critical_stretch((pd_micromodulus)c->options->micromodulus, k, material->fracture_energy, horizon);
  const crushing_body body = {1.5 * k, 0.25, stretch};
  if (c->options->elasticity == PD_BONDS) check_crushing(&c->report, i, &body);
  if (!(stretch > most)) return;
  check_warn(&c->report, check_at("/materials/%zu/fracture_energy", (size_t)specimen->material), material->fracture_energy,
             "a fracture energy at which bonds break below a stretch of 0.5, in J/m2",
             "with a fracture energy of %.4g J/m2 and a horizon of %.4g m bonds of specimen '%s' break when stretched by %.3g; no solid "
             "stretches by more than %.2g: give at most %.3g J/m2, or null for what cannot break",
             material->fracture_energy, horizon, specimen->name, stretch, most,
             material->fracture_energy * (most / stretch) * (most / stretch));
}

/* A body's extents along its lattice's axes. */
static geo_box box_of(const pd_body *body)
{
  geo_box box = geo_box_empty();
  for (size_t i = 0; i < body->node_count; i++) {
    scr_vec3 at = vec3(body->x[i], body->y[i], body->z[i]);
    scr_vec3 p = vec3(vec3_dot(at, body->axes[0]), vec3_dot(at, body->axes[1]), vec3_dot(at, body->axes[2]));
    box = geo_box_join(box, (geo_box){p, p});
  }
  return box;
}

double pd_parting_share(const pd_body *body, double fracture_energy)
{
  geo_box box = box_of(body);
  const double edge[3] = {box.high.x - box.low.x, box.high.y - box.low.y, box.high.z - box.low.z};
  const double low[3] = {box.low.x, box.low.y, box.low.z}, cells[3] = {body->cell.x, body->cell.y, body->cell.z};
  int a = edge[0] >= edge[1] && edge[0] >= edge[2] ? 0 : edge[1] >= edge[2] ? 1 : 2;
  double layers = round(edge[a] / cells[a]), plane = low[a] + (floor(layers / 2) + 0.5) * cells[a], energy = 0, beside = 0;
  if (layers < 1) return 1;
  for (size_t i = 0; i < body->node_count; i++) {
    double from = vec3_dot(vec3(body->x[i], body->y[i], body->z[i]), body->axes[a]) - plane;
    beside += fabs(from) < cells[a] * (1 - GEO_LENGTH_SLACK);
    if (from > 0) continue;
    for (uint32_t k = body->bonds.first[i], end = k + body->bonds.count[i]; k < end; k++) {
      uint32_t j = body->bonds.other[k];
      if (!(vec3_dot(vec3(body->x[j], body->y[j], body->z[j]), body->axes[a]) > plane)) continue;
      energy += 0.5 * body->stiffness * (body->bonds.weight ? body->bonds.weight[k] : 1) / body->bonds.inverse_length[k];
    }
  }
  double area = 0.5 * beside * body->node_volume / cells[a];
  return energy * body->critical_stretch * body->critical_stretch / (fracture_energy * area);
}

void pd_check_parting(pd_checker *c)
{
  const scr_scene *scene = c->scene;
  double least = 0.9;
  size_t worst = scene->specimen_count, fewer = 0;
  for (size_t i = 0; i < scene->specimen_count; i++) {
    const scr_specimen *specimen = &scene->specimens[i];
    const pd_material *material = pd_material_of(scene, specimen->material);
    bool flawed = pd_has_crack(pd_specimen_of(specimen)) || shape_entry(specimen->shape.kind)->notched; /* parts elsewhere */
    if (c->bodies[i].node_count < 2 || isnan(material->fracture_energy) || !c->options->breakable || flawed) continue;
    double share = pd_parting_share(&c->bodies[i], material->fracture_energy);
    fewer += share < 0.9;
    if (!(share < least)) continue;
    least = share;
    worst = i;
  }
  if (worst == scene->specimen_count) return;
  uint32_t material = scene->specimens[worst].material;
  double energy = pd_material_of(scene, material)->fracture_energy;
  bool corrects = pd_corrects_directions(c->options);
  check_warn(&c->report, check_at("/materials/%zu/fracture_energy", (size_t)material), energy,
             "a fracture energy that makes up for it, in J/m2",
             "parting specimen '%s' across its middle takes %.2g of the fracture energy%s, since bonds that would leave it are missing: "
             "%sa fracture_energy of %.4g J/m2 would make up for it",
             scene->specimens[worst].name, least, fewer > 1 ? ", and others take less than 0.9 of it too" : "",
             corrects ? "" : "surface_correction \"direction\" gives most of it back, or ", energy / least);
}

/* How much of a shape its lattice's cells fill. */
void pd_check_filling(pd_checker *c, size_t i, const pd_body *body)
{
  const scr_specimen *specimen = &c->scene->specimens[i];
  double spacing = body->spacing, cells = (double)body->node_count * body->cell.x * body->cell.y * body->cell.z;
  double share = cells / scr_shape_volume(&specimen->shape);
  if (fabs(share - 1) < 0.1) return;
  bool shared = pd_shares_volume(c->options);
  check_warn(&c->report, check_at("/specimens/%zu/spacing", i), spacing, "a spacing that is small against the shape's parts, in m",
             "the %zu cells of specimen '%s' fill %.2g of its volume%s: use a smaller spacing, or one of which its thickness is a multiple",
             body->node_count, specimen->name, share,
             shared ? "; its nodes share the whole of it, so that mass and modulus are right, but sections are the lattice's"
                    : ", and so is its mass");
}

void pd_check_fineness(pd_checker *c)
{
  for (size_t i = 0; i < c->scene->specimen_count; i++) {
    const scr_specimen *specimen = &c->scene->specimens[i];
    double thinnest = 0, longest = 0;
    if (!shape_entry(specimen->shape.kind)->fill) continue; /* refused */
    if (!(pd_bulk_modulus(pd_material_of(c->scene, specimen->material)) > 0)) continue;
    geo_solid solid = scr_shape_solid(&specimen->shape);
    extents(&solid, &thinnest, &longest);
    check_thickness(c, i, thinnest);
    check_horizon(c, i, longest);
    check_strength(c, i);
  }
}
