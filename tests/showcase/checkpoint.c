/* All that later bits depend on: bobs and drops, named once in a table of fields. Time, stages, parts, the ledger and tables are saved by
 * the shell. */
#include <math.h>

#include "tests/showcase/state.h"

const sim_field showcase_fields[SHOWCASE_FIELDS] = {
    FIELD_ARRAY("bobs", showcase_state, bobs, bob_count, FIELD_SAVED),
    FIELD_LIST("drops", showcase_state, drops, drop_count, drop_capacity, FIELD_SAVED),
    FIELD_VALUE("drops", showcase_state, drops_so_far, FIELD_SAVED),
    FIELD_VALUE("dents", showcase_state, dent, FIELD_SAVED | FIELD_NUMBERS),
};

scr_status showcase_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  return fields_save(showcase_fields, SHOWCASE_FIELDS, sim->state, blob, error);
}

scr_status showcase_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  showcase_state *s = sim->state;
  SCR_TRY(fields_load(showcase_fields, SHOWCASE_FIELDS, s, blob, error));
  for (size_t i = 0; i < s->bob_count; i++)
    if (!isfinite(s->bobs[i].angle + s->bobs[i].speed) || s->bobs[i].specimen >= s->scene->specimen_count)
      return scr_sim_damaged("bobs", error);
  return s->drops_so_far >= s->drop_count ? SCR_OK : scr_sim_damaged("drops", error);
}
