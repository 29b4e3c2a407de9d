/** What a study varies: a place in the scene, or several that get the same value, and the values it takes. */
#ifndef SCREE_SERVER_STUDY_FACTOR_H
#define SCREE_SERVER_STUDY_FACTOR_H

#include <jansson.h>

#include "scree.h"

enum {
  STUDY_FACTOR_LIMIT = 16,
  FACTOR_NAME_BYTES = 64,
  FACTOR_PLACE_LIMIT = 16, /**< places that one factor sets */
  FACTOR_PLACE_BYTES = 256,
  FACTOR_VALUE_LIMIT = 1000 /**< of a list, steps of a range, or seeds */
};

typedef enum factor_kind {
  FACTOR_VALUES, /**< a list */
  FACTOR_RANGE,
  FACTOR_NORMAL,
  FACTOR_LOG_NORMAL,
  FACTOR_WEIBULL,
  FACTOR_SEEDS /**< 1, 2, ...: repetitions; every design crosses them with its rows */
} factor_kind;

/** A place in a scene. */
typedef struct factor_place {
  char scene[64];                   /**< of the study's scenes; "": of all */
  char pointer[FACTOR_PLACE_BYTES]; /**< JSON Pointer, or a short name, "steel.density" (row_scene.c) */
} factor_place;

typedef struct factor {
  char name[FACTOR_NAME_BYTES];
  char unit[16];
  factor_kind kind;
  factor_place places[FACTOR_PLACE_LIMIT];
  size_t place_count;     /**< 0: the factor that chooses the scene */
  json_t *values;         /**< of FACTOR_VALUES: a list; borrowed from the document */
  double from, to;        /**< of FACTOR_RANGE */
  bool logarithmic;       /**< of FACTOR_RANGE */
  double mean, deviation; /**< of FACTOR_NORMAL; of the logarithm of FACTOR_LOG_NORMAL: its median's logarithm, and its deviation */
  double shape, scale;    /**< of FACTOR_WEIBULL: modulus, characteristic value */
  size_t steps;           /**< levels in a grid, repetitions of FACTOR_SEEDS; 0: none are given */
  long long first_seed;
} factor;

/** Reads one factor; adds a problem for everything that is wrong with it. @param pointer to it in the document; values stay borrowed */
void factor_read(const char *name, json_t *given, const char *pointer, factor *out, scr_problems *problems);

/** Number of its levels in a grid; 0: it has none, as of a distribution without steps. */
size_t factor_levels(const factor *self);
/** Its value at a level: a new reference, NULL without memory. */
json_t *factor_level(const factor *self, size_t level);
/** Its value at `u`, evenly drawn from (0, 1): the quantile. Twelve significant digits, so that machines agree. A new reference. */
json_t *factor_quantile(const factor *self, double u);

#endif
