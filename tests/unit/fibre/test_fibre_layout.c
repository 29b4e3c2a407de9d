/* Fibres along curves and along the polylines of files: where their nodes lie, and what no fibre can lie along. */
#include "tests/support/folder.h"
#include "tests/support/sim_run.h"
#include "tests/support/suites.h"

#include "base/quat.h"
#include "geometry/segment.h"
#include "methods/fibre/scene/pattern.h"
#include "methods/fibre/state/state.h"

/* A scene of one line of fibres of radius 1 mm. %s: more of the specimen; %g: its length, m; %s: more of the scene. */
static void write_scene(char text[static 4000], double length, const char *specimen, const char *more)
{
  snprintf(text, 4000,
           "{\"scree\":1,\"name\":\"s\",\"method\":\"fibre\",\"materials\":[{\"name\":\"m\",\"density\":1000,\"young_modulus\":1e8}],"
           "\"specimens\":[{\"name\":\"f\",\"material\":\"m\",\"shape\":{\"type\":\"cylinder\",\"radius\":1e-3,\"length\":%.17g},%s}],"
           "\"rig\":{\"type\":\"none\"},\"time\":{\"duration\":1,\"time_step\":1e-3}%s}",
           length, specimen, more);
}

static void claim_node(const fibre_state *s, uint32_t node, double x, double y, double z)
{
  scr_vec3 p = rod_position(s->place, node);
  if (!(vec3_length(vec3_sub(p, vec3(x, y, z))) < 1e-15))
    fail_msg("node %u is at (%g, %g, %g), not (%g, %g, %g)", node, p.x, p.y, p.z, x, y, z);
}

/* Along 30 cm up, 40 cm aside: seven edges of 10 cm, whose nodes have the corner among them; moved and turned by 90 degrees about z. */
static void test_nodes_lie_along_the_curve(void **state)
{
  (void)state;
  char text[4000];
  write_scene(text, 0.7,
              "\"edges\":7,\"form\":\"curve\",\"curve\":\"0 0 0, 0 0 0.3, 0.4 0 0.3\",\"rotation\":{\"axis\":[0,0,1],\"angle_deg\":90},"
              "\"placement\":{\"type\":\"list\",\"positions\":[[0,0,0],[1,2,3]]}",
              "");
  sim_run r = run_open(text, 1);
  const fibre_state *s = r.sim->state;
  assert_int_equal(s->fibre_count, 2);
  for (uint32_t k = 0; k < 2; k++) {
    double x = k, y = 2 * k, z = 3 * k;
    for (uint32_t i = 0; i <= 7; i++) claim_node(s, 8 * k + i, x, y + (i > 3 ? 0.1 * (i - 3) : 0), z + (i > 3 ? 0.3 : 0.1 * i));
    claim_relative("fibre along a curve: length, m", s->fibres[k].length, 0.7, 1e-14, "of its polyline");
    claim_relative("fibre along a curve: mass, kg", s->fibres[k].mass, 1000 * M_PI * 1e-6 * 0.7, 1e-14, "density x section x length");
  }
  run_close(&r);
}

/* A curve as a straight fibre is the straight fibre, bit by bit, after a motion too. */
static void test_a_straight_curve_is_a_straight_fibre(void **state)
{
  (void)state;
  char text[4000];
  const char *held = ",\"edges\":8,\"held\":\"start\",\"rotation\":{\"axis\":[0,1,0],\"angle_deg\":90}";
  sim_run r[2];
  for (int k = 0; k < 2; k++) {
    char specimen[300];
    snprintf(specimen, sizeof specimen, "\"form\":\"%s\"%s%s", k ? "curve" : "straight",
             k ? ",\"curve\":\"0 0 -0.125, 0 0 0.0625, 0 0 0.125\"" : "", held);
    write_scene(text, 0.25, specimen, "");
    r[k] = run_open(text, 1);
    run_steps(&r[k], 20);
  }
  assert_same_state(r[0].sim, r[1].sim);
  run_close(&r[0]);
  run_close(&r[1]);
}

