/* Tables of options and curves. Help texts appear in forms and on the reference page. */
#include <math.h>

#include "methods/fem/coarsen/task/task.h"

static const char *const law_names[] = {[FEM_LINEAR] = "linear", [FEM_NEO_HOOKEAN] = "neo-hookean", NULL};
static const char *const element_names[] = {
    [FEM_PLAIN] = "plain", [FEM_INCOMPATIBLE_MODES] = "incompatible-modes", [FEM_B_BAR] = "b-bar", NULL};

static const char *const impact_names[] = {[FEM_IMPACT_STEP] = "step", [FEM_IMPACT_MASS] = "mass", [FEM_IMPACT_NONE] = "none", NULL};
static const char *const snapshot_names[] = {
    [FEM_SNAPSHOTS_DECOMPOSED] = "decomposed", [FEM_SNAPSHOTS_LAST] = "last", [FEM_SNAPSHOTS_DIFFERENCES] = "differences", NULL};
static const char *const loading_names[] = {[FEM_LOADING_NONE] = "none", [FEM_LOADING_STATIC] = "static", NULL};

#define AT(field) offsetof(coarsening_options, field)
const scr_param coarsening_params[COARSENING_PARAMS] = {
    {"law", SCR_PARAM_CHOICE, 0, "", FEM_NEO_HOOKEAN, 0, 0, law_names,
     "Elastic law of the coarse scene, and of the table of a mode basis; modes are of small vibrations, where all laws are one",
     AT(fem.law)},
    {"element", SCR_PARAM_CHOICE, 0, "", FEM_INCOMPATIBLE_MODES, 0, 0, element_names,
     "Formulation of the 8-node hexahedra, of fine and coarse meshes alike", AT(fem.element)},
    {"modes", SCR_PARAM_INTEGER, 0, "1", 6, 1, COARSENING_MODE_LIMIT, NULL,
     "How many modes, from the lowest, a coarse mesh must have, and a mode basis consists of; rigid motions do not count", AT(modes)},
    {"meshes", SCR_PARAM_TEXT, 0, "", 0, 0, FEM_PLAN_TEXT, NULL,
     "Meshes to try, separated by blanks: divisions of a box (\"4x1x1 10x2x2\") or spacings in m; empty: the fine mesh's over 2, 3, 4, 6, "
     "8, "
     "12 ...",
     AT(meshes)},
    {"match", SCR_PARAM_NUMBER, 0, "1", 0.99, 0.9, 1, NULL,
     "Least match (modal assurance) of every mode, or group of modes of about one frequency, that a coarse mesh must reach; below 0.9 it "
     "would hardly be the fine one's",
     AT(match)},
    {"load_tolerance", SCR_PARAM_NUMBER, SCR_PARAM_ABOVE, "1", 0.05, 0, 1, NULL,
     "With loading static: by how much the energy that the coarse mesh stores in that load case, after scaling, and the height of the jump "
     "from it may differ from the fine mesh's",
     AT(load_tolerance)},
    {"measured_frequency", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "Hz", NAN, 0, 1e12, NULL,
     "Frequency of the first mode as measured, to which the coarse mesh is scaled; null: that of the fine mesh", AT(measured_frequency)},
    {"measured_damping", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE | SCR_PARAM_BELOW, "1", NAN, 0, 1, NULL,
     "Damping ratio of the first mode as measured; null: the material's stiffness_damping stays, as steps add no damping of their own",
     AT(measured_damping)},
    {"basis", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL,
     "Also makes a mode basis, a file for deformable grains: fields, reduced mass and stiffness, energies", AT(basis)},
    {"levels", SCR_PARAM_INTEGER, 0, "1", 0, 0, 100, NULL,
     "Levels of the basis' table of energies and forces, per mode and side of rest; 0: no table", AT(levels)},
    {"amplitude", SCR_PARAM_NUMBER, SCR_PARAM_AUTOMATIC | SCR_PARAM_ABOVE, "m", NAN, 0, 1e6, NULL,
     "Largest displacement of the outermost level of the table", AT(amplitude)},
    {"snapshots", SCR_PARAM_INTEGER, 0, "1", 0, 0, 500, NULL,
     "The basis is made of so many snapshots of the motion that the method fem computes of this scene, evenly over its duration, and they "
     "are its table; 0: of vibrations",
     AT(snapshots)},
    {"snapshot_modes", SCR_PARAM_CHOICE, 0, "", FEM_SNAPSHOTS_DECOMPOSED, 0, 0, snapshot_names,
     "Modes of snapshots: what holds most of the motion; the last snapshot alone, whose table then is over how far its outermost place has "
     "moved, for a load that grows; or what is added from one snapshot to the next, as far as that is new",
     AT(snapshot_modes)},
    {"impact", SCR_PARAM_CHOICE, SCR_PARAM_ADVANCED, "", FEM_IMPACT_STEP, 0, 0, impact_names,
     "As of the method fem, for the motion of snapshots", AT(fem.impact)},
    {"loading", SCR_PARAM_CHOICE, SCR_PARAM_ADVANCED, "", FEM_LOADING_NONE, 0, 0, loading_names,
     "As of the method fem; static: meshes are chosen by what they do in this load case too, and snapshots begin with it", AT(fem.loading)},
    {"release", SCR_PARAM_BOOLEAN, SCR_PARAM_ADVANCED, "", 1, 0, 1, NULL, "As of the method fem, for the motion of snapshots",
     AT(fem.release)},
};
#undef AT

const scr_series coarsening_curves[COARSENING_CURVES] = {
    {"mode.number", "1", "Mode that is shown, from 1; 0: none"},
    {"mode.frequency", "Hz", "Frequency of the mode that is shown; 0: none"},
    {"mesh.elements", "1", "Elements of the mesh tried last"},
    {"mesh.match", "1", "Least match of the mesh tried last"},
    {"mesh.stiffness_scale", "1", "Stiffness scale of the mesh tried last"},
};
