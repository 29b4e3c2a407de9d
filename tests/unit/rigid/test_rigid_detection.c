/* Contacts of rigid shapes: hulls from meshes, gaps against the distance of convex bodies found in another way, depths, flat contacts,
 * pairs in grids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "geometry/mesh/mesh_shapes.h"
#include "methods/rigid/detection/detect.h"
#include "tests/support/suites.h"

/* ── bodies for tests ───────────────────────────────────────────────────────────────────────────────────────────── */

enum { VECTORS = 64 };

typedef struct thing {
  rigid_shape shape;
  geo_placed placed;
  scr_vec3 vectors[VECTORS];
} thing;

static void put(thing *t, scr_vec3 at, scr_quat turn)
{
  const geo_piece *piece = &t->shape.pieces[0];
  scr_quat own = quat_multiply(turn, piece->turn);
  t->placed = (geo_placed){.piece = piece,
                           .position = at,
                           .turn = own,
                           .scale = 1,
                           .axis = quat_rotate(own, vec3(0, 0, 1)),
                           .radius = piece->radius,
                           .half_length = piece->half_length,
                           .middle = at,
                           .extent = piece->extent,
                           .corner = t->vectors,
                           .normal = t->vectors + piece->hull.corner_count};
  for (size_t v = 0; v < piece->hull.corner_count; v++) t->vectors[v] = vec3_add(at, quat_rotate(own, piece->hull.corner[v]));
  for (size_t f = 0; f < piece->hull.face_count; f++) t->vectors[piece->hull.corner_count + f] = quat_rotate(own, piece->hull.normal[f]);
}

static thing make(scr_shape_kind kind, scr_vec3 size)
{
  thing t = {0};
  const scr_shape shape = {.kind = kind, .radius = size.x, .length = size.z, .size = size};
  assert_int_equal(rigid_shape_create(&shape, false, &t.shape, NULL), SCR_OK);
  return t;
}

static double draw(uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53;
}

static scr_vec3 draw_vector(uint64_t *state)
{
  double x = draw(state), y = draw(state), z = draw(state);
  return vec3(2 * x - 1, 2 * y - 1, 2 * z - 1);
}

/* ── another way to the distance ────────────────────────────────────────────────────────────────────────────────── */

/* Nearest point of a convex piece to x; x itself inside. */
static scr_vec3 project(const geo_placed *p, scr_vec3 x)
{
  if (p->piece->kind == GEO_PIECE_CAPSULE || p->piece->kind == GEO_PIECE_BALL) {
    double half = p->piece->kind == GEO_PIECE_CAPSULE ? p->half_length : 0, along = vec3_dot(vec3_sub(x, p->position), p->axis);
    scr_vec3 on = vec3_along(p->position, p->axis, fmax(-half, fmin(half, along))), away = vec3_sub(x, on);
    double length = vec3_length(away);
    return length <= p->radius ? x : vec3_along(on, away, p->radius / length);
  }
  scr_vec3 corner = p->piece->kind == GEO_PIECE_HULL ? p->piece->hull.corner[7] : vec3(0, 0, 0);
  const geo_placed_solid solid = {.kind = p->piece->kind == GEO_PIECE_HULL ? GEO_PLACED_BOX : GEO_PLACED_CYLINDER,
                                  .position = p->position,
                                  .rotation = p->turn,
                                  .radius = p->radius,
                                  .half_height = p->half_length,
                                  .half_size = corner};
  geo_nearest near = geo_placed_nearest(&solid, x);
  return near.distance <= 0 ? x : near.point;
}

/* Distance by projecting to and fro, which ends at the nearest points of two convex bodies; 0: they overlap. */
static double distance_of(const geo_placed *a, const geo_placed *b)
{
  scr_vec3 x = a->position, y = x;
  for (int k = 0; k < 3000; k++) {
    y = project(b, x);
    x = project(a, y);
  }
  return vec3_length(vec3_sub(x, y));
}

static double least_gap(const geo_placed *a, const geo_placed *b, double reach, size_t *count)
{
  touch_list list = {0};
  touch_sink sink = {.list = &list, .b = 1};
  double least = INFINITY;
  touch_pair(a, b, reach, &sink);
  for (size_t k = 0; k < list.count; k++) {
    least = fmin(least, list.items[k].gap);
    assert_true(fabs(vec3_length(list.items[k].normal) - 1) < 1e-12);
    assert_true(vec3_dot(list.items[k].normal, vec3_sub(a->position, b->position)) >
                -0.35 * (a->extent + b->extent)); /* towards a, if not overlapping far */
  }
  *count = list.count;
  mem_free(list.items);
  return least;
}