/* A circle of 48 points: a loose ring that is cut, of the curvature 1/R and no other energy where it is unloaded as placed. */
static void test_a_circle_has_its_curvature(void **state)
{
  (void)state;
  char text[4000], specimen[3000] = "\"edges\":44,\"unloaded\":\"as_placed\",\"form\":\"curve\",\"curve\":\"";
  const double radius = 0.05, step = 2 * M_PI / 48;
  for (int k = 0; k < 45; k++)
    snprintf(specimen + strlen(specimen), sizeof specimen - strlen(specimen), "%s%.12f %.12f 0", k ? ", " : "", radius * cos(k * step),
             radius * sin(k * step));
  strcat(specimen, "\"");
  write_scene(text, 44 * 2 * radius * sin(0.5 * step), specimen, "");
  sim_run r = run_open(text, 1);
  claim_relative("arc of 44 edges: curvature, 1/m", run_curve(&r, "curvature"), 2 * tan(0.5 * step) / (2 * radius * sin(0.5 * step)), 1e-6,
                 "2 tan(turn / 2) over an edge");
  claim_absolute("arc that is unloaded as placed: energy.elastic, J", run_value(&r, "energy.elastic"), 0, 1e-20, "nothing is bent");
  run_close(&r);
}

/* Three fibres of a file in mm at each of two places: first nodes of all, edges of each as long as its own length says. */
static void test_files_lay_a_fibre_for_each_polyline(void **state)
{
  (void)state;
  static const char csv[] = "fibre,x,y,z\n1,0,0,0\n1,0,0,300\n2,50,0,0\n2,50,0,200\n3,0,50,0\n3,0,50,100\n3,100,50,100\n";
  char text[4000], *folder = folder_create(), *path = folder_path(folder, "hair.csv");
  file_write(path, csv, strlen(csv));
  write_scene(text, 0.3,
              "\"edges\":10,\"form\":\"lines\",\"lines\":\"hair.csv\",\"lines_scale\":\"1 mm\",\"placement\":{\"type\":\"list\","
              "\"positions\":[[0,0,0],[1,0,0]]}",
              "");
  sim_run r = run_open_with(text, 1, &(scr_asset_source){.beside = folder});
  const fibre_state *s = r.sim->state;
  const double length[] = {0.3, 0.2, 0.2}, x[] = {0, 0.05, 0}, y[] = {0, 0, 0.05};
  assert_int_equal(s->fibre_count, 6);
  for (uint32_t k = 0; k < 6; k++) {
    claim_node(s, 11 * k, (k / 3) + x[k % 3], y[k % 3], 0);
    claim_relative("fibre of a file: length, m", s->fibres[k].length, length[k % 3], 1e-14, "of its polyline");
  }
  claim_node(s, 11 * 5 + 10, 1.1, 0.05, 0.1);
  claim_absolute("fibres of a file at two places", run_curve(&r, "fibres"), 6, 0, "polylines times places");
  run_close(&r);
  scr_free(path);
  folder_remove(folder);
}

/* ── bundles ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The least distance of the middle lines of two different fibres, m. */
static double least_distance(const fibre_state *s)
{
  double least = INFINITY;
  for (size_t a = 0; a < s->fibre_count; a++)
    for (size_t b = a + 1; b < s->fibre_count; b++)
      for (uint32_t i = s->fibres[a].first; i < s->fibres[a].first + s->fibres[a].edges; i++)
        for (uint32_t j = s->fibres[b].first; j < s->fibres[b].first + s->fibres[b].edges; j++) {
          double u, v;
          scr_vec3 p = rod_position(s->place, i), q = rod_position(s->place, i + 1), x = rod_position(s->place, j),
                   y = rod_position(s->place, j + 1);
          geo_segments_nearest(p, q, x, y, &u, &v);
          scr_vec3 from = vec3_add(p, vec3_scale(vec3_sub(q, p), u)), to = vec3_add(x, vec3_scale(vec3_sub(y, x), v));
          least = fmin(least, vec3_length(vec3_sub(from, to)));
        }
  return least;
}

