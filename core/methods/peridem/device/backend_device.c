/* The device back end: the table, and passes that the device carries out or hands to the host. */
#include "methods/peridem/device/backend_device.h"

#include <string.h>

#include "base/memory.h"
#include "methods/peridem/device/device_state.h"
#include "methods/peridem/device/dampers.h"
#include "methods/peridem/device/marked.h"
#include "methods/peridem/device/pairs.h"
#include "methods/peridem/device/rig_watch.h"
#include "methods/peridem/device/sieve.h"
#include "methods/peridem/device/subset.h"
#include "methods/peridem/host/bonds/dilatation.h"
#include "methods/peridem/host/motion/motion.h"
#include "methods/peridem/host/validity.h"

/* ── memory ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Bodies' numbers, and which body and grain each node is of. */
static scr_status send_bodies(pd_state *s, scr_error *error)
{
  pd_device *d = s->device;
  size_t n = s->node_count;
  uint32_t *body = mem_array(n, sizeof *body);
  double *numbers = mem_array(s->body_count, PD_BODY_NUMBERS * sizeof *numbers);
  if (!body || !numbers) {
    mem_free(body);
    mem_free(numbers);
    return scr_fail_memory(error, "the bodies of nodes", n * sizeof *body);
  }
  for (size_t i = 0; i < n; i++) body[i] = s->host->grains[s->host->grain_of[i]].body;
  for (size_t b = 0; b < s->body_count; b++) {
    double *of = numbers + PD_BODY_NUMBERS * b;
    of[PD_BODY_STIFFNESS] = s->bodies[b].stiffness;
    of[PD_BODY_LIMIT] = (1 + pd_least_critical_stretch(&s->bodies[b])) * (1 - 1e-12);
    of[PD_BODY_MASS] = s->bodies[b].node_mass;
    of[PD_BODY_PER_MASS] = 1 / s->bodies[b].node_mass;
  }
  scr_status status = pd_send(d, &d->body, body, n * sizeof *body, error);
  if (status == SCR_OK) status = pd_send(d, &d->bodies, numbers, s->body_count * PD_BODY_NUMBERS * sizeof *numbers, error);
  if (status == SCR_OK) status = pd_send(d, &d->grain, s->host->grain_of, n * sizeof *s->host->grain_of, error);
  mem_free(body);
  mem_free(numbers);
  return status;
}

/* No node has a bond past its limit. */
static scr_status send_marks(pd_device *d, size_t count, scr_error *error)
{
  uint32_t *none = mem_array(count, sizeof *none);
  if (!none) return scr_fail_memory(error, "the marks of bonds", count * sizeof *none);
  scr_status status = pd_send(d, &d->torn, none, count * sizeof *none, error);
  mem_free(none);
  return status;
}

static scr_status send_arrays(pd_state *s, scr_error *error)
{
  pd_device *d = s->device;
  const pd_host *h = s->host;
  size_t bytes = s->node_count * sizeof(double);
  const uint32_t flags[PD_FLAG_COUNT] = {0};
  for (pd_side_vector v = 0; v < PD_SIDE_VECTORS; v++) SCR_TRY(device_allocate(d->device, &d->vector[v], 3 * bytes, error));
  SCR_TRY(device_allocate(d->device, &d->reference, 3 * bytes, error));
  for (int a = 0; a < 3; a++) SCR_TRY(device_write(d->device, &d->reference, (size_t)a * bytes, pd_axis(&h->reference, a), bytes, error));
  SCR_TRY(device_allocate(d->device, &d->path, 3 * bytes, error));
  SCR_TRY(send_marks(d, s->node_count, error));
  SCR_TRY(pd_send(d, &d->flags, flags, sizeof flags, error));
  SCR_TRY(device_allocate(d->device, &d->sums, 2 * h->block_count * sizeof(double), error));
  SCR_TRY(mem_allocate(&d->block_sums, 2 * h->block_count, sizeof *d->block_sums, "the sums of blocks", error));
  d->on_host = PD_OF_ALL;
  return send_bodies(s, error);
}

