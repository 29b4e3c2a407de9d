/* The seam of method peridem: a back end that notes what is called, and hides the host's arrays between calls, runs the same simulation. */
#include "methods/peridem/host/host.h"
#include "methods/peridem/step/step.h"
#include "record/frame/builder.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

typedef struct watch {
  pd_state *state;
  char calls[1024]; /* names, each with a blank before it */
  pd_host *hidden;  /* the host's arrays, while they are not in the state */
} watch;

static watch watched;

static void show(void)
{
  watched.state->host = watched.hidden;
}

static void hide(void)
{
  watched.hidden = watched.state->host;
  watched.state->host = NULL;
}

static pd_state *enter(const char *name)
{
  size_t length = strlen(watched.calls);
  assert_true(length + strlen(name) + 2 < sizeof watched.calls);
  snprintf(watched.calls + length, sizeof watched.calls - length, " %s", name);
  show();
  return watched.state;
}

/* Entries without a value, and with one. */
#define CALL(name, ...) (pd_backend_host.name(enter(#name), __VA_ARGS__), hide())
#define GIVE(type, name, ...)                                                                                                              \
  type given = pd_backend_host.name(__VA_ARGS__);                                                                                          \
  hide();                                                                                                                                  \
  return given

static void set_held_velocity(pd_state *s, size_t p, scr_vec3 velocity)
{
  (void)s, CALL(set_held_velocity, p, velocity);
}

static void predict(pd_state *s, double *fracture)
{
  (void)s, CALL(predict, fracture);
}

static void move_held(pd_state *s, size_t p, scr_vec3 path)
{
  (void)s, CALL(move_held, p, path);
}

static size_t bond_forces(pd_state *s)
{
  (void)s;
  GIVE(size_t, bond_forces, enter("bond_forces"));
}

static scr_status contact_forces(pd_state *s, double *heat, scr_error *error)
{
  (void)s;
  GIVE(scr_status, contact_forces, enter("contact_forces"), heat, error);
}

static scr_status rig_forces(pd_state *s, pd_part_sums *sums, double *heat, double *push, scr_error *error)
{
  (void)s;
  GIVE(scr_status, rig_forces, enter("rig_forces"), sums, heat, push, error);
}

static void drag(pd_state *s)
{
  (void)s;
  pd_backend_host.drag(enter("drag"));
  hide();
}

static void hold(pd_state *s, size_t p, scr_vec3 *force, scr_vec3 *torque)
{
  (void)s, CALL(hold, p, force, torque);
}

static scr_status break_bonds(pd_state *s, double *fracture, uint64_t *broken, scr_error *error)
{
  (void)s;
  GIVE(scr_status, break_bonds, enter("break_bonds"), fracture, broken, error);
}

static void kick(pd_state *s, pd_kick_sums *sums)
{
  (void)s, CALL(kick, sums);
}

static scr_status count_dampers(pd_state *s, size_t *count, scr_error *error)
{
  (void)s;
  GIVE(scr_status, count_dampers, enter("count_dampers"), count, error);
}

static void damp(pd_state *s, pd_impulse_sums *sums, scr_vec3 *impulse, scr_vec3 *turning)
{
  (void)s, CALL(damp, sums, impulse, turning);
}

static void absorb(pd_state *s, size_t p, scr_vec3 *impulse, scr_vec3 *turning, double *work)
{
  (void)s, CALL(absorb, p, impulse, turning, work);
}

static double apply_impulses(pd_state *s)
{
  (void)s;
  GIVE(double, apply_impulses, enter("apply_impulses"));
}

static void inspect(const pd_state *s, bool bonds, pd_verdict *verdict)
{
  (void)s, CALL(inspect, bonds, verdict);
}

static void energies(const pd_state *s, sim_energies *now)
{
  (void)s, CALL(energies, now);
}

static void count_pieces(const pd_state *s, fragment_summary *summary, pd_forms *forms)
{
  (void)s, CALL(count_pieces, summary, forms);
}

static void weigh(pd_state *s)
{
  (void)s;
  pd_backend_host.weigh(enter("weigh"));
  hide();
}

static void relax(pd_state *s, double damping, bool first)
{
  (void)s, CALL(relax, damping, first);
}

static void measure_balance(const pd_state *s, pd_balance *sums)
{
  (void)s, CALL(measure_balance, sums);
}