/* Opens fibres of 1 mm radius in bundles 24 cm long. */
static sim_run open_bundle(const char *more)
{
  char text[4000], specimen[600];
  snprintf(specimen, sizeof specimen, "\"edges\":96,\"form\":\"bundle\",%s", more);
  write_scene(text, 0.24, specimen, "");
  return run_open(text, 1);
}

/* Side by side six find room about one, and twelve about these; wound, only five, as their sections are ellipses. None overlap, and
 * neighbouring layers are 2 radii and the clearance apart. */
static void test_a_bundle_is_packed_without_overlap(void **state)
{
  (void)state;
  static const struct {
    const char *more;
    size_t inner; /* fibres of the first ring */
  } c[] = {{"\"fibres\":19,\"clearance\":0.02", 6},
           {"\"fibres\":19,\"turns\":25,\"clearance\":0.02", 5},
           {"\"fibres\":4,\"turns\":-25,\"core\":1e-3,\"clearance\":0.02", 4},
           {"\"fibres\":5,\"turns\":12.5,\"core\":0,\"clearance\":0.02", 2}};
  for (int k = 0; k < 4; k++) {
    sim_run r = open_bundle(c[k].more);
    const fibre_state *s = r.sim->state;
    double first = INFINITY, middle = INFINITY;
    size_t inner = 0;
    for (size_t i = k < 2; i < s->fibre_count; i++) {
      scr_vec3 p = rod_position(s->place, s->fibres[i].first);
      first = fmin(first, hypot(p.x, p.y));
    }
    for (size_t i = k < 2; i < s->fibre_count; i++) {
      scr_vec3 p = rod_position(s->place, s->fibres[i].first), q = rod_position(s->place, s->fibres[i].first + 1);
      inner += hypot(p.x, p.y) < 1.01 * first;
      middle = fmin(middle, hypot(0.5 * (p.x + q.x), 0.5 * (p.y + q.y)));
    }
    assert_int_equal(s->fibre_count, k < 2 ? 19 : k == 2 ? 4 : 5);
    assert_int_equal(inner, c[k].inner);
    claim_between("bundle: least distance of its fibres, mm", 1e3 * least_distance(s), 2.0, k == 2 ? 2.9 : 2.2,
                  "2 radii and the clearance; of four, a quarter turn apart");
    claim_relative("bundle: inner ring's radius in the middle of an edge, m", middle, k == 3 ? 1.02e-3 : 2.02e-3, 1e-9, "by the layers");
    run_close(&r);
  }
}

/* Right-handed turns rise like a right-handed screw; both ends of all fibres lie in the planes of the ends; a fibre is as long as its
 * screw. */
static void test_a_bundle_winds_as_its_turns_say(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    sim_run r = open_bundle(k ? "\"fibres\":7,\"turns\":-12.5" : "\"fibres\":7,\"turns\":12.5");
    const fibre_state *s = r.sim->state;
    const fibre *f = &s->fibres[1];
    scr_vec3 p = rod_position(s->place, f->first), q = rod_position(s->place, f->first + 1), e = rod_position(s->place, f->first + 96);
    double turn = atan2(p.x * q.y - p.y * q.x, p.x * q.x + p.y * q.y), radius = hypot(p.x, p.y);
    claim_relative("bundle: turn over an edge, rad", turn, (k ? -1 : 1) * 2 * M_PI * 12.5 * 0.0025, 1e-9, "turns x length of an edge");
    claim_absolute("bundle: ends, m", fabs(p.z + 0.12) + fabs(e.z - 0.12), 0, 1e-12, "half the length from the middle");
    claim_relative("bundle: a fibre's length, m", f->length, 96 * hypot(0.0025, 2 * radius * sin(0.5 * turn)), 1e-9,
                   "96 chords of a screw");
    run_close(&r);
  }
}

