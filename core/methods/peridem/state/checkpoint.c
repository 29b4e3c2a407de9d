/* Saving and loading the complete state: what step.c keeps, then the back end's arrays. */
#include "methods/peridem/state/checkpoint.h"

#include "methods/peridem/state/state.h"

scr_status pd_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  const pd_state *s = sim->state;
  SCR_TRY(fields_save(pd_fields, PD_FIELDS, s, blob, error));
  return s->backend->save(s, blob, error);
}

scr_status pd_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  pd_state *s = sim->state;
  SCR_TRY(fields_load(pd_fields, PD_FIELDS, s, blob, error));
  return s->largest_load >= 0 ? s->backend->load(s, blob, error) : scr_sim_damaged("loads", error);
}
