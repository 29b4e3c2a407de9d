/* The schema and the methods' descriptions say what the reader does, for a method with an option of every kind. */
#include <jansson.h>

#include "tests/unit/scene/test_scene_fake.h"
#include "tests/support/suites.h"

/* Walks keys and list indices separated by spaces; the schema must have them all. */
static const json_t *at(const json_t *node, const char *keys)
{
  char copy[256], *rest = copy;
  snprintf(copy, sizeof copy, "%s", keys);
  for (char *key; (key = strsep(&rest, " ")) != NULL;) {
    node = json_is_array(node) ? json_array_get(node, (size_t)atoi(key)) : json_object_get(node, key);
    if (!node) fail_msg("no %s of %s in the schema", key, keys);
  }
  return node;
}

static json_t *schema_of(const char *method)
{
  char *text = scene_schema(fake_methods, method);
  json_t *schema = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
  free(text);
  assert_non_null(schema);
  return schema;
}

static void test_every_kind_of_value_is_described(void **state)
{
  (void)state;
  json_t *schema = schema_of("fake");
  const json_t *options = at(schema, "properties options oneOf 0 properties");
  assert_string_equal(json_string_value(at(options, "horizon type 2")), "null");
  assert_true(json_is_null(at(options, "horizon default")));
  assert_true(json_number_value(at(options, "horizon exclusiveMinimum")) == 0);
  assert_null(json_object_get(at(options, "horizon"), "maximum"));
  assert_string_equal(json_string_value(at(options, "horizon x-unit")), "m");
  assert_string_equal(json_string_value(at(options, "horizon description")), "reach of a bond");
  assert_true(json_number_value(at(options, "factor default")) == 0.25);
  assert_true(json_number_value(at(options, "factor exclusiveMaximum")) == 1);
  assert_string_equal(json_string_value(at(options, "layers type")), "integer");
  assert_true(json_is_true(at(options, "breakable default")));
  assert_string_equal(json_string_value(at(options, "law enum 0")), "exact");
  assert_string_equal(json_string_value(at(options, "law default")), "lumped");
  assert_true(json_is_true(at(options, "law x-advanced")));
  assert_true(json_number_value(at(options, "drift default 2")) == 0.5);
  assert_true(json_number_value(at(options, "drift items minimum")) == -10);
  assert_int_equal(json_array_size(at(schema, "properties options oneOf 0 required")), 0);
  assert_string_equal(json_string_value(at(schema, "properties options oneOf 0 title")), "Options of fake");
  assert_string_equal(json_string_value(at(schema, "properties options oneOf 1 properties fake title")), "Options of fake");
  assert_string_equal(json_string_value(at(schema, "properties options oneOf 1 properties fake properties horizon x-unit")), "m");
  assert_true(json_number_value(at(schema, "properties options oneOf 1 minProperties")) == 1);
  json_decref(schema);
}

static void test_objects_lists_and_unions_are_described(void **state)
{
  (void)state;
  json_t *schema = schema_of("fake");
  const json_t *shape = at(schema, "properties specimens items properties shape oneOf");
  assert_string_equal(json_string_value(at(schema, "properties method const")), "fake");
  assert_true(json_is_false(at(schema, "additionalProperties")));
  assert_string_equal(json_string_value(at(schema, "properties name pattern")), "^[A-Za-z0-9][A-Za-z0-9_.-]*$");
  assert_true(json_number_value(at(schema, "properties specimens minItems")) == 1);
  assert_int_equal(json_array_size(shape), 16);
  assert_string_equal(json_string_value(at(shape, "1 properties type const")), "hollow_sphere");
  assert_string_equal(json_string_value(at(shape, "1 required 0")), "type");
  assert_int_equal(json_array_size(at(shape, "1 required")), 3);
  assert_true(json_is_false(at(shape, "1 additionalProperties")));
  assert_int_equal(json_array_size(at(schema, "properties rig oneOf 1 properties walls properties z_max properties program items oneOf")),
                   5);
  assert_string_equal(json_string_value(at(schema, "properties time properties stop type")), "array");
  json_decref(schema);
}

static void test_the_schema_of_any_method_offers_each(void **state)
{
  (void)state;
  json_t *schema = schema_of(NULL);
  assert_int_equal(json_array_size(at(schema, "oneOf")), 1);
  assert_string_equal(json_string_value(at(schema, "oneOf 0 properties method const")), "fake");
  json_decref(schema);
  assert_null(scene_schema(fake_methods, "none"));
  assert_null(scene_method_json(fake_methods, "none"));
}

static void test_a_methods_description_lists_options_and_curves(void **state)
{
  (void)state;
  char *text = scene_method_json(fake_methods, NULL);
  json_t *methods = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  assert_string_equal(json_string_value(at(methods, "0 name")), "fake");
  assert_int_equal(json_array_size(at(methods, "0 options")), 8);
  assert_string_equal(json_string_value(at(methods, "0 options 0 unit")), "m");
  assert_string_equal(json_string_value(at(methods, "0 options 6 type")), "vector");
  assert_string_equal(json_string_value(at(methods, "0 options 5 enum 1")), "lumped");
  assert_string_equal(json_string_value(at(methods, "0 curves 2 name")), "fragments");
  json_decref(methods);
  free(text);
}

SUITE(test_scene_schema)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_kind_of_value_is_described),
      cmocka_unit_test(test_objects_lists_and_unions_are_described),
      cmocka_unit_test(test_the_schema_of_any_method_offers_each),
      cmocka_unit_test(test_a_methods_description_lists_options_and_curves),
  };
  return cmocka_run_group_tests_name("scene_schema", tests, NULL, NULL);
}