/* Where the host's kernels do not fuse, a device's would give other bits. */
static scr_status check_host(const pd_state *s, scr_error *error)
{
  if (strcmp(s->host->kernels->name, "portable") != 0) return SCR_OK;
  return scr_fail(error, SCR_BAD_SCENE, "/run/device",
                  "this processor has no fused multiply-add, so a device would give other bits than it: use run.device cpu");
}

static scr_status create(pd_state *s, scr_error *error)
{
  device_list list;
  const device_about *about;
  SCR_TRY(pd_backend_host.create(s, error));
  SCR_TRY(check_host(s, error));
  SCR_TRY(mem_allocate(&s->device, 1, sizeof *s->device, "a device's arrays", error));
  device_find_all(&list);
  SCR_TRY(device_choose(&list, s->execution.device, &about, error));
  SCR_TRY(device_open(about, &s->device->device, error));
  SCR_TRY(device_build(s->device->device, pd_kernel_source, pd_kernel_names, PD_KERNEL_COUNT, error));
  SCR_TRY(send_arrays(s, error));
  SCR_TRY(pd_pairs_create(s, error));
  SCR_TRY(pd_marked_create(s, error));
  SCR_TRY(pd_subset_create(s, error));
  SCR_TRY(pd_dampers_create(s, error));
  SCR_TRY(pd_rig_watch_create(s, error));
  SCR_TRY(pd_sieve_create(s, error));
  return pd_columns_create(s, error);
}

static void destroy(pd_state *s)
{
  pd_device *d = s->device;
  if (d && d->device) {
    device_array *arrays[] = {&d->reference, &d->path, &d->torn, &d->flags, &d->body, &d->bodies, &d->grain, &d->sums};
    pd_columns_clear(d);
    pd_pairs_clear(d);
    pd_marked_clear(d);
    pd_subset_clear(d);
    pd_dampers_clear(d);
    pd_rig_watch_clear(d);
    pd_sieve_clear(d);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_release(d->device, arrays[k]);
    for (pd_side_vector v = 0; v < PD_SIDE_VECTORS; v++) device_release(d->device, &d->vector[v]);
    device_close(d->device);
  }
  if (d) mem_free(d->block_sums);
  mem_free(d);
  s->device = NULL;
  pd_backend_host.destroy(s);
}

static const char *kernel(const pd_state *s)
{
  return s->device->device->about.opener->kernel;
}

static const char *bits_of(const pd_state *s)
{
  return pd_backend_host.kernel(s);
}

/* ── on the device ───────────────────────────────────────────────────────────────────────────────────────────────── */

static void predict(pd_state *s, double *fracture)
{
  pd_device *d = s->device;
  uint64_t n = s->node_count;
  double dt = s->time_step;
  const device_argument arguments[] = {DEVICE_ARRAY(d->reference),
                                       DEVICE_ARRAY(d->vector[PD_MOVED]),
                                       DEVICE_ARRAY(d->vector[PD_POSITION]),
                                       DEVICE_ARRAY(d->vector[PD_VELOCITY]),
                                       DEVICE_ARRAY(d->vector[PD_ACCELERATION]),
                                       DEVICE_VALUE(dt),
                                       DEVICE_VALUE(n)};
  pd_begin_damping(s);
  if (!pd_to_device(s, PD_OF_MOVED | PD_OF_VELOCITY | PD_OF_ACCELERATION)) return;
  pd_run_kernel(s, PD_KERNEL_PREDICT, 3 * n, arguments, sizeof arguments / sizeof *arguments);
  pd_device_wrote(s, PD_OF_MOVED | PD_OF_POSITION);
  if (!s->host->torn_bond_count) return;
  pd_subset_of_torn(s);
  if (pd_subset_to_host(s, PD_OF_VELOCITY | PD_OF_ACCELERATION)) pd_book_torn_bonds(s, fracture);
}

static bool any_dilatation(const pd_state *s)
{
  for (size_t b = 0; b < s->body_count; b++)
    if (s->bodies[b].volumetric_modulus != 0) return true;
  return false;
}

