/* Scenes of the gallery that break: that they break where and how such bodies do. */
#include <math.h>

#include "server/embedded.h"
#include "tests/support/bdem_run.h"
#include "tests/support/pressed_disc.h"
#include "tests/support/shared_scene.h"
#include "tests/support/suites.h"

/* Opens a scene of the gallery. */
static bdem_run gallery(const char *name)
{
  char path[96];
  snprintf(path, sizeof path, "gallery/%s.json", name);
  const embedded_file *asset = embedded_find(path);
  if (!asset) run_fail("no such scene", name);
  return run_open(asset ? (const char *)asset->data : "", 1);
}

/* ── cloth-tear ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Number of the weft, counted along y, that a sphere of the cloth belongs to. */
static long weft_of(const scr_shape *cloth, scr_vec3 at_rest)
{
  return lround(at_rest.y / cloth->pitch + 0.5 * (double)cloth->wefts - 0.5);
}

/* A pin that is driven on from the end of a slit breaks one yarn after the other. Reference: geometry. The yarns are a pitch apart, so they
 * break where the pin is (x within a pitch of its way, y within two pitches ahead of it: it pushes the next yarn before it), in their
 * order, none left out. The two bonds of a yarn beside the sphere that the pin pushes are loaded alike: rounding decides whether the second
 * breaks in the same step, so they count as one break of the yarn. Elsewhere no yarn breaks but those that the pin has torn already: their
 * halves fly back, or hang on the pin, and fewer of them than yarns are torn break once more at a grip. */
static void test_a_cloth_tears_yarn_by_yarn_from_the_end_of_its_slit(void **state)
{
  (void)state;
  bdem_run r = gallery("cloth-tear");
  const scr_shape *cloth = &r.scene->specimens[0].shape;
  const bdem_body *body = &run_state(&r)->body;
  scr_vec3 *rest = calloc(body->sphere_count, sizeof *rest);
  assert_non_null(rest);
  memcpy(rest, body->position, body->sphere_count * sizeof *rest);
  const scr_obstacle *pin = &r.scene->rig.obstacles[0];
  run_until(&r, claim_slow_part("the tear from 26 ms to 60 ms") ? 0.06 : 0.026);
  size_t at_pin = 0, elsewhere = 0, count = shared_breaks(r.sim)->row_count;
  double torn_at = -INFINITY; /* s, when the last yarn was */
  for (size_t k = 0; k < count; k++) {
    const break_entry entry = breaks_entry(shared_breaks(r.sim), k), *b = &entry;
    double ahead = b->position[1] - pin->position.y - scr_program_displacement(&pin->program, b->time);
    assert_true(fabs(rest[b->b].x - rest[b->a].x) > fabs(rest[b->b].y - rest[b->a].y)); /* a weft */
    if (fabs(b->position[0] - pin->position.x) > cloth->pitch) {
      assert_true(weft_of(cloth, rest[b->a]) < cloth->slit + (long)at_pin);
      elsewhere++;
      continue;
    }
    assert_true(ahead > 0 && ahead < 2 * cloth->pitch);
    if (b->time == torn_at && weft_of(cloth, rest[b->a]) == cloth->slit + (long)at_pin - 1) continue;
    assert_int_equal(weft_of(cloth, rest[b->a]), cloth->slit + (long)at_pin);
    torn_at = b->time;
    at_pin++;
  }
  claim_between("yarns torn at the pin", (double)at_pin, 2, INFINITY, "the pin's way: a yarn a pitch");
  claim_shown("torn elsewhere: halves of torn yarns that whip back", elsewhere); /* none or some: their strength is reached just or not */
  free(rest);
  run_close(&r);
}

/* ── chocolate-drop ─────────────────────────────────────────────────────────────────────────────────────────────── */

/* A groove's width at the top of the bar, m. */
static const double groove = 0.03;

/* Whether a point of the bar, in its own axes, lies in the section below a groove: those between its 4 x 2 pieces. */
static bool below_groove(scr_vec3 p)
{
  double across = fabs(fabs(p.x) - 0.1), lengthwise = fmin(fabs(p.y), fmin(across, fabs(p.x)));
  return lengthwise < 0.5 * groove;
}

/* A blow breaks a bar where it is thin. Reference: bonds that break per bond that is there, below grooves and elsewhere: in a bar without
 * grooves 1 but for chance. 3 leaves room for the corner that crumbles where it hits. At the end no piece has more than two of the eight.
 * */
