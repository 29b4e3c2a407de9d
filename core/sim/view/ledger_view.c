/* The ledger's curves: which a method has, and their values. */
#include "sim/view/ledger_view.h"

#include <string.h>

#include "sim/sim.h"

static const char *const entry_names[LEDGER_ENTRIES] = {
    [LEDGER_KINETIC] = "energy.kinetic",
    [LEDGER_ELASTIC] = "energy.elastic",
    [LEDGER_CONTACT] = "energy.contact",
    [LEDGER_WALL] = "energy.wall",
    [LEDGER_DAMPING] = "energy.damping",
    [LEDGER_FRICTION] = "energy.friction",
    [LEDGER_FRACTURE] = "energy.fracture",
    [LEDGER_IMPACT] = "energy.impact",
    [LEDGER_NUMERICAL] = "energy.numerical",
    [LEDGER_EXTERNAL] = "energy.external",
    [LEDGER_BALANCE_ERROR] = "energy.balance_error",
};

ledger_entry ledger_entry_of(const char *curve)
{
  ledger_entry entry = 0;
  while (entry < LEDGER_ENTRIES && strcmp(entry_names[entry], curve) != 0) entry++;
  return entry;
}

/* What steps take without a law may come back: it is the solution's error. What an impact takes may come back in the bounce behind it. */
static bool never_falls(const scr_method *method, ledger_entry entry)
{
  return (entry == LEDGER_DAMPING || entry == LEDGER_FRICTION || entry == LEDGER_FRACTURE) && !(method->may_fall & LEDGER_BIT(entry));
}

scr_status ledger_declare_curves(scr_sim *sim, scr_error *error)
{
  const scr_method *method = sim_method(sim);
  for (size_t k = 0; method->energies && k < method->about.curve_count; k++) {
    const scr_series *curve = &method->about.curves[k];
    ledger_entry entry = ledger_entry_of(curve->name);
    if (entry == LEDGER_ENTRIES) continue;
    SCR_TRY(never_falls(method, entry) ? scr_sim_declare_dissipation(sim, curve->name, curve->label, error)
                                       : scr_sim_declare_series(sim, curve->name, curve->unit, curve->label, error));
    sim->ledger_entries[sim->ledger_series++] = entry; /* no name twice, so never more than there are */
  }
  return SCR_OK;
}

scr_status scr_sim_declare_curves(scr_sim *sim, scr_error *error)
{
  const scr_method *method = sim_method(sim);
  for (size_t k = 0; k < method->about.curve_count; k++) {
    const scr_series *curve = &method->about.curves[k];
    bool of_shell = strstr(curve->name, SCR_PART_MARK) || (method->energies && ledger_entry_of(curve->name) < LEDGER_ENTRIES);
    if (!of_shell && scr_method_reports(&method->about, sim->scene->options, curve->name))
      SCR_TRY(scr_sim_declare_series(sim, curve->name, curve->unit, curve->label, error));
  }
  return SCR_OK;
}

void ledger_observe(const scr_sim *sim, double *values)
{
  sim_energies now = {0};
  const sim_ledger *ledger = &sim->ledger;
  if (sim->ledger_series == 0) return;
  sim_method(sim)->energies(sim, &now);
  const double all[LEDGER_ENTRIES] = {
      [LEDGER_KINETIC] = now.kinetic,
      [LEDGER_ELASTIC] = now.elastic,
      [LEDGER_CONTACT] = now.contact,
      [LEDGER_WALL] = now.wall,
      [LEDGER_DAMPING] = ledger->damping,
      [LEDGER_FRICTION] = ledger->friction,
      [LEDGER_FRACTURE] = ledger->fracture,
      [LEDGER_IMPACT] = ledger->impact,
      [LEDGER_NUMERICAL] = ledger->numerical,
      [LEDGER_EXTERNAL] = ledger_external(ledger),
      [LEDGER_BALANCE_ERROR] = ledger_balance_error(ledger, &sim->parts, &now),
  };
  for (size_t k = 0; k < sim->ledger_series; k++) values[k] = all[sim->ledger_entries[k]];
}
