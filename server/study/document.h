/** A study as it is submitted: a base scene or several, factors, a design, results, limits; JSON, checked as scenes are, with all problems
 * at once. Its form is explained in api/docs/study.md.
 *
 *    { "scree_study": 1, "name": "shells", "scene": { ... } or "gallery:hollow-sphere-crush",
 *      "factors": { "thickness": { "pointer": "/specimens/0/shape/thickness", "values": [0.5e-3, 1e-3] } },
 *      "design": { "kind": "grid" }, "results": { "strength": "max(wall.z_max.force_z)" }, "limits": { "at_once": 2 } }
 *
 *  With "scenes": { NAME: scene, ... } instead of "scene" the study has one factor more, "scene", whose values are the names. */
#ifndef SCREE_SERVER_STUDY_DOCUMENT_H
#define SCREE_SERVER_STUDY_DOCUMENT_H

#include "server/study/calibration_document.h"
#include "server/study/design/factor.h"
#include "server/study/results.h"

enum {
  STUDY_BYTES = 4 << 20,   /**< longest document */
  STUDY_ROW_LIMIT = 20000, /**< most rows of a study */
  STUDY_SCENE_LIMIT = 16,
  STUDY_NAME_BYTES = 48
};

typedef enum design_kind { DESIGN_GRID, DESIGN_ROWS, DESIGN_LATIN_HYPERCUBE, DESIGN_SOBOL, DESIGN_CALIBRATE } design_kind;

/** "grid", "rows", "latin_hypercube", "sobol", "calibrate". */
const char *design_kind_name(design_kind kind);

typedef struct study_design {
  design_kind kind;
  size_t runs;                    /**< of DESIGN_LATIN_HYPERCUBE and DESIGN_SOBOL, before seeds */
  uint64_t seed;                  /**< all that is drawn comes from it */
  json_t *rows;                   /**< of DESIGN_ROWS: list of {FACTOR: value}; borrowed from the document */
  study_calibration *calibration; /**< of DESIGN_CALIBRATE, else NULL; owned by the document */
} study_design;

typedef struct study_limits {
  unsigned at_once;   /**< most runs queued or running; 0: twice the lab's slots */
  double run_seconds; /**< a row that is estimated to take longer is refused, a run that does is cancelled; 0: none */
  double disk_bytes;  /**< the study stops before its recordings are estimated to take more; 0: none */
} study_limits;

/** A checked study. Owned by whoever read it. */
typedef struct study_document {
  json_t *json;   /**< complete: scenes of the gallery in place of their names */
  json_t *scenes; /**< {NAME: scene}; of one scene the name is ""; owned */
  json_t *labels; /**< names of the scenes, for the factor "scene"; owned */
  char name[STUDY_NAME_BYTES], title[128];
  size_t factor_count;
  factor factors[STUDY_FACTOR_LIMIT];
  study_design design;
  size_t result_count;
  study_result results[STUDY_RESULT_LIMIT];
  study_limits limits;
} study_document;

/** Reads and checks a study.
 *  @param out receives it on SCR_OK, to be cleared    @param problems receives the reasons on SCR_BAD_SCENE
 *  @return SCR_OK, SCR_BAD_SCENE, SCR_NO_MEMORY */
scr_status study_document_read(const char *text, size_t length, study_document *out, scr_problems *problems);
void study_document_clear(study_document *self);

/** What a calibration needs of it. Borrowed. */
calibration_about study_calibration_about(const study_document *self);

/** Checks a row that is given as {FACTOR: value}; what is wrong becomes problems at `pointer`. */
void study_row_check(const study_document *self, const json_t *row, const char *pointer, scr_problems *problems);

/** The scene of a row: the base scene with the factors' values in their places.
 *  @param row {FACTOR: value}    @param scene receives a new reference on SCR_OK
 *  @return SCR_OK, SCR_BAD_SCENE (a place is not there; the problems say which), SCR_NO_MEMORY */
scr_status study_row_scene(const study_document *self, const json_t *row, json_t **scene, scr_problems *problems);

#endif
