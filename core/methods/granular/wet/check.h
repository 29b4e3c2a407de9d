/** What scenes with a fluid must have besides, and how long its viscosity lets a step be. */
#ifndef SCREE_GRANULAR_WET_CHECK_H
#define SCREE_GRANULAR_WET_CHECK_H

#include "scene/check/checker.h"

/** Refuses what the fluid can't do. Nothing for dry sand. */
void wet_check(const scr_checker *checker);
/** Refuses drag that no number holds. @param step s, the longest */
void wet_check_drag(const scr_checker *checker, double step);
/** Longest step of explicit viscosity, s: it takes energy, and never gives. INFINITY for dry sand. */
double wet_viscous_step(const scr_scene *scene);

#endif