static double net_force(const pd_state *s, size_t *grain)
{
  (void)s;
  GIVE(double, net_force, enter("net_force"), grain);
}

static void rest(pd_state *s)
{
  (void)s;
  pd_backend_host.rest(enter("rest"));
  hide();
}

static void measure_touching(const pd_state *s, pd_bearing *bearing)
{
  (void)s, CALL(measure_touching, bearing);
}

static scr_status contacts(const pd_state *s, sim_contact **lines, size_t *count, scr_error *error)
{
  (void)s;
  GIVE(scr_status, contacts, enter("contacts"), lines, count, error);
}

static scr_status grain_stresses(const pd_state *s, pd_grain_stress *grains, scr_error *error)
{
  (void)s;
  GIVE(scr_status, grain_stresses, enter("grain_stresses"), grains, error);
}

static scr_status gather(const pd_state *s, pd_picture *picture, scr_error *error)
{
  (void)s;
  GIVE(scr_status, gather, enter("gather"), picture, error);
}

static scr_status save(const pd_state *s, scr_blob *blob, scr_error *error)
{
  (void)s;
  GIVE(scr_status, save, enter("save"), blob, error);
}

static scr_status load(pd_state *s, scr_blob *blob, scr_error *error)
{
  (void)s;
  GIVE(scr_status, load, enter("load"), blob, error);
}

static const pd_backend watching = {.name = "watching",
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
                                    .energies = energies,
                                    .count_pieces = count_pieces,
                                    .weigh = weigh,
                                    .relax = relax,
                                    .measure_balance = measure_balance,
                                    .net_force = net_force,
                                    .rest = rest,
                                    .measure_touching = measure_touching,
                                    .contacts = contacts,
                                    .grain_stresses = grain_stresses,
                                    .gather = gather,
                                    .save = save,
                                    .load = load};

/* From here on the run goes through the watching back end, until unwatch(). */
static void watch_run(const sim_run *r)
{
  watched = (watch){.state = r->sim->state};
  watched.state->backend = &watching;
  hide();
}

static void unwatch(void)
{
  show();
  watched.state->backend = &pd_backend_host;
}

static void assert_step_calls(sim_run *r, const char *calls)
{
  watched.calls[0] = 0;
  run_steps(r, 1);
  assert_string_equal(watched.calls, calls);
}

#define SCENE_HEAD                                                                                                                         \
  "{\"scree\":1,\"name\":\"seam\",\"method\":\"peridem\",\"materials\":[{\"name\":\"m\",\"density\":1200,\"bulk_modulus\":2e9,"            \
  "\"fracture_energy\":135}],\"contact\":{\"friction_coefficient\":0.5,\"damping_ratio\":0.5},"

/* A grain falls onto a plate fast enough to break. */
static const char crush[] =
    SCENE_HEAD "\"specimens\":[{\"name\":\"g\",\"material\":\"m\",\"spacing\":2e-4,\"velocity\":[0,0,-60],"
               "\"shape\":{\"type\":\"sphere\",\"radius\":6e-4}}],\"rig\":{\"type\":\"box\",\"minimum\":[-1e-3,-1e-3,-8.5e-4],"
               "\"maximum\":[1e-3,1e-3,1e-3]},\"time\":{\"duration\":5e-5},\"options\":{\"force_chains\":true}}";
/* A bar is pulled by grips. */
#define PULL(options)                                                                                                                      \
  SCENE_HEAD                                                                                                                               \
  "\"specimens\":[{\"name\":\"bar\",\"material\":\"m\",\"spacing\":1e-3,\"shape\":{\"type\":\"box\",\"size\":[4e-3,4e-3,0.012]}}],"        \
  "\"rig\":{\"type\":\"grips\",\"axis\":\"z\",\"low_end\":-4e-3,\"high_start\":4e-3,\"program\":[{\"type\":\"constant\",\"velocity\":1}]}" \
  ","                                                                                                                                      \
  "\"time\":{\"duration\":1e-4},\"options\":{" options "}}"

