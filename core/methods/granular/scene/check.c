/* What only the method can check: the domain, materials, what fills it at the start; the longest step; what a run costs. */
#include <math.h>
#include <stdio.h>

#include "geometry/solid.h"
#include "methods/granular/scene/cost.h"
#include "methods/granular/step/bodies.h"
#include "methods/granular/wet/check.h"
#include "record/drawable.h"
#include "scene/check/checker.h"
#include "scene/part.h"
#include "sim/time_step.h"

static const char *const axis_names[] = {"x", "y", "z"};

static bool is_plane(const scr_scene *scene)
{
  return ((const granular_options *)scene->options)->dimension == GRANULAR_PLANE;
}

/* ── the domain ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static void check_axis(const scr_checker *c, int axis, double low, double high)
{
  const granular_options *o = c->scene->options;
  const char *place = c->scene->rig.kind == SCR_RIG_BOX ? "/rig/maximum" : "/options/domain_maximum";
  double count = (high - low) / o->cell;
  if (!(high > low))
    check_refuse(c, check_at("%s", place), high, "a corner above the lower one, in m",
                 "the domain reaches from %.6g m to %.6g m along %s: give it a length", low, high, axis_names[axis]);
  else if (fabs(count - round(count)) > 1e-6 * count + 1e-9 || count > 1e9)
    check_refuse(c, check_at("/options/cell"), o->cell, "a length of which the domain is a whole multiple",
                 "the domain is %.9g cells long along %s: use a cell of %.9g m, or move a corner", count, axis_names[axis],
                 (high - low) / fmax(round(count), 1));
}

static void check_domain(const scr_checker *c)
{
  const granular_options *o = c->scene->options;
  const scr_rig *rig = &c->scene->rig;
  bool given = !isnan(o->domain_minimum.x) && !isnan(o->domain_maximum.x);
  if (rig->kind != SCR_RIG_BOX && !given) {
    check_refuse_words(c, check_at("/options/domain_minimum"), "null", "two corners",
                       "a scene without a box does not say where sand may be: give options domain_minimum and domain_maximum");
    return;
  }
  if (rig->kind == SCR_RIG_BOX && (!isnan(o->domain_minimum.x) || !isnan(o->domain_maximum.x)))
    check_warn(c, check_at("/options/domain_minimum"), NAN, "null",
               "the box says where sand may be, so domain_minimum and domain_maximum have no effect: leave them out");
  for (int a = 0; a < 3; a++) {
    double low = granular_component(rig->kind == SCR_RIG_BOX ? rig->minimum : o->domain_minimum, a);
    double high = granular_component(rig->kind == SCR_RIG_BOX ? rig->maximum : o->domain_maximum, a);
    if (a == 1 && is_plane(c->scene)) {
      if (!(high > low))
        check_refuse(c, check_at("/options/dimension"), NAN, "a slice with a thickness",
                     "the slice is %.6g m thick along y: move a corner of the domain", high - low);
      continue;
    }
    check_axis(c, a, low, high);
  }
  if (is_plane(c->scene) && o->periodic_y)
    check_refuse_words(c, check_at("/options/periodic_y"), "true", "false",
                       "nothing moves along y in the plane: leave periodic_y out, or use the dimension 'space'");
}

static void check_cells(const scr_checker *c)
{
  granular_state s = {0};
  granular_lay_out(&s, c->scene);
  scr_grid_shape grid = granular_grid(&s);
  const bool wet = !isnan(s.options->fluid_density);
  if (wet && drawable_grid_cells(&grid) > SCR_GRID_CELL_LIMIT)
    check_refuse(c, check_at("/options/cell"), (double)drawable_grid_cells(&grid), "a domain of fewer cells",
                 "the fluid would have more than %u cells, which can't be shown: use larger cells", SCR_GRID_CELL_LIMIT);
  else if (s.options->show_cells && drawable_grid_cells(&grid) > SCR_GRID_CELL_LIMIT)
    check_refuse(c, check_at("/options/show_cells"), (double)drawable_grid_cells(&grid), "a domain of fewer cells",
                 "the domain has more than %u cells, which can't be shown: leave show_cells out, or use larger cells", SCR_GRID_CELL_LIMIT);
}

static void check_outlet(const scr_checker *c)
{
  const granular_options *o = c->scene->options;
  scr_vec3 low = o->outlet_minimum, high = o->outlet_maximum;
  if (isnan(low.x) && isnan(high.x)) return;
  if (isnan(low.x) || isnan(high.x) || !(low.x < high.x && low.y < high.y && low.z < high.z))
    check_refuse_words(c, check_at("/options/outlet_maximum"), "corners", "two corners, the second above the first on every axis",
                       "the outlet is not a box: give outlet_minimum and outlet_maximum");
}

/* An outlet that lies beside the domain would take nothing out. */
static void check_outlet_within(const scr_checker *c)
{
  granular_state s = {0};
  double low[3] = {0}, high[3] = {0};
  granular_lay_out(&s, c->scene);
  if (isnan(s.options->outlet_minimum.x)) return;
  granular_to_grid(&s, s.options->outlet_minimum, low);
  granular_to_grid(&s, s.options->outlet_maximum, high);
  for (int a = 0; a < 3 && a < s.d; a++) {
    double from = s.domain.origin[a], to = from + s.domain.h * s.domain.cells[a];
    if (low[a] < to && high[a] > from) continue;
    check_refuse(c, check_at("/options/outlet_minimum"), low[a], "a box that reaches into the domain",
                 "the outlet reaches from %.6g m to %.6g m along %s, beside the domain from %.6g m to %.6g m: no sand would come into it",
                 low[a], high[a], axis_names[granular_axis(&s, a)], from, to);
    return;
  }
}

