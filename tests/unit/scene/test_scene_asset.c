/* Files that scenes refer to: by digest from a store, by path beside the scene, and by no other way whatever a scene says. */
#include "tests/unit/scene/test_scene_fake.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

static const char box[] = "v -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 1\nv 1 -1 1\nv -1 1 1\nv 1 1 1\n"
                          "f 1 5 7\nf 1 7 3\nf 2 4 8\nf 2 8 6\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\n";

typedef struct curve_options {
  scr_asset_reference curve;
} curve_options;

static const scr_param curve_params[] = {
    {"curve", SCR_PARAM_ASSET, SCR_PARAM_AUTOMATIC, "", 0, 0, 0, NULL, "a measured curve", offsetof(curve_options, curve)}};

/* The fake method with a file of its own among its options. */
static const scr_method_description *curve_methods(size_t index)
{
  static scr_method_description method;
  method = fake_method;
  method.params = curve_params;
  method.param_count = 1;
  method.options_size = sizeof(curve_options);
  return index == 0 ? &method : NULL;
}

typedef struct fixture {
  char *root, *beside, *store;
  char digest[SHA256_TEXT_BYTES];
  scr_asset_source source;
  scr_problems problems;
} fixture;

static void put(const char *folder, const char *name, const void *bytes, size_t size)
{
  char *path = folder_path(folder, name);
  assert_int_equal(scr_write_file(path, bytes, size, NULL), SCR_OK);
  free(path);
}

static int set_up(void **state)
{
  fixture *f = calloc(1, sizeof *f);
  sha256 sum;
  f->root = folder_create();
  f->beside = folder_path(f->root, "beside");
  f->store = folder_path(f->root, "store");
  mkdir(f->beside, 0700);
  mkdir(f->store, 0700);
  put(f->root, "secret.obj", box, sizeof box - 1);
  put(f->beside, "box.obj", box, sizeof box - 1);
  sha256_begin(&sum);
  sha256_add(&sum, box, sizeof box - 1);
  sha256_text(&sum, f->digest);
  put(f->store, f->digest, box, sizeof box - 1);
  f->source = (scr_asset_source){.store = f->store, .beside = f->beside};
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  fixture *f = *state;
  scr_problems_clear(&f->problems);
  free(f->beside);
  free(f->store);
  folder_remove(f->root);
  free(f);
  return 0;
}

/* A specimen that is the mesh of a file. */
static scr_status parse(fixture *f, const char *reference, const scr_asset_source *source, const scr_limits *limits, scr_scene **scene)
{
  char shape[400];
  snprintf(shape, sizeof shape, "{\"type\": \"mesh\", \"scale\": 0.5, \"file\": \"%s\"}", reference);
  char *text = edited(small_scene, "{ \"type\": \"sphere\", \"radius\": 1 }", shape);
  scr_problems_clear(&f->problems);
  scr_status status = scene_parse_with(text, strlen(text), limits, source, curve_methods, scene, &f->problems);
  free(text);
  return status;
}

static void refused(fixture *f, const char *reference, const scr_asset_source *source, const char *why)
{
  scr_scene *scene;
  assert_int_equal(parse(f, reference, source, NULL, &scene), SCR_BAD_SCENE);
  assert_null(scene);
  assert_int_equal(f->problems.count, 1);
  assert_string_equal(f->problems.items[0].pointer, "/specimens/0/shape/file");
  if (!strstr(f->problems.items[0].detail, why)) fail_msg("%s: %s", reference, f->problems.items[0].detail);
}

static void named(const fixture *f, char text[80])
{
  snprintf(text, 80, "sha256:%s", f->digest);
}

static void test_a_path_beside_the_scene_and_a_digest_of_the_store_give_the_same_scene(void **state)
{
  fixture *f = *state;
  char reference[80];
  named(f, reference);
  const char *const ways[] = {"box.obj", reference};
  char *effective[2];
  for (int i = 0; i < 2; i++) {
    scr_scene *scene;
    scr_asset_use use;
    assert_int_equal(parse(f, ways[i], &f->source, NULL, &scene), SCR_OK);
    assert_int_equal(scr_scene_asset_count(scene), 1);
    assert_string_equal(scr_scene_asset(scene, 0)->digest, f->digest);
    assert_memory_equal(scr_scene_asset(scene, 0)->bytes, box, sizeof box - 1);
    assert_true(scr_scene_asset_use(scene, 0, &use));
    assert_string_equal(use.pointer, "/specimens/0/shape/file");
    assert_string_equal(use.given, ways[i]);
    assert_false(scr_scene_asset_use(scene, 1, &use));
    assert_true(scr_scene_estimate(scene)->memory_bytes >= (double)(sizeof box - 1));
    effective[i] = scr_scene_json(scene);
    assert_non_null(strstr(effective[i], reference));
    scr_scene_destroy(scene);
  }
  assert_string_equal(effective[0], effective[1]);
  scr_scene *again;
  assert_int_equal(
      scene_parse_with(effective[0], strlen(effective[0]), NULL, &(scr_asset_source){.store = f->store}, curve_methods, &again, NULL),
      SCR_OK);
  char *same = scr_scene_json(again);
  assert_string_equal(same, effective[0]);
  scr_free(same);
  scr_scene_destroy(again);
  scr_free(effective[0]);
  scr_free(effective[1]);
}

