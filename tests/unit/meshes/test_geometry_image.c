/* Voxel images: formats that say the same are read the same, labels measure what they are made of, surfaces of grains bound them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "geometry/image/image_read.h"
#include "tests/support/suites.h"

enum { voxels_limit = 1 << 20, file_bytes = 1 << 16 };

/* A file as it is built: header text, then bytes. */
typedef struct file {
  unsigned char bytes[file_bytes];
  size_t size;
} file;

static void add_text(file *f, const char *text)
{
  memcpy(f->bytes + f->size, text, strlen(text));
  f->size += strlen(text);
}

static void add_bytes(file *f, const void *bytes, size_t size)
{
  memcpy(f->bytes + f->size, bytes, size);
  f->size += size;
}

/* Labels of a 5 x 4 x 3 image in which every voxel tells its place, but the first is 0. */
enum { nx = 5, ny = 4, nz = 3, all = nx * ny * nz };
static uint32_t label_of(size_t v)
{
  return v ? (uint32_t)(300 + v) : 0;
}

static void must_be_the_image(const file *f)
{
  geo_image image = {0};
  scr_error error = {0};
  if (geo_image_read(f->bytes, f->size, voxels_limit, &image, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_int_equal(image.count[0], nx);
  assert_int_equal(image.count[1], ny);
  assert_int_equal(image.count[2], nz);
  for (size_t v = 0; v < all; v++) assert_int_equal(image.label[v], label_of(v));
  scr_vec3 p = geo_image_point(&image, 1, 2, 1);
  assert_true(fabs(p.x - (10 + 0.5)) < 1e-12 && fabs(p.y - (20 + 3)) < 1e-12 && fabs(p.z - (30 + 2.5)) < 1e-12);
  geo_image_clear(&image);
}

static const char nrrd_start[] = "NRRD0004\n# a comment\nsizes: 5 4 3\ndimension: 3\nspace: left-posterior-superior\nkey:=value\n"
                                 "space directions: (0.5,0,0) (0,1.5,0) (0,0,2.5)\nspace origin: (10,20,30)\n";
static const char meta_start[] = "ObjectType = Image\nNDims = 3\nDimSize = 5 4 3\nElementSpacing = 0.5 1.5 2.5\nOffset = 10 20 30\n";

/* The same labels as 16-bit numbers of either byte order. */
static size_t shorts(unsigned char to[static 2 * all], bool big_endian)
{
  for (size_t v = 0; v < all; v++) {
    to[2 * v + big_endian] = (unsigned char)label_of(v);
    to[2 * v + !big_endian] = (unsigned char)(label_of(v) >> 8);
  }
  return 2 * all;
}

/* gzip (window 15 + 16) or zlib. */
static size_t packed(const unsigned char *from, size_t size, bool gzip, unsigned char *to, size_t room)
{
  z_stream z = {0};
  assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, gzip ? 31 : 15, 8, Z_DEFAULT_STRATEGY), Z_OK);
  z.next_in = (unsigned char *)(uintptr_t)from, z.avail_in = (uInt)size, z.next_out = to, z.avail_out = (uInt)room;
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  deflateEnd(&z);
  return room - z.avail_out;
}

static void test_all_encodings_give_the_same_labels(void **state)
{
  (void)state;
  unsigned char raw[2 * all], small[1024];
  for (int order = 0; order < 2; order++) {
    file f = {.size = 0};
    size_t size = shorts(raw, order);
    add_text(&f, nrrd_start);
    add_text(&f, order ? "type: uint16\nendian: big\nencoding: raw\n\n" : "type: unsigned short\nendian: little\nencoding: raw\n\n");
    add_bytes(&f, raw, size);
    must_be_the_image(&f);
    f.size = 0;
    add_text(&f, nrrd_start);
    add_text(&f, order ? "type: short\nendian: big\nencoding: gzip\n\n" : "type: int16_t\nendian: little\nencoding: gz\n\n");
    add_bytes(&f, small, packed(raw, size, true, small, sizeof small));
    must_be_the_image(&f);
    f.size = 0;
    add_text(&f, meta_start);
    add_text(&f, order ? "ElementByteOrderMSB = True\nElementType = MET_USHORT\nCompressedData = True\nElementDataFile = LOCAL\n"
                       : "ElementType = MET_SHORT\nCompressedData = True\nElementDataFile = LOCAL\n");
    add_bytes(&f, small, packed(raw, size, false, small, sizeof small));
    must_be_the_image(&f);
  }
}

