/* Shapes that are made into meshes before methods see them: what they become, what an image's grains become, and what is refused where. */
#include "tests/unit/scene/test_scene_fake.h"

#include "geometry/shapes/form.h"
#include "scene/mesh_source.h"
#include "tests/support/folder.h"
#include "tests/support/suites.h"

static const char sphere[] = "\"type\": \"sphere\", \"radius\": 1";

static void assert_made(const char *shape, double volume, double tolerance)
{
  char *text = edited(small_scene, sphere, shape);
  scr_scene *scene = parsed(text);
  assert_int_equal(scene->specimens[0].shape.kind, SCR_SHAPE_MESH);
  const struct scr_mesh *mesh = scene->specimens[0].shape.mesh.mesh;
  assert_non_null(mesh);
  if (!(fabs(mesh->volume / volume - 1) <= tolerance)) fail_msg("%s: %.9g is not %.9g m^3", shape, mesh->volume, volume);
  char *effective = scr_scene_json(scene);
  scr_scene *again = parsed(effective);
  assert_memory_equal(again->specimens[0].shape.mesh.mesh->surface.vertex, mesh->surface.vertex,
                      mesh->surface.vertex_count * sizeof(scr_vec3));
  scr_free(effective);
  scr_scene_destroy(again);
  scr_scene_destroy(scene);
  free(text);
}

/* Volumes: of a grain as asked, of a superellipsoid with p = q = 2 an ellipsoid's less 0.5 % for 16 cuts, of a jack w^3 + 6 w^2 (R - w/2),
 * of a tube pi (R^2 - r^2) l, less the cube of a void. */
static void test_made_shapes_are_meshes_of_their_volume(void **state)
{
  (void)state;
  const double ball = 4 * M_PI / 3;
  assert_made("\"type\": \"grain\", \"radius\": 0.5", ball / 8, 1e-12);
  assert_made("\"type\": \"grain\", \"radius\": 0.5, \"roundness\": 0.95, \"roughness\": 0, \"hollow\": 0.5", ball / 8 * 7 / 8, 1e-12);
  assert_made("\"type\": \"superellipsoid\", \"size\": [2, 4, 6]", 6 * ball, 0.01);
  assert_made("\"type\": \"jack\", \"radius\": 1.5, \"width\": 1", 1 + 6, 1e-12);
  assert_made("\"type\": \"tube\", \"radius\": 2, \"inner_radius\": 1, \"length\": 0.5", 1.5 * M_PI, 1e-9);
}

static void test_a_grain_hangs_on_its_number_and_the_seed(void **state)
{
  (void)state;
  static const char *const heads[] = {"\"name\": \"small\"", "\"name\": \"small\", \"seed\": 2", "\"name\": \"small\""};
  static const char *const shapes[] = {"\"type\": \"grain\", \"radius\": 1", "\"type\": \"grain\", \"radius\": 1",
                                       "\"type\": \"grain\", \"radius\": 1, \"number\": 2"};
  scr_vec3 first[3];
  for (int k = 0; k < 3; k++) {
    char *headed = edited(small_scene, "\"name\": \"small\"", heads[k]), *text = edited(headed, sphere, shapes[k]);
    scr_scene *scene = parsed(text);
    first[k] = scene->specimens[0].shape.mesh.mesh->surface.vertex[0];
    scr_scene_destroy(scene);
    free(headed);
    free(text);
  }
  assert_true(first[0].x != first[1].x && first[0].x != first[2].x && first[1].x != first[2].x);
}

static void test_shapes_that_cannot_be_are_refused_at_their_keys(void **state)
{
  (void)state;
  assert_refused(small_scene, sphere, "\"type\": \"grain\", \"radius\": 1, \"roundness\": 0.5", "/specimens/0/shape/roundness", "from 0.");
  assert_refused(small_scene, sphere, "\"type\": \"grain\", \"radius\": 1, \"flatness\": 0", "/specimens/0/shape/flatness", "0.1");
  assert_refused(small_scene, sphere, "\"type\": \"grain\", \"radius\": 1, \"hollow\": 1", "/specimens/0/shape/hollow", "1");
  assert_refused(small_scene, sphere, "\"type\": \"jack\", \"radius\": 1, \"width\": 2", "/specimens/0/shape/width", "2 m wide");
  assert_refused(small_scene, sphere, "\"type\": \"tube\", \"radius\": 1, \"inner_radius\": 1, \"length\": 1",
                 "/specimens/0/shape/inner_radius", "below the outer");
  assert_refused(small_scene, sphere, "\"type\": \"superellipsoid\", \"size\": [1, 1, 1], \"exponent_across\": 0.5",
                 "/specimens/0/shape/exponent_across", "1");
  assert_refused(small_scene, sphere, "\"type\": \"image\", \"scale\": 1", "/specimens/0/shape/file", "missing");
}

