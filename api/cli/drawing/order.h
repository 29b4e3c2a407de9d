/** What `scree render` and `scree film` are asked for, read from their options, and the same for the page that draws (web/src/draw.ts). */
#ifndef SCREE_API_CLI_DRAWING_ORDER_H
#define SCREE_API_CLI_DRAWING_ORDER_H

#include <jansson.h>

#include "api/cli/command.h"

enum { ORDER_GRAINS_MOST = 64, ORDER_PIXELS_LEAST = 16, ORDER_PIXELS_MOST = 8192, ORDER_FILM_MOST = 1920 };

typedef struct draw_order {
  bool film;
  bool transparent, parallel;
  bool has_range; /**< the colours' ends are given */
  bool clipped;
  bool shade;              /**< occlusion, outlines, distance, a shadow on the ground */
  long long grains;        /**< that every point of sand is drawn as */
  long long job, frame;    /**< frame: -1 for the last */
  long long rate;          /**< pictures a second; 0 of a picture */
  long long width, height; /**< pixels; even ones of a film */
  double from[3];          /**< unit vector to the side that is looked from; all 0: as the dashboard does at first */
  const char *field;       /**< what colours, "" as the dashboard chooses */
  double range[2];         /**< in the field's unit, rising */
  double clip[3][2];       /**< from and to along x, y, z of what is shown, shares of the run's bounds, rising */
  const char *hide;        /**< names of drawables that are not shown, and FIELD=NUMBER of elements, with commas between; "": nothing */
  const char *arrows;      /**< "velocity" or the name of a field of vectors; "": none */
  const char *path;        /**< where the file goes */
  double seconds;          /**< it may take */
  double memory;           /**< the browser may hold, bytes */
} draw_order;

/** Reads the options; what is wrong with them goes into `message`. */
bool draw_order_read(const cli_call *call, bool film, draw_order *order, char *message, size_t capacity);

/** As the page takes it (new reference). */
json_t *draw_order_json(const draw_order *order);

#endif
