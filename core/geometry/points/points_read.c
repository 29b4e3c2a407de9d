/* Files of points, and thinning them out. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/mesh/files/mesh_read_formats.h"
#include "geometry/mesh/files/mesh_text.h"
#include "geometry/points/points.h"

void geo_points_clear(geo_points *points)
{
  mem_free(points->point);
  mem_free(points->normal);
  mem_free(points->area);
  *points = (geo_points){0};
}

/* ── lines of numbers ───────────────────────────────────────────────────────────────────────────────────────────── */

/* The first three numbers of a line. @return how many there are; `wrong` receives what stands where a number should */
static int read_line(mesh_text *text, double at[3], mesh_word *wrong)
{
  for (int a = 0; a < 3; a++) {
    mesh_word word = mesh_text_value_in_line(text);
    *wrong = word;
    if (word.length == 0 || !mesh_word_number(text, word, &at[a])) return a;
  }
  return 3;
}

static scr_status add(geo_mesh *to, const mesh_text *text, const double at[3], scr_error *error)
{
  double reach = fmax(fabs(at[0]), fmax(fabs(at[1]), fabs(at[2])));
  if (to->vertex_count == GEO_POINTS_LIMIT)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the file has more than %d points: thin it out", GEO_POINTS_LIMIT);
  if (!(reach <= GEO_MESH_COORDINATE_LIMIT))
    return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu has a coordinate of %g; at most %g is allowed", text->line, reach,
                    GEO_MESH_COORDINATE_LIMIT);
  return geo_mesh_add_vertex(to, vec3(at[0], at[1], at[2]), error);
}

static scr_status read_lines(mesh_text *text, geo_mesh *to, scr_error *error)
{
  bool first = true;
  for (; text->at < text->end; mesh_text_next_line(text)) {
    double at[3] = {0};
    char quote[48];
    mesh_word wrong = {0};
    if (*text->at == '#') continue;
    int found = read_line(text, at, &wrong);
    bool empty = found == 0 && wrong.length == 0, titles = first && found == 0 && wrong.length > 0;
    if (empty) continue;
    first = false;
    if (titles) continue;
    if (found < 3 && wrong.length == 0)
      return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu has %d numbers; a point needs three, x, y and z", text->line, found);
    if (found < 3)
      return scr_fail(error, SCR_BAD_FILE, NULL, "line %zu has %s where a finite number should stand", text->line,
                      mesh_word_quote(wrong, quote));
    SCR_TRY(add(to, text, at, error));
  }
  return SCR_OK;
}

/* ── points ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* A point, or its cube, and which it is in the file. */
typedef struct keyed {
  double key[3];
  uint32_t number;
} keyed;

static int compare_keys(const void *left, const void *right)
{
  const keyed *a = left, *b = right;
  for (int k = 0; k < 3; k++)
    if (a->key[k] != b->key[k]) return a->key[k] < b->key[k] ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

static bool same_key(const keyed *a, const keyed *b)
{
  return a->key[0] == b->key[0] && a->key[1] == b->key[1] && a->key[2] == b->key[2];
}

static int compare_numbers(const void *left, const void *right)
{
  uint32_t a = ((const keyed *)left)->number, b = ((const keyed *)right)->number;
  return (a > b) - (a < b);
}

/* Sorts points by their cubes of an edge (0: by their places) and moves the first of each to the front, by number. @return how many */
static size_t first_of_each(const scr_vec3 *point, size_t count, double edge, keyed *keys)
{
  for (size_t k = 0; k < count; k++) {
    const double at[3] = {point[k].x, point[k].y, point[k].z};
    keys[k].number = (uint32_t)k;
    for (int a = 0; a < 3; a++) keys[k].key[a] = (edge > 0 ? floor(at[a] / edge) : at[a]) + 0.0; /* -0 becomes 0 */
  }
  qsort(keys, count, sizeof *keys, compare_keys);
  size_t kept = 0;
  for (size_t k = 0; k < count; k++)
    if (kept == 0 || !same_key(&keys[kept - 1], &keys[k])) keys[kept++] = keys[k];
  qsort(keys, kept, sizeof *keys, compare_numbers);
  return kept;
}

static void keep(geo_points *points, const keyed *keys, size_t count)
{
  for (size_t k = 0; k < count; k++)
    points->point[k] = points->point[keys[k].number]; /* numbers grow: none is overwritten before it is read */
  points->count = count;
}

scr_status geo_points_thin(geo_points *points, size_t most, scr_error *error)
{
  scr_vec3 low = vec3(INFINITY, INFINITY, INFINITY), high = vec3(-INFINITY, -INFINITY, -INFINITY);
  if (points->count <= most) return SCR_OK;
  for (size_t k = 0; k < points->count; k++) {
    scr_vec3 p = points->point[k];
    low = vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
    high = vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
  }
  keyed *keys = mem_array(points->count, sizeof *keys);
  if (!keys) return scr_fail_memory(error, "thinning out points", points->count * sizeof *keys);
  double edge = vec3_length(vec3_sub(high, low)) / (4 * sqrt((double)most)); /* too small for a surface of that extent */
  size_t kept = points->count;
  for (int k = 0; k < 64 && kept > most; k++) {
    kept = first_of_each(points->point, points->count, edge, keys);
    edge *= 1.1;
  }
  keep(points, keys, kept > most ? most : kept);
  mem_free(keys);
  return SCR_OK;
}

/* Takes over what was read, each place once. */
static scr_status take(geo_points *points, const geo_mesh *read, scr_error *error)
{
  size_t n = read->vertex_count;
  if (n < GEO_POINTS_LEAST)
    return scr_fail(error, SCR_BAD_FILE, NULL, "the file has %zu points; at least %d are needed to tell a form", n, GEO_POINTS_LEAST);
  keyed *keys = mem_array(n, sizeof *keys);
  points->point = mem_array(n, sizeof *points->point);
  if (!keys || !points->point) {
    mem_free(keys);
    return scr_fail_memory(error, "a cloud of points", n * sizeof *keys);
  }
  memcpy(points->point, read->vertex, n * sizeof *read->vertex);
  points->count = n;
  keep(points, keys, first_of_each(points->point, n, 0, keys));
  mem_free(keys);
  return SCR_OK;
}

scr_status geo_points_read(const void *bytes, size_t size, geo_points *points, scr_error *error)
{
  mesh_text text = {
      .at = bytes, .end = (const unsigned char *)bytes + size, .line = 1, .numbers = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
  geo_mesh read = {0};
  if (!text.numbers) return scr_fail_memory(error, "a locale to read numbers in", sizeof text);
  bool ply = size >= 4 && memcmp(bytes, "ply", 3) == 0 && (text.at[3] == '\n' || text.at[3] == '\r');
  scr_status status = ply ? mesh_read_ply_points(&text, GEO_POINTS_LIMIT, &read, error) : read_lines(&text, &read, error);
  freelocale(text.numbers);
  if (status == SCR_OK) status = take(points, &read, error);
  geo_mesh_clear(&read);
  if (status != SCR_OK) geo_points_clear(points);
  return status;
}
