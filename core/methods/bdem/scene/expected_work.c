/* The phases of a run and what steps take in each. Numbers of iterations are means over random scenes (tests/validation/sweep) and the
 * gallery's; they stand here, the times of an iteration in cost.c. */
#include "methods/bdem/scene/expected_work.h"

#include "methods/bdem/bonds/strength.h"
#include "methods/bdem/contact/sweep.h"

/* A mean number over a step's length over T: at_one r^power, within bounds. */
typedef struct growth {
  double at_one, power, least, most;
} growth;

static double grown(growth g, double ratio)
{
  return fmin(fmax(g.at_one * pow(ratio, g.power), g.least), g.most);
}

/* Newton iterations of a part of a large step. Spheres that fly as one, without and with weight; turning, and in variational steps; what
 * rests or slides, and in variational steps with friction. */
static const double flying_newton = 1, falling_newton = 2, resting_newton = 3;
static const growth sticking_newton = {1.5, 0.6, 1, 7}, turning_newton = {4, 0.6, 4, 13}, middle_turning_newton = {2.5, 0.25, 2.5, 10};
/* What grips hold: in full from a speed on, over a radius in T, at which its step strains it, and one by a power of ten for each of these
 * decades below. */
static const growth held_newton = {2, 0.4, 2, 6};
static const double quiet_speed = 1e-5, speed_decades = 3;
/* What is pressed: without friction; with it, whose normal forces are those of the pass before, so that each step is solved up to four
 * times, by spheres, by faces and in variational steps. In full where the rig goes far in a step, in radii. */
static const growth pressed_newton = {2.2, 0.3, 1, 10}, rubbed_newton = {5.5, 0.25, 1, 20}, faces_newton = {8, 0.25, 1, 20},
                    middle_rubbed_newton = {6, 0.45, 1, 20};
static const double quiet_travel = 1e-5, travel_decades = 1.5;
/* What an impact shook, and friction's more; pieces that rub on each other. */
static const double shaken_newton = 3.5, shaken_friction = 1;
/* Whole bodies in contact with each other, with friction, in variational steps: over that. */
static const double middle_shaken = 4;
static const growth rubble_newton = {3, 0.5, 4.5, 21};
/* Variational steps, which make their matrix in every iteration, take so much of those of held and pressed bodies. */
static const double middle_share = 0.6;

/* Matrices that implicit Euler makes in a part: of what turns; of pressed bodies, without friction and with it, where contacts stick and
 * slip; of what an impact shook, of rubble; of all else. */
static const double turning_matrices = 0.1, pressed_matrices = 0.2, calm_matrices = 0.02;
static const growth rubbed_matrices = {1.0 / 8, 1, 1, 5}, shaken_matrices = {1.0 / 60, 1, 0.1, 0.7},
                    rubble_matrices = {1.0 / 4, 1, 0.1, 12};

/* Share of the time from the first touch on in which bonds break in a body that a slow rig loads, where its strength does not tell. */
static const double breaking_share = 0.5;
/* Strains at break over the length between what presses: of a split or crushed body, of which a part only bears the load; and what the
 * contacts with rollers add to a beam's deflection. */
static const double pressed_travel = 3.5, bent_travel = 1.2;
/* How long an impact is done by explicit steps, over the time in which sound crosses all specimens; how long runs of bodies that turn are
 * until all of it after the first touch is; the share of that which falling bodies, which come back, leave to large steps. */
static const double impact_crossings = 20, turning_crossings = 5, calm_share = 0.2;
/* Newton iterations in a step in which something breaks over those of a pressed body: all at once; worst first, where it is solved again.
 * */
static const double simultaneous_newton = 1.1, worst_first_newton = 2;
/* Share of the parts of staged breaking that are made: steps in which nothing breaks any more become longer again. */
static const double staged_share = 0.4;
/* Share of the variational steps that are tried although explicit ones do them: of broken bodies, which ring on and break something in most
 * of them, and of whole ones that turn on each other with friction; of others that the rig or an impact strains fast (none to all in random
 * scenes). */
static const double tried_in_vain = 0.6, tried_again = 0.2;
/* Steps up to so many T are tried before an explicit burst although the one before was done by a burst, which such short ones end; the same
 * where the rig breaks a body at once. */
static const double short_ratio = 2, shortest_ratio = 0.5;
/* Radii: gap below which bodies rest on what is under them. Speed of the rig over a radius per T, from which on it
 * is fast. */
