/* Texts and files of polylines. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/lines/lines.h"
#include "geometry/mesh/files/little_endian.h"
#include "geometry/mesh/files/mesh_text.h"

typedef scr_status (*reader)(mesh_text *text, geo_lines *lines, scr_error *error);

/* Reads with numbers as in the "C" locale, finishes what was read, and leaves nothing behind where that fails. */
static scr_status read_with(reader read, const void *bytes, size_t size, geo_lines *lines, scr_error *error)
{
  mesh_text text = {
      .at = bytes, .end = (const unsigned char *)bytes + size, .line = 1, .numbers = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
  if (!text.numbers) return scr_fail_memory(error, "a locale to read numbers in", sizeof text);
  scr_status status = read(&text, lines, error);
  freelocale(text.numbers);
  if (status == SCR_OK) status = geo_lines_finish(lines, error);
  if (status != SCR_OK) geo_lines_clear(lines);
  return status;
}

/* ── text of a scene ────────────────────────────────────────────────────────────────────────────────────────────── */

static bool parts_points(unsigned char c)
{
  return c == ',' || c == ';';
}

static scr_status read_text(mesh_text *text, geo_lines *lines, scr_error *error)
{
  const unsigned char *whole_end = text->end;
  char quote[48];
  SCR_TRY(geo_lines_begin(lines, error));
  while (text->at < whole_end) {
    mesh_text point = *text;
    double at[3];
    for (point.end = point.at; point.end < whole_end && !parts_points(*point.end);) point.end++;
    for (int k = 0; k < 3; k++) {
      mesh_word word = mesh_text_word(&point);
      if (!mesh_word_number(text, word, &at[k]))
        return scr_fail(error, SCR_BAD_FILE, NULL, "point %zu of the curve has %s where its %c should stand: give \"x y z, x y z, ...\"",
                        lines->point_count + 1, word.length ? mesh_word_quote(word, quote) : "nothing", "xyz"[k]);
    }
    mesh_word more = mesh_text_word(&point);
    if (more.length)
      return scr_fail(error, SCR_BAD_FILE, NULL, "point %zu of the curve has %s behind its three numbers: put a comma between points",
                      lines->point_count + 1, mesh_word_quote(more, quote));
    SCR_TRY(geo_lines_add(lines, vec3(at[0], at[1], at[2]), error));
    text->at = point.end < whole_end ? point.end + 1 : whole_end;
  }
  return SCR_OK;
}

scr_status geo_lines_read_text(const char *text, geo_lines *lines, scr_error *error)
{
  return read_with(read_text, text, strlen(text), lines, error);
}

/* ── CSV ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The first four numbers of a row. @return how many there are; `wrong` receives what stands where the next should */
static int read_row(mesh_text *text, double at[4], mesh_word *wrong)
{
  for (int k = 0; k < 4; k++) {
    *wrong = mesh_text_value_in_line(text);
    if (!mesh_word_number(text, *wrong, &at[k])) return k;
  }
  return 4;
}

static scr_status read_csv(mesh_text *text, geo_lines *lines, scr_error *error)
{
  double last = -INFINITY;
  bool first = true;
  for (; text->at < text->end; mesh_text_next_line(text)) {
    double at[4];
    char quote[48];
    mesh_word wrong = {0};
    if (*text->at == '#') continue;
    int found = read_row(text, at, &wrong);
    bool empty = found == 0 && wrong.length == 0, titles = first && found == 0 && wrong.length > 0;
    if (empty) continue;
    first = false;
    if (titles) continue;
    if (found < 4)
      return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu has %s where a number should stand: give the fibre's number, x, y and z",
                      text->line, wrong.length ? mesh_word_quote(wrong, quote) : "nothing");
    if (at[0] < last || at[0] != floor(at[0]))
      return scr_fail(error, SCR_BAD_FILE, NULL,
                      "line %zu is of fibre %.9g, behind one of fibre %.9g: numbers of fibres are whole, and rise from row to row",
                      text->line, at[0], last);
    if (at[0] > last) SCR_TRY(geo_lines_begin(lines, error));
    last = at[0];
    SCR_TRY(geo_lines_add(lines, vec3(at[1], at[2], at[3]), error));
  }
  return SCR_OK;
}

/* ── OBJ ────────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct obj_points {
  scr_vec3 *point;
  size_t count, capacity;
  size_t last; /* number of the point where the last polyline ended, from 1; 0: there is none */
} obj_points;

static scr_status take_point(mesh_text *text, obj_points *points, scr_error *error)
{
  double at[3];
  char quote[48];
  for (int k = 0; k < 3; k++) {
    mesh_word word = mesh_text_word_in_line(text);
    if (!mesh_word_number(text, word, &at[k]))
      return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu of the OBJ file has %s where a finite number should stand", text->line,
                      mesh_word_quote(word, quote));
  }
  if (points->count == GEO_LINES_POINT_LIMIT)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the OBJ file has more than %d points: thin them out", GEO_LINES_POINT_LIMIT);
  SCR_TRY(mem_reserve(&points->point, &points->capacity, points->count + 1, sizeof *points->point, "points of an OBJ file", error));
  points->point[points->count++] = vec3(at[0], at[1], at[2]);
  return SCR_OK;
}