/* ── materials ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static void check_friction(const scr_checker *c, size_t m)
{
  const granular_material *material = scr_scene_material(c->scene, m);
  double most = material->internal_friction + material->friction_increment;
  check_place place = check_at("/materials/%zu/internal_friction", m);
  const char *name = c->scene->materials[m].name;
  if (is_plane(c->scene) && most >= 1)
    check_refuse(c, place, most, "a number below 1, friction_increment counted",
                 "internal friction of '%s' reaches %.6g; in the plane it is the sine of the friction angle, so it must stay below 1", name,
                 most);
  else if (most > (is_plane(c->scene) ? 0.9 : 1.0))
    check_warn(c, place, most, "about 0.2 to 0.9", "internal friction of '%s' reaches %.6g, more than any sand has", name, most);
}

static void check_material(const scr_checker *c, size_t m)
{
  const granular_options *o = c->scene->options;
  const granular_material *material = scr_scene_material(c->scene, m);
  const char *name = c->scene->materials[m].name;
  check_friction(c, m);
  if (material->friction_increment > 0 && isnan(material->grain_diameter))
    check_refuse(c, check_at("/materials/%zu/grain_diameter", m), NAN, "a number > 0, in m",
                 "friction of '%s' grows with the inertial number, which needs the diameter of its grains: give grain_diameter", name);
  if (material->friction_increment > 0 && material->grain_diameter > o->cell)
    check_warn(c, check_at("/materials/%zu/grain_diameter", m), material->grain_diameter, "less than a cell",
               "grains of '%s', %.6g m, are larger than a cell of %.6g m: sand is no continuum on that scale, so use larger cells", name,
               material->grain_diameter, o->cell);
}

/* ── specimens and parts ────────────────────────────────────────────────────────────────────────────────────────── */

static void check_specimen(const scr_checker *c, size_t k)
{
  const scr_specimen *specimen = &c->scene->specimens[k];
  const granular_specimen *block = scr_scene_specimen(c->scene, k);
  if (block->points_per_cell == 1)
    check_refuse(c, check_at("/specimens/%zu/points_per_cell", k), 1, "2 to 8",
                 "specimen '%s' has one point a cell, which leaves holes as it flows: use 2 or more", specimen->name);
  if (!isnan(block->pour_interval) && vec3_length(specimen->velocity) == 0)
    check_refuse(c, check_at("/specimens/%zu/velocity", k), 0, "a velocity that clears the shape in time",
                 "specimen '%s' is poured without a velocity, so each filling would lie on the last: give a velocity", specimen->name);
  if (is_plane(c->scene) && (specimen->velocity.y != 0 || specimen->angular_velocity.x != 0 || specimen->angular_velocity.z != 0))
    check_refuse_words(c, check_at("/specimens/%zu/velocity", k), "out of the plane", "a motion in the plane of x and z",
                       "specimen '%s' moves out of the plane of x and z: use the dimension 'space', or remove that part of its motion",
                       specimen->name);
}

/* Parts thinner than two cells let sand through; the thickness of a slice does not count. */
static void check_obstacle(const scr_checker *c, size_t k)
{
  const scr_obstacle *obstacle = &c->scene->rig.obstacles[k];
  double cell = ((const granular_options *)c->scene->options)->cell, thin = INFINITY;
  scr_vec3 size = obstacle->shape.size;
  if (obstacle->shape.kind == SCR_OBSTACLE_SPHERE) thin = 2 * obstacle->shape.radius;
  if (obstacle->shape.kind == SCR_OBSTACLE_CYLINDER)
    thin = is_plane(c->scene) ? 2 * obstacle->shape.radius : fmin(2 * obstacle->shape.radius, obstacle->shape.length);
  if (obstacle->shape.kind == SCR_OBSTACLE_BOX) thin = fmin(fmin(size.x, size.z), is_plane(c->scene) ? INFINITY : size.y);
  if (thin < 2 * cell * (1 - 1e-9))
    check_refuse(
        c, check_at("/obstacles/%zu/shape", k), thin, "at least two cells thick",
        "obstacle '%s' is %.6g m thick, less than two cells of %.6g m, so sand would pass through it: make it thicker, or cells smaller",
        obstacle->name, thin, cell);
}

