/** Fewer points for whoever only looks at them: of a cloud with more than a viewer wants, those that can be seen from outside.
 *
 *      points of a drawable --more than `most`--> those in cells of a grid with an empty one among their 26 neighbours --still more--> one
 *      in so many of these
 *
 *  Of a flat or convex surface that is every point: the neighbour in the direction of its normal, by signs, lies wholly outside. A cell's
 *  edge is 1.8 times the points' diameter: a cube of sqrt(3) spacings holds a node of a cubic lattice however it is turned, so within a
 *  body no cell is empty, and a crack or a void is seen from where it is wider than a cell. Points keep their order and their bits. What is
 *  left of a cloud is the same in every frame in which the same points are outside: which one in so many is taken is drawn by a point's
 *  number. */
#ifndef SCREE_RECORD_FRAME_VISIBLE_POINTS_H
#define SCREE_RECORD_FRAME_VISIBLE_POINTS_H

#include "record/frame/reader.h"
#include "record/topology.h"

/** How many points of a drawable a viewer gets: the number it asks for, rounded down to FRAME_POINTS_LEAST times a power of
 * FRAME_POINTS_STEP, so that viewers share what is made for them. */
enum { FRAME_POINTS_LEAST = 10000, FRAME_POINTS_STEP = 5, FRAME_POINTS_LEVELS = 5 };

/** The level for a number that is asked for.
 *  @param wished 0 for all of them, or at least FRAME_POINTS_LEAST
 *  @param level  receives `most` of frame_visible_points; 0: all
 *  @return false when it can't be wished */
bool frame_points_level(int64_t wished, uint32_t *level);

/** Makes the payload of a frame with at most about `most` points of each drawable; other kinds go through as they are.
 *  @param most    > 0
 *  @param payload receives it from malloc, or NULL when nothing is to be left out    @param payload_size its bytes
 *  @return SCR_OK; SCR_BAD_FILE for a payload that is no frame; SCR_NO_MEMORY */
scr_status frame_visible_points(const scr_topology *topology, const void *bytes, size_t size, uint32_t most, unsigned char **payload,
                                size_t *payload_size, scr_error *error);

/** Reads record `seq`, which exists, and makes a frame's payload as above; header and checksum are those of the new payload. Other records,
 *  and frames of no more points, are as they are.
 *  @param record receives header and padded payload, from malloc    @param record_size its bytes
 *  @return SCR_OK, SCR_BAD_FILE, SCR_IO, SCR_NO_MEMORY */
scr_status record_read_outside(scr_recording *recording, const scr_topology *topology, uint64_t seq, uint32_t most, unsigned char **record,
                               size_t *record_size, scr_error *error);

#endif