/* ── images ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Bricks of label 3 (4 x 4 x 4 voxels) and 8 (two pieces) in an image of 16 x 8 x 8, spacing 2; as text. */
static void write_image(const char *folder)
{
  char text[8192];
  size_t used =
      (size_t)snprintf(text, sizeof text, "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 16 8 8\nspacings: 2 2 2\nencoding: ascii\n\n");
  for (int v = 0; v < 16 * 8 * 8; v++) {
    int i = v % 16, j = v / 16 % 8, k = v / 128, low = j >= 2 && j < 6 && k >= 2 && k < 6;
    int label = low && i >= 1 && i < 5 ? 3 : low && i >= 8 && i < 12 ? 8 : i == 14 && j == 1 && k == 1 ? 8 : 0;
    used += (size_t)snprintf(text + used, sizeof text - used, "%d ", label);
  }
  char *path = folder_path(folder, "bricks.nrrd");
  assert_int_equal(scr_write_file(path, text, used, NULL), SCR_OK);
  free(path);
}

static scr_status parse_beside(const char *folder, const char *shape, const char *more, scr_scene **scene, scr_problems *problems)
{
  const scr_asset_source source = {.beside = folder};
  char *with = edited(small_scene, sphere, shape), *text = edited(with, "\"name\": \"s\",", more);
  scr_status status = scene_parse_with(text, strlen(text), NULL, &source, fake_methods, scene, problems);
  free(with);
  free(text);
  return status;
}

/* The bricks' middles are at voxels (2.5, 3.5, 3.5) and (9.5, 3.5, 3.5), 2 apart and times 0.001; turned by 90 degrees about z, x becomes
 * y. Half of a brick's surface voxels is cut off by the level 1/2 at its edges only, so the volume is within 12 % of 4^3 voxels. */
static void test_all_grains_of_an_image_become_specimens_where_they_are(void **state)
{
  (void)state;
  char *folder = folder_create();
  scr_scene *scene;
  scr_problems problems = {0};
  write_image(folder);
  scr_status status = parse_beside(
      folder, "\"type\": \"image\", \"file\": \"bricks.nrrd\", \"scale\": 0.001, \"smoothing\": 0",
      "\"name\": \"s\", \"placement\": { \"type\": \"single\", \"position\": [1, 2, 3] }, \"rotation\": { \"angle_deg\": 90 },", &scene,
      &problems);
  if (status != SCR_OK) fail_msg("%s", problems.items[0].detail);
  assert_int_equal(scene->specimen_count, 2);
  for (size_t k = 0; k < 2; k++) {
    const scr_specimen *s = &scene->specimens[k];
    scr_vec3 p = s->positions[0];
    assert_string_equal(s->name, k ? "s.2" : "s.1");
    assert_true(s->line == 0 && s->position_count == 1 && s->shape.kind == SCR_SHAPE_MESH);
    assert_true(fabs(p.x - (1 - 0.007)) < 1e-9 && fabs(p.y - (2 + (k ? 0.019 : 0.005))) < 1e-9 && fabs(p.z - 3.007) < 1e-9);
    assert_true(fabs(s->shape.mesh.mesh->volume / 512e-9 - 1) < 0.12);
  }
  const scr_problems *warnings = scr_scene_warnings(scene);
  assert_int_equal(warnings->count, 2);
  assert_non_null(strstr(warnings->items[0].detail, "label 8 lies in 2 pieces"));
  assert_non_null(strstr(warnings->items[1].detail, "use keep_volume"));
  scr_scene_destroy(scene);
  scr_problems_clear(&problems);
  folder_remove(folder);
}

static void assert_image_refused(const char *folder, const char *shape, const char *more, const char *pointer, const char *words)
{
  scr_scene *scene;
  scr_problems problems = {0};
  assert_int_equal(parse_beside(folder, shape, more, &scene, &problems), SCR_BAD_SCENE);
  assert_int_equal(problems.count, 1);
  assert_string_equal(problems.items[0].pointer, pointer);
  if (!strstr(problems.items[0].detail, words)) fail_msg("\"%s\" does not say \"%s\"", problems.items[0].detail, words);
  scr_problems_clear(&problems);
}