/* The distance of helices on one cylinder, against all pairs of points of theirs. */
static void test_distance_of_helices(void **state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    double radius = 2e-3, turn = 100.0 * (k + 1), angle = 1.05, least = INFINITY;
    for (int i = -4000; i < 4000; i++) {
      double u = 1e-6 * i;
      least = fmin(least, hypot(2 * radius * sin(0.5 * (angle - turn * u)), u));
    }
    claim_relative("helices side by side: distance, m", fibre_helix_distance(radius, turn, angle), least, 1e-6, "tried all along");
  }
}

/* Sections turn about the fibres of a pattern, whose nodes stay. */
static void test_sections_of_a_pattern_turn_alone(void **state)
{
  (void)state;
  sim_run a = open_bundle("\"fibres\":7,\"turns\":12.5"), b = open_bundle("\"fibres\":7,\"turns\":12.5,\"random_phase\":true");
  const fibre_state *s = a.sim->state, *t = b.sim->state;
  double least = INFINITY, unlike = 0;
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre *f = &s->fibres[k];
    for (uint32_t i = 0; i < f->nodes; i++)
      assert_true(vec3_length(vec3_sub(rod_position(s->place, f->first + i), rod_position(t->place, f->first + i))) == 0);
    double turned = vec3_dot(fibre_director(s, f, 3), fibre_director(t, f, 3)),
           other = vec3_dot(fibre_director(t, f, 3), t->frames.tangent[f->first + 3]);
    least = fmin(least, turned);
    unlike = fmax(unlike, fabs(other));
  }
  claim_between("sections turned at random: least cosine", least, -1, 0.5, "of seven angles");
  claim_absolute("sections turned at random: along the fibre", unlike, 0, 1e-12, "about the fibre");
  run_close(&a);
  run_close(&b);
}

/* ── mats, weaves, grooms ────────────────────────────────────────────────────────────────────────────────────────── */

/* Fibres of 1 mm radius and 6 cm length at random in a box: within it, apart, of the curvature asked for, no direction before another;
 * another seed lays others, the same seed the same. */
static void test_a_mat_is_laid_at_random_without_overlap(void **state)
{
  (void)state;
  char text[4000];
  const char *mat = "\"edges\":12,\"form\":\"mat\",\"fibres\":150,\"size\":[0.12,0.12,0.1],\"curl\":20,\"clearance\":0.1";
  scr_vec3 first[3];
  for (int k = 0; k < 3; k++) {
    write_scene(text, 0.06, mat, k == 2 ? ",\"seed\":2" : ",\"seed\":1");
    sim_run r = run_open(text, 1);
    const fibre_state *s = r.sim->state;
    first[k] = rod_position(s->place, 0);
    assert_int_equal(s->fibre_count, 150);
    double up = 0, reach[3] = {0}, chord = 2 / 20.0 * sin(0.5 * 20 * 0.06);
    for (size_t i = 0; i < s->fibre_count; i++) {
      const fibre *f = &s->fibres[i];
      scr_vec3 p = rod_position(s->place, f->first), q = rod_position(s->place, f->first + 12), u = vec3_sub(q, p);
      assert_true(fabs(vec3_length(u) - chord) < 1e-12);
      up += u.z * u.z / (chord * chord) / 150;
      for (uint32_t n = 0; n < f->nodes; n++) {
        scr_vec3 at = rod_position(s->place, f->first + n);
        reach[0] = fmax(reach[0], fabs(at.x)), reach[1] = fmax(reach[1], fabs(at.y)), reach[2] = fmax(reach[2], fabs(at.z));
      }
    }
    claim_between("mat: least distance of its fibres, mm", 1e3 * least_distance(s), 2.1, 2.2, "2 radii and the clearance");
    claim_between("mat: how far it reaches along x, mm", 1e3 * reach[0], 55, 60 - 1.05,
                  "half the box less a radius and half the clearance");
    claim_between("mat: how far it reaches along z, mm", 1e3 * reach[2], 45, 50 - 1.05,
                  "half the box less a radius and half the clearance");
    claim_between("mat: mean square of a direction's height", up, 1.0 / 3 - 0.08, 1.0 / 3 + 0.08,
                  "1/3 where none is likelier; 150 of them");
    run_close(&r);
  }
  assert_true(vec3_length(vec3_sub(first[0], first[1])) == 0);
  assert_true(vec3_length(vec3_sub(first[0], first[2])) > 1e-3);
}