/* Sand has no stiffness that a servo could be tuned by: its part feels the force of the step before, and the sand moves along within
 * a step, so gain times its
 * mass over the step must be small. */
static void check_servos(const scr_checker *c, double mass, double step)
{
  scr_part parts[SCR_PART_LIMIT];
  for (size_t p = 0, count = scr_rig_parts(&c->scene->rig, parts); p < count; p++)
    for (size_t i = 0; parts[p].steers && parts[p].program && i < parts[p].program->segment_count; i++) {
      const scr_segment *segment = &parts[p].program->segments[i];
      double most = 0.1 * step / mass;
      if (segment->kind != SCR_SEGMENT_SERVO || segment->servo.gain <= most) continue;
      check_refuse(c, check_at("%s/%zu/gain", parts[p].program_pointer, i), segment->servo.gain,
                   "a number > 0, at most a tenth of the time step over the mass of the sand",
                   "the gain of %s must be given, and at most %.3g m/(N s), so that sand of %.3g kg does not shake it", parts[p].name, most,
                   mass);
    }
}

static void check_free(const scr_checker *c)
{
  scr_part parts[SCR_PART_LIMIT];
  for (size_t p = 0, count = scr_rig_parts(&c->scene->rig, parts); p < count; p++) {
    const scr_flight *free = parts[p].flight;
    if (!parts[p].is_free) continue;
    if (!granular_may_be_free(&parts[p], is_plane(c->scene)))
      check_refuse_words(c, check_at("%s/shape", parts[p].pointer), "a free part", "a solid that would turn about y alone",
                         "in the plane %s would turn out of it: give it edges or an axis along y, as of a box, a cylinder or a prism, or "
                         "use the dimension 'space'",
                         parts[p].name);
    else if (is_plane(c->scene) && (free->velocity.y != 0 || free->angular_velocity.x != 0 || free->angular_velocity.z != 0))
      check_refuse_words(c, check_at("%s/free", parts[p].pointer), "out of the plane", "a motion in the plane of x and z",
                         "%s moves out of the plane of x and z: use the dimension 'space', or remove that part of its motion",
                         parts[p].name);
  }
}

static void check_gravity(const scr_checker *c)
{
  if (is_plane(c->scene) && c->scene->rig.gravity.y != 0)
    check_refuse(c, check_at("/rig/gravity"), c->scene->rig.gravity.y, "0 along y",
                 "gravity has %.6g m/s^2 along y, out of the plane of x and z: set it to 0, or use the dimension 'space'",
                 c->scene->rig.gravity.y);
}

/* ── what fills the domain at the start ─────────────────────────────────────────────────────────────────────────── */

/* Points of specimen k lie in the domain, and a filling that is poured leaves its place in time. */
static void check_filling(const scr_checker *c, const granular_state *s, size_t k, size_t first, double outside)
{
  const scr_specimen *specimen = &c->scene->specimens[k];
  const granular_specimen *block = scr_scene_specimen(c->scene, k);
  double speed = vec3_length(specimen->velocity), low = INFINITY, high = -INFINITY;
  if (outside > 0)
    check_refuse(c, check_at("/specimens/%zu/placement", k), NAN, "a place within the domain",
                 "specimen '%s' reaches out of the domain with %.3g points: move it, or make the domain larger", specimen->name, outside);
  if (s->point_count == first) {
    check_refuse(c, check_at("/specimens/%zu/shape", k), NAN, "a shape with sand in the domain",
                 "no point of specimen '%s' lies in the domain%s, outside of all parts: move it, or make it larger", specimen->name,
                 s->d == 2 ? "'s middle plane" : "");
    return;
  }
  if (isnan(block->pour_interval) || !(speed > 0)) return;
  for (size_t i = first; i < s->point_count; i++) {
    double along = vec3_dot(granular_place(s, s->points[i].x), specimen->velocity) / speed;
    low = fmin(low, along), high = fmax(high, along);
  }
  double extent = high - low + s->domain.h / granular_points_per_cell(c->scene, k);
  if (specimen->position_count > 1)
    check_refuse_words(c, check_at("/specimens/%zu/placement", k), "several places", "one place",
                       "specimen '%s' is poured at several places: give each its own line", specimen->name);
  else if (speed * block->pour_interval < extent * (1 - 1e-6))
    check_refuse(
        c, check_at("/specimens/%zu/pour_interval", k), block->pour_interval, "a time in which a filling leaves its place",
        "fillings of specimen '%s' are %.6g m long and go %.6g m in %.6g s, so they would overlap: use a pour_interval of at least %.6g s",
        specimen->name, extent, speed * block->pour_interval, block->pour_interval, extent / speed);
}

