/* Peridem on a device: every byte of a checkpoint is the host's, step after step, whatever form bonds have and whatever else acts; runs go
 * on with either. On pocl in CI; skipped where there is no OpenCL. */
#include "base/memory.h"
#include "device/library.h"
#include "methods/peridem/device/backend_device.h"
#include "methods/peridem/device/device_state.h"
#include "methods/peridem/device/pairs.h"
#include "tests/support/opencl_device.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

#define HEAD(surface) HEAD_OF("", surface)
#define HEAD_OF(strength, surface)                                                                                                         \
  "{\"scree\":1,\"name\":\"device\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e9,"          \
  "\"fracture_energy\":135" strength "}],\"contact\":{" surface "},"
#define FRICTION "\"friction_coefficient\":0.5,\"damping_ratio\":0.5"

/* A grain falls onto a plate fast enough to break: contact, rig, limited damping, gravity; bonds in runs, of one grain. */
static const char crush[] = HEAD(
    FRICTION) "\"specimens\":[{\"name\":\"g\",\"material\":\"m\",\"spacing\":2e-4,\"velocity\":[0,0,-60],"
              "\"shape\":{\"type\":\"sphere\",\"radius\":6e-4}}],\"rig\":{\"type\":\"box\",\"minimum\":[-1e-3,-1e-3,-8.5e-4],"
              "\"maximum\":[1e-3,1e-3,1e-3],\"gravity\":[0,1,-9.81]},\"time\":{\"duration\":5e-5}%s,\"options\":{\"force_chains\":true%s}}";
/* Nine equal grains fall onto each other: eight go in lanes. */
static const char pile[] =
    HEAD(FRICTION) "\"specimens\":[{\"name\":\"g\",\"material\":\"m\",\"spacing\":2e-4,\"velocity\":[0,0,-80],"
                   "\"shape\":{\"type\":\"sphere\",\"radius\":5e-4},\"placement\":{\"type\":\"lattice\",\"count\":[1,1,9],\"pitch\":[1,1,1."
                   "25e-3]}}],"
                   "\"rig\":{\"type\":\"box\",\"minimum\":[-1e-3,-1e-3,-7e-4],\"maximum\":[1e-3,1e-3,2e-2]},\"time\":{\"duration\":5e-5}%s,"
                   "\"options\":{\"self_contact\":true%s}}";
/* A grain too tough to break bounces off a plate while a wall follows it, over where it was. */
static const char bounce[] =
    "{\"scree\":1,\"name\":\"bounce\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e9,"
    "\"fracture_energy\":1e9}],\"specimens\":[{\"name\":\"g\",\"material\":\"m\",\"spacing\":2e-4,\"velocity\":[200,0,-20],"
    "\"shape\":{\"type\":\"sphere\",\"radius\":6e-4}}],\"rig\":{\"type\":\"box\",\"minimum\":[-8.5e-4,-1e-3,-6.2e-4],"
    "\"maximum\":[2e-2,1e-3,1e-3],\"walls\":{\"x_min\":{\"program\":[{\"type\":\"constant\",\"velocity\":200}]}}},"
    "\"time\":{\"duration\":5e-5}%s,\"options\":{\"self_contact\":true%s}}";
/* A block lands on a plate and slides on into a wall: nodes of its edge touch one, then both. */
static const char corner[] = HEAD(FRICTION) "\"specimens\":[{\"name\":\"g\",\"material\":\"m\",\"spacing\":2e-4,\"velocity\":[60,0,-20],"
                                            "\"shape\":{\"type\":\"box\",\"size\":[1.2e-3,1.2e-3,1.2e-3]}}],\"rig\":{\"type\":\"box\","
                                            "\"minimum\":[-2e-3,-2e-3,-6.1e-4],\"maximum\":[8e-4,2e-3,2e-3]},\"time\":{\"duration\":5e-5}%"
                                            "s,\"options\":{\"self_contact\":false%s}}";
