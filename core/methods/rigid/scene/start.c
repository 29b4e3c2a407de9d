/* Bodies that start in each other or in the rig. A run moves them apart without a trace in speeds and energies, so that a person who typed
 * a length wrong would not see it: the check warns of it, and the run's end says it. */
#include <stdio.h>

#include "base/memory.h"
#include "methods/rigid/state/state.h"
#include "sim/rig/start.h"

bool rigid_lies_in(const rigid_state *s, const geo_touch *touch, double *extent)
{
  const double accepted = 0.1; /* of it */
  const rigid_body *a = &s->bodies[touch->a], *b = touch->b < s->body_count ? &s->bodies[touch->b] : a;
  *extent = fmin(s->shapes[a->shape].extent * a->scale, s->shapes[b->shape].extent * b->scale);
  return -touch->gap > accepted * *extent;
}

/* "body 3 of specimen 'stones'", or the name of a part. */
static void name_of(const rigid_state *s, const sim_parts *parts, uint32_t body, size_t bytes, char *name)
{
  if (body >= s->body_count) {
    snprintf(name, bytes, "%s", parts->form[body - s->body_count].name);
    return;
  }
  for (size_t p = 0; p < parts->count; p++)
    if (s->part_body[p] == body) {
      snprintf(name, bytes, "%s", parts->form[p].name);
      return;
    }
  const scr_specimen *specimen = &s->scene->specimens[s->bodies[body].shape];
  size_t first = 0;
  for (const scr_specimen *k = s->scene->specimens; k < specimen; k++) first += k->position_count;
  snprintf(name, bytes, "body %zu of specimen '%s'", body - first, specimen->name);
}

static void warn_of(const scr_checker *c, const rigid_state *s, const sim_parts *parts, const geo_touch *touch, double extent)
{
  char one[200], other[200];
  uint32_t owner = touch->b < s->specimen_bodies ? touch->b : touch->a; /* the later one */
  name_of(s, parts, touch->a, sizeof one, one);
  name_of(s, parts, touch->b, sizeof other, other);
  check_place place = owner < s->specimen_bodies ? check_at("/specimens/%u/placement", s->bodies[owner].shape) : check_at("/rig");
  check_warn(c, place, NAN, "places at which bodies overlap by less than a tenth of their extent",
             "%s starts %.3g m deep in %s (the smaller of the two reaches %.3g m from its middle): the run moves them apart without giving "
             "them speed, so it does not begin as this scene says; move one of them, and check that sizes and places are in one unit",
             one, -touch->gap, other, extent);
}

/* Touches of one pair stand together: the deepest speaks for all. */
static void warn_of_all(const scr_checker *c, const rigid_state *s, const sim_parts *parts)
{
  const touch_list *touches = &s->detection.touches;
  size_t warned = 0;
  for (size_t k = 0, next; k < touches->count && warned < START_REPORTS; k = next) {
    const geo_touch *deepest = &touches->items[k];
    double extent;
    for (next = k; next < touches->count && touches->items[next].a == deepest->a && touches->items[next].b == deepest->b; next++)
      if (touches->items[next].gap < deepest->gap) deepest = &touches->items[next];
    if (!rigid_lies_in(s, deepest, &extent)) continue;
    warn_of(c, s, parts, deepest, extent);
    warned++;
  }
  if (s->detection.exhausted && warned < START_REPORTS)
    check_warn(
        c, check_at("/specimens"), NAN, "",
        "so many bodies are near each other that only some were checked: whether others start in each other or in the rig is not known");
}

scr_status rigid_check_start(const scr_checker *c, double time_step)
{
  const scr_scene *scene = c->scene;
  const double still[SCR_PART_LIMIT] = {0}, budget = 2e8; /* a second; ten thousand times what most scenes need */
  sim_parts *parts = mem_array(1, sizeof *parts);
  if (!parts) return SCR_NO_MEMORY;
  parts_create(parts, &scene->rig);
  rigid_state *s = NULL;
  sim_ledger ledger = {0};
  scr_error error = {0};
  scr_status status = rigid_state_create(scene, parts, &ledger, time_step, &s, &error);
  if (status == SCR_OK) {
    const detect_scene view = {.shapes = s->shapes,
                               .bodies = s->bodies,
                               .body_count = s->body_count,
                               .specimen_bodies = s->specimen_bodies,
                               .parts = parts,
                               .part_pieces = s->part_pieces,
                               .part_speed = still,
                               .budget = budget};
    status = detect_run(&s->detection, &view, execution_of(1), &error);
  }
  if (status == SCR_OK) warn_of_all(c, s, parts);
  rigid_state_destroy(s);
  mem_free(parts);
  return status == SCR_NO_MEMORY ? SCR_NO_MEMORY : SCR_OK; /* what else there is to say the run says */
}
