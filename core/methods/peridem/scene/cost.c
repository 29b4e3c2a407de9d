/* Run time from counts of what is done: of bonds what a force pass goes through, which bond_runs.c decides, entries of up to eight bonds
 * or slots of rows, that differ by six times a bond. The constants were fitted to the processor times of 75 of the random scenes of
 * tests/validation/sweep, 32 to 900 nodes, on an EPYC with AVX2 under other load, then scaled together to that of whole runs of the
 * gallery (tests/unit/peridem/test_peridem_cost.c), and brought down to 300 such scenes and 19 of the gallery on the machine when it was
 * quieter. Estimates of the scenes scatter by a factor of 1.3, by bonds alone by 2. Quasi-static
 * loading that does not come to equilibrium takes far longer.
 *
 * A bond's share falls as bonds break, a contact's grows; how much breaks is not known before, so both are means over those runs, in which
 * 0 to 71 % of the bonds break. */
#include "methods/peridem/scene/cost.h"

#include <math.h>

#include "methods/peridem/host/contact/pair_faces.h"
#include "methods/peridem/host/host.h"
#include "scene/part.h"
#include "sim/cost.h"

enum { STEP, ENTRY, ROW_SLOT, DILATED_SLOT, NODE, SKIPPED, NEAR, LISTED, FOREIGN, SAMPLED_BOND, SAMPLED_NODE, FACING, KERNELS };
static const sim_cost kernels[KERNELS] = {[STEP] = {"a step's stages, whatever they are of", 6e-6},
                                          [ENTRY] = {"forces of bonds of eight nodes side by side, intact and broken ones mixed", 9.5e-9},
                                          [ROW_SLOT] = {"force of a bond on one of its nodes, by rows", 2.8e-9},
                                          [DILATED_SLOT] = {"what a bond adds to its node's dilatation, and takes from it", 11e-9},
                                          [NODE] = {"motion, walls, ledger and checks of a node", 44e-9},
                                          [SKIPPED] = {"a near node that is joined by a bond, passed over", 0.5e-9},
                                          [NEAR] = {"a near node, some of them in contact", 1.3e-9},
                                          [LISTED] = {"finding a near node, and whether a bond joins it", 90e-9},
                                          [FOREIGN] = {"the same when only other grains count", 8e-9},
                                          [SAMPLED_BOND] = {"energy of a bond in a sample", 10e-9},
                                          [SAMPLED_NODE] = {"energies and piece of a node in a sample", 80e-9},
                                          [FACING] = {"a near node of another grain, by their faces", 60e-9}};

double pd_longest_travel(const scr_scene *scene)
{
  double duration = scene->time.duration, speed = 0;
  for (size_t i = 0; i < scene->specimen_count; i++) speed = fmax(speed, vec3_length(scene->specimens[i].velocity));
  scr_part parts[SCR_PART_LIMIT];
  for (size_t p = 0, count = scr_rig_parts(&scene->rig, parts); p < count; p++)
    if (parts[p].program) speed = fmax(speed, scr_program_peak_velocity(parts[p].program, duration));
  return duration * (speed + 0.5 * vec3_length(scene->rig.gravity) * duration);
}

double pd_list_count(const scr_scene *scene, double half_skin, double steps)
{
  return fmin(1 + pd_longest_travel(scene) / half_skin, steps);
}