static void test_floats_and_text_give_the_same_labels(void **state)
{
  (void)state;
  file f = {.size = 0};
  float single[all];
  char word[16];
  add_text(&f, meta_start);
  add_text(&f, "ElementType = MET_FLOAT\nElementDataFile = LOCAL\n");
  for (size_t v = 0; v < all; v++) single[v] = (float)label_of(v);
  add_bytes(&f, single, sizeof single); /* this machine is little-endian, as all that Scree runs on */
  must_be_the_image(&f);
  f.size = 0;
  add_text(&f, nrrd_start);
  add_text(&f, "type: double\nencoding: ascii\n\n");
  for (size_t v = 0; v < all; v++) {
    snprintf(word, sizeof word, v % 7 ? "%u " : "%u\r\n", label_of(v));
    add_text(&f, word);
  }
  must_be_the_image(&f);
}

/* What a file says wrong is named, with the value and what should stand there. */
static void test_what_is_wrong_with_a_file_is_said(void **state)
{
  (void)state;
  static const struct {
    const char *text, *names;
  } wrong[] = {
      {"", "are not a voxel image"},
      {"NRRD0004\nsizes: 2 2 2\n", "within its header"},
      {"NRRD0004\ndimension: 4\n\n", "'4'"},
      {"NRRD0004\ntype: block\n\n", "'block'"},
      {"NRRD0004\nencoding: bzip2\n\n", "'bzip2'"},
      {"NRRD0004\ndata file: other.raw\n\n", "another file"},
      {"NRRD0004\nsizes: 2 2\n\n", "three whole numbers"},
      {"NRRD0004\nsizes: 2 2 0\ntype: uchar\nencoding: ascii\n\n", "2 x 2 x 0"},
      {"NRRD0004\nsizes: 2 2 1.5\ntype: uchar\nencoding: ascii\n\n", "2 x 2 x 1.5"},
      {"NRRD0004\nsizes: 2000 2000 2000\ntype: uchar\nencoding: raw\n\n", "at most 1048576"},
      {"NRRD0004\nsizes: 1 1 1\nencoding: ascii\n\n1", "what type"},
      {"NRRD0004\nsizes: 1 1 1\ntype: int\nencoding: raw\n\n1234", "which byte"},
      {"NRRD0004\nsizes: 1 1 2\ntype: uchar\nencoding: raw\n\n1", "cut off"},
      {"NRRD0004\nsizes: 1 1 2\ntype: uchar\nencoding: raw\n\n123", "3 do"},
      {"NRRD0004\nsizes: 1 1 2\ntype: uchar\nencoding: ascii\n\n12 ", "ends after 1 of its 2"},
      {"NRRD0004\nsizes: 1 1 2\ntype: uchar\nencoding: ascii\n\n1 2 3", "'3'"},
      {"NRRD0004\nsizes: 1 1 2\ntype: uchar\nencoding: ascii\n\n1 -2", "voxel (0, 0, 1) is -2"},
      {"NRRD0004\nsizes: 1 1 2\ntype: float\nencoding: ascii\n\n1 0.25", "is 0.25, which is not a label"},
      {"NRRD0004\nsizes: 1 1 2\ntype: uchar\nencoding: ascii\nspacings: 1 0 1\n\n1 2", "0 apart along axis 2"},
      {"NRRD0004\nsizes: 1 1 2\ntype: uchar\nencoding: ascii\nspacings: 1 nan 1\n\n1 2", "three numbers above 0"},
      {"NRRD0004\nsizes: 1 1 2\ntype: uchar\nencoding: ascii\nspace directions: (1,0,0) (1,1,0) (0,0,1)\n\n1 2", "right angles"},
      {"NRRD0004\nsizes: 1 1 2\ntype: uchar\nencoding: ascii\nspacings: 1 1 1e10\n\n1 2", "at most 1e+09 long"},
      {"NRRD0004\nsizes: 9 9 9\ntype: uchar\nencoding: gzip\n\nnot packed, as anyone sees", "can't be unpacked"},
      {"NDims = 3\nDimSize = 1 1 1\nElementType = MET_UCHAR\nElementDataFile = other.raw\n", "LOCAL"},
      {"NDims = 3\nDimSize = 1 1 1\n", "ElementDataFile"},
      {"NDims = 2\n", "'2'"},
      {"NDims = 3\nElementType = MET_STRING\n", "'MET_STRING'"},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    geo_image image = {0};
    scr_error error = {0};
    assert_int_equal(geo_image_read(wrong[k].text, strlen(wrong[k].text), voxels_limit, &image, &error), SCR_BAD_FILE);
    if (!strstr(error.message, wrong[k].names)) fail_msg("'%s' is not in: %s", wrong[k].names, error.message);
    assert_null(image.label);
  }
}

/* ── labels and surfaces ────────────────────────────────────────────────────────────────────────────────────────── */