/* The gap of two convex bodies apart is their distance. Reference: alternating projections (Cheney and Goldstein 1959). Between two boxes,
 * and where lines lie flat, gaps are measured along a face's normal: never more than the distance. Tolerance: what 3000 projections leave.
 * */
static void test_gaps_are_distances(void **state)
{
  (void)state;
  const scr_shape_kind kind[4] = {SCR_SHAPE_SPHERE, SCR_SHAPE_CAPSULE, SCR_SHAPE_CYLINDER, SCR_SHAPE_BOX};
  uint64_t random = 7;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      thing a = make(kind[i], vec3(0.3, 0.5, 0.8)), b = make(kind[j], vec3(0.4, 0.6, 0.5));
      for (int k = 0; k < 12; k++) {
        size_t count;
        scr_quat turn = quat_exp(vec3_scale(draw_vector(&random), 2)), other = quat_exp(vec3_scale(draw_vector(&random), 2));
        put(&a, vec3(0, 0, 0), turn);
        put(&b, vec3_scale(draw_vector(&random), 1.1), other);
        double distance = distance_of(&a.placed, &b.placed), gap = least_gap(&a.placed, &b.placed, 10, &count);
        if (distance < 1e-3) continue;
        bool boxes = kind[i] == SCR_SHAPE_BOX && kind[j] == SCR_SHAPE_BOX;
        if (count == 0) assert_true(boxes); /* corners that pass each other */
        if (count && gap > distance + 1e-4) fail_msg("kinds %d and %d, number %d: gap %.6g, distance %.6g", i, j, k, gap, distance);
        if (!boxes && fabs(gap - distance) > 1e-3) fail_msg("kinds %d and %d, number %d: gap %.6g, distance %.6g", i, j, k, gap, distance);
      }
      rigid_shape_clear(&a.shape);
      rigid_shape_clear(&b.shape);
    }
}

/* Moved apart by the depth along the normal, two bodies that overlap do so no longer; moved by a little less they still do. */
static void test_depths_are_what_must_be_moved(void **state)
{
  (void)state;
  uint64_t random = 3;
  thing a = make(SCR_SHAPE_BOX, vec3(0.3, 0.5, 0.8)), b = make(SCR_SHAPE_BOX, vec3(0.4, 0.6, 0.5));
  for (int k = 0; k < 60; k++) {
    touch_list list = {0};
    touch_sink sink = {.list = &list, .b = 1};
    scr_quat turn = quat_exp(vec3_scale(draw_vector(&random), 2)), other = quat_exp(vec3_scale(draw_vector(&random), 2));
    scr_vec3 at = vec3_scale(draw_vector(&random), 0.35);
    put(&a, at, turn);
    put(&b, vec3(0, 0, 0), other);
    touch_pair(&a.placed, &b.placed, 0, &sink);
    double depth = 0;
    scr_vec3 normal = vec3(0, 0, 1);
    for (size_t i = 0; i < list.count; i++)
      if (list.items[i].gap < -depth) depth = -list.items[i].gap, normal = list.items[i].normal;
    if (depth > 0.01) {
      put(&a, vec3_along(at, normal, depth * (1 + 1e-9)), turn);
      scr_vec3 apart = vec3_along(at, normal, depth + 1e-3);
      put(&a, apart, turn);
      assert_true(distance_of(&a.placed, &b.placed) > 5e-4);
    }
    mem_free(list.items);
  }
  rigid_shape_clear(&a.shape);
  rigid_shape_clear(&b.shape);
}

/* A box that lies on another: four corners of the smaller face, all with the same gap and the face's own normal. */
static void test_faces_that_lie_on_each_other_touch_at_corners(void **state)
{
  (void)state;
  thing a = make(SCR_SHAPE_BOX, vec3(0.3, 0.3, 0.2)), b = make(SCR_SHAPE_BOX, vec3(1, 1, 0.5));
  touch_list list = {0};
  touch_sink sink = {.list = &list, .b = 1};
  put(&b, vec3(0, 0, 0), quat_identity());
  put(&a, vec3(0.05, 0.1, 0.35 + 1e-5), quat_exp(vec3(0, 0, 0.4)));
  touch_pair(&a.placed, &b.placed, 1e-3, &sink);
  assert_int_equal(list.count, 4);
  for (size_t k = 0; k < 4; k++) {
    assert_true(fabs(list.items[k].gap - 1e-5) < 1e-15);
    assert_true(list.items[k].normal.z > 1 - 1e-15);
    for (size_t l = 0; l < k; l++) assert_true(list.items[k].key != list.items[l].key);
  }
  mem_free(list.items);
  rigid_shape_clear(&a.shape);
  rigid_shape_clear(&b.shape);
}