void pd_estimate_run(const pd_work *work, bool self_contact, bool breakable, double scatter, scr_estimate *estimate)
{
  double count[KERNELS] = {[STEP] = work->steps,
                           [ENTRY] = work->steps * work->entries,
                           [ROW_SLOT] = work->steps * work->row_slots,
                           [DILATED_SLOT] = (work->steps + 0.5 * work->samples) * work->dilated_slots,
                           [NODE] = work->steps * work->nodes,
                           [SKIPPED] = self_contact && !breakable ? work->steps * work->near_nodes : 0,
                           [NEAR] = self_contact && breakable ? work->steps * work->near_nodes : 0,
                           [LISTED] = self_contact ? work->lists * work->near_nodes : 0,
                           [FOREIGN] = self_contact ? 0 : work->lists * work->near_nodes,
                           [SAMPLED_BOND] = work->samples * work->bonds,
                           [SAMPLED_NODE] = work->samples * work->nodes,
                           [FACING] = work->steps * work->facing};
  for (int k = ENTRY; k < KERNELS; k++) count[k] *= scatter;
  sim_cost_add(kernels, KERNELS, count, estimate);
}

void pd_estimate_start(scr_estimate *estimate)
{
  static const sim_cost start = {"the program's start: to build bodies and open a recording", 0.05};
  sim_cost_add(&start, 1, (const double[]){1}, estimate);
}

/* Bytes of one node: state.c's vectors (240), its rows' starts and shares (20), where it was when rows were made (28), grain, piece, marks
 * and scratch (41), its cell (12); its part of the template (40) and of the pictures being drawn (60); the rest is contacts with the rig.
 * */
static const double node_bytes = 478;
/* Of a node of a template, its faces and their sections; of a node, normals, pushes, couple, turn and marks (pd_facing). */
static const double face_bytes = GEO_FACES * (sizeof(geo_face) + 2 * sizeof(double)), facing_bytes = (2 * GEO_FACES + 2) * 24 + 3;
/* An entry of a row of near nodes, and that it was met; by faces also what friction holds. While rows grow, the old ones are there too,
 * which are at most as long; arrays beyond what is filled are not touched (base/memory.h). */
static const double near_bytes = sizeof(uint32_t), met_bytes = sizeof(uint32_t), held_bytes = sizeof(double);
/* Of the near ones at most so many touch at a time; the others' bonds hold, or they have flown apart. */
static const double touching_share = 0.25;

/* A touching pair's spring, and that of the pass before; their short arrays grow by doubling, to twice what is filled at most, and count
 * as touched: a strip has few. */
static const double spring_bytes = 2 * 2 * sizeof(pd_pair_spring);

/* While the bonds of a template are put in order each has a number of its class, found by a table of a power of two (run_plan.c). Bonds
 * beside surfaces may all have classes of their own. */
static double order_bytes(double slots, double varied)
{
  return slots > 0 ? sizeof(uint32_t) * (slots + exp2(ceil(log2(fmax(slots, 1024))))) + 0.5 * varied * sizeof(pd_bond_class) : 0;
}

/* Two bytes a bond, which slots have twice: entries of 8 bytes hold up to eight. */
static double run_bytes(double slots)
{
  return slots;
}

double pd_memory_bytes(const pd_array_sizes *sizes)
{
  double touching = touching_share * (sizes->limited ? sizeof(pd_damped_pair) : 0);
  double entry = near_bytes + (sizes->limited ? met_bytes : 0) + touching;
  /* Of unbroken grains the pairs that touch are most of what there is, so it tells that they are copied as their array grows. */
  double foreign = entry + touching + (sizes->facing ? held_bytes : 0) + (sizes->springs ? touching_share * spring_bytes : 0);
  double rows = pd_bonds_bytes(sizes->template_nodes, sizes->slots, sizes->weighted) + run_bytes(sizes->slots);
  double nodes = sizes->nodes * (node_bytes + (sizes->facing ? facing_bytes : 0)) + (sizes->faces ? sizes->template_nodes * face_bytes : 0);
  double own = pd_bonds_bytes(sizes->own_slots > 0 ? sizes->nodes : 0, sizes->own_slots, sizes->weighted) + run_bytes(sizes->own_slots);
  double moving = own + sizes->near_entries * entry + sizes->foreign_entries * foreign;
  return nodes + rows + fmax(moving, order_bytes(sizes->largest_slots, sizes->varied_slots));
}
