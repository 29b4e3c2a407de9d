/* Saving and loading the complete state: what step.c keeps, then the back end's arrays. */
#include "methods/peridem/checkpoint.h"

#include "methods/peridem/state.h"

static const uint64_t layout_version = 5;

scr_status pd_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  const pd_state *s = sim->state;
  SCR_TRY(scr_blob_write_u64(blob, layout_version, error));
  SCR_TRY(scr_blob_write_u64(blob, s->broken_bonds, error));
  SCR_TRY(scr_blob_write(blob, &s->ledger, sizeof s->ledger, error));
  SCR_TRY(scr_blob_write_array(blob, s->parts, s->rig->count, sizeof *s->parts, error));
  return s->backend->save(s, blob, error);
}

scr_status pd_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  pd_state *s = sim->state;
  uint64_t version;
  SCR_TRY(scr_blob_read_u64(blob, &version, error));
  if (version != layout_version)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint has layout %llu of method peridem; this build reads %llu",
                    (unsigned long long)version, (unsigned long long)layout_version);
  SCR_TRY(scr_blob_read_u64(blob, &s->broken_bonds, error));
  SCR_TRY(scr_blob_read(blob, &s->ledger, sizeof s->ledger, error));
  SCR_TRY(scr_blob_read_array(blob, s->parts, s->rig->count, sizeof *s->parts, "parts of the rig", error));
  return s->backend->load(s, blob, error);
}
