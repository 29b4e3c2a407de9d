/* Packings of grains of any form: gaps hold on the surfaces themselves, nothing leaves the container, a seed is a packing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/packing/pack.h"
#include "geometry/shapes/grain.h"
#include "geometry/shapes/simple.h"
#include "tests/support/suites.h"

enum { forms = 3, most = 64 };

typedef struct fixture {
  geo_mesh form[forms];
  geo_mesh_tree *tree[forms];
  uint32_t of[most];
  scr_vec3 centre[most];
} fixture;

static int set_up(void **state)
{
  fixture *f = calloc(1, sizeof *f);
  for (uint64_t k = 0; k < 2; k++) {
    shape_grain asked = {1, 0.8, 0.7, 0.9, 0.01, k};
    assert_int_equal(shape_make_grain(&asked, 8, &f->form[k], NULL), SCR_OK);
  }
  assert_int_equal(shape_make_jack(1.2, 0.6, &f->form[2], NULL), SCR_OK);
  for (int k = 0; k < forms; k++) assert_int_equal(geo_mesh_tree_create(&f->form[k], &f->tree[k], NULL), SCR_OK);
  for (uint32_t i = 0; i < most; i++) f->of[i] = i % forms;
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  fixture *f = *state;
  for (int k = 0; k < forms; k++) {
    geo_mesh_clear(&f->form[k]);
    geo_mesh_tree_destroy(f->tree[k]);
  }
  free(f);
  return 0;
}

static geo_pack_request asked(const fixture *f, size_t count, double edge, double gap)
{
  return (geo_pack_request){f->form, forms, f->of, count, {0, 0, 0}, {edge, edge, edge}, false, gap, 5};
}

/* Least distance of any corner of any grain from the surface of any other, by brute force. */
static double least_distance(const fixture *f, size_t count, double scale)
{
  double least = INFINITY;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++)
      for (size_t v = 0; i != j && v < f->form[f->of[i]].vertex_count; v++) {
        scr_vec3 p = vec3_add(vec3_scale(vec3_sub(f->centre[i], f->centre[j]), 1 / scale), f->form[f->of[i]].vertex[v]);
        if (vec3_length(p) < 2) least = fmin(least, scale * geo_mesh_nearest(f->tree[f->of[j]], p).distance);
      }
  return least;
}

static void test_gaps_hold_and_walls_keep_grains_in(void **state)
{
  fixture *f = *state;
  for (int round = 0; round < 2; round++) {
    geo_pack_request ask = asked(f, 24, 7.5, 0.1);
    geo_pack_result result;
    scr_error error = {0};
    bool holds;
    ask.round = round;
    if (geo_pack(&ask, f->centre, &result, &error) != SCR_OK) fail_msg("%s", error.message);
    assert_true(result.scale > 0.8 && result.scale <= 1);
    double near = least_distance(f, 24, result.scale);
    assert_true(near >= 0.1 - 1e-9);
    assert_true(result.scale == 1 || near < 0.2); /* it is shrunk no more than it must be */
    double volume = 0, outmost = 0;
    for (size_t i = 0; i < 24; i++) {
      const geo_mesh *form = &f->form[f->of[i]];
      geo_mesh_measures m;
      assert_int_equal(geo_mesh_measure(form, &m, NULL), SCR_OK);
      volume += m.volume * pow(result.scale, 3);
      for (size_t v = 0; v < form->vertex_count; v++) {
        scr_vec3 p = vec3_add(f->centre[i], vec3_scale(form->vertex[v], result.scale));
        double out = round ? hypot(p.x - 3.75, p.y - 3.75) - 3.75 : fmax(fabs(p.x - 3.75), fabs(p.y - 3.75)) - 3.75;
        outmost = fmax(outmost, fmax(out, fabs(p.z - 3.75) - 3.75) + 0.1);
      }
    }
    assert_true(outmost < 1e-6);
    assert_true(fabs(volume / geo_pack_volume(ask.minimum, ask.maximum, round) / result.fraction - 1) < 1e-9);
    assert_int_equal(geo_pack_holds(&ask, f->centre, result.scale, &holds, NULL), SCR_OK);
    assert_true(holds);
    f->centre[1] = vec3_add(f->centre[0], vec3(0.3, 0, 0));
    assert_int_equal(geo_pack_holds(&ask, f->centre, result.scale, &holds, NULL), SCR_OK);
    assert_false(holds);
  }
}

/* Two bars crossed like an X have no corner within each other: only their edges tell. */
static void test_crossed_bars_are_seen(void **state)
{
  (void)state;
  geo_mesh bars[2] = {{0}};
  const shape_superellipsoid asked_bar[2] = {{vec3(4, 0.3, 0.3), 2, 2}, {vec3(0.3, 4, 0.3), 2, 2}};
  for (int k = 0; k < 2; k++) assert_int_equal(shape_make_superellipsoid(&asked_bar[k], 2, &bars[k], NULL), SCR_OK);
  const uint32_t of[2] = {0, 1};
  geo_pack_request ask = {bars, 2, of, 2, {-5, -5, -5}, {5, 5, 5}, false, 0, 1};
  scr_vec3 centres[2] = {{0, 0, 0}, {0.5, 0.5, 0.35}};
  bool holds;
  assert_int_equal(geo_pack_holds(&ask, centres, 1, &holds, NULL), SCR_OK);
  assert_false(holds);
  centres[1].z = 0.65;
  assert_int_equal(geo_pack_holds(&ask, centres, 1, &holds, NULL), SCR_OK);
  assert_true(holds);
  for (int k = 0; k < 2; k++) geo_mesh_clear(&bars[k]);
}

static void test_a_seed_is_a_packing(void **state)
{
  fixture *f = *state;
  geo_pack_request ask = asked(f, 12, 7, 0);
  geo_pack_result first, again;
  scr_vec3 other[12];
  assert_int_equal(geo_pack(&ask, f->centre, &first, NULL), SCR_OK);
  assert_int_equal(geo_pack(&ask, other, &again, NULL), SCR_OK);
  assert_memory_equal(f->centre, other, sizeof other);
  assert_true(first.scale == again.scale);
  ask.seed++;
  assert_int_equal(geo_pack(&ask, other, &again, NULL), SCR_OK);
  assert_true(vec3_length(vec3_sub(other[0], f->centre[0])) > 1e-3);
}

static void assert_refused(const geo_pack_request *ask, fixture *f, const char *words)
{
  geo_pack_result result;
  scr_error error = {0};
  assert_int_equal(geo_pack(ask, f->centre, &result, &error), SCR_BAD_USAGE);
  if (!strstr(error.message, words)) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

static void test_what_cannot_be_packed_is_refused(void **state)
{
  fixture *f = *state;
  geo_pack_request ask = asked(f, 4, 2, 0);
  assert_refused(&ask, f, "do not fit into the container");
  ask = asked(f, 60, 4.5, 0.6);
  assert_refused(&ask, f, "fill too much");
  ask = asked(f, 0, 4, 0);
  assert_refused(&ask, f, "0 grains");
  ask = asked(f, 4, 7, -1);
  assert_refused(&ask, f, "gap is -1 m");
  ask = asked(f, 4, -7, 0);
  assert_refused(&ask, f, "edges of -7");
}

SUITE(test_geometry_pack)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_gaps_hold_and_walls_keep_grains_in, set_up, tear_down),
      cmocka_unit_test(test_crossed_bars_are_seen),
      cmocka_unit_test_setup_teardown(test_a_seed_is_a_packing, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_what_cannot_be_packed_is_refused, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
