/* Friction of fibres against theory, longer than the unit tests: a capstan of 48 edges a turn. */
#include "methods/fibre/state/state.h"
#include "server/embedded.h"
#include "tests/support/shared_scene.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

/* A slack fibre round a drum as test_fibre_contact has it, `wraps` times with 48 edges each, once all of it slides; the pull over the
 * force at its end. */
static double capstan(double mu, int wraps, int steps)
{
  int edges = 48 * wraps;
  double radius = 0.05, a = 2e-4, d = 2 * M_PI / 48, own = (radius + a) / cos(d / 2), pitch = 6 * a,
         length = wraps * hypot(2 * M_PI * own, pitch);
  char text[3000];
  snprintf(text, sizeof text,
           "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":2e11,"
           "\"bending_factor\":5e-8,\"mass_damping\":0.2,\"stiffness_damping\":1e-3}],"
           "\"contact\":{\"friction_coefficient\":%.17g},\"specimens\":[{\"name\":\"f\",\"material\":\"m\",\"shape\":{\"type\":"
           "\"cylinder\",\"radius\":%.17g,\"length\":%.17g},\"edges\":%d,\"form\":\"helix\","
           "\"helix_radius\":%.17g,\"helix_pitch\":%.17g,\"unloaded\":\"as_placed\",\"held\":\"start\",\"hold\":\"pinned\",\"held_by\":"
           "\"puller\",\"end_force\":[%.17g,%.17g,0]}],"
           "\"rig\":{\"type\":\"none\"},\"obstacles\":[{\"name\":\"drum\",\"shape\":{\"type\":\"cylinder\",\"radius\":%.17g,\"length\":0.1}"
           ",\"position\":[0,0,0]},{\"name\":\"puller\",\"shape\":{\"type\":\"sphere\","
           "\"radius\":1e-3},\"position\":[0.5,0,0],\"direction\":[%.17g,%.17g,0],\"program\":[{\"type\":\"constant\",\"velocity\":2e-3}]}]"
           ",\"time\":{\"duration\":3,\"time_step\":1e-3},"
           "\"options\":{\"fibre_contact\":false}}",
           mu, a, length, edges, own, pitch, -1e-3 * sin((edges - 0.5) * d), 1e-3 * cos((edges - 0.5) * d), radius, sin(d / 2),
           -cos(d / 2));
  sim_run r = run_open(text, 1);
  run_steps(&r, (size_t)steps);
  run_observe(&r);
  double pull = hypot(run_value(&r, "start.force_x"), run_value(&r, "start.force_y"));
  claim_absolute("capstan: share of contacts that slide", run_value(&r, "contacts.sliding") / (edges - 1), 1, 1e-9, "all of it is drawn");
  run_close(&r);
  return pull / 1e-3;
}

/* Two laws that a polygon tends to and keeps: exp(mu angle), and exp((n - 1) asinh(mu sin d)) for 48 edges a turn: of 3 wraps at mu 0.1
 * 6.586 and 6.550 (spec 3.11b.6). */
static void test_tensions_on_a_capstan(void **state)
{
  (void)state;
  const double d = 2 * M_PI / 48;
  claim_relative("capstan, one wrap, mu 0.1", capstan(0.1, 1, 150), exp(47 * asinh(0.1 * sin(d))), 3e-3, "the polygon's law");
  claim_relative("capstan, one wrap, mu 0.5", capstan(0.5, 1, 150), exp(47 * asinh(0.5 * sin(d))), 3e-3, "the polygon's law");
  if (!claim_slow_part("three wraps")) return;
  claim_relative("capstan, three wraps, mu 0.1", capstan(0.1, 3, 300), exp(143 * asinh(0.1 * sin(d))), 3e-3, "the polygon's law");
  claim_relative("capstan, three wraps, mu 0.3", capstan(0.3, 3, 120), exp(143 * asinh(0.3 * sin(d))), 3e-3, "the polygon's law");
  claim_relative("capstan, three wraps, mu 0.5", capstan(0.5, 3, 120), exp(143 * asinh(0.5 * sin(d))), 3e-3, "the polygon's law");
}

