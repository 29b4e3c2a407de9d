/** Checks of a scene that no table of parameters can state, and the step from document to scene. Private to core/scene. */
#ifndef SCREE_SCENE_CHECK_H
#define SCREE_SCENE_CHECK_H

#include "scene/document.h"
#include "scene/part.h"
#include "scene/problem.h"

/** Makes the solids of all meshes, see mesh_source.h, and adds what is wrong with them, or unusual. Meshes with problems from number
 *  `first` on, of what could not be read, are passed over. @return SCR_OK also when problems were added; SCR_NO_MEMORY */
scr_status check_meshes(scene_document *document, size_t first, scr_problems *problems, scr_problems *warnings);

/** Adds every problem of names, references, shapes, placements and contact pairs. Fields that could not be read (NaN, empty) give
 *  none. @return SCR_OK also when problems were added; SCR_NO_MEMORY */
scr_status check_specimens(const scene_document *document, scr_problems *problems);

/** The same for the rig: lengths, programs, sides that would meet. Call it only when the rig could be read. */
scr_status check_rig(const scene_document *document, scr_problems *problems);

/** The same for obstacles: names, directions, programs. Call it only when they could be read. */
scr_status check_obstacles(const scene_document *document, scr_problems *problems);

/** The same for servo segments of all parts; after the document's automatic values were made explicit. */
scr_status check_servos(const scene_document *document, scr_problems *problems);

/** Checks the segments of one program. `place`: JSON Pointer to it; `turns`: its units are rad and rad/s. Sets *sound to false when it adds
 *  a problem. */
scr_status check_program(const scr_program *program, const char *place, bool turns, bool *valid, scr_problems *problems);

/** Reports every name that an earlier item of a list has already. `names` is the first item's name, `stride` bytes before the next;
 *  `list` the key of the list. */
scr_status check_unique(const char *list, const char *names, size_t stride, size_t count, scr_problems *problems);

/** Whether the specimens lie where the rig needs them, as far as their shapes tell. */
scr_status check_rig_fit(const scr_scene *scene, scr_problems *problems);

/** Warns of a rig whose first motion is away from the specimens, and where nothing brings specimens to a part: of one whose travel is less
 * than the gap to the nearest specimen, or a gap of more than a tenth of the travel; the scene is complete but for the estimate. */
scr_status check_motion(const scr_scene *scene);

/** Whether part p never meets a specimen: its travel, and that of what faces it, end before the gap, and nothing else brings specimens to
 *  it. */
bool check_misses(const scr_scene *scene, const scr_part *parts, size_t count, size_t p);

/** The same for curves named in stop rules and plots. */
scr_status check_series(const scene_document *document, scr_problems *problems);

/** The same for surfaces of fragments: a method that reports fragments, cells that fit the specimens' spacings. */
scr_status check_surfaces(const scene_document *document, scr_problems *problems);

/** Whether a run of this scene would report a curve of that name; true when the method lists no curves. */
bool series_exists(const scene_document *document, const char *name);

/** Refuses a run's device that is no device's name, or that its method can't run on, and ranks of a method whose runs can't be shared, or
 *  together with a device. Whether there is such a device, or MPI, is for whoever runs. */
void check_run_choice(const scr_scene *scene, scr_problems *problems);

/** Fills the estimate's counts from its time step and checks them against the limits. */
scr_status check_limits(scr_scene *scene, scr_problems *problems);

/** Makes the automatic values of a bound document explicit: intervals, partners' laws, axes, open segments, plots. */
scr_status resolve_document(scene_document *document);

/** Fills a scene from a sound document, which the scene then owns through scene->document. SCR_NO_MEMORY. */
scr_status resolve_scene(scr_scene *scene);

#endif