static void check_overlap(const scr_checker *c, const granular_state *s)
{
  double most = 0;
  for (uint32_t cell = 0; cell < (uint32_t)s->grid.cell_count; cell++) {
    double volume = 0;
    for (uint32_t i = s->grid.first[cell]; i < s->grid.first[cell + 1]; i++) volume += s->points[s->grid.item[i]].volume;
    most = fmax(most, volume / granular_cell_volume(s));
  }
  if (most > 1.2)
    check_refuse(c, check_at("/specimens"), most, "at most 1.2",
                 "a cell is filled %.3g times at the start: specimens overlap; move them apart", most);
}

static scr_status check_start(const scr_checker *c, granular_found *found)
{
  granular_state s = {0};
  scr_error error;
  sim_ledger ledger = {0};
  granular_lay_out(&s, c->scene);
  scr_status status = geo_grid_create(&s.domain, &s.grid, &error);
  if (status == SCR_BAD_USAGE) {
    check_refuse(c, check_at("/options/cell"), s.domain.h, "larger cells",
                 "the domain has more blocks of cells than there may be (%u): use larger cells", GEO_GRID_BLOCK_LIMIT);
    return SCR_OK;
  }
  s.ledger = &ledger;
  for (size_t k = 0; k < c->scene->specimen_count && status == SCR_OK; k++) {
    size_t first = s.point_count;
    double outside = 0;
    status = granular_fill_count(&s, k, &outside, &error);
    if (status == SCR_OK) check_filling(c, &s, k, first, outside);
  }
  if (status == SCR_OK) status = granular_sort(&s, execution_of(1), &error);
  if (status == SCR_OK) {
    check_overlap(c, &s);
    granular_measure(&s, found);
  }
  granular_state_clear(&s);
  return status == SCR_NO_MEMORY ? status : SCR_OK;
}

/* Points are numbered as they are born. */
static void check_count(const scr_checker *c, const granular_found *found)
{
  const double most = 4e9;
  if (found->points + found->poured > most)
    check_refuse(c, check_at("/specimens"), found->points + found->poured, "at most 4e9 points in all",
                 "%.3g points would be poured in all, more than %.3g: pour less often, or use fewer points per cell", found->poured, most);
}

/* ── all of it ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static void choose_step(const scr_scene *scene, scr_estimate *estimate)
{
  const granular_options *o = scene->options;
  scr_part parts[SCR_PART_LIMIT];
  double gravity = vec3_length(scene->rig.gravity), speed = 0;
  for (size_t k = 0; k < scene->specimen_count; k++) speed = fmax(speed, vec3_length(scene->specimens[k].velocity));
  for (size_t p = 0, count = scr_rig_parts(&scene->rig, parts); p < count; p++)
    speed = fmax(speed, scr_part_peak_speed(&parts[p], scene->time.duration, INFINITY));
  const sim_bound bounds[] = {{gravity > 0 ? GRANULAR_FALL_STEP * sqrt(o->cell / gravity) : INFINITY, "fall"},
                              {speed > 0 ? GRANULAR_TRAVEL * o->cell / speed : INFINITY, "travel"},
                              {wet_viscous_step(scene), "viscosity"}};
  sim_choose_step(scene, bounds, sizeof bounds / sizeof *bounds, scene->time.safety_factor, estimate);
}

scr_status granular_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  scr_checker c = check_begin(scene, problems);
  granular_found found = {0};
  double bound = 0;
  check_domain(&c);
  check_outlet(&c);
  check_gravity(&c);
  check_free(&c);
  for (size_t m = 0; m < scene->material_count; m++) check_material(&c, m);
  for (size_t k = 0; k < scene->specimen_count; k++) check_specimen(&c, k);
  for (size_t k = 0; k < scene->rig.obstacle_count; k++) check_obstacle(&c, k);
  wet_check(&c);
  if (!check_is_clean(&c)) return SCR_OK;
  check_cells(&c);
  check_outlet_within(&c);
  for (size_t k = 0; k < scene->specimen_count; k++) bound += granular_fill_bound(scene, k);
  if (!check_fits_memory(&c, granular_point_bytes(bound), "use larger cells, or fewer points per cell")) return SCR_OK;
  choose_step(scene, estimate);
  wet_check_drag(&c, estimate->time_step);
  SCR_TRY(check_start(&c, &found));
  if (!check_is_clean(&c)) return SCR_OK;
  check_count(&c, &found);
  check_servos(&c, found.mass, estimate->time_step);
  granular_estimate(scene, &found, estimate);
  return SCR_OK;
}
