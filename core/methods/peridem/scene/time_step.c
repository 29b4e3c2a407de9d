/* The time step: stable, and short enough for what moves. */
#include <stdio.h>

#include "methods/peridem/scene/checker.h"
#include "sim/time_step.h"

/* In one step nothing may move by more than this part of the contact radius; in a load step, which ends in equilibrium, by more. */
static const double travel = 0.1, load_travel = 0.5;

/* What moves fastest: a part of the rig, or the nodes of a specimen. */
typedef struct fastest {
  double speed; /* m/s */
  char who[96], pointer[96];
} fastest;

static void compare(fastest *f, double speed, const char *who, const char *pointer)
{
  if (!(speed > f->speed)) return;
  f->speed = speed;
  snprintf(f->who, sizeof f->who, "%.90s", who);
  snprintf(f->pointer, sizeof f->pointer, "%.90s", pointer);
}

/* How far from a part's position its surface can meet a specimen, m: of what has no end, as far as specimens lie at the start. */
static double span_of(const pd_checker *c, const scr_part *part)
{
  double farthest = 0;
  for (size_t i = 0; i < c->scene->specimen_count; i++) {
    const scr_specimen *specimen = &c->scene->specimens[i];
    const geo_box *box = &c->bodies[i].box;
    double reach = c->bodies[i].node_count ? fmax(vec3_length(box->low), vec3_length(box->high)) : 0;
    for (size_t k = 0; k < specimen->position_count; k++)
      farthest = fmax(farthest, vec3_length(vec3_sub(specimen->positions[k], part->start)) + reach);
  }
  return fmin(part->extent, farthest);
}

static fastest find_fastest(const pd_checker *c)
{
  const scr_scene *scene = c->scene;
  fastest f = {0};
  scr_part parts[SCR_PART_LIMIT];
  char who[96], pointer[96];
  for (size_t p = 0, count = scr_rig_parts(&scene->rig, parts); p < count; p++)
    compare(&f, scr_part_peak_speed(&parts[p], scene->time.duration, span_of(c, &parts[p])), parts[p].name, parts[p].program_pointer);
  for (size_t i = 0; i < scene->specimen_count; i++) {
    const scr_specimen *specimen = &scene->specimens[i];
    const geo_box *box = &c->bodies[i].box;
    double reach = c->bodies[i].node_count ? fmax(vec3_length(box->low), vec3_length(box->high)) : 0;
    double turning = vec3_length(specimen->angular_velocity) * reach, along = vec3_length(specimen->velocity);
    snprintf(who, sizeof who, "specimen '%.63s'", specimen->name);
    snprintf(pointer, sizeof pointer, "/specimens/%zu/%s", i, turning > along ? "angular_velocity" : "velocity");
    compare(&f, along + turning, who, pointer);
  }
  return f;
}

static void check_travel(pd_checker *c, const fastest *f, double time_step)
{
  double most = travel * c->contact_radius / time_step;
  if (f->speed <= most) return;
  check_refuse(&c->report, check_at("%s", f->pointer), f->speed, "a slower motion, or a shorter time step",
               "%s moves %.3g m in one step of %.3g s; at most a tenth of the contact radius, %.3g m, is allowed: use at most %.4g m/s, or "
               "a time step of at most %.4g s",
               f->who, f->speed * time_step, time_step, travel * c->contact_radius, most, travel * c->contact_radius / f->speed);
}

/* What quasi-static loading has no equilibrium for. */
static void check_parts_at_rest(pd_checker *c)
{
  const scr_scene *scene = c->scene;
  scr_part parts[SCR_PART_LIMIT];
  for (size_t p = 0, count = scr_rig_parts(&scene->rig, parts); p < count; p++)
    if (parts[p].steers || parts[p].is_free)
      check_refuse(&c->report, check_at("%s", parts[p].program_pointer), NAN, "parts whose program says where they are",
                   "loading \"quasi_static\" moves nodes to equilibrium with a rig that is where its program says: servos and free parts "
                   "need loading \"dynamic\"");
  for (size_t i = 0; i < scene->specimen_count; i++) {
    if (!(vec3_length(scene->specimens[i].velocity) + vec3_length(scene->specimens[i].angular_velocity) > 0)) continue;
    check_refuse(&c->report, check_at("/specimens/%zu/velocity", i), NAN, "[0, 0, 0]",
                 "nodes have no velocity in loading \"quasi_static\": leave it out, or use loading \"dynamic\"");
  }
}

