/* Grains of a voxel image: their keys. generated.c reads them. */
#include "scene/mesh_source.h"
#include "scene/shape/keys.h"

static const scr_param params[] = {
    {"file", SCR_PARAM_ASSET, SCR_PARAM_AUTOMATIC, "", 0, 0, 0, NULL,
     "a voxel image with a label per grain, NRRD (.nrrd) or MetaImage (.mha), by its path beside the scene or as an uploaded asset",
     MADE(file)},
    {"label", SCR_PARAM_INTEGER, SCR_PARAM_AUTOMATIC, "1", 0, 1, 4294967295.0, NULL,
     "which grain, placed by its centroid; null: all of them, each where the image has it, the image's own origin at the position of a "
     "single placement, or packed, the forms in turn",
     MADE(label)},
    {"scale", SCR_PARAM_NUMBER, ABOVE_REQUIRED, "1", 0, 0, 1e6, NULL,
     "factor that turns the image's lengths into metres: 0.001 for a file in millimetres, the edge of a voxel for a file without spacings",
     MADE(scale)},
    {"smoothing", SCR_PARAM_NUMBER, 0, "1", 1, 0, 8, NULL,
     "standard deviation of the Gaussian, in voxels, that takes the steps off the surfaces; it takes parts thinner than that away",
     MADE(smoothing)},
    {"keep_volume", SCR_PARAM_BOOLEAN, 0, "", 0, 0, 1, NULL,
     "each grain gets back the volume of its voxels, of which smoothing takes some from round surfaces; grains that touch then overlap by "
     "a few hundredths of a voxel",
     MADE(keep_volume)},
};
static const section_member members[] = {
    {"text", MEMBER_TEXT, false, .offset = MADE(text), .maximum_count = SCENE_MESH_TEXT_BYTES,
     .help = "instead of file: the image's file in base64, so that the scene carries it; a whole scene may have 4 MiB, file takes more"},
};

const scr_shape_form shape_form_image = {
    .section = {.title = "Image", .help = "grains of a voxel image, such as a segmented CT scan", PARAMS(params), MEMBERS(members)},
    .source = SHAPE_BY_IMAGE};
