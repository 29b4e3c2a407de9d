/* What a specimen's spheres and bonds are: filled, weighed, and its bonds as its material gives them or as a virtual test finds them. */
#include "methods/bdem/bonds/substance.h"
#include "methods/bdem/bonds/strength.h"

#include "methods/bdem/step/explicit.h"
#include "scene/places/reach.h"
#include "methods/bdem/contact/friction.h"

static const double pi = 3.14159265358979323846;

/* The body's bulk modulus over E: pi sqrt(2)/6, pi sqrt(3)/12, and what static solutions of random cubes give (seeds differ by 2 %). */
static const double bulk_ratio[] = {[BDEM_PACKING_HEXAGONAL_CLOSE] = 0.740480489693061,
                                    [BDEM_PACKING_BODY_CENTRED] = 0.453449841058554,
                                    [BDEM_PACKING_RANDOM_CLOSE] = 0.428};

double bdem_bond_modulus(const bdem_material *material, int packing)
{
  return isnan(material->young_modulus) ? material->bulk_modulus / bulk_ratio[packing] : material->young_modulus;
}

double bdem_bond_poisson_ratio(const bdem_material *material)
{
  return isnan(material->poisson_ratio) ? 0.3 : material->poisson_ratio;
}

double bdem_contact_stiffness(const bdem_options *options, const bdem_substance *a, const bdem_substance *b)
{
  double modulus = b ? fmax(a->young_modulus, b->young_modulus) : a->young_modulus, radius = b ? fmax(a->radius, b->radius) : a->radius;
  return options->contact_stiffness_factor * modulus * radius;
}

double bdem_face_stiffness(const bdem_options *options, const bdem_substance *substance, double area_per_depth)
{
  return options->contact_stiffness_factor * substance->body_modulus * area_per_depth;
}

/* A chain: m/kn times its largest eigenvalue is 4 for stretch, and at most 5/(1 + nu) cos^2 + (2/(1 + nu) + 5/2) sin^2 of half the phase
 * for shear with rotation (bond.h's stiffnesses at l0 = 2 r, Bloch waves; stretch goes with 1/l0, shear with l0; crimp adds 1 %; bending
 * only lowers the 5/2 with its factor). A sphere where yarns cross touches up to four others, each of which adds at most 2 k; with
 * friction, when all roll on each other, 5 kt. */
static double chain_step_bound(const bdem_options *options, const bdem_substance *s, double misfit, bool has_friction)
{
  double turned = 1.0 + s->poisson_ratio, waves = fmax(4.0, fmax(5.0 / turned, 2.0 / turned + 2.5));
  double bond = 0.5 * pi * s->radius * s->young_modulus, contact = bdem_contact_stiffness(options, s, NULL);
  double touching = has_friction ? fmax(8.0, 20.0 * BDEM_TANGENTIAL_RATIO) : 8.0;
  return 2.0 / sqrt((1.02 * misfit * waves * bond + touching * contact) / s->mass);
}

/* Largest eigenvalue of M^-1 K over k/m in debris of equal spheres that presses as many neighbours as were bonded: the bonds' without
 * friction. With it, all of twelve neighbours rolling on each other, 12 kt (2/3) 2 r^2 over 2/5 m r^2. */
static double debris_eigenvalue(double bonded, bool has_friction)
{
  return has_friction ? fmax(bonded, 40.0 * BDEM_TANGENTIAL_RATIO) : bonded;
}

/* N/m, of a sphere pressed on the rig by a face, times m: k along the normal; with friction kt across it and, as it rolls, 5/2 kt more at a
 * lever of the radius, for each radius squared of the lever; and as it rolls those points of a curved face that it sinks into the part. */
static double pressed_eigenvalue(const bdem_options *options, const bdem_substance *s, const bdem_faces *faces, bool has_friction)
{
  return fmax(s->face_stiffness, bdem_face_stiffness(options, s, has_friction ? faces->rolling : faces->tilting));
}

/* T = 2/sqrt(N k/m), the smallest of the bonds', the contacts' and that of a sphere at a face. This one has nine of twelve bonds, whose
 * normals add up to 2 along the face's normal and whose shear to 7 g, g = G / E of the bonds; neighbours that move against it at most
 * double that, and the face's spring comes on top. The fastest waves turn the spheres, which goes with a bond's length
 * (validate_bdem_faces.c runs pressed bodies at T). */
static double step_bound(const bdem_options *options, const bdem_substance *s, const bdem_filling *filling, const bdem_faces *faces,
                         bool has_friction)
{
  double longest = fmax(filling->stretch[0], fmax(filling->stretch[1], filling->stretch[2]));
  double share = longest * (s->packing == BDEM_PACKING_BODY_CENTRED ? 2.0 / 3.0 : 1.0),
         bonded = share * bdem_close_packing_eigenvalue(s->poisson_ratio);
  double bond = 0.5 * pi * s->radius * s->young_modulus, contact = bdem_contact_stiffness(options, s, NULL);
  double own = share * (4.0 + 7.0 / (1.0 + s->poisson_ratio)), pressed = own * bond + pressed_eigenvalue(options, s, faces, has_friction);
  double largest = fmax(bonded * bond, debris_eigenvalue(bonded, has_friction) * contact);
  return 2.0 / sqrt((s->face_stiffness > 0 ? fmax(largest, pressed) : largest) / s->mass);
}