static geo_image made(uint32_t edge, scr_vec3 step)
{
  geo_image image = {.count = {edge, edge, edge}, .step = {{step.x, 0, 0}, {0, step.y, 0}, {0, 0, step.z}}};
  image.label = mem_array((size_t)edge * edge * edge, sizeof *image.label);
  assert_non_null(image.label);
  return image;
}

static void add_brick(geo_image *image, uint32_t label, const uint32_t low[3], const uint32_t high[3])
{
  for (uint32_t k = low[2]; k <= high[2]; k++)
    for (uint32_t j = low[1]; j <= high[1]; j++)
      for (uint32_t i = low[0]; i <= high[0]; i++) image->label[geo_image_index(image, i, j, k)] = label;
}

/* Two bricks of one label, which touch only along an edge, and a third of another: counted by hand. */
static void test_labels_are_measured_and_their_pieces_counted(void **state)
{
  (void)state;
  geo_image image = made(12, vec3(1, 2, 3));
  add_brick(&image, 9, (const uint32_t[3]){1, 1, 1}, (const uint32_t[3]){3, 4, 5});
  add_brick(&image, 9, (const uint32_t[3]){4, 5, 1}, (const uint32_t[3]){5, 6, 1});
  add_brick(&image, 4, (const uint32_t[3]){8, 8, 8}, (const uint32_t[3]){11, 9, 9});
  geo_image_label *labels;
  size_t count;
  assert_int_equal(geo_image_labels(&image, &labels, &count, NULL), SCR_OK);
  assert_int_equal(count, 2);
  assert_true(labels[0].label == 4 && labels[0].voxels == 16 && labels[0].pieces == 1 && labels[0].at_rim);
  assert_true(fabs(labels[0].volume - 16 * 6) < 1e-12 && fabs(labels[0].centroid.x - 9.5) < 1e-12 &&
              fabs(labels[0].centroid.y - 17) < 1e-12);
  assert_true(labels[1].label == 9 && labels[1].voxels == 64 && labels[1].pieces == 2 && labels[1].largest == 60 && !labels[1].at_rim);
  assert_true(labels[1].low[0] == 1 && labels[1].high[0] == 5 && labels[1].high[1] == 6 && labels[1].high[2] == 5);
  geo_mesh mesh = {0};
  geo_mesh_measures m;
  assert_int_equal(geo_image_surface(&image, &labels[1], 0, false, &mesh, NULL, NULL), SCR_OK);
  assert_int_equal(geo_mesh_check(&mesh, NULL), SCR_OK);
  assert_int_equal(geo_mesh_measure(&mesh, &m, NULL), SCR_OK);
  assert_int_equal(m.euler, 2); /* the largest piece alone */
  for (size_t v = 0; v < mesh.vertex_count; v++) assert_true(mesh.vertex[v].x < 4 && mesh.vertex[v].y < 10);
  geo_mesh_clear(&mesh);
  mem_free(labels);
  geo_image_clear(&image);
}

static void test_an_empty_image_and_a_grey_one_are_refused(void **state)
{
  (void)state;
  geo_image image = made(50, vec3(1, 1, 1));
  geo_image_label *labels;
  size_t count;
  scr_error error = {0};
  assert_int_equal(geo_image_labels(&image, &labels, &count, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "all 125000 voxels"));
  for (uint32_t v = 0; v < 125000; v++) image.label[v] = v;
  assert_int_equal(geo_image_labels(&image, &labels, &count, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "segment"));
  geo_image_clear(&image);
}

/* A ball of 14 voxels' radius, smoothed by one voxel. A Gaussian of variance s^2 moves a level of 1/2 inwards by s^2/R (mean curvature flow
 * for the time s^2/2, Merriman, Bence, Osher 1992): the volume falls by 3 s^2/R^2 = 1.5 %. The digital ball itself is within 0.3 % of the
 * round one; the triangles' loss is (1/14)^2 of the order. Tolerance 1 % about the sum. With steps of three lengths, and mirrored, it is
 * the ellipsoid. */