/* A polyline's points, by the numbers before the slash; -1 is the newest. */
static scr_status take_polyline(mesh_text *text, obj_points *points, geo_lines *lines, scr_error *error)
{
  bool begins = true;
  for (mesh_word word = mesh_text_word_in_line(text); word.length; word = mesh_text_word_in_line(text), begins = false) {
    double number, count = (double)points->count;
    char quote[48];
    const unsigned char *slash = memchr(word.bytes, '/', word.length);
    mesh_word index = {word.bytes, slash ? (size_t)(slash - word.bytes) : word.length};
    bool read = mesh_word_number(text, index, &number) && number == floor(number);
    if (read && number < 0) number += count + 1;
    if (!read || number < 1 || number > count)
      return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu of the OBJ file has the point %s; the points before it are 1 to %.0f",
                      text->line, mesh_word_quote(word, quote), count);
    bool goes_on = begins && (size_t)number == points->last;
    if (begins && !goes_on) SCR_TRY(geo_lines_begin(lines, error));
    if (!goes_on) SCR_TRY(geo_lines_add(lines, points->point[(size_t)number - 1], error));
    points->last = (size_t)number;
  }
  return SCR_OK;
}

static scr_status read_obj_lines(mesh_text *text, obj_points *points, geo_lines *lines, scr_error *error)
{
  for (mesh_word word = mesh_text_word(text); word.length; word = mesh_text_word(text)) {
    if (mesh_word_is(word, "v")) SCR_TRY(take_point(text, points, error));
    if (mesh_word_is(word, "l")) SCR_TRY(take_polyline(text, points, lines, error));
    mesh_text_next_line(text);
  }
  return SCR_OK;
}

static scr_status read_obj(mesh_text *text, geo_lines *lines, scr_error *error)
{
  obj_points points = {0};
  scr_status status = read_obj_lines(text, &points, lines, error);
  mem_free(points.point);
  return status;
}

/* Words with which lines of OBJ files begin, and rows of numbers do not. */
static bool is_obj(const unsigned char *bytes, size_t size)
{
  static const char *const openings[] = {"v", "vn", "vt", "vp", "o", "g", "mtllib", "usemtl", "s", "l"};
  mesh_text text = {.at = bytes, .end = bytes + size, .line = 1};
  mesh_word word = mesh_text_word(&text);
  while (word.length > 0 && word.bytes[0] == '#') {
    mesh_text_next_line(&text);
    word = mesh_text_word(&text);
  }
  for (size_t k = 0; k < sizeof openings / sizeof *openings; k++)
    if (mesh_word_is(word, openings[k])) return true;
  return false;
}

/* ── HAIR ───────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Bytes: 0 "HAIR", 4 strands, 8 points, 12 arrays that there are, 16 segments of a strand where there is no array of them, 128 the arrays:
 * 16-bit segments of each strand, three 32-bit floats of each point, then what is passed over. */
enum { HAIR_HEADER = 128, HAIR_SEGMENTS = 1, HAIR_POINTS = 2, HAIR_POINT_BYTES = 12 };

static bool is_hair(const unsigned char *bytes, size_t size)
{
  return size >= 4 && memcmp(bytes, "HAIR", 4) == 0;
}

static scr_status take_strands(const unsigned char *bytes, size_t strands, size_t count, bool listed, geo_lines *lines, scr_error *error)
{
  const unsigned char *segments = bytes + HAIR_HEADER, *point = segments + (listed ? 2 * strands : 0);
  size_t taken = 0;
  for (size_t k = 0; k < strands; k++) {
    size_t own = (listed ? little_u16(segments + 2 * k) : little_u32(bytes + 16)) + (size_t)1;
    if (own > count - taken)
      return scr_fail(error, SCR_BAD_FILE, NULL, "strand %zu of the HAIR file has %zu points, but of the file's %zu only %zu are left",
                      k + 1, own, count, count - taken);
    SCR_TRY(geo_lines_begin(lines, error));
    for (size_t end = taken + own; taken < end; taken++, point += HAIR_POINT_BYTES)
      SCR_TRY(geo_lines_add(lines, vec3(little_float(point), little_float(point + 4), little_float(point + 8)), error));
  }
  if (taken == count) return SCR_OK;
  return scr_fail(error, SCR_BAD_FILE, NULL, "the strands of the HAIR file have %zu points together, but it says %zu", taken, count);
}

static scr_status read_hair(mesh_text *text, geo_lines *lines, scr_error *error)
{
  const unsigned char *bytes = text->at;
  size_t size = (size_t)(text->end - text->at);
  if (size < HAIR_HEADER)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the HAIR file has %zu bytes, but its header alone has %d: it was cut off", size,
                    HAIR_HEADER);
  uint64_t strands = little_u32(bytes + 4), count = little_u32(bytes + 8), arrays = little_u32(bytes + 12);
  bool listed = arrays & HAIR_SEGMENTS;
  if (!(arrays & HAIR_POINTS)) return scr_fail(error, SCR_BAD_FILE, NULL, "the HAIR file says that it has no points");
  uint64_t needed = HAIR_HEADER + (listed ? 2 * strands : 0) + HAIR_POINT_BYTES * count;
  if (size < needed)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the HAIR file has %zu bytes, but its strands and points need %llu: it was cut off", size,
                    (unsigned long long)needed);
  return take_strands(bytes, strands, count, listed, lines, error);
}

scr_status geo_lines_read(const void *bytes, size_t size, geo_lines *lines, scr_error *error)
{
  reader read = is_hair(bytes, size) ? read_hair : is_obj(bytes, size) ? read_obj : read_csv;
  SCR_TRY(read_with(read, bytes, size, lines, error));
  if (lines->line_count > 0) return SCR_OK;
  geo_lines_clear(lines);
  return scr_fail(
      error, SCR_BAD_FILE, NULL,
      "the file has no polyline: rows of a fibre's number, x, y, z; an OBJ file with lines that begin with 'l'; or a HAIR file");
}
