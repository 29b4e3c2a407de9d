/* Where bodies lie at the start: outside of the rig, outside of each other, without a force that nobody asked for. */
#include <stdio.h>

#include "base/memory.h"
#include "methods/peridem/law/material.h"
#include "methods/peridem/scene/checker.h"

/* Nodes of all grains inside one part of the rig; the deepest's depth goes to *depth. Grains that are surely outside the
 * part are passed over as a whole. */
static size_t count_in_part(const pd_checker *c, const scr_part *part, double *depth)
{
  size_t count = 0;
  for (size_t i = 0; i < c->scene->specimen_count; i++) {
    const pd_body *body = &c->bodies[i];
    const scr_specimen *specimen = &c->scene->specimens[i];
    scr_vec3 middle = vec3_scale(vec3_add(body->box.low, body->box.high), 0.5);
    double reach = 0.5 * vec3_length(vec3_sub(body->box.high, body->box.low));
    for (size_t g = 0; body->node_count && g < specimen->position_count; g++) {
      scr_vec3 at = specimen->positions[g];
      if (scr_part_distance_at(part, part->start, vec3_add(at, middle)).distance > reach) continue;
      for (size_t k = 0; k < body->node_count; k++) {
        scr_vec3 node = vec3_add(at, vec3(body->x[k], body->y[k], body->z[k]));
        double d = scr_part_distance_at(part, part->start, node).distance;
        count += d < -1e-6 * body->spacing; /* round-off may put one on the surface */
        *depth = fmax(*depth, -d);
      }
    }
  }
  return count;
}

static void check_part(pd_checker *c, const scr_part *part)
{
  double depth = 0;
  if (part->kind == SCR_PART_GRIP) {
    bool built = c->bodies[0].node_count > 0;
    if (built && start_count_held(c->scene, c->clouds, part) == 0)
      (void)start_refuse_empty_grip(part, "node", c->report.problems); /* lost for want of memory: marked */
    return;
  }
  size_t count = count_in_part(c, part, &depth);
  if (count > 0)
    check_refuse(&c->report, check_at("%.39s/position", part->pointer), NAN, "a place that leaves the specimen out of the parts",
                 "%zu nodes lie inside %.47s at the start, up to %.4g m deep: move the specimen or give the rig more room", count,
                 part->name, depth);
  if (part->radius > 0 && part->radius < c->contact_radius) {
    check_refuse(&c->report,
                 check_at("%.39s/%s", part->pointer,
                          part->obstacle  ? "shape/radius"
                          : part->program ? "load_radius"
                                          : "support_radius"),
                 part->radius, "a radius of at least the contact radius, in m",
                 "%.47s has a radius of %.4g m, less than the contact radius of %.4g m, so that its surface can't be taken as flat: use a "
                 "larger radius or a finer spacing",
                 part->name, part->radius, c->contact_radius);
  }
}

static void check_parts(pd_checker *c)
{
  scr_part parts[SCR_PART_LIMIT];
  size_t count = scr_rig_parts(&c->scene->rig, parts);
  for (size_t p = 0; p < count; p++)
    if (parts[p].obstacle || c->scene->rig.kind != SCR_RIG_BOX) check_part(c, &parts[p]);
}

/* Nodes outside the box: only the extremes of each grain matter. */
static void check_inside(pd_checker *c)
{
  const scr_rig *rig = &c->scene->rig;
  if (rig->kind != SCR_RIG_BOX) return;
  for (size_t i = 0; i < c->scene->specimen_count; i++) {
    const scr_specimen *specimen = &c->scene->specimens[i];
    size_t outside = 0;
    for (size_t k = 0; c->bodies[i].node_count && k < specimen->position_count; k++) {
      scr_vec3 low = vec3_add(specimen->positions[k], c->bodies[i].box.low), high = vec3_add(specimen->positions[k], c->bodies[i].box.high);
      outside += low.x < rig->minimum.x || low.y < rig->minimum.y || low.z < rig->minimum.z || high.x > rig->maximum.x ||
                 high.y > rig->maximum.y || high.z > rig->maximum.z;
    }
    if (outside == 0) continue;
    check_refuse(&c->report, check_at("/specimens/%zu/placement", i), NAN, "positions inside the box",
                 "%zu of the %zu grains of specimen '%s' reach out of the box: move them or use a larger box", outside,
                 specimen->position_count, specimen->name);
  }
}

/* What pushes a node at the start, against what breaks a bond of its body (stretches it by a hundredth where it can't break). */
static double force_ratio(const pd_body *body, double force)
{
  double stretch = isfinite(body->critical_stretch) ? body->critical_stretch : 0.01;
  return force / (body->stiffness * stretch);
}

/* By the paper's law a body nearer to a part than the contact radius is pushed at once, and hard. */
static void warn_of_push(const pd_checker *c, size_t i, const scr_part *part)
{
  const pd_body *body = &c->bodies[i];
  const scr_specimen *specimen = &c->scene->specimens[i];
  double least = INFINITY;
  for (size_t g = 0; g < specimen->position_count; g++)
    for (size_t k = 0; k < body->node_count; k++) {
      scr_vec3 node = vec3_add(specimen->positions[g], vec3(body->x[k], body->y[k], body->z[k]));
      if (scr_part_is_far(part, part->start, node, c->contact_radius)) continue;
      least = fmin(least, scr_part_distance_at(part, part->start, node).distance);
    }
  double Kn = pd_contact_stiffness(body->bulk_modulus, body->bulk_modulus, c->contact_radius) * c->options->contact_stiffness_factor;
  double force = Kn * body->node_volume * pd_wall_repulsion((pd_wall_law)c->options->wall_law, c->contact_radius, least);
  double ratio = force_ratio(body, force);
  if (!(ratio > 0.01)) return;
  check_warn(&c->report, check_at("/specimens/%zu/placement", i), least, "a start without force",
             "nodes of specimen '%.63s' start %.3g m from %.47s, nearer than the contact radius of %.3g m: each is pushed by up to %.3g N "
             "at once, %.3g times what breaks a bond: leave a gap of the contact radius, or use contact_surface \"body\"",
             specimen->name, least, part->name, c->contact_radius, force, ratio);
}