static const double resting_gap = 0.25, slow_loading = 1e-3;
/* Over the speed of sound: what slides faster with friction is shaken by it. */
static const double sliding_speed = 2e-3;

/* Whether anything that may touch has friction. */
static bool has_friction(const scr_scene *scene)
{
  for (size_t a = 0; a < scene->material_count; ++a)
    for (size_t b = a; b <= scene->material_count; ++b)
      if (bdem_surface_of(scene, a, b)->friction_coefficient > 0.0) return true;
  return false;
}

/* Speed of sound in the slowest material, m/s. */
static double wave_speed(const scr_scene *scene)
{
  double slowest = INFINITY;
  for (size_t i = 0; i < scene->specimen_count; ++i) {
    const bdem_material *material = bdem_material_of(scene, scene->specimens[i].material);
    double modulus = isnan(material->young_modulus) ? material->bulk_modulus : material->young_modulus;
    slowest = fmin(slowest, sqrt(modulus / material->density));
  }
  return slowest;
}

/* Whether specimens rest or slide on what is under them: the weight presses them on it, none moves up to it, is so fast that friction
 * shakes it, or falls far in a step of dt. */
static bool rests(const scr_scene *scene, const bdem_motion *m, double dt)
{
  double gravity = vec3_length(scene->rig.gravity);
  return gravity > 0.0 && gravity * dt * dt < resting_gap * m->radius && m->gap < resting_gap * m->radius && m->spin == 0.0 &&
         m->towards <= 1e-3 * m->fastest && !(has_friction(scene) && m->fastest > sliding_speed * wave_speed(scene));
}

/* Share of the time after bodies first met; 0 when none is met, or they rest on what they touch. */
static double share_met(const scr_scene *scene, const bdem_motion *m, double dt)
{
  double gravity = vec3_length(scene->rig.gravity), speed = m->fastest + m->rig, duration = scene->time.duration;
  if (!isfinite(m->gap) || (speed == 0.0 && gravity == 0.0) || (m->rig == 0.0 && rests(scene, m, dt))) return 0.0;
  if (m->fastest == 0.0 && gravity == 0.0) return fmax(0.0, 1.0 - m->closing / speed / duration);
  double touches = gravity > 0.0 ? (sqrt(speed * speed + 2.0 * gravity * m->gap) - speed) / gravity : m->gap / speed;
  return fmax(0.0, 1.0 - touches / duration);
}

/* Length of way over strain at break: of a bent beam, of what grips pull, of what is pressed; m. */
static double travel_per_strain(const scr_rig *rig, const bdem_filling *body)
{
  double height = body->box.high.z - body->box.low.z + 2.0 * body->radius; /* the box is around the centres */
  if (rig->kind == SCR_RIG_THREE_POINT_BEND) return bent_travel * rig->span * rig->span / (6.0 * height);
  if (rig->kind == SCR_RIG_GRIPS) return isnan(rig->high_start) ? INFINITY : rig->high_start - rig->low_end;
  if (rig->kind == SCR_RIG_BRAZILIAN || rig->kind == SCR_RIG_PLATENS) return pressed_travel * rig->opening;
  return NAN;
}

enum { TIMES_LOOKED_AT = 400 };

/* Share of the time from the break on: of a body that the rig's one moving part loads slowly, until the weakest material's strain at break
 * is reached. NaN where the scene does not tell. */
static double share_broken(const scr_scene *scene, const bdem_filling *fillings, const bdem_motion *m)
{
  const bdem_options *options = scene->options;
  double strain = INFINITY, gap = isfinite(m->closing) ? m->closing : 0.0;
  bool made = false;
  for (size_t i = 0; i < scene->specimen_count; ++i) {
    const bdem_material *material = bdem_material_of(scene, scene->specimens[i].material);
    strain = fmin(strain, material->tensile_strength / material->young_modulus); /* fmin passes over what is not given */
    made = made || bdem_strength_is_generated(options, material, bdem_is_packed(&fillings[i], &scene->specimens[i]));
  }
  double travel = gap + strain * travel_per_strain(&scene->rig, &fillings[0]);
  if (made || !isfinite(travel) || scr_program_has_servo(&scene->rig.load)) return NAN;
  for (int k = 0; k <= TIMES_LOOKED_AT; ++k)
    if (fabs(scr_program_displacement(&scene->rig.load, scene->time.duration * k / TIMES_LOOKED_AT)) >= travel)
      return 1.0 - (double)k / TIMES_LOOKED_AT;
  return 0.0;
}