/* What a knot's strands press each other with. */
typedef struct knot {
  double thickness; /* (h/R)^1/2 of a rod of radius h and the loop's radius R, by its energy pi EI/R */
  double pressing;  /* in EI/(R^1.5 h^0.5), by what slides: friction's loss over friction and the way of the end */
} knot;

/* The gallery's knot, of a rod so many times thinner that bends and weighs as much, while its end goes from 0.06 to 0.1 m. */
static knot pull_knot(int thinner, int edges)
{
  const double h = 1e-3 / thinner, stiffness = 1e8 * M_PI * pow(1e-3, 4) / 4;
  const char *const old[] = {"\"radius\": 0.001", "\"density\": 1000", "\"young_modulus\": 100000000.0", "\"edges\": 120"};
  const double value[] = {h, 1000.0 * thinner * thinner, 1e8 * pow(thinner, 4), edges};
  const embedded_file *asset = embedded_find("gallery/knot-tightening.json");
  assert_non_null(asset);
  char *text = strdup((const char *)asset->data);
  assert_non_null(text);
  for (int k = 0; k < 4; k++) {
    char new[64];
    snprintf(new, sizeof new, "%.*s %.17g", (int)(strchr(old[k], ':') - old[k] + 1), old[k], value[k]);
    char *changed = shared_replaced(text, old[k], new);
    free(text);
    text = changed;
  }
  sim_run r = run_open(text, 1);
  free(text);
  run_until(&r, 0.5);
  double lost = run_curve(&r, "energy.friction"), way = run_curve(&r, "grip.high.displacement");
  run_until(&r, 0.6);
  const double radius = M_PI * stiffness / run_curve(&r, "energy.bending");
  run_until(&r, 0.7);
  lost = run_curve(&r, "energy.friction") - lost;
  way = fabs(run_curve(&r, "grip.high.displacement") - way);
  run_close(&r);
  return (knot){sqrt(h / radius), lost / (0.1 * way) * pow(radius, 1.5) * sqrt(h) / stiffness};
}

/* Strands of a loose trefoil press each other by 0.492 EI/(R^1.5 h^0.5) in the limit of a thin rod (Audoly, Clauvelin, Neukirch 2007);
 * of rods as thick as these by more, which falls to that with (h/R)^1/2. A parabola from 0.09 to 0.2 leads to 0.52; more edges change no
 * point by more than 0.5 %. */
static void test_strands_of_a_thin_knot_press_as_theory_says(void **state)
{
  (void)state;
  if (!claim_slow_part("knots of three thicknesses, some three minutes")) return;
  const knot k[3] = {pull_knot(1, 120), pull_knot(2, 190), pull_knot(4, 380)};
  double limit = 0;
  for (int i = 0; i < 3; i++) {
    const knot *a = &k[(i + 1) % 3], *b = &k[(i + 2) % 3];
    limit += k[i].pressing * a->thickness * b->thickness / ((k[i].thickness - a->thickness) * (k[i].thickness - b->thickness));
    claim_shown("a knot's (h/R)^1/2", k[i].thickness);
    claim_shown("force between its strands, in EI/(R^1.5 h^0.5)", k[i].pressing);
  }
  claim_relative("that of a thin rod, by a parabola in (h/R)^1/2", limit, 0.492, 0.1, "Audoly, Clauvelin, Neukirch 2007, trefoil");
  claim_between("order of the three: thicker knots press more", fmin(k[0].pressing - k[1].pressing, k[1].pressing - k[2].pressing), 0.03,
                INFINITY, "strands that bend round each other");
}

/* ── a cut core in a strand ──────────────────────────────────────────────────────────────────────────────────────── */

/* What Coulomb's friction hands a core of radius h that n strands of the same rod, at a lay angle b, are wound about. They press it with
 * n T sin^2 b / (2 h) of their tension T = (F - t) / (n cos b); so its tension t grows from its cut end as F (1 - exp(-k x)), k = mu sin^2
 * b / (2 h cos b), until it stretches as the strands do: by t / EA and (F - t) / (n EA cos^3 b) a metre. */
