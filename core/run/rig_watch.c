/* Whether the rig met anything. */
#include "run/rig_watch.h"

#include <math.h>

#include "base/quantity.h"
#include "sim/sim.h"

void rig_watch_step(rig_watch *watch, const scr_sim *sim)
{
  const sim_parts *parts = &sim->parts;
  for (size_t p = 0; p < parts->count; p++) {
    const part_load *load = &parts->load[p];
    watch->peak = fmax(watch->peak, vec3_length(load->force));
    if (sim->time_step > 0) watch->peak = fmax(watch->peak, vec3_length(load->impulse) / sim->time_step);
    const scr_part *form = &parts->form[p];
    if (!form->program || form->obstacle) continue; /* obstacles may have other tasks, such as a gate's */
    double gone = form->sign * vec3_dot(vec3_sub(parts->now[p].pose.position, form->start), form->axis);
    if (gone > watch->travel) {
      watch->travel = gone;
      watch->part = p;
    }
  }
}

void rig_watch_judge(const rig_watch *watch, scr_sim *sim)
{
  if (watch->peak > 0 || !(watch->travel > 0)) return;
  char travel[QUANTITY_BYTES];
  quantity_text(watch->travel, "m", travel, sizeof travel);
  scr_sim_doubt(sim, "rig_met_nothing",
                "%s went %s, and no part of the rig carried any force in the whole run: it never met a specimen; begin with a smaller gap, let it go "
                "farther, or divide specimens finer whose elements end below their faces",
                sim->parts.form[watch->part].name, travel);
}

scr_status rig_watch_save(const rig_watch *watch, scr_blob *blob, scr_error *error)
{
  SCR_TRY(scr_blob_write_f64(blob, watch->peak, error));
  SCR_TRY(scr_blob_write_f64(blob, watch->travel, error));
  return scr_blob_write_u64(blob, watch->part, error);
}

scr_status rig_watch_load(rig_watch *watch, scr_blob *blob, scr_error *error)
{
  uint64_t part = 0;
  SCR_TRY(scr_blob_read_f64(blob, &watch->peak, error));
  SCR_TRY(scr_blob_read_f64(blob, &watch->travel, error));
  SCR_TRY(scr_blob_read_u64(blob, &part, error));
  if (part >= SCR_PART_LIMIT) return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint speaks of part %llu of the rig; at most %d are possible",
                                              (unsigned long long)part, SCR_PART_LIMIT);
  watch->part = (size_t)part;
  return SCR_OK;
}