/* What a run is made of: shares of the time. Those done by explicit steps overlap with the others, where large ones are tried first. */
typedef struct phases {
  double flying;   /**< nothing meets */
  double resting;  /**< under the weight, or sliding */
  double held;     /**< by grips */
  double pressed;  /**< slow loading */
  double breaking; /**< breaking under it, in large steps */
  double shaken;   /**< after an impact */
  double bursting; /**< done by explicit steps */
} phases;

/* What the shares depend on. */
typedef struct outlook {
  const scr_scene *scene;
  const bdem_options *options;
  const bdem_filling *fillings; /* [specimen_count] */
  bdem_motion motion;
  double ratio;       /* of a step to T */
  double stable_step; /* T, s */
  double dt;          /* s */
  bool breaks, friction;
} outlook;

static bool is_fast(const outlook *o, double speed)
{
  return speed * o->stable_step > slow_loading * o->motion.radius;
}

static bool is_variational(const outlook *o)
{
  return o->options->integrator == BDEM_INTEGRATOR_VARIATIONAL;
}

/* How far something goes in a step at the start, m. */
static double travel_in_step(const outlook *o)
{
  return fmax(o->motion.fastest + vec3_length(o->scene->rig.gravity) * o->dt, o->motion.rig) * o->dt;
}

/* Whether no large step is tried at all: things go farther in one than contacts are searched for, or what touches already goes farther than
 * a contact can be passed by. */
static bool is_out_of_reach(const outlook *o)
{
  const bdem_motion *m = &o->motion;
  double travel = travel_in_step(o);
  bool touches = m->passable < travel && !rests(o->scene, m, o->dt);
  return travel > bdem_longest_search() * m->widest || (touches && travel > 0.5 * m->radius);
}

/* Share of the steps done by bursts of breaking that are tried as large ones before. */
static double tried_before_bursts(const outlook *o)
{
  return o->ratio <= 1.0 ? 1.0 : is_variational(o) ? tried_in_vain : 0.0;
}

/* Whether a body breaks where something moves into it at that speed, m/s: by a stress of E v / c. Strengths that are made of an energy
 * don't tell: it does. */
static bool breaks_at(const outlook *o, double speed)
{
  double least = INFINITY;
  for (size_t i = 0; i < o->scene->specimen_count; ++i) {
    const bdem_material *material = bdem_material_of(o->scene, o->scene->specimens[i].material);
    double strain = material->tensile_strength / material->young_modulus;
    least = fmin(least, isnan(strain) ? 0.0 : strain);
  }
  return o->breaks && speed > least * wave_speed(o->scene);
}

/* A body that grips hold; what they strain fast loses too much in variational steps. */
static phases phases_of_held(const outlook *o, double broken)
{
  bool bursts = o->options->breaking == BDEM_BREAKING_EXPLICIT_BURSTS;
  if (o->breaks && is_variational(o) && is_fast(o, o->motion.grips) && (int)o->options->impacts == BDEM_IMPACTS_EXPLICIT_BURSTS)
    return (phases){.held = tried_again, .bursting = 1.0};
  return (phases){.held = 1.0 - broken, .breaking = bursts ? tried_before_bursts(o) * broken : broken, .bursting = bursts ? broken : 0.0};
}

/* A body that the rig presses. */
static phases phases_of_pressed(const outlook *o, double met, double broken)
{
  bool short_steps = o->ratio <= (breaks_at(o, 2.0 * o->motion.rig) ? shortest_ratio : short_ratio); /* it bends, so by less than E v / c */
  double tried = short_steps ? 1.0 : is_variational(o) || o->ratio <= short_ratio ? tried_again : 0.0;
  if (is_fast(o, o->motion.rig) && (int)o->options->impacts == BDEM_IMPACTS_EXPLICIT_BURSTS)
    return (phases){.flying = 1.0 - met, .bursting = met, .pressed = tried * met};
  bool bursts = o->options->breaking == BDEM_BREAKING_EXPLICIT_BURSTS;
  double pressed = fmax(0.0, met - broken);
  return (phases){.flying = fmax(0.0, 1.0 - pressed - broken),
                  .pressed = pressed,
                  .breaking = bursts ? tried_before_bursts(o) * broken : broken,
                  .bursting = bursts ? broken : 0.0};
}