static void test_a_bar_of_chocolate_breaks_along_its_grooves(void **state)
{
  (void)state;
  claim_slow();
  bdem_run r = gallery("chocolate-drop");
  const scr_specimen *bar = &r.scene->specimens[0];
  const bdem_body *body = &run_state(&r)->body;
  scr_quat back = quat_exp(vec3_scale(bar->rotation_axis, -bar->rotation_angle));
  scr_vec3 *rest = calloc(body->sphere_count, sizeof *rest);
  assert_non_null(rest);
  for (size_t i = 0; i < body->sphere_count; i++) rest[i] = quat_rotate(back, vec3_sub(body->position[i], bar->positions[0]));
  double bonds[2] = {0}, broken[2] = {0};
  for (size_t k = 0; k < body->bond_count; k++)
    bonds[below_groove(vec3_scale(vec3_add(rest[body->ends[k][0]], rest[body->ends[k][1]]), 0.5))]++;
  run_until(&r, r.scene->time.duration);
  for (size_t k = 0; k < shared_breaks(r.sim)->row_count; k++) {
    const break_entry entry = breaks_entry(shared_breaks(r.sim), k), *b = &entry;
    broken[below_groove(vec3_scale(vec3_add(rest[b->a], rest[b->b]), 0.5))]++;
  }
  claim_shown("bonds below grooves, of all", bonds[1] / (bonds[0] + bonds[1]));
  claim_shown("bonds broken below grooves, of all broken", broken[1] / (broken[0] + broken[1]));
  double ratio = broken[1] / bonds[1] / (broken[0] / bonds[0]);
  claim_between("chance to break below a groove over that elsewhere", ratio, 3, INFINITY, "1 where grooves did nothing");
  double mass = 0;
  for (size_t i = 0; i < body->sphere_count; i++) mass += body->mass[i];
  claim_between("largest piece, of the bar's mass", run_curve(&r, "largest_fragment_mass") / mass, 0, 0.25, "two of the eight pieces");
  free(rest);
  run_close(&r);
}

/* ── brazilian-disc ─────────────────────────────────────────────────────────────────────────────────────────────── */

static const pressed_disc gallery_disc = {0.01, 0.002542, 0.0105, 3e9, 0.146};

/* The disc under bdem as in the gallery, between jaws with or without friction, breakable or not. */
static bdem_run disc(bool friction, bool breakable)
{
  const char *const changes[2][2] = {
      {"\"friction_coefficient\": 0.3", friction ? "\"friction_coefficient\": 0.30" : "\"friction_coefficient\": 0"},
      {"\"local_damping\": 0.3", breakable ? "\"local_damping\": 0.30" : "\"local_damping\": 0.3, \"breakable\": false"}};
  bdem_run r = {.scene = shared_scene_changed("brazilian-disc", "bdem", changes, 2)};
  scr_error error = {0};
  if (scr_sim_create(r.scene, 1, &r.sim, &error) != SCR_OK) run_fail("simulation", error.message);
  r.values = calloc(scr_sim_series_count(r.sim), sizeof *r.values);
  assert_non_null(r.values);
  return r;
}

/* Takes all bonds out that cross the plane x = 0 where the whole disc is in tension there. */
static void cut_where_tense(bdem_state *s)
{
  const bdem_body *body = &s->body;
  table_log *log = s->fracture.log;
  double height = disc_tension_height(&gallery_disc, 400);
  s->fracture.marked_count = 0;
  for (size_t b = 0; b < body->bond_count; b++) {
    scr_vec3 i = body->position[body->ends[b][0]], j = body->position[body->ends[b][1]];
    if ((i.x < 0) != (j.x < 0) && fabs(i.z + j.z) < 2 * height) s->fracture.marked[s->fracture.marked_count++] = (uint32_t)b;
  }
  assert_true(s->fracture.marked_count > 0);
  s->fracture.log = NULL;
  assert_int_equal(bdem_break_marked(&s->body, &s->batches, &s->fracture, &s->total, s->ledger, NULL), SCR_OK);
  bdem_bonds_close(&s->body, &s->batches, &s->fracture);
  s->fracture.log = log;
}

/* Mean force on the disc without friction between two displacements of the jaw behind the splitting, N. */
static double greased_force(bool breakable, bool cut)
{
  bdem_run r = disc(false, breakable);
  double sum = 0, count = 0, travel = 0;
  if (cut) cut_where_tense(run_state(&r));
  while (travel < 2e-4) {
    run_steps(&r, 20);
    run_observe(&r);
    travel = run_value(&r, "jaw.top.displacement");
    if (travel >= 1.75e-4) sum += 0.5 * fabs(run_value(&r, "jaw.top.force_z") - run_value(&r, "jaw.bottom.force_z")), count++;
  }
  run_close(&r);
  return sum / count;
}

/* Largest force until a tenth of the bonds that break in the disc's middle half have broken, N; the first of them lie near the loaded
 * diameter. */
static double splitting_force(bdem_run *r)
{
  enum { most = 20000 };
  double *time = calloc(most, sizeof *time), *force = calloc(most, sizeof *force), radius = r->scene->specimens[0].shape.radius,
         largest = 0;
  size_t count = 0, middle = 0;
  assert_true(time && force);
  while (scr_sim_time(r->sim) < r->scene->time.duration && count < most) {
    run_steps(r, 1);
    run_observe(r);
    time[count] = scr_sim_time(r->sim);
    force[count++] = fabs(run_value(r, "jaw.top.force_z"));
  }
  for (size_t k = 0; k < shared_breaks(r->sim)->row_count; k++) {
    const break_entry entry = breaks_entry(shared_breaks(r->sim), k);
    const double *at = entry.position;
    if (fabs(at[2]) > 0.5 * radius) continue;
    if (middle++ < 250) assert_true(fabs(at[0]) < 0.2 * radius); /* later the halves break too */
  }
  claim_between("bonds broken in the middle half", (double)middle, 250, INFINITY, "the diameter's plane has some 300");
  for (size_t k = 0; k < count && time[k] <= shared_splitting_time(r->sim, radius); k++) largest = fmax(largest, force[k]);
  free(time);
  free(force);
  return largest;
}

