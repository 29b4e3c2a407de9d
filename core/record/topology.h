/** The topology record: what a run's frames and curves consist of, as JSON. */
#ifndef SCREE_RECORD_TOPOLOGY_H
#define SCREE_RECORD_TOPOLOGY_H

#include "record/frame.h"

/** A plot the user asked for. */
typedef struct topology_plot {
  char x[64], y[64];       /**< series names */
  char title[96];          /**< never "" */
  double scale;            /**< y is multiplied by it */
  unsigned moving_average; /**< samples, >= 1 */
} topology_plot;

/** What a topology record says. Starts zeroed; emptied by topology_clear. */
typedef struct scr_topology {
  scr_drawable *drawables;
  size_t drawable_count;
  scr_series *series;
  size_t series_count;
  topology_plot *plots;
  size_t plot_count;
  scr_table *tables; /**< without rows */
  size_t table_count;
  scr_vec3 minimum, maximum; /**< m, box around all drawables at the start */
} scr_topology;

/** The payload: compact JSON, the same bytes for the same topology. Freed by the caller with free; NULL on no memory. */
char *topology_json(const scr_topology *topology);

/** Reads a payload, trusting nothing. On failure `topology` is left empty. @return SCR_OK, SCR_BAD_FILE, SCR_NO_MEMORY */
scr_status topology_parse(const char *text, size_t length, scr_topology *topology, scr_error *error);

/** Reads a recording's topology record. `*found` is false, and the topology empty, when it has none yet. */
scr_status topology_read(scr_recording *recording, scr_topology *topology, bool *found, scr_error *error);

void topology_clear(scr_topology *topology);

/** The columns of a table as a new JSON array; NULL on no memory. */
struct json_t *table_columns_json(const scr_table *table);

/** Index of a series by name, or -1. */
long series_find(const scr_series *series, size_t count, const char *name);

#endif