static void test_nothing_but_files_of_the_store_and_beside_the_scene_can_be_read(void **state)
{
  fixture *f = *state;
  char path[600];
  char *inside = folder_path(f->beside, "link.obj"), *folder = folder_path(f->beside, "linked"),
       *pipe_path = folder_path(f->beside, "pipe");
  snprintf(path, sizeof path, "%s/secret.obj", f->root);
  assert_int_equal(symlink(path, inside), 0);
  assert_int_equal(symlink(f->root, folder), 0);
  assert_int_equal(mkfifo(pipe_path, 0600), 0);
  char *linked = folder_path(f->store, "0123456789012345678901234567890123456789012345678901234567890123");
  assert_int_equal(symlink(path, linked), 0);
  static const char *const outside[] = {"../secret.obj", "../beside/box.obj", "./box.obj",   "box.obj/",
                                        "/etc/passwd",   "//etc/passwd",      "a/../box.obj"};
  for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) refused(f, outside[i], &f->source, "leads out of the scene's folder");
  refused(f, path, &f->source, "leads out of the scene's folder");
  refused(f, "", &f->source, "leads out of the scene's folder");
  refused(f, "link.obj", &f->source, "is a link");
  refused(f, "linked/secret.obj", &f->source, "link");
  refused(f, "pipe", &f->source, "no regular file");
  refused(f, "none.obj", &f->source, "is not there");
  refused(f, "sha256:../../etc/passwd", &f->source, "no name of an asset");
  refused(f, "sha256:", &f->source, "no name of an asset");
  refused(f, "sha256:0123456789012345678901234567890123456789012345678901234567890123", &f->source, "is a link");
  refused(f, "sha256:ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", &f->source, "is not here: upload the file first");
  free(inside);
  free(folder);
  free(pipe_path);
  free(linked);
}

static void test_without_a_store_or_a_folder_a_reference_says_what_to_do(void **state)
{
  fixture *f = *state;
  char reference[80];
  named(f, reference);
  refused(f, "box.obj", NULL, "scree assets upload FILE");
  refused(f, "box.obj", &(scr_asset_source){.store = f->store}, "scree assets upload FILE");
  refused(f, reference, NULL, "there is no asset store");
  refused(f, reference, &(scr_asset_source){.beside = f->beside}, "give the path of the file");
}

static void test_a_file_that_is_damaged_in_the_store_is_not_taken(void **state)
{
  fixture *f = *state;
  char reference[80];
  named(f, reference);
  put(f->store, f->digest, "v 0 0 0\n", 8);
  refused(f, reference, &f->source, "damaged where it is kept");
}

static void test_a_file_is_bounded_and_what_is_no_mesh_is_refused_at_its_key(void **state)
{
  fixture *f = *state;
  scr_scene *scene;
  scr_limits limits = scr_limits_default();
  limits.asset_bytes = sizeof box - 1;
  assert_int_equal(parse(f, "box.obj", &f->source, &limits, &scene), SCR_OK);
  scr_scene_destroy(scene);
  limits.asset_bytes--;
  assert_int_equal(parse(f, "box.obj", &f->source, &limits, &scene), SCR_BAD_SCENE);
  assert_non_null(strstr(f->problems.items[0].detail, "exceeds what all files of a scene may have"));
  put(f->beside, "empty.obj", "", 0);
  refused(f, "empty.obj", &f->source, "is empty");
  put(f->beside, "notes.txt", "no mesh at all", 14);
  refused(f, "notes.txt", &f->source, "");
}

static void test_a_mesh_is_given_in_one_way_only(void **state)
{
  fixture *f = *state;
  scr_scene *scene;
  char *text =
      edited(small_scene, "{ \"type\": \"sphere\", \"radius\": 1 }", "{\"type\": \"mesh\", \"file\": \"box.obj\", \"text\": \"v 0 0 0\"}");
  assert_int_equal(scene_parse_with(text, strlen(text), NULL, &f->source, curve_methods, &scene, &f->problems), SCR_BAD_SCENE);
  assert_non_null(strstr(f->problems.items[0].detail, "given twice"));
  free(text);
}

static void test_a_methods_own_block_may_refer_to_a_file_and_one_file_is_held_once(void **state)
{
  fixture *f = *state;
  scr_scene *scene;
  char *mesh =
      edited(small_scene, "{ \"type\": \"sphere\", \"radius\": 1 }", "{\"type\": \"mesh\", \"scale\": 0.5, \"file\": \"box.obj\"}");
  char *text = edited(mesh, "\"time\":", "\"options\": { \"curve\": \"box.obj\" }, \"time\":");
  assert_int_equal(scene_parse_with(text, strlen(text), NULL, &f->source, curve_methods, &scene, &f->problems), SCR_OK);
  assert_int_equal(scene->asset_count, 1);
  const curve_options *options = scene->options;
  assert_int_equal(options->curve.index, 0);
  assert_string_equal(options->curve.digest, f->digest);
  scr_scene_destroy(scene);
  free(text);
  text = edited(mesh, "\"time\":", "\"options\": { \"curve\": null }, \"time\":");
  assert_int_equal(scene_parse_with(text, strlen(text), NULL, &f->source, curve_methods, &scene, &f->problems), SCR_OK);
  options = scene->options;
  assert_int_equal(options->curve.index, -1);
  scr_scene_destroy(scene);
  free(text);
  free(mesh);
}

SUITE(test_scene_asset)
{
#define WITH_FILES(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      WITH_FILES(test_a_path_beside_the_scene_and_a_digest_of_the_store_give_the_same_scene),
      WITH_FILES(test_nothing_but_files_of_the_store_and_beside_the_scene_can_be_read),
      WITH_FILES(test_without_a_store_or_a_folder_a_reference_says_what_to_do),
      WITH_FILES(test_a_file_that_is_damaged_in_the_store_is_not_taken),
      WITH_FILES(test_a_file_is_bounded_and_what_is_no_mesh_is_refused_at_its_key),
      WITH_FILES(test_a_mesh_is_given_in_one_way_only),
      WITH_FILES(test_a_methods_own_block_may_refer_to_a_file_and_one_file_is_held_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
