/* All that later bits depend on: bobs and drops. Time, stages, parts, the ledger and tables are saved by the shell. */
#include <math.h>

#include "base/memory.h"
#include "tests/showcase/state.h"

scr_status showcase_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  const showcase_state *s = sim->state;
  SCR_TRY(scr_blob_write_array(blob, s->bobs, s->bob_count, sizeof *s->bobs, error));
  SCR_TRY(scr_blob_write_u64(blob, s->drop_count, error));
  SCR_TRY(scr_blob_write_array(blob, s->drops, s->drop_count, sizeof *s->drops, error));
  SCR_TRY(scr_blob_write_u64(blob, s->drops_so_far, error));
  return scr_blob_write_f64(blob, s->dent, error);
}

scr_status showcase_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  showcase_state *s = sim->state;
  uint64_t drops, so_far;
  SCR_TRY(scr_blob_read_array(blob, s->bobs, s->bob_count, sizeof *s->bobs, "bobs", error));
  SCR_TRY(scr_blob_read_u64(blob, &drops, error));
  if (drops > UINT32_MAX) return scr_sim_damaged("drops", error);
  if (!mem_grow(&s->drops, &s->drop_capacity, (size_t)drops, sizeof *s->drops)) return scr_fail_memory(error, "the drops", drops * sizeof *s->drops);
  SCR_TRY(scr_blob_read_array(blob, s->drops, (size_t)drops, sizeof *s->drops, "drops", error));
  SCR_TRY(scr_blob_read_u64(blob, &so_far, error));
  SCR_TRY(scr_blob_read_f64(blob, &s->dent, error));
  s->drop_count = (size_t)drops;
  s->drops_so_far = (uint32_t)so_far;
  for (size_t i = 0; i < s->bob_count; i++)
    if (!isfinite(s->bobs[i].angle + s->bobs[i].speed) || s->bobs[i].specimen >= s->scene->specimen_count) return scr_sim_damaged("bobs", error);
  return isfinite(s->dent) && so_far >= drops && so_far <= UINT32_MAX ? SCR_OK : scr_sim_damaged("drops", error);
}
