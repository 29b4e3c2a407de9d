/* What methods declare that they can do is all that the schema offers, and just that is refused: for every method, shape and rig that there
 * are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "methods/methods.h"
#include "scene/check/abilities.h"
#include "scene/layout/layout.h"
#include "scene/shape/shape.h"
#include "tests/support/suites.h"

/* The schema of a method's specimens has a shape's name as a constant just where the method takes it; so for rigs. */
static bool schema_offers(const char *schema, const char *title, const char *name)
{
  char wanted[96];
  const char *from = strstr(schema, title);
  assert_non_null(from);
  snprintf(wanted, sizeof wanted, "\"const\": \"%s\"", name);
  const char *end = strstr(from, title[0] == '"' && strstr(title, "Shape") ? "\"placement\"" : "\"obstacles\"");
  const char *at = strstr(from, wanted);
  return at && (!end || at < end);
}

static void test_schemas_offer_the_shapes_and_rigs_that_methods_declare(void **state)
{
  (void)state;
  for (size_t m = 0; scr_methods[m]; m++) {
    const scr_method_description *method = &scr_methods[m]->about;
    char *schema = scr_scene_schema(method->name);
    assert_non_null(schema);
    for (size_t k = 0; k < shape_section.variant_count; k++)
      assert_int_equal(schema_offers(schema, "\"Shape\"", shape_section.variants[k].name), abilities_offer(method, CHOICE_SHAPE, (int)k));
    for (size_t k = 0; k < rig_section.variant_count; k++)
      assert_int_equal(schema_offers(schema, "\"Rig\"", rig_section.variants[k].name), abilities_offer(method, CHOICE_RIG, (int)k));
    assert_int_equal(strstr(schema, "\"Free\"") != NULL, !(method->can.lacks & SCR_LACKS_FREE_PARTS));
    free(schema);
  }
}

/* The check of one scene with that shape and rig under that method: whether it is refused at that place. */
static bool refused_at(const char *method, const char *shape, const char *rig, const char *pointer)
{
  static const struct {
    const char *name, *keys;
  } forms[] = {{"sphere", "\"radius\": 0.01"},
               {"hollow_sphere", "\"radius\": 0.01, \"inner_radius\": 0.005"},
               {"box", "\"size\": [0.02, 0.02, 0.02]"},
               {"cylinder", "\"radius\": 0.01, \"length\": 0.02"},
               {"capsule", "\"radius\": 0.01, \"length\": 0.02"},
               {"notched_box", "\"size\": [0.04, 0.02, 0.02], \"notch_width\": 0.004, \"notch_depth\": 0.01"},
               {"weave", "\"wefts\": 4, \"warps\": 4, \"pitch\": 0.02"},
               {"compound", "\"pieces\": [{\"shape\": {\"type\": \"sphere\", \"radius\": 0.01}}]"},
               {"arch", "\"span\": 0.1, \"rise\": 0.06, \"thickness\": 0.005, \"width\": 0.02, \"leg\": 0.01, \"foot\": 0.01"}};
  char text[1600];
  const char *keys = NULL;
  bool sand = strcmp(method, "granular") == 0;
  for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++)
    if (strcmp(forms[k].name, shape) == 0) keys = forms[k].keys;
  assert_non_null(keys);
  snprintf(text, sizeof text,
           "{\"scree\": 1, \"name\": \"n\", \"method\": \"%s\", \"materials\": [{\"name\": \"m\", \"density\": 1000, %s}], "
           "\"specimens\": [{\"name\": \"s\", \"material\": \"m\", %s\"shape\": {\"type\": \"%s\", %s}, \"placement\": {\"type\": "
           "\"single\"}}], "
           "\"rig\": {%s}, \"time\": {\"duration\": 1e-3}, \"options\": {%s}}",
           method, sand ? "\"internal_friction\": 0.4" : "\"young_modulus\": 1e7",
           sand || strcmp(method, "rigid") == 0 ? "" : "\"spacing\": 0.004, ", shape, keys, rig, sand ? "\"cell\": 0.01" : "");
  scr_problems problems = {0};
  scr_scene *scene = NULL;
  (void)scr_scene_parse(text, strlen(text), NULL, &scene, &problems);
  bool found = false;
  for (size_t k = 0; k < problems.count; k++)
    found = found || (strcmp(problems.items[k].pointer, pointer) == 0 && strstr(problems.items[k].detail, "does not take"));
  scr_scene_destroy(scene);
  scr_problems_clear(&problems);
  return found;
}

static void test_what_is_not_declared_is_refused_and_what_is_is_not(void **state)
{
  (void)state;
  static const scr_shape_kind kinds[] = {SCR_SHAPE_SPHERE,   SCR_SHAPE_HOLLOW_SPHERE, SCR_SHAPE_BOX,
                                         SCR_SHAPE_CYLINDER, SCR_SHAPE_CAPSULE,       SCR_SHAPE_NOTCHED_BOX,
                                         SCR_SHAPE_WEAVE,    SCR_SHAPE_COMPOUND,      SCR_SHAPE_ARCH};
  static const char grips[] = "\"type\": \"grips\", \"axis\": \"z\", \"low_end\": -0.008, \"high_start\": 0.008";
  for (size_t m = 0; scr_methods[m]; m++) {
    const scr_method_description *method = &scr_methods[m]->about;
    if (method->scenes_of) continue;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
      assert_int_equal(refused_at(method->name, shape_section.variants[kinds[k]].name, "\"type\": \"none\"", "/specimens/0/shape/type"),
                       !shape_is_taken(kinds[k], method->can.shapes, method->can.shapes_as));
    assert_int_equal(refused_at(method->name, "box", grips, "/rig/type"),
                     method->can.rigs != 0 && !(method->can.rigs >> SCR_RIG_GRIPS & 1u));
  }
}

/* Every method says it of itself: none relies on zero, which means everything. */
static void test_every_method_declares_its_shapes(void **state)
{
  (void)state;
  for (size_t m = 0; scr_methods[m]; m++) assert_true((scr_methods[m]->about.can.shapes | scr_methods[m]->about.can.shapes_as) != 0);
}

SUITE(test_abilities)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_schemas_offer_the_shapes_and_rigs_that_methods_declare),
      cmocka_unit_test(test_what_is_not_declared_is_refused_and_what_is_is_not),
      cmocka_unit_test(test_every_method_declares_its_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