static void test_a_step_calls_every_stage_once_and_in_order(void **state)
{
  (void)state;
  sim_run r = run_open(crush, 2);
  watch_run(&r);
  assert_step_calls(&r, " predict bond_forces contact_forces rig_forces kick count_dampers inspect");
  bool damped = false, broken = false;
  for (int k = 0; k < 400 && !broken; k++) {
    watched.calls[0] = 0;
    run_steps(&r, 1);
    broken = strstr(watched.calls, "break_bonds") != NULL;
    if (!broken && strstr(watched.calls, "damp ")) {
      damped = true;
      assert_string_equal(watched.calls, " predict bond_forces contact_forces rig_forces kick count_dampers damp apply_impulses inspect");
    }
  }
  assert_true(damped && broken);
  assert_string_equal(watched.calls,
                      " predict bond_forces contact_forces rig_forces break_bonds kick count_dampers damp apply_impulses inspect");
  unwatch();
  run_close(&r);
}

static void test_grips_are_aimed_moved_held_and_absorb(void **state)
{
  (void)state;
  sim_run r = run_open(PULL("\"damping_rate\":100"), 1);
  watch_run(&r);
  assert_step_calls(&r,
                    " set_held_velocity set_held_velocity predict move_held move_held bond_forces contact_forces rig_forces hold hold kick"
                    " set_held_velocity set_held_velocity count_dampers damp absorb absorb apply_impulses inspect");
  unwatch();
  run_close(&r);
}

static void test_explicit_damping_drags_and_takes_no_impulses(void **state)
{
  (void)state;
  sim_run r = run_open(PULL("\"damping_rate\":100,\"damping_step\":\"explicit\""), 1);
  watch_run(&r);
  assert_step_calls(&r,
                    " set_held_velocity set_held_velocity predict move_held move_held bond_forces contact_forces rig_forces drag hold hold"
                    " kick set_held_velocity set_held_velocity inspect");
  unwatch();
  run_close(&r);
}

/* The two simulations draw the same frame. */
static void assert_same_frame(const scr_sim *one, const scr_sim *other)
{
  const scr_sim *both[2] = {one, other};
  scr_frame *frame[2];
  const void *payload[2];
  size_t size[2];
  for (int k = 0; k < 2; k++) {
    assert_int_equal(frame_create(both[k]->drawables, both[k]->drawable_count, &frame[k], NULL), SCR_OK);
    frame_begin(frame[k]);
    assert_int_equal(sim_draw(both[k], frame[k], NULL), SCR_OK);
    assert_int_equal(frame_finish(frame[k], &payload[k], &size[k], NULL), SCR_OK);
  }
  assert_int_equal(size[0], size[1]);
  assert_memory_equal(payload[0], payload[1], size[0]);
  for (int k = 0; k < 2; k++) frame_destroy(frame[k]);
}

/* Steps, curves, frames and checkpoints reach the nodes through the table alone: they work while the arrays are hidden, with the bits of
 * the host's run. */
static void test_a_run_reaches_nodes_through_the_table_alone(void **state)
{
  (void)state;
  sim_run one = run_open(crush, 1), other = run_open(crush, 1);
  scr_blob blob = {0};
  scr_error error = {0};
  watch_run(&other);
  for (int k = 0; k < 60; k++) {
    run_steps(&one, 5);
    watched.calls[0] = 0;
    run_steps(&other, 5);
  }
  run_observe(&one);
  run_observe(&other);
  assert_memory_equal(one.values, other.values, scr_sim_series_count(one.sim) * sizeof *one.values);
  assert_true(run_value(&other, "broken_bonds") > 0);
  watched.calls[0] = 0;
  assert_int_equal(sim_save(other.sim, &blob, &error), SCR_OK);
  assert_int_equal(sim_load(other.sim, &blob, &error), SCR_OK);
  assert_string_equal(watched.calls, " save load");
  watched.calls[0] = 0;
  assert_same_frame(one.sim, other.sim);
  assert_string_equal(watched.calls, " gather contacts");
  assert_same_state(one.sim, other.sim);
  scr_blob_destroy(&blob);
  unwatch();
  run_close(&one);
  run_close(&other);
}

SUITE(test_peridem_backend)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_step_calls_every_stage_once_and_in_order),
      cmocka_unit_test(test_grips_are_aimed_moved_held_and_absorb),
      cmocka_unit_test(test_explicit_damping_drags_and_takes_no_impulses),
      cmocka_unit_test(test_a_run_reaches_nodes_through_the_table_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