/* Two tough blocks meet by faces, askew, with friction, above the rig. */
static const char meet[] =
    "{\"scree\":1,\"name\":\"meet\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e9,"
    "\"fracture_energy\":1e9}],\"contact\":{" FRICTION "},\"specimens\":[{\"name\":\"low\",\"material\":\"m\",\"spacing\":2e-4,"
    "\"shape\":{\"type\":\"box\",\"size\":[2e-3,2e-3,1.6e-3]}},{\"name\":\"high\",\"material\":\"m\",\"spacing\":2e-4,"
    "\"velocity\":[10,0,-20],\"shape\":{\"type\":\"box\",\"size\":[1.6e-3,1.6e-3,1.6e-3]},\"placement\":{\"type\":\"list\","
    "\"positions\":[[1e-4,5e-5,1.63e-3]]}}],\"rig\":{\"type\":\"box\",\"minimum\":[-4e-3,-4e-3,-3e-3],\"maximum\":[4e-3,4e-3,4e-3]},"
    "\"time\":{\"duration\":5e-5}%s,\"options\":{\"self_contact\":false%s}}";
/* A beam is bent by rollers, fast. */
static const char bend[] =
    HEAD(FRICTION) "\"specimens\":[{\"name\":\"beam\",\"material\":\"m\",\"spacing\":5e-4,\"shape\":{\"type\":\"box\",\"size\":[0.024,3e-3,"
                   "3e-3]}}],"
                   "\"rig\":{\"type\":\"three_point_bend\",\"span\":0.02,\"support_radius\":1e-3,\"roller_length\":5e-3,\"position\":[0,0,-"
                   "1.5e-3],"
                   "\"opening\":3e-3,\"program\":[{\"type\":\"constant\",\"velocity\":-8}]},\"time\":{\"duration\":1e-4}%s,\"options\":{"
                   "\"self_contact\":false%s}}";
/* A box that spins hits a grain with an edge, bounces and turns on. */
static const char hammer[] =
    HEAD(FRICTION) "\"specimens\":[{\"name\":\"g\",\"material\":\"m\",\"spacing\":2e-4,\"shape\":{\"type\":\"sphere\",\"radius\":1.2e-3}}],"
                   "\"rig\":{\"type\":\"none\"},\"obstacles\":[{\"name\":\"h\",\"shape\":{\"type\":\"box\",\"size\":[2e-3,2e-3,1e-3]},"
                   "\"position\":[8e-4,0,2.2e-3],\"free\":{\"mass\":1e-4,\"velocity\":[0,0,-90],\"angular_velocity\":[0,3e4,0]}}],"
                   "\"time\":{\"duration\":5e-5}%s,\"options\":{\"self_contact\":true%s}}";
/* A larger grain crumbles where it lands. */
static const char crumble[] =
    HEAD(FRICTION) "\"specimens\":[{\"name\":\"g\",\"material\":\"m\",\"spacing\":2e-4,\"velocity\":[0,0,-40],"
                   "\"shape\":{\"type\":\"sphere\",\"radius\":1.6e-3}}],\"rig\":{\"type\":\"box\",\"minimum\":[-4e-3,-4e-3,-1.85e-3],"
                   "\"maximum\":[4e-3,4e-3,4e-3]},\"time\":{\"duration\":5e-5}%s,\"options\":{\"self_contact\":true%s}}";
/* Grains whose bonds, or which themselves, are of uneven strength land on each other and on a plate. */
#define UNEVEN(strength)                                                                                                                   \
  HEAD_OF(strength, FRICTION)                                                                                                              \
  "\"specimens\":[{\"name\":\"g\",\"material\":\"m\",\"spacing\":2e-4,\"velocity\":[0,0,-40],\"shape\":{\"type\":\"sphere\","              \
  "\"radius\":6e-4},\"placement\":{\"type\":\"lattice\",\"count\":[1,1,3],\"pitch\":[1,1,1.25e-3]}}],\"rig\":{\"type\":\"box\","           \
  "\"minimum\":[-1e-3,-1e-3,-7e-4],\"maximum\":[1e-3,1e-3,6e-3],\"gravity\":[0,0,-9.81]},\"time\":{\"duration\":5e-5}%s,\"options\":{"     \
  "\"self_contact\":true%s}}"
static const char uneven_bonds[] = UNEVEN(",\"weibull_modulus\":3,\"weibull_scope\":\"bond\",\"weibull_seed\":5");
static const char uneven_grains[] = UNEVEN(",\"weibull_modulus\":2,\"weibull_scope\":\"grain\",\"weibull_seed\":5");
/* A bar is pulled by grips. */
static const char pull[] = HEAD(
    "") "\"specimens\":[{\"name\":\"bar\",\"material\":\"m\",\"spacing\":1e-3,\"shape\":{\"type\":\"box\",\"size\":[4e-3,4e-3,0.012]}}],"
        "\"rig\":{\"type\":\"grips\",\"axis\":\"z\",\"low_end\":-4e-3,\"high_start\":4e-3,\"program\":[{\"type\":\"constant\","
        "\"velocity\":1}]},\"time\":{\"duration\":1e-4}%s,\"options\":{%s}}";

