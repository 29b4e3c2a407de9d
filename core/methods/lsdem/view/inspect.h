/** What a specimen's template is, in numbers: for people who want to know before a run what their grains are made into. */
#ifndef SCREE_LSDEM_VIEW_INSPECT_H
#define SCREE_LSDEM_VIEW_INSPECT_H

#include "methods/lsdem/state/state.h"

/** sim_preview.describe: nodes, areas, level set, mass, modes, and checks. Of a specimen with variants the first. */
scr_status lsdem_inspect(const scr_scene *scene, size_t specimen, json_writer *writer, scr_error *error);

/** sim_preview.surface: the nodes' triangles, and the modes at the nodes, in the grain's own axes. */
scr_status lsdem_surface_of_specimen(const scr_scene *scene, size_t specimen, geo_mesh *mesh, scr_vec3 **fields, size_t *modes,
                                     scr_error *error);

#endif
