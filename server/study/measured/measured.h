/** Measured curves: text as testing machines export it, read as columns of numbers in SI units.
 *
 *  Separators are tab, semicolon, comma, or blanks; the decimal sign is a point or a comma; how a file is written is found from its lines
 * and said in `how`. Text before the table (names of tests, specimens, operators) is skipped: the table is the longest run of lines with
 * the same number of cells of which at least two are numbers, and the lines right above it name its columns and units: "Force (kN)", "Kraft
 * [N]", "Load, kN" or a line of units alone ("mm";"N"). Quotes, a byte order mark, UTF-16, Latin-1 and blank lines are understood.
 * Thousands separators are refused where a number could be read in two ways ("1.234" beside "1.234,5"): the message names line and cell.
 *
 *  Time and memory are bounded by the limits; no allocation is larger than some bytes for each byte of the text. */
#ifndef SCREE_SERVER_STUDY_MEASURED_MEASURED_H
#define SCREE_SERVER_STUDY_MEASURED_MEASURED_H

#include "base/error.h"

enum { MEASURED_BYTES = 64 << 20, MEASURED_COLUMNS = 256, MEASURED_ROWS = 2000000, MEASURED_CELLS = 20000000 }; /**< at most */
enum { MEASURED_NAME_BYTES = 96, MEASURED_UNIT_BYTES = 24, MEASURED_HOW_BYTES = 400 };

/** A column of a table. */
typedef struct measured_column {
  char name[MEASURED_NAME_BYTES];    /**< as it stands there, without its unit; "column 3" where there is none; UTF-8 */
  char written[MEASURED_UNIT_BYTES]; /**< its unit as it stands there: "kN"; "" where there is none */
  char unit[MEASURED_UNIT_BYTES];    /**< the SI unit its values are in: "N", "m", "s", "Pa", "1", ...; "" where it is not known */
  double factor;                     /**< value in `unit` over value as written: 1000 of "kN" */
  size_t count;                      /**< rows with a number */
  double low, high;                  /**< of the values, in `unit`; NaN of none */
} measured_column;

/** Starts zeroed; owned by the caller, emptied by measured_clear. */
typedef struct measured_table {
  size_t column_count, row_count;
  measured_column *columns;     /**< [column_count] */
  double *values;               /**< [row_count][column_count] in SI; NaN: no number there */
  char separator;               /**< '\t', ';', ',' or ' ' (any blanks) */
  char decimal;                 /**< '.' or ',' */
  size_t name_line, unit_line;  /**< lines, from 1, that name columns and units; 0: none */
  size_t first_line;            /**< line of the first row */
  char how[MEASURED_HOW_BYTES]; /**< how it was read, for people */
} measured_table;

/** How to read, where the finding is to be overruled; zeroed: find out. */
typedef struct measured_reading {
  char separator;           /**< as in the table; 0: find out */
  char decimal;             /**< '.' or ','; 0: find out */
  const char *const *units; /**< [unit_count] units as written, for columns in order; NULL or "": as the file says */
  size_t unit_count;
} measured_reading;

/** @param reading NULL: find out
 *  @return SCR_OK; SCR_BAD_FILE: no table in it, a number that can be read in two ways, beyond a limit, with line and what to do;
 *          SCR_BAD_USAGE: a reading that is none; SCR_NO_MEMORY */
scr_status measured_read(const void *text, size_t size, const measured_reading *reading, measured_table *table, scr_error *error);
void measured_clear(measured_table *table);

/** The SI unit of a written one and the factor into it: "kN" gives "N" and 1000; "%" gives "1" and 0.01. False: not known. */
bool measured_unit(const char *written, char unit[static MEASURED_UNIT_BYTES], double *factor);

/** Which columns are a curve, and its corrections, in this order:
 *
 *    x = x_factor x_raw - x_zero,  y = y_factor y_raw - y_zero,
 *    preload > 0: samples before the first with y >= preload are left out, and x counts from that sample,
 *    compliance > 0: x = x - compliance y, what the machine itself gave way. */
typedef struct measured_choice {
  size_t x, y;               /**< columns, from 0 */
  double x_factor, y_factor; /**< 0 is taken as 1; -1 turns compression positive */
  double x_zero, y_zero;     /**< in the units of the columns */
  double preload;            /**< in the unit of y; 0: none */
  double compliance;         /**< machine's, unit of x over unit of y: m/N; >= 0 */
} measured_choice;

/** Starts zeroed; owned by the caller, emptied by measured_curve_clear. */
typedef struct measured_curve {
  size_t count;
  double *x, *y;                                                 /**< [count] corrected */
  double *x_raw, *y_raw;                                         /**< [count] the same samples as measured, in SI */
  char x_unit[MEASURED_UNIT_BYTES], y_unit[MEASURED_UNIT_BYTES]; /**< "" where it is not known */
  double x_moved;                                                /**< by how much the preload moved x, unit of x */
} measured_curve;

/** Takes the rows where both columns have a number.
 *  @return SCR_OK; SCR_BAD_USAGE: columns that are not there or the same, corrections out of range, compliance of columns that are not m
 * and N, fewer than two samples left; SCR_NO_MEMORY */
scr_status measured_take(const measured_table *table, const measured_choice *choice, measured_curve *curve, scr_error *error);
void measured_curve_clear(measured_curve *curve);

#endif
