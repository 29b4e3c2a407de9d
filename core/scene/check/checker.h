/** What the check of a scene finds wrong or doubtful, said in one call: where, what was given, what is allowed, and a sentence.
 *
 *      scr_checker c = check_begin(scene, problems);
 *      check_refuse(&c, check_at("/materials/%zu/young_modulus", m), young_modulus, "a number > 0, in Pa", "material '%s' ...: give ...",
 *      name); if (!check_is_clean(&c)) return;                   nothing is built from what was refused
 *
 *  Every sentence names the quantity, its value, what it may be and what to do, without its full stop, which is added. What is lost for
 *  want of memory leaves the list marked as cut, and the scene is then not accepted (problems_were_lost). */
#ifndef SCREE_SCENE_CHECKER_H
#define SCREE_SCENE_CHECKER_H

#include <stdbool.h>
#include <stddef.h>

#include "scene/scene.h"

typedef struct scr_checker {
  const scr_scene *scene;
  scr_problems *problems;
  size_t before; /**< problems that there were when the check began */
} scr_checker;

/** A place in a scene: a JSON Pointer. */
typedef struct check_place {
  char pointer[96];
} check_place;

/** Begins a method's check of a scene: refuses what the method does not declare (scr_abilities), so that it need not. */
scr_checker check_begin(const scr_scene *scene, scr_problems *problems);

/** Whether nothing was refused since check_begin. */
bool check_is_clean(const scr_checker *c);

/** The place whose pointer is printed so; cut when longer than it may be. */
check_place check_at(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Refuses the scene.
 *  @param given    the value at that place, NaN or infinite: nothing to show    @param allowed  a phrase: "a number > 0, in m" */
void check_refuse(const scr_checker *c, check_place place, double given, const char *allowed, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** Warns of what can run all the same. */
void check_warn(const scr_checker *c, check_place place, double given, const char *allowed, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** check_refuse where `hard`, else check_warn. */
void check_report(const scr_checker *c, bool hard, check_place place, double given, const char *allowed, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/** check_refuse with words in the place of a number: "3 pieces". */
void check_refuse_words(const scr_checker *c, check_place place, const char *given, const char *allowed, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** Whether the scene may have so many bytes; refuses it where not. `remedy`: "use a larger spacing or fewer grains". */
bool check_fits_memory(const scr_checker *c, double bytes, const char *remedy);

#endif
