/** Writes bound structs as JSON, as sections say: the effective scene. */
#ifndef SCREE_SCENE_WRITE_H
#define SCREE_SCENE_WRITE_H

#include "base/json_writer.h"
#include "scene/bind/section.h"

/** Writes one JSON object with every key. `method` is the one whose options the struct holds; NULL: options are left out. */
void write_section(json_writer *writer, const section *form, const scr_method_description *method, const void *base);

/** Writes the value of one parameter. */
void write_value(json_writer *writer, const scr_param *param, const void *field);

#endif
