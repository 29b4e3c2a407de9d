/** Parameters: the one place where an option of a scene is declared.
 *
 *  Every section of a scene (shape, rig, time, method options, ...) is a C struct and a table of scr_param that
 *  says, per field: name, type, unit, default, range, help and offset. The scene checker, the JSON Schema, the effective
 *  scene and the dashboard's form are all generated from these tables. */
#ifndef SCREE_SCENE_PARAM_H
#define SCREE_SCENE_PARAM_H

#include <stddef.h>
#include <stdint.h>

/** A file that a scene refers to. */
typedef struct scr_asset_reference {
  int64_t index;   /**< into scene->assets; -1: none */
  char digest[65]; /**< of it, "" for none */
} scr_asset_reference;

typedef enum scr_param_kind {
  SCR_PARAM_NUMBER,  /**< field: double */
  SCR_PARAM_INTEGER, /**< field: int64_t; 1.0 is accepted, 1.5 is not */
  SCR_PARAM_BOOLEAN, /**< field: bool */
  SCR_PARAM_CHOICE,  /**< field: int, index into `choices` */
  SCR_PARAM_VECTOR,  /**< field: scr_vec3; range applies to each component */
  SCR_PARAM_TEXT,    /**< field: char[maximum + 1]; minimum and maximum = shortest and longest length in bytes; default "" */
  SCR_PARAM_ASSET /**< field: scr_asset_reference; "sha256:..." or a path beside the scene; absent or null: none, unless it is required */
} scr_param_kind;

enum {
  SCR_PARAM_REQUIRED = 1, /**< no default: absence is a problem */
  SCR_PARAM_ABOVE = 2,    /**< `minimum` itself is not allowed */
  SCR_PARAM_BELOW = 4,    /**< `maximum` itself is not allowed */
  SCR_PARAM_AUTOMATIC =
      8, /**< absent or null means "chosen for you"; the field is then NaN (number, vector) or -1 (integer), and `help` says how */
  SCR_PARAM_ADVANCED = 16, /**< forms fold it away */
  SCR_PARAM_NAME = 32,     /**< text that is a name: letters, digits, '_', '-' and '.', beginning with a letter or a digit */
  SCR_PARAM_WHOLE = 64,    /**< components of a vector are whole numbers */
  SCR_PARAM_RETIRED = 128  /**< read from scenes of earlier versions, whose only value it still allows; neither written nor shown */
};

typedef struct scr_param {
  const char *name; /**< JSON key, lower_snake_case */
  scr_param_kind kind;
  unsigned flags;
  const char *unit;           /**< SI, "1" for pure numbers, "" for text, booleans and choices */
  double fallback;            /**< default of numbers, integers, booleans (0/1), choices (index), each vector component */
  double minimum, maximum;    /**< allowed range, inclusive unless flagged; -INFINITY / INFINITY for none */
  const char *const *choices; /**< SCR_PARAM_CHOICE: NULL-terminated names */
  const char *help;           /**< one sentence, ends without a full stop */
  size_t offset;              /**< of the field in its struct */
} scr_param;

/** A struct of a method's own and the parameters that fill it. All zero: the method declares nothing. */
typedef struct scr_block {
  const scr_param *params; /**< [count] offsets into the struct */
  size_t count;
  size_t size; /**< bytes of the struct; zero-filled, then filled from params */
} scr_block;

#endif
