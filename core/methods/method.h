/** What a simulation method is to the rest of core: a table of functions and a table of parameters.
 *
 *  Life: check (many scenes, no simulation) ... create -> { step | observe | draw | save }* -> destroy; load after create.
 *  A method keeps all that changes in sim->state, declares its curves and drawables in create, and never opens a file. */
#ifndef SCREE_METHODS_METHOD_H
#define SCREE_METHODS_METHOD_H

#include "base/error.h"
#include "record/blob.h"
#include "record/breaks.h"
#include "record/frame.h"
#include "scene/param.h"
#include "scene/scene.h"

struct scr_sim {
  const scr_scene *scene;   /**< not owned */
  unsigned threads;         /**< >= 1; results never depend on it */
  double   time;            /**< s; kept by the method's step: steps * time_step */
  double   time_step;       /**< s; set in create */
  uint64_t steps;           /**< counted by the method's step */
  void    *state;           /**< the method's */
  scr_series *series;       /**< curves declared so far; series 0 is "time" */
  size_t series_count, series_capacity;
  scr_drawable *drawables;  /**< drawables declared so far */
  size_t drawable_count, drawable_capacity;
  break_log breaks;         /**< bonds that broke since the run recorded them: filled by the method's step, emptied by the run */
  char **notes;             /**< what the run's events begin with, declared so far */
  size_t note_count, note_capacity;
};

typedef struct scr_method {
  scr_method_description about; /**< name, options, check: what the scene layer needs */
  /** Builds sim->state, sets sim->time_step, declares series and drawables. On failure leaves what destroy accepts. */
  scr_status (*create)(scr_sim *sim, scr_error *error);
  /** One step: updates state, sim->steps and sim->time. SCR_DIVERGED with step, quantity and advice when the state is lost. */
  scr_status (*step)(scr_sim *sim, scr_error *error);
  /** Values of all declared series but "time" (index 0, filled by the caller). values: [series_count]. */
  void (*observe)(const scr_sim *sim, double *values);
  /** Writes every drawable's state. */
  scr_status (*draw)(const scr_sim *sim, scr_frame *frame, scr_error *error);
  /** Complete state: after load into a fresh sim of the same scene, every later bit is the same as without the interruption. */
  scr_status (*save)(const scr_sim *sim, scr_blob *blob, scr_error *error);
  /** `blob` may be damaged or of another scene: checks every size. */
  scr_status (*load)(scr_sim *sim, scr_blob *blob, scr_error *error);
  void (*destroy)(scr_sim *sim);
} scr_method;

/** Method by name, NULL if unknown. */
const scr_method *scr_method_find(const char *name);

/** Declares the next curve; index in declaration order, "time" being 0. `label` is for people. */
scr_status scr_sim_declare_series(scr_sim *sim, const char *name, const char *unit, const char *label, scr_error *error);

/** Adds a note, copied: a sentence about what the method made of the scene, recorded as an event before the first step. */
scr_status scr_sim_declare_note(scr_sim *sim, const char *text, scr_error *error);

/** Declares the next drawable, copied with all it points to. Its id is its position in declaration order. */
scr_status scr_sim_declare_drawable(scr_sim *sim, const scr_drawable *drawable, scr_error *error);

#endif
