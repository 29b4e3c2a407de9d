/** The balance of a run's energies with one item of the books left out: how tests see that every item is booked, and large enough to count.
 *  */
#ifndef SCREE_SUPPORT_LEDGER_CASE_H
#define SCREE_SUPPORT_LEDGER_CASE_H

#include <math.h>

#include "tests/support/sim_run.h"

/** Size of what does not add up without that item: "start", "rig", "gravity", "damping", "friction", "fracture", "impact" of the ledger,
 *  "kinetic", "elastic", "contact", "other" of what is held. */
static inline double ledger_error_without(const scr_sim *sim, const char *item)
{
  sim_ledger ledger = sim->ledger;
  sim_energies held = {0};
  sim_method(sim)->energies(sim, &held);
  const struct {
    const char *name;
    double *value;
  } all[] = {{"start", &ledger.start},       {"rig", &ledger.rig},           {"gravity", &ledger.gravity}, {"damping", &ledger.damping},
             {"friction", &ledger.friction}, {"fracture", &ledger.fracture}, {"impact", &ledger.impact},   {"kinetic", &held.kinetic},
             {"elastic", &held.elastic},     {"contact", &held.contact},     {"other", &held.other}};
  size_t k = 0;
  while (k < sizeof all / sizeof *all && strcmp(all[k].name, item) != 0) k++;
  if (k == sizeof all / sizeof *all) run_fail("no such item of a ledger", item);
  *all[k].value = 0;
  return fabs(ledger_balance_error(&ledger, &sim->parts, &held));
}

/** Raises most[k] to the error without item[k] now. @param item [count] names    @param most [count] in, out */
static inline void ledger_watch(const scr_sim *sim, const char *const *item, size_t count, double *most)
{
  for (size_t k = 0; k < count; k++) most[k] = fmax(most[k], ledger_error_without(sim, item[k]));
}

/** Says them, and fails where one is `least` or less: then the scene says nothing of that item. */
static inline void ledger_assert_counted(const char *const *item, size_t count, const double *most, double least)
{
  for (size_t k = 0; k < count; k++) print_message("# without %s the balance is off by %.2g\n", item[k], most[k]);
  for (size_t k = 0; k < count; k++) assert_true(most[k] > least);
}

#endif