static size_t bond_forces(pd_state *s)
{
  size_t torn = 0;
  if (!pd_to_device(s, PD_OF_POSITION)) return 0;
  pd_columns_force(s);
  pd_device_wrote(s, PD_OF_FORCE);
  s->device->marked.past_count = 0;
  if (pd_take_flag(s, PD_FLAG_TORN) && pd_sieve(s)) torn = pd_note_past(s);
  if (any_dilatation(s) && pd_to_host(s, PD_OF_POSITION | PD_OF_FORCE)) {
    pd_dilatation_pass(s);
    pd_host_wrote(s, PD_OF_FORCE);
  }
  return torn;
}

/* Of a block, what the device has added up. */
static void block_terms(const void *user, size_t begin, size_t end, double *value)
{
  const double *sums = user;
  size_t b = begin / PD_BLOCK;
  (void)end;
  value[0] += sums[2 * b], value[1] += sums[2 * b + 1];
}

static void kick_on_device(pd_state *s, pd_kick_sums *sums)
{
  pd_device *d = s->device;
  const scr_vec3 g = s->scene->rig.gravity;
  uint64_t n = s->node_count, block = PD_BLOCK;
  size_t blocks = s->host->block_count;
  double dt = s->time_step, value[2] = {0};
  const device_argument kick[] = {DEVICE_ARRAY(d->vector[PD_FORCE]),
                                  DEVICE_ARRAY(d->vector[PD_VELOCITY]),
                                  DEVICE_ARRAY(d->vector[PD_ACCELERATION]),
                                  DEVICE_ARRAY(d->path),
                                  DEVICE_ARRAY(d->body),
                                  DEVICE_ARRAY(d->bodies),
                                  DEVICE_VALUE(g.x),
                                  DEVICE_VALUE(g.y),
                                  DEVICE_VALUE(g.z),
                                  DEVICE_VALUE(dt),
                                  DEVICE_VALUE(n)};
  const device_argument add[] = {DEVICE_ARRAY(d->vector[PD_VELOCITY]),
                                 DEVICE_ARRAY(d->path),
                                 DEVICE_ARRAY(d->grain),
                                 DEVICE_ARRAY(d->body),
                                 DEVICE_ARRAY(d->bodies),
                                 DEVICE_VALUE(g.x),
                                 DEVICE_VALUE(g.y),
                                 DEVICE_VALUE(g.z),
                                 DEVICE_VALUE(dt),
                                 DEVICE_ARRAY(d->sums),
                                 DEVICE_VALUE(block),
                                 DEVICE_VALUE(n)};
  if (!pd_to_device(s, PD_OF_VELOCITY | PD_OF_ACCELERATION | PD_OF_FORCE)) return;
  pd_run_kernel(s, PD_KERNEL_KICK, 3 * n, kick, sizeof kick / sizeof *kick);
  pd_run_kernel(s, PD_KERNEL_SUMS, blocks, add, sizeof add / sizeof *add);
  pd_subset_kicked(s);
  if (d->status == SCR_OK) d->status = device_read(d->device, &d->sums, 0, d->block_sums, 2 * blocks * sizeof(double), &d->error);
  pd_sum_nodes(s, 2, block_terms, d->block_sums, value);
  *sums = (pd_kick_sums){.gravity = value[0], .kinetic = value[1]};
}

static void kick(pd_state *s, pd_kick_sums *sums)
{
  *sums = (pd_kick_sums){0};
  if (!s->explicit_damping) {
    kick_on_device(s, sums);
  } else if (pd_to_host(s, PD_OF_ALL)) {
    pd_kick(s, sums);
    pd_host_wrote(s, PD_OF_VELOCITY | PD_OF_ACCELERATION);
  }
}

