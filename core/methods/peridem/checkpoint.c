/* Saving and loading the complete state: what step.c keeps, then the back end's arrays. */
#include "methods/peridem/checkpoint.h"

#include "methods/peridem/state.h"

scr_status pd_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  const pd_state *s = sim->state;
  SCR_TRY(scr_blob_write_u64(blob, s->broken_bonds, error));
  SCR_TRY(scr_blob_write(blob, &s->largest_load, sizeof s->largest_load, error));
  SCR_TRY(scr_blob_write_array(blob, s->parts, s->rig->count, sizeof *s->parts, error));
  return s->backend->save(s, blob, error);
}

scr_status pd_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  pd_state *s = sim->state;
  SCR_TRY(scr_blob_read_u64(blob, &s->broken_bonds, error));
  SCR_TRY(scr_blob_read(blob, &s->largest_load, sizeof s->largest_load, error));
  if (!(s->largest_load >= 0) || !isfinite(s->largest_load)) return scr_sim_damaged("loads", error);
  SCR_TRY(scr_blob_read_array(blob, s->parts, s->rig->count, sizeof *s->parts, "parts of the rig", error));
  return s->backend->load(s, blob, error);
}
