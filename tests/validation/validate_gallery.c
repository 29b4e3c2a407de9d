/* Scenes of the gallery that break: that they break where and how such bodies do. */
#include <math.h>

#include "server/assets.h"
#include "tests/support/bdem_run.h"

/* Opens a scene of the gallery. */
static bdem_run gallery(const char *name)
{
  char path[96];
  snprintf(path, sizeof path, "gallery/%s.json", name);
  const scr_asset *asset = scr_asset_find(path);
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
 * order, none left out. Elsewhere, at the grips, fewer than a quarter as many may break: the whole strip ahead is in tension. */
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
  run_until(&r, getenv("SCREE_SLOW") ? 0.06 : 0.026);
  size_t at_pin = 0, count = r.sim->breaks.count;
  for (size_t k = 0; k < count; k++) {
    const scr_break *b = &r.sim->breaks.items[k];
    double ahead = b->position[1] - pin->position.y - scr_program_displacement(&pin->program, b->time);
    if (fabs(b->position[0] - pin->position.x) > cloth->pitch) continue;
    assert_true(ahead > 0 && ahead < 2 * cloth->pitch);
    assert_true(fabs(rest[b->b].x - rest[b->a].x) > fabs(rest[b->b].y - rest[b->a].y)); /* a weft */
    assert_int_equal(weft_of(cloth, rest[b->a]), cloth->slit + (long)at_pin);
    at_pin++;
  }
  show("yarns torn at the pin", (double)at_pin, (double)count);
  assert_true(at_pin >= 2 && 5 * at_pin >= 4 * count);
  free(rest);
  run_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_cloth_tears_yarn_by_yarn_from_the_end_of_its_slit),
  };
  return cmocka_run_group_tests_name("gallery", tests, NULL, NULL);
}