/* Spheres of two specimens: N k (1/m_a + 1/m_b)/2, which is N k/m for equal ones; a large sphere touches more small ones than twelve. */
static double unlike_step_bound(const scr_scene *scene, const bdem_substance *a, const bdem_substance *b)
{
  const bdem_options *options = scene->options;
  bool has_friction = bdem_surface_of(scene, a->material, b->material)->friction_coefficient > 0.0;
  double bonded = bdem_close_packing_eigenvalue(fmin(a->poisson_ratio, b->poisson_ratio)),
         neighbours = debris_eigenvalue(bonded, has_friction);
  double ratio_a = 0.5 * (1.0 + a->radius / b->radius), ratio_b = 0.5 * (1.0 + b->radius / a->radius);
  double inverse = fmax(1.0, ratio_a * ratio_a) / a->mass + fmax(1.0, ratio_b * ratio_b) / b->mass;
  return 2.0 / sqrt(0.5 * neighbours * bdem_contact_stiffness(options, a, b) * inverse);
}

double bdem_stable_step(const scr_scene *scene, const bdem_substance *substances)
{
  double bound = INFINITY;
  for (size_t a = 0; a < scene->specimen_count; ++a) {
    bound = fmin(bound, substances[a].step_bound);
    for (size_t b = 0; b < a; ++b) bound = fmin(bound, unlike_step_bound(scene, &substances[a], &substances[b]));
  }
  return bound;
}

/* Whether spheres of a material have friction on each other or on the rig. */
static bool has_own_friction(const scr_scene *scene, size_t material)
{
  return bdem_surface_of(scene, material, material)->friction_coefficient > 0.0 ||
         bdem_surface_of(scene, material, scene->material_count)->friction_coefficient > 0.0;
}

/* A sphere stopped from v by a bond loads it with v sqrt(kn m): a quarter of the speed at which that is the bond's strength. */
static double velocity_jump(const bdem_substance *s)
{
  double force = fmin(s->section.tensile_strength, s->section.shear_strength) / s->section.area_inverse;
  return 0.25 * force / sqrt(0.5 * pi * s->radius * s->young_modulus * s->mass);
}

/* E of the packed body: what the virtual test says; of bonds as given 3 K (1 - 2 nu) with the packing's K and nu = 1/6. */
static double body_modulus(const bdem_calibrated *found, int packing)
{
  return found->body.young_modulus > 0 ? found->body.young_modulus : 2 * bulk_ratio[packing] * found->bonds.young_modulus;
}

bdem_substance bdem_substance_make(const scr_scene *scene, const scr_specimen *specimen, const bdem_filling *filling,
                                   const bdem_calibrated *found, const bdem_faces *faces)
{
  const bdem_constants *bonds = &found->bonds;
  const bdem_options *options = scene->options;
  bdem_substance s = {.material = specimen->material,
                      .packing = bdem_specimen_of(specimen)->packing,
                      .young_modulus = bonds->young_modulus,
                      .poisson_ratio = bonds->poisson_ratio,
                      .radius = 0.5 * bdem_specimen_of(specimen)->spacing,
                      .mass = filling->mass,
                      .calibrated = *found};
  s.body_modulus = body_modulus(found, bdem_specimen_of(specimen)->packing);
  s.face_stiffness = bdem_face_stiffness(options, &s, faces->per_depth);
  s.section = bdem_section_make((bdem_calibration)options->calibration, s.radius, bonds->tensile_strength, bonds->shear_strength);
  bool has_friction = has_own_friction(scene, specimen->material);
  s.step_bound = bdem_is_weave(&specimen->shape) ? chain_step_bound(options, &s, bdem_weave_misfit(specimen), has_friction)
                                                 : step_bound(options, &s, filling, faces, has_friction);
  s.flexion = bdem_material_of(scene, specimen->material)->bending_factor;
  s.velocity_jump = velocity_jump(&s);
  return s;
}

scr_status bdem_specimen_fill(const scr_scene *scene, size_t k, bdem_filling *filling, scr_error *error)
{
  const scr_specimen *specimen = &scene->specimens[k];
  const bdem_options *options = scene->options;
  double density = bdem_material_of(scene, specimen->material)->density;
  bool fitted = options->lattice == BDEM_LATTICE_FITTED && options->constants_of == BDEM_CONSTANTS_OF_BODY;
  SCR_TRY(bdem_filling_build(filling, specimen, fitted, density, (uint64_t)scene->seed + k, error));
  if (options->sphere_mass == BDEM_MASS_BALL) filling->mass = bdem_ball_mass(filling->radius, density);
  return SCR_OK;
}

/* The laboratory's axis along which a rig loads what it holds; -1: no one axis. Beams lie along x, discs are torn apart along x, platens
 * press along z. */
