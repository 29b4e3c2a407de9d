/** Twin experiments: curves that Scree itself makes with hidden parameters get noise and are calibrated against; what is found is compared
 * with what was hidden. */
#ifndef SCREE_TESTS_SUPPORT_TWIN_H
#define SCREE_TESTS_SUPPORT_TWIN_H

#include "server/study/calibration/estimate.h"

enum { TWIN_SCENES = 2 };

/** A test of the laboratory: a scene with places for unknowns, and the curve that is compared. */
typedef struct twin_scene {
  const char *text; /**< JSON; "@0", "@1", ... stand for the unknowns' values */
  const char *y;    /**< name of the curve over time */
  double interval;  /**< of samples, s */
} twin_scene;

typedef struct twin_model {
  const char *name;
  const optimiser_unknown *unknowns;
  size_t unknown_count;
  twin_scene scenes[TWIN_SCENES];
  size_t scene_count;
  size_t runs;  /**< at most, those of all scenes counted */
  size_t tries; /**< of the study: many where a run takes a millisecond */
  size_t idle;  /**< number of an unknown without effect, from 1; 0: all have one */
  double noise; /**< of a measured sample, as a share of the curve's range */
} twin_model;

typedef struct twin_result {
  double truth[OPTIMISER_UNKNOWNS];
  estimate found;
  size_t runs;       /**< of all scenes */
  bool covered;      /**< all of the truth lies in its intervals */
  bool undetermined; /**< the idle unknown is called undetermined, and no other; of a model without one: none is */
} twin_result;

/** Hides parameters by the seed, within the inner 0.6 of each range, measures, calibrates with BOBYQA after Sobol's start, estimates with
 * intervals that hold together at 95 % (each at 1 - 0.05 / parameters: Bonferroni). */
scr_status twin_experiment(const twin_model *model, uint64_t seed, twin_result *out, scr_error *error);

/** The models: "rigid" (friction and density of a block that slides to rest), "idle" (the same two from how far it slides, on which the
 * density has no effect), "bdem" (modulus and friction from a beam that sags and a block that slides: two tests at once), "peridem"
 * (modulus, fracture energy and friction from a bar that is pulled in two and a block that slides). */
extern const twin_model twin_rigid, twin_idle, twin_bdem, twin_peridem;

#endif