static sim_run open_on(const char *scene, const char *options, const char *device)
{
  char text[4096], run[96] = "";
  if (device) snprintf(run, sizeof run, ",\"run\":{\"device\":\"%s\"}", device);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(text, sizeof text, scene, run, options);
#pragma GCC diagnostic pop
  return run_open(text, 2);
}

/* The grains' bonds are taken from their rows, on both. */
static void use_rows(pd_state *s)
{
  for (size_t g = 0; g < s->grain_count; g++) s->host->runs.group_of[g] = PD_NO_GROUP;
  for (size_t t = 0; t < s->host->runs.tile_count; t++) mem_free(s->host->runs.tile[t].force);
  s->host->runs.tile_count = s->host->runs.group_count = 0;
  if (s->device) assert_int_equal(pd_columns_create(s, NULL), SCR_OK);
}

/* Steps both, compares now and then. @return bonds broken */
static uint64_t assert_alike(const char *scene, const char *options, size_t steps, bool rows)
{
  sim_run host = open_on(scene, options, NULL), device = open_on(scene, options, opencl_device_name());
  pd_state *of[2] = {host.sim->state, device.sim->state};
  assert_ptr_equal(of[0]->backend, &pd_backend_host);
  assert_ptr_equal(of[1]->backend, &pd_backend_device);
  for (int k = 0; k < 2 && rows; k++) use_rows(of[k]);
  for (size_t k = 0; k < steps; k += steps / 4) {
    run_steps(&host, steps / 4);
    run_steps(&device, steps / 4);
    assert_same_state(host.sim, device.sim);
    scr_sim_observe(host.sim, host.values);
    scr_sim_observe(device.sim, device.values);
    assert_memory_equal(host.values, device.values, scr_sim_series_count(host.sim) * sizeof *host.values);
  }
  uint64_t broken = of[0]->broken_bonds;
  run_close(&host);
  run_close(&device);
  return broken;
}

static void test_bonds_in_runs_contact_rig_damping_gravity_and_breaking_give_the_hosts_bytes(void **state)
{
  (void)state;
  skip_without_opencl_device();
  assert_true(assert_alike(crush, "", 400, false) > 100);
}

/* Nodes leave the rig between full copies: what the host has of them must not stay where they touched. */
static void test_a_grain_that_bounces_leaves_the_rig_with_the_hosts_bytes(void **state)
{
  (void)state;
  skip_without_opencl_device();
  sim_run host = open_on(bounce, "", NULL), device = open_on(bounce, "", opencl_device_name());
  const pd_state *s = host.sim->state;
  size_t most = 0, contacts = 0;
  for (int k = 0; k < 400; k++) {
    run_steps(&host, 1);
    run_steps(&device, 1);
    contacts = 0;
    for (size_t b = 0; b < s->host->block_count; b++) contacts += s->host->rig_blocks[b].count;
    most = contacts > most ? contacts : most;
  }
  assert_true(most > 10);
  assert_int_equal(contacts, 0);
  assert_same_state(host.sim, device.sim);
  run_close(&host);
  run_close(&device);
}

/* A node that touches one part comes to another: its neighbours, by which its face is turned, are those of now. */
static void test_a_block_in_a_corner_gives_the_hosts_bytes(void **state)
{
  (void)state;
  skip_without_opencl_device();
  assert_alike(corner, "", 400, false);
}

static void test_bonds_in_rows_give_the_hosts_bytes(void **state)
{
  (void)state;
  skip_without_opencl_device();
  assert_true(assert_alike(crush, "", 400, true) > 100);
}

static void test_equal_grains_in_lanes_give_the_hosts_bytes(void **state)
{
  (void)state;
  skip_without_opencl_device();
  assert_true(assert_alike(pile, "", 400, false) > 100);
}

static void test_bonds_of_one_weight_give_the_hosts_bytes(void **state)
{
  (void)state;
  skip_without_opencl_device();
  assert_true(assert_alike(crush, ",\"surface_correction\":\"none\"", 400, false) > 50);
  assert_alike(crush, ",\"surface_correction\":\"volume\",\"contact_surface\":\"nodes\"", 200, false);
  assert_true(assert_alike(crush, ",\"surface_correction\":\"none\"", 200, true) > 10);
}