static void test_one_grain_of_an_image_is_a_shape_like_others(void **state)
{
  (void)state;
  char *folder = folder_create();
  scr_scene *scene;
  scr_problems problems = {0};
  static const char lattice[] = "\"name\": \"s\", \"placement\": { \"type\": \"lattice\", \"count\": [2, 1, 1], \"pitch\": [1, 1, 1] },";
  write_image(folder);
  assert_int_equal(
      parse_beside(folder, "\"type\": \"image\", \"file\": \"bricks.nrrd\", \"scale\": 0.001, \"label\": 3", lattice, &scene, &problems),
      SCR_OK);
  assert_true(scene->specimen_count == 1 && scene->specimens[0].position_count == 2);
  shape_form form;
  assert_int_equal(shape_measure_form(&scene->specimens[0].shape.mesh.mesh->surface, &form, NULL), SCR_OK);
  assert_true(vec3_length(form.centroid) < 1e-12 && fabs(form.elongation - 1) < 1e-6);
  scr_scene_destroy(scene);
  assert_image_refused(folder, "\"type\": \"image\", \"file\": \"bricks.nrrd\", \"scale\": 1, \"label\": 4", "\"name\": \"s\",",
                       "/specimens/0/shape/label", "2 labels from 3 to 8");
  assert_image_refused(folder, "\"type\": \"image\", \"file\": \"bricks.nrrd\", \"scale\": 1, \"smoothing\": 6", "\"name\": \"s\",",
                       "/specimens/0/shape/smoothing", "nothing of label 3");
  assert_image_refused(folder, "\"type\": \"image\", \"file\": \"bricks.nrrd\", \"scale\": 1", lattice, "/specimens/0/shape/label",
                       "single or packed placement");
  assert_image_refused(folder, "\"type\": \"image\", \"file\": \"bricks.nrrd\", \"text\": \"TlJSRA==\", \"scale\": 1", "\"name\": \"s\",",
                       "/specimens/0/shape/file", "given twice");
  assert_image_refused(folder, "\"type\": \"image\", \"text\": \"TlJS*RA==\", \"scale\": 1", "\"name\": \"s\",", "/specimens/0/shape/text",
                       "character 5 of the image's text is not base64");
  assert_image_refused(folder, "\"type\": \"image\", \"text\": \"TlJSRA==\", \"scale\": 1", "\"name\": \"s\",", "/specimens/0/shape/text",
                       "are not a voxel image");
  scr_problems_clear(&problems);
  folder_remove(folder);
}

static char *packed_scene(const char *shape, const char *more)
{
  char place[600];
  snprintf(place, sizeof place,
           "\"name\": \"s\", \"placement\": { \"type\": \"packed\", \"minimum\": [0, 0, 0], \"maximum\": [8, 8, 8], %s },", more);
  char *with = edited(small_scene, sphere, shape), *text = edited(with, "\"name\": \"s\",", place);
  free(with);
  return text;
}

/* Three bytes as four letters (RFC 4648, section 4), to be freed. */
static char *as_base64(const char *bytes, size_t size)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *text = calloc(size / 3 + 2, 4), *to = text;
  assert_non_null(text);
  for (size_t at = 0; at < size; at += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; k++) group = group << 8 | (at + k < size ? (unsigned char)bytes[at + k] : 0);
    for (size_t k = 0; k < 4; k++) *to++ = at + k > size ? '=' : letters[group >> (18 - 6 * k) & 63];
  }
  return text;
}

/* The bricks of write_image, each of 4^3 voxels of 2 along the edges, in the scene itself; packed in turn: forms 1, 3, 5 are the first
 * brick, the others the second. Reference: with keep_volume, each grain has the volume of its voxels to 1e-4, times the scale's cube and
 * what packing shrank it by, which is the same for all. */
