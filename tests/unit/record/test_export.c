/* Exports of a small recording built byte by byte, as core/record/FORMAT.md lays it down: CSV, SVG, VTKHDF. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/file/record.h"
#include "record/frame.h"
#include "record/frame/reader.h"
#include "tests/support/suites.h"

static const char topology_text[] =
    "{\"drawables\":[{\"id\":0,\"kind\":\"points\",\"name\":\"grain\",\"element_count\":3,\"radius\":0.5,\"fields\":["
    "{\"name\":\"position\",\"unit\":\"m\",\"components\":3,\"encoding\":\"uint16\"},"
    "{\"name\":\"fragment\",\"unit\":\"1\",\"components\":1,\"encoding\":\"uint32\"}]},"
    "{\"id\":1,\"kind\":\"planes\",\"name\":\"box\",\"element_count\":1,\"planes\":[{\"name\":\"z_max\",\"half_u\":[1,0,0],\"half_v\":[0,1,"
    "0]}],"
    "\"fields\":[{\"name\":\"position\",\"unit\":\"m\",\"components\":3,\"encoding\":\"float32\"}]}],"
    "\"series\":[{\"name\":\"time\",\"unit\":\"s\",\"label\":\"Time\"},{\"name\":\"force\",\"unit\":\"N\",\"label\":\"Force <top> & co\"}],"
    "\"plots\":[{\"x\":\"time\",\"y\":\"force\",\"title\":\"Force\",\"scale\":1,\"moving_average\":1}],\"bounds\":{\"minimum\":[-1,-1,-1],"
    "\"maximum\":[1,1,1]}}";

typedef struct folder {
  char name[64], path[128];
} folder;

static void add_record(FILE *file, uint16_t type, uint64_t seq, double time, const void *payload, size_t size)
{
  char padded[4096] = {0};
  scr_record_header header = {.size = (uint32_t)size, .type = type, .seq = seq, .sim_time = time};
  memcpy(padded, payload, size);
  size_t bytes = SCR_RECORD_BYTES(size) - sizeof header;
  header.crc32c = record_crc(&header, padded);
  assert_int_equal(fwrite(&header, sizeof header, 1, file), 1);
  assert_int_equal(fwrite(padded, 1, bytes, file), bytes);
}

/* Three points on a diagonal, quantised in [-1, 1], fragments 7, 8, 9. */
static size_t make_frame(unsigned char *payload)
{
  scr_frame_header frame = {.block_count = 1};
  scr_array_header position = {
      .field = 0, .encoding = SCR_ENCODING_UINT16, .components = 3, .byte_size = 18, .low = {-1, -1, -1}, .high = {1, 1, 1}};
  scr_array_header fragment = {.field = 1, .encoding = SCR_ENCODING_UINT32, .components = 1, .byte_size = 12};
  scr_block_header block = {.drawable = 0, .element_count = 3, .array_count = 2, .byte_size = 2 * 64 + 24 + 16};
  uint16_t q[12] = {0, 0, 0, 32767, 32767, 32767, 65535, 65535, 65535};
  uint32_t ids[4] = {7, 8, 9};
  size_t at = 0;
#define PUT(thing, bytes) (memcpy(payload + at, thing, bytes), at += (bytes))
  PUT(&frame, sizeof frame), PUT(&block, sizeof block), PUT(&position, sizeof position), PUT(q, 24), PUT(&fragment, sizeof fragment),
      PUT(ids, 16);
#undef PUT
  return at;
}