static void test_bonds_of_uneven_strength_give_the_hosts_bytes(void **state)
{
  (void)state;
  skip_without_opencl_device();
  assert_true(assert_alike(uneven_bonds, "", 400, false) > 100);
  assert_true(assert_alike(uneven_bonds, "", 400, true) > 100);
  assert_true(assert_alike(uneven_grains, "", 400, false) > 50);
  assert_true(assert_alike(uneven_bonds, ",\"damping_rate\":2e4,\"surface_correction\":\"none\"", 200, false) > 10);
}

/* Bonds past the least strength of all hold on, most of them, and the device knows: its marks are the ends of those that break. */
static void assert_marks_are_ends_of_broken_bonds(const char *scene, bool rows)
{
  sim_run device = open_on(scene, "", opencl_device_name());
  pd_state *s = device.sim->state;
  size_t breaking = 0;
  if (rows) use_rows(s);
  bool *is_end = calloc(s->node_count, sizeof *is_end);
  assert_non_null(is_end);
  for (int k = 0; k < 300; k++) {
    size_t ends = 0;
    uint64_t broken = s->broken_bonds;
    run_steps(&device, 1);
    memset(is_end, 0, s->node_count * sizeof *is_end);
    for (size_t b = 0; b < s->host->torn_bond_count && s->broken_bonds > broken; b++) {
      const pd_torn_bond *bond = &s->host->torn_bonds[b];
      if (s->host->grain_of[bond->near] != s->host->grain_of[bond->far]) continue; /* a spring that bodies have lost */
      is_end[bond->near] = is_end[bond->far] = true;
    }
    for (size_t i = 0; i < s->node_count; i++) ends += is_end[i];
    assert_int_equal(s->device->marked.past_count, ends);
    breaking += ends > 0;
  }
  assert_true(breaking > 20);
  free(is_end);
  run_close(&device);
}

static void test_marks_of_bonds_of_uneven_strength_are_the_ends_of_those_that_break(void **state)
{
  (void)state;
  skip_without_opencl_device();
  assert_marks_are_ends_of_broken_bonds(uneven_bonds, false);
  assert_marks_are_ends_of_broken_bonds(uneven_bonds, true);
  assert_marks_are_ends_of_broken_bonds(uneven_grains, false);
  assert_marks_are_ends_of_broken_bonds(crush, false);
}

/* Sums of several blocks of 512 nodes, whose pairs touch; dampers that only push. */
static void test_a_larger_grain_that_crumbles_gives_the_hosts_bytes(void **state)
{
  (void)state;
  skip_without_opencl_device();
  assert_true(assert_alike(crumble, ",\"no_tension\":true", 480, false) > 1000);
}

static void test_state_based_elasticity_gives_the_hosts_bytes(void **state)
{
  (void)state;
  skip_without_opencl_device();
  assert_alike(crush, ",\"elasticity\":\"state\"", 100, false);
}

static void test_grips_and_explicit_damping_give_the_hosts_bytes(void **state)
{
  (void)state;
  skip_without_opencl_device();
  assert_alike(pull, "\"damping_rate\":100", 60, false);
  assert_alike(pull, "\"damping_rate\":100,\"damping_step\":\"explicit\"", 60, false);
  assert_alike(crush, ",\"damping_step\":\"explicit\"", 200, false);
}

static void test_quasi_static_loading_gives_the_hosts_bytes(void **state)
{
  (void)state;
  skip_without_opencl_device();
  assert_alike(pull, "\"loading\":\"quasi_static\"", 4, false);
}

/* The control: with contraction allowed the same kernels give other bits, so the comparisons above can fail. */
static void test_the_control_with_contraction_differs_from_the_host(void **state)
{
  (void)state;
  skip_without_opencl_device();
  static const char allowed[] = "#pragma OPENCL FP_CONTRACT ON\n";
  sim_run host = open_on(crush, "", NULL), device = open_on(crush, "", opencl_device_name());
  const pd_state *of[2] = {host.sim->state, device.sim->state};
  char *source = malloc(sizeof allowed + strlen(pd_kernel_source));
  assert_non_null(source);
  strcpy(source, allowed);
  strcat(source, pd_kernel_source);
  assert_int_equal(device_build(of[1]->device->device, source, pd_kernel_names, PD_KERNEL_COUNT, NULL), SCR_OK);
  run_steps(&host, 50);
  run_steps(&device, 50);
  assert_true(pd_to_host(of[1], PD_OF_ALL));
  size_t differ = 0;
  for (size_t i = 0; i < of[0]->node_count; i++) differ += of[0]->host->velocity.z[i] != of[1]->host->velocity.z[i];
  assert_true(differ > of[0]->node_count / 4);
  free(source);
  run_close(&host);
  run_close(&device);
}