/* Five wefts and four warps 1 cm apart: over and under each other by turns, at least 2 radii and the clearance apart, and where a corner is
 * on a crest a little more. */
static void test_a_weave_goes_over_and_under(void **state)
{
  (void)state;
  char text[4000];
  double length = 0, height = 1.01e-3 / cos(0.125 * M_PI);
  for (int k = 0; k < 5000; k++) length += hypot(1.4e-5, height * (cos(M_PI * (k + 1) / 1000) - cos(M_PI * k / 1000)));
  write_scene(text, length, "\"edges\":20,\"form\":\"weave\",\"wefts\":5,\"warps\":4,\"pitch\":0.014,\"clearance\":0.02", "");
  sim_run r = run_open(text, 1);
  const fibre_state *s = r.sim->state;
  assert_int_equal(s->fibre_count, 9);
  claim_between("weave: least distance of its yarns, mm", 1e3 * least_distance(s), 2.02, 2.19,
                "2 radii and the clearance, and at most 8 % where crests are corners");
  for (uint32_t j = 0; j < 5; j++)
    for (uint32_t i = 0; i < 4; i++) {
      double weft = 0, warp = 0, x = 0.014 * (i - 1.5), y = 0.014 * (j - 2.0);
      for (uint32_t n = 0; n < 20; n++) {
        scr_vec3 p = rod_position(s->place, s->fibres[j].first + n), q = rod_position(s->place, s->fibres[j].first + n + 1);
        assert_true(p.y == y);
        if ((p.x - x) * (q.x - x) <= 0) weft = p.z + (q.z - p.z) * (x - p.x) / (q.x - p.x);
        p = rod_position(s->place, s->fibres[5 + i].first + n), q = rod_position(s->place, s->fibres[5 + i].first + n + 1);
        assert_true(p.x == x);
        if ((p.y - y) * (q.y - y) <= 0) warp = p.z + (q.z - p.z) * (y - p.y) / (q.y - p.y);
      }
      double sign = (i + j) % 2 ? -1 : 1;
      claim_between("weave: a weft where it crosses a warp, mm", 1e3 * sign * weft, 1.009, 1.094, "above, below, by turns");
      claim_between("weave: the warp there, mm", -1e3 * sign * warp, 1.009, 1.094, "the other way");
    }
  run_close(&r);
}

/* Roots on the cap of a ball, evenly: each half of the cap's area has half of them; hairs straight out; clamped at the root. */
static void test_a_groom_stands_on_a_ball(void **state)
{
  (void)state;
  char text[4000];
  write_scene(text, 0.05, "\"edges\":10,\"form\":\"groom\",\"fibres\":200,\"head_radius\":0.1,\"cap\":60,\"held\":\"start\"", "");
  sim_run r = run_open(text, 1);
  const fibre_state *s = r.sim->state;
  double least = INFINITY, lowest = INFINITY, upper = 0;
  assert_int_equal(s->fibre_count, 200);
  for (size_t k = 0; k < s->fibre_count; k++) {
    const fibre *f = &s->fibres[k];
    scr_vec3 root = rod_position(s->place, f->first + f->begin), tip = rod_position(s->place, f->first + f->end - 1);
    assert_true(fabs(vec3_length(root) - 0.1) < 1e-12 && fabs(vec3_length(tip) - 0.15) < 1e-12);
    assert_true(vec3_length(vec3_cross(root, tip)) < 1e-12);
    lowest = fmin(lowest, root.z);
    upper += root.z > 0.075;
    for (size_t l = 0; l < k; l++)
      least = fmin(least, vec3_length(vec3_sub(root, rod_position(s->place, s->fibres[l].first + s->fibres[l].begin))));
  }
  claim_between("groom: lowest root, m", lowest, 0.05, 0.051, "0.1 cos 60");
  claim_absolute("groom: roots in the upper half of the cap's area", upper, 100, 1, "half of them");
  claim_between("groom: least distance of roots over that of a square each", least / sqrt(M_PI * 0.01 / 200), 0.6, 1.1, "evenly apart");
  run_close(&r);
}

