/** Polylines: points that straight pieces join, and the places along them by length.
 *
 *      text "x y z, x y z"       --geo_lines_read_text--> one polyline
 *      CSV, OBJ, HAIR files      --geo_lines_read-------> as many as the file has --geo_line_at--> a place at a length along one
 *
 *  Readers trust nothing. What they return has at least two points a polyline, no point twice in a row, and turns back nowhere. */
#ifndef SCREE_GEOMETRY_LINES_H
#define SCREE_GEOMETRY_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec3.h"

enum {
  GEO_LINES_POINT_LIMIT = 1 << 20, /**< most points of all polylines of a file */
  GEO_LINES_LIMIT = 100000         /**< most polylines of a file */
};

/** Starts zeroed; emptied by geo_lines_clear. */
typedef struct geo_lines {
  size_t line_count, point_count;
  uint32_t *first; /**< [line_count] first point of each; it ends where the next begins */
  scr_vec3 *point; /**< [point_count] */
  double *along;   /**< [point_count] length from the first point of its polyline on; filled by the readers */
  size_t line_capacity, point_capacity;
} geo_lines;

void geo_lines_clear(geo_lines *lines);

/** Begins a polyline, and adds a point to the last one. SCR_BAD_FILE beyond the limits and for coordinates that are too large;
 * SCR_NO_MEMORY. */
scr_status geo_lines_begin(geo_lines *lines, scr_error *error);
scr_status geo_lines_add(geo_lines *lines, scr_vec3 point, scr_error *error);

/** Refuses polylines of fewer than two points, with a point twice in a row, or that turn back on themselves (by more than 170 degrees at a
 *  point), and fills `along`. @return SCR_OK; SCR_BAD_FILE with the polyline and the point, counted from 1; SCR_NO_MEMORY */
scr_status geo_lines_finish(geo_lines *lines, scr_error *error);

/** One polyline of points with commas or semicolons between them, each three numbers with blanks between them.
 *  @return as geo_lines_finish; what is no point is SCR_BAD_FILE too */
scr_status geo_lines_read_text(const char *text, geo_lines *lines, scr_error *error);

/** Polylines of a file, told by its bytes:
 *  - HAIR (begins so): strands with segments, 32-bit floats, little-endian (Yuksel, HAIR file format, cemyuksel.com/research/hairmodels);
 *    thickness, transparency and colours are passed over;
 *  - OBJ: points `v x y z` and polylines `l a b c ...`; one that begins with the point where the one before ended goes on with it;
 *  - CSV: a row for each point, number of its fibre, x, y, z, rows of a fibre together and their numbers rising; a first row of words and
 *    rows that begin with '#' are passed over.
 *  @return SCR_OK; SCR_BAD_FILE with the line, polyline or byte and what is wrong; SCR_NO_MEMORY. `lines` is empty then. */
scr_status geo_lines_read(const void *bytes, size_t size, geo_lines *lines, scr_error *error);

/** Points of a polyline. */
size_t geo_line_points(const geo_lines *lines, size_t line);

/** Length of a polyline of finished lines, > 0. */
double geo_line_length(const geo_lines *lines, size_t line);

/** The place at a length along a polyline, from 0 to its whole length; beyond, its ends. */
scr_vec3 geo_line_at(const geo_lines *lines, size_t line, double along);

#endif
