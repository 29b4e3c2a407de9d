/* Whether the parts of a rig met anything. */
#include "run/rig_monitor.h"

#include <math.h>

#include "base/quantity.h"
#include "scene/places/reach.h"
#include "sim/sim.h"

/* A body that answers with less than this share of its own elasticity was not what the rig measured. */
static const double least_share = 0.1;

/* Whether a part is there to load something: obstacles may have other tasks, such as a gate's. */
static bool loads(const scr_part *form)
{
  return form->program && !form->obstacle;
}

void rig_monitor_step(rig_monitor *watch, const scr_sim *sim)
{
  const sim_parts *parts = &sim->parts;
  for (size_t p = 0; p < parts->count; p++) {
    const part_load *load = &parts->load[p];
    const scr_part *form = &parts->form[p];
    watch->peak[p] = fmax(watch->peak[p], vec3_length(load->force));
    if (sim->time_step > 0) watch->peak[p] = fmax(watch->peak[p], vec3_length(load->impulse) / sim->time_step);
    if (loads(form))
      watch->travel[p] = fmax(watch->travel[p], form->sign * vec3_dot(vec3_sub(parts->now[p].pose.position, form->start), form->axis));
  }
}

static void doubt_nothing(const rig_monitor *watch, scr_sim *sim)
{
  const sim_parts *parts = &sim->parts;
  size_t count = 0, farthest = 0, nearest = 0;
  for (size_t p = 0; p < parts->count; p++) {
    if (!loads(&parts->form[p]) || watch->peak[p] > 0 || !(watch->travel[p] > 0)) continue;
    if (count++ == 0 || watch->travel[p] > watch->travel[farthest]) farthest = p;
  }
  if (count == 0) return;
  char travel[QUANTITY_BYTES], distance[QUANTITY_BYTES], others[64] = "", where[160] = "";
  const scr_part *form = &parts->form[farthest];
  quantity_text(watch->travel[farthest], "m", travel, sizeof travel);
  double gap = scene_gap(sim->scene, form, &nearest);
  quantity_text(gap, "m", distance, sizeof distance);
  if (isfinite(gap) && gap > 0)
    snprintf(where, sizeof where, ", while the nearest, '%.63s', began %s away", sim->scene->specimens[nearest].name, distance);
  if (count > 1) snprintf(others, sizeof others, " (and so did %zu other part%s)", count - 1, count > 2 ? "s" : "");
  scr_sim_doubt(sim, "rig_met_nothing",
                "%s went %s and carried 0 N in the whole run%s: it never met a specimen%s; begin with a smaller gap, let it go farther, or "
                "divide specimens "
                "finer whose elements end below their faces",
                form->name, travel, others, where);
}

/* What part p should have felt at most, N, and by how much it closed on the body, m; 0 where that is not known. */
static double expected_force(const rig_monitor *watch, const scr_sim *sim, size_t p, double *closure)
{
  scene_press press;
  if (!scene_pressed(sim->scene, sim->parts.form, sim->parts.count, p, &press)) return 0;
  *closure = watch->travel[p] + watch->travel[press.against] - press.slack;
  return *closure > 0 ? scene_press_force(&press, *closure) : 0;
}

static void doubt_little(const rig_monitor *watch, scr_sim *sim)
{
  for (size_t p = 0; p < sim->parts.count; p++) {
    double closure = 0, expected = expected_force(watch, sim, p, &closure);
    if (!(watch->travel[p] > 0) || !(watch->peak[p] > 0) || !(watch->peak[p] < least_share * expected)) continue;
    char carried[QUANTITY_BYTES], due[QUANTITY_BYTES], closed[QUANTITY_BYTES];
    quantity_text(watch->peak[p], "N", carried, sizeof carried);
    quantity_text(expected, "N", due, sizeof due);
    quantity_text(closure, "m", closed, sizeof closed);
    scr_sim_doubt(
        sim, "rig_barely_met",
        "%s closed on '%.63s' by %s and carried %s at most, %.2g of the %s with which an elastic body of this shape and modulus answers: "
        "the curve "
        "shows the approach to the contact, or a soft contact, not the body; divide it finer, press it farther, or take another law of "
        "contact",
        sim->parts.form[p].name, sim->scene->specimens[0].name, closed, carried, watch->peak[p] / expected, due);
    return;
  }
}

void rig_monitor_judge(const rig_monitor *watch, scr_sim *sim, double failed)
{
  doubt_nothing(watch, sim);
  if (!(failed > 0)) doubt_little(watch, sim);
}

scr_status rig_monitor_save(const rig_monitor *watch, scr_blob *blob, scr_error *error)
{
  SCR_TRY(scr_blob_write_array(blob, watch->peak, SCR_PART_LIMIT, sizeof *watch->peak, error));
  return scr_blob_write_array(blob, watch->travel, SCR_PART_LIMIT, sizeof *watch->travel, error);
}

scr_status rig_monitor_load(rig_monitor *watch, scr_blob *blob, scr_error *error)
{
  SCR_TRY(scr_blob_read_array(blob, watch->peak, SCR_PART_LIMIT, sizeof *watch->peak, "forces on the rig's parts", error));
  return scr_blob_read_array(blob, watch->travel, SCR_PART_LIMIT, sizeof *watch->travel, "travels of the rig's parts", error);
}
