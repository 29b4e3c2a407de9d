/** What a simulation method is to the rest of core: a table of functions and a table of parameters.
 *
 *  Life: check (many scenes, no simulation) ... create -> { step | observe | draw | save }* -> destroy; load after create.
 *  A method keeps all that changes in sim->state and sim->parts, declares its curves and drawables in create, and never opens a file. What
 *  is said of the parts of the rig (curves, pictures, checkpoints) the shell adds by itself. */
#ifndef SCREE_SIM_METHOD_H
#define SCREE_SIM_METHOD_H

#include <assert.h>
#include <stddef.h>

#include "base/execution.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "base/liveness.h"
#include "geometry/mesh/mesh.h"
#include "record/file/blob.h"
#include "record/frame.h"
#include "record/stages.h"
#include "record/table/table.h"
#include "scene/param.h"
#include "scene/scene.h"
#include "sim/files.h"
#include "sim/ledger.h"
#include "sim/preview.h"

/** How a headline is made from its curve's samples. */
typedef enum headline_rule {
  HEADLINE_NEWEST,  /**< the newest sample */
  HEADLINE_LARGEST, /**< the largest magnitude so far */
  HEADLINE_SMALLEST /**< the smallest value so far */
} headline_rule;

typedef struct sim_headline {
  size_t series;
  headline_rule rule;
  char label[64];
} sim_headline;

#define STAGE_NONE SIZE_MAX /**< the number of no stage */

struct scr_sim {
  const scr_scene *scene;  /**< not owned */
  scr_execution execution; /**< results never depend on it */
  double time;             /**< s; kept by the method's step: steps * time_step, of an uneven clock the sum of its steps */
  double time_step;        /**< s; set in create. Of an uneven clock: of the last step, or about what the first will be */
  double next_output;      /**< s; of an uneven clock: the time that the next step may reach but not pass. Set by whoever steps */
  uint64_t steps;          /**< counted by the method's step */
  sim_parts parts;         /**< made before create; moved and loaded by the method's step; saved, observed and drawn by the shell */
  size_t part_series;      /**< curves of the parts, which follow "time" */
  sim_ledger ledger;       /**< booked by the method's create and step where it has `energies`; saved and observed by the shell */
  size_t ledger_series;    /**< curves of the ledger, which follow the parts' */
  size_t pressure_series;  /**< curves of pressure, which follow the ledger's (sim/rig/pressure.h); the method's follow them */
  double pressure_average[SCR_PART_LIMIT];     /**< Pa, of flat parts; saved and observed by the shell */
  ledger_entry ledger_entries[LEDGER_ENTRIES]; /**< [ledger_series] what they are */
  uint32_t part_drawable;                      /**< number of the first drawable of the parts, which follow the method's */
  void *state;                                 /**< the method's */
  sim_files files;                             /**< where files go that a step makes: sim_write_file; set by whoever steps */
  scr_series *series;                          /**< curves declared so far; series 0 is "time" */
  scr_liveness liveness; /**< to be beaten in create and in the iterations of a step, so that long work is told from a hung one */
  size_t series_count, series_capacity;
  scr_drawable *drawables; /**< drawables declared so far */
  size_t drawable_count, drawable_capacity;
  size_t table_count;            /**< event tables declared so far */
  table_log tables[TABLE_LIMIT]; /**< rows since the run recorded them: filled by step and tabulate, emptied by the run */
  char **notes;                  /**< what the run's events begin with, declared so far */
  size_t note_count, note_capacity;
  size_t *dissipations; /**< series that are dissipated energy, declared so far: they never fall */
  size_t dissipation_count, dissipation_capacity;
  size_t stage_count, stage; /**< declared so far; the present one, STAGE_NONE: none was entered yet */
  scr_stage stages[STAGE_LIMIT];
  size_t entered_count; /**< stages entered since the run recorded them */
  size_t entered[STAGE_LIMIT];
  size_t headline_count; /**< declared so far */
  sim_headline headlines[SCR_HEADLINE_LIMIT];
  size_t failure_series; /**< number of the curve that counts what of the specimens has failed, and one; 0: none */
  size_t kernel_count;   /**< declared so far */
  scr_kernel kernels[KERNEL_LIMIT];
  size_t doubt_count; /**< raised so far, by the method and by the run; saved and recorded by the run */
  scr_doubt doubts[SCR_DOUBT_LIMIT];
};

typedef struct scr_method {
  scr_method_description about; /**< name, options, check: what the scene layer needs */
  uint64_t layout;              /**< number of what save writes, another one whenever that changes */
  unsigned may_fall;            /**< LEDGER_BIT of damping, friction, fracture: not declared as dissipations that never fall */
  /** Builds sim->state, sets sim->time_step, declares series and drawables. On failure leaves what destroy accepts. */
  scr_status (*create)(scr_sim *sim, scr_error *error);
  /** One step: updates state, sim->steps and sim->time. SCR_DIVERGED with step, quantity and advice when the state is lost. With an uneven
   *  clock it also chooses sim->time_step and ends at sim->next_output at the latest, exactly there when it would come that far. A step
   *  shorter than a part in 1e12 of the duration fails the run. */
  scr_status (*step)(scr_sim *sim, scr_error *error);
  /** Values of the series that the method declared: values[1] is the first of them. values[0] is not its own. */
  void (*observe)(const scr_sim *sim, double *values);
  /** What the bodies hold, for the energy ledger and its curves (sim/ledger.h); `now` is zero. NULL: the method keeps no ledger. */
  void (*energies)(const scr_sim *sim, sim_energies *now);
  /** Writes the state of every drawable that the method declared. All ranks of a run call it; those that record nothing have no frame and
   *  give what the first one draws. */
  scr_status (*draw)(const scr_sim *sim, scr_frame *frame, scr_error *error);
  /** Adds the rows of tables that describe the state as a whole, at every frame: scr_sim_add_row. NULL: there are none. */
  scr_status (*tabulate)(scr_sim *sim, scr_error *error);
  /** Complete state, but for what the shell has (time, stage, parts, ledger, `layout`): after load into a fresh sim of the same scene,
   *  every later bit is the same as without the interruption. */
  scr_status (*save)(const scr_sim *sim, scr_blob *blob, scr_error *error);
  /** `blob` may be damaged or of another scene: checks every size. */
  scr_status (*load)(scr_sim *sim, scr_blob *blob, scr_error *error);
  void (*destroy)(scr_sim *sim);
} scr_method;