static void test_the_surface_of_a_ball_is_round(void **state)
{
  (void)state;
  const double radius = 14;
  for (int mirrored = 0; mirrored < 2; mirrored++) {
    geo_image image = made(40, vec3(mirrored ? -1 : 1, 2, 0.5));
    for (uint32_t k = 0; k < 40; k++)
      for (uint32_t j = 0; j < 40; j++)
        for (uint32_t i = 0; i < 40; i++)
          image.label[geo_image_index(&image, i, j, k)] = 5 * (vec3_length(vec3(i - 20.0, j - 20.0, k - 20.0)) <= radius);
    geo_image_label *labels;
    size_t count;
    geo_mesh mesh = {0};
    geo_mesh_measures m;
    assert_int_equal(geo_image_labels(&image, &labels, &count, NULL), SCR_OK);
    assert_int_equal(geo_image_surface(&image, &labels[0], 1, false, &mesh, NULL, NULL), SCR_OK);
    assert_int_equal(geo_mesh_check(&mesh, NULL), SCR_OK);
    assert_int_equal(geo_mesh_measure(&mesh, &m, NULL), SCR_OK);
    double ball = 4 * M_PI / 3 * radius * radius * radius;
    assert_true(fabs(m.volume / ball - (1 - 3 / (radius * radius))) < 0.01);
    assert_int_equal(m.euler, 2);
    for (size_t v = 0; v < mesh.vertex_count; v++) {
      scr_vec3 p = mesh.vertex[v];
      double off = vec3_length(vec3(fabs(p.x) - 20, p.y / 2 - 20, p.z * 2 - 20)) - (radius - 1 / radius);
      assert_true(fabs(off) < 0.35); /* steps of a voxel are smoothed to a third of one */
    }
    geo_mesh_clear(&mesh);
    mem_free(labels);
    geo_image_clear(&image);
  }
}

/* With its volume kept a smoothed ball has that of its voxels to 1e-4, where the level of one half loses 3 s^2/R^2 (2.1 % of 12 voxels'
 * radius, 8.3 % smoothed by two), and the change that is told is the one there is. */
static void test_smoothing_may_keep_the_volume(void **state)
{
  (void)state;
  const double radius = 12;
  geo_image image = made(40, vec3(1, 1, 1));
  for (uint32_t k = 0; k < 40; k++)
    for (uint32_t j = 0; j < 40; j++)
      for (uint32_t i = 0; i < 40; i++)
        image.label[geo_image_index(&image, i, j, k)] = 5 * (vec3_length(vec3(i - 20.0, j - 20.0, k - 20.0)) <= radius);
  geo_image_label *labels;
  size_t count;
  assert_int_equal(geo_image_labels(&image, &labels, &count, NULL), SCR_OK);
  for (int smoothing = 0; smoothing <= 2; smoothing++)
    for (int keep = 0; keep < 2; keep++) {
      geo_mesh mesh = {0};
      geo_mesh_measures m;
      double change;
      assert_int_equal(geo_image_surface(&image, &labels[0], smoothing, keep, &mesh, &change, NULL), SCR_OK);
      assert_int_equal(geo_mesh_check(&mesh, NULL), SCR_OK);
      assert_int_equal(geo_mesh_measure(&mesh, &m, NULL), SCR_OK);
      assert_true(fabs(m.volume / labels[0].volume - 1 - change) < 1e-9);
      if (keep)
        assert_true(fabs(change) <= 1e-4);
      else if (smoothing)
        assert_true(fabs(change + 3 * smoothing * smoothing / (radius * radius)) < 0.01);
      geo_mesh_clear(&mesh);
    }
  mem_free(labels);
  geo_image_clear(&image);
}

/* A plate one voxel thick smoothed by two is nowhere above one half. */
static void test_a_grain_that_smoothing_takes_away_is_told(void **state)
{
  (void)state;
  geo_image image = made(12, vec3(1, 1, 1));
  add_brick(&image, 3, (const uint32_t[3]){2, 2, 5}, (const uint32_t[3]){9, 9, 5});
  geo_image_label *labels;
  size_t count;
  geo_mesh mesh = {0};
  scr_error error = {0};
  assert_int_equal(geo_image_labels(&image, &labels, &count, NULL), SCR_OK);
  assert_int_equal(geo_image_surface(&image, &labels[0], 2, false, &mesh, NULL, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "label 3 with its 64 voxels"));
  assert_int_equal(geo_image_surface(&image, &labels[0], 9, false, &mesh, NULL, &error), SCR_BAD_USAGE);
  geo_mesh_clear(&mesh);
  mem_free(labels);
  geo_image_clear(&image);
}

SUITE(test_geometry_image)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_encodings_give_the_same_labels),        cmocka_unit_test(test_floats_and_text_give_the_same_labels),
      cmocka_unit_test(test_what_is_wrong_with_a_file_is_said),         cmocka_unit_test(test_labels_are_measured_and_their_pieces_counted),
      cmocka_unit_test(test_an_empty_image_and_a_grey_one_are_refused), cmocka_unit_test(test_the_surface_of_a_ball_is_round),
      cmocka_unit_test(test_a_grain_that_smoothing_takes_away_is_told), cmocka_unit_test(test_smoothing_may_keep_the_volume),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
