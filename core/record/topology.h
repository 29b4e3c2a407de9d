/** The topology record: what a run's frames and curves consist of, as JSON. */
#ifndef SCREE_RECORD_TOPOLOGY_H
#define SCREE_RECORD_TOPOLOGY_H

#include "record/frame.h"
#include "record/stages.h"

/** A plot the user asked for. */
typedef struct topology_plot {
  char x[64], y[64];       /**< series names */
  char title[96];          /**< never "" */
  double scale;            /**< y is multiplied by it */
  char unit[16];           /**< of y times scale; "": not said */
  unsigned moving_average; /**< samples, >= 1 */
} topology_plot;

/** What the topology says of a shape whose triangles stand in a geometry record. */
typedef struct topology_shape {
  uint32_t vertex_count, triangle_count;
  bool taken; /**< its record was read: drawables[d].shapes[s] has the triangles */
} topology_shape;

/** What a topology record says. Starts zeroed; emptied by topology_clear. */
typedef struct scr_topology {
  scr_drawable *drawables;
  size_t drawable_count;
  topology_shape *shapes; /**< [shape_count] of all drawables, of a topology that was read; NULL for one that is to be written */
  size_t shape_count, shape_capacity;
  size_t *first_shape; /**< [drawable_count] index of a drawable's first shape in `shapes` */
  scr_series *series;
  size_t series_count;
  topology_plot *plots;
  size_t plot_count;
  scr_table *tables; /**< without rows */
  size_t table_count;
  scr_stage stages[STAGE_LIMIT];
  size_t stage_count;
  scr_kernel kernels[KERNEL_LIMIT];
  size_t kernel_count;
  scr_vec3 minimum, maximum; /**< m, box around all drawables at the start */
} scr_topology;

/** The payload: compact JSON, the same bytes for the same topology. Freed by the caller with free; NULL on no memory. */
char *topology_json(const scr_topology *topology);

/** Reads a payload, trusting nothing. Its shapes have no triangles until their geometry records are taken. On failure `topology` is left
 *  empty. @return SCR_OK, SCR_BAD_FILE, SCR_NO_MEMORY */
scr_status topology_parse(const char *text, size_t length, scr_topology *topology, scr_error *error);

/** Reads a recording's topology record. `*found` is false, and the topology empty, when it has none yet. Its shapes have no triangles:
 *  geometry_record.h reads them too. @return SCR_OK, SCR_BAD_FILE, SCR_IO, SCR_NO_MEMORY */
scr_status topology_read(scr_recording *recording, scr_topology *topology, bool *found, scr_error *error);

void topology_clear(scr_topology *topology);

/** Index of a series by name, or -1. */
long series_find(const scr_series *series, size_t count, const char *name);

#endif
