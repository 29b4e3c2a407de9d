/** What methods declare that they can do (scr_abilities), as schema, reference, composer and refusals follow from it. */
#ifndef SCREE_SCENE_ABILITIES_H
#define SCREE_SCENE_ABILITIES_H

#include "base/json_writer.h"
#include "base/text.h"
#include "scene/bind/section.h"
#include "scene/check/checker.h"

/** Whether a method takes form number `kind` of a union: a shape or a rig, by its section's `choice`. Shapes that are made into meshes are
 *  taken where meshes are. */
bool abilities_offer(const scr_method_description *method, section_choice choice, int kind);

/** Which methods with scenes of their own take that form, as words: "rigid, fem or lsdem". @return whether all do */
bool abilities_methods(text_builder *text, scr_method_list methods, section_choice choice, int kind);

/** Adds "shapes", "rigs" and "lacks" of a method, lists of names, to an open object. */
void abilities_write(json_writer *writer, const scr_method_description *method);

/** Refuses what a scene asks of its method that the method does not declare. */
void check_abilities(const scr_checker *c);

#endif
