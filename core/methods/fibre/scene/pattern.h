/** Fibres that a specimen lays by a pattern at every place: bundles twisted about its z axis, mats of arcs at random, plain weaves, grooms.
 *
 *      specimen --fibre_pattern_lay--> a polyline for each fibre, none of which overlaps another */
#ifndef SCREE_FIBRE_PATTERN_H
#define SCREE_FIBRE_PATTERN_H

#include "geometry/lines/lines.h"
#include "methods/fibre/scene/options.h"

/** Whether a form lays several fibres at a place, by a formula. */
bool fibre_form_is_pattern(int form);

/** Lays the pattern of specimen k, in its own axes.
 *
 *  A mat's fibres are arcs whose places and directions are drawn by the scene's seed, one after the other, each until it is free of those
 *  before it. Yarns of a weave are cosines, over and under each other as bdem's; all have as many edges. A groom's hairs stand on a ball,
 *  evenly apart.
 *
 *  @param lines  zeroed; receives a polyline for each fibre, in m; emptied on failure
 *  @return SCR_OK; SCR_BAD_SCENE with what is wrong; SCR_NO_MEMORY */
scr_status fibre_pattern_lay(const scr_scene *scene, size_t k, geo_lines *lines, scr_error *error);

/** Lays a bundle (bundle.c), which has a fibre in its middle, or what `core` leaves free, and rings about it, each as narrow as the layers
 * within and the clearance allow. A ring has as many fibres as find room on it, the last one those that are left, all evenly apart. All
 * have the same turns in a metre and go from end to end of the shape's length along the axis, so that outer ones are longer. `lines` and
 * @return as above; to be finished. */
scr_status fibre_bundle_lay(const scr_specimen *specimen, const fibre_specimen *block, geo_lines *lines, scr_error *error);

/** Least distance of the middle lines of two fibres of one ring, m: helices of one radius (m) and as many radians in a metre, `angle` (rad)
 *  apart. 4 R^2 sin^2((angle - turn u)/2) + u^2 is least over the rise u where u = R^2 turn sin(angle - turn u). */
double fibre_helix_distance(double radius, double turn, double angle);

#endif