static void inspect(const pd_state *s, bool bonds, pd_verdict *verdict)
{
  pd_device *d = s->device;
  uint64_t n = s->node_count;
  const device_argument arguments[] = {DEVICE_ARRAY(d->vector[PD_POSITION]), DEVICE_ARRAY(d->vector[PD_VELOCITY]), DEVICE_ARRAY(d->flags),
                                       DEVICE_VALUE(n)};
  *verdict = (pd_verdict){.soundness = PD_VALID};
  if (!pd_to_device(s, PD_OF_POSITION | PD_OF_VELOCITY)) return;
  pd_run_kernel(s, PD_KERNEL_INSPECT, n, arguments, sizeof arguments / sizeof *arguments);
  bool doubtful = pd_take_flag(s, PD_FLAG_NOT_FINITE) || !pd_rig_depths_are_valid(s);
  if ((doubtful || bonds) && pd_to_host(s, PD_OF_POSITION | PD_OF_VELOCITY)) pd_inspect(s, bonds, verdict);
}

/* ── on the host ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* An entry without a status, and one with: brings what the host reads, calls it, notes what it wrote. */
#define BY_HOST(reads, writes, call)                                                                                                       \
  do {                                                                                                                                     \
    if (!pd_to_host(s, (reads) | (writes))) return;                                                                                        \
    pd_backend_host.call;                                                                                                                  \
    pd_host_wrote(s, writes);                                                                                                              \
  } while (0)
#define TRY_HOST(reads, writes, call)                                                                                                      \
  do {                                                                                                                                     \
    if (!pd_to_host(s, (reads) | (writes))) return pd_device_failure(s, error);                                                            \
    pd_host_wrote(s, writes);                                                                                                              \
    return pd_backend_host.call;                                                                                                           \
  } while (0)

/* Chooses the nodes that part p holds, and brings what its grip does not rule over of these vectors. */
static bool bring_held(pd_state *s, size_t p, unsigned vectors)
{
  bool all = (grip_rules(&s->rig->form[p]) & 7) == 7;
  pd_subset_of_held(s, p);
  return pd_subset_to_host(s, all ? 0 : vectors);
}

static void set_held_velocity(pd_state *s, size_t p, scr_vec3 velocity)
{
  if (!grips_hold(&s->grips, p) || !bring_held(s, p, PD_OF_VELOCITY)) return;
  pd_backend_host.set_held_velocity(s, p, velocity);
  pd_subset_to_device(s, PD_OF_VELOCITY);
}

static void move_held(pd_state *s, size_t p, scr_vec3 path)
{
  if (!bring_held(s, p, PD_OF_MOVED | PD_OF_POSITION)) return;
  pd_backend_host.move_held(s, p, path);
  pd_subset_to_device(s, PD_OF_MOVED | PD_OF_POSITION);
}

static scr_status contact_forces(pd_state *s, double *heat, scr_error *error)
{
  if (pd_pairs_on_device(s)) return pd_pairs_pass(s, error);
  if (!s->explicit_damping) return pd_pairs_pass_by_faces(s, heat, error);
  TRY_HOST(PD_OF_POSITION | PD_OF_VELOCITY | PD_OF_ACCELERATION, PD_OF_FORCE, contact_forces(s, heat, error));
}

static scr_status rig_forces(pd_state *s, pd_part_sums *sums, double *heat, double *push, scr_error *error)
{
  for (size_t p = 0; p < s->rig->count; p++) sums[p] = (pd_part_sums){0};
  pd_rig_reach reach = pd_subset_near_rig(s);
  if (reach == PD_RIG_FAR) return SCR_OK;
  if (reach == PD_RIG_NEAR) {
    if (!pd_subset_to_host(s, PD_OF_POSITION | PD_OF_VELOCITY | PD_OF_ACCELERATION | PD_OF_FORCE)) return pd_device_failure(s, error);
    SCR_TRY(pd_backend_host.rig_forces(s, sums, heat, push, error));
    return pd_subset_to_device(s, PD_OF_FORCE) ? SCR_OK : pd_device_failure(s, error);
  }
  TRY_HOST(PD_OF_POSITION | PD_OF_VELOCITY | PD_OF_ACCELERATION, PD_OF_FORCE, rig_forces(s, sums, heat, push, error));
}