static int make_recording(void **state)
{
  folder *f = calloc(1, sizeof *f);
  snprintf(f->name, sizeof f->name, "/tmp/scree-export-XXXXXX");
  assert_non_null(mkdtemp(f->name));
  snprintf(f->path, sizeof f->path, "%s/recording.scree", f->name);
  FILE *file = fopen(f->path, "wb");
  assert_non_null(file);
  fwrite(SCR_FILE_MAGIC, 1, SCR_FILE_MAGIC_BYTES, file);
  add_record(file, SCR_RECORD_SCENE, 1, 0, "{}", 2);
  add_record(file, SCR_RECORD_TOPOLOGY, 2, 0, topology_text, strlen(topology_text));
  struct {
    scr_curve_header head;
    double values[3][2];
  } curve = {{0, 3, 2}, {{0.0, 0.0}, {0.1, 1.0 / 3.0}, {0.2, -2.5e-7}}};
  add_record(file, SCR_RECORD_CURVE, 3, 0.2, &curve, sizeof curve);
  unsigned char frame[512];
  add_record(file, SCR_RECORD_FRAME, 4, 0.1, frame, make_frame(frame));
  fclose(file);
  *state = f;
  return 0;
}

static int remove_recording(void **state)
{
  folder *f = *state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", f->name);
  int gone = system(command); /* a fresh folder of our own making */
  free(f);
  return gone;
}

static scr_recording *open_recording(void **state)
{
  const folder *f = *state;
  scr_recording *recording = NULL;
  scr_error error = {0};
  if (scr_recording_open(f->path, &recording, &error) != SCR_OK) fail_msg("%s", error.message);
  return recording;
}

/* RFC 4180; 17 significant digits read back as the same double. */
static void test_csv_gives_every_sample_back_exactly(void **state)
{
  scr_recording *recording = open_recording(state);
  scr_curves *curves;
  char *text;
  size_t length;
  assert_int_equal(scr_curves_read(recording, 0, &curves, NULL), SCR_OK);
  assert_int_equal(scr_curves_csv(curves, &text, &length, NULL), SCR_OK);
  assert_int_equal(strlen(text), length);
  assert_memory_equal(text, "time [s],force [N]\r\n0,0\r\n", 25);
  const char *third = strstr(text, "\r\n0.1");
  assert_non_null(third);
  double time, force;
  assert_int_equal(sscanf(third + 2, "%lf,%lf", &time, &force), 2);
  assert_true(time == 0.1 && force == 1.0 / 3.0);
  scr_free(text);
  scr_curves_destroy(curves);
  scr_recording_close(recording);
}

static void test_the_main_plot_is_well_formed_and_names_its_axes(void **state)
{
  scr_recording *recording = open_recording(state);
  char *text;
  size_t length;
  assert_int_equal(scr_recording_plot_svg(recording, 0, &text, &length, NULL), SCR_OK);
  assert_non_null(strstr(text, "Force &lt;top&gt; &amp; co [mN]"));
  assert_non_null(strstr(text, "Time [ms]"));
  assert_null(strstr(text, "<top>"));
  assert_null(strstr(text, "nan"));
  scr_free(text);
  assert_int_equal(scr_recording_plot_svg(recording, 1, &text, &length, NULL), SCR_BAD_USAGE);
  scr_recording_close(recording);
}

/* A peak one sample wide survives the thinning of long curves. */
static void test_a_long_curve_keeps_its_peak(void **state)
{
  (void)state;
  enum { n = 200000 };
  scr_series series[2] = {{"x", "1", "x"}, {"y", "N", "y"}};
  double *values = calloc((size_t)n * 2, sizeof *values);
  for (size_t i = 0; i < n; i++) values[2 * i] = (double)i;
  values[2 * 123456 + 1] = 10.0;
  scr_curves curves = {2, n, series, values};
  char *text;
  size_t length;
  assert_int_equal(scr_curves_svg(&curves, &(scr_curve_plot){"t", "x", "y", 1, 1, NULL}, &text, &length, NULL), SCR_OK);
  assert_true(length < 200000);
  assert_non_null(strstr(text, ",56.00 ")); /* the top of the axis: 10 of 10 */
  scr_free(text);
  free(values);
}