typedef struct strand {
  double k, share, slip; /* 1/m; of the pull that the core then bears; m, how far it slips */
  double stiffness;      /* N/m */
  double work;           /* J/N^2, friction's over the square of the pull */
} strand;

/* @param whole, cut  m, between the grips; from the core's end to its grip */
static strand strand_by_theory(double mu, double h, double pitch, double n, double axial, double whole, double cut)
{
  enum { PARTS = 2000 };
  double b = atan(2 * M_PI * 2 * h / pitch), c = cos(b), strands = n * axial * c * c * c, slipped = 0;
  strand s = {.k = mu * sin(b) * sin(b) / (2 * h * c), .share = axial / (axial + strands)};
  s.slip = -log(1 - s.share) / s.k;
  s.stiffness = 1 / ((whole - cut - s.slip) * s.share / axial + (s.share / s.k + cut) / strands);
  for (int i = PARTS; i-- > 0;) { /* of the strands along the core at x, for a pull of 1 N: integrated from where it sticks */
    double dx = s.slip / PARTS, x = (i + 0.5) * dx, rest = exp(-s.k * x), rate = rest / strands - (1 - rest) / axial;
    s.work += 0.5 * dx * s.k * rest * (slipped + 0.5 * dx * rate);
    slipped += dx * rate;
  }
  return s;
}

/* The gallery's strand between 0.04 and 0.1 s: stiffness, what the core bears, what friction takes. Grips hold it from the second node from
 * each end. Inertia and dampers add a constant to the pull, so slopes are compared; 5 % of the work for the polygon of 16 edges a turn,
 * whose core sticks a corner earlier or later. */
static void test_friction_hands_a_cut_core_its_load(void **state)
{
  (void)state;
  const embedded_file *asset = embedded_find("gallery/fibre-bundle-tension.json");
  assert_non_null(asset);
  const double edge = 0.575 / 40;
  const strand s = strand_by_theory(0.3, 2.5e-3, 0.23, 5, 1e7 * M_PI * 2.5e-3 * 2.5e-3, 36 * edge, 2 * edge);
  sim_run r = run_open((const char *)asset->data, 1);
  double pull[2], core[2], displacement[2], friction[2];
  for (int k = 0; k < 2; k++) {
    run_until(&r, k ? 0.1 : 0.04);
    pull[k] = -run_curve(&r, "grip.high.force_z");
    core[k] = run_curve(&r, "start.force_z");
    displacement[k] = run_curve(&r, "grip.high.displacement");
    friction[k] = run_curve(&r, "energy.friction");
  }
  claim_relative("strand with a cut core: stiffness, N/m", (pull[1] - pull[0]) / (displacement[1] - displacement[0]), s.stiffness, 3e-3,
                 "friction by the strands' tension, exp(-k x)");
  claim_relative("strand with a cut core: what the core bears", (core[1] - core[0]) / (pull[1] - pull[0]), s.share, 0.02,
                 "EA / (EA + 5 EA cos^3 b)");
  claim_relative("strand with a cut core: friction's work, J", friction[1] - friction[0], s.work * (pull[1] * pull[1] - pull[0] * pull[0]),
                 0.05, "the pressing times the slip, along the core");
  claim_absolute("strand with a cut core: unsolved steps", run_curve(&r, "unsolved_steps") + run_curve(&r, "unsolved_contacts"), 0, 0,
                 "none");
  run_close(&r);
}

/* ── felt ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Sums of a line through points by least squares. */
typedef struct line_fit {
  double n, x, y, xx, xy, yy;
} line_fit;

static void line_add(line_fit *f, double x, double y)
{
  f->n++, f->x += x, f->y += y, f->xx += x * x, f->xy += x * y, f->yy += y * y;
}