static void drag(pd_state *s)
{
  BY_HOST(PD_OF_VELOCITY, PD_OF_FORCE, drag(s));
}

static void hold(pd_state *s, size_t p, scr_vec3 *force, scr_vec3 *torque)
{
  *force = *torque = vec3(0, 0, 0);
  pd_subset_of_held(s, p);
  if (!pd_subset_to_host(s, PD_OF_POSITION | PD_OF_FORCE)) return;
  pd_backend_host.hold(s, p, force, torque);
  pd_subset_to_device(s, PD_OF_FORCE);
}

static scr_status break_bonds(pd_state *s, double *fracture, uint64_t *broken, scr_error *error)
{
  size_t first = s->host->torn_bond_count;
  bool all = any_dilatation(s); /* which is asked for beside bonds */
  if (!all) pd_subset_of_past(s);
  if (!(all ? pd_to_host(s, PD_OF_POSITION) : pd_subset_to_host(s, PD_OF_POSITION))) return pd_device_failure(s, error);
  s->host->seen = all ? NULL : s->device->subset.chosen;
  scr_status status = pd_backend_host.break_bonds(s, fracture, broken, error);
  s->host->seen = NULL;
  SCR_TRY(status);
  SCR_TRY(pd_pairs_break(s, first, error));
  return pd_columns_break(s, first, error);
}

static scr_status count_dampers(pd_state *s, size_t *count, scr_error *error)
{
  const pd_host *h = s->host;
  if (!pd_dampers_on_device(s)) TRY_HOST(0, 0, count_dampers(s, count, error));
  *count = s->device->pairs.met_total;
  for (size_t b = 0; b < h->block_count; b++) *count += h->rig_blocks[b].count;
  return pd_device_failure(s, error);
}

/* Few nodes are damped, by the host: not all are dragged. */
static bool damps_few(const pd_state *s)
{
  return !pd_dampers_on_device(s) && !s->explicit_damping && !(s->options->damping_rate > 0);
}

static void damp(pd_state *s, pd_impulse_sums *sums, scr_vec3 *impulse, scr_vec3 *turning)
{
  for (size_t p = 0; p < s->rig->count; p++) impulse[p] = turning[p] = vec3(0, 0, 0);
  *sums = (pd_impulse_sums){0};
  if (pd_dampers_on_device(s)) {
    pd_dampers_damp(s, sums, impulse, turning);
  } else if (damps_few(s)) {
    pd_subset_of_dampers(s);
    if (pd_subset_to_host(s, PD_OF_VELOCITY | PD_OF_POSITION)) pd_backend_host.damp(s, sums, impulse, turning);
  } else {
    BY_HOST(PD_OF_POSITION | PD_OF_VELOCITY, 0, damp(s, sums, impulse, turning));
  }
}

static void absorb(pd_state *s, size_t p, scr_vec3 *impulse, scr_vec3 *turning, double *work)
{
  if (pd_dampers_on_device(s) || damps_few(s))
    pd_backend_host.absorb(s, p, impulse, turning, work); /* held nodes are among the chosen ones */
  else
    BY_HOST(PD_OF_POSITION | PD_OF_VELOCITY, 0, absorb(s, p, impulse, turning, work));
}

static double apply_impulses(pd_state *s)
{
  if (pd_dampers_on_device(s)) return pd_dampers_apply(s);
  if (damps_few(s)) {
    double gained = pd_backend_host.apply_impulses(s);
    return pd_subset_to_device(s, PD_OF_VELOCITY) ? gained : 0;
  }
  if (!pd_to_host(s, PD_OF_VELOCITY)) return 0;
  pd_host_wrote(s, PD_OF_VELOCITY);
  return pd_backend_host.apply_impulses(s);
}

static void weigh(pd_state *s)
{
  BY_HOST(PD_OF_ALL, 0, weigh(s));
}

static void relax(pd_state *s, double damping, bool first)
{
  BY_HOST(0, PD_OF_ALL, relax(s, damping, first));
}

