/** Geometry records: the triangles and modes of one shape each, right behind the topology (see frame.h for the bytes). */
#ifndef SCREE_RECORD_GEOMETRY_RECORD_H
#define SCREE_RECORD_GEOMETRY_RECORD_H

#include "record/topology.h"

/** The payload of shape number `shape` of drawable number `id`, a sound one. @param payload receives the bytes, freed with mem_free
 *  @return SCR_OK, SCR_NO_MEMORY */
scr_status geometry_payload(const scr_drawable *drawable, uint32_t id, uint32_t shape, unsigned char **payload, size_t *size,
                            scr_error *error);

/** Takes the triangles and modes that a payload holds into the shape of the topology that it names, trusting nothing.
 *  @return SCR_OK; SCR_BAD_FILE (no such shape, one that was taken before, other counts than the topology's, or not sound), SCR_NO_MEMORY
 *  */
scr_status geometry_take(scr_topology *topology, const void *payload, size_t size, scr_error *error);

/** Reads a recording's topology and all its shapes: what it takes to draw a frame. `*found` is false, and the topology empty, as long as
 *  not all of them are there.
 *  @return SCR_OK; SCR_BAD_FILE (also frames without the geometry they need), SCR_IO, SCR_NO_MEMORY */
scr_status geometry_topology_read(scr_recording *recording, scr_topology *topology, bool *found, scr_error *error);

#endif
