/* Fuzzes the readers of polylines, CSV, OBJ and HAIR files and the text of a scene: what is refused leaves nothing behind, and of what is
 * taken every polyline has points, a length, and its ends where it says. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/lines/lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same(scr_vec3 a, scr_vec3 b)
{
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void walk(geo_lines *lines, scr_status status)
{
  if (status != SCR_OK && (lines->point || lines->first || lines->along || lines->line_count)) abort();
  for (size_t k = 0; k < lines->line_count; k++) {
    size_t count = geo_line_points(lines, k);
    double length = geo_line_length(lines, k);
    if (count < 2 || !(length > 0) || !isfinite(length)) abort();
    if (!same(geo_line_at(lines, k, 0), lines->point[lines->first[k]])) abort();
    if (!same(geo_line_at(lines, k, length), lines->point[lines->first[k] + count - 1])) abort();
    scr_vec3 middle = geo_line_at(lines, k, 0.5 * length);
    if (!isfinite(middle.x + middle.y + middle.z)) abort();
  }
  geo_lines_clear(lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  geo_lines lines = {0};
  walk(&lines, geo_lines_read(data, size, &lines, NULL));
  char *text = malloc(size + 1);
  if (!text) return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  walk(&lines, geo_lines_read_text(text, &lines, NULL));
  free(text);
  return 0;
}