/* In its middle half the disc breaks along the loaded diameter alone. The load at which it does is that at which the strain across the
 * diameter reaches that of a pulled bar at its strength: (1 + 3 nu) times that of the tensile stress 2 P/(pi D t) in the middle, less what
 * the width of the contact takes off, by plane elasticity with Hertz's pressure. Tolerance 15 %: bonds by the jaws are bent too, by a fifth
 * of their strength, and the disc rings. Flat jaws crush the disc before: they press by P/(2 b t) on b = 0.8 mm, at 411 N more than the
 * strength over nu that splits a body pressed along one axis; it splits from there at 280 N, with half the spacing at 279. */
static void test_a_pressed_disc_splits_along_its_diameter(void **state)
{
  (void)state;
  claim_slow();
  bdem_run r = disc(true, true);
  claim_relative("force when it splits, N", splitting_force(&r), disc_splitting_force(&gallery_disc, 7.4e6 / gallery_disc.young_modulus, 0),
                 0.15, "plane elasticity, Hertz's pressure");
  run_close(&r);
}

/* Between jaws without friction a disc that has split goes on carrying: rigid jaws leave both halves where they are, and each carries on as
 * a bow would, pressed at its ends. Reference: the disc, cut beforehand where its diameter is in tension by plane elasticity, and over the
 * whole one, neither of which can break, at the same displacement. Tolerance 0.08: the force still swings, and a crack frays. */
static void test_the_halves_of_a_disc_carry_on_between_greased_jaws(void **state)
{
  (void)state;
  claim_slow();
  double whole = greased_force(false, false), left = greased_force(false, true) / whole;
  claim_absolute("force after splitting over that of the whole disc", greased_force(true, false) / whole, left, 0.08,
                 "the disc cut in two beforehand");
  assert_true(left < 0.95);
}

static bool takes_seconds(const char *path)
{
  static const char *const names[] = {"/triaxial.",  "/deformable-triaxial.",   "/kalthoff-winkler.",
                                      "/oedometer.", "/grain-aggregate-crush.", "/sand-crush."};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strstr(path, names[k])) return true;
  return false;
}

/* A worker runs the scene as it is stored, with every default written out: that must be a scene again, and the same one. Of every scene of
 * the gallery, under all methods that there are; packings of pebbles and of sand and bodies of many nodes as a slow part: others have the
 * like. */
static void test_every_scene_is_the_same_with_its_defaults_written_out(void **state)
{
  (void)state;
  bool slow = claim_slow_part("six scenes that take seconds to be read");
  size_t count, scenes = 0;
  const embedded_file *file = embedded_under("gallery/", &count);
  for (size_t k = 0; k < count; k++) {
    scr_scene *first = NULL, *second = NULL;
    scr_problems problems = {0};
    const char *end = strrchr(file[k].path, '.');
    if (!end || strcmp(end, ".json") != 0 || strstr(file[k].path, "measured")) continue;
    if (!slow && takes_seconds(file[k].path)) continue;
    if (scr_scene_parse((const char *)file[k].data, file[k].size, NULL, &first, &problems) != SCR_OK)
      run_fail(file[k].path, problems.count ? problems.items[0].detail : "no memory");
    scr_problems_clear(&problems);
    char *text = scr_scene_json(first);
    assert_non_null(text);
    if (scr_scene_parse(text, strlen(text), NULL, &second, &problems) != SCR_OK)
      run_fail(file[k].path, problems.count ? problems.items[0].detail : "no memory");
    scr_problems_clear(&problems);
    char *again = scr_scene_json(second);
    assert_string_equal(text, again);
    scr_free(text);
    scr_free(again);
    scr_scene_destroy(first);
    scr_scene_destroy(second);
    scenes++;
  }
  claim_between("scenes read again with their defaults", (double)scenes, 50, 1000, "the gallery");
}

SUITE(validate_gallery)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_scene_is_the_same_with_its_defaults_written_out),
      cmocka_unit_test(test_a_cloth_tears_yarn_by_yarn_from_the_end_of_its_slit),
      cmocka_unit_test(test_a_bar_of_chocolate_breaks_along_its_grooves),
      cmocka_unit_test(test_a_pressed_disc_splits_along_its_diameter),
      cmocka_unit_test(test_the_halves_of_a_disc_carry_on_between_greased_jaws),
  };
  return cmocka_run_group_tests_name("gallery", tests, NULL, NULL);
}
