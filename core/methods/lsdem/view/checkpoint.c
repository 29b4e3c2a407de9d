/* All that later bits depend on: grains, modes, the friction of contacts, sums. Templates follow from the scene; parts and the ledger are
 * saved by the shell. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "methods/lsdem/contact/pass.h"
#include "methods/lsdem/view/view.h"

scr_status lsdem_save(const scr_sim *sim, scr_blob *blob, scr_error *error)
{
  const lsdem_state *s = sim->state;
  SCR_TRY(scr_blob_write_array(blob, s->grains, s->grain_count, sizeof *s->grains, error));
  SCR_TRY(scr_blob_write_array(blob, s->amplitude, s->amplitude_count, sizeof *s->amplitude, error));
  SCR_TRY(scr_blob_write_array(blob, s->rate, s->amplitude_count, sizeof *s->rate, error));
  SCR_TRY(scr_blob_write_array(blob, s->modal_force, s->amplitude_count, sizeof *s->modal_force, error));
  SCR_TRY(scr_blob_write_array(blob, s->modal_dashpot, s->amplitude_count, sizeof *s->modal_dashpot, error));
  SCR_TRY(scr_blob_write_array(blob, s->dashpot, s->parts->count, sizeof *s->dashpot, error));
  SCR_TRY(scr_blob_write_array(blob, s->touching, s->grain_count, sizeof *s->touching, error));
  SCR_TRY(scr_blob_write_array(blob, s->bonds, s->bond_count, sizeof *s->bonds, error));
  for (size_t i = 0; s->followed && i < s->grain_count; i++) SCR_TRY(lsdem_follow_save(&s->followed[i], blob, error));
  SCR_TRY(scr_blob_write_f64(blob, s->contact_energy, error));
  SCR_TRY(scr_blob_write_f64(blob, s->bond_energy, error));
  SCR_TRY(scr_blob_write_u64(blob, s->pairs_touching, error));
  SCR_TRY(scr_blob_write_u64(blob, s->parts_touching, error));
  SCR_TRY(scr_blob_write(blob, s->fabric, sizeof s->fabric, error));
  SCR_TRY(scr_blob_write(blob, s->box_zero, sizeof s->box_zero, error));
  SCR_TRY(scr_blob_write_f64(blob, s->deepest, error));
  SCR_TRY(scr_blob_write_f64(blob, s->steepest, error));
  SCR_TRY(scr_blob_write_f64(blob, s->undivided, error));
  SCR_TRY(scr_blob_write_f64(blob, s->fastest, error));
  SCR_TRY(scr_blob_write_f64(blob, s->deepest_share, error));
  return lsdem_directions_save(&s->near, blob, error);
}

static scr_status damaged(scr_error *error)
{
  return scr_fail(error, SCR_BAD_FILE, NULL, "the checkpoint's grains are not those of this scene; it is damaged or of another run");
}

/* What is read may be anything: templates and offsets must be those of the scene. */
static bool sound(const lsdem_state *s, const lsdem_grain *g, const lsdem_grain *made)
{
  const scr_vec3 all[] = {g->position, g->velocity, g->angular, g->force, g->torque, g->dashpot_force, g->dashpot_torque};
  double sum = 0;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) sum += all[k].x + all[k].y + all[k].z;
  for (size_t a = 0; a < s->templates[made->shape].mode_count; a++) sum += s->amplitude[made->first + a] + s->rate[made->first + a];
  return isfinite(sum) && fabs(quat_length(g->rotation) - 1) < 1e-6 && g->shape == made->shape && g->first == made->first &&
         g->specimen == made->specimen && g->material == made->material;
}