static void test_an_image_in_the_scene_is_packed_label_by_label(void **state)
{
  (void)state;
  char *folder = folder_create(), shape[8192];
  write_image(folder);
  char *path = folder_path(folder, "bricks.nrrd"), file[8192];
  FILE *from = fopen(path, "rb");
  assert_non_null(from);
  size_t size = fread(file, 1, sizeof file, from);
  fclose(from);
  free(path);
  char *text = as_base64(file, size);
  assert_true(snprintf(shape, sizeof shape,
                       "\"type\": \"image\", \"text\": \"%s\", \"scale\": 0.1, \"smoothing\": 0.5, \"keep_volume\": true",
                       text) < (int)sizeof shape);
  char *packing = packed_scene(shape, "\"count\": 24, \"variants\": 6");
  scr_scene *scene = parsed(packing);
  assert_int_equal(scene->specimen_count, 6);
  double first = scene->specimens[0].shape.mesh.mesh->volume;
  for (size_t k = 0; k < 6; k++) {
    const scr_specimen *s = &scene->specimens[k];
    double volume = s->shape.mesh.mesh->volume;
    assert_int_equal(s->position_count, 4);
    assert_true(fabs(volume / first - 1) < 3e-4 && volume < 0.512 * 1.0002);
    assert_true(k == 0 || s->rotation_angle != scene->specimens[k - 1].rotation_angle);
  }
  char *effective = scr_scene_json(scene);
  scr_scene *back = parsed(effective);
  assert_int_equal(back->specimen_count, 6);
  assert_memory_equal(back->specimens[5].positions, scene->specimens[5].positions, 4 * sizeof(scr_vec3));
  scr_free(effective);
  scr_scene_destroy(back);
  scr_scene_destroy(scene);
  free(packing);
  free(text);
  folder_remove(folder);
}

/* ── points ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Points on a ball of radius 2 about (5, 0, 0) without its lowest tenth, as CSV. */
static void write_points(const char *folder)
{
  char *text = malloc(200000);
  size_t used = (size_t)snprintf(text, 200000, "x,y,z\n");
  for (int k = 0; k < 1000; k++) {
    double z = 1 - (2 * k + 1) / 1000.0, angle = k * 2.399963229728653, across = sqrt(1 - z * z);
    if (z > -0.8)
      used += (size_t)snprintf(text + used, 200000 - used, "%.9g,%.9g,%.9g\n", 2 * across * cos(angle) + 5, 2 * across * sin(angle), 2 * z);
  }
  char *path = folder_path(folder, "scan.csv");
  assert_int_equal(scr_write_file(path, text, used, NULL), SCR_OK);
  free(path);
  free(text);
}

/* Volume within 4 % of the ball's (smoothing and the flattened hole), its farthest corner at the radius asked for; the hole is told with
 * its place. */
static void test_points_are_a_body_and_their_holes_are_told(void **state)
{
  (void)state;
  char *folder = folder_create();
  scr_scene *scene;
  scr_problems problems = {0};
  write_points(folder);
  scr_status status =
      parse_beside(folder, "\"type\": \"points\", \"file\": \"scan.csv\", \"radius\": 0.5", "\"name\": \"s\",", &scene, &problems);
  if (status != SCR_OK) fail_msg("%s", problems.items[0].detail);
  const struct scr_mesh *mesh = scene->specimens[0].shape.mesh.mesh;
  double reach = 0;
  for (size_t v = 0; v < mesh->surface.vertex_count; v++) reach = fmax(reach, vec3_length(mesh->surface.vertex[v]));
  assert_true(fabs(reach - 0.5) < 1e-12);
  assert_true(mesh->volume > 0.85 * M_PI / 6 && mesh->volume < M_PI / 6);
  const scr_problems *warnings = scr_scene_warnings(scene);
  assert_int_equal(warnings->count, 1);
  assert_string_equal(warnings->items[0].pointer, "/specimens/0/shape/file");
  double x, y, z;
  const char *told = strstr(warnings->items[0].detail, "hole near (");
  assert_non_null(told);
  assert_int_equal(sscanf(told, "hole near (%lf, %lf, %lf)", &x, &y, &z), 3);
  assert_true(fabs(x - 5) < 0.3 && fabs(y) < 0.3 && z < -1.4 && z > -2);
  scr_scene_destroy(scene);
  assert_image_refused(folder, "\"type\": \"points\", \"file\": \"scan.csv\"", "\"name\": \"s\",", "/specimens/0/shape/scale",
                       "give only one of them");
  write_image(folder);
  assert_image_refused(folder, "\"type\": \"points\", \"file\": \"bricks.nrrd\", \"scale\": 1", "\"name\": \"s\",",
                       "/specimens/0/shape/file", "line 2 has 'type:'");
  scr_problems_clear(&problems);
  folder_remove(folder);
}

/* A method that finds fault with its third specimen, which the second line of the scene has become. */
static scr_status picky_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems)
{
  estimate->time_step = 1e-8;
  if (scene->specimen_count < 3) return SCR_OK;
  (void)scr_problems_add(scene->warnings, "/specimens/1/spacing", "", "any", "a doubt");
  return scr_problems_add(problems, "/specimens/2/spacing", "", "any", "a fault");
}