/* Pieces that have broken apart push each other, and the device finds out by itself: rows are there, and pairs of them touch. */
static void test_contact_between_broken_pieces_is_found_on_the_device(void **state)
{
  (void)state;
  skip_without_opencl_device();
  sim_run device = open_on(crush, "", opencl_device_name());
  const pd_state *s = device.sim->state;
  size_t met = 0;
  assert_true(pd_pairs_on_device(s));
  for (int k = 0; k < 300; k++) {
    run_steps(&device, 1);
    for (size_t i = 0; i < s->node_count; i++) met += s->host->met_count[i];
  }
  assert_true(s->device->pairs.rows_are_there && s->device->pairs.places_are_there);
  assert_true(met > 1000);
  run_close(&device);
}

/* A body far from the rig touches no copy of a vector: what the host has of positions is as old as the last sample. */
static void test_a_body_far_from_the_rig_steps_without_copies(void **state)
{
  (void)state;
  skip_without_opencl_device();
  sim_run device = open_on(crush, "", opencl_device_name());
  const pd_state *s = device.sim->state;
  run_steps(&device, 5);
  double before = s->host->position.z[0];
  run_steps(&device, 5);
  assert_true(s->host->position.z[0] == before);
  assert_int_equal(s->device->on_device & PD_OF_POSITION, PD_OF_POSITION);
  assert_true(pd_to_host(s, PD_OF_POSITION));
  assert_true(s->host->position.z[0] < before);
  run_close(&device);
}

/* Steps in which nodes touch the rig and each other copy those nodes alone: the host's other positions stay as old as they are. */
static void test_contacts_copy_their_nodes_alone(void **state)
{
  (void)state;
  skip_without_opencl_device();
  sim_run device = open_on(crush, "", opencl_device_name());
  const pd_state *s = device.sim->state;
  size_t touching = 0, alone = 0, most = 0;
  for (int k = 0; k < 300; k++) {
    size_t contacts = 0;
    run_steps(&device, 1);
    for (size_t b = 0; b < s->host->block_count; b++) contacts += s->host->rig_blocks[b].count;
    touching += contacts > 0;
    alone += contacts > 0 && !(s->device->on_host & (PD_OF_POSITION | PD_OF_VELOCITY | PD_OF_FORCE));
    if (contacts > 0 && s->device->subset.count > most) most = s->device->subset.count;
  }
  assert_true(touching > 100);
  assert_true(alone > touching / 4);
  assert_true(most > 0 && most < s->node_count);
  run_close(&device);
}

/* A grain of 2,100 nodes that crumbles where it lands: what a step copies is counted in doubles a node, whatever the device. Three vectors
 * and their way back would be 18, and the rows of near nodes some 10 more; nodes of contacts and of bonds that break are few. */
static void test_steps_that_break_bonds_copy_little(void **state)
{
  (void)state;
  skip_without_opencl_device();
  sim_run device = open_on(crumble, "", opencl_device_name());
  const pd_state *s = device.sim->state;
  double breaking = 0, met = 0;
  size_t steps = 0;
  run_steps(&device, 1);
  for (int k = 0; k < 600 && steps < 60; k++) {
    uint64_t copied = s->device->device->copied, broken = s->broken_bonds;
    bool stale = s->host->near.stale;
    run_steps(&device, 1);
    if (s->broken_bonds == broken || stale || s->host->near.stale) continue; /* rows that are made anew are copied as a whole */
    steps++;
    breaking += (double)(s->device->device->copied - copied) / (double)(sizeof(double) * s->node_count);
    for (size_t i = 0; i < s->node_count; i++) met += s->host->met_count[i];
  }
  assert_true(steps > 20 && met > 0);
  assert_true(breaking / (double)steps < 3.8); /* 3.35; 27.7 when such steps copied vectors and rows as a whole */
  run_close(&device);
}