/* A rod on a plane: two points when it lies, four round the rim when it stands, one when it leans; gaps are its lowest points'. */
static void test_a_cylinder_on_a_plane(void **state)
{
  (void)state;
  thing rod = make(SCR_SHAPE_CYLINDER, vec3(0.1, 0, 0.6));
  const struct {
    scr_vec3 turn;
    size_t count;
    double lowest;
  } cases[3] = {{{0, 0, 0}, 4, 0.3}, {{0, 0.5 * M_PI, 0}, 2, 0.1}, {{0, 0.7, 0}, 1, 0}};
  for (int k = 0; k < 3; k++) {
    touch_list list = {0};
    touch_sink sink = {.list = &list, .b = 1};
    double lowest = k < 2 ? cases[k].lowest : 0.3 * cos(0.7) + 0.1 * sin(0.7), least = INFINITY;
    put(&rod, vec3(0, 0, lowest + 1e-4), quat_exp(cases[k].turn));
    touch_plane(&rod.placed, vec3(0, 0, 0), vec3(0, 0, 1), 1e-3, &sink);
    for (size_t i = 0; i < list.count; i++) least = fmin(least, list.items[i].gap);
    assert_int_equal(list.count, cases[k].count);
    assert_true(fabs(least - 1e-4) < 1e-12);
    mem_free(list.items);
  }
  rigid_shape_clear(&rod.shape);
}

/* Triangles of one plane are one face: a box has 6 faces, 12 edges, 8 corners, and Euler's formula holds. A mesh with a dent is no hull. */
static void test_hulls_join_triangles_of_a_plane(void **state)
{
  (void)state;
  geo_mesh box = {0}, ball = {0};
  geo_hull hull;
  bool convex;
  assert_int_equal(geo_mesh_add_box(&box, vec3(1, 2, 3), NULL), SCR_OK);
  assert_int_equal(geo_hull_create(&box, &hull, &convex, NULL), SCR_OK);
  assert_true(convex);
  assert_int_equal(hull.face_count, 6);
  assert_int_equal(hull.edge_count, 12);
  for (size_t f = 0; f < 6; f++) assert_int_equal(hull.first[f + 1] - hull.first[f], 4);
  geo_hull_clear(&hull);
  assert_int_equal(geo_mesh_make_ball(&ball, 1, 3, NULL), SCR_OK);
  assert_int_equal(geo_hull_create(&ball, &hull, &convex, NULL), SCR_OK);
  assert_true(convex);
  assert_int_equal(hull.corner_count + hull.face_count, hull.edge_count + 2);
  geo_hull_clear(&hull);
  ball.vertex[0] = vec3_scale(ball.vertex[0], 0.5);
  assert_int_equal(geo_hull_create(&ball, &hull, &convex, NULL), SCR_OK);
  assert_false(convex);
  geo_mesh_clear(&box);
  geo_mesh_clear(&ball);
}

/* Of balls of sizes from 1 to 30, all pairs that are near are found, each once: as by looking at every pair. The same for two threads. */
static void test_all_near_pairs_are_found_once(void **state)
{
  (void)state;
  enum { N = 400 };
  thing unit = make(SCR_SHAPE_SPHERE, vec3(1, 0, 0));
  rigid_body bodies[N] = {0};
  sim_parts *parts = calloc(1, sizeof *parts);
  uint64_t random = 11;
  size_t wanted = 0, found[2];
  assert_non_null(parts);
  for (int i = 0; i < N; i++) {
    double scale = pow(30, draw(&random) * draw(&random)) * 0.02;
    bodies[i] = (rigid_body){.scale = scale, .mass = 1, .moments = {1, 1, 1}, .centre = draw_vector(&random), .attitude = quat_identity()};
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++)
      wanted += vec3_length(vec3_sub(bodies[i].centre, bodies[j].centre)) - bodies[i].scale - bodies[j].scale < 0.004;
  const detect_scene scene = {
      .shapes = &unit.shape, .bodies = bodies, .body_count = N, .specimen_bodies = N, .parts = parts, .margin = 0.004};
  for (unsigned threads = 1; threads <= 2; threads++) {
    detection d;
    assert_int_equal(detect_create(&d, &scene, NULL), SCR_OK);
    assert_int_equal(detect_run(&d, &scene, execution_of(threads), NULL), SCR_OK);
    found[threads - 1] = d.touches.count;
    detect_clear(&d);
  }
  assert_true(wanted > 100);
  assert_int_equal(found[0], wanted);
  assert_int_equal(found[1], wanted);
  rigid_shape_clear(&unit.shape);
  free(parts);
}

/* Every point of two faces that lie on each other has a name of its own, however corners and sides cut each other, and one that keeps when
 * the upper is shifted by a hair; two points of one name would start from the impulse of one of them. */
