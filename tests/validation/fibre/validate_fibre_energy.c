/* Energies of steps in which fibres touch: the theorem of work step by step, and rest. */
#include "server/embedded.h"
#include "tests/support/shared_scene.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

/* Sums of a run so far, J. */
typedef struct account {
  double held, put_in, damping, friction, impact, numerical;
} account;

static account account_of(sim_run *r)
{
  run_observe(r);
  return (account){.held = run_value(r, "energy.kinetic") + run_value(r, "energy.elastic"),
                   .put_in = run_value(r, "energy.external"),
                   .damping = run_value(r, "energy.damping"),
                   .friction = run_value(r, "energy.friction"),
                   .impact = run_value(r, "energy.impact"),
                   .numerical = run_value(r, "energy.numerical")};
}

/* What 400 steps of the gallery's tuft come to, which is shaken until its twelve hairs tangle; of the largest energy, but for counts. */
typedef struct tangle {
  double missing, given; /* in a step: from its energies; by what only ever takes */
  double friction;
  double touching, most; /* steps in which hairs touch; contacts */
  double unsolved;
} tangle;

static tangle shake(double tolerance)
{
  const embedded_file *asset = embedded_find("gallery/hair-tuft.json");
  assert_non_null(asset);
  char options[100];
  snprintf(options, sizeof options, "\"method\": \"fibre\", \"options\": {\"contact_tolerance\": %g}", tolerance);
  char *text = shared_replaced((const char *)asset->data, "\"method\": \"fibre\"", options);
  sim_run r = run_open(text, 1);
  account before = account_of(&r);
  tangle t = {0};
  double scale = 0;
  free(text);
  for (int k = 0; k < 400; k++) {
    run_steps(&r, 1);
    account now = account_of(&r);
    double taken[] = {now.damping - before.damping, now.friction - before.friction, now.impact - before.impact,
                      now.numerical - before.numerical};
    double sum = now.held - before.held - (now.put_in - before.put_in);
    for (int i = 0; i < 4; i++) sum += taken[i], t.given = fmax(t.given, -taken[i]);
    t.missing = fmax(t.missing, fabs(sum));
    scale = fmax(scale, now.held + fabs(now.put_in));
    t.touching += run_value(&r, "contacts") > 0;
    t.most = fmax(t.most, run_value(&r, "contacts"));
    before = now;
  }
  t.missing /= scale, t.given /= scale, t.friction = before.friction / scale;
  t.unsolved = run_value(&r, "unsolved_steps") + run_value(&r, "unsolved_contacts");
  run_close(&r);
  return t;
}

/* Check 12: in every step what is held changes by the work of loads and of the plate, less what friction, closing gaps, dampers and the
 * implicit Euler method take, each worked out by its own formula; and none of these gives anything back: to what contacts are solved to,
 * which is a millionth of a step's speeds, and a thousandth of that in the second run. */
static void test_the_theorem_of_work_holds_step_by_step(void **state)
{
  (void)state;
  const tangle usual = shake(1e-6), fine = shake(1e-9);
  claim_between("tuft: steps of 400 in which hairs touch", usual.touching, 100, 400, "they run into each other");
  claim_between("tuft: most contacts of a step", usual.most, 5, INFINITY, "and tangle");
  claim_between("tuft: friction's part of all energy", usual.friction, 1e-3, 1, "and rub");
  claim_absolute("tuft: missing from a step's energies, of the largest", usual.missing, 0, 5e-7,
                 "theorem of work, contacts solved to 1e-6");
  claim_absolute("tuft: the same, contacts solved to 1e-9", fine.missing, 0, 5e-9, "theorem of work");
  claim_absolute("tuft: what friction, impacts, dampers or steps give back in a step", usual.given, 0, 1e-8, "dissipations");
  claim_absolute("tuft: the same, contacts solved to 1e-9", fine.given, 0, 1e-10, "dissipations");
  claim_absolute("tuft: unsolved steps", usual.unsolved + fine.unsolved, 0, 0, "none");
}

SUITE(validate_fibre_energy)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_theorem_of_work_holds_step_by_step),
  };
  return cmocka_run_group_tests_name("energies of fibres that touch", tests, NULL, NULL);
}