/* The gallery's felt while it is pressed from 10 to 13 % of fibres: pressure over E and the cube of that share lie on a line (van Wyk, J.
 * Text. Inst. 37 (1946) T285), whose slope is some 0.01 of wool in experiments, 0.005 to 0.03 of most mats. Two other seeds gave 0.009 and
 * 0.016. What goes round the loop is what friction, dampers and steps take. */
static void test_felt_is_pressed_as_van_wyk_says(void **state)
{
  (void)state;
  if (!claim_slow_part("felt between two plates, a minute")) return;
  const embedded_file *asset = embedded_find("gallery/felt-compression.json");
  assert_non_null(asset);
  const double area = 9.6e-3 * 9.6e-3, height = 5.6e-3, fibres = 50 * M_PI * 1e-8 * 0.012;
  sim_run r = run_open((const char *)asset->data, 1);
  line_fit f = {0};
  for (int k = 1; k <= 100; k++) {
    run_until(&r, 5.53e-4 * k); /* to where the plate turns back */
    double share = fibres / (area * (height - fabs(run_curve(&r, "platen.top.displacement"))));
    if (share > 0.1) line_add(&f, pow(share, 3), fabs(run_curve(&r, "platen.top.force_z")) / area / 1e7);
  }
  double xy = f.n * f.xy - f.x * f.y, xx = f.n * f.xx - f.x * f.x, yy = f.n * f.yy - f.y * f.y, slope = xy / xx;
  claim_between("felt: K of van Wyk's K E (f^3 - f0^3)", slope, 0.005, 0.03, "0.01 of wool");
  claim_between("felt: f0, share of fibres where pressure begins", cbrt((f.x - f.y / slope) / f.n), 0.08, 0.11, "contacts enough to bear");
  claim_between("felt: square of the correlation with f^3", xy * xy / (xx * yy), 0.97, 1, "a line");
  run_until(&r, 0.067);
  double lost = run_curve(&r, "energy.friction") + run_curve(&r, "energy.damping") + run_curve(&r, "energy.numerical") +
                run_curve(&r, "energy.impact"),
         held = run_curve(&r, "energy.elastic") + run_curve(&r, "energy.kinetic");
  claim_relative("felt: what the plates put in and did not get back, J", run_curve(&r, "energy.external"), lost + held, 1e-4,
                 "friction, dampers, steps, what is still there; contacts are solved to 1e-5");
  claim_absolute("felt: unsolved steps", run_curve(&r, "unsolved_steps") + run_curve(&r, "unsolved_contacts"), 0, 0, "none");
  run_close(&r);
}

/* ── a weave by two methods ──────────────────────────────────────────────────────────────────────────────────────── */

/* What the hook of a gallery scene has done when it is 15 mm up, J, and what of it friction took. */
typedef struct pullout {
  double work, friction;
} pullout;

static pullout pull_yarn_out(const char *path)
{
  const embedded_file *asset = embedded_find(path);
  assert_non_null(asset);
  sim_run r = run_open((const char *)asset->data, 1);
  run_until(&r, 0.04125); /* 15 mm at 0.4 m/s, with a rise of 7.5 ms */
  pullout p = {run_curve(&r, "energy.external"), run_curve(&r, "energy.friction")};
  run_close(&r);
  return p;
}

/* Rods with exact friction and bonded spheres with springs, in one rig. 5 %: spheres make a yarn knobbly, and damp by collisions; the share
 * of friction differs by more, as knobs store work that the next crossing gives back. */
static void test_a_yarn_is_drawn_out_as_bonded_spheres_are(void **state)
{
  (void)state;
  pullout rods = pull_yarn_out("gallery/woven-yarn-pullout.json"), spheres = pull_yarn_out("gallery/woven-yarn-pullout-bonded.json");
  claim_relative("yarn drawn out of a weave: work over 15 mm, J", rods.work, spheres.work, 0.05, "bdem, the same rig");
  claim_relative("yarn drawn out of a weave: of that by friction, J", rods.friction, spheres.friction, 0.25, "bdem, the same rig");
}