/* Doubles a node that a step copies, the mean over some steps. @param begin steps before them */
static double copied_by(const char *scene, const char *options, size_t begin, size_t steps)
{
  sim_run device = open_on(scene, options, opencl_device_name());
  const pd_state *s = device.sim->state;
  run_steps(&device, begin);
  uint64_t before = s->device->device->copied;
  run_steps(&device, steps);
  double copied = (double)(s->device->device->copied - before) / (double)(sizeof(double) * s->node_count * steps);
  run_close(&device);
  return copied;
}

/* Blocks that press each other by their faces copy the layers below these. Of 1,312 nodes 192 lie next to the other block. */
static void test_blocks_that_meet_by_faces_copy_their_layers_alone(void **state)
{
  (void)state;
  skip_without_opencl_device();
  assert_true(copied_by(meet, "", 60, 60) < 7); /* 5.3; 16.0 when such steps copied vectors as a whole */
}

static void test_grips_copy_what_they_hold_alone(void **state)
{
  (void)state;
  skip_without_opencl_device();
  assert_true(copied_by(pull, "", 20, 40) < 9); /* 7.7, where grips hold a third of the nodes; 27.0 with whole vectors */
}

static void test_blocks_that_meet_by_faces_give_the_hosts_bytes(void **state)
{
  (void)state;
  skip_without_opencl_device();
  assert_alike(meet, "", 240, false);
  assert_alike(meet, ",\"damping_rate\":100", 80, false);
}

/* Parts that are no planes: rollers that move, and a box that turns while it hits. */
static void test_rollers_and_a_box_that_turns_give_the_hosts_bytes(void **state)
{
  (void)state;
  skip_without_opencl_device();
  assert_alike(bend, "", 400, false);
  assert_true(assert_alike(hammer, "", 400, false) > 20);
}

/* The drag of all nodes is the device's, where impulses of contacts are the host's: with gravity, breaking, rollers; and it is not where
 * grips take from impulses. */
static void test_damping_rate_gives_the_hosts_bytes(void **state)
{
  (void)state;
  skip_without_opencl_device();
  assert_true(assert_alike(crush, ",\"damping_rate\":2e4", 400, false) > 50);
  assert_true(assert_alike(pile, ",\"damping_rate\":1e5,\"contact_surface\":\"nodes\"", 200, false) > 0);
  assert_alike(bend, ",\"damping_rate\":3e4", 200, false);
  assert_true(copied_by(bend, ",\"damping_rate\":3e4", 60, 60) < 3); /* the mean of these steps is 2.2; 9 more with whole vectors */
}

/* ── random scenes ───────────────────────────────────────────────────────────────────────────────────────────────── */

static double between(uint64_t *seed, double least, double most)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return least + (most - least) * (double)(*seed >> 11) * 0x1p-53;
}

/* One of a list, or "". */
static const char *any_of(uint64_t *seed, const char *const *words, size_t count)
{
  return words[(size_t)between(seed, 0, (double)count - 1e-9)];
}

