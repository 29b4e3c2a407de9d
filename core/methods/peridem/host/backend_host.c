/* The host back end: the table, and what is put together from several files' passes. */
#include "methods/peridem/step/backend.h"

#include "methods/peridem/host/bonds/bond_force.h"
#include "methods/peridem/host/bonds/dilatation.h"
#include "methods/peridem/host/contact/contact.h"
#include "methods/peridem/host/contact/pair_faces.h"
#include "methods/peridem/host/contact/dissipation.h"
#include "methods/peridem/host/contact/rig_contact.h"
#include "methods/peridem/host/motion/grip.h"
#include "methods/peridem/host/motion/motion.h"
#include "methods/peridem/host/motion/relaxation.h"
#include "methods/peridem/host/nodes.h"
#include "methods/peridem/host/nodes_blob.h"
#include "methods/peridem/host/validity.h"
#include "methods/peridem/host/view/gather.h"
#include "methods/peridem/host/view/stress.h"
#include "methods/peridem/host/view/touching.h"

static const char *kernel(const pd_state *s)
{
  return s->host->kernels->name;
}

static size_t bond_forces(pd_state *s)
{
  size_t torn = pd_bond_pass(s);
  pd_dilatation_pass(s);
  return torn;
}

/* Nodes that lose bonds lose dilatation and their faces, and what those held. */
static scr_status break_bonds(pd_state *s, double *fracture, uint64_t *broken, scr_error *error)
{
  double before = pd_energy_dilatation(s);
  SCR_TRY(pd_break_bonds(s, fracture, broken, error));
  *fracture += before - pd_energy_dilatation(s);
  return pd_facing_tear(s, fracture, error);
}

static void energies(const pd_state *s, sim_energies *e)
{
  *e = (sim_energies){.kinetic = pd_energy_kinetic(s),
                      .elastic = pd_energy_elastic(s) + pd_energy_dilatation(s),
                      .contact = pd_energy_contact(s),
                      .wall = pd_energy_wall(s)};
}

const pd_backend pd_backend_host = {
    .name = "host",
    .create = pd_nodes_create,
    .destroy = pd_nodes_destroy,
    .kernel = kernel,
    .set_held_velocity = pd_grip_set_velocity,
    .predict = pd_predict,
    .move_held = pd_grip_move,
    .bond_forces = bond_forces,
    .contact_forces = pd_contact_pass,
    .rig_forces = pd_rig_pass,
    .drag = pd_drag_pass,
    .hold = pd_grip_hold,
    .break_bonds = break_bonds,
    .kick = pd_kick,
    .count_dampers = pd_count_dampers,
    .damp = pd_damp,
    .absorb = pd_grip_absorb,
    .apply_impulses = pd_apply_impulses,
    .inspect = pd_inspect,
    .weigh = pd_set_relaxation_masses,
    .relax = pd_relax,
    .measure_balance = pd_measure_balance,
    .net_force = pd_net_force,
    .rest = pd_rest,
    .accelerate = pd_accelerate,
    .energies = energies,
    .count_pieces = pd_count_pieces,
    .measure_touching = pd_measure_touching,
    .contacts = pd_contacts,
    .grain_stresses = pd_grain_stresses,
    .gather = pd_gather,
    .save = pd_nodes_save,
    .load = pd_nodes_load,
};
