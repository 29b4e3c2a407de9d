/** Coarsening as a run: the pieces of its work are its steps, its pictures are the modes.
 *
 *      first            one step per snapshot, where there are some: the fine mesh moves on, as the method fem moves it
 *      step 1           modes of the fine mesh
 *      step 1 + k       mesh k of the plan, from coarse to fine: its modes, how well they fit, its stiffness scale
 *      step 2 + plan    the choice, and all files: report, patch of the scene, pictures, mode basis
 *      then             one step per mode, which shows it
 *
 *  Time means nothing in it: a step is duration / steps. */
#ifndef SCREE_METHODS_FEM_COARSEN_TASK_H
#define SCREE_METHODS_FEM_COARSEN_TASK_H

#include "base/execution.h"
#include "methods/fem/coarsen/model.h"
#include "methods/fem/coarsen/plan.h"
#include "sim/method.h"

/** Which modes a basis has of snapshots. */
typedef enum fem_snapshot_modes {
  FEM_SNAPSHOTS_DECOMPOSED, /**< what holds most of the motion: pod.h */
  FEM_SNAPSHOTS_LAST,       /**< the last snapshot; levels are told by how far its outermost place moved */
  FEM_SNAPSHOTS_DIFFERENCES /**< from one snapshot to the next: differences.h */
} fem_snapshot_modes;

/** The options. The first member has the law and the element; the rest of it is zero. */
typedef struct coarsening_options {
  fem_options fem;
  int64_t modes;                  /**< to be kept by the coarse mesh */
  char meshes[FEM_PLAN_TEXT + 1]; /**< fem_plan_make */
  double match;                   /**< least MAC */
  double load_tolerance;          /**< of the energy and the jump of a static load case, beside the fine mesh's */
  double measured_frequency;      /**< Hz of the first mode; NaN: the fine mesh's */
  double measured_damping;        /**< damping ratio of the first mode; NaN: the material's stays */
  bool basis;                     /**< make a mode basis */
  int64_t levels;                 /**< of its table, on either side of rest */
  double amplitude;               /**< m, of the outermost level; NaN: none */
  int64_t snapshots;              /**< of the motion, of which the basis is made; 0: of vibrations */
  int snapshot_modes;             /**< fem_snapshot_modes */
} coarsening_options;

enum { COARSENING_PARAMS = 16, COARSENING_CURVES = 5, COARSENING_MODE_LIMIT = 60, COARSENING_SPARE = 4 };
extern const scr_param coarsening_params[COARSENING_PARAMS];
extern const scr_series coarsening_curves[COARSENING_CURVES];

/** What a load case does. */
typedef struct coarsening_answer {
  double energy; /**< J, stored; 0: not asked */
  double rise;   /**< m, of the centre of mass at the top of its jump; 0: it is held, or does not leave the ground */
} coarsening_answer;

/** What became of one mesh of the plan. */
typedef struct coarsening_row {
  bool tried, accepted;
  size_t hexes, nodes;
  size_t match_count;
  fem_match match[COARSENING_MODE_LIMIT + COARSENING_SPARE];
  double least_match;     /**< 0 where none was made */
  double scale;           /**< stiffness scale; 0: none */
  coarsening_answer load; /**< after scaling */
  const char *refused;    /**< why it was not accepted; NULL: it was. Static text */
} coarsening_row;

typedef struct coarsening_state {
  const scr_scene *scene;
  const coarsening_options *options;
  fem_plan plan;
  fem_model fine;
  geo_hexes_surface surface; /**< of the fine mesh */
  size_t mode_count;         /**< that are to be kept: the option's, or as many as there are */
  coarsening_answer load;    /**< of the fine mesh */
  coarsening_row *rows;      /**< [plan.count] */
  size_t chosen;             /**< number of the row; SIZE_MAX: none yet, or none at all */
  size_t modes_table, meshes_table, matches_table;
  scr_scene *motion_scene; /**< the scene with the method fem, where there are snapshots */
  scr_sim *motion;
  double *snapshots;  /**< [options->snapshots][3 nodes] m, rigid motion of free bodies taken off */
  double *picture[4]; /**< [surface.node_count] scratch for drawing */
} coarsening_state;

/** How many steps there are. */
static inline size_t coarsening_steps(size_t snapshots, size_t meshes, size_t modes)
{
  return snapshots + 2 + meshes + modes;
}

/** Snapshots (snapshots.c): the motion begun, one snapshot taken (counted from 0, in order), the motion's end. */
scr_status coarsening_begin_motion(coarsening_state *state, scr_execution execution, scr_error *error);
scr_status coarsening_take_snapshot(coarsening_state *state, size_t number, scr_error *error);
void coarsening_end_motion(coarsening_state *state);

/** The scene as the method fem would have it, on another mesh and with Young's modulus times `scale` (load.c).
 *  @param scene to be given to coarsening_free_scene, also on failure   @return SCR_OK, SCR_BAD_SCENE, SCR_NO_MEMORY */
scr_status coarsening_make_scene(const coarsening_state *state, const fem_specimen *mesh, double scale, scr_scene **scene,
                                 scr_error *error);
void coarsening_free_scene(scr_scene *scene);

/** What the load case does, `loading` static: elastic energy of the equilibrium, and how high the centre of mass rises from there where the
 *  body then jumps off.
 *  @return SCR_OK; SCR_DIVERGED: there is no equilibrium, or no motion from it; SCR_NO_MEMORY */
scr_status coarsening_load(const coarsening_state *state, const fem_specimen *mesh, double scale, const scr_liveness *liveness,
                           coarsening_answer *answer, scr_error *error);

/** Calibrated frequency of a cluster over the fine one. */
double coarsening_ratio(const coarsening_row *row, size_t match);

/** Young's modulus of the chosen mesh, Pa, and its stiffness damping, s (NaN: unchanged). */
double coarsening_modulus(const coarsening_state *state);
double coarsening_damping(const coarsening_state *state);

/** Pieces of the work (pieces.c). */
scr_status coarsening_find_modes(coarsening_state *state, const scr_liveness *liveness, scr_error *error);
scr_status coarsening_try_mesh(coarsening_state *state, size_t mesh, const scr_liveness *liveness, scr_error *error);
void coarsening_choose(coarsening_state *state);

/** Scenes (check.c). */
scr_status coarsening_check(const scr_scene *scene, scr_estimate *estimate, scr_problems *problems);

/** What is shown (view.c). */
scr_status coarsening_declare(scr_sim *sim, scr_error *error);
scr_status coarsening_tabulate(scr_sim *sim, size_t step, scr_error *error);
void coarsening_observe(const scr_sim *sim, double *values);
scr_status coarsening_draw(const scr_sim *sim, scr_frame *frame, scr_error *error);
/** Number of the mode shown after so many steps, from 0; SIZE_MAX: none. */
size_t coarsening_shown(const coarsening_state *state, uint64_t steps);
/** By what a mode's field is multiplied in pictures, m over its unit: the largest displacement is a tenth of the body's size. */
double coarsening_drawn_by(const coarsening_state *state, size_t mode);

/** Files (report.c, picture.c). */
scr_status coarsening_write(scr_sim *sim, scr_error *error);
/** A mode as an SVG picture. @return text to free; NULL: no memory */
char *coarsening_picture(const coarsening_state *state, size_t mode);
/** Why nothing was accepted, or what to know of what was: "" or sentences. @param text [600] is returned */
char *coarsening_caution(const coarsening_state *state, char text[600]);

#endif