static const scr_method_description *picky_methods(size_t index)
{
  static scr_method_description method;
  method = fake_method;
  method.check = picky_check;
  return index == 0 ? &method : NULL;
}

static void test_what_methods_say_of_a_variant_is_told_of_its_line(void **state)
{
  (void)state;
  char *folder = folder_create();
  const scr_asset_source source = {.beside = folder};
  scr_scene *scene;
  scr_problems problems = {0};
  write_image(folder);
  char *text = edited(small_scene, "\"specimens\": [",
                      "\"specimens\": [ { \"name\": \"first\", \"material\": \"m\", \"spacing\": 0.1, \"shape\": { \"type\": \"box\", "
                      "\"size\": [1, 1, 1] } },");
  char *both = edited(text, sphere, "\"type\": \"image\", \"file\": \"bricks.nrrd\", \"scale\": 0.001, \"smoothing\": 0");
  assert_int_equal(scene_parse_with(both, strlen(both), NULL, &source, picky_methods, &scene, &problems), SCR_BAD_SCENE);
  assert_int_equal(problems.count, 1);
  assert_string_equal(problems.items[0].pointer, "/specimens/1/spacing");
  scr_problems_clear(&problems);
  free(text);
  free(both);
  folder_remove(folder);
}

/* ── packed placements ──────────────────────────────────────────────────────────────────────────────────────────── */

/* Volumes of all grains over the box's 512 m^3 must be what was asked, to 1.5 % (near_enough) from below and a grain from above; sizes
 * between those asked, times the shrinking that the warning tells; every variant turned its own way; the same text gives the same places.
 * */
static void test_packed_grains_fill_the_fraction_asked_for(void **state)
{
  (void)state;
  char *text = packed_scene("\"type\": \"grain\", \"radius\": 1, \"cuts\": 8",
                            "\"solid_fraction\": 0.2, \"gap\": 0.05, \"variants\": 6, \"smallest\": 0.6, \"distribution\": \"mass\"");
  scr_scene *scene = parsed(text), *again = parsed(text);
  assert_int_equal(scene->specimen_count, 6);
  double volume = 0, largest = 0;
  size_t grains = 0;
  for (size_t k = 0; k < 6; k++) {
    const scr_specimen *s = &scene->specimens[k];
    double own = s->shape.mesh.mesh->volume, size = cbrt(own / (4 * M_PI / 3));
    assert_true(s->line == 0 && s->position_count > 0 && size < 1 && size > 0.5);
    assert_true(k == 0 || s->rotation_angle != scene->specimens[k - 1].rotation_angle);
    assert_memory_equal(s->positions, again->specimens[k].positions, s->position_count * sizeof *s->positions);
    volume += own * (double)s->position_count;
    grains += s->position_count;
    largest = fmax(largest, own);
  }
  assert_true(volume > 0.985 * 0.2 * 512 && volume < 0.2 * 512 + 0.06 * 0.2 * 512 + largest);
  assert_true(grains > 24 && grains < 120);
  char *effective = scr_scene_json(scene);
  scr_scene *back = parsed(effective);
  assert_int_equal(back->specimen_count, 6);
  scr_free(effective);
  scr_scene_destroy(back);
  scr_scene_destroy(scene);
  scr_scene_destroy(again);
  free(text);
}

/* A bed 2 m high on 64 m^2 with a solid fraction of 0.5 at rest has 64 m^3 of balls, to 1.5 % from below and a ball from above. */
static void test_packed_grains_are_as_many_as_a_bed_takes(void **state)
{
  (void)state;
  char *text = packed_scene("\"type\": \"sphere\", \"radius\": 0.7",
                            "\"fill_height\": 2, \"settled_fraction\": 0.5, \"variants\": 4, \"smallest\": 0.5");
  scr_scene *scene = parsed(text);
  double volume = 0;
  for (size_t k = 0; k < 4; k++)
    volume += 4 * M_PI / 3 * pow(scene->specimens[k].shape.radius, 3) * (double)scene->specimens[k].position_count;
  assert_true(volume > 0.985 * 64 && volume < 64 + 4 * M_PI / 3 * 0.343);
  scr_scene_destroy(scene);
  free(text);
}

