/** A recording of three frames with a drawable of every kind, whose numbers follow from formulas, for tests of what reads recordings.
 *  `tests/data/kinds.scree` is this recording.
 *
 *  Frame k at k seconds:
 *    grains    points, varying: 4 + k, ids k ... 2 k + 3; grain `id` at (id/10, k/100, 0) m, radius 0.01 (1 + id mod 3) m, clump id/2,
 *    speed id + k stones    instances, varying: 2 + k; stone i is a copy of shape i mod 2 (tetrahedron with two modes, cube), at (i, k, 1)
 *    m, turned by i times a
 *              right angle about z, scale 1 + i/2, amplitudes k/10 and -i/20, id 100 + i, stress 1000 i
 *    membrane  surface: vertex v of a patch of 3 x 3 is at (x, y, k x y / 10), pressure v k
 *    fibres    threads: of 3 and 2 nodes, of 4, none; node j at (j/10, 0, k/5) m, radius (1 + j)/1000 m, tension j
 *    floor     a plane
 *    cells     grid of 3 x 2 x 2 cells of 0.1 x 0.2 x 0.3 m from (0.1, 0.2, -0.5) m, varying: 3 + k of them, every second from number k on,
 *              with temperature 300 + its number, velocity (number, k, -number)
 *    slab      flat grid of 4 x 1 x 3 cells of 0.25 x 0 x 0.125 m from (0.5, 1, 0) m: level is number / 4 + k, owner (whole) number mod 5
 *    grains    their skin: one tetrahedron, clump 7 */
#ifndef SCREE_TESTS_SUPPORT_KINDS_H
#define SCREE_TESTS_SUPPORT_KINDS_H

#include "record/file/recording_writer.h"
#include "record/frame/builder.h"
#include "record/topology.h"

enum {
  KINDS_GRAINS,
  KINDS_STONES,
  KINDS_MEMBRANE,
  KINDS_FIBRES,
  KINDS_FLOOR,
  KINDS_CELLS,
  KINDS_SLAB,
  KINDS_SKIN,
  KINDS_COUNT,
  KINDS_FRAMES = 3
};

/** Declares the drawables; ended by kinds_clear. */
void kinds_declare(scr_drawable drawables[KINDS_COUNT]);
void kinds_clear(scr_drawable drawables[KINDS_COUNT]);

/** Draws frame `k`. */
void kinds_draw(scr_frame *frame, int k);

/** Writes the recording, `end` record and all, to `path`. */
void kinds_write(const char *path);

/** A closed tetrahedron of edge vectors x, y, z from the origin, and a cube from 0 to 1. */
void kinds_tetrahedron(geo_mesh *mesh);
void kinds_cube(geo_mesh *mesh);

#endif
