/* Booking energies, and their balance. Sums run in the order of the terms as they stand here. */
#include "sim/ledger.h"

#include <math.h>

double ledger_first_touch(const sim_parts *parts, double mass, double duration)
{
  double speed = 0;
  for (size_t p = 0; p < parts->count; p++)
    if (parts->form[p].program) speed = fmax(speed, scr_program_peak_velocity(parts->form[p].program, duration));
  return 0.5 * mass * speed * speed;
}

void ledger_begin(sim_ledger *ledger, const sim_parts *parts, double energy)
{
  ledger->start = energy;
  if (parts_fly(parts)) ledger->start += parts_kinetic(parts);
  ledger->largest = fmax(ledger->largest, ledger->start);
}

void ledger_book_parts(sim_ledger *ledger, const sim_parts *parts, const part_motion *before, const part_load *load_before)
{
  for (size_t p = 0; p < parts->count; p++) {
    if (parts->form[p].is_free) continue; /* which has its energy itself */
    const part_load *old = &load_before[p], *now = &parts->load[p];
    part_displacement went = part_displacement_between(&parts->form[p], &before[p], &parts->now[p]);
    ledger->rig -=
        0.5 * (vec3_dot(vec3_add(old->force, now->force), went.displacement) + vec3_dot(vec3_add(old->torque, now->torque), went.turn));
  }
}

void ledger_close(sim_ledger *ledger, const sim_parts *parts, double energy)
{
  ledger->largest = fmax(ledger->largest, energy);
  if (parts_fly(parts)) ledger->largest = fmax(ledger->largest, parts_kinetic(parts));
}

double ledger_balance_error(const sim_ledger *ledger, const sim_parts *parts, const sim_energies *now)
{
  double held = now->kinetic + now->elastic + now->contact + now->wall + now->other + ledger->damping + ledger->friction +
                ledger->fracture + ledger->impact + ledger->numerical;
  if (parts_fly(parts)) held += parts_energy(parts);
  double scale = fmax(ledger->largest, ledger->least) + ledger->rounding;
  return scale > 0 ? (ledger->start + ledger_external(ledger) - held) / scale : 0;
}