/* Balls stay balls: their centres are two radii and the gap apart, judged on the 16-cut balls that stand for them and are 0.3 % larger. */
static void test_packed_balls_keep_their_gap(void **state)
{
  (void)state;
  char *text = packed_scene("\"type\": \"sphere\", \"radius\": 1", "\"count\": 20, \"gap\": 0.1, \"variants\": 2");
  scr_scene *scene = parsed(text);
  scr_vec3 at[20];
  size_t n = 0;
  double radius = scene->specimens[0].shape.radius;
  assert_int_equal(scene->specimen_count, 2);
  for (size_t k = 0; k < 2; k++)
    for (size_t i = 0; i < scene->specimens[k].position_count; i++) at[n++] = scene->specimens[k].positions[i];
  assert_int_equal(n, 20);
  for (size_t i = 0; i < n; i++) {
    assert_true(fmin(at[i].x, fmin(at[i].y, at[i].z)) > radius + 0.099 && fmax(at[i].x, fmax(at[i].y, at[i].z)) < 8 - radius - 0.099);
    for (size_t j = 0; j < i; j++) assert_true(vec3_length(vec3_sub(at[i], at[j])) > 2 * radius + 0.099);
  }
  scr_scene_destroy(scene);
  free(text);
}

static void assert_packing_refused(const char *shape, const char *more, const char *pointer, const char *words)
{
  char *text = packed_scene(shape, more);
  scr_problems problems = problems_of(text);
  const scr_problem *problem = problem_at(&problems, pointer);
  if (!strstr(problem->detail, words)) fail_msg("\"%s\" does not say \"%s\"", problem->detail, words);
  scr_problems_clear(&problems);
  free(text);
}

static void test_packings_that_cannot_be_are_refused(void **state)
{
  (void)state;
  assert_packing_refused(sphere, "\"gap\": 0", "/specimens/0/placement/solid_fraction", "has none of");
  assert_packing_refused(sphere, "\"count\": 3, \"solid_fraction\": 0.1", "/specimens/0/placement/solid_fraction", "leave all but one out");
  assert_packing_refused("\"type\": \"sphere\", \"radius\": 2", "\"solid_fraction\": 0.6, \"variants\": 1",
                         "/specimens/0/placement/solid_fraction", "solid fraction of 0.6 in the container was not reached, only 0.");
  assert_packing_refused(sphere, "\"count\": 3, \"fill_height\": 2", "/specimens/0/placement/solid_fraction", "leave all but one out");
  assert_packing_refused(sphere, "\"fill_height\": 8.1", "/specimens/0/placement/fill_height", "raise `maximum`");
  assert_packing_refused(sphere, "\"fill_height\": 8, \"settled_fraction\": 0.85", "/specimens/0/placement/fill_height",
                         "fill too much of the container");
  assert_packing_refused("\"type\": \"sphere\", \"radius\": 5", "\"count\": 1, \"variants\": 1", "/specimens/0/placement/count",
                         "do not fit into the container");
  assert_packing_refused("\"type\": \"sphere\", \"radius\": 0.05", "\"solid_fraction\": 0.4, \"variants\": 1",
                         "/specimens/0/placement/solid_fraction", "at most 2000 are packed");
  assert_packing_refused("\"type\": \"superellipsoid\", \"size\": [1, 1, 1], \"cuts\": 64", "\"count\": 12", "/specimens/0/placement/count",
                         "300000 triangles");
  assert_packing_refused("\"type\": \"capsule\", \"radius\": 1, \"length\": 1", "\"count\": 2", "/specimens/0/shape/type",
                         "can't be packed");
}

SUITE(test_scene_made)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_made_shapes_are_meshes_of_their_volume),
      cmocka_unit_test(test_a_grain_hangs_on_its_number_and_the_seed),
      cmocka_unit_test(test_shapes_that_cannot_be_are_refused_at_their_keys),
      cmocka_unit_test(test_all_grains_of_an_image_become_specimens_where_they_are),
      cmocka_unit_test(test_one_grain_of_an_image_is_a_shape_like_others),
      cmocka_unit_test(test_an_image_in_the_scene_is_packed_label_by_label),
      cmocka_unit_test(test_points_are_a_body_and_their_holes_are_told),
      cmocka_unit_test(test_packed_grains_fill_the_fraction_asked_for),
      cmocka_unit_test(test_packed_balls_keep_their_gap),
      cmocka_unit_test(test_packed_grains_are_as_many_as_a_bed_takes),
      cmocka_unit_test(test_packings_that_cannot_be_are_refused),
      cmocka_unit_test(test_what_methods_say_of_a_variant_is_told_of_its_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