static void measure_balance(const pd_state *s, pd_balance *sums)
{
  *sums = (pd_balance){0};
  BY_HOST(PD_OF_ALL, 0, measure_balance(s, sums));
}

static double net_force(const pd_state *s, size_t *grain)
{
  *grain = 0;
  return pd_to_host(s, PD_OF_ALL) ? pd_backend_host.net_force(s, grain) : 0;
}

static void rest(pd_state *s)
{
  BY_HOST(0, PD_OF_ALL, rest(s));
}

static void accelerate(pd_state *s)
{
  BY_HOST(PD_OF_FORCE, PD_OF_ACCELERATION, accelerate(s));
}

static void energies(const pd_state *s, sim_energies *now)
{
  *now = (sim_energies){0};
  BY_HOST(PD_OF_POSITION | PD_OF_VELOCITY, 0, energies(s, now));
}

static void count_pieces(const pd_state *s, fragment_summary *summary, pd_forms *forms)
{
  BY_HOST(PD_OF_POSITION, 0, count_pieces(s, summary, forms));
}

static void measure_touching(const pd_state *s, pd_bearing *bearing)
{
  *bearing = (pd_bearing){0};
  BY_HOST(PD_OF_POSITION, 0, measure_touching(s, bearing));
}

static scr_status contacts(const pd_state *s, sim_contact **list, size_t *count, scr_error *error)
{
  *list = NULL;
  *count = 0;
  TRY_HOST(PD_OF_POSITION, 0, contacts(s, list, count, error));
}

static scr_status grain_stresses(const pd_state *s, pd_grain_stress *grains, scr_error *error)
{
  TRY_HOST(PD_OF_ALL, 0, grain_stresses(s, grains, error));
}

static scr_status gather(const pd_state *s, pd_picture *picture, scr_error *error)
{
  TRY_HOST(PD_OF_ALL, 0, gather(s, picture, error));
}

static scr_status save(const pd_state *s, scr_blob *blob, scr_error *error)
{
  TRY_HOST(PD_OF_ALL, 0, save(s, blob, error));
}

static scr_status load(pd_state *s, scr_blob *blob, scr_error *error)
{
  SCR_TRY(pd_backend_host.load(s, blob, error));
  s->device->on_host = PD_OF_ALL;
  s->device->on_device = 0;
  pd_pairs_changed(s);
  return pd_columns_create(s, error);
}

const pd_backend pd_backend_device = {.name = "device",
                                      .create = create,
                                      .destroy = destroy,
                                      .kernel = kernel,
                                      .bits_of = bits_of,
                                      .failure = pd_device_failure,
                                      .set_held_velocity = set_held_velocity,
                                      .predict = predict,
                                      .move_held = move_held,
                                      .bond_forces = bond_forces,
                                      .contact_forces = contact_forces,
                                      .rig_forces = rig_forces,
                                      .drag = drag,
                                      .hold = hold,
                                      .break_bonds = break_bonds,
                                      .kick = kick,
                                      .count_dampers = count_dampers,
                                      .damp = damp,
                                      .absorb = absorb,
                                      .apply_impulses = apply_impulses,
                                      .inspect = inspect,
                                      .weigh = weigh,
                                      .relax = relax,
                                      .measure_balance = measure_balance,
                                      .net_force = net_force,
                                      .rest = rest,
                                      .accelerate = accelerate,
                                      .energies = energies,
                                      .count_pieces = count_pieces,
                                      .measure_touching = measure_touching,
                                      .contacts = contacts,
                                      .grain_stresses = grain_stresses,
                                      .gather = gather,
                                      .save = save,
                                      .load = load};

scr_status pd_backend_choose(const char *device, const pd_backend **backend, scr_error *error)
{
  device_list list;
  const device_about *about = NULL;
  *backend = &pd_backend_host;
  if (!device || strcmp(device, "cpu") == 0) return SCR_OK;
  device_find_all(&list);
  SCR_TRY(device_choose(&list, device, &about, error));
  if (about) *backend = &pd_backend_device;
  return SCR_OK;
}