/* A curve that is multiplied has no longer its unit: radians become degrees, and what becomes a ratio says of what. */
static void test_a_scaled_plot_says_the_unit_that_it_has(void **state)
{
  (void)state;
  double values[] = {0, 0, 1, 2};
  static const struct {
    const char *unit, *said;
    double scale;
    const char *given; /* the unit that the plot says */
  } cases[] = {{"N", ">y [N]<", 1, NULL},
               {"N", ">\xe2\x88\x92y [N]<", -1, ""},
               {"rad", ">y [\xc2\xb0]<", 57.29577951308232, ""},
               {"rad", ">y [\xc2\xb0]<", -57.3, "deg"},
               {"N", ">y \xc3\x97 0.25/N<", 0.25, ""},
               {"N", ">y<", 0.25, "1"},
               {"N", ">y [MPa]<", 0.25, "MPa"},
               {"1", ">y \xc3\x97 100<", 100, ""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    scr_series series[2] = {{"x", "1", "x"}, {"y", "", "y"}};
    snprintf(series[1].unit, sizeof series[1].unit, "%s", cases[i].unit);
    scr_curves curves = {2, 2, series, values};
    char *text;
    size_t length;
    assert_int_equal(scr_curves_svg(&curves, &(scr_curve_plot){"t", "x", "y", cases[i].scale, 1, cases[i].given}, &text, &length, NULL),
                     SCR_OK);
    if (!strstr(text, cases[i].said)) fail_msg("%s is not in %s", cases[i].said, text);
    scr_free(text);
  }
}

static void read_set(hid_t file, const char *name, hid_t type, void *data)
{
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(set >= 0);
  assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  H5Dclose(set);
}

/* The layout VTK 9.1's reader wants: Version (1,0), a fixed-length ASCII Type, vertex cells. */
static void test_vtkhdf_holds_the_points_and_the_curves_so_far(void **state)
{
  const folder *f = *state;
  scr_recording *recording = open_recording(state);
  scr_error error = {0};
  size_t count = 0;
  char path[256];
  if (scr_export_vtkhdf(recording, f->name, "grain", &count, &error) != SCR_OK) fail_msg("%s", error.message);
  assert_int_equal(count, 1);
  snprintf(path, sizeof path, "%s/grain-000000.vtkhdf", f->name);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  float points[21], radius[7], fragment[7]; /* three points, and the corners of the wall */
  long long number, offsets[5];
  double curves[4], time;
  read_set(file, "/VTKHDF/Points", H5T_NATIVE_FLOAT, points);
  read_set(file, "/VTKHDF/PointData/radius", H5T_NATIVE_FLOAT, radius);
  read_set(file, "/VTKHDF/PointData/fragment", H5T_NATIVE_FLOAT, fragment);
  read_set(file, "/VTKHDF/NumberOfPoints", H5T_NATIVE_LLONG, &number);
  read_set(file, "/VTKHDF/Offsets", H5T_NATIVE_LLONG, offsets);
  read_set(file, "/scree/curves", H5T_NATIVE_DOUBLE, curves); /* samples up to the frame's 0.1 s: two of three */
  read_set(file, "/scree/time", H5T_NATIVE_DOUBLE, &time);
  assert_true(number == 7 && offsets[3] == 3 && offsets[4] == 8 && radius[2] == 0.5f && fragment[0] == 7.0f && fragment[2] == 9.0f);
  assert_true(radius[3] == 0.0f && isnan(fragment[3]));
  assert_true(points[0] == -1.0f && points[8] == 1.0f);
  assert_float_equal(points[4], 0.0, 2.0 / 65535.0);
  assert_true(curves[3] == 1.0 / 3.0 && time == 0.1);
  hid_t attribute = H5Aopen_by_name(file, "/VTKHDF", "Type", H5P_DEFAULT, H5P_DEFAULT), type = H5Aget_type(attribute);
  assert_true(H5Tis_variable_str(type) == 0 && H5Tget_size(type) == strlen("UnstructuredGrid"));
  H5Tclose(type);
  H5Aclose(attribute);
  H5Fclose(file);
  snprintf(path, sizeof path, "%s/grain.vtkhdf.series", f->name);
  assert_int_equal(access(path, R_OK), 0);
  scr_recording_close(recording);
}

/* Reads every value of a frame; SCR_BAD_FILE when it is refused. */
static scr_status sum_values(const unsigned char *payload, size_t size, double *sum)
{
  frame_reader reader;
  frame_array array;
  bool more = true;
  scr_status status = frame_reader_begin(&reader, payload, size, NULL);
  while (status == SCR_OK && more) {
    status = frame_reader_next(&reader, &array, &more, NULL);
    for (uint32_t i = 0; status == SCR_OK && more && i < array.element_count; i++) *sum += frame_array_value(&array, i, 0);
  }
  return status;
}

/* Every single-bit change of the bytes is either refused or harmless; ASan watches for reads outside. */
static void test_a_damaged_frame_is_refused_not_read(void **state)
{
  (void)state;
  _Alignas(8) unsigned char payload[512];
  size_t size = make_frame(payload);
  double sum = 0.0;
  assert_int_equal(sum_values(payload, size, &sum), SCR_OK);
  size_t refused = 0;
  for (size_t cut = 0; cut < size; cut++) refused += sum_values(payload, cut, &sum) == SCR_BAD_FILE;
  assert_int_equal(refused, size);
  for (size_t at = 0; at < size; at++)
    for (int bit = 0; bit < 8; bit++) {
      unsigned char *exact = malloc(size); /* exactly as long as it says, so that a read past the end is caught */
      memcpy(exact, payload, size);
      exact[at] ^= (unsigned char)(1u << bit);
      sum_values(exact, size, &sum);
      free(exact);
    }
}

/* A topology that claims four thousand million points in a file of a kilobyte is refused before memory is asked for. */
static void test_vtkhdf_refuses_more_points_than_the_recording_can_hold(void **state)
{
  const folder *f = *state;
  char text[sizeof topology_text + 16];
  const char *count = strstr(topology_text, "\"element_count\":3");
  int length = snprintf(text, sizeof text, "%.*s\"element_count\":4000000000%s", (int)(count - topology_text), topology_text,
                        count + strlen("\"element_count\":3"));
  assert_true(length > 0 && (size_t)length < sizeof text);
  FILE *file = fopen(f->path, "wb");
  assert_non_null(file);
  fwrite(SCR_FILE_MAGIC, 1, SCR_FILE_MAGIC_BYTES, file);
  unsigned char frame[512];
  add_record(file, SCR_RECORD_TOPOLOGY, 1, 0, text, strlen(text));
  add_record(file, SCR_RECORD_FRAME, 2, 0.1, frame, make_frame(frame));
  fclose(file);
  scr_recording *recording = open_recording(state);
  scr_error error = {0};
  size_t files = 0;
  assert_int_equal(scr_export_vtkhdf(recording, f->name, "grain", &files, &error), SCR_BAD_FILE);
  assert_non_null(strstr(error.message, "topology 4000000000"));
  assert_int_equal(files, 0);
  scr_recording_close(recording);
}

SUITE(test_export)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_csv_gives_every_sample_back_exactly, make_recording, remove_recording),
      cmocka_unit_test_setup_teardown(test_the_main_plot_is_well_formed_and_names_its_axes, make_recording, remove_recording),
      cmocka_unit_test(test_a_scaled_plot_says_the_unit_that_it_has),
      cmocka_unit_test(test_a_long_curve_keeps_its_peak),
      cmocka_unit_test_setup_teardown(test_vtkhdf_holds_the_points_and_the_curves_so_far, make_recording, remove_recording),
      cmocka_unit_test_setup_teardown(test_vtkhdf_refuses_more_points_than_the_recording_can_hold, make_recording, remove_recording),
      cmocka_unit_test(test_a_damaged_frame_is_refused_not_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