static int loaded_axis(const scr_rig *rig)
{
  if (rig->kind == SCR_RIG_GRIPS) return rig->axis;
  if (rig->kind == SCR_RIG_PLATENS) return 2;
  return rig->kind == SCR_RIG_THREE_POINT_BEND || rig->kind == SCR_RIG_BRAZILIAN ? 0 : -1;
}

/* The direction in which the rig pulls, in the specimen's own axes; zero: no one direction. */
static scr_vec3 pulled(const scr_scene *scene, const scr_specimen *specimen)
{
  static const scr_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const bdem_options *options = scene->options;
  int axis = options->calibration_axis - BDEM_AXIS_X;
  if (options->calibration_axis == BDEM_AXIS_AUTOMATIC) axis = loaded_axis(&scene->rig);
  if (axis < 0) return vec3(0, 0, 0);
  return quat_rotate(quat_conjugate(quat_exp(vec3_scale(specimen->rotation_axis, specimen->rotation_angle))), axes[axis]);
}

scr_status bdem_specimen_bonds(const scr_scene *scene, size_t k, const bdem_filling *filling, bool strengths, bdem_calibrated *bonds,
                               scr_error *error)
{
  const bdem_options *options = scene->options;
  const scr_specimen *specimen = &scene->specimens[k];
  const bdem_material *material = bdem_material_of(scene, specimen->material);
  double diameter = 2 * filling->radius, size = filling->radius * cbrt(filling->stretch[0] * filling->stretch[1] * filling->stretch[2]);
  bdem_constants given = {bdem_bond_modulus(material, bdem_specimen_of(specimen)->packing), NAN, bdem_bond_poisson_ratio(material), NAN,
                          NAN};
  scr_vec3 pull = pulled(scene, specimen);
  bool packed = filling->pair_count > 0 && !bdem_is_weave(&specimen->shape); /* a ball or a yarn is no packing */
  bool made = bdem_strength_is_generated(options, material, packed);
  int packing = bdem_specimen_of(specimen)->packing;
  bdem_strengths own = bdem_bond_strengths(options, material, made, packing, pull, given.young_modulus, size);
  given.tensile_strength = own.tensile, given.shear_strength = own.shear;
  *bonds = (bdem_calibrated){.bonds = given, .share = 1};
  if (options->constants_of == BDEM_CONSTANTS_OF_BONDS || !packed) return SCR_OK;
  bdem_test test = {.packing = bdem_specimen_of(specimen)->packing,
                    .cell = filling->cell,
                    .cell_edge = filling->cell_edge,
                    .extent = {filling->extent[0] / diameter, filling->extent[1] / diameter, filling->extent[2] / diameter},
                    .packed = {filling->packed[0] / diameter, filling->packed[1] / diameter, filling->packed[2] / diameter},
                    .stretch = {filling->stretch[0], filling->stretch[1], filling->stretch[2]},
                    .direction = pull,
                    .bonds = {1, given.poisson_ratio, (bdem_calibration)options->calibration, (bdem_shear)options->shear},
                    .flexion = material->bending_factor,
                    .wanted = {material->young_modulus, material->bulk_modulus, material->poisson_ratio, material->tensile_strength,
                               material->shear_strength},
                    .strengths = strengths && options->breakable && !made};
  SCR_TRY(bdem_calibrate(&test, bonds, error));
  /* The material's energy is the body's, and its load by the nominal section: K^2 goes with the square of the share that carries, E with
   * the share. */
  if (made) {
    own = bdem_bond_strengths(options, material, made, packing, pull, bonds->bonds.young_modulus / bonds->share, size);
    bonds->bonds.tensile_strength = own.tensile, bonds->bonds.shear_strength = own.shear;
  }
  return SCR_OK;
}

/* Young's modulus of a body over the least edge of the box around it. */
static double stiffness_behind(const scr_scene *scene, size_t k, const bdem_substance *substance)
{
  scr_vec3 half = scene_half_extents(scene, k);
  return substance->body_modulus / (2 * fmin(half.x, fmin(half.y, half.z)));
}

/* In the densest layer a sphere has 2 sqrt(3) r^2 of the surface. */
part_response bdem_part_response(const scr_scene *scene, const bdem_substance *substances)
{
  bool implicit = ((const bdem_options *)scene->options)->integrator != BDEM_INTEGRATOR_EXPLICIT;
  part_response response = {0};
  for (size_t k = 0; k < scene->specimen_count; ++k) {
    const bdem_substance *substance = &substances[k];
    double density = bdem_material_of(scene, substance->material)->density, r = substance->radius;
    response.impedance = fmax(response.impedance, sqrt(substance->young_modulus * density));
    double area = 2.0 * sqrt(3.0) * r * r, sphere = bdem_contact_stiffness(scene->options, substance, NULL);
    response.stiffness = fmax(response.stiffness, fmax(sphere, substance->face_stiffness) / area);
    if (implicit) response.bodies = fmax(response.bodies, stiffness_behind(scene, k, substance));
  }
  return response;
}