/* Bodies that hit each other or the rig. What turns goes on turning when it is calm, and rubs where large steps are tried in vain. */
static phases phases_of_impact(const outlook *o, double met)
{
  bool bursts = (int)o->options->impacts == BDEM_IMPACTS_EXPLICIT_BURSTS, turns = o->motion.spin > 0.0;
  double crossings = o->scene->time.duration * wave_speed(o->scene) / o->motion.height;
  double burst = turns ? fmin(1.0, crossings / turning_crossings) * met : fmin(met, impact_crossings / crossings);
  if (vec3_length(o->scene->rig.gravity) > 0.0) burst = (1.0 - calm_share) * met;
  if (!bursts) burst = 0.0;
  double again = turns && o->friction && !o->breaks ? tried_in_vain : tried_again, tried = o->ratio <= 1.0     ? 1.0
                                                                                           : is_variational(o) ? again
                                                                                                               : 0.0;
  double calm = met - burst, rubbing = tried * burst;
  bool flies = turns && !o->friction; /* also where it touches */
  return (phases){.flying = 1.0 - met + (turns ? calm : 0.0) + (flies ? rubbing : 0.0),
                  .bursting = burst,
                  .shaken = (turns ? 0.0 : calm) + (flies ? 0.0 : rubbing)};
}

static phases phases_of(const outlook *o)
{
  const bdem_motion *m = &o->motion;
  double met = share_met(o->scene, m, o->dt), broken = o->breaks ? share_broken(o->scene, o->fillings, m) : 0.0;
  bool held = o->scene->rig.kind == SCR_RIG_GRIPS && m->fastest == 0.0;
  if (isnan(broken)) broken = breaking_share * met;
  if (is_out_of_reach(o) && (int)o->options->impacts == BDEM_IMPACTS_EXPLICIT_BURSTS) return (phases){.bursting = 1.0};
  if (held && !isfinite(m->gap)) return phases_of_held(o, broken);
  if (m->rig == 0.0 && rests(o->scene, m, o->dt)) return (phases){.resting = 1.0};
  bool weighs = vec3_length(o->scene->rig.gravity) > 0.0;
  if (m->fastest == 0.0 && (!weighs || (m->rig > 0.0 && rests(o->scene, m, o->dt)))) return phases_of_pressed(o, met, broken);
  return phases_of_impact(o, met);
}

/* Newton iterations of a part that presses on something, `ratio` T long. */
static double newton_pressed(const outlook *o, double ratio)
{
  bool faces = o->options->contact_surface == BDEM_SURFACE_FACES;
  if (!o->friction) return grown(pressed_newton, ratio);
  return grown(is_variational(o) ? middle_rubbed_newton : faces ? faces_newton : rubbed_newton, ratio);
}

/* The same where hardly anything is left to solve for, since the rig goes so little in a step. */
static double newton_pressed_by_rig(const outlook *o)
{
  double travel = o->motion.rig * o->dt / o->motion.radius, share = log10(fmax(travel, quiet_travel) / quiet_travel) / travel_decades;
  return fmax(1.0, fmin(share, 1.0) * (is_variational(o) ? middle_share : 1.0) * newton_pressed(o, o->ratio));
}

/* The same of what flies. */
static double newton_flying(const outlook *o)
{
  if (o->motion.spin > 0.0) return grown(is_variational(o) ? middle_turning_newton : turning_newton, o->ratio);
  return vec3_length(o->scene->rig.gravity) > 0.0 ? falling_newton : flying_newton;
}

/* The same of what grips hold. A body that is strained evenly goes on as it went: what is left to solve for falls with the speed. */
static double newton_held(const outlook *o)
{
  double speed = o->motion.grips * o->stable_step / o->motion.radius, share = log10(fmax(speed, quiet_speed) / quiet_speed) / speed_decades;
  if (vec3_length(o->scene->rig.gravity) > 0.0) share = 1.0; /* it swings */
  return fmax(1.0, fmin(share, 1.0) * (is_variational(o) ? middle_share : 1.0) * grown(held_newton, o->ratio));
}

/* The same of a part in which something breaks, by what the options say of it; `whole`: of one in which nothing does. Staged: the step in
 * vain, and the parts it is done in. */
static double newton_breaking(const outlook *o, double whole)
{
  const bdem_options *options = o->options;
  if (options->breaking == BDEM_BREAKING_SIMULTANEOUS) return simultaneous_newton * whole;
  if (options->breaking == BDEM_BREAKING_WORST_FIRST) return worst_first_newton * whole;
  if (options->breaking == BDEM_BREAKING_EXPLICIT_BURSTS || o->ratio <= options->fracture_step_ratio) return whole;
  double parts = exp2(ceil(log2(o->ratio / options->fracture_step_ratio)));
  return whole + fmax(1.0, staged_share * parts) * newton_pressed(o, o->ratio / parts);
}

