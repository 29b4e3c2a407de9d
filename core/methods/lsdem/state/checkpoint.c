/* All that later bits depend on: the fields of the state that are saved, which bonds broke, own level sets, the friction of contacts.
 * Templates follow from the scene; parts and the ledger are saved by the shell. */
#include <math.h>

#include "base/memory.h"
#include "methods/lsdem/contact/pass.h"
#include "methods/lsdem/view/view.h"

scr_status lsdem_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  const lsdem_state *s = sim->state;
  SCR_TRY(fields_save(lsdem_fields, LSDEM_FIELDS, s, blob, error));
  SCR_TRY(scr_blob_write_array(blob, s->bonds, s->bond_count, sizeof *s->bonds, error));
  for (size_t i = 0; i < s->followed_count; i++) SCR_TRY(lsdem_follow_save(&s->followed[i], blob, error));
  return lsdem_directions_save(&s->near, blob, error);
}

/* What is read may be anything: a grain must be where it can be. That its template is the scene's is lsdem_identify_grains' to see. */
static bool valid(const lsdem_grain *g)
{
  const scr_vec3 all[] = {g->position, g->velocity, g->angular, g->force, g->torque, g->dashpot_force, g->dashpot_torque};
  double sum = g->travel + g->turned + g->bent + g->most_moved;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) sum += all[k].x + all[k].y + all[k].z;
  return isfinite(sum) && fabs(quat_length(g->rotation) - 1) < 1e-6;
}

/* Of bonds that were made as they are made now, which of them broke. */
static scr_status load_bonds(lsdem_state *s, scr_blob *blob, scr_error *error)
{
  lsdem_bond *bonds = mem_array(s->bond_count + 1, sizeof *bonds);
  if (!bonds) return scr_fail_memory(error, "bonds", s->bond_count * sizeof *bonds);
  scr_status status = scr_blob_read_array(blob, bonds, s->bond_count, sizeof *bonds, "bonds", error);
  for (size_t k = 0; k < s->bond_count && status == SCR_OK; k++) {
    const lsdem_bond *read = &bonds[k], *made = &s->bonds[k];
    if (read->slave != made->slave || read->master != made->master || read->node != made->node || read->broken > LSDEM_BOND_BROKEN)
      status = scr_sim_damaged("bonds", error);
  }
  for (size_t k = 0; k < s->bond_count && status == SCR_OK; k++) s->bonds[k].broken = bonds[k].broken;
  mem_free(bonds);
  return status;
}

scr_status lsdem_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  lsdem_state *s = sim->state;
  scr_status status = fields_load(lsdem_fields, LSDEM_FIELDS, s, blob, error);
  bool same = lsdem_identify_grains(s); /* whatever was read: from here on templates and offsets are the scene's */
  SCR_TRY(status);
  for (size_t i = 0; i < s->grain_count && same; i++) same = valid(&s->grains[i]);
  if (!same) return scr_sim_damaged("grains", error);
  SCR_TRY(load_bonds(s, blob, error));
  for (size_t i = 0; i < s->followed_count; i++)
    SCR_TRY(lsdem_follow_load(&s->followed[i], &s->templates[s->grains[i].shape], blob, error));
  lsdem_make_views(s);
  return lsdem_directions_load(&s->near, s->views, s->grain_count, s->parts->count, blob, error);
}