static scr_status load_grains(lsdem_state *s, scr_blob *blob, scr_error *error)
{
  lsdem_grain *made = mem_array(s->grain_count, sizeof *made);
  if (!made) return scr_fail_memory(error, "the grains", s->grain_count * sizeof *made);
  memcpy(made, s->grains, s->grain_count * sizeof *made);
  scr_status status = scr_blob_read_array(blob, s->grains, s->grain_count, sizeof *s->grains, "grains", error);
  if (status == SCR_OK) status = scr_blob_read_array(blob, s->amplitude, s->amplitude_count, sizeof *s->amplitude, "amplitudes", error);
  if (status == SCR_OK) status = scr_blob_read_array(blob, s->rate, s->amplitude_count, sizeof *s->rate, "rates of amplitudes", error);
  if (status == SCR_OK)
    status = scr_blob_read_array(blob, s->modal_force, s->amplitude_count, sizeof *s->modal_force, "modal forces", error);
  if (status == SCR_OK)
    status = scr_blob_read_array(blob, s->modal_dashpot, s->amplitude_count, sizeof *s->modal_dashpot, "modal forces of dashpots", error);
  if (status == SCR_OK)
    status = scr_blob_read_array(blob, s->dashpot, s->parts->count, sizeof *s->dashpot, "dashpots' pulls on parts", error);
  for (size_t i = 0; i < s->grain_count && status == SCR_OK; i++)
    if (!sound(s, &s->grains[i], &made[i])) status = damaged(error);
  if (status != SCR_OK) memcpy(s->grains, made, s->grain_count * sizeof *made); /* so that templates and offsets stay those of the scene */
  mem_free(made);
  return status;
}

/* Of bonds that were made as they are made now, which of them broke. */
static scr_status load_bonds(lsdem_state *s, scr_blob *blob, scr_error *error)
{
  lsdem_bond *bonds = mem_array(s->bond_count + 1, sizeof *bonds);
  if (!bonds) return scr_fail_memory(error, "bonds", s->bond_count * sizeof *bonds);
  scr_status status = scr_blob_read_array(blob, bonds, s->bond_count, sizeof *bonds, "bonds", error);
  for (size_t k = 0; k < s->bond_count && status == SCR_OK; k++) {
    const lsdem_bond *read = &bonds[k], *made = &s->bonds[k];
    if (read->slave != made->slave || read->master != made->master || read->node != made->node || read->broken > LSDEM_BOND_BROKEN) status = damaged(error);
  }
  for (size_t k = 0; k < s->bond_count && status == SCR_OK; k++) s->bonds[k].broken = bonds[k].broken;
  mem_free(bonds);
  return status;
}

scr_status lsdem_load(scr_sim *sim, scr_blob *blob, scr_error *error)
{
  lsdem_state *s = sim->state;
  uint64_t pairs, parts;
  SCR_TRY(load_grains(s, blob, error));
  SCR_TRY(scr_blob_read_array(blob, s->touching, s->grain_count, sizeof *s->touching, "numbers of contacts", error));
  SCR_TRY(load_bonds(s, blob, error));
  for (size_t i = 0; s->followed && i < s->grain_count; i++)
    SCR_TRY(lsdem_follow_load(&s->followed[i], &s->templates[s->grains[i].shape], blob, error));
  SCR_TRY(scr_blob_read_f64(blob, &s->contact_energy, error));
  SCR_TRY(scr_blob_read_f64(blob, &s->bond_energy, error));
  SCR_TRY(scr_blob_read_u64(blob, &pairs, error));
  SCR_TRY(scr_blob_read_u64(blob, &parts, error));
  SCR_TRY(scr_blob_read(blob, s->fabric, sizeof s->fabric, error));
  SCR_TRY(scr_blob_read(blob, s->box_zero, sizeof s->box_zero, error));
  SCR_TRY(scr_blob_read_f64(blob, &s->deepest, error));
  SCR_TRY(scr_blob_read_f64(blob, &s->steepest, error));
  SCR_TRY(scr_blob_read_f64(blob, &s->undivided, error));
  SCR_TRY(scr_blob_read_f64(blob, &s->fastest, error));
  SCR_TRY(scr_blob_read_f64(blob, &s->deepest_share, error));
  s->pairs_touching = (size_t)pairs;
  s->parts_touching = (size_t)parts;
  lsdem_make_views(s);
  return lsdem_directions_load(&s->near, s->views, s->grain_count, s->parts->count, blob, error);
}