/** The method of a simulation: scene->method is the description inside it, its first member. */
static_assert(offsetof(scr_method, about) == 0, "a scene's method description is cast to its method");
static inline const scr_method *sim_method(const scr_sim *sim)
{
  return (const scr_method *)(const void *)sim->scene->method;
}

/** Declares the next curve; index in declaration order, "time" being 0. `label` is for people. */
scr_status scr_sim_declare_series(scr_sim *sim, const char *name, const char *unit, const char *label, scr_error *error);

/** Declares the curves of the method's table, about.curves, in its order: all but those that the shell declares, the parts' and the
 *  ledger's. */
scr_status scr_sim_declare_curves(scr_sim *sim, scr_error *error);

/** Declares a curve like scr_sim_declare_series, of energy in joules that was dissipated since the start. Such energy never comes back: the
 *  run fails when the curve falls by more than a thousandth of the largest energy it has seen. */
scr_status scr_sim_declare_dissipation(scr_sim *sim, const char *name, const char *label, scr_error *error);

/** Says that the run can't be fully trusted, although it goes on; at any time from create on. What is said must follow from the state
 *  alone, never from a clock or the number of threads. Doubts beyond SCR_DOUBT_LIMIT kinds are dropped.
 *  @param kind    lower_snake name of at most 31 bytes; a second doubt of the same kind replaces the sentence of the first, so give the
 *  worst
 *                 case so far
 *  @param format  a sentence: which quantity, its value, what it should be, what to do. Cut at 479 bytes */
void scr_sim_doubt(scr_sim *sim, const char *kind, const char *format, ...) __attribute__((format(printf, 3, 4)));

/** Declares an event table: name, label and columns, copied. Its number is its position in declaration order. */
scr_status scr_sim_declare_table(scr_sim *sim, const scr_table *about, scr_error *error);

/** Has the run record an event when a table has got its first rows, at the next sample.
 *  @param kind      lower_snake name of at most 31 bytes: "first_break"
 *  @param sentence  what happened, at most 127 bytes: "first bonds broke"; how many rows there are by then, and the time, are added */
scr_status scr_sim_announce_table(scr_sim *sim, size_t table, const char *kind, const char *sentence, scr_error *error);

/** Adds a row to table number `table`; in step or tabulate. Rows not yet recorded are part of checkpoints.
 *  @param values one per column: finite, or NaN where there is no such value; under named values the number of one */
scr_status scr_sim_add_row(scr_sim *sim, size_t table, const double *values, scr_error *error);

/** Declares the next stage, in create; its number is its position in declaration order.
 *  @param name  lower_snake, at most 31 bytes    @param label  for people */
scr_status scr_sim_declare_stage(scr_sim *sim, const char *name, const char *label, scr_error *error);

/** Says that a stage has begun, in create or step: recorded as an event behind the step. Entering the present one again does nothing.
 *  @return SCR_OK, SCR_BAD_USAGE (no such stage, or more than STAGE_LIMIT in one step) */
scr_status scr_sim_enter_stage(scr_sim *sim, size_t stage, scr_error *error);

/** Declares a headline, in create: a number made from a curve's samples, which progress, lists and results show in the order of
 *  declaration.
 *  @param series  name of a curve that is declared    @param label  for people, at most 63 bytes: "Broken bonds" */
scr_status scr_sim_declare_headline(scr_sim *sim, const char *series, const char *label, headline_rule rule, scr_error *error);

/** Declares which curve counts what of the specimens has failed so far, in create. Without one nothing ever fails.
 *  @param series  name of a curve that is declared */
scr_status scr_sim_declare_failures(scr_sim *sim, const char *series, scr_error *error);

/** Declares the headline that a method without any gets: the largest magnitude of the first plotted curve that is a force, "Peak force".
 *  Nothing when none is. */
scr_status scr_sim_declare_peak_force(scr_sim *sim, scr_error *error);

/** Says, in create, which variant of a computation was chosen by what the processor can do: recorded, and a run is only taken up where the
 *  same are chosen.
 *  @param what  at most 63 bytes: "bond forces"    @param variant  at most 31 bytes: "avx2" */
scr_status scr_sim_declare_kernel(scr_sim *sim, const char *what, const char *variant, scr_error *error);

/** Says of the kernel declared last that it gives the bits of another variant, by which its runs may go on.
 *  @param variant  at most 31 bytes, cut */
void scr_sim_kernel_matches(scr_sim *sim, const char *variant);

/** Adds a note, copied: a sentence about what the method made of the scene, recorded as an event before the first step. */
scr_status scr_sim_declare_note(scr_sim *sim, const char *text, scr_error *error);

/** What load says of a checkpoint whose `what` (plural: "nodes") can't be this scene's. @return SCR_BAD_FILE */
scr_status scr_sim_damaged(const char *what, scr_error *error);

/** Declares the next drawable, copied with all it points to. Its id is its position in declaration order. */
scr_status scr_sim_declare_drawable(scr_sim *sim, const scr_drawable *drawable, scr_error *error);

#endif