static void warn_of_pushes(const pd_checker *c)
{
  scr_part parts[SCR_PART_LIMIT];
  if (pd_contact_begins(c->options) != PD_SURFACE_NODES) return; /* else nodes touch where they start */
  for (size_t p = 0, count = scr_rig_parts(&c->scene->rig, parts); p < count; p++)
    for (size_t i = 0; i < c->scene->specimen_count && parts[p].kind != SCR_PART_GRIP; i++)
      if (c->bodies[i].node_count) warn_of_push(c, i, &parts[p]);
}

/* How deep the nodes of one grain lie in the shape of another, at most, m; <= 0: none lies in it. */
static double depth_in(const pd_checker *c, const start_body *of, const start_body *in)
{
  return start_depth(c->scene, c->clouds, of, in, c->bodies[in->specimen].spacing);
}

/* Two grains with nodes nearer than they touch: by the paper's law that is a push at the start; else it matters only whether they overlap.
 * */
static bool judge_overlap(pd_checker *c, const start_body *a, const start_body *b, double gap, double zero)
{
  const pd_body *body_a = &c->bodies[a->specimen], *body_b = &c->bodies[b->specimen];
  check_place place = check_at("/specimens/%zu/placement", b->specimen);
  static const char apart[] = "grains that do not overlap";
  const char *name_a = c->scene->specimens[a->specimen].name, *name_b = c->scene->specimens[b->specimen].name;
  if (pd_contact_begins(c->options) != PD_SURFACE_NODES) {
    double depth = fmax(depth_in(c, a, b), depth_in(c, b, a));
    if (!(depth > 0.01 * fmin(body_a->spacing, body_b->spacing))) return false;
    check_refuse(
        &c->report, place, NAN, apart,
        "grain %zu of specimen '%.63s' and grain %zu of '%.63s' overlap at the start: nodes of one lie up to %.4g m inside the other: move "
        "them, or set the option allow_initial_contact",
        b->number, name_b, a->number, name_a, depth);
    return true;
  }
  check_refuse(
      &c->report, place, NAN, apart,
      "grain %zu of specimen '%.63s' and grain %zu of '%.63s' have nodes only %.4g m apart at the start; by contact_surface \"nodes\" "
      "grains must be at least the contact radius of %.4g m apart: move them, use contact_surface \"body\", or set the option "
      "allow_initial_contact",
      b->number, name_b, a->number, name_a, gap, zero);
  return true;
}

/* Grains that may start nearer than they touch, by the paper's law, are warned of with the force. */
static bool warn_of_overlap(pd_checker *c, const start_body *a, const start_body *b, double gap, double zero)
{
  const pd_body *body_a = &c->bodies[a->specimen], *body_b = &c->bodies[b->specimen];
  double Kn = pd_contact_stiffness(body_a->bulk_modulus, body_b->bulk_modulus, c->contact_radius) * c->options->contact_stiffness_factor;
  double force = Kn * body_a->node_volume * body_b->node_volume * (zero - gap);
  double ratio = fmax(force_ratio(body_a, force), force_ratio(body_b, force));
  if (pd_contact_begins(c->options) != PD_SURFACE_NODES || !(ratio > 0.01)) return false;
  check_warn(
      &c->report, check_at("/specimens/%zu/placement", b->specimen), gap, "a start without force",
      "grain %zu of specimen '%.63s' and grain %zu of '%.63s' have nodes %.4g m apart at the start, nearer than the contact radius of %.4g "
      "m: a pair is pushed apart by %.3g N at once, %.3g times what breaks a bond: leave a gap, or use contact_surface \"body\"",
      b->number, c->scene->specimens[b->specimen].name, a->number, c->scene->specimens[a->specimen].name, gap, zero, force, ratio);
  return true;
}

static bool judge_pair(void *check, const start_body *a, const start_body *b)
{
  pd_checker *c = check;
  double zero = pd_pair_zero(c->options, c->contact_radius, c->bodies[a->specimen].spacing, c->bodies[b->specimen].spacing);
  double gap = start_gap(c->clouds, a, b, zero);
  if (!(gap < zero * (1 - GEO_LENGTH_SLACK))) return false;
  return c->options->allow_initial_contact ? warn_of_overlap(c, a, b, gap, zero) : judge_overlap(c, a, b, gap, zero);
}

static scr_status check_overlap(pd_checker *c)
{
  for (size_t i = 0; i < c->scene->specimen_count; i++)
    if (c->bodies[i].node_count == 0) return SCR_OK; /* too large to be built here */
  return start_judge_pairs(c->scene, c->clouds, c->contact_radius, judge_pair, c);
}

scr_status pd_check_places(pd_checker *c)
{
  size_t count = c->scene->specimen_count;
  c->clouds = mem_array(count, sizeof *c->clouds);
  if (!c->clouds) return SCR_NO_MEMORY;
  for (size_t i = 0; i < count; i++)
    c->clouds[i] = (start_cloud){c->bodies[i].node_count, c->bodies[i].x, c->bodies[i].y, c->bodies[i].z, 1, c->bodies[i].box};
  check_inside(c);
  check_parts(c);
  warn_of_pushes(c);
  scr_status status = check_overlap(c);
  mem_free(c->clouds);
  c->clouds = NULL;
  return status;
}