static void test_points_of_two_faces_have_names_of_their_own(void **state)
{
  (void)state;
  uint64_t random = 3;
  size_t points = 0;
  thing lower = make(SCR_SHAPE_BOX, vec3(1, 0.7, 0.5)), upper = make(SCR_SHAPE_BOX, vec3(0.8, 0.9, 0.3)),
        rod = make(SCR_SHAPE_CYLINDER, vec3(0.4, 0, 0.3));
  put(&lower, vec3(0, 0, 0), quat_identity());
  for (int k = 0; k < 400; k++) {
    thing *above = k % 4 ? &upper : &rod;
    touch_list list[2] = {{0}};
    scr_vec3 shift = vec3(0.4 * (2 * draw(&random) - 1), 0.4 * (2 * draw(&random) - 1), 0);
    double turn = 2 * M_PI * draw(&random);
    for (int moved = 0; moved < 2; moved++) {
      touch_sink sink = {.list = &list[moved], .b = 1};
      put(above, vec3(shift.x + 1e-9 * moved, shift.y, 0.4), quat_exp(vec3(0, 0, turn)));
      touch_pair(&above->placed, &lower.placed, 1e-3, &sink);
    }
    points += list[0].count;
    assert_true(list[0].count >= 3 && list[0].count == list[1].count);
    for (size_t i = 0; i < list[0].count; i++) {
      assert_true(list[0].items[i].key == list[1].items[i].key);
      for (size_t j = 0; j < i; j++) assert_true(list[0].items[i].key != list[0].items[j].key);
    }
    mem_free(list[0].items);
    mem_free(list[1].items);
  }
  assert_true(points > 2000);
  rigid_shape_clear(&lower.shape);
  rigid_shape_clear(&upper.shape);
  rigid_shape_clear(&rod.shape);
}

/* A bar lies with an edge over a cube, and overhangs it by 0.2 on both sides. Tilted by d it is the cube's edge at one end that separates
 * more, by 0.2 sin d: below a part in 5000 of the bar's width it is still the face that the bar lies on, at both ends and under the names
 * of the other tilt, so that what rests keeps its impulses; above it one point at the edge, at the height that the bar has there. */
static void test_axes_that_separate_alike_keep_their_names(void **state)
{
  (void)state;
  static const double tilts[] = {4e-4, -4e-4, 0.01};
  const double height = 1e-4, turn = 0.6, lowest = 0.3 * (cos(turn) + sin(turn));
  thing cube = make(SCR_SHAPE_BOX, vec3(1, 1, 1)), bar = make(SCR_SHAPE_BOX, vec3(1.4, 0.6, 0.6));
  uint64_t key[2][2];
  assert_true(fabs(bar.shape.pieces[0].hull.width - 0.6) < 1e-15);
  put(&cube, vec3(0, 0, 0), quat_identity());
  for (int k = 0; k < 3; k++) {
    touch_list list = {0};
    touch_sink sink = {.list = &list, .b = 1};
    scr_vec3 down = quat_rotate(quat_exp(vec3(0, tilts[k], 0)), vec3(0, 0, -lowest));
    put(&bar, vec3_sub(vec3(0, 0, 0.5 + height), down), quat_multiply(quat_exp(vec3(0, tilts[k], 0)), quat_exp(vec3(turn, 0, 0))));
    touch_pair(&cube.placed, &bar.placed, 0.01, &sink);
    assert_int_equal(list.count, k < 2 ? 2 : 1);
    for (size_t n = 0; n < list.count && k < 2; n++) {
      key[k][n] = list.items[n].key;
      assert_true(fabs(list.items[n].gap - (height - list.items[n].point.x * tan(tilts[k]))) < 1e-6);
      assert_true(fabs(fabs(list.items[n].point.x) - 0.5) < 1e-6);
    }
    if (k == 2) assert_true(fabs(list.items[0].gap - (height * cos(tilts[k]) - 0.5 * sin(tilts[k]))) < 1e-12);
    mem_free(list.items);
  }
  assert_memory_equal(key[0], key[1], sizeof key[0]);
  rigid_shape_clear(&cube.shape);
  rigid_shape_clear(&bar.shape);
}

SUITE(test_rigid_detection)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gaps_are_distances),
      cmocka_unit_test(test_depths_are_what_must_be_moved),
      cmocka_unit_test(test_faces_that_lie_on_each_other_touch_at_corners),
      cmocka_unit_test(test_a_cylinder_on_a_plane),
      cmocka_unit_test(test_hulls_join_triangles_of_a_plane),
      cmocka_unit_test(test_all_near_pairs_are_found_once),
      cmocka_unit_test(test_axes_that_separate_alike_keep_their_names),
      cmocka_unit_test(test_points_of_two_faces_have_names_of_their_own),
  };
  return cmocka_run_group_tests_name("rigid detection", tests, NULL, NULL);
}