/* ── rest ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The largest displacement of a node from where it was, m. @param begun [unknown_count] */
static double farthest(const fibre_state *s, const double *begun)
{
  double most = 0;
  for (uint32_t node = 0; node < s->node_count; node++)
    most = fmax(most, vec3_length(vec3_sub(rod_position(s->place, node), rod_position(begun, node))));
  return most;
}

/* A hundred curled hairs of 0.3 m hang from roots 5.5 mm apart, fall into each other and come to rest in air that brakes each by itself;
 * once all is slower than 1e-9 m/s nothing moves by more than 1e-8 of its length in 1000 steps (spec 3.11b.12). Contacts stick in
 * velocities, to 1e-6 of those of a step, 1e-8 m/s: what is left of them adds up to no more. */
static void test_a_settled_tuft_rests(void **state)
{
  (void)state;
  if (!claim_slow_part("a tuft that settles, some ten minutes")) return;
  enum { PATIENCE = 8000, STEPS = 1000, LOOK = 50 };
  const double length = 0.3;
  sim_run r = run_open(
      "{\"scree\":1,\"name\":\"tuft\",\"method\":\"fibre\",\"seed\":7,\"materials\":[{\"name\":\"hair\",\"density\":1300,\"young_modulus\":"
      "3."
      "9e9,\"poisson_ratio\":0.48,\"mass_damping\":12,\"stiffness_damping\":1e-4}],\"contact\":{\"friction_coefficient\":0.3},"
      "\"specimens\":[{\"name\":\"hair\",\"material\":\"hair\",\"shape\":{\"type\":\"cylinder\",\"radius\":5e-5,\"length\":0.3},\"edges\":"
      "20,"
      "\"contact_radius\":1e-4,\"held\":\"start\",\"rotation\":{\"axis\":[1,0,0],\"angle_deg\":180},\"placement\":{\"type\":\"lattice\","
      "\"origin\":[0,0,-0.15],\"pitch\":[0.0055,0.0055,1],\"count\":[10,10,1]},\"random_phase\":true,\"form\":\"helix\",\"unloaded\":\"as_"
      "placed\",\"helix_radius\":0.0094,\"helix_pitch\":0.107}],\"rig\":{\"type\":\"none\",\"gravity\":[0,0,-9.81]},\"time\":{\"duration\":"
      "100,"
      "\"time_step\":0.001}}",
      1);
  const fibre_state *s = r.sim->state;
  double most = 0, *begun = malloc(s->unknown_count * sizeof *begun);
  int steps = 0;
  assert_non_null(begun);
  do run_steps(&r, LOOK);
  while ((steps += LOOK) < PATIENCE && run_curve(&r, "speed") > 1e-9);
  claim_shown("settling tuft: steps until all is slower than 1e-9 m/s", steps);
  claim_between("settled tuft: speed, m/s", run_curve(&r, "speed"), 0, 1e-9, "before it counts as settled");
  claim_between("settled tuft: contacts that stick", run_curve(&r, "contacts.sticking"), 100, INFINITY, "a tuft");
  memcpy(begun, s->place, s->unknown_count * sizeof *begun);
  for (int k = 0; k < STEPS; k++) {
    run_steps(&r, 1);
    most = fmax(most, farthest(s, begun));
  }
  claim_between("settled tuft: largest displacement in 1000 steps, over the length", most / length, 0, 1e-8, "spec 3.11b.12");
  claim_absolute("settled tuft: unsolved steps", run_curve(&r, "unsolved_steps") + run_curve(&r, "unsolved_contacts"), 0, 0, "none");
  free(begun);
  run_close(&r);
}

SUITE(validate_fibre_contact)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tensions_on_a_capstan),
      cmocka_unit_test(test_strands_of_a_thin_knot_press_as_theory_says),
      cmocka_unit_test(test_friction_hands_a_cut_core_its_load),
      cmocka_unit_test(test_felt_is_pressed_as_van_wyk_says),
      cmocka_unit_test(test_a_yarn_is_drawn_out_as_bonded_spheres_are),
      cmocka_unit_test(test_a_settled_tuft_rests),
  };
  return cmocka_run_group_tests_name("fibre friction against theory", tests, NULL, NULL);
}