/* ── refusals ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void judged(const char *text, scr_status expected, const char *pointer, const char *word)
{
  scr_scene *scene = NULL;
  scr_problems problems = {0};
  assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, &problems), expected);
  const scr_problems *said = expected == SCR_OK ? scr_scene_warnings(scene) : &problems;
  bool found = false;
  for (size_t k = 0; k < said->count; k++)
    found = found || (strcmp(said->items[k].pointer, pointer) == 0 && strstr(said->items[k].detail, word));
  if (!found)
    fail_msg("nothing is said at %s with '%s' but at %s: %s", pointer, word, said->count ? said->items[0].pointer : "",
             said->count ? said->items[0].detail : "");
  scr_problems_clear(&problems);
  scr_scene_destroy(scene);
}

static void refused(double length, const char *specimen, const char *pointer, const char *word)
{
  char text[4000];
  write_scene(text, length, specimen, "");
  judged(text, SCR_BAD_SCENE, pointer, word);
}

#define CURVE "\"form\":\"curve\",\"curve\":"
static void test_what_no_fibre_can_lie_along_is_refused(void **state)
{
  (void)state;
  refused(0.2, "\"form\":\"curve\"", "/specimens/0/curve", "0 points");
  refused(0.2, CURVE "\"0 0 0\"", "/specimens/0/curve", "1 points: give it at least 2");
  refused(0.2, CURVE "\"0 0 0, 0 0 0.1, 0 0 0.1, 0 0 0.2\"", "/specimens/0/curve", "point 3");
  refused(0.2, CURVE "\"0 0 0, 0 0 inf\"", "/specimens/0/curve", "'inf' where its z");
  refused(0.2, CURVE "\"0 0 0, 0 0 0.2, 0 0 0.1\"", "/specimens/0/curve", "turns back on itself at its point 2");
  refused(0.2, CURVE "\"0 0 0, 0 0 0.203\"", "/specimens/0/shape/length", "give it the length 0.203");
  refused(0.2, "\"edges\":105," CURVE "\"0 0 0, 0 0 0.2\"", "/specimens/0/edges", "at most 99 edges");
  refused(0.2, "\"form\":\"lines\"", "/specimens/0/lines", "name it in lines");
  refused(0.2, "\"form\":\"lines\",\"lines\":\"none.csv\"", "/specimens/0/lines", "none.csv");
  refused(0.24, "\"form\":\"bundle\",\"turns\":100", "/specimens/0/form", "turns by 432 degrees over each of 20 edges, but by at most 60");
  refused(0.06, "\"form\":\"mat\",\"fibres\":60,\"size\":[0.07,0.07,0.005]", "/specimens/0/form",
          "of 60 fibres found a place in the box of 0.07 x 0.07 x 0.005 m");
  refused(0.06, "\"form\":\"mat\",\"fibres\":3,\"size\":[0,0,0]", "/specimens/0/form", "only 0 of 3 fibres");
  refused(0.06, "\"form\":\"mat\",\"size\":[1,1,1],\"curl\":60", "/specimens/0/form",
          "turn by 3.6 rad, but by at most half a turn: use at most 52.4");
  refused(0.06, "\"form\":\"weave\",\"pitch\":0.004", "/specimens/0/form", "use a pitch of at least 0.005 m");
  refused(0.06, "\"form\":\"weave\",\"warps\":6", "/specimens/0/form",
          "20 edges are too few for yarns that cross 8 others: use at least 32");
  refused(0.06, "\"form\":\"weave\",\"wefts\":1", "/specimens/0/wefts", "");
  refused(0.06, "\"form\":\"weave\",\"edges\":32", "/specimens/0/shape/length", "the longest yarn is");
  refused(0.06, "\"form\":\"groom\",\"cap\":181", "/specimens/0/cap", "");
  refused(0.24, "\"form\":\"bundle\",\"turns\":100", "/specimens/0/form", "use at least 144 edges");
  refused(0.24, "\"form\":\"bundle\",\"fibres\":0", "/specimens/0/fibres", "");
  refused(0.24, "\"form\":\"bundle\",\"core\":-1", "/specimens/0/core", "");
  refused(0.24, "\"form\":\"bundle\",\"fibres\":100000", "/specimens/0/form", "more than 1048576 points");
}

/* A loop whose ends pass each other 1.9 and 2.1 mm apart, of a fibre 2 mm thick; a bend as tight as its edges allow is none. */
static void test_a_fibre_that_overlaps_itself_is_refused(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    char text[4000], specimen[300];
    double z = k ? 2.1e-3 : 1.9e-3, side = 0.05, rise = z / 4;
    snprintf(specimen, sizeof specimen, "\"edges\":50,\"form\":\"curve\",\"curve\":\"0 0 0, %g 0 %.9g, %g %g %.9g, 0 %g %.9g, 0 %g %.9g\"",
             side, rise, side, side, 2 * rise, side, 3 * rise, -0.01, 4 * rise);
    scr_scene *scene = NULL;
    write_scene(text, 0.21, specimen, "");
    if (k == 0) judged(text, SCR_BAD_SCENE, "/specimens/0/curve", "overlaps itself");
    if (k == 1) assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, NULL), SCR_OK);
    scr_scene_destroy(scene);
  }
}

