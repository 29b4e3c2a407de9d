/* Numbers that follow from a scene alone: contact radius, step bounds, the answer to servos. */
#include "methods/peridem/law/bounds.h"

#include "methods/peridem/body/body.h"
#include "methods/peridem/law/material.h"
#include "methods/peridem/law/wall.h"

double pd_contact_radius(const scr_scene *scene)
{
  const pd_options *options = scene->options;
  if (!isnan(options->contact_radius)) return options->contact_radius;
  double largest = 0;
  for (size_t s = 0; s < scene->specimen_count; s++) largest = fmax(largest, pd_specimen_of(&scene->specimens[s])->spacing);
  return 1.6 * largest;
}

/* Whether nodes can meet nodes: of another grain, or of broken pieces. */
static bool nodes_touch(const scr_scene *scene, uint32_t material, bool *inside)
{
  const pd_options *options = scene->options;
  size_t grains = 0;
  for (size_t i = 0; i < scene->specimen_count; i++) grains += scene->specimens[i].position_count;
  *inside = options->self_contact && options->breakable && !isnan(pd_material_of(scene, material)->fracture_energy);
  return grains > 1 || *inside;
}

/* Bounds of explicit damping: by walls, and by other nodes all around (self-contact) or on one side. */
static double explicit_damping_bound(const scr_scene *scene, uint32_t m, double stiffness, double radius, const char **rule)
{
  const pd_material *material = pd_material_of(scene, m);
  double bound = INFINITY, ratio = pd_surface_of(scene, m, m)->damping_ratio;
  if (scr_rig_pushes(&scene->rig)) {
    bound = pd_step_bound_damping(material->density, stiffness, radius, pd_surface_of(scene, m, scene->material_count)->damping_ratio);
    *rule = "wall damping";
  }
  bool inside;
  for (size_t i = 0; i < scene->specimen_count; i++) {
    if (scene->specimens[i].material != m || !nodes_touch(scene, m, &inside)) continue;
    double pairs =
        pd_step_bound_pairs(material->density, stiffness, radius, pd_specimen_of(&scene->specimens[i])->spacing, inside ? 1 : 0.5, ratio);
    if (pairs < bound) bound = pairs, *rule = "damping between nodes";
  }
  return bound;
}

/* G of a material's bonds, or of state-based elasticity, Pa. */
static double shear_modulus(const pd_options *options, const pd_material *material)
{
  double k = pd_bulk_modulus(material), nu = options->elasticity == PD_STATE ? pd_poisson_ratio(material) : 0.25;
  return 3 * k * (1 - 2 * nu) / (2 * (1 + nu));
}

/* Stiffness against the rig over the area of a node, times its height, Pa; 0 where contact begins elsewhere. */
static double face_modulus(const pd_options *options, const pd_material *material)
{
  if (pd_contact_begins(options) != PD_SURFACE_FACES) return 0;
  return pd_face_modulus(pd_bulk_modulus(material), shear_modulus(options, material)) * options->contact_stiffness_factor;
}

/* Bound of a surface node that three parts press, as in a corner: each by spring or friction along an axis. */
static double faces_bound(const scr_scene *scene, uint32_t m)
{
  double bound = INFINITY;
  const pd_material *material = pd_material_of(scene, m);
  for (size_t i = 0; i < scene->specimen_count; i++) {
    scr_vec3 cell = pd_cell_of(scene->options, &scene->specimens[i]);
    double h = fmax(fmin(cell.x, fmin(cell.y, cell.z)), 0.7 * pd_specimen_of(&scene->specimens[i])->spacing);
    double modulus = face_modulus(scene->options, material);
    if (scene->specimens[i].material == m) bound = fmin(bound, 2 * h * sqrt(material->density / (2.6 * modulus)));
  }
  return bound;
}

double pd_step_bound(const scr_scene *scene, double bond_bound, const char **rule)
{
  const pd_options *options = scene->options;
  bool explicit_damping = options->damping_step == PD_DAMPING_EXPLICIT;
  double radius = pd_contact_radius(scene), bound = bond_bound;
  *rule = "bond";
  for (uint32_t m = 0; m < scene->material_count; m++) {
    const pd_material *material = pd_material_of(scene, m);
    const char *damper = "";
    double k = pd_bulk_modulus(material), stiffness = pd_contact_stiffness(k, k, radius) * options->contact_stiffness_factor;
    double contact = pd_step_bound_contact(material->density, stiffness, radius);
    double damping = explicit_damping ? explicit_damping_bound(scene, m, stiffness, radius, &damper) : (double)INFINITY;
    contact = fmin(contact, faces_bound(scene, m));
    if (contact < bound) bound = contact, *rule = "contact";
    if (damping < bound) bound = damping, *rule = damper;
  }
  if (explicit_damping && options->damping_rate * bound > 1) bound = 1 / options->damping_rate, *rule = "damping rate";
  return bound;
}

/* A bar's Young's modulus is 3/2 of the bulk modulus where Poisson's ratio is 1/4; nodes stand h apart on a face. */
part_response pd_part_response(const scr_scene *scene)
{
  part_response response = {0};
  const pd_options *options = scene->options;
  double radius = pd_contact_radius(scene), factor = options->contact_stiffness_factor;
  for (size_t i = 0; i < scene->specimen_count; i++) {
    const pd_material *material = pd_material_of(scene, scene->specimens[i].material);
    double k = pd_bulk_modulus(material), h = pd_specimen_of(&scene->specimens[i])->spacing;
    double contact = pd_friction_stiffness(pd_contact_stiffness(k, k, radius) * factor, h * h * h, radius) / 0.8;
    if (pd_contact_begins(options) == PD_SURFACE_FACES) contact = face_modulus(options, material) * h;
    response.impedance = fmax(response.impedance, sqrt(1.5 * k * material->density));
    response.stiffness = fmax(response.stiffness, contact / (h * h));
  }
  return response;
}
