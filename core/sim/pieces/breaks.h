/** The table "breaks": links between two elements of a body that broke, for methods whose bodies do. */
#ifndef SCREE_SIM_BREAKS_H
#define SCREE_SIM_BREAKS_H

#include "sim/method.h"

/** What broke a link. */
typedef enum break_mode {
  BREAK_TENSION, /**< tensile stress, bending included, above the tensile strength */
  BREAK_SHEAR,   /**< shear stress, twisting included, above the shear strength */
  BREAK_STRETCH  /**< stretch above the critical stretch */
} break_mode;

/** A link that broke: a row of the table. */
typedef struct break_entry {
  double time;   /**< s, end of the step, or of its part, in which it broke */
  uint64_t step; /**< that step, from 1 */
  uint32_t a, b; /**< its elements, a < b: numbered through the drawables of points in their order */
  break_mode mode;
  double tension, shear; /**< Pa, when it broke; not recorded for BREAK_STRETCH */
  double load;           /**< > 1, the larger of stress over strength, or stretch over critical stretch */
  double position[3];    /**< m, its middle when it broke */
} break_entry;

/** Declares the table, and the event `first_break` that announces its first row. @param log receives its log, which the simulation owns */
scr_status breaks_declare(scr_sim *sim, table_log **log, scr_error *error);

/** Adds a row. Rows come in the order of breaking. */
scr_status breaks_add(table_log *log, const break_entry *entry, scr_error *error);

/** Row `row` of such a table. */
break_entry breaks_entry(const scr_table *table, size_t row);

/** Adds to an estimate the rows of `count` links that may all break. */
void breaks_estimate(scr_estimate *estimate, uint64_t count);

#endif