#define ANY(seed, ...) any_of(seed, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Two or three grains of random forms and speeds between walls, one of which moves; laws, surfaces, damping, gravity at random. */
static void write_random(uint64_t *seed, char *text, size_t capacity, char *options, size_t option_capacity)
{
  int grains = (int)between(seed, 1, 3.999);
  size_t used = (size_t)snprintf(text, capacity,
                                 "{\"scree\":1,\"name\":\"any\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,"
                                 "\"bulk_modulus\":2e9,\"fracture_energy\":%g}],\"contact\":{\"friction_coefficient\":%g,"
                                 "\"damping_ratio\":%g},\"specimens\":[",
                                 between(seed, 80, 400), between(seed, 0, 0.9), between(seed, 0, 0.9));
  for (int k = 0; k < grains; k++) {
    const char *shape = ANY(seed, "\"type\":\"sphere\",\"radius\":6e-4", "\"type\":\"box\",\"size\":[1e-3,8e-4,1.2e-3]",
                            "\"type\":\"cylinder\",\"radius\":5e-4,\"length\":1.2e-3");
    used += (size_t)snprintf(text + used, capacity - used,
                             "%s{\"name\":\"g%d\",\"material\":\"m\",\"spacing\":2e-4,\"velocity\":[%g,%g,%g],\"shape\":{%s},"
                             "\"placement\":{\"type\":\"list\",\"positions\":[[%g,%g,%g]]}}",
                             k ? "," : "", k, between(seed, -20, 20), between(seed, -20, 20), -between(seed, 20, 70), shape,
                             between(seed, -1e-4, 1e-4), between(seed, -1e-4, 1e-4), 1.6e-3 * k);
  }
  snprintf(text + used, capacity - used,
           "],\"rig\":{\"type\":\"box\",\"minimum\":[-1.3e-3,-1.3e-3,-9.5e-4],\"maximum\":[1.3e-3,1.3e-3,%g],\"gravity\":[0,0,%g],"
           "\"walls\":{\"z_max\":{\"program\":[{\"type\":\"constant\",\"velocity\":%g}]}}},\"time\":{\"duration\":5e-5}%%s,"
           "\"options\":{\"self_contact\":%s%%s}}",
           1.6e-3 * grains - 4e-4, between(seed, 0, 1) < 0.5 ? 0 : -9.81, -between(seed, 0, 20), ANY(seed, "true", "false"));
  snprintf(options, option_capacity, "%s%s%s%s",
           ANY(seed, "", ",\"contact_surface\":\"nodes\",\"contact_radius\":1.5e-4", ",\"contact_surface\":\"body\""),
           ANY(seed, "", ",\"surface_correction\":\"none\"", ",\"surface_correction\":\"volume\""),
           ANY(seed, "", "", ",\"damping_rate\":2e4"), ANY(seed, "", ",\"friction_law\":\"viscous\""));
}

/* Twelve scenes made at random, whole states compared four times each. SCREE_SLOW: eighty. */
static void test_random_scenes_give_the_hosts_bytes(void **state)
{
  (void)state;
  skip_without_opencl_device();
  uint64_t seed = 2026, broken = 0;
  for (int k = 0; k < (getenv("SCREE_SLOW") ? 80 : 12); k++) {
    char text[4096], options[256];
    write_random(&seed, text, sizeof text, options, sizeof options);
    uint64_t before = broken;
    broken += assert_alike(text, options, 160, k % 4 == 3);
    if (getenv("SCREE_SLOW")) print_message("# scene %d:%s, %d broke\n", k, options, (int)(broken - before));
  }
  assert_true(broken > 100);
}

/* Of 1,728 nodes few are near a roller; 18.0 when vectors were copied as a whole. */
static void test_rollers_copy_the_nodes_near_them_alone(void **state)
{
  (void)state;
  skip_without_opencl_device();
  assert_true(copied_by(bend, "", 60, 60) < 4.5); /* 3.5 */
}

/* A checkpoint of the one, taken after bonds have broken, is gone on with by the other, both ways, with the bits of an unbroken run. */
static void test_checkpoints_move_between_host_and_device(void **state)
{
  (void)state;
  skip_without_opencl_device();
  const char *const devices[2] = {NULL, opencl_device_name()};
  sim_run whole = open_on(crush, "", NULL);
  run_steps(&whole, 300);
  for (int k = 0; k < 2; k++) {
    sim_run before = open_on(crush, "", devices[k]), after = open_on(crush, "", devices[1 - k]);
    scr_blob blob = {0};
    run_steps(&before, 250);
    assert_true(((pd_state *)before.sim->state)->broken_bonds > 100);
    assert_int_equal(sim_save(before.sim, &blob, NULL), SCR_OK);
    run_steps(&after, 7); /* what a checkpoint replaces */
    blob.cursor = 0;
    assert_int_equal(sim_load(after.sim, &blob, NULL), SCR_OK);
    run_steps(&after, 50);
    assert_same_state(after.sim, whole.sim);
    scr_blob_destroy(&blob);
    run_close(&before);
    run_close(&after);
  }
  run_close(&whole);
}

static void test_a_recording_says_whose_bits_a_devices_are(void **state)
{
  (void)state;
  skip_without_opencl_device();
  sim_run host = open_on(crush, "", NULL), device = open_on(crush, "", opencl_device_name());
  assert_string_equal(host.sim->kernels[0].same_bits_as, "");
  assert_string_equal(device.sim->kernels[0].variant, "opencl");
  assert_string_equal(device.sim->kernels[0].same_bits_as, host.sim->kernels[0].variant);
  run_close(&host);
  run_close(&device);
}