static void check_laws_at_rest(pd_checker *c)
{
  if (c->options->damping_step == PD_DAMPING_EXPLICIT)
    check_refuse(&c->report, check_at("/options/damping_step"), NAN, "\"limited\"",
                 "loading \"quasi_static\" has no velocities that damping could act on: leave damping_step out");
  if (c->options->friction_law == PD_FRICTION_VISCOUS)
    check_refuse(&c->report, check_at("/options/friction_law"), NAN, "\"spring\"",
                 "loading \"quasi_static\" has no velocities, by which viscous friction acts: use friction_law \"spring\"");
  if (c->options->damping_rate > 0)
    check_refuse(&c->report, check_at("/options/damping_rate"), c->options->damping_rate, "0",
                 "loading \"quasi_static\" finds its damping itself: leave damping_rate out");
}

/* A load step may be as long as the rig's way in it is short against contacts. */
static void check_load_step(pd_checker *c, scr_estimate *estimate)
{
  const scr_scene *scene = c->scene;
  bool given = !isnan(scene->time.time_step);
  fastest f = find_fastest(c);
  estimate->time_step = given ? scene->time.time_step : scene->time.duration / (double)c->options->load_steps;
  snprintf(estimate->time_step_rule, sizeof estimate->time_step_rule, "%s", given ? "given" : "load_steps");
  double displacement = f.speed * estimate->time_step, most = load_travel * c->contact_radius;
  check_parts_at_rest(c);
  check_laws_at_rest(c);
  if (displacement <= most) return;
  static const char slow[] = "load steps in which the rig moves by less than half of the contact radius";
  static const char moves[] = "%s moves %.3g m in one load step; at most half of the contact radius, %.3g m, is allowed: use %s %.3g%s";
  if (given)
    check_refuse(&c->report, check_at("/time/time_step"), estimate->time_step, slow, moves, f.who, displacement, most,
                 "a time step of at most", most / f.speed, " s");
  else
    check_refuse(&c->report, check_at("/options/load_steps"), (double)c->options->load_steps, slow, moves, f.who, displacement, most,
                 "at least", ceil(scene->time.duration * f.speed / most), " load_steps");
}

void pd_check_step(pd_checker *c, scr_estimate *estimate)
{
  const scr_scene *scene = c->scene;
  const char *rule;
  if (c->options->loading == PD_QUASI_STATIC) {
    check_load_step(c, estimate);
    return;
  }
  double bound = pd_step_bound(scene, c->bond_bound, &rule);
  fastest f = find_fastest(c);
  const sim_bound bounds[] = {{bound * scene->time.safety_factor, rule},
                              {f.speed > 0 ? travel * c->contact_radius / f.speed * (1 - 1e-12) : INFINITY, "travel"}};
  bool given = sim_choose_step(scene, bounds, sizeof bounds / sizeof bounds[0], 1, estimate);
  if (given && estimate->time_step > bound && !c->options->allow_unstable_step)
    check_refuse(&c->report, check_at("/time/time_step"), estimate->time_step, "a stable step, in s",
                 "time step %.4g s is above the stable bound of %.4g s (%s): use at most %.4g s, or null to have it chosen",
                 estimate->time_step, bound, rule, 0.9 * bound);
  if (given) check_travel(c, &f, estimate->time_step);
  (void)parts_check_servos(scene, estimate->time_step, pd_part_response(scene),
                           c->report.problems); /* without memory the list is marked as cut */
  (void)parts_check_free(scene, estimate->time_step, pd_part_response(scene), c->report.problems);
  scr_part parts[SCR_PART_LIMIT];
  for (size_t p = 0, count = scr_rig_parts(&scene->rig, parts); p < count; p++)
    if (parts[p].is_free && c->options->damping_step == PD_DAMPING_EXPLICIT)
      check_refuse(&c->report, check_at("%s", parts[p].program_pointer), NAN, "damping_step \"limited\", or no `free`",
                   "explicit damping books its work for parts that a program moves only: use damping_step \"limited\", or let a program "
                   "move the part");
}