/* Whether an impact is so fast that it breaks what it hits. */
static bool shatters(const outlook *o)
{
  double fall = sqrt(2.0 * vec3_length(o->scene->rig.gravity) * (isfinite(o->motion.gap) ? o->motion.gap : 0.0));
  return breaks_at(o, o->motion.fastest + fall);
}

/* Bodies that hold together, without any part. */
static bool touches_bodies_alone(const outlook *o)
{
  return !o->breaks && o->scene->rig.kind == SCR_RIG_NONE && o->scene->rig.obstacle_count == 0;
}

/* Adds parts that make up a share of the time. */
static void add_parts(bdem_work *work, double parts, double newton, double matrices)
{
  work->implicit_parts += parts;
  work->newton_iterations += parts * newton;
  work->made_matrices += parts * matrices;
}

/* What `steps` large steps do. */
static bdem_work large_steps(const outlook *o, double steps)
{
  phases p = phases_of(o);
  bdem_work work = {.explicit_steps = p.bursting * o->scene->time.duration / (o->scene->time.safety_factor * o->stable_step)};
  bool held = o->scene->rig.kind == SCR_RIG_GRIPS, sticks = is_variational(o) && o->friction;
  double pressed = newton_pressed_by_rig(o), whole = held ? grown(held_newton, o->ratio) : pressed;
  double rubbed = o->friction ? grown(rubbed_matrices, o->ratio) : pressed_matrices;
  add_parts(&work, steps * p.flying, newton_flying(o), o->motion.spin > 0.0 ? turning_matrices : calm_matrices);
  add_parts(&work, steps * p.resting, sticks ? grown(sticking_newton, o->ratio) : resting_newton, calm_matrices);
  add_parts(&work, steps * p.held, newton_held(o), calm_matrices);
  add_parts(&work, steps * p.pressed, pressed, rubbed);
  add_parts(&work, steps * p.breaking, newton_breaking(o, whole), held ? calm_matrices : rubbed);
  if (sticks && o->motion.spin > 0.0)
    add_parts(&work, steps * p.shaken, newton_pressed(o, o->ratio), 0.0);
  else if (o->friction && shatters(o))
    add_parts(&work, steps * p.shaken, grown(rubble_newton, o->ratio), grown(rubble_matrices, o->ratio));
  else
    add_parts(&work, steps * p.shaken,
              (sticks && touches_bodies_alone(o) ? middle_shaken : 1.0) * (shaken_newton + o->friction * shaken_friction),
              grown(shaken_matrices, o->ratio));
  if (work.implicit_parts < 1.0 && !is_out_of_reach(o)) add_parts(&work, 1.0 - work.implicit_parts, pressed, rubbed); /* the first */
  work.debris = p.breaking > 0.0 && o->options->breaking != BDEM_BREAKING_EXPLICIT_BURSTS;
  work.listed_far = travel_in_step(o) <= bdem_longest_search() * o->motion.widest;
  return work;
}

static double explicit_searches(const outlook *o, double steps)
{
  const bdem_motion *m = &o->motion;
  double travel = bdem_radii_per_step(o->scene, m, 1.0) * m->radius + fmax(m->rig, m->grips), slack = o->options->contact_skin * m->widest;
  return steps * fmin(1.0, travel * o->scene->time.safety_factor * o->stable_step / slack);
}

bdem_work bdem_estimate_work(const scr_scene *scene, const bdem_filling *fillings, double stable_step, const scr_estimate *estimate)
{
  const outlook o = {.scene = scene,
                     .options = scene->options,
                     .fillings = fillings,
                     .motion = bdem_motion_of(scene, fillings),
                     .ratio = estimate->time_step / stable_step,
                     .stable_step = stable_step,
                     .dt = estimate->time_step,
                     .breaks = estimate->step_rows > 0,
                     .friction = has_friction(scene)};
  double steps = scene->time.duration / estimate->time_step;
  bdem_work work = {.explicit_steps = steps};
  if (o.options->integrator != BDEM_INTEGRATOR_EXPLICIT) work = large_steps(&o, steps);
  work.searches = explicit_searches(&o, work.explicit_steps);
  return work;
}