static void test_a_device_that_is_not_there_is_refused_and_auto_takes_the_processor(void **state)
{
  (void)state;
  const pd_backend *backend;
  scr_error error = {0};
  device_list list;
  const device_about *gpu;
  assert_int_equal(pd_backend_choose(NULL, &backend, NULL), SCR_OK);
  assert_ptr_equal(backend, &pd_backend_host);
  assert_int_equal(pd_backend_choose("gpu:99", &backend, &error), SCR_BAD_SCENE);
  assert_string_equal(error.pointer, "/run/device");
  assert_non_null(strstr(error.message, "`scree devices` lists:"));
  device_find_all(&list);
  assert_int_equal(device_choose(&list, "auto", &gpu, NULL), SCR_OK);
  assert_int_equal(pd_backend_choose("auto", &backend, NULL), SCR_OK);
  assert_ptr_equal(backend, gpu ? &pd_backend_device : &pd_backend_host);
}

/* The CUDA opener has never run on a GPU; its compiler takes the kernels, without contraction: no product is fused that the source does not
 * fuse. */
static void test_nvidias_compiler_takes_the_kernels(void **state)
{
  (void)state;
  scr_error error = {0};
  char *ptx = cuda_compile(pd_kernel_source, 9, 0, &error);
  if (!ptx && strstr(error.message, "no NVRTC")) {
    print_message("# %s\n", error.message);
    skip();
  }
  if (!ptx) fail_msg("%s", error.message);
  for (size_t k = 0; k < PD_KERNEL_COUNT; k++) assert_non_null(strstr(ptx, pd_kernel_names[k]));
  const char *kick = strstr(ptx, ".entry kick"), *next = strstr(kick + 1, ".entry"), *fused = strstr(kick, "fma.rn.f64");
  assert_true(!fused || (next && fused > next));
  free(ptx);
}

SUITE(test_peridem_device)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bonds_in_runs_contact_rig_damping_gravity_and_breaking_give_the_hosts_bytes),
      cmocka_unit_test(test_a_grain_that_bounces_leaves_the_rig_with_the_hosts_bytes),
      cmocka_unit_test(test_a_block_in_a_corner_gives_the_hosts_bytes),
      cmocka_unit_test(test_bonds_in_rows_give_the_hosts_bytes),
      cmocka_unit_test(test_equal_grains_in_lanes_give_the_hosts_bytes),
      cmocka_unit_test(test_bonds_of_one_weight_give_the_hosts_bytes),
      cmocka_unit_test(test_bonds_of_uneven_strength_give_the_hosts_bytes),
      cmocka_unit_test(test_marks_of_bonds_of_uneven_strength_are_the_ends_of_those_that_break),
      cmocka_unit_test(test_a_larger_grain_that_crumbles_gives_the_hosts_bytes),
      cmocka_unit_test(test_state_based_elasticity_gives_the_hosts_bytes),
      cmocka_unit_test(test_grips_and_explicit_damping_give_the_hosts_bytes),
      cmocka_unit_test(test_quasi_static_loading_gives_the_hosts_bytes),
      cmocka_unit_test(test_the_control_with_contraction_differs_from_the_host),
      cmocka_unit_test(test_contact_between_broken_pieces_is_found_on_the_device),
      cmocka_unit_test(test_a_body_far_from_the_rig_steps_without_copies),
      cmocka_unit_test(test_contacts_copy_their_nodes_alone),
      cmocka_unit_test(test_steps_that_break_bonds_copy_little),
      cmocka_unit_test(test_blocks_that_meet_by_faces_give_the_hosts_bytes),
      cmocka_unit_test(test_blocks_that_meet_by_faces_copy_their_layers_alone),
      cmocka_unit_test(test_grips_copy_what_they_hold_alone),
      cmocka_unit_test(test_rollers_and_a_box_that_turns_give_the_hosts_bytes),
      cmocka_unit_test(test_rollers_copy_the_nodes_near_them_alone),
      cmocka_unit_test(test_damping_rate_gives_the_hosts_bytes),
      cmocka_unit_test(test_random_scenes_give_the_hosts_bytes),
      cmocka_unit_test(test_checkpoints_move_between_host_and_device),
      cmocka_unit_test(test_a_recording_says_whose_bits_a_devices_are),
      cmocka_unit_test(test_nvidias_compiler_takes_the_kernels),
      cmocka_unit_test(test_a_device_that_is_not_there_is_refused_and_auto_takes_the_processor),
  };
  return cmocka_run_group_tests_name("peridem_device", tests, NULL, NULL);
}