/* A curve through a floor is warned of, with where it is deepest; beside it nothing is said. */
static void test_a_curve_in_a_wall_is_warned_of(void **state)
{
  (void)state;
  char text[4000];
  static const char floor_at[] = ",\"obstacles\":[{\"name\":\"floor\",\"shape\":{\"type\":\"plane\",\"width\":1},\"position\":[0,0,%g]}]";
  for (int k = 0; k < 2; k++) {
    char more[200];
    snprintf(more, sizeof more, floor_at, k ? -0.06 : -0.04);
    write_scene(text, 0.2, "\"edges\":8," CURVE "\"0 0 0, 0.05 0 0, 0.05 0 -0.05, 0.1 0 -0.05, 0.1 0 0\"", more);
    if (k == 0) judged(text, SCR_OK, "/specimens/0/placement", "reaches 0.011 m into");
    if (k == 0) continue;
    scr_scene *scene = NULL;
    assert_int_equal(scr_scene_parse(text, strlen(text), NULL, &scene, NULL), SCR_OK);
    assert_int_equal(scr_scene_warnings(scene)->count, 0);
    scr_scene_destroy(scene);
  }
}

SUITE(test_fibre_layout)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nodes_lie_along_the_curve),
      cmocka_unit_test(test_a_straight_curve_is_a_straight_fibre),
      cmocka_unit_test(test_a_circle_has_its_curvature),
      cmocka_unit_test(test_files_lay_a_fibre_for_each_polyline),
      cmocka_unit_test(test_a_bundle_is_packed_without_overlap),
      cmocka_unit_test(test_a_bundle_winds_as_its_turns_say),
      cmocka_unit_test(test_a_mat_is_laid_at_random_without_overlap),
      cmocka_unit_test(test_a_weave_goes_over_and_under),
      cmocka_unit_test(test_a_groom_stands_on_a_ball),
      cmocka_unit_test(test_distance_of_helices),
      cmocka_unit_test(test_sections_of_a_pattern_turn_alone),
      cmocka_unit_test(test_what_no_fibre_can_lie_along_is_refused),
      cmocka_unit_test(test_a_fibre_that_overlaps_itself_is_refused),
      cmocka_unit_test(test_a_curve_in_a_wall_is_warned_of),
  };
  return cmocka_run_group_tests_name("fibre layout", tests, NULL, NULL);
}
